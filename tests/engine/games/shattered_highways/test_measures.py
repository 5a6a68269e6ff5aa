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

from benchmarks.traffic import APART, MODELS, Pair, compare, jam, measure, separations
from engine.boards.road import Road
from engine.errors import TableRefError
from engine.game.contract import Seen
from engine.games.shattered_highways.rules.contacts import (
    AGAINST,
    Sideswipe,
    contacts,
    sideswipes_in,
    stands_against,
    swiped,
    targets,
)
from engine.games.shattered_highways.rules.displacing import (
    centring_shift,
    fall_back,
    lost_control,
    shifted_fleet,
)
from engine.games.shattered_highways.rules.moves import move_area
from engine.games.shattered_highways.rules.owed import edge_at
from engine.games.shattered_highways.rules.striking import (
    BOARDING,
    HERO_RANGE,
    Mount,
    in_chains,
    rule_distance,
    rule_shot,
)
from engine.games.shattered_highways.state import Duty, Placement
from engine.measure.sweep import Side
from engine.ruling import Verdict
from engine.space.catalogue import CARS, box, table_of
from engine.space.geometry import FloatArray, Pose, Region
from engine.space.pieces import Hitch, Piece, TagMount
from engine.space.table import PoseUncertainty, Standing, TableState
from tests.engine.games.shattered_highways.drawn_road import play
from tests.engine.games.shattered_highways.highway import ROAD, car, highway, rig
from tests.engine.games.shattered_highways.playing import GAME, begun, do, driven, offered, piece
from tests.volume import volume


def sideswipes(table: TableState) -> tuple[Sideswipe, ...]:
    """The groups that the Rig Hauler can be moved against, on a road straight to the right."""
    return sideswipes_in(table, move_area(table, "Hauler", 0.0))


def test_boarding_within_an_inch_edge_to_edge() -> None:
    table = highway(
        car("Red", 20.0, 12.0, sd=0.02), car("Blue", 20.0, 14.0, sd=0.02), car("Green", 23.95, 12.0, sd=0.02),
        car("Grey", 20.0, 9.0, sd=0.02),
    )  # fmt: skip
    blue, green, grey = (
        rule_distance(table, "Red", other, BOARDING, "Boarding", citation="x")
        for other in ("Blue", "Green", "Grey")
    )
    assert blue.verdict is Verdict.YES
    assert blue.check("Boarding").margin == pytest.approx(0.2)
    assert (green.verdict, grey.verdict) == (Verdict.TOO_CLOSE, Verdict.NO)


def test_a_heros_weapon_reaches_three_inches_from_any_edge_of_the_vehicle() -> None:
    table = highway(rig("Hauler", 24.0, 12.0), car("Blue", 13.0, 12.0), car("Green", 24.0, 16.0))
    for other in ("Green", "Blue"):
        ruling = rule_distance(table, "Hauler", other, HERO_RANGE, "Range", citation="x")
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
    found = {(s.side, s.names) for s in sideswipes(table)}
    assert (LEFT, ("Blue", "Green")) in found
    assert not any("Grey" in names and len(names) > 1 for _, names in found)
    # One that stands back a little from the other, beside which the Rig is wherever it goes.
    (both,) = sideswipes(highway(rig("Hauler", 24.0, 12.0), car("A", 14.77, 9.71), car("B", 19.5, 9.74)))
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


Bodies = list[tuple[str, str, float, float]]
"""A vehicle's bodies on a road: name, model, and where their middles are, ahead and to the left."""

ROADS = (
    (ROAD, Region.rectangle(0, 0, 48, 24)),
    (Road(40.0, 20.0, frame=Pose(20.0, 0.0, math.pi / 2)), Region.rectangle(0, 0, 20, 40)),
    (Road(60.0, 30.0, frame=Pose(60.0, 30.0, math.pi)), Region.rectangle(0, 0, 60, 30)),
)
"""To the right, up and to the left, of three sizes."""


def on_road(chance: random.Random, name: str, ahead: float, left: float, *, long: bool) -> Bodies:
    """A vehicle of any model there; a long one has a trailer, a little aside of straight behind."""
    if not long:
        return [(name, chance.choice(MODELS), ahead, left)]
    aside = chance.uniform(-0.15, 0.15)
    return [
        (name, "rig-tractor", ahead, left),
        (f"{name} trailer", "rig-trailer", ahead - 4.75, left + aside),
    ]


