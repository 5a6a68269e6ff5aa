"""What is offered, asked and told: options, questions to the table, record sheets, status, places."""

from __future__ import annotations

import math

import pytest
from shapely.geometry import Point, Polygon

from engine.errors import TableRefError
from engine.game.contract import Option, Question, Seen
from engine.game.events import Action
from engine.game.forms import PathOnTable, Pick, PickPieces, check_answers
from engine.game.match import Match
from engine.game.showing import Counter, Track, Viewer, Words
from engine.games.white_line_fever.book.data import WEAPONS
from engine.games.white_line_fever.page.options import odds_of
from engine.games.white_line_fever.state import GameState
from engine.ruling import Verdict
from engine.space.table import TableState
from tests.engine.games.white_line_fever.playing import GAME, begun, do, drive, sheet
from tests.engine.tables import block, car, table

BLUES = [sheet(f"Blue {k}", "Blue", "Plinker", "Railgun") for k in (1, 2, 3)]


def ready(**more) -> Match[GameState]:
    """Red 1 has driven and may shoot; Blue has three cars."""
    match = begun(sheet("Red 1", "Red", brand="Essence") | more, *BLUES)
    drive(match, "Red 1")
    return match


def offered(match: Match[GameState], kind: str, on: TableState | None = None) -> list[Option]:
    return [o for o in match.options(on) if o.kind == kind]


def names(option: Option) -> list[str]:
    return [reason.words.split(":")[0] for reason in option.not_now]


@pytest.mark.parametrize(
    ("speed", "accuracy", "needed", "chance"),
    [(1, 0, 1, 1.0), (3, 0, 3, 0.75), (6, 0, 6, 0.375), (6, 2, 4, 0.625), (6, -1, 7, 0.25), (6, -3, 9, 0.0)],
)
def test_odds(speed, accuracy, needed, chance):
    odds = odds_of(speed, accuracy, 2)
    assert (odds.needed, odds.chance, odds.expected) == (needed, chance, 2 * chance)


@pytest.mark.parametrize(
    ("besides", "cost", "words"),
    [
        (0.0, 0.0, "damage expected; 2 on a hit"),
        (0.0, 0.375, "damage expected, the risk to your own cars taken off; 2 on a hit"),
        (-5.0, 0.0, "damage expected, the risk to your own cars taken off; 2 on a hit"),
        (5.0, 0.0, "damage expected, other cars included; 2 on a hit"),
    ],
)
def test_what_is_counted_besides_the_damage_to_the_target_is_said(besides, cost, words):
    odds = odds_of(3, 0, 2, besides, cost)
    assert odds.facts[1].more == words
    assert odds.facts[1].words == f"{0.75 * (2 + besides) - cost:.1f}".replace("-", "−")


def test_how_the_odds_of_a_plasma_gun_come_about_adds_up():
    match = begun(sheet("Red 1", "Red", "Plasma Gun"), sheet("Blue 1", "Blue", speed=3))
    drive(match, "Red 1")
    on = table(car("Red 1", 10, 10), car("Blue 1", 26, 10, 180))
    (shot,) = [o for o in offered(match, "shoot", on) if o.data["weapon"] == "Plasma Gun"]
    told = [(row.figure, row.words) for row in shot.reckoning]
    assert told[-3:] == [
        ("2", "damage on a hit"),
        ("−0.4", "for what else it harms, one's own against it"),
        ("1.1", "damage expected: 0.75 times 2, and that"),
    ]


