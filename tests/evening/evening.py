"""An evening: who sits there, what is drawn for each act, how it is begun, ended, killed and shortened."""

from __future__ import annotations

import atexit
import json
import logging
import math
import random
import shutil
import tempfile
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from engine.game.contract import Game, Option
from engine.game.filling import Stuck, complete
from engine.game.forms import PathOnTable
from engine.game.players import answered
from engine.game.registry import game_called
from engine.game.showing import Viewer
from engine.space.geometry import Pose
from server.play.messages import OfTheNewest, from_player
from server.recording.library.games import Library
from server.web.authentication import Identity
from tests.evening.checks import Known, difference, then_as_now, watch_all
from tests.evening.consent import Before, consented
from tests.evening.house import Complaints, House, Violation, house
from tests.evening.table import Hands
from vision.simulate.scene import Scene
from vision.simulate.scenes import named_scene

SCENES = {"points": "points", "hexes": "hexes", "road": "road", "free": "default"}
"""The simulated table on which a game of each kind of board is played."""

THIRD = "Green"
"""Who plays besides the two whom a scene knows, in one evening of four: then three have to agree."""

OPENING = 40
"""Deeds at the most before an evening begins in earnest."""

MACHINE_EVERY, TAKES_PART = 5, 4
"""So many evenings, and which of them has a machine at the table, in the last player's seat."""

SENT_KEPT = 40
"""Requests that are remembered, to be told again."""

ITS_TURN = 0.4
"""How often, of all acts of such an evening, it is the machine that is waited for."""

CLOSING = ("1:looks", "1:rewind")
"""What is done at the end of an evening: all its papers are opened."""

Step = int | str
"""A number, from which an act is drawn and all that happens in it; or both, as `42:drive`."""

Act = Callable[["Evening", random.Random], str]
ACTS: list[tuple[int, Act]] = []
KEPT = ("status", "sheets", "log", "chosen", "proposals", "redoable", "undoable")
"""What the pages show of a match that a restart leaves as it was."""


def act(weight: int) -> Callable[[Act], Act]:
    """Make something an act that an evening draws, `weight` times as often as one of weight 1."""

    def note(one: Act) -> Act:
        ACTS.append((weight, one))
        return one

    return note


def more_often(name: str, weight: int) -> None:
    """Draw an act so often from now on: one of weight 0 is drawn only where it is asked for."""
    ACTS[:] = [(weight if one.__name__ == name else w, one) for w, one in ACTS]


def draws(game: str, number: int, step: Step) -> tuple[random.Random, Act]:
    """Draw an act of an evening, and give the chance that draws all that happens in it."""
    chance = random.Random(f"{game} {number} {step}")
    weights, acts = zip(*ACTS, strict=True)
    return chance, chance.choices(acts, weights)[0]


class Again(Exception):
    """The program is to be begun again: after it was ended, or `killed`; with `twice` killed as it begins."""

    def __init__(self, killed: bool = False, twice: bool = False) -> None:
        super().__init__()
        self.killed, self.twice = killed, twice


class Sent(NamedTuple):
    """What was asked for, with the key of it, whether it was accepted, in which run and of which game."""

    who: Identity
    message: dict[str, Any]
    accepted: bool
    at: House
    game: str | None


