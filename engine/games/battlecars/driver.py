"""Battlecars for a machine: how fast, over which points, and how good a position is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

from engine.boards.board import Cell
from engine.boards.points import STEPS
from engine.driver.pushing import through
from engine.game.contract import Proposal, Seen, Worth
from engine.game.kit.table import standing_of
from engine.games.battlecars.acts import rounds
from engine.games.battlecars.book.data import SIDES
from engine.games.battlecars.rules.aims import aims, whose
from engine.games.battlecars.rules.moves import ahead, heading
from engine.games.battlecars.rules.shots import modifiers, needed
from engine.games.battlecars.state.game_state import GameState, Vehicle
from engine.ruling import many
from engine.space.table import TableState

WHOLE = 40.0
"""The points of armour and components that count for 1."""

CRUISE = (2, 3, 3, 4)
"""Speeds that are tried for a vehicle that may choose them."""


def proposals(state: GameState, seen: Seen, player: str, chance: Random) -> Iterable[Proposal]:
    """Speeds at which one can still turn; ways with few corners, the safe ones among them."""
    if state.over or state.phase == "setup":
        return
    if state.phase == "speed":
        yield from _speeds(state, player, chance)
        return
    turn = state.turn
    if turn is None or turn.player != player or turn.stage != "move" or state.reply is not None:
        return
    vehicle = state.driven(state.person(turn.person))
    # Who leaves a vehicle that drives gives most of it up.
    yield Proposal("leave", guess=-6.0)
    if vehicle is not None and vehicle.speed and vehicle.cell is not None:
        yield from _moves(state, seen, vehicle, chance)


def _speeds(state: GameState, player: str, chance: Random) -> Iterator[Proposal]:
    mine = state.choosing(player)
    for _ in range(4):
        data = {}
        for number, vehicle in enumerate(mine, start=1):
            low, high = vehicle.speeds
            data[rounds.speed_field(number)] = min(max(chance.choice(CRUISE), low), high)
        yield Proposal("speed", data=data, guess=chance.random() * 0.01)


def _moves(state: GameState, seen: Seen, vehicle: Vehicle, chance: Random) -> Iterator[Proposal]:
    here = None if seen.table is None else standing_of(seen.table, vehicle.name)
    count = abs(vehicle.speed)
    for corners in _corners(vehicle, count, chance):
        cells, way = _driven(state, vehicle, corners)
        facing = (way + (SIDES // 2 if vehicle.speed < 0 else 0)) % SIDES
        poses = [state.board.pose_of(cell, facing_at) for cell, facing_at in cells]
        poses.append(state.board.pose_of(cells[-1][0] if cells else vehicle.cell or (0, 0), facing))
        words = f"drives {many(count, 'point')}" + _told(corners)
        if here is None:
            yield Proposal("move", vehicle.name, {"corners": list(corners)}, words=words)
        else:
            yield Proposal("move", vehicle.name, {}, through(here.pose, poses), words=words)


def _corners(vehicle: Vehicle, count: int, chance: Random) -> list[tuple[int, ...]]:
    """None, one or two corners somewhere; those that are safe at this Speed first."""
    sharpest = vehicle.layout.sharpest
    every = [tuple([0] * count)]
    for k in range(count):
        for corner in range(-sharpest, sharpest + 1):
            one = [0] * count
            one[k] = corner
            if corner:
                every.append(tuple(one))
                other = list(one)
                other[chance.randrange(count)] = chance.choice([-1, 1])
                every.append(tuple(other))
    risk = {c: sum(count > vehicle.safe(turn) for turn in c if turn) for c in every}
    return sorted(dict.fromkeys(every), key=lambda c: (risk[c], chance.random()))[:40]


def _driven(
    state: GameState, vehicle: Vehicle, corners: tuple[int, ...]
) -> tuple[list[tuple[Cell, int]], int]:
    """The points that are driven over with the facing on each, as far as it is free; the last direction."""
    assert vehicle.cell is not None
    back = SIDES // 2 if vehicle.speed < 0 else 0
    cell, way, found = vehicle.cell, heading(vehicle), []
    for corner in corners:
        if ahead(state, vehicle, cell, way) is not None:
            break
        cell = (cell[0] + STEPS[way % SIDES][0], cell[1] + STEPS[way % SIDES][1])
        found.append((cell, (way + back) % SIDES))
        way = (way + corner) % SIDES
    return found, way


def _told(corners: tuple[int, ...]) -> str:
    told = [
        f"{45 * abs(c)}° {'left' if c > 0 else 'right'} after {k}"
        for k, c in enumerate(corners, start=1)
        if c
    ]
    return f", turns {' and '.join(told)}" if told else ""


def worth(state: GameState, _table: TableState | None, player: str) -> Worth | None:
    """Armour, components and drivers; what may be fired at whom; room to drive on."""
    if state.over:
        return Worth.at_the_end(state.winner, player)
    own = others = chance = danger = 0.0
    for person in state.people:
        alive = 0.0 if person.dead else 0.3 + 0.02 * person.left
        own, others = (own + alive, others) if person.owner == player else (own, others + alive)
    for vehicle in state.vehicles:
        mine = vehicle.owner == player
        left = 0.0 if vehicle.wreck or vehicle.gone else vehicle.intact / WHOLE + 0.2
        own, others = (own + left, others) if mine else (own, others + left)
        if vehicle.cell is None or vehicle.driver is None or vehicle.wreck or vehicle.gone:
            continue
        threat = _threat(state, vehicle)
        chance, danger = (chance + threat, danger) if mine else (chance, danger + threat)
        if mine and vehicle.speed and ahead(state, vehicle, vehicle.cell, heading(vehicle)) is not None:
            own -= 0.1 * abs(vehicle.speed)
    return Worth(own, others, chance, danger)


def _threat(state: GameState, vehicle: Vehicle) -> float:
    """The damage to expect of the best shot of a vehicle, in vehicles."""
    assert vehicle.driver is not None
    assert vehicle.cell is not None
    mine, best = state.person(vehicle.driver).owner, 0.0
    for aim in aims(state, vehicle):
        if whose(state, aim.target) in (None, mine):
            continue
        least = needed(aim.target, modifiers(state, vehicle.cell, aim.target, computed=vehicle.computed))
        best = max(best, aim.weapon.reach.at_least(least) * 4.0)
    return best / WHOLE
