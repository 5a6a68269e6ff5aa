"""What a Control roll comes to: cards discard, pairs cancel, the most frequent icons take effect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from engine.games.frothy_races.book.data import ICONS, LEFT, PAIRS, RIGHT
from engine.ruling import many


class Outcome(NamedTuple):
    """What is left: each icon that takes effect with how often it shows, and the pairs that cancelled."""

    discarded: tuple[str, ...]
    effects: tuple[tuple[str, int], ...]
    spins: int
    paces: int

    @property
    def failed(self) -> bool:
        """Whether control was lost."""
        return bool(self.effects)

    def of(self, icon: str) -> int:
        """How many icons of a kind take effect."""
        return dict(self.effects).get(icon, 0)

    @property
    def words(self) -> str:
        """In words: the effects, and what the pairs cost."""
        found = [f"{icon}{f' × {n}' if n > 1 else ''}" for icon, n in self.effects] or ["in control"]
        if self.spins:
            found.append(f"{many(self.spins, 'pair')} of Spins")
        if self.paces:
            found.append(f"{many(self.paces, 'pair')} of Slow and Haste")
        return ", ".join(found)


def outcome(icons: Sequence[str], discarded: Sequence[str] = (), *, pairs_first: bool = False) -> Outcome:
    """What the icons come to when these are discarded; with `pairs_first` of those that did not cancel.

    >>> outcome(["Left Spin", "Left Spin", "Slow", "Slide"]).effects
    (('Left Spin', 2),)
    """
    left = Counter(icons)
    cancelled = [0, 0]
    if pairs_first:
        cancelled = _cancel(left)
    left.subtract(discarded)
    if not pairs_first:
        cancelled = _cancel(left)
    most = max((left[i] for i in ICONS), default=0)
    effects = tuple((i, left[i]) for i in ICONS if most and left[i] == most)
    return Outcome(tuple(discarded), effects, cancelled[0], cancelled[1])


def _cancel(left: Counter[str]) -> list[int]:
    found = []
    for one, other in PAIRS:
        pairs = max(min(left[one], left[other]), 0)
        left[one] -= pairs
        left[other] -= pairs
        found.append(pairs)
    return found


def outcomes(
    icons: Sequence[str], most: int, *, pairs_first: bool = False, whole: bool = False
) -> tuple[Outcome, ...]:
    """Every different outcome of discarding up to `most` dice, fewest discarded first.

    `whole`: instead all dice of any one icon may be discarded.
    """
    there = Counter(icons)
    if pairs_first:
        _cancel(there)
    found: dict[tuple[object, ...], Outcome] = {}
    for discarded in _discards(there, most, whole=whole):
        one = outcome(icons, discarded, pairs_first=pairs_first)
        found.setdefault((one.effects, one.spins, one.paces), one)
    return tuple(found.values())


def _discards(there: Counter[str], most: int, *, whole: bool) -> Iterator[tuple[str, ...]]:
    dice = sorted(there.elements(), key=ICONS.index)
    seen = set()
    for count in range(min(most, len(dice)) + 1):
        for pick in combinations(dice, count):
            if pick not in seen:
                seen.add(pick)
                yield pick
    if whole:
        for icon, count in there.items():
            yield (icon,) * count


def spin_of(effects: Outcome) -> int:
    """By how many steps of 30° it spins: left is above 0."""
    return bool(effects.of(LEFT)) - bool(effects.of(RIGHT))
