"""The forms that a recorded game can be taken along in."""

from __future__ import annotations

import csv
import io
import math
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType

import av

from calibration.whole_files import whole_file
from engine.game.contract import hidden
from engine.game.match import Match
from server.exports.jsonl import lines
from server.play.keeping import END
from server.recording.errors import LibraryError, read_from
from server.recording.journal import as_json, in_words
from server.recording.library.games import Library
from server.recording.matches import BEGIN, event_of, game_or_unknown_of, is_match
from server.recording.pictures.video import Segment
from server.recording.reader import Reader
from server.reports.account import tell
from server.reports.html import html_of
from server.reports.pdf import pdf_of
from server.table import gate


class ExportName(StrEnum):
    """The forms by their names."""

    JSONL = "jsonl"
    MCAP = "mcap"
    CSV = "csv"
    VIDEO = "video"
    REPORT = "report"
    PDF = "pdf"


class NothingToExport(LibraryError):
    """What was asked for was not kept of this game."""


@dataclass(frozen=True)
class ExportForm:
    """One form: the ending of its files, what browsers call it, and what writes it.

    `write` takes the library, the game's id, the file, and whether pictures are wanted.
    """

    ending: str
    media: str
    words: str
    write: Callable[[Library, str, Path, bool], None]


def export(library: Library, id: str, form: ExportName, path: Path, pictures: bool = True) -> None:
    """Writes a game to a file, whole or not at all.

    `StillHidden` for what tells distances of a game that is being played by a book that hides them.
    """
    if form is not ExportName.VIDEO:
        gate.refuse_running(hides_now(library, id), "an export of it")
    with whole_file(path) as draft, read_from(id):
        FORMS[form].write(library, library.game(id).id, draft, pictures)


def hides_now(library: Library, id: str) -> bool:
    """Whether a game is being played at this moment whose book hides distances, as its record tells."""
    if not library.recorded_now(id):
        return False
    reader = library.reader(id)
    marks = list(reader.entries([BEGIN, END]))
    if not marks or marks[-1].kind == END:
        return False
    game = game_or_unknown_of(marks[-1])
    if hidden(game.about) is None:
        return False
    told = [event_of(entry) for entry in reader.entries(after=marks[-1].number - 1) if is_match(entry)]
    return gate.hides(game, Match.replay(game, told).state)


def file_name(library: Library, id: str, form: ExportName) -> str:
    """How the file is called unless somebody says otherwise."""
    return f"{library.game(id).id}{FORMS[form].ending}"


def _jsonl(library: Library, id: str, path: Path, pictures: bool) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        stream.writelines(line + "\n" for line in lines(library, id, pictures))


def _mcap(library: Library, id: str, path: Path, pictures: bool) -> None:
    from server.exports.recording import write_mcap  # noqa: PLC0415 - 80 modules that few ever need

    with path.open("wb") as stream:
        write_mcap(stream, library.reader(id), pictures)


# Tables for spreadsheets

TRACKS = (
    "time_s", "piece", "owner", "status", "x_in", "y_in", "heading_deg",
    "sd_x_in", "sd_y_in", "sd_heading_deg",
)  # fmt: skip
EVENTS = ("number", "time_s", "wall", "kind", "actor", "words", "data")

Row = tuple[object, ...]


def plain_cell(text: str) -> str:
    """A text that a spreadsheet takes for a text, whatever somebody called themselves.

    >>> plain_cell("Red 1"), plain_cell("=1+1"), plain_cell(" @x"), plain_cell("＝1")
    ('Red 1', "'=1+1", "' @x", "'＝1")
    """
    begins = text.lstrip().startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))
    return f"'{text}" if begins or text.startswith(("\t", "\r", "\n")) else text


def _csv(library: Library, id: str, path: Path, pictures: bool) -> None:
    """Two tables in one file: `tracks.csv` and `events.csv`."""
    del pictures
    reader = library.reader(id)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as together:
        for name, head, rows in (
            ("tracks.csv", TRACKS, tracks(reader)),
            ("events.csv", EVENTS, events(reader)),
        ):
            with together.open(name, "w", force_zip64=True) as raw:
                text = io.TextIOWrapper(raw, encoding="utf-8", newline="")
                writer = csv.writer(text)
                writer.writerow(head)
                writer.writerows(rows)
                text.flush()
                text.detach()


