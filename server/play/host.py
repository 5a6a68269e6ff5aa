"""The one place where a game is played: what is asked, what follows, kept before anybody is told."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from pydantic import ValidationError

from engine.errors import TableRefError
from engine.game.contract import Game, Option
from engine.game.dice import Dice, NeedDice, SeededDice, TypedDice
from engine.game.events import Action, Event, Illegal, batches, event_from_json, event_to_json
from engine.game.match import Match
from engine.game.registry import game_called
from engine.space.table import TableState, key_of
from server.formats.entries import Entry, EntryLog, MemoryLog
from server.play.messages import (
    Act,
    Anew,
    Answer,
    Begin,
    Draft,
    Free,
    Modes,
    Overrule,
    ReasonView,
    Redo,
    Request,
    SetModes,
    SetUp,
    Sit,
    Undo,
    WantedDie,
)
from server.web.authentication import Identity

KEYS_KEPT = 500
"""Requests that are remembered, so that one told twice is done once."""

GAME = "white_line_fever"

MATCH, SETUP, SEAT, MODES, END = "match.", "play.setup", "play.seat", "play.modes", "play.end"
"""Kinds of entries: `match.` and the kind of the engine's event, and the page's own."""

AUTOMATIC: Mapping[str, str] = {
    "shoot": "shots",
    "move": "moves",
    "placed": "places",
}
"""Which switch says whether the table is looked at for an action; others always look."""


class Told(Protocol):
    """An entry that was kept: enough of `server.recording.journal.Recorded` to go on."""

    @property
    def kind(self) -> str:
        """Who spoke, and of what."""
        ...

    @property
    def data(self) -> Mapping[str, Any]:
        """Plain JSON values."""
        ...


class NotYours(TableRefError):
    """Somebody asks for what their role or seat does not allow."""


class MatchHost:
    """The game at one table: set up, played, undone, begun anew. May be used from any thread.

    `table` gives what stands where now, or None. Whatever changes is appended to `keeps` first;
    `restore` goes on where a journal ends. `number` grows with every change.
    """

    def __init__(
        self,
        keeps: EntryLog | None = None,
        table: Callable[[], TableState | None] = lambda: None,
        game: str = GAME,
    ) -> None:
        self.game: Game[Any] = game_called(game)
        self.draft = Draft.model_validate({})
        self.modes = Modes()
        self.match: Match[Any] | None = None
        self.number = 0
        self._game_name = game
        self._keeps: EntryLog = keeps if keeps is not None else MemoryLog()
        self._table = table
        self._seats: dict[str, str] = {}
        self._seed = ""
        self._answers: OrderedDict[str, Answer] = OrderedDict()
        self._asked = ""
        self._seen: TableState | None = None
        self._lock = threading.RLock()
        self._watchers: list[Callable[[], None]] = []

    # Who

    def player_of(self, who: Identity) -> str | None:
        """Whose device this is."""
        with self._lock:
            return next((p for p, device in self._seats.items() if device == who.device and device), None)

    def taken(self) -> frozenset[str]:
        """The players whose seat some device has."""
        with self._lock:
            return frozenset(self._seats)

    def may_do(self, who: Identity, option: Option) -> bool:
        """Whether a button is for whoever looks."""
        if who.role == "owner":
            return True
        player = self.player_of(who)
        return who.role == "player" and player is not None and option.player in (None, player)

    def may_undo(self, who: Identity) -> bool:
        """The owner may; a player what they did themselves, while it is the newest and no die fell here.

        Else whoever missed could take it back and roll another die.
        """
        if who.role == "owner":
            return True
        player, log = self.player_of(who), self.match.log if self.match else ()
        if player is None or not log:
            return False
        first, *rest = batches(log)[-1]
        mine = first.kind == "action" and first.data.get("player") == player
        return mine and not any(self._rolled_here(event) for event in rest)

    # What

    def ask(self, who: Identity, request: Request) -> Answer:
        """Does what is asked, once for each key, or says why not."""
        with self._lock:
            self._asked = f"{who.role} {who.device} {request.key}"
            known = self._answers.get(self._asked)
            if known is not None:
                return known
            # Looked at once: what is ruled on is what the record says that it was ruled on.
            self._seen = self._table()
            answer = self._answered(who, request)
            self.number += answer.accepted
            answer = answer.model_copy(update={"number": self.number})
            if answer.accepted:
                # What was refused has changed nothing and may be asked again with the same key.
                self._remember(self._asked, answer)
            watchers = list(self._watchers) if answer.accepted else []
        for wake in watchers:
            wake()
        return answer

    def _remember(self, asked: str, answer: Answer) -> None:
        self._answers[asked] = answer
        while len(self._answers) > KEYS_KEPT:
            self._answers.popitem(last=False)

    def _answered(self, who: Identity, request: Request) -> Answer:
        try:
            self._do(who, request)
        except Illegal as illegal:
            reasons = [ReasonView(words=r.words, citation=r.citation, open=r.open) for r in illegal.reasons]
            return Answer(key=request.key, accepted=False, reasons=reasons)
        except NeedDice as need:
            wanted = [WantedDie(sides=w.sides, why=w.why) for w in need.wanted]
            return Answer(key=request.key, accepted=False, wanted=wanted, given=list(need.given))
        except TableRefError as error:
            return Answer(key=request.key, accepted=False, error=str(error))
        return Answer(key=request.key, accepted=True)

    def _do(self, who: Identity, request: Request) -> None:
        if who.role not in ("owner", "player"):
            raise NotYours("who looks on does not act")
        match request:
            case Act():
                self._act(who, request)
            case Undo() | Redo():
                self._back_or_forth(who, request)
            case Sit():
                self._sit(who, request)
            case Overrule():
                self._owner(who, "overrule")
                by = who.role
                events = self._playing().overruling(request.path, request.value, request.words, by)
                self._commit(events, None)
            case SetUp():
                self._set_up(who, request)
            case Begin():
                self._owner(who, "begin the game")
                self._begin()
            case Anew():
                self._owner(who, "end the game")
                self._keep(Entry(END, self._time(), "The game is put away."))
                self.match = None
            case Free(player=player):
                self._owner(who, "free a seat")
                self._seat(player, None)
            case SetModes(modes=modes):
                self._owner(who, "switch what is automatic")
                self._keep(self._modes_entry(modes))
                self.modes = modes

    @staticmethod
    def _owner(who: Identity, what: str) -> None:
        if who.role != "owner":
            raise NotYours(f"only the owner of the table may {what}")

    def _playing(self) -> Match[Any]:
        if self.match is None:
            raise TableRefError("no game is being played yet: set one up and begin it")
        return self.match

    def _act(self, who: Identity, request: Act) -> None:
        match = self._playing()
        player = request.player
        if who.role == "player":
            seat = self.player_of(who)
            if seat is None:
                raise NotYours("say first whose phone this is: take a seat")
            if player not in (None, seat):
                raise NotYours(f"{seat} cannot act for {player}")
            player = seat
        dice: Dice = SeededDice(self._seed, self._rolled())
        if request.dice is not None or self.modes.dice == "type":
            dice = TypedDice(request.dice or ())
        action = Action(request.kind, player, request.data)
        events = match.propose(action, self._shown(request.kind, self._seen), dice)
        self._commit(events, player)

    def _rolled(self) -> int:
        """Dice rolled here so far, the undone included: a die that fell is not rolled again."""
        return sum(map(self._rolled_here, self.match.log if self.match else ()))

    def _rolled_here(self, event: Event) -> bool:
        return str(event.data.get("source", "")).startswith(f"seed {self._seed},")

    def _back_or_forth(self, who: Identity, request: Undo | Redo) -> None:
        match = self._playing()
        if not self.may_undo(who):
            raise NotYours(
                "you may take back only what you did yourself, while nothing else has happened and no die "
                "has been rolled here for it; the owner may"
            )
        player = self.player_of(who)
        event = match.undo_event(player) if isinstance(request, Undo) else match.redo_event(player)
        self._commit((event,), player)

    def _set_up(self, who: Identity, request: SetUp) -> None:
        if self.match is not None:
            raise TableRefError("a game is being played: end it before you set up another one")
        if request.before not in (None, self.draft):
            raise TableRefError("the set-up was changed elsewhere at the same moment: look again")
        if who.role != "owner":
            self._own_cars_only(self.player_of(who), request.draft)
        _check_draft(request.draft)
        self._keep(self._draft_entry(request.draft))
        self.draft = request.draft
        for gone in set(self._seats) - {p.name for p in self.draft.players}:
            del self._seats[gone]

    def _own_cars_only(self, player: str | None, draft: Draft) -> None:
        """A player may choose what their own cars carry, and nothing else."""
        mine = [c for c in self.draft.cars if c.owner == player]
        after = [c for c in draft.cars if c.owner == player]
        others = draft.model_copy(update={"cars": [c for c in draft.cars if c.owner != player]})
        known = self.draft.model_copy(update={"cars": [c for c in self.draft.cars if c.owner != player]})
        if player is None or others != known or {c.name for c in mine} != {c.name for c in after}:
            raise NotYours("only the owner of the table sets the game up; you may arm your own cars")

    def _begin(self) -> None:
        if self.match is not None:
            raise TableRefError("a game is being played already")
        draft = self.draft
        setup: dict[str, Any] = {
            "players": [p.name for p in draft.players],
            "cars": [c.model_dump(exclude_none=True) for c in draft.cars],
            "house": dict(draft.house),
        }
        if draft.first is not None:
            setup["first"] = draft.first
        if draft.deployment is not None:
            setup["deployment"] = draft.deployment
        match = Match.begin(self.game, setup)
        seed = secrets.token_hex(8)
        entries = [self._entry(event, None) for event in match.log]
        about = dict(entries[0].data) | {"game": self._game_name, "seed": seed}
        entries[0] = replace(entries[0], data=about)
        # A record of one game holds all that it takes to go on with it.
        seated = [self._seat_entry(player, device) for player, device in self._seats.items()]
        self._keep(self._draft_entry(draft), self._modes_entry(self.modes), *seated, *entries)
        self.match, self._seed = match, seed

    # Seats

    def _sit(self, who: Identity, request: Sit) -> None:
        if not who.device:
            raise NotYours("this machine is the owner's and acts for everybody; a seat is for a phone")
        now = self.player_of(who)
        if request.player is None:
            if now is not None:
                self._seat(now, None)
            return
        player = self._known_player(request.player)
        if self._seats.get(player, who.device) != who.device:
            raise NotYours(f"another phone is {player}'s already; the owner can free the seat")
        if now not in (None, player):
            self._seat(str(now), None)
        self._seat(player, who.device)

    def _known_player(self, name: str) -> str:
        for player in self.draft.players:
            if key_of(player.name) == key_of(name):
                return player.name
        known = ", ".join(p.name for p in self.draft.players) or "nobody yet"
        raise TableRefError(f"no player called {name!r}; there are: {known}")

    def _seat(self, player: str, device: str | None) -> None:
        self._keep(self._seat_entry(player, device))
        self._seated(player, device)

    def _seated(self, player: str, device: str | None) -> None:
        if device is None:
            self._seats.pop(player, None)
        else:
            self._seats[player] = device

    # The table

    def table_for(self, kind: str) -> TableState | None:
        """What an action of this kind would look at now: None where the players want to say it themselves."""
        return self._shown(kind, self._table())

    def _shown(self, kind: str, table: TableState | None) -> TableState | None:
        """That table, every car its player's: whose it is was said here, not in a file."""
        switch = AUTOMATIC.get(kind)
        if switch is not None and getattr(self.modes, switch) == "ask":
            return None
        return None if table is None else table.owned({c.name: c.owner for c in self.draft.cars})

    def _time(self) -> float | None:
        return None if self._seen is None else self._seen.time

    # Keeping, and going on

    def _commit(self, events: Sequence[Event], player: str | None) -> None:
        self._keep(*(self._entry(event, player) for event in events))
        self._playing().commit(events)

    def _entry(self, event: Event, player: str | None) -> Entry:
        data = {"event": event_to_json(event)}
        return Entry(f"{MATCH}{event.kind}", self._time(), event.words, data, player)

    def _draft_entry(self, draft: Draft) -> Entry:
        return Entry(SETUP, self._time(), "The game is being set up.", {"draft": draft.model_dump()})

    def _modes_entry(self, modes: Modes) -> Entry:
        return Entry(MODES, self._time(), _modes_words(modes), {"modes": modes.model_dump()})

    def _seat_entry(self, player: str, device: str | None) -> Entry:
        words = f"{player}'s seat is free." if device is None else f"{player} has sat down."
        return Entry(SEAT, self._time(), words, {"player": player, "device": device}, player)

    def _keep(self, *entries: Entry) -> None:
        """With who asked and the key of it: told again after a restart, it is still done once."""
        self._keeps.append([replace(e, data={**e.data, "asked": self._asked}) for e in entries])

    def restore(self, entries: Iterable[Told]) -> None:
        """Goes on where these entries end; a clear error for a journal that tells no game."""
        events: list[Event] = []
        for entry in entries:
            data = entry.data
            if asked := str(data.get("asked", "")):
                self._remember(asked, Answer(key=asked.rpartition(" ")[2], accepted=True))
            if entry.kind.startswith(MATCH):
                if entry.kind == f"{MATCH}begin":
                    events, self._seed = [], str(data.get("seed", ""))
                events.append(event_from_json(data["event"]))
            elif entry.kind == END:
                events = []
            elif entry.kind == SEAT:
                self._seated(str(data["player"]), data["device"])
            elif entry.kind in (SETUP, MODES):
                self._restore_page(entry.kind, data)
        self.match = Match.replay(self.game, events) if events else None
        self.number += 1

    def _restore_page(self, kind: str, data: Mapping[str, Any]) -> None:
        try:
            if kind == SETUP:
                self.draft = Draft.model_validate(data["draft"])
            else:
                self.modes = Modes.model_validate(data["modes"])
        except (KeyError, ValidationError) as error:
            raise TableRefError(f"the journal's {kind} cannot be read: {error}") from error

    def watch(self, wake: Callable[[], None]) -> Callable[[], None]:
        """Calls `wake` after every change; returns how to stop that."""
        with self._lock:
            self._watchers.append(wake)

        def stop() -> None:
            with self._lock:
                if wake in self._watchers:
                    self._watchers.remove(wake)

        return stop


def _check_draft(draft: Draft) -> None:
    """Names that can be told apart, and cars that somebody has."""
    names = [p.name for p in draft.players]
    for what, given in (("player", names), ("car", [c.name for c in draft.cars])):
        keys = [key_of(n) for n in given]
        twin = next((n for n, k in zip(given, keys, strict=True) if not k or keys.count(k) > 1), None)
        if twin is not None:
            raise TableRefError(f"every {what} needs a name of its own, but {twin!r} is there twice or empty")
    for car in draft.cars:
        if car.owner not in names:
            raise TableRefError(
                f"{car.name} is {car.owner}'s, who does not play; there are: {', '.join(names)}"
            )
    if draft.first is not None and draft.first not in names:
        raise TableRefError(f"{draft.first} cannot drive first, for they do not play")


def _modes_words(modes: Modes) -> str:
    dice = "rolled here" if modes.dice == "roll" else "typed from the table"
    asked = [name for name in ("shots", "moves", "places") if getattr(modes, name) == "ask"]
    measured = f"the players say {', '.join(asked)}" if asked else "the table is measured for everything"
    return f"Dice are {dice}; {measured}."
