"""What a driver does beside driving: fires, drops, reloads, and goes on foot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from engine.boards.board import Cell
from engine.boards.spots import Spot, said_of, spot_names, spot_words, spots_of, sure
from engine.boards.trail import gap_words
from engine.game.about import SEEN
from engine.game.contract import Seen
from engine.game.events import Action, Reason
from engine.game.kit.table import standing_of
from engine.games.battlecars.acts.moving import WALKING, blocks_walk
from engine.games.battlecars.book.data import MG, PASSIVES, WALK, WEAPONS, cite
from engine.games.battlecars.rules import lines
from engine.games.battlecars.rules.lines import Aim
from engine.games.battlecars.rules.pieces import counters_seen, gone_over, steps_between, trail_of
from engine.games.battlecars.rules.shots import DISCARD, Shot, fire
from engine.games.battlecars.state import GameState, Person, Play, Vehicle, the
from engine.motion.moves import Move
from engine.ruling import many
from engine.space.table import Status
from engine.words import listed

# A driver fires, returns fire, drops passive weapons, reloads a hand weapon.

RETURN = cite("Game Turn")
DROPPING = cite("Passive weapons")
RELOADING = cite("Pedestrians")


def do_fire(play: Play, action: Action) -> None:
    """One round at the nearest target on a line."""
    data, state = action.data, play.state
    person = state.person(play.turn.person)
    vehicle = state.driven(person)
    if vehicle is None and data["mount"] != lines.HAND:
        vehicle = lines.wreck_of(state, person)  # any occupant fires the weapons of a wreck
    target = str(data["target"])
    _shoot(play, person, vehicle, action)
    if any(v.name == target for v in play.state.vehicles):
        _offer_reply(play, target, person.name if vehicle is None else vehicle.name)


def _shoot(
    play: Play, person: Person, vehicle: Vehicle | None, action: Action, *, reply: bool = False
) -> None:
    data = action.data
    cell = play.state.place_of(person)
    assert cell is not None
    weapon = WEAPONS[str(data["weapon"])]
    source = person.name if vehicle is None else vehicle.name
    aim = data.get("aim") or _usual_aim(play.state, person, vehicle, action)
    # Of a shot without a vehicle the attacker is named apart.
    on_foot = {"shooter": source} if vehicle is None else {}
    words = f"{the(source)} fires a {weapon.name} at {the(str(data['target']))}" + (
        f", aiming at its {aim}" if aim else ""
    )
    play.tell(
        "fired", words, RETURN if reply else DISCARD, person=person.name,
        vehicle=None if vehicle is None else vehicle.name, mount=data["mount"], weapon=weapon.name,
        target=data["target"], line=data["line"], reply=reply, **on_foot,
    )  # fmt: skip
    computed = vehicle is not None and vehicle.computed
    bike = vehicle is not None and vehicle.bike
    fire(play, Shot(person.owner, source, cell, weapon, int(data["line"]), aim, computed, bike))


def _usual_aim(state: GameState, person: Person, vehicle: Vehicle | None, action: Action) -> str | None:
    """What is aimed at where the action does not say it."""
    found = lines.aims_on_foot(state, person) if vehicle is None else lines.aims(state, vehicle)
    data = action.data
    one = next(a for a in found if (a.mount, a.line.facing) == (data["mount"], data["line"]))
    return lines.usual_area(lines.areas(state, one))


def _offer_reply(play: Play, name: str, at: str) -> None:
    """A vehicle that was fired upon may return fire at the vehicle that fired, once."""
    state, turn = play.state, play.state.turn
    if turn is None or name in turn.answered:
        return
    vehicle = state.vehicle(name)
    if vehicle.driver is None or vehicle.stunned or vehicle.slid or not vehicle.here:
        return
    if state.person(vehicle.driver).owner != turn.player and returns(state, vehicle, at):
        play.tell("reply", f"{name} may return fire at {the(at)}", RETURN, vehicle=name, at=at)


def returns(state: GameState, vehicle: Vehicle, at: str) -> tuple[Aim, ...]:
    """The rounds with which a vehicle may return fire at whoever fired."""
    return tuple(aim for aim in lines.aims(state, vehicle) if aim.target.name == at)


def do_return(play: Play, action: Action) -> None:
    """One round back at whoever fired."""
    assert play.state.reply is not None
    vehicle = play.state.vehicle(play.state.reply.vehicle)
    assert vehicle.driver is not None
    _shoot(play, play.state.person(vehicle.driver), vehicle, action, reply=True)


def do_hold(play: Play, _action: Action) -> None:
    """No fire is returned."""
    assert play.state.reply is not None
    name = play.state.reply.vehicle
    play.tell("held", f"{name} does not return fire", RETURN, vehicle=name)


# Passive weapons


def do_drop(play: Play, action: Action) -> None:
    """A round of a passive weapon is dropped."""
    kind, mount = str(action.data["kind"]), str(action.data["mount"])
    person = play.state.person(play.turn.person)
    vehicle = play.state.driven(person)
    assert vehicle is not None
    assert kind in PASSIVES
    cell = play.state.board.cells[int(action.data["point"])]
    name = f"{kind} {play.state.count(kind) + 1}"
    words = f"{vehicle.name} drops {name} on {play.state.board.name_of(cell)}"
    lying = counters_seen(play.state, play.seen, kind)
    there = next((piece for piece, spots in lying if sure(spots) and spots[0].cell == cell), None)
    shown = {} if there is None else {"piece": there}
    if there is not None:
        words += f", where {there} lies for it"
    play.tell(
        "laid", words, DROPPING, vehicle=vehicle.name, mount=mount, token=name, sort=kind, cell=list(cell),
        **shown,
    )  # fmt: skip


# Hand weapons


def spare(state: GameState, person: Person) -> Person | None:
    """A dead driver on the same point with rounds left."""
    return next((p for p in state.people if p.dead and p.rounds and state.place_of(p) == person.cell), None)


def do_reload(play: Play, _action: Action) -> None:
    """The rounds of a dead driver's hand weapon are taken; nothing is fired this turn."""
    person = play.state.person(play.turn.person)
    other = spare(play.state, person)
    assert other is not None
    words = f"the {person.name} takes {many(other.rounds, f'{MG} round')} of the {other.name}"
    data = {"person": person.name, "from": other.name, "rounds": other.rounds}
    play.tell("reloaded", words, RELOADING, **data)
    play.tell("ended", f"the turn of the {person.name} is over", RELOADING, person=person.name)


