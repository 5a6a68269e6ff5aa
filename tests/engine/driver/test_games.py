"""What games tell a machine: worth more is what a player would rather have, and nothing is wasted."""

from __future__ import annotations

import itertools
import math
import random
from contextlib import suppress
from dataclasses import replace
from functools import partial

import pytest

from benchmarks.drivers import Side, mirrored, table_of
from benchmarks.drivers import begun as any_match
from benchmarks.drivers import play as any_game
from engine.driver.characters import TEMPERAMENTS
from engine.driver.deciding import Driver, Position, decide
from engine.game.contract import Proposal, Seen
from engine.game.dice import SeededDice
from engine.game.events import Action, Reason
from engine.game.filling import Stuck
from engine.game.match import Match
from engine.game.players import answered
from engine.game.pushing import pushed, put
from engine.game.registry import game_called
from engine.games.battlecars.book.data import MINES
from engine.games.battlecars.state import Token
from engine.games.battlecars.state import Turn as BattleTurn
from engine.games.car_cult.book.data import SPEED
from engine.games.car_cult.state import Attack
from engine.games.car_cult.state import Turn as Activation
from engine.games.shattered_highways.rules.owed import with_places
from engine.games.shattered_highways.state import Duty, Placement, Turn
from engine.games.white_line_fever import driver as white_line_fever
from engine.games.white_line_fever.state import Round
from engine.games.white_line_fever.state import Token as Dropped
from engine.measure.contacts import contacts
from engine.ruling import Verdict
from engine.space.geometry import Pose
from engine.space.table import PoseUncertainty
from tests.engine.driver.test_headlines import played
from tests.engine.games.battlecars.playing import standing as battlefield
from tests.engine.games.car_cult.playing import begun, car, do
from tests.engine.games.frothy_races.playing import cell, match_at, standing
from tests.volume import volume

GAMES = ("white-line-fever", "car-cult", "shattered-highways", "battlecars", "frothy-races")


def total(game, state, table, player):
    return TEMPERAMENTS["even"].total(game.worth(state, table, player))


def begun_table(match):
    return table_of(match.game, [c.name for c in match.state.cars], exact=True).seen


@pytest.mark.parametrize("name", GAMES)
def test_sides_that_are_alike_have_the_same_vehicles_under_the_usual_house_rules(name):
    game = game_called(name)
    for seed in range(80):
        drawn = {
            "players": ["Red", "Blue"],
            "pieces": [{"name": f"{side} 1", "owner": side} for side in ("Red", "Blue")],
        }
        with suppress(Stuck):
            setup = mirrored(game, answered(game, drawn, random.Random(seed)))
            break
    told = [{k: v for k, v in p.items() if k not in ("name", "owner")} for p in setup["pieces"]]
    assert told[0] == told[1] != {}
    assert set(setup) <= {"players", "pieces"} | {
        n for n, one in game.setup(setup).game.fields.items() if one.usual is None
    }


def test_car_cult_wastes_no_speed_token_that_finds_a_place():
    # Only its engine has zones: a token that it does not take finds no place, and none is proposed.
    bare = begun(car("Red 1", "Straight Five"), car("Blue 1"), tokens={"Red 1": 2})
    do(bare, "shift", tokens=0)
    assert all(
        p.data["zones"] for p in bare.game.proposals(bare.state, begun_table(bare), "Red", random.Random(1))
    )
    for engine in ("Straight Five", "Heavy Seven"):
        match = begun(car("Red 1", engine, "Machine Gun", "Rifle"), car("Blue 1"), tokens={"Red 1": 2})
        do(match, "shift", tokens=0)
        pool = match.state.turn.pool
        table = table_of(match.game, ["Red 1", "Blue 1"], exact=True)
        position = Position.of(match, table.seen, "Red")
        (pick,) = (o.form.fields["zones"] for o in position.options)
        found = list(match.game.proposals(match.state, table.seen, "Red", random.Random(1)))
        told = [p.data["zones"] if pick.most > 1 else [p.data["zones"]] for p in found]
        assert {len(zones) for zones in told} == {min(pool, len(pick.candidates))}
        alone = replace(match.state, turn=replace(match.state.turn, pool=1))
        ones = [p.data["zones"] for p in match.game.proposals(alone, table.seen, "Red", random.Random(1))]
        assert ones
        assert set(ones) <= {c.value for c in pick.candidates}
        choice = decide(position, level="hard", seed="1")
        assert choice.action.kind == "allocate"
        assert not match.check(choice.action, table.seen)


