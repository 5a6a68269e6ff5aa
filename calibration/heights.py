"""How high a tag sits, from how large it looks.

A tag of known size looks larger the nearer it is to the camera: at 57 inches by 1.8 % an inch. The
flat tags of the table tell how true the printer was; what is left of a roof tag's apparent size is
its height. A roof that leans by 4 degrees changes that size, away from the point below the camera, by as much
as half an inch of height does, but in one direction only: so all four corners are looked at, and what the
tag's paper may do is reckoned with.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from calibration.bundle.parts import SeenTag
from calibration.surface import HUBER, PARAMETERS, Surface, project
from calibration.tag_shape import SIZE_SD
from engine.space.geometry import FloatArray

# A reader's error in a tag's size stays the same from place to place to this share of itself.
LASTING = 0.5
# Never surer than this: paper bends, roofs slope. Inches.
FLOOR_IN = 0.04
# A read of a flat tag's size, a share of it.
FLAT_READ = 0.0006
# Nothing is known of a height beforehand, inches; and the search ends after so many rounds.
OPEN_IN, ROUNDS = 100.0, 8
# Reads of a piece are kept from so many squares of the picture, of this side in pixels.
PLACES, CELL_PX = 12, 100


@dataclass(frozen=True, slots=True)
class TagHeight:
    """A tag's plane above the table with its deviation, inches, from so many `reads`."""

    height: float
    sd: float
    reads: int

    def contradicts(self, stated: float, sd: float) -> bool:
        """Whether a stated height is wrong beyond doubt, and by enough to matter.

        >>> TagHeight(1.5, 0.1, 8).contradicts(1.0, 0.02), TagHeight(1.1, 0.1, 8).contradicts(1.0, 0.02)
        (True, False)
        """
        off = abs(self.height - stated)
        return off > 0.15 and off > 3.0 * math.hypot(self.sd, sd)


def height_words(name: str, seen: TagHeight) -> str:
    """Of a tag that does not look as high as was stated."""
    return (
        f"{name}'s tag looks {seen.height:.1f} in above the table (±{seen.sd:.1f}), not what was stated: "
        "measure how high it sits, and its black square, and set it up anew."
    )


def heights_contradicted(
    surface: Surface, flat: Sequence[SeenTag], seen: Mapping[str, SeenTag]
) -> tuple[str, ...]:
    """What one picture of named tags says against their stated heights, in words."""
    watch = HeightWatch()
    for name, tag in seen.items():
        watch.add(name, tag)
    return tuple(height_words(name, h) for name, h in watch.doubts(surface, flat).items())


def measure_heights(
    surface: Surface, flat: Sequence[SeenTag], raised: Mapping[str, Sequence[SeenTag]]
) -> dict[str, TagHeight]:
    """Heights of named tags from their reads, each read anywhere on the table.

    `flat` are tags on the table itself, of the same printer; without any, sizes are taken at
    their word to half a percent. What a tag's paper may do (its own size, its tilt, its bow) and what is
    not known of the camera goes into the deviation; the height that is stated is only where the search
    begins.
    """
    ruler = _ruler(surface, flat)
    return {name: _measured(surface, reads, ruler) for name, reads in raised.items() if reads}


