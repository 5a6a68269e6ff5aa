"""Car Cult (notes of 2016) as a game: its actions by name, each with what it does."""

from __future__ import annotations

from collections.abc import Mapping

from engine.game.contract import Game, Seen, surely
from engine.game.events import Action, JsonObject
from engine.game.kit.actions import Rule, going_on
from engine.games.car_cult import driver
from engine.games.car_cult.about import ABOUT
from engine.games.car_cult.acts import beginning, moving, rounds
from engine.games.car_cult.acts.recognised import FACTS, as_seen, blast_says, measured
from engine.games.car_cult.page import guide
from engine.games.car_cult.page.options import may_ask, options, reach, rule
from engine.games.car_cult.page.options import questions as questions_questions
from engine.games.car_cult.page.sheets import set_up, sheets, status
from engine.games.car_cult.rules.attacks import APPLY, EXPLODING, ROLL, blast
from engine.games.car_cult.rules.moves import COMMENTS
from engine.games.car_cult.state import EVENTS, STATES, GameState, Play

RULES: Mapping[str, Rule[Play]] = {
    "deploy": Rule(rounds.do_deploy, "put {car} down", rounds.START),
    "shift": Rule(moving.do_shift, "Down Shift by {tokens}", moving.SHIFT),
    "allocate": Rule(moving.do_allocate, "Speed tokens are allocated", moving.ACTIVATION),
    "move": Rule(moving.do_move, "the move of {car}", moving.MOVE),
    "boost": Rule(moving.do_boost, "use the {component}", COMMENTS),
    "declare": Rule(rounds.do_declare, "attack {target} with the {weapon}", rounds.DECLARE),
    "fire": Rule(
        rounds.do_fire, "measure and roll[, {weapon} at {target}]", rounds.MEASURE,
        known=rounds.attacked_with,
    ),
    "reroll": Rule(rounds.do_reroll, "reroll a die", rounds.REROLL),
    "keep": Rule(rounds.do_keep, "the dice stay", ROLL),
    "exchange": Rule(moving.do_swap, "swap {one} with {other}", moving.FIXING),
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
    "done": Rule(moving.do_done, "done", moving.ACTIVATION),
    "go on": going_on(rounds.ROUNDS),
}  # fmt: skip


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
    removed=lambda state: (*(car.name for car in state.cars if car.status == "exploded"), *state.destroyed),
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
