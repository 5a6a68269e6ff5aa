"""Which cars may be moved now, and what the screen of whoever moves one shows: nothing of other cars."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from engine.game.events import Action
from engine.game.showing import Awaited, Guide, Mark, Points, Progress, Role
from engine.games.car_cult.acts.rounds import to_deploy
from engine.games.car_cult.rules.move_rule import Limits, blocking, rough
from engine.games.car_cult.rules.on_the_way import Ground, ground
from engine.games.car_cult.rules.sight import in_play, standing_of
from engine.games.car_cult.state.game_state import GameState
from engine.games.car_cult.table.recognised import Judged, judged, said
from engine.measure.sweep import Straight, first_touch, leaves
from engine.motion.moves import Move
from engine.ruling import Verdict, plus_minus
from engine.space.geometry import FloatArray, Pose
from engine.space.table import Standing, Status, TableState

HEADLINES = {Verdict.YES: "Legal", Verdict.NO: "Not legal", Verdict.TOO_CLOSE: "Too close to call"}

ACCEPT = "Accept it as it stands"


def awaits(state: GameState) -> tuple[Awaited, ...]:
    """The cars that may be moved now: to be put down, or to make the move of their activation."""
    if state.over or state.duties or state.attack is not None:
        return ()
    player = to_deploy(state)
    if player is not None:
        waiting = [c for c in state.cars if c.status == "waiting" and c.owner == player]
        return tuple(Awaited(c.name, "deploy", player, f"deploy {c.name}", anywhere=True) for c in waiting)
    turn = state.turn
    if turn is None or turn.stage != "act" or turn.moved or not state.car(turn.car).driving:
        return ()
    return (Awaited(turn.car, "move", turn.player, f"round {state.round}, {turn.car}"),)


def guide(state: GameState, awaited: Awaited, move: Move | None, table: TableState) -> Guide:
    """Before the hand moves what the car may do, on the way what is left, at rest the verdict."""
    name = awaited.piece
    if awaited.kind != "move":
        words = "Put it down where it starts."
        if move is None or move.after.status is not Status.STILL:
            return Guide(name, "ready" if move is None else "moving", name, words)
        return Guide(name, "rested", name, words, verdict=Verdict.YES, take="It stands there")
    limits = Limits.of(state, name)
    if move is None:
        return Guide(name, "ready", f"{limits.low} to {limits.high} in", _may(limits))
    if move.after.status is Status.STILL:
        return _rested(state, name, move)
    return _moving(state, move, table, limits)


def _may(limits: Limits) -> str:
    turns = f"{limits.turns} turn{'s' * (limits.turns != 1)} of up to 45°"
    return f"Minimum {limits.low} in, maximum {limits.high} in, drift up to {limits.drift} in, {turns}."


def _moving(state: GameState, move: Move, table: TableState, limits: Limits) -> Guide:
    """What is used and left on the way; what lies ahead is named, but not how far."""
    seen = move.recognised()
    gone, drift = seen.length.value, sum(abs(d.step.left) for d in seen.runs if isinstance(d.step, Straight))
    turned = sum(abs(d.step.angle) for d in seen.runs if not isinstance(d.step, Straight))
    left = f"{max(limits.high - gone, 0.0):.1f} in to go at most"
    if gone > limits.high:
        left = f"{gone - limits.high:.1f} in too far"
    clear = in_play(state, move.before)
    car = clear.find(move.piece)
    facts = [
        f"drifted {drift:.1f} of {limits.drift} in",
        f"turned {math.degrees(turned):.0f}° of {limits.turns * 45}°",
    ]
    facts += _ground_facts(ground(car, seen, rough(state, clear, car.name)))
    touch = _ahead(state, table, move, limits)
    facts += [f"{touch} lies ahead"] if touch else []
    words = f"{max(limits.low - gone, 0.0):.1f} in short of its minimum" if gone < limits.low else ""
    return Guide(
        piece=move.piece,
        phase="moving",
        headline=left,
        words=words,
        progress=_progress(gone, limits),
        steps=tuple(d.words for d in seen.runs),
        facts=tuple(facts),
        marks=tuple(_way(move)),
    )


def _ahead(state: GameState, table: TableState, move: Move, limits: Limits) -> str:
    """What the car would touch if it went straight on as far as it may."""
    clear = in_play(state, table)
    here = replace(move.after)
    left = limits.high - move.recognised().length.value
    if left <= 0.0:
        return ""
    steps = [Straight(left)]
    met = first_touch(here, steps, blocking(state, clear, here.name))
    out = leaves(here, steps, clear.surface)
    if met is not None and (out is None or met.share <= out.share):
        return met.other
    return "The edge of the table" if out is not None else ""


def _ground_facts(found: tuple[Ground, ...]) -> list[str]:
    return [
        f"{g.inches.value:.2f} in inside {g.terrain}{plus_minus(g.inches.sd)}: "
        f"a D20 less {math.floor(g.inches.value)}"
        for g in found
    ]


def _rested(state: GameState, name: str, move: Move) -> Guide:
    ruled = judged(state, move)
    driven, legal = ruled.driven, ruled.legal
    told, open_ = said(ruled, Action("move", None, {}))
    verdict = Verdict.YES if legal else driven.verdict
    marks = [replace(mark, verdict=verdict) for mark in _way(move)]
    if not legal:
        marks.append(_outline("goal", move.after, driven.should))
    if driven.touched is not None:
        marks.append(_outline("touch", move.after, driven.touched.pose))
    marks += [_outline("touch", move.after, m.at) for m in ruled.mines]
    take = "" if open_ and not legal else "The move is done" if legal else ACCEPT
    return Guide(
        piece=name,
        phase="rested",
        headline="Corrected" if ruled.righted else HEADLINES[verdict],
        words="" if legal else _off(ruled),
        verdict=verdict,
        progress=_progress(ruled.length.value, driven.limits),
        steps=tuple(d.words for d in driven.seen.runs),
        facts=tuple(_facts(ruled, told)),
        ruling=None if ruled.righted else driven.ruling,
        marks=tuple(marks),
        goal=None if legal else (driven.should.x, driven.should.y, driven.should.heading),
        take=take,
        said=() if legal else (("ruled", "yes"),),
    )


def _facts(ruled: Judged, told: dict[str, object]) -> list[str]:
    """What follows from it: ground, Mines in order, what it ran into, the shortfall and its roll."""
    found = _ground_facts(ruled.ground)
    found += [f"It triggers {name}." for name in told["triggered"]]  # type: ignore[attr-defined]
    if told["into"] is not None:
        found.append(f"It runs into {told['into']}, {told['short']} in short of its minimum.")
    elif told["short"]:
        found.append(f"Braking: a D20 less {told['short']} has to be 10 or more.")
    return found


def _off(ruled: Judged) -> str:
    driven = ruled.driven
    off = f"{driven.away:.1f} in away"
    if abs(driven.askew) > math.radians(2):
        off += f", turned {math.degrees(abs(driven.askew)):.0f}° {'left' if driven.askew > 0 else 'right'}"
    return f"Its place is {off}: the dashed outline."


def _progress(gone: float, limits: Limits) -> Progress:
    return Progress(gone, float(limits.high), f"{gone:.1f} in of {limits.low} to {limits.high} in")


# Marks


def marks(state: GameState, table: TableState | None) -> tuple[Mark, ...]:
    """The activated car."""
    here = None if state.turn is None else standing_of(table, state.turn.car)
    return () if here is None else (_outline("current", here, here.pose),)


def _way(move: Move) -> list[Mark]:
    """Where the car stood, and the way of the middle of its front."""
    start = _outline("start", move.after, move.start.pose)
    outline = move.after.piece.body.footprint.outline
    front = np.array([float(outline[:, 0].max()), float((outline[:, 1].min() + outline[:, 1].max()) / 2)])
    points = _points(np.array([p.to_table(front) for p in (move.start.pose, *move.poses)]).reshape(-1, 2))
    return [start, Mark("line", "path", points, piece=move.piece)] if len(points) > 1 else [start]


def _outline(role: Role, car: Standing, pose: Pose) -> Mark:
    return Mark("polygon", role, _points(pose.to_table(car.piece.body.footprint.outline)), piece=car.name)


def _points(points: FloatArray) -> Points:
    return tuple((round(float(x), 2), round(float(y), 2)) for x, y in points)
