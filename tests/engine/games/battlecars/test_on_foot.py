"""Drivers on foot: by the book, and their figures on the table, with the way that was seen of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from engine.game.contract import Seen
from engine.game.events import Action
from engine.game.log.places import Place, strays
from engine.game.showing import Guide, Viewer
from engine.games.battlecars.rules.damage import kill
from engine.games.battlecars.state import EVENTS, GameState
from engine.motion.moves import Move, Read
from engine.ruling import Verdict
from engine.space.catalogue import cylinder
from engine.space.geometry import Pose
from engine.space.table import Status
from tests.engine.games.battlecars.hands import after, ghost, looked, option, thing, words
from tests.engine.games.battlecars.playing import GAME, act, here, one, played, reasons, standing


def at(state: GameState, cell: tuple[int, int]) -> int:
    """The number of a point."""
    return state.board.cells.index(cell)


def out(state: GameState, name: str, cell: tuple[int, int] = (5, 5), **more) -> GameState:
    """The driver of a vehicle stands on a point."""
    person = {"vehicle": None, "cell": cell} | more
    return state.with_vehicle(name, driver=None).with_person(f"driver of {name}", **person)


def walking(cell: tuple[int, int] = (5, 5), stage: str = "move", **more) -> GameState:
    """Red's driver on foot, and a Van of Blue's at (7, 5)."""
    state = standing(("Red 1", "Saloon", (2, 2), 0, 0), ("Blue 1", "Van", (7, 5), 4, 0), stage=stage, **more)
    return out(state, "Red 1", cell)


def test_a_driver_gets_out_of_a_vehicle_that_stands_and_walks_two_points():
    moving, state = (
        standing(("Red 1", "Saloon", (2, 5), 0, speed), ("Blue 1", "Saloon", (9, 9), 4, 0))
        for speed in (2, 0)
    )
    assert "not to be done now" in reasons(moving, "leave")
    state, _ = act(state, "leave")
    assert here(state, "Red 1").driver is None
    assert state.person("driver of Red 1").cell == (2, 5)
    assert reasons(state, "walk", point=at(state, (5, 5))), "three points"
    state, _ = act(state, "walk", point=at(state, (4, 6)))
    assert state.person("driver of Red 1").cell == (4, 6)
    assert state.turn is not None
    assert state.turn.stage == "fire"


def test_a_vehicle_without_a_driver_is_taken_over_where_it_stands_and_can_move():
    near = walking((6, 5))
    assert reasons(near, "board", vehicle="Blue 1"), "Blue's driver sits in it"
    empty = near.with_vehicle("Blue 1", driver=None).with_person("driver of Blue 1", dead=True, vehicle=None)
    assert reasons(empty.with_vehicle("Blue 1", wreck=True), "board", vehicle="Blue 1")
    assert reasons(empty.with_vehicle("Blue 1", speed=1), "board", vehicle="Blue 1")
    assert reasons(walking((5, 5)), "board", vehicle="Blue 1")
    # Blue has another driver somewhere, so that the game is not over.
    state = empty.with_person("driver of Blue 1", dead=False, cell=(12, 12))
    state, _ = act(state, "board", vehicle="Blue 1")
    assert here(state, "Blue 1").driver == "driver of Red 1"
    assert state.person("driver of Red 1").vehicle == "Blue 1"


def test_a_drivers_points_are_boxes_beside_their_name():
    state = walking().with_person("driver of Blue 1", hits=1)
    widgets = {
        (sheet.piece, widget.words): widget
        for sheet in GAME.sheets(state, Viewer())
        for widget in sheet.widgets
    }
    assert widgets["Blue 1", "Driver"].text == "driver of Blue 1"
    assert [box.marked for box in widgets["Blue 1", "Driver's points"].boxes] == [True, False, False]
    assert (widgets["Red 1", "Driver"].text, ("Red 1", "Driver's points") in widgets) == ("nobody", False)


def test_a_hand_weapon_fires_any_way_and_has_few_rounds():
    state = walking((5, 5), "fire")
    shot = {"mount": "hand weapon", "weapon": "Machine-gun", "line": 0, "target": "Blue 1"}
    after, events = act(state, "fire", (1, 1), **shot, aim="front")
    assert one(events, "fired")["vehicle"] is None
    fired = next(event for event in events if event.kind == "fired")
    assert fired.pieces == ("driver of Red 1", "Blue 1"), "the attacker and the target"
    assert after.person("driver of Red 1").rounds == 2
    empty = state.with_person("driver of Red 1", rounds=0)
    assert "not to be done now" in reasons(empty, "fire", **shot)


def test_whose_driver_is_on_foot_has_their_vehicle_taken_off_too():
    """So *in play* is told of nothing that its player gave up; what another took over is theirs."""
    state = walking()
    told = GAME.concede(state, "Red")
    for event in told:
        state = EVENTS.apply(state, event)
    assert here(state, "Red 1").gone
    note = next(sheet.note for sheet in GAME.sheets(state, Viewer()) if sheet.piece == "Red 1")
    assert note == "taken off"
    taken = walking().with_vehicle("Red 1", driver="driver of Blue 1")
    assert not here(EVENTS.apply(taken, told[0]), "Red 1").gone
    wreck = walking().with_vehicle("Red 1", wreck=True)
    assert not here(EVENTS.apply(wreck, told[0]), "Red 1").gone, "it lies where it is"


def test_what_one_drives_is_no_target_and_ones_own_that_is_empty_or_a_wreck_comes_last():
    # North of the driver stands their own vehicle, east another of theirs, south Blue's.
    state = standing(
        ("Red 1", "Van", (5, 8), 0, 0), ("Red 2", "Van", (8, 5), 0, 0), ("Blue 1", "Van", (5, 2), 4, 0),
        stage="fire",
    )  # fmt: skip
    state = out(state, "Red 1")

    def targets(state: GameState) -> list[tuple[str, str]]:
        fires = (o for o in GAME.options(state, Seen()) if o.kind == "fire")
        return [(str(o.data["target"]), o.more) for o in fires]

    blue, red = ("Blue 1", "range 2"), ("Red 1", "range 2, Red's own, empty")
    assert targets(state) == [blue, red]
    wreck = state.with_vehicle("Red 2", wreck=True)
    assert targets(wreck) == [blue, ("Red 2", "range 2, Red's own wreck"), red]
    shot = {"mount": "hand weapon", "weapon": "Machine-gun", "line": 0, "target": "Red 2"}
    assert reasons(state, "fire", **shot)
    assert not reasons(wreck, "fire", **shot)
    # A driver of one's own is no target either.
    assert targets(out(state, "Red 2", (5, 3))) == [("Red 2", "range 2, Red's own, empty"), red]


def test_drivers_are_told_in_plain_english():
    state = walking()
    assert act(state, "walk")[1][0].words == "the driver of Red 1 stays on F6 and may fire"
    (board,) = (o for o in GAME.options(walking((2, 3)), Seen()) if o.kind == "board")
    assert board.words == "Get into Red 1"
    assert act(walking((2, 3)), "board", vehicle="Red 1")[1][0].words == "the driver of Red 1 gets into Red 1"
    firing_ = walking(stage="fire")
    fire = next(o for o in GAME.options(firing_, Seen()) if o.kind == "fire")
    assert fire.heading == "The driver of Red 1 fires"
    shot = {"mount": "hand weapon", "weapon": "Machine-gun", "line": 0, "target": "Blue 1"}
    told = [e.words for e in act(firing_, "fire", (8, 8), **shot, aim="front")[1]]
    assert told[0] == "the driver of Red 1 fires a Machine-gun at Blue 1, aiming at its front"
    # Point-blank nothing is taken off, and every roll hits.
    near = walking((6, 5), stage="fire")
    fire = next(o for o in GAME.options(near, Seen()) if o.kind == "fire")
    assert [fact.more for fact in fire.facts] == ["range d8: always hits", "damage on a hit, d8−2"]
    assert "any roll hits at range 0" in [e.words for e in act(near, "fire", (8, 3), **shot)[1]][2]


def test_rounds_are_taken_from_a_dead_driver_on_the_same_point_instead_of_firing():
    state = standing(
        ("Red 1", "Saloon", (2, 2), 0, 0), ("Blue 1", "Van", (7, 5), 4, 0), ("Gold 1", "Van", (9, 9), 4, 0),
        stage="fire",
    )  # fmt: skip
    state = out(out(state, "Red 1", rounds=0), "Gold 1", dead=True)
    after, events = act(state, "reload")
    assert one(events, "reloaded")["rounds"] == 3
    assert after.person("driver of Red 1").rounds == 3
    assert after.turn is None or after.turn.person != "driver of Red 1"
    apart = state.with_person("driver of Gold 1", cell=(5, 6))
    assert "not to be done now" in reasons(apart, "reload")


def test_who_lies_dead_in_a_vehicle_goes_where_that_does():
    """ "By occupying the same point": who died in motion is where the skid has left the vehicle."""
    state = standing(
        ("Red 1", "Saloon", (2, 2), 0, 0), ("Blue 1", "Van", (4, 5), 0, 4), ("Gold 1", "Van", (9, 9), 4, 0),
        stage="fire",
    )  # fmt: skip
    play = played(out(state, "Red 1", (6, 6)))
    kill(play, play.state.person("driver of Blue 1"), "")
    # It drifts two points, and stands.
    skidded, _ = act(play.state, "done", (7, 1))
    assert here(skidded, "Blue 1").cell == (6, 5)
    turn = replace(play.state.turn, stage="fire")
    wreck = replace(skidded, turn=turn).with_vehicle("Blue 1", wreck=True)
    for cell, there in (((4, 5), False), ((6, 5), True)):
        on = wreck.with_person("driver of Red 1", cell=cell)
        assert bool(reasons(on, "reload")) != there
    # Taken over, they lie where it stood then.
    taken, _ = act(replace(skidded, turn=replace(turn, stage="move")), "board", vehicle="Blue 1")
    assert taken.person("driver of Blue 1").cell == (6, 5)


def test_the_hand_weapon_fires_besides_a_wreck_in_either_order():
    state = standing(
        ("Red 1", "Saloon", (2, 2), 0, 0), ("Blue 1", "Van", (5, 5), 4, 0), ("Gold 1", "Van", (8, 5), 4, 0),
        ("Gold 2", "Van", (5, 9), 4, 0), stage="fire", **{"Blue 1": {"turret": "Machine-gun"}},
    )  # fmt: skip
    state = out(state, "Red 1").with_vehicle("Blue 1", wreck=True, driver=None)
    state = state.with_person("driver of Blue 1", dead=True, vehicle=None)
    for name in ("Gold 1", "Gold 2"):
        state = state.with_vehicle(name, stunned=True)  # nobody returns fire
    turret = {"mount": "turret", "weapon": "Machine-gun", "line": 0, "target": "Gold 1"}
    hand = {"mount": "hand weapon", "weapon": "Machine-gun", "line": 2, "target": "Gold 2"}
    # Red's own, empty, is all that is left: at it the wreck fires its second round, and that is all.
    last = turret | {"line": 5, "target": "Red 1"}
    for shots in ((turret, hand, last), (hand, turret, last), (turret, last, hand)):
        after_ = state
        for shot in shots:
            assert not reasons(after_, "fire", **shot)
            after_ = act(after_, "fire", (1,), **shot)[0]
        assert not [o for o in GAME.options(after_, Seen()) if o.kind == "fire"]


def test_any_occupant_of_a_wreck_fires_its_weapons():
    """A Van with a loaded Turret, wrecked where Red's driver stands; its own driver is dead."""
    state = standing(
        ("Red 1", "Saloon", (2, 2), 0, 0), ("Blue 1", "Van", (5, 5), 4, 0), ("Gold 1", "Van", (8, 5), 4, 0),
        stage="fire", **{"Blue 1": {"turret": "Machine-gun"}},
    )  # fmt: skip
    state = out(state, "Red 1")
    shot = {"mount": "turret", "weapon": "Machine-gun", "line": 0, "target": "Gold 1"}
    assert reasons(state, "fire", **shot), "it is no wreck"
    wreck = state.with_vehicle("Blue 1", wreck=True, driver=None).with_person(
        "driver of Blue 1", dead=True, vehicle=None
    )
    beside = wreck.with_person("driver of Red 1", cell=(5, 6))
    assert reasons(beside, "fire", **shot), "its occupant stands on its point"
    after, events = act(wreck, "fire", (8, 3), **shot, aim="front")
    fired = one(events, "fired")
    assert (fired["person"], fired["vehicle"]) == ("driver of Red 1", "Blue 1")
    assert len(here(after, "Blue 1").component("turret").rounds) == 3
    assert after.person("driver of Red 1").rounds == 3, "the hand weapon's are left"
    assert reasons(after, "fire", **shot), "once at one target"
    assert [m for m in GAME.marks(wreck, None, Viewer()) if m.role == "sight"]


