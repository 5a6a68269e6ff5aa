"""A piece's outline tapped corner by corner in the picture: what it comes to, and what is written of it."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from shapely.geometry import LineString, Point, Polygon

from calibration.table_text import toml_of, with_field, without_field
from calibration.tablefile import TableFile
from engine.errors import ShapeError
from engine.space.geometry import FloatArray, Footprint, Pose
from engine.space.pieces import Piece
from engine.space.table import key_of
from server.formats.jpeg import jpeg
from server.setup.fitting.fit_messages import Level, TapOutline, TappedView, TapView
from server.setup.fitting.outline import (
    HAND_PX,
    LEAST_IN,
    READ_TURN_DEG,
    SeenPiece,
    number_of,
    part_round,
    seen_piece,
)
from server.setup.printing.last_look import LastLook
from server.setup.table_changes import SetupError
from vision.frame import Image
from vision.locate import locate

TAP_PX = {"finger": 6.0, "drag": 2.0, "mouse": 1.0, "keys": 0.5, "file": 1.0}
"""How well a corner is put where it was meant, pixels of the screen, one standard deviation either way."""

MOST_CORNERS = 60
EDGE_IN = 0.25
"""So far beyond the table's outline, which was laid by hand, a corner is still on the table."""


@dataclass(frozen=True, eq=False)
class _Look:
    """The picture in which a piece's outline is tapped, and everything that it is worked out from."""

    view: TapView
    seen: SeenPiece
    picture: Image


@dataclass(frozen=True, eq=False)
class _Tapped:
    """The corners against the tag, x to its printed top, (n, 2) inches, and how surely: (n,) inches.

    `sd_at` is the part of this that is none of the tag's direction; `sd_turn` is that of the direction,
    radians. `other` are the corners at the other level, (n, 2) pixels of the look's picture. `piece` has the
    height that was typed.
    """

    piece: Piece
    corners: FloatArray
    sure: FloatArray
    sd_at: float
    sd_turn: float
    other: FloatArray
    on_table: FloatArray


class TappedOutlines:
    """The outlines that are being tapped, by piece; each keeps the picture that it was begun with."""

    def __init__(self) -> None:
        self._begun: dict[str, _Look] = {}
        self._looks = 0
        self._lock = threading.Lock()

    def begin(self, name: str, last: LastLook) -> TapView:
        """The newest picture round a piece. Raises `SetupError` where its tag is not seen, or it is a car."""
        seen = seen_piece(name, last)
        if seen.piece.look == "car":
            raise SetupError(
                f"{seen.piece.name} is a {seen.piece.kind}: its outline is stretched, not tapped"
            )
        with self._lock:
            self._looks += 1
            look = _frozen(seen, self._looks)
            self._begun[key_of(seen.piece.name)] = look
        return look.view

    def picture(self, look: int) -> bytes | None:
        """The picture of a look, JPEG; None once it is over."""
        found = next((b for b in self._begun.values() if b.view.look == look), None)
        return None if found is None else jpeg(found.picture, 95)

    def check(self, asked: TapOutline) -> TappedView:
        """What the corners make, or what is wrong with them."""
        look = self._of(asked)
        refused, found = _judged(look, asked)
        if found is None:
            return TappedView(refused=refused, sure_in=[], other=[], size_in=None, words="")
        sure, other = _list(found.sure), _pixels(found.other)
        if refused is not None:
            return TappedView(refused=refused, sure_in=sure, other=other, size_in=None, words="")
        long, wide = np.ptp(_in_body(found)[0], axis=0).tolist()
        least, most = found.sure.min(), found.sure.max()
        finger = any(tap.by == "finger" for tap in asked.taps)
        return TappedView(
            refused=None,
            sure_in=sure,
            other=other,
            size_in=(round(long, 3), round(wide, 3)),
            words=(
                f"{len(sure)} corners, {long:.2f} in long, {wide:.2f} in wide, "
                f"each known to ±{most:.2f} in or better, the surest to ±{least:.2f} in."
                + (" A finger's tap is surer in a nearer picture, or dragged." if finger else "")
            ),
        )

    def text(self, asked: TapOutline, table: TableFile) -> str:
        """The table's text with the outline as it was tapped. Raises `SetupError`."""
        refused, found = _judged(self._of(asked), asked)
        if refused is not None or found is None:
            raise SetupError(refused or "tap its corners first")
        return _with_tapped(table, number_of(table, asked.name), found)

    def _of(self, asked: TapOutline) -> _Look:
        look = self._begun.get(key_of(asked.name))
        if look is None or look.view.look != asked.look:
            raise SetupError(f"the picture round {asked.name} is an old one: look again")
        return look


