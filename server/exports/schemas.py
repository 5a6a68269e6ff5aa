"""The shapes of messages in an exported recording, as JSON Schemas.

Those called `foxglove.…` are Foxglove's well-known messages, which Foxglove and Lichtblick know how
to draw by their names; those called `tableref.…` are ours. Lengths in Foxglove's are metres.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]


def _object(fields: dict[str, Schema], title: str | None = None) -> Schema:
    named = {} if title is None else {"title": title}
    return named | {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _one_of(*values: Any) -> Schema:
    return {"enum": list(values)}


_NUMBER: Schema = {"type": "number"}
_WHOLE: Schema = {"type": "integer", "minimum": 0}
_TEXT: Schema = {"type": "string"}
_FLAG: Schema = {"type": "boolean"}
_BYTES: Schema = {"type": "string", "contentEncoding": "base64"}
_TIME = _object({"sec": _WHOLE, "nsec": _WHOLE | {"maximum": 999_999_999}})
_VECTOR = _object({"x": _NUMBER, "y": _NUMBER, "z": _NUMBER})
_TURN = _object({"x": _NUMBER, "y": _NUMBER, "z": _NUMBER, "w": _NUMBER})
_POSE = _object({"position": _VECTOR, "orientation": _TURN})
_COLOUR = _object(dict.fromkeys("rgba", _NUMBER | {"minimum": 0, "maximum": 1}))
_INDICES = _list(_WHOLE)

_LINE = _object(
    {
        "type": _one_of(0, 1, 2),
        "pose": _POSE,
        "thickness": _NUMBER,
        "scale_invariant": _FLAG,
        "points": _list(_VECTOR),
        "color": _COLOUR,
        "colors": _list(_COLOUR),
        "indices": _INDICES,
    }
)
_TRIANGLES = _object(
    {
        "pose": _POSE,
        "points": _list(_VECTOR),
        "color": _COLOUR,
        "colors": _list(_COLOUR),
        "indices": _INDICES,
    }
)
_LABEL = _object(
    {
        "pose": _POSE,
        "billboard": _FLAG,
        "font_size": _NUMBER,
        "scale_invariant": _FLAG,
        "color": _COLOUR,
        "text": _TEXT,
    }
)
_NOTHING: Schema = {"type": "array", "maxItems": 0}
_ENTITY = _object(
    {
        "timestamp": _TIME,
        "frame_id": _TEXT,
        "id": _TEXT,
        "lifetime": _TIME,
        "frame_locked": _FLAG,
        "metadata": _list(_object({"key": _TEXT, "value": _TEXT})),
        "arrows": _NOTHING,
        "cubes": _NOTHING,
        "spheres": _NOTHING,
        "cylinders": _NOTHING,
        "lines": _list(_LINE),
        "triangles": _list(_TRIANGLES),
        "texts": _list(_LABEL),
        "models": _NOTHING,
    }
)
_DELETION = _object({"timestamp": _TIME, "type": _one_of(0, 1), "id": _TEXT})

SCENE = _object({"deletions": _list(_DELETION), "entities": _list(_ENTITY)}, "foxglove.SceneUpdate")

TRANSFORMS = _object(
    {
        "transforms": _list(
            _object(
                {
                    "timestamp": _TIME,
                    "parent_frame_id": _TEXT,
                    "child_frame_id": _TEXT,
                    "translation": _VECTOR,
                    "rotation": _TURN,
                }
            )
        )
    },
    "foxglove.FrameTransforms",
)

_PICTURE = {"timestamp": _TIME, "frame_id": _TEXT, "data": _BYTES}

IMAGE = _object(_PICTURE | {"format": _one_of("jpeg")}, "foxglove.CompressedImage")

VIDEO = _object(_PICTURE | {"format": _one_of("h264")}, "foxglove.CompressedVideo")

LOG = _object(
    {
        "timestamp": _TIME,
        "level": _one_of(0, 1, 2, 3, 4, 5),
        "message": _TEXT,
        "name": _TEXT,
        "file": _TEXT,
        "line": _WHOLE,
    },
    "foxglove.Log",
)

_SOME: Schema = {"type": ["number", "null"]}

RULING = _object(
    {
        "timestamp": _TIME,
        "question": _TEXT,
        "shooter": _TEXT,
        "target": _TEXT,
        "weapon": _TEXT,
        "verdict": _one_of("yes", "no", "too close to call"),
        "checks": _list(
            _object(
                {
                    "name": _TEXT,
                    "role": _one_of("condition", "modifier"),
                    "verdict": _one_of("yes", "no", "too close to call"),
                    "number": _SOME,
                    "limit": _SOME,
                    "margin": _SOME,
                    "sd": _SOME,
                    "p_yes": _SOME,
                    "unit": _TEXT,
                    "words": _TEXT,
                    "citation": _TEXT,
                    "blockers": _list(_TEXT),
                }
            )
        ),
    },
    "tableref.Ruling",
)
"""An answer with every number of it: inches, or degrees where `unit` says so."""

ENTRY = _object(
    {
        "number": _WHOLE,
        "kind": _TEXT,
        "at_s": _NUMBER,
        "source_s": {"type": ["number", "null"]},
        "wall": _TEXT,
        "actor": {"type": ["string", "null"]},
        "words": _TEXT,
        "data": {"type": "object"},
    },
    "tableref.Entry",
)
"""One entry of the record, whole; `at_s` counts seconds from the game's beginning."""
