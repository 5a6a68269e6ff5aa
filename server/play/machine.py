"""The machines at a table: each thinks, says what it wants to do, waits for hands to do it, and takes it.

A machine is a device with a seat: it asks the host like a phone, and is held to the same rules. What it is
shown of others is what a phone is shown. On a simulated table it pushes its pieces itself.
"""

from __future__ import annotations

import logging
import math
import re
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.driver.deciding import Choice
from engine.driver.pushing import drawn, legs
from engine.errors import TableRefError
from engine.game.contract import Option, Seen
from engine.game.events import RULED, SaidFact, batches
from engine.game.facts import ANSWERS
from engine.game.forms import Form, Number
from engine.game.kit.table import standing_of
from engine.game.log.places import in_place, standing_still
from engine.game.match import Match
from engine.game.pushing import THOUGHT, length_of, put, straight_to
from engine.game.registry import STUMBLES
from engine.game.showing import Ghost, Leg, Viewer
from engine.motion.moves import Move
from engine.space.geometry import Pose, wrap_angle
from engine.space.table import Standing, Status, TableState, key_of
from server.formats import units
from server.formats.helper_process import HelperEnded
from server.pipeline.runner import Runner
from server.play.consent import Proposal
from server.play.drafts import Machine
from server.play.host import MatchHost
from server.play.messages import Act, Answer, MachineView, Reveal, Sit, Weighed
from server.play.moving.seeing import said_kinds
from server.play.seats import MACHINE
from server.play.thinking import AsItLies, Decision, Thinker, Told
from server.table.gate import hides
from server.web.authentication import Identity

log = logging.getLogger("tableref.machine")

SAYS_S = 1.5
"""Seconds for which it says what it wants to do, before it does that."""

UNDONE_S = 8.0
"""Seconds more for which it says so after something was taken back."""

STANDS_S, ON_ITS_WAY_S = 8.0, 30.0
"""Seconds, of pictures too, after which a piece that was pushed elsewhere, lawfully, counts as it stands.

The second of one that rests where its way turns: whoever pushes it looks what comes next.
"""

SETTLES_S = 1.0
"""Seconds, of pictures too, for which a piece rests that people push before it is taken."""

STIRS_IN, STIRS_TURN = 0.08, math.radians(2.0)
"""Inches and radians by which a piece is elsewhere than it rested: a hand is still at it."""

NEAR_IN, NEAR_TURN = 0.4, math.radians(8.0)
"""Inches and radians from its ghost within which a piece was pushed as it was wanted (house default)."""

STANDS_THERE = 0.1
"""Share of a piece's footprint that another one takes, from which on that stands in its place."""

UNSEEN_S = 6.0
"""Seconds of pictures after which a push of its own hand that nobody saw is thought about anew."""

STAYS_IN = 0.5
"""Inches of a way, a turn counted as that of a point an inch off, that is not seen as a move."""

SAID = "no hand can push it: tableref says it"
"""Why a move was not measured that is said instead."""

NOT_SO = (
    "It is not lawful as it was pushed: put it on its shape, or back where it began and push it as told, "
    "or accept it for tableref."
)
"""What is said of a piece that hands left where the book does not let it stand, or got there another way."""

PUSHED, ENTERED = "Push it onto its shape. ", "Enter it by hand"
"""What is asked of people where they say what the camera is not asked."""

AS_IT_STANDS = "You may leave it as it stands."
"""What is said besides of a piece that stands where it may, and not where it was wanted."""

ASKED = "The others are asked whether it counts."
"""What is said of a piece whose move is too close to call, or that was not seen."""

STAYED = "it stays where it stands, and nothing is to be seen of that"
"""Why a move was not measured of a piece that is not moved by it."""

LOOK_S = 0.25
"""Seconds between two looks at what is to be done."""

AGAIN_S = 2.0
"""Seconds after which it thinks again where it found nothing lawful."""

TRIES = 3
"""So often it is refused in one position before it leaves that to the owner of the table."""

INCHES_A_SECOND = 5.0
"""How fast it pushes; a turn counts as the way of a point an inch off."""

TOSSED_KEPT = 40
"""Coins that are remembered."""

FIGURES = re.compile(r"[\d.]+")
"""What the words of a fact have of its figures, which differ a little from picture to picture."""

INCHES = re.compile(r"\d[\d.]* in\b")
"""A length in the words of a way."""

EVERY_S = 0.06
"""Seconds between two places on the way."""


