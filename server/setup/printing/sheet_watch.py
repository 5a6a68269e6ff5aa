"""Watches for a sheet of paper on the table, and keeps what somebody took over from it."""

from __future__ import annotations

from calibration.accuracy import Accuracy
from calibration.lens.model import Lens
from calibration.surface import Surface
from calibration.tablefile import TableFile
from server.setup.printing.last_look import LastLook
from server.setup.printing.sheet_scale import PrintScale, lie_on_one_sheet, of_laid_sheet, of_uncut_sheet
from server.setup.setup_messages import SheetState

CORNER_SIZE_IN = 2.4
"""The corner tags' black square, as it is printed unless somebody says otherwise."""

UNCUT = (
    "The corner tags still lie on the sheet that they were printed on. {then} Then cut them out and lay them "
    "near the corners of the table."
)


class SheetWatch:
    """The printer's scale as far as the camera knows it.

    `uncut` says that the corner tags are still on one sheet. `taken` is the scale that somebody took over
    before the table was kept.
    """

    def __init__(self, stated: float = CORNER_SIZE_IN) -> None:
        self.stated = stated
        self.uncut = False
        self.seen: PrintScale | None = None
        self.words = ""
        self.taken: PrintScale | None = None

    def look(self, last: LastLook, lens: Lens) -> None:
        """Looks for a sheet where one would help.

        That is before the corner tags are cut out, and on a table whose printed sizes nobody has measured.
        """
        self.uncut, self.seen, self.words = False, None, ""
        if last.frame is None:
            return
        found: PrintScale | str = ""
        if last.table is None:
            self.uncut = lie_on_one_sheet(lens, last.detections, self.stated)
            if self.uncut:
                found = of_uncut_sheet(last.frame, lens, last.detections, self.stated)
        elif last.found is not None and last.table.accuracy.print_scale >= Accuracy().print_scale:
            surface: Surface = last.found[0]
            found = of_laid_sheet(last.frame, surface, last.table, lens, last.detections)
        if isinstance(found, str):
            self.words = found
        else:
            size = self.stated if last.table is None else corner_size(last.table)
            self.seen = found
            self.words = (
                f"Seen: {found.words}. A corner tag is then {size * found.ratio:.3f} in "
                f"({25.4 * size * found.ratio:.1f} mm) instead of {size:g}."
            )

    @property
    def next(self) -> str:
        """What to do while the corner tags are on one sheet."""
        if self.taken is not None:
            return UNCUT.format(then="Its scale is taken.")
        return UNCUT.format(then="Use its scale." if self.seen else self.words)

    @property
    def state(self) -> SheetState:
        """What the page shows."""
        seen, taken = self.seen, self.taken
        return SheetState(
            uncut=self.uncut,
            paper=None if seen is None else seen.paper,
            words=self.words,
            outline=[]
            if seen is None
            else [(round(float(x), 1), round(float(y), 1)) for x, y in seen.outline],
            taken="" if taken is None else f"Scale by {taken.words}.",
        )


def corner_size(table: TableFile) -> float:
    """The side of a table's corner tags, inches."""
    return table.loose[0].size if table.loose else table.corners[0].size


def scale_of(table: TableFile) -> float:
    """How much larger than stated a table's tags were printed, as far as its corner tags tell."""
    ratio = corner_size(table) / CORNER_SIZE_IN
    return ratio if 0.9 < ratio < 1.1 else 1.0
