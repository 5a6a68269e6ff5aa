from __future__ import annotations

from dataclasses import replace

import pytest

from engine.errors import TableRefError
from engine.games.white_line_fever.book.weapons import WEAPONS, weapon_called
from engine.games.white_line_fever.rules.shot_rule import rule_shot
from engine.ruling import Verdict
from engine.space.table import Status
from tests.engine.tables import block, car, table

YES, NO, OPEN = Verdict.YES, Verdict.NO, Verdict.TOO_CLOSE


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
    check = known(car("Red 1", 10, 10), car("Blue 1", 20, 10)).check("Maximum Range")
    assert check.number == pytest.approx(10.0 - 2 * 0.89)
    assert check.words == "8.22 in of 20 in, 11.78 in to spare"


def test_a_venus_reaches_two_inches_further():
    pieces = car("Red 1", 10, 10), car("Blue 1", 33, 10)
    assert known(*pieces).check("Maximum Range").verdict is NO
    longer = known(*pieces, brand="Venus").check("Maximum Range")
    assert (longer.verdict, longer.limit) == (YES, 22)


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
    check = known(car("Red 1", 10, 10), car("Blue 1", 20, 10), blocker, weapon=weapon).check("Line of Sight")
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


def test_a_range_at_its_limit_is_too_close_to_call():
    check = known(car("Red 1", 10, 10, sd=0.01), car("Blue 1", 31.78, 10, sd=0.01)).check("Maximum Range")
    assert check.verdict is OPEN
    assert 0.3 < check.p_yes < 0.7


@pytest.mark.parametrize("weapon", [w.name for w in WEAPONS.values() if w.droppable])
def test_what_is_dropped_cannot_be_aimed(weapon):
    with pytest.raises(TableRefError, match="cannot be aimed"):
        known(car("Red 1", 10, 10), car("Blue 1", 20, 10), weapon=weapon)


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
        rule_shot(
            table(car("Red 1", 10, 10), car("Blue 1", 20, 10), block("Crate", 3, 3, 1, 1)),
            shooter,
            target,
            weapon,
        )


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
    check = known(car("Red 1", 10, 10), car("Blue 1", 20, 10), third).check("Line of Sight")
    assert check.verdict is verdict


def test_a_held_car_beside_a_wall_changes_nothing():
    third = car("Red 2", 13, 10, 90, status=Status.HELD)
    wall = block("Wall", 16, 10, 1, 6)
    check = known(car("Red 1", 10, 10), car("Blue 1", 20, 10), third, wall).check("Line of Sight")
    assert (check.verdict, check.witness.blockers) == (NO, ("Wall",))


def test_a_held_car_may_close_the_only_line_that_is_left():
    # The wall leaves only the upper lines; the hand holds a car within an inch of them.
    wall = block("Wall", 15, 8.35, 1, 4)
    held = car("Red 2", 15, 12.0, status=Status.HELD)
    check = known(car("Red 1", 10, 10), car("Blue 1", 20, 10), held, wall).check("Line of Sight")
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
