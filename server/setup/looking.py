"""Looks at pictures of a table that is being set up: each look is a value."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from calibration.accuracy import Accuracy
from calibration.fiducials import TagKey
from calibration.lens.model import Lens, guess_lens
from calibration.surface import Surface
from calibration.tablefile import TableFile
from engine.space.geometry import FloatArray
from server.pipeline.opening import kept_lens
from server.pipeline.runner import Runner
from server.setup.corner_choice import CORNERS, carriers, doubled_corner, doubled_others
from server.setup.doctor import USUAL_CORNERS, examine
from server.setup.fitting.on_marks import MarksWatch
from server.setup.printing.last_look import LastLook
from server.setup.printing.sheet_scale import SheetWatch
from server.setup.surface_setup import FoundTable, TableFinder
from vision.frame import Detection, Frame
from vision.tags.mirrored import FEW, MIRRORED_WORDS
from vision.tags.unnamed import reader_of_all, told_apart, unnamed_words

EXAMINED_EVERY_S = 4.0


@dataclass(frozen=True, eq=False)
class Look:
    """What one look at a picture has seen.

    `table` is the table file that it was held against, `found` the table that it has, or why there is none
    yet; `lens` is what the picture is seen through, `number` how many looks there were.
    """

    number: int = 0
    frame: Frame | None = None
    detections: tuple[Detection, ...] = ()
    table: TableFile | None = None
    found: FoundTable | str = ""
    lens: Lens | None = None
    findings: tuple[str, ...] = ()
    mirrored: bool = False


class Looker:
    """Looks for the set-up page. `newest` is the last look; what takes several looks is watched beside it.

    `finder` finds a table that is not kept yet, `sheet` a sheet of paper, and `marks` how a tag sits.
    """

    def __init__(self, live: Runner) -> None:
        self._live = live
        self.newest = Look()
        self.begin_anew()

    def begin_anew(self) -> None:
        """Another table: nothing that was seen counts any more."""
        self.newest = Look(self.newest.number)
        self.finder, self.sheet, self.marks = TableFinder(), SheetWatch(), MarksWatch()
        self._known: Surface | None = None
        self._examined_at = -math.inf

    def choose(self, corners: tuple[TagKey, ...]) -> None:
        """Looks anew for a table with these corner tags."""
        taken = self.sheet.taken
        share = Accuracy().print_scale if taken is None else taken.sd
        self.finder = TableFinder(self.finder.corner_size, share, corners)
        self.newest, self._examined_at = replace(self.newest, frame=None), -math.inf

    def resize(self, corner_size: float) -> None:
        """Looks anew for a table whose corner tags are so large, inches."""
        self.finder = TableFinder(corner_size, corners=self.finder.corners)
        self.sheet = SheetWatch(corner_size)
        if self.newest.frame is not None:
            self._see(self.newest.frame)

    def take_sheet(self) -> None:
        """Takes the printer's scale from the uncut sheet in view, for the table to come."""
        seen = self.sheet.taken = self.sheet.seen
        if seen is not None:
            size = round(self.sheet.stated * seen.ratio, 4)
            self.finder = TableFinder(size, seen.sd, self.finder.corners)
        self.newest = replace(self.newest, found=self.sheet.next)

    def look(self) -> None:
        """Looks at the newest picture, if it or the table file is another one than last time."""
        moment = self._live.moment
        if moment is not None and (
            moment.frame is not self.newest.frame or self._live.table is not self.newest.table
        ):
            self._see(moment.frame)

    def close_eyes(self) -> None:
        """Knows nothing while there is no picture."""
        self.newest, self._known = Look(self.newest.number), None
        self.marks.forget()

    def _see(self, frame: Frame) -> None:
        before, table = self.newest, self._live.table
        if before.frame is None or frame.source != before.frame.source:
            # What was found in another camera's pictures says nothing of these.
            self._examined_at = -math.inf
        reader = reader_of_all(() if table is None else table.keys)
        tags = tuple(reader.read_all(frame, thorough=False))
        corners = self.corners(table)
        found: FoundTable | str = ""
        lens = self.kept_lens(frame.size) or guess_lens(frame.size)
        if table is None:
            found = doubled_corner(reader.copies, corners) or self.finder.look(frame, tags, lens)
        else:
            lens = lens if table.lens is None else table.lens_for(frame.size)
        mirrored = before.mirrored and len(tags) < FEW
        self.newest = Look(before.number + 1, frame, tags, table, found, lens, before.findings, mirrored)
        if table is not None:
            self.marks.look(tags, table, self.surface(table))
        self.sheet.look(self.last(), lens)
        if self.sheet.uncut:
            self.newest = replace(self.newest, found=self.sheet.next)
        now = self._live.clock()
        if now - self._examined_at >= EXAMINED_EVERY_S:
            self._examined_at = now
            ids = {tag for _, tag in corners} if table is None and corners != CORNERS else USUAL_CORNERS
            told = examine([frame], table, self.kept_lens, read=lambda _: list(tags), corners=ids)
            # Each tag without a name has a card of its own, and what is to be done now stands above.
            above = (unnamed_words(told_apart(tags, () if table is None else table.keys)[1]), MIRRORED_WORDS)
            findings = [words for words in told.complaints if words not in above]
            findings += doubled_others(reader.copies, corners)
            self.newest = replace(self.newest, findings=tuple(findings), mirrored=told.mirrored)

    def kept_lens(self, size: tuple[int, int]) -> Lens | None:
        """The lens that is kept for the camera at a size of its pictures."""
        return kept_lens(self._live.camera, size)

    def last(self) -> LastLook:
        """The newest look with the table as it is known by now, for those that answer questions about it."""
        look, table = self.newest, self._live.table
        return LastLook(look.frame, look.detections, table, self.now(table), look.lens)

    def now(self, table: TableFile | None) -> tuple[Surface, FloatArray] | None:
        """The table under the camera as it is known now, and its outline in inches."""
        if table is None:
            found = self.newest.found
            if not isinstance(found, FoundTable):
                return None
            (x, y), (w, h) = found.near_left, found.size
            self._known = found.surface
            return found.surface, np.array([(x, y), (x + w, y), (x + w, y + h), (x, y + h)])
        moment = self._live.moment
        surface = None if moment is None else moment.surface
        if isinstance(surface, Surface):
            self._known = surface
        # A new referee needs a moment to find the table again; the camera has not moved in it.
        return None if self._known is None else (self._known, table.surface.outline)

    def surface(self, table: TableFile | None) -> Surface | None:
        """The table under the camera as it is known now."""
        now = self.now(table)
        return None if now is None else now[0]

    def corners(self, table: TableFile | None) -> tuple[TagKey, ...]:
        """The tags that lie flat: those of the table, or those that it will have."""
        if table is None:
            return self.finder.corners
        return tuple(key for key in table.keys if key not in carriers(table))
