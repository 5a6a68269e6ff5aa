"""Armour marked off, its penalties, destruction and explosions in chains."""

from __future__ import annotations

from collections.abc import Sequence

from engine.game.dice import Want
from engine.game.events import Action, Reason
from engine.games.white_line_fever import reading
from engine.games.white_line_fever.data import BLAST, EXCESS, cite
from engine.games.white_line_fever.play import Play, seen
from engine.games.white_line_fever.state import Duty, GameState
from engine.measure.nearby import within
from engine.ruling import Verdict
from engine.space.table import TableState

DAMAGE = cite("Shoot Weapon", "Damage")
DESTROYED = cite("Destroying a Car")
EXPLODING = cite("Destroying a Car", "Exploding")


def harm(play: Play, name: str, amount: int, cause: str, citation: str) -> None:
    """Mark off armour and apply what follows: penalties, destruction, an explosion that is owed."""
    car = play.state.car(name)
    if amount <= 0 or not car.driving:
        return
    armour = play.state.armour(car)
    taken = min(amount, armour)
    marked = car.marked + taken
    play.tell(
        "damaged", f"{name} takes {amount} damage from {cause}, {armour - taken} armour left", citation,
        car=name, amount=amount, marked=marked, left=armour - taken, cause=cause,
    )  # fmt: skip
    if taken == armour:
        _destroy(play, name, amount - armour)
        return
    _big_boxes(play, name, car.marked, marked)


def _big_boxes(play: Play, name: str, before: int, after: int) -> None:
    """Each big box that was reached costs maximum Speed, and Speed with it; an Essence does not mind."""
    state, car = play.state, play.state.car(name)
    if not any(before < box <= after for box in state.big_boxes(car)):
        return
    was, top = state.top_speed(car, before), state.top_speed(car, after)
    words = f"{name} reaches a big box: maximum Speed {top}"
    if car.brand == "Essence":
        words = f"{name} reaches a big box, an Essence does not mind"
    citation = cite("Brands", "Essence") if car.brand == "Essence" else DAMAGE
    play.tell("penalty", words, citation, car=name, top=top, was=was)
    set_speed(play, name, min(car.speed, top), DAMAGE)


def set_speed(play: Play, name: str, speed: int, citation: str) -> None:
    """Another Speed, if it is another."""
    was = play.state.car(name).speed
    if speed != was:
        words = f"{name} goes from Speed {was} to {speed}"
        play.tell("speed", words, citation, car=name, speed=speed, was=was)


def _destroy(play: Play, name: str, excess: int) -> None:
    explodes = excess >= EXCESS
    words = f"{name} is destroyed" + (
        " and explodes" if explodes else ": flip it over, it is an obstacle now"
    )
    play.tell(
        "destroyed", words, EXPLODING if explodes else DESTROYED,
        car=name, excess=excess, status="removed" if explodes else "wreck",
    )  # fmt: skip
    if explodes:
        sure, doubtful = near(play.state, play.table, name, BLAST)
        play.owe(
            Duty("blast", name, EXPLODING, inches=BLAST, sure=sure, doubtful=doubtful),
            f'{name} does D8 damage to all cars within {BLAST:g}"',
        )


def near(
    state: GameState, table: TableState | None, name: str, inches: float
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The cars in play within so many inches of a car, edge to edge: surely, and perhaps.

    Perhaps too: all of them without a table, and those that it does not surely know.
    """
    centre = seen(table, name)
    others = [c.name for c in state.driving() if c.name != name]
    stands = {other: seen(table, other) for other in others}
    if centre is None:
        return (), tuple(others)
    found = {n.name: n.distance.verdict() for n in within(centre, inches, [s for s in stands.values() if s])}
    sure, doubtful = [], []
    for other, standing in stands.items():
        verdict = Verdict.TOO_CLOSE if standing is None else found.get(standing.name, Verdict.NO)
        if verdict is Verdict.YES:
            sure.append(other)
        elif verdict is Verdict.TOO_CLOSE:
            doubtful.append(other)
    return tuple(sure), tuple(doubtful)


def blast(play: Play, duty: Duty, names: Sequence[str]) -> None:
    """An explosion reaches these cars: its dice first, then all their damage."""
    reached = [n for n in names if play.state.car(n).driving]
    each = play.state.house.blast_dice == "one each"
    wants = [(Want(8, f"explosion of {duty.car}" + (f" against {n}" if each else "")), n) for n in reached]
    rolls = play.together(wants if each else wants[:1], EXPLODING)
    whom = f"reaches {', '.join(reached)}" if reached else "reaches nobody"
    play.tell("blast", f"the explosion of {duty.car} {whom}", EXPLODING, car=duty.car, cars=reached)
    for k, name in enumerate(reached):
        harm(play, name, rolls[k if each else 0].value, f"the explosion of {duty.car}", EXPLODING)


def known_blasts(play: Play) -> None:
    """Explosions of which it is known whom they reach, and those that they set off."""
    while True:
        duty = next((d for d in play.state.duties if d.kind == "blast" and not _doubts(play.state, d)), None)
        if duty is None:
            return
        blast(play, duty, duty.sure)


def _doubts(state: GameState, duty: Duty) -> tuple[str, ...]:
    return tuple(n for n in duty.doubtful if state.car(n).driving)


def blast_due(state: GameState) -> Duty | None:
    """The explosion whose reach the players have to tell."""
    return next((d for d in state.duties if d.kind == "blast"), None)


def check_blast(state: GameState, action: Action, _table: TableState | None) -> list[Reason]:
    """Those surely reached must be among the named, those surely not reached must not."""
    duty = blast_due(state)
    if duty is None:
        return [Reason("no explosion is to be settled", EXPLODING)]
    named = {state.car(n).name for n in reading.names(action.data, "cars")}
    sure = {n for n in duty.sure if state.car(n).driving}
    maybe = sure | set(_doubts(state, duty))
    reasons = [
        Reason(f'{n} is within {BLAST:g}" of {duty.car}', EXPLODING, open=True) for n in sorted(sure - named)
    ]
    for name in sorted(named - maybe):
        in_play = state.car(name).driving
        words = f'{name} is not within {BLAST:g}" of {duty.car}' if in_play else f"{name} is not in play"
        reasons.append(Reason(words, EXPLODING, open=in_play and name != duty.car))
    return reasons


def do_blast(play: Play, action: Action) -> None:
    """The players say whom the explosion reaches."""
    duty = blast_due(play.state)
    assert duty is not None
    blast(play, duty, [play.state.car(n).name for n in reading.names(action.data, "cars")])