def outlines(bodies: Bodies, by: Sequence[float] = (0.0, 0.0)) -> list[FloatArray]:
    """Their outlines on the road, moved by so much."""
    return [CARS[model].footprint.outline + np.array([x + by[0], y + by[1]]) for _, model, x, y in bodies]


def ends_of(bodies: Bodies) -> tuple[float, float, float, float]:
    """Rear, right, front and left end of a vehicle."""
    every = np.concatenate(outlines(bodies))
    (rear, right), (front, left) = every.min(axis=0), every.max(axis=0)
    return float(rear), float(right), float(front), float(left)


def meeting(one: Bodies, other: Bodies, way: Sequence[float]) -> tuple[float, float]:
    """Between which shares of a way two vehicles overlap where the one goes it and the other stands."""
    found = (math.inf, -math.inf)
    for mine, theirs in product(outlines(one), outlines(other)):
        pair = Pair.of(mine, theirs)
        speeds = pair.normals @ np.asarray(way)
        if ((np.abs(speeds) < 1e-12) & (pair.gaps >= 0.0)).any():
            continue
        ahead, back = speeds > 1e-12, speeds < -1e-12
        first = max((pair.gaps[ahead] / speeds[ahead]).tolist(), default=-math.inf)
        last = min((pair.gaps[back] / speeds[back]).tolist(), default=math.inf)
        if first < last and last > 0.0:
            found = min(found, (first, last))
    return found


def apart(one: Bodies, other: Bodies) -> float:
    """No more than what is between two vehicles, inches."""
    still = np.zeros((1, 2))
    return min(float(Pair.of(a, b).apart(still)[0]) for a, b in product(outlines(one), outlines(other)))


def traffic(chance: random.Random, road: Road, first: Bodies, count: int, spread: float) -> list[Bodies]:
    """Up to so many vehicles about the first, and it, none against another and all on the road.

    What stands against another may slide along it, which is another question.
    """
    found = [first]
    for k in range(count):
        ahead, left = first[0][2] + chance.uniform(-spread, spread), first[0][3] + chance.uniform(-4.0, 4.0)
        new = on_road(chance, f"Blue {k}", ahead, left, long=chance.random() < 0.2)
        rear, right, front, beside = ends_of(new)
        on = rear > 0.0 and right > 0.0 and front < road.length and beside < road.width
        if on and all(apart(new, other) > AGAINST for other in found):
            found.append(new)
    return found


def stood(road: Road, surface: Region, vehicles: Sequence[Bodies]) -> TableState:
    """The table with them on it."""
    standings = []
    for (head, *_), bodies in ((bodies[0], bodies) for bodies in vehicles):
        for k, (name, model, x, y) in enumerate(bodies):
            mount = TagMount("tag36h11", 77, 0.5, 1.7) if k else None
            hitch = Hitch(head, (2.6, 0.0), (-1.2, 0.0)) if k else None
            body = Piece(name, "trailer" if k else "car", CARS[model], mount, hitch=hitch)
            standings.append(Standing(body, road.frame.compose(Pose(x, y)), PoseUncertainty.exact()))
    return TableState.of(surface, standings)


def on_the_road(road: Road, pose: Pose) -> tuple[float, float]:
    """How far ahead and to the left of the road's rear right corner a pose lies."""
    x, y, turn = pose.x - road.frame.x, pose.y - road.frame.y, road.frame.heading
    return (x * math.cos(turn) + y * math.sin(turn), y * math.cos(turn) - x * math.sin(turn))


GOALS = {1: (4.5, -1), 2: (0, -2), 3: (-4.5, -1), 4: (-4.5, 1), 5: (0, 2), 6: (4.5, 1)}
"""Ahead and to the left of a vehicle's middle: the farthest edge of each of the template's sections."""


