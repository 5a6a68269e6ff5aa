"""What can be asked of the table: shots, reach; and inputs that several actions ask for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from shapely.geometry import MultiPoint, Polygon
from shapely.geometry.base import BaseGeometry

from engine.errors import TableRefError
from engine.game.contract import Question, Seen
from engine.game.forms import Candidate, Flag, Form, Input, Number, PickPieces, Text
from engine.game.kit.table import path
from engine.game.showing import Mark, Role
from engine.games.white_line_fever.book.data import WEAPONS, Weapon, weapon_called
from engine.games.white_line_fever.rules.contacts import displacer
from engine.games.white_line_fever.rules.shots import VENUS_RANGE, rule_shot
from engine.games.white_line_fever.state import Car, GameState, in_play
from engine.ruling import Ruling
from engine.space.table import Standing, TableState, key_of

# Inputs that several actions ask for: the move that was seen, and what a car met on its way.


def way_form(
    state: GameState, seen: Seen, car: str, foreseen: Mapping[str, Any] | None = None, *, driven: bool = False
) -> Form:
    """How a car got where it is, where the camera knows, and what it met; `foreseen` is picked already."""
    usual = foreseen or {}
    fields: dict[str, Input] = {"move": path(seen, car), "contacts": _contacts(state, seen, car, usual)}
    fields["obstacle"] = Text(words="It touched an obstacle without a tag", optional=True, folded=True)
    if state.tokens:
        fields["triggered"] = PickPieces(
            words="It drove over",
            candidates=tuple(Candidate(t.name, t.name, t.weapon) for t in state.tokens),
            usual=list(usual.get("triggered") or ()) or None,
            optional=True,
            folded=not usual.get("triggered"),
        )
    if driven and displacer(state, [t.name for t in state.tokens]):
        fields["left"] = Number(
            words="Inches that were left at Oil or Springboard", low=0.0, high=state.to_drive(car),
            whole=False, unit="in", optional=True, folded=True,
        )  # fmt: skip
    left = bool(usual.get("left_surface"))
    fields["left_surface"] = Flag(
        words="It left the surface", usual=left or None, optional=True, folded=not left
    )
    return Form(fields)


def cars_as_candidates(state: GameState, *but: str) -> tuple[Candidate, ...]:
    """The cars in play, to pick from."""
    return tuple(Candidate(c.name, c.name, c.owner) for c in state.driving() if c.name not in but)


def _contacts(state: GameState, seen: Seen, car: str, usual: Mapping[str, Any]) -> PickPieces:
    on_table = [c.name for c in state.cars if c.status in ("driving", "wreck") and c.name != car]
    known = {key_of(c.name) for c in state.cars}
    standings = () if seen.table is None else seen.table.standings
    terrain = [s.name for s in standings if s.piece.kind == "terrain" and key_of(s.name) not in known]
    touched = list(usual.get("contacts") or ())
    names = dict.fromkeys([*on_table, *terrain, *touched])
    return PickPieces(
        words="It hit",
        candidates=tuple(Candidate(name, name) for name in names),
        usual=touched or None,
        optional=True,
        folded=not touched,
    )


# What can be asked of the table: shots, and how far a car's weapon reaches.

SHOT = "shot"
USUAL = "Machine Gun"
"""The weapon that is meant where no game is played and none is named."""


def shot_question(weapon: Weapon, shooter: str, target: str, bonus: float = 0.0) -> Question:
    """May that car shoot at that one with this weapon."""
    words = f"May {shooter} shoot at {target} with {weapon.the}?"
    return _about(weapon, words, (shooter, target), bonus)


def _about(weapon: Weapon, words: str, pieces: tuple[str, ...], bonus: float, missing: str = "") -> Question:
    data = {"weapon": weapon.name}
    more = ranges_words(weapon, bonus)
    return Question(SHOT, words, pieces, data, weapon.name, more, weapon.hardpoint, missing)


def _picked(weapon: Weapon, picked: tuple[str, ...], bonus: float = 0.0) -> Question:
    """The question of a weapon with as many pieces as are picked."""
    match picked:
        case ():
            words = f"Who may shoot with {weapon.the}?"
            return _about(weapon, words, (), bonus, "the car that shoots, then the one that it shoots at")
        case (shooter,):
            words = f"Whom may {shooter} shoot at with {weapon.the}?"
            return _about(weapon, words, (shooter,), bonus, f"the car that {shooter} shoots at")
        case (shooter, target, *_):
            return shot_question(weapon, shooter, target, bonus)
    raise AssertionError


def ranges_words(weapon: Weapon, bonus: float = 0.0) -> str:
    """How far a weapon reaches and what it does besides, for people.

    >>> ranges_words(weapon_called("Harpoon"))
    'Short 6 in, Maximum 16 in; target is pulled 3 in'
    """
    if weapon.short is None or weapon.maximum is None:
        return f"whoever drives onto it {weapon.as_token}"
    said = f"Short {weapon.short + bonus:g} in, Maximum {weapon.maximum + bonus:g} in"
    return f"{said}; {weapon.special}" if weapon.special else said


def questions(state: GameState | None, picked: tuple[str, ...]) -> tuple[Question, ...]:
    """The shots of the first piece at the second; without a game with every weapon that is aimed."""
    if state is None:
        aimed = sorted((w for w in WEAPONS.values() if not w.droppable), key=lambda w: w.name != USUAL)
        return tuple(_picked(weapon, picked) for weapon in aimed)
    car = _car_of(state, picked[0]) if picked else None
    target = _car_of(state, picked[1]) if len(picked) > 1 else None
    if car is None or not car.driving or (target is not None and not target.driving):
        return ()
    carried = [weapon_called(name) for name in (car.primary, car.secondary)]
    pieces = (car.name, *picked[1:])
    return tuple(_picked(weapon, pieces, bonus_of(car)) for weapon in carried if not weapon.droppable)


def _car_of(state: GameState | None, name: str) -> Car | None:
    cars = () if state is None else state.cars
    return next((c for c in cars if key_of(c.name) == key_of(name)), None)


def bonus_of(car: Car | None) -> float:
    """Inches by which a car's brand lengthens the ranges of its weapons."""
    return VENUS_RANGE if car is not None and car.brand == "Venus" else 0.0


