"""Which vehicle may be moved, what its player's screen shows, where vehicles have to stand, what is drawn."""

from __future__ import annotations

import math
from collections.abc import Iterator

from engine.boards.board import Cell, facing_words, place_words
from engine.game.contract import Seen
from engine.game.showing import Awaited, Ghost, Guide, Mark, Points, Progress, Role
from engine.games.frothy_races.acts.moving import MOVEMENT
from engine.games.frothy_races.effects.control import basic_dice
from engine.games.frothy_races.rules.ways import choice
from engine.games.frothy_races.state.game_state import GameState, Turn, Vehicle
from engine.games.frothy_races.table.recognised import cells_of, judged
from engine.motion.moves import Move
from engine.ruling import Verdict
from engine.space.table import Standing, Status, key_of


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
        safe = "A turn at the end is safe." if v.safe else f"A turn costs {basic_dice(v)} control dice."
        found = choice(state, v, turn)
        words = f"A collision cannot be avoided. {safe}" if found.forced else safe
        return Guide(v.name, "ready", _spaces(turn.left), words, marks=tuple(_reach(state, v, turn)))
    cells = cells_of(state.board, move, v.cell)
    gone = len(cells) - 1
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
    names = {Verdict.YES: "Legal", Verdict.NO: "Not legal", Verdict.TOO_CLOSE: "Between two places"}
    facts = (f"It rests {place_words(state.board, driven.snap)} ({driven.snap.probability:.1%}).",)
    return Guide(
        v.name, "rested", names[verdict], "; ".join(r.words for r in driven.reasons), verdict=verdict,
        progress=progress, facts=facts, marks=tuple(_reach(state, v, turn)),
        take="The move is done" if verdict is Verdict.YES else "",
    )  # fmt: skip


def _spaces(count: int) -> str:
    return f"{count} space{'s' * (count != 1)}"


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
    away = {key_of(a.piece) for a in awaits(state)}
    standing = {} if seen.table is None else {key_of(s.name): s for s in seen.table.standings}
    return tuple(
        _ghost(state, v, v.cell, standing.get(key_of(v.name)))
        for v in state.vehicles
        if v.here and v.cell is not None and key_of(v.name) not in away and not state.over
    )


def _ghost(state: GameState, v: Vehicle, cell: Cell, here: Standing | None) -> Ghost:
    board, right = state.board, None
    if here is not None:
        snap = board.snap(here)
        right = (snap.where, snap.cell, snap.facing) == ("cell", cell, v.facing)
    pose = board.pose_of(cell, v.facing)
    words = f"put {v.name} on {board.name_of(cell)} facing {facing_words(board, v.facing)}"
    return Ghost(v.name, (pose.x, pose.y, pose.heading), words, MOVEMENT, right)


# Marks


def marks(state: GameState) -> tuple[Mark, ...]:
    """Hazards and obstacles on their hexes, and where the vehicle whose turn it is may end."""
    if state.track is None:
        return ()
    found = []
    for one in state.obstacles:
        pose = state.board.pose_of(one.cell)
        role: Role = "token" if one.sort != "hazard" else "cell"
        at = ((round(pose.x, 3), round(pose.y, 3)),)
        found.append(Mark("disc", role, at, one.name, radius=state.board.spacing / 4))
    turn = moving(state)
    if turn is not None:
        found += _reach(state, state.vehicle(turn.vehicle), turn)
    return tuple(found)
