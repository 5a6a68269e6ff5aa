"""Who may come in, and do what: as somebody in the network would try it."""

from __future__ import annotations

import base64
import errno
import os
import stat
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from itsdangerous import TimestampSigner
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.websockets import WebSocketDisconnect
from websockets.exceptions import InvalidStatus

from engine.errors import TableRefError
from server.pipeline.runner import Runner
from server.serving.app import create_app
from server.table.questions.rulings import Rulings
from server.web import passes
from server.web.authentication import COOKIE, ROLES, Authenticator, Role, kept_key, may
from server.web.joining import LEAVE_AT_ONCE
from server.web.middleware import MAX_BODY, REQUESTS_AT_ONCE, SOCKETS_EACH, Guard
from tests.server.conftest import Served, joined, serving
from tests.server.fakes import HandMoved, KnowsAll, wait_until

with warnings.catch_warnings():
    # It would rather have another HTTP client, and says so by a warning.
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

TABLE = "http://192.168.1.20:8014"
SOCKET = "ws://192.168.1.20:8014/ws"
PHONE = "192.168.1.9"
AUTHENTICATOR = Authenticator(bytes(range(32)), f"{TABLE}/")


@pytest.fixture(scope="module")
def live() -> Iterator[Runner]:
    source = HandMoved()
    with Runner(source, KnowsAll(source)) as one:
        wait_until("the first moment", lambda: one.moment is not None)
        yield one


def at(live: Runner, client: str = PHONE, authenticator: Authenticator = AUTHENTICATOR) -> TestClient:
    """A browser on a device with this address."""
    app = create_app(live, Rulings.by_book(None), authenticator=authenticator)
    return TestClient(app, base_url=TABLE, client=(client, 50000), follow_redirects=False)


def with_payload(token: str, payload: bytes) -> str:
    """The pass with something else in it."""
    _, *signed = token.split(".")
    return ".".join([base64.urlsafe_b64encode(payload).decode().rstrip("="), *signed])


FORGED = {
    "none": "",
    "a role": "owner",
    "empty": "..",
    "a link's secret": AUTHENTICATOR.secret("owner"),
    "another table's": Authenticator(bytes(32)).issue("owner"),
    "another role": with_payload(AUTHENTICATOR.issue("spectator"), b'["owner","0123456789abcdef"]'),
    "no JSON": with_payload(AUTHENTICATOR.issue("player"), b"no JSON"),
    "cut off": AUTHENTICATOR.issue("owner")[:-2],
    "no ASCII": "é" + AUTHENTICATOR.issue("owner"),
}


def invited(live: Runner, role: Role) -> TestClient:
    phone = at(live)
    assert phone.post("/api/join", json={"secret": AUTHENTICATOR.secret(role)}).json()["role"] == role
    return phone


def shown(one: Served, role: Role, client: str = PHONE) -> dict[str, str]:
    """The headers of a device with this address and a pass: behind a proxy that the server trusts."""
    return {"x-forwarded-for": client, "cookie": f"{COOKIE}={one.server.authenticator.issue(role)}"}


@pytest.mark.parametrize(
    ("method", "path", "owner", "player", "camera", "spectator"),
    [
        ("GET", "/", True, True, True, True),
        ("GET", "/api/state", True, True, True, True),
        ("GET", "/api/ruling", True, True, True, True),
        ("GET", "/api/links", True, False, False, False),
        ("GET", "/api/links/square.svg", True, False, False, False),
        ("POST", "/api/calibrate/solve", True, False, False, False),
        ("POST", "/api/source", True, False, False, False),
        ("POST", "/api/disputes", True, True, False, False),
        ("POST", "/api/disputes/3/reply", True, True, False, False),
        ("DELETE", "/api/disputes/3", True, True, False, False),
        ("DELETE", "/api/games/3", True, False, False, False),
        ("PUT", "/api/anything", True, False, False, False),
    ],
)
def test_who_may_ask_what(
    method: str, path: str, owner: bool, player: bool, camera: bool, spectator: bool
) -> None:
    assert [may(role, method, path) for role in ROLES] == [owner, player, camera, spectator]


