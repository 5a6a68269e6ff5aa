"""Disputes of a recorded game, and evidence of any moment of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine.errors import TableRefError
from server.commands.cli import app
from server.commands.records.disputing import seconds_of
from server.disputes.documents.html import html_of
from server.disputes.recorded.archive import folder_of, put_away
from server.disputes.recorded.reopening import disputes_of, kept_parts, reopened
from server.disputes.sealed.verify import verify
from server.formats.entries import Entry
from server.recording.library.games import Library, Place
from server.recording.reader import Reader
from server.table.questions.rulings import Rulings, key_of_question
from server.table.records import question_record
from tests.server.disputes.conftest import about
from tests.server.recording.made import MadeGame, record_round

ASK = about("Red 1", "Blue 3", "Plinker")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> MadeGame:
    """The sample round's first five seconds: Red 1 drives four inches."""
    return record_round(tmp_path_factory.mktemp("games"), samples, 6.5)


@pytest.fixture
def library(made: MadeGame) -> Iterator[Library]:
    with Library.open(made.folder) as one:
        yield one


@pytest.fixture
def reader(library: Library, made: MadeGame) -> Reader:
    return library.reader(made.id)


def test_any_moment_is_ruled_from_where_everything_stood_then(reader: Reader) -> None:
    early = reopened(reader, Rulings.by_book(None), 0.5, ASK).evidence
    late = reopened(reader, Rulings.by_book(None), reader.duration - 0.3, ASK).evidence
    assert late.table.find("Red 1").pose.y - early.table.find("Red 1").pose.y == pytest.approx(4.0, abs=0.1)
    ranges = [e.ruling.check("Maximum Range").number for e in (early, late)]
    assert ranges[0] == pytest.approx(21.30, abs=0.03)
    assert ranges[1] < ranges[0] - 3.5


def test_its_pictures_are_in_the_cameras_own_measure(reader: Reader) -> None:
    """The video is smaller than the picture that was read; lines and tags must lie on it all the same."""
    evidence = reopened(reader, Rulings.by_book(None), reader.duration - 0.3, ASK).evidence
    assert evidence.shot.size == (1920, 1080)
    assert evidence.shot.decoded().shape == (1080, 1920, 3)
    tags = [p for p in evidence.pictures if p.about == "tag"]
    assert {"Red 1, tag 10.", "Blue 3, tag 15."} <= {p.words for p in tags}
    assert {p.words for p in tags if p.words.startswith("corner tag")} == {
        f"corner tag {k}." for k in range(4)
    }
    # A sharp, dark and light thing is where the tag should be: not the green cloth.
    assert any(j.sharpness is not None for j in evidence.judged)
    assert [p for p in evidence.pictures if p.about == "before"]


def test_makes_a_file_that_can_be_checked(reader: Reader) -> None:
    dispute = reopened(reader, Rulings.by_book(None), 1.0, ASK)
    found = verify(html_of(dispute))
    assert found.intact
    assert (found.contents["clock"], found.contents["game"]) == ("game", reader.game.id)
    assert found.contents["decision"] is None


def test_where_there_is_no_picture_it_says_so(reader: Reader) -> None:
    with pytest.raises(TableRefError, match="no picture within"):
        reopened(reader, Rulings.by_book(None), 4000.0, ASK)


def test_lists_what_was_had_and_gives_its_file(library: Library, made: MadeGame, tmp_path: Path) -> None:
    assert disputes_of(library.reader(made.id), library.place.pictures_of(made.id)) == ()
    dispute = reopened(library.reader(made.id), Rulings.by_book(None), 1.0, ASK)
    gist = {"id": dispute.id, "at_s": 101.0, "asked": question_record(ASK)}
    journal = library.journal(made.id)
    journal.clock.see(103.0)
    journal.append([Entry("dispute.opened", 103.0, "Anna disputes.", gist, "Anna")])
    journal.append([Entry("dispute.opened", 103.0, "A file elsewhere.", gist | {"id": "../../x"})])
    journal.append([Entry("dispute.decided", 103.0, "Agreed: no.", gist | {"seal": dispute.seal}, "Anna")])
    journal.close()
    folder = folder_of(made.id, Place.of(made.folder))
    reader = library.reader(made.id)
    (had,) = disputes_of(reader, library.place.pictures_of(made.id))
    assert (had.words, had.seal, had.question.pieces, had.file) == (
        "Agreed: no.",
        dispute.seal,
        ASK.pieces,
        None,
    )
    assert key_of_question(had.question) == key_of_question(ASK)
    # Two seconds before it was opened, in the game's own time.
    opened = next(reader.entries(("dispute.opened",)))
    assert had.at_s == pytest.approx(opened.at_s - 2.0)

    run = CliRunner().invoke
    lost = run(app, ["dispute", made.id, "--id", dispute.id, "--library", str(made.folder)])
    assert f"make it from the record: --at {had.at_s:.2f} --from 'Red 1'" in str(lost.exception)

    file = put_away(dispute, folder)
    (had,) = disputes_of(reader, library.place.pictures_of(made.id))
    assert had.file == file
    out = tmp_path / "dispute.pdf"
    arguments = ["dispute", made.id, "--id", dispute.id, "--out", str(out), "--library", str(made.folder)]
    assert run(app, arguments).exit_code == 0
    assert verify(out.read_bytes()).seal == dispute.seal
    assert dispute.id in run(app, ["dispute", made.id, "--library", str(made.folder)]).output

    file.write_bytes(file.read_bytes().replace(b"Red 1", b"Red 9", 1))
    assert "has been changed" in str(run(app, arguments).exception)


def test_the_command_makes_evidence_of_a_moment(made: MadeGame, tmp_path: Path) -> None:
    out = tmp_path / "moment.html"
    ask = ["dispute", made.id, "--at", "0:01", "--library", str(made.folder), "--out", str(out)]
    refused = CliRunner().invoke(app, ask)
    assert "--from NAME" in str(refused.exception)
    done = CliRunner().invoke(app, [*ask, "--from", "red1", "--to", "blue-3"], env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    assert "May Red 1 shoot at Blue 3 with the Machine Gun? no. Not decided." in done.output
    kept = kept_parts(out.read_bytes())
    contents, pictures = kept.contents, kept.pictures
    assert len(pictures) == len({p["sha256"] for p in contents["evidence"]["pictures"]})


@pytest.mark.parametrize("text", ["", "soon", "-3", "1:2:3:4", "1e9", "nan"])
def test_what_is_no_moment_is_refused(text: str) -> None:
    with pytest.raises(TableRefError, match="expected seconds"):
        seconds_of(text)
