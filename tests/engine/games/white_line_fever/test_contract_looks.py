"""Questions, rulings and reach; status, sheets, ghosts and marks; the set-up: through the contract alone."""

from __future__ import annotations

import dataclasses
import math

import pytest
from shapely.geometry import Point, Polygon

from engine.errors import TableRefError
from engine.game.contract import Question, Seen
from engine.game.forms import Number, Numbers, Pick, check_answers
from engine.game.match import Match
from engine.game.showing import Counter, Track, Viewer, Words
from engine.games.white_line_fever.data import HouseRules
from engine.games.white_line_fever.weapons import WEAPONS
from engine.ruling import Verdict
from tests.engine.games.white_line_fever.playing import GAME, begun, do, drive, sheet
from tests.engine.tables import block, car, table

ANYBODY = Viewer()


# Questions


def test_without_a_game_every_weapon_that_is_aimed_may_be_asked_for():
    found = GAME.questions(None, ("Red 1", "Blue 1"))
    assert [q.label for q in found][:2] == ["Machine Gun", "Mark 9 Javelin"]
    assert {q.label for q in found} == {w.name for w in WEAPONS.values() if not w.droppable}
    assert {q.heading for q in found} == {"primary", "secondary"}
    usual = found[0]
    assert usual == Question(
        "shot", "May Red 1 shoot at Blue 1 with the Machine Gun?", ("Red 1", "Blue 1"),
        {"weapon": "Machine Gun"}, "Machine Gun", "Short 10 in, Maximum 20 in", "primary",
    )  # fmt: skip
    on = table(car("Red 1", 10, 10), car("Blue 1", 18, 10))
    assert GAME.rule(None, usual, on).verdict is Verdict.YES


@pytest.mark.parametrize(
    ("picked", "missing"),
    [
        ((), "the car that shoots, then the one that it shoots at"),
        (("Red 1",), "the car that Red 1 shoots at"),
        (("Red 1", "Blue 1"), ""),
    ],
)
def test_a_question_says_what_is_still_to_be_picked(picked, missing):
    assert {q.missing for q in GAME.questions(None, picked)} == {missing}


def test_with_a_game_the_weapons_of_that_car():
    match = begun(sheet("Red 1", "Red", "Plinker", "Railgun"), sheet("Blue 1", "Blue", "Tank Cannon", "Oil"))
    assert [q.label for q in GAME.questions(match.state, ("Red 1",))] == ["Plinker", "Railgun"]
    assert [q.label for q in GAME.questions(match.state, ("blue-1", "Red 1"))] == ["Tank Cannon"]
    assert GAME.questions(match.state, ("Rock",)) == ()
    assert GAME.questions(match.state, ()) == ()


def test_a_venus_reaches_farther_in_words_in_the_ruling_and_on_the_table():
    match = begun(sheet("Red 1", "Red", "Tank Cannon", brand="Venus"), sheet("Blue 1", "Blue"))
    (question,) = GAME.questions(match.state, ("Red 1", "Blue 1"))
    assert question.more == "Short 4 in, Maximum 10 in; the shooter spins out afterwards"
    on = table(car("Red 1", 10, 24), car("Blue 1", 21, 24))
    ruled = GAME.rule(match.state, question, on)
    assert ruled.check("Maximum Range").limit == 10.0
    assert ruled.verdict is Verdict.YES
    assert GAME.rule(None, question, on).check("Maximum Range").limit == 8.0
    far = {state: _farthest(state, question, on) for state in (None, match.state)}
    assert far[match.state] - far[None] == pytest.approx(2.0, abs=0.01)


def _farthest(state, question, on) -> float:
    marks = [m for m in GAME.reach(state, question, on) if m.role == "far reach"]
    return max(x for mark in marks for x, _ in mark.points)


