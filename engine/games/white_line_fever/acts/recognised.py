"""What a move that the camera saw was by the book: ruled, put right, and as the action that it stands for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np

from engine.errors import TableRefError
from engine.game.about import SEEN
from engine.game.contract import Seen, move_named, named
from engine.game.events import Action, FactField, Reason
from engine.game.facts import same
from engine.game.kit import free_moves, reading
from engine.game.kit.free_moves import put_right, short_of
from engine.game.kit.table import pose_json, standing_of, step_json
from engine.game.kit.table import seen as seen_on
from engine.games.white_line_fever.acts import placing, shooting
from engine.games.white_line_fever.acts.placing import table_says_of_drop, unknown_place
from engine.games.white_line_fever.rules import contacts, moves
from engine.games.white_line_fever.rules.damage import blast_due
from engine.games.white_line_fever.rules.displacing import as_pose_json, stopper, with_tokens
from engine.games.white_line_fever.rules.moves import Driven, Tolerance
from engine.games.white_line_fever.state import GameState
from engine.motion.moves import Move
from engine.motion.reach import Reach
from engine.motion.recognition import step_words, up_to
from engine.ruling import Verdict
from engine.space.geometry import Region
from engine.space.table import Standing, TableState

_MET = ("steps", "contacts", "obstacle", "left_surface", "triggered")
"""What a manoeuvre is held against the book by, where it is typed and not as it was seen."""

TAKING = ("move", "placed", "deploy")
"""The kinds of action that take a move."""


@dataclass(frozen=True, eq=False)
class Judged(free_moves.Judged[Driven]):
    """A move, ruled, and where the car stands now."""

    now: Standing

    @property
    def inches(self) -> float:
        """How far it went; one that was put right as far as where it stands, along the lawful way."""
        driven = self.driven
        if not self.righted:
            return driven.seen.length.value
        way = -1.0 if driven.asked.reverse else 1.0
        if driven.stop is None:
            return driven.asked.speed + way * driven.should.inverse().compose(self.now.pose).x
        return driven.seen.length.value + way * driven.seen.end.inverse().compose(self.now.pose).x

    @property
    def steps(self) -> tuple[str, ...]:
        """Its way, for people: as it was seen, or the lawful one to where it was put right."""
        if self.righted:
            return tuple(step_words(step) for step in self.driven.lawful)
        return tuple(done.words for done in self.driven.seen.runs)

    def said(self) -> dict[str, Any]:
        """What the action says of it: as driven, or as the lawful way to where it was put right."""
        told = self.driven.as_action()
        if self.righted:
            steps = [step_json(step) for step in self.driven.lawful]
            told |= {"steps": steps, "to": pose_json(self.now.pose)}
        return told


def judged(state: GameState, move: Move, said: Mapping[str, bool] = MappingProxyType({})) -> Judged:
    """A move of a car in play, by the book, in the round as it stands.

    `said` is whether it met what was too close to call, by name.
    """
    return _judged(move, state, tuple(sorted(said.items())))


@lru_cache(maxsize=16)
def _judged(move: Move, state: GameState, said: tuple[tuple[str, bool], ...]) -> Judged:
    table, length = with_tokens(state, move.before), state.house.length_tolerance
    laid = {t.name: table.find(t.name) for t in state.tokens if standing_of(table, t.name) is not None}
    driven = _driven(move, state, table, laid, dict(said))
    if driven.stop is not None and driven.stop.kind != "token" and laid:
        # Tokens beyond what has stopped it end no way, nor do they cost Speed.
        met = {m.other for m in driven.met}
        laid = {name: one for name, one in laid.items() if name in met}
        driven = _driven(move, state, table, laid, dict(said))
    whole = Judged(driven, move.after)
    before = put_right(
        move, whole, lambda earlier: _judged(earlier, state, said), moves.PLACE, moves.PLACE_TURN,
        most=lambda one: short_of(one.driven.away, one.driven.too_far, length),
    )  # fmt: skip
    return whole if before is None else replace(before, now=move.after, righted=True)


def _driven(
    move: Move, state: GameState, table: TableState, laid: Mapping[str, Standing], said: Mapping[str, bool]
) -> Driven:
    """A move, ruled with these tokens on its way."""
    seen, way, turn, rules = move.recognised(), move.poses, state.round, state.house
    car, length = table.find(move.piece), rules.length_tolerance
    plan = contacts.on_the_way(state, car, seen, list(laid.values()), said)
    if plan.broken is not None:
        way = contacts.way_until(way, car, laid[plan.broken.other])
        seen = up_to(seen, plan.broken.step, plan.broken.share)
    return moves.rule_manoeuvre(
        replace(table, standings=table.others(*plan.beyond)), move.piece, seen, plan.inches,
        way=way, reverse=turn is not None and turn.reverse, bent=turn is not None and turn.bent,
        stops=[
            name for name in laid
            if stopper(state, car.name, [name]) or contacts.displacer(state, [name])
        ],
        broken=plan.broken, perhaps=plan.perhaps, doubtful=plan.doubtful, said=said,
        tolerance=Tolerance(length=length, run=length, drift=length, past=rules.turn_tolerance),
    )  # fmt: skip


# Where it may go


@dataclass(frozen=True)
class _Ready:
    """A car that is to be driven, and all that stands about as exactly as a drawing needs it."""

    car: str
    inches: float
    reverse: bool
    bent: bool
    surface: Region
    rows: tuple[tuple[object, ...], ...]
    table: TableState = field(compare=False)


def reach_from_here(state: GameState, table: TableState, name: str) -> Reach:
    """Where a car may lawfully end, to be drawn."""
    reverse = state.round is not None and state.round.reverse
    bent = state.round is not None and state.round.bent
    full = with_tokens(state, table)
    rows = tuple(
        (s.piece, s.status, *np.round([s.pose.x, s.pose.y, s.pose.heading], 1).tolist())
        for s in full.standings
    )
    return _reach(_Ready(name, state.to_drive(name), reverse, bent, full.surface, rows, full))


@lru_cache(maxsize=8)
def _reach(ready: _Ready) -> Reach:
    car = ready.table.find(ready.car)
    return moves.reach_of(ready.table, car, ready.inches, reverse=ready.reverse, bent=ready.bent)


# As an action

_WAY = (
    FactField("contacts", "it hit"),
    FactField("obstacle", "it hit an obstacle without a tag"),
    FactField("triggered", "it drove over"),
    FactField("left_surface", "it left the surface"),
)

FACTS = {
    "move": (
        *_WAY,
        FactField("steps", "its way"),
        FactField("from", "it started from"),
        FactField("to", "it stands at"),
        FactField("left", "inches left at a token"),
        FactField("unavoidable", "there was no other way"),
    ),
    "placed": (*(replace(one, denies=True) for one in _WAY), FactField("at", "it stands at")),
    "deploy": (FactField("at", "it stands at"),),
    "shoot": (
        FactField("band", "range"),
        FactField("sight", "in sight", denies=True),
        FactField("arc", "in the forward arc", denies=True),
        FactField("tailgate", "Tailgate", denies=True),
        FactField("reached", "it also reaches", denies=True),
    ),
    "drop": (FactField("under", "it is under", denies=True), FactField("at", "it lies at")),
    "blast": (FactField("cars", "in the explosion", denies=True),),
}
"""The fields of each kind of action that say how things stand or went."""


def as_seen(state: GameState, action: Action, seen: Seen) -> tuple[Action, list[Reason]]:
    """An action with what was seen of its move; and what that move's ruling and the table have against it."""
    full, reasons = _with_its_move(state, action, seen)
    if action.kind == "move" and any(action.data.get(key) for key in ("steps", "from", "to")):
        name = state.car(reading.text(full.data, "car")).name
        reasons = [
            *reasons,
            *moves.typed_way(state, name, full.data, contacts.contacts_of(full.data), seen.table),
        ]
    return full, reasons


