"""Pushes of which a part was not seen: one way fits, several are asked, none; under a drawn hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from calibration.tablefile import parse_table
from engine.game.contract import Seen
from engine.game.dice import TypedDice
from engine.game.events import Action, Event
from engine.game.showing import Guide
from engine.games.battlecars.game import GAME
from engine.games.battlecars.state.fold import apply
from engine.games.battlecars.state.game_state import GameState, Terrain
from engine.motion.moves import Move
from engine.ruling import Verdict
from engine.space.geometry import Pose
from server.pipeline.referee import Referee
from tests.engine.games.battlecars.playing import here, standing
from tests.engine.games.battlecars.table.hands import option, pushed, seen
from tests.server.pipeline.test_referee import watch
from vision.simulate.live import ScriptedTable
from vision.simulate.play import Act
from vision.simulate.scenes import points_scene

FAR = ("Blue 1", "Saloon", (12, 12), 4, 0)


def racing(speed: int = 3, **more) -> GameState:
    return standing(("Red 1", "Saloon", (2, 5), 0, speed), FAR, **more)


def hidden(move: Move, first: int, last: int) -> Move:
    """The move as seen but for its readings from one to another; nine lead from point to point."""
    return replace(move, reads=(*move.reads[:first], *move.reads[last:]))


def ruled(state: GameState, move: Move, **said):
    return GAME.check(state, Action("move", "Red", {"move": "m1", **said}), seen(state, move))


def taken(state: GameState, sight: Seen, **said) -> tuple[GameState, list[Event]]:
    events = list(GAME.act(state, Action("move", "Red", {"move": "m1", **said}), sight, TypedDice()))
    for event in events:
        state = apply(state, event)
    return state, events


def shown(state: GameState, move: Move) -> Guide:
    return GAME.guide(state, GAME.awaits(state)[0], move, seen(state, move).table)


def turning(state: GameState) -> Move:
    """Two points on, the last two of three askew, hidden from the first point to shortly before the last."""
    return hidden(pushed(state, "Red 1", ((3, 5), 0), ((4, 6), 1), ((5, 7), 1)), 10, 24)


def straight(
    state: GameState, *columns: int, first: int = 10, last: int = 24, off: Pose | None = None
) -> Move:
    places = [((column, 5), 0) for column in columns]
    return hidden(pushed(state, "Red 1", *places, off=off or Pose(0.0, 0.0)), first, last)


def test_where_one_way_alone_fits_it_is_that_and_what_was_not_seen_is_told():
    state = racing()
    move = turning(state)
    assert ruled(state, move) == ()
    guide = shown(state, move)
    assert (guide.verdict, guide.take) == (Verdict.YES, "The move is done")
    assert guide.steps == ("D6", "45° left", "E7", "F8")
    assert guide.facts[1] == "It was not seen from D6 to F8: by the book this is the only way there."
    assert "way" not in option(state, seen(state, move), "move").form.fields
    after, events = taken(state, seen(state, move))
    assert (here(after, "Red 1").cell, here(after, "Red 1").facing) == ((5, 7), 1)
    told = "not seen from D6 to F8: D6, 45° left, E7, F8, the only way by the book"
    assert events[0].words == f"Red 1 drives to F8 ({told})"
    assert events[0].data["unseen"] == told


def test_where_several_ways_fit_it_is_asked_which_with_what_each_means():
    state = racing()
    move = straight(state, 3, 4, 5)
    (reason,) = ruled(state, move)
    assert reason.open
    assert reason.words == (
        "Red 1 was not seen from D6 to F6, and 3 ways by the book lead there: say which it went, or accept "
        "the straightest, over D6, E6, F6"
    )
    guide = shown(state, move)
    assert (guide.headline, guide.verdict, guide.take) == ("Not all of it was seen", Verdict.TOO_CLOSE, "")
    assert guide.steps == (), "none of them is told as the one that it went"
    assert len([mark for mark in guide.marks if mark.role == "path"]) == 3
    field = option(state, seen(state, move), "move").form.fields["way"]
    assert [(c.value, c.words, c.more) for c in field.candidates] == [
        ("3,5 4,5 5,5 0", "D6, E6, F6", "3 points; rests facing right"),
        ("3,5 4,6 5,5 0", "D6, 45° left, E7, 90° right, F6", "3 points; rests facing right"),
        ("3,5 4,4 5,5 0", "D6, 45° right, E5, 90° left, F6", "3 points; rests facing right"),
    ]
    assert field.usual is None, "none is taken for the one that it went"
    assert ruled(state, move, way="3,5 4,6 5,5 0") == ()
    after, events = taken(state, seen(state, move), way="3,5 4,6 5,5 0")
    assert (here(after, "Red 1").cell, here(after, "Red 1").facing) == ((5, 5), 0)
    assert events[0].data["cells"] == [[3, 5], [4, 6], [5, 5]]
    assert "not seen from D6 to F6: D6, 45° left, E7, 90° right, F6, as was said" in events[0].words
    said = Action("move", "Red", {"move": "m1", "way": "3,5 4,6 5,5 0"})
    assert GAME.measured(state, said, seen(state, move)) is True


def test_the_players_may_accept_the_straightest_and_that_is_told():
    state = racing()
    move = straight(state, 3, 4, 5)
    after, events = taken(state, seen(state, move), ruled="yes")
    assert here(after, "Red 1").cell == (5, 5)
    assert [event.kind for event in events[:2]] == ["ruled", "drove"]
    assert "the players accept: Red 1 was not seen from D6 to F6" in events[0].words
    assert events[1].data["cells"] == [[3, 5], [4, 5], [5, 5]]
    assert events[1].words.endswith("D6, E6, F6, as was accepted)")


def test_a_way_that_does_not_fit_is_refused_in_words():
    state = racing()
    (reason,) = ruled(state, straight(state, 3, 4, 5), way="3,5 4,5 5,5 1")
    assert not reason.open
    assert "way: expected one of" in reason.words
    (reason,) = ruled(state, turning(state), way="3,5 4,6 5,7 1")
    assert not reason.open
    assert "way" in reason.words


def test_a_detour_is_asked_only_where_it_was_hidden():
    state = racing(5)
    (reason,) = ruled(state, pushed(state, "Red 1", ((3, 5), 0), ((4, 5), 0), ((5, 5), 0)))
    assert (reason.words, reason.open) == ("Red 1 went 3 points; its Speed is 5", False)
    move = straight(state, 3, 4, 5)
    (reason,) = ruled(state, move)
    assert reason.open
    ways = option(state, seen(state, move), "move").form.fields["way"].candidates
    assert all(c.more.startswith("5 points") for c in ways)
    assert len(ways) == 8
    assert "more than 8 ways" in reason.words
    assert "type the corners" in reason.words


def test_what_a_way_runs_into_and_what_bars_it():
    wall = Terrain("Building 1", "building", (6, 5), (1, 1))
    state = racing(4, terrain=[wall])
    move = straight(state, 3, 4, 5)
    ways = option(state, seen(state, move), "move").form.fields["way"].candidates
    assert "runs into Building 1" in ways[0].more
    barred = racing(terrain=[Terrain("Building 1", "building", (4, 4), (1, 3))])
    (first, second) = ruled(barred, straight(barred, 3, 4, 5))
    assert "Building 1 is in the way after 1 point" in first.words
    assert second.words == (
        "Red 1 was not seen from D6 to F6, and no way of 3 points by the book leads there: push it again "
        "from point to point, or type its corners"
    )
    assert [first.open, second.open] == [False, False]
    assert shown(barred, straight(barred, 3, 4, 5)).verdict is Verdict.NO


def test_nothing_is_invented_for_a_move_that_jumps_too_far():
    state = racing()
    blind = hidden(pushed(state, "Red 1", ((4, 8), 0)), 0, 9)
    (reason,) = ruled(state, blind)
    assert "was not seen from C6 to E9, and no way of 3 points by the book leads there" in reason.words
    assert not reason.open


def test_a_hand_over_it_between_two_neighbours_asks_nothing_where_it_went_its_whole_speed():
    state = racing()
    move = straight(state, 3, 4, 5, first=10, last=18)
    assert ruled(state, move) == ()
    assert len(shown(state, move).facts) == 1, "nothing was left out"
    _, events = taken(state, seen(state, move))
    assert "unseen" not in events[0].data


def test_where_it_is_open_on_which_point_it_rests_the_ways_to_each_are_asked_in_one():
    state = racing()
    move = straight(state, 3, 4, 5, off=Pose(1.49, 0.0))
    reasons = ruled(state, move)
    assert [r.open for r in reasons] == [True, True]
    assert "between F6 and G6" in reasons[0].words
    fields = option(state, seen(state, move), "move").form.fields
    assert "ends" not in fields
    assert {c.value.split()[-2] for c in fields["way"].candidates} == {"5,5"}, "G6 is too far"
    assert shown(state, move).headline == "Between two places"
    assert ruled(state, move, way="3,5 4,5 5,5 0") == ()


def test_on_the_way_the_points_are_counted_as_many_as_there_are_at_least():
    state = racing()
    move = turning(state)
    going = replace(move, after=replace(move.after, status=type(move.after.status).MOVING))
    guide = shown(state, going)
    assert (guide.headline, guide.progress.words) == ("0 points to go", "3 of 3 points")


# Under a hand that is drawn, seen by the pipeline


@pytest.mark.parametrize(
    ("places", "ways"),
    [
        # A corner onto a diagonal leaves one way; a straight line hidden over two points leaves three.
        ((((3, 3), 0), ((4, 4), 1), ((5, 5), 1)), 0),
        ((((3, 3), 0), ((4, 3), 0), ((5, 3), 0)), 3),
    ],
)
def test_a_hand_covers_part_of_a_push_on_the_simulated_table(places, ways):
    scene, start = points_scene(), ((2, 3), 0)
    board = scene.board
    poses = [board.pose_of(*place) for place in (start, *places)]
    scene = replace(scene, start={**scene.start, "Red 1": poses[0]})
    over = board.pose_of(places[1][0])
    acts = [
        Act(1.0, 4.0, "Red 1", tuple(poses[1:]), "none"),
        Act(1.0, 3.2, None, (Pose(over.x, over.y, math.radians(75)),), "over"),
    ]
    moments = watch(ScriptedTable(scene, acts, fps=10.0, seconds=7.0), Referee(parse_table(scene.to_toml())))
    (move,) = (move for moment in moments for move in moment.moves if move.piece == "Red 1")
    state = standing(("Red 1", "Saloon", *start, 3), FAR)
    state = replace(state, kept=replace(state.kept, frame=(board.frame.x, board.frame.y, 0.0)))
    assert state.board == board
    sight = Seen(moments[-1].table, {move.id: move}, board)
    fields = option(state, sight, "move").form.fields
    said = {"move": move.id}
    reasons = GAME.check(state, Action("move", "Red", said), sight)
    if ways:
        assert [reason.open for reason in reasons] == [True]
        assert len(fields["way"].candidates) == ways
        said["way"] = fields["way"].candidates[0].value
    else:
        assert reasons == ()
        assert "way" not in fields
    (drove, *_) = GAME.act(state, Action("move", "Red", said), sight, TypedDice())
    assert drove.data["cells"] == [list(cell) for cell, _ in places]
    assert "not seen from D4 to" in drove.words
