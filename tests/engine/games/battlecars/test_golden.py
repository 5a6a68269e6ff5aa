"""The golden games cover the book: weapons, counters, every row of every table, every rule of Pedestrians."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator

from engine.game.events import Event
from engine.game.match import Match
from engine.games.battlecars.book.data import (
    AT_PEDESTRIAN,
    COMPUTED,
    CRASHES,
    DRIFTS,
    KEEPS,
    PASSIVES,
    SIDE_PARTS,
    SMOKED,
    STUNNED,
    WEAPONS,
    WITHIN,
    facing_modifier,
)
from engine.games.battlecars.book.vehicle_data import HITS
from engine.games.battlecars.book.vehicles import layouts
from engine.games.battlecars.state import GameState
from tests.engine.games.battlecars.playing import GAME
from tests.engine.games.suite import golden

GOLDEN, ON_FOOT = golden(GAME), "on_foot"
data = GOLDEN.data


def rolled(log: list[Event]) -> Iterator[tuple[str, int, Event]]:
    """Every die that fell: what for, what it shows, and its event."""
    for event in log:
        if event.kind in ("roll", "rolls"):
            for die in event.data.get("dice", [event.data]):
                yield die["why"], die["value"], event


def falls(word: str) -> set[int]:
    """What dice showed that were rolled for that."""
    return {value for why, value, _ in rolled(GOLDEN.events) if word in why}


def test_every_weapon_and_every_counter():
    assert {d["weapon"] for d in data("hit")} == set(WEAPONS)
    assert {d["weapon"] for d in data("missed")} == set(WEAPONS)
    assert {d["beyond"] for d in data("hit")} == {True, False}
    assert {d["sort"] for d in data("laid")} == set(PASSIVES)
    assert {d["sort"] for d in data("ran onto")} == set(PASSIVES)


def test_every_hit_says_what_came_of_it():
    harmless = 0
    for log in GOLDEN.logs.values():
        for k, event in enumerate(log):
            if event.kind != "hit":
                continue
            after = itertools.takewhile(lambda e: e.kind not in ("hit", "fired", "action"), log[k + 1 :])
            harmed = any(e.tone in ("bad", "loss") for e in after)
            assert harmed != ("no damage" in event.words), event.words
            harmless += not harmed
    assert harmless


def test_every_cause_of_a_skid_and_every_kind_of_ram():
    causes = {"a corner" if "corner" in d["cause"] else d["cause"] for d in data("skidded")}
    assert causes == {"a corner", "its driver is dead", "Oil", "Smoke", "Spikes"}
    assert {d["ram"] for d in data("rammed")} == {"Head-On Ram", "Side Ram", "Shunt Ram"}
    assert {d["stops"] for d in data("swung")} == {True, False}


def test_every_type_of_vehicle():
    assert {d["type"] for d in data("armed")} == set(layouts())


def test_every_row_of_the_drift_table():
    rows = {min(max(d["difference"], 1), max(DRIFTS)) for d in data("skidded")}
    assert rows == set(DRIFTS)
    assert {d["tyres"] for d in data("skidded")} == {row.tyres for row in DRIFTS.values()}


def test_every_final_facing_with_every_modifier():
    totals, modifiers, die = set(), set(), None
    for event in GOLDEN.events:
        if event.kind == "roll" and event.data["why"].startswith("Final Facing"):
            die = event.data["value"]
        if event.kind == "swung":
            total = int(re.findall(r"\((\d+)\)", event.words)[0])
            totals.add(max(total, KEEPS))
            modifiers.add(total - die)
    assert totals == set(range(KEEPS, 8 + facing_modifier(10) + 1))
    assert modifiers == {facing_modifier(speed) for speed in range(11)}


def test_every_row_of_the_crash_and_ram_damage_table():
    met = [*data("crashed"), *data("rammed")]
    assert {min(d["velocity"], max(CRASHES)) for d in met} == {0, *CRASHES}
    assert all(bool(d["stunned"]) == (d["velocity"] >= STUNNED) for d in met)
    assert {d["velocity"] for d in met if d["stunned"]} >= set(range(STUNNED, max(CRASHES) + 1))


def test_everything_that_a_vehicle_runs_into():
    into = {d["into"].split()[0] for d in data("crashed")}
    assert into >= {"the", "Building", "Trees", "Blue"}, "the edge, terrain, and a wreck"


def test_every_part_of_a_side():
    faces = {value for why, value, _ in rolled(GOLDEN.events) if why.startswith("side of")}
    assert {SIDE_PARTS[face - 1] for face in faces} == set(SIDE_PARTS)


def test_every_row_of_every_hit_location_table():
    found = defaultdict(set)
    for log in GOLDEN.logs.values():
        types = {e.data["vehicle"]: e.data["type"] for e in log if e.kind == "armed"}
        for why, value, _ in rolled(log):
            if why.startswith("hit location, "):
                section, name = why.removeprefix("hit location, ").partition(", again")[0].split(" of ", 1)
                found[layouts()[types[name]].kind, section].add(value)
    assert found == {(kind, section): set(range(1, 9)) for kind, table in HITS.items() for section in table}


def test_every_modifier_of_a_shot():
    assert {d["by"] for d in data("modified")} == {COMPUTED, SMOKED, AT_PEDESTRIAN}
    assert WITHIN in {d["by"] for d in data("modified") if d["why"].startswith("within")}


def test_ammunition_goes_off_out_of_a_pod_and_a_turret():
    mounts = {d["mount"].split()[-1] for d in data("detonated")}
    assert mounts == {"pod", "turret"}
    assert len(falls("direction of the")) > 1


def at(kind: str) -> Iterator[tuple[GameState, Event]]:
    """Each event of a kind in the game on foot, with the state before it."""
    log = GOLDEN.logs[ON_FOOT]
    for k, event in enumerate(log):
        if event.kind == kind:
            # What an action tells is folded event by event: the state as its batch began is near enough.
            yield Match.replay(GAME, log[: _batch(log, k)]).state, event


def _batch(log: list[Event], place: int) -> int:
    """Where the batch of an event begins: at its action."""
    return max(k for k in range(place + 1) if log[k].kind in ("action", "overrule", "begin", "sealed"))


def test_drivers_leave_with_the_hits_that_they_have():
    assert any(state.person(event.data["person"]).hits for state, event in at("got out"))


def test_drivers_walk_through_every_counter_and_into_all_cover():
    ways = [(state, event, tuple(event.data["cell"])) for state, event in at("walked")]
    assert all(
        max(abs(a - b) for a, b in zip(cell, state.person(event.data["person"]).cell, strict=True)) <= 2
        for state, event, cell in ways
    )
    assert {t.kind for state, _, cell in ways for t in state.tokens_at(cell)} | passed(ways) == set(PASSIVES)
    terrain = [state.terrain_at(cell) for state, _, cell in ways]
    assert {t.kind for t in terrain if t is not None} == {"building", "trees"}
    assert any((v := state.at(cell)) is not None and v.wreck for state, _, cell in ways)
    assert not any(e.kind == "ran onto" for e in GOLDEN.logs[ON_FOOT]), "counters do nothing to them"


def passed(ways) -> set[str]:
    """The counters that lie half-way of walks of two points along a row."""
    half = [
        (
            state,
            tuple((a + b) // 2 for a, b in zip(cell, state.person(event.data["person"]).cell, strict=True)),
        )
        for state, event, cell in ways
    ]
    return {t.kind for state, cell in half for t in state.tokens_at(cell)}


def test_drivers_fire_from_cover_and_are_hit_behind_it_only_once_it_is_gone():
    fired = [
        s
        for s, e in at("fired")
        if e.data["vehicle"] is None and s.terrain_at(s.person(e.data["person"]).cell)
    ]
    assert fired
    log = GOLDEN.logs[ON_FOOT]
    (hurt,) = (k for k, e in enumerate(log) if e.kind == "hurt" and "Terrain and Wrecks" in e.citation)
    assert [e.kind for e in log[hurt - 2 : hurt]] == ["marked", "razed"]
    assert {d["by"] for d in (e.data for e in log if e.kind == "modified")} >= {AT_PEDESTRIAN, WITHIN}


def test_any_occupant_fires_the_weapons_of_a_wreck():
    of_wrecks = [(s.vehicle(e.data["vehicle"]), e) for s, e in at("fired") if e.data["vehicle"]]
    assert any(v.wreck and e.data["person"] != f"driver of {v.name}" for v, e in of_wrecks)


def test_drivers_take_over_vehicles_that_were_left_and_those_of_the_dead():
    dead = {
        any(p.dead and p.name == f"driver of {e.data['vehicle']}" for p in s.people) for s, e in at("boarded")
    }
    assert dead == {True, False}


def test_drivers_reload_and_are_run_over():
    ((state, event),) = at("reloaded")
    assert state.person(event.data["from"]).dead
    assert event.data["rounds"] > 0
    log = GOLDEN.logs[ON_FOOT]
    over = [k for k, e in enumerate(log) if e.kind == "killed" and "Pedestrians" in e.citation]
    assert any(log[k - 1].kind == "drove" for k in over)
