"""Pieces that stand elsewhere than they were left: after an undo, out of turn, after a restart."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from engine.measure.sweep import Straight
from engine.space.geometry import Pose
from engine.space.table import Status
from server.formats.entries import MemoryLog
from server.play.host import MatchHost
from tests.server.fakes import wait_until
from tests.server.gaming import Table, begun, gaming
from tests.server.page.evenings import photograph
from tests.server.play.moving.test_move_guide import choosing, drive, put, shown, take


@pytest.fixture
def table() -> Iterator[Table]:
    with gaming(MemoryLog(), screen=True) as one:
        yield one


def strays(player) -> list[str]:
    """The words of what is astray, once something is."""
    message = player.hear_until(lambda m: (m.get("match") or {}).get("strays"))
    return [stray["words"] for stray in message["match"]["strays"]]


def back_in_place(player) -> None:
    player.shows(lambda state: state["match"] is not None and not state["match"]["strays"])


def test_after_an_undo_the_move_is_taken_again_or_driven_again_from_its_start(table: Table) -> None:
    with table.joined() as owner:
        choosing(table, owner, "RED2", 3)
        start = table.source.poses["RED2"]
        drive(table, "RED2", Straight(3))
        seen = shown(owner, "rested")
        assert take(owner, seen)["accepted"]
        # A hand lies over it while it is undone.
        table.source.set_status("RED2", Status.HELD, "RED2 is covered.")
        wait_until("the hand", lambda: table.live.moment.table.find("RED2").status is Status.HELD)
        owner.done(type="undo")
        table.source.set_status("RED2", Status.STILL, "RED2 is seen.")
        # As long as it lies as it was measured it can be taken again, without another push.
        lying = shown(owner, "rested")
        assert lying["move"] == seen["move"]
        assert take(owner, lying)["accepted"]
        owner.done(type="undo")
        put(table, "RED2", start)
        drive(table, "RED2", Straight(3))
        again = shown(owner, "rested")
        while again["verdict"] is None:
            again = shown(owner, "rested")
        assert again["headline"] == "Legal"
        assert take(owner, again)["accepted"]
        moved = [e.data for e in table.host.match.log if e.kind == "moved"][-1]
        assert moved["from"][:2] == pytest.approx([start.x, start.y], abs=0.1)


def test_out_of_turn_and_after_a_restart_and_who_may_let_it_stay(table: Table) -> None:
    with table.joined() as owner, table.joined("player") as ben:
        begun(owner)
        owner.done(type="act", kind="choose", data={"car": "RED2"})
        ben.done(type="sit", player="Ben")
        put(table, "BLUE1", Pose(25.0, 37.5, table.source.poses["BLUE1"].heading))
        assert strays(owner) == ["BLUE1 stands 3.0″ from its place"]
        # Whoever moved their own car proposes that it stays; so does whoever gains by where another's stands.
        asked = ben.ask(type="stays", pieces=["BLUE1"])
        assert (asked["accepted"], asked["proposed"]) == (False, ["Anna"])
        # What is proposed is not offered once more, until it is agreed to or not.
        for player in (owner, ben):
            match = player.shows(lambda state: (state["match"] or {}).get("proposals"))["match"]
            assert [stray["mine"] for stray in match["strays"]] == [False]
        # Of a refusal whoever proposed it is told, and nobody else.
        owner.done(type="agree", proposal=match["proposals"][0]["id"], agrees=False)
        told = ben.shows(lambda state: (state["match"] or {}).get("declined"))["match"]["declined"]
        assert [one["why"] for one in told] == ["the owner of the table does not agree"]
        assert owner.shows(lambda s: not s["match"]["proposals"])["match"]["declined"] == []
        assert ben.ask(type="stays", pieces=["BLUE1"])["proposed"] == ["Anna"]
        ben.shows(lambda state: state["match"]["proposals"] and not state["match"]["declined"])
        restored = MatchHost(MemoryLog(), lambda: table.live.moment.table)
        restored.restore(table.host.keeping.journal.entries)
        assert [stray.piece for stray in restored.strays()] == ["BLUE1"]
        owner.done(type="stays", pieces=["BLUE1"])
        back_in_place(owner)
        assert table.host.match.log[-1].words == (
            "The owner of the table lets pieces stay where they stand: BLUE1, 3.0 in from its place"
        )


def test_the_page_tells_it_and_lets_it_stay(table: Table, browser) -> None:
    with table.joined() as owner:
        choosing(table, owner, "RED2", 3)
        page = browser.new_context(viewport={"width": 390, "height": 844}).new_page()
        page.goto(f"{table.url}play")
        put(table, "BLUE1", Pose(25.0, 37.5, table.source.poses["BLUE1"].heading))
        put(table, "RED1", Pose(12.6, 8.5, 0.3))
        group = page.get_by_role("group", name="Out of place")
        expect(group.locator("li")).to_have_count(2, timeout=120_000)
        expect(page.locator(".marked .place")).not_to_have_count(0)
        photograph(page, "strays-phone")
        page.set_viewport_size({"width": 1440, "height": 900})
        photograph(page, "strays-desktop")
        group.get_by_role("button", name="BLUE1: It stays there").click()
        expect(group.locator("li")).to_have_count(1, timeout=120_000)
        put(table, "RED1", Pose(9.6, 8.5, 1.501))
        expect(group).to_have_count(0, timeout=120_000)


def test_an_undone_car_that_is_pushed_on_goes_back_first(table: Table) -> None:
    with table.joined() as owner:
        choosing(table, owner, "RED2", 3)
        start = table.source.poses["RED2"]
        drive(table, "RED2", Straight(3))
        assert take(owner, shown(owner, "rested"))["accepted"]
        owner.done(type="undo")
        lying = shown(owner, "rested")
        # What is pushed on counts from where the move began: nothing is won by an undo.
        drive(table, "RED2", Straight(2))
        far = shown(owner, "rested")
        while far["move"] == lying["move"] or not far["reasons"]:
            far = shown(owner, "rested")
        assert far["progress"]["used"] == pytest.approx(5.0, abs=0.1)
        assert not take(owner, lying)["accepted"]
        refused = owner.ask(type="act", kind="move", data={"car": "RED2", "move": far["move"]})
        assert "too far" in refused["reasons"][0]["words"]
        assert [event for event in table.host.match.log if event.kind == "moved"][1:] == []
        # Back where it began, nothing is left to be taken: it drives from there.
        put(table, "RED2", start)
        owner.shows(lambda s: s["guide"] and s["guide"]["phase"] == "ready" and not s["guide"]["move"])
        assert not take(owner, far)["accepted"]
