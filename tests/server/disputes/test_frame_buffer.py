from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from server.disputes.frame_buffer import (
    DENSE_S,
    PINNED,
    SPACING_S,
    THINNED_S,
    FrameBuffer,
    FrameCollector,
    KeptFrame,
)
from server.pipeline.runner import Runner
from tests.server.disputes.conftest import shot_at
from tests.server.fakes import HandMoved, KnowsAll, wait_until


@pytest.fixture(scope="module")
def one() -> KeptFrame:
    return replace(shot_at(0.0), jpeg=bytes(1000))


def fill(ring: FrameBuffer, one: KeptFrame, until: float, step: float = 0.1) -> None:
    for k in range(round(until / step) + 1):
        ring.add(replace(one, time=k * step, index=k))


def test_reaches_back_as_far_as_it_says_and_no_farther(one: KeptFrame) -> None:
    ring = FrameBuffer(seconds=10.0)
    fill(ring, one, 30.0)
    times = [s.time for s in ring.shots]
    assert times == sorted(times)
    assert times[-1] == pytest.approx(30.0)
    assert 20.0 <= times[0] <= 20.0 + THINNED_S


def test_what_was_pinned_stays_at_hand_when_the_frames_of_then_are_gone(one: KeptFrame) -> None:
    ring = FrameBuffer(seconds=10.0)
    ring.pin(0.0)
    fill(ring, one, 5.0)
    ring.pin(4.9)
    assert ring.around(4.9) == ring.shots
    assert ring.around(20.0) == ()
    for k in range(51, 300):
        ring.add(replace(one, time=k * 0.1, index=k))
    assert [round(s.time, 1) for s in ring.around(4.9)] == [
        pytest.approx(t, abs=0.3) for t in (1.9, 3.9, 4.9)
    ]
    assert ring.around(3.0) == ()
    for k in range(PINNED):
        ring.pin(28.0 + 0.1 * k)
    assert ring.around(4.9) == ()


def test_never_holds_more_bytes_than_it_may(one: KeptFrame) -> None:
    ring = FrameBuffer(most_bytes=20_500, seconds=1000.0)
    for k in range(300):
        ring.add(replace(one, time=k * 0.1))
        assert ring.bytes == sum(len(s.jpeg) for s in ring.shots) <= 20_500
    assert len(ring.shots) == 20


def test_one_frame_stays_even_if_it_is_too_large(one: KeptFrame) -> None:
    ring = FrameBuffer(most_bytes=10)
    ring.add(one)
    assert ring.shots == (one,)


def test_the_newest_are_dense_and_the_older_thinned_out(one: KeptFrame) -> None:
    ring = FrameBuffer()
    fill(ring, one, 15.0)
    times = [s.time for s in ring.shots]
    newest = [t for t in times if t > 15.0 - DENSE_S + 0.05]
    assert len(newest) == pytest.approx(DENSE_S / 0.1, abs=2)
    gaps = [b - a for a, b in pairwise(times) if b < 15.0 - DENSE_S]
    assert max(gaps) < 2 * THINNED_S
    assert min(gaps) >= THINNED_S - 1e-9


def test_a_clock_that_begins_anew_begins_the_ring_anew(one: KeptFrame) -> None:
    ring = FrameBuffer()
    fill(ring, one, 5.0)
    ring.add(replace(one, time=0.5))
    assert [s.time for s in ring.shots] == [0.5]
    assert ring.bytes == 1000


def test_frames_too_close_to_each_other_are_not_wanted(one: KeptFrame) -> None:
    ring = FrameBuffer()
    assert ring.wants(0.0)
    ring.add(one)
    assert not ring.wants(SPACING_S / 2)
    assert ring.wants(SPACING_S)
    assert ring.wants(-1.0)


def test_a_running_table_fills_its_ring() -> None:
    source = HandMoved(fps=50)
    ring = FrameBuffer()
    with Runner(source, KnowsAll(source)) as live:
        keeper = FrameCollector(live, ring)
        wait_until("some frames", lambda: len(ring.shots) > 3)
        keeper.close()
        kept = len(ring.shots)
        wait_until("more frames", lambda: live.snapshot.number > kept + 40)
        assert len(ring.shots) == kept
    shot = ring.shots[-1]
    assert shot.table.find("RED1").status == "still"
    assert shot.decoded().shape[1::-1] == shot.size
