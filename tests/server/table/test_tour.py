"""What a film shows by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import TableRefError
from server.table.tour import load_tour
from vision.source import play_source


def test_the_samples_tour_shows_one_of_each_kind(samples: Path) -> None:
    stops = load_tour(samples / "opening-round" / "tour.toml")
    assert [stop.verdict for stop in stops[:4]] == ["yes", None, "no", "too close to call"]
    assert stops[0].at_s == 0.0
    assert stops[2].by == "Mug"
    assert all(len(stop.words.split()) < 25 for stop in stops)


@pytest.mark.parametrize("text", ["[[stop]]\nat_s = 1", "stop = 3", "[[stop"])
def test_a_tour_that_cannot_be_read_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "tour.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(TableRefError, match="cannot be read"):
        load_tour(file)


def test_what_was_taken_before_is_a_film(samples: Path) -> None:
    film = play_source(str(samples / "opening-round" / "opening-round.mp4"))
    assert getattr(film, "film", False)
    film.close()
    for spec in ("sim", "none", "phone"):
        assert not getattr(play_source(spec), "film", False)
