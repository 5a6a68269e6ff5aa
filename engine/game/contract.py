"""The contract of a game: all that server, page, record, report, disputes and tests know of one.

`docs/contract.md` describes it, `docs/your-own-game.md` writes a small one. A game is found by the registry
alone, in a folder of `engine.games`, an entry point `tableref.games`, or a folder named with `--games`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Generic, TypeVar

from engine.boards.board import Board, Free
from engine.errors import TableRefError
from engine.game.about import SEEN, About
from engine.game.dice import Dice, TypedDice
from engine.game.events import PLAYERS, Action, Event, FactField, Illegal, JsonObject, Reason
from engine.game.forms import Fact, Form, SetUpForm, SheetPlace, check_answers
from engine.game.kit import reading
from engine.game.kit.actions import GO_ON, Rule, announced
from engine.game.kit.events import Events
from engine.game.kit.play import Play, Rulings, without_rulings
from engine.game.kit.states import States
from engine.game.showing import Awaited, Ghost, Guide, Mark, PlayCard, Sheet, Status, Viewer
from engine.measure.sweep import Step
from engine.motion.moves import Move
from engine.ruling import Ruling
from engine.space.geometry import Pose
from engine.space.table import TableState, key_of
from engine.words import listed

__all__ = [
    "NOTHING_SEEN",
    "About",
    "Game",
    "Option",
    "Proposal",
    "Question",
    "Seen",
    "State",
    "Worth",
    "hidden",
    "move_named",
    "named",
    "names_awaited",
    "reasons_against",
    "surely",
]

State = TypeVar("State")

MOST_LISTED = 6
"""Options that a refusal lists; of more it says how many."""


@dataclass(frozen=True)
class Seen:
    """What the camera knows when something is done: the table, and the moves that pages may name by id.

    `board` is the table file's.
    """

    table: TableState | None = None
    moves: Mapping[str, Move] = field(default_factory=dict)
    board: Board = Free()  # noqa: RUF009

    def newest(self, piece: str) -> Move | None:
        """The last move of a piece; None where none was seen."""
        return next((m for m in reversed([*self.moves.values()]) if key_of(m.piece) == key_of(piece)), None)


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
class Reckoned:
    """One step of how the odds of a deed come about: a `figure`, what it is, and by which section."""

    figure: str
    words: str
    citation: str


@dataclass(frozen=True, slots=True)
class Option:
    """What may be done now, for a button.

    `player` is who may do it (None: anybody). `data` is what the action already says; `form` asks for the
    rest. Options with the same `heading` stand together, under `heading_more`. `piece` is the one that a
    tap on the table means, `facts` are figures, `question` is shown on the table when it is looked at.
    `not_now` says why it is not lawful as the table stands: told, not hidden. `sealed` names the group of
    choices that are revealed together. `main` is what is usually done. `ends`: it ends a turn or an
    activation, with what is still possible before in `more`. Pages keep both in view. `button` is on the
    button that does it, where the words name only what it is about. `reckoning` explains the `facts` of a
    shot, step by step: the number to hit, what modifies it, the damage to expect. `on` is the place on a
    record sheet where a tap does it, too, of an option that asks for nothing more. `vain`: it costs something
    and can do nothing, as a shot that cannot hurt; no page puts it before anybody. `citation` is that of the
    action's rule where it names no other.
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
    ends: bool = False
    button: str = ""
    reckoning: tuple[Reckoned, ...] = ()
    on: SheetPlace | None = None
    vain: bool = False


def _none(*_: Any) -> tuple[Any, ...]:
    return ()


def _answers_nothing(_state: Any, question: Question, _table: TableState) -> Ruling:
    raise TableRefError(f"this game answers no question of the kind {question.kind!r}")


def _as_said(_state: Any, action: Action, _seen: Seen) -> tuple[Action, Sequence[Reason]]:
    return action, ()


def _settles_nothing(_play: Any, *, rolling: bool = True) -> None:  # noqa: ARG001
    return


