"""The step *Print* by what it asks the server: ids, advice, one PDF, and clear words for bad numbers."""

from __future__ import annotations

from pathlib import Path

import httpx
import numpy as np
import pytest

from calibration.surface import Surface
from calibration.tablefile import load_table
from engine.game.registry import maps_of
from server.setup.laying import LaidMaps
from server.setup.printing.game_prints import games_to_print, needs_board
from server.setup.printing.last_look import LastLook
from server.setup.printing.print_messages import Have
from server.setup.printing.print_routes import advised
from tests.calibration.prints.test_sheets import DPI, pages, tags
from tests.server.firsttime import first_time
from vision.frame import Frame
from vision.simulate.scenes import named_scene

FRAME = Frame(np.zeros((1080, 1920), np.uint8), 0.0, 0)


def test_one_pdf_holds_what_was_asked_for(tmp_path: Path) -> None:
    asked = {"cars": 3, "terrain": 1, "spares": 1, "holders": 1, "size_in": 0.75, "paper": "letter"}
    with (
        first_time(tmp_path / "tables") as first,
        httpx.Client(base_url=first.server.address, timeout=60) as client,
    ):
        advice = client.get("/api/setup/print", params=asked).json()
        assert advice["ids"] == "cars 10–12, terrain 30, spares 31"
        assert (advice["sizes"], advice["proposed_in"]) == ([], None)
        answer = client.get("/api/setup/print.pdf", params=asked)
        assert answer.headers["content-type"] == "application/pdf"
        found = {}
        for image in pages(answer.content):
            assert image.shape == pytest.approx((11 * DPI, 8.5 * DPI), abs=1)
            found |= {t: float(np.linalg.norm(c[1] - c[0])) / DPI for t, c in tags(image).items()}
        sizes = dict.fromkeys(range(4), 2.4) | dict.fromkeys([10, 11, 12, 31], 0.75) | {30: 1.6}
        assert found == pytest.approx(sizes, abs=0.01)
        for wrong, says in [
            ({"cars": 61}, "less than or equal to 60"),
            ({"cars": "many"}, "valid integer"),
            ({"holders": 7}, "more holders than cars"),
            ({"size_in": 0.1}, "greater than or equal to 0.4"),
            ({"paper": "a3"}, "'letter' or 'a4'"),
            ({"cars": 60, "terrain": 40}, "only 90 are free"),
            ({"trucks": 3}, "trucks: Extra inputs are not permitted"),
        ]:
            for path in ("/api/setup/print", "/api/setup/print.pdf"):
                refused = client.get(path, params=wrong)
                assert refused.status_code == 422
                assert says in refused.json()["error"]


def test_one_pdf_holds_the_map_behind_the_tags(tmp_path: Path) -> None:
    game = next(one for one in games_to_print() if needs_board(one) and one.cutouts)
    asked: dict[str, str | int] = {"game": game.id, "map": maps_of(game.id)[0].id, "cars": 4, "paper": "a4"}
    with (
        first_time(tmp_path / "tables") as first,
        httpx.Client(base_url=first.server.address, timeout=60) as client,
    ):
        begun = client.get("/api/setup/print").json()
        assert [one["game"] for one in begun["games"]] == [one.id for one in games_to_print()]
        assert begun["game"] == {"maps": [], "proposed": "", "words": "", "counters": False, "fill_in": ""}
        assert begun["paper"] == "1 sheet of paper."
        advice = client.get("/api/setup/print", params=asked).json()
        assert advice["game"]["proposed"] == asked["map"]
        assert advice["game"]["maps"][0]["spacing_in"] == maps_of(game.id)[0].spacing
        assert advice["paper"] == "25 sheets of paper: 1 of tags, 24 of the map."
        counted = client.get("/api/setup/print", params=asked | {"counters": "true"}).json()["paper"]
        assert "24 of the map, 9 of counters" in counted
        drawn = pages(client.get("/api/setup/print.pdf", params=asked).content)
        assert len(drawn) == 25
        assert set(tags(drawn[0])) == {0, 1, 2, 3, 10, 11, 12, 13}
        fill_in = client.get("/api/setup/fill-in.pdf", params=asked)
        assert advice["game"]["fill_in"] == "4 record sheets, 4 sheets of paper"
        assert len(pages(fill_in.content)) == 4
        assert client.get("/api/setup/fill-in.pdf").status_code == 422
        # Without any tag the map alone.
        alone = asked | {"cars": 0, "corners": "false", "spacing_in": 1}
        paper = client.get("/api/setup/print", params=alone).json()["paper"]
        assert (
            paper
            == f"{len(pages(client.get('/api/setup/print.pdf', params=alone).content))} sheets of paper."
        )
        nothing = client.get("/api/setup/print.pdf", params={"cars": 0, "corners": "false"})
        assert (nothing.status_code, "nothing to print" in nothing.json()["error"]) == (422, True)


def test_without_corner_tags_it_is_reckoned_from_the_size_of_the_table() -> None:
    last = LastLook(FRAME, (), None, None)
    near, far = (advised(Have(width_ft=w, depth_ft=d), last, LaidMaps()) for w, d in ((4, 4), (12, 6)))
    assert [s.middle_px for s in near.sizes] == [1.88, 2.25, 2.75]
    assert [s.read for s in near.sizes] == ["once named", "everywhere", "everywhere"]
    assert near.proposed_in == 0.9
    assert "Reckoned" in near.words
    assert {s.read for s in far.sizes} == {"nowhere", "once named"}
    assert "higher resolution" in far.words


def test_a_table_that_is_found_is_measured(samples: Path) -> None:
    scene = named_scene("first")
    camera = scene.camera
    surface = Surface(camera.lens, camera.R, camera.t, np.zeros((15, 15)), 0.0)
    table = load_table(samples / "opening-round" / "table.toml")
    advice = advised(
        Have(cars=2, width_ft=20), LastLook(FRAME, (), table, (surface, scene.surface.outline)), LaidMaps()
    )
    assert "Measured" in advice.words
    assert advice.ids == "cars 35–36"
    assert all(s.corner_px < s.middle_px for s in advice.sizes)
