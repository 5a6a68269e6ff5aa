"""Finds a table that nobody measured: corner tags laid anywhere, their outline, and how sure it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.accuracy import Accuracy
from calibration.bundle.parts import SeenTag
from calibration.fiducials import TagKey
from calibration.lens.model import Lens
from calibration.surface import Surface, diagonal_crossing
from calibration.table_text import block
from calibration.tablefile import TableFile
from calibration.watching.keeper import SurfaceKeeper
from engine.space.geometry import FloatArray
from server.setup.corner_choice import CORNERS
from server.setup.fitting.named import in_pixels
from server.setup.printing.sheet_scale import CORNER_SIZE_IN
from server.setup.setup_messages import MoveCorner, Px
from server.setup.table_changes import SetupError, corner_moved, is_rectangle, rectangle
from vision.frame import Detection, Frame

_HOUSE = Accuracy()


@dataclass(frozen=True, eq=False)
class FoundTable:
    """Corner tags in the order of the table file, near-left first, and the rectangle round them, inches."""

    corners: tuple[TagKey, ...]
    surface: Surface
    near_left: tuple[float, float]
    size: tuple[float, float]

    def text(self, name: str, corner_size: float, scale: tuple[float, str] | None = None) -> str:
        """The table file, with comments.

        `scale` is how well a sheet of paper has told the printed sizes, and why.
        """
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
        if scale is not None:
            share, why = scale
            stated = {"print_scale": round(share, 4), "scale_by": "sheet"}
            parts.append(block("[accuracy]", stated, {"print_scale": why}))
        return "\n\n".join(parts) + "\n"


class TableFinder:
    """Watches corner tags of an unmeasured table until it is set up; averages them while nothing moves."""

    def __init__(
        self,
        corner_size: float = CORNER_SIZE_IN,
        share: float = _HOUSE.print_scale,
        corners: tuple[TagKey, ...] = CORNERS,
    ) -> None:
        self.corner_size = corner_size
        self.corners = corners
        self._common = replace(_HOUSE.common, scale=share)
        self._keeper: SurfaceKeeper | None = None
        self._order: tuple[TagKey, ...] = ()

    def look(self, frame: Frame, detections: Sequence[Detection], lens: Lens) -> FoundTable | str:
        """What one more picture says: the table, or why there is none yet."""
        seen = {(d.family, d.tag): d for d in detections if (d.family, d.tag) in self.corners}
        missing = [str(tag) for family, tag in self.corners if (family, tag) not in seen]
        if missing:
            self._keeper = None
            return _missing(missing, self.corners)
        order = in_order({key: diagonal_crossing(d.corners)[0] for key, d in seen.items()})
        keeper = self._keeper
        if keeper is None or order != self._order or not np.array_equal(keeper.lens.K, lens.K):
            self._order = order
            keeper = self._keeper = SurfaceKeeper(lens, (order[0], order[1]), self._common)
        keeper.update(frame.time, (), [_flat(seen[key], self.corner_size) for key in order])
        if keeper.surface is None:
            return f"The corner tags are seen, but no table can be found from them: {keeper.problem}."
        low, high = _box(keeper.surface, [seen[key] for key in order])
        return FoundTable(order, keeper.surface, (low[0], low[1]), (high[0] - low[0], high[1] - low[1]))


def in_order(centres: dict[TagKey, FloatArray]) -> tuple[TagKey, ...]:
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


def handles(table: TableFile, surface: Surface) -> list[Px]:
    """The corners of a table's rectangle in the picture, to be dragged; none where it is another shape."""
    return in_pixels(surface.image_from_table(rectangle(table))) if is_rectangle(table) else []


def dragged(
    table: TableFile, asked: MoveCorner, known: tuple[Surface, FloatArray] | None, frame: Frame | None
) -> str:
    """The table's text with a corner dragged; `known` is the table under the camera. Raises `SetupError`."""
    at = rectangle(table)[asked.corner] + np.array(asked.by_in or (0.0, 0.0))
    if asked.to is not None:
        if known is None or frame is None:
            raise SetupError("the table is not found now: its corners cannot be dragged")
        if not all(0.0 <= at <= most for at, most in zip(asked.to, frame.size, strict=True)):
            raise SetupError("drag the corner to a place in the picture")
        at = known[0].table_from_image(np.array([asked.to]))[0]
    return corner_moved(table, asked.corner, at)


def side_on_plane(surface: Surface, corners: FloatArray, height: float) -> float:
    """The mean side of a seen tag (4, 2) pixels, if it lies `height` above the table; inches."""
    at = surface.table_from_image(corners, height)
    return float(np.linalg.norm(at - np.roll(at, -1, axis=0), axis=1).mean())


def _flat(d: Detection, size: float) -> SeenTag:
    return SeenTag(d.family, d.tag, size, 0.0, d.corners, d.covariance, paper=_HOUSE.laid)


def _box(surface: Surface, seen: Sequence[Detection]) -> tuple[FloatArray, FloatArray]:
    points = surface.table_from_image(np.concatenate([d.corners for d in seen]))
    return points.min(axis=0), points.max(axis=0)


def _missing(missing: Sequence[str], corners: Sequence[TagKey]) -> str:
    if len(missing) == len(corners):
        which = "0 to 3" if tuple(corners) == CORNERS else ", ".join(str(tag) for _, tag in corners)
        return (
            f"No corner tag is seen. Lay the four corner tags ({which}) flat near the corners of the table, "
            "anywhere, all in the picture; the step Print makes them."
        )
    which = f"tag {missing[0]} is" if len(missing) == 1 else f"tags {', '.join(missing)} are"
    return f"Corner {which} not seen: lay all four flat and wholly in the picture, or turn the camera."


def _rounded(values: Sequence[float]) -> list[float]:
    return [round(float(v), 2) for v in values]
