"""The outline of what lies on the table unnamed, drawn in the picture itself."""

from __future__ import annotations

import cv2
import numpy as np
from shapely import Point, Polygon

from calibration.surface import Surface
from engine.space.geometry import FloatArray
from vision.flat import PER_INCH, Mask, as_mask, rim_of
from vision.frame import Image
from vision.unexplained import Look

# How surely the edge of a thing is found, inches: where only its colour tells, at the best, and at the worst.
EDGE_SD_IN, SHARP_SD_IN, UNSEEN_SD_IN = 0.3, 0.05, 0.5
# The edge is drawn anew in the picture itself, in so many pixels an inch, as far from what was found and with
# so much of it taken for sure, inches; what is thinner than the last is no part of it.
FINE, ABOUT_IN, CORE_IN, HAIR_IN, MARGIN_IN = 16, 0.6, 0.15, 0.06, 1.25
# An edge drawn anew that encloses less or more than so much of what was found is none.
AS_LARGE = (0.6, 3.0)


def outlined(image: Image, surface: Surface, seen: Look, blob: Mask) -> tuple[FloatArray | None, float]:
    """The outline of a blob, (n, 2) inches, drawn in the picture itself, and its deviation, inches.

    What surely belongs to it and what lies about it are each taken as a few colours; between them the edge
    goes where colours change (`cv2.grabCut`). How far it goes from where the look had it, and how much of it
    lies beside pieces and shadows, says how clear it is.
    """
    flat = seen.flat
    rough = _polygon(flat.places(rim_of(blob)))
    x, y, w, h = cv2.boundingRect(blob)
    corners = np.array([(x, y), (x + w, y + h)], np.float64) + MARGIN_IN * PER_INCH * np.array([[-1], [1]])
    low, high = flat.places(corners)
    w, h = (int(n) + 1 for n in np.ceil((high - low) * FINE))
    xs, ys = np.meshgrid(np.arange(w) / FINE + low[0], np.arange(h) / FINE + low[1])
    places = surface.image_from_table(np.column_stack([xs.ravel(), ys.ravel()])).reshape(h, w, 2)
    crop = cv2.remap(image, places.astype(np.float32), None, cv2.INTER_LINEAR)  # type: ignore[call-overload]
    crop = np.asarray(cv2.GaussianBlur(crop, (0, 0), 0.8), np.uint8)
    scale = FINE / PER_INCH
    move = np.column_stack([np.eye(2) * scale, -corners[0] * scale])

    def fine(mask: Mask) -> Mask:
        return as_mask(cv2.warpAffine(mask, move, (w, h), flags=cv2.INTER_NEAREST))

    def disk(radius: float) -> Mask:
        size = 2 * max(1, round(radius * FINE)) + 1
        return as_mask(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)))

    found, hidden = fine(blob), fine(seen.hidden)
    labels = np.full((h, w), cv2.GC_PR_BGD, np.uint8)
    labels[cv2.dilate(found, disk(ABOUT_IN)) == 0] = cv2.GC_BGD
    labels[found > 0] = cv2.GC_PR_FGD
    core = as_mask(as_mask(cv2.erode(found, disk(CORE_IN))) & fine(seen.sure))
    labels[(core if core.any() else as_mask(found & fine(seen.sure))) > 0] = cv2.GC_FGD
    labels[hidden > 0] = cv2.GC_BGD
    if rough is None or not (labels == cv2.GC_FGD).any() or not (labels == cv2.GC_BGD).any():
        return (None if rough is None else _ring(rough)), EDGE_SD_IN
    # The rectangle is not looked at where there is a mask.
    models = np.zeros((1, 65)), np.zeros((1, 65))
    cv2.grabCut(crop, labels, (0, 0, 1, 1), *models, 3, cv2.GC_INIT_WITH_MASK)
    cut = as_mask((labels == cv2.GC_FGD) | (labels == cv2.GC_PR_FGD))
    cut = as_mask(cv2.morphologyEx(cut, cv2.MORPH_OPEN, disk(HAIR_IN)))
    if not cut.any():
        return _ring(rough), EDGE_SD_IN
    rim = rim_of(cut)
    edge = _polygon(rim / FINE + low)
    if edge is None or not AS_LARGE[0] < edge.area / max(rough.area, 1e-9) < AS_LARGE[1]:
        return _ring(rough), EDGE_SD_IN
    spots = np.rint(rim).astype(int)
    # Beside a piece or a shadow the edge is not seen.
    dim = as_mask(cv2.dilate(as_mask(hidden | (fine(seen.shady) & (found ^ 1))), disk(CORE_IN)))
    unseen = float((dim[spots[:, 1], spots[:, 0]] > 0).mean())
    line = rough.exterior
    apart = float(np.quantile([line.distance(Point(p)) for p in (rim / FINE + low)[::4]], 0.95))
    return _ring(edge), float(np.clip(max(apart / 2.0, unseen), SHARP_SD_IN, UNSEEN_SD_IN))


def _polygon(outline: FloatArray) -> Polygon | None:
    """A thing's outline with no more corners than it needs; None if it encloses nothing."""
    if len(outline) < 3:
        return None
    polygon = Polygon(outline).buffer(0)
    if not isinstance(polygon, Polygon):
        polygon = max(polygon.geoms, key=lambda p: p.area)
    polygon = polygon.simplify(0.25 / FINE)
    return polygon if isinstance(polygon, Polygon) and polygon.area > 0 else None


def _ring(polygon: Polygon) -> FloatArray:
    return np.array(polygon.exterior.coords)[:-1]
