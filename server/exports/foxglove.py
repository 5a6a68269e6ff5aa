"""A table and what happened on it as Foxglove's messages: metres, z up, times since 1970.

The frame `table` has its origin at the table's near-left corner, x to the right, y away. Each piece
has a frame of its own by its name, x toward its nose.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from reportlab.lib.colors import getAllNamedColors

from engine.space.geometry import FloatArray, Region
from engine.space.table import Standing, Status, TableState
from server.table.projection import colour_of, multiples, owners_of

Message = dict[str, Any]

METRES_AN_INCH = 0.0254
TABLE = "table"

INFO, WARNING = 2, 3
"""Levels of a log message."""

LINE_STRIP, LINE_LOOP, LINE_LIST = 0, 1, 2

GRID_IN = 6.0
LABEL_IN = 1.1
SURFACE_THICK_IN = 0.5
FADED = {Status.STILL: 1.0, Status.MOVING: 1.0, Status.HELD: 0.4, Status.LOST: 0.15}


def time_of(nanoseconds: int) -> Message:
    """A time, counted from 1970."""
    return {"sec": nanoseconds // 1_000_000_000, "nsec": nanoseconds % 1_000_000_000}


def _vector(x: float, y: float, z: float) -> Message:
    """A place, from inches."""
    return {axis: round(float(v) * METRES_AN_INCH, 6) + 0.0 for axis, v in zip("xyz", (x, y, z), strict=True)}


def _turned(heading: float) -> Message:
    """A turn about the vertical, counter-clockwise from x."""
    return {"x": 0.0, "y": 0.0, "z": round(math.sin(heading / 2), 9), "w": round(math.cos(heading / 2), 9)}


def _pose(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Message:
    return {"position": _vector(x, y, z), "orientation": _turned(0.0)}


def _colour(text: str, alpha: float = 1.0) -> Message:
    """A colour from #rgb, #rrggbb or its name on the web; what is none gives grey."""
    digits = text.removeprefix("#")
    try:
        if not text.startswith("#"):
            r, g, b = getAllNamedColors()[text.casefold()].rgb()
        elif len(digits) == 3:
            r, g, b = (int(d, 16) / 15 for d in digits)
        else:
            r, g, b = (int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4))
    except (KeyError, ValueError):
        r = g = b = 0.5
    return {"r": round(r, 4), "g": round(g, 4), "b": round(b, 4), "a": alpha}


# Where everything stands


def transforms(table: TableState, at_ns: int) -> Message:
    """`foxglove.FrameTransforms`: the frame of every piece that has been seen."""
    return {
        "transforms": [
            {
                "timestamp": time_of(at_ns),
                "parent_frame_id": TABLE,
                "child_frame_id": s.name,
                "translation": _vector(s.pose.x, s.pose.y, 0.0),
                "rotation": _turned(s.pose.heading),
            }
            for s in table.standings
        ]
    }


def scene(table: TableState, at_ns: int, gone: Iterable[str] = ()) -> Message:
    """`foxglove.SceneUpdate`: the surface and every piece, in the pieces' own frames.

    Each is whole, so that a viewer who jumps anywhere needs only the last one before.
    """
    owners = owners_of(table)
    entities = [_surface(table.surface, at_ns)]
    entities += [_piece(s, colour_of(s, owners), at_ns) for s in table.standings]
    deletions = [{"timestamp": time_of(at_ns), "type": 0, "id": name} for name in gone]
    return {"deletions": deletions, "entities": entities}


def _entity(name: str, frame: str, at_ns: int, **parts: list[Message]) -> Message:
    kinds = ("arrows", "cubes", "spheres", "cylinders", "lines", "triangles", "texts", "models")
    return {
        "timestamp": time_of(at_ns),
        "frame_id": frame,
        "id": name,
        "lifetime": time_of(0),
        "frame_locked": True,
        "metadata": parts.get("metadata", []),
    } | {kind: parts.get(kind, []) for kind in kinds}


def _surface(surface: Region, at_ns: int) -> Message:
    x0, y0, x1, y1 = surface.polygon.bounds
    grid = [((x, y0), (x, y1)) for x in multiples(x0, x1, GRID_IN)]
    grid += [((x0, y), (x1, y)) for y in multiples(y0, y1, GRID_IN)]
    ends = [_vector(x, y, 0.01) for pair in grid for x, y in pair]
    edge = [_vector(x, y, 0.01) for x, y in surface.outline]
    lines = [_line(LINE_LOOP, edge, "#e8ece0", 2.0), _line(LINE_LIST, ends, "#5d6b61", 1.0)]
    solid = _solid([surface.outline], -SURFACE_THICK_IN, 0.0, _colour("#33443b"))
    return _entity(TABLE, TABLE, at_ns, lines=lines, triangles=[solid])