class TestStrangers:
    @pytest.mark.parametrize("path", ["/", "/camera", "/calibrate", "/nowhere"])
    def test_are_shown_how_to_come_in_and_nothing_else(self, live: Runner, path: str) -> None:
        answer = at(live).get(path, headers={"accept": "text/html"})
        assert answer.status_code == 401
        assert "You need an invitation" in answer.text

    @pytest.mark.parametrize(
        "path", ["/api/state", "/api/picture.jpg", "/api/me", "/api/links", "/healthz", "/openapi.json"]
    )
    def test_are_told_nothing_of_the_table(self, live: Runner, path: str) -> None:
        answer = at(live).get(path)
        assert answer.status_code == 401
        assert "invited" in answer.json()["error"]

    @pytest.mark.parametrize("path", ["/ws", "/ws/camera"])
    def test_hold_no_connection(self, live: Runner, path: str) -> None:
        with pytest.raises(WebSocketDisconnect) as closed, at(live).websocket_connect(path):
            pass
        assert closed.value.code == 1008

    @pytest.mark.parametrize(
        "secret", ["", "x", "é", AUTHENTICATOR.secret("owner")[:-1], Authenticator(bytes(32)).secret("owner")]
    )
    def test_with_a_wrong_secret_stay_strangers(self, live: Runner, secret: str) -> None:
        phone = at(live)
        answer = phone.post("/api/join", json={"secret": secret})
        assert answer.status_code in (403, 422)
        assert COOKIE not in phone.cookies
        assert phone.get("/api/state").status_code == 401

    @pytest.mark.parametrize("token", FORGED.values(), ids=FORGED)
    def test_with_a_forged_pass_stay_strangers(self, live: Runner, token: str) -> None:
        cookie = f"{COOKIE}={token}".encode("latin-1")
        assert at(live).get("/api/state", headers={"cookie": cookie}).status_code == 401

    @pytest.mark.parametrize(("days", "status"), [(13, 200), (15, 401), (-30, 200)])
    def test_a_pass_is_worth_as_much_as_its_cookie(
        self, live: Runner, monkeypatch: pytest.MonkeyPatch, days: int, status: int
    ) -> None:
        """One of the future comes from a machine whose clock has no battery, and stays good."""
        issued = int(time.time()) - days * 86400
        monkeypatch.setattr(TimestampSigner, "get_timestamp", lambda _: issued)
        cookie = {"cookie": f"{COOKIE}={AUTHENTICATOR.issue('spectator')}"}
        assert at(live).get("/api/me", headers=cookie).status_code == status

    def test_behind_a_proxy_of_this_machine_are_not_the_owner(self, live: Runner) -> None:
        here = at(live, "127.0.0.1")
        assert here.get("/api/me").json()["role"] == "owner"
        assert here.get("/api/me", headers={"x-forwarded-for": "203.0.113.5"}).status_code == 401
        assert here.get("/api/me", headers={"forwarded": "for=203.0.113.5"}).status_code == 401


class TestLinks:
    @pytest.mark.parametrize("role", ROLES)
    def test_give_a_pass_that_only_the_browser_sees(self, live: Runner, role: Role) -> None:
        phone = at(live)
        answer = phone.post("/api/join", json={"secret": AUTHENTICATOR.secret(role)})
        cookie = answer.headers["set-cookie"].casefold()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert AUTHENTICATOR.secret(role) not in answer.headers["set-cookie"]
        assert phone.get("/api/me").json()["role"] == role

    def test_tell_two_phones_of_one_role_apart(self) -> None:
        first, second = (AUTHENTICATOR.bearer(AUTHENTICATOR.issue("player")) for _ in range(2))
        assert first is not None
        assert second is not None
        assert first.role == second.role == "player"
        assert first.device != second.device

    def test_carry_their_secret_where_no_log_sees_it(self) -> None:
        link = AUTHENTICATOR.link("player", "/screen")
        assert link == f"{TABLE}/join?to=/screen#{AUTHENTICATOR.secret('player')}"

    def test_are_shown_to_the_owner_as_squares(self, live: Runner) -> None:
        owner = invited(live, "owner")
        links = owner.get("/api/links").json()
        assert [one["role"] for one in links["links"]] == list(ROLES)
        assert owner.get(links["links"][1]["square"]).text.startswith("<?xml")
        assert invited(live, "player").get("/api/links").status_code == 403

    def test_are_none_while_this_machine_answers_itself_alone(self, live: Runner) -> None:
        alone = at(live, "127.0.0.1", Authenticator())
        assert alone.get("/api/links").json()["links"] == []
        assert "--lan" in alone.get("/api/links").json()["why"]
        assert alone.get("/api/links/square.svg").status_code == 404

    def test_a_program_may_show_the_secret_itself(self, live: Runner) -> None:
        bearer = {"authorization": f"Bearer {AUTHENTICATOR.secret('spectator')}"}
        assert at(live).get("/api/me", headers=bearer).json()["role"] == "spectator"

    def test_the_pass_can_be_given_back(self, live: Runner) -> None:
        here = at(live, "127.0.0.1")
        here.post("/api/join", json={"secret": AUTHENTICATOR.secret("spectator")})
        assert here.get("/api/me").json()["role"] == "spectator"
        here.post("/api/leave")
        assert here.get("/api/me").json()["role"] == "owner"


