"""A dispute of a game that is played, over the wire: what it is about, who settles it, what follows."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from engine.errors import TableRefError
from engine.game.events import Event, Tone
from engine.game.log.history import Batch
from engine.space.geometry import Pose
from engine.space.table import Status
from server.disputes.desk import reply
from server.disputes.documents.html import html_of
from server.disputes.frame_buffer import PINNED, PINNED_WITHIN_S
from server.disputes.sealed.verify import rule_again, verify
from server.formats.entries import Entry, MemoryLog
from server.play.host import MatchHost
from server.play.subjects import _when
from server.table.questions.rulings import Rulings
from server.web.authentication import Identity
from tests.server.fakes import PATIENCE, wait_until
from tests.server.gaming import Player, Table, begun, gaming, let_stand


@dataclass
class Device:
    """Somebody's phone, or the machine of the table."""

    client: httpx.Client

    def post(self, path: str = "", **body: Any) -> httpx.Response:
        return self.client.post(f"/api/disputes{path}", json=body)

    def done(self, path: str = "", **body: Any) -> dict[str, Any]:
        answer = self.post(path, **body)
        assert answer.status_code == 200, answer.text
        return dict(answer.json() or {})

    def refused(self, path: str = "", **body: Any) -> str:
        answer = self.post(path, **body)
        assert answer.status_code in (403, 404, 409), answer.text
        return str(answer.json()["error"])

    def offer(self) -> dict[str, Any]:
        return dict(self.client.get("/api/disputes/offer").json())

    def now(self) -> dict[str, Any]:
        return dict(self.client.get("/api/disputes/now").json())


@dataclass
class Played:
    """A game in which RED1 has shot at BLUE1, with the devices of those who play it."""

    table: Table
    owner: Device
    anna: Device
    ben: Device
    eve: Device
    page: Player
    keeps: MemoryLog

    @property
    def host(self) -> MatchHost:
        return self.table.host

    @property
    def marked(self) -> int:
        assert self.host.match is not None
        return int(self.host.match.state.car("BLUE1").marked)

    def shoot(self, die: int = 8) -> None:
        self.page.done(
            type="act", kind="shoot", data={"weapon": "Machine Gun", "target": "BLUE1"}, dice=[die]
        )


@pytest.fixture
def played() -> Iterator[Played]:
    keeps = MemoryLog()
    with gaming(keeps, screen=True, follows=True) as table, table.joined() as page:
        begun(page)
        # Nothing stands between: BLUE1 eight inches ahead of RED1.
        let_stand(table, page, RED1=Pose(10, 44, 0.0), BLUE1=Pose(21, 44, math.pi))
        page.done(type="act", kind="choose", data={"car": "RED1"})
        page.done(type="overrule", path=["round", "stage"], value="free", words="for the test")
        wait_until("frames of it", lambda: _stands(table))
        phones = {name: table.shown("player") for name in ("Anna", "Ben", "Eve")}
        for name in ("Anna", "Ben"):
            with table.joined("player", phones[name]) as player:
                player.done(type="sit", player=name)
        with (
            httpx.Client(base_url=table.url, timeout=120) as one,
            httpx.Client(base_url=table.url, timeout=120, headers=phones["Anna"]) as two,
            httpx.Client(base_url=table.url, timeout=120, headers=phones["Ben"]) as three,
            httpx.Client(base_url=table.url, timeout=120, headers=phones["Eve"]) as four,
        ):
            yield Played(table, *map(Device, (one, two, three, four)), page, keeps)


def _stands(table: Table) -> bool:
    shots = table.server.desk.ring.shots
    return bool(shots) and all(abs(shots[-1].table.find(car).pose.y - 44) < 0.1 for car in ("RED1", "BLUE1"))


def decisions(played: Played) -> list[Entry]:
    return [e for e in played.keeps.entries if e.kind in ("match.decision", "dispute.decided")]


# What it is about


