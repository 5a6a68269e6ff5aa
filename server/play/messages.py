"""The messages of a played game, over `/ws/play`. `docs/protocol.md` describes each.

The server decides and the page draws: a state is told whole, first and after every change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, Field, TypeAdapter, model_validator

from engine.driver.characters import LevelName, TemperName
from server.formats import units
from server.play.drafts import Draft
from server.web.authentication import Role
from server.web.messages import Model, Name

Key = Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9-]+$")]
"""Made up by the page for each thing that somebody does: told twice, it is done once."""

Told = Annotated[str, AfterValidator(units.retold)]
"""What the engine says: its inches are written as every card of the page writes them."""

Automatic = Literal["see", "ask"]
Phase = Literal["setup", "match"]


class Modes(Model):
    """What is done by itself and what is asked. `dice`: rolled here, or typed from the table.

    `moves` and `questions`: measured on the table, or said by the players. `coach`: whoever's turn it is may
    ask what they can do.
    """

    dice: Literal["roll", "type"] = "roll"
    moves: Automatic = "see"
    questions: Automatic = "see"
    coach: bool = False

    @model_validator(mode="before")
    @classmethod
    def _older(cls, data: Any) -> Any:
        """Older records switch `shots`, and `places` apart from `moves`."""
        if not isinstance(data, Mapping) or not {"shots", "places"} & data.keys():
            return data
        moves = "ask" if "ask" in (data.get("moves"), data.get("places")) else "see"
        return {"dice": data.get("dice", "roll"), "moves": moves, "questions": data.get("shots", "see")}


# Page to server


class OfTheNewest(Model):
    """What is meant of the game as it is shown, and is meant once.

    With `newest`, the number of the batch that was the newest as it was shown: refused where the game has
    gone on since, as by another page in the same second, or while the network was lost. With `shown`, the
    same number: refused where it has gone on for seconds, as while this was stuck in the network.
    """

    newest: Annotated[int | None, Field(exclude=True)] = None
    shown: Annotated[int | None, Field(exclude=True)] = None


class Act(OfTheNewest):
    """Do something in the game. `player` is for whom; the owner may leave it out and act as the referee."""

    type: Literal["act"]
    key: Key
    kind: Annotated[str, Field(max_length=40)]
    player: Name | None = None
    data: dict[str, Any] = Field(default_factory=dict)
    dice: Annotated[list[int | str], Field(max_length=60)] | None = None
    """What the table's dice showed, in the order asked for; None rolls here."""
    unmeasured: Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")] | None = None
    """That a move counts although it was not measured: why. Others agree to it, or the owner says so."""


class Agree(Model):
    """Agree to what a player proposes to do by facts that they say; or not, or take one's own back."""

    type: Literal["agree"]
    key: Key
    proposal: Name
    agrees: bool = True


class Weighed(Agree):
    """The same of a machine, with why: in tableref's own words, so no device can send it."""

    why: str


class Concede(OfTheNewest):
    """A player gives up: `player` where the owner says so for one."""

    type: Literal["concede"]
    key: Key
    player: Name | None = None


class Withdraw(OfTheNewest):
    """Take a choice back that was made in secret and is not revealed yet."""

    type: Literal["withdraw"]
    key: Key
    group: Annotated[str, Field(max_length=80)]
    player: Name | None = None


class Reveal(Model):
    """Reveal what everybody has chosen in secret, where that waits for dice of the table."""

    type: Literal["reveal"]
    key: Key
    dice: Annotated[list[int | str], Field(max_length=60)] | None = None


class Rolled(Model):
    """Type what one's own dice show, for a deed of another page that waits for them."""

    type: Literal["rolled"]
    key: Key
    throw: Name
    dice: Annotated[list[int | str | None], Field(max_length=60)] | None
    """In the order of the dice that are wanted, null for each that is somebody else's to type; null instead
    of the list takes the deed back."""


class Undo(OfTheNewest):
    """Take back what was done last."""

    type: Literal["undo"]
    key: Key


class Redo(OfTheNewest):
    """Bring back what was undone last."""

    type: Literal["redo"]
    key: Key


class Mistyped(OfTheNewest):
    """What was typed for a die before an undo was wrong: it is asked for again.

    `back`: the newest deed is taken back first, whose dice they are.
    """

    type: Literal["mistyped"]
    key: Key
    back: bool = False


class Stays(OfTheNewest):
    """Pieces may stay where they stand, although they were left elsewhere; others agree to it."""

    type: Literal["stays"]
    key: Key
    pieces: Annotated[list[Name], Field(min_length=1, max_length=60)]


class Overrule(OfTheNewest):
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


class Anew(OfTheNewest):
    """End the game and set up another one, with the same players and pieces."""

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