RED, BLUE = ("Red 1", "Saloon", (2, 5), 0, 0), ("Blue 1", "Saloon", (10, 5), 4, 0)

FIGURE = cylinder(0.6, 0.8, "figure")


def afoot(x: float = 2.0, y: float = 5.36) -> tuple[GameState, Seen]:
    """Red's driver has got out of Red 1, and a figure stands for them: it is their turn again."""
    state = standing(RED, BLUE)
    seen = looked(state, thing("Red driver", "pedestrian", FIGURE, x, y))
    state, events = after(state, seen, "leave")
    assert "Red driver stands for them" in events[0].words
    return replace(state, turn=standing(RED, BLUE).turn), seen


def walk(
    state: GameState, *places: tuple[float, float], reads: bool = True, sd: float = 0.03, lifted: bool = False
) -> tuple[Move, Seen]:
    """A hand moves the figure over those places, spacings along the board, with readings or without."""
    before = looked(state, thing("Red driver", "pedestrian", FIGURE, 2.0, 5.36)).table
    rng, found = np.random.default_rng(3), []
    for here_, there in pairwise([(2.0, 5.36), *places]):
        for share in np.linspace(0.0, 1.0, 9):
            x, y = 3.0 * ((1 - share) * np.array(here_) + share * np.array(there)) + rng.normal(0.0, 0.12, 2)
            found.append(Read(float(len(found)), Pose(float(x), float(y), 0.3), 0.02, 0.01))
    there = thing("Red driver", "pedestrian", FIGURE, *places[-1], turn=77.0, sd=sd)
    kept = tuple(found) if reads else ()
    move = Move("m1", "Red driver", before, there, 0.0, 1.0, kept, lifted)
    return move, looked(state, there, moves=(move,))


