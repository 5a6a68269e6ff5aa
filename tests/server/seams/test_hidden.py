"""Where the book hides distances none leaves by any way: said, drawn, sent, undone, put back, exported."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, expect
from websockets.sync.client import connect

from engine.game.events import Event, event_to_json
from engine.game.match import Match
from engine.game.registry import game_called
from engine.game.showing import Viewer
from engine.game.viewing import distances_in, permitted
from engine.measure.sweep import Straight
from engine.space.geometry import Pose
from server.exports.forms import ExportName, export
from server.exports.tuio import tuio_router
from server.formats.entries import Entry
from server.pipeline.referee import TableEvent
from server.pipeline.runner import NumberedEvent, Runner
from server.play.keeping import END, MATCH
from server.recording.journal import Journal
from server.recording.library.games import Library
from server.replay.routes import replay_router
from server.replay.timeline import Timeline
from server.serving.run import PageServer, listen
from server.table.gate import DRAWN, DRAWN_TURN, StillHidden, hides, measured_out, table_of
from server.table.questions.rulings import Rulings
from server.table.state import event_view
from tests.engine.games.car_cult.playing import begun as cult_begun
from tests.server.exports.test_tuio import read
from tests.server.fakes import HandMoved, KnowsAll, wait_until
from tests.server.gaming import PATIENCE, Player, Table, gaming
from tests.server.play.moving.test_move_guide import drive, put
from tests.server.play.test_secrets import begun, fetched, table_page
from tests.server.playback import record_game

GAME = game_called("car_cult")


@pytest.fixture
def table() -> Iterator[Table]:
    with gaming(screen=True, follows=True) as one:
        one.host.game = GAME
        yield one


def acting(owner: Player) -> None:
    """RED1 is to move, or to attack."""
    begun(owner)
    owner.done(type="act", kind="shift", data={"tokens": 0})
    owner.done(type="act", kind="allocate", data={"zones": ["Rifle · 1"]})


def declared(owner: Player) -> None:
    """RED1 attacks BLUE1 with its Rifle: that may be measured."""
    owner.done(type="act", kind="declare", data={"weapon": "Rifle", "target": "BLUE1"})


def seated(anna: Player, ben: Player) -> None:
    """Both players on their phones."""
    anna.done(type="sit", player="Anna")
    ben.done(type="sit", player="Ben")


def decided(table: Table, outcome: str) -> None:
    """A dispute is decided by the owner, and the game goes on."""
    where = f"{table.url}api/disputes/now"
    answer = {"outcome": outcome, "count": fetched(table, "api/disputes/now")["count"]}
    told = httpx.post(f"{where}/propose", json=answer, timeout=PATIENCE)
    assert told.is_success, told.text
    httpx.post(f"{where}/release", json={}, timeout=PATIENCE).raise_for_status()


def drawn_only(value: Any, step: float = DRAWN) -> bool:
    """Whether a number has no more in it than a drawing."""
    return abs(value / step - round(value / step)) < 5e-3


# Declare, then undo


def test_the_end_of_a_game_is_no_tape(table: Table) -> None:
    with table.joined() as owner, table.joined("player") as anna:
        acting(owner)
        anna.done(type="sit", player="Anna")
        anna.done(type="concede", player="Anna")
        anna.shows(lambda state: (state["match"] or {}).get("status", {}).get("over"))
        assert not hides(GAME, table.host.match.state)  # type: ignore[union-attr]
        assert not anna.state["me"]["may_undo"]
        assert not anna.ask(type="undo")["accepted"]
        match = table.host.match
        assert match is not None
        assert match.undo_barred is not None
        assert "every distance, with the game over" in match.undo_barred.words
        owner.done(type="undo")
        assert hides(match.game, match.state)


def test_a_declaration_is_no_tape(table: Table) -> None:
    with table.joined() as owner, table.joined("player") as anna:
        acting(owner)
        anna.done(type="sit", player="Anna")
        anna.done(type="act", kind="declare", player="Anna", data={"weapon": "Rifle", "target": "BLUE1"})
        assert "checks" in fetched(table, "api/ruling?piece=RED1&piece=BLUE1")
        refused = anna.ask(type="undo")
        assert not refused["accepted"]
        assert not anna.state["me"]["may_undo"]
        match = table.host.match
        assert match is not None
        assert match.undo_barred is not None
        assert "may be measured since stays known" in match.undo_barred.words
        # The owner answers for it in the owner's name, in the log.
        owner.done(type="undo")
        match = table.host.match
        assert match is not None
        assert match.log[-1].kind == "undo"


def test_what_opens_no_measurement_may_be_taken_back(table: Table) -> None:
    with table.joined() as owner, table.joined("player") as anna:
        begun(owner)
        anna.done(type="sit", player="Anna")
        anna.done(type="act", kind="shift", player="Anna", data={"tokens": 0})
        anna.done(type="undo")


# What is drawn and said of the table


def states(table: Table, role: str) -> list[dict[str, Any]]:
    told = table_page(table, "RED1", "BLUE1")
    with connect(
        table.url.replace("http", "ws") + "ws",
        additional_headers=table.shown(role),  # type: ignore[arg-type]
    ) as page:
        told.append(json.loads(page.recv(timeout=PATIENCE)))
    return [fetched(table, "api/state"), fetched(table, "api/state?unit=cm"), *told]


@pytest.mark.parametrize("role", ["player", "spectator"])
def test_no_page_of_the_table_is_a_ruler(table: Table, role: str) -> None:
    with table.joined() as owner:
        assert fetched(table, "api/state")["table"]["grid"], "without a match there is one"
        begun(owner)
        table.source.move("RED2", Pose(7.123, 21.377, 0.1234))
        wait_until("the move", lambda: "7.125" in json.dumps(fetched(table, "api/state")["pieces"]))
        for state in states(table, role):
            if state.get("table") is not None:
                assert state["table"]["grid"] == []
                assert state["table"]["scale"] is None
            for piece in state.get("pieces", []):
                assert drawn_only(piece["x"]), piece
                assert drawn_only(piece["y"]), piece
                assert drawn_only(piece["heading"], DRAWN_TURN), piece
                assert (piece["place_words"], piece["deviation_words"]) == ("", "")


TOLD = """() => [document.body, ...document.body.querySelectorAll("*")].flatMap((one) => [
  ...(one.children.length ? [] : [one.textContent]),
  ...[...one.attributes].filter((a) => /^(aria-|title$|alt$|value$)/.test(a.name)).map((a) => a.value),
]).filter(Boolean)"""
"""All that a page says in words, shown or not, and what it says to a screen reader."""


def test_the_page_of_the_table_says_no_coordinates_at_any_width(table: Table, browser: Browser) -> None:
    page = browser.new_context().new_page()
    with table.joined() as owner:
        page.goto(table.url)
        placed = page.locator("#car-list").get_by_text(re.compile(r"\d\.\d"))
        expect(placed.first).to_be_attached()  # without a match it says where things stand
        acting(owner)
        expect(placed).to_have_count(0)
        table.source.move("RED2", Pose(7.123, 21.377, 0.1234))
        wait_until("the move", lambda: "7.125" in json.dumps(fetched(table, "api/state")["pieces"]))
        for width in (1366, 820, 390):
            page.set_viewport_size({"width": width, "height": 844})
            page.reload()
            expect(page.locator("#car-list").get_by_text("RED2").first).to_be_attached()
            # How well the corner tags lie tells nothing of who stands where.
            said = [w for w in page.evaluate(TOLD) if w != page.locator("#s-surface").text_content()]
            assert len(said) > 20
            assert [words for words in said if distances_in(words)] == []
    page.context.close()


def test_an_event_and_a_way_of_the_page_tell_no_length(table: Table) -> None:
    with table.joined() as owner:
        acting(owner)
        drive(table, "RED1", Straight(6), rests=False, share=0.6)
        wait_until("the way", lambda: fetched(table, "api/state")["ways"])
        (way,) = fetched(table, "api/state")["ways"]
        assert (way["length_words"], way["steps"]) == ("", [])
        assert all(drawn_only(v) for point in way["path"] for v in point)
        put(table, "RED1", table.source.poses["RED1"])
    told = NumberedEvent(1, TableEvent(3.0, "rests", "RED1", "RED1 stands still, 2.67 in away"), 3.0)
    assert "2.67" in event_view(told, "in").words
    assert distances_in(event_view(told, "in", hidden=True).words) == []
    assert distances_in(event_view(told, "cm", hidden=True).words) == []


def test_places_that_leave_are_as_fine_as_a_drawing_and_no_finer() -> None:
    source = HandMoved()
    live = Runner(source, KnowsAll(source))
    routers = [tuio_router(live, table_of)]
    with PageServer(live, Rulings.by_book(None), listen(port=0), routers=routers) as server:
        wait_until("the first moment", lambda: live.moment is not None)
        assert live.moment is not None
        with connect(server.address.replace("http", "ws") + "ws/tuio") as web:
            told = read(web.recv(timeout=PATIENCE))  # type: ignore[arg-type]
        assert told.sets
        for _, x, y, angle, *_ in told.sets.values():
            assert drawn_only(48 * x)
            assert drawn_only(48 * y)
            assert drawn_only(angle, DRAWN_TURN)
        exact = {s.name: s for s in live.moment.table.standings}
        for standing in table_of(live.moment.table).standings:
            assert math.dist(standing.pose.xy, exact[standing.name].pose.xy) <= DRAWN


# The screen of whoever moves


def test_a_length_is_told_to_the_mover_and_to_nobody_else(table: Table) -> None:
    with table.joined() as owner, table.joined("player") as anna, table.joined("player") as ben:
        acting(owner)
        seated(anna, ben)
        with table.joined("spectator") as looks:
            drive(table, "RED1", Straight(6), rests=False, share=0.6)
            mine = anna.shows(lambda s: s["guide"] and s["guide"]["phase"] == "moving")
            assert mine["guide"]["progress"] is not None
            for other in (ben, looks):
                seen = other.shows(lambda s: s["guide"] and s["guide"]["phase"] == "moving")
                assert seen["guide"]["progress"] is None
                assert distances_in(seen["guide"]) == []


def test_whoever_is_asked_about_a_length_that_the_panel_shows_reads_it(table: Table) -> None:
    with table.joined() as owner:
        acting(owner)
        drive(table, "RED1", Straight(20))
        seen = owner.shows(lambda s: s["guide"] and s["guide"]["phase"] == "rested" and s["guide"]["move"])
        answer = owner.ask(type="act", kind="move", data={"car": "RED1", "move": seen["guide"]["move"]})
        assert not answer["accepted"]
        shown, asked = distances_in(seen["guide"]["reasons"]), distances_in(answer["reasons"])
        assert shown
        assert asked
        assert "…" not in json.dumps(answer, ensure_ascii=False)


def test_how_surely_a_length_is_known_is_told_to_the_mover_alone(table: Table) -> None:
    """Others read *Maximum … of 9 to 12″, ±0.04*; in a dispute they read no deviation."""
    with table.joined() as owner, table.joined("player") as anna, table.joined("player") as ben:
        acting(owner)
        seated(anna, ben)
        drive(table, "RED1", Straight(20))
        for page, told in ((anna, True), (ben, False)):
            seen = page.shows(
                lambda s: s["guide"] and s["guide"]["phase"] == "rested" and s["guide"]["reasons"]
            )
            words = " ".join(reason["words"] for reason in seen["guide"]["reasons"])
            assert "of 9 to 12″" in words
            assert ("±" in words) == told


def test_a_car_that_is_used_as_a_tape_leaves_its_trace(table: Table) -> None:
    with table.joined() as owner:
        acting(owner)
        start = table.source.poses["RED1"]
        drive(table, "RED1", Straight(6))
        owner.shows(lambda s: s["guide"] and s["guide"]["phase"] == "rested" and s["guide"]["progress"])
        put(table, "RED1", start)
        told = owner.shows(lambda s: any("put back" in line["words"] for line in s["match"]["log"]))
        (line,) = [line for line in told["match"]["log"] if "put back" in line["words"]]
        assert line["pieces"] == ["RED1"]
        assert distances_in(line["words"]) == []
        match = table.host.match
        assert match is not None
        assert match.log[-1].data["inches"] == pytest.approx(6.0, abs=0.3)


def test_a_car_that_nobody_may_move_is_no_tape_either(table: Table) -> None:
    with table.joined() as owner:
        acting(owner)
        start = table.source.poses["BLUE2"]
        owner.shows(lambda s: s["match"] and not s["match"]["strays"])
        put(table, "BLUE2", Pose(start.x + 3.0, start.y, start.heading))
        owner.shows(lambda s: [one["piece"] for one in s["match"]["strays"]] == ["BLUE2"])
        assert distances_in(owner.state["match"]["strays"]) == []
        put(table, "BLUE2", start)
        owner.shows(lambda s: any("BLUE2 was moved and put back" in e["words"] for e in s["match"]["log"]))


# What is taken along


@pytest.fixture
def recorded(tmp_path: Path) -> Iterator[tuple[Library, str, Journal, Match[Any]]]:
    """A game of Car Cult that is being recorded at this moment, with the journal that it goes on in."""
    with Library.open(tmp_path) as library:
        id, match = record_game(library), cult_begun()
        journal = library.journal(id)
        about = {"game": GAME.about.id, "version": GAME.about.version}
        journal.append([entry_of(event, **(about if event.kind == "begin" else {})) for event in match.log])
        yield library, id, journal, match
        journal.close()


def entry_of(event: Event, **more: str) -> Entry:
    return Entry(f"{MATCH}{event.kind}", 1.0, event.words, {"event": event_to_json(event), **more})


@pytest.mark.parametrize("form", [f for f in ExportName if f is not ExportName.VIDEO])
def test_no_export_of_a_game_that_goes_on(recorded: Any, tmp_path: Path, form: ExportName) -> None:
    library, id, journal, match = recorded
    with pytest.raises(StillHidden, match="once it is over"):
        export(library, id, form, tmp_path / "file", pictures=False)
    # Once it is over, or put away, it is the players' own.
    over = match.concede("Red")
    assert GAME.status(match.state, Viewer()).over
    journal.append([entry_of(event) for event in over])
    export(library, id, form, tmp_path / "file", pictures=False)
    assert (tmp_path / "file").stat().st_size


def test_a_game_that_is_put_away_is_exported(recorded: Any, tmp_path: Path) -> None:
    library, id, journal, _ = recorded
    journal.append([Entry(END, 2.0, "The game is put away.")])
    export(library, id, ExportName.JSONL, tmp_path / "file", pictures=False)


def test_the_replay_of_the_game_that_goes_on_is_no_ruler_either(recorded: Any) -> None:
    library, id, _, match = recorded
    source = HandMoved()
    rulings = Rulings(lambda: (GAME, match.state))
    routers = [replay_router(library, rulings, lambda: 0.0)]
    with PageServer(Runner(source, KnowsAll(source)), rulings, listen(port=0), routers=routers) as server:
        with connect(f"{server.address.replace('http', 'ws')}ws/replay?game={id}") as page:
            state = json.loads(page.recv(timeout=PATIENCE))
        assert state["pieces"]
        assert (state["table"]["grid"], state["table"]["scale"]) == ([], None)
        assert all(drawn_only(piece[axis]) for piece in state["pieces"] for axis in "xy")
        assert {piece["place_words"] for piece in state["pieces"]} == {""}
        refused = httpx.post(f"{server.address}api/exports/{id}?to=jsonl")
        assert (refused.status_code, "once it is over" in refused.text) == (409, True)


def test_the_replay_of_a_match_that_is_over_tells_its_distances_before_another_is_set_up(
    recorded: Any,
) -> None:
    library, id, _, match = recorded
    rulings = Rulings(lambda: (GAME, match.state))
    line = Timeline(library.reader(id), lambda: True, lambda: rulings.opened)
    assert line.hides
    match.concede("Red")
    assert not line.hides
    match.undo()
    assert line.hides
    assert not Rulings(lambda: (GAME, None)).opened


def test_nothing_is_hidden_any_more_once_a_match_is_over() -> None:
    match = cult_begun()
    assert hides(GAME, match.state)
    match.concede("Red")
    assert not hides(GAME, match.state)
    assert permitted(GAME, match.state, None) is None


def test_a_dispute_freezes_the_table_and_tells_no_place_of_it(table: Table) -> None:
    with table.joined() as owner:
        acting(owner)
        declared(owner)
        asked = {"pieces": ["RED1", "BLUE1"]}
        frozen = (
            httpx.post(f"{table.url}api/disputes", json=asked, timeout=PATIENCE).raise_for_status().json()
        )
        assert frozen["facts"]
        assert distances_in(frozen["facts"]) == []
        where = f"{table.url}api/disputes/{frozen['id']}"
        for plan in (f"{where}/plan.svg", f"{where}/pictures/plan"):
            drawn = httpx.get(plan, timeout=PATIENCE).raise_for_status().text
            assert "BLUE1" in drawn
            assert "6 in<" not in drawn
        for kind in ("html", "pdf"):
            refused = httpx.get(f"{where}/dispute.{kind}", timeout=PATIENCE)
            assert (refused.status_code, "once it is over" in refused.text) == (409, True)


def test_a_shot_that_was_resolved_is_disputed_as_it_is_offered(table: Table) -> None:
    with table.joined() as owner:
        acting(owner)
        declared(owner)
        owner.done(type="act", kind="fire", data={})
        match = table.host.match
        assert match is not None
        assert match.state.attack is None
        offered = fetched(table, "api/disputes/offer")["subjects"]
        frozen = opened(table, next(s["key"] for s in offered if "roll" in s["words"]))
        assert frozen["ruling"]["pieces"] == ["RED1", "BLUE1"]
        # No other distance can be had by it.
        other = {"pieces": ["RED2", "BLUE1"]}
        refused = httpx.post(f"{table.url}api/disputes/now/ask", json=other, timeout=PATIENCE)
        assert refused.is_client_error


def opened(table: Table, key: str) -> dict[str, Any]:
    answer = httpx.post(f"{table.url}api/disputes", json={"key": key}, timeout=PATIENCE)
    found: dict[str, Any] = answer.raise_for_status().json()
    return found


def test_a_dispute_tells_the_length_of_a_move_that_rests_to_its_mover_alone(table: Table) -> None:
    phones = {name: table.shown("player") for name in ("Anna", "Ben")} | {"": table.shown("spectator")}

    def seen(name: str, path: str = "now") -> httpx.Response:
        where = f"{table.url}api/disputes/{path}"
        return httpx.get(where, headers=phones[name], timeout=PATIENCE).raise_for_status()

    with (
        table.joined() as owner,
        table.joined("player", phones["Anna"]) as anna,
        table.joined("player", phones["Ben"]) as ben,
    ):
        acting(owner)
        seated(anna, ben)
        drive(table, "RED1", Straight(3.4))
        owner.shows(lambda s: s["guide"] and s["guide"]["phase"] == "rested" and s["guide"]["move"])
        first = fetched(table, "api/disputes/offer")["subjects"][0]["key"]
        assert first.startswith("move:")
        id = opened(table, first)["id"]
        mine = seen("Anna").json()
        assert distances_in(mine["ruling"])
        for name in ("Ben", ""):
            told = seen(name).json()
            # What is asked and how it was ruled is told, and no figure of it.
            for shown in (told["ruling"], *told["ruling"]["checks"]):
                assert shown["verdict"] == "yes"
            assert [c["name"] for c in told["ruling"]["checks"]] == [
                c["name"] for c in mine["ruling"]["checks"]
            ]
            assert {c[n] for c in told["ruling"]["checks"] for n in ("number", "limit", "margin", "sd")} == {
                None
            }
            assert distances_in(told) == []
            assert "±" not in json.dumps([told["ruling"], told["pictures"]], ensure_ascii=False)
        # A picture is the same to all.
        for name in ("Anna", "Ben"):
            for picture in (f"{id}/pictures/near", f"{id}/pictures/plan", f"{id}/plan.svg"):
                drawn = seen(name, picture).text
                assert "RED1" in drawn
                assert distances_in(re.sub(r"<svg.*?>|<(?!title)[^>]*>", " ", drawn)) == []
                assert "1 in<" not in drawn
        owner.done(type="concede", player="Anna")
        assert distances_in(seen("").json()["ruling"]), "once the game is over everybody reads it"
        assert "1 in<" in seen("", f"{id}/pictures/near").text


def test_what_follows_from_a_length_is_told_to_the_mover_and_to_nobody_else(table: Table) -> None:
    follows = re.compile(r"short of its minimum|D20")
    with table.joined() as owner, table.joined("spectator") as looks:
        acting(owner)
        drive(table, "RED1", Straight(6))
        mine = owner.shows(lambda s: s["guide"] and s["guide"]["phase"] == "rested")["guide"]
        assert follows.search(json.dumps(mine))
        assert not follows.search(
            json.dumps(looks.shows(lambda s: s["guide"] and s["guide"]["phase"] == "rested")["guide"])
        )


def test_a_file_is_offered_only_where_it_is_given(table: Table, browser: Browser) -> None:
    page = browser.new_context().new_page()
    with table.joined() as owner:
        acting(owner)
        declared(owner)
        asked = {"pieces": ["RED1", "BLUE1"]}
        httpx.post(f"{table.url}api/disputes", json=asked, timeout=PATIENCE).raise_for_status()
        counts = {"outcome": "yes"}
        httpx.post(f"{table.url}api/disputes/now/propose", json=counts, timeout=PATIENCE).raise_for_status()
        page.goto(table.url)
        files = page.locator("#decided-files")
        expect(files).to_have_text("It can be saved as a file once the game is over.")
        owner.done(type="concede", player="Anna")
        page.reload()
        expect(files.locator("a")).to_have_text(["Save as HTML", "Save as PDF"])
    page.context.close()


def test_who_has_to_agree_to_a_move_reads_its_length_and_nobody_else(table: Table) -> None:
    with (
        table.joined() as owner,
        table.joined("player") as anna,
        table.joined("player") as ben,
        table.joined("spectator") as looks,
    ):
        acting(owner)
        seated(anna, ben)
        drive(table, "RED1", Straight(20))
        guide = anna.shows(lambda s: s["guide"] and s["guide"]["phase"] == "rested" and s["guide"]["move"])[
            "guide"
        ]
        data = {"car": "RED1", "move": guide["move"], **guide["said"]}
        assert anna.ask(type="act", kind="move", player="Anna", data=data)["proposed"] == ["Ben"]
        told = {}
        for page in (anna, ben, looks):
            (proposal,) = page.shows(lambda s: s["match"] and s["match"]["proposals"])["match"]["proposals"]
            told[page] = distances_in(proposal["facts"])
        assert told[anna] == told[ben] != []
        assert told[looks] == []


def test_who_agrees_that_a_piece_stays_does_not_read_how_far_it_was_put(table: Table) -> None:
    with table.joined() as owner, table.joined("player") as anna, table.joined("player") as ben:
        acting(owner)
        seated(anna, ben)
        start = table.source.poses["BLUE2"]
        owner.shows(lambda s: s["match"] and not s["match"]["strays"])
        put(table, "BLUE2", Pose(start.x + 3.0, start.y, start.heading))
        anna.shows(lambda s: s["match"] and [one["piece"] for one in s["match"]["strays"]] == ["BLUE2"])
        assert anna.ask(type="stays", pieces=["BLUE2"])["proposed"] == ["Ben"]
        for page in (anna, ben, owner):
            (proposal,) = page.shows(lambda s: s["match"] and s["match"]["proposals"])["match"]["proposals"]
            assert "stays" in proposal["words"] + proposal["facts"][0]
            assert distances_in(proposal) == []


def test_what_went_with_a_decision_tells_no_distance(table: Table) -> None:
    spectator = table.shown("spectator")

    def seen(path: str) -> Any:
        where = f"{table.url}api/disputes{path}"
        return httpx.get(where, headers=spectator, timeout=PATIENCE).raise_for_status().json()

    with table.joined() as owner:
        acting(owner)
        declared(owner)
        owner.done(type="act", kind="fire", data={})
        start = table.source.poses["BLUE2"]
        put(table, "BLUE2", Pose(start.x + 3.0, start.y, start.heading))
        owner.shows(lambda s: s["match"] and [one["piece"] for one in s["match"]["strays"]] == ["BLUE2"])
        owner.done(type="stays", pieces=["BLUE2"])
        offered = fetched(table, "api/disputes/offer")["subjects"]
        opened(table, next(s["key"] for s in offered if "roll" in s["words"]))
        goes = [words for remedy in seen("/now")["remedies"] for words in remedy["goes"]]
        assert any("BLUE2" in words for words in goes)
        assert distances_in(goes) == []
        where = f"{table.url}api/disputes/now/propose"
        httpx.post(
            where, json={"outcome": "no", "count": seen("/now")["count"]}, timeout=PATIENCE
        ).raise_for_status()
        for told in (seen("/now")["decision"], seen(""), seen("/offer")["decided"]):
            assert "BLUE2" in json.dumps(told)
            assert distances_in(told) == []


def test_a_shot_that_was_decided_with_no_is_no_attack_when_it_is_made_again(table: Table) -> None:
    with table.joined() as owner, table.joined("player") as anna, table.joined("player") as ben:
        acting(owner)
        seated(anna, ben)
        declared(owner)
        owner.done(type="act", kind="fire", data={})
        offered = fetched(table, "api/disputes/offer")["subjects"]
        opened(table, next(s["key"] for s in offered if "roll" in s["words"]))
        decided(table, "no")
        anna.shows(lambda s: s["match"] and "No attack" in [o["words"] for o in s["match"]["options"]])
        refused = anna.ask(type="act", kind="fire", player="Anna", data={"reach": "yes"})
        assert not refused["accepted"]
        assert not refused["proposed"]
        # Ben has agreed to it once: he is not asked again.
        assert anna.ask(type="act", kind="fire", player="Anna", data={})["accepted"]
        log = table.host.match.log if table.host.match else ()
        assert [event.kind for event in log][-1] == "attack over"


def test_an_attack_that_is_surely_too_far_says_that_it_comes_to_nothing(
    table: Table, browser: Browser
) -> None:
    """It was green, with a chance to hit, and its button said *Measure and roll*."""
    page = browser.new_context(viewport={"width": 390, "height": 844}).new_page()
    with table.joined() as owner:
        acting(owner)
        page.goto(f"{table.url}play")
        declared(owner)
        expect(page.locator(".shot")).to_have_attribute("data-state", "no")
        expect(page.locator(".shot .odds")).to_have_text("✕no attack")
        button = page.locator('button.main[data-kind="fire"]')
        expect(button).to_have_text("No attack")
        # No die is rolled for it.
        expect(page.locator('[data-typed="fire"]')).to_have_count(0)
        # Who says otherwise proposes it.
        page.locator('.pick[data-value="yes"]').click()
        expect(button).to_have_text("Measure and roll: BLUE1 · Rifle")
        page.locator('.pick[data-value="no"]').click()
        button.click()
        expect(page.locator("#log")).to_contain_text("too far: no attack may be made")


def test_what_counts_as_said_of_an_attack_or_a_move_keeps_its_inches_in_the_log() -> None:
    """They had been shown, and are on record: *Blue 1 moves …* stood there of a move with an answer in it."""
    line = {"words": "Blue 1 moves 2.01 in", "citation": "Car Cult 2016", "measured": False}
    assert measured_out([line]) == [line]
    assert measured_out([line | {"measured": None}]) == [
        {"words": "Blue 1 moves …", "citation": "Car Cult 2016", "measured": None}
    ]


def test_what_is_proposed_of_an_attack_says_whom_it_is_on(table: Table) -> None:
    """*Red proposes: measure and roll* stood there."""
    with table.joined() as owner, table.joined("player") as anna, table.joined("player") as ben:
        acting(owner)
        seated(anna, ben)
        declared(owner)
        assert anna.ask(type="act", kind="fire", player="Anna", data={"reach": "yes"})["proposed"]
        (found,) = ben.shows(lambda s: s["match"] and s["match"]["proposals"])["match"]["proposals"]
        assert found["words"] == "Anna proposes: measure and roll, Rifle at BLUE1"


def test_a_shot_that_is_declared_is_offered_to_be_disputed(table: Table) -> None:
    """*Nothing that was done can be disputed* stood there, and its pieces had to be picked."""
    with table.joined() as owner:
        acting(owner)
        assert fetched(table, "api/disputes/offer")["subjects"] == []
        declared(owner)
        (found,) = fetched(table, "api/disputes/offer")["subjects"]
        assert found["words"] == "Are RED1 and BLUE1 within 18″ and in sight of each other?"
        opened(table, found["key"])
        decided(table, "yes")
        owner.done(type="act", kind="fire", data={})
        # Once it is rolled for, the deed itself is disputed.
        assert [s["key"][:6] for s in fetched(table, "api/disputes/offer")["subjects"]] == ["batch:"]
