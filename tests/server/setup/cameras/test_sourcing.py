"""Which camera is used, as it was wished for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from server.pipeline.opening import Choice
from server.pipeline.runner import Runner
from server.serving.run import PageServer, listen
from server.setup.cameras.camera_wish import WishError, control_of, size_of, wish_of
from server.setup.cameras.sourcing import Chooser, Sources, sources_router
from server.table.questions.rulings import Rulings
from server.web.authentication import COOKIE, Identity
from tests.server.fakes import HandMoved, KnowsAll, wait_until
from tests.server.interface import keeps_its_word
from tests.volume import volume
from vision.source import CameraWish, Device, parse_source

CAMERAS = (Device(0, "HD Webcam"), Device(2, "Bench camera"))
Glance = Callable[[int], bytes | None]
JPEG = b"\xff\xd8 a small picture \xff\xd9"


class Camera(HandMoved):
    """A webcam that is waited for, and can be set as it runs."""

    def __init__(self) -> None:
        super().__init__(fps=50)
        self.wishes: list[CameraWish] = []
        self.gaps = ()

    @property
    def tunable(self) -> Camera:
        return self

    def ask_for(self, wish: CameraWish) -> None:
        self.wishes.append(wish)


class FakePlayer:
    """Opens whatever is asked for as a table moved by hand."""

    def __init__(self) -> None:
        self.begun: list[Choice] = []

    def begin(self, choice: Choice) -> tuple[HandMoved, KnowsAll]:
        asked = parse_source(choice.spec)
        self.begun.append(choice)
        source = Camera() if asked.kind == "webcam" else HandMoved(fps=50)
        source.name = asked.name
        return source, KnowsAll(source)


class Table:
    """A served table whose source can be chosen."""

    def __init__(self, glance: Glance | None = None) -> None:
        self.player = FakePlayer()
        choice = Choice("sim")
        self.live = Runner(*self.player.begin(choice))
        self.glances: list[int] = []
        glance = glance or self.glance
        self.chooser = Chooser(self.live, self.player, choice, webcams=lambda: CAMERAS, glance=glance)
        routers = [sources_router(self.chooser)]
        self.server = PageServer(self.live, Rulings.by_book(None), listen(port=0), routers=routers)

    def glance(self, index: int) -> bytes | None:
        self.glances.append(index)
        return JPEG if index == 2 else None


@contextmanager
def tables(glance: Glance | None = None) -> Iterator[Table]:
    one = Table(glance)
    with one.server:
        wait_until("the first moment", lambda: one.live.moment is not None)
        yield one


@pytest.fixture
def table() -> Iterator[Table]:
    with tables() as one:
        yield one


@pytest.fixture
def client(table: Table) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=table.server.address, timeout=120) as one:
        yield one


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if every request came from another machine."""
    monkeypatch.setattr("server.setup.cameras.sourcing.owner_is_here", lambda request: False)


def test_says_what_there_is_and_what_runs(client: httpx.Client) -> None:
    said = client.get("/api/sources").json()
    assert said["may_choose"]
    assert said["running"]["spec"] == "sim"
    assert [(c["index"], c["name"], c["running"]) for c in said["cameras"]] == [
        (0, "HD Webcam", False), (2, "Bench camera", False),
    ]  # fmt: skip
    assert "1920x1080" in said["sizes"]


def test_another_source_takes_over(table: Table, client: httpx.Client) -> None:
    asked = {"spec": "0", "size": "1280x720", "fps": 60, "focus": "lock", "exposure": "-6"}
    said = Sources.model_validate(client.post("/api/source", json=asked).json())
    assert (said.running.spec, said.running.size, said.running.exposure) == ("0", "1280x720", "-6")
    assert said.cameras[0].running
    assert table.player.begun[-1].wish == CameraWish((1280, 720), 60.0, "lock", -6.0)
    wait_until("the camera", lambda: table.live.snapshot.words == "Watching camera 0.")
    assert client.get("/api/state").json()["source"]["name"] == "camera 0"
    wait_until("the change is told", lambda: table.live.snapshot.events)
    assert [e.event.kind for e in table.live.snapshot.events] == ["source"]


def test_a_running_camera_is_set_as_it_runs(table: Table, client: httpx.Client) -> None:
    client.post("/api/source", json={"spec": "0"})
    camera = table.live.source
    client.post("/api/source", json={"spec": "0", "focus": "lock"})
    assert table.live.source is camera
    assert isinstance(camera, Camera)
    assert [w.focus for w in camera.wishes] == ["lock"]


