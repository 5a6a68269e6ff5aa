"""Battlecars for a machine: how fast, over which points, and how good a position is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, replace
from functools import reduce
from random import Random

from engine.boards.board import Cell
from engine.boards.points import STEPS
from engine.driver.characters import TEMPERAMENTS, Temper
from engine.driver.pushing import through
from engine.game.contract import Proposal, Seen, Worth
from engine.game.kit.table import standing_of
from engine.games.battlecars.acts import rounds
from engine.games.battlecars.book.data import SIDES
from engine.games.battlecars.rules.damage import wreck_markers
from engine.games.battlecars.rules.lines import aims, whose
from engine.games.battlecars.rules.moves import Obstacle, ahead, heading
from engine.games.battlecars.rules.shots import modifiers, needed
from engine.games.battlecars.state import GameState, Vehicle
from engine.ruling import many
from engine.space.table import TableState
from engine.words import listed

MOVABLE = 0.3
"""What it is worth that a vehicle can still move."""

WHOLE = 40.0
"""The points of armour and components that count for 1."""

FASTEST = 5
"""The highest Speed that is thought of: corners at a higher one are seldom safe."""

THOUGHT_OF = 16
"""Ways that are thought of for each Speed that may be chosen."""

EVEN = TEMPERAMENTS["even"]

RANKED = 4
"""Speeds that are proposed for each temperament, at the most."""

AWAY = 0.02
"""What each point is worth that the nearest opponent is nearer, while there is something to fire."""

LEAST_DAMAGE = 0.5
"""What a round does in the mean where its range is as much as its damage."""

COVERED = 0.3
"""What a driver's wreck is worth before its markers cover it: only then is the driver hit."""

EMPTY = 0.05
"""What counts of a vehicle in which nobody sits: it does nothing, unless somebody gets in."""

ROUND = 0.005
"""What a round is worth that is not fired: one that harms nobody is kept."""

LEAD = 0.6
"""What it counts to have more undamaged than the others, on the way to the end that this decides."""

DRIVEN_ONTO = {"Mines": 0.35, "Spikes": 0.25, "Oil": 0.1}
"""What a counter in the way costs, by its kind, while a Speed is chosen: what it does is rolled for later."""

TRAPPED = 0.15
"""What each Speed costs that must run into something next turn, however it is braked."""


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
    """The Speeds with the best places in reach for each vehicle by itself; the best first.

    There are those that each temperament likes best: which of them is the best is for who chooses to say.
    """
    found = [_places(state, vehicle, player, chance) for vehicle in state.choosing(player)]
    told: set[tuple[tuple[int, ...], Worth]] = set()
    for temper in TEMPERAMENTS.values():
        ranked = [_ranked(places, temper) for places in found]
        for row in list(zip(*ranked, strict=False))[:RANKED]:
            speeds, worths = tuple(speed for speed, _ in row), [worth for _, worth in row]
            guess = reduce(_plus, worths)
            if (speeds, guess) not in told:
                told.add((speeds, guess))
                data = {rounds.speed_field(k): speed for k, speed in enumerate(speeds, start=1)}
                yield Proposal("speed", data=data, guess=guess)


def _ranked(places: Mapping[int, Sequence[Worth]], temper: Temper) -> list[tuple[int, Worth]]:
    """Each Speed with the best place that it leads to, by what a temperament cares for; the best first."""
    best = ((speed, max(worths, key=temper.total)) for speed, worths in places.items())
    return sorted(best, key=lambda one: -temper.total(one[1]))


def _plus(one: Worth, other: Worth) -> Worth:
    return Worth(*(a + b for a, b in zip(astuple(one), astuple(other), strict=True)))


