"""The messages between page and server, and the shapes that the page draws.

Everything is worked out here and the page draws it: outlines come in the space of the viewer's
view (`table`: inches, x right, y up; `picture`: pixels of the camera's picture, y down, (0, 0)
the centre of the top-left pixel), numbers come as text in the viewer's unit beside their values
in inches, seconds and radians. `docs/protocol.md` describes every message.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from engine.game.showing import Role
from engine.space.pieces import Look, PieceKind
from server.formats.units import LengthUnit
from server.pipeline.runner import PlaybackInfo
from server.table.questions.ruling_messages import DisputeView, Outline, Point, RulingView, VerdictWord
from server.web.messages import Model, Name

_Point = tuple[float, float]


class BoardName(Model):
    """A name on the board: its middle, and how high its letters are there, in the viewer's space."""

    at: _Point
    words: str
    height: float


class BoardView(Model):
    """The board in the viewer's space: thin `lines` and `bold` ones, filled `dots`, and names."""

    lines: list[list[_Point]]
    bold: list[list[_Point]]
    dots: list[list[_Point]]
    names: list[BoardName]


class RoadPiece(Model):
    """A piece on the whole of a road: its outline there, and how far it has come."""

    name: str
    colour: str
    outline: list[_Point]
    covered: float | None
    """Inches along the road from where it began; None for what no player drives."""
    words: str


class RoadView(Model):
    """A rolling road as it lies on the ground, inches: along it from its beginning, across it from its right.

    The table covers what lies between `since` and `until` of it.
    """

    since: float
    until: float
    width: float
    words: str
    pieces: list[RoadPiece]


PROTOCOL = 1

View = Literal["table", "picture"]
QuestionKey = Annotated[str, Field(min_length=1, max_length=400)]
"""The key or the label of a question."""

MOST_PICKED = 8
"""Pieces that one question may be about."""


# What is drawn


class Detail(Model):
    """A part of a drawn car."""

    part: Literal["cabin", "window", "nose", "light", "tyre"]
    outline: Outline


class Shape(Model):
    """How a piece is drawn in the viewer's view.

    `base` is its footprint on the table, `top` the same at the height of its roof (only in the
    picture, where the two differ). `uncertainty` encloses the place of its middle with 95 %.
    """

    base: Outline
    top: Outline | None
    details: list[Detail]
    uncertainty: Outline
    middle: Point
    handle: Point
    """A little way ahead of the nose: where a hand may take hold to turn it."""
    pivot: Point
    """What it turns about in a hand: its rear axle, or its middle where it has none or stands in a cell."""


class PieceView(Model):
    """One piece as the page shows it."""

    name: str
    kind: PieceKind
    driven: bool
    """Whether a player drives it."""
    pulled_by: str | None
    """The piece on which it hangs, as a trailer does."""
    look: Look
    owner: str | None
    sign: str
    """A letter for the owner, so that colour is never the only sign; empty without an owner."""
    pattern: Literal["plain", "stripes", "dots", "chequer"]
    colour: str
    model: str
    x: float
    y: float
    heading: float
    status: Literal["still", "moving", "held", "lost"]
    status_words: str
    age: float
    """Seconds since the camera last saw it."""
    place_words: str
    deviation_words: str
    shape: Shape | None
    """None while the picture's place over the table is not known."""


class Rule(Model):
    """A line of a known length, to judge sizes by."""

    line: Outline
    words: str


class TableView(Model):
    """The surface and what helps to read it. Where a `board` is drawn, no `grid` is."""

    outline: Outline
    grid: list[Outline]
    board: BoardView | None
    scale: Rule | None
    size_words: str


class Bounds(Model):
    """The part of the viewer's space that is worth showing."""

    x: float
    y: float
    width: float
    height: float


class SurfaceInfo(Model):
    """How well the table's place under the camera is known. Residual in inches."""

    residual: float
    residual_words: str
    note: str


class SourceInfo(Model):
    """Where the pictures come from and how it is doing."""

    name: str
    state: Literal["starting", "running", "lost", "ended", "stopped"]
    words: str
    can_move: bool
    film: bool = False
    """Whether it was taken before: nobody can do anything on that table."""
    board: str = "free"
    """The kind of board that the table has."""
    blind: str = ""
    began: float | None
    """When its first picture was taken, on its own clock like a state's `time`; None before that."""


