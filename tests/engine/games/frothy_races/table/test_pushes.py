"""Pushes over the hexes, held against the spaces, the drift, the turn; between two hexes; ghosts."""

from __future__ import annotations

import math

import pytest

from engine.game.contract import Seen
from engine.game.dice import TypedDice
from engine.game.events import Action
from engine.games.frothy_races.state.fold import apply
from engine.motion.moves import Move, Read
from engine.ruling import Verdict
from engine.space.catalogue import CARS
from engine.space.geometry import Pose, Region
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing, TableState
from tests.engine.games.frothy_races.playing import GAME, cell, standing

ON = Pose(0.0, 0.0)
SURFACE = Region.rectangle(-3, -3, 120, 90)


def racing(spaces: int = 3):
    return standing(("Red 1", cell(1, 2), 0, 2), ("Black 1", cell(3, 9), 6, 0), turn=spaces).state


def put(state, name, at, facing, off=ON):
    pose = state.board.pose_of(at, facing).compose(off)
    return Standing(Piece(name, "car", CARS["sedan"]), pose, PoseUncertainty.isotropic(0.02, 0.009))


def pushed(state, *places, off=ON):
    """A hand pushes Red from hex to hex; it rests off the last by so much."""
    before = TableState.of(SURFACE, [put(state, v.name, v.cell, v.facing) for v in state.vehicles])
    reads = [
        Read(float(k), state.board.pose_of(at, facing), 0.02, 0.01) for k, (at, facing) in enumerate(places)
    ]
    after = put(state, "Red 1", *places[-1], off)
    return Move("m1", "Red 1", before, after, 0.0, float(len(reads)), tuple(reads))


def seen(state, move):
    now = [move.after if s.name == move.piece else s for s in move.before.standings]
    return Seen(TableState.of(SURFACE, now), {move.id: move}, state.board)


MOVED = Action("move", "Red", {"vehicle": "Red 1", "move": "m1"})


def test_a_push_over_the_hexes_is_its_way_with_the_turn_at_its_end():
    state = racing()
    places = ((cell(1, 3), 0), (cell(0, 4), 0), (cell(0, 5), 1))
    move = pushed(state, *places, off=Pose(0.2, -0.2, math.radians(6)))
    assert GAME.check(state, MOVED, seen(state, move)) == ()
    assert GAME.measured(state, MOVED, seen(state, move)) is True
    after = state
    for event in GAME.act(state, MOVED, seen(state, move), TypedDice()):
        after = apply(after, event)
    red = after.vehicle("Red 1")
    assert (red.cell, red.facing, red.control) == (cell(0, 5), 1, 0)
    guide = GAME.guide(state, GAME.awaits(state)[0], move, move.before)
    assert (guide.verdict, guide.take) == (Verdict.YES, "The move is done")


@pytest.mark.parametrize(
    ("places", "why"),
    [
        (((cell(1, 6), 0),), "no way of 3 spaces"),
        (((cell(1, 3), 0), (cell(1, 4), 0), (cell(1, 5), 2)), "turned by 60°"),
        (((cell(1, 3), 1),), "turned by 30°"),
    ],
)
def test_too_far_too_sharp_and_too_soon_are_not_legal(places, why):
    state = racing()
    move = pushed(state, *places)
    reasons = GAME.check(state, MOVED, seen(state, move))
    assert any(why in r.words for r in reasons), reasons
    assert not any(r.open for r in reasons)
    assert GAME.guide(state, GAME.awaits(state)[0], move, move.before).verdict is Verdict.NO


def test_between_two_hexes_is_told_and_never_taken_by_itself():
    state = racing()
    spacing = state.board.spacing
    move = pushed(state, (cell(1, 3), 0), (cell(1, 4), 0), (cell(1, 5), 0), off=Pose(-spacing / 2, 0.0))
    reasons = GAME.check(state, MOVED, seen(state, move))
    assert reasons
    assert "Red 1 stands between" in reasons[0].words


