"""What the coach tells a page: the best that could be done, or could have been done, beside what was done."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from engine.driver.coaching import Coached, Prospect
from engine.errors import TableRefError
from engine.game.contract import Seen
from engine.game.events import UNMEASURED, Action, Event, Unmeasured, batches
from engine.game.match import Match
from engine.game.registry import STUMBLES
from engine.game.showing import Viewer
from engine.game.viewing import told_to
from engine.motion.moves import Move
from engine.space.geometry import FloatArray, Footprint
from engine.space.table import Status, TableState, key_of
from server.formats import units
from server.formats.units import LengthUnit
from server.play.host import MatchHost
from server.play.moving.ghosts import nose_of
from server.play.moving.seeing import by_ids
from server.play.seats import NotYours
from server.play.thinking import Advice, Done, Thinker, Told
from server.table import gate
from server.web.authentication import Identity
from server.web.messages import Model

log = logging.getLogger("tableref.play")

FOR_ALL = "What is next is for anybody to do: there is nothing to judge."

LOOKED_BACK = 3
"""Deeds of one player that are looked through for one that can be judged."""

What = Literal["can", "could"]
"""What is asked: what can be done now, or what could have been done instead of the last deed."""


class CoachOff(TableRefError):
    """The coach is asked where the players have not allowed it, or by somebody who has no seat."""


class ProspectView(Model):
    """Something that could be done, with the shape of its piece where it would stand, inches."""

    words: str
    leads_to: str
    better: float
    """Than what was done, or than how things stood; 1 is about what a whole vehicle is worth."""
    worth_words: str
    done: bool
    """Whether it is what was done."""
    piece: str | None
    outline: list[list[float]]
    nose: list[list[float]]


class CoachView(Model):
    """What somebody can do or could have done, the best first, and what they did."""

    player: str | None
    words: str
    did: ProspectView | None
    """Null where nothing was done, or what was done cannot be judged."""
    best: list[ProspectView]


class Coach:
    """The coach of a game that goes on, for whoever may ask."""

    def __init__(self, host: MatchHost, thinker: Thinker) -> None:
        self._host, self._thinker = host, thinker

    def answer(self, who: Identity, what: What, unit: LengthUnit = "in") -> CoachView:
        """What whoever asks can do now, or could have done instead of their last deed.

        The owner asks for the person whose turn it is, or who did the last deed. `NotYours` for whoever
        looks on, `CoachOff` where the coach is not allowed, `StillHidden` where the book hides distances.
        """
        host, match = self._host, self._host.match
        if who.role not in ("owner", "player"):
            raise NotYours("the coach answers those who play")
        if not host.modes.coach:
            raise CoachOff("the coach is off: the owner of the table can let it be asked, under Options")
        if who.role == "player" and host.player_of(who) is None:
            raise CoachOff("say first whose phone this is: take a seat")
        if match is None:
            raise TableRefError("no game is being played yet: set one up and begin it")
        gate.refuse_running(gate.hides(match.game, match.state), "what can be done")
        try:
            found = self._can(who, match, unit) if what == "can" else self._could(who, match, unit)
        except STUMBLES:
            # Rules that fail in thought, or a process that is gone, end no evening.
            log.exception("the coach of %s failed", match.game.about.title)
            return _nothing("This position could not be thought through.")
        return found

    # Now

    def _can(self, who: Identity, match: Match[Any], unit: LengthUnit) -> CoachView:
        host = self._host
        seen = host.seeing.now(host.owners)
        options = match.options(seen)
        acting = [o.player for o in options if o.player is not None and not o.not_now]
        status = match.game.status(match.state, Viewer())
        if status.over:
            return _nothing("The game is over.")
        if status.player is not None:
            acting.append(status.player)
        player = self._asking(who, acting)
        if player is None:
            if acting:
                return _nothing(f"It is {acting[-1]}'s turn.")
            anybody = any(o.player is None and not o.not_now for o in options)
            return _nothing(FOR_ALL if anybody else "Nothing is to be done now.")
        seen = _before_pushed(seen, player, host)
        seed = f"{match.game.about.id} {match.count}"
        told = self._thinker(Advice(Told(match.log, seen, player), (), seed), match.game)
        return told_as(told, can_words(told), seen.table, unit)

    def _asking(self, who: Identity, acting: Sequence[str]) -> str | None:
        """For whom somebody asks, of those who act: themselves, the owner for a person."""
        if who.role != "owner":
            return next((p for p in acting if p == self._host.player_of(who)), None)
        persons = [p.name for p in self._host.draft.players if p.machine is None]
        mine = [p for p in acting if p in persons]
        return mine[-1] if mine else None

    # What was done

    def _could(self, who: Identity, match: Match[Any], unit: LengthUnit) -> CoachView:
        whole = batches(match.log)
        acted = [(batch.number, _player(match, batch.number, batch.events[0])) for batch in match.counted]
        player = self._asking(who, [p for _, p in acted if p is not None])
        mine = [n for n, p in acted if p == player]
        if player is None or not mine:
            return _nothing("Nothing has been done yet.")
        for number in reversed(mine[-LOOKED_BACK:]):
            before = [event for batch in whole[:number] for event in batch]
            done = self._done(before, whole[number], number, player)
            if done is None:
                continue
            seed = f"{match.game.about.id} {number}"
            told = self._thinker(Advice(done.told, (done,), seed), match.game)
            if told.did is not None:
                return told_as(told, could_words(told), done.told.seen.table, unit)
        return _nothing(f"Nothing that {player} did last can be judged.")

    def _done(
        self, before: Sequence[Event], events: Sequence[Event], number: int, player: str
    ) -> Done | None:
        """A deed with the table before it; None where that is not remembered, or it was chosen in secret."""
        first, host = events[0], self._host
        table = host.seen_at.get(number)
        if first.kind != "action" or table is None:
            return None
        moves = host.seeing.took(first)
        board = host.seeing.board()
        earlier = min(moves.values(), key=lambda m: m.since).before if moves else table
        action = action_of(first, events)
        words = told_to(first, Viewer(player))
        seen = Seen(at_rest(table.owned(host.owners)), dict(moves), board)
        stood = Seen(at_rest(earlier.owned(host.owners)), {}, board)
        said = "" if words is None else words.words + how_words(moves.values())
        return Done(Told(tuple(before), stood, player), action, seen, said)


def _nothing(words: str) -> CoachView:
    return CoachView(player=None, words=words, did=None, best=[])


def _player(match: Match[Any], number: int, first: Event) -> str | None:
    """Whose it was to do it; None for what is nobody's in particular."""
    if first.kind != "action":
        return None
    whose: str | None = first.data.get("player")
    return whose or match.game.status(match.before(number), Viewer()).player


