"""The game over its connection: what is told to whom, and what is let through."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import httpx
import pypdfium2
import pytest
from websockets.exceptions import ConnectionClosed

from engine.game.registry import games_from
from engine.space.geometry import Pose
from server.pipeline.runner import Snapshot
from server.play.drafts import Draft, DraftPiece, DraftPlayer
from server.play.messages import (
    FROM_PLAYER,
    TO_PLAYER,
    Chosen,
    DieView,
    GameView,
    GuideView,
    LogLine,
    MatchView,
    Me,
    Modes,
    PlayState,
    ReasonView,
    Seat,
    WantedDie,
)
from server.play.routes import MAX_TEXT
from server.web.messages import Model
from tests.server.fakes import wait_until
from tests.server.gaming import CARS, DRAFT, Player, Table, begun, gaming


@pytest.fixture
def table() -> Iterator[Table]:
    with gaming() as one:
        yield one


def told(player: Player, fits: Any) -> dict[str, Any]:
    return player.hear_until(lambda m: m["type"] == "play" and fits(m))


class TestPages:
    @pytest.mark.parametrize("page", ["play", "screen", "join"])
    def test_every_file_that_they_name_is_served(self, table: Table, page: str) -> None:
        text = httpx.get(f"{table.url}{page}").text
        names = re.findall(r'(?:src|href)="(/static/[^"]+)"', text)
        assert len(names) > 3
        seen: set[str] = set()
        while names:
            name = names.pop()
            if name in seen:
                continue
            seen.add(name)
            answer = httpx.get(table.url.rstrip("/") + name)
            assert answer.status_code == 200, name
            names += [urljoin(name, n) for n in re.findall(r'from "(\.[^"]+)"', answer.text)]

    def test_the_sheets_are_printed_as_they_stand(self, table: Table) -> None:
        empty = text_of(httpx.get(f"{table.url}api/play/sheets.pdf", timeout=120).content)
        assert all(words in empty for words in ("Car 6", "Speed", "Armour"))
        with table.joined() as owner:
            begun(owner)
        sheets = text_of(httpx.get(f"{table.url}api/play/sheets.pdf", timeout=120).content)
        assert all(car in sheets for car in CARS)
        assert all(words in sheets for words in ("Anna", "Venus", "Machine Gun", "Oil", "Tokens"))

    def test_counters_of_a_game_that_brings_none_are_refused_in_words(self, table: Table) -> None:
        answer = httpx.get(f"{table.url}api/play/counters.pdf", timeout=120)
        assert (answer.status_code, answer.headers["content-type"]) == (422, "application/json")
        assert answer.json() == {"error": "White Line Fever brings no counters to print"}


def text_of(pdf: bytes) -> str:
    document = pypdfium2.PdfDocument(pdf)
    return "".join(page.get_textpage().get_text_range() for page in document)


class TestTelling:
    def test_only_the_owner_is_told_of_games_that_cannot_be_played(self, tmp_path: Path) -> None:
        (tmp_path / "broken.py").write_text("1 / 0", encoding="utf-8")
        with games_from(str(tmp_path)), gaming() as table, table.joined() as owner:
            (one,) = owner.state["broken"]
            assert (one["id"], one["where"]) == ("broken", str(tmp_path))
            assert "division by zero" in one["reason"]
            for role in ("player", "spectator"):
                with table.joined(role) as other:  # type: ignore[arg-type]
                    assert other.state["broken"] == []
                    assert str(tmp_path) not in json.dumps(other.state)

    def test_the_whole_state_first_and_after_each_change(self, table: Table) -> None:
        with table.joined() as owner, table.joined("spectator") as guest:
            assert owner.state["phase"] == guest.state["phase"] == "setup"
            PlayState.model_validate(owner.state)
            begun(owner)
            state = told(guest, lambda m: m["match"] and m["match"]["status"]["what"] == "Round 1")
            assert state["match"]["status"]["who"] == "Anna drives"
            assert [s["piece"] for s in state["match"]["sheets"]] == list(CARS)
            assert all(line["citation"] for line in state["match"]["log"])
            assert not any(o["mine"] for o in state["match"]["options"])
        with table.joined() as late:
            assert late.state["match"]["status"]["who"] == "Anna drives"

    def test_a_page_that_has_gone_is_woken_no_more(self, table: Table) -> None:
        def woken() -> tuple[int, int]:
            return len(table.host._watchers), len(table.live._watchers)

        before = woken()
        with table.joined() as page:
            assert page.state["phase"] == "setup"
            assert woken() == (before[0] + 1, before[1] + 1)
        wait_until("nobody wakes it", lambda: woken() == before)

    def test_targets_are_measured_on_the_table_and_again_when_it_changes(self, table: Table) -> None:
        with table.joined() as owner:
            begun(owner)
            assert owner.act("choose", car="RED1")["accepted"]
            assert owner.act("move", car="RED1")["accepted"]
            table.source.move("RED1", Pose(10, 10, 0))
            table.source.move("BLUE1", Pose(16, 10, 0))

            def shot_at(band: str) -> Any:
                return lambda m: any(
                    o["data"] == {"target": "BLUE1", "weapon": "Machine Gun"} and band in o["more"]
                    for o in m["match"]["options"]
                )

            told(owner, shot_at("Short Range"))
            table.source.move("BLUE1", Pose(44, 10, 0))
            told(owner, shot_at("out of range"))

    def test_a_displaced_car_has_a_ghost_until_it_stands_right(self, table: Table) -> None:
        with table.joined() as owner:
            begun(owner)
            owner.act("choose", car="RED1")
            moved = owner.act("move", car="RED1", contacts=[{"other": "mug"}])
            assert moved["accepted"]
            ghost = told(owner, lambda m: m["match"]["ghosts"])["match"]["ghosts"][0]
            assert (ghost["piece"], ghost["right"]) == ("RED1", False)
            assert len(ghost["outline"]) >= 4
            refused = owner.act("placed", car="RED1")
            assert [r["open"] for r in refused["reasons"]] == [True]
            here = table.source.poses["RED1"]
            table.source.move("RED1", Pose(here.x, here.y, here.heading + 3.14159))
            # As soon as it stands right it is placed, without a tap.
            told(owner, lambda m: not m["match"]["ghosts"])
            assert [e.data["car"] for e in table.host.match.log if e.kind == "placed"] == ["RED1"]

    def test_what_is_moved_is_told_alone(self) -> None:
        class Counts:
            def view(self, snapshot: Snapshot) -> GuideView | None:
                return GuideView(
                    piece="RED1", kind="go", player=None, phase="moving", headline=str(snapshot.number)
                )

        with gaming(guide=Counts()) as table, table.joined() as owner:
            assert int(owner.state["guide"]["headline"]) >= 0
            kinds = [owner.hear()["type"] for _ in range(3)]
            assert kinds == ["guide"] * 3


class TestActing:
    def test_a_player_acts_for_themselves_a_spectator_not_at_all(self, table: Table) -> None:
        with table.joined() as owner, table.joined("player") as ben, table.joined("spectator") as guest:
            begun(owner)
            assert "whose phone" in ben.act("choose", car="RED1")["error"]
            ben.done(type="sit", player="Ben")
            for who in (ben, guest):
                refused = who.ask(type="act", kind="choose", player="Anna", data={"car": "RED1"})
                assert not refused["accepted"]
            assert "it is Anna's to do" in ben.act("choose", car="RED1")["reasons"][0]["words"]
            assert "cannot act" in guest.act("choose", car="RED1")["error"]
            assert table.host.match is not None
            assert table.host.match.state.round.car is None

    def test_a_double_tap_acts_once(self, table: Table) -> None:
        with table.joined() as owner:
            begun(owner)
            before = len(table.host.match.log) if table.host.match else 0
            for _ in range(3):
                answer = owner.ask(
                    "the-same-key", type="act", kind="choose", player="Anna", data={"car": "RED1"}
                )
                assert answer["accepted"]
            assert table.host.match is not None
            assert len(table.host.match.log) == before + 2

    def test_a_seat_is_one_phones_also_after_it_was_gone(self, table: Table) -> None:
        headers = table.shown("player")
        with table.joined() as owner:
            owner.done(type="setup", draft=DRAFT)
            with table.joined(headers=headers) as ben:
                ben.done(type="sit", player="Ben")
            with table.joined("player") as other:
                assert "already" in other.ask(type="sit", player="Ben")["error"]
            with table.joined(headers=headers) as ben:
                assert ben.state["me"]["player"] == "Ben"

    def test_dice_are_wanted_where_they_are_typed(self, table: Table) -> None:
        with table.joined() as owner:
            begun(owner)
            owner.done(type="modes", modes={"dice": "type"})
            for kind in ("choose", "move"):
                assert owner.act(kind, car="RED1")["accepted"]
            asked = owner.act("floor_it")
            assert [w["sides"] for w in asked["wanted"]] == [6]
            assert owner.ask(type="act", kind="floor_it", dice=[6])["accepted"]


def closed_by(guest: Player, texts: list[str | bytes]) -> int | None:
    """The code with which the server closes the connection after one of these messages; None if it does not.

    Each is answered before the next one: where not all is read as it closes, the code may be lost.
    """
    try:
        for text in texts:
            guest.connection.send(text)
            guest.hear_until(lambda m: m["type"] == "answer")
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else None
    return None


class TestRefusing:
    @pytest.mark.parametrize(
        "text",
        [
            "nonsense",
            "{}",
            '{"type": "act"}',
            '{"type": "undo", "key": "a b"}',
            '{"type": "undo", "key": "x"}',
        ],
    )
    def test_what_is_not_understood(self, table: Table, text: str) -> None:
        with table.joined() as owner:
            owner.connection.send(text)
            answer = owner.hear_until(lambda m: m["type"] == "answer")
            assert "not understood" in answer["error"]

    def test_what_the_engine_does_not_know(self, table: Table) -> None:
        with table.joined() as owner:
            begun(owner)
            assert "no action 'fly'" in owner.act("fly")["reasons"][0]["words"]
            assert "GREEN" in owner.act("choose", car="GREEN")["reasons"][0]["words"]
            assert owner.act("choose", car=7)["accepted"] is False

    @pytest.mark.parametrize(
        ("texts", "code"), [(["x" * (MAX_TEXT + 1)], 1009), ([b"\x00"], 1009), (["x" * MAX_TEXT] * 400, 1008)]
    )
    def test_floods_and_what_is_too_long(self, table: Table, texts: list[str | bytes], code: int) -> None:
        with table.joined() as guest:
            assert closed_by(guest, texts) == code


@pytest.mark.parametrize(
    "model",
    [
        *TO_PLAYER,
        *FROM_PLAYER,
        Me,
        Seat,
        MatchView,
        LogLine,
        DieView,
        GameView,
        GuideView,
        Chosen,
        ReasonView,
        WantedDie,
        Draft,
        DraftPiece,
        DraftPlayer,
        Modes,
    ],
    ids=lambda m: m.__name__,
)
def test_every_message_of_the_game_and_each_of_its_fields_is_documented(model: type[Model]) -> None:
    document = Path(__file__).resolve().parents[3] / "docs" / "protocol.md"
    part = document.read_text(encoding="utf-8").split("\n## The game: `/ws/play`")[1]
    kind = model.model_fields["type"].annotation if "type" in model.model_fields else None
    names = [*model.model_fields, *(kind.__args__ if kind is not None else ())]  # type: ignore[union-attr]
    assert [name for name in names if f"`{name}`" not in part] == []
