"""Which cars may be moved now, and what the screen of whoever moves one shows: nothing of other cars."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.game.events import Action, Reason
from engine.game.kit.free_moves import SOME_OPEN, off_words
from engine.game.kit.shown import outline, way
from engine.game.kit.table import ACCEPT, standing_of
from engine.game.showing import Awaited, Guide, Mark, Progress
from engine.games.car_cult.acts.recognised import OR_MORE, SHORT, Judged, judged, said, whole_inches
from engine.games.car_cult.acts.rounds import to_deploy
from engine.games.car_cult.book.data import NEEDED, SIDES
from engine.games.car_cult.rules.attacks import in_play
from engine.games.car_cult.rules.moves import Ground, Limits, Triggered, blocking, ground, mines, rough, used
from engine.games.car_cult.state import GameState
from engine.measure.sweep import Straight, first_touch, leaves
from engine.motion.moves import Move
from engine.motion.recognition import Manoeuvre
from engine.ruling import Verdict, many, plus_minus
from engine.space.table import Status, TableState
from engine.words import listed


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
        return Guide(name, "ready", f"{limits.low} to {limits.high} in", limits.words)
    if move.after.status is Status.STILL:
        return _rested(state, name, move)
    return _moving(state, move, table, limits)


def _moving(state: GameState, move: Move, table: TableState, limits: Limits) -> Guide:
    """What is used and left on the way, and what it has met; what lies ahead is named, but not how far."""
    seen = move.recognised()
    gone = seen.length.value
    left = f"{max(limits.high - gone, 0.0):.1f} in to go at most"
    if gone > limits.high:
        left = f"{gone - limits.high:.1f} in too far"
    clear = in_play(state, move.before)
    car = clear.find(move.piece)
    passed = [m for m in mines(state, clear, car, seen) if m.verdict is not Verdict.NO]
    facts = [*_left(seen, limits), *_ground_facts(ground(car, seen, rough(state, clear, car.name)))]
    facts += _mine_facts([m.mine for m in passed if m.verdict is Verdict.YES])
    facts += [f"{m.mine} may be triggered: too close to call" for m in passed if m.verdict is not Verdict.YES]
    touch = _ahead(state, table, move, limits)
    facts += [touch] if touch else []
    if gone < limits.low - limits.rules.length_tolerance:
        short = limits.low - gone
        less = whole_inches(short, seen.length.sd)
        facts.append(f"{short:.2f} in short of its minimum: {_braking(*less)}")
    return Guide(
        piece=move.piece, phase="moving", headline=left, progress=_progress(gone, limits),
        steps=tuple(d.words for d in seen.runs), facts=tuple(facts),
        marks=(*way(move), *(_place(move, m) for m in passed)),
    )  # fmt: skip


def _left(seen: Manoeuvre, limits: Limits) -> list[str]:
    """The drift and the turns that are used and left."""
    drift = sum(abs(d.left) for d in seen.runs)
    angles = [d.angle for d in seen.runs]
    turns = sum(used(angle, limits.rules.turn_tolerance) for angle in angles)
    turned = math.degrees(sum(map(abs, angles)))
    return [
        f"{max(limits.drift - drift, 0.0):.1f} of {limits.drift} in of drift left",
        f"{max(limits.turns - turns, 0)} of {many(limits.turns, 'turn')} left, turned {turned:.0f}° so far",
    ]


def _braking(*short: int) -> str:
    """The roll of a car that stops so many whole inches short of its minimum."""
    return f"to brake here, {rolls(*short)}"


def rolls(*less: int) -> str:
    """The roll that so many whole inches make harder; two where it is too close to call which.

    >>> rolls(2), rolls(2, 3)
    ('a D20 has to show 12 or more', 'a D20 has to show 12 or 13 or more, too close to call')
    >>> rolls(10, 11)
    'a D20 has to show 20 or more, or no roll is enough, too close to call'
    """
    shown = listed((str(NEEDED + one) for one in less if NEEDED + one <= SIDES), "or")
    words = [f"a D20 has to show {shown} or more"] if shown else []
    words += ["no roll is enough"] if NEEDED + less[-1] > SIDES else []
    return ", or ".join(words) + (", too close to call" if len(less) > 1 else "")


def _mine_facts(names: Sequence[str]) -> list[str]:
    """The Mines that it triggers, in the order in which it comes near them."""
    return [f"It triggers {', then '.join(names)}: where, is outlined."] if names else []


def _place(move: Move, mine: Triggered) -> Mark:
    """Where the car was when it came within range of a Mine."""
    return replace(outline("touch", move.after, mine.at), words=mine.mine)


def _ahead(state: GameState, table: TableState, move: Move, limits: Limits) -> str:
    """What the car would touch if it went straight on as far as it may, or touches already."""
    clear = in_play(state, table)
    here = move.after
    left = limits.high - move.recognised().length.value
    if left <= 0.0:
        return ""
    steps = [Straight(left)]
    met = first_touch(here, steps, blocking(state, clear, here.name))
    out = leaves(here, steps, clear.surface)
    if met is not None and (out is None or met.share <= out.share):
        return f"it touches {met.other}" if met.share <= 0.0 else f"{met.other} lies ahead"
    return "the edge of the table lies ahead" if out is not None else ""


def _ground_facts(found: tuple[Ground, ...]) -> list[str]:
    return [
        f"{g.inches.value:.2f} in inside {g.terrain}{plus_minus(g.inches.sd)}: "
        f"{rolls(*whole_inches(g.inches.value, g.inches.sd))}"
        for g in found
    ]


def _rested(state: GameState, name: str, move: Move) -> Guide:
    ruled = judged(state, move)
    driven = ruled.driven
    told, open_ = said(ruled, Action("move", None, {}))
    drawn = [replace(mark, verdict=ruled.verdict) for mark in way(move)]
    if not ruled.legal:
        drawn.append(outline("goal", move.after, driven.should))
    if driven.touched is not None:
        drawn.append(outline("touch", move.after, driven.touched.pose))
    drawn += [_place(move, m) for m in ruled.mines]
    found = ruled.rested(
        name, off_words(driven.away, driven.askew), "The move is done", accept="" if open_ else ACCEPT,
        progress=_progress(ruled.length.value, driven.limits), steps=tuple(d.words for d in driven.seen.runs),
        facts=tuple(_facts(ruled, told, open_)), marks=tuple(drawn),
    )  # fmt: skip
    return replace(found, headline=SOME_OPEN) if ruled.legal and open_ else found


def _facts(ruled: Judged, told: Mapping[str, Any], open_: Sequence[Reason]) -> list[str]:
    """What follows from it: ground, Mines in order, what it ran into, the shortfall and its roll.

    What is too close to call is told as that, as the players are asked it when the move is taken.
    """
    found = _ground_facts(ruled.ground)
    found += _mine_facts(told["triggered"])
    asked = [reason.question or "" for reason in open_]
    less: tuple[int, ...] = (told["short"],)
    if any(question.endswith(f"{OR_MORE}{SHORT}") for question in asked):
        less = (told["short"], told["short"] + 1)
    inches = listed(map(str, less), "or")
    if told["into"] in ruled.rams:
        found.append(f"It rams {told['into']}.")
    elif told["into"] is not None:
        close = ", too close to call" if len(less) > 1 else ""
        found.append(f"It runs into {told['into']}.")
        found += [] if less == (0,) else [f"{inches} in {SHORT}{close}."]
    elif told["brakes"]:
        short = {(0,): "Less than an inch", (0, 1): "About 1 in"}.get(less, f"{inches} in")
        found.append(f"{short} {SHORT}: {_braking(*less)}.")
    others = (r.words for r, question in zip(open_, asked, strict=True) if OR_MORE not in question)
    return found + [f"{words[:1].upper()}{words[1:]}." for words in others]


def _progress(gone: float, limits: Limits) -> Progress:
    return Progress(gone, float(limits.high), f"{gone:.1f} in of {limits.low} to {limits.high} in")


# Marks


def marks(state: GameState, table: TableState | None) -> tuple[Mark, ...]:
    """The activated car."""
    here = None if state.turn is None else standing_of(table, state.turn.car)
    return () if here is None else (outline("current", here, here.pose),)
