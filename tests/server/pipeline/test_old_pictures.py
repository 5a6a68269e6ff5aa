"""Pictures that come again, come late, or do not come: told, held, and a gap in what was seen."""

from __future__ import annotations

import math
import threading
from dataclasses import replace

import numpy as np
import pytest

from calibration.tablefile import parse_table
from engine.errors import TableRefError
from engine.space.geometry import Pose
from engine.space.table import Standing, Status
from server.moves.segmentation import HIDDEN
from server.pipeline.referee import DAMAGED_WORDS, OLD_WORDS, Moment, Referee
from server.pipeline.runner import SILENCE, Runner
from tests.server.fakes import PATIENCE, HandMoved, KnowsAll, wait_until
from vision.frame import Frame
from vision.simulate.live import ScriptedTable
from vision.simulate.play import Act, RunLeg, TurnLeg, manoeuvre
from vision.simulate.scene import Scene
from vision.simulate.scenes import default_scene
from vision.source import Source, SourceEnded

FPS = 10.0
# A push with a turn in its middle, and the stretch in which the camera shows what it showed at its beginning.
PUSHED = (1.0, 2.6)
STOOD = (1.5, 3.6)


@pytest.fixture(scope="module")
def scene() -> Scene:
    return default_scene()


@pytest.fixture(scope="module")
def path(scene: Scene) -> tuple[Pose, ...]:
    legs = (RunLeg(2.5), TurnLeg(math.radians(25.0)), RunLeg(2.5))
    return manoeuvre(scene.start["Red 1"], legs)


@pytest.fixture(scope="module")
def filmed(scene: Scene, path: tuple[Pose, ...]) -> list[Frame]:
    source = ScriptedTable(scene, [Act(*PUSHED, "Red 1", path, touch="none")], fps=FPS, seconds=6.5)
    frames = []
    while True:
        try:
            frames.append(source.read())
        except SourceEnded:
            return frames


def frozen(frames: list[Frame], since: float, until: float) -> list[Frame]:
    """As a camera gives them that hangs for a while: the same picture again and again."""
    (at,) = (f for f in frames if f.time == since)
    return [
        Frame(at.image, f.time, f.index, f.source).aged(f.time - since, repeated=True)
        if since < f.time < until
        else f
        for f in frames
    ]


def judged(scene: Scene, frames: list[Frame]) -> list[Moment]:
    referee = Referee(parse_table(scene.to_toml()))
    moments = [referee.step(frame) for frame in frames]
    referee.close()
    return moments


def of(moment: Moment, name: str) -> Standing:
    return moment.table.find(name)


def test_a_picture_that_comes_again_is_no_evidence(scene: Scene, filmed: list[Frame]) -> None:
    moments = judged(scene, frozen(filmed, *STOOD))
    at = next(n for n, m in enumerate(moments) if m.time == STOOD[0])
    assert of(moments[at], "Red 1").status is Status.MOVING
    again = [m for m in moments if m.frame.repeated]
    assert len(again) == 20
    for moment in again:
        assert moment.read == frozenset()
        assert (moment.moves, moment.events) == ((), ())
        assert of(moment, "Red 1").status is not Status.STILL
        for before, now in zip(moments[at].table.standings, moment.table.standings, strict=True):
            assert before.pose == now.pose
            assert np.array_equal(before.uncertainty.own, now.uncertainty.own)
        old = moment.frame.old >= 1.0
        assert (OLD_WORDS in moment.notices) == old
        assert all(s.status is Status.HELD for s in moment.table.standings) == old


def test_a_manoeuvre_behind_it_stays_open(scene: Scene, filmed: list[Frame], path: tuple[Pose, ...]) -> None:
    """Where the camera hung in the midst of a push, its turn was not seen; where it did not, it was."""
    seen = [m for moment in judged(scene, filmed) for m in moment.moves]
    moments = judged(scene, frozen(filmed, *STOOD))
    assert [e.words for m in moments for e in m.events if e.kind == "gap"] == [
        "No new picture came for 2.1 s."
    ]
    (hidden,) = [m for moment in moments for m in moment.moves]
    assert hidden.recognised().unseen > HIDDEN > max(m.recognised().unseen for m in seen)
    last = of(moments[-1], "Red 1")
    assert last.status is Status.STILL
    assert math.dist((last.pose.x, last.pose.y), (path[-1].x, path[-1].y)) < 0.05


def test_late_pictures_are_seen_and_nothing_is_ruled_from_them(scene: Scene, filmed: list[Frame]) -> None:
    moments = judged(scene, [f.aged(2.0) if 0.5 <= f.time < 1.0 else f for f in filmed[:14]])
    late = [m for m in moments if m.frame.old]
    assert late
    for moment in late:
        assert moment.read, "they show how things stood"
        assert OLD_WORDS in moment.notices
        assert all(s.status is Status.HELD for s in moment.table.standings)
    after = [m for m in moments if m.time >= 1.0]
    assert all(of(m, "Blue 1").status is Status.STILL and OLD_WORDS not in m.notices for m in after)
    assert not [e for m in after for e in m.events if e.piece == "Blue 1"]


