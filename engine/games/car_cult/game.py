"""Car Cult (notes of 2016) as a game: its actions by name, each with what it does."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.game.contract import Game, Seen, surely
from engine.game.events import Action, JsonObject
from engine.game.kit.actions import Rule, going_on
from engine.games.car_cult import driver
from engine.games.car_cult.about import ABOUT
from engine.games.car_cult.acts import activating, attacking, beginning, moving, rounds
from engine.games.car_cult.acts.recognised import FACTS, as_seen, blast_says, measured
from engine.games.car_cult.page import guide, questions
from engine.games.car_cult.page.options import options
from engine.games.car_cult.page.set_up import set_up
from engine.games.car_cult.page.sheets import sheets, status
from engine.games.car_cult.rules.attacks import ROLL
from engine.games.car_cult.rules.damage import APPLY, EXPLODING, blast
from engine.games.car_cult.state.fold import EVENTS, Play
from engine.games.car_cult.state.game_state import STATES, GameState

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
    questions=questions.questions,
    rule=questions.rule,
    reach=questions.reach,
    may_ask=questions.may_ask,
    proposals=driver.proposals,
    worth=driver.worth,
    status=lambda state, _viewer: status(state),
    sheets=lambda state, _viewer: sheets(state),
    marks=lambda state, table, _viewer: guide.marks(state, table),
)
"""The game, where `engine.game.registry.game_called` looks for it."""
