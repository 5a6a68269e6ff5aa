"""`python -m benchmarks.renders FOLDER [--json]`: how true is what we read, on frames with exact truth.

With the given lens and the corner tags, every tag of every frame below FOLDER is read, brought
down at its height and compared with the truth. Beside it, in the same run: what a plain
four-corner homography without heights makes of the very same reads (what hobby trackers do), and
the stock reader's recall at quad_decimate 1.

`--lens BOARDS` calibrates the lens from pictures of a ChArUco board instead (a folder with
`truth.json` beside them, or a folder of such folders; frames of other lenses are left out),
`--no-ruler` forgets where the corner tags lie and takes the scale from their printed size,
`--no-lens` knows nothing of the lens.

Frames on which paper and cloth behave as on a real table (their truth has a `print_scale`) need what no
exact table file can say; they are left out and counted as `hand_made`, or read alone with `--hand-made`: then
with the sizes, heights and places that a player would write down, as sure as a table file takes them that
says nothing of it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import cv2
import numpy as np

from benchmarks.command import command, table
from benchmarks.stated import Stated, as_people_state, judged
from benchmarks.truth import TrueFrame, true_frames
from calibration.bundle.parts import SeenTag
from calibration.bundle.solve import solve
from calibration.lens.intrinsics import calibrate_folder
from calibration.lens.model import Lens, guess_lens
from calibration.lens.target import Target
from calibration.surface import SeenCorner, Surface, SurfaceError
from engine.errors import TableRefError
from engine.space.geometry import FloatArray, wrap_angle
from engine.space.pieces import Piece
from vision.frame import Detection, Frame, Sighting
from vision.locate import locate_all
from vision.tags.reader import read_tags
from vision.tags.reading import TagReader

CHI2_95 = 5.991
"""The 95 % point of chi-square with two degrees of freedom."""
FULL_VIEW = 0.99
WRONG_PLACE_IN = 0.5
"""A read this far from the tag of that number is a read of something else."""


@dataclass(frozen=True)
class Mode:
    """What is known beforehand. `lenses` maps a lens's label in the truth to its calibration."""

    lenses: dict[str, Lens] | None = None
    ruler: bool = True
    lens: bool = True

    def lens_for(self, truth: TrueFrame) -> Lens | None:
        """The lens to read a frame with; None if the frame has to be left out."""
        if not self.lens:
            return guess_lens(truth.size)
        if self.lenses is None:
            return truth.lens
        return self.lenses.get(truth.raw["camera"].get("lens", ""))

    def stated(self, truth: TrueFrame, lens: Lens) -> Stated:
        """What a player would write down of a table made by hand, with this lens."""
        people = as_people_state(truth)
        return people if lens is truth.lens else replace(people, lens=lens)

    def pieces(self, truth: TrueFrame, lens: Lens) -> Sequence[Piece]:
        """The pieces as far as this mode knows them."""
        return tuple(self.stated(truth, lens).pieces.values()) if made_by_hand(truth) else truth.pieces

    def surface(self, truth: TrueFrame, lens: Lens, detections: Sequence[Detection]) -> Surface:
        """The table under the camera, from what this mode may know. Raises `SurfaceError`."""
        if made_by_hand(truth):
            return judged(self.stated(truth, lens), detections, ruler=self.ruler).surface
        corners = seen_corners(truth, detections)
        raised = seen_pieces(truth, detections)
        if self.ruler:
            # Roof tags of known size and height settle what an unknown lens leaves open.
            return solve(lens, corners, raised if lens.guessed else ()).surface
        flat = [
            SeenTag(c.corner.family, c.corner.tag, c.corner.size, 0.0, c.corners, c.covariance)
            for c in corners
        ]
        first, second = sorted(c.tag for c in truth.corners)[:2]
        frame = (("tag36h11", first), ("tag36h11", second))
        return solve(lens, (), [*flat, *(raised if lens.guessed else ())], frame).surface


def made_by_hand(truth: TrueFrame) -> bool:
    """Whether paper and cloth of a frame behave as on a real table, and its truth says what was measured."""
    return "print_scale" in truth.raw


