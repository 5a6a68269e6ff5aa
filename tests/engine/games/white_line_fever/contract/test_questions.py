"""What can be asked of the table, the rulings, and how far a weapon reaches."""

from __future__ import annotations

import pytest
from shapely.geometry import Point, Polygon

from engine.errors import TableRefError
from engine.game.contract import Question
from engine.games.white_line_fever.book.weapons import WEAPONS
from engine.ruling import Verdict
from tests.engine.games.white_line_fever.playing import GAME, begun, sheet
from tests.engine.tables import car, table


def test_without_a_game_every_weapon_that_is_aimed_may_be_asked_for():
    found = GAME.questions(None, ("Red 1", "Blue 1"))
    assert [q.label for q in found][:2] == ["Machine Gun", "Mark 9 Javelin"]
    assert {q.label for q in found} == {w.name for w in WEAPONS.values() if not w.droppable}
    assert {q.heading for q in found} == {"primary", "secondary"}
    usual = found[0]
    assert usual == Question(
        "shot", "May Red 1 shoot at Blue 1 with the Machine Gun?", ("Red 1", "Blue 1"),
        {"weapon": "Machine Gun"}, "Machine Gun", "Short 10 in, Maximum 20 in", "primary",
    )  # fmt: skip
    on = table(car("Red 1", 10, 10), car("Blue 1", 18, 10))
    assert GAME.rule(None, usual, on).verdict is Verdict.YES


@pytest.mark.parametrize(
    ("picked", "missing"),
    [
        ((), "the car that shoots, then the one that it shoots at"),
        (("Red 1",), "the car that Red 1 shoots at"),
        (("Red 1", "Blue 1"), ""),
    ],
)
def test_a_question_says_what_is_still_to_be_picked(picked, missing):
    assert {q.missing for q in GAME.questions(None, picked)} == {missing}


def test_with_a_game_the_weapons_of_that_car():
    match = begun(sheet("Red 1", "Red", "Plinker", "Railgun"), sheet("Blue 1", "Blue", "Tank Cannon", "Oil"))
    assert [q.label for q in GAME.questions(match.state, ("Red 1",))] == ["Plinker", "Railgun"]
    assert [q.label for q in GAME.questions(match.state, ("blue-1", "Red 1"))] == ["Tank Cannon"]
    assert GAME.questions(match.state, ("Rock",)) == ()
    assert GAME.questions(match.state, ()) == ()


def test_a_venus_reaches_farther_in_words_in_the_ruling_and_on_the_table():
    match = begun(sheet("Red 1", "Red", "Tank Cannon", brand="Venus"), sheet("Blue 1", "Blue"))
    (question,) = GAME.questions(match.state, ("Red 1", "Blue 1"))
    assert question.more == "Short 4 in, Maximum 10 in; the shooter spins out afterwards"
    on = table(car("Red 1", 10, 24), car("Blue 1", 21, 24))
    ruled = GAME.rule(match.state, question, on)
    assert ruled.check("Maximum Range").limit == 10.0
    assert ruled.verdict is Verdict.YES
    assert GAME.rule(None, question, on).check("Maximum Range").limit == 8.0
    far = {state: _farthest(state, question, on) for state in (None, match.state)}
    assert far[match.state] - far[None] == pytest.approx(2.0, abs=0.01)


def _farthest(state, question, on) -> float:
    marks = [m for m in GAME.reach(state, question, on) if m.role == "far reach"]
    return max(x for mark in marks for x, _ in mark.points)


def test_reach_is_drawn_ahead_and_on_the_table():
    on = table(car("Red 1", 24, 24))
    (ahead,) = [q for q in GAME.questions(None, ("Red 1",)) if q.label == "Nail Blaster"]
    (turret,) = [q for q in GAME.questions(None, ("Red 1",)) if q.label == "Creaky Turret"]
    shapes = {m.role: Polygon(m.points) for m in GAME.reach(None, ahead, on)}
    assert list(shapes) == ["arc", "far reach", "reach"]
    assert shapes["arc"].contains(shapes["far reach"].buffer(-0.01))
    assert shapes["far reach"].contains(shapes["reach"].buffer(-0.01))
    assert not shapes["arc"].contains(Point(20, 24))
    round_about = {m.role: Polygon(m.points) for m in GAME.reach(None, turret, on)}
    assert round_about["reach"].contains(Point(20, 24))


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (Question("shot", "", ("Red 1",), {"weapon": "Plinker"}), "got Red 1; name both"),
        (Question("shot", "", ("Red 1", "Blue 1"), {"weapon": "Oil"}), "cannot be aimed"),
        (Question("shot", "", ("Red 1", "Gold 1"), {"weapon": "Plinker"}), "Gold 1"),
        (Question("weather", "", ("Red 1", "Blue 1")), "expected a question of the kind 'shot'"),
    ],
)
def test_what_cannot_be_answered_says_why(question, words):
    with pytest.raises(TableRefError, match=words):
        GAME.rule(None, question, table(car("Red 1", 10, 10), car("Blue 1", 18, 10)))


def test_everything_may_be_measured():
    assert GAME.about.measuring == "always"
    assert GAME.forbidden(None, GAME.questions(None, ("Red 1",))[0]) is None


def test_a_car_that_is_out_of_the_game_neither_shoots_nor_is_shot_at():
    match = begun(sheet("Red 1", "Red"), sheet("Blue 1", "Blue"), sheet("Blue 2", "Blue"))
    match.overrule(["cars", "Blue 2", "status"], "wreck", "for the test")
    assert GAME.questions(match.state, ("Red 1", "Blue 2")) == ()
    assert GAME.questions(match.state, ("Blue 2", "Red 1")) == ()
    assert len(GAME.questions(match.state, ("Red 1", "Blue 1"))) == 1