class TestPasses:
    """One pass a device, good until it runs out or is taken back."""

    def test_one_is_taken_back_and_the_others_stay(self, live: Runner, tmp_path: Path) -> None:
        table = Authenticator(bytes(32), f"{TABLE}/")
        table.passes.keep_in(tmp_path / "passes.json")
        phones = [at(live, authenticator=table) for _ in range(3)]
        for phone, role in zip(phones, ("owner", "player", "player"), strict=True):
            phone.headers["user-agent"] = "Mozilla/5.0 (Linux; Android 14) Chrome/120.0 Mobile Safari/537.36"
            phone.post("/api/join", json={"secret": table.secret(role)})
            assert phone.get("/api/me").json()["role"] == role
        owner, stays, goes = phones
        listed = owner.get("/api/passes").json()
        assert [(one["role"], one["words"]) for one in listed] == [("player", "Chrome on Android")] * 2
        assert stays.get("/api/passes").status_code == 403
        assert stays.delete(f"/api/passes/{listed[0]['device']}").status_code == 403
        assert owner.delete(f"/api/passes/{listed[0]['device']}").status_code == 204
        assert (goes.get("/api/me").status_code, stays.get("/api/me").status_code) == (401, 200)
        assert owner.delete("/api/passes/nobody").status_code == 404
        assert len(owner.get("/api/passes").json()) == 1
        again = Authenticator(bytes(32), f"{TABLE}/")  # started anew
        told: list[str] = []
        again.passes.watch(told.append)
        again.passes.keep_in(tmp_path / "passes.json")
        again.passes.watch(told.append)  # who asks later is told as well
        again.passes.take_back("another")
        assert told == [listed[0]["device"]] * 2 + ["another"] * 2
        assert again.bearer(goes.cookies[COOKIE]) is None
        assert again.bearer(stays.cookies[COOKIE]) is not None

    def test_what_cannot_be_written_down_is_taken_back_all_the_same(
        self, live: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """On a full disk whoever had left kept the seat, and nobody else could sit down there."""
        table = Authenticator(bytes(32), f"{TABLE}/")
        table.passes.keep_in(tmp_path / "passes.json")
        phone, told = at(live, authenticator=table), list[str]()
        table.passes.watch(told.append)
        phone.post("/api/join", json={"secret": table.secret("player")})

        def no_room(*_: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as full:
            full.setattr(passes, "write_private", no_room)
            refused = phone.post("/api/leave")
        assert refused.status_code == 409
        assert "--new-links" in refused.json()["error"]
        assert str(tmp_path) not in refused.text
        assert len(told) == 1
        assert phone.get("/api/me").status_code == 401

    def test_an_open_connection_ends_with_its_pass(self, live: Runner) -> None:
        phone = at(live, authenticator=(table := Authenticator(bytes(32), f"{TABLE}/")))
        phone.post("/api/join", json={"secret": table.secret("player")})
        with phone.websocket_connect(SOCKET) as page:
            page.receive_json()
            known = table.by_cookie(Headers({"cookie": f"{COOKIE}={phone.cookies[COOKIE]}"}))
            assert known is not None
            table.passes.take_back(known.device)
            page.send_json({"type": "show", "view": "picture", "unit": "in"})
            while (told := page.receive())["type"] != "websocket.close":
                assert told["type"] == "websocket.send"
            assert (told["code"], told["reason"]) == (1008, "your pass was taken back")

    def test_scanning_again_makes_no_second_device(self, live: Runner) -> None:
        phone = at(live)
        devices = []
        for role in ("player", "spectator", "player"):
            phone.post("/api/join", json={"secret": AUTHENTICATOR.secret(role)})
            who = AUTHENTICATOR.bearer(phone.cookies[COOKIE])
            assert who is not None
            devices.append(who.device)
        assert len(set(devices)) == 1

    def test_a_players_phone_that_comes_in_to_look_on_leaves_its_seat(self, live: Runner) -> None:
        """Its player's dice and consent were waited for on a phone that could give neither."""
        table = Authenticator(bytes(32), f"{TABLE}/")
        phone, left = at(live, authenticator=table), list[str]()
        table.passes.watch(left.append)
        for role in ("spectator", "player", "player", "owner", "player"):
            phone.post("/api/join", json={"secret": table.secret(role)})  # type: ignore[arg-type]
        assert left == []
        phone.post("/api/join", json={"secret": table.secret("spectator")})
        who = table.bearer(phone.cookies[COOKIE])
        assert who is not None
        assert (who.role, left) == ("spectator", [who.device])

    def test_one_that_was_given_back_is_good_for_nobody(self, live: Runner) -> None:
        phone = invited(live, "player")
        copied = phone.cookies[COOKIE]
        phone.post("/api/leave")
        assert AUTHENTICATOR.bearer(copied) is None

    def test_whoever_leaves_and_comes_again_and_again_is_remembered_so_often_at_most(
        self, live: Runner
    ) -> None:
        phone = at(live)
        for _ in range(LEAVE_AT_ONCE + 10):
            phone.post("/api/join", json={"secret": AUTHENTICATOR.secret("player")})
            kept = phone.cookies[COOKIE]
            if phone.post("/api/leave").status_code == 429:
                break
        assert phone.cookies[COOKIE] == kept
        assert AUTHENTICATOR.bearer(kept) is not None

    def test_what_cannot_be_read_of_those_taken_back_is_told(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        (tmp_path / "passes.json").write_text("[1, 2")
        Authenticator(bytes(32)).passes.keep_in(tmp_path / "passes.json")
        assert "--new-links" in caplog.text


class TestRoles:
    def test_a_spectator_changes_nothing(self, live: Runner) -> None:
        phone = invited(live, "spectator")
        assert phone.get("/api/state").status_code == 200
        assert phone.post("/api/calibrate/begin", json={}).status_code == 403
        with serving() as one, joined(one.url, additional_headers=shown(one, "spectator")) as page:
            page.hear()
            page.send(type="move", piece="RED1", x=30, y=30, heading=0)
            while (said := page.hear())["type"] != "refused":
                pass
            assert "cannot move pieces" in said["error"]
            assert one.source.poses["RED1"].x != 30

    def test_a_camera_is_no_player(self, live: Runner) -> None:
        assert invited(live, "camera").post("/api/disputes").status_code == 403

    def test_a_page_of_another_site_asks_in_vain(self, live: Runner) -> None:
        for phone in (invited(live, "owner"), at(live, "127.0.0.1")):
            answer = phone.post("/api/calibrate/begin", json={}, headers={"origin": "http://evil.example"})
            assert answer.status_code == 403
            with (
                pytest.raises(WebSocketDisconnect) as closed,
                phone.websocket_connect(SOCKET, headers={"origin": "http://evil.example"}),
            ):
                pass
            assert closed.value.reason == "foreign origin"


class TestFloods:
    def test_a_flood_of_requests_is_cut_off_for_its_address_alone(self) -> None:
        guard = Guard(
            PlainTextResponse("in"),
            lambda _, why: PlainTextResponse("", why.status_code),
            AUTHENTICATOR,
            lambda: 0.0,
        )
        bearer = {"authorization": f"Bearer {AUTHENTICATOR.secret('spectator')}"}
        phone, other = (
            TestClient(guard, base_url=TABLE, client=(f"192.168.1.{n}", 5), headers=bearer) for n in (9, 77)
        )
        codes = [phone.get("/").status_code for _ in range(REQUESTS_AT_ONCE + 1)]
        assert codes == [200] * REQUESTS_AT_ONCE + [429]
        assert other.get("/").status_code == 200

    def test_one_address_holds_only_so_many_connections(self) -> None:
        with serving() as one, ExitStack() as held:
            phone = shown(one, "spectator")
            for _ in range(SOCKETS_EACH):
                held.enter_context(joined(one.url, additional_headers=phone))
            with pytest.raises(InvalidStatus), joined(one.url, additional_headers=phone):
                pass
            with joined(one.url, additional_headers=shown(one, "spectator", "192.168.1.77")) as other:
                assert other.hear()["type"] == "state"

    @pytest.mark.parametrize("said", [True, False])
    def test_a_message_that_is_too_long_is_not_read(self, live: Runner, said: bool) -> None:
        body = b'"' + b"x" * MAX_BODY + b'"'
        content = body if said else iter([body[:1000], body[1000:]])
        answer = at(live).post("/api/join", content=content, headers={"content-type": "application/json"})
        assert answer.status_code == 413

    def test_a_length_that_is_no_number(self, live: Runner) -> None:
        assert at(live).post("/api/join", headers={"content-length": "-5"}).status_code == 400


def test_the_key_is_kept_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "links.key"
    first = kept_key(file)
    assert len(first) == 32
    assert kept_key(file) == first
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert kept_key(file, anew=True) != first
    file.write_text("nonsense", encoding="ascii")
    assert kept_key(file) == kept_key(file)


def test_a_key_that_cannot_be_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="ascii")
    with pytest.raises(TableRefError, match="make its folder writable"):
        kept_key(tmp_path / "file" / "links.key")
