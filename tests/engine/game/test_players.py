"""Players that know no game: they fill forms that accept it, and understand names in any spelling."""

from __future__ import annotations

import random
from itertools import islice

import pytest

from engine.errors import TableRefError
from engine.game.contract import Option
from engine.game.dice import SeededDice
from engine.game.events import Action, Reason
from engine.game.forms import (
    Candidate,
    Die,
    Flag,
    Form,
    Number,
    Numbers,
    Pick,
    PickPieces,
    PoseOnTable,
    Text,
    check_answers,
)
from engine.game.match import Match
from engine.game.players import Stuck, called, complete, every_answer, step
from tests.engine.game.log.test_sealing import BOOK, Bids

NO = (Reason("too far", "Book"),)
CARS = (Candidate("Red 1", "Red 1"), Candidate("Blue 1", "Blue 1"), Candidate("Far 1", "Far 1", not_now=NO))
FORM = Form(
    {
        "target": Pick(words="target", candidates=CARS),
        "two": Pick(words="two", candidates=CARS, least=1, most=2),
        "cars": PickPieces(words="cars", candidates=CARS),
        "speed": Number(words="speed", low=1, high=6),
        "far": Number(words="far", low=0.5, high=2.5, whole=False),
        "groups": Numbers(words="groups", low=1, high=5, least=2),
        "dice": Die(words="dice", faces=("miss", "hit"), count=2),
        "loud": Flag(words="loud"),
        "name": Text(words="name"),
        "at": PoseOnTable(words="at", piece="Red 1", optional=True),
    }
)


def test_a_form_accepts_what_is_filled_in_at_random_or_as_usual():
    for chance in [None, *map(random.Random, range(50))]:
        answers = complete(FORM, chance)
        assert check_answers(FORM, answers, "Book") == (), answers
        assert "Far 1" not in str(answers)


def test_listed_answers_are_all_right_and_differ():
    listed = [repr(answers) for answers in every_answer(FORM)]
    assert len(listed) == len(set(listed)) == 2 * 3 * 4 * 6 * 2
    for answers in islice(every_answer(FORM), 50):
        assert check_answers(FORM, answers, "Book") == ()
    speeds = Form({"speed": Number(words="speed", low=2, high=4)})
    assert list(every_answer(speeds)) == [{"speed": 2}, {"speed": 3}, {"speed": 4}]


def test_a_form_with_nothing_to_pick_cannot_be_filled():
    with pytest.raises(Stuck, match="target"):
        complete(Form({"target": Pick(words="a target", candidates=CARS[2:])}), random.Random(1))


OPTIONS = (
    Option("shoot", "Ann", "Shoot Blue 1", data={"target": "Blue 1"}),
    Option("shoot", "Ann", "Shoot Gold 1", data={"target": "Gold 1"}),
    Option("end_round", "Ann", "End the round", form=Form({"car": Pick(words="car", candidates=CARS)})),
)


def test_names_are_understood_in_any_spelling():
    action = called(OPTIONS, "SHOOT", "ann", {"Target": "blue-1"})
    assert (action.kind, action.player, action.data) == ("shoot", "Ann", {"target": "Blue 1"})
    assert called(OPTIONS, "End the round", None, {"car": "red1"}).data == {"car": "Red 1"}
    with pytest.raises(TableRefError, match="'shoot' may mean several of: Ann: Shoot Blue 1"):
        called(OPTIONS, "shoot", None, {})
    with pytest.raises(TableRefError, match="'shoot' may mean none of"):
        called(OPTIONS, "shoot", "Bob", {})
    with pytest.raises(TableRefError, match="'fly' is not to be done now; expected one of shoot, end_round"):
        called(OPTIONS, "fly", None, {})


class Capped(Bids):
    """Bids of at most what the state says."""

    def options(self, state, seen):
        return tuple(o for o in super().options(state, seen) if o.sealed)

    def check(self, state, action, seen):
        choices = action.data.get("choices") or {action.player: action.data}
        high = any(
            isinstance(said.get("bid"), int) and said["bid"] > state["cap"] for said in choices.values()
        )
        return (*super().check(state, action, seen), *([Reason("too high", BOOK)] if high else []))

    def apply(self, state, event):
        now = super().apply(state, event)
        return now | {"cap": 6} if event.kind == "begin" else now


def test_choices_that_cannot_be_revealed_any_more_are_taken_back_and_made_anew():
    match, chance, dice = Match.begin(Capped(), {"players": ["Ann", "Bob"]}), random.Random(1), SeededDice(1)
    match.seal(Action("bid", "Ann", {"bid": 5}), "a")
    match.overrule(["cap"], 2, "a lower cap")
    match.seal(Action("bid", "Bob", {"bid": 1}), "b", dice=dice)
    assert (match.options(), match.revealing()) == ((), "bids 1")
    kinds = []
    while match.state["round"] == 1:
        kinds += [event.kind for event in step(match, chance, dice)]
    assert "withdraw" in kinds
    (revealed,) = [event for event in match.log if "salts" in event.data]
    assert all(said["bid"] <= 2 for said in revealed.data["data"]["choices"].values())


def test_what_may_be_revealed_after_all_is_revealed():
    match, chance, dice = Match.begin(Capped(), {"players": ["Ann", "Bob"]}), random.Random(1), SeededDice(1)
    match.seal(Action("bid", "Ann", {"bid": 5}), "a")
    match.seal(Action("bid", "Bob", {"bid": 1}), "b")
    assert [event.kind for event in step(match, chance, dice)] == ["action", "roll", "won"]
