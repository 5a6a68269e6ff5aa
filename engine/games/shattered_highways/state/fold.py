"""The state after an event: one small change for each kind, nothing decided here; and how it is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.errors import TableRefError
from engine.game import records
from engine.game.dice import Want
from engine.game.kit import agenda
from engine.game.kit.events import Data, Events
from engine.game.kit.play import Play as AnyPlay
from engine.game.records import to_json
from engine.games.shattered_highways.about import ABOUT
from engine.games.shattered_highways.book.data import FODDER_DIE
from engine.games.shattered_highways.state.game_state import (
    STATES,
    Duty,
    GameState,
    RoadPlace,
    Turn,
    Vehicle,
)
from engine.ruling import signed
from engine.space.table import TableState

EVENTS = Events[GameState](
    ABOUT.title, pieces=("vehicle", "target", "to", "other", "vehicles", "duty.vehicle"), states=STATES
)
"""Every kind of event of the game: what it changes, its tone, its pieces."""

EVENTS.only_told("fleet", "card", "crew", "modified")
EVENTS.only_told("roll", "rolls", tone="dice")
EVENTS.only_told("kept", "shrugged", tone="good")
EVENTS.only_told("trailer lost", tone="bad")


@EVENTS.on("deployment")
def _deployment(state: GameState, data: Data) -> GameState:
    return replace(state, deployment=data["deployment"])


@EVENTS.on("first")
def _first(state: GameState, data: Data) -> GameState:
    return replace(state, first=data["player"])


@EVENTS.on("laid")
def _road(state: GameState, data: Data) -> GameState:
    return replace(state, road=records.from_json(RoadPlace, data["road"]))


@EVENTS.on("deployed")
def _deployed(state: GameState, data: Data) -> GameState:
    return state.with_vehicle(data["vehicle"], status="driving")


# Rounds and turns


@EVENTS.on("round", tone="turn")
def _round(state: GameState, data: Data) -> GameState:
    rested = tuple(replace(w, acted=False, changed=False, clung=False) for w in state.warriors)
    return replace(state, warriors=rested, round=data["number"], queue=tuple(data["queue"]))


@EVENTS.on("played", tone="turn")
def _turn(state: GameState, data: Data) -> GameState:
    name = data["vehicle"]
    turn = Turn(name, data["hands"], tuple(data["later"]), stage=data["stage"], late=data["late"])
    return replace(state, turn=turn, queue=tuple(v for v in state.queue if v != name))


@EVENTS.on("hands")
def _hands(state: GameState, data: Data) -> GameState:
    return _in_turn(state, hands=data["player"], later=tuple(data["later"]))


@EVENTS.on("finished", tone="quiet")
def _finished(state: GameState, _data: Data) -> GameState:
    return _in_turn(state, stage="over", later=())


@EVENTS.on("ended", tone="quiet")
def _ended(state: GameState, _data: Data) -> GameState:
    return replace(state, turn=None)


def _in_turn(state: GameState, **changes: Any) -> GameState:
    if state.turn is None:
        raise TableRefError("the log is out of order: it is no vehicle's turn")
    return replace(state, turn=replace(state.turn, **changes))


def _of_turn(state: GameState, name: str, **changes: Any) -> GameState:
    """Changes to the turn, if it is that vehicle's."""
    return _in_turn(state, **changes) if state.turn is not None and state.turn.vehicle == name else state


# Driving


@EVENTS.on("drove")
def _drove(state: GameState, data: Data) -> GameState:
    name = data["vehicle"]
    state = _acts(state, data)
    state = _in_turn(state, driven=True, stage="moving" if data["success"] else "play")
    if not data["success"]:
        return state
    state = _apart(state, name)
    return state.with_vehicle(name, status="driving")


@EVENTS.on("moved", tone="move")
def _moved(state: GameState, data: Data) -> GameState:
    return _of_turn(state, data["vehicle"], stage="play")


@EVENTS.on("nudge", tone="attack")
def _nudge(state: GameState, data: Data) -> GameState:
    return _of_turn(state, data["vehicle"], nudged=True)


@EVENTS.on("ram", tone="attack")
def _ram(state: GameState, data: Data) -> GameState:
    state = _acts(state, data)
    name, other = data["vehicle"], data["target"]
    state = _of_turn(state, name, stage="play", driven=True)
    pair = (min(name, other), max(name, other))
    return state if pair in state.locked else replace(state, locked=(*state.locked, pair))


def _apart(state: GameState, name: str) -> GameState:
    """A vehicle that was moved stands against none of those any more that it has rammed."""
    return replace(state, locked=tuple(pair for pair in state.locked if name not in pair))


