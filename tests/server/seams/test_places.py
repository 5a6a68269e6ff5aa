"""Where things stand, over the seams: what a rule moves, what nobody saw, what is taken off the table."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.game.contract import Seen
from engine.game.dice import TypedDice
from engine.game.events import Action
from engine.games.shattered_highways.game import GAME as HIGHWAYS
from engine.measure.sweep import Straight
from engine.ruling import Verdict
from engine.space.geometry import Pose
from engine.space.table import Status, TableState
from tests.engine.games.shattered_highways.table.hands import Hands, road_match
from tests.engine.games.white_line_fever.contract.test_guide import choosing, moved
from tests.engine.games.white_line_fever.playing import GAME, begun, do, drive, sheet
from tests.engine.tables import block, car, table

# A sure *In place* of what nobody saw


def collided(*, covered: Status | None):
    """Red 1 has driven into a crate, and the move is taken while a hand lies over the car, or it is gone."""
    match, rock = choosing(6), block("Crate", 25.0, 20, 2, 6)
    move = moved(Straight(2.6), others=(rock,))
    now = move.after if covered is None else replace(move.after, status=covered)
    seen = Seen(TableState.of(table().surface, [now, rock]), {move.id: move})
    match.do(Action("move", "Red", {"car": "Red 1", "move": move.id}), seen, TypedDice([2]))
    assert match.state.duties[0].kind == "spin"
    return match, move, rock


@pytest.mark.parametrize("covered", [None, Status.HELD, Status.LOST])
def test_a_car_under_a_hand_is_turned_round_where_its_move_came_to_rest(covered) -> None:
    match, move, rock = collided(covered=covered)
    rest = move.after.pose
    target = match.state.duties[0].target
    assert target is not None
    assert target[:2] == pytest.approx(rest.xy, abs=0.05)
    aside = TableState.of(table().surface, [replace(move.after, pose=Pose(rest.x, rest.y - 6.0)), rock])
    (awaited,) = GAME.awaits(match.state)
    put_down = moved(Straight(0.2), start=Pose(rest.x, rest.y - 6.0))
    guide = GAME.guide(match.state, awaited, put_down, aside)
    assert (guide.headline, guide.verdict) == ("Not there yet", Verdict.NO)
    assert match.check(Action("placed", None, {"car": "Red 1"}), aside)


def spun_unseen():
    """Blue 1 was hit by what turns it round while it was nowhere to be seen."""
    match = begun(sheet("Red 1", "Red", secondary="Long Horn"), sheet("Blue 1", "Blue"))
    drive(match, "Red 1")
    gone = table(car("Red 1", 10, 10), car("Blue 1", 20, 10, status=Status.LOST))
    do(match, "shoot", (8,), table=gone, weapon="Long Horn", target="Blue 1", band="short", ruled="yes")
    assert match.state.duties[0].target is None
    return match


def test_what_nobody_saw_is_never_in_place() -> None:
    match = spun_unseen()
    stood = table(car("Red 1", 10, 10), car("Blue 1", 26, 16, 77))
    (awaited,) = GAME.awaits(match.state)
    guide = GAME.guide(match.state, awaited, moved(Straight(0.2), name="Blue 1"), stood)
    assert (guide.headline, guide.verdict, guide.take) == ("Not measured", Verdict.TOO_CLOSE, "")
    placed = Action("placed", "Blue", {"car": "Blue 1"})
    assert GAME.measured(match.state, placed, Seen(stood)) is False
    assert [ghost.right for ghost in GAME.ghosts(match.state, Seen(stood))] == [None]
    events = match.do(placed, stood)
    assert not any(event.measured for event in events)


def out_of_control(*, lost: bool) -> Hands:
    """Red 1 has lost control, while it was seen or not."""
    hands = road_match(Blue_1=(40.0, 4.0))
    if lost:
        hands.cover("Red 1", Status.LOST)
    hands.do("move", (1, 1), vehicle="Red 1")
    hands.cover("Red 1", Status.STILL)
    return hands


def test_a_vehicle_that_lost_control_unseen_stands_nowhere_for_sure() -> None:
    action = Action("placed", None, {"vehicle": "Red 1", "duty": "lost"})
    for lost in (False, True):
        hands = out_of_control(lost=lost)
        (ghost,) = HIGHWAYS.ghosts(hands.match.state, hands.seen)
        assert (ghost.pose is None) is lost
        goal = ghost.pose or (30.0, 12.0, 0.0)
        hands.put("Red 1", goal)
        (awaited,) = HIGHWAYS.awaits(hands.match.state)
        (move,) = hands.moves.values()
        guide = HIGHWAYS.guide(hands.match.state, awaited, move, hands.table)
        told = (
            ("Not measured", Verdict.TOO_CLOSE, "")
            if lost
            else ("It stands right", Verdict.YES, "It stands there")
        )
        assert (guide.headline, guide.verdict, guide.take) == told
        assert HIGHWAYS.measured(hands.match.state, action, hands.seen) is not lost


def test_a_nudged_vehicle_that_was_moved_is_taken_by_its_move_alone() -> None:
    hands = road_match()
    hands.do("move", (3,), vehicle="Red 1")
    hands.do("nudge", (5, 3), vehicle="Red 1", targets=["Blue 1"], side="front")
    unsaid = Action("placed", None, {"vehicle": "Blue 1", "duty": "nudged"})
    # It may stay where it stands, and that is seen; once it was moved the move has to be named.
    assert HIGHWAYS.measured(hands.match.state, unsaid, hands.seen) is True
    hands.push("Blue 1", 7.0, 0.0)
    assert HIGHWAYS.measured(hands.match.state, unsaid, hands.seen) is False
