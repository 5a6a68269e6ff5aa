"""`python -m benchmarks.evenings --game NAME --evenings N --seed S [--json]`: evenings that a machine plays.

The real application in one process over a table whose truth is known: an owner, players on phones, a
spectator. A seeded player does what the pages offer, what hands do (push, put elsewhere, lift, cover, push
back), what cheats do (another's option, with facts of their own), and undoes, types, accepts, disputes, gives
up, restarts. After every act what is known outside the product is held against what it says. An evening that
fails prints what was done, with `--shorten` the shortest script that fails.
"""

from __future__ import annotations

import argparse
import json
import logging
import math
import queue
import random
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from calibration.tablefile import TableFile, parse_table
from engine.game.contract import Game, Option
from engine.game.events import Event
from engine.game.forms import PathOnTable
from engine.game.players import Stuck, answered, complete
from engine.game.registry import game_called, games, games_from
from engine.space.geometry import Pose
from engine.space.table import PoseUncertainty, Standing, Status, TableState
from server.commands.recording import RecordingOptions, recording
from server.moves.segmentation import MoveWatch
from server.pipeline.opening import Choice, Player
from server.pipeline.referee import Moment
from server.pipeline.runner import Runner
from server.play.messages import from_player
from server.recording.library.games import Library
from server.recording.recorder import Recorder
from server.serving.assembly import Assembled, assemble
from server.serving.run import listen
from server.setup.cameras.sourcing import Chooser
from server.table.gate import told
from server.web.authentication import COOKIE, Identity
from vision.frame import Frame
from vision.simulate.scene import Scene
from vision.simulate.scenes import named_scene
from vision.source import SourceEnded

SCENES = {"points": "points", "hexes": "hexes", "road": "road", "free": "default"}
"""The simulated table on which a game of each kind of board is played."""

SD = 0.012
"""Inches by which a place is read wrong."""

STEP_S = 0.6
"""Seconds between two pictures: three of them and a piece that was pushed has rested."""

PATIENCE_S = 60.0
_PICTURE = np.zeros((48, 64, 3), np.uint8)
_QUIET = logging.getLogger("tableref")


class Violation(AssertionError):
    """Something that may not be: a rule of the evening by its name, and what was found."""

    def __init__(self, rule: str, words: str) -> None:
        super().__init__(f"{rule}: {words}")
        self.rule = rule


# The table


class Hands:
    """The truth: where every piece stands, what is covered; gives a picture when one is asked for."""

    name = "the table of the evening"
    live = True
    notice: str | None = None

    def __init__(self, scene: Scene, chance: random.Random, began: float = 0.0) -> None:
        self.scene = scene
        self.poses: dict[str, Pose] = dict(scene.start)
        self.covered: set[str] = set()
        self.moving: set[str] = set()
        self._chance = chance
        self._wanted: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._off: dict[str, tuple[Pose, float, float]] = {}
        self._pushed: dict[str, int] = {}
        self.time, self.index, self._asked = began, 0, 0

    def read(self) -> Frame:
        """Give a picture once one is wanted."""
        if not self._wanted.get():
            raise SourceEnded
        self.index += 1
        self.time += STEP_S
        for name in [name for name, index in self._pushed.items() if index < self.index - 1]:
            self.moving.discard(name)
            del self._pushed[name]
        return Frame(_PICTURE, self.time, self.index, self.name)

    def want(self) -> int:
        """Have the next picture taken; gives its number."""
        self._asked += 1
        self._wanted.put(True)
        return self._asked

    def close(self) -> None:
        """End."""
        self._wanted.put(False)

    def move(self, name: str, pose: Pose) -> None:
        """Stand a piece there: what the machine's own hand does."""
        name = self.scene.piece(name).name
        self.poses[name] = pose
        self.moving.add(name)
        self._pushed[name] = self.index

    def seen_at(self, name: str) -> Pose:
        """Give where a piece is read: where it stands, wrong by a little that stays while it stands there."""
        pose = self.poses[name]
        if name not in self._off or self._off[name][0] != pose:
            x, y = (max(-2.5, min(2.5, self._chance.gauss(0, 1))) * SD for _ in range(2))
            self._off[name] = (pose, x, y)
        _, x, y = self._off[name]
        return Pose(pose.x + x, pose.y + y, pose.heading)