@dataclass(frozen=True)
class Intent:
    """What a machine wants to do in the position after so many batches, and since when it says so.

    `lies` is the move that it has seen of its piece, where and since when that rests, by its clock and by
    that of the pictures; `off` says in words how far from the wanted place, `next` the step that comes next
    where it rests on its way, 0 elsewhere. `unlawful`: the book is against that move, as was found when it
    was `asked` last. `pushed_at` is the time of the table when its own hand had pushed the piece, `began`
    where that stood before. `proposed`: others have to agree to it; `throws`: its dice are rolled, and typed,
    by people.
    `answers` are those to what is open that it proposed last, `declined` those that were not agreed to.
    `start` is where it stood when it was thought of.
    """

    choice: Choice
    count: int
    since: float
    start: Pose | None = None
    pushed: bool = False
    pushed_at: float = 0.0
    began: Pose | None = None
    lies: str = ""
    lies_at: Pose | None = None
    lies_since: tuple[float, float] = (0.0, 0.0)
    off: str = ""
    next: int = 0
    unlawful: bool = False
    asked: float = -math.inf
    proposed: bool = False
    answers: Mapping[str, str] | None = None
    declined: tuple[Mapping[str, str], ...] = ()
    throws: bool = False

    @property
    def told(self) -> str:
        """How its piece has to be put right, for people; empty while there is nothing to tell."""
        if self.proposed:
            return ASKED
        if self.unlawful:
            return f"{NOT_SO} {self.off}".strip()
        if self.next:
            return f"Go on with step {self.next}."
        return self.off and f"{self.off} {AS_IT_STANDS}"


def device_of(player: str) -> Identity:
    """The device by which a machine sits at the table."""
    return Identity("player", f"{MACHINE}{player}")


class Hand:
    """Pushes pieces where they are simulated; elsewhere people do."""

    def __init__(self, live: Runner, sleep: Callable[[float], None] = time.sleep) -> None:
        self._live, self._sleep = live, sleep

    @property
    def there(self) -> bool:
        """Whether the table is one on which it can push anything."""
        return self._live.can_move

    def push(self, piece: str, way: Sequence[Pose], table: TableState, slower: int = 1) -> None:
        """Push a piece from where it stands through the poses of a way; returns once it lies there.

        So many times `slower` than usual, for a camera that did not see all of it.
        """
        here = next((s.pose for s in table.standings if key_of(s.name) == key_of(piece)), None)
        every = INCHES_A_SECOND * EVERY_S
        for pose in way:
            for place in (pose,) if here is None else straight_to(here, pose, every, every):
                self._live.move(piece, place)
                self._sleep(EVERY_S * slower)
            here = pose


