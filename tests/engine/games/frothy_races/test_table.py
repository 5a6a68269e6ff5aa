"""Pushes over the hexes, what the camera leaves open of them, and questions to the table."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from engine.boards.hexes import STEPS
from engine.boards.spots import odds_of
from engine.errors import TableRefError
from engine.game.contract import Question, Seen
from engine.game.dice import TypedDice
from engine.game.events import Action
from engine.game.facts import said_facts
from engine.games.frothy_races.rules.moves import choice
from engine.games.frothy_races.state import EVENTS, GameState, Obstacle
from engine.motion.moves import Move, Read
from engine.ruling import Ruling, Verdict
from engine.space.catalogue import CARS
from engine.space.geometry import Pose, Region
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing, TableState
from tests.engine.games.frothy_races.playing import GAME, cell, standing

ON = Pose(0.0, 0.0)

SURFACE = Region.rectangle(-60, -60, 120, 90)


def racing(red=(1, 2), black=(3, 9), facing: int = 0, spaces: int | None = 3, speed: int = 0) -> GameState:
    """Red 1 is about to move so many spaces; Black 1 faces the other way."""
    return standing(("Red 1", cell(*red), facing, 2), ("Black 1", cell(*black), 6, speed), turn=spaces).state


def facing_black(**more) -> GameState:
    """Black 1 stands two hexes ahead, at Speed 1."""
    return racing(**{"black": (1, 4), "speed": 1} | more)


def put(state, name, at, facing, off=ON):
    pose = state.board.pose_of(at, facing).compose(off)
    return Standing(Piece(name, "car", CARS["sedan"]), pose, PoseUncertainty.isotropic(0.02, 0.009))


def pushed(state, *places, off=ON):
    """A hand pushes Red from hex to hex; it rests off the last by so much."""
    before = TableState.of(SURFACE, [put(state, v.name, v.cell, v.facing) for v in state.vehicles])
    reads = [
        Read(float(k), state.board.pose_of(at, facing), 0.02, 0.01) for k, (at, facing) in enumerate(places)
    ]
    after = put(state, "Red 1", *places[-1], off)
    return Move("m1", "Red 1", before, after, 0.0, float(len(reads)), tuple(reads))


def seen(state, move):
    now = [move.after if s.name == move.piece else s for s in move.before.standings]
    return Seen(TableState.of(SURFACE, now), {move.id: move}, state.board)


MOVED = Action("move", "Red", {"vehicle": "Red 1", "move": "m1"})


def test_a_push_over_the_hexes_is_its_way_with_the_turn_at_its_end():
    state = racing()
    places = ((cell(1, 3), 0), (cell(0, 4), 0), (cell(0, 5), 1))
    move = pushed(state, *places, off=Pose(0.2, -0.2, math.radians(6)))
    assert GAME.check(state, MOVED, seen(state, move)) == ()
    assert GAME.measured(state, MOVED, seen(state, move)) is True
    red = happened(state, move)[0].vehicle("Red 1")
    assert (red.cell, red.facing, red.control) == (cell(0, 5), 1, 0)
    guide = GAME.guide(state, GAME.awaits(state)[0], move, move.before)
    assert (guide.verdict, guide.take) == (Verdict.YES, "The move is done")


@pytest.mark.parametrize(
    ("places", "why"),
    [
        (((cell(1, 6), 0),), "no way of 3 spaces"),
        (((cell(1, 3), 0), (cell(1, 4), 0), (cell(1, 5), 2)), "turned by 60°"),
        (((cell(1, 3), 1),), "turned by 30°"),
    ],
)
def test_too_far_too_sharp_and_too_soon_are_not_legal(places, why):
    state = racing()
    move = pushed(state, *places)
    reasons = GAME.check(state, MOVED, seen(state, move))
    assert any(why in r.words for r in reasons), reasons
    assert not any(r.open for r in reasons)
    assert GAME.guide(state, GAME.awaits(state)[0], move, move.before).verdict is Verdict.NO


def between(state, share=0.5):
    """Red is pushed three hexes on, and rests so much of a hex short of the last."""
    off = Pose(-share * state.board.spacing, 0.0)
    return pushed(state, *STRAIGHT, off=off)


def fields(state, move):
    (option,) = (o for o in GAME.options(state, seen(state, move)) if o.kind == "move")
    return option.form.fields


def ends_of(state, move):
    return {c.value: c for c in fields(state, move)["ends"].candidates}


STRAIGHT = ((cell(1, 3), 0), (cell(1, 4), 0), (cell(1, 5), 0))


def happened(state, move, **said):
    """The state and the events after the move was taken as it was seen, and as is said besides."""
    action = Action("move", "Red", {**MOVED.data, **said})
    events = list(GAME.act(state, action, seen(state, move), TypedDice()))
    for event in events:
        state = EVENTS.apply(state, event)
    return state, events


def key(at, facing):
    return f"{at[0]},{at[1]},{facing}"


def test_between_two_hexes_it_is_asked_which_with_the_odds_and_where_they_lie():
    state = racing()
    move = between(state)
    assert "Red 1 stands between" in GAME.check(state, MOVED, seen(state, move))[0].words
    found = ends_of(state, move)
    assert set(found) == {key(cell(1, 4), 0), key(cell(1, 5), 0)}
    assert {c.words for c in found.values()} == {"2.5 facing 0°", "2.6 facing 0°"}
    odds = [int(c.more.removesuffix("%")) for c in found.values()]
    assert sum(odds) == pytest.approx(100, abs=2)
    assert max(odds) < 95
    for one, at in ((found[key(cell(1, n), 0)].at, cell(1, n)) for n in (4, 5)):
        assert one == pytest.approx(state.board.pose_of(at).xy, abs=1e-3)
    assert "ends" not in fields(state, pushed(state, *STRAIGHT))


def test_what_is_said_is_taken_as_measured_and_by_the_book_of_its_place():
    state = racing()
    move = between(state)
    there = Action("move", "Red", {**MOVED.data, "ends": key(cell(1, 5), 0)})
    assert GAME.check(state, there, seen(state, move)) == ()
    assert GAME.measured(state, there, seen(state, move)) is True
    assert happened(state, move, ends=key(cell(1, 5), 0))[0].vehicle("Red 1").cell == cell(1, 5)
    short, _ = happened(state, move, ends=key(cell(1, 4), 0))
    assert (short.vehicle("Red 1").cell, short.turn.left) == (cell(1, 4), 1)


def test_a_place_that_the_book_forbids_or_the_camera_did_not_see_is_refused():
    state = racing(spaces=2)
    move = between(state)
    there = Action("move", "Red", {**MOVED.data, "ends": key(cell(1, 5), 0)})
    (reason,) = GAME.check(state, there, seen(state, move))
    assert "no way of 2 spaces leads Red 1 to 2.6" in reason.words
    assert not reason.open
    far = Action("move", "Red", {**MOVED.data, "ends": key(cell(1, 9), 0)})
    (reason,) = GAME.check(state, far, seen(state, move))
    assert "It rests on: expected one of" in reason.words
    assert GAME.check(state, MOVED, seen(state, move))[0].open


def test_between_two_facings_on_one_hex_it_is_asked_without_a_place_to_tap():
    state = racing()
    found = ends_of(state, pushed(state, *STRAIGHT, off=Pose(0.0, 0.0, math.radians(15))))
    assert set(found) == {key(cell(1, 5), 0), key(cell(1, 5), 1)}
    assert [c.at for c in found.values()] == [None, None]


def test_a_typed_way_is_not_measured_and_who_is_not_moved_has_a_ghost_on_its_hex():
    state = racing()
    sight = seen(state, pushed(state, *STRAIGHT))
    assert GAME.measured(state, Action("move", "Red", {"vehicle": "Red 1", "way": "FFF"}), sight) is False
    (ghost,) = GAME.ghosts(state, seen(state, pushed(state, (cell(1, 3), 0))))
    assert (ghost.piece, ghost.right) == ("Black 1", True)


def along(state: GameState, to: int, on: float = 0.0, turned: float = 0.0) -> Move:
    """Red 1 is pushed along the inner lane from place 2, and rests `on` inches further, turned by degrees."""

    def placed(name: str, at: int, on: float = 0.0, turned: float = 0.0) -> Standing:
        here, following = (state.board.pose_of(cell(0, k)) for k in (at, at + 1))
        way = math.atan2(following.y - here.y, following.x - here.x)
        pose = Pose(here.x, here.y, way).compose(Pose(on, 0.0, math.radians(turned)))
        return Standing(Piece(name, "car", CARS["sedan"]), pose, PoseUncertainty.isotropic(0.02, 0.009))

    before = TableState.of(SURFACE, [placed("Red 1", 2), placed("Black 1", 8)])
    reads = tuple(Read(float(k), placed("Red 1", k).pose, 0.02, 0.01) for k in range(2, to + 1))
    return Move("m1", "Red 1", before, placed("Red 1", to, on, turned), 0.0, 9.0, reads)


def test_a_push_along_the_lane_is_the_way_with_its_turn():
    # From place 2 the inner lane leads across a side of its hexes: the facing is known.
    facing = 2 * STEPS.index(tuple(b - a for a, b in zip(cell(0, 2), cell(0, 3), strict=True)))
    state = standing(*((n, cell(0, at), facing, 3) for n, at in (("Red 1", 2), ("Black 1", 8))), turn=2).state
    half = state.board.spacing / 2
    for move, open_ in (
        (along(state, 4), []),
        (along(state, 4, turned=28), []),
        (along(state, 4, turned=88), [False]),
        (along(state, 6), [False]),
        # Between two hexes nothing is settled while one of them is by the book.
        (along(state, 4, half - 0.02), [True]),
        (along(state, 4, half + 0.02), [True]),
        (along(state, 5, half), [False, False]),
    ):
        assert [r.open for r in GAME.check(state, MOVED, seen(state, move))] == open_
        if open_ == [True]:
            guide = GAME.guide(state, GAME.awaits(state)[0], move, seen(state, move).table)
            assert (guide.headline, guide.verdict) == ("Between two places", Verdict.TOO_CLOSE)


def test_half_beside_the_track_is_asked_where_a_place_on_it_is_lawful():
    state = racing()
    board, places = state.board, ((cell(1, 3), 0), (cell(0, 4), 0), (cell(0, 5), 0))
    at = places[-1][0]
    turn = math.pi / 3 * next(s for s, (q, r) in enumerate(STEPS) if not board.holds((at[0] + q, at[1] + r)))
    for share, open_ in ((0.505, [True]), (0.9, [False])):
        away = share * board.spacing
        move = pushed(state, *places, off=Pose(away * math.cos(turn), away * math.sin(turn)))
        assert board.snap(move.after).cell is None
        assert [r.open for r in GAME.check(state, MOVED, seen(state, move))] == open_


KINDS = ("front", "side", "reach")


def asked(state: GameState, kind: str, one: str = "Red 1", other: str = "Black 1", **off: Pose) -> Ruling:
    found = {q.kind: q for q in GAME.questions(state, (one, other))}
    there = [put(state, v.name, v.cell, v.facing, off.get(v.owner, ON)) for v in state.vehicles]
    return GAME.rule(state, found[kind], TableState.of(SURFACE, there))


def test_each_kind_is_offered_and_says_what_is_missing() -> None:
    state = facing_black()
    assert [q.kind for q in GAME.questions(state, ("red-1", "Black 1"))] == list(KINDS)
    assert {q.missing for q in GAME.questions(state, ("Red 1",))} == {"the other vehicle"}
    assert {q.missing for q in GAME.questions(state, ())} == {"two vehicles"}
    assert GAME.questions(state, ("Red 1", "the mug")) == ()
    assert GAME.questions(None, ("Red 1", "Black 1")) == ()
    words = [q.words for q in GAME.questions(state, ("Red 1", "Black 1"))]
    assert words[1] == "Does Black 1 stand to the side of Red 1?"


def test_who_is_in_front_with_how_far_and_the_hexes_between() -> None:
    behind, ahead = asked(facing_black(), "front"), asked(facing_black(), "front", "Black 1", "Red 1")
    assert (behind.verdict, ahead.verdict) == (Verdict.NO, Verdict.YES)
    assert behind.checks[0].words == ahead.checks[0].words
    assert "2.0 spaces" in ahead.checks[0].words
    assert "1 hex between" in ahead.checks[0].words
    level = asked(facing_black(red=(0, 2), black=(2, 2)), "front")
    assert level.verdict is Verdict.YES
    assert "Red 1 is in front, level along the track, on its inside" in level.checks[0].words
    beside = asked(facing_black(black=(1, 3)), "front")
    assert beside.checks[0].words.endswith(
        "1.0 spaces of the middle lane apart along the track; no hex between"
    )
    across_the_line = facing_black(red=(1, 1), black=(1, -2))
    assert asked(across_the_line, "front").verdict is Verdict.YES


@pytest.mark.parametrize(
    ("black", "facing", "verdict", "words"),
    [
        ((1, 3), 0, Verdict.NO, "in front of Red 1"),
        ((1, 1), 0, Verdict.NO, "behind Red 1"),
        ((0, 2), 0, Verdict.YES, "to the side of Red 1"),
        ((1, 3), 3, Verdict.YES, "to the side of Red 1"),
        ((1, 5), 0, Verdict.NO, "not beside it: 2 hexes between"),
    ],
)
def test_on_which_side_it_stands(black: tuple[int, int], facing: int, verdict: Verdict, words: str) -> None:
    ruling = asked(facing_black(black=black, facing=facing), "side")
    assert ruling.verdict is verdict
    assert words in ruling.checks[0].words


def test_what_may_be_moved_into_with_the_spaces_that_are_left() -> None:
    assert asked(facing_black(), "reach").verdict is Verdict.YES
    assert "space 2" in asked(facing_black(), "reach").checks[0].words
    short = asked(facing_black(spaces=1), "reach")
    assert (short.verdict, short.checks[0].words) == (
        Verdict.NO,
        "no way leads into Black 1 with 1 space; 1 hex between",
    )
    # Black faces away, at Speed 1 with no space in phase 2.
    assert asked(facing_black(), "reach", "Black 1", "Red 1").checks[0].words == "it has no spaces to move"


def test_what_the_camera_leaves_open_is_too_close_to_call() -> None:
    state = facing_black(black=(0, 2))
    half = state.board.spacing / 2
    for off in (Pose(half, 0.0), Pose(0.0, 0.0, math.radians(-15))):
        ruling = asked(state, "side", Red=off)
        assert 0.05 < ruling.checks[0].p_yes < 0.95, off
        assert ruling.verdict is Verdict.TOO_CLOSE
    assert asked(state, "side", Red=Pose(0.1, -0.1, math.radians(5))).verdict is Verdict.YES


def test_what_is_so_on_both_hexes_is_sure_also_between_them_but_beside_the_track_it_is_left_open() -> None:
    state = facing_black(black=(0, 2))
    off = Pose(-state.board.spacing / 2, 0.0)
    assert state.board.snap(put(state, "Red 1", cell(1, 2), 0, off)).where == "between"
    assert asked(state, "side", Red=off).verdict is Verdict.YES
    ruling = asked(facing_black(), "front", Black=Pose(0.0, 60.0))
    assert ruling.verdict is Verdict.TOO_CLOSE
    assert "Black 1 is seen beside the track" in ruling.checks[0].words


def test_one_that_may_be_beside_the_track_is_left_open_though_it_is_so_on_every_hex() -> None:
    """What is said of the hexes is sure; nothing can be said of the share beside them."""
    state = facing_black(red=(0, 2), black=(3, 2))
    assert asked(state, "front").checks[0].p_yes == 1.0
    told = 0
    for k in range(250, 350):
        off = Pose(0.0, k / 500 * state.board.spacing)
        snap = state.board.snap(put(state, "Black 1", cell(3, 2), 6, off))
        beside = sum(one.probability for one in odds_of(snap) if one.cell is None)
        if 0.2 < beside < 0.9:
            told += 1
            check = asked(state, "front", Black=off).checks[0]
            assert check.p_yes == pytest.approx(max(0.5, 1.0 - beside), abs=0.01), k
            assert check.verdict is Verdict.TOO_CLOSE, k
    assert told > 2


def test_what_is_asked_about_is_drawn() -> None:
    state = facing_black()
    drawn = {
        kind: GAME.reach(state, Question(kind, "", ("Red 1",)), TableState.of(SURFACE, [])) for kind in KINDS
    }
    assert drawn["front"] == ()
    assert len(drawn["side"]) == 4
    assert len(drawn["reach"]) > 3
    assert {mark.piece for mark in drawn["side"]} == {"Red 1"}


def test_an_unknown_question_is_refused_in_words() -> None:
    table = TableState.of(SURFACE, [])
    with pytest.raises(TableRefError, match="expected front, side, reach in a race but got 'shot'"):
        GAME.rule(facing_black(), Question("shot", "", ("Red 1", "Black 1")), table)
    with pytest.raises(TableRefError, match="expected two vehicles but got Red 1"):
        GAME.rule(facing_black(), Question("front", "", ("Red 1",)), table)


HERE = cell(1, 2)


def on(forward: int, left: int = 0, right: int = 0):
    """The hex so many steps straight on and to the front sides of where Red stands, facing 0."""
    return HERE[0] + forward + right, HERE[1] + left - right


def racing_ways(*on_hexes, facing: int = 0, spaces: int = 3, **setup):
    obstacles = [Obstacle(f"debris {k}", "fragile", at) for k, at in enumerate(on_hexes, start=1)]
    places = ("Red 1", HERE, facing, 2), ("Black 1", cell(3, 9), 6, 0)
    return standing(*places, turn=spaces, obstacles=obstacles, **setup).state


def ruled(state, move, **said):
    return GAME.check(state, Action("move", "Red", {**MOVED.data, **said}), seen(state, move))


def told(state, move, **said):
    return [e for e in happened(state, move, **said)[1] if e.kind == "moved"]


def shown(state, move):
    return GAME.guide(state, GAME.awaits(state)[0], move, move.before)


def drifting(state, *over):
    """Two hexes on and one to the left front side, seen on some of the hexes between."""
    return pushed(state, *((at, 0) for at in over), (end_of(state), 0))


def end_of(state):
    """Where two straight on and a drift to the left end, by the typed way."""
    return way_of(state, "FFL")[-1]


def way_of(state, sides):
    action = Action("move", "Red", {"vehicle": "Red 1", "way": sides})
    events = GAME.act(
        state, action, seen(state, pushed(state, (HERE, state.vehicle("Red 1").facing))), TypedDice()
    )
    return [tuple(c) for e in events if e.kind == "moved" for c in e.data["cells"]]


def test_a_move_that_is_known_no_more_is_refused():
    state = racing_ways()
    action = Action("move", "Red", {"vehicle": "Red 1", "move": "m9"})
    against = GAME.check(state, action, seen(state, drifting(state, on(1))))
    assert [(r.words, r.open) for r in against] == [(
        "that move of Red 1 is not known any more: it was moved on, put back, or taken already. "
        "Look again, and take it as it stands now", False,
    )]  # fmt: skip


def test_a_way_that_was_seen_hex_by_hex_is_that_way_whatever_others_lead_there():
    state = racing_ways()
    for sides in ("FFL", "FLF", "LFF"):
        cells = way_of(state, sides)
        move = pushed(state, *((at, 0) for at in cells))
        assert ruled(state, move) == ()
        (event,) = told(state, move)
        assert [tuple(c) for c in event.data["cells"]] == cells
        assert "unseen" not in event.data
        assert len(shown(state, move).facts) == 1


def test_of_ways_that_come_to_the_same_the_straightest_is_taken_and_that_is_told():
    state = racing_ways()
    move = pushed(state, (end_of(state), 0))
    move = hidden(move)
    assert ruled(state, move) == ()
    (event,) = told(state, move)
    names = ", ".join(state.board.name_of(at) for at in way_of(state, "FFL"))
    where = f"from {state.board.name_of(HERE)} to {state.board.name_of(end_of(state))}"
    assert event.data["unseen"] == (
        f"not seen {where}: {names}, the straightest of 3 ways that come to the same"
    )
    assert event.data["unseen"] in event.words
    assert shown(state, move).verdict is Verdict.YES
    assert "straightest of 3" in shown(state, move).facts[1]
    assert "over" not in fields(state, move)


def hidden(move):
    """The same move, ten seconds long: what lies between its readings was hidden."""
    reads = tuple(replace(read, time=10.0 * (k + 1)) for k, read in enumerate(move.reads))
    return replace(move, reads=reads, until=10.0 * len(reads))


def test_where_one_way_alone_fits_it_is_that_and_what_was_not_seen_is_told():
    plain = racing_ways()
    second = way_of(plain, "LFF")[0]
    move = hidden(pushed(plain, (second, 0), (end_of(plain), 0)))
    assert ruled(plain, move) == ()
    (event,) = told(plain, move)
    assert [tuple(c) for c in event.data["cells"]] == way_of(plain, "LFF")
    assert event.data["unseen"].endswith("the only way by the book")


def test_debris_on_one_of_the_ways_makes_them_differ_and_it_is_asked_which():
    plain = racing_ways()
    debris = way_of(plain, "FFL")[1]
    state = racing_ways(debris)
    move = hidden(pushed(state, (end_of(plain), 0)))
    (reason,) = ruled(state, move)
    assert reason.open
    assert "3 ways by the book fit: say which it went" in reason.words
    guide = shown(state, move)
    assert (guide.headline, guide.verdict, guide.take) == ("Not all of it was seen", Verdict.TOO_CLOSE, "")
    assert len([mark for mark in guide.marks if mark.role == "path"]) == 3
    field = fields(state, move)["over"]
    assert field.usual is None, "none is taken for the one that it went"
    more = {c.value: c.more for c in field.candidates}
    assert set(more) == {"FFL", "FLF", "LFF"}
    assert [sides for sides, words in more.items() if "meets debris 1" in words] == ["FFL"]
    assert ruled(state, move, over="LFF") == ()
    (event,) = told(state, move, over="LFF")
    assert [tuple(c) for c in event.data["cells"]] == way_of(plain, "LFF")
    assert event.words.endswith("as was said)")
    (reason,) = ruled(state, move, over="FFF")
    assert not reason.open
    assert "over: expected one of" in reason.words


def test_the_players_may_accept_the_straightest_and_that_is_told():
    plain = racing_ways()
    state = racing_ways(way_of(plain, "FLF")[1])
    move = hidden(pushed(state, (end_of(plain), 0)))
    (event,) = told(state, move, ruled="yes")
    assert [tuple(c) for c in event.data["cells"]] == way_of(plain, "FFL")
    assert event.words.endswith("as was accepted)")


def test_facing_a_corner_it_is_asked_which_side_it_entered_last():
    state = racing_ways(facing=1, spaces=2)
    move = hidden(pushed(state, (way_of(state, "LR")[-1], 1)))
    (reason,) = ruled(state, move)
    assert reason.open
    assert {c.value for c in fields(state, move)["over"].candidates} == {"LR", "RL"}
    seen_on = pushed(state, *((at, 1) for at in way_of(state, "RL")))
    assert ruled(state, seen_on) == ()
    assert told(state, seen_on)[0].data["side"] == "L"


def test_a_way_over_hexes_that_no_way_leads_over_is_refused_in_words():
    state = racing_ways()
    far = way_of(state, "RFF")[0]
    move = pushed(state, (far, 0), (end_of(state), 0))
    (reason,) = ruled(state, move)
    assert not reason.open
    assert "no way of 3 spaces leads over these" in reason.words


def test_where_it_was_pulled_back_its_way_ends_where_it_first_came_there():
    state = racing_ways()
    ahead = way_of(state, "FFF")
    move = pushed(state, *((at, 0) for at in ahead), (ahead[1], 0))
    assert ruled(state, move) == ()
    assert [tuple(c) for c in told(state, move)[0].data["cells"]] == ahead[:2]


def test_a_loop_on_the_way_is_cut_at_the_hex_that_it_came_back_to():
    """ "it may usually only move into the hex directly in front": no way comes to a hex twice."""
    state = racing_ways(spaces=2)
    ahead, aside = way_of(state, "FF"), way_of(state, "FL")
    move = pushed(state, *((at, 0) for at in (*ahead, ahead[0], aside[1])))
    assert ruled(state, move) == ()
    assert [tuple(c) for c in told(state, move)[0].data["cells"]] == aside
    guide = shown(state, move)
    assert (guide.progress.words, guide.verdict) == ("2 of 2 spaces", Verdict.YES)


def test_where_all_hexes_were_seen_and_several_ways_fit_the_headline_says_so():
    """ "Where any movement means a collision is unavoidable you may choose where to move and what to collide
    with": ways over the same hexes into different things."""
    rocks = [on(0, left=1), on(0, right=1), on(2), on(1, left=1), on(1, right=1)]
    solid = [Obstacle(f"Rock {k}", "solid", at) for k, at in enumerate(rocks, start=1)]
    places = ("Red 1", HERE, 0, 2), ("Black 1", cell(3, 9), 6, 0)
    state = standing(*places, turn=3, obstacles=solid).state.with_vehicle("Red 1", cards=())
    move = pushed(state, (on(1), 0))
    (reason,) = ruled(state, move)
    assert "all hexes of Red 1 were seen, and 3 ways by the book fit" in reason.words
    assert (shown(state, move).headline, shown(state, move).verdict) == ("3 ways fit", Verdict.TOO_CLOSE)


