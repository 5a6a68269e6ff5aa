"""Which vehicle may be moved, what its player's screen shows, where vehicles have to stand, what is drawn."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from engine.boards.board import Cell
from engine.boards.spots import spot_words, spots_of, sure
from engine.game.contract import Seen
from engine.game.kit.cell_moves import CellMoves, Driven, rested, verdict_on
from engine.game.kit.cells import ghosts_on, left_words, progress, rests_on
from engine.game.showing import Awaited, Ghost, Guide, Mark, Progress, Role
from engine.game.showing import Points as Places
from engine.games.battlecars.acts.firing import walked, walked_so_far
from engine.games.battlecars.acts.moving import may_turn, within_walk
from engine.games.battlecars.acts.recognised import judge
from engine.games.battlecars.book.data import WALK
from engine.games.battlecars.rules import moves
from engine.games.battlecars.rules.lines import Line, lines_of, lines_on_foot, whose, wreck_of
from engine.games.battlecars.rules.moves import Way
from engine.games.battlecars.rules.pieces import faces_seen, filled, gone_over, in_play, piece_for, trail_of
from engine.games.battlecars.state import GameState, StandIn, Terrain, Vehicle
from engine.motion.moves import Move
from engine.ruling import Verdict, many
from engine.space.geometry import Pose
from engine.space.table import Status, key_of

BESIDE = 0.36
"""Spacings from the middle of a vehicle's point to where a figure or counter stands beside it."""

BELOW = 0.45
"""Spacings from the middle of a counter to its name below it."""


def awaits(state: GameState) -> tuple[Awaited, ...]:
    """The vehicle that moves along the points now."""
    turn = state.turn
    if state.over or turn is None or turn.stage != "move" or state.reply is not None:
        return ()
    person = state.person(turn.person)
    vehicle = state.driven(person)
    if not person.dead and vehicle is None and (piece := piece_for(state, person.name)) is not None:
        return (Awaited(piece, "walk", turn.player, f"game turn {state.round}, {piece}", anywhere=True),)
    if person.dead or vehicle is None or not vehicle.speed or vehicle.stunned:
        return ()
    key = f"game turn {state.round}, {vehicle.name}"
    key += "" if turn.left is None else f", {turn.left} left"
    # Its first point is the one straight on: what bars that is run into where it stands.
    stays = (
        vehicle.cell is not None
        and moves.ahead(state, vehicle, vehicle.cell, moves.heading(vehicle)) is not None
    )
    return (Awaited(vehicle.name, "move", turn.player, key, stays=stays),)


def guide(state: GameState, awaited: Awaited, move: Move | None) -> Guide:
    """Before the hand moves how far it goes, on the way the points so far, at rest the verdict."""
    if awaited.kind == "walk":
        return _walking(state, awaited.piece, move)
    vehicle = state.vehicle(awaited.piece)
    count, how = state.to_go(vehicle), "backward" if vehicle.speed < 0 else "forward"
    safe = ", ".join(f"{45 * k}° at {vehicle.safe(k)}" for k in range(1, vehicle.layout.sharpest + 1))
    if move is None:
        words = f"The first point straight on. Safe corners: {safe}."
        return Guide(
            vehicle.name, "ready", f"{many(count, 'point')} {how}", words, marks=_reach(state, vehicle)
        )
    if move.after.status is not Status.STILL:
        return _moving(state, vehicle, move)
    return _rested(state, vehicle, move)


def _reach(state: GameState, vehicle: Vehicle) -> tuple[Mark, ...]:
    """The points on which it may come to rest by corners that are safe, before it is pushed."""
    return tuple(
        Mark("disc", "reach", _at(state, [cell]), radius=state.board.spacing / 6, piece=vehicle.name)
        for cell in moves.in_reach(state, vehicle)
    )


def _walking(state: GameState, piece: str, move: Move | None) -> Guide:
    """The points in reach of a driver's figure, and at rest the verdict."""
    assert state.turn is not None
    person = state.person(state.turn.person)
    reach = tuple(
        Mark("disc", "reach", _at(state, [cell]), radius=state.board.spacing / 6, piece=piece)
        for cell in within_walk(state, person)
    )
    if move is None:
        words = f"The {person.name} may stay."
        return Guide(piece, "ready", f"{many(WALK, 'point')} at most", words, marks=reach)
    if move.after.status is not Status.STILL:
        cells = walked_so_far(state, person.name, move)
        gone = gone_over(cells)
        return Guide(
            piece, "moving", left_words(WALK - gone, "point"), progress=_progress(state, gone, WALK),
            steps=_names(state, cells), marks=(*reach, *_way(state, piece, cells)),
        )  # fmt: skip
    way = walked(state, person.name, move)
    return rested(
        piece, way.reasons, "Not all of it was seen" if way.sure else "",
        progress=_progress(state, gone_over(way.cells), WALK), steps=_names(state, way.cells),
        facts=(f"It rests {spot_words(state.board, spots_of(state.board, move.after))}.",),
        marks=(*reach, *_way(state, piece, way.cells, verdict_on(way.reasons))),
    )  # fmt: skip


