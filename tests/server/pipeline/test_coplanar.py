"""A drawing of a table, or tags that lie beside their cars: no roof tag stands as high as is stated."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import cv2
import pytest

from calibration.surface import SurfaceError
from calibration.tablefile import TableFile, parse_table
from engine.space.table import Status
from server.pipeline.photo import look_at
from server.pipeline.referee import Referee
from server.setup.doctor import examine
from vision.frame import Frame, Image
from vision.simulate.drawing.render import Renderer
from vision.simulate.scene import Scene
from vision.simulate.scenes import named_scene


def drawn_flat(scene: Scene) -> Scene:
    """The scene as a drawing: every piece as thick as paper."""
    thin = (
        replace(p, body=replace(p.body, height=0.02), mount=replace(p.mount, height=0.02))
        for p in scene.pieces
        if p.mount is not None
    )
    return replace(scene, pieces=tuple(thin))


def as_stated_by_hand(scene: Scene, *, lens: bool = True, places: bool = True) -> TableFile:
    """Its table file with the deviations of hands, and what is left out not known."""
    text = re.sub(
        r"(?m)^(print_scale|print_size|cloth_in|heights_in|tag_sd_tilt_deg) = .*$", "", scene.to_toml()
    )
    text = re.sub(r"(?m)^tag_sd_height_in = .*$", "tag_sd_height_in = 0.1", text)
    text = re.sub(r"(?m)^sd_in = .*$", "sd_in = 0.0625", text)
    if not places:
        text = re.sub(r"(?m)^(at_in|turn_deg|sd_in) = .*$", "", text)
    if not lens:
        text = re.sub(r"(?s)\[camera\.lens\].*?(?=\[\[corner)", "", text)
    return parse_table(text)


@pytest.fixture(scope="module")
def scene() -> Scene:
    return named_scene("bare")


@pytest.fixture(scope="module")
def table_seen(scene: Scene) -> Image:
    return Renderer(scene).picture([scene.snapshot], 0)


@pytest.fixture(scope="module")
def drawing_seen(scene: Scene) -> Image:
    flat = drawn_flat(scene)
    return Renderer(flat).picture([flat.snapshot], 0)


@pytest.mark.parametrize(("lens", "places"), [(True, True), (True, False), (False, True), (False, False)])
def test_a_drawing_of_a_table_is_told_and_a_table_is_not(
    lens: bool, places: bool, scene: Scene, table_seen: Image, drawing_seen: Image
) -> None:
    file = as_stated_by_hand(scene, lens=lens, places=places)
    told = [
        any("lay flat on the table" in words for words in examine([Frame(image, 0.0, 0)], file).complaints)
        for image in (drawing_seen, table_seen)
    ]
    assert told == [True, False]


def test_nothing_is_measured_in_a_photograph_of_a_drawing(
    scene: Scene, table_seen: Image, drawing_seen: Image, tmp_path: Path
) -> None:
    file, photo = as_stated_by_hand(scene), tmp_path / "photo.png"
    cv2.imwrite(str(photo), drawing_seen)
    with pytest.raises(SurfaceError, match="lay flat on the table"):
        look_at(photo, file)
    cv2.imwrite(str(photo), table_seen)
    assert look_at(photo, file).warnings == ()


def test_pieces_are_held_until_the_camera_sees_the_table_itself(
    scene: Scene, table_seen: Image, drawing_seen: Image
) -> None:
    referee = Referee(as_stated_by_hand(scene))
    moments = [referee.step(Frame(drawing_seen, k / 10, k)) for k in range(6)]
    assert {s.status for s in moments[-1].table.standings} == {Status.HELD}
    assert "lay flat on the table" in moments[-1].notices[0]
    assert moments[-1].blind == moments[-1].notices[0]
    assert not any("than the table file says" in notice for notice in moments[-1].notices[1:])
    back = [referee.step(Frame(table_seen, 1.0 + k, 6 + k)) for k in range(8)]
    assert {s.status for s in back[-1].table.standings} == {Status.STILL}
    assert back[-1].blind == ""
