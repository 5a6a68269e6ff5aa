"""The timeline of a recorded game."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.formats.entries import Entry
from server.recording.library.games import Library
from server.replay.timeline import Timeline
from tests.server.playback import record_game


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory) -> Timeline:
    with Library.open(tmp_path_factory.mktemp("games")) as library:
        return Timeline(library.reader(record_game(library)))


def test_marks_are_what_people_look_for(line: Timeline) -> None:
    kinds = [(t.mark, t.at_s) for t in line.marks if t.mark != "ruling"]
    assert kinds == [("turn", 1.0), ("dispute", 9.5), ("gap", 10.0), ("turn", 11.0)]
    rulings = [t for t in line.marks if t.mark == "ruling"]
    assert {t.at_s for t in rulings} == {3.0, 8.5}
    assert {t.verdict for t in rulings} <= {"yes", "no", "too close to call"}
    assert "no" in {t.verdict for t in rulings}


@pytest.mark.parametrize(
    ("at_s", "forward", "found"),
    [(0.0, True, 1.0), (1.0, True, 3.0), (0.99, True, 1.0), (9.2, False, 9.0), (9.0, False, 8.5),
     (11.0, True, None), (0.0, False, None), (99.0, False, 11.0)],
)  # fmt: skip
def test_the_entry_beside_a_time(line: Timeline, at_s: float, forward: bool, found: float | None) -> None:
    tick = line.beside(at_s, forward)
    assert (None if tick is None else tick.at_s) == found


def test_what_had_happened_until_then(line: Timeline) -> None:
    assert [t.kind for t in line.until(1.5, 10)] == ["camera.appeared", "match.round"]
    assert [t.kind for t in line.until(99.0, 2)] == ["camera.gap", "match.round"]
    assert line.until(-1.0, 5) == ()
    assert [t.number for t in line.after(len(line) - 2)] == [len(line) - 1, len(line)]


def test_entries_told_late_do_not_turn_time_back(tmp_path: Path) -> None:
    with Library.open(tmp_path) as library:
        id = record_game(library)
        line = Timeline(library.reader(id))
        known = len(line)
        journal = library.journal(id)
        journal.clock.see(100.0)
        journal.append([Entry("camera.gap", 100.0, "now")])
        journal.append([Entry("camera.gap", 95.0, "told late")])
        journal.close()
        line.refresh()
        times = [t.at_s for t in line.after(0)]
        assert len(line) == known + 2
        assert times == sorted(times)
