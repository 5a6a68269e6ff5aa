"""What a move that the camera saw was by the book, as the way that it stands for; what is open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.boards.board import Cell, Snap, place_words
from engine.boards.hexes import Hexes
from engine.errors import TableRefError
from engine.game.about import house
from engine.game.contract import Seen, named
from engine.game.events import Action, Reason
from engine.games.frothy_races.acts import attacking, checking, rerolling, swapping
from engine.games.frothy_races.acts.cards import picked
from engine.games.frothy_races.acts.moving import MOVEMENT, TURNS, mover, way_called
from engine.games.frothy_races.rules.places import Place, place_said, places
from engine.games.frothy_races.rules.ways import Way, choice, ways
from engine.games.frothy_races.state.game_state import GameState, Turn, Vehicle
from engine.motion.moves import Move
from engine.space.table import key_of

SEEN = house("What the camera saw counts")


@dataclass(frozen=True, slots=True)
class Driven:
    """A move as a way and a turn at its end; what is against it."""

    way: str
    turn: str
    snap: Snap
    reasons: tuple[Reason, ...]


def cells_of(board: Hexes, move: Move, start: Cell) -> tuple[Cell, ...]:
    """The hexes over which a piece was pushed, from where it stood."""
    poses = np.array([p.xy for p in (*move.poses, move.after.pose)])
    cells, there = board.cells_at((poses - board.frame.xy) @ board.frame.rotation)
    found = [start]
    for (q, r), on in zip(cells, there, strict=True):
        cell = (int(q), int(r))
        if on and cell != found[-1]:
            found.append(cell)
    return tuple(found)


def judged(state: GameState, v: Vehicle, turn: Turn, move: Move, ends: object = None) -> Driven:
    """A vehicle's move by the book. `ends` says on which hex and facing it rests, where that was open."""
    assert v.cell is not None
    snap = state.board.snap(move.after)
    if ends is not None:
        said = place_said(state.board, places(snap), ends)
        return _ending(state, v, turn, move, snap, said)
    if snap.cell is None or snap.facing is None or snap.where == "off":
        off = Reason(f"{v.name} stands beside the track; put it on a hex", MOVEMENT)
        return Driven("", "straight", snap, (off,))
    first, *others = places(snap)
    driven = _ending(state, v, turn, move, snap, first)
    if snap.where == "cell":
        return driven
    words = f"{v.name} stands {place_words(state.board, snap)}: say which, or put it right"
    # What is against one of the places where it may rest does not settle that it rests there.
    ends = (driven, *(_ending(state, v, turn, move, snap, other) for other in others))
    lawful = next((one for one in ends if not one.reasons), None)
    between = Reason(words, SEEN, open=lawful is not None)
    return replace(lawful or driven, reasons=(between, *(() if lawful else driven.reasons)))


def _ending(state: GameState, v: Vehicle, turn: Turn, move: Move, snap: Snap, place: Place) -> Driven:
    """A move that ends on a hex with a facing, by the book."""
    cell, facing = place.cell, place.facing
    ended = _ends(state, v, turn, cell)
    by = (facing - v.facing + 6) % 12 - 6
    known = {k: name for name, k in TURNS.items()}
    if not ended:
        words = f"no way of {turn.left} spaces leads {v.name} to {state.board.name_of(cell)}"
        return Driven("", "straight", snap, (Reason(words, MOVEMENT),))
    way = _likeliest(ended, cells_of(state.board, move, v.cell or cell))
    if by not in known or (by and (len(way.sides) < turn.left or way.into)):
        words = f"{v.name} is turned by {30 * by}°: at the end of its movement it may turn 30°"
        return Driven(way.sides, "straight", snap, (Reason(words, MOVEMENT),))
    return Driven(way.sides, known[by], snap, ())


def _ends(state: GameState, v: Vehicle, turn: Turn, cell: Cell) -> tuple[Way, ...]:
    """The ways that end on a hex: the whole movement, or the beginning of it."""
    found = choice(state, v, turn)
    if found.reins:
        return ()
    whole = [w for w in found.ways if (w.cells[-1] if w.cells else v.cell) == cell]
    if whole:
        return tuple(whole)
    parts = [w for n in range(1, turn.left) for w in ways(state, v, turn, n) if not w.into]
    allowed = [w for w in parts if any(full.sides.startswith(w.sides) for full in found.ways)]
    return tuple(w for w in allowed if w.cells[-1] == cell)


def _likeliest(found: Sequence[Way], seen: tuple[Cell, ...]) -> Way:
    """The way with the most hexes of those that were seen on the way."""
    return max(found, key=lambda w: len(set(w.cells) & set(seen)))


def as_seen(state: GameState, action: Action, seen: Seen) -> tuple[Action, list[Reason]]:
    """An action with what the table says of it, and what the book has against it."""
    data = action.data
    if action.kind == "check":
        return action, checking.against(state.vehicle(str(data["vehicle"])), data)
    if action.kind == "control":
        picked(state.vehicle(str(data["vehicle"])), data)
    if action.kind == "pace":
        _pace(state, action)
    if action.kind == "clash":
        _clash(state, action)
    if action.kind == "reroll":
        rerolling.picked_again(state.agenda[0], state.vehicle(str(data["vehicle"])), data)
    if action.kind == "adapt":
        swapping.swapped(state.vehicle(str(data["vehicle"])), data)
    if action.kind == "move":
        return _move(state, action, seen)
    return action, []


def _pace(state: GameState, action: Action) -> None:
    """The card has the side that the option is for."""
    v = mover(state)[0]
    face = str(action.data["face"])
    played = picked(v, action.data, (face,))
    if len(played.cards) != 1 or played.cards[0][1] != face:
        raise TableRefError(f"expected one card as {face}")


def _clash(state: GameState, action: Action) -> None:
    attack = state.attack
    assert attack is not None
    said = action.data.get("choices")
    choices = said if said is not None else {action.player: action.data}
    for v in attacking.chooses(state, attack):
        if v.owner in choices:
            faces = attacking.counts_as(v, attack.sort, begins=v.name == attack.attacker)
            picked(v, choices[v.owner], faces)


def _move(state: GameState, action: Action, seen: Seen) -> tuple[Action, list[Reason]]:
    """The way as typed, else as seen, else the usual one."""
    v, turn = mover(state)
    said = {name: value for name, value in action.data.items() if name not in ("move", "spaces", "ends")}
    moves = [m for m in named(action, seen) if key_of(m.piece) == key_of(v.name)]
    if action.data.get("move") is not None and not moves:
        raise TableRefError(f"no move of {v.name} called {action.data['move']!r} was seen")
    reasons: tuple[Reason, ...] = ()
    if said.get("way") is None and moves:
        driven = judged(state, v, turn, moves[0], action.data.get("ends"))
        reasons = driven.reasons
        if not driven.way:
            return action, list(reasons)
        said["way"] = driven.way
        if len(driven.way) == turn.left and driven.turn != "straight":
            said.setdefault("turn", driven.turn)
    elif said.get("way") is None:
        said["way"] = choice(state, v, turn).ways[0].sides
    spaces = action.data.get("spaces")
    if spaces is not None and not moves:
        said["way"] = str(said["way"])[: int(spaces)]
        said.pop("turn", None)
    way_called(state, v, turn, str(said["way"]))
    return replace(action, data=said), list(reasons)
