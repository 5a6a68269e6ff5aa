"""What happens on the simulated table: scripts, the live table, clips on disk."""

from __future__ import annotations

import json
import math
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calibration.tablefile import load_table
from engine.errors import TableRefError
from engine.space.geometry import Pose
from tests.vision.sources.fakes import Hands
from vision.simulate.__main__ import main
from vision.simulate.clip import demo_round, random_acts, write_clip
from vision.simulate.live import ScriptedTable, SimulatedTable
from vision.simulate.play import Act, RunLeg, Script, TurnLeg, along, manoeuvre
from vision.simulate.scene import Scene, Sensor
from vision.simulate.scenes import bare_scene, default_scene
from vision.source import SourceEnded, open_source, parse_source
from vision.sources.files import Pictures, VideoFile

SMALL = (320, 180)


@pytest.fixture(scope="module")
def scene() -> Scene:
    return default_scene(SMALL)


class TestManoeuvre:
    def test_straight_goes_along_the_nose(self) -> None:
        (end,) = manoeuvre(Pose(1.0, 2.0, math.pi / 2), [RunLeg(3.0)])
        assert (end.x, end.y, end.heading) == pytest.approx((1.0, 5.0, math.pi / 2))

    def test_a_turn_pivots_on_the_rear_axle(self) -> None:
        start = Pose(0.0, 0.0, 0.0)
        path = manoeuvre(start, [TurnLeg(math.pi / 2)], rear_axle=-1.0)
        for pose in path:
            assert pose.to_table((-1.0, 0.0)) == pytest.approx([-1.0, 0.0], abs=1e-9)
        assert (path[-1].x, path[-1].y, path[-1].heading) == pytest.approx((-1.0, 1.0, math.pi / 2))

    def test_a_drift_keeps_the_heading(self) -> None:
        (end,) = manoeuvre(Pose(0.0, 0.0, 0.0), [RunLeg(2.0, 1.0)])
        assert (end.x, end.y, end.heading) == pytest.approx((2.0, 1.0, 0.0))

    def test_half_of_the_way_is_half_of_the_length(self) -> None:
        path = (Pose(0.0, 0.0), Pose(3.0, 0.0), Pose(3.0, 1.0))
        assert along(path, 0.5).xy == pytest.approx([2.0, 0.0])
        assert along(path, 1.0).xy == pytest.approx([3.0, 1.0])
        assert along((Pose(1.0, 1.0), Pose(1.0, 1.0)), 0.3).xy == pytest.approx([1.0, 1.0])

    def test_turning_goes_the_short_way_round(self) -> None:
        middle = along((Pose(0, 0, math.radians(170)), Pose(0, 0, math.radians(-170))), 0.5)
        assert abs(middle.heading) == pytest.approx(math.pi)


