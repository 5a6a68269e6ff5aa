"""What warriors do: Board, Change, Attack, Shoot, and clear what has jammed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engine.game.events import Action
from engine.games.shattered_highways.book import data as book
from engine.games.shattered_highways.book.data import Part
from engine.games.shattered_highways.rules.damage import AIMED, DESTROYED, LEAP, harm, leave, rolls_for, wound
from engine.games.shattered_highways.state import (
    Duty,
    GameState,
    Modifier,
    Play,
    Roller,
    Warrior,
    due,
    wreck_words,
)

# Warriors from vehicle to vehicle and seat to seat: Board, Change, and leaps off a wreck.

BOARD = book.cite("Board")
CHANGE = book.cite("Change")


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
    where = "stays on the wreck"
    if said:
        # Off the trailer of a Rig that drives on one leaps for its tractor.
        where = f"leaps for {wreck_words(said, 'tractor' if said == warrior.vehicle else '')}"
    duty = next(d for d in play.state.duties if d.kind == "leap" and d.warrior == warrior.name)
    _settle_leap(play, warrior, where)
    if said and _leaps(play, warrior, action, (LEAP,)):
        _offer_seat(play, warrior.name, DESTROYED)
    elif not play.state.warrior(warrior.name).out:
        wreck = wreck_words(duty.vehicle, duty.part)
        leave(play, warrior.name, f"{warrior.name} goes down with {wreck}", DESTROYED)


def wreck_due(state: GameState) -> Mapping[str, str]:
    """What of a vehicle is the wreck that is due to be leapt off, as an action's words have it."""
    duty = due(state)
    if duty is None or duty.kind != "leap":
        return {}
    return {"wreck": wreck_words(duty.vehicle, duty.part)}


def _settle_leap(play: Play, warrior: Warrior, where: str) -> None:
    play.tell(
        "leap", f"{warrior.name} {where}", DESTROYED,
        vehicle=warrior.vehicle, duty="leap", warrior=warrior.name,
    )  # fmt: skip


def _leaps(play: Play, warrior: Warrior, action: Action, modifiers: tuple[Modifier, ...]) -> bool:
    """The roll to Board another vehicle, or the other half of one's own Rig."""
    to = play.state.vehicle(target_of(action) or warrior.vehicle)
    part: Part = part_of(play.state, to.name, action.data.get("part"))
    where = to.name + (f" ({part})" if part else "")
    roller = replace(rolls_for(warrior), modifiers=modifiers)
    rolled = play.uncontested(roller, f"Board {where}, {book.HELD_ON}+", BOARD)
    on = rolled.total >= book.HELD_ON
    play.tell(
        "board", f"{warrior.name} {'boards' if on else 'tries to board'} {where}", BOARD,
        warrior=warrior.name, vehicle=warrior.vehicle, to=to.name, value=rolled.total, success=on,
    )  # fmt: skip
    if on:
        play.tell(
            "boarded", f"{warrior.name} is on {where}", BOARD,
            warrior=warrior.name, vehicle=warrior.vehicle, to=to.name, part=part,
        )  # fmt: skip
    elif rolled.total < book.STAYS:
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
    left = f"is {book.seat_words(warrior.seat)}" if warrior.seat else "clings"
    words = f"{warrior.name} and {other.name} change places: {other.name} {left}"
    play.tell(
        "seated", words, CHANGE, warrior=warrior.name, vehicle=warrior.vehicle, seat=seat,
        part=warrior.part, changed=True, swaps=other.name,
    )  # fmt: skip


def _sits(play: Play, warrior: Warrior, seat: str | None, *, changed: bool, duty: bool) -> None:
    words = f"{warrior.name} clings to {warrior.vehicle}"
    if seat is not None:
        words = f"{warrior.name} is {book.seat_words(seat)} of {warrior.vehicle}"
    more = {"duty": "seat"} if duty else {}
    play.tell(
        "seated", words, CHANGE, warrior=warrior.name, vehicle=warrior.vehicle, seat=seat,
        part=warrior.part, changed=changed, **more,
    )  # fmt: skip


