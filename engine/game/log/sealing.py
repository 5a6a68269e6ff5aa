"""Sealed choices: what a player chose in secret, the hash that stands for it, and their opening.

Everybody is told the hash when somebody chooses, and the choice with its salt when all are revealed, so that
anybody can check that nothing was changed in between (a commitment scheme).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.errors import TableRefError
from engine.game.events import PLAYERS, Action, Event, JsonObject
from engine.game.records import from_json, to_json
from engine.words import listed


@dataclass(frozen=True)
class Sealed:
    """What a player chose: the secret itself, for a place where nobody who looks on can read it.

    `kind` and `data` are the action's. `salt` is a random text, so that nobody can guess the choice by
    hashing all that could have been chosen.
    """

    group: str
    player: str
    kind: str
    salt: str
    data: JsonObject = field(default_factory=dict)

    @property
    def hash(self) -> str:
        """The SHA-256 of the choice with its salt, as canonical JSON, in hexadecimal.

        >>> Sealed("gears", "Ann", "gear", "7", {"gear": 3}).hash[:16]
        '1d3e300183229c86'
        """
        text = json.dumps(to_json(self), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def action(self) -> Action:
        """What is done when it is revealed, if the player were alone."""
        return Action(self.kind, self.player, self.data)

    def event(self, citation: str = PLAYERS) -> Event:
        """What everybody is told: that the player has chosen, and the hash."""
        data = {"group": self.group, "player": self.player, "kind": self.kind, "hash": self.hash}
        return Event("sealed", data, f"{self.player} has chosen", citation)


def sealed_to_json(sealed: Sealed) -> dict[str, Any]:
    """The secret as a JSON object."""
    found: dict[str, Any] = to_json(sealed)
    return found


def sealed_from_json(data: JsonObject) -> Sealed:
    """The secret of a JSON object; a clear error for anything else."""
    return from_json(Sealed, data, "sealed choice")


def check_opened(event: Event, hashes: Mapping[tuple[str, str], str]) -> None:
    """That a reveal opens what was sealed: `hashes` are those told before, by group and player.

    `TableRefError` names the player whose choice is another than the one that was sealed.
    """
    data = event.data
    for player, chosen in data["data"]["choices"].items():
        opened = Sealed(data["group"], player, data["kind"], data["salts"][player], chosen)
        if hashes.get((opened.group, player)) != opened.hash:
            raise TableRefError(
                f"what is revealed of {player} is not what was sealed: expected the hash that was told, "
                "but got another; the record was changed or lost a line"
            )


def withdrawn(choices: Iterable[tuple[str, str]], kind: str, by: str | None = None) -> Event:
    """That choices no longer count, each named by its group and player."""
    names = sorted({player for _, player in choices})
    words = f"{', '.join(names)} {'has' if len(names) == 1 else 'have'} taken the choice back"
    if kind == "withdrawn":
        words = f"What {listed(names)} chose no longer counts"
    return Event(kind, {"choices": sorted(map(list, choices)), "by": by}, words, PLAYERS)
