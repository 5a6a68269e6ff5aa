"""Shattered Highways 0.3.8 as a game: its actions by name, each with what it does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random
from types import MappingProxyType
from typing import Any

from engine.boards.board import Board
from engine.boards.road import Road
from engine.game.acting import lawful
from engine.game.acting.by_rules import ByRules
from engine.game.acting.rules import Rule
from engine.game.contract import Game, Option, Question, Seen, reasons_against
from engine.game.dice import Dice
from engine.game.events import Action, Event, JsonObject, Reason
from engine.game.forms import SetUpForm
from engine.game.proposing import Proposal, Worth
from engine.game.records import to_json
from engine.game.showing import Awaited, Ghost, Guide, Mark, Sheet, Status, Viewer
from engine.games.shattered_highways import driver
from engine.games.shattered_highways.about import ABOUT
from engine.games.shattered_highways.acts import (
    beginning,
    boarding,
    conceding,
    driving,
    fighting,
    placing,
    rounds,
)
from engine.games.shattered_highways.acts.lawful import together
from engine.games.shattered_highways.book.data import BOOK, cite
from engine.games.shattered_highways.contract.options import options
from engine.games.shattered_highways.contract.set_up import set_up
from engine.games.shattered_highways.contract.sheets import sheets
from engine.games.shattered_highways.contract.status import status
from engine.games.shattered_highways.effects import striking
from engine.games.shattered_highways.effects.damage import DESTROYED, HIDDEN_BUGGY
from engine.games.shattered_highways.state import fold
from engine.games.shattered_highways.state.game_state import GameState, as_json, from_json
from engine.games.shattered_highways.state.play import Play
from engine.games.shattered_highways.table import questions, shown
from engine.games.shattered_highways.table.guide import awaits, guide
from engine.games.shattered_highways.table.offers import measured, surely_behind, with_usual
from engine.games.shattered_highways.table.on_table import place_of
from engine.games.shattered_highways.table.owed import with_places
from engine.games.shattered_highways.table.recognised import FACTS, as_seen
from engine.games.shattered_highways.table.recognised import measured as measured_move
from engine.motion.moves import Move
from engine.ruling import Ruling
from engine.space.table import TableState

RULES: Mapping[str, Rule[Play]] = MappingProxyType(
    {
        "deployment": Rule(rounds.do_deployment, "deployment: {deployment}", rounds.DEPLOYMENT),
        "first": Rule(rounds.do_first, "who goes first", rounds.SETUP),
        "deploy": Rule(rounds.do_deploy, "put {vehicle} down", rounds.SETUP),
        "order": Rule(rounds.do_order, "the play orders are revealed", rounds.COMBAT),
        "move": Rule(driving.do_move, "Move {vehicle}", driving.MOVE),
        "moved": Rule(driving.do_moved, "{vehicle} is moved", driving.MOVE),
        "nudge": Rule(driving.do_nudge, "Nudge {targets} with {vehicle}", striking.NUDGE),
        "ram": Rule(driving.do_ram, "Ram {targets} with {vehicle}", striking.RAM),
        "decouple": Rule(driving.do_decouple, "decouple the trailer of {vehicle}", DESTROYED),
        "launch": Rule(driving.do_launch, "drive {vehicle} out", HIDDEN_BUGGY),
        "change": Rule(boarding.do_change, "{warrior} changes to {seat}", boarding.CHANGE),
        "board": Rule(boarding.do_board, "{warrior} boards {to}", boarding.BOARD),
        "climb": Rule(boarding.do_board, "{warrior} boards the {part}", boarding.BOARD),
        "sit": Rule(boarding.do_sit, "{warrior} takes a seat", boarding.BOARD),
        "leap": Rule(boarding.do_leap, "{warrior} leaps for {to}", DESTROYED),
        "stay": Rule(boarding.do_leap, "{warrior} stays on the wreck", DESTROYED),
        "attack": Rule(fighting.do_attack, "{warrior} attacks {target}", fighting.ATTACK),
        "shoot": Rule(fighting.do_shoot, "{warrior} shoots at a {aim}", fighting.SHOOT),
        "unjam": Rule(fighting.do_unjam, "{warrior} clears a weapon", fighting.SHOOT),
        "hurt": Rule(fighting.do_hurt, "{warrior} is hit by shrapnel", fighting.SHOOT),
        "placed": Rule(placing.do_placed, "{vehicle} has been placed", cite("Play Setup")),
        "shifted": Rule(placing.do_shifted, "all vehicles have been moved back", driving.MOVE),
        "wreck": Rule(placing.do_wreck, "who has to veer", DESTROYED),
        "done": Rule(rounds.do_done, "done", rounds.WITHIN),
        "go on": Rule(lambda _play, _action: None, "go on", rounds.WITHIN),
    }
)


class ShatteredHighways(ByRules[GameState, Play]):
    """The rule book as `engine.game.contract.Game`."""

    about = ABOUT
    states = GameState
    rules = RULES
    facts = FACTS

    def begin(self, setup: JsonObject) -> tuple[Event, ...]:
        """The events that begin a game; see `beginning.begin` for the fields."""
        return beginning.begin(setup)

    def setup(self, so_far: JsonObject) -> SetUpForm:
        """What each vehicle is and carries, with the points that are left."""
        return set_up(so_far)

    def offers(self, state: GameState, seen: Seen) -> tuple[Option, ...]:
        """What may be done now; with a table, also what is not lawful on it and why."""
        return measured(state, options(state, seen), seen)

    def play(self, state: GameState, seen: Seen, dice: Dice) -> Play:
        """An action to be carried out on a state."""
        play = Play(state, seen, dice, with_places)
        note_road(play)
        return play

    def as_seen(self, state: GameState, action: Action, seen: Seen) -> tuple[Action, list[Reason]]:
        """The action with what the table says of it, and what the book has against that."""
        if seen.table is None:
            return action, []
        told, found = as_seen(state, action, seen)
        return with_usual(self.options(state, seen), told), found

    def against(self, state: GameState, action: Action, seen: Seen) -> tuple[Reason, ...]:
        """All reasons against the action, those too that options and forms cannot say alone."""
        plain, found = self.as_seen(state, lawful.without_rulings(action), seen)
        against = reasons_against(self.options(state, seen), plain, BOOK)
        return against or (*together(state, plain), *found)

    def table_says(self, state: GameState, action: Action, seen: Seen) -> JsonObject:
        """What the table answers where nobody says otherwise."""
        said = {"dust": False} | dict(super().table_says(state, action, seen))
        if action.kind == "wreck" and not surely_behind(state, seen):
            said.pop("behind", None)
        return said

    def settle(self, play: Play, *, rolling: bool = True) -> None:
        """Goes on until somebody has to do something, or up to the next dice."""
        rounds.settle(play, rolling=rolling)

    def give_up(self, play: Play, player: str) -> None:
        """The player's warriors and vehicles are out of the fight."""
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

    def board(self, state: GameState, table_board: Board) -> Board:
        """The table's road, as far as the fleet was moved back on it."""
        if isinstance(table_board, Road):
            return table_board.shifted(state.scroll)
        return table_board

    def awaits(self, state: GameState) -> tuple[Awaited, ...]:
        """The vehicles that may be moved now."""
        return awaits(state)

    def measured(self, state: GameState, action: Action, seen: Seen) -> bool | None:
        """Whether where a vehicle stands is as the camera has it."""
        return measured_move(state, action, seen)

    def guide(self, state: GameState, awaited: Awaited, move: Move | None, table: TableState) -> Guide:
        """What the screen of whoever moves the vehicle shows."""
        return guide(state, awaited, move, table)

    def questions(self, state: GameState | None, picked: tuple[str, ...]) -> tuple[Question, ...]:
        """Boarding, heroes' and mounted weapons, contact, and where one may be moved."""
        return questions.questions(state, picked)

    def rule(self, state: GameState | None, question: Question, table: TableState) -> Ruling:
        """The answer, with every check."""
        return questions.rule(state, question, table)

    def reach(self, state: GameState | None, question: Question, table: TableState) -> tuple[Mark, ...]:
        """Where that which is asked about reaches."""
        return questions.reach(state, question, table)

    def removed(self, state: GameState) -> tuple[str, ...]:
        """The vehicles that are out of the fight, once their wreck has been driven round."""
        return shown.removed(state)

    def ghosts(self, state: GameState, seen: Seen) -> tuple[Ghost, ...]:
        """Where vehicles must be put before the game goes on."""
        return shown.ghosts(state, seen)

    def marks(self, state: GameState, table: TableState | None, viewer: Viewer) -> tuple[Mark, ...]:  # noqa: ARG002
        """The vehicle whose turn it is, and the sections behind Drag Chains."""
        return shown.marks(state, table)

    # Looking

    def proposals(self, state: GameState, seen: Seen, player: str, chance: Random) -> Iterable[Proposal]:
        """Places within the template."""
        return driver.proposals(state, seen, player, chance)

    def worth(self, state: GameState, table: TableState | None, player: str) -> Worth | None:
        """Vehicles, warriors, how near the fighting is."""
        return driver.worth(state, table, player)

    def status(self, state: GameState, viewer: Viewer) -> Status:  # noqa: ARG002
        """Whose turn it is, what has to be done first, or who has won."""
        return status(state)

    def sheets(self, state: GameState, viewer: Viewer) -> tuple[Sheet, ...]:  # noqa: ARG002
        """Every vehicle's card."""
        return sheets(state)


def note_road(play: Play) -> None:
    """How the road lies on the table, told once: what is measured along it can then be told again."""
    if play.seen.table is None or play.state.road is not None:
        return
    place = place_of(play.seen.board, play.seen.table)
    words = f"the road is {place.length:g} in long and {place.width:g} in wide"
    play.tell("laid", words, rounds.SETUP, road=to_json(place))


GAME: Game[GameState] = ShatteredHighways()
"""The game, where `engine.game.registry.game_called` looks for it."""
