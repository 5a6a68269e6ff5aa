from __future__ import annotations

from concurrent.futures import wait
from dataclasses import replace

import numpy as np
import pytest

from engine.space.geometry import FloatArray
from vision.frame import Detection, Frame
from vision.simulate.live import ScriptedTable
from vision.simulate.scene import Scene
from vision.simulate.variations import crowded_scene
from vision.tags.reader import read_tags
from vision.tags.reading import TagReader
from vision.tags.search import AVERAGED, Beside, Search, StillPicture
from vision.tags.watch import Watch


def test_the_average_is_still_where_nothing_changes_and_new_where_it_does() -> None:
    rng = np.random.default_rng(0)
    still, scene = StillPicture(), np.full((60, 60), 100.0)
    for _ in range(AVERAGED):
        average = still.add(np.clip(scene + rng.normal(0, 3, scene.shape), 0, 255).astype(np.uint8))
    assert average.std() < 2.0
    scene[20:40, 20:40] = 180.0
    average = still.add(scene.astype(np.uint8))
    assert average[30, 30] == 180
    assert abs(int(average[5, 5]) - 100) <= 3


def table(printed_px: float, seed: int) -> Scene:
    scene = crowded_scene(cars=12, printed_px=printed_px, foreign=6, seed=seed)
    return replace(scene, sensor=replace(scene.sensor, blur=1.1, noise=3.0, jpeg=80))


@pytest.mark.parametrize(("printed_px", "within"), [(22.0, 1.0), (18.0, 3.0), (15.0, 10.0)])
def test_new_tags_are_found_in_time_and_foreign_ones_never(printed_px: float, within: float) -> None:
    scene = table(printed_px, seed=11)
    source = ScriptedTable(scene, fps=5.0, seconds=within + 0.5)
    keys = {(c.family, c.tag) for c in scene.corners}
    keys |= {(p.mount.family, p.mount.tag) for p in scene.pieces if p.mount is not None}
    watch = Watch(keys)
    truth: dict[int, FloatArray] = {}
    stock: set[int] = set()
    while watch.unseen or not truth:
        frame = source.read()
        assert frame.time <= within, f"not found: {sorted(watch.unseen)}"
        if not truth:
            truth = {int(i): np.array(t["corners_px"]) for i, t in source.truth()["tags"].items()}
            stock = {r.tag for r in read_tags(frame.grey, ["tag36h11"])}
        for d in watch.read(frame, lambda _: 0.8 * printed_px):
            assert np.hypot(*(d.centre - truth[d.tag].mean(axis=0))) < 1.0
    # Worth the effort: the general reader sees only some of them.
    assert len(stock & {tag for _, tag in keys}) < len(keys)


def test_a_search_that_goes_wrong_is_told_once_and_the_next_one_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    beside = Beside(TagReader.of([("tag36h11", 7)]))
    frame = Frame(np.full((60, 80), 120, np.uint8), 0.0, 0)
    looked = []

    def look(_search: Search, frame: Frame, _wanted: object, *, thorough: bool) -> list[Detection]:
        looked.append(frame)
        if len(looked) == 1:
            raise ValueError("odd pixels")
        return []

    monkeypatch.setattr(Search, "look", look)
    try:
        assert beside.start(frame, (), thorough=False)
        with pytest.raises(ValueError, match="odd pixels"):
            until_told(beside, frame)
        assert beside.finds(frame, {}) == []
        assert beside.start(frame, (), thorough=False)
        until_told(beside, frame)
        assert len(looked) == 2
    finally:
        beside.close()


def until_told(beside: Beside, frame: Frame) -> None:
    """Asks what was found until the search has ended: then another may begin."""
    assert beside._running is not None
    wait([beside._running])
    beside.finds(frame, {})
