"""Scenes to measure with: crowded tables, cars that run to and fro, a bumped camera."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from engine.errors import TableRefError
from engine.space.geometry import Pose
from engine.space.pieces import Piece, TagMount, car_body
from vision.simulate.drawing.background import pixels_per_inch
from vision.simulate.drawing.camera import Camera
from vision.simulate.drawing.tags import modules
from vision.simulate.play import Act
from vision.simulate.scene import Scene, SceneLooseTag
from vision.simulate.scenes import bare_scene

_TRIES = 4000
_ROOF = 1.0
_EDGE = 2.5
_CORNER_KEPT_FREE = 4.0
_COLOURS = ("#c8322b", "#2f6fd0", "#e0a526", "#3d8b4f", "#7b4fa8", "#d9d4c8", "#2b2b2e")


def crowded_scene(
    size: tuple[int, int] = (1920, 1080),
    *,
    cars: int = 20,
    printed_px: float = 18.0,
    family: str = "tag36h11",
    foreign: int = 0,
    seed: int = 1,
) -> Scene:
    """A table full of cars whose roof tags are `printed_px` pixels wide in the middle of the picture.

    The width is that of the print with its white margin. Places and headings are drawn from
    `seed`; `foreign` further tags of the same family and size, not in play, lie between the cars.
    """
    base = bare_scene(size)
    rng = np.random.default_rng(seed)
    side = len(modules(family, 0))
    # A roof is nearer to the camera than the table and looks larger by as much.
    height = float(base.camera.position[2])
    per_inch = pixels_per_inch(base.camera) * height / (height - _ROOF)
    printed = printed_px / per_inch
    black = printed * (side - 2) / side
    length, width = max(2.6, printed + 1.2), max(1.1, printed + 0.1)
    pieces: list[Piece] = []
    start: dict[str, Pose] = {}
    taken: list[tuple[float, float]] = []
    reach = math.hypot(length, width) / 2
    for n in range(cars):
        model = ("sedan", "muscle", "van", "pickup", "compact", "suv")[n % 6]
        body = car_body(
            model,
            length=length,
            width=width,
            axles=(0.3 * length, -0.3 * length),
            track=0.85 * width,
            height=_ROOF,
        )
        mount = TagMount(family, 10 + n, black, _ROOF, sd_at=0.005, sd_turn=0.0035, sd_height=0.005)
        name = f"Car {n + 1}"
        pieces.append(Piece(name, "car", body, mount, None, _COLOURS[n % len(_COLOURS)]))
        start[name] = _free_place(base, rng, taken, 2 * reach + 0.3)
    ids = rng.permutation(np.arange(10 + cars, _count(family)))[:foreign]
    loose = tuple(
        SceneLooseTag(family, int(tag), black, _free_place(base, rng, taken, reach + printed)) for tag in ids
    )
    return replace(
        base, name="Crowded table", pieces=tuple(pieces), start=start, loose=loose, seed=seed, road=True
    )


def _count(family: str) -> int:
    """How many ids a family has."""
    low, high = 1, 4096
    while low < high:
        middle = (low + high) // 2
        try:
            modules(family, middle)
            low = middle + 1
        except TableRefError:
            high = middle
    return low


def _free_place(
    scene: Scene, rng: np.random.Generator, taken: list[tuple[float, float]], apart: float
) -> Pose:
    """A random pose on the surface, `apart` from all others and away from the corner tags."""
    (x, y), (a, b) = scene.near_left, scene.size
    for _ in range(_TRIES):
        spot = (float(rng.uniform(x + _EDGE, x + a - _EDGE)), float(rng.uniform(y + _EDGE, y + b - _EDGE)))
        clear = all(math.dist(spot, other) >= apart for other in taken)
        if clear and all(math.dist(spot, corner.at) >= _CORNER_KEPT_FREE for corner in scene.corners):
            taken.append(spot)
            return Pose(*spot, float(rng.uniform(-math.pi, math.pi)))
    raise TableRefError(
        f"no room on the table for more than {len(taken)} pieces; ask for fewer or smaller ones"
    )


def shuttling(
    scene: Scene, names: Sequence[str], seconds: float, *, way: float = 0.8, period: float = 1.2
) -> list[Act]:
    """Cars that run `way` inches ahead and back again all the time, without hands."""
    acts = []
    for n, name in enumerate(names):
        here = scene.start[scene.piece(name).name]
        there = here.compose(Pose(way, 0.0, 0.2))
        now, ahead = 0.1 * n, True
        while now + period / 2 <= seconds:
            acts.append(Act(now, now + period / 2, name, (there if ahead else here,), touch="none"))
            now, ahead = now + period / 2, not ahead
    return acts


def bumped(
    camera: Camera, *, shift: tuple[float, float, float] = (0.0, 0.0, 0.0), turn_deg: float = 0.0
) -> Camera:
    """The camera after somebody has knocked it: shifted by inches, turned about its own x and z."""
    angle = math.radians(turn_deg)
    turn = np.asarray(cv2.Rodrigues(np.array([angle, 0.0, angle]))[0], dtype=np.float64)
    R = turn @ camera.R
    position = camera.position + np.array(shift)
    return Camera(camera.lens, R, -R @ position)
