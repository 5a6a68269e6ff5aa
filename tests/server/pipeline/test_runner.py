"""The threads: newest only, losses said, ends survived; and whether the machine keeps up."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator

import pytest

from engine.errors import TableRefError
from engine.space.geometry import Pose
from engine.space.table import Status
from server.pipeline.referee import Moment
from server.pipeline.runner import SILENCE, SPAN, LatestValue, Runner, Throughput
from tests.server.fakes import PATIENCE, HandMoved, KnowsAll, wait_until
from vision.frame import Frame
from vision.source import Source, SourceLost


@pytest.fixture
def source() -> HandMoved:
    return HandMoved(fps=100)


@pytest.fixture
def live(source: HandMoved) -> Iterator[Runner]:
    with Runner(source, KnowsAll(source)) as running:
        yield running


class TestMoments:
    def test_before_the_first_frame_there_is_none(self, source: HandMoved) -> None:
        assert Runner(source, KnowsAll(source)).moment is None

    def test_come_and_are_counted(self, live: Runner) -> None:
        wait_until("ten snapshots", lambda: live.snapshot.number >= 10)
        assert live.snapshot.state == "running"
        assert live.snapshot.fps > 1
        assert live.snapshot.seeing > 0

    def test_watchers_are_woken_until_they_leave(self, live: Runner) -> None:
        woken = threading.Event()
        leave = live.watch(woken.set)
        assert woken.wait(PATIENCE)
        leave()
        number = live.snapshot.number
        wait_until("a wake that was under way to pass", lambda: live.snapshot.number > number + 1)
        woken.clear()
        number = live.snapshot.number
        wait_until("more snapshots", lambda: live.snapshot.number > number + 3)
        assert not woken.is_set()

    def test_a_slow_referee_gets_the_newest_frame(self, source: HandMoved) -> None:
        seen: list[int] = []
        go_on = threading.Event()

        class Slow(KnowsAll):
            def step(self, frame: Frame) -> Moment:
                seen.append(frame.index)
                if len(seen) == 1:
                    go_on.wait(PATIENCE)
                return super().step(frame)

        with Runner(source, Slow(source)):
            wait_until("frames to pile up", lambda: source._index >= 20)
            at_least = source._index - 1
            go_on.set()
            wait_until("a second frame seen", lambda: len(seen) >= 2)
        assert seen[1] >= at_least

    def test_the_end_waits_for_a_picture_that_is_being_judged(
        self, source: HandMoved, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A thread that is left in a library's code aborts the process when the interpreter ends."""
        begun, patient, over = threading.Event(), threading.Event(), threading.Event()
        join = threading.Thread.join

        def joined(thread: threading.Thread, timeout: float | None = None) -> None:
            if thread.name == "tableref-sees" and (timeout or 0.0) >= 10.0:
                patient.set()
            join(thread, timeout)

        class Slow(KnowsAll):
            def step(self, frame: Frame) -> Moment:
                begun.set()
                assert patient.wait(PATIENCE)
                over.set()
                return super().step(frame)

        monkeypatch.setattr(threading.Thread, "join", joined)
        with Runner(source, Slow(source)):
            assert begun.wait(PATIENCE)
        assert over.is_set()

    def test_events_are_numbered_and_kept(self, live: Runner, source: HandMoved) -> None:
        source.set_status("RED1", Status.HELD, "RED1 is under a hand.")
        source.set_status("RED1", Status.STILL, "RED1 is back.")
        wait_until("two events", lambda: len(live.snapshot.events) == 2)
        assert [(e.number, e.event.kind) for e in live.snapshot.events] == [(1, "held"), (2, "still")]

    def test_events_are_timed_from_the_beginning(self) -> None:
        source = HandMoved(fps=100, begins=5000.0)
        with Runner(source, KnowsAll(source)) as live:
            wait_until("some frames", lambda: live.snapshot.number > 5)
            source.set_status("RED1", Status.HELD, "RED1 is under a hand.")
            wait_until("the event", lambda: len(live.snapshot.events) == 1)
            assert live.snapshot.events[0].event.time > 5000
            assert live.began is not None
            assert live.snapshot.events[0].after == live.snapshot.events[0].event.time - live.began > 0