class TestPlay:
    def test_a_move_starts_and_ends_gently(self, scene: Scene) -> None:
        start = scene.start["Red 1"]
        play = Script(scene, [Act(1.0, 2.0, "red-1", manoeuvre(start, [RunLeg(4.0)]))])
        way = [
            float(np.hypot(*(play.at(t).placements["Red 1"].pose.xy - start.xy)))
            for t in np.linspace(0.9, 2.1, 121)
        ]
        assert way[0] == 0.0
        assert way[-1] == pytest.approx(4.0)
        assert way[60] == pytest.approx(2.0)
        assert (np.diff(way) >= 0).all()
        assert max(np.diff(way, 2)) < 0.01

    def test_acts_follow_each_other(self, scene: Scene) -> None:
        first, second = Pose(10.0, 10.0, 0.0), Pose(20.0, 10.0, 1.0)
        play = Script(scene, [Act(3.0, 4.0, "Red 1", (second,)), Act(1.0, 2.0, "Red 1", (first,))])
        assert play.at(2.5).placements["Red 1"].pose == first
        assert play.at(9.0).placements["Red 1"].pose == second

    def test_a_lifted_piece_rises_travels_and_lands(self, scene: Scene) -> None:
        play = Script(scene, [Act(0.0, 2.0, "Red 1", (Pose(30.0, 30.0),), lift=4.0)])
        lifts = [play.at(t).placements["Red 1"].lift for t in np.linspace(0, 2, 41)]
        assert lifts[0] == lifts[-1] == 0.0
        assert max(lifts) == pytest.approx(4.0)
        assert play.at(0.3).placements["Red 1"].pose == scene.start["Red 1"]

    def test_a_piece_carried_away_is_gone_meanwhile(self, scene: Scene) -> None:
        play = Script(scene, [Act(1.0, 2.0, "Red 1", (Pose(30.0, 30.0),), away=True)])
        assert "Red 1" in play.at(0.9).placements
        assert "Red 1" not in play.at(1.5).placements
        assert play.at(2.0).placements["Red 1"].pose == Pose(30.0, 30.0)

    def test_hands_come_and_go(self, scene: Scene) -> None:
        play = Script(scene, [Act(2.0, 3.0, None, (Pose(20.0, 20.0),), touch="over")])
        assert play.at(1.4).hand is None
        assert play.at(3.6).hand is None
        here, coming = play.at(2.5).hand, play.at(1.6).hand
        assert here is not None
        assert coming is not None
        assert here.pose.y - coming.pose.y > 10.0
        assert play.duration == 3.5

    @pytest.mark.parametrize(
        ("acts", "says"),
        [
            ([Act(0, 2, "Red 1", (Pose(1, 1),)), Act(1, 3, "Red 1", (Pose(2, 2),))], "two things at once"),
            ([Act(0, 2, "Green 9", (Pose(1, 1),))], "no piece called 'Green 9'"),
        ],
    )
    def test_impossible_scripts_are_refused(self, scene: Scene, acts: list[Act], says: str) -> None:
        with pytest.raises(TableRefError, match=says):
            Script(scene, acts)

    def test_impossible_acts_are_refused(self) -> None:
        with pytest.raises(TableRefError, match="end after it starts"):
            Act(2.0, 1.0, "Red 1", (Pose(0, 0),))
        with pytest.raises(TableRefError, match="at least one pose"):
            Act(0.0, 1.0, "Red 1")

    def test_random_play_stays_on_the_table_and_apart(self, scene: Scene) -> None:
        acts = random_acts(scene, 60.0, np.random.default_rng(3))
        again = random_acts(scene, 60.0, np.random.default_rng(3))
        assert acts == again
        assert len(acts) > 10
        play = Script(scene, acts)
        for time in np.arange(0.0, 60.0, 0.7):
            placements = play.at(float(time)).placements
            cars = {n: p for n, p in placements.items() if scene.piece(n).kind == "car"}
            regions = [scene.piece(n).body.footprint.at(p.pose).polygon for n, p in cars.items()]
            assert all(scene.surface.polygon.buffer(1.0).contains(r) for r in regions)
            assert all(a.distance(b) > 0 for i, a in enumerate(regions) for b in regions[:i])


class TestScriptedTable:
    def test_is_finite_timed_and_repeatable(self, scene: Scene) -> None:
        acts = [Act(0.2, 0.6, "Red 1", (Pose(10.0, 12.0, 1.0),), touch="none")]
        one, two = (ScriptedTable(scene, acts, fps=10.0, seconds=0.8) for _ in range(2))
        frames = [one.read() for _ in range(8)]
        assert [f.time for f in frames] == pytest.approx([n / 10 for n in range(8)])
        assert frames[0].image.shape == (180, 320, 3)
        with pytest.raises(SourceEnded):
            one.read()
        assert all((two.read().image == f.image).all() for f in frames)

    def test_truth_belongs_to_the_frame_read_last(self, scene: Scene) -> None:
        acts = [Act(0.2, 0.6, "Red 1", (Pose(10.0, 12.0, 1.0),), touch="none")]
        table = ScriptedTable(scene, acts, fps=10.0, seconds=0.8)
        seen = []
        for _ in range(8):
            table.read()
            truth = table.truth()
            car = next(c for c in truth["cars"] if c["name"] == "Red 1")
            seen.append((truth["frame"], truth["time_s"], car["moving"], car["center_in"][0]))
        assert [s[0] for s in seen] == list(range(8))
        assert [s[2] for s in seen] == [False, False, True, True, True, True, True, False]
        assert [s[3] for s in seen[-2:]] == [10.0, 10.0]
        assert seen[4][3] == pytest.approx(8.0, abs=0.1)

    def test_closing_ends_it(self, scene: Scene) -> None:
        table = ScriptedTable(scene, fps=10.0, seconds=5.0)
        table.read()
        table.close()
        with pytest.raises(SourceEnded):
            table.read()


