"""Shattered Highways on a drawn road, untyped.

Random fleets to their end. Where vehicles go, whom they may nudge, ram, board, attack and shoot at, what they
meet, which edge they reach, where rules put them and how far the fleet is shifted comes from the table, whose
poses are a little unsure; players choose and roll. What is too close to call they decide, what the table
refuses is put back and something else done; both are counted.
After every action the checks of the typed games hold, and no vehicle that a rule has put somewhere stands in
another one. After the game its log is replayed, and done again with the same dice on the same tables.
"""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from shapely.geometry import Point
from shapely.geometry.base import BaseGeometry

from benchmarks.games import check_batch, check_json
from engine.boards.road import Road
from engine.game.contract import Option, Seen
from engine.game.dice import SeededDice
from engine.game.events import Action, Event, batches, event_from_json, event_to_json
from engine.game.filling import Stuck, filled
from engine.game.forms import Form, Pick, PickPieces
from engine.game.match import Match
from engine.game.players import random_setup
from engine.games.shattered_highways.acts.recognised import rows_of
from engine.games.shattered_highways.page.offers import FROM_TABLE
from engine.games.shattered_highways.rules.contacts import targets_in
from engine.games.shattered_highways.rules.moves import MoveArea, in_play, move_area, road_of
from engine.games.shattered_highways.rules.owed import CHOSEN, best_way
from engine.games.shattered_highways.state import Duty, GameState, Placement, due
from engine.motion.free_space import in_the_way, walls_of
from engine.motion.moves import Move, Read
from engine.ruling import Verdict
from engine.space.catalogue import CARS
from engine.space.geometry import Pose, Region
from engine.space.pieces import Hitch, Piece, TagMount
from engine.space.table import PoseUncertainty, Standing, TableState
from tests.engine.games.shattered_highways.playing import GAME
from tests.engine.games.shattered_highways.suite import hold

LENGTH, WIDTH = 48.0, 24.0
SURFACE = Region.rectangle(0.0, 0.0, LENGTH, WIDTH)
ROAD = Road(LENGTH, WIDTH)
SD, SD_HEADING = 0.01, math.radians(0.2)

MODELS = {
    "Car": ("compact", "sedan", "muscle"),
    "Truck": ("pickup", "van", "truck"),
    "Buggy": ("buggy",),
    "Rig": ("rig-tractor",),
}


@dataclass
class DrawnRoad:
    """The table of a match, and the moves that the camera has seen and nobody has taken."""

    chance: random.Random
    stands: dict[str, Standing] = field(default_factory=dict)
    moves: dict[str, Move] = field(default_factory=dict)
    time: float = 0.0
    count: int = 0

    def table(self, state: GameState) -> TableState:
        """What stands there: wrecks have been taken off once nothing is owed for them."""
        owed = {name for d in state.duties for name in (d.vehicle, d.other)}
        gone = {
            v.name for v in state.vehicles
            if not (v.in_play or v.status == "waiting" or v.name in owed)
        }  # fmt: skip
        here = [s for s in self.stands.values() if s.name.removesuffix(" trailer") not in gone]
        return TableState.of(SURFACE, here, self.time)

    def seen(self, state: GameState) -> Seen:
        """What the camera knows."""
        return Seen(self.table(state), dict(self.moves), ROAD)

    def put_down(self, state: GameState, name: str, pose: Pose) -> None:
        """A vehicle that was not on the table, with its trailer straight behind."""
        kind = state.vehicle(name).kind
        unsure = PoseUncertainty.isotropic(SD, SD_HEADING)
        piece = Piece(name, "truck" if kind == "Rig" else "car", CARS[self.chance.choice(MODELS[kind])])
        old = self.stands.get(name)
        self.stands[name] = Standing(piece if old is None else old.piece, self._shaken(pose), unsure)
        if kind == "Rig":
            trailer = Piece(
                f"{name} trailer", "trailer", CARS["rig-trailer"], TagMount("tag36h11", 77, 0.5, 1.7),
                hitch=Hitch(name, (2.6, 0.0), (-1.2, 0.0)),
            )  # fmt: skip
            behind = self._shaken(pose.compose(Pose(-3.8, 0.0)))
            self.stands[trailer.name] = Standing(trailer, behind, unsure)

    def push(self, state: GameState, name: str, shift: tuple[float, float]) -> str:
        """A vehicle pushed by so many inches on the table, its facing kept; the move's id."""
        before = self.table(state)
        for body in before.vehicle(name):
            goal = Pose(body.pose.x + shift[0], body.pose.y + shift[1], body.pose.heading)
            self.stands[body.name] = replace(body, pose=self._shaken(goal))
        return self._moved(before, name)

    def put(self, state: GameState, places: Sequence[Placement]) -> None:
        """Pieces put where a rule wants them; a trailer that no place names follows its tractor."""
        before = self.table(state)
        named = {place.piece for place in places}
        for place in places:
            body = before.find(place.piece)
            goal = Pose(*place.at)
            for other in before.vehicle(place.piece):
                if other.name == place.piece or other.name not in named:
                    carried = goal.compose(body.pose.inverse().compose(other.pose))
                    self.stands[other.name] = replace(other, pose=self._shaken(carried))

    def _shaken(self, pose: Pose) -> Pose:
        x, y, turn = (self.chance.gauss(0.0, sd) for sd in (SD, SD, SD_HEADING))
        return Pose(pose.x + x, pose.y + y, pose.heading + turn)

    def _moved(self, before: TableState, name: str) -> str:
        self.time += 5.0
        self.count += 1
        start, end = before.find(name).pose, self.stands[name]
        reads = tuple(
            Read(
                self.time - 2.0 + 0.1 * k,
                Pose(
                    start.x + (end.pose.x - start.x) * k / 10,
                    start.y + (end.pose.y - start.y) * k / 10,
                    start.heading,
                ),
                SD,
                SD_HEADING,
            )
            for k in range(1, 10)
        )
        move = Move(str(self.count), name, before, end, self.time - 2.0, self.time, reads)
        self.moves = {move.id: move}
        return move.id

    def put_back(self, before: DrawnRoad) -> None:
        """Everything where it stood, as if it had not been touched; no move's id comes twice."""
        self.stands, self.moves, self.time = dict(before.stands), dict(before.moves), before.time

    def kept(self) -> DrawnRoad:
        """The table as it is now, to be put back to."""
        return replace(self, stands=dict(self.stands), moves=dict(self.moves))


