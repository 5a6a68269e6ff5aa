"""Ranges, contacts, sight and move areas, each against another way to measure it."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import cv2
import numpy as np
import pytest
from shapely.affinity import translate

from benchmarks.traffic import APART, Pair, compare, jam, measure, separations
from engine.errors import TableRefError
from engine.game.contract import Seen
from engine.games.shattered_highways.rules.contacts import contacts, sideswipes, swiped, targets
from engine.games.shattered_highways.rules.displacing import lost_control
from engine.games.shattered_highways.rules.moves import move_area
from engine.games.shattered_highways.rules.owed import edge_at
from engine.games.shattered_highways.rules.ranges import (
    HERO_RANGE,
    Mount,
    boardable,
    in_chains,
    near,
    rule_distance,
    rule_shot,
)
from engine.games.shattered_highways.state.game_state import Duty, Placement
from engine.measure.sweep import Side
from engine.ruling import Verdict
from engine.space.catalogue import CARS, table_of
from engine.space.table import Standing
from tests.engine.games.shattered_highways.drawn_road import play
from tests.engine.games.shattered_highways.highway import ROAD, car, highway, rig
from tests.engine.games.shattered_highways.playing import GAME, begun, do, driven, offered, piece
from tests.volume import volume


def test_boarding_within_an_inch_edge_to_edge() -> None:
    table = highway(
        car("Red", 20.0, 12.0, sd=0.02), car("Blue", 20.0, 14.0, sd=0.02), car("Green", 23.95, 12.0, sd=0.02),
        car("Grey", 20.0, 9.0, sd=0.02),
    )  # fmt: skip
    found = {n.other: n for n in boardable(table, "Red")}
    assert list(found) == ["Blue", "Green"]
    assert found["Blue"].verdict is Verdict.YES
    assert found["Blue"].distance.margin == pytest.approx(0.2)
    assert found["Green"].verdict is Verdict.TOO_CLOSE


def test_from_a_rig_each_of_its_bodies_is_told_apart() -> None:
    table = highway(rig("Hauler", 24.0, 12.0), car("Blue", 18.0, 13.5))
    assert [(n.body, n.other) for n in boardable(table, "Hauler trailer")] == [
        ("Hauler trailer", "Hauler"), ("Hauler trailer", "Blue"),
    ]  # fmt: skip
    assert [n.other for n in boardable(table, "Hauler")] == ["Hauler trailer"]
    from_blue = boardable(table, "Blue")
    assert [(n.other, n.vehicle) for n in from_blue] == [("Hauler trailer", "Hauler")]


def test_a_heros_weapon_reaches_three_inches_from_any_edge_of_the_vehicle() -> None:
    table = highway(rig("Hauler", 24.0, 12.0), car("Blue", 13.0, 12.0), car("Green", 24.0, 16.0))
    found = near(table, ["Hauler", "Hauler trailer"], HERO_RANGE)
    assert {(n.body, n.other) for n in found} == {("Hauler", "Green"), ("Hauler trailer", "Blue")}
    ruling = rule_distance(table, "Hauler", "Green", 3.0, "Range", citation="x")
    assert ruling.verdict is Verdict.YES


@pytest.mark.parametrize(
    ("mount", "x", "y", "verdict"),
    [
        ("front", 28.0, 12.0, Verdict.YES), ("front", 12.0, 12.0, Verdict.NO),
        ("rear", 12.0, 12.0, Verdict.YES),
        ("front", 32.0, 12.0, Verdict.NO), ("rear", 28.0, 12.0, Verdict.NO),
        ("front", 22.0, 15.0, Verdict.YES),  # partly ahead of the nose
        ("front", 19.0, 15.0, Verdict.NO),  # beside
    ],
)  # fmt: skip
def test_a_mounted_weapon_reaches_six_inches_to_its_side(
    mount: Mount, x: float, y: float, verdict: Verdict
) -> None:
    table = highway(car("Red", 20.0, 12.0, sd=0.02), car("Blue", x, y, sd=0.02))
    assert rule_shot(table, "Red", "Blue", mount).verdict is verdict


def test_a_rigs_side_weapon_and_one_body_of_a_rig_alone() -> None:
    table = highway(rig("Hauler", 24.0, 12.0), car("Blue", 18.0, 15.0))
    assert rule_shot(table, "Hauler", "Blue", "left").verdict is Verdict.YES
    assert rule_shot(table, "Hauler", "Blue", "right").verdict is Verdict.NO
    # Blue's gun looks ahead at the tractor; its trailer lies partly beside and partly ahead.
    assert rule_shot(table, "Blue", "Hauler", "front").target == "Hauler"
    assert rule_shot(table, "Blue", "Hauler trailer", "front").verdict is Verdict.YES
    assert rule_shot(table, "Blue", "Hauler", "rear").verdict is Verdict.NO
    with pytest.raises(TableRefError, match="cannot shoot at itself"):
        rule_shot(table, "Hauler", "Hauler trailer", "rear")


def test_who_drives_in_the_dust_of_drag_chains() -> None:
    # The section begins at the tail, 18.525, and ends at 15.525; it is 4 wide.
    table = highway(
        car("Red", 20.0, 12.0, sd=0.02), car("Blue", 15.0, 12.0, sd=0.02), car("Green", 14.05, 9.0, sd=0.02),
        car("Edge", 15.0, 14.6, sd=0.03), car("Beside", 21.0, 13.5, sd=0.02),
    )  # fmt: skip
    found = {n.other: n.verdict for n in in_chains(table, "Red", 0.0)}
    assert found == {"Blue": Verdict.YES, "Edge": Verdict.TOO_CLOSE}


FRONT, REAR, LEFT, RIGHT = Side.FRONT, Side.REAR, Side.LEFT, Side.RIGHT


@pytest.mark.parametrize(
    ("x", "y", "sides"),
    [
        (22.95, 12.0, (FRONT, REAR)), (17.05, 12.3, (REAR, FRONT)),
        (20.0, 13.2, (LEFT, RIGHT)), (21.5, 10.8, (RIGHT, LEFT)), (18.2, 13.25, (LEFT, RIGHT)),
    ],
)  # fmt: skip
def test_which_side_touches_which(x: float, y: float, sides: tuple[Side, Side]) -> None:
    table = highway(car("Red", 20.0, 12.0, sd=0.02), car("Blue", x, y, sd=0.02))
    (touch,) = contacts(table, "Red")
    assert (touch.other, touch.verdict, touch.sides_sure) == ("Blue", Verdict.YES, Verdict.YES)
    assert (touch.side, touch.other_side) == sides
    (back,) = contacts(table, "Blue")
    assert (back.side, back.other_side) == sides[::-1]


def test_a_hands_breadth_away_is_no_contact_and_in_between_is_too_close() -> None:
    red = car("Red", 20.0, 12.0, sd=0.02)
    assert contacts(highway(red, car("Blue", 23.3, 12.0, sd=0.02)), "Red") == ()
    (maybe,) = contacts(highway(red, car("Blue", 20 + 2.95 + 0.12, 12.0, sd=0.02)), "Red")
    assert maybe.verdict is Verdict.TOO_CLOSE
    # Both outlines have their corners cut off: they meet there, neither side against side.
    (touch,) = contacts(highway(red, car("Blue", 22.88, 13.13, sd=0.02)), "Red")
    assert touch.sides_sure is Verdict.TOO_CLOSE


def test_whom_one_can_nudge_or_ram_and_how() -> None:
    table = highway(
        car("Red", 20.0, 12.0), car("Blue", 26.0, 12.0), car("Green", 21.0, 14.0), car("Far", 40.0, 12.0)
    )
    found = {t.name: t for t in targets(table, "Red", 0.0)}
    assert set(found) == {"Blue", "Green"}
    assert found["Blue"].verdict is Verdict.YES
    ways = {name: {sides for sides, _ in t.sides} for name, t in found.items()}
    assert (FRONT, REAR) in ways["Blue"]
    assert (LEFT, RIGHT) in ways["Green"]
    # Blue can be passed, and then struck from beside or from ahead with the tail.
    assert (LEFT, RIGHT) in ways["Blue"]


def test_at_the_shift_that_is_told_the_sides_do_meet() -> None:
    table = highway(car("Red", 20.0, 12.0), car("Blue", 26.0, 12.5), car("Green", 21.0, 14.0, 3.0))
    for target in targets(table, "Red", 0.0):
        other = table.find(target.name)
        for sides, (x, y) in target.sides:
            there = highway(car("Red", 20.0 + x, 12.0 + y), other)
            touch = next(c for c in contacts(there, "Red"))
            assert touch.gap.value == pytest.approx(0.0, abs=1e-6)
            assert (touch.side, touch.other_side) == sides


def test_who_is_shut_off_cannot_be_struck_and_at_the_edge_it_is_too_close_to_call() -> None:
    row = [car(f"C{k}", 25.0, 12.0 + 1.3 * (k - 2)) for k in range(5)]
    table = highway(car("Red", 20.0, 12.0), *row, car("Blue", 29.0, 12.0))
    names = {t.name for t in targets(table, "Red", 0.0)}
    assert "C2" in names
    assert "Blue" not in names
    # The sedan goes 9 inches; the other's tail begins 9.00 ahead of its nose.
    table = highway(car("Red", 10.0, 12.0, sd=0.03), car("Blue", 10.0 + 2.95 + 9.0, 12.0, sd=0.03))
    (target,) = targets(table, "Red", 0.0)
    assert target.verdict is Verdict.TOO_CLOSE


def test_a_long_vehicle_sideswipes_several_at_once() -> None:
    table = highway(
        rig("Hauler", 24.0, 12.0), car("Blue", 16.0, 14.0), car("Green", 20.5, 14.05), car("Grey", 25.0, 9.9)
    )
    found = {(s.side, s.names) for s in sideswipes(table, "Hauler", 0.0)}
    assert (LEFT, ("Blue", "Green")) in found
    assert not any("Grey" in names and len(names) > 1 for _, names in found)
    assert sideswipes(highway(car("Red", 20, 12), car("A", 18, 14), car("B", 22, 14)), "Red", 0.0) == ()
    # One that stands back a little from the other, beside which the Rig is wherever it goes.
    (both,) = sideswipes(
        highway(rig("Hauler", 24.0, 12.0), car("A", 14.77, 9.71), car("B", 19.5, 9.74)), "Hauler", 0.0
    )
    assert (both.side, both.names) == (RIGHT, ("A", "B"))


def test_whom_it_touches_when_it_has_been_pushed_there() -> None:
    table = highway(rig("Hauler", 24.0, 12.75), car("Blue", 18.0, 14.0), car("Green", 25.2, 14.05))
    touching = swiped(table, "Hauler")
    assert {c.other for c in touching[LEFT]} == {"Blue", "Green"}
    assert touching[RIGHT] == ()
    # Blue beside the trailer, Green beside the tractor: the body that meets is told.
    assert {c.other: c.body for c in touching[LEFT]} == {"Blue": "Hauler trailer", "Green": "Hauler"}


def road(**at):
    """A road to the right, 48 by 24 inches: cars by name, with x and y, facing along it."""
    return table_of({n.replace("_", " "): ("sedan", *xy) for n, xy in at.items()}, size=(48, 24))


def test_a_weapon_shoots_forward_within_six_inches_and_without_a_camera_everybody_may_be_boarded():
    match = begun(piece("Red 1"), piece("Blue 1"), piece("Blue 2"), piece("Blue 3"))
    table = road(Red_1=(20, 12), Blue_1=(26, 12), Blue_2=(14, 12), Blue_3=(40, 12))
    option = next(o for o in match.options(table) if o.kind == "shoot")
    against = {c.value: c.not_now for c in option.form.fields["to"].candidates}
    assert against["Blue 1"] == ()
    assert "outside the arc" in against["Blue 2"][0].words
    assert len(against["Blue 3"]) == 1
    assert all(not c.not_now for c in offered(match, "board")[0].form.fields["to"].candidates)


def test_an_unmanned_vehicle_has_its_ghost_a_section_back():
    match = begun()
    table = road(Red_1=(20, 12), Blue_1=(40, 12))
    match.overrule(("warriors", "Red's hero", "out"), True, "shot")
    do(match, "done", table=table)
    (ghost,) = GAME.ghosts(match.state, Seen(table))
    assert ghost.pose == pytest.approx((17.0, 12.0, 0.0))


def test_the_fleet_is_moved_back_each_to_its_ghost():
    match = begun()
    table = road(Red_1=(46.5, 12), Blue_1=(36, 6))
    driven(match, "Red 1")
    do(match, "moved", vehicle="Red 1", edge="front", table=table)
    ghosts = {g.piece: g for g in GAME.ghosts(match.state, Seen(table))}
    inches = match.state.duties[0].inches
    assert ghosts["Red 1"].pose[0] == pytest.approx(46.5 - inches)
    assert ghosts["Blue 1"].pose[0] == pytest.approx(36 - inches)
    assert {g.right for g in ghosts.values()} == {False}


def test_move_areas_agree_with_brute_force_in_traffic_jams() -> None:
    found = measure(jams=25)
    assert found["positions_tried"] > 1_000_000
    assert found["disagree"] == 0
    assert found["axes_against_shapely_wrong"] == 0
    assert found["boxed_in"] < 5
    assert found["drawn_ms_median"] < 30.0


def test_brute_force_sees_a_wall_that_is_out_by_little_more_than_it_may_be() -> None:
    seen = 0
    for seed in range(8):
        table = jam(seed)
        area = move_area(table, "V0", 0.0)
        space = area.ahead.space
        off = 2.5 * APART
        walls = tuple(replace(w, polygon=translate(w.polygon, off)) for w in space.walls)
        wrong = replace(area.ahead, space=replace(space, walls=walls))
        tampered = replace(area, ahead=wrong)
        found = compare(table, tampered, tampered.ahead, np.random.default_rng(seed))
        seen += max(found.beyond, found.short) > APART
    assert seen >= 5


NUMBER = 7
"""A short game; the benchmark plays longer ones."""


def test_a_random_game_is_played_to_its_end_by_what_the_table_says() -> None:
    played = play(NUMBER)
    kinds = {e.kind for e in played.match.log}
    assert {"moved", "shot", "placed", "veers"} <= kinds
    assert all("edge" not in e.data["data"] for e in played.match.log if e.kind == "action"), "nothing typed"


def test_lost_control_reaches_the_edges_that_an_oracle_of_numbers_says() -> None:
    """Alone on the road: where a car comes by section, stopped at the road's edge, and which edge that is."""
    chance, found = random.Random("edges"), Counter[str]()
    # Ahead and to the left of the car's middle: the farthest edge of each of the template's sections.
    goals = {1: (4.5, -1), 2: (0, -2), 3: (-4.5, -1), 4: (-4.5, 1), 5: (0, 2), 6: (4.5, 1)}
    outline = CARS["sedan"].footprint.outline
    (rear, right), (front, left) = outline.min(axis=0), outline.max(axis=0)
    for _ in range(volume(60, 20_000)):
        low, high = chance.choice(((-rear, 48 - front), (-rear, 5 - rear), (43 - front, 48 - front)))
        x, y = chance.uniform(low, high), chance.uniform(-right, 24 - left)
        section = chance.randint(1, 6)
        (dx, dy), room = goals[section], [1.0]
        for gone, ahead, behind in ((dx, 48 - front - x, x + rear), (dy, 24 - left - y, y + right)):
            room += [ahead / gone] if gone > 0 else [behind / -gone] if gone < 0 else []
        share = min(room)
        there = (x + share * dx, y + share * dy)
        edge = "front" if 48 - front - there[0] <= 0.1 else "back" if there[0] + rear <= 0.1 else None
        table = highway(car("Red 1", x, y))
        duty = Duty("lost", "Red 1", "", section=section)
        gone = lost_control(table, "Red 1", ROAD, section)
        assert gone.pose.xy == pytest.approx(there, abs=1e-3), (x, y, section)
        place = Placement("Red 1", (gone.pose.x, gone.pose.y, gone.pose.heading))
        told = edge_at(replace(duty, ways=((place,),)), table, ROAD)
        near = min(abs(48 - front - there[0] - 0.1), abs(there[0] + rear - 0.1)) < 1e-3
        assert told == edge or near, (x, y, section, told, edge)
        found[str(edge)] += 1
    assert set(found) == {"None", "front", "back"}


