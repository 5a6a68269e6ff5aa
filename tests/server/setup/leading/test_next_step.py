"""What the set-up page says is to be done next, over cameras with a bad turn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import httpx
import pytest

from tests.server.fakes import wait_until
from tests.server.firsttime import first_time
from vision.frame import Image
from vision.simulate.drawing.render import Renderer
from vision.simulate.scenes import named_scene
from vision.tags.mirrored import MIRRORED_WORDS


@pytest.fixture(scope="module")
def drawn() -> Image:
    scene = named_scene("first", (1920, 1080))
    return Renderer(scene).picture([scene.snapshot], 0)


def wait_for(client: httpx.Client, words: str) -> dict[str, Any]:
    """What the page is told once these words are what is to be done."""
    view: dict[str, Any] = {}

    def is_said() -> bool:
        view.update(client.get("/api/setup").json())
        return words in view["next"]

    wait_until(words, is_said)
    return view


def test_a_mirrored_picture_is_to_be_mended_before_anything_else(drawn: Image, tmp_path: Path) -> None:
    plain, mirrored = tmp_path / "plain.png", tmp_path / "mirrored.png"
    cv2.imwrite(str(plain), drawn)
    cv2.imwrite(str(mirrored), drawn[:, ::-1])
    with (
        first_time(tmp_path / "tables", str(mirrored)) as first,
        httpx.Client(base_url=first.server.address, timeout=120) as client,
    ):
        view = wait_for(client, MIRRORED_WORDS)
        assert view["step"] == "camera"
        assert view["surface"]["words"] == "No tag can be read in a mirrored picture."
        assert view["findings"] == [], "it is not told twice"
        client.post("/api/source", json={"spec": str(plain)}).raise_for_status()
        view = wait_for(client, "All four corner tags are seen")
        assert view["step"] == "surface"
        client.post("/api/setup/surface", json={}).raise_for_status()
        client.post("/api/source", json={"spec": str(mirrored)}).raise_for_status()
        wait_for(client, MIRRORED_WORDS)