def shown(state: GameState, move: Move, seen: Seen) -> Guide:
    """The screen of whoever moves the figure."""
    return GAME.guide(state, GAME.awaits(state)[0], move, seen.table)


def test_a_figure_stands_for_the_driver_who_gets_out_and_its_move_is_awaited():
    state, seen = afoot()
    awaited = [(a.piece, a.kind, a.player, a.anywhere) for a in GAME.awaits(state)]
    assert awaited == [("Red driver", "walk", "Red", True)]
    waiting = replace(state, turn=None)
    assert ghost(waiting, seen, "Red driver").right is True
    assert ghost(waiting, looked(state), "Red driver").right is None
    # Who takes a vehicle over leaves the figure to be taken off.
    state, _ = after(state, seen, "board", vehicle="Red 1")
    off = ghost(state, seen, "Red driver")
    assert (off.pose, off.right) == (None, False)


def test_a_figure_of_another_player_stands_for_nobody_of_red():
    state = standing(RED, BLUE)
    theirs, nobodys = (thing(name, "pedestrian", FIGURE, 2.0, 5.36) for name in ("Theirs", "Spare"))
    theirs = replace(theirs, piece=replace(theirs.piece, owner="Blue"))
    _, events = after(state, looked(state, theirs), "leave")
    assert "piece" not in events[0].data
    # An owner whom the table file names and who does not play is nobody.
    nobodys = replace(nobodys, piece=replace(nobodys.piece, owner="The club"))
    _, events = after(state, looked(state, theirs, nobodys), "leave")
    assert events[0].data["piece"] == "Spare"


