"""What a page of the game shows to whoever looks at it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from engine.errors import TableRefError
from engine.game.about import About
from engine.game.answering import failed
from engine.game.contract import Option, Seen
from engine.game.dice import Roll, rolls_of
from engine.game.events import PLAYERS, QUIET, RULED, Event, Reason, batches, standing_batches
from engine.game.forms import Form, SetUpForm
from engine.game.log.places import Stray
from engine.game.match import Match
from engine.game.records import to_json
from engine.game.registry import STUMBLES, games
from engine.game.showing import Status, Viewer
from engine.game.viewing import told_to
from engine.space.table import key_of
from engine.words import listed
from server.formats import units
from server.pipeline.runner import Runner, Snapshot
from server.play import messages
from server.play.consent import Proposal, settled_by
from server.play.drafts import previews, so_far
from server.play.host import MatchHost
from server.play.machine import Machines
from server.play.moving.ghosts import ghost_views, written
from server.play.moving.measuring import Measuring, happened, lacks
from server.play.moving.settling import Settling
from server.table.gate import hidden_from_pages, state_with_guide, state_without_guide
from server.web.authentication import Identity, Role
from vision.source import SIMULATED_WITH

log = logging.getLogger("tableref.play")

STUMBLED_S = 15.0
"""Seconds after which a game that stumbled is asked again what is shown of it."""

LOG_SHOWN = 200
"""Lines of the log that a page is told."""

LOOK_EVERY = 0.5
"""Seconds between two looks at what may be done: figures that flicker cannot be read."""

AGAIN = "Propose it again, or do something else."
"""What to do where nothing came of what was proposed."""

STARTED_AGAIN = (
    "it was open when tableref was started again: nobody has decided it, and the ruling stands",
    "It cannot be opened again as it stood then. Settle it at the table; the owner may undo what was done.",
)
"""Why nothing came of a dispute that a restart has closed, and what to do."""

DEED = {"kind", "player", "data", "unmeasured"}
"""What an act is, besides its key and dice."""


@dataclass(frozen=True, slots=True)
class Measurable:
    """Whether an option that takes a move would be measured, its piece has been touched, and else why not."""

    measured: bool
    happened: bool
    lacks: str


Looked = tuple[tuple[Option, ...], list[dict[str, Any]], tuple[Measurable | None, ...], tuple[Stray, ...]]
"""What may be done, the ghosts, whether each option would be measured, and which pieces stand elsewhere."""


def _measurable(match: Match[Any], measuring: Measuring, option: Option, seen: Seen) -> Measurable | None:
    measured = measuring.now(option, seen)
    if measured is None:
        return None
    why_not = "" if measured else lacks(option, match, seen)
    to_accept = happened(option.piece, match, seen) and measuring.owes(option, seen)
    return Measurable(measured, to_accept, why_not)


def waits_words(one: Proposal, seat: str | None = None) -> str:
    """For whom a proposal waits, as it is told on the phone of who has that seat."""
    if not one.missing:
        return f"Agreed: {one.by} types the dice."
    who = ["you" if n == seat else n for n in one.missing]
    joined = listed(who, "and" if one.needed.all else "or")
    agreed = f"{listed(one.agreed)} agree{'s' * (len(one.agreed) == 1)}. " if one.agreed else ""
    return f"{agreed}Waiting for {joined}."


def _told_of(looked: Looked) -> tuple[Any, ...]:
    return (*looked[:3], [stray.words for stray in looked[3]])


class Guides(Protocol):
    """What recognises how a piece is being moved."""

    def view(self, snapshot: Snapshot) -> messages.GuideView | None:
        """What is shown, None while there is nothing to show."""
        ...


class SharedView:
    """The game and the table together, looked at by any number of pages: worked out once for all."""

    def __init__(
        self,
        host: MatchHost,
        live: Runner,
        guide: Guides | None = None,
        trouble: Callable[[], str | None] = lambda: None,
        laid: Callable[[str], Sequence[str]] = lambda _game: (),
        machines: Machines | None = None,
        record: Callable[[], str | None] = lambda: None,
        lost: Callable[[], tuple[str, str] | None] = lambda: None,
    ) -> None:
        self.host = host
        self.live = live
        self._guide = guide
        self._settling = Settling(host)
        self._trouble = trouble
        self._record = record
        self._lock = threading.Lock()
        self._telling = threading.Lock()
        self._told_for: tuple[object, ...] = ()
        self._told: dict[tuple[Role, str | None], messages.PlayState] = {}
        self._sent: dict[tuple[Role, str | None], str] = {}
        found = games()
        self._games = [game_view(g.about) for g in found if g.about is not None]
        self._broken = [
            messages.BrokenGame(id=g.id, where=g.where, reason=g.reason)
            for g in found
            if g.reason is not None
        ]
        self._looked: Looked = ((), [], (), ())
        self._looked_for = (-1, -1, -1)
        self._looked_at = float("-inf")
        self._looks = 0
        self.laid = laid
        """The maps of one's own that are kept for a game."""
        self._guided: tuple[tuple[int, int], messages.GuideView | None] = ((-1, -1), None)
        self.machines = machines
        """The players whom tableref plays."""
        self._lost = lost
        """The id and the words of a dispute that a restart has closed."""
        self._stumbled: str | None = None
        self._stumbled_at = float("-inf")

    def guide(self) -> messages.GuideView | None:
        """What the screen of whoever moves a piece shows now."""
        if self._guide is None:
            return None
        snapshot = self.live.snapshot
        with self._lock:
            now_for = (self.host.number, snapshot.number)
            if self._guided[0] != now_for:
                self._guided = (now_for, None)  # kept if the game stumbles over it
                self._guided = (now_for, self._guide.view(snapshot))
            return self._guided[1]

    def sent(self, who: Identity) -> tuple[str, messages.GuideView | None]:
        """Everything as it leaves for whoever looks, JSON, and the guide in it.

        It is worked out and written once for all of one role and seat.
        """
        with self._telling:
            before, found = self.host.match, self._told_now(who)
            # What hid distances when it was worked out, or does so now, hides them here.
            match = next((m for m in (before, self.host.match) if hidden_from_pages(m)), None)
            viewer = (who.role, self.host.player_of(who))
            text = self._sent.get(viewer)
            if text is None:
                text = state_without_guide(found, match)
                if self._told.get(viewer) is found and self._now() == self._told_for:
                    self._sent[viewer] = text
        guide = self.guide()
        mover = guide is not None and self.host.may_do(who, guide.player)
        return state_with_guide(text, guide, match, mover=mover), guide

    def _told_now(self, who: Identity) -> messages.PlayState:
        now = self._now()
        if now != self._told_for:
            self._told_for, self._told, self._sent = now, {}, {}
        viewer = (who.role, self.host.player_of(who))
        found = self._told.get(viewer)
        if found is None:
            found = self._told_to(who)
            # What changed meanwhile is told anew: it is not what others are to be told of then.
            if self._now() == now:
                self._told[viewer] = found
        return found

    def _now(self) -> tuple[object, ...]:
        """Another one whenever anything has changed that is told of the game, the guide left aside."""
        moment = self.live.snapshot.moment
        return (*self.version(), None if moment is None else moment.table.facts)

    def _told_to(self, who: Identity) -> messages.PlayState:
        """Everything; where the game stumbles over it, what is known without it: the match can be ended."""
        try:
            return self._state(who)
        except STUMBLES as error:
            return self._state(who, self._stumbles(error))

    def _stumbles(self, error: BaseException) -> str:
        """Keeps in mind that the game stumbles, and says so in words."""
        if not isinstance(error, TableRefError):
            log.exception("%s stumbles", self.host.game.about.title, exc_info=error)
            error = TableRefError(failed(self.host.game, error))
        self._stumbled, self._stumbled_at = str(error), self.live.clock()
        return self._stumbled

    def _state(self, who: Identity, stumbled: str = "") -> messages.PlayState:
        host, match = self.host, self.host.match
        player = host.player_of(who)
        trouble = " ".join(said for said in (stumbled, self._trouble()) if said)
        return messages.PlayState(
            number=host.number,
            games=self._games,
            broken=self._broken if who.role == "owner" else [],
            game=game_view(host.game.about),
            phase="setup" if match is None else "match",
            me=messages.Me(
                role=who.role,
                player=player,
                owner=who.role == "owner",
                acts=who.role == "owner" or player is not None,
                may_undo=not stumbled and host.may_undo(who),
                may_redo=not stumbled and host.may_redo(who),
                may_retype=not stumbled and host.may_retype(who),
            ),
            seats=[
                messages.Seat(
                    player=p.name, colour=p.colour, taken=p.name in host.seats.taken or p.machine is not None
                )
                for p in host.draft.players
            ],
            draft=host.draft,
            setup=(self._not_yet(stumbled) if stumbled else self._setup()) if match is None else None,
            modes=host.modes,
            match=None if match is None else self._match(match, who, Viewer(player), stumbled),
            guide=None,
            machines=[] if self.machines is None else self.machines.views(),
            trouble=trouble or None,
            record=self._record(),
        )

    def _not_yet(self, stumbled: str) -> dict[str, Any]:
        """The form of a game that does not say what it asks: it cannot begin, and another can be chosen."""
        reason = Reason(stumbled, self.host.game.about.book)
        return {**to_json(SetUpForm(not_yet=(reason,))), "cards": {}}

    def _setup(self) -> dict[str, Any]:
        """The form of the game to come, and by piece the card that it would be played from."""
        game, draft = self.host.game, self.host.draft
        cards = {card.piece: to_json(card) for card in previews(game, draft)}
        laid = {"laid": self.laid(game.about.id)} if game.about.lays else {}
        return {**written(to_json(game.setup({**so_far(draft), **laid}))), "cards": written(cards)}

    def relaid(self) -> None:
        """Other maps are kept than before: pages that set a game up are told."""
        self._looks += 1

    def version(self) -> tuple[int, int, str | None]:
        """Another one whenever a page shows something else than before, what is moved left aside."""
        if self._stumbled is not None and self.live.clock() - self._stumbled_at > STUMBLED_S:
            self._stumbled = None
            self._looks += 1
        if self.host.match is not None and self._stumbled is None:
            try:
                options, ghosts, _, strays = self._look(self.host.match)
                self._settling.look(options, ghosts, strays)
            except STUMBLES as error:
                self._stumbles(error)
                self._looks += 1
        shown = 0 if self.machines is None else self.machines.number
        return self.host.number, self._looks + shown, self._trouble()

    def _match(
        self, match: Match[Any], who: Identity, viewer: Viewer, stumbled: str = ""
    ) -> messages.MatchView:
        if stumbled:
            return _unanswered(match, viewer, stumbled)
        count, found = match.count, self._looked_on(match, who, viewer)
        # Of what was done meanwhile it would tell a part: a deed in the log, and the options from before it.
        return found if match.count == count else self._match(match, who, viewer)

    def _looked_on(self, match: Match[Any], who: Identity, viewer: Viewer) -> messages.MatchView:
        options, ghosts, measured, strays = self._look(match)
        game, state, host = match.game, match.state, self.host
        table = self.host.seeing.now(self.host.owners).table
        # What takes the place of a piece is not the thing to do before the piece stands there.
        amiss = {key_of(ghost["piece"]) for ghost in ghosts if ghost["right"] is False}
        offered = [
            replace(o, main=False) if m is not None and key_of(o.piece or "") in amiss else o
            for o, m in zip(options, measured, strict=True)
        ]
        first = (Reason(words, PLAYERS) if (words := host.comes_first(who, o)) else None for o in offered)
        offered = [
            o if reason is None else replace(o, not_now=(reason, *o.not_now))
            for o, reason in zip(offered, first, strict=True)
        ]
        return messages.MatchView(
            status=written(to_json(game.status(state, viewer))),
            options=[
                option_view(o, mine=self.host.may_do(who, o.player), measuring=self._measuring(who, o, m))
                for o, m in zip(offered, measured, strict=True)
            ],
            sheets=written(to_json(game.sheets(state, viewer))),
            ghosts=[*ghosts, *(() if self.machines is None else ghost_views(self.machines.ghosts(), table))],
            strays=[
                messages.StrayView(
                    piece=s.piece,
                    words=units.retold(s.words),
                    mine=host.may_do(who, None)
                    and not self._put_right(s)
                    and not host.proposals.stays(s.piece),
                    leads=host.who_agrees(who, s.piece, viewer.player),
                )
                for s in strays
            ],
            proposals=self._proposals(who),
            declined=self._declined(who),
            throws=self._throws(who),
            marks=to_json(game.marks(state, table, viewer)),
            chosen=[
                messages.Chosen(group=g, player=p, mine=self.host.may_do(who, p)) for g, p in match.chosen
            ],
            reveals=match.revealing(table),
            may_concede=[player for player in match.may_concede if host.may_do(who, player)],
            undoable=match.undoable,
            redoable=match.redoable,
            lying=[die_view(roll) for roll in match.fallen()],
            newest=match.counted[-1].number,
            log=log_lines(map(game.renewed, match.log), viewer, LOG_SHOWN),
        )

    def _put_right(self, stray: Stray) -> bool:
        """Whether a machine puts a piece right with its own hand, so that nobody has to say anything."""
        goes = stray.ghost is not None and stray.ghost.pose is not None
        return goes and self.machines is not None and self.machines.puts_right(stray.piece)

    def _proposals(self, who: Identity) -> list[messages.ProposalView]:
        """What is proposed, for whoever looks."""
        seat = self.host.player_of(who)
        return [
            messages.ProposalView(
                id=one.id,
                kind=one.kind,
                words=units.retold(one.words),
                facts=[units.retold(fact.words) for fact in one.facts],
                waits=waits_words(one, seat),
                mine=one.may_agree(who, seat),
                own=seat == one.by,
                act=one.act.model_dump(include=DEED) if seat == one.by and not one.missing else None,
            )
            for one in self.host.proposals.waiting.values()
        ]

    def _declined(self, who: Identity) -> list[messages.DeclinedView]:
        """What whoever looks proposed in vain, and the dispute that a restart has closed."""
        seat, lost = self.host.player_of(who), self._lost()
        found = [
            (id, one.proposal.words, one.why, AGAIN)
            for id, one in self.host.proposals.declined.items()
            if one.proposal.by == seat
        ]
        if lost is not None and self.host.restored:
            found.append((*lost, *STARTED_AGAIN))
        return [
            messages.DeclinedView(id=id, words=units.retold(words), why=units.retold(why), advice=advice)
            for id, words, why, advice in found
        ]

    def _throws(self, who: Identity) -> list[messages.ThrowView]:
        """The deeds that wait for dice, for whoever looks."""
        host, seat, found = self.host, self.host.player_of(who), []
        for one in tuple(host.throws.waiting.values()):
            own, may = one.does(who), one.does(who) or who.role == "owner"
            whose, rolls = host.waited_for(one), one.machine and (may or seat is not None)
            dice = [
                messages.ThrownDie(
                    sides=w.sides, why=units.retold(w.why), faces=list(w.faces), by=w.by, of=of,
                    counts=list(w.counts),
                    mine=(own or rolls) if of is None else seat == of, typed=k in one.typed,
                )
                for k, (w, of) in enumerate(zip(one.wanted, whose, strict=True))
            ]  # fmt: skip
            waits = dict.fromkeys(of for k, of in enumerate(whose) if of is not None and k not in one.typed)
            told = dice if may or any(die.mine for die in dice) else []
            found.append(
                messages.ThrowView(
                    id=one.id, by=one.by, machine=one.machine, own=own, may=may, back=one.goes_back(who),
                    waits=list(waits), dice=told,
                )
            )  # fmt: skip
        return found

    def _measuring(
        self, who: Identity, option: Option, look: Measurable | None
    ) -> messages.MeasuringView | None:
        """How an option that takes a move can be taken by whoever looks."""
        if look is None:
            return None
        seat, may = self.host.player_of(who), self.host.may_do(who, option.player)
        words = f"{option.player or 'whoever moves it'} may propose it."
        if may:
            words = self.host.who_agrees(who, option.piece, seat)
        return messages.MeasuringView(
            measured=look.measured, may=may, happened=look.happened, lacks=look.lacks, words=words,
            settled=self._settled(option) if may else "",
        )  # fmt: skip

    def _settled(self, option: Option) -> str:
        """That a dispute has settled that the move of an option counts, so that nobody is asked again."""
        match = self.host.match
        move = None if option.piece is None else self.host.seeing.now(self.host.owners).newest(option.piece)
        by = () if match is None or move is None else settled_by(match, (move.id,))
        return f"It counts at once: {listed(by)} settled it." if by else ""

    def _look(self, match: Match[Any]) -> Looked:
        """What may be done and where pieces must be put: anew after each change, and now and then."""
        with self._lock:
            now_for = (self.host.number, match.count, self.live.snapshot.number)
            now = self.live.clock()
            stale = now_for[:2] != self._looked_for[:2] or now - self._looked_at > LOOK_EVERY
            if now_for != self._looked_for and stale:
                seen = self.host.seeing.now(self.host.owners)
                options, strays = self.host.options(), self.host.strays()
                ghosts = (
                    *match.game.ghosts(match.state, seen), *(s.ghost for s in strays),
                    *match.to_take_away(seen),
                )  # fmt: skip
                measuring = Measuring(match, self.host.modes, self.host.seeing)
                measured = tuple(_measurable(match, measuring, option, seen) for option in options)
                found = (options, ghost_views(ghosts, seen.table), measured, strays)
                self._looks += _told_of(found) != _told_of(self._looked)
                self._looked, self._looked_for, self._looked_at = found, now_for, now
            return self._looked


