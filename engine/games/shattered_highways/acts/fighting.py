"""Warriors against warriors and vehicles: Attack, Shoot, and clearing what has jammed."""

from __future__ import annotations

from engine.game.events import Action
from engine.games.shattered_highways.acts.boarding import target_of
from engine.games.shattered_highways.book.data import ARCS, HIT, Part, cite, weapon_called
from engine.games.shattered_highways.rules.damage import harm, wound
from engine.games.shattered_highways.rules.modifiers import AIMED, rolls_for
from engine.games.shattered_highways.state.fold import Play, Roller
from engine.games.shattered_highways.state.game_state import Duty, GameState, Warrior, due

ATTACK = cite("Attack")
SHOOT = cite("Shoot")
GUNNER = cite("Gunner Actions")


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
        rule = cite("Heroes") if shot else cite("Cannon Fodder")
        damage = play.die(f"damage of {warrior.name}", rule, warrior.vehicle, warrior.owner) + shot
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
    weapon = weapon_called(play.state.vehicle(warrior.vehicle).mounts[said["mount"] - 1].weapon)
    roller = rolls_for(warrior, *((AIMED,) if part else ()), data=said)
    rolled = play.uncontested(roller, f"{weapon.name} at {target.name}, {HIT}+", SHOOT)
    hit = rolled.total >= HIT
    _tell_shot(play, warrior, action, f"at {target.name}", target.name, hit=hit)
    if rolled.total <= 1:
        _jam(play, warrior, said["mount"])
    if hit:
        damage = _damage(play, warrior, weapon.bonus, weapon.name, weapon.citation)
        harm(play, target.name, damage, f"the {weapon.name} of {warrior.vehicle}", weapon.citation, part=part)
    aboard = play.state.aboard(target.name)
    inside = [w for w in aboard if w.owner != warrior.owner]
    if rolled.highest and said.get("bonus", True) and inside and play.state.vehicle(target.name).in_play:
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
    weapon = weapon_called(play.state.vehicle(warrior.vehicle).mounts[said["mount"] - 1].weapon)
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
    words = f"{warrior.name} shoots {ARCS[mount.arc]} {where} and {'hits' if hit else 'misses'}"
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
