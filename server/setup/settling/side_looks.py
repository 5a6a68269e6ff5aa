"""A thing's height by a second look: a photograph from the side, and a tap on the thing's top in it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import Field
from shapely import Polygon

from calibration.surface import Surface
from calibration.tablefile import TableFile
from engine.errors import TableRefError
from engine.space.geometry import FloatArray
from engine.space.table import Thing
from server.pipeline.photo import seen_from_side
from server.pipeline.referee import Moment
from server.setup.cameras.phone import MAX_PIXELS, jpeg_size
from server.web.messages import Model, refusals
from vision.places import foot_of
from vision.side import SideHeight, height_from_side
from vision.sources.files import decode_picture

PATH = "/api/things/look"

# So many looks are kept until their things are named; and a page shows this much of a photograph, from the
# table up to this height, inches, with so much of it about.
KEPT = 6
SHOWN_IN, MARGIN = 4.0, 0.25
# An outline that is off by so many inches or more is another place.
MOVED_IN = 0.25
SHOWN_PX, TAP_PX = 340.0, 3.0
"""Pixels in which a phone's page shows a photograph, and how well a fingertip finds a point of them."""


class Look(Model):
    """The part of a photograph in which a thing is, pixels: left, top, width, height."""

    box: tuple[int, int, int, int]
    words: str


class Tap(Model):
    """The top of a thing, tapped where it is nearest to whoever took the photograph: pixels of it."""

    name: Annotated[str, Field(max_length=80)]
    x: Annotated[float, Field(ge=0.0, le=20_000.0)]
    y: Annotated[float, Field(ge=0.0, le=20_000.0)]


class Height(Model):
    """How high the thing is with its deviation, inches, and in words."""

    height_in: float
    sd_in: float
    words: str


@dataclass(eq=False)
class _Look:
    """A photograph of a thing, which stood there then."""

    side: Surface
    there: Polygon
    tap_px: float
    height: SideHeight | None = None


class SideLooks:
    """Photographs from the side, by the name of the thing that they are of."""

    def __init__(self, table: Callable[[], TableFile], found: Callable[[str], tuple[Moment, Thing]]) -> None:
        self._table = table
        self._found = found
        self._looks: OrderedDict[str, _Look] = OrderedDict()

    def look(self, name: str, picture: bytes) -> Look:
        """Where a thing is in a photograph, JPEG. Raises a `TableRefError` that says what to do."""
        _, thing = self._found(name)
        size = jpeg_size(picture)
        if size is None or not 0 < size[0] * size[1] <= MAX_PIXELS:
            raise TableRefError("expected a JPEG of at most 16 megapixels: take the photograph again")
        image = decode_picture(picture)
        if image is None:
            raise TableRefError("the photograph is damaged: take it again")
        side = seen_from_side(image, self._table())
        box = _box(side, thing.region.outline, (image.shape[1], image.shape[0]))
        self._looks[name] = _Look(side, thing.region.polygon, TAP_PX * box[2] / SHOWN_PX)
        self._looks.move_to_end(name)
        while len(self._looks) > KEPT:
            self._looks.popitem(last=False)
        return Look(box=box, words=f"Tap the top of {name}, where it is nearest to you.")

    def tap(self, asked: Tap) -> Height:
        """How high the thing is whose top was tapped."""
        look, moment, thing = self._look_of(asked.name)
        over = moment.surface
        if not isinstance(over, Surface):
            raise TableRefError(
                "the table is not found in the picture now: show its corner tags, and tap again"
            )
        found = height_from_side(
            look.side, (asked.x, asked.y), lambda h: foot_of(thing, h, over), thing.sd, look.tap_px
        )
        look.height = SideHeight(round(found.height, 2), round(found.sd, 3))
        words = f"{look.height.height:.1f} in high (±{1.96 * look.height.sd:.1f})."
        return Height(height_in=look.height.height, sd_in=look.height.sd, words=words)

    def height_of(self, name: str) -> SideHeight:
        """What the last tap on a thing's top has told. Raises a `TableRefError` if there was none."""
        look = self._look_of(name)[0]
        if look.height is None:
            raise TableRefError(
                f"the height of {name} is not known: tap its top in the photograph, or type it"
            )
        return look.height

    def _look_of(self, name: str) -> tuple[_Look, Moment, Thing]:
        """The photograph of a thing that still stands where it stood in it."""
        look, (moment, thing) = self._looks.get(name), self._found(name)
        if look is None:
            raise TableRefError(
                f"there is no photograph of {name}: take one from the side, or type its height"
            )
        # A thing may go by a name that another one had, or have been moved meanwhile.
        if look.there.hausdorff_distance(thing.region.polygon) > max(MOVED_IN, 2.0 * thing.sd):
            raise TableRefError(f"{name} was moved since it was photographed: take the photograph again")
        return look, moment, thing


def side_router(looks: SideLooks) -> APIRouter:
    """`/api/things/look`: a photograph, then a tap in it."""
    router = APIRouter()
    refused = refusals({409: "It tells nothing"})

    @router.post(PATH, response_model=Look, responses=refused)
    async def look(name: str, request: Request) -> Look:
        """The owner photographs a thing from the side; the body is a JPEG of at most 4 MB."""
        picture = await request.body()
        return await run_in_threadpool(looks.look, name, picture)

    @router.post(f"{PATH}/top", response_model=Height, responses=refused)
    def top(asked: Tap) -> Height:
        """The owner taps the thing's top in the photograph."""
        return looks.tap(asked)

    return router


def _box(side: Surface, outline: FloatArray, size: tuple[int, int]) -> tuple[int, int, int, int]:
    """The part of a photograph that shows what stands within an outline on the table, pixels."""
    layers = [np.column_stack([outline, np.full(len(outline), z)]) for z in (0.0, SHOWN_IN / 2.0, SHOWN_IN)]
    seen = side.project(np.vstack(layers))
    low, high = seen.min(axis=0), seen.max(axis=0)
    about = MARGIN * (high - low)
    left, top = np.clip(low - about, 0, np.array(size) - 1)
    right, bottom = np.clip(high + about, 0, np.array(size))
    if right - left < 8 or bottom - top < 8:
        raise TableRefError("the thing is not in the photograph: take it with the thing in the middle")
    return int(left), int(top), int(right - left), int(bottom - top)
