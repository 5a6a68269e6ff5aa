"""What is kept beside the entries of a game, packed: tracks, deviations, calibrations. Quick to import."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Block:
    """Some seconds of all tracks, packed. Times are the game's own, seconds."""

    number: int
    begins_s: float
    ends_s: float
    data: bytes = field(repr=False)


@dataclass(frozen=True)
class Deviation:
    """How surely one pose is known, packed."""

    number: int
    data: bytes = field(repr=False)


@dataclass(frozen=True)
class Calibration:
    """A lens and a surface from `at_s` on, packed as JSON."""

    number: int
    at_s: float
    data: str


Beside = Block | Deviation | Calibration
"""Everything that is kept beside the entries."""