def test_lost_control_and_falling_back_end_where_an_oracle_of_numbers_says() -> None:
    """ "moves to the furthest edge of the corresponding sector"; "If it encounters another vehicle"."""
    chance, found = random.Random("edges"), Counter[str]()
    for number in range(volume(60, 20_000)):
        road, surface = chance.choice(ROADS)
        long = chance.random() < 0.3
        red = on_road(chance, "Red 1", 0.0, 0.0, long=long)
        rear, right, front, left = ends_of(red)
        low, high = -rear, road.length - front
        near = chance.choice(((low, high), (low, low + 5), (high - 5, high)))
        ahead, aside = chance.uniform(*near), chance.uniform(-right, road.width - left)
        red = [(name, model, x + ahead, y + aside) for name, model, x, y in red]
        vehicles = traffic(chance, road, red, chance.choice((0, 0, 3, 6)), 9.0)
        section = chance.randint(0, 6)
        way = GOALS.get(section, (-3.0, 0.0))
        rear, right, front, left = ends_of(red)
        rooms = [1.0]
        for gone, before, behind in (
            (way[0], road.length - front, rear), (way[1], road.width - left, right)
        ):  # fmt: skip
            rooms += [before / gone] if gone > 0 else [behind / -gone] if gone < 0 else []
        room = min(rooms)
        times = {other[0][0]: meeting(red, other, way) for other in vehicles[1:]}
        inches = math.hypot(*way)
        if any(
            0.0 < first <= last < math.inf and (last - first) * inches < 0.05
            for first, last in times.values()
        ):
            continue  # a corner just brushes another
        hits = {name: first for name, (first, _) in times.items() if first <= room}
        share = min([room, *hits.values()])
        table = stood(road, surface, vehicles)
        gone = lost_control(table, "Red 1", road, section) if section else fall_back(table, "Red 1", road)
        there = [(x + share * way[0], y + share * way[1]) for _, _, x, y in red]
        for (name, pose), at in zip(gone.poses, there, strict=True):
            assert on_the_road(road, pose) == pytest.approx(at, abs=2e-3), (number, name, section)
        close = sorted(hits.values())[:2]
        if len(close) < 2 or (close[1] - close[0]) * inches > 0.01:
            if not hits or abs(close[0] - room) * inches > 0.01:
                met = min(hits, key=hits.__getitem__) if hits else None
                assert (None if gone.met is None else gone.met.other) == met, (number, section)
            found["met"] += bool(hits)
        ahead_left, behind_left = road.length - front - share * way[0], rear + share * way[0]
        edge = "front" if ahead_left <= 0.1 else "back" if behind_left <= 0.1 else None
        place = Placement("Red 1", (gone.pose.x, gone.pose.y, gone.pose.heading))
        told = edge_at(Duty("lost", "Red 1", "", section=section, ways=((place,),)), table, road)
        unsure = min(abs(ahead_left - 0.1), abs(behind_left - 0.1)) < 3e-3
        assert told == edge or unsure, (number, section, told, edge)
        found[str(edge)] += 1
        found["long"] += long
    assert min(found[what] for what in ("None", "front", "back", "met", "long")) > 0, found


def test_a_fleet_is_shifted_to_where_an_oracle_of_numbers_says() -> None:
    """ "move all vehicles back an equal distance"; "it is left against the back edge of the play space"."""
    chance, found = random.Random("fleet"), Counter[str]()
    for number in range(volume(40, 20_000)):
        road, surface = chance.choice(ROADS)
        ahead, aside = chance.uniform(8.0, road.length - 2.0), chance.uniform(3.0, road.width - 3.0)
        first = on_road(chance, "Red 1", ahead, aside, long=chance.random() < 0.3)
        vehicles = traffic(chance, road, first, 7, 18.0)
        table = stood(road, surface, vehicles)
        names = [bodies[0][0] for bodies in vehicles]
        chance.shuffle(names)
        ends = [ends_of(bodies) for bodies in vehicles]
        middle = (max(e[2] for e in ends) + min(e[0] for e in ends)) / 2 - road.length / 2
        assert centring_shift(table, names, road) == pytest.approx(max(middle, 3.0), abs=6e-3)
        length = chance.uniform(3.0, 20.0)
        # How far each could go back before it stands against where each other one stands now.
        free = {
            (a[0][0], b[0][0]): meeting(a, b, (-1.0, 0.0))
            for a, b in product(vehicles, vehicles)
            if a is not b
        }
        if any(first < last < first + 0.05 for first, last in free.values()):
            continue
        goes = {bodies[0][0]: min(length, end[0]) for bodies, end in zip(vehicles, ends, strict=True)}
        for _ in vehicles:
            for (one, other), (inches, last) in free.items():
                if 0.0 < inches < last:
                    goes[one] = min(goes[one], inches + goes[other])
        for moved in shifted_fleet(table, names, road, length):
            start = next(bodies for bodies in vehicles if bodies[0][0] == moved.name)
            for (name, pose), (_, _, x, y) in zip(moved.poses, start, strict=True):
                assert on_the_road(road, pose) == pytest.approx((x - goes[moved.name], y), abs=2e-3), (
                    number, name,
                )  # fmt: skip
            rear = ends_of(start)[0]
            left_back = goes[moved.name] < length - 1e-3 and abs(goes[moved.name] - rear) < 1e-3
            if abs(rear - length) > 1e-2:
                assert moved.at_edge == left_back, (number, moved.name)
            found["back" if left_back else "held up" if goes[moved.name] < length - 1e-3 else "gone"] += 1
    assert min(found[what] for what in ("back", "held up", "gone")) > 0, found


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