def smeared(frame: Frame) -> Frame:
    """As a decoder makes it up: all that stands there, eight pixels beside its place, and told as damaged."""
    return replace(Frame(np.roll(frame.image, 8, axis=1), frame.time, frame.index), damaged=True)


def test_from_a_damaged_picture_nothing_is_read_and_nothing_has_moved(
    scene: Scene, filmed: list[Frame]
) -> None:
    moments = judged(scene, [smeared(f) if 0.5 <= f.time < 0.9 else f for f in filmed[:14]])
    damaged = [m for m in moments if m.frame.damaged]
    assert len(damaged) == 4
    before = next(m for m in moments if m.time == 0.4)
    for moment in damaged:
        assert (moment.read, moment.moves, moment.events) == (frozenset(), (), ())
        assert (moment.blind, moment.notices[0]) == (DAMAGED_WORDS, DAMAGED_WORDS)
        assert all(s.status is Status.HELD for s in moment.table.standings)
        assert [s.pose for s in moment.table.standings] == [s.pose for s in before.table.standings]
    after = [m for m in moments if m.time >= 0.9]
    assert all(of(m, "Blue 1").status is Status.STILL for m in after)
    assert not any(m.blind for m in after)
    told = [e.words for m in after for e in m.events if e.piece != "Red 1"]
    assert told == ["The picture was damaged for 0.4 s: nothing was read from it."]


def test_where_every_picture_is_damaged_nothing_is_known(scene: Scene, filmed: list[Frame]) -> None:
    referee = Referee(parse_table(scene.to_toml()))
    moments = [referee.step(smeared(frame)) for frame in filmed[:5]]
    assert all(m.table.standings == () and m.blind == DAMAGED_WORDS for m in moments)
    assert [e.kind for e in referee.finish()] == ["gap"]
    referee.close()


class Stops(Source):
    """A camera that gives three pictures and then none for as long as it is told to."""

    name, live, notice = "camera 0", True, None

    def __init__(self) -> None:
        self.gives, self.given, self.closed = threading.Event(), 0, False
        self.gives.set()

    def read(self) -> Frame:
        assert self.gives.wait(PATIENCE)
        if self.closed:
            raise SourceEnded
        self.given += 1
        if self.given == 3:
            self.gives.clear()
        return Frame(np.zeros((48, 64, 3), np.uint8), self.given / 10.0, self.given, self.name)

    def close(self) -> None:
        self.closed = True
        self.gives.set()


def test_without_any_picture_nothing_stands_still_for_sure() -> None:
    source, now = Stops(), 0.0

    def statuses() -> set[Status]:
        moment = live.moment
        return set() if moment is None else {s.status for s in moment.table.standings}

    with Runner(source, KnowsAll(HandMoved()), clock=lambda: now) as live:
        wait_until("the last picture", lambda: live.moment is not None and live.moment.index == 3)
        now += SILENCE
        wait_until("it to be told", lambda: live.snapshot.state == "lost")
        assert statuses() == {Status.HELD}
        assert "No picture from camera 0" in live.snapshot.words
        source.gives.set()
        wait_until("play to go on", lambda: live.snapshot.state == "running")
        assert statuses() == {Status.STILL}
        assert any("Nothing was seen for 2.0 s" in e.event.words for e in live.snapshot.events)


def test_a_drawn_table_that_is_drawn_slowly_stays_as_it_is() -> None:
    source, now = HandMoved(), 0.0

    def lost() -> bool:
        # A picture may still have been under way when it was last asked.
        nonlocal now
        now += SILENCE
        return live.snapshot.state == "lost"

    with Runner(source, KnowsAll(source), clock=lambda: now) as live:
        wait_until("a picture", lambda: live.moment is not None)
        source.paused = True
        wait_until("it to be told", lost)
        assert live.moment is not None
        assert {s.status for s in live.moment.table.standings} == {Status.STILL}


class Refuses(KnowsAll):
    """A referee whose table file does not fit the pictures from the third on."""

    def step(self, frame: Frame) -> Moment:
        if frame.index >= 3:
            raise TableRefError("the lens was calibrated at another size")
        return super().step(frame)


def test_pictures_that_cannot_be_judged_leave_nothing_standing_for_sure() -> None:
    source = HandMoved()
    with Runner(source, Refuses(source)) as live:
        wait_until("it to be told", lambda: any("lens was" in n for n in live.snapshot.notices))
        assert live.moment is not None
        assert {s.status for s in live.moment.table.standings} == {Status.HELD}
