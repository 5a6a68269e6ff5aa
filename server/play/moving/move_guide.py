"""The screen of whoever moves a piece: what the game makes of a move before, while and after it is made.

A move belongs to a piece from the moment it leaves its place until the game has taken it: whoever is told
that something is off may push on, pull back, or put the piece where its ghost stands.
"""

from __future__ import annotations

import logging
import math
import threading
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from engine.errors import TableRefError
from engine.game.answering import failed, held_patiently
from engine.game.log.places import SURE, Place, in_place, off_place, off_words, place_of, standing_still
from engine.game.match import Match
from engine.game.records import to_json
from engine.game.registry import STUMBLES
from engine.game.showing import Awaited, Guide
from engine.motion.moves import Move
from engine.ruling import Verdict
from engine.space.table import Standing, Status, key_of
from server.formats import units
from server.moves.segmentation import WORTH_TELLING
from server.pipeline.referee import Moment
from server.pipeline.runner import Runner, Snapshot
from server.play.host import MatchHost
from server.play.messages import GuideView
from server.play.moving.seeing import owned

log = logging.getLogger("tableref.play")

LIES_IN, LIES_TURNED = 0.05, math.radians(1.0)
"""Inches and radians within which a piece lies as it was measured (house default)."""

LOOK_EVERY = 0.15
"""Seconds of the source between two recognitions of a piece that is moved."""


ENDED_KEPT = 100
"""Moments with moves that may wait to be taken in while nobody looks."""


