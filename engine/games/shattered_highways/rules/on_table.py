"""What of the table counts: the road, and the vehicles that are in play on it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from engine.boards.board import Board
from engine.boards.road import Road
from engine.game.contract import Seen
from engine.games.shattered_highways.state.game_state import GameState, RoadPlace, Vehicle
from engine.space.geometry import Pose
from engine.space.table import Standing, TableState, key_of


def road_of(state: GameState | None, table: TableState) -> Road:
    """The road as the match has it; before that, the whole surface along its longer way."""
    place = None if state is None else state.road
    if state is None or place is None:
        return Road.over(table.surface)
    return Road(place.length, place.width, frame=Pose(*place.at), scroll=state.scroll)


def place_of(board: Board, table: TableState) -> RoadPlace:
    """How the road lies: the table file's board, or the whole surface where that is none."""
    road = board if isinstance(board, Road) else Road.over(table.surface)
    return RoadPlace((road.frame.x, road.frame.y, road.frame.heading), road.length, road.width)


def in_play(state: GameState, table: TableState, *also: str) -> TableState:
    """The table without vehicles that are not in play, and without trailers that were decoupled.

    `also` are names that count although they are not (yet).
    """
    wanted = {key_of(name) for name in also}
    gone: set[str] = set()
    for vehicle in state.vehicles:
        bodies = bodies_of(table, vehicle.name)
        if not vehicle.in_play and key_of(vehicle.name) not in wanted:
            gone |= {s.name for s in bodies}
        elif vehicle.is_rig and vehicle.trailer is None:
            gone |= {s.name for s in bodies[1:]}
    return replace(table, standings=tuple(s for s in table.standings if s.name not in gone))


def bodies_of(table: TableState, name: str) -> tuple[Standing, ...]:
    """The bodies of a vehicle that are seen; none where it is not."""
    if not any(key_of(s.name) == key_of(name) for s in table.standings):
        return ()
    return table.vehicle(name)


def seen_of(table: TableState, vehicles: Iterable[Vehicle]) -> tuple[str, ...]:
    """The names of those vehicles that are seen on the table."""
    return tuple(v.name for v in vehicles if bodies_of(table, v.name))


def looked_at(state: GameState, seen: Seen, *also: str) -> tuple[TableState, Road] | None:
    """The table that counts and its road; None without a camera."""
    if seen.table is None:
        return None
    return in_play(state, seen.table, *also), road_of(state, seen.table)


def part_of(table: TableState, body: str) -> str:
    """Which half of a vehicle with a trailer a body is: tractor or trailer; empty for others."""
    vehicle = table.vehicle(body)
    if len(vehicle) < 2:
        return ""
    return "tractor" if key_of(vehicle[0].name) == key_of(body) else "trailer"
