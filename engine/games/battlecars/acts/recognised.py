"""What a move that the camera saw was by the book, as the action that it stands for; what is open."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from engine.boards.board import Cell
from engine.boards.spots import Spot, places, said_of, spot_names, spot_words, spots_of, sure
from engine.boards.trail import Trail, gap_words
from engine.errors import TableRefError
from engine.game.about import SEEN
from engine.game.contract import Seen, move_named
from engine.game.events import Action, FactField, Reason
from engine.game.kit.cell_moves import CellMoves, Driven
from engine.games.battlecars.acts.beginning import KEPT_FREE, NEAR_START, against_building, board_now
from engine.games.battlecars.acts.firing import elsewhere, walked
from engine.games.battlecars.acts.moving import halt_of, may_turn
from engine.games.battlecars.book.data import BOOK, SIDES
from engine.games.battlecars.rules import moves, pieces
from engine.games.battlecars.rules.moves import Way, Ways
from engine.games.battlecars.state import GameState, Vehicle
from engine.motion.moves import Move
from engine.ruling import many
from engine.space.table import key_of

ASKEW = 0.5
"""Terrain that more probably lies across the rows than along them is to be turned (house default)."""


@lru_cache(maxsize=32)
def judge(state: GameState, name: str, move: Move) -> CellMoves[Way]:
    """Judges a vehicle's move."""
    vehicle, board = state.vehicle(name), state.board
    assert vehicle.cell is not None
    trail = pieces.trail_of(board, move, vehicle.cell)
    off = Reason(f"{name} stands beside the board; put it on a point", moves.MOVEMENT)
    return CellMoves(
        board, name, move,
        # A reading on the way is no rest: the last one goes where it is said, or seen, to rest.
        ending=lambda spot: _ending(state, vehicle, trail, spot),
        off=Driven(Way(trail.cells, (), vehicle.facing), (off,)),
        unseen=lambda way: gap_words(board, trail.ending(way.cells[-1]).gaps(pieces.steps_between)),
    )  # fmt: skip


def _ending(state: GameState, vehicle: Vehicle, trail: Trail, spot: Spot) -> Driven[Way]:
    """A move over what was seen, to where it rests."""
    assert spot.cell is not None
    assert spot.facing is not None
    trail = trail.ending(spot.cell)
    cells, gaps = pieces.filled(state.board, trail.cells), trail.gaps(pieces.steps_between)
    direct = _over(state, vehicle, cells, spot.facing)
    if not gaps:
        # A hand that pushed too far and came back has gone as far as it rests, where that is by the book.
        pulled = _over(state, vehicle, pieces.taken_back(cells), spot.facing) if direct.reasons else direct
        return direct if pulled.reasons else pulled
    return _hidden(state, vehicle, direct, moves.ways_over(state, vehicle, trail, spot.facing), gaps)


def _over(state: GameState, vehicle: Vehicle, cells: tuple[Cell, ...], facing: int) -> Driven[Way]:
    """A move over these points, each of them seen."""
    ways = pieces.directions(cells)
    if ways is None:
        return Driven(Way(cells, (), facing))
    against, corners, into = _by_the_book(state, vehicle, cells, ways, facing)
    return Driven(Way(cells, corners, facing, into), tuple(against))


def _hidden(
    state: GameState, vehicle: Vehicle, direct: Driven[Way], ways: Ways, gaps: tuple[tuple[Cell, Cell], ...]
) -> Driven[Way]:
    """A move of which a part was not seen: the one way that fits, else all that do, to be asked."""
    board, where = state.board, gap_words(state.board, gaps)
    if not ways.found:
        speed = many(state.to_go(vehicle), "point")
        words = (
            f"{vehicle.name} was not seen {where}, and no way of {speed} by the book leads there: push it "
            "again from point to point, or type its corners"
        )
        return replace(direct, reasons=(*direct.reasons, Reason(words, SEEN)), unseen=where)
    first = ways.found[0]
    if len(ways.found) == 1 and not ways.more:
        # From one point to the next in the only way there is nothing was left out.
        near = all(pieces.steps_between(one, other) == 1 for one, other in gaps)
        near = near and direct.way is not None and first.cells == direct.way.cells
        return Driven(first) if near else Driven(first, unseen=where, how="the only way by the book")
    count = f"more than {len(ways.found)}" if ways.more else str(len(ways.found))
    rest = "; of others type the corners" if ways.more else ""
    names = ", ".join(board.name_of(cell) for cell in first.cells[1:])
    words = (
        f"{vehicle.name} was not seen {where}, and {count} ways by the book lead there: say which it "
        f"went{rest}, or accept the straightest, over {names}"
    )
    open_ = Reason(words, SEEN, open=True, fact=True, says=f"{vehicle.name} went over {names}")
    return Driven(first, (open_,), where, "as was accepted", ways.found)


