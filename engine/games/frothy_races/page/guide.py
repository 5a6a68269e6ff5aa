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
from engine.game.kit.cells import HEADLINES, ghosts_on, rests_on
from engine.game.showing import Awaited, Ghost, Guide, Mark, Points, Progress
from engine.games.frothy_races.acts.moving import MOVEMENT
from engine.games.frothy_races.acts.recognised import Driven, judged, trail_of
from engine.games.frothy_races.book.data import many_dice
from engine.games.frothy_races.rules.control import dice_of
from engine.games.frothy_races.rules.moves import choice
from engine.games.frothy_races.rules.ways import hexes
from engine.games.frothy_races.state.game_state import GameState, Obstacle, Sort, Turn, Vehicle
from engine.motion.moves import Move
from engine.ruling import Verdict, many
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
    return (Awaited(v.name, "move", v.owner, key),)


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
        return Guide(v.name, "ready", _spaces(turn.left), words, marks=tuple(_reach(state, v, turn)))
    gone = sum(distance(one, other) for one, other in pairwise(trail_of(state, v, move).settled().cells))
    pitch = state.board.spacing
    progress = Progress(gone * pitch, turn.left * pitch, f"{gone} of {_spaces(turn.left)}")
    if move.after.status is not Status.STILL:
        left = turn.left - gone
        words = f"{_spaces(left)} to go" if left >= 0 else f"{_spaces(-left)} too far"
        return Guide(v.name, "moving", words, progress=progress, marks=tuple(_reach(state, v, turn)))
    driven = judged(state, v, turn, move)
    verdict = Verdict.YES
    if driven.reasons:
        verdict = Verdict.TOO_CLOSE if all(r.open for r in driven.reasons) else Verdict.NO
    # Several ways where it surely rests: not where it is, but how it came there is open.
    headline = HEADLINES[verdict]
    if driven.ways and driven.snap.where == "cell":
        headline = "Not all of it was seen" if driven.unseen else f"{len(driven.ways)} ways fit"
    return Guide(
        v.name, "rested", headline,
        "; ".join(r.words for r in driven.reasons), verdict=verdict, progress=progress,
        facts=tuple(_facts(state, driven)),
        marks=(*_reach(state, v, turn), *_lines(state, v, driven, verdict)),
        take="The move is done" if verdict is Verdict.YES else "",
    )  # fmt: skip


def _facts(state: GameState, driven: Driven) -> Iterator[str]:
    """Where it rests, with the odds; what was not seen of its way, and how it is known."""
    yield f"It rests {rests_on(state.board, driven.snap)}."
    if not driven.reasons and driven.gone is not None and driven.unseen:
        way = hexes(state, driven.gone.way)
        yield f"Not all of it was seen {driven.unseen}: {way}, {driven.how}."


def _lines(state: GameState, v: Vehicle, driven: Driven, verdict: Verdict) -> Iterator[Mark]:
    """The way, and all of them where several fit."""
    if v.cell is None:
        return
    for one in driven.ways or (() if driven.gone is None else (driven.gone,)):
        poses = [state.board.pose_of(cell) for cell in (v.cell, *one.way.cells)]
        if len(poses) > 1:
            at = tuple((round(pose.x, 3), round(pose.y, 3)) for pose in poses)
            yield Mark("line", "path", at, verdict=verdict, piece=v.name)


def _spaces(count: int) -> str:
    return many(count, "space")


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


def on_board(state: GameState, seen: Seen) -> tuple[Ghost, ...]:
    """Each vehicle and wreck where the game has it, whether its move is awaited or not."""
    if state.over or not any(v.here for v in state.vehicles):
        return ()
    return ghosts_on(state.board, (v for v in state.vehicles if v.here), (), seen, MOVEMENT)


def ghosts(state: GameState, seen: Seen) -> tuple[Ghost, ...]:
    """Each vehicle and wreck on its hex, but for one whose move is awaited."""
    if state.over or not any(v.here for v in state.vehicles):
        return ()
    there = (v for v in state.vehicles if v.here)
    return ghosts_on(state.board, there, awaits(state), seen, MOVEMENT)


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
