"""The tags that nobody has named: a card each for those on the table, a sentence for those beside it."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import cv2
import numpy as np

from calibration.fiducials import TagKey
from calibration.surface import Surface
from engine.space.geometry import FloatArray
from server.setup.printing.advice import CARD_SIZES, ROOF_SIZES
from server.setup.setup_messages import CardView
from server.setup.surface_setup import side_on_plane
from vision.frame import Detection
from vision.tags.unnamed import USUAL_FAMILY

PRINTED_IN = (*ROOF_SIZES, *CARD_SIZES)
"""Sizes of roof tags that are printed or usual, inches."""

USUAL_HEIGHT_IN = 1.0

BESIDE_IN = 6.0
"""A tag so far outside the table's outline is beside it: a mat may reach further than its corner tags."""


def nameless(
    detections: Sequence[Detection],
    known: Collection[TagKey],
    now: tuple[Surface, FloatArray] | None,
    scale: float,
    *,
    kept: bool,
) -> tuple[list[CardView], list[int]]:
    """The cards of tags that nobody has named, and the ids of those that lie beside a `kept` table.

    `now` is the table under the camera with its outline (n, 2), None while it is not found; `scale` by how
    much the table's tags came out larger than printed.
    """
    cards, beside = [], []
    for d in detections:
        if (d.family, d.tag) in known or d.family != USUAL_FAMILY:
            continue
        if kept and now is not None and _outside(d, *now) > BESIDE_IN:
            beside.append(d.tag)
            continue
        side = None if now is None else side_on_plane(now[0], d.corners, USUAL_HEIGHT_IN)
        near = min(PRINTED_IN, key=lambda p: abs(math.log(p * scale / side))) if side else 0.9
        cards.append(
            CardView(
                tag=d.tag,
                side_in=None if side is None else round(side, 2),
                printed_in=round(near * scale, 3),
                at_height_in=USUAL_HEIGHT_IN,
            )
        )
    return sorted(cards, key=lambda c: c.tag), sorted(beside)


def _outside(d: Detection, surface: Surface, outline: FloatArray) -> float:
    """How far outside the outline a tag lies, inches; 0 on the table."""
    at = surface.table_from_image(d.corners, USUAL_HEIGHT_IN).mean(axis=0)
    if not np.isfinite(at).all():
        return math.inf
    inside = cv2.pointPolygonTest(outline.astype(np.float32), (float(at[0]), float(at[1])), measureDist=True)
    return max(0.0, -float(inside))


def beside_words(tags: Sequence[int]) -> list[str]:
    """What is told of tags beside the table, as findings.

    >>> beside_words([12]), beside_words([])
    (['Tag 12 lies beside the table, maybe on another one: put it on the table to name it.'], [])
    """
    if not tags:
        return []
    if len(tags) == 1:
        what, it = f"Tag {tags[0]} lies", "it"
    else:
        what, it = f"Tags {', '.join(map(str, tags[:-1]))} and {tags[-1]} lie", "them"
    return [f"{what} beside the table, maybe on another one: put {it} on the table to name {it}."]
