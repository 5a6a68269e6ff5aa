"""What can be asked of the table: range and line of sight of an attack, as one question."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from shapely.geometry import Polygon
from shapely.geometry.base import BaseGeometry
from shapely.ops import unary_union

from engine.errors import TableRefError
from engine.game.contract import Question
from engine.game.showing import Mark
from engine.games.car_cult.book.data import CARDS, Card, card_called, card_words
from engine.games.car_cult.rules.route import TERRAIN
from engine.games.car_cult.rules.sight import between, in_play, rule_range
from engine.games.car_cult.state.game_state import GameState
from engine.measure.seeing.visible import visible_region
from engine.ruling import Ruling, unplaced_words
from engine.space.table import Standing, TableState, key_of

SHOT = "shot"

_EYES = 8
"""Points of the attacker's outline from which the visible part of the target is drawn."""


def shot_question(car: str, target: str, weapon: str, card: Card) -> Question:
    """Is the target of an attack within range and in sight."""
    words = f"Are {car} and {target} within {card.reach:g} in and in sight of each other?"
    return Question(SHOT, words, (car, target), {"weapon": weapon}, weapon, card_words(card))


def questions(state: GameState | None, picked: tuple[str, ...]) -> tuple[Question, ...]:
    """The attack that was declared; without a match, or after it, every weapon with a range."""
    if state is None or state.over:
        return tuple(_picked(card, picked) for card in _weapons())
    attack = state.attack
    if (
        attack is None
        or attack.target == TERRAIN
        or {key_of(p) for p in picked} - {key_of(attack.car), key_of(attack.target)}
    ):
        return ()
    card = state.car(attack.car).component(attack.weapon).rules
    return (shot_question(attack.car, attack.target, attack.weapon, card),)


def _weapons() -> Iterable[Card]:
    return (c for c in CARDS.values() if c.sort == "weapon" and not c.wish)


def _picked(card: Card, picked: tuple[str, ...]) -> Question:
    """The question of a weapon with as many pieces as are picked."""
    if len(picked) > 1:
        return shot_question(picked[0], picked[1], card.name, card)
    missing = "the target" if picked else "the car that attacks, then the target"
    words = f"Whom may {picked[0]} attack?" if picked else f"Who may attack with the {card.name}?"
    return Question(SHOT, words, picked, {"weapon": card.name}, card.name, card_words(card), missing=missing)


def may_ask(state: GameState | None, question: Question) -> bool:
    """Whether it may be measured: the declared attack, and the length of the move that is under way."""
    if state is None or state.over:
        return True
    if question.kind == "move":
        turn = state.turn
        return turn is not None and key_of(turn.car) == key_of("".join(question.pieces[:1]))
    attack = state.attack
    if attack is None or question.kind != SHOT:
        return False
    pieces = [key_of(name) for name in question.pieces[:2]]
    right = pieces == [key_of(attack.car), key_of(attack.target)]
    return right and question.data.get("weapon") == attack.weapon


def _reach(state: GameState | None, question: Question) -> float:
    weapon = str(question.data.get("weapon"))
    if state is not None and any(key_of(c.name) == key_of(question.pieces[0]) for c in state.cars):
        components = state.car(question.pieces[0]).components
        for one in components:
            if one.name == weapon:
                return one.rules.reach
    return card_called(weapon).reach


def rule(state: GameState | None, question: Question, table: TableState) -> Ruling:
    """Range and line of sight, with the segment between the closest visible parts."""
    if question.kind != SHOT:
        raise TableRefError(f"expected a question of the kind {SHOT!r} but got {question.kind!r}")
    if len(question.pieces) < 2:
        raise TableRefError(f"expected two cars but got {', '.join(question.pieces) or 'none'}; name both")
    reach, (car, target) = _reach(state, question), question.pieces[:2]
    return rule_range(in_play(state, table), car, target, reach, question.words)


def reach(state: GameState | None, question: Question, table: TableState) -> tuple[Mark, ...]:
    """The segment between the closest visible parts, and the part of the target that is visible."""
    if question.kind != SHOT or len(question.pieces) < 2:
        return ()
    clear = in_play(state, table)
    one, other = clear.find(question.pieces[0]), clear.find(question.pieces[1])
    found = between(clear, one.name, other.name)
    measured = found.direct if found.distance is None else found.distance
    marks = list(_visible_part(clear, one, other))
    if found.distance is not None and measured.witness.line is not None:
        ends = tuple((round(float(x), 3), round(float(y), 3)) for x, y in measured.witness.line)
        marks.append(Mark("line", "sight", ends, piece=one.name))
    return tuple(marks)


def _visible_part(table: TableState, one: Standing, other: Standing) -> Iterable[Mark]:
    """What of the target is seen from points along the attacker's outline."""
    walls = [s for s in table.others(one.name, other.name) if s.piece.blocks_sight]
    ring = one.region.polygon.exterior
    inside = table.surface.polygon
    eyes = [ring.interpolate(t, normalized=True) for t in np.linspace(0.0, 1.0, _EYES, endpoint=False)]
    seen = [
        visible_region((eye.x, eye.y), table.surface, walls).polygon.buffer(0)
        for eye in eyes
        if inside.contains(eye)
    ]
    part = unary_union(seen).intersection(other.region.polygon) if seen else Polygon()
    unknown = table.hiding_between(one, other)
    words = f"visible part of {other.name}" + (f", but {unplaced_words(unknown)}" if unknown else "")
    pieces: Iterable[BaseGeometry] = getattr(part, "geoms", [part])
    for piece in pieces:
        if isinstance(piece, Polygon) and not piece.is_empty:
            points = tuple((round(x, 3), round(y, 3)) for x, y in piece.exterior.coords[:-1])
            yield Mark("polygon", "sight", points, words, piece=other.name)
