"""One viewer: what it asked for, what it has been told, and what is new for it."""

from __future__ import annotations

import logging
import struct
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from statistics import median
from typing import Any, Protocol

from engine.boards.free import Free
from engine.errors import TableRefError
from engine.space.geometry import Pose
from engine.space.table import TableState
from server.formats import units
from server.formats.jpeg import jpeg
from server.formats.units import LengthUnit
from server.pipeline.referee import Moment
from server.pipeline.snapshot import NumberedEvent, Snapshot
from server.table.messages import (
    EventView,
    MarkView,
    Picture,
    QuestionView,
    Rates,
    Refused,
    Selection,
    SourceInfo,
    State,
    StateChange,
    SurfaceInfo,
    View,
)
from server.table.preview import way_views
from server.table.projection import Space, bounds_of, piece_views, road_view, space_for, table_view
from server.table.ruling_messages import DisputeView, RulingView
from server.table.ruling_view import mark_view, question_view, ruling_view
from server.table.rulings import Rulings, key_of_question
from vision.frame import Frame

log = logging.getLogger("tableref.viewer")

EVENTS_SHOWN = 40
"""How many of the last events a newcomer is told."""

RATES_EVERY = 0.5
"""Seconds between two tellings of the rates: figures that flicker cannot be read."""

PICTURE_WIDTH = 1440
"""Pixels; a wider camera picture is made smaller on its way to the page."""

PICTURE_QUALITY = 80

AHEAD = 1
"""How many messages may be under way to a viewer before it says that it has drawn one.

A second one would only grow old while the page draws the first."""


Frozen = Callable[[LengthUnit], DisputeView | None]
"""Tells of the dispute that is open, in a viewer's unit."""


@dataclass(frozen=True)
class Wish:
    """What a viewer wants to see and know."""

    view: View = "table"
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
    def can_move(self) -> bool:
        """Whether pieces can be moved from the page."""
        ...

    def move(self, name: str, pose: Pose) -> None:
        """Moves a piece of a simulated table; a clear error elsewhere."""
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
) -> State:
    """Everything that a viewer with this wish should know now."""
    moment = snapshot.moment
    space = None if moment is None else space_for(moment, wish.view)
    table = None if moment is None else moment.table
    board = rulings.board(Free() if moment is None else moment.board)
    asked = _asked(table, rulings, wish, space)
    return State(
        number=snapshot.number,
        time=None if moment is None else round(moment.time, 3),
        selection=Selection(pieces=list(wish.pieces), question=wish.question, view=wish.view, unit=wish.unit),
        bounds=None if moment is None else bounds_of(moment, wish.view),
        table=None if table is None or space is None else table_view(table.surface, space, wish.unit, board),
        pieces=[] if table is None else piece_views(table, space, wish.unit, board),
        picture=None if moment is None else picture_info(moment, wish.view),
        source=SourceInfo(
            name=live.source.name,
            state=snapshot.state,
            words=snapshot.words,
            can_move=live.can_move,
            began=None if live.began is None else round(live.began, 3),
        ),
        playback=snapshot.playback,
        road=None if table is None or not snapshot.playback else road_view(table, board, wish.unit),
        rates=rates_of(snapshot, delay),
        surface=None if moment is None else surface_info(moment, wish.unit),
        notices=[units.retold(n, wish.unit) for n in snapshot.notices],
        events=[event_view(e, wish.unit) for e in snapshot.events[-EVENTS_SHOWN:]],
        book=rulings.book,
        questions=asked.questions,
        asked=asked.key,
        reach=asked.reach,
        ruling=asked.ruling,
        refusal=asked.refusal,
        turn=rulings.turn(),
        dispute=None if frozen is None else frozen(wish.unit),
        ways=[] if moment is None else way_views(moment, space, wish.unit),
    )


def picture_info(moment: Moment, view: View) -> Picture:
    """The size of the camera's picture; it follows where it is looked at."""
    width, height = moment.frame.size
    return Picture(width=width, height=height, follows=view == "picture")


def surface_info(moment: Moment, unit: LengthUnit) -> SurfaceInfo | None:
    """How well the table's place is known; None until it has been found."""
    surface = moment.surface
    if surface is None:
        return None
    return SurfaceInfo(
        residual=round(surface.residual, 4),
        residual_words=units.deviation(surface.residual, unit),
        note=units.retold(surface.note, unit),
    )


@lru_cache(maxsize=4 * EVENTS_SHOWN)
def event_view(numbered: NumberedEvent, unit: LengthUnit) -> EventView:
    """An event for the page."""
    event = numbered.event
    return EventView(
        number=numbered.number,
        entry=numbered.entry,
        time=round(numbered.after, 1),
        time_words=units.seconds(numbered.after),
        kind=event.kind,
        piece=event.piece,
        words=units.retold(event.words, unit),
    )


@dataclass
class _Asked:
    """What a viewer asks, and all that comes of it."""

    questions: list[QuestionView] = field(default_factory=list)
    key: str | None = None
    reach: list[MarkView] = field(default_factory=list)
    ruling: RulingView | None = None
    refusal: str | None = None