def _names(state: GameState, cells: Sequence[Cell]) -> tuple[str, ...]:
    """The points of a way after its first."""
    return tuple(state.board.name_of(cell) for cell in cells[1:])


def _moving(state: GameState, vehicle: Vehicle, move: Move) -> Guide:
    assert vehicle.cell is not None
    cells = filled(state.board, trail_of(state.board, move, vehicle.cell).cells)
    gone, count = gone_over(cells), state.to_go(vehicle)
    return Guide(
        vehicle.name, "moving", left_words(count - gone, "point"), progress=_progress(state, gone, count),
        steps=moves.steps_words(state, cells), marks=tuple(_way(state, vehicle.name, cells)),
    )  # fmt: skip


def _rested(state: GameState, vehicle: Vehicle, move: Move) -> Guide:
    one = judge(state, vehicle.name, move)
    halts = _halts(state, vehicle, move, one)
    return _judged(state, vehicle, one) if halts is None else halts


def _halts(state: GameState, vehicle: Vehicle, move: Move, one: CellMoves[Way]) -> Guide | None:
    """The verdict on a part of a way, where the players let a vehicle halt to fire and go on after that."""
    if not state.house.on_the_way or one.driven.verdict is not Verdict.NO or one.driven.way is None:
        return None
    assert state.turn is not None
    gone, count = gone_over(one.driven.way.cells), state.to_go(vehicle)
    up_to_here = replace(state, turn=replace(state.turn, left=gone))
    halted = judge(up_to_here, vehicle.name, move)
    if not 0 < gone < count or halted.driven.verdict is not Verdict.YES:
        return None
    return replace(
        _judged(up_to_here, vehicle, halted), headline="It may halt here to fire",
        words=f"It has {many(count - gone, 'point')} to go: push it on, or let it halt.",
        progress=_progress(state, gone, count), take="It halts here", said=(("halt", gone),),
    )  # fmt: skip


def _judged(state: GameState, vehicle: Vehicle, one: CellMoves[Way]) -> Guide:
    driven, way = one.driven, one.driven.way
    assert way is not None
    # Of several ways none is told as gone; all of them are drawn.
    cells = (way.cells[0], way.cells[-1]) if driven.ways else way.cells
    drawn = [each.cells for each in driven.ways or (way,)]
    return one.rested(
        progress=_progress(state, gone_over(cells), state.to_go(vehicle)),
        steps=() if driven.ways else moves.steps_words(state, cells),
        facts=tuple(_facts(state, vehicle, driven, rests_on(state.board, one.snap))),
        marks=tuple(mark for each in drawn for mark in _way(state, vehicle.name, each, driven.verdict)),
    )


def _facts(state: GameState, vehicle: Vehicle, driven: Driven[Way], place: str) -> Iterator[str]:
    """Where it rests, with the odds; what was not seen, corners too fast, what it goes over and runs into."""
    yield f"It rests {place}."
    if driven.reasons or driven.way is None:
        return
    if driven.unseen:
        yield f"It was not seen {driven.unseen}: by the book this is the only way there."
    for words in moves.skids(vehicle, driven.way.corners):
        yield f"It {words}."
    for words in moves.passes(state, vehicle, driven.way):
        yield f"It goes {words}."
    if driven.way.into:
        yield f"It runs into {driven.way.into}."


def _progress(state: GameState, gone: int, count: int) -> Progress:
    return progress(state.board.spacing, gone, count, "point")


# Where vehicles have to stand


def ghosts(state: GameState, seen: Seen) -> tuple[Ghost, ...]:
    """Each vehicle and what stands for something else on its point, but for one whose move is awaited.

    One that may turn on its point has none while it rests there, whichever way it was turned by hand.
    """
    if state.over or not any(v.here for v in state.vehicles):
        return ()
    turns = may_turn(state)
    turned = "" if turns is None or not faces_seen(state, turns, seen) else turns.name
    found = (*ghosts_on(state, awaits(state), seen, moves.MOVEMENT), *_stand_ins(state, seen))
    return tuple(ghost for ghost in found if ghost.right or ghost.piece != turned)


