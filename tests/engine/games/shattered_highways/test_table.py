"""The game on the table: moves, Lost Control, nudged vehicles, the template, a simulated hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.shoves import Tally, shove
from engine.errors import TableRefError
from engine.game.contract import NOTHING_SEEN, Question
from engine.game.dice import TypedDice
from engine.game.events import LYING, Action, Unmeasured
from engine.game.forms import PickPieces
from engine.game.match import Match
from engine.game.showing import Viewer
from engine.games.shattered_highways.acts.recognised import rows_of
from engine.games.shattered_highways.game import GAME
from engine.games.shattered_highways.rules.displacing import (
    behind_wreck,
    centring_shift,
    fall_back,
    lost_control,
    shifted_fleet,
    to_back_edge,
    to_front_edge,
)
from engine.games.shattered_highways.rules.moves import (
    Moved,
    Template,
    bumper,
    centred_over,
    class_rows,
    laid_at_bumper,
    move_area,
    road_of,
    rule_move,
    template_rows,
)
from engine.measure.sweep import Side
from engine.ruling import Verdict
from engine.space.catalogue import box
from engine.space.geometry import Pose, Region
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing, Status, TableState, Thing, ThingName
from server.play.moving.seeing import with_ranges
from tests.engine.games.shattered_highways.hands import SD, Hands, guide, rig_match, road_match
from tests.engine.games.shattered_highways.highway import ROAD, SURFACE, car, highway, rig, wall
from tests.engine.games.shattered_highways.playing import begun, do, new_round, piece, told

ANYBODY = Viewer()


def test_a_lawful_move_is_taken_as_it_was_seen() -> None:
    hands = road_match()
    hands.do("move", (3,), vehicle="Red 1")
    ready = guide(hands)
    assert ready.phase == "ready"
    assert [m.words for m in ready.marks if m.shape == "label"] == [*"123456"] * 2
    assert any(m.role == "reach" for m in ready.marks)
    assert any("Blue 1 can be nudged or rammed: front against its rear" in f for f in ready.facts)
    move = hands.push("Red 1", 4.0, -1.2)
    rested = guide(hands)
    assert (rested.verdict, rested.headline, rested.take) == (Verdict.YES, "Legal", "The Move is made")
    assert rested.steps == ("4.0 in ahead, 1.2 in right",)
    events = hands.do("moved", vehicle="Red 1", move=move)
    assert [e.kind for e in events][:1] == ["moved"]
    assert hands.match.state.turn is not None
    assert hands.match.state.turn.stage == "play"


def test_a_move_out_of_the_template_is_put_back_or_accepted() -> None:
    hands = road_match(Blue_1=(40.0, 4.0))
    hands.do("move", (3,), vehicle="Red 1")
    move = hands.push("Red 1", 10.0, 0.0)
    assert hands.against("moved", vehicle="Red 1", move="m9") == [
        "that move of Red 1 is not known any more: it was moved on, put back, or taken already. "
        "Look again, and take it as it stands now"
    ]
    rested = guide(hands)
    assert (rested.verdict, rested.take) == (Verdict.NO, "Accept it as it stands")
    assert rested.goal is not None
    assert rested.goal[0] == pytest.approx(29.0, abs=0.05)
    (reason,) = hands.against("moved", vehicle="Red 1", move=move)
    assert reason == "Inside the Template: the front bumper is 1.00 in outside the template, ±0.03"
    assert hands.against("moved", vehicle="Red 1", move=move, ruled="yes") == []
    right = hands.put("Red 1", rested.goal)
    assert guide(hands).headline in ("Put right", "Legal")
    assert hands.against("moved", vehicle="Red 1", move=right) == []


def test_whom_one_can_nudge_and_where_the_other_may_be_put() -> None:
    hands = road_match()
    hands.do("move", (3,), vehicle="Red 1")
    picks = hands.option("nudge").form.fields["targets"]
    assert isinstance(picks, PickPieces)
    against = {c.value: [r.words for r in c.not_now] for c in picks.candidates}
    assert against["Blue 1"] == []
    assert against["Red 2"] == ["it cannot be reached in the template on a clear path"]
    # 5 against 3: two sections.
    hands.do("nudge", (5, 3), vehicle="Red 1", targets=["Blue 1"], side="front")
    assert guide(hands).marks
    too_far = hands.push("Blue 1", 7.0, 0.0)
    assert guide(hands).verdict is Verdict.NO
    assert hands.against("placed", vehicle="Blue 1", duty="nudged", move=too_far) != []
    back = hands.push("Blue 1", -2.0, 1.0)
    events = hands.do("placed", vehicle="Blue 1", duty="nudged", move=back)
    assert told(events, "placed")[0]["vehicle"] == "Blue 1"


def test_nudged_into_a_third_vehicle_which_is_seen() -> None:
    hands = road_match(Blue_2=(31.0, 12.2))
    hands.do("move", (3,), vehicle="Red 1")
    hands.do("nudge", (6, 3), vehicle="Red 1", targets=["Blue 1"], side="front")
    move = hands.push("Blue 1", 5.0 - 2.95, 0.0)
    assert hands.option("placed").form.fields["into"].usual == ["Blue 2"]
    hands.do("placed", (3,), vehicle="Blue 1", duty="nudged", move=move)


def test_nudged_against_a_vehicle_that_nobody_plays_meets_nobody() -> None:
    hands = road_match(Blue_2=(2.0, 20.0))
    hands.table = TableState.of(hands.table.surface, (*hands.table.standings, car("Spare 1", 31.0, 12.2)))
    hands.do("move", (3,), vehicle="Red 1")
    hands.do("nudge", (6, 3), vehicle="Red 1", targets=["Blue 1"], side="front")
    move = hands.push("Blue 1", 5.0 - 2.95, 0.0)
    assert not hands.option("placed").form.fields["into"].usual
    assert not hands.against("placed", vehicle="Blue 1", duty="nudged", move=move)
    events = hands.do("placed", vehicle="Blue 1", duty="nudged", move=move)
    assert "ram" not in [e.kind for e in events]


def test_a_ram_needs_the_contact_and_the_side() -> None:
    hands = road_match()
    hands.do("move", (3,), vehicle="Red 1")
    # Nothing is rammed from afar, whether the hand has moved or not.
    (afar,) = hands.against("ram", vehicle="Red 1", targets=["Blue 1"], side="front")
    assert afar == "it does not stand against Blue 1"
    assert (hands.option("ram").words, hands.option("ram").main) == ("Ram", False)
    move = hands.push("Red 1", 6.0 - 2.95, 0.0)
    unsaid = Action("ram", "Ann", {"vehicle": "Red 1", "targets": ["Blue 1"], "side": "front"})
    assert GAME.measured(hands.match.state, unsaid, hands.seen) is False
    assert {one.kind for one in GAME.awaits(hands.match.state)} == {"moved", "ram"}
    ram = hands.option("ram").form.fields
    assert (ram["targets"].usual, ram["side"].usual) == (["Blue 1"], "front")
    assert (hands.option("ram").words, hands.option("ram").main) == ("Ram Blue 1", True)
    assert "It stands against Blue 1, its front against the rear." in guide(hands).facts
    wrong = hands.against("ram", vehicle="Red 1", targets=["Blue 1"], side="left", move=move)
    assert wrong == ["Red 1 meets Blue 1 with its front, not its left"]
    # Whoever is taken away is not rammed any more, though it is the same move.
    there = hands.table
    away = car("Blue 1", 44.0, 4.0, sd=SD)
    hands.table = replace(there, standings=(*there.others("Blue 1"), away))
    gone = hands.against("ram", vehicle="Red 1", targets=["Blue 1"], side="front", move=move)
    assert gone == ["it does not stand against Blue 1"]
    hands.table = there
    events = hands.do("ram", (5, 2, 4), vehicle="Red 1", targets=["Blue 1"], side="front", move=move)
    assert told(events, "ram")[0]["won"]


def test_a_push_that_a_ram_does_not_name_is_kept_with_it() -> None:
    """It says whom the Ram is against: ruled again from a record without it nobody could tell."""
    hands = rig_match()
    hands.do("move", (3,), vehicle="Red 1")
    push = hands.push("Red 1", 0.0, 2.0 - 0.6 - 0.625 - 0.02)
    given_up = Action("ram", "Red", {"vehicle": "Red 1"}, Unmeasured("we gave up", "the owner of the table"))
    events = hands.match.propose(given_up, hands.seen, TypedDice((5, 4, 2, 3, 6, 1)))
    first, *rest = with_ranges(events, hands.moves)
    assert first.data["data"] == {"vehicle": "Red 1"}
    assert [one["id"] for one in first.data[LYING]] == [push]
    assert {t.data["target"] for t in rest if t.kind == "ram"} == {"Blue 1", "Blue 2"}
    again = hands.match.anew([first, *rest], hands.seen)
    assert (again[0].data, len(again)) == (first.data, len(events))


def test_lost_control_has_its_ghost_and_what_it_meets() -> None:
    hands = road_match(Blue_1=(25.0, 11.0))
    # 1: Lost Control; then section 1, ahead to the right, where Blue 1 stands.
    hands.do("move", (1, 1), vehicle="Red 1")
    (ghost,) = GAME.ghosts(hands.match.state, hands.seen)
    assert ghost.pose is not None
    assert ghost.right is False
    option = hands.option("placed")
    assert option.form.fields["into"].usual == ["Blue 1"]
    away = hands.against("placed", vehicle="Red 1", duty="lost")
    assert away
    assert "from its place" in away[0]
    hands.put("Red 1", ghost.pose)
    (ghost,) = GAME.ghosts(hands.match.state, hands.seen)
    assert ghost.right is True
    events = hands.do("placed", (4, 2, 3), vehicle="Red 1", duty="lost")
    assert told(events, "ram")[0]["target"] == "Blue 1"


@pytest.mark.parametrize("dice", [(1, 1), (1, 2)])
def test_a_vehicle_that_nobody_plays_stops_one_that_has_lost_control_and_is_not_rammed(dice) -> None:  # type: ignore[no-untyped-def]
    """It stands on the road like any other, but the book has nobody to roll for it."""
    hands = road_match(Blue_1=(2.0, 20.0))
    x, y = (25.0, 11.0) if dice == (1, 1) else (25.0, 12.2)
    hands.table = TableState.of(hands.table.surface, (*hands.table.standings, car("Spare 1", x, y)))
    hands.do("move", dice, vehicle="Red 1")
    (ghost,) = GAME.ghosts(hands.match.state, hands.seen)
    assert ghost.pose is not None
    assert ghost.pose[0] < x - 1.0, "it stops at it"
    assert hands.match.state.duties[0].meets == ()
    hands.put("Red 1", ghost.pose)
    assert not hands.against("placed", vehicle="Red 1", duty="lost")
    events = hands.do("placed", vehicle="Red 1", duty="lost")
    assert "ram" not in [e.kind for e in events]
    assert not hands.match.state.duties


def test_the_whole_fleet_is_set_back_in_any_order_and_the_road_rolls_on() -> None:
    hands = road_match(Red_1=(38.5, 12.0), Blue_1=(30.0, 16.0))
    hands.do("move", (3,), vehicle="Red 1")
    move = hands.push("Red 1", 8.0, 0.0)
    assert "It has reached the front edge." in guide(hands).facts
    hands.do("moved", vehicle="Red 1", move=move)
    ghosts = GAME.ghosts(hands.match.state, hands.seen)
    assert len(ghosts) == 4
    assert {o.kind for o in hands.match.options(hands.seen)} == {"shifted"}
    shift = hands.match.state.duties[0].inches
    for k, ghost in enumerate(reversed(ghosts)):
        assert ghost.pose is not None
        right = [g.right for g in GAME.ghosts(hands.match.state, hands.seen)]
        assert right.count(True) == k
        assert len(hands.against("shifted")) == 4 - k
        hands.put(ghost.piece, ghost.pose)
    hands.moves = {}
    hands.do("shifted")
    assert hands.match.state.scroll == pytest.approx(shift)
    board = GAME.board(hands.match.state, hands.board)
    assert board.scroll == pytest.approx(shift)  # type: ignore[attr-defined]


def test_a_vehicle_of_two_bodies_moves_as_one() -> None:
    hands = rig_match()
    hands.do("move", (3,), vehicle="Red 1")
    # Against Blue 1 and Blue 2 with its left side: trailer and tractor are both 1.25 wide.
    move = hands.push("Red 1", 0.0, 2.0 - 0.6 - 0.625 - 0.02)
    fields = hands.option("ram").form.fields
    assert set(fields["targets"].usual) == {"Blue 1", "Blue 2"}  # type: ignore[arg-type]
    assert fields["side"].usual == "left"
    assert guide(hands).verdict is Verdict.YES
    assert hands.against("ram", vehicle="Red 1", targets=["Blue 1", "Blue 2"], side="left", move=move) == []


@pytest.mark.parametrize("kind", ["Rig", "Car"])
def test_who_stands_back_a_little_is_against_the_side_of_a_rig_and_of_nothing_else(kind: str) -> None:
    """ "physically position the rig in a way to logically touch all the vehicles": of a hand's breadth."""
    match = begun(piece("Red 1", kind), piece("Blue 1"), piece("Blue 2"))
    known = PoseUncertainty.isotropic(0.002, 0.001)
    body = Standing(Piece("Red 1", "truck", box(8.0, 1.2, 2.0)), Pose(20.0, 11.0), known)
    there = ((18.5, 12.2 + 1.2 + 0.05), (22.5, 12.2 + 1.2 + 0.135))
    cars = (car(f"Blue {k}", *at, sd=0.002) for k, at in enumerate(there, start=1))
    hands = Hands(match, body, *cars)
    hands.do("move", (3,), vehicle="Red 1")
    strike = {"vehicle": "Red 1", "targets": ["Blue 1", "Blue 2"][kind == "Car" :], "side": "left"}
    move = hands.push("Red 1", 0.0, 1.2)
    against = hands.against("ram", **strike, move=move)
    assert against == ["it does not stand against Blue 2"] * (kind == "Car")


