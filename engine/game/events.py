"""What is done and what follows: actions, events, reasons against, and the batches of a log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.errors import TableRefError
from engine.game import records
from engine.game.about import house

JsonObject = Mapping[str, Any]
"""A mapping that holds plain JSON values only; lengths in inches, angles in radians."""

OWNER = "the owner of the table"
"""Who says and does what nobody with a seat does."""

PLAYERS = house("The players have the last word")
"""What undo, redo and overrulings rest on."""

Tone = Literal[
    "plain", "turn", "move", "attack", "good", "bad", "miss", "loss", "dice", "ruling", "end", "quiet"
]
"""What an event is to people who read of it: nothing special; a turn or round begins, and with it a chapter
of the report; a piece has moved; an attack, its pieces the attacker and the target; somebody's success; harm;
an attack that came to nothing; that something is out of the game; dice; a decision of people; the end of the
game; or something that its neighbours tell as well."""


@dataclass(frozen=True)
class Event:
    """Something that happened. `words` is a sentence for people, `citation` the rule it rests on.

    `pieces` are the names of those that it is about. `audience` names the players who may read it; None
    is everybody, and others read `public` instead (nothing where that is empty). Past a `barrier`, such
    as a reveal or a die that was rolled here, players cannot undo. `measured` says whether what it tells of
    was measured on the table (`Game.measured`); None where nothing had to be, and in older records.
    """

    kind: str
    data: JsonObject
    words: str
    citation: str
    pieces: tuple[str, ...] = ()
    tone: Tone = "plain"
    audience: tuple[str, ...] | None = None
    public: str = ""
    barrier: bool = False
    measured: bool | None = None


_NEEDED = ("kind", "data", "words", "citation")


def event_to_json(event: Event) -> dict[str, Any]:
    """An event as a JSON object; what is as usual is left out."""
    usual = records.to_json(Event("", {}, "", ""))
    try:
        plain = records.to_json(event)
    except TableRefError as error:
        raise TableRefError(f"the event {event.kind!r} cannot be kept: {error}") from error
    return {name: value for name, value in plain.items() if name in _NEEDED or value != usual[name]}


def event_from_json(data: JsonObject) -> Event:
    """An event from its JSON object; a clear error for anything else."""
    return records.from_json(Event, data)


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """The players' ruling that a move counts although it was not measured: `why`, and who accepts it."""

    why: str
    by: str


@dataclass(frozen=True, slots=True)
class Vouched:
    """Who says what an action rests on instead of the table, and who has agreed to it, by name."""

    by: str
    agreed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Action:
    """What somebody wants to do. `player` None is the referee, who may act for everybody.

    `unmeasured` is the ruling with which a move is taken that was not measured; without meaning for others.
    `vouched` is who answers for the facts that are said and not seen.
    """

    kind: str
    player: str | None = None
    data: JsonObject = field(default_factory=dict)
    unmeasured: Unmeasured | None = field(default=None, repr=False)
    vouched: Vouched | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something may not be done. `open` when the players may settle it (too close to call).

    With a `question` they answer yes or no to this alone: the action's field `ruled` holds the answers by
    question; else it holds one for all. `fact`: whoever accepts it says how something stands or went, and
    does not let a rule pass alone; a question always asks for one. `close`: it was measured and is too close
    to call; whoever accepts it answers that, and all else is as it was seen. `says` is what whoever accepts
    it says, where that is not its words: also against what the table surely answers. `pieces` are those whom
    the answer is about, besides those that the action names.
    """

    words: str
    citation: str
    open: bool = False
    question: str = ""
    fact: bool = False
    pieces: tuple[str, ...] = ()
    close: bool = False
    says: str = ""


RULED, RULED_BY = "ruled", "ruled_by"
"""The fields of an action's data that settle what is open, and say who did where it is not its player."""


How = Literal["said", "open", "waived"]
"""How a fact is no measurement: it is said although the table answers otherwise or not at all; it answers
what the table left open; or it stays as it was measured, and the players let pass what is against it."""


@dataclass(frozen=True, slots=True)
class FactField:
    """A field of an action's data that says how something stands on the table, or went.

    `words` name it for people. `denies`: an empty value says that it is not so; else it says nothing.
    `beside` names another field: without that one this is a choice and no fact, as a way is where nothing
    was seen. `called` says a value for people where no form offers it and numbers alone would tell nobody.
    """

    field: str
    words: str
    denies: bool = False
    beside: str = ""
    called: Callable[[Any], str] | None = None


NOT_MEASURED = "not measured"
"""What is told of a fact of which the table has nothing."""


