"""Was that a move by the notes: its length, turns, drift and way; and what it met."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from shapely.affinity import rotate, translate
from shapely.geometry import LineString, MultiLineString, Point, Polygon

from engine.game.about import house
from engine.game.kit.free_moves import HALTS, halts, straight_line, turns_away
from engine.game.kit.table import standing_of
from engine.games.car_cult.book import data as book
from engine.games.car_cult.book.data import HouseRules
from engine.games.car_cult.rules.attacks import ROUGH as GROUND
from engine.games.car_cult.rules.attacks import hurt, in_play, resolve
from engine.games.car_cult.state import Duty, GameState, Play
from engine.measure.contacts import Contact, contacts
from engine.measure.sweep import (
    THE_EDGE,
    Step,
    Straight,
    Turn,
    edge_margins,
    gaps_along,
    poses_along,
    way_through,
)
from engine.measure.uncertainty import SEED, gap_sd
from engine.motion.fit import WOBBLE
from engine.motion.moves import Move
from engine.motion.recognition import Done, Manoeuvre, up_to
from engine.ruling import (
    Belief,
    Check,
    Measurement,
    Ruling,
    Verdict,
    make_check,
    many,
    plus_minus,
    unless,
    unseen,
)
from engine.space.geometry import FloatArray, Pose, wrap_angle
from engine.space.table import Standing, TableState, key_of

# What a move meets: Rough terrain, Mines, Blocking terrain and other cars, braking; each in its turn.

ROUGH = book.cite("Down Shift", "Rough terrain")
BLOCKING = book.cite("Down Shift", "Blocking terrain")
BRAKING = book.cite("Car Movement/Engines")
MINE = book.cite("Building a Car Cult", book.MINES)
RAMMING = book.cite("Building a Car Cult", book.RAM)
COMMENTS = book.cite("Comments")
TERRAIN = "Blocking terrain"
"""What is met that is no car: a piece of terrain, the edge of the table, a token that blocks."""

EDGE = house("The edge of the table is Blocking terrain")


def meet(play: Play, duty: Duty) -> None:
    """The first thing that is owed, where dice alone decide."""
    match duty.kind:
        case "rough":
            _checked(play, duty, f"Rough terrain, {duty.inches:g} in of {duty.other}", ROUGH)
        case "brake":
            inches = f"{duty.inches:g} in" if duty.inches else "less than an inch"
            _checked(play, duty, f"braking, {inches} not moved", BRAKING)
        case "mine":
            _mine(play, duty)
        case "touch":
            _touch(play, duty)


def _checked(play: Play, duty: Duty, why: str, citation: str) -> None:
    """A D20 less the inches: 10 or more and nothing happens."""
    owner = play.state.car(duty.car).owner
    (value,) = play.d20(f"{duty.car}: {why}", citation, duty.car, owner)
    total = value - int(duty.inches)
    safe = total >= book.NEEDED
    harm = "unharmed" if safe else "damaged"
    less = f"{value} − {int(duty.inches)} = " if int(duty.inches) else ""
    words = f"{duty.car} is {harm}: {less}{total}, {book.NEEDED} or more needed"
    play.tell(
        "checked", words.replace("= -", "= −"), citation, car=duty.car, value=value, total=total, safe=safe
    )
    play.settled(f"{why}: done")
    if safe:
        return
    # The first of one token is the owner's, but of a brake the opponent's.
    if duty.kind == "brake":
        by = play.state.opponent(owner)
        play.owe(
            [Duty("damage", duty.car, citation, by=by, cause="braking")],
            f"{by} places a Damage token on {duty.car}", first=True,
        )  # fmt: skip
    else:
        hurt(play, duty.car, 1, GROUND, citation)


def _mine(play: Play, duty: Duty) -> None:
    """A Mine attacks the car that came within its range, and is removed."""
    card = book.CARDS[book.MINES]
    laid = next(one for one in play.state.laid if one.name == duty.other)
    by = play.state.attacker(laid.owner, duty.car)
    dice = play.d20(f"{laid.name} attacks {duty.car}", MINE, duty.car, by, card.shots)
    play.settled(f"{laid.name} has attacked")
    play.tell("removed", f"{laid.name} is removed", MINE, token=laid.name, car=duty.car)
    resolve(play, card, duty.car, laid.owner, dice, card.damage, laid.name)


def _touch(play: Play, duty: Duty) -> None:
    """The car has touched another, or Blocking terrain."""
    state = play.state
    car = state.car(duty.car)
    other = next((c for c in state.driving() if c.name == duty.other), None)
    play.settled(f"{duty.car} touches {duty.other}")
    if other is not None and car.working(book.SPIKES):
        hurt(
            play, other.name, book.card_called(book.SPIKES).damage, f"the {book.SPIKES} of {car.name}",
            COMMENTS, by=car.owner,
        )  # fmt: skip
    if other is not None and car.working(book.RAM):
        _ram(play, car.name, other.name)
        return
    count = int(duty.inches)
    short = f" {count} in short of its minimum" if count else ""
    words = f"{car.name} touches {duty.other}{short}"
    tokens = car.engine.speed
    if tokens:
        leave = f"{many(tokens, 'Speed token')} {'leaves' if tokens == 1 else 'leave'} its engine"
        play.tell(
            "stopped", f"{words}: {leave}", duty.citation, car=car.name, other=duty.other, tokens=tokens
        )
    if other is not None:
        hurt(play, other.name, count, f"{car.name}, which ran into it", duty.citation)
    hurt(play, car.name, count, f"running into {duty.other}", duty.citation)


def _ram(play: Play, name: str, target: str) -> None:
    """The Reinforced Ram attacks whom the car touches; its damage is the Speed tokens on the engine."""
    card, car = book.CARDS[book.RAM], play.state.car(name)
    ram = car.working(book.RAM)[0].name
    dice = play.d20(f"{name} rams {target}", RAMMING, target, car.owner, card.shots)
    if car.ready(book.GUNNER):
        # "Reroll one Attack roll": of a ram as of any other attack.
        words = f"{name} rams {target} with its {ram}"
        play.tell("declared", words, RAMMING, car=name, weapon=ram, target=target)
        shown = f"{words}: the die shows {dice[0]}"
        play.tell("attacked", shown, RAMMING, car=name, target=target, dice=list(dice))
        return
    rammed(play, name, ram, target)
    resolve(play, card, target, car.owner, dice, car.engine.speed)


def rammed(play: Play, name: str, ram: str, target: str) -> None:
    """Tells the attack of a ram, whose die stays as it lies."""
    words = f"{name} rams {target} with its {ram}"
    play.tell("rammed", words, RAMMING, car=name, weapon=ram, target=target)


# What a move goes through: inches inside Rough terrain, and Mines that it comes within range of.

_SHIFTS = 64


@dataclass(frozen=True, eq=False)
class Ground:
    """Inches of a move inside a piece of Rough terrain, measured where the ruler lies: at the front.

    `order` is the place on the way, as of the Mines, at which it comes there; `at` is where the car was as it
    had come through.
    """

    terrain: str
    inches: Measurement
    order: int = 0
    at: Pose | None = None


@dataclass(frozen=True, eq=False)
class Triggered:
    """A Mine that the car comes, or may come, within range of: the least distance, and where first."""

    mine: str
    distance: Measurement
    at: Pose
    order: int

    @property
    def verdict(self) -> Verdict:
        """Whether it is triggered."""
        return self.distance.verdict()


def front_way(car: Standing, start: Pose, steps: Sequence[Step]) -> MultiLineString:
    """The straight runs of the middle of the car's front, inches on the table."""
    front, poses = _front(car), poses_along(start, steps)
    lines = [
        LineString([poses[k].to_table(front), poses[k + 1].to_table(front)])
        for k, step in enumerate(steps)
        if isinstance(step, Straight) and step.size > 1e-6
    ]
    return MultiLineString(lines)