class HeightWatch:
    """Collects reads of roof tags over an evening and tells which stated heights cannot be."""

    def __init__(self) -> None:
        self._reads: dict[str, dict[tuple[int, int], SeenTag]] = {}

    def add(self, name: str, read: SeenTag) -> None:
        """One read of a piece's tag; one is kept for each part of the picture, so that errors differ."""
        x, y = (read.corners.mean(axis=0) // CELL_PX).astype(int)
        places = self._reads.setdefault(name, {})
        if len(places) < PLACES:
            places.setdefault((int(x), int(y)), read)

    def found(self, surface: Surface, flat: Sequence[SeenTag]) -> dict[str, TagHeight]:
        """Measured heights by name."""
        return measure_heights(surface, flat, {n: list(places.values()) for n, places in self._reads.items()})

    def doubts(self, surface: Surface, flat: Sequence[SeenTag]) -> dict[str, TagHeight]:
        """Measured heights that contradict the stated ones beyond doubt, by name."""
        first = {name: next(iter(places.values())) for name, places in self._reads.items()}
        found = self.found(surface, flat)
        stated = {n: math.hypot(t.sd_height, t.paper.height) for n, t in first.items()}
        return {n: h for n, h in found.items() if h.contradicts(first[n].height, stated[n])}


@dataclass(frozen=True, eq=False)
class _Ruler:
    """How much larger than stated the printer prints, with its deviation, as the flat tags show it.

    `by_parameters` (15,): by which share that changes with the surface's parameters. `side` is that of the
    flat tags, inches: ink makes smaller ones larger by another share.
    """

    scale: float
    sd: float
    by_parameters: FloatArray
    side: float = math.inf

    def size_sd(self, tag: SeenTag) -> float:
        """By which share a tag may be larger or smaller than what this tells of it."""
        return math.hypot(self.sd, tag.paper.ink * (1.0 / tag.size - 1.0 / self.side))


def _ruler(surface: Surface, flat: Sequence[SeenTag]) -> _Ruler:
    if not flat:
        return _Ruler(1.0, 0.005, np.zeros(PARAMETERS))
    seen = [_size_of(surface, t.corners) for t in flat]
    scale = float(np.median([size / t.size for (size, _), t in zip(seen, flat, strict=True)]))
    own = float(np.mean([t.paper.size**2 for t in flat]))
    each = math.sqrt((own + FLAT_READ**2) / len(flat))
    side = float(np.median([t.size for t in flat]))
    return _Ruler(scale, math.hypot(SIZE_SD, each), np.mean([by for _, by in seen], axis=0), side)


def _size_of(surface: Surface, corners: FloatArray) -> tuple[float, FloatArray]:
    """The side of a square (4, 2) pixels that lies on the table, inches; how its logarithm moves (15,)."""
    at = surface.table_from_image(corners)
    _, by, _ = surface.jacobians(at, 0.0)
    (px, py), (qx, qy) = at[2] - at[0], at[3] - at[1]
    by_p, by_q = by[2] - by[0], by[3] - by[1]
    area = float(px * qy - py * qx)
    change = by_p[0] * qy + px * by_q[1] - by_p[1] * qx - py * by_q[0]
    return math.sqrt(0.5 * abs(area)), np.asarray(0.5 * change / area)


# What all reads of a tag have in common, in this order: height in inches, size as a share, tilt about both
# axes in radians, bow both ways in inches, then the surface's parameters in unit-variance directions.
_HEIGHT, _SIZE, _TILT, _BOW, _CAMERA = 0, 1, slice(2, 4), slice(4, 6), slice(6, 6 + PARAMETERS)
# A unit square's corners (right, up) in `CornerTag.corners_at` order, and how they rise with either bow.
_SQUARE = np.array([[-0.5, 0.5], [0.5, 0.5], [0.5, -0.5], [-0.5, -0.5]])
_BENT = np.array([[1.0, 1.0], [1.0, -1.0], [1.0, 1.0], [1.0, -1.0]])


def _measured(surface: Surface, reads: Sequence[SeenTag], ruler: _Ruler) -> TagHeight:
    """One tag's height: Gauss-Newton over what its reads have in common and its place in each of them."""
    paper, fits = reads[0].paper, [_Fit(surface, r, ruler) for r in reads]
    size_sd = math.hypot(
        paper.size, ruler.size_sd(reads[0]), math.sqrt(LASTING) * float(np.median([f.noise for f in fits]))
    )
    sds = np.array([OPEN_IN, size_sd, *2 * [paper.tilt], *2 * [paper.bow], *PARAMETERS * [1.0]])
    known = np.diag(np.maximum(sds, 1e-9) ** -2.0)
    begin = np.zeros(len(sds))
    begin[_HEIGHT] = reads[0].height
    common = begin.copy()
    for _ in range(ROUNDS):
        information, gradient = known.copy(), known @ (begin - common)
        for fit in fits:
            by, pulls = fit.witness(common)
            information += by
            gradient += pulls
        step: FloatArray = np.asarray(np.linalg.solve(information, gradient), dtype=np.float64)
        common = common + step
        for fit in fits:
            fit.follow(step)
        if abs(step[_HEIGHT]) < 1e-3:
            break
    worse = max(1.0, float(np.mean([f.misfit for f in fits])))
    variance = float(np.linalg.inv(information)[_HEIGHT, _HEIGHT]) * worse
    return TagHeight(float(common[_HEIGHT]), math.sqrt(variance + FLOOR_IN**2), len(reads))


class _Fit:
    """A tag's place and direction in one read, and what the read says of what all reads have in common."""

    def __init__(self, surface: Surface, read: SeenTag, ruler: _Ruler) -> None:
        self._surface, self._read, self._ruler = surface, read, ruler
        self._weight = np.linalg.inv(read.covariance)
        on_plane = surface.table_from_image(read.corners, read.height)
        up = on_plane[0] + on_plane[1] - on_plane[2] - on_plane[3]
        self._pose = np.array([*on_plane.mean(axis=0), math.atan2(up[1], up[0])])
        self.misfit = 0.0

    @property
    def noise(self) -> float:
        """How surely one read shows the tag's size, a share of it."""
        side = math.sqrt(float(np.linalg.norm(self._read.corners[0] - self._read.corners[2]) ** 2) / 2)
        return math.sqrt(float(np.trace(self._read.covariance)) / 8) / side

    def witness(self, common: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Information and gradient for what is common, this read's own place taken out."""
        off, by_common, by_pose = self._look(common)
        far = math.sqrt(float(off @ self._weight @ off) / len(off))
        self.misfit = min(far, HUBER) ** 2
        trusted = self._weight * min(1.0, HUBER / max(far, 1e-9))
        place = np.asarray(np.linalg.inv(by_pose.T @ trusted @ by_pose))
        mixed = by_common.T @ trusted @ by_pose
        pulled = by_pose.T @ trusted @ off
        self._back = place @ pulled, place @ mixed.T
        information = by_common.T @ trusted @ by_common - mixed @ place @ mixed.T
        return information, by_common.T @ trusted @ off - mixed @ place @ pulled

    def follow(self, step: FloatArray) -> None:
        """Takes the place along with a step of what is common."""
        alone, by_step = self._back
        self._pose = self._pose + alone - by_step @ step

    def _look(self, common: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """What is seen beside what should be (8,) pixels, by what is common (8, n), by the place (8, 3)."""
        surface, ruler, turn = self._surface, self._ruler, self._pose[2]
        off_camera = surface.loading @ common[_CAMERA]
        grown = 1.0 + common[_SIZE] + float(ruler.by_parameters @ off_camera)
        square = _SQUARE * self._read.size * ruler.scale * grown
        right, up = np.array([math.sin(turn), -math.cos(turn)]), np.array([math.cos(turn), math.sin(turn)])
        flat = square @ np.array([right, up])
        rise = common[_HEIGHT] + square @ common[_TILT] + _BENT @ common[_BOW]
        world = np.column_stack([flat + self._pose[:2], rise])
        pixels, by_camera = project(surface.lens, surface.rotation, surface.translation, world)
        by_place = by_camera[:, :, 3:6] @ surface.rotation
        by_size = np.einsum("nij,nj->ni", by_place[:, :, :2], flat)
        by_rise = by_place[:, :, 2]
        turned = np.einsum("nij,nj->ni", by_place[:, :, :2], np.column_stack([-flat[:, 1], flat[:, 0]]))
        by_common = np.concatenate(
            [
                by_rise[:, :, None],
                by_size[:, :, None],
                by_rise[:, :, None] * square[:, None, :],
                by_rise[:, :, None] * _BENT[:, None, :],
                (by_camera + by_size[:, :, None] * ruler.by_parameters) @ surface.loading,
            ],
            axis=2,
        )
        by_pose = np.concatenate([by_place[:, :, :2], turned[:, :, None]], axis=2)
        seen = self._read.corners - pixels - by_camera @ off_camera
        return seen.ravel(), by_common.reshape(8, -1), by_pose.reshape(8, 3)
