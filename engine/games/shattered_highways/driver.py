"""Shattered Highways for a machine: where a vehicle is slid within its template, and how good a fleet is.

Estimates to choose by, not to rule by: vehicles are boxes along the road, a roll is its mean.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, permutations
from random import Random

from engine.boards.road import Road
from engine.driver.pushing import clear
from engine.game.contract import Proposal, Seen, Worth
from engine.game.kit.table import standing_of
from engine.game.pushing import straight_to
from engine.games.shattered_highways.acts.rounds import strength, to_deploy
from engine.games.shattered_highways.book.data import HERO_RANGE, HIT, Side, weapon_called
from engine.games.shattered_highways.rules import moves
from engine.games.shattered_highways.state import GameState, Turn, Vehicle, Warrior
from engine.space.geometry import Pose
from engine.space.table import Standing, TableState

POINT, RUNS = 0.05, 0.5
"""What a hit point is worth, and that a vehicle still runs."""

FIGHTER, LAST = 0.12, 0.6
"""What a warrior who can fight is worth, a hero twice; and a crew, half of which goes with each who falls."""

DRIVEN, MANNED = 0.8, 0.04
"""What a driver at the wheel is worth, and somebody at a weapon: a vehicle without a driver falls back."""

NOW = 0.9
"""What harm counts that a warrior may still do in this turn, of what it counts once it is done."""

HOPE = 0.6
"""What a place counts that a vehicle may still be moved to, of what it counts once it is there."""

NEAR, AWAY = 0.5, 30.0
"""What a weapon counts that has nobody in reach, and how many inches farther off it counts for nothing."""

CHANGED = 0.01
"""What a change of seats costs: whoever changed acts at -1 in this round."""

PISTOL = 0.05
"""The harm to expect of a hero's own weapon."""

RAMMED, BACK = 4.1, 1.9
"""Damage of a Ram to the one and the other, in the mean."""

LATER = 3
"""Rounds to come, at the most, in which the same harm is expected once more."""

LEAD, SWING, A_POINT, A_WARRIOR = 1.0, 6.0, 3.0, 0.5
"""What it counts to be sure of what decides after the agreed rounds; by how many hit points that swings in
a round; and how many of them a creation point is worth there, and a warrior.
"""

NOTHING = -6.0
"""What is only done where nothing else is lawful counts for so little."""

ORDERS = 24
"""Play orders that are weighed, at the most."""

LEFT_BEHIND = 0.8
"""What it costs to stand against the back edge: a Move that fails is the last."""

LEFT, LEFT_IN = 0.2, 40.0
"""What it costs that others are so many inches ahead: the fleet's next shift leads to the back edge."""

URGENT = 8.0
"""How much more it counts for a player who would lose by creation points after the agreed rounds."""

GAP, SURE = 0.04, 0.5
"""Inches left between two vehicles that touch, and by how much they overlap so that their sides are sure."""


@dataclass(frozen=True, slots=True)
class Box:
    """A vehicle on the road, inches along and across it from its rear right corner."""

    rear: float
    front: float
    right: float
    left: float

    def shifted(self, ahead: float, aside: float) -> Box:
        """The same elsewhere."""
        return Box(self.rear + ahead, self.front + ahead, self.right + aside, self.left + aside)

    def within(self, road: Road) -> bool:
        """Whether all of it is on the road, where a vehicle begins."""
        return min(self.rear, self.right, road.width - self.left) >= 0.0

    def apart(self, other: Box) -> float:
        """Inches from edge to edge."""
        along = max(self.rear - other.front, other.rear - self.front, 0.0)
        return math.hypot(along, max(self.right - other.left, other.right - self.left, 0.0))

    def faces(self, arc: str, other: Box) -> bool:
        """Whether a part of the other lies on that side of it."""
        match arc:
            case "fore":
                return other.front > self.front
            case "aft":
                return other.rear < self.rear
            case "left":
                return other.left > self.left
        return other.right < self.right


@lru_cache(maxsize=256)
def _box(bodies: tuple[Standing, ...], road: Road) -> Box:
    """What the bodies of a vehicle take of the road; kept for the very same standings."""
    low_x = low_y = math.inf
    high_x = high_y = -math.inf
    for one in bodies:
        corners = road.frame.to_body(one.pose.to_table(one.piece.body.footprint.outline))
        (x0, y0), (x1, y1) = corners.min(axis=0), corners.max(axis=0)
        low_x, low_y, high_x, high_y = min(low_x, x0), min(low_y, y0), max(high_x, x1), max(high_y, y1)
    return Box(float(low_x), float(high_x), float(low_y), float(high_y))


