"""A camera that is touched, moved or another one, and a drawing in its picture: what may still be ruled."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.surface import SurfaceError
from calibration.tablefile import TableFile, parse_table
from engine.space.table import Status
from server.pipeline.another_view import ANOTHER_WORDS
from server.pipeline.photo import look_at
from server.pipeline.referee import Moment, Referee
from server.setup.doctor import examine
from tests.crowd import bumped
from vision.frame import Detection, Frame, Image
from vision.simulate.drawing.render import Renderer
from vision.simulate.live import ScriptedTable
from vision.simulate.scene import Scene
from vision.simulate.scenes import default_scene, named_scene
from vision.tags.reading import TagReader

AWAY_S = 4.0


@pytest.fixture(scope="module")
def scene() -> Scene:
    return default_scene()


def filmed(scene: Scene, since: float = 0.0) -> list[Frame]:
    source = ScriptedTable(scene, fps=5.0, seconds=1.2)
    return [source.read().restamped(n, since + n / 5.0) for n in range(6)]


@pytest.fixture(scope="module")
def rested(scene: Scene) -> list[Frame]:
    """The table at rest, drawn once for all that is done to its camera."""
    return filmed(scene)


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
    shift: tuple[float, float, float],
    turn: float,
    away: float,
    another: bool,
    scene: Scene,
    rested: list[Frame],
) -> None:
    elsewhere = replace(scene, camera=bumped(scene.camera, shift=shift, turn_deg=turn))
    before, after = rested, filmed(elsewhere, 1.2 + away)
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


def test_another_picture_size_rules_nothing_until_the_table_is_found(
    scene: Scene, rested: list[Frame]
) -> None:
    """Another camera, which looks into the room first and then onto the table."""
    small = default_scene((1280, 720))
    room = [Frame(np.full((720, 1280, 3), 90, np.uint8), 6.0 + n / 5.0, 6 + n) for n in range(3)]
    moments, referee = judged(scene, [*rested, *room, *filmed(small, 7.0)])
    assert all(s.status is Status.STILL for s in moments[5].table.standings)
    for moment in moments[6:9]:
        assert moment.surface is None
        assert all(s.status is Status.HELD for s in moment.table.standings)
    assert all(ANOTHER_WORDS in m.notices for m in moments[6:])
    assert moments[-1].surface is not None
    # Its own calibration settles it.
    referee.use_lens(small.camera.lens)
    assert ANOTHER_WORDS not in referee.step(filmed(small, 9.0)[0]).notices


# Touched while corner tags are covered


BEFORE, AFTER, FPS = 10, 10, 10.0


def frames_of(scene: Scene, frames: int, since: int) -> list[Frame]:
    source = ScriptedTable(scene, fps=FPS, seconds=frames / FPS + 0.5)
    return [source.read().restamped(since + n, (since + n) / FPS) for n in range(frames)]


@pytest.fixture(scope="module")
def at_rest(scene: Scene) -> list[Frame]:
    return frames_of(scene, BEFORE, 0)


def knocked_with(scene: Scene, at_rest: list[Frame], covered: int) -> list[Moment]:
    """The table, and from the frame `BEFORE` on by a knocked camera with so many corner tags covered."""
    knocked = bumped(scene.camera, shift=(0.1, -0.05, 0.05), turn_deg=0.1)
    later = replace(scene, camera=knocked, corners=scene.corners[covered:])
    referee = Referee(parse_table(scene.to_toml()))
    frames = [*at_rest, *frames_of(later, AFTER, BEFORE)]
    moments = [referee.step(frame) for frame in frames]
    referee.close()
    return moments


def off(moment: Moment, scene: Scene) -> float:
    """The largest distance between where a piece is said to stand and where it was drawn, inches."""
    truth = scene.snapshot.placements
    return max(math.dist(s.pose.xy, truth[s.name].pose.xy) for s in moment.table.standings)


@pytest.mark.parametrize("covered", [2, 3, 4])
def test_a_knock_is_told_and_held_and_no_piece_has_moved(
    covered: int, scene: Scene, at_rest: list[Frame]
) -> None:
    moments = knocked_with(scene, at_rest, covered)
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


# A drawing of a table, or tags that lie beside their cars


def drawn_flat(bare_scene: Scene) -> Scene:
    """The scene as a drawing: every piece as thick as paper."""
    thin = (
        replace(p, body=replace(p.body, height=0.02), mount=replace(p.mount, height=0.02))
        for p in bare_scene.pieces
        if p.mount is not None
    )
    return replace(bare_scene, pieces=tuple(thin))


def as_stated_by_hand(bare_scene: Scene, *, lens: bool = True, places: bool = True) -> TableFile:
    """Its table file with the deviations of hands, and what is left out not known."""
    text = re.sub(
        r"(?m)^(print_scale|print_size|cloth_in|heights_in|tag_sd_tilt_deg) = .*$", "", bare_scene.to_toml()
    )
    text = re.sub(r"(?m)^tag_sd_height_in = .*$", "tag_sd_height_in = 0.1", text)
    text = re.sub(r"(?m)^sd_in = .*$", "sd_in = 0.0625", text)
    if not places:
        text = re.sub(r"(?m)^(at_in|turn_deg|sd_in) = .*$", "", text)
    if not lens:
        text = re.sub(r"(?s)\[camera\.lens\].*?(?=\[\[corner)", "", text)
    return parse_table(text)


@pytest.fixture(scope="module")
def bare_scene() -> Scene:
    return named_scene("bare")


@pytest.fixture(scope="module")
def table_seen(bare_scene: Scene) -> Image:
    return Renderer(bare_scene).picture([bare_scene.snapshot], 0)


@pytest.fixture(scope="module")
def drawing_seen(bare_scene: Scene) -> Image:
    flat = drawn_flat(bare_scene)
    return Renderer(flat).picture([flat.snapshot], 0)


Read = tuple[Frame, list[Detection]]


@pytest.fixture(scope="module")
def both_read(bare_scene: Scene, table_seen: Image, drawing_seen: Image) -> tuple[Read, Read]:
    """The drawing and the table, each with its tags: whatever else is known, they are the same."""
    reader = TagReader.of(parse_table(bare_scene.to_toml()).keys)
    drawing, table = (Frame(image, 0.0, 0) for image in (drawing_seen, table_seen))
    return (drawing, reader.read_all(drawing)), (table, reader.read_all(table))


@pytest.mark.parametrize(("lens", "places"), [(True, True), (True, False), (False, True), (False, False)])
def test_a_drawing_of_a_table_is_told_and_a_table_is_not(
    lens: bool, places: bool, bare_scene: Scene, both_read: tuple[Read, Read]
) -> None:
    file = as_stated_by_hand(bare_scene, lens=lens, places=places)
    told = [
        any(
            "lay flat on the table" in words
            for words in examine([frame], file, read=lambda _, tags=tags: tags).complaints
        )
        for frame, tags in both_read
    ]
    assert told == [True, False]


def test_nothing_is_measured_in_a_photograph_of_a_drawing(
    bare_scene: Scene, table_seen: Image, drawing_seen: Image, tmp_path: Path
) -> None:
    file, photo = as_stated_by_hand(bare_scene), tmp_path / "photo.png"
    cv2.imwrite(str(photo), drawing_seen)
    with pytest.raises(SurfaceError, match="lay flat on the table"):
        look_at(photo, file)
    cv2.imwrite(str(photo), table_seen)
    assert look_at(photo, file).warnings == ()


def test_pieces_are_held_until_the_camera_sees_the_table_itself(
    bare_scene: Scene, table_seen: Image, drawing_seen: Image
) -> None:
    referee = Referee(as_stated_by_hand(bare_scene))
    moments = [referee.step(Frame(drawing_seen, k / 10, k)) for k in range(6)]
    assert {s.status for s in moments[-1].table.standings} == {Status.HELD}
    assert "lay flat on the table" in moments[-1].notices[0]
    assert moments[-1].blind == moments[-1].notices[0]
    assert not any("than stated" in notice for notice in moments[-1].notices[1:])
    back = [referee.step(Frame(table_seen, 1.0 + k, 6 + k)) for k in range(8)]
    assert {s.status for s in back[-1].table.standings} == {Status.STILL}
    assert back[-1].blind == ""


def test_the_pushes_that_once_blinded_the_table_are_ruled(shared: Path) -> None:
    """The script of the case, as it was written: it knows the names of then."""
    script = shared / "cases" / "blind" / "pushes.py"
    if not script.exists():
        pytest.skip("the case of the blind table is not here")
    done = subprocess.run(
        [sys.executable, str(script), "4", "1"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("consistent\n")
