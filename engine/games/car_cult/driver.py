"""Car Cult for a machine: where to drive, and how good a table is. Estimates, in the middle of cars."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from random import Random

from engine.driver.pushing import clear, feet_to_nearest, told, until_touch
from engine.game.contract import Proposal, Seen, Worth
from engine.game.kit.table import standing_of
from engine.game.pushing import along
from engine.games.car_cult.acts.moving import free_zones, zone_key
from engine.games.car_cult.rules.attacks import in_play, needed
from engine.games.car_cult.rules.moves import Limits, blocking
from engine.games.car_cult.state import Car, GameState
from engine.games.car_cult.state import Turn as Activation
from engine.measure.sweep import Step, Straight, Turn
from engine.motion.recognition import pivots_of
from engine.space.table import Standing, TableState, key_of

TURN = math.radians(44.0)
"""The sharpest turn that is tried, radians: a little less than the book allows."""

SURE = (0.15, 0.4)
"""Inches that a car which must touch something is pushed into it: then nobody has to ask whether it does."""

BETWEEN = 2.5
"""Inches between the middles of two cars that touch, about."""

ZONES = 12.0
"""Zones of a car, about: so much harm is one car."""

SLOW = 4
"""A car that may go fewer inches counts as one that stands still."""

AWAY = 0.05
"""What a foot that the nearest opponent is farther off costs."""

FEW = 14
"""Ways that are tried for a car of which nearly every way touches something."""


def proposals(state: GameState, seen: Seen, player: str, chance: Random) -> Iterable[Proposal]:
    """Moves within the car's limits that meet nothing; where none is, those that are stopped latest."""
    turn = state.turn
    if turn is not None and turn.player == player and turn.stage == "allocate" and not state.duties:
        yield from _allocations(state, turn)
    if turn is None or turn.player != player or turn.stage != "act" or turn.moved or seen.table is None:
        return
    if state.duties or state.attack is not None:
        return
    table = in_play(state, seen.table)
    here = standing_of(table, turn.car)
    if here is None:
        return
    others = blocking(state, table, turn.car)
    every = list(_moves(Limits.of(state, turn.car), here))
    good = clear(here, [along(here.pose, steps) for steps in every], others, table.surface)
    found = [steps for steps, free in zip(every, good, strict=True) if free]
    if len(found) < FEW // 4 and every:
        # What is left may be too close to call: then it is better to run into something for sure.
        few = [chance.choice(every) for _ in range(FEW)]
        found += [until_touch(here, one, others, table.surface, chance.uniform(*SURE)) for one in few]
    for steps in found:
        if steps:
            way = along(here.pose, steps)
            yield Proposal("move", turn.car, {"car": turn.car}, way, steps, told(steps))


def _allocations(state: GameState, turn: Activation) -> Iterator[Proposal]:
    """All tokens that find a place: none or more on the engine, the rest on the weapons, then elsewhere."""
    zones: dict[str, list[str]] = {}
    car = state.car(turn.car)
    for component, place in free_zones(state, turn):
        zones.setdefault(component.name, []).append(zone_key(component.name, place))
    engine = zones.pop(car.engine.name, [])
    cards = {c.name: c.rules for c in car.components}
    # What hits hardest first, or what reaches farthest.
    orders = [
        sorted(zones, key=lambda name: -cards[name].shots * cards[name].damage),
        sorted(zones, key=lambda name: -cards[name].reach),
    ]
    for drive in range(min(len(engine), turn.pool) + 1):
        for order in orders:
            # One token each before a second.
            each = [z for row in itertools.zip_longest(*(zones[n] for n in order)) for z in row if z]
            picked = [*engine[:drive], *each[: turn.pool - drive]]
            if not picked:
                continue  # with the engine alone free, a token that it does not take finds no place
            # Of one zone alone the form asks for a name, of several for a list.
            one = min(turn.pool, len(engine) + len(each)) == 1
            yield Proposal(
                "allocate", turn.car, {"zones": picked[0] if one else picked},
                words="allocates its Speed tokens",
            )  # fmt: skip


