"""What may be done now, for the buttons of the page."""

from __future__ import annotations

from engine.game.contract import Option
from engine.games.white_line_fever import deploying, placing, rounds, shots
from engine.games.white_line_fever.damage import blast_due
from engine.games.white_line_fever.data import MOST_MANOEUVRES
from engine.games.white_line_fever.state import GameState, Round
from engine.games.white_line_fever.weapons import weapon_called


def options(state: GameState) -> tuple[Option, ...]:
    """What may be done now, as far as that can be said without the table."""
    if state.over:
        return ()
    if state.duties:
        return tuple(_owed(state))
    if state.deployment is None:
        return (Option("deployment", None, "Decide the deployment"),)
    if state.round is None:
        return tuple(
            Option("deploy", p, f"Deploy {c.name}", data={"car": c.name})
            for p in deploying.to_deploy(state)
            for c in state.cars
            if c.owner == p and c.status == "waiting"
        )
    return tuple(_in_round(state, state.round))


def _owed(state: GameState) -> list[Option]:
    found = []
    duty = blast_due(state)
    if duty is not None:
        found.append(
            Option("blast", None, f"Settle the explosion of {duty.car}", data={"cars": list(duty.sure)})
        )
    for name in dict.fromkeys(d.car for d in state.duties if d.kind != "blast"):
        first = placing.duty_of(state, name)
        assert first is not None
        words = f"{name} stands where it must ({first.kind})"
        foreseen = {key: value for key, value in placing.foreseen(state, first).items() if value}
        found.append(Option("placed", first.by, words, data={"car": name} | foreseen))
    return found


def _in_round(state: GameState, turn: Round) -> list[Option]:
    if turn.stage == "car" or turn.car is None:
        return [
            Option("choose", turn.driver, f"Drive {c.name}", data={"car": c.name})
            for c in state.driving(turn.driver)
        ]
    if turn.stage == "move":
        found = [Option("move", turn.hands, f"Perform Maneuver {turn.manoeuvre}", data={"car": turn.car})]
        if turn.manoeuvre == 1 and not turn.lost and not turn.reverse:
            found.append(Option("reverse", turn.driver, "Go in reverse"))
        return found
    found = _actions(state, turn) if turn.stage == "free" else []
    car = state.car(turn.car)
    found += [
        Option("speed", turn.driver, f"Speed {to}, end the round", data={"to": to})
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
                found.append(Option("shoot", turn.driver, words, data=data))
    if weapon_called(car.secondary).droppable and car.tokens and not turn.acted:
        found.append(Option("drop", turn.driver, f"Drop {car.secondary} ({car.tokens} left)"))
    if turn.manoeuvre < MOST_MANOEUVRES and turn.car not in turn.burning:
        free = rounds.free_manoeuvre(state, turn)
        words = "Floor It: free" if free else f"Floor It: {turn.manoeuvre + 1}+ on a D6"
        found.append(Option("floor_it", turn.driver, words))
    return found
