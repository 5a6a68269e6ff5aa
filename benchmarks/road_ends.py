"""`python -m benchmarks.road_ends [--games N] [--seed S] [--points P] [--rounds R] [--table]`: how games end.

Games of Shattered Highways between two fleets of up to three vehicles for so many creation points. Told is of
each number of rounds how many games would be over by then, how many would be drawn by creation points alone
and with the tie-breaks, and how many vehicles are lost.
The players are typed ones who shoot, fight and ram whatever they can; as nothing stands on a table, each
chance to is within reach by the toss of a coin. With `--table` two machines drive at the nearest target on a
drawn road and shoot what they can: some fifty times as slow.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from benchmarks.drivers import Side, play
from engine.game.dice import SeededDice
from engine.game.filling import Stuck, filled
from engine.game.match import Match
from engine.game.players import answered
from engine.game.registry import game_called
from engine.games.shattered_highways.acts.rounds import strength
from engine.games.shattered_highways.book.data import CLASSES
from engine.games.shattered_highways.state.game_state import GameState

GAME = game_called("shattered_highways")

WANTED = ("shoot", "attack", "ram", "unjam")
"""What typed players do before anything else, where it is within reach."""


@dataclass
class Rounds:
    """Where a game stood at the end of each round."""

    ends: dict[int, GameState] = field(default_factory=dict)
    actions: Counter[int] = field(default_factory=Counter)
    stuck: bool = False

    def see(self, state: GameState) -> None:
        """Keeps the last state of each round."""
        self.ends[state.round] = state
        self.actions[state.round] += 1

    def at(self, number: int) -> GameState:
        """The state at the end of a round, or at the game's end if that came before."""
        return self.ends[max(n for n in self.ends if n <= number)]


def drawn(state: GameState, *, ties: bool) -> bool:
    """Whether nobody would win if the game were over now."""
    alive = state.alive
    if len(alive) == 1:
        return False
    worth = sorted((strength(state, p)[: 3 if ties else 1] for p in alive), reverse=True)
    return not worth or worth[0] == worth[1]


def typed(number: int, watch: Callable[[GameState], None], **rules: int) -> str:
    """Plays a game without a table; why it could not go on, or nothing."""
    chance, dice = random.Random(number), SeededDice(f"ends {number}")
    match: Match[GameState] = Match.begin(GAME, _set_up(chance, rules))
    for _ in range(4000):
        watch(match.state)
        if match.state.over:
            return ""
        options = [o for o in match.options() if not o.not_now]
        chance.shuffle(options)
        # Within reach or not is tossed for; a turn ends when nothing else is left.
        options.sort(key=lambda o: (o.kind == "done", not (o.kind in WANTED and chance.random() < 0.5)))
        for option in options:
            try:
                action = filled(option, chance)
            except Stuck:
                continue
            if match.check(action):
                continue
            if action.kind in GAME.about.sealed:
                match.seal(action, f"{number} {chance.random()}", None, dice)
            else:
                match.do(action, None, dice)
            break
        else:
            return f"nothing of {[o.words for o in options]} can be done"
    return "not over after 4000 actions"


def _set_up(chance: random.Random, rules: dict[str, int]) -> dict[str, Any]:
    """Two fleets that spend what they may, of three vehicles at most."""
    players = ["Red", "Blue"]
    if rules.pop("equal", 0):
        each = max(rules["points"] // CLASSES["Car"].points, 1)
        cars = [{"name": f"{p} {k + 1}", "owner": p, "class": "Car"} for p in players for k in range(each)]
        return {"players": players, "pieces": cars, "deployment": "anywhere", **rules}
    for attempt in range(400):
        each = max(1, 3 - attempt // 100)
        pieces = [{"name": f"{p} {k + 1}", "owner": p} for p in players for k in range(each)]
        try:
            return answered(GAME, {"players": players, "pieces": pieces, **rules}, chance)
        except Stuck:
            continue
    raise AssertionError("no set-up that the form accepts")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="number of the first game")
    parser.add_argument("--points", type=int, default=100, help="creation points of each fleet")
    parser.add_argument("--rounds", type=int, default=16, help="rounds after which a game is over")
    parser.add_argument("--table", action="store_true", help="on a drawn road")
    parser.add_argument("--equal", action="store_true", help="fleets of as many Cars as the points buy")
    options = parser.parse_args()
    start = time.process_time()
    seen: list[Rounds] = []
    for number in range(options.seed, options.seed + options.games):
        one = Rounds()
        rules = {"points": options.points, "rounds": options.rounds}
        if options.table:
            stuck = play(GAME, number, Side("plain"), Side("plain"), 3, one.see, **rules).stuck
        else:
            stuck = typed(number, one.see, equal=options.equal, **rules)
        one.stuck = bool(stuck)
        seen.append(one)
    took = time.process_time() - start
    print(f"{len(seen)} games, {options.points} points, {sum(s.stuck for s in seen)} stuck, {took:.0f} s")
    for number in range(1, options.rounds + 1):
        ends = [one.at(number) for one in seen]
        over = sum(len(s.alive) < 2 for s in ends)
        points, all_three = (sum(drawn(s, ties=ties) for s in ends) for ties in (False, True))
        lost = statistics.median(sum(v.status in ("destroyed", "gone") for v in s.vehicles) for s in ends)
        done = statistics.median(sum(n for k, n in one.actions.items() if k <= number) for one in seen)
        print(
            f"{number:2} rounds: {over} over, drawn by creation points {points}, with tie-breaks {all_three};"
            f" in the median {lost:g} vehicles lost, {done:g} actions"
        )


if __name__ == "__main__":
    main()