def test_every_enemy_is_a_shot_with_what_stands_for_and_against_it():
    on = table(car("Red 1", 10, 10), car("Blue 1", 16, 10), car("Blue 2", 40, 10), car("Blue 3", 2, 10))
    match = ready()
    found = {o.piece: o for o in offered(match, "shoot", on)}
    assert list(found) == ["Blue 1", "Blue 2", "Blue 3"]
    near, far, behind = found.values()
    assert near.heading == "Red 1 shoots"
    assert near.data == {"weapon": "Machine Gun", "target": "Blue 1"}
    assert near.more.endswith(" in away, Short Range · Tailgate")
    assert not near.not_now
    apply = near.form.fields["apply"]
    assert isinstance(apply, Pick)
    accuracy, damage = apply.candidates
    assert [f.words for f in accuracy.facts] == ["100 %", "1.0"]
    assert accuracy.more == "Short Range +1 Accuracy, Tailgate +1 Accuracy"
    assert [(f.words, f.more) for f in damage.facts] == [
        ("75 %", "to hit: 3+ on a D8"), ("2.2", "damage expected; 3 on a hit"),
    ]  # fmt: skip
    assert apply.usual == "damage"
    assert near.facts == damage.facts
    assert names(far) == ["Maximum Range", "Line of Sight"]
    assert names(behind) == ["Forward Arc"]
    assert not any(reason.open for o in (far, behind) for reason in o.not_now)
    for option in found.values():
        action = Action("shoot", "Red", {**option.data, "apply": "damage"})
        assert match.check(action, on) == option.not_now
        assert option.question is not None
        assert option.question.pieces == ("Red 1", option.piece)


def test_lawful_shots_come_first_and_open_ones_next():
    on = table(
        car("Red 1", 10, 10, sd=0.3), car("Blue 1", 32.3, 10, sd=0.3), car("Blue 2", 20, 14, sd=0.3),
        car("Blue 3", 2, 10, sd=0.3),
    )  # fmt: skip
    found = offered(ready(), "shoot", on)
    assert [o.piece for o in found] == ["Blue 2", "Blue 1", "Blue 3"]
    assert [[r.open for r in o.not_now] for o in found][:2] == [[], [True]]
    assert found[0].heading_more == ""


def test_own_losses_count_against_a_grenade_and_everybody_reached_is_named():
    match = begun(
        sheet("Red 1", "Red", "Machine Gun", "Grenade Launcher"), sheet("Red 2", "Red"),
        sheet("Red 3", "Red"),
        sheet("Blue 1", "Blue"), sheet("Blue 2", "Blue"), sheet("Blue 3", "Blue"),
    )  # fmt: skip
    drive(match, "Red 1")
    on = table(
        car("Red 1", 10, 20), car("Blue 1", 20, 14), car("Red 2", 20, 11.5), car("Red 3", 22, 16.5),
        car("Blue 2", 20, 27), car("Blue 3", 20, 29.5),
    )  # fmt: skip
    shots = {(o.piece, o.data["weapon"]): o for o in offered(match, "shoot", on)}
    ours, theirs = (shots[name, "Grenade Launcher"] for name in ("Blue 1", "Blue 2"))
    assert {"Red 2 (your own)", "Red 3 (your own)"} <= set(
        ours.more.partition("also reaches ")[2].split(" · ")[0].split(", ")
    )
    assert "also reaches Blue 3" in theirs.more.split(" · ")
    assert ours.facts[1].words.startswith("−")
    order = list(shots)
    assert order[0] == ("Blue 2", "Grenade Launcher")
    lawful = [name for name, o in shots.items() if not o.not_now]
    assert lawful[-1] == ("Blue 1", "Grenade Launcher")


def test_a_car_that_a_grenade_perhaps_reaches_is_named_and_counts_by_half():
    match = begun(
        sheet("Red 1", "Red", "Machine Gun", "Grenade Launcher"),
        sheet("Red 2", "Red"),
        sheet("Blue 1", "Blue"),
    )
    drive(match, "Red 1")
    outline = car("Blue 1", 0, 0).piece.body.footprint.outline
    away = 5.0 + float(outline[:, 1].max() - outline[:, 1].min())
    on = table(car("Red 1", 10, 20), car("Blue 1", 20, 20), car("Red 2", 20, 20 - away, sd=0.2))
    (shot,) = [o for o in offered(match, "shoot", on) if o.data["weapon"] == "Grenade Launcher"]
    assert "perhaps reaches Red 2 (your own)" in shot.more


