"""Which vehicles may be moved now, what the mover is shown, and what is drawn on the table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from shapely.geometry.base import BaseGeometry

from engine.boards.road import Road
from engine.game.contract import Seen
from engine.game.kit.free_moves import not_measured, put_down
from engine.game.kit.shown import outline, points, polygon
from engine.game.showing import Awaited, Ghost, Guide, Mark, Role
from engine.games.shattered_highways.acts.recognised import (
    Judged,
    against_deploying,
    against_driving_out,
    judged,
    rows_of,
)
from engine.games.shattered_highways.acts.rounds import chase_words, to_deploy
from engine.games.shattered_highways.rules import moves, owed
from engine.games.shattered_highways.rules.contacts import Target, targets_in
from engine.games.shattered_highways.rules.displacing import lost_control_template
from engine.games.shattered_highways.rules.moves import MoveArea, Template
from engine.games.shattered_highways.rules.owed import how_words, ram_words
from engine.games.shattered_highways.rules.striking import chains_section
from engine.games.shattered_highways.state import PLACED, Duty, GameState, Placement, due
from engine.measure.sweep import Side
from engine.motion.free_space import polygons_of
from engine.motion.moves import Move
from engine.ruling import Verdict
from engine.space.geometry import Pose
from engine.space.table import Standing, Status, TableState
from engine.words import listed

# What is drawn on the table: the template with its sections, areas, ghosts, lines; all as marks.

NUMBER = 0.45
"""Height of a section's number, inches."""


def marks(state: GameState, table: TableState | None) -> tuple[Mark, ...]:
    """The vehicle whose turn it is, the sections behind Drag Chains, and the template of Lost Control."""
    if table is None or state.over:
        return ()
    clear, road = moves.in_play(state, table), moves.road_of(state, table)
    found: list[Mark] = []
    for vehicle in state.in_play():
        bodies = moves.bodies_of(clear, vehicle.name)
        if vehicle.chains and bodies:
            section = chains_section(bodies, road.heading)
            found.append(polygon("template", section.region.outline, vehicle.name, "dust"))
    if state.turn is not None:
        for body in moves.bodies_of(clear, state.turn.vehicle):
            found.append(polygon("current", body.region.outline, body.name))
    if due(state) is None and to_deploy(state) is not None:
        found += road_marks(road, state.house.front_room)
    duty = due(state)
    if duty is not None and duty.kind == "control" and moves.bodies_of(clear, duty.vehicle):
        found += template_marks(lost_control_template(clear, duty.vehicle, road), duty.vehicle)
    return tuple(found)


def road_marks(road: Road, front_room: float) -> list[Mark]:
    """Which way the road goes, and how far ahead a vehicle may be put down: no cloth shows that."""
    long, wide = road.length, road.width
    ahead, middle = long - front_room, wide / 2
    tip, neck, tail = (long - front_room * share for share in (0.35, 0.55, 0.85))
    broad, thin = wide / 16, wide / 48
    area = np.array([(0.0, 0.0), (ahead, 0.0), (ahead, wide), (0.0, wide)])
    right = [(tail, -thin), (neck, -thin), (neck, -broad)]
    left = [(x, -aside) for x, aside in reversed(right)]
    arrow = np.array([(x, middle + aside) for x, aside in (*right, (tip, 0.0), *left)])
    return [
        Mark("polygon", "reach", points(road.frame.to_table(area))),
        Mark("polygon", "template", points(road.frame.to_table(arrow))),
    ]


def template_marks(template: Template, piece: str) -> list[Mark]:
    """The template's edge, and its six sections with their numbers."""
    found = [polygon("template", template.outline.outline, piece)]
    for number in template.numbers:
        section = template.section(number)
        found.append(polygon("cell", section.outline, piece))
        middle = section.outline.mean(axis=0)
        found.append(Mark("label", "cell", points(middle[None]), str(number), NUMBER, piece=piece))
    return found


