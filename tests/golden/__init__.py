"""Golden games: whole games of every rule book, kept as logs, and what plays them anew."""

from __future__ import annotations

import importlib
import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from engine.game.dice import SeededDice
from engine.game.events import Event, batches, event_from_json, event_to_json
from engine.game.match import Match
from engine.game.players import step

HERE = Path(__file__).parent


def games_of(game: str) -> dict[str, Callable[[], Match[Any]]]:
    """What plays each golden game of a rule book, by its name."""
    return dict(importlib.import_module(f"tests.golden.{game}_games").GAMES)


def to_the_end(match: Match[Any], seed: str | int, dice: str = "") -> Match[Any]:
    """Random players go on until it is over; `dice` seeds those, where it is another seed."""
    chance, fallen = random.Random(seed), SeededDice(dice or seed)
    while not match.state.over:
        step(match, chance, fallen)
    return match


def log_of(match: Match[Any]) -> str:
    """A log as it is kept: one event a line."""
    return "".join(json.dumps(event_to_json(e), ensure_ascii=False) + "\n" for e in match.log)


def end_of(match: Match[Any]) -> str:
    """A state as it is kept: one part of it a line."""
    state = match.game.as_json(match.state)
    rows = (f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in state.items())
    return "{\n" + ",\n".join(rows) + "\n}\n"


def read(path: Path) -> list[Event]:
    """A log that was kept."""
    return [event_from_json(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def _facts(data: Mapping[str, Any], words: bool) -> dict[str, Any]:
    """What an event tells but for its question, and with `words` for what its dice are for."""
    dice = [_facts(die, words) for die in data.get("dice", ()) if isinstance(die, Mapping)]
    told = {k: v for k, v in data.items() if k != "question" and not (words and k == "why")}
    return told | ({"dice": dice} if dice else {})


def told_anew(match: Match[Any], words: bool = False) -> Match[Any]:
    """A kept game with today's events: the same kinds, data, words, citations and states as before.

    With `words` the sentences may differ, also where an event's data holds one as its question or as what a
    die is for, and the places in the book.
    """
    game, log, now = match.game, match.log, Match.again(match.game, match.log)
    for was, new in zip(log, now.log, strict=True):
        facts = [(e.kind, _facts(e.data, words)) for e in (was, new)]
        same = (was.words, was.data, was.citation) == (new.words, new.data, new.citation) or words
        assert (same, facts[0]) == (True, facts[1]), f"{was.words} is {new.words} now"
    for count, _ in enumerate(batches(log), start=1):
        states = [
            Match.replay(game, [e for batch in batches(events)[:count] for e in batch]).state
            for events in (log, now.log)
        ]
        assert states[0] == states[1], f"another state after batch {count}"
    return now