def test_car_cult_declares_what_reaches_and_not_what_does_not():
    """An attack that is declared counts for what may come of it: its token is spent already."""
    match = begun(tokens={"Red 1": 2})
    table = table_of(match.game, ["Red 1", "Blue 1"], exact=True)
    here = table.table.find("Red 1").pose
    attack = Attack("Red 1", "Machine Gun", "Blue 1")
    gained = []
    for inches in (8.0, 30.0):
        table.put("Blue 1", replace(here, x=here.x + inches))
        states = (match.state, replace(match.state, attack=attack))
        before, after = (total(match.game, s, table.table, "Red") for s in states)
        theirs = [total(match.game, s, table.table, "Blue") for s in states]
        gained.append(after - before)
        assert (theirs[1] < theirs[0]) == (after > before)
    assert gained[0] > 0.03
    assert gained[1] == 0.0


def test_car_cult_judges_by_eye_where_its_own_car_would_stand():
    """Where the book hides distances too, a move counts for the place that it leads to."""
    match = begun()
    do(match, "shift", tokens=0)
    table = table_of(match.game, ["Red 1", "Blue 1"], exact=True)
    do(match, "allocate", **decide(Position.of(match, table.seen, "Red"), seed="1").action.data)
    moves = [c for c in Driver(Position.of(match, table.seen, "Red"), level="hard").tried() if c.way]
    assert len(moves) > 9
    assert len({c.worth for c in moves}) == len({c.goal for c in moves})


def test_shattered_highways_keeps_somebody_at_the_wheel():
    game = game_called("shattered_highways")
    match, table, _ = any_match(game, 1, 1, exact=True)
    state = match.state
    driver = next(w for w in state.warriors if w.owner == "Red" and w.seat == "D")
    warriors = tuple(replace(w, seat="W1") if w is driver else w for w in state.warriors)
    seen = replace(state, vehicles=tuple(replace(v, status="driving") for v in state.vehicles))
    gone = replace(seen, warriors=warriors)
    for player, better in (("Red", seen), ("Blue", gone)):
        other = gone if better is seen else seen
        assert total(game, better, table.table, player) > total(game, other, table.table, player) + 0.2


def position_of(game, state, player, seen):
    """What a seat would know in a state that no log leads to."""
    asks = partial(game.options, state)
    return Position(game, state, player, seen, asks(seen), partial(game.check, state), asks)


def test_shattered_highways_lets_go_of_a_trailer_that_it_drags():
    """Whoever drags a destroyed trailer falls back each turn: what frees it goes before all else."""
    game = game_called("shattered_highways")
    match, table, _ = any_match(game, 12, 2, exact=True, alike=True)
    rig = next(v.name for v in match.state.vehicles if v.is_rig and v.owner == "Red")
    state = driving(match, rig).with_vehicle(rig, trailer=0)
    choice = decide(position_of(game, state, "Red", table.seen), level="hard", seed="1")
    assert choice.action.kind == "decouple"
    freed = state.with_vehicle(rig, trailer=None)
    assert total(game, freed, table.table, "Red") > total(game, state, table.table, "Red") + 0.5


def test_shattered_highways_sets_nobody_of_its_own_against_the_back_edge():
    """Whoever reaches the front edge sets all back, their own as well: what is to come counts as done."""
    game = game_called("shattered_highways")
    match, table, _ = any_match(game, 2, 2, exact=True, alike=True)
    state = driving(match, "Red 1")
    found = []
    for name in ("Red 2", "Blue 2"):
        owing = replace(state, duties=(Duty("shift", "Red 1", "book", by="Red", inches=3.0, back=(name,)),))
        found.append(total(game, owing, table.table, "Red") - total(game, state, table.table, "Red"))
    own, theirs = found
    assert own < -0.5 < 0.5 < theirs


def test_shattered_highways_changes_no_seats_for_nothing():
    """Two passengers who change places can do less in this round, and nothing is better for it."""
    game = game_called("shattered_highways")
    match, table, _ = any_match(game, 12, 2, exact=True, alike=True)
    state = driving(match, "Red 1")
    one, other = [w for w in state.aboard("Red 1") if w.owner == "Red" and (w.seat or "").startswith("P")][:2]
    swapped = state.with_warriors([one.name], seat=other.seat, changed=True)
    swapped = swapped.with_warriors([other.name], seat=one.seat, changed=True)
    assert total(game, swapped, table.table, "Red") < total(game, state, table.table, "Red")


def test_white_line_fever_counts_the_armour_of_either_side():
    match, table, _ = any_match(game_called("white_line_fever"), 2, 1, exact=True)

    def of(name, seen):
        found = match.game.worth(match.state.with_car(name, marked=2), seen, "Red")
        return found.own, found.others

    for seen in (None, table.table):
        assert of("Blue 1", seen)[0] > of("Red 1", seen)[0]
        assert of("Red 1", seen)[1] > of("Blue 1", seen)[1]


