"""A piece's outline over the picture round it: where it is drawn, and what is written once it fits."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.surface import Surface
from calibration.table_text import toml_of, with_field
from calibration.tablefile import TableFile
from engine.space.geometry import FloatArray, Pose
from engine.space.pieces import Body, Piece
from engine.space.table import key_of
from server.formats.jpeg import jpeg
from server.setup.fitting.fit_messages import EdgesView, KeepOutline, OutlineView
from server.setup.fitting.silhouette import (
    EDGE_SD_IN,
    EDGE_SD_PX,
    TURN_SD_DEG,
    Edges,
    Round,
    find_edges,
)
from server.setup.printing.last_look import LastLook
from server.setup.table_changes import SetupError
from vision.frame import Detection, Image
from vision.locate import locate

# A car is widest between so many shares of its roof's height; all else is as wide at the top as at the foot.
CAR_WIDEST = (0.10, 0.52)
# How surely that is known of a car, a share of its height; and how well a hand fits an edge, pixels.
WIDEST_SD, HAND_PX = 0.12, 0.5
# A read of the tag's direction, degrees.
READ_TURN_DEG = 0.5
LEAST_IN = 0.2


@dataclass(frozen=True, eq=False)
class _Fit:
    """What is frozen while somebody fits an outline. `sd_at` in inches, `sd_turn` in radians.

    `aside` is by how much the tag may stand beside where it seems, inches; `per_inch` the pixels of an inch.
    """

    view: OutlineView
    picture: Image
    sd_at: float
    sd_turn: float
    seen: SeenPiece
    aside: float
    per_inch: float

    @property
    def found_sd(self) -> float:
        """How well an edge is known that the camera finds here, inches."""
        return math.hypot(EDGE_SD_IN, EDGE_SD_PX / self.per_inch, self.aside)


class OutlineFits:
    """The outlines that are being fitted, by piece; each keeps the picture that it was begun with."""

    def __init__(self) -> None:
        self._fits: dict[str, _Fit] = {}
        self._looks = 0
        self._lock = threading.Lock()

    def begin(self, name: str, last: LastLook) -> OutlineView:
        """The piece's outline over the newest picture. Raises `SetupError` where its tag is not seen."""
        seen = seen_piece(name, last)
        with self._lock:
            self._looks += 1
            fit = _frozen(seen, self._looks)
            self._fits[key_of(seen.piece.name)] = fit
        return fit.view

    def picture(self, look: int) -> bytes | None:
        """The picture of a fit, JPEG; None once it is over."""
        fit = next((f for f in self._fits.values() if f.view.look == look), None)
        return None if fit is None else jpeg(fit.picture, 95)

    def find(self, name: str) -> EdgesView:
        """Where the camera sees the piece end in the picture that its outline is fitted over."""
        fit = self._fits.get(key_of(name))
        if fit is None:
            raise SetupError(f"begin to fit the outline of {name} first")
        view = fit.view
        start = Edges(view.front_in, view.rear_in, view.left_in, view.right_in, math.radians(view.turn_deg))
        found = find_edges(_round(fit.seen), start)
        clear = isinstance(found, Edges)
        edges = found if isinstance(found, Edges) else start
        return EdgesView(
            clear=clear,
            words="" if isinstance(found, Edges) else f"no clear edge: {found}",
            front_in=round(edges.front, 3),
            rear_in=round(edges.rear, 3),
            left_in=round(edges.left, 3),
            right_in=round(edges.right, 3),
            turn_deg=round(math.degrees(edges.turn), 2),
            sure_in=round(fit.found_sd if clear else view.sure_in, 3),
        )

    def text(self, asked: KeepOutline, table: TableFile) -> str:
        """The table's text with the outline as it was fitted. Raises `SetupError`."""
        fit = self._fits.get(key_of(asked.name))
        if fit is None:
            raise SetupError(f"begin to fit the outline of {asked.name} first")
        if asked.front_in - asked.rear_in < LEAST_IN or asked.left_in - asked.right_in < LEAST_IN:
            raise SetupError(f"an outline is at least {LEAST_IN} in long and wide")
        return _with_outline(table, number_of(table, asked.name), asked, fit)


@dataclass(frozen=True, eq=False)
class SeenPiece:
    """A piece whose tag was read in the picture that was looked at last, and the table in it.

    `outline` is the table's own, (n, 2) inches; `others` are all other tags in the picture.
    """

    piece: Piece
    tag: Detection
    surface: Surface
    outline: FloatArray
    image: Image
    others: tuple[Detection, ...]


def seen_piece(name: str, last: LastLook) -> SeenPiece:
    """What was seen of a piece of the table. Raises `SetupError` where its tag was not."""
    table, found = last.table, last.found
    if table is None or last.frame is None or found is None:
        raise SetupError("keep the table first: its corner tags say where things stand")
    piece = table.pieces[number_of(table, name)]
    mount = piece.mount
    tag = next((d for d in last.detections if mount is not None and d.tag == mount.tag), None)
    if tag is None:
        raise SetupError(f"the tag of {piece.name} is not seen now: put it in view, and let go of it")
    others = tuple(d for d in last.detections if d is not tag)
    return SeenPiece(piece, tag, *found, last.frame.image, others)