def area_marks(area: MoveArea) -> list[Mark]:
    """Both positions of the template, and all that the front bumper may cover at the end."""
    found = [mark for p in area.positions for mark in template_marks(p.template, area.name)]
    return found + shape_marks(area.covered, "reach", area.name)


def shape_marks(shape: BaseGeometry, role: Role, piece: str, words: str = "") -> list[Mark]:
    """The outlines of a shape."""
    return [polygon(role, np.array(one.exterior.coords)[:-1], piece, words) for one in polygons_of(shape)]


def outline_marks(role: Role, bodies: Sequence[Standing], poses: Iterable[Pose]) -> list[Mark]:
    """Bodies where they stood, or where they should stand."""
    return [outline(role, body, pose) for body, pose in zip(bodies, poses, strict=False)]


def carried(bodies: Sequence[Standing], head: Pose) -> list[Pose]:
    """Where all bodies of a vehicle stand once the first of them stands there, hanging on as before."""
    first = bodies[0].pose.inverse()
    return [head.compose(first.compose(body.pose)) for body in bodies]


# Ghosts


def ghosts(state: GameState, seen: Seen) -> tuple[Ghost, ...]:
    """Where pieces must be put before the game goes on."""
    duty = due(state)
    if duty is None or duty.kind not in (*PLACED, "shift"):
        return ()
    words = how_words(duty)
    if not duty.ways:
        return () if duty.kind == "shift" else (Ghost(duty.vehicle, None, words, duty.citation),)
    table = None if seen.table is None else moves.in_play(state, seen.table, duty.vehicle)
    way = duty.ways[0] if table is None else owed.best_way(duty, table)
    return tuple(
        Ghost(place.piece, place.at, words, duty.citation, _right(state, table, place)) for place in way
    )


def removed(state: GameState) -> tuple[str, ...]:
    """The vehicles that are to be taken off the road: not one whose wreck is still to be driven round.

    Who is left against the back edge stays there for a last chance; who is hidden in a trailer is not there.
    """
    wrecks = {duty.vehicle for duty in state.duties if duty.kind == "wreck"}
    out = [v.name for v in state.vehicles if v.hidden_in is not None or v.status in ("destroyed", "gone")]
    return tuple(name for name in out if name not in wrecks)


def shed(state: GameState) -> tuple[str, ...]:
    """The Rigs that drive on without the trailer that they had, once nobody has to veer behind it."""
    wrecks = {duty.vehicle for duty in state.duties if duty.kind == "wreck"}
    there = (v for v in state.vehicles if v.status not in ("destroyed", "gone"))
    return tuple(v.name for v in there if v.is_rig and v.trailer is None and v.name not in wrecks)


def spare(state: GameState) -> tuple[str, ...]:
    """The vehicles that are not on the road yet: until they are put down they may lie anywhere."""
    return tuple(v.name for v in state.vehicles if v.status in ("waiting", "hidden"))


def _right(state: GameState, table: TableState | None, place: Placement) -> bool | None:
    here = None if table is None else owed.standing_at(table, place)
    if here is None or not here.seen:
        return None
    return owed.off_place(state, here, place).verdict is Verdict.YES


# Which vehicles may be moved now, and what the screen of whoever moves one shows.


def awaits(state: GameState) -> tuple[Awaited, ...]:
    """The vehicles that may be moved now: to be put down, to be placed by a rule, or to be driven."""
    if state.over:
        return ()
    duty = due(state)
    if duty is not None:
        if duty.kind not in PLACED:
            return ()
        left = sum(d.vehicle == duty.vehicle for d in state.duties)
        key, comes = f"{duty.kind} {duty.vehicle}, {left} to go", duty.kind == "deployed"
        return (Awaited(duty.vehicle, "placed", duty.by, key, anywhere=comes),)
    player = to_deploy(state)
    if player is not None:
        waiting = [v.name for v in state.fleet(player) if v.status == "waiting"]
        return tuple(Awaited(name, "deploy", player, f"deploy {name}", anywhere=True) for name in waiting)
    turn = state.turn
    if turn is None or turn.stage != "moving":
        return ()
    # The Move is made, or ends in a Ram: either way the vehicle comes to stand where it was driven.
    key, ways = f"round {state.round}, {turn.vehicle}", ("moved",) if turn.late else ("moved", "ram")
    return tuple(Awaited(turn.vehicle, kind, turn.hands, key) for kind in ways)


