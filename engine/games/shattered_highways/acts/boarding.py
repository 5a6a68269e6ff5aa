"""Warriors from vehicle to vehicle and seat to seat: Board, Change, and leaps off a wreck."""

from __future__ import annotations

from dataclasses import replace

from engine.game.events import Action
from engine.games.shattered_highways.book.building import seat_words
from engine.games.shattered_highways.book.data import HELD_ON, STAYS, Part, cite
from engine.games.shattered_highways.rules.damage import DESTROYED, leave
from engine.games.shattered_highways.rules.modifiers import LEAP, rolls_for
from engine.games.shattered_highways.state.fold import Modifier, Play
from engine.games.shattered_highways.state.game_state import Duty, GameState, Warrior

BOARD = cite("Board")
CHANGE = cite("Change")


def do_board(play: Play, action: Action) -> None:
    """4+ and they are on the other vehicle, 2 to 3 and they stay, 1 and they fall between the two."""
    warrior = play.state.warrior(action.data["warrior"])
    if not _leaps(play, warrior, action, rolls_for(warrior, data=action.data).modifiers):
        return
    _offer_seat(play, warrior.name, BOARD)


def do_leap(play: Play, action: Action) -> None:
    """A desperate leap off a wreck at −1; who does not make it is gone with the wreck."""
    warrior = play.state.warrior(action.data["warrior"])
    said = target_of(action)
    where = f"leaps for {said}" if said else "stays on the wreck"
    vehicle = _settle_leap(play, warrior, where)
    if said and _leaps(play, warrior, action, (LEAP,)):
        _offer_seat(play, warrior.name, DESTROYED)
    elif not play.state.warrior(warrior.name).out:
        leave(play, warrior.name, f"{warrior.name} goes down with {vehicle}", DESTROYED)


def _settle_leap(play: Play, warrior: Warrior, where: str) -> str:
    play.tell(
        "leap", f"{warrior.name} {where}", DESTROYED,
        vehicle=warrior.vehicle, duty="leap", warrior=warrior.name,
    )  # fmt: skip
    return warrior.vehicle


def _leaps(play: Play, warrior: Warrior, action: Action, modifiers: tuple[Modifier, ...]) -> bool:
    """The roll to Board another vehicle, or the other half of one's own Rig."""
    to = play.state.vehicle(target_of(action) or warrior.vehicle)
    part: Part = part_of(play.state, to.name, action.data.get("part"))
    where = to.name + (f" ({part})" if part else "")
    roller = replace(rolls_for(warrior), modifiers=modifiers)
    rolled = play.uncontested(roller, f"Board {where}, {HELD_ON}+", BOARD)
    on = rolled.total >= HELD_ON
    play.tell(
        "board", f"{warrior.name} {'boards' if on else 'tries to board'} {where}", BOARD,
        warrior=warrior.name, vehicle=warrior.vehicle, to=to.name, value=rolled.total, success=on,
    )  # fmt: skip
    if on:
        play.tell(
            "boarded", f"{warrior.name} is on {where}", BOARD,
            warrior=warrior.name, vehicle=warrior.vehicle, to=to.name, part=part,
        )  # fmt: skip
    elif rolled.total < STAYS:
        leave(play, warrior.name, f"{warrior.name} falls between the vehicles", BOARD)
    return on


def target_of(action: Action) -> str | None:
    """The one vehicle that an action is aimed at, as a name or a list of one; None where there is none."""
    said = action.data.get("to")
    if isinstance(said, list | tuple):
        return str(said[0])
    return None if said is None else str(said)


def part_of(state: GameState, name: str, said: object = None) -> Part:
    """The half of a Rig that is boarded: as said, else its trailer; other vehicles have one part."""
    vehicle = state.vehicle(name)
    if not vehicle.is_rig:
        return ""
    return "tractor" if vehicle.trailer is None or said == "tractor" else "trailer"


def _offer_seat(play: Play, name: str, citation: str) -> None:
    """Who has boarded may sit down at once without a penalty."""
    warrior = play.state.warrior(name)
    if play.state.free_seats(warrior.vehicle, warrior.part):
        duty = Duty("seat", warrior.vehicle, citation, by=warrior.owner, warrior=name, part=warrior.part)
        play.owe(duty, f"{name} may take a seat on {warrior.vehicle}")


def do_sit(play: Play, action: Action) -> None:
    """A free seat, or none."""
    warrior = play.state.warrior(action.data["warrior"])
    seat = action.data.get("seat")
    seat = None if seat == "cling" else seat
    _sits(play, warrior, seat, changed=False, duty=True)


def may_swap(state: GameState, warrior: Warrior) -> tuple[Warrior, ...]:
    """With whom a warrior may change places: each of them makes a Change of their own."""
    return tuple(
        w
        for w in state.aboard(warrior.vehicle, warrior.part)
        if w.owner == warrior.owner and w is not warrior and w.seat and not (w.acted or w.changed)
    )


def do_change(play: Play, action: Action) -> None:
    """Another seat of the same vehicle without a roll; what they do then is at −1."""
    warrior, seat = play.state.warrior(action.data["warrior"]), action.data["seat"]
    other = next((w for w in may_swap(play.state, warrior) if w.seat == seat), None)
    if other is None:
        _sits(play, warrior, seat, changed=True, duty=False)
        return
    left = f"is {seat_words(warrior.seat)}" if warrior.seat else "clings"
    words = f"{warrior.name} and {other.name} change places: {other.name} {left}"
    play.tell(
        "seated", words, CHANGE, warrior=warrior.name, vehicle=warrior.vehicle, seat=seat,
        part=warrior.part, changed=True, swaps=other.name,
    )  # fmt: skip


def _sits(play: Play, warrior: Warrior, seat: str | None, *, changed: bool, duty: bool) -> None:
    words = f"{warrior.name} clings to {warrior.vehicle}"
    if seat is not None:
        words = f"{warrior.name} is {seat_words(seat)} of {warrior.vehicle}"
    more = {"duty": "seat"} if duty else {}
    play.tell(
        "seated", words, CHANGE, warrior=warrior.name, vehicle=warrior.vehicle, seat=seat,
        part=warrior.part, changed=changed, **more,
    )  # fmt: skip