def number_of(table: TableFile, name: str) -> int:
    """Which of the table's pieces is called so. Raises `SetupError` where none is."""
    for n, piece in enumerate(table.pieces):
        if key_of(piece.name) == key_of(name):
            return n
    raise SetupError(f"no piece of this table is called {name!r}")


def part_round(seen: SeenPiece, at: Pose, reach: float) -> NDArray[np.intp]:
    """Whole pixels (2, 2) of the part of the picture that shows so many inches round a tag, table to top."""
    square = at.to_table(np.array([(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)]) * reach)
    heights = (0.0, seen.piece.body.height)
    pixels = np.concatenate([seen.surface.image_from_table(square, z) for z in heights])
    size = (seen.image.shape[1], seen.image.shape[0])
    return np.array(np.clip([pixels.min(axis=0), pixels.max(axis=0) + 1], 0, size), np.intp)


def _round(seen: SeenPiece) -> Round:
    """The picture round a piece, wide enough for one that is larger than the file says."""
    piece, mount, surface = seen.piece, seen.piece.mount, seen.surface
    assert mount is not None
    at = locate(seen.tag, piece, surface, 0.0).tag_pose
    outline = piece.body.footprint.outline
    size = np.ptp(outline, axis=0)
    reach = float(np.hypot(*size)) / 2 + math.hypot(mount.body_from_tag.x, mount.body_from_tag.y)
    reach = max(2.1 * reach, reach + 2.0)
    heights = _widest(piece)
    (x0, y0), (x1, y1) = part_round(seen, at, reach)
    low, high = (np.array(plane_of(surface, at, z, reach, (int(x0), int(y0)))).reshape(3, 3) for z in heights)
    return Round(
        picture=np.ascontiguousarray(seen.image[y0:y1, x0:x1]),
        tag=seen.tag.corners - (x0, y0),
        others=tuple(d.corners - (x0, y0) for d in seen.others),
        low=low,
        high=high,
        shape=(outline - outline.min(axis=0)) / size,
        car=piece.look == "car",
    )


def _frozen(seen: SeenPiece, look: int) -> _Fit:
    piece, surface, image = seen.piece, seen.surface, seen.image
    at = locate(seen.tag, piece, surface, 0.0).tag_pose
    body, mount = piece.body, piece.mount
    assert mount is not None
    low, high = _widest(piece)
    outline = body.footprint.outline
    least, most = outline.min(axis=0), outline.max(axis=0)
    reach = float(np.hypot(*(most - least))) / 2 + math.hypot(mount.body_from_tag.x, mount.body_from_tag.y)
    around = at.to_table(np.array([(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)]) * (reach + 0.6))
    shown = np.concatenate([surface.image_from_table(around, z) for z in (low, high)])
    (x0, y0), (x1, y1) = (
        np.clip(np.array([shown.min(axis=0), shown.max(axis=0) + 1]), 0, (image.shape[1], image.shape[0]))
    ).astype(int)
    if x1 - x0 < 8 or y1 - y0 < 8:
        raise SetupError(f"{piece.name} is too near the edge of the picture")
    # The camera's foot is where heights do not shift anything.
    foot = surface.camera_position
    slope = float(np.hypot(*(foot[:2] - np.array(at.xy)))) / (float(foot[2]) - body.height)
    per_inch = float(np.sqrt(cv2.contourArea(shown[:4].astype(np.float32)))) / (2 * (reach + 0.6))
    shape_sd = WIDEST_SD * body.height if piece.look == "car" else 0.0
    dragged = math.hypot(HAND_PX / per_inch, slope * shape_sd)
    # The tag stands aside by what its height is off, and by what the camera's place is.
    aside = math.hypot(slope * mount.sd_height, _camera_sd(surface, at, (low + high) / 2, mount.height))
    view = OutlineView(
        name=piece.name, look=look, size=(int(x1 - x0), int(y1 - y0)),
        low=plane_of(surface, at, low, reach, (x0, y0)), high=plane_of(surface, at, high, reach, (x0, y0)),
        shape=[(round(float(x), 5), round(float(y), 5)) for x, y in (outline - least) / (most - least)],
        front_in=round(float(most[0]) - mount.body_from_tag.x, 4),
        rear_in=round(float(least[0]) - mount.body_from_tag.x, 4),
        left_in=round(float(most[1]) - mount.body_from_tag.y, 4),
        right_in=round(float(least[1]) - mount.body_from_tag.y, 4),
        turn_deg=round(math.degrees(mount.body_from_tag.heading), 3),
        sure_in=round(math.hypot(dragged, aside), 3),
        words=_words(piece, slope),
        may_tap=piece.look != "car",
    )  # fmt: skip
    sd_at = math.hypot(dragged / math.sqrt(2), aside)
    turn = math.atan2(math.sqrt(2) * HAND_PX / per_inch, body.length)
    sd_turn = math.hypot(turn, math.radians(READ_TURN_DEG))
    return _Fit(view, image[y0:y1, x0:x1].copy(), sd_at, sd_turn, seen, aside, per_inch)


