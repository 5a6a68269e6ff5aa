"""Car Cult (notes of 2016) as a game: its actions by name, each with what it does."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from engine.errors import TableRefError
from engine.game.acting import lawful, reading
from engine.game.acting.rules import Rule, announced
from engine.game.contract import NOTHING_SEEN, Game, Option, Question, RuleBook, Seen, hidden, reasons_against
from engine.game.dice import Dice, TypedDice
from engine.game.events import Action, Event, Illegal, JsonObject, Reason
from engine.game.forms import SetUpForm
from engine.game.showing import Awaited, Guide, Mark, Sheet, Status, Viewer
from engine.games.car_cult.about import ABOUT
from engine.games.car_cult.acts import activating, attacking, beginning, conceding, moving, rounds
from engine.games.car_cult.book.data import BOOK
from engine.games.car_cult.contract.options import options
from engine.games.car_cult.contract.set_up import set_up
from engine.games.car_cult.contract.sheets import sheets
from engine.games.car_cult.contract.status import status
from engine.games.car_cult.effects.attacks import ROLL
from engine.games.car_cult.effects.damage import APPLY, EXPLODING, blast
from engine.games.car_cult.state import fold
from engine.games.car_cult.state.game_state import GameState, as_json, from_json
from engine.games.car_cult.state.play import Play
from engine.games.car_cult.table import guide, questions
from engine.games.car_cult.table.recognised import as_seen, measured
from engine.motion.moves import Move
from engine.ruling import Ruling
from engine.space.table import TableState

RULES: Mapping[str, Rule[Play]] = MappingProxyType(
    {
        "deploy": Rule(rounds.do_deploy, "put {car} down", rounds.START),
        "shift": Rule(activating.do_shift, "Down Shift by {tokens}", activating.SHIFT),
        "allocate": Rule(activating.do_allocate, "Speed tokens are allocated", activating.ACTIVATION),
        "move": Rule(moving.do_move, "the move of {car}", moving.MOVE),
        "boost": Rule(activating.do_boost, "use the {component}", activating.COMMENTS),
        "declare": Rule(attacking.do_declare, "attack {target} with the {weapon}", attacking.DECLARE),
        "fire": Rule(attacking.do_fire, "measure and roll", attacking.MEASURE),
        "reroll": Rule(attacking.do_reroll, "reroll a die", attacking.REROLL),
        "keep": Rule(attacking.do_keep, "the dice stay", ROLL),
        "exchange": Rule(activating.do_swap, "swap {one} with {other}", activating.FIXING),
        "damage": Rule(
            lambda play, action: rounds.do_damage(play, action.data["component"]),
            "a Damage token on the {component}",
            APPLY,
        ),
        "blast": Rule(
            lambda play, action: blast(play, action.data.get("cars") or ()),
            "who is in the explosion",
            EXPLODING,
        ),
        "done": Rule(activating.do_done, "done", activating.ACTIVATION),
        "go on": Rule(lambda _play, _action: None, "go on", rounds.ROUNDS),
    }
)


class CarCult(RuleBook[GameState]):
    """The notes as `engine.game.contract.Game`."""

    about = ABOUT
    states = GameState

    def begin(self, setup: JsonObject) -> tuple[Event, ...]:
        """The events that begin a game; see `beginning.begin` for the fields."""
        return beginning.begin(setup)

    def announce(self, action: Action) -> tuple[str, str]:
        """An action in words, and where the notes allow it."""
        rule = reading.of_kind(RULES, action.kind)
        return announced(action, rule.words), rule.citation

    def setup(self, so_far: JsonObject) -> SetUpForm:
        """What each car is built of, with the zones that are left."""
        return set_up(so_far)

    def options(self, state: GameState, seen: Seen) -> tuple[Option, ...]:
        """What may be done now; no distance is in it."""
        return options(state, seen)

    def check(self, state: GameState, action: Action, seen: Seen) -> tuple[Reason, ...]:
        """All reasons against the action; those that the players have ruled on do not stand."""
        try:
            return lawful.settled(self._against(state, action, seen), action)
        except TableRefError as error:
            return (Reason(str(error), BOOK),)

    def _against(self, state: GameState, action: Action, seen: Seen) -> tuple[Reason, ...]:
        plain = lawful.without_rulings(action)
        against = reasons_against(self.options(state, seen), plain, BOOK)
        return against or tuple(as_seen(state, action, seen)[1])

    def act(self, state: GameState, action: Action, seen: Seen, dice: Dice) -> tuple[Event, ...]:
        """What follows from a lawful action, up to where somebody has to do something."""
        try:
            against = self._against(state, action, seen)
            reasons = lawful.settled(against, action)
        except TableRefError as error:
            raise Illegal((Reason(str(error), BOOK),)) from error
        if reasons:
            raise Illegal(reasons)
        play = Play(state, seen, dice)
        lawful.tell_rulings(play, against, action)
        reading.of_kind(RULES, action.kind).do(play, as_seen(state, action, seen)[0])
        rounds.settle(play)
        return tuple(play.events)

    def follow(self, state: GameState) -> tuple[Event, ...]:
        """Victory, and activations of cars that are no more, as far as no dice are needed."""
        play = Play(state, NOTHING_SEEN, TypedDice())
        rounds.settle(play, rolling=False)
        return tuple(play.events)

    def concede(self, state: GameState, player: str) -> tuple[Event, ...]:
        """The player's cars are taken off the table."""
        play = Play(state, NOTHING_SEEN, TypedDice())
        conceding.concede(play, player)
        return tuple(play.events)

    def apply(self, state: GameState, event: Event) -> GameState:
        """The state after an event."""
        return fold.apply(state, event)

    def as_json(self, state: GameState) -> dict[str, Any]:
        """The state as a JSON object."""
        return as_json(state)

    def from_json(self, data: JsonObject) -> GameState:
        """The state of a JSON object."""
        return from_json(data)

    # The table

    def awaits(self, state: GameState) -> tuple[Awaited, ...]:
        """The cars that may be moved now."""
        return guide.awaits(state)

    def measured(self, state: GameState, action: Action, seen: Seen) -> bool | None:
        """Whether the move, the place or the range was measured."""
        return measured(state, action, seen)

    def guide(self, state: GameState, awaited: Awaited, move: Move | None, table: TableState) -> Guide:
        """What the screen of whoever moves the car shows."""
        return guide.guide(state, awaited, move, table)

    def questions(self, state: GameState | None, picked: tuple[str, ...]) -> tuple[Question, ...]:
        """The attack that was declared; without a match every weapon."""
        return questions.questions(state, picked)

    def rule(self, state: GameState | None, question: Question, table: TableState) -> Ruling:
        """Range and line of sight as one question."""
        return questions.rule(state, question, table)

    def reach(self, state: GameState | None, question: Question, table: TableState) -> tuple[Mark, ...]:
        """The segment between the closest visible parts, and the visible part of the target."""
        return questions.reach(state, question, table)

    def forbidden(self, state: GameState | None, question: Question) -> Reason | None:
        """Only the declared attack may be measured, and the length of the move that is under way."""
        return None if questions.may_ask(state, question) else hidden(self.about)

    # Looking

    def status(self, state: GameState, viewer: Viewer) -> Status:  # noqa: ARG002
        """Whose activation it is, what has to be done first, or who has won."""
        return status(state)

    def sheets(self, state: GameState, viewer: Viewer) -> tuple[Sheet, ...]:  # noqa: ARG002
        """Every car's component cards."""
        return sheets(state)

    def marks(self, state: GameState, table: TableState | None, viewer: Viewer) -> tuple[Mark, ...]:  # noqa: ARG002
        """The activated car; no reach of anything."""
        return guide.marks(state, table)


GAME: Game[GameState] = CarCult()
"""The game, where `engine.game.registry.game_called` looks for it."""