def sides_by_numbers(one: Standing, other: Standing) -> tuple[float, Side | None]:
    """How far two outlines along the road are apart, and which side of the first is turned to the second.

    From their ends alone; None at a corner.
    """
    (ax, ay, bx, by), (cx, cy, dx, dy) = one.region.polygon.bounds, other.region.polygon.bounds
    beyond = {Side.FRONT: cx - bx, Side.REAR: ax - dx, Side.LEFT: cy - by, Side.RIGHT: ay - dy}
    side = max(beyond, key=beyond.__getitem__)
    along, across = max(cx - bx, ax - dx), max(cy - by, ay - dy)
    corner = abs(along - across) < 0.4 or min(along, across) > -0.4
    return math.hypot(max(along, 0.0), max(across, 0.0)), None if corner else side


def test_whom_a_rig_touches_with_which_side_is_what_an_oracle_of_numbers_says() -> None:
    chance, touched = random.Random("sideswipes"), 0
    for number in range(volume(40, 20_000)):
        hauler, beside = rig("Hauler", 24.0, 12.0), []
        for k in range(3):
            up = chance.choice((1.0, -1.0)) * chance.uniform(1.3, 1.7)
            new = car(f"Car {k}", chance.uniform(15.0, 29.0), 12.0 + up)
            stands = [*hauler, *beside]
            if all(s.region.polygon.distance(new.region.polygon) > 0.02 for s in stands):
                beside.append(new)
        for side, found in swiped(highway(hauler, *beside), "Hauler").items():
            said = {(c.body, c.other) for c in found}
            for body, other in product(hauler, beside):
                away, turned = sides_by_numbers(body, other)
                if turned is not None and abs(away - 0.15) > 0.01:
                    told = (body.name, other.name) in said
                    assert told == (turned is side and away < 0.15), (number, body.name, other.name)
                    touched += told
    assert touched > 0