# A player's choices


@dataclass
class Player:
    """Does something lawful on the table.

    `decided` counts what was too close to call by kind of action, `refused` what the table was against.
    """

    match: Match[GameState]
    world: DrawnRoad
    chance: random.Random
    decided: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)

    def action(self) -> Action:
        """A lawful action; what is on the table has been moved for it."""
        state = self.match.state
        duty = due(state)
        options = list(self.match.options(self.world.seen(state)))
        self.chance.shuffle(options)
        options.sort(key=lambda o: o.kind == "done")
        for option in options:
            if option.not_now:
                continue
            before = self.world.kept()
            action = self._of(option, state, duty)
            if action is not None and (settled := self._settled(action)) is not None:
                return settled
            self.world.put_back(before)
        raise AssertionError(f"nothing of {[o.words for o in options]} may be done")

    def _of(self, option: Option, state: GameState, duty: Duty | None) -> Action | None:
        match option.kind:
            case "deploy":
                return self._deploy(option, state)
            case "placed" | "shifted" | "wreck":
                assert duty is not None
                return self._owed(option, state, duty)
            case "moved":
                return _said(option, move=self._somewhere(state, str(option.data["vehicle"])))
            case "ram" if "move" in option.form.fields:
                return self._ram(option, state)
        return self._filled(option)

    def _owed(self, option: Option, state: GameState, duty: Duty) -> Action:
        if option.kind == "placed":
            return self._placed(option, state, duty)
        if option.kind == "shifted":
            self.world.put(state, duty.ways[0])
        return _said(option)

    def _settled(self, action: Action) -> Action | None:
        """The action, with what the players decide where it is too close to call; None: not lawful.

        A plain *no* of the table is open to the players, too; here nobody overrules it.
        """
        reasons = self.match.check(action, self.world.seen(self.match.state))
        if not reasons:
            return action
        ruled = replace(action, data={**action.data, "ruled": "yes"})
        close = all(r.open and Verdict.TOO_CLOSE in r.words for r in reasons)
        if not close or self.match.check(ruled, self.world.seen(self.match.state)):
            self.refused[action.kind] += 1
            return None
        self.decided[action.kind] += 1
        return ruled

    def _filled(self, option: Option) -> Action | None:
        """Answers at random from those that the table admits; what the table answers is left to it."""
        fields = {name: _possible(one) for name, one in option.form.fields.items() if name != "move"}
        open_ones = {n: one for n, one in fields.items() if n == "targets" or n not in FROM_TABLE}
        try:
            return filled(replace(option, form=Form(open_ones)), self.chance)
        except Stuck:
            return None

    def _deploy(self, option: Option, state: GameState) -> Action:
        """Somewhere on the road where nothing stands; in a chase each side keeps to its half."""
        name = str(option.data["vehicle"])
        low, high = 8.0, LENGTH - max(12.0, state.house.front_room + 2.5)
        if state.deployment == "chase":
            middle, leads = (low + high) / 2, option.player == state.first
            low, high = (min(middle + 6.0, high - 1.0), high) if leads else (low, middle - 2.0)
        for _ in range(2000):
            x, y = self.chance.uniform(low, high), self.chance.uniform(2.0, WIDTH - 2.0)
            self.world.put_down(state, name, Pose(x, y, 0.0))
            table = self.world.table(state)
            own = table.vehicle(name)
            others = in_the_way(table.others(*(s.name for s in own)))
            if min((w.gap() for w in walls_of(own, others)), default=1.0) > 0.2 and not self.match.check(
                _said(option), self.world.seen(state)
            ):
                return _said(option)
        raise AssertionError(f"no place for {name}")

    def _placed(self, option: Option, state: GameState, duty: Duty) -> Action:
        """Where the rule puts it, or somewhere in the template where the player may choose."""
        name = duty.vehicle
        if duty.kind in CHOSEN:
            return _said(option, move=self._somewhere(state, name))
        if not duty.ways:
            assert duty.kind == "deployed", f"{duty.kind} {name} has no place on the table"
            last = self.world.table(state).vehicle(duty.other)[-1]
            back = (last.piece.body.length + CARS["buggy"].length) / 2 + 0.3
            self.world.put_down(state, name, last.pose.compose(Pose(-back, 0.0)))
            return _said(option)
        clear = in_play(state, self.world.table(state), name)
        self.world.put(state, best_way(duty, clear))
        return _said(option)

    def _area(self, state: GameState, name: str) -> MoveArea:
        table = in_play(state, self.world.table(state), name)
        return move_area(table, name, road_of(state, table).heading, rows_of(state, name))

    def _somewhere(self, state: GameState, name: str) -> str:
        """Pushed to a place that its bumper may reach."""
        self.world.moves = {}
        shift = _inside(self._area(state, name).shifts, self.chance)
        return self.world.push(state, name, shift)

    def _ram(self, option: Option, state: GameState) -> Action | None:
        """Up against a vehicle that it can be moved against."""
        name = str(option.data["vehicle"])
        table = in_play(state, self.world.table(state), name)
        reached = [t for t in targets_in(table, self._area(state, name)) if t.verdict is Verdict.YES]
        if not reached:
            return None
        target = self.chance.choice(reached)
        (side, _), shift = self.chance.choice(target.sides)
        move = self.world.push(state, name, shift)
        return _said(option, move=move, targets=[target.name], side=side.value)


