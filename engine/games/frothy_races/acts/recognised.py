"""What a move that the camera saw was by the book, as the way that it stands for; what is open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from engine.boards.board import Cell
from engine.boards.hexes import distance
from engine.boards.spots import Spot, places
from engine.boards.trail import Trail, followed, gap_words
from engine.errors import TableRefError
from engine.game.about import SEEN
from engine.game.contract import Seen, move_named
from engine.game.events import Action, FactField, Reason
from engine.game.kit.cell_moves import CellMoves, Driven
from engine.games.frothy_races.acts import attacking, moving
from engine.games.frothy_races.acts.attacking import picked_again
from engine.games.frothy_races.acts.moving import MOVEMENT, TURNS, against, mover, picked, way_called
from engine.games.frothy_races.rules.moves import LISTED, Gone, Way, bends, choice, hexes, meaning, ways
from engine.games.frothy_races.state import GameState, Turn, Vehicle
from engine.motion.moves import Move
from engine.ruling import many


def trail_of(state: GameState, v: Vehicle, move: Move) -> Trail:
    """The hexes on which a vehicle was seen, from where it stood; readings between hexes are passed over."""
    assert v.cell is not None
    return followed(state.board, state.board.spacing, move, v.cell)


@lru_cache(maxsize=32)
def judge(state: GameState, move: Move) -> CellMoves[Gone]:
    """Judges a move of the vehicle whose turn it is."""
    v, turn = mover(state)
    trail = trail_of(state, v, move)
    off = Reason(f"{v.name} stands beside the track; put it on a hex", MOVEMENT)

    def unseen(gone: Gone) -> str:
        cells = gone.way.cells
        gone_over = (trail.ending(cells[-1]) if cells else trail).settled()
        return "" if gone_over.cells[1:] == cells else gap_words(state.board, gone_over.gaps(distance))

    return CellMoves(
        state.board, v.name, move,
        # A reading on the way is no rest: the last one goes where it is said, or seen, to rest.
        ending=lambda spot: _ending(state, v, turn, trail, spot),
        off=Driven(None, (off,)),
        unseen=unseen,
    )  # fmt: skip


def _ending(state: GameState, v: Vehicle, turn: Turn, trail: Trail, place: Spot) -> Driven[Gone]:
    """A move that ends on a hex with a facing, by the book."""
    cell, facing = place.cell, place.facing
    assert cell is not None
    assert facing is not None
    ended = _ends(state, v, turn, cell)
    by = (facing - v.facing + 6) % 12 - 6
    known = {k: name for name, k in TURNS.items()}
    if not ended:
        words = (
            f"no way of {many(turn.left, 'space')} leads {v.name} to "
            f"{state.board.name_of(cell)}: put it on a hex that is marked, or type its way"
        )
        return Driven(None, (Reason(words, MOVEMENT),))
    # Only the end of a whole movement allows a turn.
    turning = [w for w in ended if not by or (len(w.sides) == turn.left and not w.into)]
    if by not in known or not turning:
        words = f"{v.name} is turned by {30 * by}°: at the end of its movement it may turn 30°"
        return Driven(Gone(ended[0], "straight"), (Reason(words, MOVEMENT),))
    trail = trail.ending(cell).settled()
    fit = [w for w in turning if trail.fits(w.cells, distance)]
    return _fitting(state, v, turn, trail, [Gone(w, known[by]) for w in sorted(fit, key=bends)])


def _fitting(state: GameState, v: Vehicle, turn: Turn, trail: Trail, fit: Sequence[Gone]) -> Driven[Gone]:
    """A move over what was seen: the one way that fits, else the straightest of those that do."""
    board, start = state.board, trail.cells[0]
    if not fit:
        over = ", ".join(board.name_of(cell) for cell in trail.cells[1:])
        words = (
            f"{v.name} was seen on {over}, and no way of {many(turn.left, 'space')} leads over "
            "these and, where it was in view, over no others: push it again from hex to hex, or type its way"
        )
        return Driven(None, (Reason(words, SEEN),))
    first, count = fit[0], len(fit)
    # Where every hex of the way was seen, nothing of it was left out.
    alike = all((start, *one.way.cells) == trail.cells for one in fit)
    where = "" if alike else gap_words(board, trail.gaps(distance))
    if count == 1:
        return Driven(first, unseen=where, how="the only way by the book")
    if len({meaning(state, v, turn, one.way) for one in fit}) == 1:
        how = f"the straightest of {count} ways that come to the same"
        return Driven(first, unseen=where, how=how)
    hidden = (
        f"on which hexes {v.name} went {where} was not seen" if where else f"all hexes of {v.name} were seen"
    )
    rest = f"; all but {LISTED} are typed" if count > LISTED else ""
    over = f"over {hexes(state, first.way)}"
    words = (
        f"{hidden}, and {count} ways by the book fit: say which it went{rest}, or accept the straightest, "
        f"{over}"
    )
    open_ = (Reason(words, SEEN, open=True, fact=True, says=f"{v.name} went {over}"),)
    return Driven(first, open_, where, "as was accepted", tuple(fit))


def _ends(state: GameState, v: Vehicle, turn: Turn, cell: Cell) -> tuple[Way, ...]:
    """The ways that end on a hex: of the whole movement, or of the beginning of it.

    Before what it cannot help running into it has gone its whole movement.
    """
    found = choice(state, v, turn)
    if found.reins:
        return ()
    whole = [w for w in found.ways if (w.cells[-1] if w.cells else v.cell) == cell]
    if whole and found.forced:
        return tuple(whole)
    parts = [w for n in range(1, turn.left) for w in ways(state, v, turn, n) if not w.into]
    allowed = [w for w in parts if any(full.sides.startswith(w.sides) for full in found.ways)]
    return (*whole, *(w for w in allowed if w.cells[-1] == cell))


def as_seen(state: GameState, action: Action, seen: Seen) -> tuple[Action, list[Reason]]:
    """An action with what the table says of it, and what the book has against it."""
    data = action.data
    if action.kind == "check":
        return action, against(state, state.vehicle(str(data["vehicle"])), data)
    if action.kind == "control":
        picked(state.vehicle(str(data["vehicle"])), data)
    if action.kind == "pace":
        _pace(state, action)
    if action.kind == "clash":
        _clash(state, action)
    if action.kind == "reroll":
        picked_again(state.agenda[0], state.vehicle(str(data["vehicle"])), data)
    if action.kind == "adapt":
        moving.swapped(state.vehicle(str(data["vehicle"])), data)
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
    asked = ("move", "spaces", "ends", "over", "unseen")
    said = {name: value for name, value in action.data.items() if name not in asked}
    move = move_named(action, seen, v.name)
    if isinstance(move, Reason):
        return action, [move]
    reasons: tuple[Reason, ...] = ()
    if said.get("way") is None and move is not None:
        driven = judge(state, move).said(way=action.data.get("over"), ends=action.data.get("ends"))
        reasons = driven.reasons
        if driven.way is None:
            return action, list(reasons)
        said["way"] = driven.way.way.sides
        if driven.way.turn != "straight":
            said.setdefault("turn", driven.way.turn)
        if driven.unseen:
            said["unseen"] = driven.told(hexes(state, driven.way.way))
    elif said.get("way") is None:
        said["way"] = choice(state, v, turn).ways[0].sides
    spaces = action.data.get("spaces")
    if spaces is not None and move is None:
        said["way"] = str(said["way"])[: int(spaces)]
        said.pop("turn", None)
    way_called(state, v, turn, str(said["way"]))
    return replace(action, data=said), list(reasons)


def goes_nowhere(state: GameState, action: Action, seen: Seen) -> bool:
    """Whether a vehicle of which the table shows no move runs into something where it stands."""
    if (
        action.kind != "move"
        or state.turn is None
        or seen.table is None
        or action.data.get("move") is not None
    ):
        return False
    v, turn = mover(state)
    said = action.data.get("way")
    return seen.newest(v.name) is None and any(
        way.sides == said and not way.cells for way in choice(state, v, turn).ways
    )


FACTS = {
    "move": (
        FactField("way", "its way", beside="move"),
        FactField("turn", "its turn at the end", beside="move"),
        FactField("over", "it went over", beside="move"),
        FactField("ends", "it rests on", beside="move"),
    )
}
"""The fields of a move that say how it went."""


def table_says(state: GameState, action: Action, seen: Seen) -> dict[str, object]:
    """What was seen of a move; nothing of what is open."""
    full, reasons = as_seen(state, action, seen)
    if action.kind != "move" or any(reason.fact for reason in reasons):
        return {}
    said = {"turn": "straight"} | dict(full.data)
    move = move_named(action, seen, None)
    if isinstance(move, Move):
        spots = places(state.board.snap(move.after))
        said |= {"ends": spots[0].key} if len(spots) == 1 else {}
    return said
