"""What is said against what is seen, in the other games: the same rule, by what each declares."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from engine.game.contract import Seen
from engine.game.events import RULED_BY, SAID, batches
from engine.game.match import Match
from engine.game.showing import Viewer
from engine.games.battlecars.game import GAME as POINTS
from engine.games.frothy_races.game import GAME as HEXES
from engine.measure.seeing.visible_range import visible_range
from engine.measure.sweep import Straight
from server.formats import units
from server.play.messages import Answer
from server.play.moving.seeing import by_ids
from server.play.subjects import Subjects
from server.play.view import log_lines
from server.web.authentication import Identity
from tests.engine.games.battlecars.hands import pushed as points_pushed
from tests.engine.games.battlecars.hands import seen as points_seen
from tests.engine.games.battlecars.test_pieces import racing, straight
from tests.engine.games.car_cult.hands import pushed as cult_pushed
from tests.engine.games.car_cult.hands import put, table, wall
from tests.engine.games.car_cult.hands import seen as cult_seen
from tests.engine.games.car_cult.playing import activated, do
from tests.engine.games.car_cult.playing import begun as cult_begun
from tests.engine.games.car_cult.playing import car as cult_car
from tests.engine.games.frothy_races import test_table as hexes
from tests.engine.games.frothy_races.test_table import pushed as hexes_pushed
from tests.engine.games.frothy_races.test_table import seen as hexes_seen
from tests.engine.games.shattered_highways.hands import road_match
from tests.engine.games.test_as_seen import CLOSE, SCENES, Scene, hexes_close, points_close
from tests.server.seams.said import BLUE, OWNER, PHONES, RED, Evening

CARS = {"Red 1": "Red", "Blue 1": "Blue"}


def not_alone(evening: Evening, kind: str, **data: object) -> None:
    """What is against a move its driver lets pass under no name, over the wire neither."""
    count = len(evening.match.log)
    for ruled in ("yes", {"": "yes"}, {r.question: "yes" for r in evening.act(RED, kind, **data).reasons}):
        for player in (None, "Red", *(p for p in evening.host.seats.taken if p != "Red")):
            said = {**data, "ruled": ruled, RULED_BY: player or "Blue"}
            evening.nothing_done(evening.act(RED, kind, player=player, **said), count)
            evening.nothing_done(evening.act(RED, kind, "I saw it", player=player, **said), count)
    for one in evening.host.proposals.waiting.values():
        assert "Red" not in one.missing


# Every game: what its players type that the table surely denies


@pytest.fixture(params=SCENES, ids=lambda one: one.__name__)
def denied(request: pytest.FixtureRequest) -> tuple[Evening, Scene]:
    """A deed that rests on the table at a host, and what is said of it that the table denies."""
    scene: Scene = request.param()
    sheets = scene.match.game.sheets(scene.match.state, Viewer())
    owners = {s.piece: s.owner for s in sheets if s.piece is not None and s.owner is not None}
    return Evening(scene.match, owners, scene.seen), scene


def says(evening: Evening, who: Identity, kind: str, said: dict[str, Any]) -> Answer:
    """Somebody says it; where the way itself is typed, why nothing measured it, too, as the page asks."""
    answer = evening.act(who, kind, player="Red", **said)
    if answer.accepted or answer.proposed:
        return answer
    assert "not measured" in answer.reasons[0].words
    return evening.act(who, kind, "I saw it", player="Red", **said)


def test_in_every_game_nobody_says_alone_what_the_table_denies(denied: tuple[Evening, Scene]) -> None:
    evening, scene = denied
    kind, said = scene.action.kind, {**scene.action.data, **scene.otherwise}
    count = len(evening.match.log)
    other = next(name for name in evening.host.seats.taken if name != "Red")
    opponent = PHONES[other]
    # By no name, with no reason, and for no other does it happen, from either phone.
    for who in (RED, opponent):
        for player in (None, "Red", other):
            for more in ({}, {"ruled": "yes"}, {"ruled": {"": "yes"}, RULED_BY: other}):
                for why in (None, "I saw it"):
                    evening.nothing_done(evening.act(who, kind, why, player=player, **said, **more), count)
        for one in evening.host.proposals.waiting.values():
            assert (one.by, one.missing) == ("Red", (other,)), "the one who acts proposes, the other agrees"
    assert evening.host.proposals.waiting
    evening.host.proposals.waiting.clear()
    assert says(evening, RED, kind, said).proposed == [other]
    evening.nothing_done(evening.agree(RED), count)
    assert evening.agree(opponent).accepted
    assert (evening.said.data["by"], evening.said.data["agreed"]) == ("Red", [other])
    assert not [e.words for e in evening.match.log[count:] if e.measured is True]


def test_in_every_game_the_owner_says_it_with_one_tap_in_the_owners_name(
    denied: tuple[Evening, Scene],
) -> None:
    evening, scene = denied
    count = len(evening.match.log)
    said = {**scene.action.data, **scene.otherwise}
    assert says(evening, OWNER, scene.action.kind, said).accepted
    assert evening.said.words.startswith("the owner of the table says, not measured: ")
    assert not [e.words for e in evening.match.log[count:] if e.measured is True]


def test_in_every_game_nobody_does_anothers_deed(denied: tuple[Evening, Scene]) -> None:
    """Neither as it was measured nor without, in no name; whose it is does it, and it is measured."""
    evening, scene = denied
    kind, data = scene.action.kind, scene.action.data
    count = len(evening.match.log)
    other = next(name for name in evening.host.seats.taken if name != "Red")
    for player in (None, "Red", other):
        for why in (None, "I saw it"):
            evening.nothing_done(evening.act(PHONES[other], kind, why, player=player, **data), count)
    assert not evening.host.proposals.waiting
    assert evening.act(RED, kind, **data).accepted
    assert evening.match.log[count].measured is True
    assert evening.told(SAID) == []


@pytest.mark.parametrize("make", CLOSE)
def test_in_every_game_a_close_call_is_answered_by_others_and_told_alike_everywhere(
    make: Callable[[], Scene],
) -> None:
    scene = make()
    sheets = scene.match.game.sheets(scene.match.state, Viewer())
    evening = Evening(scene.match, {str(s.piece): str(s.owner) for s in sheets if s.piece}, scene.seen)
    count = len(evening.match.log)
    other = next(name for name in evening.host.seats.taken if name != "Red")
    answer = evening.act(RED, scene.action.kind, player="Red", **scene.action.data, ruled="yes")
    evening.nothing_done(answer, count)
    assert answer.proposed == [other]
    assert evening.agree(PHONES[other]).accepted
    words = evening.said.words
    assert words == f"Red says, not measured: {CLOSE[make]}: yes (too close to call); {other} agrees"
    assert [e.words for e in evening.match.log[count:] if e.measured is True] == []
    # So the log shows it, whatever is asked again of its events, and a dispute about it.
    shown = [line.words for line in log_lines(evening.match.log, Viewer())]
    assert units.retold(words) in shown
    disputed = Subjects(evening.host).offered()
    # Of a move from cell to cell nothing was measured against a limit that could be disputed.
    assert [one.said for one in disputed] == [(words,)] * (make not in (points_close, hexes_close))


@pytest.mark.parametrize("make", CLOSE)
def test_in_every_game_an_answer_holds_for_its_question_with_the_last_digit_off(
    make: Callable[[], Scene],
) -> None:
    """A record is a little coarser than what was seen: ruled again it asked another question."""
    scene = make()
    before = Match.at(scene.match.game, scene.match.state)
    sheets = scene.match.game.sheets(scene.match.state, Viewer())
    evening = Evening(scene.match, {str(s.piece): str(s.owner) for s in sheets if s.piece}, scene.seen)
    reasons = scene.match.check(scene.action, scene.seen)
    said = {reason.question or reason.words: "yes" for reason in reasons}
    assert evening.act(OWNER, scene.action.kind, player="Red", **scene.action.data, ruled=said).accepted
    first, *rest = list(batches(evening.match.log))[-1]
    first = by_ids(first)
    ruled = {
        re.sub(r"\d+\.\d+", lambda found: f"{float(found[0]) + 0.01:.2f}", name): answer
        for name, answer in first.data["data"]["ruled"].items()
    }
    asked = replace(first, data={**first.data, "data": {**first.data["data"], "ruled": ruled}})
    again = before.anew([asked, *rest], scene.seen)
    assert [event.kind for event in again] == [first.kind, *(event.kind for event in rest)]
    assert again[0].data["data"]["ruled"] == ruled


# Car Cult


def declared(far: float, sd: float = 0.01, at: float | None = None) -> Evening:
    """Red 1 has declared Blue 1, so far away, as the target of its Rifle: 18 in."""
    match = cult_begun(cult_car("Red 1", "Big Six", "Rifle"), cult_car("Blue 1", "Straight Five", "Cannon"),
                       tokens={"Red 1": 3})  # fmt: skip
    activated(match, "Rifle · 1")
    do(match, "declare", weapon="Rifle", target="Blue 1")
    one, other = put("Red 1", 4, 24, sd=sd), put("Blue 1", 4 + far, 24, sd=sd)
    if at is not None:
        off = at - visible_range(one, other, ()).direct.value
        other = put("Blue 1", 4 + far + off, 24, sd=sd)
    return Evening(match, CARS, Seen(table(one, other)))


def test_a_range_that_was_measured_is_not_said_otherwise_by_whoever_shoots() -> None:
    evening = declared(far=40.0)
    count = len(evening.match.log)
    said = evening.act(RED, "fire", reach="yes")
    evening.nothing_done(said, count)
    assert said.proposed == ["Blue"]
    assert evening.agree(BLUE).accepted
    (ranged,) = evening.told("ranged")
    # The number is kept beside what was said.
    assert ranged.data["distance"] > 30.0
    assert ranged.data["reached"] is True
    assert "as the players say" in ranged.words
    assert evening.match.log[count].measured is False
    assert evening.said.words.startswith(
        "Red says, not measured: within range and in sight: yes (the table: no)"
    )


def test_saying_what_was_measured_is_no_saying() -> None:
    evening = declared(far=12.0)
    count = len(evening.match.log)
    assert evening.act(RED, "fire", reach="yes").accepted
    assert evening.told("said") == []
    # It is told as measured, then, and not as what the players say.
    assert evening.match.log[count].measured is True
    assert "as the players say" not in evening.told("ranged")[0].words


def test_whoever_shoots_does_not_answer_a_range_that_is_too_close_to_call() -> None:
    evening = declared(far=20.0, sd=0.05, at=18.0)
    count = len(evening.match.log)
    (reason,) = evening.act(RED, "fire").reasons
    assert reason.open
    for said in ({"ruled": {reason.question: "yes"}}, {"ruled": "yes"}, {"reach": "yes"}):
        answer = evening.act(RED, "fire", **said)
        evening.nothing_done(answer, count)
        assert answer.proposed == ["Blue"]
    assert evening.agree(BLUE).accepted
    assert evening.match.log[count].measured is False
    # The number beside the answer was measured, what it comes to was not.
    (ranged,) = evening.told("ranged")
    assert ranged.measured is False
    assert "as the players say" in ranged.words


def driving(*others, inches: float, sd: float = 0.01) -> Evening:
    """Red 1 has made a move of so many inches, of 9 to 12."""
    cars = [cult_car(name, "Straight Five", "Rifle") for name in CARS]
    match = cult_begun(*cars, tokens={"Red 1": 3})
    activated(match)
    before = table(put("Red 1", 8, 24, sd=sd), *others)
    return Evening(match, CARS, cult_seen(cult_pushed(before, "Red 1", [Straight(inches)])))


def test_the_mover_does_not_decide_alone_whether_it_touches() -> None:
    """Nor does one yes to an illegal move answer the questions that come with it."""
    front = 8 + 10.5 + float(put("Red 1", 0, 0).piece.body.footprint.outline[:, 0].max())
    rear = float(put("Blue 1", 0, 0).piece.body.footprint.outline[:, 0].min())
    evening = driving(put("Blue 1", front - rear + 0.01, 24, sd=0.05), inches=10.5)
    count = len(evening.match.log)
    reasons = evening.act(RED, "move", car="Red 1", move="m1").reasons
    questions = [reason.question for reason in reasons if reason.question]
    assert questions
    answers = dict.fromkeys(questions, "no")
    answer = evening.act(RED, "move", car="Red 1", move="m1", ruled={"": "yes", **answers})
    evening.nothing_done(answer, count)
    assert answer.proposed == ["Blue"]


def test_one_yes_lets_pass_and_answers_no_question() -> None:
    front = 8 + 13.5 + float(put("Red 1", 0, 0).piece.body.footprint.outline[:, 0].max())
    rear = float(put("Blue 1", 0, 0).piece.body.footprint.outline[:, 0].min())
    evening = driving(put("Blue 1", front - rear + 0.01, 24, sd=0.05), inches=13.5)
    reasons = evening.act(RED, "move", car="Red 1", move="m1").reasons
    assert any(reason.question for reason in reasons)
    assert any(not reason.question for reason in reasons)
    for who in (RED, OWNER):
        left = evening.act(who, "move", car="Red 1", move="m1", ruled="yes").reasons
        assert left
        assert all(reason.question for reason in left)


@pytest.mark.parametrize("said", [{"inches": 10.0}, {"into": "Blue 1"}, {"drift": 1.0}, {"rough": 3.0}])
def test_what_was_measured_of_a_move_is_not_typed_over(said: dict[str, object]) -> None:
    evening = driving(put("Blue 1", 40, 40), inches=11.0)
    count = len(evening.match.log)
    typed = evening.act(RED, "move", car="Red 1", move="m1", **said)
    evening.nothing_done(typed, count)
    # As the way itself is typed, why nothing measured it is asked first.
    if not typed.proposed:
        assert "not measured" in typed.reasons[0].words
        typed = evening.act(RED, "move", "it was bumped", car="Red 1", move="m1", **said)
        evening.nothing_done(typed, count)
    assert typed.proposed == ["Blue"]
    assert evening.act(RED, "move", car="Red 1", move="m1").accepted
    assert evening.told("moved")[0].measured is True


def test_an_opponent_makes_no_move_of_anothers_car() -> None:
    evening = driving(put("Blue 1", 40, 40), inches=11.0)
    count = len(evening.match.log)
    for data in ({"move": "m1"}, {"inches": 9.0}, {"inches": 12.0, "into": "Blue 1"}):
        for player in ("Red", None):
            answer = evening.act(BLUE, "move", "I saw it", player=player, car="Red 1", **data)
            evening.nothing_done(answer, count)


def test_a_wall_is_nobodys_so_any_of_the_others_agrees() -> None:
    evening = driving(put("Blue 1", 40, 40), wall("Wall", 40, 10, 2, 2), inches=13.5)
    assert evening.act(RED, "move", car="Red 1", move="m1", ruled="yes").proposed == ["Blue"]
    assert evening.agree(BLUE).accepted
    assert evening.told("moved")[0].measured is True
    assert evening.said.words.startswith("Red lets pass: ")


# Shattered Highways


def on_the_road(along: float) -> tuple[Evening, str]:
    """Red 1 has been pushed so far ahead, of 9 in."""
    hands = road_match(Blue_1=(40.0, 4.0))
    hands.do("move", (3,), vehicle="Red 1")
    move = hands.push("Red 1", along, 0.0)
    owners = {v.name: v.owner for v in hands.match.state.vehicles}
    return Evening(hands.match, owners, hands.seen), move


def test_the_mover_does_not_accept_their_own_move_out_of_the_template() -> None:
    evening, move = on_the_road(10.0)
    count = len(evening.match.log)
    assert all(reason.open for reason in evening.act(RED, "moved", vehicle="Red 1", move=move).reasons)
    answer = evening.act(RED, "moved", vehicle="Red 1", move=move, ruled="yes")
    evening.nothing_done(answer, count)
    assert answer.proposed == ["Blue"]
    assert evening.agree(BLUE).accepted
    assert evening.told("moved")


def test_a_ram_of_what_it_does_not_touch_is_not_accepted_by_whoever_rams() -> None:
    evening, move = on_the_road(4.0)
    count = len(evening.match.log)
    said = {"vehicle": "Red 1", "move": move, "targets": ["Blue 1"], "side": "front"}
    answer = evening.act(RED, "ram", **said, ruled="yes")
    evening.nothing_done(answer, count)


def test_an_edge_that_was_not_reached_is_not_typed() -> None:
    evening, move = on_the_road(4.0)
    count = len(evening.match.log)
    answer = evening.act(RED, "moved", vehicle="Red 1", move=move, edge="front")
    evening.nothing_done(answer, count)
    assert answer.proposed == ["Blue"]
    assert evening.act(RED, "moved", vehicle="Red 1", move=move, edge="none").accepted
    assert evening.told("said") == []


# Battlecars


def test_which_of_several_ways_it_went_is_not_said_by_the_driver_alone() -> None:
    state = racing()
    move = straight(state, 3, 4, 5)
    evening = Evening(Match.at(POINTS, state), CARS, points_seen(state, move))
    count = len(evening.match.log)
    (option,) = (o for o in evening.host.options() if o.kind == "move")
    way = option.form.fields["way"].candidates[0].value
    for said in ({"way": way}, {"ruled": "yes"}):
        answer = evening.act(RED, "move", move="m1", **said)
        evening.nothing_done(answer, count)
        assert answer.proposed == ["Blue"]
    assert evening.agree(BLUE).accepted
    assert evening.match.log[count].measured is False


def test_corners_that_were_seen_are_not_typed_otherwise() -> None:
    state = racing()
    move = points_pushed(state, "Red 1", ((3, 5), 0), ((4, 5), 0), ((5, 5), 0))
    evening = Evening(Match.at(POINTS, state), CARS, points_seen(state, move))
    count = len(evening.match.log)
    typed = evening.act(RED, "move", move="m1", corners=[0, 1, 0])
    evening.nothing_done(typed, count)
    assert evening.act(RED, "move", "a tag was covered", move="m1", corners=[0, 1, 0]).proposed == ["Blue"]
    assert evening.act(RED, "move", move="m1").accepted
    assert evening.told("said") == []


def test_a_move_beyond_the_speed_is_not_accepted_by_whoever_drives() -> None:
    state = racing()
    move = points_pushed(state, "Red 1", ((3, 5), 0), ((4, 5), 0), ((5, 5), 0), ((6, 5), 0))
    evening = Evening(Match.at(POINTS, state), CARS, points_seen(state, move))
    not_alone(evening, "move", move="m1")


# Frothy Races


def test_a_move_out_of_reach_is_not_accepted_by_whoever_drives() -> None:
    state = hexes.racing_ways()
    move = hexes_pushed(state, (hexes.on(6), 0))
    evening = Evening(Match.at(HEXES, state), {"Red 1": "Red", "Black 1": "Black"}, hexes_seen(state, move))
    not_alone(evening, "move", vehicle="Red 1", move="m1")


def test_which_of_several_ways_over_the_hexes_it_went_is_not_said_by_one() -> None:
    plain = hexes.racing_ways()
    state = hexes.racing_ways(hexes.way_of(plain, "FFL")[1])
    move = hexes.hidden(hexes_pushed(state, (hexes.end_of(plain), 0)))
    evening = Evening(Match.at(HEXES, state), {"Red 1": "Red", "Black 1": "Black"}, hexes_seen(state, move))
    count = len(evening.match.log)
    (option,) = (o for o in evening.host.options() if o.kind == "move")
    said = {"vehicle": "Red 1", "move": "m1", "over": option.form.fields["over"].candidates[-1].value}
    answer = evening.act(RED, "move", **said)
    evening.nothing_done(answer, count)
    assert answer.proposed == ["Black"]


def test_a_way_that_was_seen_is_not_typed_otherwise() -> None:
    state = hexes.racing_ways()
    move = hexes_pushed(state, *((hexes.on(k), 0) for k in (1, 2, 3)))
    evening = Evening(Match.at(HEXES, state), {"Red 1": "Red", "Black 1": "Black"}, hexes_seen(state, move))
    count = len(evening.match.log)
    typed = evening.act(RED, "move", vehicle="Red 1", move="m1", way="FFL")
    evening.nothing_done(typed, count)
    assert evening.act(RED, "move", vehicle="Red 1", move="m1").accepted
    assert evening.told("said") == []