def _asked(table: TableState | None, rulings: Rulings, wish: Wish, space: Space | None) -> _Asked:
    """What may be asked of the pieces that are picked, and the answer; never raises."""
    found = _Asked()
    try:
        picked = [] if table is None else [table.find(name).name for name in wish.pieces]
        found.questions = [question_view(q, wish.unit) for q in rulings.questions(picked)]
        if table is None or (not picked and wish.question is None):
            return found
        question = rulings.find(picked, wish.question)
        found.key = key_of_question(question)
        if space is not None and question.pieces:
            found.reach = [mark_view(m, space, wish.unit) for m in rulings.reach(question, table)]
        if not question.missing:
            found.ruling = ruling_view(table, rulings.ask(question, table), question, space, wish.unit)
    except TableRefError as error:
        found.refusal = str(error)
    except Exception:
        # A question that breaks the engine must not take the table from the page.
        log.exception("no ruling on %s", wish)
        found.refusal = "This could not be ruled; see the log."
    return found


def rates_of(snapshot: Snapshot, delay: float | None) -> Rates:
    """How fast it goes, in figures and words."""
    said = f"{snapshot.fps:.1f} frames a second"
    if snapshot.seeing > 0:
        said += f", judged in {1000 * snapshot.seeing:.0f} ms"
    if delay is not None:
        said += f", on this page after {1000 * delay:.0f} ms"
    return Rates(
        fps=round(snapshot.fps, 1),
        seeing=round(snapshot.seeing, 3),
        delay=None if delay is None else round(delay, 3),
        words=said,
    )


class Viewer:
    """One connection's memory.

    `wish` may be changed at any time; `news` says what the viewer has not been told yet. No more
    than `AHEAD` messages are under way: a slow viewer skips what lies between and gets the newest.
    """

    def __init__(self, live: Watched, rulings: Rulings, frozen: Frozen | None = None) -> None:
        self.live = live
        self.rulings = rulings
        self._frozen = frozen
        self.wish = Wish()
        self._told: State | None = None
        self._told_of: Snapshot | None = None
        self._stood: object = None
        self._number = 0
        self._under_way: deque[tuple[int, float | None]] = deque()
        self._delays: deque[float] = deque(maxlen=15)
        self._rates_at = float("-inf")

    @property
    def ready(self) -> bool:
        """Whether the viewer keeps up so far."""
        return len(self._under_way) < AHEAD

    @property
    def delay(self) -> float | None:
        """Seconds from a frame's arrival to the page having drawn it: the median of the last ones."""
        return median(self._delays) if self._delays else None

    def drew(self, number: int) -> None:
        """The page has drawn that message, and with it all before."""
        now = self.live.clock()
        while self._under_way and self._under_way[0][0] <= number:
            _, arrived = self._under_way.popleft()
            if arrived is not None:
                self._delays.append(now - arrived)

    def news(self) -> State | StateChange | None:
        """What is new since the last call, to be sent now; None if nothing is."""
        snapshot = self.live.snapshot
        told = self._told
        # Read once: a turn that ends while this is worked out is told by the next news, which clears, too.
        turn = self.rulings.turn()
        another = told is not None and told.turn != turn
        if another:
            # What was asked in one turn is not asked in the next.
            self.wish = replace(self.wish, pieces=(), question=None)
        wish, stands = self.wish, None if turn is None else self.rulings.state
        same = snapshot is self._told_of and stands is self._stood
        if told is not None and same and not another and _asks(told.selection) == wish:
            return None
        new = whole_state(self.live, self.rulings, snapshot, wish, self.delay, self._frozen)
        new = new.model_copy(update={"turn": turn})
        fresh = self._told_of is None or snapshot.moment is not self._told_of.moment
        shown_anew = told is None or (told.selection.view, told.selection.unit) != (wish.view, wish.unit)
        if new.picture is not None:
            follows = wish.view == "picture" and (fresh or shown_anew)
            new = new.model_copy(update={"picture": new.picture.model_copy(update={"follows": follows})})
        now = self.live.clock()
        if told is not None and now - self._rates_at < RATES_EVERY and new.source == told.source:
            new = new.model_copy(update={"rates": told.rates})
        else:
            self._rates_at = now
        message: State | StateChange | None
        message = new if told is None or shown_anew else difference(told, new)
        self._told, self._told_of, self._stood = new, snapshot, stands
        if message is None:
            return None
        self._number += 1
        self._under_way.append((self._number, snapshot.arrived if fresh and snapshot.moment else None))
        return message.model_copy(update={"number": self._number})

    def picture_for(self, message: State | StateChange) -> bytes | None:
        """The binary message that follows a message: its number, 4 bytes, and the JPEG."""
        snapshot = self._told_of
        if (
            snapshot is None
            or snapshot.moment is None
            or message.picture is None
            or not message.picture.follows
        ):
            return None
        return struct.pack(">I", message.number) + jpeg_of(snapshot.moment.frame)


def _asks(selection: Selection) -> Wish:
    return Wish(selection.view, selection.unit, tuple(selection.pieces), selection.question)


REPLACED = (
    "selection", "bounds", "table", "source", "playback", "road", "rates", "surface", "notices", "questions",
    "asked", "reach", "ruling", "refusal", "turn", "dispute", "ways",
)  # fmt: skip
"""Fields that a change replaces as a whole."""


def difference(old: State, new: State) -> StateChange | None:
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
    return StateChange(type="change", number=new.number, time=new.time, **changed)


def as_json(message: State | StateChange | Refused) -> str:
    """A message as it is sent: a change holds only what has changed."""
    return message.model_dump_json(exclude_unset=isinstance(message, StateChange))


@lru_cache(maxsize=2)
def jpeg_of(frame: Frame) -> bytes:
    """A frame for a browser: no wider than `PICTURE_WIDTH`, as JPEG."""
    return jpeg(frame.image, PICTURE_QUALITY, PICTURE_WIDTH)
