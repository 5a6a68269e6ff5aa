"""Chance, handed in: dice rolled here from a logged seed, or by the players and typed in."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Protocol

from engine.errors import TableRefError
from engine.game.events import PLAYERS, Event, Illegal, Reason


@dataclass(frozen=True, slots=True)
class Want:
    """A die that is to be rolled: its sides, and what for in words for people.

    `faces` are what its sides show where that is not 1, 2, 3 …, such as icons. `by` is who rolls it.
    `counts` says what each side counts as, where nothing else of it matters in this roll: players may type
    that instead.
    """

    sides: int
    why: str
    faces: tuple[str, ...] = ()
    by: str | None = None
    counts: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What people call the die: "a D6", or its faces."""
        return f"one of {', '.join(dict.fromkeys(self.faces))}" if self.faces else f"a D{self.sides}"


def icons(faces: Sequence[str], why: str, by: str | None = None, counts: Sequence[str] = ()) -> Want:
    """A die with these faces, each as often as it is on the die, and what they count as.

    >>> icons(("miss", "miss", "hit"), "ram").sides
    3
    """
    return Want(len(faces), why, tuple(faces), by, tuple(counts))


@dataclass(frozen=True, slots=True)
class Roll:
    """A die that lies on the table. `source` says whose it is: `seed 7, roll 12` or `typed`.

    `value` is the side that is up, from 1 on; `face` what it shows where that is no number. Where only what
    the die counts as was typed, that is its `face`, and `value` is 0: nobody said which side is up.
    """

    sides: int
    value: int
    why: str
    source: str
    face: str = ""
    by: str | None = None

    @property
    def shows(self) -> str:
        """What the die shows, in words."""
        return self.face or str(self.value)


_MODIFIED = re.compile(r", at [−+]\d+ \([^)]*\)")


def meant_for(why: str) -> str:
    """What a die is for, without what modifies it: that may be said otherwise once the die lies there.

    >>> meant_for("Red 1: Move, 3+, at −1 (in the dust)"), meant_for("Red 1: Move, 3+")
    ('Red 1: Move, 3+', 'Red 1: Move, 3+')
    """
    return _MODIFIED.sub("", why)


class NeedDice(TableRefError):
    """The players have to roll more dice and type what they show.

    `given` are the values that were used so far, `wanted` the dice to roll now, in this order. Do the
    action again with all of them: nothing has happened yet.
    """

    def __init__(self, given: Sequence[int | str], wanted: Sequence[Want]) -> None:
        dice = ", ".join(f"{want.name} ({want.why})" for want in wanted)
        super().__init__(f"roll {dice} and type what the dice show")
        self.given = tuple(given)
        self.wanted = tuple(wanted)


class Dice(Protocol):
    """Where a game's chance comes from."""

    def roll(self, sides: int, why: str) -> Roll:
        """One die."""

    def together(self, wants: Sequence[Want]) -> tuple[Roll, ...]:
        """Dice that are rolled at once, so that all are known before any of them counts."""


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
        return self._roll(Want(sides, why))

    def _roll(self, want: Want) -> Roll:
        sides = _valid(want).sides
        self.rolled += 1
        fair = (1 << 256) - (1 << 256) % sides
        attempt = 0
        while True:
            text = f"{self.seed}:{self.rolled}:{attempt}".encode()
            number = int.from_bytes(hashlib.sha256(text).digest(), "big")
            if number < fair:
                return _lies(want, number % sides + 1, f"seed {self.seed}, roll {self.rolled}")
            attempt += 1

    def together(self, wants: Sequence[Want]) -> tuple[Roll, ...]:
        """The next dice of the row."""
        return tuple(map(self._roll, wants))


