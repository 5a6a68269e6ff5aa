"""Which pieces may be moved now, what the mover is shown, and what is drawn on the table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from engine.game.contract import Seen
from engine.game.events import Action, Reason
from engine.game.kit.free_moves import SOME_OPEN, not_measured, off_words, put_down
from engine.game.kit.shown import outline, points, polygon, way
from engine.game.kit.table import ACCEPT, HEADLINES, pose_json, standing_of
from engine.game.kit.table import seen as seen_on
from engine.game.showing import Awaited, Ghost, Guide, Mark, Progress
from engine.games.white_line_fever.acts.beginning import check_deploy
from engine.games.white_line_fever.acts.moving import not_over_the_edge
from engine.games.white_line_fever.acts.placing import check_placed, duty_of, in_its_place, met_words
from engine.games.white_line_fever.acts.recognised import Judged, doubts, judged, reach_from_here
from engine.games.white_line_fever.acts.rounds import to_deploy
from engine.games.white_line_fever.rules.displacing import tokens, with_tokens
from engine.games.white_line_fever.rules.moves import MOST_TURN, hundredths, underway
from engine.games.white_line_fever.state import Duty, GameState
from engine.measure.contacts import contacts
from engine.measure.sweep import Turn
from engine.motion.moves import Move
from engine.motion.recognition import pivots_of
from engine.ruling import Verdict
from engine.space.geometry import Pose
from engine.space.table import Status, TableState, key_of
from engine.words import listed

# Cars that a rule puts elsewhere, and what else the game draws on the table.


def how_words(duty: Duty) -> str:
    """What is to be done with a car, for people."""
    onto = ", onto its shape" if duty.target is not None else ""
    match duty.kind:
        case "spin":
            return f"Turn it round{onto or ' where it stands'}."
        case "turn":
            return f"Turn it by up to {math.degrees(duty.angle):.0f}°, as {duty.by} chooses."
        case "push" | "pull" if duty.leaves:
            return f"{duty.kind.capitalize()} it onto its shape, over the edge."
        case "push" | "pull" if duty.meets or duty.ends:
            stops = listed(duty.meets) or duty.ends
            return f"{duty.kind.capitalize()} it onto its shape, up to {stops}."
        case "push" | "pull":
            return f"{duty.kind.capitalize()} it {duty.inches:g} in{onto}."
    return ""


def still_to_do(state: GameState, duty: Duty, table: TableState | None) -> str:
    """What is to be done with a car; nothing once it stands there, where nobody has anything to choose."""
    return "" if duty.kind != "turn" and _right(state, duty, table) else how_words(duty)


def ghosts(state: GameState, seen: Seen) -> tuple[Ghost, ...]:
    """Where cars must be put before the game goes on; one that has to be put somewhere twice, first here."""
    names = dict.fromkeys(duty.car for duty in state.duties if duty.kind != "blast")
    first = [duty for name in names if (duty := duty_of(state, name)) is not None]
    return tuple(
        Ghost(
            duty.car, duty.target, how_words(duty), duty.citation, _right(state, duty, seen.table),
            turn=duty.angle if duty.kind == "spin" else 0.0, free=duty.angle if duty.kind == "turn" else 0.0,
        )
        for duty in first
    )  # fmt: skip


def _right(state: GameState, duty: Duty, table: TableState | None) -> bool | None:
    if duty.target is None or seen_on(table, duty.car) is None:
        return None
    return in_its_place(state, duty, table)


def marks(state: GameState, table: TableState | None) -> tuple[Mark, ...]:
    """The car of the round, and the tokens of which it is known where they lie."""
    laid = [Mark("polygon", "token", points(token.region.outline, 3), token.name) for token in tokens(state)]
    car = None if state.round is None or state.round.car is None else state.round.car
    here = None if car is None else standing_of(table, car)
    if here is None:
        return tuple(laid)
    return (*laid, Mark("polygon", "current", points(here.region.outline, 3), piece=here.name))


# Which pieces may be moved now, and what the screen of whoever moves one shows.


def awaits(state: GameState) -> tuple[Awaited, ...]:
    """The cars that may be moved now: to be deployed, to be placed, or to be driven."""
    if state.over:
        return ()
    if state.duties:
        owed = dict.fromkeys(d.car for d in state.duties if d.kind != "blast")
        return tuple(_to_place(state, name) for name in owed)
    turn = state.round
    if turn is None:
        players = to_deploy(state) if state.deployment is not None else ()
        waiting = [c for c in state.cars if c.status == "waiting" and c.owner in players]
        return tuple(Awaited(c.name, "deploy", c.owner, f"deploy {c.name}", anywhere=True) for c in waiting)
    if turn.stage not in ("car", "move"):
        return ()
    key = f"round {turn.number}, Maneuver {turn.manoeuvre}" + (f", part {turn.part}" if turn.part else "")
    cars = [c.name for c in state.driving(turn.driver)] if turn.car is None else [turn.car]
    return tuple(Awaited(name, "move", turn.hands, f"{key}, {name}") for name in cars)


def _to_place(state: GameState, name: str) -> Awaited:
    duty = duty_of(state, name)
    assert duty is not None
    left = sum(d.car == name for d in state.duties)
    return Awaited(name, "placed", duty.by, f"{duty.kind} {name}, {left} to go", anywhere=True)


def guide(state: GameState, awaited: Awaited, move: Move | None, table: TableState) -> Guide:
    """Before the hand moves where the piece may go, on the way what is left, at rest the verdict."""
    name = state.car(awaited.piece).name
    if awaited.kind != "move":
        return _put_down(state, name, awaited.kind, move, table)
    if move is None:
        return _ready(state, name, table)
    if move.after.status is Status.STILL:
        return _rested(state, name, judged(state, move), move)
    return _moving(state, name, move, table)


# A car that is driven


def _ready(state: GameState, name: str, table: TableState) -> Guide:
    left, bent = state.to_drive(name), state.round is not None and state.round.bent
    reverse = state.round is not None and state.round.reverse
    more = ", straight: the turn or drift is made."
    if not bent:
        more = f", with one turn of up to {math.degrees(MOST_TURN):.0f}° or one drift of 1 in."
    words = f"{name} has {hundredths(left)} in to go {'backwards' if reverse else 'ahead'}{more}"
    rings = reach_from_here(state, table, name).outlines
    marks = tuple(polygon("reach", ring, name) for ring in rings)
    facts = [f"{reason.words}." for reason in not_over_the_edge(state.round, name)]
    facts += [] if bent else _swings_over(state, name, table)
    return Guide(name, "ready", name, words, facts=tuple(facts), marks=marks)


def _swings_over(state: GameState, name: str, table: TableState) -> Iterator[str]:
    """What a turn at once would swing a corner of the car over: tokens, one's own as any other."""
    on = with_tokens(state, table)
    car = standing_of(on, name)
    if car is None:
        return
    names = {key_of(token.name) for token in state.tokens}
    laid = [s for s in on.standings if key_of(s.name) in names]
    pivot = pivots_of(car.piece.body)[0]
    met = {
        side: {c.other for c in contacts(car, [Turn(angle, pivot)], laid) if c.verdict is not Verdict.NO}
        for side, angle in (("left", MOST_TURN), ("right", -MOST_TURN))
    }
    for token in sorted(met["left"] | met["right"]):
        sides = [side for side, over in met.items() if token in over]
        how = f" to the {sides[0]}" if len(sides) == 1 else ""
        yield f"A turn{how} at once swings a corner over {token}: drive ahead first."


