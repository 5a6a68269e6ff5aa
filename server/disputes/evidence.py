"""What is known of one instant: the table, how well it was seen, the ruling, the pictures that show it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from calibration.lens.model import lens_to_dict
from calibration.surface import Surface
from engine.boards.board import Board
from engine.drawing.gunner import GunnerView, Seat
from engine.errors import NotThere, TableRefError
from engine.game.contract import Question
from engine.motion.moves import Move
from engine.ruling import Ruling, in_words
from engine.space.geometry import wrap_angle
from engine.space.table import Standing, TableState
from engine.words import listed
from server.disputes.frame_buffer import FREE, KeptFrame
from server.disputes.pictures import (
    Exhibit,
    close_jpeg,
    crop,
    deciding,
    detail_svg,
    marks_svg,
    plan_svg,
    shot_sharpness,
    tag_corners,
    window_of,
)
from server.disputes.tables import move_record, table_record
from server.formats import units
from server.formats.jpeg import jpeg
from server.pipeline.referee import SurfaceView, TableEvent
from server.table.questions.gunner_view import look_from, sight_check, view_svg
from server.table.records import ruling_record

NEAR_S = 0.75
"""Seconds round the instant within which the sharpest frame is looked for."""

STAYED_IN, TURNED = 0.02, 0.02
"""Inches and radians by which a piece of the question may differ in a frame that stands for the instant."""

BEFORE_S, AFTER_S = (3.0, 1.0), (0.6, 1.5)
"""Seconds before and after the instant of which a frame is shown."""

BEGAN_S = 0.2
"""Seconds before a move's first frame."""

SMALL_QUALITY, SMALL_WIDTH = 82, 960
"""Of the frames before and after, pixels across; the frame itself keeps its size."""

EVENTS_S = 12.0
"""Seconds round the instant of which the events are told."""


Rule = Callable[[Question, TableState], Ruling]
"""A book's answer, such as `server.table.questions.rulings.Rulings.ask`."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A frame in which the sharpness of the question's tags was measured; None where none can be seen."""

    index: int
    time: float
    sharpness: float | None


@dataclass(frozen=True, eq=False)
class Evidence:
    """One instant with all that bears on it.

    `at` is the instant that is disputed, `shot` the frame that stands for it: the sharpest about it in which
    the pieces of the question stand where they stood at the instant. `judged` are the frames that were
    looked at. `handed_in`: the ruling was not made from the frame but from what came before it, as a move's
    is from its track, which is then `move`. `basis` is the game with its state as it stood before, plain JSON
    (`server.play.subjects.Subjects.basis`), so that it can be ruled again from the evidence alone.
    """

    at: float
    question: Question
    shot: KeptFrame
    ruling: Ruling
    judged: tuple[Judged, ...]
    events: tuple[TableEvent, ...]
    pictures: tuple[Exhibit, ...]
    handed_in: bool = False
    board: Board = FREE
    basis: Mapping[str, Any] | None = None
    move: Move | None = None
    note: str = ""

    @property
    def table(self) -> TableState:
        """What stood where."""
        return self.shot.table

    def picture(self, name: str) -> Exhibit:
        """The picture of that name."""
        for picture in self.pictures:
            if picture.name == name:
                return picture
        raise NotThere(f"no picture {name!r}; there are {', '.join(p.name for p in self.pictures)}")

    def as_json(self) -> dict[str, Any]:
        """Everything but the pictures' bytes, which stand here by their digests."""
        return {
            "at_s": self.at,
            "table": table_record(self.table),
            "ruling": ruling_record(self.ruling, self.question, exactly=True),
            "handed_in": self.handed_in,
            "note": self.note,
            "basis": None if self.basis is None else dict(self.basis),
            "move": None if self.move is None else move_record(self.move),
            "calibration": calibration_record(self.shot.surface),
            "frame": {"index": self.shot.index, "time_s": self.shot.time, "size_px": list(self.shot.size)},
            "frames": [{"index": j.index, "time_s": j.time, "sharpness": j.sharpness} for j in self.judged],
            "read": sorted(self.shot.read),
            "events": [
                {"time_s": e.time, "event": e.kind, "piece": e.piece, "words": e.words} for e in self.events
            ],
            "pictures": [
                {
                    "name": p.name,
                    "about": p.about,
                    "media": p.media,
                    "sha256": p.digest,
                    "bytes": len(p.data),
                    "words": p.words,
                    "time_s": p.time_s,
                }
                for p in self.pictures
            ],
        }


def calibration_record(surface: SurfaceView | None) -> dict[str, Any] | None:
    """How well the table's place under the camera is known; None before it was found."""
    if surface is None:
        return None
    record: dict[str, Any] = {"residual_in": surface.residual, "note": surface.note}
    if isinstance(surface, Surface):
        record |= {
            "camera_in": surface.camera_position.tolist(),
            "lens": lens_to_dict(surface.lens),
            "corners": [
                {"tag": c.tag, "family": c.family, "at_in": list(c.at), "size_in": c.size, "misfit_in": off}
                for c, off in surface.misfits
            ],
        }
    return record


