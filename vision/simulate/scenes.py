"""Ready-made scenes: what `--source sim` and `--source sim:NAME` show."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from calibration.boards import HexesFields, PointsFields, RoadFields
from calibration.lens.model import Lens
from calibration.surface import CornerTag
from engine.boards.laying import lay
from engine.errors import TableRefError
from engine.space.catalogue import CARS, cylinder
from engine.space.geometry import Footprint, Pose, as_points
from engine.space.pieces import Body, Hitch, Piece, PieceKind, TagMount, car_body
from vision.simulate.drawing.camera import overhead
from vision.simulate.scene import LIGHTS, Scene, SceneLooseTag, Sensor

_CARD = 0.02
"""The thickness of what lies flat, inches."""

RED, BLUE, GREEN, GOLD = "#c8322b", "#2f6fd0", "#2e8b57", "#c99a1e"
FAMILY = "tag36h11"

# length, width, front and rear axle, track, roof height: a 1:64 car in inches.
_MODELS: dict[str, tuple[float, float, tuple[float, float], float, float]] = {
    "sedan": (2.95, 1.20, (0.90, -0.88), 1.02, 0.98),
    "muscle": (3.05, 1.22, (0.95, -0.90), 1.04, 0.90),
    "pickup": (3.10, 1.22, (0.98, -0.95), 1.05, 1.16),
    "van": (3.05, 1.20, (0.94, -0.94), 1.02, 1.27),
    "compact": (2.40, 1.12, (0.74, -0.74), 0.96, 0.98),
    "suv": (2.95, 1.24, (0.90, -0.90), 1.06, 1.15),
}


def sim_lens(size: tuple[int, int] = (1920, 1080)) -> Lens:
    """A webcam's lens of about 78 degrees with a little barrel distortion, for any picture size."""
    width, height = size
    focal = 0.615 * width
    K = np.array([[focal, 0.0, 0.5035 * width], [0.0, 1.001 * focal, 0.4948 * height], [0.0, 0.0, 1.0]])
    return Lens(size, K, np.array([-0.085, 0.022, 0.0006, -0.0004, 0.0]))


def _car(name: str, model: str, owner: str, colour: str, tag: int) -> Piece:
    length, width, axles, track, height = _MODELS[model]
    body = car_body(model, length=length, width=width, axles=axles, track=track, height=height)
    mount = TagMount(FAMILY, tag, 0.9, height, sd_at=0.005, sd_turn=0.0035, sd_height=0.005)
    return Piece(name, "car", body, mount, owner, colour)


def _terrain(name: str, model: str, footprint: Footprint, height: float, tag: int, colour: str) -> Piece:
    mount = TagMount(FAMILY, tag, 1.6, height, sd_at=0.005, sd_turn=0.0035, sd_height=0.005)
    return Piece(name, "terrain", Body(model, footprint, height), mount, None, colour)


def _hill() -> Footprint:
    corners = [
        (2.5, 0.2),
        (1.9, 1.8),
        (0.3, 2.5),
        (-1.6, 2.1),
        (-2.5, 0.5),
        (-2.2, -1.3),
        (-0.7, -2.3),
        (1.4, -2.0),
    ]
    return Footprint(as_points(corners))


def _corners(size: tuple[float, float], inset: float, black: float) -> tuple[CornerTag, ...]:
    """Tags 0 to 3 counter-clockwise from the near-left corner; the first one's centre is the origin."""
    a, b = size[0] - 2 * inset, size[1] - 2 * inset
    places = ((0.0, 0.0), (a, 0.0), (a, b), (0.0, b))
    return tuple(CornerTag(FAMILY, n, black, at, math.pi / 2, 0.005) for n, at in enumerate(places))


