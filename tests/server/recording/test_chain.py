"""Whoever holds a link of a record's chain finds any entry before it that was changed later."""

from __future__ import annotations

import pytest

from server.formats.entries import Entry
from server.recording.chain import Head
from server.recording.library.games import Library
from server.recording.library.records import GameRecord

CHANGES = {
    "another word": "UPDATE entry SET words = 'Ben shot.' WHERE number = 3",
    "another player": "UPDATE entry SET actor = 'Ben' WHERE number = 3",
    "another figure": "UPDATE entry SET data = '{\"n\":9}' WHERE number = 3",
    "another hour": "UPDATE entry SET wall = '2026-05-01T20:15:00.000000Z' WHERE number = 3",
    "taken out": "DELETE FROM entry WHERE number = 3",
    "taken out and closed up": "DELETE FROM entry WHERE number = 6",
}


def filled(library: Library, game: GameRecord, count: int) -> Head:
    """The game with so many entries more, written in two batches and across a restart."""
    for part in (count // 2, count - count // 2):
        journal = library.journal(game.id)
        journal.append([Entry("match.shot", None, "Anna shot.", {"n": n}, "Anna") for n in range(part)])
        journal.close()
    return library.reader(game.id).checked().head


def test_a_record_as_it_was_written_is_whole(library: Library, game: GameRecord) -> None:
    first = filled(library, game, 3)
    now = filled(library, game, 4)
    assert (first.entries, now.entries) == (3, 7)
    checked = library.reader(game.id).checked(3)
    assert (checked.head, checked.broken, checked.missing) == (first, None, 0)
    assert library.writer(game.id).head == now


@pytest.mark.parametrize("change", CHANGES)
def test_a_later_change_is_found(library: Library, game: GameRecord, change: str) -> None:
    before = filled(library, game, 6)
    with library.writing() as connection, connection.begin():
        connection.exec_driver_sql(CHANGES[change])
    found = library.reader(game.id).checked()
    assert found.broken == 3 or found.missing == 1 or found.head != before


def test_who_links_it_anew_cannot_meet_a_link_that_others_hold(library: Library, game: GameRecord) -> None:
    before = filled(library, game, 6)
    reader = library.reader(game.id)
    entries = list(reader.entries())
    other = library.add(GameRecord.new(game.table_text))
    writer = library.writer(other.id)
    entries[2].data["n"] = 9  # type: ignore[index]
    writer.write(entries)
    assert library.reader(other.id).checked().broken is None
    assert writer.head.entries == before.entries
    assert writer.head != before