@dataclass
class Tally:
    """What a run adds up."""

    mode: Mode = field(default_factory=Mode)

    centre: list[float] = field(default_factory=list)
    tyre: list[float] = field(default_factory=list)
    heading: list[float] = field(default_factory=list)
    inside: list[bool] = field(default_factory=list)
    plain: list[float] = field(default_factory=list)
    read: int = 0
    stock: int = 0
    in_view: int = 0
    wrong: int = 0
    frames: int = 0
    left_out: int = 0
    hand_made: int = 0
    scale: list[float] = field(default_factory=list)
    remembered: dict[tuple[Path, str], Surface] = field(default_factory=dict)

    def add(self, truth: TrueFrame) -> None:
        """Reads one frame and adds its errors."""
        lens = self.mode.lens_for(truth)
        if lens is None:
            self.left_out += 1
            return
        in_play = {(c.family, c.tag) for c in truth.corners}
        in_play |= {(p.mount.family, p.mount.tag) for p in truth.pieces if p.mount is not None}
        detections, stock = reads(truth.picture, frozenset(in_play))
        surface = self._surface(truth, lens, detections)
        if surface is None:
            self.left_out += 1
            return
        sightings = locate_all(detections, self.mode.pieces(truth, lens), surface, 0.0)
        self.frames += 1
        self._recall(truth, {d.tag for d in detections}, stock)
        for sighting in sightings:
            self._score(truth, sighting)
        self._scale(truth, sightings)
        self._plain(truth, detections)

    def _surface(self, truth: TrueFrame, lens: Lens, detections: Sequence[Detection]) -> Surface | None:
        """The table under the camera; while a tag that sets the frame is covered, the clip's last one."""
        clip = (truth.picture.parent, json.dumps(truth.raw["camera"]))
        try:
            surface = self.mode.surface(truth, lens, detections)
        except SurfaceError:
            return self.remembered.get(clip)
        self.remembered[clip] = surface
        return surface

    def _recall(self, truth: TrueFrame, read: set[int], stock: frozenset[int]) -> None:
        in_view = {i for i, t in truth.tags.items() if t.visible >= FULL_VIEW}
        self.in_view += len(in_view)
        self.read += len(in_view & read)
        self.stock += len(in_view & stock)
        self.wrong += len(read - set(truth.tags))

    def _score(self, truth: TrueFrame, sighting: Sighting) -> None:
        tag = truth.tags[sighting.detection.tag]
        off = np.array([sighting.tag_pose.x, sighting.tag_pose.y]) - tag.centre[:2]
        error = float(np.hypot(*off))
        if error > WRONG_PLACE_IN:
            self.wrong += 1
            return
        self.centre.append(error)
        self.heading.append(abs(np.degrees(wrap_angle(sighting.tag_pose.heading - tag.heading))))
        covariance = sighting.tag_uncertainty.total[:2, :2]
        self.inside.append(bool(off @ np.linalg.solve(covariance, off) <= CHI2_95))
        true_tyres = truth.tyres.get(sighting.detection.tag)
        if true_tyres is not None and sighting.piece.body.tyres is not None:
            tyres = sighting.pose.to_table(sighting.piece.body.tyres)
            self.tyre += np.linalg.norm(tyres - true_tyres, axis=1).tolist()

    def _scale(self, truth: TrueFrame, sightings: list[Sighting]) -> None:
        """By how much all distances come out too long or too short."""
        found = np.array([(s.tag_pose.x, s.tag_pose.y) for s in sightings])
        true = np.array([truth.tags[s.detection.tag].centre[:2] for s in sightings])
        if len(found) > 2:
            spread = np.linalg.norm(true - true.mean(axis=0))
            self.scale.append(float(np.linalg.norm(found - found.mean(axis=0)) / spread - 1.0))

    def _plain(self, truth: TrueFrame, detections: Sequence[Detection]) -> None:
        """The same reads through a homography of the corner tags' centres, undistorted, flat."""
        seen = {d.tag: d for d in detections}
        known = [c for c in truth.corners if c.tag in seen]
        if len(known) < 4:
            return
        rays = truth.lens.rays(np.array([seen[c.tag].centre for c in known]))
        H, _ = cv2.findHomography(rays, np.array([c.at for c in known]))
        for piece in truth.pieces:
            if piece.mount is not None and piece.mount.tag in seen:
                ray = truth.lens.rays(seen[piece.mount.tag].centre[None]).reshape(1, 1, 2)
                place = cv2.perspectiveTransform(ray, H).ravel()
                self.plain.append(float(np.hypot(*(place - truth.tags[piece.mount.tag].centre[:2]))))

    def summary(self) -> dict[str, Any]:
        """The figures, rounded to what they are good for."""
        return {
            "tag_center_in": _spread(self.centre),
            "tyre_in": _spread(self.tyre),
            "heading_deg": _spread(self.heading, 3),
            "recall": round(self.read / max(self.in_view, 1), 4),
            "recall_stock": round(self.stock / max(self.in_view, 1), 4),
            "wrong_ids": self.wrong,
            "coverage_95": round(float(np.mean(self.inside)), 4) if self.inside else None,
            "n": len(self.centre),
            "frames": self.frames,
            "left_out": self.left_out,
            "hand_made": self.hand_made,
            "scale_error": round(float(np.abs(self.scale).max()), 6) if self.scale else None,
            "plain_homography_in": _spread(self.plain),
        }


