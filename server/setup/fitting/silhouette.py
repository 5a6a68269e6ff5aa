"""Where a piece ends in the picture round its tag, found against a plain cloth."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.space.geometry import FloatArray, Pose
from vision.frame import Image

Mask = NDArray[np.uint8]

# How far a colour is from the cloth's, in its own spread: certainly cloth below, hardly cloth above.
IS_CLOTH, NO_CLOTH = 1.0, 4.0
# A shadow is darker cloth: darkness alone counts for so much less.
DARKER = 0.2
# The tag's white border is as wide as this, shares of the black square: it belongs to the piece.
BORDER = 1.2
ROUNDS, SEED = 3, 1
# So much of what lies beside the silhouette must be plain cloth, and so many tags large it must be.
LEAST_CLOTH, LEAST_TAGS = 0.7, 2.2
# How well an outline must fill the silhouette: a box has straight sides, a car is rounded everywhere.
LEAST_FIT = {"car": 0.90, "other": 0.94}
# How much longer or shorter than its model a car may be taken to be, and wider or narrower.
LONGER, WIDER = 1.25, 1.3
STEPS = (0.08, 0.03, 0.01)
"""By how much edges are moved in search of the best fit, inches, and the direction by as much at 2 inches."""
TURNS_DEG = 16.0
EDGE_SD_IN, EDGE_SD_PX, TURN_SD_DEG = 0.12, 0.7, 1.2
"""How well an edge and the direction are found this way, standard deviations: what is dark, pale or in the
shade beside a cloth like it is missed. From `python -m benchmarks.firsttime FOLDER`."""


@dataclass(frozen=True)
class Edges:
    """An outline against the tag: the edges in inches along the body's axes, the tag's turn in radians."""

    front: float
    rear: float
    left: float
    right: float
    turn: float


@dataclass(frozen=True, eq=False)
class Round:
    """The picture round a tag, and what leads from inches about the tag to its pixels at two heights.

    `tag` is the tag's black square, `others` those of all other tags, (4, 2) pixels each. `low` and `high`
    are homographies (3, 3). `shape` is the piece's outline in shares of its length and width, (n, 2). `car`
    says that it is one, whose size its model tells about.
    """

    picture: Image
    tag: FloatArray
    others: tuple[FloatArray, ...]
    low: FloatArray
    high: FloatArray
    shape: FloatArray
    car: bool


def find_edges(around: Round, start: Edges) -> Edges | str:
    """The outline that fills the piece's silhouette best; a string where there is no clear edge, and why."""
    seen = silhouette(around)
    if isinstance(seen, str):
        return seen
    best, fit = fitted(around, seen, start)
    if fit < LEAST_FIT["car" if around.car else "other"]:
        return "what stands out from the table has another shape"
    longer = (best.front - best.rear) / (start.front - start.rear)
    wider = (best.left - best.right) / (start.left - start.right)
    if around.car and not (1 / LONGER < longer < LONGER and 1 / WIDER < wider < WIDER):
        return "what stands out from the table is too small or too large for this model"
    return best


