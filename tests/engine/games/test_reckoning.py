"""How the odds of a shot come about: every step with its section, up to the figures of its button."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from benchmarks.drivers import begun
from engine.driver.contest import play
from engine.driver.deciding import Choice, Position, at_random
from engine.game.contract import Option
from engine.game.dice import SeededDice
from engine.game.registry import game_called

LEAST = {"battlecars": 0, "car_cult": 2, "shattered_highways": None, "white_line_fever": 2}
"""The games with shots of which the odds are known before the dice, with the least that a die has to show."""


@pytest.mark.parametrize("name", LEAST)
def test_every_shot_is_explained_step_by_step(name: str) -> None:
    game = game_called(name)
    match, table, players = begun(game, 1, 2, exact=True)
    shots: dict[str, Option] = {}

    def choose(position: Position[Any], turn: int) -> Choice | None:
        shots.update({repr(o.reckoning): o for o in position.options if o.reckoning})
        enough = len(shots) >= 12 or turn > 150
        return None if enough else at_random(position, Random(turn))

    play(match, table, players, choose, SeededDice(name))
    assert shots
    for shot in shots.values():
        first, *rest = shot.reckoning
        odds = next(step for step in rest if step.figure.endswith("%"))
        assert odds.figure == shot.facts[0].words, "the chance that the button shows"
        assert all(step.words and step.citation.startswith(game.about.book) for step in shot.reckoning)
        steps = rest[: rest.index(odds)]
        changes = [int(s.figure.replace("−", "-")) for s in steps if not s.words.endswith("to damage")]
        needed, least = int(first.figure.removesuffix("+")) - sum(changes), LEAST[name]
        if least is not None and f"{max(needed, least)}+" not in odds.words:
            assert "always hits" in odds.words or "cannot hit" in odds.words, shot.reckoning