class Eyes:
    """A referee that reads every piece that is not covered, as surely as it says."""

    def __init__(self, hands: Hands, table: TableFile) -> None:
        self._hands, self.table = hands, table
        self._moves = MoveWatch()
        self._last: dict[str, Standing] = {}

    def step(self, frame: Frame) -> Moment:
        """Look."""
        sure, hands = PoseUncertainty.isotropic(SD, 0.01), self._hands
        standings, read = [], set()
        for piece in hands.scene.pieces:
            if piece.name in hands.poses and piece.name not in hands.covered:
                status = Status.MOVING if piece.name in hands.moving else Status.STILL
                standing = Standing(piece, hands.seen_at(piece.name), sure, status, 0.0, frame.time)
                self._last[piece.name] = standing
                read.add(piece.name)
                standings.append(standing)
            elif piece.name in self._last:
                was = self._last[piece.name]
                status = Status.HELD if piece.name in hands.poses else Status.LOST
                standings.append(Standing(piece, was.pose, sure, status, 0.0, was.seen_at))
        table = TableState.of(hands.scene.surface, standings, frame.time)
        moves = self._moves.update(table, read)
        return Moment(
            frame.index, frame.time, frame, table, None, {}, (), (), frozenset(read), moves,
            self._moves.under_way(), hands.scene.board,
        )  # fmt: skip


# The house


@dataclass
class House:
    """The application over a table, and everybody who looks at it."""

    hands: Hands
    live: Runner
    served: Assembled
    client: httpx.Client
    recorder: Recorder
    phones: dict[str, Identity]
    """By player, the device that has the seat."""

    @property
    def game_id(self) -> str:
        """The record of this evening."""
        assert self.recorder.game is not None
        return str(self.recorder.game.id)

    owner = Identity("owner")
    spectator = Identity("spectator", "5" * 16)

    def tick(self, pictures: int = 1) -> None:
        """Have so many pictures taken and judged."""
        for _ in range(pictures):
            number = self.hands.want()
            seen = threading.Event()
            stop = self.live.watch(seen.set)
            try:
                while self.live.moment is None or self.live.moment.index < number:
                    if not seen.wait(PATIENCE_S):
                        raise Violation("the table stops", f"picture {number} was never judged")
                    seen.clear()
            finally:
                stop()

    def get(self, who: Identity, path: str, **query: Any) -> Any:
        """Ask for a page or an answer over HTTP, as somebody."""
        passed = self.served.server.authenticator.pass_for(who)
        cookies = {} if who.role == "owner" else {"cookie": f"{COOKIE}={passed}"}
        return self.client.get(path, params=query, headers=cookies)

    def post(self, who: Identity, path: str, body: Any) -> Any:
        """Send something over HTTP, as somebody."""
        passed = self.served.server.authenticator.pass_for(who)
        cookies = {} if who.role == "owner" else {"cookie": f"{COOKIE}={passed}"}
        return self.client.post(path, json=body, headers=cookies)

    def shown(self, who: Identity) -> dict[str, Any]:
        """Give what a page of the game shows to somebody, as it went over the wire."""
        found: dict[str, Any] = json.loads(self.wire(who))
        return found

    def wire(self, who: Identity) -> str:
        """Give the bytes that a page of the game is told."""
        return told(self.served.scene.state(who), self.served.match.match)