def _frozen(seen: SeenPiece, look: int) -> _Look:
    piece, mount, surface = seen.piece, seen.piece.mount, seen.surface
    assert mount is not None
    sighting = locate(seen.tag, piece, surface, 0.0)
    outline = piece.body.footprint.outline
    offset = math.hypot(mount.body_from_tag.x, mount.body_from_tag.y)
    reach = float(np.hypot(*np.ptp(outline, axis=0))) / 2 + offset
    low, high = part_round(seen, sighting.tag_pose, max(2.2 * reach, reach + 3.0))
    first, last = part_round(seen, sighting.tag_pose, 1.2 * reach + 0.5)
    if (last - first).min() < 8:
        raise SetupError(f"{piece.name} is too near the edge of the picture")
    on_table = sighting.pose.to_table(outline)
    stated: dict[Level, list[tuple[float, float]]] = {
        level: _pixels(surface.image_from_table(on_table, _height(seen, piece, level)) - low)
        for level in ("table", "top")
    }
    by_pixel, _, _ = surface.jacobians(sighting.tag_pose.xy[None, :], 0.0)
    (x0, y0), (x1, y1) = low, high
    view = TapView(
        name=piece.name, look=look, size=(int(x1 - x0), int(y1 - y0)), begins=(int(x0), int(y0)),
        shown=(int(first[0] - x0), int(first[1] - y0), int(last[0] - first[0]), int(last[1] - first[1])),
        per_inch=round(1.0 / math.sqrt(abs(float(np.linalg.det(by_pixel[0])))), 3),
        height_in=round(piece.body.height, 3), stated=stated,
        words=(
            "Tap the corners one after the other round the piece. A tap on a side puts a corner into it. "
            "Drag a corner, or choose it and use the arrow keys. The dashed line is the same outline at the "
            "other height."
        ),
    )  # fmt: skip
    return _Look(view, seen, seen.image[y0:y1, x0:x1].copy())


def _height(seen: SeenPiece, piece: Piece, level: Level) -> float:
    """The level's height above the table, inches."""
    return 0.0 if level == "table" else piece.body.height + seen.surface.lift[0]


def _judged(look: _Look, asked: TapOutline) -> tuple[str | None, _Tapped | None]:
    """What is wrong with the taps, if anything is, and what they come to, as far as they show anything."""
    refused = _misplaced(look, asked)
    if refused is not None or not asked.taps:
        return refused or "no corner is tapped so far: an outline has three at least", None
    found = _worked_out(look, asked)
    if len(asked.taps) < 3:
        so_far = ("one corner is", "two corners are")[len(asked.taps) - 1]
        return f"{so_far} tapped so far: an outline has three at least", found
    return _no_outline(look, found), found


def _misplaced(look: _Look, asked: TapOutline) -> str | None:
    """What is wrong with the taps as they are in the picture."""
    if len(asked.taps) > MOST_CORNERS:
        return f"an outline has at most {MOST_CORNERS} corners: take some away"
    if asked.level == "top" and asked.height_in <= 0.0:
        return "its top edge needs its height: type it, or tap where it meets the table"
    w, h = look.view.size
    for n, tap in enumerate(asked.taps, start=1):
        x, y = tap.at
        if not (-0.5 <= x <= w - 0.5 and -0.5 <= y <= h - 0.5):
            return f"corner {n} is outside the picture: drag it back, or take it away"
    return None


def _worked_out(look: _Look, asked: TapOutline) -> _Tapped:
    """The taps brought down to their level and against the tag, with what is not known of them."""
    seen, surface = look.seen, look.seen.surface
    piece = _as_high(seen.piece, asked.height_in)
    mount = piece.mount
    assert mount is not None
    sighting = locate(seen.tag, piece, surface, 0.0)
    at = sighting.tag_pose
    level = _height(seen, piece, asked.level)
    pixels = np.array([tap.at for tap in asked.taps]) + look.view.begins
    on_table = surface.table_from_image(pixels, level)
    about = on_table - at.xy
    tag_height = mount.height + surface.lift[0]
    by_pixel, by_parameters, by_height = surface.jacobians(on_table, level)
    _, tag_parameters, tag_height_by = surface.jacobians(at.xy[None, :], tag_height)
    hands = np.array([math.hypot(HAND_PX, TAP_PX[tap.by] / tap.zoom) for tap in asked.taps])
    # Whatever moves the corner and the tag alike leaves the one against the other as it is.
    between = by_parameters - tag_parameters
    variance = hands**2 * (by_pixel**2).sum(axis=(1, 2)) / 2
    variance += np.einsum("nij,jk,nik->n", between, surface.covariance, between) / 2
    variance += (_raised(seen, piece, asked.level, by_height, tag_height_by) ** 2).sum(axis=(1, 2)) / 2
    variance += float(np.trace(sighting.noise[:2, :2])) / 2
    sd_turn = math.hypot(math.radians(READ_TURN_DEG), math.sqrt(float(sighting.noise[2, 2])))
    sure = np.sqrt(variance + (about**2).sum(axis=1) * sd_turn**2 / 2)
    other: Level = "top" if asked.level == "table" else "table"
    return _Tapped(
        piece=piece,
        corners=at.to_body(on_table),
        sure=sure,
        sd_at=float(np.sqrt(variance.max())),
        sd_turn=sd_turn,
        other=surface.image_from_table(on_table, _height(seen, piece, other)) - look.view.begins,
        on_table=on_table,
    )


