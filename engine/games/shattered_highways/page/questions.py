"""What can be asked of the table: boarding, a hero's weapon, mounted weapons, contact; and the answers."""

from __future__ import annotations

import numpy as np
from shapely import Polygon
from shapely.geometry.base import BaseGeometry
from shapely.ops import unary_union

from engine.errors import TableRefError
from engine.game.contract import Question
from engine.game.events import Action
from engine.game.showing import Mark
from engine.games.shattered_highways.book.data import ARCS, Arc, Weapon, cite, weapon_called
from engine.games.shattered_highways.book.data import STANDARD as USUAL
from engine.games.shattered_highways.page.guide import area_marks, shape_marks
from engine.games.shattered_highways.page.offers import MOUNTS
from engine.games.shattered_highways.rules import striking
from engine.games.shattered_highways.rules.contacts import contacts
from engine.games.shattered_highways.rules.moves import class_rows, in_play, move_area, road_of
from engine.games.shattered_highways.rules.striking import Mount
from engine.games.shattered_highways.state import GameState
from engine.measure.distances import contact
from engine.ruling import Ruling, make_check
from engine.space.geometry import Pose
from engine.space.table import TableState, key_of

BOARD, HERO, SHOT, TOUCH, REACH = "boarding", "hero", "shot", "touch", "reach"
"""The kinds of questions."""

RAM = cite("Ram")


def questions(state: GameState | None, picked: tuple[str, ...]) -> tuple[Question, ...]:
    """Who may board, attack, shoot at or touch whom: of the first piece the second, or what is to pick."""
    found = [_boarding(picked), _hero(picked)]
    mounts = _mounts(state, picked)
    names = [weapon.name for weapon, _ in mounts]
    found += [_shot(weapon, arc, picked, alone=names.count(weapon.name) == 1) for weapon, arc in mounts]
    found.append(_about(TOUCH, "stand against", "Contact", "which side touches which", picked))
    if picked:
        words = f"Where may {picked[0]} be moved?"
        found.append(Question(REACH, words, picked[:1], {}, "Move", "the area in the template", missing=" "))
    return tuple(found)


def _boarding(picked: tuple[str, ...]) -> Question:
    return _about(BOARD, "board", "Board", f"{striking.BOARDING:g} in from edge to edge", picked)


def _hero(picked: tuple[str, ...]) -> Question:
    return _about(
        HERO, "attack with a hero's weapon on", "Hero's weapon", f"{striking.HERO_RANGE:g} in", picked
    )


def _about(kind: str, verb: str, label: str, more: str, picked: tuple[str, ...]) -> Question:
    match picked:
        case ():
            return Question(kind, f"Who may {verb} whom?", (), {}, label, more, missing="two vehicles")
        case (one,):
            words = f"Whom may {one} {verb}?"
            return Question(kind, words, (one,), {}, label, more, missing="the other vehicle")
        case (one, other, *_):
            word = "Does" if kind == TOUCH else "May"
            return Question(kind, f"{word} {one} {verb} {other}?", (one, other), {}, label, more)
    raise AssertionError


def _mounts(state: GameState | None, picked: tuple[str, ...]) -> list[tuple[Weapon, Arc]]:
    """The weapons of the first piece's vehicle; without a match the book's, to every side."""
    if state is None:
        return [(weapon_called(USUAL), arc) for arc in ARCS]
    mounted = [
        (weapon_called(m.weapon), m.arc)
        for v in state.vehicles if picked and key_of(v.name) == key_of(picked[0])
        for m in v.mounts
    ]  # fmt: skip
    return list(dict.fromkeys(mounted))


def _shot(weapon: Weapon, arc: Arc, picked: tuple[str, ...], *, alone: bool) -> Question:
    """The question of one mount; of several with the same weapon each says where it points."""
    label = weapon.name if alone else f"{weapon.name} {ARCS[arc]}"
    asked = _about(SHOT, f"shoot {ARCS[arc]} at", label, f"{weapon.reach:g} in {ARCS[arc]}", picked)
    data = {"weapon": weapon.name, "arc": arc}
    return Question(SHOT, asked.words, asked.pieces, data, asked.label, asked.more, missing=asked.missing)


