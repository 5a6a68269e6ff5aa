"""`python -m tests.engine.games.car_cult.random_games [--games N] [--seed S]`: random cults.

Played to their end: what is built is drawn within the Build Limit, all that is done comes from the game's own
forms, and no camera sees anything. After every action the invariants of cars, tokens and
activations are held; every 25th game goes through JSON and replay as well (`benchmarks.games`). One core.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections import Counter
from typing import Any

from benchmarks import games
from engine.game.dice import SeededDice
from engine.game.match import Match
from engine.game.players import step
from engine.games.car_cult.book.building import zones_of
from engine.games.car_cult.book.data import CARDS, DAMAGE, ENGINES
from engine.games.car_cult.state.game_state import Car, GameState
from tests.engine.games.car_cult.playing import GAME

THOROUGH = 25
"""Every so many games everything is checked."""


def cults(chance: random.Random) -> dict[str, Any]:
    """A set-up of two to four random cults of up to 30 zones; every fifth with what commenters wished for."""
    wishes = chance.random() < 0.2
    cards = [c.name for c in CARDS.values() if c.sort != "engine" and (wishes or not c.wish)]
    pieces = []
    players = ["Ann", "Bob", "Cleo", "Dirk"][: chance.choice((2, 2, 2, 3, 3, 4))]
    for player in players:
        left = 30
        for number in range(1, chance.randint(1, 3) + 1):
            engine = chance.choice(ENGINES)
            if zones_of([engine]) > left:
                break
            parts: list[str] = []
            left -= zones_of([engine])
            for card in chance.sample(cards, chance.randint(1, 5)):
                armoured = CARDS[card].sort == "armour" and any(CARDS[p].sort == "armour" for p in parts)
                if zones_of([card]) <= left and not armoured:
                    parts.append(card)
                    left -= zones_of([card])
            armour = sum(CARDS[p].zones for p in parts if CARDS[p].sort == "armour")
            parts = [p for p in parts if CARDS[p].sort != "armour"]
            name = f"{player} {number}"
            pieces.append({"name": name, "owner": player, "engine": engine, "parts": parts, "armour": armour})
    return {"players": players, "pieces": pieces, "wishes": wishes}


def play(number: int, limit: int = 12000) -> Match[GameState]:
    """A random game to its end, the invariants held after every action."""
    chance, dice = random.Random(number), SeededDice(number)
    match = Match.begin(GAME, cults(chance))
    for _ in range(limit):
        if match.state.over:
            if number % THOROUGH == 0:
                games.told_again(match, number)
            return match
        step(match, chance, dice)
        hold(match.state)
    raise AssertionError(f"game {number} is not over after {limit} actions")


def hold(state: GameState) -> None:
    """What is true of every state between two actions."""
    for car in state.cars:
        hold_car(state, car)
    if state.over:
        assert state.winner is None or state.winner in state.alive
        assert not state.duties
        return
    assert len(state.alive) > 1 or state.duties or any(c.status == "waiting" for c in state.cars)
    turn = state.turn
    if turn is not None:
        assert state.car(turn.car).activated
        assert turn.player == state.car(turn.car).owner
        assert 0 <= turn.pool <= sum(len(c.rules.symbols) for c in state.car(turn.car).components)
    if state.attack is not None:
        assert state.car(state.attack.car).driving
        assert state.car(state.attack.target).driving
    names = [one.name for one in state.laid]
    assert len(set(names)) == len(names), "two tokens have one name"


def hold_car(state: GameState, car: Car) -> None:
    """As many zones as the cards have, speeds in order, no car in play without a zone left."""
    low, high = car.limits
    assert 0 <= low <= high
    assert car.turns <= len(car.engine.zones)
    for one in car.components:
        assert len(one.zones) == one.rules.zones
        assert one.rules.sort != "armour" or one.speed == 0 or swapped(state), f"{one.name} holds Speed"
    assert car.status != "driving" or car.undamaged > 0, f"{car.name} has damage everywhere and is in play"
    assert car.status != "exploded" or all(t == DAMAGE for c in car.components for t in c.zones), car.name


def swapped(state: GameState) -> bool:
    """Whether a Fixer may have put a Speed token where none is allocated."""
    return any(c.card == "Fanatical Fixer" for car in state.cars for c in car.components)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="number of the first game")
    said = parser.parse_args()
    kinds: Counter[str] = Counter()
    lengths, winners = [], Counter[str]()
    start, clock = time.process_time(), time.monotonic()
    for number in range(said.seed, said.seed + said.games):
        match = play(number)
        kinds.update(e.kind for e in match.log)
        lengths.append(len(match.log))
        winners["won" if match.state.winner else "drawn"] += 1
    took = time.process_time() - start
    print(f"{said.games} games to their end in {took:.0f} s of computing, {time.monotonic() - clock:.0f} s")
    print(f"{sum(lengths)} events, a game {statistics.median(lengths):.0f}, {max(lengths)} at most")
    print(dict(winners))
    print(", ".join(f"{kind} {count}" for kind, count in kinds.most_common()))


if __name__ == "__main__":
    main()