def test_reach_is_drawn_ahead_and_on_the_table():
    on = table(car("Red 1", 24, 24))
    (ahead,) = [q for q in GAME.questions(None, ("Red 1",)) if q.label == "Nail Blaster"]
    (turret,) = [q for q in GAME.questions(None, ("Red 1",)) if q.label == "Creaky Turret"]
    shapes = {m.role: Polygon(m.points) for m in GAME.reach(None, ahead, on)}
    assert list(shapes) == ["arc", "far reach", "reach"]
    assert shapes["arc"].contains(shapes["far reach"].buffer(-0.01))
    assert shapes["far reach"].contains(shapes["reach"].buffer(-0.01))
    assert not shapes["arc"].contains(Point(20, 24))
    round_about = {m.role: Polygon(m.points) for m in GAME.reach(None, turret, on)}
    assert round_about["reach"].contains(Point(20, 24))


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (Question("shot", "", ("Red 1",), {"weapon": "Plinker"}), "name the target too"),
        (Question("shot", "", ("Red 1", "Blue 1"), {"weapon": "Oil"}), "cannot be aimed"),
        (Question("shot", "", ("Red 1", "Gold 1"), {"weapon": "Plinker"}), "Gold 1"),
        (Question("weather", "", ("Red 1", "Blue 1")), "expected a question of the kind 'shot'"),
    ],
)
def test_what_cannot_be_answered_says_why(question, words):
    with pytest.raises(TableRefError, match=words):
        GAME.rule(None, question, table(car("Red 1", 10, 10), car("Blue 1", 18, 10)))


def test_everything_may_be_measured():
    assert GAME.about.measuring == "always"
    assert GAME.forbidden(None, GAME.questions(None, ("Red 1",))[0]) is None


# Where the match stands


def test_the_status_of_a_round():
    match = begun(sheet("Red 1", "Red"), sheet("Blue 1", "Blue"), sheet("Blue 2", "Blue"))
    status = GAME.status(match.state, ANYBODY)
    assert (status.what, status.who, status.more) == ("Round 1", "Red drives", "chooses a car")
    assert [(p.player, p.current, p.out, p.count_words) for p in status.order] == [
        ("Red", True, False, "1 car"), ("Blue", False, False, "2 cars"),
    ]  # fmt: skip
    drive(match, "Red 1")
    do(match, "floor_it")
    drive(match, "Red 1")
    do(match, "floor_it", (1,))
    status = GAME.status(match.state, ANYBODY)
    assert status.who == "Blue drives Red's car"
    assert status.more == "Red 1 · Maneuver 3 · out of control: Blue drives"
    assert (status.player, status.piece) == ("Blue", "Red 1")


def test_the_status_before_and_after_the_rounds():
    cars = [sheet("Red 1", "Red", "Mark 9 Javelin"), sheet("Blue 1", "Blue")]
    match = Match.begin(GAME, {"players": ["Red", "Blue"], "cars": cars, "house": {"armour_groups": [2, 2]}})
    assert GAME.status(match.state, ANYBODY).who == "Which one?"
    do(match, "deployment", deployment="arena")
    assert GAME.status(match.state, ANYBODY).who == "2 cars to put down"
    do(match, "deploy", car="Red 1")
    assert GAME.status(match.state, ANYBODY).who == "1 car to put down"
    do(match, "deploy", car="Blue 1")
    drive(match, "Red 1")
    do(match, "shoot", (8,), weapon="Mark 9 Javelin", target="Blue 1", band="short")
    status = GAME.status(match.state, ANYBODY)
    assert (status.what, status.who) == ("First of all", "Blue 1 explodes")
    do(match, "blast", cars=[])
    status = GAME.status(match.state, ANYBODY)
    assert (status.over, status.winner, status.who) == (True, "Red", "Red wins")
    assert [p.out for p in status.order] == [False, True]


