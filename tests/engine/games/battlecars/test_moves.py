"""Moves of pieces over the points, and the ways by the book over what was seen."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

from engine.boards.trail import Trail
from engine.game.contract import Seen
from engine.game.dice import NeedDice, TypedDice
from engine.game.events import Action
from engine.game.facts import said_facts
from engine.game.showing import Viewer
from engine.games.battlecars.book.data import PASSIVES
from engine.games.battlecars.game import GAME
from engine.games.battlecars.rules.moves import LISTED, Ways, drive, in_reach, offered, ways_over
from engine.games.battlecars.state import EVENTS, GameState, StandIn, Terrain, Token
from engine.ruling import Verdict
from engine.space.geometry import Pose
from engine.space.table import TableState
from tests.engine.games.battlecars.hands import SURFACE, after, ghost, option, pushed, put, seen, table, words
from tests.engine.games.battlecars.playing import here, played, standing

FAR = ("Blue 1", "Saloon", (12, 12), 4, 0)


START = (2, 5)
STRAIGHT = (((3, 5), 0), ((4, 5), 0), ((5, 5), 0))


def racing(speed: int = 3, type: str = "Saloon", **more) -> GameState:
    return standing(("Red 1", type, START, 0, speed), FAR, **more)


def ruled(state: GameState, move, **said):
    """The reasons against a move that was seen."""
    return GAME.check(state, Action("move", "Red", {"move": "m1", **said}), seen(state, move))


def taken(state: GameState, move, dice=(), **said) -> GameState:
    """The state after a move that was seen."""
    action = Action("move", "Red", {"move": "m1", **said})
    for event in GAME.act(state, action, seen(state, move), TypedDice(dice)):
        state = EVENTS.apply(state, event)
    return state


def driven_to(state: GameState, corners: tuple[int, ...]) -> tuple[int, int] | None:
    """Where Red 1 comes to rest by these corners; None where dice are asked for on the way."""
    play = played(state)
    try:
        drive(play, "Red 1", corners)
    except NeedDice:
        return None
    return here(play.state, "Red 1").cell


def test_before_the_push_the_points_are_marked_on_which_it_may_rest_without_a_skid():
    wall = Terrain("Building 1", "building", (3, 6), (1, 1))
    for speed, sharpest in ((3, 2), (-2, 3), (5, 1), (8, 0)):
        state = racing(speed, terrain=[wall])
        turns = range(-sharpest, sharpest + 1)
        every = {driven_to(state, corners) for corners in product(turns, repeat=abs(speed))}
        (awaited,) = GAME.awaits(state)
        marks = GAME.guide(state, awaited, None, table(state)).marks
        assert {mark.role for mark in marks} <= {"reach"}
        poses = [state.board.pose_of(cell) for cell in every if cell is not None]
        assert {mark.points[0] for mark in marks} == {(round(p.x, 3), round(p.y, 3)) for p in poses}
    barred = racing(1, terrain=[Terrain("Building 1", "building", (3, 5), (1, 1))])
    assert GAME.guide(barred, GAME.awaits(barred)[0], None, table(barred)).marks == ()


def test_no_point_is_marked_that_is_reached_over_a_counter_or_through_trees():
    """ "Drives onto a point covered with Smoke, Oil or Spikes": it has to test for a skid there."""
    trees = Terrain("Trees 1", "trees", (4, 6), (1, 1))
    for kind in PASSIVES:
        for type_ in ("Saloon", "Bike"):
            state = racing(3, type_, terrain=[trees], tokens=[Token(f"{kind} 1", kind, (4, 5))])
            sharpest = state.vehicle("Red 1").layout.sharpest
            turns = range(-sharpest, sharpest + 1)
            every = {driven_to(state, corners) for corners in product(turns, repeat=3)} - {None}
            assert set(in_reach(state, here(state, "Red 1"))) == every


def test_a_counter_is_drawn_with_its_name_unless_a_piece_with_one_lies_there():
    state = racing(tokens=[Token("Oil 1", "Oil", (5, 5)), Token("Mines 1", "Mines", (7, 5))])
    state = replace(state, pieces=(StandIn("My oil", "Oil 1", (5, 5)),))
    marks = GAME.marks(state, None, Viewer())
    assert [m.words for m in marks if m.role == "token"] == ["Oil 1", "Mines 1"]
    assert [m.words for m in marks if m.shape == "label"] == ["Mines 1"]


def test_a_push_over_the_points_is_the_move_with_its_corners():
    state = racing()
    move = pushed(state, "Red 1", ((3, 5), 0), ((4, 6), 1), ((5, 7), 1), off=Pose(0.3, -0.2, math.radians(8)))
    assert ruled(state, move) == ()
    after = taken(state, move)
    assert (here(after, "Red 1").cell, here(after, "Red 1").facing) == ((5, 7), 1)
    assert GAME.measured(state, Action("move", "Red", {"move": "m1"}), seen(state, move)) is True
    back = racing(-2)
    after = taken(back, pushed(back, "Red 1", ((1, 5), 0), ((0, 5), 0)))
    assert (here(after, "Red 1").cell, here(after, "Red 1").facing) == ((0, 5), 0)
    # Between two facings it is asked which.
    move = pushed(state, "Red 1", *STRAIGHT, off=Pose(0.0, 0.0, math.radians(22.4)))
    (reason,) = ruled(state, move)
    assert reason.open
    assert here(taken(state, move, ends="5,5,1"), "Red 1").facing == 1


def test_a_move_that_is_known_no_more_is_refused():
    state = racing()
    move = pushed(state, "Red 1", *STRAIGHT)
    against = GAME.check(state, Action("move", "Red", {"move": "m9"}), seen(state, move))
    assert [(r.words, r.open) for r in against] == [(
        "that move of Red 1 is not known any more: it was moved on, put back, or taken already. "
        "Look again, and take it as it stands now", False,
    )]  # fmt: skip


def test_typed_corners_are_not_measured_even_beside_a_move_that_was_seen():
    state = racing()
    move = pushed(state, "Red 1", *STRAIGHT)
    both = Action("move", "Red", {"move": "m1", "corners": [0, 1, 0]})
    assert GAME.measured(state, both, seen(state, move)) is False
    assert GAME.measured(state, Action("move", "Red", {"corners": [0, 1, 0]}), Seen()) is False
    assert GAME.measured(racing(0), Action("pivot", "Red", {"facing": 2}), Seen()) is None
    # What others agree to is told in words: *its corners: 0, 1, 0* was told.
    (fact,) = said_facts(GAME, state, both, seen(state, move))
    assert (fact.words, fact.measured) == (
        "its corners: 45° left after point 2 (the table: straight on)", "straight on",
    )  # fmt: skip
    # What a phone sends may be no corners at all.
    for value in (3, "ahead", ["left"]):
        wrong = replace(both, data={"move": "m1", "corners": value})
        (fact,) = said_facts(GAME, state, wrong, seen(state, move))
        assert fact.words.startswith("its corners: ")


def test_what_is_not_the_speed_or_not_straight_on_is_told():
    state = racing()
    short = pushed(state, "Red 1", ((3, 5), 0), ((4, 5), 0))
    assert [r.words for r in ruled(state, short)] == ["Red 1 went 2 points; its Speed is 3"]
    far = pushed(state, "Red 1", *STRAIGHT, ((6, 5), 0))
    assert [r.words for r in ruled(state, far)] == ["Red 1 went 4 points; its Speed is 3"]
    askew = pushed(state, "Red 1", ((3, 6), 1), ((4, 7), 1), ((5, 8), 1))
    assert "first point must be straight on" in ruled(state, askew)[0].words


def test_a_hand_that_pushed_too_far_and_came_back_has_gone_as_far_as_it_rests():
    """ "Vehicles move a number of points equal to their Speed": what was taken back at once is no point."""
    state = racing()
    back = pushed(state, "Red 1", *STRAIGHT, ((6, 5), 0), ((5, 5), 0))
    aside = pushed(state, "Red 1", ((3, 5), 0), ((4, 5), 0), ((5, 5), 0), ((4, 5), 0), ((5, 6), 1))
    for move, cells in ((back, [[3, 5], [4, 5], [5, 5]]), (aside, [[3, 5], [4, 5], [5, 6]])):
        assert ruled(state, move) == ()
        events = GAME.act(state, Action("move", "Red", {"move": "m1"}), seen(state, move), TypedDice())
        assert next(e for e in events if e.kind == "drove").data["cells"] == cells
    # A bike that turns about after its first point has gone there and back.
    bike = standing(("Red 1", "Bike", (2, 5), 0, 2), ("Blue 1", "Saloon", (9, 9), 4, 0))
    about = pushed(bike, "Red 1", ((3, 5), 0), ((2, 5), 4))
    assert ruled(bike, about) == ()
    assert here(taken(bike, about), "Red 1").facing == 4


def test_it_stops_before_what_is_in_the_way():
    building = Terrain("Building 1", "building", (5, 5), (1, 1))
    state = racing(terrain=[building])
    through = pushed(state, "Red 1", *STRAIGHT)
    assert "Building 1 is in the way after 2 points" in ruled(state, through)[0].words
    before = pushed(state, "Red 1", ((3, 5), 0), ((4, 5), 0))
    assert ruled(state, before) == ()
    after = taken(state, before, (1,))
    assert (here(after, "Red 1").cell, here(after, "Red 1").speed) == ((4, 5), 0)
    assert after.terrain[0].markers == 1


def test_between_two_points_both_are_told_and_asked_and_none_is_taken():
    state = racing()
    move = pushed(state, "Red 1", *STRAIGHT, off=Pose(1.49, 0.0))
    (reason,) = ruled(state, move)
    assert reason.open
    assert "between" in reason.words
    option = next(o for o in GAME.options(state, seen(state, move)) if o.kind == "move")
    ends = option.form.fields["ends"]
    assert {c.words for c in ends.candidates} == {"F6 facing right", "G6 facing right"}
    guide = GAME.guide(state, GAME.awaits(state)[0], move, seen(state, move).table)
    assert (guide.verdict, guide.take) == (Verdict.TOO_CLOSE, "")
    assert ruled(state, move, ends="5,5,0") == ()
    assert here(taken(state, move, ends="5,5,0"), "Red 1").cell == (5, 5)
    assert [r.words for r in ruled(state, move, ends="6,5,0")] == ["Red 1 went 4 points; its Speed is 3"]


def test_a_place_that_was_said_of_another_move_is_refused_in_words():
    state = racing()
    early = pushed(state, "Red 1", *STRAIGHT, off=Pose(-1.49, 0.0))
    late = replace(pushed(state, "Red 1", *STRAIGHT, off=Pose(1.49, 0.0)), id="m2")
    both = replace(seen(state, late), moves={"m1": early, "m2": late})
    said = Action("move", "Red", {"move": "m1", "ends": "6,5,0"})
    (reason,) = GAME.check(state, said, both)
    assert not reason.open
    assert "does not stand on '6,5,0'" in reason.words
    assert "4,5,0 (E6 facing right)" in reason.words
    assert GAME.check(state, Action("move", "Red", {"move": "m2", "ends": "5,5,0"}), both) == ()


def test_a_place_too_far_settles_nothing_while_one_by_the_book_is_as_likely():
    state = racing()
    move = pushed(state, "Red 1", *STRAIGHT, off=Pose(1.51, 0.0))
    (reason,) = ruled(state, move)
    assert reason.open
    guide = GAME.guide(state, GAME.awaits(state)[0], move, seen(state, move).table)
    assert (guide.headline, guide.verdict) == ("Between two places", Verdict.TOO_CLOSE)
    beyond = pushed(state, "Red 1", *STRAIGHT, ((6, 5), 0), off=Pose(1.51, 0.0))
    assert [r.open for r in ruled(state, beyond)] == [False, False]


def test_between_the_last_point_and_beside_the_board():
    state = standing(("Red 1", "Saloon", (9, 5), 0, 3), FAR)
    move = pushed(state, "Red 1", ((10, 5), 0), ((11, 5), 0), ((12, 5), 0), off=Pose(1.52, 0.0))
    (reason,) = ruled(state, move)
    assert reason.open
    assert "off the board" in reason.words
    option = next(o for o in GAME.options(state, seen(state, move)) if o.kind == "move")
    assert [c.words for c in option.form.fields["ends"].candidates] == ["M6 facing right"]
    assert here(taken(state, move, ends="12,5,0"), "Red 1").cell == (12, 5)
    beside = pushed(state, "Red 1", ((10, 5), 0), ((11, 5), 0), ((12, 5), 0), off=Pose(2.5, 0.0))
    assert [r.words for r in ruled(state, beside)] == ["Red 1 stands beside the board; put it on a point"]


def test_ghosts_stand_where_skids_and_crashes_leave_the_vehicles():
    state = racing(5)
    move = pushed(state, "Red 1", *(((3 + k, 5), 0) for k in range(4)), ((7, 6), 1))
    # The corner at point 4 is taken at 5 with a safe speed of 5: no skid, and Red 1 stands on its ghost.
    after = taken(state, move)
    ghosts = {g.piece: g for g in GAME.ghosts(after, seen(after, move))}
    assert ghosts["Red 1"].right is True
    sharp = pushed(state, "Red 1", ((3, 5), 0), ((4, 5), 0), ((4, 6), 2), ((4, 7), 2), ((4, 8), 2))
    after = taken(state, sharp, (1, 4))  # a skid at (4, 5): no drift, 90° to the right, and it stands
    ghosts = {g.piece: g for g in GAME.ghosts(after, seen(after, sharp))}
    pose = after.board.pose_of((4, 5), 6)
    assert ghosts["Red 1"].right is False
    assert ghosts["Red 1"].pose == (pose.x, pose.y, pose.heading)
    assert ghosts["Blue 1"].right is True


def test_the_tables_board_is_taken_as_it_lies_where_the_match_began_before_it_was_seen():
    state = racing()
    there = replace(state.board, frame=Pose(6.0, 6.0, 0.1))
    assert GAME.board(state, there) == there
    action = Action("move", "Red", {"corners": [0, 0, 0]})
    events = GAME.act(state, action, Seen(board=there), TypedDice())
    assert events[0].kind == "lies"
    for event in events:
        state = EVENTS.apply(state, event)
    assert state.board == there
    assert here(state, "Red 1").cell == (5, 5)
    other = replace(there, columns=9)
    assert GAME.act(racing(), action, Seen(board=other), TypedDice())[0].kind == "drove"


def test_only_the_vehicle_whose_turn_it_is_is_awaited_and_has_no_ghost():
    state = racing()
    assert [(a.piece, a.kind, a.player) for a in GAME.awaits(state)] == [("Red 1", "move", "Red")]
    assert {g.piece for g in GAME.ghosts(state, Seen(table(state)))} == {"Blue 1"}
    assert GAME.awaits(racing(0)) == ()
    # Straight on the point is free, or what stands there is run into where it stands.
    barred = standing(("Red 1", "Saloon", START, 0, 3), ("Blue 1", "Saloon", (3, 5), 4, 0))
    assert [a.stays for one in (state, barred) for a in GAME.awaits(one)] == [False, True]


def test_the_panel_lets_a_vehicle_halt_to_fire_where_the_players_play_so():
    """*Not legal* stood over every halt until it was taken."""
    state = racing()
    move = pushed(state, "Red 1", ((3, 5), 0), ((4, 5), 0))

    def panel(state):
        return GAME.guide(state, GAME.awaits(state)[0], move, seen(state, move).table)

    assert (panel(state).headline, panel(state).take) == ("Not legal", "")
    state = replace(state, house=replace(state.house, on_the_way=True))
    guide = panel(state)
    assert (guide.headline, guide.verdict) == ("It may halt here to fire", Verdict.YES)
    assert (guide.words, guide.take) == ("It has 1 point to go: push it on, or let it halt.", "It halts here")
    assert guide.progress.words == "2 of 3 points"
    after = taken(state, move, **dict(guide.said))
    assert (here(after, "Red 1").cell, after.turn.stage, after.turn.left) == ((4, 5), "move", 1)
    # What is against the book is so with a halt, too.
    askew = pushed(state, "Red 1", ((3, 6), 1))
    assert GAME.guide(state, GAME.awaits(state)[0], askew, seen(state, askew).table).headline == "Not legal"


def test_the_panel_foretells_the_counters_on_the_way():
    lying = [
        Token("Mines 1", "Mines", (4, 5)),
        Token("Oil 1", "Oil", (5, 5)),
        Token("Smoke 1", "Smoke", (5, 6)),
    ]
    state = racing(tokens=lying)
    move = pushed(state, "Red 1", *STRAIGHT)
    guide = GAME.guide(state, GAME.awaits(state)[0], move, table(state))
    assert guide.facts[1:] == ("It goes over Mines 1 on E6.", "It goes over Oil 1 on F6.")
    assert (guide.verdict, guide.headline) == (Verdict.YES, "Legal")


def turned(state: GameState, degrees: float, cell: tuple[int, int] = START) -> Seen:
    """What the camera sees of Red 1, turned by hand by so much on a point."""
    red = put(state.board, "Red 1", cell, 0, Pose(0.1, 0.0, math.radians(degrees)))
    return Seen(TableState.of(SURFACE, [red, table(state).find("Blue 1")]), {}, state.board)


def faced(seen: Seen, state: GameState) -> tuple[object, list[tuple[object, str]]]:
    """The facing that is usual, and what is said of those of which something is."""
    field = option(state, seen, "pivot").form.fields["facing"]
    return field.usual, [(c.value, c.more) for c in field.candidates if c.more]


def test_a_vehicle_at_speed_0_that_was_turned_by_hand_on_its_point_faces_as_it_stands_now():
    state = racing(0)
    for degrees, facing in ((45, 1), (-90, 6)):
        sight = turned(state, degrees)
        assert faced(sight, state) == (facing, sorted([(0, "as it stood"), (facing, "as it stands now")]))
        assert {g.piece for g in GAME.ghosts(state, sight)} == {"Blue 1"}, "nobody has to turn it back"
        for said in ({}, {"facing": facing}):
            done, events = after(state, sight, "pivot", **said)
            assert (here(done, "Red 1").facing, events[0].kind) == (facing, "turned")
            assert ghost(done, sight, "Red 1").right is True
    # Who says another facing has to turn it there.
    done, _ = after(state, turned(state, 45), "pivot", facing=0)
    assert ghost(done, turned(state, 45), "Red 1").right is False


def test_a_facing_between_two_is_asked_and_a_vehicle_off_its_point_has_to_go_back():
    state = racing(0)
    between = turned(state, 22.4)
    usual, told = faced(between, state)
    assert usual is None
    assert [facing for facing, _ in told] == [0, 1]
    assert all(more.endswith(" %") for _, more in told)
    assert words(state, between, "pivot") != []
    assert here(after(state, between, "pivot", facing=1)[0], "Red 1").facing == 1
    off = turned(state, 45, (4, 5))
    assert faced(off, state) == (0, [(0, "as it stands")])
    assert ghost(state, off, "Red 1").right is False
    # A wreck is not turned.
    wreck = state.with_vehicle("Red 1", wreck=True)
    assert faced(turned(state, 45), wreck) == (0, [(0, "as it stands")])
    offered = option(wreck, turned(state, 45), "pivot")
    assert (offered.words, offered.heading_more) == ("Stay", "A wreck does not turn.")
    assert ghost(wreck, turned(state, 45), "Red 1").right is False


def over(state: GameState, *cells: tuple[int, int], facing: int, seen: bool = False) -> Ways:
    """The ways over cells, between which it was seen or hidden."""
    trail = Trail((START, *cells), (not seen,) * len(cells))
    return ways_over(state, here(state, "Red 1"), trail, facing)


def points(ways: Ways) -> list[tuple[tuple[int, int], ...]]:
    return [way.cells[1:] for way in ways.found]


def test_the_straightest_comes_first_and_the_first_point_is_straight_on():
    found = over(racing(), (5, 5), facing=0)
    assert points(found) == [((3, 5), middle, (5, 5)) for middle in ((4, 5), (4, 6), (4, 4))]
    assert [way.corners for way in found.found] == [(0, 0, 0), (1, -2, 1), (-1, 2, -1)]
    # One as long as the Speed on the shortest line is the only one.
    found = over(racing(), (3, 5), (5, 7), facing=1)
    assert points(found) == [((3, 5), (4, 6), (5, 7))]
    assert [way.corners for way in found.found] == [(1, 0, 0)]
    assert not found.more
    assert points(over(racing(-2), (0, 5), facing=0)) == [((1, 5), (0, 5))], "in reverse"


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
