"""The golden games cover the notes."""

from __future__ import annotations

from engine.games.car_cult.book.data import CARDS
from tests.engine.games.car_cult.playing import GAME
from tests.engine.games.suite import golden

GOLDEN = golden(GAME)
of, data = GOLDEN.of, GOLDEN.data


def test_every_component_is_built_and_makes_a_difference():
    states = [log[0].data["state"]["cars"].values() for log in GOLDEN.logs.values()]
    built = {c["card"] for cars in states for car in cars for c in car["components"]}
    assert built == set(CARDS)
    attacked = {e.data["weapon"] for e in of("hit", "missed")}
    assert attacked >= {c.name for c in CARDS.values() if c.sort == "weapon" and not c.wish}
    assert attacked >= {"Mines", "Reinforced Ram", "Harpoon", "Missile Launcher", "Hand Grenade"}
    assert {e.data["card"] for e in of("laid")} == {"Mines", "Oil Slick", "Caltrops"}


def test_every_stage_of_an_attack_and_both_special_rolls():
    for kind in ("declared", "applied", "ranged", "attacked", "rerolled", "modified", "hit", "missed"):
        assert of(kind), kind
    assert {e.data["reached"] for e in of("ranged")} == {True, False}
    assert {e.data["value"] for e in of("hit", "missed")} >= {1, 20}


def test_every_terrain_and_braking_in_either_way():
    duties = [d for e in of("owed") for d in e.data["duties"]]
    assert {d["kind"] for d in duties} == {"damage", "rough", "brake", "mine", "touch", "blast"}
    assert {e.data["safe"] for e in of("checked")} == {True, False}
    assert of("stopped")
    assert {e.data["into"] for e in of("moved")} >= {None, "Blocking terrain"}