def test_a_record_sheet_can_be_overruled_by_every_widget():
    match = begun(sheet("Red 1", "Red", "Mark 9 Javelin", "Oil", "Mule", speed=4), sheet("Blue 1", "Blue"))
    drive(match, "Red 1")
    do(match, "shoot", (3,), weapon="Mark 9 Javelin", target="Blue 1", band="maximum")
    red, _ = GAME.sheets(match.state, ANYBODY)
    assert (red.title, red.owner, red.summary, red.note) == ("Red 1", "Red", "Speed 4 · 24 armour", "")
    assert red.more == "Mule: 4 more armour boxes at the start of its track"
    gun, oil, speed, armour, tokens, fate = red.widgets
    assert isinstance(gun, Words)
    assert (gun.text, gun.more, gun.used) == ("Mark 9 Javelin", "9 damage, 4/12″, once per game", True)
    assert isinstance(oil, Words)
    assert not oil.used
    assert isinstance(speed, Counter)
    assert (speed.value, speed.low, speed.high) == (4, 1, 6)
    assert isinstance(armour, Track)
    assert [k for k, box in enumerate(armour.boxes, 1) if box.big] == [9, 14, 19]
    assert [k for k, box in enumerate(armour.boxes, 1) if box.ends] == [4, 9, 14, 19, 24]
    assert isinstance(tokens, Counter)
    assert isinstance(fate, Words)
    assert (fate.text, [c.value for c in fate.choices]) == ("in play", ["driving", "wreck", "removed"])
    for widget, value in ((speed, 2), (armour, 9), (tokens, 1), (fate, "wreck")):
        match.overrule(widget.path, value, "marked by hand")
    red, _ = GAME.sheets(match.state, ANYBODY)
    assert (red.out, red.note) == (True, "destroyed")
    _, _, speed, armour, tokens, fate = red.widgets
    assert (speed.value, speed.high, tokens.value, fate.text) == (2, 5, 1, "destroyed: an obstacle")
    assert sum(box.marked for box in armour.boxes) == 9


def test_an_essence_reads_nothing_on_its_big_boxes():
    match = begun(sheet("Red 1", "Red", brand="Essence"), sheet("Blue 1", "Blue"))
    words = [{b.words for b in s.widgets[3].boxes if b.big} for s in GAME.sheets(match.state, ANYBODY)]
    assert words == [{""}, {"costs 1 maximum Speed"}]


def test_the_car_of_the_round_and_the_tokens_are_marked():
    match = begun()
    on = table(car("Red 1", 20, 20), car("Blue 1", 30, 20))
    assert GAME.marks(match.state, on, ANYBODY) == ()
    drive(match, "Red 1")
    do(match, "drop", table=on)
    token, current = GAME.marks(match.state, on, ANYBODY)
    assert (token.role, token.words, current.role, current.piece) == ("template", "Oil 1", "current", "Red 1")
    assert Polygon(token.points).area == pytest.approx(9.0)
    # Its edge lies at the rear of the car.
    assert max(x for x, _ in token.points) == pytest.approx(min(x for x, _ in current.points), abs=0.01)
    assert [m.role for m in GAME.marks(match.state, None, ANYBODY)] == ["template"]


def test_every_duty_has_a_ghost_that_accepts_the_car_that_stands_on_it():
    match = begun(sheet("Red 1", "Red", "Plinker", "Harpoon"), sheet("Blue 1", "Blue"))
    drive(match, "Red 1")
    on = table(car("Red 1", 10, 10), car("Blue 1", 20, 16, 30))
    do(match, "shoot", (8,), weapon="Harpoon", target="Blue 1", table=on)
    (ghost,) = GAME.ghosts(match.state, Seen(on))
    assert (ghost.piece, ghost.words, ghost.right) == ("Blue 1", "Pull it 3 in.", False)
    assert ghost.pose is not None
    x, y, heading = ghost.pose
    assert math.dist((x, y), (20, 16)) == pytest.approx(3.0)
    there = table(car("Red 1", 10, 10), car("Blue 1", x, y, math.degrees(heading)))
    assert GAME.ghosts(match.state, Seen(there))[0].right is True
    assert GAME.ghosts(match.state, Seen(table(block("Rock", 1, 1, 1, 1))))[0].right is None


def test_events_name_their_pieces_and_have_a_tone():
    match = begun(
        sheet("Red 1", "Red", "Plinker", "Railgun"), sheet("Blue 1", "Blue"), sheet("Blue 2", "Blue")
    )
    drive(match, "Red 1")
    events = do(match, "shoot", (8,), weapon="Railgun", target="Blue 1", band="short", reached=["Blue 2"])
    about = {e.kind: (e.pieces, e.tone) for e in events}
    assert about["shot"] == (("Red 1", "Blue 1", "Blue 2"), "plain")
    assert about["roll"] == (("Red 1",), "dice")
    assert about["hit"] == (("Red 1", "Blue 1"), "good")
    assert about["damaged"] == (("Blue 2",), "bad")
    assert not any(e.barrier for e in events)


# The set-up


PIECES = [{"name": "Red 1", "owner": "Red"}, {"name": "Blue 1", "owner": "Blue"}]


