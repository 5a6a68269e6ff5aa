"""The desk: what is frozen, asked and decided, by itself and over HTTP and WebSocket."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.errors import TableRefError
from engine.game.about import About
from engine.game.contract import Game, Question
from engine.game.registry import game_called
from engine.space.geometry import Pose
from server.disputes.desk import Desk, DisputeContext, NoDispute
from server.disputes.dispute import Dispute
from server.disputes.frame_buffer import FrameBuffer, KeptFrame
from server.disputes.sealed.seal import canonical, seal_of
from server.disputes.views import Teller
from server.formats.entries import Entry, MemoryLog
from server.pipeline.runner import Runner
from server.play.seats import NotYours
from server.table.questions.rulings import Hidden, Rulings
from server.web.authentication import Identity
from tests.server.conftest import Served, joined, serving
from tests.server.disputes.conftest import ANNA, BEN, EVE, OWNER, RULINGS, shot_at
from tests.server.fakes import HandMoved, KnowsAll, wait_until

NOW = datetime(2026, 5, 1, 20, 15, tzinfo=UTC)


@pytest.fixture
def desk(shots: tuple[KeptFrame, ...]) -> Desk:
    """A desk whose ring holds the first four seconds."""
    ring = FrameBuffer()
    for shot in shots[:17]:
        ring.add(shot)
    source = HandMoved()
    live = Runner(source, KnowsAll(source))
    return Desk(
        live,
        Rulings.by_book(None),
        ring,
        MemoryLog(),
        about=lambda: DisputeContext("Kitchen", "g1"),
        now=lambda: NOW,
    )


def kinds(desk: Desk) -> list[str]:
    assert isinstance(desk.keep, MemoryLog)
    return [e.kind for e in desk.keep.entries]


class TestFreezing:
    def test_takes_the_newest_instant_and_tells_everybody(self, desk: Desk) -> None:
        woken: list[int] = []
        desk.live.watch(lambda: woken.append(desk.live.snapshot.number))
        opened = desk.freeze(ANNA, pieces=["red-1", "BLUE1"], which="plinker")
        assert opened.dispute.evidence.at == 4.0
        assert opened.dispute.evidence.question.pieces == ("RED1", "BLUE1")
        assert (opened.dispute.table_name, opened.dispute.game) == ("Kitchen", "g1")
        assert desk.open is opened
        assert woken
        told = desk.live.snapshot.events[-1].event
        assert (told.kind, told.piece) == ("dispute", None)
        assert "Anna disputes: May RED1 shoot at BLUE1 with the Plinker? The ruling was no." in told.words

    def test_reaches_some_seconds_back(self, desk: Desk) -> None:
        assert desk.freeze(ANNA, pieces=["RED1", "BLUE1"], back_s=1.5).dispute.evidence.at == 2.5

    def test_reaches_back_no_farther_than_is_kept(self, desk: Desk) -> None:
        assert desk.freeze(ANNA, pieces=["RED1", "BLUE1"], back_s=100.0).dispute.evidence.at == 0.0

    def test_what_is_disputed_is_asked_and_never_made_up(self, desk: Desk) -> None:
        with pytest.raises(TableRefError, match="say what is disputed"):
            desk.freeze(ANNA)
        assert desk.open is None
        assert kinds(desk) == []

    def test_one_at_a_time(self, desk: Desk) -> None:
        desk.freeze(ANNA, pieces=["RED1", "BLUE1"])
        with pytest.raises(TableRefError, match="open already"):
            desk.freeze(BEN, pieces=["RED1", "BLUE2"])

    def test_refuses_what_nobody_knows_and_nothing_is_frozen(self, desk: Desk) -> None:
        for shooter, weapon in (("GREEN1", None), ("RED1", "Death Ray")):
            with pytest.raises(TableRefError):
                desk.freeze(ANNA, pieces=[shooter, "BLUE1"], which=weapon)
        assert desk.open is None
        assert kinds(desk) == []

    def test_before_the_first_frame_it_says_so(self) -> None:
        source = HandMoved()
        desk = Desk(Runner(source, KnowsAll(source)), Rulings.by_book(None), FrameBuffer())
        with pytest.raises(TableRefError, match="no frame is kept yet"):
            desk.freeze(ANNA, pieces=["RED1", "BLUE1"])


class TestLooking:
    def test_asks_any_other_question_of_the_frozen_table(self, desk: Desk) -> None:
        desk.freeze(ANNA, pieces=["RED1", "BLUE1"])
        now = desk.ask(BEN, ["BLUE2", "RED1"], "Plinker")
        (asked,) = now.dispute.asked
        assert asked.ruling.question == "May BLUE2 shoot at RED1 with the Plinker?"
        assert asked.by == "Ben"
        assert kinds(desk) == ["dispute.opened", "dispute.asked"]

    def test_the_frozen_table_stays_whatever_happens_on_the_real_one(self, desk: Desk) -> None:
        before = desk.freeze(ANNA, pieces=["RED1", "BLUE1"]).dispute.ruling
        desk.ring.add(shot_at(9.0, {"RED1": Pose(40, 40, 0)}))
        after = desk.ask(BEN, ["RED1", "BLUE1"], None).dispute
        assert after.ruling is before
        assert after.asked[0].ruling.check("Maximum Range").number == before.check("Maximum Range").number

    def test_another_instant(self, desk: Desk) -> None:
        desk.freeze(ANNA, pieces=["RED1", "BLUE1"])
        now = desk.turn_to(BEN, at=1.0)
        assert now.dispute.evidence.at == 1.0
        assert now.dispute.id == desk.find(now.dispute.id).id
        assert kinds(desk)[-1] == "dispute.turned"

    def test_what_came_after_can_be_looked_at_too(self, desk: Desk, shots: tuple[KeptFrame, ...]) -> None:
        desk.freeze(ANNA, pieces=["RED1", "BLUE3"])
        for shot in shots[17:]:
            desk.ring.add(shot)
        now = desk.turn_to(BEN, at=5.0)
        assert now.dispute.evidence.table.find("BLUE3").pose.x == 20.0

    def test_frames_are_taken_up_for_two_seconds_and_no_longer(
        self, desk: Desk, shots: tuple[KeptFrame, ...]
    ) -> None:
        desk.freeze(ANNA, pieces=["RED1", "BLUE1"])
        for shot in shots[17:]:
            desk.ring.add(shot)
        for time in (6.5, 7.0, 9.0):
            desk.ring.add(shot_at(time))
        for _ in range(3):
            now = desk.turn_to(BEN, at=9.0)
        assert now.shots[-1].time == 5.75
        assert now.dispute.evidence.at == 5.75

    def test_another_question_in_its_place(self, desk: Desk) -> None:
        desk.freeze(ANNA, pieces=["RED1", "BLUE1"])
        now = desk.turn_to(BEN, pieces=["BLUE2", "RED2"], which="Railgun")
        assert now.dispute.ruling.question == "May BLUE2 shoot at RED2 with the Railgun?"

    def test_every_step_has_another_version(self, desk: Desk) -> None:
        versions = [
            desk.freeze(ANNA, pieces=["RED1", "BLUE1"]).version,
            desk.ask(ANNA, ["RED1", "BLUE2"], None).version,
            desk.turn_to(ANNA, at=2.0).version,
            desk.propose(ANNA, "no").version,
        ]
        assert versions == sorted(set(versions))


class TestDeciding:
    @pytest.fixture(autouse=True)
    def frozen(self, desk: Desk) -> None:
        # RED1 at BLUE1: no, the mug is in the way.
        desk.freeze(ANNA, pieces=["RED1", "BLUE1"], which="Plinker")

    def test_agreed_takes_the_ruling(self, desk: Desk) -> None:
        decision = desk.propose(ANNA, "no").dispute.decision
        assert decision is not None
        assert (decision.way, decision.words) == ("agreed", "Anna agreed: no.")

    def test_overruled_is_the_other_answer(self, desk: Desk) -> None:
        decision = desk.propose(OWNER, "yes", "The mug was bumped.").dispute.decision
        assert decision is not None
        assert decision.way == "overruled"
        assert decision.words == "The owner of the table overruled it: yes. Reason: The mug was bumped."

    @pytest.mark.parametrize(("shown", "outcome"), [(1, "no"), (3, "no"), (4, "yes"), (6, "yes")])
    def test_a_typed_die_decides(self, desk: Desk, shown: int, outcome: str) -> None:
        decision = desk.propose(BEN, None, rolled=shown).dispute.decision
        assert decision is not None
        assert decision.outcome == outcome
        assert f"The D6 showed {shown} (typed)." in decision.words

    def test_a_die_rolled_here_can_be_checked(self, desk: Desk) -> None:
        decision = desk.propose(BEN, None).dispute.decision
        assert decision is not None
        assert decision.roll is not None
        assert decision.roll.source.startswith("seed ")
        assert decision.outcome == ("yes" if decision.roll.value >= 4 else "no")

    def test_is_kept_with_its_seal_before_it_is_shown(self, desk: Desk) -> None:
        seen: list[str | None] = []

        class Looks(MemoryLog):
            def append(self, batch: Sequence[Entry]) -> Sequence[int]:
                open_now = desk.open
                assert open_now is not None
                seen.append(open_now.dispute.decision and open_now.dispute.decision.way)
                return super().append(batch)

        desk.keep = Looks()
        dispute = desk.propose(ANNA, "no").dispute
        assert seen == [None]
        (entry,) = desk.keep.entries
        assert entry.kind == "dispute.decided"
        assert entry.data["seal"] == dispute.seal == seal_of(canonical(dispute.contents()))
        assert entry.actor == "Anna"
        assert entry.data["acted"] == {"seat": "Anna", "role": "player", "device": "a" * 16}

    def test_what_cannot_be_kept_is_not_shown(self, desk: Desk) -> None:
        class Full:
            def append(self, batch: Sequence[Entry]) -> Sequence[int]:
                raise TableRefError("the disk is full")

        desk.keep = Full()
        with pytest.raises(TableRefError, match="full"):
            desk.propose(ANNA, "no")
        assert desk.open is not None
        assert desk.open.dispute.decision is None
        assert desk.decided == []

    def test_is_final(self, desk: Desk) -> None:
        desk.propose(ANNA, "no")
        for step in (
            lambda: desk.propose(BEN, "yes"),
            lambda: desk.ask(BEN, ["RED1", "BLUE2"], None),
            lambda: desk.turn_to(BEN, at=1.0),
        ):
            with pytest.raises(TableRefError, match="has been decided"):
                step()

    def test_the_seal_changes_with_everything_that_was_decided(self, desk: Desk) -> None:
        before = desk.open
        assert before is not None
        after = desk.propose(ANNA, "no").dispute
        assert after.seal != before.dispute.seal

    def test_after_it_the_table_goes_on_and_it_can_be_found_again(self, desk: Desk) -> None:
        dispute = desk.propose(ANNA, "no").dispute
        desk.release(ANNA)
        assert desk.open is None
        assert desk.find(dispute.id) is dispute
        assert kinds(desk) == ["dispute.opened", "dispute.decided"]
        assert desk.freeze(ANNA, pieces=["RED1", "BLUE1"]).dispute.id != dispute.id

    def test_only_who_opened_it_or_the_owner_withdraws_it(self, desk: Desk) -> None:
        for other in (BEN, EVE):
            with pytest.raises(NotYours, match="only Anna, who opened this dispute"):
                desk.release(other)
        desk.release(OWNER)
        assert desk.open is None

    def test_withdrawn_is_kept_too(self, desk: Desk) -> None:
        desk.release(ANNA)
        assert kinds(desk) == ["dispute.opened", "dispute.withdrawn"]
        for step in (
            lambda: desk.release(ANNA),
            lambda: desk.propose(BEN, "no"),
            lambda: desk.find("x"),
        ):
            with pytest.raises(NoDispute):
                step()

    def test_a_record_that_began_with_it_is_named(self, desk: Desk) -> None:
        desk.release(ANNA)
        desk._about = lambda: DisputeContext("Kitchen")
        assert desk.freeze(ANNA, pieces=["RED1", "BLUE1"]).dispute.game is None
        desk._about = lambda: DisputeContext("Kitchen", "g2")
        assert desk.propose(ANNA, "no").dispute.game == "g2"

    def test_the_frames_that_came_after_are_taken_up(self, desk: Desk, shots: tuple[KeptFrame, ...]) -> None:
        for shot in shots[17:]:
            desk.ring.add(shot)
        decided = desk.propose(ANNA, "no").dispute.evidence
        assert [p.about for p in decided.pictures].count("after") == 2


def test_what_was_too_close_to_call_the_players_agree_on(desk: Desk) -> None:
    # Twenty inches from front tyre to rear tyre, which is the Machine Gun's Maximum Range.
    desk.ring.add(shot_at(4.25, {"RED1": Pose(5, 45, 0), "BLUE1": Pose(26.8, 45, 0)}))
    opened = desk.freeze(ANNA, pieces=["RED1", "BLUE1"], which="Machine Gun")
    assert opened.dispute.ruling.verdict == "too close to call"
    decision = desk.propose(ANNA, "yes").dispute.decision
    assert decision is not None
    assert decision.words == "Anna agreed: yes."


def test_a_step_is_meant_of_the_dispute_that_was_shown(desk: Desk) -> None:
    """A page that has not heard yet that another one is open decides and withdraws nothing of it."""
    first = desk.freeze(ANNA, pieces=["RED1", "BLUE1"], which="plinker").dispute.id
    desk.release(OWNER, first)
    second = desk.freeze(ANNA, pieces=["RED1", "BLUE2"], which="plinker")
    steps: list[Callable[[], object]] = [
        lambda: desk.propose(OWNER, "yes", id=first),
        lambda: desk.release(OWNER, first),
        lambda: desk.ask(OWNER, ["RED1", "BLUE1"], "plinker", first),
        lambda: desk.turn_to(OWNER, at=2.0, id=first),
    ]
    for step in steps:
        with pytest.raises(TableRefError, match="another dispute is open by now"):
            step()
        assert desk.open is second
    desk.propose(OWNER, "yes", id=second.dispute.id)
    assert desk.open is not None
    assert desk.open.dispute.decision is not None


class TestFiles:
    def make(self, desk: Desk, folder: Path, fail: bool) -> list[str]:
        written: list[str] = []

        def write(dispute: Dispute) -> Path:
            if fail:
                raise TableRefError("no room")
            written.append(f"{folder.name}/{dispute.id}")
            return folder

        desk._write = write
        return written

    def test_a_decided_dispute_is_written(self, desk: Desk, tmp_path: Path) -> None:
        written = self.make(desk, tmp_path, fail=False)
        dispute = desk.freeze(ANNA, pieces=["RED1", "BLUE1"]).dispute
        assert written == []
        now = desk.propose(ANNA, "no")
        assert written == [f"{tmp_path.name}/{dispute.id}"]
        assert now.trouble is None

    def test_a_full_disk_is_told_and_the_game_goes_on(self, desk: Desk, tmp_path: Path) -> None:
        self.make(desk, tmp_path, fail=True)
        desk.freeze(ANNA, pieces=["RED1", "BLUE1"])
        now = desk.propose(ANNA, "no")
        assert now.trouble is not None
        assert "no room" in now.trouble
        assert desk.decided[0].decision is not None


def test_a_viewer_is_told_in_its_own_unit(desk: Desk) -> None:
    teller = Teller(desk)
    assert teller.view(ANNA.who, "in") is None
    desk.freeze(ANNA, pieces=["RED1", "BLUE1"])
    inches, centimetres = teller.view(ANNA.who, "in"), teller.view(Identity("spectator"), "cm")
    assert inches is not None
    assert centimetres is not None
    assert teller.view(ANNA.who, "in") is inches
    assert (inches.may_act, centimetres.may_act) == (True, False)
    assert "29.47″ of 20″" in inches.ruling.checks[0].words
    assert "cm of" in centimetres.ruling.checks[0].words
    said = " ".join(inches.facts)
    assert "RED1 (still) at 9.60″, 8.50″" in said
    assert "the sharpest of" in said
    desk.ask(BEN, ["RED1", "BLUE2"], None)
    newer = teller.view(ANNA.who, "in")
    assert newer is not None
    assert len(newer.asked) == 1


def test_what_may_be_asked_of_the_frozen_table(desk: Desk) -> None:
    opened = desk.freeze(ANNA, pieces=["RED1", "BLUE1"])
    asked = [q.label for q in desk.questions(opened.dispute.id, ["blue-2", "red 1"]) if not q.missing]
    assert asked == [q.label for q in RULINGS.questions(("BLUE2", "RED1")) if not q.missing]
    assert all(q.missing for q in desk.questions(opened.dispute.id, ["BLUE2"]))
    with pytest.raises(NoDispute):
        desk.questions("x", [])
    with pytest.raises(TableRefError, match="no piece"):
        desk.questions(opened.dispute.id, ["GREEN1"])


def how_far(_state: Any, picked: tuple[str, ...]) -> tuple[Question, ...]:
    return (Question("distance", "How far?", picked),) if len(picked) == 2 else ()


def test_what_may_not_be_measured_is_not_disputed_either(desk: Desk) -> None:
    about = About("hide", "Hide", "1", "Hide", ("Hide",), measuring="after declaring")
    game = replace(game_called("white_line_fever"), about=about, questions=how_far, may_ask=Game.may_ask)
    desk.rulings = Rulings(lambda: (game, object()))
    with pytest.raises(Hidden, match="before a target is declared"):
        desk.freeze(ANNA, pieces=["RED1", "BLUE1"])
    assert desk.open is None
    assert kinds(desk) == []


# As pages and strangers ask


ASK = {"pieces": ["RED1", "BLUE1"], "question": "Plinker"}


@pytest.fixture(scope="module")
def table() -> Iterator[Served]:
    with serving() as one:
        wait_until("some frames", lambda: len(one.server.desk.ring.shots) > 5)
        yield one


@pytest.fixture
def client(table: Served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=table.url, timeout=120) as one:
        yield one
        if table.server.desk.open is not None:
            one.post("/api/disputes/now/release", json={})


def test_from_the_freezing_to_the_decision(table: Served, client: httpx.Client) -> None:
    assert client.get("/api/disputes/now").json() is None
    frozen = client.post("/api/disputes", json=ASK).json()
    assert frozen["ruling"]["verdict"] == "no"
    assert frozen["may_act"] is True
    asked = client.post("/api/disputes/now/ask", json=ASK | {"pieces": ["RED1", "BLUE2"]}).json()
    assert [a["by"] for a in asked["asked"]] == ["the owner of the table"]
    at = asked["instants"][0]
    assert client.post("/api/disputes/now/about", json={"at": at}).json()["at"] == at
    decided = client.post("/api/disputes/now/propose", json={"outcome": "no"}).json()
    assert decided["decision"] == {
        "way": "agreed",
        "outcome": "no",
        "words": "The owner of the table agreed: no.",
    }
    assert len(decided["seal"].replace(" ", "")) == 64
    assert client.post("/api/disputes/now/release", json={}).json() is None
    assert client.get("/api/disputes").json()[0]["id"] == frozen["id"]


def test_every_viewer_is_told_and_latecomers_too(table: Served, client: httpx.Client) -> None:
    with joined(table.url) as one, joined(table.url) as other:
        for socket in (one, other):
            assert socket.hear()["dispute"] is None
        client.post("/api/disputes", json=ASK)
        for socket in (one, other):
            while "dispute" not in (message := socket.hear()):
                pass
            assert message["dispute"]["by"] == "the owner of the table"
        with joined(table.url) as late:
            assert late.hear()["dispute"]["by"] == "the owner of the table"
        client.post("/api/disputes/now/release", json={})
        for socket in (one, other):
            while message.get("dispute", 0) is not None:
                message = socket.hear()
            assert message["dispute"] is None
            message = {}


def test_pictures_and_drawings(client: httpx.Client) -> None:
    frozen = client.post("/api/disputes", json=ASK).json()
    client.post("/api/disputes/now/ask", json=ASK | {"pieces": ["RED1", "BLUE2"]})
    base = f"/api/disputes/{frozen['id']}"
    for picture in frozen["pictures"]:
        answer = client.get(f"{base}/pictures/{picture['name']}")
        assert answer.headers["content-type"] == picture["media"]
        assert len(answer.content) > 300
    assert "RED1 shoot at BLUE1" in client.get(f"{base}/plan.svg").text
    assert "RED1 shoot at BLUE2" in client.get(f"{base}/plan.svg", params={"asked": 0}).text
    assert "turret" in client.get(f"{base}/gunner.svg", params={"asked": 0, "seat": "turret"}).text
    seen = client.get("/api/gunner.svg", params={"piece": ["RED1", "BLUE1"], "width": 960}).text
    assert 'viewBox="0 0 960 540"' in seen
    for path in (f"{base}/pictures/nothing", f"{base}/plan.svg?asked=7", "/api/disputes/nobody/plan.svg"):
        assert client.get(path).status_code == 404


def test_what_may_be_asked_is_offered(client: httpx.Client) -> None:
    id = client.post("/api/disputes", json=ASK).json()["id"]
    offered = client.get(f"/api/disputes/{id}/questions", params={"piece": ["BLUE2", "RED1"]}).json()
    assert "Plinker" in [q["label"] for q in offered if not q["missing"]]
    key = next(q["key"] for q in offered if q["label"] == "Plinker")
    body = {"pieces": ["BLUE2", "RED1"], "question": key}
    assert client.post("/api/disputes/now/ask", json=body).json()["asked"][0]["ruling"]["key"] == key
    assert client.get(f"/api/disputes/{id}/questions", params={"piece": "GREEN1"}).status_code == 404


def test_what_cannot_be_is_refused_with_a_sentence(client: httpx.Client) -> None:
    for path in ("ask", "about", "propose", "answer", "release"):
        body = {"ask": ASK, "answer": {"number": 1, "consents": True}}.get(path, {})
        answer = client.post(f"/api/disputes/now/{path}", json=body)
        assert (answer.status_code, answer.json()["error"]) == (404, "no dispute is open")
    assert client.post("/api/disputes", json=ASK | {"pieces": ["RED1", "GREEN1"]}).status_code == 404
    assert "say what is disputed" in client.post("/api/disputes", json={}).json()["error"]
    # Who acts is known by their device: nobody says for themselves who they are.
    assert client.post("/api/disputes", json=ASK | {"by": "Ben"}).status_code == 422
    client.post("/api/disputes", json=ASK)
    assert "open already" in client.post("/api/disputes", json=ASK).json()["error"]
    late = client.post("/api/disputes/now/answer", json={"number": 9, "consents": True})
    assert (late.status_code, "proposal is gone" in late.json()["error"]) == (409, True)


def test_a_spectator_looks_and_does_not_decide(table: Served, client: httpx.Client) -> None:
    spectator = {"cookie": f"tableref={table.server.authenticator.pass_for(Identity('spectator', '0' * 16))}"}
    player = {"cookie": f"tableref={table.server.authenticator.pass_for(Identity('player', '1' * 16))}"}
    assert client.post("/api/disputes", json=ASK, headers=spectator).status_code == 403
    assert client.post("/api/disputes", json=ASK, headers=player).status_code == 200
    seen = client.get("/api/disputes/now", headers=spectator).json()
    assert seen["may_act"] is False
    with joined(table.url, additional_headers=spectator) as socket:
        assert socket.hear()["dispute"]["may_act"] is False
    for path in ("propose", "release", "answer"):
        body = {"number": 1, "consents": True} if path == "answer" else {"outcome": "no"}
        assert client.post(f"/api/disputes/now/{path}", json=body, headers=spectator).status_code == 403
    assert table.server.desk.open is not None


def test_a_page_of_another_site_freezes_nothing(client: httpx.Client) -> None:
    answer = client.post("/api/disputes", json=ASK, headers={"origin": "http://evil.example"})
    assert answer.status_code == 403