def test_whoever_is_straight_behind_strikes_with_the_front_unless_it_is_said_otherwise() -> None:
    hands = rig_match()
    hands.put("Blue 1", (5.0, 20.0, 0.0))
    hands.put("Blue 2", (31.0, 12.0, 0.0))
    hands.moves = {}
    hands.do("move", (3,), vehicle="Red 1")
    for kind in ("nudge", "ram"):
        fields = hands.option(kind).form.fields
        assert (fields["targets"].usual, fields["side"].usual) == (["Blue 2"], "front"), kind


def test_ones_own_is_picked_and_never_taken_for_meant() -> None:
    """Blue stands far behind: a vehicle of one's own is all that can be met, rammed or shot at."""
    hands = road_match(Red_2=(26.0, 12.2), Blue_1=(2.0, 6.0), Blue_2=(2.0, 18.0))
    shots = [o for o in hands.match.options(hands.seen) if o.kind == "shoot" and o.data["aim"] == "vehicle"]
    assert shots
    for option in shots:
        own = {c.value: c.own for c in option.form.fields["to"].candidates}  # type: ignore[union-attr]
        assert own == {"Red 2": True, "Blue 1": False, "Blue 2": False}
    hands.do("move", (3,), vehicle="Red 1")
    for kind in ("nudge", "ram"):
        fields = hands.option(kind).form.fields
        assert (fields["targets"].usual, fields["side"].usual) == (None, "front"), kind
    hands.push("Red 1", 6.0 - 2.95, 0.0)
    assert hands.option("ram").form.fields["targets"].usual is None
    assert (hands.option("ram").words, hands.option("ram").main) == ("Ram", False)


