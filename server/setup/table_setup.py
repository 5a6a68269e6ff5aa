"""Leads from nothing to a table: what the set-up page shows, and what it writes to the table file."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Collection, Sequence
from typing import Literal

import numpy as np

from calibration.bundle.doubts import Judged
from calibration.gains import SPAN_IN, sure_of_span
from calibration.surface import Surface
from calibration.table_text import with_block, without_block
from calibration.tablefile import TableFile
from engine.space.table import key_of
from server.formats.jpeg import jpeg
from server.pipeline.opening import Opener
from server.setup import setup_messages as messages
from server.setup.cameras.sourcing import Chooser, elsewhere
from server.setup.corner_choice import chosen_corners, drawn_only, tag_views
from server.setup.fitting.cards import beside_words, nameless
from server.setup.fitting.fit_messages import MeasurePiece
from server.setup.fitting.named import MODELS, in_pixels, named_pieces, untagged
from server.setup.fitting.on_marks import with_mount
from server.setup.kept_tables import FileWatch, KeptTables, OtherTables, TableWriter
from server.setup.looking import Look, Looker
from server.setup.printing.advice import FOUND_PX, measured_view, too_small
from server.setup.printing.known_length import with_length
from server.setup.printing.last_look import LastLook
from server.setup.printing.sheet_scale import corner_size, scale_of
from server.setup.surface_setup import FoundTable, dragged, handles, outline_in_image
from server.setup.table_changes import SetupError, piece_text, rescaled
from vision.source import parse_source
from vision.tags.mirrored import MIRRORED_WORDS
from vision.tags.unnamed import told_apart

SHOWN_WIDTH = 1280
CROP_PX = 3.0
"""A crop shows so many sides of the tag: the car that carries it is in it."""


class TableSetup:
    """One table's set-up: looks at the newest picture when asked, and writes what people say of it.

    `hides`: whether a game goes on whose book hides distances; `played` names what is in one, by `key_of`.
    """

    def __init__(
        self,
        chooser: Chooser,
        player: Opener,
        watch: FileWatch,
        tables: KeptTables,
        hides: Callable[[], bool] = lambda: False,
        played: Callable[[], Collection[str]] = tuple,
    ) -> None:
        self._chooser = chooser
        self._live = chooser.live
        self._hides, self._played = hides, played
        self._tables = tables
        self._others = OtherTables(tables)
        self._lock = threading.RLock()
        self._looker = Looker(chooser.live)
        self._writer = TableWriter(chooser.live, player, watch, tables)

    # What is seen

    def look(self, here: bool) -> messages.SetupView:
        """Looks at the newest picture, if it is new, and says all that the page shows.

        Reading a whole picture takes a while: who is not `here` is told what was seen last.
        """
        with self._lock:
            if self._live.moment is None or self._live.snapshot.state == "starting":
                self._looker.close_eyes()
            elif here:
                self._looker.look()
            return self._view(self._looker.newest, here)

    def last(self) -> LastLook:
        """What was seen last, as it is; nothing is looked at anew."""
        with self._lock:
            return self._looker.last()

    def picture(self) -> bytes | None:
        """The picture that was looked at last, JPEG, at most `SHOWN_WIDTH` across."""
        frame = self._looker.newest.frame
        return None if frame is None else jpeg(frame.image, 80, SHOWN_WIDTH)

    def crop(self, tag: int) -> bytes | None:
        """The picture round a tag of the last look, JPEG; None if it was not seen."""
        with self._lock:
            look = self._looker.newest
        frame = look.frame
        found = next((d for d in look.detections if d.tag == tag), None)
        if frame is None or found is None:
            return None
        reach = CROP_PX * found.side
        x, y = found.corners.mean(axis=0)
        low = np.maximum([x - reach, y - reach], 0).astype(int)
        high = np.minimum([x + reach, y + reach], frame.size).astype(int)
        return jpeg(frame.image[low[1] : high[1], low[0] : high[0]], 85)

    # What is shown

    def _view(self, look: Look, here: bool) -> messages.SetupView:
        table, file = self._live.table, self._writer.file
        last, corners = self._looker.last(), self._looker.corners(table)
        known = set(corners if table is None else table.keys)
        scale = 1.0 if table is None else scale_of(table)
        # The cards of tags that nobody has named, and what is told of those beside the table.
        cards, off = nameless(look.detections, known, last.found, scale, kept=table is not None)
        beside = beside_words(off)
        surface = self._surface(look, last)
        if here:
            beside += self._others.words(told_apart(look.detections, known)[1], file)
        tags = tag_views(look.detections, corners, table)
        step, words = next_step(self._waiting(), look.mirrored, last, surface, cards)
        return messages.SetupView(
            may_change=here and file is not None,
            why=self._why(here),
            next=words,
            step=step,
            table=self._writer.name,
            file=None if file is None or not here else str(file),
            mistake=self._live.remark,
            tables=[
                messages.KeptView(name=k.name, current=k.file == file, written=k.written)
                for k in self._tables.all()
            ]
            if here
            else [],
            looked=look.number,
            size=None if look.frame is None else look.frame.size,
            tags=drawn_only(tags, surface.corner_size_in) if self._hides() else tags,
            surface=surface,
            sheet=self._looker.sheet.state,
            cards=cards,
            pieces=named_pieces(table, self._live.moment, look.detections),
            models=MODELS,
            things=untagged(table, self._live.moment, look.detections),
            away=list(self._live.away),
            measuring=self._looker.marks.view(table, self._looker.surface(table)),
            findings=[*look.findings, *beside],
        )

    def _why(self, here: bool) -> str | None:
        if not here:
            return elsewhere("set the table up")
        if not self.may_write:
            return "This simulated table describes itself: there is nothing to set up."
        return None

    def _waiting(self) -> str | None:
        """Why there is no picture; None where there is one."""
        if parse_source(self._chooser.choice.spec).kind == "none":
            return NO_CAMERA
        return self._live.snapshot.words if self._looker.newest.frame is None else None

    def _surface(self, look: Look, last: LastLook) -> messages.SurfaceState:
        table, known = last.table, last.found
        flat = self._looker.corners(table)
        size = None
        if isinstance(look.found, FoundTable):
            size = (round(look.found.size[0], 1), round(look.found.size[1], 1))
        elif table is not None:
            span = np.ptp(table.surface.outline, axis=0)
            size = (round(float(span[0]), 1), round(float(span[1]), 1))
        sure, gains = None, []
        if known is not None:
            middle, moment = known[1].mean(axis=0), self._live.moment
            sure = sure_of_span(known[0], middle)
            # Worked out beside the referee, now and then: nothing that it has told since is lost by a step.
            for way in () if moment is None else moment.gains:
                gains.append(f"{way.words} ±{min(sure_of_span(way.surface, middle), sure):.2f} in")
        return messages.SurfaceState(
            corners=sorted(tag for _, tag in flat),
            seen=sorted(d.tag for d in look.detections if (d.family, d.tag) in flat),
            found=known is not None,
            kept=table is not None,
            words=_surface_words(look, kept=table is not None, sure=sure),
            outline=[] if known is None else in_pixels(outline_in_image(*known)),
            handles=[] if known is None or table is None else handles(table, known[0]),
            size_in=size,
            corner_size_in=self._looker.finder.corner_size if table is None else corner_size(table),
            sure_in=None if sure is None else round(sure, 3),
            gains=gains,
        )

    # What people say

    def choose_corners(self, asked: messages.ChooseCorners) -> None:
        """Takes other tags than 0 to 3 for the corners of a table that is not kept yet."""
        with self._lock:
            self._writer.none_yet()
            self._looker.choose(chosen_corners(asked.tags))

    def keep_surface(self, asked: messages.KeepSurface) -> None:
        """Writes the table as it is found. Raises `SetupError` where none is."""
        with self._lock:
            looker = self._looker
            self._writer.none_yet()
            if asked.corner_size_in is not None and asked.corner_size_in != looker.finder.corner_size:
                looker.resize(asked.corner_size_in)
            found, taken = looker.newest.found, looker.sheet.taken
            if not isinstance(found, FoundTable):
                raise SetupError(found or "no picture has been looked at yet")
            scale = None if taken is None else (taken.sd, taken.words)
            self._writer.write(found.text(self._writer.name, looker.finder.corner_size, scale))

    def take_sheet(self, asked: messages.TakeSheet) -> None:
        """Takes the printer's scale from the sheet in view, for a table to come or for the one there is."""
        with self._lock:
            sheet = self._looker.sheet
            seen = sheet.seen
            if seen is None:
                raise SetupError(sheet.words or "no sheet of paper is looked for now")
            if seen.paper != asked.paper:
                raise SetupError(f"what is seen is {seen.words}: it is not the paper that was said")
            if sheet.uncut:
                self._looker.take_sheet()
            else:
                self.change(lambda table: rescaled(table, seen.ratio, seen.words, seen.sd, "sheet"))

    def move_corner(self, asked: messages.MoveCorner) -> None:
        """Moves a corner of the table's rectangle, to a place in the picture or by inches."""
        with self._lock:
            table, look = self._writer.running(), self._looker
            self._writer.write(dragged(table, asked, look.now(table), look.newest.frame))

    def known_length(self, asked: messages.KnownLength) -> None:
        """Takes all printed sizes so much larger or smaller as a measured length says."""
        with self._lock:
            table, moment = self._writer.running(), self._live.moment
            surface = None if moment is None else moment.surface
            seen = surface if isinstance(surface, Surface) else None
            self._writer.write(with_length(asked, table, seen, self._looker.newest.detections))

    def name_piece(self, asked: messages.NamePiece) -> None:
        """Writes what carries a tag; what was said of this tag or this name before is replaced."""
        with self._lock:
            table = self._writer.running()
            text = table.text
            for n, piece in reversed(list(enumerate(table.pieces))):
                if piece.mount is not None and piece.mount.tag == asked.tag:
                    self._keeps_name(piece.name, asked.name)
                    text = without_block(text, ("piece", n))
                elif key_of(piece.name) == key_of(asked.name):
                    raise SetupError(f"another piece is called {piece.name} already: choose another name")
            self._writer.write(with_block(text, piece_text(asked)))

    def _keeps_name(self, name: str, wanted: str) -> None:
        """Raises `SetupError` where a game that goes on knows a piece by a name that is to change."""
        if key_of(name) in self._played() and key_of(name) != key_of(wanted):
            raise SetupError(f"{name} is in the game that is played: it keeps its name until that is ended")

    def drop_piece(self, name: str) -> None:
        """Takes a piece out of the table file."""
        with self._lock:
            table = self._writer.running()
            for n, piece in enumerate(table.pieces):
                if key_of(piece.name) == key_of(name):
                    self._writer.write(without_block(table.text, ("piece", n)))
                    return
            raise SetupError(f"no piece of this table is called {name!r}")

    def measure_piece(self, asked: MeasurePiece) -> None:
        """Begins to measure how a piece's tag sits, stops it, or writes what was found."""
        with self._lock:
            table, marks = self._writer.running(), self._looker.marks
            piece = next((p for p in table.pieces if key_of(p.name) == key_of(asked.name)), None)
            if piece is None or piece.mount is None:
                raise SetupError(f"no piece of this table with a tag is called {asked.name!r}")
            if asked.how == "begin":
                marks.begin(piece.name)
            elif asked.how == "keep":
                found = marks.found(table, self._looker.surface(table))
                if found is None or key_of(marks.name or "") != key_of(piece.name):
                    raise SetupError(f"{piece.name} has not been seen on a corner tag yet")
                self._writer.write(with_mount(table, piece.name, found))
                marks.stop()
            else:
                marks.stop()

    def change(self, make: Callable[[TableFile], str]) -> None:
        """Writes the text that is made of the table as it is now."""
        with self._lock:
            self._writer.write(make(self._writer.running()))

    def choose_table(self, asked: messages.ChooseTable) -> None:
        """Goes on with another kept table."""
        with self._lock:
            self._writer.choose(asked)
            self._looker.begin_anew()

    @property
    def table(self) -> TableFile | None:
        """The table that is refereed by."""
        return self._live.table

    @property
    def judged(self) -> Judged | None:
        """How well what is stated fits what is seen, of the newest picture."""
        moment = self._live.moment
        return None if moment is None else moment.judged

    @property
    def may_write(self) -> bool:
        """Whether the table has a file: a drawn one describes itself."""
        return self._writer.file is not None