@cache
def reads(picture: Path, in_play: frozenset[tuple[str, int]]) -> tuple[tuple[Detection, ...], frozenset[int]]:
    """What a picture shows of the tags in play, and the ids that the stock reader finds.

    The same in every mode, and most of the time that one takes: done once.
    """
    image = cv2.imread(str(picture))
    if image is None:
        raise TableRefError(f"cannot read the picture {picture}")
    frame = Frame(np.asarray(image, dtype=np.uint8), 0.0, 0)
    stock = frozenset(r.tag for r in read_tags(frame.grey, ["tag36h11"]))
    return tuple(TagReader.of(in_play).read_all(frame)), stock


def seen_corners(truth: TrueFrame, detections: Sequence[Detection]) -> list[SeenCorner]:
    """The corner tags among the detections."""
    corners = {(c.family, c.tag): c for c in truth.corners}
    return [
        SeenCorner(corners[d.family, d.tag], d.corners, d.covariance)
        for d in detections
        if (d.family, d.tag) in corners
    ]


def seen_pieces(truth: TrueFrame, detections: Sequence[Detection]) -> list[SeenTag]:
    """The pieces' tags among the detections, with their known sizes and heights."""
    mounts = {(p.mount.family, p.mount.tag): p.mount for p in truth.pieces if p.mount is not None}
    return [
        SeenTag(d.family, d.tag, m.size, m.height, d.corners, d.covariance, m.sd_height)
        for d in detections
        if (m := mounts.get((d.family, d.tag))) is not None
    ]


def calibrated(folder: Path) -> dict[str, Lens]:
    """Lenses calibrated from folders of board pictures, by the label in their truth.json."""
    folders = [p.parent for p in sorted(folder.rglob("truth.json"))]
    if not folders:
        raise TableRefError(
            f"expected board pictures with a truth.json that names board and lens below {folder}"
        )
    lenses = {}
    for pictures in folders:
        data = json.loads((pictures / "truth.json").read_text(encoding="utf-8"))
        raw = data["board"]
        board = Target(
            "charuco",
            (raw["squares_x"], raw["squares_y"]),
            raw["square_in"],
            raw["marker_in"],
            raw["dictionary"],
            legacy=raw["legacy_pattern"],
        )
        lenses[data["lens"]] = calibrate_folder(pictures, board).lens
    return lenses


def _spread(values: list[float], digits: int = 4) -> dict[str, float | None]:
    if not values:
        return {"median": None, "p95": None, "max": None}
    array: FloatArray = np.array(values)
    figures = (np.median(array), np.percentile(array, 95), array.max())
    return {k: round(float(v), digits) for k, v in zip(("median", "p95", "max"), figures, strict=True)}


def score(folder: Path, mode: Mode | None = None, *, hand_made: bool = False) -> dict[str, Any]:
    """All frames below `folder` that an exact table file describes, or only the others."""
    tally = Tally(mode or Mode())
    for truth in true_frames(folder):
        if made_by_hand(truth) == hand_made:
            tally.add(truth)
        else:
            tally.hand_made += not hand_made
    return tally.summary()


def tell(figures: dict[str, Any]) -> None:
    """The figures for people."""
    print(f"{figures['n']} tags in {figures['frames']} frames")
    table({k: v for k, v in figures.items() if k not in ("n", "frames")}, "  ")


def compared(
    folder: Annotated[Path, "pictures with truth files beside them, at any depth"],
    *,
    lens: Annotated[Path | None, "calibrate the lens from these pictures"] = None,
    no_ruler: Annotated[bool, "forget where the corner tags lie"] = False,
    no_lens: Annotated[bool, "forget the lens"] = False,
    hand_made: Annotated[bool, "only frames of hand-made tables"] = False,
) -> dict[str, Any]:
    """The figures of a folder."""
    mode = Mode(calibrated(lens) if lens else None, ruler=not no_ruler, lens=not no_lens)
    return score(folder, mode, hand_made=hand_made)


def main(argv: Sequence[str] | None = None) -> int:
    """The command; its exit status."""
    return command(compared, argv, tell)


if __name__ == "__main__":
    sys.exit(main())
