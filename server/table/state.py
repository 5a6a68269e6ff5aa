"""What is told of a table: the whole state as one wish asks for it, and the difference to another.

Both are made and written once for all viewers with the same wish: `Broadcast` keeps them while they are new.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from calibration.gains import Gain
from engine.boards.board import Free
from engine.errors import TableRefError
from engine.game.contract import Question
from engine.game.registry import STUMBLES
from engine.space.geometry import Pose
from engine.space.table import TableState
from server.formats import units
from server.formats.units import LengthUnit
from server.pipeline.referee import Moment
from server.pipeline.runner import NumberedEvent, Snapshot
from server.table import gate, messages, projection
from server.table.preview import way_views
from server.table.projection import Space
from server.table.questions.ruling_messages import DisputeView, RulingView
from server.table.questions.ruling_view import mark_view, question_view, ruling_view, stale_words, surer_words
from server.table.questions.rulings import Rulings, key_of_question

log = logging.getLogger("tableref.viewer")

EVENTS_SHOWN = 40
"""How many of the last events a newcomer is told."""

ANSWERS_KEPT = 64
"""Answers that may be shown again: those of all wishes to a table at rest."""

SNAPSHOTS_KEPT = 2
"""Snapshots that are told at a time: one page may still be at work on the last while another has the next."""

Frozen = Callable[[LengthUnit], DisputeView | None]
"""Tells of the dispute that is open, in a viewer's unit."""


@dataclass(frozen=True)
class Wish:
    """What a viewer wants to see and know."""

    view: messages.View = "table"
    unit: LengthUnit = "in"
    pieces: tuple[str, ...] = ()
    question: str | None = None


class Named(Protocol):
    """Where pictures come from."""

    @property
    def name(self) -> str:
        """How to call it in a sentence."""
        ...


class Watched(Protocol):
    """What a viewer looks at: a live table, or a recorded one as it is played."""

    @property
    def source(self) -> Named:
        """Where the pictures come from."""
        ...

    @property
    def clock(self) -> Callable[[], float]:
        """Seconds of a clock that never jumps."""
        ...

    @property
    def snapshot(self) -> Snapshot:
        """The newest that is known; the same object as long as nothing is new."""
        ...

    @property
    def began(self) -> float | None:
        """When the source's first picture was taken, on its own clock."""
        ...

    @property
    def film(self) -> bool:
        """Whether what is watched live was taken before: nobody can do anything on that table."""
        ...

    @property
    def can_move(self) -> bool:
        """Whether pieces can be moved from the page."""
        ...

    def move(self, name: str, pose: Pose) -> None:
        """Moves a piece of a simulated table; a clear error elsewhere."""
        ...

    def lift(self, name: str) -> None:
        """Takes a piece off a simulated table until it is moved again; a clear error elsewhere."""
        ...

    def lay_hand(self, at: tuple[float, float] | None) -> None:
        """Lays a hand over a simulated table, or takes it away; a clear error elsewhere."""
        ...

    def watch(self, wake: Callable[[], None]) -> Callable[[], None]:
        """Calls `wake` whenever there is news; returns how to stop that."""
        ...


