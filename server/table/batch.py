"""A clip to a line of rulings, without a page: `tableref rule`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from calibration.fiducials import TagKey
from calibration.tablefile import TableFile
from engine.errors import TableRefError
from engine.space.table import Standing, TableState, Thing
from server.pipeline.json_records import event_record
from server.pipeline.referee import Moment, Referee, TableEvent
from server.table.questions.rulings import Rulings, gist
from server.table.records import ruling_record
from vision.source import Source, SourceEnded
from vision.tags.copies import doubled_words
from vision.tags.mirrored import MIRRORED_WORDS, is_mirrored
from vision.tags.unnamed import reader_of_all, told_apart, unnamed_words

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
    told = _Tags(table, referee)
    while True:
        try:
            frame = source.read()
        except SourceEnded:
            break
        moment = referee.step(frame)
        standings = {s.name: s for s in moment.table.standings}
        for event in (*moment.events, *told.news(moment)):
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


class _Tags:
    """Tells, once each, which tags are in view twice, and which ones the table file does not name."""

    def __init__(self, table: TableFile, referee: Referee) -> None:
        self._table, self._referee = table, referee
        self._told: set[TagKey] = set()
        self._looked = False

    def news(self, moment: Moment) -> list[TableEvent]:
        """What there is to be told; tags without a name are looked for once, when the table is found."""
        twice = sorted(self._referee.doubled - self._told)
        self._told.update(twice)
        words = [doubled_words(key) for key in twice]
        if not self._looked and moment.surface is not None:
            self._looked, known = True, self._table.keys
            every = reader_of_all(known).read_all(moment.frame, thorough=False)
            if unnamed := told_apart(every, known)[1]:
                words.append(unnamed_words(unnamed))
        return [TableEvent(moment.time, "camera", None, said) for said in words]


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
