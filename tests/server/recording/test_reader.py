"""A recorded game tells again what was seen, to the quantum, and shows it."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.surface import Surface
from calibration.tablefile import load_table
from engine.space.geometry import Pose
from server.pipeline.referee import Moment, Referee
from server.recording import reader as of_reader
from server.recording.errors import LibraryError
from server.recording.library.games import Library
from server.recording.reader import Reader
from server.recording.tracks import Tracks, unpack
from tests.server.recording import made
from vision.source import open_source


@pytest.fixture(scope="module")
def moments(samples):
    table = load_table(samples / "opening-round" / "table.toml")
    referee, source = Referee(table), open_source(str(samples / "opening-round" / "opening-round.mp4"))
    found = [referee.step(source.read()) for _ in range(80)]
    source.close()
    return found


@pytest.fixture(scope="module")
def reader(moments, samples, tmp_path_factory):
    folder = tmp_path_factory.mktemp("games")
    table = load_table(samples / "opening-round" / "table.toml")
    game = made.record(folder, table, moments, video=made.VideoWish(360, 10))
    with Library.open(folder) as library:
        yield library.reader(game.id)


def test_the_table_of_every_frame_comes_back_as_it_was_ruled_on(
    reader: Reader, moments: list[Moment]
) -> None:
    first = next(k for k, m in enumerate(moments) if m.events)
    begins = moments[first].time
    for moment in moments[first:]:
        table = reader.table_at(moment.time - begins)
        assert table.time == pytest.approx(moment.time - begins, abs=0.001)
        assert [s.name for s in table.standings] == [s.name for s in moment.table.standings]
        for back, seen in zip(table.standings, moment.table.standings, strict=True):
            assert (back.pose, back.status) == (seen.pose, seen.status)
            assert back.uncertainty.facts == seen.uncertainty.facts
            assert back.seen_at + begins == pytest.approx(seen.seen_at, abs=0.0021)


def test_tables_are_the_same_on_every_reading_and_in_a_row(reader: Reader) -> None:
    row = list(reader.tables(1.0, 3.0))
    assert [t.time for t in row] == list(reader.times(1.0, 3.0))
    assert len(row) > 15
    for table in row:
        again = reader.table_at(table.time)
        assert again.time == table.time
        assert [(s.pose, s.status, s.since) for s in again.standings] == [
            (s.pose, s.status, s.since) for s in table.standings
        ]


def test_before_the_beginning_and_after_the_end(reader: Reader) -> None:
    assert reader.table_at(-1.0).standings == ()
    assert reader.table_at(1e6).time == pytest.approx(reader.duration, abs=0.2)


def test_a_track_holds_each_change_of_one_piece(reader: Reader) -> None:
    name = reader.table.pieces[0].name
    fixes = list(reader.track(name))
    assert fixes
    times = [t for t, _ in fixes]
    assert times == sorted(set(times))
    for at, standing in fixes[:: max(1, len(fixes) // 10)]:
        assert reader.table_at(at).find(name).pose == standing.pose
    with pytest.raises(LibraryError, match="no piece called 'nobody'"):
        next(reader.track("nobody"))


def test_entries_say_where_the_piece_stood(reader: Reader) -> None:
    found = list(reader.entries(["camera."]))
    assert [e.number for e in found] == list(range(1, len(found) + 1))
    appeared = next(e for e in found if e.kind == "camera.appeared")
    standing = reader.table_at(appeared.at_s).find(appeared.data["piece"])
    assert appeared.data["x_in"] == pytest.approx(standing.pose.x, abs=0.05)
    assert reader.entry(1).number == 1
    with pytest.raises(LibraryError, match="no number 9999"):
        reader.entry(9999)


def test_the_calibration_comes_back(reader: Reader, moments: list[Moment]) -> None:
    surface = reader.surface_at(reader.duration)
    seen = moments[-1].surface
    assert surface is not None
    assert isinstance(seen, Surface)
    points = np.array([(5.0, 5.0), (40.0, 30.0)])
    assert surface.image_from_table(points, 1.0) == pytest.approx(seen.image_from_table(points, 1.0), abs=0.6)
    assert surface.lens.origin == seen.lens.origin
    assert reader.surface_at(-1.0) is None


def test_stills_and_video_show_the_table(reader: Reader, moments: list[Moment]) -> None:
    still = reader.still_at(1)
    assert still is not None
    picture = cv2.imdecode(np.frombuffer(still, np.uint8), cv2.IMREAD_COLOR)
    first = next(m for m in moments if m.events).frame.image
    assert picture.shape == first.shape
    assert np.abs(picture.astype(int) - first).mean() < 4
    assert len(reader.segments()) == 1
    began = next(m.time for m in moments if m.events)
    for moment in moments[10::20]:
        shown = reader.frame_at(moment.time - began)
        assert shown is not None
        assert shown.shape == (360, 640, 3)
        small = cv2.resize(moment.frame.image, (640, 360), interpolation=cv2.INTER_AREA)
        assert np.abs(shown.astype(int) - small).mean() < 6
    assert reader.frame_at(reader.duration + 100) is None


def test_a_drawn_game_holds_what_the_match_said_between(samples, tmp_path) -> None:
    game = made.record_drawn(tmp_path, samples, seconds=12)
    with Library.open(tmp_path) as library:
        reader = library.reader(game.id)
        assert reader.game.ended is None, "a match that is being played goes on at the next start"
        turns = list(reader.entries(["match.turn"]))
        assert [(e.data["turn"], e.at_s) for e in turns] == [(1, 1.0), (2, 6.0), (3, 11.0)]
        assert reader.still_at(turns[0].number) is not None


def test_a_block_is_unpacked_once_however_often_a_game_is_gone_through(
    samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A report goes through each track several times, and a long game has hundreds of blocks."""
    unpacked: list[bytes] = []

    def counted(data: bytes) -> Tracks:
        unpacked.append(data)
        return unpack(data)

    def whole(of: Reader) -> list[tuple[float, str, Pose]]:
        return [(at, s.name, s.pose) for p in of.table.pieces for at, s in of.track(p.name)]

    monkeypatch.setattr(of_reader, "unpack", counted)
    game = made.record_drawn(tmp_path, samples, seconds=50, fps=4)
    with Library.open(tmp_path) as library:
        one, small = library.reader(game.id), library.reader(game.id)
        first = whole(one)
        blocks = len(unpacked)
        assert blocks > 20
        assert whole(one) == first
        assert one.table_at(10.0).time == pytest.approx(10.0, abs=0.3)
        assert len(unpacked) == blocks
        # No more is kept than there is room for.
        monkeypatch.setattr(of_reader, "NUMBERS_KEPT", 1)
        assert whole(small) == first
        assert len(unpacked) > 2 * blocks
