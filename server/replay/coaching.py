"""What could have been done at a moment of a recorded game: the coach's answer, as a page is told it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine.errors import TableRefError
from engine.game.contract import Seen
from engine.game.events import Event
from engine.game.match import Match
from engine.game.registry import STUMBLES
from engine.game.showing import Viewer
from engine.game.viewing import told_to
from server.formats.units import LengthUnit
from server.play.coaching import CoachView, action_of, at_rest, could_words, how_words, told_as
from server.play.keeping import END
from server.play.moving.seeing import ranges_in
from server.play.thinking import ADVISES, Advice, Done, Told
from server.recording.journal import Recorded
from server.recording.matches import BEGIN, MATCH, event_of, game_or_unknown_of, is_match
from server.replay.match_history import MatchMoment, in_batches
from server.replay.moves import move_of
from server.replay.shelf import OpenGame
from server.table import gate

log = logging.getLogger("tableref.replay")

FOLLOWED = 4
"""Deeds of one player that are looked through for one that can be judged."""


class CoachMoment(CoachView):
    """What somebody could have done from `since_s` to `until_s` of a recorded game."""

    since_s: float
    until_s: float | None
    """Null: to the end of what is recorded."""


class NothingDone(TableRefError):
    """Asked what could have been done where the game goes on and nobody has done anything yet."""


@dataclass(frozen=True)
class _Done:
    """A batch of the match with the match before it."""

    match: Match[Any]
    entry: Recorded
    first: Event
    events: tuple[Event, ...]

    @property
    def player(self) -> str | None:
        """Whose it was to do it; None for what is nobody's in particular."""
        if self.first.kind not in ("action", "sealed"):
            return None
        whose = self.match.game.status(self.match.state, Viewer()).player
        return self.first.data.get("player") or whose


def coach_view(one: OpenGame, at_s: float, unit: LengthUnit = "in") -> CoachMoment:
    """The coach's answer for a time of a game.

    `StillHidden` where the book hides distances and the game is on; `NothingDone` where it waits for a deed.
    """
    gate.refuse_running(one.hides() or one.timeline.hides, "what could have been done")
    found, until = one.history.at(at_s)
    none = CoachMoment(since_s=found.at_s, until_s=until, player=None, words="", did=None, best=[])
    if found.game is None:
        return none.model_copy(update={"words": "No match was on at this moment."})
    if until is None and one.running():
        raise NothingDone("nothing has been done here yet: what could have been done is told afterwards")
    try:
        return _told(one, found, none, at_s, unit)
    except STUMBLES:
        # Rules that fail in thought leave the record to be looked at.
        log.exception("the coach of %s failed", found.game.about.title)
        return none.model_copy(update={"words": "This position could not be thought through."})


def _told(one: OpenGame, found: MatchMoment, none: CoachMoment, at_s: float, unit: LengthUnit) -> CoachMoment:
    done = list(_followed(one, found))
    if not done:
        return none.model_copy(update={"words": "Nothing was to be done at this moment."})
    match = done[0].match
    status = match.game.status(match.state, Viewer())
    player = done[0].player or status.player
    if status.over or player is None:
        return none.model_copy(update={"words": "Nothing was to be done at this moment."})
    table = one.table_at(_before(done, at_s))
    seen = Seen(at_rest(table), {}, one.reader.table.board)
    deeds = tuple(_deed(one, d, player) for d in done if d.first.kind == "action" and d.player == player)
    advice = Advice(Told(match.log, seen, player), deeds, f"{match.game.about.id} {found.number}")
    told = ADVISES(advice, match.game)
    view = told_as(told, could_words(told, sealed=done[0].first.kind == "sealed"), table, unit)
    return none.model_copy(update=dict(view))


def _followed(one: OpenGame, found: MatchMoment) -> Iterator[_Done]:
    """What the player who had to act did from that moment, in order, each with the match before it.

    Of a match at whose end nothing follows, one that was not done.
    """
    match: Match[Any] | None = None
    player, count = None, 0
    for together in in_batches(one.reader.entries((MATCH, END))):
        entry = together[0]
        if entry.number > found.number and match is not None:
            if not is_match(entry) or count == FOLLOWED:
                break
            events = tuple(event_of(e, match.game) for e in together)
            done = _Done(Match.replay(match.game, match.log), entry, events[0], events)
            if count and done.player != player:
                break
            player, count = done.player, count + 1
            yield done
            if player is None:
                return
        if not is_match(entry):
            match = None
            continue
        if entry.kind == BEGIN:
            match = Match(game_or_unknown_of(entry))
        if match is not None:
            match.commit([event_of(e, match.game) for e in together])
    if match is not None and not count:
        yield _Done(match, entry, Event("", {}, "", ""), ())


def _before(done: list[_Done], at_s: float) -> float:
    """When the player began: before the first piece was pushed."""
    if not done[0].events:
        return at_s
    times = [done[0].entry.at_s]
    for one in done:
        times += [float(said["since_s"]) + _shift(one.entry) for said in ranges_in(one.first).values()]
    return max(0.0, min(times))


def _shift(entry: Recorded) -> float:
    """From the source's clock to the game's own time."""
    return 0.0 if entry.source_s is None else entry.at_s - entry.source_s


def _deed(one: OpenGame, done: _Done, player: str) -> Done:
    """What was done, with what was seen of it, from the record."""
    action = action_of(done.first, done.events)
    ranges = ranges_in(done.first).values()
    moves = [move_of(one.reader, r, _shift(done.entry), done.entry.at_s) for r in ranges]
    board = one.reader.table.board
    table = at_rest(one.table_at(done.entry.at_s))
    told = Told(done.match.log, Seen(table, {}, board), player)
    words = told_to(done.first, Viewer())
    seen = Seen(table, {move.id: move for move in moves}, board)
    return Done(told, action, seen, "" if words is None else words.words + how_words(moves))
