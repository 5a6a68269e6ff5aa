"""Videos with overwritten bytes: what the decoder makes up is told, and what is whole is not."""

from __future__ import annotations

from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from tests.vision.sources.fakes import EVERY, drain, write_film
from vision.frame import Frame
from vision.sources.files import VideoFile


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
