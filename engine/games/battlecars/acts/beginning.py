"""Who plays with which vehicles, armed with what; terrain; who has the first move and where they start."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.boards.board import Cell
from engine.boards.points import Points
from engine.errors import TableRefError
from engine.game.about import house as house_default
from engine.game.events import Action, Event
from engine.game.kit import reading
from engine.game.records import to_json
from engine.games.battlecars.book import data as book
from engine.games.battlecars.book.data import HouseRules
from engine.games.battlecars.book.vehicles import (
    SPECIALS,
    Layout,
    counters,
    layout_called,
    layouts,
    loads,
    usual_load,
)
from engine.games.battlecars.state import (
    EVENTS,
    STATES,
    Block,
    BoardJson,
    Component,
    GameState,
    Person,
    Play,
    Vehicle,
)
from engine.ruling import many
from engine.words import listed

ARMING = book.cite("Arming Your Vehicle")
STARTING = book.BOOK
LYING = house_default("Where the board lies")
KEPT_FREE = house_default("No terrain on the centre points of the sides and those beside them")
NEAR_START = "vehicles start there: keep the centre points of the sides and those beside them free"

MOST = 4
"""Vehicles start on the centre points of the board's four sides."""

_FIELDS = ("players", "pieces", "house", *HouseRules.declared())


def field_of(mount: str) -> str:
    """The field of the arming form for a mount."""
    return mount.replace(" ", "_")


MOUNTS = tuple(dict.fromkeys(m for layout in layouts().values() for m in layout.mounts))
"""Every mount that a vehicle may have."""

_PIECE_FIELDS = ("name", "owner", "type", "special", *map(field_of, MOUNTS))

DEALT = ("Saloon", "Muscle Car", "Van", "Bike")


def dealt(number: int) -> str:
    """The type that the vehicle of that number is dealt, counted from 0."""
    return DEALT[number % len(DEALT)]


def begin(setup: Mapping[str, Any]) -> tuple[Event, ...]:
    """The events that begin a game.

    `players`: names in the order of their seats. `pieces`: objects with `name`, `owner`, `type`, for a bike
    `special`, and what each Pod or Turret is loaded with by its field ("front_pod": "Shell"). House rules
    that differ from the defaults stand in `house` or by their own names.
    """
    reading.only(setup, _FIELDS, "the setup")
    house = HouseRules.said(setup)
    players = reading.names(setup, "players")
    pieces = reading.objects(setup, "pieces")
    if wrong := not_yet(players, pieces):
        raise TableRefError("; ".join(wrong))
    vehicles = tuple(_vehicle(piece, k) for k, piece in enumerate(pieces))
    people = tuple(Person(driver_of(v.name), v.owner, v.name, house.hand) for v in vehicles)
    state = GameState(players=players, house=house, vehicles=vehicles, people=people)
    armed = tuple(
        EVENTS.told("armed", _armed_words(v), ARMING, {"vehicle": v.name, "type": v.type}) for v in vehicles
    )
    words = f"{listed(players)} play with {many(len(vehicles), 'vehicle')}"
    return (Event("begin", {"state": STATES.as_json(state)}, words, STARTING), *armed)


def driver_of(vehicle: str) -> str:
    """What the driver who starts in a vehicle is called."""
    return f"driver of {vehicle}"


def _armed_words(vehicle: Vehicle) -> str:
    loaded = ", ".join(f"{m.name}: {' '.join(m.rounds)}" for m in vehicle.mounts)
    return f"{vehicle.name}, {vehicle.type}: {loaded}"


def layout_of(piece: Mapping[str, Any], number: int) -> tuple[str, Layout]:
    """The type that a piece was given, or is dealt."""
    name = str(piece.get("type") or dealt(number))
    return name, layout_called(name)


def load_of(piece: Mapping[str, Any], layout: Layout, mount: str) -> str:
    """What a mount is loaded with."""
    return str(piece.get(field_of(mount)) or usual_load(layout.mounts[mount]))


def not_yet(players: tuple[str, ...], pieces: tuple[Mapping[str, Any], ...]) -> list[str]:
    """Why a game cannot begin so."""
    owned = [(reading.text(p, "name"), reading.text(p, "owner")) for p in pieces]
    found = reading.not_seated(players, owned, MOST, "vehicle")
    if len(pieces) > MOST:
        found.append(f"{len(pieces)} vehicles: at most four start, one on each side of the board")
    for k, piece in enumerate(pieces):
        found += _amiss(piece, k)
    return found


def _amiss(piece: Mapping[str, Any], number: int) -> list[str]:
    """What is wrong with how a vehicle is armed."""
    name, layout = layout_of(piece, number)
    reading.only(piece, _PIECE_FIELDS, str(piece["name"]))
    found = []
    for mount in layout.mounts:
        load = load_of(piece, layout, mount)
        if load not in loads(layout, layout.mounts[mount]):
            known = ", or ".join(loads(layout, layout.mounts[mount]))
            found.append(f"{piece['name']}, {mount} of a {name}: expected {known} but got {load}")
    special = piece.get("special")
    if special is not None and special not in SPECIALS:
        found.append(f"{piece['name']} · special: expected {listed(SPECIALS, 'or')} but got {special!r}")
    return found


