"""How large tags must be printed to be read: pixels a module at the table's middle and far corner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from calibration.surface import Surface
from engine.space.geometry import FloatArray
from vision.health import SMALL_PX
from vision.sources.devices import COMMON_SIZES
from vision.tags.pattern import pattern
from vision.tags.unnamed import USUAL_FAMILY

ROOF_SIZES = (0.75, 0.9, 1.1)
"""Sides of black squares that fit on roofs, inches."""

CARD_SIZES = (1.6, 2.4, 3.2, 4.0, 4.8)
"""Sides that fit on no roof, inches: for cards that are glued on, under a camera with few pixels."""

ROOF_HEIGHT_IN = 1.0

FOUND_PX = 2.2
"""So many pixels a module let the general reader find a tag that nobody has named, in a sharp picture.

Below, only the closed codebook reads it, and that must know that it is there (`tests/server/setup/printing`
reads printed sheets back at these sizes).
"""

ROUND = 1.125
"""How much more than the table a picture shows, where nobody knows better."""

Verdict = Literal["everywhere", "once named", "middle", "nowhere"]


@dataclass(frozen=True)
class View:
    """Pixels an inch on a roof at the table's middle and in its worst corner.

    `measured` says that the table was found in the picture; else it is reckoned as if the table filled it.
    """

    middle: float
    corner: float
    measured: bool


@dataclass(frozen=True)
class SizeOutlook:
    """What a roof tag of a size will look like: pixels a module, and whether it will be read."""

    size: float
    middle: float
    corner: float
    verdict: Verdict


def measured_view(surface: Surface, outline: FloatArray) -> View:
    """As the table lies in the picture. The smaller way across counts where a tilt shortens one."""
    points = np.vstack([outline.mean(axis=0), outline])
    table_by_pixel, _, _ = surface.jacobians(points, ROOF_HEIGHT_IN)
    per_inch = 1.0 / np.linalg.norm(table_by_pixel, ord=2, axis=(1, 2))
    return View(float(per_inch[0]), float(per_inch[1:].min()), True)


def reckoned_view(picture: tuple[int, int], table: tuple[float, float]) -> View:
    """A picture of so many pixels that shows a table of so many inches and a margin, from straight above.

    >>> reckoned_view((1920, 1080), (48.0, 48.0))
    View(middle=20.0, corner=20.0, measured=False)
    """
    long, short = max(picture), min(picture)
    per_inch = min(long / max(table), short / min(table)) / ROUND
    return View(per_inch, per_inch, False)


def outlooks(view: View, sizes: Sequence[float] = ROOF_SIZES) -> list[SizeOutlook]:
    """Each size with its pixels a module and what comes of them."""
    drawn = pattern(USUAL_FAMILY, 0)
    assert drawn is not None
    found = []
    for size in sizes:
        middle, corner = (per_inch * size / len(drawn) for per_inch in (view.middle, view.corner))
        found.append(SizeOutlook(size, middle, corner, _verdict(middle, corner)))
    return found


def proposed(found: Sequence[SizeOutlook]) -> SizeOutlook:
    """The smallest size that is read everywhere; the largest where none is."""
    good = [one for one in found if one.verdict == "everywhere"]
    return min(good, key=lambda one: one.size) if good else max(found, key=lambda one: one.size)


def offered(view: View) -> list[SizeOutlook]:
    """Sizes that fit on roofs; where none of them can be read, the smallest that is found, on a card, too."""
    found = outlooks(view)
    if proposed(found).verdict in ("everywhere", "once named"):
        return found
    return found + [one for one in outlooks(view, CARD_SIZES) if one.verdict == "everywhere"][:1]


def too_small(view: View, picture: tuple[int, int]) -> str | None:
    """Why roof tags are not found in pictures of this size, and what to do; None where one size is."""
    (largest,) = outlooks(view, ROOF_SIZES[-1:])
    if largest.verdict == "everywhere":
        return None
    width, height = picture
    says = (
        f"Roof tags are too small to be found in this picture of {width} × {height} pixels: one of "
        f"{largest.size:g} in has {largest.corner:.1f} pixels a module in the far corner; "
        f"{FOUND_PX:g} are needed."
    )
    wanted = FOUND_PX / largest.corner
    would = [(w, h) for w, h in COMMON_SIZES if min(w / width, h / height) >= wanted]
    size = f"choose {would[0][0]} × {would[0][1]} pixels" if would else "choose more pixels"
    ways = [f"{size} if the camera offers them (Source, on the table's page)", "bring the camera closer"]
    if largest.verdict == "once named":
        ways.append("hold each car nearer to the camera until it is named, it is read everywhere after that")
    elif (on_card := proposed(offered(view))).verdict == "everywhere":
        ways.append(f"print tags of {on_card.size:g} in, each on a card on its car (step Print)")
    done = "; ".join(ways[:-1]) + f"; or {ways[-1]}"
    return f"{says} {done[:1].upper()}{done[1:]}."


def _verdict(middle: float, corner: float) -> Verdict:
    if corner >= FOUND_PX:
        return "everywhere"
    if corner >= SMALL_PX:
        return "once named"
    return "middle" if middle >= SMALL_PX else "nowhere"


def size_words(one: SizeOutlook) -> str:
    """What a size means at the table, in one sentence.

    >>> size_words(SizeOutlook(0.9, 2.4, 2.3, "everywhere"))
    '2.4 pixels a module in the middle, 2.3 in the far corner: read everywhere on this table.'
    """
    pixels = f"{one.middle:.1f} pixels a module in the middle, {one.corner:.1f} in the far corner"
    comes = {
        "everywhere": "read everywhere on this table",
        "once named": (
            f"read everywhere once it has a name; to be found and named it needs {FOUND_PX:g}, so hold it "
            "nearer to the camera for that"
        ),
        "middle": "too small for the far corner",
        "nowhere": "too small for this camera",
    }[one.verdict]
    return f"{pixels}: {comes}."


def view_words(view: View, best: SizeOutlook) -> str:
    """Where the numbers come from, and what to do where no size will do."""
    says = (
        "Measured in the picture, on a roof 1 inch high."
        if view.measured
        else "Reckoned as if the table filled the picture; measured once the corner tags are seen."
    )
    if best.verdict == "everywhere" and best.size in CARD_SIZES:
        return (
            f"{says} No tag that fits on a roof is read in this picture; one of {best.size:g} in is, on a "
            "card on the roof. Better: a larger picture size, or the camera closer."
        )
    if best.verdict == "everywhere":
        return says
    return f"{says} More pixels help: bring the camera closer, or choose a higher resolution."
