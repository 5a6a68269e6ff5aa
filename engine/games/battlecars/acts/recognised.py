"""What a move that the camera saw was by the book, as the action that it stands for; what is open."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from engine.boards.board import Cell, Snap, place_words
from engine.boards.spots import places, said_of, spot_words, spots_of, sure
from engine.boards.trail import Trail, gap_words
from engine.errors import TableRefError
from engine.game.about import SEEN
from engine.game.contract import Seen, move_named
from engine.game.events import Action, FactField, Reason
from engine.games.battlecars.acts.beginning import KEPT_FREE, NEAR_START, against_building, board_now
from engine.games.battlecars.acts.moving import halt_of
from engine.games.battlecars.acts.on_foot import elsewhere, walked
from engine.games.battlecars.book.data import BOOK, SIDES
from engine.games.battlecars.rules.moves import MOVEMENT, ahead, heading
from engine.games.battlecars.rules.pieces import (
    corners_of,
    directions,
    filled,
    lie_of,
    piece_for,
    steps_between,
    terrain_seen,
    trail_of,
)
from engine.games.battlecars.rules.ways import Way, Ways, steps_words, ways_over
from engine.games.battlecars.state.game_state import GameState, Vehicle
from engine.motion.moves import Move
from engine.ruling import many
from engine.space.table import key_of

ASKEW = 0.5
"""Terrain that more probably lies across the rows than along them is to be turned (house default)."""


@dataclass(frozen=True, slots=True)
class Driven:
    """A move as points: those that it went over, the corner after each, where it rests, what is against it.

    `into` is what it would run into with its next point. `unseen` says between which points it was not seen,
    where that leaves points out; `ways` are those that fit then, where it is more than one.
    """

    cells: tuple[Cell, ...]
    corners: tuple[int, ...]
    facing: int
    snap: Snap
    reasons: tuple[Reason, ...]
    into: str = ""
    unseen: str = ""
    ways: tuple[Way, ...] = ()


@lru_cache(maxsize=32)
def judged(
    state: GameState, name: str, move: Move, ends: str | None = None, way: str | None = None
) -> Driven:
    """A vehicle's move by the book.

    `ends` says on which point and facing it rests, `way` over which points it went, where that was open.
    """
    vehicle, board = state.vehicle(name), state.board
    assert vehicle.cell is not None
    if way is not None:
        return _said(state, name, move, way)
    snap = board.snap(move.after)
    trail = trail_of(board, move, vehicle.cell)
    if ends is None and (snap.cell is None or snap.facing is None):
        return _beside(state, name, move, Driven(trail.cells, (), vehicle.facing, snap, ()))
    if ends is not None:
        spot = said_of(board, places(snap), ends)
        cell, facing = spot.cell, spot.facing
    else:
        cell, facing = snap.cell, snap.facing
    assert cell is not None
    assert facing is not None
    # A reading on the way is no rest: the last one goes where it is said, or seen, to rest.
    driven = _ending(state, vehicle, trail.ending(cell), facing, snap)
    if ends is not None or snap.where == "cell":
        return driven
    words = f"{name} stands {place_words(board, snap)}: say which, or put it right"
    between = Reason(words, SEEN, open=True, fact=True)
    if _against(driven) and (lawful := _lawful(state, name, move)) is not None:
        driven = lawful
    return replace(driven, reasons=(between, *driven.reasons))


def _against(driven: Driven) -> bool:
    """Whether something is against a move that nobody may settle."""
    return any(not reason.open for reason in driven.reasons)


def _ending(state: GameState, vehicle: Vehicle, trail: Trail, facing: int, snap: Snap) -> Driven:
    """A move over what was seen, to where it rests."""
    cells, gaps = filled(state.board, trail.cells), trail.gaps(steps_between)
    ways = directions(cells)
    direct = Driven(cells, (), facing, snap, ())
    if ways is not None:
        against, corners, into = _by_the_book(state, vehicle, cells, ways, facing)
        direct = Driven(cells, corners, facing, snap, tuple(against), into)
    if not gaps:
        return direct
    return _hidden(state, vehicle, direct, ways_over(state, vehicle, trail, facing), gaps)


def _hidden(
    state: GameState, vehicle: Vehicle, direct: Driven, ways: Ways, gaps: tuple[tuple[Cell, Cell], ...]
) -> Driven:
    """A move of which a part was not seen: the one way that fits, else all that do, to be asked."""
    board, where = state.board, gap_words(state.board, gaps)
    if not ways.found:
        left = state.to_go(vehicle)
        speed = many(left, "point")
        words = (
            f"{vehicle.name} was not seen {where}, and no way of {speed} by the book leads there: push it "
            "again from point to point, or type its corners"
        )
        return replace(direct, reasons=(*direct.reasons, Reason(words, SEEN)), unseen=where)
    first = ways.found[0]
    driven = replace(
        direct, cells=first.cells, corners=first.corners, into=first.into, reasons=(), unseen=where
    )
    if len(ways.found) == 1 and not ways.more:
        # From one point to the next in the only way there is nothing was left out.
        return replace(driven, unseen="") if driven.cells == direct.cells and _near(gaps) else driven
    count = f"more than {len(ways.found)}" if ways.more else str(len(ways.found))
    rest = "; of others type the corners" if ways.more else ""
    names = ", ".join(board.name_of(cell) for cell in first.cells[1:])
    words = (
        f"{vehicle.name} was not seen {where}, and {count} ways by the book lead there: say which it "
        f"went{rest}, or accept the straightest, over {names}"
    )
    return replace(driven, reasons=(Reason(words, SEEN, open=True, fact=True),), ways=ways.found)


def _near(gaps: tuple[tuple[Cell, Cell], ...]) -> bool:
    return all(steps_between(one, other) == 1 for one, other in gaps)


@lru_cache(maxsize=32)
def open_ways(state: GameState, name: str, move: Move) -> tuple[Way, ...]:
    """The ways that may be said of a move of which a part was not seen; none where nothing of it is open.

    Where it is open on which point it rests, too, those to every place on which it may.
    """
    spots = places(state.board.snap(move.after))
    if sure(spots):
        return judged(state, name, move).ways
    ends = [judged(state, name, move, spot.key) for spot in spots]
    if not any(one.ways for one in ends):
        return ()
    return tuple(way for one in ends for way in one.ways or _alone(one))


def _alone(driven: Driven) -> tuple[Way, ...]:
    """The one way of a move that is by the book."""
    return () if driven.reasons else (Way(driven.cells, driven.corners, driven.facing, driven.into),)


def _said(state: GameState, name: str, move: Move, key: str) -> Driven:
    """The move over the way that somebody said. Raises `TableRefError` for one that does not fit."""
    known = open_ways(state, name, move)
    way = next((one for one in known if one.key == key), None)
    if way is None:
        keys = ", ".join(one.key for one in known) or "none: it was seen, or nothing fits"
        raise TableRefError(f"way: {key!r} is no way of {name} that fits what was seen; expected {keys}")
    trail = trail_of(state.board, move, way.cells[0]).ending(way.cells[-1])
    where = gap_words(state.board, trail.gaps(steps_between))
    return Driven(way.cells, way.corners, way.facing, state.board.snap(move.after), (), way.into, where)


def _lawful(state: GameState, name: str, move: Move) -> Driven | None:
    """The likeliest place by the book where a vehicle may rest.

    What is against one of the places does not settle that it rests there.
    """
    others = (judged(state, name, move, spot.key) for spot in places(state.board.snap(move.after)))
    return next((other for other in others if not _against(other)), None)


def _beside(state: GameState, name: str, move: Move, driven: Driven) -> Driven:
    """A vehicle that more probably stands beside the board: asked where it may stand by the book, too."""
    off = Reason(f"{name} stands beside the board; put it on a point", MOVEMENT)
    lawful = None if driven.snap.where == "off" else _lawful(state, name, move)
    if lawful is None:
        return replace(driven, reasons=(off,))
    words = f"{name} stands {place_words(state.board, driven.snap)}: say which, or put it right"
    return replace(lawful, reasons=(Reason(words, SEEN, open=True, fact=True), *lawful.reasons))


def _by_the_book(
    state: GameState, vehicle: Vehicle, cells: tuple[Cell, ...], ways: tuple[int, ...], facing: int
) -> tuple[list[Reason], tuple[int, ...], str]:
    """What is against a way, its corners for every point of the Speed, and what it runs into next."""
    against, count = [], state.to_go(vehicle)
    back = SIDES // 2 if vehicle.speed < 0 else 0
    faced = tuple((w + back) % SIDES for w in ways)
    if ways and ways[0] != heading(vehicle):
        against.append(Reason("the first point must be straight on", MOVEMENT))
    for k, way in enumerate(ways):
        found = ahead(state, vehicle, cells[k], way)
        if found is not None:
            words = f"{found.name} is in the way after {many(k, 'point')}: {vehicle.name} stops before it"
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
        told = "its Speed is" if count == abs(vehicle.speed) else "it has to go"
        words = f"{vehicle.name} went {many(len(ways), 'point')}; {told} {count}"
        against.append(Reason(words, MOVEMENT))
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
        found.append(Reason(words, SEEN, open=True, fact=True))
    return replace(action, data={**kept, **here}), found


def _walk(state: GameState, action: Action, seen: Seen) -> tuple[Action, list[Reason]]:
    """The point as typed, else where the figure was seen to rest, else where the driver is.

    `unseen` is what was not seen of its way and is taken to have been straight, in words.
    """
    assert state.turn is not None
    person = state.person(state.turn.person)
    said = {name: value for name, value in action.data.items() if name not in ("move", "ends")}
    piece = piece_for(state, person.name)
    move = None if action.data.get("move") is None else move_named(action, seen, piece or person.name)
    if isinstance(move, Reason):
        return action, [move]
    if said.get("point") is not None:
        return replace(action, data=said), []
    if move is None:
        return replace(action, data=said), [*elsewhere(state, person, piece, seen)]
    way = walked(state, person.name, move, action.data.get("ends"))
    point = {} if way.cell is None else {"point": state.board.cells.index(way.cell)}
    unseen = {"unseen": way.unseen} if way.unseen and not way.reasons else {}
    return replace(action, data={**said, **point, **unseen}), list(way.reasons)


def _move(state: GameState, action: Action, seen: Seen) -> tuple[Action, list[Reason]]:
    """The corners as typed, else as seen, else none; `unseen` is what was not seen of the way, in words."""
    assert state.turn is not None
    vehicle = state.driven(state.person(state.turn.person))
    assert vehicle is not None
    said = {name: value for name, value in action.data.items() if name not in ("move", "ends", "way")}
    move = None if action.data.get("move") is None else move_named(action, seen, vehicle.name)
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
    driven = judged(state, vehicle.name, move, action.data.get("ends") if way is None else None, way)
    unseen = {} if not driven.unseen else {"unseen": _told(state, driven, said=way is not None)}
    return replace(action, data={**said, "corners": _to_the_end(driven.corners, whole), **unseen}), list(
        driven.reasons
    )


def _to_the_end(corners: tuple[int, ...], count: int) -> list[int]:
    return [*corners, *[0] * (count - len(corners))] if corners else []


def _told(state: GameState, driven: Driven, *, said: bool) -> str:
    """What was not seen of a way, and how it is known nevertheless, for the log."""
    over = ", ".join(steps_words(state, driven.cells))
    how = "as was said" if said else "as was accepted" if driven.reasons else "the only way by the book"
    return f"not seen {driven.unseen}: {over}, {how}"


FACTS = {
    "move": (
        FactField("corners", "its corners", beside="move"),
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
    move = None if action.data.get("move") is None else move_named(action, seen, None)
    if isinstance(move, Move):
        on_foot = action.kind == "walk"
        spots = spots_of(state.board, move.after) if on_foot else places(state.board.snap(move.after))
        said |= {"ends": spots[0].key} if sure(spots) and spots[0].cell is not None else {}
    elif action.kind == "build" and action.data.get("piece") is not None:
        standing = next(s for s in terrain_seen(state, seen, board_now(state, seen.board))
                        if key_of(s.name) == key_of(str(action.data["piece"])))  # fmt: skip
        said["lies"] = lie_of(board_now(state, seen.board), standing).spots[0].key
    return said
