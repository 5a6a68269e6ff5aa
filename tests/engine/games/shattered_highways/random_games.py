"""`python -m tests.engine.games.shattered_highways.random_games [--games N] [--seed S]`: random fleets.

Played to their end: fleets and all that is done come from the game's own forms, and no camera sees anything.
After every action the invariants of vehicles, warriors, turns and duties are held; every 25th game goes
through JSON, undo, redo and replay as well (`benchmarks.games`). One core.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections import Counter

from benchmarks import games
from engine.game.dice import SeededDice
from engine.game.match import Match
from engine.game.players import random_setup, step
from engine.games.shattered_highways.state.duties import due
from engine.games.shattered_highways.state.game_state import GameState, Vehicle
from tests.engine.games.shattered_highways.playing import GAME

THOROUGH = 25
"""Every so many games everything is checked."""


def play(number: int, limit: int = 4000) -> Match[GameState]:
    """A random game to its end, the invariants held after every action."""
    if number % THOROUGH == 0:
        match = games.play(GAME, number)
        games.told_again(match, number)
        return match
    chance, dice = random.Random(number), SeededDice(number)
    match = Match.begin(GAME, random_setup(GAME, chance))
    for _ in range(limit):
        if match.state.over:
            return match
        step(match, chance, dice)
        hold(match.state)
    raise AssertionError(f"game {number} is not over after {limit} actions")


def hold(state: GameState) -> None:
    """What is true of every state between two actions."""
    for vehicle in state.vehicles:
        hold_vehicle(state, vehicle)
    for warrior in state.warriors:
        assert not (warrior.hero and warrior.home), f"{warrior.name} is a hero among Reinforcements"
        status = state.vehicle(warrior.vehicle).status
        leaping = any(d.kind == "leap" and d.warrior == warrior.name for d in state.duties)
        assert warrior.out or leaping or status not in ("destroyed", "gone"), f"{warrior.name} is on a wreck"
    assert not set(state.queue) - {v.name for v in state.vehicles if v.in_play}, "a vehicle without a turn"
    for pair in state.locked:
        assert all(state.vehicle(name).in_play for name in pair), f"{pair} stand against one another"
    if state.over:
        assert not state.duties
        assert state.winner is None or state.winner in state.alive
    elif due(state) is None and state.first is not None and state.turn is not None:
        hold_turn(state)


def hold_vehicle(state: GameState, vehicle: Vehicle) -> None:
    """Hit points within bounds, one warrior in a seat, and seats where the vehicle has them."""
    name = vehicle.name
    assert 0 <= vehicle.hits <= vehicle.cls.hits, f"{name}: {vehicle.hits} hit points"
    assert vehicle.trailer is None or 0 <= vehicle.trailer <= (vehicle.cls.trailer or 0), (
        f"{name}: its trailer"
    )
    assert not vehicle.in_play or vehicle.hits > 0, f"{name} has no hit points and is in play"
    aboard = state.aboard(name)
    taken = [w.seat for w in aboard if w.seat is not None]
    assert len(set(taken)) == len(taken), f"{name}: two sit in one seat"
    parts = dict(vehicle.seats)
    for warrior in aboard:
        if warrior.seat is not None:
            assert parts.get(warrior.seat) == warrior.part, f"{warrior.name} sits in {warrior.seat}"
    assert (vehicle.hidden_in is not None) <= (vehicle.status in ("hidden", "destroyed", "gone")), name


def hold_turn(state: GameState) -> None:
    """Somebody has something to do in the turn that is on."""
    assert state.turn is not None
    vehicle = state.vehicle(state.turn.vehicle)
    assert vehicle.in_play, f"the turn of {vehicle.name}, which is no more, goes on"
    mine = [w for w in state.aboard(vehicle.name) if w.owner == state.turn.hands]
    assert mine or state.turn.stage == "moving", f"{state.turn.hands} has nobody on {vehicle.name}"
    assert len(state.alive) > 1, "one player is left and the game goes on"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="number of the first game")
    said = parser.parse_args()
    kinds: Counter[str] = Counter()
    classes: Counter[str] = Counter()
    lengths, winners = [], Counter[str]()
    start, clock = time.process_time(), time.monotonic()
    for number in range(said.seed, said.seed + said.games):
        match = play(number)
        kinds.update(e.kind for e in match.log)
        classes.update(v.kind for v in match.state.vehicles)
        lengths.append(len(match.log))
        winners["won" if match.state.winner else "drawn"] += 1
    took = time.process_time() - start
    print(f"{said.games} games to their end in {took:.0f} s of computing, {time.monotonic() - clock:.0f} s")
    print(f"{sum(lengths)} events, a game {statistics.median(lengths):.0f}, {max(lengths)} at most")
    print(dict(winners), dict(classes))
    print(", ".join(f"{kind} {count}" for kind, count in kinds.most_common()))


if __name__ == "__main__":
    main()