def test_shattered_highways_is_surer_of_a_lead_the_nearer_the_end_is():
    """Four hit points decide after the last round; seven rounds before it they are worth their points."""
    game = game_called("shattered_highways")
    match, table, _ = any_match(game, 2, 1, exact=True)

    def leads(by, turn):
        state = replace(driving(match, "Red 1"), round=turn)
        state = state.with_vehicle("Blue 1", hits=state.vehicle("Red 1").hits - by)
        return game.worth(state, table.table, "Red").progress

    early, late = leads(4, 1), leads(4, match.state.house.rounds)
    assert 0.0 < early < 0.3 < 0.6 < late <= 1.0
    assert leads(-4, 1) == pytest.approx(-early)
    assert leads(12, 8) > late > leads(1, 8) > leads(0, 8) == pytest.approx(0.0)


def driving(match, name, **turn):
    """A state of Shattered Highways in which it is that vehicle's turn in the first round."""
    vehicles = tuple(replace(v, status="driving") for v in match.state.vehicles)
    owner = match.state.vehicle(name).owner
    return replace(match.state, vehicles=vehicles, first=owner, round=1, turn=Turn(name, owner, **turn))


def test_shattered_highways_shoots_at_what_is_in_the_arc_and_looks_for_it():
    """A weapon promises most where somebody is in its arc and reach; a Move is worth what it leads to."""
    game = game_called("shattered_highways")
    match, table, _ = any_match(game, 2, 1, exact=True)
    state = driving(match, "Red 1")
    assert state.vehicle("Red 1").mounts[0].arc == "fore"
    table.put("Red 1", Pose(20.0, 20.0))
    found = []
    for x in (26.0, 14.0, 40.0):  # ahead, behind and out of reach
        table.put("Blue 1", Pose(x, 20.0))
        found.append(game.worth(state, table.table, "Red"))
    ahead, behind, far = found
    assert ahead.chance > behind.chance > 0.0
    assert ahead.chance > far.chance
    assert ahead.own > behind.own
    table.put("Blue 1", Pose(14.0, 20.0))
    moving = game.worth(replace(state, turn=replace(state.turn, stage="moving")), table.table, "Red")
    assert behind.own < moving.own + moving.chance <= ahead.own + ahead.chance
    seen = table.seen
    proposals = list(
        game.proposals(
            replace(state, turn=replace(state.turn, stage="moving")), seen, "Red", random.Random(1)
        )
    )
    rams = [p for p in proposals if p.kind == "ram"]
    sides = {p.data["side"] for p in rams}
    assert "rear" in sides
    assert "front" not in sides
    assert all(math.dist(p.way[-1].xy, (20.0, 20.0)) < 9.0 for p in proposals if p.way)


@pytest.mark.parametrize("first", ["Red 1", "Red 2"])
def test_shattered_highways_lets_those_shoot_first_who_may_harm_most(first):
    game = game_called("shattered_highways")
    match, table, _ = any_match(game, 2, 2, exact=True, alike=True)
    vehicles = tuple(replace(v, status="driving") for v in match.state.vehicles)
    state = replace(match.state, vehicles=vehicles, first="Red")
    other = "Red 2" if first == "Red 1" else "Red 1"
    places = {first: (20.0, 8.0), "Blue 1": (26.0, 8.0), "Blue 2": (14.0, 8.0), other: (60.0, 20.0)}
    for name, at in places.items():
        table.put(name, Pose(*at))
    for seed in "abc":
        choice = decide(position_of(game, state, "Red", table.seen), level="hard", seed=seed)
        assert choice.action.data["vehicles"] == [first, other]
        assert choice.words == "Red chooses in secret"


def test_shattered_highways_goes_on_with_one_vehicle_and_the_warriors_of_two():
    """The last vehicle on the road falls back: there is nobody that it could meet, and nothing says so."""
    game = game_called("shattered_highways")
    match, table, _ = any_match(game, 2, 1, exact=True)
    state = driving(match, "Red 1", stage="over")
    boarder = next(w for w in state.warriors if w.owner == "Blue")
    state = state.with_vehicle("Blue 1", status="gone").with_warriors(
        [boarder.name], vehicle="Red 1", seat=None
    )
    here = table.table.find("Red 1").pose
    for kind in ("fall back", "lost"):
        there = Placement("Red 1", (here.x, here.y, here.heading))
        duty = Duty(kind, "Red 1", "book", by="Red", section=1, ways=((there,),))
        owing = replace(state, duties=(duty,))
        (option,) = game.options(owing, table.seen)
        action = Action("placed", "Red", dict(option.data))
        assert not game.check(owing, action, table.seen)


