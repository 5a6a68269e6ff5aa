"""How games of Shattered Highways end.

Games between two fleets of up to three vehicles for so many creation points; how each stands at the end of
each round is kept. The players are typed ones who shoot, fight and ram whatever they can; as nothing stands
on a table, each chance to is within reach by the toss of a coin.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from engine.game.dice import SeededDice
from engine.game.filling import Stuck, filled
from engine.game.match import Match
from engine.game.players import answered
from engine.game.registry import game_called
from engine.games.shattered_highways.book.data import CLASSES
from engine.games.shattered_highways.state import GameState

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