def test_a_spare_figure_may_lie_anywhere_and_is_out_of_place_only_while_it_stands_for_somebody():
    state = standing(RED, BLUE)
    lay = {"Red driver": Place(36.0, 36.0, 0.0), "Mines": Place(36.0, 33.0, 0.0)}
    mine = thing("Mines", "token", FIGURE, 4.0, 4.0)
    sight = looked(state, thing("Red driver", "pedestrian", FIGURE, 2.0, 5.36), mine)
    assert strays(GAME, state, lay, sight) == ()
    out_, events = after(state, sight, "leave")
    assert events[0].data["piece"] == "Red driver"
    assert strays(GAME, out_, lay, sight) == (), "its shape says where it has to stand"
    # Terrain is spare until it is placed: then it lies where it lies.
    walls = looked(state, thing("Wall", "terrain", FIGURE, 6.0, 6.0))
    (stray,) = strays(GAME, state, {"Wall": Place(36.0, 36.0, 0.0)}, walls)
    assert stray.piece == "Wall"
    assert strays(GAME, replace(state, first=None), {"Wall": Place(36.0, 36.0, 0.0)}, walls) == ()


def test_it_walks_two_points_as_it_was_pushed():
    state, _ = afoot()
    move, seen = walk(state, (3.0, 5.9), (4.1, 6.1))
    guide = shown(state, move, seen)
    assert (guide.verdict, guide.take) == (Verdict.YES, "The move is done")
    assert (guide.steps, guide.progress.words) == (("D7", "E7"), "2 of 2 points")
    (way,) = (mark for mark in guide.marks if mark.role == "path")
    assert way.points == ((6.0, 15.0), (9.0, 18.0), (12.0, 18.0))
    action = Action("walk", "Red", {"move": "m1"})
    assert GAME.measured(state, action, seen) is True
    after_, _ = after(state, seen, "walk", move="m1")
    assert after_.person("driver of Red 1").cell == (4, 6)
    assert [o.cell for o in after_.pieces] == [(4, 6)]
    assert GAME.measured(state, Action("walk", "Red", {"point": 3}), seen) is False
    assert GAME.measured(state, Action("walk", "Red", {}), seen) is None


