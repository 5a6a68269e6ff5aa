"""The one gate by which everything about a table leaves: where the book hides distances, none is told.

The ways out, each with what of it passes here:

=====================================  =============================================================
`/ws`, `/api/state`, `/ws/replay`      `table_of`, `scrubbed`: poses as a drawing has them, no coordinates in
                                       words, no grid, no bar, no length of a way
`/ws/play`                             `as_sent`: words, bars, marks, ghosts; a move's length, and what
                                       follows from it, to its mover; what is proposed, to who has to agree
`/api/ruling`, `/api/questions`,       `server.table.questions.rulings`: only what the game lets be measured
`/api/gunner.svg`, sights of a replay
`/ws/tuio`, TUIO (OSC) over UDP        `table_of`
record sheets and cards on paper       `sheets_told`
disputes: what is frozen, its plan     `scrubbed`, `table_of`, no bar; of a move that the game has not
                                       taken `ruling_of`; files wait until the game is over
`/api/setup`: tags in the picture      `pictured`: as a drawing has them, pixels
exports, reports, disputes' files,     `refuse_running`: not of a game that goes on
the coach, in play and of a replay
=====================================  =============================================================
"""

from __future__ import annotations

import json
import logging
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeVar

from engine.errors import TableRefError
from engine.game.contract import Game, Question
from engine.game.match import Match
from engine.game.records import from_json, to_json
from engine.game.registry import STUMBLES
from engine.game.showing import PlayCard, Sheet
from engine.game.viewing import permitted, without_distances
from engine.space.geometry import Pose, Region
from engine.space.table import PoseUncertainty, Standing, TableState, key_of
from server.web.messages import Model

log = logging.getLogger("tableref.gate")

Printed = TypeVar("Printed", Sheet, PlayCard)
Told = TypeVar("Told", bound=Model)

CERTAIN = {"yes": 1.0, "no": 0.0}
"""How probable a yes is, as far as a verdict tells it."""

DRAWN, DRAWN_TURN = 0.125, math.radians(2.0)
"""Inches and radians of a drawing: where distances are hidden, no place is told finer (house default).

An eighth of an inch is two pixels of a table of four feet on a page.
"""

MEASURES = ("reach", "far reach", "range")
"""Roles of marks that show how far something reaches: on the table they are a ruler."""

PLACES = ("points", "outline", "nose", "turns")
"""Fields that hold points on the table, inches."""

LENGTH = re.compile(r"\d\s*(?:in|inch|cm|mm)\b|\d\s*[″\"]|\ban inch\b")
"""Words that tell a length, be it in whole inches."""

SPREAD = re.compile(r",?\s*±\s*(?:\d+(?:[.,]\d+)?(?:\s*(?:in|cm|mm)\b)?|…)")
"""How surely something was measured."""

PLAIN = frozenset({int, float, bool, type(None)})
"""What of JSON holds no words and no places."""

NAMES = frozenset((
    "key", "kind", "move", "piece", "player", "path", "data", "value", "said", "draft", "seats", "games",
    "game",
))  # fmt: skip
"""Fields that a page sends back as they are, or that somebody typed: nothing measured stands in them."""


class StillHidden(TableRefError):
    """Something that holds distances and is not given away while the game goes on."""


def hides(game: Game[Any], state: Any | None) -> bool:
    """Whether a match is on whose book hides distances; so it is taken where the game does not say."""
    return _forbids(game, state, None)


def _forbids(game: Game[Any], state: Any | None, question: Question | None) -> bool:
    """Whether this may not be told now; what stumbles over that lets nothing out."""
    try:
        return permitted(game, state, question) is not None
    except STUMBLES:
        log.exception("%s does not say what may be told", game.about.title)
        return True


# Where things stand


def pose_of(pose: Pose) -> Pose:
    """A pose as a drawing has it."""
    x, y = _step(pose.x, DRAWN), _step(pose.y, DRAWN)
    return Pose(x, y, _step(pose.heading, DRAWN_TURN))


def table_of(table: TableState) -> TableState:
    """A table as a drawing has it: every pose to the drawing's resolution, and known no better."""
    standings = tuple(map(_standing, table.standings))
    things = tuple(replace(t, region=_region(t.region)) for t in table.things)
    hideouts = tuple(replace(h, region=_region(h.region)) for h in table.hideouts)
    return replace(table, standings=standings, things=things, hideouts=hideouts)


