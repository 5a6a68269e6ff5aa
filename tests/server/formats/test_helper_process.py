"""A function that is called in a process beside this one: stopped when nobody asks, given up if it lasts."""

from __future__ import annotations

import threading

import pytest

from server.formats.helper_process import HelperEnded, HelperProcess, stopped


def until_stopped() -> bool:
    """Goes on until nobody asks for it any more."""
    while not stopped():
        pass
    return True


def test_a_call_that_nobody_needs_comes_to_its_end_and_the_next_is_not_stopped() -> None:
    process = HelperProcess(stopped)
    assert process() is False
    process.close()
    process = HelperProcess(until_stopped)
    found: list[bool] = []
    calls = threading.Thread(target=lambda: found.append(process()))
    calls.start()
    while calls.is_alive():
        process.stop()
        calls.join(0.05)
    assert found == [True]
    process.close()


def test_a_call_that_never_ends_is_given_up() -> None:
    process = HelperProcess(until_stopped)
    with pytest.raises(HelperEnded, match="the process ended"):
        process(patience_s=0.01)
    process.close()