def whole_state(
    live: Watched,
    rulings: Rulings,
    snapshot: Snapshot,
    wish: Wish,
    delay: float | None = None,
    frozen: Frozen | None = None,
    answers: Answers | None = None,
) -> messages.State:
    """Everything that a viewer with this wish should know now; `answers` keeps what was worked out before."""
    moment = snapshot.moment
    space = None if moment is None else projection.space_for(moment, wish.view)
    table = None if moment is None else moment.table
    board = rulings.board(Free() if moment is None else moment.board)
    hidden = rulings.hides
    drawn = None if table is None else rulings.there(table)
    drawn = gate.table_of(drawn) if hidden and drawn is not None else drawn
    asked = (answers or Answers(rulings)).to(table, wish, space, () if moment is None else moment.gains)
    return messages.State(
        number=snapshot.number,
        time=None if moment is None else units.moment(moment.time),
        selection=messages.Selection(
            pieces=list(wish.pieces), question=wish.question, view=wish.view, unit=wish.unit
        ),
        bounds=None if moment is None else projection.bounds_of(moment, wish.view),
        table=None
        if table is None or space is None
        else projection.table_view(table.surface, space, wish.unit, board, hidden=hidden),
        pieces=[] if drawn is None else projection.piece_views(drawn, space, wish.unit, board, hidden=hidden),
        picture=None if moment is None else picture_info(moment, wish.view),
        source=messages.SourceInfo(
            name=live.source.name,
            state=snapshot.state,
            words=snapshot.words,
            can_move=live.can_move,
            film=live.film,
            board="free" if moment is None else moment.board.kind,
            blind="" if moment is None else units.retold(moment.blind, wish.unit),
            began=None if live.began is None else round(live.began, 3),
        ),
        playback=snapshot.playback,
        road=None
        if drawn is None or not snapshot.playback
        else projection.road_view(drawn, board, wish.unit),
        rates=rates_of(snapshot, delay),
        surface=None if moment is None else surface_info(moment, wish.unit),
        notices=[gate.scrubbed(units.retold(n, wish.unit), hidden) for n in snapshot.notices],
        events=[event_view(e, wish.unit, hidden) for e in snapshot.events[-EVENTS_SHOWN:]],
        book=rulings.book,
        questions=asked.questions,
        asked=asked.key,
        reach=asked.reach,
        ruling=asked.ruling,
        refusal=asked.refusal,
        turn=rulings.turn(),
        dispute=None if frozen is None else frozen(wish.unit),
        ways=[] if moment is None else way_views(moment, space, wish.unit, hidden=hidden),
        things=[] if drawn is None else projection.thing_views(drawn, space),
        away=[] if drawn is None else [p.name for p in drawn.unplaced if p.spot is not None],
    )


def picture_info(moment: Moment, view: messages.View) -> messages.Picture:
    """The size of the camera's picture; it follows where it is looked at."""
    width, height = moment.frame.size
    return messages.Picture(width=width, height=height, follows=view == "picture")


def surface_info(moment: Moment, unit: LengthUnit) -> messages.SurfaceInfo | None:
    """How well the table's place is known; None until it has been found."""
    surface = moment.surface
    if surface is None:
        return None
    return messages.SurfaceInfo(
        residual=round(surface.residual, 4),
        residual_words=units.deviation(surface.residual, unit),
        note=units.retold(surface.note, unit),
    )


@lru_cache(maxsize=4 * EVENTS_SHOWN)
def event_view(numbered: NumberedEvent, unit: LengthUnit, hidden: bool = False) -> messages.EventView:
    """An event for the page; where distances are `hidden` it tells none."""
    event = numbered.event
    return messages.EventView(
        number=numbered.number,
        entry=numbered.entry,
        time=units.moment(numbered.after),
        time_words=units.seconds(numbered.after),
        kind=event.kind,
        piece=event.piece,
        words=gate.scrubbed(units.retold(event.words, unit), hidden),
        undone=numbered.undone,
    )


@dataclass
class _Asked:
    """What a viewer asks, and all that comes of it; `about` is the question that was answered."""

    questions: list[messages.QuestionView] = field(default_factory=list)
    key: str | None = None
    reach: list[messages.MarkView] = field(default_factory=list)
    ruling: RulingView | None = None
    refusal: str | None = None
    about: Question | None = None

    def at(self, table: TableState | None) -> _Asked:
        """The same answer of a table on which everything is measured alike, as of its time."""
        if self.ruling is None or self.about is None or table is None:
            return self
        ends = [table.find(name) for name in self.about.pieces]
        now = {"time": round(table.time, 3), "stale": stale_words(ends, table.time)}
        return replace(self, ruling=self.ruling.model_copy(update=now))


class _Same:
    """An object as a key: equal to itself alone, whatever its class says."""

    def __init__(self, it: object) -> None:
        self._it = it

    def __hash__(self) -> int:
        return id(self._it)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other._it is self._it


