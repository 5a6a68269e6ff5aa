"""What is drawn on the table: the template with its sections, areas, ghosts, lines; all as marks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from shapely.geometry.base import BaseGeometry

from engine.game.contract import Seen
from engine.game.kit.shown import outline, points, polygon
from engine.game.showing import Ghost, Mark, Role
from engine.games.shattered_highways.page.owed import how_words
from engine.games.shattered_highways.rules import owed
from engine.games.shattered_highways.rules.displacing import lost_control_template
from engine.games.shattered_highways.rules.moves import MoveArea
from engine.games.shattered_highways.rules.on_table import bodies_of, in_play, road_of
from engine.games.shattered_highways.rules.ranges import chains_section
from engine.games.shattered_highways.rules.template import Template
from engine.games.shattered_highways.state.game_state import PLACED, GameState, Placement, due
from engine.motion.free_space import polygons_of
from engine.ruling import Verdict
from engine.space.geometry import Pose
from engine.space.table import Standing, TableState

NUMBER = 0.45
"""Height of a section's number, inches."""


def marks(state: GameState, table: TableState | None) -> tuple[Mark, ...]:
    """The vehicle whose turn it is, the sections behind Drag Chains, and the template of Lost Control."""
    if table is None or state.over:
        return ()
    clear, road = in_play(state, table), road_of(state, table)
    found: list[Mark] = []
    for vehicle in state.in_play():
        bodies = bodies_of(clear, vehicle.name)
        if vehicle.chains and bodies:
            section = chains_section(bodies, road.heading)
            found.append(polygon("template", section.region.outline, vehicle.name, "dust"))
    if state.turn is not None:
        for body in bodies_of(clear, state.turn.vehicle):
            found.append(polygon("current", body.region.outline, body.name))
    duty = due(state)
    if duty is not None and duty.kind == "control" and bodies_of(clear, duty.vehicle):
        found += template_marks(lost_control_template(clear, duty.vehicle, road), duty.vehicle)
    return tuple(found)


def template_marks(template: Template, piece: str, *, numbered: bool = True) -> list[Mark]:
    """The template's edge, and its six sections with their numbers."""
    found = [polygon("template", template.outline.outline, piece)]
    for number in template.numbers if numbered else ():
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
    table = None if seen.table is None else in_play(state, seen.table, duty.vehicle)
    way = duty.ways[0] if table is None else owed.best_way(duty, table)
    return tuple(
        Ghost(place.piece, place.at, words, duty.citation, _right(state, table, place)) for place in way
    )


def removed(state: GameState) -> tuple[str, ...]:
    """The vehicles that are to be taken off the road: not one whose wreck is still to be driven round.

    Who is left against the back edge stays there for a last chance.
    """
    wrecks = {duty.vehicle for duty in state.duties if duty.kind == "wreck"}
    out = [v.name for v in state.vehicles if v.status in ("destroyed", "gone")]
    return tuple(name for name in out if name not in wrecks)


def _right(state: GameState, table: TableState | None, place: Placement) -> bool | None:
    here = None if table is None else owed.standing_at(table, place)
    if here is None or not here.seen:
        return None
    return owed.off_place(state, here, place).verdict is Verdict.YES
