"""A game on points: the contract suffices to move by cells, and to tell a cell from *between*."""

from __future__ import annotations

import pytest

from engine.boards.hexes import Hexes
from engine.boards.points import Points
from engine.game.conformance import BOARDS, GameConformance
from engine.game.contract import RuleBook, Seen
from engine.game.events import Action, Illegal
from engine.game.match import Match
from engine.motion.moves import Move
from engine.space.catalogue import car
from engine.space.geometry import Pose, Region
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing, TableState
from tests.engine.game.grid_game import GAME, OWN, SETUP, PointRace

KNOWN = PoseUncertainty.isotropic(0.03, 0.02)
RED = Piece("Red 1", "car", car("sedan"))


class TestPointRace(GameConformance):
    game = GAME


def seen(to: Pose, board: Points = OWN) -> Seen:
    """Red 1 was pushed from its first point to there."""
    before = Standing(RED, board.pose_of((0, 0)), KNOWN)
    table = TableState.of(Region.rectangle(0.0, 0.0, 48.0, 48.0), [before], 0.0)
    move = Move("m1", "Red 1", table, Standing(RED, to, KNOWN), 0.0, 1.0)
    return Seen(table, {"m1": move}, board)


def drive(to: Pose, board: Points = OWN) -> Match:
    match = Match.begin(GAME, SETUP)
    match.do(Action("driven", "Ann", {"move": "m1"}), seen(to, board))
    return match


def test_a_move_that_ends_on_a_point_is_taken_from_the_camera():
    match = drive(OWN.pose_of((1, 1), 1).compose(Pose(0.3, -0.4, 0.1)))
    assert (match.state.cars[0].cell, match.state.cars[0].facing) == ((1, 1), 1)
    assert match.log[-1].words == "Red 1 moves to B2"


def test_between_two_points_the_players_decide():
    with pytest.raises(Illegal, match="Red 1 stands between B1 and C1 facing right") as refused:
        drive(Pose(4.5, 0.0))
    assert [r.open for r in refused.value.reasons] == [True]
    match = Match.begin(GAME, SETUP)
    match.do(Action("step", "Ann", {"facing": 0}), seen(Pose(4.5, 0.0)))
    assert match.state.cars[0].cell == (1, 0)


@pytest.mark.parametrize(
    ("to", "words"),
    [
        (OWN.pose_of((3, 0)), "D1 is more than one step away"),
        (OWN.pose_of((0, 1), 2), "another car stands there"),
        (Pose(-8.0, 0.0), "Red 1 stands off the board"),
    ],
)
def test_what_is_surely_wrong_is_not_open(to: Pose, words: str):
    with pytest.raises(Illegal, match=words) as refused:
        drive(to)
    assert [r.open for r in refused.value.reasons] == [False]


def test_the_board_of_the_table_is_played_on():
    wide = Points(6, 6, 5.0, Pose(2.0, 2.0))
    assert drive(wide.pose_of((1, 0)), wide).state.cars[0].cell == (1, 0)
    assert GAME.board(GAME.first(), Hexes.field(3, 3)) is OWN
    assert RuleBook.board(GAME, GAME.first(), wide) is wide


class OnHexes(PointRace):
    def board(self, state, table_board):
        return BOARDS["hexes"]


class Askew(Points):
    """Points whose poses lie between them."""

    def pose_of(self, cell, facing=0):
        return super().pose_of(cell, facing).compose(Pose(self.spacing / 2, 0.0))


class OnAskew(PointRace):
    def board(self, state, table_board):
        return Askew(3, 3)


@pytest.mark.parametrize("faulty", [OnHexes, OnAskew])
def test_a_board_of_another_kind_or_out_of_true_is_found(faulty: type[PointRace]):
    suite = type("Suite", (GameConformance,), {"game": faulty()})()
    with pytest.raises(AssertionError):
        suite.test_a_piece_put_on_a_cell_stands_on_it("points")