def test_who_can_be_boarded_and_shot_at_from_here() -> None:
    hands = road_match(Blue_1=(20.0, 14.0), Blue_2=(27.0, 13.0))
    warrior = hands.match.state.aboard("Red 1")[1].name
    board = hands.option("board", warrior=warrior).form.fields["to"]
    shots = [o for o in hands.match.options(hands.seen) if o.kind == "shoot" and o.data["aim"] == "vehicle"]
    at = shots[0].form.fields["to"]
    assert isinstance(board, PickPieces)
    assert isinstance(at, PickPieces)
    reasons = {c.value: [r.words for r in c.not_now] for c in board.candidates}
    assert reasons["Blue 1"] == []
    assert "away, of 1 in" in reasons["Red 2"][0]
    assert next(c for c in board.candidates if c.value == "Blue 1").more == "Car · 0.80 in, ±0.04"
    shootable = {c.value: not c.not_now for c in at.candidates}
    assert shootable["Blue 2"]
    assert not shootable["Red 2"]


def test_questions_with_and_without_a_match() -> None:
    hands = road_match(Blue_1=(20.0, 14.0))
    labels = [q.label for q in GAME.questions(None, ("Red 1", "Blue 1"))]
    guns = [f"Machine Gun {way}" for way in ("forward", "backward", "to the left", "to the right")]
    assert labels == ["Board", "Hero's weapon", *guns, "Contact", "Move"], "each can be told from the others"
    for question in GAME.questions(hands.match.state, ("Red 1", "Blue 1")):
        if not question.missing:
            assert GAME.rule(hands.match.state, question, hands.table).checks
        assert GAME.reach(hands.match.state, question, hands.table) or question.kind == "touch"
    board = Question("boarding", "", ("Red 1", "Blue 1"))
    assert GAME.rule(None, board, hands.table).check("Boarding").verdict is Verdict.YES


def test_nobody_can_still_act_who_reaches_nothing() -> None:
    hands = road_match()
    hands.do("move", (2,), vehicle="Red 1")
    assert hands.option("done").more == "2 warriors can still act; then the turn ends"
    shot = next(
        o for o in hands.match.options(hands.seen) if o.kind == "shoot" and o.data["aim"] == "vehicle"
    )
    hands.do("shoot", (2,), **shot.data, to=["Blue 1"])
    # Whoever is left has nobody to change seats with, and nothing within an inch.
    assert [o.kind for o in hands.match.options(hands.seen)] == ["board", "done"]
    assert hands.option("done").more == "then the turn ends"


def test_what_ends_the_turn_says_what_becomes_of_the_vehicle() -> None:
    """ "The vehicle … immediately moves back 1 template section length"; "it has dropped too far back"."""
    hands = road_match()
    seat = ("warriors", hands.match.state.driver("Red 1").name, "seat")
    hands.match.overrule(seat, None, "lets go of the wheel")
    assert hands.option("done").more.endswith("then it falls back 3 in, unmanned")
    hands.do("done")
    assert told(hands.match.log, "unmanned") == [{"vehicle": "Red 1"}]
    late = begun(piece("Red 1"), piece("Blue 1"))
    do(late, "done")
    do(late, "done")
    late.overrule(("vehicles", "Red 1", "status"), "behind", "it fell back")
    new_round(late)
    (done,) = (o for o in late.options(NOTHING_SEEN) if o.kind == "done")
    assert done.more == "1 warrior can still act; then it has dropped too far back, and is out of the fight"
    do(late, "done")
    assert late.state.vehicle("Red 1").status == "gone"


