"""A check that is being made: a sheet of paper is looked for in one place after the other, and measured."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from datetime import datetime

import numpy as np

from calibration.kept_check import KeptCheck, KeptPlace, PaperName
from calibration.lens.model import Lens
from calibration.prints.paper import PAPERS
from calibration.sheet_proof import TILTED, SeenSheet, SheetProof, measures, proof_of
from calibration.surface import Surface
from calibration.tablefile import TableFile
from engine.space.geometry import FloatArray
from server.setup.corner_choice import carriers
from server.setup.fitting.named import in_pixels
from server.setup.printing.last_look import LastLook
from server.setup.printing.sheet_scale import NAMES
from server.setup.proving.check_messages import (
    SIDES,
    CheckedView,
    CheckView,
    KeptCheckView,
    LengthView,
    SpotView,
)
from server.setup.proving.check_words import SURE, verdict_of
from server.setup.proving.spots import Spot, reach, spots_on
from server.setup.table_changes import SetupError
from vision.paper_edges import PaperSheet, find_sheets
from vision.tags.reading import Key

# A sheet rests when its corners are seen within so many pixels of where the last look saw them.
RESTS_PX = 1.0
# The camera or the tags have been moved when a flat tag is seen so many pixels from where it was; since an
# earlier check, when by such a share of the picture's width.
MOVED_PX, MOVED_SHARE = 2.5, 0.01
# A sheet whose sides are off by more, or whose angle, is another paper; no table is so wrong.
OFF, ASKEW = 0.12, math.radians(8.0)

NOT_SEEN = (
    "Lay a whole sheet of US Letter or A4 flat in the marked area {where}, and let go of it: all its edges "
    "in view, on something darker than paper. It may lie turned."
)
NEXT = "Measured {done} of {all}. Now lay the same sheet in the marked area {where}, and let go of it."


class CheckWatch:
    """The places at which a sheet has been measured so far, with the newest picture's table."""

    def __init__(self, now: Callable[[], datetime] = datetime.now) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._running = False
        self._words = ""
        self._begin("")

    def _begin(self, mark: str) -> None:
        self._mark = mark
        self._looked: object = None
        self._spots: tuple[Spot, ...] = ()
        self._taken: dict[int, SeenSheet] = {}
        self._paper: PaperName | None = None
        self._before: list[FloatArray] = []
        self._tags: dict[Key, FloatArray] = {}
        self._sheet: FloatArray | None = None

    # What people say

    def begin(self, last: LastLook) -> None:
        """Begins anew; what was measured before is forgotten. Raises `SetupError` without a table."""
        with self._lock:
            if last.table is None or last.found is None or last.frame is None:
                raise SetupError("keep the table first, with its corner tags in view")
            self._begin(last.table.mark(_known_lens(last)))
            self._running = True
        self.look(last)

    def stop(self) -> None:
        """Checks nothing any more."""
        with self._lock:
            self._running = False

    # What is seen

    def look(self, last: LastLook, notices: Sequence[str] = ()) -> KeptCheck | None:
        """Takes one more picture; the whole check, once its last place is measured.

        `notices` are what the referee finds to contradict the table file.
        """
        with self._lock:
            if not self._running or last.frame is None or last.frame is self._looked:
                return None
            self._looked = last.frame
            table, found = last.table, last.found
            if table is None or found is None:
                self._words = "The table is not found now: clear the corner tags."
                return None
            mark = table.mark(_known_lens(last))
            flat = _flat(last, table)
            if mark != self._mark or _moved(flat, self._tags):
                self._begin(mark)
            self._tags |= flat
            surface = found[0]
            if not self._spots:
                on_table = [surface.table_from_image(at[None])[0] for at in self._tags.values()]
                self._spots = spots_on(surface, found[1], on_table, last.frame.size)
            sheets = [
                s for s in find_sheets(last.frame.grey, surface.table_from_image) if _paper_of(s) is not None
            ]
            self._words = self._take(sheets, surface)
            if len(self._taken) < len(self._spots):
                return None
            self._running = False
            return self._kept(table, surface, last, notices)

    def _take(self, sheets: list[PaperSheet], surface: Surface) -> str:
        """Measures what lies still in a place that is asked for; what to do now."""
        before = self._before
        self._before, self._sheet, words = [], None, ""
        for sheet in sheets:
            corners = surface.image_from_table(sheet.corners)
            self._before.append(corners)
            middle = sheet.corners.mean(axis=0)
            n = min(range(len(self._spots)), key=lambda k: math.dist(self._spots[k].at, middle))
            if math.dist(self._spots[n].at, middle) > reach(self._spots):
                words = words or f"The sheet's middle must be in the marked area: lay it {self._asked}."
                continue
            if n in self._taken:
                continue
            self._sheet = corners
            paper = _paper_of(sheet)
            if self._paper not in (None, paper) and self._taken:
                words = "This is another paper than in the first place: use the same sheet everywhere."
            elif not any(_still(corners, other) for other in before):
                words = "Measuring: leave the sheet where it is."
            else:
                self._paper = paper
                self._taken[n] = seen_sheet(sheet, corners)
        if len(self._taken) == len(self._spots):
            return ""
        if words:
            return words
        if self._taken:
            return NEXT.format(done=len(self._taken), all=len(self._spots), where=self._asked)
        return NOT_SEEN.format(where=self._asked)

    @property
    def _asked(self) -> str:
        """The place that is asked for now, in words."""
        return next((s.where for n, s in enumerate(self._spots) if n not in self._taken), "")

    def _proof(self, table: TableFile, surface: Surface) -> SheetProof | None:
        if not self._taken or self._paper is None:
            return None
        true = np.array(PAPERS[self._paper])
        sheets = [self._taken[n] for n in sorted(self._taken)]
        return proof_of(surface, sheets, true, table.accuracy.cloth_in, table.checked)

    def _kept(self, table: TableFile, surface: Surface, last: LastLook, notices: Sequence[str]) -> KeptCheck:
        proof = self._proof(table, surface)
        assert proof is not None
        assert self._paper is not None
        assert last.frame is not None
        on_table = {key[1]: surface.table_from_image(at[None])[0] for key, at in self._tags.items()}
        wheres = [self._spots[n].where for n in sorted(self._taken)]
        verdict, words = verdict_of(proof, table, wheres, on_table, _known_lens(last) is None, notices)
        ratio, sd = proof.scale
        return KeptCheck(
            made=self._now().isoformat(" ", "minutes"),
            paper=self._paper,
            verdict=verdict,
            words=words,
            scale=(round(ratio, 5), round(sd, 5)),
            stated=self._mark,
            tags_at=_in_shares(self._tags, last),
            places=_kept_places(proof, wheres),
        )

    # What is shown

    def view(self, last: LastLook, here: bool) -> CheckView:
        """What the page shows."""
        with self._lock:
            table, found = last.table, last.found
            kept = None if table is None else table.check
            places: list[CheckedView] = []
            if self._running and table is not None and found is not None and self._taken:
                proof = self._proof(table, found[0])
                if proof is not None and self._paper is not None:
                    wheres = [self._spots[n].where for n in sorted(self._taken)]
                    places = [_told(p, self._paper) for p in _kept_places(proof, wheres)]
            elif not self._running and kept is not None:
                places = [_told(p, kept.paper) for p in kept.places]
            spots = self._spots if self._running and found is not None else ()
            return CheckView(
                may_change=here,
                ready=table is not None and found is not None,
                running=self._running,
                words=self._words if self._running else "",
                spots=[
                    SpotView(where=s.where, outline=in_pixels(s.outline(found[0])), done=n in self._taken)
                    for n, s in enumerate(spots)
                    if found is not None
                ],
                sheet=[] if self._sheet is None or not self._running else in_pixels(self._sheet),
                places=places,
                kept=None
                if kept is None or table is None
                else KeptCheckView(
                    made=kept.made,
                    paper=kept.paper,
                    verdict=kept.verdict,
                    words=kept.words,
                    out_of_date=out_of_date(kept, table, last),
                ),
            )