def _unanswered(match: Match[Any], viewer: Viewer, words: str) -> messages.MatchView:
    """A match whose game does not answer, as far as its log tells."""
    return messages.MatchView(
        status=to_json(Status("The game does not answer", match.game.about.title, words)),
        options=[], sheets=[], ghosts=[], strays=[], proposals=[], declined=[], throws=[], marks=[],
        chosen=[], reveals=None, may_concede=[], undoable=match.undoable, redoable=match.redoable, lying=[],
        newest=match.counted[-1].number, log=log_lines(match.log, viewer, LOG_SHOWN),
    )  # fmt: skip


def game_view(about: About) -> messages.GameView:
    """A game, for the list to choose from."""
    return messages.GameView(
        id=about.id, title=about.title, book=about.book, vehicles=about.vehicles, players=about.players,
        cutouts=about.cutouts, lays=about.lays, boards=about.boards,
        measures=about.measuring == "always",
        simulated=next((SIMULATED_WITH[b] for b in about.boards if b in SIMULATED_WITH), ""),
        start=about.usual, what=about.what, lasts=about.lasts, level=about.level, prints=about.prints,
        maker=about.maker, found=about.found, link=about.link, hints=dict(about.hints),
    )  # fmt: skip


def option_view(
    option: Option, *, mine: bool, measuring: messages.MeasuringView | None = None
) -> dict[str, Any]:
    """An option as a page is told it, with inches as people write them.

    What a form offers can be what a player holds: it is told to whoever answers it.
    """
    if not mine:
        option = replace(option, form=Form())
    found: dict[str, Any] = written(to_json(option))
    return found | {"mine": mine, "measuring": None if measuring is None else measuring.model_dump()}