def _stand_ins(state: GameState, seen: Seen) -> Iterator[Ghost]:
    """Figures and counters on their points, and those of what is gone to be taken off the board."""
    away = {key_of(a.piece) for a in awaits(state)}
    there = {} if seen.table is None else {key_of(s.name): s for s in seen.table.standings}
    solid = {t.name for t in state.terrain}
    for one in state.pieces:
        here = there.get(key_of(one.piece))
        spots = () if here is None else spots_of(state.board, here)
        if not in_play(state, one):
            off = None if not spots else spots[0].cell != one.cell
            words = f"take {one.piece} off {state.board.name_of(one.cell)}: {one.what} is there no more"
            yield Ghost(one.piece, None, words, moves.MOVEMENT, off)
        elif one.what not in solid and key_of(one.piece) not in away:
            yield _beside(state, one, None if not spots else (sure(spots), spots[0].cell) == (True, one.cell))


def _beside(state: GameState, one: StandIn, right: bool | None) -> Ghost:
    """On its point, or beside the vehicle that stands there."""
    vehicle, board = state.at(one.cell), state.board
    pose = board.pose_of(one.cell, 0 if vehicle is None else vehicle.facing)
    if vehicle is not None:
        pose = pose.compose(Pose(0.0, BESIDE * board.spacing))
    words = f"put {one.piece} on {board.name_of(one.cell)}: it stands for {one.what}"
    return Ghost(one.piece, (pose.x, pose.y, pose.heading), words, moves.MOVEMENT, right, free=math.pi)


# Marks


def marks(state: GameState) -> tuple[Mark, ...]:
    """Terrain and counters on their points, and the lines of fire of whoever may fire."""
    if state.kept is None:
        return ()
    return (*(mark for t in state.terrain for mark in _terrain(state, t)), *_tokens(state), *_fire(state))


def _terrain(state: GameState, terrain: Terrain) -> tuple[Mark, Mark]:
    """What it covers, and its name with the damage markers on it."""
    (x, y), (w, h) = terrain.cell, terrain.size
    edge = [(x - 0.5, y - 0.5), (x + w - 0.5, y - 0.5), (x + w - 0.5, y + h - 0.5), (x - 0.5, y + h - 0.5)]
    words = terrain.name + (f" {terrain.markers}/{terrain.most}" if terrain.markers else "")
    middle = _at(state, [(x + (w - 1) / 2, y + (h - 1) / 2)])
    return Mark("polygon", "cell", _at(state, edge), words), Mark("label", "cell", middle, words)


def _tokens(state: GameState) -> Iterator[Mark]:
    """Counters, each with its name below it where no piece of the table that has one lies there."""
    named = {one.what for one in state.pieces}
    for token in state.tokens:
        (x, y), radius = token.cell, state.board.spacing / 4
        yield Mark("disc", "token", _at(state, [token.cell]), token.name, radius=radius)
        if token.name not in named:
            yield Mark("label", "cell", _at(state, [(float(x), y - BELOW)]), token.name)
    for person in state.walkers():
        if person.cell is not None:
            yield Mark(
                "disc", "current", _at(state, [person.cell]), person.name, radius=state.board.spacing / 6
            )


def _fire(state: GameState) -> Iterator[Mark]:
    """The lines of the driver who may fire now."""
    turn = state.turn
    if turn is None or turn.stage != "fire":
        return
    person = state.person(turn.person)
    vehicle = state.driven(person)
    start = state.place_of(person)
    if start is None or person.dead:
        return
    lines: tuple[Line, ...] = ()
    if vehicle is None:
        lines = lines_on_foot(state, person) if person.rounds else ()
        vehicle = wreck_of(state, person)
    if vehicle is not None and not vehicle.slid:
        for mount in vehicle.mounts:
            lines += lines_of(state, vehicle, mount.name) if mount.missiles else ()
    for line in {one.facing: one for one in lines}.values():
        yield from _line(state, start, line, turn.player)


def _line(state: GameState, start: Cell, line: Line, player: str) -> Iterator[Mark]:
    """A line to its nearest target or its end; a target of another player stands out."""
    target = line.nearest
    end = target.cell if target is not None else line.cells[-1] if line.cells else start
    if end == start:
        return
    role: Role = "sight" if target is not None and whose(state, target) not in (None, player) else "reach"
    yield Mark("line", role, _at(state, [start, end]))


def _way(
    state: GameState, piece: str, cells: tuple[Cell, ...], verdict: Verdict | None = None
) -> Iterator[Mark]:
    if len(cells) > 1:
        yield Mark("line", "path", _at(state, list(cells)), verdict=verdict, piece=piece)


def _at(state: GameState, points: list[tuple[float, float]] | list[Cell]) -> Places:
    pitch = state.board.spacing
    inches = [(x * pitch, y * pitch) for x, y in points]
    return tuple((round(float(x), 3), round(float(y), 3)) for x, y in state.board.frame.to_table(inches))