@EVENTS.on("decouple")
def _decouple(state: GameState, data: Data) -> GameState:
    return _of_turn(state, data["vehicle"], tried=True)


@EVENTS.on("unmanned", tone="bad")
def _unmanned(state: GameState, data: Data) -> GameState:
    return _of_turn(state, data["vehicle"], fell=True)


@EVENTS.on("captured", tone="good")
def _captured(state: GameState, data: Data) -> GameState:
    return state.with_vehicle(data["vehicle"], control=data["player"])


@EVENTS.on("behind", tone="bad")
def _behind(state: GameState, data: Data) -> GameState:
    return state.with_vehicle(data["vehicle"], status="behind")


# Duties


@EVENTS.on("owed")
def _owed(state: GameState, data: Data) -> GameState:
    return replace(state, duties=(*state.duties, *agenda.owed(Duty, data["duty"])))


@EVENTS.on("veers", "checked", "wreck", "leap", "hurt")
def _settled(state: GameState, data: Data) -> GameState:
    """Without the first duty of that kind for that vehicle, and warrior if it names one."""

    def meant(duty: Duty) -> bool:
        same = duty.kind == data["duty"] and duty.vehicle == data["vehicle"]
        return same and (not duty.warrior or duty.warrior == data.get("warrior"))

    return replace(state, duties=agenda.without(state.duties, meant))


@EVENTS.on("placed", tone="move")
def _placed(state: GameState, data: Data) -> GameState:
    state = _apart(_settled(state, data), data["vehicle"])
    if data["duty"] == "deployed" or data.get("back"):
        return state.with_vehicle(data["vehicle"], status="driving")
    return state


@EVENTS.on("shifted", tone="move")
def _shifted(state: GameState, data: Data) -> GameState:
    return replace(_settled(state, data), scroll=state.scroll + data["inches"])


# Damage


@EVENTS.on("damaged", tone="bad")
def _damaged(state: GameState, data: Data) -> GameState:
    return state.with_vehicle(data["vehicle"], hits=data["hits"], trailer=data["trailer"])


@EVENTS.on("gone", tone="loss")
def _gone(state: GameState, data: Data) -> GameState:
    """A destroyed vehicle, or one that is left behind, owes nothing any more."""
    name = data["vehicle"]
    state = _apart(state.with_vehicle(name, status=data["status"], hits=data["hits"]), name)
    left = tuple(d for d in state.duties if d.vehicle != name)
    return replace(state, duties=left, queue=tuple(v for v in state.queue if v != name))


@EVENTS.on("launched")
def _launched(state: GameState, data: Data) -> GameState:
    return state.with_vehicle(data["vehicle"], hidden_in=None)


@EVENTS.on("uncoupled")
def _uncoupled(state: GameState, data: Data) -> GameState:
    """Without its trailer, and the weapons and chains on it."""
    return state.with_vehicle(data["vehicle"], trailer=None, mounts=(), chains=False)


# Warriors


@EVENTS.on("launch", "board")
@EVENTS.on("shot", "attack", tone="attack")
def _acts(state: GameState, data: Data) -> GameState:
    """Who is named has acted this round."""
    who = data.get("warrior")
    return state if who is None else state.with_warriors([who], acted=True)


@EVENTS.on("cling")
def _cling(state: GameState, data: Data) -> GameState:
    how = {"holds": {"acted": True}, "stays": {"clung": True}}.get(data["result"], {})
    return state.with_warriors([data["warrior"]], **how)


@EVENTS.on("boarded", tone="good")
def _boarded(state: GameState, data: Data) -> GameState:
    return state.with_warriors(
        [data["warrior"]], vehicle=data["to"], part=data["part"], seat=None, acted=True
    )


@EVENTS.on("seated")
def _seated(state: GameState, data: Data) -> GameState:
    changes: dict[str, Any] = {"changed": True} if data["changed"] else {}
    if data.get("swaps"):
        left = state.warrior(data["warrior"]).seat
        state = state.with_warriors([data["swaps"]], seat=left, changed=True)
    state = state.with_warriors([data["warrior"]], seat=data["seat"], part=data["part"], **changes)
    return _settled(state, data) if "duty" in data else state


@EVENTS.on("out", tone="bad")
def _out(state: GameState, data: Data) -> GameState:
    state = state.with_warriors([data["warrior"]], out=True, seat=None)
    left = tuple(d for d in state.duties if d.warrior != data["warrior"])
    return _handed_on(replace(state, duties=left))


def _handed_on(state: GameState) -> GameState:
    """Who has nobody left in the fight does nothing any more: whoever controls the vehicle does it."""
    there = state.fighting
    duties = agenda.handed_on(state.duties, there, lambda d: state.vehicle(d.vehicle).control)
    return replace(state, duties=duties)