def rests_on(state: GameState, action: Action) -> Question | None:
    """Give whom a warrior boards, attacks or shoots at, as a question; None for what stays on one vehicle."""
    if action.kind not in ("board", "leap", "attack", "shoot"):
        return None
    said = action.data
    warrior = next((w for w in state.warriors if w.name == said.get("warrior")), None)
    other = next((w for w in state.warriors if w.name in (said.get("target"), said.get("at"))), None)
    named = said.get("to") if other is None else other.vehicle
    to = named[0] if isinstance(named, list | tuple) and len(named) == 1 else named
    vehicle = (
        None if warrior is None else next((v for v in state.vehicles if v.name == warrior.vehicle), None)
    )
    if vehicle is None or to == vehicle.name or all(v.name != to for v in state.vehicles):
        return None
    pair = (vehicle.name, str(to))
    if action.kind == "attack":
        return _hero(pair)
    if action.kind != "shoot":
        return _boarding(pair)
    mount = next((m for k, m in enumerate(vehicle.mounts, start=1) if k == said.get("mount")), None)
    if mount is None:
        return None
    alone = [m.weapon for m in vehicle.mounts].count(mount.weapon) == 1
    return _shot(weapon_called(mount.weapon), mount.arc, pair, alone=alone)


def _mount_of(question: Question) -> tuple[Weapon, Mount]:
    weapon = weapon_called(str(question.data.get("weapon") or USUAL))
    said = question.data.get("arc") or "fore"
    for arc, mount in MOUNTS.items():
        if arc == said:
            return weapon, mount
    raise TableRefError(f"arc: expected one of {', '.join(MOUNTS)} but got {said!r}")


def rule(state: GameState | None, question: Question, table: TableState) -> Ruling:
    """The answer, with every check."""
    if len(question.pieces) < 2:
        named = ", ".join(question.pieces) or "none"
        raise TableRefError(f"expected two vehicles but got {named}; name both")
    one, other, *_ = question.pieces
    clear = table if state is None else in_play(state, table, one, other)
    match question.kind:
        case "boarding":
            return striking.rule_distance(
                clear, one, other, striking.BOARDING, "Boarding", citation=cite("Board"),
                deed=f"board {other}",
            )  # fmt: skip
        case "hero":
            return striking.rule_distance(
                clear, one, other, striking.HERO_RANGE, "Range", citation=cite("Attack"),
                deed=f"attack on {other}",
            )  # fmt: skip
        case "shot":
            weapon, mount = _mount_of(question)
            return striking.rule_shot(clear, one, other, mount, limit=weapon.reach)
        case "touch":
            return _touching(clear, one, other)
    known = ", ".join((BOARD, HERO, SHOT, TOUCH))
    raise TableRefError(f"expected a question of the kind {known} but got {question.kind!r}")


def _touching(table: TableState, one: str, other: str) -> Ruling:
    """Whether two vehicles stand against one another, and with which sides."""
    mine, theirs = table.vehicle(one), table.vehicle(other)
    if mine[0] is theirs[0]:
        raise TableRefError(f"expected two vehicles but got {one} twice; name another one")
    found = [c for c in contacts(table, one) if key_of(c.other) == key_of(theirs[0].name)]
    gap = found[0].gap if found else min(
        (contact(a, b) for a in mine for b in theirs), key=lambda m: m.value).at_most(0.12)  # fmt: skip
    words = None
    if found:
        sides = f"{found[0].side.value} against {found[0].other_side.value}"
        words = f"{gap.value:.2f} in apart, {sides}"
        if found[0].p_sides < 0.95:
            words += f" ({100 * found[0].p_sides:.0f} % sure of the sides)"
    check = make_check("Contact", gap, citation=RAM, words=words)
    return Ruling(f"Does {one} stand against {other}?", table.time, one, other, (check,))


def reach(state: GameState | None, question: Question, table: TableState) -> tuple[Mark, ...]:
    """Where that which is asked about reaches from its first piece."""
    if not question.pieces:
        return ()
    name = question.pieces[0]
    clear = table if state is None else in_play(state, table, name)
    vehicle = clear.vehicle(name)
    if question.kind == REACH:
        return tuple(
            area_marks(move_area(clear, name, road_of(state, clear).heading, class_rows(state, name)))
        )
    here = unary_union([s.region.polygon for s in vehicle])
    surface = clear.surface.polygon
    match question.kind:
        case "boarding":
            shape: BaseGeometry = here.buffer(striking.BOARDING)
        case "hero":
            shape = here.buffer(striking.HERO_RANGE)
        case "shot":
            weapon, mount = _mount_of(question)
            gun = striking.body_of_mount(clear, name, mount)
            ahead = _half_plane(gun.pose.compose(striking.arc_of(gun, mount).body_from_anchor))
            return (
                *shape_marks(surface.intersection(ahead), "arc", name),
                *shape_marks(here.buffer(weapon.reach).intersection(ahead), "reach", name, question.more),
            )
        case _:
            return ()
    return tuple(shape_marks(shape.intersection(surface), "reach", name, question.more))


def _half_plane(anchor: Pose) -> Polygon:
    """All that lies ahead of a pose, as far as a table could matter."""
    far = 200.0
    return Polygon(anchor.to_table(np.array([(0.0, -far), (far, -far), (far, far), (0.0, far)])))
