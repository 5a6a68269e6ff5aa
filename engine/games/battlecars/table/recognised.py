"""What a move that the camera saw was by the book, as the action that it stands for; what is open."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from engine.boards.board import Cell, Snap, place_words
from engine.errors import TableRefError
from engine.game.contract import Seen, named
from engine.game.events import Action, Reason
from engine.games.battlecars.acts.beginning import against_building, board_now
from engine.games.battlecars.book.data import BOOK, SIDES
from engine.games.battlecars.effects.driving import MOVEMENT, ahead, heading
from engine.games.battlecars.rules.pieces import lie_of, piece_for, terrain_seen
from engine.games.battlecars.rules.seen import SEEN, corners_of, directions, way_of
from engine.games.battlecars.rules.spots import places, said_of, spot_words
from engine.games.battlecars.state.game_state import GameState, Vehicle
from engine.games.battlecars.table.on_foot import walked
from engine.motion.moves import Move
from engine.space.table import key_of

ASKEW = 0.5
"""Terrain that more probably lies across the rows than along them is to be turned (house default)."""


@dataclass(frozen=True, slots=True)
class Driven:
    """A move as points: those that it went over, the corner after each, where it rests, what is against it.

    `into` is what it would run into with its next point.
    """

    cells: tuple[Cell, ...]
    corners: tuple[int, ...]
    facing: int
    snap: Snap
    reasons: tuple[Reason, ...]
    into: str = ""


@lru_cache(maxsize=32)
def judged(state: GameState, name: str, move: Move, ends: str | None = None) -> Driven:
    """A vehicle's move by the book. `ends` says on which point and facing it rests, where that was open."""
    vehicle, board = state.vehicle(name), state.board
    assert vehicle.cell is not None
    snap = board.snap(move.after)
    cells = way_of(board, move, vehicle.cell)
    if ends is None and (snap.cell is None or snap.facing is None):
        return _beside(state, name, move, Driven(cells, (), vehicle.facing, snap, ()))
    reasons = []
    if ends is not None:
        spot = said_of(board, places(board, move.after), ends)
        cell, facing = spot.cell, spot.facing
    else:
        cell, facing = snap.cell, snap.facing
        if snap.where != "cell":
            words = f"{name} stands {place_words(board, snap)}: say which, or put it right"
            reasons.append(Reason(words, SEEN, open=True))
    assert cell is not None
    assert facing is not None
    if cells[-1] != cell:
        # A reading on the way is no rest: the last one goes where it is said, or seen, to rest.
        cells = (*cells, *(board.between(cells[-1], cell) or ()), cell)
    ways = directions(cells)
    if ways is None:
        words = (
            f"not every point of the way of {name} was seen: push it from point to point, or type its corners"
        )
        return Driven(cells, (), facing, snap, (*reasons, Reason(words, SEEN)))
    against, corners, into = _by_the_book(state, vehicle, cells, ways, facing)
    if against and reasons and (lawful := _lawful(state, name, move)) is not None:
        return replace(lawful, reasons=tuple(reasons))
    return Driven(cells, corners, facing, snap, (*reasons, *against), into)


def _lawful(state: GameState, name: str, move: Move) -> Driven | None:
    """The likeliest place by the book where a vehicle may rest.

    What is against one of the places does not settle that it rests there.
    """
    others = (judged(state, name, move, spot.key) for spot in places(state.board, move.after))
    return next((other for other in others if not other.reasons), None)


def _beside(state: GameState, name: str, move: Move, driven: Driven) -> Driven:
    """A vehicle that more probably stands beside the board: asked where it may stand by the book, too."""
    off = Reason(f"{name} stands beside the board; put it on a point", MOVEMENT)
    lawful = None if driven.snap.where == "off" else _lawful(state, name, move)
    if lawful is None:
        return replace(driven, reasons=(off,))
    words = f"{name} stands {place_words(state.board, driven.snap)}: say which, or put it right"
    return replace(lawful, reasons=(Reason(words, SEEN, open=True),))


