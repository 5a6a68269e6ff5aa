"""Who races with which vehicle, on which track, by which rules; the starting grid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine.boards.board import Cell
from engine.boards.hexes import Hexes
from engine.errors import TableRefError
from engine.game.about import house
from engine.game.dice import Want
from engine.game.events import Action, Event
from engine.game.kit import reading
from engine.game.kit.actions import a_or_an
from engine.game.records import to_json
from engine.games.frothy_races.book import data as book
from engine.games.frothy_races.book.building import FIELDS, OWN, build
from engine.games.frothy_races.book.circuits import Circuit
from engine.games.frothy_races.book.data import Rules
from engine.games.frothy_races.book.laying import circuit_of
from engine.games.frothy_races.rules.moves import beside, gained, wrapped
from engine.games.frothy_races.state import (
    EVENTS,
    STATES,
    GameState,
    Obstacle,
    Play,
    Task,
    Track,
    Vehicle,
    deck,
)
from engine.space.geometry import Pose
from engine.space.table import key_of
from engine.words import listed

# Runners of a Scoring race: they cross the track a space a movement phase, and score who runs them over.

RUNNERS = book.cite("Race Types", "Scoring")
WHERE = house("Where runners start")


def starts(play: Play, task: Task) -> None:
    """A D6 is the sixth of the track, a D6 its side: 1 to 3 inside (house default)."""
    state = play.state
    wants = [Want(6, why, by=play.vehicle(task.vehicle).owner) for why in ("sixth of the track", "side")]
    sixth, side = (roll.value for roll in play.rolls(wants, WHERE, ()))
    inside = side <= 3
    lane = state.board.edge(inside=inside)
    first = round((sixth - 0.5) * len(lane) / 6)
    for k in range(len(lane)):
        cell = lane[(first + k) % len(lane)]
        if _free(state, cell) and crossings(state, cell, inside=inside):
            break
    else:
        return
    name = f"Runner {state.runners + 1}"
    play.tell(
        "laid", f"{name} starts on {state.board.name_of(cell)}", RUNNERS, obstacle=name, sort="fragile",
        cell=list(cell), worth=state.rules.for_runner, vehicle="", heading=across(state, cell, inside=inside),
    )  # fmt: skip


def crossings(state: GameState, cell: Cell, *, inside: bool) -> list[int]:
    """The ways to the next lane, 0 to 10; none where a track is one hex wide."""
    board = state.board
    lane = board.lane_of(cell) + (1 if inside else -1)
    ways = [w for w in range(0, 12, 2) if board.holds(beside(cell, w))]
    return [w for w in ways if board.lane_of(beside(cell, w)) == lane]


def across(state: GameState, cell: Cell, *, inside: bool) -> int:
    """The way to the next lane that leads least along the track, 0 to 10."""
    there = crossings(state, cell, inside=inside)
    return min(there, key=lambda w: (round(abs(gained(state, cell, beside(cell, w))), 6), w))


def _free(state: GameState, cell: Cell) -> bool:
    return state.at(cell) is None and not any(o.cell == cell for o in state.obstacles)


def run_on(play: Play) -> None:
    """Each runner a space straight on; it waits for a hex that is taken, and leaves the track at its edge."""
    for one in play.state.obstacles:
        if one.heading is None:
            continue
        there = beside(one.cell, one.heading)
        if not play.state.board.holds(there):
            words = f"{one.name} has reached the other side"
            play.tell("removed", words, RUNNERS, obstacle=one.name, vehicle="")
        elif _free(play.state, there):
            words = f"{one.name} runs to {play.state.board.name_of(there)}"
            play.tell("ran", words, RUNNERS, obstacle=one.name, cell=list(there))


# Who races with which vehicle, on which track, by which rules; the starting grid.

SETUP = book.cite("Setup")
RACE = book.cite("Race Types")
ROLLING = book.cite("Optional Rules", "Rolling Start")
LYING = house("Where the track lies")
PLACES = house("Where vehicles start that do not start on the grid")

_FIELDS = ("players", "pieces", *Rules.declared())
_PIECE_FIELDS = ("name", "owner", "type", "team", "rival", "slower", *FIELDS)

MOST = 6
SPACING = 2.0
"""Inches across a hex of a track that no table file lays (house default)."""

AHEAD = 0.25
"""How far ahead of the finish line the Fox starts, in laps (house default)."""


def dealt(number: int) -> str:
    """The type that the vehicle of that number is dealt, counted from 0."""
    return list(book.LICENCES)[number % len(book.LICENCES)]


def begin(setup: Mapping[str, Any]) -> tuple[Event, ...]:
    """The events that begin a race.

    `players`: names in the order of their seats. `pieces`: one object for each player with `name`, `owner`,
    `type` and `team`. The race and its rules that differ from the defaults stand by their own names.
    """
    reading.only(setup, _FIELDS, "the setup")
    rules = Rules.said(setup)
    players = reading.names(setup, "players")
    pieces = reading.objects(setup, "pieces")
    if wrong := not_yet(players, pieces, rules):
        raise TableRefError("; ".join(wrong))
    spelled: dict[str, str] = {}
    vehicles = tuple(_vehicle(piece, k) for k, piece in enumerate(pieces))
    vehicles = tuple(replace(v, team=spelled.setdefault(key_of(v.team), v.team)) for v in vehicles)
    circuit = circuit_of(rules.circuit)
    state = GameState(players=players, rules=rules, vehicles=vehicles, obstacles=_obstacles(circuit, rules))
    licensed = tuple(
        EVENTS.told(
            "licensed", f"{v.name} is {a_or_an('own build' if v.type == OWN else v.type)}",
            book.cite("Vehicles"), {"vehicle": v.name, "type": v.type},
        )
        for v in vehicles
    )  # fmt: skip
    words = f"{listed(players)} race: {rules.race} on {circuit.words}"
    return (Event("begin", {"state": STATES.as_json(state)}, words, RACE), *licensed)


def not_yet(players: tuple[str, ...], pieces: tuple[Mapping[str, Any], ...], rules: Rules) -> list[str]:
    """Why a race cannot begin so."""
    owned = [(reading.text(p, "name"), reading.text(p, "owner")) for p in pieces]
    most = min(MOST, len(circuit_of(rules.circuit).start))
    found = reading.not_seated(players, owned, most, "vehicle")
    if rules.race == "Pursuit" and len(players) > 2:
        found.append("Pursuit is for two vehicles")
    owners = [owner for _, owner in owned]
    many = {player: owners.count(player) for player in players}
    found += [f"{player} has {count} vehicles: one races" for player, count in many.items() if count > 1]
    names = [key_of(name) for name, _ in owned]
    for piece in pieces:
        reading.only(piece, _PIECE_FIELDS, str(piece["name"]))
        type_ = str(piece.get("type") or "")
        if type_ == OWN:
            found += [f"{piece['name']}: {words}" for words in against_building(piece)]
        elif type_:
            book.licence_called(type_)
        slower = piece.get("slower")
        if slower is not None and not 0 <= reading.whole(piece, "slower") <= book.TOP:
            found.append(f"{piece['name']}: expected a Speed of 0 to {book.TOP} to start at but got {slower}")
        rival = piece.get("rival")
        if rival and (key_of(str(rival)) not in names or key_of(str(rival)) == key_of(piece["name"])):
            found.append(f"{piece['name']}: its rival has to be another vehicle, got {rival}")
    teams = {key_of(str(p.get("team") or "")) for p in pieces}
    if len(pieces) > 1 and "" not in teams and len(teams) == 1:
        found.append("all vehicles are of one team")
    return found


def against_building(piece: Mapping[str, Any]) -> tuple[str, ...]:
    """What the guide has against a vehicle of one's own, or does not know of it."""
    try:
        return build(piece)[1]
    except TableRefError as error:
        return (str(error),)


