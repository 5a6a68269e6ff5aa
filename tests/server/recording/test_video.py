"""Video in segments: whole ones have an index, one cut off anywhere plays and is mended."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import av
import numpy as np
import pytest

from server.recording.errors import StorageTrouble
from server.recording.pictures.video import (
    FRAGMENT_S,
    VideoError,
    VideoWish,
    VideoWriter,
    fitting,
    picture_at,
    repair,
    segments,
    video_wish,
)

WISH = VideoWish(96, 10)


def picture(k: int) -> np.ndarray:
    """A dark picture with a light bar that says which it is."""
    image = np.full((96, 160, 3), 20, np.uint8)
    image[:, (k * 3) % 150 : (k * 3) % 150 + 10] = 230
    return image


def bar(image: np.ndarray) -> int:
    """Which picture it is, by its bar."""
    return round(float(np.flatnonzero(image.mean(axis=(0, 2)) > 125).mean() - 4.5) / 3)


def filmed(folder: Path, count: int = 50, begins: float = 5.0) -> VideoWriter:
    writer = VideoWriter(folder, WISH)
    for k in range(count):
        writer.add(picture(k), begins + k / 10)
    return writer


def test_every_picture_is_found_at_its_time(tmp_path: Path) -> None:
    filmed(tmp_path).close()
    (segment,) = segments(tmp_path)
    assert (segment.begins_s, segment.ends_s, segment.whole) == (5.0, 9.9, True)
    for k in (0, 1, 17, 33, 49):
        shown = picture_at(segment, 5.0 + k / 10 + 0.04)
        assert shown is not None
        assert bar(shown) == k


def test_a_part_goes_only_when_the_whole_is_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: set[int] = set()
    gone: list[str] = []
    sync, unlink = os.fsync, Path.unlink

    def noted(handle: int) -> None:
        synced.add(os.fstat(handle).st_ino)
        sync(handle)

    def checked(path: Path, missing_ok: bool = False) -> None:
        (segment,) = tmp_path.glob("*-*.mp4")
        assert segment.stat().st_ino in synced
        assert sys.platform == "win32" or tmp_path.stat().st_ino in synced
        gone.append(path.name)
        unlink(path, missing_ok)

    monkeypatch.setattr(os, "fsync", noted)
    monkeypatch.setattr(Path, "unlink", checked)
    filmed(tmp_path).close()
    assert gone == ["0000005000.part.mp4"]


def test_a_whole_segment_has_its_index_in_front_for_browsers(tmp_path: Path) -> None:
    filmed(tmp_path).close()
    data = segments(tmp_path)[0].path.read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")
    assert b"avc1" in data
    with av.open(str(segments(tmp_path)[0].path)) as container:
        assert container.streams.video[0].codec_context.name == "h264"
        assert container.streams.video[0].codec_context.pix_fmt == "yuv420p"


def test_a_segment_under_way_can_be_watched_but_for_its_last_second(tmp_path: Path) -> None:
    writer = filmed(tmp_path)
    (segment,) = segments(tmp_path)
    assert not segment.whole
    assert 9.9 - segment.ends_s <= FRAGMENT_S + 0.1
    shown = picture_at(segment, 7.0)
    assert shown is not None
    assert bar(shown) == 20
    writer.close()


def test_a_segment_cut_off_anywhere_is_mended_and_loses_little(tmp_path: Path) -> None:
    """What a crash leaves: as much of the file as had been written by then."""
    made = tmp_path / "made"
    writer = VideoWriter(made, WISH)
    sizes = []
    for k in range(60):
        writer.add(picture(k), k / 10)
        sizes.append(next(made.iterdir()).stat().st_size)
    whole = next(made.iterdir()).read_bytes()
    writer.close()
    rng = random.Random(4)
    for k in [15, 30, 59, *(rng.randrange(12, 60) for _ in range(12))]:
        folder = tmp_path / f"cut{k}-{rng.random()}"
        folder.mkdir()
        torn = rng.randrange(0, 200)
        (folder / "0000000000.part.mp4").write_bytes(whole[: sizes[k]][: -torn or None] + b"")
        lost_at_most = 2.0 if torn == 0 else 2.0 + FRAGMENT_S
        assert repair(folder) == 1
        (segment,) = segments(folder)
        assert segment.whole
        assert k / 10 - segment.ends_s <= lost_at_most
        shown = picture_at(segment, segment.ends_s)
        assert shown is not None
        assert bar(shown) == round(segment.ends_s * 10)


@pytest.mark.parametrize("left", [b"", b"ftyp", b"nothing of the kind" * 50])
def test_what_cannot_be_mended_is_left_alone(tmp_path: Path, left: bytes) -> None:
    part = tmp_path / "0000001000.part.mp4"
    part.write_bytes(left)
    assert repair(tmp_path) == 0
    assert part.read_bytes() == left
    assert segments(tmp_path) == ()
    assert [p.name for p in tmp_path.iterdir()] == [part.name]


def test_a_new_segment_after_a_minute_a_gap_a_jump_back_or_another_size(tmp_path: Path) -> None:
    writer = VideoWriter(tmp_path, VideoWish(96, 2))
    for at in (0.0, 30.0, 59.0):
        writer.add(picture(0), at)
    writer.close()
    assert [s.begins_s for s in segments(tmp_path)] == [0.0, 30.0, 59.0], "gaps"
    writer = VideoWriter(tmp_path / "long", VideoWish(96, 2))
    for k in range(130):
        writer.add(picture(k), k / 2)
    writer.add(picture(0)[:48], 65.2)
    writer.add(picture(0)[:48], 2.25)
    writer.close()
    assert [(s.begins_s, s.ends_s) for s in segments(tmp_path / "long")] == [
        (0.0, 59.5), (2.25, 2.25), (60.0, 64.5), (65.2, 65.2),
    ]  # fmt: skip


def test_grey_and_odd_pictures_are_taken(tmp_path: Path) -> None:
    writer = VideoWriter(tmp_path, WISH)
    writer.add(np.full((97, 161), 128, np.uint8), 0.0)
    writer.close()
    shown = picture_at(segments(tmp_path)[0], 0.0)
    assert shown is not None
    assert shown.shape == (96, 158, 3)
    assert fitting(np.zeros((97, 161), np.uint8), 720) == (160, 96)


def test_a_folder_that_cannot_be_written_into_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    writer = VideoWriter(tmp_path / "file" / "video", WISH)
    for at in (0.0, 1.0):
        with pytest.raises(StorageTrouble, match="video cannot be kept"):
            writer.add(picture(0), at)
    writer.close()


@pytest.mark.parametrize("text", ["", "big", "99p", "720", "720p@0", "9999p", "720p@99"])
def test_what_is_no_wish_is_refused(text: str) -> None:
    with pytest.raises(VideoError, match="expected video as off, 720p"):
        video_wish(text)
