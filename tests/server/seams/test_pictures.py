"""The pictures of a dispute show what decided, and before and after; no words lie over others."""

from __future__ import annotations

import io
import itertools
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from PIL import Image

from engine.boards.hexes import Hexes
from engine.boards.points import Points
from engine.game.contract import Question
from engine.motion.moves import Move
from engine.ruling import Check, Ruling, Verdict, Witness
from engine.space.geometry import Pose
from server.disputes.dispute import Dispute
from server.disputes.documents.html import html_of
from server.disputes.documents.pdf import pdf_of
from server.disputes.evidence import Evidence, collect
from server.disputes.pictures import LETTER, deciding, detail_svg, plan_svg, shown_line, window_of
from server.disputes.sealed.verify import verify
from tests.server.commands.test_records import NOW
from tests.server.disputes.conftest import RULINGS, about, shot_at

FAR = {name: Pose(40.0, 40.0 - 4.0 * k, 0.0) for k, name in enumerate(("RED2", "RED3", "BLUE2", "BLUE3"))}
"""Out of the way."""

BESIDE = FAR | {"RED1": Pose(10, 24, 0.0), "BLUE1": Pose(9.6, 31.0, 0.05)}
"""Blue 1 stands just behind Red 1's front axle, eight inches to its left."""


@pytest.fixture(scope="module")
def behind() -> Evidence:
    """A shot that the Forward Arc alone forbids, by a third of an inch."""
    shots = [shot_at(k * 0.5, BESIDE) for k in range(10)]
    return collect(shots, 2.5, about("RED1", "BLUE1", "Tank Cannon"), RULINGS.ask)


def test_the_arc_that_decided_is_drawn_in_the_few_inches_that_matter(behind: Evidence) -> None:
    check = behind.ruling.check("Forward Arc")
    assert [c.name for c in behind.ruling.checks if c.role == "condition" and c.verdict is Verdict.NO] == [
        check.name
    ]
    svg = behind.picture("near").data.decode()
    assert "Forward Arc" in behind.picture("near").words
    assert re.search(r"Forward Arc: 0\.\d\d in outside", svg)
    window = window_of(behind.table, behind.question, check)
    low, high = window.outline.min(axis=0), window.outline.max(axis=0)
    assert (high - low).max() < 4.0
    line = check.witness.line
    assert line is not None
    assert (low < line[1]).all()
    assert (line[1] < high).all()
    # The side of the arc goes through it: straight to the left from the front axle.
    sides = [side for side in check.witness.edges if side[1][1] > 24.0]
    (side,) = sides
    assert side[0] == pytest.approx(side[1] * (1, 0) + (0, 24.0), abs=0.05)
    assert low[0] < side[1][0] < high[0]
    dashed = [n for n in ET.fromstring(svg).iter() if n.get("stroke-dasharray")]
    assert len(dashed) == 2
    for name in ("plan", "marks"):
        assert "stroke-dasharray" in behind.picture(name).data.decode(), f"the arc on the {name}"


def test_the_same_inches_of_the_cameras_picture_are_shown(behind: Evidence) -> None:
    wide, high = Image.open(io.BytesIO(behind.picture("close").data)).size
    assert max(wide, high) == pytest.approx(900, abs=15)
    # It stands in both files, and their seals hold.
    dispute = Dispute("20260501-201500-ab12", NOW, "Anna", "Kitchen", "White Line Fever 0.9", behind)
    for file in (html_of(dispute), pdf_of(dispute)):
        found = verify(file)
        assert found.intact
        assert {"near", "close"} <= {p["name"] for p in found.contents["evidence"]["pictures"]}
    assert b'data-name="near"' in html_of(dispute)


def test_a_contact_is_drawn_where_both_come_closest() -> None:
    poses = FAR | {"RED1": Pose(10, 24, 0.0), "BLUE1": Pose(13.4, 24.2, 0.0)}
    table = shot_at(1.0, poses).table
    check = Check(
        "BLUE1", Verdict.TOO_CLOSE, 0.02, 0.0, 0.02, 0.05, 0.4, "in", "0.02 in apart", "c",
        witness=Witness(None, ("BLUE1",)),
    )  # fmt: skip
    asked, ruling = Question("move", "Was it legal?", ("RED1",)), Ruling("Was it?", 1.0, "RED1", "", (check,))
    line = shown_line(table, asked, check)
    assert line is not None
    assert np.hypot(*(line[1] - line[0])) == pytest.approx(3.4 - 2.98, abs=0.02)
    svg = detail_svg(table, asked, ruling)
    assert svg is not None
    assert "BLUE1: 0.02 in" in svg
    low, high = (f(window_of(table, asked, check).outline, axis=0) for f in (np.min, np.max))
    assert (high - low).max() < 4.0
    assert (low < line.min(axis=0)).all()


