"""A match's pieces held against where they have to stand: what is astray, put back, let stay, seen again."""

from __future__ import annotations

import copy
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from engine.errors import TableRefError
from engine.game.contract import NOTHING_SEEN, Game, Option, Question, Seen, State
from engine.game.events import ASIDE, OWNER, PLAYERS, Action, Event, Reason, back_to
from engine.game.forms import Pick, PickPieces
from engine.game.log import places
from engine.game.log.history import History
from engine.game.log.places import Stray, strays
from engine.game.log.settled import NO, Settled, held, holding, only_no, question_of, with_settled
from engine.game.showing import Ghost, Viewer
from engine.space.pieces import Piece
from engine.space.table import Status, TableState, key_of
from engine.words import listed

Sight = Seen | TableState | None
"""What the camera knows: all of it, only the table, or nothing."""


def seen_of(sight: Sight) -> Seen:
    """What the camera knows, from whatever of it is at hand."""
    if sight is None:
        return NOTHING_SEEN
    return Seen(sight) if isinstance(sight, TableState) else sight


def action_event(action: Action) -> Event:
    """The event with which the batch of an action begins."""
    data = {"kind": action.kind, "player": action.player, "data": copy.deepcopy(dict(action.data))}
    return Event("action", data, "", "")


def put_back_event(piece: str, inches: float | None) -> Event:
    """That a piece was moved and put back and no move of it taken; `inches` of its way, if they were read."""
    data = {"put_back": True, "inches": None if inches is None else round(inches, 2)}
    words = f"{piece} was moved and put back, and no move of it was taken"
    words += "" if inches is None else ": how far it went was read"
    return Event("looked", data, words, PLAYERS, (piece,))


