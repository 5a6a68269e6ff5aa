from __future__ import annotations

import itertools

import pytest

from server.pipeline.referee import Moment
from server.pipeline.runner import Runner
from server.pipeline.throughput import SPAN, Throughput
from tests.server.fakes import HandMoved, KnowsAll, wait_until
from vision.frame import Frame


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
