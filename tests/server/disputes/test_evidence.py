"""Frames that are kept for a dispute, and the evidence that is made of them."""

from __future__ import annotations

import json
import math
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import pairwise
from typing import Any

import cv2
import numpy as np
import pytest

from engine.boards.points import Points
from engine.errors import TableRefError
from engine.game.contract import Question
from engine.space.geometry import Pose, Region
from engine.space.pieces import Hitch
from engine.space.table import Status, TableState, Thing, ThingName
from server.disputes.evidence import Evidence, collect, completed, sharpest
from server.disputes.frame_buffer import (
    FREE,
    PINNED,
    SPACING_S,
    THINNED,
    FrameBuffer,
    FrameCollector,
    KeptFrame,
)
from server.disputes.gathering import OTHER_MOMENT, Gatherer
from server.disputes.pictures import crop, plan_svg, sharpness, shot_sharpness, tag_corners
from server.disputes.sealed.seal import canonical
from server.disputes.tables import move_of, move_record, table_of, table_record
from server.disputes.views import facts
from server.pipeline.runner import Runner
from server.play.host import MatchHost
from server.play.subjects import Subject, Subjects
from server.table.questions.differences import EXACT, differences
from server.table.questions.rulings import key_of_question
from server.table.records import asked_of, ruling_record
from tests.engine.motion.test_recognition import move as went
from tests.server.disputes.conftest import RULINGS, about, shot_at, tagged
from tests.server.fakes import CAMERA, STANDINGS, HandMoved, KnowsAll, wait_until
from tests.server.play.moving.test_move_guide import driving_red2

ASKED = about("RED1", "BLUE1", "Plinker")


def exactly(table: TableState, question: Question) -> dict[str, Any]:
    return ruling_record(RULINGS.ask(question, table), question, exactly=True)


class TestSharpness:
    def test_falls_with_blur_and_says_how_wide_an_edge_is(self) -> None:
        sharp, soft, softer = (shot_at(0.0, blur=b) for b in (0.0, 1.5, 3.0))
        values = [
            shot_sharpness(s, [s.table.find("RED1"), s.table.find("BLUE1")]) for s in (sharp, soft, softer)
        ]
        assert all(v is not None for v in values)
        assert values == sorted(values, reverse=True)  # type: ignore[type-var]
        assert values[0] > 2 * values[2]  # type: ignore[operator]

    def test_does_not_depend_on_the_light(self) -> None:
        shot = shot_at(0.0, blur=1.0)
        grey = np.asarray(cv2.cvtColor(shot.decoded(), cv2.COLOR_BGR2GRAY), np.uint8)
        red = shot.table.find("RED1")
        assert red.piece.mount is not None
        corners = tag_corners(red.piece.mount, red.pose, CAMERA)
        dim = np.asarray(grey * 0.5 + 20, np.uint8)
        assert sharpness(grey, corners) == pytest.approx(sharpness(dim, corners), rel=0.05)

    def test_is_nothing_where_there_is_no_tag_to_judge(self) -> None:
        grey = np.full((100, 100), 90, np.uint8)
        assert sharpness(grey, np.array([(10.0, 10), (40, 10), (40, 40), (10, 40)])) is None
        assert sharpness(grey, np.array([(-90.0, 10), (-40, 10), (-40, 40), (-90, 40)])) is None
        assert sharpness(grey, np.full((4, 2), np.nan)) is None


class TestSharpestFrame:
    def test_is_the_sharpest_about_the_instant(self, shots: tuple[KeptFrame, ...]) -> None:
        pieces = [shots[0].table.find("RED1"), shots[0].table.find("BLUE1")]
        shot, judged = sharpest(shots, 2.5, pieces)
        # Every third frame is sharp: those of 2.25 and 3 s lie near, the former nearer.
        assert shot.time == 2.25
        assert {j.time for j in judged} == {1.75, 2.0, 2.25, 2.5, 2.75, 3.0, 3.25}

    def test_is_never_one_in_which_a_car_stands_elsewhere(self, shots: tuple[KeptFrame, ...]) -> None:
        # The sharp frame of 4.5 s is nearer than that of 3.75 s, but BLUE3 has driven away by then.
        there = next(s for s in shots if s.time == 4.0).table
        pieces = [there.find("RED1"), there.find("BLUE3")]
        assert sharpest(shots, 4.0, pieces)[0].time == 3.75

    def test_is_never_one_in_which_a_car_is_covered(self) -> None:
        pose = {"RED1": STANDINGS["RED1"][1]}
        held, free = shot_at(1.0, pose, status=Status.HELD), shot_at(1.2, blur=1.5)
        assert sharpest([held, free], 1.2, [free.table.find("RED1")])[0] is free

    def test_without_a_frame_it_says_so(self) -> None:
        with pytest.raises(TableRefError, match="no frame is kept yet"):
            sharpest([], 1.0, [])