def _boxes(state: GameState, table: TableState, road: Road) -> dict[str, Box]:
    """The vehicles in play that are seen, by name."""
    seen = ((v.name, moves.bodies_of(table, v.name)) for v in state.in_play())
    return {name: _box(bodies, road) for name, bodies in seen if bodies}


# Where to


def proposals(state: GameState, seen: Seen, player: str, chance: Random) -> Iterable[Proposal]:
    """Places within the template on a straight, clear way, Rams among them; and where to begin."""
    table = seen.table
    if state.over or table is None or state.duties:
        return
    if to_deploy(state) == player:
        yield from _deploys(state, table, player)
    turn = state.turn
    if turn is None and not state.queue and player in state.to_number:
        yield from _orders(state, table, player, state.to_number[player])
    if turn is None or turn.hands != player:
        return
    if turn.late and state.driver(turn.vehicle) is not None:
        # Against the back edge a change of seats only makes the one Move harder that is left.
        yield Proposal("change", words="changes seats", guess=NOTHING)
    if turn.stage != "moving":
        return
    here = standing_of(table, turn.vehicle)
    if here is None:
        return
    road, bodies = moves.road_of(state, table), table.vehicle(turn.vehicle)
    frame = Pose(here.pose.x, here.pose.y, road.heading)

    def to(shift: tuple[float, float]) -> tuple[Pose, ...]:
        x, y = frame.to_table(shift)
        return straight_to(here.pose, Pose(float(x), float(y), here.pose.heading))

    long, side = _reach(state, turn.vehicle, _box(bodies, road))
    shifts = [
        *_shifts(long, side),
        *((chance.uniform(0.0, long), chance.uniform(-side, side)) for _ in "1234"),
    ]
    ways = [to(shift) for shift in shifts]
    others = [s for s in table.others(*(b.name for b in bodies)) if s.piece.solid]
    for (ahead, left), way, good in zip(shifts, ways, clear(here, ways, others, table.surface), strict=True):
        if good:
            yield Proposal("moved", turn.vehicle, {"vehicle": turn.vehicle}, way, words=_words(ahead, left))
    if turn.late:
        return
    # A Nudge gains a point at the most for one that it costs: only where nothing else is lawful.
    yield Proposal("nudge", data={"vehicle": turn.vehicle}, words="nudges", guess=NOTHING)
    for name, mine, shift in _rams(state, _boxes(state, table, road), turn.vehicle):
        data = {"vehicle": turn.vehicle, "targets": [name], "side": mine}
        yield Proposal("ram", turn.vehicle, data, to(shift), words=f"rams {name} with its {mine}")


def _orders(state: GameState, table: TableState, player: str, names: Sequence[str]) -> Iterator[Proposal]:
    """Play orders, chosen in secret: the sooner those shoot who may do most harm, the better."""
    boxes = _boxes(state, table, moves.road_of(state, table))
    harm = _Fleet.of(state, boxes, player).harm(boxes)
    most = sorted(names, key=lambda name: -harm.get(name, 0.0))
    for order in islice(permutations(most), ORDERS):
        guess = sum(harm.get(name, 0.0) / number for number, name in enumerate(order, start=1))
        yield Proposal("order", data={"vehicles": list(order)}, guess=guess)


def _words(ahead: float, left: float) -> str:
    told = f"moves {abs(ahead):.0f} in {'ahead' if ahead >= 0 else 'back'}"
    return told + (
        f" and {abs(left):.1f} in to the {'left' if left > 0 else 'right'}" if abs(left) > 0.2 else ""
    )


def _reach(state: GameState, name: str, box: Box) -> tuple[float, float]:
    """How far it may be slid along the road, either way, and across it, inches: a little less is sure."""
    rows = moves.class_rows(state, name) or moves.ROWS
    return rows * moves.SECTION - 0.15, max((moves.WIDTH - (box.left - box.right)) / 2 - 0.1, 0.0)


def _shifts(long: float, side: float) -> list[tuple[float, float]]:
    return [
        (share * long, left)
        for share in (1.0, 0.75, 0.5, 0.25, 0.0, -0.25, -0.5, -0.75, -1.0)
        for left in (-side, 0.0, side)
        if share or left
    ]


