"""What the set-up page is told, and what it asks for. Inches, degrees, and pixels of the whole picture."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engine.space.pieces import PieceKind
from server.setup.fitting.fit_messages import FitMeasuringView
from server.web.messages import Model

Px = tuple[float, float]
Inches = Annotated[float, Field(gt=0.0, le=100.0)]
TagId = Annotated[int, Field(ge=0, le=100_000)]
CalledName = Annotated[str, Field(min_length=1, max_length=40)]


class KeptView(Model):
    """A kept table to choose."""

    name: str
    current: bool
    written: bool


class TagView(Model):
    """A tag in the picture: its corners, and what carries it ("" while nobody has said)."""

    tag: int
    corners: list[Px]
    what: Literal["corner", "piece", "unknown"]
    name: str


class ModelView(Model):
    """A car model to choose by its picture: outline and tyres in its own frame, nose along x."""

    model: str
    outline: list[Px]
    tyres: list[Px]
    height_in: float


class CardView(Model):
    """A tag that nobody has named: how large it looks, and by which name the next piece could go.

    `side_in` is its black square's side if it is so high above the table as `at_height_in`; None before the
    table is found. `printed_in` is the size that is printed for such tags and comes nearest.
    """

    tag: int
    side_in: float | None
    printed_in: float
    at_height_in: float


class NamedPiece(Model):
    """A piece of the table file. `seen` says whether its tag has been read lately."""

    name: str
    kind: PieceKind
    owner: str | None
    colour: str | None
    model: str
    tag: int | None
    seen: bool
    height: str
    """How high its tag sits and how surely, in words; empty without a tag."""
    outline: list[Px]
    """Its outline on the table, in the picture; empty while it is not seen."""


class SurfaceState(Model):
    """The table under the camera.

    `corners` are the ids of the corner tags, `seen` those of them in view. `found` says that its outline is
    known, `kept` that it is written to the table file. `sure_in` is how well a distance of 20 inches across
    its middle is known (95 %). `handles` are the corners of a kept rectangle in the picture, from the near
    left one counter-clockwise; empty where there is nothing to drag.
    """

    corners: list[int]
    seen: list[int]
    found: bool
    kept: bool
    words: str
    outline: list[Px]
    handles: list[Px]
    size_in: tuple[float, float] | None
    corner_size_in: float
    sure_in: float | None
    gains: list[str]


class SheetState(Model):
    """A sheet of paper that tells the printer's scale.

    `uncut` says that the corner tags are still on it. `paper` is its size and None where there is no scale to
    take; `words` say what is seen, or why nothing is. `outline` is the sheet in the picture. `taken` says
    which scale somebody took over.
    """

    uncut: bool
    paper: Literal["letter", "a4"] | None
    words: str
    outline: list[Px]
    taken: str


class ThingCard(Model):
    """Something that may become terrain without a tag: its outline in the picture, pixels."""

    name: str
    words: str
    outline: list[Px]


class SetupView(Model):
    """Everything that the page shows. `next` says what to do now."""

    may_change: bool
    why: str | None
    next: str
    step: Literal["camera", "surface", "pieces", "play"]
    table: str
    file: str | None
    mistake: str
    tables: list[KeptView]
    looked: int
    size: tuple[int, int] | None
    tags: list[TagView]
    surface: SurfaceState
    sheet: SheetState
    cards: list[CardView]
    pieces: list[NamedPiece]
    models: list[ModelView]
    things: list[ThingCard]
    away: list[str]
    findings: list[str]
    measuring: FitMeasuringView | None


class KeepSurface(Model):
    """Keep the table as it is outlined.

    `corner_size_in` is the side of the corner tags' black square; None is what they are taken for now.
    """

    corner_size_in: Inches | None = None


class ChooseCorners(Model):
    """Take these four tags for the table's corners, before it is kept."""

    tags: Annotated[list[TagId], Field(min_length=1, max_length=100)]


class MoveCorner(Model):
    """Put a corner of the table's rectangle elsewhere: two of its sides move.

    `corner` counts from the near left one counter-clockwise; `to` is where it goes in the picture, or `by_in`
    how far it goes in inches.
    """

    corner: Annotated[int, Field(ge=0, le=3)]
    to: Px | None = None
    by_in: tuple[float, float] | None = None


class TakeSheet(Model):
    """Take the printer's scale from the sheet in view, which is of this `paper`."""

    paper: Literal["letter", "a4"]


class KnownLength(Model):
    """A length that somebody measured: the printed bar of 100 mm, or between two corner tags' centres."""

    bar_mm: Annotated[float, Field(ge=50.0, le=200.0)] | None = None
    between: tuple[TagId, TagId] | None = None
    length_in: Annotated[float, Field(gt=1.0, le=600.0)] | None = None


class NamePiece(Model):
    """What an unknown tag is on. A car, truck or trailer has a `model`; the others their measures.

    `top` says where the printed top of the tag points. `seen_to_in` says that length and width are as the
    camera saw them, each to so many inches (95 %).
    """

    tag: TagId
    name: CalledName
    kind: PieceKind
    owner: CalledName | None = None
    model: CalledName | None = None
    length_in: Inches | None = None
    width_in: Inches | None = None
    height_in: Inches | None = None
    seen_to_in: Inches | None = None
    tag_size_in: Inches = 0.9
    top: Literal["nose", "left", "tail", "right"] = "nose"


class DropPiece(Model):
    """Take a piece out of the table file."""

    name: CalledName


class ChooseTable(Model):
    """Go on with another kept table, begin a new one, or copy the running one under another name."""

    name: CalledName
    how: Literal["use", "new", "copy"] = "use"
