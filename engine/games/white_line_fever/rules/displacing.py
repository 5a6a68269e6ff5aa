"""Collisions, and where a rule puts a car: spins, pushes, pulls, turns."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.game.dice import Want
from engine.game.kit.reading import PoseJson
from engine.game.kit.table import seen, standing_of
from engine.games.white_line_fever.book.data import HAMMER, cite, weapon_called
from engine.games.white_line_fever.rules.damage import harm, set_speed
from engine.games.white_line_fever.state import Duty, GameState, Play, in_play
from engine.measure.contacts import at_rest, contacts
from engine.measure.distances import contact
from engine.measure.sweep import THE_EDGE, Step, Straight, Turn
from engine.ruling import Verdict
from engine.space.geometry import Footprint, Pose
from engine.space.pieces import Body, Piece
from engine.space.table import PoseUncertainty, Standing, Status, TableState, key_of
from engine.words import listed

# Where a shifted car comes to stand, and what it meets on its way there, as far as the table knows.

_TOGETHER = 1e-6

LAID = (0.05, 0.02)
"""Inches and radians by which a token lies beside where it was told to lie, one deviation (house default)."""

TOKEN_HEIGHT = 0.1


@dataclass(frozen=True)
class Displaced:
    """Where a car ends.

    `meets` is what it stops at, `crosses` the tokens in the order of the way, `leaves` whether it
    goes over the edge; `ends` is a token that ends its way. What of all that is too close to call is in
    `doubtful`; `way` has the sure and the doubtful, in the order in which they come.
    """

    pose: Pose
    meets: tuple[str, ...] = ()
    crosses: tuple[str, ...] = ()
    leaves: bool = False
    doubtful: tuple[str, ...] = ()
    way: tuple[str, ...] = ()
    ends: str = ""


def stopper(state: GameState, name: str, triggered: Sequence[str]) -> str | None:
    """The token at which a car's way ends: one that is a Collision, or that destroys it."""
    left = state.armour(state.car(name))
    laid = {token.name: weapon_called(token.weapon) for token in state.tokens}
    for token in triggered:
        if token in laid:
            left -= laid[token].damage
            if left <= 0 or laid[token].name == "Barricade":
                return token
    return None


def shifted(state: GameState, table: TableState, car: Standing, step: Straight) -> Displaced:
    """A car that is shifted straight, forward and to its left: to the end, a contact, the edge or a token."""
    return _displaced(state, table, car, [step], at_tokens=True)


def turned(state: GameState, table: TableState, car: Standing, angle: float) -> Displaced:
    """A car that is turned where it stands by an angle in radians: to the end, a contact or the edge."""
    return _displaced(state, table, car, [Turn(angle)])


def set_down(state: GameState, table: TableState, car: Standing, before: Pose) -> Displaced:
    """A car that is set down where it stands, which is not where it stood: what it touches there anew."""
    solid, unknown = _solid(state, table, car)
    stood = {c.other for c in at_rest(replace(car, pose=before), solid, table.surface)}
    met = [c for c in at_rest(car, solid, table.surface) if c.other not in stood]
    sure = tuple(c.other for c in met if c.verdict is Verdict.YES and c.other not in unknown)
    doubtful = tuple(c.other for c in met if c.other not in sure)
    out = THE_EDGE in sure
    laid = tokens(state, table)
    under = {c.other for c in at_rest(replace(car, pose=before), laid)}
    covered = [c for c in at_rest(car, laid) if c.other not in under]
    crosses = tuple(c.other for c in covered if c.verdict is Verdict.YES)
    doubtful = (*(c.other for c in covered if c.verdict is not Verdict.YES), *doubtful)
    way = (*crosses, *doubtful, *sure)
    return Displaced(car.pose, () if out else sure, crosses, out, doubtful, way)


def _displaced(
    state: GameState, table: TableState, car: Standing, steps: Sequence[Step], *, at_tokens: bool = False
) -> Displaced:
    """How far one step leads; `at_tokens` no farther than a token that ends it."""
    solid, unknown = _solid(state, table, car)
    met = contacts(car, steps, solid, table.surface)
    sure = [c for c in met if c.verdict is Verdict.YES and c.other not in unknown]
    # One step alone: its share says how far.
    share = sure[0].share if sure else 1.0
    cut = [steps[0].part(share)]
    stops = [c for c in sure if c.share - share < _TOGETHER]
    names = {c.other for c in stops}
    # Up to there: what it only perhaps touches, or perhaps touches first.
    near = contacts(car, cut, solid, table.surface) if share < 1.0 else met
    perhaps = [c for c in near if c.other not in names]
    passed = contacts(car, cut, tokens(state, table))
    crosses = [c for c in passed if c.verdict is Verdict.YES]
    doubts = [*perhaps, *(c for c in passed if c.verdict is not Verdict.YES)]
    ends = stopper(state, car.name, [c.other for c in crosses]) if at_tokens else None
    if ends is not None:
        last = next(c for c in crosses if c.other == ends)
        cut, stops, names = [cut[0].part(last.share)], [], set()
        crosses = crosses[: crosses.index(last) + 1]
        doubts = [c for c in doubts if c.share < last.share]
    before_the_stop = sorted([*crosses, *doubts], key=lambda c: c.share)
    out = THE_EDGE in names
    return Displaced(
        cut[0].after(car.pose), () if out else tuple(c.other for c in stops), tuple(c.other for c in crosses),
        out, tuple(c.other for c in doubts),
        tuple(dict.fromkeys(c.other for c in [*before_the_stop, *stops])), ends or "",
    )  # fmt: skip


