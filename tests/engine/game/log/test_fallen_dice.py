"""A die stays as it fell: the same question in the same turn takes the same die, however it is undone."""

from __future__ import annotations

import pytest

from engine.errors import TableRefError
from engine.game.dice import NeedDice, SeededDice, TypedDice, rolls_of
from engine.game.events import Action
from engine.game.log.saving import load, save
from engine.game.match import Match
from tests.engine.games.white_line_fever.playing import begun, do, drive, sheet

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


def test_what_this_machine_rolled_is_never_mistyped():
    match = driven()
    floor_it(match)
    match.undo()
    with pytest.raises(TableRefError, match="none to type anew"):
        match.mistyped_event()


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


def test_another_option_asked_in_between_changes_no_die():
    match = driven()
    first = floor_it(match)
    match.undo()
    do(match, "shoot", (4,), weapon="Machine Gun", target="Blue 1", band="short")
    assert floor_it(match) == first


def test_across_a_restart():
    match = driven()
    first = floor_it(match)
    match.undo()
    again = load(save(match))
    assert floor_it(again) == first


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
