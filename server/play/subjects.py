"""What of a match can be disputed, whom it concerns, and what follows from a decision: of any game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from engine.errors import TableRefError
from engine.game.contract import Question
from engine.game.events import DECISION, SAID, UNMEASURED, Event, back_to
from engine.game.log.history import Batch
from engine.game.log.settled import SETTLED, question_of, settled_no
from engine.game.match import Match
from engine.game.records import to_json
from engine.game.showing import Awaited, Viewer
from engine.game.viewing import told_to
from engine.motion.moves import Move
from engine.ruling import Ruling
from engine.space.table import Standing, TableState, key_of
from server.formats.entries import Entry
from server.play.consent import COUNTS
from server.play.host import MatchHost
from server.play.moving.move_guide import MoveGuide
from server.play.moving.seeing import owned, range_of, ranges_in
from server.table.gate import hidden_from_pages
from server.table.questions.rulings import Rulings
from server.web.authentication import Identity

OFFERED = 8
"""How many of the things that were done last are offered."""

MOVE = "move"
"""The kind of the question whether a move was made by the rules."""


@dataclass(frozen=True, eq=False)
class Subject:
    """Something of a match that may be disputed.

    `batch` is what was done, by its number in the log; None for a move that the game has not taken, or a
    question that was picked. `state` is the match's before it, `at` the instant on the source's clock.
    `concerned` are the players whose consent a decision needs.
    """

    key: str
    words: str
    match: Match[Any]
    question: Question
    state: Any
    at: float | None
    concerned: tuple[str, ...]
    batch: int | None = None
    move: Move | None = None
    awaited: Awaited | None = None
    table: TableState | None = None
    """The table on which it was done; None where that is the one that is frozen."""
    said: tuple[str, ...] = ()
    """What people said or let pass as it was done, and who agreed, as the log tells it."""
    more: str = ""
    """In which turn it was done and what came of it: the same words may have been done twice."""

    @property
    def told(self) -> str:
        """What was done, with what of it was said and not seen."""
        return ". ".join(words[:1].upper() + words[1:] for words in (self.words, *self.said))

    @property
    def stood(self) -> tuple[Standing, ...]:
        """Where the pieces that it is about stood then."""
        if self.move is not None:
            return (self.move.after,)
        if self.table is None:
            return ()
        return tuple(self.table.find(piece) for piece in self.question.pieces)


@dataclass(frozen=True, slots=True)
class Remedy:
    """What follows from an answer: `words` say it, `goes` names what else is taken back with it.

    `back_to` is the batch before which the match stands again; None where nothing is taken back.
    """

    key: Literal["keep", "back"]
    words: str
    goes: tuple[str, ...] = ()
    back_to: int | None = None


class Decided(Protocol):
    """How a dispute was decided: `server.disputes.dispute.Decision`."""

    @property
    def outcome(self) -> Literal["yes", "no"]:
        """What counts."""
        ...

    @property
    def by(self) -> str:
        """Who decided, for people."""
        ...

    @property
    def words(self) -> str:
        """One sentence for people, and what follows."""
        ...


class Subjects:
    """The match at a table as disputes see it; `guide` knows the moves that were not taken yet."""

    def __init__(self, host: MatchHost, guide: MoveGuide | None = None) -> None:
        self.host = host
        self._guide = guide

    @property
    def match(self) -> Match[Any] | None:
        """The match that is played; None while none is."""
        return self.host.match

    def seat(self, who: Identity) -> str | None:
        """The player whose device asks."""
        return self.host.player_of(who)

    # What may be disputed

    def offered(self) -> tuple[Subject, ...]:
        """The move that rests on the table, what is declared, and what was done last, newest first."""
        match = self.match
        if match is None:
            return ()
        found = [*self._resting(match), *self._declared(match)]
        for batch in reversed(match.counted[1:]):
            if len(found) == OFFERED:
                break
            subject = self.done(match, batch)
            if subject is not None:
                found.append(subject)
        return tuple(found)

    def find(self, key: str) -> Subject:
        """What is offered under that key; a clear error for what is not."""
        offered = self.offered()
        for subject in offered:
            if subject.key == key:
                return subject
        known = "; ".join(s.words for s in offered) or "nothing that rests on the table"
        raise TableRefError(f"this cannot be disputed any more; there is: {known}")

    def asked(self, question: Question) -> Subject | None:
        """A question that was picked while a match is played."""
        match = self.match
        if match is None:
            return None
        concerned = self._concerned(match, question.pieces)
        return Subject("asked", question.words, match, question, match.state, None, concerned)

    def _resting(self, match: Match[Any]) -> Iterator[Subject]:
        for awaited, move in () if self._guide is None else self._guide.resting():
            ruling = self._ruling(match, match.state, awaited, move)
            if ruling is not None:
                yield Subject(
                    f"move:{move.id}", f"The move of {move.piece} that rests on the table", match,
                    Question(MOVE, ruling.question, (move.piece,), range_of(move)), match.state, move.until,
                    self._concerned(match, (move.piece,), awaited.player), move=move, awaited=awaited,
                )  # fmt: skip

    def _declared(self, match: Match[Any]) -> Iterator[Subject]:
        """The attack that was declared and is still to be rolled for, where nothing else may be measured."""
        if not hidden_from_pages(match):
            return
        awaited = {option.question.words for option in match.options() if option.question is not None}
        for question in match.game.questions(match.state, ()):
            subject = self.asked(question) if question.words in awaited else None
            if subject is not None:
                yield replace(subject, key="declared")

    def done(self, match: Match[Any], batch: Batch[Any]) -> Subject | None:
        """What was done, as something to dispute; None for what rests on nothing that the table shows."""
        first, number = batch.events[0], batch.number
        told = told_to(first, Viewer())
        table = self.host.seen_at.get(number)
        if first.kind != "action" or told is None or table is None:
            return None
        state, player = match.before(number), first.data.get("player")
        notes = (told_to(event, Viewer()) for event in batch.events if event.kind in (SAID, UNMEASURED))
        said = tuple(note.words for note in notes if note is not None)

        def subject(question: Question, **more: Any) -> Subject:
            concerned = self._concerned(match, question.pieces, player)
            return Subject(
                f"batch:{number}", told.words, match, question, state, table.time, concerned, number,
                table=table, said=said, more=_when(batch), **more,
            )  # fmt: skip

        for named in ranges_in(first).values():
            move = self.host.seeing.taken.get(str(named["id"]))
            for awaited in () if move is None else match.game.awaits(state):
                if move is not None and key_of(awaited.piece) == key_of(move.piece):
                    ruling = self._ruling(match, state, awaited, move)
                    if ruling is not None:
                        question = Question(MOVE, ruling.question, (move.piece,), range_of(move))
                        return subject(question, move=move, awaited=awaited)
        asked = question_of(match.game, state, first)
        return None if asked is None else subject(asked)

    def _concerned(
        self, match: Match[Any], pieces: Sequence[str], player: str | None = None
    ) -> tuple[str, ...]:
        """Who acted and whose pieces it is about; everybody still in the game where that is one player."""
        order = match.game.status(match.state, Viewer()).order
        players = [place.player for place in order if not place.out] or [p.player for p in order]
        owners = self.host.owners
        named = {player, *(owners.get(key_of(piece)) for piece in pieces)}
        found = tuple(p for p in players if p in named)
        return found if len(found) > 1 else tuple(players)

    # The ruling

    def _ruling(self, match: Match[Any], state: Any, awaited: Awaited, move: Move) -> Ruling | None:
        try:
            return match.game.guide(state, awaited, move, move.before).ruling
        except TableRefError:
            return None

    def ruling(self, subject: Subject) -> Ruling | None:
        """What was ruled of a move from its way; None for what is ruled from a frame."""
        if subject.move is None or subject.awaited is None:
            return None
        return self._ruling(subject.match, subject.state, subject.awaited, subject.move)

    def rulings(self, subject: Subject, live: Rulings) -> Rulings:
        """Who answers about a frozen table: the game, as its match stood before what is disputed."""
        game, state, match = subject.match.game, subject.state, subject.match

        def forbids(question: Question) -> Any:
            reason = live.forbidden(question)
            if reason is None or subject.batch is None or question != subject.question:
                return reason
            # What was done was declared before it, or by it: what might be measured then still may.
            if game.forbidden(state, question) is None:
                return None
            return game.forbidden(match.batch(subject.batch).state, question)

        return Rulings(lambda: (game, state), forbids)

    def basis(self, subject: Subject) -> dict[str, Any] | None:
        """The game and its state, so that the question can be ruled again from the evidence alone.

        None where the game has told anything to some players only: the state would tell it to all.
        """
        match = subject.match
        if any(event.audience is not None for event in match.log):
            return None
        game = match.game
        return {
            "game": game.about.id,
            "version": game.about.version,
            "state": game.as_json(subject.state),
            "awaited": None if subject.awaited is None else to_json(subject.awaited),
        }

    def owned(self, table: TableState) -> TableState:
        """A table whose pieces are those of the players of this match."""
        return owned(table, self.host.owners) or table

    # What follows

    def remedies(self, subject: Subject) -> tuple[Remedy, ...]:
        """What follows when *yes* counts, and when *no* does; none where nothing was done yet."""
        match, number = subject.match, subject.batch
        if number is None or match is not self.match:
            return ()
        counted = match.counted
        numbers = [batch.number for batch in counted]
        what = f"“{subject.words}”"
        if number in numbers:
            return (
                Remedy("keep", f"{what} is kept"),
                Remedy("back", f"{what} is taken back", _after(counted, number), number),
            )
        taker = next((b.number for b in counted if _took(b.events[0], b.number, number)), None)
        if taker is None:
            return (Remedy("back", f"{what} has been undone already"),)
        goes = _after(counted, taker)
        return (
            Remedy("keep", f"{what} counts after all", goes, taker),
            Remedy("back", f"{what} stays taken back"),
        )

    def settle(
        self,
        subject: Subject,
        remedy: Remedy | None,
        decision: Decided,
        data: Mapping[str, Any],
        entry: Entry,
    ) -> None:
        """Puts a decision into the match's log, with what follows, and the dispute's own entry beside it."""
        words, outcome, by = decision.words, decision.outcome, decision.by
        if remedy is None:
            # Nothing that was done is named by what follows.
            words = f"{subject.question.words} {words}"

        def propose(match: Match[Any]) -> Sequence[Event]:
            if match.played is not subject.match.played:
                raise TableRefError(
                    "the game that this dispute is about has ended: nothing can follow from it"
                )
            back = None if remedy is None else remedy.back_to
            if subject.move is not None:
                # A move that rests counts once it is taken: nobody has to agree to it again.
                resting = remedy is None and outcome == "yes"
                said = {**data, COUNTS: subject.move.id} if resting else dict(data)
            else:
                said = dict(data) if outcome == "yes" else {**data, SETTLED: no()}
            return match.deciding(words, back, subject.question.pieces, said)

        def no() -> dict[str, Any]:
            looked = self.host.seeing.looked if subject.table is None else subject.table
            table = None if looked is None else self.owned(looked)
            return settled_no(subject.match.game, subject.state, subject.question, table, by)

        self.host.decide(propose, entry)


CAME = (("move",), ("good", "bad", "miss", "loss"))
"""The tones of what tells what came of a deed: how a piece moved, and then how it went."""


def _when(batch: Batch[Any]) -> str:
    """In which round and turn a batch happened, and what came of it first."""
    came = [next((e for e in batch.events if e.tone in tones), None) for tones in CAME]
    turns: dict[str, Event] = {}
    before = batch.earlier
    while before is not None and len(turns) < 2:
        for event in reversed(before.events):
            if event.tone == "turn":
                turns.setdefault(event.kind, event)
        before = before.earlier
    told = (*reversed(turns.values()), *(event for event in came if event is not None))
    words = [told_to(event, Viewer()) for event in told]
    said = [one.words[:1].upper() + one.words[1:] for one in words if one is not None]
    # Who plays in which order does not tell a round from the others.
    return " · ".join([said[0].partition(":")[0], *said[1:]] if len(turns) > 1 else said)


def _after(counted: Sequence[Batch[Any]], number: int) -> tuple[str, ...]:
    """What was done after a batch and goes with it, in words, the newest first."""
    later = [batch.events[0] for batch in counted if batch.number > number]
    return tuple(told.words for e in reversed(later) if (told := told_to(e, Viewer())) is not None)


def _took(first: Event, number: int, taken: int) -> bool:
    """Whether a decision took that batch back."""
    back = back_to(first) if first.kind == DECISION else None
    return back is not None and back <= taken < number
