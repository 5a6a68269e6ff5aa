from __future__ import annotations

from server.disputes.frame_buffer import FrameBuffer, KeptFrame
from server.disputes.gathering import OTHER_MOMENT, Gatherer
from server.disputes.views import facts
from server.pipeline.runner import Runner
from server.play.host import MatchHost
from server.play.subjects import Subject, Subjects
from tests.server.disputes.conftest import RULINGS, about
from tests.server.fakes import HandMoved, KnowsAll
from tests.server.play.moving.test_move_guide import driving_red2


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
