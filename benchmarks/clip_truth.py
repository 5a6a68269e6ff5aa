"""Clips with exact truth: a video, a line a frame in `truth.jsonl`, all else in `scene.json`, in one folder.

As `shared/renders/opening-round`: `scene.json` has the schema of a frame's truth and holds for the clip's
first frame; a line of `truth.jsonl` says where the cars are in its frame.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.truth import TrueFrame, from_truth, pictures_with_truth, read_truth, truth_of
from engine.errors import TableRefError
from engine.space.geometry import Pose
from vision.frame import Frame
from vision.source import SourceEnded
from vision.sources.files import VIDEOS, VideoFile

TRUTH, SCENE = "truth.jsonl", "scene.json"
EACH = 4
"""So many moments of a clip are looked at in which all rests without a hand, and so many with a hand."""


@dataclass(frozen=True, eq=False)
class TrueClip:
    """A clip: `scene` is the truth of its first frame, `lines` that of the cars in each, by its number."""

    video: Path
    scene: dict[str, Any]
    lines: dict[int, dict[str, Any]]

    def moments(self, each: int = EACH) -> list[int]:
        """Frames spread over the clip: `each` at rest without a hand, `each` with a hand, in order.

        In all of them every car stands on the table; of a kind of which the clip has fewer, there are fewer.
        """
        cars = {str(c["tag_id"]) for c in self.scene["cars"]}
        standing = [
            k
            for k, line in self.lines.items()
            if cars <= set(line["cars"]) and all(c["on_table"] for c in _cars(line))
        ]
        hand = [k for k in standing if self.lines[k]["hand_in_frame"]]
        moving = {k for k in standing if any(c["moving"] for c in _cars(self.lines[k]))}
        rest = [k for k in standing if k not in moving and not self.lines[k]["hand_in_frame"]]
        return sorted([*_spread(rest, each), *_spread(hand, each)])

    def frames(self, numbers: Sequence[int]) -> Iterator[TrueFrame]:
        """These frames, in order, each with what it shows."""
        source, wanted = VideoFile(self.video), set(numbers)
        try:
            while wanted:
                frame = source.read()
                if frame.index in wanted:
                    wanted.remove(frame.index)
                    yield replace(self._true(frame), shown=frame.image)
        except SourceEnded:
            raise TableRefError(
                f"expected {len(self.lines)} frames in {self.video}, a frame for each line of {TRUTH}, but "
                f"it has no frame {min(wanted)}: write the two again together"
            ) from None
        finally:
            source.close()

    def _true(self, frame: Frame) -> TrueFrame:
        with truth_of(self.video.with_name(TRUTH)):
            true = from_truth(self.truth(frame.index), self.video)
        if frame.size != true.size:
            (w, h), (width, height) = true.size, frame.size
            raise TableRefError(
                f"expected frames of {w}x{h} pixels in {self.video}, as {SCENE} says, but they have "
                f"{width}x{height}: put the truth of this clip beside it"
            )
        return true

    def truth(self, number: int) -> dict[str, Any]:
        """The truth of one frame in the schema of a picture's: the first frame's, the cars moved."""
        line = self.lines[number]
        cars, tags = [], dict(self.scene["tags"])
        for car in self.scene["cars"]:
            key = str(car["tag_id"])
            now, before = line["cars"][key], _pose(car)
            pose = Pose(now["x"], now["y"], math.radians(now["heading_deg"]))
            lifted = now["z"] - car["center_in"][2]
            cars.append(_moved(car, before, pose, lifted) | {"moving": now["moving"]})
            tags[key] = _moved(tags[key], before, pose, lifted) | {
                "center_px": now["tag_center_px"],
                "corners_px": now["tag_corners_px"],
                "visible_fraction": now["visible_fraction"],
                "in_frame": self._in_frame(now["tag_corners_px"]),
            }
        own = {"frame": number, "time_s": line["time_s"], "hand_in_frame": line["hand_in_frame"]}
        return self.scene | own | {"cars": cars, "tags": tags}

    def _in_frame(self, corners: list[list[float]] | None) -> bool:
        image = self.scene["image"]
        size = (image["width"] - 0.5, image["height"] - 0.5)
        at = np.array(corners, dtype=float)
        return bool((at >= -0.5).all() and (at < size).all())


def _cars(line: dict[str, Any]) -> list[dict[str, Any]]:
    return list(line["cars"].values())


def _spread(numbers: Sequence[int], count: int) -> list[int]:
    """So many of these, from the middle of equal parts."""
    count = min(count, len(numbers))
    return [numbers[int((k + 0.5) * len(numbers) / count)] for k in range(count)]


def _pose(car: dict[str, Any]) -> Pose:
    return Pose(car["center_in"][0], car["center_in"][1], math.radians(car["heading_deg"]))


_PLACES = ("center_in", "footprint_in", "wheel_contacts_in", "corners_in")


def _moved(what: dict[str, Any], before: Pose, now: Pose, lifted: float) -> dict[str, Any]:
    """A car, or its tag, after the car has gone from one pose to another, without its places in pixels."""
    out = {key: value for key, value in what.items() if not key.endswith(("_px", "_px_on_table"))}
    for key in _PLACES:
        if key in what:
            out[key] = _along(what[key], before, now, lifted)
    turned = math.degrees(now.heading - before.heading)
    out["heading_deg"] = (what["heading_deg"] + turned + 180.0) % 360.0 - 180.0
    return out


def _along(points: list[Any], before: Pose, now: Pose, lifted: float) -> list[Any]:
    """Points of two or three coordinates, one or many, carried from one pose to another."""
    at = np.atleast_2d(np.array(points, dtype=float))
    at[:, :2] = now.to_table(before.to_body(at[:, :2]))
    at[:, 2:] += lifted
    moved: list[Any] = at.tolist()
    return moved if isinstance(points[0], list) else moved[0]


def true_clip(where: Path) -> TrueClip:
    """A clip with its truth, from the video or the folder that it lies in. Raises a `TableRefError`."""
    folder = where if where.is_dir() else where.parent
    missing = [name for name in (TRUTH, SCENE) if not (folder / name).is_file()]
    if missing:
        raise TableRefError(
            f"expected {TRUTH} and {SCENE} beside the clip in {folder} but {' and '.join(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} missing: put the clip's truth there"
        )
    with truth_of(folder / SCENE):
        scene = json.loads((folder / SCENE).read_text(encoding="utf-8"))
        from_truth(scene, where)
    with truth_of(folder / TRUTH):
        lines = [json.loads(t) for t in (folder / TRUTH).read_text(encoding="utf-8").splitlines()]
        video = _video(folder, scene) if where.is_dir() else where
        clip = TrueClip(video, scene, {int(line["frame"]): line for line in lines})
        moments = clip.moments()
        for number in moments[:1]:
            from_truth(clip.truth(number), video)
    if moments:
        return clip
    raise TableRefError(
        f"expected in {folder / TRUTH} moments in which every car stands on the table, a line a frame, but "
        f"there is none among {len(lines)}: choose a longer clip"
    )


def _video(folder: Path, scene: dict[str, Any]) -> Path:
    """The clip in a folder: the one that its scene names, or the only one."""
    named = folder / str(scene.get("clip", {}).get("video", ""))
    videos = sorted(p for p in folder.iterdir() if p.suffix.lower() in VIDEOS)
    if named in videos:
        return named
    if len(videos) == 1:
        return videos[0]
    raise TableRefError(
        f"expected one video beside {TRUTH} in {folder} but there are {len(videos)}: "
        "name the one that is meant"
    )


def true_sources(source: Path) -> list[TrueClip | tuple[Path, Path]]:
    """What has exact truth at or below `source`: clips, and truth files with their pictures, by name.

    `source` is a clip, or a folder that holds clips, pictures, or both, at any depth.
    """
    if source.is_file() and source.suffix.lower() in VIDEOS:
        return [true_clip(source)]
    if not source.is_dir():
        raise TableRefError(
            "expected a folder of pictures or clips with their truth, or a clip "
            f"({', '.join(sorted(VIDEOS))}), but {source} is "
            f"{'neither' if source.exists() else 'not there'}: name another one"
        )
    found: list[TrueClip | tuple[Path, Path]] = list(pictures_with_truth(source))
    found += [true_clip(t.parent) for t in sorted(source.rglob(TRUTH))]
    if not found:
        raise TableRefError(
            f"no picture and no clip with truth below {source}: expected pictures with a truth file of the "
            f"same name, e.g. a.jpg and a.json, or clips with {TRUTH} and {SCENE} beside them"
        )
    return found


def frames_of(source: TrueClip | tuple[Path, Path]) -> Iterator[TrueFrame]:
    """The picture, or the clip's moments."""
    if isinstance(source, TrueClip):
        yield from source.frames(source.moments())
    else:
        yield read_truth(*source)
