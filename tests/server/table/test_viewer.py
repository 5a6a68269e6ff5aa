"""What each viewer is told, and that every message is checked and documented."""

from __future__ import annotations

import gc
import json
import logging
import weakref
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from engine.boards.points import Points
from engine.game.contract import Question
from engine.game.match import Match
from engine.ruling import Ruling
from engine.space.geometry import Pose
from engine.space.table import TableState
from server.pipeline.runner import Runner, Snapshot
from server.table import state
from server.table.messages import (
    FROM_PAGE,
    TO_PAGE,
    Drawn,
    PutPiece,
    Select,
    Show,
    State,
    StateChange,
    from_page,
)
from server.table.questions.rulings import Rulings
from server.table.state import Broadcast, Wish, difference, whole_state
from server.table.viewer import Subscriber, as_json, jpeg_of
from server.web.messages import Model
from tests.engine.game.grid_game import GAME, OWN, SETUP
from tests.server.fakes import STANDINGS, HandMoved, KnowsAll
from vision.frame import JpegFrame

CARS = [name for name, (piece, _) in STANDINGS.items() if piece.kind == "car"]
BOOK = Rulings.by_book(None)


class Bench:
    """A table that is stepped by hand."""

    def __init__(self) -> None:
        self.now = 0.0
        self.source = HandMoved(fps=1000)
        self.referee = KnowsAll(self.source)
        self.live = Runner(self.source, self.referee, clock=lambda: self.now)
        self.step()

    def step(self) -> Snapshot:
        frame = self.source.read()
        self.now += 0.1
        snapshot = Snapshot(
            number=self.live.snapshot.number + 1,
            moment=self.referee.step(frame),
            arrived=self.now - 0.05,
            state="running",
            fps=10.0,
        )
        self.live._snapshot = snapshot
        return snapshot


@pytest.fixture
def bench() -> Bench:
    return Bench()


def after(old: State, change: StateChange | None) -> State:
    """What a page makes of a change; `state.js` does the same."""
    if change is None:
        return old
    given = {name: getattr(change, name) for name in change.model_fields_set if name != "type"}
    pieces = {p.name: p for p in old.pieces}
    for name in given.pop("gone", []):
        del pieces[name]
    pieces |= {p.name: p for p in given.pop("pieces", [])}
    events = [*old.events, *given.pop("events", [])]
    return old.model_copy(update={**given, "pieces": list(pieces.values()), "events": events})


wishes = st.builds(
    Wish,
    view=st.sampled_from(["table"]),
    unit=st.just("in"),
    pieces=st.lists(st.sampled_from([*CARS, "nobody"]), max_size=3).map(tuple),
    question=st.sampled_from([None, "Plinker", "Spoon"]),
)
moves = st.dictionaries(
    st.sampled_from(CARS), st.builds(Pose, st.floats(1, 47), st.floats(1, 47), st.floats(-3, 3)), max_size=3
)


@given(wishes, wishes, moves, st.sets(st.sampled_from(CARS), max_size=2))
def test_the_old_state_and_the_change_make_the_new_state(
    one: Wish, other: Wish, moved: dict[str, Pose], gone: set[str]
) -> None:
    bench = Bench()
    old = whole_state(bench.live, BOOK, bench.live.snapshot, one)
    for name, pose in moved.items():
        bench.source.move(name, pose)
    bench.referee.hidden = gone
    new = whole_state(bench.live, BOOK, bench.step(), other)
    made = after(old, difference(old, new))
    names = set(State.model_fields) - {"number", "time", "pieces", "ruling", "picture"}
    assert {n: getattr(made, n) for n in names} == {n: getattr(new, n) for n in names}
    assert {p.name: p for p in made.pieces} == {p.name: p for p in new.pieces}
    assert timeless(made) == timeless(new)


def timeless(state: State) -> Any:
    return state.ruling and state.ruling.model_copy(update={"time": 0.0})


