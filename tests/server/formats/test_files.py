"""Files that are there whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.formats.files import FileError, whole_file, write_whole


def test_whoever_looks_finds_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "game.csv"
    path.write_text("old")
    with whole_file(path) as draft:
        draft.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "game.csv"
    path.write_text("old")
    with pytest.raises(TypeError), whole_file(path) as draft:
        draft.write_text("half") + b""  # type: ignore[operator]
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "game.csv"
    with pytest.raises(FileError, match=r"cannot write .*game\.csv: No such file"):
        write_whole(path, b"")
