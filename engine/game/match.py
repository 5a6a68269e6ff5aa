"""A match: one game being played, the append-only log of its events and their fold.

Whatever is undone, redone or overruled is an event in the same log, so the log alone gives the match again.
"""

from __future__ import annotations

import copy
import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.errors import TableRefError
from engine.game.answering import NotAnswering, failed
from engine.game.contract import NOTHING_SEEN, Game, Option, Seen, State
from engine.game.dice import Dice, FallenDice, LoggedDice, NeedDice, TypedDice, lying_words, rolls_of
from engine.game.events import (
    CONCEDED,
    DECISION,
    LYING,
    OWNER,
    PLAYERS,
    RULED,
    RULED_BY,
    SAID,
    UNMEASURED,
    Action,
    Event,
    Illegal,
    JsonObject,
    Reason,
    SaidFact,
    Unmeasured,
    Vouched,
    batches,
    event_from_json,
    event_to_json,
)
from engine.game.facts import WITHOUT, about, as_asked_now, as_seen, of_its_move, said_facts, settled
from engine.game.filling import called, every_answer
from engine.game.log.paths import at, not_plain, place_words, refused_words, value_words, with_value
from engine.game.log.placed import Placed, Sight, seen_of
from engine.game.log.sealing import Sealed, withdrawn
from engine.game.log.settled import SETTLED, holding
from engine.game.records import to_json
from engine.game.registry import STUMBLES, game_or_unknown
from engine.game.showing import Viewer
from engine.game.text import match_text
from engine.game.viewing import bares
from engine.space.table import key_of
from engine.words import listed

log = logging.getLogger("tableref.game")