def _name_alone(_state: Any, awaited: Awaited, move: Move | None, _table: TableState) -> Guide:
    return Guide(awaited.piece, "ready" if move is None else "rested", awaited.piece)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A way to use an option of this `kind`: what its form is told, and where its piece is pushed.

    `data` is what the option and its form say, as far as it matters; the rest is filled with what is usual.
    `way` are the poses on the table (inches, radians) through which `piece` is pushed, to where it rests;
    empty where nothing is moved. `steps` are the runs and turns of that way, where the game knows them: what
    is tried out in thought need not be recognised. `words` tell the deed after the piece's name ("drives
    3 in"). `guess` is how good it is where it cannot be tried out, in the units of `Worth`; or what it is
    expected to lead to, as a `Worth`, that each temperament weighs by itself.
    """

    kind: str
    piece: str | None = None
    data: JsonObject = field(default_factory=dict)
    way: tuple[Pose, ...] = ()
    steps: tuple[Step, ...] = ()
    words: str = ""
    guess: float | Worth | None = None


@dataclass(frozen=True, slots=True)
class Worth:
    """How a player stands, in the game's own terms; 1 is about what one whole vehicle is worth.

    `own` is what they still have and `others` what their opponents have; `chance` is the harm that they may
    expect to do next and `danger` that which they may suffer; `progress` is how far they are on the way to
    what the game is won by, against the others; `won` is 1 for a game that is won, −1 for one lost.
    """

    own: float = 0.0
    others: float = 0.0
    chance: float = 0.0
    danger: float = 0.0
    progress: float = 0.0
    won: float = 0.0

    @classmethod
    def at_the_end(cls, winner: str | None, player: str) -> Worth:
        """That of a player once the game is over; `winner` None where nobody has won."""
        return cls(won=0.0 if winner is None else 1.0 if winner == player else -1.0)


@dataclass(frozen=True, eq=False)
class Game(Generic[State]):
    """A rule book that can be played, as a value: what it is, and a function for each thing that it is asked.

    A small game names `about`, `states`, `events`, `begin`, `offers`, `rules` and `status`: what its options
    and their forms allow is lawful, and nothing else. `dataclasses.replace` makes a variant of a game.
    """

    about: About
    """What game this is."""
    states: States[State]
    """Its states, before any event and as JSON."""
    events: Events[State]
    """Its kinds of event, with what each changes."""
    begin: Callable[[JsonObject], tuple[Event, ...]]
    """The first events of a match; `TableRefError` names what is wrong with the set-up."""
    status: Callable[[State, Viewer], Status]
    """Where the match stands, for whoever looks."""

    # Playing

    offers: Callable[[State, Seen], tuple[Option, ...]] = _none
    """What may be done now; with a table, also what is not lawful on it and why. Asked once for a state and
    sight: nothing else may enter it."""
    rules: Mapping[str, Rule[Any]] = field(default_factory=dict)
    """Its actions by kind: what each does, in which words, by which rule."""
    setup: Callable[[JsonObject], SetUpForm] = lambda _so_far: SetUpForm()
    """What is asked before it begins; asked again after every answer.

    `so_far` has `players` (names in the order of play), `pieces` (a list of objects with `name`, `owner` and
    the answers to that piece's form) and the answers to the form of the game."""
    play: Callable[[Events[State], State, Seen, Dice], Play[State]] = Play
    """An action to be carried out on a state."""
    as_seen: Callable[[State, Action, Seen], tuple[Action, Sequence[Reason]]] = _as_said
    """The action with what the table says of it, and what the rules have against that."""
    objections: Callable[[State, Action, Seen], tuple[Reason, ...]] | None = None
    """All reasons against an action, whatever the players have ruled: of a game where that is more than what
    options, forms and `as_seen` say."""
    rulings: Rulings = Rulings()  # noqa: RUF009
    """Which of them fall by what the players rule, and how that is told."""
    settle: Callable[..., None] = _settles_nothing
    """Goes on, with the play of an action, until somebody has to do something; without `rolling`, as far as
    no dice are needed."""
    give_up: Callable[[Any, str], None] | None = None
    """In a play, that player leaves the game: whoever is left wins, or plays on without them. No option is
    theirs any more, and in the order of play they are out. None where they cannot."""
    facts: Mapping[str, tuple[FactField, ...]] = field(default_factory=dict)
    """By kind of action, the fields that say how things stand or went: what the table has a say in."""
    says: Callable[[State, Action, Seen], JsonObject] | None = None
    """What the table surely says of those fields of an action that says none of them itself: of a game where
    that is not just what `as_seen` fills in. A field that is missing is not known, or open."""
    by_camera: Callable[[State, Action, Seen], bool | None] | None = None
    """Whether what a lawful action rests on was measured; None where nothing has to be: of a game where that
    is more than whether the action names a move of an awaited piece."""
    renewed: Callable[[Event], Event] = lambda event: event
    """An event of an older record as it would be told today: with its pieces and tone."""
    driven: Callable[[State, Event, Board], float | None] = lambda _state, _event, _board: None
    """Inches that the first of its pieces went by an event, as the game took its move; None where it tells of
    no way. `state` is that before the event, `board` the one that is played on."""

    # The table

    board: Callable[[State, Board], Board] = lambda _state, table_board: table_board
    """The board that is played on, given the table file's: of a kind that `about` names."""
    awaits: Callable[[State], tuple[Awaited, ...]] = _none
    """Which pieces may be moved now; any other piece that moves is out of turn."""
    guide: Callable[[State, Awaited, Move | None, TableState], Guide] = _name_alone
    """What the screen of whoever moves the piece shows: before (no move), on the way, and at rest."""
    questions: Callable[[State | None, tuple[str, ...]], tuple[Question, ...]] = _none
    """What can be asked of the table with these pieces picked, in the book's order, the usual first.

    Without a state (no match) everything that the book knows may be asked; with too few pieces picked,
    questions say what is `missing`."""
    rule: Callable[[State | None, Question, TableState], Ruling] = _answers_nothing
    """The book's answer; a clear error for pieces that nobody knows."""
    reach: Callable[[State | None, Question, TableState], tuple[Mark, ...]] = _none
    """Where that which the question asks about reaches from where its first piece stands."""
    rests_on: Callable[[State, Action], Question | None] | None = None
    """The question that an action rests on, None for one that asks the table nothing: of a game whose options
    do not ask it themselves, as where a form picks the target."""
    may_ask: Callable[[State | None, Question], bool] = lambda state, _question: state is None
    """Whether a question may be answered now where the book hides distances; nothing, while a match is on."""
    ghosts: Callable[[State, Seen], tuple[Ghost, ...]] = _none
    """Where pieces must be put before the game goes on."""
    on_board: Callable[[State, Seen], tuple[Ghost, ...]] = _none
    """Where each piece that has a cell of the board stands by the game, those that may be moved too."""
    removed: Callable[[State], tuple[str, ...]] = _none
    """The pieces that the book has taken off the table: whoever sees one lie there asks for that."""
    shed: Callable[[State], tuple[str, ...]] = _none
    """The pieces that stay, of which the book has taken off the table what hangs on them."""
    spare: Callable[[State, Seen], tuple[str, ...]] = _none
    """The pieces on the table that stand for nothing yet, as a figure of nobody's: they may lie anywhere."""

    # A player for an empty seat

    proposals: Callable[[State, Seen, str, Random], Iterable[Proposal]] = _none
    """Good ways to use a player's options, the likeliest first, above all where to drive.

    Options of a kind of which nothing is proposed are filled by their forms. The last argument is chance.
    Rests on nothing that the player may not know.
    """
    worth: Callable[[State, TableState | None, str], Worth | None] = lambda _state, _table, _player: None
    """How good the position is for a player; None where the game does not say. Asked often: quick."""
    doubt: float = 1.0
    """How many times the noise of a level misjudges a worth of this game: so that a learner is as strong
    in one game as in another."""

    # Looking

    sheets: Callable[[State, Viewer], tuple[Sheet, ...]] = _none
    """Record sheets, in the order of play."""
    cards: Callable[[State], tuple[PlayCard, ...]] = _none
    """The cards that are played from on paper, as they stand: nothing secret stands on them."""
    previews: Callable[[JsonObject], tuple[PlayCard, ...]] = _none
    """The same of pieces that are being set up, as they would begin after the answers so far."""
    marks: Callable[[State, TableState | None, Viewer], tuple[Mark, ...]] = _none
    """What the game draws on the table besides."""

    _newest: _Newest = field(default_factory=lambda: _Newest(), init=False, repr=False)  # noqa: PLW0108

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of its actions and events, which nobody else compares with anything."""
        return (*self.rules, *self.events.kinds)

    def first(self) -> State:
        """The state before any event."""
        return self.states.first()

    def as_json(self, state: State) -> dict[str, Any]:
        """The state as a JSON object; `from_json` gives the same state again."""
        return self.states.as_json(state)

    def from_json(self, data: JsonObject) -> State:
        """The state of a JSON object; a clear error names the field that is wrong."""
        return self.states.from_json(data)

    def by_hand(self, before: State, data: JsonObject) -> State:
        """The same of a state that people changed, which is held to the limits of what may be set now."""
        return self.states.by_hand(before, data)

    def apply(self, state: State, event: Event) -> State:
        """The state after an event; nothing else changes the state."""
        return self.events.apply(state, event)

    def options(self, state: State, seen: Seen) -> tuple[Option, ...]:
        """What may be done now, worked out once for the newest states and sights: many ask for it."""
        return self._newest.of(self._offered, state, seen)

    def _offered(self, state: State, seen: Seen) -> tuple[Option, ...]:
        """Each by the rule of its action, where it names no other; that it goes on where there is nothing."""
        found = self.offers(state, seen)
        if not found and GO_ON in self.rules and not self.status(state, Viewer()).over:
            found = (Option(GO_ON, None, "Go on", main=True),)
        return tuple(
            one if one.citation or one.kind not in self.rules
            else replace(one, citation=self.rules[one.kind].citation)
            for one in found
        )  # fmt: skip

    def announce(self, action: Action, state: State | None = None) -> tuple[str, str]:
        """An action in words, and where the book allows it; what was sealed is revealed by nobody alone.

        With the `state` before it, its words say too what the state knows of it.
        """
        rule = reading.of_kind(self.rules, action.kind)
        if action.kind in self.about.sealed:
            return rule.words, rule.citation
        return announced(action, rule.words, {} if state is None else rule.known(state)), rule.citation

    def check(self, state: State, action: Action, seen: Seen) -> tuple[Reason, ...]:
        """All reasons why the action may not be done; empty when it is lawful. Never raises.

        Those that the players have ruled on do not stand.
        """
        try:
            return self.rulings.settled(self.against(state, action, seen), action)
        except TableRefError as error:
            return (Reason(str(error), self.about.book),)

    def against(self, state: State, action: Action, seen: Seen) -> tuple[Reason, ...]:
        """All reasons against the action, whatever the players have ruled."""
        if self.objections is not None:
            return self.objections(state, action, seen)
        plain = without_rulings(action)
        against = reasons_against(self.options(state, seen), plain, self.about.book)
        return against or tuple(self.as_seen(state, action, seen)[1])

    def act(self, state: State, action: Action, seen: Seen, dice: Dice) -> tuple[Event, ...]:
        """What follows from the action, up to where somebody has to do something.

        `Illegal` with all reasons when it may not be done. Where options were sealed, the action of their
        kind has `choices`: what each player chose.
        """
        try:
            against = self.against(state, action, seen)
            reasons = self.rulings.settled(against, action)
        except TableRefError as error:
            raise Illegal((Reason(str(error), self.about.book),)) from error
        if reasons:
            raise Illegal(reasons)
        play = self.play(self.events, state, seen, dice)
        self.rulings.tell(play, against, action)
        reading.of_kind(self.rules, action.kind).do(play, self.as_seen(state, action, seen)[0])
        self.settle(play)
        return tuple(play.events)

    def follow(self, state: State) -> tuple[Event, ...]:
        """What follows by itself once the players have set a field by hand, as far as no dice are needed."""
        play = self.play(self.events, state, NOTHING_SEEN, TypedDice())
        self.settle(play, rolling=False)
        return tuple(play.events)

    def concede(self, state: State, player: str) -> tuple[Event, ...]:
        """What follows when a player gives up. `Illegal` where they cannot."""
        if self.give_up is None:
            raise Illegal([Reason(f"{self.about.title} does not say what follows", self.about.book)])
        play = self.play(self.events, state, NOTHING_SEEN, TypedDice())
        self.give_up(play, player)
        return tuple(play.events)

    def measured(self, state: State, action: Action, seen: Seen) -> bool | None:
        """Whether what a lawful action rests on was measured; None where nothing has to be.

        An action of a kind that is awaited has one or the other: not measured, it takes the players' ruling.
        """
        if self.by_camera is not None:
            return self.by_camera(state, action, seen)
        return names_awaited(self.awaits(state), action, seen)

    def table_says(self, state: State, action: Action, seen: Seen) -> JsonObject:
        """What the table surely says of the facts of an action that says none of them itself."""
        if self.says is not None:
            return self.says(state, action, seen)
        return surely(*self.as_seen(state, action, seen))

    def forbidden(self, state: State | None, question: Question) -> Reason | None:
        """Why this may not be measured now: the gate of hidden distances."""
        return None if self.may_ask(state, question) else hidden(self.about)


ASKED = 8
"""Of so many of the newest states and sights the options are kept: a machine that thinks goes to and fro."""


class _Newest:
    """The options of the newest states and sights."""

    def __init__(self) -> None:
        self._known: tuple[tuple[Any, Seen, tuple[Option, ...]], ...] = ()

    def of(
        self, offers: Callable[[Any, Seen], tuple[Option, ...]], state: Any, seen: Seen
    ) -> tuple[Option, ...]:
        """They are worked out once for the very same state, table and moves, not only equal ones."""
        for known, sight, options in self._known:
            if known is state and _same_sight(sight, seen):
                return options
        found = tuple(offers(state, seen))
        self._known = ((state, seen, found), *self._known[: ASKED - 1])
        return found


def _same_sight(one: Seen, other: Seen) -> bool:
    moves = one.moves.keys() == other.moves.keys() and all(
        other.moves[id] is move for id, move in one.moves.items()
    )
    return one.table is other.table and moves and one.board == other.board


def surely(full: Action, reasons: Sequence[Reason]) -> JsonObject:
    """What an action says by itself once the table has filled it in, where nothing of that is open."""
    return {} if any(reason.fact or reason.question for reason in reasons if reason.open) else full.data


def names_awaited(awaited: Sequence[Awaited], action: Action, seen: Seen) -> bool | None:
    """Whether an action that takes a move names one that was seen, of a piece that is awaited."""
    pieces = {key_of(one.piece) for one in awaited if one.kind == action.kind}
    if not pieces:
        return None
    return any(key_of(move.piece) in pieces for move in named(action, seen))


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
        # What others may do may be theirs alone to know.
        mine = [o for o in options if action.player is None or o.player in (None, action.player)]
        whose = listed(dict.fromkeys(str(o.player) for o in options)) or "nobody"
        if not mine:
            # No section of a book says so: whoever is to act may have a choice to make first.
            return (Reason(f"that is not to be done now: {whose} is to act first", PLAYERS),)
        return (Reason(f"that is not to be done now; expected {_in_words(mine)}", citation),)
    mine = [o for o in same if action.player is None or o.player in (None, action.player)]
    if not mine:
        whose = ", ".join(sorted({str(o.player) for o in same}))
        return (Reason(f"it is {whose}'s to do, not {action.player}'s", citation),)
    return _answered(mine, action, citation)


def _in_words(options: Sequence[Option]) -> str:
    """What is offered, each once, as people read it on its button."""
    known = list(dict.fromkeys(": ".join(filter(None, (o.heading, o.words))) for o in options))
    more = len(known) - MOST_LISTED
    listed = [*known[:MOST_LISTED], f"{more} more"] if more > 1 else known
    return " or ".join(listed)


def _answered(options: Sequence[Option], action: Action, citation: str) -> tuple[Reason, ...]:
    """What is wrong with the data of an action that one of these options may mean."""
    said: Any = action.data
    if not isinstance(said, Mapping):
        return (Reason(f"expected an object with answers but got {said!r}", citation),)
    fits = [o for o in options if all(name in said and said[name] == value for name, value in o.data.items())]
    if not fits:
        return (Reason(f"that is not offered now; expected {_in_words(options)}", citation),)
    # Of those that ask for all that is answered the one that says most of it.
    asked = [o for o in fits if all(name in o.data or name in o.form.fields for name in said)]
    option = max(asked or fits, key=lambda one: len(one.data))
    answers = {name: value for name, value in said.items() if name not in option.data}
    return (*option.not_now, *check_answers(option.form, answers, option.citation or citation))


def named(action: Action, seen: Seen) -> tuple[Move, ...]:
    """The moves that an action names by their id, of those that were seen."""
    said: Any = action.data
    values = list(said.values()) if isinstance(said, Mapping) else []
    ids = [value.get("id") if isinstance(value, Mapping) else value for value in values]
    return tuple(seen.moves[id] for id in ids if isinstance(id, str) and id in seen.moves)


def move_named(action: Action, seen: Seen, piece: str | None) -> Move | Reason | None:
    """The move that an action names as its `move`, by its id or an object that has one; None for no move.

    A reason where that is known no more, or is not one of the `piece` (None: any piece's will do).
    """
    said: Any = action.data.get("move")
    if said is None:
        return None
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
