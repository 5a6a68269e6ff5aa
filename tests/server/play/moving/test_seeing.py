"""What of a game lies on the table, and what of an option is told to whom."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from server.play.messages import MeasuringView
from server.play.moving.seeing import in_play, lying
from server.play.view import option_view
from tests.engine.games.frothy_races.playing import begun, do


def test_round_tokens_have_an_outline() -> None:
    match = begun(circuit="oval")
    do(match, "start", (5, 2))
    laid = lying(match)
    assert set(laid) == {"Fragile Obstacle 1", "Fragile Obstacle 2"}
    for outline in laid.values():
        corners = np.array(outline)
        reach = np.hypot(*(corners - corners.mean(axis=0)).T)
        assert len(corners) > 8
        assert math.isclose(reach.min(), reach.max())
        assert math.isclose(reach.max(), match.state.board.spacing / 4, rel_tol=1e-3)


def test_what_a_form_offers_is_told_to_whoever_answers_it_alone() -> None:
    match = begun(circuit="oval")
    do(match, "start", (5, 2))
    option = match.options()[0]
    assert option.player == "Red"
    assert "Whip 4" in str(option_view(option, mine=True))
    assert "Whip 4" not in str(option_view(option, mine=False))
    for may in (True, False):
        measuring = MeasuringView(measured=False, may=may, happened=True, lacks="", words="", settled="")
        assert "Whip 4" not in str(option_view(option, mine=False, measuring=measuring))


def test_in_play_is_what_players_have_and_the_game_has_not_taken_off() -> None:
    """Cars of nobody's, and all of them while there is no match, are in the box as far as anybody knows."""
    owners = {"red1": "Ann", "red2": "Ann", "blue1": "Bob", "blue2": ""}

    def match(removed: Callable[[object], tuple[str, ...]]) -> Any:
        game = SimpleNamespace(removed=removed, about=SimpleNamespace(title="Any"))
        return SimpleNamespace(game=game, state=None)

    def stumbles(_: object) -> tuple[str, ...]:
        raise KeyError("Red 2")

    assert in_play(None, owners) == frozenset()
    assert in_play(match(lambda _: ("Red 2",)), owners) == {"red1", "blue1"}
    assert in_play(match(stumbles), owners) == {"red1", "red2", "blue1"}
