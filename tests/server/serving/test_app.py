"""What the server answers over HTTP and WebSocket, from outside, as a browser or a stranger would ask."""

from __future__ import annotations

import os
import re
import socket
import struct
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np
import pytest
from starlette.exceptions import HTTPException
from websockets.exceptions import ConnectionClosed, InvalidStatus

from engine.errors import TableRefError
from engine.space.geometry import Pose
from engine.space.table import Status
from server.pipeline.runner import Runner
from server.serving.app import create_app
from server.serving.run import listen
from server.table.connection import MAX_TEXT, MESSAGES_A_SECOND
from server.table.messages import State
from server.table.questions.rulings import Rulings
from server.table.viewer import AHEAD
from server.web.pages import STATIC, KeptFiles
from tests.server.conftest import Served, Socket, joined, serving
from tests.server.fakes import SIZE, HandMoved, KnowsAll, wait_until
from tests.server.interface import keeps_its_word, refused_as
from tests.volume import volume
from vision.frame import Frame

with warnings.catch_warnings(action="ignore"):
    # Starlette recommends another client than httpx.
    from starlette.testclient import TestClient


@pytest.fixture(scope="module")
def table() -> Iterator[Served]:
    with serving() as one:
        yield one


@pytest.fixture
def client(table: Served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=table.url, timeout=120) as one:
        yield one


class TestQuestions:
    def test_health(self, client: httpx.Client) -> None:
        answer = client.get("/healthz").json()
        assert answer["ok"] is True
        assert answer["state"] == "running"
        assert (answer["consistent"], answer["doubts"]) == (None, []), "this table has no corner tags"

    def test_state(self, client: httpx.Client) -> None:
        state = State.model_validate(client.get("/api/state").json())
        assert {"RED1", "BLUE2", "mug"} <= {p.name for p in state.pieces}

    def test_state_in_the_picture_and_in_centimetres(self, client: httpx.Client) -> None:
        state = client.get("/api/state", params={"view": "picture", "unit": "cm"}).json()
        assert state["table"]["size_words"] == "122 cm by 122 cm"
        assert all(p["shape"]["top"] for p in state["pieces"])

    def test_questions(self, client: httpx.Client) -> None:
        first, *others = client.get("/api/questions", params={"piece": ["RED1", "BLUE1"]}).json()
        assert (first["label"], first["missing"]) == ("Machine Gun", "")
        assert first["more"] == "Short 10″, Maximum 20″"
        assert "Oil" not in {q["label"] for q in others}
        assert "RED1 shoots at" in client.get("/api/questions", params={"piece": "RED1"}).json()[0]["missing"]
        assert client.get("/api/questions").json()[0]["missing"]

    def test_ruling(self, client: httpx.Client) -> None:
        asked = {"piece": ["RED-1", "blue 2"], "question": "plinker"}
        ruling = client.get("/api/ruling", params=asked).json()
        assert (ruling["pieces"], ruling["label"]) == (["RED1", "BLUE2"], "Plinker")
        assert ruling["verdict"] == "yes"
        assert {c["name"] for c in ruling["checks"]} >= {"Maximum Range", "Line of Sight", "Forward Arc"}
        assert all(c["citation"] for c in ruling["checks"])

    def test_what_the_gunner_sees(self, client: httpx.Client) -> None:
        asked = {"piece": ["RED-1", "blue 2"], "seat": "turret", "unit": "cm"}
        answer = client.get("/api/gunner.svg", params=asked)
        assert answer.headers["content-type"] == "image/svg+xml"
        assert "turret, 3.0 cm above the table. BLUE2 is in full view." in answer.text
        assert client.get("/api/gunner.svg", params={"piece": ["RED1", "nobody"]}).status_code == 404
        itself = client.get("/api/gunner.svg", params={"piece": ["RED1", "RED1"]})
        assert (itself.status_code, "itself" in itself.json()["error"]) == (422, True)

    def test_picture(self, client: httpx.Client) -> None:
        answer = client.get("/api/picture.jpg")
        assert answer.headers["content-type"] == "image/jpeg"
        picture = cv2.imdecode(np.frombuffer(answer.content, np.uint8), cv2.IMREAD_COLOR)
        assert picture is not None
        assert picture.shape[1::-1] == SIZE