def tracks(reader: Reader) -> Iterator[Row]:
    """Every piece whenever something of it has changed, piece after piece."""
    for piece in reader.table.pieces:
        for at_s, standing in reader.track(piece.name):
            sd = [math.sqrt(max(float(v), 0.0)) for v in standing.uncertainty.total.diagonal()]
            pose = standing.pose
            yield (
                f"{at_s:.3f}", plain_cell(piece.name), plain_cell(piece.owner or ""), standing.status.value,
                f"{pose.x:.3f}", f"{pose.y:.3f}", f"{math.degrees(pose.heading):.2f}",
                f"{sd[0]:.4f}", f"{sd[1]:.4f}", f"{math.degrees(sd[2]):.3f}",
            )  # fmt: skip


def events(reader: Reader) -> Iterator[Row]:
    """Every entry; its data as JSON."""
    for e in reader.entries():
        actor, words = plain_cell(e.actor or ""), plain_cell(e.words)
        yield e.number, f"{e.at_s:.3f}", in_words(e.wall), e.kind, actor, words, as_json(e.data)


# The battle report


def _report(library: Library, id: str, path: Path, pictures: bool) -> None:
    path.write_bytes(html_of(tell(library.reader(id), pictures)))


def _pdf(library: Library, id: str, path: Path, pictures: bool) -> None:
    path.write_bytes(pdf_of(tell(library.reader(id), pictures)))


# One film


def _video(library: Library, id: str, path: Path, pictures: bool) -> None:
    """The segments as one MP4, not encoded anew; a time without pictures stays as long as it was."""
    del pictures
    segments = library.reader(id).segments()
    if not segments:
        raise NothingToExport(f"no video was kept of game {id}: export it as jsonl or mcap")
    begins_s = segments[0].begins_s
    shape: tuple[int, int] | None = None
    try:
        with av.open(str(path), "w", format="mp4", options={"movflags": "faststart"}) as film:
            out = None
            for segment in segments:
                with av.open(str(segment.path)) as container:
                    stream = container.streams.video[0]
                    size = (stream.width, stream.height)
                    if out is None:
                        out, shape = film.add_stream_from_template(stream), size
                    elif size != shape:
                        raise NothingToExport(
                            f"the video of game {id} changes its size, from {shape} to {size} pixels: "
                            f"take its parts from {segment.path.parent}"
                        )
                    for packet in _moved(container, stream, segment, begins_s):
                        packet.stream = out
                        film.mux(packet)
    except av.FFmpegError as error:
        raise LibraryError(f"the video of game {id} cannot be written: {error}") from error


def _moved(
    container: av.container.InputContainer,
    stream: av.video.stream.VideoStream,
    segment: Segment,
    begins_s: float,
) -> Iterator[av.Packet[av.video.stream.VideoStream]]:
    """The packets of a segment at their times in the whole film."""
    for packet in container.demux(stream):
        if packet.pts is None or packet.dts is None or packet.time_base is None:
            continue
        later = round((segment.begins_s - begins_s) / packet.time_base)
        packet.pts, packet.dts = packet.pts + later, packet.dts + later
        yield packet


FORMS: Mapping[ExportName, ExportForm] = MappingProxyType(
    {
        ExportName.JSONL: ExportForm(".jsonl", "application/jsonl", "JSON Lines, all of it", _jsonl),
        ExportName.MCAP: ExportForm(
            ".mcap", "application/octet-stream", "MCAP, for Foxglove and Lichtblick", _mcap
        ),
        ExportName.CSV: ExportForm("-csv.zip", "application/zip", "CSV, tracks and events", _csv),
        ExportName.REPORT: ExportForm("-report.html", "text/html", "Battle report, a page", _report),
        ExportName.PDF: ExportForm("-report.pdf", "application/pdf", "Battle report, to print", _pdf),
        ExportName.VIDEO: ExportForm(".mp4", "video/mp4", "MP4, the camera's video", _video),
    }
)
