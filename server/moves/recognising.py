"""Recognises ways in a process of its own.

A way takes tens of milliseconds of calculation. In a thread of the server that would hold the interpreter
while a frame waits to be told; a process of its own, less urgent than others, uses what the machine has left.
"""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from typing import IO

from engine.motion.moves import Move

MOST_READS = 48
"""Of a way that is recognised while it goes on: those of a longer one are thinned out, which is enough to
tell what it was so far; what is ruled at its end is recognised from all."""

LOWER = 10
"""How much nicer to others the process is."""

Recognised = tuple[float, list[str]]
"""Inches run, and the runs in words."""


class RecognitionEnded(Exception):
    """The process ended before it had answered."""


def recognise(way: Move) -> Recognised:
    """What a way was so far, of no more than `MOST_READS` of its reads."""
    seen = _thinned(way).recognised()
    return seen.length.value, [d.words for d in seen.runs]


def _thinned(way: Move) -> Move:
    return replace(way, reads=way.reads[:: -(-len(way.reads) // MOST_READS) or 1], earlier=None)


class RecogniserProcess:
    """Recognises as `recognise` does, one way at a time, in a process that is started for the first.

    It ends with this one, however this one ends: then it reads the end of its input.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        atexit.register(self.close)

    def __call__(self, way: Move) -> Recognised:
        """Raises `RecognitionEnded` where the process is gone; the next way starts another."""
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            _send(_thinned(way), process.stdin)
            found = pickle.load(process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            self.close()
            raise RecognitionEnded(f"the process ended with {process.returncode}") from error
        if isinstance(found, Exception):
            raise found
        recognised: Recognised = found
        return recognised

    @property
    def pid(self) -> int:
        """The number of the process, which is started where there is none."""
        return self._running().pid

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            command = [sys.executable, "-P", "-c", f"from {__name__} import serve; serve()"]
            known = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=known
            )
        return self._process

    def close(self) -> None:
        """Ends the process, if there is one."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for end in (process.stdin, process.stdout):
            if end is not None:
                with suppress(OSError):
                    end.close()


def _send(what: object, to: IO[bytes]) -> None:
    to.write(pickle.dumps(what, pickle.HIGHEST_PROTOCOL))
    to.flush()


def serve() -> None:
    """What the process does: answers the ways on its input, until that ends."""
    # Ctrl-C reaches every process of a terminal; this one ends when the server lets it go.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(LOWER)
    # Whatever somebody prints must not come between the answers.
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    while True:
        try:
            way = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        found: Recognised | Exception
        try:
            found = recognise(way)
        except Exception as error:
            found = error
        try:
            _send(found, answers)
        except BrokenPipeError:
            return