@contextmanager
def house(folder: Path, scene: Scene, hands: Hands, phones: dict[str, Identity]) -> Iterator[House]:
    """Open the application over a table, its record in `folder`; a game that was cut off there goes on."""
    table = parse_table(scene.to_toml(), "the table of the evening")
    choice = Choice("sim")
    with ExitStack() as stack:
        recorder = stack.enter_context(
            recording(RecordingOptions(str(folder), video=None), table, choice.spec)
        )
        assert recorder is not None
        library = stack.enter_context(Library.open(folder))
        live = Runner(hands, Eyes(hands, table), keeper=recorder)
        live.watch(lambda: hands.close() if live.stopping else None)
        chooser = Chooser(live, Player(table, drawn=True), choice)
        served = assemble(chooser, listen(port=0), table, recorder, library)
        stack.enter_context(served.server)
        client = stack.enter_context(httpx.Client(base_url=served.server.address, timeout=PATIENCE_S))
        made = House(hands, live, served, client, recorder, phones)
        made.tick()
        yield made


# What is known outside the product


@dataclass
class Known:
    """What an evening has heard so far."""

    complaints: list[str] = field(default_factory=list)


class Complaints(logging.Handler):
    """Every warning and error that the product logs."""

    def __init__(self, kept: list[str]) -> None:
        super().__init__(logging.WARNING)
        self._kept = kept

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one."""
        self._kept.append(self.format(record))


def watch_all(at: House, known: Known) -> None:
    """Hold everything that is checked after every act."""
    if known.complaints:
        raise Violation("a warning in the log", known.complaints[0][-900:])
    match = at.served.match.match
    if match is None:
        return
    shown = at.shown(at.spectator)
    replayed(at, shown)
    no_lie(at, match.log)
    sealed(at)


def replayed(at: House, shown: Mapping[str, Any]) -> None:
    """Hold the replay of now against what the live pages show."""
    now = at.get(at.spectator, f"/api/games/{at.game_id}/match", t=1e6)
    if now.status_code != 200:
        raise Violation("the replay fails", f"{now.status_code} {now.text[:300]}")
    then, live = now.json(), shown["match"]
    if (then["status"] is None) != (live is None):
        raise Violation("the replay loses the match", json.dumps(then)[:300])
    for part in ("status", "sheets"):
        if live is not None and then[part] != live[part]:
            raise Violation(f"the replay of now shows another {part}", _difference(then[part], live[part]))


def no_lie(at: House, log: Sequence[Event]) -> None:
    """No event says *measured* of a contact with a piece that now stands a foot and more away.

    A coarse net: between the touch and this look the hands may have moved either of them.
    """
    if not log:
        return
    for event in log[-6:]:
        if event.measured is not True or event.kind != "action":
            continue
        data = event.data.get("data") or {}
        mover = data.get("car") or data.get("vehicle") or data.get("piece")
        for name in _named(data, ("contacts", "hit", "hits", "under", "touched")):
            if isinstance(mover, str) and {mover, name} <= at.hands.poses.keys() and name != mover:
                apart = _apart(at.hands, mover, name)
                if apart > 12.0:
                    words = f"{event.words} is told as measured; {apart:.1f} in apart"
                    raise Violation("a lie in the log", words)


def sealed(at: House) -> None:
    """No byte to a viewer tells a choice that others have sealed."""
    match = at.served.match.match
    if match is None:
        return
    for secret in match.secrets:
        for player, who in (("", at.spectator), *at.phones.items()):
            if secret.salt in at.wire(who) and player != secret.player:
                raise Violation("a secret is told", f"{secret.player}'s salt to {player or 'a spectator'}")


def _named(data: Any, keys: tuple[str, ...]) -> Iterator[str]:
    """Yield the names of pieces that stand under some keys, at any depth."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            if key in keys:
                yield from (v for v in (value if isinstance(value, list) else [value]) if isinstance(v, str))
                continue
            yield from _named(value, keys)
    elif isinstance(data, list):
        for value in data:
            yield from _named(value, keys)


def _apart(hands: Hands, one: str, other: str) -> float:
    """How far apart two pieces truly stand, inches between their outlines."""
    a, b = (hands.poses[n].to_table(hands.scene.piece(n).body.footprint.outline) for n in (one, other))
    between = np.asarray(a)[:, None, :] - np.asarray(b)[None, :, :]
    return float(np.hypot(between[..., 0], between[..., 1]).min())