def _before_pushed(seen: Seen, player: str, host: MatchHost) -> Seen:
    """What was seen before the player pushed a piece that the game has not taken yet."""
    owners = host.owners
    pushed = [m for m in seen.moves.values() if owners.get(key_of(m.piece)) == player]
    table = min(pushed, key=lambda m: m.since).before.owned(owners) if pushed else seen.table
    return Seen(None if table is None else at_rest(table), {}, seen.board)


# What is told, of a record as well


def at_rest(table: TableState) -> TableState:
    """The table as it stood before a hand took anything."""
    still = (replace(s, status=Status.STILL) if s.status is Status.MOVING else s for s in table.standings)
    return replace(table, standings=tuple(still))


def action_of(first: Event, events: Sequence[Event]) -> Action:
    """The action that a batch tells of, its moves by their ids."""
    said = by_ids(first).data
    ruled = next((e.data for e in events if e.kind == UNMEASURED), None)
    why = None if ruled is None else Unmeasured(ruled["why"], ruled["by"])
    return Action(said["kind"], said["player"], said["data"], why)


def how_words(moves: Iterable[Move]) -> str:
    """How pieces were moved, after the words of the deed."""
    return "".join(f" ({move.recognised().words})" for move in moves)


def can_words(told: Coached) -> str:
    """How what can be done is to be read."""
    if not told.best:
        return "Nothing that can be done now can be judged."
    if told.tried == 1:
        return f"There is nothing else for {told.player} to do."
    return f"The best of {told.tried} things that {told.player} can do."


def could_words(told: Coached, *, sealed: bool = False) -> str:
    """How what could have been done is to be read; `sealed`: what was done was chosen in secret."""
    if not told.best:
        return (
            f"{told.player} chose in secret here: that is not judged, as it hangs on what the others chose."
            if sealed
            else "Nothing that could be done here can be judged."
        )
    if told.tried == 1:
        return f"There was nothing else for {told.player} to do."
    if told.did is None:
        return f"The best of {told.tried} things that {told.player} could do."
    if all(prospect.better <= 0.005 for prospect in told.best):
        return f"Nothing better was found for {told.player} among {told.tried} things to do."
    return f"The best of {told.tried} things that {told.player} could have done."


def told_as(told: Coached, words: str, table: TableState | None, unit: LengthUnit) -> CoachView:
    """An answer as a page is told it, with the shapes of the pieces of this table."""
    view = _viewer_of(table, unit, told.did is not None)
    did = None if told.did is None else view(told.did)
    return CoachView(player=told.player, words=words, did=did, best=[view(one) for one in told.best])


def _viewer_of(table: TableState | None, unit: LengthUnit, did: bool) -> Callable[[Prospect], ProspectView]:
    """How a prospect is told: in this unit, with the shape of its piece."""
    footprints = {key_of(s.name): s.piece.body.footprint for s in (() if table is None else table.standings)}
    than = "what was done" if did else "how it stood"

    def view(one: Prospect) -> ProspectView:
        outline, nose = _shape(one, footprints)
        return ProspectView(
            words=units.retold(one.words, unit),
            leads_to=one.leads_to,
            better=round(one.better, 3),
            worth_words="what was done" if one.done else _figure(one.better, than),
            done=one.done,
            piece=one.piece,
            outline=outline,
            nose=nose,
        )

    return view


def _figure(better: float, than: str) -> str:
    """How much better something is, in words.

    >>> _figure(0.314, "what was done"), _figure(-0.1, "what was done"), _figure(0.001, "what was done")
    ('+0.31 better than what was done', '−0.10 worse than what was done', 'as good as what was done')
    """
    if abs(better) < 0.005:
        return f"as good as {than}"
    return f"+{better:.2f} better than {than}" if better > 0 else f"−{-better:.2f} worse than {than}"


def _shape(one: Prospect, footprints: Mapping[str, Footprint]) -> tuple[list[list[float]], list[list[float]]]:
    """The outline of the piece where it would stand, and its nose; nothing where none is moved."""
    footprint = None if one.piece is None else footprints.get(key_of(one.piece))
    if one.pose is None or footprint is None:
        return [], []
    return _listed(one.pose.to_table(footprint.outline)), _listed(one.pose.to_table(nose_of(footprint)))


def _listed(points: FloatArray) -> list[list[float]]:
    return [[round(float(x), 3), round(float(y), 3)] for x, y in np.asarray(points)]