def _camera_sd(surface: Surface, at: Pose, low: float, high: float) -> float:
    """By how much what is not known of the camera shifts one height against the other, inches."""
    here = np.array([at.xy])
    (_, lower, _), (_, upper, _) = surface.jacobians(here, low), surface.jacobians(here, high)
    between = upper[0] - lower[0]
    return math.sqrt(float(np.trace(between @ surface.covariance @ between.T)) / 2)


def _widest(piece: Piece) -> tuple[float, float]:
    """Between which heights a piece is as wide as its outline, inches."""
    if piece.look != "car":
        return 0.0, piece.body.height
    return CAR_WIDEST[0] * piece.body.height, CAR_WIDEST[1] * piece.body.height


def plane_of(surface: Surface, at: Pose, height: float, reach: float, low: tuple[int, int]) -> list[float]:
    """From inches about the tag to the crop's pixels; over so small a part the lens bends nothing."""
    steps = np.linspace(-reach, reach, 4)
    points = np.array([(x, y) for x in steps for y in steps])
    pixels = surface.image_from_table(at.to_table(points), height) - np.array(low)
    found, _ = cv2.findHomography(points, pixels)
    return [float(v) for v in np.asarray(found).ravel()]


def _words(piece: Piece, slope: float) -> str:
    if slope > 0.2 and piece.look == "car":
        return (
            "Drag the edges onto the car's. It is surer right below the camera: put the car there "
            "and look again."
        )
    return "Drag the edges onto the piece's, or choose one and use the arrow keys."


def _with_outline(table: TableFile, number: int, asked: KeepOutline, fit: _Fit) -> str:
    piece = table.pieces[number]
    mount = piece.mount
    assert mount is not None
    size = np.array([asked.front_in - asked.rear_in, asked.left_in - asked.right_in])
    body = _resized(piece.body, size)
    data = toml_of(table.text)["piece"][number]
    fields = _body_fields(piece, body, data)
    # The new body's middle is the outline's.
    fields["tag_at_in"] = [
        round(-(asked.front_in + asked.rear_in) / 2, 3),
        round(-(asked.left_in + asked.right_in) / 2, 3),
    ]
    fields["tag_sd_at_in"] = round(fit.found_sd if asked.by_camera else fit.sd_at, 3)
    if abs(asked.turn_deg - fit.view.turn_deg) > 0.05:
        fields["tag_turn_deg"] = round(math.remainder(asked.turn_deg, 360.0), 2)
        sd_turn = math.degrees(fit.sd_turn)
        fields["tag_sd_turn_deg"] = round(max(sd_turn, TURN_SD_DEG) if asked.by_camera else sd_turn, 2)
    text = table.text
    for name, value in reversed(fields.items()):
        text = with_field(text, ("piece", number), name, value, "fitted over the picture")
    return text


def _resized(body: Body, size: FloatArray) -> Body:
    """The body stretched to another length and width, its middle as its origin."""
    outline = body.footprint.outline
    least = outline.min(axis=0)
    share = size / (outline.max(axis=0) - least)

    def stretched(points: FloatArray) -> FloatArray:
        return np.asarray((points - least) * share - size / 2)

    tyres = None if body.tyres is None else stretched(body.tyres)
    return replace(body, footprint=type(body.footprint)(stretched(outline)), tyres=tyres)


def _body_fields(piece: Piece, body: Body, data: dict[str, Any]) -> dict[str, Any]:
    """The fields that describe a body, in the way in which the file describes it now."""
    if "footprint_in" in data:
        fields: dict[str, Any] = {"footprint_in": _rounded(body.footprint.outline)}
        if body.tyres is not None and "tyres_in" in data:
            return fields | {"tyres_in": _rounded(body.tyres)}
        if body.tyres is None:
            return fields
    else:
        fields = {}
    if "diameter_in" in data:
        # What is round stays round.
        share = (body.length + body.width) / (piece.body.length + piece.body.width)
        return {"diameter_in": round(data["diameter_in"] * share, 3)}
    if body.tyres is None:
        return {"shape": "box", "size_in": [round(body.length, 3), round(body.width, 3)]}
    front, rear = float(body.front_axle[0]), float(body.rear_axle[0])
    return fields | {
        "length_in": round(body.length, 3),
        "width_in": round(body.width, 3),
        "axles_in": [round(front, 3), round(rear, 3)],
        "track_in": round(float(np.ptp(body.tyres[:, 1])), 3),
        "height_in": round(piece.body.height, 3),
    }


def _rounded(points: FloatArray) -> list[list[float]]:
    return [[round(float(x), 3), round(float(y), 3)] for x, y in points]
