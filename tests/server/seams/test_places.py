"""Where things stand, over the seams: what a rule moves, what nobody saw, what is taken off the table."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from engine.game.contract import NOTHING_SEEN, Seen
from engine.game.dice import TypedDice
from engine.game.events import Action, Event
from engine.game.match import Match
from engine.game.showing import Ghost
from engine.games.shattered_highways.game import GAME as HIGHWAYS
from engine.measure.sweep import Straight
from engine.ruling import Verdict
from engine.space.geometry import Pose
from engine.space.table import Status, TableState, key_of
from server.play.moving.ghosts import ghost_views
from tests.engine.games.battlecars.playing import begun as points_begun
from tests.engine.games.battlecars.playing import vehicle as points_vehicle
from tests.engine.games.frothy_races.playing import GAME as FROTHY
from tests.engine.games.frothy_races.playing import cell, match_at
from tests.engine.games.frothy_races.test_table import SURFACE as FROTHY_SURFACE
from tests.engine.games.frothy_races.test_table import put as on_hex
from tests.engine.games.frothy_races.test_table import racing
from tests.engine.games.shattered_highways.hands import Hands, rig_match, road_match
from tests.engine.games.test_as_seen import cult_move, fever_move, hexes_move, points_move, road_move
from tests.engine.games.white_line_fever.playing import GAME, begun, do, drive, sheet
from tests.engine.games.white_line_fever.test_guide import choosing, moved
from tests.engine.tables import block, car, table, token
from tests.evening.evening import Evening
from tests.evening.house import house
from tests.evening.table import Hands as TableHands
from tests.server.gaming import gaming
from tests.server.play.moving.test_move_guide import choosing as choosing_at
from tests.server.play.moving.test_move_guide import put

GAMES = ("battlecars", "car_cult", "frothy_races", "shattered_highways", "white_line_fever")

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


# Where the game has a piece


def kept(match: Match[Any], events: Sequence[Event], seen: Seen) -> None:
    """A batch as a host keeps it: with its places."""
    match.commit(match.with_places(tuple(events), seen))


def of(hands: Hands) -> dict[str, str]:
    return {stray.piece: stray.words for stray in hands.match.strays(hands.seen)}


def taken(hands: Hands, kind: str, dice: tuple[int, ...] = (), **data: Any) -> None:
    action = Action(kind, None, data)
    kept(hands.match, hands.match.propose(action, hands.seen, TypedDice(dice)), hands.seen)
    hands.moves = {}


def test_a_rig_of_two_tags_is_in_place_after_its_move_and_its_trailer_is_not_when_it_is_carried_off() -> None:
    hands = rig_match()
    taken(hands, "move", (3,), vehicle="Red 1")
    move = hands.push("Red 1", 1.5, 0.0)
    assert of(hands) == {}, "neither body is out of place while its move is not taken yet"
    taken(hands, "moved", vehicle="Red 1", move=move)
    assert of(hands) == {}
    trailer = hands.table.find("Red 1 trailer").pose
    hands.put("Red 1 trailer", (trailer.x - 3.0, trailer.y, trailer.heading))
    hands.moves = {}
    assert of(hands) == {"Red 1 trailer": "Red 1 trailer stands 3.0 in from its place"}


def test_a_car_that_nobody_plays_is_never_out_of_place() -> None:
    match = begun(sheet("Red 1", "Red"), sheet("Blue 1", "Blue"))
    stood = table(
        car("Red 1", 10, 10), car("Blue 1", 30, 10), car("Spare", 40, 40), block("Rock", 24, 24, 2, 2)
    )
    kept(match, match.propose(Action("choose", None, {"car": "Red 1"}), stood, TypedDice()), Seen(stood))
    off = table(
        car("Red 1", 10, 10), car("Blue 1", 34, 10), car("Spare", 20, 40), block("Rock", 28, 24, 2, 2)
    )
    assert {stray.piece for stray in match.strays(off)} == {"Blue 1", "Rock"}


def slid_to(at: Any, facing: int) -> tuple[Match[Any], Any]:
    """A race whose vehicle on the move is put on another hex by a rule; where it stood, and the match."""
    state = racing()
    match = match_at(state)
    stood = TableState.of(FROTHY_SURFACE, [on_hex(state, v.name, v.cell, v.facing) for v in state.vehicles])
    seen = Seen(stood, {}, state.board)
    kept(match, match.overruling(["vehicles", "Red 1", "control"], 1, "for the test"), seen)
    assert match.strays(seen) == ()
    value = match.game.as_json(match.state)["vehicles"]["Red 1"] | {"cell": list(at), "facing": facing}
    kept(match, match.overruling(["vehicles", "Red 1"], value, "it slides"), seen)
    return match, seen


@pytest.mark.parametrize(("at", "facing"), [((1, 3), 0), ((1, 2), 1)])
def test_what_slid_or_spun_is_put_there_before_its_next_move(at, facing) -> None:
    match, seen = slid_to(cell(*at), facing)
    (awaited,) = FROTHY.awaits(match.state)
    assert (awaited.piece, awaited.kind) == ("Red 1", "move")
    (stray,) = match.strays(seen)
    board = match.state.board
    goal = board.pose_of(cell(*at), facing)
    assert stray.ghost.pose == pytest.approx((goal.x, goal.y, goal.heading))
    assert "where the rules put it" in stray.words
    option = next(o for o in match.options(seen) if o.kind == "move")
    assert any("put it there first" in reason.words for reason in option.not_now)
    # Where the rules put it, a little off as hands are, the move may begin.
    there = [
        on_hex(match.state, "Red 1", cell(*at), facing, Pose(0.3, 0.2, 0.1)) if s.name == "Red 1" else s
        for s in seen.table.standings
    ]
    right = Seen(TableState.of(FROTHY_SURFACE, there), {}, board)
    assert match.strays(right) == ()
    assert not next(o for o in match.options(right) if o.kind == "move").not_now


@pytest.mark.parametrize("scene", [points_move, hexes_move])
def test_what_begins_beside_its_place_is_put_there_before_its_first_move(scene) -> None:
    made = scene()
    match, board = made.match, made.seen.board
    (ghost,) = [g for g in match.game.on_board(match.state, NOTHING_SEEN) if g.piece == "Red 1"]

    def stands(pose: Pose) -> Seen:
        standings = [replace(s, pose=pose) if s.name == "Red 1" else s for s in made.seen.table.standings]
        return Seen(TableState.of(made.seen.table.surface, standings), {}, board)

    beside = stands(Pose(ghost.pose[0] - 2.0, ghost.pose[1], ghost.pose[2]))
    assert match.strays(beside) == (), "nothing is known yet of where it stood"
    kept(match, match.overruling(["round"], match.state.round + 1, "for the test"), beside)
    (stray,) = match.strays(beside)
    assert (stray.piece, stray.ghost.pose) == ("Red 1", pytest.approx(ghost.pose))
    assert "where the rules put it" in stray.words
    assert match.strays(stands(Pose(*ghost.pose))) == ()


def test_what_stood_beside_its_start_while_terrain_was_placed_is_put_there() -> None:
    """Its place was where it had stood: no move of it was ever lawful, from the one place or the other."""
    made = points_move()
    match = points_begun(points_vehicle("Red 1"), points_vehicle("Blue 1"))
    beside = {"Red 1": Pose(10.7, 13.4, 0.1), "Blue 1": Pose(28.6, 33.0, -1.5)}
    cars = [replace(s, pose=beside[s.name]) for s in made.seen.table.standings if s.name in beside]
    seen = Seen(TableState.of(made.seen.table.surface, cars), {}, made.seen.board)
    trees = {"kind": "trees", "column": 4, "row": 8, "columns": 2, "rows": 1}
    kept(match, match.propose(Action("build", "Red", trees), seen, TypedDice([])), seen)
    assert not match.places["Red 1"].ruled
    kept(match, match.propose(Action("start", "Red", {}), seen, TypedDice([7, 4])), seen)
    starts = {g.piece: g.pose for g in match.game.on_board(match.state, NOTHING_SEEN)}
    ruled = {name: (p.x, p.y, p.heading) for name, p in match.places.items() if p.ruled}
    assert ruled == {name: pytest.approx(pose) for name, pose in starts.items()}


# What another one stands on, and what is taken off


def test_a_car_on_the_ghost_of_another_is_told_by_name() -> None:
    one = Ghost("Red 1", (10.0, 10.0, 0.0), "put Red 1 there", "Book", right=False)
    free = table(car("Red 1", 30, 30), car("Blue 1", 20, 10))
    wrong = table(car("Red 1", 30, 30), car("Blue 1", 10.3, 10))
    assert [view["taken_by"] for view in ghost_views([one], free)] == [None]
    assert [view["taken_by"] for view in ghost_views([one], wrong)] == ["Blue 1"]
    assert [view["taken_by"] for view in ghost_views([replace(one, right=True)], wrong)] == [None]


def test_what_the_book_takes_off_the_table_is_asked_to_be_taken_away() -> None:
    match = begun(sheet("Red 1", "Red"), sheet("Blue 1", "Blue"), sheet("Blue 2", "Blue"))
    stood = table(car("Red 1", 10, 10), car("Blue 1", 20, 10), car("Blue 2", 40, 40))
    assert match.to_take_away(stood) == ()
    match.overrule(["cars", "Blue 1", "status"], "removed", "it left the surface")
    (ghost,) = match.to_take_away(stood)
    assert (ghost.piece, ghost.pose, ghost.right) == ("Blue 1", None, False)
    assert "take it off the table" in ghost.words
    # A hand is at it, or it is gone: nothing is asked any more.
    assert match.to_take_away(table(car("Red 1", 10, 10), car("Blue 1", 20, 10, status=Status.LOST))) == ()
    match.overrule(["cars", "Blue 1", "status"], "wreck", "it stays as an obstacle")
    assert match.to_take_away(stood) == ()


def test_a_token_that_was_used_up_is_taken_away_and_one_that_was_never_laid_is_not() -> None:
    match = begun(sheet("Red 1", "Red"), sheet("Blue 1", "Blue", secondary="Oil"))
    drive(match, "Red 1")
    do(match, "end")
    drive(match, "Blue 1")
    stood = table(car("Red 1", 10, 10), car("Blue 1", 30, 30))
    do(match, "drop", table=stood)
    (laid,) = match.state.tokens
    tokens = token(laid.name, *laid.at[:2]), token("Spare", 5, 40)
    lie = table(car("Red 1", 10, 10), car("Blue 1", 30, 30), *tokens)
    assert match.to_take_away(lie) == ()
    do(match, "end")
    drive(match, "Red 1", triggered=[laid.name], table=stood)
    assert [ghost.piece for ghost in match.to_take_away(lie)] == [laid.name]


OFF_THE_TABLE = {
    "white_line_fever": (fever_move, "Blue 1", ["cars", "Blue 1", "status"], "removed"),
    "car_cult": (cult_move, "Blue 1", ["cars", "Blue 1", "status"], "exploded"),
    "shattered_highways": (road_move, "Blue 1", ["vehicles", "Blue 1", "status"], "gone"),
    "battlecars": (points_move, "Blue 1", ["vehicles", "Blue 1", "gone"], True),
    "frothy_races": (hexes_move, "Black 1", ["vehicles", "Black 1", "gone"], True),
}
"""By game a match, a piece that its rules can take off the table, and where its state says that they have."""


@pytest.mark.parametrize("name", GAMES)
def test_every_game_says_what_is_off_the_table(name: str) -> None:
    make, piece, path, value = OFF_THE_TABLE[name]
    match = make().match
    assert (match.game.about.id, match.game.removed(match.state)) == (name, ())
    match.overrule(path, value, "for the test")
    assert match.game.removed(match.state) == (piece,)


def test_no_ghost_is_drawn_through_a_piece_that_stands_where_it_belongs() -> None:
    red = Ghost("Red 1", (10.0, 10.0, 0.0), "put Red 1 there", "Book", right=False)
    blue = Ghost("Blue 1", (30.0, 10.0, 0.0), "put Blue 1 there", "Book", right=False)
    wrong = table(car("Red 1", 30, 30), car("Blue 1", 10.3, 10))
    drawn = {view["piece"]: bool(view["outline"]) for view in ghost_views([red], wrong)}
    assert drawn == {"Red 1": False}
    # One that has to go away itself leaves the place.
    drawn = {view["piece"]: bool(view["outline"]) for view in ghost_views([red, blue], wrong)}
    assert drawn == {"Red 1": True, "Blue 1": True}


def test_the_page_names_each_ghost_and_who_stands_on_it(browser: Browser) -> None:
    with gaming(screen=True) as served, served.joined() as owner:
        choosing_at(served, owner, "RED2", 3)
        put(served, "BLUE1", Pose(25.0, 37.5, served.source.poses["BLUE1"].heading))
        put(served, "RED1", Pose(22.2, 37.4, -1.45))
        owner.done(
            type="overrule", path=["cars", "BLUE2", "status"], value="removed", words="it left the surface"
        )
        page = browser.new_context(viewport={"width": 390, "height": 844}).new_page()
        page.goto(f"{served.url}play")
        names, places = page.locator("text.shape"), page.locator(".marked .place")
        expect(names).to_have_count(2, timeout=120_000)
        assert set(names.all_text_contents()) == {"BLUE1", "RED1"}
        expect(places).to_have_count(2)
        colours = places.evaluate_all("all => all.map((one) => one.style.getPropertyValue('--owner'))")
        assert sorted(colours) == ["#1f6fd0", "#c8322b"]
        out = page.get_by_role("group", name="Out of place")
        expect(out.locator("li", has_text="BLUE1 stands")).to_contain_text("RED1 stands there")
        amiss = page.get_by_role("group", name="To be put right")
        expect(amiss).to_contain_text("BLUE2: Take it off the table")


@pytest.mark.parametrize("game", ["battlecars", "frothy_races"])
def test_a_place_to_start_from_has_name_and_colour_and_no_other_car_is_taken_for_its_own(
    browser: Browser, game: str, tmp_path: Path
) -> None:
    evening = Evening(game, 1)
    with house(tmp_path, evening.scene, TableHands(evening.scene, "noise"), evening.phones) as at:
        evening.at = at
        evening.begin(random.Random(1))
        host = at.served.match
        assert host.match is not None
        match, colours = host.match, {p.name: p.colour for p in host.draft.players}
        one, other = [g for g in match.game.on_board(match.state, NOTHING_SEEN) if g.pose is not None][:2]
        assert one.pose is not None
        assert other.pose is not None
        at.hands.poses |= {one.piece: Pose(*other.pose), other.piece: Pose(*one.pose)}
        at.tick(7)
        ghosts = {g["piece"]: g for g in json.loads(at.wire(at.owner))["match"]["ghosts"]}
        for ghost, there in ((one, other), (other, one)):
            assert (ghosts[ghost.piece]["right"], ghosts[ghost.piece]["taken_by"]) == (False, there.piece)
        page = browser.new_context(viewport={"width": 390, "height": 844}).new_page()
        page.goto(f"{at.served.server.address}play")
        for ghost in (one, other):
            expect(page.locator("text.shape", has_text=ghost.piece)).to_have_count(1)
        places = page.locator(".marked .place")
        owed = [g["piece"] for g in ghosts.values() if g["right"] is False and g["outline"]]
        expect(places).to_have_count(len(owed))
        found = places.evaluate_all("all => all.map((one) => one.style.getPropertyValue('--owner'))")
        assert sorted(found) == sorted(colours[host.owners[key_of(name)]] for name in owed)
        expect(page.locator("body")).to_contain_text(f"{other.piece} stands there")
        page.context.close()
