"""Random races of every type, for `python -m benchmarks.games --own --game "frothy races"`.

Each has random players, vehicles, rules and track. After every action no two vehicles share a hex, and every
marker is on its licence.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any

from benchmarks.games import Players
from engine.game.contract import Game
from engine.game.match import Match
from engine.game.players import random_setup
from engine.game.registry import game_called
from engine.games.frothy_races.book.data import RACES
from engine.games.frothy_races.state import GameState


def _set_up(
    rules: Mapping[str, object], game: Game[Any], number: int, chance: random.Random
) -> dict[str, Any]:
    """A race of the type that is its number's turn."""
    setup = random_setup(game, chance) | {"race": RACES[number % len(RACES)], **rules}
    if setup["race"] == "Pursuit":
        setup |= {"players": setup["players"][:2], "pieces": setup["pieces"][:2]}
    teams = {piece.get("team") for piece in setup["pieces"]}
    if len(teams) == 1:
        setup["pieces"] = [{k: v for k, v in p.items() if k != "team"} for p in setup["pieces"]]
    return setup


def hold(state: GameState) -> None:
    """What is true of every state; reading its JSON holds the markers."""
    cells = Counter(v.cell for v in state.vehicles if v.here)
    assert not cells or max(cells.values()) == 1, "two vehicles share a hex"
    assert all(state.board.holds(cell) for cell in cells if cell is not None), "a vehicle is off the track"


def racing(rounds: int = 12, **rules: object) -> Players:
    """Players of races of so many rounds, by these rules."""
    set_up = partial(_set_up, {"rounds": rounds, **rules})
    return Players(game_called("frothy_races"), set_up, hold=hold, seed="race {}", whims=False)


def race(number: int, rounds: int = 12, **rules: object) -> Match[GameState]:
    """The race of a number, played by random players to its end."""
    return racing(rounds, **rules).play(number)