def _region(region: Region) -> Region:
    return Region(points_of(region.outline.tolist()))


@lru_cache(maxsize=512)
def _standing(standing: Standing) -> Standing:
    known = PoseUncertainty.isotropic(DRAWN / 2, DRAWN_TURN / 2)
    return replace(standing, pose=pose_of(standing.pose), uncertainty=known)


def points_of(value: Any) -> Any:
    """Points on the table, however deep they are listed, as a drawing has them."""
    return [points_of(inner) for inner in value] if isinstance(value, list | tuple) else _step(value, DRAWN)


def pictured(outline: Sequence[tuple[float, float]], px_per_in: float) -> list[tuple[float, float]]:
    """An outline in a picture as a drawing has it, in whole pixels.

    >>> pictured([(100.4, 50.3), (118.6, 50.3), (118.6, 68.4), (100.4, 68.4)], 20.0)
    [(101.0, 51.0), (119.0, 51.0), (119.0, 69.0), (101.0, 69.0)]
    """
    if not outline:
        return []
    step = DRAWN * px_per_in
    x, y = (sum(p[k] for p in outline) / len(outline) for k in (0, 1))
    right, down = _step(x, step) - x, _step(y, step) - y
    return [(float(round(one + right)), float(round(two + down))) for one, two in outline]


def _step(value: float, step: float) -> float:
    return round(round(float(value) / step) * step, 4) + 0.0


# What is said


def scrubbed(words: str, hidden: bool) -> str:
    """A sentence, without the distances in it where they are hidden."""
    return without_distances(words) if hidden else words


def unmeasured(words: str) -> str:
    """A sentence without what was measured, nor how surely.

    >>> unmeasured("8.99 in of 12 to 14, ±0.04")
    '… of 12 to 14'
    """
    return SPREAD.sub("", _scrubbed(words))


def ruling_of(ruling: Told) -> Told:
    """A ruling for who may not read what it measured: verdicts, words and sections, and no figure."""
    data = measured_out(ruling.model_dump())
    said, checks = unmeasured(data["sentence"]), [_without_figures(check) for check in data["checks"]]
    return type(ruling).model_validate(data | {"sentence": said, "checks": checks, "lines": []})


def _without_figures(check: dict[str, Any]) -> dict[str, Any]:
    figures = dict.fromkeys(("number", "limit", "margin", "sd"))
    words = {name: "" for name in check if name.endswith("_words") and name != "verdict_words"}
    told = {"words": unmeasured(check["words"]), "p_yes": CERTAIN.get(check["verdict"], 0.5)}
    return check | figures | words | told


def as_sent(
    message: Model, match: Match[Any] | None, about: Question | None = None, *, mover: bool = True
) -> str:
    """A message as it leaves for a page of the game, JSON.

    An answer to somebody is about what they asked; the length of a move is the mover's to read.
    """
    if not hidden_from_pages(match):
        return message.model_dump_json()
    assert match is not None
    if about is not None and not _forbids(match.game, match.state, about):
        return message.model_dump_json()
    data = message.model_dump(mode="json")
    guide = data.pop("guide", None)
    data = measured_out(data)
    if "guide" in type(message).model_fields:
        data["guide"] = guide if guide is None else _guide(match, guide, mover=mover)
    return json.dumps(data, ensure_ascii=False)


def hidden_from_pages(match: Match[Any] | None) -> bool:
    """Whether a match is on whose book hides distances."""
    return match is not None and hides(match.game, match.state)


def state_without_guide(state: Model, match: Match[Any] | None) -> str:
    """The state of a page of the game as it leaves, JSON, but for the screen of whoever moves a piece."""
    if not hidden_from_pages(match):
        return state.model_dump_json(exclude={"guide"})
    data = state.model_dump(mode="json", exclude={"guide"})
    told = measured_out(data)
    for one, scrubbed_one in zip(_proposals(data), _proposals(told), strict=True):
        if _agreed_to(match, one):
            scrubbed_one.update(one)
    return json.dumps(told, ensure_ascii=False)


