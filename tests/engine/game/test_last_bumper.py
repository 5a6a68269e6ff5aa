"""The rules of the sample whose cars are pushed by hand: speeds, pushes, rams, shots and the end."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from engine.game.contract import Seen
from engine.game.dice import TypedDice
from engine.game.events import Action, Illegal
from engine.game.match import Match
from engine.game.registry import game_called
from engine.motion.moves import Move, Read
from engine.space.catalogue import box, table_of
from engine.space.geometry import Pose
from engine.space.table import Status

SAMPLE = Path(__file__).resolve().parents[3] / "samples" / "own-game"
GAME = game_called("last_bumper", [str(SAMPLE)])
OWNERS = {"Red": "Ann", "Blue": "Bob", "Green": "Cleo"}
STOOD = {"Red": ("sedan", 10, 20), "Blue": ("sedan", 18, 20, 180), "Green": ("van", 20, 40)}
SALTS = "abc"


def begun(*cars):
    return Match.begin(
        GAME,
        {
            "players": [OWNERS[car] for car in cars],
            "pieces": [{"name": car, "owner": OWNERS[car]} for car in cars],
        },
    )


def chosen(**speeds):
    """A game in which these speeds were chosen."""
    match = begun(*speeds)
    choose(match, **speeds)
    return match


def choose(match, **speeds):
    for salt, (car, inches) in zip(SALTS, speeds.items(), strict=False):
        match.seal(Action("speed", OWNERS[car], {"inches": inches}), salt)


def table(sd=0.01, **elsewhere):
    return table_of({**STOOD, **elsewhere}, owners=OWNERS, sd=sd)


def pushed(name, inches, turned=0.0, *, on=None, earlier=None):
    """A car was pushed straight ahead from where it stands, and turned about its middle at the end."""
    before = table() if on is None else on
    start = before.find(name).pose
    reads = tuple(Read(k / 10, start.compose(Pose(inches * k / 20, 0.0)), 0.01, 0.002) for k in range(1, 21))
    end = reads[-1].pose.compose(Pose(0.0, 0.0, math.radians(turned)))
    after = replace(before.find(name), pose=end)
    return Move("m", name, before, after, 0.0, 2.0, reads, earlier=earlier)


def seen(move):
    standings = [move.after if s.name == move.piece else s for s in move.before.standings]
    return Seen(replace(move.before, standings=tuple(standings)), {move.id: move})


def guide(match, move):
    (awaited,) = match.game.awaits(match.state)
    return match.game.guide(match.state, awaited, move, move.before)


def push(match, move, *dice, **said):
    (awaited,) = match.game.awaits(match.state)
    action = Action("push", awaited.player, {"move": move.id, **said})
    return match.do(action, seen(move), TypedDice(dice))


def test_the_fastest_drives_first():
    match = chosen(Red=3, Blue=8, Green=3)
    assert match.state.order == ("Blue", "Red", "Green")
    assert [(one.piece, one.player) for one in match.game.awaits(match.state)] == [("Blue", "Bob")]


@pytest.mark.parametrize(
    ("inches", "turned", "wrong"),
    [
        (3.0, 0, []),
        (4.3, 0, []),
        (5.0, 0, ["How far"]),
        (2.0, 60, []),
        (2.0, -60, []),
        (2.0, -100, ["Turn"]),
        (-3.0, 0, []),
    ],
)
def test_a_push_is_as_long_and_turns_as_far_as_it_may(inches, turned, wrong):
    match = chosen(Red=4, Blue=2)
    shown = guide(match, pushed("Red", inches, turned))
    assert [check.name for check in shown.ruling.checks if check.verdict != "yes"] == wrong
    assert shown.take == ("Accept it as it stands" if wrong else "Take it")
    assert (shown.goal is None) == (not wrong)


def test_where_it_should_stand_lies_on_its_own_way():
    shown = guide(chosen(Red=4, Blue=2), pushed("Red", 6.0))
    assert shown.goal == pytest.approx((14.0, 20.0, 0.0), abs=0.01)


def test_a_push_that_was_put_right_is_taken_and_rams_nobody():
    too_far = pushed("Red", 5.5)
    assert "Red rams Blue" in guide(chosen(Red=4, Blue=2), too_far).facts
    match = chosen(Red=4, Blue=2)
    back = replace(
        pushed("Red", 4.0, earlier=too_far), reads=(*too_far.reads, Read(3.0, Pose(14, 20), 0.01, 0.002))
    )
    shown = guide(match, back)
    assert (shown.headline, shown.facts) == ("Corrected", ())
    push(match, back)
    assert match.log[-1].words == "Red drives 4.00 in"
    assert match.state.car("Blue").armour == 3


def test_a_ram_hurts_both_and_its_target_is_put_elsewhere_before_it_drives():
    match = chosen(Red=6, Blue=2)
    move = pushed("Red", 5.2)
    push(match, move, 3)
    assert [event.words for event in match.log[-4:]] == [
        "Red drives 5.20 in",
        "Red rams Blue: it has 2 armour left",
        "Red is unhurt by its ram, 4+: D6 shows 3",
        "Red is hurt by its own ram: it has 2 armour left",
    ]
    assert match.state.car("Blue").to == pytest.approx((19.0, 20.0, math.pi), abs=0.01)
    (option,) = match.options(seen(move))
    assert (option.kind, option.player) == ("put", "Bob")
    assert [(r.words, r.open) for r in option.not_now] == [("put Blue where the ram has pushed it", True)]
    there = table(Red=("sedan", 15.2, 20), Blue=("sedan", 19, 20, 180))
    match.do(Action("put", "Bob"), Seen(there))
    assert match.log[-2].measured
    push(match, pushed("Blue", -2.0, on=there))
    assert (match.log[-1].words, match.state.shoots) == ("Blue drives 2.00 in", "Blue")


def test_a_ram_ends_the_push():
    shown = guide(chosen(Red=8, Blue=2), pushed("Red", 7.0))
    assert shown.headline == "Not legal"
    assert shown.goal[0] == pytest.approx(18 - 2 * 1.475, abs=0.1)


@pytest.mark.parametrize(("answer", "armour"), [("yes", 2), ("no", 3)])
def test_the_players_say_whether_it_touches_where_that_is_too_close_to_call(answer, armour):
    reach = table().find("Blue").region.polygon.distance(table().find("Red").region.polygon)
    match, move = chosen(Red=6, Blue=2), pushed("Red", reach)
    shown = guide(match, move)
    assert shown.facts[0] == "whether Red touches Blue is too close to call"
    with pytest.raises(Illegal, match="too close to call") as refused:
        push(match, move)
    assert [r.question for r in refused.value.reasons] == ["Red touches Blue"]
    push(match, move, *[6] * (answer == "yes"), ruled={"Red touches Blue": answer})
    assert match.state.car("Blue").armour == armour


@pytest.mark.parametrize(
    ("stands", "words"),
    [
        ({}, []),
        ({"Blue": ("sedan", 30, 20)}, ["Range"]),
        ({"Blue": ("sedan", 2, 20)}, ["Ahead"]),
        ({"Wall": (box(1, 8, 3), 14, 20)}, ["In sight"]),
    ],
)
def test_a_shot_needs_range_sight_and_the_target_ahead(stands, words):
    match = chosen(Red=4, Blue=2)
    push(match, pushed("Red", 1.0))
    shot, hold = match.options(Seen(table(**stands)))
    assert ([r.words.partition(":")[0] for r in shot.not_now], hold.not_now) == (words, ())
    assert not any(r.open for r in shot.not_now)


def test_what_is_under_a_hand_is_not_shot_at_unless_the_players_say_so():
    match = chosen(Red=4, Blue=2)
    push(match, pushed("Red", 1.0))
    held = table()
    held = replace(held, standings=tuple(
        replace(s, status=Status.HELD) if s.name == "Blue" else s for s in held.standings
    ))  # fmt: skip
    shot, _ = match.options(Seen(held))
    assert [(r.words, r.open) for r in shot.not_now] == [("Blue cannot be seen", True)]


@pytest.mark.parametrize(("speed", "die", "hits"), [(4, 4, True), (4, 3, False), (5, 4, False), (5, 5, True)])
def test_a_fast_car_shoots_badly(speed, die, hits):
    match = chosen(Red=speed, Blue=2)
    push(match, pushed("Red", 1.0))
    match.do(Action("shoot", "Ann", {"target": "Blue"}), Seen(table()), TypedDice([die]))
    assert match.state.car("Blue").armour == 3 - hits
    assert match.state.now.name == "Blue"


def test_the_last_one_that_drives_has_won():
    match = chosen(Red=6, Blue=2)
    match.overrule(["cars", "Blue", "armour"], 1, "counted again")
    push(match, pushed("Red", 5.2))
    assert (match.state.winner, match.options()) == ("Ann", ())
    assert match.game.removed(match.state) == ("Blue",)


def test_who_gives_up_after_the_push_leaves_the_turn_to_the_next():
    match = chosen(Red=4, Blue=3, Green=2)
    push(match, pushed("Red", 1.0))
    match.concede("Ann")
    assert [one.piece for one in match.game.awaits(match.state)] == ["Blue"]
    match.concede("Bob")
    assert match.state.winner == "Cleo"


def test_a_sheet_that_is_put_right_by_hand_may_end_the_game():
    match = chosen(Red=4, Blue=2)
    match.overrule(["cars", "Red", "armour"], 0, "counted again")
    assert (match.state.winner, match.log[-1].words) == ("Bob", "Bob has the last bumper")
