"""`tableref verify` as a person runs it."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine.errors import TableRefError
from server.commands.cli import app
from server.disputes.dispute import Decision, Dispute, Sealing
from server.disputes.documents.html import html_of
from server.disputes.documents.pdf import pdf_of
from server.disputes.evidence import collect
from server.formats.entries import Entry
from server.formats.signing import kept_signing_key
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
    assert said.startswith("Not proved  May RED1 shoot at BLUE1 with the Plinker? no")
    assert "Anna and Ben agreed: no." in said
    assert "Ruled again by today's engine: the same." in said
    pdf = tmp_path / "dispute.pdf"
    pdf.write_bytes(pdf_of(settled()))
    seal = json.loads(verify(pdf, "--json"))["seal"]
    assert verify(pdf, "--seal", seal).startswith("Intact")


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
    said = verify(file, "--seal", f"{seal[:4].upper()} {seal[4:20]}")
    assert "✓ Unchanged since it was sealed: yes, by the seal that was noted." in said
    assert "– Sealed by this table: not proved; it has no signature." in said
    assert "✓ Sealed at that time: yes, by the seal that was noted then" in said
    other = ("1" if seal[0] == "0" else "0") + seal[1:]
    assert "noted was" in verify(file, "--seal", other, code=1)


@pytest.mark.parametrize("noted", ["", "279c", "279c 9739", "0" * 19, "0" * 65, "g" * 20])
def test_fewer_digits_than_nobody_meets_by_trying_are_refused(file: Path, noted: str) -> None:
    with pytest.raises(TableRefError, match="expected 20 to 64 digits"):
        CliRunner().invoke(app, ["verify", str(file), "--seal", noted], catch_exceptions=False)


def test_who_sealed_it_is_proved_by_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a key that was noted, or the installation's own; a signature that is another's, or gone, is told."""
    monkeypatch.setattr("server.disputes.sealed.proving.signing_key_file", lambda: tmp_path / "signing.key")
    key, other = kept_signing_key(tmp_path / "signing.key"), kept_signing_key(tmp_path / "other.key")
    assert key is not None
    assert other is not None
    assert (tmp_path / "signing.key").stat().st_mode & 0o77 == 0 or os.name == "nt"
    bare = replace(settled(), sealing=Sealing(key.public))
    for made, name in ((html_of, "a.html"), (pdf_of, "a.pdf")):
        mine = tmp_path / name
        mine.write_bytes(made(replace(bare, signature=key.sign(bare.seal))))
        said = verify(mine)
        assert "✓ Unchanged since it was sealed: yes, by the signature" in said
        assert "✓ Sealed by this table: yes, by this installation's own key." in said
        assert "– Sealed at that time: not proved; only who noted its seal then" in said
        assert "the key that was noted" in verify(mine, "--key", key.public[:20])
        assert "The key that signed this file begins with" in verify(mine, "--key", other.public, code=1)
    forged = tmp_path / "forged.html"
    forged.write_bytes(html_of(replace(bare, signature=other.sign(bare.seal))))
    assert "The signature is not that of the key which sealed this." in verify(forged, code=1)
    forged.write_bytes(html_of(bare))
    assert "The signature has been taken away." in verify(forged, code=1)
    theirs = replace(bare, sealing=Sealing(other.public))
    forged.write_bytes(html_of(replace(theirs, signature=other.sign(theirs.seal))))
    assert "– Sealed by this table: not proved; it is signed with the key" in verify(forged)
    assert kept_signing_key(tmp_path / "none.key", make=False) is None
    again = kept_signing_key(tmp_path / "signing.key")
    assert again is not None
    assert again.public == key.public


def test_the_record_of_the_game_has_the_last_word(tmp_path: Path, samples: Path) -> None:
    table = (samples / "opening-round" / "table.toml").read_text(encoding="utf-8")
    where = tmp_path / "games"
    with Library.open(where) as library:
        game = library.add(GameRecord.new(table))
        journal = library.journal(game.id)
        journal.append([Entry("match.shot", 0.5, "Anna shot.", {}, "Anna")])
        link = library.reader(game.id).checked().head.link
        dispute = replace(settled(game.id), sealing=Sealing("", 1, link))
        data = {"id": dispute.id, "seal": dispute.seal}
        journal.append([Entry("dispute.decided", 1.0, "Anna and Ben agreed: no.", data, "Anna")])
        journal.close()
    good, forged = tmp_path / "good.html", tmp_path / "forged.html"
    good.write_bytes(html_of(dispute))
    assert "Unchanged since it was sealed: yes, by the record of its game here." in verify(
        good, "--library", where
    )
    other = Decision("overruled", "yes", given("Anna", "Ben"), NOW)
    lie = Dispute(**{**dispute.__dict__, "decision": other})
    forged.write_bytes(html_of(lie))
    assert verify(forged).startswith("Not proved")
    assert f"✗ The record of game {game.id} has another seal" in verify(forged, "--library", where, code=1)

    with Library.open(where) as library, library.writing() as connection, connection.begin():
        connection.exec_driver_sql("UPDATE entry SET words = 'Ben shot.' WHERE number = 1")
    said = verify(good, "--library", where, code=1)
    assert f"✗ Entry 1 of the record of game {game.id} was changed later." in said


def test_looking_for_the_record_makes_no_library(tmp_path: Path) -> None:
    file = tmp_path / "dispute.html"
    file.write_bytes(html_of(settled("20260501-2015-ab12")))
    assert verify(file, "--library", tmp_path / "games").startswith("Not proved")
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
