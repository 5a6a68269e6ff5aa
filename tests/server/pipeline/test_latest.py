"""A slot holds only the newest."""

from __future__ import annotations

import threading

from server.pipeline.latest import LatestValue


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
    taker = threading.Thread(target=lambda: taken.append(slot.take(10.0)))
    taker.start()
    slot.put(7)
    taker.join(5.0)
    assert taken == [7]


def test_closing_wakes_who_waits_and_leaves_what_is_there() -> None:
    slot: LatestValue[int] = LatestValue()
    slot.put(1)
    slot.close()
    assert slot.closed
    assert slot.take() == 1
    assert slot.take() is None