class Match(Placed[State]):
    """One game being played: the log of its events and their fold.

    Every batch starts with an event of kind `begin`, `position`, `action`, `overrule` or `conceded`; undoing
    and redoing are batches of one event, `undo` or `redo`, that name the batch they are about; `sealed` and
    `withdraw` tell of choices that are still secret, which are kept apart from the state and the log;
    `mistyped` that dice are to be typed again.
    """

    # Beginnings

    @classmethod
    def begin(cls, game: Game[State], setup: JsonObject) -> Match[State]:
        """A new match; `TableRefError` names what is wrong with the setup."""
        match = cls(game)
        match.append(game.begin(setup))
        return match

    @classmethod
    def at(cls, game: Game[State], state: State, words: str = "The match begins from here") -> Match[State]:
        """A match that begins in any state, such as one that was written down."""
        match = cls(game)
        match.append((Event("position", {"state": game.as_json(state)}, words, PLAYERS),))
        return match

    @classmethod
    def replay(
        cls, game: Game[State], events: Iterable[Event], secrets: Iterable[Sealed] = ()
    ) -> Match[State]:
        """The match that a log tells, in the identical state; `secrets` are the choices not yet revealed."""
        match = cls(game, secrets)
        for batch in batches(events):
            match.append(batch)
        return match

    @classmethod
    def again(
        cls,
        game: Game[State],
        events: Iterable[Event],
        seen_at: Callable[[int], Sight] = lambda _: None,
    ) -> Match[State]:
        """The same actions with the same dice, ruled anew: today's rules may give other events.

        `seen_at` gives what was seen at a batch, by the batch's number.
        """
        first, *others = batches(events)
        match = cls.replay(game, first)
        for number, batch in enumerate(others, start=1):
            match.append(match.anew(batch, seen_at(number)))
        return match

    # Where it stands

    def __str__(self) -> str:
        return match_text(self.game, self.state, self.log)

    @property
    def undoable(self) -> str | None:
        """What `undo` would take back, in words; None when there is nothing."""
        return self._done[-1].words if len(self._done) > 1 else None

    @property
    def undo_barred(self) -> Reason | None:
        """Why players may not undo the last batch: something was revealed, drawn, rolled or measured."""
        return self._barred(typed=True)

    @property
    def retype_barred(self) -> Reason | None:
        """Why players may not type the dice of the last batch anew: more came to light than those."""
        return self._barred(typed=False)

    def _barred(self, *, typed: bool) -> Reason | None:
        """What came to light by the last batch, dice that were `typed` with it or without."""
        last = self._done[-1] if self._done else None
        for event in () if last is None else last.events:
            if event.barrier or any(typed or roll.source != "typed" for roll in rolls_of((event,))):
                return Reason(f"what has come to light stays known: {event.words}", PLAYERS)
        if last is not None and last.earlier is not None:
            bared = bares(self.game, last.earlier.state, last.state)
            if bared is not None:
                return Reason(f"what may be measured since stays known: {bared}", PLAYERS)
        return None

    @property
    def redoable(self) -> str | None:
        """What `redo` would bring back, in words; None when there is nothing."""
        return self._undone[-1].words if self._undone else None

    def options(self, sight: Sight = None) -> tuple[Option, ...]:
        """What may be done now; who has made a sealed choice has none until it is taken back."""
        seen = seen_of(sight)
        settled = self.settled(seen)
        offered = holding(self.game.options(self.state, seen), settled)
        found = (self.with_targets(o, seen, settled) for o in offered)
        return tuple(
            replace(o, not_now=(*o.not_now, *self._astray(seen, o.kind, o.piece or "", o.question)))
            for o in found
            if (o.sealed, o.player) not in self._hashes
        )

    def lawful(self, sight: Sight = None) -> tuple[Action, ...]:
        """The lawful actions as things stand, as far as the ways to fill their forms can be listed."""
        actions = (
            Action(option.kind, option.player, {**option.data, **answers})
            for option in self.options(sight)
            if not option.not_now
            for answers in every_answer(option.form)
        )
        return tuple(action for action in actions if not self.check(action, sight))

    def check(self, action: Action, sight: Sight = None) -> tuple[Reason, ...]:
        """All reasons why the action may not be done now; empty when it is lawful.

        Never raises, whatever the action holds.
        """
        seen = seen_of(sight)
        return self._malformed(action) or (
            *self._out_of_place(action, seen),
            *(self._held_by(action, seen) or self._reasons(self.as_settled(action, seen), seen)),
        )

    def said(self, action: Action, sight: Sight = None) -> tuple[SaidFact, ...]:
        """The facts of a lawful action that are said and not seen, and what is let pass.

        What was settled with *no* is none of them: it has been agreed to.
        """
        seen = seen_of(sight)
        return said_facts(self.game, self.state, self.beside_settled(action, seen), seen)

    def about(self, action: Action, fact: SaidFact, sight: Sight = None) -> SaidFact:
        """A fact with the pieces that an action is about."""
        return about(self.game, self.state, action, seen_of(sight), fact)

    def spelled_out(self, action: Action, sight: Sight = None) -> Action:
        """The action with its ruling spelled out, an answer for each thing that is open.

        What was typed and is surely seen so is left out: it counts as seen. So is what is asked of a move
        alone, where the action names none.
        """
        seen = seen_of(sight)
        if self._held_by(action, seen):
            # A *yes* to what was settled with *no* is refused as it was said.
            return action
        action = of_its_move(self.game, self.state, action, seen)
        action = as_seen(self.game, self.state, self.beside_settled(action, seen), seen)
        return self.as_settled(settled(self.game, self.state, action, seen)[0], seen)

    # Doing

    def do(self, action: Action, sight: Sight = None, dice: Dice | None = None) -> tuple[Event, ...]:
        """Do an action, all of it or nothing: `Illegal` and `NeedDice` leave the match as it was."""
        return self.append(self.propose(action, sight, dice))

    def play(
        self, kind: str, player: str | None = None, sight: Sight = None, dice: Dice | None = None, **said: Any
    ) -> tuple[Event, ...]:
        """Do what somebody means: `kind`, `player` and what is `said` in any spelling.

        What only one option can mean may be left out. A choice in secret takes a `salt`, a random text.
        """
        salt = said.pop("salt", None)
        action = called(self.options(sight), kind, player, said)
        if action.kind not in self.game.about.sealed:
            return self.do(action, sight, dice)
        if not isinstance(salt, str):
            raise TableRefError(f"{action.kind} is chosen in secret: expected a salt, some random text")
        return self.seal(action, salt, sight, dice)[0]

    def propose(self, action: Action, sight: Sight = None, dice: Dice | None = None) -> tuple[Event, ...]:
        """The events that an action would be, without doing it: `commit` appends them later.

        Between the two lies the time to write them down: what is shown has been kept. A die that was
        rolled or typed before an undo lies as it fell when the same question is asked again in that turn.
        """
        if action.kind in self.game.about.sealed:
            words = f"{action.kind} is chosen in secret and revealed with the others"
            raise Illegal([Reason(words, PLAYERS)])
        seen = seen_of(sight)
        if reasons := self._out_of_place(action, seen) or (
            () if self._malformed(action) else self._held_by(action, seen)
        ):
            raise Illegal(reasons)
        return self._rolled(self.as_settled(action, seen), seen, dice)

    def anew(self, batch: Sequence[Event], sight: Sight = None) -> tuple[Event, ...]:
        """A batch ruled by today's rules from where the match stands: the same action with the same dice.

        What the players did to the match itself, such as undo and overrule, stays as it was.
        """
        if batch[0].kind != "action":
            return tuple(batch)
        said = batch[0].data
        ruled = next((e.data for e in batch if e.kind == UNMEASURED), None)
        accepted = None if ruled is None else Unmeasured(ruled["why"], ruled["by"])
        who = next((e.data for e in batch if e.kind == SAID), None)
        vouched = None if who is None else Vouched(who["by"], tuple(who["agreed"]))
        action = Action(said["kind"], said["player"], said["data"], accepted, vouched)
        opened = {name: said[name] for name in ("group", "salts", "stands", SETTLED, LYING) if name in said}
        seen = seen_of(sight)
        asked = as_asked_now(self.game, self.state, action, seen)
        first, *rest = self._ruled(asked, seen, LoggedDice(rolls_of(batch)), opened)
        # Its answers keep the names that they were given under.
        return (replace(first, data={**first.data, "data": copy.deepcopy(dict(action.data))}), *rest)

    def commit(self, events: Sequence[Event], secrets: Iterable[Sealed] = ()) -> tuple[Event, ...]:
        """Append one batch of events that was proposed to this very state, with the secrets it is about."""
        self._secrets |= {sealed.hash: sealed for sealed in secrets}
        return self.append(events)

    # Giving up

    _may_concede: tuple[Any, tuple[str, ...]] = (None, ())
    """The state for which it was worked out last who may give up, and who."""

    @property
    def may_concede(self) -> tuple[str, ...]:
        """The players who may give up: those who are not out of a match that goes on."""
        if self._may_concede[0] is not self.state:
            self._may_concede = (self.state, self._who_may_concede())
        return self._may_concede[1]

    def _who_may_concede(self) -> tuple[str, ...]:
        status = self.game.status(self.state, Viewer())
        left = [] if status.over else [place.player for place in status.order if not place.out]
        return tuple(player for player in left if self._conceded(player))

    def concede(self, player: str, by: str | None = None) -> tuple[Event, ...]:
        """A player gives up, as `by` says if it is not they."""
        return self.append(self.conceding(player, by))

    def conceding(self, player: str, by: str | None = None) -> tuple[Event, ...]:
        """The events that `concede` appends: the giving up, and what the game says follows."""
        if player not in self.may_concede:
            raise Illegal([Reason(f"{player} cannot give up now", PLAYERS)])
        words = f"{player} gives up" + ("" if by in (None, player) else f", as {by} says")
        first = Event(CONCEDED, {"player": player, "by": by}, words, PLAYERS, tone="bad")
        return self._settled((first, *self._conceded(player)))

    def _conceded(self, player: str) -> tuple[Event, ...]:
        """What follows when a player gives up; nothing where they cannot."""
        try:
            return self.game.concede(self.state, player)
        except Illegal:
            return ()

    # Choosing in secret

    @property
    def chosen(self) -> tuple[tuple[str, str], ...]:
        """Who has chosen in secret, by group and player, and may take it back until the others have, too."""
        return tuple(self._hashes)

    @property
    def secrets(self) -> tuple[Sealed, ...]:
        """What was chosen and is not revealed yet: for a place where nobody who looks on can read it."""
        return tuple(self._secrets[h] for h in self._hashes.values() if h in self._secrets)

    def revealing(self, sight: Sight = None) -> str | None:
        """The group in which everybody who owes a choice has made it, so that it is to be revealed."""
        owed: dict[str, set[str | None]] = {}
        if self._hashes:
            for option in self.game.options(self.state, seen_of(sight)):
                if option.sealed is not None:
                    owed.setdefault(option.sealed, set()).add(option.player)
        return next((g for g, players in owed.items() if all((g, p) in self._hashes for p in players)), None)

    def seal(
        self, action: Action, salt: str, sight: Sight = None, dice: Dice | None = None
    ) -> tuple[tuple[Event, ...], Sealed]:
        """Choose in secret, and reveal all choices if it was the last one.

        Where the reveal needs dice that are not there, or the table forbids it as it stands, everything is
        chosen and waits for `reveal`.
        """
        event, sealed = self.propose_seal(action, salt, sight)
        told = self.commit((event,), [sealed])
        group = self.revealing(sight)
        if group is None:
            return told, sealed
        try:
            return (*told, *self.reveal(group, sight, dice)), sealed
        except (NeedDice, Illegal):
            return told, sealed

    def propose_seal(self, action: Action, salt: str, sight: Sight = None) -> tuple[Event, Sealed]:
        """The event that tells of a choice without telling it, and the secret, to be kept first.

        Nothing is ruled on in secret: when all is revealed nobody would ask for it.
        """
        action = replace(action, data={n: v for n, v in action.data.items() if n not in (RULED, RULED_BY)})
        mine = [
            o for o in self.game.options(self.state, seen_of(sight))
            if o.sealed is not None and (o.kind, o.player) == (action.kind, action.player)
        ]  # fmt: skip
        if not mine or mine[0].sealed is None or action.player is None:
            who = action.player or "nobody"
            raise Illegal([Reason(f"{who} has no {action.kind!r} to choose in secret now", PLAYERS)])
        group, player = mine[0].sealed, action.player
        if (group, player) in self._hashes:
            raise Illegal([Reason(f"{player} has chosen already: take it back first", PLAYERS)])
        if reasons := self.check(action, sight):
            raise Illegal(reasons)
        sealed = Sealed(group, player, action.kind, salt, copy.deepcopy(dict(action.data)))
        return sealed.event(mine[0].citation or PLAYERS), sealed

    def withdraw(self, player: str, group: str) -> tuple[Event, ...]:
        """Take a secret choice back, as long as not everybody has chosen."""
        return self.append(self.propose_withdraw(player, group))

    def propose_withdraw(self, player: str, group: str, sight: Sight = None) -> tuple[Event, ...]:
        """The event that `withdraw` appends."""
        if (group, player) not in self._hashes:
            raise Illegal([Reason(f"{player} has chosen nothing in {group!r}", PLAYERS)])
        if self.revealing(sight) == group and not self._kept_shut(group, sight):
            raise Illegal([Reason("everybody has chosen: what was chosen is revealed now", PLAYERS)])
        return (withdrawn([(group, player)], "withdraw", player),)

    def reveal(self, group: str, sight: Sight = None, dice: Dice | None = None) -> tuple[Event, ...]:
        """Reveal everything that was chosen in a group, all at once, and do it."""
        return self.append(self.propose_reveal(group, sight, dice))

    def propose_reveal(self, group: str, sight: Sight = None, dice: Dice | None = None) -> tuple[Event, ...]:
        """The events that `reveal` appends."""
        if self.revealing(sight) != group:
            raise Illegal([Reason(f"not everybody has chosen yet in {group!r}", PLAYERS)])
        lost = sorted(p for (g, p), h in self._hashes.items() if g == group and h not in self._secrets)
        if lost:
            names = listed(lost)
            raise TableRefError(f"what {names} chose is not kept here: take it back and choose again")
        opened = self._opened(group)
        more = {"group": group, "salts": {s.player: s.salt for s in opened}}
        return self._rolled(_revealed(opened), seen_of(sight), dice, more)

    def _opened(self, group: str) -> list[Sealed]:
        return [s for s in self.secrets if s.group == group]

    def _kept_shut(self, group: str, sight: Sight) -> bool:
        """Whether a reveal is not possible although everybody has chosen, so that choices may be changed."""
        opened = self._opened(group)
        whole = len(opened) == sum(g == group for g, _ in self._hashes)
        return not whole or bool(self._reasons(_revealed(opened), seen_of(sight)))

    # Back, forth, otherwise

    def undo(self, by: str | None = None) -> tuple[Event, ...]:
        """Take the last batch back; its events stay in the log."""
        return self.append((self.undo_event(by),))

    def redo(self, by: str | None = None) -> tuple[Event, ...]:
        """Bring back the batch that was undone last."""
        return self.append((self.redo_event(by),))

    def overrule(
        self, path: Sequence[str | int], value: Any, words: str, by: str | None = None
    ) -> tuple[Event, ...]:
        """Set any field of the state, named by its way through the state's JSON, with the reason in words."""
        return self.append(self.overruling(path, value, words, by))

    def undo_event(self, by: str | None = None) -> Event:
        """The event that `undo` appends; what was chosen in secret since is taken back with it."""
        if self.undoable is None:
            raise TableRefError("nothing to undo: the match has only just begun")
        last = self._done[-1]
        data: dict[str, Any] = {"batch": last.number, "by": by}
        words = f"Undone: {last.words}"
        if revealed := sorted(last.events[0].data.get("salts", ())):
            words += f". {listed(revealed)} choose{'s' * (len(revealed) == 1)} anew"
        if self._hashes:
            back = withdrawn(self._hashes, "withdrawn")
            data["choices"] = back.data["choices"]
            words += f". {back.words}"
        return Event("undo", data, words, PLAYERS)

    def redo_event(self, by: str | None = None) -> Event:
        """The event that `redo` appends."""
        if not self._undone:
            raise TableRefError("nothing to redo: nothing was undone since the last action")
        last = self._undone[-1]
        return Event("redo", {"batch": last.number, "by": by}, f"Done again: {last.words}", PLAYERS)

    def mistyped_event(self, by: str | None = None) -> Event:
        """That the dice which were typed before an undo were typed wrong: they are asked for again."""
        wrong = [roll for roll in self.fallen() if roll.source == "typed"]
        if not wrong:
            raise TableRefError("no die was typed before an undo in this turn: there is none to type anew")
        data = {"dice": [to_json(roll) for roll in wrong], "by": by}
        words = f"{by or OWNER.capitalize()} says that a die was typed wrong: {lying_words(wrong)}"
        return Event("mistyped", data, words, PLAYERS)

    def overruling(
        self, path: Sequence[str | int], value: Any, words: str, by: str | None = None
    ) -> tuple[Event, ...]:
        """The events that `overrule` appends: the overruling, and what follows from it by itself."""
        before = self.game.as_json(self.state)
        was = at(before, path)
        sheets = self.game.sheets(self.state, Viewer())
        try:
            state = self.game.by_hand(self.state, with_value(before, path, value))
        except TableRefError as error:
            # Only who asks is told: a hand's cards, too, are called as on the sheet that shows them.
            order = self.game.status(self.state, Viewer()).order
            every = [s for p in order for s in self.game.sheets(self.state, Viewer(p.player))]
            raise TableRefError(refused_words([*sheets, *every], path, value, str(error))) from error
        data = {"path": list(path), "value": copy.deepcopy(value), "was": was, "by": by}
        now, then = (value_words(sheets, path, one) for one in (value, was))
        who = f" (overruled by {by})" if by else ""
        changed = f"{place_words(sheets, path)}: {then} → {now}"
        event = Event("overrule", data, f"{changed}, {words}{who}", PLAYERS)
        return self._settled((event, *self.game.follow(state)))

    def decide(
        self,
        words: str,
        back_to: int | None = None,
        pieces: Sequence[str] = (),
        data: JsonObject | None = None,
    ) -> tuple[Event, ...]:
        """What was decided of a dispute; with `back_to`, that batch and all after it are taken back."""
        return self.append(self.deciding(words, back_to, pieces, data))

    def deciding(
        self,
        words: str,
        back_to: int | None = None,
        pieces: Sequence[str] = (),
        data: JsonObject | None = None,
    ) -> tuple[Event, ...]:
        """The events that `decide` appends; `data` says of which dispute, and who decided."""
        if back_to is not None and all(batch.number != back_to for batch in self.counted[1:]):
            raise TableRefError(f"batch {back_to} cannot be taken back: it does not count any more")
        first = Event(
            DECISION, {**(data or {}), "back_to": back_to}, words, PLAYERS, tuple(pieces), tone="ruling"
        )
        # As with an undo: what was chosen in secret since was chosen in another position.
        back = back_to is not None and bool(self._hashes)
        return (first, withdrawn(self._hashes, "withdrawn")) if back else (first,)

    # Behind

    def _rolled(
        self, action: Action, seen: Seen, dice: Dice | None, opened: Mapping[str, Any] | None = None
    ) -> tuple[Event, ...]:
        """An action with these dice, where those that fell before an undo stay."""
        lying = FallenDice(self.fallen(), dice if dice is not None else TypedDice())
        events = self._ruled(action, seen, lying, opened)
        lying.check_typed()
        return events

    @staticmethod
    def _malformed(action: Action) -> tuple[Reason, ...]:
        """What is wrong with an action before any game looks at it."""
        kind, player, data = (getattr(action, name) for name in ("kind", "player", "data"))
        odd = not_plain(data) if isinstance(data, Mapping) else f"data: expected an object but got {data!r}"
        if not isinstance(kind, str) or not isinstance(player, str | None):
            odd = f"expected the names of an action and of a player but got {kind!r}, {player!r}"
        return () if odd is None else (Reason(odd, PLAYERS),)

    def _reasons(self, action: Action, seen: Seen) -> tuple[Reason, ...]:
        try:
            return tuple(self.game.check(self.state, action, seen))
        except Illegal as illegal:
            return illegal.reasons
        except NotAnswering as error:
            return (Reason(str(error), self.game.about.book),)
        except STUMBLES as error:
            # A game that stumbles over an odd action must stop no table.
            said = str(error)
            if not isinstance(error, TableRefError):
                log.exception("%s stumbles over %r", self.game.about.title, action.kind)
                said = failed(self.game, error)
            return (Reason(f"{action.kind!r} cannot be done as it was said: {said}", self.game.about.book),)

    def _ruled(
        self, action: Action, seen: Seen, dice: Dice, opened: Mapping[str, Any] | None = None
    ) -> tuple[Event, ...]:
        """An action as a batch of events; `opened` are group and salts where it reveals sealed choices."""
        if wrong := self._malformed(action):
            raise Illegal(wrong)
        try:
            events = self.game.act(self.state, action, seen, dice)
            words, citation = self.game.announce(action, self.state)
        except (Illegal, NeedDice, NotAnswering):
            raise
        except STUMBLES as error:
            # What nobody could mean may make a game stumble: then its check has the reasons.
            if reasons := self._reasons(action, seen):
                raise Illegal(reasons) from error
            raise
        data = {"kind": action.kind, "player": action.player, "data": copy.deepcopy(dict(action.data))}
        data |= opened or {}
        measured = self.game.measured(self.state, action, seen)
        facts = self._facts(action, seen)
        if measured and any(fact.how != "waived" for fact in facts):
            measured = False  # what it rests on was measured in part, and said in part
        revealed = "salts" in (opened or {})
        first = Event("action", data, words, citation, barrier=revealed, measured=measured)
        told = (replace(e, measured=measured) if e.tone == "move" else e for e in events)
        known = {key_of(name) for event in events for name in event.pieces}
        known |= {key_of(one.name) for one in (() if seen.table is None else seen.table.standings)}
        notes = (*_unmeasured(action, measured, events), *_vouched(action, facts, known))
        if any(note.kind == SAID for note in notes):
            # Who let what pass, and who agreed, stands in that note: it is not told twice.
            told = (replace(e, tone="quiet") if e.kind == RULED else e for e in told)
        return self._settled((first, *notes, *told))

    def _facts(self, action: Action, seen: Seen) -> tuple[SaidFact, ...]:
        """What is said of an action: asked only where something is."""
        fields = {one.field for one in self.game.facts.get(action.kind, ())}
        says = any(action.data.get(name) is not None for name in (RULED, *fields))
        return self.said(action, seen) if says or action.unmeasured is not None else ()

    def _settled(self, events: tuple[Event, ...]) -> tuple[Event, ...]:
        """A batch, with the secret choices whose question is gone, or another one, once it has happened.

        What was chosen is not looked at: who sees a choice withdrawn learns nothing of it.
        """
        group = events[0].data.get("group")
        left = [choice for choice in self._hashes if choice[0] != group]
        if not left:
            return events
        before = self._asked_in_secret(self.state)
        after = self._asked_in_secret(self.folded(self.state, events))
        gone = [choice for choice in left if choice not in after or after[choice] != before.get(choice)]
        return (*events, withdrawn(gone, "withdrawn")) if gone else events

    def _asked_in_secret(self, state: State) -> dict[tuple[str, str | None], list[Any]]:
        """What is to be chosen in secret, by group and player."""
        asked: dict[tuple[str, str | None], list[Any]] = {}
        for option in self.game.options(state, NOTHING_SEEN):
            if option.sealed is not None:
                asked.setdefault((option.sealed, option.player), []).append((option.data, option.form))
        return asked


