"""What the tests of every game are told of White Line Fever, and its random players, who shoot and drive.

After every event the state is held against what a record sheet and the book allow.
"""

from __future__ import annotations

import inspect
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.games import Held, Players
from engine.game.contract import Game, Option
from engine.game.dice import Dice
from engine.game.events import Action, Event
from engine.game.match import Match
from engine.games.white_line_fever.acts import moving, placing, rounds, shooting
from engine.games.white_line_fever.acts import placing as dropping
from engine.games.white_line_fever.acts.beginning import check_deploy, do_deploy
from engine.games.white_line_fever.book.data import BRANDS, TOP_SPEED, WEAPONS, HouseRules
from engine.games.white_line_fever.rules import shots as shot_facts
from engine.games.white_line_fever.rules.contacts import displacer
from engine.games.white_line_fever.state import GameState
from tests.engine.games.suite import Suite
from tests.engine.games.white_line_fever.playing import GAME, begun

PRIMARY = [w.name for w in WEAPONS.values() if w.hardpoint == "primary"]
SECONDARY = [w.name for w in WEAPONS.values() if w.hardpoint == "secondary"]
OBSTACLES = ("Rock", "Mug", "Book")
CONTACTS = ("head-on", "T-bone", "shunt", "sideswipe")


def random_setup(_game: Game[Any], _number: int, chance: random.Random) -> dict[str, Any]:
    """Two to four players with one to three cars each, of any brand and with any weapons."""
    players = ["Red", "Blue", "Green", "Gold"][: chance.randint(2, 4)]
    each = chance.randint(1, 3)
    cars = [
        {
            "name": f"{player} {k + 1}", "owner": player, "brand": chance.choice(list(BRANDS)),
            "primary": chance.choice(PRIMARY), "secondary": chance.choice(SECONDARY),
        }
        for player in players
        for k in range(each)
    ]  # fmt: skip
    house: dict[str, Any] = {"armour_groups": chance.choice([[5, 5, 5, 5], [2, 2, 2], [3, 4, 5]])}
    if chance.random() < 0.5:
        house |= {"blast_dice": "one each", "outnumbered": "by all opponents"}
    setup: dict[str, Any] = {
        "players": players,
        "cars": cars,
        "first": chance.choice(players),
        "house": house,
    }
    if chance.random() < 0.5:
        setup["deployment"] = chance.choice(["arena", "highway"])
    return setup


def random_action(state: GameState, options: Sequence[Option], chance: random.Random) -> Action:
    """A lawful action, shots and manoeuvres more often than the rest."""
    options = [option for option in options if not option.not_now]
    weight = {"shoot": 6.0, "drop": 6.0, "floor_it": 3.0, "reverse": 0.1}
    if state.round is not None and state.round.stage == "move":
        weight["choose"] = 0.0  # to and fro between cars would be most of a game
    option = chance.choices(options, [weight.get(o.kind, 1.0) for o in options])[0]
    data = dict(option.data)
    said = _SAY.get(option.kind)
    if said is not None:
        data |= said(state, data, chance)
    return Action(option.kind, option.player, data)


