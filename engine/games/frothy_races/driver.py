"""Frothy Races for a machine: the ways of a vehicle over the hexes, and how good its race is."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from random import Random
from typing import cast

from engine.boards.board import Cell
from engine.driver.characters import TEMPERAMENTS
from engine.driver.pushing import through
from engine.game.contract import Proposal, Seen, Worth
from engine.game.kit.table import standing_of
from engine.games.frothy_races.acts.attacking import DICE, MINUS, PLUS, chooses, counts_as
from engine.games.frothy_races.acts.moving import AS, values
from engine.games.frothy_races.book.data import NUMBERS, SPECIALS, Use
from engine.games.frothy_races.rules.control import basic_dice
from engine.games.frothy_races.rules.moves import can_pass, choice, free_ways, gained, half, way_words
from engine.games.frothy_races.state import Attack, GameState, Turn, Vehicle
from engine.space.table import TableState

EVEN = TEMPERAMENTS["even"]

TURNS = {"straight": 0, "left": 1, "right": -1}
"""How a vehicle may turn at the end of its way, in twelfths to the left."""

LAP = 6.0
"""What a lap is worth."""

PHASES = 4
"""Movement phases in a round: so far ahead it looks."""

KEPT = 10
"""Places that are looked on from after each phase, the best."""

ROLL, ROLLS = 0.04, 0.012
"""What a Control roll costs, in the mean: by its dice, and by the square of them, as icons come together."""

HURT, HALTED = 0.5, 0.15
"""Damage that each Speed of a collision does, in the mean, and what the lost Speed costs besides."""

BARRED = 0.5
"""What it costs to face what it cannot pass: without a card it goes nowhere but into that."""

LAME, WRECK = 1.5, 2.5
"""What a vehicle loses with its damage: by its share, and by the cube of it, as a wreck has lost the race."""

OTHERS = 0.3
"""What counts of what others have left, of the 1 that it counts for oneself: a race is won by driving."""

MOST_CARDS, USUAL_CARDS = 4, 2
"""Cards for an attack: as many as are thought of at the most, and as each plays in the mean."""

CARD = 0.02
"""What a card is worth in the hand."""

MIXED = 0.005
"""So little makes no difference between two choices in secret: then nobody can tell which it is."""

LOOSE = 0.5
"""What Control Loss points cost, of what a Control roll with so many dice does."""


def proposals(state: GameState, seen: Seen, player: str, chance: Random) -> Iterable[Proposal]:
    """Every way of the vehicle whose turn it is, with every turn at its end that it can go on from; cards."""
    turn = state.turn
    if state.attack is not None and not state.agenda:
        yield from _cards(state, state.attack, player, chance)
    if state.over or turn is None or state.agenda or state.attack is not None:
        return
    v = state.vehicle(turn.vehicle)
    if v.owner != player or not v.races or turn.lost or not turn.left or v.cell is None:
        return
    here = None if seen.table is None else standing_of(seen.table, v.name)
    found = choice(state, v, turn)
    # The best first, by where they lead; of those that run into something none is better than another.
    ways = list(found.ways)
    chance.shuffle(ways)
    ends = [(way, side) for way in ways for side in TURNS]
    after = [
        replace(v, cell=w.cells[-1] if w.cells else v.cell, facing=(v.facing + TURNS[s]) % 12)
        for w, s in ends
    ]
    ahead = [_ahead(state, one, _spaces(state, one, moved=True)) for one in after]
    good = [
        LAP * _gain(state, v.cell, w.cells) + gain - cost
        - _roll(_dice(v)) * bool(TURNS[s]) - 5.0 * bool(w.into)
        for (w, s), (gain, cost) in zip(ends, ahead, strict=True)
    ]  # fmt: skip
    order = sorted(range(len(ends)), key=lambda k: -good[k])
    for k in order[:36]:
        (way, side), facing = ends[k], after[k].facing
        words = f"goes {way_words(v, way)}" + (f", then turns {side}" if TURNS[side] else "")
        data = {"vehicle": v.name}
        if here is None:
            yield Proposal("move", v.name, {**data, "way": way.sides, "turn": side}, words=words)
            continue
        poses = [state.board.pose_of(cell, v.facing) for cell in way.cells]
        end = way.cells[-1] if way.cells else v.cell
        poses.append(state.board.pose_of(end, facing))
        yield Proposal("move", v.name, data, through(here.pose, poses), words=words)


def worth(state: GameState, _table: TableState | None, player: str) -> Worth | None:
    """How far the race has been driven against the others, how it goes on, cards, control and damage."""
    if state.over:
        return Worth.at_the_end(state.winner, player)
    mine = [v for v in state.vehicles if v.owner == player and v.races]
    theirs = [v for v in state.vehicles if v.owner != player and v.races]
    lead = max((v.travelled for v in mine), default=-1.0) - max((v.travelled for v in theirs), default=-1.0)
    ahead = [_to_come(state, v) for v in mine]
    own = sum(map(_left, mine)) + sum(gain for gain, _ in ahead)
    others = sum(map(_left, theirs)) / max(len(theirs), 1)
    # What may happen on the way is a danger that even drivers weigh as if it had happened, in the mean.
    danger = sum(cost for _, cost in ahead) / EVEN.danger
    # The last one in the race is the winner there, however far it came.
    progress = (LAP if state.rules.race != "Toughest" else 0.0) * lead
    return _with_attack(state, player, Worth(own, OTHERS * others, 0.0, danger, progress))


def _left(v: Vehicle) -> float:
    """What is left of a vehicle."""
    return 1.0 - _lame(v, v.damage) - LOOSE * _roll(v.control) + CARD * len(v.hand())


def _lame(v: Vehicle, damage: float) -> float:
    """What it has lost with so much damage."""
    share = min(damage / max(v.licence.damage, 1), 1.0)
    return LAME * share + WRECK * share**3


def _roll(dice: int) -> float:
    """What a Control roll with so many dice costs."""
    return ROLL * dice + ROLLS * dice**2


# The way ahead


def _dice(v: Vehicle) -> int:
    """The dice of a Control roll when it turns; 0 at a Safe Speed."""
    return 0 if v.safe else basic_dice(v)


def _gain(state: GameState, start: Cell, cells: Iterable[Cell]) -> float:
    """How far a way leads, in laps."""
    return sum(gained(state, one, other) for one, other in pairwise((start, *cells)))


def _spaces(state: GameState, v: Vehicle, *, moved: bool) -> tuple[int, ...]:
    """The spaces of its next movements, a round of them; `moved`: it has had its turn this phase."""
    first = state.step + moved if state.phase == "move" else 1
    turn = state.turn
    if not moved and turn is not None and turn.vehicle == v.name:
        begun: tuple[int, ...] = (turn.left,)
        first += 1
    else:
        begun = ()
    phases = [(first + k - 1) % PHASES + 1 for k in range(PHASES)]
    spaces = (*begun, *(v.licence.spaces(phase, v.speed) for phase in phases))
    return tuple(n for n in spaces if n)[:PHASES]


def _to_come(state: GameState, v: Vehicle) -> tuple[float, float]:
    """What it gains in the next round of movement, and what that costs."""
    turn = state.turn
    on = turn is not None and turn.vehicle == v.name
    lost = on and turn is not None and (turn.lost or not turn.left)
    moved = v.moved or lost
    return _ahead(state, v, _spaces(state, v, moved=moved))


def _ahead(state: GameState, v: Vehicle, spaces: tuple[int, ...]) -> tuple[float, float]:
    """How far it gets in its next movements, and what turns cost, and running into something."""
    if v.cell is None or state.track is None:
        return 0.0, 0.0
    others = tuple(o.cell for o in state.vehicles if o.name != v.name and o.here)
    crash = _lame(v, v.damage + HURT * v.speed) - _lame(v, v.damage) + HALTED
    there = (state.track, state.obstacles, state.rules, others, v.trait("Flyer"))
    return _looked(_Way(v.name, v.cell, v.facing, spaces, there, _roll(_dice(v)), crash, state, v))


@dataclass(frozen=True)
class _Way:
    """A way ahead and all that it hangs on: the state is compared by what is read of it, as `there`."""

    vehicle: str
    cell: Cell
    facing: int
    spaces: tuple[int, ...]
    there: Hashable
    turning: float
    crash: float
    state: GameState = field(compare=False)
    v: Vehicle = field(compare=False)


@lru_cache(maxsize=2048)
def _looked(way: _Way) -> tuple[float, float]:
    """What is gained on the best way ahead, and what it costs."""
    places: dict[tuple[Cell, int], tuple[float, float]] = {(way.cell, way.facing): (0.0, 0.0)}
    for nth, count in enumerate(way.spaces):
        found: dict[tuple[Cell, int], tuple[float, float]] = {}
        for (cell, facing), (gain, cost) in places.items():
            v = replace(way.v, cell=cell, facing=facing)
            for one in free_ways(way.state, v, Turn(way.vehicle, count), count):
                there = gain + LAP * _gain(way.state, cell, one.cells)
                for by in TURNS.values():
                    key = (one.cells[-1], (facing + by) % 12)
                    reached = (there, cost + (way.turning if by else 0.0))
                    found[key] = max(found.get(key, reached), reached, key=_net)
        if not found:
            gain, cost = max(places.values(), key=_net)
            # The later it comes the likelier something else does before.
            return gain, cost + way.crash * 0.8**nth
        places = dict(sorted(found.items(), key=lambda item: -_net(item[1]))[:KEPT])
    (gain, cost), (cell, facing) = max(
        ((value, place) for place, value in places.items()), key=lambda one: (_net(one[0]), one[1])
    )
    return gain, cost + BARRED * (not can_pass(way.state, replace(way.v, cell=cell), facing))


def _net(reached: tuple[float, float]) -> float:
    gain, cost = reached
    return gain - cost


# Attacks


def _cards(state: GameState, attack: Attack, player: str, chance: Random) -> Iterator[Proposal]:
    """Cards for an attack, chosen in secret: so many against each number that the other may play."""
    one, other = (state.vehicle(name) for name in (attack.attacker, attack.target))
    for v in chooses(state, attack):
        if v.owner != player:
            continue
        begins = v is one
        opposed = other if begins else one
        picks = _picks(v, attack)
        # An attacker plays one at the least.
        theirs = range(int(not begins), min(len(_picks(opposed, attack)), MOST_CARDS) + 1)
        for count in range(int(begins), min(len(picks), MOST_CARDS) + 1):
            mine = (count, sum(amount for _, amount in picks[:count]))
            pairs = [(mine, (n, 0)) if begins else ((n, 0), mine) for n in theirs]
            found = [_clash(state, attack, *pair) for pair in pairs]
            harm = _weighed(state, player, *(sum(row) / len(found) for row in zip(*found, strict=True)))
            guess = replace(harm, own=chance.uniform(0.0, MIXED) - CARD * count)
            data = {"cards": [pick for pick, _ in picks[:count]]} if count else {}
            yield Proposal("clash", v.name, data, guess=guess)


def _picks(v: Vehicle, attack: Attack) -> list[tuple[str, int]]:
    """Each card of a hand as it is best played in an attack, with what it adds; what adds most first."""
    begins = v.name == attack.attacker
    use = cast("Use", f"{attack.sort} {'attack' if begins else 'defence'}")
    best: dict[str, tuple[str, int]] = {}
    for said, _, _ in values(v, counts_as(v, attack.sort, begins=begins), (use,)):
        name, _, shown = said.partition(AS)
        amount = SPECIALS[shown].amount if shown in SPECIALS else 0
        if name not in best or amount > best[name][1]:
            best[name] = (said, amount)
    return sorted(best.values(), key=lambda pick: -pick[1])


def _with_attack(state: GameState, player: str, worth: Worth) -> Worth:
    """The worth with what an attack that is declared may come to, both with the usual number of cards."""
    attack = state.attack
    if attack is None:
        return worth
    both = (state.vehicle(name) for name in (attack.attacker, attack.target))
    first, then = ((min(len(_picks(v, attack)), USUAL_CARDS), 0) for v in both)
    harm = _weighed(state, player, *_clash(state, attack, first, then))
    return replace(worth, chance=worth.chance + harm.chance, danger=worth.danger + harm.danger)


def _weighed(state: GameState, player: str, to_attacker: float, to_target: float) -> Worth:
    """The harm of an attack to either side as a player looks at it: even drivers as if it had happened."""
    attack = state.attack
    assert attack is not None
    chance = danger = 0.0
    for name, harm in ((attack.attacker, to_attacker), (attack.target, to_target)):
        if state.vehicle(name).owner == player:
            danger += harm / EVEN.danger
        else:
            others = sum(v.owner != player and v.races for v in state.vehicles)
            chance += OTHERS * harm / max(others, 1) / EVEN.chance
    return Worth(chance=chance, danger=danger)


def _clash(
    state: GameState, attack: Attack, first: tuple[int, int], then: tuple[int, int]
) -> tuple[float, float]:
    """The harm to expect to the attacker and to the target, each with so many cards and such a bonus."""
    one, other = (state.vehicle(name) for name in (attack.attacker, attack.target))
    sort, to_one, to_other = attack.sort, 0.0, 0.0
    plus = (one.trait(PLUS[sort][0]), -other.trait(MINUS[sort]))
    dice = (one.trait(DICE[sort][0]), other.trait(DICE[sort][1]))
    rows = [
        [(max(value + bonus + plus[k], 0), share) for value, share in _best_two(1 + count + dice[k])]
        for k, (count, bonus) in enumerate((first, then))
    ]
    for (a, p), (b, q) in itertools.product(*rows):
        by = a if a == b else abs(a - b)
        to_one += p * q * (a <= b) * _suffered(one, other, sort, by)
        to_other += p * q * (a >= b) * _suffered(other, one, sort, by)
    return to_one, to_other


def _suffered(loser: Vehicle, winner: Vehicle, sort: str, by: int) -> float:
    """What whoever loses an attack by so much loses, in the mean."""
    if sort == "personal":
        lasting = LOOSE * (_roll(loser.control + by) - _roll(loser.control))
        return lasting + _roll(basic_dice(loser) + by)
    hurts = sum(loser.resilience is None or int(face) > loser.resilience for face in NUMBERS)
    points = (by + half(winner.speed)) * hurts / len(NUMBERS)
    lasting = _lame(loser, loser.damage + points) - _lame(loser, loser.damage)
    return lasting + min(points, 1.0) * _roll(round(basic_dice(loser) + points))


@lru_cache(maxsize=16)
def _best_two(dice: int) -> tuple[tuple[int, float], ...]:
    """What the two highest of so many dice come to, with its probability."""
    pairs: dict[tuple[int, ...], float] = {(): 1.0}
    for _ in range(dice):
        found: dict[tuple[int, ...], float] = {}
        for (pair, share), face in itertools.product(pairs.items(), NUMBERS):
            best = tuple(sorted((*pair, int(face)))[-2:])
            found[best] = found.get(best, 0.0) + share / len(NUMBERS)
        pairs = found
    sums: dict[int, float] = {}
    for pair, share in pairs.items():
        sums[sum(pair)] = sums.get(sum(pair), 0.0) + share
    return tuple(sorted(sums.items()))
