"""The screen of whoever moves a piece; tokens act where the car meets them."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from engine.boards.board import Free
from engine.game.contract import Seen
from engine.game.dice import TypedDice
from engine.game.events import Action, Illegal
from engine.game.match import Match
from engine.game.showing import Awaited, Guide
from engine.games.white_line_fever.acts.recognised import judged
from engine.games.white_line_fever.state import GameState
from engine.measure.sweep import Step, Straight, Turn
from engine.motion.moves import Move, Read
from engine.ruling import Verdict
from engine.space.geometry import Pose
from engine.space.table import PoseUncertainty, Standing, Status, TableState
from tests.engine.games.white_line_fever.drives import AXLE, REAR, START, STEADY
from tests.engine.games.white_line_fever.playing import GAME, begun, do, drive, kinds, reasons, sheet, told
from tests.engine.tables import block, car, table
from tests.hand import push

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


def test_a_place_that_is_typed_is_said_and_one_that_is_seen_is_measured():
    cars = [sheet("Red 1", "Red", "Plinker", "Long Horn"), sheet("Blue 1", "Blue")]
    match = Match.begin(GAME, {"players": ["Red", "Blue"], "cars": cars, "deployment": "highway"})
    there, nowhere = Seen(table(car("Red 1", 20, 20))), Seen(table())
    for said, at, was in (
        ({}, there, True), ({}, nowhere, False), ({"at": [20.0, 20.0, 0.0]}, there, False),
    ):  # fmt: skip
        assert GAME.measured(match.state, Action("deploy", "Red", {"car": "Red 1", **said}), at) is was


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


@pytest.mark.parametrize(
    ("driven", "share", "words"),
    [
        (5.0, 0.0, "not under way yet: N in to go; would meet Rock after N in"),
        (5.0, 0.4, "straight N in: N in to go; would meet Rock after N in"),
        (6.0, 0.99, "straight N in: all of its Speed used"),
        (7.0, 0.99, "straight N in: N in too far"),
    ],
)
def test_what_is_under_way_is_told_in_words(driven, share, words):
    rock = block("Rock", 27.5 if share < 0.5 else 40.0, 20, 2, 6)
    guide = guided(choosing(6), moved(Straight(driven), others=(rock,), share=share))
    assert re.fullmatch(words.replace("N", r"\d\.\d\d"), guide.words)


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


def test_a_car_put_on_its_goal_has_been_put_right_and_one_put_elsewhere_not():
    match, first = choosing(3), moved(Straight(4.0))
    back, elsewhere = (moved(Straight(x), start=first.after.pose, number=2) for x in (-1.0, -2.0))
    assert guided(match, first.and_then(elsewhere)).verdict is Verdict.NO
    whole = first.and_then(back)
    guide = guided(match, whole)
    assert (guide.headline, guide.verdict, guide.goal) == ("Corrected", Verdict.YES, None)
    events = match.do(Action("move", "Red", {"move": "move-2"}), seen_of(first, whole))
    (data,) = told(list(events), "moved")
    assert sum(step["ahead"] for step in data["steps"]) == pytest.approx(3.0, abs=0.05)
    assert data["to"][0] == pytest.approx(START.x + 3.0, abs=0.1)


@pytest.mark.parametrize(("first", "then"), [(1.74, 0.06), (1.9, -0.08)])
def test_a_move_that_is_too_long_is_put_right_by_no_less_than_it_may_be_too_long(first, then):
    """The lawful end beside a wide turn is nearer than the inches that the car went too far."""
    match = choosing(3)
    long = moved(Straight(1.5), Turn(math.radians(85), REAR), Straight(first))
    assert guided(match, long).verdict is not Verdict.YES
    touched = long.and_then(moved(Straight(then), start=long.after.pose, number=2))
    assert guided(match, touched).verdict is not Verdict.YES
    goal = judged(match.state, long).driven.should
    there = replace(long, id="move-3", after=replace(long.after, pose=goal), reads=())
    back = guided(match, long.and_then(there))
    assert (back.headline, back.verdict) == ("Corrected", Verdict.YES)


def test_what_was_put_right_is_told_as_it_stands():
    match, first = choosing(3), moved(Straight(4.0))
    guide = guided(match, first.and_then(moved(Straight(-0.88), start=first.after.pose, number=2)))
    assert guide.headline == "Corrected"
    assert guide.progress is not None
    assert (guide.progress.words, guide.steps) == ("3.12 in of 3 in", ("straight 3.00 in",))


def test_a_car_that_rested_too_soon_and_was_pushed_on_is_told_as_one_move():
    match, first = choosing(3), moved(Straight(2.0))
    assert guided(match, first).verdict is Verdict.NO
    guide = guided(match, first.and_then(moved(Straight(1.0), start=first.after.pose, number=2)))
    assert (guide.headline, guide.verdict) == ("Legal", Verdict.YES)
    assert guide.progress is not None
    assert re.fullmatch(r"(2\.9|3\.0)\d in of 3 in", guide.progress.words)


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


def test_beyond_what_a_car_touches_it_meets_nothing_and_is_put_back_to_the_touch():
    """ "A car making contact with another car or obstacle (for any reason) results in a Collision"."""
    match = laid(5, ("Roadmine", 27.0))
    # Its side scrapes along the wall after two inches, and the hand pushes on for three more.
    wall = block("Wall", 20 + 1.475 + 2.0 + 0.5, 20 + 0.6 + 1.0 - 0.15, 1.0, 2.0)
    move = moved(Straight(5.0), others=(wall,))
    guide = guided(match, move)
    assert (guide.headline, guide.facts) == ("Not legal", ("It touches Wall.",))
    assert guide.words.startswith("Its place is 3.0 in away")
    assert guide.goal[:2] == pytest.approx((22, 20), abs=0.15)
    (reason,) = match.check(Action("move", "Red", {"move": "move-1"}), seen_of(move))
    assert (reason.words.split(":")[0], reason.citation) == (
        "Halts at the Touch", "White Line Fever 0.9 · Collisions",
    )  # fmt: skip
    accepted = match.propose(
        Action("move", "Red", {"move": "move-1", "ruled": "yes"}), seen_of(move), TypedDice((3,))
    )
    assert "triggered" not in kinds(list(accepted))
    back = move.and_then(moved(Straight(-3.0), start=move.after.pose, number=2))
    assert guided(match, back).headline == "Corrected"
    now = Seen(replace(move.before, standings=(back.after, wall)), {back.id: back})
    events = list(match.do(Action("move", "Red", {"move": "move-2"}), now, TypedDice((3,))))
    (data,) = told(events, "moved")
    assert (data["contacts"], data["triggered"]) == ([{"other": "Wall", "kind": None}], [])
    assert sum(step["ahead"] for step in data["steps"]) == pytest.approx(2.0, abs=0.15)
    assert match.state.duties[0].target[:2] == pytest.approx((22, 20), abs=0.15)


@pytest.mark.parametrize(("past", "headline"), [(4.0, "Not legal"), (0.52, "Too close to call")])
def test_what_rested_too_soon_and_was_pushed_on_through_a_car_has_touched_it(past, headline):
    """It stands where it would without that car: that was taken for put right, and told no touch."""
    match, blue = laid(6), car("Blue 1", 26.0 + 2.97 - past, 20.6)
    first = moved(Straight(1.0), others=(blue,))
    assert guided(match, first).verdict is Verdict.NO
    on = first.and_then(moved(Straight(5.0), start=first.after.pose, number=2, others=(blue,)))
    guide = guided(match, on)
    assert (guide.headline, guide.facts) == (headline, ("It touches Blue 1.",))
    (reason,) = match.check(Action("move", "Red", {"move": "move-2"}), seen_of(on))
    assert reason.words.startswith("Halts at the Touch: it stands ")


@pytest.mark.parametrize("weapon", ["Oil", "Spikes", "Roadmine"])
def test_a_token_behind_what_a_car_has_hit_is_not_met(weapon):
    match = laid(5, (weapon, 20 + 1.475 + 2.2 + 1.5))
    move = moved(Straight(2.45), others=(block("Wall", 20 + 1.475 + 2.0 + 0.5, 20, 1, 6),))
    assert guided(match, move).headline == "Legal"
    events = list(match.do(Action("move", "Red", {"move": "move-1"}), seen_of(move), TypedDice((3,))))
    assert "triggered" not in kinds(events)
    assert [d["obstacles"] for d in told(events, "collision")] == [["Wall"]]


GRAZED = (car("Blue 1", 26.8, 21.11, sd=0.03),)
JUST_AHEAD = 20 + 1.475 + 4.0 + 1.5


@pytest.mark.parametrize(
    ("tokens", "others", "question", "met"),
    [
        ((), GRAZED, "Blue 1", "collision"),
        ((("Roadmine", JUST_AHEAD),), (), "Roadmine 1", "damaged"),
        ((("Oil", JUST_AHEAD),), (), "Oil 1", "special"),
    ],
)
def test_what_a_driven_car_may_have_met_is_asked_and_not_passed_over(tokens, others, question, met):
    """Too close to call is no answer: neither that it was met nor that it was not."""
    match = laid(4, *tokens)
    move = moved(Straight(4.0), others=others)
    guide = guided(match, move)
    assert (guide.headline, guide.take) == (
        "Legal; the rest is too close to call", "The Maneuver is done",
    )  # fmt: skip
    plain = Action("move", "Red", {"car": "Red 1", "move": "move-1"})
    (reason,) = match.check(plain, seen_of(move))
    assert (reason.question, reason.open) == (question, True)
    assert reason.words.endswith(f" {question}: too close to call")
    assert GAME.table_says(match.state, plain, seen_of(move)).keys().isdisjoint({"contacts", "triggered"})
    for answer, dice in (("no", ()), ("yes", (3, 3) if others else ())):
        said = replace(plain, data={**plain.data, "ruled": {question: answer}})
        assert [fact.value for fact in match.said(said, seen_of(move))] == [answer]
        events = list(match.propose(said, seen_of(move), TypedDice(dice)))[1:]
        assert [d["verdict"] for d in told(events, "ruled")] == [answer]
        assert (met in kinds(events)) is (answer == "yes")
        assert answer == "yes" or kinds(events) == ["ruled", "moved"]


def test_what_lies_beyond_what_it_is_said_to_have_touched_is_not_met():
    match = laid(6, ("Firebomb", 27.5))
    move = moved(Straight(6.0), others=(block("Post", 22.7, 20.86, 0.5, 0.5, sd=0.03),))
    said = {"car": "Red 1", "move": "move-1"}
    events = list(match.propose(
        Action("move", None, said | {"ruled": {"Post": "no"}}), seen_of(move), TypedDice()
    ))  # fmt: skip
    assert [d["token"] for d in told(events, "triggered")] == ["Firebomb 1"]
    # Touched, it has halted there; let stand all the same, the token is not met.
    halts = Action("move", None, said | {"ruled": {"Post": "yes"}})
    (reason,) = match.check(halts, seen_of(move))
    assert reason.words.startswith("Halts at the Touch: it stands ")
    let = replace(halts, data={**halts.data, "ruled": {"Post": "yes", reason.words: "yes"}})
    events = list(match.propose(let, seen_of(move), TypedDice((3,))))
    assert (told(events, "triggered"), len(told(events, "collision"))) == ([], 1)


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
    unknown = (
        "that move of Red 1 is not known any more: it was moved on, put back, or taken already. "
        "Look again, and take it as it stands now"
    )
    for data, words in (
        ({"move": "move-9", "car": "Red 1"}, unknown),
        ({"move": "move-1", "car": "Blue 1"}, "that was a move of Red 1, not of Blue 1"),
    ):
        assert words in [reason.words for reason in match.check(Action("move", "Red", data), seen_of(move))]
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


def test_a_turn_that_a_token_ends_at_once_is_no_way_that_was_driven():
    match = begun(sheet("Red 1", "Red", speed=3), sheet("Blue 1", "Blue"))
    swept = START.compose(Pose(1.6, 1.2))
    laid = {"name": "Oil 1", "weapon": "Oil", "dropped_by": "Blue 1", "at": [swept.x, swept.y, 0.0]}
    match.overrule(["tokens"], {"Oil 1": laid}, "laid earlier")
    do(match, "choose", car="Red 1")
    move = moved(Turn(math.radians(60), REAR), Straight(3.0))
    events = match.do(Action("move", "Red", {"move": "move-1"}), seen_of(move))
    (one,) = [event for event in events if event.kind == "moved"]
    assert (one.data["steps"], one.data["triggered"]) == ([], ["Oil 1"])
    assert GAME.driven(match.state, one, Free()) == 0.0
    # Of one that was said to end elsewhere no way is known: it is told from place to place.
    said = replace(one, data={**one.data, "to": [one.data["to"][0] + 1.0, *one.data["to"][1:]]})
    assert GAME.driven(match.state, said, Free()) is None


def test_a_car_that_a_rule_turns_is_guided_and_taken_where_it_stands():
    match = begun(sheet("Red 1", "Red", "Plinker", "Long Horn"), sheet("Blue 1", "Blue"))
    drive(match, "Red 1")
    on = table(car("Red 1", 12, 20), car("Blue 1", 20, 20))
    do(match, "shoot", (8,), weapon="Long Horn", target="Blue 1", table=on)
    guide = guided(match, None, on)
    assert (guide.phase, guide.words) == ("ready", "Turn it round, onto its shape.")
    assert guide.goal is not None
    turned = Move("move-7", "Blue 1", on, car("Blue 1", 20, 20, 90), 0.0, 1.0)
    half = guided(match, turned, on)
    assert (half.headline, half.verdict, half.take) == ("Not there yet", Verdict.NO, "Accept it as it stands")
    there = replace(turned, after=car("Blue 1", 20.1, 20, 180))
    guide = guided(match, there, replace(on, standings=(on.find("Red 1"), there.after)))
    assert (guide.headline, guide.words) == ("In place", "")
    match.do(Action("placed", None, {"car": "Blue 1", "move": "move-7"}), Seen(on, {"move-7": there}))
    assert not match.state.duties


# A sedan's nose is 1.475 ahead of its middle, a token reaches 1.5 back: one at 25 is met after 2 inches.
AT = 20 + 1.475 + 2.0 + 1.5


def laid(speed, *tokens, more=()):
    """Red 1, at (20, 20), is to be driven; tokens of these weapons lie at these places."""
    match = begun(sheet("Red 1", "Red", speed=speed), *more, sheet("Blue 1", "Blue"))
    lie = [
        {"name": f"{weapon} {k}", "weapon": weapon, "dropped_by": "Blue 1", "at": [x, 20.0, 0.0]}
        for k, (weapon, x) in enumerate(tokens, start=1)
    ]
    match.overrule(["tokens"], {one["name"]: one for one in lie}, "laid earlier")
    do(match, "choose", car="Red 1")
    return match


def take(match, move, **data):
    said = {"car": move.piece, "move": move.id} | data
    return list(match.do(Action("move", None, said), seen_of(move), TypedDice())[1:])


def test_oil_spins_the_car_where_it_meets_it_and_the_rest_goes_the_other_way():
    match = laid(5, ("Oil", AT))
    # The hand pushed it all the way: what lies beyond the token does not count.
    events = take(match, moved(Straight(5.0)))
    assert kinds(events) == ["moved", "triggered", "damaged", "special", "owed", "goes on"]
    (step,) = told(events, "moved")[0]["steps"]
    assert step["ahead"] == pytest.approx(2.0, abs=0.05)
    x, y, heading = match.state.duties[0].target
    assert (x, y) == pytest.approx((22, 20), abs=0.06)
    assert abs(math.remainder(heading - math.pi, math.tau)) < 0.03
    assert "5 in" not in guided_words(match)
    do(match, "placed", table=table(car("Red 1", x, y, 180), car("Blue 1", 40, 40)), car="Red 1")
    assert match.state.round.stage == "move"
    assert match.state.to_drive("Red 1") == pytest.approx(3.0, abs=0.06)
    (awaited,) = GAME.awaits(match.state)
    assert "part 1" in awaited.key
    back = moved(Straight(3.0), start=Pose(22, 20, math.pi), number=2)
    assert guided(match, back).headline == "Legal"
    assert kinds(take(match, back)) == ["moved"]
    assert match.state.round.stage == "free"
    assert not reasons(match, "floor_it")


def test_what_is_left_of_a_manoeuvre_is_driven_by_the_same_car():
    match = laid(5, ("Oil", AT), more=(sheet("Red 2", "Red"),))
    assert not reasons(match, "choose", car="Red 2")
    take(match, moved(Straight(5.0)))
    do(match, "placed", car="Red 1")
    assert match.state.round.part == 1
    assert reasons(match, "choose", car="Red 2") == "Red 1 has moved: it is the car of this round"
    assert "choose" not in [o.kind for o in match.options()]


def guided_words(match):
    return "; ".join(o.words for o in match.options())


def test_the_turn_that_is_made_before_the_token_is_made():
    match = laid(5, ("Oil", AT))
    take(match, moved(Turn(math.radians(12), AXLE), Straight(5.0)))
    assert match.state.round.bent
    x, y, heading = match.state.duties[0].target
    do(match, "placed", table=table(car("Red 1", x, y, math.degrees(heading))), car="Red 1")
    left, start = match.state.to_drive("Red 1"), Pose(x, y, heading)
    bent = moved(Straight(left), Turn(math.radians(40), AXLE), start=start, number=2)
    assert guided(match, bent).headline == "Not legal"
    assert guided(match, moved(Straight(left), start=start, number=3)).headline == "Legal"
    assert guided(match, None, table(car("Red 1", x, y, math.degrees(heading)))).words.endswith("is made.")


@pytest.mark.parametrize(("driven", "least"), [(1.4487, "1"), (2.4487, "0.55")])
def test_what_is_left_is_told_as_everything_else_and_may_be_less_than_an_inch(driven, least):
    match = laid(3, ("Oil", AT))
    drive(match, "Red 1", steps=[{"kind": "straight", "ahead": driven}], triggered=["Oil 1"])
    do(match, "placed", car="Red 1")
    left = f"{3 - driven:.2f} in"
    (move,) = match.options()
    assert move.heading == f"Drive Red 1 {left}"
    assert move.heading_more.startswith(f"Straight runs of {least} in or more, ")
    assert guided(match, None, table(car("Red 1", 10, 20))).words.startswith(f"Red 1 has {left} to go")
    guide = guided(match, moved(Straight(3 - driven)))
    assert guide.progress.words.endswith(f" in of {left}")
    assert not re.search(r"\d\.\d{3}", " ".join(check.words for check in guide.ruling.checks))
    assert f"at most {left}" in reasons(match, "move", car="Red 1", left=9)


def test_a_token_that_a_turn_at_once_meets_takes_no_inch():
    match = laid(3, ("Oil", 20 - 1.475 - 1.5))
    events = take(match, moved(Turn(math.radians(80), AXLE), Straight(3.0)))
    assert told(events, "moved")[0]["steps"] == []
    assert told(events, "goes on") == [{"car": "Red 1", "driven": 0.0, "bent": False}]
    do(match, "placed", car="Red 1")
    assert match.state.to_drive("Red 1") == 3.0


def test_whoever_stops_at_the_token_has_done_right_and_with_the_last_inch_nothing_is_left():
    match, move = laid(5, ("Oil", AT)), moved(Straight(2.1))
    assert guided(match, move).headline == "Legal"
    assert "goes on" in kinds(take(match, move))
    match = laid(2, ("Oil", AT - 0.1))
    assert "goes on" not in kinds(take(match, moved(Straight(2.0))))
    assert match.state.round.stage == "free"
    assert kinds(take(laid(5), moved(Straight(5.0)))) == ["moved"], "without a token nothing changes"


def test_a_springboard_pushes_from_where_it_is_met_and_a_collision_then_ends_the_round():
    match = laid(4, ("Springboard", AT))
    take(match, moved(Straight(4.0)))
    assert match.state.duties[0].target[:2] == pytest.approx((28, 20), abs=0.06)
    assert match.state.round.stage == "move"
    do(match, "placed", (3,), car="Red 1", contacts=["Rock"])
    do(match, "placed", car="Red 1")
    assert match.state.round.driver == "Blue"


@pytest.mark.parametrize("lost", [False, True])
def test_speed_lost_where_a_token_has_put_the_car_may_be_all_that_was_left(lost):
    """A Springboard throws it over Spikes: of Speed 2 the 3 inches that it has driven are more than all."""
    match = laid(5, ("Springboard", AT), ("Spikes", AT + 4))
    if lost:
        drive(match, "Red 1")
        do(match, "floor_it", (1,))
    run = [{"kind": "straight", "ahead": 3.0}]
    drive(match, "Red 1", steps=run, triggered=["Springboard 1"])
    events = do(match, "placed", car="Red 1", triggered=["Spikes 2"])
    assert match.state.car("Red 1").speed == 2
    assert [e.words for e in events if e.kind == "goes on"] == [
        f"nothing of Maneuver {1 + lost} of Red 1 is left"
    ]
    assert match.state.round.driver == ("Blue" if lost else "Red")
    if not lost:
        assert {"shoot", "floor_it", "speed", "end"} <= {option.kind for option in match.options()}


@pytest.mark.parametrize(
    ("driven", "at", "headline"),
    [
        (3.0, AT, "Legal"),  # Speed 6 becomes 3
        (6.0, AT, "Not legal"),
        (4.55, AT + 2.4, "Legal"),  # met after 4.4 inches: it goes no farther
        (4.43, AT + 2.4, "Too close to call"),  # whether it was met
        (4.0, AT + 2.4, "Not legal"),
        (6.0, AT + 2.4, "Not legal"),
        (6.0, AT + 8.0, "Legal"),
    ],
)
def test_spikes_shorten_the_manoeuvre_under_way(driven, at, headline):
    match = laid(6, ("Spikes", at))
    move = moved(Straight(driven))
    assert guided(match, move).headline == headline
    if headline == "Legal":
        events = take(match, move)
        assert kinds(events)[0] == "moved"
        assert match.state.car("Red 1").speed == (6 if at > AT + 5 else 3)
    elif headline == "Too close to call":
        speed = guided(match, move).ruling.checks[0]
        assert speed.words.startswith("Red 1 may have reached Spikes 1")
    elif driven == 4.0:
        assert guided(match, move).goal[0] - 20 == pytest.approx(6.0, abs=0.06)
    else:
        (goal,) = [guided(match, move).goal]
        assert goal[0] - 20 == pytest.approx(3.0 if at == AT else 4.4, abs=0.06)


def test_what_lies_beyond_a_token_is_not_met_but_a_roadmine_is_driven_over():
    match = laid(6, ("Oil", AT), ("Roadmine", AT + 3.5))
    assert [d["token"] for d in told(take(match, moved(Straight(6.0))), "triggered")] == ["Oil 1"]
    match = laid(6, ("Roadmine", AT), ("Oil", AT + 2.0))
    events = take(match, moved(Straight(6.0)))
    assert [d["token"] for d in told(events, "triggered")] == ["Roadmine 1", "Oil 2"]
    # Its big box costs Speed at once.
    assert match.state.car("Red 1").speed == 5


def test_without_a_camera_the_steps_say_what_is_left():
    match = laid(5, ("Oil", AT))
    run = [{"kind": "straight", "ahead": 2.0}]
    drive(match, "Red 1", steps=run, triggered=["Oil 1"])
    do(match, "placed", car="Red 1")
    assert match.state.to_drive("Red 1") == 3.0
    assert "0.50 in of 3.00 in" in reasons(
        match, "move", car="Red 1", steps=[{"kind": "straight", "ahead": 0.5}]
    )
    drive(match, "Red 1", steps=[{"kind": "straight", "ahead": 3.0}])
    assert match.state.round.stage == "free"
    match = laid(5, ("Oil", AT))
    assert "at most 5 in" in reasons(match, "move", car="Red 1", triggered=["Oil 1"], left=7)
    drive(match, "Red 1", triggered=["Oil 1"], left=1.5)
    assert match.state.to_drive("Red 1") == 1.5
    match = laid(5, ("Oil", AT))
    drive(match, "Red 1", triggered=["Oil 1"])
    assert match.state.round.stage == "free"
    # What was left, was left of the Speed with which it came there: the Oil's big box costs an inch of it.
    for left, steps, goes in ((4.0, 2.0, 3.0), (6.0, 0.0, 5.0)):
        for said in ({"left": left}, {"steps": [{"kind": "straight", "ahead": steps}] if steps else []}):
            match = laid(6, ("Oil", AT))
            match.overrule(["cars", "Red 1", "marked"], 4, "shot before")
            drive(match, "Red 1", triggered=["Oil 1"], **said)
            assert (match.state.car("Red 1").speed, match.state.to_drive("Red 1")) == (5, goes)


def test_the_guide_of_a_turned_car_tells_what_it_swings_into_and_accepts_no_close_call():
    rock_at = {True: 12.0, False: 10 + math.hypot(1.475, 0.6) + 0.45}
    for sure, y in rock_at.items():
        match = begun(sheet("Red 1", "Red", secondary="Disruptor"), sheet("Blue 1", "Blue"))
        drive(match, "Red 1")
        do(match, "shoot", (8,), table=table(car("Red 1", 10, 10), car("Blue 1", 20, 10)),
           weapon="Disruptor", target="Blue 1")  # fmt: skip
        after = car("Blue 1", 20, 10, 90, sd=0.01, sd_degrees=0.2)
        stood = table(car("Red 1", 10, 10), after, block("Rock", 20, y, 3, 1))
        move = Move("move-1", "Blue 1", table(car("Blue 1", 20, 10)), after, 0.0, 1.0)
        guide = guided(match, move, stood)
        if sure:
            assert (guide.headline, guide.facts) == ("In place", ("It touches Rock.",))
            assert guide.words == "Turn it by up to 90°, as Red chooses."
        else:
            assert (guide.headline, guide.take, guide.said) == ("Too close to call", "", ())


def test_out_of_control_the_panel_says_what_is_against_leaving_the_surface():
    match = begun(sheet("Red 1", "Red"), sheet("Red 2", "Red"), sheet("Blue 1", "Blue"))
    start = Pose(46.5, 20.0, 0.0)
    drive(match, "Red 1")
    do(match, "floor_it", (1,))
    words = "Blue may not leave the surface with Red 1 if there is another way"
    assert words + "." in guided(match, None, table(car("Red 1", 10.0, 20.0))).facts
    move = moved(Straight(3.0), start=start)
    guide = guided(match, move)
    assert (guide.headline, guide.verdict, guide.words) == ("Not legal", Verdict.NO, words + ".")
    assert (guide.take, guide.said) == ("Accept it as it stands", (("ruled", "yes"),))
    assert "It leaves the surface." in guide.facts
    with pytest.raises(Illegal, match=words):
        take(match, move)
    assert "left" in kinds(take(match, move, **dict(guide.said)))


@pytest.mark.parametrize(("x", "reached"), [(14.5, True), (35.0, False)])
def test_a_car_that_a_token_blows_up_explodes_there_and_not_where_the_hand_left_it(x, reached):
    """ "immediately suffers the Damage"; "does D8 Damage to all cars within 5""."""
    match = laid(6, ("Roadmine", AT))
    match.overrule(["cars", "Red 1", "marked"], 17, "marked earlier")
    blue = car("Blue 1", x, 20)
    move = moved(Straight(6.0), others=(blue,))
    now = replace(move.before, standings=(move.after, blue))
    said = Action("move", None, {"car": "Red 1", "move": move.id})
    # From the token the car behind it is 4.5 in away, from where the hand left it 8.5 in; ahead it is 9.
    events = match.do(said, Seen(now, {move.id: move}), TypedDice((3,) if reached else ()))[1:]
    assert told(events, "blast") == [{"car": "Red 1", "cars": ["Blue 1"] if reached else []}]
    (words,) = (e.words for e in events if e.kind == "destroyed")
    # "Then remove the destroyed car from the game."
    assert words == "Red 1 is destroyed and explodes: take it off the table"


