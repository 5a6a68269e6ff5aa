"""Matches: undo, redo and replay, random players, records, who is told what."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from types import SimpleNamespace
from typing import Any, Literal

import pytest

from engine.errors import TableRefError
from engine.game.contract import About, Game, Option, Question
from engine.game.dice import NeedDice, SeededDice
from engine.game.events import Action, Event, Illegal, Reason, event_from_json, event_to_json
from engine.game.filling import Stuck, called, complete, every_answer
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
from engine.game.kit.events import Events
from engine.game.kit.states import States
from engine.game.match import Match
from engine.game.players import choose, step
from engine.game.records import from_json, to_json, with_defaults
from engine.game.showing import Status, Viewer
from engine.game.viewing import distances_in, log_for, permitted, told_to, without_distances
from tests.engine.game.test_log import BIDS, BOOK
from tests.engine.games.white_line_fever.playing import GAME, begun, do, drive


def played():
    match = begun()
    drive(match, "Red 1")
    do(match, "shoot", (5,), weapon="Machine Gun", target="Blue 1", band="short")
    do(match, "speed", to=5)
    drive(match, "Blue 1")
    return match


def test_a_log_gives_the_same_match_again_through_json():
    match = played()
    match.undo("Blue")
    match.overrule(["cars", "Blue 1", "marked"], 4, "a box was forgotten", "Red")
    lines = [json.dumps(event_to_json(e)) for e in match.log]
    again = Match.replay(GAME, [event_from_json(json.loads(line)) for line in lines])
    assert (again.state, again.log) == (match.state, match.log)
    assert (again.undoable, again.redoable) == (match.undoable, match.redoable)
    assert GAME.from_json(json.loads(json.dumps(GAME.as_json(match.state)))) == match.state


def test_undo_takes_back_and_redo_brings_again_one_action_after_the_other():
    match = begun()
    states = [match.state]
    for played_on in (
        lambda: drive(match, "Red 1"),
        lambda: do(match, "floor_it", (6,)),
        lambda: drive(match, "Red 1"),
        lambda: do(match, "end"),
    ):
        played_on()
        states.append(match.state)
    for k in (3, 2, 1, 0):
        match.undo()
        assert match.state == states[k]
    for k in (1, 2, 3, 4):
        match.redo()
        assert match.state == states[k]
    assert match.redoable is None
    assert [e.kind for e in match.log].count("undo") == 4


def test_what_is_done_after_an_undo_cannot_be_brought_back_nor_the_beginning_undone():
    match = played()
    match.undo()
    with pytest.raises(TableRefError, match="out of order"):
        Match.replay(GAME, [*match.log, match.log[-1]])
    drive(match, "Blue 1", left_surface=True)
    with pytest.raises(TableRefError, match="nothing to redo"):
        match.redo()
    cars = [
        {"name": f"{o} 1", "owner": o, "brand": "mule", "primary": "plinker", "secondary": "oil"}
        for o in ("Red", "Blue")
    ]
    with pytest.raises(TableRefError, match="nothing to undo"):
        Match.begin(GAME, {"players": ["Red", "Blue"], "cars": cars}).undo()


def test_a_refused_action_leaves_everything_as_it_was():
    match = begun()
    before = (match.log, match.state)
    with pytest.raises(Illegal, match="the driver chooses a car first") as refused:
        do(match, "floor_it")
    assert refused.value.reasons[0].citation.startswith("White Line Fever 0.9 · ")
    drive(match, "Red 1")
    log = match.log
    with pytest.raises(NeedDice, match="D8 "):
        do(match, "shoot", weapon="Machine Gun", target="Blue 1", band="short")
    with pytest.raises(TableRefError, match="no action 'fly'"):
        do(match, "fly")
    assert before[0] == match.log[: len(before[0])]
    assert match.log == log


def test_what_is_proposed_happens_only_when_it_is_committed():
    match = begun()
    before = match.state
    events = match.propose(Action("choose", "Red", {"car": "Red 1"}))
    assert match.state == before
    match.commit(events)
    assert match.state.round.car == "Red 1"


def test_an_overruling_is_told_as_the_sheet_says_it():
    for name, value, words in (
        ("marked", 1, "Red 1 · Armour: 0 marked → 1 marked, so it is"),
        ("status", "wreck", "Red 1 · It is: in play → destroyed: an obstacle, so it is"),
    ):
        event, *_ = begun().overrule(["cars", "Red 1", name], value, "so it is")
        assert event.words == words


def test_any_field_can_be_overruled_and_nonsense_is_refused():
    match = begun()
    match.overrule(["cars", "Red 1", "speed"], 6, "the sheet says 6", "Red")
    match.overrule(["round", "driver"], "Blue", "Blue begins")
    match.overrule(["house", "tokens"], 5, "more tokens")
    state = match.state
    assert (state.car("Red 1").speed, state.round.driver, state.house.tokens) == (6, "Blue", 5)
    event = match.log[-3]
    assert (event.kind, event.data["was"], event.data["by"]) == ("overrule", 3, "Red")
    assert event.words == "Red 1 · Speed: 3 → 6, the sheet says 6 (overruled by Red)"
    assert match.log[-1].words == "house · tokens: 3 → 5, more tokens"
    for path, value, message in (
        (["cars", "Red 9", "speed"], 2, "cars has no 'Red 9'; expected one of Red 1, Blue 1"),
        (["cars", "Red 1", "wheels"], 3, "cars · Red 1 has no 'wheels'"),
        (["cars", "Red 1", "speed"], 7, "Red 1 · Speed: expected 1 to 6 but got 7"),
        (["cars", "Red 1", "speed"], "fast", "Red 1 · Speed: expected 1 to 6 but got fast"),
        (["cars", "Red 1", "primary"], "Oil", "Oil is no primary weapon"),
        (["winner"], "Green", "winner: expected one of Red, Blue but got 'Green'"),
        ([], 3, "expected a path"),
    ):
        with pytest.raises(TableRefError, match=message):
            match.overrule(path, value, "")
    assert match.state == state


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "expected an event with kind, data, words, citation"),
        ({"kind": "x"}, "expected an event with kind"),
        ("event", "expected an event with kind"),
        ({"kind": 1, "data": {}, "words": "", "citation": ""}, "kind: expected a text but got 1"),
        ({"kind": "", "data": [], "words": "", "citation": ""}, "data: expected an object but got"),
    ],
)
def test_what_is_no_event_is_refused(data, message):
    with pytest.raises(TableRefError, match=message):
        event_from_json(data)


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


def test_who_is_stuck_is_told_what_each_option_lacks():
    """Whoever writes a game reads there which of its options cannot be done, and why."""
    pick = Form({"target": Pick(words="a target", candidates=CARS[2:])})
    offered = (
        Option("wait", "Ann", "Wait", not_now=(Reason("it is raining", "Book"),)),
        Option("shoot", "Ann", "Shoot", form=pick),
        Option("drive", "Ann", "Drive"),
    )

    class Held:
        game = SimpleNamespace(about=SimpleNamespace(title="A game"))
        options = staticmethod(lambda _sight=None: offered)
        check = staticmethod(lambda _action, _sight=None: (Reason("the tank is empty", "Book"),))

    with pytest.raises(Stuck) as stuck:
        choose(Held(), random.Random(1))
    for words in (
        "Wait (it is raining)",
        "Shoot (target: nothing can be given",
        "Drive ({}: the tank is empty)",
    ):
        assert words in str(stuck.value)
    Held.options = staticmethod(lambda _sight=None: ())
    with pytest.raises(Stuck, match="A game offers nothing, and is not over"):
        choose(Held(), random.Random(1))


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


SEALED = replace(BIDS, offers=lambda state, seen: tuple(o for o in BIDS.offers(state, seen) if o.sealed))


def capped(state, action, seen):
    """Bids are of at most what the state says."""
    choices = action.data.get("choices") or {action.player: action.data}
    high = any(isinstance(said.get("bid"), int) and said["bid"] > state["cap"] for said in choices.values())
    return (*SEALED.against(state, action, seen), *([Reason("too high", BOOK)] if high else []))


CAPPED = replace(SEALED, objections=capped)


def test_choices_that_cannot_be_revealed_any_more_are_taken_back_and_made_anew():
    match, chance, dice = Match.begin(CAPPED, {"players": ["Ann", "Bob"]}), random.Random(1), SeededDice(1)
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
    match, chance, dice = Match.begin(CAPPED, {"players": ["Ann", "Bob"]}), random.Random(1), SeededDice(1)
    match.seal(Action("bid", "Ann", {"bid": 5}), "a")
    match.seal(Action("bid", "Bob", {"bid": 1}), "b")
    assert [event.kind for event in step(match, chance, dice)] == ["action", "roll", "won"]


Colour = Literal["red", "blue"]


@dataclass(frozen=True, slots=True)
class Wheel:
    at: tuple[float, float]
    flat: bool = False


@dataclass(frozen=True)
class Truck:
    name: str
    colour: Colour
    gear: int
    wheels: tuple[Wheel, ...] = ()
    spare: Wheel | None = None
    load: Mapping[str, Wheel] = field(default_factory=dict)
    step: str | int = 0
    more: Any = None


WHEELS = (Wheel((0.0, 1.5)), Wheel((2.0, 1.5), flat=True))
ROOF = {"roof": Wheel((1.0, 1.0))}
TRUCK = Truck("Mack", "red", 3, WHEELS, load=ROOF, step="high", more={"notes": [1, "two"]})


def test_what_is_written_as_text_reads_back_the_same():
    assert from_json(Truck, json.loads(json.dumps(to_json(TRUCK)))) == TRUCK
    bare = Truck("Mack", "blue", 1, spare=Wheel((1.0, 2.0)))
    assert from_json(Truck, to_json(bare)) == bare


def test_json_holds_nothing_that_is_shared_with_a_mapping_of_the_record():
    written = to_json(TRUCK)
    written["load"].clear()
    written["more"]["notes"].append(3)
    assert (len(TRUCK.load), TRUCK.more["notes"]) == (1, [1, "two"])


def test_a_field_with_a_default_may_be_missing_and_whole_numbers_are_numbers():
    truck = from_json(Truck, {"name": "Mack", "colour": "red", "gear": 1, "wheels": [{"at": [1, 2]}]})
    assert truck == Truck("Mack", "red", 1, (Wheel((1.0, 2.0)),))
    assert all(type(v) is float for v in truck.wheels[0].at)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": 5}, "truck · name: expected a text but got 5"),
        ({"colour": "green"}, "truck · colour: expected one of red, blue but got 'green'"),
        ({"colour": ["red"]}, "truck · colour: expected one of red, blue but got ['red']"),
        ({"gear": "3"}, "truck · gear: expected a whole number but got '3'"),
        ({"gear": True}, "truck · gear: expected a whole number but got True"),
        ({"gear": 1.0}, "truck · gear: expected a whole number but got 1.0"),
        ({"wheels": "abc"}, "truck · wheels: expected a list but got 'abc'"),
        ({"wheels": [{"at": [1.0]}]}, "truck · wheels · 0 · at: expected a list of 2 but got [1.0]"),
        ({"wheels": [{"at": [1, math.nan]}]}, "truck · wheels · 0 · at · 1: expected a number but got nan"),
        ({"wheels": [{"at": [1, True]}]}, "truck · wheels · 0 · at · 1: expected a number but got True"),
        ({"wheels": [{}]}, "truck · wheels · 0: expected a wheel with at, flat but got {}"),
        ({"spare": 7}, "truck · spare: expected a wheel with at, flat but got 7"),
        ({"spare": {"at": [0, 0], "flat": 1}}, "truck · spare · flat: expected true or false but got 1"),
        ({"load": []}, "truck · load: expected an object but got []"),
        ({"load": {"roof": 1}}, "truck · load · roof: expected a wheel with at, flat but got 1"),
        (
            {"step": None},
            "truck · step: expected a text but got None; "
            "or truck · step: expected a whole number but got None",
        ),
    ],
)
def test_an_error_names_the_path_what_was_expected_and_what_came(changes, message):
    with pytest.raises(TableRefError) as refused:
        from_json(Truck, to_json(TRUCK) | changes, "truck")
    assert str(refused.value) == message


def test_a_field_that_nobody_knows_or_that_is_missing_is_refused():
    for data in (to_json(TRUCK) | {"horn": 1}, {"name": "Mack", "colour": "red"}, "Mack", None):
        with pytest.raises(TableRefError, match=r"^expected a truck with name, colour, gear, wheels, spare"):
            from_json(Truck, data)


def test_what_is_no_record_is_not_written():
    with pytest.raises(TableRefError, match=r"^at: expected a text, .*, or a dataclass but got object"):
        to_json({"at": object()})


def test_defaults_with_what_is_given():
    @dataclass(frozen=True)
    class Rules:
        rounds: int = 8
        reach: float = 0.5

        def __post_init__(self):
            if not 0.0 <= self.reach <= 1.0:
                raise TableRefError(f"reach: expected 0 to 1 but got {self.reach!r}")

    assert with_defaults(Rules, {"reach": 1}) == Rules(8, 1.0)
    with pytest.raises(TableRefError, match="house · rounds: expected a whole number but got 'many'"):
        with_defaults(Rules, {"rounds": "many"}, "house")
    with pytest.raises(TableRefError, match=r"reach: expected 0 to 1 but got 1\.5"):
        with_defaults(Rules, {"reach": 1.5}, "house")


SECRET = Event(
    "drawn", {"card": "Ace"}, "Ann draws the Ace", "Book", ("Ann 1",),
    audience=("Ann",), public="Ann draws a card",
)  # fmt: skip


def test_an_event_for_one_player_is_told_to_others_in_its_public_words_alone():
    assert told_to(SECRET, Viewer("Ann")) is SECRET
    for viewer in (Viewer(), Viewer("Bob")):
        told = told_to(SECRET, viewer)
        assert told is not None
        assert "Ace" not in str(told)
        assert (told.words, told.data, told.pieces) == ("Ann draws a card", {}, ())
    quiet = replace(SECRET, public="")
    assert log_for([quiet, SECRET], Viewer("Bob")) == (told_to(SECRET, Viewer("Bob")),)


HIDING = Game(
    about=About("hiding", "Hiding", "Hiding 1", "1", measuring="after declaring"),
    states=States(dict),
    events=Events("Hiding"),
    begin=lambda _setup: (),
    status=lambda state, _viewer: Status("Round 1", "Somebody drives", over=state.get("over", False)),
)

OPEN = replace(HIDING, about=About("open", "Open", "Open 1", "1"))


@pytest.mark.parametrize("question", [None, Question("shot", "Can it hit?", ("A", "B"))])
def test_where_distances_are_hidden_nothing_is_measured_while_a_match_is_on(question):
    assert "before a target is declared" in permitted(HIDING, {}, question).words
    assert permitted(HIDING, None, question) is None
    if question is None:
        assert permitted(HIDING, {"over": True}, None) is None
    assert permitted(OPEN, {}, question) is None


def test_measured_distances_are_found_and_taken_out_of_sentences():
    words = 'out of reach: 8.42 in of 10 in, 20.1 cm, 3,5 mm, 1.0" and 45.0°'
    assert distances_in({"a": [words]}) == ["8.42 in", "20.1 cm", "3,5 mm", '1.0"']
    assert without_distances(words) == "out of reach: … of 10 in, …, …, … and 45.0°"