def test_a_machine_says_nothing_of_what_the_table_answers():
    """Who comes to the back edge with the fleet's shift is measured: no machine claims it of others."""
    game = game_called("shattered_highways")
    match, table, _ = any_match(game, 2, 1, exact=True)
    for name, x in (("Red 1", 43.0), ("Blue 1", 30.0)):
        table.put(name, Pose(x, 20.0))
    duty = with_places(driving(match, "Red 1"), Duty("shift", "Red 1", "book"), table.table)
    state = replace(driving(match, "Red 1", stage="over"), duties=(duty,))
    assert duty.inches > 3.0
    assert duty.back == ()
    position = Position(
        game, state, "Red", table.seen, game.options(state, table.seen),
        lambda action, seen: game.check(state, action, seen), lambda seen: game.options(state, seen),
    )  # fmt: skip
    driver = Driver(position, level="hard", seed="1")
    said = [driver.try_out(p) for p in driver.proposals() if p.kind == "shifted"]
    assert said
    for choice in said:
        data = dict(choice.action.data) if choice else {}
        assert (data.get("back", []), data.get("inches", duty.inches)) == ([], duty.inches)


def test_frothy_races_turns_with_the_track_and_brakes_before_it_runs_into_it():
    """What is before it counts: a wall costs, the more the faster, and a free round is worth most."""
    game = game_called("frothy_races")
    match, table, _ = any_match(game, 0, 1, exact=True)
    while match.state.phase != "check":
        option = match.options(table.seen)[0]
        match.do(Action(option.kind, option.player, option.data), table.seen, SeededDice("1"))
        table.after(match)
    state = match.state
    best = {}
    for speed in (0, 1, 2, 4):
        for facing in range(12):
            there = state.with_vehicle("Red 1", speed=speed, facing=facing)
            best[speed, facing] = total(game, there, table.table, "Red")
    facing = state.vehicle("Red 1").facing
    assert best[2, facing] > best[1, facing] > best[0, facing]
    assert min(best[4, f] for f in range(12)) < min(best[1, f] for f in range(12)) < best[0, facing]
    # Damage and Control Loss points cost more the more there are of them: the last is the race.
    hurt = [total(game, state.with_vehicle("Red 1", damage=k), table.table, "Red") for k in range(4)]
    assert hurt[0] - hurt[1] < hurt[1] - hurt[2] < hurt[2] - hurt[3]


def beside_one_another(speed, attack=None, cards=(), **theirs):
    """Frothy Races with Red beside Black, and how a seat decides there by a character.

    Red may have attacked already, and have chosen `cards` in secret.
    """
    match = standing(("Red 1", cell(1, 2), 0, speed), ("Black 1", cell(2, 2), 0, speed), turn=2)
    match = match_at(match.state.with_vehicle("Black 1", **theirs))
    seen = table_of(match.game, ["Red 1", "Black 1"], exact=True).seen
    if attack is not None:
        match.do(Action("attack", "Red", {"vehicle": "Red 1", "target": "Black 1", "sort": attack}))
    if cards:
        match.seal(Action("clash", "Red", {"cards": list(cards)}), "s")
    return lambda player, **character: (
        decide(Position.of(match, seen, player), level="hard", **character).action
    )


def test_frothy_races_plays_as_many_cards_as_an_attack_is_worth():
    """All where damage is at stake, fewer where some control is; where it is all the same, now so, now so."""

    def counts(player, attack):
        choose = beside_one_another(3, attack)
        return {len(choose(player, seed=seed).data["cards"]) for seed in "abcdef"}

    assert counts("Red", "vehicle") == counts("Black", "vehicle") == {4}
    assert counts("Red", "personal") == {1, 2}
    assert counts("Black", "personal") == {2}
    # What the other has chosen in secret changes nothing.
    for attack, face in (("vehicle", "Reins"), ("personal", "Whip")):
        told = [beside_one_another(3, attack, [f"{face} {k}" for k in range(1, n)]) for n in (1, 2, 5)]
        one, *others = [choose("Black", temper="careful", seed="a") for choose in told]
        assert one.kind == "clash"
        assert others == [one, one]


def test_frothy_races_attacks_by_temperament():
    """The careful shun what it may cost them, the reckless do not; the vengeful look for the weak."""
    kinds = {
        (temper, damage): beside_one_another(2, damage=damage)("Red", temper=temper, seed="a").kind
        for temper in TEMPERAMENTS
        for damage in (0, 3)
    }
    assert {who for who, kind in kinds.items() if kind == "attack"} == {
        ("reckless", 0), ("reckless", 3), ("vengeful", 3),
    }  # fmt: skip


