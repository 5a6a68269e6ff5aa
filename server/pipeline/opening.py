"""Opens what is refereed: a source as a person chose it, its kept lens, and a referee with its table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_data_path

from calibration.lens.files import lens_path, saved_lens, write_lens
from calibration.lens.model import Lens
from calibration.tablefile import TableFile, load_table, parse_table
from server.pipeline.referee import FirstLook, Referee
from vision.source import CameraWish, Source, SourceRequest, parse_source, play_source
from vision.sources.devices import name_webcams

if TYPE_CHECKING:
    from vision.simulate.scene import Scene

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


class Opener:
    """Begins a source with a referee for its table.

    `table` is the table file that was given at the start and `file` where it was read from, None if none
    was; `drawn` says that it is the simulated table's, and not that of the table in the room. `kept` is the
    file of a table that is kept on this computer: it may still have to be set up. `things`: what nobody named
    is looked for; in a picture that may be the last one, at once.
    """

    def __init__(
        self,
        table: TableFile | None = None,
        *,
        drawn: bool = False,
        file: Path | None = None,
        kept: Path | None = None,
        things: bool = False,
    ) -> None:
        self._table, self._things = table, things
        self._drawn = drawn
        self._file = file
        self.kept = kept

    def _given(self, asked: SourceRequest) -> bool:
        return self._table is not None and self._drawn == (asked.kind == "simulated")

    def file_for(self, asked: SourceRequest) -> Path | None:
        """Where the table of this source is written, or would be; None for one that describes itself.

        Without one given at the start, that is the `table.toml` beside the pictures, or the one here, or the
        kept one.
        """
        if self._given(asked):
            return self._file
        if asked.kind == "simulated" and _scene(asked).told:
            return None
        path = Path(asked.what)
        beside = (path if path.is_dir() else path.parent) / FILE
        if asked.kind in ("video", "pictures") and beside.is_file():
            return beside
        here = Path(FILE)
        return here if self.kept is None or (here.is_file() and asked.kind != "simulated") else self.kept

    def known_table(self, asked: SourceRequest) -> TableFile | None:
        """Whose table is seen; None while it is still to be set up. Raises what is wrong with its file."""
        file = self.file_for(asked)
        if file is None:
            given = self._table if self._given(asked) else None
            return given or parse_table(_scene(asked).to_toml(), asked.name)
        return None if file == self.kept and not file.is_file() else load_table(file)

    def refers(self, asked: SourceRequest, *, ended: bool = False) -> Referee | FirstLook:
        """A new referee for the table of this source, or who looks at it until it is set up.

        `ended`: the source has given its last picture, and the referee sees that one alone.
        """
        table = self.known_table(asked)
        if table is None:
            return FirstLook()
        # A photograph has no later frame to which a search beside could bring its finds, or that would tell
        # that a thing stays.
        beside = asked.kind != "pictures" and not ended
        kept = partial(kept_lens, camera_of(asked))
        return Referee(
            table,
            kept,
            beside=beside,
            things=self._things,
            at_once=not beside,
            surer=True,
        )

    def begin(self, choice: Choice) -> tuple[Source, Referee | FirstLook]:
        """Source and referee, both new; `SourceRefused` for what is no source."""
        referee = self.refers(parse_source(choice.spec))
        return play_source(choice.spec, camera=choice.wish, fps=choice.fps), referee


def _scene(asked: SourceRequest) -> Scene:
    from vision.simulate.scenes import named_scene  # noqa: PLC0415 - only drawn when asked for

    return named_scene(asked.what)


LensFinder = Callable[[tuple[int, int]], Lens | None]


def lenses_folder() -> Path:
    """Where they are kept on this computer."""
    return user_data_path("tableref", appauthor=False) / "lenses"


def camera_of(asked: SourceRequest) -> str:
    """Under which name a source's lens is kept: a webcam's own, which stays when its number changes."""
    if asked.kind != "webcam":
        return asked.name
    names = {device.index: device.name for device in name_webcams() or ()}
    return names.get(int(asked.what), f"Camera {asked.what}")


def keep_lens(lens: Lens, camera: str) -> Path:
    """Keeps the lens of a camera for its resolution, in place of an older one; where it is now."""
    path = lens_path(lenses_folder(), camera, lens.size)
    write_lens(lens, path, camera=camera)
    return path


def kept_lens(camera: str, size: tuple[int, int]) -> Lens | None:
    """The lens kept for this camera at this resolution in pixels, None if there is none.

    Raises `LensError` if what is kept there belongs to another camera or resolution.
    """
    return saved_lens(lenses_folder(), camera, size)


def lens_finder(spec: str) -> LensFinder:
    """Finds the lens kept for the camera of this source, by the size of its pictures."""
    return partial(kept_lens, camera_of(parse_source(spec)))


Player = Opener
"""Its name of before, which scripts that were written to it know."""
