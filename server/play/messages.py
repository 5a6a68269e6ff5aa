"""The messages of a played game, over `/ws/play`. `docs/protocol.md` describes each.

The server decides and the page draws: a state is told whole, first and after every change.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from server.web.authentication import Role
from server.web.messages import Model, Name

Key = Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9-]+$")]
"""Made up by the page for each thing that somebody does: told twice, it is done once."""

Colour = Annotated[str, Field(pattern=r"^#[0-9a-f]{6}$")]
Automatic = Literal["see", "ask"]
Phase = Literal["setup", "match"]


# What both sides know: a game that is being set up


class DraftPlayer(Model):
    """A player of a game to come."""

    name: Annotated[str, Field(min_length=1, max_length=40)]
    colour: Colour


class DraftCar(Model):
    """A car of a game to come. `speed` None is the house's."""

    name: Name
    owner: Annotated[str, Field(min_length=1, max_length=40)]
    brand: Annotated[str, Field(max_length=40)]
    primary: Annotated[str, Field(max_length=40)]
    secondary: Annotated[str, Field(max_length=40)]
    speed: Annotated[int, Field(ge=1, le=6)] | None = None


class Draft(Model):
    """A game as it is being set up. Players sit in this order, each to the right of the one before."""

    players: Annotated[list[DraftPlayer], Field(max_length=12, default_factory=list)]
    cars: Annotated[list[DraftCar], Field(max_length=60, default_factory=list)]
    first: Annotated[str, Field(max_length=40)] | None = None
    deployment: Annotated[str, Field(max_length=40)] | None = None
    house: dict[str, Any] = Field(default_factory=dict)


class Modes(Model):
    """What is done by itself and what is asked. `dice`: rolled here, or typed from the table.

    `shots`, `moves` and `places`: measured on the table, or said by the players.
    """

    dice: Literal["roll", "type"] = "roll"
    shots: Automatic = "see"
    moves: Automatic = "see"
    places: Automatic = "see"


# Page to server


class Act(Model):
    """Do something in the game. `player` is for whom; the owner may leave it out and act as the referee."""

    type: Literal["act"]
    key: Key
    kind: Annotated[str, Field(max_length=40)]
    player: Name | None = None
    data: dict[str, Any] = Field(default_factory=dict)
    dice: Annotated[list[int], Field(max_length=60)] | None = None
    """What the table's dice showed, in the order asked for; None rolls here."""


class Undo(Model):
    """Take back what was done last."""

    type: Literal["undo"]
    key: Key


class Redo(Model):
    """Bring back what was undone last."""

    type: Literal["redo"]
    key: Key


class Overrule(Model):
    """Set a field of the game's state, named by its way through the state, with the reason."""

    type: Literal["overrule"]
    key: Key
    path: Annotated[list[str | int], Field(min_length=1, max_length=8)]
    value: Any = None
    words: Annotated[str, Field(min_length=1, max_length=200)]


class SetUp(Model):
    """The game to come as it should be. With `before`, refused unless that is what it is now."""

    type: Literal["setup"]
    key: Key
    draft: Draft
    before: Draft | None = None


class Begin(Model):
    """Begin the game that was set up."""

    type: Literal["begin"]
    key: Key


class Anew(Model):
    """End the game and set up another one, with the same players and cars."""

    type: Literal["anew"]
    key: Key


class Sit(Model):
    """This device is that player's; null stands up."""

    type: Literal["sit"]
    key: Key
    player: Name | None


class Free(Model):
    """Whoever has that player's seat gives it up."""

    type: Literal["free"]
    key: Key
    player: Name


class SetModes(Model):
    """What is done by itself from now on."""

    type: Literal["modes"]
    key: Key
    modes: Modes


Request = Act | Undo | Redo | Overrule | SetUp | Begin | Anew | Sit | Free | SetModes
FROM_PLAYER: tuple[type[Model], ...] = (
    Act, Undo, Redo, Overrule, SetUp, Begin, Anew, Sit, Free, SetModes,
)  # fmt: skip

from_player: TypeAdapter[Request] = TypeAdapter(Annotated[Request, Field(discriminator="type")])


# Server to page


class ReasonView(Model):
    """Why something may not be done. `open`: too close to call, so the players may decide."""

    words: str
    citation: str
    open: bool


class WantedDie(Model):
    """A die to roll on the table and to type."""

    sides: int
    why: str


class Answer(Model):
    """What became of a request. Not accepted, it has every reason, or the dice that it wants."""

    type: Literal["answer"] = "answer"
    key: str
    number: int = 0
    """The game's number after this, so that a page knows an older state when it hears one."""
    accepted: bool
    error: str | None = None
    reasons: list[ReasonView] = Field(default_factory=list)
    wanted: list[WantedDie] = Field(default_factory=list)
    given: list[int | str] = Field(default_factory=list)


class OptionView(Model):
    """What may be done now, for a button. `mine`: whoever looks may do it."""

    kind: str
    player: str | None
    words: str
    data: dict[str, Any]
    mine: bool


class LogLine(Model):
    """Something that happened. `undone`: it was taken back."""

    number: int
    batch: int
    kind: str
    words: str
    citation: str
    undone: bool


class Seat(Model):
    """A player, and whether some device has the seat."""

    player: str
    colour: str
    taken: bool


class Me(Model):
    """Who looks, and what they may do."""

    role: Role
    player: str | None
    owner: bool
    acts: bool
    may_undo: bool


class MatchView(Model):
    """The game that is played. `state` is the engine's own; `sheets` are its cars' record sheets."""

    state: dict[str, Any]
    sheets: list[dict[str, Any]]
    options: list[OptionView]
    undoable: str | None
    redoable: str | None
    log: list[LogLine]
    shots: list[dict[str, Any]] | None
    """Every target of the car whose turn it is, when a shot may be asked for; else null."""
    ghosts: list[dict[str, Any]]
    """Where cars must stand that a rule put elsewhere: `outline` in inches, `right` once they do."""


class PlayState(Model):
    """Everything that a page of the game shows."""

    type: Literal["play"] = "play"
    number: int
    game: str
    phase: Phase
    me: Me
    seats: list[Seat]
    draft: Draft
    catalogue: dict[str, Any]
    modes: Modes
    match: MatchView | None
    driving: dict[str, Any] | None
    trouble: str | None


class DrivingNews(Model):
    """Only the driving has changed."""

    type: Literal["driving"] = "driving"
    driving: dict[str, Any] | None


TO_PLAYER: tuple[type[Model], ...] = (PlayState, DrivingNews, Answer)