def out_of_date(kept: KeptCheck, table: TableFile, last: LastLook) -> str:
    """What has changed since a check, in words; empty while it holds."""
    if kept.stated != table.mark(_known_lens(last)):
        return "Since then the table's sizes, its corner tags or the lens were changed: check again."
    if last.frame is not None:
        now = {tag: np.array((x, y)) for tag, x, y in _in_shares(_flat(last, table), last)}
        off = [np.hypot(*(now[tag] - (x, y))) for tag, x, y in kept.tags_at if tag in now]
        if off and max(off) > MOVED_SHARE:
            return "Since then the camera or a corner tag was moved: check again."
    return ""


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


def _known_lens(last: LastLook) -> Lens | None:
    """What the picture is seen through; None while the lens is guessed."""
    return None if last.lens is None or last.lens.guessed else last.lens


def _flat(last: LastLook, table: TableFile) -> dict[Key, FloatArray]:
    """Where the flat tags are seen, (2,) pixels each."""
    flat = set(table.keys) - set(carriers(table))
    return {(d.family, d.tag): d.corners.mean(axis=0) for d in last.detections if (d.family, d.tag) in flat}


def _moved(now: dict[Key, FloatArray], before: dict[Key, FloatArray]) -> bool:
    return any(np.hypot(*(at - before[key])) > MOVED_PX for key, at in now.items() if key in before)


def _still(corners: FloatArray, other: FloatArray) -> bool:
    return any(float(np.abs(corners - np.roll(other, n, axis=0)).max()) < RESTS_PX for n in range(4))


def _in_shares(tags: dict[Key, FloatArray], last: LastLook) -> list[tuple[int, float, float]]:
    assert last.frame is not None
    wide = last.frame.size[0]
    return [
        (key[1], round(float(at[0] / wide), 4), round(float(at[1] / wide), 4)) for key, at in tags.items()
    ]


def _kept_places(proof: SheetProof, wheres: list[str]) -> list[KeptPlace]:
    def pair(value: float, sd: float) -> tuple[float, float]:
        return round(float(value), 4), round(float(sd), 4)

    return [
        KeptPlace(
            where=where,
            at_in=(round(float(middle[0]), 2), round(float(middle[1]), 2)),
            short_in=pair(proof.true[0] + error[0], sd[0]),
            long_in=pair(proof.true[1] + error[1], sd[1]),
            square_deg=pair(math.degrees(error[2]), math.degrees(sd[2])),
        )
        for where, middle, error, sd in zip(wheres, proof.middles, proof.errors, proof.sds, strict=True)
    ]


def _told(place: KeptPlace, paper: PaperName) -> CheckedView:
    short, long = (
        LengthView(
            what=what,
            true_in=round(true, 3),
            measured_in=measured,
            error_in=round(measured - true, 4),
            sure_in=round(SURE * sd, 4),
            inside=abs(measured - true) <= SURE * sd,
        )
        for what, true, (measured, sd) in (
            (SIDES[0], PAPERS[paper][0], place.short_in),
            (SIDES[1], PAPERS[paper][1], place.long_in),
        )
    )
    off, sd = place.square_deg
    return CheckedView(
        where=place.where,
        lengths=[short, long],
        square_deg=off,
        square_sure_deg=round(SURE * sd, 4),
        square_inside=abs(off) <= SURE * sd,
    )