PITCH = 0.05
"""Inches from one place of the oracle's grid to the next."""

Groups = dict[Side, set[frozenset[str]]]


def swiped_by_numbers(
    hauler: Sequence[Standing], others: Sequence[Standing], *, clear: float, near: float, along: float
) -> Groups:
    """Which cars a Rig along the road touches at once, wherever it can be slid in the template of 6 by 4.

    Every place of a grid is tried, and what hangs together with the start is where it comes: it keeps so
    many inches `clear` of everything, and touches what is at most `near` beside it for so many `along`.
    """
    found: Groups = {Side.LEFT: set(), Side.RIGHT: set()}
    (_, right, _, left), boxes = hauler[0].region.polygon.bounds, [s.region.polygon.bounds for s in hauler]
    pairs = [
        Pair.of(*(s.pose.to_table(s.piece.body.footprint.outline) for s in two))
        for two in product(hauler, others)
    ]
    rows, columns = np.arange(0, 6.0 + PITCH / 2, PITCH), int((2.0 - (left - right) / 2) / PITCH)
    for ahead in (1, -1):
        grid = np.stack(
            np.meshgrid(ahead * rows, PITCH * np.arange(-columns, columns + 1), indexing="ij"), axis=-1
        )
        free = (separations(pairs, grid) >= clear).astype(np.uint8)
        _, parts = cv2.connectedComponents(free, connectivity=4 if clear > 0 else 8)
        here = (parts == parts[0, columns]) & (free[0, columns] > 0)
        for side, up in ((Side.LEFT, 1), (Side.RIGHT, -1)):
            touched = np.zeros((*here.shape, len(others)), bool)
            for (k, (a, b, c, d)), (e, f, g, h) in product(
                enumerate(s.region.polygon.bounds for s in others), boxes
            ):
                gap = b - h - grid[..., 1] if up > 0 else f + grid[..., 1] - d
                beside = np.minimum(c, g + grid[..., 0]) - np.maximum(a, e + grid[..., 0])
                touched[..., k] |= here & (np.abs(gap) <= near) & (beside >= along)
            for row in np.unique(touched[touched.sum(axis=-1) > 1], axis=0):
                found[side].add(frozenset(s.name for s, on in zip(others, row, strict=True) if on))
    return found