def _vehicle(piece: Mapping[str, Any], number: int) -> Vehicle:
    type_ = str(piece.get("type") or dealt(number))
    own = build(piece)[0] if type_ == OWN else None
    licence = own or book.licence_called(type_)
    slower = book.TOP if piece.get("slower") is None else reading.whole(piece, "slower")
    return Vehicle(
        reading.text(piece, "name"), reading.text(piece, "owner"), type_, deck(licence), licence.traits,
        str(piece.get("team") or "").strip(), control=licence.least_control, stamina=licence.endurance,
        built=own, rival=str(piece.get("rival") or ""), slower=slower,
    )  # fmt: skip


def _obstacles(circuit: Circuit, rules: Rules) -> tuple[Obstacle, ...]:
    found = [Obstacle(f"Hazard {k + 1}", "hazard", c) for k, c in enumerate(circuit.hazards)]
    found += [Obstacle(f"Solid Obstacle {k + 1}", "solid", c) for k, c in enumerate(circuit.solid)]
    found += [
        Obstacle(f"Fragile Obstacle {k + 1}", "fragile", c, 1, _worth(rules, k))
        for k, c in enumerate(circuit.fragile)
    ]
    return tuple(found)


def _worth(rules: Rules, number: int) -> int:
    """The points of a Fragile Obstacle: its own where they are given by hand."""
    return rules.worths[number] if number < len(rules.worths) else rules.for_obstacle