class MoveGuide:
    """Follows the pieces that a game awaits. Safe from any thread; dark while the players say their moves.

    `view` is what is shown, `moves` are those that a page may name: at rest, and not taken yet.
    """

    def __init__(self, runner: Runner, host: MatchHost) -> None:
        self._runner = runner
        self._host = host
        self._lock = threading.Lock()
        self._awaited: dict[str, Awaited] = {}
        self._starts: dict[str, Place] = {}
        self._since: dict[str, float] = {}
        self._asked = False
        self._unlooked: set[str] = set()
        """Those of which it is still to be seen whether they lie by a move that was undone."""
        self._pending: dict[str, Move] = {}
        self._looked = (-1, -math.inf)
        self._rests_until = -math.inf
        self._last: tuple[float, GuideView | None] = (-math.inf, None)
        self._read: dict[str, float] = {}
        self._tried: list[tuple[str, float]] = []
        self._ended: deque[tuple[tuple[int, float], Iterable[Move]]] = deque(maxlen=ENDED_KEPT)
        self._taken: deque[tuple[int, float]] = deque(maxlen=ENDED_KEPT)
        host.seeing.moves = self.moves
        host.seeing.put_back = self.put_back
        runner.watch(self._look)
        host.watch(self._changed, asks=True)

    def moves(self) -> Mapping[str, Move]:
        """By id, what was seen of the pieces that are awaited, the newest last."""
        with held_patiently(self._lock):
            moment = self._take_in()
            found = dict(self._pending)
            for move in () if moment is None else moment.under_way.values():
                name = key_of(move.piece)
                if name in self._awaited and move.after.status is Status.STILL:
                    whole = self._whole(move)
                    if whole is not None:
                        found[name] = whole
        return {move.id: move for move in sorted(found.values(), key=lambda move: move.until)}

    def resting(self) -> tuple[tuple[Awaited, Move], ...]:
        """The moves that rest and the game has not taken, the newest first, each with what awaits it."""
        moves = self.moves()
        with held_patiently(self._lock):
            found = [(self._awaited.get(key_of(move.piece)), move) for move in moves.values()]
        return tuple((awaited, move) for awaited, move in reversed(found) if awaited is not None)

    def put_back(self) -> tuple[tuple[str, float], ...]:
        """The pieces that were moved and put back since it was asked last, with the inches that were read."""
        with held_patiently(self._lock):
            self._take_in()
            found, self._tried = tuple(self._tried), []
        return found

    def _changed(self) -> None:
        """The game goes on: what ended before it awaited a piece is no move that it takes."""
        with held_patiently(self._lock):
            self._remember()
            self._ask()

    def _look(self) -> None:
        """Remembers every move that ends, also while no page looks."""
        moment = self._runner.snapshot.moment
        # Asked for every moment by the thread that sees, which waits for no page and no game.
        if moment is not None and moment.moves:
            self._ended.append(((moment.index, moment.time), moment.moves))

    def _take_in(self) -> Moment | None:
        """The newest moment, with the moves that ended in it remembered, once.

        Whoever asks before its watchers are woken must find them too: they are under way no more, and dice
        that are typed for one would be refused.
        """
        self._ask()
        moment = self._runner.snapshot.moment
        if moment is None or (moment.index, moment.time) == self._looked:
            return moment
        self._remember()
        self._looked = (moment.index, moment.time)
        self._take(self._looked, moment.moves)
        self._let_go(moment)
        self._look_back(moment)
        return moment

    def _let_go(self, moment: Moment) -> None:
        """Lets go of moves whose pieces rest elsewhere by now: nobody saw how, and the table counts.

        One that was only nudged, too little to be a move, has been driven to where it rests now. So has one
        whose place is known otherwise, as by a camera that was bumped: the record tells it so as well.
        """
        under_way = {key_of(name) for name in moment.under_way}
        for name, move in list(self._pending.items()):
            now = standing_still(self._awaited[name].piece, moment.table)
            if now is None or name in under_way or _same(move.after, now):
                continue
            self._last = (-math.inf, None)
            if _lies(move.after, now, WORTH_TELLING, WORTH_TELLING):
                self._pending[name] = replace(move, after=now)
            else:
                del self._pending[name]

    def _remember(self) -> None:
        """Takes in what has ended since the last look."""
        while self._ended:
            self._take(*self._ended.popleft())

    def _take(self, of: tuple[int, float], moves: Iterable[Move]) -> None:
        """Takes in the moves that ended in a moment, once."""
        if of in self._taken:
            return
        self._taken.append(of)
        for move in moves:
            if key_of(move.piece) in self._awaited:
                whole = self._whole(move)
                if whole is not None:
                    self._pending[key_of(move.piece)] = whole
                else:
                    self._pending.pop(key_of(move.piece), None)
                self._last = (-math.inf, None)

    def _look_back(self, moment: Moment) -> None:
        """Which pieces whose way was read rest where they began, with no move to be taken."""
        for name in list(self._read):
            awaited = self._awaited.get(name)
            standing = None if awaited is None else standing_still(awaited.piece, moment.table)
            place = self._starts.get(name)
            if awaited is None or place is None:
                del self._read[name]
            elif name not in self._pending and standing is not None and in_place(place, standing):
                self._tried.append((awaited.piece, self._read.pop(name)))

    def _ask(self) -> None:
        """Which pieces the game awaits now; what is awaited anew has not been moved yet."""
        match = self._host.match
        dark = match is None or self._host.modes.moves == "ask"
        awaits = () if dark or match is None else _awaits(match)
        # The first of several kinds that may take a piece's move is what usually comes of it.
        awaited = {key_of(a.piece): a for a in reversed(awaits)}
        places = {} if match is None else {key_of(name): place for name, place in match.places.items()}
        starts = {n: places[n] for n, a in awaited.items() if n in places and not a.anywhere}
        if (awaited, starts) == (self._awaited, self._starts):
            self._look_undone()
            return
        was = self._awaited
        kept = {
            n for n, a in awaited.items()
            if n in was and was[n].key == a.key and starts.get(n) == self._starts.get(n)
        }  # fmt: skip
        self._pending = {name: move for name, move in self._pending.items() if name in kept}
        self._read = {name: inches for name, inches in self._read.items() if name in kept}
        moment = self._runner.snapshot.moment
        now = -math.inf if moment is None or not self._asked else moment.time
        self._asked = True
        self._since = {name: self._since.get(name, now) if name in kept else now for name in awaited}
        self._awaited, self._starts, self._last = awaited, starts, (-math.inf, None)
        self._unlooked = (self._unlooked & kept) | (awaited.keys() - kept)
        self._look_undone()

    def _look_undone(self) -> None:
        """The pieces that rest and may lie by a move that was undone: that can be taken again.

        Each is looked at once, as soon as it rests: a hand may lie over it, or the program has just begun.
        """
        match, moment = self._host.match, self._runner.snapshot.moment
        if match is None or moment is None or not self._unlooked:
            return
        self._unlooked -= self._pending.keys()
        for name in list(self._unlooked):
            now = standing_still(self._awaited[name].piece, moment.table)
            if now is None:
                continue
            self._unlooked.remove(name)
            move = self._lying(match, now, self._starts.get(name))
            if move is not None:
                self._pending[name], self._since[name] = move, move.since
                self._last = (-math.inf, None)

    def _lying(self, match: Match[Any], now: Standing, start: Place | None) -> Move | None:
        """The move of a piece that was undone, where the piece still lies as it was measured.

        It can be taken again: a tap too much costs nobody a whole drive.
        """
        for batch in reversed(match.undone):
            for move in self._host.seeing.took(batch.events[0]).values():
                if key_of(move.piece) != key_of(now.name):
                    continue
                began = start is None or in_place(start, move.start)
                return move if began and _lies(move.after, now) else None
        return None

    def _whole(self, move: Move) -> Move | None:
        """A move with what the same piece did before and the game has not taken, from where it has to stand.

        None where it did not begin there: a piece that is put back makes no move of the game.
        """
        name = key_of(move.piece)
        before, place = self._pending.get(name), self._starts.get(name)
        pending = before
        # One that was taken while it rested, and undone, is pushed on as a part of this one: it went once.
        while pending is not None and pending.until > move.since:
            pending = pending.earlier
        whole = move if pending is None else pending.and_then(move)
        since = self._since.get(name, -math.inf)
        if move.until <= since and before is None:
            return None  # it had ended before it was awaited
        if place is None:
            return whole
        return whole.beginning(lambda standing: in_place(place, standing), since)

    def view(self, snapshot: Snapshot) -> GuideView | None:
        """What is shown at that moment; None while there is nothing to show."""
        moment = snapshot.moment
        if moment is None:
            return None
        with held_patiently(self._lock):
            self._take_in()
            if not self._awaited:
                return None
            since, last = self._last
            soon = 0.0 <= moment.time - since < LOOK_EVERY or self._runner.clock() < self._rests_until
            if last is not None and soon:
                return last
            began = self._runner.clock()
            found = self._view(moment)
            self._last = (moment.time, found)
            # Two thirds of a processor are left for seeing the table, however long the way has grown.
            self._rests_until = 3.0 * self._runner.clock() - 2.0 * began
            return found

    def _view(self, moment: Moment) -> GuideView | None:
        for move in moment.under_way.values():
            awaited = self._awaited.get(key_of(move.piece))
            whole = None if awaited is None else self._whole(move)
            if awaited is not None and whole is not None and move.reads:
                return self._guide(awaited, whole, moment)
        under_way = {key_of(move.piece) for move in moment.under_way.values()}
        for name, move in self._pending.items():
            if name in under_way:
                # It is pushed on: what it was told at rest is over, also while a hand hides its tag.
                move = replace(move, after=replace(move.after, status=Status.MOVING))  # noqa: PLW2901
            return self._guide(self._awaited[name], move, moment)
        if len(self._awaited) != 1:
            return None
        (awaited,) = self._awaited.values()
        return self._put_back(awaited, moment) or self._guide(awaited, None, moment)

    def _put_back(self, awaited: Awaited, moment: Moment) -> GuideView | None:
        """What is shown of a piece that has to go back before its move begins; None for one that stands."""
        place = self._starts.get(key_of(awaited.piece))
        standing = next((s for s in moment.table.standings if key_of(s.name) == key_of(awaited.piece)), None)
        if place is None or standing is None or in_place(place, standing):
            return None
        off = off_words(*off_place(place, standing))
        where = "where the rules put it" if place.ruled else "its place"
        words = f"It stands {off} from {where}: the dashed shape shows where."
        deed = f"Put {awaited.piece} on its shape first" if place.ruled else f"Put {awaited.piece} back first"
        return GuideView(
            piece=awaited.piece, kind=awaited.kind, player=awaited.player, phase="unseen",
            headline=deed, words=units.retold(words),
        )  # fmt: skip

    def _guide(self, awaited: Awaited, move: Move | None, moment: Moment) -> GuideView | None:
        match = self._host.match
        table = owned(moment.table, self._host.owners)
        if match is None or table is None:
            return None
        try:
            guide = match.game.guide(match.state, awaited, move, table)
        except STUMBLES as error:
            if not isinstance(error, TableRefError):
                log.exception("%s does not guide a move", match.game.about.title)
            words = str(error) if isinstance(error, TableRefError) else failed(match.game, error)
            return GuideView(
                piece=awaited.piece, kind=awaited.kind, player=awaited.player, phase="unseen",
                headline=awaited.piece, words=words,
            )  # fmt: skip
        if guide.progress is not None and move is not None:
            name = key_of(awaited.piece)
            self._read[name] = max(guide.progress.used, self._read.get(name, 0.0))
        return guide_view(awaited, guide, move)


