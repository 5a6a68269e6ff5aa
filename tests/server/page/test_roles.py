"""What each role may ask of the server, route by route, as `serve` serves them: nothing is left unsaid."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from starlette.routing import Mount, WebSocketRoute

from calibration.tablefile import parse_table
from server.pipeline.opening import Choice, Opener
from server.pipeline.runner import Runner
from server.recording.library.games import Library
from server.serving.assembly import assemble
from server.serving.run import PageServer, listen
from server.setup.cameras.sourcing import Chooser
from server.web.authentication import COOKIE, ROLES, Role, may_connect
from tests.server.fakes import HandMoved, KnowsAll, wait_until
from vision.simulate.scenes import named_scene

with warnings.catch_warnings():
    # It would rather have another HTTP client, and says so by a warning.
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

TABLE = "http://192.168.1.20:8014"

ALL = frozenset(ROLES)
PLAYERS: frozenset[Role] = frozenset({"owner", "player"})
OWNER: frozenset[Role] = frozenset({"owner"})
NOBODY: frozenset[Role] = frozenset()
"""Not from the network, whoever asks: at the machine itself alone."""

OPEN = {"GET /join", "POST /api/join", "POST /api/leave", "GET /static/{file}"}
"""What is answered before anybody has shown a secret."""

STATED: dict[str, frozenset[Role]] = {
    "GET /": ALL,
    "GET /api/calibrate/picture.jpg": ALL,
    "GET /api/camera/same": ALL,
    "GET /api/contradiction": ALL,
    "GET /api/disputes": ALL,
    "GET /api/disputes/now": ALL,
    "GET /api/disputes/offer": ALL,
    "GET /api/disputes/{id}/dispute.html": ALL,
    "GET /api/disputes/{id}/dispute.pdf": ALL,
    "GET /api/disputes/{id}/gunner.svg": ALL,
    "GET /api/disputes/{id}/pictures/{name}": ALL,
    "GET /api/disputes/{id}/plan.svg": ALL,
    "GET /api/disputes/{id}/seal.svg": ALL,
    "GET /api/disputes/{id}/questions": ALL,
    "GET /api/games": ALL,
    "GET /api/games/{id}": ALL,
    "GET /api/games/{id}/disputes": ALL,
    "GET /api/games/{id}/disputes/{dispute}/dispute.{kind}": ALL,
    "GET /api/games/{id}/entries": ALL,
    "GET /api/games/{id}/frame.jpg": ALL,
    "GET /api/games/{id}/gunner.svg": ALL,
    "GET /api/games/{id}/match": ALL,
    "GET /api/games/{id}/coach": ALL,
    "GET /api/games/{id}/sights": ALL,
    "GET /api/games/{id}/stills/{number}.jpg": ALL,
    "GET /api/games/{id}/video": ALL,
    "GET /api/games/{id}/video/{begins_ms}.mp4": ALL,
    "GET /api/gunner.svg": ALL,
    "GET /api/me": ALL,
    "GET /api/picture.jpg": ALL,
    "GET /api/play/sheets.pdf": ALL,
    "GET /api/play/counters.pdf": ALL,
    "GET /api/play/coach": PLAYERS,
    "GET /api/ruling": ALL,
    "GET /api/sources": ALL,
    "GET /api/state": ALL,
    "GET /api/questions": ALL,
    "GET /api/tour": ALL,
    "GET /calibrate": ALL,
    "GET /camera": ALL,
    "GET /healthz": ALL,
    "GET /join": ALL,
    "GET /openapi.json": ALL,
    "GET /overlay": ALL,
    "GET /play": ALL,
    "GET /replay": ALL,
    "GET /screen": ALL,
    "GET /static/{file}": ALL,
    "POST /api/join": ALL,
    "POST /api/leave": ALL,
    "POST /api/disputes": PLAYERS,
    "POST /api/disputes/now/about": PLAYERS,
    "POST /api/disputes/now/ask": PLAYERS,
    "POST /api/disputes/now/propose": PLAYERS,
    "POST /api/disputes/now/answer": PLAYERS,
    "POST /api/disputes/{id}/reopen": PLAYERS,
    "POST /api/disputes/now/release": PLAYERS,
    "DELETE /api/games/{id}": OWNER,
    "GET /api/exports/{token}/{name}": OWNER,
    "GET /lay": ALL,
    "GET /api/lay": ALL,
    "GET /api/lay/look": ALL,
    "GET /api/lay/map.pdf": ALL,
    "POST /api/lay": OWNER,
    "DELETE /api/lay/{name}": OWNER,
    "GET /api/links": OWNER,
    "GET /api/passes": OWNER,
    "DELETE /api/passes/{device}": OWNER,
    "GET /api/links/square.svg": OWNER,
    "POST /api/camera/same": OWNER,
    "POST /api/contradiction": OWNER,
    "POST /api/things": OWNER,
    "POST /api/things/keep": OWNER,
    "POST /api/things/look": OWNER,
    "POST /api/things/look/top": OWNER,
    "POST /api/things/moved": OWNER,
    "POST /api/things/off": OWNER,
    "POST /api/calibrate/begin": OWNER,
    "POST /api/calibrate/look": OWNER,
    "POST /api/calibrate/solve": OWNER,
    "POST /api/exports/{id}": OWNER,
    "GET /api/sources/{index}/picture.jpg": NOBODY,
    "POST /api/source": NOBODY,
    "WebSocket /ws": ALL,
    "WebSocket /ws/play": ALL,
    "WebSocket /ws/replay": ALL,
    "WebSocket /ws/tuio": ALL,
    "WebSocket /ws/camera": frozenset({"owner", "camera"}),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    """A table as it is served, its camera looked at by nobody."""
    source = HandMoved()
    with Runner(source, KnowsAll(source)) as live, Library.open(tmp_path_factory.mktemp("games")) as games:
        wait_until("the first moment", lambda: live.moment is not None)
        with listen(port=0) as opened:
            table = parse_table(named_scene("default").to_toml(), "the simulated table")
            chooser = Chooser(live, Opener(), Choice("sim"), webcams=tuple)
            yield assemble(chooser, opened, table, None, games).server


def routes_of(routes: Iterable[Any]) -> Iterator[str]:
    """`METHOD /path` of every route, also of those that routers brought in."""
    for route in routes:
        if hasattr(route, "original_router"):
            yield from routes_of(route.original_router.routes)
        elif isinstance(route, WebSocketRoute):
            yield f"WebSocket {route.path}"
        elif isinstance(route, Mount):
            yield f"GET {route.path}/{{file}}"
        else:
            yield from (f"{method} {route.path}" for method in route.methods - {"HEAD"})


def test_of_every_route_it_is_stated_for_whom_it_is(server: PageServer) -> None:
    assert sorted(routes_of(server.app.routes)) == sorted(STATED)


@pytest.mark.parametrize("role", [*ROLES, None])
def test_whoever_asks_gets_what_is_stated_and_nothing_else(server: PageServer, role: Role | None) -> None:
    # What is good in itself, so that who asks is all that can be wrong with it.
    bodies = {
        "POST /api/join": {"secret": server.authenticator.secret("spectator")},
        "POST /api/source": {"spec": "no-such-clip.mp4"},
    }
    whoever = f"{role or 'a stranger'} on the network"
    # One loop for all of them: what rests between two answers waits on it.
    with TestClient(server.app, base_url=TABLE, client=(whoever, 5)) as phone:
        for asked, roles in STATED.items():
            method, path = asked.split(" ")
            path = re.sub(r"{\w+}", "1", path)
            # A pass of its own for each: one that is given back is good for nothing else.
            phone.headers["cookie"] = "" if role is None else f"{COOKIE}={server.authenticator.issue(role)}"
            if method == "WebSocket":
                through = role is not None and may_connect(role, path)
            else:
                answer = phone.request(method, path, json=bodies.get(asked), follow_redirects=False)
                through = answer.status_code not in (401, 403)
            assert through == (role in roles or asked in OPEN), asked


def test_the_description_says_who_is_turned_away(server: PageServer) -> None:
    at_home = TestClient(server.app, base_url="http://localhost:8014", client=("127.0.0.1", 5))
    paths = at_home.get("/openapi.json").json()["paths"]
    described = {
        f"{method.upper()} {path}": o["responses"]
        for path, all_ in paths.items()
        for method, o in all_.items()
    }
    assert len(described) > 50
    assert described.keys() <= STATED.keys()
    for asked, responses in described.items():
        assert ("401" in responses) == (asked not in OPEN), asked
        assert STATED[asked] == ALL or "403" in responses, asked


@pytest.mark.parametrize(("asked", "roles"), [pytest.param(a, r, id=a) for a, r in STATED.items() if not r])
def test_what_is_for_the_machine_itself_alone(server: PageServer, asked: str, roles: frozenset[Role]) -> None:
    """The owner in front of it may; neither a proxy on it, nor the owner's page elsewhere."""
    method, path = asked.split(" ")
    path = re.sub(r"{\w+}", "1", path)
    here = TestClient(server.app, base_url="http://localhost:8014", client=("127.0.0.1", 5))
    body = {"spec": "no-such-clip.mp4"}
    owner = {"cookie": f"{COOKIE}={server.authenticator.issue('owner')}"}
    assert here.request(method, path, json=body).status_code in (404, 409)
    for via in ("forwarded", "x-forwarded-for"):
        assert (
            here.request(method, path, json=body, headers=owner | {via: "for=192.168.1.9"}).status_code == 403
        )