class TestCollected:
    def test_rules_from_the_very_frame_that_is_shown(self, evidence: Evidence) -> None:
        assert exactly(evidence.table, ASKED) == ruling_record(evidence.ruling, ASKED, exactly=True)
        assert evidence.picture("frame").data == evidence.shot.jpeg
        assert evidence.ruling.check("Line of Sight").witness.blockers == ("mug",)

    def test_holds_everything_that_people_ask_for(self, evidence: Evidence) -> None:
        names = [p.name for p in evidence.pictures]
        assert {"frame", "marks", "plan", "view turret", "before 1", "before 2", "after 1"} <= set(names)
        tags = {p.words for p in evidence.pictures if p.about == "tag"}
        assert tags == {"RED1, tag 10.", "BLUE1, tag 10.", "mug, tag 10."}
        assert len(names) == len(set(names))
        before = [p for p in evidence.pictures if p.about == "before"]
        assert [p.time_s for p in before] == [0.0, 1.5]
        assert [p.words for p in before] == ["2.5 s before.", "1.0 s before."]

    def test_drawings_are_drawings(self, evidence: Evidence) -> None:
        for picture in evidence.pictures:
            if picture.media == "image/svg+xml":
                root = ET.fromstring(picture.data)
                assert root.tag.endswith("svg")
                assert not [e for e in root.iter() if "href" in str(e.attrib) or e.tag.endswith("script")]

    def test_is_plain_json_with_every_picture_by_its_digest(self, evidence: Evidence) -> None:
        record = json.loads(canonical(evidence.as_json()))
        assert [p["sha256"] for p in record["pictures"]] == [p.digest for p in evidence.pictures]
        assert record["calibration"]["residual_in"] == CAMERA.residual
        assert key_of_question(asked_of(record["ruling"])) == key_of_question(evidence.question)
        assert asked_of(record["ruling"]).pieces == evidence.question.pieces
        assert record["frame"]["time_s"] == evidence.shot.time

    def test_takes_up_what_came_after(self, shots: tuple[KeptFrame, ...]) -> None:
        early = collect(shots[:11], 2.5, ASKED, RULINGS.ask)
        assert not [p for p in early.pictures if p.about == "after"]
        later = completed(early, shots)
        assert [p.about for p in later.pictures].count("after") == 2
        assert later.picture("frame").digest == early.picture("frame").digest

    def test_of_a_table_that_was_not_found_in_the_picture_there_are_no_crops(self) -> None:
        shot = replace(shot_at(1.0), surface=None)
        found = collect([shot], 1.0, ASKED, RULINGS.ask)
        assert {p.about for p in found.pictures} == {"frame", "detail", "plan", "view"}
        assert found.as_json()["calibration"] is None