def test_it_is_about_what_was_done_last_and_not_what_stood_on_some_page(played: Played) -> None:
    asked = played.ben.client.get("/api/questions", params={"piece": ["RED1", "BLUE1"]}).json()
    assert {q["label"] for q in asked} == {"Machine Gun", "Harpoon"}
    played.shoot()
    offer = played.ben.offer()
    assert offer["playing"] is True
    assert offer["subjects"][0]["words"].startswith(
        "The owner of the table: shoot at BLUE1 with the Machine Gun"
    )
    frozen = played.ben.done()
    assert frozen["ruling"]["question"] == "May RED1 shoot at BLUE1 with the Machine Gun?"
    assert frozen["subject"] == offer["subjects"][0]["words"]
    assert (frozen["by"], frozen["ruling"]["verdict"]) == ("Ben", "yes")
    assert [c["player"] for c in frozen["concerned"]] == ["Anna", "Ben"]


def test_where_nothing_was_done_on_the_table_it_is_asked(played: Played) -> None:
    assert "say what is disputed" in played.anna.refused()
    assert played.table.server.desk.open is None
    # A weapon that the car does not carry is no question of this game.
    assert "Tank Cannon" in played.anna.refused(pieces=["RED1", "BLUE1"], question="Tank Cannon")


def test_what_was_done_is_looked_at_as_it_stood_then(played: Played) -> None:
    played.shoot()
    played.table.source.move("BLUE1", Pose(45, 10, 0.0))
    ring = played.table.server.desk.ring
    wait_until("it is elsewhere", lambda: ring.shots[-1].table.find("BLUE1").pose.x > 40)
    # Even when the frames of then have long gone out of memory.
    ring.most_bytes = 1
    wait_until("they are gone", lambda: ring.shots[0].table.find("BLUE1").pose.x > 40)
    frozen = played.ben.done()
    assert frozen["ruling"]["verdict"] == "yes"
    assert any("BLUE1 (still) at 21.00″" in fact for fact in frozen["facts"])


def test_it_can_be_disputed_whatever_was_done_since_that_the_table_does_not_show(played: Played) -> None:
    played.shoot()
    (shot,) = played.anna.offer()["subjects"]
    ring = played.table.server.desk.ring
    then = ring.shots[-1].time
    wait_until("later frames", lambda: ring.shots[-1].time > then + 2 * PINNED_WITHIN_S)
    for k in range(PINNED + 1):
        played.page.done(type="overrule", path=["cars", "BLUE2", "marked"], value=k % 2, words="for the test")
    ring.most_bytes, last = 1, ring.shots[-1].time
    wait_until("the frames of then to go", lambda: ring.shots[0].time > last)
    assert played.anna.offer()["subjects"] == [shot]


def test_what_the_game_has_taken_off_and_nobody_sees_is_nowhere(played: Played) -> None:
    """What is only out of sight keeps its place, and so does what lies there and is out of the game."""
    removed = ("BLUE2", "RED2")
    for car in removed:
        played.page.done(type="overrule", path=["cars", car, "status"], value="removed", words="exploded")
    source, live = played.table.source, played.table.live
    for name in ("BLUE2", "BLUE3"):
        source.set_status(name, Status.LOST, f"{name} is gone from its place.")
    wait_until("it to be seen", lambda: live.moment.table.find("BLUE3").status is Status.LOST)
    last = live.snapshot.number
    wait_until("frames of it", lambda: live.snapshot.number > last + 5)
    shown = {piece["name"] for piece in played.ben.client.get("/api/state").json()["pieces"]}
    assert {"BLUE1", "BLUE3", "RED2"} <= shown
    assert "BLUE2" not in shown
    played.shoot()
    played.ben.done()
    opened = played.table.server.desk.open
    assert opened is not None
    evidence = opened.dispute.evidence
    assert shown == {standing.name for standing in evidence.table.standings}
    assert ">BLUE3<" in evidence.picture("plan").data.decode()
    assert ">BLUE2<" not in evidence.picture("plan").data.decode()
    assert not any("BLUE2" in fact for fact in played.ben.now()["facts"])


# Who settles it


def test_what_was_done_twice_can_be_told_apart(played: Played) -> None:
    """The list had *Anna: Maneuver of RED1* twice, and nobody could tell which."""
    for name in ("first", "second"):
        played.page.done(type="overrule", path=["round", "acted"], value=False, words=name)
        played.shoot(die=8 if name == "first" else 1)
    newest, older = played.ben.offer()["subjects"]
    assert newest["words"] == older["words"]
    assert newest["more"] != older["more"]
    assert newest["more"].startswith("Round 1: Anna drives · ")
    assert "miss" in newest["more"]