def _by_the_book(
    state: GameState, vehicle: Vehicle, cells: tuple[Cell, ...], ways: tuple[int, ...], facing: int
) -> tuple[list[Reason], tuple[int, ...], str]:
    """What is against a way, its corners for every point of the Speed, and what it runs into next."""
    against, count = [], abs(vehicle.speed)
    back = SIDES // 2 if vehicle.speed < 0 else 0
    faced = tuple((w + back) % SIDES for w in ways)
    if ways and ways[0] != heading(vehicle):
        against.append(Reason("the first point must be straight on", MOVEMENT))
    for k, way in enumerate(ways):
        found = ahead(state, vehicle, cells[k], way)
        if found is not None:
            words = (
                f"{found.name} is in the way after {k} point{'s' * (k != 1)}: {vehicle.name} stops before it"
            )
            return [*against, Reason(words, MOVEMENT)], (), found.name
    corners = corners_of(faced, facing) if ways else ()
    if not ways and facing != vehicle.facing:
        against.append(Reason("it turns before its first point, which must be straight on", MOVEMENT))
    sharpest = vehicle.layout.sharpest
    if any(abs(c) > sharpest for c in corners):
        words = f"a corner is sharper than {45 * sharpest}°"
        against.append(Reason(words, MOVEMENT))
    after = replace(vehicle, facing=facing)
    met = ahead(state, after, cells[-1], heading(after)) if len(ways) < count else None
    into = "" if met is None else met.name
    if len(ways) > count or (len(ways) < count and met is None):
        words = f"{vehicle.name} went {len(ways)} points; its Speed is {count}"
        against.append(Reason(words, MOVEMENT))
    return against, (*corners, *[0] * (count - len(ways))), into


def as_seen(state: GameState, action: Action, seen: Seen) -> tuple[Action, list[Reason]]:
    """An action with what the table says of it, and what the book has against it."""
    if action.kind == "build":
        action, open_ = _lying(state, action, seen)
        if open_:
            return action, open_
        words = against_building(state, board_now(state, seen.board), action.data)
        return action, [Reason(words, BOOK)] if words else []
    if action.kind == "move":
        return _move(state, action, seen)
    if action.kind == "walk":
        return _walk(state, action, seen)
    return action, []


def _lying(state: GameState, action: Action, seen: Seen) -> tuple[Action, list[Reason]]:
    """Terrain as a piece of the table lies, as if its columns and rows had been typed."""
    name, board = action.data.get("piece"), board_now(state, seen.board)
    if name is None:
        return action, []
    standing = next((s for s in terrain_seen(state, seen, board) if key_of(s.name) == key_of(name)), None)
    if standing is None:
        raise TableRefError(f"no terrain called {name!r} rests on the table that is not placed yet")
    lie = lie_of(board, standing)
    said = action.data.get("lies")
    cell = (lie.spots[0] if said is None else said_of(board, lie.spots, said)).cell
    if lie.askew >= ASKEW or cell is None:
        words = "askew: lay its edges along the rows" if cell is not None else "beyond the board's edge"
        return action, [Reason(f"{name} lies {words}", SEEN)]
    kept = {k: v for k, v in action.data.items() if k != "lies"}
    here = {"column": cell[0] + 1, "row": cell[1] + 1, "columns": lie.size[0], "rows": lie.size[1]}
    found = []
    if not lie.sure and said is None:
        words = f"the lowest point of {name} is {spot_words(board, lie.spots)}: say which, or put it right"
        found.append(Reason(words, SEEN, open=True))
    return replace(action, data={**kept, **here}), found


def _walk(state: GameState, action: Action, seen: Seen) -> tuple[Action, list[Reason]]:
    """The point as typed, else where the figure was seen to rest, else where the driver is."""
    assert state.turn is not None
    person = state.person(state.turn.person)
    said = {name: value for name, value in action.data.items() if name not in ("move", "ends")}
    piece = piece_for(state, person.name)
    moves = [m for m in named(action, seen) if key_of(m.piece) == key_of(piece or "")]
    if action.data.get("move") is not None and not moves:
        raise TableRefError(f"no move of the {person.name} called {action.data['move']!r} was seen")
    if said.get("point") is not None or not moves:
        return replace(action, data=said), []
    way = walked(state, person.name, moves[0], action.data.get("ends"))
    point = {} if way.cell is None else {"point": state.board.cells.index(way.cell)}
    return replace(action, data={**said, **point}), list(way.reasons)


def _move(state: GameState, action: Action, seen: Seen) -> tuple[Action, list[Reason]]:
    """The corners as typed, else as seen, else none."""
    assert state.turn is not None
    vehicle = state.driven(state.person(state.turn.person))
    assert vehicle is not None
    said = {name: value for name, value in action.data.items() if name not in ("move", "ends")}
    moves = [m for m in named(action, seen) if key_of(m.piece) == key_of(vehicle.name)]
    if action.data.get("move") is not None and not moves:
        raise TableRefError(f"no move of {vehicle.name} called {action.data['move']!r} was seen")
    if said.get("corners") is not None or not moves:
        corners = said.get("corners") or [0] * abs(vehicle.speed)
        return replace(action, data={**said, "corners": list(corners)}), []
    driven = judged(state, vehicle.name, moves[0], action.data.get("ends"))
    return replace(action, data={**said, "corners": list(driven.corners)}), list(driven.reasons)
