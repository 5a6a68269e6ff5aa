"""`python -m benchmarks.drift`: whether stated errors hold while the camera moves.

Nine cars stand still on a table of 46 by 46 inches with four corner tags; the camera 57 inches up pans by 7
pixels, sags, is bumped by a quarter of a pixel to five, refocuses by half a percent to two, breathes, or is
zoomed. In some runs corner tags are covered, by hands or a book, from a fifth of the time to four fifths. No
picture is drawn: the tags are projected exactly and read with noise, of which a part stays the same from
frame to frame, 30 frames a second, and go through surface, places and tracks as in the referee.
Everything is stated exactly, so that nothing stated hides what the camera does.

Told are, of all frames in which rulings are not held: the share of car poses inside their stated 95 %, the
same in the worst second, wrong verdicts of ranges against limits within an inch of the truth, the largest
error of a place, the frames in which nothing is ruled, and how often it is said that the camera has moved or
that a car has.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated, Any

import cv2
import numpy as np

from benchmarks.command import command
from calibration.accuracy import EXACT
from calibration.bundle.parts import SeenTag
from calibration.lens.model import Lens, usual_covariance
from calibration.surface import PARAMETERS, CornerTag, SeenCorner, Surface
from calibration.watching.keeper import SurfaceKeeper
from engine.measure.distances import tyre_range
from engine.ruling import Verdict
from engine.space.catalogue import CARS
from engine.space.geometry import FloatArray, Pose, wrap_angle
from engine.space.pieces import Piece, TagMount
from engine.space.table import PoseUncertainty, Standing, Status
from vision.frame import Detection, Frame
from vision.locate import locate_all, tag_in_image
from vision.track import Tracker

SIDE, UP = 46.0, 57.0
PLACES = ((0.0, 0.0), (SIDE, 0.0), (SIDE, SIDE), (0.0, SIDE))
_LENS = Lens(
    (1920, 1080),
    np.array([[1181.0, 0.0, 966.8], [0.0, 1182.0, 534.4], [0.0, 0.0, 1.0]]),
    np.array([-0.085, 0.022, 0.0006, -0.0004, 0.0]),
)
LENS = replace(_LENS, covariance=usual_covariance(_LENS))

FPS, READ_PX, LASTING = 30.0, 0.08, 0.4
CHI2_95 = 7.815
OFFSETS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 1.0)
NOTHING = Frame(np.zeros((LENS.size[1], LENS.size[0]), np.uint8), 0.0, 0)


def camera() -> Surface:
    """About above the middle, 3° off the plumb line."""
    turned = np.asarray(cv2.Rodrigues(np.radians([3.0, 1.5, 1.0]))[0], np.float64) @ np.diag(
        [1.0, -1.0, -1.0]
    )
    position = np.array([SIDE / 2, SIDE / 2 - 1, UP])
    return Surface(LENS, turned, -turned @ position, np.zeros((PARAMETERS, PARAMETERS)), 0.0)


Motion = Callable[[float], Surface]
"""The true camera after a share, 0 to 1, of the time."""


def turned(truth: Surface, across_px: float, down_px: float = 0.0) -> Surface:
    """The camera turned until the picture has moved by so many pixels."""
    focal = float(truth.lens.K[0, 0])
    step = np.asarray(cv2.Rodrigues(np.array([-down_px / focal, across_px / focal, 0.0]))[0], np.float64)
    return replace(truth, rotation=step @ truth.rotation, translation=step @ truth.translation)


def sunk(truth: Surface, inches: float) -> Surface:
    """The camera lower by so much."""
    position = truth.camera_position - np.array([0.0, 0.0, inches])
    return replace(truth, translation=-truth.rotation @ position)


def zoomed(truth: Surface, share: float) -> Surface:
    """The camera with a focal length longer by a share."""
    K = truth.lens.K.copy()
    K[0, 0] *= 1.0 + share
    K[1, 1] *= 1.0 + share
    return replace(truth, lens=replace(truth.lens, K=K))


def _refocused(share: float) -> Motion:
    # A motor takes half a second of the half minute.
    return lambda t: zoomed(camera(), share * min(max((t - 0.5) * 60.0, 0.0), 1.0))


def _bumped(px: float) -> Motion:
    return lambda t: turned(camera(), 0.6 * px * (t >= 0.5), 0.8 * px * (t >= 0.5))


MOTIONS: dict[str, Motion] = {
    "hangs still": lambda _: camera(),
    "pans by 7 pixels": lambda t: turned(camera(), 7.0 * t),
    "pans by 2 pixels": lambda t: turned(camera(), 2.0 * t),
    "sags by a tenth of an inch and 3 pixels": lambda t: turned(sunk(camera(), 0.1 * t), 0.0, 3.0 * t),
    "is bumped by half a pixel": _bumped(0.5),
    "is bumped by a quarter of a pixel": _bumped(0.25),
    "is bumped by 5 pixels": _bumped(5.0),
    "refocuses by 0.5 %": _refocused(0.005),
    "refocuses by -1 %": _refocused(-0.01),
    "refocuses by 2 %": _refocused(0.02),
    "breathes by 0.5 %": lambda t: zoomed(camera(), 0.005 * math.sin(6 * math.pi * t)),
    "is zoomed by 10 %": _refocused(0.1),
}

COVERED_FROM, COVERED_UNTIL = 0.2, 0.8
"""Shares of the time between which corner tags are covered."""

COVERED: dict[str, tuple[str, tuple[int, ...]]] = {
    f"{name}, corner tags {words} covered": (name, tags)
    for words, tags in {
        "0 and 1": (0, 1),
        "0 and 2": (0, 2),
        "0 to 2": (0, 1, 2),
        "0 to 3": (0, 1, 2, 3),
    }.items()
    for name in ("hangs still", "pans by 2 pixels", "is bumped by 5 pixels")
}
"""A motion by its name, and the corner tags that are covered during it."""


@dataclass
class Tally:
    """Counts of one run."""

    inside: list[list[bool]]
    worst_in: float = 0.0
    checks: int = 0
    wrong: int = 0
    held: int = 0
    told: int = 0
    cars_moved: int = 0

    def figures(self) -> dict[str, Any]:
        """As shares."""
        shares = [float(np.mean(each)) for each in self.inside]
        second = int(FPS)
        windows = [float(np.mean(shares[k : k + second])) for k in range(max(len(shares) - second + 1, 1))]
        return {
            "coverage_95": round(float(np.mean(shares)), 4),
            "coverage_95_worst_second": round(min(windows), 4),
            "confident_wrong": self.wrong,
            "checks": self.checks,
            "worst_in": round(self.worst_in, 4),
            "held_frames": self.held,
            "camera_moved": self.told,
            "cars_moved": self.cars_moved,
        }


def cars() -> dict[str, tuple[Piece, Pose]]:
    """Nine cars in a grid, every one turned another way."""
    found = {}
    for k in range(9):
        at = Pose(9.0 + 14.0 * (k % 3), 9.0 + 14.0 * (k // 3), 0.7 * k)
        mount = TagMount(
            "tag36h11", 10 + k, 0.9, 1.1, Pose(0.0, 0.0, 0.0), sd_at=0.002, sd_turn=0.001, sd_height=0.005
        )
        piece = Piece(f"Car {k}", "car", CARS["sedan"], mount=mount)
        found[piece.name] = piece, at
    return found


def run(
    motion: Motion, frames: int, seed: int = 1, covered: Collection[int] = (), cars_seen: int = 9
) -> dict[str, Any]:
    """One motion of the camera, frame by frame; the corner tags `covered` are for the most of it."""
    rng = np.random.default_rng(seed)
    tags = [CornerTag("tag36h11", k, 2.4, at, math.pi / 2, 0.005, EXACT.laid) for k, at in enumerate(PLACES)]
    table = dict(list(cars().items())[:cars_seen])
    lens = LENS
    keeper, tracker = SurfaceKeeper(lens, None, EXACT.common, tags), Tracker()
    biased = {k: rng.normal(0, math.sqrt(LASTING) * READ_PX, (4, 2)) for k in (*range(4), *range(10, 19))}
    tally = Tally([])

    def read(tag: int, corners: FloatArray) -> Detection:
        noise = rng.normal(0, math.sqrt(1 - LASTING) * READ_PX, (4, 2))
        return Detection("tag36h11", tag, corners + biased[tag] + noise, np.eye(8) * READ_PX**2)

    for k in range(frames):
        now, truth = k / FPS, motion(k / frames)
        hidden = covered if COVERED_FROM <= k / frames < COVERED_UNTIL else ()
        flat = {t.tag: read(t.tag, truth.image_from_table(t.corners_at())) for t in tags}
        roofs = [read(p.mount.tag, tag_in_image(p, at, truth)) for p, at in table.values() if p.mount]
        corners = [
            SeenCorner(t, flat[t.tag].corners, flat[t.tag].covariance) for t in tags if t.tag not in hidden
        ]
        raised = [
            SeenTag(d.family, d.tag, 0.9, 1.1, d.corners, d.covariance, 0.005, EXACT.glued(0.0))
            for d in roofs
        ]
        if keeper.update(now, corners, (), raised):
            tally.told += 1
        if keeper.leapt:
            tracker.forget()
        surface = keeper.surface
        if surface is None or keeper.unsteady or keeper.withheld:
            tally.held += 1
            continue
        frame = replace(NOTHING, time=now, index=k)
        pieces = [p for p, _ in table.values()]
        changes = tracker.update(frame, surface, locate_all(roofs, pieces, surface, now))
        tally.cars_moved += sum(c.before is Status.STILL and c.after is Status.MOVING for c in changes)
        count(tally, table, tracker.standings(pieces))
    return tally.figures()


def count(tally: Tally, table: dict[str, tuple[Piece, Pose]], standings: tuple[Standing, ...]) -> None:
    """Adds what one frame says of the cars."""
    inside = []
    for s in standings:
        true = table[s.name][1]
        off = np.array(
            [s.pose.x - true.x, s.pose.y - true.y, wrap_angle(s.pose.heading - true.heading)], np.float64
        )
        inside.append(bool(off @ np.linalg.solve(s.uncertainty.total, off) <= CHI2_95))
        tally.worst_in = max(tally.worst_in, float(np.hypot(off[0], off[1])))
    tally.inside.append(inside)
    for a, b in pairwise(standings):
        measured = tyre_range(a, b)
        exactly = [Standing(s.piece, table[s.name][1], PoseUncertainty.exact()) for s in (a, b)]
        true_range = tyre_range(*exactly).value
        for offset in OFFSETS:
            for limit in (true_range - offset, true_range + offset):
                verdict = measured.at_most(limit).verdict() if a.status is Status.STILL else Verdict.TOO_CLOSE
                tally.checks += 1
                right = Verdict.YES if true_range <= limit else Verdict.NO
                tally.wrong += verdict not in (right, Verdict.TOO_CLOSE)


def drifts(
    *,
    only: Annotated[str, "only motions with this in their name"] = "",
    frames: Annotated[int, "of each motion, 30 a second"] = 900,
    seed: Annotated[int, "of the noise"] = 1,
    cars: Annotated[int, "how many stand there, 2 to 9"] = 9,
) -> Iterator[dict[str, Any]]:
    """What is said while the camera moves, motion by motion."""
    cases: dict[str, tuple[str, tuple[int, ...]]] = {name: (name, ()) for name in MOTIONS} | COVERED
    for name, (motion, covered) in ((n, c) for n, c in cases.items() if only in n):
        yield {"motion": name, **run(MOTIONS[motion], frames, seed, covered, cars)}


if __name__ == "__main__":
    raise SystemExit(command(drifts))
