"""Collisions: everybody's dice, damage, Spin Out and Speed; and leaving the playing surface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.game.dice import Want
from engine.games.white_line_fever.book.data import HAMMER, cite
from engine.games.white_line_fever.rules.damage import harm, set_speed
from engine.games.white_line_fever.rules.displacing import owe_spin
from engine.games.white_line_fever.state.fold import Play
from engine.games.white_line_fever.state.game_state import GameState

COLLISION = cite("Collisions")
SPIN_OUT = cite("Collisions", "Spin Out")
LEAVING = cite("Maneuvers", "Leaving the Playing Surface")
HAMMERED = cite("Brands", "Hammer")


def leave(play: Play, name: str) -> None:
    """Over the edge: out of the game, and it counts as destroyed."""
    if play.state.car(name).driving:
        play.tell(
            "left", f"{name} leaves the surface and is out of the game", LEAVING, car=name, status="removed"
        )


def collide(
    play: Play,
    names: Sequence[str],
    obstacles: Sequence[str],
    kinds: Mapping[str, str] | None = None,
    citation: str = COLLISION,
) -> None:
    """A Collision of all these at once: everybody's D8, then damage, Spin Out and Speed.

    `kinds` says of the first car's contacts by name how they met, `citation` what makes it a Collision.
    """
    cars = [n for n in names if play.state.car(n).driving]
    if not cars:
        return
    met = [*cars[1:], *obstacles]
    words = f"{cars[0]} collides with {' and '.join(met)}" if met else f"{cars[0]} suffers a Collision"
    play.tell("collision", words, citation, cars=cars, obstacles=list(obstacles), kinds=dict(kinds or {}))
    rolls = play.together([(Want(8, f"collision damage of {n}"), n) for n in cars], COLLISION)
    amounts = {
        n: _damage(play.state, n, roll.value, _touched(n, cars)) for n, roll in zip(cars, rolls, strict=True)
    }
    for name, (amount, why, rule) in amounts.items():
        harm(play, name, amount, f"the Collision{why}", rule)
    for name in cars:
        car = play.state.car(name)
        if car.driving:
            owe_spin(play, name, SPIN_OUT)
            set_speed(play, name, max(car.speed - 1, 1), COLLISION)


def _touched(name: str, cars: Sequence[str]) -> list[str]:
    """With whom a car collides: the first of them with all others, each of these with that one alone.

    >>> _touched("Red 1", ["Red 1", "Blue 1", "Blue 2"]), _touched("Blue 1", ["Red 1", "Blue 1", "Blue 2"])
    (['Blue 1', 'Blue 2'], ['Red 1'])
    """
    return list(cars[1:]) if name == cars[0] else [cars[0]]


def _damage(state: GameState, name: str, roll: int, touched: Sequence[str]) -> tuple[int, str, str]:
    """What a car takes: its roll, at least its Speed; then Hammers on either side. With words and rule."""
    car = state.car(name)
    amount = max(roll, car.speed)
    why = f" (Speed {car.speed})" if car.speed > roll else ""
    others = [state.car(n) for n in touched]
    hammers = sum(1 for other in others if other.brand == "Hammer")
    bonus = HAMMER * hammers - (HAMMER if others and car.brand == "Hammer" else 0)
    if not bonus:
        return amount, why, COLLISION
    return max(amount + bonus, 1), f"{why} ({bonus:+d} Hammer)", HAMMERED
