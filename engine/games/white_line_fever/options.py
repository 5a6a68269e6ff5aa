"""What may be done now, for the buttons of the page."""

from __future__ import annotations

from collections.abc import Sequence

from engine.game.match import Option
from engine.games.white_line_fever import deploying, placing, rounds, shots
from engine.games.white_line_fever.damage import blast_due
from engine.games.white_line_fever.data import MOST_MANOEUVRES
from engine.games.white_line_fever.state import GameState, Round
from engine.games.white_line_fever.weapons import Weapon, weapon_called


def options(state: GameState) -> tuple[Option, ...]:
    """What may be done now, as far as that can be said without the table."""
    if state.over:
        return ()
    if state.duties:
        return tuple(_owed(state))
    if state.deployment is None:
        wants = {"deployment": "arena, highway or roll"}
        return (Option("deployment", None, "Decide the deployment", wants=wants),)
    if state.round is None:
        return tuple(
            Option(
                "deploy", p, f"Deploy {c.name}", {"car": c.name}, {"at": "x, y, heading, or from the table"}
            )
            for p in deploying.to_deploy(state)
            for c in state.cars
            if c.owner == p and c.status == "waiting"
        )
    return tuple(_in_round(state, state.round))


_MET = {
    "contacts": "what it touched",
    "left_surface": "whether it left the surface",
    "triggered": "tokens it passed over, in order",
}


def _owed(state: GameState) -> list[Option]:
    found = []
    duty = blast_due(state)
    if duty is not None:
        maybe = [n for n in duty.doubtful if state.car(n).driving]
        wants = {"cars": f"all cars within 5 inches: surely {_listed(duty.sure)}, perhaps {_listed(maybe)}"}
        found.append(
            Option("blast", None, f"Settle the explosion of {duty.car}", {"cars": list(duty.sure)}, wants)
        )
    for name in dict.fromkeys(d.car for d in state.duties if d.kind != "blast"):
        first = placing.duty_of(state, name)
        assert first is not None
        words = f"{name} stands where it must ({first.kind})"
        foreseen = {key: value for key, value in placing.foreseen(state, first).items() if value}
        found.append(Option("placed", first.by, words, {"car": name} | foreseen, _MET))
    return found


def _in_round(state: GameState, turn: Round) -> list[Option]:
    if turn.stage == "car" or turn.car is None:
        return [
            Option("choose", turn.driver, f"Drive {c.name}", {"car": c.name})
            for c in state.driving(turn.driver)
        ]
    if turn.stage == "move":
        wants = {"steps": "straight runs, one turn or one drift", **_MET}
        found = [Option("move", turn.hands, f"Perform Maneuver {turn.manoeuvre}", {"car": turn.car}, wants)]
        if turn.manoeuvre == 1 and not turn.lost and not turn.reverse:
            because = {"because": "surface or collision"}
            found.append(Option("reverse", turn.driver, "Go in reverse", {}, because))
        return found
    found = _actions(state, turn) if turn.stage == "free" else []
    car = state.car(turn.car)
    found += [
        Option("speed", turn.driver, f"Speed {to}, end the round", {"to": to})
        for to in rounds.speeds(state, car)
    ]
    return [*found, Option("end", turn.driver, f"Keep Speed {car.speed}, end the round")]


def _actions(state: GameState, turn: Round) -> list[Option]:
    car = state.car(turn.car or "")
    found = []
    for weapon in (weapon_called(car.primary), weapon_called(car.secondary)):
        if shots.unusable(turn, car, weapon):
            continue
        for target in state.driving():
            if target.owner != car.owner:
                words = f"Shoot {target.name} with the {weapon.name}"
                data = {"weapon": weapon.name, "target": target.name}
                found.append(Option("shoot", turn.driver, words, data, _shot_wants(weapon)))
    if weapon_called(car.secondary).droppable and car.tokens and not turn.acted:
        wants = {"token": "its name", "at": "its pose", "under": "cars that it lies under"}
        found.append(Option("drop", turn.driver, f"Drop {car.secondary} ({car.tokens} left)", {}, wants))
    if turn.manoeuvre < MOST_MANOEUVRES and turn.car not in turn.burning:
        free = rounds.free_manoeuvre(state, turn)
        words = "Floor It: free" if free else f"Floor It: {turn.manoeuvre + 1}+ on a D6"
        found.append(Option("floor_it", turn.driver, words))
    return found


def _shot_wants(weapon: Weapon) -> dict[str, str]:
    wants = {
        "apply": "accuracy or damage",
        "band": "short, maximum or out, if the table does not say",
        "tailgate": "whether it tailgates, if the table does not say",
    }
    if weapon.blast_radius is not None:
        wants["reached"] = "other cars within the burst, if the table does not say"
    if weapon.pierces:
        wants["reached"] = "the next car in line, if the table does not say"
    return wants


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
