"""A clip to a line of rulings, without a page: `tableref rule`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from calibration.tablefile import TableFile
from engine.errors import TableRefError
from engine.space.table import Standing, TableState, Thing
from server.pipeline.json_records import event_record
from server.pipeline.referee import Moment, Referee
from server.table.questions.rulings import Rulings, gist
from server.table.records import ruling_record
from vision.source import Source, SourceEnded
from vision.tags.mirrored import MIRRORED_WORDS, is_mirrored
from vision.tags.unnamed import reader_of_all

NOT_FOUND_WORDS = (
    "The table was never found: its corner tags must be in the picture, sharp, lit, and uncovered. "
    "tableref doctor says of a picture what is wrong with it."
)


def rule_clip(
    source: Source, table: TableFile, rulings: Rulings, which: str | None = None, *, things: bool = True
) -> Iterator[dict[str, Any]]:
    """Every event of a clip, and every answer about two opponents whenever it comes out differently.

    `which` is the question's label or key, None the usual one. `things`: what nobody named is looked for.

    Rulings are made when the table has come to rest after something happened: nothing is ruled
    from a moving or covered car. The records are those of docs/formats.md; the same clip gives
    the same records on every run. Where nothing was ruled the last one says why.
    """
    referee = Referee(table, things=things, at_once=True)
    known: dict[tuple[str, str], tuple[Any, ...]] = {}
    yield {
        "kind": "table",
        "table": table.name,
        "book": rulings.book,
        "question": which,
        "source": source.name,
    }
    due = False
    lying: tuple[Thing, ...] = ()
    moment: Moment | None = None
    ruled = False
    standings: dict[str, Standing] = {}
    while True:
        try:
            frame = source.read()
        except SourceEnded:
            break
        moment = referee.step(frame)
        standings = {s.name: s for s in moment.table.standings}
        for event in moment.events:
            yield event_record(event, standings.get(event.piece or ""))
        # What nobody named makes answers open, and sure again once it is gone: of that nothing is told.
        due = due or bool(moment.events) or moment.table.things != lying
        lying = moment.table.things
        if due and rulings.at_rest(moment.table):
            due = False
            yield from _changed(moment.table, rulings, which, known)
            ruled = bool(known)
    for event in referee.finish():
        yield event_record(event, standings.get(event.piece or ""))
    if moment is None:
        raise TableRefError(f"{source.name} holds no picture")
    if not ruled:
        yield {"kind": "unruled", "words": _why_not(moment, rulings)}


def _why_not(last: Moment, rulings: Rulings) -> str:
    """Why nothing was ruled, by the clip's last picture."""
    withheld = last.judged is not None and not last.judged.consistent
    if last.surface is None and is_mirrored(last.frame, reader_of_all(()), 0):
        return MIRRORED_WORDS
    if last.surface is None or withheld or last.blind:
        return last.notices[0] if last.notices else NOT_FOUND_WORDS
    if next(rulings.opponents(last.table), None) is None:
        seen = ", ".join(s.name for s in last.table.standings if s.piece.driven) or "none"
        return (
            "Two cars of different owners must be seen, and the table must say whose they are; "
            f"cars seen: {seen}."
        )
    return "Nothing came to rest: pieces must stand still, uncovered, for a moment before they are ruled."


def _changed(
    table: TableState, rulings: Rulings, which: str | None, known: dict[tuple[str, str], tuple[Any, ...]]
) -> Iterator[dict[str, Any]]:
    for one, other in rulings.opponents(table):
        question, ruling = rulings.answer(table, (one.name, other.name), which)
        now = gist(ruling)
        if known.get((one.name, other.name)) != now:
            known[one.name, other.name] = now
            yield {"kind": "ruling", "time_s": round(table.time, 3)} | ruling_record(ruling, question)
