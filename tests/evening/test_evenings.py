"""Short evenings of every registered game, and of the sample of one's own, on the real application."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.evenings import play, shortest
from engine.game.registry import games, games_from
from tests.server import once  # noqa: F401 - begins to serve in a third less
from tests.volume import Figure, volume

SAMPLE = Path(__file__).parents[2] / "samples" / "own-game"
ACTS = volume(10, 200)
BY_GAME = [one.about.id for one in games() if one.about is not None]


def hold(game: str, evenings: range, figure: Figure) -> None:
    """Nothing breaks; what does is told with the shortest script that breaks it."""
    events = 0
    for number in evenings:
        found = play(game, number, ACTS)
        if found.violation:
            found = shortest(found)
            pytest.fail("\n".join([f"{game}, evening {number}: {found.violation}", *found.done]))
        events += found.events
    assert events > len(evenings), "something was played"
    figure(f"evenings of {game}", f"{len(evenings)} of {ACTS} acts, {events} events, 0 violations")


@pytest.mark.parametrize("game", BY_GAME)
def test_an_evening_holds_together(game: str, figure: Figure) -> None:
    hold(game, range(1, volume(21, 501)), figure)


def test_an_evening_of_ones_own_game_holds_together(figure: Figure) -> None:
    with games_from(str(SAMPLE)):
        hold("far_edge", range(1, volume(21, 501)), figure)
