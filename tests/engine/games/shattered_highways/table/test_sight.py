"""What the table says while the game is played: who is near enough, ghosts, the screen of whoever moves."""

from __future__ import annotations

import pytest

from engine.game.contract import Seen
from engine.space.hand_made import table_of
from tests.engine.games.shattered_highways.playing import GAME, begun, do, driven, offered, piece


def road(**at):
    """A road to the right, 48 by 24 inches: cars by name, with x and y, facing along it."""
    return table_of({n.replace("_", " "): ("sedan", *xy) for n, xy in at.items()}, size=(48, 24))


def candidate(match, table, kind, field, value):
    option = next(o for o in match.options(table) if o.kind == kind)
    return next(c for c in option.form.fields[field].candidates if c.value == value)


def test_a_weapon_shoots_forward_within_six_inches():
    match = begun(piece("Red 1"), piece("Blue 1"), piece("Blue 2"), piece("Blue 3"))
    table = road(Red_1=(20, 12), Blue_1=(26, 12), Blue_2=(14, 12), Blue_3=(40, 12))
    against = {n: candidate(match, table, "shoot", "to", n).not_now for n in ("Blue 1", "Blue 2", "Blue 3")}
    assert against["Blue 1"] == ()
    assert "outside the arc" in against["Blue 2"][0].words
    assert len(against["Blue 3"]) == 1


def test_without_a_camera_everybody_may_be_boarded():
    match = begun()
    assert all(not c.not_now for c in offered(match, "board")[0].form.fields["to"].candidates)


def test_an_unmanned_vehicle_has_its_ghost_a_section_back():
    match = begun()
    table = road(Red_1=(20, 12), Blue_1=(40, 12))
    match.overrule(("warriors", "Red's hero", "out"), True, "shot")
    do(match, "done", table=table)
    (ghost,) = GAME.ghosts(match.state, Seen(table))
    assert ghost.pose == pytest.approx((17.0, 12.0, 0.0))


def test_the_fleet_is_moved_back_each_to_its_ghost():
    match = begun()
    table = road(Red_1=(46.5, 12), Blue_1=(36, 6))
    driven(match, "Red 1")
    do(match, "moved", vehicle="Red 1", edge="front", table=table)
    ghosts = {g.piece: g for g in GAME.ghosts(match.state, Seen(table))}
    inches = match.state.duties[0].inches
    assert ghosts["Red 1"].pose[0] == pytest.approx(46.5 - inches)
    assert ghosts["Blue 1"].pose[0] == pytest.approx(36 - inches)
    assert {g.right for g in ghosts.values()} == {False}
