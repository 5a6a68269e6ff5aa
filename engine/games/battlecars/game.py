"""Battlecars as a game: its actions by name, each with what it does."""

from __future__ import annotations

from collections.abc import Mapping

from engine.boards.board import Board
from engine.boards.points import Points
from engine.game.contract import Game, Seen, names_awaited
from engine.game.dice import Dice
from engine.game.events import Action, Event
from engine.game.kit.actions import Rule, going_on
from engine.game.kit.cells import along, ghosts_on
from engine.game.kit.events import Events
from engine.games.battlecars import driver
from engine.games.battlecars.about import ABOUT
from engine.games.battlecars.acts import beginning, firing, moving, rounds
from engine.games.battlecars.acts.recognised import FACTS, as_seen, table_says
from engine.games.battlecars.page import guide
from engine.games.battlecars.page.options import options, reach, rule
from engine.games.battlecars.page.options import questions as questions_questions
from engine.games.battlecars.page.sheets import set_up, sheets, status
from engine.games.battlecars.rules.moves import MOVEMENT
from engine.games.battlecars.rules.pieces import standing_for_nothing
from engine.games.battlecars.rules.shots import FIRING
from engine.games.battlecars.state import EVENTS, STATES, GameState, Play

RULES: Mapping[str, Rule[Play]] = {
    "build": Rule(beginning.do_build, "place terrain: {kind}", beginning.STARTING),
    "start": Rule(beginning.do_start, "roll for the first move", beginning.STARTING),
    "speed": Rule(rounds.do_speed, "the Speed Counters are revealed", rounds.SPEEDS),
    "move": Rule(moving.do_move, "the move", MOVEMENT),
    "pivot": Rule(moving.do_pivot, "stay, or turn on the point", MOVEMENT),
    "leave": Rule(moving.do_leave, "get out", moving.LEAVING),
    "walk": Rule(moving.do_walk, "walk, or stay", moving.WALKING),
    "board": Rule(moving.do_board, "get into {vehicle}", moving.COMMANDEER),
    "fire": Rule(firing.do_fire, "fire a {weapon} at {target}", FIRING),
    "return": Rule(firing.do_return, "return fire with a {weapon} at {target}", firing.RETURN),
    "hold": Rule(firing.do_hold, "do not return fire", firing.RETURN),
    "drop": Rule(firing.do_drop, "drop {kind}", firing.DROPPING),
    "reload": Rule(firing.do_reload, "reload the hand weapon", firing.RELOADING),
    "done": Rule(rounds.do_done, "done", rounds.GAME_TURN),
    "go on": going_on(rounds.GAME_TURN),
}


def play(kinds: Events[GameState], state: GameState, seen: Seen, dice: Dice) -> Play:
    """An action to be carried out on a state; where the board lies is told first."""
    one = Play(kinds, state, seen, dice)
    beginning.lies(one)
    return one


def board(state: GameState, table_board: Board) -> Board:
    """The table's points where they are as many as are played on; else the board that is played on."""
    known = beginning.board_now(state, table_board)
    same = isinstance(table_board, Points) and (table_board.columns, table_board.rows) == (
        known.columns,
        known.rows,
    )
    return table_board if same else known


def measured(state: GameState, action: Action, seen: Seen) -> bool | None:
    """Whether the move was measured: corners that are typed count as typed, whatever was seen."""
    data = action.data if isinstance(action.data, Mapping) else {}
    if action.kind == "walk" and data.get("move") is None and moving.stays(state, data.get("point"), seen):
        return None  # who stays has moved nothing
    typed = data.get("corners" if action.kind == "move" else "point") is not None
    named = names_awaited(guide.awaits(state), action, seen)
    return named and not (action.kind in ("move", "walk") and typed)


def driven(state: GameState, event: Event, played_on: Board) -> float | None:
    """From point to point."""
    cell = state.vehicle(event.data["vehicle"]).cell if event.kind == "drove" else None
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
    board=board,
    awaits=guide.awaits,
    guide=lambda state, awaited, move, _table: guide.guide(state, awaited, move),
    ghosts=guide.ghosts,
    on_board=lambda state, seen: ghosts_on(state, (), seen, MOVEMENT),
    removed=lambda state: tuple(v.name for v in state.vehicles if v.gone),  # a wreck stays where it is
    spare=standing_for_nothing,
    questions=questions_questions,
    rule=rule,
    reach=lambda state, question, _table: reach(state, question),
    proposals=driver.proposals,
    worth=driver.worth,
    doubt=0.4,
    status=lambda state, _viewer: status(state),
    sheets=lambda state, _viewer: sheets(state),
    marks=lambda state, _table, _viewer: guide.marks(state),
)
"""The game, where `engine.game.registry.game_called` looks for it."""