class Evening:
    """One evening of a game: `number` draws everything, each act from a chance of its own.

    `secret` draws what is chosen in secret: two evenings that differ in it alone are twins.
    """

    def __init__(self, game: str, number: int, secret: int = 0) -> None:
        self.name, self.number, self.secret = game, number, secret
        self.game: Game[Any] = game_called(game)
        self.scene = _scene(next(SCENES[k] for k in SCENES if k in self.game.about.boards))
        fewest, most = self.game.about.players
        self.owned = _owned(self.scene, third=number % 4 == 3 and most > 2)
        owners = list(dict.fromkeys(self.owned.values()))
        self.players = owners[: max(fewest, min(len(owners), most))]
        self.machine = (
            self.players[-1] if number % MACHINE_EVERY == TAKES_PART and len(self.players) > 1 else None
        )
        """Who of them is played by tableref, if any."""
        self.phones = {
            p: Identity("player", f"{k:016x}") for k, p in enumerate(self.players, 1) if p != self.machine
        }
        self.known = Known()
        self.keys = 0
        self.devices = 0
        """Phones that came in later."""
        self.ended: list[str] = []
        """The records of games that were ended, and are in the library still."""
        self.were: dict[str, tuple[dict[str, Any] | None, float]] = {}
        """What each of them showed at its end, and when that was, seconds of its own time."""
        self.sent: deque[Sent] = deque(maxlen=SENT_KEPT)
        """What was asked for lately."""
        self.proposed: dict[str, str] = {}
        """From which device each proposal was made."""
        self.requests = 0
        """Messages of the protocol and requests over HTTP that were sent."""
        self.killed = False
        """Whether the program was: then the last seconds of where everything stood may be missing."""
        self.looked = 0
        """How often all papers were opened."""
        self.ends = False
        """Whether it comes to its end."""
        self.done: list[str] = []
        self.events = 0
        self.at: House
        self.after: Callable[[Evening], None] = lambda _: None
        """Called after each act, before the next."""

    def play(self, script: Iterable[Step]) -> None:
        """Play these acts; raises `Violation` with what was done until then in `done`."""
        root = Path(tempfile.mkdtemp(prefix="tableref-evening-"))
        logger, handler = logging.getLogger(), Complaints(self.known.complaints)
        logger.addHandler(handler)
        try:
            with drawn(f"{self.name} {self.number}"):
                self._play(root, list(script))
        finally:
            logger.removeHandler(handler)
            shutil.rmtree(root, ignore_errors=True)

    def _play(self, root: Path, left: list[Step]) -> None:
        # Every other machine has a hand of its own.
        hands = Hands(
            self.scene, f"noise {self.number}", simulated=bool(self.machine) and self.number % 2 == 0
        )
        folder, before = root / "0", None
        shutil.copytree(_empty(), folder)
        while True:
            with house(folder, self.scene, hands, self.phones) as self.at:
                if before is not None:
                    self.as_before(before)
                elif self.at.served.match.match is None:
                    self.begin(random.Random(f"{self.name} {self.number}"))
                self.at.client.event_hooks = {"request": [self._sent]}
                try:
                    while left:
                        self.ends = len(left) <= len(CLOSING)
                        self.one(left.pop(0))
                except Again as again:
                    before = {name: self.at.shown(who) for name, who in self.at.viewers.items()}
                    twice = again.twice
                    self.killed |= again.killed or twice
                    if again.killed:
                        folder = self._left_by(folder, root)
                else:
                    return
            hands = Hands(self.scene, hands.noise, hands)
            if twice:
                with house(folder, self.scene, hands, self.phones):
                    folder = self._left_by(folder, root)
                hands = Hands(self.scene, hands.noise, hands)

    def _left_by(self, folder: Path, root: Path) -> Path:
        """What lies on the disk at this moment is all that a killed program leaves."""
        left = root / f"{len(self.done)}-{len(list(root.iterdir()))}"
        shutil.copytree(folder, left)
        return left

    def _sent(self, _request: object) -> None:
        self.requests += 1

    def as_before(self, before: Mapping[str, Mapping[str, Any]]) -> None:
        """After a restart the pages show everybody what they showed, and the replay what they had shown.

        What was moving as it was put down, and rests in the first picture, is looked at meanwhile.
        """
        pages = {name: self.at.shown(who)["match"] or {} for name, who in self.at.viewers.items()}
        match = self.at.served.match.match
        since = [] if match is None else match.log[self.events :]
        seen_at_rest = len(since) if all(e.kind == "looked" for e in since) else 0
        for name, now in pages.items():
            was = before[name]["match"] or {}
            # Some of it may have been looked at before the end already.
            more = now["log"][-1]["number"] - was["log"][-1]["number"] if seen_at_rest else 0
            if 0 < more <= seen_at_rest:
                now = now | {"log": now["log"][:-more]}  # noqa: PLW2901
                was = was | {"log": was["log"][-len(now["log"]) :]}
            for part in KEPT:
                if was.get(part) != now.get(part):
                    words = f"for {name}: {difference(was.get(part), now.get(part))}"
                    raise Violation(f"a restart changes {part}", words)
        # A killed program may not have written the last second: it goes on from where its record ends.
        self.known.shown = [seen for seen in self.known.shown if seen[0] < self.at.recorder.now_s]
        for when, then in self.known.shown[::7]:
            then_as_now(self.at, when, then)

    def over(self) -> bool:
        """Whether the game is over, so that people would begin another one."""
        match = self.at.served.match.match
        return match is not None and match.game.status(match.state, Viewer()).over

    def one(self, step: Step) -> None:
        """Do one act and hold everything; raises `Again` where the program is to be begun again."""
        number, _, named = str(step).partition(":")
        chance, chosen = draws(self.name, self.number, number)
        acts = [one for _, one in ACTS]
        if self.over() and chance.random() < 0.3:
            chosen = next(one for one in acts if one.__name__ == "anew")
        elif self.machine and chance.random() < ITS_TURN:
            chosen = next(one for one in acts if one.__name__ == "machine")
        chosen = next((one for one in acts if one.__name__ == named), chosen)
        again: Again | None = None
        self.done.append(f"{number}:{chosen.__name__} …")
        try:
            said = chosen(self, chance)
        except Again as one:
            again, said = one, "killed" if one.killed else "ended"
        match = self.at.served.match.match
        self.events = self.events if match is None else len(match.log)
        self.done[-1] = f"{number}:{chosen.__name__} {said}"
        watch_all(self.at, self.known)
        self.after(self)
        if again is not None:
            raise again

    # What people can do

    def send(self, who: Identity, **message: Any) -> dict[str, Any]:
        """Send a message of the protocol, as a page would, hold what comes of it, and give the answer."""
        self.keys += 1
        self.requests += 1
        message = {"key": f"key-{self.number}-{self.keys:06}", **message}
        request = from_player.validate_python(message)
        fresh = isinstance(request, OfTheNewest) and not {"shown", "newest"} & message.keys()
        if fresh:
            request = request.model_copy(update={"shown": self.newest(who)})
        before = Before.of(self.at, who)
        answer = self.at.served.match.ask(who, request).model_dump(mode="json")
        if "server failed" in (answer["error"] or ""):
            raise Violation("the server failed", json.dumps(message)[:300])
        if fresh and "gone on" in (answer["error"] or ""):
            raise Violation("what is the newest is refused as too old", json.dumps(message)[:300])
        game = self.at.recorder.game
        id = None if game is None else game.id
        self.sent.append(Sent(who, message, answer["accepted"], self.at, id))
        consented(self.at, who, message, before, answer)
        self._on_ones_own(who, message, before, answer)
        if answer["proposed"] and who.role == "player" and message["type"] != "agree":
            self.agrees_alone(who)
        return answer

    def newest(self, who: Identity) -> int | None:
        """Give the number of the newest deed, as the page of somebody shows it."""
        match = self.at.shown(who)["match"]
        return None if match is None else int(match["newest"])

    def told_again(self, who: Identity, message: Mapping[str, Any]) -> dict[str, Any]:
        """Send a message by the key that it had, or that another one had, and give the answer."""
        self.requests += 1
        answer = self.at.served.match.ask(who, from_player.validate_python(message))
        return answer.model_dump(mode="json")

    def _on_ones_own(
        self, who: Identity, message: Mapping[str, Any], before: Before, answer: Mapping[str, Any]
    ) -> None:
        """Nobody agrees on the phone on which it was proposed, in whichever seat that is by now."""
        agrees = message["type"] == "agree" and message["agrees"] and answer["accepted"]
        if agrees and who.role == "player" and self.proposed.get(message["proposal"]) == who.device:
            raise Violation("whoever proposes agrees alone", f"in another seat: {message}")
        for id in self.at.served.match.proposals.waiting.keys() - before.proposals.keys():
            self.proposed[id] = who.device

    def agrees_alone(self, who: Identity) -> None:
        """Whoever has proposed something agrees to it as well: that is refused."""
        host = self.at.served.match
        seat = host.player_of(who)
        for number in [n for n, one in host.proposals.waiting.items() if one.by == seat]:
            if self.send(who, type="agree", proposal=number, agrees=True)["accepted"]:
                raise Violation("whoever proposes agrees alone", f"{seat}: {number}")

    def shows_own(self, who: Identity) -> bool:
        """Whether the page of somebody shows something that they proposed, and that still waits."""
        return any(one["own"] for one in (self.at.shown(who)["match"] or {}).get("proposals", ()))

    def begin(self, chance: random.Random) -> None:
        """Set the game up from its own form and begin it."""
        whose = self.owned
        driven = [p for p in self.scene.pieces if whose.get(p.name) in self.players and not p.follows]
        for attempt in range(60):
            # As many as there are at first; where a game takes fewer, so many of each player's.
            most = max(1, 3 - attempt // 10)
            pieces = [
                p for p in driven if [q for q in driven if whose[q.name] == whose[p.name]].index(p) < most
            ]
            so_far: dict[str, Any] = {
                "players": list(self.players),
                "pieces": [{"name": p.name, "owner": whose[p.name]} for p in pieces],
            }
            try:
                found = answered(self.game, so_far, chance)
            except Stuck:
                continue
            listed = [
                {"name": p.pop("name"), "owner": p.pop("owner"), "answers": p} for p in found.pop("pieces")
            ]
            colours = ("#c8322b", "#2f6fd0", "#2e8b57", "#c99a1e")
            plays = {"level": "learner", "temper": chance.choice(["even", "reckless", "careful", "vengeful"])}
            players = [
                {"name": n, "colour": c, "machine": plays if n == self.machine else None}
                for n, c in zip(found.pop("players"), colours, strict=False)
            ]
            draft = {"game": self.game.about.id, "players": players, "pieces": listed, "answers": found}
            if not self.send(House.owner, type="setup", draft=draft)["accepted"]:
                continue
            # The record begins with it: what is seen from the next picture on is in it.
            self.at.tick()
            for player, phone in self.at.phones.items():
                self.send(phone, type="sit", player=player)
            if self.send(House.owner, type="begin")["accepted"]:
                self.open(chance)
                return
        raise Violation("no set-up", f"{self.name}: nothing that its own form accepts could be begun")

    def open(self, chance: random.Random, most: int = OPENING, *, secretly: bool = False) -> None:
        """Play on, as people do who know the game, until a piece is to be driven; `most` deeds or fewer.

        With `secretly` they choose in secret, too: what twins are to differ in would come to light by it.
        """
        for _ in range(most):
            match = self.at.served.match.match
            if match is None or any(not a.anywhere for a in match.game.awaits(match.state)):
                return
            offered = self.offered(House.owner)
            options = [o for o in offered if o.sealed is None] or (offered if secretly else [])
            if not options:
                if self.put_down(chance) is None:
                    return
                continue
            option = chance.choice(options)
            try:
                data = self.answers(option, chance)
            except Stuck:
                continue
            message = {"type": "act", "kind": option.kind, "player": option.player, "data": data}
            self.carry_out(House.owner, message, chance)

    def put_down(self, chance: random.Random, tries: int = 8) -> str | None:
        """Put a piece that is awaited from anywhere where it may be taken, and take it; gives its name."""
        at, host = self.at, self.at.served.match
        match = host.match
        awaited = [] if match is None else [a for a in match.game.awaits(match.state) if a.anywhere]
        awaited = [a for a in awaited if a.piece in at.hands.poses]
        if match is None or not awaited:
            return None
        one = chance.choice(awaited)
        ghosts = match.game.ghosts(match.state, host.seeing.now(host.owners))
        goal = next((g.pose for g in ghosts if g.piece == one.piece), None)
        low_x, low_y, high_x, high_y = self.scene.surface.polygon.bounds
        for _ in range(tries if goal is None else 1):
            heading = math.radians(90 * chance.randrange(4))
            edge = chance.uniform(2.2, 4.8)
            along_x, along_y = chance.uniform(low_x + 4, high_x - 4), chance.uniform(low_y + 4, high_y - 4)
            where = chance.choice(
                [
                    (low_x + edge, along_y),
                    (high_x - edge, along_y),
                    (along_x, low_y + edge),
                    (along_x, high_y - edge),
                ]
            )
            at.hands.poses[one.piece] = Pose(*where, heading) if goal is None else Pose(*goal)
            at.hands.covered.discard(one.piece)
            at.tick(6)
            at.served.scene.version()  # an open page looks as well
            mine = [o for o in self.offered(House.owner) if o.kind == one.kind and o.piece == one.piece]
            if not mine:
                continue
            try:
                data = self.answers(mine[0], chance)
            except Stuck:
                return one.piece
            message = {"type": "act", "kind": one.kind, "player": mine[0].player, "data": data}
            if self.carry_out(House.owner, message, chance)["accepted"]:
                break
        return one.piece

    def somebody(self, chance: random.Random) -> Identity:
        """Give the owner or a player."""
        return chance.choice([House.owner, *self.at.phones.values()])

    def cars(self) -> list[str]:
        """Give the names of the cars on the table."""
        return [p.name for p in self.scene.pieces if p.driven and p.name in self.at.hands.poses]

    def offered(self, who: Identity) -> list[Option]:
        """Give the options that somebody may do now."""
        host = self.at.served.match
        return [o for o in host.options() if not o.not_now and host.may_do(who, o.player)]

    def answers(self, option: Option, chance: random.Random) -> dict[str, Any]:
        """Fill the form of an option; raises `Stuck` where it cannot be."""
        fields = option.form.fields
        ways = {n: f.usual for n, f in fields.items() if isinstance(f, PathOnTable) and f.usual is not None}
        if option.sealed is not None:
            # From a chance of its own, so that twins differ in nothing else.
            chance = random.Random(f"{chance.random()} {self.secret}")
        return {**option.data, **complete(option.form, chance), **ways}

    def carry_out(self, who: Identity, message: dict[str, Any], chance: random.Random) -> dict[str, Any]:
        """Send an act, typing what dice show where they are asked for, and give the last answer."""
        answer = self.send(who, **message)
        dice: list[Any] = []
        while answer["wanted"] and len(dice) < 60:
            dice = [*answer["given"], *(_die(chance, wanted) for wanted in answer["wanted"])]
            if answer["throw"] is not None and (how := chance.random()) < 0.7:
                # Each types theirs, or it waits: whatever else is done meanwhile.
                return self.typed_by_each(who, answer, chance) if how < 0.5 else answer
            answer = self.send(who, **message, dice=dice)
        return answer

    def typed_by_each(self, who: Identity, answer: dict[str, Any], chance: random.Random) -> dict[str, Any]:
        """Type every die on the page that asks for it, until nothing of this deed is asked."""
        host = self.at.served.match
        pages = [House.owner, *self.at.phones.values()]
        for _ in range(60):
            throw = next((one for one in host.throws.waiting.values() if one.who == who), None)
            page = chance.choice(pages)
            match = self.at.shown(page)["match"]
            if throw is None or match is None:
                return answer
            for one in match["throws"]:
                asked = [die["mine"] and not die["typed"] for die in one["dice"]]
                if one["id"] == throw.id and any(asked):
                    dice = [
                        _die(chance, d) if mine else None for d, mine in zip(one["dice"], asked, strict=True)
                    ]
                    answer = self.send(page, type="rolled", throw=throw.id, dice=dice)
        # Once dice have fallen the owner alone takes it back.
        back = (
            House.owner if throw is not None and (throw.machine or host.throws.find(throw.id).fell) else who
        )
        return self.send(back, type="rolled", throw=throw.id, dice=None) if throw else answer


@cache
def _empty() -> Path:
    """Give a library in which nothing is recorded yet: made once and copied for each evening."""
    folder = Path(tempfile.mkdtemp(prefix="tableref-evening-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    Library.open(folder).close()
    return folder


@cache
def _scene(name: str) -> Scene:
    return named_scene(name)


def _owned(scene: Scene, third: bool) -> dict[str, str]:
    """Whose each driven piece is; a third player takes the last one of whoever has several."""
    whose = {p.name: p.owner for p in scene.pieces if p.driven and p.owner}
    several = [name for name, owner in whose.items() if list(whose.values()).count(owner) > 1]
    if third and len(set(whose.values())) == 2:
        whose |= {
            max(n for n in several if whose[n] == owner): THIRD for owner in {whose[n] for n in several}
        }
    return whose


def _die(chance: random.Random, wanted: Mapping[str, Any]) -> int | str:
    face = chance.choice(wanted["faces"]) if wanted["faces"] else chance.randint(1, wanted["sides"])
    return int(face) if str(face).isdigit() else str(face)


@contextmanager
def drawn(seed: str) -> Iterator[None]:
    """Draw what the program draws by itself from a seed, too: an evening that failed fails again."""
    chance = random.Random(f"program {seed}")

    def token_hex(nbytes: int | None = None) -> str:
        return chance.randbytes(32 if nbytes is None else nbytes).hex()

    with mock.patch("secrets.token_hex", token_hex), mock.patch("secrets.choice", chance.choice):
        yield


# Evenings


@dataclass(frozen=True)
class Played:
    """An evening that was played, and what broke in it."""

    game: str
    number: int
    acts: int
    events: int = 0
    """Of the match's log at the end, so that it is seen that something was played."""
    requests: int = 0
    """Sent by everybody: messages of the protocol, and what was asked over HTTP."""
    violation: str = ""
    rule: str = ""
    script: tuple[Step, ...] = ()
    """What was done, by numbers and names: it stays that when the machine is taught other acts."""
    done: tuple[str, ...] = ()


def play(game: str, number: int, acts: int, script: Sequence[Step] | None = None) -> Played:
    """Play an evening; what breaks is told with the acts that led there."""
    evening = Evening(game, number)
    script = [*range(acts), *CLOSING] if script is None else script
    try:
        evening.play(script)
    except Exception as error:
        found = error if isinstance(error, Violation) else _stumbled(error)
        until = tuple(one.partition(" ")[0] for one in evening.done)
        done = tuple(evening.done)
        return Played(
            game, number, len(done), evening.events, evening.requests, str(found), found.rule, until, done
        )
    return Played(game, number, len(evening.done), evening.events, evening.requests, done=tuple(evening.done))


def _stumbled(error: Exception) -> Violation:
    """Something raised that was not to be: in the product, or in the machine itself."""
    where = traceback.format_exception(error)[-4:]
    return Violation(f"stumbles over {type(error).__name__}", " ".join("".join(where).split())[-700:])


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