class TypedDice:
    """What the players rolled, in the order in which the dice are asked for: sides by number or by face.

    >>> TypedDice([5]).roll(6, "to hit").value
    5
    >>> TypedDice(["Hit"]).together([icons(("miss", "hit"), "ram")])[0].value
    2
    >>> damage = icons("0123", "damage", counts=("0 or 1", "0 or 1", "2 or 3", "2 or 3"))
    >>> [(roll.value, roll.shows) for roll in TypedDice(["3", "2 or 3"]).together([damage] * 2)]
    [(4, '3'), (0, '2 or 3')]
    """

    def __init__(self, values: Sequence[int | str] = ()) -> None:
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
        rolls = [_typed(want, value) for want, value in zip(wants, left, strict=False)]
        self.used += len(wants)
        return tuple(rolls)


class LoggedDice(TypedDice):
    """Dice that were rolled before, to do the same again: values and where they came from."""

    def __init__(self, rolls: Sequence[Roll]) -> None:
        super().__init__([roll.value or roll.face for roll in rolls])
        self.rolls = tuple(rolls)

    def together(self, wants: Sequence[Want]) -> tuple[Roll, ...]:
        """The next of them."""
        first = self.used
        found = super().together(wants)
        sources = [roll.source for roll in self.rolls[first : self.used]]
        return tuple(replace(roll, source=source) for roll, source in zip(found, sources, strict=True))


class FallenDice:
    """Dice that stay fallen: what was rolled before for the same reason lies as it fell, the rest is rolled.

    So whoever takes an action back and does it again has the same dice.
    """

    def __init__(self, fallen: Iterable[Roll], others: Dice) -> None:
        self._fallen = list(fallen)
        self._others = others
        self._lay: list[Roll] = []

    def roll(self, sides: int, why: str) -> Roll:
        """One die."""
        return self.together([Want(sides, why)])[0]

    def together(self, wants: Sequence[Want]) -> tuple[Roll, ...]:
        """Dice at once; those that have not fallen yet are rolled together."""
        lying = {k: roll for k, want in enumerate(wants) if (roll := self._take(want)) is not None}
        rolled = iter(self._others.together([w for k, w in enumerate(wants) if k not in lying]))
        self._lay += lying.values()
        return tuple(lying[k] if k in lying else next(rolled) for k in range(len(wants)))

    def check_typed(self) -> None:
        """That nothing was typed for a die that lies already, or for none at all; `Illegal` names it."""
        others = self._others
        left = others.values[others.used :] if isinstance(others, TypedDice) else ()
        if left and self._lay:
            dice = lying_words(self._lay)
            words = (
                f"{', '.join(map(str, left))} was typed, but the die that fell before the undo stays "
                f"({dice}); leave it out, or say first that it was mistyped"
            )
            raise Illegal([Reason(words, PLAYERS)])
        if left:
            words = f"{', '.join(map(str, left))} was typed, but no die is rolled for it; leave it out"
            raise Illegal([Reason(words, PLAYERS)])

    def _take(self, want: Want) -> Roll | None:
        for roll in self._fallen:
            if (roll.sides, meant_for(roll.why), roll.by) == (want.sides, meant_for(want.why), want.by):
                self._fallen.remove(roll)
                return replace(roll, why=want.why)
        return None


# Dice in the log

ROLLED = ("roll", "rolls")
"""The kinds of event that tell dice: one, or several that count together, shown side by side."""


def roll_event(rolls: Sequence[Roll], citation: str, pieces: tuple[str, ...] = (), **more: Any) -> Event:
    """What the dice show; `more` goes into the event's data. Players cannot undo a die that fell here."""
    barrier = any(roll.source != "typed" for roll in rolls)
    if len(rolls) == 1:
        (roll,) = rolls
        die = "the die" if roll.face else f"D{roll.sides}"
        words = f"{roll.why}: {die} shows {roll.shows}"
        return Event("roll", _told(roll) | more, words, citation, pieces, "dice", barrier=barrier)
    data = {"dice": [_told(roll) for roll in rolls]} | more
    return Event("rolls", data, dice_words(rolls), citation, pieces, "dice", barrier=barrier)


