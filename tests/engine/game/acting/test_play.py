"""Carrying an action out: events, the state after each, dice told before anything follows from them."""

from __future__ import annotations

from engine.game.acting.play import Play
from engine.game.dice import SeededDice, TypedDice, Want
from engine.game.events import Event


def count(state: int, event: Event) -> int:
    """The state of a game that adds up what is rolled and said."""
    return state + int(event.data.get("value", event.data.get("more", 0)))


def test_the_state_follows_each_event_at_once():
    play = Play(count, 1, TypedDice())
    play.tell("more", "two more", "a book · a rule", more=2)
    assert play.state == 3
    assert play.events == [Event("more", {"more": 2}, "two more", "a book · a rule")]


def test_dice_are_told_together_each_with_its_piece():
    play = Play(count, 0, TypedDice((3, 5)))
    rolls = play.together([(Want(6, "to hit"), "Red 1"), (Want(8, "to miss"), "Blue 1")], "a book · dice")
    assert [roll.value for roll in rolls] == [3, 5]
    assert [event.data["piece"] for event in play.events] == ["Red 1", "Blue 1"]
    assert play.events[0].words == "to hit: D6 shows 3"
    assert play.state == 8


def test_a_die_that_was_rolled_here_is_a_barrier():
    typed, rolled = (Play(count, 0, dice) for dice in (TypedDice((3,)), SeededDice("a seed")))
    for play in (typed, rolled):
        play.roll(6, "to hit", "a book · dice", "Red 1")
    assert (typed.events[0].barrier, rolled.events[0].barrier) == (False, True)