def test_what_was_done_in_two_rounds_can_be_told_apart() -> None:
    """Where a round has turns both are told: *Blue 1 is played* is told in each of them."""

    def told(number: int, kind: str, words: str, tone: Tone = "plain") -> Event:
        return Event(kind, {"number": number}, words, "", tone=tone)

    before: Batch[None] | None = None
    found = []
    for number in (1, 2):
        begun = told(number, "round", f"round {number}: Blue 1, Red 1", "turn")
        before = Batch(
            2 * number, (begun, told(number, "played", "Blue 1 is played", "turn")), None, 0, before
        )
        deed = (
            told(number, "action", "Blue: Blue 1 is moved"),
            told(number, "moved", "Blue 1 has moved", "move"),
        )
        before = Batch(2 * number + 1, deed, None, 0, before)
        found.append(_when(before))
    assert found == [f"Round {number} · Blue 1 is played · Blue 1 has moved" for number in (1, 2)]


def test_a_roll_is_proposed_in_a_sentence(played: Played) -> None:
    """It read *Ben proposes: to roll for it*."""
    played.shoot()
    played.ben.done()
    played.ben.done("/now/propose", outcome=None)
    told = [entry.words for entry in played.keeps.entries if entry.kind == "dispute.proposed"]
    assert told == ["Ben proposes to roll for it. Waiting for Anna."]


def test_nobody_settles_it_alone_and_nobody_as_another(played: Played) -> None:
    played.shoot()
    hurt = played.marked
    played.ben.done()
    proposed = played.ben.done("/now/propose", outcome="no")
    assert proposed["decision"] is None
    assert proposed["proposal"]["missing"] == ["Anna"]
    number = proposed["proposal"]["number"]
    assert "agreed already" in played.ben.refused("/now/answer", number=number, consents=True)
    assert "Anna and Ben" in played.eve.refused("/now/answer", number=number, consents=True)
    assert "Anna and Ben" in played.eve.refused("/now/propose", outcome="no")
    assert played.ben.post("/now/propose", outcome="no", by="Anna").status_code == 422
    # Nor in the other's seat, which is free for a moment, on the phone that has consented.
    seats = dict(played.host.seats)
    for name, device in (("Ben", None), ("Anna", seats["Ben"])):
        played.host.seats.put(name, device)
    assert played.ben.now()["proposal"]["mine"] is False
    assert "in another seat" in played.ben.refused("/now/answer", number=number, consents=True)
    for name, device in seats.items():
        played.host.seats.put(name, device)
    assert played.marked == hurt
    assert not decisions(played)
    # Anna sees who waits for her, and says yes on her own device.
    assert played.anna.now()["proposal"]["mine"] is True
    decided = played.anna.done("/now/answer", number=number, consents=True)
    assert decided["decision"]["words"].startswith("Ben and Anna overruled it: no.")
    assert played.marked == 0
    consents = decisions(played)[-1].data["decision"]["consents"]
    assert [(c["who"], c["as"]) for c in consents] == [("Ben", "player"), ("Anna", "player")]


@pytest.mark.parametrize(("outcome", "agrees"), [("yes", True), ("no", False)])
def test_a_machine_consents_to_what_was_measured_alone(played: Played, outcome: str, agrees: bool) -> None:
    desk, who = played.table.server.desk, Identity("player", dict(played.host.seats)["Anna"])
    assert not reply(desk, "Anna", who), "none is open"
    played.shoot()
    assert played.ben.done()["ruling"]["verdict"] == "yes"
    assert reply(desk, "Anna", who), "it waits as long as people look at it"
    assert played.ben.now()["proposal"] is None
    assert played.ben.done("/now/propose", outcome=outcome)["proposal"]["missing"] == ["Anna"]
    assert reply(desk, "Anna", who)
    now = played.ben.now()
    assert (now["decision"] is not None) == agrees
    if agrees:
        consents = decisions(played)[-1].data["decision"]["consents"]
        assert [c["who"] for c in consents] == ["Ben", "Anna"]
    else:
        assert now["proposal"] is None


