"""Ways recognised in a process of its own: the same answers, and its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, ClassVar, SupportsIndex

import numpy as np
import pytest

from engine.motion.moves import Move, Read
from engine.space.catalogue import CARS
from engine.space.geometry import Pose, Region
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing, TableState
from server.formats.helper_process import HelperEnded
from server.moves.recognising import MOST_READS, RecogniserProcess, recognise
from tests.server.fakes import wait_until

START = Pose(10.0, 10.0, 0.3)
SD = 0.005


def standing(pose: Pose) -> Standing:
    return Standing(Piece("Red 1", "car", CARS["muscle"]), pose, PoseUncertainty(np.diag([SD**2] * 3)))


def straight(inches: float, reads: int) -> Move:
    """A car pushed straight ahead."""
    poses = [START.compose(Pose(inches * k / reads, 0.0)) for k in range(1, reads + 1)]
    return Move(
        "m", "Red 1", TableState.of(Region.rectangle(0, 0, 48, 48), [standing(START)]), standing(poses[-1]),
        0.0, reads / 30, tuple(Read(k / 30, pose, SD, SD) for k, pose in enumerate(poses)),
    )  # fmt: skip


class Deadly(Move):
    """Kills the process to which it is sent."""

    pid: ClassVar[int]

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        os.kill(self.pid, signal.SIGKILL)
        return super().__reduce_ex__(protocol)


@pytest.fixture
def process() -> Iterator[RecogniserProcess]:
    process = RecogniserProcess()
    yield process
    process.close()


@pytest.mark.parametrize("reads", [1, 10, MOST_READS + 1, 400])
def test_it_answers_as_it_would_be_answered_here(process: RecogniserProcess, reads: int) -> None:
    way = straight(3.0, reads)
    length, runs = process(way)
    assert (length, runs) == recognise(way)
    assert length == pytest.approx(3.0, abs=0.02)
    assert [words.split()[0] for words in runs] == ["straight"]


def test_what_goes_wrong_there_is_raised_here_and_the_next_way_is_answered(
    process: RecogniserProcess,
) -> None:
    with pytest.raises(Exception, match="Blue 7"):
        process(Move("m", "Blue 7", straight(3.0, 5).before, standing(START), 0.0, 1.0))
    assert process(straight(3.0, 5))[0] == pytest.approx(3.0, abs=0.02)


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
def test_one_that_was_killed_is_started_again(process: RecogniserProcess) -> None:
    way, Deadly.pid = straight(2.0, 5), process.pid
    with pytest.raises(HelperEnded, match="ended with -9"):
        process(Deadly(**{f.name: getattr(way, f.name) for f in fields(way)}))
    assert process(straight(3.0, 5))[0] == pytest.approx(3.0, abs=0.02)


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
def test_it_ends_with_a_server_that_is_killed() -> None:
    code = (
        "from tests.server.moves.test_recognising import *; process = RecogniserProcess(); "
        "process(straight(2.0, 5)); print(process.pid, flush=True); signal.pause()"
    )
    known = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=known) as server:
        assert server.stdout is not None
        pid = int(server.stdout.readline())
        os.kill(pid, 0)
        server.kill()
    wait_until("it to end without its server", lambda: not running(pid))


def running(pid: int) -> bool:
    """Whether a process goes on; one that ended and that nobody waited for does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"
