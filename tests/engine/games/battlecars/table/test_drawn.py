"""Terrain, a counter and a driver's figure on a drawn picture of the printed board, read by their tags."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from calibration.boards import PointsFields
from calibration.surface import PARAMETERS, Surface
from calibration.tablefile import parse_table
from engine.boards.spots import spots_of
from engine.game.contract import Seen
from engine.game.dice import TypedDice
from engine.game.events import Action
from engine.game.showing import Viewer
from engine.games.battlecars.game import GAME
from engine.games.battlecars.rules.pieces import counters_seen, figure_seen, lie_of, terrain_seen
from engine.motion.moves import Move, Read
from engine.space.catalogue import box, cylinder
from engine.space.geometry import Pose
from engine.space.pieces import Piece, TagMount
from engine.space.table import Standing, TableState
from tests.engine.games.battlecars.playing import begun, standing
from tests.engine.games.battlecars.table.hands import SURFACE
from vision.frame import Detection
from vision.locate import locate_all
from vision.simulate.live import ScriptedTable
from vision.simulate.scene import Scene
from vision.simulate.scenes import points_scene
from vision.tags.reader import STOCK_SD, read_tags

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
    there = read(
        {
            "Warehouse": Pose(8.05, 5.45, turned),
            "Oak": Pose(4.1, 9.0, 1.0),
            "Mine A": Pose(6.1, 2.05, 0.4),
            "Red driver": Pose(3.0, 6.1, 2.0),
        }
    )
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
    there = read(
        {
            "Warehouse": Pose(8.0, 5.0, 0.0),
            "Oak": Pose(4.5, 9.0, 0.0),
            "Mine A": Pose(6.0, 2.5, 0.0),
            "Red driver": Pose(3.5, 6.0, 0.0),
        }
    )
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