def _vehicle(piece: Mapping[str, Any], number: int) -> Vehicle:
    type_, layout = layout_of(piece, number)
    parts = [Component(n, "tyre", section, layout.tyre) for n, section in layout.tyres.items()]
    parts.append(Component("engine", "engine", "front", layout.engine))
    parts.append(Component("fuel tank", "fuel tank", "rear", layout.tank))
    specials = layout.specials or (str(piece.get("special") or book.COMPUTER),)
    parts += [Component(n, "special", "centre", layout.special) for n in specials]
    for name, mount in layout.mounts.items():
        rounds = counters(load_of(piece, layout, name), mount.spaces)
        parts.append(Component(name, "mount", mount.section, mount.spaces, rounds=rounds))
    armour = tuple(Block(n, points) for n, points in layout.blocks.items())
    name = reading.text(piece, "name")
    return Vehicle(name, reading.text(piece, "owner"), type_, armour, tuple(parts), driver=driver_of(name))


# Terrain and the start


def starts(board: Points, count: int) -> tuple[tuple[Cell, int], ...]:
    """The centre points of the board's sides with the facing inward: left, right, bottom, top."""
    x, y = board.columns // 2, board.rows // 2
    last, top = board.columns - 1, board.rows - 1
    return (((0, y), 0), ((last, y), 4), ((x, 0), 2), ((x, top), 6))[:count]


def board_now(state: GameState, seen_board: object) -> Points:
    """The board that the game will be played on: the table's where it has points, else the book's own."""
    if state.unstarted and isinstance(seen_board, Points):
        return seen_board
    return state.board


def _size(data: Mapping[str, Any]) -> tuple[int, int]:
    """Columns and rows of terrain that are covered; one where nothing is said."""
    return int(data.get("columns") or 1), int(data.get("rows") or 1)


def lies(play: Play) -> None:
    """The table's board is taken as it lies, where the match began before it was seen."""
    kept, now = play.state.kept, play.seen.board
    if kept is None or play.state.unstarted or not isinstance(now, Points) or BoardJson.of(now) == kept:
        return
    if (now.columns, now.rows) == (kept.columns, kept.rows):
        words = f"the board of {now.columns} by {now.rows} points is taken as it lies on the table"
        play.tell("lies", words, LYING, board=to_json(BoardJson.of(now)))


def do_build(play: Play, action: Action) -> None:
    """A terrain marker is placed, its corners on intersections of diagonals."""
    data = action.data
    kind = str(data["kind"])
    number = play.state.count(kind) + 1
    name = f"{kind.capitalize()} {number}"
    board = board_now(play.state, play.seen.board)
    cell = (int(data["column"]) - 1, int(data["row"]) - 1)
    size = list(_size(data))
    words = f"{name} of {size[0]} by {size[1]} points at {board.name_of(cell)}"
    seen = {"piece": data["piece"]} if data.get("piece") else {}
    if seen:
        words = f"{data['piece']} is {words}, as the camera saw it lie"
    play.tell(
        "built", words, STARTING, terrain=name, sort=kind, cell=list(cell), size=size,
        board=to_json(BoardJson.of(board)), **seen,
    )  # fmt: skip


def do_start(play: Play, _action: Action) -> None:
    """Who has the first move is rolled for; the vehicles stand on the centre points of the sides."""
    order = play.roll_off(play.state.alive, "who has first move", STARTING, sides=book.SIDES)
    board = board_now(play.state, play.seen.board)
    names = [v.name for v in play.state.vehicles if not v.gone]
    places = dict(zip(names, starts(board, len(names)), strict=True))
    words = f"{order[0]} has the first move; " + ", ".join(
        f"{name} starts on {board.name_of(cell)}" for name, (cell, _) in places.items()
    )
    told_places = {name: [list(cell), facing] for name, (cell, facing) in places.items()}
    play.tell(
        "started", words, STARTING, first=order[0], places=told_places, board=to_json(BoardJson.of(board))
    )


def against_building(state: GameState, board: Points, data: Mapping[str, Any]) -> str:
    """Why a terrain marker may not lie there; empty when it may."""
    x, y = int(data["column"]), int(data["row"])
    w, h = _size(data)
    cells = [(x - 1 + i, y - 1 + j) for i in range(w) for j in range(h)]
    if not all(board.holds(c) for c in cells):
        return f"the board has {board.columns} columns and {board.rows} rows: it reaches beyond the edge"
    if any(state.terrain_at(c) for c in cells):
        return "other terrain lies there"
    near = {n for cell, _ in starts(board, MOST) for n in (cell, *board.neighbours(cell))}
    if near & set(cells):
        return NEAR_START
    return ""
