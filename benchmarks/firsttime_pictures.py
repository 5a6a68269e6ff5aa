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
- `stated_height_in` holds the cars' heights that the file states (the catalogue's sedan) against the truth;
- `heights by a ruler` are the figures of centres where somebody has measured the heights of all tags.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby
from pathlib import Path
from typing import Any, Literal

import numpy as np

from benchmarks.clip_truth import frames_of, true_sources
from benchmarks.renders import CHI2_95
from benchmarks.stated import Stated, as_people_state
from benchmarks.truth import TrueFrame
from calibration.bundle.doubts import Judged, judge
from calibration.bundle.parts import SeenTag
from calibration.heights import HeightWatch
from calibration.lens.model import Lens, guess_lens
from calibration.surface import Surface
from calibration.table_text import with_block
from calibration.tablefile import TableFile, parse_table
from calibration.watching.keeper import SurfaceKeeper
from engine.space.geometry import FloatArray, Pose
from engine.space.pieces import Piece
from server.setup.fitting.outline import OutlineFits
from server.setup.printing.last_look import LastLook
from server.setup.setup_messages import NamePiece
from server.setup.surface_setup import FoundTable, TableFinder
from server.setup.table_changes import piece_text
from vision.evidence import SurfaceEvidence, sort_out
from vision.frame import Detection, Frame
from vision.locate import locate_all
from vision.tags.unnamed import reader_of_all

Row = dict[str, Any]


def errors_of(
    places: Mapping[str, FloatArray], table: TableFile, judged: Judged, detections: Sequence[Detection]
) -> list[Row]:
    """Of each piece's tag, how far it is off, and whether the truth is within the stated 95 %.

    Also whether all that is stated is consistent, and whether a stated number of this table is accused.
    """
    out = []
    for s in locate_all(detections, table.pieces, judged.surface, 0.0):
        off = s.tag_pose.xy - places[s.piece.name]
        spread: FloatArray = s.tag_uncertainty.own[:2, :2] + (
            s.tag_uncertainty.shared[:2] @ s.tag_uncertainty.shared[:2].T
        )
        squared = float(off @ np.linalg.solve(spread, off))
        out.append(
            {
                "in": float(np.hypot(*off)), "inside": squared <= CHI2_95, "squared": squared,
                "consistent": judged.consistent, "accused": bool(judged.named),
            }
        )  # fmt: skip
    return out


def judged_by(table: TableFile, lens: Lens, detections: Sequence[Detection]) -> Judged:
    """The table under the camera, as one picture shows it."""
    seen = sort_out(detections, table)
    tags = [*seen.loose, *seen.raised]
    return judge(lens, seen.corners, tags, table.frame, table.common, table.corners)


def surface_of(table: TableFile, lens: Lens, detections: Sequence[Detection]) -> Surface:
    """The same, without what contradicts what."""
    return judged_by(table, lens, detections).surface


def height_row(found: float, sd: float, true: float) -> Row:
    """By how much a tag's height is off, and whether that is within the stated 95 %."""
    off = abs(found - true)
    return {"in": off, "inside": off <= 1.96 * sd, "sd": sd}


def height_figures(rows: Sequence[Row]) -> dict[str, Any]:
    """The errors of heights, inches; no figure but `n` where there is none."""
    if not rows:
        return dict.fromkeys(("median", "p95", "max", "within_0.06", "coverage_95", "sd_median")) | {"n": 0}
    off = np.array([r["in"] for r in rows])
    return {
        **_spread(off),
        "within_0.06": round(float((off <= 0.06).mean()), 4),
        "coverage_95": round(float(np.mean([r["inside"] for r in rows])), 4),
        "sd_median": round(float(np.median([r["sd"] for r in rows])), 4),
        "n": len(rows),
    }