class TestNews:
    def test_first_the_whole_state_then_nothing_until_something_is_new(self, bench: Bench) -> None:
        viewer = Subscriber(bench.live, BOOK)
        first = viewer.news()
        assert isinstance(first, State)
        assert first.number == 1
        assert viewer.news() is None

    def test_a_frame_in_which_nothing_moved_is_no_news_until_the_rates_are_due(self, bench: Bench) -> None:
        viewer = Subscriber(bench.live, BOOK)
        viewer.news()
        bench.step()
        assert viewer.news() is None
        bench.now += 1.0
        bench.live._snapshot = replace(bench.step(), fps=9.0)
        news = viewer.news()
        assert isinstance(news, StateChange)
        assert news.model_fields_set == {"type", "number", "time", "rates"}

    def test_a_steady_ruling_is_told_once(self, bench: Bench) -> None:
        viewer = Subscriber(bench.live, BOOK)
        viewer.wish = Wish(pieces=("RED1", "BLUE2"))
        first = viewer.news()
        assert isinstance(first, State)
        assert first.ruling is not None
        bench.step()
        assert viewer.news() is None

    def test_a_turn_that_ends_while_news_is_made_clears_what_was_asked_in_it(self, bench: Bench) -> None:
        turns = [1]
        viewer = Subscriber(bench.live, Rulings(lambda: (BOOK.game, None), turn=lambda: turns.pop(0)))
        viewer.wish = Wish(pieces=("RED1", "BLUE2"))
        turns[:] = [1, 1]
        first = viewer.news()
        assert isinstance(first, State)
        assert first.turn == 1
        # The turn ends between two looks at it.
        bench.step()
        turns[:] = [1, 2]
        viewer.news()
        turns[:] = [2, 2]
        news = viewer.news()
        assert isinstance(news, StateChange)
        assert (news.turn, news.selection.pieces if news.selection else None) == (2, [])

    def test_another_view_or_unit_is_told_whole(self, bench: Bench) -> None:
        viewer = Subscriber(bench.live, BOOK)
        viewer.news()
        viewer.wish = Wish(unit="cm")
        assert isinstance(viewer.news(), State)
        viewer.wish = Wish(unit="cm", view="picture")
        state = viewer.news()
        assert isinstance(state, State)
        assert state.picture is not None
        assert state.picture.follows

    def test_each_picture_is_sent_once(self, bench: Bench) -> None:
        viewer = Subscriber(bench.live, BOOK)
        viewer.wish = Wish(view="picture")
        first = viewer.news()
        assert first is not None
        assert viewer.picture_of(first) is not None
        viewer.wish = Wish(view="picture", pieces=("RED1",))
        second = viewer.news()
        assert second is not None
        assert viewer.picture_of(second) is None
        bench.step()
        third = viewer.news()
        assert third is not None
        assert viewer.picture_of(third) is not None

    def test_waits_until_the_last_message_is_drawn(self, bench: Bench) -> None:
        viewer = Subscriber(bench.live, BOOK)
        assert viewer.ready
        first = viewer.news()
        assert first is not None
        assert not viewer.ready
        bench.now += 0.2
        viewer.drew(first.number)
        assert viewer.ready
        assert viewer.delay == pytest.approx(0.25)

    def test_before_the_first_frame_there_is_a_state_without_a_table(self) -> None:
        source = HandMoved()
        state = whole_state(Runner(source, KnowsAll(source)), BOOK, Snapshot(words="Waiting."), Wish())
        assert state.bounds is None
        assert state.pieces == []
        assert state.source.words == "Waiting."
        assert "Machine Gun" in [q.label for q in state.questions]

    def test_a_bug_in_the_book_does_not_take_the_table_away(
        self, bench: Bench, caplog: pytest.LogCaptureFixture
    ) -> None:
        class Broken(Rulings):
            def ask(self, question: Question, table: TableState) -> Ruling:
                raise ZeroDivisionError

        wish = Wish(pieces=("RED1", "BLUE2"))
        with caplog.at_level(logging.CRITICAL):
            state = whole_state(bench.live, Broken.by_book(None), bench.live.snapshot, wish)
        assert state.refusal == "This could not be ruled; see the log."
        assert len(state.pieces) == len(STANDINGS)

    def test_the_board_of_the_running_game_is_drawn_or_else_the_tables(self, bench: Bench) -> None:
        def lines(rulings: Rulings) -> int:
            table = whole_state(bench.live, rulings, snapshot, Wish()).table
            return 0 if table is None or table.board is None else len(table.board.dots)

        snapshot = bench.live.snapshot
        match = Match.begin(GAME, SETUP)
        running = Rulings(lambda: (GAME, match.state))
        assert (lines(Rulings.of(GAME)), lines(running)) == (0, len(OWN.cells))
        assert snapshot.moment is not None
        printed = replace(snapshot.moment, board=Points(4, 3, 2.0))
        snapshot = replace(snapshot, moment=printed)
        assert (lines(Rulings.of(GAME)), lines(running)) == (12, 12)

    def test_a_change_as_it_is_sent_holds_only_what_changed(self, bench: Bench) -> None:
        viewer = Subscriber(bench.live, BOOK)
        viewer.news()
        bench.source.move("RED1", Pose(5, 5, 0))
        bench.step()
        news = viewer.news()
        assert news is not None
        assert '"table"' not in as_json(news)
        assert '"RED1"' in as_json(news)
        assert '"BLUE1"' not in as_json(news)


