"""Which pieces may be moved now, and what the screen of whoever moves one shows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from engine.game.events import Action
from engine.game.kit.table import ACCEPT, HEADLINES, pose_json, standing_of
from engine.game.showing import Awaited, Guide, Mark, Points, Progress, Role
from engine.games.white_line_fever.acts.deploying import check_deploy
from engine.games.white_line_fever.acts.placing import check_placed, duty_of, met_words
from engine.games.white_line_fever.acts.recognised import Judged, judged, off_words, reach_from_here
from engine.games.white_line_fever.acts.rounds import to_deploy
from engine.games.white_line_fever.page.to_place import how_words
from engine.games.white_line_fever.rules.displacement_rule import with_tokens
from engine.games.white_line_fever.rules.lawful_ends import MOST_TURN, underway
from engine.games.white_line_fever.state.game_state import GameState
from engine.measure.contacts import contacts
from engine.measure.sweep import Turn
from engine.motion.moves import Move
from engine.motion.recognition import pivots_of
from engine.ruling import Verdict
from engine.space.geometry import FloatArray, Pose
from engine.space.table import Standing, Status, TableState, key_of

NOT_MEASURED = "Not measured"


def awaits(state: GameState) -> tuple[Awaited, ...]:
    """The cars that may be moved now: to be deployed, to be placed, or to be driven."""
    if state.over:
        return ()
    if state.duties:
        owed = dict.fromkeys(d.car for d in state.duties if d.kind != "blast")
        return tuple(_to_place(state, name) for name in owed)
    turn = state.round
    if turn is None:
        players = to_deploy(state) if state.deployment is not None else ()
        waiting = [c for c in state.cars if c.status == "waiting" and c.owner in players]
        return tuple(Awaited(c.name, "deploy", c.owner, f"deploy {c.name}", anywhere=True) for c in waiting)
    if turn.stage not in ("car", "move"):
        return ()
    key = f"round {turn.number}, Maneuver {turn.manoeuvre}" + (f", part {turn.part}" if turn.part else "")
    cars = [c.name for c in state.driving(turn.driver)] if turn.car is None else [turn.car]
    return tuple(Awaited(name, "move", turn.hands, f"{key}, {name}") for name in cars)


def _to_place(state: GameState, name: str) -> Awaited:
    duty = duty_of(state, name)
    assert duty is not None
    left = sum(d.car == name for d in state.duties)
    return Awaited(name, "placed", duty.by, f"{duty.kind} {name}, {left} to go", anywhere=True)


def guide(state: GameState, awaited: Awaited, move: Move | None, table: TableState) -> Guide:
    """Before the hand moves where the piece may go, on the way what is left, at rest the verdict."""
    name = state.car(awaited.piece).name
    if awaited.kind != "move":
        return _put_down(state, name, awaited.kind, move, table)
    if move is None:
        return _ready(state, name, table)
    if move.after.status is Status.STILL:
        return _rested(name, judged(state, move), move)
    return _moving(state, name, move, table)


# A car that is driven


def _ready(state: GameState, name: str, table: TableState) -> Guide:
    left, bent = state.to_drive(name), state.round is not None and state.round.bent
    reverse = state.round is not None and state.round.reverse
    more = ", straight: the turn or drift is made."
    if not bent:
        more = f", with one turn of up to {math.degrees(MOST_TURN):.0f}° or one drift of 1 in."
    words = f"{name} has {left:.4g} in to go {'backwards' if reverse else 'ahead'}{more}"
    rings = reach_from_here(state, table, name).outlines
    marks = tuple(_polygon("reach", ring, name) for ring in rings)
    facts = () if bent else tuple(_swings_over(state, name, table))
    return Guide(name, "ready", name, words, facts=facts, marks=marks)


def _swings_over(state: GameState, name: str, table: TableState) -> Iterator[str]:
    """What a turn at once would swing a corner of the car over: tokens, one's own as any other."""
    on = with_tokens(state, table)
    car = standing_of(on, name)
    if car is None:
        return
    names = {key_of(token.name) for token in state.tokens}
    laid = [s for s in on.standings if key_of(s.name) in names]
    pivot = pivots_of(car.piece.body)[0]
    met = {
        side: {c.other for c in contacts(car, [Turn(angle, pivot)], laid) if c.verdict is not Verdict.NO}
        for side, angle in (("left", MOST_TURN), ("right", -MOST_TURN))
    }
    for token in sorted(met["left"] | met["right"]):
        sides = [side for side, over in met.items() if token in over]
        how = f" to the {sides[0]}" if len(sides) == 1 else ""
        yield f"A turn{how} at once swings a corner over {token}: drive ahead first."


def _moving(state: GameState, name: str, move: Move, table: TableState) -> Guide:
    speed, seen = state.to_drive(name), move.recognised()
    reverse, bent = (turn.reverse, turn.bent) if (turn := state.round) is not None else (False, False)
    going = underway(table, move.after, seen, speed, reverse=reverse, bent=bent)
    marks = [*_way(move), _outline("goal", move.after, going.ghost)]
    facts = []
    if going.touch is not None:
        other = "The edge of the table" if going.touch.other == "the edge" else going.touch.other
        facts = [f"{other} lies ahead."]
        marks.append(_outline("touch", move.after, going.touch.pose))
    left = going.left
    rest = f"{left:.1f} in to go" if left > 0.05 else "all of it used"
    if left < -0.05:
        rest = f"{-left:.1f} in too far"
    return Guide(
        piece=name,
        phase="moving",
        headline=rest,
        words=going.words,
        progress=_progress(going.used, speed),
        steps=tuple(d.words for d in seen.runs),
        facts=tuple(facts),
        marks=tuple(marks),
    )