def test_points_to_type_are_at_hand_only_where_the_figure_is_out_of_sight():
    state, seen = afoot()
    for there, folded in ((seen, True), (looked(state), False)):
        (option,) = (o for o in GAME.options(state, there) if o.kind == "walk")
        assert option.form.fields["point"].folded is folded
    # A figure that rests where it stood may stay: one tap does it.
    after_, events = after(state, seen, "walk")
    assert after_.person("driver of Red 1").cell == state.person("driver of Red 1").cell, events
    # So does their own point by name; of a figure that was moved it is said against what was seen.
    own = Action("walk", "Red", {"point": at(state, state.person("driver of Red 1").cell)})
    assert GAME.measured(state, own, seen) is None
    _, moved = walk(state, (3.0, 5.9), (4.1, 6.1))
    assert GAME.measured(state, own, moved) is False


def test_on_the_way_the_points_are_counted():
    state, _ = afoot()
    move, seen = walk(state, (3.0, 5.0))
    going = replace(move, after=replace(move.after, status=Status.MOVING))
    guide = shown(state, going, seen)
    assert (guide.phase, guide.headline, guide.steps) == ("moving", "1 point to go", ("D6",))
    far = walk(state, (3.0, 5.0), (4.0, 5.0), (5.0, 5.0))[0]
    guide = shown(state, replace(far, after=replace(far.after, status=Status.MOVING)), seen)
    assert guide.headline == "1 point too far"


def test_more_than_two_points_are_refused_also_where_it_comes_back():
    state, _ = afoot()
    _, far = walk(state, (3.0, 5.0), (4.0, 5.0), (5.0, 5.0))
    assert words(state, far, "walk", move="m1") == [
        ("Red driver went 3 points, over C6, D6, E6, F6: the driver of Red 1 walks at most 2", False)
    ]
    move, round_about = walk(state, (3.0, 5.0), (4.0, 6.0), (3.0, 6.0))
    ((said, settled),) = words(state, round_about, "walk", move="m1")
    assert "went 3 points, over C6, D6, E7, D7" in said
    assert not settled
    assert shown(state, move, round_about).verdict is Verdict.NO


def test_a_vehicle_is_in_the_way_and_a_wreck_is_not():
    state, _ = afoot()
    state = state.with_vehicle("Blue 1", cell=(3, 5))
    _, through = walk(state, (3.0, 5.0), (4.0, 5.0))
    assert words(state, through, "walk", move="m1") == [("Blue 1 stands on D6, in the way", False)]
    _, onto = walk(state, (3.0, 5.0))
    assert words(state, onto, "walk", move="m1") == [("Blue 1 stands on D6, in the way", False)]
    _, past = walk(state, (3.0, 6.0), (4.0, 5.0))
    assert words(state, past, "walk", move="m1") == []
    wreck = state.with_vehicle("Blue 1", wreck=True)
    assert words(wreck, through, "walk", move="m1") == []


def test_what_the_camera_did_not_see_of_the_way_is_said_and_asked():
    state, _ = afoot()
    move, seen = walk(state, (4.0, 6.0), reads=False)
    told = (
        "Red driver was not seen from C6 to E7: accept that it went over D6 or D7, or push it from point to "
        "point"
    )
    assert words(state, seen, "walk", move="m1") == [(told, True)]
    guide = shown(state, move, seen)
    shown_ = (guide.headline, guide.verdict, guide.take)
    assert shown_ == ("Not all of it was seen", Verdict.TOO_CLOSE, "")
    accepted, events = after(state, seen, "walk", move="m1", ruled={told: "yes"})
    assert accepted.person("driver of Red 1").cell == (4, 6)
    assert events[0].kind == "ruled"
    _, straight = walk(state, (4.0, 5.0), reads=False)
    assert words(state, straight, "walk", move="m1") == [], "on a line it went straight"
    _, events = after(state, straight, "walk", move="m1")
    assert events[0].words == "the driver of Red 1 walks to E6 (not seen from C6 to E6: straight over D6)"
    blocked = state.with_vehicle("Blue 1", cell=(3, 5))
    ((said, settled),) = words(blocked, straight, "walk", move="m1")
    assert "went over D7 or D5" in said
    assert settled
    corner = state.with_vehicle("Blue 1", cell=(3, 6))
    _, askew = walk(corner, (4.0, 7.0), reads=False)
    assert words(corner, askew, "walk", move="m1") == [
        ("what stands on D7 is in the way from C6 to E8", False)
    ]