def _say_deployment(_state: GameState, _data: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    return {"deployment": chance.choice(["arena", "highway", "roll"])}


def _say_reverse(_state: GameState, _data: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    return {"because": chance.choice(["surface", "collision"])}


def _say_met(state: GameState, data: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """What a car met: tokens now and then, and contact or the edge."""
    met: dict[str, Any] = {"triggered": [t.name for t in state.tokens if chance.random() < 0.1]}
    what = chance.random()
    if what < 0.12:
        on_table = [c.name for c in state.cars if c.status in ("driving", "wreck") and c.name != data["car"]]
        others = [*on_table, *OBSTACLES]
        touched = chance.sample(others, chance.choice([1, 1, 1, 2]))
        met["contacts"] = [{"other": other, "kind": chance.choice(CONTACTS)} for other in touched]
    elif what < 0.13:
        met["left_surface"] = True
    return met


def _say_move(state: GameState, data: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    met = _say_met(state, data, chance)
    met |= {"unavoidable": True} if "left_surface" in met else {}
    assert state.round is not None
    way = -1.0 if state.round.reverse else 1.0
    left = state.to_drive(data["car"])
    if state.round.part:
        # What a token has left of a manoeuvre.
        return met | {"steps": [{"kind": "straight", "ahead": way * left}]}
    speed = int(left)
    cut = chance.randint(1, speed - 1) if speed > 1 else 0
    runs = [float(r) for r in (cut, speed - cut) if r]
    steps: list[dict[str, Any]] = [{"kind": "straight", "ahead": way * r} for r in runs]
    extra = chance.random()
    if extra < 0.4:
        turn = {"kind": "turn", "angle": chance.uniform(-1.57, 1.57)}
        steps.insert(chance.randint(0, len(steps)), turn)
    elif extra < 0.6:
        steps[0] |= {"kind": "drift", "left": chance.choice([-1.0, 1.0])}
    if displacer(state, met["triggered"]) is not None and steps[-1]["kind"] == "straight":
        steps[-1] |= {"ahead": steps[-1]["ahead"] / 2}
    if chance.random() < 0.03:
        # A hand that pushed too far, and players who let it pass.
        steps[-1] |= {"ahead": way * 9.0} if steps[-1]["kind"] != "turn" else {"angle": 2.0}
        met["ruled"] = "yes"
    return met | ({"steps": steps} if chance.random() < 0.8 else {})


def _say_shot(state: GameState, data: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    weapon = WEAPONS[data["weapon"]]
    others = [c.name for c in state.driving() if c.name != data["target"]]
    said: dict[str, Any] = {
        "band": chance.choice(["short", "maximum"]),
        "tailgate": chance.random() < 0.4,
        "apply": chance.choice(["accuracy", "damage"]),
    }
    if weapon.blast_radius is not None:
        said["reached"] = [o for o in others if chance.random() < 0.3]
    if weapon.pierces and others and chance.random() < 0.5:
        said["reached"] = [chance.choice(others)]
    return said


def _say_drop(state: GameState, _data: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    return {"under": [chance.choice(state.driving()).name]} if chance.random() < 0.1 else {}


def _say_blast(state: GameState, _data: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    duty = next(d for d in state.duties if d.kind == "blast")
    maybe = [n for n in duty.doubtful if state.car(n).driving and chance.random() < 0.5]
    return {"cars": [n for n in duty.sure if state.car(n).driving] + maybe}


_SAY = {
    "deployment": _say_deployment,
    "reverse": _say_reverse,
    "move": _say_move,
    "placed": _say_met,
    "shoot": _say_shot,
    "drop": _say_drop,
    "blast": _say_blast,
}


def hold(state: GameState) -> None:
    """What must be true after every event; an `AssertionError` says what is not."""
    driving = {c.name for c in state.cars if c.status == "driving"}
    for car in state.cars:
        assert 0 <= car.marked <= state.boxes(car), f"{car.name}: armour out of bounds"
        assert 1 <= car.speed <= TOP_SPEED, f"{car.name}: Speed {car.speed}"
        assert car.tokens >= 0, f"{car.name}: {car.tokens} tokens"
        assert len(set(car.spent)) == len(car.spent), f"{car.name}: a weapon spent twice"
    turn = state.round
    if turn is not None:
        assert turn.driver in state.players, "no driver"
        assert turn.hands in state.players, "nobody's hands"
        assert turn.car is None or state.car(turn.car).owner == turn.driver, "another's car"
        assert turn.lost or turn.hands == turn.driver, "another's hands"
        assert 1 <= turn.manoeuvre <= 6, f"manoeuvre {turn.manoeuvre}"
    for duty in state.duties:
        assert duty.kind == "blast" or duty.car in driving, f"{duty.car} is to be placed but destroyed"
    assert len({t.name for t in state.tokens}) == len(state.tokens), "two tokens of one name"
    if state.over:
        assert turn is None
        assert not state.duties
        assert {c.owner for c in state.driving()} <= {state.winner}, "the winner is not the last one"


def hold_settled(state: GameState) -> None:
    """What must be true besides between two actions."""
    for car in state.cars:
        if car.driving:
            assert car.marked < state.boxes(car), f"{car.name} has no armour but drives"
            assert car.speed <= state.top_speed(car), f"{car.name}: Speed {car.speed} above its maximum"
    if state.over or state.duties or state.round is None:
        return
    assert len(state.alive) > 1, "one player is left but the game goes on"
    turn = state.round
    assert turn.car is None or state.car(turn.car).driving, "a destroyed car drives"
    assert turn.stage != "done", "a round that is over goes on"
    assert state.driving(turn.driver), "the driver has no car"


def acts_dead(state: GameState, event: Event) -> bool:
    """Whether a car that is destroyed does something in this event."""
    doing = ("moved", "shot", "dropped", "placed", "floored", "speed", "damaged", "chosen")
    return event.kind in doing and not state.car(event.data["car"]).driving


def hold_event(before: GameState, event: Event, after: GameState) -> None:
    """Nobody who is destroyed acts, the book or ourselves are cited, and the state holds."""
    assert not acts_dead(before, event), f"{event.words}, but it is destroyed"
    assert event.citation.startswith(("White Line Fever 0.9 · ", "house default · ")), event
    hold(after)


def act(match: Match[GameState], chance: random.Random, dice: Dice) -> tuple[Event, ...]:
    """A random lawful action."""
    options = match.options()
    assert options, "nothing may be done, and the game is not over"
    return match.do(random_action(match.state, options, chance), None, dice)


def overruled(match: Match[GameState], chance: random.Random) -> None:
    """A car's Speed, set by hand."""
    car = chance.choice(match.state.cars)
    match.overrule(["cars", car.name, "speed"], chance.randint(1, match.state.top_speed(car)), "a whim")


def unlawful(match: Match[GameState], chance: random.Random) -> Iterator[Action]:
    """Actions at a wrong time or by the wrong player, all of which are refused."""
    options = match.options()
    kinds = {o.kind for o in options}
    wrong = chance.choice([k for k in ("floor_it", "end", "drop") if k not in kinds] or ["drop"])
    attempts = [Action(wrong, None, {})] if wrong not in kinds else []
    attempts += [
        Action(o.kind, p, o.data)
        for o in options
        for p in match.state.players
        if o.player not in (None, p) and o.kind in ("choose", "end", "floor_it", "move")
    ]
    for action in attempts[:3]:
        assert match.check(action), f"{action} is not refused"
        yield action


PLAYERS = Players(GAME, random_setup, act, hold_settled, hold_event, unlawful, overruled)


def wrong() -> Iterator[tuple[Held, GameState, str]]:
    """States of a game that begins with one thing wrong."""
    state = begun().state

    def turn(**changes: Any) -> GameState:
        return replace(state, round=replace(state.round, **changes))

    def red(**changes: Any) -> GameState:
        return state.with_car("Red 1", **changes)

    yield hold, red(marked=21), "armour out of bounds"
    yield hold, red(speed=0), "Speed 0"
    yield hold, red(speed=7), "Speed 7"
    yield hold, red(tokens=-1), "-1 tokens"
    yield hold, red(spent=("Mark 9 Javelin",) * 2), "spent twice"
    yield hold, turn(driver="Green"), "no driver"
    yield hold, turn(car="Blue 1"), "another's car"
    yield hold, turn(hands="Blue"), "another's hands"
    yield hold, turn(manoeuvre=7), "manoeuvre 7"
    yield hold_settled, red(marked=20), "no armour but drives"
    yield hold_settled, red(marked=15, speed=5), "above its maximum"
    yield hold_settled, red(status="wreck"), "one player is left"
    yield hold_settled, turn(stage="done"), "goes on"


def on_its_page() -> Iterator[str]:
    """Fields that the rules read, by the action's name in the code."""
    source = {
        "shoot": inspect.getsource(shot_facts) + inspect.getsource(shooting),
        "move": inspect.getsource(moving),
        "drop": inspect.getsource(dropping),
        "placed": inspect.getsource(placing),
        "deploy": inspect.getsource(check_deploy) + inspect.getsource(do_deploy),
        "blast": inspect.getsource(shooting.check_blast),
        "speed": inspect.getsource(rounds.check_speed),
        "reverse": inspect.getsource(rounds.check_reverse),
    }
    for kind, code in source.items():
        read = set(re.findall(r'(?:action\.data|[^.]data|said), "(\w+)"', code))
        assert read, kind
        yield from (f"`{name}`" for name in read)


def unruled(text: str) -> set[str]:
    """Headings of the book that no section has, but for what has to be bought, built or is cited by rows."""
    large = re.findall(r"^(?:<.*>)?S ([A-Z ]+)(?: \(Action\))?$", text, re.MULTILINE)
    small = re.findall(r"^(?:<.*>)?([A-Z][a-zA-Z]+(?: (?:[A-Z][a-zA-Z]+|the|a|It))*): ", text, re.MULTILINE)
    assert len(large) >= 12
    assert len(small) >= 20
    known = {part.lower() for section in GAME.about.sections for part in section.split(" · ")}
    return {h.lower() for h in large + small} - known - {"components", "obstacles", "modifiers"}


SUITE = Suite(
    players=PLAYERS,
    seeds=(*range(10), 12, 18),
    whims=(4,),
    house=HouseRules,
    golden_games=9,
    lost=("duel", "damaged"),
    at_tables=frozenset(),
    of_the_match=frozenset({"action", "undo", "redo", "overrule"}),
    not_done=frozenset(),
    often=11,
    sound=lambda: ((hold, begun().state), (hold_settled, begun().state)),
    wrong=wrong,
    on_its_page=on_its_page,
    said_elsewhere=frozenset({"ruled"}),
    not_told=frozenset(),
    text="white-line-fever-0.9.txt",
    unruled=unruled,
)
