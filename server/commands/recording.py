"""How `serve` and `demo` record: the library, the video, or nothing at all."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version

import cv2

from calibration.tablefile import TableFile
from server.formats.terminal import Terminal
from server.recording.library.database import is_sqlite
from server.recording.library.games import LibraryPlace
from server.recording.pictures.video import VideoWish, video_wish
from server.recording.recorder import USUAL, Recorder

console = Terminal()

USUAL_VIDEO = USUAL.words


@dataclass(frozen=True)
class RecordingOptions:
    """What of a game is to be kept, and where; see `Library.open` for `where`."""

    where: str | None = None
    record: bool = True
    video: VideoWish | None = USUAL
    resume: bool = True

    @classmethod
    def typed(cls, library: str | None, record: bool, video: str, new_game: bool = False) -> RecordingOptions:
        """As a person typed it; refuses what cannot be had."""
        return cls(library, record, video_wish(video), not new_game)


@contextmanager
def recording(wanted: RecordingOptions, table: TableFile | None, source: str) -> Iterator[Recorder | None]:
    """Records as long as the context lasts; says what was found, and what could not be written."""
    if not wanted.record:
        yield None
        return
    made = not LibraryPlace.of(wanted.where).is_there
    recorder = Recorder(wanted.where, table, video=wanted.video, resume=wanted.resume, about=about(source))
    recorder.start()
    if recorder.library is not None:
        console.print(kept_words(recorder.place, made))
    _say(recorder)
    try:
        yield recorder
    finally:
        recorder.stop()
        _say(recorder)


def kept_words(place: LibraryPlace, made: bool = False) -> str:
    """Where a game is kept: in a folder, or in a database with what is no text beside it.

    `made`: there was no library before, as after a slip of the pen.
    """
    if is_sqlite(place.url):
        folder = f"{place.folder}, which was made for it" if made else f"{place.folder}"
        return f"The game is kept in {folder}, and nowhere else."
    return f"The game is kept in {place.words}; its pictures and a second journal in {place.folder}."


def about(source: str) -> dict[str, str]:
    """What recorded a game, and from where."""
    return {
        "tableref": version("tableref"),
        "python": platform.python_version(),
        "opencv": cv2.__version__,
        "system": f"{platform.system()} {platform.machine()}",
        "source": source,
    }


def _say(recorder: Recorder) -> None:
    for sentence in recorder.said:
        console.print(sentence)
    recorder.said.clear()
