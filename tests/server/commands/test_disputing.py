"""`tableref verify` as a person runs it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from server.commands.cli import app
from server.disputes.dispute import Decision, Dispute
from server.disputes.documents.html import html_of
from server.disputes.documents.pdf import pdf_of
from server.disputes.evidence import collect
from server.formats.entries import Entry
from server.recording.library.games import Library
from server.recording.library.records import GameRecord
from tests.server.disputes.conftest import RULINGS, about, given, shot_at

NOW = datetime(2026, 5, 1, 20, 15, tzinfo=UTC)


def settled(game: str | None = None, book: str = "White Line Fever 0.9") -> Dispute:
    evidence = collect([shot_at(1.0)], 1.0, about("RED1", "BLUE1", "Plinker"), RULINGS.ask)
    decision = Decision("agreed", "no", given("Anna", "Ben"), NOW)
    return Dispute("20260501-201500-ab12", NOW, "Anna", "Kitchen", book, evidence, {}, (), decision, game)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("disputes") / "dispute [1].html"
    path.write_bytes(html_of(settled()))
    return path


def verify(*arguments: object, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["verify", *map(str, arguments)], env={"COLUMNS": "200"})
    assert done.exit_code == code, done.output or done.exception
    return done.output


def test_says_that_a_file_is_intact_and_ruled_the_same(file: Path, tmp_path: Path) -> None:
    said = verify(file)
    assert said.startswith("Intact  May RED1 shoot at BLUE1 with the Plinker? no")
    assert "Anna and Ben agreed: no." in said
    assert "Ruled again by today's engine: the same." in said
    pdf = tmp_path / "dispute.pdf"
    pdf.write_bytes(pdf_of(settled()))
    assert verify(pdf).startswith("Intact")


def test_says_what_has_been_changed(file: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed.html"
    changed.write_bytes(file.read_bytes().replace(b"agreed: no.", b"agreed: yes.", 1))
    said = verify(changed, code=1)
    assert said.startswith("Changed")
    assert "✗ The text has been changed: 'Anna and Ben agreed: yes.' stands where" in said
    record = json.loads(verify(changed, "--json", code=1))
    assert (record["intact"], record["ruled_differently"]) == (False, [])


def test_a_noted_seal_is_compared(file: Path) -> None:
    seal = json.loads(verify(file, "--json"))["seal"]
    verify(file, "--seal", f"{seal[:4].upper()} {seal[4:8]}")
    other = ("1" if seal[0] == "0" else "0") + seal[1:4]
    assert f"noted was {other}" in verify(file, "--seal", other, code=1)


def test_the_record_of_the_game_has_the_last_word(tmp_path: Path, samples: Path) -> None:
    table = (samples / "opening-round" / "table.toml").read_text(encoding="utf-8")
    where = tmp_path / "games"
    with Library.open(where) as library:
        game = library.add(GameRecord.new(table))
        dispute = settled(game.id)
        journal = library.journal(game.id)
        data = {"id": dispute.id, "seal": dispute.seal}
        journal.append([Entry("dispute.decided", 1.0, "Anna and Ben agreed: no.", data, "Anna")])
        journal.close()
    good, forged = tmp_path / "good.html", tmp_path / "forged.html"
    good.write_bytes(html_of(dispute))
    assert f"The record of game {game.id} here has the same seal." in verify(good, "--library", where)
    other = Decision("overruled", "yes", given("Anna", "Ben"), NOW)
    lie = Dispute(**{**dispute.__dict__, "decision": other})
    forged.write_bytes(html_of(lie))
    assert verify(forged).startswith("Intact")
    assert f"✗ The record of game {game.id} has another seal" in verify(forged, "--library", where, code=1)


def test_looking_for_the_record_makes_no_library(tmp_path: Path) -> None:
    file = tmp_path / "dispute.html"
    file.write_bytes(html_of(settled("20260501-2015-ab12")))
    assert verify(file, "--library", tmp_path / "games").startswith("Intact")
    assert not (tmp_path / "games").exists()


def test_a_book_that_is_not_known_here(tmp_path: Path) -> None:
    file = tmp_path / "dispute.html"
    file.write_bytes(html_of(settled(book="Chess")))
    assert "Chess is not known here: it was not ruled again." in verify(file)


def test_other_files_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "letter.html"
    other.write_text("<!doctype html><html>Dear</html>")
    for path in (other, tmp_path / "gone.html"):
        done = CliRunner().invoke(app, ["verify", str(path)])
        assert done.exit_code == 1
        assert done.exception is not None
        assert str(done.exception).startswith(("this file carries no seal", "cannot read"))
