"""Where pieces without a tag stand: outlined once, and watched by their own looks from then on.

A piece that carries no tag is known by its outline alone. While its place looks as it did it stands there;
where the cloth shows, or where its own picture is found a little aside, it does not. Nothing is guessed about
where it went: what lies there is a thing like any other, until somebody says which piece it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray
from shapely import Polygon
from shapely.geometry.base import BaseGeometry
from shapely.ops import unary_union

from calibration.surface import Surface
from engine.space.geometry import FloatArray, Footprint, Pose
from engine.space.pieces import Body, Piece, Spot
from engine.space.table import PoseUncertainty, Standing, Status, Thing

Mask = NDArray[np.uint8]
Picture = NDArray[np.uint8]

# What is high hides the table behind it: of what the camera sees so much may belong to its foot or not, and
# its edge there is taken to be half-way, as unsure as anything in between.
EVEN = 1.0 / math.sqrt(12.0)
# No edge is known better than this, inches; an outline has no corner that is less than so far off its sides.
SUREST_IN, CORNER_IN = 0.03, 0.03
# The seen outline is put together from the body at so many heights.
LAYERS = 6
# Of a place so much must be seen, inside of so many inches, to tell anything of it.
PART_SEEN, INSIDE_IN = 0.5, 0.12
# A place that was not looked at before is taken if so much of it is no cloth; later it is bare at so little
# of what there was, and what stood there has moved or gone at less than so much, for so many seconds.
TAKEN, BARE, LEFT = 0.2, 0.3, 0.65
BARE_S, AWAY_S = 1.0, 3.0
# A piece's own picture, so much wider than it, is looked for so far about, inches; it is found where it is so
# much alike, and aside if that is so much better than where it stood, at least so far away.
ABOUT_IN, SEARCHED_IN = 0.25, 0.9
ALIKE, BETTER, ASIDE_IN = 0.6, 0.08, 0.15
# Under a hand it looks like something else; what looks so for so long is gone as well, though nothing is
# bare: what is printed on the cloth is no cloth either.
UNLIKE_S = 10.0


def foot_of(thing: Thing, height: float, surface: Surface) -> FloatArray:
    """What a thing of this height, inches, stands on, (n, 2): half-way between a box's foot and a cone's.

    The camera sees what it stands on and, away from the camera's foot, what its top hides of the table. How
    much of that is foot depends on its shape: a box has its far edge the whole way nearer, a cone none.
    """
    seen = thing.region.polygon.buffer(0)
    return _inside(seen, _lowered(seen, height / 2.0, surface))


def outlined_piece(
    name: str, thing: Thing, height: float, surface: Surface, checked: float = 0.0, height_sd: float = 0.0
) -> Piece:
    """A thing as terrain of this height, inches: its footprint, where it stands, and how surely.

    `height_sd` is the height's own deviation, nought where somebody said it.
    """
    outline = foot_of(thing, height, surface)
    middle = np.round(outline.mean(axis=0), 2)
    spread = float(np.linalg.norm(_below(outline, height + height_sd, surface) - outline, axis=1).max())
    _, by_parameters, _ = surface.jacobians(middle[None], 0.0)
    there = np.asarray(by_parameters).reshape(2, -1) @ surface.loading
    of_table = math.sqrt(float((there**2).sum()) / 2.0)
    sd = max(math.hypot(thing.sd, spread * EVEN, of_table, checked), SUREST_IN)
    footprint = Footprint(np.round(outline - middle, 2))
    return Piece(
        name,
        "terrain",
        Body("polygon", footprint, height),
        spot=Spot(Pose(float(middle[0]), float(middle[1])), round(sd, 3), height_sd),
    )


def _below(points: FloatArray, height: float, surface: Surface) -> FloatArray:
    """The feet (n, 2), inches, of what is seen before these table points at a height."""
    return np.asarray(surface.table_from_image(surface.image_from_table(points), height))


def _lowered(seen: BaseGeometry, height: float, surface: Surface) -> BaseGeometry:
    return Polygon(_below(np.array(_largest(seen).exterior.coords), height, surface)).buffer(0)


def _largest(shape: BaseGeometry) -> Polygon:
    parts = [p for p in getattr(shape, "geoms", [shape]) if isinstance(p, Polygon) and not p.is_empty]
    return max(parts, key=lambda p: p.area)


def _inside(seen: BaseGeometry, lowered: BaseGeometry) -> FloatArray:
    """The part of what is seen that is foot, (n, 2) inches; all of it where a thin one leaves none."""
    both = seen.intersection(lowered)
    whole = _largest(seen)
    part = _largest(both) if both.area > 0.0 else whole
    ring = part.simplify(CORNER_IN)
    return np.array((ring if isinstance(ring, Polygon) else part).exterior.coords)[:-1]


def seen_outline(piece: Piece, surface: Surface) -> FloatArray:
    """What a piece without a tag covers of the table for the camera, (n, 2) inches."""
    assert piece.spot is not None
    low = piece.spot.pose.to_table(piece.body.footprint.outline)
    layers = [
        Polygon(surface.table_from_image(surface.image_from_table(low, z))).buffer(0.02)
        for z in np.linspace(0.0, piece.body.height / 2.0, LAYERS)
    ]
    return np.array(_largest(unary_union(layers)).exterior.coords)[:-1]


@dataclass(frozen=True)
class Verdict:
    """What one picture tells of a place: shares of it, and what its own picture says.

    `seen` is the share in plain view, `there` of that the share that is no cloth. `alike` is how much it
    looks as it did where it stood, `aside` how far away it looks so much more, inches; None where nothing
    is known.
    """

    seen: float
    there: float
    alike: float | None = None
    aside: float | None = None


@dataclass(frozen=True, eq=False)
class _Looks:
    """A piece's own picture laid flat, grey, with its mask, and the pixel (x, y) of its corner."""

    picture: Picture
    mask: Mask
    corner: tuple[int, int]