def beside_rocks():
    """Red runs into a rock at once on its right, and after a hex on its left; its ways without the rocks."""
    state = racing(red=(2, 5), facing=1, spaces=2)
    ways = {way.sides: way for way in choice(state, state.vehicle("Red 1"), state.turn).ways}
    rocks = (ways["RL"].cells[0], ways["LR"].cells[1])
    solid = tuple(Obstacle(f"Rock {k}", "solid", at) for k, at in enumerate(rocks, start=1))
    state = replace(state, obstacles=solid).with_vehicle("Red 1", cards=())
    return state, ways


def test_what_it_runs_into_where_it_stands_is_chosen_and_nothing_of_it_has_to_be_seen():
    """Only *Accept without measuring* did it, with somebody else's leave."""
    state, ways = beside_rocks()
    there = [put(state, v.name, v.cell, v.facing) for v in state.vehicles]
    still = Seen(TableState.of(SURFACE, there), {}, state.board)
    (found,) = (o for o in GAME.options(state, still) if o.words.startswith("Run into"))
    assert (found.words, found.more) == ("Run into Rock 1 where it stands", "Solid Obstacle, right")
    action = Action(found.kind, found.player, found.data)
    assert GAME.measured(state, action, still) is None
    assert GAME.check(state, action, still) == ()
    assert said_facts(GAME, state, action, still) == ()
    events = GAME.act(state, action, still, TypedDice([1] * 9))
    assert [e.kind for e in events if e.tone != "roll"][:2] == ["lost", "collided"]
    # A way that leads somewhere has to be seen, and of what was moved it is too late to say.
    away = replace(action, data={**action.data, "way": "LR"})
    assert GAME.measured(state, away, still) is False
    moved = seen(state, pushed(state, (ways["LR"].cells[0], 1)))
    assert GAME.measured(state, action, moved) is False
    assert not [o for o in GAME.options(state, moved) if o.words.startswith("Run into")]


