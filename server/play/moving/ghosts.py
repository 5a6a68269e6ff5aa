"""Where pieces must be put, as a page is told it: outline, nose and the way to turn, in inches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from engine.game.records import to_json
from engine.game.showing import Ghost
from engine.space.geometry import FloatArray, Footprint, Pose, wrap_angle
from engine.space.table import Standing, Status, TableState, key_of
from server.formats import units

TEXTS = frozenset((
    "words", "more", "heading", "heading_more", "leads", "group", "text", "note", "summary", "what", "who"
))  # fmt: skip
"""Fields that people read."""

HOLDS_WORDS = frozenset({str, dict, list})
"""What of JSON holds such fields: numbers, most of it, need no call."""


TURNED = math.radians(5.0)
"""Radians below which no turn is drawn."""

THROUGH = 0.1
"""The share of a ghost that another piece covers before it is told to stand there (house default)."""

STEPS = 24
"""Points of a drawn turn."""


def written(value: Any) -> Any:
    """The same JSON with inches as people write them."""
    if isinstance(value, dict):
        return {k: _written(k, v) if type(v) in HOLDS_WORDS else v for k, v in value.items()}
    if isinstance(value, list):
        return [written(item) if type(item) in HOLDS_WORDS else item for item in value]
    return value


def _written(name: str, value: Any) -> Any:
    if name not in TEXTS:
        return value if type(value) is str else written(value)
    # What each number of a form leads to is a list of texts.
    if type(value) is list:
        return [_written(name, item) for item in value]
    return _retold(value) if type(value) is str else written(value)


@lru_cache(maxsize=8192)
def _retold(words: str) -> str:
    """The same sentences are told again and again, and to everybody."""
    return units.retold(words)


def ghost_views(ghosts: Sequence[Ghost], table: TableState | None) -> list[dict[str, Any]]:
    """Where pieces must be put, each with the outline of its piece there, its nose, and how to turn it.

    `taken_by` names the piece that stands there instead: the shapes of two cars look alike. A shape is not
    drawn through a piece that stands where it belongs.
    """
    standing = {} if table is None else {key_of(s.name): s for s in table.standings}
    astray = {key_of(ghost.piece) for ghost in ghosts if ghost.right is False}
    found = []
    for ghost in ghosts:
        taken = _taken_by(ghost, table)
        # Where another piece has its own place nobody can put one: that shape is not drawn.
        free = taken is None or key_of(taken) in astray or ghost.free >= math.pi
        here = standing.get(key_of(ghost.piece)) if free else None
        found.append({**_view(ghost, here), "taken_by": taken})
    return found


def _taken_by(ghost: Ghost, table: TableState | None) -> str | None:
    """The piece that stands where another one has to."""
    if ghost.pose is None or ghost.right or table is None:
        return None
    mine = key_of(ghost.piece)
    here = next((s for s in table.standings if key_of(s.name) == mine), None)
    if here is None:
        return None
    wanted = here.piece.body.footprint.at(Pose(*ghost.pose)).polygon
    for other in table.standings:
        tall = other.piece.look != "token" and here.piece.look != "token"
        if other is here or not tall or other.status is not Status.STILL or other.piece.follows:
            continue
        if wanted.intersection(other.region.polygon).area > THROUGH * wanted.area:
            return other.name
    return None


def _view(ghost: Ghost, here: Standing | None) -> dict[str, Any]:
    drawn: dict[str, list[Any]] = {"outline": [], "nose": [], "turns": []}
    if ghost.pose is not None and here is not None:
        pose, footprint = Pose(*ghost.pose), here.piece.body.footprint
        drawn["outline"] = _listed(pose.to_table(footprint.outline))
        drawn["nose"] = _listed(pose.to_table(nose_of(footprint)))
        drawn["turns"] = [_listed(turn) for turn in _turns(ghost, pose, here, footprint)]
    return {**written(to_json(ghost)), **drawn}


def nose_of(footprint: Footprint) -> FloatArray:
    """A chevron at the front of a body, (3, 2), in its own frame."""
    outline = footprint.outline
    front, rear = float(outline[:, 0].max()), float(outline[:, 0].min())
    left, right = float(outline[:, 1].max()), float(outline[:, 1].min())
    back = front - (front - rear) / 4
    return np.array([(back, left), (front, (left + right) / 2), (back, right)])


def _turns(ghost: Ghost, pose: Pose, here: Standing, footprint: Footprint) -> list[FloatArray]:
    """Arrows along which its nose is turned: the one way that is meant, or both where players choose."""
    reach = float(np.hypot(*footprint.outline.T).max()) + 0.6
    if ghost.free:
        return [_arrow(pose, pose.heading, way * ghost.free, reach) for way in (1.0, -1.0)]
    left = wrap_angle(pose.heading - here.pose.heading)
    if abs(left) < TURNED:
        return []
    # Half a turn may be either way: the one that the rule names.
    if ghost.turn and abs(left) > math.pi - TURNED:
        left = math.copysign(left, ghost.turn)
    return [_arrow(pose, here.pose.heading, left, reach)]


def _arrow(pose: Pose, heading: float, angle: float, reach: float) -> FloatArray:
    """An arc about a pose from a heading on by an angle, with the strokes of its head."""
    angles = heading + np.linspace(0.0, angle, STEPS)
    arc = np.stack([pose.x + reach * np.cos(angles), pose.y + reach * np.sin(angles)], axis=1)
    tip, along = arc[-1], angles[-1] + math.copysign(math.pi / 2, angle)
    strokes = [tip - 0.7 * np.array([math.cos(along + s), math.sin(along + s)]) for s in (0.5, -0.5)]
    return np.array([*arc, strokes[0], tip, strokes[1]])


def _listed(points: FloatArray) -> list[list[float]]:
    return [[round(float(x), 3), round(float(y), 3)] for x, y in points]