def ground(car: Standing, seen: Manoeuvre, terrain: Sequence[Standing]) -> tuple[Ground, ...]:
    """The inches inside each piece of Rough terrain, with deviation; none where it does not lead through.

    Where what was seen can be read as several ways, their mean, with how far they are apart.
    """
    ways = [front_way(car, one.start, [d.step for d in one.steps]) for one in _readings(seen)]
    found = []
    for piece in terrain:
        inside = np.array([_inside(way, piece.region.polygon) for way in ways])
        if inside.any():
            one = _belief(ways[0], car, piece, float(inside[0]), seen.length.sd)
            order, at = _comes_to(car, seen, piece)
            found.append(Ground(piece.name, Measurement(_over(inside, one.sd)), order, at))
    return tuple(found)


def _comes_to(car: Standing, seen: Manoeuvre, piece: Standing) -> tuple[int, Pose]:
    """At which place on its way the middle of a car's front comes to a piece, and where it leaves it."""
    rows = way_through(seen.start, [d.step for d in seen.steps])
    front, polygon = _front(car), piece.region.polygon
    away = np.array([polygon.distance(Point(*Pose(*map(float, row)).to_table(front))) for row in rows])
    there = away <= max(float(away.min()), 1e-9)
    return int(there.argmax()), Pose(*map(float, rows[int(np.flatnonzero(there)[-1])]))


