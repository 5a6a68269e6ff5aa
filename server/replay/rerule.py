"""Rules a recorded game again with today's engine: what would come out differently, and why.

No camera is needed: where everything stood is in the record, and so are the dice. The same record gives
the same answers on every machine.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.errors import TableRefError
from engine.game.contract import Option, Seen
from engine.game.dice import NeedDice
from engine.game.events import LYING, SAID, STARTS, UNMEASURED, Event, Illegal, event_from_json
from engine.game.forms import PathOnTable
from engine.game.match import Match
from engine.space.geometry import wrap_angle
from engine.space.table import TableState, key_of
from server.play.drafts import draft_of
from server.play.keeping import END, MATCH, MODES, SETUP
from server.play.messages import Modes
from server.play.moving.seeing import by_ids, owned, ranges_in, said_kinds
from server.recording.errors import read_from
from server.recording.journal import Recorded
from server.recording.matches import game_of, game_or_unknown_of, standing
from server.recording.reader import Reader
from server.replay.moves import move_of
from server.table.questions.differences import Changed, ruled_again
from server.table.questions.question_log import RULING
from server.table.questions.rulings import Played, Rulings
from server.table.records import asked_of

SAME_WITHIN = 0.02
"""Inches, degrees or radians by which a number of an event may differ and still be told as the same."""

FRACTION = re.compile(r"(\d+\.\d+)")
"""A measured number in words."""

NO_MARGIN = re.compile(r"\b(0\.00 in|0\.0°) [a-z ]+(?=, ±)")
"""A margin of nothing: on which side of the limit its last digit lies, rounding says."""

JOINT = re.compile(r" (and|or) (?=[^.;:]*? \1 )")
"""What joins names in a row, but for the last two: older games wrote it where newer ones have a comma."""


@dataclass(frozen=True)
class Again:
    """One entry ruled again. Without `changes` it comes out as it did.

    `said` is what it rests on that people said and the camera did not see, or saw otherwise: that comes out
    the same whatever the table shows. Where `ruled` is False all of it was said, and nothing is ruled.
    Where it does not stand, people took it back later.
    """

    number: int
    at_s: float
    words: str
    changes: tuple[Changed, ...] = ()
    said: tuple[str, ...] = ()
    ruled: bool = True
    stands: bool = True

    @property
    def weight(self) -> str:
        """How much it comes out otherwise: "same", "within" its deviations, "other", or by a "verdict"."""
        found = {c.weight for c in self.changes}
        return next((w for w in ("verdict", "other", "within") if w in found), "same")


def rule_again(reader: Reader, rulings: Rulings | None = None) -> Iterator[Again]:
    """Every ruling and every action of a game, in order, ruled again: by its own rules unless told others.

    What was asked during a match is asked of its state of then.
    """
    with read_from(reader.game.id):
        played = _Played(reader)
        left = {entry.number for entry in standing(reader.entries([MATCH]))}
        of_the_table = Rulings.of(game_of(reader))
        of_the_match = Rulings(lambda: played.now or (of_the_table.game, None), lambda _: None)
        for entry in reader.entries():
            if entry.kind == RULING:
                yield from _as_left(played.end(), left)
                # Older records asked the book alone, whatever was played.
                asked_so = of_the_match if "asked" in entry.data else of_the_table
                yield _ruling_again(entry, played.table(entry.at_s), rulings or asked_so)
            else:
                yield from _as_left(played.next(entry), left)
        yield from _as_left(played.end(), left)


def _as_left(found: Iterable[Again], left: Collection[int]) -> Iterator[Again]:
    """What was done, with whether it stands: `left` are the entries that were not taken back."""
    for again in found:
        yield replace(again, stands=again.number in left)


# A question that was asked


def _ruling_again(entry: Recorded, table: TableState, rulings: Rulings) -> Again:
    data = entry.data
    now: tuple[Changed, ...]
    try:
        question = asked_of(data)
    except TableRefError as error:
        was = str(data.get("verdict", "answered"))
        now = (Changed("the question", was, f"cannot be ruled: {error}", "verdict"),)
    else:
        now = ruled_again(data, question, table, rulings)
    return Again(entry.number, entry.at_s, entry.words, now)


def _same(was: Any, now: Any) -> bool:
    """Whether two JSON values say the same, numbers within `SAME_WITHIN`.

    >>> straight, drift = {"kind": "straight", "left": 0.0}, {"kind": "drift", "left": 0.0009}
    >>> _same(straight, drift), _same(straight, drift | {"left": 0.3})
    (True, False)
    """
    if isinstance(was, bool) or isinstance(now, bool):
        return was is now
    if isinstance(was, int | float) and isinstance(now, int | float):
        return math.isclose(was, now, rel_tol=0.0, abs_tol=SAME_WITHIN)
    if isinstance(was, Mapping) and isinstance(now, Mapping):
        # A drift of next to nothing is a straight run.
        run = all(one.get("kind") in ("straight", "drift") and "left" in one for one in (was, now))
        return was.keys() == now.keys() and all(
            _same(was[k], now[k]) for k in was if not (run and k == "kind")
        )
    if isinstance(was, list | tuple) and isinstance(now, list | tuple):
        return _same_in_order(was, now)
    if isinstance(was, str) and isinstance(now, str):
        return _same_words(was, now)
    return bool(was == now)


def _same_words(was: str, now: str) -> bool:
    """Whether two texts are the same but for the last digit of a fraction, which rounding turns either way.

    How they join names in a row is no difference.

    >>> _same_words("4.84 in of 3 in, ±0.08", "4.84 in of 3 in, ±0.09"), _same_words("9.99 in", "10.00 in")
    (True, True)
    >>> _same_words("a 3 on the D8", "a 4 on the D8"), _same_words("1.5 in", "1.50 in")
    (False, False)
    >>> _same_words("0.00 in to spare, ±0.02", "0.00 in too far, ±0.02")
    True
    >>> _same_words("past Mug and Book and Hill", "past Mug, Book and Hill")
    True
    >>> _same_words("Mug and Book", "Mug or Book"), _same_words("Mug, Book and Hill", "Mug, Book, Hill")
    (False, False)
    """
    before, after = (FRACTION.split(JOINT.sub(", ", NO_MARGIN.sub(r"\1", words))) for words in (was, now))
    # Every other part is a fraction.
    return before[::2] == after[::2] and all(map(_same_fraction, before[1::2], after[1::2]))


def _same_fraction(was: str, now: str) -> bool:
    places = len(was.partition(".")[2])
    return len(now.partition(".")[2]) == places and abs(float(was) - float(now)) < 1.5 * 10.0**-places


def _same_in_order(was: Sequence[Any], now: Sequence[Any]) -> bool:
    if _is_way(was) and _is_way(now):
        was, now = _on_the_spot(was), _on_the_spot(now)
    if len(was) != len(now):
        return False
    if _is_pose(was) and _is_pose(now):
        return _same(was[:2], now[:2]) and abs(wrap_angle(was[2] - now[2])) <= SAME_WITHIN
    return all(_same(a, b) for a, b in zip(was, now, strict=True))


def _is_pose(value: Sequence[Any]) -> bool:
    """Whether these are x, y and a heading: half a turn to the left is half a turn to the right."""
    return len(value) == 3 and all(isinstance(v, int | float) for v in value)


def _is_way(value: Sequence[Any]) -> bool:
    """Whether these are the runs and turns of a way, each turn with the point that it was about."""
    return any(isinstance(step, Mapping) and "pivot" in step for step in value) and all(
        isinstance(step, Mapping) and (step.keys() >= {"angle", "pivot"} or step.keys() >= {"ahead", "left"})
        for step in value
    )


def _on_the_spot(steps: Sequence[Mapping[str, Any]]) -> tuple[list[list[float]], list[float]]:
    """A way as runs [ahead, left] with turns on the spot between them: all lead where the way leads.

    Of a turn about a point ahead or behind, the runs before and after it take up the difference: which point
    that was may hang on a last digit.

    >>> def way(before, pivot, after):
    ...     turn = {"kind": "turn", "angle": 0.8, "pivot": [pivot, 0.0]}
    ...     first, last = ({"kind": "straight", "ahead": run, "left": 0.0} for run in (before, after))
    ...     return [first, turn, last]
    >>> _same(way(1.5, -1.0, 1.0), way(2.0, -1.5, 0.5)), _same(way(1.5, -1.0, 1.0), way(2.0, -1.0, 0.5))
    (True, False)
    """
    runs, turns = [[0.0, 0.0]], []
    for step in steps:
        if "pivot" in step:
            x, y = step["pivot"]
            runs[-1] = [runs[-1][0] + x, runs[-1][1] + y]
            turns.append(step["angle"])
            runs.append([-x, -y])
        else:
            runs[-1] = [runs[-1][0] + step["ahead"], runs[-1][1] + step["left"]]
    return runs, turns


# A game that was played


class _Played:
    """A match as it is told by its entries, every action done again from the state before it."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._match: Match[Any] | None = None
        self._batch: list[tuple[Recorded, Event]] = []
        self._modes = Modes()
        self._owners: dict[str, str] = {}

    @property
    def now(self) -> Played | None:
        """The game and how its match stands; None while none is played."""
        return None if self._match is None else (self._match.game, self._match.state)

    def table(self, at_s: float) -> TableState:
        """Where everything stood, each its player's."""
        table = self._reader.table_at(at_s)
        return owned(table, self._owners) or table

    def next(self, entry: Recorded) -> Iterator[Again]:
        """Takes an entry; gives the batch before it when that is whole."""
        if entry.kind.startswith(MATCH):
            event = event_from_json(entry.data["event"])
            if event.kind in STARTS:
                yield from self.end()
                if event.kind == "begin":
                    self._match = Match(game_or_unknown_of(entry))
            self._batch.append((entry, event))
            return
        if entry.kind in (END, MODES, SETUP):
            yield from self.end()
        if entry.kind == END:
            self._match = None
        elif entry.kind == MODES:
            self._modes = Modes.model_validate(entry.data["modes"])
        elif entry.kind == SETUP:
            self._owners = {key_of(p.name): p.owner for p in draft_of(entry.data["draft"]).pieces}

    def end(self) -> Iterator[Again]:
        """Does the batch under way again, and takes it over as it was."""
        batch, self._batch = self._batch, []
        if not batch or self._match is None:
            return
        entry, first = batch[0]
        if first.kind == "action":
            yield self._again(batch, self._match)
        elif first.kind in SAYINGS:
            yield Again(entry.number, entry.at_s, entry.words, said=(first.words,), ruled=False)
        self._match.commit([event for _, event in batch])

    def _again(self, batch: Sequence[tuple[Recorded, Event]], match: Match[Any]) -> Again:
        (entry, first), *_ = batch
        was, action = [by_ids(first), *(event for _, event in batch[1:])], str(first.data["kind"])
        said = action in said_kinds(match, self._modes)
        told = list(_told_by_people(was))
        try:
            seen = None if said else self._seen(entry, first)
            told += [] if seen is None else _typed_over(match, was, seen)
            now = match.anew(was, seen)
        except Illegal as error:
            changes = [_refused(action, error)]
        except NeedDice as error:
            changes = [Changed(action, f"{dice_words(was)} rolled", f"more dice: {error}", "verdict")]
        except TableRefError as error:
            changes = [Changed(action, "done", f"cannot be done: {error}", "verdict")]
        else:
            changes = list(events_changed(was, _as_accepted(was, now)))
        return Again(entry.number, entry.at_s, entry.words, tuple(changes), tuple(told))

    def _seen(self, entry: Recorded, first: Event) -> Seen:
        """Where everything stood, each its player's, and the moves that lay there, from the record."""
        shift = 0.0 if entry.source_s is None else entry.at_s - entry.source_s
        ranges = [*ranges_in(first).values(), *first.data.get(LYING, ())]
        moves = [move_of(self._reader, said, shift, entry.at_s) for said in ranges]
        board = self._reader.file_at(entry.at_s).board
        return Seen(self.table(entry.at_s), {move.id: move for move in moves}, board)