def test_without_a_camera_nothing_is_asked_of_the_table() -> None:
    hands = road_match()
    assert GAME.ghosts(hands.match.state, NOTHING_SEEN) == ()
    assert GAME.marks(hands.match.state, None, ANYBODY) == ()
    assert [m.role for m in GAME.marks(hands.match.state, hands.table, ANYBODY)] == ["current"]


def test_what_counts_as_measured() -> None:
    hands = road_match()
    state, stays = hands.match.state, Action("moved", None, {"vehicle": "Red 1"})
    assert GAME.measured(state, stays, hands.seen) is True, "it stands where it stood"
    move = hands.push("Red 1", 2.0, 0.0)
    assert GAME.measured(state, stays, hands.seen) is False, "it was moved, and the move is not named"
    named = Action("moved", None, {"vehicle": "Red 1", "move": move})
    assert GAME.measured(state, named, hands.seen) is True
    assert GAME.measured(state, named, NOTHING_SEEN) is False
    hands.cover("Red 1")
    assert GAME.measured(state, named, hands.seen) is True, "a hand lies over what has been measured"
    hands.cover("Red 2")
    assert GAME.measured(state, Action("deploy", None, {"vehicle": "Red 2"}), hands.seen) is False
    hands.cover("Red 2", Status.STILL)
    assert GAME.measured(state, Action("deploy", None, {"vehicle": "Red 2"}), hands.seen) is True
    assert GAME.measured(state, Action("deploy", None, {"vehicle": "Red 9"}), hands.seen) is False
    assert GAME.measured(state, Action("board", None, {}), hands.seen) is None


def test_a_move_with_a_trailer_is_measured_where_the_trailer_is_seen() -> None:
    hands = rig_match()
    named = Action("moved", None, {"vehicle": "Red 1", "move": hands.push("Red 1", 2.0, 0.0)})
    _, trailer = hands.table.vehicle("Red 1")
    hands.cover("Red 1")
    assert GAME.measured(hands.match.state, named, hands.seen) is True
    hands.cover(trailer.name)
    assert GAME.measured(hands.match.state, named, hands.seen) is False, (
        "where the trailer stands is not seen"
    )


SIDE = 2.0 - 1.20 / 2  # how far a sedan's bumper can go aside


def put(table: TableState, name: str, along: float, left: float, degrees: float = 0.0) -> Moved:
    """A move of a vehicle whose bodies all went so far."""
    after = [
        replace(s, pose=Pose(s.pose.x + along, s.pose.y + left, s.pose.heading + math.radians(degrees)))
        for s in table.vehicle(name)
    ]
    return rule_move(table, name, after, 0.0)


def verdicts(moved: Moved) -> dict[str, Verdict]:
    return {c.name: c.verdict for c in moved.ruling.checks}


def test_a_way_past_terrain_that_was_never_seen_is_no_sure_clear_path() -> None:
    mug = wall("Mug", 0.0, 0.0).piece
    known = highway(car("Red", 20.0, 12.0))
    moved = put(replace(known, unplaced=(mug,)), "Red", 5.0, 0.0)
    assert verdicts(moved) == verdicts(put(known, "Red", 5.0, 0.0)) | {"Clear Path": Verdict.TOO_CLOSE}
    assert "Mug is not seen and may be in the way" in moved.ruling.check("Clear Path").words
    for y, verdict in ((12.0, Verdict.TOO_CLOSE), (20.0, Verdict.YES)):
        thing = Thing(ThingName("Thing 1"), Region.rectangle(23.0, y - 0.5, 1.0, 1.0), 0.05)
        assert verdicts(put(replace(known, things=(thing,)), "Red", 5.0, 0.0))["Clear Path"] is verdict
    blocked = highway(car("Red", 20.0, 12.0), wall("Wall", 24.0, 12.0))
    assert verdicts(put(replace(blocked, unplaced=(mug,)), "Red", 8.0, 0.0))["Clear Path"] is Verdict.NO


def test_with_nothing_about_the_whole_bumper_covers_both_templates() -> None:
    area = move_area(highway(car("Red", 20.0, 12.0)), "Red", 0.0)
    nose = 20.0 + 2.95 / 2
    assert area.shifts.bounds == pytest.approx((-9.0, -SIDE, 9.0, SIDE))
    assert area.covered.bounds == pytest.approx((nose - 9.0, 10.0, nose + 9.0, 14.0))


@pytest.mark.parametrize(
    ("along", "left", "verdict"),
    [
        (8.9, 0.0, Verdict.YES), (-8.9, 1.3, Verdict.YES), (0.0, 1.25, Verdict.YES), (0.0, 0.0, Verdict.YES),
        (9.3, 0.0, Verdict.NO), (-9.3, 0.0, Verdict.NO), (3.0, 1.6, Verdict.NO), (0.0, -1.6, Verdict.NO),
        (9.02, 0.0, Verdict.YES), (0.0, 1.4, Verdict.YES),
    ],
)  # fmt: skip
def test_inside_the_template_by_the_whole_bumper(along: float, left: float, verdict: Verdict) -> None:
    moved = put(highway(car("Red", 20.0, 12.0, sd=0.02)), "Red", along, left)
    assert moved.ruling.check("Inside the Template").verdict is verdict
    assert moved.verdict is verdict
    assert (moved.along, moved.left) == pytest.approx((along, left))


def test_by_how_much_it_is_outside_and_where_it_should_stand() -> None:
    moved = put(highway(car("Red", 20.0, 12.0)), "Red", 9.4, 0.5)
    check = moved.ruling.check("Inside the Template")
    assert check.number == pytest.approx(-0.4)
    assert check.words == "the front bumper is 0.40 in outside the template"
    assert moved.should == Pose(29.0, 12.5, 0.0)
    # A tenth of an inch over the edge is too close to call.
    moved = put(highway(car("Red", 20.0, 12.0, sd=0.03)), "Red", 9.1, 0.0)
    assert moved.verdict is Verdict.TOO_CLOSE
    assert "too close to call" in moved.ruling.check("Inside the Template").words
    # A vehicle with a trailer goes six inches, and none stands where another does.
    table = highway(rig("Hauler", 20.0, 12.0))
    assert put(table, "Hauler", 5.9, 0.0).verdict is Verdict.YES
    assert put(table, "Hauler", -6.2, 0.0).verdict is Verdict.NO
    moved = put(highway(car("Red", 20.0, 12.0), car("Blue", 25.0, 12.0)), "Red", 4.5, 0.0)
    assert moved.verdict is moved.ruling.check("Stands Free").verdict is Verdict.NO