def _unmeasured(action: Action, measured: bool | None, events: Sequence[Event]) -> tuple[Event, ...]:
    """The players' ruling on a move that was not measured, where it was taken by one."""
    if action.unmeasured is None or measured is not False:
        return ()
    why, by = action.unmeasured.why, action.unmeasured.by
    pieces = next((event.pieces for event in events if event.pieces), ())[:1]
    what = f"the move of {pieces[0]}" if pieces else "it"
    words = f"{by} accepts {what} without measuring: {why}"
    data = {"why": why, "by": by, "player": action.player}
    return (Event(UNMEASURED, data, words, PLAYERS, pieces, "ruling"),)


def _vouched(action: Action, facts: Sequence[SaidFact], known: set[str]) -> tuple[Event, ...]:
    """What was said and not seen, by whom, and who agreed, where somebody answers for it.

    `known` are the pieces that may be meant. That a whole move is not measured is an event of its own.
    """
    facts = [fact for fact in facts if fact.name != WITHOUT]
    if action.vouched is None or not facts:
        return ()
    by, agreed = action.vouched.by, action.vouched.agreed
    consent = f"; {listed(agreed)} agree{'s' * (len(agreed) == 1)}" if agreed else ""
    passed = "; ".join(fact.name for fact in facts if fact.how == "waived")
    said = "; ".join(fact.words for fact in facts if fact.how != "waived")
    told = (f"lets pass: {passed}" * bool(passed), f"says, not measured: {said}" * bool(said))
    words = f"{by} {'; and '.join(filter(None, told))}{consent}"
    data = {"facts": [to_json(fact) for fact in facts], "by": by, "agreed": list(agreed)}
    pieces = dict.fromkeys(name for fact in facts for name in fact.pieces if key_of(name) in known)
    return (Event(SAID, data, words, PLAYERS, tuple(pieces), "ruling"),)


def _revealed(opened: Sequence[Sealed]) -> Action:
    """The action that reveals these choices."""
    return Action(opened[0].kind, None, {"choices": {s.player: dict(s.data) for s in opened}})


def save(match: Match[Any]) -> str:
    """The match as text. Choices that are still secret are not in it: they are `match.secrets`."""
    about = match.game.about
    lines = [{"game": about.id, "version": about.version}, *map(event_to_json, match.log)]
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def load(text: str, folders: Sequence[str] = (), secrets: Iterable[Sealed] = ()) -> Match[Any]:
    """The match that `save` wrote; one of a game that is not there opens to be looked at."""
    try:
        head, *lines = (json.loads(line) for line in text.splitlines() if line.strip())
        name, version = str(head["game"]), str(head.get("version", ""))
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        raise TableRefError(f"expected a match, a JSON object a line and its game first: {error}") from error
    game = game_or_unknown(name, version, folders)
    return Match.replay(game, [event_from_json(line) for line in lines], secrets)
