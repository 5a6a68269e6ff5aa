"""What is refused of a file that is brought in: one clear line, and nothing of it stays."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from server.exports import jsonl
from server.exports.jsonl import NotAnExport, bounded, bring_in
from server.recording.library.games import Library


def spoilt(line: str) -> str:
    """The line with a list where text belongs."""
    value = json.loads(line)
    value["entry"]["words"] = ["no", "text"]
    return json.dumps(value)


WRONG: dict[str, tuple[Callable[[str], str], str]] = {
    "too long": (lambda _: '{"entry": "' + "x" * 5000 + '"}', "at most"),
    "nested": (lambda _: "[" * 4000, "line"),
    "another type": (spoilt, "does not fit its column"),
    "twice": (str, "there twice"),
}


@pytest.mark.parametrize("how", WRONG)
def test_what_is_no_export_is_refused_in_one_line(
    tmp_path: Path, samples: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    lines = (samples / "opening-round" / "game.jsonl").read_text(encoding="utf-8").splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith('{"entry"'))
    change, words = WRONG[how]
    if how == "twice":
        lines[at + 1] = lines[at]
    given = "\n".join([*lines[:at], change(lines[at]), *lines[at + 1 :]])
    if how == "too long":
        monkeypatch.setattr(jsonl, "LONGEST_LINE", max(map(len, lines[: at + 1])) + 100)
        given = given.replace("x" * 5000, "x" * 2 * jsonl.LONGEST_LINE)
    with Library.open(tmp_path) as library:
        with pytest.raises(NotAnExport, match=words) as told:
            bring_in(library, bounded(io.StringIO(given)))
        assert "\n" not in str(told.value)
        assert library.games() == ()


def test_a_line_without_an_end_is_not_read_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "LONGEST_LINE", 100)
    assert len(next(bounded(io.StringIO("x" * 10_000)))) == 101
