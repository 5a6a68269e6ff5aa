"""Where decided disputes are put away, and with what they were ruled."""

from __future__ import annotations

import platform
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from platformdirs import user_data_path

from calibration.whole_files import FileError, write_whole
from server.disputes.desk import Desk, DisputeContext
from server.disputes.dispute import Dispute
from server.disputes.documents.html import html_of
from server.disputes.frame_buffer import FrameBuffer
from server.formats.signing import SigningKey
from server.pipeline.runner import Runner
from server.play.subjects import Subjects
from server.recording.library.games import LibraryPlace
from server.recording.recorder import Recorder
from server.table.questions.rulings import Rulings

FOLDER = "disputes"
RULED_WITH = ("tableref", "numpy", "opencv-python-headless", "shapely")


def versions() -> dict[str, str]:
    """What rules here: tableref, and what its arithmetic rests on."""
    return {name: version(name) for name in RULED_WITH} | {"python": platform.python_version()}


def folder_of(game: str | None, place: LibraryPlace | None) -> Path:
    """The folder of a game's disputes, which goes with the game; of no game the one in the person's data."""
    if game is not None and place is not None:
        return place.pictures_of(game) / FOLDER
    return user_data_path("tableref", appauthor=False) / FOLDER


def put_away(dispute: Dispute, folder: Path) -> Path:
    """Writes the file of a dispute and returns where it is."""
    file = folder / f"{dispute.id}.html"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot make the folder {folder}: {error.strerror or error}") from error
    write_whole(file, html_of(dispute))
    return file


def desk_for(
    live: Runner,
    rulings: Rulings,
    recorder: Recorder | None,
    table_name: Callable[[], str],
    subjects: Subjects | None = None,
    signing: SigningKey | None = None,
) -> Desk:
    """The desk of a table that is refereed, recorded or not."""

    def about() -> DisputeContext:
        game = None if recorder is None else recorder.game
        if recorder is None or game is None:
            return DisputeContext(table_name())
        return DisputeContext(table_name(), game.id, recorder.head)

    def away(dispute: Dispute) -> Path:
        place = None if recorder is None else recorder.place
        return put_away(dispute, folder_of(dispute.game, place))

    return Desk(
        live, rulings, FrameBuffer(), recorder, about=about, versions=versions(), put_away=away,
        subjects=subjects, signing=signing,
    )  # fmt: skip