def test_a_crop_shows_the_pixels_of_the_camera_and_no_others() -> None:
    image = np.zeros((60, 80, 3), np.uint8)
    image[20:40, 30:50] = np.random.default_rng(1).integers(0, 255, (20, 20, 3), np.uint8)
    data = crop(image, np.array([(32.0, 22.0), (47, 22), (47, 37), (32, 37)]))
    assert data is not None
    large = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert large is not None
    times = large.shape[0] // 30
    assert times > 3
    small = large[times // 2 :: times, times // 2 :: times]
    high, wide = small.shape[:2]
    assert (image[15 : 15 + high, 25 : 25 + wide] == small).all()
    assert crop(image, np.array([(-20.0, -20), (-9, -20), (-9, -9), (-20, -9)])) is None


class TestRecord:
    def test_a_table_comes_back_exactly(self, evidence: Evidence) -> None:
        record = json.loads(json.dumps(table_record(evidence.table)))
        back = table_of(record)
        assert table_record(back) == record
        for a, b in (("RED1", "BLUE1"), ("BLUE2", "RED3")):
            then, now = (exactly(t, about(a, b, "Machine Gun")) for t in (evidence.table, back))
            assert then == now
            assert list(differences(then, now, EXACT)) == []

    def test_a_table_comes_back_with_what_hangs_on_what(self, evidence: Evidence) -> None:
        one, other = evidence.table.standings[:2]
        rig = replace(one, piece=replace(one.piece, name="Rig"))
        hitch = Hitch("Rig", at=(2.5, 0.0), on=(-1.2, 0.1))
        trailer = replace(other, piece=replace(other.piece, name="Trailer", hitch=hitch))
        table = TableState.of(Region.rectangle(0.0, 0.0, 48.0, 36.0), [trailer, rig])
        back = table_of(json.loads(json.dumps(table_record(table))))
        assert back.find("Trailer").piece.hitch == hitch
        assert [s.name for s in back.vehicle("Trailer")] == ["Rig", "Trailer"]

    def test_a_table_comes_back_with_what_was_never_seen(self, evidence: Evidence) -> None:
        one, *rest = evidence.table.standings
        thing = Thing(ThingName("Thing 1"), Region.rectangle(1.0, 2.0, 3.0, 4.0), 0.08)
        table = replace(evidence.table, standings=tuple(rest), unplaced=(one.piece,), things=(thing,))
        record = json.loads(json.dumps(table_record(table)))
        assert table_record(table_of(record)) == record
        assert table_of(record).hiding == (one.name,)
        assert isinstance(table_of(record).things[0].name, ThingName)
        assert not {"unplaced", "things"} & table_record(evidence.table).keys()

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            (lambda r: r.pop("pieces"), "pieces"),
            (lambda r: r["pieces"][0].update(kind="plane"), "plane"),
            (lambda r: r["pieces"][0].update(pose=[1, 2]), "values to unpack"),
            (lambda r: r["pieces"][0].update(own=[[1]]), "covariance"),
            (lambda r: r["pieces"][0].update(footprint_in=[[0, 0], [1, 1]]), "corners"),
            (lambda r: r["pieces"][0].update(status="asleep"), "asleep"),
        ],
    )
    def test_what_is_no_table_is_refused(self, evidence: Evidence, change, said: str) -> None:  # type: ignore[no-untyped-def]
        record = json.loads(json.dumps(table_record(evidence.table)))
        change(record)
        with pytest.raises(TableRefError, match=said):
            table_of(record)

    def test_says_what_is_ruled_differently(self, evidence: Evidence) -> None:
        then = exactly(evidence.table, ASKED)
        away = tagged("mug", Pose(40.0, 3.0, math.pi / 2))
        standings = tuple(away if s.name == "mug" else s for s in evidence.table.standings)
        moved = replace(evidence.table, standings=standings)
        said = " ".join(one.words for one in differences(then, exactly(moved, ASKED), EXACT))
        assert "verdict was no and is yes today." in said
        assert "Line of Sight was no (blocked by mug" in said


class TestMoves:
    def test_a_move_is_kept_exactly_with_every_rest_on_its_way(self) -> None:
        first, second = went(1, 10, 12), went(2, 12, 14)
        move = first.and_then(second)
        kept = json.loads(canonical(move_record(move)))
        again = move_of(kept)
        assert move_record(again) == move_record(move)
        assert (again.id, again.since, again.until, again.reads) == ("move-2", 10.0, 25.0, move.reads)
        assert again.earlier is not None
        assert (again.earlier.id, again.earlier.earlier) == ("move-1", None)
        assert again.recognised().length.value == move.recognised().length.value

    @pytest.mark.parametrize("broken", [{}, {"rests": []}, {"way": [[1]]}, {"before": None}])
    def test_what_is_no_move_is_refused(self, broken: dict[str, Any]) -> None:
        record = move_record(went(1, 10, 12)) | broken if broken else {}
        with pytest.raises(TableRefError, match="expected a"):
            move_of(record)


