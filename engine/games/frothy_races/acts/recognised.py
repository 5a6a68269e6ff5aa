"""What a move that the camera saw was by the book, as the way that it stands for; what is open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.boards.board import Cell, Snap, place_words
from engine.boards.hexes import distance
from engine.boards.spots import Spot, places, said_of
from engine.boards.trail import Trail, followed, gap_words
from engine.errors import TableRefError
from engine.game.about import SEEN
from engine.game.contract import Seen, move_named
from engine.game.events import Action, FactField, Reason
from engine.games.frothy_races.acts import attacking, cards, checking, resolving
from engine.games.frothy_races.acts.cards import picked
from engine.games.frothy_races.acts.moving import MOVEMENT, TURNS, mover, way_called
from engine.games.frothy_races.rules.moves import Way, choice, ways
from engine.games.frothy_races.rules.ways import LISTED, Gone, bends, hexes, meaning
from engine.games.frothy_races.state.game_state import GameState, Turn, Vehicle
from engine.motion.moves import Move
from engine.ruling import many


@dataclass(frozen=True, slots=True)
class Driven:
    """A move as a way and a turn at its end; what is against it.

    `unseen` says of which part the hexes were not seen, `how` by what they are known nevertheless. `ways` are
    those that fit what was seen, where several do that do not come to the same.
    """

    gone: Gone | None
    snap: Snap
    reasons: tuple[Reason, ...] = ()
    unseen: str = ""
    how: str = ""
    ways: tuple[Gone, ...] = ()


def trail_of(state: GameState, v: Vehicle, move: Move) -> Trail:
    """The hexes on which a vehicle was seen, from where it stood; readings between hexes are passed over."""
    assert v.cell is not None
    return followed(state.board, state.board.spacing, move, v.cell)


def judged(state: GameState, v: Vehicle, turn: Turn, move: Move, ends: object = None) -> Driven:
    """A vehicle's move by the book. `ends` says on which hex and facing it rests, where that was open."""
    snap = state.board.snap(move.after)
    if ends is not None:
        said = said_of(state.board, places(snap), ends)
        return _ending(state, v, turn, move, snap, said)
    if snap.cell is None or snap.facing is None or snap.where == "off":
        off = Reason(f"{v.name} stands beside the track; put it on a hex", MOVEMENT)
        return Driven(None, snap, (off,))
    first, *others = places(snap)
    driven = _ending(state, v, turn, move, snap, first)
    if snap.where == "cell":
        return driven
    words = f"{v.name} stands {place_words(state.board, snap)}: say which, or put it right"
    # What is against one of the places where it may rest does not settle that it rests there.
    ends = (driven, *(_ending(state, v, turn, move, snap, other) for other in others))
    lawful = next((one for one in ends if not _against(one)), None)
    between = Reason(words, SEEN, open=lawful is not None, fact=True)
    told = lawful or driven
    return replace(told, reasons=(between, *told.reasons))


def _against(driven: Driven) -> bool:
    """Whether something is against a move that nobody may settle."""
    return any(not reason.open for reason in driven.reasons)


def _ending(state: GameState, v: Vehicle, turn: Turn, move: Move, snap: Snap, place: Spot) -> Driven:
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
        return Driven(None, snap, (Reason(words, MOVEMENT),))
    # Only the end of a whole movement allows a turn.
    turning = [w for w in ended if not by or (len(w.sides) == turn.left and not w.into)]
    if by not in known or not turning:
        words = f"{v.name} is turned by {30 * by}°: at the end of its movement it may turn 30°"
        return Driven(Gone(ended[0], "straight"), snap, (Reason(words, MOVEMENT),))
    # A reading on the way is no rest: the last one goes where it is said, or seen, to rest.
    trail = trail_of(state, v, move).ending(cell).settled()
    fit = [w for w in turning if trail.fits(w.cells, distance)]
    return _fitting(state, v, turn, trail, snap, [Gone(w, known[by]) for w in sorted(fit, key=bends)])


