"""Every target with its range, sight, arc, needed roll and chance."""

from __future__ import annotations

import pytest

from engine.game.events import Action
from engine.game.match import Match
from engine.games.white_line_fever.game import GAME
from engine.games.white_line_fever.state.game_state import GameState
from engine.space.geometry import Pose
from engine.space.table import PoseUncertainty, Standing, Status, TableState
from server.play.aiming import odds_of, shots
from tests.server.fakes import STANDINGS, SURFACE

SETUP = {
    "players": ["Anna", "Ben"],
    "cars": [
        {"name": n, "owner": o, "brand": "Essence", "primary": p, "secondary": s}
        for n, o, p, s in (
            ("RED1", "Anna", "Machine Gun", "Oil"),
            ("BLUE1", "Ben", "Plinker", "Railgun"),
            ("BLUE2", "Ben", "Plinker", "Railgun"),
            ("BLUE3", "Ben", "Plinker", "Railgun"),
        )
    ],
    "deployment": "highway",
}


def ready() -> GameState:
    """Anna's RED1 has moved and may shoot."""
    match = Match.begin(GAME, SETUP)
    for kind, data in (
        ("deploy", {"car": "RED1"}), ("deploy", {"car": "BLUE1"}), ("deploy", {"car": "BLUE2"}),
        ("deploy", {"car": "BLUE3"}), ("choose", {"car": "RED1"}), ("move", {"car": "RED1"}),
    ):  # fmt: skip
        match.do(Action(kind, None, data))
    state = match.state
    assert isinstance(state, GameState)
    return state


def table(sd: float = 0.01, **places: Pose) -> TableState:
    sure = PoseUncertainty.isotropic(sd, 0.01)
    standings = [
        Standing(STANDINGS[name][0], pose, sure, Status.STILL, 0.0, 0.0) for name, pose in places.items()
    ]
    return TableState.of(SURFACE, standings, 0.0)


@pytest.mark.parametrize(
    ("speed", "accuracy", "needed", "chance"),
    [(1, 0, 1, 1.0), (3, 0, 3, 0.75), (6, 0, 6, 0.375), (6, 2, 4, 0.625), (6, -1, 7, 0.25), (6, -3, 9, 0.0)],
)
def test_odds(speed: int, accuracy: int, needed: int, chance: float) -> None:
    odds = odds_of(speed, accuracy, 2)
    assert (odds.needed, odds.chance, odds.expected) == (needed, chance, 2 * chance)


def test_every_enemy_is_listed_with_what_stands_for_and_against_it() -> None:
    seen = table(RED1=Pose(10, 10, 0), BLUE1=Pose(16, 10, 0), BLUE2=Pose(40, 10, 0), BLUE3=Pose(2, 10, 0))
    found = {s["target"]: s for s in shots(ready(), seen) or []}
    assert set(found) == {"BLUE1", "BLUE2", "BLUE3"}
    near, far, behind = found["BLUE1"], found["BLUE2"], found["BLUE3"]
    assert (near["lawful"], near["band"], near["tailgate"]) == (True, "short", True)
    assert near["odds"]["accuracy"] == {
        "needed": 1, "chance": 1.0, "chance_words": "100 %", "damage": 1, "expected": 1.0,
        "modifiers": ["Short Range +1 accuracy", "Tailgate +1 accuracy"],
    }  # fmt: skip
    assert near["odds"]["damage"]["needed"] == 3
    assert near["odds"]["damage"]["expected"] == 2.25
    assert [r["words"].split(":")[0] for r in far["reasons"]] == ["Maximum Range", "Line of Sight"]
    assert [r["words"].split(":")[0] for r in behind["reasons"]] == ["Forward Arc"]
    assert all(r["citation"].startswith("White Line Fever 0.9") for r in far["reasons"])


def test_lawful_ones_come_first_and_the_open_ones_next() -> None:
    seen = table(
        sd=0.3, RED1=Pose(10, 10, 0), BLUE1=Pose(32.3, 10, 0), BLUE2=Pose(20, 14, 0), BLUE3=Pose(2, 10, 0)
    )
    found = shots(ready(), seen) or []
    assert [(s["target"], s["lawful"], s["open"]) for s in found] == [
        ("BLUE2", True, False),
        ("BLUE1", False, True),
        ("BLUE3", False, False),
    ]


def test_unseen_targets_can_be_typed() -> None:
    found = shots(ready(), None) or []
    assert {s["target"] for s in found} == {"BLUE1", "BLUE2", "BLUE3"}
    assert not any(s["seen"] or s["lawful"] for s in found)
    assert "say the range band" in found[0]["reasons"][0]["words"]


def test_nobody_shoots_before_moving() -> None:
    match = Match.begin(GAME, SETUP)
    assert shots(match.state, None) is None


@pytest.mark.parametrize(("status", "sight"), [("driving", "no"), ("wreck", "no"), ("removed", "yes")])
def test_what_is_shown_of_a_shot_is_what_rules_it(status: str, sight: str) -> None:
    """A car that has left the game may still stand about on the table: it is nothing."""
    state = ready().with_car("BLUE2", status=status)
    between = table(RED1=Pose(10, 10, 0), BLUE2=Pose(15, 10, 1.57), BLUE1=Pose(20, 10, 0))
    found = next(s for s in shots(state, between) or [] if s["target"] == "BLUE1")
    shown = {c["name"]: c["verdict"] for c in found["checks"]}
    assert shown["Line of Sight"] == sight
    assert found["lawful"] is (sight == "yes")