@pytest.mark.parametrize(
    ("asked", "code", "says"),
    [
        ({"spec": "nothing.xyz"}, 409, "neither a camera nor a file"),
        ({"spec": "sim", "size": "big"}, 409, "expected a size such as 1920x1080"),
        ({"spec": "sim", "focus": "sharp"}, 409, "expected auto, lock or a number for focus"),
        ({"spec": ""}, 422, "spec"),
        ({"spec": "sim", "fps": 0}, 422, "fps"),
    ],
)
def test_what_cannot_be_is_refused_and_all_stays(
    table: Table, client: httpx.Client, asked: dict[str, Any], code: int, says: str
) -> None:
    source = table.live.source
    answer = client.post("/api/source", json=asked)
    assert answer.status_code == code
    assert says in answer.json()["error"]
    assert table.live.source is source


def test_pictures_of_cameras(table: Table, client: httpx.Client) -> None:
    assert client.get("/api/sources/2/picture.jpg").content == JPEG
    assert client.get("/api/sources/0/picture.jpg").status_code == 404
    assert client.get("/api/sources/7/picture.jpg").status_code == 404
    assert table.glances == [2, 0]
    client.post("/api/source", json={"spec": "0"})
    # The running camera is not opened a second time.
    assert client.get("/api/sources/0/picture.jpg").content[:2] == b"\xff\xd8"
    assert table.glances == [2, 0]


def test_elsewhere_nothing_can_be_chosen_or_seen(elsewhere: None, table: Table, client: httpx.Client) -> None:
    said = client.get("/api/sources").json()
    assert not said["may_choose"]
    assert "localhost" in said["why"]
    assert said["cameras"] == []
    assert said["running"]["spec"] == ""
    assert client.post("/api/source", json={"spec": "0"}).status_code == 403
    assert client.get("/api/sources/2/picture.jpg").status_code == 403
    assert len(table.player.begun) == 1


def test_a_spectator_at_the_machine_itself_is_told_no_path(table: Table, client: httpx.Client) -> None:
    """A spectator's link that is opened there shows what everybody is shown."""
    table.chooser.sample = "/home/someone/film.mp4"
    assert client.get("/api/sources").json()["sample"] == "/home/someone/film.mp4"
    seen = table.server.authenticator.pass_for(Identity("spectator", "0" * 16))
    said = client.get("/api/sources", headers={"cookie": f"{COOKIE}={seen}"}).json()
    assert (said["sample"], said["cameras"], said["running"]["spec"]) == (None, [], "")
    assert said["why"].startswith("Only the owner of the table may choose the source")
    picture = client.get("/api/sources/2/picture.jpg", headers={"cookie": f"{COOKIE}={seen}"})
    assert picture.status_code == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null"])
def test_a_page_of_another_site_chooses_nothing(table: Table, client: httpx.Client, origin: str) -> None:
    answer = client.post("/api/source", json={"spec": "0"}, headers={"origin": origin})
    assert answer.status_code == 403
    assert len(table.player.begun) == 1


@pytest.fixture(scope="module")
def kept() -> Iterator[Table]:
    with tables() as one:
        yield one


@pytest.mark.parametrize(
    ("path", "method"),
    [("/api/sources", "GET"), ("/api/sources/{index}/picture.jpg", "GET"), ("/api/source", "POST")],
)
def test_the_interface_keeps_its_word(kept: Table, path: str, method: str) -> None:
    keeps_its_word(kept.server.address, path, method, volume(30, 1000))


def test_the_options_together() -> None:
    assert wish_of("1280x720", 60.0, "lock", "-6") == CameraWish((1280, 720), 60.0, "lock", -6.0)
    assert wish_of("own", None, "Auto", "auto") == CameraWish(None, None)


@pytest.mark.parametrize("text", ["", "1920", "1920x", "x1080", "axb", "1920x1080x3", "-1x10"])
def test_a_size_that_is_none(text: str) -> None:
    with pytest.raises(WishError, match="expected a size such as 1920x1080"):
        size_of(text)


@pytest.mark.parametrize("text", ["", "locked", "nan", "inf", "1,5"])
def test_a_control_that_is_none(text: str) -> None:
    with pytest.raises(WishError, match="expected auto, lock or a number for focus"):
        control_of(text, "focus")