class Rates(Model):
    """How fast it goes. `delay` is from the frame's arrival to the page having drawn it, seconds."""

    fps: float
    seeing: float
    delay: float | None
    words: str


class EventView(Model):
    """Something that happened at the table, `time` seconds after the source began.

    `entry` is its number in the record of the game, null where nothing is recorded. `undone`: by the time
    that is shown it had been taken back.
    """

    number: int
    entry: int | None
    time: float
    time_words: str
    kind: str
    piece: str | None
    words: str
    undone: bool = False


class QuestionView(Model):
    """Something that may be asked of the pieces that are picked.

    `key` chooses it, `label` is short and stands under `heading`, `words` is the whole question. `missing`
    says which piece is still to be picked before it can be answered.
    """

    key: str
    label: str
    words: str
    more: str
    heading: str
    missing: str


class MarkView(Model):
    """Something that the game draws on the table; `role` says what it means, and so how it is drawn."""

    shape: Literal["polygon", "line", "label"]
    role: Role
    points: Outline
    words: str
    verdict: VerdictWord | None
    piece: str | None


class WayView(Model):
    """A car that has left its rest: the way of its front, where it stood, and what it was so far."""

    car: str
    path: Outline
    start: Outline
    length_words: str
    steps: list[str]


class ThingView(Model):
    """Something on the table that nobody has named: its outline in the viewer's space, and words."""

    name: str
    shape: Outline
    words: str


class Selection(Model):
    """What this viewer asks: the pieces that are picked, and the key of a question; None means the usual."""

    pieces: list[str]
    question: str | None
    view: View
    unit: LengthUnit


# Server to page


class Picture(Model):
    """The size of the camera's picture in pixels, and whether one follows as a binary message."""

    width: int
    height: int
    follows: bool


class State(Model):
    """Everything: the first message on a connection, and again after each change of view or unit."""

    type: Literal["state"] = "state"
    protocol: int = PROTOCOL
    number: int
    time: float | None
    selection: Selection
    bounds: Bounds | None
    table: TableView | None
    pieces: list[PieceView]
    picture: Picture | None
    source: SourceInfo
    playback: PlaybackInfo | None = None
    """None where the table is live."""
    road: RoadView | None = None
    """Of a recorded game on a road that rolls."""
    rates: Rates
    surface: SurfaceInfo | None
    notices: list[str]
    events: list[EventView]
    book: str
    questions: list[QuestionView]
    """What may be asked of the pieces that are picked."""
    asked: str | None
    """The key of the one that is asked."""
    reach: list[MarkView]
    ruling: RulingView | None
    refusal: str | None
    """Why there is no ruling although one was asked for."""
    turn: int | None = None
    dispute: DisputeView | None = None
    ways: list[WayView] = Field(default_factory=list)
    things: list[ThingView] = Field(default_factory=list)
    away: list[str] = Field(default_factory=list)


class StateChange(Model):
    """What is different since the last message: only the fields that are in it have changed.

    `pieces` holds new or different ones, `gone` the names of those to take away, `events` only new ones.
    """

    type: Literal["change"] = "change"
    number: int
    time: float | None
    selection: Selection | None = None
    bounds: Bounds | None = None
    table: TableView | None = None
    pieces: list[PieceView] = Field(default_factory=list)
    gone: list[str] = Field(default_factory=list)
    picture: Picture | None = None
    source: SourceInfo | None = None
    playback: PlaybackInfo | None = None
    road: RoadView | None = None
    rates: Rates | None = None
    surface: SurfaceInfo | None = None
    notices: list[str] = Field(default_factory=list)
    events: list[EventView] = Field(default_factory=list)
    questions: list[QuestionView] = Field(default_factory=list)
    asked: str | None = None
    reach: list[MarkView] = Field(default_factory=list)
    ruling: RulingView | None = None
    refusal: str | None = None
    turn: int | None = None
    dispute: DisputeView | None = None
    ways: list[WayView] = Field(default_factory=list)
    things: list[ThingView] = Field(default_factory=list)
    away: list[str] = Field(default_factory=list)


class Refused(Model):
    """A message that was not acted on, and why."""

    type: Literal["refused"] = "refused"
    about: str
    error: str


