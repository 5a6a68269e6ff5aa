"""Leads from nothing to a table: what the set-up page shows, and what it writes to the table file."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from typing import Any

import numpy as np

from calibration.lens.model import Lens, guess_lens
from calibration.surface import Surface
from calibration.table_text import with_block, without_block
from calibration.tablefile import TableFile, parse_table
from engine.errors import TableRefError
from engine.space.catalogue import CARS
from engine.space.geometry import FloatArray
from engine.space.table import key_of
from server.formats.files import write_whole
from server.formats.jpeg import jpeg
from server.pipeline.lenses import kept_lens
from server.pipeline.opening import Player
from server.setup.doctor import examine
from server.setup.file_watch import FileWatch
from server.setup.setup_messages import (
    CardView,
    ChooseTable,
    KeepSurface,
    KeptView,
    KnownLength,
    ModelView,
    NamedPiece,
    NamePiece,
    Px,
    SetupView,
    SurfaceState,
    TagView,
)
from server.setup.sourcing import ELSEWHERE, Chooser
from server.setup.surface_setup import (
    CORNERS,
    SPAN_IN,
    FoundTable,
    TableFinder,
    gains,
    outline_in_image,
    side_on_plane,
    sure_of_span,
)
from server.setup.table_changes import RULED_SHARE, SetupError, piece_text, rescaled
from server.setup.tables import KeptTable, KeptTables
from vision.frame import Detection, Frame
from vision.source import ask
from vision.tags.reading import Key
from vision.tags.unnamed import USUAL_FAMILY, reader_of_all, told_apart, unnamed_words

SHOWN_WIDTH = 1280
EXAMINED_EVERY_S = 4.0
CROP_PX = 3.0
"""A crop shows so many sides of the tag: the car that carries it is in it."""

PRINTED_IN = (0.75, 0.9, 1.1, 1.6, 2.4)
"""Sizes of roof tags that are printed or usual, inches."""

USUAL_HEIGHT_IN = 1.0

MODELS = [
    ModelView(
        model=name,
        outline=[(float(x), float(y)) for x, y in body.footprint.outline],
        tyres=[] if body.tyres is None else [(float(x), float(y)) for x, y in body.tyres],
        height_in=body.height,
    )
    for name, body in CARS.items()
]


class TableSetup:
    """One table's set-up: looks at the newest picture when asked, and writes what people say of it."""

    def __init__(self, chooser: Chooser, player: Player, watch: FileWatch, tables: KeptTables) -> None:
        self._chooser = chooser
        self._live = chooser.live
        self._player = player
        self._watch = watch
        self._tables = tables
        self._lock = threading.RLock()
        self._finder = TableFinder()
        self._found: FoundTable | str = ""
        self._frame: Frame | None = None
        self._detections: list[Detection] = []
        self._looked = 0
        self._known: Surface | None = None
        self._findings: list[str] = []
        self._examined_at = -math.inf
        self._gains: tuple[object, list[str]] = (None, [])

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
                self._known = None
            elif here and moment.frame is not self._frame:
                self._see(moment.frame)
            return self._view(here)

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
        self._frame = frame
        self._looked += 1
        reader = reader_of_all(() if table is None else table.keys)
        self._detections = reader.read_all(frame, thorough=False)
        if table is None:
            self._found = self._finder.look(frame, self._detections, self._lens(frame))
        else:
            self._found = ""
        now = self._live.clock()
        if now - self._examined_at >= EXAMINED_EVERY_S:
            self._examined_at = now
            found = examine([frame], table, self._kept_lens, read=lambda _: self._detections)
            # Each tag without a name has a card of its own.
            nameless = unnamed_words(told_apart(self._detections, () if table is None else table.keys)[1])
            self._findings = [words for words in found.complaints if words != nameless]

    def _kept_lens(self, size: tuple[int, int]) -> Lens | None:
        return kept_lens(self._live.camera, size)

    def _lens(self, frame: Frame) -> Lens:
        return self._kept_lens(frame.size) or guess_lens(frame.size)

    # What is shown

    def _view(self, here: bool) -> SetupView:
        table, file = self._live.table, self._watch.file
        cards = self._cards(table)
        surface = self._surface(table)
        pieces = self._pieces(table)
        step, words = self._next(table, surface, cards)
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
            tags=self._tags(table),
            surface=surface,
            cards=cards,
            pieces=pieces,
            models=MODELS,
            findings=self._findings,
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

    def _next(self, table: TableFile | None, surface: SurfaceState, cards: list[CardView]) -> tuple[Any, str]:
        if ask(self._chooser.choice.spec).kind == "none":
            return "camera", "Choose the camera that looks down on the table."
        if self._frame is None:
            return "camera", self._live.snapshot.words
        if table is None or not surface.found:
            return "surface", surface.words
        driven = [p for p in table.pieces if p.driven]
        if len(driven) < 2:
            if cards:
                return "pieces", "Say what carries the tags that are seen."
            return "pieces", "Put a car with a roof tag on the table: it appears here by itself."
        more = f" {len(cards)} more {'tag has' if len(cards) == 1 else 'tags have'} no name." if cards else ""
        return "play", f"Ready: ask for the first ruling.{more}"

    def _tags(self, table: TableFile | None) -> list[TagView]:
        carried = {} if table is None else _carriers(table)
        return [
            TagView(
                tag=d.tag,
                corners=_px(d.corners),
                what=_what(d, table, carried),
                name=carried.get((d.family, d.tag), ""),
            )
            for d in sorted(self._detections, key=lambda d: (d.family, d.tag))
        ]

    def _surface(self, table: TableFile | None) -> SurfaceState:
        flat = CORNERS if table is None else [k for k in table.keys if k not in _carriers(table)]
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
            seen=seen,
            found=known is not None,
            kept=table is not None,
            words=self._surface_words(table, sure),
            outline=[] if known is None else _px(outline_in_image(*known)),
            size_in=size,
            corner_size_in=self._finder.corner_size if table is None else _corner_size(table),
            sure_in=None if sure is None else round(sure, 3),
            gains=self._gained(table),
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

    def _surface_words(self, table: TableFile | None, sure: float | None) -> str:
        if sure is not None:
            now = f"{SPAN_IN:.0f} inches across the middle are now known to ±{sure:.2f} in."
            return now if table is not None else f"All four corner tags are seen. Is the outline right? {now}"
        if isinstance(self._found, str) and self._found:
            return self._found
        return "Looking for the corner tags…"

    def _gained(self, table: TableFile | None) -> list[str]:
        frame = self._frame
        if table is None or frame is None or self._now(table) is None:
            return []
        lens = self._kept_lens(frame.size) if table.lens is None else None
        # Solved anew only where the flat tags or the lens are others: each takes a while.
        made_from = (table.loose, table.corners, table.accuracy, lens is None)
        if self._gains[0] != made_from:
            self._gains = made_from, gains(table, lens or table.lens_for(frame.size), self._detections)
        return self._gains[1]

    def _cards(self, table: TableFile | None) -> list[CardView]:
        known = set(CORNERS) if table is None else set(table.keys)
        now = self._now(table)
        scale = 1.0 if table is None else _corner_size(table) / self._finder.corner_size
        cards = []
        for d in self._detections:
            if (d.family, d.tag) in known or d.family != USUAL_FAMILY:
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
        return sorted(cards, key=lambda c: c.tag)

    def _pieces(self, table: TableFile | None) -> list[NamedPiece]:
        moment = self._live.moment
        if table is None or moment is None:
            return []
        surface = moment.surface
        standing = {s.name: s for s in moment.table.standings}
        seen = {(d.family, d.tag) for d in self._detections}
        views = []
        for piece in table.pieces:
            s = standing.get(piece.name)
            at = None if s is None or surface is None else s.pose.to_table(piece.body.footprint.outline)
            views.append(
                NamedPiece(
                    name=piece.name, kind=piece.kind, owner=piece.owner, colour=piece.colour,
                    model=piece.body.model, tag=None if piece.mount is None else piece.mount.tag,
                    seen=piece.mount is not None and (piece.mount.family, piece.mount.tag) in seen,
                    outline=[] if at is None or surface is None else _px(surface.image_from_table(at)),
                )
            )  # fmt: skip
        return views

    # What people say

    def keep_surface(self, asked: KeepSurface) -> None:
        """Writes the table as it is found. Raises `SetupError` where none is."""
        with self._lock:
            if self._live.table is not None:
                raise SetupError("this table is set up already: begin another one under Tables")
            if asked.corner_size_in != self._finder.corner_size:
                frame = self._frame
                self._finder = TableFinder(asked.corner_size_in)
                if frame is not None:
                    self._found = self._finder.look(frame, self._detections, self._lens(frame))
            if not isinstance(self._found, FoundTable):
                raise SetupError(self._found or "no picture has been looked at yet")
            self._write(self._found.text(self._name(), asked.corner_size_in))

    def known_length(self, asked: KnownLength) -> None:
        """Takes all printed sizes so much larger or smaller as a measured length says."""
        with self._lock:
            table, surface = self._running()
            ratio, why = self._ratio(asked, table, surface)
            self._write(rescaled(table, ratio, why))

    def name_piece(self, asked: NamePiece) -> None:
        """Writes what carries a tag; what was said of this tag or this name before is replaced."""
        with self._lock:
            table, _ = self._running()
            text = table.text
            for n in reversed(range(len(table.pieces))):
                piece = table.pieces[n]
                if piece.mount is not None and piece.mount.tag == asked.tag:
                    text = without_block(text, ("piece", n))
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

    def _running(self) -> tuple[TableFile, Surface | None]:
        table, moment = self._live.table, self._live.moment
        if table is None or self._watch.file is None:
            raise SetupError("keep the table first: its corner tags say where things stand")
        surface = None if moment is None else moment.surface
        return table, surface if isinstance(surface, Surface) else None

    def _ratio(self, asked: KnownLength, table: TableFile, surface: Surface | None) -> tuple[float, str]:
        if asked.bar_mm is not None:
            if table.accuracy.print_scale <= RULED_SHARE:
                raise SetupError(
                    "the printed sizes are measured already: give a length between two tags instead"
                )
            return asked.bar_mm / 100.0, f"the bar of 100 mm was measured as {asked.bar_mm:g} mm"
        if asked.between is None or asked.length_in is None:
            raise SetupError("say what the printed bar measures, or how far two corner tags are apart")
        centres = {d.tag: d.corners.mean(axis=0) for d in self._detections if d.family == USUAL_FAMILY}
        missing = [t for t in asked.between if t not in centres]
        if missing or surface is None:
            raise SetupError(f"tag {missing[0]} is not seen now" if missing else "the table is not found now")
        a, b = surface.table_from_image(np.array([centres[t] for t in asked.between]))
        seen = float(np.hypot(*(a - b)))
        if seen < 1.0:
            raise SetupError("expected two different tags, some inches apart")
        ratio = asked.length_in / seen
        if not 0.8 <= ratio <= 1.25:
            raise SetupError(
                f"tags {asked.between[0]} and {asked.between[1]} look {seen:.1f} in apart, not "
                f"{asked.length_in:g}: measure from centre to centre, and see which size was printed"
            )
        words = f"tags {asked.between[0]} and {asked.between[1]} were measured {asked.length_in:g} in apart"
        return ratio, words

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


def _carriers(table: TableFile) -> Mapping[Key, str]:
    return {(p.mount.family, p.mount.tag): p.name for p in table.pieces if p.mount is not None}


def _what(d: Detection, table: TableFile | None, carried: Mapping[Key, str]) -> Any:
    key = (d.family, d.tag)
    if key in carried:
        return "piece"
    return "corner" if key in (CORNERS if table is None else table.keys) else "unknown"


def _corner_size(table: TableFile) -> float:
    return table.loose[0].size if table.loose else table.corners[0].size


def _px(points: FloatArray) -> list[Px]:
    return [(round(float(x), 1), round(float(y), 1)) for x, y in points]
