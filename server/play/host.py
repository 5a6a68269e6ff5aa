"""The one place where a game is played: what is asked, what follows, kept before anybody is told."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from engine.errors import TableRefError
from engine.game.answering import is_limited
from engine.game.contract import Game, Option, Seen
from engine.game.dice import Dice, NeedDice, SeededDice, TypedDice, rolls_of
from engine.game.events import (
    OWNER,
    RULED,
    RULED_BY,
    STARTS,
    Action,
    Event,
    Illegal,
    Reason,
    SaidFact,
    Unmeasured,
    Vouched,
    event_from_json,
    event_to_json,
)
from engine.game.log.placed import put_back_event
from engine.game.log.places import Stray
from engine.game.log.sealing import Sealed, sealed_from_json, sealed_to_json
from engine.game.match import Match
from engine.game.registry import STUMBLES, game_called, game_of_table, game_or_unknown
from engine.game.viewing import permitted
from engine.space.table import TableState, key_of
from engine.words import listed
from server.formats.entries import Entry, EntryLog
from server.play import consent, keeping, messages
from server.play.consent import Needed, Proposal, Proposals, Waits, needed, owed
from server.play.drafts import (
    Draft,
    check_draft,
    completed,
    draft_of,
    newly_answered,
    own_pieces_only,
)
from server.play.keeping import Keeping, Told
from server.play.moving import measuring
from server.play.moving.measuring import Measuring
from server.play.moving.seeing import Owners, Seeing, options_of, said_kinds, with_ranges
from server.play.seats import MACHINE, NotYours, Seats
from server.play.standing import Ceased, Of, Standing, Standings, Telling
from server.play.throws import Throw, Throws, comes_first, to_retype, waited_for
from server.recording.reader import SECRET
from server.web.authentication import Identity

log = logging.getLogger("tableref.play")

REFEREE = Identity("owner", "referee")
"""In whose name what the table alone decides is done (`server/play/moving/settling.py`)."""

SEEN_KEPT = 100
"""Batches of which the table is remembered on which they were done."""


@dataclass
class Deed:
    """What somebody asks to do, as it goes from one policy to the next (see `OPENLY`)."""

    who: Identity
    request: messages.Act
    action: Action
    seen: Seen | None
    vouched: Vouched
    dice: Dice | None = None


class MatchHost:
    """The game at one table: set up, played, undone, begun anew. May be used from any thread.

    `table` gives what stands where now, or None, `seeing` that with board and moves; `game` is what the
    table file names. Whatever changes is appended to `keeps` first; `restore` goes on where a journal ends.
    `number` grows with every change. What stands here is what is on the disk, but for the thread that is
    changing it (see `Standings`).
    """

    game = Of[Game[Any]]()
    draft = Of[Draft]()
    modes = Of[messages.Modes]()
    match = Of[Match[Any] | None]()
    number = Of[int]()
    seats = Of[Seats]()
    proposals = Of[Proposals]()
    throws = Of[Throws]()
    seen_at = Of[dict[int, TableState]]()

    def __init__(
        self,
        keeps: EntryLog | None = None,
        table: Callable[[], TableState | None] = lambda: None,
        game: str | None = None,
        seeing: Seeing | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        played = game_of_table(game)
        self.seeing = seeing or Seeing(table)
        self.standings = Standings(
            Standing(played, Draft.model_validate({"game": played.about.id})), self.seeing
        )
        self.keeping = Keeping(keeps)
        self.restored = 0
        """How many batches of the match were done before tableref was started again."""
        self._ceased = Ceased(clock)
        self._seed = ""
        self._rolled_by = ""
        """Who typed the dice of the machine whose deed is being done; empty for all others."""
        self._watchers: tuple[tuple[Callable[[], None], bool], ...] = ()
        self._open_at_end: Callable[[], Sequence[Entry]] = tuple
        """What a game's record says before its end, see `at_end`."""
        self._telling = Telling()
        # A lock of its own: whoever begins or ends to watch does not wait for a change that is written down.
        self._watching = threading.Lock()

    # Who

    def player_of(self, who: Identity) -> str | None:
        """Whose device this is; a device that came in to look is nobody's."""
        return self.seats.player_of(who) if who.role in ("owner", "player") else None

    def may_do(self, who: Identity, player: str | None) -> bool:
        """Whether what is this player's (None: anybody's) is for whoever looks."""
        if who.role == "owner":
            return True
        mine = self.player_of(who)
        return who.role == "player" and mine is not None and player in (None, mine)

    def may_undo(self, who: Identity) -> bool:
        """The owner may; a player what they did themselves, while it is the newest and nothing came to light.

        Else whoever missed could take it back and try another way. Whoever plays against machines alone may
        take back what these did since. Nor does a player who has seen dice fall for what they do next.
        """
        return self._did_last(who, measuring.did_last) and (
            who.role == "owner" or self.throws.held(who) is None
        )

    def may_redo(self, who: Identity) -> bool:
        """The owner may; a player what they took back themselves, while nothing else has happened."""
        return self._did_last(who, measuring.undid_last) and (
            who.role == "owner" or self.throws.held(who) is None
        )

    def may_retype(self, who: Identity) -> bool:
        """The owner may take the newest back to type its dice anew, and a player what they did themselves."""
        return self._did_last(who, measuring.typed_last)

    def _did_last(self, who: Identity, asked: Callable[..., bool]) -> bool:
        if who.role == "owner":
            return True
        player, match = self.player_of(who), self.match
        if player is None or match is None:
            return False
        alone = all(p.machine is not None for p in self.draft.players if key_of(p.name) != key_of(player))
        return asked(match, player, alone=alone)

    # What is shown

    @property
    def busy(self) -> bool:
        """Whether a change is being made, and perhaps written down: whoever asks would wait."""
        return self.standings.busy

    @property
    def owners(self) -> Owners:
        """Whose each piece is, by `key_of` its name."""
        return {key_of(p.name): p.owner for p in self.draft.pieces}

    @property
    def turn(self) -> int | None:
        """How many turns have begun in the match; None while none runs."""
        return None if self.match is None else sum(event.tone == "turn" for event in self.match.log)

    def options(self) -> tuple[Option, ...]:
        """What may be done now, measured where it is measured."""
        match = self.match
        return () if match is None else options_of(match, self.modes, self.seeing.now(self.owners))

    @contextmanager
    def _changing(self, asked: str = "") -> Iterator[None]:
        """One change at a time, `asked` by whom and with which key; all are told once `number` has grown.

        Ends when it is on the disk; the next is worked out meanwhile, and goes there with others that wait.
        """
        with self.standings.changing(waits=bool(asked)):
            self.keeping.asked, before, newest = asked, self.number, self._newest()
            yield
            self._ceased.went_on(newest, self._newest())
            watchers = self._watchers if self.number != before else ()
        # A game that does not answer holds up who is told, and not who has done something.
        beside = is_limited(self.game)
        _wake(wake for wake, asks in watchers if not (asks and beside))
        if beside and watchers:
            self._telling.tell(lambda: _wake(wake for wake, asks in self._watchers if asks))

    def ask(self, who: Identity, request: messages.Request) -> messages.Answer:
        """Does what is asked, once for each key, or says why not."""
        asked = _asked(who, request)
        # Told again after a lost connection it is the same, though it says by then of what it was meant.
        meant, request = messages.apart(request)
        with self._changing(asked):
            known = self.keeping.known(asked, request)
            if known is not None:
                return known
            self.seeing.look()
            answer = self._answered(who, request, meant)
            self.number += answer.accepted or bool(answer.proposed or answer.throw)
            answer = answer.model_copy(update={"number": self.number})
            if answer.accepted:
                # What was refused has changed nothing and may be asked again with the same key.
                self.keeping.remember(answer, request)
            return answer

    def look_again(self) -> None:
        """What was hidden when it was put down, and is seen again, is held against where it has to stand."""
        with self._changing():
            if self.match is None or all(place.seen for place in self.match.places.values()):
                return
            self.seeing.look()
            told = self.match.looked_events(self._seen())
            for event in told:
                self._commit((event,), None)
            self.number += bool(told)

    def tell_put_back(self, moved: Sequence[tuple[str, float | None]]) -> None:
        """Tells of pieces that were moved and put back, where that may have measured what is hidden.

        Each with the inches of its way, if they were read.
        """
        with self._changing():
            if self.match is None or not moved or permitted(self.match.game, self.match.state, None) is None:
                return
            self.seeing.look()
            for piece, inches in moved:
                self._commit((put_back_event(piece, inches),), None)
            self.number += 1

    def decide(self, propose: Callable[[Match[Any]], Sequence[Event]], entry: Entry) -> None:
        """Keeps what a dispute's decision makes of the match, and the dispute's own entry, in one go."""
        with self._changing():
            self.seeing.look()
            self._commit(propose(self._playing()), None, also=(entry,))
            self.number += 1

    def vacate(self, device: str) -> None:
        """Frees the seat of a device whose pass was taken back or given back; nothing if it has none."""
        with self._changing():
            player = self.seats.player_of(Identity("player", device))
            if player is not None:
                self.seeing.look()
                self._seat((player, None), why="The pass of that device is good no more.")
                self.number += 1

    def vacate_all(self) -> None:
        """Frees every seat of a game that goes on: with new links no phone is again what it was."""
        with self._changing():
            if taken := sorted(self.seats.taken):
                self.seeing.look()
                self._seat(*((player, None) for player in taken), why="The links were made anew.")
                self.number += 1

    def _answered(self, who: Identity, request: messages.Request, meant: messages.Meant) -> messages.Answer:
        try:
            self._still(meant)
            self._do(who, request)
        except Illegal as illegal:
            reasons = [
                messages.ReasonView(words=r.words, citation=r.citation, open=r.open, question=r.question)
                for r in illegal.reasons
            ]
            asks = self._would_ask(who, request, illegal.reasons)
            return messages.Answer(key=request.key, accepted=False, reasons=reasons, asks=asks)
        except Waits as waits:
            missing = list(waits.proposal.missing)
            return messages.Answer(key=request.key, accepted=False, error=str(waits), proposed=missing)
        except NeedDice as need:
            wanted = [
                messages.WantedDie(
                    sides=w.sides, why=w.why, faces=list(w.faces), by=w.by, counts=list(w.counts)
                )
                for w in need.wanted
            ]
            throw = self._asked_elsewhere(who, request, need)
            given = list(need.given)
            return messages.Answer(key=request.key, accepted=False, wanted=wanted, given=given, throw=throw)
        except TableRefError as error:
            return messages.Answer(key=request.key, accepted=False, error=str(error))
        return messages.Answer(key=request.key, accepted=True)

    def _do(self, who: Identity, request: messages.Request) -> None:
        if who.role not in ("owner", "player"):
            raise NotYours("spectators cannot act")
        match request:
            case messages.Act():
                self._act(who, request)
            case messages.Agree() | messages.Rolled():
                self._take_part(who, request)
            case messages.Withdraw() | messages.Reveal():
                self._uncover(who, request)
            case messages.Undo() | messages.Redo():
                self._back_or_forth(who, request)
            case messages.Concede() | messages.Mistyped() | messages.Stays():
                self._players_say(who, request)
            case messages.Sit() | messages.Free():
                self._sit_or_free(who, request)
            case messages.Overrule():
                self._owner(who, "overrule")
                by = self.player_of(who) or OWNER
                told = self._playing().overruling(request.path, request.value, request.words, by)
                self._commit(told, None)
            case messages.SetUp():
                self._set_up(who, request)
            case messages.Begin():
                self._owner(who, "begin the game")
                self._begin()
            case messages.Anew():
                self._owner(who, "end the game")
                end = Entry(keeping.END, self.seeing.time, "The game is put away.")
                self._keep(*self._open_at_end(), end)
                self.match = None
                self.proposals, self.throws = Proposals(), Throws()
                self._keep(*self._so_far())
            case messages.SetModes(modes=modes):
                self._owner(who, "switch what is automatic")
                self._switch(modes)

    @staticmethod
    def _owner(who: Identity, what: str) -> None:
        if who.role != "owner":
            raise NotYours(f"only the owner of the table may {what}")

    def _still(self, meant: messages.Meant) -> None:
        """Refuses what was asked where another deed was the newest: of two pages the first is heard.

        What says no more than what was shown is heard for some seconds: others may act at the same time.
        """
        newest = self._newest()
        if (meant.newest is not None and meant.newest != newest) or self._ceased.long(meant.shown, newest):
            raise TableRefError("the game has gone on since you tapped that: look what is the newest now")

    def _newest(self) -> int | None:
        """The number of the newest deed that counts; None where no game is played."""
        return None if self.match is None else self.match.counted[-1].number

    def _playing(self) -> Match[Any]:
        if self.match is None:
            raise TableRefError("no game is being played yet: set one up and begin it")
        return self.match

    def _acting_for(self, who: Identity, player: str | None) -> str | None:
        """For whom somebody acts: the owner for anybody, a player for themselves."""
        if who.role != "player":
            return player
        seat = self.player_of(who)
        if seat is None:
            raise NotYours("say first whose phone this is: take a seat")
        if player not in (None, seat):
            raise NotYours(f"{seat} cannot act for {player}")
        return seat

    # Acting

    def _seen(self) -> Seen:
        return self.seeing.seen(self.owners)

    def _dice(self, who: Identity, typed: Sequence[int | str] | None) -> Dice:
        measuring.may_type(who.role, self.modes, typed)
        if typed is not None or self.modes.dice == "type":
            return TypedDice(typed or ())
        return SeededDice(self._seed, measuring.rolled_here(self._seed, self.match.log if self.match else ()))

    def _act(self, who: Identity, request: messages.Act) -> None:
        match, player = self._playing(), self._acting_for(who, request.player)
        secret = request.kind in match.game.about.sealed
        deed = self._deed(who, request, player, secret=secret)
        for policy in SECRETLY if secret else OPENLY:
            policy(self, deed)

    def _deed(
        self, who: Identity, request: messages.Act, player: str | None, *, secret: bool = False
    ) -> Deed:
        """What is meant, and what is seen of it. Who rules is whoever asks, whatever a page says."""
        match = self._playing()
        said = not secret and request.kind in said_kinds(match, self.modes)
        seen = None if said else self._seen()
        data = {name: said for name, said in request.data.items() if name != RULED_BY}
        why = None if request.unmeasured is None else Unmeasured(request.unmeasured.strip(), "")
        action = match.spelled_out(Action(request.kind, player, data, why), seen)
        by = OWNER if who.role == "owner" else player or OWNER
        return Deed(who, request, action, seen, Vouched(by))

    def _is_next(self, deed: Deed) -> None:
        """Whoever has seen dice of a deed does that first; the owner of the table may do anything."""
        if words := self.comes_first(deed.who, deed.request):
            raise NotYours(words)

    def comes_first(self, who: Identity, deed: messages.Act | Option) -> str:
        """What a player has to do before a deed: that of which dice have fallen, or are to be typed anew."""
        if who.role != "player" or self.match is None:
            return ""
        return comes_first(who, deed, self.throws, self.match.retyping)

    def _is_lawful(self, deed: Deed) -> None:
        """The rules have nothing against it."""
        if reasons := self._playing().check(deed.action, deed.seen):
            raise Illegal(reasons)

    def _is_measured(self, deed: Deed) -> None:
        """Where the camera measures, a move was measured, or it is said why it counts all the same."""
        Measuring(self._playing(), self.modes, self.seeing).check(deed.action, deed.seen)

    def _is_agreed_to(self, deed: Deed) -> None:
        """What is said in place of what is seen, others have agreed to; the owner's word is enough."""
        facts = self._facts(deed)
        if deed.who.role != "owner" and owed(facts, deed.seen):
            settled = consent.decided(self._playing(), deed.action, facts, deed.seen)
            deed.vouched = settled or self._agreed(deed, facts).vouched()

    def _leaves_measured(self, deed: Deed) -> None:
        """A secret choice says nothing in place of what is seen: nobody could agree to it."""
        measuring.leaves_measured(deed.who.role, owed(self._facts(deed), deed.seen))

    def _has_dice(self, deed: Deed) -> None:
        """Whoever types dice may type them."""
        deed.dice = self._dice(deed.who, deed.request.dice)

    def _facts(self, deed: Deed) -> tuple[SaidFact, ...]:
        return self._playing().said(deed.action, deed.seen)

    @staticmethod
    def _ruled_by(action: Action, name: str) -> Action:
        return replace(action, data={**action.data, RULED_BY: name}) if RULED in action.data else action

    def _carry_out(self, deed: Deed) -> None:
        match, who = self._playing(), listed(deed.vouched.agreed) or deed.vouched.by
        why = None if deed.action.unmeasured is None else Unmeasured(deed.action.unmeasured.why, who)
        action = replace(self._ruled_by(deed.action, who), unmeasured=why, vouched=deed.vouched)
        events = match.propose(action, deed.seen, deed.dice)
        events = measuring.as_seen(events) if deed.who == REFEREE else events
        moves = {} if deed.seen is None else deed.seen.moves
        self._commit(events := self._saying_who(with_ranges(events, moves), action), action.player)
        self.seeing.take(events[0], moves)

    def _saying_who(self, events: Sequence[Event], action: Action | None = None) -> tuple[Event, ...]:
        return measuring.saying_who(events, self.modes, action, self._rolled_by)

    def _seal(self, deed: Deed) -> None:
        """A choice in secret; the last one of its group reveals them all, unless that waits for dice."""
        match, player = self._playing(), deed.action.player
        event, sealed = match.propose_seal(deed.action, secrets.token_hex(16), self._seen())
        self._commit((event,), player, [sealed])
        with suppress(NeedDice, Illegal):
            self._reveal(match, deed.dice)

    def _switch(self, modes: messages.Modes) -> None:
        if modes.dice != "type":
            self.throws.stop()
        self._keep(keeping.modes_entry(self.seeing.time, modes))
        self.modes = modes

    def _take_part(self, who: Identity, request: messages.Agree | messages.Rolled) -> None:
        """Somebody has a part in the deed of another page: they agree to it, or type what their dice show."""
        if isinstance(request, messages.Agree):
            self._agree(who, request)
        else:
            self._rolled(who, request)

    # Dice that are typed where they are rolled

    def waited_for(self, throw: Throw) -> tuple[str | None, ...]:
        """On whose phone each die of a deed is asked for; None: where the deed is done."""
        return waited_for(throw, self.seats.at_a_phone, self.player_of(throw.who))

    def _asked_elsewhere(self, who: Identity, request: messages.Request, need: NeedDice) -> str | None:
        """The throw that waits for dice on other phones; None where all are typed on the page that asked."""
        if self.modes.dice != "type" or not isinstance(request, messages.Act | messages.Reveal):
            return None
        throw = self._throw(who, request, need)
        return self.throws.put(throw).id if throw.machine or any(self.waited_for(throw)) else None

    def _throw(
        self,
        who: Identity,
        request: messages.Act | messages.Reveal,
        need: NeedDice,
        typists: tuple[str, ...] = (),
    ) -> Throw:
        by, done = self.player_of(who) or OWNER, self._playing().counted
        at, id = done[-1].number if done else 0, secrets.token_hex(8)
        return Throw(id, who, by, request, need.given, need.wanted, typists=typists, at=at)

    def _rolled(self, who: Identity, request: messages.Rolled) -> None:
        """Somebody types dice that a deed waits for, or takes the deed back; with all of them it is done."""
        throw = self.throws.find(request.throw)
        if request.dice is None:
            if who.role != "owner" and not throw.does(who):
                may = f"{OWNER} may take it back"
                raise NotYours(may if throw.machine else f"{throw.by} may take it back, or {OWNER}")
            if who.role != "owner" and throw.fell:
                raise NotYours(f"dice have fallen for it: {OWNER} may take it back")
            self.throws.take_back(throw.id)
            return
        throw = throw.with_dice(request.dice, who, self.player_of(who), self.waited_for(throw))
        self.throws.waiting[throw.id] = throw
        if throw.missing:
            return
        self.throws.drop(throw.id)
        asked, self.keeping.asked = self.keeping.asked, _asked(throw.who, throw.request)
        self._rolled_by = listed(throw.typists) if throw.machine else ""
        # It is done as it was asked for first: told again after a lost connection, it is not done twice.
        try:
            self._with_dice(throw)
            done = messages.Answer(key=throw.request.key, accepted=True, number=self.number + 1)
            self.keeping.remember(done, throw.request)
        except NeedDice as need:
            self.throws.put(self._throw(throw.who, throw.request, need, throw.typists))
        except Waits:
            raise  # since it was asked for first, it rests on what others have to agree to
        except TableRefError as error:
            self.number += 1  # nobody is asked for these dice any more
            words = f"It cannot be done any more, {throw.by} has to do it anew: {error}"
            raise TableRefError(words) from error
        finally:
            self.keeping.asked, self._rolled_by = asked, ""

    def _with_dice(self, throw: Throw) -> None:
        """Does it if it still wants these very dice; what it wants instead, or besides, is asked for then."""
        try:
            self._do(throw.who, throw.with_given)
        except NeedDice as need:
            if (need.given, need.wanted) != (throw.given, throw.wanted):
                raise
            self._do(throw.who, throw.with_all)

    # What others have to agree to

    def _agreed(self, deed: Deed, facts: Sequence[SaidFact]) -> Proposal:
        """What was proposed and all have agreed to; else it is proposed, and waits."""
        match, by = self._playing(), deed.action.player or OWNER
        what = match.game.announce(deed.action, match.state)[0].removeprefix(f"{by}: ")
        need = needed(match, owed(facts, deed.seen), by, self.owners)
        request = deed.request.model_copy(update={"dice": None})
        return self._proposed(deed.who, request, by, facts, need, what)

    def _proposed(
        self,
        who: Identity,
        request: messages.Act | messages.Stays,
        by: str,
        facts: Sequence[SaidFact],
        need: Needed,
        what: str,
    ) -> Proposal:
        proposal = self.proposals.of(request, by, facts)
        if proposal is None:
            proposal = Proposal.made(request, by, facts, need, what, who.device, self._seen().table)
            self._keep_proposal(proposal, proposal.words, by)
            self.proposals.put(proposal)
        if proposal.missing:
            raise Waits(proposal)
        return proposal

    def _keep_proposal(self, now: Proposal, words: str, who: str) -> None:
        self._keep(keeping.proposal_entry(self.seeing.time, now, words, who))

    def _agree(self, who: Identity, request: messages.Agree) -> None:
        """Somebody agrees to what is proposed, or does not; what all agree to is done."""
        proposal, seat = self.proposals.find(request.proposal), self.player_of(who)
        may, name = proposal.may_agree(who, seat), OWNER if who.role == "owner" else str(seat)
        why = f": {request.why}" if isinstance(request, messages.Weighed) else ""
        if not request.agrees and (may or who.role == "owner" or seat == proposal.by):
            back = seat == proposal.by
            self._drop(proposal, f"{name} takes it back" if back else f"{name} does not agree{why}", back)
            return
        if not may:
            raise NotYours(proposal.not_yours(seat))
        self.standings.apart()
        proposal = self.proposals.agree(proposal, name, who.device)
        if proposal.missing or why:
            self._keep_proposal(proposal, f"{name} agrees to it{why}", name)
        if proposal.missing:
            return
        try:
            if isinstance(proposal.act, messages.Stays):
                self._stay(proposal.act, proposal)
                return
            deed = self._deed(who, proposal.act, proposal.by)
            deed.vouched = proposal.vouched()
            self._is_lawful(deed)
            self._is_measured(deed)
            proposal.check(self._facts(deed), None if deed.seen is None else deed.seen.table)
            try:
                self._has_dice(deed)
                self._carry_out(deed)
            except NeedDice:  # whoever proposed it types them
                self._keep_proposal(proposal, f"{name} agrees to it", name)
        except TableRefError:
            self._drop(proposal, "it cannot be done any more")
            raise

    def _drop(self, proposal: Proposal, how: str, back: bool = False) -> None:
        self._keep(keeping.dropped_entry(self.seeing.time, proposal, how, why := "" if back else how))
        self.proposals.drop(proposal.id, why)
        self.number += 1  # pages show it no more, also where whoever agreed is refused

    def who_agrees(self, who: Identity, piece: str | None, seat: str | None) -> str:
        """What it leads to when whoever looks says what was not measured of a piece."""
        if who.role == "owner" or self.match is None or seat is None:
            return f"It counts at once, and the record says that it was said by {OWNER}."
        fact = SaidFact("", "", "said", pieces=() if piece is None else (piece,))
        return f"It is proposed: {needed(self.match, [fact], seat, self.owners).words} has to agree."

    def _would_ask(self, who: Identity, request: messages.Request, reasons: Sequence[Reason]) -> str:
        """Who would have to agree where something stands against what a player wants that players settle."""
        settles = any(reason.open or reason.question for reason in reasons)
        if who.role == "owner" or not isinstance(request, messages.Act) or self.match is None or not settles:
            return ""
        pieces = tuple(name for r in reasons for name in (r.question, *r.pieces) if name)
        action = Action(request.kind, self.player_of(who), request.data)
        facts = self.match.about(action, SaidFact("", "", "waived", pieces=pieces), self._seen())
        return needed(self.match, [facts], self.player_of(who) or "", self.owners).words

    def _concede(self, who: Identity, request: messages.Concede) -> None:
        """A player gives up; where all others have chosen in secret, that is revealed."""
        match, player = self._playing(), self._acting_for(who, request.player)
        if player is None:
            raise TableRefError("say who gives up: expected the name of a player")
        self._commit(match.conceding(player, self.player_of(who) or OWNER), player)
        with suppress(NeedDice, Illegal):
            self._reveal(match, self._dice(who, None))

    def _uncover(self, who: Identity, request: messages.Withdraw | messages.Reveal) -> None:
        """A secret choice is taken back, or all of a group are revealed."""
        if isinstance(request, messages.Reveal):
            self._acting_for(who, None)
            self._reveal(self._playing(), self._dice(who, request.dice))
            return
        player = self._acting_for(who, request.player)
        told = self._playing().propose_withdraw(player or "", request.group, self._seen())
        self._commit(told, player)

    def _reveal(self, match: Match[Any], dice: Dice | None) -> None:
        group = match.revealing(self._seen())
        if group is not None:
            events = match.propose_reveal(group, self._seen(), dice)
            self._commit(self._saying_who(events), None)

    def _back_or_forth(self, who: Identity, request: messages.Undo | messages.Redo) -> None:
        match, player, undo = self._playing(), self.player_of(who), isinstance(request, messages.Undo)
        if not (self.may_undo(who) if undo else self.may_redo(who)):
            raise NotYours(measuring.NOT_YOURS[request.type])
        self._commit((match.undo_event(player) if undo else match.redo_event(player),), player)

    def _players_say(
        self, who: Identity, request: messages.Concede | messages.Mistyped | messages.Stays
    ) -> None:
        match = self._playing()
        if isinstance(request, messages.Concede):
            self._concede(who, request)
            return
        player = self._acting_for(who, None)
        if isinstance(request, messages.Mistyped):
            if request.back:
                if not self.may_retype(who):
                    raise NotYours("you may type anew only the dice of what you did yourself, as the newest")
                if all(roll.source != "typed" for roll in rolls_of(match.counted[-1].events)):
                    raise TableRefError("no die was typed for the newest deed: there is none to type anew")
                self._commit((match.undo_event(player),), player)
            self._commit((match.mistyped_event(player),), player)
            if request.back:
                self._ask_anew(who)
            return
        if who.role == "owner":
            self._commit((match.stays_event(request.pieces, self._seen(), player),), player)
            return
        match.stays_event(request.pieces, self._seen(), player)  # an error for what is not out of place
        facts = consent.staying(match.strays(self._seen()), request.pieces)
        need = needed(match, facts, str(player), self.owners)
        what = consent.stays_words(request)
        self._stay(request, self._proposed(who, request, str(player), facts, need, what))

    def _ask_anew(self, who: Identity) -> None:
        """Asks for the dice of a deed that was taken back for them, where several phones type them."""
        request = to_retype(self._playing())
        if request is None or self.modes.dice != "type":
            return
        try:
            self._do(who, request)
        except NeedDice as need:
            self._asked_elsewhere(who, request, need)
        except TableRefError:
            return  # it is offered, with what is against it by now

    def _stay(self, request: messages.Stays, proposal: Proposal) -> None:
        """What a player has said may stay, and all whom it is about have agreed to, stays."""
        match, seen = self._playing(), self._seen()
        proposal.check(consent.staying(match.strays(seen), request.pieces), seen.table)
        self._commit((match.stays_event(request.pieces, seen, proposal.by, proposal.agreed),), proposal.by)

    def strays(self) -> tuple[Stray, ...]:
        """The pieces that stand elsewhere than they have to; none where the players say the moves."""
        if self.match is None or self.modes.moves == "ask":
            return ()
        return self.match.strays(self.seeing.now(self.owners))

    # Setting up

    def _set_up(self, who: Identity, request: messages.SetUp) -> None:
        if self.match is not None:
            raise TableRefError("a game is being played: end it before you set up another one")
        if request.before not in (None, self.draft):
            raise TableRefError("the set-up was changed elsewhere at the same moment: look again")
        draft = request.draft
        game = game_called(draft.game) if draft.game else self.game
        draft = draft.model_copy(update={"game": game.about.id})
        if who.role != "owner":
            own_pieces_only(self.player_of(who), self.draft, draft)
        if game.about.id != self.game.about.id:
            draft = newly_answered(draft, self.draft)
        check_draft(draft, game)
        self._keep(keeping.draft_entry(self.seeing.time, draft))
        self.draft, self.game = draft, game
        # Who is gone has no seat, and where tableref plays no phone has.
        plays = {p.name: p.machine is not None for p in draft.players}
        gone = [name for name, device in self.seats if plays.get(name) != device.startswith(MACHINE)]
        self._seat(*((name, None) for name in gone))

    def _begin(self) -> None:
        if self.match is not None:
            raise TableRefError("a game is being played already")
        match = Match.begin(self.game, completed(self.game, self.draft))
        seed = secrets.token_hex(8)
        entries = [self._entry(event, None) for event in match.log]
        about = {"game": self.game.about.id, "version": self.game.about.version, "seed": seed}
        entries[0] = replace(entries[0], data={**entries[0].data, **about})
        self._keep(*self._so_far(), *entries)
        self.match, self._seed, self.seen_at, self.restored = match, seed, {}, 0

    def _so_far(self) -> list[Entry]:
        """What a new record begins with: one of one game holds all that it takes to go on with it."""
        now = self.seeing.time
        seated = [keeping.seat_entry(now, player, device) for player, device in self.seats]
        return [keeping.draft_entry(now, self.draft), keeping.modes_entry(now, self.modes), *seated]

    def _sit_or_free(self, who: Identity, request: messages.Sit | messages.Free) -> None:
        if isinstance(request, messages.Sit):
            self._of_a_person(who, request.player)
            self._seat(*self.seats.changes(who, request.player, [p.name for p in self.draft.players]))
            return
        self._owner(who, "free a seat")
        self._seat((request.player, None))

    def _of_a_person(self, who: Identity, player: str | None) -> None:
        """A seat that tableref plays is no phone's, also before it has sat down there itself."""
        machines = {key_of(p.name): p.name for p in self.draft.players if p.machine is not None}
        name = machines.get(key_of(player or ""))
        if name is not None and not who.device.startswith(MACHINE):
            raise NotYours(f"tableref plays {name}; the owner can change that in the set-up")

    def _seat(self, *changes: tuple[str, str | None], why: str = "") -> None:
        for player, device in changes:
            self._keep(keeping.seat_entry(self.seeing.time, player, device, why))
            self.seats.put(player, device)
            self.throws.seated(player, device)

    # Keeping, and going on

    def _keep(self, *entries: Entry) -> None:
        """Hands entries to the journal, before what they tell is done: it is seen once they are there."""
        self.standings.keep(lambda: self.keeping.begin(*entries))

    def _commit(
        self,
        events: Sequence[Event],
        player: str | None,
        hidden: Sequence[Sealed] = (),
        also: Sequence[Entry] = (),
    ) -> None:
        events = self._playing().with_places(events, self._seen())
        kept = [Entry(SECRET, self.seeing.time, "A choice.", {"sealed": sealed_to_json(s)}) for s in hidden]
        self._keep(*kept, *(self._entry(event, player) for event in events), *also)
        match = self._playing()
        if self.seeing.looked is not None:
            self.seen_at[match.count] = self.seeing.looked
            self.seen_at.pop(match.count - SEEN_KEPT, None)
        match.commit(events, hidden)
        self.proposals.went_on(events, player)
        self.throws.went_on(events)

    def _entry(self, event: Event, player: str | None) -> Entry:
        data = {"event": event_to_json(event)}
        return Entry(f"{keeping.MATCH}{event.kind}", self.seeing.time, event.words, data, player)

    def restore(self, entries: Iterable[Told]) -> None:
        """Goes on where these entries end; a clear error for a journal that tells no game."""
        events: list[Event] = []
        hidden: list[Sealed] = []
        for entry in entries:
            data = entry.data
            self.keeping.recall(entry)
            if entry.kind.startswith(keeping.MATCH):
                if entry.kind == f"{keeping.MATCH}begin":
                    events, hidden, self._seed = [], [], str(data.get("seed", ""))
                    called = str(data.get("game") or self.game.about.id)
                    self.game = game_or_unknown(called, str(data.get("version", "")))
                events.append(event_from_json(data["event"]))
                if entry.kind.removeprefix(keeping.MATCH) in STARTS:
                    self.proposals.went_on(events[-1:], entry.actor)
            elif entry.kind == SECRET:
                hidden.append(sealed_from_json(data["sealed"]))
            elif entry.kind == keeping.PROPOSAL:
                self.proposals.restore(data)
            elif entry.kind == keeping.END:
                events, self.proposals = [], Proposals()
            elif entry.kind == keeping.SEAT:
                self.seats.put(str(data["player"]), data["device"])
            elif entry.kind in (keeping.SETUP, keeping.MODES):
                self._restore_page(entry.kind, data)
        if not self.draft.game:
            self.draft = self.draft.model_copy(update={"game": self.game.about.id})
        self.match = Match.replay(self.game, events, hidden) if events else None
        self.restored = 0 if self.match is None else self.match.count
        self.number, self.seen_at = self.number + 1, {}

    def _restore_page(self, kind: str, data: Mapping[str, Any]) -> None:
        try:
            if kind == keeping.SETUP:
                self.draft = draft_of(data["draft"])
                self.game = game_or_unknown(self.draft.game or self.game.about.id, "")
            else:
                self.modes = messages.Modes.model_validate(data["modes"])
        except (KeyError, ValidationError) as error:
            raise TableRefError(f"the journal's {kind} cannot be read: {error}") from error

    def at_end(self, open_then: Callable[[], Sequence[Entry]]) -> None:
        """Asks for what a game's record says before its end: of what is open then, and never will be done."""
        self._open_at_end = open_then

    def watch(self, wake: Callable[[], None], *, asks: bool = False) -> Callable[[], None]:
        """Calls `wake` after every change; returns how to stop that. Neither waits for the match.

        It says whether it `asks` the game: with one of somebody else's that is done beside whoever acts.
        """
        one = (wake, asks)
        with self._watching:
            self._watchers = (*self._watchers, one)

        def stop() -> None:
            with self._watching:
                self._watchers = tuple(other for other in self._watchers if other != one)

        return stop


def _asked(who: Identity, request: messages.Request) -> str:
    """By whom, and with which key: what is told again under it is done once."""
    return f"{who.role} {who.device} {request.key}"


def _wake(watchers: Iterable[Callable[[], None]]) -> None:
    for wake in watchers:
        try:
            wake()
        except STUMBLES:
            # What was done is kept: a game that stumbles over what follows must not call it undone.
            log.exception("not everybody was told of a change")


Policy = Callable[[MatchHost, Deed], None]

OPENLY: tuple[Policy, ...] = (
    MatchHost._is_next,
    MatchHost._is_lawful,
    MatchHost._is_measured,
    MatchHost._is_agreed_to,
    MatchHost._has_dice,
    MatchHost._carry_out,
)
"""What a deed goes through, in this order; the first that refuses is what is answered. Nobody is asked to
measure, or to agree, for what is not lawful; nobody has to agree to what only has to be measured again; and
no die is asked for, nor falls, before all of that."""

SECRETLY: tuple[Policy, ...] = (MatchHost._leaves_measured, MatchHost._has_dice, MatchHost._seal)
"""The same of a secret choice, which the match holds against the rules as it is sealed."""
