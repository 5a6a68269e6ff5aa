"""Turns on a table with nothing typed but dice: moves, nudges, Rams, Lost Control, the fleet's shift."""

from __future__ import annotations

import pytest

from engine.game.contract import NOTHING_SEEN, Question
from engine.game.events import Action
from engine.game.forms import PickPieces
from engine.game.showing import Viewer
from engine.games.shattered_highways.game import GAME
from engine.ruling import Verdict
from engine.space.table import Status
from tests.engine.games.shattered_highways.playing import told
from tests.engine.games.shattered_highways.table.hands import Hands, rig_match, road_match

ANYBODY = Viewer()


def guide(hands: Hands):  # type: ignore[no-untyped-def]
    """What the screen shows of the one vehicle that is awaited."""
    awaited = GAME.awaits(hands.match.state)[0]
    moves = [m for m in hands.moves.values() if m.piece == awaited.piece]
    return GAME.guide(hands.match.state, awaited, moves[-1] if moves else None, hands.table)


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


def test_a_move_that_is_known_no_more_is_refused() -> None:
    hands = road_match()
    hands.do("move", (3,), vehicle="Red 1")
    hands.push("Red 1", 4.0, -1.2)
    assert hands.against("moved", vehicle="Red 1", move="m9") == [
        "that move of Red 1 is not known any more: it was moved on, put back, or taken already. "
        "Look again, and take it as it stands now"
    ]


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


def test_a_ram_needs_the_contact_and_the_side() -> None:
    hands = road_match()
    hands.do("move", (3,), vehicle="Red 1")
    # Nothing is rammed from afar, whether the hand has moved or not.
    (away,) = hands.against("ram", vehicle="Red 1", targets=["Blue 1"], side="front")
    assert away == "it does not stand against Blue 1"
    move = hands.push("Red 1", 6.0 - 2.95, 0.0)
    unsaid = Action("ram", "Ann", {"vehicle": "Red 1", "targets": ["Blue 1"], "side": "front"})
    assert GAME.measured(hands.match.state, unsaid, hands.seen) is False
    assert {one.kind for one in GAME.awaits(hands.match.state)} == {"moved", "ram"}
    ram = hands.option("ram").form.fields
    assert (ram["targets"].usual, ram["side"].usual) == (["Blue 1"], "front")
    assert "It stands against Blue 1, its front against the rear." in guide(hands).facts
    wrong = hands.against("ram", vehicle="Red 1", targets=["Blue 1"], side="left", move=move)
    assert wrong == ["Red 1 meets Blue 1 with its front, not its left"]
    events = hands.do("ram", (5, 2, 4), vehicle="Red 1", targets=["Blue 1"], side="front", move=move)
    assert told(events, "ram")[0]["won"]


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


def test_whoever_is_straight_behind_strikes_with_the_front_unless_it_is_said_otherwise() -> None:
    hands = rig_match()
    hands.put("Blue 1", (5.0, 20.0, 0.0))
    hands.put("Blue 2", (31.0, 12.0, 0.0))
    hands.moves = {}
    hands.do("move", (3,), vehicle="Red 1")
    for kind in ("nudge", "ram"):
        fields = hands.option(kind).form.fields
        assert (fields["targets"].usual, fields["side"].usual) == (["Blue 2"], "front"), kind


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
    assert labels == ["Board", "Hero's weapon", *["Machine Gun"] * 4, "Contact", "Move"]
    for question in GAME.questions(hands.match.state, ("Red 1", "Blue 1")):
        if not question.missing:
            assert GAME.rule(hands.match.state, question, hands.table).checks
        assert GAME.reach(hands.match.state, question, hands.table) or question.kind == "touch"
    board = Question("boarding", "", ("Red 1", "Blue 1"))
    assert GAME.rule(None, board, hands.table).check("Boarding").verdict is Verdict.YES


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