def test_who_stays_while_the_figure_stands_elsewhere_is_asked():
    state, _ = afoot()
    for x, y in ((2.0, 5.36), (2.0, 5.45)):
        here = looked(state, thing("Red driver", "pedestrian", FIGURE, x, y))
        assert words(state, here, "walk") == []
    assert words(state, looked(state), "walk") == [], "a figure that nobody sees is no evidence"
    gone = looked(state, thing("Red driver", "pedestrian", FIGURE, 4.0, 6.0))
    ((told, settled),) = words(state, gone, "walk")
    assert told == (
        "Red driver stands on E7 and no move of it is measured: wait until it is, put it back on C6, or "
        "accept that the driver of Red 1 stays on C6"
    )
    assert settled
    accepted, events = after(state, gone, "walk", ruled={told: "yes"})
    assert accepted.person("driver of Red 1").cell == (2, 5)
    assert events[0].kind == "ruled"
    between = looked(state, thing("Red driver", "pedestrian", FIGURE, 4.5, 6.0))
    assert [settled for _, settled in words(state, between, "walk")] == [True]
    own, next_one = (state.board.cells.index(cell) for cell in ((2, 5), (2, 6)))
    assert words(state, gone, "walk", point=own) == [(told, True)], "to type one's own point says no more"
    assert words(state, gone, "walk", point=next_one) == [], "another one takes the players' ruling"


def test_a_figure_in_the_hand_above_the_table_is_on_no_point():
    state, _ = afoot()
    move, seen = walk(state, (2.0, 9.0), (3.0, 5.0), lifted=True)
    assert words(state, seen, "walk", move="m1") == []
    assert shown(state, move, seen).steps == ("D6",)
    _, far = walk(state, (5.0, 5.0), lifted=True)
    ((said, settled),) = words(state, far, "walk", move="m1")
    assert "went 3 points" in said
    assert not settled


def test_between_two_points_both_are_told_and_asked():
    state, _ = afoot()
    move, between = walk(state, (3.5, 5.0))
    assert [settled for _, settled in words(state, between, "walk", move="m1")] == [True]
    guide = shown(state, move, between)
    assert (guide.headline, guide.verdict) == ("Between two places", Verdict.TOO_CLOSE)
    assert {c.words for c in option(state, between, "walk").form.fields["ends"].candidates} == {"D6", "E6"}
    said_, _ = after(state, between, "walk", move="m1", ends="4,5")
    assert said_.person("driver of Red 1").cell == (4, 5)
    ((said, settled),) = words(state, between, "walk", move="m1", ends="9,9")
    assert (said, settled) == ("It stands on: expected one of D6, E6 but got 9,9", False)
    # Where none of the places is by the book there is nothing to be asked.
    move, beyond = walk(state, (3.0, 5.0), (4.0, 5.0), (5.5, 5.0))
    assert [settled for _, settled in words(state, beyond, "walk", move="m1")] == [True, False]
    assert shown(state, move, beyond).verdict is Verdict.NO


def test_without_a_figure_the_point_is_typed_and_nothing_is_awaited():
    state = standing(RED, BLUE)
    state, _ = after(state, looked(state), "leave")
    state = replace(state, turn=standing(RED, BLUE).turn)
    assert GAME.awaits(state) == ()
    # A figure that is put within reach later is the driver's from the walk on which it was found.
    seen = looked(state, thing("Red driver", "pedestrian", FIGURE, 3.0, 5.0))
    point = option(state, seen, "walk").form.fields["point"]
    assert point.usual == state.board.cells.index((3, 5))
    state, _ = after(state, seen, "walk", point=point.usual)
    assert [(o.piece, o.cell) for o in state.pieces] == [("Red driver", (3, 5))]