@pytest.mark.parametrize(("facing", "stays"), [(6, False), (9, True)])
def test_what_faces_the_edge_ends_where_it_stands_wherever_it_goes(facing, stays):
    (awaited,) = GAME.awaits(racing(red=(3, 5), facing=facing, spaces=2))
    assert awaited.stays is stays


def test_what_may_run_into_something_where_it_stands_may_end_there():
    """Left it goes a hex and then into a rock, right at once: no push of that is to be seen."""
    state, _ = beside_rocks()
    found = choice(state, state.vehicle("Red 1"), state.turn)
    assert sorted((way.sides, len(way.cells)) for way in found.ways) == [("LR", 1), ("R", 0)]
    (awaited,) = GAME.awaits(state)
    assert awaited.stays


def test_a_move_that_ends_in_a_collision_says_with_whom_and_what_follows():
    state = racing(red=(2, 5), facing=1, spaces=2)
    way = {w.sides: w for w in choice(state, state.vehicle("Red 1"), state.turn).ways}["RL"]
    state = state.with_vehicle("Black 1", cell=way.cells[1], facing=0).with_vehicle("Red 1", cards=())
    told = shown(state, pushed(state, (cell(2, 5), 1), (way.cells[0], 1)))
    assert told.verdict is Verdict.YES
    assert told.facts[1:] == (
        "It runs into Black 1: T-collision. Damage rolls follow, and Control rolls of who is hurt.",
    )