# Warriors against warriors and vehicles: Attack, Shoot, and clearing what has jammed.

ATTACK = book.cite("Attack")
SHOOT = book.cite("Shoot")
GUNNER = book.cite("Gunner Actions")


def may_attack(state: GameState, warrior: Warrior) -> tuple[Warrior, ...]:
    """Whom a warrior may attack: enemies on the same vehicle; a hero's own weapon reaches other vehicles.

    On a Rig they stand on the same half of it (house default).
    """
    here = [w for w in state.aboard(warrior.vehicle) if w.owner != warrior.owner and w.part == warrior.part]
    if not ranged(warrior):
        return tuple(here)
    there = [
        w for v in state.in_play() for w in state.aboard(v.name) if w.owner != warrior.owner and w not in here
    ]
    return (*here, *there)


def ranged(warrior: Warrior) -> bool:
    """Whether they attack from afar: a hero whose weapon is not jammed."""
    return warrior.hero and not warrior.jammed


def do_attack(play: Play, action: Action) -> None:
    """A contested roll, ties to the defender; D6 damage, a hero's weapon one more. It jams on a 1."""
    warrior = play.state.warrior(action.data["warrior"])
    target = play.state.warrior(action.data["target"])
    shot = ranged(warrior)
    attacker = rolls_for(warrior, data=action.data)
    mine, theirs = play.contested(attacker, (_defender(target),), f"Attack on {target.name}", ATTACK)
    won = mine.total > theirs.total
    words = f"{warrior.name} {'wins' if won else 'attacks in vain'} against {target.name}"
    play.tell(
        "attack", words, ATTACK, vehicle=warrior.vehicle, to=target.vehicle, warrior=warrior.name,
        aimed_at=target.name, ranged=shot, won=won,
    )  # fmt: skip
    if shot and mine.natural == 1:
        play.tell("jammed", f"the weapon of {warrior.name} jams", ATTACK, warrior=warrior.name)
    if won:
        rule = book.cite("Heroes") if shot else book.cite("Cannon Fodder")
        damage = play.die(f"damage that {warrior.name} deals", rule, warrior.vehicle, warrior.owner) + shot
        wound(play, target.name, damage, f"{warrior.name}")


def _defender(warrior: Warrior) -> Roller:
    """The die alone: a defence is no action."""
    return Roller(warrior.name, warrior.die, warrior.owner, warrior.vehicle)


def do_shoot(play: Play, action: Action) -> None:
    """A gunner shoots at a vehicle or at a warrior on one."""
    if action.data["aim"] == "vehicle":
        _at_vehicle(play, action)
    else:
        _at_warrior(play, action)


def _at_vehicle(play: Play, action: Action) -> None:
    """4+ hits, 2 to 3 misses, 1 jams; the highest roll may hit a warrior inside as well."""
    said = action.data
    warrior = play.state.warrior(said["warrior"])
    target = play.state.vehicle(target_of(action) or "")
    part: Part = (said.get("part") or "") if target.is_rig and target.trailer else ""
    weapon = book.weapon_called(play.state.vehicle(warrior.vehicle).mounts[said["mount"] - 1].weapon)
    roller = rolls_for(warrior, *((AIMED,) if part else ()), data=said)
    rolled = play.uncontested(roller, f"{weapon.name} at {target.name}, {book.HIT}+", SHOOT)
    hit = rolled.total >= book.HIT
    _tell_shot(play, warrior, action, f"at {target.name}", target.name, hit=hit)
    if rolled.total <= 1:
        _jam(play, warrior, said["mount"])
    if hit:
        damage = _damage(play, warrior, weapon.bonus, weapon.name, weapon.citation)
        harm(play, target.name, damage, f"the {weapon.name} of {warrior.vehicle}", weapon.citation, part=part)
    aboard = play.state.aboard(target.name)
    inside = [w for w in aboard if w.owner != warrior.owner]
    # Also in one that it has destroyed: whoever is left in it leaps then.
    if rolled.highest and said.get("bonus", True) and inside:
        amount = play.die(f"shrapnel in {target.name}", SHOOT, target.name, warrior.owner)
        by = target.control
        # A bonus of the shooter's harms none of their own.
        mine = warrior.owner if len(inside) < len(aboard) else ""
        duty = Duty("shrapnel", target.name, SHOOT, by=by, amount=amount, other=mine)
        play.owe(duty, f"{by} says who in {target.name} is hit for {amount}")


