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


class Worked:
    """What keeps something that it has worked out, just as it is read."""

    def __init__(self) -> None:
        self.kept: dict[str, int] = {}
        self.reads_it = ReadsIt(self)


class ReadsIt:
    """Part of it, in whose reading that happens the first time."""

    def __init__(self, whole: Worked) -> None:
        self.whole = whole

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        vars(self.whole)["worked_out"] = 1
        return int, (7,)


def kept_with(whole: Worked) -> list[str]:
    """What an object has that came."""
    return sorted(vars(whole))


def test_what_another_thread_works_out_meanwhile_is_sent_all_the_same() -> None:
    process = HelperProcess(kept_with)
    assert process(Worked()) == ["kept", "reads_it", "worked_out"]
    process.close()


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
