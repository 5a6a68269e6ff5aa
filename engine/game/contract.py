"""The contract of a game: all that server, page, record, report, disputes and tests know of one.

`docs/contract.md` describes it, `docs/your-own-game.md` writes a small one. A game is found by the registry
alone, in a folder of `engine.games`, an entry point `tableref.games`, or a folder named with `--games`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Generic, Protocol, TypeVar

from engine.boards.board import Board
from engine.boards.free import Free
from engine.errors import TableRefError
from engine.game.about import SEEN, About
from engine.game.dice import Dice
from engine.game.events import Action, Event, FactField, Illegal, JsonObject, Reason
from engine.game.forms import Fact, Form, SetUpForm, check_answers
from engine.game.proposing import Proposal, Worth
from engine.game.records import from_json, to_json
from engine.game.showing import Awaited, Ghost, Guide, Mark, PlayCard, Sheet, Status, Viewer
from engine.motion.moves import Move
from engine.ruling import Ruling
from engine.space.table import TableState, key_of

__all__ = [
    "NOTHING_SEEN",
    "About",
    "Game",
    "Option",
    "Question",
    "RuleBook",
    "Seen",
    "State",
    "hidden",
    "move_named",
    "named",
    "reasons_against",
]

State = TypeVar("State")


@dataclass(frozen=True)
class Seen:
    """What the camera knows when something is done: the table, and the moves that pages may name by id.

    `board` is the table file's.
    """

    table: TableState | None = None
    moves: Mapping[str, Move] = field(default_factory=dict)
    board: Board = Free()  # noqa: RUF009


NOTHING_SEEN = Seen()
"""Without a camera: everything is typed."""


@dataclass(frozen=True, slots=True)
class Question:
    """Something that can be asked of a table, frozen and disputed: a shot, a distance, a contact, a move.

    `kind` and `data` are the game's own and make up its identity; `words` is the question for people;
    `pieces` are those that it is about, the asking one first; `label` is short, for a list to choose from,
    under a `heading`, with `more` about it. `missing` says which piece is still to be picked: a question with
    it is not ruled, but what it asks about may be shown on the table (`Game.reach`).
    """

    kind: str
    words: str
    pieces: tuple[str, ...]
    data: JsonObject = field(default_factory=dict)
    label: str = ""
    more: str = ""
    heading: str = ""
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Option:
    """What may be done now, for a button.

    `player` is who may do it (None: anybody). `data` is what the action already says; `form` asks for the
    rest. Options with the same `heading` stand together, under `heading_more`. `piece` is the one that a
    tap on the table means, `facts` are figures, `question` is shown on the table when it is looked at.
    `not_now` says why it is not lawful as the table stands: told, not hidden. `sealed` names the group of
    choices that are revealed together. `main` is what is usually done. `button` is on the button that does
    it, where the words name only what it is about.
    """

    kind: str
    player: str | None
    words: str
    more: str = ""
    heading: str = ""
    heading_more: str = ""
    data: JsonObject = field(default_factory=dict)
    form: Form = field(default_factory=Form)
    citation: str = ""
    piece: str | None = None
    facts: tuple[Fact, ...] = ()
    question: Question | None = None
    not_now: tuple[Reason, ...] = ()
    sealed: str | None = None
    main: bool = False
    button: str = ""


class Game(Protocol[State]):
    """A rule book that can be played."""

    @property
    def about(self) -> About:
        """What game this is."""
        ...

    # Playing

    def setup(self, so_far: JsonObject) -> SetUpForm:
        """What is asked before it begins; asked again after every answer.

        `so_far` has `players` (names in the order of play), `pieces` (a list of objects with `name`,
        `owner` and the answers to that piece's form) and the answers to the form of the game.
        """
        ...

    def begin(self, setup: JsonObject) -> tuple[Event, ...]:
        """The first events of a match; `TableRefError` names what is wrong with the set-up."""
        ...

    def first(self) -> State:
        """The state before any event."""
        ...

    def options(self, state: State, seen: Seen) -> tuple[Option, ...]:
        """What may be done now; with a table, also what is not lawful on it and why."""
        ...

    def check(self, state: State, action: Action, seen: Seen) -> tuple[Reason, ...]:
        """All reasons why the action may not be done; empty when it is lawful. Never raises."""
        ...

    def act(self, state: State, action: Action, seen: Seen, dice: Dice) -> tuple[Event, ...]:
        """What follows from the action; `Illegal` with all reasons when it may not be done.

        Where options were sealed, the action of their kind has `choices`: what each player chose.
        """
        ...

    def follow(self, state: State) -> tuple[Event, ...]:
        """What follows by itself once the players have set a field of the state by hand."""
        ...

    def concede(self, state: State, player: str) -> tuple[Event, ...]:
        """What follows when a player gives up: whoever is left wins, or plays on without them.

        No option is theirs any more, and in the order of play they are out. `Illegal` where they cannot.
        """
        ...

    def apply(self, state: State, event: Event) -> State:
        """The state after an event."""
        ...

    def announce(self, action: Action) -> tuple[str, str]:
        """An action in words for people, and the rule that allows it."""
        ...

    def measured(self, state: State, action: Action, seen: Seen) -> bool | None:
        """Whether what a lawful action rests on was measured; None where nothing has to be.

        An action of a kind that is awaited has one or the other: not measured, it takes the players' ruling.
        """
        ...

    @property
    def facts(self) -> Mapping[str, tuple[FactField, ...]]:
        """By kind of action, the fields that say how things stand or went: what the table has a say in."""
        ...

    def table_says(self, state: State, action: Action, seen: Seen) -> JsonObject:
        """What the table surely says of those fields of an action that says none of them itself.

        A field that is missing is not known, or open. Names of pieces stand alone or in lists.
        """
        ...

    def renewed(self, event: Event) -> Event:
        """An event of an older record as it would be told today: with its pieces and tone."""
        ...

    def driven(self, state: State, event: Event, board: Board) -> float | None:
        """Inches that the first of its pieces went, as the game took its move; None where it tells of no way.

        `state` is that before the event, `board` the one that is played on.
        """
        ...

    def as_json(self, state: State) -> dict[str, Any]:
        """The state as a JSON object; `from_json` gives the same state again."""
        ...

    def from_json(self, data: JsonObject) -> State:
        """The state of a JSON object; a clear error names the field that is wrong."""
        ...

    # The table

    def board(self, state: State, table_board: Board) -> Board:
        """The board that is played on, given the table file's: of a kind that `about` names."""
        ...

    def awaits(self, state: State) -> tuple[Awaited, ...]:
        """Which pieces may be moved now; any other piece that moves is out of turn."""
        ...

    def guide(self, state: State, awaited: Awaited, move: Move | None, table: TableState) -> Guide:
        """What the screen of whoever moves the piece shows: before (no move), on the way, and at rest."""
        ...

    def questions(self, state: State | None, picked: tuple[str, ...]) -> tuple[Question, ...]:
        """What can be asked of the table with these pieces picked, in the book's order, the usual first.

        Without a state (no match) everything that the book knows may be asked; with too few pieces picked,
        questions say what is `missing`.
        """
        ...

    def rule(self, state: State | None, question: Question, table: TableState) -> Ruling:
        """The book's answer; a clear error for pieces that nobody knows."""
        ...

    def reach(self, state: State | None, question: Question, table: TableState) -> tuple[Mark, ...]:
        """Where that which the question asks about reaches from where its first piece stands."""
        ...

    def forbidden(self, state: State | None, question: Question) -> Reason | None:
        """Why this may not be measured now: the gate of hidden distances."""
        ...

    def ghosts(self, state: State, seen: Seen) -> tuple[Ghost, ...]:
        """Where pieces must be put before the game goes on."""
        ...

    def on_board(self, state: State, seen: Seen) -> tuple[Ghost, ...]:
        """Where each piece that has a cell of the board stands by the game, those that may be moved too."""
        ...

    def removed(self, state: State) -> tuple[str, ...]:
        """The pieces that the book has taken off the table: whoever sees one lie there asks for that."""
        ...

    # A player for an empty seat

    def proposals(self, state: State, seen: Seen, player: str, chance: Random) -> Iterable[Proposal]:
        """Good ways to use the options of a player, the likeliest first: above all where to drive.

        Of a kind of which nothing is proposed, the options are filled by their forms. Rests on nothing that
        the player may not know.
        """
        ...

    def worth(self, state: State, table: TableState | None, player: str) -> Worth | None:
        """How good the position is for a player; None where the game does not say. Asked often: quick."""
        ...

    # Looking

    def status(self, state: State, viewer: Viewer) -> Status:
        """Where the match stands."""
        ...

    def sheets(self, state: State, viewer: Viewer) -> tuple[Sheet, ...]:
        """Record sheets, in the order of play."""
        ...

    def cards(self, state: State) -> tuple[PlayCard, ...]:
        """The cards that are played from on paper, as they stand: nothing secret stands on them."""
        ...

    def previews(self, so_far: JsonObject) -> tuple[PlayCard, ...]:
        """The same of pieces that are being set up, as they would begin after the answers so far."""
        ...

    def marks(self, state: State, table: TableState | None, viewer: Viewer) -> tuple[Mark, ...]:
        """What the game draws on the table besides."""
        ...


def reasons_against(options: Sequence[Option], action: Action, citation: str) -> tuple[Reason, ...]:
    """Why none of these options allows an action, by their data and forms; empty when one does.

    The action that reveals sealed choices has `choices`: each of them has to be allowed.
    """
    same = [o for o in options if o.kind == action.kind]
    said: Any = action.data
    choices = said.get("choices") if isinstance(said, Mapping) else None
    if action.player is None and isinstance(choices, Mapping) and any(o.sealed for o in same):
        owed = {o.player for o in same}
        if set(choices) != owed:
            words = f"expected the choices of {', '.join(sorted(map(str, owed)))}"
            return (Reason(f"{words} but got those of {', '.join(map(str, choices)) or 'nobody'}", citation),)
        each = [Action(action.kind, player, said) for player, said in choices.items()]
        return tuple(r for one in each for r in reasons_against(same, one, citation))
    if not same:
        known = ", ".join(dict.fromkeys(o.kind for o in options)) or "nothing"
        return (Reason(f"{action.kind!r} is not to be done now; expected {known}", citation),)
    mine = [o for o in same if action.player is None or o.player in (None, action.player)]
    if not mine:
        whose = ", ".join(sorted({str(o.player) for o in same}))
        return (Reason(f"it is {whose}'s to do, not {action.player}'s", citation),)
    return _answered(mine, action, citation)


def _answered(options: Sequence[Option], action: Action, citation: str) -> tuple[Reason, ...]:
    """What is wrong with the data of an action that one of these options may mean."""
    said: Any = action.data
    if not isinstance(said, Mapping):
        return (Reason(f"expected an object with answers but got {said!r}", citation),)
    fits = [o for o in options if all(name in said and said[name] == value for name, value in o.data.items())]
    if not fits:
        known = " or ".join(str(dict(o.data)) for o in options)
        return (Reason(f"{action.kind}: expected {known} but got {dict(said)}", citation),)
    option = fits[0]
    answers = {name: value for name, value in said.items() if name not in option.data}
    return (*option.not_now, *check_answers(option.form, answers, option.citation or citation))


def named(action: Action, seen: Seen) -> tuple[Move, ...]:
    """The moves that an action names by their id, of those that were seen."""
    said: Any = action.data
    values = list(said.values()) if isinstance(said, Mapping) else []
    ids = [value.get("id") if isinstance(value, Mapping) else value for value in values]
    return tuple(seen.moves[id] for id in ids if isinstance(id, str) and id in seen.moves)


def move_named(action: Action, seen: Seen, piece: str | None) -> Move | Reason:
    """The move that an action names as its `move`, by its id or an object that has one.

    A reason where that is known no more, or is not one of the `piece` (None: any piece's will do).
    """
    said: Any = action.data["move"]
    move = seen.moves.get(str(said.get("id") if isinstance(said, Mapping) else said))
    if move is None:
        whose = "" if piece is None else f" of {piece}"
        words = f"that move{whose} is not known any more: it was moved on, put back, or taken already"
        return Reason(f"{words}. Look again, and take it as it stands now", SEEN)
    if piece is not None and key_of(piece) != key_of(move.piece):
        return Reason(f"that was a move of {move.piece}, not of {piece}", SEEN)
    return move


def hidden(about: About) -> Reason | None:
    """Why no distance is told where the book forbids measuring before a target is declared."""
    if about.measuring == "always":
        return None
    return Reason("no distance may be measured before a target is declared", about.book)


class RuleBook(Generic[State]):
    """What most games leave as it is; a game overrides what its book says otherwise.

    `states` is the dataclass of its state. A small game writes `about`, `states`, `begin`, `options`, `done`,
    `apply` and `status`: what its options and their forms allow is lawful, and nothing else.
    """

    about: About
    states: type[State]
    facts: Mapping[str, tuple[FactField, ...]] = {}

    def first(self) -> State:
        """The state with nothing in it."""
        return self.states()

    def as_json(self, state: State) -> dict[str, Any]:
        """The state's fields."""
        data: dict[str, Any] = to_json(state)
        return data

    def from_json(self, data: JsonObject) -> State:
        """The state of these fields."""
        return from_json(self.states, data)

    def options(self, state: State, seen: Seen) -> tuple[Option, ...]:  # noqa: ARG002
        """Nothing may be done."""
        return ()

    def check(self, state: State, action: Action, seen: Seen) -> tuple[Reason, ...]:
        """What the options and their forms do not allow."""
        return reasons_against(self.options(state, seen), action, self.about.book)

    def act(self, state: State, action: Action, seen: Seen, dice: Dice) -> tuple[Event, ...]:
        """What is `done` by a lawful action."""
        if reasons := self.check(state, action, seen):
            raise Illegal(reasons)
        return self.done(state, action, seen, dice)

    def done(self, state: State, action: Action, seen: Seen, dice: Dice) -> tuple[Event, ...]:  # noqa: ARG002
        """What follows from an action that was checked."""
        return ()

    def setup(self, so_far: JsonObject) -> SetUpForm:  # noqa: ARG002
        """Nothing besides who plays."""
        return SetUpForm()

    def announce(self, action: Action) -> tuple[str, str]:
        """The kind of the action."""
        if action.kind in self.about.sealed:
            return f"{action.kind}: what everybody chose is revealed", self.about.book
        return f"{action.player or 'the referee'}: {action.kind}", self.about.book

    def measured(self, state: State, action: Action, seen: Seen) -> bool | None:
        """Whether an action that takes a move names one that was seen, of a piece that is awaited."""
        pieces = {key_of(awaited.piece) for awaited in self.awaits(state) if awaited.kind == action.kind}
        if not pieces:
            return None
        return any(key_of(move.piece) in pieces for move in named(action, seen))

    def table_says(self, state: State, action: Action, seen: Seen) -> JsonObject:  # noqa: ARG002
        """Nothing."""
        return {}

    def renewed(self, event: Event) -> Event:
        """As it is."""
        return event

    def driven(self, state: State, event: Event, board: Board) -> float | None:  # noqa: ARG002
        """It tells of no way."""
        return None

    def guide(self, state: State, awaited: Awaited, move: Move | None, table: TableState) -> Guide:  # noqa: ARG002
        """The name of the piece alone."""
        return Guide(awaited.piece, "ready" if move is None else "rested", awaited.piece)

    def rule(self, state: State | None, question: Question, table: TableState) -> Ruling:  # noqa: ARG002
        """No question is answered."""
        raise TableRefError(f"{self.about.title} answers no question of the kind {question.kind!r}")

    def follow(self, state: State) -> tuple[Event, ...]:  # noqa: ARG002
        """Nothing."""
        return ()

    def concede(self, state: State, player: str) -> tuple[Event, ...]:  # noqa: ARG002
        """Nobody can."""
        raise Illegal([Reason(f"{self.about.title} does not say what follows", self.about.book)])

    def board(self, state: State, table_board: Board) -> Board:  # noqa: ARG002
        """The table's, which is a free one where its file names none."""
        return table_board

    def awaits(self, state: State) -> tuple[Awaited, ...]:  # noqa: ARG002
        """No piece in particular."""
        return ()

    def questions(self, state: State | None, picked: tuple[str, ...]) -> tuple[Question, ...]:  # noqa: ARG002
        """None."""
        return ()

    def reach(self, state: State | None, question: Question, table: TableState) -> tuple[Mark, ...]:  # noqa: ARG002
        """Nothing is drawn."""
        return ()

    def forbidden(self, state: State | None, question: Question) -> Reason | None:  # noqa: ARG002
        """Everything may be measured, unless the book hides distances: then nothing, while a match is on."""
        return None if state is None else hidden(self.about)

    def ghosts(self, state: State, seen: Seen) -> tuple[Ghost, ...]:  # noqa: ARG002
        """None."""
        return ()

    def on_board(self, state: State, seen: Seen) -> tuple[Ghost, ...]:  # noqa: ARG002
        """None: on a free table a piece stands where it was put."""
        return ()

    def removed(self, state: State) -> tuple[str, ...]:  # noqa: ARG002
        """None."""
        return ()

    def proposals(self, state: State, seen: Seen, player: str, chance: Random) -> Iterable[Proposal]:  # noqa: ARG002
        """None: its options are filled by their forms, and its pieces pushed where that is lawful."""
        return ()

    def worth(self, state: State, table: TableState | None, player: str) -> Worth | None:  # noqa: ARG002
        """It does not say."""
        return None

    def sheets(self, state: State, viewer: Viewer) -> tuple[Sheet, ...]:  # noqa: ARG002
        """None."""
        return ()

    def cards(self, state: State) -> tuple[PlayCard, ...]:  # noqa: ARG002
        """None."""
        return ()

    def previews(self, so_far: JsonObject) -> tuple[PlayCard, ...]:  # noqa: ARG002
        """None."""
        return ()

    def marks(self, state: State, table: TableState | None, viewer: Viewer) -> tuple[Mark, ...]:  # noqa: ARG002
        """None."""
        return ()
