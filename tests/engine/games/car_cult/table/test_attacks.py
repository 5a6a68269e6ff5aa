from __future__ import annotations

import pytest

from engine.errors import TableRefError
from engine.game.contract import Question, Seen
from engine.game.dice import TypedDice
from engine.game.events import Action
from engine.game.viewing import permitted
from engine.games.car_cult.game import GAME
from engine.measure.seeing.visible_range import visible_range
from engine.ruling import Verdict
from tests.engine.games.car_cult.playing import activated, begun, car, do
from tests.engine.games.car_cult.table.hands import put, table, wall


def declared(weapon: str = "Rifle"):
    """Red 1 has declared Blue 1 as the target."""
    match = begun(car("Red 1", "Big Six", weapon), car("Blue 1", "Straight Five", "Cannon"),
                  car("Blue 2", "Quick Four"), tokens={"Red 1": 3})  # fmt: skip
    activated(match, f"{weapon} · 1")
    before = match.state
    do(match, "declare", weapon=weapon, target="Blue 1")
    return match, before


def shot(target: str = "Blue 1", weapon: str = "Rifle") -> Question:
    return Question("shot", "", ("Red 1", target), {"weapon": weapon})


NEAR = table(put("Red 1", 8, 24), put("Blue 1", 20, 24), put("Blue 2", 8, 30))


def test_nothing_may_be_measured_before_the_target_is_declared_and_only_that_attack_after():
    match, before = declared()
    assert permitted(GAME, before, shot()) is not None
    assert GAME.questions(before, ("Red 1", "Blue 1")) == ()
    assert permitted(GAME, match.state, shot()) is None
    assert permitted(GAME, match.state, shot("Blue 2")) is not None
    assert permitted(GAME, match.state, shot(weapon="Cannon")) is not None
    assert (
        permitted(GAME, match.state, Question("shot", "", ("Blue 1", "Red 1"), {"weapon": "Rifle"}))
        is not None
    )
    assert permitted(GAME, match.state, None) is not None


def test_within_range_and_in_sight_the_dice_are_rolled_as_measured():
    match, _ = declared()
    events = match.do(Action("fire"), Seen(NEAR), TypedDice([12, 3]))
    (ranged,) = [e for e in events if e.kind == "ranged"]
    assert ranged.data["reached"] is True
    assert ranged.measured is True
    gap = NEAR.find("Red 1").region.polygon.distance(NEAR.find("Blue 1").region.polygon)
    assert ranged.data["distance"] == pytest.approx(gap, abs=1e-3)
    assert ranged.data["sd"] > 0


@pytest.mark.parametrize(
    "blocked",
    [
        table(put("Red 1", 4, 24), put("Blue 1", 30, 24), put("Blue 2", 8, 40)),
        table(put("Red 1", 8, 24), put("Blue 1", 20, 24), wall("Wall", 14, 24, 1, 44)),
    ],
)
def test_too_far_or_out_of_sight_no_attack_is_made(blocked):
    match, _ = declared()
    events = match.do(Action("fire"), Seen(blocked), TypedDice())
    assert [e.data["reached"] for e in events if e.kind == "ranged"] == [False]


def test_too_close_to_call_is_asked_and_the_answer_kept():
    match, _ = declared()
    gap = 18.0
    close = table(put("Red 1", 8, 24, sd=0.05), put("Blue 1", 8 + gap + 2.93, 24, sd=0.05))
    exact = visible_range(close.find("Red 1"), close.find("Blue 1"), ()).direct.value
    close = table(put("Red 1", 8, 24, sd=0.05), put("Blue 1", 8 + gap + 2.93 + 18.0 - exact, 24, sd=0.05))
    (reason,) = GAME.check(match.state, Action("fire"), Seen(close))
    assert reason.open
    ruled = Action("fire", None, {"ruled": {reason.question: "no"}})
    events = match.do(ruled, Seen(close), TypedDice())
    assert [e.data["verdict"] for e in events if e.kind == "ruled"] == ["no"]
    assert [e.data["reached"] for e in events if e.kind == "ranged"] == [False]


def test_the_segment_and_the_visible_part_are_drawn():
    match, _ = declared()
    behind = table(put("Red 1", 8, 24), put("Blue 1", 20, 24, 90), wall("Wall", 14, 22.6, 1, 3))
    marks = GAME.reach(match.state, shot(), behind)
    (line,) = [m for m in marks if m.shape == "line"]
    assert len(line.points) == 2
    assert [m for m in marks if m.shape == "polygon" and m.piece == "Blue 1"]


def test_a_part_that_may_or_may_not_be_seen_is_too_close_to_call():
    one, other = put("Red 1", 8, 24, sd=0.05), put("Blue 1", 20, 24, 90, sd=0.05)
    verdicts = set()
    for half in (1.0, 4.0, 1.45, 1.5, 1.55, 1.6, 1.65, 1.7, 1.75, 1.8, 20.0):
        block = wall("Wall", 18.7, 24, 0.4, 2 * half, sd=0.05)
        verdicts.add(visible_range(one, other, [block]).at_most(14.0).verdict())
    assert verdicts >= {Verdict.YES, Verdict.NO}


def test_a_question_about_one_car_or_of_another_kind_is_refused():
    with pytest.raises(TableRefError, match="two cars"):
        GAME.rule(None, Question("shot", "", ("Red 1",), {"weapon": "Rifle"}), NEAR)
    with pytest.raises(TableRefError, match="of the kind"):
        GAME.rule(None, Question("distance", "", ("Red 1", "Blue 1")), NEAR)


def test_without_a_match_every_weapon_may_be_asked():
    assert len(GAME.questions(None, ("Red 1", "Blue 1"))) == 4
    assert GAME.rule(None, shot(), NEAR).verdict is Verdict.YES
    assert GAME.questions(None, ())[0].missing