def test_whom_a_rig_stands_against_with_which_side_is_what_an_oracle_of_numbers_says() -> None:
    """ "declare how they are Ramming them": along a Rig's sides .15 in count as touching, at its ends .12."""
    chance, touched = random.Random("sideswipes"), Counter[str]()
    ends = {Side.FRONT: 1.7, Side.REAR: -4.75 - 3.0}
    for number in range(volume(40, 20_000)):
        hauler = on_road(chance, "Hauler", 24.0, 12.0, long=True)
        vehicles = [hauler]
        for k in range(4):
            ahead, left = (
                chance.uniform(14.0, 30.0),
                12.0 + chance.choice((1.0, -1.0)) * chance.uniform(1.2, 1.7),
            )
            if chance.random() < 0.3:
                side, middle = chance.choice(list(ends.items()))
                ahead = 24.0 + middle + (1.5 if side is Side.FRONT else -1.5) + chance.uniform(-0.2, 0.3)
                left = 12.0 + chance.uniform(-0.6, 0.6)
            new = on_road(chance, f"Car {k}", ahead, left, long=chance.random() < 0.2)
            if all(apart(new, other) > 0.02 for other in vehicles):
                vehicles.append(new)
        table = stood(ROAD, Region.rectangle(0, 0, 48, 24), vehicles)
        said = {(c.body, c.other_body): c for c in stands_against(table, "Hauler", rig=True)}
        mine, theirs = table.vehicle("Hauler"), table.others("Hauler", "Hauler trailer")
        for body, other in product(mine, theirs):
            away, turned = sides_by_numbers(body, other)
            limit = 0.15 if turned in (Side.LEFT, Side.RIGHT) else 0.12
            if turned is not None and abs(away - limit) > 0.01:
                told = said.get((body.name, other.name))
                assert (told is not None) == (away < limit), (number, body.name, other.name, away)
                if told is not None:
                    assert told.side is turned, (number, body.name, other.name)
                    touched[turned.value] += 1
    assert min(touched[side.value] for side in Side) > 0, touched


PITCH = 0.05
"""Inches from one place of the oracle's grid to the next."""

Groups = dict[Side, set[frozenset[str]]]