def _moves(limits: Limits, car: Standing) -> Iterator[tuple[Step, ...]]:
    """Runs of the shortest, a middle and the farthest length, with as many turns as there may be."""
    pivot = pivots_of(car.piece.body)[0]
    for far in dict.fromkeys(float(f) for f in (limits.high, (limits.low + limits.high) // 2, limits.low)):
        if far <= 0.0:
            continue
        yield (Straight(far),)
        if limits.turns < 1:
            continue
        for angle in (TURN, TURN / 2, -TURN / 2, -TURN):
            turn = Turn(angle, pivot)
            yield from (_parts(far, turn, share) for share in (0.0, 0.35, 0.7, 1.0))
        if limits.turns > 1:
            for angle in (TURN, -TURN):
                one = Turn(angle, pivot)
                yield (one, Straight(far / 2), one, Straight(far / 2))
                yield (Straight(far / 2), one, Straight(far / 2), one)
                yield (one, Straight(far / 2), Turn(-angle, pivot), Straight(far / 2))


def _parts(far: float, turn: Turn, share: float) -> tuple[Step, ...]:
    steps = (Straight(far * share), turn, Straight(far * (1.0 - share)))
    return tuple(step for step in steps if step.size > 1e-9)


def worth(state: GameState, table: TableState | None, player: str) -> Worth | None:
    """Zones without damage, cars, shots to come, room to drive in."""
    if state.over:
        return Worth.at_the_end(state.winner, player)
    mine = [c for c in state.cars if c.status in ("driving", "waiting") and c.owner == player]
    theirs = [c for c in state.cars if c.status in ("driving", "waiting") and c.owner != player]
    # Speed tokens on weapons are shots; too many on the engine lead off the table.
    loaded = 0.03 * sum(x.ready for c in mine for x in c.components if x.rules.sort == "weapon")
    fast = 0.02 * sum(max(c.limits[0] - 8, 0) for c in mine)
    # A car that stands still brings no weapon to bear, nor gets away.
    fast += 0.08 * sum(c.limits[1] < SLOW for c in mine)
    own, others = sum(map(_whole, mine)) + loaded - fast, sum(map(_whole, theirs))
    # Damage that is placed on a weapon hurts more than elsewhere.
    own += 0.02 * sum(x.whole for c in mine for x in c.components)
    if table is None:
        return Worth(own, others)
    places = {key_of(s.name): s for s in table.standings}
    own, others = _declared(state, player, places, own, others)
    chance = sum(_threat(c, theirs, places) for c in mine if c.driving)
    danger = sum(_threat(c, mine, places) for c in theirs if c.driving)
    stuck = sum(_stuck(c, places.get(key_of(c.name)), table) for c in mine if c.driving)
    near = [c.name for c in theirs if c.driving]
    apart = sum(feet_to_nearest(c.name, near, places) for c in mine if c.driving)
    return Worth(own - stuck - AWAY * apart, others, chance, danger)


def _declared(
    state: GameState, player: str, places: dict[str, Standing], own: float, others: float
) -> tuple[float, float]:
    """What is left of either side with the harm to expect of an attack that is declared, not rolled yet."""
    attack = state.attack
    if attack is None:
        return own, others
    car, target = state.car(attack.car), state.target(attack.target)
    if target is None:
        return own, others
    here, there = places.get(key_of(car.name)), places.get(key_of(target.name))
    card = car.component(attack.weapon).rules
    if here is None or there is None or math.dist(here.pose.xy, there.pose.xy) - BETWEEN > card.reach:
        return own, others
    harm = card.shots * max(card.damage, 1) * (21 - needed(card, target, car.owner)) / 20 / ZONES
    return (own, others - harm) if car.owner == player else (own - harm, others)


def _whole(car: Car) -> float:
    zones = sum(len(c.zones) for c in car.components)
    return 0.4 + 0.6 * car.undamaged / max(zones, 1)


def _threat(car: Car, targets: list[Car], places: dict[str, Standing]) -> float:
    """The harm to expect of a car's weapons at the best target each, in cars."""
    here, total = places.get(key_of(car.name)), 0.0
    for weapon in car.components if here is not None else ():
        card = weapon.rules
        if card.sort != "weapon" or not weapon.whole:
            continue
        best = 0.0
        for target in targets:
            there = places.get(key_of(target.name))
            if here is None or there is None or not target.driving:
                continue
            if math.dist(here.pose.xy, there.pose.xy) - BETWEEN <= card.reach:
                best = max(
                    best, card.shots * max(card.damage, 1) * (21 - needed(card, target, car.owner)) / 20
                )
        total += best * (1.0 if weapon.ready else 0.4)
    return total / ZONES


def _stuck(car: Car, here: Standing | None, table: TableState) -> float:
    """How far the car's least move leads over the edge, up to 1; where it may turn it need not."""
    if here is None:
        return 0.0
    low, best = car.limits[0] + here.piece.body.length / 2, 1.0
    (left, near), (right, far) = table.surface.outline.min(axis=0), table.surface.outline.max(axis=0)
    bends = (0.0,) if not car.turns else (0.0, 0.7, -0.7) if car.turns == 1 else (0.0, 0.7, -0.7, 1.4, -1.4)
    for bend in bends:
        way = here.pose.heading + bend
        x, y = here.pose.x + low * math.cos(way), here.pose.y + low * math.sin(way)
        out = max(left - x, x - right, near - y, y - far, 0.0)
        best = min(best, out / 3.0)
    return best
