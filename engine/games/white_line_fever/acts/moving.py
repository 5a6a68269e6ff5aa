"""Performing a manoeuvre: what was driven, typed or seen, against the car's Speed; and what it met."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from engine.game.events import Action, Reason
from engine.game.kit import reading
from engine.games.white_line_fever.acts import rounds
from engine.games.white_line_fever.acts.rounds import in_round
from engine.games.white_line_fever.book.data import cite
from engine.games.white_line_fever.rules import contacts
from engine.games.white_line_fever.rules.contacts import TRIGGER, after_tokens, displacer
from engine.games.white_line_fever.rules.displacing import stopper
from engine.games.white_line_fever.rules.moves import DRIFT_IN, LEAST_RUN, MOST_TURN, hundredths
from engine.games.white_line_fever.state import GameState, Play, Round
from engine.space.geometry import Pose
from engine.space.table import TableState

PERFORM = cite("Rounds", "Perform Maneuver")
MANOEUVRES = cite("Maneuvers")
MOVE = cite("Maneuvers", "Move Car")
TURN = cite("Maneuvers", "Turn Car")
DRIFT = cite("Maneuvers", "Drift Car")


def check_move(state: GameState, action: Action, table: TableState | None) -> list[Reason]:
    """One manoeuvre of the round's car, by whoever holds the wheel.

    Data: `car`; `steps`, each with `kind` (straight, drift, turn), `ahead` and `left` in inches, `angle` in
    radians; `from` and `to`, poses; `contacts`, objects with `other` (and `kind`, how they met); `obstacle`,
    one without a tag; `left_surface`; `unavoidable`, where that could not be helped; `triggered`, the tokens
    passed over in order; `left`, the inches that were left of the manoeuvre at a token that puts the car
    elsewhere. Without `steps` the players vouch for the way.
    """
    turn, reasons = in_round(state, action, ("car", "move"), PERFORM)
    if turn is None:
        return reasons
    name = state.car(reading.text(action.data, "car")).name
    if turn.stage == "car":
        reasons += rounds.not_his_to_drive(state, turn, name)
    elif name != turn.car:
        reasons.append(Reason(f"{turn.car} is the car of this round, not {name}", PERFORM))
    reasons += contacts.check_met(state, name, action.data, table)
    left = reading.number(action.data, "left")
    if not 0.0 <= left <= state.to_drive(name):
        words = f"{name} has at most {hundredths(state.to_drive(name))} in of its Maneuver left, not {left:g}"
        reasons.append(Reason(words, MANOEUVRES))
    if "move" not in action.data:  # a move that was seen has a ruling of its own
        reasons += off_the_rule(state, name, action.data, turn)
    if reading.flag(action.data, "left_surface") and not reading.flag(action.data, "unavoidable"):
        reasons += not_over_the_edge(turn, name)
    return reasons


def not_over_the_edge(turn: Round | None, name: str) -> list[Reason]:
    """What is against leaving the surface: nothing, unless the car is out of control."""
    if turn is None or not turn.lost:
        return []
    words = f"{turn.hands} may not leave the surface with {name} if there is another way"
    return [Reason(words, rounds.LOSE_CONTROL, open=True)]


def off_the_rule(state: GameState, name: str, data: Mapping[str, Any], turn: Round) -> list[Reason]:
    """What is wrong with the driven steps; the players may accept it."""
    steps = reading.objects(data, "steps")
    if not steps:
        return []
    rules, reverse, whole = state.house, turn.reverse, state.to_drive(name)
    triggered = reading.names(data, "triggered")
    cut_short = bool(contacts.contacts_of(data)) or reading.flag(data, "left_surface")
    cut_short = cut_short or stopper(state, name, triggered) is not None
    cut_short = cut_short or displacer(state, triggered) is not None
    runs, reasons, extras, length = [], [], 0, 0.0
    for k, step in enumerate(steps):
        # What it met cut short the step that it was in: the last.
        cut = cut_short and k == len(steps) - 1
        kind = reading.one_of(step, "kind", ("straight", "drift", "turn"))
        if kind == "turn":
            extras += 1
            angle = abs(reading.number(step, "angle"))
            if angle > MOST_TURN + rules.turn_tolerance:
                reasons.append(
                    Reason(f"a turn of {math.degrees(angle):.0f}° is more than 90°", TURN, open=True)
                )
            continue
        ahead = reading.number(step, "ahead") * (-1.0 if reverse else 1.0)
        if ahead < 0.0:
            way = "forward in reverse" if reverse else "backwards"
            reasons.append(Reason(f"a run of {-ahead:.2f} in goes {way}", rounds.DIRECTION, open=True))
        length += abs(ahead)
        if not cut:
            runs.append(abs(ahead))
        if kind == "drift":
            extras += 1
            left = abs(reading.number(step, "left"))
            if abs(left - DRIFT_IN) > rules.length_tolerance and not (cut and left < DRIFT_IN):
                reasons.append(Reason(f"drifted {left:.2f} in; limit 1 in", DRIFT, open=True))
    if extras > (0 if turn.bent else 1):
        words = "the Maneuver's turn or drift is done" if turn.bent else "one turn or one drift, not more"
        reasons.append(Reason(words, MANOEUVRES, open=True))
    if any(run < min(LEAST_RUN, whole) - rules.length_tolerance for run in runs):
        reasons.append(Reason(f"a run of {min(runs):.2f} in is less than 1 in", MOVE, open=True))
    car = state.car(name)
    off = length - whole
    # Tokens that cost Speed may have lain anywhere on the way.
    slower = whole - (car.speed - after_tokens(state, car, triggered).speed)
    if off > rules.length_tolerance or (length < slower - rules.length_tolerance and not cut_short):
        much = "too far" if off > 0 else "too short"
        words = f"{name} went {length:.2f} in at Speed {car.speed}: {abs(off):.2f} in {much}"
        if turn.part:
            words = f"{name} went {length:.2f} in of {whole:.2f} in that were left: {abs(off):.2f} in {much}"
        reasons.append(Reason(words, MANOEUVRES, open=True))
    return reasons


def do_move(play: Play, action: Action) -> None:
    """The car has moved; tokens, the edge and contacts follow."""
    data = action.data
    name = play.state.car(reading.text(data, "car")).name
    if play.round.stage == "car":
        rounds.choose(play, name)
    turn = play.round
    for other, said in (data.get("answers") or {}).items():
        rounds.tell_answer(play, action, f"whether {name} meets {other}", said["answer"], said["rule"])
    words = f"{name} performs Maneuver {turn.manoeuvre} at Speed {play.state.car(name).speed}"
    play.tell(
        "moved", words if not turn.lost else f"{words}, driven by {turn.hands}",
        _citation(data),
        car=name, by=turn.hands, manoeuvre=turn.manoeuvre, speed=play.state.car(name).speed,
        reverse=turn.reverse,
        steps=[dict(s) for s in reading.objects(data, "steps")],
        **{"from": _listed(reading.pose(data, "from")), "to": _listed(reading.pose(data, "to"))},
        contacts=contacts.contacts_json(data),
        left_surface=reading.flag(data, "left_surface"), triggered=list(reading.names(data, "triggered")),
    )  # fmt: skip
    triggered, at = reading.names(data, "triggered"), reading.pose(data, "to")
    broken = displacer(play.state, triggered)
    if at is not None and data.get("move") is not None:
        play.rests[name] = Pose(*at)
    if at is not None and (broken or stopper(play.state, name, triggered)):
        play.stopped[name] = Pose(*at)
    # What was left at a token was left of the Speed with which the car came there.
    came = after_tokens(
        play.state, play.state.car(name), triggered[: triggered.index(broken)] if broken else ()
    )
    contacts.meet(play, name, data, under_way=True)
    if broken is not None:
        _go_on(play, name, data, came.speed)


def _go_on(play: Play, name: str, data: Mapping[str, Any], came: int) -> None:
    """After a token that puts the car elsewhere: what is left of the manoeuvre is driven from there.

    `came` is the Speed with which the car came to the token.
    """
    turn, car = play.round, play.state.car(name)
    if not car.driving or turn.collided:
        return
    steps = reading.objects(data, "steps")
    runs = sum(abs(reading.number(s, "ahead")) for s in steps if s.get("kind") != "turn")
    # Of a way that was seen no step is no inch; where the players vouch for it, they say what is left.
    known = data.get("steps") is not None
    driven = turn.driven + runs if known else max(came - reading.number(data, "left"), turn.driven)
    left = car.speed - driven
    if left <= play.state.house.length_tolerance:
        return
    bent = turn.bent or any(s.get("kind") in ("turn", "drift") for s in steps)
    play.tell(
        "goes on", f"{name} has {left:.2f} in of Maneuver {turn.manoeuvre} left", TRIGGER,
        car=name, driven=round(driven, 4), bent=bent,
    )  # fmt: skip


def _citation(data: Mapping[str, Any]) -> str:
    """The rule that the way rests on most: its turn or drift, else its runs."""
    kinds = {step["kind"] for step in reading.objects(data, "steps")}
    if not kinds:
        return PERFORM
    return DRIFT if "drift" in kinds else TURN if "turn" in kinds else MOVE


def _listed(pose: tuple[float, float, float] | None) -> list[float] | None:
    return None if pose is None else list(pose)
