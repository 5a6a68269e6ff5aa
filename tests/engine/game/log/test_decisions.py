"""What is decided of a dispute, as an event of the match like any other."""

from __future__ import annotations

import pytest

from engine.errors import TableRefError
from engine.game.dice import SeededDice
from engine.game.events import Action, batches, event_from_json, event_to_json, standing_batches
from engine.game.match import Match
from tests.engine.games.white_line_fever.playing import GAME, begun, do, drive


def shot_at():
    """A match in which Red 1 has shot at Blue 1, and the number of the batch of the shot."""
    match = begun()
    drive(match, "Red 1")
    do(match, "shoot", (8,), weapon="Machine Gun", target="Blue 1", band="short")
    return match, match.count - 1


def marked(match):
    return match.state.car("Blue 1").marked


def test_what_is_taken_back_counts_no_more_and_what_followed_goes_with_it():
    match, shot = shot_at()
    hit = marked(match)
    do(match, "speed", to=5)
    (decision,) = match.decide("The shot is taken back", shot, ["Red 1"], {"dispute": "d1"})
    assert (decision.kind, decision.tone, decision.data["dispute"]) == ("decision", "ruling", "d1")
    assert hit > 0
    assert marked(match) == 0
    assert match.state == match.before(shot)
    assert {shot, shot + 1} & standing_batches(batches(match.log)) == set()
    assert match.count - 1 in standing_batches(batches(match.log))


def test_what_is_kept_stays_and_stands_in_the_log():
    match, _ = shot_at()
    state = match.state
    match.decide("The shot is kept")
    assert match.state == state
    assert match.log[-1].words == "The shot is kept"


def test_it_is_undone_and_done_again_like_everything():
    match, shot = shot_at()
    before = match.state
    match.decide("Back", shot)
    after = match.state
    match.undo()
    assert (match.state, match.batch(shot).state) == (before, before)
    match.redo()
    assert match.state == after


def test_a_decision_can_be_taken_back_by_another_one():
    match, shot = shot_at()
    before = match.state
    match.decide("Back", shot)
    do(match, "speed", to=5)
    match.decide("It counts after all", match.count - 2)
    assert match.state == before
    assert [b.number for b in match.counted] == [*range(shot + 1), match.count - 1]
    assert standing_batches(batches(match.log)) == {*range(shot + 1), match.count - 1}


def test_the_log_through_json_gives_the_same():
    match, shot = shot_at()
    match.decide("Back", shot)
    do(match, "speed", to=5)
    again = Match.replay(GAME, [event_from_json(event_to_json(e)) for e in match.log])
    assert (again.state, again.log) == (match.state, match.log)
    assert Match.again(GAME, match.log).state == match.state


def test_what_does_not_count_cannot_be_taken_back_again():
    match, shot = shot_at()
    match.decide("Back", shot)
    for number in (shot, 0, 999):
        with pytest.raises(TableRefError, match="cannot be taken back"):
            match.decide("Back", number)


def test_a_die_that_fell_falls_the_same_when_the_shot_is_shot_again():
    match = begun()
    drive(match, "Red 1")
    dice = SeededDice("seed")
    said = {"weapon": "Machine Gun", "target": "Blue 1", "band": "short"}
    shot = match.count
    first = match.do(Action("shoot", "Red", said), None, dice)
    match.decide("Back", shot)
    second = match.do(Action("shoot", "Red", said), None, dice)
    fell = [[e.data["value"] for e in told if e.kind == "roll"] for told in (first, second)]
    assert fell[0] == fell[1] != []
    # And once they count again because the decision was undone, they are not waiting to fall.
    match.undo()
    match.undo()
    assert match.state == match.batch(shot).state
    assert [b.number for b in match.counted][-1] == shot
