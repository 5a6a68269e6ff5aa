"""Moves that the camera saw, named by their id: awaited, guided, ruled, put right, taken."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.hand import push
from engine.game.contract import Seen
from engine.game.dice import TypedDice
from engine.game.events import Action, Illegal
from engine.game.match import Match
from engine.game.showing import Awaited, Guide
from engine.games.white_line_fever.state.game_state import GameState
from engine.measure.sweep import Step, Straight, Turn
from engine.motion.moves import Move, Read
from engine.ruling import Verdict
from engine.space.geometry import Pose
from engine.space.table import PoseUncertainty, Standing, Status, TableState
from tests.engine.games.white_line_fever.drives import REAR, START, STEADY
from tests.engine.games.white_line_fever.playing import GAME, begun, do, drive, sheet, told
from tests.engine.tables import block, car, table

TURN = (Straight(2.0), Turn(math.radians(40), REAR), Straight(3.0))


def moved(
    *steps: Step, start: Pose = START, name: str = "Red 1", others: tuple[Standing, ...] = (),
    share: float = 1.0, number: int = 1,
) -> Move:  # fmt: skip
    """What the camera knows of a car that a hand pushes, up to a share of its way."""
    one = push(steps, np.random.default_rng(3), model="sedan", start=start, habits=STEADY)
    track = list(one.track[: max(round(len(one.track) * share), 2)])
    before = Standing(car(name, 0, 0).piece, start, PoseUncertainty(one.rests[0]))
    rests = share == 1.0
    after = replace(
        before, pose=one.end if rests else track[-1], uncertainty=PoseUncertainty(one.rests[1]),
        status=Status.STILL if rests else Status.MOVING,
    )  # fmt: skip
    reads = tuple(Read(k / 15, pose, one.sd, one.sd_heading) for k, pose in enumerate(track[1:]))
    seen = TableState.of(table().surface, [before, *others])
    return Move(f"move-{number}", name, seen, after, 0.0, len(track) / 15, reads)


def seen_of(*moves: Move) -> Seen:
    return Seen(moves[-1].before, {move.id: move for move in moves})


def choosing(speed: int) -> Match[GameState]:
    match = begun(sheet("Red 1", "Red", speed=speed), sheet("Blue 1", "Blue"))
    do(match, "choose", car="Red 1")
    return match


def guided(match: Match[GameState], move: Move | None, on: TableState | None = None) -> Guide:
    (awaited,) = GAME.awaits(match.state)
    return GAME.guide(match.state, awaited, move, on or (table() if move is None else move.before))


# Which pieces may move


def test_every_car_of_the_driver_may_move_then_the_one_that_was_chosen():
    match = begun(sheet("Red 1", "Red"), sheet("Red 2", "Red"), sheet("Blue 1", "Blue"))
    first, second = GAME.awaits(match.state)
    assert (first.piece, first.kind, first.player, second.piece) == ("Red 1", "move", "Red", "Red 2")
    do(match, "choose", car="Red 1")
    # Who chooses the car that they are pushing goes on with the same manoeuvre.
    assert GAME.awaits(match.state) == (first,)
    drive(match, "Red 1")
    assert GAME.awaits(match.state) == ()
    do(match, "floor_it", (6,))
    (again,) = GAME.awaits(match.state)
    assert again.piece == "Red 1"
    assert again.key != first.key


def test_cars_to_deploy_and_to_place_are_awaited_too():
    cars = [sheet("Red 1", "Red", "Plinker", "Long Horn"), sheet("Blue 1", "Blue")]
    match = Match.begin(GAME, {"players": ["Red", "Blue"], "cars": cars, "deployment": "highway"})
    assert GAME.awaits(match.state) == (Awaited("Red 1", "deploy", "Red", "deploy Red 1", anywhere=True),)
    do(match, "deploy", car="Red 1")
    do(match, "deploy", car="Blue 1")
    drive(match, "Red 1")
    do(match, "shoot", (8,), weapon="Long Horn", target="Blue 1", band="short")
    (awaited,) = GAME.awaits(match.state)
    assert (awaited.piece, awaited.kind) == ("Blue 1", "placed")


# The screen of whoever moves one


def test_before_the_hand_moves_the_reachable_area_is_marked():
    guide = guided(choosing(4), None, table(car("Red 1", 20, 20)))
    assert (guide.piece, guide.phase) == ("Red 1", "ready")
    assert guide.words.startswith("Red 1 has 4 in to go ahead")
    assert {mark.role for mark in guide.marks} == {"reach"}
    # Four inches ahead of its front, and not more.
    assert max(x for mark in guide.marks for x, _ in mark.points) == pytest.approx(21.55 + 4.0, abs=0.1)


def test_while_the_hand_pushes_it_says_what_is_left_and_what_lies_ahead():
    rock = block("Rock", 25.0, 20, 2, 6)
    guide = guided(choosing(6), moved(Straight(6.0), others=(rock,), share=0.3))
    assert (guide.phase, guide.verdict, guide.take) == ("moving", None, "")
    assert guide.progress is not None
    assert 0.2 < guide.progress.used < 3.0
    assert guide.progress.of == 6.0
    assert guide.headline.endswith(" in to go")
    assert guide.facts == ("Rock lies ahead.",)
    assert {mark.role for mark in guide.marks} == {"start", "path", "goal", "touch"}


def test_a_legal_manoeuvre_is_taken_by_its_id_with_what_was_seen():
    match, move = choosing(5), moved(*TURN)
    guide = guided(match, move)
    assert (guide.phase, guide.headline, guide.verdict) == ("rested", "Legal", Verdict.YES)
    assert (guide.goal, guide.said, guide.take) == (None, (), "The Maneuver is done")
    assert [step.split()[0] for step in guide.steps] == ["straight", "turn", "straight"]
    assert "goal" not in {mark.role for mark in guide.marks}
    events = match.do(Action("move", "Red", {"move": {"id": "move-1", "since": 0.0}}), seen_of(move))
    (data,) = told(list(events), "moved")
    assert [step["kind"] for step in data["steps"]] == ["straight", "turn", "straight"]
    assert sum(step.get("ahead", 0.0) for step in data["steps"]) == pytest.approx(5.0, abs=0.1)
    assert data["to"][:2] == pytest.approx([move.after.pose.x, move.after.pose.y], abs=0.05)
    assert not told(list(events), "ruled")


def test_a_move_that_is_off_says_where_to_put_the_car_and_may_be_accepted():
    match, move = choosing(3), moved(Straight(4.0))
    guide = guided(match, move)
    assert (guide.headline, guide.verdict, guide.take) == ("Not legal", Verdict.NO, "Accept it as it stands")
    assert guide.words.startswith("Its place is 1.0 in away")
    assert guide.goal is not None
    assert guide.goal[:2] == pytest.approx((START.x + 3.0, START.y), abs=0.1)
    assert guide.ruling is not None
    assert guide.ruling.check("Speed").citation == "White Line Fever 0.9 · Maneuvers"
    assert {mark.verdict for mark in guide.marks} == {Verdict.NO}
    against = match.check(Action("move", "Red", {"move": "move-1"}), seen_of(move))
    assert [(r.words.split(":")[0], r.open) for r in against] == [("Speed", True)]
    said = {"move": "move-1", **dict(guide.said)}
    events = match.do(Action("move", "Red", said), seen_of(move))
    assert [data["verdict"] for data in told(list(events), "ruled")] == ["yes"]


def test_a_car_put_on_its_goal_has_been_put_right():
    match, first = choosing(3), moved(Straight(4.0))
    back = moved(Straight(-1.0), start=first.after.pose, number=2)
    whole = first.and_then(back)
    guide = guided(match, whole)
    assert (guide.headline, guide.verdict, guide.goal) == ("Corrected", Verdict.YES, None)
    events = match.do(Action("move", "Red", {"move": "move-2"}), seen_of(first, whole))
    (data,) = told(list(events), "moved")
    assert sum(step["ahead"] for step in data["steps"]) == pytest.approx(3.0, abs=0.05)
    assert data["to"][0] == pytest.approx(START.x + 3.0, abs=0.1)


def test_a_car_put_elsewhere_is_not_put_right():
    match, first = choosing(3), moved(Straight(4.0))
    whole = first.and_then(moved(Straight(-2.0), start=first.after.pose, number=2))
    assert guided(match, whole).verdict is Verdict.NO


def test_a_contact_is_seen_and_not_asked():
    length = float(np.ptp(car("Blue 1", 0, 0).piece.body.footprint.outline[:, 0]))
    blue = car("Blue 1", START.x + 2.0 + length, START.y)
    match, move = choosing(6), moved(Straight(2.02), others=(blue,))
    guide = guided(match, move)
    assert (guide.verdict, guide.facts) == (Verdict.YES, ("It touches Blue 1.",))
    assert guide.take == "Done: it hit Blue 1"
    action = Action("move", "Red", {"car": "Red 1", "move": "move-1", "contacts": [], "left_surface": False})
    events = match.do(action, seen_of(move), TypedDice((1, 1)))
    assert told(list(events), "collision")[0]["cars"] == ["Red 1", "Blue 1"]


def test_what_is_typed_goes_before_what_was_seen():
    # Nobody saw the mug, so the way seems to be too short.
    match, move = choosing(6), moved(Straight(2.02))
    assert guided(match, move).verdict is Verdict.NO
    events = match.do(
        Action("move", "Red", {"move": "move-1", "obstacle": "Mug"}), seen_of(move), TypedDice((1,))
    )
    assert told(list(events), "collision")[0]["obstacles"] == ["Mug"]


def test_a_move_that_nobody_saw_or_of_another_car_is_refused():
    match, move = choosing(3), moved(Straight(3.0))
    for data, words in (
        (
            {"move": "move-9", "car": "Red 1"},
            (
                "that move of Red 1 is not known any more: it was moved on, put back, or taken already. "
                "Look again, and take it as it stands now"
            ),
        ),
        ({"move": "move-1", "car": "Blue 1"}, "that was a move of Red 1, not of Blue 1"),
    ):
        against = match.check(Action("move", "Red", data), seen_of(move))
        assert words in [reason.words for reason in against]
        with pytest.raises(Illegal):
            match.do(Action("move", "Red", data), seen_of(move))


def test_who_has_moved_a_car_has_chosen_it():
    match, move = begun(sheet("Red 1", "Red"), sheet("Blue 1", "Blue")), moved(Straight(3.0))
    assert [o.kind for o in match.options()] == ["choose"]
    choose, taken = match.options(seen_of(move))
    assert (choose.kind, taken.kind, taken.piece) == ("choose", "move", "Red 1")
    assert taken.form.fields["move"].usual == "move-1"
    events = match.do(Action("move", "Red", {**taken.data, "move": "move-1"}), seen_of(move))
    assert [e.kind for e in events] == ["action", "chosen", "moved"]


def test_tokens_that_the_game_has_laid_are_driven_over():
    match = begun(sheet("Red 1", "Red", speed=6), sheet("Blue 1", "Blue", speed=3))
    drive(match, "Red 1")
    do(match, "drop", at=[24.0, 20.0, 0.0])
    do(match, "end")
    move = moved(Straight(3.0), name="Blue 1")
    do(match, "choose", car="Blue 1")
    assert guided(match, move).facts == ("It passes over Oil 1.",)
    events = match.do(Action("move", "Blue", {"move": "move-1"}), seen_of(move))
    assert told(list(events), "triggered")[0]["token"] == "Oil 1"


def test_a_car_that_a_rule_turns_is_guided_and_taken_where_it_stands():
    match = begun(sheet("Red 1", "Red", "Plinker", "Long Horn"), sheet("Blue 1", "Blue"))
    drive(match, "Red 1")
    on = table(car("Red 1", 12, 20), car("Blue 1", 20, 20))
    do(match, "shoot", (8,), weapon="Long Horn", target="Blue 1", table=on)
    guide = guided(match, None, on)
    assert (guide.phase, guide.words) == ("ready", "Turn it round where it stands.")
    assert guide.goal is not None
    turned = Move("move-7", "Blue 1", on, car("Blue 1", 20, 20, 90), 0.0, 1.0)
    half = guided(match, turned, on)
    assert (half.headline, half.verdict, half.take) == ("Not there yet", Verdict.NO, "Accept it as it stands")
    there = replace(turned, after=car("Blue 1", 20.1, 20, 180))
    assert guided(match, there, on).headline == "In place"
    match.do(Action("placed", None, {"car": "Blue 1", "move": "move-7"}), Seen(on, {"move-7": there}))
    assert not match.state.duties
