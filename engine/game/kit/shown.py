"""What every game shows alike: outlines, areas and ways on the table, and what has become of a piece."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from engine.game.forms import Candidate, PickPieces
from engine.game.showing import Mark, Points, Role, Words
from engine.motion.moves import Move
from engine.space.geometry import FloatArray, Pose
from engine.space.table import Standing


def points(places: FloatArray, digits: int = 2) -> Points:
    """Places (n, 2) on the table, rounded for a page."""
    return tuple((round(float(x), digits), round(float(y), digits)) for x, y in places)


def polygon(role: Role, ring: FloatArray, piece: str, words: str = "") -> Mark:
    """The area within a ring of places (n, 2)."""
    return Mark("polygon", role, points(ring), words, piece=piece)


def outline(role: Role, standing: Standing, pose: Pose) -> Mark:
    """A piece where it stood, or where it should stand."""
    return polygon(role, pose.to_table(standing.piece.body.footprint.outline), standing.name)


def way(move: Move) -> list[Mark]:
    """Where a piece stood, and the way of the middle of its front, where the ruler is held."""
    start = outline("start", move.after, move.start.pose)
    ring = move.after.piece.body.footprint.outline
    front = np.array([float(ring[:, 0].max()), float((ring[:, 1].min() + ring[:, 1].max()) / 2)])
    places = points(np.array([p.to_table(front) for p in (move.start.pose, *move.poses)]).reshape(-1, 2))
    return [start, Mark("line", "path", places, piece=move.piece)] if len(places) > 1 else [start]


def fate(now: str, choices: Mapping[Any, str], path: tuple[str | int, ...]) -> Words:
    """What has become of a piece, to be overruled on its card: each value of the field at `path` in words."""
    found = tuple(Candidate(value, words) for value, words in choices.items())
    return Words(words="It is", text=now, choices=found, path=path)


def reached(sure: Collection[str], doubtful: Collection[str], there: Collection[str]) -> PickPieces:
    """Asks whom an explosion reaches, of those who are there: surely, or perhaps."""
    names = [name for name in dict.fromkeys([*sure, *doubtful]) if name in there]
    return PickPieces(
        words="These cars",
        candidates=tuple(Candidate(n, n, "surely" if n in sure else "perhaps") for n in names),
        usual=[n for n in names if n in sure],
    )