def _front(car: Standing) -> FloatArray:
    """The middle of a car's front, in its own frame."""
    outline = car.piece.body.footprint.outline
    return np.array([outline[:, 0].max(), (outline[:, 1].min() + outline[:, 1].max()) / 2])


def _readings(seen: Manoeuvre) -> tuple[Manoeuvre, ...]:
    """The ways that what was seen can be read as, the likeliest first."""
    return (seen, *seen.elsewhere, *seen.doubts)


def _over(values: FloatArray, sd: float) -> Belief:
    """What several readings say together, each with that deviation."""
    return Belief(float(values.mean()), math.hypot(sd, float(values.std())))


def _inside(way: MultiLineString, polygon: Polygon) -> float:
    return float(way.intersection(polygon).length)


def _belief(way: MultiLineString, car: Standing, piece: Standing, inside: float, sd_length: float) -> Belief:
    """The way shifted and turned against the terrain; an end by the deviation of the length."""
    sds = (gap_sd(car, piece), gap_sd(car, piece), math.sqrt(float(car.uncertainty.total[2, 2])))
    shifts = np.random.default_rng(SEED).standard_normal((_SHIFTS // 2, 3)) * sds
    polygon, start = piece.region.polygon, Point(*car.pose.xy)
    drawn = np.array(
        [
            _inside(translate(rotate(way, turn, start, use_radians=True), x, y), polygon)
            for x, y, turn in np.concatenate([shifts, -shifts]).tolist()
        ]
    )
    spread = float(np.sqrt(np.mean((drawn - inside) ** 2)))
    return Belief(inside, float(np.hypot(spread, sd_length)))


def mines(state: GameState, table: TableState, car: Standing, seen: Manoeuvre) -> tuple[Triggered, ...]:
    """The Mines within whose range the car moves, in the order in which it comes there."""
    known = [(one, standing_of(table, one.name)) for one in state.laid if one.card == book.MINES]
    there = [(laid, here) for laid, here in known if here is not None]
    if not there:
        return ()
    body = car.piece.body.footprint
    ways = [way_through(one.start, [d.step for d in one.steps]) for one in _readings(seen)]
    shapes = [[body.at(Pose(*map(float, row))).polygon for row in rows] for rows in ways]
    found = []
    for laid, here in there:
        polygon = here.region.polygon
        away = [np.array([shape.distance(polygon) for shape in one]) for one in shapes]
        # A place at the end of a way is known as surely as how long that is.
        at_its_end = int(away[0].argmin()) == len(away[0]) - 1
        sd = math.hypot(gap_sd(car, here), seen.length.sd if at_its_end else 0.0)
        held = Measurement(_over(np.array([one.min() for one in away]), sd)).at_most(book.MINE_RANGE)
        if held.verdict() is Verdict.NO:
            continue
        near = away[0] <= book.MINE_RANGE
        first = int(near.argmax()) if near.any() else int(away[0].argmin())
        found.append(Triggered(laid.name, held, Pose(*map(float, ways[0][first])), first))
    return tuple(sorted(found, key=lambda one: one.order))


def off_route(car: Standing, start: Pose, steps: Sequence[Step], sd: float, token: Standing) -> Measurement:
    """How far a token lies from the route over which a car went, inches; `sd` is that of its length."""
    body, polygon = car.piece.body.footprint, token.region.polygon
    rows = way_through(start, steps)
    away = min(body.at(Pose(*map(float, row))).polygon.distance(polygon) for row in rows)
    return Measurement(Belief(float(away), math.hypot(gap_sd(car, token), sd)))


# Was that a move by the notes: its length, turns, drift and way; where what it touched has ended it.

MOVE = book.cite("Car Movement/Engines")
STRAIGHT = house("Straight lines")

STRAY = 0.4
"""Inches that a car may be seen beside its straight way (house default)."""

AGAINST = 0.06
"""Inches within which a car stands against something (house default)."""

_DRAWS = 400


@dataclass(frozen=True, slots=True)
class Limits:
    """What the activated car may do: inches, number of turns, and the house rules."""

    low: int
    high: int
    turns: int
    rules: HouseRules

    @property
    def drift(self) -> int:
        """The most drift, inches."""
        return book.most_drift(self.low)

    @property
    def words(self) -> str:
        """All of it in a sentence."""
        turns = f"{many(self.turns, 'turn')} of up to 45°"
        return f"Minimum {self.low} in, maximum {self.high} in, drift up to {self.drift} in, {turns}."

    @classmethod
    def of(cls, state: GameState, name: str) -> Limits:
        """Those of a car, the activated one with its Turbo Booster."""
        car = state.car(name)
        low, high = car.limits
        if state.turn is not None and state.turn.car == car.name:
            low, high = state.range_of_move()
        return cls(low, high, car.turns, state.house)


@dataclass(frozen=True, eq=False)
class Driven:
    """A move, ruled. `seen` ends where it surely `touched` something; `perhaps` is what it may have touched.

    `should` is the lawful end nearest to what was driven. `unknown` names what nobody has seen or named and
    may have stopped it short of its minimum. `whole` is the way to where it stands, also past a touch.
    """

    ruling: Ruling
    seen: Manoeuvre
    limits: Limits
    touched: Contact | None
    perhaps: tuple[Contact, ...]
    should: Pose
    away: float
    askew: float
    unknown: tuple[str, ...]
    whole: Manoeuvre

    @property
    def too_far(self) -> float:
        """Inches by which it went farther than its maximum; 0 where something ended its way."""
        return max(self.seen.length.value - self.limits.high, 0.0) if self.touched is None else 0.0

    @property
    def past(self) -> bool:
        """Whether it did not halt where it surely touched something."""
        return self.touched is not None and self.ruling.check(HALTS).verdict is not Verdict.YES


def blocking(state: GameState, table: TableState, name: str) -> tuple[Standing, ...]:
    """What ends a move: other cars, whatever is solid, and Caltrops."""
    laid = {key_of(one.name): one.card for one in state.laid}
    return tuple(
        s
        for s in table.others(name)
        if (s.piece.solid and key_of(s.name) not in laid) or laid.get(key_of(s.name)) == book.CALTROPS
    )


def rough(state: GameState, table: TableState, name: str) -> tuple[Standing, ...]:
    """Rough terrain: pieces of the kind *marker*, and oil (house default)."""
    laid = {key_of(one.name): one.card for one in state.laid}
    return tuple(
        s for s in table.others(name) if s.piece.kind == "marker" or laid.get(key_of(s.name)) == book.OIL
    )


def rule_move(state: GameState, move: Move) -> Driven:
    """Everything that the notes ask of a move: *Maximum*, *Turns*, *Drift*, *Forward*, *Straight Line*."""
    table = in_play(state, move.before)
    car, limits = table.find(move.piece), Limits.of(state, move.piece)
    whole = move.recognised()
    readings = [_met(state, table, car, one) for one in (whole, *whole.elsewhere)]
    met = _together(readings)
    touched = next((c for c in met if c.verdict is Verdict.YES), None)
    perhaps = tuple(c for c in met[: met.index(touched) if touched else None] if c is not touched)
    seen = whole if touched is None else _stopped(whole, readings, touched)
    checks = _checks(car.name, seen, limits)
    for doubt in whole.doubts if touched is None else ():
        checks = unless(checks, _checks(car.name, doubt, limits), f"it may have gone {doubt.words}")
    if whole.unseen:
        checks = unseen(checks)
    should = touched.pose if touched is not None else _lawful_end(seen, limits)
    end = move.after.pose
    away = math.dist(should.xy, end.xy)
    if touched is not None:
        checks.append(halts(touched.other, away, touched.gap.sd, BLOCKING))
    ruling = Ruling(
        f"Was that a move of {car.name} by the notes?", table.time, car.name, car.name, tuple(checks)
    )
    turned = wrap_angle(should.heading - end.heading)
    unknown: tuple[str, ...] = ()
    if touched is None and seen.length.value < limits.low - limits.rules.length_tolerance:
        outline = car.piece.body.footprint
        unknown = table.unknown_on(
            *(outline.at(p) for p in poses_along(seen.start, [d.step for d in seen.steps]))
        )
    return Driven(ruling, seen, limits, touched, perhaps, should, away, turned, unknown, whole)


def _met(state: GameState, table: TableState, car: Standing, one: Manoeuvre) -> tuple[Contact, ...]:
    """What the car touches or may touch on one reading of its way; one far from what was seen is unsure."""
    known, stray = car.uncertainty, one.stray.value
    if stray > STRAY:
        known = replace(known, own=known.own + np.diag([stray, stray, 0.0]) ** 2)
    steps = [d.step for d in one.steps]
    mover, others = replace(car, uncertainty=known), blocking(state, table, car.name)
    rows = way_through(car.pose, steps)
    from_edge = edge_margins(car, rows, table.surface)
    stood = {
        s.name
        for s in others
        if _turns_away(gaps_along(car, rows, s), gap_sd(car, s))
        or (s.piece.solid and turns_away(car, steps, s, AGAINST))
    }
    stood |= {THE_EDGE} if _turns_away(from_edge, gap_sd(car)) else set()
    return tuple(c for c in contacts(mover, steps, others, table.surface) if c.other not in stood)


def _turns_away(gaps: FloatArray, sd: float) -> bool:
    """Whether a car touches something as its move begins and goes no deeper into it than a hand strays.

    It had to halt at the touch; that a corner sweeps against what it turns away from is no contact.
    """
    return bool(gaps[0] < max(AGAINST, 3.0 * sd) and gaps.min() > gaps[0] - 2.0 * WOBBLE)


def _together(readings: Sequence[Sequence[Contact]]) -> tuple[Contact, ...]:
    """What all readings of a way touch or may touch, in order; what only some of them touch is left open."""
    found = {c.other: c for reading in reversed(readings) for c in reading}
    shares = {
        name: sum(c.gap.p_yes or 0.0 for reading in readings for c in reading if c.other == name)
        for name in found
    }
    kept = [
        replace(c, gap=replace(c.gap, p_yes=shares[c.other] / len(readings))) if len(readings) > 1 else c
        for c in found.values()
    ]
    return tuple(sorted(kept, key=lambda c: (c.step, c.share)))


def _stopped(whole: Manoeuvre, readings: Sequence[Sequence[Contact]], touched: Contact) -> Manoeuvre:
    """The way up to what ended it, and so every other reading of it that ends there."""
    others = [
        up_to(one, c.step, c.share)
        for one, reading in zip(whole.elsewhere, readings[1:], strict=True)
        for c in reading
        if c.other == touched.other
    ]
    return replace(up_to(whole, touched.step, touched.share), elsewhere=tuple(others))


def _checks(name: str, seen: Manoeuvre, limits: Limits) -> list[Check]:
    """Every check of a way."""
    return [
        _maximum(seen, limits),
        _turns(seen, limits),
        _drift(seen, limits),
        _forward(seen, limits),
        straight_line(name, seen, STRAY, STRAIGHT),
    ]


def _maximum(seen: Manoeuvre, limits: Limits) -> Check:
    held = seen.length.at_most(limits.high + limits.rules.length_tolerance)
    words = f"{seen.length.value:.2f} in of {limits.low} to {limits.high} in{plus_minus(seen.length.sd)}"
    return make_check("Maximum", held, citation=MOVE, words=words)


def used(angle: float, tolerance: float) -> int:
    """How many turns of up to 45° make up a turn of that many radians; one of next to nothing is none.

    >>> used(math.radians(40), 0.05), used(math.radians(90), 0.05), used(0.04, 0.05)
    (1, 2, 0)
    """
    return max(math.ceil((abs(angle) - tolerance) / book.TURN), 0)


def _turns(seen: Manoeuvre, limits: Limits) -> Check:
    """Each turn takes as many of those there are as it is long; they combine but do not split."""
    turns = [d for d in seen.runs if d.kind == "turn"]
    sizes = np.array([abs(d.angle) for d in turns])
    sds = np.array([d.sd_angle for d in turns])
    drawn = sizes + sds * np.random.default_rng(SEED).standard_normal((_DRAWS, len(sizes)))
    counts = np.maximum(np.ceil((drawn - limits.rules.turn_tolerance) / book.TURN), 0.0).sum(axis=1)
    count = sum(used(float(a), limits.rules.turn_tolerance) for a in sizes)
    told = " and ".join(f"{math.degrees(a):.1f}°" for a in sizes) or "none"
    words = f"turned {told}: {count} of {many(limits.turns, 'turn')}"
    p_yes = float(np.mean(counts <= limits.turns))
    margin = float(limits.turns - count)
    held = Measurement(Belief(float(count), 0.0), "", limit=float(limits.turns), margin=margin, p_yes=p_yes)
    return make_check("Turns", held, citation=MOVE, words=words)


def _drift(seen: Manoeuvre, limits: Limits) -> Check:
    """Drift to the left and to the right together (house default).

    A heading that is a little off changes every drift: their deviations add up.
    """
    runs = [d for d in seen.runs if isinstance(d.step, Straight)]
    total = sum(abs(d.left) for d in runs)
    sd = sum(d.sd_left for d in runs)
    held = Measurement(Belief(total, sd)).at_most(limits.drift + limits.rules.drift_tolerance)
    words = f"drifted {total:.2f} in; limit {limits.drift} in{plus_minus(sd)}"
    return make_check("Drift", held, citation=MOVE, words=words)


def _forward(seen: Manoeuvre, limits: Limits) -> Check:
    runs = [d for d in seen.runs if isinstance(d.step, Straight)]
    least = min(runs, key=lambda run: run.ahead, default=Done(Straight(0.0)))
    held = Measurement(Belief(least.ahead, least.sd_ahead)).at_least(-limits.rules.length_tolerance)
    words = "forward" if held.value >= 0.0 else f"{-held.value:.2f} in backwards{plus_minus(held.sd)}"
    return make_check("Forward", held, citation=MOVE, words=words)


def _lawful_end(seen: Manoeuvre, limits: Limits) -> Pose:
    """Where the same steps lead, each no longer than it may be."""
    inches, drift, turns = float(limits.high), float(limits.drift), limits.turns
    steps: list[Step] = []
    for done in seen.steps:
        step = done.step
        if isinstance(step, Turn):
            count = min(used(step.angle, limits.rules.turn_tolerance), turns)
            turns -= count
            angle = math.copysign(min(abs(step.angle), count * book.TURN), step.angle)
            steps.append(replace(step, angle=angle))
        else:
            ahead, left = min(max(step.ahead, 0.0), inches), min(abs(step.left), drift)
            inches, drift = inches - ahead, drift - left
            steps.append(Straight(ahead, math.copysign(left, step.left)))
    return poses_along(seen.start, steps)[-1]