def test_who_does_not_consent_keeps_it_open(played: Played) -> None:
    played.shoot()
    played.ben.done()
    number = played.ben.done("/now/propose", outcome="no")["proposal"]["number"]
    declined = played.anna.done("/now/answer", number=number, consents=False)
    assert declined["proposal"] is None
    assert declined["declined"] == "Anna does not agree: it is not settled."
    # The proposal that was declined cannot be consented to by a page that still shows it.
    assert "proposal is gone" in played.anna.refused("/now/answer", number=number, consents=True)
    assert played.ben.now()["decision"] is None
    # What is proposed next is not declined yet.
    assert played.ben.done("/now/propose", outcome="no")["declined"] == ""


@pytest.mark.parametrize("outcome", ["yes", "no", None])
def test_who_proposes_what_is_proposed_already_agrees_to_it(played: Played, outcome: str | None) -> None:
    """Both said *yes counts*, and each time the one who had said it first was waited for again."""
    played.shoot()
    played.anna.done()
    played.ben.done("/now/propose", outcome=outcome, note="bumped")
    decided = played.anna.done("/now/propose", outcome=outcome, note="It was bumped.")
    assert decided["decision"] is not None
    told = decisions(played)[-1].data["decision"]
    assert [(c["who"], c["as"]) for c in told["consents"]] == [("Ben", "player"), ("Anna", "player")]
    assert told["note"] == "Ben: bumped; Anna: It was bumped."


def test_who_proposes_otherwise_does_not_agree(played: Played) -> None:
    played.shoot()
    played.anna.done()
    played.ben.done("/now/propose", outcome="yes")
    other = played.anna.done("/now/propose", outcome="no")
    assert (other["decision"], other["proposal"]["missing"]) == (None, ["Ben"])


def test_the_owner_decides_and_is_named(played: Played) -> None:
    played.shoot()
    played.anna.done()
    decided = played.owner.done("/now/propose", outcome="no")
    assert decided["decision"]["words"].startswith("The owner of the table overruled it: no.")
    in_match, entry = decisions(played)
    consents = entry.data["decision"]["consents"]
    assert [consent["as"] for consent in consents] == ["owner"]
    assert in_match.data["event"]["data"]["decision"]["consents"] == consents


def test_the_other_player_does_not_withdraw_what_one_opened(played: Played) -> None:
    played.shoot()
    played.ben.done()
    assert "only Ben, who opened this dispute" in played.anna.refused("/now/release")
    assert played.ben.post("/now/release").status_code == 200


def test_a_die_falls_only_when_all_have_consented_to_it(played: Played) -> None:
    played.shoot()
    played.ben.done()
    proposed = played.ben.done("/now/propose")
    assert (proposed["proposal"]["outcome"], proposed["decision"]) == (None, None)
    number = proposed["proposal"]["number"]
    decided = played.anna.done("/now/answer", number=number, consents=True)
    assert decided["decision"]["way"] == "rolled"
    assert (played.marked == 0) == (decided["decision"]["outcome"] == "no")


def test_of_what_is_undone_already_nobody_rolls_whether_it_counts(played: Played) -> None:
    played.shoot()
    played.ben.done()
    played.page.done(type="undo")
    assert [r["outcome"] for r in played.ben.now()["remedies"]] == ["no"]
    for outcome in ({}, {"outcome": "yes"}):
        said = played.owner.refused("/now/propose", **outcome)
        assert said == "only no can count here: it has been undone"
    assert played.owner.done("/now/propose", outcome="no")["decision"]["outcome"] == "no"


def test_after_a_restart_the_page_says_why_nothing_earlier_is_disputed(played: Played) -> None:
    played.shoot()
    assert played.ben.offer()["restarted"] is False
    played.host.restore([e for e in played.keeps.entries if e.kind.startswith(("match.", "play."))])
    offer = played.ben.offer()
    assert (offer["restarted"], offer["subjects"]) == (True, [])


# What follows


