"""Terrain, counters and drivers' figures with tags: the points that they cover, what is between."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from engine.game.contract import Seen
from engine.game.dice import TypedDice
from engine.game.events import Action
from engine.games.battlecars.acts.beginning import against_building
from engine.games.battlecars.game import GAME
from engine.games.battlecars.rules.pieces import lie_of
from engine.games.battlecars.rules.spots import spots_of
from engine.games.battlecars.state.fold import apply
from engine.games.battlecars.state.game_state import GameState
from engine.motion.moves import Move
from engine.ruling import Verdict
from engine.space.catalogue import box, cylinder
from engine.space.geometry import Pose
from engine.space.pieces import Body, Piece
from engine.space.table import PoseUncertainty, Standing, Status, TableState, key_of
from tests.engine.games.battlecars.playing import begun, standing
from tests.engine.games.battlecars.table.hands import SURFACE, put

RED, BLUE = ("Red 1", "Saloon", (2, 5), 0, 0), ("Blue 1", "Saloon", (10, 5), 4, 0)
BLOCK, CHIP = box(6.0, 3.0, 2.0, "block"), cylinder(0.8, 0.05, "counter")
TREE = cylinder(2.6, 3.0, "tree")


def thing(
    name: str, kind: str, body: Body, x: float, y: float, turn: float = 0.0, sd: float = 0.03
) -> Standing:
    """A piece that is no vehicle, so many spacings along the board and turned by so many degrees."""
    piece = Piece(name, kind, body)  # type: ignore[arg-type]
    doubt = PoseUncertainty.isotropic(sd, math.radians(1.0))
    return Standing(piece, Pose(3.0 * x, 3.0 * y, math.radians(turn)), doubt)


def looked(state: GameState, *things: Standing, moves: tuple[Move, ...] = ()) -> Seen:
    """What the camera knows: every vehicle on its point, and those."""
    cars = [put(state.board, v.name, v.cell, v.facing) for v in state.vehicles if v.cell]
    return Seen(TableState.of(SURFACE, [*cars, *things]), {m.id: m for m in moves}, state.board)


def after(state: GameState, seen: Seen, kind: str, /, **data) -> tuple[GameState, list]:
    """An action with what was seen, without dice: the state after it, and its events."""
    events = list(GAME.act(state, Action(kind, None, data), seen, TypedDice()))
    for event in events:
        state = apply(state, event)
    assert GAME.from_json(GAME.as_json(state)) == state
    return state, events


def option(state: GameState, seen: Seen, kind: str, /, **data):
    """The option of that kind which says at least those data."""
    (found,) = (o for o in GAME.options(state, seen) if o.kind == kind and data.items() <= o.data.items())
    return found


def words(state: GameState, seen: Seen, kind: str, /, **data) -> list[tuple[str, bool]]:
    """What is against an action, each with whether the players may settle it."""
    return [(r.words, r.open) for r in GAME.check(state, Action(kind, None, data), seen)]


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


def ghost(state: GameState, seen: Seen, piece: str):
    """Where a piece has to stand."""
    (found,) = (g for g in GAME.ghosts(state, seen) if key_of(g.piece) == key_of(piece))
    return found


# Drivers on foot

FIGURE = cylinder(0.6, 0.8, "figure")


def afoot(x: float = 2.0, y: float = 5.36) -> tuple[GameState, Seen]:
    """Red's driver has got out of Red 1, and a figure stands for them: it is their turn again."""
    state = standing(RED, BLUE)
    seen = looked(state, thing("Red driver", "pedestrian", FIGURE, x, y))
    state, events = after(state, seen, "leave")
    assert "Red driver stands for them" in events[0].words
    return replace(state, turn=standing(RED, BLUE).turn), seen


def walk(state: GameState, x: float, y: float, sd: float = 0.03) -> tuple[Move, Seen]:
    """The figure is put there."""
    there = thing("Red driver", "pedestrian", FIGURE, x, y, turn=77.0, sd=sd)
    before = looked(state, thing("Red driver", "pedestrian", FIGURE, 2.0, 5.36)).table
    move = Move("m1", "Red driver", before, there, 0.0, 1.0)
    return move, looked(state, there, moves=(move,))