def _awaits(match: Match[Any]) -> tuple[Awaited, ...]:
    """What a game awaits; nothing where it does not say, so that what it is asked of goes on."""
    try:
        return tuple(match.game.awaits(match.state))
    except STUMBLES:
        log.exception("%s does not say what it awaits", match.game.about.title)
        return ()


def _same(after: Standing, now: Standing) -> bool:
    """Whether the very same is known of where a piece rests."""
    return after.pose == now.pose and after.uncertainty is now.uncertainty


def _lies(after: Standing, now: Standing, inches: float = LIES_IN, radians: float = LIES_TURNED) -> bool:
    """Whether a piece lies where a move of it ended: it is not surely farther off, or turned by more."""
    away, turned = off_place(place_of(after), now)
    total = now.uncertainty.total + after.uncertainty.total
    sd, sd_turned = math.sqrt(max(total[0, 0], total[1, 1])), math.sqrt(total[2, 2])
    return away <= inches + SURE * sd and abs(turned) <= radians + SURE * sd_turned


def guide_view(awaited: Awaited, guide: Guide, move: Move | None) -> GuideView:
    """A guide as a page is told it, with inches as people write them."""
    progress = None if guide.progress is None else to_json(guide.progress)
    if progress is not None:
        progress["words"] = units.retold(progress["words"])
    return GuideView(
        piece=guide.piece,
        kind=awaited.kind,
        player=awaited.player,
        phase=guide.phase,
        headline=units.retold(guide.headline),
        words=units.retold(guide.words),
        verdict=None if guide.verdict is None else guide.verdict.value,
        progress=progress,
        steps=[units.retold(step) for step in guide.steps],
        facts=[units.retold(fact) for fact in guide.facts],
        reasons=_against(guide),
        marks=[to_json(mark) for mark in guide.marks],
        take=guide.take,
        move=None if move is None or guide.phase != "rested" else move.id,
        said=dict(guide.said),
    )


def _against(guide: Guide) -> list[dict[str, Any]]:
    """What the ruling has against the move."""
    checks = () if guide.ruling is None else guide.ruling.checks
    return [
        {"name": c.name, "words": units.retold(c.words), "citation": c.citation, "verdict": c.verdict.value}
        for c in checks
        if c.verdict is not Verdict.YES
    ]
