"""One photograph, once through the pipeline: what stands where, with how much doubt."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import shapely
from shapely import Polygon

from calibration.bundle.coplanar import COPLANAR_WORDS, all_coplanar
from calibration.bundle.doubts import Judged, judge
from calibration.fiducials import TagKey
from calibration.heights import heights_contradicted
from calibration.lens.model import LensError, guess_lens
from calibration.surface import Surface, SurfaceError
from calibration.tablefile import TableFile
from calibration.watching.keeper import contradiction_words
from engine.errors import TableRefError
from engine.space.geometry import FloatArray, Region
from engine.space.pieces import Piece
from engine.space.table import (
    Hideout,
    PoseUncertainty,
    Standing,
    TableState,
    Thing,
    ThingName,
    never_placed,
    unread_cars,
    with_followers,
)
from vision.evidence import SurfaceEvidence, as_flat, sort_out
from vision.flat import PER_INCH, Flattener, spots
from vision.frame import Detection, Frame, Image, Sighting
from vision.hideouts import copies_at
from vision.locate import locate_all
from vision.outlines import outlined
from vision.places import PlaceWatch
from vision.sources.files import still_of, unread
from vision.tags.copies import doubled_words
from vision.tags.mirrored import MIRRORED_WORDS, is_mirrored
from vision.tags.reading import TagReader
from vision.tags.search import Search, Wanted
from vision.tags.unnamed import reader_of_all, told_apart, unnamed_words
from vision.things import ThingWatch, covered, paper
from vision.unexplained import Look, look

# What lies where a piece without a tag was outlined is that piece if so much of both outlines is the same.
FOUND_AGAIN = 0.6
# What carries a tag reaches so far beside it, and is up to so high, inches.
CARRIES_IN = (1.5, 4.0)


class PhotoError(TableRefError):
    """A picture that cannot be opened."""


@dataclass(frozen=True, eq=False)
class PhotoReading:
    """What one photograph shows.

    `missing` names the pieces whose tags were not read, and those without a tag that are not seen where they
    were outlined; `warnings` are sentences for people, `judged` says
    how well what is stated fits what is seen.
    """

    image: Path
    surface: Surface
    sightings: tuple[Sighting, ...]
    missing: tuple[str, ...]
    table: TableState
    judged: Judged
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Found:
    """What a picture that stands alone tells of its camera, and the tags that told it.

    `doubled` are the ids that are in it twice: neither tag counts.
    """

    judged: Judged
    seen: SurfaceEvidence
    detections: list[Detection]
    doubled: frozenset[TagKey]
    copies: tuple[Detection, ...]
    """Where these are seen."""


def found_in(frame: Frame, table: TableFile, reader: TagReader) -> Found:
    """Where the camera of a picture stood. Raises a `TableRefError` that names the picture."""
    where = frame.source
    try:
        lens = table.lens_for(frame.size)
    except LensError as error:
        raise PhotoError(f"{where}: {error}") from error
    detections, copies = read_alone(frame, reader)
    doubled = frozenset((d.family, d.tag) for d in copies)
    seen = sort_out(detections, table)
    if is_mirrored(frame, reader_of_all(table.keys), len(detections) + len(doubled)):
        raise PhotoError(f"{where}: {MIRRORED_WORDS[:1].lower()}{MIRRORED_WORDS[1:]}")
    try:
        tags = [*seen.loose, *seen.raised]
        judged = judge(lens, seen.corners, tags, table.frame, table.common, table.corners)
    except SurfaceError as error:
        raise SurfaceError(f"{where}: {error}") from error
    if all_coplanar(judged, lens, seen.corners, tags, table.frame, table.common):
        raise SurfaceError(f"{where}: {COPLANAR_WORDS}")
    if not judged.consistent:
        raise SurfaceError(f"{where}: {contradiction_words(judged)[0]}")
    return Found(judged, seen, detections, doubled, copies)


def seen_from_side(picture: Image, table: TableFile) -> Surface:
    """The table under the camera of a photograph by another camera than the table's, BGR.

    Its lens is guessed by the longer side, as a phone may be held upright. Raises a `PhotoError` that says
    what to do where the table is not found.
    """
    frame = Frame(picture, 0.0, 0, "the photograph")
    width, height = frame.size
    lens = guess_lens((max(width, height), min(width, height)))
    if height > width:
        K = lens.K.copy()
        K[:2, 2] = K[1::-1, 2]
        lens = replace(lens, size=frame.size, K=K)
    try:
        return found_in(frame, replace(table, lens=lens), TagReader.of(table.keys)).judged.surface
    except SurfaceError as error:
        raise PhotoError(
            "the table is not found in the photograph: take it again with two corner tags, better three, "
            "whole and sharp beside the thing"
        ) from error


def look_at(image: Path, table: TableFile, *, things: bool | None = None) -> PhotoReading:
    """The photograph through detect and locate. Raises a `TableRefError` that says what to do.

    Questions about the table need to know where it is free; `things`: what nobody named is looked for, too.
    Without either, None, it is not looked at.
    """
    frame = Frame(open_picture(image), 0.0, 0, str(image))
    pieces = {(p.mount.family, p.mount.tag): p for p in table.pieces if p.mount is not None}
    reader = TagReader.of(table.keys)
    found_there = found_in(frame, table, reader)
    judged, seen, doubled = found_there.judged, found_there.seen, found_there.doubled
    surface, detections = judged.surface, found_there.detections
    detections += looked_again(frame, reader, table, surface, detections, doubled)
    found = {s.piece.name: s for s in locate_all(detections, table.pieces, surface, 0.0, table.checked)}
    sightings = tuple(found[p.name] for p in table.pieces if p.name in found)
    tagged = with_followers((Standing(s.piece, s.pose, s.uncertainty) for s in sightings), table.pieces)
    loose = [tag.corners for tag in seen.loose]
    standings = (*tagged, *outlined_again(frame.image, table, surface, tagged, loose))
    placed = found.keys() | {s.name for s in standings if s.piece.spot is not None}
    untagged = tuple(p.name for p in table.pieces if p.spot is not None and p.name not in placed)
    unread = [p.name for p in pieces.values() if p.name not in placed]
    missing = tuple(p.name for p in table.pieces if p.name in (*unread, *untagged))
    every = reader_of_all(table.keys).read_all(frame, thorough=False)
    unnamed = told_apart(every, table.keys)[1]
    others = [d for d in every if (d.family, d.tag) in unnamed]
    twice = frozenset(pieces[key].name for key in doubled if key in pieces)
    there: tuple[Thing, ...] = ()
    hideouts: tuple[Hideout, ...] = ()
    if things is not None:
        cars = unread_cars(table.pieces, standings, twice)
        there, hideouts = untold(frame, table, surface, standings, loose, others, cars, things=things)
    hideouts += tuple(copies_at(locate_all(found_there.copies, table.pieces, surface, 0.0, table.checked)))
    unplaced = never_placed(table.pieces, standings, twice, hideouts)
    state = TableState(0.0, table.surface, standings, unplaced, there, hideouts, twice)
    warnings = (
        contradiction_words(judged)
        + tuple(words.rstrip(".") for words in (*too_low(table, surface, seen), *odd_size(table)))
        + tuple(doubled_words(key).rstrip(".") for key in sorted(doubled))
        + ((unnamed_words(unnamed).rstrip("."),) if unnamed else ())
        + tuple(f"{name} carries no tag and is not seen where it was outlined" for name in untagged)
    )
    return PhotoReading(image, surface, sightings, missing, state, judged, warnings)


def untold(
    frame: Frame,
    table: TableFile,
    surface: Surface,
    standings: Sequence[Standing],
    loose: Iterable[FloatArray],
    others: Iterable[Detection],
    unread: Sequence[Piece],
    *,
    things: bool,
) -> tuple[tuple[Thing, ...], tuple[Hideout, ...]]:
    """What lies on the table that nobody named: what nothing explains, and what carries one of the `others`.

    And where the `unread` cars may stand; without `things` that alone.
    `loose` are corners (4, 2), pixels, of flat tags that may lie anywhere. Where a tag that the file does not
    name is read and nothing is outlined, something is there all the same, how large nobody knows.
    """
    watch = ThingWatch(table.surface, [c.corners_at() for c in table.corners], at_once=True, quiet=not things)
    papers = (paper(surface.table_from_image(corners)) for corners in loose)
    found = watch.update(frame, surface, standings, papers)
    hideouts = watch.hideouts(frame, surface, standings, unread)
    if not things:
        return (), hideouts
    named = [tag_thing(d, surface) for d in others]
    apart = [t for t in named if not any(f.region.polygon.intersects(t.region.polygon) for f in found)]
    return (*found, *apart), hideouts


def things_words(things: Sequence[Thing]) -> str:
    """Where things lie that nobody named, in inches of the table; empty without any."""
    if not things:
        return ""
    middles = [(t.name, *t.region.polygon.centroid.coords[0]) for t in things]
    at = ", ".join(f"{name} at {x:.1f}, {y:.1f}" for name, x, y in middles)
    return f"Nobody has said what lies on the table: {at} in."


def tag_thing(tag: Detection, surface: Surface) -> Thing:
    """What carries a tag that nobody named: it lies flat, or on something up to so high and so wide."""
    corners = [surface.table_from_image(tag.corners, z) for z in (0.0, CARRIES_IN[1])]
    around = shapely.MultiPoint(np.concatenate(corners)).convex_hull.buffer(CARRIES_IN[0])
    return Thing(ThingName(f"Tag {tag.tag}"), Region(np.array(around.exterior.coords)[:-1]), 0.0)


def outlined_again(
    image: Image,
    table: TableFile,
    surface: Surface,
    tagged: Sequence[Standing],
    loose: Iterable[FloatArray],
) -> tuple[Standing, ...]:
    """The pieces without a tag that a picture, BGR, shows where they were outlined.

    One picture has no earlier one to be held against: what lies there must be as large as the piece, and by
    how much its edge is off the outline is in the deviation. `loose`
    are corners (4, 2), pixels, of flat tags that may lie anywhere.
    """
    places = PlaceWatch(table.pieces)
    if not places.watched:
        return ()
    flat = Flattener().flat(image, surface, table.surface)
    papers = [paper(c.corners_at()) for c in table.corners]
    papers += [paper(surface.table_from_image(corners)) for corners in loose]
    seen = look(flat, table.surface, [*(covered(s, surface) for s in tagged), *papers])
    outlines = places.spots(surface)
    again = []
    for piece in table.pieces:
        if piece.spot is not None and (off := beside(image, surface, seen, outlines[piece.name])) is not None:
            sd = math.hypot(piece.spot.sd, off / 1.96)
            again.append(Standing(piece, piece.spot.pose, PoseUncertainty.isotropic(sd)))
    return tuple(again)


def beside(image: Image, surface: Surface, seen: Look, outline: FloatArray) -> float | None:
    """How far off the edge of what nothing explains there an outline (n, 2) lies: 95 % of it, in inches.

    A shadow, or a piece that was moved a little, is in it. None where something else lies there, or nothing.
    """
    place = np.zeros(seen.view.shape, np.uint8)
    cv2.fillPoly(place, [spots(seen.flat, outline)], 1)
    there = np.zeros_like(place)
    for blob in seen.blobs:
        if (blob & place).any():
            there |= blob
    in_view = place & seen.view
    if 2 * cv2.countNonZero(in_view) < cv2.countNonZero(place):
        return None
    same = cv2.countNonZero(there & in_view) / max(cv2.countNonZero(there | in_view), 1)
    if same < FOUND_AGAIN:
        return None
    edge, _ = outlined(image, surface, seen, there)
    if edge is None:
        return None
    known = shapely.segmentize(Polygon(outline).exterior, 1.0 / PER_INCH)
    off = shapely.distance(Polygon(edge).exterior, shapely.points(np.array(known.coords)))
    return float(np.quantile(off, 0.95))


def too_low(table: TableFile, surface: Surface, seen: SurfaceEvidence) -> tuple[str, ...]:
    """Of tags that the table file states to lie flat, and that look raised, in words.

    Higher ones bear witness of the camera, and `judge` holds them against all else.
    """
    if surface.lens.guessed:
        return ()
    names = {(p.mount.family, p.mount.tag): p.name for p in table.pieces if p.mount is not None}
    flat = [*seen.loose, *map(as_flat, seen.corners)]
    return heights_contradicted(surface, flat, {names[tag.key]: tag for tag in seen.low})


SMALL_TABLE, LARGE_TABLE = 0.5, 2.0
"""A table so much smaller, or larger, than the span of its corner tags is a mistake (house default)."""


def odd_size(table: TableFile) -> tuple[str, ...]:
    """Of a stated size that cannot be meant where the corner tags are stated to lie, in words."""
    if not table.corners:
        return ()
    size = np.ptp(table.surface.outline, axis=0)
    span = np.ptp([c.at for c in table.corners], axis=0)
    large = bool((size > LARGE_TABLE * span).any())
    if not large and not (size < SMALL_TABLE * span).any():
        return ()
    so, or_ = "", ""
    if large:
        so, or_ = "; far beyond them little is measured surely", ", or lay the tags near the table's corners"
    return (
        f"The set-up states a table of {size[0]:g} x {size[1]:g} in, but its corner tags lie "
        f"{span[0]:g} x {span[1]:g} in apart{so}: correct size_in under [surface]{or_}.",
    )


def read_alone(frame: Frame, reader: TagReader) -> tuple[list[Detection], tuple[Detection, ...]]:
    """The tags of a picture that stands alone, and those whose ids are in it twice.

    One picture does not tell which of two tags with one id is the true one: neither counts.
    """
    detections = reader.read_all(frame)
    doubled = frozenset((d.family, d.tag) for d in reader.copies)
    copies = (d for d in detections if (d.family, d.tag) in doubled)
    return [d for d in detections if (d.family, d.tag) not in doubled], (*copies, *reader.copies)


def looked_again(
    frame: Frame,
    reader: TagReader,
    table: TableFile,
    surface: Surface,
    detections: Sequence[Detection],
    doubled: Set[TagKey],
) -> list[Detection]:
    """Roof tags that a first reading missed, now that their size in the picture is known."""
    read = {(d.family, d.tag) for d in detections} | doubled
    middle = table.surface.outline.mean(axis=0)
    wanted = []
    for mount in (p.mount for p in table.pieces if p.mount is not None):
        if (mount.family, mount.tag) not in read:
            square = middle + np.array([(0.0, 0.0), (mount.size, 0.0)])
            a, b = surface.image_from_table(square, mount.height)
            wanted.append(Wanted(mount.family, mount.tag, float(np.hypot(*(b - a)))))
    return Search(reader).look_again(frame, wanted, detections)


def open_picture(path: Path) -> Image:
    """A picture file as BGR, as the sensor has it (see `still_of`). Raises `PhotoError`."""
    if path.is_dir():
        raise PhotoError(f"{path} is a folder: name the pictures in it, as {path / '*.jpg'}")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PhotoError(f"cannot open the picture {path}: {error.strerror or error}") from error
    image = still_of(data, path)
    if image is None:
        raise PhotoError(f"{path} {unread(data)}")
    return image
