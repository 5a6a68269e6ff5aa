"""Terrain, counters and figures on the printed board, drawn and read; pushes half seen."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from calibration.boards import PointsFields
from calibration.surface import PARAMETERS, Surface
from calibration.tablefile import parse_table
from engine.boards.spots import spots_of
from engine.game.contract import Seen
from engine.game.dice import TypedDice
from engine.game.events import Action, Event
from engine.game.showing import Guide, Viewer
from engine.games.battlecars.acts.beginning import against_building
from engine.games.battlecars.game import GAME
from engine.games.battlecars.rules.pieces import counters_seen, figure_seen, lie_of, terrain_seen
from engine.games.battlecars.state import EVENTS, GameState, Terrain
from engine.motion.moves import Move, Read
from engine.ruling import Verdict
from engine.space.catalogue import box, cylinder
from engine.space.geometry import Pose
from engine.space.pieces import Body, Piece, TagMount
from engine.space.table import PoseUncertainty, Standing, Status, TableState
from server.pipeline.referee import Referee
from tests.engine.games.battlecars.hands import (
    SURFACE,
    after,
    ghost,
    looked,
    option,
    pushed,
    seen,
    thing,
    words,
)
from tests.engine.games.battlecars.playing import begun, here, standing
from tests.server.pipeline.test_referee import watch
from vision.frame import Detection
from vision.locate import locate_all
from vision.simulate.live import ScriptedTable
from vision.simulate.play import Act
from vision.simulate.scene import Scene
from vision.simulate.scenes import points_scene
from vision.tags.reader import STOCK_SD, read_tags

RED, BLUE = ("Red 1", "Saloon", (2, 5), 0, 0), ("Blue 1", "Saloon", (10, 5), 4, 0)

BLOCK, CHIP = box(6.0, 3.0, 2.0, "block"), cylinder(0.8, 0.05, "counter")

TREE = cylinder(2.6, 3.0, "tree")


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
    # It is drawn at once, where the table's board lies, and not only once the first move was rolled for.
    assert [mark.words for mark in GAME.marks(state, None, Viewer())] == ["Building 1", "Building 1"]
    there = replace(state.board, frame=Pose(6.0, 6.0, 0.0))
    moved, _ = after(begun().state, replace(seen, board=there), "build", kind="trees", column=1, row=2)
    label = GAME.marks(moved, None, Viewer())[1]
    assert label.points == ((round(6.0, 3), round(6.0 + there.spacing, 3)),)
    assert GAME.board(moved, state.board) == state.board, "till then it may be laid otherwise"
    assert not [o for o in GAME.options(state, seen) if o.data.get("piece")], "it is placed"


def test_a_quarter_turn_swaps_columns_and_rows_and_a_round_tree_has_no_edges():
    state = begun().state
    for turn in (90.0, -90.0, 180.0):
        lie = lie_of(state.board, thing("Warehouse", "terrain", BLOCK, 6.0, 4.5, turn=turn))
        assert lie.size == ((2, 1) if turn == 180.0 else (1, 2))
    seen = looked(state, thing("Oak", "terrain", TREE, 4.1, 3.0, turn=45.0))
    assert option(state, seen, "build", piece="Oak").form.fields["kind"].usual == "trees"
    laid, _ = after(state, seen, "build", piece="Oak", kind="trees")
    assert (laid.terrain[0].kind, laid.terrain[0].cell) == ("trees", (4, 3))
    # Terrain in a hand is not offered, and an unknown one refused.
    held = replace(thing("Warehouse", "terrain", BLOCK, 6.5, 4.0), status=Status.HELD)
    assert [o.data for o in GAME.options(state, looked(state, held)) if o.kind == "build"] == [{}]
    assert words(state, looked(state), "build", piece="Warehouse", kind="building")


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
    # What it looks like need not be said.
    for kind in ({"kind": "trees"}, {}):
        laid, _ = after(state, seen, "build", piece="Warehouse", lies="7,4", **kind)
        assert (laid.terrain[0].cell, laid.terrain[0].kind) == ((7, 4), kind.get("kind", "building"))
    for odd in ("0,0", "7,4,0", "over there"):
        ((said, settled),) = words(state, seen, "build", piece="Warehouse", kind="building", lies=odd)
        assert (said, settled) == (f"Its lowest point: expected one of G5, H5 but got {odd}", False)


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
    typed = {"mount": "rear pod", "kind": "Mines", "point": state.board.cells.index((4, 5))}
    state, _ = after(state, seen, "drop", **typed)
    assert state.pieces == (), "it may lie on another point than the one that was typed"
    # One of another kind or of no kind says nothing.
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


def test_a_point_that_any_heading_may_have_is_not_split_by_facings():
    board = begun().state.board
    (spot,) = spots_of(board, thing("Chip", "token", CHIP, 3.0, 3.0, turn=22.5, sd=0.2))
    assert (spot.cell, round(spot.probability, 3)) == ((3, 3), 1.0)


FAMILY = "tag36h11"

THINGS = (
    Piece("Warehouse", "terrain", box(6.0, 3.0, 1.5, "block"), TagMount(FAMILY, 30, 1.6, 1.5)),
    Piece("Oak", "terrain", cylinder(2.6, 1.2, "tree"), TagMount(FAMILY, 31, 1.4, 1.2)),
    Piece("Mine A", "marker", cylinder(1.5, 0.05, "counter"), TagMount(FAMILY, 32, 0.9, 0.05)),
    Piece("Red driver", "pedestrian", cylinder(1.2, 0.3, "figure"), TagMount(FAMILY, 33, 0.8, 0.3), "Red"),
)


def read(start: dict[str, Pose]) -> tuple[Standing, ...]:
    """What one picture shows of the things that lie there; places in spacings along the board."""
    scene = points_scene()
    cars = tuple(p for p in scene.pieces if p.name == "Red 1")
    frame = scene.board.frame
    laid = {name: frame.compose(Pose(3.0 * at.x, 3.0 * at.y, at.heading)) for name, at in start.items()}
    return pictured(replace(scene, pieces=(*cars, *THINGS), start={"Red 1": scene.start["Red 1"], **laid}))


def pictured(scene: Scene) -> tuple[Standing, ...]:
    """What one picture of a scene shows."""
    camera = scene.camera
    surface = Surface(camera.lens, camera.R, camera.t, np.zeros((PARAMETERS, PARAMETERS)), 0.0)
    grey = ScriptedTable(scene, fps=30.0, seconds=1 / 30).read().grey
    noise = np.eye(8) * STOCK_SD**2
    found = [Detection(r.family, r.tag, r.corners, noise) for r in read_tags(grey, [FAMILY])]
    sightings = locate_all(found, scene.pieces, surface, 0.0)
    return tuple(Standing(s.piece, s.pose, s.uncertainty) for s in sightings)


def test_they_are_read_where_they_were_laid():
    turned = math.radians(84.0)
    there = read({
        "Warehouse": Pose(8.05, 5.45, turned),
        "Oak": Pose(4.1, 9.0, 1.0),
        "Mine A": Pose(6.1, 2.05, 0.4),
        "Red driver": Pose(3.0, 6.1, 2.0),
    })  # fmt: skip
    board = points_scene().board
    seen = Seen(TableState.of(SURFACE, there), {}, board)
    state = begun().state
    lies = {s.name: lie_of(board, s) for s in terrain_seen(state, seen, board)}
    assert {name: (lie.size, lie.spots[0].cell, lie.sure) for name, lie in lies.items()} == {
        "Warehouse": ((1, 2), (8, 5), True),
        "Oak": ((1, 1), (4, 9), True),
    }
    playing = standing(("Red 1", "Saloon", (2, 3), 0, 0), ("Blue 1", "Saloon", (10, 5), 4, 0))
    playing = replace(playing, kept=replace(playing.kept, frame=(board.frame.x, board.frame.y, 0.0)))
    ((name, spots),) = counters_seen(playing, seen, "Mines")
    assert (name, spots[0].cell) == ("Mine A", (6, 2))
    figure = figure_seen(playing, playing.person("driver of Red 1"), seen)
    assert spots_of(board, figure)[0].cell == (3, 6)


def test_between_two_places_the_picture_settles_nothing():
    there = read({
        "Warehouse": Pose(8.0, 5.0, 0.0),
        "Oak": Pose(4.5, 9.0, 0.0),
        "Mine A": Pose(6.0, 2.5, 0.0),
        "Red driver": Pose(3.5, 6.0, 0.0),
    })  # fmt: skip
    board = points_scene().board
    known = {s.name: s for s in there}
    for name in ("Mine A", "Red driver"):
        assert spots_of(board, known[name])[0].probability < 0.95
    for name in ("Warehouse", "Oak"):
        assert not lie_of(board, known[name]).sure


def test_a_board_drawn_with_chalk_is_played_by_its_pitch_and_corner_in_the_table_file():
    """Nine by nine points 3.9 in apart, drawn askew: as the table file says it, so it is played."""
    chalk = PointsFields(
        kind="points", size=(9, 9), spacing_in=3.9, origin_in=(9.0, 3.0), direction_deg=9.0, tolerance_in=0.8
    )
    drawn = replace(points_scene(), board_fields=chalk)
    cars = tuple(drawn.piece(name) for name in ("Red 1", "Blue 1"))

    def drawn_at(cell: tuple[int, int], facing: int) -> Pose:
        """The crossing of two lines of chalk, by ruler and protractor."""
        return Pose(9.0, 3.0, math.radians(9.0)).compose(
            Pose(3.9 * cell[0], 3.9 * cell[1], facing * math.pi / 4)
        )

    def looked_at(start: dict[str, Pose]) -> TableState:
        """The table as one picture shows it with the two cars there."""
        return TableState.of(SURFACE, pictured(replace(drawn, pieces=cars, start=start)))

    board = parse_table(drawn.to_toml()).board
    assert board == drawn.board
    match = begun()
    match.do(Action("start"), Seen(board=board), TypedDice([7, 3]))
    assert match.state.board == board
    places = {v.name: (v.cell, v.facing) for v in match.state.vehicles}
    assert places == {"Red 1": ((0, 4), 0), "Blue 1": ((8, 4), 4)}
    for player in ("Red", "Blue"):
        match.seal(Action("speed", player, {"speed_1": 2}), "salt", Seen(board=board))
    # Laid by hand: off by a third of an inch, turned by 6°.
    askew = Pose(0.3, -0.2, math.radians(6.0))
    began = looked_at({n: drawn_at(c, f).compose(askew) for n, (c, f) in places.items()})
    assert all(ghost.right for ghost in GAME.ghosts(match.state, Seen(began, {}, board)))
    way = [drawn_at((x, 4), 0).compose(askew) for x in (1, 2)]
    after = looked_at({"Red 1": way[-1], "Blue 1": drawn_at((8, 4), 4)})
    reads = tuple(Read(float(k), pose, 0.02, 0.01) for k, pose in enumerate(way))
    move = Move("m1", "Red 1", began, after.find("Red 1"), 0.0, 2.0, reads)
    seen = Seen(after, {"m1": move}, board)
    assert match.check(Action("move", "Red", {"move": "m1"}), seen) == ()
    match.do(Action("move", "Red", {"move": "m1"}), seen)
    assert (match.state.vehicle("Red 1").cell, match.state.vehicle("Red 1").facing) == ((2, 4), 0)
    (line,) = (mark for mark in GAME.marks(match.state, None, Viewer()) if mark.role == "sight")
    assert line.points == tuple(
        (round(p.x, 3), round(p.y, 3)) for p in (drawn_at((2, 4), 0), drawn_at((8, 4), 0))
    )


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
        state = EVENTS.apply(state, event)
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
    # On the way the points are counted, as many as there are at least.
    guide = shown(state, replace(move, after=replace(move.after, status=Status.MOVING)))
    assert (guide.headline, guide.progress.words) == ("0 points to go", "3 of 3 points")


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


def test_a_way_that_does_not_fit_is_refused_in_words_and_none_is_invented():
    state = racing()
    blind = hidden(pushed(state, "Red 1", ((4, 8), 0)), 0, 9)
    for move, said, why in (
        (straight(state, 3, 4, 5), {"way": "3,5 4,5 5,5 1"}, "It went over: expected one of"),
        (turning(state), {"way": "3,5 4,6 5,7 1"}, "way"),
        (blind, {}, "was not seen from C6 to E9, and no way of 3 points by the book leads there"),
    ):
        (reason,) = ruled(state, move, **said)
        assert not reason.open
        assert why in reason.words


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
