"""Questions to the table: in front, to the side, within reach; the odds of what the camera leaves open."""

from __future__ import annotations

import math

import pytest

from engine.boards.spots import odds_of
from engine.errors import TableRefError
from engine.game.contract import Question
from engine.games.frothy_races.state.game_state import GameState
from engine.ruling import Ruling, Verdict
from engine.space.geometry import Pose
from engine.space.table import TableState
from tests.engine.games.frothy_races.playing import GAME, cell, standing
from tests.engine.games.frothy_races.table.test_pushes import ON, SURFACE, put

KINDS = ("front", "side", "reach")


def racing(
    red: tuple[int, int] = (1, 2), black: tuple[int, int] = (1, 4), facing: int = 0, spaces: int | None = 3
) -> GameState:
    return standing(("Red 1", cell(*red), facing, 2), ("Black 1", cell(*black), 6, 1), turn=spaces).state


def asked(state: GameState, kind: str, one: str = "Red 1", other: str = "Black 1", **off: Pose) -> Ruling:
    found = {q.kind: q for q in GAME.questions(state, (one, other))}
    there = [put(state, v.name, v.cell, v.facing, off.get(v.owner, ON)) for v in state.vehicles]
    return GAME.rule(state, found[kind], TableState.of(SURFACE, there))


def test_each_kind_is_offered_and_says_what_is_missing() -> None:
    state = racing()
    assert [q.kind for q in GAME.questions(state, ("red-1", "Black 1"))] == list(KINDS)
    assert {q.missing for q in GAME.questions(state, ("Red 1",))} == {"the other vehicle"}
    assert {q.missing for q in GAME.questions(state, ())} == {"two vehicles"}
    assert GAME.questions(state, ("Red 1", "the mug")) == ()
    assert GAME.questions(None, ("Red 1", "Black 1")) == ()
    words = [q.words for q in GAME.questions(state, ("Red 1", "Black 1"))]
    assert words[1] == "Does Black 1 stand to the side of Red 1?"


def test_who_is_in_front_with_how_far_and_the_hexes_between() -> None:
    behind, ahead = asked(racing(), "front"), asked(racing(), "front", "Black 1", "Red 1")
    assert (behind.verdict, ahead.verdict) == (Verdict.NO, Verdict.YES)
    assert behind.checks[0].words == ahead.checks[0].words
    assert "2.0 spaces" in ahead.checks[0].words
    assert "1 hex between" in ahead.checks[0].words


def test_of_two_that_are_level_the_inner_one_is_in_front() -> None:
    ruling = asked(racing(red=(0, 2), black=(2, 2)), "front")
    assert ruling.verdict is Verdict.YES
    assert "Red 1 is in front, level along the track, on its inside" in ruling.checks[0].words


def test_a_vehicle_across_the_line_is_in_front_of_one_before_it() -> None:
    state = racing(red=(1, 1), black=(1, -2))
    assert asked(state, "front").verdict is Verdict.YES


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
    ruling = asked(racing(black=black, facing=facing), "side")
    assert ruling.verdict is verdict
    assert words in ruling.checks[0].words


def test_what_may_be_moved_into_with_the_spaces_that_are_left() -> None:
    assert asked(racing(), "reach").verdict is Verdict.YES
    assert "space 2" in asked(racing(), "reach").checks[0].words
    short = asked(racing(spaces=1), "reach")
    assert (short.verdict, short.checks[0].words) == (
        Verdict.NO,
        "no way leads into Black 1 with 1 space; 1 hex between",
    )
    # Black faces away, at Speed 1 with no space in phase 2.
    assert asked(racing(), "reach", "Black 1", "Red 1").checks[0].words == "it has no spaces to move"


def test_what_the_camera_leaves_open_is_too_close_to_call() -> None:
    state = racing(black=(0, 2))
    half = state.board.spacing / 2
    for off in (Pose(half, 0.0), Pose(0.0, 0.0, math.radians(-15))):
        ruling = asked(state, "side", Red=off)
        assert 0.05 < ruling.checks[0].p_yes < 0.95, off
        assert ruling.verdict is Verdict.TOO_CLOSE
    assert asked(state, "side", Red=Pose(0.1, -0.1, math.radians(5))).verdict is Verdict.YES


def test_what_is_so_on_both_hexes_is_sure_also_between_them() -> None:
    state = racing(black=(0, 2))
    off = Pose(-state.board.spacing / 2, 0.0)
    assert state.board.snap(put(state, "Red 1", cell(1, 2), 0, off)).where == "between"
    assert asked(state, "side", Red=off).verdict is Verdict.YES


def test_one_that_is_seen_beside_the_track_is_left_open() -> None:
    ruling = asked(racing(), "front", Black=Pose(0.0, 60.0))
    assert ruling.verdict is Verdict.TOO_CLOSE
    assert "Black 1 is seen beside the track" in ruling.checks[0].words


def test_one_that_may_be_beside_the_track_is_left_open_though_it_is_so_on_every_hex() -> None:
    """What is said of the hexes is sure; nothing can be said of the share beside them."""
    state = racing(red=(0, 2), black=(3, 2))
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
    state = racing()
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
        GAME.rule(racing(), Question("shot", "", ("Red 1", "Black 1")), table)
    with pytest.raises(TableRefError, match="expected two vehicles but got Red 1"):
        GAME.rule(racing(), Question("front", "", ("Red 1",)), table)
