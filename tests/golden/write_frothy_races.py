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
from engine.game.events import Action, event_to_json
from engine.game.match import Match
from engine.game.players import filled, step
from engine.games.frothy_races.state.game_state import GameState, Obstacle
from tests.engine.games.frothy_races.builds import builds
from tests.engine.games.frothy_races.playing import GAME, begun, cell, standing, vehicle
from tests.engine.games.frothy_races.test_circuits import SHEET

HERE = Path(__file__).resolve().parent / "frothy_races"

RACES = (16, 1, 23, 38, 66, 34, 21, 14, 5)
"""Random races that show, together, every event, action, collision and race type."""


OPTIONS: tuple[dict[str, object], ...] = (
    {
        "adjust": True, "pairs_first": True, "control_damage": "control", "more_drifts": "control",
        "deliberate": True, "stamina": False, "shame": False, "grandstanding": False,
    },
    {
        "friendly": True, "corner_drift": True, "start_by": "spaces", "control_damage": "ignored",
        "more_drifts": "any", "gap": 2, "instant": 4,
    },
    {
        "race": "Scoring", "for_damage": 2, "for_obstacle": 5, "for_runner": 6, "runners": 1,
        "deliberate": True,
    },
)  # fmt: skip
"""Optional and alternative rules, in three races so that every one is used and left out."""


def given_up() -> Match[GameState]:
    """Three players, of whom two give up."""
    match = begun(vehicle("Red 1"), vehicle("Blue 1", "Racer"), vehicle("Gold 1", "Steamer"))
    chance, dice = random.Random("given up"), SeededDice("given up")
    for player in ("Gold", "Blue"):
        for _ in range(30):
            step(match, chance, dice)
        match.concede(player)
    return match


def of_builds(number: int, again: str = "") -> Match[GameState]:
    """Four vehicles of the guide, which have every trait, special card and damage effect in three races.

    `again` is a word for other dice.
    """
    owners = ("Red", "Blue", "Gold", "Teal")
    pieces = [
        {"name": f"{owner} 1", "owner": owner, **build}
        for owner, build in zip(owners, builds()[4 * number : 4 * number + 4], strict=True)
    ]
    for k, piece in enumerate(pieces):
        if "Rival" in piece["traits"]:
            piece["rival"] = pieces[k - 1]["name"]
    rules = {"rolling": True, "start_by": "spaces", "truce": False, "rounds": 5}
    match = begun(*pieces, race="Toughest", circuit="oval", **rules)
    seed = again or f"builds {number}"
    chance, dice = random.Random(seed), SeededDice(seed)
    while not match.state.over:
        step(match, chance, dice)
    return match


def of_jumps() -> Match[GameState]:
    """A Scoring race with runners, in which whoever may jump does: the first over a hazard at once."""
    hazard = Obstacle("Hazard 1", "hazard", cell(1, 3))
    there = (("Red 1", cell(1, 2), 0, 3), ("Blue 1", cell(3, 9), 0, 1), ("Gold 1", cell(0, 5), 0, 2))
    rules = {"race": "Scoring", "rounds": 8, "jumps": True, "runners": 2, "worths": [4]}
    match = standing(*there, turn=3, obstacles=[hazard], **rules)
    chance, dice = random.Random("jumps"), SeededDice("jumps")
    while not match.state.over:
        jump = next((o for o in match.options() if o.kind == "jump"), None)
        if jump is None:
            step(match, chance, dice)
        else:
            match.do(filled(jump, chance), None, dice)
    return match


def of_head_on() -> Match[GameState]:
    """A race in which two meet head-on."""
    there = (("Red 1", cell(1, 2), 0, 5), ("Blue 1", cell(1, 4), 6, 2), ("Gold 1", cell(0, 9), 0, 2))
    match = standing(*there, turn=2, step=3, deliberate=True, rounds=4)
    chance, dice = random.Random("head-on"), SeededDice("head-on")
    match.do(Action("move", "Red", {"vehicle": "Red 1", "way": "FF"}), None, dice)
    while not match.state.over:
        step(match, chance, dice)
    return match


def main() -> None:
    """Writes each race as its log and its end."""
    HERE.mkdir(exist_ok=True)
    games = {f"race_{n}": race(n, rounds=5, rolling=True, truce=False, friendly=False) for n in RACES}
    games |= {"jumps": of_jumps(), "by_hand": race(0, 3, circuit=SHEET, runners=1)}
    games |= {
        f"options_{k}": race(k, 4, rolling=True, truce=False, **rules) for k, rules in enumerate(OPTIONS)
    }
    games |= {"head_on": of_head_on(), "control": of_builds(1, "control 0"), "given_up": given_up()}
    games |= {f"builds_{k}": of_builds(k) for k in range(3)}
    for number, (name, match) in enumerate(games.items()):
        told_again(match, number)
        lines = [json.dumps(event_to_json(e), ensure_ascii=False) for e in match.log]
        (HERE / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        end = json.dumps(GAME.as_json(match.state), ensure_ascii=False, indent=1)
        (HERE / f"{name}.end.json").write_text(end + "\n", encoding="utf-8")
        print(f"{name}: {len(match.log)} events, {match.log[-1].words}")


if __name__ == "__main__":
    main()
