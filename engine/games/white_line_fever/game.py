"""White Line Fever 0.9 as a game: its actions by name, each with its check and what it does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engine.boards.board import Board
from engine.game.contract import Game, Seen
from engine.game.events import RULED, RULED_BY, STARTS, Action, Event, Reason
from engine.game.kit import reading
from engine.game.kit.actions import Rule
from engine.games.white_line_fever import driver
from engine.games.white_line_fever.about import ABOUT
from engine.games.white_line_fever.acts import beginning, moving, placing, rounds, shooting
from engine.games.white_line_fever.acts.placing import DROP, check_drop, do_drop
from engine.games.white_line_fever.acts.recognised import FACTS, as_seen, measured, table_says
from engine.games.white_line_fever.acts.rounds import ByWords
from engine.games.white_line_fever.page import guide, options
from engine.games.white_line_fever.page.guide import ghosts, marks
from engine.games.white_line_fever.page.sheets import set_up, sheets, status
from engine.games.white_line_fever.rules import damage
from engine.games.white_line_fever.rules.damage import known_blasts
from engine.games.white_line_fever.state import EVENTS, STATES, GameState, Play

_MET = ("contacts", "obstacle", "left_surface", "triggered")

RULES: Mapping[str, Rule[Play]] = {
    "deployment": Rule(
        beginning.do_deployment, "deployment: {deployment}", beginning.DEPLOYMENT,
        beginning.check_deployment, ("deployment",),
    ),
    "deploy": Rule(
        beginning.do_deploy, "deploy {car}", beginning.DEPLOYMENT, beginning.check_deploy,
        ("car", "at", "move"),
    ),
    "choose": Rule(rounds.do_choose, "drive {car}", rounds.ROUNDS, rounds.check_choose, ("car",)),
    "reverse": Rule(
        rounds.do_reverse, "go in reverse", rounds.DIRECTION, rounds.check_reverse, ("because",)
    ),
    "move": Rule(
        moving.do_move, "Maneuver of {car}", moving.PERFORM, moving.check_move,
        ("car", "move", "steps", "from", "to", "unavoidable", "left", *_MET),
    ),
    "shoot": Rule(
        shooting.do_shoot, "shoot at {target} with {the_weapon}", shooting.ACTION, shooting.check_shoot,
        ("weapon", "target", "apply", "band", "sight", "arc", "tailgate", "reached"),
    ),
    "drop": Rule(do_drop, "drop a token", DROP, check_drop, ("token", "at", "under")),
    "floor_it": Rule(rounds.do_floor_it, "Floor It", rounds.FLOOR_IT, rounds.check_floor_it),
    "speed": Rule(rounds.do_speed, "Speed {to}", rounds.SPEED, rounds.check_speed, ("to",)),
    "end": Rule(rounds.do_end, "keep the Speed", rounds.ROUNDS, rounds.check_end),
    "placed": Rule(
        placing.do_placed, "{car} has been placed", placing.STANDS, placing.check_placed,
        ("car", "at", "move", *_MET),
    ),
    "blast": Rule(
        shooting.do_blast, "who is in the explosion", damage.EXPLODING, shooting.check_blast, ("cars",)
    ),
}  # fmt: skip


def objections(state: GameState, action: Action, seen: Seen) -> tuple[Reason, ...]:
    """Everything that rule, table and a recognised move have against an action."""
    rule = reading.of_kind(RULES, action.kind)
    reading.only(action.data, (*rule.fields, RULED, RULED_BY), action.kind)
    action, ruled = as_seen(state, action, seen)
    return (*rule.check(state, action, seen.table), *ruled)


def settle(one: Play, *, rolling: bool = True) -> None:
    """Goes on until somebody has to do something."""
    if rolling:
        known_blasts(one)
    rounds.settle(one)


def renewed(event: Event) -> Event:
    """With the pieces and the tone that older records did not keep."""
    if event.kind in STARTS or event.pieces or event.tone != "plain":
        return event
    fell_here = event.kind == "roll" and event.data["source"] != "typed"
    return replace(EVENTS.told(event.kind, event.words, event.citation, event.data), barrier=fell_here)


def driven(_state: GameState, event: Event, _board: Board) -> float | None:
    """The runs of a Maneuver, drifts among them; one of which no step is known tells of no way.

    One that ended where it began, at a token that the turn would have swept, went nowhere.
    """
    if event.kind != "moved":
        return None
    steps, began = event.data["steps"], event.data.get("from")
    if not steps:
        return 0.0 if began is not None and began == event.data.get("to") else None
    return float(sum(abs(s.get("ahead", 0.0)) for s in steps if s["kind"] != "turn"))


GAME: Game[GameState] = Game(
    about=ABOUT,
    states=STATES,
    events=EVENTS,
    rules=RULES,
    facts=FACTS,
    setup=set_up,
    begin=beginning.begin,
    offers=lambda state, seen: options.options(state, seen, GAME.check),
    play=Play,
    as_seen=as_seen,
    objections=objections,
    rulings=ByWords(),
    settle=settle,
    give_up=rounds.concede,
    says=table_says,
    by_camera=measured,
    renewed=renewed,
    driven=driven,
    awaits=guide.awaits,
    guide=guide.guide,
    ghosts=ghosts,
    removed=lambda state: tuple(c.name for c in state.cars if c.status == "removed"),  # a wreck stays
    questions=options.questions,
    rule=options.rule,
    reach=options.reach,
    proposals=driver.proposals,
    worth=driver.worth,
    doubt=0.15,
    status=lambda state, _viewer: status(state),
    sheets=lambda state, _viewer: sheets(state),
    marks=lambda state, table, _viewer: marks(state, table),
)
"""The game, where `engine.game.registry.game_called` looks for it."""