def _piece(standing: Standing, colour: str, at_ns: int) -> Message:
    piece, body = standing.piece, standing.piece.body
    alpha = FADED[standing.status]
    solid = _solid(body.footprint.parts, 0.0, max(body.height, 0.05), _colour(colour, alpha))
    label = {
        "pose": _pose(0.0, 0.0, body.height + LABEL_IN),
        "billboard": True,
        "font_size": LABEL_IN * METRES_AN_INCH,
        "scale_invariant": False,
        "color": _colour("#ffffff"),
        "text": piece.name,
    }
    lines = []
    if body.tyres is not None:
        ahead = float(body.footprint.outline[:, 0].max())
        nose = [(0.2 * ahead, 0.3 * body.width), (0.9 * ahead, 0.0), (0.2 * ahead, -0.3 * body.width)]
        lines = [_line(LINE_STRIP, [_vector(x, y, body.height + 0.02) for x, y in nose], "#ffffff", 3.0)]
    known = {"kind": piece.kind, "model": body.model, "owner": piece.owner or "", "status": standing.status}
    told = [{"key": key, "value": str(value)} for key, value in known.items()]
    return _entity(
        piece.name, piece.name, at_ns, lines=lines, triangles=[solid], texts=[label], metadata=told
    )


def _line(kind: int, points: list[Message], colour: str, pixels: float) -> Message:
    return {
        "type": kind,
        "pose": _pose(),
        "thickness": pixels,
        "scale_invariant": True,
        "points": points,
        "color": _colour(colour),
        "colors": [],
        "indices": [],
    }


def _solid(parts: Sequence[FloatArray], low: float, high: float, colour: Message) -> Message:
    """Convex outlines, counter-clockwise, raised from one height to another, as triangles."""
    points: list[Message] = []
    indices: list[int] = []
    for outline in parts:
        n, first = len(outline), len(points)
        ring = np.asarray(outline)
        points += [_vector(x, y, z) for z in (low, high) for x, y in ring]
        for k in range(1, n - 1):
            indices += [first + n, first + n + k, first + n + k + 1, first, first + k + 1, first + k]
        for a in range(n):
            b = (a + 1) % n
            indices += [first + a, first + b, first + n + b, first + a, first + n + b, first + n + a]
    return {"pose": _pose(), "points": points, "color": colour, "colors": [], "indices": indices}


# What was ruled

VERDICTS = {"yes": "#1c9c5a", "no": "#d0392b", "too close to call": "#d9a514"}
RULING_SHOWN_NS = 5_000_000_000
CHECK = ("name", "role", "verdict", "number", "limit", "margin", "sd", "p_yes", "unit", "words", "citation")


def ruling(data: Mapping[str, Any], at_ns: int) -> Message:
    """`tableref.Ruling`, from the data of a recorded ruling (`server.formats.json_records.ruling_record`)."""
    checks = [{key: c[key] for key in CHECK} | {"blockers": list(c["blockers"])} for c in data["checks"]]
    return {
        "timestamp": time_of(at_ns),
        "question": data["question"],
        "shooter": data["from"],
        "target": data["to"],
        "weapon": data["weapon"],
        "verdict": data["verdict"],
        "checks": checks,
    }


def witness(data: Mapping[str, Any], at_ns: int) -> Message:
    """`foxglove.SceneUpdate`: the lines that decided a recorded ruling, for some seconds."""
    lines = [
        _line(LINE_STRIP, [_vector(x, y, 0.1) for x, y in c["line"]], VERDICTS[c["verdict"]], 4.0)
        for c in data["checks"]
        if c["line"] is not None and c["role"] == "condition"
    ]
    entity = _entity("ruling", TABLE, at_ns, lines=lines)
    return {"deletions": [], "entities": [entity | {"lifetime": time_of(RULING_SHOWN_NS)}]}


# What was seen and what happened


def picture(jpeg: bytes, at_ns: int) -> Message:
    """`foxglove.CompressedImage`."""
    return _camera(jpeg, at_ns, "jpeg")


def video(unit: bytes, at_ns: int) -> Message:
    """`foxglove.CompressedVideo`: one picture of an H.264 stream (Annex B)."""
    return _camera(unit, at_ns, "h264")


def _camera(data: bytes, at_ns: int, kind: str) -> Message:
    coded = base64.b64encode(data).decode("ascii")
    return {"timestamp": time_of(at_ns), "frame_id": "camera", "data": coded, "format": kind}


def told(words: str, kind: str, number: int, at_ns: int, level: int = INFO) -> Message:
    """`foxglove.Log`: one entry in words; its number stands where a program's line would."""
    return {
        "timestamp": time_of(at_ns),
        "level": level,
        "message": words,
        "name": kind,
        "file": "",
        "line": number,
    }
