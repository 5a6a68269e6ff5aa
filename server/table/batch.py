"""A clip to a line of rulings, without a page: `tableref rule`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from calibration.tablefile import TableFile
from engine.errors import TableRefError
from engine.ruling import Ruling
from engine.space.table import Standing, Status, TableState
from server.pipeline.json_records import event_record, ruling_record
from server.pipeline.referee import Moment, Referee
from server.table.rulebook import Rulebook
from vision.source import Source, SourceEnded


def rule_clip(source: Source, table: TableFile, book: Rulebook, weapon: str) -> Iterator[dict[str, Any]]:
    """Every event of a clip, and every ruling between opponents whenever it comes out differently.

    Rulings are made when the table has come to rest after something happened: nothing is ruled
    from a moving or covered car. The records are those of docs/formats.md; the same clip gives
    the same records on every run.
    """
    referee = Referee(table)
    known: dict[tuple[str, str], tuple[Any, ...]] = {}
    yield {"kind": "table", "table": table.name, "book": book.name, "weapon": weapon, "source": source.name}
    due = False
    frames = 0
    standings: dict[str, Standing] = {}
    while True:
        try:
            frame = source.read()
        except SourceEnded:
            break
        moment = referee.step(frame)
        frames += 1
        standings = {s.name: s for s in moment.table.standings}
        for event in moment.events:
            yield event_record(event, standings.get(event.piece or ""))
        due = due or bool(moment.events)
        if due and at_rest(moment):
            due = False
            yield from _changed(moment.table, book, weapon, known)
    for event in referee.finish():
        yield event_record(event, standings.get(event.piece or ""))
    if not frames:
        raise TableRefError(f"{source.name} holds no picture")


def at_rest(moment: Moment) -> bool:
    """Whether every car on the table stands still in plain view."""
    cars = [s for s in moment.table.standings if s.piece.driven]
    return bool(cars) and all(s.status is Status.STILL for s in cars)


def opponents(table: TableState) -> Iterator[tuple[Standing, Standing]]:
    """Ordered pairs of cars that do not belong to the same player."""
    cars = [s for s in table.standings if s.piece.driven and s.piece.body.tyres is not None]
    for one, other in product(cars, cars):
        if one is not other and (one.piece.owner is None or one.piece.owner != other.piece.owner):
            yield one, other


def _changed(
    table: TableState, book: Rulebook, weapon: str, known: dict[tuple[str, str], tuple[Any, ...]]
) -> Iterator[dict[str, Any]]:
    for one, other in opponents(table):
        ruling = book.rule(table, one.name, other.name, weapon)
        now = gist(ruling)
        if known.get((one.name, other.name)) != now:
            known[one.name, other.name] = now
            yield {"kind": "ruling", "time_s": round(table.time, 3)} | ruling_record(ruling, weapon)


def gist(ruling: Ruling) -> tuple[Any, ...]:
    """What must change for a ruling to be worth telling again: verdicts and blockers."""
    return tuple((c.name, c.verdict, c.witness.blockers) for c in ruling.checks)