def _difference(one: Any, other: Any, where: str = "") -> str:
    """Say where two JSON values differ first."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in one.keys() | other.keys():
            if one.get(key) != other.get(key):
                return _difference(one.get(key), other.get(key), f"{where}.{key}")
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for k, (a, b) in enumerate(zip(one, other, strict=True)):
            if a != b:
                return _difference(a, b, f"{where}[{k}]")
    return f"{where}: {json.dumps(one)[:160]} against {json.dumps(other)[:160]}"


# Acts

Act = Callable[["Evening", random.Random], str]
ACTS: list[tuple[int, Act]] = []


def act(weight: int) -> Callable[[Act], Act]:
    """Make something an act that an evening draws, `weight` times as often as one of weight 1."""

    def note(one: Act) -> Act:
        ACTS.append((weight, one))
        return one

    return note


class Evening:
    """One evening of a game: `number` draws everything, each act from a chance of its own."""

    def __init__(self, game: str, number: int) -> None:
        self.name, self.number = game, number
        self.game: Game[Any] = game_called(game)
        self.scene = named_scene(next(SCENES[k] for k in SCENES if k in self.game.about.boards))
        self.known = Known()
        self.keys = 0
        self.done: list[str] = []
        self.events = 0
        self.at: House

    def play(self, script: Sequence[int]) -> None:
        """Play the acts of these numbers; raises `Violation` with what was done until then in `done`."""
        folder = Path(tempfile.mkdtemp(prefix="tableref-evening-"))
        handler = Complaints(self.known.complaints)
        logger = logging.getLogger()
        logger.addHandler(handler)
        chance = random.Random(f"{self.name} {self.number}")
        hands = Hands(self.scene, random.Random(f"noise {self.number}"))
        owners = list(dict.fromkeys(p.owner for p in self.scene.pieces if p.owner))
        fewest, most = self.game.about.players
        self.players = owners[: max(fewest, min(len(owners), most))]
        phones = {p: Identity("player", f"{k:016x}") for k, p in enumerate(self.players, 1)}
        left = list(script)
        try:
            while True:
                with house(folder, self.scene, hands, phones) as self.at:
                    if self.at.served.match.match is None:
                        self.begin(chance)
                    restart = False
                    while left and not restart:
                        number = left.pop(0)
                        restart = self.one(number)
                    if not restart:
                        return
                    before = self.at.shown(House.owner)
                hands = self._again(hands)
                with house(folder, self.scene, hands, phones) as self.at:
                    self.as_before(before)
                hands = self._again(hands)
        finally:
            logger.removeHandler(handler)
            shutil.rmtree(folder, ignore_errors=True)

    def _again(self, before: Hands) -> Hands:
        """The same table after a restart of the program."""
        after = Hands(self.scene, before._chance, before.time + 5.0)
        after.poses, after.covered = before.poses, before.covered
        return after

    def as_before(self, before: Mapping[str, Any]) -> None:
        """After a restart the pages show what they showed."""
        after = self.at.shown(House.owner)
        for part in ("status", "sheets", "log", "chosen"):
            if (before["match"] or {}).get(part) != (after["match"] or {}).get(part):
                raise Violation(
                    f"a restart changes {part}",
                    _difference((before["match"] or {}).get(part), (after["match"] or {}).get(part)),
                )

    def one(self, number: int) -> bool:
        """Do one act and hold everything; says whether the program is to be started again."""
        chance = random.Random(f"{self.name} {self.number} {number}")
        weights, acts = zip(*ACTS, strict=True)
        (chosen,) = chance.choices(acts, weights)
        said = chosen(self, chance)
        match = self.at.served.match.match
        self.events = self.events if match is None else len(match.log)
        self.done.append(f"{number} {chosen.__name__}: {said}")
        watch_all(self.at, self.known)
        return chosen is restart

    # What people can do

    def send(self, who: Identity, **message: Any) -> dict[str, Any]:
        """Send a message of the protocol, as a page would, and give the answer."""
        self.keys += 1
        request = from_player.validate_python({"key": f"key-{self.number}-{self.keys:06}", **message})
        answer = self.at.served.match.ask(who, request).model_dump(mode="json")
        if "server failed" in (answer["error"] or ""):
            raise Violation("the server failed", json.dumps(message)[:300])
        return answer

    def begin(self, chance: random.Random) -> None:
        """Set the game up from its own form and begin it."""
        driven = [p for p in self.scene.pieces if p.driven and p.owner in self.players and not p.follows]
        for attempt in range(60):
            # As many as there are at first; where a game takes fewer, so many of each player's.
            most = max(1, 3 - attempt // 10)
            pieces = [p for p in driven if [q for q in driven if q.owner == p.owner].index(p) < most]
            so_far: dict[str, Any] = {
                "players": list(self.players),
                "pieces": [{"name": p.name, "owner": p.owner} for p in pieces],
            }
            try:
                found = answered(self.game, so_far, chance)
            except Stuck:
                continue
            listed = [
                {"name": p.pop("name"), "owner": p.pop("owner"), "answers": p} for p in found.pop("pieces")
            ]
            colours = ("#c8322b", "#2f6fd0", "#2e8b57", "#c99a1e")
            players = [{"name": n, "colour": c} for n, c in zip(found.pop("players"), colours, strict=False)]
            draft = {"game": self.game.about.id, "players": players, "pieces": listed, "answers": found}
            if not self.send(House.owner, type="setup", draft=draft)["accepted"]:
                continue
            for player, phone in self.at.phones.items():
                self.send(phone, type="sit", player=player)
            answer = self.send(House.owner, type="begin")
            if answer["accepted"]:
                return
        raise Violation("no set-up", f"{self.name}: nothing that its own form accepts could be begun")

    def offered(self, who: Identity) -> list[Option]:
        """Give the options that somebody may do now."""
        host = self.at.served.match
        return [o for o in host.options() if not o.not_now and host.may_do(who, o.player)]

    def carry_out(self, who: Identity, option: Option, chance: random.Random) -> tuple[str, dict[str, Any]]:
        """Fill the form of an option and send it, typing what dice show where they are asked for."""
        fields = option.form.fields
        ways = {n: f.usual for n, f in fields.items() if isinstance(f, PathOnTable) and f.usual is not None}
        data = {**option.data, **complete(option.form, chance), **ways}
        message = {"type": "act", "kind": option.kind, "player": option.player, "data": data}
        answer = self.send(who, **message)
        dice: list[Any] = []
        while answer["wanted"] and len(dice) < 60:
            dice = [*answer["given"], *(_die(chance, wanted) for wanted in answer["wanted"])]
            answer = self.send(who, **message, dice=dice)
        return f"{option.kind} {json.dumps(data, default=str)[:120]}", answer


def _die(chance: random.Random, wanted: Mapping[str, Any]) -> int | str:
    face = chance.choice(wanted["faces"]) if wanted["faces"] else chance.randint(1, wanted["sides"])
    return int(face) if str(face).isdigit() else str(face)


def _somebody(evening: Evening, chance: random.Random) -> Identity:
    return chance.choice([House.owner, *evening.at.phones.values()])


@act(12)
def offer(evening: Evening, chance: random.Random) -> str:
    """Do what a page offers: it is done, or refused with a reason."""
    who = _somebody(evening, chance)
    options = evening.offered(who)
    if not options:
        return "nothing is offered"
    option = chance.choice(options)
    try:
        said, answer = evening.carry_out(who, option, chance)
    except Stuck:
        return f"{option.kind} cannot be filled"
    if not answer["accepted"] and not (answer["reasons"] or answer["error"] or answer["wanted"]):
        raise Violation("refused without a reason", said)
    refused = answer["error"] or [r["words"] for r in answer["reasons"]]
    why = "" if answer["accepted"] else f" refused: {refused}"
    return f"{who.role} {said}{why}"


@act(8)
def push(evening: Evening, chance: random.Random) -> str:
    """Push a car that may be moved ahead, as the page asks, and let it rest."""
    match = evening.at.served.match.match
    awaited = [] if match is None else [a.piece for a in match.game.awaits(match.state)]
    cars = [n for n in awaited if n in evening.at.hands.poses] or _cars(evening)
    name = chance.choice(cars)
    here = evening.at.hands.poses[name]
    board = evening.scene.board
    spacing = getattr(board, "spacing", None)
    far = chance.uniform(0.5, 7) if spacing is None else spacing * chance.choice([1, 2])
    _push(evening, name, far, math.radians(chance.choice([0, 0, 60, -60, 45])))
    return f"{name} {far:.1f} in from {here.x:.1f}, {here.y:.1f}"


def _push(evening: Evening, name: str, far: float, turn: float) -> None:
    hands, here = evening.at.hands, evening.at.hands.poses[name]
    for k in range(1, 4):
        hands.moving.add(name)
        hands.poses[name] = here.compose(Pose(far * k / 3, 0.0))
        evening.at.tick()
    hands.poses[name] = hands.poses[name].compose(Pose(0.0, 0.0, turn))
    hands.moving.discard(name)
    evening.at.tick(6)


def _cars(evening: Evening) -> list[str]:
    return [p.name for p in evening.scene.pieces if p.driven and p.name in evening.at.hands.poses]


@act(6)
def ghosts(evening: Evening, _: random.Random) -> str:
    """Put pieces where they have to stand: each is accepted there."""
    match = evening.at.served.match.match
    if match is None:
        return "no match"
    host, hands = evening.at.served.match, evening.at.hands
    wanted = [g for g in match.game.ghosts(match.state, host.seeing.now(host.owners)) if not g.right]
    wanted += [s.ghost for s in host.strays() if s.ghost]
    placed = {}
    for ghost in wanted:
        if ghost.pose is not None and ghost.piece in hands.poses:
            hands.poses[ghost.piece] = placed[ghost.piece] = Pose(*ghost.pose)
            hands.covered.discard(ghost.piece)
    if not placed:
        return "none"
    evening.at.tick(7)
    again = {g.piece: g for g in match.game.ghosts(match.state, host.seeing.now(host.owners))}
    for name, pose in placed.items():
        found = again.get(name)
        if found is not None and found.pose == (pose.x, pose.y, pose.heading) and found.right is False:
            raise Violation("a ghost that was stood on is not accepted", f"{name}: {found.words}")
    return ", ".join(placed)


@act(3)
def mishap(evening: Evening, chance: random.Random) -> str:
    """A hand covers a car, takes it off, puts it elsewhere or pushes a wrong one."""
    hands, name = evening.at.hands, chance.choice(_cars(evening) or ["none"])
    what = chance.choice(["cover", "uncover", "elsewhere", "back", "wrong"])
    if what == "cover":
        hands.covered.add(name)
    elif what == "uncover":
        hands.covered.clear()
    elif what == "elsewhere":
        hands.poses[name] = Pose(chance.uniform(4, 42), chance.uniform(4, 40), chance.uniform(-3, 3))
    elif what == "back":
        hands.poses[name] = evening.scene.start[name]
    else:
        _push(evening, name, chance.uniform(1, 4), 0.0)
    evening.at.tick(chance.choice([1, 6]))
    return f"{what} {name}"


@act(4)
def back(evening: Evening, chance: random.Random) -> str:
    """Undo or redo."""
    who, what = _somebody(evening, chance), chance.choice(["undo", "undo", "redo"])
    answer = evening.send(who, type=what)
    return f"{who.role} {what} {answer['accepted']}"


@act(3)
def unmeasured(evening: Evening, chance: random.Random) -> str:
    """The owner accepts a move without measuring, where one is awaited."""
    match = evening.at.served.match.match
    if match is None:
        return "no match"
    kinds = {a.kind for a in match.game.awaits(match.state)}
    options = [o for o in evening.offered(House.owner) if o.kind in kinds]
    if not options:
        return "none is awaited"
    option = chance.choice(options)
    try:
        data = {**option.data, **complete(option.form, chance)}
    except Stuck:
        return f"{option.kind} cannot be filled"
    message: dict[str, Any] = {"type": "act", "kind": option.kind, "player": option.player, "data": data}
    message["unmeasured"] = "by hand"
    answer = evening.send(House.owner, **message)
    dice: list[Any] = []
    while answer["wanted"] and len(dice) < 60:
        dice = [*answer["given"], *(_die(chance, wanted) for wanted in answer["wanted"])]
        answer = evening.send(House.owner, **message, dice=dice)
    return f"{option.kind} {answer['accepted']}"


@act(3)
def cheat(evening: Evening, chance: random.Random) -> str:
    """A phone sends what no page offers it: for another's piece, with facts of its own."""
    match = evening.at.served.match.match
    player, who = chance.choice(list(evening.at.phones.items()))
    others = [o for o in evening.at.served.match.options() if o.player not in (None, player)]
    if match is None or not others:
        return "nothing of others'"
    option = chance.choice(others)
    try:
        data = {**option.data, **complete(option.form, chance)}
    except Stuck:
        data = dict(option.data)
    cars = _cars(evening)
    more: dict[str, Any] = chance.choice(
        [{}, {"contacts": [chance.choice(cars)]}, {"left_surface": True}, {"ruled": "yes"}]
    )
    say = chance.choice([{}, {"unmeasured": "I saw it"}])
    number = evening.at.served.match.number
    as_whom = chance.choice([option.player, player, None])
    answer = evening.send(
        who, type="act", kind=option.kind, player=as_whom, data={**data, **more}, dice=None, **say
    )
    if answer["accepted"] and match.log[-1].data.get("data") is not None and not say:
        raise Violation("another's option is done", f"{player} did {option.kind} of {option.player}: {more}")
    return f"{player} as {as_whom}: {option.kind} {more} {say} {answer['accepted']} {number}"