class TestSimulatedTable:
    def live(self, scene: Scene, fps: float = 10.0) -> tuple[SimulatedTable, Hands]:
        hands = Hands()
        return SimulatedTable(scene, fps=fps, clock=hands.clock, sleep=hands.sleep), hands

    def test_frames_come_at_their_pace(self, scene: Scene) -> None:
        table, _ = self.live(scene)
        times = [table.read().time for _ in range(4)]
        assert np.diff(times) == pytest.approx([0.1] * 3)
        assert times[0] == pytest.approx(100.0 - scene.sensor.exposure / 2)

    def test_a_late_reader_gets_the_newest_and_no_burst(self, scene: Scene) -> None:
        table, hands = self.live(scene)
        table.read()
        hands.now += 3.0
        late = table.read().time
        assert table.read().time - late == pytest.approx(0.1)

    def test_a_moved_piece_is_seen_where_it_was_put(self, scene: Scene) -> None:
        table, hands = self.live(scene)
        before = table.read()
        table.move("red 1", Pose(15.0, 15.0, 0.5))
        hands.now += 1.0
        after = table.read()
        car = next(c for c in table.truth()["cars"] if c["name"] == "Red 1")
        assert car["center_in"] == [15.0, 15.0, 0.0]
        assert table.poses()["Red 1"] == Pose(15.0, 15.0, 0.5)
        spot = np.rint(scene.camera.project(np.array([[15.0, 15.0, 1.0]]))[0]).astype(int)
        around = np.s_[spot[1] - 3 : spot[1] + 4, spot[0] - 3 : spot[0] + 4]
        assert np.abs(after.image[around].astype(int) - before.image[around]).max() > 40

    def test_a_token_that_is_laid_lies_under_the_cars_until_it_is_gone(self, scene: Scene) -> None:
        table, hands = self.live(scene)
        table.move("Red 1", Pose(24.0, 24.0, 0.0))
        hands.now += 1.0
        before = table.read().image.astype(int)

        def changed(*where: tuple[float, float]) -> list[bool]:
            hands.now += 1.0
            image = table.read().image.astype(int)
            spots = np.rint(scene.camera.project(np.array([[*xy, 0.0] for xy in where]))).astype(int)
            return [bool(np.abs(image[y, x] - before[y, x]).max() > 40) for x, y in spots]

        square = ((22.0, 22.6), (25.0, 22.6), (25.0, 25.6), (22.0, 25.6))
        beside, under = (24.0, 25.3), (24.0, 24.0)
        laid: dict[str, Any] = {"Oil 1": square, "Blue 1": square}
        table.lay(laid)
        assert changed(beside, under) == [True, False]
        assert len(table.truth()["tokens"]) == 0, "it is in no table file"
        # A game says after every deed what lies there: the same again is no move.
        for again in (laid, {}):
            table.lay(again)
            moves = [list(track._times) for track in table._tracks.values()]
            table.lay(again)
            assert [track._times for track in table._tracks.values()] == moves
        assert changed(beside, under) == [False, False]

    def test_a_dragged_piece_glides_between_calls(self, scene: Scene) -> None:
        table, hands = self.live(scene)
        table.move("Red 1", Pose(10.0, 10.0))
        hands.now += 0.1
        table.move("Red 1", Pose(12.0, 10.0))
        shown = table._at(hands.now - 0.05).placements["Red 1"].pose
        assert shown.x == pytest.approx(11.0)
        hands.now += 5.0
        table.move("Red 1", Pose(20.0, 10.0))
        assert table._at(hands.now - 0.05).placements["Red 1"].pose.x == 12.0

    def test_only_the_latest_way_is_remembered(self, scene: Scene) -> None:
        table, hands = self.live(scene)
        for n in range(200):
            hands.now += 0.02
            table.move("Red 1", Pose(10.0 + n / 100, 10.0))
        track = table._tracks["Red 1"]
        assert len(track._times) == len(track._places) <= 17
        assert table._at(hands.now - 0.02).placements["Red 1"].pose.x == pytest.approx(11.98)

    def test_lifted_pieces_are_gone_until_put(self, scene: Scene) -> None:
        table, hands = self.live(scene)
        table.lift("Red 1")
        hands.now += 0.2
        table.read()
        assert "10" not in table.truth()["tags"]
        assert "Red 1" not in table.poses()
        table.put("Red 1")
        assert table.poses()["Red 1"] == scene.start["Red 1"]
        table.put("Red 1", Pose(9.0, 9.0))
        hands.now += 0.2
        table.read()
        assert table.truth()["tags"]["10"]["center_in"][:2] == [9.0, 9.0]

    def test_a_hand_shows_while_it_moves_something(self, scene: Scene) -> None:
        table, hands = self.live(scene)
        table.move("Red 1", Pose(10.0, 10.0), touch="over")
        hands.now += 0.3
        table.read()
        assert table.truth()["hand_in_frame"]
        hands.now += 1.0
        table.read()
        assert not table.truth()["hand_in_frame"]
        table.show_hand(Pose(20.0, 20.0, 1.0))
        hands.now += 60.0
        table.read()
        assert table.truth()["hand_in_frame"]
        table.show_hand(None)
        table.read()
        assert not table.truth()["hand_in_frame"]

    def test_reset_brings_everything_back(self, scene: Scene) -> None:
        table, _ = self.live(scene)
        table.move("Red 1", Pose(1.0, 1.0))
        table.lift("Mug")
        table.reset()
        assert table.poses() == dict(scene.start)

    def test_mistakes_are_told(self, scene: Scene) -> None:
        table, _ = self.live(scene)
        with pytest.raises(TableRefError, match="no piece called"):
            table.move("Nobody", Pose(0, 0))
        with pytest.raises(TableRefError, match="no frame has been read"):
            table.truth()
        table.close()
        with pytest.raises(SourceEnded):
            table.read()

    def test_a_piece_without_a_place_must_be_told_one(self) -> None:
        bare = bare_scene(SMALL)
        scene = Scene(**{**bare.__dict__, "start": {}})
        table = SimulatedTable(scene, clock=Hands().clock)
        with pytest.raises(TableRefError, match="say where to put it"):
            table.put("Red 1")

    def test_may_be_moved_from_any_thread(self, scene: Scene) -> None:
        table = SimulatedTable(scene, fps=1000.0)
        stop = threading.Event()
        failed: list[BaseException] = []

        def push(name: str, y: float) -> None:
            n = 0
            try:
                while not stop.is_set():
                    n += 1
                    table.move(name, Pose(10.0 + n % 20, y))
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=push, args=(f"Red {i}", 8.0 * i)) for i in (1, 2, 3)]
        for thread in threads:
            thread.start()
        frames = [table.read() for _ in range(15)]
        stop.set()
        for thread in threads:
            thread.join(120)
        assert failed == []
        assert np.all(np.diff([f.time for f in frames]) > 0)

    def test_is_what_sim_opens(self) -> None:
        hands = Hands()
        source = open_source("sim:bare", clock=hands.clock, sleep=hands.sleep)
        assert isinstance(source, SimulatedTable)
        assert source.read().size == (1920, 1080)
        assert parse_source("sim").live
        with pytest.raises(TableRefError, match="no simulated table called 'moon'"):
            open_source("sim:moon")