def dice_words(rolls: Sequence[Roll]) -> str:
    """What several dice are for, and what each shows: with who rolls it, for "Red 2" may be a vehicle, too.

    >>> dice = [Roll(6, value, "who goes first", "typed", by=by) for value, by in ((2, "Red"), (4, "Blue"))]
    >>> dice_words(dice)
    'who goes first: Red rolls 2, Blue rolls 4'
    >>> dice_words([Roll(8, value, "damage", "typed", by="Red") for value in (1, 8, 1)])
    'damage: Red rolls 1, 8 and 1'
    >>> dice_words([Roll(6, 3, "Ram, at −1 (veers into it)", "typed", by="Red"), Roll(6, 5, "Ram", "typed")])
    'Ram: Red rolls 3 at −1 (veers into it), 5'
    >>> dice_words([Roll(6, 3, f"{who} clings", "typed", by="Red") for who in ("Ann", "Bob")])
    'Ann clings: Red rolls 3; Bob clings: Red rolls 3'
    """
    throws = _throws(rolls)
    one = min((roll.why for roll in rolls), key=len)
    if not all(roll.why.startswith(one) for roll in rolls):
        return "; ".join(f"{some[0].why}: {_thrown(some)}" for some in throws)
    each = (_thrown(some) + some[0].why.removeprefix(one).removeprefix(",") for some in throws)
    return f"{one}: {', '.join(each)}"


def lying_words(rolls: Sequence[Roll]) -> str:
    """Dice that lie there already, with what for; those of one throw together.

    >>> lying_words([Roll(8, value, "damage", "typed", by="Red") for value in (1, 8)])
    'damage: 1 and 8'
    """
    return "; ".join(f"{some[0].why}: {_faces(some)}" for some in _throws(rolls))


def _throws(rolls: Sequence[Roll]) -> list[list[Roll]]:
    """The dice that somebody rolls together for one thing."""
    return [list(some) for _, some in groupby(rolls, key=lambda roll: (roll.why, roll.by))]


def _thrown(rolls: Sequence[Roll]) -> str:
    return f"{rolls[0].by} rolls {_faces(rolls)}" if rolls[0].by else _faces(rolls)


def _faces(rolls: Sequence[Roll]) -> str:
    *others, last = (roll.shows for roll in rolls)
    return f"{', '.join(others)} and {last}" if others else last


def rolls_of(events: Iterable[Event]) -> tuple[Roll, ...]:
    """The dice that these events tell, in order."""
    told = [e.data["dice"] if e.kind == "rolls" else (e.data,) for e in events if e.kind in ROLLED]
    return tuple(
        Roll(d["sides"], d["value"], d["why"], d["source"], d.get("face", ""), d.get("by"))
        for dice in told
        for d in dice
    )


def _told(roll: Roll) -> dict[str, Any]:
    data = {"sides": roll.sides, "value": roll.value, "why": roll.why, "source": roll.source}
    return data | ({"face": roll.face} if roll.face else {}) | ({"by": roll.by} if roll.by else {})


def _lies(want: Want, value: int, source: str) -> Roll:
    return Roll(want.sides, value, want.why, source, want.faces[value - 1] if want.faces else "", want.by)


def _typed(want: Want, value: Any) -> Roll:
    """The die as it was typed: by its side's number, by its face, or by what that counts as."""
    _valid(want)
    if isinstance(value, str):
        shown = value.strip().casefold()
        faces = [face.casefold() for face in want.faces]
        counts = {words.casefold(): words for words in want.counts}
        if shown not in faces and shown in counts:
            return Roll(want.sides, 0, want.why, "typed", counts[shown], want.by)
        value = faces.index(shown) + 1 if shown in faces else value
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= want.sides:
        known = ", ".join(want.faces) or f"1 to {want.sides}"
        raise TableRefError(f"{want.name} ({want.why}) shows {known}, but {value!r} was typed; type it again")
    return _lies(want, value, "typed")


def _valid(want: Want) -> Want:
    named = (want.faces, want.counts)
    if want.sides < 2 or any(words and len(words) != want.sides for words in named):
        raise TableRefError(f"expected a die with 2 sides or more, each with its face, but got {want}")
    return want