def _fitting(
    state: GameState, v: Vehicle, turn: Turn, trail: Trail, snap: Snap, fit: Sequence[Gone]
) -> Driven:
    """A move over what was seen: the one way that fits, else the straightest of those that do."""
    board, start = state.board, trail.cells[0]
    if not fit:
        over = ", ".join(board.name_of(cell) for cell in trail.cells[1:])
        words = (
            f"{v.name} was seen on {over}, and no way of {many(turn.left, 'space')} leads over "
            "these and, where it was in view, over no others: push it again from hex to hex, or type its way"
        )
        return Driven(None, snap, (Reason(words, SEEN),))
    first, count = fit[0], len(fit)
    # Where every hex of the way was seen, nothing of it was left out.
    alike = all((start, *one.way.cells) == trail.cells for one in fit)
    where = "" if alike else gap_words(board, trail.gaps(distance))
    if count == 1:
        return Driven(first, snap, unseen=where, how="the only way by the book")
    if len({meaning(state, v, turn, one.way) for one in fit}) == 1:
        how = f"the straightest of {count} ways that come to the same"
        return Driven(first, snap, unseen=where, how=how)
    hidden = (
        f"on which hexes {v.name} went {where} was not seen" if where else f"all hexes of {v.name} were seen"
    )
    rest = f"; all but {LISTED} are typed" if count > LISTED else ""
    words = (
        f"{hidden}, and {count} ways by the book fit: say which it went{rest}, or accept the straightest, "
        f"over {hexes(state, first.way)}"
    )
    open_ = (Reason(words, SEEN, open=True, fact=True),)
    return Driven(first, snap, open_, where, "as was accepted", tuple(fit))


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


def open_ways(state: GameState, v: Vehicle, turn: Turn, move: Move) -> tuple[Gone, ...]:
    """The ways that may be said of a move; none where nothing of it is open.

    Where it is open on which hex it rests, too, those to every place on which it may.
    """
    spots = places(state.board.snap(move.after))
    ends = [judged(state, v, turn, move, spot.key) for spot in spots]
    if not any(one.ways for one in ends):
        return ()
    alone = [() if one.reasons or one.gone is None else (one.gone,) for one in ends]
    return tuple(gone for one, only in zip(ends, alone, strict=True) for gone in one.ways or only)


def _said(state: GameState, v: Vehicle, turn: Turn, move: Move, key: object) -> Driven:
    """The move over the way that somebody said. Raises `TableRefError` for one that does not fit."""
    known = open_ways(state, v, turn, move)
    gone = next((one for one in known if one.key == key), None)
    if gone is None:
        keys = ", ".join(one.key for one in known) or "none: it was seen, or nothing fits"
        raise TableRefError(f"over: {key!r} is no way of {v.name} that fits what was seen; expected {keys}")
    trail, cells = trail_of(state, v, move), gone.way.cells
    trail = (trail.ending(cells[-1]) if cells else trail).settled()
    where = "" if trail.cells[1:] == cells else gap_words(state.board, trail.gaps(distance))
    return Driven(gone, state.board.snap(move.after), unseen=where, how="as was said")


def unseen_words(state: GameState, driven: Driven) -> str:
    """What was not seen of a way, and how it is known nevertheless, for the log."""
    if driven.gone is None or not driven.unseen:
        return ""
    return f"not seen {driven.unseen}: {hexes(state, driven.gone.way)}, {driven.how}"


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
        resolving.picked_again(state.agenda[0], state.vehicle(str(data["vehicle"])), data)
    if action.kind == "adapt":
        cards.swapped(state.vehicle(str(data["vehicle"])), data)
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
    move = None if action.data.get("move") is None else move_named(action, seen, v.name)
    if isinstance(move, Reason):
        return action, [move]
    reasons: tuple[Reason, ...] = ()
    if said.get("way") is None and move is not None:
        over = action.data.get("over")
        if over is not None:
            driven = _said(state, v, turn, move, over)
        else:
            driven = judged(state, v, turn, move, action.data.get("ends"))
        reasons = driven.reasons
        if driven.gone is None:
            return action, list(reasons)
        said["way"] = driven.gone.way.sides
        if driven.gone.turn != "straight":
            said.setdefault("turn", driven.gone.turn)
        if unseen := unseen_words(state, driven):
            said["unseen"] = unseen
    elif said.get("way") is None:
        said["way"] = choice(state, v, turn).ways[0].sides
    spaces = action.data.get("spaces")
    if spaces is not None and move is None:
        said["way"] = str(said["way"])[: int(spaces)]
        said.pop("turn", None)
    way_called(state, v, turn, str(said["way"]))
    return replace(action, data=said), list(reasons)


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
    move = None if action.data.get("move") is None else move_named(action, seen, None)
    if isinstance(move, Move):
        spots = places(state.board.snap(move.after))
        said |= {"ends": spots[0].key} if len(spots) == 1 else {}
    return said