class Taken(Model):
    """The answer to one picture of a phone that is the camera."""

    type: Literal["taken"] = "taken"
    number: int
    good: bool
    """False if the picture was damaged or too large."""
    words: str


# Page to server


class Select(Model):
    """Ask about pieces, the asking one first, or about nothing; without a `question` the usual one."""

    type: Literal["select"]
    pieces: Annotated[list[Name], Field(max_length=MOST_PICKED)] = Field(default_factory=list)
    question: QuestionKey | None = None


class Show(Model):
    """How this viewer wants to see it."""

    type: Literal["show"]
    view: View
    unit: LengthUnit


class PutPiece(Model):
    """Put a piece of a simulated table elsewhere: inches and radians."""

    type: Literal["move"]
    piece: Name
    x: Annotated[float, Field(ge=-1000, le=1000)]
    y: Annotated[float, Field(ge=-1000, le=1000)]
    heading: Annotated[float, Field(ge=-100, le=100)]


class LiftPiece(Model):
    """Take a piece of a simulated table off it, as a hand does that lifts it; `move` puts it down again."""

    type: Literal["lift"]
    piece: Name


class LayHand(Model):
    """Lay a hand over a simulated table, its palm at a place in inches; without one it goes away."""

    type: Literal["hand"]
    at: tuple[Annotated[float, Field(ge=-1000, le=1000)], Annotated[float, Field(ge=-1000, le=1000)]] | None


class Follow(Model):
    """Show what a player asked last on any page, instead of what this viewer asks."""

    type: Literal["follow"]


class SeekPlayback(Model):
    """Look at another moment of a recorded game, seconds of its own time; it plays on if it was playing."""

    type: Literal["seek"]
    at_s: Annotated[float, Field(ge=0, le=1e7)]


class PlayBack(Model):
    """Play a recorded game at so many times its own speed; 0 stands still."""

    type: Literal["play"]
    rate: Annotated[float, Field(ge=0, le=16)]


class StepPlayback(Model):
    """Go to the next or last picture or entry of a recorded game, and stand still there."""

    type: Literal["step"]
    by: Literal["frame", "event"]
    forward: bool


class Drawn(Model):
    """The page has drawn the message of that number; until then the server sends no more."""

    type: Literal["drawn"]
    number: Annotated[int, Field(ge=0)]


FromPage = Annotated[
    Select | Show | PutPiece | LiftPiece | LayHand | Follow | Drawn, Field(discriminator="type")
]

TO_PAGE: tuple[type[Model], ...] = (State, StateChange, Refused, Taken)
FROM_PAGE: tuple[type[Model], ...] = (
    Select,
    Show,
    PutPiece,
    LiftPiece,
    LayHand,
    Follow,
    Drawn,
    SeekPlayback,
    PlayBack,
    StepPlayback,
)

from_page: TypeAdapter[Select | Show | PutPiece | LiftPiece | LayHand | Follow | Drawn] = TypeAdapter(
    FromPage
)

from_replay: TypeAdapter[SeekPlayback | PlayBack | StepPlayback | Select | Show | Drawn] = TypeAdapter(
    Annotated[SeekPlayback | PlayBack | StepPlayback | Select | Show | Drawn, Field(discriminator="type")]
)
"""What a page that shows a recorded game may say."""


# The HTTP side


class FoundView(Model):
    """What a number is, by all else that is seen, with its deviation."""

    value: float
    sd: float


class DoubtView(Model):
    """A stated number that contradicts what is seen; inches, or a share, or pixels of focal length."""

    kind: str
    tags: list[int]
    stated: float
    found: FoundView | None
    chance: float
    words: str


class Health(Model):
    """Whether the referee runs, and whether what is stated of the table fits what is seen.

    `consistent`, and the chi-square with its degrees of freedom, are null until the corner tags are found.
    Where it is false nothing is ruled. `another_camera`: another one may answer than was calibrated.
    """

    ok: bool
    state: Literal["starting", "running", "lost", "ended", "stopped"]
    words: str
    fps: float
    consistent: bool | None = None
    chi_square: float | None = None
    freedom: int | None = None
    doubts: list[DoubtView] = Field(default_factory=list)
    another_camera: bool = False