def _surface_words(look: Look, *, kept: bool, sure: float | None) -> str:
    if sure is not None:
        now = f"{SPAN_IN:.0f} inches across the middle are now known to ±{sure:.2f} in."
        return now if kept else f"All four corner tags are seen. Is the outline right? {now}"
    if look.mirrored:
        return "No tag can be read in a mirrored picture."
    return look.found if isinstance(look.found, str) and look.found else "Looking for the corner tags…"


Step = Literal["camera", "surface", "pieces", "play"]

NO_CAMERA = "Choose the camera that looks down on the table."

ENOUGH_PX = 720
"""The shorter side of a picture in which corner tags of the usual size are wide enough, pixels."""

MODULES = 8
"""Modules across the black square of the usual family."""


def next_step(
    waiting: str | None,
    mirrored: bool,
    look: LastLook,
    surface: messages.SurfaceState,
    cards: Sequence[messages.CardView],
) -> tuple[Step, str]:
    """What is to be done now; `waiting` says why there is no picture, None where there is one."""
    if waiting is not None or mirrored or look.frame is None:
        return "camera", waiting or (MIRRORED_WORDS if mirrored else NO_CAMERA)
    picture = look.frame.size
    if not surface.found or look.table is None:
        # How surely distances are known stands in its step, for who asks; here stands what is to be done.
        asked, mark, _ = surface.words.partition("? ")
        found_words = f"{asked}{mark.rstrip()}"
        return "surface", found_words if surface.found else f"{surface.words} {few_pixels(picture)}".rstrip()
    driven = [p for p in look.table.pieces if p.driven]
    if len(driven) < 2:
        if cards:
            return "pieces", "Say what carries the tags that are seen."
        few = None if look.found is None else too_small(measured_view(*look.found), picture)
        return "pieces", few or "Put a car with a roof tag on the table: it appears here by itself."
    more = f" {len(cards)} more {'tag has' if len(cards) == 1 else 'tags have'} no name." if cards else ""
    return "play", f"Ready: ask for the first ruling.{more}"


def few_pixels(picture: tuple[int, int]) -> str:
    """What a small picture asks of corner tags that are not seen; empty for one of the usual size.

    >>> few_pixels((640, 480)).partition(". ")[0], few_pixels((1280, 720))
    ('The picture is small, 640 × 480 pixels, and a corner tag must be 18 wide in it', '')
    """
    if min(picture) >= ENOUGH_PX:
        return ""
    return (
        f"The picture is small, {picture[0]} × {picture[1]} pixels, and a corner tag must be "
        f"{math.ceil(FOUND_PX * MODULES)} wide in it. Choose a larger picture size if the camera offers it "
        "(Source, on the table's page), bring the camera closer, or print larger corner tags."
    )