@pytest.mark.parametrize("over", [0.0, 0.03, 0.5])
@pytest.mark.parametrize("x", [2.95 / 2, 48.0 - 2.95 / 2])
def test_at_the_very_edge_and_a_little_over_it_the_way_back_is_open(x: float, over: float) -> None:
    at = x - over if x < 24.0 else x + over
    back = 1.0 if x < 24.0 else -1.0
    table = highway(car("Red", at, 12.0))
    low, _, high, _ = move_area(table, "Red", 0.0).shifts.bounds
    far, none = (high, low) if back > 0.0 else (-low, -high)
    assert far == pytest.approx(9.0, abs=0.01)
    assert none == pytest.approx(0.0, abs=0.01)
    assert verdicts(put(table, "Red", 5.0 * back, 0.0))["Clear Path"] is Verdict.YES


def test_no_way_through_a_row_of_cars_even_to_a_free_place() -> None:
    row = [car(f"C{k}", 26.0, 12.0 + 1.3 * (k - 2)) for k in range(5)]
    moved = put(highway(car("Red", 20.0, 12.0), *row), "Red", 9.0, 0.0)
    assert verdicts(moved) == {
        "Inside the Template": Verdict.YES, "Clear Path": Verdict.NO, "Facing the Road": Verdict.YES,
    }  # fmt: skip
    # The nearest lawful place is short of the row, facing the road.
    assert moved.should.x < 26.0 - 2.95 + 0.3


def test_round_one_car_and_past_it() -> None:
    table = highway(car("Red", 20.0, 12.0), car("Blue", 25.0, 12.0))
    assert put(table, "Red", 9.0, 0.0).verdict is Verdict.YES  # round it: 1.40 aside is enough for 1.20
    two = highway(
        car("Red", 20.0, 12.0), car("Blue", 25.0, 12.1), car("Green", 25.0, 13.4), car("Grey", 25.0, 10.8)
    )
    moved = put(two, "Red", 9.0, 0.0)
    assert moved.ruling.check("Clear Path").verdict is Verdict.NO


def test_a_gap_of_about_its_own_width_is_too_close_to_call() -> None:
    table = highway(
        car("Red", 20.0, 12.0, sd=0.02),
        car("Left", 25.0, 12.0 + 1.21, sd=0.02), car("Right", 25.0, 12.0 - 1.21, sd=0.02),
    )  # fmt: skip
    moved = put(table, "Red", 9.0, 0.0)
    assert moved.ruling.check("Clear Path").verdict is Verdict.TOO_CLOSE
    assert moved.ruling.check("Clear Path").margin == pytest.approx(0.01, abs=5e-3)


def test_it_may_stop_against_another_and_leave_from_there() -> None:
    blue = car("Blue", 26.0, 12.0, sd=0.02)
    table = highway(car("Red", 20.0, 12.0, sd=0.02), blue)
    against = put(table, "Red", 6.0 - 2.95, 0.0)
    assert against.verdict is Verdict.YES
    there = highway(car("Red", 26.0 - 2.95, 12.0, sd=0.02), blue)
    assert put(there, "Red", -5.0, 0.5).verdict is Verdict.YES


def test_facing_within_ten_degrees_of_the_road() -> None:
    table = highway(car("Red", 20.0, 12.0, sd=0.01))
    assert put(table, "Red", 4.0, 0.0, degrees=7.0).verdict is Verdict.YES
    moved = put(table, "Red", 4.0, 0.0, degrees=-14.0)
    assert moved.ruling.check("Facing the Road").verdict is Verdict.NO
    assert moved.ruling.check("Facing the Road").words.endswith("to be turned left")
    assert moved.should.heading == 0.0


@given(
    along=st.floats(-10, 10), left=st.floats(-2, 2),
    places=st.lists(st.tuples(st.floats(10, 32), st.floats(8, 16)), max_size=5),
)  # fmt: skip
def test_what_is_put_right_is_legal(along: float, left: float, places: list[tuple[float, float]]) -> None:
    red = car("Red", 20.0, 12.0)
    others = [car(f"C{k}", x, y) for k, (x, y) in enumerate(places)]
    if any(o.region.polygon.distance(red.region.polygon) < 0.01 for o in others):
        return
    table = highway(red, *others)
    should = put(table, "Red", along, left).should
    there: list[Standing] = [replace(red, pose=should)]
    again = rule_move(table, "Red", there, 0.0)
    assert all(c.margin > -2e-3 for c in again.ruling.checks), again.ruling.checks


@given(along=st.floats(-8, 8), left=st.floats(-1.3, 1.3), places=st.lists(
    st.tuples(st.floats(8, 32), st.floats(8, 16), st.floats(-5, 5)), max_size=5))  # fmt: skip
def test_a_mirrored_road_gives_the_same_answer(
    along: float, left: float, places: list[tuple[float, float, float]]
) -> None:
    def road(sign: float) -> TableState:
        others = [car(f"C{k}", x, 12 + sign * (y - 12), sign * a) for k, (x, y, a) in enumerate(places)]
        return highway(car("Red", 20.0, 12.0), *others)

    one, other = put(road(1.0), "Red", along, left), put(road(-1.0), "Red", along, -left)
    for a, b in zip(one.ruling.checks, other.ruling.checks, strict=True):
        assert (a.name, a.margin) == (b.name, pytest.approx(b.margin, abs=5e-3))


RED = car("Red", 20.0, 12.0)


@pytest.mark.parametrize(
    ("section", "x", "y"),
    [(1, 24.5, 11.0), (2, 20.0, 10.0), (3, 15.5, 11.0), (4, 15.5, 13.0), (5, 20.0, 14.0), (6, 24.5, 13.0)],
)
def test_lost_control_goes_to_the_farthest_edge_of_the_section(section: int, x: float, y: float) -> None:
    gone = lost_control(highway(RED), "Red", ROAD, section)
    assert gone.pose == Pose(x, y)
    assert (gone.gone, gone.met) == (gone.full, None)