def test_with_a_table_the_range_may_be_said_all_the_same_and_who_has_acted_is_offered_no_shot():
    on, match = table(car("Red 1", 10, 10), car("Blue 1", 40, 10)), shot_at_one()
    (shot,) = offered(match, "shoot", on)
    assert shot.heading_more == "No legal targets."
    assert shot.form.fields["band"].optional
    assert shot.form.fields["band"].folded
    assert match.check(Action("shoot", "Red", {**shot.data, "band": "maximum"}), on) == ()
    do(match, "drop")
    assert not offered(match, "shoot")
    assert not offered(match, "drop")


def shot_at_one() -> Match[GameState]:
    match = begun()
    drive(match, "Red 1")
    return match


def test_without_a_table_the_players_say_the_range():
    match = ready()
    for option in offered(match, "shoot"):
        assert option.not_now == ()
        assert option.more == "enter the range by hand"
        band = option.form.fields["band"]
        assert (band.optional, band.folded) == (False, False)
        assert check_answers(option.form, {}, "")
        said = {"band": "maximum"}
        assert not check_answers(option.form, said, "")
        assert not match.check(Action("shoot", "Red", {**option.data, **said}))


def test_a_spent_weapon_says_why_it_cannot_be_shot():
    match = begun(sheet("Red 1", "Red", "Shock Gun"), sheet("Blue 1", "Blue"))
    drive(match, "Red 1")
    do(match, "floor_it", (6,))
    drive(match, "Red 1")
    (shot,) = offered(match, "shoot")
    assert [r.words for r in shot.not_now] == ["the Shock Gun shoots on the first Maneuver only"]


def test_a_burst_asks_whom_it_reaches():
    match = begun(sheet("Red 1", "Red", "Plinker", "Grenade Launcher"), *BLUES[:2])
    drive(match, "Red 1")
    grenade = next(
        o for o in offered(match, "shoot") if o.data == {"weapon": "Grenade Launcher", "target": "Blue 1"}
    )
    reached = grenade.form.fields["reached"]
    assert isinstance(reached, PickPieces)
    assert [c.value for c in reached.candidates] == ["Red 1", "Blue 2"]
    plinker = next(o for o in offered(match, "shoot") if o.data["weapon"] == "Plinker")
    assert "reached" not in plinker.form.fields


def test_the_cars_to_choose_from_with_their_state():
    match = begun(sheet("Red 1", "Red"), sheet("Red 2", "Red", speed=5), sheet("Blue 1", "Blue"))
    assert [(o.heading, o.words, o.more, o.piece) for o in match.options()] == [
        ("Which car?", "Red 1", "Speed 3 · 20 armour", "Red 1"),
        ("Which car?", "Red 2", "Speed 5 · 20 armour", "Red 2"),
    ]


def test_a_manoeuvre_asks_what_it_met():
    match = begun()
    do(match, "choose", car="Red 1")
    on = table(car("Red 1", 10, 10), car("Blue 1", 20, 10), block("Rock", 30, 30, 2, 2))
    move, reverse = match.options(on)
    assert (move.heading, move.words, move.main) == ("Drive Red 1 3 in", "Maneuver 1 is done", True)
    contacts = move.form.fields["contacts"]
    assert isinstance(contacts, PickPieces)
    assert [c.value for c in contacts.candidates] == ["Blue 1", "Rock"]
    assert contacts.optional
    assert contacts.folded
    assert isinstance(move.form.fields["move"], PathOnTable)
    assert "triggered" not in move.form.fields
    because = reverse.form.fields["because"]
    assert isinstance(because, Pick)
    assert [c.value for c in because.candidates] == ["surface", "collision"]
    for candidate in because.candidates:
        assert not match.check(Action("reverse", "Red", {"because": candidate.value}))


