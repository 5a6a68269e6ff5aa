"""Shattered Highways 0.3.8 as a game: its actions by name, each with what it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.boards.board import Board
from engine.boards.road import Road
from engine.game.contract import Game, Seen, reasons_against, surely
from engine.game.dice import Dice
from engine.game.events import Action, JsonObject, Reason
from engine.game.kit.actions import Rule, going_on
from engine.game.kit.events import Events
from engine.game.kit.play import without_rulings
from engine.game.records import to_json
from engine.games.shattered_highways import driver
from engine.games.shattered_highways.about import ABOUT
from engine.games.shattered_highways.acts import beginning, fighting, moving, recognised, rounds
from engine.games.shattered_highways.acts.beginning import do_placed, do_shifted, do_wreck
from engine.games.shattered_highways.acts.rounds import together
from engine.games.shattered_highways.book.data import BOOK, cite
from engine.games.shattered_highways.page import questions
from engine.games.shattered_highways.page.guide import awaits, ghosts, guide, marks, removed, shed, spare
from engine.games.shattered_highways.page.offers import surely_behind, with_usual
from engine.games.shattered_highways.page.options import offers
from engine.games.shattered_highways.page.sheets import set_up, sheets, status
from engine.games.shattered_highways.rules import striking
from engine.games.shattered_highways.rules.damage import DESTROYED, HIDDEN_BUGGY
from engine.games.shattered_highways.rules.moves import place_of
from engine.games.shattered_highways.rules.owed import with_places
from engine.games.shattered_highways.state import EVENTS, STATES, GameState, Play

RULES: Mapping[str, Rule[Play]] = {
    "deployment": Rule(rounds.do_deployment, "deployment: {deployment}", rounds.DEPLOYMENT),
    "first": Rule(rounds.do_first, "who goes first", rounds.SETUP),
    "deploy": Rule(rounds.do_deploy, "put {vehicle} down", rounds.SETUP),
    "order": Rule(rounds.do_order, "the play orders are revealed", rounds.COMBAT),
    "move": Rule(moving.do_move, "Move {vehicle}", moving.MOVE),
    "moved": Rule(moving.do_moved, "{vehicle} is moved", moving.MOVE),
    "nudge": Rule(moving.do_nudge, "Nudge[ {targets}] with {vehicle}", striking.NUDGE),
    "ram": Rule(moving.do_ram, "Ram[ {targets}] with {vehicle}", striking.RAM),
    "decouple": Rule(moving.do_decouple, "decouple the trailer of {vehicle}", DESTROYED),
    "launch": Rule(moving.do_launch, "drive {vehicle} out", HIDDEN_BUGGY),
    "change": Rule(fighting.do_change, "{warrior} changes seats", fighting.CHANGE),
    "board": Rule(fighting.do_board, "{warrior} boards {to}", fighting.BOARD),
    "climb": Rule(fighting.do_board, "{warrior} boards the {part}", fighting.BOARD),
    "sit": Rule(fighting.do_sit, "{warrior} takes a seat", fighting.BOARD),
    "leap": Rule(
        fighting.do_leap, "{warrior} leaps[ off {wreck}] for {to}", DESTROYED, known=fighting.wreck_due
    ),
    "stay": Rule(fighting.do_leap, "{warrior} stays on the wreck", DESTROYED),
    "attack": Rule(fighting.do_attack, "{warrior} attacks {target}", fighting.ATTACK),
    "shoot": Rule(fighting.do_shoot, "{warrior} shoots at a {aim}", fighting.SHOOT),
    "unjam": Rule(fighting.do_unjam, "{warrior} clears a weapon", fighting.SHOOT),
    "hurt": Rule(fighting.do_hurt, "{warrior} is hit by shrapnel", fighting.SHOOT),
    "placed": Rule(do_placed, "{vehicle} has been placed", cite("Play Setup")),
    "shifted": Rule(do_shifted, "all vehicles have been moved back", moving.MOVE),
    "wreck": Rule(do_wreck, "who has to veer", DESTROYED),
    "done": Rule(rounds.do_done, "done", rounds.WITHIN),
    "go on": going_on(rounds.WITHIN),
}


def play(kinds: Events[GameState], state: GameState, seen: Seen, dice: Dice) -> Play:
    """An action to be carried out on a state.

    How the road lies is told once: what is measured along it can then be told again.
    """
    one = Play(kinds, state, seen, dice)
    one.places = with_places
    if seen.table is not None and state.road is None:
        place = place_of(seen.board, seen.table)
        words = f"the road is {place.length:g} in long and {place.width:g} in wide"
        one.tell("laid", words, rounds.SETUP, road=to_json(place))
    return one


def as_seen(state: GameState, action: Action, seen: Seen) -> tuple[Action, Sequence[Reason]]:
    """The action with what the table says of it, and what the book has against that."""
    if seen.table is None:
        return action, ()
    told, found = recognised.as_seen(state, action, seen)
    return with_usual(GAME.options(state, seen), told), found


def objections(state: GameState, action: Action, seen: Seen) -> tuple[Reason, ...]:
    """All reasons against the action, those too that options and forms cannot say alone."""
    plain, found = as_seen(state, without_rulings(action), seen)
    against = reasons_against(GAME.options(state, seen), plain, BOOK)
    return against or (*together(state, plain), *found)


def says(state: GameState, action: Action, seen: Seen) -> JsonObject:
    """What the table answers where nobody says otherwise."""
    said = {"dust": False} | dict(surely(*as_seen(state, action, seen)))
    if action.kind == "wreck" and not surely_behind(state, seen):
        said.pop("behind", None)
    return said


def board(state: GameState, table_board: Board) -> Board:
    """The table's road, as far as the fleet was moved back on it."""
    return table_board.shifted(state.scroll) if isinstance(table_board, Road) else table_board


GAME: Game[GameState] = Game(
    about=ABOUT,
    states=STATES,
    events=EVENTS,
    rules=RULES,
    facts=recognised.FACTS,
    setup=set_up,
    begin=beginning.begin,
    offers=offers,
    play=play,
    as_seen=as_seen,
    objections=objections,
    settle=rounds.settle,
    give_up=rounds.concede,
    says=says,
    by_camera=recognised.measured,
    board=board,
    awaits=awaits,
    guide=guide,
    ghosts=ghosts,
    removed=removed,
    shed=shed,
    spare=lambda state, _seen: spare(state),
    questions=questions.questions,
    rule=questions.rule,
    rests_on=questions.rests_on,
    reach=questions.reach,
    proposals=driver.proposals,
    worth=driver.worth,
    status=lambda state, _viewer: status(state),
    sheets=lambda state, _viewer: sheets(state),
    marks=lambda state, table, _viewer: marks(state, table),
)
"""The game, where `engine.game.registry.game_called` looks for it."""
