"""A recorded game as a viewer watches it, and its line of time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.errors import TableRefError
from engine.space.geometry import Pose
from engine.space.table import PoseUncertainty, Standing, Status
from server.formats.entries import Entry
from server.recording.library.games import Library
from server.recording.library.records import RULED_NOW, UNSEEN_OPEN, GameRecord
from server.recording.reader import Reader
from server.recording.tracks import TrackEncoder
from server.replay.playback import Playback, RecordedFrame
from server.replay.timeline import TONES, Tick, Timeline
from server.table.messages import State
from server.table.questions.rulings import Rulings
from server.table.state import Wish, event_view
from server.table.viewer import Subscriber
from tests.server.playback import BEGAN, record_game, table_file
from vision.frame import Frame


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    with Library.open(tmp_path_factory.mktemp("games")) as library:
        yield library.reader(record_game(library))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def playback(reader: Reader, clock: Clock) -> Playback:
    return Playback("the record", reader, Timeline(reader), lambda _: None, clock)


class TestMoving:
    def test_it_stands_at_the_beginning(self, playback: Playback, clock: Clock) -> None:
        clock.now += 5.0
        assert (playback.at_s, playback.playing, playback.playback.rate) == (0.0, False, 0.0)
        assert playback.playback.duration_s == 12.0

    @pytest.mark.parametrize("rate", [0.25, 1.0, 16.0])
    def test_it_plays_at_its_rate(self, playback: Playback, clock: Clock, rate: float) -> None:
        playback.seek(1.0)
        playback.play(rate)
        clock.now += 0.5
        assert playback.at_s == pytest.approx(1.0 + 0.5 * rate, abs=0.02)
        playback.play(0.0)
        stopped = playback.at_s
        clock.now += 5.0
        assert playback.at_s == stopped

    @pytest.mark.parametrize(("asked", "rate"), [(0.1, 0.25), (99.0, 16.0)])
    def test_no_slower_and_no_faster(self, playback: Playback, asked: float, rate: float) -> None:
        playback.play(asked)
        assert playback.playback.rate == rate

    def test_it_stops_at_the_end_and_begins_again_from_there(self, playback: Playback, clock: Clock) -> None:
        playback.seek(11.0)
        playback.play(2.0)
        clock.now += 5.0
        assert (playback.at_s, playback.playing, playback.playback.rate) == (12.0, False, 0.0)
        playback.play(1.0)
        clock.now += 0.5
        assert playback.at_s == pytest.approx(0.5, abs=0.02)

    def test_a_jump_plays_on(self, playback: Playback, clock: Clock) -> None:
        playback.play(1.0)
        clock.now += 1.0
        playback.seek(9.0)
        clock.now += 1.0
        assert playback.at_s == pytest.approx(10.0, abs=0.02)

    def test_beyond_the_ends(self, playback: Playback) -> None:
        playback.seek(1e6)
        assert playback.at_s == 12.0
        playback.step("frame", forward=True)
        assert playback.at_s == 12.0

    def test_steps_stand_still(self, playback: Playback) -> None:
        playback.play(1.0)
        playback.step("event", forward=True)
        assert (playback.at_s, playback.playing) == (1.0, False)
        playback.step("frame", forward=True)
        assert playback.at_s == pytest.approx(1.0 + 1 / 30)
        playback.step("event", forward=False)
        assert playback.at_s == 1.0

    def test_a_game_that_is_being_recorded_grows(self, tmp_path: Path, clock: Clock) -> None:
        with Library.open(tmp_path) as library:
            id = record_game(library)
            playback = Playback(
                "the record", library.reader(id), Timeline(library.reader(id)), lambda _: None, clock
            )
            journal = library.journal(id)
            journal.clock.see(0.0)
            journal.append([Entry("camera.gap", 3.0, "Three seconds later.")])
            journal.close()
            assert playback.snapshot.playback is not None
            assert playback.snapshot.playback.duration_s == 12.0, "measured only now and then"
            clock.now += 1.0
            assert playback.snapshot.playback.duration_s == 15.0
            playback.seek(15.0)
            assert playback.snapshot.events[-1].event.words == "Three seconds later."

    def test_whoever_looks_is_woken(self, playback: Playback) -> None:
        woken = []
        stop = playback.watch(lambda: woken.append(playback.at_s))
        playback.seek(3.0)
        stop()
        playback.seek(4.0)
        assert woken == [3.0]


class TestLooking:
    def test_the_table_as_it_stood(self, playback: Playback) -> None:
        for at_s, x, status in (
            (2.0, 8.0, Status.STILL),
            (6.0, 14.0, Status.MOVING),
            (9.0, 20.0, Status.STILL),
        ):
            playback.seek(at_s)
            moment = playback.snapshot.moment
            assert moment is not None
            red = moment.table.find("Red 1")
            assert (red.pose.x, red.status) == (pytest.approx(x, abs=1e-3), status)

    def test_nothing_new_is_the_same_object(self, playback: Playback) -> None:
        playback.seek(2.0)
        assert playback.snapshot is playback.snapshot

    def test_what_had_happened_by_then(self, playback: Playback) -> None:
        playback.seek(8.2)
        kinds = [e.event.kind for e in playback.snapshot.events]
        assert kinds[0] == "camera.appeared"
        assert kinds[-1] == "camera.moved"
        assert "dispute.opened" not in kinds

    def test_any_question_is_answered_from_then(self, playback: Playback) -> None:
        viewer = Subscriber(playback, Rulings.by_book(None))
        viewer.wish = Wish(pieces=("Red 1", "Blue 1"), question="Machine Gun")
        verdicts = []
        for at_s in (2.0, 9.0):
            playback.seek(at_s)
            state = viewer.news()
            viewer.drew(1000)
            assert state is not None
            assert state.ruling is not None
            verdicts.append(state.ruling.verdict)
        assert verdicts == ["no", "yes"]

    def test_a_newcomer_is_told_everything(self, playback: Playback) -> None:
        state = Subscriber(playback, Rulings.by_book(None)).news()
        assert isinstance(state, State)
        assert state.playback is not None
        assert state.source.state == "ended"
        assert not state.source.can_move

    def test_nothing_can_be_moved(self, playback: Playback) -> None:
        with pytest.raises(TableRefError, match="stands where it stood"):
            playback.move("Red 1", Pose(0, 0))


class TestPictures:
    def test_a_picture_is_fetched_only_for_who_looks(self, reader: Reader, clock: Clock) -> None:
        fetched = []

        def fetch(at_s: float) -> Frame:
            fetched.append(at_s)
            return Frame(np.full((540, 960, 3), 77, np.uint8), at_s, 0)

        playback = Playback("the record", reader, Timeline(reader), fetch, clock)
        viewer = Subscriber(playback, Rulings.by_book(None))
        playback.seek(5.0)
        state = viewer.news()
        assert state is not None
        assert viewer.picture_of(state) is None
        assert fetched == []
        viewer.wish = Wish(view="picture")
        state = viewer.news()
        assert state is not None
        assert state.picture is not None
        assert (state.picture.width, state.picture.height) == (1920, 1080)
        frame = viewer.picture_of(state)
        assert isinstance(frame, RecordedFrame)
        assert len(frame.packed()) > 0
        assert fetched == [5.0]
        assert "image" not in vars(frame), "it is not held by each page that stands still"

    def test_dark_where_none_was_kept(self, playback: Playback) -> None:
        moment = playback.snapshot.moment
        assert moment is not None
        assert moment.frame.image.shape == (1080, 1920, 3)
        assert moment.frame.image[:900].max() == 0
        assert moment.frame.image[900:].max() > 100, "it says that none was kept"
        # Within the middle square: behind the drawn table a page shows no more of a wide picture.
        assert moment.frame.image[:, :420].max() == moment.frame.image[:, 1500:].max() == 0


# Its line of time


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory) -> Timeline:
    with Library.open(tmp_path_factory.mktemp("games")) as library:
        return Timeline(library.reader(record_game(library)))


def test_marks_are_what_people_look_for(line: Timeline) -> None:
    kinds = [(t.mark, t.at_s) for t in line.marks if t.mark != "ruling"]
    assert kinds == [("turn", 1.0), ("dispute", 9.5), ("gap", 10.0), ("turn", 11.0)]
    rulings = [t for t in line.marks if t.mark == "ruling"]
    assert {t.at_s for t in rulings} == {3.0, 8.5}
    assert {t.verdict for t in rulings} <= {"yes", "no", "too close to call"}
    assert "no" in {t.verdict for t in rulings}


def test_attacks_and_what_people_ruled_are_marks_of_their_own() -> None:
    """A ruling was measured and has a verdict; in the list every line begins as a sentence does."""
    told = [Tick(1, 0.0, "match.x", "hit location: 3", None, tone=tone) for tone in TONES]
    assert [t.mark for t in told] == ["turn", "decision", "attack"]
    assert told[0].told == "Hit location: 3"


@pytest.mark.parametrize(
    ("at_s", "forward", "found"),
    [(0.0, True, 1.0), (1.0, True, 3.0), (0.99, True, 1.0), (9.2, False, 9.0), (9.0, False, 8.5),
     (11.0, True, None), (0.0, False, None), (99.0, False, 11.0)],
)  # fmt: skip
def test_the_entry_beside_a_time(line: Timeline, at_s: float, forward: bool, found: float | None) -> None:
    tick = line.beside(at_s, forward)
    assert (None if tick is None else tick.at_s) == found


def test_what_had_happened_until_then(line: Timeline) -> None:
    assert [t.kind for t in line.until(1.5, 10)] == ["camera.appeared", "match.round"]
    assert [t.kind for t in line.until(99.0, 2)] == ["camera.gap", "match.round"]
    assert line.until(-1.0, 5) == ()
    assert [t.number for t in line.after(len(line) - 2)] == [len(line) - 1, len(line)]


def test_whoever_goes_to_what_is_told_finds_that_it_has_happened(tmp_path: Path, clock: Clock) -> None:
    """Also where its time has more figures than a page is told."""
    with Library.open(tmp_path) as library:
        id = record_game(library)
        journal = library.journal(id)
        for number in range(20):
            journal.clock.see(at_s := 13.0 + 0.10317 * number)
            journal.append([Entry("camera.gap", at_s, f"gap {number}")])
        journal.close()
        reader = library.reader(id)
        playback = Playback("the record", reader, Timeline(reader), lambda _: None, clock)
        playback.seek(99.0)
        shown = {told.event.words: event_view(told, "in").time for told in playback.snapshot.events}
        for number in range(20):
            playback.seek(shown[f"Gap {number}"])
            assert playback.snapshot.events[-1].event.words == f"Gap {number}"
            playback.seek(playback.playback.at_s)
            assert playback.snapshot.events[-1].event.words == f"Gap {number}", "by a link"


def test_entries_told_late_do_not_turn_time_back(tmp_path: Path) -> None:
    with Library.open(tmp_path) as library:
        id = record_game(library)
        line = Timeline(library.reader(id))
        known = len(line)
        journal = library.journal(id)
        journal.clock.see(100.0)
        journal.append([Entry("camera.gap", 100.0, "now")])
        journal.append([Entry("camera.gap", 95.0, "told late")])
        journal.close()
        line.refresh()
        times = [t.at_s for t in line.after(0)]
        assert len(line) == known + 2
        assert times == sorted(times)


def test_terrain_that_was_never_seen_stays_unseen_in_the_record(tmp_path: Path) -> None:
    """Games of before were ruled as if it were not there, and are ruled again like that."""
    with Library.open(tmp_path) as library:
        of_before, of_now = (
            library.reader(record_game(library, about=about)) for about in (None, dict(UNSEEN_OPEN))
        )
        assert of_before.table_at(2.0).hiding == ()
        assert set(of_now.table_at(2.0).hiding) == {"Book", "Mug", "Crate", "Tin"}


def test_terrain_that_left_its_place_may_stand_anywhere_in_the_record_too(tmp_path: Path) -> None:
    """Games of before were ruled as if it stood there still, and are ruled again like that."""
    file = table_file()
    crate = next(p for p in file.pieces if p.obstacle)
    stands = Standing(crate, Pose(20.0, 20.0), PoseUncertainty.isotropic(0.01), Status.STILL, 0.0, 0.0)
    with Library.open(tmp_path) as library:
        readers = []
        for about in (dict(UNSEEN_OPEN), RULED_NOW):
            id = library.add(GameRecord.new(file.text, began=BEGAN, about=about)).id
            journal, encoder = library.journal(id, wall=lambda: BEGAN), TrackEncoder(file.pieces)
            # A block in which it goes, and one that it is no more in.
            for begins in (0, 4):
                for now in range(begins, begins + 4):
                    # Those of before told it as lost; now it is told no more.
                    then = [replace(stands, status=Status.LOST)] if about != RULED_NOW else []
                    encoder.add(float(now), float(now), [stands] if now < 2 else then)
                block, deviations = encoder.close()
                assert block is not None
                journal.append([], [*deviations, block])
            journal.close()
            readers.append(library.reader(id))
        of_before, of_now = readers
        for at_s in (1.0, 3.0, 6.0):
            table = of_now.table_at(at_s)
            assert (table.called(crate.name) is None, crate.name in table.hiding) == (at_s > 2.0,) * 2
            before = of_before.table_at(at_s)
            assert before.find(crate.name).status is (Status.LOST if at_s > 2.0 else Status.STILL)
            assert crate.name not in before.hiding
