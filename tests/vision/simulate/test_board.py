"""The board that is printed on a simulated table's cloth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calibration.boards import HexesFields, PointsFields, RoadFields
from calibration.tablefile import parse_table
from vision.frame import Image
from vision.simulate.drawing.render import Renderer
from vision.simulate.scene import Scene, Sensor
from vision.simulate.scenes import default_scene, named_scene

SMALL = (640, 360)


def drawn(scene: Scene) -> Image:
    return Renderer(scene).picture([scene.snapshot], 0)


class TestBoard:
    """A board is printed on the cloth where the table file says, and nowhere else."""

    def test_every_kind_of_board_is_in_the_table_file(self) -> None:
        oval = {"straight": 4, "inside": 1, "lanes": 2, "clockwise": True}
        for fields in (
            PointsFields(kind="points", size=(4, 3), origin_in=(5.0, 6.0), direction_deg=30.0),
            HexesFields.model_validate({"kind": "hexes", "oval": oval}),
            RoadFields(kind="road", size_in=(36.0, 8.0)),
        ):
            scene = replace(default_scene(SMALL), board_fields=fields)
            assert parse_table(scene.to_toml()).board == scene.board

    def test_lines_darken_the_cloth_and_the_rest_stays(self) -> None:
        scene = replace(named_scene("points", SMALL), sensor=Sensor.perfect(), pieces=(), start={})
        with_board, without = drawn(scene), drawn(replace(scene, board_fields=None))
        ends = [(*scene.board.pose_of(c).xy, 0.0) for c in ((0, 0), (12, 12), (6, 6))]
        low, high, middle = scene.camera.project(np.array(ends))
        changed = np.argwhere(np.abs(with_board.astype(int) - without).max(axis=2) > 2)[:, ::-1]
        margin = 0.1 * (high[0] - low[0])
        assert len(changed) > 1000
        assert changed[:, 0].min() > low[0] - margin
        assert changed[:, 0].max() < high[0] + margin
        u, v = np.rint(middle).astype(int)
        assert with_board[v, u].sum() < 0.8 * without[v, u].sum()
