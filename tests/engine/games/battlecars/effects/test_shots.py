"""Shots with dice typed in: to hit, armour and what lies behind it, ammunition, tanks, cover, drivers."""

from __future__ import annotations

import pytest

from engine.games.battlecars.book.data import FLAME, MG, ROCKET, SHELL, WEAPONS
from engine.games.battlecars.effects.shots import Shot, fire
from engine.games.battlecars.state.game_state import Block, GameState, Terrain, Token
from tests.engine.games.battlecars.playing import act, here, kinds, one, played, reasons, standing


def duel(cell=(6, 5), facing=4, type="Saloon", **more) -> GameState:
    """Red 1 at (2, 5) may fire; Blue 1 stands ahead of it."""
    return standing(
        ("Red 1", "Saloon", (2, 5), 0, 0), ("Blue 1", type, cell, facing, 0), stage="fire", **more
    )


def bare(state: GameState) -> GameState:
    """Blue 1 without any armour left."""
    blocks = (Block(b.name, b.points, b.points) for b in here(state, "Blue 1").armour)
    return state.with_vehicle("Blue 1", armour=tuple(blocks))


def shot(state: GameState, weapon: str, dice, aim=None, computed=False):
    """A round along facing 0 from (2, 5), every die used."""
    play = played(state, dice)
    fire(play, Shot("Red", "Red 1", (2, 5), WEAPONS[weapon], 0, aim, computed))
    assert play.dice.used == len(play.dice.values)
    return play.state, play.events


def test_the_range_dice_have_to_come_to_the_points_between():
    after, events = shot(duel(), MG, (3, 8), "front")
    assert (one(events, "hit")["roll"], one(events, "hit")["needed"]) == (3, 3)
    assert here(after, "Blue 1").block("front").hits == 3, "d8−2 less a range of 3"
    _, events = shot(duel(), MG, (2,), "front")
    assert kinds(events)["missed"] == 1


@pytest.mark.parametrize(
    ("weapon", "dice", "points"), [(FLAME, (2,), 2), (SHELL, (1, 7), 4), (ROCKET, (1, 2, 3, 4), 4)]
)
def test_damage_loses_the_range(weapon, dice, points):
    after, _ = shot(duel(), weapon, dice, "front")
    assert here(after, "Blue 1").block("front").hits == points


def test_flame_reaches_3_points():
    _, events = shot(duel(cell=(7, 5)), FLAME, (), "front")
    assert kinds(events)["missed"] == 1


def test_smoke_takes_4_off_and_a_computer_adds_1():
    smoke = [Token("Smoke 1", "Smoke", (4, 5))]
    _, events = shot(duel(tokens=smoke), MG, (5,), "front", computed=True)
    assert one(events, "missed")["needed"] == 6, "range 3, +4 for smoke, −1 for the computer"
    assert sorted(e.data["by"] for e in events if e.kind == "modified") == [-4, 1]


def test_a_round_that_misses_may_hit_what_is_beyond():
    state = standing(
        ("Red 1", "Saloon", (2, 5), 0, 0), ("Blue 1", "Saloon", (6, 5), 4, 0),
        ("Gold 1", "Saloon", (9, 5), 4, 0),
        stage="fire",
    )  # fmt: skip
    _, events = shot(state, MG, (1, 8, 8), "front")
    assert one(events, "missed")["target"] == "Blue 1"
    told = one(events, "hit")
    assert (told["target"], told["range"], told["beyond"]) == ("Gold 1", 6, True)


def test_what_the_armour_does_not_hold_goes_inside_by_the_hit_location_table():
    # A Rocket: 5+3 reaches 3; 8+5-3 = 10: 4 on the front armour, 6 inside: first the engine, then a tyre.
    after, events = shot(duel(), ROCKET, (5, 3, 8, 5, 4, 1), "front")
    blue = here(after, "Blue 1")
    assert blue.block("front").left == 0
    assert not blue.component("engine").works
    assert blue.component("left front tyre").hits == 2
    assert blue.wreck, "without an engine it cannot move"
    assert [e.kind for e in events][-1] == "wrecked"


def test_empty_spaces_are_hit_first_and_what_is_destroyed_is_rolled_for_again():
    state = duel()
    state = state.with_component("Blue 1", "front pod", rounds=("Shell",))
    state = bare(state)
    # 2 points inside, both on the front pod (2): two empty spaces go, the Shell stays.
    after, _ = shot(state, MG, (3, 7, 2), "front")
    pod = here(after, "Blue 1").component("front pod")
    assert (pod.hits, pod.rounds) == (2, ("Shell",))
    # Again 2 points: the last space and the Shell in it, then hit location 2 is destroyed: 5 is the engine.
    after, events = shot(after, MG, (3, 7, 2, 2, 5), "front")
    assert not here(after, "Blue 1").component("front pod").works
    assert [e.data["lost"] for e in events if e.kind == "inside"] == [["Shell"], []]
    assert here(after, "Blue 1").component("engine").hits == 1


