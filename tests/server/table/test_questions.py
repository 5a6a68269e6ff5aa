"""Questions and their answers: found, ruled, told, hidden and kept."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from shapely.geometry import Point, Polygon

from calibration.gains import Gain
from engine.boards.board import Board, Free
from engine.errors import NotThere, TableRefError
from engine.game.contract import About, Game, Question
from engine.game.kit.events import Events
from engine.game.kit.states import States
from engine.game.showing import Mark
from engine.game.showing import Status as StatusLine
from engine.measure.distances import edge_range
from engine.ruling import Check, Ruling, Verdict, make_check
from engine.space.geometry import Pose
from engine.space.table import PoseUncertainty, Standing, Status, TableState
from server.formats.entries import Entry
from server.formats.units import LengthUnit
from server.table.messages import Select
from server.table.projection import TableSpace
from server.table.questions import question_log
from server.table.questions.differences import ruled_again
from server.table.questions.question_log import STANDS_S, QuestionLog
from server.table.questions.ruling_messages import RulingView
from server.table.questions.ruling_view import (
    check_view,
    mark_view,
    question_view,
    ruling_view,
    sentence,
    surer_words,
)
from server.table.questions.rulings import Hidden, Rulings, gist, key_of_question
from server.web.authentication import Identity
from tests.calibration.test_surface import camera
from tests.server.conftest import Served, joined
from tests.server.fakes import STANDINGS, SURFACE, wait_until
from tests.server.playback import table_at, table_file

BOOK = Rulings.by_book(None)
SPACE = TableSpace()
SURE = PoseUncertainty.isotropic(0.01, 0.01)


def table_with(**poses: Pose) -> TableState:
    return TableState.of(SURFACE, [Standing(STANDINGS[n][0], p, SURE) for n, p in poses.items()], 3.0)


TABLE = table_with(RED1=Pose(10, 10, 0), BLUE1=Pose(20, 10, 0), mug=Pose(40, 40, 0))


def ask_how_far(_state: str | None, picked: tuple[str, ...]) -> tuple[Question, ...]:
    missing = "" if len(picked) == 2 else "two pieces"
    return (Question("distance", "How far?", picked, {}, "Distance", missing=missing),)


def say_how_far(_state: str | None, question: Question, table: TableState) -> Ruling:
    one, other = (table.find(name) for name in question.pieces)
    near = make_check("Near", edge_range(one, other).at_most(12.0), citation="Hiding 1 · Near")
    return Ruling(question.words, table.time, one.name, other.name, (near,))


HIDING: Game[str] = Game(
    about=About("hiding", "Hiding", "Hiding 1", "1", measuring="after declaring"),
    states=States(str),
    events=Events("Hiding"),
    begin=lambda _setup: (),
    questions=ask_how_far,
    rule=say_how_far,
    reach=lambda _state, _question, _table: (Mark("disc", "reach", ((0.0, 0.0),), radius=12.0),),
    may_ask=lambda state, _question: state in (None, "declared"),
    status=lambda _state, _viewer: StatusLine("", ""),
)
"""How far apart are two pieces: not to be measured in a match before it is declared."""


class TestQuestions:
    def test_the_usual_one_is_meant_when_none_is_named(self) -> None:
        assert BOOK.find(("RED1", "BLUE1")).label == "Machine Gun"

    @pytest.mark.parametrize("name", ["machine gun", "Machine-Gun", "MACHINEGUN", "shot:weapon=Machine Gun"])
    def test_are_found_as_people_type_them_and_by_their_key(self, name: str) -> None:
        assert BOOK.find(("RED1", "BLUE1"), name).label == "Machine Gun"

    @pytest.mark.parametrize("name", ["Spoon", "Oil"])
    def test_unknown_ones_are_refused_with_those_that_there_are(self, name: str) -> None:
        with pytest.raises(TableRefError, match=f"{name}.*RED1 and BLUE1; there are: Machine Gun"):
            BOOK.find(("RED1", "BLUE1"), name)

    def test_where_nothing_is_measured_it_is_said_what_to_do(self) -> None:
        with pytest.raises(NotThere, match="about RED1 and BLUE1 now: pick other pieces"):
            Rulings(lambda: (replace(HIDING, questions=lambda _state, _picked: ()), "playing")).find(
                ("RED1", "BLUE1")
            )

    def test_each_has_a_key_of_its_own(self) -> None:
        keys = [key_of_question(q) for q in BOOK.questions(("RED1", "BLUE1"))]
        assert len(keys) == len(set(keys)) > 10

    def test_one_that_misses_a_piece_is_not_answered(self) -> None:
        with pytest.raises(TableRefError, match="RED1 shoots at"):
            BOOK.ask(BOOK.find(("RED1",)), TABLE)

    def test_opponents_are_asked_about_in_both_directions(self) -> None:
        assert [(a.name, b.name) for a, b in BOOK.opponents(TABLE)] == [("RED1", "BLUE1"), ("BLUE1", "RED1")]

    def test_names_are_taken_as_people_type_them(self) -> None:
        question, ruling = BOOK.answer(TABLE, ("red-1", "blue 1"))
        assert question.pieces == (ruling.subject, ruling.target) == ("RED1", "BLUE1")
        assert gist(ruling) == gist(BOOK.ask(question, TABLE))


def no_board(_state: str, _table_board: Board) -> Board:
    raise ZeroDivisionError


def test_a_game_that_fails_to_name_its_board_leaves_the_tables(caplog: pytest.LogCaptureFixture) -> None:
    of_table = Free()
    assert Rulings(lambda: (replace(HIDING, board=no_board), "playing")).board(of_table) is of_table
    assert "does not say on which board it is played" in caplog.text


class TestHidden:
    """What the book forbids to measure leaves by no way, and the reason is told with its rule."""

    def test_before_the_declaration_neither_answer_nor_reach(self) -> None:
        state = ["hidden"]
        rulings = Rulings(lambda: (HIDING, state[0]))
        question = rulings.find(("RED1", "BLUE1"))
        for measure in (rulings.ask, rulings.reach):
            with pytest.raises(Hidden, match=r"before a target is declared \(Hiding 1\)"):
                measure(question, TABLE)
        state[0] = "declared"
        assert rulings.ask(question, TABLE).check("Near").number == pytest.approx(7.0, abs=0.5)

    def test_a_record_of_the_running_match_hides_what_the_match_hides(self) -> None:
        live = Rulings(lambda: (HIDING, "hidden"))
        record = Rulings.of(HIDING, live.forbidden)
        with pytest.raises(Hidden):
            record.answer(TABLE, ("RED1", "BLUE1"))
        assert Rulings.of(HIDING).answer(TABLE, ("RED1", "BLUE1"))[1].checks


# As a page is told


def test_a_question_is_told_in_the_viewers_unit() -> None:
    view = question_view(BOOK.find(("RED1", "BLUE1"), "Harpoon"), "cm")
    assert view.label == "Harpoon"
    assert view.more.startswith("Short 15.2 cm, Maximum 40.6 cm; ")
    assert BOOK.find(("RED1", "BLUE1"), view.key).label == "Harpoon"


class TestReach:
    """A car in the middle of the table that looks up."""

    TABLE = table_with(RED1=Pose(24, 24, math.pi / 2))

    def reach(self, label: str) -> tuple[Polygon, ...]:
        marks = BOOK.reach(BOOK.find(("RED1",), label), self.TABLE)
        shown = {m.role: Polygon(mark_view(m, SPACE, "in").points) for m in marks}
        return shown["arc"], shown["far reach"], shown["reach"]

    @pytest.mark.parametrize(
        ("x", "y", "in_arc", "in_maximum", "in_short"),
        [
            (24, 30, True, True, True),
            (24, 40, True, True, False),
            (24, 46, True, False, False),
            (24, 20, False, False, False),
            (4.2, 25.5, True, True, False),
            (4.2, 24.5, False, False, False),
        ],
    )
    def test_forward(self, x: float, y: float, in_arc: bool, in_maximum: bool, in_short: bool) -> None:
        spot = Point(x, y)
        assert tuple(r.covers(spot) for r in self.reach("Machine Gun")) == (in_arc, in_maximum, in_short)

    def test_all_round(self) -> None:
        arc, maximum, _ = self.reach("Creaky Turret")
        assert arc.covers(Point(24, 1))
        assert maximum.covers(Point(24, 12))

    def test_is_measured_from_the_nearer_front_tyre(self) -> None:
        _, maximum, _ = self.reach("Machine Gun")
        tyres = self.TABLE.standings[0].piece.body.tyres
        assert tyres is not None
        right = self.TABLE.standings[0].pose.to_table(tyres[1])
        # The ring is a polygon: between its corners it runs a little inside the circle.
        assert maximum.bounds[2] == pytest.approx(right[0] + 20, abs=0.02)

    def test_ends_at_the_tables_edge(self) -> None:
        for area in self.reach("Plinker"):
            assert SURFACE.polygon.buffer(0.01).covers(area)

    def test_terrain_does_not_aim(self) -> None:
        table = table_with(mug=Pose(5, 5))
        assert BOOK.reach(BOOK.find(("mug",)), table) == ()

    def test_a_disc_is_drawn_as_its_outline(self) -> None:
        disc = Mark("disc", "template", ((10.0, 10.0),), "blast of 3 in", radius=3.0)
        view = mark_view(disc, SPACE, "in")
        assert (view.shape, view.role, view.words) == ("polygon", "template", "blast of 3″")
        assert Polygon(view.points).area == pytest.approx(math.pi * 9, rel=0.01)


class TestRulings:
    CLEAR = table_with(RED1=Pose(10, 10, 0), BLUE1=Pose(20, 10, 0), RED3=Pose(40, 40, 0))
    BLOCKED = table_with(RED1=Pose(10, 10, 0), BLUE1=Pose(20, 10, 0), RED3=Pose(15, 10, math.pi / 2))

    def ruled(self, table: TableState, unit: LengthUnit = "in") -> RulingView:
        question, ruling = BOOK.answer(table, ("RED1", "BLUE1"))
        return ruling_view(table, ruling, question, SPACE, unit)

    def test_yes_names_what_it_brings(self) -> None:
        view = self.ruled(self.CLEAR)
        assert (view.verdict, view.headline) == ("yes", "Yes")
        assert view.sentence == ("RED1 may fire the Machine Gun at BLUE1, with Short Range and Tailgate.")

    def test_no_names_what_is_in_the_way(self) -> None:
        view = self.ruled(self.BLOCKED)
        assert view.verdict == "no"
        assert view.blockers == ["RED3"]
        assert "Line of Sight: blocked by RED3" in view.sentence

    def test_too_close_says_why(self) -> None:
        held = replace(
            self.CLEAR,
            standings=(self.CLEAR.standings[0], replace(self.CLEAR.standings[1], status=Status.HELD)),
        )
        view = self.ruled(held)
        assert view.verdict == "too close to call"
        assert view.sentence.startswith("RED1 may perhaps fire the Machine Gun at BLUE1.")
        assert (
            view.stale
            == "This is about where they were last seen: BLUE1 is covered, held in place, seen 3.0 s ago."
        )

    @pytest.mark.parametrize("unit", ["in", "cm"])
    def test_every_check_has_its_figures_in_words(self, unit: LengthUnit) -> None:
        view = self.ruled(self.CLEAR, unit)
        for check in view.checks:
            assert check.citation
            figures = (check.number_words, check.limit_words, check.margin_words, check.deviation_words)
            for figure in figures:
                assert figure.endswith("″" if unit == "in" else " cm"), check.name

    def test_a_number_without_a_unit_is_told_by_the_words_alone(self) -> None:
        """A sight that was 14.92 against 0.00, and −13.42 where nothing was in sight, told nothing."""
        sight = Check(
            "Line of Sight",
            Verdict.YES,
            14.9,
            0.0,
            14.9,
            0.1,
            0.98,
            "",
            "a part of Red 1 is in sight",
            "a book",
        )
        view = check_view(sight, "in")
        assert (view.number_words, view.limit_words, view.margin_words) == ("–", "–", "–")
        assert (view.deviation_words, view.words, view.chance_words) == ("", sight.words, "98.0 %")

    def test_the_lines_run_from_one_to_the_other(self) -> None:
        view = self.ruled(self.CLEAR)
        assert {m.role for m in view.lines} == {"sight", "range"}
        one, other = (s.region.polygon.buffer(0.2) for s in self.CLEAR.standings[:2])
        for mark in view.lines:
            assert one.covers(Point(mark.line[0]))
            assert other.covers(Point(mark.line[-1]))
            assert Polygon(mark.band).covers(Point(np.mean([mark.line[0], mark.line[-1]], axis=0)))


@dataclass(frozen=True, eq=False)
class Leaving(Gain):
    """A gain that leaves a share of the errors that all places have in common."""

    share: float = 1.0

    def applied(self, table: TableState) -> TableState:
        left = [
            replace(s, uncertainty=replace(s.uncertainty, shared=self.share * s.uncertainty.shared))
            for s in table.standings
        ]
        return replace(table, standings=tuple(left))


LENGTH = Leaving("with a known length", camera(), 0.8)
LENS = Leaving("with the lens calibrated", camera(), 0.1)


class TestSurer:
    """A shot at the very end of its range, on a table whose size nobody knows well."""

    def told(self, ahead: float, gains: Sequence[Gain], unit: LengthUnit = "in", own: float = 0.01) -> str:
        def standing(name: str, pose: Pose) -> Standing:
            scale = np.array([[0.02 * pose.x], [0.02 * pose.y], [0.0]])
            return Standing(STANDINGS[name][0], pose, PoseUncertainty(np.eye(3) * own**2, scale))

        cars = [standing("RED1", Pose(10, 10, 0)), standing("BLUE1", Pose(10 + ahead, 10, 0))]
        table = TableState.of(SURFACE, cars, 3.0)
        question, ruling = BOOK.answer(table, ("RED1", "BLUE1"), "Machine Gun")
        return surer_words(BOOK, question, ruling, table, gains, unit)

    def test_the_least_that_would_settle_it_is_told(self) -> None:
        words = self.told(22.0, (LENGTH, LENS))
        assert words.startswith("Probably clear with the lens calibrated: ")
        assert words.endswith(" The set-up page leads there.")
        assert "Maximum Range to ±0.0" in words
        assert "instead of ±0.4" in words
        assert self.told(22.0, (LENS, LENGTH)) == words

    def test_in_the_viewers_unit(self) -> None:
        assert " cm instead of ±1." in self.told(22.0, (LENS,), "cm")

    def test_what_would_not_settle_it_is_not_told(self) -> None:
        assert self.told(22.0, (LENGTH,)) == ""
        assert self.told(22.0, ()) == ""
        assert self.told(22.0, (LENS,), own=0.5) == "", "the places of the cars themselves are too unsure"

    def test_a_clear_ruling_wants_nothing(self) -> None:
        assert self.told(12.0, (LENGTH, LENS)) == ""


# What is kept


class Notes:
    """EntryLog entries in a list."""

    def __init__(self) -> None:
        self.kept: list[Entry] = []

    def note(self, entry: Entry) -> None:
        self.kept.append(entry)


def select(*pieces: str, question: str | None = None) -> Select:
    return Select(type="select", pieces=list(pieces), question=question)


def at(time: float) -> TableState:
    return table_at(table_file(), time)


def test_an_answer_is_kept_with_all_its_numbers() -> None:
    notes = Notes()
    QuestionLog(BOOK, notes).ask(select("red-1", "Blue 1"), at(2.0), "owner")
    (entry,) = notes.kept
    assert (entry.kind, entry.time_s, entry.actor) == ("ruling", 2.0, "owner")
    assert entry.words == "May Red 1 shoot at Blue 1 with the Machine Gun? No."
    question, _ = BOOK.answer(at(2.0), ("Red 1", "Blue 1"), "Machine Gun")
    assert ruled_again(entry.data, question, at(2.0), BOOK) == ()
    assert ruled_again({**entry.data, "verdict": "yes"}, question, at(2.0), BOOK) != ()


def test_the_same_answer_is_kept_once_and_another_one_again() -> None:
    notes = Notes()
    asked = QuestionLog(BOOK, notes)
    for time in (2.0, 3.0, 9.0, 9.5):
        asked.ask(select("Red 1", "Blue 1"), at(time), "player")
    asked.ask(select("Red 1", "Blue 1", question="Plinker"), at(9.5), "player")
    told = [(e.data["verdict"], e.data["asked"]["label"]) for e in notes.kept]
    assert told == [("no", "Machine Gun"), ("yes", "Machine Gun"), ("yes", "Plinker")]


def test_two_questions_that_alternate_are_kept_once_each() -> None:
    notes = Notes()
    asked = QuestionLog(BOOK, notes)
    for k in range(40):
        asked.ask(select("Red 1", "Blue 1", question=("Plinker", "Machine Gun")[k % 2]), at(9.5), "player")
    assert [e.data["asked"]["label"] for e in notes.kept] == ["Plinker", "Machine Gun"]


def test_a_question_counts_once_it_has_stood_the_newest_of_each_device() -> None:
    asked = QuestionLog(BOOK, Notes())
    anna, ben = Identity("player", "a"), Identity("player", "b")
    for k in range(600):
        asked.pick(select("Red 1", f"Blue {1 + k % 3}"), at(2.0), anna, 0.016 * k)
    asked.pick(select("Red 2", "Blue 1"), at(2.0), ben, 9.5)
    assert asked.newest == select("Red 2", "Blue 1"), "pages that follow are told at once"
    assert asked.stood(anna, 10.0) is None
    assert asked.stood(anna, 0.016 * 599 + STANDS_S) == select("Red 1", "Blue 3")
    assert asked.stood(anna, 99.0) is None, "once"
    assert asked.stood(ben, 99.0) == select("Red 2", "Blue 1")


def test_what_is_no_question_is_not_kept() -> None:
    notes = Notes()
    asked = QuestionLog(BOOK, notes)
    for choice in (select(), select("Red 1"), select("Red 1", "Red 9")):
        asked.ask(choice, at(2.0), "owner")
    asked.ask(select("Red 1", "Blue 1"), None, "owner")
    assert notes.kept == []


class Keeper:
    """EntryLog what the page asks."""

    notices = ()

    def __init__(self) -> None:
        self.kept: list[Entry] = []

    def keep(self, *_: object) -> None:
        """Nothing happens on this table."""

    def append(self, batch: tuple[Entry, ...]) -> tuple[int, ...]:
        self.kept += batch
        return tuple(range(len(batch)))


def test_a_question_on_the_page_is_recorded(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(question_log, "STANDS_S", 0.0)
    keeper = served.live._keeper = Keeper()  # type: ignore[assignment]
    with joined(served.url) as socket:
        socket.hear()
        socket.send(type="select", pieces=["RED1", "BLUE2"])
        wait_until("the answer in the record", lambda: len(keeper.kept) == 1)
        served.source.move("BLUE2", Pose(14, 14, 0))
        served.source.move("mug", Pose(40, 5, 0))
        wait_until("the move", lambda: served.live.moment.table.find("BLUE2").pose.x == 14)  # type: ignore[union-attr]
        socket.send(type="select", pieces=["RED1", "BLUE2"])
        wait_until("the other answer", lambda: len(keeper.kept) == 2)
    assert [e.actor for e in keeper.kept] == ["owner", "owner"]


def test_what_is_no_deed_is_answered_with_its_question() -> None:
    """Of a disputed move the page said *Yes. Yes.*, and nowhere to what."""
    check = Check("Length", Verdict.YES, 6.0, 6.0, 0.1, 0.05, 1.0, "in", "6 in of 6 in", "c")
    asked = Ruling("Is Red 1 within 6 in of Blue 1?", 1.0, "Red 1", "Blue 1", (check,))
    assert sentence(asked) == "Is Red 1 within 6″ of Blue 1? Yes."
    no = replace(asked, checks=(replace(check, verdict=Verdict.NO),))
    assert sentence(no, "cm") == "Is Red 1 within 15.2 cm of Blue 1? No. Length: 15.2 cm of 15.2 cm."