def _moving(state: GameState, name: str, move: Move, table: TableState) -> Guide:
    speed, seen = state.to_drive(name), move.recognised()
    reverse, bent = (turn.reverse, turn.bent) if (turn := state.round) is not None else (False, False)
    going = underway(table, move.after, seen, speed, reverse=reverse, bent=bent)
    marks = [*way(move), outline("goal", move.after, going.ghost)]
    facts = []
    if going.touch is not None:
        other = "The edge of the table" if going.touch.other == "the edge" else going.touch.other
        facts = [f"{other} lies ahead."]
        marks.append(outline("touch", move.after, going.touch.pose))
    left = going.left
    rest = f"{left:.1f} in to go" if left > 0.05 else "all of it used"
    if left < -0.05:
        rest = f"{-left:.1f} in too far"
    return Guide(
        piece=name, phase="moving", headline=rest, words=going.words, progress=_progress(going.used, speed),
        steps=tuple(d.words for d in seen.runs), facts=tuple(facts), marks=tuple(marks),
    )  # fmt: skip


def _rested(state: GameState, name: str, ruled: Judged, move: Move) -> Guide:
    driven, said = ruled.driven, ruled.said()
    drawn = way(move) + ([] if ruled.legal else [outline("goal", move.after, driven.should)])
    open_ = bool(doubts(ruled))
    rested = ruled.rested(
        name, off_words(driven.away, driven.askew), _takes(said), accept="" if open_ else ACCEPT,
        progress=_progress(ruled.inches, driven.asked.speed), steps=ruled.steps,
        facts=tuple(f"It {m.words}." for m in driven.met),
        marks=tuple(replace(mark, verdict=ruled.verdict) for mark in drawn),
    )  # fmt: skip
    if ruled.legal and open_:
        rested = replace(rested, headline=SOME_OPEN)
    against = not_over_the_edge(state.round, name) if said["left_surface"] else []
    return rested if not against else _held_against(rested, against)


