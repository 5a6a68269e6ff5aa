"""The golden races of Frothy Races."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial

from engine.game.dice import SeededDice
from engine.game.events import Action
from engine.game.filling import filled
from engine.game.match import Match
from engine.game.players import step
from engine.games.frothy_races.state import GameState, Obstacle
from tests.engine.games.frothy_races.builds import builds
from tests.engine.games.frothy_races.playing import begun, cell, standing, vehicle
from tests.engine.games.frothy_races.races import race
from tests.engine.games.frothy_races.test_circuits import SHEET
from tests.golden import to_the_end

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
    return to_the_end(begun(*pieces, race="Toughest", circuit="oval", **rules), again or f"builds {number}")


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


GAMES: dict[str, Callable[[], Match[GameState]]] = {
    **{f"race_{n}": partial(race, n, 5, rolling=True, truce=False, friendly=False) for n in RACES},
    "jumps": of_jumps,
    "by_hand": partial(race, 0, 3, circuit=SHEET, runners=1),
    **{f"options_{k}": partial(race, k, 4, rolling=True, truce=False, **r) for k, r in enumerate(OPTIONS)},
    "head_on": of_head_on,
    "control": partial(of_builds, 1, "control 0"),
    "given_up": given_up,
    **{f"builds_{k}": partial(of_builds, k, again) for k, again in enumerate(("builds 0 5", "", ""))},
}
