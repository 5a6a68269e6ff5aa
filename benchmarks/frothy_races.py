"""`python -m benchmarks.frothy_races [--count N] [--seed S]`: random races of every type to their end.

Each has random players, vehicles, rules and track. After every action no two vehicles share a hex, every
marker is on its licence and the state's JSON is read back; at the end the log replays to the same state.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter

from engine.game.dice import SeededDice
from engine.game.match import Match
from engine.game.players import random_setup, step
from engine.game.registry import game_called
from engine.games.frothy_races.book.data import RACES
from engine.games.frothy_races.state.game_state import GameState

GAME = game_called("frothy_races")

LONGEST = 4000
"""Actions after which a race must be over."""


def race(number: int, rounds: int = 12, **rules: object) -> Match[GameState]:
    """The race of a number, of the type that is its turn, played by random players to its end."""
    chance, dice = random.Random(f"race {number}"), SeededDice(f"race {number}")
    setup = random_setup(GAME, chance) | {"race": RACES[number % len(RACES)], "rounds": rounds} | rules
    if setup["race"] == "Pursuit":
        setup |= {"players": setup["players"][:2], "pieces": setup["pieces"][:2]}
    teams = {piece.get("team") for piece in setup["pieces"]}
    if len(teams) == 1:
        setup["pieces"] = [{k: v for k, v in p.items() if k != "team"} for p in setup["pieces"]]
    match: Match[GameState] = Match.begin(GAME, setup)
    for _ in range(LONGEST):
        if match.state.over:
            return match
        step(match, chance, dice)
        hold(match.state)
    raise AssertionError(f"race {number} is not over after {LONGEST} actions")


def hold(state: GameState) -> None:
    """What is true of every state; reading its JSON holds the markers."""
    cells = Counter(v.cell for v in state.vehicles if v.here)
    assert not cells or max(cells.values()) == 1, "two vehicles share a hex"
    assert all(state.board.holds(cell) for cell in cells if cell is not None), "a vehicle is off the track"
    assert GAME.from_json(json.loads(json.dumps(GAME.as_json(state)))) == state, "the state's JSON"


def main() -> None:
    """Plays the races and tells what happened in them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--seed", type=int, default=0, help="number of the first race")
    said = parser.parse_args()
    kinds: Counter[str] = Counter()
    races: Counter[str] = Counter()
    start = time.process_time()
    for number in range(said.seed, said.seed + said.count):
        match = race(number)
        assert Match.replay(GAME, match.log, match.secrets).state == match.state, "the log replays elsewhere"
        kinds.update(e.kind for e in match.log)
        races[match.state.rules.race] += 1
    took = time.process_time() - start
    print(f"{said.count} races to their end, {said.count / took:.1f} a second: {dict(races)}")
    print(", ".join(f"{kind} {count}" for kind, count in kinds.most_common()))


if __name__ == "__main__":
    main()
