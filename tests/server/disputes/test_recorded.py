"""Disputes of a recorded game: their files from outside and on the page, and evidence of any moment."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import pytest
from fastapi.routing import APIRoute
from playwright.sync_api import Browser, expect
from typer.testing import CliRunner

from engine.errors import TableRefError
from server.commands.cli import app
from server.commands.records.disputing import seconds_of
from server.disputes.dispute import Decision, Dispute
from server.disputes.documents.html import html_of
from server.disputes.evidence import AFTER_S
from server.disputes.recorded.archive import folder_of, put_away
from server.disputes.recorded.archive_routes import kept_router
from server.disputes.recorded.reopening import disputes_of, kept_parts, reopened
from server.disputes.sealed.verify import verify
from server.formats.entries import Entry
from server.pipeline.runner import Runner
from server.recording.library.games import Library, LibraryPlace
from server.recording.reader import Reader
from server.replay.routes import replay_router
from server.serving.run import PageServer, listen
from server.table.questions.rulings import Rulings, key_of_question
from server.table.records import question_record
from server.web.authentication import COOKIE, Role
from tests.server.disputes.conftest import about, given
from tests.server.fakes import HandMoved, KnowsAll
from tests.server.recording.made import MadeGame, recorded_round

ASK = about("Red 1", "Blue 3", "Plinker")


@dataclass
class Kept:
    """A served library: a game with a dispute that was decided, and one that was withdrawn."""

    server: PageServer
    library: Library
    game: str
    dispute: Dispute
    file: Path

    @property
    def folder(self) -> str:
        return f"{self.server.address}api/games/{self.game}/disputes"

    def headers(self, role: Role) -> dict[str, str]:
        """Of somebody else in the network."""
        return {
            "x-forwarded-for": "192.168.1.9",
            "cookie": f"{COOKIE}={self.server.authenticator.issue(role)}",
        }


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Iterator[Kept]:
    made = recorded_round(tmp_path_factory.mktemp("games"), samples)
    source, book = HandMoved(), Rulings.by_book(None)
    with Library.open(made.folder) as library:
        reader = library.reader(made.id)
        dispute = reopened(reader, book, 1.0, ASK)
        decision = Decision("agreed", "no", given("Anna & Ben"), dispute.opened, "<i>next</i> to the hill")
        dispute = replace(dispute, decision=decision)
        gist = {"id": dispute.id, "at_s": 1.0, "asked": question_record(ASK)}
        journal = library.journal(made.id)
        journal.clock.see(3.0)
        journal.append(
            [
                Entry("dispute.opened", 3.0, "Anna disputes: may Red 1 shoot?", gist, "Anna"),
                Entry("dispute.asked", 3.0, "Ben asks.", {"id": dispute.id}, "Ben"),
                Entry("dispute.decided", 3.0, decision.words, gist | {"seal": dispute.seal}, "Anna"),
                Entry("dispute.withdrawn", 3.0, "Ben withdrew the dispute.", gist | {"id": "other"}, "Ben"),
            ]
        )
        journal.close()
        file = put_away(dispute, folder_of(made.id, library.place))
        routers = [replay_router(library, book, time.monotonic)]
        with PageServer(Runner(source, KnowsAll(source)), book, listen(port=0), routers=routers) as server:
            yield Kept(server, library, made.id, dispute, file)


def test_which_were_had_and_which_can_be_saved(kept: Kept) -> None:
    had, withdrawn = httpx.get(kept.folder, timeout=120).json()
    words = {e.number: e.words for e in kept.library.reader(kept.game).entries(["dispute."])}
    assert [words[n] for n in had["entries"]] == [
        "Anna disputes: may Red 1 shoot?",
        "Ben asks.",
        "Anna & Ben agreed: no. Reason: <i>next</i> to the hill.",
    ]
    assert (had["id"], had["saved"]) == (kept.dispute.id, True)
    assert (withdrawn["id"], withdrawn["saved"]) == ("other", False)


def test_no_file_is_offered_while_the_book_hides_distances(kept: Kept) -> None:
    told = kept_router(kept.library, hides=lambda _: True).routes[0]
    assert isinstance(told, APIRoute)
    assert [one.saved for one in told.endpoint(kept.game)] == [False, False]


@pytest.mark.parametrize("role", ["owner", "player", "spectator"])
@pytest.mark.parametrize("kind", ["html", "pdf"])
def test_whoever_may_see_the_game_gets_the_file_as_it_was_sealed(kept: Kept, kind: str, role: Role) -> None:
    answer = httpx.get(
        f"{kept.folder}/{kept.dispute.id}/dispute.{kind}", headers=kept.headers(role), timeout=120
    )
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == f'attachment; filename="dispute-{kept.dispute.id}.{kind}"'
    found = verify(answer.content)
    assert (found.intact, found.seal) == (True, kept.dispute.seal)
    assert b"<i>next" not in answer.content


def test_not_who_was_not_invited(kept: Kept) -> None:
    for path in ("", f"/{kept.dispute.id}/dispute.html"):
        answer = httpx.get(f"{kept.folder}{path}", headers={"x-forwarded-for": "192.168.1.9"}, timeout=120)
        assert answer.status_code == 401


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("other/dispute.html", 404, "dispute other was never decided, so it has no file"),
        ("nothing/dispute.html", 404, "no dispute 'nothing'"),
        ("{id}/dispute.exe", 422, "kind"),
        ("..%2F..%2Fsecret/dispute.html", 404, "Not Found"),
    ],
)
def test_what_is_not_there(kept: Kept, path: str, status: int, said: str) -> None:
    answer = httpx.get(f"{kept.folder}/{path.format(id=kept.dispute.id)}", timeout=120)
    assert answer.status_code == status
    assert said in answer.json()["error"]


def test_no_such_game(kept: Kept) -> None:
    assert httpx.get(f"{kept.server.address}api/games/nothing/disputes", timeout=120).status_code == 404


@pytest.mark.parametrize("how", ["changed", "exchanged", "destroyed"])
def test_a_file_that_is_not_what_was_sealed_is_refused(kept: Kept, how: str) -> None:
    whole = kept.file.read_bytes()
    # Sealed for itself, but not in this game.
    other = replace(kept.dispute, by="Somebody else")
    spoilt = {
        "changed": (whole.replace(b'"verdict":"', b'"verdict":"~', 1), "have been changed"),
        "exchanged": (html_of(other), f"its seal begins with {other.seal[:8]}"),
        "destroyed": (b"nothing", "expected the HTML or PDF file of a dispute"),
    }
    file, said = spoilt[how]
    kept.file.write_bytes(file)
    try:
        answer = httpx.get(f"{kept.folder}/{kept.dispute.id}/dispute.pdf", timeout=120)
    finally:
        kept.file.write_bytes(whole)
    assert answer.status_code == 409
    assert said in answer.json()["error"]


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_the_replay_links_a_dispute_to_its_file(
    kept: Kept, browser: Browser, width: int, height: int
) -> None:
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.goto(f"{kept.server.address}replay?game={kept.game}&t=0.5")
    expect(page.locator("#feed li").first).to_be_visible()
    expect(page.locator("#feed .files")).to_have_count(0)
    # Beyond its end: the game as it was left.
    page.goto(f"{kept.server.address}replay?game={kept.game}&t=1000")
    decided = page.locator("#feed li", has_text="agreed: no")
    expect(decided.get_by_role("link")).to_have_text(["HTML", "PDF"])
    expect(page.locator("#feed li", has_text="withdrew").get_by_role("link")).to_have_count(0)
    for kind in ("html", "pdf"):
        with page.expect_download() as saved:
            decided.get_by_role("link", name=kind.upper()).click()
        assert saved.value.suggested_filename == f"dispute-{kept.dispute.id}.{kind}"
        assert verify(Path(saved.value.path()).read_bytes()).seal == kept.dispute.seal
    assert page.evaluate("document.documentElement.scrollWidth") == width
    context.close()
    assert complaints == []


# Any moment of it


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> MadeGame:
    """The sample round's first five seconds: Red 1 drives four inches."""
    return recorded_round(tmp_path_factory.mktemp("games"), samples)


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
    middle = reopened(reader, Rulings.by_book(None), 3.0, ASK).evidence
    later = [p.time_s for p in middle.pictures if p.about == "after" and p.time_s is not None]
    assert later == pytest.approx([3.0 + s for s in AFTER_S], abs=0.06), "what came of it is seen, too"


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
    folder = folder_of(made.id, LibraryPlace.of(made.folder))
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

    whole = file.read_bytes()
    file.write_bytes(whole.replace(b"<style>", b"<style>.older{}", 1).replace(b"Red 1", b"Red 9", 1))
    out = tmp_path / "written-anew.html"
    arguments[arguments.index("--out") + 1] = str(out)
    assert run(app, arguments).exit_code == 0, "an older tableref wrote its page in other words"
    assert out.read_bytes() == whole
    file.write_bytes(whole.replace(b'"verdict":"', b'"verdict":"~', 1))
    assert "have been changed" in str(run(app, arguments).exception)


def test_the_command_makes_evidence_of_a_moment(made: MadeGame, tmp_path: Path) -> None:
    out = tmp_path / "new" / "moment.html"
    ask = ["dispute", made.id, "--at", "0:01", "--library", str(made.folder), "--out", str(out)]
    refused = CliRunner().invoke(app, ask)
    assert "--from NAME" in str(refused.exception)
    late = CliRunner().invoke(app, [*ask, "--at", "99:00", "--from", "red1", "--to", "blue-3"])
    assert re.search(r"the game lasts \d:\d\d: .* but got 99:00", str(late.exception))
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
