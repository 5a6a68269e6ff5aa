"""How large a piece that nobody has named is seen to be, and which models of the catalogue that fits."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.surface import Surface
from engine.space.catalogue import CARS
from engine.space.geometry import FloatArray, Footprint, Pose
from engine.space.pieces import Body, Piece, TagMount
from server.formats.jpeg import jpeg
from server.setup.fitting.fit_messages import FitSizeView, LookAtTag, ModelTried, SightView, TryModel
from server.setup.fitting.outline import CAR_WIDEST, plane_of
from server.setup.fitting.silhouette import (
    EDGE_SD_IN,
    EDGE_SD_PX,
    LEAST_FIT,
    LONGER,
    WIDER,
    Edges,
    Mask,
    Round,
    fitted,
    hull_of,
    silhouette,
)
from server.setup.printing.last_look import LastLook
from server.setup.surface_setup import side_on_plane
from server.setup.table_changes import TURNS, SetupError
from vision.frame import Detection, Image
from vision.locate import locate

ROOFS = np.array([body.height for body in CARS.values()])
ROOF_IN, ROOF_SD_IN = float(ROOFS.mean()), float(ROOFS.std())
"""How high a car's tag is taken to sit while nobody has said which car it is: as the catalogue's roofs."""
HIGHEST_IN, TOP_SD_IN, TYPED_SD_IN = 12.0, 0.6, 0.05
"""How high all else can be, how surely its top is known by how large its tag looks, and by a ruler."""
REACHES_IN = ((3.6, 3.2), (6.6, 6.0))
"""How far round a tag the picture is looked at, twice, and how far where the piece is larger than that."""
AGREE_IN = 0.25
"""Where both looks differ by more, a part of the piece is of the cloth's colour, or the other way round."""
LEAST_PX, MOST_PX = 16, 320
"""How large that part of the picture is at least, and is made at most: larger, it takes seconds."""
SHOWN_SIDES, LEAST_SHOWN, SHOWN_MORE = 3.0, 1.5, 1.35
FITS_SDS, CONTRADICTS_SDS = 2.0, 3.0
NAMED = 4
"""So many of the models that fit are named in words; all of them are marked."""
SAME_PX, SAME_GREY = 1.0, 2.0
"""A tag that moved less, in a picture that changed less, is looked at once."""


@dataclass(frozen=True)
class SeenSize:
    """How long a piece is along its tag, and how wide across it; inches, with standard deviations."""

    along: float
    across: float
    sd_along: float
    sd_across: float
    outline: FloatArray


@dataclass(frozen=True, eq=False)
class _Sight:
    """What was seen of a tag: the part of the picture round it that begins at `begins`, and what came of it.

    `shown` is what the page shows, and begins at `shows`; (x, y) pixels. `size` is a car's, else a box's.
    """

    view: SightView
    tag: Detection
    surface: Surface
    picture: Image
    shown: Image
    shows: tuple[int, int]
    size: SeenSize | None
    asked: LookAtTag


class FirstSights:
    """The tags that were looked at, each with the picture in which it was."""

    def __init__(self) -> None:
        self._sights: dict[int, _Sight] = {}
        self._looks = 0
        self._lock = threading.Lock()

    def look(self, asked: LookAtTag, last: LastLook) -> SightView:
        """How large the piece under a tag is in the picture that was looked at last."""
        before = self._sights.get(asked.tag)
        tag, surface, image = _in_view(asked.tag, last)
        around = _window(tag, surface, image, REACHES_IN[0][0])
        picture = image[around[1] : around[3], around[0] : around[2]]
        if before is not None and before.asked == asked and _same(before, tag, picture):
            return before.view
        others = tuple(d for d in last.detections if d is not tag)
        print_scale = 0.0 if last.table is None else last.table.accuracy.print_scale
        see = _See(tag, others, surface, image, asked.printed_in, asked.height_in, print_scale)
        car, other, why = see.sizes()
        x0, y0, x1, y1 = _shown(tag, [s.outline for s in (car, other) if s is not None], image)
        with self._lock:
            self._looks += 1
            number = self._looks
        view = SightView(
            tag=asked.tag, look=number, size=(x1 - x0, y1 - y0), fits=_fitting(car),
            car=None if car is None else _told(car, (x0, y0), _car_words(car)),
            other=None if other is None else _told(other, (x0, y0), _other_words(other)),
            no_car=_no_car(other, why), no_other=f"No clear edge: {why or 'what stands out is no box'}.",
            again_px=round(0.3 * tag.side, 1),
        )  # fmt: skip
        sight = _Sight(
            view, tag, surface, picture.copy(), image[y0:y1, x0:x1].copy(), (x0, y0),
            car or other, asked,
        )  # fmt: skip
        there = {d.tag for d in last.detections}
        self._sights = {t: s for t, s in self._sights.items() if t in there} | {asked.tag: sight}
        return view

    def picture(self, look: int) -> bytes | None:
        """The picture of a look, JPEG; None once there is a newer one."""
        sight = next((s for s in self._sights.values() if s.view.look == look), None)
        return None if sight is None else jpeg(sight.shown, 90)

    def tried(self, asked: TryModel) -> ModelTried:
        """A model over the picture of a look, and whether that contradicts what is seen."""
        sight, body = self._sights.get(asked.tag), CARS.get(asked.model)
        if sight is None or sight.view.look != asked.look:
            raise SetupError(f"tag {asked.tag} has been looked at anew: try the model again")
        if body is None:
            raise SetupError(f"no model is called {asked.model!r}: choose one of {', '.join(CARS)}")
        turn = math.radians(TURNS[asked.top])
        height = sight.asked.height_in or body.height
        around = _round(sight.tag, (), sight.surface, sight.shown, sight.shows, height, body, 0.9)
        long, wide = body.length / 2, body.width / 2
        outline = hull_of(around, Edges(long, -long, wide, -wide, turn))
        words, wrong = ("", False) if sight.size is None else _compared(sight.size, body, asked.top)
        return ModelTried(outline=_points(outline), words=words, contradicts=wrong)