class Placed(History[State]):
    """What has happened in one game, and where that leaves every piece of the table."""

    _strayed: tuple[Any, Any, Any, tuple[str, ...], tuple[Stray, ...]] = (None, None, None, (), ())
    """What strays was last: by which state, places and table, and which pieces are on their way."""

    def strays(self, sight: Sight) -> tuple[Stray, ...]:
        """The pieces that surely stand elsewhere than they have to; worked out once for one look."""
        seen = seen_of(sight)
        now = (self.state, self.places, seen.table, tuple(move.piece for move in seen.moves.values()))
        *known, under_way, found = self._strayed
        if under_way != now[3] or any(one is not other for one, other in zip(known, now, strict=False)):
            found = strays(self.game, self.state, self.places, seen)
            self._strayed = (*now, found)
        return found

    def to_take_away(self, sight: Sight) -> tuple[Ghost, ...]:
        """The pieces that still lie on the table although the book has taken them off it."""
        table = seen_of(sight).table
        if table is None or self.game.status(self.state, Viewer()).over:
            return ()
        gone = set(places.taken_off(self.game, self.state, table))
        there = [s for s in table.standings if s.status is Status.STILL and places.on_surface(s, table)]
        loose = [s.name for s in there if s.piece.look == "token"]
        gone |= {key_of(name) for name in loose if self._used_up(name)}
        later = set(map(key_of, self.game.spare(self.state, seen_of(sight))))
        why = ("it is out of the game", "it comes in later")
        return tuple(
            Ghost(
                s.name, None, f"take it off the table: {why[key_of(s.name) in later]}", PLAYERS, right=False
            )
            for s in there
            if key_of(s.name) in gone and not s.piece.follows and not _goes_along(s.piece, gone)
        )

    def _used_up(self, name: str) -> bool:
        """Whether a token once lay on the table by the game and lies there no more."""
        if _lies(self.game, self.state, name):
            return False
        told = [b for b in self.counted if any(key_of(name) in map(key_of, e.pieces) for e in b.events)]
        return any(_lies(self.game, b.state, name) for b in told)

    def _astray(self, seen: Seen, kind: str, piece: str, question: Question | None) -> tuple[Reason, ...]:
        """Why something cannot be done while pieces stand elsewhere than they have to.

        A move begins where its piece has to stand; what is asked of the table is asked of pieces that do.
        """
        off = {key_of(stray.piece): stray for stray in self.strays(seen)}
        if not off:
            return ()
        moved = {key_of(one.piece) for one in self.game.awaits(self.state) if one.kind == kind}
        about = [piece] if key_of(piece) in moved else []
        if question is not None and not moved:
            about += question.pieces
        return tuple(
            Reason(f"{off[key].words}: {off[key].deed} first", PLAYERS)
            for key in dict.fromkeys(map(key_of, about))
            if key in off
        )

    def with_places(self, events: Sequence[Event], sight: Sight) -> tuple[Event, ...]:
        """A batch that was proposed to this state, with the places that change by it, as they were seen."""
        first = events[0]
        if first.kind in ("undo", "redo", "stays", *ASIDE) or back_to(first) is not None:
            return tuple(events)
        after = self.folded(self.state, events)
        first, *rest = with_settled(self.game, self.state, after, events, seen_of(sight))
        changed = places.noted(self.game, self.state, after, self.places, events, seen_of(sight))
        return (places.with_stands(first, changed), *rest)

    def stays_event(
        self, pieces: Sequence[str], sight: Sight, by: str | None = None, agreed: Sequence[str] = ()
    ) -> Event:
        """The players let pieces stay where they stand: that is where they have to be from now on.

        `by` says so, `agreed` are those who agreed to it.
        """
        seen, astray = seen_of(sight), {key_of(s.piece): s for s in self.strays(sight)}
        off = [astray[key_of(name)] for name in pieces if key_of(name) in astray]
        if not off or len(off) != len(pieces):
            known = ", ".join(stray.piece for stray in astray.values()) or "none"
            raise TableRefError(f"expected pieces that stand elsewhere ({known}) but got {', '.join(pieces)}")
        now = {
            s.piece: places.place_of(found)
            for s in off
            if (found := places.standing_still(s.piece, seen.table)) is not None
        }
        words = "; ".join(f"{s.piece}, {places.off_words(s.away, s.turned)} from its place" for s in off)
        words += f"; {listed(agreed)} agree{'s' * (len(agreed) == 1)}" if agreed else ""
        data = {"by": by} | ({"agreed": list(agreed)} if agreed else {})
        event = Event(
            "stays", data, f"{by or OWNER.capitalize()} lets pieces stay where they stand: {words}", PLAYERS,
            tuple(now), tone="ruling",
        )  # fmt: skip
        return places.with_stands(event, now)

    def looked_events(self, sight: Sight) -> tuple[Event, ...]:
        """What is seen again that was hidden when it was put down: whether it stands where it has to."""
        table, found = seen_of(sight).table, []
        for name, place in self.places.items():
            standing = None if place.seen else places.standing_still(name, table)
            if standing is None:
                continue
            right = places.in_place(place, standing)
            off = places.off_words(*places.off_place(place, standing))
            words = f"{name} is seen again: it stands "
            words += "where it has to" if right else f"{off} from where it has to"
            now = places.place_of(standing) if right else replace(place, seen=True)
            event = Event("looked", {"right": right}, words, PLAYERS, (name,), "plain" if right else "bad")
            found.append(places.with_stands(event, {name: now}))
        return tuple(found)

    def settled(self, sight: Sight) -> tuple[Settled, ...]:
        """The questions that people settled with *no*, and that hold as the table stands."""
        return held(self.counted, seen_of(sight).table)

    def _held_by(self, action: Action, seen: Seen) -> tuple[Reason, ...]:
        """Why an action is not done that rests on a question settled with *no*."""
        reason, fields = self._settled_with_no(action, seen)
        return () if reason is None or _says_no(action, fields) else (reason,)

    def _settled_with_no(self, action: Action, seen: Seen) -> tuple[Reason | None, tuple[str, ...]]:
        """By what an action is settled with *no*, and its answers that are *no* then.

        None where it is not settled, and no fields where it is not done at all.
        """
        settled = self.settled(seen)
        asked = question_of(self.game, self.state, action_event(action)) if settled else None
        reason = next((s.reason for s in settled if s.asks(asked)), None)
        if reason is None:
            return None, ()
        if self._rests_on(action) is not None:
            return reason, ()  # another target can be picked
        offered = holding(self.game.options(self.state, seen), settled)
        if any(reason in o.not_now for o in offered):
            return reason, ()
        own = [o for o in offered if o.kind == action.kind and action.player in (None, o.player)]
        fields = tuple(name for o in own for name in only_no(o, reason))
        return (reason if fields else None), fields

    def as_settled(self, action: Action, seen: Seen) -> Action:
        """An action with *no* where that was settled and nothing else is left to do."""
        _, fields = self._settled_with_no(action, seen)
        if not _says_no(action, fields):
            return action
        return replace(action, data={**action.data, **dict.fromkeys(fields, NO)})

    def beside_settled(self, action: Action, seen: Seen) -> Action:
        """An action without the answers that were settled with *no*: nobody says them anew."""
        _, fields = self._settled_with_no(action, seen)
        kept = {name: value for name, value in action.data.items() if name not in fields or value != NO}
        return replace(action, data=kept)

    def with_targets(self, option: Option, seen: Seen, settled: Sequence[Settled]) -> Option:
        """An offer whose form picks what is asked about: each with what keeps it from being picked."""
        if self.game.rests_on is None:
            return option
        fields = dict(option.form.fields)
        for name, one in option.form.fields.items():
            if isinstance(one, Pick | PickPieces):
                listed = isinstance(one, PickPieces)
                kept = []
                for c in one.candidates:
                    said = {**option.data, name: [c.value] if listed else c.value}
                    against = self._against_asking(Action(option.kind, option.player, said), seen, settled)
                    kept.append(replace(c, not_now=(*c.not_now, *against)) if against else c)
                fields[name] = replace(one, candidates=tuple(kept))
        return replace(option, form=replace(option.form, fields=fields))

    def _against_asking(
        self, action: Action, seen: Seen, settled: Sequence[Settled]
    ) -> tuple[Reason, ...]:  # fmt: skip
        """Why what an action rests on is not to be asked: it is settled, or pieces stand elsewhere."""
        asked = self._rests_on(action)
        if asked is None:
            return ()
        return (*(s.reason for s in settled if s.asks(asked)), *self._astray(seen, action.kind, "", asked))

    def _rests_on(self, action: Action) -> Question | None:
        """The question that an action rests on by its game, where no offer asks it."""
        return None if self.game.rests_on is None else self.game.rests_on(self.state, action)

    def _out_of_place(self, action: Action, seen: Seen) -> tuple[Reason, ...]:
        """Why nothing is done with a piece that stands elsewhere than it has to.

        One that the players accept without a measurement is theirs to accept.
        """
        if action.unmeasured is not None or not self.strays(seen):
            return ()
        first = action_event(action)
        moved = places.moved_by(self.game.awaits(self.state), first, seen)
        asked = question_of(self.game, self.state, first)
        found = [self._astray(seen, action.kind, name, None) for name in moved]
        return tuple(dict.fromkeys(chain(*found, self._astray(seen, action.kind, "", asked))))


def _goes_along(piece: Piece, gone: Collection[str]) -> bool:
    """Whether a piece hangs on one that is taken off, too: whoever takes that off takes both."""
    return piece.hitch is not None and key_of(piece.hitch.to) in gone


def _says_no(action: Action, fields: Sequence[str]) -> bool:
    """Whether an action says nothing but *no* in these fields, if there are any."""
    return bool(fields) and all(action.data.get(name) in (None, NO) for name in fields)


def _lies(game: Game[State], state: State, name: str) -> bool:
    """Whether a token of that name lies on the table by the game."""
    marks = game.marks(state, None, Viewer())
    return any(mark.role == "token" and key_of(mark.words) == key_of(name) for mark in marks)
