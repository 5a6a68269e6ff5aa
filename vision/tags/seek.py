"""A tag that has been pushed on: where near its expected place its picture lies now."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np

from engine.space.geometry import FloatArray
from vision.frame import Image
from vision.tags.pattern import FINE, MARGIN, STEP, blurred, homographies, pattern
from vision.tags.polish import side_of

# Larger tags are looked for in a smaller picture: this many pixels a side are plenty.
_ENOUGH_PX = 20.0
# A match better than this needs no other turns tried.
GOOD = 0.85


def seek(
    grey: Image,
    family: str,
    tag: int,
    corners: FloatArray,
    reach: float,
    turns: Sequence[float] = (),
    blur: float = 0.8,
) -> tuple[float, FloatArray] | None:
    """The best match of a tag within `reach` pixels of where its corners (4, 2) are expected.

    Looks with the expected turn first and, if that is no good match, with it changed by each of
    `turns` (radians). Returns the correlation and the corners, None at the picture's edge.
    """
    side = side_of(corners)
    scale = min(_ENOUGH_PX / max(side, 1.0), 1.0)
    centre = corners.mean(axis=0)
    half = 0.75 * side + reach
    # In plain numbers, for this runs for every tag that moves in every frame.
    x, y = centre.tolist()
    left, top = max(math.floor(x - half), 0), max(math.floor(y - half), 0)
    right = min(math.ceil(x + half) + 1, grey.shape[1])
    bottom = min(math.ceil(y + half) + 1, grey.shape[0])
    if min(right - left, bottom - top) < 1.2 * side + 2:
        return None
    low = np.array([left, top])
    region = grey[top:bottom, left:right]
    if scale < 1.0:
        size = max(round((right - left) * scale), 8), max(round((bottom - top) * scale), 8)
        region = np.asarray(cv2.resize(region, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    offsets = (corners - centre) * scale
    best: tuple[float, FloatArray] | None = None
    for turn in (0.0, *turns):
        cos, sin = math.cos(turn), math.sin(turn)
        turned = offsets @ np.array([[cos, sin], [-sin, cos]])
        found = _match(region, family, tag, turned, blur * scale)
        if found is None:
            continue
        score, at = found
        if best is None or score > best[0]:
            # Pixel areas are kept: place = (small place + 0.5) / scale - 0.5.
            best = score, (turned + at + 0.5) / scale - 0.5 + low
        if turn == 0.0 and score > GOOD:
            break
    return best


def _match(
    region: Image, family: str, tag: int, offsets: FloatArray, blur: float
) -> tuple[float, FloatArray] | None:
    """Correlation and the centre's place in `region` of the best match of a drawn tag."""
    # The largest upright square inside the tag and a little of its margin: what lies around the
    # tag is not known.
    across = offsets[1] - offsets[0]
    side = float(np.hypot(*across))
    inside = 0.55 * side * side / float(np.abs(across).sum())
    reach = max(round(inside), 3)
    size = 2 * reach + 1
    if size > region.shape[0] or size > region.shape[1]:
        return None
    plain = pattern(family, tag)
    assert plain is not None
    modules = len(plain)
    step = int(np.clip(round(blur * modules / side / STEP), 1, 30))
    image_from_square = homographies((offsets + reach)[None])[0]
    # The drawing's pixel (0, 0) lies MARGIN modules before the black square's corner.
    fine = 1.0 / (modules * FINE)
    shift = (0.5 / FINE - MARGIN) / modules
    square_from_drawing = np.array([[fine, 0.0, shift], [0.0, fine, shift], [0.0, 0.0, 1.0]])
    drawn = cv2.warpPerspective(
        blurred(family, tag, step)[..., 0],
        image_from_square @ square_from_drawing,
        (size, size),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    template = (np.sqrt(np.clip(drawn, 0.0, 1.0)) * 255.0).astype(np.uint8)
    scores = np.asarray(cv2.matchTemplate(region, template, cv2.TM_CCOEFF_NORMED), dtype=np.float64)
    _, score, _, (x, y) = cv2.minMaxLoc(scores)
    return float(score), np.array([x + _vertex(scores[y], x), y + _vertex(scores[:, x], y)]) + reach


def _vertex(scores: FloatArray, at: int) -> float:
    """Where between the samples the parabola through a maximum has its top."""
    if not 0 < at < len(scores) - 1:
        return 0.0
    before, here, after = (float(v) for v in scores[at - 1 : at + 2])
    bend = before - 2.0 * here + after
    return float(np.clip(0.5 * (before - after) / bend, -0.5, 0.5)) if bend < -1e-9 else 0.0
