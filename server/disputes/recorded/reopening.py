"""Disputes of a recorded game: those that were had, and evidence of any moment made from the record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import cv2
import numpy as np

from calibration.jpeg import decode_jpeg
from engine.errors import NotThere, TableRefError
from engine.game.contract import Question
from server.disputes.dispute import Dispute, new_id
from server.disputes.evidence import AFTER_S, BEFORE_S, EVENTS_S, NEAR_S, collect
from server.disputes.frame_buffer import QUALITY, SPACING_S, KeptFrame
from server.disputes.recorded.archive import FOLDER, versions
from server.disputes.sealed.verify import Verified, read, verify
from server.formats.jpeg import jpeg
from server.pipeline.referee import TableEvent
from server.recording.errors import read_from
from server.recording.journal import Recorded
from server.recording.library.records import is_id
from server.recording.reader import Reader
from server.table.questions.rulings import Rulings, key_of_question
from server.table.records import asked_of
from vision.frame import Image

BY = "the record"

STILL_S = 0.05
"""A still no farther from a frame than this shows it; in full size, where the video may be smaller."""


class NotKept(NotThere):
    """A dispute whose file is not in the library."""


@dataclass(frozen=True)
class Had:
    """A dispute that was had in a recorded game.

    `at_s` is the disputed instant in the game's own time; `entries` are the numbers of what was said of it;
    `seal` is what the record knows; `file` is the file that was put away, None if it is not there.
    """

    id: str
    entries: tuple[int, ...]
    at_s: float
    words: str
    question: Question
    seal: str | None
    file: Path | None


def disputes_of(reader: Reader, pictures: Path) -> tuple[Had, ...]:
    """The disputes of a game in order, each as it was left."""
    with read_from(reader.game.id):
        return _disputes_of(reader, pictures)


def _disputes_of(reader: Reader, pictures: Path) -> tuple[Had, ...]:
    found: dict[str, Had] = {}
    numbers: dict[str, list[int]] = {}
    for entry in reader.entries(("dispute.",)):
        data, id = entry.data, entry.data.get("id")
        if not is_id(id):
            continue
        numbers.setdefault(id, []).append(entry.number)
        if "at_s" not in data:
            continue
        file = pictures / FOLDER / f"{id}.html"
        # In older records a decided dispute holds who decided in the question's place: it was asked before.
        lost = isinstance(data.get("asked"), str)
        if lost and id not in found:
            continue
        found[id] = Had(
            id=id,
            entries=(),
            at_s=_in_game(entry, float(data["at_s"])),
            words=str((data.get("decision") or {}).get("words") or entry.words),
            question=found[id].question if lost else asked_of(data),
            seal=data.get("seal"),
            file=file if file.is_file() else None,
        )
    return tuple(replace(had, entries=tuple(numbers[had.id])) for had in found.values())


def _in_game(entry: Recorded, source_s: float) -> float:
    """A time of the source's clock in the game's own time, by an entry that has both."""
    return max(0.0, entry.at_s - ((entry.source_s or source_s) - source_s))


def reopened(reader: Reader, rulings: Rulings, at_s: float, question: Question) -> Dispute:
    """A dispute about any moment of a recorded game, not decided, ruled by today's engine."""
    shots = tuple(shots_of(reader, at_s))
    if not shots:
        raise TableRefError(
            f"game {reader.game.id} has no picture within {NEAR_S:g} s of {at_s:g} s: "
            "it was recorded without video, and no still shows that moment"
        )
    shots = tuple(replace(shot, table=rulings.there(shot.table, question.pieces)) for shot in shots)
    evidence = collect(shots, at_s, question, rulings.ask, _events(reader, at_s))
    made = datetime.now(UTC)
    return Dispute(
        new_id(made), made, BY, reader.table.name, rulings.book, evidence, versions(),
        game=reader.game.id, clock="game",
    )  # fmt: skip


def shots_of(reader: Reader, at_s: float) -> Iterator[KeptFrame]:
    """The frames that a dispute about a moment needs, from the stills and the video, in order."""
    near = list(reader.times(at_s - NEAR_S, at_s + NEAR_S))
    far = [_nearest(reader, at_s + offset) for offset in (*(-s for s in BEFORE_S), *AFTER_S)]
    last = -np.inf
    for time in sorted({*near, *(t for t in far if t is not None)}):
        if time - last >= SPACING_S and (shot := _shot(reader, time)) is not None:
            last = time
            yield shot


def _nearest(reader: Reader, at_s: float) -> float | None:
    times = list(reader.times(at_s - 0.5, at_s + 0.5))
    return min(times, key=lambda t: abs(t - at_s), default=None)


def _shot(reader: Reader, time: float) -> KeptFrame | None:
    surface, image = reader.surface_at(time), _picture(reader, time)
    if image is None:
        return None
    if surface is not None and image.shape[1::-1] != surface.lens.size:
        # The video may be smaller than what was seen: places in it are those of the whole picture.
        image = np.asarray(cv2.resize(image, surface.lens.size, interpolation=cv2.INTER_CUBIC), np.uint8)
    size = (image.shape[1], image.shape[0])
    return KeptFrame(round(time * 1000), time, jpeg(image, QUALITY), size, reader.table_at(time), surface)


def _picture(reader: Reader, time: float) -> Image | None:
    stills = reader.stills()
    if any(abs(t - time) <= STILL_S for t in stills) and (still := reader.still_near(time)) is not None:
        image = decode_jpeg(still, "BGR")
        if image is not None:
            return image
    return reader.frame_at(time)


def _events(reader: Reader, at_s: float) -> tuple[TableEvent, ...]:
    """What the camera saw round a moment, in the game's own time."""
    return tuple(
        TableEvent(e.at_s, e.kind.removeprefix("camera."), None, e.words)
        for e in reader.entries(("camera.",))
        if abs(e.at_s - at_s) <= EVENTS_S
    )


def sealed(had: Had) -> Verified:
    """The contents and pictures of a dispute as it was sealed, and their signature.

    Refuses a file of which that has been changed since, or that another one has taken the place of.
    """
    if had.file is None:
        question = had.question
        about = " ".join(f"--{'to' if k else 'from'} {name!r}" for k, name in enumerate(question.pieces))
        gone = f"dispute {had.id} was never decided, so it has no file"
        if had.seal is not None:
            gone = f"the file of dispute {had.id} is not in the library any more"
        raise NotKept(
            f"{gone}; make it from the record: "
            f"--at {had.at_s:.2f} {about} --question {question.label or key_of_question(question)!r}"
        )
    kept = kept_parts(read(had.file))
    if (found := kept.seal) != had.seal:
        raise TableRefError(
            f"the file of dispute {had.id} is another one than was sealed: its seal begins with {found[:8]}, "
            f"that in the record with {(had.seal or 'nothing')[:8]}"
        )
    return kept


def kept_parts(file: bytes) -> Verified:
    """What is sealed in a file that was put away; refuses one in which that has been changed.

    Its page is written anew for whoever asks: an older tableref may have written it in other words.
    """
    found = verify(file)
    if not (found.intact or found.page_alone):
        raise TableRefError(f"the file of this dispute has been changed: {found.changed[0]}")
    return found
