"""Car Cult (notes of 2016) as a game: its actions by name, each with what it does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random
from types import MappingProxyType
from typing import Any

from engine.boards.board import Board
from engine.game.acting.by_rules import ByRules
from engine.game.acting.rules import Rule
from engine.game.contract import Game, Option, Question, Seen, hidden
from engine.game.dice import Dice
from engine.game.events import Action, Event, JsonObject, Reason
from engine.game.forms import SetUpForm
from engine.game.proposing import Proposal, Worth
from engine.game.showing import Awaited, Guide, Mark, Sheet, Status, Viewer
from engine.games.car_cult import driver
from engine.games.car_cult.about import ABOUT
from engine.games.car_cult.acts import activating, attacking, beginning, conceding, moving, rounds
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
from engine.games.car_cult.table.recognised import FACTS, as_seen, blast_says, measured
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


class CarCult(ByRules[GameState, Play]):
    """The notes as `engine.game.contract.Game`."""

    about = ABOUT
    states = GameState
    rules = RULES
    facts = FACTS

    def begin(self, setup: JsonObject) -> tuple[Event, ...]:
        """The events that begin a game; see `beginning.begin` for the fields."""
        return beginning.begin(setup)

    def setup(self, so_far: JsonObject) -> SetUpForm:
        """What each car is built of, with the zones that are left."""
        return set_up(so_far)

    def offers(self, state: GameState, seen: Seen) -> tuple[Option, ...]:
        """What may be done now; no distance is in it."""
        return options(state, seen)

    def play(self, state: GameState, seen: Seen, dice: Dice) -> Play:
        """An action to be carried out on a state."""
        return Play(state, seen, dice)

    def as_seen(self, state: GameState, action: Action, seen: Seen) -> tuple[Action, list[Reason]]:
        """The action with what the table says of it, and what the notes have against that."""
        return as_seen(state, action, seen)

    def table_says(self, state: GameState, action: Action, seen: Seen) -> JsonObject:
        """What was measured of a move, an attack or an explosion."""
        if action.kind == "blast":
            return blast_says(state)
        said = dict(super().table_says(state, action, seen))
        if "ground" in said:
            said["rough"] = sum(one["inches"] for one in said["ground"])
        return said

    def settle(self, play: Play, *, rolling: bool = True) -> None:
        """Goes on until somebody has to do something, or up to the next dice."""
        rounds.settle(play, rolling=rolling)

    def give_up(self, play: Play, player: str) -> None:
        """The player's cars are taken off the table."""
        conceding.concede(play, player)

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

    def driven(self, state: GameState, event: Event, board: Board) -> float | None:  # noqa: ARG002
        """The inches of a move."""
        return float(event.data["inches"]) if event.kind == "moved" else None

    def guide(self, state: GameState, awaited: Awaited, move: Move | None, table: TableState) -> Guide:
        """What the screen of whoever moves the car shows."""
        return guide.guide(state, awaited, move, table)

    def removed(self, state: GameState) -> tuple[str, ...]:
        """The cars that have exploded."""
        return tuple(car.name for car in state.cars if car.status == "exploded")

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

    def proposals(self, state: GameState, seen: Seen, player: str, chance: Random) -> Iterable[Proposal]:
        """Moves within the car's limits."""
        return driver.proposals(state, seen, player, chance)

    def worth(self, state: GameState, table: TableState | None, player: str) -> Worth | None:
        """Zones, cars, shots to come."""
        return driver.worth(state, table, player)

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
