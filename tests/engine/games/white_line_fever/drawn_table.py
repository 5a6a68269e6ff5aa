"""Random games on a drawn table, where nothing is typed.

Random players push cars about among blocks; range, sight, arcs, contacts, tokens, the edge, bursts, blasts
and the places of displaced cars come from the table, whose poses are a little unsure. Every check of
the typed random games holds, and no car that was shifted by a rule stands in another.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from typing import Any

from benchmarks.games import check_batch, check_json
from engine.game.contract import Option
from engine.game.dice import Dice, SeededDice
from engine.game.events import Action, Event, batches, event_from_json, event_to_json
from engine.game.match import Match
from engine.games.white_line_fever.rules.contacts import displacer
from engine.games.white_line_fever.rules.displacing import tokens
from engine.games.white_line_fever.state import GameState, in_play
from engine.measure.sweep import Step, Straight, Turn, leaves, poses_along, touches
from engine.motion.recognition import rear_of
from engine.space.catalogue import CARS, box
from engine.space.geometry import Pose, Region
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing, TableState
from tests.engine.games.white_line_fever.playing import GAME
from tests.engine.games.white_line_fever.suite import hold_event, hold_settled, random_setup

SURFACE = Region.rectangle(0.0, 0.0, 48.0, 48.0)
SD, SD_HEADING = 0.01, math.radians(0.2)


class World:
    """A table with cars and blocks, moved by hand and seen with small deviations."""

    def __init__(self, state: GameState, chance: random.Random) -> None:
        self.chance = chance
        models = [m for m in CARS if not m.startswith("rig")]
        self.pieces = {c.name: Piece(c.name, "car", CARS[chance.choice(models)]) for c in state.cars}
        self.poses: dict[str, Pose] = {}
        for k in range(5):
            name = f"Block {k + 1}"
            self.pieces[name] = Piece(name, "terrain", box(chance.uniform(1, 6), chance.uniform(1, 6), 2.0))
            x, y = chance.uniform(9, 39), chance.uniform(9, 39)
            self.poses[name] = Pose(x, y, chance.uniform(-math.pi, math.pi))

    def table(self, state: GameState) -> TableState:
        """What stands where: whoever is out of the game has been taken off."""
        gone = {c.name for c in state.cars if c.status == "removed"}
        unsure = PoseUncertainty.isotropic(SD, SD_HEADING)
        stands = [Standing(self.pieces[n], p, unsure) for n, p in self.poses.items() if n not in gone]
        return TableState.of(SURFACE, stands)

    def deploy(self, match: Match[GameState], option: Option) -> Action:
        """A place where the car may be deployed."""
        action = Action("deploy", option.player, option.data)
        for _ in range(500):
            x, y = (self.chance.uniform(1.5, 46.5) for _ in "xy")
            if self.chance.random() < 0.8:
                x, y = self.chance.choice([(x, 3.0), (x, 45.0), (3.0, y), (45.0, y)])
            self.poses[option.data["car"]] = Pose(x, y, self.chance.choice([0, 1, 2, 3]) * math.pi / 2)
            if not match.check(action, self.table(match.state)):
                return action
        raise AssertionError(f"no place for {option.data['car']}")

    def move(self, state: GameState, option: Option) -> Action:
        """A manoeuvre, one that touches nothing if a few tries find it; the car is where it ends."""
        name = option.data["car"]
        careless = self.chance.random() < 0.1
        for _ in range(1 if careless else 6):
            data, end = self._driven(state, name)
            if not data["contacts"] and not data["left_surface"]:
                break
        self.poses[name] = end
        # Who cannot find a way has none: six tries are what a random player has.
        return Action("move", option.player, {"car": name, "unavoidable": True} | data)

    def _driven(self, state: GameState, name: str) -> tuple[dict[str, Any], Pose]:
        table = in_play(state, self.table(state))
        car = table.find(name)
        steps = self._steps(state, name, car)
        others = [s for s in table.others(name) if s.piece.solid]
        met, edge = touches(car, steps, others), leaves(car, steps, SURFACE)
        ends = [t for t in (*met[:1], edge) if t is not None]
        if ends:
            first = min(ends, key=lambda t: (t.step, t.share))
            steps = [*steps[: first.step], steps[first.step].part(first.share)]
        over = bool(ends) and first is edge
        passed = touches(car, steps, tokens(state))
        broken = next((t for t in passed if displacer(state, [t.other])), None)
        if broken is not None:
            # There the token puts it elsewhere: what is left of the way is driven from there.
            steps = [*steps[: broken.step], steps[broken.step].part(broken.share)]
            passed, ends, over = passed[: passed.index(broken) + 1], [], False
        crossed = [t.other for t in passed]
        end = poses_along(car.pose, steps)[-1]
        data = {
            "from": [car.pose.x, car.pose.y, car.pose.heading],
            "to": [end.x, end.y, end.heading],
            "steps": [_as_json(s) for s in steps],
            "contacts": [{"other": first.other, "kind": first.kind}] if ends and not over else [],
            "left_surface": over,
            "triggered": crossed,
        }
        return data, end

    def _steps(self, state: GameState, name: str, car: Standing) -> list[Step]:
        assert state.round is not None
        left = state.to_drive(name)
        way = -1.0 if state.round.reverse else 1.0
        if state.round.part:
            # What a token has left of a manoeuvre.
            return [Straight(way * left)]
        speed = int(left)
        cut = self.chance.randint(0, speed)
        runs: list[Step] = [Straight(way * run) for run in (cut, speed - cut) if run]
        extra = self.chance.random()
        if extra < 0.6:
            turn = Turn(self.chance.uniform(-math.pi / 2, math.pi / 2), rear_of(car.piece.body))
            runs.insert(self.chance.randint(0, len(runs)), turn)
        elif extra < 0.75 and isinstance(runs[0], Straight):
            runs[0] = Straight(runs[0].ahead, self.chance.choice([-1.0, 1.0]))
        return runs

    def place(self, state: GameState, option: Option) -> Action:
        """The car is put where its ghost is; a turn is a matter of taste."""
        name = option.data["car"]
        duty = next(d for d in state.duties if d.car == name and d.kind != "blast")
        assert duty.target is not None, f"{name} stands on the table but has no ghost"
        x, y, heading = duty.target
        if duty.kind == "turn":
            heading += self.chance.uniform(-duty.angle, duty.angle)
        self.poses[name] = Pose(x, y, heading)
        return Action("placed", option.player, {"car": name})


def _as_json(step: Step) -> dict[str, Any]:
    if isinstance(step, Turn):
        return {"kind": "turn", "angle": step.angle}
    kind = "drift" if step.left else "straight"
    return {"kind": kind, "ahead": step.ahead, "left": step.left}


def choose(world: World, match: Match[GameState], chance: random.Random) -> Action:
    """A lawful action on the table."""
    state, table = match.state, world.table(match.state)
    options = list(match.options())
    chance.shuffle(options)
    options.sort(key=lambda o: {"shoot": 0, "drop": 1}.get(o.kind, 2) if chance.random() < 0.8 else 3)
    for option in options:
        match option.kind:
            case "deploy":
                return world.deploy(match, option)
            case "move":
                return world.move(state, option)
            case "placed":
                placed = world.place(state, option)
                if any(r.open for r in match.check(placed, world.table(state))):
                    # A graze, or a turn that may have touched: the players decide.
                    placed.data["ruled"] = chance.choice(["yes", "no"])  # type: ignore[index]
                return placed
            case "deployment":
                return Action("deployment", None, {"deployment": "roll"})
            case "blast":
                duty = next(d for d in state.duties if d.kind == "blast")
                maybe = [n for n in duty.doubtful if state.car(n).driving and chance.random() < 0.5]
                sure = [n for n in duty.sure if state.car(n).driving]
                return Action("blast", None, {"cars": sure + maybe})
        action = Action(option.kind, option.player, dict(option.data))
        if option.kind == "shoot":
            action.data["apply"] = chance.choice(["accuracy", "damage"])  # type: ignore[index]
        if option.kind == "reverse":
            action.data["because"] = "collision"  # type: ignore[index]
        reasons = match.check(action, table)
        if reasons and all(r.open for r in reasons) and option.kind in ("shoot", "drop"):
            action.data["ruled"] = chance.choice(["yes", "no"])  # type: ignore[index]
            reasons = match.check(action, table)
        if not reasons:
            return action
    raise AssertionError(f"nothing of {[o.words for o in options]} may be done")


def play(number: int, dice: Dice | None = None, limit: int = 3000) -> Match[GameState]:
    """One game on a table to its end, everything checked."""
    chance = random.Random(number)
    match = Match.begin(GAME, random_setup(GAME, number, chance))
    world = World(match.state, chance)
    dice = dice or SeededDice(number)
    tables: dict[int, TableState] = {}
    for _ in range(limit):
        if match.state.over:
            told_again(match, tables)
            return match
        before = match.state
        action = choose(world, match, chance)
        table = world.table(before)
        tables[len(batches(match.log))] = table
        events = match.do(action, table, dice)
        check_batch(match, before, events, hold_event)
        check_json(match, events)
        hold_settled(match.state)
        hold_apart(world, match.state, events)
    raise AssertionError(f"game {number} is not over after {limit} actions")


def hold_apart(world: World, state: GameState, events: Sequence[Event]) -> None:
    """A car that was pushed or pulled stands in no other piece and on the surface."""
    for event in events:
        if event.kind != "placed" or event.data["duty"] not in ("push", "pull"):
            continue
        table = in_play(state, world.table(state))
        here = next((s for s in table.standings if s.name == event.data["car"]), None)
        if here is None or event.data["left_surface"]:
            continue
        inside = here.region.polygon.intersection(SURFACE.polygon).area / here.region.area
        assert inside > 0.9999, f"{here.name} was put over the edge"
        met = {contact["other"] for contact in event.data["contacts"]}
        for other in table.others(here.name):
            # Where a graze was too close to call the players may have let it pass.
            overlap = here.region.polygon.buffer(-5 * SD).intersection(other.region.polygon).area
            assert overlap == 0.0 or other.name in met, f"{here.name} was put into {other.name}"


def told_again(match: Match[GameState], tables: dict[int, TableState]) -> None:
    """The log through JSON, and the same actions with the same dice on the same tables."""
    lines = [json.dumps(event_to_json(e), allow_nan=False) for e in match.log]
    replayed = Match.replay(GAME, [event_from_json(json.loads(line)) for line in lines])
    assert (replayed.state, replayed.log) == (match.state, match.log), "the log replays to another end"
    again = Match.again(GAME, match.log, tables.get)
    assert again.log == match.log, "the same actions on the same tables give other events"
