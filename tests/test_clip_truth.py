"""Clips with truth as sources of frames with truth: which frames, and what is true in them."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest

from benchmarks.clip_truth import EACH, TrueClip, frames_of, true_clip, true_sources
from engine.errors import TableRefError
from engine.space.geometry import Pose
from vision.simulate.clip import write_clip
from vision.simulate.play import Act
from vision.simulate.scenes import default_scene


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clip of two seconds: a hand drives Red 1 off and lifts Red 2 at the end."""
    folder = tmp_path_factory.mktemp("drawn")
    scene = default_scene((480, 270))
    acts = [
        Act(0.6, 1.0, "Red 1", (Pose(10.0, 10.0, 1.0),)),
        Act(1.5, 1.9, "Red 2", (Pose(20.0, 20.0, 1.0),), touch="over", lift=3.0),
    ]
    write_clip(folder, scene, acts, fps=10.0, seconds=2.0, kind="mp4")
    return folder


def test_moments_are_at_rest_or_under_a_hand_and_every_car_stands(drawn: Path) -> None:
    clip = true_clip(drawn)
    moments = clip.moments()
    assert moments == sorted(set(moments))
    lines = [clip.lines[k] for k in moments]
    with_hand = [line for line in lines if line["hand_in_frame"]]
    assert 1 <= len(with_hand) <= EACH
    assert 1 <= len(lines) - len(with_hand) <= EACH
    for line in lines:
        cars = line["cars"].values()
        assert all(car["on_table"] for car in cars)
        assert line["hand_in_frame"] or not any(car["moving"] for car in cars)


def test_a_frames_truth_is_that_of_the_first_with_the_cars_moved(drawn: Path) -> None:
    """Against what the simulator writes of the very same frame where it writes one picture each."""
    clip = true_clip(drawn / "clip.mp4")
    (moment,) = [m for m in clip.frames([12]) if m.name == "clip_0012"]
    assert moment.image().shape == (270, 480, 3)
    car = clip.lines[12]["cars"]["10"]
    (true,) = [c for c in moment.raw["cars"] if c["tag_id"] == 10]
    assert true["center_in"] == pytest.approx([car["x"], car["y"], 0.0], abs=1e-6)
    pose = Pose(car["x"], car["y"], math.radians(car["heading_deg"]))
    (piece,) = [p for p in moment.pieces if p.mount is not None and p.mount.tag == 10]
    assert piece.body.tyres is not None
    assert moment.tyres[10] == pytest.approx(pose.to_table(piece.body.tyres), abs=1e-3)
    # The tag's corners, carried along in inches, are where the line says in pixels.
    camera, tag = moment.raw["camera"], moment.raw["tags"]["10"]
    seen = np.array(tag["corners_in"]) @ np.array(camera["R_world_to_cam"]).T + camera["t_world_to_cam"]
    rays = moment.lens.rays(np.array(tag["corners_px"]))
    assert seen[:, :2] / seen[:, 2:] == pytest.approx(rays, abs=1e-3)


def test_a_folder_may_hold_clips_and_pictures_at_any_depth(drawn: Path, tmp_path: Path) -> None:
    shutil.copytree(drawn, tmp_path / "deep" / "clip")
    write_clip(tmp_path / "stills", default_scene((320, 180)), seconds=0.1)
    (still, clip) = true_sources(tmp_path)
    assert isinstance(clip, TrueClip)
    assert [t.name for t in frames_of(still)] == ["frame_0000"]
    assert next(iter(frames_of(clip))).name.startswith("clip_00")


def without(drawn: Path, tmp_path: Path, name: str, text: str | None = None) -> Path:
    """The clip's folder without a file, or with that text in it."""
    folder = Path(shutil.copytree(drawn, tmp_path / "clip"))
    (folder / name).unlink()
    if text is not None:
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("truth.jsonl", None, "no picture and no clip with truth"),
        ("scene.json", None, "scene.json is missing"),
        ("scene.json", "{", "expected exact truth .*scene.json"),
        ("scene.json", '{"image": 3}', "expected exact truth .*scene.json"),
        ("truth.jsonl", '{"frame": 0}\n', "no field 'cars'"),
        ("truth.jsonl", "", "choose a longer clip"),
        ("clip.mp4", None, "expected one video"),
        ("clip.mp4", "no video", "cannot be played"),
    ],
)
def test_what_is_wrong_with_a_clip_is_said(
    drawn: Path, tmp_path: Path, name: str, text: str | None, told: str
) -> None:
    folder = without(drawn, tmp_path, name, text)
    with pytest.raises(TableRefError, match=told):
        [list(frames_of(one)) for one in true_sources(folder)]


def test_more_lines_than_frames_and_another_size_are_said(drawn: Path, tmp_path: Path) -> None:
    lines = (drawn / "truth.jsonl").read_text(encoding="utf-8")
    last = json.loads(lines.splitlines()[0]) | {"frame": 99}
    folder = without(drawn, tmp_path, "truth.jsonl", lines + json.dumps(last) + "\n")
    with pytest.raises(TableRefError, match=r"expected 21 frames .* has no frame 99"):
        list(true_clip(folder).frames([3, 99]))
    clip = true_clip(drawn)
    clip.scene["image"]["width"] = 640
    with pytest.raises(TableRefError, match=r"expected frames of 640x270 pixels .* they have 480x270"):
        list(clip.frames([0]))


def test_what_is_no_clip_and_no_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("x", encoding="utf-8")
    with pytest.raises(TableRefError, match=r"expected a folder .* but .*note.txt is neither"):
        true_sources(tmp_path / "note.txt")
    with pytest.raises(TableRefError, match="not there"):
        true_sources(tmp_path / "none")
    (tmp_path / "alone.mp4").write_bytes(b"x")
    with pytest.raises(TableRefError, match=r"scene\.json are missing"):
        true_sources(tmp_path / "alone.mp4")
