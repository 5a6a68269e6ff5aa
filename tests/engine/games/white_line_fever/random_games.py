"""Games of White Line Fever by random players who shoot and drive: `--games N`, `--seed S`, `--bare`.

The engine alone plays each game to its end. After every event the state is held against what a record
sheet and the book allow; after every action the fold, undo, redo and the state's JSON; after the game the
log's JSON, its replay, and the same actions with the same dice. One core.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from engine.game.contract import Option
from engine.game.dice import Dice, SeededDice
from engine.game.events import Action, Event, Illegal, event_from_json, event_to_json
from engine.game.match import Match
from engine.game.registry import game_called
from engine.games.white_line_fever.book.data import BRANDS, TOP_SPEED
from engine.games.white_line_fever.book.weapons import WEAPONS
from engine.games.white_line_fever.effects.tokens import displacer
from engine.games.white_line_fever.state.game_state import GameState

GAME = game_called("white_line_fever")
PRIMARY = [w.name for w in WEAPONS.values() if w.hardpoint == "primary"]
SECONDARY = [w.name for w in WEAPONS.values() if w.hardpoint == "secondary"]
OBSTACLES = ("Rock", "Mug", "Book")
CONTACTS = ("head-on", "T-bone", "shunt", "sideswipe")


def random_setup(chance: random.Random) -> dict[str, Any]:
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


def _say_blast(state: GameState, data: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    duty = next(d for d in state.duties if d.kind == "blast")
    maybe = [n for n in duty.doubtful if state.car(n).driving and chance.random() < 0.5]
    return {"cars": [n for n in data["cars"] if state.car(n).driving] + maybe}


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


def play(number: int, *, checked: bool = True) -> Match[GameState]:
    """One game to its end, everything checked."""
    chance = random.Random(number)
    match = Match.begin(GAME, random_setup(chance))
    return finish(match, chance, SeededDice(number), checked=checked)


def finish(
    match: Match[GameState], chance: random.Random, dice: Dice, *, checked: bool = True, limit: int = 4000
) -> Match[GameState]:
    """A game that has begun, by random legal players to its end."""
    for _ in range(limit):
        if match.state.over:
            return match
        before = match.state
        options = match.options()
        assert options, "nothing may be done, and the game is not over"
        action = random_action(before, options, chance)
        events = match.do(action, None, dice)
        if checked:
            check_batch(match, before, events)
            whim(match, chance)
    raise AssertionError(f"the game is not over after {limit} actions")


def check_batch(match: Match[GameState], before: GameState, events: Sequence[Event]) -> None:
    """An action's events: invariants after each, and the fold, undo, redo and JSON of the whole."""
    state = before
    for event in events[1:]:
        assert not acts_dead(state, event), f"{event.words}, but it is destroyed"
        assert event.words, f"{event.kind} says nothing"
        assert event.citation.startswith(("White Line Fever 0.9 · ", "house default · ")), event
        assert event_from_json(json.loads(json.dumps(event_to_json(event)))) == event, event
        state = GAME.apply(state, event)
        hold(state)
    hold_settled(state)
    assert state == match.state, "the fold of the events is another state"
    assert GAME.from_json(json.loads(json.dumps(GAME.as_json(state)))) == state, "the state's JSON"


def whim(match: Match[GameState], chance: random.Random) -> None:
    """Now and then: undo and perhaps redo, something unlawful, an overruling."""
    what = chance.random()
    if what < 0.05 and match.undoable is not None:
        before = match.state
        match.undo()
        if chance.random() < 0.7:
            match.redo()
            assert match.state == before, "undo and redo lead elsewhere"
    elif what < 0.08:
        refused(match, chance)
    elif what < 0.085:
        car = chance.choice(match.state.cars)
        match.overrule(["cars", car.name, "speed"], chance.randint(1, match.state.top_speed(car)), "a whim")


def refused(match: Match[GameState], chance: random.Random) -> None:
    """An action at a wrong time or by the wrong player is refused and changes nothing."""
    before, log = match.state, len(match.log)
    options = match.options()
    kinds = {o.kind for o in options}
    wrong = chance.choice([k for k in ("floor_it", "end", "drop") if k not in kinds] or ["drop"])
    attempts = [Action(wrong, None, {})] if wrong not in kinds else []
    attempts += [
        Action(o.kind, p, o.data)
        for o in options
        for p in before.players
        if o.player not in (None, p) and o.kind in ("choose", "end", "floor_it", "move")
    ]
    for action in attempts[:3]:
        reasons = match.check(action)
        assert all(r.words and r.citation for r in reasons)
        try:
            match.do(action, None, SeededDice(1))
        except Illegal as error:
            found = error.reasons
        else:
            found = ()
        assert found, f"{action} was not refused"
        assert found == reasons, f"{action} is refused for other reasons than it was told"
    assert (match.state, len(match.log)) == (before, log), "a refused action changed something"


def told_again(match: Match[GameState], number: int) -> None:
    """The log through JSON gives the same match, and so do its actions with the same dice."""
    lines = [json.dumps(event_to_json(e), ensure_ascii=False) for e in match.log]
    replayed = Match.replay(GAME, [event_from_json(json.loads(line)) for line in lines])
    assert (replayed.state, replayed.log) == (match.state, match.log), f"game {number} replays to another end"
    again = Match.again(GAME, match.log)
    assert (again.state, again.log) == (match.state, match.log), f"game {number} plays to another end"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="number of the first game")
    parser.add_argument("--bare", action="store_true", help="play without checks, for the engine's own speed")
    options = parser.parse_args()
    kinds: Counter[str] = Counter()
    lengths, winners = [], Counter[str]()
    start = time.process_time()
    for number in range(options.seed, options.seed + options.games):
        match = play(number, checked=not options.bare)
        if not options.bare:
            told_again(match, number)
        kinds.update(e.kind for e in match.log)
        lengths.append(len(match.log))
        winners["a player wins" if match.state.winner else "nobody is left"] += 1
    took = time.process_time() - start
    how = "without checks" if options.bare else "with every check"
    print(f"{options.games} games played to their end {how}: {options.games / took:.1f} games/s of one core")
    print(
        f"{sum(lengths)} events ({sum(lengths) / took:.0f}/s), a game {statistics.median(lengths):.0f} "
        f"in the middle and {max(lengths)} at most; {dict(winners)}"
    )
    print(", ".join(f"{kind} {count}" for kind, count in kinds.most_common()))


if __name__ == "__main__":
    main()
