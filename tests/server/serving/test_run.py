"""Ports, addresses, certificates, and what `serve` puts together."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect

from calibration.tablefile import parse_table
from engine.errors import TableRefError
from engine.game.log.places import Place
from engine.space.geometry import Pose
from server.pipeline.opening import Choice, Opener
from server.pipeline.referee import Referee
from server.pipeline.runner import Runner
from server.play.view import SharedView
from server.serving.assembly import assemble, put_as_left
from server.serving.memory import give_back
from server.serving.run import PageServer, address_of, listen
from server.setup.cameras.sourcing import Chooser
from server.table.questions.rulings import Rulings
from server.web.authentication import Identity
from server.web.certificates import Certificate, network_address
from server.web.connections import BoundedProtocol
from tests.server.fakes import PATIENCE, HandMoved, KnowsAll, wait_until
from vision.simulate.live import SimulatedTable
from vision.simulate.scenes import named_scene


def page_server() -> PageServer:
    source = HandMoved()
    return PageServer(Runner(source, KnowsAll(source)), Rulings.by_book(None), listen(port=0))


def test_addresses_are_printed_as_they_can_be_opened() -> None:
    with listen(port=0) as opened:
        port = opened.getsockname()[1]
        assert address_of(opened) == f"http://127.0.0.1:{port}/"
        assert address_of(opened, secure=True) == f"https://127.0.0.1:{port}/"
    with listen("0.0.0.0", 0) as opened:  # the whole network: somebody asked for it
        assert address_of(opened) == f"http://{network_address()}:{opened.getsockname()[1]}/"


def test_runs_until_it_is_stopped_and_says_when_it_is_ready() -> None:
    server = page_server()
    answers: list[int] = []

    def ready(address: str) -> None:
        def ask() -> None:
            answers.append(httpx.get(address).status_code)
            server.stop()

        threading.Thread(target=ask).start()

    server.run(ready=ready)
    assert answers == [200]
    assert server.live.snapshot.state == "stopped"


def test_runs_for_a_while() -> None:
    server = page_server()
    server.run(seconds=0.1)
    assert server.live.snapshot.state == "stopped"


def test_a_certificate_that_is_none(tmp_path: Path) -> None:
    file = tmp_path / "cert.pem"
    file.write_text("no certificate", encoding="utf-8")
    with pytest.raises(TableRefError, match="PEM files that belong together"):
        Certificate(file, file)
    with pytest.raises(TableRefError, match="PEM files that belong together"):
        Certificate(tmp_path / "missing.pem", file)


def test_serves_over_https(tmp_path: Path) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs the openssl command to make a certificate")
    chain, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    subprocess.run(
        [
            openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(chain),
        ],
        check=True,
        capture_output=True,
    )  # fmt: skip
    source = HandMoved()
    live = Runner(source, KnowsAll(source))
    trusted = ssl.create_default_context(cafile=str(chain))
    with PageServer(live, Rulings.by_book(None), listen(port=0), Certificate(chain, key)) as server:
        assert server.address.startswith("https://127.0.0.1:")
        assert httpx.get(server.address, verify=trusted).status_code == 200
        assert asyncio.run(first_message(server.address.replace("https", "wss") + "ws", trusted)) == "state"


async def first_message(url: str, trusted: ssl.SSLContext) -> str:
    """The type of what a page is told first."""
    # Not with the client of `websockets.sync`: its threads read and write one TLS connection at once, and
    # of some 40 connections one never sent its request.
    async with connect(url, ssl=trusted) as page:
        told = json.loads(await asyncio.wait_for(page.recv(), 120))
    return str(told["type"])


def test_a_connection_that_came_too_late_to_be_told_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Browsers open connections ahead of need: one that came while the server ended was left open."""
    monkeypatch.setattr(BoundedProtocol, "shutdown", lambda _: None)
    with page_server() as server:
        late = socket.create_connection(("127.0.0.1", server._socket.getsockname()[1]))
        wait_until("the connection", lambda: len(server._server.server_state.connections) == 1)
    with late:
        assert not server._server.server_state.connections
        late.settimeout(PATIENCE)
        with contextlib.suppress(ConnectionResetError):
            assert late.recv(1) == b""


def test_an_answer_does_not_wait_for_an_acknowledgement() -> None:
    with listen(port=0) as opened:
        assert opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


# The game of the table file


@pytest.mark.parametrize(
    ("said", "title"),
    [("", "White Line Fever"), ('game = "shattered-highways"\n', "Shattered Highways")],
)
def test_the_game_of_the_table_file_is_set_up(said: str, title: str) -> None:
    text = named_scene("default").to_toml().replace("[table]\n", f"[table]\n{said}", 1)
    table = parse_table(text, "the simulated table")
    source = HandMoved()
    with Runner(source, KnowsAll(source)) as live, listen(port=0) as opened:
        chooser = Chooser(live, Opener(), Choice("sim"), webcams=tuple)
        served = assemble(chooser, opened, table, None, None)
        state = json.loads(SharedView(served.match, live).sent(Identity("owner"))[0])
        assert state["game"]["title"] == title
        assert (state["phase"], state["draft"]["game"]) == ("setup", state["game"]["id"])


