"""Stills and video of a recorded game, from outside and played in a browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import cv2
import httpx
import numpy as np
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from playwright.sync_api import Browser

from server.pipeline.runner import Runner
from server.recording.library.games import Library
from server.recording.pictures.video import VideoWish, VideoWriter
from server.replay.pictures import pictures_router
from server.serving.run import PageServer, listen
from server.table.questions.rulings import Rulings
from tests.server.fakes import HandMoved, KnowsAll
from tests.server.recording import made


@pytest.fixture(scope="module")
def game(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> made.MadeGame:
    game = made.record_round(tmp_path_factory.mktemp("games"), samples, seconds=4.0)
    # A second segment as a crash leaves it: cut off in the middle of a fragment.
    folder = game.folder / "pictures" / game.id / "video"
    writer = VideoWriter(folder, VideoWish(96, 10))
    for k in range(45):
        writer.add(np.full((96, 160, 3), 5 * k, np.uint8), 60 + k / 10)
    part = next(folder.glob("*.part.mp4"))
    shutil.copy(part, folder / "cut")
    writer.close()
    next(folder.glob("0000060000-*")).unlink()
    part.write_bytes((folder / "cut").read_bytes()[:-50])
    return game


@pytest.fixture(scope="module")
def url(game: made.MadeGame) -> Iterator[str]:
    source = HandMoved()
    with Library.open(game.folder) as library:
        live = Runner(source, KnowsAll(source))
        with PageServer(
            live, Rulings.by_book(None), listen(port=0), routers=[pictures_router(library)]
        ) as server:
            yield server.address


def picture(answer: httpx.Response) -> np.ndarray:
    assert answer.headers["content-type"] == "image/jpeg"
    return cv2.imdecode(np.frombuffer(answer.content, np.uint8), cv2.IMREAD_COLOR)


def test_stills_and_frames(url: str, game: made.MadeGame) -> None:
    with httpx.Client(base_url=f"{url}api/games/{game.id}/", timeout=120) as client:
        assert picture(client.get("stills/1.jpg")).shape == (1080, 1920, 3)
        assert picture(client.get("frame.jpg", params={"t": 2.0})).shape == (360, 640, 3)
        for nothing in ("stills/999.jpg", "frame.jpg?t=5000", "video/7.mp4"):
            answer = client.get(nothing)
            assert (answer.status_code, bool(answer.json()["error"])) == (404, True)
    assert httpx.get(f"{url}api/games/nobody/video", timeout=120).status_code == 404


def test_a_segment_is_given_in_parts(url: str, game: made.MadeGame) -> None:
    first, second = httpx.get(f"{url}api/games/{game.id}/video", timeout=120).json()
    assert (first["whole"], second["whole"]) == (True, False)
    whole = httpx.get(url.rstrip("/") + first["url"])
    assert whole.headers["content-type"] == "video/mp4"
    part = httpx.get(url.rstrip("/") + first["url"], headers={"range": "bytes=100-199"})
    assert (part.status_code, part.content) == (206, whole.content[100:200])


PLAYS = """async (url) => {
  const video = document.createElement("video");
  video.muted = true;
  video.src = url;
  document.body.append(video);
  await new Promise((done, failed) => {
    video.onloadeddata = done;
    video.onerror = () => failed(new Error(video.error.message));
  });
  await video.play();
  await new Promise((done) => setTimeout(done, 700));
  const played = video.currentTime;
  video.pause();
  video.currentTime = 2.5;
  await new Promise((done) => { video.onseeked = done; });
  return [played, video.currentTime, video.duration, video.videoHeight];
}"""


def test_a_browser_plays_every_segment_and_seeks_in_it(
    url: str, game: made.MadeGame, browser: Browser
) -> None:
    page = browser.new_page()
    page.goto(url)
    first, second = httpx.get(f"{url}api/games/{game.id}/video", timeout=120).json()
    played, sought, lasts, high = page.evaluate(PLAYS, first["url"])
    assert played > 0.2
    assert sought == pytest.approx(2.5)
    assert lasts == pytest.approx(first["ends_s"] - first["begins_s"], abs=0.15)
    assert high == 360
    played, sought, _, high = page.evaluate(PLAYS, second["url"])
    assert played > 0.2, "one that a crash has cut off plays, too"
    assert (sought, high) == (2.5, 96)
    page.close()


PATHS = [
    "/api/games/{id}/stills/{number}.jpg", "/api/games/{id}/frame.jpg",
    "/api/games/{id}/video", "/api/games/{id}/video/{begins_ms}.mp4",
]  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_the_interface_keeps_its_word(url: str, path: str) -> None:
    operation = schemathesis.openapi.from_url(f"{url}openapi.json")[path]["GET"]

    @settings(max_examples=20, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy())
    def keeps_its_word(case: schemathesis.Case) -> None:
        case.call_and_validate()

    keeps_its_word()
