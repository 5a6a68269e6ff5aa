"""A recorded game as a viewer watches it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.errors import TableRefError
from engine.space.geometry import Pose
from engine.space.table import Status
from server.recording.journal import Entry
from server.recording.library.games import Library
from server.recording.reader import Reader
from server.replay.playback import Tape
from server.replay.timeline import Timeline
from server.table.messages import State
from server.table.rulebook import WhiteLineFever
from server.table.viewer import Viewer, Wish
from tests.server.playback import record_game
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
def tape(reader: Reader, clock: Clock) -> Tape:
    return Tape("the record", reader, Timeline(reader), lambda _: None, clock)


class TestMoving:
    def test_it_stands_at_the_beginning(self, tape: Tape, clock: Clock) -> None:
        clock.now += 5.0
        assert (tape.at_s, tape.playing, tape.tape.rate) == (0.0, False, 0.0)
        assert tape.tape.duration_s == 12.0

    @pytest.mark.parametrize("rate", [0.25, 1.0, 16.0])
    def test_it_plays_at_its_rate(self, tape: Tape, clock: Clock, rate: float) -> None:
        tape.seek(1.0)
        tape.play(rate)
        clock.now += 0.5
        assert tape.at_s == pytest.approx(1.0 + 0.5 * rate, abs=0.02)
        tape.play(0.0)
        stopped = tape.at_s
        clock.now += 5.0
        assert tape.at_s == stopped

    @pytest.mark.parametrize(("asked", "rate"), [(0.1, 0.25), (99.0, 16.0)])
    def test_no_slower_and_no_faster(self, tape: Tape, asked: float, rate: float) -> None:
        tape.play(asked)
        assert tape.tape.rate == rate

    def test_it_stops_at_the_end_and_begins_again_from_there(self, tape: Tape, clock: Clock) -> None:
        tape.seek(11.0)
        tape.play(2.0)
        clock.now += 5.0
        assert (tape.at_s, tape.playing, tape.tape.rate) == (12.0, False, 0.0)
        tape.play(1.0)
        clock.now += 0.5
        assert tape.at_s == pytest.approx(0.5, abs=0.02)

    def test_a_jump_plays_on(self, tape: Tape, clock: Clock) -> None:
        tape.play(1.0)
        clock.now += 1.0
        tape.seek(9.0)
        clock.now += 1.0
        assert tape.at_s == pytest.approx(10.0, abs=0.02)

    def test_beyond_the_ends(self, tape: Tape) -> None:
        tape.seek(1e6)
        assert tape.at_s == 12.0
        tape.step("frame", forward=True)
        assert tape.at_s == 12.0

    def test_steps_stand_still(self, tape: Tape) -> None:
        tape.play(1.0)
        tape.step("event", forward=True)
        assert (tape.at_s, tape.playing) == (1.0, False)
        tape.step("frame", forward=True)
        assert tape.at_s == pytest.approx(1.0 + 1 / 30)
        tape.step("event", forward=False)
        assert tape.at_s == 1.0

    def test_a_game_that_is_being_recorded_grows(self, tmp_path: Path, clock: Clock) -> None:
        with Library.open(tmp_path) as library:
            id = record_game(library)
            tape = Tape("the record", library.reader(id), Timeline(library.reader(id)), lambda _: None, clock)
            journal = library.journal(id)
            journal.clock.see(0.0)
            journal.append([Entry("camera.gap", 3.0, "Three seconds later.")])
            journal.close()
            assert tape.snapshot.tape is not None
            assert tape.snapshot.tape.duration_s == 12.0, "measured only now and then"
            clock.now += 1.0
            assert tape.snapshot.tape.duration_s == 15.0
            tape.seek(15.0)
            assert tape.snapshot.events[-1].event.words == "Three seconds later."

    def test_whoever_looks_is_woken(self, tape: Tape) -> None:
        woken = []
        stop = tape.watch(lambda: woken.append(tape.at_s))
        tape.seek(3.0)
        stop()
        tape.seek(4.0)
        assert woken == [3.0]


class TestLooking:
    def test_the_table_as_it_stood(self, tape: Tape) -> None:
        for at_s, x, status in (
            (2.0, 8.0, Status.STILL),
            (6.0, 14.0, Status.MOVING),
            (9.0, 20.0, Status.STILL),
        ):
            tape.seek(at_s)
            moment = tape.snapshot.moment
            assert moment is not None
            red = moment.table.find("Red 1")
            assert (red.pose.x, red.status) == (pytest.approx(x, abs=1e-3), status)

    def test_nothing_new_is_the_same_object(self, tape: Tape) -> None:
        tape.seek(2.0)
        assert tape.snapshot is tape.snapshot

    def test_what_had_happened_by_then(self, tape: Tape) -> None:
        tape.seek(8.2)
        kinds = [e.event.kind for e in tape.snapshot.events]
        assert kinds[0] == "camera.appeared"
        assert kinds[-1] == "camera.moved"
        assert "dispute.opened" not in kinds

    def test_any_question_is_answered_from_then(self, tape: Tape) -> None:
        viewer = Viewer(tape, WhiteLineFever())
        viewer.wish = Wish(shooter="Red 1", target="Blue 1", weapon="Machine Gun")
        verdicts = []
        for at_s in (2.0, 9.0):
            tape.seek(at_s)
            state = viewer.news()
            viewer.drew(1000)
            assert state is not None
            assert state.ruling is not None
            verdicts.append(state.ruling.verdict)
        assert verdicts == ["no", "yes"]

    def test_a_newcomer_is_told_everything(self, tape: Tape) -> None:
        state = Viewer(tape, WhiteLineFever()).news()
        assert isinstance(state, State)
        assert state.tape is not None
        assert state.source.state == "ended"
        assert not state.source.can_move

    def test_nothing_can_be_moved(self, tape: Tape) -> None:
        with pytest.raises(TableRefError, match="stands where it stood"):
            tape.move("Red 1", Pose(0, 0))


class TestPictures:
    def test_a_picture_is_fetched_only_for_who_looks(self, reader: Reader, clock: Clock) -> None:
        fetched = []

        def fetch(at_s: float) -> Frame:
            fetched.append(at_s)
            return Frame(np.full((540, 960, 3), 77, np.uint8), at_s, 0)

        tape = Tape("the record", reader, Timeline(reader), fetch, clock)
        viewer = Viewer(tape, WhiteLineFever())
        tape.seek(5.0)
        state = viewer.news()
        assert state is not None
        assert viewer.picture_for(state) is None
        assert fetched == []
        viewer.wish = Wish(view="picture")
        state = viewer.news()
        assert state is not None
        assert state.picture is not None
        assert (state.picture.width, state.picture.height) == (1920, 1080)
        assert viewer.picture_for(state) is not None
        assert fetched == [5.0]

    def test_dark_where_none_was_kept(self, tape: Tape) -> None:
        moment = tape.snapshot.moment
        assert moment is not None
        assert moment.frame.image.shape == (1080, 1920, 3)
        assert moment.frame.image[:900].max() == 0
        assert moment.frame.image[900:].max() > 100, "it says that none was kept"