def _rested(name: str, ruled: Judged, move: Move) -> Guide:
    driven, legal = ruled.driven, ruled.legal
    verdict = Verdict.YES if legal else driven.verdict
    marks = _way(move)
    if not legal:
        marks.append(_outline("goal", move.after, driven.should))
    headline = "Corrected" if ruled.righted else HEADLINES[verdict]
    return Guide(
        piece=name,
        phase="rested",
        headline=headline,
        words="" if legal else off_words(driven),
        verdict=verdict,
        progress=_progress(driven.seen.length.value, driven.speed),
        steps=tuple(d.words for d in driven.seen.runs),
        facts=tuple(f"It {m.words}." for m in driven.met),
        ruling=None if ruled.righted else driven.ruling,
        marks=tuple(replace(mark, verdict=verdict) for mark in marks),
        goal=None if legal else _pose(driven.should),
        take=_takes(ruled.said()) if legal else ACCEPT,
        # What the players accept is theirs to accept: the rule's own objections need not be asked again.
        said=() if legal else (("ruled", "yes"),),
    )


def _takes(said: dict[str, Any]) -> str:
    """On the button that takes a manoeuvre as it was seen."""
    if said["left_surface"]:
        return "It left the surface"
    met = [*(contact["other"] for contact in said["contacts"]), *said["triggered"]]
    return f"Done: it hit {', '.join(met)}" if met else "The Maneuver is done"


def _progress(used: float, speed: float) -> Progress:
    return Progress(used, speed, f"{used:.1f} in of {speed:.4g} in")


# A car that is put down


def _put_down(state: GameState, name: str, kind: str, move: Move | None, table: TableState) -> Guide:
    """A car that a rule puts somewhere, or that is deployed: how, and whether it stands there."""
    duty = duty_of(state, name)
    how = how_words(duty) if duty is not None else "Put it down where it starts."
    goal = None if duty is None else duty.target
    standing = next((s for s in table.standings if key_of(s.name) == key_of(name)), None)
    marks = []
    if goal is not None and standing is not None:
        marks.append(_outline("goal", standing, Pose(*goal)))
    if move is None:
        return Guide(name, "ready", name, how, marks=tuple(marks), goal=goal)
    if move.after.status is not Status.STILL:
        return Guide(name, "moving", name, how, marks=tuple(marks), goal=goal)
    data = {"car": name, "at": pose_json(move.after.pose)}
    check = check_placed if kind == "placed" else check_deploy
    action = Action(kind, None, data)
    against = check(state, action, table)
    asked = any(reason.question for reason in against)  # yes or no: nothing to accept
    accepted = bool(against) and not asked and all(reason.open for reason in against)
    met = met_words(state, duty, action, table) if duty is not None else ()
    if duty is not None and goal is None and not against:
        words = f"Nobody saw where {name} stood before. {how} Whether it stands right is not measured."
        return Guide(name, "rested", NOT_MEASURED, words, verdict=Verdict.TOO_CLOSE, facts=met)
    return Guide(
        piece=name,
        phase="rested",
        headline="In place" if not against else "Too close to call" if asked else "Not there yet",
        words=how if not against else "; ".join(reason.words for reason in against),
        verdict=Verdict.YES if not against else Verdict.TOO_CLOSE if asked else Verdict.NO,
        facts=met,
        marks=tuple(marks),
        goal=goal if against else None,
        take="Placed" if not against else ACCEPT if accepted else "",
        said=(("ruled", "yes"),) if accepted else (),
    )


# Marks


def _way(move: Move) -> list[Mark]:
    """Where the piece stood, and the way of its front, where the ruler is held."""
    start = _outline("start", move.after, move.start.pose)
    outline = move.after.piece.body.footprint.outline
    front = np.array([float(outline[:, 0].max()), float((outline[:, 1].min() + outline[:, 1].max()) / 2)])
    points = _points(np.array([pose.to_table(front) for pose in _way_of(move)]).reshape(-1, 2))
    return [start, Mark("line", "path", points, piece=move.piece)] if len(points) > 1 else [start]


def _way_of(move: Move) -> Iterable[Pose]:
    return (move.start.pose, *move.poses)


def _outline(role: Role, car: Standing, pose: Pose) -> Mark:
    return _polygon(role, pose.to_table(car.piece.body.footprint.outline), car.name)


def _polygon(role: Role, ring: FloatArray, piece: str) -> Mark:
    return Mark("polygon", role, _points(ring), piece=piece)


def _points(points: FloatArray) -> Points:
    return tuple((round(float(x), 2), round(float(y), 2)) for x, y in points)


def _pose(pose: Pose) -> tuple[float, float, float]:
    return (pose.x, pose.y, pose.heading)
