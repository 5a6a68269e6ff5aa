"""The log of a match and its fold: what counts, what was undone, and what is sealed and lies aside."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, Self

from engine.errors import TableRefError
from engine.game.contract import Game, State
from engine.game.dice import Roll, meant_for, rolls_of
from engine.game.events import ASIDE, CONCEDED, DECISION, SAID, UNMEASURED, Event, back_to, counting
from engine.game.log.paths import with_value
from engine.game.log.places import Places, folded
from engine.game.log.sealing import Sealed, check_opened
from engine.game.log.unknown import UnknownGame

Asked = tuple[int, int, str, str | None]
"""What makes two rolls the same question: the turn, the die's sides, what for, who rolls."""


_TELLING = ("action", "withdrawn", "stays", CONCEDED, SAID, UNMEASURED)
"""The kinds of the core that leave the state as it is: what the game says follows changes it."""


def _asked(turn: int, roll: Roll) -> Asked:
    return (turn, roll.sides, meant_for(roll.why), roll.by)


@dataclass(frozen=True)
class Batch(Generic[State]):
    """What happened at once: an action or overruling with all that followed, and the state after it."""

    number: int
    events: tuple[Event, ...]
    state: State
    turn: int = 0
    """How many turns had begun before it."""
    earlier: Batch[State] | None = field(default=None, repr=False, compare=False)
    """The one before it that counts with it."""
    places: Places = field(default_factory=dict)
    """Where every piece has to stand after it."""

    @property
    def next_turn(self) -> int:
        """How many turns have begun after it."""
        return self.turn + sum(event.tone == "turn" for event in self.events)

    @property
    def words(self) -> str:
        """What it is, in words."""
        return self.events[0].words