def silhouette(around: Round) -> Mask | str:
    """The piece as a mask (h, w) of ones; a string where the background does not allow it, and why."""
    picture, tag = around.picture, around.tag
    distance = _from_cloth(picture, tag)
    centre = tag.mean(axis=0)
    mask = np.full(picture.shape[:2], cv2.GC_PR_BGD, np.uint8)
    mask[distance > NO_CLOTH] = cv2.GC_PR_FGD
    mask[distance < IS_CLOTH] = cv2.GC_BGD
    mask[[0, 1, -2, -1]] = cv2.GC_BGD
    mask[:, [0, 1, -2, -1]] = cv2.GC_BGD
    cv2.fillConvexPoly(mask, np.rint(centre + (tag - centre) * BORDER).astype(np.int32), cv2.GC_FGD)
    models = np.zeros((1, 65)), np.zeros((1, 65))
    # It begins by chance: the same picture must give the same edges.
    cv2.setRNGSeed(SEED)
    cv2.grabCut(picture, mask, (0, 0, 0, 0), *models, ROUNDS, cv2.GC_INIT_WITH_MASK)
    piece = ((mask == cv2.GC_FGD) | (mask == cv2.GC_PR_FGD)).astype(np.uint8)
    side = math.sqrt(cv2.contourArea(tag.astype(np.float32)))
    thin = max(3, int(0.1 * side) | 1)
    piece = cv2.morphologyEx(
        piece, cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (thin, thin))
    ).astype(np.uint8)
    _, labels = cv2.connectedComponents(piece)
    middle = labels[int(np.clip(centre[1], 0, labels.shape[0] - 1)), int(centre[0])]
    if middle == 0:
        return "the piece does not stand out from the table"
    alone = (labels == middle).astype(np.uint8)
    contours, _ = cv2.findContours(alone, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    outline = max(contours, key=cv2.contourArea)
    filled = np.zeros_like(alone)
    cv2.drawContours(filled, [outline], -1, 1, cv2.FILLED)
    return _refused(around, filled, outline[:, 0, :].astype(np.float64), distance) or filled


def _from_cloth(picture: Image, tag: FloatArray) -> FloatArray:
    """How far each pixel's colour is from that of the cloth about the piece, in the cloth's own spread."""
    lab = cv2.cvtColor(picture, cv2.COLOR_BGR2LAB).astype(np.float64)
    h, w = lab.shape[:2]
    x, y = tag.mean(axis=0)
    away = np.hypot(np.arange(w)[None, :] - x, np.arange(h)[:, None] - y)
    ring = lab[away > 0.75 * min(h, w) / 2]
    plain = np.median(ring, axis=0)
    spread = np.median(np.abs(ring - plain), axis=0) * 1.4826 + 1.5
    off = (lab - plain) / spread
    light = np.where(off[..., 0] > 0, off[..., 0], -DARKER * off[..., 0])
    return np.asarray(np.maximum(np.abs(off[..., 1:]).max(axis=2), light))


def _refused(around: Round, piece: Mask, outline: FloatArray, distance: FloatArray) -> str | None:
    h, w = piece.shape
    if outline.min() < 3 or outline[:, 0].max() > w - 4 or outline[:, 1].max() > h - 4:
        return "the piece is not told from what lies round it"
    for other in around.others:
        x, y = np.rint(other.mean(axis=0)).astype(int)
        if 0 <= x < w and 0 <= y < h and piece[y, x]:
            return "another piece touches it"
    if piece.sum() < LEAST_TAGS * cv2.contourArea(around.tag.astype(np.float32)):
        return "only its tag stands out from the table"
    beside = cv2.dilate(piece, np.ones((9, 9), np.uint8)) - cv2.dilate(piece, np.ones((3, 3), np.uint8))
    if float((distance[beside > 0] < NO_CLOTH).mean()) < LEAST_CLOTH:
        return "what lies round it is not of one colour"
    return None


def fitted(around: Round, seen: Mask, start: Edges) -> tuple[Edges, float]:
    """The outline that covers the silhouette best, and by what share (intersection over union)."""
    filled = int(seen.sum())
    frame = np.zeros_like(seen)

    def fit(values: FloatArray) -> float:
        if values[0] - values[1] < 0.2 or values[2] - values[3] < 0.2:
            return 0.0
        frame[:] = 0
        cv2.fillConvexPoly(frame, drawn(around, Edges(*values.tolist())), 1, shift=4)
        both = int(cv2.bitwise_and(frame, seen).sum())
        return both / (filled + int(frame.sum()) - both)

    found, best = np.array([0.0]), -1.0
    for degrees in np.arange(-TURNS_DEG, TURNS_DEG + 1.0, 2.0):
        turn = start.turn + math.radians(float(degrees))
        values = np.array([*_extent(around, seen, turn), turn])
        share = fit(values)
        if share > best:
            found, best = values, share
    for step in STEPS:
        better = True
        while better:
            better = False
            for k in range(5):
                for sign in (1.0, -1.0):
                    tried = found.copy()
                    tried[k] += sign * step * (0.5 if k == 4 else 1.0)
                    share = fit(tried)
                    if share > best + 1e-6:
                        found, best, better = tried, share, True
    return Edges(*found.tolist()), best


def _extent(around: Round, seen: Mask, turn: float) -> tuple[float, float, float, float]:
    """How far the silhouette reaches ahead, back, left and right of the tag, inches.

    A pixel of the outline is the piece's at one of two heights: the one by which the piece is smaller.
    """
    contours, _ = cv2.findContours(seen, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    pixels = contours[0][:, 0, :].astype(np.float64)
    level = [
        Pose(0.0, 0.0, turn).to_table(cv2.perspectiveTransform(pixels[None], np.linalg.inv(m))[0])
        for m in (around.low, around.high)
    ]
    most = np.min([np.percentile(p, 98, axis=0) for p in level], axis=0)
    least = np.max([np.percentile(p, 2, axis=0) for p in level], axis=0)
    return float(most[0]), float(least[0]), float(most[1]), float(least[1])


def drawn(around: Round, edges: Edges) -> Any:
    """The silhouette of the outline between both heights, as corners in 16ths of a pixel."""
    return np.rint(hull_of(around, edges) * 16).astype(np.int32)


def hull_of(around: Round, edges: Edges) -> FloatArray:
    """The silhouette of the outline between both heights, (n, 2) pixels."""
    least = np.array([edges.rear, edges.right])
    body = least + around.shape * (np.array([edges.front, edges.left]) - least)
    about_tag = Pose(0.0, 0.0, -edges.turn).to_table(body)
    pixels = [cv2.perspectiveTransform(about_tag[None], m)[0] for m in (around.low, around.high)]
    hull = cv2.convexHull(np.concatenate(pixels).astype(np.float32))
    return np.asarray(hull[:, 0], dtype=np.float64)