def between(state, share=0.5):
    """Red is pushed three hexes on, and rests so much of a hex short of the last."""
    off = Pose(-share * state.board.spacing, 0.0)
    return pushed(state, (cell(1, 3), 0), (cell(1, 4), 0), (cell(1, 5), 0), off=off)


def ends_of(state, move):
    (option,) = (o for o in GAME.options(state, seen(state, move)) if o.kind == "move")
    return {c.value: c for c in option.form.fields["ends"].candidates}


def key(at, facing):
    return f"{at[0]},{at[1]},{facing}"


def test_between_two_hexes_it_is_asked_which_with_the_odds_and_where_they_lie():
    state = racing()
    move = between(state)
    found = ends_of(state, move)
    assert set(found) == {key(cell(1, 4), 0), key(cell(1, 5), 0)}
    assert {c.words for c in found.values()} == {"2.5 facing 0°", "2.6 facing 0°"}
    odds = [int(c.more.removesuffix("%")) for c in found.values()]
    assert sum(odds) == pytest.approx(100, abs=2)
    assert max(odds) < 95
    for one, at in ((found[key(cell(1, n), 0)].at, cell(1, n)) for n in (4, 5)):
        assert one == pytest.approx(state.board.pose_of(at).xy, abs=1e-3)
    sure = pushed(state, (cell(1, 3), 0), (cell(1, 4), 0), (cell(1, 5), 0))
    (option,) = (o for o in GAME.options(state, seen(state, sure)) if o.kind == "move")
    assert "ends" not in option.form.fields


def test_what_is_said_is_taken_as_measured_and_by_the_book_of_its_place():
    state = racing()
    move = between(state)
    there = Action("move", "Red", {**MOVED.data, "ends": key(cell(1, 5), 0)})
    assert GAME.check(state, there, seen(state, move)) == ()
    assert GAME.measured(state, there, seen(state, move)) is True
    after = state
    for event in GAME.act(state, there, seen(state, move), TypedDice()):
        after = apply(after, event)
    assert after.vehicle("Red 1").cell == cell(1, 5)
    short = Action("move", "Red", {**MOVED.data, "ends": key(cell(1, 4), 0)})
    for event in GAME.act(state, short, seen(state, move), TypedDice()):
        state = apply(state, event)
    assert (state.vehicle("Red 1").cell, state.turn.left) == (cell(1, 4), 1)


def test_a_place_that_the_book_forbids_or_the_camera_did_not_see_is_refused():
    state = racing(2)
    move = between(state)
    there = Action("move", "Red", {**MOVED.data, "ends": key(cell(1, 5), 0)})
    (reason,) = GAME.check(state, there, seen(state, move))
    assert "no way of 2 spaces leads Red 1 to 2.6" in reason.words
    assert not reason.open
    far = Action("move", "Red", {**MOVED.data, "ends": key(cell(1, 9), 0)})
    (reason,) = GAME.check(state, far, seen(state, move))
    assert "ends: expected one of" in reason.words
    assert GAME.check(state, MOVED, seen(state, move))[0].open


def test_between_two_facings_on_one_hex_it_is_asked_without_a_place_to_tap():
    state = racing()
    places = ((cell(1, 3), 0), (cell(1, 4), 0), (cell(1, 5), 0))
    found = ends_of(state, pushed(state, *places, off=Pose(0.0, 0.0, math.radians(15))))
    assert set(found) == {key(cell(1, 5), 0), key(cell(1, 5), 1)}
    assert [c.at for c in found.values()] == [None, None]


def test_a_typed_way_is_not_measured():
    state = racing()
    move = pushed(state, (cell(1, 3), 0), (cell(1, 4), 0), (cell(1, 5), 0))
    typed = Action("move", "Red", {"vehicle": "Red 1", "way": "FFF"})
    assert GAME.measured(state, typed, seen(state, move)) is False


def test_who_is_not_moved_has_a_ghost_on_its_hex():
    state = racing()
    move = pushed(state, (cell(1, 3), 0))
    (ghost,) = GAME.ghosts(state, seen(state, move))
    assert (ghost.piece, ghost.right) == ("Black 1", True)
