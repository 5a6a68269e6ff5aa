"""A served table and a browser to look at it."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from fastapi.dependencies import models as dependencies
from httpx._config import DEFAULT_TIMEOUT_CONFIG
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, expect, sync_playwright
from websockets.sync.client import ClientConnection, connect

from server.pipeline.runner import Runner
from server.serving.run import PageServer, listen
from server.table.questions.rulings import Rulings
from server.web.authentication import COOKIE, Role
from tests import grounds  # noqa: F401 - draws the named tables once for all workers
from tests.server import once, plain  # noqa: F401 - begins to serve in a third less, and asks sooner
from tests.server.fakes import PATIENCE, HandMoved, KnowsAll, wait_until

if TYPE_CHECKING:
    from tests.server.gaming import Table

# Five seconds, Playwright's own and httpx's, are too few on a machine that runs everything else beside it.
expect.set_options(timeout=1000 * PATIENCE)
for _what in ("connect", "read", "write", "pool"):
    setattr(DEFAULT_TIMEOUT_CONFIG, _what, PATIENCE)

CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
)  # fmt: skip


@dataclass
class Served:
    """A table that is served, with its parts in reach."""

    source: HandMoved
    referee: KnowsAll
    live: Runner
    server: PageServer

    @property
    def url(self) -> str:
        return self.server.address

    @property
    def port(self) -> int:
        return int(self.url.rstrip("/").rsplit(":", 1)[1])


@contextmanager
def serving(
    source: HandMoved | None = None, port: int = 0, sd: float = 0.012, seen: bool = True
) -> Iterator[Served]:
    source = source or HandMoved()
    referee = KnowsAll(source, sd)
    live = Runner(source, referee)
    with PageServer(live, Rulings.by_book(None), listen(port=port)) as server:
        if seen:
            wait_until("the first moment", lambda: live.moment is not None)
        yield Served(source, referee, live, server)


@pytest.fixture(autouse=True)
def _no_table_stays() -> Iterator[None]:
    """Lets go of the tables of a test: FastAPI remembers the functions of every application, and with them
    a table with all its pictures, gigabytes by the end of a run.
    """
    yield
    for one in vars(dependencies).values():
        if hasattr(one, "cache_clear"):
            one.cache_clear()


@pytest.fixture
def served() -> Iterator[Served]:
    with serving() as one:
        yield one


def patient(begin: Callable[..., Any]) -> Callable[..., Any]:
    """Begins contexts or pages whose actions wait as long as everything else does."""

    def begun(**how: Any) -> Any:
        one = begin(**how)
        one.set_default_timeout(1000 * PATIENCE)
        return one

    return begun


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """An installed Chromium or else Playwright's own, for a whole run; its camera shows a test picture."""
    installed = next((path for name in CHROMIUMS if (path := shutil.which(name))), None)
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(
                executable_path=installed, args=list(FLAGS), timeout=1000 * PATIENCE
            )
        except Error as error:
            said = error.message[:80]
            pytest.skip(f"needs Chromium: install it, or run 'playwright install chromium' ({said})")
        browser.new_context = patient(browser.new_context)  # type: ignore[method-assign]
        browser.new_page = patient(browser.new_page)  # type: ignore[method-assign]
        yield browser
        browser.close()


@pytest.fixture(autouse=True)
def _own_event_loop(request: pytest.FixtureRequest) -> Iterator[None]:
    """Once a browser runs, Playwright's event loop stays entered; tests without a browser may run another."""
    entered = asyncio._get_running_loop()
    if "browser" not in request.fixturenames:
        asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(entered)


@pytest.fixture(autouse=True)
def _no_window_stays(request: pytest.FixtureRequest, _own_event_loop: None) -> Iterator[None]:
    """Closes what a test opened: left open, it would ask for a server that is gone until the run ends."""
    if "browser" not in request.fixturenames:
        yield
        return
    browser: Browser = request.getfixturevalue("browser")
    before = list(browser.contexts)
    yield
    for context in browser.contexts:
        if context not in before:
            context.close()


def in_full(said: ConsoleMessage) -> str:
    """What a page logs, with the address that it is about."""
    return f"{said.text} {said.location.get('url', '')}"


OpenPlay = Callable[..., Page]
"""Opens the page of the game at a table, or another, in a window of a size and by a role's pass."""


@pytest.fixture
def open_play(browser: Browser) -> Iterator[OpenPlay]:
    """A window of its own each time; whatever a page throws fails the test."""
    contexts, complaints = [], []

    def opened(
        table: Table,
        size: tuple[int, int] = (1440, 900),
        role: Role = "owner",
        before: Callable[[Page], None] = lambda _: None,
        to: str = "play",
    ) -> Page:
        context = browser.new_context(viewport={"width": size[0], "height": size[1]})
        contexts.append(context)
        if role != "owner":
            issued = table.server.authenticator.issue(role)
            context.add_cookies([{"name": COOKIE, "value": issued, "url": table.url}])
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        before(page)
        page.goto(f"{table.url}{to}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def look(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens the page in a window of its own; whatever the page logs as an error fails the test."""
    contexts = []
    complaints: list[str] = []

    def open_page(url: str, width: int = 1440, height: int = 900, **more: object) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, **more)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(in_full(said)) if said.type == "error" else None)
        page.goto(url)
        page.wait_for_selector("#car-list button")
        return page

    yield open_page
    for context in contexts:
        context.close()
    # A connection that a test cuts is logged by the browser itself.
    assert [c for c in complaints if "WebSocket connection" not in c] == []


class Socket:
    """A page's connection as a program uses it."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    def send(self, **message: object) -> None:
        self.connection.send(json.dumps(message))

    def hear(self, timeout: float = PATIENCE) -> dict[str, Any]:
        """The next message; says at once that it has been drawn."""
        message = self.hear_only(timeout)
        if "number" in message:
            self.send(type="drawn", number=message["number"])
        return message

    def hear_only(self, timeout: float = PATIENCE) -> dict[str, Any]:
        text = self.connection.recv(timeout=timeout)
        assert isinstance(text, str)
        message = json.loads(text)
        assert isinstance(message, dict)
        return message


@contextmanager
def joined(url: str, **more: object) -> Iterator[Socket]:
    with connect(url.replace("http", "ws") + "ws", open_timeout=PATIENCE, **more) as connection:  # type: ignore[arg-type]
        yield Socket(connection)