@act(2)
def looks(evening: Evening, chance: random.Random) -> str:
    """Open lists, reports and exports of the running game."""
    at, id = evening.at, evening.at.game_id
    for path in (
        f"/api/games/{id}", f"/api/games/{id}/entries", f"/api/games/{id}/disputes", "/api/disputes",
        "/api/disputes/offer", "/api/state", "/api/questions", "/api/play/sheets.pdf", "/healthz",
    ):  # fmt: skip
        for who in (House.owner, at.spectator):
            answer = at.get(who, path)
            if answer.status_code >= 500:
                words = f"{path} for a {who.role}: {answer.status_code} {answer.text[:200]}"
                raise Violation("a page fails", words)
    name = chance.choice(["jsonl", "report", "csv"])
    answer = at.client.post(f"/api/exports/{id}?to={name}")
    if answer.status_code >= 500:
        raise Violation("an export fails", f"{name}: {answer.status_code} {answer.text[:200]}")
    return name


@act(2)
def dispute(evening: Evening, chance: random.Random) -> str:
    """Open a dispute about what is offered, propose, answer on every phone, decide."""
    at = evening.at
    offered = at.get(House.owner, "/api/disputes/offer").json()
    subjects = offered.get("subjects") or []
    if not subjects:
        return "nothing to dispute"
    opened = at.post(House.owner, "/api/disputes", {"key": chance.choice(subjects)["key"]})
    if opened.status_code != 200:
        return f"not opened: {opened.text[:80]}"
    said = [opened.status_code]
    outcome = chance.choice(["yes", "no", None])
    proposed = at.post(House.owner, "/api/disputes/now/propose", {"outcome": outcome, "note": "as we saw it"})
    said.append(proposed.status_code)
    if proposed.status_code == 200:
        number = (proposed.json().get("proposal") or {}).get("number")
        for who in at.phones.values():
            if number is not None:
                body = {"number": number, "consents": chance.random() < 0.8}
                said.append(at.post(who, "/api/disputes/now/answer", body).status_code)
    if at.get(House.owner, "/api/disputes/now").json() is not None:
        said.append(at.post(House.owner, "/api/disputes/now/release", {}).status_code)
    if any(code >= 500 for code in said):
        raise Violation("a dispute fails", f"{said}")
    had = at.get(House.owner, f"/api/games/{at.game_id}/disputes")
    if had.status_code != 200:
        raise Violation("the list of disputes fails", f"{had.status_code} {had.text[:200]}")
    return f"{said}"