Request = (
    Act | Agree | Concede | Withdraw | Reveal | Rolled | Undo | Redo | Mistyped | Stays | Overrule
    | SetUp | Begin | Anew | Sit | Free | SetModes
)  # fmt: skip
FROM_PLAYER: tuple[type[Model], ...] = (
    Act, Agree, Concede, Withdraw, Reveal, Rolled, Undo, Redo, Mistyped, Stays, Overrule,
    SetUp, Begin, Anew, Sit, Free, SetModes,
)  # fmt: skip


class Meant(NamedTuple):
    """What the newest deed was as a request was made: to be so still, or to have been so seconds ago."""

    newest: int | None = None
    shown: int | None = None


def apart(request: Request) -> tuple[Meant, Request]:
    """What the newest deed was as a request was made, and the request without that."""
    if not isinstance(request, OfTheNewest):
        return Meant(), request
    return Meant(request.newest, request.shown), request.model_copy(update=Meant()._asdict())


from_player: TypeAdapter[Request] = TypeAdapter(Annotated[Request, Field(discriminator="type")])


# Server to page


class ReasonView(Model):
    """Why something may not be done. `open`: too close to call, so the players may decide.

    With a `question` they answer it alone, by yes or no.
    """

    words: Told
    citation: str
    open: bool
    question: str


class WantedDie(Model):
    """A die to roll on the table and to type: by its number, or by its face where it has icons.

    `counts` says what each side counts as, where nothing else of it matters: that may be typed instead.
    """

    sides: int
    why: Told
    faces: list[str]
    by: str | None
    counts: list[str] = Field(default_factory=list)


class Answer(Model):
    """What became of a request. Not accepted, it has every reason, or the dice that it wants."""

    type: Literal["answer"] = "answer"
    key: str
    number: int = 0
    """The game's number after this, so that a page knows an older state when it hears one."""
    accepted: bool
    error: Told | None = None
    reasons: list[ReasonView] = Field(default_factory=list)
    wanted: list[WantedDie] = Field(default_factory=list)
    given: list[int | str] = Field(default_factory=list)
    throw: str | None = None
    """The id under which dice of it are asked for on other phones, too; the state has it in `throws`."""
    proposed: list[str] = Field(default_factory=list)
    """Who has to agree before it is done: it is proposed to them."""
    asks: Told = ""
    """Who would have to agree where it is refused for what is open; empty where it counts at once."""


class DieView(Model):
    """A die as it lies on the table."""

    sides: int
    shows: str
    why: str
    by: str | None
    typed: bool = False


class MeasuringView(Model):
    """How an option that takes a move can be taken. `measured`: now, as the camera has it.

    Else `lacks` says why not, and it is said with its reason (`Act.unmeasured`) by whoever `may`, once
    something has `happened` to the piece: `words` say what that leads to, or who may. `settled` says that
    a dispute has settled that the measured move counts, so that nobody is asked; else it is empty.
    """

    measured: bool
    may: bool
    happened: bool
    lacks: str
    words: str
    settled: str


class ProposalView(Model):
    """What a player proposes to do by `facts` that they say. `mine`: whoever looks may agree to it.

    `kind` is that of the deed. `own`: whoever looks proposed it. `waits` says for whom it waits; `act` is
    what they ask again once all have agreed and dice are to be typed.
    """

    id: str
    kind: str
    words: str
    facts: list[str]
    waits: str
    mine: bool
    own: bool
    act: dict[str, Any] | None


class DeclinedView(Model):
    """What whoever looks proposed in vain, and why; kept until they do something, or propose anew.

    Or the dispute that was open when tableref stopped, which everybody is told. `advice` says what to do now.
    """

    id: str
    words: str
    why: str
    advice: str


class ThrownDie(WantedDie):
    """A die that a deed waits for. `of`: on whose phone it is asked for, null where the deed is done.

    `mine`: it is asked of whoever looks. `typed`: what it shows is known.
    """

    of: str | None
    mine: bool
    typed: bool


class ThrowView(Model):
    """A deed that waits for dice. `own`: whoever looks does it; `may`: they may type all of the dice.

    `back`: they may take it back, and something else may be done then.
    `machine`: tableref does it, and whoever plays rolls for it.
    `waits` names those on whose phones dice are asked for. Who has no part in it is told no `dice`.
    """

    id: str
    by: str
    machine: bool
    own: bool
    may: bool
    back: bool
    waits: list[str]
    dice: list[ThrownDie]


class LogLine(Model):
    """Something that happened. `undone`: it was taken back; `dice`: those that it tells of."""

    number: int
    batch: int
    first: bool
    words: str
    citation: str
    tone: str
    pieces: list[str]
    undone: bool
    dice: list[DieView]
    measured: bool | None
    """Whether what it tells of was measured; None where nothing had to be."""