def test_a_figure_stands_for_the_driver_who_gets_out_and_its_move_is_awaited():
    state, seen = afoot()
    assert [(a.piece, a.kind, a.player, a.anywhere) for a in GAME.awaits(state)] == [
        ("Red driver", "walk", "Red", True)
    ]
    waiting = replace(state, turn=None)
    assert ghost(waiting, seen, "Red driver").right is True
    assert ghost(waiting, looked(state), "Red driver").right is None


def test_a_figure_of_another_player_stands_for_nobody_of_red():
    state = standing(RED, BLUE)
    theirs, nobodys = (thing(name, "pedestrian", FIGURE, 2.0, 5.36) for name in ("Theirs", "Spare"))
    theirs = replace(theirs, piece=replace(theirs.piece, owner="Blue"))
    _, events = after(state, looked(state, theirs), "leave")
    assert "piece" not in events[0].data
    # An owner whom the table file names and who does not play is nobody.
    nobodys = replace(nobodys, piece=replace(nobodys.piece, owner="The club"))
    _, events = after(state, looked(state, theirs, nobodys), "leave")
    assert events[0].data["piece"] == "Spare"


def test_it_walks_two_points_as_it_was_put():
    state, _ = afoot()
    move, seen = walk(state, 4.1, 6.1)
    guide = GAME.guide(state, GAME.awaits(state)[0], move, seen.table)
    assert (guide.verdict, guide.take) == (Verdict.YES, "The move is done")
    action = Action("walk", "Red", {"move": "m1"})
    assert GAME.measured(state, action, seen) is True
    after_, _ = after(state, seen, "walk", move="m1")
    assert after_.person("driver of Red 1").cell == (4, 6)
    assert [o.cell for o in after_.pieces] == [(4, 6)]
    assert GAME.measured(state, Action("walk", "Red", {"point": 3}), seen) is False
    assert GAME.measured(state, Action("walk", "Red", {}), seen) is None


def test_too_far_is_refused_and_between_two_points_asked():
    state, _ = afoot()
    _, far = walk(state, 5.0, 5.0)
    ((said, settled),) = words(state, far, "walk", move="m1")
    assert "walks at most 2 points" in said
    assert not settled
    move, between = walk(state, 3.5, 5.0)
    assert [settled for _, settled in words(state, between, "walk", move="m1")] == [True]
    assert GAME.guide(state, GAME.awaits(state)[0], move, between.table).verdict is Verdict.TOO_CLOSE
    assert {c.words for c in option(state, between, "walk").form.fields["ends"].candidates} == {"D6", "E6"}
    said_, _ = after(state, between, "walk", move="m1", ends="4,5")
    assert said_.person("driver of Red 1").cell == (4, 5)
    ((said, settled),) = words(state, between, "walk", move="m1", ends="9,9")
    assert (said, settled) == ("ends: expected one of 3,5, 4,5 but got '9,9'", False)


def test_without_a_figure_the_point_is_typed_and_nothing_is_awaited():
    state = standing(RED, BLUE)
    state, _ = after(state, looked(state), "leave")
    state = replace(state, turn=standing(RED, BLUE).turn)
    assert GAME.awaits(state) == ()
    # A figure that is put within reach later is the driver's from the walk on which it was found.
    seen = looked(state, thing("Red driver", "pedestrian", FIGURE, 3.0, 5.0))
    point = option(state, seen, "walk").form.fields["point"]
    assert point.usual == state.board.cells.index((3, 5))
    state, _ = after(state, seen, "walk", point=point.usual)
    assert [(o.piece, o.cell) for o in state.pieces] == [("Red driver", (3, 5))]


def test_who_takes_a_vehicle_over_leaves_the_figure_to_be_taken_off():
    state, seen = afoot()
    state, _ = after(state, seen, "board", vehicle="Red 1")
    assert ghost(state, seen, "Red driver").pose is None
    assert ghost(state, seen, "Red driver").right is False


def test_a_point_that_any_heading_may_have_is_not_split_by_facings():
    board = begun().state.board
    (spot,) = spots_of(board, thing("Chip", "token", CHIP, 3.0, 3.0, turn=22.5, sd=0.2))
    assert (spot.cell, round(spot.probability, 3)) == ((3, 3), 1.0)
