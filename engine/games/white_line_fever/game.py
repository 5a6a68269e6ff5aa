"""White Line Fever 0.9 as a game: its actions by name, each with its check and what it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from engine.errors import TableRefError
from engine.game.contract import About, Game, Option, RuleBook, Seen
from engine.game.dice import Dice, TypedDice
from engine.game.events import Action, Event, Illegal, JsonObject, Reason
from engine.game.showing import Status, Viewer
from engine.games.white_line_fever import (
    damage,
    deploying,
    drops,
    fold,
    lawful,
    manoeuvre,
    placing,
    rounds,
    setup,
    shots,
)
from engine.games.white_line_fever.damage import known_blasts
from engine.games.white_line_fever.options import options
from engine.games.white_line_fever.play import Play
from engine.games.white_line_fever.state import GameState, as_json, from_json
from engine.games.white_line_fever.weapons import BOOK
from engine.space.table import TableState


class Rule(NamedTuple):
    """An action: why not, what follows, in which words, by which rule."""

    check: Callable[[GameState, Action, TableState | None], list[Reason]]
    do: Callable[[Play, Action], None]
    words: str
    citation: str


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "deployment": Rule(
            deploying.check_deployment,
            deploying.do_deployment,
            "deployment: {deployment}",
            deploying.DEPLOYMENT,
        ),
        "deploy": Rule(deploying.check_deploy, deploying.do_deploy, "deploy {car}", deploying.DEPLOYMENT),
        "choose": Rule(rounds.check_choose, rounds.do_choose, "drive {car}", rounds.ROUNDS),
        "reverse": Rule(rounds.check_reverse, rounds.do_reverse, "go in reverse", rounds.DIRECTION),
        "move": Rule(manoeuvre.check_move, manoeuvre.do_move, "manoeuvre of {car}", manoeuvre.PERFORM),
        "shoot": Rule(shots.check_shoot, shots.do_shoot, "shoot at {target} with the {weapon}", shots.ACTION),
        "drop": Rule(drops.check_drop, drops.do_drop, "drop a token", drops.DROP),
        "floor_it": Rule(rounds.check_floor_it, rounds.do_floor_it, "Floor It", rounds.FLOOR_IT),
        "speed": Rule(rounds.check_speed, rounds.do_speed, "Speed {to}", rounds.SPEED),
        "end": Rule(rounds.check_end, rounds.do_end, "keep the Speed", rounds.ROUNDS),
        "placed": Rule(placing.check_placed, placing.do_placed, "{car} has been placed", placing.STANDS),
        "blast": Rule(damage.check_blast, damage.do_blast, "who is in the explosion", damage.EXPLODING),
    }
)


class WhiteLineFever(RuleBook[GameState]):
    """The rule book as `engine.game.contract.Game`."""

    about = About("white_line_fever", "White Line Fever", BOOK, "1")

    def first(self) -> GameState:
        """Nobody at the table yet."""
        return GameState()

    def begin(self, given: JsonObject) -> tuple[Event, ...]:
        """The event that begins a game; see `setup.begin` for the fields."""
        return setup.begin(given)

    def announce(self, action: Action) -> tuple[str, str]:
        """An action in words, and where the book allows it."""
        rule = _rule(action)
        words = rule.words.format_map(_Said(action.data))
        return f"{action.player or 'the referee'}: {words}", rule.citation

    def options(self, state: GameState, seen: Seen) -> tuple[Option, ...]:  # noqa: ARG002
        """What may be done now."""
        return options(state)

    def status(self, state: GameState, viewer: Viewer) -> Status:  # noqa: ARG002
        """Whose round it is."""
        turn = state.round
        return Status("", "" if turn is None else turn.driver, over=state.over, winner=state.winner)

    def check(self, state: GameState, action: Action, seen: Seen) -> tuple[Reason, ...]:
        """All reasons against the action; those that the players have ruled on do not stand."""
        return lawful.settled(_rule(action).check(state, action, seen.table), action)

    def act(self, state: GameState, action: Action, seen: Seen, dice: Dice) -> tuple[Event, ...]:
        """What follows from a lawful action, up to where somebody has to do something."""
        rule = _rule(action)
        found = rule.check(state, action, seen.table)
        if reasons := lawful.settled(found, action):
            raise Illegal(reasons)
        play = Play(state, seen.table, dice)
        lawful.tell_rulings(play, found, action)
        rule.do(play, action)
        known_blasts(play)
        rounds.settle(play)
        return tuple(play.events)

    def follow(self, state: GameState) -> tuple[Event, ...]:
        """Victory, and rounds of cars and players that are no more."""
        play = Play(state, None, TypedDice())
        rounds.settle(play)
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


class _Said(dict[str, Any]):
    """What an action says; a question mark for what it does not."""

    def __missing__(self, key: str) -> str:
        return "?"


def _rule(action: Action) -> Rule:
    if action.kind not in RULES:
        raise TableRefError(f"no action {action.kind!r}; expected one of {', '.join(RULES)}")
    return RULES[action.kind]


GAME: Game[GameState] = WhiteLineFever()
"""The game, where `engine.game.registry.game_called` looks for it."""
