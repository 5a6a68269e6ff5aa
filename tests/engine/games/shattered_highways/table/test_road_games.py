"""A short form of `python -m benchmarks.road_games`: a random game on a drawn road, nothing typed."""

from __future__ import annotations

from benchmarks.road_games import play

NUMBER = 3
"""A short game; the benchmark plays longer ones."""


def test_a_random_game_is_played_to_its_end_by_what_the_table_says() -> None:
    played = play(NUMBER)
    kinds = {e.kind for e in played.match.log}
    assert {"moved", "shot", "placed", "shifted", "veers"} <= kinds
    assert all("edge" not in e.data["data"] for e in played.match.log if e.kind == "action"), "nothing typed"