def _solid(state: GameState, table: TableState, car: Standing) -> tuple[list[Standing], set[str]]:
    """What a car may collide with, and the names of what may stand elsewhere by now."""
    solid = [s for s in in_play(state, table).others(car.name) if s.piece.solid]
    return solid, {s.name for s in solid if s.status in (Status.HELD, Status.LOST)}


def tokens(state: GameState, table: TableState | None = None) -> list[Standing]:
    """The tokens whose place is known, as pieces to pass over: as seen, else as they were laid."""
    size = state.house.token_size
    found = []
    for token in state.tokens:
        here = seen(table, token.name)
        if here is not None:
            found.append(here)
        elif token.at is not None and size > 0.0:
            laid = PoseUncertainty.isotropic(*LAID)
            found.append(Standing(_token(token.name, size), Pose(*token.at), laid))
    return found


def with_tokens(state: GameState, table: TableState) -> TableState:
    """The table with the tokens of the game that have no tag of their own."""
    known = {key_of(s.name) for s in table.standings}
    laid = [s for s in tokens(state) if key_of(s.name) not in known]
    return replace(table, standings=(*table.standings, *laid))


def under(
    state: GameState, table: TableState, name: str, at: Pose
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The cars in play that stand where that car lays a token: surely, and perhaps.

    The token lies as surely as the car behind which it is laid.
    """
    if state.house.token_size <= 0.0:
        return (), ()
    dropper = standing_of(table, name)
    how_sure = PoseUncertainty.exact() if dropper is None else dropper.uncertainty
    laid = Standing(_token("token", state.house.token_size), at, how_sure)
    sure, doubtful = [], []
    for car in state.driving():
        standing = standing_of(table, car.name)
        if standing is None or car.name == name:
            continue
        # A side that only touches the token covers nothing of it.
        verdict = contact(laid, standing).at_most(-_TOGETHER).verdict()
        if verdict is Verdict.YES and seen(table, car.name) is not None:
            sure.append(car.name)
        elif verdict is not Verdict.NO:
            doubtful.append(car.name)
    return tuple(sure), tuple(doubtful)


def _token(name: str, size: float) -> Piece:
    return Piece(name, "token", Body("token", Footprint.box(size, size), TOKEN_HEIGHT))


# Cars that a rule puts elsewhere: Spin Out, push, pull, turn. Each owes the game a placement.


def as_pose_json(pose: Pose) -> PoseJson:
    """A pose as the state holds it."""
    return (pose.x, pose.y, pose.heading)


def _to_be(play: Play, name: str) -> Standing | None:
    """Where a car stands, or will stand once it has been placed as it is owed so far."""
    standing = play.standing(name)
    owed = [d.target for d in play.state.duties if d.car == name and d.target is not None]
    return replace(standing, pose=Pose(*owed[-1])) if standing is not None and owed else standing


def owe_spin(play: Play, name: str, citation: str) -> None:
    """The car faces the exact opposite way, where it stands."""
    standing = _to_be(play, name)
    target = None
    if standing is not None:
        p = standing.pose
        target = as_pose_json(Pose(p.x, p.y, p.heading + math.pi))
    play.owe(Duty("spin", name, citation, angle=math.pi, target=target), f"{name} spins out: turn it round")


def owe_turn(play: Play, name: str, by: str, citation: str) -> None:
    """The car is turned where it stands by up to 90 degrees, as a player chooses."""
    standing = _to_be(play, name)
    target = None if standing is None else as_pose_json(standing.pose)
    duty = Duty("turn", name, citation, angle=math.pi / 2, by=by, target=target)
    play.owe(duty, f"{by} turns {name} by up to 90°")


def owe_push(play: Play, name: str, inches: float, citation: str, away_from: str) -> None:
    """The car is shifted straight away from another; its heading stays."""
    way = _way(play, name, inches, away_from)
    _shift(play, Duty("push", name, citation, inches=inches), way, f"away from {away_from}")


def owe_pull(play: Play, name: str, inches: float, citation: str, toward: str) -> None:
    """The car is shifted straight toward another; its heading stays."""
    way = _way(play, name, -inches, toward)
    _shift(play, Duty("pull", name, citation, inches=inches), way, f"toward {toward}")


def owe_shove(play: Play, name: str, inches: float, citation: str) -> None:
    """The car is shifted along its own axis, backwards if negative."""
    duty = Duty("push", name, citation, inches=abs(inches))
    _shift(play, duty, Straight(inches), "backwards" if inches < 0 else "ahead")


def _way(play: Play, name: str, inches: float, other: str) -> Straight | None:
    """The shift away from another car, from its middle through this one's, in this car's own frame."""
    here, there = _to_be(play, name), play.standing(other)
    if here is None or there is None:
        return None
    way = (here.pose.xy - there.pose.xy) @ here.pose.rotation
    length = math.hypot(*way)
    return None if length == 0.0 else Straight(*(float(v) * inches / length for v in way))


def _shift(play: Play, duty: Duty, step: Straight | None, whither: str) -> None:
    words = f"{duty.car} is {duty.kind}ed {duty.inches:g} in {whither}"
    car = _to_be(play, duty.car)
    if play.table is not None and car is not None and step is not None:
        ghost = shifted(play.state, play.table, car, step)
        target = as_pose_json(ghost.pose)
        duty = replace(
            duty, target=target, meets=ghost.meets, crosses=ghost.crosses, leaves=ghost.leaves,
            doubtful=ghost.doubtful, way=ghost.way, ends=ghost.ends,
        )  # fmt: skip
        stops = listed(ghost.meets) or (THE_EDGE if ghost.leaves else ghost.ends)
        words += f", up to {stops}" if stops else ""
        words += f" ({listed(ghost.doubtful)}: too close to call)" if ghost.doubtful else ""
    play.owe(duty, words)


# Collisions: everybody's dice, damage, Spin Out and Speed; and leaving the playing surface.

COLLISION = cite("Collisions")
SPIN_OUT = cite("Collisions", "Spin Out")
LEAVING = cite("Maneuvers", "Leaving the Playing Surface")
HAMMERED = cite("Brands", "Hammer")


def leave(play: Play, name: str) -> None:
    """Over the edge: out of the game, and it counts as destroyed."""
    if play.state.car(name).driving:
        play.tell(
            "left", f"{name} leaves the surface and is out of the game", LEAVING, car=name, status="removed"
        )


def collide(
    play: Play, names: Sequence[str], obstacles: Sequence[str], kinds: Mapping[str, str] | None = None,
    citation: str = COLLISION,
) -> None:  # fmt: skip
    """A Collision of all these at once: everybody's D8, then damage, Spin Out and Speed.

    `kinds` says of the first car's contacts by name how they met, `citation` what makes it a Collision.
    """
    cars = [n for n in names if play.state.car(n).driving]
    if not cars:
        return
    met = [*cars[1:], *obstacles]
    words = f"{cars[0]} collides with {listed(met)}" if met else f"{cars[0]} suffers a Collision"
    play.tell("collision", words, citation, cars=cars, obstacles=list(obstacles), kinds=dict(kinds or {}))
    dice = [(Want(8, f"collision damage of {n}", by=play.state.car(n).owner), n) for n in cars]
    rolls = play.together(dice, COLLISION)
    amounts = {
        n: _damage(play.state, n, roll.value, _touched(n, cars)) for n, roll in zip(cars, rolls, strict=True)
    }
    for name, (amount, why, rule) in amounts.items():
        harm(play, name, amount, f"the Collision{why}", rule)
    for name in cars:
        car = play.state.car(name)
        if car.driving:
            owe_spin(play, name, SPIN_OUT)
            set_speed(play, name, max(car.speed - 1, 1), COLLISION)


def _touched(name: str, cars: Sequence[str]) -> list[str]:
    """With whom a car collides: the first of them with all others, each of these with that one alone.

    >>> _touched("Red 1", ["Red 1", "Blue 1", "Blue 2"]), _touched("Blue 1", ["Red 1", "Blue 1", "Blue 2"])
    (['Blue 1', 'Blue 2'], ['Red 1'])
    """
    return list(cars[1:]) if name == cars[0] else [cars[0]]


def _damage(state: GameState, name: str, roll: int, touched: Sequence[str]) -> tuple[int, str, str]:
    """What a car takes: its roll, at least its Speed; then Hammers on either side. With words and rule."""
    car = state.car(name)
    amount = max(roll, car.speed)
    why = f" (Speed {car.speed})" if car.speed > roll else ""
    others = [state.car(n) for n in touched]
    hammers = sum(1 for other in others if other.brand == "Hammer")
    bonus = HAMMER * hammers - (HAMMER if others and car.brand == "Hammer" else 0)
    if not bonus:
        return amount, why, COLLISION
    return max(amount + bonus, 1), f"{why} ({bonus:+d} Hammer)", HAMMERED
