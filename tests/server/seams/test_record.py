"""The record survives real play: undo, redo, restart, and whoever looks at the game while it is on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from sqlalchemy import update
from typer.testing import CliRunner

from engine.game.records import to_json
from engine.game.showing import Viewer
from server.commands.cli import app
from server.disputes.recorded.reopening import disputes_of, sealed
from server.disputes.sealed.verify import verify
from server.play.host import MatchHost
from server.play.keeping import KINDS
from server.recording.journal import as_json
from server.recording.library import schema
from server.replay.match_history import MatchHistory
from server.replay.routes import match_then
from server.replay.shelf import OpenGame, Shelf
from server.table.questions.rulings import Rulings
from tests.server.gaming import Player
from tests.server.seams.at_table import FEVER, WHERE, AtTable, at_table
from tests.server.seams.evening import GAMES, Evening, evening
from tests.volume import volume

ACTS = volume(24, 200)


def looks_on(one: Evening) -> OpenGame:
    """The game as the replay's page has it open."""
    return Shelf(one.library, Rulings.by_book(None)).game(one.game)


def shows_the_same(one: Evening, page: OpenGame) -> None:
    """What the replay shows of now is how the match stands."""
    page.refresh()
    found, until = page.history.at(one.now)
    assert until is None
    assert found.state == one.state
    then = match_then(page, one.now)
    assert then.status is not None
    if not page.timeline.hides:
        assert then.status == to_json(one.host.game.status(one.state, Viewer()))


@pytest.mark.parametrize("name", GAMES)
def test_the_replay_follows_undo_redo_and_a_restart(name: str, tmp_path: Path) -> None:
    with evening(tmp_path, name) as one:
        page = looks_on(one)
        for number in range(ACTS):
            if one.over:
                break
            one.step()
            shows_the_same(one, page)
            if number % 3 == 2:
                one.undo()
                shows_the_same(one, page)
            if number % 6 == 5:
                one.redo()
                shows_the_same(one, page)
            if number == ACTS // 2:
                one.restart()
                one.undo()
                shows_the_same(one, page)
        # Who comes later reads all of it at once, and each earlier time is as it was then.
        later = MatchHistory(one.library.reader(one.game))
        for at_s, state in one.passed:
            assert later.at(at_s)[0].state == state, f"the match at {at_s} s"
        assert len(one.passed) > ACTS // 2


# Disputes, decided


@pytest.fixture
def shot(tmp_path: Path) -> Iterator[tuple[AtTable, Player]]:
    """A match in which Red 1 has shot at Blue 1, eleven inches ahead of it."""
    with at_table(tmp_path, WHERE) as table, table.joined() as owner:
        owner.done(type="setup", draft=FEVER)
        owner.done(type="begin")
        for car in ("Red 1", "Blue 1", "Red 2", "Blue 2"):
            owner.done(type="act", kind="deploy", data={"car": car})
        owner.done(type="act", kind="choose", data={"car": "Red 1"})
        owner.done(type="overrule", path=["round", "stage"], value="free", words="for the test")
        owner.done(type="act", kind="shoot", data={"weapon": "Machine Gun", "target": "Blue 1"})
        yield table, owner


def decided(table: AtTable, outcome: str) -> str:
    """What was done last is disputed and decided by the owner; the dispute's id."""
    with httpx.Client(base_url=table.url, timeout=120) as client:
        opened = client.post("/api/disputes", json={})
        assert opened.status_code == 200, opened.text
        settled = client.post("/api/disputes/now/propose", json={"outcome": outcome})
        assert settled.status_code == 200, settled.text
        assert client.post("/api/disputes/now/release", json={}).status_code == 200
        return str(opened.json()["id"])


def dispute_command(folder: Path, *more: str) -> str:
    done = CliRunner().invoke(app, ["dispute", *more, "--library", str(folder)], env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output or done.exception
    return done.output


def test_a_decided_dispute_is_listed_and_opened(shot: tuple[AtTable, Player], tmp_path: Path) -> None:
    table, owner = shot
    id = decided(table, "no")
    assert id in dispute_command(tmp_path, table.game)
    file = tmp_path / "dispute.html"
    assert "no" in dispute_command(tmp_path, table.game, "--id", id, "--out", str(file))
    assert verify(file.read_bytes()).intact
    with httpx.Client(base_url=table.url, timeout=120) as client:
        (had,) = client.get(f"/api/games/{table.game}/disputes").json()
        assert (had["id"], had["saved"]) == (id, True)
        answer = client.get(f"/api/games/{table.game}/disputes/{id}/dispute.pdf")
        assert verify(answer.content).intact
        assert client.get(f"/replay?game={table.game}").status_code == 200
    # The same request told again, now or after a restart, is still done once.
    key = "done-once-1"
    owner.ask(key=key, type="act", kind="speed", data={"car": "Red 1", "speed": 3})
    reader = table.library.reader(table.game)
    again = MatchHost()
    again.restore(reader.entries(KINDS))
    asked = {e.data["request"] for e in reader.entries(["match."])}
    assert any(asked)
    assert all(again.keeping.known(one) for one in asked if one)


def test_a_dispute_whose_question_an_older_version_wrote_over_still_opens(
    shot: tuple[AtTable, Player], tmp_path: Path
) -> None:
    table, _ = shot
    id = decided(table, "no")
    reader = table.library.reader(table.game)
    (entry,) = reader.entries(["dispute.decided"])
    (opened,) = reader.entries(["dispute.opened"])
    data = {name: said for name, said in entry.data.items() if name != "request"} | {"asked": ""}
    e = schema.entry.c
    with table.library.writing() as connection, connection.begin():
        old = update(schema.entry).where(e.game == table.game, e.number == entry.number)
        connection.execute(old.values(data=as_json(data)))
    (had,) = disputes_of(reader, table.library.place.pictures_of(table.game))
    assert had.question.pieces == ("Red 1", "Blue 1") == tuple(opened.data["asked"]["pieces"])
    assert sealed(had).intact
    assert id in dispute_command(tmp_path, table.game)
