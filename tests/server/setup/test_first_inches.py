"""How true a newcomer's table is: at first, with a length typed, with its lens calibrated."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from calibration.lens.intrinsics import calibrate_folder
from calibration.lens.model import Lens
from calibration.lens.target import Target
from calibration.tablefile import load_table
from engine.space.geometry import Pose
from engine.space.table import Status
from server.pipeline.referee import Moment, Referee
from tests.server.fakes import wait_until
from tests.server.firsttime import RED_1, FirstTime, asking, first_time, keep_first
from tests.volume import DEEP, volume
from vision.simulate.live import SimulatedTable
from vision.simulate.scenes import named_scene

CARS = {"Red 1": (41, "sedan"), "Red 2": (42, "pickup"), "Blue 1": (43, "van"), "Blue 2": (44, "muscle")}
BOARD = Target("charuco", (7, 5), 1.5, 1.05, "DICT_5X5_100")
LENGTH_IN = 43.6
ROUNDS, LOOKS, PATIENCE = volume(2, 6), 8, 100
"""Rounds of cars put about; pictures of what stands; and until all of it stands, at most."""
CHI2_95 = 5.991
MOST_GUESSED_IN, MOST_CALIBRATED_IN = 0.06, 0.01


class Played:
    """The simulated table seen by a referee of a kept table file, picture by picture, without a clock."""

    def __init__(self, file: Path, lens: Lens | None = None) -> None:
        self._now = 0.0
        self.table = SimulatedTable(named_scene("first"), fps=4.0, clock=lambda: self._now, sleep=self._pass)
        self.referee = Referee(load_table(file))
        if lens is not None:
            self.referee.use_lens(lens)
        # How far off the tags of still cars are, and their chi-squares by the stated deviations.
        self.inches: list[float] = []
        self.chi_squares: list[float] = []

    def _pass(self, seconds: float) -> None:
        self._now += seconds

    def look(self) -> Moment:
        return self.referee.step(self.table.read())

    def moved_about(self, seed: int) -> Moment:
        """Puts each car to places, where it stands for some pictures; tells how far off it was seen."""
        for poses in rounds(seed):
            for name, pose in poses.items():
                self.table.move(name, pose)
            # A tag that is read far from where it was is believed there only after a while.
            now = next(m for m in (self.look() for _ in range(PATIENCE)) if stand_about(m, poses))
            for _ in range(LOOKS):
                now = self.look()
            for name, pose in poses.items():
                standing = now.table.find(name)
                off = standing.pose.xy - pose.xy
                covariance = standing.uncertainty.total[:2, :2]
                self.inches.append(float(np.hypot(*off)))
                self.chi_squares.append(float(off @ np.linalg.solve(covariance, off)))
        return now

    @property
    def p95(self) -> float:
        return float(np.percentile(self.inches, 95))

    @property
    def inside(self) -> float:
        return float(np.mean(np.array(self.chi_squares) <= CHI2_95))


def rounds(seed: int) -> Iterator[dict[str, Pose]]:
    """Places all over the table, no two cars near one another or near the crate."""
    rng = np.random.default_rng(seed)
    for _ in range(ROUNDS):
        poses: dict[str, Pose] = {}
        for name in CARS:
            at = (21.0, 30.5)
            while any(
                math.dist(at, taken) < 4.5 for taken in [(21.0, 30.5), *(p.xy for p in poses.values())]
            ):
                at = tuple(rng.uniform((3, 3), (40, 36)).tolist())
            poses[name] = Pose(*at, float(rng.uniform(-math.pi, math.pi)))
        yield poses


def stand_about(now: Moment, poses: dict[str, Pose]) -> bool:
    return all(
        s.status is Status.STILL and math.dist(s.pose.xy, poses[s.name].xy) < 1.0
        for s in now.table.standings
        if s.name in poses
    )


def seen_on_page(first: FirstTime) -> set[int]:
    """The tags that the page shows, once the table is found; each piece that is kept begins that anew."""
    first.setup.look(here=True)
    found = first.live.moment is not None and first.live.moment.surface is not None
    return {d.tag for d in first.setup.last().detections} if found else set()


def test_still_cars_stand_where_they_do_before_and_after_a_lens_is_calibrated(
    tmp_path: Path, shared: Path, figure: Callable[[str, object], None]
) -> None:
    boards = shared / "renders" / "boards" / "charuco_lens_A"
    # What a board's pictures give is as true as this, which is proved with the lens.
    calibrated = calibrate_folder(boards, BOARD).lens if DEEP else named_scene("first").lens
    with first_time(tmp_path / "tables", "sim:first") as first, asking(first) as client:
        owned = ({"tag": tag, "name": n, "owner": n.split()[0], "model": m} for n, (tag, m) in CARS.items())
        keep_first(client, *(RED_1 | car for car in owned))
        before = Played(first.file)
        before.moved_about(1)
        length = {"between": [0, 1], "length_in": LENGTH_IN}
        wait_until("both corner tags to be seen", lambda: seen_on_page(first) >= set(length["between"]))
        answer = client.post("/api/setup/length", json=length)
        assert answer.is_success, answer.text
        assert load_table(first.file).lengths
        with_length, after = Played(first.file), Played(first.file, calibrated)
    with_length.moved_about(2)
    seen = after.moved_about(3)
    for words, played in (("at first", before), ("a length typed", with_length), ("its lens", after)):
        told = f"p95 {played.p95:.3f} in, {played.inside:.0%} of {len(played.inches)} inside the stated 95 %"
        figure(f"still tags on a newcomer's table, {words}", told)
    assert seen.surface is not None
    assert not seen.surface.lens.guessed
    assert not DEEP or "lens calibrated from a board" in seen.surface.note
    assert seen.judged is not None
    assert seen.judged.unheld == ()
    one, other = (seen.judged.solved.places["tag36h11", tag][0] for tag in (0, 1))
    assert before.p95 <= MOST_GUESSED_IN
    assert after.p95 <= MOST_CALIBRATED_IN
    assert min(before.inside, with_length.inside, after.inside) >= 0.93
    assert math.dist(one.xy, other.xy) == pytest.approx(LENGTH_IN, abs=0.01)