# How a driver on foot was moved, point by point: what the camera saw of the way, what is against it.


@dataclass(frozen=True, slots=True)
class Walked:
    """A figure's way: the points that it went over, from its driver's on, where it rests, what is against it.

    `cell` is None where it rests beside the board; `sure` says whether there is one place where it may rest,
    `unseen` what was not seen and is taken to have been straight.
    """

    cells: tuple[Cell, ...]
    cell: Cell | None
    reasons: tuple[Reason, ...]
    sure: bool = True
    unseen: str = ""


def walked_so_far(state: GameState, name: str, move: Move) -> tuple[Cell, ...]:
    """The points on which a driver's figure was seen, from where the driver was.

    A figure in the hand above the table is on no point: it is read where it does not stand.
    """
    start = state.person(name).cell
    assert start is not None
    return (start,) if move.lifted else trail_of(state.board, move, start).cells


@lru_cache(maxsize=32)
def walked(state: GameState, name: str, move: Move, ends: str | None = None) -> Walked:
    """The way of a driver's figure by the book. `ends` says on which point it rests, where that was open."""
    board, spots = state.board, spots_of(state.board, move.after)
    if ends is None and not sure(spots):
        return _between(state, name, move, spots)
    cell = (spots[0] if ends is None else said_of(board, spots, ends)).cell
    seen = walked_so_far(state, name, move)
    if cell is None:
        return Walked(seen, None, (Reason(f"{move.piece} stands beside the board; put it on a point", SEEN),))
    cells = seen if seen[-1] == cell else (*seen, cell)
    return Walked(cells, cell, tuple(_against(state, name, move, cells)), unseen=_straight(state, cells))


