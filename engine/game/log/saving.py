"""A match as text, a JSON object a line: which game in which version, then every event of its log."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from engine.errors import TableRefError
from engine.game.events import event_from_json, event_to_json
from engine.game.log.sealing import Sealed
from engine.game.match import Match
from engine.game.registry import game_or_unknown


def save(match: Match[Any]) -> str:
    """The match as text. Choices that are still secret are not in it: they are `match.secrets`."""
    about = match.game.about
    lines = [{"game": about.id, "version": about.version}, *map(event_to_json, match.log)]
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def load(text: str, folders: Sequence[str] = (), secrets: Iterable[Sealed] = ()) -> Match[Any]:
    """The match that `save` wrote; one of a game that is not there opens to be looked at."""
    try:
        head, *lines = (json.loads(line) for line in text.splitlines() if line.strip())
        name, version = str(head["game"]), str(head.get("version", ""))
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        raise TableRefError(f"expected a match, a JSON object a line and its game first: {error}") from error
    game = game_or_unknown(name, version, folders)
    return Match.replay(game, [event_from_json(line) for line in lines], secrets)