def test_sideswipes_are_those_of_an_oracle_that_tries_every_place() -> None:
    """ "As long as the player can physically position the rig … to logically touch all the vehicles"."""
    chance, told = random.Random("sideswiped"), Counter[str]()
    for number in range(volume(24, 20_000)):
        hauler, beside = rig("Hauler", 24.0, 12.0), []
        line = chance.choice((1, -1)) * chance.uniform(1.35, 2.9)
        for k in range(chance.randint(2, 4)):
            up = line + chance.uniform(0.0, 0.25) if chance.random() < 0.8 else chance.uniform(-3.0, 3.0)
            new = car(f"Car {k}", chance.uniform(12.0, 33.0), 12.0 + up)
            if all(s.region.polygon.distance(new.region.polygon) > 0.06 for s in (*hauler, *beside)):
                beside.append(new)
        said = sideswipes(highway(hauler, *beside), "Hauler", 0.0)
        # What it surely touches, and what it touches at the most.
        sure = swiped_by_numbers(hauler, beside, clear=0.02, near=0.13, along=0.5)
        most = swiped_by_numbers(hauler, beside, clear=-0.03, near=0.21, along=-0.05)
        for side, group in ((side, group) for side, groups in sure.items() for group in groups):
            assert any(s.side is side and group <= set(s.names) for s in said), (number, group)
            told["found"] += 1
        for swipe in said:
            assert any(set(swipe.names) <= group for group in most[swipe.side]), (number, swipe)
            told["told"] += 1
    assert min(told["found"], told["told"]) > 2
