"""Damage tokens: who places them, where they may go, and cars that explode."""

from __future__ import annotations

from collections.abc import Sequence

from engine.games.car_cult.book.data import ARMOUR, cite
from engine.games.car_cult.rules.sight import near
from engine.games.car_cult.state.fold import Play
from engine.games.car_cult.state.game_state import Car, Duty, GameState
from engine.ruling import many
from engine.space.geometry import Pose

APPLY = cite("Attacking opponents", "Apply Damage")
EXPLODING = cite("Exploding Cars")
ARMOURED = cite("Building a Car Cult", ARMOUR)


def hurt(play: Play, car: str, count: int, cause: str, citation: str, *, by: str | None = None) -> None:
    """Damage tokens for a car, ahead of all else that is owed: its owner places the first, `by` any others.

    Without `by` its owner places them all.
    """
    owner = play.state.car(car).owner
    if not play.state.car(car).driving:
        return
    duties = [
        Duty("damage", car, citation, by=owner if k == 0 or by is None else by, cause=cause)
        for k in range(count)
    ]
    tokens = many(count, "Damage token")
    play.owe(duties, f"{car} suffers {tokens} from {cause}", first=True)


def strike(play: Play, terrain: str, count: int, cause: str) -> None:
    """Damage tokens on a piece of terrain; as many as the scenario says destroy it."""
    most = play.state.house.terrain
    tokens = min(dict(play.state.struck).get(terrain, 0) + count, most)
    words = f"{terrain} suffers {many(count, 'Damage token')} from {cause}: {tokens} of {most}"
    gone = tokens >= most
    if gone:
        words += "; it is destroyed, take it off the table"
    play.tell("struck", words, APPLY, target=terrain, tokens=tokens, destroyed=gone)


def place(
    play: Play, car: str, component: str, by: str, cause: str, citation: str, *, due: bool = False
) -> None:
    """One Damage token on a component; a car with damage in every zone explodes.

    `due`: it is the first thing that is owed.
    """
    armoured = play.state.car(car).component(component).rules.sort == "armour"
    play.tell(
        "damaged", f"{by} places a Damage token on the {component} of {car}: {cause}",
        ARMOURED if armoured else citation,
        car=car, component=component, by=by, cause=cause, due=due,
    )  # fmt: skip
    here = play.state.car(car)
    if here.component(component) is here.engine and not here.engine.whole:
        words = f"the engine of {car} is full of damage: it may no longer move"
        play.tell("modified", words, APPLY, car=car, why="engine full of damage", by=0)
    if not here.undamaged:
        explode(play, here, cause)


ROUGH = "Rough terrain"
"""What damage on rough ground is told as."""


def explode(play: Play, car: Car, cause: str) -> None:
    """It is removed; everybody within as many inches as its engine has zones suffers a Damage token.

    One that something on its way has blown up explodes there, wherever the hand left it.
    """
    inches = float(car.engine.rules.zones)
    at = _blown_up(play.state, car.name, cause)
    sure, doubtful = near(play.state, play.seen.table, car.name, inches, at)
    play.tell("exploded", f"{car.name} explodes and is removed", EXPLODING, car=car.name, inches=inches)
    if not play.state.driving():
        return
    duty = Duty("blast", car.name, EXPLODING, inches=inches, sure=sure, doubtful=doubtful)
    play.owe([duty], f"every car within {inches:g} in of {car.name} suffers a Damage token", first=True)


def _blown_up(state: GameState, name: str, cause: str) -> Pose | None:
    """Where on its way a car was that it was damaged at; None where it stands now."""
    turn = state.turn
    if turn is None or turn.car != name:
        return None
    still = {duty.other for duty in state.duties if duty.kind == "rough"}
    ground = [one for one in turn.passed if one.kind == "rough" and one.name not in still]
    mines = [one for one in turn.passed if one.kind == "mine" and one.name == cause]
    there = mines or (ground[-1:] if cause == ROUGH else [])
    return Pose(*there[0].at) if there else None


def blast(play: Play, cars: Sequence[str]) -> None:
    """These cars are within the explosion that is due."""
    duty = play.state.duties[0]
    words = f"{', '.join(cars) or 'nobody'} within {duty.inches:g} in of {duty.car}"
    play.tell("blast", words, EXPLODING, car=duty.car, cars=list(cars), inches=duty.inches)
    play.settled(f"the explosion of {duty.car} is over")
    for name in reversed(cars):
        hurt(play, name, 1, f"the explosion of {duty.car}", EXPLODING)


def automatic(state: GameState, duty: Duty) -> str | None:
    """The component on which a Damage token has to go, where there is only one."""
    takers = state.car(duty.car).takers()
    return takers[0].name if len(takers) == 1 else None