class Seat(Model):
    """A player, and whether some device has the seat, or tableref plays it."""

    player: str
    colour: str
    taken: bool


class MachineView(Model):
    """A player who is played by tableref: how, what it wants to do, and what hands are asked for.

    `steps` are how its piece is to be pushed, one after the other, where that is more than one thing.
    `left`: what its piece did may be taken for it by people; otherwise it takes that itself.
    """

    player: str
    level: LevelName
    temper: TemperName
    headline: str
    words: str
    steps: list[str] = Field(default_factory=list)
    left: bool = False


class Me(Model):
    """Who looks, and what they may do."""

    role: Role
    player: str | None
    owner: bool
    acts: bool
    may_undo: bool
    may_redo: bool
    may_retype: bool


class GameView(Model):
    """A game that can be played."""

    id: str
    title: str
    book: str
    vehicles: str
    players: tuple[int, int]
    cutouts: bool
    """Whether it has counters to print."""
    lays: bool
    """Whether maps of one's own are laid for it, at `/lay`."""
    measures: bool
    """Whether its book lets everybody measure at any time."""
    boards: tuple[str, ...]
    """The kinds of board that it is played on."""
    simulated: str
    """The simulated table with such a board, as a source is chosen; empty where there is none."""
    start: bool
    """Whether it is the one to start with."""
    what: str
    lasts: str
    level: str
    prints: str
    maker: str
    found: str
    link: str
    hints: dict[str, str]
    """By kind of option, what whoever plays without the book should know of it."""


class BrokenGame(Model):
    """A game that is there and cannot be played: where it comes from, and why."""

    id: str
    where: str
    reason: str


class GuideView(Model):
    """What is seen of a piece that may be moved: as `engine.game.showing.Guide`, ready for a page.

    `move` is the id of the move that the option of kind `kind` takes; `said` is what it is told besides.
    """

    piece: str
    kind: str
    player: str | None
    phase: Literal["ready", "moving", "rested", "unseen"]
    headline: str
    words: str = ""
    verdict: str | None = None
    progress: dict[str, Any] | None = None
    steps: list[str] = Field(default_factory=list)
    facts: list[str] = Field(default_factory=list)
    reasons: list[dict[str, Any]] = Field(default_factory=list)
    marks: list[dict[str, Any]] = Field(default_factory=list)
    take: str = ""
    move: str | None = None
    said: dict[str, Any] = Field(default_factory=dict)


class Chosen(Model):
    """A player has chosen in secret; `mine`: whoever looks may take it back."""

    group: str
    player: str
    mine: bool


class StrayView(Model):
    """A piece that stands elsewhere than it was left.

    `mine`: whoever looks may say that it stays there; `leads` says who has to agree then.
    """

    piece: str
    words: str
    mine: bool
    leads: str


class MatchView(Model):
    """The game that is played, in the types of `engine.game` as JSON; docs/contract.md has each.

    An option has `mine` besides: whoever looks may do it, and others are told no `form`; one that takes a
    move to be measured has its `measuring`. A ghost has the `outline` of its piece, its `nose` and the arrows
    of its `turns`.
    """

    status: dict[str, Any]
    options: list[dict[str, Any]]
    sheets: list[dict[str, Any]]
    ghosts: list[dict[str, Any]]
    strays: list[StrayView]
    proposals: list[ProposalView]
    declined: list[DeclinedView]
    throws: list[ThrowView]
    marks: list[dict[str, Any]]
    chosen: list[Chosen]
    reveals: str | None
    may_concede: list[str]
    """The players for whom whoever looks may give up."""
    undoable: str | None
    redoable: str | None
    lying: list[DieView]
    """Dice that fell in this turn before they were undone: they stay as they fell."""
    newest: int
    """The number of the newest batch that counts."""
    log: list[LogLine]


class PlayState(Model):
    """Everything that a page of the game shows.

    `setup` is the game's form while it is set up; besides it has by piece the `cards` as they would begin.
    """

    type: Literal["play"] = "play"
    number: int
    games: list[GameView]
    broken: list[BrokenGame]
    """For the owner alone: where it comes from is told by folders of this computer."""
    game: GameView
    phase: Phase
    me: Me
    seats: list[Seat]
    draft: Draft
    setup: dict[str, Any] | None
    modes: Modes
    match: MatchView | None
    guide: GuideView | None
    machines: list[MachineView] = Field(default_factory=list)
    """The players whom tableref plays, and what each says."""
    trouble: str | None
    record: str | None
    """The id of the game in the library, None while it is not recorded."""


class GuideNews(Model):
    """Only what is seen of the piece that is moved has changed."""

    type: Literal["guide"] = "guide"
    guide: GuideView | None


TO_PLAYER: tuple[type[Model], ...] = (PlayState, GuideNews, Answer)
