"""The state after an event: one small change for each kind, nothing decided here; and how it is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from engine.errors import TableRefError
from engine.game.contract import Seen
from engine.game.dice import Dice, Roll, Want
from engine.game.kit import agenda
from engine.game.kit.events import Data, Events
from engine.game.kit.play import Play as AnyPlay
from engine.game.kit.table import seen, standing_of
from engine.game.records import to_json
from engine.games.white_line_fever.about import ABOUT
from engine.games.white_line_fever.state.game_state import STATES, Duty, GameState, Round, Token
from engine.space.geometry import Pose
from engine.space.table import Standing, Status

EVENTS = Events[GameState](
    ABOUT.title,
    pieces=(
        "duty.car",
        "car",
        "target",
        "token",
        "cars",
        "obstacles",
        "reached",
        "triggered",
        "contacts.other",
    ),
    states=STATES,
)
"""Every kind of event of the game: what it changes, its tone, its pieces."""

EVENTS.only_told("roll", tone="dice")
EVENTS.only_told("sheet", "target", "modified", "special")
EVENTS.only_told("missed", tone="miss")
EVENTS.only_told("hit", tone="good")
EVENTS.only_told("penalty", tone="bad")


@EVENTS.on("deployment")
def _deployment(state: GameState, data: Data) -> GameState:
    return replace(state, deployment=data["deployment"])


@EVENTS.on("deployed")
def _deployed(state: GameState, data: Data) -> GameState:
    return state.with_car(data["car"], status="driving")


@EVENTS.on("round", tone="turn")
def _round(state: GameState, data: Data) -> GameState:
    return replace(state, round=Round(data["number"], data["driver"], data["driver"]))


def _in_round(state: GameState, **changes: Any) -> GameState:
    if state.round is None:
        raise TableRefError("the log is out of order: no round has begun")
    return replace(state, round=replace(state.round, **changes))


@EVENTS.on("chosen", tone="quiet")
def _chosen(state: GameState, data: Data) -> GameState:
    # A direction was determined for the car that was chosen before.
    return _in_round(state, car=data["car"], stage="move", reverse=False)


@EVENTS.on("reversed")
def _reversed(state: GameState, _data: Data) -> GameState:
    return _in_round(state, reverse=True)


@EVENTS.on("moved", tone="move")
def _moved(state: GameState, _data: Data) -> GameState:
    lost = state.round is not None and state.round.lost
    return _in_round(state, stage="done" if lost else "free")


@EVENTS.on("shot", tone="attack")
def _shot(state: GameState, data: Data) -> GameState:
    state = _in_round(state, acted=True)
    return state.with_car(data["car"], spent=tuple(data["spent"]))


@EVENTS.on("dropped")
def _dropped(state: GameState, data: Data) -> GameState:
    at = data["at"]
    token = Token(data["token"], data["weapon"], data["car"], None if at is None else tuple(at))
    state = _in_round(state, acted=True).with_car(data["car"], tokens=data["left"])
    return replace(state, tokens=(*state.tokens, token), dropped=state.dropped + 1)


@EVENTS.on("triggered", tone="bad")
def _triggered(state: GameState, data: Data) -> GameState:
    return replace(state, tokens=tuple(t for t in state.tokens if t.name != data["token"]))


@EVENTS.on("damaged", tone="bad")
def _damaged(state: GameState, data: Data) -> GameState:
    return state.with_car(data["car"], marked=data["marked"])


@EVENTS.on("speed")
def _speed(state: GameState, data: Data) -> GameState:
    return state.with_car(data["car"], speed=data["speed"])


@EVENTS.on("collision", tone="bad")
def _collision(state: GameState, data: Data) -> GameState:
    if state.round is not None and state.round.car in data["cars"]:
        return _in_round(state, collided=True)
    return state


@EVENTS.on("burning", tone="bad")
def _burning(state: GameState, data: Data) -> GameState:
    if state.round is None:
        return state
    return _in_round(state, burning=(*state.round.burning, data["car"]))


@EVENTS.on("owed")
def _owed(state: GameState, data: Data) -> GameState:
    return replace(state, duties=(*state.duties, *agenda.owed(Duty, data["duty"])))


@EVENTS.on("placed")
def _placed(state: GameState, data: Data) -> GameState:
    return _without(state, lambda d: d.car == data["car"] and d.kind == data["duty"])


@EVENTS.on("blast", tone="bad")
def _blast(state: GameState, data: Data) -> GameState:
    return _without(state, lambda d: d.car == data["car"] and d.kind == "blast")


def _without(state: GameState, meant: Callable[[Duty], bool]) -> GameState:
    """Without the first duty that is meant."""
    return replace(state, duties=agenda.without(state.duties, meant))


@EVENTS.on("destroyed", "left", tone="loss")
def _gone(state: GameState, data: Data) -> GameState:
    """A destroyed car is placed no more; what others owe to its explosion stays."""
    state = state.with_car(data["car"], status=data["status"])
    left = tuple(d for d in state.duties if d.car != data["car"] or d.kind == "blast")
    return _handed_on(replace(state, duties=left))


def _handed_on(state: GameState) -> GameState:
    """Who has no car left places and drives nobody's: the owner does, or the next opponent to the right."""
    there = {car.owner for car in state.cars if car.still_in}
    duties = agenda.handed_on(state.duties, there, lambda d: state.car(d.car).owner)
    state, turn = replace(state, duties=duties), state.round
    if turn is None or turn.hands == turn.driver or turn.hands in there:
        return state
    return _in_round(state, hands=state.right_of(turn.driver))


