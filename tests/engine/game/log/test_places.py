"""Where pieces have to stand: after an undo, out of turn, after a restart; and what lets them stay."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from engine.errors import TableRefError
from engine.game.contract import Seen
from engine.game.dice import TypedDice
from engine.game.events import Action, Illegal
from engine.game.log.places import Place, in_place
from engine.game.log.saving import load, save
from engine.game.match import Match
from engine.motion.moves import Move
from engine.space.geometry import Pose
from engine.space.table import PoseUncertainty, Standing, Status, TableState
from tests.engine.games.white_line_fever.playing import begun, sheet
from tests.engine.tables import block, car, table

CARS = (sheet("Red 1", "Red"), sheet("Red 2", "Red"), sheet("Blue 1", "Blue"))
START = {"Red 1": (8.0, 8.0, 0.0), "Red 2": (8.0, 14.0, 0.0), "Blue 1": (40.0, 8.0, 180.0)}


def at(**poses: tuple[float, float, float]) -> TableState:
    """The table with these cars elsewhere than at their start; `Red_1` is Red 1."""
    stand = START | {name.replace("_", " "): pose for name, pose in poses.items()}
    return table(*(car(name, *pose) for name, pose in stand.items()), block("Rock", 24.0, 24.0, 2.0, 2.0))


def done(match: Match, kind: str, seen: TableState | Seen, dice: tuple[int, ...] = (), **data):
    """An action as a host does it: proposed, its places noted, appended."""
    action = Action(kind, None, data)
    events = match.propose(action, seen, TypedDice(dice))
    return match.commit(match.with_places(events, seen))


def started() -> Match:
    """A match whose cars were deployed before the camera, and in which Red 1 was chosen."""
    match = begun(*CARS)
    for batch in range(3):
        match.undo()
        assert batch >= 0
    for name in ("Red 1", "Blue 1", "Red 2"):
        done(match, "deploy", at(), car=name, ruled="yes")
    done(match, "choose", at(), car="Red 1")
    return match


def driven() -> Match:
    match = started()
    done(match, "move", pushed(at(Red_1=(11.0, 8.0, 0.0))), car="Red 1")
    return match


def pushed(now: TableState) -> Seen:
    """That table, and the move of Red 1 that was seen, from its start."""
    return Seen(now, {"m": Move("m", "Red 1", at(), now.find("Red 1"), 0.0, 1.0)})


def astray(match: Match, seen: TableState) -> dict[str, str]:
    return {stray.piece: stray.words for stray in match.strays(seen)}


def test_what_was_driven_stands_where_it_has_to():
    match = driven()
    assert astray(match, at(Red_1=(11.0, 8.0, 0.0))) == {}
    assert astray(match, at()) == {"Red 1": "Red 1 stands 3.0 in from its place"}


def test_after_an_undo_it_has_to_go_back_and_its_wrong_place_is_no_start():
    match = driven()
    match.undo()
    wrong, back = at(Red_1=(11.0, 8.0, 0.0)), at()
    assert astray(match, wrong) == {"Red 1": "Red 1 stands 3.0 in from its place"}
    (ghost,) = [stray.ghost for stray in match.strays(wrong)]
    assert ghost.pose == pytest.approx((8.0, 8.0, 0.0))
    for said in ({"car": "Red 1"}, {"car": "Red 1", "steps": [{"kind": "straight", "ahead": 3.0}]}):
        with pytest.raises(Illegal, match="put it back first"):
            done(match, "move", wrong, **said)
    (move,) = [o for o in match.options(wrong) if o.kind == "move"]
    assert "put it back first" in move.not_now[0].words
    assert astray(match, back) == {}
    done(match, "move", back, car="Red 1")


def test_redo_leads_forward_again():
    match = driven()
    match.undo()
    match.redo()
    assert astray(match, at(Red_1=(11.0, 8.0, 0.0))) == {}
    assert list(astray(match, at())) == ["Red 1"]


def test_a_decision_that_takes_it_back_leads_back_too():
    match = driven()
    match.decide("It is taken back", match.count - 1)
    assert list(astray(match, at(Red_1=(11.0, 8.0, 0.0)))) == ["Red 1"]


def test_after_a_restart_the_same_is_astray():
    match = driven()
    again = load(save(match))
    assert again.places == match.places
    assert list(astray(again, at())) == ["Red 1"]
    match.undo()
    assert list(astray(load(save(match)), at(Red_1=(11.0, 8.0, 0.0)))) == ["Red 1"]


def test_what_moves_out_of_turn_is_told_and_no_action_takes_it_over():
    match = started()
    nudged = at(Red_1=(11.0, 8.0, 0.0), Blue_1=(40.0, 10.0, 90.0), Red_2=(8.0, 14.2, 0.0))
    done(match, "move", pushed(nudged), car="Red 1")
    done(match, "end", nudged)
    # Two tenths of an inch are a hand's trembling.
    assert astray(match, nudged) == {"Blue 1": "Blue 1 stands 2.0 in and 90° from its place"}
    with pytest.raises(Illegal, match=r"Blue 1 stands .* put it back first"):
        done(match, "move", nudged, car="Blue 1")


def test_a_car_that_was_pushed_before_another_was_chosen_has_to_go_back():
    match = started()
    done(match, "choose", at(Red_1=(11.0, 8.0, 0.0)), car="Red 2")
    assert list(astray(match, at(Red_1=(11.0, 8.0, 0.0)))) == ["Red 1"]


def test_terrain_and_tokens_are_told_too():
    match = driven()
    here = at(Red_1=(11.0, 8.0, 0.0))
    moved = replace(
        here, standings=(*here.standings[:-1], replace(here.standings[-1], pose=Pose(24.0, 27.0, 0.0)))
    )
    assert astray(match, moved) == {"Rock": "Rock stands 3.0 in from its place"}


@pytest.mark.parametrize("status", [Status.HELD, Status.MOVING, Status.LOST])
def test_what_is_under_a_hand_or_out_of_sight_is_not_told(status: Status):
    match = driven()
    here = at()
    one = replace(here.standings[0], status=status)
    assert astray(match, replace(here, standings=(one, *here.standings[1:]))) == {}


def test_a_move_that_is_not_taken_yet_is_no_stray():
    match = started()
    assert match.strays(pushed(at(Red_1=(11.0, 8.0, 0.0)))) == ()


def test_the_players_let_it_stay_and_the_log_names_it():
    match = driven()
    match.undo()
    wrong = at(Red_1=(11.0, 8.0, 0.0))
    match.commit((match.stays_event(["Red 1"], wrong, "Blue"),))
    assert match.log[-1].words == "Blue lets stay where it stands: Red 1, 3.0 in from its place"
    assert astray(match, wrong) == {}
    assert astray(load(save(match)), wrong) == {}
    done(match, "move", wrong, car="Red 1")
    match.undo()
    match.undo()
    assert list(astray(match, wrong)) == ["Red 1"]
    for names in (["Blue 1"], ["nobody"], []):
        with pytest.raises(TableRefError, match="expected pieces that stand elsewhere"):
            match.stays_event(names, wrong)


def test_many_small_nudges_are_one_large_one():
    match = driven()
    told = []
    for inches in (0.2, 0.4):
        nudged = at(Red_1=(11.0, 8.0, 0.0), Blue_1=(40.0, 8.0 + inches, 180.0))
        done(match, "end", nudged)
        match.undo()
        told.append(list(astray(match, nudged)))
    assert told == [[], ["Blue 1"]]


def test_doubt_tells_nothing():
    place = Place(10.0, 10.0, 0.0)
    one = car("Red 1", 10.4, 10.0)
    assert not in_place(place, one)
    doubtful = Standing(one.piece, one.pose, PoseUncertainty.isotropic(0.1, 0.01))
    assert in_place(place, doubtful)
    free = Place(10.0, 10.0, 0.0, free=math.pi / 2)
    assert in_place(free, car("Red 1", 10.0, 10.0, 90.0))
    assert not in_place(free, car("Red 1", 10.0, 10.0, 120.0))


def test_done_again_by_todays_rules_the_places_are_those_that_were_seen():
    match = driven()
    again = Match.again(match.game, match.log)
    assert again.places == match.places
