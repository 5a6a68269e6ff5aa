"""Heights of roof tags from cars that a hand puts on the corner tags, for `benchmarks.firsttime`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from calibration.mounts import EYE_IN, HAND_IN, HAND_TURN_DEG, Mounted
from calibration.surface import Surface
from calibration.tablefile import TableFile, parse_table
from engine.space.geometry import Pose
from server.setup.fitting.on_marks import MarksWatch, stated_mount, surer, with_mount
from vision.frame import Detection, Frame
from vision.simulate.drawing.render import Renderer
from vision.simulate.scene import Scene, ScenePlacement, SceneSnapshot
from vision.tags.reading import TagReader

Looks = list[list[Detection]]


def put_about(scene: Scene, corner_heights: Sequence[float], rng: np.random.Generator) -> list[SceneSnapshot]:
    """Every car on every corner tag both ways, four cars at a time, as a hand and an eye put them.

    The eye is the same for all cars of a table. `corner_heights` is how high the cloth is at the corner tags.
    """
    names = [p.name for p in scene.pieces]
    eye = rng.normal(0.0, EYE_IN, 2)
    snapshots = []
    for quarter in (0, 2):
        for turn in range(len(names)):
            placements = dict(scene.snapshot.placements)
            for k, tag in enumerate(scene.loose[:4]):
                off = eye + rng.normal(0.0, HAND_IN, 2)
                askew = math.radians(rng.normal(0.0, HAND_TURN_DEG))
                at = Pose(
                    tag.pose.x + off[0], tag.pose.y + off[1], tag.pose.heading + quarter * math.pi / 2 + askew
                )
                placements[names[(k + turn) % len(names)]] = ScenePlacement(at, corner_heights[k])
            snapshots.append(SceneSnapshot(placements))
    return snapshots


def looks_at(scene: Scene, snapshots: Sequence[SceneSnapshot], reader: TagReader) -> Looks:
    """What is read in a picture of each."""
    renderer = Renderer(scene)
    return [
        reader.read_all(Frame(renderer.picture([s], n), float(n), n, "put about"), thorough=False)
        for n, s in enumerate(snapshots)
    ]


def measured(table: TableFile, surface: Surface, looks: Looks) -> Mapping[str, Mounted]:
    """By car, how its tag sits, by the steps of the set-up page. The first look shows all corner tags."""
    found = {}
    for piece in table.pieces:
        watch = MarksWatch()
        watch.look(looks[0], table, surface)
        watch.begin(piece.name)
        for look in looks[1:]:
            # A car rests where two looks see it at the same place.
            for _ in range(2):
                watch.look(look, table, surface)
        mounted = watch.found(table, surface)
        if mounted is not None:
            found[piece.name] = mounted
    return found


def kept(table: TableFile, found: Mapping[str, Mounted]) -> TableFile:
    """The table file after *Keep it* on every car's card."""
    for piece in table.pieces:
        if piece.mount is None or piece.name not in found:
            continue
        if surer(found[piece.name], stated_mount(piece.mount, table)):
            table = parse_table(with_mount(table, piece.name, found[piece.name]))
    return table