def _rams(
    state: GameState, boxes: Mapping[str, Box], name: str
) -> Iterator[tuple[str, Side, tuple[float, float]]]:
    """Whom it can be moved up against, with which side, and by how much it is slid."""
    box = boxes.get(name)
    if box is None:
        return
    long, side = _reach(state, name, box)
    control = state.vehicle(name).control
    for other, there in boxes.items():
        if state.vehicle(other).control == control:
            continue
        for left in (0.0, side, -side):
            moved = box.shifted(0.0, left)
            if min(moved.left, there.left) - max(moved.right, there.right) < SURE:
                continue
            ends: tuple[tuple[Side, float], ...] = (
                ("front", there.rear - box.front - GAP), ("rear", there.front - box.rear + GAP)
            )  # fmt: skip
            yield from ((other, mine, (ahead, left)) for mine, ahead in ends if abs(ahead) <= long)
        beside: tuple[tuple[Side, float], ...] = (
            ("left", there.right - box.left - GAP), ("right", there.left - box.right + GAP)
        )  # fmt: skip
        ahead = max(-long, min(long, (there.rear + there.front - box.rear - box.front) / 2))
        moved = box.shifted(ahead, 0.0)
        if min(moved.front, there.front) - max(moved.rear, there.rear) >= SURE:
            yield from ((other, mine, (ahead, left)) for mine, left in beside if abs(left) <= side)


def _deploys(state: GameState, table: TableState, player: str) -> Iterator[Proposal]:
    """Behind, ahead of and beside those who stand already; else about the middle of the road."""
    road = moves.road_of(state, table)
    boxes = _boxes(state, table, road)
    theirs = [b for name, b in boxes.items() if state.vehicle(name).control != player]
    for v in state.fleet(player):
        here = standing_of(table, v.name)
        if v.status != "waiting" or here is None:
            continue
        # As it will stand, facing along the road.
        bodies = table.vehicle(v.name)
        turned = Pose(here.pose.x, here.pose.y, road.heading)
        shift = turned.compose(here.pose.inverse())
        straight = tuple(replace(b, pose=shift.compose(b.pose)) for b in bodies)
        box = _box(straight, road)
        goals = [
            (share * road.length - box.front, (road.width - box.left - box.right) / 2 + off)
            for share in (0.5, 0.4, 0.6)
            for off in (0.0, 4.0, -4.0)
        ]
        # As far ahead as one may begin.
        goals += [
            (road.length - state.house.front_room - 0.2 - box.front, across)
            for across in (b.right - box.right for b in (box, *theirs))
        ]
        for one in theirs:
            for gap in (1.0, 3.0):
                across = (one.right + one.left - box.right - box.left) / 2
                goals += [(one.rear - gap - box.front, across), (one.front + gap - box.rear, across)]
                goals += [(one.rear - 0.5 - box.rear, one.left + gap - box.right)]
                goals += [(one.rear - 0.5 - box.rear, one.right - gap - box.left)]
        if state.deployment == "chase":
            goals = [*_in_rows(state, box, boxes, road, player), *goals]
        places = ((goal, box.shifted(*goal)) for goal in goals)
        lies = [_box(table.vehicle(n), road) for n in moves.seen_of(table, state.vehicles) if n != v.name]
        ahead = road.length - state.house.front_room - GAP
        lawful = [
            goal
            for goal, b in places
            if b.within(road) and b.front <= ahead and all(b.apart(other) > GAP for other in lies)
            and _in_order(state, b, boxes, road, player)
        ]  # fmt: skip
        ends = [turned.compose(Pose(*goal)) for goal in lawful]
        others = [s for s in table.others(*(b.name for b in bodies)) if s.piece.solid]
        for end, good in zip(ends, clear(here, [(e,) for e in ends], others, table.surface), strict=True):
            if good:
                way = straight_to(here.pose, end)
                yield Proposal("deploy", v.name, {"vehicle": v.name}, way, words="is put down")


def _in_rows(
    state: GameState, box: Box, boxes: Mapping[str, Box], road: Road, player: str
) -> Iterator[tuple[float, float]]:
    """Shifts into rows of a chase: from the middle of the road ahead, or from it or whoever is ahead back."""
    most, long = road.length - state.house.front_room - 0.2, box.front - box.rear
    if player == state.first:
        nose, step = most / 2 + long + GAP, long + 1.0
    else:
        tails = (b.rear for name, b in boxes.items() if state.vehicle(name).owner == state.first)
        nose, step = min([most / 2, *(tail - 1.0 for tail in tails)]), -(long + 1.0)
    spare = road.width - (box.left - box.right)
    while 0.0 < nose <= most:
        yield from ((nose - box.front, share * spare - box.right) for share in (0.5, 0.2, 0.8, 0.35, 0.65))
        nose += step


