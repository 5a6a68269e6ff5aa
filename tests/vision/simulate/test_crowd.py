"""Scenes for measuring with."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.errors import TableRefError
from tests.crowd import bumped, crowded_scene, shuttling
from vision.simulate.drawing.render import Renderer
from vision.simulate.live import ScriptedTable
from vision.simulate.play import Script
from vision.simulate.scenes import default_scene
from vision.simulate.truth import truth_of

SMALL = (640, 360)


class TestCrowd:
    @pytest.mark.parametrize(
        ("size", "printed"), [((1920, 1080), 15.0), ((1920, 1080), 22.0), ((640, 360), 6.0)]
    )
    def test_tags_are_as_wide_as_asked(self, size: tuple[int, int], printed: float) -> None:
        scene = crowded_scene(size, printed_px=printed, foreign=4)
        for piece in scene.pieces:
            assert piece.mount is not None
            x, y = scene.start[piece.name].xy
            half = piece.mount.size * 10 / 8 / 2
            ends = scene.camera.project(np.array([(x - half, y, 1.0), (x + half, y, 1.0)]))
            assert float(np.linalg.norm(ends[1] - ends[0])) == pytest.approx(printed, rel=0.06)

    def test_nothing_touches_and_all_is_in_view(self) -> None:
        scene = crowded_scene(printed_px=18.0, foreign=8, seed=5)
        regions = [p.body.footprint.at(scene.start[p.name]).polygon for p in scene.pieces]
        assert len(regions) == 20
        assert all(scene.surface.polygon.contains(r) for r in regions)
        assert all(a.distance(b) > 0.2 for i, a in enumerate(regions) for b in regions[:i])
        truth = truth_of(Renderer(scene), scene.snapshot)
        assert len(truth["tags"]) == 4 + 20 + 8
        assert all(t["visible_fraction"] == 1.0 for t in truth["tags"].values())

    @pytest.mark.parametrize(("family", "foreign"), [("tag36h11", 30), ("tag25h9", 5)])
    def test_foreign_tags_are_never_in_play(self, family: str, foreign: int) -> None:
        scene = crowded_scene(SMALL, family=family, foreign=foreign, cars=20, printed_px=5.0)
        in_play = {p.mount.tag for p in scene.pieces if p.mount}
        aliens = {tag.tag for tag in scene.loose}
        assert len(aliens) == foreign
        assert not in_play & aliens
        assert {tag.family for tag in scene.loose} == {family}

    def test_the_seed_decides(self) -> None:
        one, same, other = (crowded_scene(SMALL, seed=s).start for s in (1, 1, 2))
        assert one == same
        assert one != other

    def test_a_full_table_says_so(self) -> None:
        with pytest.raises(TableRefError, match="no room on the table"):
            crowded_scene(SMALL, cars=400)

    def test_shuttling_cars_come_back(self) -> None:
        scene = crowded_scene(SMALL, cars=4)
        play = Script(scene, shuttling(scene, ["Car 1", "Car 2"], 2.4))
        away = play.at(0.6).placements
        home = play.at(1.2).placements
        start = scene.start["Car 1"]
        assert math.dist(away["Car 1"].pose.xy, start.xy) == pytest.approx(0.8)
        assert math.dist(home["Car 1"].pose.xy, start.xy) == pytest.approx(0.0, abs=1e-9)
        assert away["Car 3"].pose == scene.start["Car 3"]


class TestBump:
    def test_a_bumped_camera_sees_the_same_table_from_elsewhere(self) -> None:
        scene = default_scene(SMALL)
        after = bumped(scene.camera, shift=(0.5, -0.25, 0.0), turn_deg=0.4)
        assert after.position == pytest.approx(scene.camera.position + np.array([0.5, -0.25, 0.0]))
        table = ScriptedTable(scene, fps=10.0, seconds=0.4, bumps=[(0.2, after)])
        pictures, corners = [], []
        for _ in range(4):
            pictures.append(table.read().image.astype(int))
            corners.append(np.array(table.truth()["tags"]["0"]["center_px"]))
        assert np.abs(corners[1] - corners[0]).max() == 0.0
        assert np.abs(corners[2] - corners[1]).max() > 1.0
        assert corners[2] == pytest.approx(after.project(np.array([[0.0, 0.0, 0.0]]))[0], abs=1e-3)
        assert np.abs(pictures[2] - pictures[1]).mean() > 2 * np.abs(pictures[1] - pictures[0]).mean()

    def test_no_bump_is_no_change(self) -> None:
        camera = default_scene(SMALL).camera
        same = bumped(camera)
        assert pytest.approx(camera.R) == same.R
        assert same.t == pytest.approx(camera.t)
