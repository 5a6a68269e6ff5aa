"""The short form of `python -m benchmarks.siege`: a real server, attacked, and killed in the middle of it."""

from __future__ import annotations

import sys

import pytest

from benchmarks import siege


@pytest.mark.skipif(sys.platform == "win32", reason="has one address on its loopback")
def test_an_invited_player_is_answered_and_what_was_acknowledged_is_kept() -> None:
    asked = ("quiet", "endless headers", "strangers", "spectators in every place")
    found = siege.run(0.5, 1, asked)
    for name in asked:
        assert found[name]["answers"] > 0, name
        assert found[name]["refused"] == 0, name
    assert found["endless headers"]["became"]["cut off"] > 0
    assert set(found["strangers"]["became"]) <= {"401", "403"}
    assert found["strangers"]["became"]["401"] > 0
    became = found["spectators in every place"]["became"]
    assert (became["owner let in"], became["player let in"]) == (1, 1)
    assert became["connections"] < 80
    record = found["record"]
    assert record["acknowledged"] >= len(asked) + 1
    assert record["lost"] == 0