def _in_order(state: GameState, box: Box, boxes: Mapping[str, Box], road: Road, player: str) -> bool:
    """Whether a place keeps to its half of the road, and whoever is chased ahead, where there is a chase."""
    if state.deployment != "chase":
        return True
    leads, middle = player == state.first, (road.length - state.house.front_room) / 2
    if box.rear < middle if leads else box.front > middle:
        return False
    others = (b for name, b in boxes.items() if (state.vehicle(name).owner == state.first) != leads)
    return all((box.rear - b.front if leads else b.rear - box.front) >= SURE for b in others)


# How good it is


def worth(state: GameState, table: TableState | None, player: str) -> Worth | None:
    """Vehicles under control, their hits and crews; whom they may harm, and who may harm them."""
    if state.over:
        return Worth.at_the_end(state.winner, player)
    own = others = 0.0
    backward = {name for duty in state.duties for name in duty.back}
    for v in state.vehicles:
        value = _whole(v, v.name in backward) + (_manned(state, v) if v.in_play else 0.0)
        own, others = (own + value, others) if v.control == player else (own, others + value)
    own -= CHANGED * sum(w.changed and w.owner == player for w in state.warriors)
    for p in state.players:
        value = _crew([w for w in state.warriors if w.owner == p and not w.out])
        own, others = (own + value, others) if p == player else (own, others + value)
    lead = _lead(state, player)
    if table is None:
        return Worth(own, others, progress=lead)
    boxes, turn = _boxes(state, table, moves.road_of(state, table)), state.turn
    fleet = _Fleet.of(state, boxes, player)
    now, chance, danger = fleet.promise(boxes)
    if turn is not None and turn.hands == player and turn.stage == "moving" and turn.vehicle in boxes:
        box = boxes[turn.vehicle]
        found = [(now, chance, danger)]
        for shift in _shifts(*_reach(state, turn.vehicle, box)):
            found.append(fleet.promise({**boxes, turn.vehicle: box.shifted(*shift)}))
        best = max(found, key=lambda f: f[0] + 0.6 * (f[1] - f[2]))
        now, chance, danger = (a + HOPE * (b - a) for a, b in zip(found[0], best, strict=True))
        rams = [_rammed(state, turn.vehicle, name) for name, _, _ in _rams(state, boxes, turn.vehicle)]
        now += HOPE * max([0.0, *rams])
    return Worth(own + NOW * now, others, chance, danger, lead)


def _points(state: GameState, player: str) -> int:
    """The creation points that a player is ahead of the others, by what they control."""
    mine = strength(state, player)[0]
    return mine - max((strength(state, p)[0] for p in state.alive if p != player), default=mine)


def _lead(state: GameState, player: str) -> float:
    """How sure the player is to win by what decides after the agreed rounds: the surer the nearer that is."""
    last = state.house.rounds
    if not last or not state.round:
        return 0.0
    mine = strength(state, player)
    best = max((strength(state, p) for p in state.alive if p != player), default=mine)
    points, hits, warriors = (a - b for a, b in zip(mine, best, strict=True))
    ahead = A_POINT * points + hits + A_WARRIOR * warriors
    swing = SWING * math.sqrt(last - state.round + 0.5)
    return LEAD * math.erf(ahead / (math.sqrt(2.0) * swing))


def _later(state: GameState) -> float:
    """Rounds that are still to come, as far as they are looked at."""
    last = state.house.rounds
    return float(min(LATER, last - state.round)) if last else float(LATER)


def _whole(v: Vehicle, backward: bool) -> float:
    """What is left of it; less where it stands against the back edge, or will by what has to be done."""
    if not (v.in_play or v.status in ("waiting", "hidden")):
        return 0.0
    return RUNS + POINT * (v.hits + (v.trailer or 0)) - LEFT_BEHIND * (backward or v.status == "behind")


def _crew(warriors: Sequence[Warrior]) -> float:
    """What those who can fight are worth: the last are worth the most, since without one all is lost."""
    return FIGHTER * sum(1 + w.hero for w in warriors) + LAST * (1.0 - 0.5 ** len(warriors))


def _manned(state: GameState, v: Vehicle) -> float:
    """What the seats of a vehicle are worth as they are taken by those who control it."""
    seats = [w.seat or "" for w in state.aboard(v.name) if w.owner == v.control]
    # Whoever drags a destroyed trailer falls back like one whom nobody drives.
    driven = 0.0 if v.dragging else DRIVEN * ("D" in seats)
    return driven + MANNED * sum(seat.startswith("W") for seat in seats)


