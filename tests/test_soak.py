"""The long runs in short: hours of play, and a siege of the server."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from engine.space.geometry import Pose, Region
from engine.space.table import PoseUncertainty, Standing, Status, TableState
from server.pipeline.referee import Moment
from tests import soak as soaking
from tests.made import made
from tests.server import siege
from tests.soak import Drawn, Watched, is_swapped, paint, play, soak
from vision.frame import Frame
from vision.simulate.scene import ScenePlacement

SCENE, ACTS, SECONDS = play()
RED, BLUE = SCENE.piece("Red 1"), SCENE.piece("Blue 1")
TRUTH = {p.name: ScenePlacement(SCENE.start[p.name]) for p in (RED, BLUE)}
DRAWN = Drawn(Path("none.jpg"), TRUTH, frozenset(TRUTH))


def moment(at: Pose, status: Status = Status.STILL) -> Moment:
    standing = Standing(RED, at, PoseUncertainty.exact(), status)
    table = TableState(0.0, Region.rectangle(0, 0, 48, 48), (standing,))
    empty = Frame(None, 0.0, 0)  # type: ignore[arg-type]
    return Moment(0, 0.0, empty, table, None, read=frozenset({RED.name}))


def test_the_loop_ends_as_it_began() -> None:
    where = dict(SCENE.start)
    for act in ACTS:
        if act.piece is not None:
            where[act.piece] = act.path[-1]
    assert where == SCENE.start
    assert max(act.end for act in ACTS) < SECONDS


def test_a_car_seen_where_another_one_stands_is_a_swap_and_one_seen_nowhere_is_none() -> None:
    here, there = SCENE.start["Red 1"], SCENE.start["Blue 1"]
    assert is_swapped("Red 1", there, TRUTH)
    assert not is_swapped("Red 1", here, TRUTH)
    assert not is_swapped("Red 1", Pose(there.x + 5.0, there.y), TRUTH)


def test_swaps_jumps_and_false_starts_are_counted() -> None:
    here = SCENE.start["Red 1"]
    aside = Pose(here.x + 0.03, here.y, here.heading)
    watched = Watched()
    for seen in (moment(here), moment(aside), moment(aside, Status.MOVING), moment(SCENE.start["Blue 1"])):
        watched.see(seen, DRAWN)
    assert (watched.frames, watched.reads) == (4, 4)
    assert (watched.swaps, watched.jumps, watched.restless) == (1, 1, 1)
    assert watched.largest_jump == pytest.approx(0.03)
    # What is lost is told where it was: nobody says that it is there.
    watched.see(moment(SCENE.start["Blue 1"], Status.LOST), DRAWN)
    assert watched.swaps == 1


def test_half_a_minute_of_play_is_watched_without_a_mistake() -> None:
    by = ("engine", "calibration", "vision")
    painted = made(
        "soak", lambda into: paint(into, *play(3.5)), by=by, of=Path(soaking.__file__).read_text("utf-8")
    )
    figures = soak(0.0, slot=3.5, painted=painted)
    assert figures["acts"] == 11
    assert figures["frames"] > 150
    assert figures["reads"] > 9 * figures["frames"]
    assert figures["swaps"] == figures["jumps"] == figures["restless"] == 0
    assert figures["memory_mb"] > 0


@pytest.mark.skipif(sys.platform == "win32", reason="has one address on its loopback")
def test_an_invited_player_is_answered_and_what_was_acknowledged_is_kept() -> None:
    asked = (
        "quiet", "endless headers", "strangers", "spectators in every place",
        "a player who opens and withdraws disputes", "a spectator who picks 600 times a second",
        "a spectator who pings without end",
    )  # fmt: skip
    found = siege.run(0.5, 1, asked, hamper=False)
    for name in asked:
        assert found[name]["answers"] > 0, name
        assert found[name]["refused"] == 0, name
        assert found[name]["owners_act_failed"] == 0, name
    assert found["endless headers"]["became"]["cut off"] > 0
    assert set(found["strangers"]["became"]) <= {"401", "403"}
    assert found["strangers"]["became"]["401"] > 0
    became = found["spectators in every place"]["became"]
    assert (became["owner let in"], became["player let in"]) == (1, 1)
    assert became["connections"] < 80
    assert found["a spectator who pings without end"]["became"]["turned away"] > 0
    record = found["record"]
    assert record["acknowledged"] >= len(asked) + 1
    assert record["lost"] == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals there")
def test_a_game_that_does_not_answer_on_a_slow_disk_is_ended_and_so_is_the_server(tmp_path: Path) -> None:
    kept: set[str] = set()
    asked = ("pages opened and left", "three more who act")
    found = siege.hampered(tmp_path, kept, 0.1, (signal.SIGTERM,), asked)
    hangs = found["a game that does not answer"]
    assert hangs["became"] == {"begun": 1, "told": 1, "ended": 1}
    assert found["ended after SIGTERM, s"] is not None
    assert hangs["told_again_after_s"] < hangs["told_after_s"], "refused, and not asked again"
    assert hangs["owners_act_failed"] == 0
    assert found["slow syncs, pages opened and left"]["became"]["pages"] > 0
    assert found["slow syncs, three more who act"]["became"]["switched"] > 0
    record = siege.kept_of(tmp_path, kept)
    assert record["acknowledged"] > 0
    assert record["lost"] == 0