def test_ammunition_that_a_shell_hits_detonates_and_flies_off_without_a_computer():
    state = standing(
        ("Red 1", "Saloon", (2, 5), 0, 0), ("Blue 1", "Bike", (6, 5), 0, 0),
        ("Gold 1", "Saloon", (9, 5), 4, 0),
        stage="fire", **{"Blue 1": {"front_pod": "Machine-gun", "special": "Fire Extinguisher"}},
    )  # fmt: skip
    state = state.with_vehicle("Blue 1", facing=2)
    state = bare(state)
    # The line comes from its left; 1 point inside the front: hit location 3 is the front pod, full.
    after, events = shot(state, SHELL, (1, 4, 3, 7), "left front")
    told = one(events, "detonated")
    assert (told["weapon"], told["mount"], told["line"]) == ("Machine-gun", "front pod", 2)
    assert here(after, "Blue 1").component("front pod").hits == 1


@pytest.mark.parametrize(("die", "explodes"), [(6, True), (5, False)])
def test_a_tank_that_flame_hits_explodes_on_7_with_its_damage(die, explodes):
    state = duel(facing=0, cell=(4, 5))
    state = bare(state)
    # d8+3 less 1 with a 1 is 3, all of it on a tank that takes 9.
    state = state.with_component("Blue 1", "fuel tank", spaces=9)
    after, events = shot(state, FLAME, (1, 4, die - 2), "rear")
    assert here(after, "Blue 1").component("fuel tank").hits == (9 if explodes else 3)
    assert bool(kinds(events)["exploded"]) == explodes
    assert after.person("driver of Blue 1").dead == explodes


def test_an_extinguisher_saves_a_tank_from_shells():
    state = duel(facing=0)
    state = bare(state)
    shot(state, SHELL, (1, 5, 4), "rear")  # 2 on the tank, and no die for it
    without = state.with_component("Blue 1", "Fire Extinguisher", hits=2)
    after, events = shot(without, SHELL, (1, 5, 4, 7), "rear")  # 7 - 2 + 2 = 7
    assert kinds(events)["exploded"] == 1
    assert here(after, "Blue 1").wreck


def test_cover_takes_markers_before_whoever_is_in_it():
    trees = Terrain("Trees 1", "trees", (5, 5), (1, 1))
    state = duel(terrain=[trees])
    state = state.with_vehicle("Blue 1", driver=None).with_person(
        "driver of Blue 1", vehicle=None, cell=(5, 5)
    )
    # A Rocket at range 2: 6+4-2 = 8 points: 2 markers cover trees of one point, 3 of the rest kill.
    after, events = shot(state, ROCKET, (1, 2, 6, 4))
    assert one(events, "razed") == {"terrain": "Trees 1"}
    assert after.person("driver of Blue 1").dead
    assert after.terrain == ()


def test_a_driver_on_foot_is_harder_to_hit():
    state = duel(cell=(9, 9))
    state = state.with_vehicle("Blue 1", driver=None).with_person(
        "driver of Blue 1", vehicle=None, cell=(5, 5)
    )
    after, events = shot(state, MG, (4, 5))
    assert one(events, "hit")["needed"] == 4, "range 2, +2"
    assert after.person("driver of Blue 1").hits == 1


def test_return_fire_once_and_one_round_at_a_target():
    state = duel()
    # 1: a shell is short of nothing at range 3 (d8+3); 1 - 3 does nothing. Blue may return fire.
    fired = {"mount": "front pod", "weapon": "Shell", "line": 0, "target": "Blue 1"}
    state, events = act(state, "fire", (1, 1), **fired, aim="front")
    assert one(events, "reply") == {"vehicle": "Blue 1", "at": "Red 1"}
    assert "not to be done now" in reasons(state, "done")
    back = {"mount": "front pod", "weapon": "Shell", "line": 4, "target": "Red 1"}
    state, _ = act(state, "return", (1, 1), **back, aim="front")
    assert state.reply is None
    assert reasons(state, "fire", **fired)
    assert [len(here(state, n).component("front pod").rounds) for n in ("Red 1", "Blue 1")] == [2, 2]


def test_passive_weapons_are_dropped_onto_a_free_point_first_along_a_line():
    state = duel()
    cells = state.board.cells
    assert not reasons(state, "drop", mount="rear pod", kind="Oil", point=cells.index((1, 5)))
    state, events = act(state, "drop", mount="rear pod", kind="Oil", point=cells.index((1, 5)))
    assert one(events, "laid")["token"] == "Oil 1"
    assert reasons(state, "drop", mount="rear pod", kind="Mines", point=cells.index((1, 6))), (
        "one round a Pod"
    )
    assert reasons(duel(), "drop", mount="rear pod", kind="Oil", point=cells.index((0, 5)))