class TestRefusals:
    @pytest.mark.parametrize(
        ("path", "status", "words"),
        [
            ("/api/ruling?piece=RED9&piece=BLUE1", 404, "RED9"),
            ("/api/ruling?piece=RED1&piece=BLUE1&question=Spoon", 404, "Spoon"),
            ("/api/ruling?piece=RED1&piece=RED1", 422, "itself"),
            ("/api/ruling?piece=RED1", 422, "shoots at"),
            ("/api/ruling", 422, "piece"),
            ("/api/ruling?piece=&piece=BLUE1", 422, "piece"),
            ("/api/state?view=sideways", 422, "view"),
            ("/nowhere", 404, "Not Found"),
            ("/static/../app.py", 404, "Not Found"),
            ("/static/%2e%2e/app.py", 404, "Not Found"),
        ],
    )
    def test_say_what_is_wrong(self, client: httpx.Client, path: str, status: int, words: str) -> None:
        answer = client.get(path)
        assert answer.status_code == status
        assert words in answer.json()["error"]

    def test_only_get(self, client: httpx.Client) -> None:
        answer = client.post("/api/state")
        assert answer.status_code == 405
        assert answer.json() == {"error": "Method Not Allowed"}

    @pytest.mark.parametrize("path", ["/api/ruling?piece=RED1&piece=BLUE1", "/api/picture.jpg"])
    def test_nothing_seen_yet(self, path: str) -> None:
        with serving(Blind(), seen=False) as one:
            answer = httpx.get(one.url.rstrip("/") + path)
        assert answer.status_code == 503
        assert "nothing has been seen yet" in answer.json()["error"]

    @pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "localhost.evil.example"])
    def test_a_strangers_name_for_this_machine(self, client: httpx.Client, host: str) -> None:
        answer = client.get("/api/state", headers={"host": host})
        assert answer.status_code == 400
        assert host in answer.json()["error"]

    def test_a_port_that_is_taken(self, table: Served) -> None:
        with pytest.raises(
            TableRefError, match=r"it is taken\. If tableref runs already.* Another port: --port"
        ):
            listen(port=table.port)


class Blind(HandMoved):
    """A source that never gives a frame."""

    def read(self) -> Frame:
        self._go.wait()
        return super().read()


class TestPage:
    def test_comes_from_the_package_with_a_strict_policy(self, client: httpx.Client) -> None:
        answer = client.get("/")
        assert answer.headers["content-type"].startswith("text/html")
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy

    def test_names_no_outside_address(self) -> None:
        shown = [*STATIC.rglob("*.*"), *STATIC.parent.glob("web/templates/*")]
        assert len(shown) > 50
        for path in shown:
            text = path.read_text(encoding="utf-8")
            addresses = set(re.findall(r"https?://[^\s\"'`)]+", text)) - {"http://www.w3.org/2000/svg"}
            assert addresses == set(), path.name

    def test_every_file_that_it_names_is_served(self, client: httpx.Client) -> None:
        names = re.findall(r'(?:src|href)="(/static/[^"]+)"', client.get("/").text)
        assert names
        for name in names:
            assert client.get(name).status_code == 200

    def test_a_file_is_answered_as_it_is_on_the_disk_now(self, tmp_path: Path) -> None:
        file = tmp_path / "one.js"
        kept = TestClient(KeptFiles(directory=str(tmp_path)))
        for text in ("first", "second", "third"):
            file.write_text(text, "utf-8")
            os.utime(file, ns=(0, 10**9 * (1 + len(text))))
            for _ in range(2):
                answer = kept.get("/one.js")
                assert (answer.status_code, answer.text) == (200, text)
                assert answer.headers["content-length"] == str(len(text))
                assert "javascript" in answer.headers["content-type"]
            again = kept.get("/one.js", headers={"if-none-match": answer.headers["etag"]})
            assert (again.status_code, again.text) == (304, "")
            part = kept.get("/one.js", headers={"range": "bytes=1-2"})
            assert (part.status_code, part.text) == (206, text[1:3])
            assert kept.head("/one.js").text == ""
        # As long as before, and written later.
        file.write_text("THIRD", "utf-8")
        os.utime(file, ns=(0, 10**9 * 100))
        assert kept.get("/one.js").text == "THIRD"
        file.unlink()
        with pytest.raises(HTTPException, match="404"):
            kept.get("/one.js")

    @pytest.mark.parametrize("path", ["/../secret.js", "/%2e%2e/secret.js", "//etc/hostname", "/x%00.js"])
    def test_no_file_outside_is_kept_or_answered(self, tmp_path: Path, path: str) -> None:
        (tmp_path / "secret.js").write_text("secret", "utf-8")
        inside = tmp_path / "inside"
        inside.mkdir()
        kept = TestClient(KeptFiles(directory=str(inside)))
        for _ in range(2):
            with pytest.raises(HTTPException, match="404"):
                kept.get(path)


