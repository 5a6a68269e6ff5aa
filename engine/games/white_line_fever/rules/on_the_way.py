"""Tokens on the way of a manoeuvre: one that ends it or puts the car elsewhere, and those that cost Speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.game.kit.free_moves import inches_to
from engine.games.white_line_fever.rules.tokens import after_tokens, displacer, stopper
from engine.games.white_line_fever.state.game_state import GameState
from engine.measure.contacts import Contact, contacts
from engine.measure.sweep import gaps_along
from engine.motion.recognition import Manoeuvre
from engine.ruling import Verdict
from engine.space.geometry import Pose
from engine.space.table import Standing


@dataclass(frozen=True, eq=False)
class OnTheWay:
    """What tokens make of a manoeuvre.

    `inches` is how far it has to go in all: less where a token cost Speed, but not less than to that token.
    `broken` is the contact with a token at which it is broken off; `beyond` are tokens that lie farther than
    it goes by the book, whatever the hand did.
    """

    inches: float
    broken: Contact | None = None
    beyond: tuple[str, ...] = ()


def on_the_way(state: GameState, car: Standing, seen: Manoeuvre, laid: Sequence[Standing]) -> OnTheWay:
    """The tokens that a car surely meets on its way, carried out one after the other."""
    steps = [d.step for d in seen.steps]
    found = [c for c in contacts(car, steps, laid) if c.verdict is Verdict.YES]
    sheet, inches = state.car(car.name), state.to_drive(car.name)
    met: list[str] = []
    broken: Contact | None = None
    beyond = []
    for contact in found:
        at = inches_to(seen, contact)
        if broken is not None or at > inches + state.house.length_tolerance:
            beyond.append(contact.other)
            continue
        met.append(contact.other)
        if displacer(state, met) or stopper(state, car.name, met):
            broken = contact
            continue
        after = after_tokens(state, sheet, [contact.other])
        if after.speed < sheet.speed:
            inches = max(inches - (sheet.speed - after.speed), at)
        sheet = after
    return OnTheWay(inches, broken, tuple(beyond))


def way_until(way: Sequence[Pose], car: Standing, token: Standing) -> tuple[Pose, ...]:
    """The seen poses of a way before it first reaches a token."""
    if not way:
        return ()
    rows = np.array([(p.x, p.y, p.heading) for p in way])
    there = gaps_along(car, rows, token) <= 0.0
    return tuple(way[: int(there.argmax())] if there.any() else way)