SAYINGS = ("overrule", "stays")
"""The kinds of batch with which people set what is so, whatever was seen."""


def _refused(action: str, error: Illegal) -> Changed:
    """How a lawful action comes out that is refused now."""
    close = all(r.open and (r.close or r.fact or r.question) for r in error.reasons)
    now = "too close to call" if close else "against the rules"
    return Changed(action, "lawful", f"{now}: {error}", "verdict")


def _told_by_people(was: Sequence[Event]) -> Iterator[str]:
    """What people ruled in a batch, and that it was not measured."""
    ruled = [event.words for event in was if event.tone == "ruling"]
    yield from ruled
    if not ruled and any(event.measured is False for event in was):
        yield "it was not measured"


def _as_accepted(was: Sequence[Event], now: Sequence[Event]) -> list[Event]:
    """What comes out, with the players' word on a move that was not measured.

    A push that lay there and that nobody named is in no record: what people accepted for it stays accepted.
    """
    notes = [event for event in was if event.kind == UNMEASURED]
    return [*now] if any(e.kind == UNMEASURED for e in now) else [*now[:1], *notes, *now[1:]]


def _typed_over(match: Match[Any], was: Sequence[Event], seen: Seen) -> list[str]:
    """What was typed beside a move that was seen, where the move alone comes out otherwise.

    What the camera answers lies behind a fold of the form: only by hand is anything put there.
    """
    first = was[0]
    data = first.data.get("data")
    if not isinstance(data, Mapping) or not any(
        isinstance(v, str) and v in seen.moves for v in data.values()
    ):
        return []  # it names no move that was seen, as most do not
    option = _option_of(match, first, seen)
    if option is None:
        return []
    fields = option.form.fields
    paths = [name for name, one in fields.items() if isinstance(one, PathOnTable)]
    typed = [name for name, one in fields.items() if one.folded and data.get(name) not in (None, [], False)]
    if not typed or not any(data.get(name) in seen.moves for name in paths):
        return []
    alone = {name: value for name, value in data.items() if name not in typed}
    try:
        now = match.anew([replace(first, data={**first.data, "data": alone}), *was[1:]], seen)
    except TableRefError as error:
        otherwise = str(error)
    else:
        found = next(events_changed(was[1:], now[1:]), None)
        if found is None:
            return []
        otherwise = found.now
    said = "; ".join(f"{fields[name].words}: {_listed(data[name])}" for name in typed)
    return [f"{said} (said; as it was seen: {otherwise})"]