def elsewhere(state: GameState, person: Person, piece: str | None, seen: Seen) -> Iterator[Reason]:
    """What is open about a driver who stays while their figure stands elsewhere: its move is not measured."""
    board = state.board
    standing = standing_of(seen.table, piece or "")
    if standing is None or standing.status is Status.LOST or person.cell is None:
        return
    spots = spots_of(board, standing)
    if any(spot.cell == person.cell for spot in spots):
        return
    there, here = spot_words(board, spots), board.name_of(person.cell)
    words = (
        f"{standing.name} stands {there} and no move of it is measured: wait until it is, put it back on "
        f"{here}, or accept that the {person.name} stays on {here}"
    )
    yield Reason(words, SEEN, open=True, fact=True, says=f"the {person.name} stays on {here}")


def _between(state: GameState, name: str, move: Move, spots: tuple[Spot, ...]) -> Walked:
    """Where it rests is asked; a way that is against the book stands only if none of the places is by it."""
    stands = f"{move.piece} stands {spot_words(state.board, spots)}"
    says = f"{move.piece} stands {spot_names(state.board, spots)}"
    asked = Reason(f"{stands}: say which, or put it right", SEEN, open=True, fact=True, says=says)
    ways = [walked(state, name, move, spot.key) for spot in spots if spot.cell is not None]
    lawful = next((way for way in ways if all(reason.open for reason in way.reasons)), None)
    if lawful is not None:
        return replace(lawful, reasons=(asked,), sure=False)
    found = ways[0] if ways else Walked((), None, ())
    return replace(found, reasons=(asked, *found.reasons), sure=False)


def _against(state: GameState, name: str, move: Move, cells: tuple[Cell, ...]) -> list[Reason]:
    """More points than a driver walks, vehicles in the way, and points that were not seen."""
    board, found = state.board, []
    if (gone := gone_over(cells)) > WALK:
        over = ", ".join(board.name_of(cell) for cell in cells)
        words = f"{move.piece} went {many(gone, 'point')}, over {over}: the {name} walks at most {WALK}"
        found.append(Reason(words, WALKING))
    for cell in cells[1:]:
        if cell != cells[0] and (there := blocks_walk(state, cell)) is not None:
            found.append(Reason(f"{there.name} stands on {board.name_of(cell)}, in the way", WALKING))
    if not found:
        found += [r for one, other in pairwise(cells) if (r := _unseen(state, move, one, other)) is not None]
    return found


def _straight(state: GameState, cells: tuple[Cell, ...]) -> str:
    """Between which points on one line it was not seen, where it is taken to have gone straight."""
    board = state.board
    gaps = [(one, other, board.between(one, other) or ()) for one, other in pairwise(cells)]
    found = [
        f"not seen {gap_words(board, [(one, other)])}: straight over {', '.join(map(board.name_of, between))}"
        for one, other, between in gaps
        if between
    ]
    return "; ".join(found)


def _unseen(state: GameState, move: Move, one: Cell, other: Cell) -> Reason | None:
    """What is against a step of two points, or open about it: between them the camera did not see it.

    On a line it is taken to have gone straight, as a vehicle is, where nothing stands there.
    """
    if steps_between(one, other) < WALK:
        return None
    board = state.board
    ways = [cell for cell in board.neighbours(one) if steps_between(cell, other) == 1]
    free = [cell for cell in ways if blocks_walk(state, cell) is None]
    ends = f"from {board.name_of(one)} to {board.name_of(other)}"
    if not free:
        names = listed(board.name_of(cell) for cell in ways)
        return Reason(f"what stands on {names} is in the way {ends}", WALKING)
    if any(cell in free for cell in board.between(one, other) or ()):
        return None
    names = listed((board.name_of(cell) for cell in free), "or")
    words = (
        f"{move.piece} was not seen {ends}: accept that it went over {names}, or push it from point to point"
    )
    return Reason(words, SEEN, open=True, fact=True, says=f"{move.piece} went over {names}")