PATHS = {
    "/api/tour": "GET",
    "/healthz": "GET",
    "/api/state": "GET",
    "/api/questions": "GET",
    "/api/ruling": "GET",
    "/api/picture.jpg": "GET",
    "/api/gunner.svg": "GET",
    "/api/join": "POST",
    "/api/leave": "POST",
    "/api/me": "GET",
    "/api/links": "GET",
    "/api/links/square.svg": "GET",
    "/api/disputes": "POST",
    "/api/disputes/now": "GET",
    "/api/disputes/now/ask": "POST",
    "/api/disputes/now/about": "POST",
    "/api/disputes/now/propose": "POST",
    "/api/disputes/now/answer": "POST",
    "/api/disputes/offer": "GET",
    "/api/disputes/{id}/reopen": "POST",
    "/api/disputes/now/release": "POST",
    "/api/disputes/{id}/pictures/{name}": "GET",
    "/api/disputes/{id}/questions": "GET",
    "/api/disputes/{id}/plan.svg": "GET",
    "/api/disputes/{id}/dispute.html": "GET",
    "/api/disputes/{id}/dispute.pdf": "GET",
    "/api/disputes/{id}/gunner.svg": "GET",
    "/api/disputes/{id}/seal.svg": "GET",
    "/api/passes": "GET",
    "/api/passes/{device}": "DELETE",
    "/api/calibrate/begin": "POST",
    "/api/calibrate/look": "POST",
    "/api/calibrate/solve": "POST",
    "/api/calibrate/picture.jpg": "GET",
}


@pytest.mark.parametrize("path", PATHS)
def test_the_interface_keeps_its_word(table: Served, path: str) -> None:
    keeps_its_word(table.url, path, PATHS[path], volume(10, 100))


def test_every_path_of_the_interface_is_tried(client: httpx.Client) -> None:
    assert set(client.get("/openapi.json").json()["paths"]) == set(PATHS)


def test_whatever_changes_something_says_that_it_may_be_refused(client: httpx.Client) -> None:
    """Only whoever leaves is let go in any case."""
    assert {path for path, words in refused_as(client).items() if words is None} == {"/api/leave"}


