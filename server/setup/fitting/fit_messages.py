"""What the page is told of a piece that is being measured, and what it asks for. Inches and degrees."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from server.web.messages import Model


class MountView(Model):
    """How a piece's tag sits on it: height above the table, place and turn on the piece, with deviations."""

    height_in: float
    sd_height_in: float
    at_in: tuple[float, float]
    sd_at_in: float
    turn_deg: float
    sd_turn_deg: float


class FitMeasuringView(Model):
    """A piece that is being put on the corner tags. `words` say what to do now.

    `stated` is what the table file says, `found` what the camera has seen at so many `places`. `may_keep`
    says that something of it is surer than what the file says, `of_both` that what the file says of the
    height counts in what was found of it.
    """

    name: str
    words: str
    places: int
    stated: MountView
    found: MountView | None
    may_keep: bool
    of_both: bool = False


class MeasurePiece(Model):
    """Begin to measure a piece (again), keep what was found, or stop."""

    name: Annotated[str, Field(min_length=1, max_length=40)]
    how: Annotated[str, Field(pattern="^(begin|keep|stop)$")] = "begin"


class MatView(Model):
    """Where the mat ends, as the camera sees it, offered as the table's outline.

    `outline` is the rectangle in the picture; empty where there is nothing to take. `words` say what was
    found on each side.
    """

    outline: list[tuple[float, float]]
    words: str
    may_take: bool


Plane = Annotated[list[float], Field(min_length=9, max_length=9)]
"""A homography, row by row: from inches about the tag's centre, x to its printed top, to pixels."""


class OutlineView(Model):
    """A piece's outline to be fitted over the picture round it.

    `size` is that of the picture `look`, pixels. `low` and `high` are the heights between which the piece is
    widest, in the picture. `shape` is its outline in shares of its length from the tail and of its width from
    the right. The four edges are inches from the tag's centre along the body's axes, ahead and to the left;
    `turn_deg` is the tag's printed top against the nose. `sure_in` is how well an edge can be fitted here,
    one standard deviation.
    """

    name: str
    look: int
    size: tuple[int, int]
    low: Plane
    high: Plane
    shape: list[tuple[float, float]]
    front_in: float
    rear_in: float
    left_in: float
    right_in: float
    turn_deg: float
    sure_in: float
    words: str
    may_tap: bool
    """Whether its corners may be tapped instead: of anything but a car."""


class EdgesView(Model):
    """Where the camera sees a piece end, to begin with; the fields are those of `OutlineView`.

    Without a `clear` edge the outline is as it was, and `words` say why none is found.
    """

    clear: bool
    words: str
    front_in: float
    rear_in: float
    left_in: float
    right_in: float
    turn_deg: float
    sure_in: float


class FitOutline(Model):
    """Fit this piece's outline over the picture that was looked at last."""

    name: Annotated[str, Field(min_length=1, max_length=40)]


Edge = Annotated[float, Field(ge=-60.0, le=60.0)]


class KeepOutline(Model):
    """An outline as it was fitted; the fields are those of `OutlineView`.

    `by_camera` says that the camera found edges of it, which are less sure than a hand's.
    """

    name: Annotated[str, Field(min_length=1, max_length=40)]
    front_in: Edge
    rear_in: Edge
    left_in: Edge
    right_in: Edge
    turn_deg: Annotated[float, Field(ge=-360.0, le=360.0)]
    by_camera: bool = False


Pixel = tuple[float, float]
"""A place in the picture of a look, pixels; (0, 0) is the centre of its top-left one."""

Level = Literal["table", "top"]
"""At which height the corners were tapped: where the piece meets the table, or its top edge."""


class TapView(Model):
    """The picture in which a piece's outline is tapped, corner by corner.

    `size` is that of the picture `look`, `begins` where it begins in the camera's, `shown` the part of it
    round the piece (x, y, width, height), pixels. `stated` is the outline of the table file at both levels.
    `per_inch` is how many pixels an inch has here, `height_in` how high the piece is taken to be.
    """

    name: str
    look: int
    size: tuple[int, int]
    begins: tuple[int, int]
    shown: tuple[int, int, int, int]
    per_inch: float
    height_in: float
    stated: dict[Level, list[Pixel]]
    words: str


class Tap(Model):
    """A corner in the picture of a look.

    `by` says how it was put there, `zoom` how many pixels of the screen one of the picture had: a finger
    does not hit a place as well as the arrow keys do.
    """

    at: Pixel
    by: Literal["finger", "drag", "mouse", "keys", "file"]
    zoom: Annotated[float, Field(ge=0.05, le=100.0)] = 1.0


class TapOutline(Model):
    """The corners of a piece's outline in their order round it, as they are tapped now."""

    name: Annotated[str, Field(min_length=1, max_length=40)]
    look: int
    level: Level
    height_in: Annotated[float, Field(ge=0.0, le=100.0)]
    taps: Annotated[list[Tap], Field(max_length=200)]


class TappedView(Model):
    """What the tapped corners make.

    `refused` says why this is no outline yet; None where it may be kept. `sure_in` is how surely each corner
    is known against the tag, one standard deviation either way. `other` is the same outline at the other
    level, in the picture.
    """

    refused: str | None
    sure_in: list[float]
    other: list[Pixel]
    size_in: tuple[float, float] | None
    words: str


TagId = Annotated[int, Field(ge=0, le=100_000)]


class LookAtTag(Model):
    """Look how large the piece is that carries a tag which nobody has named.

    `printed_in` is the side of its black square, `height_in` how high it sits where somebody has said so.
    """

    tag: TagId
    printed_in: Annotated[float, Field(gt=0.0, le=20.0)]
    height_in: Annotated[float, Field(gt=0.0, le=40.0)] | None = None


class FitSizeView(Model):
    """How large a piece is seen to be along its tag and across it, each to so many inches (95 %).

    `outline` is what was found, in the picture of the look.
    """

    length_in: float
    width_in: float
    to_in: tuple[float, float]
    outline: list[Pixel]
    words: str


class SightView(Model):
    """What is seen of a piece that nobody has named.

    `size` is that of the picture `look`, pixels. `car` is its size if it is a car, `other` if it is a box;
    where one is None, `no_car` or `no_other` says why. `fits` are the models that it may be, the likeliest
    first. A tag that moves by more than `again_px` is to be looked at anew.
    """

    tag: int
    look: int
    size: tuple[int, int]
    car: FitSizeView | None
    other: FitSizeView | None
    no_car: str
    no_other: str
    fits: list[str]
    again_px: float


class TryModel(Model):
    """Draw this model over the picture of a look, the tag's printed top towards its nose or a side."""

    tag: TagId
    look: int
    model: Annotated[str, Field(min_length=1, max_length=40)]
    top: Literal["nose", "left", "tail", "right"] = "nose"


class ModelTried(Model):
    """A model's outline in the picture of a look, and in words whether it `contradicts` what is seen."""

    outline: list[Pixel]
    words: str
    contradicts: bool