def weapon_of(question: Question) -> Weapon:
    """The weapon that a question is about; a clear error for another question."""
    if question.kind != SHOT:
        raise TableRefError(f"expected a question of the kind {SHOT!r} but got {question.kind!r}")
    weapon = weapon_called(str(question.data.get("weapon") or USUAL))
    if weapon.droppable:
        raise TableRefError(
            f"{weapon.name} is dropped behind the car and cannot be aimed; choose a weapon with a range"
        )
    return weapon


def rule(state: GameState | None, question: Question, table: TableState) -> Ruling:
    """May that shot be taken."""
    weapon = weapon_of(question)
    if len(question.pieces) < 2:
        raise TableRefError(
            f"expected a shooter and a target but got {', '.join(question.pieces)}; name both"
        )
    shooter, target, *_ = question.pieces
    car = _car_of(state, shooter)
    clear = table if state is None else in_play(state, table)
    return rule_shot(clear, shooter, target, weapon.name, brand=None if car is None else car.brand)


def reach(state: GameState | None, question: Question, table: TableState) -> tuple[Mark, ...]:
    """The arc of the question's weapon and its two ranges, from where its car stands."""
    if not question.pieces:
        return ()
    weapon, shooter = weapon_of(question), table.find(question.pieces[0])
    if shooter.piece.body.tyres is None or weapon.short is None or weapon.maximum is None:
        return ()
    bonus = bonus_of(_car_of(state, shooter.name))
    surface = table.surface.polygon
    arc = surface if weapon.all_round else surface.intersection(_forward(shooter, 10 * surface.length))
    words = ranges_words(weapon, bonus)
    return (
        *_marks(arc, "arc", shooter.name),
        *_marks(_within(shooter, weapon.maximum + bonus, table, weapon), "far reach", shooter.name, words),
        *_marks(_within(shooter, weapon.short + bonus, table, weapon), "reach", shooter.name),
    )


def _forward(shooter: Standing, far: float) -> Polygon:
    """The half-plane ahead of the front axle, as far as the table could matter."""
    across = np.array([-math.sin(shooter.pose.heading), math.cos(shooter.pose.heading)])
    along = np.array([math.cos(shooter.pose.heading), math.sin(shooter.pose.heading)])
    middle = shooter.pose.to_table(shooter.piece.body.front_axle)
    a, b = middle - across * far, middle + across * far
    return Polygon([a, b, b + along * far, a + along * far])


def _within(shooter: Standing, inches: float, table: TableState, weapon: Weapon) -> BaseGeometry:
    """All places on the table within so many inches of a front tyre, and ahead unless all round."""
    assert shooter.piece.body.tyres is not None
    tyres = shooter.pose.to_table(shooter.piece.body.tyres[:2])
    region = MultiPoint(tyres).buffer(inches, quad_segs=32).intersection(table.surface.polygon)
    return region if weapon.all_round else region.intersection(_forward(shooter, 4 * inches + 10))


def _marks(geometry: BaseGeometry, role: Role, piece: str, words: str = "") -> list[Mark]:
    parts: Iterable[BaseGeometry] = getattr(geometry, "geoms", [geometry])
    return [
        Mark(
            "polygon",
            role,
            tuple((float(x), float(y)) for x, y in part.exterior.coords[:-1]),
            words,
            piece=piece,
        )
        for part in parts
        if isinstance(part, Polygon) and not part.is_empty
    ]