def _in_view(tag: int, last: LastLook) -> tuple[Detection, Surface, Image]:
    if last.frame is None or last.found is None:
        raise SetupError("keep the table first: its corner tags say where things stand")
    found = next((d for d in last.detections if d.tag == tag), None)
    if found is None:
        raise SetupError(f"tag {tag} is not seen now: put it in view, and let go of it")
    return found, last.found[0], last.frame.image


def _same(before: _Sight, tag: Detection, picture: Image) -> bool:
    """Whether nothing that matters has changed since."""
    if before.picture.shape != picture.shape:
        return False
    moved = float(np.abs(before.tag.corners - tag.corners).max())
    if moved >= SAME_PX:
        return False
    # In a smaller picture the sensor's noise is not seen, and a hand still is.
    one, other = (
        cv2.resize(p, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA) for p in (before.picture, picture)
    )
    return float(cv2.absdiff(one, other).mean()) < SAME_GREY


def _window(tag: Detection, surface: Surface, image: Image, reach: float) -> tuple[int, int, int, int]:
    """Whole pixels (x0, y0, x1, y1) of the part of the picture that shows so many inches round a tag."""
    at = surface.table_from_image(tag.corners, ROOF_IN).mean(axis=0)
    square = at + np.array([(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)]) * reach
    pixels = np.concatenate([surface.image_from_table(square, z) for z in (0.0, ROOF_IN)])
    return _whole(pixels.min(axis=0), pixels.max(axis=0) + 1, image)


def _whole(least: FloatArray, most: FloatArray, image: Image) -> tuple[int, int, int, int]:
    size = (image.shape[1], image.shape[0])
    (x0, y0), (x1, y1) = np.clip([least, most], 0, size).astype(int).tolist()
    return x0, y0, x1, y1


def _shown(tag: Detection, outlines: list[FloatArray], image: Image) -> tuple[int, int, int, int]:
    """The part of the picture that is shown: square, with the whole of what was found in it."""
    middle = tag.corners.mean(axis=0)
    far = max((float(np.abs(o - middle).max()) * SHOWN_MORE for o in outlines), default=0.0)
    half = max(far, LEAST_SHOWN * tag.side) if outlines else SHOWN_SIDES * tag.side
    return _whole(middle - half, middle + half + 1, image)


def top_by_size(surface: Surface, corners: FloatArray, printed: float) -> float:
    """How high a tag sits by how large it looks, inches: roughly, and not below the table."""
    low, high = 0.0, HIGHEST_IN
    while high - low > 0.01:
        middle = (low + high) / 2
        if side_on_plane(surface, corners, middle) > printed:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _round(
    tag: Detection, others: tuple[Detection, ...], surface: Surface, picture: Image,
    begins: tuple[int, int], height: float, body: Body, printed: float, car: bool = True,
) -> Round:  # fmt: skip
    """The part of the picture that begins there, and the planes between which such a piece is widest."""
    mount = TagMount(tag.family, tag.tag, printed, height, Pose(0.0, 0.0, 0.0))
    piece = Piece("unnamed", "car" if car else "terrain", replace(body, height=height), mount)
    at = locate(tag, piece, surface, 0.0).tag_pose
    shares = CAR_WIDEST if car else (0.0, 1.0)
    low, high = (
        np.array(plane_of(surface, at, z * height, REACHES_IN[0][0], begins)).reshape(3, 3) for z in shares
    )
    outline = body.footprint.outline
    return Round(
        picture=picture, tag=tag.corners - begins, others=tuple(d.corners - begins for d in others),
        low=low, high=high, shape=(outline - outline.min(axis=0)) / np.ptp(outline, axis=0), car=car,
    )  # fmt: skip


