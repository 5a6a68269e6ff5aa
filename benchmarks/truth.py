"""Frames with exact truth: `shared/renders` and folders of the same form (schema table-truth-1).

Clips with exact truth are read by `benchmarks.clip_truth`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from calibration.lens.model import Lens
from calibration.surface import CornerTag
from engine.errors import TableRefError
from engine.space.geometry import FloatArray, Footprint, Pose, as_points
from engine.space.pieces import Body, Piece, TagMount
from vision.frame import Image
from vision.sources.files import read_picture

PICTURES = (".jpg", ".jpeg", ".png")


@dataclass(frozen=True, eq=False)
class TrueTag:
    """One tag's truth: centre (3,) inches, heading radians, corners (4, 2) pixels, visible share."""

    centre: FloatArray
    heading: float
    corners_in_image: FloatArray
    visible: float
    role: str


@dataclass(frozen=True, eq=False)
class TrueFrame:
    """A picture with its truth, as tableref's own types.

    Of a clip's frame, `picture` is the clip, and `shown` what the frame shows.
    """

    picture: Path
    size: tuple[int, int]
    lens: Lens
    corners: tuple[CornerTag, ...]
    pieces: tuple[Piece, ...]
    tags: dict[int, TrueTag]
    tyres: dict[int, FloatArray]
    raw: dict[str, Any]
    shown: Image | None = None

    @property
    def name(self) -> str:
        """How a list of cases calls it."""
        stem = self.picture.stem
        return stem if self.shown is None else f"{stem}_{self.raw['frame']:04d}"

    def image(self) -> Image:
        """What it shows, BGR. Raises a `TableRefError` where the picture cannot be read."""
        return read_picture(self.picture) if self.shown is None else self.shown


def true_frames(folder: Path) -> Iterator[TrueFrame]:
    """Every picture below `folder` that has a truth file beside it, by name."""
    if not folder.is_dir():
        raise TableRefError(f"expected a folder of pictures with truth files but {folder} is none")
    found = pictures_with_truth(folder)
    if not found:
        raise TableRefError(
            f"no picture with a truth file of the same name below {folder}: expected e.g. a.jpg and a.json"
        )
    for truth, picture in found:
        yield read_truth(truth, picture)


def pictures_with_truth(folder: Path) -> list[tuple[Path, Path]]:
    """Truth files below `folder` and their pictures, by name."""
    beside = (
        (t, p) for t in sorted(folder.rglob("*.json")) for s in PICTURES if (p := t.with_suffix(s)).exists()
    )
    return list(dict(beside).items())


def read_truth(truth: Path, picture: Path) -> TrueFrame:
    """One truth file. Raises a `TableRefError` where it is none."""
    with truth_of(truth):
        return from_truth(json.loads(truth.read_text(encoding="utf-8")), picture)


@contextmanager
def truth_of(file: Path) -> Iterator[None]:
    """Says of a file that is read here what is wrong with it, where it is no truth."""
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        what = f"no field {error}" if isinstance(error, KeyError) else str(error)
        raise TableRefError(
            f"expected exact truth of the schema table-truth-1 in {file} but got something else ({what}): "
            "write the file again, or take it and its picture away"
        ) from error


def from_truth(data: dict[str, Any], picture: Path) -> TrueFrame:
    """The truth of one frame from its parsed JSON."""
    image, camera = data["image"], data["camera"]
    size = (int(image["width"]), int(image["height"]))
    lens = Lens(size, np.array(camera["K"]), np.array(camera["dist_k1k2p1p2k3"]))
    corners = tuple(
        CornerTag(
            "tag36h11", int(i), t["black_in"], tuple(t["center_in"][:2]), math.radians(t["heading_deg"]), 0.0
        )
        for i, t in data["tags"].items()
        if t["role"] == "corner"
    )
    tags = {
        int(i): TrueTag(
            np.array(t["center_in"]),
            math.radians(t["heading_deg"]),
            np.array(t["corners_px"]),
            float(t["visible_fraction"]) if t["in_frame"] else 0.0,
            t["role"],
        )
        for i, t in data["tags"].items()
    }
    cars = {int(c["tag_id"]): c for c in data["cars"]}
    pieces = [_car(c, data["tags"][str(i)]) for i, c in cars.items()]
    pieces += [_terrain(t, data["tags"][str(t["tag_id"])]) for t in data["terrain"]]
    tyres = {i: np.array(c["wheel_contacts_in"])[:, :2] for i, c in cars.items()}
    return TrueFrame(picture, size, lens, corners, tuple(pieces), tags, tyres, data)


def _mount(raw: dict[str, Any], tag: dict[str, Any], height: float) -> TagMount:
    """The tag as the truth places it, known exactly."""
    askew = raw.get("tag_mount", {})
    at = Pose(
        float(askew.get("forward_in", 0.0)),
        float(askew.get("left_in", 0.0)),
        math.radians(askew.get("rot_deg", 0.0)),
    )
    return TagMount("tag36h11", int(raw["tag_id"]), tag["black_in"], height, at, 0.0, 0.0, 0.0)


def _car(raw: dict[str, Any], tag: dict[str, Any]) -> Piece:
    pose = Pose(raw["center_in"][0], raw["center_in"][1], math.radians(raw["heading_deg"]))
    outline = Footprint(as_points(pose.to_body(raw["footprint_in"])))
    tyres = as_points(pose.to_body(np.array(raw["wheel_contacts_in"])[:, :2]))
    body = Body(raw["type"], outline, raw["tag_plane_z_in"], tyres)
    return Piece(f"Car {raw['tag_id']}", "car", body, _mount(raw, tag, tag["center_in"][2]))


def _terrain(raw: dict[str, Any], tag: dict[str, Any]) -> Piece:
    pose = Pose(raw["center_in"][0], raw["center_in"][1], math.radians(raw["heading_deg"]))
    outline = raw.get("hull_with_handle_in") or raw["footprint_in"]
    body = Body(raw["kind"], Footprint(as_points(pose.to_body(outline))), raw["height_in"])
    return Piece(f"{raw['kind']} {raw['tag_id']}", "terrain", body, _mount(raw, tag, tag["center_in"][2]))
