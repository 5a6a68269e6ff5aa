"""Simulated clips and folders of frames, with the truth and the table file beside them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import cv2
import numpy as np

from engine.errors import TableRefError
from engine.space.geometry import Pose
from vision.simulate.live import ScriptedTable
from vision.simulate.play import HAND_IN, Act, RunLeg, Touch, TurnLeg, manoeuvre
from vision.simulate.scene import Scene
from vision.sources.base import SourceEnded

Format = Literal["jpg", "png", "mp4"]

_QUALITY = 95


def acts_for(scene: Scene, play: str, seconds: float | None, seed: int) -> tuple[list[Act], float | None]:
    """What happens, and for how long: `play` is still, round or random (10 seconds unless said)."""
    match play:
        case "still":
            return [], seconds
        case "round":
            return demo_round(scene), seconds
        case "random":
            lasting = seconds or 10.0
            return random_acts(scene, lasting, np.random.default_rng(seed)), lasting
        case _:
            raise TableRefError(f"expected a play of still, round or random but got {play!r}")


def write_clip(
    out: Path,
    scene: Scene,
    acts: Sequence[Act] = (),
    *,
    fps: float = 10.0,
    seconds: float | None = None,
    kind: Format = "jpg",
    tell: Callable[[str], None] | None = None,
) -> int:
    """Draws what happens and returns the number of frames written into the folder `out`.

    `jpg` and `png` give a picture and a truth file a frame; `mp4` one `clip.mp4` with one
    `truth.jsonl`, a line a frame, and the whole truth of the first frame in `scene.json`. `table.toml`
    belongs to both. Without `seconds` the clip lasts until the last act is over.
    """
    out.mkdir(parents=True, exist_ok=True)
    (out / "table.toml").write_text(scene.to_toml(), encoding="utf-8")
    table = ScriptedTable(scene, acts, fps=fps, seconds=seconds)
    if kind == "mp4":
        _write_video(out, table)
    else:
        _write_pictures(out, table, kind)
    if tell is not None:
        tell(f"Wrote {table.frames} frames of {scene.name} to {out}.")
    return table.frames


def _write_pictures(out: Path, table: ScriptedTable, kind: str) -> None:
    while True:
        try:
            frame = table.read()
        except SourceEnded:
            return
        path = out / f"frame_{frame.index:04d}.{kind}"
        if not cv2.imwrite(str(path), frame.image, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY]):
            raise TableRefError(f"cannot write {path}: is there room on the disk, and may you write there?")
        truth = json.dumps(table.truth(path.name))
        path.with_suffix(".json").write_text(truth + "\n", encoding="utf-8")


def _write_video(out: Path, table: ScriptedTable) -> None:
    path = out / "clip.mp4"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), table.fps, table.scene.camera.size)
    if not writer.isOpened():
        raise TableRefError(f"cannot write the video {path}: choose jpg or png frames instead")
    try:
        with (out / "truth.jsonl").open("w", encoding="utf-8") as lines:
            while True:
                try:
                    frame = table.read()
                except SourceEnded:
                    return
                writer.write(frame.image)
                truth = table.truth(path.name)
                lines.write(json.dumps(truth_line(truth)) + "\n")
                if frame.index == 0:
                    scene = truth | {"clip": {"video": path.name, "fps": table.fps, "frames": table.frames}}
                    (out / "scene.json").write_text(json.dumps(scene) + "\n", encoding="utf-8")
    finally:
        writer.release()


def truth_line(record: dict[str, Any]) -> dict[str, Any]:
    """A frame's truth in short, as one line of a clip's `truth.jsonl`: cars by their tag id."""
    cars = {}
    for car in record["cars"]:
        tag = record["tags"].get(str(car["tag_id"]), {})
        x, y, z = car["center_in"]
        cars[str(car["tag_id"])] = {
            "x": x,
            "y": y,
            "z": z,
            "heading_deg": car["heading_deg"],
            "moving": car["moving"],
            "on_table": z == 0.0,
            "visible_fraction": tag.get("visible_fraction"),
            "tag_center_px": tag.get("center_px"),
            "tag_corners_px": tag.get("corners_px"),
        }
    return {
        "frame": record["frame"],
        "time_s": record["time_s"],
        "cars": cars,
        "hand_in_frame": record["hand_in_frame"],
    }


def demo_round(scene: Scene) -> list[Act]:
    """A short round on the default table: pushes, a turn, a drift, a covering hand, a lifted car."""
    start = scene.start

    def drive(name: str, *legs: RunLeg | TurnLeg) -> tuple[Pose, ...]:
        return manoeuvre(start[name], legs, float(scene.piece(name).body.rear_axle[0]))

    covered = start["Red 3"]
    return [
        Act(1.5, 3.5, "Red 1", drive("Red 1", RunLeg(4.0))),
        Act(
            5.0,
            8.5,
            "Blue 1",
            drive("Blue 1", RunLeg(2.0), TurnLeg(math.radians(-35.0)), RunLeg(3.0)),
        ),
        Act(10.0, 12.0, "Red 2", drive("Red 2", RunLeg(2.0), RunLeg(2.0, -1.0), RunLeg(1.0))),
        Act(13.5, 15.0, None, (Pose(covered.x, covered.y),), touch="over"),
        Act(16.5, 18.5, "Blue 3", (Pose(31.0, 30.5, math.radians(170.0)),), touch="over", lift=4.0),
    ]


def random_acts(scene: Scene, seconds: float, rng: np.random.Generator) -> list[Act]:
    """Cars pushed about for a while, one after the other, inside the surface and off the terrain."""
    cars = [p for p in scene.pieces if p.driven and p.name in scene.start]
    if not cars:
        raise TableRefError("the scene has no cars on the table that could be moved about")
    where = dict(scene.start)
    acts: list[Act] = []
    now = 0.5 + HAND_IN
    while now < seconds - 2.0:
        car = cars[int(rng.integers(len(cars)))]
        legs = (
            RunLeg(rng.uniform(1, 4)),
            TurnLeg(rng.uniform(-1.2, 1.2)),
            RunLeg(rng.uniform(1, 4)),
        )
        path = manoeuvre(where[car.name], legs, float(car.body.rear_axle[0]))
        if _free(scene, where, car.name, path):
            lasts = float(rng.uniform(1.0, 2.5))
            touch: Touch = "push" if rng.random() < 0.8 else "over"
            acts.append(Act(now, now + lasts, car.name, path, touch))
            where[car.name] = path[-1]
            now += lasts + 2 * HAND_IN
        else:
            # A car in a corner is turned where it stands, so that it comes free.
            pose = where[car.name]
            where_to = Pose(pose.x, pose.y, pose.heading + float(rng.uniform(1.0, 5.0)))
            acts.append(Act(now, now + 0.8, car.name, (where_to,)))
            where[car.name] = where_to
            now += 0.8 + 2 * HAND_IN
    return acts


def _free(scene: Scene, where: dict[str, Pose], name: str, path: Sequence[Pose]) -> bool:
    """Whether a car can go along a path without leaving the surface or touching anything."""
    body = scene.piece(name).body
    others = [scene.piece(n).body.footprint.at(p).polygon for n, p in where.items() if n != name]
    for pose in path:
        own = body.footprint.at(pose).polygon
        if not scene.surface.polygon.contains(own) or any(own.intersects(other) for other in others):
            return False
    return True