class TestPlan:
    def test_shows_the_board_that_is_played_on(self, shots: tuple[KeptFrame, ...]) -> None:
        ruling = RULINGS.ask(ASKED, shots[0].table)
        board = Points(6, 5, frame=Pose(4.0, 5.0))
        without, with_board = (plan_svg(shots[0].table, ruling, (), b) for b in (FREE, board))
        names = [name for shape in board.drawing() if (name := shape.words)]
        assert names
        for name in names:
            assert f">{name}</text>" in with_board
            assert f">{name}</text>" not in without
        found = collect(shots, 2.5, ASKED, RULINGS.ask, board=lambda _: board)
        assert f">{names[0]}</text>" in found.picture("plan").data.decode()

    def test_shows_where_a_disputed_move_began_and_its_way(self, shots: tuple[KeptFrame, ...]) -> None:
        ruling = RULINGS.ask(ASKED, shots[0].table)
        before, after = (plan_svg(shots[0].table, ruling, (), FREE, m) for m in (None, went(1, 10, 12)))
        assert after.count("<polyline") == before.count("<polyline") + 1
        assert after.count("stroke-dasharray") == before.count("stroke-dasharray") + 1


# The frames at hand


@pytest.fixture(scope="module")
def one() -> KeptFrame:
    return replace(shot_at(0.0), jpeg=bytes(1000))


def fill(ring: FrameBuffer, one: KeptFrame, until: float, step: float = 0.1) -> None:
    for k in range(round(until / step) + 1):
        ring.add(replace(one, time=k * step, index=k))


def test_reaches_back_as_far_as_it_says_and_no_farther(one: KeptFrame) -> None:
    ring = FrameBuffer(seconds=10.0)
    fill(ring, one, 30.0)
    times = [s.time for s in ring.shots]
    assert times == sorted(times)
    assert times[-1] == pytest.approx(30.0)
    assert 20.0 <= times[0] <= 20.0 + THINNED[0][1]


def test_what_was_pinned_stays_at_hand_when_the_frames_of_then_are_gone(one: KeptFrame) -> None:
    ring = FrameBuffer(seconds=10.0)
    ring.pin("none", 0.0)
    fill(ring, one, 5.0)
    ring.pin("one", 4.9)
    assert ring.around(4.9) == ring.shots
    assert ring.around(20.0) == ()
    for k in range(51, 300):
        ring.add(replace(one, time=k * 0.1, index=k))
    assert [round(s.time, 1) for s in ring.around(4.9)] == [
        pytest.approx(t, abs=0.3) for t in (1.9, 3.9, 4.9, 5.0)
    ]
    assert ring.around(3.0) == ()
    for k in range(PINNED):
        assert ring.around(4.9)
        ring.pin(f"{k}", 28.0 + 0.1 * k)
    assert ring.around(4.9) == ()


def test_what_is_pinned_anew_takes_the_place_of_the_old_and_of_nothing_else(one: KeptFrame) -> None:
    ring = FrameBuffer(seconds=5.0)
    fill(ring, one, 2.0)
    ring.pin("deed", 1.0)
    for k in range(21, 300):
        ring.add(replace(one, time=k * 0.1, index=k))
        ring.pin("move of red1", k * 0.1)
    assert ring.around(1.0)
    assert ring.around(15.0) == ()


def test_what_was_pinned_whole_is_not_pinned_anew_by_later_frames(one: KeptFrame) -> None:
    ring = FrameBuffer(seconds=5.0)
    for k in range(300):
        ring.add(replace(one, time=k * 0.1, index=k))
        if k >= 40:
            ring.pin("move of red1", 4.0)
    assert [s.time for s in ring.around(4.0)] == [pytest.approx(t, abs=0.3) for t in (1.0, 3.0, 4.0, 6.0)]
    ring.pin("move of blue1", 4.0)
    assert len(ring.around(4.0)) == 4


def test_never_holds_more_bytes_than_it_may(one: KeptFrame) -> None:
    ring = FrameBuffer(most_bytes=20_500, seconds=1000.0)
    for k in range(300):
        ring.add(replace(one, time=k * 0.1))
        assert ring.bytes == sum(len(s.jpeg) for s in ring.shots) <= 20_500
    assert len(ring.shots) == 20


def test_one_frame_stays_even_if_it_is_too_large(one: KeptFrame) -> None:
    ring = FrameBuffer(most_bytes=10)
    ring.add(one)
    assert ring.shots == (one,)