def _places(state: GameState, vehicle: Vehicle, player: str, chance: Random) -> dict[int, list[Worth]]:
    """Every Speed that may be chosen, with the worth of each place that it leads to."""
    low, high = vehicle.speeds
    found: dict[int, list[Worth]] = {}
    for speed in range(max(low, min(0, high)), max(min(high, FASTEST), low) + 1):
        fast = replace(vehicle, speed=speed)
        if vehicle.cell is None:
            found[speed] = [Worth(chance.random())]
            continue
        found[speed] = []
        for corners in _corners(fast, abs(speed), chance)[:THOUGHT_OF]:
            cells, way = _driven(state, fast, corners)
            stopped = len(cells) < abs(speed)
            skids = sum(abs(speed) > fast.safe(turn) for turn in corners if turn)
            there = state.with_vehicle(
                vehicle.name, cell=cells[-1][0] if cells else vehicle.cell,
                facing=(way + (SIDES // 2 if speed < 0 else 0)) % SIDES, speed=0 if stopped else speed,
            )  # fmt: skip
            good = worth(there, None, player) or Worth()
            onto = sum(DRIVEN_ONTO.get(t.kind, 0.0) for cell, _ in cells for t in state.tokens_at(cell))
            risk = TRAPPED * abs(speed) * (stopped + 0.5 * skids) + onto
            found[speed].append(replace(good, danger=good.danger + risk / EVEN.danger))
    return found


def _moves(state: GameState, seen: Seen, vehicle: Vehicle, chance: Random) -> Iterator[Proposal]:
    here = None if seen.table is None else standing_of(seen.table, vehicle.name)
    count, told = state.to_go(vehicle), set[str]()
    for corners in _corners(vehicle, count, chance):
        cells, way = _driven(state, vehicle, corners)
        facing = (way + (SIDES // 2 if vehicle.speed < 0 else 0)) % SIDES
        # It drives straight to a point, and turns on it.
        turned = [*(facing_at for _, facing_at in cells[1:]), facing]
        poses = [
            state.board.pose_of(cell, at)
            for (cell, facing_at), after in zip(cells, turned, strict=False)
            for at in dict.fromkeys((facing_at, after))
        ] or [state.board.pose_of(vehicle.cell or (0, 0), facing)]
        ends = cells[-1][0] if cells else vehicle.cell or (0, 0)
        barred = ahead(state, vehicle, ends, way) if len(cells) < count else None
        words = _deed(corners[: len(cells)], barred)
        if words in told:
            continue
        told.add(words)
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
    risk = {c: sum(abs(vehicle.speed) > vehicle.safe(turn) for turn in c if turn) for c in every}
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


def _deed(corners: tuple[int, ...], barred: Obstacle | None) -> str:
    """The points that it drives with the corner after each, and what it runs into where that ends its way."""
    turns = [
        f"{45 * abs(c)}° {'left' if c > 0 else 'right'} after {k}"
        for k, c in enumerate(corners, start=1)
        if c
    ]
    parts = [f"drives {many(len(corners), 'point')}"] * bool(corners)
    parts += [f"turns {listed(turns)}"] * bool(turns)
    parts += [] if barred is None else [f"runs into {barred.name}"]
    return ", ".join(parts)


def worth(state: GameState, _table: TableState | None, player: str) -> Worth | None:
    """Armour, components and drivers; what may be fired at whom; room to drive on."""
    if state.over:
        return Worth.at_the_end(state.winner, player)
    own = others = chance = danger = 0.0
    whole = dict.fromkeys(state.players, 0)
    for person in state.people:
        alive = 0.0 if person.dead else 0.3 + 0.02 * person.left
        own, others = (own + alive, others) if person.owner == player else (own, others + alive)
    for vehicle in state.vehicles:
        driver = None if vehicle.driver is None else state.person(vehicle.driver)
        # Whose it is now: what was taken over is no more its former player's.
        mine = (vehicle.owner if driver is None else driver.owner) == player
        left = 0.0 if vehicle.gone else vehicle.intact / WHOLE + MOVABLE * (not vehicle.wreck)
        if driver is not None and not driver.dead:
            whole[driver.owner] += vehicle.intact
            left += COVERED * (1.0 - vehicle.markers / wreck_markers(vehicle) if vehicle.wreck else 1.0)
            left += ROUND * sum(len(mount.missiles) for mount in vehicle.mounts)
        else:
            left = 0.0 if vehicle.wreck else EMPTY * left
        own, others = (own + left, others) if mine else (own, others + left)
        if vehicle.cell is None or driver is None or driver.dead or vehicle.gone:
            continue
        threat = _threat(state, vehicle)
        chance, danger = (chance + threat, danger) if mine else (chance, danger + threat)
        if mine and not vehicle.wreck:
            own -= _trapped(state, vehicle) + _away(state, vehicle, player)
    best = max((points for p, points in whole.items() if p != player), default=0)
    near = (state.quiet + 1) / state.house.quiet
    lead = LEAD * near * ((whole[player] > best) - (whole[player] < best))
    return Worth(own, others, chance, danger, lead)


def _away(state: GameState, vehicle: Vehicle, player: str) -> float:
    """What it costs that everybody else is so far off, for one with something to fire."""
    if vehicle.cell is None or not any(m.missiles for m in vehicle.mounts):
        return 0.0
    x, y = vehicle.cell
    cells = [state.place_of(p) for p in state.people if p.owner != player and not p.dead]
    apart = [max(abs(x - cell[0]), abs(y - cell[1])) for cell in cells if cell is not None]
    return AWAY * min(apart, default=0)


def _trapped(state: GameState, vehicle: Vehicle) -> float:
    """What it costs that it must run into something, or skid, at the lowest Speed of its next turn."""
    assert vehicle.cell is not None
    if vehicle.speed <= 0:
        return 0.0
    slow = replace(vehicle, speed=max(vehicle.speeds[0], 0))

    def free(cell: Cell, way: int, left: int) -> bool:
        if not left:
            return True
        if ahead(state, slow, cell, way) is not None:
            return False
        there = (cell[0] + STEPS[way % SIDES][0], cell[1] + STEPS[way % SIDES][1])
        turns = [t for t in (0, 1, -1, 2, -2) if not t or slow.speed <= slow.safe(t)]
        return any(free(there, way + turn, left - 1) for turn in turns)

    return 0.0 if free(vehicle.cell, heading(vehicle), slow.speed) else TRAPPED * slow.speed


def _threat(state: GameState, vehicle: Vehicle) -> float:
    """The damage to expect of the best shot of a vehicle, in vehicles."""
    assert vehicle.driver is not None
    assert vehicle.cell is not None
    mine, best = state.person(vehicle.driver).owner, 0.0
    for aim in aims(state, vehicle):
        if whose(state, aim.target) in (None, mine):
            continue
        least = needed(aim.target, modifiers(state, vehicle.cell, aim.target, computed=vehicle.computed))
        damage = aim.weapon.damage
        mean = max(damage.dice * (SIDES + 1) / 2 + damage.more - aim.target.range, LEAST_DAMAGE)
        best = max(best, aim.weapon.reach.at_least(least) * mean)
    return best / WHOLE