# Collecting


def involved(table: TableState, question: Question, ruling: Ruling) -> tuple[Standing, ...]:
    """The pieces that the ruling rests on: those that were asked about, and what is in the way."""
    names = [*question.pieces, *(b for c in ruling.checks for b in c.witness.blockers)]
    return tuple(table.find(name) for name in dict.fromkeys(names))


def nearest_shot(shots: Sequence[KeptFrame], at: float) -> KeptFrame:
    """The shot nearest to an instant; a clear error if none is kept."""
    if not shots:
        raise TableRefError("no frame is kept yet: wait until the camera has seen the table")
    return min(shots, key=lambda s: abs(s.time - at))


def sharpest(
    shots: Sequence[KeptFrame], at: float, pieces: Sequence[Standing]
) -> tuple[KeptFrame, tuple[Judged, ...]]:
    """The frame that stands for an instant, and those that it was chosen from.

    Only frames in which every piece of the question stands as it stood at the instant can stand for it.
    """
    here = nearest_shot(shots, at)
    close = [s for s in shots if abs(s.time - at) <= NEAR_S] or [here]
    judged = tuple(Judged(s.index, s.time, shot_sharpness(s, _same(s, pieces))) for s in close)
    fit = [
        (j.sharpness, -abs(s.time - at), k)
        for k, (s, j) in enumerate(zip(close, judged, strict=True))
        if j.sharpness is not None and alike(s, pieces)
    ]
    return (close[max(fit)[2]] if fit else here), judged


def _same(shot: KeptFrame, pieces: Iterable[Standing]) -> list[Standing]:
    names = {p.name for p in pieces}
    return [s for s in shot.table.standings if s.name in names]


def alike(shot: KeptFrame, pieces: Sequence[Standing]) -> bool:
    """Whether these pieces stand in a frame as they do here."""
    there = {s.name: s for s in _same(shot, pieces)}
    for piece in pieces:
        other = there.get(piece.name)
        if other is None or other.status is not piece.status:
            return False
        if abs(wrap_angle(other.pose.heading - piece.pose.heading)) > TURNED:
            return False
        if abs(other.pose.x - piece.pose.x) > STAYED_IN or abs(other.pose.y - piece.pose.y) > STAYED_IN:
            return False
    return True


def pictures_of(
    shots: Sequence[KeptFrame],
    shot: KeptFrame,
    question: Question,
    ruling: Ruling,
    at: float,
    board: Board = FREE,
    move: Move | None = None,
) -> tuple[Exhibit, ...]:
    """The frame, what was measured over it, plan and views, the frames before and after, the tags."""
    labels = labels_of(ruling)
    found = [
        Exhibit("frame", "frame", "image/jpeg", shot.jpeg, "The frame that was ruled from.", shot.time),
        _drawn("plan", "plan", plan_svg(shot.table, ruling, labels, board, move), "The table from above."),
    ]
    found[1:1] = _close(shot, question, ruling, board, move)
    marks = marks_svg(shot, ruling, labels)
    if marks is not None:
        found.insert(1, _drawn("marks", "marks", marks, "What was measured, over the frame."))
    for view in views_of(shot.table, ruling):
        name = "view " + view.seat
        found.append(_drawn(name, "view", view_svg(shot.table, ruling, view), view.words))
    after = _around(shots, shot, at, "after", AFTER_S)
    found += _befores(shots, shot, at, move, paired=not after)
    found += after or ([] if move is None else [_as_ruled(shot)])
    return (*found, *_tags(shot, involved(shot.table, question, ruling)))


def _close(
    shot: KeptFrame, question: Question, ruling: Ruling, board: Board, move: Move | None
) -> list[Exhibit]:
    """The few inches that decided: drawn, and as the camera saw them."""
    check, svg = deciding(ruling), detail_svg(shot.table, question, ruling, board, move)
    if check is None or svg is None:
        return []
    found = [_drawn("near", "detail", svg, f"What decided: {check.name}, {check.words}.")]
    data = close_jpeg(shot, window_of(shot.table, question, check, move))
    if data is not None:
        words = "The same inches as the camera saw them."
        found.append(Exhibit("close", "detail", "image/jpeg", data, words, shot.time))
    return found


def _drawn(name: str, about: Any, svg: str, said: str) -> Exhibit:
    return Exhibit(name, about, "image/svg+xml", svg.encode(), said)


def _befores(
    shots: Sequence[KeptFrame], shot: KeptFrame, at: float, move: Move | None, *, paired: bool
) -> list[Exhibit]:
    """The frames before: of a move the one from which it began; one alone where none comes after."""
    if move is not None:
        # So long before the frames of the move as nothing stirred yet.
        return _around(shots, shot, at, "before", [move.since - at - BEGAN_S])
    return _around(shots, shot, at, "before", [-s for s in (BEFORE_S[-1:] if paired else BEFORE_S)])


