"""The dispute over HTTP and WebSocket, as pages and strangers ask."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from server.web.authentication import Identity
from tests.server.conftest import Served, joined, serving
from tests.server.fakes import wait_until

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
    assert client.post("/api/disputes", json=ASK | {"pieces": ["RED1", "GREEN1"]}).status_code == 409
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
