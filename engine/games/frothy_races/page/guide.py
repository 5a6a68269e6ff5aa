"""Which vehicle may be moved, what its player's screen shows, where vehicles have to stand, what is drawn."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise

from engine.boards.board import Cell
from engine.boards.hexes import distance
from engine.boards.pictures import Obstacle as Drawn
from engine.boards.pictures import obstacle
from engine.game.contract import Seen
from engine.game.kit.cell_moves import CellMoves, Driven
from engine.game.kit.cells import ghosts_on, left_words, progress, rests_on
from engine.game.showing import Awaited, Ghost, Guide, Mark, Points
from engine.games.frothy_races.acts.moving import MOVEMENT
from engine.games.frothy_races.acts.recognised import judge, trail_of
from engine.games.frothy_races.book.data import many_dice
from engine.games.frothy_races.rules.control import dice_of, met
from engine.games.frothy_races.rules.moves import Gone, choice, hexes
from engine.games.frothy_races.state import GameState, Obstacle, Sort, Turn, Vehicle
from engine.motion.moves import Move
from engine.ruling import many
from engine.space.table import Status

DRAWN: Mapping[Sort, Drawn] = {"hazard": "loose", "fragile": "brittle", "solid": "solid"}
"""How each sort of obstacle is drawn."""


def moving(state: GameState) -> Turn | None:
    """The turn whose vehicle is to be moved now."""
    turn = state.turn
    if state.over or turn is None or state.agenda or state.attack is not None or turn.lost or not turn.left:
        return None
    return None if choice(state, state.vehicle(turn.vehicle), turn).reins else turn


def awaits(state: GameState) -> tuple[Awaited, ...]:
    """The vehicle that moves along the hexes now."""
    turn = moving(state)
    if turn is None:
        return ()
    v = state.vehicle(turn.vehicle)
    key = f"round {state.round}, phase {state.step}, {v.name}, {turn.left} left after {turn.moved}"
    stays = v.cell is not None and any(not way.cells for way in choice(state, v, turn).ways)
    return (Awaited(v.name, "move", v.owner, key, stays=stays),)


def guide(state: GameState, awaited: Awaited, move: Move | None) -> Guide:
    """Before the hand moves where it may go, on the way how far it is, at rest the verdict."""
    v, turn = state.vehicle(awaited.piece), state.turn
    if turn is None or v.cell is None:
        return Guide(v.name, "ready", v.name)
    if move is None:
        safe = (
            "A turn at the end is safe."
            if v.safe
            else f"A turn takes a Control roll with {many_dice(dice_of(v))}."
        )
        found = choice(state, v, turn)
        words = f"A collision cannot be avoided. {safe}" if found.forced else safe
        return Guide(v.name, "ready", many(turn.left, "space"), words, marks=tuple(_reach(state, v, turn)))
    gone = sum(distance(one, other) for one, other in pairwise(trail_of(state, v, move).settled().cells))
    done = progress(state.board.spacing, gone, turn.left, "space")
    if move.after.status is not Status.STILL:
        words = left_words(turn.left - gone, "space")
        return Guide(v.name, "moving", words, progress=done, marks=tuple(_reach(state, v, turn)))
    one = judge(state, move)
    return one.rested(
        progress=done,
        facts=tuple(_facts(state, one)),
        marks=(*_reach(state, v, turn), *_lines(state, v, one.driven)),
    )


def _facts(state: GameState, one: CellMoves[Gone]) -> Iterator[str]:
    """Where it rests, with the odds; what was not seen of its way, and how it is known."""
    yield f"It rests {rests_on(state.board, one.snap)}."
    driven = one.driven
    if not driven.reasons and driven.way is not None and driven.way.way.into:
        way = driven.way.way
        kind = met(state, way.steps[len(way.cells)], way.into)[1]
        yield f"It runs into {way.into}: {kind}. Damage rolls follow, and Control rolls of who is hurt."
    if not driven.reasons and driven.way is not None and driven.unseen:
        over = hexes(state, driven.way.way)
        yield f"Not all of it was seen {driven.unseen}: {over}, {driven.how}."


def _lines(state: GameState, v: Vehicle, driven: Driven[Gone]) -> Iterator[Mark]:
    """The way, and all of them where several fit."""
    if v.cell is None:
        return
    for one in driven.ways or (() if driven.way is None else (driven.way,)):
        poses = [state.board.pose_of(cell) for cell in (v.cell, *one.way.cells)]
        if len(poses) > 1:
            at = tuple((round(pose.x, 3), round(pose.y, 3)) for pose in poses)
            yield Mark("line", "path", at, verdict=driven.verdict, piece=v.name)


def _reach(state: GameState, v: Vehicle, turn: Turn) -> Iterator[Mark]:
    """The hexes on which its movement may end, and what it would run into."""
    ends: dict[Cell, str] = {}
    for way in choice(state, v, turn).ways:
        cell = way.cells[-1] if way.cells else v.cell
        if cell is not None:
            ends.setdefault(cell, f"into {way.into}" if way.into else "")
    for cell, words in ends.items():
        yield Mark("polygon", "reach", hexagon(state, cell), words, piece=v.name)


def hexagon(state: GameState, cell: Cell) -> Points:
    """The corners of a hex on the table."""
    pose = state.board.pose_of(cell)
    radius = state.board.spacing / math.sqrt(3)
    angles = [pose.heading + math.pi / 6 + k * math.pi / 3 for k in range(6)]
    return tuple(
        (round(pose.x + radius * math.cos(a), 3), round(pose.y + radius * math.sin(a), 3)) for a in angles
    )


# Where vehicles have to stand


def ghosts(state: GameState, seen: Seen) -> tuple[Ghost, ...]:
    """Each vehicle and wreck on its hex, but for one whose move is awaited."""
    return ghosts_on(state, awaits(state), seen, MOVEMENT)


# Marks


def marks(state: GameState) -> tuple[Mark, ...]:
    """Hazards and obstacles on their hexes, and where the vehicle whose turn it is may end."""
    if state.track is None:
        return ()
    found = [mark for one in state.obstacles for mark in _obstacle(state, one)]
    turn = moving(state)
    if turn is not None:
        found += _reach(state, state.vehicle(turn.vehicle), turn)
    return tuple(found)


def _obstacle(state: GameState, one: Obstacle) -> Iterator[Mark]:
    """As it is printed; what stands or lies on the hex is a token besides."""
    board = state.board
    at, sort = board.pose_of(one.cell), DRAWN[one.sort]
    shapes = [shape for shape in obstacle(board, one.cell, sort, "") if shape.shape != "label"]
    if one.sort != "hazard":
        centre = ((round(at.x, 3), round(at.y, 3)),)
        yield Mark("disc", "token", centre, one.name, radius=board.spacing / 4)
    for shape in shapes:
        points = tuple((round(x, 3), round(y, 3)) for x, y in shape.points)
        yield Mark("polygon" if len(points) > 2 and one.sort != "hazard" else "line", "cell", points)
