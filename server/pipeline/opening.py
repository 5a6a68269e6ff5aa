"""Opens what is refereed: a source as a person chose it, and a referee with its table."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from calibration.tablefile import TableFile, load_table, parse_table
from server.pipeline.lenses import camera_of, kept_lens
from server.pipeline.referee import Referee
from vision.source import CameraWish, Source, SourceRequest, ask, play_source

FILE = "table.toml"


@dataclass(frozen=True, slots=True)
class Choice:
    """A source as a person chose it: what they typed, and how it is to run.

    `loop` starts a file again at its end. `fps` is the rate of a folder's pictures and of a
    simulated table, None for their own; a webcam's is in its `wish`.
    """

    spec: str
    loop: bool = False
    wish: CameraWish = field(default_factory=CameraWish)
    fps: float | None = None


class Player:
    """Begins a source with a referee for its table.

    `table` is the table file that was given at the start, None if none was; `drawn` says that it
    is the simulated table's, and not that of the table in the room.
    """

    def __init__(self, table: TableFile | None = None, *, drawn: bool = False) -> None:
        self._table = table
        self._drawn = drawn

    def table_for(self, asked: SourceRequest) -> TableFile:
        """Whose table is seen: a simulated one describes itself, a real one has its file.

        Without one given at the start, that is the `table.toml` beside the pictures, or here.
        """
        if self._table is not None and self._drawn == (asked.kind == "simulated"):
            return self._table
        if asked.kind == "simulated":
            from vision.simulate.scenes import named_scene  # noqa: PLC0415 - only drawn when asked for

            return parse_table(named_scene(asked.what).to_toml(), asked.name)
        path = Path(asked.what)
        beside = (path if path.is_dir() else path.parent) / FILE
        return load_table(beside if asked.kind in ("video", "pictures") and beside.is_file() else Path(FILE))

    def begin(self, choice: Choice) -> tuple[Source, Referee]:
        """Source and referee, both new; `SourceRefused` for what is no source."""
        asked = ask(choice.spec)
        # A photograph has no later frame to which a search beside could bring its finds.
        beside = asked.kind != "pictures"
        kept = partial(kept_lens, camera_of(asked))
        referee = Referee(self.table_for(asked), time.perf_counter, kept, beside=beside)
        return play_source(choice.spec, camera=choice.wish, fps=choice.fps), referee
