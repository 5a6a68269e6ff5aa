"""Frothy Races as a game: its actions by name, each with what it does."""

from __future__ import annotations

from collections.abc import Mapping

from engine.boards.board import Board
from engine.game.contract import Game, Seen, names_awaited
from engine.game.dice import Dice
from engine.game.events import Action, Event
from engine.game.kit.actions import Rule, going_on
from engine.game.kit.cells import along, ghosts_on
from engine.game.kit.events import Events
from engine.games.frothy_races import driver
from engine.games.frothy_races.about import ABOUT
from engine.games.frothy_races.acts import attacking, beginning, moving, rounds
from engine.games.frothy_races.acts.moving import CHECK, SWAPPING, do_check, do_keep, do_swap
from engine.games.frothy_races.acts.recognised import FACTS, as_seen, goes_nowhere, table_says
from engine.games.frothy_races.page import guide
from engine.games.frothy_races.page.options import options, reach, rule
from engine.games.frothy_races.page.options import questions as questions_questions
from engine.games.frothy_races.page.sheets import cards, previews, set_up, sheets, status
from engine.games.frothy_races.rules.control import PASSING, ROLL
from engine.games.frothy_races.rules.damage import REROLLS
from engine.games.frothy_races.rules.damage import ROLL as DAMAGE_ROLL
from engine.games.frothy_races.state import EVENTS, STATES, GameState, Play

RULES: Mapping[str, Rule[Play]] = {
    "start": Rule(beginning.do_start, "draw lots for the places", beginning.SETUP),
    "check": Rule(do_check, "Speed check of {vehicle}", CHECK),
    "keep": Rule(do_keep, "take the value[ {value}]", CHECK),
    "move": Rule(moving.do_move, "the move of {vehicle}", moving.MOVEMENT),
    "steer": Rule(moving.do_turn, "{vehicle} turns[: {turn}]", moving.TURNING),
    "pace": Rule(moving.do_pace, "a {face} card of {vehicle}", moving.MODIFYING),
    "jump": Rule(moving.do_jump, "{vehicle} jumps", moving.JUMPS),
    "done": Rule(moving.do_done, "{vehicle} does not move", moving.MOVEMENT),
    "attack": Rule(attacking.do_attack, "{vehicle}: a {sort} attack on {target}", attacking.ATTACKS),
    "clash": Rule(attacking.do_clash, "the cards of the attack are revealed", attacking.PERFORMING),
    "control": Rule(attacking.do_control, "roll for control of {vehicle}", ROLL),
    "discard": Rule(attacking.do_discard, "discard[ {discard}]", ROLL),
    "special": Rule(attacking.do_special, "play {card}", attacking.SPECIALS),
    "reroll": Rule(attacking.do_reroll, "dice of {vehicle} again", REROLLS),
    "adapt": Rule(do_swap, "{vehicle} swaps cards", SWAPPING),
    "face": Rule(attacking.do_face, "turn {vehicle} past what it hit", PASSING),
    "survive": Rule(attacking.do_survive, "Survivor of {vehicle}", DAMAGE_ROLL),
    "recover": Rule(attacking.do_recover, "Determination of {vehicle}", attacking.RECOVERY),
    "go on": going_on(rounds.ROUNDS),
}


def play(kinds: Events[GameState], state: GameState, seen: Seen, dice: Dice) -> Play:
    """An action to be carried out on a state; where the track lies is told first."""
    one = Play(kinds, state, seen, dice)
    beginning.lies(one)
    return one


def measured(state: GameState, action: Action, seen: Seen) -> bool | None:
    """Whether the move was measured: a way that is typed counts as typed, whatever was seen."""
    if goes_nowhere(state, action, seen):
        return None  # what it runs into where it stands moves nothing
    typed = isinstance(action.data, Mapping) and action.data.get("way") is not None
    return names_awaited(guide.awaits(state), action, seen) and not (action.kind == "move" and typed)


def driven(state: GameState, event: Event, played_on: Board) -> float | None:
    """From hex to hex."""
    cell = state.vehicle(event.data["vehicle"]).cell if event.kind == "moved" else None
    return None if cell is None else along(played_on, cell, map(tuple, event.data["cells"]))


GAME = Game(
    about=ABOUT,
    states=STATES,
    events=EVENTS,
    rules=RULES,
    facts=FACTS,
    setup=set_up,
    begin=beginning.begin,
    offers=options,
    play=play,
    as_seen=as_seen,
    settle=rounds.settle,
    give_up=rounds.concede,
    says=table_says,
    by_camera=measured,
    driven=driven,
    board=lambda state, table_board: beginning.track_now(state, table_board).board,
    awaits=guide.awaits,
    guide=lambda state, awaited, move, _table: guide.guide(state, awaited, move),
    ghosts=guide.ghosts,
    on_board=lambda state, seen: ghosts_on(state, (), seen, moving.MOVEMENT),
    removed=lambda state: tuple(v.name for v in state.vehicles if v.gone),  # a wreck stays where it is
    questions=questions_questions,
    rule=rule,
    reach=lambda state, question, _table: reach(state, question),
    proposals=driver.proposals,
    worth=driver.worth,
    status=lambda state, _viewer: status(state),
    sheets=sheets,
    cards=cards,
    previews=previews,
    marks=lambda state, _table, _viewer: guide.marks(state),
)
"""The game, where `engine.game.registry.game_called` looks for it."""
