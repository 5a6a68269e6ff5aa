"""White Line Fever for a machine: where to drive, and how good a table is.

Estimates to choose by, in the middle of cars and not at their tyres; what is done is ruled as anybody's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from random import Random

import shapely

from engine.driver.pushing import clear, feet_to_nearest, first_met, told, until_touch
from engine.game.contract import Proposal, Seen, Worth
from engine.game.kit.table import standing_of
from engine.game.pushing import along, known
from engine.games.white_line_fever.acts.rounds import free_manoeuvre
from engine.games.white_line_fever.acts.shooting import unusable
from engine.games.white_line_fever.book.data import WEAPONS, Weapon
from engine.games.white_line_fever.rules.contacts import on_the_way
from engine.games.white_line_fever.rules.displacing import with_tokens
from engine.games.white_line_fever.rules.moves import DRIFT_IN, LEAST_RUN
from engine.games.white_line_fever.rules.shots import VENUS_RANGE
from engine.games.white_line_fever.state import Car, GameState
from engine.measure.sweep import Step, Straight, Turn
from engine.motion.recognition import pivots_of
from engine.space.geometry import Pose
from engine.space.table import Standing, Status, TableState, key_of

ANGLES = tuple(math.radians(a) for a in (-88, -65, -45, -25, -12, 12, 25, 45, 65, 88))
"""Turns that are tried, radians."""

ALIVE = 0.4
"""What a car counts for however little armour it has, of the 1 that a whole one counts for."""

NOTHING = -6.0
"""What is only done where nothing else is lawful counts for so little."""

MET = 10
"""Ways into something that are proposed, at the most."""

MORE, LOST = 0.05, 0.3
"""What another Maneuver is worth besides its shot, and what is lost with a car that is out of control."""

PAST_IN = (0.0, 0.1, 0.14, 0.18, 0.22)
"""Inches that a car is pushed onto a token that ends its way, until it is sure that it is reached."""

SURE_IN = 0.15
"""Inches that a car which must touch something is pushed into it: then nobody has to ask whether it does."""

SPINS = 0.03
"""What a Speed that is hard to hit is worth more than the next lower one."""


def proposals(state: GameState, seen: Seen, player: str, chance: Random) -> Iterable[Proposal]:
    """Maneuvers that meet nothing, others where there are none or for an opponent; whether to floor it."""
    turn = state.round
    table = seen.table
    if turn is None or state.duties or turn.hands != player or table is None:
        return
    if turn.stage == "free" and turn.car is not None:
        yield from _floors(state, table, state.car(turn.car))
    if turn.stage not in ("car", "move"):
        return
    # To choose a car without driving it gains nothing, nor does going back where a way ahead is free.
    yield Proposal("choose", words="chooses another car", guess=NOTHING)
    yield Proposal("reverse", data={"because": "collision"}, words="goes in reverse", guess=NOTHING)
    yield Proposal("reverse", data={"because": "surface"}, words="goes in reverse", guess=NOTHING)
    cars = [c.name for c in state.driving(turn.driver)] if turn.car is None else [turn.car]
    for name in cars:
        here = standing_of(table, name)
        if here is not None:
            yield from _drives(state, table, here, chance)


def _floors(state: GameState, table: TableState, car: Car) -> Iterator[Proposal]:
    """Another Maneuver with another shot, held against the car in an opponent's hands; shots come first."""
    turn, now = state.round, worth(state, table, car.owner)
    assert turn is not None
    assert now is not None
    done = 1.0 if free_manoeuvre(state, turn) else (6 - turn.manoeuvre) / 6.0
    theirs, sights = _theirs(state, car.owner), _sights(table)
    shot = _threat(state, car, theirs, *sights)
    # Some weapons are for the first Maneuver alone.
    then = replace(turn, acted=False, manoeuvre=turn.manoeuvre + 1)
    able = tuple(n for n in (car.primary, car.secondary) if not unusable(then, car, WEAPONS[n]))
    another = _threat(state, car, theirs, *sights, weapons=able)
    yield Proposal(
        "floor_it",
        guess=replace(
            now, own=now.own - shot * (not turn.acted), chance=now.chance + done * (MORE + another),
            danger=now.danger + (1.0 - done) * LOST,
        ),
    )  # fmt: skip


def _drives(state: GameState, table: TableState, car: Standing, chance: Random) -> Iterator[Proposal]:
    """Ways that meet nothing; what meets something where there is no other, or in an opponent's hands."""
    turn = state.round
    assert turn is not None
    others = [s for s in table.others(car.name) if s.piece.solid and s.status is not Status.LOST]
    meeting: list[tuple[Step, ...]] = []
    free = False
    for steps, way, good in _ways(state, table, car, others):
        if good:
            free = True
            yield _driven(car, steps, way)
        else:
            meeting.append(steps)
    if not free or turn.hands != turn.driver:
        # Where every way meets something, each may be the least evil, as far as it leads; and for a car that
        # is out of control in an opponent's hands it is the best.
        some = chance.sample(meeting, min(len(meeting), MET))
        cut = (until_touch(car, one, others, past=SURE_IN) for one in some)
        for steps in {told(steps): steps for steps in cut if steps}.values():
            yield _driven(car, steps, along(car.pose, steps))


