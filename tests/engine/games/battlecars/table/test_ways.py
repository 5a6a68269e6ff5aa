"""The ways by the book over what was seen: which, in which order, what each means, how many are offered."""

from __future__ import annotations

from engine.boards.trail import Trail
from engine.games.battlecars.state.game_state import GameState, Terrain, Token
from engine.games.battlecars.table.ways import LISTED, Ways, offered, ways_over
from tests.engine.games.battlecars.playing import here, standing

FAR = ("Blue 1", "Saloon", (12, 12), 4, 0)
START = (2, 5)


def racing(speed: int = 3, type: str = "Saloon", **more) -> GameState:
    return standing(("Red 1", type, START, 0, speed), FAR, **more)


def over(state: GameState, *cells: tuple[int, int], facing: int, seen: bool = False) -> Ways:
    """The ways over cells, between which it was seen or hidden."""
    trail = Trail((START, *cells), (not seen,) * len(cells))
    return ways_over(state, here(state, "Red 1"), trail, facing)


def points(ways: Ways) -> list[tuple[tuple[int, int], ...]]:
    return [way.cells[1:] for way in ways.found]


def test_a_way_as_long_as_the_speed_on_the_shortest_line_is_the_only_one():
    found = over(racing(), (3, 5), (5, 7), facing=1)
    assert points(found) == [((3, 5), (4, 6), (5, 7))]
    assert [way.corners for way in found.found] == [(1, 0, 0)]
    assert not found.more


def test_the_straightest_comes_first_and_the_first_point_is_straight_on():
    found = over(racing(), (5, 5), facing=0)
    assert points(found) == [
        ((3, 5), (4, 5), (5, 5)),
        ((3, 5), (4, 6), (5, 5)),
        ((3, 5), (4, 4), (5, 5)),
    ]
    assert [way.corners for way in found.found] == [(0, 0, 0), (1, -2, 1), (-1, 2, -1)]


def test_what_stands_in_the_way_and_corners_too_sharp_are_no_ways():
    wall = Terrain("Building 1", "building", (4, 6), (1, 1))
    found = over(racing(terrain=[wall]), (5, 5), facing=0)
    assert points(found) == [((3, 5), (4, 5), (5, 5)), ((3, 5), (4, 4), (5, 5))]
    assert points(over(racing(2), (2, 5), facing=4)) == []
    back = over(racing(2, "Bike"), (2, 5), facing=4)
    assert points(back) == [((3, 5), (2, 5))]
    assert back.found[0].corners == (4, 0)


def test_it_ends_early_only_before_what_it_runs_into():
    wall = Terrain("Building 1", "building", (5, 5), (1, 1))
    found = over(racing(5, terrain=[wall]), (4, 5), facing=0, seen=True)
    assert [(way.cells[1:], way.corners, way.into) for way in found.found] == [
        (((3, 5), (4, 5)), (0, 0, 0, 0, 0), "Building 1")
    ]
    assert points(over(racing(5), (4, 5), facing=0, seen=True)) == []


def test_in_reverse_it_goes_where_it_does_not_face():
    state = standing(("Red 1", "Saloon", START, 0, -2), FAR)
    found = over(state, (0, 5), facing=0)
    assert points(found) == [((1, 5), (0, 5))]


def test_where_too_many_fit_the_straightest_are_offered():
    found = over(racing(8), (5, 6), facing=0)
    assert found.more
    assert len(found.found) == LISTED
    turned = [sum(map(abs, way.corners)) for way in found.found]
    assert turned == sorted(turned)
    assert all(len(way.cells) == 9 for way in found.found)


def test_it_is_said_what_a_way_means():
    state = racing(5, tokens=[Token("Mines 1", "Mines", (4, 6))])
    trail = Trail((START, (3, 5), (4, 6), (4, 7), (4, 8), (4, 9)), (False,) * 5)
    (way,) = ways_over(state, here(state, "Red 1"), trail, 2).found
    told = offered(state, here(state, "Red 1"), way)
    assert told.value == "3,5 4,6 4,7 4,8 4,9 2"
    assert told.words == "D6, 45° left, E7, 45° left, E8, E9, E10"
    assert told.more == "5 points; rests facing up; over Mines 1 on E7"
    sharp = Trail((START, (3, 5), (3, 6), (3, 7), (3, 8), (3, 9)), (False,) * 5)
    (way,) = ways_over(state, here(state, "Red 1"), sharp, 2).found
    assert "skids after point 1: 90° is safe at 3" in offered(state, here(state, "Red 1"), way).more