def default_scene(size: tuple[int, int] = (1920, 1080)) -> Scene:
    """A table of 48" by 48": two players with three cars each, five terrain pieces."""
    red = [("Red 1", "sedan"), ("Red 2", "muscle"), ("Red 3", "van")]
    blue = [("Blue 1", "pickup"), ("Blue 2", "compact"), ("Blue 3", "suv")]
    cars = [_car(n, m, "Red", RED, 10 + i) for i, (n, m) in enumerate(red)]
    cars += [_car(n, m, "Blue", BLUE, 13 + i) for i, (n, m) in enumerate(blue)]
    terrain = [
        _terrain("Book", "book", Footprint.box(9.0, 6.0), 1.2, 30, "#b5482f"),
        _terrain("Mug", "mug", Footprint.disc(3.2), 3.7, 31, "#d8d2c4"),
        _terrain("Hill", "hill", _hill(), 1.6, 32, "#5c7a34"),
        _terrain("Crate", "crate", Footprint.box(3.4, 3.4), 2.2, 33, "#a3763f"),
        _terrain("Tin", "tin", Footprint.disc(2.6), 2.8, 34, "#7d8a94"),
    ]
    start = {
        "Red 1": Pose(6.0, 8.0, math.radians(80)),
        "Red 2": Pose(12.0, 30.9, math.radians(8)),
        "Red 3": Pose(4.6, 36.5, math.radians(-64)),
        "Blue 1": Pose(33.2, 14.6, math.radians(152)),
        "Blue 2": Pose(40.2, 9.6, math.radians(118)),
        "Blue 3": Pose(38.8, 33.6, math.radians(-158)),
        "Book": Pose(35.0, 25.2, math.radians(62)),
        "Mug": Pose(16.4, 20.2, math.radians(40)),
        "Hill": Pose(22.6, 9.4, math.radians(20)),
        "Crate": Pose(26.2, 38.2, math.radians(14)),
        "Tin": Pose(14.8, 40.4, math.radians(-30)),
    }
    surface = (48.0, 48.0)
    camera = overhead(
        sim_lens(size), over=(22.6, 22.3), height=59.0, tilt_deg=2.5, azimuth_deg=-80.0, roll_deg=0.6
    )
    return Scene(
        name="Simulated table",
        near_left=(-1.5, -1.5),
        size=surface,
        corners=_corners(surface, 1.5, 2.4),
        pieces=(*cars, *terrain),
        start=start,
        camera=camera,
    )


def bare_scene(size: tuple[int, int] = (1920, 1080)) -> Scene:
    """The default table with cars only."""
    scene = default_scene(size)
    cars = tuple(p for p in scene.pieces if p.driven)
    names = {p.name for p in cars}
    return replace(scene, pieces=cars, start={n: p for n, p in scene.start.items() if n in names})


def duel_scene(size: tuple[int, int] = (1920, 1080)) -> Scene:
    """Two players with two cars each, near enough to one another to shoot in the first round."""
    scene = default_scene(size)
    start = {
        "Red 1": Pose(14.0, 20.0, math.radians(5)), "Red 2": Pose(12.0, 30.5, math.radians(-4)),
        "Blue 1": Pose(30.0, 21.5, math.radians(186)), "Blue 2": Pose(31.5, 31.5, math.radians(176)),
        "Mug": Pose(21.5, 31.0, math.radians(40)), "Crate": Pose(23.0, 12.0, math.radians(14)),
        "Hill": Pose(9.0, 41.0, math.radians(20)), "Book": Pose(36.0, 40.5, math.radians(62)),
    }  # fmt: skip
    return replace(scene, pieces=tuple(scene.piece(name) for name in start), start=start)


def evening_scene(size: tuple[int, int] = (1920, 1080)) -> Scene:
    """The default table under a warm lamp, seen by a softer and noisier camera, with foreign tags about."""
    scene = default_scene(size)
    loose = (
        SceneLooseTag(FAMILY, 77, 0.9, Pose(20.0, 44.6, 0.7)),
        SceneLooseTag(FAMILY, 401, 1.6, Pose(44.4, 20.0, -2.0)),
    )
    sensor = Sensor(blur=0.9, exposure=1 / 40, tone="contrast", noise=4.0, jpeg=85)
    return replace(scene, light=LIGHTS["warm"], sensor=sensor, loose=loose, cloth="#b59a6a")


def points_scene(size: tuple[int, int] = (1920, 1080)) -> Scene:
    """Four cars on a printed board of points, one of them between two; beside it a driver's figure."""
    fields = PointsFields(kind="points", size=(13, 13), spacing_in=3.0)
    scene = replace(default_scene(size), board_fields=fields, road=False, cloth="#c9c3b2")
    cells = {"Red 1": ((2, 3), 0), "Red 2": ((4, 8), 1), "Blue 1": ((9, 4), 4), "Blue 2": ((8, 10), 6)}
    start = {name: scene.board.pose_of(cell, facing) for name, (cell, facing) in cells.items()}
    start["Red 1"] = start["Red 1"].compose(Pose(0.2, -0.1, math.radians(4)))
    start["Blue 2"] = start["Blue 2"].compose(Pose(1.5, 0.1))
    mount = TagMount(FAMILY, 40, 0.8, 0.3, sd_at=0.005, sd_turn=0.0035, sd_height=0.005)
    figure = Piece("Driver", "pedestrian", cylinder(1.2, 0.3, "figure"), mount, None, GOLD)
    pieces = (*(scene.piece(name) for name in start), figure)
    return replace(scene, pieces=pieces, start={**start, "Driver": Pose(44.0, 22.5, 0.4)})