def centre_figures(rows: Sequence[Row]) -> dict[str, Any]:
    """The errors of tags' centres; no figure but `n` where there is none."""
    if not rows:
        none = dict.fromkeys(("coverage_95", "error_to_stated", "consistent", "accused"))
        return {"tag_center_in": dict.fromkeys(("median", "p95", "max")), **none, "n": 0}
    return {
        "tag_center_in": _spread(np.array([r["in"] for r in rows])),
        "coverage_95": round(float(np.mean([r["inside"] for r in rows])), 4),
        # One where the stated deviations are as large as the errors.
        "error_to_stated": round(float(np.sqrt(np.mean([r["squared"] for r in rows]) / 2)), 3),
        "consistent": round(float(np.mean([r["consistent"] for r in rows])), 4),
        "accused": round(float(np.mean([r["accused"] for r in rows])), 4),
        "n": len(rows),
    }


def _spread(off: FloatArray) -> dict[str, float]:
    return {k: round(float(np.percentile(off, p)), 4) for k, p in (("median", 50), ("p95", 95), ("max", 100))}


def tell_centres(way: str, figures: dict[str, Any]) -> None:
    """One line."""
    c = figures["tag_center_in"]
    if not figures["n"]:
        print(f"{way:30} no tag was read")
        return
    print(
        f"{way:30} median {c['median']:.3f}  p95 {c['p95']:.3f}  max {c['max']:.3f} in; truth inside the "
        f"stated 95 %: {figures['coverage_95']:.1%} of {figures['n']}; "
        f"{figures['error_to_stated']:.2f} of the stated; "
        f"on tables with a stated number accused: {figures['accused']:.1%}"
    )


def tell_heights(way: str, h: dict[str, Any]) -> None:
    """One line."""
    if not h["n"]:
        print(f"heights, {way:30} none was found")
        return
    print(
        f"heights, {way:30} median {h['median']:.3f}  p95 {h['p95']:.3f}  max {h['max']:.3f} in, "
        f"{h['within_0.06']:.1%} within 0.06; inside the stated 95 %: {h['coverage_95']:.1%} of {h['n']} "
        f"(stated ±{h['sd_median']:.3f})"
    )


def outlines_found(truth: TrueFrame, last: LastLook) -> list[dict[str, Any]]:
    """Of each piece whose tag was read, by how much its edges are off, inches; None without an offer."""
    fits, out = OutlineFits(), []
    seen = {d.tag for d in last.detections}
    for piece in truth.pieces:
        mount = piece.mount
        if mount is None or mount.tag not in seen:
            continue
        fits.begin(piece.name, last)
        found = fits.find(piece.name)
        outline = piece.body.footprint.outline - mount.body_from_tag.xy
        (rear, right), (front, left) = outline.min(axis=0), outline.max(axis=0)
        off = np.array(
            [found.front_in - front, found.rear_in - rear, found.left_in - left, found.right_in - right]
        )
        out.append(
            {
                "name": f"{truth.name} {piece.name}",
                "off": off.tolist() if found.clear else None,
                "sd": found.sure_in,
                "why": found.words,
            }
        )
    return out


def outline_figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """By how much the edges of the offered outlines are off, and how many were offered."""
    offered = [r for r in rows if r["off"] is not None]
    counts = {"n": 4 * len(offered), "offered": len(offered), "asked": len(rows)}
    if not offered:
        return {"median": None, "p95": None, "max": None, **counts}
    off = np.abs([r["off"] for r in offered])
    sd = np.array([r["sd"] for r in offered])[:, None]
    return {
        **_spread(off),
        **counts,
        "coverage_95": round(float((off <= 1.96 * sd).mean()), 4),
        "sd_median": round(float(np.median(sd)), 4),
    }


def tell_outlines(found: dict[str, Any]) -> None:
    """One line."""
    if not found["offered"]:
        print(f"outlines: none of {found['asked']} offered")
        return
    print(
        f"outlines: {found['offered']} of {found['asked']} offered; edges median {found['median']:.3f}  "
        f"p95 {found['p95']:.3f}  max {found['max']:.3f} in; inside the stated 95 %: "
        f"{found['coverage_95']:.1%} of {found['n']}"
    )


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
        self.stated: list[Row] = []
        self.pictures = self.left_out = 0
        self._tables: dict[By, _Table] = {}
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