@EVENTS.on("jammed", tone="bad")
def _jammed(state: GameState, data: Data) -> GameState:
    return _with_jam(state, data, jammed=True)


@EVENTS.on("cleared")
def _cleared(state: GameState, data: Data) -> GameState:
    state = _acts(_with_jam(state, data, jammed=False), data)
    if data.get("mount") is None or state.turn is None:
        return state
    return _of_turn(state, data["vehicle"], cleared=(*state.turn.cleared, data["mount"]))


def _with_jam(state: GameState, data: Data, *, jammed: bool) -> GameState:
    """A mounted weapon by its number, from 1; a hero's own where there is none."""
    number = data.get("mount")
    if number is None:
        return state.with_warriors([data["warrior"]], jammed=jammed)
    vehicle: Vehicle = state.vehicle(data["vehicle"])
    mounts = tuple(
        replace(m, jammed=jammed) if k == number else m for k, m in enumerate(vehicle.mounts, start=1)
    )
    return state.with_vehicle(vehicle.name, mounts=mounts)


@EVENTS.on("over", tone="end")
def _over(state: GameState, data: Data) -> GameState:
    return replace(state, over=True, winner=data["winner"], turn=None, duties=(), queue=())


@dataclass(frozen=True, slots=True)
class Modifier:
    """What adds to a roll or to damage, by name and rule."""

    words: str
    by: int
    citation: str


@dataclass(frozen=True, slots=True)
class Roller:
    """Who rolls in a contest: with which die, whose it is, for which vehicle, and what modifies it."""

    who: str
    sides: int = FODDER_DIE
    player: str | None = None
    vehicle: str = ""
    modifiers: tuple[Modifier, ...] = ()


@dataclass(frozen=True, slots=True)
class Rolled:
    """What somebody rolled: the die itself (`natural`), and the total with every modifier."""

    natural: int
    total: int
    sides: int

    @property
    def highest(self) -> bool:
        """Whether the die shows its highest number."""
        return self.natural == self.sides


Places = Callable[[GameState, Duty, TableState | None], Duty]
"""Works out on the table where a duty puts vehicles."""


class Play(AnyPlay[GameState]):
    """The events of one action so far, the state that they lead to, and what may be asked."""

    places: Places = staticmethod(lambda _state, duty, _table: duty)

    @property
    def turn(self) -> Turn:
        """The turn, where there must be one."""
        assert self.state.turn is not None
        return self.state.turn

    def owe(self, duty: Duty, words: str) -> None:
        """Something that must be done before the game goes on."""
        duty = self.places(self.state, duty, self.seen.table)
        self.tell("owed", words, duty.citation, duty=to_json(duty))

    # Rolling

    def uncontested(self, roller: Roller, why: str, citation: str) -> Rolled:
        """One die against the numbers of the book; a total below 1 counts as 1 (house default)."""
        self._modified(roller, why)
        (roll,) = self.rolls([Want(roller.sides, f"{roller.who}: {why}", by=roller.player)], citation,
                             [roller.vehicle])  # fmt: skip
        total = max(1, roll.value + sum(m.by for m in roller.modifiers))
        return Rolled(roll.value, total, roller.sides)

    def contested(
        self, attacker: Roller, defenders: Sequence[Roller], why: str, citation: str
    ) -> tuple[Rolled, ...]:
        """The attacker's die and each defender's, rolled together and shown side by side."""
        rollers = (attacker, *defenders)
        for roller in rollers:
            self._modified(roller, why)
        wants = [Want(r.sides, why, by=r.player) for r in rollers]
        rolls = self.rolls(wants, citation, [r.vehicle for r in rollers])
        return tuple(
            Rolled(roll.value, roll.value + sum(m.by for m in r.modifiers), r.sides)
            for roll, r in zip(rolls, rollers, strict=True)
        )

    def die(self, why: str, citation: str, vehicle: str, by: str | None) -> int:
        """A D6."""
        return self.rolls([Want(6, why, by=by)], citation, [vehicle])[0].value

    def _modified(self, roller: Roller, why: str) -> None:
        for m in roller.modifiers:
            self.modified(m, f"{roller.who}, {why}", roller.vehicle)

    def modified(self, modifier: Modifier, what: str, vehicle: str) -> None:
        """A modifier that counts, by its name."""
        self.tell(
            "modified", f"{what}: {signed(modifier.by)}, {modifier.words}", modifier.citation,
            vehicle=vehicle, by=modifier.by, why=modifier.words,
        )  # fmt: skip