def test_memory_that_lies_free_is_given_back_until_the_server_ends() -> None:
    trimmed = threading.Event()

    async def serve() -> None:
        giving = asyncio.create_task(give_back(0.0, lambda _: trimmed.set()))
        while not trimmed.is_set():
            await asyncio.sleep(0)
        giving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await giving

    asyncio.run(serve())
    assert trimmed.is_set()


def test_what_is_loaded_at_the_start_is_not_looked_through_again() -> None:
    """In a process of its own: what is left aside so stays aside."""
    code = (
        "import gc, server.commands.cli; from server.serving.memory import stays; "
        "gc.disable(); before = len(gc.get_objects()); stays(); print(before, len(gc.get_objects()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    before, after = map(int, done.stdout.split())
    assert after < before / 100


def test_a_simulated_table_stands_as_the_game_that_goes_on_left_it() -> None:
    source = SimulatedTable(named_scene("default"))
    live = Runner(source, Referee(parse_table(source.scene.to_toml(), "simulated")))
    host: Any = SimpleNamespace(match=None)
    put_as_left(live, host)
    assert source.poses() == source.scene.start
    places = {"Red 1": Place(20.0, 12.0, 0.5), "Gone": Place(1.0, 1.0, 0.0)}
    host.match = SimpleNamespace(
        places=places, state=None, game=SimpleNamespace(removed=lambda _: (), shed=lambda _: ())
    )
    put_as_left(live, host)
    assert source.poses() == source.scene.start | {"Red 1": Pose(20.0, 12.0, 0.5)}


def test_what_a_game_took_off_a_simulated_table_is_not_there_when_it_starts_again() -> None:
    def left(
        removed: Callable[[object], tuple[str, ...]], shed: tuple[str, ...] = (), **places: Place
    ) -> tuple[set[str], set[str]]:
        source = SimulatedTable(named_scene("road"))
        live = Runner(source, Referee(parse_table(source.scene.to_toml(), "simulated")))
        match = SimpleNamespace(
            places={name.replace("_", " "): place for name, place in places.items()}, state=None,
            game=SimpleNamespace(removed=removed, shed=lambda _: shed, about=SimpleNamespace(title="A game")),
        )  # fmt: skip
        host: Any = SimpleNamespace(match=match, watch=lambda *_, **__: None)
        put_as_left(live, host)
        return set(source.scene.start) - set(source.poses()), set(source.poses())

    # It had a place before it went; what hangs on a Rig goes with it.
    gone, _ = left(lambda _: ("blue 1", "Red Rig"), Blue_1=Place(20.0, 12.0, 0.5))
    assert gone == {"Blue 1", "Red Rig", "Red Rig trailer"}
    # A trailer that was decoupled lay on the Rig that drives on.
    assert left(lambda _: (), ("Red Rig",), Red_Rig=Place(20.0, 12.0, 0.5))[0] == {"Red Rig trailer"}

    def stumbles(_: object) -> tuple[str, ...]:
        raise ValueError("a plug-in's own")

    assert left(stumbles)[0] == set()


@pytest.mark.parametrize("undone", [True, False])
def test_what_is_no_more_off_by_the_game_is_there_again_to_be_put_down(undone: bool) -> None:
    """As the program has begun anew no page has it: a deed was undone, or the game is put away."""
    source = SimulatedTable(named_scene("road"))
    live = Runner(source, Referee(parse_table(source.scene.to_toml(), "simulated")))
    gone = ["blue 1", "Red Rig"]
    match = SimpleNamespace(
        places={"Blue 1": Place(20.0, 12.0, 0.5)}, state=None,
        game=SimpleNamespace(
            removed=lambda _: tuple(gone), shed=lambda _: (), about=SimpleNamespace(title="A game")
        ),
    )  # fmt: skip
    changed: list[Callable[[], None]] = []
    host: Any = SimpleNamespace(match=match, watch=lambda wake, **_: changed.append(wake))
    put_as_left(live, host)
    (wake,) = changed
    wake()
    assert {"Blue 1", "Red Rig", "Red Rig trailer"} <= set(source.scene.start) - set(source.poses())
    if undone:
        gone.remove("blue 1")
    else:
        host.match = None
    wake()
    off = {"Red Rig", "Red Rig trailer"} if undone else set()
    assert set(source.scene.start) - set(source.poses()) == off
    assert source.poses()["Blue 1"] == (Pose(20.0, 12.0, 0.5) if undone else source.scene.start["Blue 1"])