@dataclass(frozen=True)
class _Fleet:
    """All that harm hangs on but for where vehicles stand: looked up once for many places."""

    state: GameState
    player: str
    vehicles: Mapping[str, Vehicle]
    aboard: Mapping[str, Sequence[Warrior]]
    urgent: float
    rounds: float

    @classmethod
    def of(cls, state: GameState, names: Iterable[str], player: str) -> _Fleet:
        """The vehicles of these names, as a player looks at them."""
        vehicles = {name: state.vehicle(name) for name in names}
        aboard = {name: tuple(state.aboard(name)) for name in vehicles}
        urgent = URGENT if _points(state, player) < 0 else 1.0
        return cls(state, player, vehicles, aboard, urgent, _later(state))

    def promise(self, boxes: Mapping[str, Box]) -> tuple[float, float, float]:
        """The harm that the player may still do in this turn, may do in a later one, and may suffer."""
        now = chance = danger = 0.0
        turn = self.state.turn
        for name, box in boxes.items():
            v = self.vehicles[name]
            left = self._left(boxes, v, box)
            if v.control == self.player:
                danger += left
            else:
                chance += self.urgent * left
            acts = turn if turn is not None and turn.vehicle == name and turn.hands == self.player else None
            for warrior in self.aboard[name]:
                targets = [
                    (self.vehicles[n], b) for n, b in boxes.items()
                    if self.vehicles[n].control != warrior.owner
                ]  # fmt: skip
                later, at_once = _harm(box, targets, v, warrior, acts)
                if warrior.owner == self.player:
                    now, chance = now + at_once, chance + self.rounds * later
                else:
                    danger += self.rounds * later
        return now, chance, danger

    def harm(self, boxes: Mapping[str, Box]) -> dict[str, float]:
        """The harm to expect of each vehicle of the player from where it stands."""
        found = {}
        for name, box in boxes.items():
            v = self.vehicles[name]
            theirs = [
                (self.vehicles[n], b) for n, b in boxes.items() if self.vehicles[n].control != self.player
            ]
            mine = (w for w in self.aboard[name] if w.owner == self.player)
            found[name] = sum(_harm(box, theirs, v, w, None)[0] for w in mine)
        return found

    def _left(self, boxes: Mapping[str, Box], v: Vehicle, box: Box) -> float:
        """What it costs that others are ahead: whoever reaches the front edge sets everybody back."""
        fronts = (b.front - box.rear for n, b in boxes.items() if self.vehicles[n].control != v.control)
        return LEFT * min(max((0.0, *fronts)) / LEFT_IN, 1.0)


def _harm(
    here: Box, targets: Sequence[tuple[Vehicle, Box]], v: Vehicle, warrior: Warrior, turn: Turn | None
) -> tuple[float, float]:
    """The harm to expect of a warrior in a later turn, and in this one where it is their vehicle's."""
    later = at_once = 0.0
    idle = turn is not None and turn.stage != "over" and not warrior.acted
    if warrior.seat is not None and warrior.seat[0] == "W" and not v.dragging:
        number = int(warrior.seat[1:])
        mount = v.mounts[number - 1]
        weapon = weapon_called(mount.weapon)
        for target, box in targets if not mount.jammed else ():
            over = here.apart(box) - weapon.reach
            reached = over <= 0.0 and here.faces(mount.arc, box)
            share = 1.0 if reached else NEAR * max(0.0, 1.0 - max(over, 0.0) / AWAY)
            later = max(later, share * _shot(warrior.die, 0, weapon.bonus, target))
            if reached and idle and turn is not None and number not in turn.cleared:
                less = warrior.changed + warrior.clung
                at_once = max(at_once, _shot(warrior.die, less, weapon.bonus, target))
    elif warrior.hero and not warrior.jammed and any(here.apart(box) <= HERO_RANGE for _, box in targets):
        later, at_once = PISTOL, PISTOL * idle
    return later, at_once


def _shot(die: int, less: int, bonus: int, target: Vehicle) -> float:
    """The harm to expect of a shot at a vehicle."""
    damage = 3.5 + bonus
    ends = RUNS if damage >= target.hits + (target.trailer or 0) else 0.0
    return max(0, die + 1 - HIT - less) / die * (POINT * damage + ends)


def _rammed(state: GameState, name: str, target: str) -> float:
    """What a Ram gains, damage to either side held against one another."""
    mine, theirs = state.driver(name), state.driver(target)
    if mine is None:
        return 0.0
    die = 6 if theirs is None else theirs.die
    won = sum(min(k - 1, die) for k in range(1, mine.die + 1)) / (mine.die * die)
    there = state.vehicle(target)
    ends = RUNS if there.hits + (there.trailer or 0) <= RAMMED else 0.0
    return won * (POINT * (RAMMED - BACK) + ends)
