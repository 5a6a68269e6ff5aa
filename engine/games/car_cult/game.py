"""Car Cult (notes of 2016) as a game: its actions by name, each with what it does."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.game.contract import Game, Seen, surely
from engine.game.events import Action, JsonObject
from engine.game.kit.actions import Rule, going_on
from engine.games.car_cult import driver
from engine.games.car_cult.about import ABOUT
from engine.games.car_cult.acts import beginning, moving, rounds
from engine.games.car_cult.acts.moving import (
    ACTIVATION,
    FIXING,
    SHIFT,
    do_allocate,
    do_boost,
    do_done,
    do_shift,
    do_swap,
)
from engine.games.car_cult.acts.recognised import FACTS, as_seen, blast_says, measured
from engine.games.car_cult.acts.rounds import (
    DECLARE,
    MEASURE,
    REROLL,
    do_declare,
    do_fire,
    do_keep,
    do_reroll,
)
from engine.games.car_cult.page import guide
from engine.games.car_cult.page.options import may_ask, options, reach, rule
from engine.games.car_cult.page.options import questions as questions_questions
from engine.games.car_cult.page.sheets import set_up, sheets, status
from engine.games.car_cult.rules.attacks import APPLY, EXPLODING, ROLL, blast
from engine.games.car_cult.rules.moves import COMMENTS
from engine.games.car_cult.state import EVENTS, STATES, GameState, Play

RULES: Mapping[str, Rule[Play]] = MappingProxyType(
    {
        "deploy": Rule(rounds.do_deploy, "put {car} down", rounds.START),
        "shift": Rule(do_shift, "Down Shift by {tokens}", SHIFT),
        "allocate": Rule(do_allocate, "Speed tokens are allocated", ACTIVATION),
        "move": Rule(moving.do_move, "the move of {car}", moving.MOVE),
        "boost": Rule(do_boost, "use the {component}", COMMENTS),
        "declare": Rule(do_declare, "attack {target} with the {weapon}", DECLARE),
        "fire": Rule(
            do_fire, "measure and roll[, {weapon} at {target}]", MEASURE, known=rounds.attacked_with
        ),
        "reroll": Rule(do_reroll, "reroll a die", REROLL),
        "keep": Rule(do_keep, "the dice stay", ROLL),
        "exchange": Rule(do_swap, "swap {one} with {other}", FIXING),
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
        "done": Rule(do_done, "done", ACTIVATION),
        "go on": going_on(rounds.ROUNDS),
    }
)


def says(state: GameState, action: Action, seen: Seen) -> JsonObject:
    """What was measured of a move, an attack or an explosion."""
    if action.kind == "blast":
        return blast_says(state)
    said = dict(surely(*as_seen(state, action, seen)))
    if "ground" in said:
        said["rough"] = sum(one["inches"] for one in said["ground"])
    return said


GAME = Game(
    about=ABOUT,
    states=STATES,
    events=EVENTS,
    rules=RULES,
    facts=FACTS,
    setup=set_up,
    begin=beginning.begin,
    offers=options,
    play=Play,
    as_seen=as_seen,
    settle=rounds.settle,
    give_up=rounds.concede,
    says=says,
    by_camera=measured,
    driven=lambda _state, event, _board: float(event.data["inches"]) if event.kind == "moved" else None,
    awaits=guide.awaits,
    guide=guide.guide,
    removed=lambda state: (
        *(car.name for car in state.cars if car.status == "exploded"),
        *state.destroyed,
    ),
    questions=questions_questions,
    rule=rule,
    reach=reach,
    may_ask=may_ask,
    proposals=driver.proposals,
    worth=driver.worth,
    doubt=0.4,
    status=lambda state, _viewer: status(state),
    sheets=lambda state, _viewer: sheets(state),
    marks=lambda state, table, _viewer: guide.marks(state, table),
)
"""The game, where `engine.game.registry.game_called` looks for it."""