@dataclass(eq=False)
class _Place:
    """A place that is watched. `known`: somebody saw the piece there in this run."""

    piece: Piece
    known: bool = False
    away: bool = False
    there: float | None = None
    looks: _Looks | None = None
    there_since: float | None = None
    doubted_since: float | None = None
    unlike_since: float | None = None
    standing: Standing | None = None


class PlaceWatch:
    """Watches the places of a table's pieces without a tag. One thread looks, another one takes."""

    def __init__(self, pieces: Iterable[Piece] = ()) -> None:
        self._places: tuple[_Place, ...] = ()
        self.watch(pieces)

    def watch(self, pieces: Iterable[Piece], *, there: str = "", time: float = 0.0) -> None:
        """Watches these pieces from now on; `there` names one that was outlined just now."""
        before = {(p.piece.name, p.piece.spot): p for p in self._places}
        places = []
        for piece in pieces:
            if piece.spot is not None:
                place = before.get((piece.name, piece.spot), _Place(piece))
                if piece.name == there and not place.known:
                    place.known = True
                    self._stands(place, Status.STILL, time)
                places.append(place)
        self._places = tuple(places)

    @property
    def watched(self) -> bool:
        """Whether there is anything to watch."""
        return bool(self._places)

    @property
    def standings(self) -> tuple[Standing, ...]:
        """What stands where it was outlined, as far as was seen."""
        return tuple(p.standing for p in self._places if p.known and not p.away and p.standing is not None)

    @property
    def away(self) -> tuple[str, ...]:
        """Names of what does not stand where it was outlined."""
        return tuple(p.piece.name for p in self._places if p.away)

    def outlines(self, surface: Surface) -> list[FloatArray]:
        """What those cover for the camera that stand there, (n, 2) inches each."""
        return [seen_outline(p.piece, surface) for p in self._places if p.known and not p.away]

    def forget(self) -> None:
        """The camera hangs elsewhere: nothing looks as it did."""
        for place in self._places:
            place.there, place.looks = None, None

    # One picture

    def look(
        self,
        picture: Picture,
        spots: Mapping[str, NDArray[np.int32]],
        foreign: Mask,
        view: Mask,
        per_inch: int,
    ) -> dict[str, Verdict]:
        """What a picture laid flat (h, w, 3) tells of each place.

        `spots` are their seen outlines, pixels, by name; `foreign` is where it is no cloth, `view` where no
        other known piece hides it: masks (h, w).
        """
        grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)
        return {
            p.piece.name: self._of(p, grey, spots[p.piece.name], foreign, view, per_inch)
            for p in self._places
            if p.piece.name in spots
        }

    def spots(self, surface: Surface) -> dict[str, FloatArray]:
        """The seen outline of every place, (n, 2) inches, by name."""
        return {p.piece.name: seen_outline(p.piece, surface) for p in self._places}

    @staticmethod
    def _of(
        place: _Place, grey: Picture, spots: NDArray[np.int32], foreign: Mask, view: Mask, per_inch: int
    ) -> Verdict:
        h, w = grey.shape
        x, y, across, down = cv2.boundingRect(spots)
        margin = round((ABOUT_IN + SEARCHED_IN) * per_inch)
        x0, y0 = max(x - margin, 0), max(y - margin, 0)
        here = np.s_[y0 : min(y + down + margin, h), x0 : min(x + across + margin, w)]
        part = grey[here]
        if not part.size:
            return Verdict(0.0, 0.0)
        shape = np.zeros(part.shape, np.uint8)
        cv2.fillPoly(shape, [spots - (x0, y0)], 1)
        core = np.asarray(cv2.erode(shape, _disk(INSIDE_IN, per_inch)), np.uint8)
        core = core if core.any() else shape
        seen = (core & view[here]) > 0
        share = float(seen.sum()) / max(int(core.sum()), 1)
        if share < PART_SEEN:
            return Verdict(share, 0.0)
        there = float(foreign[here][seen].mean())
        around = np.asarray(cv2.dilate(shape, _disk(ABOUT_IN, per_inch)), np.uint8)
        if (around & (view[here] ^ 1)).any():
            # Something stands in the way: its own picture is not whole.
            return Verdict(share, there)
        if place.looks is None:
            bx, by, bw, bh = cv2.boundingRect(around)
            if there >= TAKEN:
                cut = np.s_[by : by + bh, bx : bx + bw]
                place.looks = _Looks(part[cut].copy(), around[cut].copy(), (x0 + bx, y0 + by))
            return Verdict(share, there)
        return _compared(place.looks, grey, share, there, per_inch)

    # What they come to

    def take(self, time: float, verdicts: Mapping[str, Verdict]) -> list[str]:
        """Takes what a picture told; names of pieces that were there, or away, until now."""
        return [
            p.piece.name
            for p in self._places
            if p.piece.name in verdicts and self._changed(p, verdicts[p.piece.name], time)
        ]

    def _changed(self, place: _Place, said: Verdict, time: float) -> bool:
        if said.seen < PART_SEEN:
            self._stands(place, Status.HELD, time)
            return False
        before, there = place.away, self._is_there(place, said, time)
        if there is None:
            return False
        if not there:
            place.doubted_since = time if place.doubted_since is None else place.doubted_since
            bare = said.there < (BARE * place.there if place.there is not None else TAKEN)
            if place.known:
                self._stands(place, Status.HELD, time)
            if time - place.doubted_since >= (BARE_S if bare else AWAY_S) - 1e-6:
                place.away = True
            return place.away and not before
        place.doubted_since = None
        if place.away and place.looks is not None and (said.alike is None or said.alike < ALIKE):
            # Something else stands there now, or a hand is over it.
            return False
        place.there = said.there if place.there is None else place.there
        unlike = said.alike is not None and said.alike < ALIKE
        self._stands(place, Status.HELD if unlike else Status.STILL, time)
        if not unlike:
            place.unlike_since = None
        elif place.unlike_since is None:
            place.unlike_since = time
        place.away = place.unlike_since is not None and time - place.unlike_since >= UNLIKE_S - 1e-6
        return before is not place.away

    @staticmethod
    def _is_there(place: _Place, said: Verdict, time: float) -> bool | None:
        """Whether it stands where it was outlined; None while that is not told yet."""
        if place.known:
            least = TAKEN if place.there is None else LEFT * place.there
            return said.there >= least and said.aside is None
        if said.there < TAKEN:
            place.there_since = None
            return False
        place.there_since = time if place.there_since is None else place.there_since
        if time - place.there_since < BARE_S - 1e-6:
            return None
        place.known = True
        return True

    @staticmethod
    def _stands(place: _Place, status: Status, time: float) -> None:
        spot, now = place.piece.spot, place.standing
        assert spot is not None
        if now is None:
            sure = PoseUncertainty.isotropic(spot.sd)
            place.standing = Standing(place.piece, spot.pose, sure, status, time, time)
        elif now.status is not status:
            seen_at = now.seen_at if status is Status.HELD else time
            place.standing = replace(now, status=status, since=time, seen_at=seen_at)