def test_every_car_is_dealt_something_else_and_the_game_may_begin_at_once():
    so_far = {"players": ["Red", "Blue"], "pieces": PIECES}
    form = GAME.setup(so_far)
    assert form.not_yet == ()
    usual = {
        name: [f.fields[slot].usual for slot in ("brand", "primary", "secondary")]
        for name, f in form.pieces.items()
    }
    assert usual == {
        "Red 1": ["Hammer", "Shock Gun", "Harpoon"],
        "Blue 1": ["Mule", "Dirtnap", "Grenade Launcher"],
    }
    match = Match.begin(GAME, so_far)
    assert {c.name: [c.brand, c.primary, c.secondary] for c in match.state.cars} == usual
    assert match.state.deployment is None


def test_what_the_forms_ask_for_begins_the_game():
    pieces = [
        PIECES[0] | {"brand": "Venus", "primary": "Plinker", "secondary": "Oil", "speed": 5, "tokens": 1},
        PIECES[1],
    ]
    answers = {"deployment": "arena", "first": "Blue", "armour_groups": [3, 3], "blast_dice": "one each"}
    so_far = {"players": ["Red", "Blue"], "pieces": pieces, **answers}
    form = GAME.setup(so_far)
    assert not check_answers(form.game, answers, "")
    given = {key: value for key, value in pieces[0].items() if key not in ("name", "owner")}
    assert not check_answers(form.pieces["Red 1"], given, "")
    state = Match.begin(GAME, so_far).state
    red = state.car("Red 1")
    assert (red.speed, red.tokens, state.first, state.deployment) == (5, 1, "Blue", "arena")
    assert state.house == HouseRules(armour_groups=(3, 3), blast_dice="one each")


def test_tokens_are_asked_for_where_they_are_dropped():
    pieces = [PIECES[0] | {"secondary": "Oil"}, PIECES[1] | {"secondary": "Railgun"}]
    forms = GAME.setup({"players": ["Red", "Blue"], "pieces": pieces}).pieces
    assert "tokens" in forms["Red 1"].fields
    assert "tokens" not in forms["Blue 1"].fields


def test_every_house_rule_is_asked_for_with_its_usual_value():
    fields = GAME.setup({}).game.fields
    for rule in dataclasses.fields(HouseRules):
        one = fields[rule.name]
        assert one.folded
        usual = HouseRules().as_json()[rule.name]
        assert one.usual == usual
        assert not check_answers(GAME.setup({}).game, {rule.name: usual}, "")
    assert isinstance(fields["armour_groups"], Numbers)
    assert isinstance(fields["outnumbered"], Pick)
    assert isinstance(fields["turn_tolerance"], Number)
    assert (fields["turn_tolerance"].unit, fields["token_size"].unit) == ("rad", "in")


@pytest.mark.parametrize(
    ("so_far", "words"),
    [
        ({"players": ["Red"], "pieces": PIECES}, "A game needs two players or more."),
        ({"players": ["Red", "Blue", "Gold"], "pieces": PIECES[:1]}, "Blue and Gold have no car yet."),
        ({"players": ["Red", "Blue"], "pieces": [*PIECES, PIECES[0]]}, "'Red 1' is there twice or empty"),
    ],
)
def test_it_says_why_it_cannot_begin_yet(so_far, words):
    (reason,) = GAME.setup(so_far).not_yet
    assert words in reason.words
    with pytest.raises(TableRefError):
        Match.begin(GAME, so_far)


# What it is


def test_what_is_cited_stands_in_the_book():
    assert len(set(GAME.about.sections)) == len(GAME.about.sections)
    match = begun(sheet("Red 1", "Red", "Plinker", "Railgun"), sheet("Blue 1", "Blue"))
    drive(match, "Red 1")
    on = table(car("Red 1", 10, 10), car("Blue 1", 47, 10))
    for option in match.options(on):
        for citation in (option.citation, *(r.citation for r in option.not_now)):
            assert citation.removeprefix(f"{GAME.about.book} · ") in GAME.about.sections


def test_its_own_words():
    words = set(GAME.about.words)
    assert {"Tailgate", "Hazard Check", "Floor It", "Spin Out", "lost control"} <= words
    assert set(WEAPONS) <= words