def _with_its_move(state: GameState, action: Action, seen: Seen) -> tuple[Action, list[Reason]]:
    """An action that names a move, with what that move was; and what the ruling has against it.

    What was typed goes before what was seen. A manoeuvre of which its steps, or what it met, were typed is
    held against the book by what is said.
    """
    typed = {key: value for key, value in action.data.items() if key != "move" and value is not None}
    move = move_named(action, seen, typed.get("car")) if action.kind in TAKING else None
    if move is None:
        return action, []
    if isinstance(move, Reason):
        return action, [move]
    typed.setdefault("car", move.piece)
    if action.kind != "move":
        return _with(action, {"at": pose_json(move.after.pose)} | typed), []
    try:
        ruled = judged(state, move)
    except TableRefError as error:
        return action, [Reason(str(error), SEEN)]
    asked = doubts(ruled)
    answers = {name: answer for name in asked if (answer := reading.ruled(action.data, name)) is not None}
    if answers:
        # One that is met ends the way before what lies beyond it.
        ruled = judged(state, move, {name: answer == "yes" for name, answer in answers.items()})
        asked = {**asked, **doubts(ruled)}
    said = ruled.said()
    told = {key for key in _MET if typed.get(key) and not same(typed[key], said.get(key))}
    # A form that was left as it is says nothing of what was met.
    data = said | {key: value for key, value in typed.items() if key not in said or value}
    if told:
        return _with(action, data), []
    rulings = {name: {"answer": answer, "rule": asked[name].citation} for name, answer in answers.items()}
    full = _with(action, data | {"move": move.id} | ({"answers": rulings} if rulings else {}))
    return full, [*ruled.reasons(), *doubts(ruled).values()]


