"""What `tableref replay` says of an evening: ruled again by the same rules, nothing comes out otherwise."""

from __future__ import annotations

from typing import Any

from engine.game.events import SAID, UNMEASURED, batches
from engine.game.match import Match
from server.replay.rerule import Again, rule_again
from tests.evening.house import House, Violation

OTHERWISE = ("verdict", "other")
"""How much something comes out otherwise that is no rounding."""


def again(at: House, match: Match[Any]) -> None:
    """Rule the record again as far as it goes, and hold that what was said is listed as that."""
    at.recorder.flush()
    found = ruled_again(at, at.game_id)
    acts = [events for events in batches(match.log) if events[0].kind == "action"]
    said = sum(any(e.kind in (SAID, UNMEASURED) for e in events) for events in acts)
    listed = sum(bool(one.said) for one in found if one.ruled)
    if listed < said:
        raise Violation("what was said is not listed", f"{said} were said, {listed} are listed")


def ruled_again(at: House, id: str) -> list[Again]:
    """Rule the record of a game again: nothing comes out otherwise."""
    found = list(rule_again(at.library.reader(id)))
    for one in found:
        if one.weight in OTHERWISE:
            what = "; ".join(f"{c.what}: {c.was} → {c.now}" for c in one.changes if c.weight in OTHERWISE)
            raise Violation("the record is ruled otherwise again", f"{one.words}: {what}")
    return found