class TestClips:
    def test_a_folder_of_frames_with_truth_and_table(self, tmp_path: Path, scene: Scene) -> None:
        count = write_clip(tmp_path, scene, fps=5.0, seconds=0.6, kind="png")
        assert count == 3
        assert sorted(p.name for p in tmp_path.iterdir()) == [
            "frame_0000.json", "frame_0000.png", "frame_0001.json", "frame_0001.png",
            "frame_0002.json", "frame_0002.png", "table.toml",
        ]  # fmt: skip
        truth = json.loads((tmp_path / "frame_0001.json").read_text(encoding="utf-8"))
        assert truth["image"]["file"] == "frame_0001.png"
        assert truth["time_s"] == 0.2
        table = load_table(tmp_path / "table.toml")
        assert len(table.pieces) == 11
        frames = Pictures(tmp_path, fps=5.0)
        assert len(frames) == 3
        assert frames.read().size == SMALL

    def test_a_video_with_a_line_of_truth_a_frame(self, tmp_path: Path, scene: Scene) -> None:
        acts = [Act(0.0, 0.5, "Red 1", (Pose(10.0, 10.0),), touch="none")]
        write_clip(tmp_path, scene, acts, fps=10.0, seconds=0.7, kind="mp4")
        lines = [json.loads(t) for t in (tmp_path / "truth.jsonl").read_text(encoding="utf-8").splitlines()]
        assert [x["frame"] for x in lines] == list(range(7))
        assert lines[-1]["cars"]["10"]["x"] == 10.0
        assert lines[3]["cars"]["10"]["moving"]
        whole = json.loads((tmp_path / "scene.json").read_text(encoding="utf-8"))
        assert (whole["frame"], whole["clip"]["video"], whole["clip"]["frames"]) == (0, "clip.mp4", 7)
        assert whole["cars"][0]["center_in"][:2] == [lines[0]["cars"]["10"][k] for k in "xy"]
        video = VideoFile(tmp_path / "clip.mp4")
        frames = [video.read() for _ in range(7)]
        assert [f.time for f in frames] == pytest.approx([x["time_s"] for x in lines], abs=1e-3)
        fresh = ScriptedTable(scene, acts, fps=10.0, seconds=0.7)
        assert np.abs(frames[0].image.astype(int) - fresh.read().image).mean() < 8

    def test_the_demo_round_is_what_it_says(self, scene: Scene) -> None:
        play = Script(scene, demo_round(scene))
        end = play.at(play.duration).placements
        start = scene.start["Red 1"]
        assert end["Red 1"].pose.to_body(start.xy)[0] == pytest.approx(-4.0)
        turned = end["Blue 1"].pose.heading - scene.start["Blue 1"].heading
        assert math.degrees(turned) == pytest.approx(-35.0)
        assert end["Red 3"].pose == scene.start["Red 3"]
        assert play.at(14.2).hand is not None

    @pytest.mark.parametrize("play", ["still", "round", "random"])
    def test_the_command_writes_a_clip(
        self, tmp_path: Path, play: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "clip"
        code = main(["--out", str(out), "--play", play, "--seconds", "0.2", "--size", "320x180"])
        assert code == 0
        assert "Wrote 2 frames of Simulated table" in capsys.readouterr().out
        assert (out / "frame_0001.jpg").exists()

    def test_the_command_says_what_is_wrong(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["--out", str(tmp_path / "x"), "--scene", "moon"]) == 2
        assert "expected one of: default" in capsys.readouterr().err
        with pytest.raises(SystemExit):
            main(["--out", str(tmp_path / "x"), "--size", "huge"])
        assert "1920x1080" in capsys.readouterr().err


def test_a_perfect_sensor_has_no_blur_noise_or_tone() -> None:
    assert Sensor.perfect() == Sensor(blur=0.0, exposure=0.0, tone="linear", noise=0.0, jpeg=None)


def test_a_sheet_of_paper_is_laid_and_taken_away(scene: Scene) -> None:
    """Bright where it lies, and beside what a game lays there."""
    now = iter(float(n) for n in range(100))
    with_nothing = replace(scene, pieces=(), start={})
    table = SimulatedTable(with_nothing, clock=lambda: next(now), sleep=lambda _: None)
    middle = np.array([[24.0, 24.0]])
    (u, v) = scene.camera.project(np.column_stack([middle, [0.0]]))[0].round().astype(int)

    def level() -> float:
        table.read()
        return float(table.read().grey[v - 2 : v + 3, u - 2 : u + 3].mean())

    before = level()
    table.lay_paper((8.5, 11.0), Pose(24.0, 24.0, 0.3))
    laid = level()
    assert laid > before + 60
    table.lay({"Mine": [(1.0, 1.0), (2.0, 1.0), (2.0, 2.0)]})
    table.lay({})
    assert level() == pytest.approx(laid, abs=4)
    table.lay_paper(None)
    assert level() == pytest.approx(before, abs=4)
    table.close()