@act(1)
def modes(evening: Evening, chance: random.Random) -> str:
    """The owner switches what is automatic."""
    said = {
        "dice": chance.choice(["roll", "type"]), "moves": chance.choice(["see", "see", "ask"]),
        "questions": chance.choice(["see", "see", "ask"]),
    }  # fmt: skip
    return f"{said} {evening.send(House.owner, type='modes', modes=said)['accepted']}"


@act(1)
def concede(evening: Evening, chance: random.Random) -> str:
    """Somebody gives up, once in a while."""
    player, who = chance.choice(list(evening.at.phones.items()))
    if chance.random() < 0.7:
        return "thinks of giving up"
    return f"{player} {evening.send(who, type='concede', player=player)['accepted']}"


@act(1)
def stays(evening: Evening, chance: random.Random) -> str:
    """Pieces that stand elsewhere are let stay."""
    strays = [s.piece for s in evening.at.served.match.strays()]
    who = _somebody(evening, chance)
    return f"{strays} {evening.send(who, type='stays', pieces=strays)['accepted']}" if strays else "none"


@act(1)
def restart(_evening: Evening, _: random.Random) -> str:
    """The program is ended and begun again."""
    return "and everything is as it was"


# Evenings


@dataclass(frozen=True)
class Played:
    """An evening that was played, and what broke in it."""

    game: str
    number: int
    acts: int
    events: int = 0
    """Of the match's log at the end, so that it is seen that something was played."""
    violation: str = ""
    rule: str = ""
    script: tuple[int, ...] = ()
    done: tuple[str, ...] = ()