def doubts(ruled: Judged) -> dict[str, Reason]:
    """What it is too close to call whether a move met, by name, each as it is asked."""
    return {
        m.other: placing.doubt(ruled.driven.ruling.subject, m.other, m.kind)
        for m in ruled.driven.met
        if m.verdict is Verdict.TOO_CLOSE
    }


def table_says(state: GameState, action: Action, seen: Seen) -> dict[str, Any]:
    """What the table surely says of how cars stand and what they met, of an action that says none of it."""
    answer = _SAYS.get(action.kind)
    return {} if answer is None else answer(state, action, seen)


def _move_says(state: GameState, action: Action, seen: Seen) -> dict[str, Any]:
    move = move_named(action, seen, None)
    if not isinstance(move, Move):
        return {}
    ruled = judged(state, move)
    found = {"contacts": [], "triggered": [], "obstacle": None} | ruled.said()
    # Where it is too close to call what it met, nothing of that is sure.
    return {name: value for name, value in found.items() if name not in _MET[1:] or not doubts(ruled)}


def _place_says(_state: GameState, action: Action, seen: Seen) -> dict[str, Any]:
    here = seen_on(seen.table, str(action.data.get("car")))
    return {} if here is None else {"at": list(as_pose_json(here.pose))}


def _blast_says(state: GameState, _action: Action, _seen: Seen) -> dict[str, Any]:
    duty = blast_due(state)
    return {"cars": list(duty.sure)} if duty is not None and not duty.doubtful else {}


_SAYS: Mapping[str, Callable[[GameState, Action, Seen], dict[str, Any]]] = {
    "move": _move_says,
    "placed": lambda state, action, seen: placing.table_says(state, action, seen.table),
    "deploy": _place_says,
    "shoot": lambda state, action, seen: shooting.table_says(state, action, seen.table),
    "drop": lambda state, action, seen: table_says_of_drop(state, action, seen.table),
    "blast": _blast_says,
}


def measured(state: GameState, action: Action, seen: Seen) -> bool | None:
    """Whether the way, the place or the shot that an action rests on was measured, and not said."""
    said = action.data
    match action.kind:
        case "move":
            typed = any(said.get(key) is not None for key in ("steps", "from", "to"))
            return bool(named(action, seen)) and not typed
        case "placed" | "deploy":
            if said.get("at") is not None or (
                action.kind == "placed" and unknown_place(state, str(said.get("car")))
            ):
                return False
            return bool(named(action, seen)) or seen_on(seen.table, str(said.get("car"))) is not None
        case "shoot":
            cars = (None if state.round is None else state.round.car, said.get("target"))
            known = all(standing_of(seen.table, str(name)) is not None for name in cars)
            return known and all(said.get(key) is None for key in ("band", "sight", "arc", "tailgate"))
    return None


def _with(action: Action, data: dict[str, Any]) -> Action:
    return Action(action.kind, action.player, data)
