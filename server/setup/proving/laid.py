"""What lies on the table to prove it with: sheets of paper and a strip with two tags, each where it lies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from calibration.kept_check import LaidName, PaperName
from calibration.prints.paper import PAPERS
from calibration.prints.strip import STRIP_TAGS
from calibration.proofs.sheet_proof import TILTED, SeenSheet, SeenStrip, measures
from calibration.surface import Surface
from calibration.tablefile import TableFile
from engine.space.geometry import FloatArray
from server.setup.checking import strip
from server.setup.printing.sheet_scale import NAMES
from server.setup.surface_setup import side_on_plane
from vision.frame import Detection
from vision.locate import locate_all
from vision.paper_edges import PaperSheet
from vision.tags.unnamed import USUAL_FAMILY

# A sheet whose sides are off by more, or whose angle, is another paper; no table is so wrong.
OFF, ASKEW = 0.12, math.radians(8.0)


@dataclass(frozen=True, eq=False)
class Laid:
    """A sheet or a strip: its `outline` in the picture, (4, 2) pixels, its `middle` on the table, inches."""

    kind: LaidName
    outline: FloatArray
    middle: FloatArray
    seen: SeenSheet | SeenStrip


def laid_sheet(sheet: PaperSheet, surface: Surface) -> Laid | None:
    """A shape on the table as the sheet that it is; None if it is none."""
    paper = _paper_of(sheet)
    if paper is None:
        return None
    corners = surface.image_from_table(sheet.corners)
    return Laid(paper, corners, sheet.corners.mean(axis=0), seen_sheet(sheet, corners))


def taken_tags(table: TableFile) -> list[int]:
    """The strip's tags that are in play on the table: then they are no strip's."""
    return [tag for tag in STRIP_TAGS if (USUAL_FAMILY, tag) in table.keys]


def laid_strip(detections: Sequence[Detection], table: TableFile, surface: Surface) -> Laid | None:
    """The strip, if both its tags are seen; they are no strip's where one is in play on the table."""
    if taken_tags(table):
        return None
    seen = {d.tag: d for d in detections if d.family == USUAL_FAMILY and d.tag in STRIP_TAGS}
    if len(seen) < len(STRIP_TAGS):
        return None
    first, second = (seen[tag] for tag in STRIP_TAGS)
    # However large they were printed: the centre is what counts, and the strip lies on the cloth.
    size = float(np.mean([side_on_plane(surface, d.corners, 0.0) for d in (first, second)]))
    ends = [
        replace(end, mount=replace(end.mount, sd_height=table.accuracy.cloth_in))
        for end in strip(",".join(map(str, STRIP_TAGS)), size, 0.0)
        if end.mount is not None
    ]
    lies = replace(surface, lift=(0.0, 0.0))
    one, other = (locate_all([d], ends, lies, 0.0)[0] for d in (first, second))
    places = np.array([one.pose.xy, other.pose.xy])
    own = np.zeros((4, 4))
    own[:2, :2], own[2:, 2:] = one.uncertainty.own[:2, :2], other.uncertainty.own[:2, :2]
    loading = np.vstack([one.uncertainty.shared[:2], other.uncertainty.shared[:2]])
    return Laid("strip", _round(first, second), places.mean(axis=0), SeenStrip(places, own, loading))


def _round(first: Detection, second: Detection) -> FloatArray:
    """A rectangle round both tags in the picture, (4, 2) pixels, from the first to the second one."""
    a, b = (d.corners.mean(axis=0) for d in (first, second))
    along = (b - a) / float(np.hypot(*(b - a)))
    half = 0.75 * max(first.side, second.side)
    across = half * np.array([-along[1], along[0]])
    ends = half * along
    return np.array([a - ends - across, b + ends - across, b + ends + across, a - ends + across])


def seen_sheet(sheet: PaperSheet, corners: FloatArray) -> SeenSheet:
    """A sheet, measured on the table, as it lies in the picture: its corners (4, 2) pixels."""
    first = 0 if sheet.across(1)[0] <= sheet.across(0)[0] else 1
    sd, curve = np.roll(sheet.sd, -first), np.roll(sheet.curve, -first)
    own = np.array([math.hypot(sd[1], sd[3]), math.hypot(sd[0], sd[2])])
    ways = np.array([sheet.across(first + 1)[0], sheet.across(first)[0]])
    # Each direction is the mean of two edges; the two short ones are `ways[0]` long.
    tilt = TILTED / 2 * math.hypot(own[1] / ways[0], own[0] / ways[1])
    return SeenSheet(
        np.roll(corners, -first, axis=0), own, np.array([curve[1] + curve[3], curve[0] + curve[2]]), tilt
    )


def _paper_of(sheet: PaperSheet) -> PaperName | None:
    """The paper that a shape on the table is nearest to; None if it is no sheet."""
    short, long, angle = measures(np.roll(sheet.corners, -int(sheet.across(1)[0] > sheet.across(0)[0]), 0))

    def off(name: PaperName) -> float:
        return max(abs(math.log(short / PAPERS[name][0])), abs(math.log(long / PAPERS[name][1])))

    best = min(NAMES, key=off)
    return best if off(best) < OFF and abs(angle) < ASKEW else None


# Where on the table a sheet of paper is asked for: by one corner, in the middle, by the opposite corner

# Half a sheet's diagonal; half of what is marked, a little more than a sheet; and how far a corner tag's
# paper reaches from its centre. Inches.
RADIUS_IN, HALF_IN, TAG_IN = 7.2, (4.75, 6.0), 2.2

# The sheet's middle may be so far from that of the marked area, inches, or so large a share of the way to
# the next one.
REACH_IN, APART = 4.5, 0.45

# How far along the diagonal the outer places are tried, as shares of it, the outermost first.
SHARES = np.linspace(0.2, 0.4, 11)


@dataclass(frozen=True, eq=False)
class Spot:
    """A place that is asked for: how it is called, and its middle on the table, (2,) inches."""

    where: str
    at: FloatArray

    def outline(self, surface: Surface) -> FloatArray:
        """The marked area in the picture, (4, 2) pixels."""
        half = np.array(HALF_IN)
        corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * half + self.at
        return surface.image_from_table(corners)


def spots_on(
    surface: Surface, outline: FloatArray, tags: Sequence[FloatArray], picture: tuple[int, int]
) -> tuple[Spot, Spot, Spot]:
    """Three places that a sheet fits on, within the picture and beside the corner tags (each (2,) inches)."""
    low, high = outline.min(axis=0), outline.max(axis=0)

    def free(at: FloatArray) -> bool:
        round_it = np.linspace(0, math.tau, 24, endpoint=False)
        rim = surface.image_from_table(at + RADIUS_IN * np.column_stack([np.cos(round_it), np.sin(round_it)]))
        inside = bool((rim > 3).all() and (rim < np.array(picture) - 4).all())
        return inside and all(math.dist(at, tag) > RADIUS_IN + TAG_IN for tag in tags)

    def outermost(start: FloatArray, end: FloatArray) -> FloatArray:
        tried = [start + share * (end - start) for share in SHARES]
        return next((at for at in tried if free(at)), tried[len(tried) // 2])

    return (
        Spot("by the near left corner", outermost(low, high)),
        Spot("in the middle", (low + high) / 2),
        Spot("by the far right corner", outermost(high, low)),
    )


def reach(spots: Sequence[Spot]) -> float:
    """How far from a spot's middle a sheet's middle may lie, inches."""
    apart = min(math.dist(a.at, b.at) for a, b in pairwise(spots))
    return min(REACH_IN, APART * apart)