def test_the_newest_are_dense_and_the_older_the_more_thinned_out(one: KeptFrame) -> None:
    ring = FrameBuffer()
    fill(ring, one, 19.0)
    times = [s.time for s in ring.shots]
    ages = [(0.0, 0.1), *sorted(THINNED), (19.0, 0.0)]
    for (younger, apart), (older, _) in pairwise(ages):
        gaps = [b - a for a, b in pairwise(times) if younger < 19.0 - b and 19.0 - a < older]
        assert apart - 1e-9 <= min(gaps), younger
        assert max(gaps) < apart + 0.1 + 1e-9, younger
    # Some twenty megabytes at a third of one a picture.
    assert len(times) == pytest.approx(3.0 / 0.1 + 5.0 / 0.3 + 11.0 / 0.5, abs=3)


def test_a_clock_that_begins_anew_begins_the_ring_anew(one: KeptFrame) -> None:
    ring = FrameBuffer()
    fill(ring, one, 5.0)
    ring.add(replace(one, time=0.5))
    assert [s.time for s in ring.shots] == [0.5]
    assert ring.bytes == 1000


def test_frames_too_close_to_each_other_are_not_wanted(one: KeptFrame) -> None:
    ring = FrameBuffer()
    assert ring.wants(0.0)
    ring.add(one)
    assert not ring.wants(SPACING_S / 2)
    assert ring.wants(SPACING_S)
    assert ring.wants(-1.0)


def test_a_running_table_fills_its_ring() -> None:
    source = HandMoved(fps=50)
    ring = FrameBuffer()
    with Runner(source, KnowsAll(source)) as live:
        keeper = FrameCollector(live, ring)
        wait_until("some frames", lambda: len(ring.shots) > 3)
        keeper.close()
        kept = len(ring.shots)
        wait_until("more frames", lambda: live.snapshot.number > kept + 40)
        assert len(ring.shots) == kept
    shot = ring.shots[-1]
    assert shot.table.find("RED1").status == "still"
    assert shot.decoded().shape[1::-1] == shot.size


# What was done on the table of a moment


def gathered(shots: tuple[KeptFrame, ...], moment: KeptFrame, at: float) -> tuple[Gatherer, Subject]:
    """A desk with these frames, and a shot that was done on the table of a moment."""
    host: MatchHost = driving_red2()
    assert host.match is not None
    ring = FrameBuffer()
    for shot in shots:
        ring.add(shot)
    source = HandMoved()
    gatherer = Gatherer(Runner(source, KnowsAll(source)), RULINGS, ring, Subjects(host))
    question = about("RED1", "BLUE3", "Plinker")
    subject = Subject(
        "batch:1",
        "a shot",
        host.match,
        question,
        host.match.state,
        at,
        ("Anna", "Ben"),
        1,
        table=moment.table,
    )
    return gatherer, subject


def test_the_frame_shows_the_pieces_where_they_stood_and_not_a_moment_before(
    shots: tuple[KeptFrame, ...],
) -> None:
    # BLUE3 has driven away at 4.25 s; the frame of 4.0 s is nearer to 4.1 s, and of before.
    gatherer, subject = gathered(shots, shots[17], 4.1)
    evidence, _ = gatherer.of_subject(subject)
    assert evidence.at == 4.25
    assert evidence.table.find("BLUE3").pose.x == 20.0
    assert evidence.note == ""


def test_where_no_frame_does_the_ruling_rests_on_the_moment_and_says_so(shots: tuple[KeptFrame, ...]) -> None:
    gatherer, subject = gathered(shots[:17], shots[17], 4.1)
    evidence, _ = gatherer.of_subject(subject)
    assert evidence.table.find("BLUE3").pose.x == 20.0
    assert (evidence.note, facts(evidence)[-1]) == (OTHER_MOMENT, OTHER_MOMENT)


def test_of_a_moment_that_no_frame_is_kept_of_any_more_nothing_is_shown(shots: tuple[KeptFrame, ...]) -> None:
    gatherer, subject = gathered(shots, shots[17], 400.0)
    with pytest.raises(TableRefError, match="no frame of that moment"):
        gatherer.of_subject(subject)
    newest, _ = gatherer.of_subject(replace(subject, at=None, table=None))
    assert newest.at == shots[-1].time