@pytest.mark.parametrize(
    ("driven", "words"),
    [
        (6.0, "put it back 4.0 in, to where the token met it, and flip it over"),
        (2.3, "flip it over"),
    ],
)
def test_a_wreck_lies_where_a_token_has_stopped_it(driven, words):
    """ "flip it upside down and treat it like an obstacle": not where the hand has pushed it on."""
    match = laid(6, ("Roadmine", AT), more=(sheet("Red 2", "Red"),))
    match.overrule(["cars", "Red 1", "marked"], 15, "marked earlier")
    match.overrule(["cars", "Red 1", "speed"], 6, "so it is")
    move = moved(Straight(driven))
    now = Seen(replace(move.before, standings=(move.after,)), {move.id: move})
    events = match.do(Action("move", None, {"car": "Red 1", "move": move.id}), now, TypedDice())
    (told_words,) = (e.words for e in events if e.kind == "destroyed")
    assert told_words == f"Red 1 is destroyed: {words}, it is an obstacle now"


def test_before_a_turn_at_once_it_is_said_over_which_token_a_corner_swings():
    """ "any car that moves through or over any part of the token": one's own token right behind, too."""
    match = begun(sheet("Red 1", "Red", speed=3, secondary="Roadmine"), sheet("Blue 1", "Blue"))
    do(match, "choose", car="Red 1")
    assert guided(match, None, table(car("Red 1", 10.0, 20.0))).facts == ()
    drive(match, "Red 1")
    # Its own token lies a tenth of an inch behind it: turned about the axle, a rear corner comes nearer.
    do(match, "drop", at=[10.0 - 1.475 - 0.1 - 1.5, 20.0, 0.0])
    do(match, "floor_it", (6,))
    at = table(car("Red 1", 10.0, 20.0))
    (fact,) = guided(match, None, at).facts
    assert fact == "A turn at once swings a corner over Roadmine 1: drive ahead first."
    assert guided(match, None, table(car("Red 1", 12.0, 20.0))).facts == ()