def _said(option: Option, **data: Any) -> Action:
    return Action(option.kind, option.player, {**option.data, **data})


def _possible(one: Any) -> Any:
    """The input without candidates that the table is against."""
    if isinstance(one, Pick | PickPieces):
        return replace(one, candidates=tuple(c for c in one.candidates if not c.not_now))
    return one


def _inside(area: BaseGeometry, chance: random.Random) -> tuple[float, float]:
    """A point of an area, at random; the origin where it is too thin to be hit."""
    if area.is_empty:
        return 0.0, 0.0
    low_x, low_y, high_x, high_y = area.bounds
    for _ in range(200):
        point = Point(chance.uniform(low_x, high_x), chance.uniform(low_y, high_y))
        if area.contains(point):
            return float(point.x), float(point.y)
    return 0.0, 0.0


# A game


@dataclass
class Played:
    """A game that is over, with what its players decided or were refused."""

    match: Match[GameState]
    actions: Counter[str]
    decided: Counter[str]
    refused: Counter[str]


def play(number: int, limit: int = 4000) -> Played:
    """One game to its end, everything checked."""
    chance, dice = random.Random(number), SeededDice(number)
    match: Match[GameState] = Match.begin(GAME, random_setup(GAME, chance))
    player = Player(match, DrawnRoad(chance), chance)
    sights: dict[int, Seen] = {}
    actions: Counter[str] = Counter()
    for _ in range(limit):
        if match.state.over:
            told_again(match, sights)
            return Played(match, actions, player.decided, player.refused)
        before = match.state
        action = player.action()
        seen = player.world.seen(before)
        first = len(batches(match.log))
        if action.kind in GAME.about.sealed:
            events = match.seal(action, f"{chance.randint(0, 2**64):x}", seen, dice)[0]
        else:
            events = match.do(action, seen, dice)
        sights |= dict.fromkeys(range(first, len(batches(match.log))), seen)
        player.world.moves = {}
        actions[action.kind] += 1
        check_batch(match, before, events)
        check_json(match, events)
        hold(match.state)
        hold_apart(player.world, match.state, before, events)
    raise AssertionError(f"game {number} is not over after {limit} actions")


def hold_apart(world: DrawnRoad, state: GameState, before: GameState, events: Sequence[Event]) -> None:
    """What a rule has put somewhere stands in nothing but what it met."""
    duty = due(before)
    if duty is None or not duty.ways or events[0].data.get("kind") not in ("placed", "shifted"):
        return
    table = in_play(state, world.table(state))
    moved = {place.piece for place in duty.ways[0]}
    for body in (s for s in table.standings if s.name in moved):
        own = {s.name for s in table.vehicle(body.name)}
        for wall in walls_of([body], in_the_way(table.others(*own))):
            other = table.vehicle(wall.name)[0].name
            assert wall.gap() > -0.2 or other in duty.meets, f"{body.name} was put into {wall.name}"


def told_again(match: Match[GameState], sights: dict[int, Seen]) -> None:
    """The log through JSON, and the same actions with the same dice on the same tables."""
    lines = [json.dumps(event_to_json(e), allow_nan=False) for e in match.log]
    replayed = Match.replay(GAME, [event_from_json(json.loads(line)) for line in lines], match.secrets)
    assert (replayed.state, replayed.log) == (match.state, match.log), "the log replays to another end"
    again = Match.again(GAME, match.log, sights.get)
    assert again.log == match.log, "the same actions on the same tables give other events"
