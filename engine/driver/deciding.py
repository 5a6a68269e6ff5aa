"""What a machine does in a seat: proposals tried out, the best of them by the worth of where they lead.

It knows what the seat knows: the options that are its own with their forms, the table, and the state as far
as it follows from events that the seat may read. Nothing that others have chosen in secret is in any of them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from random import Random
from typing import Any, Generic, TypeVar

from engine.driver.characters import IN_THOUGHT, LEVEL, TEMPERAMENTS, Level, LevelName, Temper, TemperName
from engine.driver.headlines import chosen, headline
from engine.driver.pushing import laid, usual_ways
from engine.errors import TableRefError
from engine.game.answering import is_limited
from engine.game.contract import Game, Option, Proposal, Seen, State, Worth
from engine.game.dice import NeedDice, Roll, SeededDice, TypedDice, Want
from engine.game.events import RULED, Action, Event, Reason
from engine.game.facts import asked_alike
from engine.game.filling import Stuck, complete, every_answer
from engine.game.forms import Form, PathOnTable
from engine.game.kit.table import standing_of
from engine.game.match import Match
from engine.game.pushing import THOUGHT, pushed, put
from engine.game.showing import Viewer
from engine.game.viewing import permitted, told_to
from engine.measure.sweep import Step
from engine.space.geometry import Pose
from engine.space.table import PoseUncertainty, TableState, key_of

Found = TypeVar("Found")

TRIED_WAYS = 60
"""Ways that are drawn for a piece until one is lawful, in a game that proposes none."""

LOOKED = 8
"""Proposals that are looked at, at the most, for each that a level tries: others are not lawful."""

ANSWERS = 6
"""Ways to fill the form of one option that are tried."""

MIXED = 4
"""Questions in one move that are answered one by one, at the most; more are all answered alike."""

REMEMBERED = 12
"""Deeds in a row of which a seat remembers where they led, so that it does not go round and round."""

DRAWN_SHARE = 0.6
"""Of the falls that a level tries, how many are drawn for dice that are too many to be tried all."""

FALLS_AHEAD = 2
"""Falls of the dice of each choice that is looked ahead from, at the most."""

GLANCED = 16
"""Proposals of a game that are looked at, at the most, in a position in thought."""

WITHIN = 0.25
"""How much less than the best a choice may be worth that is looked ahead from, in the units of `Worth`."""

EYE = 0.08
"""By what share of a distance an eye errs, where the book hides distances (house default)."""


@dataclass(frozen=True)
class Position(Generic[State]):
    """What a seat knows: what it may do, what it sees, and where the game stands as far as it may know that.

    `check` says why an action may not be done with what is seen; `asks` the options with what is seen, for
    a table in thought. `plain`: nothing is kept from this seat, so that it may think ahead in the state.
    `been` are the states through which the seat has come alone since somebody else did anything: what leads
    back to one of them leads nowhere. Where others act in between, all may stand again as it stood.
    `thought`: nobody has come there, and the table is as the seat judges it.
    """

    game: Game[State]
    state: State
    player: str
    seen: Seen
    options: tuple[Option, ...]
    check: Callable[[Action, Seen], Sequence[Reason]]
    asks: Callable[[Seen], Sequence[Option]]
    plain: bool = True
    been: tuple[State, ...] = ()
    thought: bool = False

    @classmethod
    def of(cls, match: Match[State], seen: Seen, player: str) -> Position[State]:
        """The position of a match, read as the phone of that seat reads it."""
        viewer = Viewer(player)

        def mine(seen: Seen) -> tuple[Option, ...]:
            return tuple(o for o in match.options(seen) if o.player in (None, player))

        plain = all(told_to(event, viewer) is event for event in match.log)
        been = _come_through(match, player) if plain else ()
        return cls(match.game, match.state, player, seen, mine(seen), match.check, mine, plain, been)

    def later(self, state: State, seen: Seen, player: str) -> Position[State]:
        """A position in thought, of that player, where the game would stand in that state."""
        game = self.game

        def theirs(seen: Seen) -> tuple[Option, ...]:
            return tuple(o for o in game.options(state, seen) if o.player in (None, player))

        check = partial(game.check, state)
        return Position(game, state, player, seen, theirs(seen), check, theirs, thought=True)


@dataclass(frozen=True)
class Choice:
    """What a machine does: `action` as it is, or once `piece` has been pushed along `way`.

    `words` say it for people; `worth` is what it expects of it, None where it tried nothing out;
    `better_than` are the other proposals that it tried, the best first. `steps` are the runs and turns of
    `way`, where the game knows them.
    """

    action: Action
    words: str
    piece: str | None = None
    way: tuple[Pose, ...] = ()
    worth: float | None = None
    better_than: tuple[Choice, ...] = field(default=(), repr=False)
    steps: tuple[Step, ...] = field(default=(), repr=False)

    @property
    def goal(self) -> Pose | None:
        """Where the piece is to stand; None where nothing is pushed."""
        return self.way[-1] if self.way else None


class Driver(Generic[State]):
    """Decides in one position. The same position, character and seed decide alike, if the clock lets it."""

    def __init__(
        self,
        position: Position[State],
        *,
        level: LevelName | Level = "fair",
        temper: TemperName | Temper = "even",
        seed: str = "",
        clock: Callable[[], float] = lambda: 0.0,
        until: float = math.inf,
    ) -> None:
        self._at = position
        self._level = level if isinstance(level, Level) else LEVEL[level]
        self._temper = temper if isinstance(temper, Temper) else TEMPERAMENTS[temper]
        self._chance = Random(f"{seed} {position.player}")
        self._seed, self._clock, self._until = seed, clock, until
        hides = not position.thought and permitted(position.game, position.state, None) is not None
        self._eye = _by_eye(position.seen, position.player, seed) if hides else position.seen
        self._sure = position.seen if position.thought else _surely(position.seen)
        self._rules = _asked_once(position.game)

    def decide(self) -> Choice | None:
        """The best that was found; something lawful where nothing is better; None where nothing is lawful."""
        found = self.looked_ahead(_ranked(self.tried()))
        for one in found:
            if self.stands(one):
                return replace(one, better_than=tuple(other for other in found if other is not one))
        # What looked lawful is not as the camera would see it: anything that is, however good.
        return self.first_lawful(itertools.islice(self.proposals(), LOOKED * self._level.tried))

    def first_lawful(self, proposals: Iterable[Proposal]) -> Choice | None:
        """The first of them that is lawful, unjudged; what the players have to settle where none is found."""
        for proposal in self._in_time(proposals):
            choice = self.try_out(proposal, judged=False)
            if choice is not None and self.stands(choice):
                return choice
        return self.last_resort()

    def _in_time(self, proposals: Iterable[Proposal]) -> Iterator[Proposal]:
        """The first of them, and others as long as there is time."""
        for nth, proposal in enumerate(proposals):
            if nth and self._clock() >= self._until:
                return
            yield proposal

    def tried(self) -> Iterator[Choice]:
        """Lawful proposals with what is expected of each, as many as level and time allow.

        One at least where there is any, but for in thought: there what is not soon found is not thought of.
        """
        count, most, least = 0, self._level.tried, int(not self._at.thought)
        for looked, proposal in enumerate(self.proposals()):
            if count >= least and (count >= most or looked >= LOOKED * most or self._clock() >= self._until):
                return
            if count and self._chance.random() < self._level.missed:
                continue
            choice = self.try_out(proposal)
            if choice is not None:
                count += 1
                yield choice

    def stands(self, choice: Choice) -> bool:
        """Whether it is lawful as the camera would see it, its way recognised like anybody's."""
        if not choice.way or choice.piece is None:
            return True
        return not self._at.check(choice.action, pushed(self._at.seen, choice.piece, choice.way))

    def as_it_lies(self, choice: Choice, declined: Sequence[Mapping[str, str]] = ()) -> Choice | None:
        """The same choice with the move of its piece that was seen; None where that is not lawful.

        Where it is too close to call whether it is, or a part of its way was not seen, with the answers by
        which it is: others agree, or not. What they have `declined` is answered otherwise.
        """
        ids = set(self._at.seen.moves)
        close: Action | None = None
        said = {k: v for k, v in choice.action.data.items() if not (isinstance(v, str) and v == THOUGHT)}
        for data in (said, {}):
            wanted = Proposal(choice.action.kind, choice.piece, data, words=choice.words)
            found = self._action(wanted, self._at.seen)
            if found is None or not ids.intersection(str(v) for v in found[1].data.values()):
                continue
            action = found[1]
            against = self._at.check(action, self._at.seen)
            if not against:
                return replace(choice, action=action)
            close = close or self._answered(action, against, declined)
        return None if close is None else replace(choice, action=close)

    def _answered(
        self, action: Action, against: Sequence[Reason], declined: Sequence[Mapping[str, str]]
    ) -> Action | None:
        """The action with answers that make it lawful, where the camera cannot tell what is against it."""
        if not all(reason.open and (reason.close or reason.question or reason.fact) for reason in against):
            return None
        asked = [reason.question for reason in against if reason.question]
        plain = {reason.words: "yes" for reason in against if not reason.question}
        alike = ((answer,) * len(asked) for answer in ("no", "yes"))
        ways = itertools.chain(alike, itertools.product(("no", "yes"), repeat=min(len(asked), MIXED)))
        for said in dict.fromkeys(way for way in ways if len(way) == len(asked)):
            answers = {**plain, **dict(zip(asked, said, strict=True))}
            if any(_same_answers(answers, before) for before in declined):
                continue
            answered = replace(action, data={**action.data, RULED: answers})
            if not self._at.check(answered, self._at.seen):
                return answered
        return None

    def last_resort(self) -> Choice | None:
        """What is not surely lawful but may be settled by the players: the plainest of it."""
        for option in self._at.options:
            for ruled in ("no", "yes"):
                with_ruling = _filled(option, {RULED: ruled}, None, self._at.game.facts)
                if with_ruling is None or self._at.check(with_ruling, self._at.seen):
                    continue
                if not self._goes_round(with_ruling):
                    words = self._words(Proposal(option.kind, option.piece), option, with_ruling)
                    return Choice(with_ruling, words, option.piece)
        return self._too_close_to_call()

    def _too_close_to_call(self) -> Choice | None:
        """A way of which the camera cannot say whether it is lawful, with the answer that makes it so."""
        moving = (p for p in self.proposals() if p.way and p.piece)
        for proposal in self._in_time(itertools.islice(moving, TRIED_WAYS)):
            seen = pushed(self._at.seen, str(proposal.piece), proposal.way)
            for ruled in ("no", "yes"):
                found = self._action(replace(proposal, data={**proposal.data, RULED: ruled}), seen)
                if found is not None and not self._at.check(found[1], seen):
                    return Choice(found[1], self._words(proposal, *found), proposal.piece, proposal.way)
        return None

    # What may be tried

    def proposals(self) -> Iterator[Proposal]:
        """The game's own and, of kinds that it says nothing of, those by the forms; promising first."""
        at = self._at
        own = list(self._own()) if at.plain else []
        if at.thought:
            own = own[:: math.ceil(len(own) / GLANCED) or 1]
        kinds = {one.kind for one in own}
        may = [o for o in at.options if o.kind not in kinds and not o.not_now]
        # Of what anybody may do, what is usually done: nobody builds scenery for ever.
        usual = any(o.main and o.player is None for o in may)
        may = [o for o in may if o.player is not None or o.main or not usual]
        plain = [proposal for option in may for proposal in self._by_form(option)]
        self._chance.shuffle(plain)
        ordered = sorted(own, key=lambda p: -self._misjudged(self._glance(p)))
        unsaid = [a for a in self._awaited() if a.kind not in kinds]
        drawn = (way for awaited in unsaid for way in self._drawn(awaited))
        return itertools.chain(_dealt(ordered, plain), drawn)

    def _own(self) -> Iterator[Proposal]:
        """What the game proposes, for half of the time that is left: it has to be tried, too."""
        at, now = self._at, self._clock()
        enough = now + (self._until - now) / 2
        for proposal in at.game.proposals(at.state, self._eye, at.player, self._chance):
            yield proposal
            if not self._clock() < enough:
                return

    def _by_form(self, option: Option) -> list[Proposal]:
        """An option filled as usual, and in a few other ways; none for one that takes a move."""
        if any(isinstance(one, PathOnTable) for one in option.form.fields.values()) and self._moves(option):
            return []
        form = _sayable(option, self._at.game.facts)
        found: list[Mapping[str, Any]] = []
        with suppress(Stuck):
            found.append(complete(form))
        ways = list(itertools.islice(every_answer(form), 64))
        self._chance.shuffle(ways)
        found += ways[:ANSWERS]
        for _ in range(2):
            try:
                found.append(complete(form, self._chance))
            except Stuck:
                break
        told = {repr(sorted(one.items(), key=str)): one for one in found}
        return [Proposal(option.kind, option.piece, {**option.data, **one}) for one in told.values()]

    def _moves(self, option: Option) -> bool:
        return any(a.kind == option.kind for a in self._awaited())

    def _awaited(self) -> list[Any]:
        at = self._at
        if at.seen.table is None:
            return []
        return [a for a in at.game.awaits(at.state) if a.player in (None, at.player)]

    def _drawn(self, awaited: Any) -> Iterator[Proposal]:
        ways = usual_ways(self._at.game, self._at.state, self._at.seen, awaited, self._chance)
        for way in itertools.islice(ways, TRIED_WAYS):
            yield Proposal(awaited.kind, awaited.piece, way=way)

    def _glance(self, proposal: Proposal) -> float:
        """How good it looks before it is tried: the worth of the table with the piece where it would go."""
        at, table = self._at, self._eye.table
        if proposal.guess is not None:
            return self._guessed(proposal.guess)
        if not proposal.way or table is None or proposal.piece is None:
            return 0.0
        if standing_of(table, proposal.piece) is None:
            return 0.0
        return self._total(at.game.worth(at.state, put(table, proposal.piece, proposal.way[-1]), at.player))

    def _misjudged(self, worth: float) -> float:
        """What it takes a worth to be: as its level errs, also at a glance."""
        noise = self._at.game.doubt * self._level.noise
        return worth + self._chance.gauss(0.0, 1.0) * noise if noise else worth

    # Trying

    def try_out(self, proposal: Proposal, *, judged: bool = True) -> Choice | None:
        """A proposal as an action with what is expected of it, if `judged`; None where it is not lawful."""
        at = self._at
        piece = proposal.piece
        seen = self._with(proposal)
        found = self._action(proposal, seen)
        if found is None or at.check(found[1], seen):
            return None
        option, action = found
        if not proposal.way and self._goes_round(action):
            return None
        if not judged:
            return Choice(action, self._words(proposal, option, action), piece, proposal.way)
        # In thought everything stands where it is seen: how unsure that is was asked above.
        seen = self._sure if seen is at.seen else seen
        guess = proposal.guess
        worth = self._expected(action, seen) if guess is None else self._guessed(guess)
        worth = None if worth is None else self._misjudged(worth)
        if worth is None and at.game.about.sealed and action.kind in at.game.about.sealed:
            worth = self._chance.random() * 1e-6
        words = self._words(proposal, option, action)
        return Choice(action, words, piece, proposal.way, worth, steps=proposal.steps)

    def _with(self, one: Proposal | Choice) -> Seen:
        """What would be seen for it: with its piece pushed, where it pushes any."""
        seen = self._at.seen
        return pushed(seen, one.piece, one.way, steps=one.steps) if one.piece and one.way else seen

    def _goes_round(self, action: Action) -> bool:
        """Whether what rolls no dice leads back to where the seat's own last deeds have led already."""
        at, state = self._at, self._at.state
        if not at.been or action.kind in at.game.about.sealed:
            return False
        try:
            for event in self._rules.act(state, action, at.seen, TypedDice(())):
                state = at.game.apply(state, event)
        except (NeedDice, TableRefError):
            return False
        return state in at.been

    def _words(self, proposal: Proposal, option: Option, action: Action) -> str:
        """What is told of it: nothing of a choice in secret, nor to anybody of what is only thought."""
        at, piece = self._at, proposal.piece
        if at.thought:
            return ""
        if option.kind in at.game.about.sealed:
            return f"{at.player} chooses in secret"
        words = proposal.words if proposal.way else ""
        awaited = [a for a in self._awaited() if a.kind == option.kind and a.piece == piece]
        if not words and awaited and (proposal.way or awaited[0].anywhere):
            placed = any(g.piece == piece and g.pose is not None for g in at.game.ghosts(at.state, at.seen))
            words = "is put down" if awaited[0].anywhere else "drives"
            words = "is put where it has to stand" if placed else words
        if not words:
            return headline(at.game, option, action)
        return chosen(at.game, option, action, f"{piece} {words}", said=proposal.data)

    def _action(self, proposal: Proposal, seen: Seen) -> tuple[Option, Action] | None:
        """The option of the proposal with its form filled, as the table would be then."""
        at = self._at
        options = at.options if seen is at.seen else at.asks(seen)
        for option in options:
            if option.kind != proposal.kind or option.not_now:
                continue
            if any(proposal.data.get(k, v) != v for k, v in option.data.items()):
                continue
            mine = option.piece is None or key_of(option.piece) == key_of(proposal.piece or option.piece)
            if proposal.piece is not None and not mine:
                continue
            action = _filled(option, proposal.data, self._chance, at.game.facts)
            if action is not None:
                return option, action
        return None

    def _expected(self, action: Action, seen: Seen) -> float | None:
        """The mean worth of what follows, over how the dice may fall."""
        outcomes = self._outcomes(action, seen, self._judged_by(seen))
        found = [(share, self._total(worth)) for share, worth in outcomes]
        weight = sum(share for share, _ in found)
        return sum(share * value for share, value in found) / weight if weight else None

    def _judged_by(self, seen: Seen) -> TableState | None:
        """The table as the player may judge it: by eye where the book hides distances, what moved moved."""
        table = self._eye.table
        if self._eye is self._at.seen or table is None:
            return seen.table
        for move in seen.moves.values():
            if move.id not in self._at.seen.moves and standing_of(table, move.piece) is not None:
                table = put(table, move.piece, move.after.pose)
        return table

    def _outcomes(
        self, action: Action, seen: Seen, table: TableState | None
    ) -> tuple[tuple[float, Worth], ...]:
        """What every fall of the dice comes to, with its probability; nothing where it cannot be thought."""
        at = self._at
        if not at.plain or action.kind in at.game.about.sealed:
            return ()
        found: list[tuple[float, Worth]] = []
        try:
            for share, events in self._falls(action, seen, self._level.falls):
                state = self._after(events)
                worth = at.game.worth(state, table, at.player)
                if worth is None:
                    return ()
                found.append((share, worth))
        except TableRefError:
            return ()
        return tuple(found)

    def _falls(self, action: Action, seen: Seen, most: int) -> Iterator[tuple[float, tuple[Event, ...]]]:
        """What follows, with its probability: all falls of the dice up to so `most`, else some of them."""
        at = self._at
        open_: list[tuple[float, tuple[int | str, ...]]] = [(1.0, ())]
        drawn: list[tuple[float, tuple[int | str, ...], list[list[int | str]]]] = []
        done = 0
        while open_ and self._clock() < self._until:
            share, typed = open_.pop(0)
            try:
                events = self._rules.act(at.state, action, seen, TypedDice(typed))
            except NeedDice as need:
                sides: list[list[int | str]] = [
                    list(want.faces or range(1, want.sides + 1)) for want in need.wanted
                ]
                many = math.prod(map(len, sides))
                if done + len(open_) + len(drawn) + many > most:
                    drawn.append((share, typed, sides))
                else:
                    open_ += [(share / many, (*typed, *fall)) for fall in itertools.product(*sides)]
            else:
                done += 1
                yield share, events
        each = max(1, min(math.ceil(DRAWN_SHARE * most), (most - done) // max(len(drawn), 1)))
        for share, typed, sides in drawn:
            for fall, first in enumerate(_evenly(sides, each, f"{self._seed} {action.kind}")):
                dice = _BegunDice((*typed, *first), f"{self._seed} {action.kind} {fall}")
                yield share / each, self._rules.act(at.state, action, seen, dice)
                if self._clock() >= self._until:
                    return

    def _after(self, events: Iterable[Event]) -> State:
        return reduce(self._at.game.apply, events, self._at.state)

    # Looking ahead

    def looked_ahead(self, found: Sequence[Choice]) -> list[Choice]:
        """The best of what was tried by what follows, too: own deeds until others act, then their reply.

        Each ply is thought for all of them or for none, so that all are judged at the same moment.
        """
        best = self._to_look_from(found) if self._at.plain else []
        if len(best) < 2:
            return list(found)
        rest = [one for one in found if not any(one is other for other in best)]
        with suppress(_Cut, TableRefError, Stuck):
            reached = ((one, self._reached(one, FALLS_AHEAD, self._worth)) for one in best)
            rows = [(one, [self._on(line) for line in lines]) for one, lines in reached]
            for _ in range(self._level.plies):
                rows = [(one, [self._by_itself(line) for line in lines]) for one, lines in rows]
            best = _ranked(_gaining(one, lines) for one, lines in rows)
            mine = any(self._at.player in line.owed for _, lines in rows for line in lines)
            if self._level.reply and not mine:
                rows = [(one, [self._replied(line) for line in lines]) for one, lines in rows]
                best = _ranked(_gaining(one, lines) for one, lines in rows)
        return [*best, *rest]

    def _to_look_from(self, found: Sequence[Choice]) -> list[Choice]:
        """As many of the best as the level has it, that are of one kind and nearly as good as the very best.

        Of another kind another part of the turn is left: who has driven may shoot, who has shot may drive.
        """
        alike = [one for one in found if one.action.kind == found[0].action.kind]
        near = [one for one in alike if (one.worth or 0.0) >= (found[0].worth or 0.0) - WITHIN]
        return near[: self._level.beam]

    def _reached(
        self, choice: Choice, most: int, worth: Callable[[State, TableState | None], float]
    ) -> list[_Line[State]]:
        """Where a choice leads to, over some falls of the dice, and what each place is worth."""
        at = self._at
        if choice.action.kind in at.game.about.sealed:
            raise _Cut
        seen = self._with(choice)
        seen = self._sure if seen is at.seen else seen
        judged = _surely(replace(seen, table=self._judged_by(seen), moves={}))
        found = []
        for share, events in self._falls(choice.action, seen, most):
            state = self._after(events)
            found.append(_Line(share, state, judged, worth(state, judged.table)))
        if not found or self._clock() >= self._until:
            raise _Cut
        return found

    def _on(self, line: _Line[State]) -> _Line[State]:
        """The line with pieces put where its state has them, and who is to act; nobody where it is secret."""
        seen = laid(self._at.game, line.state, line.seen)
        options = self._at.game.options(line.state, seen)
        owed = dict.fromkeys(o.player for o in options if o.player is not None)
        if not owed and options:
            owed = {self._at.player: None}
        secret = any(o.sealed is not None for o in options)
        return replace(line, seen=seen, owed=() if secret else tuple(owed))

    def _by_itself(self, line: _Line[State]) -> _Line[State]:
        """The line with what its player does next in it, as long as it is theirs to act."""
        return self._done(line, self._at.player) if self._at.player in line.owed else line

    def _replied(self, line: _Line[State]) -> _Line[State]:
        """The line with what another does next in it: of several the one who does its player most harm."""
        return min((self._done(line, other) for other in line.owed), key=lambda one: one.gained, default=line)

    def _done(self, line: _Line[State], player: str) -> _Line[State]:
        """The line with the best that this player finds to do in it, by what they care for."""
        there = self._at.later(line.state, line.seen, player)
        temper = self._temper if player == self._at.player else TEMPERAMENTS["even"]
        driver = Driver(
            there, level=IN_THOUGHT, temper=temper, seed=self._seed, clock=self._clock, until=self._until
        )
        best = max(driver.tried(), key=lambda one: one.worth or 0.0, default=None)
        if best is None:
            raise _Cut
        after = driver._reached(best, IN_THOUGHT.falls, self._worth)
        mean = sum(one.share * one.worth for one in after) / sum(one.share for one in after)
        # On from the fall that is most like all of them.
        near = min(after, key=lambda one: abs(one.worth - mean))
        return self._on(replace(near, share=line.share, gained=line.gained + mean - line.worth))

    def _worth(self, state: State, table: TableState | None) -> float:
        worth = self._at.game.worth(state, table, self._at.player)
        if worth is None:
            raise _Cut
        return self._total(worth)

    def _guessed(self, guess: float | Worth) -> float:
        return self._total(guess) if isinstance(guess, Worth) else guess

    def _total(self, worth: Worth | None) -> float:
        return 0.0 if worth is None else self._temper.total(worth)


class _Cut(Exception):
    """Time is up, or what follows cannot be thought."""


@dataclass(frozen=True)
class _Line(Generic[State]):
    """A line of play in thought: how likely it is, where it leads and what that is worth.

    `gained` is what was gained after its first deed, over the falls of the dice; `owed` who is to act.
    """

    share: float
    state: State
    seen: Seen
    worth: float
    gained: float = 0.0
    owed: tuple[str, ...] = ()


def _ranked(found: Iterable[Choice]) -> list[Choice]:
    """The best first."""
    return sorted(found, key=lambda one: -(one.worth or 0.0))


def _gaining(choice: Choice, lines: Sequence[_Line[Any]]) -> Choice:
    """The choice by the mean of what is gained after it, too."""
    gained = sum(line.share * line.gained for line in lines) / sum(line.share for line in lines)
    return replace(choice, worth=(choice.worth or 0.0) + gained)


def decide(
    position: Position[State],
    *,
    level: LevelName = "fair",
    temper: TemperName = "even",
    seed: str = "",
    clock: Callable[[], float] = lambda: 0.0,
    until: float = math.inf,
) -> Choice | None:
    """What a machine of this character does; None where nothing is lawful.

    It stops at `until` by the `clock` that is handed in, with the best that it has found by then.
    """
    return Driver(position, level=level, temper=temper, seed=seed, clock=clock, until=until).decide()


def at_random(position: Position[State], chance: Random) -> Choice | None:
    """Something lawful at random: each option as likely as another."""
    driver = Driver(position, level="hard", seed=f"{chance.random()}")
    groups: dict[tuple[str, str], list[Proposal]] = {}
    for one in driver.proposals():
        groups.setdefault((one.kind, str(one.piece)), []).append(one)
    every = [pick for group in groups.values() for pick in chance.sample(group, min(len(group), 12))]
    chance.shuffle(every)
    return driver.first_lawful(every)


def _same_answers(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether the same was answered, however little the figures in the questions differ by now."""
    return len(one) == len(other) and all(
        any(answer == said and asked_alike(question, name) for name, said in other.items())
        for question, answer in one.items()
    )


def _come_through(match: Match[State], player: str) -> tuple[State, ...]:
    """The states that the last deeds in a row of one player led to, and the one where they began."""
    found: list[State] = []
    for batch in reversed(match.counted[-REMEMBERED:]):
        found.append(batch.state)
        if batch.events[0].data.get("player") != player:
            break
    return tuple(found)


def _asked_once(game: Game[State]) -> Game[State]:
    """The same rules for many falls of the dice in a row: what they have against an action is asked once."""
    if is_limited(game):
        return game
    return replace(game, as_seen=_once(game.as_seen), objections=_once(game.against))


def _once(asked: Callable[[Any, Action, Seen], Found]) -> Callable[[Any, Action, Seen], Found]:
    """What is asked of the very same state, action and sight as just before is answered as before."""
    known: list[tuple[Any, Action, Seen, Found]] = []

    def ask(state: Any, action: Action, seen: Seen) -> Found:
        if not known or known[0][0] is not state or known[0][1] is not action or known[0][2] is not seen:
            known[:] = [(state, action, seen, asked(state, action, seen))]
        return known[0][3]

    return ask


class _BegunDice(TypedDice):
    """Dice of which the first have fallen, and the rest are drawn from a seed."""

    def __init__(self, values: Sequence[int | str], seed: str) -> None:
        super().__init__(values)
        self._rest = SeededDice(seed)

    def together(self, wants: Sequence[Want]) -> tuple[Roll, ...]:
        """Those that have fallen, then drawn ones."""
        known = len(self.values) - self.used
        return (*super().together(wants[:known]), *self._rest.together(wants[known:]))


def _evenly(sides: Sequence[Sequence[int | str]], times: int, seed: str) -> Iterator[tuple[int | str, ...]]:
    """So many falls of some dice, each die showing each of its faces as often as another, or nearly."""
    chance, rows = Random(seed), []
    for faces in sides:
        begin = chance.randrange(len(faces))
        # Spread over the faces: of ten falls of a D20 every second face is one.
        row = [faces[(begin + k * len(faces) // times) % len(faces)] for k in range(times)]
        chance.shuffle(row)
        rows.append(row)
    return zip(*rows, strict=True)


def _dealt(one: Sequence[Proposal], other: Sequence[Proposal]) -> Iterator[Proposal]:
    """Two rows of proposals, in turn."""
    for a, b in itertools.zip_longest(one, other):
        yield from (p for p in (a, b) if p is not None)


def _sayable(option: Option, facts: Mapping[str, Any]) -> Form:
    """The form without what the table answers: a machine says nothing instead of the camera."""
    told = _measured(option, facts)
    fields = {
        name: one
        for name, one in option.form.fields.items()
        if name not in told and not (one.optional and (one.folded or isinstance(one, PathOnTable)))
    }
    return Form(fields)


def _measured(option: Option, facts: Mapping[str, Any]) -> dict[str, Any]:
    """What the table answers of an option, by its field: None where that may be left unsaid."""
    told = {one.field for one in facts.get(option.kind, ())}
    return {
        name: None if one.optional else one.usual
        for name, one in option.form.fields.items()
        if name in told and (one.optional or one.usual is not None)
    }


def _filled(
    option: Option, said: Mapping[str, Any], chance: Random | None, facts: Mapping[str, Any]
) -> Action | None:
    """An option with what is said of it, the move that was seen, and the rest as usual."""
    ways = {
        name: one.usual
        for name, one in option.form.fields.items()
        if isinstance(one, PathOnTable) and one.usual is not None
    }
    ways |= _measured(option, facts)
    form = _sayable(option, facts)
    rest = Form({name: one for name, one in form.fields.items() if name not in said and name not in ways})
    try:
        answers = complete(rest)
    except Stuck:
        try:
            answers = complete(rest, chance) if chance is not None else {}
        except Stuck:
            return None
    data = {**option.data, **answers, **ways, **said}
    return Action(option.kind, option.player, {k: v for k, v in data.items() if v is not None})


def _surely(seen: Seen) -> Seen:
    """What is seen, with everything just where it is seen: quick to measure, for thoughts alone."""
    table = seen.table
    if table is None:
        return seen
    exact = PoseUncertainty.exact()
    standings = tuple(replace(s, uncertainty=exact) for s in table.standings)
    return replace(seen, table=replace(table, standings=standings))


def _by_eye(seen: Seen, player: str, seed: str) -> Seen:
    """The table as an eye judges it where the book hides distances: off by a share of each distance."""
    table: TableState | None = seen.table
    if table is None:
        return seen
    mine = [s for s in table.standings if s.piece.owner == player]

    def off(pose: Pose, name: str) -> Pose:
        if not mine:
            return pose
        near = min(mine, key=lambda s: math.dist(s.pose.xy, pose.xy))
        chance = Random(f"{seed} {name}")
        share = 1.0 + chance.gauss(0.0, EYE)
        x, y = near.pose.x + (pose.x - near.pose.x) * share, near.pose.y + (pose.y - near.pose.y) * share
        return Pose(x, y, pose.heading)

    standings = tuple(
        s if s.piece.owner == player else replace(s, pose=off(s.pose, s.name)) for s in table.standings
    )
    return replace(seen, table=replace(table, standings=standings))