def _smaller(around: Round, share: float) -> Round:
    """The same in a picture of fewer pixels; pixel centres stay where they are."""
    if share >= 1.0:
        return around
    scale = np.array([(share, 0.0, (share - 1) / 2), (0.0, share, (share - 1) / 2), (0.0, 0.0, 1.0)])

    def points(of: FloatArray) -> FloatArray:
        return np.asarray(of * share + (share - 1) / 2)

    size = (round(around.picture.shape[1] * share), round(around.picture.shape[0] * share))
    picture = cv2.resize(around.picture, size, interpolation=cv2.INTER_AREA)
    return replace(
        around, picture=np.ascontiguousarray(picture), tag=points(around.tag),
        others=tuple(points(o) for o in around.others), low=scale @ around.low, high=scale @ around.high,
    )  # fmt: skip


_BOX = Body("box", Footprint.box(4.0, 4.0), 1.0)


@dataclass(frozen=True, eq=False)
class _See:
    """A tag in a picture, to be looked at."""

    tag: Detection
    others: tuple[Detection, ...]
    surface: Surface
    image: Image
    printed: float
    height: float | None
    print_scale: float

    def sizes(self) -> tuple[SeenSize | None, SeenSize | None, str]:
        """As a car, as a box, and why there is none: "" where there is a clear edge."""
        why = ""
        for wide, narrow in REACHES_IN:
            first = self._within(wide)
            if isinstance(first, str):
                why = first
                continue
            second = self._within(narrow)
            if isinstance(second, str):
                return None, None, second
            car, other = (_agreed(a, b) for a, b in zip(first, second, strict=True))
            if car is not None and not _like_a_car(car):
                car = None
            none = car is None and other is None
            return car, other, "what stands out from the table has another shape" if none else ""
        return None, None, why

    def _within(self, reach: float) -> tuple[SeenSize | None, SeenSize | None] | str:
        """As a car and as a box, in the picture so far round the tag; why there is no edge."""
        x0, y0, x1, y1 = _window(self.tag, self.surface, self.image, reach)
        if min(x1 - x0, y1 - y0) < LEAST_PX:
            return "it is too near the edge of the picture"
        part = np.ascontiguousarray(self.image[y0:y1, x0:x1])
        share = MOST_PX / max(part.shape[:2])
        car, other = (self._round(shape, part, (x0, y0)) for shape in ("car", "other"))
        seen = silhouette(_smaller(car, share))
        if isinstance(seen, str):
            return seen
        return (
            self._size("car", car, share, seen, (x0, y0)),
            self._size("other", other, share, seen, (x0, y0)),
        )

    def _top(self, shape: str) -> tuple[float, float]:
        """How high the tag is taken to sit, and how surely."""
        if self.height is not None:
            return max(self.height, 0.05), TYPED_SD_IN
        if shape == "car":
            return ROOF_IN, ROOF_SD_IN
        return max(top_by_size(self.surface, self.tag.corners, self.printed), 0.2), TOP_SD_IN

    def _round(self, shape: str, part: Image, begins: tuple[int, int]) -> Round:
        car, height = shape == "car", self._top(shape)[0]
        body = CARS["sedan"] if car else _BOX
        return _round(self.tag, self.others, self.surface, part, begins, height, body, self.printed, car)

    def _size(
        self, shape: str, around: Round, share: float, seen: Mask, begins: tuple[int, int]
    ) -> SeenSize | None:
        best, fit = fitted(_smaller(around, share), seen, Edges(1.0, -1.0, 1.0, -1.0, 0.0))
        if fit < LEAST_FIT[shape]:
            return None
        along, across = best.front - best.rear, best.left - best.right
        height, sd_height = self._top(shape)
        # What is seen at the top is as much further out as the top is higher, away from the camera's foot.
        foot = self.surface.camera_position
        at = self.surface.table_from_image(self.tag.corners, height)
        away = at.mean(axis=0) - foot[:2]
        slope = float(np.hypot(*away)) / (float(foot[2]) - height)
        lean = slope * sd_height * (CAR_WIDEST[1] - CAR_WIDEST[0] if shape == "car" else 1.0)
        ahead = (at[0] + at[1] - at[2] - at[3]) / 2
        between = math.atan2(*away[::-1]) - math.atan2(*ahead[::-1]) + best.turn
        per_inch = min(share, 1.0) * self.tag.side / self.printed
        edge = math.sqrt(2) * math.hypot(EDGE_SD_IN, EDGE_SD_PX / per_inch)
        return SeenSize(
            along,
            across,
            math.hypot(edge, lean * math.cos(between), self.print_scale * along),
            math.hypot(edge, lean * math.sin(between), self.print_scale * across),
            hull_of(around, best) + begins,
        )


