from __future__ import annotations

import threading

import pytest

from tests.vision.sources.fakes import Hands, Listed, picture
from vision.frame import Frame
from vision.source import Gap, Paced, Retrying, Source, SourceEnded, SourceLost, SourceRefused


class TestPaced:
    def test_plays_at_the_clips_own_speed(self) -> None:
        hands = Hands()
        source = Paced(Listed([5.0, 5.1, 5.3]), clock=hands.clock, sleep=hands.sleep)
        shown = []
        for _ in range(3):
            frame = source.read()
            shown.append((frame.time, round(hands.now, 6)))
        assert shown == [(5.0, 100.0), (5.1, 100.1), (5.3, 100.3)]

    def test_a_slow_reader_gets_the_newest_frame_that_is_due(self) -> None:
        hands = Hands()
        source = Paced(Listed([n / 10 for n in range(12)]), clock=hands.clock, sleep=hands.sleep)
        times = []
        for _ in range(4):
            times.append(source.read().time)
            hands.now += 0.36
        assert times == [0.0, 0.3, 0.7, 1.0]
        assert source.dropped == 7

    def test_the_last_frame_is_never_lost(self) -> None:
        hands = Hands()
        source = Paced(Listed([0.0, 0.1, 0.2]), clock=hands.clock, sleep=hands.sleep)
        source.read()
        hands.now += 60.0
        assert source.read().time == 0.2
        with pytest.raises(SourceEnded):
            source.read()

    def test_half_speed_takes_twice_as_long(self) -> None:
        hands = Hands()
        source = Paced(Listed([0.0, 1.0]), speed=0.5, clock=hands.clock, sleep=hands.sleep)
        source.read()
        source.read()
        assert hands.now == pytest.approx(102.0)

    def test_a_machine_that_cannot_keep_up_is_slowed_down_and_told(self) -> None:
        hands = Hands()

        def slow() -> None:
            hands.now += 0.4

        source = Paced(Listed([n / 10 for n in range(100)], cost=slow), clock=hands.clock, sleep=hands.sleep)
        times = [source.read().time for _ in range(5)]
        assert times == sorted(times)
        assert source.notice is not None
        assert "slowed down" in source.notice


class TestRetrying:
    def retrying(
        self, *lives: Listed | Exception, hands: Hands | None = None
    ) -> tuple[Retrying, list[str], Hands]:
        """A source whose n-th opening gives the n-th of `lives`."""
        hands = hands or Hands()
        queue = list(lives)
        told: list[str] = []

        def opener() -> Source:
            life = queue.pop(0)
            if isinstance(life, Exception):
                raise life
            return life

        source = Retrying(opener, "camera 0", clock=hands.clock, sleep=hands.sleep, tell=told.append)
        return source, told, hands

    def test_a_lost_camera_is_opened_again_and_every_step_is_told(self) -> None:
        gone = SourceLost("No picture comes from camera 0.")
        first = Listed([1.0, gone], live=True)
        source, told, hands = self.retrying(first, gone, gone, Listed([9.0, 9.1], live=True))
        frames = [source.read() for _ in range(3)]
        assert [(f.index, f.time) for f in frames] == [(0, 1.0), (1, 9.0), (2, 9.1)]
        assert told == [
            "No picture comes from camera 0. Trying again in 0.5 s (attempt 1).",
            "No picture comes from camera 0. Trying again in 1 s (attempt 2).",
            "No picture comes from camera 0. Trying again in 2 s (attempt 3).",
            "Camera 0 is back after 4 s.",
        ]
        assert first.closed == 1
        assert source.losses == 1
        assert source.notice is None
        assert max(hands.naps) <= 0.25

    def test_the_pause_stops_growing(self) -> None:
        gone = SourceLost("gone.")
        source, told, hands = self.retrying(*[gone] * 9, Listed([0.0]))
        source.read()
        assert hands.now - 100.0 == pytest.approx(0.5 + 1 + 2 + 4 + 8 * 5)
        assert told[-2].endswith("Trying again in 8 s (attempt 9).")

    def test_a_file_that_begins_anew_goes_on_in_time_and_number(self) -> None:
        source, _, _ = self.retrying(Listed([4.9, 5.0, SourceLost("gone.")]), Listed([0.0, 0.1]))
        frames = [source.read() for _ in range(4)]
        assert [f.time for f in frames] == pytest.approx([4.9, 5.0, 5.5, 5.6])
        assert [f.index for f in frames] == [0, 1, 2, 3]

    def test_dropped_frames_keep_their_numbers(self) -> None:
        hands = Hands()
        clip = Paced(Listed([n / 10 for n in range(12)]), clock=hands.clock, sleep=hands.sleep)
        source = Retrying(lambda: clip, "clip", clock=hands.clock, sleep=hands.sleep)
        indices = []
        for _ in range(3):
            indices.append(source.read().index)
            hands.now += 0.36
        assert indices == [0, 3, 7]

    def test_the_gap_is_remembered(self) -> None:
        source, _, _ = self.retrying(Listed([5.0, SourceLost("cable out.")]), Listed([8.0, 8.1]))
        for _ in range(3):
            source.read()
        assert source.gaps == (Gap(5.0, 8.0, "cable out."),)

    def test_a_camera_that_was_not_there_at_first_leaves_no_gap(self) -> None:
        source, told, _ = self.retrying(SourceLost("gone."), Listed([8.0]))
        source.read()
        assert source.gaps == ()
        assert told[-1] == "Camera 0 is back after 0 s."

    def test_what_can_never_work_is_not_tried_again(self) -> None:
        source, told, _ = self.retrying(SourceRefused("no"))
        with pytest.raises(SourceRefused):
            source.read()
        assert told == []

    def test_a_size_that_changed_over_the_loss_is_told(self) -> None:
        class Small(Listed):
            def read(self) -> Frame:
                frame = super().read()
                return Frame(picture(32, 24), frame.time, frame.index)

        source, _, _ = self.retrying(Listed([0.0, SourceLost("gone.")]), Small([1.0]))
        source.read()
        source.read()
        assert source.notice is not None
        assert "32x24" in source.notice

    def test_closing_ends_the_waiting(self) -> None:
        hands = Hands()
        source, _, _ = self.retrying(*[SourceLost("gone.")] * 5, hands=hands)
        naps = 0

        def sleep(seconds: float) -> None:
            nonlocal naps
            naps += 1
            hands.now += seconds
            if naps == 3:
                source.close()

        source._sleep = sleep
        with pytest.raises(SourceEnded):
            source.read()
        assert naps == 3

    def test_closing_from_another_thread_waits_for_nobody(self) -> None:
        reading, let_go = threading.Event(), threading.Event()

        class Slow(Listed):
            def read(self) -> Frame:
                reading.set()
                assert let_go.wait(120)
                return super().read()

        inner = Slow([0.0], live=True)
        source, _, _ = self.retrying(inner)
        ended: list[bool] = []

        def reader() -> None:
            try:
                source.read()
            except SourceEnded:
                ended.append(True)

        thread = threading.Thread(target=reader)
        thread.start()
        assert reading.wait(120)
        source.close()
        assert inner.closed == 0
        let_go.set()
        thread.join(120)
        assert ended == [True]
        assert inner.closed == 1