def test_lost_control_is_stopped_by_what_it_meets_first() -> None:
    table = highway(RED, car("Blue", 24.0, 11.5), car("Green", 27.0, 11.0))
    gone = lost_control(table, "Red", ROAD, 1)
    assert gone.met is not None
    assert (gone.met.other, gone.met.side, gone.met.other_side) == ("Blue", Side.FRONT, Side.REAR)
    there = highway(replace(RED, pose=gone.pose), car("Blue", 24.0, 11.5))
    gap = there.find("Red").region.polygon.distance(there.find("Blue").region.polygon)
    assert gap == pytest.approx(0.0, abs=1e-6)


def test_falling_back_a_section_or_to_the_first_contact() -> None:
    assert fall_back(highway(RED), "Red", ROAD).pose == Pose(17.0, 12.0)
    gone = fall_back(highway(RED, car("Blue", 16.0, 12.4)), "Red", ROAD)
    assert gone.gone == pytest.approx(20.0 - 16.0 - 2.95)
    assert gone.met is not None
    assert (gone.met.other, gone.met.side, gone.met.other_side) == ("Blue", Side.REAR, Side.FRONT)
    edge = fall_back(highway(car("Red", 3.0, 12.0)), "Red", ROAD)
    assert edge.at_edge
    assert edge.pose.x == pytest.approx(2.95 / 2)


def test_a_rig_falls_back_with_its_trailer_which_meets_first() -> None:
    gone = fall_back(highway(rig("Hauler", 24.0, 12.0), car("Blue", 14.0, 12.0)), "Hauler", ROAD)
    assert [name for name, _ in gone.poses] == ["Hauler", "Hauler trailer"]
    assert gone.met is not None
    assert (gone.met.other, gone.met.body) == ("Blue", "Hauler trailer")


def test_how_far_a_nudge_may_move_the_other() -> None:
    """ "move them within one section of the movement template, on 2, two sections and on 3+, three"."""
    for kind, lengths in (("Car", (1, 2, 3)), ("Rig", (1, 2, 2))):
        for sections, rows in enumerate(lengths, start=1):
            match = begun(piece("Red 1"), piece("Blue 1", kind))
            match.overrule(("duties",), [{"kind": "nudged", "vehicle": "Blue 1", "citation": "", "by": "Red",
                           "sections": sections}], "nudged")  # fmt: skip
            assert rows_of(match.state, "Blue 1") == rows, "a Rig stays within its own box"


def test_who_is_on_the_line_behind_a_wreck() -> None:
    table = highway(
        car("Wreck", 30.0, 12.0), car("Red", 24.0, 12.4), car("Blue", 12.0, 11.5), car("Aside", 20.0, 14.0),
        car("Ahead", 40.0, 12.0), car("Close", 16.0, 13.2, sd=0.05),
    )  # fmt: skip
    found = {t.name: t for t in behind_wreck(table, "Wreck", ROAD)}
    assert list(found) == ["Red", "Close", "Blue"]
    assert found["Red"].overlap.value == pytest.approx(0.8)
    assert found["Close"].overlap.verdict() is Verdict.TOO_CLOSE
    left, right = found["Red"].veers
    assert left.pose.y - 0.6 == pytest.approx(12.6 + 0.02)
    assert right.pose.y + 0.6 == pytest.approx(11.4 - 0.02)


def test_edges_are_reached_or_too_close_to_call() -> None:
    front = car("Red", 48.0 - 2.95 / 2, 12.0, sd=0.02)
    assert to_front_edge(highway(front), "Red", ROAD).verdict() is Verdict.YES
    assert to_front_edge(highway(RED), "Red", ROAD).verdict() is Verdict.NO
    assert to_back_edge(highway(rig("Hauler", 7.4, 12.0)), "Hauler", ROAD).verdict() is Verdict.NO
    assert to_back_edge(highway(car("Red", 1.5, 12.0)), "Red", ROAD).verdict() is Verdict.YES


def test_the_fleet_goes_back_by_one_length_and_about_the_middle() -> None:
    table = highway(car("Red", 46.0, 12.0), car("Blue", 34.0, 8.0), rig("Hauler", 36.0, 16.0))
    names = ("Red", "Blue", "Hauler")
    length = centring_shift(table, names, ROAD)
    new = shifted_fleet(table, names, ROAD, length)
    for gone in new:
        for name, pose in gone.poses:
            assert pose.x == pytest.approx(table.find(name).pose.x - length)
    ends = [
        x
        for g in new
        for n, p in g.poses
        for x in p.to_table(table.find(n).piece.body.footprint.outline)[:, 0]
    ]
    assert (min(ends) + max(ends)) / 2 == pytest.approx(24.0, abs=0.01)


def test_who_would_go_over_the_back_edge_is_left_against_it_and_holds_up_whoever_follows() -> None:
    table = highway(car("Red", 46.0, 12.0), car("Blue", 3.0, 12.0), car("Green", 6.5, 12.0))
    red, blue, green = shifted_fleet(table, ("Red", "Blue", "Green"), ROAD, 6.0)
    assert (red.pose.x, red.at_edge) == (40.0, False)
    assert blue.at_edge
    assert blue.pose.x == pytest.approx(2.95 / 2)
    assert green.pose.x == pytest.approx(2.95 * 1.5)
    assert green.met is not None


def test_a_car_beside_a_trailer_and_behind_its_tractor_goes_back_as_far_as_all() -> None:
    """ "move all vehicles back an equal distance (maintaining their respective positions)"."""
    tractor, trailer = rig("Hauler", 30.0, 13.0)
    # The trailer hangs an inch aside, so that Red stands beside it, behind a corner of the tractor.
    long = (tractor, replace(trailer, pose=Pose(26.2, 14.0)))
    moved = shifted_fleet(highway(long, car("Red", 25.5, 12.2)), ("Hauler", "Red"), ROAD, 9.0)
    assert [gone.gone for gone in moved] == [9.0, 9.0]
    assert [gone.met for gone in moved] == [None, None]


