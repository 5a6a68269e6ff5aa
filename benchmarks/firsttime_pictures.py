"""Pictures and clips with truth as a camera's over a table that nobody set up, for `benchmarks.firsttime`.

What a newcomer is taken to know and do, table files hidden: the corner tags are found by the set-up page's
own steps, the lens is not calibrated, no length is known. Each tag is named on its card with the size that
was asked of the printer, each car as a sedan, so that its roof is as high as the catalogue has it (±0.1
inch), all else as a box of 4 inches whose height was measured, because the card asks for that. Pictures of
one camera over one table, as of a clip, are seen one after the other, as the referee does. Then

- `tag_center_in`, `coverage_95` and `n` are of the centres of all pieces' tags, in every picture;
- `height_in` is of the heights that the camera finds from how large the tags look, each piece once for all
  pictures of it; the height that is stated of a piece is only where the search for it begins, but those of
  all pieces have helped to find the camera's height;
- `outline_in` is of the edges that *Find the edges* offers: by how much they are off;
- `unnamed_in` is of the sizes that are offered before a tag has a name: by how much they are off, and how
  often the model that comes nearest to the truth is among those that are marked;
- `stated_height_in` holds the cars' heights that the file states (the catalogue's sedan) against the truth;
- `heights by a ruler` are the figures of centres where somebody has measured the heights of all tags.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from pathlib import Path
from typing import Any, Literal

from benchmarks.clip_truth import frames_of, true_sources
from benchmarks.firsttime_figures import (
    Row,
    centre_figures,
    errors_of,
    height_figures,
    height_row,
    tell_centres,
    tell_heights,
)
from benchmarks.firsttime_outlines import outline_figures, outlines_found, tell_outlines
from benchmarks.firsttime_unnamed import size_figures, sizes_seen, tell_sizes
from benchmarks.stated import Stated, as_people_state
from benchmarks.truth import TrueFrame
from calibration.bundle.seen import SeenTag
from calibration.heights import HeightWatch
from calibration.lens.model import guess_lens
from calibration.surface import Surface
from calibration.table_text import with_block
from calibration.tablefile import TableFile, parse_table
from calibration.watching.keeper import SurfaceKeeper
from engine.space.geometry import FloatArray, Pose
from engine.space.pieces import Piece
from server.setup.fitting.cards import nameless
from server.setup.printing.last_look import LastLook
from server.setup.setup_messages import NamePiece
from server.setup.surface_setup import FoundTable, TableFinder
from server.setup.table_changes import piece_text
from vision.evidence import SurfaceEvidence, sort_out
from vision.frame import Detection, Frame
from vision.tags.unnamed import reader_of_all

By = Literal["catalogue", "ruler"]
"""Where the heights of the tags on cars are from."""

RULER = "heights by a ruler"
MODEL, BOX_IN = "sedan", 4.0


def in_pictures(source: Path) -> dict[str, Any]:
    """Every camera of a folder, or a clip, over a table that nobody has set up. Raises a `TableRefError`."""
    cameras = [_Camera(frames) for frames in by_camera(source)]
    centres = {by: [r for c in cameras for r in c.centres[by]] for by in ("catalogue", "ruler")}
    return {
        **centre_figures(centres["catalogue"]),
        "height_in": height_figures([r for c in cameras for r in c.heights]),
        "outline_in": outline_figures([r for c in cameras for r in c.outlines]),
        "unnamed_in": size_figures([r for c in cameras for r in c.sizes]),
        "pictures": sum(c.pictures for c in cameras),
        "left_out": sum(c.left_out for c in cameras),
        "cameras": len(cameras),
        "stated_height_in": height_figures([r for c in cameras for r in c.stated]),
        RULER: centre_figures(centres["ruler"]),
    }


def by_camera(source: Path) -> Iterator[Iterator[TrueFrame]]:
    """The pictures below a folder, or a clip's moments: those together that one camera took of one table."""
    truths = chain.from_iterable(frames_of(one) for one in true_sources(source))
    for _, together in groupby(truths, _one_table):
        yield together


def _one_table(truth: TrueFrame) -> str:
    """The same for pictures that one camera took of one table."""
    tags = [(p.mount.tag, p.mount.size, true_height(truth, p)) for p in truth.pieces if p.mount is not None]
    corners = [(c.tag, c.size, c.at) for c in truth.corners]
    return json.dumps([str(truth.picture.parent), truth.raw["camera"], sorted(tags), sorted(corners)])


def true_height(truth: TrueFrame, piece: Piece) -> float:
    """How high a piece's tag sits above the table beside it, inches."""
    assert piece.mount is not None
    return float(truth.raw["tags"][str(piece.mount.tag)].get("true_height_in", piece.mount.height))