def die_view(roll: Roll) -> messages.DieView:
    """A die as a page is told it."""
    typed = roll.source == "typed"
    return messages.DieView(
        sides=roll.sides, shows=roll.shows, why=units.retold(roll.why), by=roll.by, typed=typed
    )


def log_lines(log: Iterable[Event], viewer: Viewer, last: int | None = None) -> list[messages.LogLine]:
    """The log for people: what belongs together by `batch`, what was taken back, and dice as they fell.

    Of a long one only the `last` lines are made.
    """
    parts = batches(log)
    kept = standing_batches(parts)
    found: list[tuple[int, bool, Event]] = []
    for batch, events in enumerate(parts):
        first = True
        for event in events:
            told = told_to(event, viewer)
            if told is None or (event.kind, event.tone) == (RULED, "quiet"):
                continue
            found.append((batch, first, told))
            first = False
    begins = 0 if last is None else max(0, len(found) - last)
    return [
        messages.LogLine(
            number=number, batch=batch, first=first, words=units.retold(told.words),
            citation=told.citation, tone=told.tone, pieces=list(told.pieces),
            undone=batch not in kept and told.kind not in QUIET, measured=told.measured,
            dice=[die_view(d) for d in rolls_of((told,))],
        )
        for number, (batch, first, told) in enumerate(found[begins:], begins + 1)
    ]  # fmt: skip
