"""What could have been done at a moment of a recorded game: the coach's answer, as a page is told it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.driver.coaching import Coached, Deed, Prospect, coached
from engine.driver.deciding import Position
from engine.errors import TableRefError
from engine.game.contract import Seen
from engine.game.events import UNMEASURED, Action, Event, Unmeasured
from engine.game.match import Match
from engine.game.registry import STUMBLES
from engine.game.showing import Viewer
from engine.game.viewing import told_to
from engine.space.geometry import FloatArray, Footprint
from engine.space.table import Status, TableState, key_of
from server.formats import units
from server.formats.units import LengthUnit
from server.play.keeping import END
from server.play.moving.ghosts import nose_of
from server.play.moving.seeing import by_ids, ranges_in
from server.recording.journal import Recorded
from server.recording.matches import BEGIN, MATCH, event_of, game_or_unknown_of, is_match
from server.replay.match_history import MatchMoment, in_batches
from server.replay.moves import move_of
from server.replay.shelf import OpenGame
from server.table import gate
from server.web.messages import Model

log = logging.getLogger("tableref.replay")

THINKS_S = 2.0
"""Seconds that the coach may think."""

FOLLOWED = 4
"""Deeds of one player that are looked through for one that can be judged."""


class NothingDone(TableRefError):
    """Asked what could have been done where the game goes on and nobody has done anything yet."""


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
    """What somebody could have done from `since_s` to `until_s`, the best first, and what they did."""

    since_s: float
    until_s: float | None
    """Null: to the end of what is recorded."""
    player: str | None
    words: str
    did: ProspectView | None
    """Null where nothing was done, or what was done cannot be judged."""
    best: list[ProspectView]


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


def coach_view(one: OpenGame, at_s: float, unit: LengthUnit = "in") -> CoachView:
    """The coach's answer for a time of a game.

    `StillHidden` where the book hides distances and the game is on; `NothingDone` where it waits for a deed.
    """
    gate.refuse_running(one.hides() or one.timeline.hides, "what could have been done")
    found, until = one.history.at(at_s)
    none = CoachView(since_s=found.at_s, until_s=until, player=None, words="", did=None, best=[])
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


def _told(one: OpenGame, found: MatchMoment, none: CoachView, at_s: float, unit: LengthUnit) -> CoachView:
    done = list(_followed(one, found))
    if not done:
        return none.model_copy(update={"words": "Nothing was to be done at this moment."})
    match = done[0].match
    status = match.game.status(match.state, Viewer())
    player = done[0].player or status.player
    if status.over or player is None:
        return none.model_copy(update={"words": "Nothing was to be done at this moment."})
    table = one.table_at(_before(done, at_s))
    seen = Seen(_at_rest(table), {}, one.reader.table.board)
    position = Position.of(match, seen, player)
    deeds = [_deed(one, d, player) for d in done if d.first.kind == "action" and d.player == player]
    until = time.monotonic() + THINKS_S
    seed = f"{match.game.about.id} {found.number}"
    told = coached(position, deeds, seed=seed, clock=time.monotonic, until=until)
    view = _viewer_of(table, unit, told.did is not None)
    return none.model_copy(
        update={
            "player": player,
            "words": _words(told, done[0]),
            "did": None if told.did is None else view(told.did),
            "best": [view(prospect) for prospect in told.best],
        }
    )


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


def _at_rest(table: TableState) -> TableState:
    """The table as it stood before a hand took anything."""
    still = (
        replace(s, status=Status.STILL) if s.status is Status.MOVING else s for s in table.standings
    )  # fmt: skip
    return replace(table, standings=tuple(still))


def _deed(one: OpenGame, done: _Done, player: str) -> Deed[Any]:
    """What was done, with what was seen of it, from the record."""
    said = by_ids(done.first).data
    ruled = next((e.data for e in done.events if e.kind == UNMEASURED), None)
    action = Action(
        said["kind"], said["player"], said["data"],
        None if ruled is None else Unmeasured(ruled["why"], ruled["by"]),
    )  # fmt: skip
    ranges = ranges_in(done.first).values()
    moves = [move_of(one.reader, r, _shift(done.entry), done.entry.at_s) for r in ranges]
    board = one.reader.table.board
    table = _at_rest(one.table_at(done.entry.at_s))
    position = Position.of(done.match, Seen(table, {}, board), player)
    words = told_to(done.first, Viewer())
    seen = Seen(table, {move.id: move for move in moves}, board)
    how = "".join(f" ({move.recognised().words})" for move in moves)
    return Deed(position, action, seen, "" if words is None else words.words + how)


def _words(told: Coached, done: _Done) -> str:
    """How it is to be read."""
    if not told.best:
        sealed = done.first.kind == "sealed"
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


def _viewer_of(table: TableState, unit: LengthUnit, did: bool) -> Callable[[Prospect], ProspectView]:
    """How a prospect is told: in this unit, with the shape of its piece."""
    footprints = {key_of(s.name): s.piece.body.footprint for s in table.standings}
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