def _proposals(state: dict[str, Any]) -> list[dict[str, Any]]:
    return (state.get("match") or {}).get("proposals") or []


def _agreed_to(match: Match[Any] | None, proposal: dict[str, Any]) -> bool:
    """Whether who looks has to agree to a proposal, or made it, and its deed rests on what may be measured.

    That a piece stays where a hand has put it rests on nothing that may: it would be a tape.
    """
    if match is None or not (proposal["mine"] or proposal["own"]):
        return False
    question = asked_about(match, proposal["kind"], ())
    return question is not None and not _forbids(match.game, match.state, question)


def state_with_guide(text: str, guide: Model | None, match: Match[Any] | None, *, mover: bool) -> str:
    """What `state_without_guide` gave, with that screen; the length of a move is the mover's to read."""
    if guide is None or match is None or not hidden_from_pages(match):
        told = "null" if guide is None else guide.model_dump_json()
    else:
        told = json.dumps(_guide(match, guide.model_dump(mode="json"), mover=mover), ensure_ascii=False)
    return f'{text[:-1]},"guide":{told}}}'


def _guide(match: Match[Any], guide: dict[str, Any], *, mover: bool) -> dict[str, Any]:
    """The screen of whoever moves a piece: its own length, where the game lets that be told, to its mover."""
    question = Question(guide["kind"], guide["headline"], (guide["piece"],))
    if mover and not _forbids(match.game, match.state, question):
        marks = [mark | {"points": points_of(mark["points"])} for mark in guide["marks"]]
        return guide | {"marks": marks}
    found: dict[str, Any] = measured_out(guide)
    reasons = [reason | {"words": unmeasured(reason["words"])} for reason in guide["reasons"]]
    # What a length leads to tells the length: the roll that braking here would take.
    facts = [fact for fact in guide["facts"] if not LENGTH.search(fact)]
    return found | {"facts": facts, "reasons": reasons}


def sheets_told(match: Match[Any], sheets: Sequence[Printed]) -> tuple[Printed, ...]:
    """Record sheets or cards as they leave to be printed."""
    if not hides(match.game, match.state):
        return tuple(sheets)
    return tuple(from_json(type(sheet), measured_out(to_json(sheet))) for sheet in sheets)


def measured_out(value: Any) -> Any:
    """The same JSON without a distance: in no words, on no bar, in no mark; places as they are drawn."""
    if isinstance(value, str):
        return _scrubbed(value)
    if isinstance(value, list):
        return [item if type(item) in PLAIN else measured_out(item) for item in value if not _measures(item)]
    if not isinstance(value, dict):
        return value
    if value.get("measured") is not None and "citation" in value:
        return value  # an event of a taken move or a declared attack: what it tells may be told since
    found = {name: inner if type(inner) in PLAIN else _field(name, inner) for name, inner in value.items()}
    return found | {"progress": None} if "progress" in found else found


@lru_cache(maxsize=8192)
def _scrubbed(words: str) -> str:
    """The same sentences are told again and again, and to everybody."""
    return without_distances(words)


def _field(name: str, value: Any) -> Any:
    if name in NAMES:
        return value
    if name in PLACES and isinstance(value, list):
        return points_of(value)
    if name == "pose" and isinstance(value, list) and len(value) == 3:
        pose = pose_of(Pose(*value))
        return [pose.x, pose.y, pose.heading]
    return measured_out(value)


def _measures(item: Any) -> bool:
    return isinstance(item, dict) and item.get("role") in MEASURES


def asked_about(match: Match[Any] | None, kind: str, pieces: Sequence[str]) -> Question | None:
    """What an action of that kind rests on, as a question: a move of a piece, or what its option asks."""
    if match is None:
        return None
    named = {key_of(name) for name in pieces}
    for awaited in match.game.awaits(match.state):
        if awaited.kind == kind and (not named or key_of(awaited.piece) in named):
            return Question(kind, awaited.piece, (awaited.piece,))
    return next((o.question for o in match.options() if o.kind == kind and o.question is not None), None)


# What waits until the game is over


def refuse_running(hidden: bool, what: str) -> None:
    """Raises `StillHidden` for what would tell distances of a game that goes on."""
    if hidden:
        raise StillHidden(f"the book hides distances while the game goes on: {what} is given once it is over")