def _as_ruled(shot: KeptFrame) -> Exhibit:
    """What stands for *after* of a move where no later frame is kept: the frame that was ruled from."""
    data = jpeg(shot.decoded(), SMALL_QUALITY, SMALL_WIDTH)
    return Exhibit("after 1", "after", "image/jpeg", data, "Where the move came to rest.", shot.time)


def _around(
    shots: Sequence[KeptFrame], shot: KeptFrame, at: float, about: Any, offsets: Iterable[float]
) -> list[Exhibit]:
    out: list[Exhibit] = []
    used = {shot.time}
    for offset in offsets:
        other = nearest_shot(shots, at + offset)
        passed = other.time - at
        if passed * offset <= 0.0 or abs(passed) < 0.2 or other.time in used:
            continue
        used.add(other.time)
        said = f"{units.seconds(abs(passed))} {about}."
        data = jpeg(other.decoded(), SMALL_QUALITY, SMALL_WIDTH)
        out.append(Exhibit(f"{about} {len(out) + 1}", about, "image/jpeg", data, said, other.time))
    return out


def _tags(shot: KeptFrame, pieces: Iterable[Standing]) -> list[Exhibit]:
    """The tags of the question's pieces and of the corners, as the camera saw them."""
    surface = shot.surface
    if surface is None:
        return []
    image = shot.decoded()
    found: list[tuple[str, Any]] = []
    for standing in pieces:
        mount = standing.piece.mount
        if mount is not None:
            found.append((f"{standing.name}, tag {mount.tag}", tag_corners(mount, standing.pose, surface)))
    if isinstance(surface, Surface):
        for corner, _ in surface.misfits:
            found.append((f"corner tag {corner.tag}", surface.image_from_table(corner.corners_at())))
    out: list[Exhibit] = []
    for said, corners in found:
        data = crop(image, corners)
        if data is not None:
            out.append(Exhibit(f"tag {len(out) + 1}", "tag", "image/png", data, f"{said}.", shot.time))
    return out


def labels_of(ruling: Ruling) -> tuple[tuple[str, str], ...]:
    """What is written beside the lines that are drawn: how far, or what hides the sight."""
    found, decided = [], deciding(ruling)
    for check in ruling.checks:
        witness = check.witness
        if check.role != "condition" or witness.line is None or not (witness.shows or check is decided):
            continue
        # What was counted on a board has no measure: its words say what was found.
        said = in_words(check.number, check.unit) if check.unit else check.words
        if witness.shows == "sight":
            said = f"blocked by {listed(witness.blockers)}" if check.number < 0 else "clear"
        found.append((check.name, said))
    return tuple(found)


def collect(
    shots: Sequence[KeptFrame],
    at: float,
    question: Question,
    rule: Rule,
    events: Iterable[TableEvent] = (),
    handed_in: Ruling | None = None,
    *,
    board: Callable[[Board], Board] = lambda table_board: table_board,
    basis: Mapping[str, Any] | None = None,
    move: Move | None = None,
) -> Evidence:
    """The evidence of an instant, from the shots that are kept.

    The ruling is made by `rule` from the very frame that is shown, unless one is `handed_in`. `board` gives
    the one that is played on, by the table file's.
    """
    first = nearest_shot(shots, at)
    early = handed_in or rule(question, first.table)
    shot, judged = sharpest(shots, at, involved(first.table, question, early))
    ruling = handed_in or rule(question, shot.table)
    played_on = board(shot.board)
    return Evidence(
        at=at,
        question=question,
        shot=shot,
        ruling=ruling,
        judged=judged,
        events=tuple(e for e in events if abs(e.time - at) <= EVENTS_S),
        pictures=pictures_of(shots, shot, question, ruling, at, played_on, move),
        handed_in=handed_in is not None,
        board=played_on,
        basis=basis,
        move=move,
    )


def completed(evidence: Evidence, shots: Sequence[KeptFrame]) -> Evidence:
    """The same evidence with the frames that have come since; what was ruled from stays."""
    pictures = pictures_of(
        shots, evidence.shot, evidence.question, evidence.ruling, evidence.at, evidence.board, evidence.move
    )
    return replace(evidence, pictures=pictures)


SEATS_SHOWN: tuple[Seat | None, ...] = (None, "turret")
"""From where one looks: the tyre where the line begins, and the turret."""


def views_of(table: TableState, ruling: Ruling) -> tuple[GunnerView, ...]:
    """The views along the line of sight, where the ruling has one that can be drawn."""
    found = []
    if sight_check(ruling) is None:
        return ()
    for seat in SEATS_SHOWN:
        try:
            found.append(look_from(table, ruling, seat))
        except TableRefError:
            continue
    return tuple(found)
