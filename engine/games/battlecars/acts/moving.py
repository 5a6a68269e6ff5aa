"""A driver moves: along the points, about on one point, on foot; gets out, or takes a vehicle over."""

from __future__ import annotations

from typing import Any

from engine.boards.board import Cell, facing_words
from engine.boards.spots import spots_of, sure
from engine.game.about import house
from engine.game.contract import Seen
from engine.game.events import Action
from engine.games.battlecars.book.data import SIDES, WALK, cite
from engine.games.battlecars.rules.lines import may_drop, may_fire, no_fire
from engine.games.battlecars.rules.moves import MOVEMENT, drive
from engine.games.battlecars.rules.pieces import figure_seen, piece_for
from engine.games.battlecars.state import GameState, Person, Play, Vehicle
from engine.ruling import many

LEAVING = cite("Pedestrians")
WALKING = cite("Pedestrians")
COMMANDEER = cite("Pedestrians")
ANEW = house("After a skid that took it off its way the driver chooses the rest anew")
ON_THE_WAY = house("Fire on the way")


def vehicle_of(play: Play) -> Vehicle:
    """The vehicle whose driver's turn it is."""
    found = play.state.driven(play.state.person(play.turn.person))
    assert found is not None
    return found


def do_move(play: Play, action: Action) -> None:
    """It drives as many points as its Speed, cornering as was said."""
    vehicle, person = vehicle_of(play), play.turn.person
    halt = halt_of(play.state, action)
    drove = drive(play, vehicle.name, list(action.data["corners"]), str(action.data.get("unseen", "")), halt)
    if drove.left:
        words = f"{vehicle.name} goes on: {many(drove.left, 'point')} to go, chosen anew"
        rule = ANEW if halt is None else ON_THE_WAY
        play.tell("goes on", words, rule, vehicle=vehicle.name, left=drove.left)
    elif drove.over and play.state.turn is not None and not play.state.person(person).dead:
        play.tell("ended", f"the turn of the {person} is over", drove.over, person=person)
    else:
        _ready(play)


def halt_of(state: GameState, action: Action) -> int | None:
    """After how many points a move halts for fire, where the players play so."""
    said = action.data.get("halt")
    return int(said) if said is not None and state.house.on_the_way else None


def may_turn(state: GameState) -> Vehicle | None:
    """The vehicle with a Speed of 0 that may turn on its point now; a wreck stands as it stands."""
    turn = state.turn
    if state.over or turn is None or turn.stage != "move" or state.reply is not None:
        return None
    person = state.person(turn.person)
    vehicle = None if person.dead else state.driven(person)
    if vehicle is None or vehicle.speed or vehicle.wreck or vehicle.stunned:
        return None
    return vehicle


def do_pivot(play: Play, action: Action) -> None:
    """With a Speed of 0 it may turn about on its point: a three-point turn."""
    vehicle = vehicle_of(play)
    facing = int(action.data.get("facing", vehicle.facing)) % SIDES
    if facing != vehicle.facing:
        words = f"{vehicle.name} makes a three-point turn: it faces {facing_words(play.state.board, facing)}"
        play.tell("turned", words, MOVEMENT, vehicle=vehicle.name, facing=facing)
    _ready(play)


def _ready(play: Play, stays: str = "") -> None:
    turn = play.state.turn
    if turn is not None and not play.state.person(turn.person).dead:
        barred = no_fire(play.state)
        may = (
            "may fire" if may_fire(play.state)
            else "may drop" if may_drop(play.state)
            else f"cannot fire: {barred}" if barred
            else "has no target"
        )  # fmt: skip
        play.tell("ready", f"the {turn.person} {stays}{may}", cite("Game Turn"), person=turn.person)


# On foot


def do_leave(play: Play, _action: Action) -> None:
    """A driver gets out of a vehicle that stands."""
    person = play.state.person(play.turn.person)
    vehicle = vehicle_of(play)
    assert vehicle.cell is not None
    words = f"the {person.name} gets out of {vehicle.name}"
    figure = figure_seen(play.state, person, play.seen)
    shown = {"piece": figure.name} if figure is not None else {}
    if figure is not None:
        words += f"; {figure.name} stands for them"
    play.tell(
        "got out", words, LEAVING, person=person.name, vehicle=vehicle.name, cell=list(vehicle.cell), **shown
    )


def blocks_walk(state: GameState, cell: Cell) -> Vehicle | None:
    """The vehicle that keeps drivers on foot off its point: any that is no wreck (house default)."""
    found = state.at(cell)
    return None if found is None or found.wreck else found


def within_walk(state: GameState, person: Person) -> tuple[Cell, ...]:
    """The points that a driver on foot reaches: 2 steps, not through vehicles in their way."""
    assert person.cell is not None
    found = {person.cell}
    edge = {person.cell}
    for _ in range(WALK):
        steps = {there for cell in edge for there in state.board.neighbours(cell)}
        edge = {c for c in steps - found if blocks_walk(state, c) is None}
        found |= edge
    return tuple(sorted(found))


def stays(state: GameState, point: Any, seen: Seen) -> bool:
    """Whether a driver on foot stays: none is typed, or their own point, of whose figure no move is seen."""
    if point is None or state.turn is None:
        return point is None
    person = state.person(state.turn.person)
    piece = piece_for(state, person.name)
    moved = piece is not None and seen.newest(piece) is not None
    return not moved and person.cell is not None and point == state.board.cells.index(person.cell)


def do_walk(play: Play, action: Action) -> None:
    """A driver walks; a figure that stands there, and for nobody yet, is theirs."""
    state = play.state
    person = state.person(play.turn.person)
    point = action.data.get("point")
    cell = person.cell if point is None else state.board.cells[int(point)]
    assert cell is not None
    if cell != person.cell:
        unseen = action.data.get("unseen")
        more = f" ({unseen})" if unseen else ""
        words = f"the {person.name} walks to {state.board.name_of(cell)}{more}"
        figure = None if piece_for(state, person.name) else figure_seen(state, person, play.seen)
        spots = () if figure is None else spots_of(state.board, figure)
        shown = {"piece": figure.name} if figure is not None and sure(spots) and spots[0].cell == cell else {}
        play.tell("walked", words, WALKING, person=person.name, cell=list(cell), **shown)
    _ready(play, "" if cell != person.cell else f"stays on {state.board.name_of(cell)} and ")


def to_board(state: GameState, person: Person) -> tuple[Vehicle, ...]:
    """The vehicles that a driver on foot may take over: stationary, able to move, with nobody in them.

    From the same point or the next one (house default).
    """
    assert person.cell is not None
    near = (person.cell, *state.board.neighbours(person.cell))
    return tuple(
        v
        for v in state.vehicles
        if v.here and v.cell in near and not v.wreck and v.driver is None and not v.speed
    )


def do_board(play: Play, action: Action) -> None:
    """A driver takes a vehicle over."""
    person, vehicle = play.state.person(play.turn.person), play.state.vehicle(action.data["vehicle"])
    own = vehicle.owner == person.owner
    words = f"the {person.name} {f'gets into {vehicle.name}' if own else f'takes {vehicle.name} over'}"
    play.tell("boarded", words, COMMANDEER, person=person.name, vehicle=vehicle.name)
    _ready(play)
