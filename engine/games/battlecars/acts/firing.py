"""A driver fires, returns fire, drops passive weapons, reloads a hand weapon."""

from __future__ import annotations

from engine.boards.board import Cell
from engine.boards.spots import sure
from engine.game.events import Action
from engine.games.battlecars.book.data import MG, PASSIVES, WEAPONS, cite
from engine.games.battlecars.rules.aims import HAND, Aim, aims, aims_on_foot, areas, usual_area, wreck_of
from engine.games.battlecars.rules.lines import ways
from engine.games.battlecars.rules.pieces import counters_seen
from engine.games.battlecars.rules.shots import DISCARD, Shot, fire
from engine.games.battlecars.state.fold import Play
from engine.games.battlecars.state.game_state import GameState, Person, Vehicle
from engine.ruling import many

RETURN = cite("Game Turn")
DROPPING = cite("Passive weapons")
RELOADING = cite("Pedestrians")

TARGETS, COMPUTED_TARGETS = 2, 3
"""Different targets in a turn, and with a Gunnery Computer."""


def do_fire(play: Play, action: Action) -> None:
    """One round at the nearest target on a line."""
    data, state = action.data, play.state
    person = state.person(play.turn.person)
    vehicle = state.driven(person)
    if vehicle is None and data["mount"] != HAND:
        vehicle = wreck_of(state, person)  # any occupant fires the weapons of a wreck
    target = str(data["target"])
    _shoot(play, person, vehicle, action)
    if any(v.name == target for v in play.state.vehicles):
        _offer_reply(play, target, person.name if vehicle is None else vehicle.name)


def _shoot(
    play: Play, person: Person, vehicle: Vehicle | None, action: Action, *, reply: bool = False
) -> None:
    data = action.data
    cell = play.state.place_of(person)
    assert cell is not None
    weapon = WEAPONS[str(data["weapon"])]
    source = person.name if vehicle is None else vehicle.name
    aim = data.get("aim") or _usual_aim(play.state, person, vehicle, action)
    words = f"{source} fires a {weapon.name} at {data['target']}" + (f", aiming at its {aim}" if aim else "")
    play.tell(
        "fired", words, RETURN if reply else DISCARD, person=person.name,
        vehicle=None if vehicle is None else vehicle.name, mount=data["mount"], weapon=weapon.name,
        target=data["target"], line=data["line"], reply=reply,
    )  # fmt: skip
    computed = vehicle is not None and vehicle.computed
    bike = vehicle is not None and vehicle.bike
    fire(play, Shot(person.owner, source, cell, weapon, int(data["line"]), aim, computed, bike))


def _usual_aim(state: GameState, person: Person, vehicle: Vehicle | None, action: Action) -> str | None:
    """What is aimed at where the action does not say it."""
    found = aims_on_foot(state, person) if vehicle is None else aims(state, vehicle)
    data = action.data
    one = next(a for a in found if (a.mount, a.line.facing) == (data["mount"], data["line"]))
    return usual_area(areas(state, one))


def _offer_reply(play: Play, name: str, at: str) -> None:
    """A vehicle that was fired upon may return fire at the vehicle that fired, once."""
    state, turn = play.state, play.state.turn
    if turn is None or name in turn.answered:
        return
    vehicle = state.vehicle(name)
    if vehicle.driver is None or vehicle.stunned or vehicle.slid or not vehicle.here:
        return
    if state.person(vehicle.driver).owner != turn.player and returns(state, vehicle, at):
        play.tell("reply", f"{name} may return fire at {at}", RETURN, vehicle=name, at=at)


def returns(state: GameState, vehicle: Vehicle, at: str) -> tuple[Aim, ...]:
    """The rounds with which a vehicle may return fire at whoever fired."""
    return tuple(aim for aim in aims(state, vehicle) if aim.target.name == at)


def do_return(play: Play, action: Action) -> None:
    """One round back at whoever fired."""
    assert play.state.reply is not None
    vehicle = play.state.vehicle(play.state.reply.vehicle)
    assert vehicle.driver is not None
    _shoot(play, play.state.person(vehicle.driver), vehicle, action, reply=True)


def do_hold(play: Play, _action: Action) -> None:
    """No fire is returned."""
    assert play.state.reply is not None
    name = play.state.reply.vehicle
    play.tell("held", f"{name} does not return fire", RETURN, vehicle=name)


# Passive weapons


def free_points(state: GameState, vehicle: Vehicle, mount: str) -> tuple[Cell, ...]:
    """The first points along a Pod's lines that nothing occupies; a corner in the way blocks none of them."""
    assert vehicle.cell is not None
    found = []
    for way in ways(vehicle, mount):
        there = state.board.step(vehicle.cell, way)
        if there is not None and not occupied(state, there):
            found.append(there)
    return tuple(found)


def occupied(state: GameState, cell: Cell) -> bool:
    """Whether anything is on a point: a vehicle, terrain, a driver or a counter."""
    return (
        state.at(cell) is not None
        or state.terrain_at(cell) is not None
        or bool(state.walkers(cell))
        or bool(state.tokens_at(cell))
    )


def do_drop(play: Play, action: Action) -> None:
    """A round of a passive weapon is dropped."""
    kind, mount = str(action.data["kind"]), str(action.data["mount"])
    person = play.state.person(play.turn.person)
    vehicle = play.state.driven(person)
    assert vehicle is not None
    assert kind in PASSIVES
    cell = play.state.board.cells[int(action.data["point"])]
    name = f"{kind} {play.state.count(kind) + 1}"
    words = f"{vehicle.name} drops {name} on {play.state.board.name_of(cell)}"
    lying = counters_seen(play.state, play.seen, kind)
    there = next((piece for piece, spots in lying if sure(spots) and spots[0].cell == cell), None)
    shown = {} if there is None else {"piece": there}
    if there is not None:
        words += f", where {there} lies for it"
    play.tell(
        "laid", words, DROPPING, vehicle=vehicle.name, mount=mount, token=name, sort=kind, cell=list(cell),
        **shown,
    )  # fmt: skip


# Hand weapons


def spare(state: GameState, person: Person) -> Person | None:
    """A dead driver on the same point with rounds left."""
    return next((p for p in state.people if p.dead and p.rounds and p.cell == person.cell), None)


def do_reload(play: Play, _action: Action) -> None:
    """The rounds of a dead driver's hand weapon are taken; nothing is fired this turn."""
    person = play.state.person(play.turn.person)
    other = spare(play.state, person)
    assert other is not None
    words = f"the {person.name} takes {many(other.rounds, f'{MG} round')} of the {other.name}"
    data = {"person": person.name, "from": other.name, "rounds": other.rounds}
    play.tell("reloaded", words, RELOADING, **data)
    play.tell("ended", f"the turn of the {person.name} is over", RELOADING, person=person.name)