def _by_the_book(
    state: GameState, vehicle: Vehicle, cells: tuple[Cell, ...], ways: tuple[int, ...], facing: int
) -> tuple[list[Reason], tuple[int, ...], str]:
    """What is against a way, its corners for every point of the Speed, and what it runs into next."""
    against, count = [], state.to_go(vehicle)
    back = SIDES // 2 if vehicle.speed < 0 else 0
    faced = tuple((w + back) % SIDES for w in ways)
    if ways and ways[0] != moves.heading(vehicle):
        against.append(Reason("the first point must be straight on", moves.MOVEMENT))
    for k, way in enumerate(ways):
        found = moves.ahead(state, vehicle, cells[k], way)
        if found is not None:
            words = f"{found.name} is in the way after {many(k, 'point')}: {vehicle.name} stops before it"
            return [*against, Reason(words, moves.MOVEMENT)], (), found.name
    corners = pieces.corners_of(faced, facing) if ways else ()
    if not ways and facing != vehicle.facing:
        against.append(Reason("it turns before its first point, which must be straight on", moves.MOVEMENT))
    sharpest = vehicle.layout.sharpest
    if any(abs(c) > sharpest for c in corners):
        words = f"a corner is sharper than {45 * sharpest}°"
        against.append(Reason(words, moves.MOVEMENT))
    after = replace(vehicle, facing=facing)
    met = moves.ahead(state, after, cells[-1], moves.heading(after)) if len(ways) < count else None
    into = "" if met is None else met.name
    if len(ways) > count or (len(ways) < count and met is None):
        told = "its Speed is" if count == abs(vehicle.speed) else "it has to go"
        words = f"{vehicle.name} went {many(len(ways), 'point')}; {told} {count}"
        against.append(Reason(words, moves.MOVEMENT))
    return against, (*corners, *[0] * (count - len(ways))), into


def as_seen(state: GameState, action: Action, seen: Seen) -> tuple[Action, list[Reason]]:
    """An action with what the table says of it, and what the book has against it."""
    if action.kind == "build":
        action, open_ = _lying(state, action, seen)
        if open_:
            return action, open_
        words = against_building(state, board_now(state, seen.board), action.data)
        return action, [Reason(words, BOOK if words != NEAR_START else KEPT_FREE)] if words else []
    if action.kind == "move":
        return _move(state, action, seen)
    if action.kind == "walk":
        return _walk(state, action, seen)
    if action.kind == "pivot":
        return _pivot(state, action, seen), []
    return action, []


def _pivot(state: GameState, action: Action, seen: Seen) -> Action:
    """The facing as said, else as the vehicle was turned by hand on its point."""
    vehicle = may_turn(state)
    spots = () if vehicle is None or "facing" in action.data else pieces.faces_seen(state, vehicle, seen)
    return replace(action, data={**action.data, "facing": spots[0].facing}) if len(spots) == 1 else action


def _lying(state: GameState, action: Action, seen: Seen) -> tuple[Action, list[Reason]]:
    """Terrain as a piece of the table lies, as if its columns and rows had been typed.

    It is what it looks like, where nothing else is said.
    """
    name, board = action.data.get("piece"), board_now(state, seen.board)
    if name is None:
        return action, []
    standing = next(
        (s for s in pieces.terrain_seen(state, seen, board) if key_of(s.name) == key_of(name)), None
    )
    if standing is None:
        raise TableRefError(f"no terrain called {name!r} rests on the table that is not placed yet")
    lie = pieces.lie_of(board, standing)
    said = action.data.get("lies")
    cell = (lie.spots[0] if said is None else said_of(board, lie.spots, said)).cell
    if lie.askew >= ASKEW or cell is None:
        words = "askew: lay its edges along the rows" if cell is not None else "beyond the board's edge"
        return action, [Reason(f"{name} lies {words}", SEEN)]
    kept = {k: v for k, v in action.data.items() if k != "lies"}
    looks = {"kind": pieces.usual_kind(standing)}
    here = {"column": cell[0] + 1, "row": cell[1] + 1, "columns": lie.size[0], "rows": lie.size[1]}
    found = []
    if not lie.sure and said is None:
        lies = f"the lowest point of {name} is {spot_words(board, lie.spots)}"
        words = f"{lies}: say which, or put it right"
        says = f"the lowest point of {name} is {spot_names(board, lie.spots)}"
        found.append(Reason(words, SEEN, open=True, fact=True, says=says))
    return replace(action, data={**looks, **kept, **here}), found


