"""What a game shows: status, sheets of widgets, marks and ghosts on the table.

A page has one drawer for each type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from engine.game.forms import Candidate, Fact
from engine.ruling import Ruling, Verdict

Path = tuple[str | int, ...]
"""The way to a field through the state's JSON, by which it can be overruled; empty where it cannot."""

Points = tuple[tuple[float, float], ...]
"""Points on the table, inches."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who looks: the player whose device it is, or None for everybody else, the owner included."""

    player: str | None = None


# Where the match stands


@dataclass(frozen=True, slots=True)
class Place:
    """A player in the order of play. `count` is what they have left, `count_words` of what ("2 cars")."""

    player: str
    current: bool = False
    out: bool = False
    count: int | None = None
    count_words: str = ""

    @classmethod
    def having(cls, player: str, count: int, what: str, *, current: bool, out: bool | None = None) -> Place:
        """A player who has so many of something left; out with none, unless it is said.

        >>> Place.having("Ann", 2, "car", current=True).count_words
        '2 cars'
        """
        words = f"1 {what}" if count == 1 else f"{count} {what}s"
        return cls(player, current, not count if out is None else out, count, words)


@dataclass(frozen=True, slots=True)
class Status:
    """Where the match stands in a few words.

    `what` is small ("Round 3"), `who` large ("Ann drives"), `more` small below. `player` is whose it is,
    for the colour, `piece` the one that it is about. `winner` may be nobody although the game is `over`.
    """

    what: str
    who: str
    more: str = ""
    player: str | None = None
    piece: str | None = None
    order: tuple[Place, ...] = ()
    over: bool = False
    winner: str | None = None

    @classmethod
    def at_the_end(
        cls, winner: str | None, order: tuple[Place, ...], what: str = "The game is over"
    ) -> Status:
        """That it is over, and who has won."""
        who = f"{winner} wins" if winner else "Nobody wins"
        return cls(what, who, player=winner, order=order, over=True, winner=winner)


# Sheets


@dataclass(frozen=True, slots=True)
class Box:
    """A box of a track. `big` ones cost something more, which `words` says; a group ends after `ends`."""

    marked: bool
    big: bool = False
    ends: bool = False
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """Boxes that are marked off one after the other; overruled by their number marked."""

    words: str
    boxes: tuple[Box, ...]
    more: str = ""
    path: Path = ()
    key: str = ""
    type: Literal["track"] = "track"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counter:
    """A number between two limits."""

    words: str
    value: int
    low: int = 0
    high: int = 99
    more: str = ""
    path: Path = ()
    key: str = ""
    type: Literal["counter"] = "counter"


@dataclass(frozen=True, slots=True)
class Slot:
    """A place that holds a token, a person or nothing.

    `key` names the place on its sheet: a `SheetPlace` means it, and so does the form of the option that
    moves a `token` there. Both are empty where nothing is moved or chosen.
    """

    words: str
    holds: str = ""
    value: Any = None
    used: bool = False
    token: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """Places in a row or a plan of `columns`; `choices` are what each may hold, `more` is what it does.

    `moved_by` are the kinds of the options that move a token to another place of the sheet: one whose data
    name the token, with an input whose candidates are the keys of places. Pages let the token be dragged.
    """

    words: str
    slots: tuple[Slot, ...]
    columns: int = 1
    more: str = ""
    choices: tuple[str, ...] = ()
    path: Path = ()
    moved_by: tuple[str, ...] = ()
    type: Literal["slots"] = "slots"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cards:
    """Cards of a hand or pile; `hidden` are those whose faces this viewer may not see."""

    words: str
    cards: tuple[str, ...] = ()
    hidden: int = 0
    type: Literal["cards"] = "cards"


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A line of text with its label. `used`: it is spent and struck out.

    With a `path` it is overruled by the value of one of its `choices`.
    """

    words: str
    text: str
    more: str = ""
    used: bool = False
    choices: tuple[Candidate, ...] = ()
    path: Path = ()
    key: str = ""
    type: Literal["words"] = "words"


Widget = Track | Counter | Slots | Cards | Words
"""Every type of widget. The `key` of a track, counter or line names it on its sheet, for a `SheetPlace`."""


@dataclass(frozen=True, slots=True)
class Left:
    """How much of something a piece has left ("Zones", 7): what reports count."""

    words: str
    count: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """The record sheet of a piece or a player: `summary` is what a folded one shows ("Speed 4 · 12 armour").

    `out`: it is out of play. `note` says in a word what has become of it. `by_hand` is what else the players
    may overrule: shown only while they mark the sheet by hand. `left` is what the piece has left, where that
    is counted neither by tracks of boxes nor by the counter that the sheet begins with.
    """

    title: str
    owner: str | None
    widgets: tuple[Widget, ...]
    piece: str | None = None
    more: str = ""
    summary: str = ""
    note: str = ""
    out: bool = False
    by_hand: tuple[Widget, ...] = ()
    left: Left | None = None


# Cards to play from


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table. With `boxes` each column is divided into so many, along which a marker is moved."""

    words: str
    cells: tuple[str, ...] = ()
    boxes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """Figures by columns. `at` is where the marker stands, in columns: 1.5 is the middle of the second."""

    words: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    at: float | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """A track along an edge of a card, from its top or left end, on which a paper clip marks a value.

    `at` is the step that it marks, from 0; `notes` are what comes into play at each step, or nothing.
    """

    words: str
    side: Literal["left", "right", "bottom"]
    steps: tuple[str, ...]
    at: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlayCard:
    """A card that is played from on paper: a table along its top edge, tracks along the others, text inside.

    `facts` are what of a limit is used while it is built, `wrong` what is against it. `places` are where
    cards are laid beside it, by name.
    """

    title: str
    owner: str | None
    piece: str | None = None
    more: str = ""
    table: Table | None = None
    edges: tuple[Edge, ...] = ()
    lines: tuple[Words, ...] = ()
    facts: tuple[Fact, ...] = ()
    wrong: tuple[str, ...] = ()
    places: tuple[str, ...] = ()


