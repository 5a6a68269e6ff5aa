"""Setting a table up, and what comes next."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np
import pytest
from websockets.sync.client import connect

from calibration.tablefile import load_table
from server.pipeline.referee import NOT_SET_UP
from server.setup.surface_setup import TableFinder, in_order
from tests.server.fakes import PATIENCE, wait_until
from tests.server.firsttime import FirstTime, first_time
from tests.server.gaming import Player
from tests.server.interface import refused_as
from tests.server.page.evenings import set_up
from vision.frame import Frame, Image
from vision.simulate.drawing.render import Renderer
from vision.simulate.scenes import named_scene
from vision.tags.mirrored import MIRRORED_WORDS

OWNERS = (("Anna", "#c8322b"), ("Ben", "#1f6fd0"))


def test_an_evening_of_setting_up(tmp_path: Path) -> None:
    """One table through all of it: making it anew for each step would take most of the time."""
    with first_time(tmp_path / "tables", "sim:first", fps=1.0) as first:
        wait_until("the first picture", lambda: first.live.moment is not None)
        with httpx.Client(base_url=first.server.address, timeout=120) as client:
            # What sets a table up is for nobody but its computer.
            here = ("/api/setup", "/api/doubts", "/api/source")
            told = {words for path, words in refused_as(client).items() if path.startswith(here)}
            assert told == {"Not from here"}
            for step in (
                nothing_is_written_before_somebody_says_so,
                the_table_is_kept_as_it_is_outlined,
                a_tag_becomes_a_piece,
                a_piece_that_is_played_keeps_its_name,
                an_editor_s_change_is_taken_over_and_its_mistake_told,
                a_known_length_sharpens_the_scale,
                several_tables_are_kept,
            ):
                step(first, client)


def refused(answer: httpx.Response) -> str:
    assert answer.status_code == 409, answer.text
    return str(answer.json()["error"])


def car(tag: int, name: str, **more: object) -> dict[str, object]:
    return {"tag": tag, "name": name, "kind": "car", "owner": "Red", "model": "sedan", **more}


def nothing_is_written_before_somebody_says_so(first: FirstTime, client: httpx.Client) -> None:
    moment = first.live.moment
    assert moment is not None
    assert moment.notices == (NOT_SET_UP,)
    elsewhere = first.setup.look(here=False)
    assert (elsewhere.looked, elsewhere.may_change, elsewhere.file) == (0, False, None)
    view = client.get("/api/setup").json()
    assert view["step"] == "surface"
    assert view["surface"]["seen"] == [0, 1, 2, 3]
    assert view["next"].endswith("Is the outline right?")
    assert "inches across the middle" in view["surface"]["words"], "how surely, in its step alone"
    assert [c["tag"] for c in view["cards"]] == [41, 42, 43, 44, 52]
    assert "keep the table first" in refused(client.post("/api/setup/piece", json=car(41, "Red 1")))
    assert not first.tables.folder.exists()
    other = {"origin": "http://elsewhere.example"}
    assert client.post("/api/setup/surface", json={}, headers=other).status_code == 403
    assert client.get("/api/setup/picture.jpg").content[:2] == b"\xff\xd8"
    assert client.get("/api/setup/tag/41.jpg").content[:2] == b"\xff\xd8"
    assert client.get("/api/setup/tag/77.jpg").status_code == 404


def the_table_is_kept_as_it_is_outlined(first: FirstTime, client: httpx.Client) -> None:
    view = client.post("/api/setup/surface", json={"corner_size_in": 2.4}).json()
    assert view["surface"]["kept"]
    table = load_table(first.file)
    assert [t.tag for t in table.loose] == [0, 1, 2, 3]
    width, depth = np.ptp(table.surface.outline, axis=0)
    # The tags lie up to 43.6 + 1.2 and 41.3 inches apart, and each reaches about 1.5 inches further.
    assert width == pytest.approx(47.5, abs=0.6)
    assert depth == pytest.approx(44.4, abs=0.6)
    assert "set up already" in refused(client.post("/api/setup/surface", json={}))
    assert first.tables.last().table == "My table"
    # Nobody measured anything: one percent of the prints' scale, and the lens.
    assert 0.3 < view["surface"]["sure_in"] < 1.0
    wait_until("it is worked out", lambda: first.live.moment is not None and first.live.moment.gains)
    view = client.get("/api/setup").json()
    assert [words.split(" ±")[0] for words in view["surface"]["gains"]] == [
        "with a known length", "with the lens calibrated",
        "with a known length and the lens calibrated",
    ]  # fmt: skip
    then = [float(words.split("±")[1].removesuffix(" in")) for words in view["surface"]["gains"]]
    assert max(then) <= round(view["surface"]["sure_in"], 2)


def a_tag_becomes_a_piece(first: FirstTime, client: httpx.Client) -> None:
    card = client.get("/api/setup").json()["cards"][0]
    assert (card["tag"], card["printed_in"]) == (41, 0.9)
    assert card["side_in"] == pytest.approx(0.9, abs=0.03)
    view = client.post("/api/setup/piece", json=car(41, "Red 1")).json()
    assert [p["name"] for p in view["pieces"]] == ["Red 1"]
    wait_until("the car is ruled on", lambda: "Red 1" in standing(first))
    assert "called Red 1 already" in refused(client.post("/api/setup/piece", json=car(42, "red-1")))
    assert "choose the model" in refused(client.post("/api/setup/piece", json=car(42, "Red 2", model=None)))
    box = {"tag": 52, "name": "Crate", "kind": "terrain", "length_in": 3.4}
    assert "needs its width, height" in refused(client.post("/api/setup/piece", json=box))
    # What was said of a tag before is replaced, also its turn; comments of others stay.
    client.post("/api/setup/piece", json=car(41, "Anna", top="left", height_in=1.1)).raise_for_status()
    (piece,) = load_table(first.file).pieces
    assert piece.mount is not None
    assert (piece.name, piece.mount.height) == ("Anna", 1.1)
    assert piece.mount.body_from_tag.heading == pytest.approx(math.pi / 2)
    assert client.post("/api/setup/drop", json={"name": "anna"}).json()["pieces"] == []
    assert "no piece" in refused(client.post("/api/setup/drop", json={"name": "anna"}))


def a_piece_that_is_played_keeps_its_name(first: FirstTime, client: httpx.Client) -> None:
    """Renamed it was gone from its game, which said nothing."""
    for tag, name in ((41, "Red 1"), (43, "Blue 1")):
        client.post("/api/setup/piece", json=car(tag, name)).raise_for_status()
    with connect(f"{first.server.address.replace('http', 'ws')}ws/play", open_timeout=PATIENCE) as wire:
        owner = Player(wire)
        set_up(owner, "white_line_fever", OWNERS, [("Red 1", "Anna", {}), ("Blue 1", "Ben", {})])
        owner.done(type="begin")
        assert "Red 1 is in the game" in refused(client.post("/api/setup/piece", json=car(41, "Van")))
        # All else may be said of it, also that it has another tag.
        client.post("/api/setup/piece", json=car(41, "Red 1", height_in=1.1)).raise_for_status()
        for json in (car(42, "Red 3"), car(42, "Van")):
            client.post("/api/setup/piece", json=json).raise_for_status()
        owner.done(type="anew")
    for tag, name in ((41, "Van 2"), (43, "Van 3")):
        client.post("/api/setup/piece", json=car(tag, name)).raise_for_status()
    for name in ("Van", "Van 2", "Van 3"):
        client.post("/api/setup/drop", json={"name": name}).raise_for_status()


def standing(first: FirstTime) -> set[str]:
    moment = first.live.moment
    return set() if moment is None else {s.name for s in moment.table.standings}


def an_editor_s_change_is_taken_over_and_its_mistake_told(first: FirstTime, client: httpx.Client) -> None:
    client.post("/api/setup/piece", json=car(41, "Red 1")).raise_for_status()
    good = first.file.read_text(encoding="utf-8")
    first.file.write_text(good.replace('model = "sedan"', 'model = "sedam"'), encoding="utf-8")
    first.watch.check()
    view = client.get("/api/setup").json()
    assert "did you mean 'sedan'?" in view["mistake"]
    assert "line" in view["mistake"]
    assert [p["name"] for p in view["pieces"]] == ["Red 1"]
    said = wait_for_notice(first, "sedam")
    assert "is not used" in said
    first.file.write_text(good.replace('name = "Red 1"', 'name = "Ruby"'), encoding="utf-8")
    first.watch.check()
    view = client.get("/api/setup").json()
    assert view["mistake"] == ""
    assert [p["name"] for p in view["pieces"]] == ["Ruby"]
    wait_until("it is seen by its new name", lambda: standing(first) == {"Ruby"})


def wait_for_notice(first: FirstTime, part: str) -> str:
    wait_until(part, lambda: any(part in n for n in first.live.snapshot.notices))
    return next(n for n in first.live.snapshot.notices if part in n)


def a_known_length_sharpens_the_scale(first: FirstTime, client: httpx.Client) -> None:
    before = client.get("/api/setup").json()["surface"]["sure_in"]
    far = {"between": [0, 1], "length_in": 22.0}
    assert "not 22: measure" in refused(client.post("/api/setup/length", json=far))
    assert "two different tags" in refused(
        client.post("/api/setup/length", json={"between": [0, 0], "length_in": 2})
    )
    client.post("/api/setup/length", json={"between": [0, 1], "length_in": 43.6}).raise_for_status()
    table = load_table(first.file)
    # A ruler's 0.04 inch on 43.6.
    assert table.accuracy.print_scale == 0.0009
    assert table.accuracy.scale_by == "length"
    assert table.loose[0].size == pytest.approx(2.4, abs=0.03)
    wait_until("it is surer", lambda: client.get("/api/setup").json()["surface"]["sure_in"] < 0.6 * before)
    assert "measured already" in refused(client.post("/api/setup/length", json={"bar_mm": 97.0}))


def several_tables_are_kept(first: FirstTime, client: httpx.Client) -> None:
    view = client.post("/api/setup/table", json={"name": "Second", "how": "new"}).json()
    assert (view["table"], view["surface"]["kept"]) == ("Second", False)
    assert [(t["name"], t["current"]) for t in view["tables"]] == [("My table", False), ("Second", True)]
    view = client.post("/api/setup/table", json={"name": "My table"}).json()
    assert view["surface"]["kept"]
    view = client.post("/api/setup/table", json={"name": "Copy", "how": "copy"}).json()
    assert [t["name"] for t in view["tables"]] == ["Copy", "My table", "Second"]
    assert "there are" in refused(client.post("/api/setup/table", json={"name": "Nowhere"}))


def test_the_order_is_round_the_table_from_the_bottom_left_of_the_picture() -> None:
    at = {2: (100, 900), 0: (1500, 950), 3: (1400, 80), 1: (90, 120)}
    order = in_order({("tag36h11", tag): np.array(xy, dtype=float) for tag, xy in at.items()})
    assert [tag for _, tag in order] == [2, 0, 3, 1]


def test_it_says_which_corner_tags_are_missing() -> None:
    frame = Frame(np.zeros((8, 8, 3), np.uint8), 0.0, 0, "dark")
    said = TableFinder().look(frame, [], None)  # type: ignore[arg-type]
    assert isinstance(said, str)
    assert "No corner tag is seen" in said


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


def the_only_picture_tells_what_each_step_would_make_of_it(first: FirstTime, client: httpx.Client) -> None:
    def gains() -> list[str]:
        return [words.split(" ±")[0] for words in client.get("/api/setup").json()["surface"]["gains"]]

    wait_until("the photograph is seen once more", lambda: len(gains()) == 3)
    client.post("/api/setup/piece", json=car(41, "Red 1")).raise_for_status()
    wait_until("the car is ruled on", lambda: standing(first) == {"Red 1"})
    client.post("/api/setup/length", json={"between": [0, 1], "length_in": 43.6}).raise_for_status()
    wait_until("less is left", lambda: gains() == ["with the lens calibrated"])


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
        the_only_picture_tells_what_each_step_would_make_of_it(first, client)
        client.post("/api/source", json={"spec": str(mirrored)}).raise_for_status()
        wait_for(client, MIRRORED_WORDS)
