"""Where a piece that was not read may stand: wherever the table is not seen to be free.

What stands on cloth that is seen would be seen there, its tag read or not. It may be what nothing explains,
stand under a hand, behind something high, or where the picture does not reach.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import cv2
import numpy as np

from engine.space.geometry import FloatArray, Region
from engine.space.pieces import Piece
from engine.space.table import UNWATCHED, Hideout
from vision.flat import PER_INCH, Mask, as_mask, disk, spots
from vision.frame import Sighting
from vision.unexplained import ROUND_PIECE_IN, Look

# A piece fits into what is so much smaller than it on each side, inches, turned in so many ways.
TIGHT_IN, WAYS = 0.15, 12
# Nothing solid stands in another thing, but for so much, inches.
OVERLAP_IN = 0.1
# What may stand where its tag is seen reaches no farther beside its place than this, inches.
BESIDE_IN = 0.1
# A place is the same that differs by no more than so much at its rim, inches.
RIM_IN = 0.4


def hideouts_of(
    seen: Look,
    region: Region,
    in_picture: Mask,
    bodies: Iterable[tuple[FloatArray, FloatArray]],
    unread: Iterable[Piece],
) -> Iterator[Hideout]:
    """Places for each of these pieces.

    `bodies` are outlines (n, 2), inches, of what is known: what it covers for the camera, and where it
    stands. `in_picture` is what of the table the picture shows, (h, w) of ones.
    """
    table, hidden, solid = (np.zeros(in_picture.shape, np.uint8) for _ in range(3))
    cv2.fillPoly(table, [spots(seen.flat, region.outline)], 1)
    for covers, stands in bodies:
        cv2.fillPoly(hidden, [spots(seen.flat, covers)], 1)
        cv2.fillPoly(solid, [spots(seen.flat, stands)], 1)
    hidden = as_mask(cv2.dilate(hidden, disk(ROUND_PIECE_IN)))
    solid = as_mask(cv2.erode(solid, disk(OVERLAP_IN)))
    unexplained = as_mask(np.clip(sum(seen.blobs, np.zeros_like(hidden)), 0, 1))
    may = as_mask(table & (unexplained | hidden | (in_picture ^ 1)) & (solid ^ 1))
    # Cars of one size fit into the same places.
    found: dict[tuple[float, float], list[Region]] = {}
    for piece in unread:
        size = piece.body.length, piece.body.width
        if size not in found:
            found[size] = [Region(seen.flat.places(p)) for p in _outlines(_fitting(may, *size))]
        yield from (Hideout(piece.name, place) for place in found[size])


def copies_at(seen: Iterable[Sighting]) -> Iterator[Hideout]:
    """Where a piece may stand whose tag is in view at several places: at each of them, and nowhere else."""
    for one in seen:
        around = one.piece.body.footprint.at(one.pose).polygon.buffer(BESIDE_IN)
        place = Region(np.array(around.exterior.coords)[:-1])
        yield Hideout(one.piece.name, place, blocks_sight=one.piece.blocks_sight)


def unwatched_in(seen: Look, blobs: Iterable[Mask]) -> Iterator[Hideout]:
    """What a look does not explain, which may be a thing, or a hand that goes again."""
    for blob in blobs:
        hull = cv2.convexHull(np.argwhere(blob)[:, ::-1].astype(np.float32))[:, 0].astype(np.float64)
        if cv2.contourArea(hull.astype(np.float32)) > 0.0:
            yield Hideout(UNWATCHED, Region(seen.flat.places(hull)))


def same_hideouts(some: Sequence[Hideout], others: Sequence[Hideout]) -> bool:
    """Whether two looks tell of the same places, but for a little at their rims."""
    return len(some) == len(others) and all(
        a.name == b.name and _rims_apart(a.region, b.region) <= RIM_IN
        for a, b in zip(some, others, strict=True)
    )


def _rims_apart(one: Region, other: Region) -> float:
    """How far the rims of two places are apart at most, inches."""
    return float(one.polygon.exterior.hausdorff_distance(other.polygon.exterior))


def _fitting(may: Mask, length: float, width: float) -> Mask:
    """What a rectangle of these inches covers wherever it lies within a mask, however turned: (h, w)."""
    covered = np.zeros_like(may)
    long, wide = (max(1, math.floor((side - 2 * TIGHT_IN) * PER_INCH)) for side in (length, width))
    for way in range(WAYS):
        kernel = _turned(long, wide, way * math.pi / WAYS)
        inner = cv2.erode(may, kernel, borderValue=0)
        if inner.any():
            covered |= as_mask(cv2.dilate(inner, kernel))
    return covered


def _turned(long: int, wide: int, by: float) -> Mask:
    """A rectangle of so many pixels, turned by so many radians, within a square of an odd side."""
    half = math.ceil(math.hypot(long, wide) / 2)
    y, x = np.mgrid[-half : half + 1, -half : half + 1]
    along, across = x * math.cos(by) + y * math.sin(by), y * math.cos(by) - x * math.sin(by)
    return as_mask((np.abs(along) <= long / 2) & (np.abs(across) <= wide / 2))


def _outlines(mask: Mask) -> Iterator[FloatArray]:
    """The outline (n, 2) of each part of a mask, pixels."""
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    for contour in contours:
        if len(contour) > 2:
            yield contour[:, 0].astype(np.float64)