def _agreed(one: SeenSize | None, other: SeenSize | None) -> SeenSize | None:
    """The middle of both looks; None where they differ."""
    if one is None or other is None:
        return None
    if max(abs(one.along - other.along), abs(one.across - other.across)) > AGREE_IN:
        return None
    return replace(one, along=(one.along + other.along) / 2, across=(one.across + other.across) / 2)


def _like_a_car(size: SeenSize) -> bool:
    """Whether some model is about as large, whichever way its tag is turned."""
    long, wide = sorted((size.along, size.across), reverse=True)
    return any(
        1 / LONGER < long / body.length < LONGER and 1 / WIDER < wide / body.width < WIDER
        for body in CARS.values()
    )


def _off(size: SeenSize, body: Body) -> tuple[float, float]:
    """By how many deviations a model is longer and wider than what is seen, its nose along or across."""
    if size.along >= size.across:
        return (body.length - size.along) / size.sd_along, (body.width - size.across) / size.sd_across
    return (body.length - size.across) / size.sd_across, (body.width - size.along) / size.sd_along


def _fitting(size: SeenSize | None) -> list[str]:
    """The models that what is seen does not speak against, the likeliest first."""
    if size is None:
        return []
    off = {name: _off(size, body) for name, body in CARS.items()}
    fits = [name for name, by in off.items() if max(map(abs, by)) <= FITS_SDS]
    return sorted(fits, key=lambda name: math.hypot(*off[name]))


def _compared(size: SeenSize, body: Body, top: str) -> tuple[str, bool]:
    """What is said of a model that was chosen, and whether it contradicts what is seen."""
    crosswise = top in ("left", "right")
    seen = (size.across, size.along) if crosswise else (size.along, size.across)
    sds = (size.sd_across, size.sd_along) if crosswise else (size.sd_along, size.sd_across)
    own = (body.length, body.width)
    off = [(o - s) / sd for o, s, sd in zip(own, seen, sds, strict=True)]
    says = f"{body.model}, {own[0]:.2f} × {own[1]:.2f} in"
    most = max(range(2), key=lambda k: abs(off[k]))
    if abs(off[most]) <= FITS_SDS:
        return f"{says}: fits what is seen.", False
    how = (("shorter", "longer"), ("narrower", "wider"))[most][off[most] > 0]
    by = f"{abs(own[most] - seen[most]):.2f} in {how} than what is seen"
    if abs(off[most]) <= CONTRADICTS_SDS:
        return f"{says}: {by}. That may still be.", False
    ask = "Another model? Or does the tag's top point elsewhere?"
    return f"{says}: {by} ({abs(off[most]):.0f} deviations). {ask}", True


def _size_words(size: SeenSize) -> str:
    to = 1.96 * max(size.sd_along, size.sd_across)
    return f"Seen: {size.along:.2f} × {size.across:.2f} in, each to ±{to:.2f} (95 %)."


def _car_words(size: SeenSize) -> str:
    fits = _fitting(size)
    if not fits:
        return f"{_size_words(size)} No model of the catalogue is that large."
    first = CARS[fits[0]]
    like = f"{fits[0]} {first.length:.2f} × {first.width:.2f} in"
    others = [f"or {', '.join(fits[1:NAMED])}"] if fits[1:] else []
    says = f"{_size_words(size)} Looks like {', '.join([like, *others])}."
    if size.across > size.along:
        says += " Its tag sits crosswise: say so under Tag and height."
    return says


def _other_words(size: SeenSize) -> str:
    return f"{_size_words(size)} Offered as length and width: type what is right."


def _no_car(other: SeenSize | None, why: str) -> str:
    """What is said where nothing as large as a car was found."""
    if other is None:
        return f"No clear edge: {why or 'what stands out is no car'}."
    return f"{_size_words(other)} No car is of that size."


def _told(size: SeenSize, begins: tuple[int, int], words: str) -> FitSizeView:
    return FitSizeView(
        length_in=round(size.along, 2),
        width_in=round(size.across, 2),
        to_in=(round(1.96 * size.sd_along, 2), round(1.96 * size.sd_across, 2)),
        outline=_points(size.outline - begins),
        words=words,
    )


def _points(outline: FloatArray) -> list[tuple[float, float]]:
    return [(round(float(x), 1), round(float(y), 1)) for x, y in outline]