CIRCUIT = ("straight 1", "straight 1", *["left"] * 3, "straight 4", "straight 4", *["left"] * 3, "straight 6")
"""The pieces of the track of hexes: two straights, each with six rows or more, and two bends."""


def hexes_scene(size: tuple[int, int] = (1920, 1080)) -> Scene:
    """Four players' small cars at the start of a printed circuit of hexes, two of them on the hex behind."""
    track = lay(CIRCUIT)
    fields = HexesFields(kind="hexes", lanes=[list(lane) for lane in track.lanes], spacing_in=2.25)
    scene = replace(default_scene(size), board_fields=fields, road=False, cloth="#c9c3b2")
    players = (("Red", RED), ("Blue", BLUE), ("Green", GREEN), ("Gold", GOLD))
    cars = tuple(_car(f"{p} 1", "compact", p, colour, 10 + k) for k, (p, colour) in enumerate(players))
    places = ((5, 0), (5, 2), (3, 1), (3, 3))
    cells = (track.at(len(CIRCUIT) - 1, lane, row) for row, lane in places)
    start = {
        car.name: scene.board.pose_of(cell, 2 * side) for car, (cell, side) in zip(cars, cells, strict=True)
    }
    return replace(scene, pieces=cars, start=start)


def _rig(name: str, owner: str, colour: str, tags: tuple[int, int]) -> tuple[Piece, Piece]:
    """A tractor and the trailer that hangs on it, each with a tag of its own; the pin between the two."""
    bodies = CARS["rig-tractor"], CARS["rig-trailer"]
    pin = 0.05
    hitch = Hitch(name, (bodies[1].length / 2 + pin, 0.0), (-bodies[0].length / 2 - pin, 0.0))
    mounts = [
        TagMount(FAMILY, tag, 0.9, body.height, sd_at=0.005, sd_turn=0.0035, sd_height=0.005)
        for tag, body in zip(tags, bodies, strict=True)
    ]
    return (
        Piece(name, "truck", bodies[0], mounts[0], owner, colour),
        Piece(f"{name} trailer", "trailer", bodies[1], mounts[1], owner, colour, hitch),
    )


def road_scene(size: tuple[int, int] = (1920, 1080)) -> Scene:
    """A road with two players' vehicles on it, one of them a tractor with a trailer that has its own tag."""
    fields = RoadFields(kind="road", size_in=(45.0, 24.0), origin_in=(0.0, 9.0))
    tractor, trailer = _rig("Red Rig", "Red", RED, (20, 21))
    pieces = (
        _car("Red 1", "muscle", "Red", RED, 10), _car("Red 2", "pickup", "Red", RED, 11), tractor, trailer,
        _car("Blue 1", "sedan", "Blue", BLUE, 13), _car("Blue 2", "van", "Blue", BLUE, 14),
        _car("Blue 3", "compact", "Blue", BLUE, 15),
    )  # fmt: skip
    start = {
        "Red 1": Pose(16.0, 24.0), "Red 2": Pose(10.0, 27.0), "Red Rig": Pose(15.0, 19.0),
        "Blue 1": Pose(23.0, 22.4), "Blue 2": Pose(20.0, 28.0), "Blue 3": Pose(24.0, 17.0),
    }  # fmt: skip
    assert trailer.hitch is not None
    behind = trailer.hitch.on[0] - trailer.hitch.at[0]
    start[trailer.name] = start[tractor.name].compose(Pose(behind, 0.0))
    scene = replace(default_scene(size), board_fields=fields, road=False, cloth="#8d8a84")
    return replace(scene, pieces=pieces, start=start)


def _flat(name: str, kind: PieceKind, footprint: Footprint, tag: int, at: Pose, colour: str) -> Piece:
    """What lies flat on the table and is driven over, its tag where it is given."""
    mount = TagMount(FAMILY, tag, 0.9, _CARD, at, sd_at=0.005, sd_turn=0.0035, sd_height=0.005)
    return Piece(name, kind, Body(name.casefold(), footprint, _CARD), mount, None, colour)


