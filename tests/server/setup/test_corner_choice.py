"""Other corner tags than 0 to 3, and prints of two tables that lie mixed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import cv2
import httpx
import pytest

from calibration.tablefile import load_table
from server.setup.corner_choice import CORNERS, chosen_corners
from server.setup.table_changes import SetupError
from tests.server.fakes import PATIENCE, wait_until
from tests.server.firsttime import FirstTime, first_time
from vision.simulate.live import SimulatedTable
from vision.simulate.scene import Scene
from vision.simulate.scenes import named_scene


def with_corners(ids: tuple[int, int, int, int]) -> Scene:
    scene = named_scene("first")
    return replace(scene, corners=tuple(replace(c, tag=i) for c, i in zip(scene.corners, ids, strict=True)))


def with_a_second(tag: int, in_place_of: str) -> Scene:
    """A car carries a tag that is on the table already."""
    scene = named_scene("first")
    pieces = [
        replace(p, mount=replace(p.mount, tag=tag)) if p.name == in_place_of and p.mount is not None else p
        for p in scene.pieces
    ]
    return replace(scene, pieces=tuple(pieces))


def photographed(scene: Scene, file: Path) -> Path:
    source = SimulatedTable(scene)
    cv2.imwrite(str(file), source.read().image)
    source.close()
    return file


@contextmanager
def watched(scene: Scene, tmp_path: Path) -> Iterator[tuple[FirstTime, httpx.Client]]:
    picture = photographed(scene, tmp_path / "picture.png")
    with (
        first_time(tmp_path / "tables", str(picture)) as first,
        httpx.Client(base_url=first.server.address, timeout=PATIENCE) as client,
    ):
        wait_until("the first picture", lambda: first.live.moment is not None)
        yield first, client


def test_a_table_with_other_corner_tags_is_kept(tmp_path: Path) -> None:
    with watched(with_corners((60, 62, 61, 63)), tmp_path) as (first, client):
        view = client.get("/api/setup").json()
        assert "No corner tag is seen" in view["next"]
        assert (view["surface"]["corners"], view["surface"]["found"]) == ([0, 1, 2, 3], False)
        for wrong, says in [([60, 61, 62], "choose four, not 3"), ([60, 60, 61, 62], "choose four, not 3"),
                            ([60, 61, 62, 600], "choose ids up to 586")]:  # fmt: skip
            refused = client.post("/api/setup/corners", json={"tags": wrong})
            assert refused.status_code == 409
            assert says in refused.json()["error"]
        view = client.post("/api/setup/corners", json={"tags": [63, 60, 61, 62]}).json()
        assert view["surface"]["found"]
        assert view["surface"]["seen"] == [60, 61, 62, 63]
        assert [c["tag"] for c in view["cards"]] == [41, 42, 43, 44, 52]
        assert not any("corner" in words for words in view["findings"])
        client.post("/api/setup/surface", json={}).raise_for_status()
        table = load_table(first.file)
        # Round the table from its near left corner, whatever the order in which they were ticked.
        assert [t.tag for t in table.loose] == [60, 62, 61, 63]
        again = client.post("/api/setup/corners", json={"tags": [0, 1, 2, 3]})
        assert "set up already" in again.json()["error"]


def test_two_tags_that_are_both_a_corner_make_no_table(tmp_path: Path) -> None:
    with watched(with_a_second(1, in_place_of="Blue 1"), tmp_path) as (_, client):
        view = client.get("/api/setup").json()
        assert view["next"].startswith("Two tags 1 are in view, so nobody knows which marks the corner")
        assert not view["surface"]["found"]
        refused = client.post("/api/setup/surface", json={})
        assert "prints of two tables are mixed" in refused.json()["error"]
        # Other corners are chosen: the two are no corners any more, but still two.
        view = client.post("/api/setup/corners", json={"tags": [0, 2, 3, 44]}).json()
        assert "Two tags 1" not in view["next"]


def test_two_cars_with_one_tag_are_told(tmp_path: Path) -> None:
    with watched(with_a_second(42, in_place_of="Red 1"), tmp_path) as (_, client):
        view = client.get("/api/setup").json()
        assert view["surface"]["found"]
        assert [words for words in view["findings"] if "Two tags 42" in words] == [
            "Two tags 42 are in view: print one of them anew with an id of its own, or take it away."
        ]


def test_only_four_different_tags_can_be_corners() -> None:
    assert chosen_corners([3, 2, 1, 0]) == tuple(reversed(CORNERS))
    with pytest.raises(SetupError, match="choose four, not 1"):
        chosen_corners([7])