def test_tokens_on_the_table_may_have_been_driven_over():
    match = begun()
    drive(match, "Red 1")
    do(match, "drop")
    do(match, "end")
    do(match, "choose", car="Blue 1")
    driven_over = match.options()[0].form.fields["triggered"]
    assert isinstance(driven_over, PickPieces)
    assert [c.value for c in driven_over.candidates] == ["Oil 1"]


def test_a_placed_car_says_how_and_what_is_wrong():
    match = begun(sheet("Red 1", "Red", "Plinker", "Slammer"), sheet("Blue 1", "Blue"))
    drive(match, "Red 1")
    on = table(car("Red 1", 10, 10), car("Blue 1", 18, 10), block("Rock", 22.5, 10, 3, 3))
    do(match, "shoot", (8,), weapon="Slammer", target="Blue 1", table=on)
    (placed,) = match.options(on)
    assert (placed.heading, placed.heading_more) == ("Blue 1", "Push it onto its shape, up to Rock.")
    assert placed.citation == "White Line Fever 0.9 · Weapons · Slammer"
    assert placed.form.fields["contacts"].usual == ["Rock"]
    assert not placed.form.fields["contacts"].folded
    assert [r.open for r in placed.not_now] == [True]
    (ghost,) = GAME.ghosts(match.state, Seen(on))
    assert ghost.pose is not None
    assert ghost.right is False
    x, y, _ = ghost.pose
    (placed,) = match.options(table(car("Red 1", 10, 10), car("Blue 1", x, y), block("Rock", 22.5, 10, 3, 3)))
    assert placed.heading_more == "", "it stands there"
    x, y, heading = ghost.pose
    there = table(
        car("Red 1", 10, 10), car("Blue 1", x, y, math.degrees(heading)), block("Rock", 22.5, 10, 3, 3)
    )
    assert match.options(there)[0].not_now == ()
    assert GAME.ghosts(match.state, Seen(there))[0].right is True
    assert GAME.ghosts(match.state, Seen())[0].right is None


def test_an_explosion_asks_who_is_near():
    cars = [sheet("Red 1", "Red", "Mark 9 Javelin"), *BLUES[:2]]
    match = begun(*cars, house={"armour_groups": [2, 2]})
    drive(match, "Red 1")
    do(match, "shoot", (8,), weapon="Mark 9 Javelin", target="Blue 1", band="short")
    (blast,) = match.options()
    assert blast.heading == "Who is within 5 in of Blue 1?"
    assert [c.value for c in blast.form.fields["cars"].candidates] == ["Red 1", "Blue 2"]
    assert blast.form.fields["cars"].usual == []
    assert not blast.data.keys() & blast.form.fields.keys(), "what is asked is not said already"
    assert not match.check(Action("blast", None, {"cars": ["Blue 2"]}))


def test_the_speeds_stand_in_a_row_and_floor_it_says_its_chance():
    match = shot_at_one()
    row = [o for o in match.options() if o.heading == "End the round at Speed"]
    assert [(o.words, o.more, o.kind) for o in row] == [
        ("1", "−2", "speed"), ("2", "−1", "speed"), ("3", "stay", "end"),
        ("4", "+1", "speed"), ("5", "+2", "speed"), ("6", "+3", "speed"),
    ]  # fmt: skip
    assert [o.words for o in row if o.main] == ["3"]
    (floor_it,) = offered(match, "floor_it")
    assert floor_it.words == "Floor It: 2+ on a D6"
    assert [f.words for f in floor_it.facts] == ["83 %"]


def test_how_the_cars_start():
    pieces = [{"name": f"{owner} 1", "owner": owner} for owner in ("Red", "Blue")]
    match = Match.begin(GAME, {"players": ["Red", "Blue"], "pieces": pieces})
    offers = {o.words: o.data["deployment"] for o in match.options()}
    assert offers == {"arena": "arena", "highway": "highway", "roll for it": "roll"}
    do(match, "deployment", deployment="arena")
    on = table(car("Red 1", 10, 3), car("Blue 1", 10, 3))
    red, blue = match.options(on)
    assert (red.heading, red.words, red.more) == ("Put the cars down", "Red 1", "Red · seen")
    assert [r.words for r in blue.not_now][-1] == "Blue 1 is not within 6 in of the far edge"
    assert match.options()[0].more == "Red · not seen"