class _Camera:
    """One camera over one table: the table files that come of it, and what is found with them."""

    def __init__(self, frames: Iterator[TrueFrame]) -> None:
        self.centres: dict[By, list[Row]] = {"catalogue": [], "ruler": []}
        self.heights: list[Row] = []
        self.outlines: list[Row] = []
        self.sizes: list[Row] = []
        self.stated: list[Row] = []
        self.pictures = self.left_out = 0
        self._tables: dict[By, _Table] = {}
        self._bare: TableFile | None = None
        self._watch, self._true = HeightWatch(), dict[str, float]()
        self._flat: Sequence[SeenTag] = ()
        for truth in frames:
            self.pictures += 1
            self._look(truth)
        self._tell_heights()

    def _look(self, truth: TrueFrame) -> None:
        frame = Frame(truth.image(), float(truth.raw.get("time_s", 0.0)), 0, truth.name)
        detections = reader_of_all(()).read_all(frame, thorough=False)
        if not self._tables:
            stated = as_people_state(truth)
            size = next(iter(stated.corners.values())).size
            found = TableFinder(size).look(frame, detections, guess_lens(frame.size))
            if not isinstance(found, FoundTable):
                self.left_out += 1
                return
            self._tables = {by: _Table(found, truth, stated, by) for by in ("catalogue", "ruler")}
            self._bare = parse_table(found.text("Table", size))
            self._true = {p.name: true_height(truth, p) for p in truth.pieces}
        for by, table in self._tables.items():
            seen = table.look(frame, detections)
            self.centres[by] += table.errors(truth, detections)
            if by == "ruler":
                continue
            self._flat = max(self._flat, seen.loose, key=len)
            for read in seen.raised:
                self._watch.add(table.names[read.tag], read)
            last = LastLook(frame, tuple(detections), table.file, table.found)
            self.outlines += outlines_found(truth, last)
            self.sizes += self._before_a_name(truth, last)

    def _before_a_name(self, truth: TrueFrame, last: LastLook) -> list[Row]:
        """What the cards offer of the same look while no tag has a name."""
        assert self._bare is not None
        cards, _ = nameless(last.detections, set(self._bare.keys), last.found, 1.0, kept=True)
        unnamed = LastLook(last.frame, last.detections, self._bare, last.found)
        return sizes_seen(truth, unnamed, {card.tag: card.printed_in for card in cards})

    def _tell_heights(self) -> None:
        """What the camera has found of heights in the end, and what was stated of them."""
        table = self._tables.get("catalogue")
        if table is None or table.found is None:
            return
        for name, height in self._watch.found(table.found[0], self._flat).items():
            self.heights.append(height_row(height.height, height.sd, self._true[name]))
        for piece in table.file.pieces:
            if piece.look == "car" and piece.mount is not None:
                stated = height_row(piece.mount.height, piece.mount.sd_height, self._true[piece.name])
                self.stated.append(stated)


class _Table:
    """A table file as it is written after the first picture, and the table under the camera since."""

    def __init__(self, found: FoundTable, truth: TrueFrame, stated: Stated, by: By) -> None:
        self.file = _told(found, truth, stated, by)
        self.names = {p.mount.tag: p.name for p in self.file.pieces if p.mount is not None}
        lens = guess_lens(truth.size)
        self._keeper = SurfaceKeeper(lens, self.file.frame, self.file.common, self.file.corners)
        # The file's frame has the first corner tag as its origin and the second one along x.
        origin, ahead = (truth.tags[tag].centre[:2] for _, tag in found.corners[:2])
        turn = math.atan2(*(ahead - origin)[::-1])
        self._from_truth = Pose(float(origin[0]), float(origin[1]), turn).inverse()

    @property
    def found(self) -> tuple[Surface, FloatArray] | None:
        """The table under the camera with its outline."""
        surface = self._keeper.surface
        return None if surface is None else (surface, self.file.surface.outline)

    def look(self, frame: Frame, detections: Sequence[Detection]) -> SurfaceEvidence:
        """One more picture; what it says of the table."""
        seen = sort_out(detections, self.file)
        self._keeper.update(frame.time, seen.corners, seen.loose, seen.raised)
        return seen

    def errors(self, truth: TrueFrame, detections: Sequence[Detection]) -> list[Row]:
        """How far the tags in a picture are off."""
        judged = self._keeper.judged
        if judged is None:
            return []
        places = {
            p.name: self._from_truth.to_table(truth.tags[p.mount.tag].centre[None, :2])[0]
            for p in truth.pieces
            if p.mount is not None
        }
        return errors_of(places, self.file, judged, detections)


def _told(found: FoundTable, truth: TrueFrame, stated: Stated, by: By) -> TableFile:
    """The table file after every tag has been named on its card."""
    text = found.text("Table", next(iter(stated.corners.values())).size)
    for piece in truth.pieces:
        assert piece.mount is not None
        mount = stated.pieces[piece.mount.tag].mount
        assert mount is not None
        is_car = piece.look == "car"
        measured = not is_car or by == "ruler"
        named = NamePiece(
            tag=mount.tag,
            name=piece.name,
            kind="car" if is_car else "terrain",
            model=MODEL if is_car else None,
            length_in=None if is_car else BOX_IN,
            width_in=None if is_car else BOX_IN,
            height_in=mount.height if measured else None,
            tag_size_in=mount.size,
        )
        text = with_block(text, piece_text(named))
    return parse_table(text)


def tell_pictures(found: dict[str, Any]) -> None:
    """One line each for centres, heights and outlines."""
    left = f", {found['left_out']} left out: a corner tag was not read" if found["left_out"] else ""
    print(f"pictures: {found['pictures']}, cameras: {found['cameras']}{left}")
    tell_centres("nothing measured", found)
    tell_centres(RULER, found[RULER])
    tell_heights("from how large tags look", found["height_in"])
    tell_heights("the catalogue's", found["stated_height_in"])
    tell_outlines(found["outline_in"])
    tell_sizes(found["unnamed_in"])