@given(st.lists(st.tuples(st.floats(3, 45), st.floats(2, 22)), min_size=2, max_size=8), st.floats(3, 40))
def test_after_a_shift_nobody_stands_on_another(places: list[tuple[float, float]], length: float) -> None:
    cars = []
    for k, (x, y) in enumerate(places):
        new = car(f"C{k}", x, y)
        if all(new.region.polygon.distance(c.region.polygon) > 0.01 for c in cars):
            cars.append(new)
    table = highway(*cars)
    new = shifted_fleet(table, [c.name for c in cars], ROAD, length)
    there = [replace(c, pose=g.pose) for c, g in zip(cars, new, strict=True)]
    for k, one in enumerate(there):
        assert ROAD.along(one.region.outline).min() > -1e-6
        for other in there[k + 1 :]:
            assert one.region.polygon.intersection(other.region.polygon).area < 1e-6


def test_the_roads_frame_lies_still_while_the_table_rolls_over_it() -> None:
    table = highway(car("Red", 40.0, 12.0), car("Blue", 30.0, 9.0))
    before = [ROAD.travelled(table.find(n).pose) for n in ("Red", "Blue")]
    gone = shifted_fleet(table, ("Red", "Blue"), ROAD, 10.0)
    rolled = ROAD.shifted(10.0)
    assert [rolled.travelled(g.pose) for g in gone] == pytest.approx(before)


NOSE = 20.0 + 2.95 / 2


def test_the_bumper_is_at_the_rear_edge_or_at_the_front_edge() -> None:
    ahead = laid_at_bumper([car("Red", 20.0, 10.0)], 0.0, "rear").outline.polygon.bounds
    behind = laid_at_bumper([car("Red", 20.0, 10.0)], 0.0, "front").outline.polygon.bounds
    assert ahead == pytest.approx((NOSE, 8.0, NOSE + 9.0, 12.0))
    assert behind == pytest.approx((NOSE - 9.0, 8.0, NOSE, 12.0))


def test_a_vehicle_with_a_trailer_has_a_box_of_two_by_two_sections() -> None:
    vehicle = rig("Hauler", 20.0, 10.0)
    assert (template_rows([car("Red", 20.0, 10.0)]), template_rows(vehicle)) == (3, 2)
    template = laid_at_bumper(vehicle, 0.0, "rear")
    assert template.outline.polygon.bounds == pytest.approx((21.7, 8.0, 27.7, 12.0))
    assert template.numbers == ()


def test_sections_are_numbered_clockwise_from_the_upper_right_with_their_farthest_edges() -> None:
    # Seen in the direction of travel (to the right on the table) the upper right is ahead and to the right.
    template = Template(Pose(0.0, 0.0))
    middles = {n: template.section(n).polygon.centroid.coords[0] for n in template.numbers}
    where = {1: (7.5, -1), 2: (4.5, -1), 3: (1.5, -1), 4: (1.5, 1), 5: (4.5, 1), 6: (7.5, 1)}
    assert middles == {n: pytest.approx(at) for n, at in where.items()}
    assert all(template.section(n).area == pytest.approx(6.0) for n in template.numbers)
    # The farthest edge is the end or the outer side.
    edges = {n: template.farthest_edge(n).tolist() for n in template.numbers}
    assert edges == {1: [9, -1], 2: [4.5, -2], 3: [0, -1], 4: [0, 1], 5: [4.5, 2], 6: [9, 1]}
    with pytest.raises(TableRefError, match="from 1 to 6"):
        template.farthest_edge(7)


def test_it_is_centred_over_the_whole_vehicle() -> None:
    assert centred_over([car("Red", 20.0, 10.0)], 0.0).rear == Pose(15.5, 10.0)
    vehicle = rig("Hauler", 20.0, 10.0)
    low, high = vehicle[1].region.outline[:, 0].min(), vehicle[0].region.outline[:, 0].max()
    assert centred_over(vehicle, 0.0).rear.x + 4.5 == pytest.approx((low + high) / 2)


def test_it_lies_along_the_road_whichever_way_that_runs() -> None:
    up = car("Red", 10.0, 20.0, 90.0)
    template = laid_at_bumper([up], math.pi / 2, "rear")
    assert template.section(1).polygon.bounds == pytest.approx((10.0, NOSE + 6.0, 12.0, NOSE + 9.0))
    assert bumper(up)[0].tolist() == pytest.approx([10.6, NOSE])


def test_pushes_nudges_and_rams_are_ruled_right_and_never_confidently_wrong() -> None:
    tally = Tally()
    for seed in range(30):
        tally.add(shove(seed))
    found = tally.record()
    assert found["confidently_wrong"] == 0, tally.wrong
    assert found["answers_beyond_deviation"] > 150
    assert found["right_of_those"] >= 0.99
    assert found["moves_beyond_deviation"] > 15
    assert found["ruled_right_of_those"] >= 0.95
    assert 0 < found["truly_legal"] < 30


@pytest.mark.parametrize(("x", "section", "edge"), [(43.0, 1, "front"), (5.0, 3, "back")])
def test_lost_control_onto_an_edge_shifts_the_fleet_or_leaves_a_last_chance(x, section, edge) -> None:  # type: ignore[no-untyped-def]
    """ "If a vehicle reaches the front edge of the play space"; "(whether through movement or …)"."""
    hands = road_match(Red_1=(x, 12.0), Blue_1=(25.0, 4.0))
    hands.do("move", (1, section), vehicle="Red 1")
    (ghost,) = GAME.ghosts(hands.match.state, hands.seen)
    assert ghost.pose is not None
    assert hands.option("placed").form.fields["edge"].usual == edge
    hands.put("Red 1", ghost.pose)
    hands.do("placed", vehicle="Red 1", duty="lost")
    if edge == "front":
        assert [d.kind for d in hands.match.state.duties] == ["shift"]
    else:
        assert hands.match.state.vehicle("Red 1").status == "behind"


def test_a_nudge_needs_the_side_that_can_meet_the_other() -> None:
    """ "declare how they are Nudging them, such as I'm going to nudge their Left Side with my Right side"."""
    # Too far ahead to drive past it and fall back against it.
    hands = road_match(Blue_1=(31.0, 12.2))
    hands.do("move", (3,), vehicle="Red 1")
    assert hands.against("nudge", vehicle="Red 1", targets=["Blue 1"], side="front") == []
    (wrong,) = hands.against("nudge", vehicle="Red 1", targets=["Blue 1"], side="rear")
    assert wrong.startswith("Red 1 meets Blue 1 with its ")
    assert wrong.endswith("not its rear")


