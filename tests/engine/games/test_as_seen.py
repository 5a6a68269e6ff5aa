"""What somebody types and the table surely says counts as seen, in every game; what it denies is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from engine.game.contract import NOTHING_SEEN, Seen
from engine.game.dice import SeededDice
from engine.game.events import SAID, Action, Event, Unmeasured, Vouched
from engine.game.match import Match
from engine.game.registry import game_called, games
from engine.games.battlecars.game import GAME as POINTS
from engine.games.frothy_races.game import GAME as HEXES
from engine.measure.sweep import Straight, Turn
from engine.space.geometry import Pose
from server.play.moving.seeing import ranges_in
from tests.engine.game.test_own_games import FOLDER, SETUP
from tests.engine.games.battlecars.hands import pushed as points_pushed
from tests.engine.games.battlecars.hands import seen as points_seen
from tests.engine.games.battlecars.test_pieces import racing
from tests.engine.games.car_cult import hands as cult_hands
from tests.engine.games.car_cult import playing as cult
from tests.engine.games.frothy_races import test_table as hexes
from tests.engine.games.shattered_highways.hands import road_match
from tests.engine.games.white_line_fever import playing as fever
from tests.engine.games.white_line_fever.test_guide import choosing, moved, seen_of
from tests.engine.tables import car, table


@dataclass(frozen=True)
class Scene:
    """A match, what the camera sees, a lawful deed that rests on it, and one thing said otherwise."""

    match: Match[Any]
    seen: Seen
    action: Action
    otherwise: dict[str, Any]


def fever_move() -> Scene:
    seen = seen_of(moved(Straight(3.0), others=(car("Blue 1", 40, 30),)))
    action = Action("move", "Red", {"car": "Red 1", "move": "move-1"})
    return Scene(choosing(3), seen, action, {"contacts": ["Blue 1"]})


def fever_shot() -> Scene:
    cars = [fever.sheet("Red 1", "Red", primary="Machine Gun"), fever.sheet("Blue 1", "Blue")]
    match = fever.begun(*cars)
    fever.do(match, "choose", car="Red 1")
    fever.drive(match, "Red 1")
    seen = Seen(table(car("Red 1", 10, 20), car("Blue 1", 26, 20)))
    return Scene(
        match, seen, Action("shoot", "Red", {"weapon": "Machine Gun", "target": "Blue 1"}), {"band": "short"}
    )


def cult_match() -> Match[Any]:
    cars = [cult.car("Red 1", "Straight Five", "Rifle"), cult.car("Blue 1", "Straight Five", "Cannon")]
    return cult.begun(*cars, tokens={"Red 1": 3})


def cult_move() -> Scene:
    match = cult_match()
    cult.activated(match)
    before = cult_hands.table(cult_hands.put("Red 1", 8, 24), cult_hands.put("Blue 1", 40, 40))
    seen = cult_hands.seen(cult_hands.pushed(before, "Red 1", [Straight(11.0)]))
    return Scene(match, seen, Action("move", "Red", {"car": "Red 1", "move": "m1"}), {"into": "Blue 1"})


def cult_fire() -> Scene:
    match = cult_match()
    cult.activated(match, "Rifle · 1")
    cult.do(match, "declare", weapon="Rifle", target="Blue 1")
    seen = Seen(cult_hands.table(cult_hands.put("Red 1", 4, 24), cult_hands.put("Blue 1", 16, 24)))
    return Scene(match, seen, Action("fire", "Red", {}), {"reach": "no"})


def road_move() -> Scene:
    hands = road_match(Blue_1=(40.0, 4.0))
    hands.do("move", (3,), vehicle="Red 1")
    action = Action("moved", "Red", {"vehicle": "Red 1", "move": hands.push("Red 1", 4.0, 0.0)})
    return Scene(hands.match, hands.seen, action, {"edge": "front"})


def points_move() -> Scene:
    state = racing()
    move = points_pushed(state, "Red 1", ((3, 5), 0), ((4, 5), 0), ((5, 5), 0))
    action = Action("move", "Red", {"move": "m1"})
    return Scene(Match.at(POINTS, state), points_seen(state, move), action, {"corners": [0, 1, 0]})


def hexes_move() -> Scene:
    state = hexes.racing_ways()
    move = hexes.pushed(state, *((hexes.on(k), 0) for k in (1, 2, 3)))
    action = Action("move", "Red", {"vehicle": "Red 1", "move": "m1"})
    return Scene(Match.at(HEXES, state), hexes.seen(state, move), action, {"way": "FFL"})


SCENES: tuple[Callable[[], Scene], ...] = (
    fever_move, fever_shot, cult_move, cult_fire, road_move, points_move, hexes_move,
)  # fmt: skip


def told(scene: Scene, action: Action) -> list[tuple[Any, ...]]:
    """What would come of it, but for the words in which it was asked for."""
    first, *rest = scene.match.propose(scene.match.spelled_out(action, scene.seen), scene.seen, SeededDice(1))
    return [(first.kind, first.measured, *ranges_in(first)), *((e.kind, e.data, e.measured) for e in rest)]


@pytest.fixture(params=SCENES, ids=lambda one: one.__name__)
def scene(request: pytest.FixtureRequest) -> Scene:
    """Each of them."""
    made: Scene = request.param()
    return made


def test_what_is_typed_as_the_table_surely_says_it_is_seen_and_not_said(scene: Scene) -> None:
    match, plain = scene.match, scene.action
    table_says = match.game.table_says(match.state, plain, scene.seen)
    (option,) = (
        o for o in match.options(scene.seen) if o.kind == plain.kind and o.data.items() <= plain.data.items()
    )
    fields = [one.field for one in match.game.facts[plain.kind] if one.field in table_says]
    # Of what no form asks for, nothing is sent where there is nothing.
    fields = [name for name in fields if table_says[name] or name in option.form.fields]
    assert set(scene.otherwise) & {*fields, "over"}, "what is said otherwise is known surely"
    seen = told(scene, plain)
    assert seen[0][:2] == ("action", True)
    for some in (*([name] for name in fields), fields):
        typed = replace(plain, data={**plain.data, **{name: table_says[name] for name in some}})
        assert match.said(typed, scene.seen) == ()
        assert told(scene, typed) == seen, some


def test_what_is_typed_otherwise_is_said_and_never_measured(scene: Scene) -> None:
    match = scene.match
    typed = replace(scene.action, data={**scene.action.data, **scene.otherwise})
    (fact,) = match.said(typed, scene.seen)
    assert (fact.how, bool(fact.measured)) == ("said", True)
    spelled = match.spelled_out(typed, scene.seen)
    assert scene.otherwise.items() <= spelled.data.items()
    # With it what the table surely says besides is no more seen than it is.
    (name,) = scene.otherwise
    more = match.game.table_says(match.state, scene.action, scene.seen) | scene.otherwise
    all_of_it = replace(typed, data={**scene.action.data, **more})
    assert [one.words for one in match.said(all_of_it, scene.seen)] == [fact.words], name
    by = Vouched("Red", ("Blue",))
    events = match.propose(replace(spelled, vouched=by), scene.seen, SeededDice(1))
    assert [e.kind for e in events if e.measured is True] == []
    assert [e.kind for e in events if e.kind == SAID] == [SAID]


@pytest.mark.parametrize("as_said", [False, True], ids=["measured", "said"])
def test_it_is_undone_taken_again_and_ruled_again_from_the_record_as_it_was(
    scene: Scene, as_said: bool
) -> None:
    match, action = scene.match, scene.action
    if as_said:
        typed = replace(action, data={**action.data, **scene.otherwise})
        action = replace(match.spelled_out(typed, scene.seen), vouched=Vouched("Red", ("Blue",)))
    before, count = match.state, len(match.counted)
    done = match.do(action, scene.seen, SeededDice(1))
    if match.undoable is not None:
        match.undo("Red")
        assert match.state == before
        assert match.do(action, scene.seen, SeededDice(1)) == done
    told = [e for batch in match.counted[count:] for e in batch.events]
    record = Match.at(match.game, before)
    # The record names the move by what it spans; its id is that of the move that is seen again.
    first = replace(told[0], data={**told[0].data, "data": {**told[0].data["data"], **_by_id(told[0])}})
    again = record.anew([first, *told[1:]], scene.seen)
    assert [(e.kind, e.words, e.measured) for e in again] == [(e.kind, e.words, e.measured) for e in told]
    assert as_said is any(e.kind == SAID for e in again)


def _by_id(first: Event) -> dict[str, Any]:
    return {field: move["id"] for field, move in ranges_in(first).items()}


BENT = (Straight(4.0), Turn(1.0, (-0.89, 0.0)), Straight(3.0, 0.9), Turn(-1.4, (-0.89, 0.0)), Straight(2.0))
"""A way of which its two ends alone tell little."""


def fever_hidden() -> Scene:
    move = moved(*BENT, others=(car("Blue 1", 40, 30),))
    return replace(fever_move(), match=choosing(1), seen=seen_of(replace(move, reads=())))


def cult_hidden() -> Scene:
    before = cult_hands.table(cult_hands.put("Red 1", 8, 24), cult_hands.put("Blue 1", 40, 40))
    move = cult_hands.pushed(before, "Red 1", list(BENT))
    return replace(cult_move(), seen=cult_hands.seen(replace(move, reads=())))


def cult_astray() -> Scene:
    """Seen twice on its way, off the one that its ends tell: by which way it got there nobody saw."""
    before = cult_hands.table(cult_hands.put("Red 1", 8, 24), cult_hands.put("Blue 1", 40, 40))
    rear = (-1.475, 0.0)
    way = [Straight(5.2), Turn(0.79, rear), Straight(2.25), Turn(-0.785, rear), Straight(2.1)]
    move = cult_hands.pushed(before, "Red 1", way)
    third = len(move.reads) // 3
    scene = replace(cult_move(), seen=cult_hands.seen(replace(move, reads=move.reads[third::third][:2])))
    (reason,) = scene.match.game.check(scene.match.state, scene.action, scene.seen)
    assert reason.words.startswith("Straight Line: Red 1 was hidden over ")
    return scene


@pytest.mark.parametrize("make", [fever_hidden, cult_hidden, cult_astray])
def test_a_way_that_nobody_saw_is_accepted_as_said_and_never_told_as_measured(
    make: Callable[[], Scene],
) -> None:
    scene = make()
    match, action = scene.match, scene.action
    reasons = match.game.check(match.state, action, scene.seen)
    assert any(reason.fact for reason in reasons)
    answers = {"": "yes"} | {r.question: "no" for r in reasons if r.question}
    ruled = replace(action, data={**action.data, "ruled": answers})
    assert "open" in {fact.how for fact in match.said(ruled, scene.seen)}
    spelled = replace(match.spelled_out(ruled, scene.seen), vouched=Vouched("Red", ("Blue",)))
    events = match.propose(spelled, scene.seen, SeededDice(1))
    assert [e.words for e in events if e.measured is True] == []
    assert any(e.kind == SAID and "says, not measured: " in e.words for e in events)


def fever_close() -> Scene:
    seen = seen_of(moved(Straight(3.3), others=(car("Blue 1", 40, 30),)))
    return replace(fever_move(), seen=seen)


def cult_close() -> Scene:
    before = cult_hands.table(cult_hands.put("Red 1", 8, 24), cult_hands.put("Blue 1", 40, 40))
    return replace(cult_move(), seen=cult_hands.seen(cult_hands.pushed(before, "Red 1", [Straight(12.25)])))


def road_close() -> Scene:
    hands = road_match(Blue_1=(40.0, 4.0))
    hands.do("move", (3,), vehicle="Red 1")
    action = Action("moved", "Red", {"vehicle": "Red 1", "move": hands.push("Red 1", 9.1, 0.0)})
    return Scene(hands.match, hands.seen, action, {})


def points_close() -> Scene:
    state = racing()
    move = points_pushed(state, "Red 1", ((3, 5), 0), ((4, 5), 0), ((5, 5), 0), off=Pose(1.49, 0.0))
    action = Action("move", "Red", {"move": "m1"})
    return Scene(Match.at(POINTS, state), points_seen(state, move), action, {})


def hexes_close() -> Scene:
    state = hexes.racing()
    return Scene(Match.at(HEXES, state), hexes.seen(state, hexes.between(state)), hexes.MOVED, {})


CLOSE: dict[Callable[[], Scene], str] = {
    fever_close: "Speed: 3.30 in of 3 in, 0.30 in too far, ±0.04",
    cult_close: "Maximum: 12.25 in of 9 to 12 in, ±0.04",
    road_close: "Inside the Template: the front bumper is 0.10 in outside the template, ±0.03",
    points_close: "Red 1 stands between F6 and G6 facing right",
    hexes_close: "Red 1 stands between 2.5 and 2.6 facing 0°",
}
"""A move of each game that was wholly seen and is too close to call, and what of it is."""


@pytest.mark.parametrize("make", CLOSE)
def test_a_move_that_is_too_close_to_call_is_accepted_as_said_and_never_told_as_measured(
    make: Callable[[], Scene],
) -> None:
    scene, what = make(), CLOSE[make]
    match, ruled = scene.match, {**scene.action.data, "ruled": "yes"}
    action = match.spelled_out(replace(scene.action, data=ruled), scene.seen)
    (fact,) = match.said(action, scene.seen)
    assert (fact.how, fact.words) == ("open", f"{what}: yes (too close to call)")
    before = match.state
    told = match.do(replace(action, vouched=Vouched("Red", ("Blue",))), scene.seen, SeededDice(1))
    assert [e.words for e in told if e.measured is True] == []
    (said,) = (e.words for e in told if e.kind == SAID)
    assert said == f"Red says, not measured: {fact.words}; Blue agrees"
    first = replace(told[0], data={**told[0].data, "data": {**told[0].data["data"], **_by_id(told[0])}})
    again = Match.at(match.game, before).anew([first, *told[1:]], scene.seen)
    assert [(e.kind, e.words, e.measured) for e in again] == [(e.kind, e.words, e.measured) for e in told]


@pytest.mark.parametrize(
    ("make", "typed"),
    [
        (points_move, {"corners": [0, 0, 0]}),
        (hexes_move, {"vehicle": "Red 1", "way": "FFF", "turn": "straight"}),
        (hexes_move, {"vehicle": "Red 1", "turn": "right"}),
    ],
)
def test_where_a_move_rests_says_nothing_of_one_that_is_not_named(
    make: Callable[[], Scene], typed: dict[str, Any]
) -> None:
    """A form asks it of a move that was seen between two cells; the record would not be ruled again."""
    scene = make()
    ends = scene.match.game.table_says(scene.match.state, scene.action, scene.seen)["ends"]
    action = Action("move", "Red", {**typed, "ends": ends}, Unmeasured("a tag was covered", "Blue"))
    spelled = scene.match.spelled_out(action, scene.seen)
    assert spelled.data == typed
    assert scene.match.spelled_out(scene.action, scene.seen) == scene.action
    before = scene.match.state
    told = scene.match.do(spelled, scene.seen, SeededDice(1))
    again = Match.at(scene.match.game, before).anew(told, Seen(scene.seen.table, {}, scene.seen.board))
    assert [(e.kind, e.words) for e in again] == [(e.kind, e.words) for e in told]


def test_of_a_game_without_facts_nothing_is_said() -> None:
    """As the sample of a game of one's own: what is typed in it is a choice."""
    game = game_called("far_edge", [FOLDER])
    match = Match.begin(game, SETUP)
    action = Action("go", "Ann", {"inches": 3})
    assert match.said(action, NOTHING_SEEN) == ()
    assert match.spelled_out(action, NOTHING_SEEN) == action


def test_every_game_is_tried() -> None:
    tried = {scene().match.game.about.id for scene in SCENES}
    assert tried == {one.about.id for one in games() if one.about is not None}
