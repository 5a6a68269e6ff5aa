"""Recognises ways in a process of its own: a way takes tens of milliseconds of calculation."""

from __future__ import annotations

from dataclasses import replace

from engine.motion.moves import Move
from server.formats.helper_process import HelperProcess

MOST_READS = 48
"""Of a way that is recognised while it goes on: those of a longer one are thinned out, which is enough to
tell what it was so far; what is ruled at its end is recognised from all."""

Recognised = tuple[float, list[str]]
"""Inches run, and the runs in words."""


def recognise(way: Move) -> Recognised:
    """What a way was so far, of no more than `MOST_READS` of its reads."""
    seen = _thinned(way).recognised()
    return seen.length.value, [d.words for d in seen.runs]


def _thinned(way: Move) -> Move:
    return replace(way, reads=way.reads[:: -(-len(way.reads) // MOST_READS) or 1], earlier=None)


class RecogniserProcess:
    """Recognises as `recognise` does, one way at a time, in a process that is started for the first."""

    def __init__(self) -> None:
        self._process = HelperProcess(recognise)

    def __call__(self, way: Move) -> Recognised:
        """Raises `HelperEnded` where the process is gone; the next way starts another."""
        found: Recognised = self._process(_thinned(way))
        return found

    @property
    def pid(self) -> int:
        """The number of the process, which is started where there is none."""
        return self._process.pid

    def close(self) -> None:
        """Ends the process, if there is one."""
        self._process.close()