class History(Generic[State]):
    """What has happened in one game, batch by batch, and the state that it leads to."""

    def __init__(self, game: Game[State], secrets: Iterable[Sealed] = ()) -> None:
        self.game = game
        self._log: list[Event] = []
        self._done: list[Batch[State]] = []
        self._undone: list[Batch[State]] = []
        self._fell: dict[int, dict[Asked, list[Roll]]] = {}  # by turn: only those of the last are looked at
        self._hashes: dict[tuple[str, str], str] = {}
        self._secrets = {sealed.hash: sealed for sealed in secrets}
        self._batches = 0
        self._retyping: Batch[State] | None = None
        self.played = object()
        """The very same for all that `aside` gives of one match, as it goes on."""

    def aside(self) -> Self:
        """The match as it stands now, of which nothing changes by what is appended here from now on."""
        other = copy.copy(self)
        other._log, other._done, other._undone = list(self._log), list(self._done), list(self._undone)
        other._fell = {
            turn: {die: list(lie) for die, lie in fell.items()} for turn, fell in self._fell.items()
        }
        other._hashes, other._secrets = dict(self._hashes), dict(self._secrets)
        return other

    @property
    def log(self) -> tuple[Event, ...]:
        """Everything that was ever said, in order, the undone included."""
        return tuple(self._log)

    @property
    def state(self) -> State:
        """Where the match stands."""
        return self._done[-1].state if self._done else self.game.first()

    @property
    def places(self) -> Places:
        """Where every piece has to stand, as far as it was seen."""
        return self._done[-1].places if self._done else {}

    def append(self, events: Sequence[Event]) -> tuple[Event, ...]:
        """Append one batch; a clear error for one that cannot come now."""
        first = events[0]
        if first.kind not in ASIDE:
            self._retyping = None
        if first.kind == "undo":
            self._same(self._done[1:], first)
            self._undone.append(self._done.pop())
        elif first.kind == "redo":
            self._same(self._undone, first)
            self._done.append(self._undone.pop())
        elif first.kind not in ASIDE:
            state = self.folded(self.state, events)
            self._open(first)
            earlier = self._earlier(first)
            self._fall(events)
            turn = 0 if earlier is None else earlier.next_turn
            places = folded({} if earlier is None else earlier.places, first)
            self._done.append(Batch(self._batches, tuple(events), state, turn, earlier, places))
        elif first.kind == "mistyped":
            self._forget_typed()
            last = self._undone[-1] if self._undone else None
            typed = last is not None and any(r.source == "typed" for r in rolls_of(last.events))
            self._retyping = last if typed else None
        elif first.kind == "looked":
            self._done[-1] = replace(self._done[-1], places=folded(self.places, first))
        if first.kind not in ("undo", "redo", "withdraw", "looked"):
            self._undone.clear()
        for event in events:
            self._keep_aside(event)
        self._batches += 1
        self._log += events
        return tuple(events)

    @property
    def counted(self) -> tuple[Batch[State], ...]:
        """The batches that count, in order: neither undone nor taken back by a decision."""
        numbers = set(counting([(batch.number, back_to(batch.events[0])) for batch in self._done]))
        return tuple(batch for batch in self._done if batch.number in numbers)

    @property
    def undone(self) -> tuple[Batch[State], ...]:
        """The batches that were undone since the last action and may be done again, the next to be last."""
        return tuple(self._undone)

    @property
    def retyping(self) -> Batch[State] | None:
        """The batch that was taken back as a die of it was typed wrong, until something is done."""
        return self._retyping

    @property
    def count(self) -> int:
        """How many batches the log has: the number of the next one."""
        return self._batches

    def batch(self, number: int) -> Batch[State]:
        """A batch that was not undone, by its number, whether it counts or was taken back by a decision."""
        return self._done[self._place(number)]

    def before(self, number: int) -> State:
        """The state before a batch that was not undone."""
        return self._done[self._place(number) - 1].state

    def _place(self, number: int) -> int:
        for place, batch in enumerate(self._done):
            if batch.number == number and place > 0:
                return place
        known = ", ".join(str(batch.number) for batch in self._done[1:]) or "none"
        raise TableRefError(f"expected the number of a batch that was not undone ({known}) but got {number}")

    def _earlier(self, first: Event) -> Batch[State] | None:
        """The batch after which one comes that begins with this event."""
        number = back_to(first)
        if number is not None:
            return self.batch(number).earlier
        return self._done[-1] if self._done else None

    @property
    def _turn(self) -> int:
        return self._done[-1].next_turn if self._done else 0

    def _asked(self) -> Counter[Asked]:
        """How often each die was rolled in this turn, by what counts."""
        turn, found = self._turn, Counter[Asked]()
        batch = self._done[-1] if self._done else None
        while batch is not None and batch.turn == turn:
            found.update(_asked(turn, roll) for roll in rolls_of(batch.events))
            batch = batch.earlier
        return found

    def _fall(self, events: Sequence[Event]) -> None:
        """Remembers every die the first time that it is rolled: it lies as it fell, whatever is undone."""
        asked, mine = self._asked(), self._fell.setdefault(self._turn, {})
        for roll in rolls_of(events):
            die = _asked(self._turn, roll)
            lie = mine.setdefault(die, [])
            if asked[die] == len(lie):
                lie.append(roll)
            asked[die] += 1

    def _forget_typed(self) -> None:
        """What was typed before an undo in this turn was typed wrong: it is asked for again."""
        asked = self._asked()
        for die, lie in self._fell.get(self._turn, {}).items():
            lie[asked[die] :] = [roll for roll in lie[asked[die] :] if roll.source != "typed"]

    def fallen(self) -> tuple[Roll, ...]:
        """The dice that fell in this turn before they were undone, in their order."""
        asked, mine = self._asked(), self._fell.get(self._turn, {})
        return tuple(roll for die, lie in mine.items() for roll in lie[asked[die] :])

    def _open(self, first: Event) -> None:
        """What a reveal opens is no secret any more; it must be what was sealed."""
        if "salts" in first.data:
            check_opened(first, self._hashes)
            for player in first.data["salts"]:
                self._hashes.pop((first.data["group"], player), None)

    def _keep_aside(self, event: Event) -> None:
        if event.kind == "sealed":
            self._hashes[event.data["group"], event.data["player"]] = event.data["hash"]
        elif event.kind in ("withdraw", "withdrawn", "undo"):
            for group, player in event.data.get("choices", ()):
                self._hashes.pop((group, player), None)

    def _same(self, batches: Sequence[Batch[State]], event: Event) -> None:
        if not batches or batches[-1].number != event.data["batch"]:
            raise TableRefError(
                f"the log is out of order: {event.kind} of batch {event.data['batch']}, "
                f"but the last one is {batches[-1].number if batches else 'none'}"
            )

    def folded(self, state: State, events: Iterable[Event]) -> State:
        """The state after some events."""
        for event in events:
            state = self._apply(state, event)
        return state

    def _apply(self, state: State, event: Event) -> State:
        game: object = self.game
        if event.kind in _TELLING or isinstance(game, UnknownGame):
            return state
        if event.kind == DECISION:
            number = back_to(event)
            return state if number is None else self.before(number)
        if event.kind == "position":
            return self.game.from_json(event.data["state"])
        if event.kind == "overrule":
            patched = with_value(self.game.as_json(state), event.data["path"], event.data["value"])
            return self.game.from_json(patched)
        return self.game.apply(state, event)
