"""Finds a table that nobody measured: corner tags laid anywhere, their outline, and how sure it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.accuracy import Accuracy
from calibration.bundle.doubts import judge
from calibration.bundle.seen import SeenTag
from calibration.keeper import SurfaceKeeper
from calibration.lens.model import Lens, usual_covariance
from calibration.surface import Surface, SurfaceError, diagonal_crossing
from calibration.table_text import block
from calibration.tablefile import TableFile
from engine.space.geometry import FloatArray
from server.setup.table_changes import RULED_SHARE
from vision.evidence import sort_out
from vision.frame import Detection, Frame
from vision.tags.reading import Key
from vision.tags.unnamed import USUAL_FAMILY

CORNERS: tuple[Key, ...] = tuple((USUAL_FAMILY, tag) for tag in range(4))
"""The tags that are printed for a table's corners."""

SPAN_IN = 20.0
"""The distance by which people are told how surely the table is known, inches."""

_HOUSE = Accuracy()


@dataclass(frozen=True, eq=False)
class FoundTable:
    """Corner tags in the order of the table file, near-left first, and the rectangle round them, inches."""

    corners: tuple[Key, ...]
    surface: Surface
    near_left: tuple[float, float]
    size: tuple[float, float]

    def text(self, name: str, corner_size: float) -> str:
        """The table file, with comments."""
        parts = [
            f"# {name}: written by the set-up page. What you change is taken over at once.\nformat = 1",
            block("[table]", {"name": name}),
            "# The rectangle round the corner tags, as the camera found it. Nobody measured it.\n"
            + block("[surface]", {"size_in": _rounded(self.size), "near_left_in": _rounded(self.near_left)}),
            "# Nobody measured where they lie (no at_in): the first one is the origin, the second one\n"
            "# lies along x, and the scale comes from their printed size.\n"
            + "\n\n".join(
                block("[[corner]]", {"tag": tag, "family": family, "size_in": corner_size})
                for family, tag in self.corners
            ),
        ]
        return "\n\n".join(parts) + "\n"


class TableFinder:
    """Watches corner tags of an unmeasured table until it is set up; averages them while nothing moves."""

    def __init__(self, corner_size: float = 2.4) -> None:
        self.corner_size = corner_size
        self._keeper: SurfaceKeeper | None = None
        self._order: tuple[Key, ...] = ()

    def look(self, frame: Frame, detections: Sequence[Detection], lens: Lens) -> FoundTable | str:
        """What one more picture says: the table, or why there is none yet."""
        seen = {(d.family, d.tag): d for d in detections if (d.family, d.tag) in CORNERS}
        missing = [str(tag) for family, tag in CORNERS if (family, tag) not in seen]
        if missing:
            self._keeper = None
            return _missing(missing)
        order = in_order({key: diagonal_crossing(d.corners)[0] for key, d in seen.items()})
        keeper = self._keeper
        if keeper is None or order != self._order or not np.array_equal(keeper.lens.K, lens.K):
            self._order = order
            keeper = self._keeper = SurfaceKeeper(lens, (order[0], order[1]), _HOUSE.common)
        keeper.update(frame.time, (), [_flat(seen[key], self.corner_size) for key in order])
        if keeper.surface is None:
            return f"The corner tags are seen, but no table can be found from them: {keeper.problem}."
        low, high = _box(keeper.surface, [seen[key] for key in order])
        return FoundTable(order, keeper.surface, (low[0], low[1]), (high[0] - low[0], high[1] - low[1]))


def in_order(centres: dict[Key, FloatArray]) -> tuple[Key, ...]:
    """Tags round the table, counter-clockwise from the one at the picture's bottom left."""
    middle = np.mean(list(centres.values()), axis=0)
    # A picture's y runs down: that turns the angle round once more.
    turned = {key: math.atan2(middle[1] - at[1], at[0] - middle[0]) for key, at in centres.items()}
    order = sorted(centres, key=turned.__getitem__)
    first = min(order, key=lambda key: float(centres[key][0] - centres[key][1]))
    begin = order.index(first)
    return (*order[begin:], *order[:begin])


def outline_in_image(surface: Surface, outline: FloatArray) -> FloatArray:
    """A polygon (n, 2) of the table in the picture, with points between: a lens bends straight edges."""
    after = np.roll(outline, -1, axis=0)
    shares = np.linspace(0.0, 1.0, 8, endpoint=False)[:, None]
    dense = np.concatenate([a + shares * (b - a) for a, b in zip(outline, after, strict=True)])
    return surface.image_from_table(dense)


def sure_of_span(surface: Surface, middle: FloatArray) -> float:
    """How well `SPAN_IN` across the table's middle are known: the larger of along and across, 95 %."""
    worst = 0.0
    for direction in (np.array([1.0, 0.0]), np.array([0.0, 1.0])):
        ends = middle + np.array([[-0.5], [0.5]]) * SPAN_IN * direction
        _, by_parameters, _ = surface.jacobians(ends, 0.0)
        gradient = direction @ (by_parameters[1] - by_parameters[0])
        worst = max(worst, float(gradient @ surface.covariance @ gradient))
    return 1.96 * math.sqrt(worst)


def gains(table: TableFile, lens: Lens, detections: Sequence[Detection]) -> list[str]:
    """What a known length, a calibrated lens, or both would make of `sure_of_span`, in words."""
    middle = table.surface.outline.mean(axis=0)
    seen = sort_out(detections, table)
    tags = [*seen.loose, *seen.raised]
    known = replace(lens, origin="file", covariance=usual_covariance(lens))
    measured = table.accuracy.common.scale <= 2 * RULED_SHARE
    ways = []
    if not measured:
        ways.append(("with a known length", lens, RULED_SHARE))
    if lens.guessed:
        ways.append(("with the lens calibrated", known, table.accuracy.common.scale))
    if len(ways) == 2:
        ways.append(("with both", known, RULED_SHARE))
    said = []
    for words, through, scale in ways:
        try:
            common = replace(table.accuracy.common, scale=scale)
            surface = judge(through, seen.corners, tags, table.frame, common).surface
        except SurfaceError:
            continue
        said.append(f"{words} ±{sure_of_span(surface, middle):.2f} in")
    return said


def side_on_plane(surface: Surface, corners: FloatArray, height: float) -> float:
    """The mean side of a seen tag (4, 2) pixels, if it lies `height` above the table; inches."""
    at = surface.table_from_image(corners, height)
    return float(np.linalg.norm(at - np.roll(at, -1, axis=0), axis=1).mean())


def _flat(d: Detection, size: float) -> SeenTag:
    return SeenTag(d.family, d.tag, size, 0.0, d.corners, d.covariance, paper=_HOUSE.laid)


def _box(surface: Surface, seen: Sequence[Detection]) -> tuple[FloatArray, FloatArray]:
    points = surface.table_from_image(np.concatenate([d.corners for d in seen]))
    return points.min(axis=0), points.max(axis=0)


def _missing(missing: Sequence[str]) -> str:
    if len(missing) == len(CORNERS):
        return (
            "No corner tag is seen. Lay the four corner tags (0 to 3) flat near the corners of the table, "
            "anywhere, all in the picture; tableref print corners makes them."
        )
    which = f"tag {missing[0]} is" if len(missing) == 1 else f"tags {', '.join(missing)} are"
    return f"Corner {which} not seen: lay all four flat and wholly in the picture, or turn the camera."


def _rounded(values: Sequence[float]) -> list[float]:
    return [round(float(v), 2) for v in values]
