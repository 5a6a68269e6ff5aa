"""How a vehicle goes point by point, what it meets, and which ways fit what was seen."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Literal, NamedTuple

from engine.boards.board import Cell, facing_words
from engine.boards.points import STEPS
from engine.boards.trail import Fit, Trail
from engine.game.about import house
from engine.game.forms import Candidate
from engine.games.battlecars.book import data as book
from engine.games.battlecars.book.data import Formula
from engine.games.battlecars.rules import damage
from engine.games.battlecars.rules.damage import Harm
from engine.games.battlecars.rules.lines import cornered, incoming
from engine.games.battlecars.rules.pieces import directions, steps_between
from engine.games.battlecars.state import GameState, Play, Vehicle
from engine.ruling import many
from engine.words import listed

# A vehicle goes point by point: corners, counters on the way, skids, and what it runs into.

MOVEMENT = book.cite("Movement")
SKIDDING = book.cite("Skidding")
DRIFTING = book.cite("Skidding", "Drift Table")
FINAL = book.cite("Skidding", "Final Facing")
CRASHING = book.cite("Crashing and Ramming")
DAMAGE = book.cite("Crashing and Ramming", "Damage from Rams and Crashes")
RUN_OVER = book.cite("Pedestrians")
KILLED = book.cite("The Driver")
SLIDING = house("A bike that slides takes the tyres' damage on its side")

TREES = "trees"
EDGE = "the edge of the board"

RamKind = Literal["Head-On Ram", "Side Ram", "Shunt Ram"]


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a vehicle skids, and its Speed Difference."""

    words: str
    difference: int
    citation: str


@dataclass(frozen=True, slots=True)
class Obstacle:
    """What stops a vehicle before the next point: the edge, terrain or a wreck, or a vehicle to ram."""

    name: str
    sort: Literal["edge", "terrain", "wreck", "vehicle"]
    cell: Cell