def test_a_rigs_one_roll_is_for_those_on_one_side() -> None:
    """ "physically position the rig in a way to logically touch all the vehicles"."""
    hands = rig_match()
    hands.do("move", (3,), vehicle="Red 1")
    both = {"vehicle": "Red 1", "targets": ["Blue 1", "Blue 2"]}
    assert hands.against("nudge", **both, side="left") == []
    hands.put("Blue 1", (17.0, 9.9, 0.0))
    hands.moves = {}
    assert any("Blue 1" in words for words in hands.against("nudge", **both, side="left"))


def test_a_rig_nudges_who_stands_back_a_little_from_the_others_with_them() -> None:
    """ "they can Nudge all of them with one Nudge roll", where it meets none of them alone."""
    match = begun(piece("Red 1", "Rig"), piece("Blue 1"), piece("Blue 2"))
    others = (car("Blue 1", 14.77, 9.64, sd=0.01), car("Blue 2", 19.5, 9.74, sd=0.01))
    hands = Hands(match, rig("Red 1", 24.0, 12.0, sd=0.01), *others)
    hands.do("move", (3,), vehicle="Red 1")
    both = {"vehicle": "Red 1", "targets": ["Blue 1", "Blue 2"]}
    assert hands.against("nudge", **both, side="right") == []
    assert hands.against("nudge", **both, side="left") != []


def test_the_box_follows_the_class_also_of_a_rig_on_one_toy() -> None:
    """ "Rigs move the same except that the front bumper has to stay … within a 2x2 template section box"."""
    match = begun(piece("Red 1", "Rig"), piece("Blue 1"))
    hands = Hands(match, car("Red 1", 20.0, 12.0, sd=0.02), car("Blue 1", 20.0, 20.0, sd=0.02))
    hands.do("move", (3,), vehicle="Red 1")
    far = hands.push("Red 1", 7.5, 0.0)
    assert any("outside the template" in words for words in hands.against("moved", vehicle="Red 1", move=far))
    assert class_rows(match.state, "Red 1") == 2
    assert (class_rows(match.state, "Blue 1"), class_rows(None, "Blue 1")) == (3, None)
    alone = match.state.with_vehicle("Red 1", trailer=None)
    assert class_rows(alone, "Red 1") == 2, "a tractor without its trailer is a Rig all the same"


def test_a_hidden_buggy_is_put_down_facing_the_road_near_its_rig() -> None:
    match = begun(piece("Red 1", "Rig"), piece("Red 2", "Buggy", hidden_in="Red 1"), piece("Blue 1"))
    hands = Hands(match, rig("Red 1", 24.0, 12.0, sd=SD), car("Blue 1", 40.0, 20.0, sd=SD),
                  car("Red 2", 15.0, 12.0, sd=SD, model="buggy"))  # fmt: skip
    hands.do("launch", (3,), vehicle="Red 2", rig="Red 1")
    assert hands.against("placed", vehicle="Red 2", duty="deployed") == []
    hands.put("Red 2", (15.0, 12.0, math.pi / 2))
    assert any(
        "off the road's direction" in w for w in hands.against("placed", vehicle="Red 2", duty="deployed")
    )
    hands.put("Red 2", (4.0, 12.0, 0.0))
    assert any("from Red 1, of 3 in" in w for w in hands.against("placed", vehicle="Red 2", duty="deployed"))
    assert hands.option("placed").form.fields["edge"].usual == "none"
    # "If a vehicle reaches the back edge of the play space (whether through movement or …)".
    hands.put("Red 2", (1.3, 12.0, 0.0))
    assert hands.option("placed").form.fields["edge"].usual == "back"


def test_the_fleet_is_moved_back_though_somebody_stands_against_the_back_edge_already() -> None:
    """ "If a vehicle reaches the back edge of the play space … it is left against the back edge"."""
    hands = road_match(Red_1=(43.0, 12.0), Blue_1=(1.6, 4.0), Blue_2=(4.0, 20.0))
    hands.match.overrule(("vehicles", "Blue 1", "status"), "behind", "it fell back")
    hands.do("move", (1, 1), vehicle="Red 1")
    hands.put("Red 1", GAME.ghosts(hands.match.state, hands.seen)[0].pose)
    hands.do("placed", vehicle="Red 1", duty="lost")
    for ghost in GAME.ghosts(hands.match.state, hands.seen):
        hands.put(ghost.piece, ghost.pose)
    hands.do("shifted")
    assert {hands.match.state.vehicle(f"Blue {k}").status for k in (1, 2)} == {"behind"}


def test_whoever_is_left_against_the_back_edge_stays_on_the_road_until_the_last_chance_is_gone() -> None:
    """ "it is left against the back edge"; "On a failed move … move it off the play area"."""
    match = begun(piece("Red 1"), piece("Blue 1"), piece("Blue 2"))
    match.overrule(("vehicles", "Red 1", "status"), "behind", "it fell back")
    assert GAME.removed(match.state) == ()
    new_turns(match)
    do(match, "move", (2,), vehicle="Red 1")
    assert GAME.removed(match.state) == ("Red 1",)


def new_turns(match) -> None:  # type: ignore[no-untyped-def]
    """The round is played to its end, and the next one begins with Red's."""
    for _ in range(3):
        do(match, "done")
    new_round(match)


def test_while_vehicles_are_put_down_the_table_shows_which_way_the_road_goes() -> None:
    pieces = (piece("Red 1"), piece("Blue 1"))
    given = {"players": ["Red", "Blue"], "pieces": pieces, "deployment": "anywhere", "points": 500}
    match = Match.begin(GAME, given)
    empty = TableState.of(SURFACE, ())
    assert GAME.marks(match.state, empty, ANYBODY) == (), "first it is rolled for who begins"
    do(match, "first", (6, 5))
    room, arrow = GAME.marks(match.state, empty, ANYBODY)
    road = road_of(match.state, empty)
    along = road.frame.inverse().to_table(room.points)[:, 0]
    assert max(along) == pytest.approx(road.length - match.state.house.front_room)
    # It grows thin ahead, and stands in the part where nobody may be put down.
    tip = max(arrow.points, key=lambda at: at[0])
    assert tip[1] == pytest.approx(road.width / 2)
    assert min(x for x, _ in arrow.points) >= max(along)
    assert GAME.marks(road_match().match.state, road_match().table, ANYBODY)[0].role == "current"