class TestManyViewers:
    """What one wish is told is worked out and written once, however many have it."""

    def test_a_snapshot_is_told_once_for_all_with_the_same_wish(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made: list[Wish] = []

        def counting(live: Any, rulings: Any, snapshot: Snapshot, wish: Wish, **more: Any) -> State:
            made.append(wish)
            return whole_state(live, rulings, snapshot, wish, **more)

        monkeypatch.setattr(state, "whole_state", counting)
        broadcast = Broadcast(bench.live, BOOK)
        viewers = [Subscriber(bench.live, BOOK, broadcast=broadcast) for _ in range(60)]
        viewers[0].wish = Wish(unit="cm")
        for _ in range(3):
            for viewer in viewers:
                viewer.news()
            bench.source.move("RED1", Pose(5 + bench.now, 5, 0))
            bench.step()
        assert [wish.unit for wish in made] == ["cm", "in"] * 3

    def test_all_get_the_same_text_behind_their_own_head(self, bench: Bench) -> None:
        broadcast = Broadcast(bench.live, BOOK)
        one, other = (Subscriber(bench.live, BOOK, broadcast=broadcast) for _ in range(2))
        for viewer in (one, other):
            viewer.news()
        one.drew(1)  # whose delay is known now
        bench.source.move("RED1", Pose(5, 5, 0))
        bench.now += 1.0
        bench.step()
        heads = []
        for viewer in (one, other):
            news = viewer.news()
            assert news is not None
            text = viewer.text_for(news)
            assert json.loads(text) == json.loads(as_json(news))
            heads.append(text[: text.index('"selection"' if '"selection"' in text else '"pieces"')])
            assert "RED1" in text
        assert heads[0] != heads[1]
        assert text.endswith(one.text_for(news)[len(heads[1]) :])

    def test_every_message_is_sent_whole(self, bench: Bench) -> None:
        viewer = Subscriber(bench.live, BOOK)
        for wish in (Wish(), Wish(view="picture"), Wish(view="picture", pieces=("RED1", "BLUE2"))):
            viewer.wish = wish
            news = viewer.news()
            assert news is not None
            assert json.loads(viewer.text_for(news)) == json.loads(as_json(news))
        bench.now += 1.0
        bench.step()
        news = viewer.news()  # nothing moved: the rates alone, and a picture
        assert news is not None
        assert json.loads(viewer.text_for(news)) == json.loads(as_json(news))

    def test_another_state_of_the_match_makes_another_edition(self, bench: Bench) -> None:
        match = Match.begin(GAME, SETUP)
        played: list[Any] = [None]
        broadcast = Broadcast(bench.live, Rulings(lambda: (GAME, played[0])))
        before = broadcast.edition(bench.live.snapshot, Wish(), None)
        assert broadcast.edition(bench.live.snapshot, Wish(), None) is before
        played[0] = match.state
        assert broadcast.known(bench.live.snapshot, Wish(), None) is None

    def test_nothing_is_kept_of_what_everybody_has_left_behind(self, bench: Bench) -> None:
        broadcast = Broadcast(bench.live, BOOK)
        first = weakref.ref(broadcast.edition(bench.live.snapshot, Wish(), None))
        viewer = Subscriber(bench.live, BOOK, broadcast=broadcast)
        for _ in range(3):
            viewer.news()
            bench.step()
        gc.collect()
        assert first() is None


def test_a_jpeg_of_the_cameras_is_sent_as_it_came() -> None:
    packed = cv2.imencode(".jpg", np.zeros((1080, 1920, 3), np.uint8))[1].tobytes()
    assert jpeg_of(JpegFrame(packed, 0.0, 0)) == packed
    turned = packed[:2] + b"\xff\xe1\x00\x08Exif\x00\x00" + packed[2:]
    assert jpeg_of(JpegFrame(turned, 0.0, 0)) != turned
    larger = cv2.imencode(".jpg", np.zeros((2160, 3840, 3), np.uint8))[1].tobytes()
    assert len(jpeg_of(JpegFrame(larger, 0.0, 0))) < len(larger)


def test_one_frame_is_packed_once_for_all_viewers(bench: Bench) -> None:
    moment = bench.live.snapshot.moment
    assert moment is not None
    assert jpeg_of(moment.frame) is jpeg_of(moment.frame)


# Messages


DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "protocol.md"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ('{"type": "select", "pieces": ["RED1"]}', Select(type="select", pieces=["RED1"])),
        ('{"type": "select", "question": null}', Select(type="select")),
        ('{"type": "show", "view": "picture", "unit": "cm"}', Show(type="show", view="picture", unit="cm")),
        ('{"type": "drawn", "number": 7}', Drawn(type="drawn", number=7)),
        (
            '{"type": "move", "piece": "RED1", "x": 1, "y": 2.5, "heading": 0}',
            PutPiece(type="move", piece="RED1", x=1, y=2.5, heading=0),
        ),
    ],
)
def test_what_a_page_may_say(text: str, meant: Model) -> None:
    assert from_page.validate_json(text) == meant


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"type": "dance"}',
        '{"type": "drawn", "number": -1}',
        '{"type": "show", "view": "sideways", "unit": "in"}',
        '{"type": "select", "pieces": ["RED1"], "damage": 9}',
        '{"type": "select", "pieces": [""]}',
        json.dumps({"type": "select", "pieces": ["x" * 81]}),
        '{"type": "move", "piece": "RED1", "x": NaN, "y": 0, "heading": 0}',
        '{"type": "move", "piece": "RED1", "x": 1e9, "y": 0, "heading": 0}',
    ],
)
def test_what_is_not_understood(text: str) -> None:
    with pytest.raises(ValidationError):
        from_page.validate_json(text)


def test_a_change_holds_only_what_changed() -> None:
    sent = StateChange(type="change", number=3, time=1.0, ruling=None).model_dump(exclude_unset=True)
    assert sent == {"type": "change", "number": 3, "time": 1.0, "ruling": None}


@pytest.mark.parametrize("model", [*TO_PAGE, *FROM_PAGE], ids=lambda m: m.__name__)
def test_every_message_and_each_of_its_fields_is_documented(model: type[Model]) -> None:
    name = model.model_fields["type"].annotation.__args__[0]  # type: ignore[union-attr]
    sections = DOCUMENT.read_text(encoding="utf-8").split("\n### ")
    section = next((s for s in sections if s.startswith(f"`{name}`")), None)
    assert section is not None, f"docs/protocol.md has no section on the message `{name}`"
    missing = [field for field in model.model_fields if f"`{field}`" not in section]
    assert missing == []
