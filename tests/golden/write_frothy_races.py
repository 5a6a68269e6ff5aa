"""`python -m tests.golden.write_frothy_races`: plays the golden races and writes them anew.

Only when a rule was changed on purpose: the logs are what must not change by itself.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

from benchmarks.frothy_races import race
from benchmarks.games import told_again
from engine.game.dice import SeededDice
from engine.game.events import event_to_json
from engine.game.match import Match
from engine.game.players import step
from engine.games.frothy_races.state.game_state import GameState
from tests.engine.games.frothy_races.playing import GAME, begun, vehicle

HERE = Path(__file__).resolve().parent / "frothy_races"

RACES = (16, 1, 23, 38, 66, 34, 21, 14, 5)
"""Random races that show, together, every event, action, collision and race type."""


def given_up() -> Match[GameState]:
    """Three players, of whom two give up."""
    match = begun(vehicle("Red 1"), vehicle("Blue 1", "Racer"), vehicle("Gold 1", "Steamer"))
    chance, dice = random.Random("given up"), SeededDice("given up")
    for player in ("Gold", "Blue"):
        for _ in range(30):
            step(match, chance, dice)
        match.concede(player)
    return match


def main() -> None:
    """Writes each race as its log and its end."""
    HERE.mkdir(exist_ok=True)
    games = {f"race_{n}": race(n, rounds=5, rolling=True, truce=False, friendly=False) for n in RACES}
    for number, (name, match) in enumerate((games | {"given_up": given_up()}).items()):
        told_again(match, number)
        lines = [json.dumps(event_to_json(e), ensure_ascii=False) for e in match.log]
        (HERE / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        end = json.dumps(GAME.as_json(match.state), ensure_ascii=False, indent=1)
        (HERE / f"{name}.end.json").write_text(end + "\n", encoding="utf-8")
        print(f"{name}: {len(match.log)} events, {match.log[-1].words}")


if __name__ == "__main__":
    main()