def test_without_a_game_every_weapon_that_is_aimed_may_be_asked_for():
    found = GAME.questions(None, ("Red 1", "Blue 1"))
    assert [q.label for q in found][:2] == ["Machine Gun", "Mark 9 Javelin"]
    assert {q.label for q in found} == {w.name for w in WEAPONS.values() if not w.droppable}
    assert {q.heading for q in found} == {"primary", "secondary"}
    for picked, missing in (
        ((), "the car that shoots, then the one that it shoots at"),
        (("Red 1",), "the car that Red 1 shoots at"),
        (("Red 1", "Blue 1"), ""),
    ):
        assert {q.missing for q in GAME.questions(None, picked)} == {missing}
    usual = found[0]
    assert usual == Question(
        "shot", "May Red 1 shoot at Blue 1 with the Machine Gun?", ("Red 1", "Blue 1"),
        {"weapon": "Machine Gun"}, "Machine Gun", "Short 10 in, Maximum 20 in", "primary",
    )  # fmt: skip
    on = table(car("Red 1", 10, 10), car("Blue 1", 18, 10))
    assert GAME.rule(None, usual, on).verdict is Verdict.YES


def test_with_a_game_the_weapons_of_that_car_while_it_plays():
    match = begun(sheet("Red 1", "Red", "Plinker", "Railgun"), sheet("Blue 1", "Blue", "Tank Cannon", "Oil"))
    assert [q.label for q in GAME.questions(match.state, ("Red 1",))] == ["Plinker", "Railgun"]
    assert [q.label for q in GAME.questions(match.state, ("blue-1", "Red 1"))] == ["Tank Cannon"]
    assert GAME.questions(match.state, ("Rock",)) == GAME.questions(match.state, ()) == ()
    assert GAME.about.measuring == "always"
    assert GAME.forbidden(None, GAME.questions(None, ("Red 1",))[0]) is None
    match = begun(sheet("Red 1", "Red"), sheet("Blue 1", "Blue"), sheet("Blue 2", "Blue"))
    match.overrule(["cars", "Blue 2", "status"], "wreck", "for the test")
    assert GAME.questions(match.state, ("Red 1", "Blue 2")) == ()
    assert GAME.questions(match.state, ("Blue 2", "Red 1")) == ()
    assert len(GAME.questions(match.state, ("Red 1", "Blue 1"))) == 1


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
        (Question("shot", "", ("Red 1",), {"weapon": "Plinker"}), "got Red 1; name both"),
        (Question("shot", "", ("Red 1", "Blue 1"), {"weapon": "Oil"}), "cannot be aimed"),
        (Question("shot", "", ("Red 1", "Gold 1"), {"weapon": "Plinker"}), "Gold 1"),
        (Question("weather", "", ("Red 1", "Blue 1")), "expected a question of the kind 'shot'"),
    ],
)
def test_what_cannot_be_answered_says_why(question, words):
    with pytest.raises(TableRefError, match=words):
        GAME.rule(None, question, table(car("Red 1", 10, 10), car("Blue 1", 18, 10)))


ANYBODY = Viewer()


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


def test_whose_car_goes_down_next_on_the_highway_is_told():
    cars = [sheet("Red 1", "Red", "Mark 9 Javelin"), sheet("Blue 1", "Blue")]
    match = Match.begin(GAME, {"players": ["Red", "Blue"], "cars": cars, "deployment": "highway"})
    status = GAME.status(match.state, ANYBODY)
    assert (status.who, status.more, status.player) == ("Red puts a car down", "2 cars to put down", "Red")


