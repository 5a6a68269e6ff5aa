"""A car that is nudged between its drive and its tap: taken, undone, taken again, ruled again.

So is one whose place is known otherwise meanwhile, as the camera was bumped.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from engine.space.geometry import Pose
from server.replay.rerule import rule_again
from tests.evening.house import House
from tests.evening.table import Eyes
from tests.server.play.test_machine import PERSON, evening, pushed


@pytest.mark.parametrize("nudges", [True, False], ids=["nudged", "bumped camera"])
def test_a_nudged_drive_is_measured_taken_back_taken_again_and_ruled_again_alike(
    tmp_path: Path, nudges: bool
) -> None:
    """The evening's table: what nudges is no move, and the record has where the car lay when it was taken."""
    with evening(tmp_path, "white_line_fever", simulated=False) as table:
        table.begin("white_line_fever", {"Red": None, "Blue": None})
        table.send(PERSON, type="sit", player="Red")
        table.send(House.owner, type="act", kind="deployment", data={"deployment": "highway"})
        for player in ("Red", "Blue"):
            data = {"car": f"{player} 1"}
            assert table.send(House.owner, type="act", kind="deploy", player=player, data=data).accepted
        table.at.tick(2)
        pushed(table, "Red 1", ahead=3.0)
        (driven,) = table.host.seeing.moves().values()
        there = table.hands.poses["Red 1"]
        if nudges:
            table.hands.move("Red 1", there.compose(Pose(0.05, -0.04, math.radians(4.5))))
        else:
            eyes = table.at.live._referee
            assert isinstance(eyes, Eyes)
            eyes.looks_anew(elsewhere=True)
        table.at.tick(6)
        (nudged,) = table.host.seeing.moves().values()
        assert nudged.id == driven.id
        assert nudged.after.pose == table.at.live.moment.table.find("Red 1").pose != driven.after.pose
        turned = math.degrees(nudged.after.pose.heading - there.heading)
        assert turned == pytest.approx(4.5 if nudges else 0.0, abs=1)
        take = {"type": "act", "kind": "move", "data": {"car": "Red 1", "move": nudged.id}}
        assert table.send(PERSON, **take).accepted
        match = table.host.match
        assert match is not None
        assert table.send(PERSON, type="undo").accepted
        (again,) = table.host.seeing.moves().values()
        assert again.after.pose == nudged.after.pose
        assert table.send(PERSON, **take).accepted
        (once, twice) = [e for e in match.log if e.kind == "action" and e.data["kind"] == "move"]
        assert once.measured is twice.measured is True
        assert not any(s.piece == "Red 1" for s in table.host.strays())
        table.at.tick(2)
        table.at.recorder.flush()
        ruled = list(rule_again(table.at.library.reader(table.at.game_id)))
        assert len([r for r in ruled if r.words.startswith("Red: ") and r.ruled]) >= 2, [
            r.words for r in ruled
        ]
        assert [(r.words, r.changes, r.said) for r in ruled if r.changes or r.said] == []