def guide(state: GameState, awaited: Awaited, move: Move | None, table: TableState) -> Guide:
    """Before the hand moves where the vehicle may go, on the way how far it went, at rest the verdict."""
    name = awaited.piece
    duty = due(state)
    if awaited.kind == "deploy":
        return _deploying(state, name, move, table)
    if awaited.kind == "placed" and duty is not None and duty.kind not in owed.CHOSEN:
        return _placing(state, duty, move, table)
    if move is None:
        return _ready(state, name, duty, table)
    ruled = judged(state, move, table)
    if move.after.status is not Status.STILL:
        return _moving(state, name, move, ruled)
    return _rested(state, name, duty, move, ruled)


# Within the template


def _area(state: GameState, name: str, table: TableState) -> MoveArea:
    clear = moves.in_play(state, table, name)
    return moves.move_area(clear, name, moves.road_of(state, table).heading, rows_of(state, name))


def _ready(state: GameState, name: str, duty: Duty | None, table: TableState) -> Guide:
    area = _area(state, name, table)
    length = area.ahead.template.length
    words = how_words(duty) if duty is not None else ""
    if not words:
        words = f"Anywhere with its front bumper in the template, up to {length:g} in ahead or back."
    clear = moves.in_play(state, table, name)
    turn = state.turn
    strikes = duty is None and turn is not None and not turn.late
    found = targets_in(clear, area) if strikes else ()
    nudged = turn is not None and turn.nudged
    return Guide(
        name, "ready", name, words, facts=_target_facts(found, nudged), marks=tuple(area_marks(area))
    )


def _target_facts(found: tuple[Target, ...], nudged: bool) -> tuple[str, ...]:
    """Whom one could nudge or ram from here, and with which sides; only ram in a Move that had its Nudge."""
    facts, deed = [], "rammed" if nudged else "nudged or rammed"
    for target in sorted(found, key=lambda t: t.name):
        pairs = sorted((pair for pair, _ in target.sides), key=lambda pair: list(Side).index(pair[0]))
        ways = listed((f"{mine.value} against its {theirs.value}" for mine, theirs in pairs), "or")
        close = "" if target.verdict is Verdict.YES else " (too close to call)"
        facts.append(f"{target.name} can be {deed}: {ways}{close}.")
    return tuple(facts)


def _moving(state: GameState, name: str, move: Move, ruled: Judged) -> Guide:
    inside = ruled.driven.ruling.check("Inside the Template")
    area = _area(state, name, move.before)
    return Guide(
        piece=name, phase="moving", headline=_gone_words(ruled), words=inside.words,
        facts=tuple(_contact_facts(ruled)), marks=(*area_marks(area), *_way(move)),
    )  # fmt: skip


def _gone_words(ruled: Judged) -> str:
    """How far it went, along the road and aside.

    >>> from types import SimpleNamespace as Made
    >>> _gone_words(Made(driven=Made(along=-2.0, left=0.5)))
    '2.0 in back, 0.5 in left'
    """
    along, left = ruled.driven.along, ruled.driven.left
    words = f"{abs(along):.1f} in {'ahead' if along >= 0 else 'back'}"
    if abs(left) >= 0.05:
        words += f", {abs(left):.1f} in {'left' if left > 0 else 'right'}"
    return words


