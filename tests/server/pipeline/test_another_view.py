"""A camera that is unplugged, and what answers under its name afterwards: the kept lens may be another's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.tablefile import parse_table
from engine.space.table import Status
from server.pipeline.another_view import ANOTHER_WORDS
from server.pipeline.referee import Moment, Referee
from vision.frame import Frame
from vision.simulate.live import ScriptedTable
from vision.simulate.scene import Scene
from vision.simulate.scenes import default_scene
from vision.simulate.variations import bumped

AWAY_S = 4.0


@pytest.fixture(scope="module")
def scene() -> Scene:
    return default_scene()


def filmed(scene: Scene, since: float = 0.0) -> list[Frame]:
    source = ScriptedTable(scene, fps=5.0, seconds=1.2)
    return [source.read().restamped(n, since + n / 5.0) for n in range(6)]


def judged(scene: Scene, frames: list[Frame]) -> tuple[list[Moment], Referee]:
    referee = Referee(parse_table(scene.to_toml()))
    moments = [referee.step(frame) for frame in frames]
    referee.close()
    return moments, referee


@pytest.mark.parametrize(
    ("shift", "turn", "away", "another"),
    [
        ((4.5, -3.5, 2.0), 3.0, AWAY_S, True),
        ((0.3, -0.2, 0.1), 0.4, AWAY_S, False),
        ((4.5, -3.5, 2.0), 3.0, 0.0, False),
    ],
    ids=["hangs elsewhere", "was only touched", "was moved in full view"],
)
def test_a_camera_that_comes_back(
    shift: tuple[float, float, float], turn: float, away: float, another: bool, scene: Scene
) -> None:
    elsewhere = replace(scene, camera=bumped(scene.camera, shift=shift, turn_deg=turn))
    before, after = filmed(scene), filmed(elsewhere, 1.2 + away)
    moments, _ = judged(scene, [*before, *after])
    assert not any(ANOTHER_WORDS in m.notices for m in moments[:6])
    assert (ANOTHER_WORDS in moments[-1].notices) == another
    known, now = moments[5], moments[-1]
    assert now.surface is not None
    for moment in moments[6:9]:
        # Nothing is ruled by the old view of the table.
        assert all(s.status is not Status.STILL or m_is_found(moment, known) for s in moment.table.standings)
    if not away:
        # Its pieces are still on their way to rest; tests of the referee tell how that ends.
        return
    truth = scene.snapshot.placements
    for standing, was in zip(now.table.standings, known.table.standings, strict=True):
        assert standing.status is Status.STILL
        off = standing.pose.xy - truth[standing.name].pose.xy
        loading = standing.uncertainty.shared[:2]
        covariance = standing.uncertainty.own[:2, :2] + loading @ loading.T
        assert np.sqrt(off @ np.linalg.solve(covariance, off)) < 4.0
        if another:
            shared = [np.linalg.norm(s.uncertainty.shared[:2]) for s in (standing, was)]
            assert shared[0] > shared[1], "a guessed lens is less sure"


def m_is_found(moment: Moment, known: Moment) -> bool:
    """Whether the table has been found anew."""
    return moment.surface is not None and moment.surface is not known.surface


def test_another_picture_size_rules_nothing_until_the_table_is_found(scene: Scene) -> None:
    """Another camera, which looks into the room first and then onto the table."""
    small = default_scene((1280, 720))
    room = [Frame(np.full((720, 1280, 3), 90, np.uint8), 6.0 + n / 5.0, 6 + n) for n in range(3)]
    moments, referee = judged(scene, [*filmed(scene), *room, *filmed(small, 7.0)])
    assert all(s.status is Status.STILL for s in moments[5].table.standings)
    for moment in moments[6:9]:
        assert moment.surface is None
        assert all(s.status is Status.HELD for s in moment.table.standings)
    assert all(ANOTHER_WORDS in m.notices for m in moments[6:])
    assert moments[-1].surface is not None
    # Its own calibration settles it.
    referee.use_lens(small.camera.lens)
    assert ANOTHER_WORDS not in referee.step(filmed(small, 9.0)[0]).notices