def ground_scene(size: tuple[int, int] = (1920, 1080)) -> Scene:
    """Two cars with ground to drive through, terrain to run into, and flat tokens that are not laid yet."""
    token, own = Footprint.disc(40 / 25.4), Pose(0.0, 0.0)
    pieces = (
        _car("Red 1", "muscle", "Red", RED, 10),
        _car("Blue 1", "compact", "Blue", BLUE, 13),
        _terrain("Rocks", "rocks", Footprint.box(3.0, 5.0), 1.6, 30, "#8b8378"),
        _terrain("Crate", "crate", Footprint.box(2.2, 2.2), 2.2, 31, "#a3763f"),
        _flat("Mud", "marker", Footprint.box(3.5, 6.0), 40, Pose(0.0, 2.2), "#7a5c3a"),
        *(_flat(f"Mine {k}", "token", token, 40 + k, own, "#3d4147") for k in (1, 2)),
    )
    start = {
        "Red 1": Pose(6.0, 20.0), "Blue 1": Pose(12.0, 24.5), "Mud": Pose(12.0, 20.0),
        "Rocks": Pose(25.0, 20.0), "Crate": Pose(18.8, 22.2),
    }  # fmt: skip
    return replace(default_scene(size), pieces=pieces, start=start, road=False, cloth="#b8a377")


def first_scene(size: tuple[int, int] = (1920, 1080)) -> Scene:
    """A table that nobody has set up: corner tags laid by hand, cars with tags of their own, no table file.

    The camera is tilted and hangs beside the middle. The first corner tag's centre is the origin and
    the second lies along x, as in a table file without stated places.
    """
    laid = (((0.0, 0.0), 97.0), ((43.6, 0.0), 71.0), ((42.1, 41.3), 160.0), ((-1.2, 39.4), 88.0))
    corners = tuple(
        CornerTag(FAMILY, n, 2.4, at, math.radians(turn), 0.0) for n, (at, turn) in enumerate(laid)
    )
    cars = [("Red 1", "sedan", 41), ("Red 2", "pickup", 42)]
    foes = [("Blue 1", "van", 43), ("Blue 2", "muscle", 44)]
    pieces = [_catalogue_car(n, m, "Red", RED, tag) for n, m, tag in cars]
    pieces += [_catalogue_car(n, m, "Blue", BLUE, tag) for n, m, tag in foes]
    pieces.append(_terrain("Crate", "crate", Footprint.box(3.4, 3.4), 2.2, 52, "#a3763f"))
    start = {
        "Red 1": Pose(11.0, 12.0, math.radians(35)),
        "Red 2": Pose(7.0, 27.0, math.radians(-10)),
        "Blue 1": Pose(27.0, 20.5, math.radians(200)),
        "Blue 2": Pose(33.5, 31.0, math.radians(-120)),
        "Crate": Pose(21.0, 30.5, math.radians(14)),
    }
    camera = overhead(
        sim_lens(size), over=(15.0, 16.0), height=68.0, tilt_deg=7.0, azimuth_deg=30.0, roll_deg=4.0
    )
    return replace(
        default_scene(size),
        name="First table", near_left=(-3.0, -3.0), size=(49.0, 46.5),
        corners=corners, pieces=tuple(pieces), start=start, camera=camera, road=False, told=False,
    )  # fmt: skip


def _catalogue_car(name: str, model: str, owner: str, colour: str, tag: int) -> Piece:
    """A car of exactly the catalogue's size, its tag in the middle of its roof."""
    body = CARS[model]
    mount = TagMount(FAMILY, tag, 0.9, body.height, sd_at=0.005, sd_turn=0.0035, sd_height=0.005)
    return Piece(name, "car", body, mount, owner, colour)


SCENES: dict[str, Callable[[tuple[int, int]], Scene]] = {
    "default": default_scene,
    "bare": bare_scene,
    "duel": duel_scene,
    "evening": evening_scene,
    "points": points_scene,
    "hexes": hexes_scene,
    "road": road_scene,
    "ground": ground_scene,
    "first": first_scene,
}


def named_scene(name: str, size: tuple[int, int] = (1920, 1080), seed: int = 1) -> Scene:
    """A ready-made scene by its name, as in "sim:evening", for pictures of `size`."""
    try:
        make = SCENES[name.casefold()]
    except KeyError:
        known = ", ".join(SCENES)
        raise TableRefError(
            f"there is no simulated table called {name!r}; expected one of: {known}"
        ) from None
    return replace(make(size), seed=seed)


BOARDS = {"points": "points", "hexes": "hexes", "road": "road", "free": "default"}
"""The simulated table on which a game of each kind of board is played, the most particular first."""


def scene_of_board(boards: Iterable[str]) -> Scene:
    """The simulated table of a game that is played on one of these kinds of boards."""
    kinds = set(boards)
    return named_scene(next((scene for kind, scene in BOARDS.items() if kind in kinds), "default"))
