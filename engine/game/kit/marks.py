"""Draws on the table what every game draws: outlines of pieces, areas, the way of a move."""

from __future__ import annotations

import numpy as np

from engine.game.showing import Mark, Points, Role
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