def _at_warrior(play: Play, action: Action) -> None:
    """A contested roll, ties to the defender; 1 jams; the highest roll may damage the vehicle as well."""
    said = action.data
    warrior, target = play.state.warrior(said["warrior"]), play.state.warrior(said["at"])
    weapon = book.weapon_called(play.state.vehicle(warrior.vehicle).mounts[said["mount"] - 1].weapon)
    roller = rolls_for(warrior, data=said)
    mine, theirs = play.contested(roller, (_defender(target),), f"{weapon.name} at {target.name}", SHOOT)
    won = mine.total > theirs.total
    _tell_shot(play, warrior, action, f"at {target.name} on {target.vehicle}", target.vehicle, hit=won)
    if mine.natural == 1:
        _jam(play, warrior, said["mount"])
    if won:
        damage = _damage(play, warrior, weapon.bonus, weapon.name, weapon.citation)
        wound(play, target.name, damage, f"the {weapon.name}")
    if mine.highest and said.get("bonus", True):
        damage = play.die(f"bonus damage to {target.vehicle}, less 1", SHOOT, target.vehicle, warrior.owner)
        harm(play, target.vehicle, damage - 1, f"the {weapon.name} of {warrior.vehicle}", SHOOT)


def _tell_shot(play: Play, warrior: Warrior, action: Action, where: str, target: str, *, hit: bool) -> None:
    mount = play.state.vehicle(warrior.vehicle).mounts[action.data["mount"] - 1]
    words = f"{warrior.name} shoots {book.ARCS[mount.arc]} {where} and {'hits' if hit else 'misses'}"
    play.tell(
        "shot", words, GUNNER, vehicle=warrior.vehicle, target=target, warrior=warrior.name,
        weapon=mount.weapon, mount=action.data["mount"], aim=action.data["aim"], hit=hit,
    )  # fmt: skip


def _jam(play: Play, warrior: Warrior, mount: int) -> None:
    weapon = play.state.vehicle(warrior.vehicle).mounts[mount - 1].weapon
    words = f"the {weapon} of {warrior.vehicle} jams"
    play.tell("jammed", words, SHOOT, vehicle=warrior.vehicle, mount=mount)


def _damage(play: Play, warrior: Warrior, bonus: int, weapon: str, citation: str) -> int:
    die = play.die(f"damage of the {weapon}, +{bonus}", citation, warrior.vehicle, warrior.owner)
    return die + bonus


def do_hurt(play: Play, action: Action) -> None:
    """The player of a vehicle says who in it is hit by shrapnel."""
    duty = due(play.state)
    assert duty is not None
    name = str(action.data["warrior"])
    play.tell(
        "hurt", f"{name} is hit by shrapnel", SHOOT,
        vehicle=duty.vehicle, duty="shrapnel", hit=name, amount=duty.amount,
    )  # fmt: skip
    wound(play, name, duty.amount, "shrapnel")


def do_unjam(play: Play, action: Action) -> None:
    """A warrior spends the round on a weapon that has jammed: a mounted one, or the hero's own."""
    warrior = play.state.warrior(action.data["warrior"])
    mount = action.data.get("mount")
    if mount is None:
        words = f"{warrior.name} clears their own weapon"
        play.tell("cleared", words, ATTACK, warrior=warrior.name, vehicle=warrior.vehicle)
        return
    weapon = play.state.vehicle(warrior.vehicle).mounts[mount - 1].weapon
    words = f"{warrior.name} clears the {weapon} of {warrior.vehicle}"
    play.tell("cleared", words, SHOOT, warrior=warrior.name, vehicle=warrior.vehicle, mount=mount)