class Answers:
    """What is asked of a table, worked out anew once anything has changed on which the answer may depend.

    That is the wish, the game and the state of its match, and all of the table but the time of its frame.
    Whether it may be measured is asked each time; what is refused is not kept. May be used from any thread.
    """

    def __init__(self, rulings: Rulings) -> None:
        self._rulings = rulings
        self._lock = threading.Lock()
        self._known: OrderedDict[Hashable, _Asked] = OrderedDict()

    def to(
        self, table: TableState | None, wish: Wish, space: Space | None, gains: tuple[Gain, ...] = ()
    ) -> _Asked:
        """What may be asked of the pieces that are picked, and the answer; never raises.

        `gains` are what would make the table surer.
        """
        game, state = played = self._rulings.played
        facts = None if table is None else table.facts
        key = _Same(game), _Same(state), wish.pieces, wish.question, wish.unit, space, facts, _Same(gains)
        with self._lock:
            known = self._known.get(key)
        if known is not None and self._open(known):
            return known.at(table)
        found = _asked(table, self._rulings, wish, space, gains)
        # A match that went on meanwhile was asked in its new state.
        now = self._rulings.played
        if found.refusal is None and all(a is b for a, b in zip(now, played, strict=True)):
            with self._lock:
                self._known[key] = found
                while len(self._known) > ANSWERS_KEPT:
                    self._known.popitem(last=False)
        return found

    def _open(self, known: _Asked) -> bool:
        try:
            if known.about is not None:
                self._rulings.verify_open(known.about)
        except STUMBLES:
            # Whoever asks anew is told what it is.
            return False
        return True


def _asked(
    table: TableState | None,
    rulings: Rulings,
    wish: Wish,
    space: Space | None,
    gains: tuple[Gain, ...],
) -> _Asked:
    """What may be asked of the pieces that are picked, and the answer; never raises."""
    found = _Asked()
    try:
        if table is not None and not table.standings:
            # Before anything has been seen, or when a film begins again, there is nothing to refuse.
            return found
        picked = [] if table is None else [table.find(name).name for name in wish.pieces]
        found.questions = [question_view(q, wish.unit) for q in rulings.questions(picked)]
        if table is None or (not picked and wish.question is None):
            return found
        question = found.about = rulings.find(picked, wish.question)
        found.key = key_of_question(question)
        if space is not None and question.pieces:
            found.reach = [mark_view(m, space, wish.unit) for m in rulings.reach(question, table)]
        if not question.missing:
            ruling = rulings.ask(question, table)
            surer = surer_words(rulings, question, ruling, table, gains, wish.unit)
            found.ruling = ruling_view(table, ruling, question, space, wish.unit, surer)
    except TableRefError as error:
        found.refusal = str(error)
    except STUMBLES:
        # A question that breaks the engine must not take the table from the page.
        log.exception("no ruling on %s", wish)
        found.refusal = "This could not be ruled; see the log."
    return found


def rates_of(snapshot: Snapshot, delay: float | None) -> messages.Rates:
    """How fast it goes, in figures and words."""
    said = f"{snapshot.fps:.1f} frames a second"
    if snapshot.seeing > 0:
        said += f", judged in {1000 * snapshot.seeing:.0f} ms"
    if delay is not None:
        said += f", on this page after {1000 * delay:.0f} ms"
    return messages.Rates(
        fps=round(snapshot.fps, 1),
        seeing=round(snapshot.seeing, 3),
        delay=None if delay is None else round(delay, 3),
        words=said,
    )


REPLACED = (
    "selection", "bounds", "table", "source", "playback", "road", "rates", "surface", "notices", "questions",
    "asked", "reach", "ruling", "refusal", "turn", "dispute", "ways", "things", "away",
)  # fmt: skip
"""Fields that a change replaces as a whole."""


