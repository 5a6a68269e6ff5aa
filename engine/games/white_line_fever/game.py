"""White Line Fever 0.9 as a game: its actions by name, each with its check and what it does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple

from engine.boards.board import Board
from engine.errors import TableRefError
from engine.game.acting import reading
from engine.game.acting.rules import announced
from engine.game.contract import Game, Option, Question, RuleBook, Seen
from engine.game.dice import Dice, TypedDice
from engine.game.events import RULED, RULED_BY, STARTS, Action, Event, Illegal, JsonObject, Reason
from engine.game.forms import SetUpForm
from engine.game.proposing import Proposal, Worth
from engine.game.showing import Awaited, Ghost, Guide, Mark, Sheet, Status, Viewer
from engine.game.text import the
from engine.games.white_line_fever import driver
from engine.games.white_line_fever.about import ABOUT
from engine.games.white_line_fever.acts import (
    beginning,
    conceding,
    deploying,
    dropping,
    exploding,
    lawful,
    manoeuvring,
    placing,
    rounds,
    shooting,
)
from engine.games.white_line_fever.book.weapons import BOOK
from engine.games.white_line_fever.contract import guide, questions, to_place
from engine.games.white_line_fever.contract.options import options
from engine.games.white_line_fever.contract.recognised import FACTS, as_seen, measured, table_says
from engine.games.white_line_fever.contract.set_up import set_up
from engine.games.white_line_fever.contract.sheets import sheets
from engine.games.white_line_fever.contract.status import status
from engine.games.white_line_fever.effects import damage
from engine.games.white_line_fever.effects.explosions import known_blasts
from engine.games.white_line_fever.state import fold
from engine.games.white_line_fever.state.game_state import GameState, as_json, from_json
from engine.games.white_line_fever.state.play import Play, told
from engine.motion.moves import Move
from engine.ruling import Ruling
from engine.space.table import TableState


class Rule(NamedTuple):
    """An action: why not, what follows, in which words, by which rule; the fields that its data may have."""

    check: Callable[[GameState, Action, TableState | None], list[Reason]]
    do: Callable[[Play, Action], None]
    words: str
    citation: str
    fields: tuple[str, ...] = ()


_MET = ("contacts", "obstacle", "left_surface", "triggered")

RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "deployment": Rule(
            deploying.check_deployment,
            deploying.do_deployment,
            "deployment: {deployment}",
            deploying.DEPLOYMENT,
            ("deployment",),
        ),
        "deploy": Rule(
            deploying.check_deploy,
            deploying.do_deploy,
            "deploy {car}",
            deploying.DEPLOYMENT,
            ("car", "at", "move"),
        ),
        "choose": Rule(rounds.check_choose, rounds.do_choose, "drive {car}", rounds.ROUNDS, ("car",)),
        "reverse": Rule(
            rounds.check_reverse, rounds.do_reverse, "go in reverse", rounds.DIRECTION, ("because",)
        ),
        "move": Rule(
            manoeuvring.check_move,
            manoeuvring.do_move,
            "Maneuver of {car}",
            manoeuvring.PERFORM,
            ("car", "move", "steps", "from", "to", "unavoidable", "left", *_MET),
        ),
        "shoot": Rule(
            shooting.check_shoot,
            shooting.do_shoot,
            "shoot at {target} with {the_weapon}",
            shooting.ACTION,
            ("weapon", "target", "apply", "band", "sight", "arc", "tailgate", "reached"),
        ),
        "drop": Rule(
            dropping.check_drop, dropping.do_drop, "drop a token", dropping.DROP, ("token", "at", "under")
        ),
        "floor_it": Rule(rounds.check_floor_it, rounds.do_floor_it, "Floor It", rounds.FLOOR_IT),
        "speed": Rule(rounds.check_speed, rounds.do_speed, "Speed {to}", rounds.SPEED, ("to",)),
        "end": Rule(rounds.check_end, rounds.do_end, "keep the Speed", rounds.ROUNDS),
        "placed": Rule(
            placing.check_placed,
            placing.do_placed,
            "{car} has been placed",
            placing.STANDS,
            ("car", "at", "move", *_MET),
        ),
        "blast": Rule(
            exploding.check_blast, exploding.do_blast, "who is in the explosion", damage.EXPLODING, ("cars",)
        ),
    }
)


class WhiteLineFever(RuleBook[GameState]):
    """The rule book as `engine.game.contract.Game`."""

    about = ABOUT
    facts = FACTS

    def first(self) -> GameState:
        """Nobody at the table yet."""
        return GameState()

    def begin(self, given: JsonObject) -> tuple[Event, ...]:
        """The event that begins a game; see `beginning.begin` for the fields."""
        return beginning.begin(given)

    def announce(self, action: Action) -> tuple[str, str]:
        """An action in words, and where the book allows it."""
        rule = _rule(action)
        weapon = the(str(action.data.get("weapon", "?")))
        return announced(action, rule.words, the_weapon=weapon), rule.citation

    def measured(self, state: GameState, action: Action, seen: Seen) -> bool | None:
        """Whether the way, the place or the shot was measured."""
        return measured(state, action, seen)

    def table_says(self, state: GameState, action: Action, seen: Seen) -> JsonObject:
        """What was measured of how cars stand and what they met."""
        return table_says(state, action, seen)

    def renewed(self, event: Event) -> Event:
        """With the pieces and the tone that older records did not keep."""
        if event.kind in STARTS or event.pieces or event.tone != "plain":
            return event
        fell_here = event.kind == "roll" and event.data["source"] != "typed"
        return replace(told(event.kind, event.words, event.citation, event.data), barrier=fell_here)

    def setup(self, so_far: JsonObject) -> SetUpForm:
        """What each car carries, how the game starts, the house rules."""
        return set_up(so_far)

    def options(self, state: GameState, seen: Seen) -> tuple[Option, ...]:
        """What may be done now; with a table, also what is not lawful on it and why."""
        return options(state, seen, self.check)

    def check(self, state: GameState, action: Action, seen: Seen) -> tuple[Reason, ...]:
        """All reasons against the action; those that the players have ruled on do not stand."""
        try:
            _only_known(action)
            return lawful.settled(_against(state, *as_seen(state, action, seen), seen), action)
        except TableRefError as error:
            return (Reason(str(error), BOOK),)

    def act(self, state: GameState, action: Action, seen: Seen, dice: Dice) -> tuple[Event, ...]:
        """What follows from a lawful action, up to where somebody has to do something."""
        try:
            _only_known(action)
            action, ruled = as_seen(state, action, seen)
            found = _against(state, action, ruled, seen)
            reasons = lawful.settled(found, action)
        except TableRefError as error:
            raise Illegal((Reason(str(error), BOOK),)) from error
        if reasons:
            raise Illegal(reasons)
        play = Play(state, seen.table, dice)
        lawful.tell_rulings(play, found, action)
        _rule(action).do(play, action)
        known_blasts(play)
        rounds.settle(play)
        return tuple(play.events)

    def follow(self, state: GameState) -> tuple[Event, ...]:
        """Victory, and rounds of cars and players that are no more."""
        play = Play(state, None, TypedDice())
        rounds.settle(play)
        return tuple(play.events)

    def concede(self, state: GameState, player: str) -> tuple[Event, ...]:
        """The player's cars leave the table."""
        play = Play(state, None, TypedDice())
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

    def driven(self, state: GameState, event: Event, board: Board) -> float | None:  # noqa: ARG002
        """The runs of a Maneuver, drifts among them; one of which no step is known tells of no way."""
        steps = event.data["steps"] if event.kind == "moved" else ()
        return sum(abs(s.get("ahead", 0.0)) for s in steps if s["kind"] != "turn") if steps else None

    def guide(self, state: GameState, awaited: Awaited, move: Move | None, table: TableState) -> Guide:
        """Where the car may go, what is left of its Speed, and the ruling at rest."""
        return guide.guide(state, awaited, move, table)

    def questions(self, state: GameState | None, picked: tuple[str, ...]) -> tuple[Question, ...]:
        """The shots of the first piece at the second."""
        return questions.questions(state, picked)

    def rule(self, state: GameState | None, question: Question, table: TableState) -> Ruling:
        """May that shot be taken."""
        return questions.rule(state, question, table)

    def reach(self, state: GameState | None, question: Question, table: TableState) -> tuple[Mark, ...]:
        """The arc of the question's weapon and its two ranges."""
        return questions.reach(state, question, table)

    def removed(self, state: GameState) -> tuple[str, ...]:
        """The cars that have left the game; a wreck stays as an obstacle."""
        return tuple(car.name for car in state.cars if car.status == "removed")

    def ghosts(self, state: GameState, seen: Seen) -> tuple[Ghost, ...]:
        """Where cars must be put before the game goes on."""
        return to_place.ghosts(state, seen)

    # A player for an empty seat

    def proposals(self, state: GameState, seen: Seen, player: str, chance: Random) -> Iterable[Proposal]:
        """Maneuvers that meet nothing."""
        return driver.proposals(state, seen, player, chance)

    def worth(self, state: GameState, table: TableState | None, player: str) -> Worth | None:
        """Armour, cars, shots to come, room to drive in."""
        return driver.worth(state, table, player)

    # Looking

    def status(self, state: GameState, viewer: Viewer) -> Status:  # noqa: ARG002
        """Whose round it is, what has to be done first, or who has won."""
        return status(state)

    def sheets(self, state: GameState, viewer: Viewer) -> tuple[Sheet, ...]:  # noqa: ARG002
        """Every car's record sheet."""
        return sheets(state)

    def marks(self, state: GameState, table: TableState | None, viewer: Viewer) -> tuple[Mark, ...]:  # noqa: ARG002
        """The car of the round, and the tokens of which it is known where they lie."""
        return to_place.marks(state, table)


def _only_known(action: Action) -> None:
    """Refuse what this kind of action does not ask for."""
    reading.only(action.data, (*_rule(action).fields, RULED, RULED_BY), action.kind)


def _against(state: GameState, action: Action, ruled: list[Reason], seen: Seen) -> list[Reason]:
    """Everything that rule, table and a recognised move have against an action."""
    return [*_rule(action).check(state, action, seen.table), *ruled]


def _rule(action: Action) -> Rule:
    return reading.of_kind(RULES, action.kind)


GAME: Game[GameState] = WhiteLineFever()
"""The game, where `engine.game.registry.game_called` looks for it."""