def _disk(radius: float, per_inch: int) -> Mask:
    size = 2 * max(1, round(radius * per_inch)) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)), np.uint8)


def _compared(looks: _Looks, grey: Picture, share: float, there: float, per_inch: int) -> Verdict:
    """How much a place looks as it did, and whether the same is found aside."""
    reach = round(SEARCHED_IN * per_inch)
    (x, y), (h, w) = looks.corner, looks.picture.shape
    x0, y0 = max(x - reach, 0), max(y - reach, 0)
    area = grey[y0 : y + h + reach, x0 : x + w + reach]
    if area.shape[0] < h or area.shape[1] < w:
        return Verdict(share, there)
    found = cv2.matchTemplate(area, looks.picture, cv2.TM_CCOEFF_NORMED, mask=looks.mask)
    found = np.nan_to_num(np.asarray(found), nan=-1.0, posinf=-1.0, neginf=-1.0)
    # A step of a pixel is noise.
    near = found[max(y - y0 - 1, 0) : y - y0 + 2, max(x - x0 - 1, 0) : x - x0 + 2]
    stood = float(near.max(initial=-1.0))
    row, column = np.unravel_index(int(found.argmax()), found.shape)
    best = float(found[row, column])
    away = math.hypot(column - (x - x0), row - (y - y0)) / per_inch
    moved = best >= ALIKE and best - stood >= BETTER and away >= ASIDE_IN
    return Verdict(share, there, stood, away if moved else None)
