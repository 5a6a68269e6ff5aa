"""The machine's decisions: lawful in every game, the same for the same seed, blind to what is secret."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks.drivers import Side, begun, plain, play, table_of
from engine.driver.characters import LEVEL, LEVELS, TEMPERAMENTS
from engine.driver.deciding import Driver, Position, at_random, decide
from engine.driver.pushing import told, until_touch
from engine.game.contract import About, Game, Option, Proposal, Seen
from engine.game.dice import SeededDice
from engine.game.events import Action, Event
from engine.game.filling import complete, every_answer
from engine.game.forms import Form
from engine.game.kit.actions import Rule
from engine.game.kit.events import Events
from engine.game.kit.states import States
from engine.game.match import Match
from engine.game.pushing import along, pushed
from engine.game.registry import game_called, games_from
from engine.game.showing import Status
from engine.measure.sweep import Straight, Turn
from engine.space import catalogue
from engine.space.geometry import Pose
from tests.engine.game.grid_game import GAME as POINT_RACE
from tests.engine.games.frothy_races.playing import cell, standing
from tests.volume import volume
from vision.simulate.scenes import BOARDS

SAMPLE = Path(__file__).resolve().parents[3] / "samples" / "own-game"
GAMES = ("battlecars", "car_cult", "frothy_races", "shattered_highways", "white_line_fever")


@pytest.mark.parametrize("name", GAMES)
def test_every_decision_is_lawful_and_the_same_again(name: str) -> None:
    """A while of each game: whatever is decided is done, and decided alike a second time."""
    game = game_called(name)
    match, table, _ = begun(game, 1, 1)
    dice = SeededDice("1")
    for turn in range(volume(9, 60)):
        if (group := match.revealing(table.seen)) is not None and not match.options(table.seen):
            match.reveal(group, table.seen, dice)
            continue
        player = next((o.player for o in match.options(table.seen) if o.player), "Red")
        position = Position.of(match, table.seen, player)
        level = "hard" if turn % 7 == 6 else "learner"
        one, other = (decide(position, level=level, seed=str(turn)) for _ in range(2))
        assert one is not None
        assert (one.action, one.words, one.goal) == (other.action, other.words, other.goal)
        seen = table.seen if one.goal is None else pushed(table.seen, str(one.piece), one.way)
        assert not match.check(one.action, seen), one.action
        if one.goal is not None:
            table.put(str(one.piece), one.goal)
        if one.action.kind in game.about.sealed:
            assert one.words == f"{player} chooses in secret"
            match.seal(one.action, f"a salt {turn}", seen, dice)
        else:
            match.do(one.action, seen, dice)
        table.after(match)


SECRETS: dict[str, tuple[int, Callable[[Form], list[dict[str, Any]]]]] = {
    "battlecars": (1, lambda form: [{n: getattr(f, end) for n, f in form.fields.items()} for end in ENDS]),
    "shattered_highways": (
        2,
        lambda form: [{"vehicles": row} for row in permutations(complete(form)["vehicles"])],
    ),
    "frothy_races": (1, lambda form: [dict(one) for one in every_answer(form)]),
}
"""How many vehicles a side has, and what may be chosen in secret."""

ENDS = ("low", "high")


def chosen_in_secret(name: str = "battlecars") -> tuple[list[Match[Any]], Seen]:
    """The same match twice, in which Red has chosen in secret: the first that there is, and the last."""
    each, ways = SECRETS[name]
    match, seen = attacked() if name == "frothy_races" else to_choose(name, each)
    asked = next(o for o in match.options(seen) if o.player == "Red")
    first, *_, last = ways(asked.form)
    forks = [Match.at(match.game, match.state) for _ in range(2)]
    for fork, said in zip(forks, (first, last), strict=True):
        fork.seal(Action(asked.kind, "Red", said), "a salt", seen, SeededDice("1"))
    return forks, seen


def to_choose(name: str, each: int) -> tuple[Match[Any], Seen]:
    """A match of that game in which both sides have next to choose in secret."""
    match, table, _ = begun(game_called(name), 1, each, exact=True)
    for turn in range(60):
        options = match.options(table.seen)
        if any(o.sealed for o in options):
            break
        player = next((o.player for o in options if o.player), "Red")
        choice = decide(Position.of(match, table.seen, player), level="learner", seed=str(turn))
        assert choice is not None
        seen = table.seen if choice.goal is None else pushed(table.seen, str(choice.piece), choice.way)
        if choice.goal is not None:
            table.put(str(choice.piece), choice.goal)
        match.do(choice.action, seen, SeededDice(str(turn)))
        table.after(match)
    return match, table.seen


def racing() -> tuple[Match[Any], Seen]:
    """Frothy Races with Red beside Blue, and to move."""
    match = standing(("Red 1", cell(1, 2), 0, 3), ("Blue 1", cell(2, 2), 0, 3), turn=2)
    return match, table_of(match.game, ["Red 1", "Blue 1"], exact=True).seen


def attacked() -> tuple[Match[Any], Seen]:
    """Frothy Races with an attack of Red on Blue, for which both choose their cards."""
    match, seen = racing()
    match.do(Action("attack", "Red", {"vehicle": "Red 1", "target": "Blue 1", "sort": "vehicle"}))
    return match, seen


@pytest.mark.parametrize("name", SECRETS)
def test_what_another_has_chosen_in_secret_changes_no_decision_until_it_is_told(name: str) -> None:
    forks, seen = chosen_in_secret(name)
    one, other = (decide(Position.of(fork, seen, "Blue"), level="hard", seed="s") for fork in forks)
    assert one == other
    assert one is not None
    for fork in forks:
        fork.seal(one.action, "another salt", seen, SeededDice("1"))
    assert forks[0].state != forks[1].state


def with_event(match: Match[Any], told: Event) -> Any:
    """A match in whose log this stands, too."""
    names = ("game", "state", "options", "check", "counted")
    return SimpleNamespace(log=(*match.log, told), **{name: getattr(match, name) for name in names})


def test_what_a_seat_may_not_read_is_not_thought_with() -> None:
    game = game_called("frothy_races")
    match, table, _ = begun(game, 1, 1)
    position = Position.of(match, table.seen, "Red")
    assert position.plain
    told = Event("note", {}, "Blue holds a card", "book", audience=("Blue",))
    kept = with_event(match, told)
    assert not Position.of(kept, table.seen, "Red").plain
    assert Position.of(kept, table.seen, "Blue").plain


def test_time_that_is_up_gives_the_first_that_is_lawful() -> None:
    game = game_called("shattered_highways")
    match, table, _ = begun(game, 1, 1)
    position = Position.of(match, table.seen, "Red")
    late = decide(position, level="hard", seed="1", clock=lambda: 10.0, until=5.0)
    whole = decide(position, level="hard", seed="1")
    assert late is not None
    assert whole is not None
    assert not late.better_than
    assert len(whole.better_than) >= len(late.better_than)


@pytest.mark.parametrize("up", [False, True])
def test_a_game_that_proposes_without_end_leaves_time_to_try_it(up: bool) -> None:
    match, seen = racing()
    position = Position.of(match, seen, "Red")
    told = list(position.game.proposals(position.state, seen, "Red", random.Random(1)))
    ticks, asked = itertools.count(), []

    def endless(*_: Any) -> Iterator[Proposal]:
        for one in itertools.cycle(told):
            asked.append(one)
            yield one

    driving = replace(position, game=replace(position.game, proposals=endless))
    clock = (lambda: math.inf) if up else (lambda: float(next(ticks)))
    found = decide(driving, level="hard", seed="1", clock=clock, until=400.0)
    assert found is not None
    assert len(asked) == 1 if up else 190 < len(asked) < 400
    assert bool(found.better_than) is not up


@pytest.mark.parametrize(("up", "looked"), [(True, [1, 2]), (False, [8, 16])])
def test_nothing_lawful_is_looked_for_when_time_is_up(up: bool, looked: list[int]) -> None:
    """One is tried at the least: of what is lawful as it is, and of what the players would settle."""
    match, table, _ = begun(game_called("white_line_fever"), 1, 1)
    position = Position.of(match, table.seen, "Red")
    asked: list[Any] = []

    def nothing(seen: Seen) -> tuple[Option, ...]:
        asked.append(seen)
        return ()

    here = table.table.find("Red 1").pose
    ways = [along(here, (Straight(inches),)) for inches in range(1, 9)]
    proposals = [Proposal("deploy", "Red 1", way=way) for way in ways]
    game = replace(position.game, proposals=lambda *_: proposals, awaits=lambda _: ())
    cornered = replace(position, game=game, options=(), asks=nothing)
    driver = Driver(cornered, level="hard", clock=lambda: 10.0, until=5.0 if up else 15.0)
    assert driver.first_lawful(proposals) is None
    assert len(asked) == looked[0] + looked[1]
    asked.clear()
    assert driver.last_resort() is None
    assert len(asked) == looked[1]


def test_the_sample_plug_in_is_played_to_its_end() -> None:
    """Far Edge says nothing of machines."""
    with games_from(str(SAMPLE)):
        game = game_called("far_edge")
        for number in range(4):
            done = play(game, number, Side("machine"), Side("machine", "learner"), exact=True)
            assert (done.stuck, done.illegal) == ("", 0)
            assert done.actions > 4


def test_a_game_that_says_nothing_is_played_by_its_forms() -> None:
    """The smallest game on cells, which knows nothing of machines: pieces are pushed to lawful cells."""
    game = POINT_RACE
    pieces = [{"name": f"{owner} 1", "owner": owner} for owner in ("Red", "Blue")]
    setup = {"players": ["Red", "Blue"], "pieces": pieces}
    match, table = Match.begin(game, setup), table_of(game, ("Red 1", "Blue 1"))
    table.after(match)
    for turn in range(6):
        player = match.state.car.owner
        choice = decide(Position.of(match, table.seen, player), seed=str(turn))
        assert choice is not None
        seen = table.seen if choice.goal is None else pushed(table.seen, str(choice.piece), choice.way)
        match.do(choice.action, seen)
        table.after(match)
    assert match.state.turn == 6


def test_a_car_that_is_pushed_drives_and_is_not_put_down() -> None:
    """Last Bumper says nothing of machines: a way is drawn for it, and pushed by hand."""
    with games_from(str(SAMPLE)):
        game = game_called("last_bumper")
        pieces = [{"name": f"{owner} 1", "owner": owner} for owner in ("Red", "Blue")]
        match = Match.begin(game, {"players": ["Red", "Blue"], "pieces": pieces})
        for salt, owner in (("a", "Red"), ("b", "Blue")):
            match.seal(Action("speed", owner, {"inches": 8 if owner == "Red" else 4}), salt)
        table = catalogue.table_of({"Red 1": ("sedan", 20, 20), "Blue 1": ("van", 40, 40)}, sd=0.01)
        position = Position.of(match, Seen(table), "Red")
        choice = decide(position, seed="1")
        assert choice is not None
        assert (choice.action.kind, choice.words, len(choice.way) > 1) == ("push", "Red 1 drives", True)
        driver = Driver(position, level="learner", seed="1")
        assert driver.stands(choice)
        too_far = along(table.find("Red 1").pose, (Straight(20.0),))
        assert not driver.stands(replace(choice, way=too_far)), "8 inches were chosen"


def test_the_plain_opponents_play_to_the_end() -> None:
    game = game_called("frothy_races")
    played = play(game, 0, Side("machine", "fair"), Side("plain"), 1)
    assert played.winner is not None
    assert not played.illegal
    match, table, _ = begun(game, 2, 1)
    assert at_random(Position.of(match, table.seen, "Red"), random.Random(1)) is not None
    assert plain(Position.of(match, table.seen, "Red"), random.Random(1)) is not None


@dataclass(frozen=True)
class Waiting:
    """A game of which nothing is told but whose turn it is."""

    player: str = "Red"


TURNS: Events[Waiting] = Events("Waiting")
TURNS.on("begin")(lambda state, _data: state)
TURNS.on("passed")(lambda state, _data: Waiting("Blue" if state.player == "Red" else "Red"))


def test_what_stands_again_as_it_stood_after_others_have_acted_is_no_circle() -> None:
    """Who may only wait for one another do so as long as they like: nothing is stuck."""
    game = Game(
        about=About("waiting", "Waiting", "Book", "1", players=(2, 2)),
        states=States(Waiting),
        events=TURNS,
        rules={"wait": Rule(lambda p, _: p.tell("passed", "waits", "Book"), "wait", "Book")},
        begin=lambda _said: (TURNS.told("begin", "they wait", "Book", {}),),
        offers=lambda state, _seen: (Option("wait", state.player, "Wait", citation="Book"),),
        status=lambda state, _viewer: Status("", state.player),
    )
    match = Match.begin(game, {"players": ["Red", "Blue"]})
    for turn in range(6):
        choice = decide(Position.of(match, Seen(), match.state.player), seed=str(turn))
        assert choice is not None
        match.do(choice.action)


def test_levels_look_farther_and_temperaments_weigh_otherwise() -> None:
    assert [LEVEL[name].tried for name in LEVELS] == sorted(LEVEL[name].tried for name in LEVELS)
    assert TEMPERAMENTS["careful"].danger > TEMPERAMENTS["even"].danger > TEMPERAMENTS["reckless"].danger


def test_a_level_misjudges_by_its_noise_as_often_as_its_game_says() -> None:
    game = game_called("battlecars")
    match, table, _ = begun(game, 1, 1)
    found = Position.of(match, table.seen, "Red")

    def most(doubt: float, noise: float) -> float:
        level = replace(LEVEL["fair"], noise=noise, missed=0.0)
        position = replace(found, game=replace(game, doubt=doubt))
        return max(one.worth or 0.0 for one in Driver(position, level=level, seed="1").tried())

    assert most(0.0, 5.0) == most(1.0, 0.0) == most(7.0, 0.0)
    assert most(7.0, 5.0) > most(0.0, 5.0) + 5.0


def test_a_way_in_thought_is_what_a_hand_would_push() -> None:
    """What was thought of as a run, a turn and a run is recognised as just that once it has been pushed."""
    table = table_of(game_called("white_line_fever"), ("Red 1", "Blue 1"))
    car = table.table.find("Red 1")
    steps = (Straight(2.0), Turn(-0.8, tuple(car.piece.body.rear_axle)), Straight(1.5))
    way = along(car.pose, steps)
    thought, real = (
        next(iter(pushed(table.seen, "Red 1", way, steps=s).moves.values())).recognised() for s in (steps, ())
    )
    assert thought.words == real.words
    assert told(steps) == "drives 2 in, turns right by 46°, drives 1.5 in"
    wall = replace(table.table.find("Blue 1"), pose=car.pose.compose(Pose(4.0, 0.0)))
    cut = until_touch(car, (Straight(6.0),), [wall])
    assert 0.5 < cut[0].size < 1.6
    # The edge ends a way too, and a little past it the camera is sure of it.
    ways = [until_touch(car, (Straight(90.0),), [], table.table.surface, past) for past in (0.0, 0.2)]
    assert 0.0 < ways[0][0].size < 89.0
    assert ways[1][0].size == pytest.approx(ways[0][0].size + 0.2)


def test_every_kind_of_board_has_a_table() -> None:
    assert {kind for name in GAMES for kind in game_called(name).about.boards} <= BOARDS.keys()
