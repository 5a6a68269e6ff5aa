"""`python -m tests.golden.write_battlecars`: plays the golden games and writes them anew.

Only when a rule was changed on purpose: the logs are what must not change by itself.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

from benchmarks.games import told_again
from engine.game.dice import SeededDice
from engine.game.events import event_to_json
from engine.game.match import Match
from engine.game.players import random_setup, step
from engine.games.battlecars.state.game_state import GameState
from tests.engine.games.battlecars.playing import GAME, begun, do, vehicle
from tests.golden.staged_battlecars import STAGED

HERE = Path(__file__).resolve().parent / "battlecars"

EVENINGS = {
    "duel": 75, "driver_killed": 140, "tank": 247, "ammunition": 77, "reloading": 72,
    "rams": 112, "bikes": 215,
}  # fmt: skip
"""Games of random players that show, together, every weapon, counter, kind of ram and cause of a skid."""


def to_the_end(match: Match[GameState], chance: random.Random, dice: SeededDice) -> Match[GameState]:
    """Random players go on until it is over."""
    while not match.state.over:
        step(match, chance, dice)
    return match


def evening(number: int) -> Match[GameState]:
    """Random players with what they drew in the arming builder."""
    chance, dice = random.Random(f"golden {number}"), SeededDice(f"golden {number}")
    return to_the_end(Match.begin(GAME, random_setup(GAME, chance)), chance, dice)


def given_up() -> Match[GameState]:
    """Three players with a building between them, of whom two give up."""
    match = begun(vehicle("Red 1", "Van"), vehicle("Blue 1", "Saloon"), vehicle("Gold 1", "Bike"))
    do(match, "build", kind="building", column=6, row=6, columns=2, rows=2)
    do(match, "start", (8, 5, 2))
    chance, dice = random.Random("given up"), SeededDice("given up")
    for _ in range(60):
        step(match, chance, dice)
    match.concede("Gold")
    for _ in range(30):
        step(match, chance, dice)
    match.concede("Blue")
    return match


def main() -> None:
    """Writes each game as its log and its end."""
    HERE.mkdir(exist_ok=True)
    games = {name: evening(number) for name, number in EVENINGS.items()} | {"given_up": given_up()}
    games |= {name: staged() for name, staged in STAGED.items()}
    for number, (name, match) in enumerate(games.items()):
        told_again(match, number)
        lines = [json.dumps(event_to_json(e), ensure_ascii=False) for e in match.log]
        (HERE / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        end = json.dumps(GAME.as_json(match.state), ensure_ascii=False, indent=1)
        (HERE / f"{name}.end.json").write_text(end + "\n", encoding="utf-8")
        print(f"{name}: {len(match.log)} events, {match.log[-1].words}")


if __name__ == "__main__":
    main()