# The track and the start


def track_now(state: GameState, seen_board: object) -> Track:
    """The track that is raced on: as it lies on the table where the table has it, else where it may lie."""
    circuit = circuit_of(state.rules.circuit)
    if isinstance(seen_board, Hexes) and circuit.lies_as(seen_board):
        return _track(circuit, seen_board.spacing, seen_board.frame, seen_board.tolerance)
    if state.track is not None:
        return state.track
    board = circuit.board(SPACING)
    poses = [board.pose_of(cell) for cell in board.cells]
    frame = Pose(SPACING - min(p.x for p in poses), SPACING - min(p.y for p in poses), 0.0)
    return _track(circuit, SPACING, frame, board.tolerance)


def _track(circuit: Circuit, spacing: float, frame: Pose, tolerance: float) -> Track:
    at = (frame.x, frame.y, frame.heading)
    return Track(
        circuit.id, circuit.lanes, circuit.start, circuit.finish, spacing, at, tolerance, circuit.line
    )


def lies(play: Play) -> None:
    """The table's track is taken as it lies, where the race began before it was seen."""
    kept = play.state.track
    if kept is None:
        return
    now = track_now(play.state, play.seen.board)
    if now != kept:
        words = "the track is taken as it lies on the table"
        play.tell("lies", words, LYING, track=to_json(now))


def do_start(play: Play, _action: Action) -> None:
    """The places are drawn by lot; the vehicles stand on the grid, or as the race type has them."""
    track = track_now(play.state, play.seen.board)
    owners = {v.name: v.owner for v in play.state.vehicles}
    order = play.roll_off(tuple(owners), "place on the starting grid", SETUP, of=owners)
    race = play.state.rules.race
    places = _places(play.state, track, order)
    board = track.board
    words = ", ".join(f"{name} starts on {board.name_of(c)}" for name, (c, _, _) in places.items())
    data = {name: [list(c), facing, travelled] for name, (c, facing, travelled) in places.items()}
    fox = order[0] if race == "Fox and Hounds" else ""
    play.tell("started", words, SETUP, track=to_json(track), places=data, fox=fox)
    if play.state.rules.rolling:
        for name in order:
            speed = start_speed(play.state, play.vehicle(name))
            words = f"{name} starts at Speed {speed}"
            play.tell("speed", words, ROLLING, vehicle=name, speed=speed, box=0, brake=0)


def start_speed(state: GameState, v: Vehicle) -> int:
    """The Speed of a rolling start: the same for all, or of the same spaces; lower where one wants."""
    speed = book.START
    if state.rules.start_by == "spaces":
        speed = max(s for s, spaces in enumerate(v.licence.totals) if spaces <= book.START_SPACES)
    return min(speed, v.slower)


def _places(state: GameState, track: Track, order: list[str]) -> dict[str, tuple[Cell, int, float]]:
    """Each vehicle's hex, facing, and distance from the finish line in laps."""
    race = state.rules.race
    board = track.board
    lane = board.middle
    line = board.progress(lane[track.finish % len(lane)])
    taken = {o.cell for o in state.obstacles}

    def along(share: float) -> tuple[Cell, int]:
        k = round(share * len(lane)) + track.finish
        while lane[k % len(lane)] in taken:
            k += 1
        cell = lane[k % len(lane)]
        taken.add(cell)
        return cell, board.travel(cell)

    grid = iter(track.start)
    found = {}
    for k, name in enumerate(order):
        if race in ("Toughest", "Pursuit"):
            cell, facing = along(k / len(order))
        elif race == "Fox and Hounds" and k == 0:
            cell, facing = along(AHEAD)
        else:
            cell, facing = next(grid)
        found[name] = (cell, facing, round(wrapped(board.progress(cell) - line), 9))
    return found