@dataclass(frozen=True, slots=True)
class SaidFact:
    """A fact on which an action rests and that was not seen: what is said, and what the table has of it.

    `value` and `measured` are words for people; nothing measured is an empty text. What answers an open fact
    is *too close to call*, unless `measured` says otherwise. `pieces` are the names of those it is about.
    """

    name: str
    value: str
    how: How
    measured: str = ""
    pieces: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The fact in words.

        >>> SaidFact("It hit", "BLUE3", "said", "nothing").words
        'It hit: BLUE3 (the table: nothing)'
        >>> SaidFact("it touches BLUE3", "yes", "open").words
        'it touches BLUE3: yes (too close to call)'
        """
        if self.how == "waived":
            return f"let pass: {self.name}"
        if self.how == "open":
            return f"{self.name}: {self.value} ({self.measured or 'too close to call'})"
        return f"{self.name}: {self.value} (the table: {self.measured or NOT_MEASURED})"


PASS = ""
"""Under this name an object of answers has the one for all that is let pass and is no question: the words of
that hold figures, which are others by a digit when it is ruled again."""


class Illegal(TableRefError):
    """An action against the rules, with every reason."""

    def __init__(self, reasons: Sequence[Reason]) -> None:
        super().__init__("; ".join(f"{r.words} ({r.citation})" for r in reasons))
        self.reasons = tuple(reasons)


DECISION = "decision"
"""The kind of event that tells what was decided of a dispute; with `back_to` in its data, the number of a
batch, the match stands again as it did before that one."""

CONCEDED = "conceded"
"""The kind of event that tells that a player gives up; what the game says follows comes after it."""

UNMEASURED = "unmeasured"
"""The kind of event that tells of a move taken by the players' ruling instead of a measurement."""

LYING = "lying"
"""The field of an action's event with the tracks of moves that lay there and that it does not name."""

SAID = "said"
"""The kind of event that tells the facts of an action that were said, not seen: by whom, and who agreed."""

ASIDE = ("sealed", "withdraw", "mistyped", "looked")
"""The kinds of batch that leave the state as it is: what somebody chose in secret, or took back; that a die
was typed wrong before an undo; that a piece was seen again that had been hidden when it was put down."""

QUIET = ("undo", "redo", "withdraw")
"""The kinds of event that tell of others, and are never struck through."""

STARTS = {"begin", "position", "action", "undo", "redo", "overrule", "stays", DECISION, CONCEDED, *ASIDE}
"""The kinds of event with which a batch begins."""


def batches(events: Iterable[Event]) -> list[list[Event]]:
    """A log in the batches in which it happened, each from its first event on."""
    found: list[list[Event]] = []
    for event in events:
        if event.kind in STARTS or not found:
            found.append([])
        found[-1].append(event)
    return found


def back_to(first: Event) -> int | None:
    """The batch before which the match stands again by a decision; None for any other event."""
    number = first.data.get("back_to") if first.kind == DECISION else None
    return None if number is None else int(number)


def counting(done: Sequence[tuple[int, int | None]]) -> list[int]:
    """The numbers of the batches that count, of those that were not undone: each with its `back_to`.

    A decision that goes back to one takes it and all after it away; whatever takes the decision away brings
    them back.

    >>> counting([(0, None), (1, None), (2, None), (3, 1)]), counting([(0, None), (1, None), (2, 1), (3, 2)])
    ([0, 3], [0, 1, 3])
    """
    numbers = [number for number, _ in done]
    for k in range(len(done) - 1, -1, -1):
        back = done[k][1]
        if back is not None:
            return counting(done[: numbers.index(back)]) + numbers[k:]
    return numbers


def standing_batches(log: Sequence[Sequence[Event]]) -> frozenset[int]:
    """The numbers of the batches that count: neither undone nor an undoing, nor taken back by a decision.

    What was chosen in secret counts as long as it is a secret, and with what revealed it.
    """
    done: list[int] = []
    undone: list[int] = []
    aside: list[int] = []
    secret: dict[tuple[str, str], int] = {}
    opened: dict[int, list[int]] = {}
    for number, batch in enumerate(log):
        first = batch[0]
        if first.kind == "sealed":
            secret[str(first.data.get("group")), str(first.data.get("player"))] = number
        elif first.kind in ASIDE and first.kind != "withdraw":
            aside.append(number)
        if first.kind in ASIDE:
            undone = undone if first.kind in ("withdraw", "looked") else []
        elif first.kind == "undo" and done:
            undone.append(done.pop())
        elif first.kind == "redo" and undone:
            done.append(undone.pop())
        elif first.kind not in ("undo", "redo"):
            done.append(number)
            undone.clear()
            opened[number] = _opened(first, secret)
        for event in batch:
            if event.kind in ("withdraw", "withdrawn", "undo"):
                for group, player in event.data.get("choices", ()):
                    secret.pop((group, player), None)
    left = counting([(number, back_to(log[number][0])) for number in done])
    return frozenset([*left, *aside, *secret.values(), *(n for one in left for n in opened.get(one, ()))])


def _opened(first: Event, secret: dict[tuple[str, str], int]) -> list[int]:
    """The batches of the secret choices that one reveals, which are no secret any more."""
    keys = [(str(first.data.get("group")), player) for player in first.data.get("salts", ())]
    return [secret.pop(key) for key in keys if key in secret]