def play(game: str, number: int, acts: int, script: Sequence[int] | None = None) -> Played:
    """Play an evening; what breaks is told with the acts that led there."""
    evening = Evening(game, number)
    script = range(acts) if script is None else script
    try:
        evening.play(script)
    except Violation as found:
        until = tuple(script)[: len(evening.done) + 1]
        done = tuple(evening.done)
        return Played(game, number, len(done), evening.events, str(found), found.rule, until, done)
    return Played(game, number, len(evening.done), evening.events, done=tuple(evening.done))


def shortest(found: Played, tries: int = 60) -> Played:
    """Leave out acts as long as the same rule breaks."""
    size = max(1, len(found.script) // 2)
    while tries > 0 and size >= 1:
        start, smaller = 0, False
        while start < len(found.script) and tries > 0:
            tries -= 1
            less = found.script[:start] + found.script[start + size :]
            again = play(found.game, found.number, 0, less)
            if again.rule == found.rule:
                found, smaller = again, True
            else:
                start += size
        if not smaller or size > 1:
            size //= 2
    return found


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game", action="append", help="by its name; all that are registered unless given")
    parser.add_argument("--games", help="a folder with games of one's own")
    parser.add_argument("--evenings", type=int, default=3)
    parser.add_argument("--acts", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1, help="the number of the first evening")
    parser.add_argument("--shorten", action="store_true", help="look for the shortest script of what breaks")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with games_from(args.games) if args.games else nullcontext():
        names = args.game or [g.about.id for g in games() if g.about is not None]
        broken, told_ = 0, []
        for name in names:
            for number in range(args.seed, args.seed + args.evenings):
                began = time.perf_counter()
                found = play(name, number, args.acts)
                if found.violation and args.shorten:
                    found = shortest(found)
                broken += bool(found.violation)
                told_.append(
                    {k: getattr(found, k) for k in ("game", "number", "acts", "events", "violation")}
                )
                if not args.json:
                    took = time.perf_counter() - began
                    counted = f"{found.acts} acts, {found.events} events, {took:.1f} s"
                    print(f"{name} {number}: {counted} {found.violation}", flush=True)
                    for line in found.done[-12:] if found.violation else ():
                        print(f"    {line}")
        if args.json:
            print(json.dumps({"violations": broken, "evenings": told_}, indent=1))
    sys.exit(broken > 0)


if __name__ == "__main__":
    main()
