"""Attack rolls: shots, rerolls, modifiers, hits; of weapons, Mines and a Reinforced Ram alike."""

from __future__ import annotations

from dataclasses import dataclass

from engine.games.car_cult.book.data import CRACK, CRAP, DRIVER, NEEDED, Card, cite
from engine.games.car_cult.rules.damage import APPLY, hurt, strike
from engine.games.car_cult.state.fold import Play
from engine.games.car_cult.state.game_state import Car
from engine.ruling import signed

ROLL = cite("Attacking opponents", "Roll Attack dice")
MODIFY = cite("Attacking opponents", "Apply Speed and Blast modifiers")
DRIVING = cite("Building a Car Cult", DRIVER)

PER_TOKEN = 2
"""What each Speed token on a Dangerous Driver takes off an attack roll."""


@dataclass(frozen=True, slots=True)
class Modifier:
    """What adds to an attack roll, by name and rule."""

    words: str
    by: int
    citation: str


def modifiers(card: Card, target: Car | None) -> tuple[Modifier, ...]:
    """Blast, the target's minimum speed, and its Dangerous Driver; of terrain the Blast alone."""
    found = [Modifier(f"Blast of the {card.name}", card.blast, card.citation)]
    if target is None:
        return tuple(m for m in found if m.by)
    driver = sum(c.speed for c in target.components if c.card == DRIVER)
    found.append(Modifier(f"minimum speed of {target.name}", -target.limits[0], MODIFY))
    found.append(Modifier(f"{DRIVER} of {target.name}", -PER_TOKEN * driver, DRIVING))
    return tuple(m for m in found if m.by)


def needed(card: Card, target: Car | None) -> int:
    """What the D20 has to show: 10 less the modifiers, but a 20 always hits and a 1 never does.

    Blast 3 at a minimum of 9 is −6: 16 or more.
    """
    return min(max(NEEDED - sum(m.by for m in modifiers(card, target)), CRAP + 1), CRACK)


def hits(value: int, card: Card, target: Car | None) -> bool:
    """Whether an attack die hits."""
    return value >= needed(card, target)


def resolve(
    play: Play, card: Card, target: str, by: str, dice: tuple[int, ...], damage: int, what: str = ""
) -> int:
    """The dice as they lie are held against the modifiers; each hit does so much damage. How many hit.

    `what` attacks, in words, where that is not the component itself but what it has laid.
    """
    car, what = play.state.target(target), what or f"the {card.name}"
    for m in modifiers(card, car):
        play.tell(
            "modified", f"attack on {target}: {signed(m.by)}, {m.words}", m.citation,
            car=target, by=m.by, why=m.words,
        )  # fmt: skip
    total = 0
    for value in dice:
        hit = hits(value, card, car)
        special = {CRACK: " (Crack Shot)", CRAP: " (Crap Shot)"}.get(value, "")
        how = "hits" if hit else "misses"
        words = f"{what} {how} {target}: {value}{special}, {needed(card, car)} or more needed"
        play.tell(
            "hit" if hit else "missed", words, ROLL if special else MODIFY, target=target, weapon=card.name,
            value=value, needed=needed(card, car),
        )  # fmt: skip
        total += hit
    if car is None and total:
        strike(play, target, total * damage, what)
    for _ in range(total if car is not None else 0):
        hurt(play, target, damage, what, APPLY, by=by)
    return total
