"""Pushes over the hexes, held against the way, and rests between two hexes."""

from __future__ import annotations

import math

from engine.boards.hexes import STEPS
from engine.game.contract import Seen
from engine.game.events import Action
from engine.games.frothy_races.state.game_state import GameState
from engine.motion.moves import Move, Read
from engine.ruling import Verdict
from engine.space.catalogue import CARS
from engine.space.geometry import Pose, Region
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing, TableState
from tests.engine.games.frothy_races.playing import GAME, cell, standing

SURFACE = Region.rectangle(-60, -60, 60, 60)
SURE = PoseUncertainty.isotropic(0.02, math.radians(0.5))


def placed(state: GameState, name: str, at: int, on: float = 0.0, turned: float = 0.0) -> Standing:
    """On a place of the inner lane, or `on` inches on along it."""
    here, following = (state.board.pose_of(cell(0, k)) for k in (at, at + 1))
    along = math.atan2(following.y - here.y, following.x - here.x)
    pose = Pose(here.x, here.y, along).compose(Pose(on, 0.0, turned))
    return Standing(Piece(name, "car", CARS["sedan"]), pose, SURE)


def pushed(state: GameState, to: int, on: float = 0.0, turned: float = 0.0) -> tuple[Seen, Move]:
    """Red 1 is pushed along the inner lane from place 2."""
    before = TableState.of(SURFACE, [placed(state, "Red 1", 2), placed(state, "Black 1", 8)])
    reads = tuple(Read(float(k), placed(state, "Red 1", k).pose, 0.02, 0.01) for k in range(2, to + 1))
    after = placed(state, "Red 1", to, on, turned)
    move = Move("m1", "Red 1", before, after, 0.0, 9.0, reads)
    return Seen(TableState.of(SURFACE, [after, before.find("Black 1")]), {"m1": move}, state.board), move


def racing(spaces: int) -> GameState:
    """Red 1 on place 2 of the inner lane, which leads across a side of its hexes: the facing is known."""
    places = ("Red 1", cell(0, 2)), ("Black 1", cell(0, 8))
    facing = 2 * STEPS.index(tuple(b - a for a, b in zip(cell(0, 2), cell(0, 3), strict=True)))
    return standing(*((name, at, facing, 3) for name, at in places), turn=spaces).state


def ruled(state: GameState, seen: Seen) -> list[bool]:
    """What is against the move: whether each reason is open."""
    action = Action("move", "Red", {"vehicle": "Red 1", "move": "m1"})
    return [r.open for r in GAME.check(state, action, seen)]


def test_a_push_along_the_lane_is_the_way_with_its_turn():
    state = racing(2)
    assert ruled(state, pushed(state, 4)[0]) == []
    assert ruled(state, pushed(state, 4, turned=math.radians(28))[0]) == []
    assert ruled(state, pushed(state, 4, turned=math.radians(88))[0]) == [False]


def test_too_far_is_told():
    state = racing(2)
    assert ruled(state, pushed(state, 6)[0]) == [False]


def test_between_two_hexes_nothing_is_settled_while_one_of_them_is_by_the_book():
    state = racing(2)
    half = state.board.spacing / 2
    for on in (-0.02, 0.02):
        seen, move = pushed(state, 4, half + on)
        assert ruled(state, seen) == [True]
        guide = GAME.guide(state, GAME.awaits(state)[0], move, seen.table)
        assert (guide.headline, guide.verdict) == ("Between two places", Verdict.TOO_CLOSE)
    assert ruled(state, pushed(state, 5, half)[0]) == [False, False]
