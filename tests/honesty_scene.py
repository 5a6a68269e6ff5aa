"""A frame with exact truth, what people would state of it, and how honest the answers are."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.clip_truth import TrueClip, frames_of, true_sources
from benchmarks.stated import BY_HAND, Mounts, Stated, as_people_state
from benchmarks.truth import TrueFrame
from calibration.accuracy import MOUNT_HEIGHT_IN
from calibration.bundle.doubts import Judged
from calibration.surface import Surface
from engine.measure.distances import tyre_range
from engine.ruling import Verdict
from engine.space.geometry import Pose, wrap_angle
from engine.space.pieces import Piece
from engine.space.table import Standing
from vision.frame import Detection, Frame
from vision.locate import locate_all
from vision.tags.reading import TagReader

CHI2_95, CHI2_95_PLACE = 7.815, 5.991
"""The 95 % points of chi-square with three degrees of freedom (x, y and heading) and with two (x, y)."""
OFFSETS = (0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0)
"""Limits are put so many inches beside the true range, either way."""
NEAR_IN = 12.0


@dataclass(frozen=True, eq=False)
class Scene:
    """What was read in one picture, and the true poses of the cars by tag."""

    name: str
    truth: TrueFrame
    detections: tuple[Detection, ...]
    cars: dict[int, Pose]
    stated: Stated


@dataclass
class Score:
    """What a run adds up. `near` are the deviations of tyre ranges under a foot."""

    inside: list[bool] = field(default_factory=list)
    positions_inside: list[bool] = field(default_factory=list)
    headings_inside: list[bool] = field(default_factory=list)
    ranges_inside: list[bool] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    near: list[float] = field(default_factory=list)
    checks: int = 0
    wrong: int = 0
    close: int = 0
    withheld: int = 0
    cases: int = 0

    def add(self, other: Score) -> None:
        """Counts another run in."""
        for name in ("inside", "positions_inside", "headings_inside", "ranges_inside", "errors", "near"):
            getattr(self, name).extend(getattr(other, name))
        for name in ("checks", "wrong", "close", "withheld", "cases"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def figures(self) -> dict[str, Any]:
        """The sums as shares and percentiles."""
        return {
            "coverage_95": _share(self.inside),
            "coverage_95_positions": _share(self.positions_inside),
            "coverage_95_headings": _share(self.headings_inside),
            "coverage_95_ranges": _share(self.ranges_inside),
            "confident_wrong": self.wrong,
            "checks": self.checks,
            "confident_wrong_share": round(self.wrong / max(self.checks, 1), 5),
            "too_close_share": round(self.close / max(self.checks, 1), 4),
            "withheld": self.withheld,
            "car_in": {"median": _percentile(self.errors, 50), "p95": _percentile(self.errors, 95)},
            "range_sd_in": {"median": _percentile(self.near, 50), "p95": _percentile(self.near, 95)},
            "n": self.cases,
        }


def scenes(
    source: Path, clip_every: int = 20, mounts: Mounts = BY_HAND, most: int | None = None
) -> list[Scene]:
    """Every picture with truth below a folder as people would state it, and moments of every clip.

    Of clips that are folders of pictures, every so many of these.
    """
    found = (
        truth for one in true_sources(source) if not _between(one, clip_every) for truth in frames_of(one)
    )
    return [_scene(truth, mounts) for truth in islice(found, most)]


def _between(source: TrueClip | tuple[Path, Path], clip_every: int) -> bool:
    """Whether a picture is one of those that are left out of a clip."""
    if isinstance(source, TrueClip):
        return False
    number = source[1].stem.rpartition("_")[2]
    return source[1].stem.startswith("frame_") and number.isdigit() and bool(int(number) % clip_every)


def _scene(truth: TrueFrame, mounts: Mounts) -> Scene:
    in_play = {(c.family, c.tag) for c in truth.corners}
    in_play |= {(p.mount.family, p.mount.tag) for p in truth.pieces if p.mount is not None}
    detections = tuple(TagReader.of(frozenset(in_play)).read_all(Frame(truth.image(), 0.0, 0)))
    cars = {
        int(c["tag_id"]): Pose(c["center_in"][0], c["center_in"][1], math.radians(c["heading_deg"]))
        for c in truth.raw["cars"]
    }
    return Scene(truth.name, truth, detections, cars, as_people_state(truth, mounts))


def score(scene: Scene, stated: Stated, result: Judged, cars: dict[int, Pose] | None = None) -> Score:
    """How true the answers are about the cars of a scene; nothing is counted where nothing is ruled."""
    out = Score(cases=1)
    if not result.consistent:
        out.withheld = 1
        return out
    out = _score(scene, stated, result.surface, cars or scene.cars)
    return out


def _score(scene: Scene, stated: Stated, surface: Surface, cars: dict[int, Pose]) -> Score:
    out = Score(cases=1)
    sightings = locate_all(scene.detections, stated.pieces.values(), surface, 0.0)
    found: dict[int, Standing] = {}
    for s in sightings:
        tag = s.detection.tag
        if tag not in cars:
            continue
        true = cars[tag]
        off = np.array(
            [s.pose.x - true.x, s.pose.y - true.y, wrap_angle(s.pose.heading - true.heading)],
            dtype=np.float64,
        )
        out.errors.append(float(np.hypot(off[0], off[1])))
        total = s.uncertainty.total
        out.inside.append(bool(off @ np.linalg.solve(total, off) <= CHI2_95))
        place = off[:2] @ np.linalg.solve(total[:2, :2], off[:2])
        out.positions_inside.append(bool(place <= CHI2_95_PLACE))
        out.headings_inside.append(abs(float(off[2])) <= 1.96 * math.sqrt(float(total[2, 2])))
        found[tag] = Standing(s.piece, s.pose, s.uncertainty)
    tags = sorted(found)
    for a, b in [*pairwise(tags), *zip(tags, tags[3:], strict=False)]:
        _score_range(out, found[a], found[b], cars[a], cars[b])
    return out


def _score_range(out: Score, a: Standing, b: Standing, true_a: Pose, true_b: Pose) -> None:
    measured = tyre_range(a, b)
    truth = _true_range(a.piece, b.piece, true_a, true_b)
    out.ranges_inside.append(abs(measured.value - truth) <= 1.96 * measured.sd)
    if truth < NEAR_IN:
        out.near.append(measured.sd)
    for offset in OFFSETS:
        for limit in (truth - offset, truth + offset):
            verdict = measured.at_most(limit).verdict()
            out.checks += 1
            out.close += verdict is Verdict.TOO_CLOSE
            right = Verdict.YES if truth <= limit else Verdict.NO
            out.wrong += verdict not in (right, Verdict.TOO_CLOSE)


def _true_range(a: Piece, b: Piece, at_a: Pose, at_b: Pose) -> float:
    assert a.body.tyres is not None
    assert b.body.tyres is not None
    front, all_four = at_a.to_table(a.body.tyres[:2]), at_b.to_table(b.body.tyres)
    return float(np.linalg.norm(front[:, None] - all_four[None], axis=-1).min())


def _share(values: list[bool]) -> float | None:
    return round(float(np.mean(values)), 4) if values else None


def _percentile(values: list[float], share: float) -> float | None:
    return round(float(np.percentile(values, share)), 4) if values else None


def hand_made(
    scene: Scene, seed: int, mounts: Mounts = BY_HAND
) -> tuple[Stated, tuple[Detection, ...], dict[int, Pose]]:
    """The scene as if hands had made and measured its table: statements, reads and true poses of the cars.

    The pictures stay; the errors are in what is stated, in where the tags sit on their cars, and, by the true
    camera, in how the tags' paper stands. Tags sit on their cars as `mounts` says.
    """
    rng = np.random.default_rng(seed)
    base, scale = scene.stated, 1.0 + rng.uniform(-0.015, 0.010)
    corners = {
        tag: replace(
            c,
            size=c.size / scale,
            at=(0.0, 0.0) if tag == min(base.corners) else _by_ruler(c.at, rng),
        )
        for tag, c in base.corners.items()
    }
    pieces, cars = {}, {}
    for tag, piece in base.pieces.items():
        mount = piece.mount
        assert mount is not None
        height = _measured(mount.height, mounts, rng)
        pieces[tag] = replace(piece, mount=replace(mount, size=mount.size / scale, height=height))
        if tag in scene.cars:
            # The tag stays where it is in the picture: it is the car that sits otherwise under it.
            aside, ahead = (float(v) for v in rng.normal(0, mounts.at, 2))
            glued = Pose(ahead, aside, math.radians(rng.normal(0, mounts.turn_deg)))
            at = scene.cars[tag].compose(mount.body_from_tag)
            cars[tag] = at.compose(glued.inverse()).compose(mount.body_from_tag.inverse())
    detections = tuple(_on_paper(scene, d, rng, mounts) for d in scene.detections)
    return replace(base, corners=corners, pieces=pieces), detections, cars


def _by_ruler(at: tuple[float, float], rng: np.random.Generator) -> tuple[float, float]:
    x, y = (_to(1 / 8, value + float(rng.normal(0, 0.05))) for value in at)
    return x, y


def _to(step: float, value: float) -> float:
    return round(value / step) * step


def _measured(height: float, mounts: Mounts, rng: np.random.Generator) -> float:
    if mounts.height < MOUNT_HEIGHT_IN:
        return height + float(rng.normal(0, mounts.height))
    # By a ruler: what is lost by reading it to a sixteenth comes on top.
    return _to(1 / 16, height + float(rng.normal(0, 0.04)))


def _on_paper(scene: Scene, d: Detection, rng: np.random.Generator, mounts: Mounts) -> Detection:
    """A read as it would be had the tag's paper been tilted, bent and lifted by the cloth."""
    tag = scene.truth.tags[d.tag]
    camera = scene.truth.raw["camera"]
    surface = Surface(
        scene.truth.lens,
        np.array(camera["R_world_to_cam"]),
        np.array(camera["t_world_to_cam"]),
        np.zeros((15, 15)),
        0.0,
    )
    height = float(tag.centre[2])
    flat = surface.table_from_image(d.corners, height)
    about = flat - flat.mean(axis=0)
    corner = tag.role == "corner"
    tilt = rng.normal(0, 0.02 if corner else math.radians(mounts.tilt_deg), 2)
    lift = about @ tilt + rng.normal(0, 0.04) + rng.uniform(0, 0.025) * np.array([1, -1, 1, -1])
    moved = surface.project(np.column_stack([flat, height + lift]))
    return replace(d, corners=moved)