def test_the_status_before_and_after_the_rounds():
    cars = [sheet("Red 1", "Red", "Mark 9 Javelin"), sheet("Blue 1", "Blue")]
    match = Match.begin(GAME, {"players": ["Red", "Blue"], "cars": cars, "house": {"armour_groups": [2, 2]}})
    assert GAME.status(match.state, ANYBODY).who == "Which one?"
    do(match, "deployment", deployment="arena")
    assert GAME.status(match.state, ANYBODY).who == "2 cars to put down"
    do(match, "deploy", car="Red 1")
    status = GAME.status(match.state, ANYBODY)
    assert (status.who, status.more, status.player) == ("Blue puts a car down", "1 car to put down", "Blue")
    do(match, "deploy", car="Blue 1")
    drive(match, "Red 1")
    do(match, "shoot", (8,), weapon="Mark 9 Javelin", target="Blue 1", band="short")
    status = GAME.status(match.state, ANYBODY)
    assert (status.what, status.who) == ("Before play goes on", "Blue 1 explodes")
    do(match, "blast", cars=[])
    status = GAME.status(match.state, ANYBODY)
    assert (status.over, status.winner, status.who) == (True, "Red", "Red wins")
    assert [p.out for p in status.order] == [False, True]


def test_the_car_of_the_round_and_the_tokens_are_marked():
    match = begun()
    on = table(car("Red 1", 20, 20), car("Blue 1", 30, 20))
    assert GAME.marks(match.state, on, ANYBODY) == ()
    drive(match, "Red 1")
    do(match, "drop", table=on)
    token, current = GAME.marks(match.state, on, ANYBODY)
    assert (token.role, token.words, current.role, current.piece) == ("token", "Oil 1", "current", "Red 1")
    assert Polygon(token.points).area == pytest.approx(9.0)
    # Its edge lies at the rear of the car.
    assert max(x for x, _ in token.points) == pytest.approx(min(x for x, _ in current.points), abs=0.01)
    assert [m.role for m in GAME.marks(match.state, None, ANYBODY)] == ["token"]


def test_every_duty_has_a_ghost_that_accepts_the_car_that_stands_on_it():
    match = begun(sheet("Red 1", "Red", "Plinker", "Harpoon"), sheet("Blue 1", "Blue"))
    drive(match, "Red 1")
    on = table(car("Red 1", 10, 10), car("Blue 1", 20, 16, 30))
    do(match, "shoot", (8,), weapon="Harpoon", target="Blue 1", table=on)
    (ghost,) = GAME.ghosts(match.state, Seen(on))
    assert (ghost.piece, ghost.words, ghost.right) == ("Blue 1", "Pull it 3 in, onto its shape.", False)
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
    assert about["shot"] == (("Red 1", "Blue 1", "Blue 2"), "attack")
    assert about["roll"] == (("Red 1",), "dice")
    assert about["hit"] == (("Red 1", "Blue 1"), "good")
    assert about["damaged"] == (("Blue 2",), "bad")
    assert not any(e.barrier for e in events)


@pytest.mark.parametrize(
    ("primary", "secondary", "said"),
    [
        ("Tank Cannon", "Slammer",
         ("hit or miss, the shooter spins out afterwards", "on a hit, target is pushed 3 in")),
        ("Field Cannon", "Harpoon",
         ("hit or miss, the shooter is pushed 2 in back afterwards", "on a hit, target is pulled 3 in")),
        ("Plinker", "Shadowblaster", ("-1 Accuracy", "shoots past obstacles")),
    ],
)  # fmt: skip
def test_of_what_a_weapon_does_besides_it_is_said_when(primary, secondary, said):
    """ "On hit the Special ability of the weapon applies"; 'If noted as "Self" then … (even on miss)'."""
    match = begun(sheet("Red 1", "Red", primary, secondary), sheet("Blue 1", "Blue"))
    drive(match, "Red 1")
    on = table(car("Red 1", 10, 10), car("Blue 1", 14, 10))
    told = {o.data["weapon"]: o.more.rpartition(" · ")[2] for o in offered(match, "shoot", on)}
    assert told == {primary: said[0], secondary: said[1]}