class Machines:
    """All machines at one table. `step` looks once; `watch` lets a thread do so as long as there are any."""

    def __init__(
        self,
        host: MatchHost,
        live: Runner,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        thinker: Thinker | None = None,
        by_itself: bool = True,
    ) -> None:
        self._host, self._live, self._clock = host, live, clock
        self._thinker = thinker or Thinker()
        self._thinks_of: int | None = None
        """The position that is thought about now: after so many batches."""
        self._hand = Hand(live, sleep)
        self._of: Match[Any] | None = None
        self._intents: dict[str, Intent] = {}
        self._refused: dict[tuple[str, int], int] = {}
        self._refused_with: dict[str, frozenset[str]] = {}
        """By player, the pieces in plain view when it was refused last."""
        self._back: dict[str, tuple[str, Pose, float]] = {}
        """By player, the piece that its own hand has put somewhere, where, and by when that is seen."""
        self._idle: dict[str, tuple[int, float]] = {}
        """By player, in which position nothing is to be done, and until when."""
        self._looked: dict[str, tuple[int, int]] = {}
        """By player, in which position it found nothing lawful, and how often it looked."""
        self._tossed: deque[tuple[Any, str]] = deque(maxlen=TOSSED_KEPT)
        """What coins said lately, each of a position and a fact."""
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._wake = threading.Event()
        self.number = 0
        """Grows with whatever they show."""
        self.by_itself = by_itself
        """Whether a thread looks; without, whoever calls `step` does."""
        self.replies: Callable[[str, Identity], bool] = lambda _player, _who: False
        """Answers a dispute that waits for a player; says whether one is open: then nothing else is done."""

    # What is shown

    def views(self) -> list[MachineView]:
        """Every machine, and what it says."""
        return [self._view(player, machine) for player, machine in self._machines()]

    def ghosts(self) -> tuple[Ghost, ...]:
        """Where machines want pieces to be pushed, and the way there."""
        found = []
        table = self._seen().table
        for player, _ in self._machines():
            intent = self._now(player)
            goal = None if intent is None else intent.choice.goal
            if intent is None or goal is None or intent.choice.piece is None:
                continue
            words = f"push it onto its shape for {player}" + (f": {intent.told}" if intent.told else "")
            pose = (goal.x, goal.y, goal.heading)
            # Where it has a hand nobody else has to do anything.
            right = None if self._hand.there else False
            ghost = Ghost(intent.choice.piece, pose, words, "tableref", right=right)
            here, parts = standing_of(table, ghost.piece), self._legs(intent)
            if here is None or intent.start is None or not parts:
                found.append(ghost)
                continue
            body = here.piece.body.footprint
            marks = drawn(intent.start, intent.choice.way, parts, body, ghost.piece)
            found.append(replace(ghost, legs=parts, marks=tuple(marks)))
        return tuple(found)

    def _legs(self, intent: Intent) -> tuple[Leg, ...]:
        """How a piece is to be pushed: nothing for one that is carried, or rests where that counts."""
        match, choice = self._match(), intent.choice
        if match is None or intent.start is None or (intent.lies and not intent.unlawful and not intent.next):
            return ()
        names = [a.piece for a in match.game.awaits(match.state) if a.anywhere]
        if key_of(str(choice.piece)) in map(key_of, names):
            return ()
        return legs(intent.start, choice.way, told=not hides(match.game, match.state))

    def _headline(self, choice: Choice) -> str:
        """What it wants to do; not how far where the book hides that: a car with its way would be a ruler."""
        match, words = self._match(), choice.words or choice.action.kind
        return INCHES.sub("…", words) if choice.way and match and hides(match.game, match.state) else words

    def puts_right(self, piece: str) -> bool:
        """Whether a machine's own hand puts a piece where it has to stand."""
        return self._hand.there and (self._host.owners.get(key_of(piece)) in self._players() or self._alone())

    def _view(self, player: str, machine: Machine) -> MachineView:
        intent = self._now(player)
        words = headline = ""
        steps: list[str] = []
        left = intent is None and (self._stuck(player) or self._at_a_loss(player))
        if intent is not None:
            headline = self._headline(intent.choice)
            pushed = intent.choice.goal is not None and not self._hand.there
            if pushed:
                words = intent.told or "Push it onto its shape."
                steps = [units.retold(leg.words) for leg in self._legs(intent)]
            left = intent.unlawful
            if self._by_hand(intent):
                words, left = f"{PUSHED if pushed else ''}{ENTERED} for {player}.", True
        elif left:
            headline = f"{player} is left to you: act for {player}"
        return MachineView(
            player=player, level=machine.level, temper=machine.temper, headline=units.retold(headline),
            words=units.retold(words), steps=steps if len(steps) > 1 else [], left=left,
        )  # fmt: skip

    def _now(self, player: str) -> Intent | None:
        """What a machine wants in the position as it is; None once the game has gone on."""
        match, intent = self._match(), self._intents.get(player)
        return intent if match is not None and intent is not None and intent.count == match.count else None

    # Who and what

    def _by_hand(self, intent: Intent) -> bool:
        """Whether it rests on what players say themselves, where the camera is not asked.

        What is lawful without a table, as a shot from cell to cell, rests on nothing that has to be said.
        """
        match, action = self._match(), intent.choice.action
        if match is None or action.kind in match.game.about.sealed:
            return False
        if action.kind not in said_kinds(match, self._host.modes):
            return False
        says = {fact.field for fact in match.game.facts.get(action.kind, ())} & action.data.keys()
        return bool(says) or self._awaits(action.kind) or bool(match.check(action))

    def _machines(self) -> list[tuple[str, Machine]]:
        return [(p.name, p.machine) for p in self._host.draft.players if p.machine is not None]

    def _players(self) -> set[str]:
        return {player for player, _ in self._machines()}

    def _match(self) -> Match[Any] | None:
        match = self._host.match
        return None if match is None or match.game.status(match.state, Viewer()).over else match

    def _alone(self) -> bool:
        """Whether no person plays who is not out of the game."""
        match = self._match()
        persons = {p.name for p in self._host.draft.players if p.machine is None}
        order = () if match is None else match.game.status(match.state, Viewer()).order
        return not any(place.player in persons and not place.out for place in order)

    def _last_try(self, player: str, count: int) -> bool:
        return self._refused.get((player, count), 0) >= TRIES - 1

    def _stuck(self, player: str) -> bool:
        match = self._match()
        return match is not None and self._refused.get((player, match.count), 0) >= TRIES

    def _sees_more(self, player: str, count: int) -> bool:
        """Whether a piece is in plain view that was not when it was refused last: then it tries again."""
        if self._in_view() <= self._refused_with[player]:
            return False
        del self._refused[player, count]
        self._show()
        return True

    def _in_view(self) -> frozenset[str]:
        table = self._seen().table
        return frozenset(() if table is None else (key_of(s.name) for s in table.standings if s.seen))

    def _at_a_loss(self, player: str) -> bool:
        """Whether it has something to do and, however often it looked, found nothing lawful."""
        match = self._match()
        count, looks = self._looked.get(player, (-1, 0))
        return match is not None and count == match.count and looks >= TRIES

    # Running

    def watch(self) -> None:
        """Look from now on whenever the game goes on, in a thread that ends with the last machine."""
        self._host.watch(self._awake, asks=True)
        self._awake()

    def _awake(self) -> None:
        self._wake.set()
        match, thinks_of = self._host.match, self._thinks_of
        if thinks_of is not None and (match is None or match.count != thinks_of):
            self._thinker.stop()
        with self._lock:
            idle = self._thread is None or not self._thread.is_alive()
            if idle and self.by_itself and self._machines() and self._match() is not None:
                self._thread = threading.Thread(target=self._run, name="tableref-machine", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while not self._live.stopping and self._machines() and self._match() is not None:
            try:
                self.step()
            except TableRefError as error:
                log.info("the machine looks again: %s", error)
            except HelperEnded as error:
                log.warning("the machine thinks again: %s", error)
                self._all_refused(1)
            except STUMBLES:
                # A game that stumbles in thought must end no evening: people go on.
                log.exception("the machine failed")
                self._all_refused(TRIES)
            self._wake.wait(LOOK_S)
            self._wake.clear()

    def _all_refused(self, times: int) -> None:
        match = self._match()
        for player, _ in self._machines():
            if match is not None:
                self._count_refused(player, match.count, times)

    def step(self) -> None:
        """Look once: reply to others, put pieces where they have to stand, go on with what is wanted."""
        match = self._match()
        if match is not self._of:
            # Another game comes by the same counts.
            self._of = match
            known = (self._intents, self._refused, self._refused_with, self._back, self._idle, self._looked)
            for one in known:
                one.clear()
        if match is None:
            return
        for player, _ in self._machines():
            self._sit(player)
        if [player for player, _ in self._machines() if self._reply(player)]:
            return
        if self._hand.there and self._put_right():
            return
        self._reveal()
        for player, machine in self._machines():
            if self._act(player, machine):
                return

    def _sit(self, player: str) -> None:
        who = device_of(player)
        if self._host.player_of(who) is None and player not in self._host.seats.taken:
            self._host.ask(who, Sit(type="sit", key=_key(), player=player))

    def _reply(self, player: str) -> bool:
        """Toss a coin for what is too close to call, decline what the camera did not see or saw otherwise.

        Says whether a dispute is open, and answers what is proposed there.
        """
        who = device_of(player)
        for one in list(self._host.proposals.waiting.values()):
            if one.by != player and one.may_agree(who, player):
                agrees, why = agreeable(one, self._coin, meant=self._meant(one))
                unseen = one.act.unmeasured if one.act.type == "act" and one.by in self._players() else None
                if unseen == SAID and not self._alone():
                    # What a machine says of a push that nobody saw is for people to agree to.
                    continue
                if unseen in (STAYED, SAID):
                    agrees, why = True, "another machine has nothing to push"
                said = Weighed(type="agree", key=_key(), proposal=one.id, agrees=agrees, why=why)
                self._host.ask(who, said)
        return self.replies(player, who)

    def _meant(self, one: Proposal) -> bool:
        """Whether it is about where the car of another machine was pushed: hands have erred, nobody gains."""
        return one.act.type == "act" and self._awaits(one.act.kind) and one.by in self._players()

    def _coin(self, fact: SaidFact) -> str:
        """Yes or no, by a coin: once for a fact in one position, so that asking again changes nothing.

        Neither does taking something back and doing it again, nor a picture in which a figure differs.
        """
        match = self._match()
        about = (None if match is None else match.state, FIGURES.sub("", fact.name), fact.pieces)
        known = next((said for met, said in self._tossed if met == about), None)
        if known is None:
            known = secrets.choice(("yes", "no"))
            self._tossed.append((about, known))
        return known

    def _put_right(self) -> bool:
        """Put a machine's piece where a rule has put it, on a table where it has a hand; whether one was."""
        match, seen = self._match(), self._host.seeing.now(self._host.owners)
        if match is None or seen.table is None:
            return False
        wanted = [*match.game.ghosts(match.state, seen), *(s.ghost for s in self._host.strays() if s.ghost)]
        for ghost in wanted:
            piece = standing_of(seen.table, ghost.piece)
            if ghost.pose is None or ghost.right or ghost.free or piece is None or not piece.seen:
                continue
            if self.puts_right(ghost.piece) and not self._is_taken(Pose(*ghost.pose), piece, seen.table):
                self._put_at(
                    self._host.owners.get(key_of(ghost.piece), ""), piece, Pose(*ghost.pose), seen.table
                )
                return True
        return False

    def _is_taken(self, place: Pose, piece: Standing, table: TableState) -> bool:
        """Whether a piece that people have to move away stands where a piece has to stand."""
        shape = piece.piece.body.footprint.at(place).polygon
        others = (s for s in table.standings if s.seen and key_of(s.name) in self._host.owners)
        theirs = (s.region.polygon for s in others if s.name != piece.name and not self.puts_right(s.name))
        return any(shape.intersection(one).area > STANDS_THERE * shape.area for one in theirs)

    def _put_at(self, player: str, piece: Standing, place: Pose, table: TableState) -> None:
        """Put a piece there with its own hand; till it is seen there, its player thinks of nothing."""
        self._hand.push(piece.name, straight_to(piece.pose, place), table)
        if player in self._players():
            now = self._seen().table or table
            self._back[player] = piece.name, place, now.time + UNSEEN_S

    def _reveal(self) -> None:
        match = self._match()
        if match is None or not self._alone() or match.revealing(self._seen()) is None:
            return
        player = self._machines()[0][0]
        if not self._throws(player):
            self._host.ask(device_of(player), Reveal(type="reveal", key=_key()))

    def _seen(self) -> Seen:
        return self._host.seeing.now(self._host.owners)

    # Acting

    def _act(self, player: str, machine: Machine) -> bool:
        """Go on with what a machine wants, or find out what that is; whether it is about anything."""
        match = self._match()
        if match is None or (self._stuck(player) and not self._sees_more(player, match.count)):
            return False
        intent = self._now(player)
        if intent is None:
            return self._think(match, player, machine)
        if intent.proposed and all(one.by != player for one in list(self._host.proposals.waiting.values())):
            # Somebody did not agree: that it is asked for again and again helps nobody.
            if intent.choice.goal is None:
                self._answer_otherwise(player, intent)
            elif intent.answers is None:
                self._count_refused(player, intent.count)
            else:
                declined = (*intent.declined, intent.answers)
                self._keep(player, replace(intent, proposed=False, answers=None, declined=declined))
            return True
        if intent.throws and self._host.modes.dice == "type":
            if not self._throws(player):
                # Somebody took it back, or it cannot be done any more.
                self._count_refused(player, intent.count)
            return True
        if self._clock() - intent.since < SAYS_S:
            return True
        if self._by_hand(intent):
            self._show_where(player, intent)
        elif intent.choice.goal is None:
            self._do(player, intent, intent.choice)
        else:
            self._pushing(match, player, intent)
        return True

    def _answer_otherwise(self, player: str, intent: Intent) -> None:
        """Propose the other answer to what nobody has seen; once both were declined, people go on."""
        action, said = intent.choice.action, intent.choice.action.data.get(RULED)
        if said not in ANSWERS:
            self._count_refused(player, intent.count)
        elif intent.declined:
            self._count_refused(player, intent.count, TRIES)
        else:
            other = next(answer for answer in ANSWERS if answer != said)
            choice = replace(intent.choice, action=replace(action, data={**action.data, RULED: other}))
            declined, now = ({RULED: str(said)},), self._clock()
            self._keep(player, replace(intent, choice=choice, since=now, proposed=False, declined=declined))

    def _throws(self, player: str) -> bool:
        """Whether people are asked for the dice of what it does."""
        return any(one.who == device_of(player) for one in list(self._host.throws.waiting.values()))

    def _show_where(self, player: str, intent: Intent) -> None:
        """Push a piece where it is wanted, once; people enter by hand that it went there."""
        choice, table = intent.choice, self._seen().table
        if choice.goal is not None and self._hand.there and not intent.pushed and table is not None:
            self._push(player, intent, str(choice.piece), table)

    def _told(self, match: Match[Any], player: str, seen: Seen) -> Told:
        # What anybody may do is for people, where any play.
        return Told(match.log, seen, player, own=not self._alone())

    def _think(self, match: Match[Any], player: str, machine: Machine) -> bool:
        seen, count = self._seen(), match.count
        known, again = self._idle.get(player, (-1, 0.0))
        if known == count and self._clock() < again:
            return False
        if seen.table is None and self._host.modes.moves == "see":
            return False  # before the first picture there is nothing to think about
        if self._goes_back(player, seen.table) or self._astray(match, player, seen):
            return True
        seed = f"{match.game.about.id} {count}"
        # What people have pushed already began elsewhere: a way from where it lies would be too long.
        seen = seen if self._hand.there else as_it_began(match, seen)
        self._thinks_of = count
        try:
            decision = Decision(self._told(match, player, seen), machine.level, machine.temper, seed)
            decided = self._thinker(decision, match.game)
        finally:
            self._thinks_of = None
        if not decided.asked:
            # Whose turn it is does not hang on the table: nothing to do until the game goes on.
            self._idle[player] = (count, math.inf)
            self._looked.pop(player, None)
            return False
        if decided.choice is None or match.count != count:
            self._idle[player] = (count, self._clock() + AGAIN_S)
            if match.count == count:
                self._found_nothing(match, player, seen)
            return False
        self._looked.pop(player, None)
        # Whoever takes back what it did may want to take back what they did before that.
        undone = batches(match.log)[-1][0].kind == "undo"
        since = self._clock() + (UNDONE_S if undone else 0.0)
        stood = standing_of(seen.table, str(decided.choice.piece))
        self._keep(player, Intent(decided.choice, count, since, None if stood is None else stood.pose))
        return True

    def _found_nothing(self, match: Match[Any], player: str, seen: Seen) -> None:
        """Count that nothing lawful was found; not where a piece has to be put somewhere first."""
        if self._host.strays() or any(g.right is False for g in match.game.ghosts(match.state, seen)):
            return
        before, looks = self._looked.get(player, (-1, 0))
        self._looked[player] = (match.count, looks + 1 if before == match.count else 1)
        if self._looked[player][1] == TRIES:
            self._show()

    def _pushing(self, match: Match[Any], player: str, intent: Intent) -> None:
        """Wait for the piece to be pushed, push it where it has a hand, and take what was measured."""
        choice, seen = intent.choice, self._seen()
        move = next(
            (m for m in reversed(list(seen.moves.values())) if key_of(m.piece) == key_of(str(choice.piece))),
            None,
        )
        if move is None:
            self._unseen(match, player, intent, seen)
            return
        at, was = move.after.pose, intent.lies_at
        if move.id != intent.lies or was is None or not near(at, was, STIRS_IN, STIRS_TURN):
            intent = replace(
                intent, lies=move.id, lies_at=at, lies_since=self._times(seen),
                off=self._off(match, choice, move), next=next_step(intent, move), unlawful=False,
                declined=(),
            )  # fmt: skip
            self._keep(player, intent)
        rests = min(now - then for now, then in zip(self._times(seen), intent.lies_since, strict=True))
        least = (ON_ITS_WAY_S if intent.next else STANDS_S) if intent.off else SETTLES_S
        if (rests < least and not self._hand.there) or self._clock() - intent.asked < AGAIN_S:
            return
        taken = self._as_it_lies(match, player, intent, seen)
        pushes = self._hand.there and intent.pushed and not self._last_try(player, intent.count)
        # Before it asks anybody what is too close to call, its own hand pushes once more.
        if taken is not None and not (pushes and RULED in taken.action.data):
            self._do(player, intent, taken)
        elif intent.declined:
            self._count_refused(player, intent.count)
        elif not self._hand.there:
            self._keep(player, replace(intent, unlawful=True, asked=self._clock()))
        elif intent.pushed:
            self._put_back(player, intent, seen.table, move.start.pose)
        elif seen.table is not None:
            # It lies where it was pushed by an earlier thought: it is pushed on.
            self._push(player, intent, str(choice.piece), seen.table)

    def _astray(self, match: Match[Any], player: str, seen: Seen) -> bool:
        """Whether a piece that it is to move rests elsewhere than it has to: no lawful move begins there.

        Its own hand puts it there, else people are told to.
        """
        if self._host.modes.moves == "ask":
            return False
        moved = {key_of(move.piece) for move in seen.moves.values()}
        # What stands where a rule has put it has left its place for that.
        moved |= {key_of(ghost.piece) for ghost in match.game.ghosts(match.state, seen) if ghost.right}
        places = {key_of(name): place for name, place in match.places.items()}
        for awaited in match.game.awaits(match.state):
            name = key_of(awaited.piece)
            place, here = places.get(name), standing_still(awaited.piece, seen.table)
            mine = self._host.owners.get(name) == player and name not in moved and not awaited.anywhere
            if not mine or place is None or here is None or seen.table is None or in_place(place, here):
                continue
            if self._hand.there and not self._is_taken(place.pose, here, seen.table):
                self._put_at(player, here, place.pose, seen.table)
            return True
        return False

    def _times(self, seen: Seen) -> tuple[float, float]:
        """What time it is by its clock, and by that of the pictures: on a slow machine hands go by those."""
        return self._clock(), 0.0 if seen.table is None else seen.table.time

    @staticmethod
    def _off(match: Match[Any], choice: Choice, move: Move) -> str:
        """How a piece has to be put right: no inches where the book hides them."""
        return off_words(choice, move, told=not hides(match.game, match.state))

    def _unseen(self, match: Match[Any], player: str, intent: Intent, seen: Seen) -> None:
        """Nothing has been seen of its piece yet: a hand is waited for, or pushes, or there is no way."""
        choice = intent.choice
        if intent.lies:
            # It was put back: what was told of the move that it made is over.
            intent = replace(intent, lies="", off="", next=0, unlawful=False, asked=-math.inf)
            self._keep(player, intent)
        here = standing_of(seen.table, str(choice.piece))
        if here is None or seen.table is None:
            return
        # What is put down may have been carried there before it was looked for: it counts where it stands.
        put = here.status is Status.STILL and any(
            a.anywhere and key_of(a.piece) == key_of(here.name) for a in match.game.awaits(match.state)
        )
        if length_of(here.pose, choice.way[-1:] if put else choice.way) < STAYS_IN:
            stays = staying(choice, () if put else match.options(seen))
            lacks = not put and match.game.measured(match.state, stays.action, seen) is False
            self._do(player, intent, stays, STAYED if lacks else None)
        elif self._hand.there and not intent.pushed:
            self._push(player, intent, here.name, seen.table)
        elif self._hand.there and seen.table.time - intent.pushed_at > UNSEEN_S:
            # However late pictures come on a busy machine: none of them has shown it.
            self._put_back(player, intent, seen.table, intent.began)

    def _push(self, player: str, intent: Intent, piece: str, table: TableState) -> None:
        here = standing_of(table, piece)
        self._hand.push(piece, intent.choice.way, table, 1 + self._refused.get((player, intent.count), 0))
        now = self._seen().table or table
        began = None if here is None else here.pose
        pushed = replace(intent, pushed=True, pushed_at=now.time, began=began, since=self._clock())
        self._keep(player, pushed)

    def _put_back(self, player: str, intent: Intent, table: TableState | None, began: Pose | None) -> None:
        """Put a piece back where it began: pushed on from where it lies, its way would only grow."""
        piece = str(intent.choice.piece)
        here = standing_of(table, piece)
        if here is not None and table is not None and began is not None:
            self._put_at(player, here, began, table)
        self._count_refused(player, intent.count)

    def _goes_back(self, player: str, table: TableState | None) -> bool:
        """Whether a piece that it put somewhere is not seen there yet: till then nothing is thought of."""
        if player not in self._back:
            return False
        piece, began, until = self._back[player]
        here = standing_of(table, piece)
        if here is not None and table is not None and table.time < until:
            there = here.status is Status.STILL and math.dist(here.pose.xy, began.xy) <= NEAR_IN
            if not there:
                return True
        del self._back[player]
        return False

    def _as_it_lies(self, match: Match[Any], player: str, intent: Intent, seen: Seen) -> Choice | None:
        """The action with the move that was seen; None while that is not lawful."""
        told = self._told(match, player, seen)
        return self._thinker(AsItLies(told, intent.choice, str(match.count), intent.declined), match.game)

    def _do(self, player: str, intent: Intent, choice: Choice, unmeasured: str | None = None) -> None:
        action = choice.action
        act = Act(
            type="act", key=_key(), kind=action.kind, player=action.player, data=dict(action.data),
            unmeasured=unmeasured,
        )  # fmt: skip
        answer = self._host.ask(device_of(player), act)
        waits = answer.proposed or answer.throw
        if unmeasured is None and not (answer.accepted or waits) and self._awaits(action.kind):
            # What nobody can push is said, and the others agree or not.
            self._do(player, intent, choice, SAID)
        elif answer.accepted:
            self._intents.pop(player, None)
            self._show()
        elif answer.throw:
            self._keep(player, replace(intent, proposed=False, throws=True))
        elif answer.proposed:
            answers = action.data.get(RULED)
            said = answers if isinstance(answers, Mapping) else None
            again = replace(intent, since=self._clock() + STANDS_S, proposed=True, answers=said)
            self._keep(player, again)
        elif intent.lies and intent.lies not in self._seen().moves and not self._hand.there:
            # A hand has pushed it on since: it is looked at where it comes to rest.
            self._keep(player, replace(intent, lies="", off="", next=0))
        else:
            log.info("%s was refused %s: %s", player, action, _why(answer))
            self._count_refused(player, intent.count)

    def _awaits(self, kind: str) -> bool:
        match = self._match()
        return match is not None and any(a.kind == kind for a in match.game.awaits(match.state))

    def _count_refused(self, player: str, count: int, times: int = 1) -> None:
        self._refused = {key: many for key, many in self._refused.items() if key[1] == count}
        self._refused[player, count] = self._refused.get((player, count), 0) + times
        self._refused_with[player] = self._in_view()
        self._intents.pop(player, None)
        self._show()

    def _keep(self, player: str, intent: Intent) -> None:
        self._intents[player] = intent
        self._show()

    def _show(self) -> None:
        self.number += 1
        self._live.announce()


def _key() -> str:
    return secrets.token_hex(8)


def _why(answer: Answer) -> str:
    return answer.error or "; ".join(reason.words for reason in answer.reasons) or str(answer.wanted)


def agreeable(
    proposal: Proposal, coin: Callable[[SaidFact], str], *, meant: bool = False
) -> tuple[bool, str]:
    """Whether a machine agrees, and why: a coin decides what is too close to call, nothing else passes.

    `coin` gives yes or no to a fact: whoever proposes may gain by it, and nobody else is there to ask.
    `meant`: yes is what another machine had in mind for its car, which hands have pushed.
    """
    tossed = []
    for fact in proposal.facts:
        if fact.how == "waived":
            return False, f"the book is against it: {fact.name}"
        if fact.how == "said" or fact.value not in ANSWERS:
            return False, f"the camera did not see it so: {fact.name or proposal.what}"
        if meant and fact.value == "yes":
            tossed.append(f"too close to call, and tableref meant it so: {fact.name}")
            continue
        tossed.append(f"too close to call, a coin says {coin(fact)}: {fact.name}")
        if coin(fact) != fact.value:
            return False, tossed[-1]
    return bool(tossed), "; ".join(tossed) or "nothing was said"


def staying(choice: Choice, options: Sequence[Option]) -> Choice:
    """The choice of a piece that stays where it is: without the move in mind, and what was asked about that.

    Where a game offers that as it is seen, nobody is asked for leave. Where one asks how many inches it went,
    and none are measured, it went none.
    """
    action = choice.action
    same = [o for o in options if (o.kind, o.piece) == (action.kind, choice.piece) and not o.not_now]
    for option in same:
        if not option.form.fields:
            return replace(choice, action=replace(action, data=dict(option.data)))
    form = same[0].form if same else Form()
    none = {
        name: one.low
        for name, one in form.fields.items()
        if isinstance(one, Number) and one.unit == "in" and not one.low and one.usual is not None
    }
    said = {k: v for k, v in action.data.items() if v != THOUGHT and k != RULED}
    return replace(choice, action=replace(action, data={**none, **said}))


def as_it_began(match: Match[Any], seen: Seen) -> Seen:
    """What is seen, with what has been pushed and counts for nothing yet where it stood before."""
    table, moves = seen.table, dict(seen.moves)
    awaited = {key_of(one.piece) for one in match.game.awaits(match.state)}
    for move in seen.moves.values():
        if table is not None and key_of(move.piece) in awaited and standing_of(table, move.piece) is not None:
            table = put(table, move.piece, move.start.pose)
            del moves[move.id]
    return replace(seen, table=table, moves=moves)


def next_step(intent: Intent, move: Move) -> int:
    """The step of a machine's way that comes next for a piece which rests where it turns, from 2; else 0."""
    if intent.start is None or near(move.after.pose, intent.choice.way[-1]):
        return 0
    parts = legs(intent.start, intent.choice.way)
    ended = [k for k, leg in enumerate(parts[:-1], start=1) if near(move.after.pose, Pose(*leg.pose))]
    return ended[-1] + 1 if ended else 0


def near(here: Pose, goal: Pose, inches: float = NEAR_IN, turn: float = NEAR_TURN) -> bool:
    """Whether a piece stands as it was wanted there."""
    turned = abs(wrap_angle(goal.heading - here.heading))
    return math.dist(here.xy, goal.xy) <= inches and turned <= turn


def off_words(choice: Choice, move: Move, *, told: bool = True) -> str:
    """How a piece has to be put right to stand where it was wanted; empty where it is near enough.

    In inches if they may be told.
    """
    goal = choice.goal
    if goal is None or near(move.after.pose, goal):
        return ""
    ahead, left = (float(v) for v in move.after.pose.to_body(goal.xy))
    turn = wrap_angle(goal.heading - move.after.pose.heading)
    return f"It belongs {' and '.join(_parts(ahead, left, turn, told))}."


def _parts(ahead: float, left: float, turn: float, told: bool) -> Iterator[str]:
    if abs(ahead) > NEAR_IN / 2:
        yield f"{_inches(ahead, told)}{'ahead' if ahead > 0 else 'back'}"
    if abs(left) > NEAR_IN / 2:
        yield f"{_inches(left, told)}to its {'left' if left > 0 else 'right'}"
    if abs(turn) > NEAR_TURN / 2:
        yield f"turned {math.degrees(abs(turn)):.0f}° to the {'left' if turn > 0 else 'right'}"


def _inches(value: float, told: bool) -> str:
    return f"{abs(value):.1f} in " if told else "a little "