def test_battlecars_chooses_a_speed_that_it_can_drive_and_a_place_to_fire_from():
    game = game_called("battlecars")
    match, table, _ = any_match(game, 0, 1, exact=True)
    while match.state.phase != "speed":
        option = next(o for o in match.options(table.seen) if o.main)
        match.do(Action(option.kind, option.player, option.data), table.seen, SeededDice("1"))
        table.after(match)
    state = match.state
    red = state.vehicle("Red 1")
    speeds = list(game.proposals(state, table.seen, "Red", random.Random(1)))
    even = TEMPERAMENTS["even"]
    assert even.total(speeds[0].guess) == max(even.total(p.guess) for p in speeds)
    low, high = red.speeds
    assert {next(iter(p.data.values())) for p in speeds} <= set(range(low, high + 1))
    # Before a wall, and too fast to turn or to brake: trapped.
    edge = state.with_vehicle("Red 1", cell=(0, 3), facing=4, speed=5)
    free = state.with_vehicle("Red 1", cell=(0, 3), facing=0, speed=5)
    assert total(game, free, None, "Red") > total(game, edge, None, "Red") + 0.2
    # Mines on every point round about make each Speed that leads onto them worth less.
    cell = red.cell
    assert cell is not None
    around = [(cell[0] + x, cell[1] + y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]
    mines = tuple(Token(f"Mines {k}", MINES, point) for k, point in enumerate(around))
    mined = list(game.proposals(replace(state, tokens=mines), table.seen, "Red", random.Random(1)))
    best = [{}, {}]
    for worths, row in zip(best, (speeds, mined), strict=True):
        for one in row:
            speed = next(iter(one.data.values()))
            worths[speed] = max(worths.get(speed, -math.inf), even.total(one.guess))
    assert any(best[1][speed] < best[0][speed] - 0.3 for speed in best[0].keys() & best[1].keys() if speed)
    # A wreck shields its driver only as long as its markers do not cover it.
    wrecks = [state.with_vehicle("Blue 1", wreck=True, markers=k) for k in (0, 2, 4)]
    assert [total(game, w, None, "Red") for w in wrecks] == sorted(
        total(game, w, None, "Red") for w in wrecks
    )


@pytest.mark.parametrize(
    ("cell", "facing", "left", "told"),
    [
        ((3, 3), 0, None, "drives 2 points"),
        ((3, 3), 0, 1, "drives 1 point"),  # what a skid has left of its Speed
        ((1, 3), 4, None, "drives 1 point, runs into the edge of the board"),
        ((0, 3), 4, None, "runs into the edge of the board"),
        ((0, 3), 4, 1, "runs into the edge of the board"),
    ],
)
def test_battlecars_says_how_far_it_goes_and_what_it_runs_into(cell, facing, left, told):
    game = game_called("battlecars")
    match, table, _ = any_match(game, 0, 1, exact=True)
    turn = BattleTurn(match.state.vehicle("Red 1").driver, "Red", "move", left=left)
    state = match.state.with_vehicle("Red 1", cell=cell, facing=facing, speed=2)
    state = replace(state, phase="turns", turn=turn, round=1)
    moves = [p.words for p in game.proposals(state, table.seen, "Red", random.Random(1)) if p.kind == "move"]
    assert told in moves
    assert len(moves) == len(set(moves))
    if told.startswith("runs"):
        assert moves == [told]


def test_battlecars_takes_over_a_vehicle_that_stands_empty_whosever_it_was():
    """ "Pedestrians may commandeer any stationary vehicle …": it is worth something to whoever drives it."""
    state = battlefield(("Red 1", "Saloon", (2, 2), 0, 0), ("Blue 1", "Van", (6, 5), 4, 0))
    red, blue = state.person("driver of Red 1"), state.person("driver of Blue 1")
    state = state.with_vehicle("Red 1", driver=None, wreck=True).with_vehicle("Blue 1", driver=None)
    state = state.with_person(red.name, vehicle=None, cell=(5, 5))
    state = state.with_person(blue.name, vehicle=None, cell=(11, 9))
    position = position_of(game_called("battlecars"), state, "Red", Seen(board=state.board))
    choice = decide(position, level="hard", seed="1")
    assert (choice.action.kind, choice.action.data) == ("board", {"vehicle": "Blue 1"})


def test_battlecars_keeps_its_rounds_where_nobody_sits_in_what_it_may_fire_at():
    """A wreck and an empty vehicle do nothing: at whoever drives one it fires."""
    state = battlefield(
        ("Red 1", "Saloon", (2, 5), 0, 0), ("Blue 1", "Van", (5, 5), 4, 0), ("Blue 2", "Van", (12, 1), 4, 0),
        stage="fire",
    )  # fmt: skip
    empty = state.with_vehicle("Blue 1", driver=None)
    empty = empty.with_person("driver of Blue 1", dead=True, vehicle=None, cell=(5, 5))
    wreck = empty.with_vehicle("Blue 1", wreck=True)
    for there, fires in ((state, True), (empty, False), (wreck, False)):
        position = position_of(game_called("battlecars"), there, "Red", Seen(board=there.board))
        for seed in "abc":
            assert (decide(position, level="hard", seed=seed).action.kind == "fire") is fires


def test_battlecars_drives_into_sights_or_stays_out_of_them_by_temperament():
    """Of two that come to face one another: one Speed leads to where either may fire, a lower one not."""
    game = game_called("battlecars")
    match, table, _ = any_match(game, 0, 1, exact=True, alike=True)
    placed = replace(match.state, phase="speed").with_vehicle("Red 1", cell=(4, 4), facing=0, speed=2)
    state = placed.with_vehicle("Blue 1", cell=(8, 6), facing=5, speed=2)
    for seed in "abc":
        speeds = {
            temper: decide(
                position_of(game, state, "Red", table.seen), level="hard", temper=temper, seed=seed
            ).action.data["speed_1"]
            for temper in TEMPERAMENTS
        }
        assert speeds["reckless"] == speeds["vengeful"] == 3
        assert speeds["careful"] == 2


def test_hard_beats_random_play():
    """Games of the seeds that it was tuned on, to their ends: most are won; the gate plays one of them."""
    played = [
        any_game(game_called(name), number, Side("machine"), Side("random"), 1, exact=True)
        for number in range(20, 20 + volume(1, 6))
        for name in ("frothy_races", "shattered_highways", "battlecars")[: volume(1, 3)]
    ]
    assert not any(game.illegal or game.stuck for game in played)
    assert sum(game.winner == game.machine for game in played) >= volume(0, 13)


def in_a_round(car, **placed):
    """White Line Fever with two cars a side, Red's `car` to be driven by 6 in; and its table."""
    game = game_called("white_line_fever")
    match, table, _ = any_match(game, 2, 2, exact=True, alike=True)
    for name, pose in placed.items():
        table.put(name.replace("_", " "), Pose(*pose))
    cars = tuple(replace(c, status="driving", speed=6) for c in match.state.cars)
    turn = Round(1, "Red", "Red", car, stage="move")
    return game, replace(match.state, cars=cars, first="Red", deployment="arena", round=turn), table.seen


@pytest.mark.parametrize(
    ("weapon", "inches"), [("Spikes", 3.0), ("Barricade", 2.1), ("Oil", 2.1), ("Roadmine", 5.0)]
)
def test_white_line_fever_drives_as_far_as_a_token_lets_it(weapon, inches):
    """Spikes cost Speed, a Barricade and Oil end the way, a mine costs armour and so Speed."""
    game, state, seen = in_a_round("Red 1", Red_1=(8.0, 44.0, 0.0))
    state = replace(state, tokens=(Dropped(f"{weapon} 1", weapon, "Blue 1", (13.0, 44.0, 0.0)),))
    proposals = game.proposals(state, seen, "Red", random.Random(1))
    (ahead,) = [
        p for p in proposals if len(p.steps) == 1 and p.words.startswith("drives") and "drift" not in p.words
    ]
    assert ahead.steps[0].ahead == pytest.approx(inches, abs=0.1)
    assert Driver(position_of(game, state, "Red", seen)).try_out(ahead) is not None


def test_white_line_fever_finds_out_what_a_token_does_to_a_way_as_that_way_is_asked_for(monkeypatch):
    """A decision in time is one that can be broken off between any two ways."""
    game, state, seen = in_a_round("Red 1", Red_1=(8.0, 44.0, 0.0))
    state = replace(state, tokens=(Dropped("Spikes 1", "Spikes", "Blue 1", (13.0, 44.0, 0.0)),))
    looked = []
    real = white_line_fever.on_the_way
    monkeypatch.setattr(white_line_fever, "on_the_way", lambda *a: looked.append(a) or real(*a))
    at_each = [len(looked) for p in game.proposals(state, seen, "Red", random.Random(1)) if p.kind == "move"]
    assert at_each[0] == 0
    assert all(after - before < 10 for before, after in itertools.pairwise(at_each))
    assert at_each[-1] > 30


@pytest.mark.parametrize(("hands", "hits"), [("Blue", True), ("Red", False)])
def test_white_line_fever_drives_an_opponents_car_that_is_out_of_control_into_something(hands, hits):
    far = {"Red_2": (4.0, 44.0, 0.0), "Blue_1": (40.0, 44.0, 3.14), "Blue_2": (40.0, 4.0, 3.14)}
    game, state, seen = in_a_round("Red 1", Red_1=(10.0, 24.0, 0.0), Crate=(16.5, 24.0, 0.0), **far)
    state = replace(state, round=replace(state.round, hands=hands, lost=True))
    choice = decide(position_of(game, state, hands, seen), level="hard", seed="a")
    after = pushed(seen, choice.piece, choice.way)
    events = game.act(state, choice.action, after, SeededDice("1"))
    (moved,) = (e.data for e in events if e.kind == "moved")
    assert bool(moved["contacts"]) is hits


def test_white_line_fever_drives_so_far_into_something_that_nobody_has_to_be_asked():
    far = {"Red_2": (4.0, 44.0, 0.0), "Blue_1": (40.0, 44.0, 3.14), "Blue_2": (40.0, 4.0, 3.14)}
    game, state, seen = in_a_round("Red 1", Red_1=(10.0, 24.0, 0.0), Crate=(16.5, 24.0, 0.0), **far)
    state = replace(state, round=replace(state.round, hands="Blue", lost=True))
    unsure = tuple(
        replace(s, uncertainty=PoseUncertainty.isotropic(0.03, 0.002)) for s in seen.table.standings
    )
    seen = replace(seen, table=replace(seen.table, standings=unsure))
    hit = 0
    for one in game.proposals(state, seen, "Blue", random.Random(1)):
        if one.kind == "move":
            met = contacts(seen.table.find("Red 1"), one.steps, [seen.table.find("Crate")])
            assert all(contact.verdict is Verdict.YES for contact in met)
            hit += len(met)
    assert hit


@pytest.mark.parametrize("last", [True, False])
def test_white_line_fever_floors_it_where_it_is_free_and_else_by_temperament(last):
    """Whoever has one car against two needs no Hazard Check; with one against one the careful let it be."""
    far = {"Red_2": (2.0, 2.0, 0.0), "Blue_1": (44.0, 44.0, 0.0), "Blue_2": (44.0, 4.0, 0.0)}
    game, state, seen = in_a_round("Red 1", Red_1=(8.0, 24.0, 0.0), **far)
    out = ("Red 2",) if last else ("Red 2", "Blue 2")
    cars = tuple(replace(c, status="removed") if c.name in out else c for c in state.cars)
    state = replace(state, cars=cars, round=replace(state.round, stage="free"))
    kinds = {
        temper: decide(
            position_of(game, state, "Red", seen), level="hard", temper=temper, seed="a"
        ).action.kind
        for temper in TEMPERAMENTS
    }
    careful = "floor_it" if last else "end"
    assert (kinds["careful"], kinds["reckless"]) == (careful, "floor_it")


def shooting(primary, brand="Essence"):
    """White Line Fever after Red 1's first Maneuver and action, Blue 1 some 4 in ahead, nobody else near."""
    far = {"Red_2": (2.0, 2.0, 0.0), "Blue_1": (14.0, 24.0, 0.0), "Blue_2": (44.0, 4.0, 0.0)}
    game, state, seen = in_a_round("Red 1", Red_1=(8.0, 24.0, 0.0), **far)
    state = state.with_car("Red 1", primary=primary, secondary="Oil", brand=brand)
    return game, replace(state, round=replace(state.round, stage="free", acted=True)), seen


@pytest.mark.parametrize(("primary", "shoots"), [("Autocannon", True), ("Shock Gun", False)])
def test_white_line_fever_floors_it_for_no_shot_that_its_weapon_may_not_take_then(primary, shoots):
    """A Shock Gun "Can be used only on first Maneuver"."""
    game, state, seen = shooting(primary)
    (floored,) = (p for p in game.proposals(state, seen, "Red", random.Random(1)) if p.kind == "floor_it")
    gained = floored.guess.chance - game.worth(state, seen.table, "Red").chance
    assert (gained > 0.06) is shoots


def test_white_line_fever_counts_a_venus_with_a_streetsweeper_at_its_longer_short_range():
    """ "Always +2 Accuracy at Short", which is 2 in more for a Venus; the shot has its +1 there as well."""
    chances = []
    for brand in ("Essence", "Venus"):
        game, state, seen = shooting("Streetsweeper", brand)
        chances.append(game.worth(state, seen.table, "Red").chance)
    # Tailgating at Speed 6 it takes 6 or more without, and 2 or more with both.
    assert chances[1] / chances[0] == pytest.approx(7 / 3)


def test_others_are_asked_which_way_a_car_went_that_was_not_seen_all_along():
    """It lies where it was wanted, by more ways than one: that is not against the book."""
    game = game_called("battlecars")
    asked = []
    for turn, (_, position) in enumerate(played("battlecars", 60)):
        choice = decide(position, level="learner", seed=str(turn))
        if choice is None or choice.action.kind != "move" or not choice.way:
            continue
        after = pushed(position.seen, choice.piece, choice.way)
        (move,) = after.moves.values()
        jumped = replace(move, reads=(*move.reads[:2], *move.reads[-2:]), lifted=True)
        seen = replace(after, moves={move.id: jumped})
        lies = replace(position, seen=seen, options=tuple(position.asks(seen)))
        found = Driver(lies).as_it_lies(choice)
        data = {"move": move.id}
        against = game.check(position.state, Action("move", position.player, data), lies.seen)
        if [reason.fact for reason in against] == [True]:
            asked.append(found)
            assert found.action.data["ruled"] == {against[0].words: "yes"}
    assert asked


def test_a_machine_does_not_go_round_and_round():
    """To choose the one car, the other, and the one again leads nowhere, however little else there is."""
    game, state, seen = in_a_round("Red 1")
    match = Match.at(game, state)
    for name in ("Red 2", "Red 1"):
        match.do(Action("choose", "Red", {"car": name}), seen, SeededDice("s"))
    back = Proposal("choose", words="chooses another car")
    position = Position.of(match, seen, "Red")
    assert Driver(position).try_out(back, judged=False) is None
    assert Driver(replace(position, been=())).try_out(back, judged=False) is not None
    # Not even where nothing else may be done: then it is left to people.
    choose = tuple(o for o in position.options if o.kind == "choose")
    cornered = replace(position, options=choose, asks=lambda _seen: choose)
    assert Driver(cornered).decide() is None
    assert Driver(replace(cornered, been=())).decide() is not None


def before_a_loaded_gun():
    """Car Cult: Red's shot is fired, Blue's is not, and either gun is just out of reach."""
    match = begun(car("Red 1", "Straight Five", "Machine Gun"), car("Blue 1", "Straight Five", "Machine Gun"))
    tokens = {"Straight Five": 2, "Machine Gun": 1}
    cars = tuple(
        replace(one, components=tuple(
            replace(x, zones=(SPEED,) * tokens[x.name] + x.zones[tokens[x.name] :], used=int(x.name in fired))
            for x in one.components
        ))
        for one, fired in zip(match.state.cars, (("Machine Gun",), ()), strict=True)
    )  # fmt: skip
    table = table_of(match.game, ["Red 1", "Blue 1"], exact=True)
    table.put("Red 1", Pose(14.0, 24.0, 0.0))
    table.put("Blue 1", Pose(34.0, 24.0, math.pi))
    return match.game, replace(match.state, cars=cars, turn=Activation("Red 1", "Red", "act")), table.seen


def before_one_behind():
    """Shattered Highways: whoever is behind can be rammed with the rear, or be left behind."""
    game = game_called("shattered_highways")
    match, table, _ = any_match(game, 2, 1, exact=True, alike=True)
    table.put("Red 1", Pose(20.0, 20.0))
    table.put("Blue 1", Pose(14.0, 20.0))
    return game, driving(match, "Red 1", stage="moving"), table.seen


def face_to_face():
    """White Line Fever: two cars that come to face one another, the others far off."""
    far = {"Red_2": (2.0, 2.0, 0.0), "Blue_2": (2.0, 46.0, 0.0)}
    return in_a_round("Red 1", Red_1=(10.0, 24.0, 0.0), Blue_1=(24.0, 24.0, math.pi), **far)


@pytest.mark.parametrize("placed", [before_a_loaded_gun, before_one_behind, face_to_face])
def test_the_reckless_go_where_they_may_fire_and_the_careful_where_nobody_may(placed):
    game, state, seen = placed()
    worth = {}
    for temper in ("reckless", "careful"):
        choice = decide(position_of(game, state, "Red", seen), level="hard", temper=temper, seed="a")
        worth[temper] = game.worth(state, put(seen.table, choice.piece, choice.way[-1]), "Red")
    assert worth["careful"].danger < worth["reckless"].danger
    assert worth["careful"].chance < worth["reckless"].chance


def test_what_others_declined_is_answered_otherwise_as_long_as_that_is_lawful():
    game = game_called("battlecars")
    _, position = next(iter(played("battlecars", 60)))
    action = Action("move", position.player, {})
    touches = Reason("it touches", "", open=True, question="it touches Blue 3: 0.02 in")
    unseen = Reason("a part was not seen", "", open=True, fact=True)
    # The figure is another one in each picture.
    no, yes = ({"it touches Blue 3: 0.03 in": said} for said in ("no", "yes"))

    def said(against, declined, lawful=("no", "yes")):
        def check(asked, _):
            return [] if {*asked.data["ruled"].values()} <= {*lawful, "yes"} else [touches]

        driver = Driver(replace(position, game=game, check=check))
        found = driver._answered(action, against, declined)
        return None if found is None else found.data["ruled"]

    assert said([touches], []) == {touches.question: "no"}
    assert said([touches], [no]) == {touches.question: "yes"}
    assert said([touches], [no, yes]) is None
    assert said([touches], [], lawful=()) == {touches.question: "yes"}
    many = [replace(touches, question=f"it touches Blue {k}") for k in range(1, 4)]
    answers = []
    for _ in range(9):
        answers.append(said(many, [one for one in answers if one]))
    assert answers[:2] == [{m.question: word for m in many} for word in ("no", "yes")]
    assert len({tuple(sorted(one.items())) for one in answers[:8]}) == 8
    assert answers[8] is None
    assert said([unseen], []) == {unseen.words: "yes"}
    assert said([unseen], [{unseen.words: "yes"}]) is None
    assert said([touches, unseen], [{**no, unseen.words: "yes"}]) == {
        touches.question: "yes", unseen.words: "yes",
    }  # fmt: skip
