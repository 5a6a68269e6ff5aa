"""What a move that the camera saw was by the notes, as the action that it stands for; what is open."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from engine.errors import TableRefError
from engine.game.about import SEEN
from engine.game.contract import Seen, move_named, named
from engine.game.events import Action, FactField, Reason
from engine.game.kit import free_moves, reading
from engine.game.kit.free_moves import put_right, short_of
from engine.game.kit.table import pose_json, standing_of, step_json
from engine.game.kit.table import seen as seen_on
from engine.games.car_cult.acts.moving import FIELDS, check_move, token_name
from engine.games.car_cult.book.data import RAM
from engine.games.car_cult.rules import moves
from engine.games.car_cult.rules.attacks import MEASURE, in_play, rule_range
from engine.games.car_cult.rules.moves import Driven, Ground, Triggered, ground, mines
from engine.games.car_cult.state import GameState
from engine.measure.sweep import THE_EDGE, Step, Straight, Turn
from engine.motion.moves import Move
from engine.motion.recognition import up_to
from engine.ruling import Belief, Measurement, Ruling, Verdict, plus_minus, verdict_of
from engine.space.geometry import Pose
from engine.space.table import Status, TableState, ThingName

PLACE, PLACE_TURN = 0.35, math.radians(6.0)
"""Inches and radians within which a car stands where it was told to be put."""


@dataclass(frozen=True, eq=False)
class Judged(free_moves.Judged[Driven]):
    """A move, ruled, with what it went through.

    `halted` is the same up to each thing that it may have touched, by its name; `rams` are the cars that its
    Reinforced Ram would attack.
    """

    ground: tuple[Ground, ...]
    mines: tuple[Triggered, ...]
    rams: tuple[str, ...] = field(default=(), kw_only=True)
    halted: Mapping[str, Judged] = field(default_factory=dict, kw_only=True)

    @property
    def length(self) -> Measurement:
        """How far it went, inches; one that was put right at most the maximum."""
        found, high = self.driven.seen.length, float(self.driven.limits.high)
        return Measurement(Belief(min(found.value, high), found.sd)) if self.righted else found


def judged(state: GameState, move: Move) -> Judged:
    """A move of the activated car, by the notes."""
    return _judged(move, state)


@lru_cache(maxsize=16)
def _judged(move: Move, state: GameState) -> Judged:
    driven = moves.rule_move(state, move)
    table = in_play(state, move.before)
    car = table.find(move.piece)

    mine = state.car(car.name)
    rams = tuple(c.name for c in state.driving() if c.name != mine.name and mine.working(RAM))

    def went(one: Driven, **more: Any) -> Judged:
        rough = moves.rough(state, table, car.name)
        found = ground(car, one.seen, rough), mines(state, table, car, one.seen)
        # What it meets before may damage the Ram: then it counts how short of its minimum the car is.
        return Judged(one, *found, rams=() if any(found) else rams, **more)

    halted = {
        c.other: went(replace(driven, seen=up_to(driven.seen, c.step, c.share), touched=None))
        for c in driven.perhaps
    }
    whole = went(driven, halted=halted)
    before = put_right(
        move, whole, lambda earlier: _judged(earlier, state), PLACE, PLACE_TURN,
        most=lambda one: short_of(one.driven.away, one.driven.too_far, state.house.length_tolerance),
    )  # fmt: skip
    return whole if before is None else replace(before, righted=True)


# As an action


def as_seen(state: GameState, action: Action, seen: Seen) -> tuple[Action, list[Reason]]:
    """An action with what the table says of it, and what the notes and the table have against it."""
    match action.kind:
        case "move":
            return _move(state, action, seen)
        case "fire":
            return _fire(state, action, seen)
        case "done":
            return action, _laid_late(state, action, seen.table)
    return action, []


def _fire(state: GameState, action: Action, seen: Seen) -> tuple[Action, list[Reason]]:
    """The attack with its distance as measured; what is said goes before what is seen."""
    ruling = attack_ruling(state, seen.table)
    said, told, reasons = action.data.get("reach"), None, []
    if said is None and (ruling is None or ruling.verdict is Verdict.TOO_CLOSE):
        words = "say whether the target is within range and in sight"
        if ruling is not None:
            words = "; ".join(c.words for c in ruling.checks if c.verdict is Verdict.TOO_CLOSE)
        target = () if state.attack is None else (state.attack.target,)
        reasons = [Reason(words, MEASURE, open=True, question=RANGE_QUESTION, pieces=target)]
        said = reading.ruled(action.data, RANGE_QUESTION)
    answered = said is not None
    if ruling is not None:
        # What is said goes before what was measured, and both are kept.
        told = _told(ruling)
        said = said or ("yes" if ruling.verdict is Verdict.YES else "no")
    full = {**action.data, "reach": said, "seen": told, "said": answered}
    return Action(action.kind, action.player, full), reasons


RANGE_QUESTION = "within range and in sight"


def attack_ruling(state: GameState, table: TableState | None) -> Ruling | None:
    """Range and line of sight of the declared attack; None where the table does not surely know both."""
    attack = state.attack
    if table is None or attack is None:
        return None
    if any(seen_on(table, name) is None for name in (attack.car, attack.target)):
        return None
    reach = state.car(attack.car).component(attack.weapon).rules.reach
    clear = in_play(state, table)
    question = f"Are {attack.car} and {attack.target} within {reach:g} in and in sight of each other?"
    return rule_range(clear, attack.car, attack.target, reach, question)


def _told(ruling: Ruling) -> dict[str, Any]:
    """What the event keeps of a ruling: distance, deviation, segment; nothing where no part is in sight."""
    if ruling.check("Line of Sight").verdict is Verdict.NO:
        return {"distance": None, "sd": None, "line": None}
    check = ruling.check("Range")
    line = check.witness.line
    ends = None if line is None else [[round(float(v), 4) for v in point] for point in line]
    return {"distance": round(check.number, 4), "sd": round(check.sd, 4), "line": ends}


# A move


def _move(state: GameState, action: Action, seen: Seen) -> tuple[Action, list[Reason]]:
    turn = state.turn
    assert turn is not None
    data = {name: value for name, value in action.data.items() if value is not None}
    if stays(data):
        return replace(action, data={**data, "inches": 0.0}), stirred(turn.car, seen)
    move = move_named(action, seen, turn.car)
    if move is None or "inches" in data:
        if "inches" not in data:
            words = f"say how far {turn.car} has moved, or let the camera see it"
            return action, [Reason(words, SEEN)]
        return Action(action.kind, action.player, data), check_move(state, turn, action)
    if isinstance(move, Reason):
        return action, [move]
    try:
        ruled = judged(state, move)
    except TableRefError as error:
        return action, [Reason(str(error), SEEN)]
    told, reasons = said(ruled, action)
    seen_way = ruled.driven.seen
    reasons += _beside_route(
        state, seen_way.start, [d.step for d in seen_way.steps], seen_way.length.sd, data, seen.table
    )
    # A form that was left as it is says nothing of what was met.
    typed = {name: value for name, value in data.items() if name not in told or value}
    return Action(action.kind, action.player, told | typed), [*ruled.reasons(), *reasons]


def stays(data: Mapping[str, Any]) -> bool:
    """Whether an action says that the car does not move, and nothing besides of how it went."""
    typed = ("move", *(fact.field for fact in FACTS["move"]))
    return data.get("stays") is True and all(data.get(name) is None for name in typed)


def stirred(car: str, seen: Seen) -> list[Reason]:
    """Tell what the table has against it that a car has not moved, of which no move is seen."""
    if seen.table is None:
        return []
    here = seen_on(seen.table, car)
    if here is None or here.status is not Status.STILL:
        return [Reason(f"{car} is not seen to stand still", SEEN)]
    return []


def _laid_late(state: GameState, action: Action, table: TableState | None) -> list[Reason]:
    """Tokens that are laid as the activation ends, and lie beside the route that was seen."""
    assert state.turn is not None
    route = state.turn.route
    if route is None:
        return []
    steps: list[Step] = [
        Turn(one[0], (one[1], one[2])) if len(one) > 2 else Straight(*one) for one in route.steps
    ]
    return _beside_route(state, Pose(*route.start), steps, route.sd, action.data, table)


def _beside_route(
    state: GameState, start: Pose, steps: Sequence[Step], sd: float, data: Mapping[str, Any],
    table: TableState | None,
) -> list[Reason]:  # fmt: skip
    """Tokens that are laid along a route and lie beside it; the players may accept them."""
    assert state.turn is not None
    found, counts = [], dict(state.counts)
    for card, laid in FIELDS.items():
        for number in range(1, int(data.get(laid) or 0) + 1):
            name = f"{token_name(card)} {counts.get(card, 0) + number}"
            token = standing_of(table, name)
            if token is None or table is None:
                continue
            away = moves.off_route(table.find(state.turn.car), start, steps, sd, token)
            if away.at_most(state.house.length_tolerance).verdict() is Verdict.NO:
                words = f"{name} lies {away.value:.2f} in beside the route{plus_minus(away.sd)}"
                found.append(Reason(words, moves.MINE, open=True))
    return found


SHORT = "short of its minimum"


def said(ruled: Judged, action: Action) -> tuple[dict[str, Any], list[Reason]]:
    """What an action says of a move that was seen; and what of it the players still have to settle."""
    answers = _Answers(action)
    into, ruled = _into(ruled, answers)
    driven, length = ruled.driven, ruled.length
    inches = length.value
    low, slack = driven.limits.low, driven.limits.rules.length_tolerance
    # Who rams does "not suffer DT when moving into other models", however short of its minimum.
    off = 0.0 if into in ruled.rams else max(low - inches, 0.0)
    short = answers.whole(off, length.sd, SHORT, moves.BRAKING)
    brakes = into is None and answers.yes(
        Measurement(Belief(inches, length.sd)).at_most(low - slack).p_yes or 0.0,
        f"it is short of its minimum and brakes ({inches:.2f} of {low} in{plus_minus(length.sd)})",
        moves.BRAKING,
        why=f", as up to {slack:g} in short is let pass" if slack else "",
    )
    if into is None and not brakes:
        short = 0
    met = [(one.order, one.terrain) for one in ruled.ground] + [(one.order, one.mine) for one in ruled.mines]
    # Who lets pass that it did not halt at a touch lets it stand where it stands: so far it went.
    past = driven.past and not ruled.righted
    seen = driven.whole if past else driven.seen
    told = {
        "inches": round(seen.length.value if past else inches, 4),
        "sd": round(length.sd, 4),
        "short": short,
        "brakes": brakes,
        "turns": [round(d.angle, 5) for d in seen.runs if d.kind == "turn"],
        "drift": round(sum(abs(d.left) for d in seen.runs), 4),
        "from": pose_json(seen.start),
        "to": pose_json(driven.should if ruled.righted else seen.end),
        # What is laid later along the route is held against it: about what it turned counts.
        "steps": [step_json(d.step) for d in seen.runs],
        "into": into,
        "ground": [_ground(g, answers) for g in ruled.ground],
        "triggered": [
            m.mine
            for m in ruled.mines
            if answers.yes(m.distance.p_yes or 0.0, f"it triggers {m.mine}", moves.MINE)
        ],
        "met": [name for _, name in sorted(met)],
        "passed": _passed(ruled),
    }
    return told, answers.open


def _passed(ruled: Judged) -> list[dict[str, Any]]:
    """Where the car was at the Rough terrain and the Mines on its way, in their order."""
    found = [(g.order, g.terrain, "rough", g.at) for g in ruled.ground if g.at is not None]
    found += [(m.order, m.mine, "mine", m.at) for m in ruled.mines]
    found.sort(key=lambda one: one[:2])
    return [{"name": name, "kind": kind, "at": pose_json(at)} for _, name, kind, at in found]


def _into(ruled: Judged, answers: _Answers) -> tuple[str | None, Judged]:
    """What ended the move, and the move up to there: what lies beyond is not met."""
    driven = ruled.driven
    for contact in driven.perhaps:
        if answers.yes(
            contact.gap.p_yes or 0.0, f"it touches {contact.other}", moves.BLOCKING, contact.other
        ):
            return _what(contact.other), ruled.halted[contact.other]
    for name in driven.unknown:
        # It stopped short of its minimum: what nobody has seen or named may be what it ran against.
        about = "" if isinstance(name, ThingName) else name
        if answers.yes(0.5, f"it touches {name}", moves.BLOCKING, about):
            return name, ruled
    touched = driven.touched
    return (None if touched is None else _what(touched.other)), ruled


def _what(name: str) -> str:
    return f"{THE_EDGE} of the table" if name == THE_EDGE else name


def _ground(one: Ground, answers: _Answers) -> dict[str, Any]:
    counts = answers.whole(one.inches.value, one.inches.sd, f"inside {one.terrain}", moves.ROUGH)
    return {
        "terrain": one.terrain, "inches": round(one.inches.value, 4), "sd": round(one.inches.sd, 4),
        "counts": counts,
    }  # fmt: skip


class _Answers:
    """What is surely so, what the players have said, and what they still have to say."""

    def __init__(self, action: Action) -> None:
        self._action = action
        self.open: list[Reason] = []

    def yes(self, p_yes: float, question: str, citation: str, about: str = "", why: str = "") -> bool:
        """Whether it is so; asked where it is too close to call.

        `about` is whose piece it concerns; `why` says what makes it close where its figures alone do not.
        """
        verdict = verdict_of(p_yes, 0.95)
        by_name = reading.ruled_by_name(self._action.data, question)
        if by_name is None and verdict is not Verdict.TOO_CLOSE:
            return verdict is Verdict.YES
        close = "too close to call" if verdict is Verdict.TOO_CLOSE else f"the table says {verdict.value}"
        names = tuple(name for name in (about,) if name)
        words = f"{question}: {close}{why}"
        self.open.append(Reason(words, citation, open=True, question=question, pieces=names))
        return reading.ruled(self._action.data, question) == "yes"

    def whole(self, inches: float, sd: float, what: str, citation: str) -> int:
        """Whole inches, rounded down; asked where it is too close to call which."""
        nearest = round(inches)
        if nearest < 1:
            return 0
        more = self.yes(_at_least(nearest, inches, sd), f"{nearest}{OR_MORE}{what}", citation)
        return nearest if more else nearest - 1


OR_MORE = " in or more "
"""How whole inches are asked after."""


def whole_inches(inches: float, sd: float) -> tuple[int, ...]:
    """The whole inches, rounded down: two where it is too close to call which, and players are asked.

    >>> whole_inches(2.5, 0.04), whole_inches(2.98, 0.04), whole_inches(3.2, 0.04), whole_inches(0.3, 0.04)
    ((2,), (2, 3), (3,), (0,))
    """
    nearest = round(inches)
    if nearest < 1:
        return (0,)
    fewer, more = nearest - 1, nearest
    verdict = verdict_of(_at_least(nearest, inches, sd), 0.95)
    return {Verdict.YES: (more,), Verdict.NO: (fewer,)}.get(verdict, (fewer, more))


def _at_least(whole: int, inches: float, sd: float) -> float:
    return Measurement(Belief(inches, sd)).at_least(float(whole)).p_yes or 0.0


FACTS = {
    "move": (
        FactField("inches", "it moved"),
        FactField("drift", "it drifted"),
        FactField("short", "short of its minimum"),
        FactField("rough", "inches through Rough terrain"),
        FactField("ground", "Rough terrain on its way"),
        FactField("into", "it ran into"),
        FactField("triggered", "it triggered"),
        FactField("turns", "its turns"),
        FactField("steps", "its way"),
        FactField("from", "it started from"),
        FactField("to", "it stands at"),
    ),
    "fire": (FactField("reach", "within range and in sight"),),
    "blast": (FactField("cars", "in the explosion", denies=True),),
}
"""The fields of each kind of action that say how things stand or went."""


def blast_says(state: GameState) -> dict[str, Any]:
    """Who is surely in an explosion; nothing where that is open."""
    duty = state.duties[0] if state.duties else None
    alive = {c.name for c in state.driving()}
    if duty is None or duty.kind != "blast" or alive.intersection(duty.doubtful):
        return {}
    return {"cars": [name for name in duty.sure if name in alive]}


def measured(state: GameState, action: Action, seen: Seen) -> bool | None:
    """Whether the way, the place or the range that an action rests on was measured, and not said."""
    said_so = action.data
    match action.kind:
        case "move" if stays(said_so):
            return None  # what does not move leaves nothing to be seen
        case "move":
            return bool(named(action, seen)) and said_so.get("inches") is None
        case "deploy":
            return bool(named(action, seen)) or seen_on(seen.table, str(said_so.get("car"))) is not None
        case "fire":
            return attack_ruling(state, seen.table) is not None and said_so.get("reach") is None
    return None
