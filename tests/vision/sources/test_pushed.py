from __future__ import annotations

import threading
from typing import Any

import cv2
import numpy as np
import pytest

from vision.source import PushedFrames, SourceEnded


def jpeg(value: int = 90, width: int = 64, height: int = 48, ending: str = ".jpg") -> bytes:
    ok, data = cv2.imencode(ending, np.full((height, width, 3), value, np.uint8))
    assert ok
    return data.tobytes()


class Clock:
    now = 10.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def phone(clock: Clock) -> PushedFrames:
    return PushedFrames(clock=clock)


def grey(frame: Any) -> int:
    return int(frame.image[20, 20, 0])


def test_pictures_arrive_stamped_and_in_order(phone: PushedFrames, clock: Clock) -> None:
    frames = []
    for n in range(3):
        clock.now = 10.0 + n
        assert phone.push(jpeg(50 * n + 20), delay=0.25)
        frames.append(phone.read())
    assert [f.time for f in frames] == [9.75, 10.75, 11.75]
    assert [f.index for f in frames] == [0, 1, 2]
    assert [grey(f) for f in frames] == pytest.approx([20, 70, 120], abs=2)


def test_a_jpeg_is_decoded_to_colour_only_when_somebody_looks(phone: PushedFrames) -> None:
    phone.push(jpeg(120))
    frame = phone.read()
    assert "image" not in vars(frame)
    assert frame.grey[20, 20] == pytest.approx(120, abs=2)
    phone.push(jpeg(60, ending=".png"))
    assert grey(phone.read()) == 60


def test_the_newest_wins_and_nothing_queues_up(phone: PushedFrames) -> None:
    for value in (20, 90, 160):
        phone.push(jpeg(value))
    assert grey(phone.read()) == pytest.approx(160, abs=2)
    assert phone.dropped == 2


def test_times_never_run_backwards(phone: PushedFrames, clock: Clock) -> None:
    phone.push(jpeg(), delay=0.0)
    first = phone.read().time
    clock.now += 0.1
    phone.push(jpeg(), delay=5.0)
    assert phone.read().time == first


@pytest.mark.parametrize("data", [b"", b"hello", jpeg()[:-40], jpeg(ending=".png")[:-12]])
def test_damaged_pictures_are_refused_and_told(phone: PushedFrames, data: bytes) -> None:
    assert not phone.push(data)
    assert phone.damaged == 1
    assert phone.notice is not None
    assert "damaged" in phone.notice
    assert phone.push(jpeg())
    phone.read()
    assert phone.notice is None


def test_png_and_padded_jpeg_are_whole(phone: PushedFrames) -> None:
    assert phone.push(jpeg(ending=".png"))
    assert phone.push(jpeg() + bytes(3))
    assert phone.read().size == (64, 48)


def test_what_only_looks_like_a_picture_is_passed_over(phone: PushedFrames) -> None:
    assert phone.push(b"\xff\xd8 nothing inside \xff\xd9")
    timer = threading.Timer(0.05, phone.push, [jpeg(77)])
    timer.start()
    assert grey(phone.read()) == pytest.approx(77, abs=2)
    assert phone.damaged == 1
    timer.join()


def test_says_what_to_do_while_nothing_comes(phone: PushedFrames, clock: Clock) -> None:
    assert phone.notice == (
        "Waiting for the first picture from the phone. Open its camera page and allow the camera."
    )
    phone.push(jpeg())
    assert phone.notice is None
    clock.now += 5.0
    assert (
        phone.notice == "The phone has sent no picture for 5 s. Keep its camera page open and its screen on."
    )


def test_a_turned_phone_is_told(phone: PushedFrames) -> None:
    phone.push(jpeg())
    phone.read()
    phone.push(jpeg(width=48, height=64))
    assert phone.read().size == (48, 64)
    assert phone.notice is not None
    assert "from 64x48 to 48x64" in phone.notice


def test_a_waiting_reader_is_let_go(phone: PushedFrames) -> None:
    ended = threading.Event()

    def reader() -> None:
        try:
            phone.read()
        except SourceEnded:
            ended.set()

    thread = threading.Thread(target=reader)
    thread.start()
    phone.close()
    phone.close()
    thread.join(120)
    assert ended.is_set()


def test_after_closing_nothing_is_read(phone: PushedFrames) -> None:
    phone.close()
    with pytest.raises(SourceEnded):
        phone.read()


def test_a_phone_that_sends_old_pictures_or_the_same_again_is_told(phone: PushedFrames, clock: Clock) -> None:

    def read(value: int, delay: float = 0.0) -> tuple[bool, float, bool]:
        clock.now += 0.5
        phone.push(jpeg(value), delay=delay)
        frame = phone.read()
        return frame.repeated, round(frame.old, 3), phone.notice is not None

    assert read(20) == (False, 0.0, False)
    assert read(60, delay=2.0) == (False, 2.0, True)
    assert phone.notice is not None
    assert "The phone's pictures come 2.0 s late" in phone.notice
    assert read(90) == (False, 0.0, False)
    assert [read(90) for _ in range(3)] == [(True, 0.5, False), (True, 1.0, True), (True, 1.5, True)]
    assert phone.notice is not None
    assert "has stood still for" in phone.notice
    assert read(20) == (False, 0.0, False)
