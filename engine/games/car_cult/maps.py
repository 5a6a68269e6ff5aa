"""What is printed to play with: component cards to put tokens on, the tokens, and markers to lay."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from engine.boards.pictures import Cutout
from engine.games.car_cult.book.data import CALTROPS, CARDS, DAMAGE, MINES, OIL, SPEED, Card

MM = 1 / 25.4

TAROT = (70 * MM, 120 * MM)
"""Across and deep of the card of an engine, inches."""

MINI = (41 * MM, 63 * MM)
"""Across and deep of the card of any other component, mini-American, inches."""

MARKER = 40 * MM
"""Across what is laid on the table: the comments' 40 mm bases, inches."""

TOKEN = 7.5 * MM
"""A token's side, inches: it fits in a zone of the longest engine."""

COPIES = 2
"""Cards of each component."""

TOKENS = {SPEED: 32, DAMAGE: 48}

LAID = {MINES: "Mine", OIL: OIL, CALTROPS: CALTROPS}

LINE = {TAROT: 30, MINI: 23}
"""Letters of a line on a card."""

MAPS = ()
"""No maps: it is played on a free table."""


def cutouts(spacing: float = 1.0) -> tuple[Cutout, ...]:  # noqa: ARG001 - cards have a size of their own
    """Every card, token and marker to cut out."""
    engines = [c for c in CARDS.values() if c.sort == "engine"]
    others = [c for c in CARDS.values() if c.sort != "engine"]
    return (
        *(_card(c, TAROT) for c in engines),
        *(_card(c, MINI) for c in others),
        *(Cutout(MARKER, MARKER, (name,), disc=True, count=4) for name in LAID.values()),
        *(Cutout(TOKEN, TOKEN, (name[0], name), count=count) for name, count in TOKENS.items()),
    )


def _card(card: Card, size: tuple[float, float]) -> Cutout:
    boxes = tuple(_zone(card, place) for place in range(card.zones))
    lines = [line for words in _lines(card) for line in textwrap.wrap(words, LINE[size])]
    return Cutout(*size, (card.name, *lines), count=COPIES, boxes=boxes)


def _zone(card: Card, place: int) -> tuple[str, str]:
    """What is printed above a zone and in it."""
    above = f"{card.speeds[place]} in" if card.speeds else ""
    return above, "+ST" if place + 1 in card.symbols else ""


def _lines(card: Card) -> Iterator[str]:
    """What the card is good for."""
    if card.sort == "engine":
        yield f"Acceleration {card.acceleration}"
        yield "The last two filled zones tell minimum and maximum; each empty one is a turn of up to 45°."
        yield f"Explodes {card.zones} in around it."
    if card.shots:
        reach = f"Range {card.reach:g} in · " if card.reach else ""
        yield f"{reach}Blast {card.blast}"
        yield f"Damage {card.damage or '*'} · Shots {card.shots}"
    # The letters of every PDF reader's own font have no minus sign.
    yield card.words.replace("−", "–")
    if card.wish:
        yield "from the comments"
