"""Opens what is refereed: a source as a person chose it, and a referee with its table."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from calibration.tablefile import TableFile, load_table, parse_table
from server.lenses import camera_of, kept_lens
from server.referee import Referee
from vision.source import Asked, CameraWish, Source, ask, play_source


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

    `table` is the table file that was given at the start, None if none was.
    """

    def __init__(self, table: TableFile | None = None) -> None:
        self._table = table

    def table_for(self, asked: Asked) -> TableFile:
        """Whose table is seen: a simulated one describes itself, a real one has its file.

        Without one given at the start, that is `table.toml` here.
        """
        if asked.kind == "simulated" and self._table is None:
            from vision.simulate.scenes import named_scene  # noqa: PLC0415 - only drawn when asked for

            return parse_table(named_scene(asked.what).to_toml(), asked.name)
        return self._table or load_table(Path("table.toml"))

    def begin(self, choice: Choice) -> tuple[Source, Referee]:
        """Source and referee, both new; `SourceRefused` for what is no source."""
        asked = ask(choice.spec)
        # A photograph has no later frame to which a search beside could bring its finds.
        beside = asked.kind != "pictures"
        kept = partial(kept_lens, camera_of(asked))
        referee = Referee(self.table_for(asked), time.perf_counter, kept, beside=beside)
        return play_source(choice.spec, camera=choice.wish, fps=choice.fps), referee
