"""Two evenings that differ only in a secret: the same to everybody else until it is told."""

from __future__ import annotations

import contextlib
import json
import re
from typing import Any

from tests.evening.checks import difference
from tests.evening.evening import Evening, Played
from tests.evening.house import Violation

ITS_OWN = re.compile(r"\b[0-9a-f]{16,}\b|\b\d{8}-\d{4,6}-[0-9a-f]{4}\b|\d{4}-\d\d-\d\dT[\d:.]+Z?")
"""What no two evenings share: hashes, names of records, the time of day."""


PACED = {"ways", "rates"}
"""What the table is told of as fast as the machine goes: not the same in any two evenings."""

CHOOSES = 4
"""Every so many acts somebody chooses in secret, where it is time to."""


class _Told(Exception):
    """The secret has come to light: from here on the evenings may differ."""


def _seen(evening: Evening, who_chose: set[str]) -> dict[str, Any]:
    """What everybody else reads, over every outlet."""
    at = evening.at
    found: dict[str, Any] = {}
    for name, who in at.viewers.items():
        if name in who_chose:
            continue
        found[f"the page of {name}"] = at.wire(who)
    for path in (f"/api/games/{at.game_id}/entries", f"/api/games/{at.game_id}/match?t=1e6"):
        found[path] = at.get(at.spectator, path).text
    state = at.get(at.spectator, "/api/state").json()
    found["/api/state"] = json.dumps({name: state[name] for name in state.keys() - PACED})
    exported = at.client.post(f"/api/exports/{at.game_id}?to=jsonl").raise_for_status().json()
    found["the export"] = at.client.get(exported["address"]).raise_for_status().text
    return {name: ITS_OWN.sub("…", text.replace(at.game_id, "…")) for name, text in found.items()}


def _played(game: str, number: int, acts: int, secret: int) -> list[tuple[set[str], dict[str, Any], str]]:
    """The evening until a secret comes to light: who had one then, and what all others read."""
    told: list[tuple[set[str], dict[str, Any], str]] = []
    evening = Evening(game, number, secret)

    def after(one: Evening) -> None:
        match = one.at.served.match.match
        if match is None:
            raise _Told
        if any("salts" in event.data for event in match.log):
            raise _Told
        chose = {player for _, player in match.chosen}
        told.append((chose, _seen(one, chose) if chose else {}, one.done[-1]))

    evening.after = after
    with contextlib.suppress(_Told):
        # A choice in secret, and whatever is drawn while it is one.
        evening.play([f"{k}:choose" if k % CHOOSES == 0 else k for k in range(acts)])
    return told


def unlike(game: str, number: int, acts: int) -> Played:
    """Play both, and hold each act of the one against the same of the other."""
    try:
        one, other = (_played(game, number, acts, secret) for secret in (1, 2))
    except Violation as found:
        return Played(game, number, 0, violation=str(found), rule=found.rule)
    compared = 0
    for k, ((chose, mine, done), (_, theirs, _)) in enumerate(zip(one, other, strict=False)):
        for name in mine.keys() & theirs.keys():
            compared += 1
            if mine[name] != theirs[name]:
                where = f"act {k} ({done}), {', '.join(chose)} had chosen: {name}"
                words = f"{where}: {_where(mine[name], theirs[name])}"
                return Played(
                    game, number, k, compared, violation=f"a secret is told: {words}", rule="a secret is told"
                )
    return Played(game, number, min(len(one), len(other)), compared)


def _where(one: str, other: str) -> str:
    try:
        return difference(json.loads(one), json.loads(other))
    except ValueError:
        k = next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
        return f"{one[max(0, k - 80) : k + 80]!r} against {other[max(0, k - 80) : k + 80]!r}"