class TestConnection:
    def test_whole_state_first_then_changes(self, served: Served) -> None:
        with joined(served.url) as page:
            first = page.hear()
            assert first["type"] == "state"
            State.model_validate(first)
            served.source.move("RED1", Pose(20, 20, 0))
            while not (pieces := page.hear().get("pieces")):
                pass
            assert [(p["name"], p["x"]) for p in pieces] == [("RED1", 20.0)]

    def test_nothing_changes_where_nothing_moves(self, served: Served) -> None:
        with joined(served.url) as page:
            page.hear()
            heard = [page.hear() for _ in range(3)]
        assert {"pieces", "table", "bounds", "ruling"}.isdisjoint(set().union(*heard))

    def test_a_ruling_is_told_and_told_again_when_it_changes(self, served: Served) -> None:
        served.source.move("RED3", Pose(40, 8, 0))
        with joined(served.url) as page:
            page.send(type="select", pieces=["RED1", "BLUE2"], question="Plinker")
            assert page_hears(page, "ruling")["verdict"] == "yes"
            served.source.move("RED3", Pose(20, 15.6, 2.2))
            ruling = page_hears(page, "ruling")
            assert ruling["verdict"] == "no"
            assert ruling["blockers"] == ["RED3"]
            page.send(type="select")
            assert page_hears(page, "ruling") is None

    def test_an_unknown_car_is_refused_in_the_state(self, served: Served) -> None:
        with joined(served.url) as page:
            page.send(type="select", pieces=["RED9"])
            assert "RED9" in str(page_hears(page, "refusal"))

    def test_events_are_told_once(self, served: Served) -> None:
        with joined(served.url) as page:
            page.hear()
            served.source.set_status("RED1", Status.HELD, "RED1 is under a hand.")
            assert [e["words"] for e in page_hears(page, "events")] == ["RED1 is under a hand."]
            served.source.set_status("RED1", Status.STILL, "RED1 is back.")
            assert [e["words"] for e in page_hears(page, "events")] == ["RED1 is back."]
        with joined(served.url) as late:
            assert len(late.hear()["events"]) == 2

    def test_a_slow_viewer_gets_the_newest_and_no_queue(self, served: Served) -> None:
        with joined(served.url) as page:
            last = 0
            for _ in range(AHEAD):
                last = page.hear_only()["number"]
            served.source.set_status("RED1", Status.HELD, "RED1 is under a hand.")
            for x in range(10, 40):
                served.source.move("RED1", Pose(x, 20, 0))
            moved = served.live.snapshot.number
            wait_until("twenty more moments", lambda: served.live.snapshot.number > moved + 20)
            before = served.live.snapshot.moment
            assert before is not None
            page.send(type="drawn", number=last)
            news = page.hear_only()
            assert news["time"] >= before.time
            assert [(p["name"], p["x"]) for p in news["pieces"]] == [("RED1", 39.0)]
            assert [e["kind"] for e in news["events"]] == ["held"]

    def test_the_delay_to_the_page_is_measured(self, served: Served) -> None:
        with joined(served.url) as page:
            while (rates := page.hear().get("rates")) is None or rates["delay"] is None:
                pass
        assert 0 < rates["delay"] < served.live.clock() - served.live._started_at, "seconds"

    def test_the_picture_follows_the_state_that_belongs_to_it(self, served: Served) -> None:
        with joined(served.url) as page:
            page.hear()
            page.send(type="show", view="picture", unit="in")
            while (state := page.hear_only())["type"] != "state":
                page.send(type="drawn", number=state["number"])
            assert state["picture"] == {"width": SIZE[0], "height": SIZE[1], "follows": True}
            data = page.connection.recv(timeout=120)
            assert isinstance(data, bytes)
            assert struct.unpack(">I", data[:4]) == (state["number"],)
            assert cv2.imdecode(np.frombuffer(data[4:], np.uint8), cv2.IMREAD_COLOR) is not None

    def test_moving_a_piece(self, served: Served) -> None:
        with joined(served.url) as page:
            page.hear()
            page.send(type="move", piece="BLUE1", x=12, y=13, heading=1)
            assert next(iter(page_hears(page, "pieces")))["x"] == 12
            page.send(type="move", piece="GREEN1", x=12, y=13, heading=1)
            assert "GREEN1" in str(hears_type(page, "refused")["error"])

    @pytest.mark.parametrize("text", ["nonsense", "{}", '{"type": "dance"}', '{"type": "drawn"}'])
    def test_what_is_not_understood_is_refused(self, served: Served, text: str) -> None:
        with joined(served.url) as page:
            page.connection.send(text)
            assert "not understood" in str(hears_type(page, "refused")["error"])

    @pytest.mark.parametrize("text", ["x" * (MAX_TEXT + 1), b"\x00\x01"])
    def test_what_is_too_long_or_binary_ends_the_connection(self, served: Served, text: str | bytes) -> None:
        with joined(served.url) as page:
            page.connection.send(text)
            assert ended(page) == 1009

    def test_a_flood_ends_the_connection(self, served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
        # While the clock stands nothing more is let pass than is saved up: with the next the line is closed.
        # Nothing comes after that one, or the line would be cut before the code is heard.
        monkeypatch.setattr(served.live, "clock", lambda: 0.0)
        flood = ['{"type": "drawn", "number": 0}'] * (2 * MESSAGES_A_SECOND)
        with joined(served.url) as page:
            assert ended(page, [*flood, "nonsense"]) == 1008

    @pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:1"])
    def test_a_page_of_another_site_is_turned_away(self, served: Served, origin: str) -> None:
        with pytest.raises(InvalidStatus) as refused, joined(served.url, origin=origin):
            pass
        assert refused.value.response.status_code == 403

    def test_its_own_page_is_let_in(self, served: Served) -> None:
        with joined(served.url, origin=served.url.rstrip("/")) as page:
            assert page.hear()["type"] == "state"


def ended(page: Socket, messages: Sequence[str] = ()) -> int | None:
    """The code with which the server closes the connection after these messages."""
    try:
        for message in messages:
            page.connection.send(message)
        while True:
            page.connection.recv(timeout=120)
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else None


def page_hears(page: Socket, field: str) -> Any:
    """The field from the next message that holds it."""
    while field not in (message := page.hear()) or (message["type"] == "state" and not message[field]):
        pass
    return message[field]


def hears_type(page: Socket, kind: str) -> dict[str, Any]:
    while (message := page.hear())["type"] != kind:
        pass
    return message


def test_listens_to_this_machine_alone() -> None:
    with listen(port=0) as opened:
        assert opened.getsockname()[0] == "127.0.0.1"
        assert opened.family == socket.AF_INET


def test_an_app_can_be_made_before_its_table_runs() -> None:
    source = HandMoved()
    assert create_app(Runner(source, KnowsAll(source)), Rulings.by_book(None)).title == "tableref"