def _rested(state: GameState, name: str, duty: Duty | None, move: Move, ruled: Judged) -> Guide:
    moved, legal = ruled.driven, ruled.legal
    area = _area(state, name, move.before)
    marks = [*template_marks(moved.template, name), *shape_marks(area.covered, "reach", name)]
    marks += _way(move)
    if not legal:
        bodies = moves.bodies_of(moves.in_play(state, move.before, name), name)
        marks += outline_marks("goal", bodies, carried(bodies, moved.should))
    edge = [] if ruled.edge is None else [f"It has reached the {ruled.edge} edge."]
    return ruled.rested(
        name, "Put it where the outline shows, or accept it as it stands.",
        "The Move is made" if duty is None else "It stands there", steps=(_gone_words(ruled),),
        facts=(*_contact_facts(ruled), *edge),
        marks=tuple(replace(m, verdict=ruled.verdict) if m.role in ("path", "start") else m for m in marks),
    )  # fmt: skip


def _contact_facts(ruled: Judged) -> list[str]:
    """Whom it stands against, and which sides meet."""
    facts = []
    for contact in ruled.touching:
        sides = f"its {contact.side.value} against the {contact.other_side.value}"
        if contact.sides_sure is not Verdict.YES:
            sides = "at a corner: which sides meet is too close to call"
        if contact.verdict is Verdict.YES:
            facts.append(f"It stands against {contact.other}, {sides}.")
        else:
            facts.append(f"Whether it touches {contact.other} is too close to call.")
    return facts


# Put somewhere


def _placing(state: GameState, duty: Duty, move: Move | None, table: TableState) -> Guide:
    """A vehicle that a rule puts in one place: how, and whether it stands there."""
    name, how = duty.vehicle, how_words(duty)
    clear = moves.in_play(state, table, name)
    bodies = moves.bodies_of(clear, name)
    way = owed.best_way(duty, clear)
    places = {place.piece: Pose(*place.at) for place in way}
    marks: list[Mark] = []
    for body in bodies:
        if body.name in places:
            marks += outline_marks("goal", [body], [places[body.name]])
    goal = next((place.at for place in way if place.piece == name), None)
    ram = ram_words(duty)
    facts = tuple(f"It meets {other} on the way{f': {ram}' * bool(ram)}." for other in duty.meets)
    if move is None or move.after.status is not Status.STILL:
        phase = "ready" if move is None else "moving"
        return Guide(name, phase, name, how, facts=facts, marks=tuple(marks), goal=goal)  # type: ignore[arg-type]
    if owed.unknown_place(duty):
        return not_measured(name, f"Where {name} has to stand was not seen.", how, facts)
    comes_out = duty.kind == "deployed"
    against = against_driving_out(state, duty, table) if comes_out else owed.misplaced(state, duty, clear)
    right, take = "It stands right", "It stands there"
    return put_down(name, how, against, right, take, goal=goal, facts=facts, marks=tuple(marks))


def _deploying(state: GameState, name: str, move: Move | None, table: TableState) -> Guide:
    room = f"at least {state.house.front_room:g} in from the front edge"
    where = chase_words(state, state.vehicle(name).owner)
    how = f"Put it down on the road, facing along it, {room}{f', {where}' * bool(where)}."
    if move is None:
        return Guide(name, "ready", name, how)
    if move.after.status is not Status.STILL:
        return Guide(name, "moving", name, how)
    against = against_deploying(state, move.after, moves.in_play(state, table, name))
    return put_down(name, how, against, "It stands right", "It stands there")


# Marks


def _way(move: Move) -> list[Mark]:
    """Where the vehicle stood, and the way of its front bumper's middle."""
    start = outline_marks("start", [move.after], [move.start.pose])
    poses = [move.start.pose, *move.poses, move.after.pose]
    places = np.array([_bumper_at(move.after, pose) for pose in poses])
    return [*start, Mark("line", "path", points(places), piece=move.piece)]


def _bumper_at(standing: Standing, pose: Pose) -> tuple[float, float]:
    x, y = moves.bumper(replace(standing, pose=pose)).mean(axis=0)
    return float(x), float(y)
