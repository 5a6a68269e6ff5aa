"""The gate that everything about a game leaves by: where the book hides distances, none is told."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeVar

from engine.game.contract import Question
from engine.game.match import Match
from engine.game.records import from_json, to_json
from engine.game.showing import PlayCard, Sheet
from engine.game.viewing import permitted, without_distances
from server.play.messages import Answer, GuideNews, PlayState

Printed = TypeVar("Printed", Sheet, PlayCard)

MEASURES = ("reach", "far reach", "range")
"""Roles of marks that show how far something reaches: on the table they are a ruler."""

NAMES = (
    "key", "kind", "move", "piece", "player", "path", "data", "value", "said", "draft", "seats", "games",
    "game",
)  # fmt: skip
"""Fields that a page sends back as they are, or that somebody typed: nothing measured stands in them."""


def told(message: PlayState | GuideNews | Answer, match: Match[Any] | None) -> str:
    """A message as it leaves for a page, JSON."""
    if match is None or permitted(match.game, match.state, None) is None:
        return message.model_dump_json()
    data = message.model_dump(mode="json")
    guide = data.pop("guide", None)
    data = measured_out(data)
    if "guide" in type(message).model_fields:
        data["guide"] = guide if guide is None or _may_tell(match, guide) else measured_out(guide)
    return json.dumps(data, ensure_ascii=False)


def sheets_told(match: Match[Any], sheets: Sequence[Printed]) -> tuple[Printed, ...]:
    """Record sheets or cards as they leave to be printed."""
    if permitted(match.game, match.state, None) is None:
        return tuple(sheets)
    return tuple(from_json(type(sheet), measured_out(to_json(sheet))) for sheet in sheets)


def _may_tell(match: Match[Any], guide: dict[str, Any]) -> bool:
    """Whether the game lets the length of a move be told: it is asked as about any other question."""
    question = Question(guide["kind"], guide["headline"], (guide["piece"],))
    return permitted(match.game, match.state, question) is None


def measured_out(value: Any) -> Any:
    """The same JSON without a distance: in no words, on no bar, in no mark."""
    if isinstance(value, str):
        return without_distances(value)
    if isinstance(value, list):
        return [measured_out(item) for item in value if not _measures(item)]
    if not isinstance(value, dict):
        return value
    if value.get("measured") is True and "citation" in value:
        return value  # an event: what it tells was measured when the book allowed it
    found = {k: v if k in NAMES else measured_out(v) for k, v in value.items()}
    return found | {"progress": None} if "progress" in found else found


def _measures(item: Any) -> bool:
    return isinstance(item, dict) and item.get("role") in MEASURES