class TestTrouble:
    def test_a_lost_source_is_said_and_tried_again(self) -> None:
        class Flaky(HandMoved):
            tries = 0

            def read(self) -> Frame:
                self.tries += 1
                if 3 <= self.tries < 6:
                    raise SourceLost("The camera has been unplugged.")
                return super().read()

        source = Flaky(fps=100)
        live = Runner(source, KnowsAll(source), retry_after=0.0)
        said: list[tuple[str, str]] = []
        live.watch(lambda: said.append((live.snapshot.state, live.snapshot.words)))
        with live:
            wait_until("it to come back", lambda: source.tries > 8 and live.snapshot.state == "running")
        assert ("lost", "The camera has been unplugged. Trying again.") in said

    def test_a_silent_source_is_said(self) -> None:
        now = 0.0

        class Silent(HandMoved):
            def read(self) -> Frame:
                if self._index >= 3:
                    self.notice = "camera 0 is gone. Trying again in 2 s."
                    self._go.wait()
                return super().read()

        source = Silent(fps=100)
        with Runner(source, KnowsAll(source), clock=lambda: now) as live:
            wait_until("the last picture", lambda: live.moment is not None and live.moment.index == 3)
            assert live.snapshot.state == "running"
            now += SILENCE
            wait_until("the loss to be said", lambda: live.snapshot.state == "lost")
            assert live.snapshot.words == "camera 0 is gone. Trying again in 2 s."
            assert live.snapshot.fps == 0
            assert live.moment is not None

    def test_the_last_moment_of_a_finished_source_stays(self) -> None:
        source = HandMoved(fps=100, end_after=5)
        with Runner(source, KnowsAll(source)) as live:
            wait_until("the end", lambda: live.snapshot.state == "ended")
            wait_until("the last moment", lambda: live.moment is not None and live.moment.index == 5)
            assert "last picture" in live.snapshot.words
            assert live.snapshot.fps == 0

    def test_a_finished_source_goes_round_when_asked(self) -> None:
        rounds: list[HandMoved] = []

        def again() -> tuple[HandMoved, KnowsAll]:
            rounds.append(HandMoved(fps=100, end_after=3))
            return rounds[-1], KnowsAll(rounds[-1])

        first, referee = again()
        with Runner(first, referee, again=again) as live:
            wait_until("three rounds", lambda: len(rounds) > 3)
            assert live.snapshot.state == "running"
        assert all(r.closed for r in rounds)

    def test_a_frame_under_way_when_the_source_ends_does_not_bring_it_back(self) -> None:
        class Ending(HandMoved):
            """Ends while its last frame is being told: when it is asked for a notice."""

            asked = threading.Event()

            @property
            def notice(self) -> None:  # type: ignore[override]
                if threading.current_thread().name == "tableref-sees" and self._index == 3:
                    self.asked.set()
                    wait_until("the end", lambda: live.snapshot.state == "ended")

            def read(self) -> Frame:
                if self._index == 3:
                    assert self.asked.wait(PATIENCE)
                return super().read()

        source = Ending(fps=100, end_after=3)
        live = Runner(source, KnowsAll(source))
        with live:
            wait_until("the end", lambda: live.snapshot.state == "ended")
            wait_until("the last frame", lambda: live.moment is not None and live.moment.index == 3)
            assert live.snapshot.state == "ended"
            assert live.snapshot.fps == 0.0

    def test_a_source_that_cannot_be_opened_again_is_said(self) -> None:
        def again() -> tuple[HandMoved, KnowsAll]:
            raise TableRefError("the file is gone")

        source = HandMoved(fps=100, end_after=3)
        with Runner(source, KnowsAll(source), again=again) as live:
            wait_until("the end", lambda: live.snapshot.state == "ended")
            assert live.snapshot.words == "the simulated table cannot be played again: the file is gone"

    def test_a_frame_that_cannot_be_judged_is_said_and_the_next_is_tried(self, source: HandMoved) -> None:
        # The first frame that comes to it: one may be passed over for a newer one.
        class Picky(KnowsAll):
            failed = False

            def step(self, frame: Frame) -> Moment:
                if not self.failed:
                    self.failed = True
                    raise TableRefError("the picture is upside down")
                return super().step(frame)

        said: list[tuple[str, ...]] = []
        live = Runner(source, Picky(source))
        live.watch(lambda: said.append(live.snapshot.notices))
        with live:
            wait_until("a moment", lambda: live.moment is not None)
        assert ("the picture is upside down",) in said

    def test_a_bug_in_the_referee_does_not_end_the_seeing(self, source: HandMoved) -> None:
        class Buggy(KnowsAll):
            failed = False

            def step(self, frame: Frame) -> Moment:
                if not self.failed:
                    self.failed = True
                    raise ZeroDivisionError
                return super().step(frame)

        said: list[tuple[str, ...]] = []
        live = Runner(source, Buggy(source))
        live.watch(lambda: said.append(live.snapshot.notices))
        with live:
            wait_until("a moment", lambda: live.moment is not None)
        assert ("A picture could not be judged; see the log. The next one is tried.",) in said

    def test_runs_once(self, live: Runner) -> None:
        with pytest.raises(TableRefError, match="watched already"):
            live.start()

    def test_stops_twice(self, source: HandMoved) -> None:
        live = Runner(source, KnowsAll(source))
        live.start()
        live.stop()
        live.stop()
        assert source.closed
        assert live.snapshot.state == "stopped"


