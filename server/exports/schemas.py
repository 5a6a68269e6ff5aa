"""The messages of an exported recording for which Foxglove has none, as JSON with their JSON Schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server.table.records import asked_of

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
_TIME = _object({"sec": _WHOLE, "nsec": _WHOLE | {"maximum": 999_999_999}})
_SOME: Schema = {"type": ["number", "null"]}

RULING = _object(
    {
        "timestamp": _TIME,
        "question": _TEXT,
        "pieces": _list(_TEXT),
        "label": _TEXT,
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


def ruling(data: Mapping[str, Any], at_ns: int) -> dict[str, Any]:
    """The data of a recorded ruling (`server.table.records.ruling_record`) as `RULING` has it."""
    asked = asked_of(data)
    shape = RULING["properties"]["checks"]["items"]["properties"]
    return {
        "timestamp": {"sec": at_ns // 1_000_000_000, "nsec": at_ns % 1_000_000_000},
        "question": data["question"],
        "pieces": list(asked.pieces),
        "label": asked.label,
        "verdict": data["verdict"],
        "checks": [{name: check[name] for name in shape} for check in data["checks"]],
    }
