"""Videos with overwritten bytes: what the decoder makes up is told, and what is whole is not."""

from __future__ import annotations

from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from tests.vision.sources.fakes import EVERY, drain, write_film
from tests.volume import volume
from vision.frame import Frame
from vision.sources.files import VideoFile
from vision.sources.frame_numbers import FrameNumbers


def _overwritten(path: Path, packet: int, share: float) -> Path:
    """The film with this share of its n-th packet, in the order of decoding, overwritten up to its end."""
    with av.open(str(path)) as film:
        pos, size = [(p.pos, p.size) for p in film.demux(video=0) if p.size][packet]
    data = bytearray(path.read_bytes())
    length = round(share * size)
    noise = np.random.default_rng(packet).bytes(length)
    data[pos + size - length : pos + size] = noise if share < 1.0 else bytes(length)
    other = path.with_name(f"overwritten{packet}.mp4")
    other.write_bytes(data)
    return other


def _left_out(path: Path, packet: int, kind: str) -> Path:
    """The film without its n-th picture in the order of decoding, in a file of another kind."""
    other = path.with_name(f"left_out{packet}.{kind}")
    with av.open(str(path)) as film, av.open(str(other), "w") as out:
        stream = out.add_stream_from_template(film.streams.video[0])
        for k, coded in enumerate(p for p in film.demux(film.streams.video[0]) if p.size):
            coded.stream = stream
            if k != packet:
                out.mux(coded)
    return other


def _changed(frame: Frame, whole: Frame) -> bool:
    return bool((cv2.absdiff(frame.grey, whole.grey) > 16).sum() > 20)


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_film(tmp_path_factory.mktemp("film") / "film.mp4", between=3)


def test_nothing_of_a_whole_film_is_damaged(film: Path) -> None:
    assert [f.damaged for f in drain(VideoFile(film))] == [False] * 3 * EVERY


@pytest.mark.parametrize("share", [0.5, 1.0])
@pytest.mark.parametrize("packet", range(EVERY, 2 * EVERY))
def test_pictures_are_damaged_until_a_whole_one_comes(film: Path, packet: int, share: float) -> None:
    whole = {round(f.time, 3): f for f in drain(VideoFile(film))}
    frames = drain(VideoFile(_overwritten(film, packet, share)))
    told = {round(f.time, 3): f.damaged for f in frames}
    made_up = [f for f in frames if _changed(f, whole[round(f.time, 3)])]
    assert all(f.damaged for f in made_up)
    assert any(told.values())
    last = 3 * EVERY if packet > EVERY or share < 1.0 else 2 * EVERY
    assert not any(told[k / 10] for k in (*range(7), *range(2 * EVERY, last)))


def test_damage_shows_in_pictures_that_come_all_the_same(film: Path) -> None:
    whole = {round(f.time, 3): f for f in drain(VideoFile(film))}
    frames = drain(VideoFile(_overwritten(film, EVERY, 0.5)))
    assert any(_changed(f, whole[round(f.time, 3)]) for f in frames)


FILMS = {
    "after lengths": ("mp4", "yuv420p", ""),
    "after start codes": ("ts", "yuv420p", ""),
    "a matrix of scaling": ("mkv", "yuv420p", ":cqm=jvt"),
    "every colour in full": ("mp4", "yuv444p", ""),
    "half pictures": ("ts", "yuv420p", ":interlaced=1"),
    "slices": ("h264", "yuv420p", ":slices=4"),
    "one to be drawn after": ("mkv", "yuv420p", ":ref=1:weightp=0"),
}


@pytest.mark.parametrize("between", [0, 3])
@pytest.mark.parametrize("film", FILMS)
def test_a_picture_that_never_came_is_told_by_those_drawn_after_it(
    tmp_path: Path, film: str, between: int
) -> None:
    kind, pixels, further = FILMS[film]
    path = write_film(tmp_path / "film.mp4", between, pixels, further)
    whole = [f for f in drain(VideoFile(path)) if not f.damaged]
    assert len(whole) == 3 * EVERY
    made_up = 0
    for packet in range(EVERY, 2 * EVERY, volume(3, 1)):
        frames = drain(VideoFile(_left_out(path, packet, kind)))
        amiss = [all(_changed(f, w) for w in whole) for f in frames]
        made_up += sum(amiss)
        assert all(f.damaged for f, wrong in zip(frames, amiss, strict=True) if wrong), packet
        assert not any(f.damaged for f in frames[:7]), packet
    assert made_up > volume(2, EVERY), "a missing picture shows"


def _start_coded(bits: str) -> bytes:
    """A unit of parameters after its start code, from its bits."""
    size = -(-len(bits) // 8)
    return b"\0\0\1\x67" + int(bits.ljust(8 * size, "0"), 2).to_bytes(size, "big")


def test_parameters_that_are_no_such_thing_tell_nothing() -> None:
    """Whoever sends a stream may send anything: no number of theirs is taken as large as they say."""
    baseline = f"{66:08b}{0:016b}1"
    huge = "0" * 200 + "1" * 201
    random = np.random.default_rng(7)
    heads = [_start_coded(baseline + huge + "1" * 40), _start_coded(baseline), b"\x01" + random.bytes(200)]
    heads += [b"\0\0\1\x67" + random.bytes(int(n)) for n in random.integers(0, 60, 200)]
    for head in heads:
        numbers = FrameNumbers(head)
        for _ in range(3):
            numbers.missed(b"\0\0\1\x41" + random.bytes(int(random.integers(0, 40))))
    # The same with a number of four bits is read: the second picture that others are drawn after is missing.
    numbers = FrameNumbers(_start_coded(baseline + "1" + "1" + "1" + "1" + "0" + "1"))
    first, third = (b"\0\0\1\x41" + bytes([0b11100000 | n << 1]) for n in (1, 3))
    assert [numbers.missed(p) for p in (first, third, third)] == [False, True, False]
