"""Actions: refused by rules, read, carried out with their dice; a die stays as it fell."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from engine.boards.road import Road
from engine.errors import TableRefError
from engine.game.contract import NOTHING_SEEN, Option, Seen
from engine.game.dice import (
    FallenDice,
    LoggedDice,
    NeedDice,
    Roll,
    SeededDice,
    TypedDice,
    Want,
    icons,
    roll_event,
    rolls_of,
)
from engine.game.events import Action, Event
from engine.game.kit import reading
from engine.game.kit.events import Data, Events
from engine.game.kit.play import Play
from engine.game.match import Match, load, save
from engine.game.players import random_setup, step
from engine.games.shattered_highways.game import GAME
from engine.games.shattered_highways.state import GameState
from engine.space.geometry import Region
from engine.space.table import TableState
from tests.engine.games.white_line_fever.playing import begun, do, drive, sheet


def test_options_are_worked_out_once_for_a_state_and_a_sight() -> None:
    worked_out = []

    def offers(state: GameState, seen: Seen) -> tuple[Option, ...]:
        worked_out.append(state)
        return GAME.offers(state, seen)

    game = replace(GAME, offers=offers)
    assert game.announce(Action("order", None, {"choices": {}}))[0] == "the play orders are revealed"
    assert game.announce(Action("first", "Ann", {}))[0] == "Ann: who goes first"
    chance, dice = random.Random(1), SeededDice(1)
    match = Match.begin(game, random_setup(game, chance))
    table, same = (TableState.of(Region.rectangle(0, 0, 48, 24), ()) for _ in range(2))
    sights = (
        NOTHING_SEEN,
        Seen(table),
        Seen(same),
        Seen(table, {"1": object()}),  # type: ignore[dict-item]
        Seen(table, {"1": object()}),  # type: ignore[dict-item]
        Seen(table, board=Road(48.0, 24.0)),
    )
    for number, sight in enumerate(sights, start=1):
        worked_out.clear()
        first = game.options(match.state, sight)
        assert game.options(match.state, sight) is first
        assert len(worked_out) == 1, f"sight {number} was taken for the one before"
    before = match.state
    worked_out.clear()
    step(match, chance, dice)
    assert match.state is not before
    fresh = GAME.options(match.state, NOTHING_SEEN)
    assert game.options(match.state, NOTHING_SEEN) == fresh
    assert worked_out


COUNT = Events[int]("Count", pieces=("car",))
"""The events of a game that adds up what is rolled and said."""


@COUNT.on("more", tone="good")
@COUNT.on("roll", "rolls", tone="dice")
def count(state: int, data: Data) -> int:
    """The state with what an event adds to it."""
    return state + sum(int(one.get("value", one.get("more", 0))) for one in data.get("dice", [data]))


def test_the_state_follows_each_event_at_once_and_dice_are_told_together():
    play = Play(COUNT, 1, NOTHING_SEEN, TypedDice())
    play.tell("more", "two more", "a book · a rule", more=2, car="Red 1")
    assert play.state == 3
    told = Event("more", {"more": 2, "car": "Red 1"}, "two more", "a book · a rule", ("Red 1",), "good")
    assert play.events == [told]
    with pytest.raises(TableRefError, match="no event of kind 'less' in Count"):
        COUNT.apply(1, replace(told, kind="less"))
    play = Play(COUNT, 0, NOTHING_SEEN, TypedDice((3, 5)))
    rolls = play.rolls([Want(6, "to hit"), Want(8, "to miss")], "a book · dice", ("Red 1", "", "Blue 1"))
    assert [roll.value for roll in rolls] == [3, 5]
    assert [event.pieces for event in play.events] == [("Red 1", "Blue 1")]
    assert play.events[0].words == "to hit: 3; to miss: 5"
    assert play.state == 8
    # A die that was rolled here is a barrier.
    for dice, barrier in ((TypedDice((3,)), False), (SeededDice("a seed"), True)):
        play = Play(COUNT, 0, NOTHING_SEEN, dice)
        play.rolls([Want(6, "to hit")], "a book · dice", ("Red 1",))
        assert play.events[0].barrier is barrier


SAID = {
    "car": " Red 1 ", "to": 3, "far": 2.5, "sure": True, "near": ["a", "b"], "at": [1, 2, 0.5],
    "steps": [{"kind": "turn"}], "none": None,
}  # fmt: skip


def test_what_is_right_is_read():
    assert reading.text(SAID, "car") == "Red 1"
    assert reading.maybe_text(SAID, "none") is None
    assert reading.one_of(SAID, "car", (" Red 1 ",)) == " Red 1 "
    assert reading.whole(SAID, "to") == 3
    assert reading.number(SAID, "far") == 2.5
    assert reading.flag(SAID, "sure")
    assert reading.names(SAID, "near") == ("a", "b")
    assert reading.pose(SAID, "at") == (1.0, 2.0, 0.5)
    assert reading.objects(SAID, "steps") == ({"kind": "turn"},)


@pytest.mark.parametrize(
    ("read", "field"),
    [
        (reading.text, "to"), (reading.text, "missing"), (reading.whole, "far"), (reading.whole, "sure"),
        (reading.number, "car"), (reading.flag, "to"), (reading.names, "at"), (reading.pose, "near"),
        (reading.objects, "near"),
    ],
)  # fmt: skip
def test_what_is_wrong_names_its_field(read, field):
    with pytest.raises(TableRefError, match=f"^{field}: expected"):
        read(SAID, field)


def test_what_is_missing_is_as_usual():
    assert reading.names(SAID, "missing") == ()
    assert reading.pose(SAID, "missing") is None
    assert reading.flag(SAID, "missing", usual=True)
    assert reading.number(SAID, "missing", 4.0) == 4.0


def test_rulings_of_the_players():
    for_all, one = {"ruled": "yes"}, {"ruled": {"Line of Sight": "no"}}
    assert reading.ruled(for_all, "anything") == "yes"
    assert reading.ruled_by_name(for_all, "anything") is None
    assert reading.ruled(one, "Line of Sight") == reading.ruled_by_name(one, "Line of Sight") == "no"
    assert reading.ruled(one, "Forward Arc") is None
    with pytest.raises(TableRefError, match="expected 'yes' or 'no'"):
        reading.ruled({"ruled": "perhaps"}, "anything")


def test_unknown_fields_and_names_are_refused_with_what_was_meant():
    reading.only({"apply": 1}, ("apply", "band"), "shoot")
    with pytest.raises(
        TableRefError, match="shoot has no field 'aply'; expected apply, band; did you mean 'apply'"
    ):
        reading.only({"aply": 1}, ("apply", "band"), "shoot")
    assert reading.known_name("red-1", ("Red 1", "Rock"), "contacts") == "Red 1"
    with pytest.raises(
        TableRefError, match="contacts: nothing is called 'Rok'; there are Red 1, Rock; did you mean 'Rock'"
    ):
        reading.known_name("Rok", ("Red 1", "Rock"), "contacts")


def test_a_seed_gives_the_same_dice_for_ever():
    # Kept values: a game that was recorded years ago has to replay.
    assert [SeededDice(7, rolled=n).roll(8, "").value for n in range(8)] == [
        r.value for r in SeededDice(7).together([Want(8, "")] * 8)
    ]
    dice = SeededDice("table")
    assert [dice.roll(6, "hazard").value for _ in range(10)] == [4, 4, 6, 4, 2, 6, 5, 2, 1, 4]
    assert dice.roll(8, "").source == "seed table, roll 11"


@pytest.mark.parametrize("sides", [6, 8])
def test_no_side_is_favoured(sides):
    dice = SeededDice(1)
    n = 24_000
    counts = Counter(dice.roll(sides, "").value for _ in range(n))
    assert set(counts) == set(range(1, sides + 1))
    chi2 = sum((c - n / sides) ** 2 / (n / sides) for c in counts.values())
    assert chi2 < 24.3  # 99.9 % of fair D8 stay below


def test_typed_dice_are_used_in_order_and_say_which_are_missing():
    dice = TypedDice([3, 8])
    assert dice.roll(6, "hazard check").value == 3
    with pytest.raises(NeedDice, match=r"roll a D8 \(Blue 1\), a D8 \(the wall\)") as need:
        TypedDice([3]).together([Want(6, "hazard"), Want(8, "Blue 1"), Want(8, "the wall")])
    assert (need.value.given, [w.why for w in need.value.wanted]) == ((3,), ["Blue 1", "the wall"])


@pytest.mark.parametrize("value", [0, 9, True, 2.0, "3"])
def test_a_die_shows_one_of_its_sides(value):
    with pytest.raises(TableRefError, match=r"D8 .* shows 1 to 8"):
        TypedDice([value]).roll(8, "to hit")


RAM = icons(("miss", "miss", "hit"), "ram", by="Ann")


def test_dice_show_icons_rolled_or_typed_by_their_faces():
    faces = Counter(SeededDice(1, n).together([RAM])[0].face for n in range(3000))
    assert faces["hit"] / 3000 == pytest.approx(1 / 3, abs=0.03)
    assert TypedDice(["HIT"]).together([RAM])[0] == Roll(3, 3, "ram", "typed", "hit", "Ann")
    assert TypedDice([1]).together([RAM])[0].face == "miss"
    for wrong in ("crash", 4):
        with pytest.raises(TableRefError, match=r"one of miss, hit .ram. shows miss, miss, hit"):
            TypedDice([wrong]).together([RAM])


def test_contested_dice_are_one_event_side_by_side_and_come_back_from_the_log():
    wants = [Want(6, "struggle", by="Ann"), Want(6, "struggle", by="Bob")]
    rolls = TypedDice([2, 5]).together(wants)
    event = roll_event(rolls, "Book", contest=True)
    assert event.words == "struggle: Ann rolls 2, Bob rolls 5"
    assert rolls_of([event]) == rolls
    assert not event.barrier
    # Of one player's dice no "Red 1, Red 1", which would be the name of a car.
    several = [Want(8, "damage", by="Red")] * 3
    assert roll_event(TypedDice([1, 1, 8]).together(several), "Book").words == "damage: Red rolls 1, 1 and 8"
    here = SeededDice(1).together(wants)
    assert roll_event(here, "Book").barrier
    assert LoggedDice(rolls_of([roll_event(here, "Book")])).together(wants) == here


def test_fallen_dice_lie_as_they_fell_and_only_the_others_are_rolled():
    fell = SeededDice(9).together([Want(6, "a"), Want(8, "b")])
    dice = FallenDice(fell, TypedDice([4]))
    assert dice.together([Want(8, "b"), Want(6, "c"), Want(6, "a")]) == (
        fell[1], Roll(6, 4, "c", "typed"), fell[0],
    )  # fmt: skip
    with pytest.raises(NeedDice, match=r"a D6 .a."):
        dice.roll(6, "a")


CARS = (sheet("Red 1", "Red"), sheet("Red 2", "Red"), sheet("Blue 1", "Blue"))


def floor_it(match, dice=None):
    """Floor It with fresh dice of this machine, or with what was typed; what the die shows."""
    events = match.do(Action("floor_it"), None, dice or SeededDice(f"{len(match.log)}"))
    return rolls_of(events)[0]


def driven(car: str = "Red 1") -> Match:
    match = begun(*CARS)
    drive(match, car)
    return match


def test_whoever_undoes_five_times_has_one_die():
    match = driven()
    fell = set()
    for _ in range(5):
        fell.add(floor_it(match))
        match.undo()
    with pytest.raises(TableRefError, match="none to type anew"):
        match.mistyped_event()
    # Across a restart, and with another option asked in between, it is the same.
    fell.add(floor_it(load(save(match))))
    do(match, "shoot", (4,), weapon="Machine Gun", target="Blue 1", band="short")
    fell.add(floor_it(match))
    assert len(fell) == 1


def test_a_typed_die_stays_too_and_another_cannot_be_typed_over_it():
    match = driven()
    assert floor_it(match, TypedDice([1])).value == 1
    match.undo()
    assert floor_it(match, TypedDice()).value == 1
    match.undo()
    before = match.state
    with pytest.raises(TableRefError, match="6 was typed, but the die that fell before the undo stays"):
        floor_it(match, TypedDice([6]))
    assert match.state == before


def test_a_mistyped_die_is_typed_again_once_the_log_says_so():
    match = driven()
    floor_it(match, TypedDice([1]))
    match.undo()
    match.append((match.mistyped_event("Red"),))
    assert match.log[-1].words == "Red says that a die was typed wrong: hazard check of Red 1, 2+ needed: 1"
    with pytest.raises(NeedDice):
        floor_it(match, TypedDice())
    assert floor_it(match, TypedDice([6])).value == 6
    with pytest.raises(TableRefError, match="none to type anew"):
        match.mistyped_event("Red")


def test_undo_choose_another_car_and_come_back():
    match = begun(*CARS)
    do(match, "choose", car="Red 1")
    drive(match, "Red 1")
    first = floor_it(match)
    for _ in range(3):
        match.undo()
    do(match, "choose", car="Red 2")
    drive(match, "Red 2")
    other = floor_it(match)
    for _ in range(3):
        match.undo()
    do(match, "choose", car="Red 1")
    drive(match, "Red 1")
    assert floor_it(match) == first
    match.undo()
    match.undo()
    match.undo()
    drive(match, "Red 2")
    assert floor_it(match) == other


def test_dice_of_the_same_question_keep_their_order_however_they_are_undone():
    match = begun(sheet("Red 1", "Red"), sheet("Blue 1", "Blue", brand="Mule"))
    shot = {"weapon": "Machine Gun", "target": "Blue 1", "band": "short"}
    drive(match, "Red 1")
    do(match, "shoot", (3,), **shot)
    do(match, "floor_it", (6,))
    drive(match, "Red 1")
    do(match, "shoot", (7,), **shot)
    for _ in range(4):
        match.undo()
    # The die that fell second cannot be had first.
    assert rolls_of(do(match, "shoot", **shot))[0].value == 3
    do(match, "floor_it")
    drive(match, "Red 1")
    assert rolls_of(do(match, "shoot", **shot))[0].value == 7


def test_a_die_that_was_seen_cannot_be_saved_for_a_later_turn():
    match = driven()
    floor_it(match, TypedDice([6]))
    match.undo()
    do(match, "end")
    drive(match, "Blue 1")
    do(match, "end")
    drive(match, "Red 1")
    with pytest.raises(NeedDice):
        floor_it(match, TypedDice())
    # Back in its own turn it lies there still.
    while match.state.round.number > 1:
        match.undo()
    assert floor_it(match, TypedDice()).value == 6