def test_what_is_taken_back_is_an_event_like_all_others(played: Played) -> None:
    played.shoot()
    hurt = played.marked
    assert hurt > 0
    frozen = played.anna.done()
    back = next(r for r in frozen["remedies"] if r["outcome"] == "no")
    assert back["words"].endswith("is taken back")
    played.owner.done("/now/propose", outcome="no")
    match = played.host.match
    assert match is not None
    assert (match.log[-1].kind, match.log[-1].tone, played.marked) == ("decision", "ruling", 0)
    assert "is taken back" in match.log[-1].words
    # Told on the page, and the shot struck through.
    told = played.page.hear_until(
        lambda m: m["type"] == "play" and "is taken back" in m["match"]["log"][-1]["words"]
    )
    assert any(line["undone"] and "shoot at BLUE1" in line["words"] for line in told["match"]["log"])
    # It was kept with the match before anybody was told, and goes on from there.
    host = MatchHost(MemoryLog())
    host.restore([e for e in played.keeps.entries if e.kind.startswith(("match.", "play."))])
    assert host.match is not None
    assert host.match.state == match.state
    # And can be undone like everything.
    played.page.done(type="undo")
    assert played.marked == hurt


def test_what_is_kept_stands_in_the_log_too(played: Played) -> None:
    played.shoot()
    hurt = played.marked
    played.anna.done()
    played.owner.done("/now/propose", outcome="yes")
    assert played.marked == hurt
    assert played.host.match is not None
    assert "is kept" in played.host.match.log[-1].words


def test_what_was_done_since_goes_with_it_and_nobody_consents_to_less_than_happens(played: Played) -> None:
    played.shoot()
    frozen = played.ben.done()
    number = played.ben.done("/now/propose", outcome="no")["proposal"]["number"]
    played.page.done(type="act", kind="speed", data={"to": 4})
    # The game went on between the proposal and the consent.
    assert "proposal is gone" in played.anna.refused("/now/answer", number=number, consents=True)
    stale = played.ben.refused("/now/propose", outcome="no", count=frozen["count"])
    assert "the game has gone on" in stale
    now = played.anna.now()
    back = next(r for r in now["remedies"] if r["outcome"] == "no")
    assert len(back["goes"]) == 1
    assert "Speed 4" in back["goes"][0]
    number = played.ben.done("/now/propose", outcome="no", count=now["count"])["proposal"]["number"]
    played.anna.done("/now/answer", number=number, consents=True)
    assert played.marked == 0
    assert played.host.match is not None
    assert played.host.match.state.round.stage == "free"
    # What went with it stands in the decision, too.
    assert f"is taken back; with it goes “{back['goes'][0]}”." in played.host.match.log[-1].words