def _held_against(rested: Guide, against: Sequence[Reason]) -> Guide:
    """The verdict on a move with what is against it besides its way; the players may accept it."""
    words = " ".join(filter(None, [rested.words, *(f"{reason.words}." for reason in against)]))
    marks = tuple(replace(mark, verdict=Verdict.NO) for mark in rested.marks)
    return replace(
        rested, headline=HEADLINES[Verdict.NO], words=words, verdict=Verdict.NO, marks=marks,
        take=ACCEPT, said=(("ruled", "yes"),),
    )  # fmt: skip


def _takes(said: dict[str, Any]) -> str:
    """On the button that takes a manoeuvre as it was seen."""
    if said["left_surface"]:
        return "It left the surface"
    met = [*(contact["other"] for contact in said["contacts"]), *said["triggered"]]
    return f"Done: it hit {', '.join(met)}" if met else "The Maneuver is done"


def _progress(used: float, speed: float) -> Progress:
    return Progress(used, speed, f"{used:.2f} in of {hundredths(speed)} in")


# A car that is put down


def _put_down(state: GameState, name: str, kind: str, move: Move | None, table: TableState) -> Guide:
    """A car that a rule puts somewhere, or that is deployed: how, and whether it stands there."""
    duty = duty_of(state, name)
    how = "Put it down where it starts." if duty is None else still_to_do(state, duty, table)
    goal = None if duty is None else duty.target
    standing = standing_of(table, name)
    marks = []
    if goal is not None and standing is not None:
        marks.append(outline("goal", standing, Pose(*goal)))
    if move is None:
        return Guide(name, "ready", name, how, marks=tuple(marks), goal=goal)
    if move.after.status is not Status.STILL:
        return Guide(name, "moving", name, how, marks=tuple(marks), goal=goal)
    data = {"car": name, "at": pose_json(move.after.pose)}
    check = check_placed if kind == "placed" else check_deploy
    action = Action(kind, None, data)
    against = check(state, action, table)
    met = met_words(state, duty, action, table) if duty is not None else ()
    if duty is not None and goal is None and not against:
        return not_measured(name, f"Nobody saw where {name} stood before.", how, met)
    return put_down(name, how, against, "In place", "Placed", goal=goal, facts=met, marks=tuple(marks))