def _driven(car: Standing, steps: tuple[Step, ...], way: tuple[Pose, ...]) -> Proposal:
    return Proposal("move", car.name, {"car": car.name}, way, steps, told(steps))


def _ways(
    state: GameState, table: TableState, car: Standing, others: Sequence[Standing]
) -> Iterator[tuple[tuple[Step, ...], tuple[Pose, ...], bool]]:
    """Every way once, as steps and poses, as far as tokens let a car go; and whether it meets nothing else.

    Those without tokens come first. What tokens do to a way takes long to find out: so it is, as that way is
    asked for, and of those alone that it meets before anything else.
    """
    turn = state.round
    assert turn is not None
    every = list(_manoeuvres(state.to_drive(car.name), car, bent=turn.bent, reverse=turn.reverse))
    ways = [along(car.pose, steps) for steps in every]
    ends = first_met(car, ways, others, table.surface)
    full = with_tokens(state, table)
    laid = [at for token in state.tokens if (at := standing_of(full, token.name)) is not None]
    at_token = list(zip(*(first_met(car, ways, [one]) for one in laid), strict=True)) or [()] * len(ways)
    over: list[tuple[tuple[Step, ...], bool, list[Standing]]] = []
    for steps, way, end, first in zip(every, ways, ends, at_token, strict=True):
        fits = end == len(way)
        if min(first, default=end) < end:
            over.append((steps, fits, [one for one, at in zip(laid, first, strict=True) if at < end]))
        else:
            yield steps, way, fits
    seen: set[str] = set()
    stopped = math.inf  # inches of a run straight ahead that a token ends
    for steps, fits, tokens in over:
        if _runs(steps[0]) >= stopped:
            continue
        cut = _over_tokens(state, car, steps, tokens)
        if len(cut) == 1 and _runs(cut[0]) and cut != steps:
            stopped = min(stopped, _runs(cut[0]))
        if told(cut) not in seen:
            seen.add(told(cut))
            way = along(car.pose, cut)
            yield cut, way, fits or clear(car, [way], others, table.surface)[0]


def _runs(step: Step) -> float:
    """The inches of a run that goes neither askew nor about a point; of others none."""
    return abs(step.ahead) if isinstance(step, Straight) and not step.left else 0.0


def _over_tokens(
    state: GameState, car: Standing, steps: tuple[Step, ...], laid: Sequence[Standing]
) -> tuple[Step, ...]:
    """The steps as far as tokens on their way let a car go: one may end them, or cost Speed."""
    plan = on_the_way(state, car, known(car.pose, steps), laid)
    ends = [one for one in laid if plan.broken is not None and one.name == plan.broken.other]
    for past in PAST_IN:
        cut = until_touch(car, steps, ends, past=past) if ends else _cut(steps, plan.inches + past)
        if not cut:
            continue
        then = on_the_way(state, car, known(car.pose, cut), laid)
        if math.isclose(then.inches, plan.inches) and (then.broken is None) == (plan.broken is None):
            return cut
    return steps


def _cut(steps: Iterable[Step], inches: float) -> tuple[Step, ...]:
    """The steps of which the runs come to so many inches."""
    found = []
    for step in steps:
        size = abs(step.ahead) if isinstance(step, Straight) else 0.0
        if inches <= 0.0:
            break
        found.append(step.part(min(1.0, inches / size)) if size else step)
        inches -= size
    return tuple(found)


def _manoeuvres(far: float, car: Standing, *, bent: bool, reverse: bool) -> Iterator[tuple[Step, ...]]:
    """Runs of that length with a turn or a drift in them."""
    sign = -1.0 if reverse else 1.0
    if far <= 0.0:
        return
    yield (Straight(sign * far),)
    if bent:
        return
    pivot = pivots_of(car.piece.body)[0]
    least = min(LEAST_RUN, far)
    places = dict.fromkeys(
        (0.0, far, *(float(k) for k in range(math.ceil(least), math.floor(far - least) + 1)))
    )
    for before in places:
        for angle in ANGLES:
            steps = (Straight(sign * before), Turn(angle, pivot), Straight(sign * (far - before)))
            yield tuple(s for s in steps if s.size > 1e-9)
    yield from ((Straight(sign * far, side),) for side in (-DRIFT_IN, DRIFT_IN))


# How good it is


