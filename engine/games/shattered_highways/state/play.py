"""One action of the game being carried out: modifiers, rolls and contests, each told before it counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.game.dice import Want
from engine.game.kit.play import Play as AnyPlay
from engine.game.records import to_json
from engine.games.shattered_highways.book.data import FODDER_DIE
from engine.games.shattered_highways.state.game_state import Duty, GameState, Turn
from engine.ruling import signed
from engine.space.table import TableState


@dataclass(frozen=True, slots=True)
class Modifier:
    """What adds to a roll or to damage, by name and rule."""

    words: str
    by: int
    citation: str


@dataclass(frozen=True, slots=True)
class Roller:
    """Who rolls in a contest: with which die, whose it is, for which vehicle, and what modifies it."""

    who: str
    sides: int = FODDER_DIE
    player: str | None = None
    vehicle: str = ""
    modifiers: tuple[Modifier, ...] = ()


@dataclass(frozen=True, slots=True)
class Rolled:
    """What somebody rolled: the die itself (`natural`), and the total with every modifier."""

    natural: int
    total: int
    sides: int

    @property
    def highest(self) -> bool:
        """Whether the die shows its highest number."""
        return self.natural == self.sides


Places = Callable[[GameState, Duty, TableState | None], Duty]
"""Works out on the table where a duty puts vehicles."""


class Play(AnyPlay[GameState]):
    """The events of one action so far, the state that they lead to, and what may be asked."""

    places: Places = staticmethod(lambda _state, duty, _table: duty)

    @property
    def turn(self) -> Turn:
        """The turn, where there must be one."""
        assert self.state.turn is not None
        return self.state.turn

    def owe(self, duty: Duty, words: str) -> None:
        """Something that must be done before the game goes on."""
        duty = self.places(self.state, duty, self.seen.table)
        self.tell("owed", words, duty.citation, duty=to_json(duty))

    # Rolling

    def uncontested(self, roller: Roller, why: str, citation: str) -> Rolled:
        """One die against the numbers of the book; a total below 1 counts as 1 (house default)."""
        self._modified(roller, why)
        (roll,) = self.rolls([Want(roller.sides, f"{roller.who}: {why}", by=roller.player)], citation,
                             [roller.vehicle])  # fmt: skip
        total = max(1, roll.value + sum(m.by for m in roller.modifiers))
        return Rolled(roll.value, total, roller.sides)

    def contested(
        self, attacker: Roller, defenders: Sequence[Roller], why: str, citation: str
    ) -> tuple[Rolled, ...]:
        """The attacker's die and each defender's, rolled together and shown side by side."""
        rollers = (attacker, *defenders)
        for roller in rollers:
            self._modified(roller, why)
        wants = [Want(r.sides, why, by=r.player) for r in rollers]
        rolls = self.rolls(wants, citation, [r.vehicle for r in rollers])
        return tuple(
            Rolled(roll.value, roll.value + sum(m.by for m in r.modifiers), r.sides)
            for roll, r in zip(rolls, rollers, strict=True)
        )

    def die(self, why: str, citation: str, vehicle: str, by: str | None) -> int:
        """A D6."""
        return self.rolls([Want(6, why, by=by)], citation, [vehicle])[0].value

    def _modified(self, roller: Roller, why: str) -> None:
        for m in roller.modifiers:
            self.modified(m, f"{roller.who}, {why}", roller.vehicle)

    def modified(self, modifier: Modifier, what: str, vehicle: str) -> None:
        """A modifier that counts, by its name."""
        self.tell(
            "modified", f"{what}: {signed(modifier.by)}, {modifier.words}", modifier.citation,
            vehicle=vehicle, by=modifier.by, why=modifier.words,
        )  # fmt: skip
