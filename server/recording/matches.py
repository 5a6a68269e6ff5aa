"""The match in a record: whose rules it was played by, and what of it came to count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.game.contract import Game
from engine.game.events import DECISION, STARTS, Event, JsonObject, event_from_json, standing_batches
from engine.game.registry import game_of_table, game_or_unknown
from server.recording.journal import Recorded
from server.recording.reader import Reader

MATCH = "match."
"""Kinds of entries that hold an event of a match begin with this; its own kind follows."""

BEGIN = f"{MATCH}begin"


def is_match(entry: Recorded) -> bool:
    """Whether an entry holds an event of a match."""
    return entry.kind.startswith(MATCH)


def event_of(entry: Recorded, game: Game[Any] | None = None) -> Event:
    """The event of a match's entry; with its game, as it would be told today."""
    event = event_from_json(entry.data.get("event", {}))
    return event if game is None else game.renewed(event)


def game_or_unknown_of(entry: Recorded) -> Game[Any]:
    """The game that an entry begins, or one that only says why its rules are not here.

    An entry that names none is of the time when there was one game.
    """
    name, version = entry.data.get("game"), str(entry.data.get("version", ""))
    return game_of_table(None) if name is None else game_or_unknown(str(name), version)


def game_of(reader: Reader) -> Game[Any]:
    """The game that was played last in a record, else that of its table; one that says why without rules."""
    begun = list(reader.entries([BEGIN]))
    if begun:
        return game_or_unknown_of(begun[-1])
    name = reader.table.game
    return game_of_table(None) if name is None else game_or_unknown(name)


def data_of(entry: Recorded) -> JsonObject:
    """The data of a match's entry as they were written."""
    event = entry.data.get("event")
    data = event.get("data") if isinstance(event, Mapping) else None
    return data if isinstance(data, Mapping) else {}


def standing(entries: Iterable[Recorded]) -> list[Recorded]:
    """The entries without what was taken back: undone events, and the undoing itself.

    What the camera saw and players asked meanwhile stays.
    """
    every = list(entries)
    numbers: list[int | None] = []
    found: list[list[Event]] = []
    for entry in every:
        if not is_match(entry):
            numbers.append(None)
            continue
        kind = entry.kind.removeprefix(MATCH)
        if kind in STARTS or not found:
            found.append([])
        # What a decision takes back, and which secret choices count, their data say.
        found[-1].append(Event(kind, event_of(entry).data if kind == DECISION else data_of(entry), "", ""))
        numbers.append(len(found) - 1)
    left = standing_batches(found)
    return [entry for entry, number in zip(every, numbers, strict=True) if number is None or number in left]


def ends_of_batches(entries: Sequence[Recorded]) -> frozenset[int]:
    """The numbers of the entries with which a batch of a match ends."""
    last: int | None = None
    found: set[int] = set()
    for entry in entries:
        if not is_match(entry):
            continue
        if last is not None and entry.kind.removeprefix(MATCH) in STARTS:
            found.add(last)
        last = entry.number
    return frozenset(found if last is None else found | {last})
