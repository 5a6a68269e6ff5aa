"""The one place where a table is asked: which question, which answer, and what is hidden."""

from __future__ import annotations

from typing import Any

import pytest

from engine.boards.board import Board
from engine.boards.free import Free
from engine.errors import TableRefError
from engine.game.contract import About, Option, Question, RuleBook, Seen
from engine.game.events import Action, Event, JsonObject, Reason
from engine.game.showing import Mark, Viewer
from engine.game.showing import Status as StatusLine
from engine.measure.distances import edge_range
from engine.ruling import Ruling, make_check
from engine.space.geometry import Pose
from engine.space.table import TableState
from server.table.questions.rulings import Hidden, Rulings, gist, key_of_question
from tests.server.table.questions.test_ruling_view import table_with

BOOK = Rulings.by_book(None)
TABLE = table_with(RED1=Pose(10, 10, 0), BLUE1=Pose(20, 10, 0), mug=Pose(40, 40, 0))


class Hiding(RuleBook[str]):
    """How far apart are two pieces: not to be measured in a match before it is declared."""

    about = About("hiding", "Hiding", "Hiding 1", "1", measuring="after declaring")

    def questions(self, state: str | None, picked: tuple[str, ...]) -> tuple[Question, ...]:
        missing = "" if len(picked) == 2 else "two pieces"
        return (Question("distance", "How far?", picked, {}, "Distance", missing=missing),)

    def rule(self, state: str | None, question: Question, table: TableState) -> Ruling:
        one, other = (table.find(name) for name in question.pieces)
        near = make_check("Near", edge_range(one, other).at_most(12.0), citation="Hiding 1 · Near")
        return Ruling(question.words, table.time, one.name, other.name, (near,))

    def reach(self, state: str | None, question: Question, table: TableState) -> tuple[Mark, ...]:
        return (Mark("disc", "reach", ((0.0, 0.0),), radius=12.0),)

    def forbidden(self, state: str | None, question: Question) -> Reason | None:
        return None if state in (None, "declared") else Reason("declare a target first", "Hiding 1 · Aim")

    def begin(self, setup: JsonObject) -> tuple[Event, ...]:
        return ()

    def first(self) -> str:
        return "hidden"

    def options(self, state: str, seen: Seen) -> tuple[Option, ...]:
        return ()

    def check(self, state: str, action: Action, seen: Seen) -> tuple[Reason, ...]:
        return ()

    def act(self, state: str, action: Action, seen: Seen, dice: object) -> tuple[Event, ...]:
        return ()

    def apply(self, state: str, event: Event) -> str:
        return state

    def as_json(self, state: str) -> dict[str, Any]:
        return {}

    def from_json(self, data: JsonObject) -> str:
        return "hidden"

    def status(self, state: str, viewer: Viewer) -> StatusLine:
        return StatusLine("", "")


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


class Boardless(Hiding):
    """A plug-in that fails when it is asked for its board."""

    def board(self, state: str, table_board: Board) -> Board:
        raise ZeroDivisionError


def test_a_game_that_fails_to_name_its_board_leaves_the_tables(caplog: pytest.LogCaptureFixture) -> None:
    of_table = Free()
    assert Rulings(lambda: (Boardless(), "playing")).board(of_table) is of_table
    assert "does not say on which board it is played" in caplog.text


class TestHidden:
    """What the book forbids to measure leaves by no way, and the reason is told with its rule."""

    def test_before_the_declaration_neither_answer_nor_reach(self) -> None:
        state = ["hidden"]
        rulings = Rulings(lambda: (Hiding(), state[0]))
        question = rulings.find(("RED1", "BLUE1"))
        for measure in (rulings.ask, rulings.reach):
            with pytest.raises(Hidden, match=r"declare a target first \(Hiding 1 · Aim\)"):
                measure(question, TABLE)
        state[0] = "declared"
        assert rulings.ask(question, TABLE).check("Near").number == pytest.approx(7.0, abs=0.5)

    def test_a_record_of_the_running_match_hides_what_the_match_hides(self) -> None:
        live = Rulings(lambda: (Hiding(), "hidden"))
        record = Rulings.of(Hiding(), live.forbidden)
        with pytest.raises(Hidden):
            record.answer(TABLE, ("RED1", "BLUE1"))
        assert Rulings.of(Hiding()).answer(TABLE, ("RED1", "BLUE1"))[1].checks
