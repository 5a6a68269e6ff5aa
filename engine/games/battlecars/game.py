"""Battlecars as a game: its actions by name, each with what it does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random
from types import MappingProxyType
from typing import Any

from engine.boards.board import Board
from engine.boards.points import Points
from engine.game.acting.by_rules import ByRules
from engine.game.acting.resting import along
from engine.game.acting.rules import Rule
from engine.game.contract import Game, Option, Question, Seen
from engine.game.dice import Dice
from engine.game.events import Action, Event, JsonObject, Reason
from engine.game.forms import SetUpForm
from engine.game.proposing import Proposal, Worth
from engine.game.showing import Awaited, Ghost, Guide, Mark, Sheet, Status, Viewer
from engine.games.battlecars import driver
from engine.games.battlecars.about import ABOUT
from engine.games.battlecars.acts import beginning, conceding, firing, moving, rounds
from engine.games.battlecars.contract.options import options
from engine.games.battlecars.contract.set_up import set_up
from engine.games.battlecars.contract.sheets import sheets
from engine.games.battlecars.contract.status import status
from engine.games.battlecars.effects.driving import MOVEMENT
from engine.games.battlecars.effects.shots import FIRING
from engine.games.battlecars.state import fold
from engine.games.battlecars.state.game_state import GameState, as_json, from_json
from engine.games.battlecars.state.play import Play
from engine.games.battlecars.table import guide, questions
from engine.games.battlecars.table.recognised import FACTS, as_seen, table_says
from engine.motion.moves import Move
from engine.ruling import Ruling
from engine.space.table import TableState

RULES: Mapping[str, Rule[Play]] = MappingProxyType(
    {
        "build": Rule(beginning.do_build, "place terrain: {kind}", beginning.STARTING),
        "start": Rule(beginning.do_start, "roll for the first move", beginning.STARTING),
        "speed": Rule(rounds.do_speed, "the Speed Counters are revealed", rounds.SPEEDS),
        "move": Rule(moving.do_move, "the move", MOVEMENT),
        "pivot": Rule(moving.do_pivot, "stay, or turn on the point", MOVEMENT),
        "leave": Rule(moving.do_leave, "get out", moving.LEAVING),
        "walk": Rule(moving.do_walk, "walk", moving.WALKING),
        "board": Rule(moving.do_board, "take {vehicle} over", moving.COMMANDEER),
        "fire": Rule(firing.do_fire, "fire a {weapon} at {target}", FIRING),
        "return": Rule(firing.do_return, "return fire with a {weapon} at {target}", firing.RETURN),
        "hold": Rule(firing.do_hold, "do not return fire", firing.RETURN),
        "drop": Rule(firing.do_drop, "drop {kind}", firing.DROPPING),
        "reload": Rule(firing.do_reload, "reload the hand weapon", firing.RELOADING),
        "done": Rule(rounds.do_done, "done", rounds.GAME_TURN),
        "go on": Rule(lambda _play, _action: None, "go on", rounds.GAME_TURN),
    }
)


class Battlecars(ByRules[GameState, Play]):
    """The book as `engine.game.contract.Game`."""

    about = ABOUT
    states = GameState
    rules = RULES
    facts = FACTS

    def begin(self, setup: JsonObject) -> tuple[Event, ...]:
        """The events that begin a game; see `beginning.begin` for the fields."""
        return beginning.begin(setup)

    def setup(self, so_far: JsonObject) -> SetUpForm:
        """What each vehicle is armed with."""
        return set_up(so_far)

    def offers(self, state: GameState, seen: Seen) -> tuple[Option, ...]:
        """What may be done now."""
        return options(state, seen)

    def play(self, state: GameState, seen: Seen, dice: Dice) -> Play:
        """An action to be carried out on a state."""
        play = Play(state, seen, dice)
        beginning.lies(play)
        return play

    def as_seen(self, state: GameState, action: Action, seen: Seen) -> tuple[Action, list[Reason]]:
        """The action with what the table says of it, and what the book has against that."""
        return as_seen(state, action, seen)

    def table_says(self, state: GameState, action: Action, seen: Seen) -> JsonObject:
        """What was seen of a move."""
        return table_says(state, action, seen)

    def settle(self, play: Play, *, rolling: bool = True) -> None:
        """Goes on until somebody has to do something, or up to the next dice."""
        rounds.settle(play, rolling=rolling)

    def give_up(self, play: Play, player: str) -> None:
        """The player's vehicles are taken off the board."""
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
        """The table's points where they are as many as are played on; else the board that is played on."""
        known = beginning.board_now(state, table_board)
        if isinstance(table_board, Points) and (table_board.columns, table_board.rows) == (
            known.columns,
            known.rows,
        ):
            return table_board
        return known

    def awaits(self, state: GameState) -> tuple[Awaited, ...]:
        """The vehicle that may be moved now."""
        return guide.awaits(state)

    def measured(self, state: GameState, action: Action, seen: Seen) -> bool | None:
        """Whether the move was measured: corners that are typed count as typed, whatever was seen."""
        data = action.data if isinstance(action.data, Mapping) else {}
        if action.kind == "walk" and data.get("point") is None and data.get("move") is None:
            return None  # who stays has moved nothing
        typed = data.get("corners" if action.kind == "move" else "point") is not None
        return super().measured(state, action, seen) and not (action.kind in ("move", "walk") and typed)

    def driven(self, state: GameState, event: Event, board: Board) -> float | None:
        """From point to point."""
        cell = state.vehicle(event.data["vehicle"]).cell if event.kind == "drove" else None
        return None if cell is None else along(board, cell, map(tuple, event.data["cells"]))

    def guide(self, state: GameState, awaited: Awaited, move: Move | None, table: TableState) -> Guide:  # noqa: ARG002
        """What the screen of whoever moves the vehicle shows."""
        return guide.guide(state, awaited, move)

    def questions(self, state: GameState | None, picked: tuple[str, ...]) -> tuple[Question, ...]:
        """Whether one vehicle is on a line of fire of another."""
        return questions.questions(state, picked)

    def rule(self, state: GameState | None, question: Question, table: TableState) -> Ruling:
        """Line of fire and range in points."""
        return questions.rule(state, question, table)

    def reach(self, state: GameState | None, question: Question, table: TableState) -> tuple[Mark, ...]:  # noqa: ARG002
        """The lines of fire of the first vehicle."""
        return questions.reach(state, question)

    def removed(self, state: GameState) -> tuple[str, ...]:
        """The vehicles that are gone; a wreck stays where it is."""
        return tuple(v.name for v in state.vehicles if v.gone)

    def on_board(self, state: GameState, seen: Seen) -> tuple[Ghost, ...]:
        """Each vehicle where the game has it."""
        return guide.on_board(state, seen)

    def ghosts(self, state: GameState, seen: Seen) -> tuple[Ghost, ...]:
        """Each vehicle on its point, but for one whose move is awaited."""
        return guide.ghosts(state, seen)

    # Looking

    def proposals(self, state: GameState, seen: Seen, player: str, chance: Random) -> Iterable[Proposal]:
        """Speeds, and ways with few corners."""
        return driver.proposals(state, seen, player, chance)

    def worth(self, state: GameState, table: TableState | None, player: str) -> Worth | None:
        """Armour, drivers, what may be fired at whom."""
        return driver.worth(state, table, player)

    def status(self, state: GameState, viewer: Viewer) -> Status:  # noqa: ARG002
        """Whose turn it is, what has to be done first, or who has won."""
        return status(state)

    def sheets(self, state: GameState, viewer: Viewer) -> tuple[Sheet, ...]:  # noqa: ARG002
        """Every vehicle's sheet."""
        return sheets(state)

    def marks(self, state: GameState, table: TableState | None, viewer: Viewer) -> tuple[Mark, ...]:  # noqa: ARG002
        """Terrain and counters on their points, and the lines of fire of whoever may fire."""
        return guide.marks(state)


GAME: Game[GameState] = Battlecars()
"""The game, where `engine.game.registry.game_called` looks for it."""