@pytest.mark.parametrize(
    "board", [Points(6, 5, frame=Pose(4.0, 5.0)), Hexes.field(6, 5, frame=Pose(4.0, 5.0))]
)
def test_the_line_between_two_cells_is_drawn(board: Points | Hexes) -> None:
    one, other = list(board.cells)[:2]
    a, b = board.pose_of(one), board.pose_of(other)
    middle = Pose((a.x + b.x) / 2, (a.y + b.y) / 2, 0.0)
    table = shot_at(1.0, FAR | {"RED1": middle}).table
    check = Check("Place", Verdict.TOO_CLOSE, 0.0, 0.0, 0.0, 0.05, 0.5, "in", "between two", "c")
    asked, ruling = Question("move", "Was it legal?", ("RED1",)), Ruling("Was it?", 1.0, "RED1", "", (check,))
    svg = detail_svg(table, asked, ruling, board)
    assert svg is not None
    (line,) = [n for n in ET.fromstring(svg).iter() if n.get("stroke-dasharray")]
    p, q = (np.array(at.split(","), dtype=float) for at in str(line.get("points")).split())
    # In the drawing's middle, as the piece is, and as long as a cell is wide.
    assert (p + q) / 2 == pytest.approx([450.0, 450.0], abs=60.0)


def moved() -> Move:
    """Red 1 has driven six inches between the first second and the third."""
    start, end = (
        shot_at(0.5, FAR | {"RED1": Pose(4, 24, 0.0)}),
        shot_at(3.0, FAR | {"RED1": Pose(10, 24, 0.0)}),
    )
    return Move("RED1 1.000", "RED1", start.table, end.table.find("RED1"), 1.0, 3.0)


def test_what_is_asked_of_a_whole_move_is_shown_on_its_whole_way() -> None:
    """The picture showed where the car had stopped, and neither its start nor how far it had gone."""
    move, table = moved(), shot_at(3.0, FAR | {"RED1": Pose(10, 24, 0.0)}).table
    check = Check("Length", Verdict.YES, 6.0, 6.0, 0.0, 0.05, 1.0, "in", "6 in of 6 in", "c")
    asked = Question("move", "Was it legal?", ("RED1",))
    low, high = (f(window_of(table, asked, check, move).outline, axis=0) for f in (np.min, np.max))
    assert (low < move.start.region.outline.min(axis=0)).all()
    assert (high > move.after.region.outline.max(axis=0)).all()


def test_what_decided_a_yes_was_measured() -> None:
    """One turn of one is met exactly: that it was *tightest* showed nobody anything."""
    counted = Check("Turns", Verdict.YES, 1.0, 1.0, 0.0, 0.0, 1.0, "", "one turn", "c")
    loose, tight = (
        Check(name, Verdict.YES, 5.0, 6.0, margin, 0.05, 1.0, "in", "5 in of 6 in", "c")
        for name, margin in (("Drift", 1.0), ("Length", 0.1))
    )
    assert deciding(Ruling("Was it?", 1.0, "RED1", "", (counted, loose, tight))) is tight
    assert deciding(Ruling("Was it?", 1.0, "RED1", "", (counted,))) is counted


def test_a_move_has_one_picture_before_and_one_after() -> None:
    move = moved()
    shots = [
        shot_at(k * 0.25, FAR | {"RED1": Pose(4 + 6 * min(max(k * 0.25 - 1, 0) / 2, 1), 24, 0.0)})
        for k in range(13)
    ]
    asked = Question("move", "Was it legal?", ("RED1",))
    check = Check("Length", Verdict.NO, 6.0, 5.0, -1.0, 0.05, 0.0, "in", "6 in of 5 in", "c")
    ruling = Ruling("Was it legal?", 3.0, "RED1", "", (check,))
    evidence = collect(shots, 3.0, asked, RULINGS.ask, handed_in=ruling, move=move)
    told = [(p.about, p.time_s) for p in evidence.pictures if p.about in ("before", "after")]
    assert [about for about, _ in told] == ["before", "after"]
    (_, before), (_, after) = told
    assert before is not None
    assert after is not None
    assert before <= move.since
    assert after >= move.until - 0.01


def test_words_on_a_plan_do_not_lie_over_one_another() -> None:
    heap = {
        name: Pose(20.0 + 1.4 * (k % 3), 20.0 + 1.4 * (k // 3), 0.3 * k)
        for k, name in enumerate(("RED1", "RED2", "RED3", "BLUE1", "BLUE2", "BLUE3"))
    }
    table = shot_at(1.0, heap).table
    question = about("RED1", "BLUE1", "Plinker")
    ruling = RULINGS.ask(question, table)
    drawn = ET.fromstring(plan_svg(table, ruling, [("Maximum Range", "4.20 in"), ("Line of Sight", "clear")]))
    boxes = []
    for n in drawn.iter("{http://www.w3.org/2000/svg}text"):
        size, wide = float(n.attrib["font-size"]), LETTER * float(n.attrib["font-size"]) * len(n.text or "")
        x, y = float(n.attrib["x"]), float(n.attrib["y"])
        boxes.append((n.text, x - wide / 2, y - size, x + wide / 2, y))
    assert len(boxes) > 8
    for one, other in itertools.combinations(boxes, 2):
        apart = one[1] >= other[3] or other[1] >= one[3] or one[2] >= other[4] or other[2] >= one[4]
        assert apart, f"{one[0]} lies over {other[0]}"