def swiped_by_numbers(
    hauler: Sequence[Standing], others: Sequence[Standing], surface: Sequence[float], *,
    clear: float, near: float, along: float,
) -> Groups:  # fmt: skip
    """Which cars a Rig along the road touches at once, wherever it can be slid in the template of 6 by 4.

    Every place of a grid is tried, and what hangs together with the start is where it comes: it keeps so
    many inches `clear` of everything, and touches what is at most `near` beside it for so many `along`.
    """
    found: Groups = {Side.LEFT: set(), Side.RIGHT: set()}
    (_, right, _, left), boxes = hauler[0].region.polygon.bounds, [s.region.polygon.bounds for s in hauler]
    x0, y0, x1, y1 = np.array(boxes).T
    (low, lower, high, higher), heads = surface, [s.name.removesuffix(" trailer") for s in others]
    pairs = [
        Pair.of(*(s.pose.to_table(s.piece.body.footprint.outline) for s in two))
        for two in product(hauler, others)
    ]
    rows, columns = np.arange(0, 6.0 + PITCH / 2, PITCH), int((2.0 - (left - right) / 2) / PITCH)
    for ahead in (1, -1):
        grid = np.stack(
            np.meshgrid(ahead * rows, PITCH * np.arange(-columns, columns + 1), indexing="ij"), axis=-1
        )
        on = (grid[..., 0] >= low - x0.min() + clear) & (grid[..., 0] <= high - x1.max() - clear)
        on &= (grid[..., 1] >= lower - y0.min() + clear) & (grid[..., 1] <= higher - y1.max() - clear)
        free = ((separations(pairs, grid) >= clear) & on).astype(np.uint8)
        _, parts = cv2.connectedComponents(free, connectivity=4 if clear > 0 else 8)
        here = (parts == parts[0, columns]) & (free[0, columns] > 0)
        for side, up in ((Side.LEFT, 1), (Side.RIGHT, -1)):
            touched = np.zeros((*here.shape, len(others)), bool)
            for (k, (a, b, c, d)), (e, f, g, h) in product(
                [(k, s.region.polygon.bounds) for k, s in enumerate(others) if s.piece.moves], boxes
            ):
                gap = b - h - grid[..., 1] if up > 0 else f + grid[..., 1] - d
                beside = np.minimum(c, g + grid[..., 0]) - np.maximum(a, e + grid[..., 0])
                touched[..., k] |= here & (np.abs(gap) <= near) & (beside >= along)
            for row in np.unique(touched[touched.any(axis=-1)], axis=0):
                group = frozenset(name for name, against in zip(heads, row, strict=True) if against)
                found[side] |= {group} if len(group) > 1 else set()
    return found


def test_sideswipes_are_those_of_an_oracle_that_tries_every_place() -> None:
    """ "As long as the player can physically position the rig … to logically touch all the vehicles"."""
    chance, told = random.Random("sideswiped"), Counter[str]()
    for number in range(volume(24, 20_000)):
        # In the middle of the road and at its edges, among vehicles of every model and walls.
        at = chance.choice((12.0, 12.0, chance.uniform(0.8, 2.5), chance.uniform(21.5, 23.2)))
        hauler = on_road(chance, "Hauler", chance.choice((24.0, 24.0, 10.0, 44.0)), at, long=True)
        vehicles, walls = [hauler], list[Standing]()
        line = chance.choice((1, -1)) * chance.uniform(1.35, 2.9)
        for k in range(chance.randint(2, 4)):
            up = line + chance.uniform(0.0, 0.25) if chance.random() < 0.8 else chance.uniform(-3.0, 3.0)
            ahead = hauler[0][2] + chance.uniform(-12.0, 9.0)
            new = on_road(chance, f"Car {k}", ahead, at + up, long=chance.random() < 0.15)
            if all(apart(new, other) > 0.06 for other in vehicles):
                vehicles.append(new)
        surface = Region.rectangle(0, 0, 48, 24)
        table = stood(ROAD, surface, vehicles)
        if chance.random() < 0.3:
            x, y = hauler[0][2] + chance.uniform(-10.0, 8.0), at + chance.uniform(-3.0, 3.0)
            rock = Standing(Piece("Rock", "terrain", box(1.0, 0.6, 1.0)), Pose(x, y), PoseUncertainty.exact())
            if all(s.region.polygon.distance(rock.region.polygon) > 0.06 for s in table.standings):
                walls.append(rock)
        table = TableState.of(surface, [*table.standings, *walls])
        said = sideswipes(table)
        rig_, others = table.vehicle("Hauler"), table.others("Hauler", "Hauler trailer")
        # What it surely touches, and what it touches at the most.
        bounds = surface.polygon.bounds
        sure = swiped_by_numbers(rig_, others, bounds, clear=0.02, near=0.13, along=0.5)
        most = swiped_by_numbers(rig_, others, bounds, clear=-0.03, near=0.21, along=-0.05)
        for side, group in ((side, group) for side, groups in sure.items() for group in groups):
            assert any(s.side is side and group <= set(s.names) for s in said), (number, group)
            told["found"] += 1
        for swipe in said:
            assert any(set(swipe.names) <= group for group in most[swipe.side]), (number, swipe)
            told["told"] += 1
    assert min(told["found"], told["told"]) > 2
