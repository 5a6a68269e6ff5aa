"""Frothy Races as a game: its actions by name, each with what it does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random
from types import MappingProxyType
from typing import Any

from engine.boards.board import Board
from engine.game.acting.by_rules import ByRules
from engine.game.acting.resting import along
from engine.game.acting.rules import Rule
from engine.game.contract import Game, Option, Question, Seen
from engine.game.dice import Dice
from engine.game.events import Action, Event, JsonObject, Reason
from engine.game.forms import SetUpForm
from engine.game.proposing import Proposal, Worth
from engine.game.showing import Awaited, Ghost, Guide, Mark, PlayCard, Sheet, Status, Viewer
from engine.games.frothy_races import driver
from engine.games.frothy_races.about import ABOUT
from engine.games.frothy_races.acts import (
    attacking,
    beginning,
    checking,
    conceding,
    moving,
    rerolling,
    resolving,
    rounds,
    swapping,
)
from engine.games.frothy_races.contract.cards import cards, previews
from engine.games.frothy_races.contract.options import options
from engine.games.frothy_races.contract.set_up import set_up
from engine.games.frothy_races.contract.sheets import sheets
from engine.games.frothy_races.contract.status import status
from engine.games.frothy_races.effects.collisions import PASSING
from engine.games.frothy_races.effects.control import ROLL
from engine.games.frothy_races.effects.damage import ROLL as DAMAGE_ROLL
from engine.games.frothy_races.effects.rerolls import REROLLS
from engine.games.frothy_races.state import fold
from engine.games.frothy_races.state.game_state import GameState, as_json, from_json
from engine.games.frothy_races.state.play import Play
from engine.games.frothy_races.table import guide, questions
from engine.games.frothy_races.table.recognised import FACTS, as_seen, table_says
from engine.motion.moves import Move
from engine.ruling import Ruling
from engine.space.table import TableState

RULES: Mapping[str, Rule[Play]] = MappingProxyType(
    {
        "start": Rule(beginning.do_start, "draw lots for the places", beginning.SETUP),
        "check": Rule(checking.do_check, "Speed check of {vehicle}", checking.CHECK),
        "keep": Rule(checking.do_keep, "keep dice of {value}", checking.CHECK),
        "move": Rule(moving.do_move, "the move of {vehicle}", moving.MOVEMENT),
        "steer": Rule(moving.do_turn, "{vehicle} turns: {turn}", moving.TURNING),
        "pace": Rule(moving.do_pace, "a {face} card of {vehicle}", moving.MODIFYING),
        "jump": Rule(moving.do_jump, "{vehicle} jumps", moving.JUMPS),
        "done": Rule(moving.do_done, "{vehicle} does not move", moving.MOVEMENT),
        "attack": Rule(attacking.do_attack, "{vehicle}: a {sort} attack on {target}", attacking.ATTACKS),
        "clash": Rule(attacking.do_clash, "the cards of the attack are revealed", attacking.PERFORMING),
        "control": Rule(resolving.do_control, "roll for control of {vehicle}", ROLL),
        "discard": Rule(resolving.do_discard, "discard {discard}", ROLL),
        "special": Rule(resolving.do_special, "play {card}", resolving.SPECIALS),
        "reroll": Rule(rerolling.do_reroll, "dice of {vehicle} again", REROLLS),
        "adapt": Rule(swapping.do_swap, "{vehicle} swaps cards", swapping.TRAITS),
        "face": Rule(resolving.do_face, "turn {vehicle} past what it hit", PASSING),
        "survive": Rule(resolving.do_survive, "Survivor of {vehicle}", DAMAGE_ROLL),
        "recover": Rule(resolving.do_recover, "Determination of {vehicle}", resolving.RECOVERY),
        "go on": Rule(lambda _play, _action: None, "go on", rounds.ROUNDS),
    }
)


class FrothyRaces(ByRules[GameState, Play]):
    """The book as `engine.game.contract.Game`."""

    about = ABOUT
    states = GameState
    rules = RULES
    facts = FACTS

    def begin(self, setup: JsonObject) -> tuple[Event, ...]:
        """The events that begin a race; see `beginning.begin` for the fields."""
        return beginning.begin(setup)

    def setup(self, so_far: JsonObject) -> SetUpForm:
        """The race and its rules, each player's vehicle and team."""
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
        """The player's vehicle is taken off the track."""
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
        """The track: as the table has it where it is the same, else where it may lie."""
        return beginning.track_now(state, table_board).board

    def awaits(self, state: GameState) -> tuple[Awaited, ...]:
        """The vehicle that may be moved now."""
        return guide.awaits(state)

    def measured(self, state: GameState, action: Action, seen: Seen) -> bool | None:
        """Whether the move was measured: a way that is typed counts as typed, whatever was seen."""
        typed = isinstance(action.data, Mapping) and action.data.get("way") is not None
        return super().measured(state, action, seen) and not (action.kind == "move" and typed)

    def driven(self, state: GameState, event: Event, board: Board) -> float | None:
        """From hex to hex."""
        cell = state.vehicle(event.data["vehicle"]).cell if event.kind == "moved" else None
        return None if cell is None else along(board, cell, map(tuple, event.data["cells"]))

    def guide(self, state: GameState, awaited: Awaited, move: Move | None, table: TableState) -> Guide:  # noqa: ARG002
        """What the screen of whoever moves the vehicle shows."""
        return guide.guide(state, awaited, move)

    def removed(self, state: GameState) -> tuple[str, ...]:
        """The vehicles that were taken off the track; a wreck stays where it is."""
        return tuple(v.name for v in state.vehicles if v.gone)

    def on_board(self, state: GameState, seen: Seen) -> tuple[Ghost, ...]:
        """Each vehicle where the game has it."""
        return guide.on_board(state, seen)

    def ghosts(self, state: GameState, seen: Seen) -> tuple[Ghost, ...]:
        """Each vehicle on its hex, but for one whose move is awaited."""
        return guide.ghosts(state, seen)

    def questions(self, state: GameState | None, picked: tuple[str, ...]) -> tuple[Question, ...]:
        """Who is in front, who stands to the side, who may be reached."""
        return questions.questions(state, picked)

    def rule(self, state: GameState | None, question: Question, table: TableState) -> Ruling:
        """The answer, as the camera has the two."""
        return questions.rule(state, question, table)

    def reach(self, state: GameState | None, question: Question, table: TableState) -> tuple[Mark, ...]:  # noqa: ARG002
        """The hexes that are asked about."""
        return questions.reach(state, question)

    # Looking

    def proposals(self, state: GameState, seen: Seen, player: str, chance: Random) -> Iterable[Proposal]:
        """Every way of the vehicle whose turn it is."""
        return driver.proposals(state, seen, player, chance)

    def worth(self, state: GameState, table: TableState | None, player: str) -> Worth | None:
        """How far the race has been driven."""
        return driver.worth(state, table, player)

    def status(self, state: GameState, viewer: Viewer) -> Status:  # noqa: ARG002
        """Whose turn it is, what has to be resolved, or who has won."""
        return status(state)

    def sheets(self, state: GameState, viewer: Viewer) -> tuple[Sheet, ...]:
        """Every vehicle's driving licence; the hand for its player alone."""
        return sheets(state, viewer)

    def cards(self, state: GameState) -> tuple[PlayCard, ...]:
        """Every vehicle's driving licence, to be played from on paper."""
        return cards(state)

    def previews(self, so_far: JsonObject) -> tuple[PlayCard, ...]:
        """The driving licences of vehicles as they are chosen or built."""
        return previews(so_far)

    def marks(self, state: GameState, table: TableState | None, viewer: Viewer) -> tuple[Mark, ...]:  # noqa: ARG002
        """Obstacles on their hexes, and where the vehicle whose turn it is may end."""
        return guide.marks(state)


GAME: Game[GameState] = FrothyRaces()
"""The game, where `engine.game.registry.game_called` looks for it."""