def _walk(state: GameState, action: Action, seen: Seen) -> tuple[Action, list[Reason]]:
    """The point as typed, else where the figure was seen to rest, else where the driver is.

    `unseen` is what was not seen of its way and is taken to have been straight, in words.
    """
    assert state.turn is not None
    person = state.person(state.turn.person)
    said = {name: value for name, value in action.data.items() if name not in ("move", "ends")}
    piece = pieces.piece_for(state, person.name)
    move = move_named(action, seen, piece or person.name)
    if isinstance(move, Reason):
        return action, [move]
    point = said.get("point")
    if move is None and (point is None or state.board.cells[int(point)] == person.cell):
        return replace(action, data=said), [*elsewhere(state, person, piece, seen)]
    if point is not None:
        return replace(action, data=said), []
    way = walked(state, person.name, move, action.data.get("ends"))
    over = {} if way.cell is None else {"point": state.board.cells.index(way.cell)}
    unseen = {"unseen": way.unseen} if way.unseen and not way.reasons else {}
    return replace(action, data={**said, **over, **unseen}), list(way.reasons)


def _move(state: GameState, action: Action, seen: Seen) -> tuple[Action, list[Reason]]:
    """The corners as typed, else as seen, else none; `unseen` is what was not seen of the way, in words."""
    assert state.turn is not None
    vehicle = state.driven(state.person(state.turn.person))
    assert vehicle is not None
    said = {name: value for name, value in action.data.items() if name not in ("move", "ends", "way")}
    move = move_named(action, seen, vehicle.name)
    if isinstance(move, Reason):
        return action, [move]
    whole = state.to_go(vehicle)
    if (halt := halt_of(state, action)) is not None:
        # It is held against the points up to where it halts.
        state = replace(state, turn=replace(state.turn, left=min(halt, whole)))
    if said.get("corners") is not None or move is None:
        corners = said.get("corners") or [0] * whole
        return replace(action, data={**said, "corners": list(corners)}), []
    way = action.data.get("way")
    driven = judge(state, vehicle.name, move).said(way=way, ends=action.data.get("ends"))
    assert driven.way is not None
    driven_corners = driven.way.corners
    corners = [*driven_corners, *[0] * (whole - len(driven_corners))] if driven_corners else []
    unseen = (
        {"unseen": driven.told(", ".join(moves.steps_words(state, driven.way.cells)))}
        if driven.unseen
        else {}
    )
    return replace(action, data={**said, "corners": corners, **unseen}), list(driven.reasons)


FACTS = {
    "move": (
        FactField("corners", "its corners", beside="move", called=moves.corners_words),
        FactField("ends", "it stands on", beside="move"),
        FactField("way", "it went over", beside="move"),
    ),
    "walk": (
        FactField("point", "it walked to", beside="move"),
        FactField("ends", "it stands on", beside="move"),
    ),
    "build": (FactField("lies", "its lowest point", beside="piece"),),
}
"""The fields of each kind of action that say how things stand or went."""


def table_says(state: GameState, action: Action, seen: Seen) -> dict[str, object]:
    """What was seen of a move or of a piece of terrain; nothing of what is open."""
    full, reasons = as_seen(state, action, seen)
    if any(reason.fact for reason in reasons):
        return {}
    said = dict(full.data)
    move = move_named(action, seen, None)
    if isinstance(move, Move):
        on_foot = action.kind == "walk"
        spots = spots_of(state.board, move.after) if on_foot else places(state.board.snap(move.after))
        said |= {"ends": spots[0].key} if sure(spots) and spots[0].cell is not None else {}
    elif action.kind == "build" and action.data.get("piece") is not None:
        standing = next(s for s in pieces.terrain_seen(state, seen, board_now(state, seen.board))
                        if key_of(s.name) == key_of(str(action.data["piece"])))  # fmt: skip
        said["lies"] = pieces.lie_of(board_now(state, seen.board), standing).spots[0].key
    return said