# On the table

Shape = Literal["polygon", "line", "disc", "label"]
Role = Literal[
    "reach",
    "far reach",
    "arc",
    "path",
    "start",
    "template",
    "token",
    "cell",
    "goal",
    "touch",
    "sight",
    "range",
    "current",
]
"""What a mark means, which decides how it is drawn. A *token* lies flat on the table; its words name it."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Something drawn on the table, in inches.

    A *polygon* and a *line* have their points, a *disc* its centre and `radius`, a *label* its place and
    `words`. `verdict` colours it, `piece` names the one that it belongs to.
    """

    shape: Shape
    role: Role
    points: Points
    words: str = ""
    radius: float = 0.0
    verdict: Verdict | None = None
    piece: str | None = None


@dataclass(frozen=True, slots=True)
class Leg:
    """A part of a way, for whoever pushes a piece: what to do, in short, and the pose at its end."""

    words: str
    short: str
    pose: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Ghost:
    """Where a piece must be put: `pose` is x, y in inches and heading in radians, None if that is open.

    `right` once it stands there, None while it cannot be seen. `turn`: radians by which it is turned to get
    there, counter-clockwise positive; `free`: it may be turned by so much either way, as players choose.
    `legs` are the parts of the way there, where it has to be pushed along one, and `marks` draw it.
    """

    piece: str
    pose: tuple[float, float, float] | None
    words: str
    citation: str
    right: bool | None = None
    turn: float = 0.0
    free: float = 0.0
    legs: tuple[Leg, ...] = ()
    marks: tuple[Mark, ...] = ()


# Moves that are awaited


@dataclass(frozen=True, slots=True)
class Awaited:
    """A piece that may be moved now. `key` changes with every new thing that is awaited of it.

    `kind` is the kind of the option that takes the move, `player` who may take it. `anywhere`: it may come
    from anywhere, as a piece that is put down; else from where it has to stand alone. `stays`: it may end
    where it stands, as against a wall, and nothing is to be seen of that.
    """

    piece: str
    kind: str
    player: str | None
    key: str
    anywhere: bool = False
    stays: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """How much of a budget is used: both in inches, and in words."""

    used: float
    of: float
    words: str


@dataclass(frozen=True, eq=False)
class Guide:
    """What the screen of whoever moves a piece shows.

    `phase`: *ready* before the hand moves (pages show its `facts` and `marks` alone then), *moving* while it
    is pushed, *rested* when there is a verdict. `steps` are its runs and turns in words, `facts` what it
    touched; `ruling` has every check; `goal` is the
    pose where it should stand instead. `said` is what the option that takes the move is told besides the
    move's id; `take` is on the button that takes it as measured, empty where that is not offered.
    """

    piece: str
    phase: Literal["ready", "moving", "rested"]
    headline: str
    words: str = ""
    verdict: Verdict | None = None
    progress: Progress | None = None
    steps: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    ruling: Ruling | None = None
    marks: tuple[Mark, ...] = ()
    goal: tuple[float, float, float] | None = None
    take: str = ""
    said: tuple[tuple[str, Any], ...] = ()
