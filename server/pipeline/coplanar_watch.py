"""Whether a live picture shows roof tags that all lie on the table: a screen, or tags beside their cars."""

from __future__ import annotations

import math
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

from calibration.bundle.coplanar import all_coplanar
from calibration.bundle.doubts import Judged, judge
from calibration.lens.model import Lens
from calibration.surface import SurfaceError
from calibration.tablefile import TableFile
from vision.evidence import SurfaceEvidence

LOOKS_EVERY_S = 5.0


class CoplanarWatch:
    """Looks every few seconds as long as something contradicts what is stated; a good table costs nothing.

    With `beside` in a thread of its own (live play), else at once. `coplanar` is what the last look found.
    """

    def __init__(self, table: TableFile, *, beside: bool = False) -> None:
        self._table = table
        self._pool = ThreadPoolExecutor(1, "tableref-coplanar") if beside else None
        self._running: Future[bool | None] | None = None
        self._looked_at = -math.inf
        self.coplanar = False

    def update(self, time: float, lens: Lens, judged: Judged | None, seen: SurfaceEvidence) -> bool:
        """Takes one frame's tags and what is made of all frames so far."""
        if self._running is not None and self._running.done():
            done, self._running = self._running, None
            self._found(done.result())
        contradicted = judged is not None and bool(judged.doubts or not judged.consistent)
        due = not 0.0 <= time - self._looked_at < LOOKS_EVERY_S
        if (contradicted or self.coplanar) and due and self._running is None:
            self._looked_at = time
            if self._pool is None:
                self._found(self._look(lens, seen))
            else:
                # Refused once it is closed, or while the interpreter shuts down.
                with suppress(RuntimeError):
                    self._running = self._pool.submit(self._look, lens, seen)
        return self.coplanar

    def _look(self, lens: Lens, seen: SurfaceEvidence) -> bool | None:
        """Whether they lie flat in this frame; None where it shows too little of the table."""
        table, tags = self._table, [*seen.loose, *seen.raised]
        common = table.common
        try:
            judged = judge(lens, seen.corners, tags, table.frame, common, table.corners)
        except SurfaceError:
            return None
        return all_coplanar(judged, lens, seen.corners, tags, table.frame, common)

    def _found(self, coplanar: bool | None) -> None:
        if coplanar is not None:
            self.coplanar = coplanar

    def close(self) -> None:
        """Begins no other look. May be called twice."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
