"""What a warrior may do, as options: Change, Board, Attack, Shoot, clear a weapon."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.game.contract import Option
from engine.game.forms import Candidate, Flag, Form, Input, Pick, SheetPlace
from engine.games.shattered_highways.acts import fighting
from engine.games.shattered_highways.acts.fighting import BOARD, CHANGE, may_swap
from engine.games.shattered_highways.book.data import ARCS, HELD_ON, HIT, seat_words, weapon_called
from engine.games.shattered_highways.page.driving import at_the_worst, odds, reckoned
from engine.games.shattered_highways.page.offers import Dust, dust, halves, vehicles
from engine.games.shattered_highways.page.sheets import gunner_key
from engine.games.shattered_highways.rules.damage import AIMED, rolls_for
from engine.games.shattered_highways.state import GameState, Roller, Turn, Vehicle, Warrior


def options(state: GameState, turn: Turn, warrior: Warrior, known: Dust) -> list[Option]:
    """All that a warrior who has not acted yet may do in the turn of their vehicle."""
    vehicle = state.vehicle(warrior.vehicle)
    change = _change(state, turn, warrior, vehicle)
    if turn.late:
        # Against the back edge there is nothing to be done but to get back.
        return change
    # What a seat is for comes first, and last how to leave it.
    found = _shoot(state, turn, warrior, vehicle, known) if _armed(turn, vehicle, warrior) else []
    found += _unjam(turn, warrior, vehicle) + _attack(state, turn, warrior, known)
    return found + _board(state, turn, warrior, vehicle, known) + change


def _heading(warrior: Warrior) -> str:
    return f"{warrior.name} · {seat_words(warrior.seat)}"


def _change(state: GameState, turn: Turn, warrior: Warrior, vehicle: Vehicle) -> list[Option]:
    if warrior.changed:
        return []
    seats = [Candidate(s, seat_words(s)) for s in state.free_seats(vehicle.name, warrior.part)]
    # Against the back edge "the only action it can take" is a Move: whoever sits there has none to give up.
    for other in () if turn.late else may_swap(state, warrior):
        more = f"changes places with {other.name}, who is then at −1, too"
        seats.append(Candidate(other.seat, seat_words(other.seat), more))
    if not seats:
        return []
    form = Form({"seat": Pick(words="To the seat of", at_once=True, candidates=tuple(seats))})
    return [
        Option(
            "change", turn.hands, "Change seat", "what they do then is at −1", heading=_heading(warrior),
            data={"warrior": warrior.name}, form=form, citation=CHANGE,
            piece=vehicle.name,
        )
    ]  # fmt: skip


def _falls(roller: Roller) -> str:
    return f"on {at_the_worst(roller)} they fall"


def _board(state: GameState, turn: Turn, warrior: Warrior, vehicle: Vehicle, known: Dust) -> list[Option]:
    def rolls(said: Mapping[str, Any]) -> Roller:
        return rolls_for(warrior, data=said)

    found = []
    facts, falls = odds(rolls, HELD_ON, known, _falls), _falls(rolls(known.data))
    others = state.in_play(vehicle.name)
    if others:
        fields: dict[str, Input] = {"to": vehicles("Which one", others, at_once=True)}
        fields |= halves(others) | dust(known)
        found.append(
            Option(
                "board", turn.hands, "Board", f"within 1 in; {falls}", heading=_heading(warrior),
                data={"warrior": warrior.name}, form=Form(fields), citation=BOARD, facts=facts,
                piece=vehicle.name,
            )
        )  # fmt: skip
    if vehicle.trailer is not None:
        part = "tractor" if warrior.part == "trailer" else "trailer"
        found.append(
            Option(
                "climb", turn.hands, f"Board the {part}", falls, heading=_heading(warrior),
                data={"warrior": warrior.name, "part": part},
                form=Form(dust(known)), citation=BOARD, facts=facts,
                piece=vehicle.name,
            )
        )  # fmt: skip
    return found


def _attack(state: GameState, turn: Turn, warrior: Warrior, known: Dust) -> list[Option]:
    targets = fighting.may_attack(state, warrior)
    if not targets:
        return []
    whom = Pick(words="Whom", candidates=tuple(_as_candidate(w) for w in targets), at_once=True)
    more = "on the same vehicle or within 3 in" if fighting.ranged(warrior) else "on the same vehicle"
    return [
        Option(
            "attack", turn.hands, "Attack", more, heading=_heading(warrior), data={"warrior": warrior.name},
            form=Form({"target": whom, **dust(known)}), citation=fighting.ATTACK,
            piece=warrior.vehicle,
        )
    ]  # fmt: skip


def _as_candidate(warrior: Warrior) -> Candidate:
    return Candidate(warrior.name, warrior.name, f"{seat_words(warrior.seat)} on {warrior.vehicle}")


def _armed(turn: Turn, vehicle: Vehicle, warrior: Warrior) -> bool:
    """Whether they sit at a weapon that can be fired; none can on a destroyed trailer.

    One that somebody un-jams takes this round for it.
    """
    if warrior.seat is None or warrior.seat[0] != "W" or vehicle.dragging:
        return False
    number = int(warrior.seat[1:])
    return not vehicle.mounts[number - 1].jammed and number not in turn.cleared


def _jams(roller: Roller) -> str:
    return f"{at_the_worst(roller)} jams"


def _shoot(state: GameState, turn: Turn, warrior: Warrior, vehicle: Vehicle, known: Dust) -> list[Option]:
    number = int((warrior.seat or "W1")[1:])
    mount = vehicle.mounts[number - 1]
    weapon = weapon_called(mount.weapon)
    others = state.in_play(vehicle.name)
    if not others:
        return []

    def rolls(said: Mapping[str, Any]) -> Roller:
        return rolls_for(warrior, data=said)

    def aims(said: Mapping[str, Any]) -> Roller:
        return rolls_for(warrior, AIMED, data=said)

    roller = rolls(known.data)
    more = f"{ARCS[mount.arc]}, {weapon.reach:g} in, D6+{weapon.bonus}"
    at: dict[str, Input] = {"to": vehicles("Which one", others, at_once=True, harms=turn.hands)}
    at |= halves(others, "part", "Aim at one half of a Rig, at −1", odds(aims, HIT, known, _jams))
    at["bonus"] = _bonus("With the highest roll also hit a warrior inside")
    data = {"warrior": warrior.name, "mount": number}
    found = [
        Option(
            "shoot", turn.hands, f"Shoot the {weapon.name} at a vehicle",
            f"{more}; {_jams(roller)}", heading=_heading(warrior),
            data=data | {"aim": "vehicle"}, form=Form(at | dust(known)), citation=fighting.SHOOT,
            facts=odds(rolls, HIT, known, _jams), piece=vehicle.name,
            reckoning=reckoned(roller, HIT, fighting.SHOOT, f"D6+{weapon.bonus}"),
        )
    ]  # fmt: skip
    enemies = [w for v in others for w in state.aboard(v.name) if w.owner != warrior.owner]
    if enemies:
        whom = Pick(words="Whom", candidates=tuple(_as_candidate(w) for w in enemies), at_once=True)
        bonus = _bonus("With the highest roll also damage the vehicle")
        found.append(
            Option(
                # In a contested roll the die itself decides, whatever is taken off.
                "shoot", turn.hands, f"Shoot the {weapon.name} at a warrior", f"{more}; a 1 jams",
                heading=_heading(warrior), data=data | {"aim": "warrior"},
                form=Form({"at": whom, "bonus": bonus, **dust(known)}), citation=fighting.SHOOT,
                piece=vehicle.name,
            )
        )  # fmt: skip
    return found


def _bonus(words: str) -> Flag:
    return Flag(words=words, usual=True, folded=True)


def _unjam(turn: Turn, warrior: Warrior, vehicle: Vehicle) -> list[Option]:
    """Anybody on the vehicle clears a mounted weapon; a hero their own."""
    found: list[tuple[str, dict[str, int], str, SheetPlace | None]] = []
    for number, mount in enumerate(vehicle.mounts, start=1):
        if mount.jammed and not vehicle.dragging:
            words, place = f"Clear the {mount.weapon} of gunner {number}", gunner_key(number)
            found.append((words, {"mount": number}, fighting.SHOOT, SheetPlace(vehicle.name, place)))
    if warrior.jammed and not warrior.changed and not warrior.clung:
        # "A turn doing nothing but unjamming it": neither a Change nor a Cling before, which are actions.
        found.append(("Clear their own weapon", {}, fighting.ATTACK, None))
    return [
        Option(
            "unjam", turn.hands, words, heading=_heading(warrior),
            data={"warrior": warrior.name} | data, citation=rule, piece=vehicle.name, on=on,
        )
        for words, data, rule, on in found
    ]  # fmt: skip
