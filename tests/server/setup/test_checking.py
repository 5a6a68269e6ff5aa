from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser
from typer.testing import CliRunner

from calibration.proofs.proof import Proof, StripPlacement
from calibration.tablefile import parse_table
from calibration.whole_files import FileError
from engine.space.geometry import Pose
from server.commands.camera.checking import placements
from server.commands.cli import app
from server.pipeline.runner import Runner
from server.serving.run import PageServer, listen
from server.setup.checking import Checker, check_router, in_words, record, strip, view
from server.table.questions.rulings import Rulings
from tests.server.fakes import HandMoved, KnowsAll
from vision.frame import Frame
from vision.simulate.live import ScriptedTable
from vision.simulate.scene import Scene
from vision.simulate.scenes import bare_scene
from vision.source import Source, SourceEnded

PLACES = [(4.0, 20.0, 0.2), (30.0, 30.0, 1.5), (20.0, 4.0, 0.0), (6.0, 38.0, 0.4), (44.0, 14.0, 1.6)]
FRAMES = 20


def scene_with_strip(x: float, y: float, turn: float, length: float = 12.0) -> Scene:
    base = bare_scene()
    first, second = strip("50,51", 1.0, 0.0)
    here = Pose(x, y, turn)
    there = here.compose(Pose(length, 0.0))
    return replace(
        base,
        pieces=(*base.pieces, first, second),
        start={**base.start, first.name: here, second.name: Pose(there.x, there.y, turn)},
    )


class Laid(Source):
    """A source: the strip at one place after the other."""

    name = "strip"
    live = False
    notice: str | None = None

    def __init__(self, *places: tuple[float, float, float]) -> None:
        self._tables = [ScriptedTable(scene_with_strip(*p), fps=10.0, seconds=FRAMES / 10) for p in places]
        self._count = 0

    def read(self) -> Frame:
        while self._tables:
            try:
                frame = self._tables[0].read()
            except SourceEnded:
                self._tables.pop(0)
                continue
            self._count += 1
            return replace(frame, time=self._count / 10, index=self._count)
        raise SourceEnded

    def close(self) -> None:
        self._tables.clear()


def checked(*, stretch: float = 1.0) -> Proof:
    """The proof of a table file whose corner places are `stretch` times what was drawn."""
    base = bare_scene()
    table = parse_table(base.to_toml())
    corners = tuple(replace(c, at=(c.at[0] * stretch, c.at[1] * stretch), turn=None) for c in table.corners)
    ends = strip("50,51", 1.0, 0.0)
    both = replace(table, corners=corners, pieces=(*table.pieces, *ends))
    checker = Checker(12.0, table.surface, (ends[0].name, ends[1].name))
    found = list(placements(Laid(*PLACES), both, checker))
    assert list(checker.proof.placements) == found
    assert len(view(checker).placements) == len(found)
    return checker.proof


def test_a_true_table_proves_itself() -> None:
    proof = checked()
    assert len(proof.placements) == len(PLACES)
    for laid, (x, y, turn) in zip(proof.placements, PLACES, strict=True):
        middle = Pose(x, y, turn).compose(Pose(6.0, 0.0))
        assert math.dist(laid.middle, (middle.x, middle.y)) < 0.02
    assert abs(proof.errors).max() < 0.02
    assert proof.figure < 0.01
    said = in_words(proof)
    assert "5 places" in said
    assert "Rulings should count in 0.0" in said


def test_a_table_measured_wrongly_is_found_out() -> None:
    proof = checked(stretch=1.01)
    assert proof.scale == pytest.approx(0.01, abs=0.002)
    assert proof.figure > 0.05
    assert "too long" in in_words(proof)
    figures = record(proof)
    assert figures["surface_sd_in"] == pytest.approx(proof.figure, abs=1e-4)


def test_the_command_reads_pictures_and_writes_the_figure_only_when_asked(tmp_path: Path) -> None:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    laid = Laid(PLACES[0])
    for k in range(FRAMES):
        cv2.imwrite(str(pictures / f"{k:02}.png"), laid.read().image)
    table = tmp_path / "table.toml"
    table.write_text(bare_scene().to_toml(), encoding="utf-8")
    before = table.read_text(encoding="utf-8")
    ask = ["calibrate", "check", "--table", str(table), "--source", str(pictures), "--json"]
    done = CliRunner().invoke(app, ask)
    assert done.exit_code == 0, done.output
    figures = json.loads(done.output)
    assert figures["surface_sd_in"] is None
    assert figures["placements"][0]["measured_in"] == pytest.approx(12.0, abs=0.02)
    assert table.read_text(encoding="utf-8") == before
    # One place is not enough to write anything.
    assert CliRunner().invoke(app, [*ask, "--write"]).exit_code != 0
    assert table.read_text(encoding="utf-8") == before


def test_the_figure_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "table.toml"
    before = bare_scene().to_toml()
    table.write_text(before, encoding="utf-8")
    laid = tuple(StripPlacement(np.array([6.0 + 8 * k, 24.0]), 12.004, 0.006, 0.002) for k in range(6))
    monkeypatch.setattr(
        Checker, "proof", property(lambda self: Proof(12.0, parse_table(before).surface, laid))
    )
    monkeypatch.setattr("server.commands.camera.checking._in_the_terminal", lambda *_: None)
    ask = ["calibrate", "check", "--table", str(table), "--write"]

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr("calibration.whole_files.os.fsync", full)
        refused = CliRunner().invoke(app, ask)
    assert isinstance(refused.exception, FileError), refused.output
    assert table.read_text(encoding="utf-8") == before
    assert CliRunner().invoke(app, ask).exit_code == 0
    assert "checked_in = " in table.read_text(encoding="utf-8")
    assert [p.name for p in tmp_path.iterdir()] == ["table.toml"]


@pytest.mark.parametrize(
    ("tags", "says"), [("50", "two ids such as 50,51"), ("7,7", "two different ids"), ("a,b", "two ids")]
)
def test_ids_that_make_no_strip_are_refused(tags: str, says: str) -> None:
    with pytest.raises(Exception, match=says):
        strip(tags, 1.0, 0.0)


def test_nothing_seen_says_what_to_do() -> None:
    assert "lay it flat" in in_words(Proof(12.0, parse_table(bare_scene().to_toml()).surface, ()))


def test_the_page_shows_where_the_strip_lay(browser: Browser, tmp_path: Path) -> None:
    surface = parse_table(bare_scene().to_toml()).surface
    checker = Checker(12.0, surface, ("a", "b"))
    places = [
        StripPlacement(np.array([6.0 + 8 * k, 40.0 - 7 * k]), 12.0 + 0.004 * k, 0.006, 0.002)
        for k in range(6)
    ]
    source = HandMoved()
    live = Runner(source, KnowsAll(source, 0.012))
    with PageServer(live, Rulings.by_book(None), listen(port=0), routers=[check_router(checker)]) as served:
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.goto(f"{served.address}check")
        page.wait_for_selector("#none:has-text('Nothing yet')")
        assert page.locator("#places").is_hidden()
        checker._found.extend(places)
        page.wait_for_selector("#rows tr:nth-child(6)")
        assert page.locator("#none").is_hidden()
        assert "6 places" in page.inner_text("#words")
        assert page.locator("#map circle").count() == 6
        assert "+0.020" in page.inner_text("#rows")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.screenshot(path=str(tmp_path / "check.png"))
        page.close()
