"""Terrain and counters with tags: the points that they cover, what is between."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from engine.boards.spots import spots_of
from engine.game.contract import Seen
from engine.games.battlecars.acts.beginning import against_building
from engine.games.battlecars.game import GAME
from engine.games.battlecars.rules.pieces import lie_of
from engine.games.battlecars.state.game_state import GameState
from engine.space.catalogue import box, cylinder
from engine.space.geometry import Pose
from engine.space.pieces import Body, Piece
from engine.space.table import PoseUncertainty, Standing, Status
from tests.engine.games.battlecars.playing import begun, standing
from tests.engine.games.battlecars.table.hands import after, ghost, looked, option, thing, words

RED, BLUE = ("Red 1", "Saloon", (2, 5), 0, 0), ("Blue 1", "Saloon", (10, 5), 4, 0)
BLOCK, CHIP = box(6.0, 3.0, 2.0, "block"), cylinder(0.8, 0.05, "counter")
TREE = cylinder(2.6, 3.0, "tree")


# Terrain


def test_terrain_covers_the_points_on_which_it_was_laid():
    state = begun().state
    seen = looked(state, thing("Warehouse", "terrain", BLOCK, 6.5 + 0.08, 4.0 - 0.1, turn=4.0))
    told = option(state, seen, "build", piece="Warehouse")
    assert "2 by 1 points, the lowest on G5" in told.more
    assert set(told.form.fields) == {"kind"}
    state, (event,) = after(state, seen, "build", piece="Warehouse", kind="building")
    assert (state.terrain[0].cell, state.terrain[0].size) == ((6, 4), (2, 1))
    assert event.words == "Warehouse is Building 1 of 2 by 1 points at G5, as the camera saw it lie"
    assert "Warehouse" in event.pieces
    assert not [o for o in GAME.options(state, seen) if o.data.get("piece")], "it is placed"


@pytest.mark.parametrize("turn", [90.0, -90.0, 180.0])
def test_a_quarter_turn_swaps_columns_and_rows(turn):
    board = begun().state.board
    lie = lie_of(board, thing("Warehouse", "terrain", BLOCK, 6.0, 4.5, turn=turn))
    assert lie.size == ((2, 1) if turn == 180.0 else (1, 2))


def test_reading_terrain_is_the_inverse_of_laying_it():
    """On boards anywhere on the table, with terrain whose reference point is not its middle."""
    rng = np.random.default_rng(5)
    for _ in range(60):
        board = replace(
            begun().state.board, frame=Pose(*rng.uniform(-3.0, 9.0, 2), float(rng.uniform(-3.0, 3.0)))
        )
        size = tuple(int(n) for n in rng.integers(1, 4, 2))
        quarter = int(rng.integers(4))
        sides = size if quarter % 2 == 0 else size[::-1]
        block = box(3.0 * sides[0], 3.0 * sides[1], 1.0)
        shift = rng.uniform(-1.0, 1.0, 2)
        body = Body("block", type(block.footprint)(block.footprint.outline + shift), 1.0)
        cell = tuple(int(n) for n in rng.integers(0, 9, 2))
        middle = board.frame.to_table(3.0 * (np.array(cell) + (np.array(size) - 1) / 2))
        turned = Pose(*middle, board.frame.heading + quarter * math.pi / 2)
        pose = turned.compose(Pose(*(-shift)))
        lie = lie_of(
            board, Standing(Piece("B", "terrain", body), pose, PoseUncertainty.isotropic(0.05, 0.02))
        )
        assert (lie.size, lie.spots[0].cell, lie.sure) == (size, cell, True)


def test_terrain_between_two_places_is_told_with_both_and_asked():
    state = begun().state
    seen = looked(state, thing("Warehouse", "terrain", BLOCK, 7.0, 4.0))
    told = option(state, seen, "build", piece="Warehouse")
    assert {c.words for c in told.form.fields["lies"].candidates} == {"G5", "H5"}
    assert all(40 < int(c.more.rstrip(" %")) < 60 for c in told.form.fields["lies"].candidates)
    ((said, settled),) = words(state, seen, "build", piece="Warehouse", kind="building")
    assert settled
    assert "between" in said
    laid, _ = after(state, seen, "build", piece="Warehouse", kind="building", lies="7,4")
    assert laid.terrain[0].cell == (7, 4)
    for odd in ("0,0", "7,4,0", "over there"):
        ((said, settled),) = words(state, seen, "build", piece="Warehouse", kind="building", lies=odd)
        assert (said, settled) == (f"lies: expected one of 6,4, 7,4 but got {odd!r}", False)


def test_terrain_askew_or_beyond_the_edge_is_not_taken():
    state = begun().state
    askew = looked(state, thing("Warehouse", "terrain", BLOCK, 6.5, 4.0, turn=40.0))
    assert words(state, askew, "build", piece="Warehouse", kind="building") == [
        ("Warehouse lies askew: lay its edges along the rows", False)
    ]
    beyond = looked(state, thing("Warehouse", "terrain", BLOCK, 12.5, 3.0))
    ((said, _),) = words(state, beyond, "build", piece="Warehouse", kind="building")
    assert "beyond the edge" in said
    assert against_building(state, state.board, {"column": 13, "row": 4, "columns": 2, "rows": 1}) == said


def test_a_round_tree_has_no_edges_and_is_taken_for_trees():
    state = begun().state
    seen = looked(state, thing("Oak", "terrain", TREE, 4.1, 3.0, turn=45.0))
    assert option(state, seen, "build", piece="Oak").form.fields["kind"].usual == "trees"
    laid, _ = after(state, seen, "build", piece="Oak", kind="trees")
    assert (laid.terrain[0].kind, laid.terrain[0].cell) == ("trees", (4, 3))


def test_terrain_in_a_hand_is_not_offered_and_an_unknown_one_refused():
    state = begun().state
    held = replace(thing("Warehouse", "terrain", BLOCK, 6.5, 4.0), status=Status.HELD)
    assert [o.data for o in GAME.options(state, looked(state, held)) if o.kind == "build"] == [{}]
    assert words(state, looked(state), "build", piece="Warehouse", kind="building")


# Counters


def dropping(*things: Standing) -> tuple[GameState, Seen]:
    """Red fires from (5, 5) with mines in its rear Pod."""
    more = {"Red 1": {"rear_pod": "Mines"}}
    state = standing(("Red 1", "Saloon", (5, 5), 0, 0), BLUE, stage="fire", **more)
    return state, looked(state, *things)


def test_a_counter_on_a_free_point_says_where_it_is_dropped():
    state, seen = dropping(thing("Mine A", "marker", CHIP, 4.1, 4.95, turn=30.0))
    told = option(state, seen, "drop", kind="Mines")
    at = state.board.cells.index((4, 5))
    assert told.form.fields["point"].usual == at
    places = {c.value: c.at for c in told.form.fields["point"].candidates}
    assert places[at] == (12.0, 15.0), "where it may be tapped"
    state, (event, *_) = after(state, seen, "drop", mount="rear pod", kind="Mines", point=at)
    assert "Mine A" in event.pieces
    assert [(o.piece, o.what, o.cell) for o in state.pieces] == [("Mine A", "Mines 1", (4, 5))]


def test_a_counter_between_two_points_is_told_with_its_odds_and_nothing_is_taken_for_granted():
    state, seen = dropping(thing("Mine A", "marker", CHIP, 4.0, 4.5))
    point = option(state, seen, "drop", kind="Mines").form.fields["point"]
    assert point.usual is None
    more = {c.words: c.more for c in point.candidates}
    assert more["E5"].startswith("Mine A, ")
    assert more["E6"].startswith("Mine A, ")
    state, _ = after(
        state, seen, "drop", mount="rear pod", kind="Mines", point=state.board.cells.index((4, 5))
    )
    assert state.pieces == (), "it may lie on another point than the one that was typed"


def test_a_counter_of_another_kind_or_of_no_kind_says_nothing():
    state, seen = dropping(thing("Oil", "token", CHIP, 4.0, 5.0), thing("Chip", "token", CHIP, 4.0, 6.0))
    assert option(state, seen, "drop", kind="Mines").form.fields["point"].usual is None


def test_what_is_used_up_is_to_be_taken_off_and_counts_again_elsewhere():
    here = thing("Mine A", "marker", CHIP, 4.0, 5.0)
    state, seen = dropping(here)
    data = {"mount": "rear pod", "kind": "Mines", "point": state.board.cells.index((4, 5))}
    state, _ = after(state, seen, "drop", **data)
    assert ghost(state, seen, "Mine A").right is True
    gone = replace(state, tokens=(), turn=replace(state.turn, dropped=()))
    off = ghost(gone, seen, "Mine A")
    assert (off.pose, off.right) == (None, False)
    assert "take Mine A off E6" in off.words
    assert option(gone, seen, "drop", kind="Mines").form.fields["point"].usual is None
    moved = looked(gone, thing("Mine A", "marker", CHIP, 4.0, 4.0))
    assert ghost(gone, moved, "Mine A").right is True
    assert option(gone, moved, "drop", kind="Mines").form.fields["point"].usual == gone.board.cells.index(
        (4, 4)
    )


# Any heading


def test_a_point_that_any_heading_may_have_is_not_split_by_facings():
    board = begun().state.board
    (spot,) = spots_of(board, thing("Chip", "token", CHIP, 3.0, 3.0, turn=22.5, sd=0.2))
    assert (spot.cell, round(spot.probability, 3)) == ((3, 3), 1.0)
