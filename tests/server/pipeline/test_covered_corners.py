"""A camera that is touched while corner tags are covered: rendered frames through the whole referee."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from calibration.tablefile import parse_table
from engine.space.table import Status
from server.pipeline.referee import Moment, Referee
from vision.frame import Frame
from vision.simulate.live import ScriptedTable
from vision.simulate.scene import Scene
from vision.simulate.scenes import default_scene
from vision.simulate.variations import bumped

BEFORE, AFTER, FPS = 10, 10, 10.0


@pytest.fixture(scope="module")
def scene() -> Scene:
    return default_scene()


def filmed(scene: Scene, frames: int, since: int) -> list[Frame]:
    source = ScriptedTable(scene, fps=FPS, seconds=frames / FPS + 0.5)
    return [source.read().restamped(since + n, (since + n) / FPS) for n in range(frames)]


def judged(scene: Scene, covered: int) -> list[Moment]:
    """The table, and from the frame `BEFORE` on by a knocked camera with so many corner tags covered."""
    knocked = bumped(scene.camera, shift=(0.1, -0.05, 0.05), turn_deg=0.1)
    later = replace(scene, camera=knocked, corners=scene.corners[covered:])
    referee = Referee(parse_table(scene.to_toml()))
    frames = [*filmed(scene, BEFORE, 0), *filmed(later, AFTER, BEFORE)]
    moments = [referee.step(frame) for frame in frames]
    referee.close()
    return moments


def off(moment: Moment, scene: Scene) -> float:
    """The largest distance between where a piece is said to stand and where it was drawn, inches."""
    truth = scene.snapshot.placements
    return max(math.dist(s.pose.xy, truth[s.name].pose.xy) for s in moment.table.standings)


@pytest.mark.parametrize("covered", [2, 3, 4])
def test_a_knock_is_told_and_held_and_no_piece_has_moved(covered: int, scene: Scene) -> None:
    moments = judged(scene, covered)
    assert all(s.status is Status.STILL for s in moments[BEFORE - 1].table.standings)
    held = [m for m in moments[BEFORE:] if all(s.status is Status.HELD for s in m.table.standings)]
    assert held[0] is moments[BEFORE]
    assert len(held) <= 3
    assert all(m.notices for m in held)
    events = [e for m in moments[BEFORE:] for e in m.events]
    assert [e.kind for e in events if e.kind in ("camera", "moved", "pushed", "spun")] == ["camera"]
    last = moments[-1]
    assert all(s.status is Status.STILL for s in last.table.standings)
    assert any("less sure" in n for n in last.notices)
    assert off(last, scene) < 0.03
    for s in last.table.standings:
        true = scene.snapshot.placements[s.name].pose
        assert math.dist(s.pose.xy, true.xy) < 3.0 * math.sqrt(float(s.uncertainty.total[:2, :2].trace()))
