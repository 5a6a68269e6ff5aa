"""What the page has printed, and what it says of it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import httpx
import numpy as np
import pytest

from calibration.prints.maps import laid_out
from calibration.prints.paper import PrintError, Sheet
from calibration.prints.sheets import RoofPrint, tag_sheets
from calibration.surface import Surface
from calibration.tablefile import TableFile, load_table
from engine.boards.points import Points
from engine.errors import TableRefError
from engine.game.registry import games, maps_of
from server.setup.laying import LaidMaps
from server.setup.printing.advice import (
    FOUND_PX,
    SizeOutlook,
    View,
    measured_view,
    offered,
    outlooks,
    proposed,
    reckoned_view,
    too_small,
)
from server.setup.printing.game_prints import (
    THIS_TABLE,
    GameWish,
    board_wished,
    board_words,
    game_parts,
    games_to_print,
    maps_to_print,
    needs_board,
    unprinted_words,
)
from server.setup.printing.last_look import LastLook
from server.setup.printing.print_messages import Have
from server.setup.printing.print_routes import advised
from tests.calibration.prints.test_sheets import DPI, pages, tags
from tests.server.firsttime import first_time
from vision.frame import Frame
from vision.health import SMALL_PX
from vision.simulate.scenes import named_scene
from vision.tags.unnamed import USUAL_FAMILY, reader_of_all
from vision.tags.watch import Watch

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


@pytest.mark.parametrize(
    ("said", "paper", "high_in"), [("en_US.UTF-8", "letter", 11.0), ("de_AT", "a4", 11.69)]
)
def test_the_paper_is_this_systems_where_nobody_says_which(
    said: str, paper: str, high_in: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", said)
    with (
        first_time(tmp_path / "tables") as first,
        httpx.Client(base_url=first.server.address, timeout=60) as client,
    ):
        assert client.get("/api/setup/print").json()["on"] == paper
        other = "a4" if paper == "letter" else "letter"
        assert client.get("/api/setup/print", params={"paper": other}).json()["on"] == other
        for made in ("print.pdf?cars=1", "strip.pdf", "fill-in.pdf?cars=1&game=frothy_races"):
            page = pages(client.get(f"/api/setup/{made}").content)[0]
            assert max(page.shape) / DPI == pytest.approx(high_in, abs=0.01)


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
        assert begun["paper"] == "2 sheets of paper: 1 to read, 1 of tags."
        advice = client.get("/api/setup/print", params=asked).json()
        assert advice["game"]["proposed"] == asked["map"]
        assert advice["game"]["maps"][0]["spacing_in"] == maps_of(game.id)[0].spacing
        assert advice["paper"] == "26 sheets of paper: 1 to read, 1 of tags, 24 of the map."
        counted = client.get("/api/setup/print", params=asked | {"counters": "true"}).json()["paper"]
        assert "24 of the map, 9 of counters" in counted
        drawn = pages(client.get("/api/setup/print.pdf", params=asked).content)
        assert len(drawn) == 26
        assert tags(drawn[0]) == {}
        assert set(tags(drawn[1])) == {0, 1, 2, 3, 10, 11, 12, 13}
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


GAMES = [found.id for found in games()]
POINTS = next(one.id for one in games_to_print() if one.boards == ("points",))
HEXES = next(one.id for one in games_to_print() if one.lays)


@pytest.fixture
def laid(tmp_path: Path) -> LaidMaps:
    return LaidMaps(tmp_path)


@pytest.fixture
def table(samples: Path) -> TableFile:
    return load_table(samples / "opening-round" / "table.toml")


@pytest.mark.parametrize("game", GAMES)
def test_every_game_that_needs_a_board_brings_maps_and_each_is_printed(game: str, laid: LaidMaps) -> None:
    about = next(one for one in games_to_print() if one.id == game)
    maps = maps_to_print(game, laid)
    assert bool(maps) is needs_board(about)
    for one in maps:
        for paper in ("a4", "letter"):
            (part,) = game_parts(GameWish(game, one.id), None, Sheet(paper), laid)
            layout = laid_out(one.drawn(one.spacing), (), Sheet(paper))
            assert len(part.pages) == len(layout.tiles)
            assert one.words in part.title


def test_the_board_of_the_table_sets_the_scale_where_it_is_the_games(
    table: TableFile, laid: LaidMaps
) -> None:
    (first, *_) = maps_of(POINTS)
    on_points = replace(table, board=Points(9, 7, 2.5))
    for wish, file, apart in [
        (GameWish(POINTS, first.id), None, first.spacing),
        (GameWish(POINTS, first.id), table, first.spacing),
        (GameWish(POINTS, first.id), on_points, 2.5),
        (GameWish(POINTS, first.id, 1.5), on_points, 1.5),
        (GameWish(HEXES, maps_of(HEXES)[0].id), on_points, 2.0),
    ]:
        found = board_wished(wish, file, laid)
        assert found is not None
        assert found[1].endswith(f"{apart:g} inch")
    whole = board_wished(GameWish("", THIS_TABLE), on_points, laid)
    assert whole == (on_points.board, f"{table.name} · points")


def test_maps_that_were_laid_here_are_printed_too(laid: LaidMaps) -> None:
    circuit = "Sunday: 2 short straight, 3 left bend, 2 straight, 3 left bend, start grid"
    laid.keep(HEXES, circuit)
    assert maps_to_print(HEXES, laid)[-1].words == "Sunday, laid here"
    (part,) = game_parts(GameWish(HEXES, "Sunday"), None, Sheet(), laid)
    assert len(part.pages) > 4
    laid.keep(HEXES, "Odd: 2 straight")
    with pytest.raises(PrintError, match="Odd: "):
        game_parts(GameWish(HEXES, "Odd"), None, Sheet(), laid)


def test_counters_come_behind_the_map(laid: LaidMaps) -> None:
    board, counters = game_parts(GameWish(POINTS, maps_of(POINTS)[0].id, counters=True), None, Sheet(), laid)
    assert "inch" in board.title
    assert "counters" in counters.title
    assert game_parts(GameWish(POINTS), None, Sheet(), laid) == []


@pytest.mark.parametrize(
    ("wish", "says"),
    [
        (GameWish("nowhere", "x"), "no game called 'nowhere'"),
        (GameWish(POINTS, "x"), "has no map 'x'; expected one of"),
        (GameWish("", "x"), "expected the game that brings the map 'x'"),
        (GameWish("", THIS_TABLE), "no table is set up"),
        (GameWish("", counters=True), "expected the game that brings the counters"),
        (GameWish(HEXES, counters=True), "brings no counters"),
    ],
)
def test_what_cannot_be_printed_is_refused_in_words(wish: GameWish, says: str, laid: LaidMaps) -> None:
    with pytest.raises(TableRefError, match=says):
        game_parts(wish, None, Sheet(), laid)


def test_a_map_that_is_larger_than_the_table_is_told() -> None:
    board = Points(13, 9, 3.0)
    assert board_words(board, Sheet(), (30.0, 48.0)) == "The map is 38 × 26 in."
    assert "does not fit on a table of 36 × 36 in" in board_words(board, Sheet(), (36.0, 36.0))


def test_a_board_that_nothing_is_printed_of_is_told_with_what_to_do() -> None:
    about = replace(games_to_print()[0], boards=("hexes",))
    assert "choose one" in unprinted_words(about, True)
    assert "put it on the picture in the step Table" in unprinted_words(about, False)


def test_a_table_with_a_board_of_its_own_prints_it(table: TableFile, laid: LaidMaps) -> None:
    file = replace(table, board=Points(3, 3, 2.0))
    (part,) = game_parts(GameWish("", THIS_TABLE), file, Sheet("letter"), laid)
    assert len(part.pages) == 1


IDS = range(10, 30)
FINE = 4


def seen_at(module: float, blur: float, looks: int, seed: int) -> Iterator[Frame]:
    """Twenty printed tags, cut out and laid on a grey table, with so many pixels a module."""
    rng = np.random.default_rng(seed)
    (sheet,) = pages(tag_sheets([RoofPrint("Car", i, 0.8) for i in IDS], "Tags", Sheet("letter")))
    drawn = np.full((400 * FINE, 520 * FINE), 95.0, np.float32)
    for n, corners in enumerate(tags(sheet).values()):
        side = 8 * module * FINE
        at = np.array([80 + 90 * (n % 5), 80 + 80 * (n // 5)]) + rng.uniform(-8, 8, 2)
        turn = rng.uniform(0, 2 * math.pi)
        across = np.array([math.cos(turn), math.sin(turn)]) * side / 2
        down = np.array([-across[1], across[0]])
        there = np.array([-across - down, across - down, across + down, -across + down]) + FINE * at
        about = cv2.getPerspectiveTransform(corners.astype(np.float32), there.astype(np.float32))
        flat = cv2.warpPerspective(sheet, about, drawn.shape[::-1], flags=cv2.INTER_LINEAR)
        # Cut along the inner line: a module of white is left round the black square.
        cut = np.zeros(drawn.shape, np.uint8)
        cv2.fillConvexPoly(cut, np.round((there - FINE * at) * 1.25 + FINE * at).astype(np.int32), (1,))
        drawn = np.where(cut > 0, 25 + flat * np.float32(200 / 255), drawn)
    small = cv2.resize(drawn, None, fx=1 / FINE, fy=1 / FINE, interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), blur)
    for n in range(looks):
        noisy = np.clip(small + rng.normal(0, 3, small.shape), 0, 255).astype(np.uint8)
        _, coded = cv2.imencode(".jpg", noisy, [cv2.IMWRITE_JPEG_QUALITY, 85])
        yield Frame(np.asarray(cv2.imdecode(coded, cv2.IMREAD_GRAYSCALE), np.uint8), n / 10, n)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_at_the_promised_size_a_tag_is_found_that_nobody_has_named(seed: int) -> None:
    (frame,) = seen_at(FOUND_PX, blur=0.9, looks=1, seed=seed)
    found = {d.tag for d in reader_of_all(()).read_all(frame, thorough=False)}
    assert found == set(IDS)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_smaller_ones_are_read_once_they_are_named(seed: int) -> None:
    watch = Watch((USUAL_FAMILY, i) for i in IDS)
    side = 8 * SMALL_PX
    for frame in seen_at(SMALL_PX, blur=0.9, looks=16, seed=seed):
        found = {d.tag for d in watch.read(frame, lambda _: side)}
    assert found == set(IDS)


def test_the_smallest_that_is_read_everywhere_is_proposed() -> None:
    found = outlooks(View(24.0, 22.0, True))
    assert [(round(o.corner, 2), o.verdict) for o in found] == [
        (2.06, "once named"), (2.48, "everywhere"), (3.03, "everywhere"),
    ]  # fmt: skip
    assert proposed(found).size == 0.9
    assert proposed(outlooks(View(12.0, 8.0, False))).size == 1.1


@pytest.mark.parametrize(
    ("view", "picture", "sizes", "best", "said"),
    [
        (View(20.0, 18.0, True), (1920, 1080), 3, 0.9 + 0.2, None),
        (View(11.6, 11.2, True), (1280, 720), 3, 1.1, "hold each car nearer to the camera until it is named"),
        (View(6.1, 5.9, True), (640, 480), 4, 3.2, "Choose 2560 × 1440 pixels"),
        (View(6.1, 5.9, True), (640, 480), 4, 3.2, "print tags of 3.2 in, each on a card on its car"),
        (View(2.0, 1.9, True), (640, 480), 3, 1.1, "more pixels if the camera offers them"),
    ],
)  # fmt: skip
def test_where_no_roof_tag_is_found_it_says_what_to_do(
    view: View, picture: tuple[int, int], sizes: int, best: float, said: str | None
) -> None:
    found = offered(view)
    assert len(found) == sizes
    assert proposed(found).size == pytest.approx(best)
    words = too_small(view, picture)
    assert (words is None) == (said is None)
    if words is not None and said is not None:
        assert said in words
        assert "bring the camera closer" in words


@pytest.mark.parametrize(
    ("view", "verdict"),
    [
        (View(20.0, 19.6, True), "everywhere"),
        (View(20.0, 15.0, True), "once named"),
        (View(20.0, 12.0, True), "middle"),
        (View(12.0, 12.0, True), "nowhere"),
    ],
)
def test_a_corner_that_is_farther_off_decides(view: View, verdict: str) -> None:
    (found,) = outlooks(view, [0.9])
    assert found.verdict == verdict
    assert isinstance(found, SizeOutlook)


def test_the_view_of_a_known_camera() -> None:
    """The simulated camera's own: pixels an inch are its focal length over the way to the roof."""
    scene = named_scene("first")
    camera = scene.camera
    surface = Surface(camera.lens, camera.R, camera.t, np.zeros((15, 15)), 0.0)
    outline = scene.surface.outline
    view = measured_view(surface, outline)
    ends = surface.image_from_table(
        outline.mean(axis=0) + np.array([[-0.5, 0.0], [0.5, 0.0], [0.0, -0.5], [0.0, 0.5]]), 1.0
    )
    along, across = np.linalg.norm(ends[1] - ends[0]), np.linalg.norm(ends[3] - ends[2])
    assert view.middle == pytest.approx(min(along, across), rel=0.02)
    assert view.corner < view.middle
    assert view.measured


def test_without_a_table_it_is_reckoned_from_the_pictures_size() -> None:
    view = reckoned_view((1280, 720), (72.0, 48.0))
    assert view.middle == pytest.approx(min(1280 / 72, 720 / 48) / 1.125)
    assert not view.measured
    assert reckoned_view((720, 1280), (48.0, 72.0)) == view