def _option_of(match: Match[Any], first: Event, seen: Seen) -> Option | None:
    """The option by which an action was done."""
    said, player = first.data.get("data") or {}, first.data.get("player")
    for option in match.game.options(match.state, seen):
        fits = option.kind == first.data.get("kind") and player in (None, option.player)
        if fits and all(said.get(name) == value for name, value in option.data.items()):
            return option
    return None


def _listed(value: Any) -> str:
    """A typed value for people.

    >>> _listed(["Red 1", "Mug"]), _listed([{"other": "Mug"}]), _listed(True), _listed(3.8658382428418503)
    ('Red 1, Mug', 'Mug', 'yes', '3.87')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(_listed(v) for v in value.values())
    if isinstance(value, float):
        return f"{value:.2f}"
    return ", ".join(map(_listed, value)) if isinstance(value, list | tuple) else str(value)


def dice_words(events: Sequence[Event]) -> str:
    """How many dice fell, in words.

    >>> dice_words([])
    'no dice'
    """
    count = sum(e.kind == "roll" for e in events)
    return {0: "no dice", 1: "one die"}.get(count, f"{count} dice")


def events_changed(was: Sequence[Event], now: Sequence[Event]) -> Iterator[Changed]:
    """What follows from an action otherwise than it did: the first event that differs, and how."""
    for k, before in enumerate(was):
        if k >= len(now):
            yield Changed(before.kind, before.words, "does not follow any more", "verdict")
            return
        after = now[k]
        if before.kind != after.kind:
            yield Changed(before.kind, before.words, after.words, "verdict")
            return
        was_told, now_told = _compared(before), _compared(after)
        if _same_words(before.words, after.words):
            now_told = _told_then(was_told, now_told)
        if not _same(was_told, now_told):
            yield Changed(before.kind, before.words, _otherwise(before, after))
            return
    for after in now[len(was) :]:
        yield Changed(after.kind, "did not follow", after.words, "verdict")
        return


def _compared(event: Event) -> Mapping[str, Any]:
    """What of an event has to come out again: of facts that were said which, and what the table says.

    What was said of them stands in the action. How open facts are told is words, and what a die was for.
    """
    facts = event.data.get("facts")
    if event.kind != SAID or not isinstance(facts, list | tuple):
        told = {name: value for name, value in event.data.items() if name != SAID}
        if event.kind == "roll":
            return _die_compared(told)
        if event.kind == "rolls":
            return {**told, "dice": [_die_compared(die) for die in told.get("dice", ())]}
        return told
    return {
        **event.data,
        "facts": [_fact_compared(one) if isinstance(one, Mapping) else one for one in facts],
    }


def _die_compared(die: Mapping[str, Any]) -> dict[str, Any]:
    """A die as it has to fall again; what comes of it is told by what follows."""
    return {name: value for name, value in die.items() if name != "why"}


def _told_then(was: Any, now: Any) -> Any:
    """What is told now of that which a record tells: older games tell less in the same words.

    >>> _told_then({"at": [{"piece": "Red 1"}]}, {"at": [{"piece": "Red 2", "by": "Red"}], "board": 13})
    {'at': [{'piece': 'Red 2'}]}
    """
    if isinstance(was, Mapping) and isinstance(now, Mapping):
        return {name: _told_then(was.get(name), value) for name, value in now.items() if name in was}
    if isinstance(was, list | tuple) and isinstance(now, list | tuple) and len(was) == len(now):
        return [_told_then(one, other) for one, other in zip(was, now, strict=True)]
    return now


def _fact_compared(fact: Mapping[str, Any]) -> dict[str, Any]:
    """A said fact as it has to come out again; the figures of an open one are a guess, as of a hidden way.

    >>> close = {"name": "Turn: 91.2° of 90°", "how": "open", "value": "yes", "measured": "1.2° too far"}
    >>> _fact_compared(close)
    {'name': 'Turn: …° of 90°', 'how': 'open', 'value': None, 'measured': ''}
    """
    if fact.get("how") != "open":
        return {**fact, "value": None}
    name = FRACTION.sub("…", NO_MARGIN.sub(r"\1", str(fact.get("name"))))
    return {**fact, "name": name, "value": None, "measured": ""}


def _otherwise(before: Event, after: Event) -> str:
    if before.words != after.words:
        return after.words
    return ", ".join(_differing(before.data, _told_then(before.data, after.data))) or after.words


def _differing(was: Any, now: Any) -> Iterator[str]:
    """The values that differ, however deep they lie, each as it was and as it is now.

    >>> places = [{"piece": "Red 1", "at": [29.0, 24.0]}], [{"piece": "Red 1", "at": [29.0, 22.7694]}]
    >>> list(_differing(*places)), list(_differing({"by": 2, "met": "Mug"}, {"by": 3}))
    (['24.00 → 22.77'], ['2 → 3', 'Mug → nothing'])
    """
    if _same(was, now):
        return
    if isinstance(was, Mapping) and isinstance(now, Mapping):
        for name in sorted(was.keys() | now.keys()):
            yield from _differing(was.get(name), now.get(name))
    elif isinstance(was, list | tuple) and isinstance(now, list | tuple) and len(was) == len(now):
        for one, other in zip(was, now, strict=True):
            yield from _differing(one, other)
    else:
        yield f"{_listed(was) or 'nothing'} → {_listed(now) or 'nothing'}"
