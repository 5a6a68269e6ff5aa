"""Leads from nothing to a table: what the set-up page shows, and what it writes to the table file."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable

import numpy as np

from calibration.accuracy import Accuracy
from calibration.bundle.doubts import Judged
from calibration.gains import SPAN_IN, sure_of_span
from calibration.lens.model import Lens, guess_lens
from calibration.surface import Surface
from calibration.table_text import with_block, without_block
from calibration.tablefile import TableFile, parse_table
from engine.errors import TableRefError
from engine.space.geometry import FloatArray
from engine.space.table import key_of
from server.formats.files import write_whole
from server.formats.jpeg import jpeg
from server.pipeline.lenses import kept_lens
from server.pipeline.opening import Player
from server.setup.cameras.sourcing import ELSEWHERE, Chooser
from server.setup.corner_choice import (
    CORNERS,
    carriers,
    chosen_corners,
    doubled_corner,
    doubled_others,
    tag_views,
)
from server.setup.doctor import USUAL_CORNERS, examine
from server.setup.fitting.cards import beside_words, nameless
from server.setup.fitting.fit_messages import MeasurePiece
from server.setup.fitting.named import MODELS, in_pixels, named_pieces
from server.setup.fitting.on_marks import MarksWatch, with_mount
from server.setup.fitting.untagged import untagged
from server.setup.kept.file_watch import FileWatch
from server.setup.kept.other_tables import OtherTables
from server.setup.kept.tables import KeptTable, KeptTables
from server.setup.leading.next_step import NO_CAMERA, next_step
from server.setup.printing.known_length import with_length
from server.setup.printing.last_look import LastLook
from server.setup.printing.sheet_watch import SheetWatch, corner_size, scale_of
from server.setup.setup_messages import (
    CardView,
    ChooseCorners,
    ChooseTable,
    KeepSurface,
    KeptView,
    KnownLength,
    MoveCorner,
    NamePiece,
    SetupView,
    SurfaceState,
    TakeSheet,
)
from server.setup.surface_setup import (
    FoundTable,
    TableFinder,
    dragged,
    gained,
    handles,
    outline_in_image,
)
from server.setup.table_changes import SetupError, piece_text, rescaled
from vision.frame import Detection, Frame
from vision.source import ask
from vision.tags.mirrored import FEW, MIRRORED_WORDS
from vision.tags.reading import Key
from vision.tags.unnamed import reader_of_all, told_apart, unnamed_words

SHOWN_WIDTH = 1280
EXAMINED_EVERY_S = 4.0
CROP_PX = 3.0
"""A crop shows so many sides of the tag: the car that carries it is in it."""


class TableSetup:
    """One table's set-up: looks at the newest picture when asked, and writes what people say of it."""

    def __init__(self, chooser: Chooser, player: Player, watch: FileWatch, tables: KeptTables) -> None:
        self._chooser = chooser
        self._live = chooser.live
        self._player = player
        self._watch = watch
        self._tables = tables
        self._others = OtherTables(tables)
        self._lock = threading.RLock()
        self._finder = TableFinder()
        self._sheet = SheetWatch()
        self._found: FoundTable | str = ""
        self._frame: Frame | None = None
        self._detections: list[Detection] = []
        self._looked = 0
        self._seen_for: TableFile | None = None
        self._known: Surface | None = None
        self._through: Lens | None = None
        self._findings: list[str] = []
        self._mirrored = False
        self._examined_at = -math.inf
        self._gains: tuple[object, list[tuple[str, float]]] = (None, [])
        self._marks = MarksWatch()

    # What is seen

    def look(self, here: bool) -> SetupView:
        """Looks at the newest picture, if it is new, and says all that the page shows.

        Reading a whole picture takes a while: who is not `here` is told what was seen last.
        """
        with self._lock:
            moment = self._live.moment
            waiting = self._live.snapshot.state == "starting"
            if moment is None or waiting:
                self._frame, self._detections, self._findings, self._found = None, [], [], ""
                self._known, self._mirrored = None, False
                self._marks.forget()
            elif here and (moment.frame is not self._frame or self._live.table is not self._seen_for):
                self._see(moment.frame)
            return self._view(here)

    def last(self) -> LastLook:
        """What was seen last, as it is; nothing is looked at anew."""
        with self._lock:
            table = self._live.table
            return LastLook(self._frame, tuple(self._detections), table, self._now(table), self._through)

    def picture(self) -> bytes | None:
        """The picture that was looked at last, JPEG, at most `SHOWN_WIDTH` across."""
        frame = self._frame
        return None if frame is None else jpeg(frame.image, 80, SHOWN_WIDTH)

    def crop(self, tag: int) -> bytes | None:
        """The picture round a tag of the last look, JPEG; None if it was not seen."""
        with self._lock:
            frame = self._frame
            found = next((d for d in self._detections if d.tag == tag), None)
        if frame is None or found is None:
            return None
        reach = CROP_PX * found.side
        x, y = found.corners.mean(axis=0)
        low = np.maximum([x - reach, y - reach], 0).astype(int)
        high = np.minimum([x + reach, y + reach], frame.size).astype(int)
        return jpeg(frame.image[low[1] : high[1], low[0] : high[0]], 85)

    def _see(self, frame: Frame) -> None:
        table = self._live.table
        if self._frame is None or frame.source != self._frame.source:
            # What was found in another camera's pictures says nothing of these.
            self._examined_at = -math.inf
        self._frame, self._seen_for = frame, table
        self._looked += 1
        reader = reader_of_all(() if table is None else table.keys)
        self._detections = reader.read_all(frame, thorough=False)
        self._mirrored = self._mirrored and len(self._detections) < FEW
        corners = self._corners(table)
        self._found = ""
        if table is None:
            twice = doubled_corner(reader.copies, corners)
            self._found = twice or self._finder.look(frame, self._detections, self._lens(frame))
        else:
            self._marks.look(self._detections, table, self._surface_of(table))
        lens = self._lens(frame) if table is None or table.lens is None else table.lens_for(frame.size)
        self._through = lens
        self._sheet.look(self.last(), lens)
        if self._sheet.uncut:
            self._found = self._sheet.next
        now = self._live.clock()
        if now - self._examined_at >= EXAMINED_EVERY_S:
            self._examined_at = now
            ids = {tag for _, tag in corners} if table is None and corners != CORNERS else USUAL_CORNERS
            found = examine([frame], table, self._kept_lens, read=lambda _: self._detections, corners=ids)
            # Each tag without a name has a card of its own.
            nameless = unnamed_words(told_apart(self._detections, () if table is None else table.keys)[1])
            self._mirrored = found.mirrored
            # What is to be done now stands above.
            self._findings = [words for words in found.complaints if words not in (nameless, MIRRORED_WORDS)]
            self._findings += doubled_others(reader.copies, corners)

    def _kept_lens(self, size: tuple[int, int]) -> Lens | None:
        return kept_lens(self._live.camera, size)

    def _lens(self, frame: Frame) -> Lens:
        return self._kept_lens(frame.size) or guess_lens(frame.size)

    # What is shown

    def _view(self, here: bool) -> SetupView:
        table, file = self._live.table, self._watch.file
        cards, beside = self._nameless(table)
        surface = self._surface(table)
        pieces = named_pieces(table, self._live.moment, self._detections)
        if here:
            known = self._corners(table) if table is None else table.keys
            beside += self._others.words(told_apart(self._detections, known)[1], file)
        step, words = next_step(self._waiting(), self._mirrored, self.last(), surface, cards)
        return SetupView(
            may_change=here and file is not None,
            why=self._why(here),
            next=words,
            step=step,
            table=self._name(),
            file=None if file is None or not here else str(file),
            mistake=self._live.remark,
            tables=[
                KeptView(name=k.name, current=k.file == file, written=k.written) for k in self._tables.all()
            ]
            if here
            else [],
            looked=self._looked,
            size=None if self._frame is None else self._frame.size,
            tags=tag_views(self._detections, self._corners(table), table),
            surface=surface,
            sheet=self._sheet.state,
            cards=cards,
            pieces=pieces,
            models=MODELS,
            things=untagged(table, self._live.moment, self._detections),
            away=list(self._live.away),
            measuring=self._marks.view(table, self._surface_of(table)),
            findings=[*self._findings, *beside],
        )

    def _why(self, here: bool) -> str | None:
        if not here:
            return ELSEWHERE.replace("choose the source", "set the table up")
        if self._watch.file is None:
            return "This simulated table describes itself: there is nothing to set up."
        return None

    def _name(self) -> str:
        if self._live.table is not None:
            return self._live.table.name
        return self._tables.current().name

    def _waiting(self) -> str | None:
        """Why there is no picture; None where there is one."""
        if ask(self._chooser.choice.spec).kind == "none":
            return NO_CAMERA
        return self._live.snapshot.words if self._frame is None else None

    def _surface(self, table: TableFile | None) -> SurfaceState:
        flat = self._corners(table)
        seen = sorted(d.tag for d in self._detections if (d.family, d.tag) in flat)
        known = self._now(table)
        size = None
        if isinstance(self._found, FoundTable):
            size = (round(self._found.size[0], 1), round(self._found.size[1], 1))
        elif table is not None:
            span = np.ptp(table.surface.outline, axis=0)
            size = (round(float(span[0]), 1), round(float(span[1]), 1))
        sure = None if known is None else sure_of_span(known[0], known[1].mean(axis=0))
        return SurfaceState(
            corners=sorted(tag for _, tag in flat),
            seen=seen,
            found=known is not None,
            kept=table is not None,
            words=self._surface_words(table, sure),
            outline=[] if known is None else in_pixels(outline_in_image(*known)),
            handles=[] if known is None or table is None else handles(table, known[0]),
            size_in=size,
            corner_size_in=self._finder.corner_size if table is None else corner_size(table),
            sure_in=None if sure is None else round(sure, 3),
            gains=[] if sure is None else self._gained(table, sure),
        )

    def _now(self, table: TableFile | None) -> tuple[Surface, FloatArray] | None:
        """The table under the camera as it is known now, and its outline in inches."""
        if table is None:
            found = self._found
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

    def _surface_of(self, table: TableFile | None) -> Surface | None:
        now = self._now(table)
        return None if now is None else now[0]

    def _surface_words(self, table: TableFile | None, sure: float | None) -> str:
        if sure is not None:
            now = f"{SPAN_IN:.0f} inches across the middle are now known to ±{sure:.2f} in."
            return now if table is not None else f"All four corner tags are seen. Is the outline right? {now}"
        if self._mirrored:
            return "No tag can be read in a mirrored picture."
        if isinstance(self._found, str) and self._found:
            return self._found
        return "Looking for the corner tags…"

    def _gained(self, table: TableFile | None, sure: float) -> list[str]:
        frame = self._frame
        if table is None or frame is None:
            return []
        lens = self._kept_lens(frame.size) if table.lens is None else None
        # Solved anew only where the flat tags or the lens are others: each takes a while.
        made_from = (table.loose, table.corners, table.accuracy, table.lens is None, lens is None)
        if self._gains[0] != made_from:
            self._gains = made_from, gained(table, lens or table.lens_for(frame.size), self._detections)
        # Worked out from one look: what many have told meanwhile is not lost by a step that gains less.
        return [f"{words} ±{min(to, sure):.2f} in" for words, to in self._gains[1]]

    def _nameless(self, table: TableFile | None) -> tuple[list[CardView], list[str]]:
        """The cards of tags that nobody has named, and what is told of those beside the table."""
        known = self._corners(table) if table is None else table.keys
        scale = 1.0 if table is None else scale_of(table)
        found = nameless(self._detections, set(known), self._now(table), scale, kept=table is not None)
        return found[0], beside_words(found[1])

    def _corners(self, table: TableFile | None) -> tuple[Key, ...]:
        """The tags that lie flat: those of the table, or those that it will have."""
        if table is None:
            return self._finder.corners
        return tuple(key for key in table.keys if key not in carriers(table))

    # What people say

    def choose_corners(self, asked: ChooseCorners) -> None:
        """Takes other tags than 0 to 3 for the corners of a table that is not kept yet."""
        with self._lock:
            if self._live.table is not None:
                raise SetupError("this table is set up already: begin another one under Tables")
            corners, taken = chosen_corners(asked.tags), self._sheet.taken
            share = Accuracy().print_scale if taken is None else taken.sd
            self._finder = TableFinder(self._finder.corner_size, share, corners)
            # What was seen is looked at anew.
            self._frame, self._examined_at = None, -math.inf

    def keep_surface(self, asked: KeepSurface) -> None:
        """Writes the table as it is found. Raises `SetupError` where none is."""
        with self._lock:
            if self._live.table is not None:
                raise SetupError("this table is set up already: begin another one under Tables")
            if asked.corner_size_in is not None and asked.corner_size_in != self._finder.corner_size:
                self._finder = TableFinder(asked.corner_size_in, corners=self._finder.corners)
                self._sheet = SheetWatch(asked.corner_size_in)
                if self._frame is not None:
                    self._see(self._frame)
            if not isinstance(self._found, FoundTable):
                raise SetupError(self._found or "no picture has been looked at yet")
            taken = self._sheet.taken
            scale = None if taken is None else (taken.sd, taken.words)
            self._write(self._found.text(self._name(), self._finder.corner_size, scale))

    def take_sheet(self, asked: TakeSheet) -> None:
        """Takes the printer's scale from the sheet in view, for a table to come or for the one there is."""
        with self._lock:
            seen = self._sheet.seen
            if seen is None:
                raise SetupError(self._sheet.words or "no sheet of paper is looked for now")
            if seen.paper != asked.paper:
                raise SetupError(f"what is seen is {seen.words}: it is not the paper that was said")
            if self._sheet.uncut:
                self._sheet.taken = seen
                self._finder = TableFinder(
                    round(self._sheet.stated * seen.ratio, 4), seen.sd, self._finder.corners
                )
                self._found = self._sheet.next
            else:
                table, _ = self._running()
                self._write(rescaled(table, seen.ratio, seen.words, seen.sd, "sheet"))

    def move_corner(self, asked: MoveCorner) -> None:
        """Moves a corner of the table's rectangle, to a place in the picture or by inches."""
        with self._lock:
            table, _ = self._running()
            self._write(dragged(table, asked, self._now(table), self._frame))

    def known_length(self, asked: KnownLength) -> None:
        """Takes all printed sizes so much larger or smaller as a measured length says."""
        with self._lock:
            table, surface = self._running()
            self._write(with_length(asked, table, surface, self._detections))

    def name_piece(self, asked: NamePiece) -> None:
        """Writes what carries a tag; what was said of this tag or this name before is replaced."""
        with self._lock:
            table, _ = self._running()
            text = table.text
            for n, piece in reversed(list(enumerate(table.pieces))):
                if piece.mount is not None and piece.mount.tag == asked.tag:
                    text = without_block(text, ("piece", n))
                elif key_of(piece.name) == key_of(asked.name):
                    raise SetupError(f"another piece is called {piece.name} already: choose another name")
            self._write(with_block(text, piece_text(asked)))

    def drop_piece(self, name: str) -> None:
        """Takes a piece out of the table file."""
        with self._lock:
            table, _ = self._running()
            for n, piece in enumerate(table.pieces):
                if key_of(piece.name) == key_of(name):
                    self._write(without_block(table.text, ("piece", n)))
                    return
            raise SetupError(f"no piece of this table is called {name!r}")

    def measure_piece(self, asked: MeasurePiece) -> None:
        """Begins to measure how a piece's tag sits, stops it, or writes what was found."""
        with self._lock:
            table, _ = self._running()
            piece = next((p for p in table.pieces if key_of(p.name) == key_of(asked.name)), None)
            if piece is None or piece.mount is None:
                raise SetupError(f"no piece of this table with a tag is called {asked.name!r}")
            if asked.how == "begin":
                self._marks.begin(piece.name)
            elif asked.how == "keep":
                found = self._marks.found(table, self._surface_of(table))
                if found is None or key_of(self._marks.name or "") != key_of(piece.name):
                    raise SetupError(f"{piece.name} has not been seen on a corner tag yet")
                self._write(with_mount(table, piece.name, found))
                self._marks.stop()
            else:
                self._marks.stop()

    def change(self, make: Callable[[TableFile], str]) -> None:
        """Writes the text that is made of the table as it is now."""
        with self._lock:
            self._write(make(self._running()[0]))

    def choose_table(self, asked: ChooseTable) -> None:
        """Goes on with another kept table."""
        with self._lock:
            if self._watch.file != self._player.kept:
                raise SetupError(
                    f"this run goes by {self._watch.file or 'a table that describes itself'}: start tableref "
                    "without --table, where there is no table.toml, to choose among the kept tables"
                )
            if asked.how == "use":
                kept = self._tables.find(asked.name)
            elif asked.how == "new":
                kept = self._tables.new(asked.name)
            else:
                kept = self._tables.copy(self._tables.current(), asked.name)
            before, self._player.kept = self._player.kept, kept.file
            try:
                self._watch.take_over()
            except TableRefError:
                self._player.kept = before
                raise
            self._tables.use(kept)
            self._finder, self._frame, self._found, self._known = TableFinder(), None, "", None
            self._sheet = SheetWatch()
            self._marks.forget()

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
        return self._watch.file is not None

    def _running(self) -> tuple[TableFile, Surface | None]:
        table, moment = self._live.table, self._live.moment
        if table is None or self._watch.file is None:
            raise SetupError("keep the table first: its corner tags say where things stand")
        surface = None if moment is None else moment.surface
        return table, surface if isinstance(surface, Surface) else None

    def _write(self, text: str) -> None:
        """Checks the text, keeps it and referees by it; nothing is kept of one with a mistake."""
        file = self._watch.file
        if file is None:
            raise SetupError("this table describes itself: there is nothing to set up")
        parse_table(text, str(file), file.parent)
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, text.encode())
        if file == self._player.kept:
            self._tables.use(KeptTable(file.parent.name, file))
        self._watch.take_over()
