"""What is held after every act against what is known outside the product."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic_core import from_json

from engine.game.log.places import AWAY, TURNED
from engine.space.geometry import wrap_angle
from server.table.gate import hides
from server.web.authentication import Identity
from tests.evening.hidden import no_ruler
from tests.evening.house import House, Violation
from tests.evening.truth import no_lies

AT_ONCE = 0.001
"""Seconds within which two things happen at once."""

EVERY = 6
"""Acts after which all is held again though nothing seems to have changed."""

LOOKS = 40
"""Earlier times that are kept to be looked at again."""


@dataclass
class Known:
    """What an evening has heard so far."""

    complaints: list[str] = field(default_factory=list)
    held: int = 0
    """Batches that were held against the truth."""
    shown: list[tuple[float, dict[str, Any]]] = field(default_factory=list)
    """What the pages showed at which time of the game, seconds: status and sheets."""
    looked: Any = None
    """What stood when the replay and the outlets were held last: what has not changed is not held again."""
    acts: int = 0
    unsaved: bool = False
    """Whether the program was killed while the disk was full."""


def watch_all(at: House, known: Known) -> None:
    """Hold everything that is checked after every act."""
    if known.complaints:
        raise Violation("a warning in the log", known.complaints[0][-900:])
    match = at.served.match.match
    if match is None:
        known.held = 0
        return
    if known.unsaved:
        # What waits for room on the disk is in the record once the program is begun again.
        known.unsaved = False
        return
    shown = at.shown(at.spectator)
    known.acts += 1
    stands = _stands(at, shown)
    changed = stands != known.looked or known.acts % EVERY == 0
    known.looked = stands
    if changed:
        replayed(at, shown)
    remembered(at, known, shown)
    no_lies(at, match, min(known.held, match.count))
    known.held = match.count
    strayed(at)
    if changed:
        sealed(at)
    if changed and hides(match.game, match.state):
        no_ruler(at, known.acts)


def _stands(at: House, shown: Mapping[str, Any]) -> Any:
    """Give all that can have changed since the last act: the record, the table, what the pages show."""
    host, hands = at.served.match, at.hands
    assert host.match is not None
    return (
        at.game_id, host.match.count, len(host.match.log), dict(hands.poses), set(hands.covered),
        host.modes, list(host.proposals.waiting), shown["match"], shown.get("guide"),
    )  # fmt: skip


def replayed(at: House, shown: Mapping[str, Any]) -> None:
    """Hold the replay of now against what the live pages show."""
    now = at.get(at.spectator, f"/api/games/{at.game_id}/match", t=1e6)
    if now.status_code != 200:
        raise Violation("the replay fails", f"{now.status_code} {now.text[:300]}")
    then, live = from_json(now.content), shown["match"]
    if (then["status"] is None) != (live is None):
        raise Violation("the replay loses the match", json.dumps(then)[:300])
    for part in ("status", "sheets"):
        if live is not None and then[part] != live[part]:
            raise Violation(f"the replay of now shows another {part}", difference(then[part], live[part]))


def remembered(at: House, known: Known, shown: Mapping[str, Any]) -> None:
    """Keep what the pages show now, to be held against the replay of this time later on."""
    match = shown["match"]
    if match is not None:
        part = {"status": match["status"], "sheets": match["sheets"]}
        if known.shown and known.shown[-1][0] == at.recorder.now_s:
            known.shown.pop()  # what was done in the same instant is what it stands at
        known.shown.append((at.recorder.now_s, part))
        if len(known.shown) > LOOKS:
            del known.shown[len(known.shown) // 2]


def then_as_now(at: House, when: float, then: Mapping[str, Any]) -> None:
    """The replay of an earlier time shows everybody what the live pages showed then."""
    for name, who in at.viewers.items():
        found = _replayed_at(at, who, when)
        if (
            any(found[part] != then[part] for part in ("status", "sheets"))
            and found["since_s"] >= when - AT_ONCE
        ):
            # Something was done in the very instant in which the page was looked at: before it, then.
            found = _replayed_at(at, who, max(0.0, when - AT_ONCE))
        for part in ("status", "sheets"):
            if found[part] != then[part]:
                words = f"{part} at {when:.1f} s for {name}: {difference(found[part], then[part])}"
                raise Violation("the replay of an earlier time shows something else", words)


def _replayed_at(at: House, who: Identity, when: float) -> dict[str, Any]:
    answer = at.get(who, f"/api/games/{at.game_id}/match", t=when)
    if answer.status_code != 200:
        raise Violation("the replay of an earlier time fails", f"{answer.status_code} {answer.text[:300]}")
    found: dict[str, Any] = from_json(answer.content)
    return found


def strayed(at: House) -> None:
    """Whoever is told out of place is."""
    host, hands = at.served.match, at.hands
    for stray in host.strays():
        name, place = stray.piece, stray.place
        if name not in hands.poses:
            continue
        pose = hands.poses[name]
        off = math.dist(pose.xy, (place.x, place.y))
        turned = abs(wrap_angle(pose.heading - place.heading)) - place.free
        if off < AWAY and turned < TURNED:
            words = f"{stray.words}; it is {off:.2f} in and {turned:.2f} rad off"
            raise Violation("a piece is told out of place that is not", words)


def sealed(at: House) -> None:
    """No byte to a viewer tells a choice that others have sealed."""
    match = at.served.match.match
    if match is None or not match.secrets:
        return
    wires = {name: at.wire(who) for name, who in at.viewers.items()}
    for secret in match.secrets:
        for name, wire in wires.items():
            if secret.salt in wire and name != secret.player:
                raise Violation("a secret is told", f"{secret.player}'s salt to {name}")


def difference(one: Any, other: Any, where: str = "") -> str:
    """Say where two JSON values differ first."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys()):
            if one.get(key) != other.get(key):
                return difference(one.get(key), other.get(key), f"{where}.{key}")
    if isinstance(one, list) and isinstance(other, list):
        for k, (a, b) in enumerate(zip(one, other, strict=False)):
            if a != b:
                return difference(a, b, f"{where}[{k}]")
        if len(one) != len(other):
            more = max(one, other, key=len)[min(len(one), len(other))]
            return f"{where}: {len(one)} against {len(other)}, {json.dumps(more)[:200]}"
    return f"{where}: {json.dumps(one)[:200]} against {json.dumps(other)[:200]}"
