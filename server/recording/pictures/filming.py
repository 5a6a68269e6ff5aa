"""The thread that encodes video, with whatever the machine has left: play comes first."""

from __future__ import annotations

import logging
import os
import sys
import threading
from contextlib import suppress

from server.pipeline.runner import LatestValue
from server.recording.session import Session
from vision.frame import Frame

log = logging.getLogger("tableref.recording")

NICE = 10
"""By how much the system prefers everybody else, where it can."""


class Filming:
    """Takes the newest picture when the next one is due, and lets fall what comes too fast."""

    def __init__(self) -> None:
        self._slot: LatestValue[tuple[Session, Frame, float]] = LatestValue()
        self._one = threading.Lock()
        self._news = threading.Condition()
        self._offered = self._done = 0
        self._thread = threading.Thread(target=self._run, name="tableref-films", daemon=True)

    def start(self) -> None:
        """Begins to encode."""
        self._thread.start()

    def stop(self) -> None:
        """Ends after the picture under way."""
        self._slot.close()
        if self._thread.is_alive():
            self._thread.join(timeout=10.0)

    def offer(self, session: Session, frame: Frame, at_s: float) -> None:
        """A picture for the video, if the next one is due; returns at once."""
        if session.film is not None and session.film.due(at_s):
            self._offered += 1
            self._slot.put((session, frame, at_s))

    def flush(self) -> None:
        """Waits until no picture that was offered is still on its way."""
        with self._news:
            self._news.wait_for(lambda: self._offered <= self._done + self._slot.dropped)

    def end(self, session: Session) -> None:
        """Makes a session's last segment whole."""
        with self._one:
            session.end_film()

    def _run(self) -> None:
        if sys.platform == "linux":
            # A thread's own priority; elsewhere this would be the whole process's.
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
        while not self._slot.closed:
            taken = self._slot.take()
            if taken is None:
                continue
            session, frame, at_s = taken
            try:
                with self._one:
                    session.keep_picture(frame, at_s)
            except Exception:
                log.exception("a picture could not be put into the video")
            finally:
                with self._news:
                    self._done += 1
                    self._news.notify_all()