def test_nor_in_the_moment_in_which_the_game_goes_on(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    """The desk has not heard yet that the match has changed."""
    played.shoot()
    hurt = played.marked
    played.ben.done()
    number = played.ben.done("/now/propose", outcome="no")["proposal"]["number"]
    monkeypatch.setattr(played.table.server.desk, "_went_on", lambda: None)
    played.page.done(type="act", kind="speed", data={"to": 4})
    assert "proposal is gone" in played.anna.refused("/now/answer", number=number, consents=True)
    # Who says the same now proposes it, and agrees to nothing of before.
    assert played.anna.done("/now/propose", outcome="no")["decision"] is None
    assert played.marked == hurt


def test_which_decision_is_in_force_is_told(played: Played) -> None:
    def told() -> list[bool]:
        return [one["stands"] for one in played.anna.offer()["decided"]]

    played.shoot()
    for outcome in ("yes", "no"):
        played.anna.done()
        played.owner.done("/now/propose", outcome=outcome)
        played.owner.post("/now/release")
        if outcome == "yes":
            assert told() == [True]
    # The second one took back the shot, and with it the first decision; undone, the first is in force again.
    assert told() == [True, False]
    played.page.done(type="undo")
    assert told() == [False, True]


def test_what_cannot_be_kept_has_not_been_decided(played: Played) -> None:
    played.shoot()
    hurt = played.marked
    played.anna.done()
    kept = played.keeps.append

    def full(batch: Any) -> Any:
        if any(e.kind == "match.decision" for e in batch):
            raise TableRefError("the disk is full")
        return kept(batch)

    played.keeps.append = full  # type: ignore[method-assign]
    assert "the disk is full" in played.owner.refused("/now/propose", outcome="no")
    assert played.marked == hurt
    assert played.owner.now()["decision"] is None


def test_whoever_plays_waits_for_no_step_of_a_dispute_that_is_written_down(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow disk: the step is on its way there while the owner says something to the game."""
    played.shoot()
    played.anna.done()
    desk, asked, go = played.table.server.desk, threading.Event(), threading.Event()
    kept = desk._keep_entry

    def slow(*said: Any) -> None:
        asked.set()
        assert go.wait(PATIENCE)
        kept(*said)

    monkeypatch.setattr(desk, "_keep_entry", slow)
    step = threading.Thread(target=lambda: played.ben.done("/now/propose", outcome="no"))
    step.start()
    assert asked.wait(PATIENCE)
    played.page.done(type="modes", modes={"dice": "type"})
    played.page.done(type="undo")
    go.set()
    step.join(PATIENCE)
    wait_until("the game has gone on", lambda: played.owner.now()["proposal"] is None)


# Again


def test_it_is_had_again_until_the_game_ends(played: Played) -> None:
    played.shoot()
    hurt = played.marked
    first = played.ben.done()
    played.owner.done("/now/propose", outcome="no")
    played.owner.done("/now/release")
    assert played.marked == 0
    assert "Anna and Ben" in played.eve.refused(f"/{first['id']}/reopen")
    again = played.anna.done(f"/{first['id']}/reopen")
    assert again["id"] != first["id"]
    assert [r["words"].split("” ")[-1] for r in again["remedies"]] == ["counts after all", "stays taken back"]
    number = played.anna.done("/now/propose", outcome="yes")["proposal"]["number"]
    decided = played.ben.done("/now/answer", number=number, consents=True)
    assert "counts after all" in decided["decision"]["words"]
    assert played.marked == hurt
    played.ben.done("/now/release")
    played.page.done(type="anew")
    assert played.anna.offer()["decided"][0]["may_reopen"] is False
    assert "has ended" in played.anna.refused(f"/{again['id']}/reopen")


def test_what_is_open_as_its_game_is_ended_holds_no_screen_and_no_machine(played: Played) -> None:
    """Nobody could decide it, the next game was set up below it, and machines waited for its end."""
    played.shoot()
    played.ben.done()
    played.page.done(type="anew")
    desk = played.table.server.desk
    wait_until("the table goes on", lambda: desk.open is None)
    assert played.anna.offer()["decided"] == []
    kept = played.host.keeping.journal.entries
    (lost,) = [e for e in kept if e.kind == "dispute.lost"]
    assert lost.words.startswith("Ben disputed “May RED1 shoot at BLUE1")
    assert lost.words.endswith("and the game was ended: nobody has decided it.")
    ended = next(e for e in kept if e.words == "The game is put away.")
    assert kept.index(lost) < kept.index(ended), "in the record of its own game"


def test_the_log_says_what_was_asked_where_nothing_was_done(played: Played) -> None:
    """It read *The owner of the table overruled it: yes.*, of whom and what nobody could tell."""
    asked = played.anna.done(pieces=["RED1", "BLUE1"])
    outcome = "no" if asked["ruling"]["verdict"] == "yes" else "yes"
    played.owner.done("/now/propose", outcome=outcome)
    assert played.host.match is not None
    said = f"{asked['ruling']['question']} The owner of the table overruled it: {outcome}."
    assert played.host.match.log[-1].words == said


# From the file alone


def test_the_file_is_ruled_again_with_the_state_of_then(played: Played) -> None:
    played.shoot()
    played.anna.done()
    played.owner.done("/now/propose", outcome="yes")
    dispute = played.table.server.desk.decided[0]
    found = verify(html_of(dispute))
    assert found.intact
    basis = found.contents["evidence"]["basis"]
    assert basis["state"]["cars"]["RED1"]["brand"] == "Venus"
    # The Venus reaches two inches farther: without its state it would come out differently.
    assert rule_again(found.contents, Rulings.by_book(None)) == ()
    found.contents["evidence"]["basis"] = None
    assert rule_again(found.contents, Rulings.by_book(None)) != ()
    assert "Agreed" in html_of(dispute).decode()
