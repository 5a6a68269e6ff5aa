"""Chance, handed in: dice rolled here from a logged seed, or by the players and typed in."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from engine.errors import TableRefError


@dataclass(frozen=True, slots=True)
class Want:
    """A die that is to be rolled: its sides, and what for in words for people."""

    sides: int
    why: str


@dataclass(frozen=True, slots=True)
class Roll:
    """A die that lies on the table. `source` says whose it is: `seed 7, roll 12` or `typed`."""

    sides: int
    value: int
    why: str
    source: str


class NeedDice(TableRefError):
    """The players have to roll more dice and type what they show.

    `given` are the values that were used so far, `wanted` the dice to roll now, in this order. Do the
    action again with all of them: nothing has happened yet.
    """

    def __init__(self, given: Sequence[int], wanted: Sequence[Want]) -> None:
        dice = ", ".join(f"a D{want.sides} ({want.why})" for want in wanted)
        super().__init__(f"roll {dice} and type what the dice show")
        self.given = tuple(given)
        self.wanted = tuple(wanted)


class Dice(Protocol):
    """Where a game's chance comes from."""

    def roll(self, sides: int, why: str) -> Roll:
        """One die."""
        ...

    def together(self, wants: Sequence[Want]) -> tuple[Roll, ...]:
        """Dice that are rolled at once, so that all are known before any of them counts."""
        ...


class SeededDice:
    """Dice that anybody can check: roll number n of a seed is always the same.

    The value is the SHA-256 digest of `seed:n:try`, read as a number, modulo the sides; digests that
    would favour a side are passed over. `rolled` counts the rolls; to go on with a game, hand in
    how many there were.

    >>> [SeededDice("a seed", n).roll(8, "to hit").value for n in (0, 0, 1)]
    [5, 5, 4]
    """

    def __init__(self, seed: str | int, rolled: int = 0) -> None:
        self.seed = str(seed)
        self.rolled = rolled

    def roll(self, sides: int, why: str) -> Roll:
        """The next die of the row."""
        _valid(sides)
        self.rolled += 1
        fair = (1 << 256) - (1 << 256) % sides
        attempt = 0
        while True:
            text = f"{self.seed}:{self.rolled}:{attempt}".encode()
            number = int.from_bytes(hashlib.sha256(text).digest(), "big")
            if number < fair:
                return Roll(sides, number % sides + 1, why, f"seed {self.seed}, roll {self.rolled}")
            attempt += 1

    def together(self, wants: Sequence[Want]) -> tuple[Roll, ...]:
        """The next dice of the row."""
        return tuple(self.roll(want.sides, want.why) for want in wants)


class TypedDice:
    """What the players rolled, in the order in which the dice are asked for.

    >>> TypedDice([5]).roll(6, "hazard check").value
    5
    """

    def __init__(self, values: Sequence[int] = ()) -> None:
        self.values = tuple(values)
        self.used = 0

    def roll(self, sides: int, why: str) -> Roll:
        """The next typed value; `NeedDice` when there is none."""
        return self.together([Want(sides, why)])[0]

    def together(self, wants: Sequence[Want]) -> tuple[Roll, ...]:
        """The next typed values; `NeedDice` names those that are missing."""
        left = self.values[self.used :]
        if len(left) < len(wants):
            raise NeedDice(self.values, wants[len(left) :])
        rolls = []
        for want, value in zip(wants, left, strict=False):
            _valid(want.sides)
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= want.sides:
                raise TableRefError(
                    f"a D{want.sides} ({want.why}) shows 1 to {want.sides}, "
                    f"but {value!r} was typed; type it again"
                )
            rolls.append(Roll(want.sides, value, want.why, "typed"))
        self.used += len(wants)
        return tuple(rolls)


class LoggedDice(TypedDice):
    """Dice that were rolled before, to do the same again: values and where they came from."""

    def __init__(self, rolls: Sequence[Roll]) -> None:
        super().__init__([roll.value for roll in rolls])
        self.rolls = tuple(rolls)

    def together(self, wants: Sequence[Want]) -> tuple[Roll, ...]:
        """The next of them."""
        first = self.used
        found = super().together(wants)
        sources = [roll.source for roll in self.rolls[first : self.used]]
        return tuple(replace(roll, source=source) for roll, source in zip(found, sources, strict=True))


def _valid(sides: int) -> None:
    if sides < 2:
        raise TableRefError(f"expected a die with 2 sides or more but got {sides}")
