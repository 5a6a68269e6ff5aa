"""Shots by the book: what may be shot at whom, and what the table tells of it."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from engine.errors import TableRefError
from engine.game.events import Illegal, event_to_json
from engine.games.white_line_fever.book.data import WEAPONS, weapon_called
from engine.games.white_line_fever.rules.shots import rule_shot
from engine.ruling import Verdict
from engine.space.geometry import Region
from engine.space.table import Status, Thing, ThingName
from tests.engine.games.white_line_fever.playing import begun, do, drive, kinds, reasons, sheet, told
from tests.engine.tables import block, car, table

YES, NO, OPEN = Verdict.YES, Verdict.NO, Verdict.TOO_CLOSE
ENDS = car("Red 1", 10, 10), car("Blue 1", 20, 10)
NEAR = table(car("Red 1", 10, 10), car("Blue 1", 18, 10))


def known(*pieces, weapon="Machine Gun", **options):
    return rule_shot(table(*pieces), "Red 1", "Blue 1", weapon, **options)


def test_the_book_has_twelve_primary_and_fifteen_secondary_weapons():
    points = [w.hardpoint for w in WEAPONS.values()]
    assert (points.count("primary"), points.count("secondary")) == (12, 15)
    assert [w.name for w in WEAPONS.values() if w.droppable] == [
        "Oil", "Springboard", "Spikes", "Roadmine", "Firebomb", "Barricade",
    ]  # fmt: skip
    assert all(w.short <= w.maximum for w in WEAPONS.values() if not w.droppable)


@pytest.mark.parametrize(
    ("name", "short", "damage", "maximum"),
    [
        ("Mark 9 Javelin", 4, 9, 12),
        ("Field Cannon", 2, 5, 6),
        ("Streetsweeper", 3, 2, 10),
        ("Machine Gun", 10, 1, 20),
        ("Plinker", 30, 1, 30),
        ("Railgun", 6, 1, 16),
        ("Oil", None, 2, None),
    ],
)
def test_weapons_read_as_in_the_book(name, short, damage, maximum):
    weapon = weapon_called(name)
    assert (weapon.short, weapon.damage, weapon.maximum) == (short, damage, maximum)


# The shooter stands at (10, 10) looking along +x; front axle at x = 10.89, front tyres at y = 10 +- 0.51.
@pytest.mark.parametrize(
    ("target", "weapon", "checks", "verdict"),
    [
        # x, y, heading        range, sight, arc, short, tailgate
        ((20, 10, 0), "Machine Gun", (YES, YES, YES, YES, YES), YES),
        ((20, 10, 180), "Machine Gun", (YES, YES, YES, YES, NO), YES),
        ((28, 10, 0), "Machine Gun", (YES, YES, YES, NO, YES), YES),
        ((36, 10, 0), "Machine Gun", (NO, YES, YES, NO, YES), NO),
        ((5, 10, 0), "Machine Gun", (YES, YES, NO, YES, NO), NO),
        ((5, 10, 0), "Creaky Turret", (YES, YES, YES, YES, NO), YES),
        ((10, 15, 90), "Machine Gun", (YES, YES, NO, YES, YES), NO),
        ((11, 15, 0), "Machine Gun", (YES, YES, YES, YES, NO), YES),
    ],
)
def test_a_shot_on_an_open_table(target, weapon, checks, verdict):
    ruling = known(
        car("Red 1", 10, 10, sd=0.005, sd_degrees=0.2), car("Blue 1", *target, sd=0.005), weapon=weapon
    )
    assert [c.name for c in ruling.checks] == [
        "Maximum Range", "Line of Sight", "Forward Arc", "Short Range", "Tailgate",
    ]  # fmt: skip
    assert tuple(c.verdict for c in ruling.checks) == checks
    assert ruling.verdict is verdict
    assert all(c.citation.startswith("White Line Fever 0.9 · ") and c.words for c in ruling.checks)


def test_range_is_measured_from_the_front_tyres_to_the_nearest_tyre():
    check = known(*ENDS).check("Maximum Range")
    assert check.number == pytest.approx(10.0 - 2 * 0.89)
    assert check.words == "8.22 in of 20 in, 11.78 in to spare"
    pieces = car("Red 1", 10, 10), car("Blue 1", 33, 10)
    assert known(*pieces).check("Maximum Range").verdict is NO
    longer = known(*pieces, brand="Venus").check("Maximum Range")
    assert (longer.verdict, longer.limit) == (YES, 22)
    limit = known(car("Red 1", 10, 10, sd=0.01), car("Blue 1", 31.78, 10, sd=0.01)).check("Maximum Range")
    assert limit.verdict is OPEN
    assert 0.3 < limit.p_yes < 0.7


@pytest.mark.parametrize(
    ("weapon", "blocker", "verdict"),
    [
        ("Machine Gun", block("Crate", 15, 10, 1, 4), NO),
        ("Shadowblaster", block("Crate", 15, 10, 1, 4), YES),
        ("Machine Gun", car("Red 2", 15, 10, 90), NO),
        ("Shadowblaster", car("Red 2", 15, 10, 90), NO),
        ("Machine Gun", block("Crate", 15, 14, 1, 4), YES),
        ("Machine Gun", block("Crate", 5, 10, 1, 4), YES),
        ("Machine Gun", block("Crate", 25, 10, 1, 4), YES),
    ],
)
def test_what_stands_between_blocks(weapon, blocker, verdict):
    check = known(*ENDS, blocker, weapon=weapon).check("Line of Sight")
    assert check.verdict is verdict
    assert check.witness.blockers == ((blocker.name,) if verdict is NO else ())


def test_a_line_that_only_touches_is_clear_but_too_close_as_soon_as_it_is_measured():
    # All lines run between y = 9.49 and y = 10.51; the crate ends exactly at the upper tyre line.
    ends = car("Red 1", 10, 10), car("Blue 1", 20, 10)
    exact = known(*ends, block("Crate", 15, 10.51 - 2, 1, 4)).check("Line of Sight")
    assert exact.verdict is YES
    assert abs(exact.margin) < 1e-9
    seen = known(*ends, block("Crate", 15, 10.51 - 2, 1, 4, sd=0.01)).check("Line of Sight")
    assert seen.verdict is OPEN
    assert seen.words.endswith("too close to call; 0.02 in more would settle it")


@pytest.mark.parametrize("weapon", [w.name for w in WEAPONS.values() if w.droppable])
def test_what_is_dropped_cannot_be_aimed(weapon):
    with pytest.raises(TableRefError, match="cannot be aimed"):
        known(*ENDS, weapon=weapon)


@pytest.mark.parametrize(
    ("shooter", "target", "weapon", "message"),
    [
        ("Red 1", "Blue 1", "Catapult", "no weapon called 'Catapult'; expected one of Mark 9 Javelin"),
        ("Red 9", "Blue 1", "Plinker", "no piece called 'Red 9'"),
        ("Red 1", "red-1", "Plinker", "cannot shoot at itself"),
        ("Red 1", "Crate", "Plinker", "Crate is no car"),
    ],
)
def test_refusals_say_what_is_wrong(shooter, target, weapon, message):
    with pytest.raises(TableRefError, match=message):
        rule_shot(table(*ENDS, block("Crate", 3, 3, 1, 1)), shooter, target, weapon)


@pytest.mark.parametrize("status", [Status.HELD, Status.LOST])
@pytest.mark.parametrize("who", ["Red 1", "Blue 1"])
def test_nothing_is_ruled_while_a_car_of_the_shot_is_held_or_lost(status, who):
    pieces = [
        car(n, x, 10, status=status if n == who else Status.STILL) for n, x in (("Red 1", 10), ("Blue 1", 20))
    ]
    ruling = known(*pieces)
    assert {c.verdict for c in ruling.checks} == {OPEN}
    assert all(who in c.words for c in ruling.checks)


@pytest.mark.parametrize(
    ("third", "verdict"),
    [
        (car("Red 2", 15, 10, 90, status=Status.HELD), OPEN),
        (car("Red 2", 15, 12.5, status=Status.LOST), OPEN),
        (car("Red 2", 15, 20, status=Status.HELD), YES),
        (car("Red 2", 15, 10, 90, status=Status.MOVING), NO),
    ],
)
def test_a_third_car_that_is_not_known_leaves_the_sight_line_open(third, verdict):
    check = known(*ENDS, third).check("Line of Sight")
    assert check.verdict is verdict


def test_a_held_car_beside_a_wall_changes_nothing_and_may_close_the_only_line_that_is_left():
    third = car("Red 2", 13, 10, 90, status=Status.HELD)
    check = known(*ENDS, third, block("Wall", 16, 10, 1, 6)).check("Line of Sight")
    assert (check.verdict, check.witness.blockers) == (NO, ("Wall",))
    # The wall leaves only the upper lines; the hand holds a car within an inch of them.
    held = car("Red 2", 15, 12.0, status=Status.HELD)
    check = known(*ENDS, held, block("Wall", 15, 8.35, 1, 4)).check("Line of Sight")
    assert check.verdict is OPEN
    assert "Red 2 is under a hand" in check.words


def test_a_moving_car_is_ruled_for_this_moment_and_says_so():
    ruling = known(car("Red 1", 10, 10, status=Status.MOVING), car("Blue 1", 20, 10))
    assert ruling.verdict is YES
    assert all("Red 1 is moving" in c.words for c in ruling.checks)


def test_a_players_own_car_is_no_target():
    def of(owner, standing):
        return replace(standing, piece=replace(standing.piece, owner=owner))

    one, other = car("Red 1", 10, 10), car("Blue 1", 16, 10)
    friends = known(of("Red", one), of("Red", other))
    assert friends.verdict is NO
    assert friends.check("Enemy Car").words == "Blue 1 is Red's own car"
    enemies = known(of("Red", one), of("Blue", other))
    assert enemies.verdict is YES
    assert "Enemy Car" not in [c.name for c in enemies.checks]


def ready(*others, weapon="Machine Gun", brand="Hammer"):
    slot = {WEAPONS[weapon].hardpoint: weapon}
    match = begun(sheet("Red 1", "Red", brand=brand, **slot), sheet("Blue 1", "Blue"), *others)
    drive(match, "Red 1")
    return match


def shot(match, stood, dice=(8,), weapon="Machine Gun", **data):
    return do(match, "shoot", dice, table=stood, weapon=weapon, target="Blue 1", **data)


def why(match, stood, weapon="Machine Gun", **data):
    return reasons(match, "shoot", stood, weapon=weapon, target="Blue 1", **data)


def test_the_table_gives_range_band_and_tailgate_and_what_was_measured_is_kept():
    events = shot(ready(), NEAR)
    modified = [e.words for e in events if e.kind == "modified"]
    assert modified == ["Short Range +1 Accuracy", "Tailgate +1 Accuracy"]
    target = told(events, "target")[0]
    assert not target["typed"]
    checks = {c["name"]: c for c in target["checks"]}
    assert list(checks) == ["Maximum Range", "Line of Sight", "Forward Arc", "Short Range", "Tailgate"]
    assert checks["Maximum Range"]["number"] == pytest.approx(8 - 2 * 0.89)
    assert checks["Maximum Range"]["citation"] == "White Line Fever 0.9 · Shoot Weapon · Target"
    json.dumps([event_to_json(e) for e in events], allow_nan=False)
    events = shot(ready(), table(car("Red 1", 10, 10), car("Blue 1", 28, 10, 180)))
    assert told(events, "modified") == []


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        ((car("Blue 1", 36, 10),), "Maximum Range: 24.22 in of 20 in"),
        ((car("Blue 1", 5, 10),), "Forward Arc: "),
        ((car("Blue 1", 20, 10), block("Crate", 15, 10, 1, 4)), "Line of Sight: blocked by Crate"),
        ((car("Blue 1", 40, 10), block("Crate", 15, 10, 1, 4)), "; Line of Sight: blocked by Crate"),
    ],
)
def test_what_the_table_surely_denies_is_refused_with_all_reasons(pieces, words):
    stood = table(car("Red 1", 10, 10), *pieces)
    assert words in why(ready(), stood)
    # A ruling on what is open says nothing about what is sure.
    assert words in why(ready(), stood, ruled="yes")


CLOSE = table(car("Red 1", 10, 10, sd=0.05), car("Blue 1", 31.78, 10, sd=0.05))


def test_what_is_too_close_to_call_is_for_the_players():
    match = ready()
    with pytest.raises(Illegal, match="too close to call") as refused:
        shot(match, CLOSE)
    assert [r.open for r in refused.value.reasons] == [True]
    events = shot(match, CLOSE, ruled="yes")
    assert events[0].words == "players' ruling on Maximum Range: yes"
    assert told(events, "ruled")[0]["rule"] == "White Line Fever 0.9 · Shoot Weapon · Target"
    assert told(events, "hit")


@pytest.mark.parametrize("ruled", ["no", {"Maximum Range": "no"}])
def test_a_no_of_the_players_is_recorded_and_the_shot_not_taken(ruled):
    match = ready()
    events = shot(match, CLOSE, (), ruled=ruled)
    assert kinds(events) == ["ruled"]
    assert not match.state.round.acted


def test_a_modifier_that_is_too_close_may_be_ruled_either_way():
    close = table(car("Red 1", 10, 10, sd=0.05), car("Blue 1", 21.78, 10, 180, sd=0.05))
    for ruled, accuracy in (("yes", 1), ("no", 0), ({"Short Range": "yes"}, 1)):
        match = ready()
        assert "Short Range: " in why(match, close)
        assert told(shot(match, close, ruled=ruled), "hit")[0]["accuracy"] == accuracy


def test_by_name_the_players_overrule_even_a_sure_measurement():
    far = table(car("Red 1", 10, 10), car("Blue 1", 36, 10))
    events = shot(ready(), far, ruled={"Maximum Range": "yes"})
    assert kinds(events)[:3] == ["ruled", "target", "shot"]
    near = NEAR
    assert kinds(shot(ready(), near, (), ruled={"Line of Sight": "no"})) == ["ruled"]
    events = shot(ready(), near, ruled={"Tailgate": "no"})
    assert told(events, "hit")[0]["accuracy"] == 1


def test_what_the_table_does_not_know_is_for_the_players_and_what_they_type_goes_before_it():
    far, alone = table(car("Red 1", 10, 10), car("Blue 1", 36, 10)), table(car("Red 1", 10, 10))
    assert told(shot(ready(), far, band="short"), "target")[0]["typed"]
    assert "say the range band" in why(ready(), alone)
    assert not why(ready(), alone, band="short")
    held = table(car("Red 1", 10, 10), car("Blue 1", 18, 10, status=Status.HELD))
    assert "Blue 1 is under a hand" in why(ready(), held)
    assert not why(ready(), held, ruled="yes")
    # A Venus reaches further; and whose car it is says the game, not the table file.
    far = table(car("Red 1", 10, 10), car("Blue 1", 33, 10))
    assert "Maximum Range" in why(ready(), far)
    cited = [e.citation for e in shot(ready(brand="Venus"), far)]
    assert "White Line Fever 0.9 · Brands · Venus" in cited
    same = [replace(s, piece=replace(s.piece, owner="Red")) for s in NEAR.standings]
    assert not why(ready(), table(*same))


@pytest.mark.parametrize(
    ("status", "weapon", "blocked"),
    [
        ("driving", "Machine Gun", True), ("wreck", "Machine Gun", True), ("removed", "Machine Gun", False),
        ("driving", "Shadowblaster", True), ("wreck", "Shadowblaster", False),
    ],
)  # fmt: skip
def test_a_wreck_is_an_obstacle_and_a_removed_car_is_nothing(status, weapon, blocked):
    match = ready(sheet("Blue 2", "Blue"), weapon=weapon)
    match.overrule(["cars", "Blue 2", "status"], status, "so it is")
    stood = table(car("Red 1", 10, 10), car("Blue 2", 14, 10, 90), car("Blue 1", 18, 10))
    assert ("Line of Sight" in why(match, stood, weapon)) is blocked


@pytest.mark.parametrize(
    ("y", "words"),
    [(10.0, "Line of Sight: blocked by Blue 2, "), (12.8, ""), (11.1, "too close to call")],
)
def test_a_wreck_that_was_turned_over_lies_about_where_it_was_seen_last(y, words):
    match = ready(sheet("Blue 2", "Blue"))
    match.overrule(["cars", "Blue 2", "status"], "wreck", "so it is")
    unseen = car("Blue 2", 14, y, 90, status=Status.LOST)
    found = why(match, table(car("Red 1", 10, 10), unseen, car("Blue 1", 18, 10)))
    assert words in found if words else not found
    assert ("too close" in found) is ("too close" in words)


@pytest.mark.parametrize(
    ("pieces", "next_one"),
    [
        ((car("Blue 2", 22, 10),), "Blue 2"),
        ((car("Blue 2", 22, 10), car("Red 2", 26, 10)), "Blue 2"),
        ((car("Red 2", 26, 10),), "Red 2"),
        ((car("Blue 2", 22, 14),), None),
        ((block("Crate", 21, 10, 1, 4), car("Blue 2", 24, 10)), None),
        ((car("Blue 2", 5, 10),), None),
    ],
)
def test_the_next_in_a_railguns_line(pieces, next_one):
    match = ready(sheet("Blue 2", "Blue"), sheet("Red 2", "Red"), weapon="Railgun")
    events = shot(match, table(car("Red 1", 10, 10), car("Blue 1", 18, 10), *pieces), weapon="Railgun")
    assert told(events, "shot")[0]["reached"] == ([next_one] if next_one else [])


@pytest.mark.parametrize(("y", "sd", "open_"), [(10.0, 0.02, False), (10.6, 0.02, True), (11.5, 0.02, False)])
def test_a_car_at_the_rim_of_a_railguns_line_is_for_the_players(y, sd, open_):
    # A sedan is 1.2 wide: at y = 10.6 its flank lies along the line.
    match = ready(sheet("Blue 2", "Blue"), weapon="Railgun")
    stood = table(car("Red 1", 10, 10, sd=sd), car("Blue 1", 18, 10, sd=sd), car("Blue 2", 24, y, sd=sd))
    words = why(match, stood, "Railgun")
    assert words.startswith("Next in Line: ") is open_
    if not open_:
        assert words == ""
        return
    for ruled, reached in (("no", []), ({"Next in Line": "no"}, [])):
        match = ready(sheet("Blue 2", "Blue"), weapon="Railgun")
        events = shot(match, stood, weapon="Railgun", ruled=ruled)
        assert told(events, "shot")[0]["reached"] == reached
    match = ready(sheet("Blue 2", "Blue"), weapon="Railgun")
    assert told(shot(match, stood, weapon="Railgun", reached=["Blue 2"]), "shot")[0]["reached"] == ["Blue 2"]


def test_an_answer_to_what_is_open_does_not_stop_a_railgun_that_surely_goes_on():
    match = ready(sheet("Blue 2", "Blue"), weapon="Railgun")
    # Short Range is too close to call at 6 inches; Blue 2 stands squarely behind Blue 1.
    near = [car("Red 1", 10, 10, sd=0.02), car("Blue 1", 17.78, 10, sd=0.02), car("Blue 2", 24, 10, sd=0.02)]
    assert why(match, table(*near), "Railgun").startswith("Short Range: ")
    for ruled, reached in (("no", ["Blue 2"]), ({"Short Range": "no", "Next in Line": "no"}, [])):
        match = ready(sheet("Blue 2", "Blue"), weapon="Railgun")
        events = shot(match, table(*near), weapon="Railgun", ruled=ruled)
        assert told(events, "shot")[0]["reached"] == reached
        assert [d["question"] for d in told(events, "ruled")] == ["Short Range", "Next in Line"][
            : 2 - len(reached)
        ]


def test_a_car_in_a_railguns_line_that_a_hand_holds_is_for_the_players():
    match = ready(sheet("Blue 2", "Blue"), weapon="Railgun")
    held = car("Blue 2", 24, 10, status=Status.HELD)
    stood = table(car("Red 1", 10, 10), car("Blue 1", 18, 10), held)
    assert why(match, stood, "Railgun") == "Next in Line: Blue 2, too close to call"
    events = shot(match, stood, weapon="Railgun", ruled={"Next in Line": "yes"})
    assert told(events, "shot")[0]["reached"] == ["Blue 2"]


def test_a_grenade_bursts_over_those_within_five_inches():
    match = ready(sheet("Blue 2", "Blue"), sheet("Red 2", "Red"), weapon="Grenade Launcher")
    stood = table(car("Red 1", 10, 10), car("Blue 1", 18, 10), car("Blue 2", 18, 15), car("Red 2", 18, 17.5))
    events = shot(match, stood, weapon="Grenade Launcher")
    assert told(events, "shot")[0]["reached"] == ["Blue 2"]


def test_whether_a_grenade_reaches_a_car_at_the_rim_is_for_the_players():
    match = ready(sheet("Blue 2", "Blue"), weapon="Grenade Launcher")
    stood = table(car("Red 1", 10, 10), car("Blue 1", 18, 10), car("Blue 2", 18, 16.2, sd=0.05))
    assert why(match, stood, "Grenade Launcher") == "Blue 2: within 5 in of Blue 1, too close to call"
    events = shot(match, stood, weapon="Grenade Launcher", ruled={"Blue 2": "no"})
    assert told(events, "shot")[0]["reached"] == []


@pytest.mark.parametrize("weapon", ["Railgun", "Grenade Launcher"])
def test_the_players_may_say_who_else_is_reached(weapon):
    match = ready(sheet("Blue 2", "Blue"), weapon=weapon)
    stood = table(car("Red 1", 10, 10), car("Blue 1", 18, 10), car("Blue 2", 40, 40))
    events = shot(match, stood, weapon=weapon, reached=["Blue 2"])
    assert told(events, "shot")[0]["reached"] == ["Blue 2"]
    assert "not in play" in why(ready(weapon=weapon), stood, weapon, reached=["Blue 1"])


def test_a_target_exactly_at_maximum_range_is_in_range():
    away = 20 + 2 * 0.89
    for degrees in range(0, 360, 15):
        x, y = 24 + away * math.cos(math.radians(degrees)), 24 + away * math.sin(math.radians(degrees))
        stood = table(car("Red 1", 24, 24, degrees), car("Blue 1", x, y, degrees))
        assert not why(ready(), stood), degrees


@pytest.mark.parametrize(("x", "reached"), [(25, ["Blue 2"]), (30, []), (27.78, None)])
def test_a_railguns_second_hit_has_its_range(x, reached):
    others = (sheet("Blue 2", "Blue"),)
    stood = table(car("Red 1", 10, 10, sd=0.01), car("Blue 1", 20, 10), car("Blue 2", x, 10, sd=0.01))
    if reached is None:
        assert "Next in Line: Blue 2, too close to call" in why(
            ready(*others, weapon="Railgun"), stood, "Railgun"
        )
        return
    events = shot(ready(*others, weapon="Railgun"), stood, weapon="Railgun")
    assert told(events, "shot")[0]["reached"] == reached


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"sight": False}, "Blue 1 cannot be seen"),
        ({"arc": False}, "Blue 1 is not in the forward arc"),
        ({"band": "out"}, "Blue 1 is beyond the Machine Gun's Maximum Range"),
        ({"band": "short", "sight": False}, "Blue 1 cannot be seen"),
    ],
)
def test_what_is_typed_stands_against_what_is_seen(said, words):
    assert not why(ready(), NEAR)
    assert why(ready(), NEAR, **said) == words


def test_each_typed_fact_counts_by_itself_and_is_marked():
    behind_a_wall = table(car("Red 1", 10, 10), car("Blue 1", 22, 10, 180), block("Wall", 15, 10, 1, 9))
    assert why(ready(), behind_a_wall).startswith("Line of Sight: blocked by Wall")
    assert why(ready(), behind_a_wall, band="short").startswith("Line of Sight: blocked by Wall")
    events = shot(ready(), behind_a_wall, sight=True, tailgate=True)
    (target,) = [e for e in events if e.kind == "target"]
    assert target.words == "Blue 1 is a legal target (Line of Sight, Tailgate: players' ruling)"
    assert target.data["typed"]
    assert [c["name"] for c in target.data["checks"] if c.get("typed")] == ["Line of Sight", "Tailgate"]
    assert [e.words for e in events if e.kind == "modified"] == ["Tailgate +1 Accuracy"]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"aply": "damage"}, "shoot has no field 'aply'; expected weapon, target, apply,"),
        ({"Sight": False}, "shoot has no field 'Sight'"),
    ],
)
def test_a_field_that_a_shot_does_not_have_is_refused(said, words):
    assert why(ready(), NEAR, **said).startswith(words)
    with pytest.raises(Illegal, match="has no field"):
        shot(ready(), NEAR, **said)


def test_a_die_that_nothing_asks_for_is_refused():
    stood = NEAR
    match = ready()
    with pytest.raises(Illegal, match="7 was typed, but no die is rolled for it"):
        shot(match, stood, dice=(8, 7))
    assert not match.state.round.acted
    assert kinds(shot(match, stood, dice=(8,)))[:2] == ["target", "shot"]


# Obstacles of the table file that nobody has seen.
MUG = block("Mug", 0, 0, 2, 2).piece


def past_a_mug(*pieces, weapon="Machine Gun"):
    return rule_shot(replace(table(*pieces), unplaced=(MUG,)), "Red 1", "Blue 1", weapon)


def test_an_obstacle_that_was_never_seen_leaves_a_clear_line_open_and_is_named():
    ruling = past_a_mug(*ENDS)
    assert {c.name: c.verdict for c in ruling.checks} == {
        "Maximum Range": YES, "Line of Sight": OPEN, "Forward Arc": YES, "Short Range": YES, "Tailgate": YES,
    }  # fmt: skip
    sight = ruling.check("Line of Sight")
    assert ruling.verdict is OPEN
    assert sight.p_yes == 0.5
    assert "Mug is not seen and may be in the way" in sight.words
    assert "take it out of the set-up if it is not on the table" in sight.words


def test_what_an_unseen_obstacle_cannot_change_stays_sure():
    """A line that is blocked anyway, a weapon that obstacles do not stop, and two that touch."""
    wall = block("Wall", 15, 10, 1, 8)
    assert past_a_mug(*ENDS, wall).check("Line of Sight").verdict is NO
    assert past_a_mug(*ENDS, weapon="Shadowblaster").check("Line of Sight").verdict is YES
    flank_to_flank = car("Red 1", 10, 10), car("Blue 1", 10, 10 + ENDS[0].piece.body.width)
    assert past_a_mug(*flank_to_flank).check("Line of Sight").verdict is YES


def test_an_unseen_obstacle_may_stop_a_railgun_between_two_cars():
    rail = car("Red 1", 10, 10), car("Blue 1", 18, 10), car("Blue 2", 24, 10)
    match = ready(sheet("Blue 2", "Blue"), weapon="Railgun")
    words = why(match, replace(table(*rail), unplaced=(MUG,)), "Railgun", ruled={"Line of Sight": "yes"})
    assert words == "Next in Line: Blue 2, too close to call"
    assert (
        why(match, replace(table(*rail[:2]), unplaced=(MUG,)), "Railgun", ruled={"Line of Sight": "yes"})
        == ""
    )


def lies(x, y, side=2.0, sd=0.05):
    """Something that nobody has named."""
    return Thing(ThingName("Thing 1"), Region.rectangle(x - side / 2, y - side / 2, side, side), sd)


def test_what_nobody_named_leaves_open_the_lines_that_it_touches_and_no_others():
    """Between the two, at the edge of what lies between them, and beside it."""
    (x, y), (far, _) = ENDS[0].pose.xy, ENDS[1].pose.xy
    between = rule_shot(
        replace(table(*ENDS), things=(lies((x + far) / 2, y),)), "Red 1", "Blue 1", "Machine Gun"
    )
    sight = between.check("Line of Sight")
    assert sight.verdict is OPEN
    assert "Thing 1 is there, and nobody has said what it is" in sight.words
    assert "say what Thing 1 is, or take it away" in sight.words
    half = ENDS[0].piece.body.width / 2
    for gap, verdict in ((0.09, OPEN), (0.2, YES)):
        beside = replace(table(*ENDS), things=(lies((x + far) / 2, y + half + 1.0 + gap),))
        assert rule_shot(beside, "Red 1", "Blue 1", "Machine Gun").check("Line of Sight").verdict is verdict
    wall = block("Wall", 15, 10, 1, 8)
    walled = replace(table(*ENDS, wall), things=(lies((x + far) / 2, y),))
    assert rule_shot(walled, "Red 1", "Blue 1", "Machine Gun").check("Line of Sight").verdict is NO


def test_a_table_with_something_unseen_is_another_one():
    assert replace(NEAR, unplaced=(MUG,)).facts != NEAR.facts
    assert replace(NEAR, things=(lies(0, 0),)).facts != NEAR.facts