class TestMoving:
    def test_reaches_a_simulated_table(self, live: Runner, source: HandMoved) -> None:
        assert live.can_move
        live.move("RED1", Pose(1, 2, 0))
        assert source.poses["RED1"] == Pose(1, 2, 0)

    def test_is_refused_where_hands_move_things(self) -> None:
        class Camera(Source):
            name, live, notice = "camera 0", True, None

            def read(self) -> Frame:
                raise SourceLost("no camera")

            def close(self) -> None:
                pass

        live = Runner(Camera(), KnowsAll(HandMoved()))
        assert not live.can_move
        with pytest.raises(TableRefError, match="move RED1 by hand"):
            live.move("RED1", Pose(1, 2, 0))


class TestSwitching:
    def test_what_was_known_stays_until_the_first_picture(self, live: Runner, source: HandMoved) -> None:
        wait_until("a moment", lambda: live.moment is not None)
        other = HandMoved(fps=100)
        other.name, other.paused = "camera 1", True
        live.switch(other, KnowsAll(other), camera="Bench camera")
        assert source.closed
        assert live.moment is not None
        assert (live.snapshot.state, live.camera) == ("starting", "Bench camera")
        assert live.snapshot.words == "Waiting for the first picture from camera 1."
        other.paused = False
        wait_until("the other source", lambda: live.snapshot.state == "running")
        assert live.snapshot.words == "Watching camera 1."
        told = [e.event for e in live.snapshot.events]
        assert [e.kind for e in told] == ["source"]
        assert "Now watching camera 1 instead of the simulated table. Nothing was seen for" in told[0].words

    def test_after_the_end_of_a_clip(self) -> None:
        clip = HandMoved(fps=100, end_after=3)
        with Runner(clip, KnowsAll(clip)) as live:
            wait_until("the end", lambda: live.snapshot.state == "ended")
            other = HandMoved(fps=100)
            live.switch(other, KnowsAll(other))
            wait_until("the other source", lambda: live.snapshot.state == "running" and live.snapshot.fps > 0)

    def test_to_and_fro_leaves_no_reader_behind(self, live: Runner) -> None:
        before = threading.active_count()
        sources = [HandMoved(fps=100, begins=k) for k in range(5)]
        for other in sources:
            live.switch(other, KnowsAll(other))
        wait_until("the last one", lambda: live.snapshot.state == "running")
        wait_until("the readers to end", lambda: threading.active_count() <= before)
        assert [s.closed for s in sources] == [True] * 4 + [False]

    def test_what_still_comes_of_the_former_source_is_let_fall(self, live: Runner, source: HandMoved) -> None:
        judging, go_on = threading.Event(), threading.Event()

        class Slow(KnowsAll):
            def step(self, frame: Frame) -> Moment:
                judging.set()
                go_on.wait(PATIENCE)
                return super().step(frame)

        slow = HandMoved(fps=100, begins=700.0)
        live.switch(slow, Slow(slow))
        assert judging.wait(PATIENCE)
        other = HandMoved(fps=100)
        live.switch(other, KnowsAll(other))
        seen: list[float] = []
        live.watch(lambda: seen.append(live.snapshot.moment.time if live.snapshot.moment else 0.0))
        go_on.set()
        wait_until("the other source", lambda: live.snapshot.state == "running")
        assert max(seen) < 700

    def test_a_source_that_gave_no_picture_ends_no_gap(self, live: Runner) -> None:
        wait_until("a moment", lambda: live.moment is not None)
        silent, other = HandMoved(), HandMoved(fps=100)
        silent.name, other.name, silent.paused = "the phone", "camera 1", True
        live.switch(silent, KnowsAll(silent))
        live.switch(other, KnowsAll(other))
        wait_until("the other source", lambda: bool(live.snapshot.events))
        told = [e.event.words for e in live.snapshot.events]
        assert len(told) == 1
        assert "Now watching camera 1 instead of the simulated table. Nothing was seen for" in told[0]

    def test_a_stopped_table_takes_no_other(self, source: HandMoved) -> None:
        live = Runner(source, KnowsAll(source))
        live.start()
        live.stop()
        other = HandMoved()
        live.switch(other, KnowsAll(other))
        assert other.closed


