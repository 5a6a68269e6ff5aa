"""A library recorded before games had a contract: it opens, is exported, and is ruled again alike."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from engine.game.events import event_from_json
from engine.game.match import Match
from engine.game.registry import game_called
from server.exports.jsonl import bring_in, lines
from server.play.host import MatchHost
from server.recording.journal import as_json
from server.recording.library import schema
from server.recording.library.games import Library
from server.recording.matches import game_of
from server.replay.rerule import rule_again
from server.replay.timeline import Timeline
from server.table.questions.rulings import Rulings

OLD = Path(__file__).resolve().parents[2] / "golden" / "recordings" / "before-the-contract.sqlite"
ID = "20260501-2015-5866"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    folder = tmp_path / "games"
    folder.mkdir()
    shutil.copy(OLD, folder / "library.sqlite")
    with Library.open(folder) as one:
        yield one


def test_every_answer_and_action_is_ruled_as_it_was(library: Library) -> None:
    told = list(rule_again(library.reader(ID), Rulings.by_book(None)))
    assert len(told) == 16 + 7
    assert [again for again in told if again.changes] == []


def test_the_match_is_told_again(library: Library) -> None:
    entries = list(library.reader(ID).entries(["match."]))
    begins = next(k for k, e in enumerate(entries) if e.kind == "match.begin")
    events = [event_from_json(e.data["event"]) for e in entries[begins:]]
    match = Match.replay(game_called("White Line Fever"), events)
    assert match.state.car("Red 1").speed == match.state.round.manoeuvre + 2
    assert (match.state.round.number, match.state.round.stage) == (1, "free")


def test_the_table_goes_on_with_it(library: Library) -> None:
    host = MatchHost()
    host.restore(library.reader(ID).entries(["match.begin", "match.", "play."]))
    assert host.match is not None
    assert [p.name for p in host.draft.players] == ["Anna", "Ben"]
    assert {o.kind for o in host.match.options()} >= {"speed", "end"}


def test_it_can_be_taken_along(library: Library, tmp_path: Path) -> None:
    with Library.open(tmp_path / "other") as other:
        id = bring_in(other, lines(library, ID, pictures=False))
        assert [e.words for e in other.reader(id).entries()] == [
            e.words for e in library.reader(ID).entries()
        ]


def test_a_game_whose_rules_are_not_here_still_opens_and_says_so(library: Library) -> None:
    (begun,) = library.reader(ID).entries(["match.begin"])
    e = schema.entry.c
    with library.writing() as connection, connection.begin():
        asked = update(schema.entry).where(e.game == ID, e.number == begun.number)
        connection.execute(asked.values(data=as_json({**begun.data, "game": "skirmish"})))
    reader = library.reader(ID)
    assert game_of(reader).about.id == "skirmish"
    told = list(rule_again(reader))
    assert len(told) == 16 + 7
    for again in told:
        ((change,), verb) = again.changes, again.words
        assert verb
        assert "cannot be ruled" in change.now or "the rules of skirmish are not at hand" in change.now
    assert [tick.words for tick in Timeline(reader).after(0)]