def heading(vehicle: Vehicle) -> int:
    """The facing along which it moves: its own, in reverse the opposite one."""
    return (vehicle.facing + (book.SIDES // 2 if vehicle.speed < 0 else 0)) % book.SIDES


def ahead(state: GameState, vehicle: Vehicle, cell: Cell, way: int) -> Obstacle | None:
    """What stops it on the step from a point that way; bikes pass trees, which is rolled for."""
    dx, dy = STEPS[way % book.SIDES]
    there = cell[0] + dx, cell[1] + dy
    if not state.board.holds(there):
        return Obstacle(EDGE, "edge", there)
    for one in (*cornered(state, cell, there), state.terrain_at(there)):
        if one is not None and not (vehicle.bike and one.kind == TREES):
            return Obstacle(one.name, "terrain", there)
    other = state.at(there)
    if other is not None and other.name != vehicle.name:
        return Obstacle(other.name, "wreck" if other.wreck else "vehicle", there)
    return None


def trees_ahead(state: GameState, cell: Cell, way: int) -> tuple[str, ...]:
    """The trees that a bike drives through on that step, each corner and the point for itself."""
    there = cell[0] + STEPS[way % book.SIDES][0], cell[1] + STEPS[way % book.SIDES][1]
    found = [*cornered(state, cell, there), state.terrain_at(there)]
    return tuple(t.name for t in found if t is not None and t.kind == TREES)


class _Way:
    """A vehicle under way: the points since the last event are told together."""

    def __init__(self, play: Play, name: str, unseen: str = "") -> None:
        self.play, self.name, self._unseen = play, name, unseen
        here = self.vehicle
        assert here.cell is not None
        self.cell, self.facing = here.cell, here.facing
        self._cells: list[Cell] = []
        self.over = ""
        """By which sentence the turn is over; empty where it is not."""

    @property
    def vehicle(self) -> Vehicle:
        return self.play.state.vehicle(self.name)

    @property
    def by(self) -> str:
        vehicle = self.vehicle
        return vehicle.owner if vehicle.driver is None else self.play.state.person(vehicle.driver).owner

    def on(self, cell: Cell) -> None:
        self._cells.append(cell)
        self.cell = cell

    def told(self, words: str = "drives to", citation: str = MOVEMENT) -> None:
        """What was driven so far happens."""
        if self._cells or self.facing != self.vehicle.facing:
            cells = self._cells or [self.cell]
            where = self.play.state.board.name_of(cells[-1])
            # What was not seen of the way is told once, with its first part.
            unseen, self._unseen = self._unseen, ""
            more, data = (f" ({unseen})", {"unseen": unseen}) if unseen else ("", {})
            self.play.tell(
                "drove", f"{self.name} {words} {where}{more}", citation, vehicle=self.name,
                cells=[list(c) for c in cells], facing=self.facing, **data,
            )  # fmt: skip
        self._cells = []


@dataclass(frozen=True, slots=True)
class Drove:
    """How a drive ended: with `left` points that the driver chooses anew, or with the turn, by what rule."""

    left: int = 0
    over: str = ""


def drive(play: Play, name: str, corners: Sequence[int], unseen: str = "", halt: int | None = None) -> Drove:
    """A vehicle moves as many points as it has to go; after point k it corners by `corners[k]` eighths.

    It ends where it crashes, rams, or comes out of a skid with another facing. After a skid that took it off
    its way the driver chooses the rest anew. `unseen` is told of it: what the camera did not see of its way.
    With `halt` the driver goes so many points and chooses the rest after that.
    """
    way = _Way(play, name, unseen)
    count, k = play.state.to_go(way.vehicle), 0
    until = count if halt is None else min(halt, count)
    while k < until:
        if not _step(way, heading(replace(way.vehicle, facing=way.facing))):
            break
        causes = _arrive(way)
        here, corner = way.vehicle, corners[k]
        k += 1
        if here.wreck or here.driver is None:
            break
        over = abs(here.speed) - here.safe(corner) if corner else 0
        if over > 0:
            causes.append(Cause(f"a corner of {45 * abs(corner)}°", over, SKIDDING))
        if causes:
            drifted, goes_on = _skid(way, max(causes, key=lambda c: c.difference))
            k += drifted
            if not goes_on:
                break
            if (drifted or corner) and k < count:
                way.told()
                return Drove(left=count - k)
        else:
            way.facing = (way.facing + corner) % book.SIDES
    else:
        way.told()
        return Drove(left=max(count - k, 0))
    way.told()
    return Drove(over=way.over)


def runs_on(play: Play, name: str) -> None:
    """A vehicle in motion whose driver is dead skids at once and stands."""
    way = _Way(play, name)
    speed = abs(way.vehicle.speed)
    _skid(way, Cause("its driver is dead", speed, KILLED), stands=True)
    way.told()


def _step(way: _Way, direction: int) -> bool:
    """One point further; False where something stopped it."""
    play, vehicle = way.play, way.vehicle
    found = ahead(play.state, vehicle, way.cell, direction)
    if found is None and vehicle.bike:
        there = way.cell[0] + STEPS[direction][0], way.cell[1] + STEPS[direction][1]
        for trees in trees_ahead(play.state, way.cell, direction):
            if not _avoids(way, trees):
                found = Obstacle(trees, "terrain", there)
                break
    if found is not None:
        way.told()
        if found.sort == "vehicle":
            _ram(way, found, direction)
        else:
            _crash(way, found, direction)
        return False
    way.on((way.cell[0] + STEPS[direction][0], way.cell[1] + STEPS[direction][1]))
    if play.state.terrain_at(way.cell) is None:
        for person in play.state.walkers(way.cell):
            way.told()
            damage.kill(play, person, RUN_OVER)
    return True


def _avoids(way: _Way, what: str) -> bool:
    """Whether a bike gets past trees, mines or spikes: a D8 above its Speed."""
    way.told()
    speed = abs(way.vehicle.speed)
    (face,) = way.play.d8(f"{way.name} past {what}, above {speed}", MOVEMENT, way.by, (way.name,))
    past = face > speed
    words = f"{way.name} gets past {what}" if past else f"{way.name} does not get past {what}"
    way.play.tell("avoided", words, MOVEMENT, vehicle=way.name, what=what, past=past)
    return past


# Counters on the way


def _arrive(way: _Way) -> list[Cause]:
    """What the counters on a point do, and why the vehicle skids there."""
    play, causes = way.play, []
    for token in play.state.tokens_at(way.cell):
        if way.vehicle.bike and token.kind in (book.MINES, book.SPIKES) and not _avoids(way, token.name):
            pass
        elif way.vehicle.bike and token.kind in (book.MINES, book.SPIKES):
            continue
        way.told()
        rule = book.cite("Weapons", token.kind)
        words = f"{way.name} drives onto {token.name}"
        play.tell("ran onto", words, rule, vehicle=way.name, token=token.name, sort=token.kind)
        if token.kind in (book.MINES, book.SPIKES):
            _spiked(way, rule, token.kind)
        if token.kind == book.MINES:
            _mined(way, rule)
            play.tell(
                "removed", f"{token.name} has gone off and is removed", house("A mine goes off once"),
                token=token.name,
            )  # fmt: skip
        if token.kind in book.LEAST_DIFFERENCE:
            least = max(book.LEAST_DIFFERENCE[token.kind], abs(way.vehicle.speed))
            causes.append(Cause(token.kind, least, rule))
    damage.settle_wreck(play, way.name)
    return causes


def _spiked(way: _Way, rule: str, what: str) -> None:
    """A D8−3 for each tyre; what is more than it takes is lost."""
    play, vehicle = way.play, way.vehicle
    tyres = [t for t in vehicle.tyres if t.works]
    faces = play.d8(
        f"{what}: each tyre of {way.name} ({book.TYRE_SPIKED})", rule, way.by, (way.name,), len(tyres)
    )
    for face, tyre in zip(faces, tyres, strict=True):
        damage.broken(play, way.name, tyre, max(book.TYRE_SPIKED.of((face,)), 0), rule)


def _mined(way: _Way, rule: str) -> None:
    """A D8−2 inside, armour or not, in the section that a D8 says."""
    play, vehicle = way.play, way.vehicle
    (face,) = play.d8(f"section of {way.name} above the mine", rule, way.by, (way.name,))
    points = play.amount(book.MINE_DAMAGE, "damage of the mine", rule, way.by, way.name)
    damage.inside(
        play, way.name, book.SIDE_PARTS[face - 1], points, way.by, Harm(vehicle.component(damage.TANK).hits)
    )


# Skidding


def _skid(way: _Way, cause: Cause, *, stands: bool = False) -> tuple[int, bool]:
    """A skid: drift the way that it moved, damage, Final Facing. Points drifted, and whether it goes on."""
    play = way.play
    way.told()
    vehicle = way.vehicle
    speed, direction, row = abs(vehicle.speed), heading(vehicle), book.drift_of(cause.difference)
    why = f"{way.name} skids: points drifted"
    drifted = play.amount(row.distance, why, DRIFTING, way.by, way.name) if row.distance.dice else 0
    drift = many(drifted, "point")
    because = f"{'as' if stands else 'on'} {cause.words}"
    words = f"{way.name} skids {because}: Speed Difference {cause.difference}, {drift} drifted"
    play.tell(
        "skidded", words, cause.citation, vehicle=way.name, cause=cause.words, difference=cause.difference,
        drifted=drifted, tyres=row.tyres,
    )  # fmt: skip
    for _ in range(drifted):
        if not _step(way, direction):
            # The Drift Table takes its toll of the tyres wherever the drift ends.
            _scrape(way, row.tyres, 0, slid=False)
            damage.settle_wreck(play, way.name)
            return drifted, False
    way.told("drifts to", DRIFTING)
    facing = Formula(1, book.facing_modifier(speed))
    why = f"Final Facing of {way.name} ({facing}, {book.KEEPS} or less keeps it)"
    total = facing.of(play.d8(why, FINAL, way.by, (way.name,)))
    turned = book.final_facing(total)
    slid = vehicle.bike and turned != 0
    _scrape(way, row.tyres, turned, slid=slid)
    if turned and not stands:
        way.over = FINAL
    if slid and (trees := play.state.terrain_at(way.cell)) is not None and trees.kind == TREES:
        _crash(way, Obstacle(trees.name, "terrain", way.cell), direction)
    stops = turned != 0 or stands
    way.facing = (way.facing + turned) % book.SIDES
    faces = f"turns to face {facing_words(play.state.board, way.facing)}" if turned else "keeps its facing"
    words = f"{way.name} {faces} ({total})" + (" and stands" if stops else "")
    play.tell("swung", words, FINAL, vehicle=way.name, facing=way.facing, stops=stops, slid=slid)
    damage.settle_wreck(play, way.name)
    return drifted, not stops and not way.vehicle.wreck and way.vehicle.driver is not None


def _scrape(way: _Way, points: int, turned: int, *, slid: bool) -> None:
    """The Drift Table's damage: to each tyre, of a bike that slides to the side on which it lies."""
    if not points:
        return
    vehicle = way.vehicle
    if slid:
        side = "left" if turned < book.SIDES // 2 else "right"
        area = f"{side} centre"
        block = vehicle.block(damage.block_of(vehicle, area))
        come = 2 if side == "left" else 6
        if points and block.points:
            damage.strike(way.play, way.name, area, come, points, None, way.by, SLIDING)
        return
    for tyre in vehicle.tyres:
        damage.broken(way.play, way.name, tyre, points, DRIFTING)


# Crashing and Ramming


def _end_of(vehicle: Vehicle, direction: int) -> int:
    """The end with which it strikes as it moves that way: from the front 0, from the rear 4."""
    return 0 if (direction - vehicle.facing) % book.SIDES in (0, 1, 7) else book.SIDES // 2


def _stuns(velocity: int, *vehicles: Vehicle) -> tuple[list[str], str]:
    """The vehicles whose drivers are stunned at that relative velocity, and that for people."""
    found = [(v.name, v.driver) for v in vehicles if v.driver is not None and velocity >= book.STUNNED]
    if not found:
        return [], ""
    drivers = listed([f"the {driver}" for _, driver in found])
    return [name for name, _ in found], f"; {drivers} {'is' if len(found) == 1 else 'are'} stunned"


def _crash(way: _Way, found: Obstacle, direction: int) -> None:
    """It stands before what it ran into, which takes a point of damage."""
    play, vehicle = way.play, way.vehicle
    velocity, by = abs(vehicle.speed), way.by
    stunned, dazed = _stuns(velocity, vehicle)
    words = f"{way.name} crashes into {found.name} at velocity {velocity}{dazed}"
    more = {"terrain": found.name} if found.sort == "terrain" else {}
    play.tell(
        "crashed", words, CRASHING, vehicle=way.name, into=found.name, velocity=velocity, stunned=stunned,
        **more,
    )  # fmt: skip
    if found.sort != "edge":
        damage.mark(play, found.name, 1, found.cell)
    points = _crash_damage(way, velocity, by)
    come = _end_of(vehicle, direction)
    damage.strike(play, way.name, damage.any_area(play, vehicle, come, by), come, points, None, by, DAMAGE)


def ram_kind(target: Vehicle, direction: int) -> RamKind:
    """A ram by the direction that meets the target: within 45° of its front, of its rear, or a side."""
    met = (direction - heading(target)) % book.SIDES
    if met in (0, 1, 7):
        return "Shunt Ram"
    return "Head-On Ram" if met in (3, 4, 5) else "Side Ram"


def velocity_of(kind: RamKind, rammer: int, target: int) -> int:
    """The relative velocity of two speeds."""
    if kind == "Head-On Ram":
        return rammer + target
    return rammer if kind == "Side Ram" else abs(rammer - target)


def _ram(way: _Way, found: Obstacle, direction: int) -> None:
    """Both stand; the target takes full damage, the rammer half of it but for a head-on ram."""
    play, vehicle, target, by = way.play, way.vehicle, way.play.state.vehicle(found.name), way.by
    kind = ram_kind(target, direction)
    velocity = velocity_of(kind, abs(vehicle.speed), abs(target.speed))
    stunned, dazed = _stuns(velocity, vehicle, target)
    words = f"{way.name} rams {target.name}: {kind}, relative velocity {velocity}{dazed}"
    play.tell(
        "rammed", words, book.cite("Crashing and Ramming", kind),
        vehicle=way.name, other=target.name, ram=kind, velocity=velocity, stunned=stunned,
    )  # fmt: skip
    way.over = CRASHING
    points = _crash_damage(way, velocity, by)
    if not points:
        return
    met = incoming(target, direction)
    come = met if kind == "Side Ram" else 0 if met in (0, 1, 7) else book.SIDES // 2
    damage.strike(play, target.name, damage.any_area(play, target, come, by), come, points, None, by, DAMAGE)
    mine = points if kind == "Head-On Ram" else points // 2
    end = _end_of(vehicle, direction)
    if mine:
        damage.strike(play, way.name, damage.any_area(play, vehicle, end, by), end, mine, None, by, DAMAGE)


def _crash_damage(way: _Way, velocity: int, by: str) -> int:
    formula = book.crash_of(velocity)
    if formula is None:
        return 0
    return way.play.amount(formula, f"damage at relative velocity {velocity}", DAMAGE, by, way.name)


# The ways by the book that fit what was seen of a vehicle's move, the straightest first; what each means.

LISTED = 8
"""So many ways are offered; where more fit, its corners are typed instead (house default)."""


@dataclass(frozen=True, slots=True)
class Way:
    """Points from where a vehicle stood, the corner after each, its facing at the end, what it runs into."""

    cells: tuple[Cell, ...]
    corners: tuple[int, ...]
    facing: int
    into: str = ""

    @property
    def key(self) -> str:
        """The way as the value of an input: its points, then the facing."""
        return " ".join([*(f"{column},{row}" for column, row in self.cells[1:]), str(self.facing)])


@dataclass(frozen=True, slots=True)
class Ways:
    """The ways that fit, the straightest first; `more` where there are others besides."""

    found: tuple[Way, ...]
    more: bool = False


class _At(NamedTuple):
    """Where a way has come to: its last point and direction, its length, how it fits what was seen."""

    cell: Cell
    way: int
    gone: int
    fit: Fit


class _Begun(NamedTuple):
    """A way as far as it is laid, the one before others that has to turn least on the whole."""

    turns: int
    length: int
    number: int
    cells: tuple[Cell, ...]
    corners: tuple[int, ...]
    at: _At | None


NOWHERE = 1_000
"""More eighths than any way turns."""


class _Search:
    """Lays ways point by point, always going on with the one that has to turn least on the whole."""

    def __init__(self, state: GameState, vehicle: Vehicle, trail: Trail, facing: int) -> None:
        self._state, self._vehicle, self._trail, self._facing = state, vehicle, trail, facing
        self._speed, self._sharpest = state.to_go(vehicle), vehicle.layout.sharpest
        self._after = replace(vehicle, facing=facing)
        self._met: dict[tuple[Cell, int], Obstacle | None] = {}
        self._further: dict[_At, tuple[tuple[int, _At], ...]] = {}
        self._least: dict[_At, int] = {}

    def ways(self) -> Ways:
        start = _At(self._trail.cells[0], heading(self._vehicle), 0, self._trail.begun())
        number = count(1)
        laid = [_Begun(self._togo(start), 1, 0, (start.cell,), (), start)]
        found: list[Way] = []
        while laid and len(found) <= LISTED:
            begun = heapq.heappop(laid)
            if begun.turns >= NOWHERE:
                break
            if begun.at is None:
                found.append(self._way(begun))
                continue
            for further in self._laid_on(begun, begun.at):
                heapq.heappush(laid, further._replace(number=next(number)))
        return Ways(tuple(found[:LISTED]), more=len(found) > LISTED)

    def _laid_on(self, begun: _Begun, at: _At) -> Iterator[_Begun]:
        """The way with one point more, in every direction, and as it ends here."""
        before = sum(map(abs, begun.corners))
        last = self._last(at)
        if last is not None:
            corners = (*begun.corners, *([last] if at.gone else []), *[0] * (self._speed - at.gone))
            yield _Begun(before + abs(last), begun.length, 0, begun.cells, corners, None)
        for corner, there in self._onward(at):
            corners = (*begun.corners, corner) if at.gone else ()
            turns = before + abs(corner) + self._togo(there)
            yield _Begun(turns, begun.length + 1, 0, (*begun.cells, there.cell), corners, there)

    def _way(self, begun: _Begun) -> Way:
        met = None
        if len(begun.cells) <= self._speed:
            met = self._ahead(begun.cells[-1], heading(self._after))
        return Way(begun.cells, begun.corners, self._facing, "" if met is None else met.name)

    def _last(self, at: _At) -> int | None:
        """The corner with which a way ends here, with its whole Speed or before what it would run into."""
        last = _corner(at.way, heading(self._after))
        if not self._trail.done(at.fit) or abs(last) > (self._sharpest if at.gone else 0):
            return None
        ends = at.gone == self._speed or self._ahead(at.cell, heading(self._after)) is not None
        return last if ends else None

    def _onward(self, at: _At) -> tuple[tuple[int, _At], ...]:
        """Where a way may go on to, every direction with its corner: free, and over what was seen."""
        if at not in self._further:
            self._further[at] = tuple(self._steps(at))
        return self._further[at]

    def _steps(self, at: _At) -> Iterator[tuple[int, _At]]:
        for way in range(book.SIDES):
            corner = _corner(at.way, way)
            if abs(corner) > (self._sharpest if at.gone else 0) or self._ahead(at.cell, way) is not None:
                continue
            there = (at.cell[0] + STEPS[way][0], at.cell[1] + STEPS[way][1])
            fit = self._trail.onward(at.fit, there, steps_between)
            if fit and at.gone + 1 + self._trail.left(fit, there, steps_between) <= self._speed:
                yield corner, _At(there, way, at.gone + 1, fit)

    def _togo(self, at: _At) -> int:
        """How many eighths a way has to turn from here on at the least."""
        if at not in self._least:
            last = self._last(at)
            on = [abs(corner) + self._togo(there) for corner, there in self._onward(at)]
            self._least[at] = min([NOWHERE if last is None else abs(last), *on])
        return self._least[at]

    def _ahead(self, cell: Cell, way: int) -> Obstacle | None:
        if (cell, way) not in self._met:
            self._met[cell, way] = ahead(self._state, self._vehicle, cell, way)
        return self._met[cell, way]


def _corner(way: int, other: int) -> int:
    """The corner from one direction into another, eighths from −3 to 4, left above 0."""
    return (other - way + 3) % book.SIDES - 3


def ways_over(state: GameState, vehicle: Vehicle, trail: Trail, facing: int) -> Ways:
    """The ways by the book over what was seen of a vehicle, to where it rests with that facing."""
    return _Search(state, vehicle, trail, facing).ways()


def in_reach(state: GameState, vehicle: Vehicle) -> tuple[Cell, ...]:
    """The points where a move ends that goes all its points and takes no die.

    By safe corners, into nothing, over no counter and, of a bike, through no trees.
    """
    if vehicle.cell is None:
        return ()
    count, lying = state.to_go(vehicle), {token.cell for token in state.tokens}
    safe = [k for k in range(vehicle.layout.sharpest + 1) if not k or abs(vehicle.speed) <= vehicle.safe(k)]
    turns = sorted({turn for k in safe for turn in (k, -k)})
    free: dict[tuple[Cell, int], bool] = {}
    at = {(vehicle.cell, heading(vehicle))}
    for gone in range(count):
        # The first point is the one straight on; from then on it may corner after each.
        headed = {(cell, (way + turn) % book.SIDES) for cell, way in at for turn in (turns if gone else [0])}
        for cell, way in headed - free.keys():
            through = vehicle.bike and trees_ahead(state, cell, way)
            free[cell, way] = not through and ahead(state, vehicle, cell, way) is None
        on = {((c[0] + STEPS[way][0], c[1] + STEPS[way][1]), way) for c, way in headed if free[c, way]}
        at = {(cell, way) for cell, way in on if cell not in lying}
    return tuple(sorted({cell for cell, _ in at}))


# What a way means


def steps_words(state: GameState, cells: tuple[Cell, ...]) -> tuple[str, ...]:
    """A way in words: its points by name, with the corners between them; nothing where points are missing."""
    ways = directions(cells)
    if ways is None:
        return ()
    board, found = state.board, []
    for k, (cell, way) in enumerate(zip(cells[1:], ways, strict=True)):
        turn = _corner(ways[k - 1], way) if k else 0
        if turn:
            found.append(f"{45 * abs(turn)}° {'left' if turn > 0 else 'right'}")
        found.append(board.name_of(cell))
    return tuple(found)


def corners_words(corners: Sequence[int]) -> str:
    """Corners for people, each with the point after which it is.

    >>> corners_words([0, 1, -2]), corners_words([0, 0])
    ('45° left after point 2, 90° right after point 3', 'straight on')
    """
    found = [
        f"{45 * abs(corner)}° {'left' if corner > 0 else 'right'} after point {k}"
        for k, corner in enumerate(corners, start=1)
        if corner
    ]
    return ", ".join(found) or "straight on"


def skids(vehicle: Vehicle, corners: tuple[int, ...]) -> Iterator[str]:
    """The corners of a way that are too fast."""
    for k, corner in enumerate(corners, start=1):
        if corner and abs(vehicle.speed) > vehicle.safe(corner):
            yield f"skids after point {k}: {45 * abs(corner)}° is safe at {vehicle.safe(corner)}"


def offered(state: GameState, vehicle: Vehicle, way: Way) -> Candidate:
    """A way to be picked: over which points with which corners, how many, and what it costs."""
    gone = len(way.cells) - 1
    words = ", ".join(steps_words(state, way.cells)) or "it stays"
    told = [many(gone, "point"), f"rests facing {facing_words(state.board, way.facing)}"]
    return Candidate(way.key, words, "; ".join([*told, *_costs(state, vehicle, way)]))


def _costs(state: GameState, vehicle: Vehicle, way: Way) -> Iterator[str]:
    """What comes of a way besides: skids, what lies or walks on it, what it runs into."""
    yield from skids(vehicle, way.corners)
    yield from passes(state, vehicle, way)
    if way.into:
        yield f"runs into {way.into}"


def passes(state: GameState, vehicle: Vehicle, way: Way) -> Iterator[str]:
    """The counters and people on the points of a way, and the trees that a bike goes through."""
    for cell in way.cells[1:]:
        met = [*(t.name for t in state.tokens_at(cell)), *(f"the {p.name}" for p in state.walkers(cell))]
        if met:
            yield f"over {listed(met)} on {state.board.name_of(cell)}"
    if vehicle.bike:
        steps = zip(way.cells, directions(way.cells) or (), strict=False)
        yield from (f"through {trees}" for cell, d in steps for trees in trees_ahead(state, cell, d))