_WHOLE: Data = MappingProxyType({"driven": 0.0, "bent": False, "part": 0})
"""A manoeuvre of which nothing is driven yet."""


@EVENTS.on("floored", tone="good")
def _floored(state: GameState, data: Data) -> GameState:
    return _in_round(state, stage="move", manoeuvre=data["manoeuvre"], acted=False, **_WHOLE)


@EVENTS.on("goes on", tone="move")
def _goes_on(state: GameState, data: Data) -> GameState:
    part = 0 if state.round is None else state.round.part
    return _in_round(state, stage="move", driven=data["driven"], bent=data["bent"], part=part + 1)


@EVENTS.on("lost control", tone="bad")
def _lost_control(state: GameState, data: Data) -> GameState:
    return _in_round(
        state, stage="move", manoeuvre=data["manoeuvre"], acted=True, lost=True, hands=data["hands"], **_WHOLE
    )


@EVENTS.on("may change speed", tone="quiet")
def _may_change(state: GameState, data: Data) -> GameState:
    return _in_round(state, stage="speed", acted=True, hands=data["player"])


@EVENTS.on("ended")
def _ended(state: GameState, _data: Data) -> GameState:
    return replace(state, round=None)


@EVENTS.on("over", tone="end")
def _over(state: GameState, data: Data) -> GameState:
    return replace(state, over=True, winner=data["winner"], round=None, duties=())


class Play(AnyPlay[GameState]):
    """The events of one action so far, the state that they lead to, and what may be asked."""

    def __init__(self, kinds: Events[GameState], state: GameState, seen: Seen, dice: Dice) -> None:
        super().__init__(kinds, state, seen, dice)
        self.table = seen.table
        self.stopped: dict[str, Pose] = {}
        self.rests: dict[str, Pose] = {}
        """Where the cars rest whose seen moves this action takes: a hand may lie over them by now."""

    @property
    def round(self) -> Round:
        """The current round, where there must be one."""
        assert self.state.round is not None
        return self.state.round

    def roll(self, sides: int, why: str, citation: str, piece: str) -> Roll:
        """A die for a piece, told before anything follows from it."""
        return self.together([(Want(sides, why), piece)], citation)[0]

    def together(self, wants: Sequence[tuple[Want, str]], citation: str) -> tuple[Roll, ...]:
        """Dice for pieces by name, all of them told before anything follows from any.

        A die that was rolled here, not typed, is a barrier: whoever missed cannot take it back.
        """
        rolls = self.dice.together([want for want, _ in wants])
        for roll, (_, piece) in zip(rolls, wants, strict=True):
            data = {"sides": roll.sides, "value": roll.value, "why": roll.why, "source": roll.source}
            words = f"{roll.why}: D{roll.sides} shows {roll.value}"
            event = EVENTS.told("roll", words, citation, data | {"car": piece})
            self._told(replace(event, barrier=roll.source != "typed"))
        return rolls

    def owe(self, duty: Duty, words: str) -> None:
        """Something that must be done before the game goes on."""
        told = to_json(duty)
        if not duty.way:
            del told["way"]  # as older records tell it
        self.tell("owed", words, duty.citation, duty=told)

    def standing(self, name: str) -> Standing | None:
        """Where a car stands, if the table surely knows; of one that a token has stopped, where that was."""
        standing = seen(self.table, name)
        if standing is None and (rest := self.rests.get(name)) is not None:
            known = standing_of(self.table, name)
            standing = None if known is None else replace(known, pose=rest, status=Status.STILL)
        stopped = self.stopped.get(name)
        return standing if standing is None or stopped is None else replace(standing, pose=stopped)