def _as_high(piece: Piece, height: float) -> Piece:
    """The piece so high as it was typed; a tag that lies on its top goes with it."""
    mount = piece.mount
    assert mount is not None
    if abs(mount.height - piece.body.height) < 1e-3:
        mount = replace(mount, height=height)
    return replace(piece, body=replace(piece.body, height=height), mount=mount)


def _raised(
    seen: SeenPiece, piece: Piece, level: Level, by_height: FloatArray, tag_by_height: FloatArray
) -> FloatArray:
    """By how much what is not known of heights shifts corners against the tag, (n, 2, k) inches."""
    mount = piece.mount
    assert mount is not None
    sd = math.hypot(mount.sd_height, seen.surface.lift[1])
    if level == "table":
        return np.stack([np.broadcast_to(tag_by_height, by_height.shape) * sd], axis=2)
    if abs(mount.height - piece.body.height) < 1e-3:
        # The tag lies on the edge's own level: one height for both.
        return np.stack([(by_height - tag_by_height) * sd], axis=2)
    return np.stack([by_height * sd, np.broadcast_to(tag_by_height, by_height.shape) * sd], axis=2)


def _no_outline(look: _Look, found: _Tapped) -> str | None:
    """Why the corners make no outline on the table."""
    corners = found.on_table
    table = Polygon(look.seen.outline).buffer(EDGE_IN)
    for n, corner in enumerate(corners, start=1):
        if not table.covers(Point(corner)):
            return f"corner {n} is not on the table: drag it back, or take it away"
    count = len(corners)
    apart = np.hypot(*(np.roll(corners, -1, axis=0) - corners).T)
    if apart.min() < 0.02:
        n = int(apart.argmin())
        return f"corners {n + 1} and {(n + 1) % count + 1} are in one place: take one of them away"
    sides = [LineString([corners[n], corners[(n + 1) % count]]) for n in range(count)]
    for i in range(count):
        for j in range(i + 2, count):
            if (j + 1) % count != i and sides[i].intersects(sides[j]):
                return (
                    f"the side from corner {i + 1} to {i + 2} meets the side from corner {j + 1} to "
                    f"{(j + 1) % count + 1}: tap the corners in their order round the piece"
                )
    try:
        body, _ = _in_body(found)
        Footprint(body)
    except ShapeError as error:
        return str(error)
    if np.ptp(body, axis=0).min() < LEAST_IN:
        return f"an outline is at least {LEAST_IN} in long and wide"
    return None


def _in_body(found: _Tapped) -> tuple[FloatArray, Pose]:
    """The corners in a body frame of their own, and the tag in it.

    Its x lies along a side of the smallest rectangle round the corners, the one nearest to where the file's x
    points; its origin is in the middle of their extent.
    """
    mount = found.piece.mount
    assert mount is not None
    (_, _, degrees) = cv2.minAreaRect(found.corners.astype(np.float32))
    quarter = math.pi / 2
    # Against the tag the body is turned by as much as the tag against the body, the other way round.
    off = math.remainder(math.radians(degrees) + mount.body_from_tag.heading, quarter)
    turn = mount.body_from_tag.heading - off
    along = Pose(0.0, 0.0, turn).to_table(found.corners)
    middle = (along.min(axis=0) + along.max(axis=0)) / 2
    return along - middle, Pose(float(-middle[0]), float(-middle[1]), turn)


def _with_tapped(table: TableFile, number: int, found: _Tapped) -> str:
    """The table's text with the piece's outline, and place and turn of its tag."""
    path = ("piece", number)
    data = toml_of(table.text)["piece"][number]
    body, tag = _in_body(found)
    outline = Footprint(body).outline
    assert found.piece.mount is not None
    fields: dict[str, Any] = {
        "shape": "polygon",
        "footprint_in": [[round(float(x), 3), round(float(y), 3)] for x, y in outline],
        "height_in": round(found.piece.body.height, 3),
        "tag_at_in": [round(tag.x, 3), round(tag.y, 3)],
        "tag_sd_at_in": round(found.sd_at, 3),
        "tag_turn_deg": round(math.degrees(tag.heading), 2),
        "tag_sd_turn_deg": round(math.degrees(found.sd_turn), 2),
    }
    if "tag_height_in" in data:
        fields["tag_height_in"] = round(found.piece.mount.height, 3)
    text = table.text
    for name in ("size_in", "diameter_in", "length_in", "width_in"):
        text = without_field(text, path, name)
    for name, value in reversed(fields.items()):
        if data.get(name) != value:
            text = with_field(text, path, name, value, "tapped in the picture")
    return text


def _list(values: FloatArray) -> list[float]:
    return [round(float(v), 3) for v in values]


def _pixels(points: FloatArray) -> list[tuple[float, float]]:
    return [(round(float(x), 2), round(float(y), 2)) for x, y in points]