# The slot between the threads


def test_the_newest_wins_and_is_taken_once() -> None:
    slot: LatestValue[int] = LatestValue()
    for i in range(5):
        slot.put(i)
    assert slot.take(0.0) == 4
    assert slot.take(0.0) is None
    assert slot.dropped == 4


def test_a_waiting_taker_is_woken() -> None:
    slot: LatestValue[int] = LatestValue()
    taken: list[int | None] = []
    taker = threading.Thread(target=lambda: taken.append(slot.take(PATIENCE)))
    taker.start()
    slot.put(7)
    taker.join(PATIENCE)
    assert taken == [7]


def test_closing_wakes_who_waits_and_leaves_what_is_there() -> None:
    slot: LatestValue[int] = LatestValue()
    slot.put(1)
    slot.close()
    assert slot.closed
    assert slot.take() == 1
    assert slot.take() is None


# Whether the machine keeps up


def played(pace: Throughput, every: int, seconds: float = SPAN + 0.1, begins: float = 0.0) -> None:
    """30 pictures a second come and every so-manieth one is seen."""
    for n in range(round(30 * seconds) + 1):
        pace.came()
        if n % every == 0:
            pace.seen(begins + n / 30)


def test_a_machine_that_keeps_up_is_not_spoken_of() -> None:
    pace = Throughput()
    played(pace, every=1, seconds=4 * SPAN)
    assert pace.words is None


@pytest.mark.parametrize(("every", "numbers"), [(2, "15 of 30"), (3, "10 of 30"), (5, "6 of 30")])
def test_one_that_does_not_is_told_with_its_numbers(every: int, numbers: str) -> None:
    pace = Throughput()
    played(pace, every=every)
    assert pace.words is not None
    assert f"sees {numbers} pictures a second" in pace.words


def test_it_is_told_no_longer_when_it_keeps_up_again_or_the_source_is_another() -> None:
    pace = Throughput()
    played(pace, every=2)
    played(pace, every=1, begins=SPAN + 0.2, seconds=2 * SPAN)
    assert pace.words is None
    played(pace, every=2, begins=100.0)
    pace.restart()
    assert pace.words is None


def test_the_page_is_told_and_what_is_seen_is_spread_evenly() -> None:
    source = HandMoved(fps=100)
    seen: list[int] = []
    clock = [0.0]

    class Slow(KnowsAll):
        """Takes so long that three more pictures come meanwhile."""

        def step(self, frame: Frame) -> Moment:
            # After the end no picture comes any more: a thread that waits on would go on beside other tests.
            wait_until("three pictures more", lambda: source.closed or source._index > frame.index + 3)
            seen.append(frame.index)
            clock[0] += 0.1
            return super().step(frame)

    with Runner(source, Slow(source), clock=lambda: clock[0]) as live:
        wait_until("a notice", lambda: any(" pictures a second" in n for n in live.snapshot.notices))
    said = next(n for n in live.snapshot.notices if " pictures a second" in n)
    assert said.startswith("This machine sees 10 of ")
    # The newest each time: nothing old is seen later, and no picture twice.
    assert all(b - a >= 3 for a, b in itertools.pairwise(seen))