def worth(state: GameState, table: TableState | None, player: str) -> Worth | None:
    """Armour and cars, shots to come of either side, room to drive in."""
    if state.over:
        return Worth.at_the_end(state.winner, player)
    mine = [c for c in state.cars if c.still_in and c.owner == player]
    theirs = _theirs(state, player)
    own, others = (
        sum(ALIVE + (1.0 - ALIVE) * state.armour(c) / 20.0 for c in cars) for cars in (mine, theirs)
    )
    if table is None:
        return Worth(own, others)
    places, wall = _sights(table)
    chance = sum(_threat(state, c, theirs, places, wall) for c in mine if c.driving)
    danger = sum(_threat(state, c, mine, places, wall) for c in theirs if c.driving)
    stuck = sum(_stuck(c, places.get(key_of(c.name)), table) for c in mine if c.driving)
    near = [c.name for c in theirs if c.driving]
    far = sum(feet_to_nearest(c.name, near, places) for c in mine if c.driving)
    speed = SPINS * sum(c.speed for c in mine if c.driving)
    return Worth(own + speed - stuck - 0.02 * far, others, chance, danger)


def _theirs(state: GameState, player: str) -> list[Car]:
    return [c for c in state.cars if c.still_in and c.owner != player]


def _sights(table: TableState) -> tuple[dict[str, Standing], shapely.Geometry | None]:
    """Where everything stands, by name, and what blocks sight."""
    walls = (s for s in table.standings if s.piece.blocks_sight and not s.piece.driven)
    wall = _walls(tuple(s for s in walls if s.status is not Status.LOST))
    return {key_of(s.name): s for s in table.standings}, wall


@lru_cache(maxsize=16)
def _walls(standings: tuple[Standing, ...]) -> shapely.Geometry | None:
    """What blocks sight; kept for the very same standings: walls stand while cars drive."""
    return shapely.union_all([s.region.polygon for s in standings]) if standings else None


def _threat(
    state: GameState, car: Car, targets: list[Car], places: dict[str, Standing],
    wall: shapely.Geometry | None, weapons: tuple[str, ...] | None = None,
) -> float:  # fmt: skip
    """The harm that a car may expect to do with its best shot from where it stands, in cars.

    With all its weapons, or these.
    """
    here = places.get(key_of(car.name))
    if here is None:
        return 0.0
    best = 0.0
    for target in targets:
        there = places.get(key_of(target.name))
        if there is None or not target.driving:
            continue
        for name in (car.primary, car.secondary) if weapons is None else weapons:
            weapon = WEAPONS.get(name)
            if weapon is None or weapon.maximum is None or name in car.spent:
                continue
            harm = _shot(car, here, target, there, weapon, wall)
            if harm >= state.armour(target) > 0:
                harm += 20.0 * ALIVE  # it may be the end of it
            best = max(best, harm)
    return best / 20.0


def _shot(
    car: Car, here: Standing, target: Car, there: Standing, weapon: Weapon, wall: shapely.Geometry | None
) -> float:
    """The damage to expect of one shot, judged by the cars' middles."""
    assert weapon.short is not None
    assert weapon.maximum is not None
    front, middle = here.pose.place(here.piece.body.length * 0.3, 0.0), (there.pose.x, there.pose.y)
    apart = max(math.dist(front, middle) - there.piece.body.length * 0.3, 0.0)
    bonus = VENUS_RANGE if car.brand == "Venus" else 0.0
    if apart > weapon.maximum + bonus:
        return 0.0
    ahead, _ = here.pose.to_body(there.pose.xy)
    if not weapon.all_round and ahead < 0.0:
        return 0.0
    seen = wall is None or weapon.ignores_obstacles
    if not seen and shapely.LineString([front, middle]).intersects(wall):
        return 0.0
    behind, _ = there.pose.to_body(front)
    extra = int(apart <= weapon.short + bonus) + int(behind < -there.piece.body.length * 0.3)
    extra += {"Streetsweeper": 2 if apart <= weapon.short + bonus else -1, "Plinker": -1}.get(weapon.name, 0)
    hits = min(max((9 - target.speed + extra) / 8.0, 0.0), 1.0)
    return hits * weapon.damage


def _stuck(car: Car, here: Standing | None, table: TableState) -> float:
    """How little room is left for the next Maneuver at this Speed: up to 1 for a car that has to leave."""
    if here is None:
        return 0.0
    room = 0.0
    floor = table.surface.polygon
    need = car.speed + here.piece.body.length / 2
    for turn in (0.0, 0.8, -0.8, 1.5, -1.5):
        way = here.pose.heading + turn
        end = (here.pose.x + need * math.cos(way), here.pose.y + need * math.sin(way))
        line = shapely.LineString([here.pose.xy, end])
        room = max(room, float(line.intersection(floor).length) / need)
        if room > 0.999:
            return 0.0
    return min(1.0, 2.0 * (1.0 - room))