def difference(old: messages.State, new: messages.State) -> messages.StateChange | None:
    """What a viewer that knows `old` has to be told to know `new`; None if nothing."""
    changed: dict[str, Any] = {
        name: getattr(new, name) for name in REPLACED if getattr(new, name) != getattr(old, name)
    }
    if old.ruling and new.ruling and new.ruling.model_copy(update={"time": old.ruling.time}) == old.ruling:
        # The same answer a frame later is no news.
        changed.pop("ruling", None)
    before = {p.name: p for p in old.pieces}
    # What rests is the very same view: no need to compare it point by point.
    pieces = [p for p in new.pieces if (b := before.get(p.name)) is not p and b != p]
    gone = sorted(before.keys() - {p.name for p in new.pieces})
    last = old.events[-1].number if old.events else 0
    events = [e for e in new.events if e.number > last]
    for name, value in (("pieces", pieces), ("gone", gone), ("events", events)):
        if value:
            changed[name] = value
    if new.picture is not None and (new.picture.follows or old.picture is None):
        changed["picture"] = new.picture
    if not changed:
        return None
    return messages.StateChange(type="change", number=new.number, time=new.time, **changed)


# Once for all

HEAD = frozenset({"type", "protocol", "number", "time"})
OWN = frozenset({"rates", "picture", "dispute"})
"""What differs between viewers with the same wish: how late it is for them, whether a picture comes with it,
and what they may do in a dispute."""

NO_RATES = messages.Rates(fps=0.0, seeing=0.0, delay=None, words="")


@dataclass(frozen=True)
class Written:
    """A message without its head and without what is a viewer's own; `text` are its fields as JSON."""

    message: messages.State | messages.StateChange | None
    text: str


class Edition:
    """What everybody with one wish is told of a snapshot."""

    def __init__(self, state: messages.State) -> None:
        self.state = state
        self._changes: WeakKeyDictionary[Edition, Written] = WeakKeyDictionary()

    @cached_property
    def whole(self) -> Written:
        """For whoever knows nothing yet."""
        return Written(self.state, self.state.model_dump_json(exclude={*HEAD, *OWN})[1:-1])

    def since(self, old: Edition) -> Written:
        """For whoever knows that one."""
        found = self._changes.get(old)
        if found is None:
            change = difference(old.state, self.state)
            text = "" if change is None else change.model_dump_json(exclude_unset=True, exclude={*HEAD})
            found = self._changes[old] = Written(change, text[1:-1])
        return found


_Editions = dict[tuple[Wish, int | None], Edition]


class Broadcast:
    """The editions of the newest snapshots of a table. May be used from any thread."""

    def __init__(self, live: Watched, rulings: Rulings) -> None:
        self._live = live
        self._rulings = rulings
        self._answers = Answers(rulings)
        self._lock = threading.Lock()
        self._kept: deque[tuple[tuple[object, ...], _Editions]] = deque(maxlen=SNAPSHOTS_KEPT)

    def known(self, snapshot: Snapshot, wish: Wish, turn: int | None) -> Edition | None:
        """The edition, if it has been made."""
        return self._editions_of(snapshot).get((wish, turn))

    def edition(
        self, snapshot: Snapshot, wish: Wish, turn: int | None, told: Edition | None = None
    ) -> Edition:
        """What this wish is told of a snapshot, also as the difference to what was `told` before."""
        editions = self._editions_of(snapshot)
        found = editions.get((wish, turn))
        if found is None:
            state = whole_state(self._live, self._rulings, snapshot, wish, answers=self._answers)
            blank = {"turn": turn, "rates": NO_RATES, "picture": None, "dispute": None}
            found = editions.setdefault((wish, turn), Edition(state.model_copy(update=blank)))
        if told is not None:
            found.since(told)
        return found

    def _editions_of(self, snapshot: Snapshot) -> _Editions:
        now = (snapshot, *self._rulings.played)
        with self._lock:
            for of, editions in self._kept:
                # As objects: equal states of a match take long to compare, and what is new is another object.
                if all(a is b for a, b in zip(of, now, strict=True)):
                    return editions
            self._kept.append((now, {}))
            return self._kept[-1][1]
