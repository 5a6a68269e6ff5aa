"""The sealed files of a recorded game's disputes, from outside and on the page of the replay."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from server.disputes.dispute import Decision, Dispute
from server.disputes.documents.html import html_of
from server.disputes.recorded.archive import folder_of, put_away
from server.disputes.recorded.reopening import reopened
from server.disputes.sealed.verify import verify
from server.formats.entries import Entry
from server.pipeline.runner import Runner
from server.recording.library.games import Library
from server.replay.routes import replay_router
from server.serving.run import PageServer, listen
from server.table.questions.rulings import Rulings
from server.table.records import question_record
from server.web.authentication import COOKIE, Role
from tests.server.disputes.conftest import about, given
from tests.server.fakes import HandMoved, KnowsAll
from tests.server.recording.made import record_round

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
    made = record_round(tmp_path_factory.mktemp("games"), samples, 4.0)
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
        "Anna & Ben agreed: no. <i>next</i> to the hill",
    ]
    assert (had["id"], had["saved"]) == (kept.dispute.id, True)
    assert (withdrawn["id"], withdrawn["saved"]) == ("other", False)


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
        ("other/dispute.html", 404, "not in the library any more"),
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
        "changed": (whole.replace(b"Red 1", b"Red 9", 1), "has been changed"),
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
