"""Through which lens the referee sees."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from calibration.lens import Lens, guess_lens
from calibration.tablefile import TableFile, load_table
from server.referee import Referee
from vision.frame import Frame
from vision.source import open_source


@pytest.fixture(scope="module")
def table(samples: Path) -> TableFile:
    return load_table(samples / "opening-round" / "table.toml")


@pytest.fixture(scope="module")
def first(samples: Path) -> Frame:
    source = open_source(str(samples / "opening-round" / "opening-round.mp4"))
    frame = source.read()
    source.close()
    return frame


def seen_through(referee: Referee, frame: Frame) -> Lens:
    surface = referee.step(frame).surface
    assert surface is not None
    return surface.lens  # type: ignore[attr-defined,no-any-return]


def same(lens: Lens, other: Lens | None) -> bool:
    return other is not None and lens.K[0, 0] == pytest.approx(other.K[0, 0], rel=1e-3)


def test_a_kept_lens_serves_a_table_that_names_none(table: TableFile, first: Frame) -> None:
    bare = replace(table, lens=None)
    assert seen_through(Referee(bare), first).guessed
    asked: list[tuple[int, int]] = []

    def kept(size: tuple[int, int]) -> Lens | None:
        asked.append(size)
        return table.lens

    assert same(seen_through(Referee(bare, kept=kept), first), table.lens)
    assert asked == [(1920, 1080)]
    assert seen_through(Referee(bare, kept=lambda _: None), first).guessed


def test_the_table_files_own_lens_goes_before_a_kept_one(table: TableFile, first: Frame) -> None:
    referee = Referee(table, kept=lambda size: guess_lens(size, 40.0))
    assert same(seen_through(referee, first), table.lens)


def test_a_new_lens_is_used_from_the_next_frame_on(table: TableFile, first: Frame) -> None:
    referee = Referee(replace(table, lens=None))
    assert seen_through(referee, first).guessed
    assert table.lens is not None
    referee.use_lens(table.lens)
    assert same(seen_through(referee, replace(first, index=1, time=0.1)), table.lens)
    referee.use_lens(guess_lens((640, 480)))
    assert same(seen_through(referee, replace(first, index=2, time=0.2)), table.lens)
