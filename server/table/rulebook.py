"""What the page may ask of a rule book: its weapons, how far they reach, and a ruling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.games.white_line_fever.shooting import rule_shot
from engine.games.white_line_fever.weapons import BOOK, WEAPONS
from engine.ruling import Ruling
from engine.space.table import TableState


@dataclass(frozen=True)
class Weapon:
    """A weapon that is aimed. Ranges in inches; `special` in the book's sense, for people."""

    name: str
    kind: str
    short: float
    maximum: float
    special: str = ""
    all_round: bool = False


class Rulebook(Protocol):
    """The questions that the page asks of a game."""

    name: str
    usual: str
    """The weapon that is meant when none is named."""

    def weapons(self) -> Sequence[Weapon]:
        """Every weapon that is aimed, in the book's order."""
        ...

    def rule(self, table: TableState, shooter: str, target: str, weapon: str) -> Ruling:
        """May `shooter` fire `weapon` at `target`? A clear error for names nobody knows."""
        ...


class WhiteLineFever:
    """Shooting in White Line Fever.

    >>> book = WhiteLineFever()
    >>> [w.maximum for w in book.weapons() if w.name == book.usual]
    [20]
    """

    name = BOOK
    usual = "Machine Gun"

    def weapons(self) -> list[Weapon]:
        """Every weapon with a range; what is dropped behind the car is not aimed."""
        return [
            Weapon(w.name, w.hardpoint, w.short, w.maximum, w.special, w.all_round)
            for w in WEAPONS.values()
            if w.short is not None and w.maximum is not None
        ]

    def rule(self, table: TableState, shooter: str, target: str, weapon: str) -> Ruling:
        """The book's answer."""
        return rule_shot(table, shooter, target, weapon)
