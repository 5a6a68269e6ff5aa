"""Short evenings of every registered game, and of the sample of one's own, on the real application.

Besides, pairs that differ only in a secret; and that what the machine holds is held at all.
"""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pytest

from benchmarks.evenings import play, shortest, unlike
from benchmarks.evenings.hidden import _poses, _words
from benchmarks.evenings.house import Violation
from engine.game.registry import games, games_from
from engine.space.geometry import Pose
from server.play.host import MatchHost
from tests.server import once  # noqa: F401 - begins to serve in a third less
from tests.volume import Figure, deep, volume

SAMPLE = Path(__file__).parents[2] / "samples" / "own-game"
ACTS = volume(5, 200)
BY_GAME = [one.about.id for one in games() if one.about is not None]


def hold(game: str, evenings: range, figure: Figure) -> None:
    """Nothing breaks; what does is told with the shortest script that breaks it."""
    events = 0
    for number in evenings:
        found = play(game, number, ACTS)
        if found.violation:
            found = shortest(found)
            again = f"play({game!r}, {number}, 0, {list(found.script)})"
            pytest.fail("\n".join([f"{game}, evening {number}: {found.violation}", *found.done, again]))
        events += found.events
    assert events > len(evenings), "something was played"
    figure(f"evenings of {game}", f"{len(evenings)} of {ACTS} acts, {events} events, 0 violations")


@pytest.mark.parametrize("game", BY_GAME)
def test_an_evening_holds_together(game: str, figure: Figure) -> None:
    hold(game, range(1, volume(21, 501)), figure)


def test_an_evening_of_ones_own_game_holds_together(figure: Figure) -> None:
    with games_from(str(SAMPLE)):
        hold("far_edge", range(1, volume(21, 501)), figure)


SECRETS = [one.about.id for one in games() if one.about is not None and one.about.sealed]


def test_evenings_that_differ_in_a_secret_are_the_same_to_all_others(figure: Figure) -> None:
    compared = 0
    for game in SECRETS:
        for number in range(1, volume(2, 51)):
            found = unlike(game, number, volume(10, 100))
            assert not found.violation, found.violation
            compared += found.events
    assert compared, "somebody had chosen in secret"
    figure("twin evenings", f"{compared} outlets compared, 0 tell a secret")


@deep
@pytest.mark.parametrize(
    ("lie", "rule"),
    [
        (mock.patch("server.play.host.owed", return_value=()), "a fact is said without those it is about"),
        (
            mock.patch.object(
                MatchHost, "_acting_for", lambda self, who, player: player or self.player_of(who)
            ),
            "somebody acts for another",
        ),
        (mock.patch("server.table.gate.pose_of", lambda pose: pose), "a place is told exactly"),
        (mock.patch("server.table.gate.measured_out", lambda value: value), "a distance is told"),
    ],
    ids=["nobody agrees", "anybody acts for anybody", "places are exact", "words hold lengths"],
)
def test_what_the_machine_holds_is_held(lie: object, rule: str) -> None:
    """A product that lies is found out within a few evenings."""
    with lie:  # type: ignore[attr-defined]
        found = [play("car_cult", number, 100).rule for number in range(500, 506)]
    assert rule in found


@pytest.mark.parametrize(
    ("within", "told"),
    [
        ({"pose": [10.06, 20.06, 0.3]}, True),
        ({"cells": [{"x": 10.06, "y": 20.06}]}, True),
        ([[[10.06, 20.06]]], True),
        ({"points": [[10.25, 20.06], [10.5, 20.25]], "x": 10, "none": None}, False),
        ({"words": ["it stands 3.25 in away"]}, True),
        ({"said": "it stands 3.25 in away"}, False),
        ({"measured": True, "citation": "Book · Move", "words": "3.25 in"}, False),
    ],
)
def test_a_place_and_a_length_are_found_wherever_they_stand_in_a_message(within: object, told: bool) -> None:
    hands = SimpleNamespace(poses={"Red 1": None}, seen_at=lambda _: Pose(10.06, 20.06, 0.3))
    message = {"deep": [{"down": within}]}
    with pytest.raises(Violation) if told else nullcontext():
        _words(message, "here")
        _poses(SimpleNamespace(hands=hands), message, "here")  # type: ignore[arg-type]
