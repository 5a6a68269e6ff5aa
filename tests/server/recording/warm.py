"""Imported once by the process that children are forked from: what each of them would find slow at first.

A library is opened, a game recorded and closed again, so that every module is imported and every statement
compiled; no thread and no file is left open.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from calibration.tablefile import load_table
from server.recording.journal import Entry
from server.recording.pictures.video import VideoWish
from server.recording.recorder import Recorder
from tests.server.recording.made import drawn_moment

TABLE = Path(__file__).resolve().parents[3] / "samples" / "opening-round" / "table.toml"

with tempfile.TemporaryDirectory() as _folder:
    for _ in range(2):
        _recorder = Recorder(_folder, load_table(TABLE), video=VideoWish(90, 10))
        _recorder.start()
        _recorder.append([Entry("match.begin", None, "It begins.", {})])
        _table = load_table(TABLE)
        for _frame in range(3):
            _moment = drawn_moment(_table, _frame, _frame / 15)
            _recorder.keep(_moment, _table, _moment.events, lambda _numbers: None)
        _recorder.flush()
        _recorder.stop()
