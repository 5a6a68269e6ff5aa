"""What happens to cameras in play: told on the page in a sentence, survived, and kept as a gap."""

from __future__ import annotations

import threading
from typing import Any

import cv2
import numpy as np
import pytest

from server.pipeline.runner import SILENCE, Runner
from tests.server.fakes import PATIENCE, HandMoved, KnowsAll, wait_until
from vision.source import CameraWish, PushedFrames, Retrying
from vision.sources.live import DeviceCapture, Webcam

UNPLUGGED = None
CORRUPT = np.zeros((0, 0, 3), np.uint8)

NOISE = np.random.default_rng(7)


def picture(size: tuple[int, int] = (64, 48)) -> Any:
    """One that differs from all before, as a living camera's do."""
    return NOISE.integers(0, 255, (size[1], size[0], 3), dtype=np.uint8)


def is_good(answer: Any) -> bool:
    return answer is not None and answer is not CORRUPT


class Pace:
    """Time, which goes on by what a camera does; each of its pictures waits until the last was heeded.

    Nothing is said of a trouble before the thread that sees has looked at it, on a slow machine as well.
    """

    def __init__(self, speed: float = 1.0) -> None:
        self._now, self._speed = 0.0, speed
        self.heeded = threading.Event()
        self.over = False
        self.heeded.set()

    def __call__(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> None:
        assert self.heeded.wait(PATIENCE)
        if not self.over:
            self.heeded.clear()
        self._now += self._speed * seconds


class Plan:
    """A camera that answers as planned, then with living pictures of its last size."""

    def __init__(self, *answers: Any, opens: bool = True) -> None:
        self.answers = list(answers)
        self.opens = opens
        self.size = (64, 48)
        self.pace = Pace()

    def isOpened(self) -> bool:
        return self.opens

    def read(self) -> tuple[bool, Any]:
        answer = self.answers.pop(0) if self.answers else picture(self.size)
        self.pace.sleep(0.004 if is_good(answer) else 0.06)
        if isinstance(answer, tuple):
            self.size = answer
            answer = picture(answer)
        return answer is not None, answer

    def set(self, prop: int, value: float) -> bool:
        return True

    def get(self, prop: int) -> float:
        return 0.0

    def release(self) -> None:
        pass


class Heeded(Retrying):
    """Tells the camera's clock whenever somebody asks how it goes."""

    pace: Pace

    @property
    def notice(self) -> str | None:
        words = super().notice
        self.pace.heeded.set()
        return words

    def close(self) -> None:
        self.pace.over = True
        self.pace.heeded.set()
        super().close()


class Heard:
    """Everything that a page was told while a camera lived through its plans."""

    def __init__(self, *plans: Plan, speed: float = 1.0) -> None:
        pace, left = Pace(speed), list(plans)
        for plan in plans:
            plan.pace = pace

        def plugged(_: int) -> DeviceCapture:
            return left.pop(0) if len(left) > 1 else left[0]

        def opened() -> Webcam:
            return Webcam(0, wish=CameraWish(size=None), clock=pace, opener=plugged)

        source = Heeded(opened, "camera 0", clock=pace, sleep=pace.sleep, backoff=(0.3,))
        source.pace = pace
        self.live = Runner(source, KnowsAll(HandMoved()), clock=pace)
        self.words: list[str] = []
        self.live.watch(self._hear)

    def _hear(self) -> None:
        snapshot = self.live.snapshot
        for words in (snapshot.words, *snapshot.notices):
            if words not in self.words:
                self.words.append(words)

    @property
    def gaps(self) -> list[str]:
        return [e.event.words for e in self.live.snapshot.events if e.event.kind == "gap"]

    def said(self, part: str) -> bool:
        return any(part in words for words in self.words)


GOOD = [picture() for _ in range(5)]


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread that sees looks up often while no picture comes."""
    monkeypatch.setattr("server.pipeline.runner.LOOK_EVERY", 0.001)


@pytest.mark.parametrize(
    ("plans", "told", "gap"),
    [
        (
            [Plan(*GOOD, *[UNPLUGGED] * 15), Plan(opens=False), Plan()],
            "No picture comes from camera 0. Check its cable",
            "(no picture comes from camera 0)",
        ),
        (
            [Plan(*GOOD, *[CORRUPT] * 15), Plan()],
            "damaged pictures; waiting for a good one",
            "(no picture comes from camera 0)",
        ),
    ],
    ids=["unplugged and plugged in again", "nothing but damaged pictures"],
)
def test_a_lost_camera(plans: list[Plan], told: str, gap: str) -> None:
    heard = Heard(*plans)
    with heard.live as live:
        wait_until("the gap to be told", lambda: heard.gaps)
        wait_until("play to go on", lambda: live.snapshot.state == "running")
    assert heard.said(told)
    assert heard.said("Trying again")
    assert len(heard.gaps) == 1
    assert heard.gaps[0].startswith("Nothing was seen for")
    assert gap in heard.gaps[0]


def test_a_frozen_picture() -> None:
    still = picture()
    heard = Heard(Plan(*GOOD, *[still] * 400), Plan(), speed=20.0)
    with heard.live as live:
        wait_until("the gap to be told", lambda: heard.gaps)
        wait_until("play to go on", lambda: live.snapshot.state == "running")
    assert heard.said("The picture of camera 0 has stood still for")
    assert "(the picture of camera 0 stands still: every one is the same as the last)" in heard.gaps[0]


def test_a_few_damaged_pictures_are_no_gap() -> None:
    heard = Heard(Plan(*GOOD, *[CORRUPT] * 12))
    with heard.live as live:
        wait_until("play to go on", lambda: live.moment is not None and live.moment.index > 20)
    assert heard.said("damaged pictures; waiting for a good one")
    assert heard.gaps == []


def test_another_resolution() -> None:
    heard = Heard(Plan(*GOOD, (80, 60)))
    with heard.live as live:
        wait_until("it to be told", lambda: heard.said("changed from 64x48 to 80x60 pixels"))
        seen = live.snapshot.number
        wait_until("play to go on", lambda: live.snapshot.number > seen + 5)
        assert live.snapshot.state == "running"
        assert live.moment is not None
        assert live.moment.frame.size == (80, 60)


def test_a_phone_that_falls_asleep() -> None:
    def push() -> None:
        phone.push(cv2.imencode(".jpg", picture())[1].tobytes())

    now = 0.0
    phone = PushedFrames("the phone", clock=lambda: now)
    with Runner(phone, KnowsAll(HandMoved()), clock=lambda: now) as live:
        push()
        wait_until("the first picture", lambda: live.moment is not None)
        now += SILENCE
        wait_until("its silence to be told", lambda: live.snapshot.state == "lost")
        assert "phone" in live.snapshot.words
        push()
        wait_until("play to go on", lambda: live.snapshot.state == "running")
        gaps = [e.event.words for e in live.snapshot.events if e.event.kind == "gap"]
    assert gaps == ["Nothing was seen for 2.0 s."]
