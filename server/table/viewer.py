"""One viewer: what it asked for, what it has been told, and what is new for it."""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from statistics import median

from server.formats.jpeg import jpeg
from server.pipeline.runner import Snapshot
from server.table.messages import Rates, Refused, Selection, State, StateChange
from server.table.questions.rulings import Rulings
from server.table.state import (
    HEAD,
    OWN,
    Broadcast,
    Edition,
    Frozen,
    Watched,
    Wish,
    Written,
    picture_info,
    rates_of,
)
from vision.frame import Frame, JpegFrame, with_tables

RATES_EVERY = 0.5
"""Seconds between two tellings of the rates: figures that flicker cannot be read."""

PICTURE_WIDTH = 1440
"""Pixels; a wider camera picture is made smaller on its way to the page."""

PICTURE_QUALITY = 80

AS_IT_CAME = 1920
"""Pixels; a JPEG of the camera's that is no wider goes to the page as it came: packing it anew takes longer
than finding the tags in it. One that says how it is to be turned does not, as the tags are read unturned."""

AHEAD = 1
"""How many messages may be under way to a viewer before it says that it has drawn one.

A second one would only grow old while the page draws the first."""


class Unprepared(Exception):
    """The news are not worked out yet: whoever may wait asks for them."""


class Subscriber:
    """One connection's memory.

    `wish` may be changed at any time; `news` says what the viewer has not been told yet. No more
    than `AHEAD` messages are under way: a slow viewer skips what lies between and gets the newest.
    `broadcast` is shared with the other viewers of the table; while something is `disputed`, each is told
    on its own.
    """

    def __init__(
        self,
        live: Watched,
        rulings: Rulings,
        frozen: Frozen | None = None,
        broadcast: Broadcast | None = None,
        disputed: Callable[[], bool] = lambda: False,
    ) -> None:
        self.live = live
        self.rulings = rulings
        self.broadcast = broadcast or Broadcast(live, rulings)
        self._frozen = frozen
        self._disputed = disputed
        self.wish = Wish()
        self._told: State | None = None
        self._edition: Edition | None = None
        self._written = Written(None, "")
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

    def prepare(self, snapshot: Snapshot) -> None:
        """Makes what `news` is about to tell of a snapshot, for this viewer and all with its wish."""
        told = self._edition if self._told is not None and not self._shown_anew(self.wish) else None
        self.broadcast.edition(snapshot, self.wish, self.rulings.turn(), told)

    def prepared(self, snapshot: Snapshot) -> bool:
        """Whether `news` has only to be looked up."""
        if self._disputed():
            return False
        return self.broadcast.known(snapshot, self.wish, self.rulings.turn()) is not None

    def news(self, snapshot: Snapshot | None = None, *, made: bool = False) -> State | StateChange | None:
        """What is new since the last call, to be sent now; None if nothing is.

        With `made` it only looks up what has been prepared, and raises `Unprepared` where a game or a match
        would have to be asked.
        """
        snapshot = snapshot or self.live.snapshot
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
        if made:
            found = self.broadcast.known(snapshot, wish, turn)
            if found is None or self._disputed():
                raise Unprepared
            edition = found
        else:
            edition = self.broadcast.edition(snapshot, wish, turn)
        fresh = self._told_of is None or snapshot.moment is not self._told_of.moment
        anew = told is None or self._shown_anew(wish)
        picture = None if snapshot.moment is None else picture_info(snapshot.moment, wish.view)
        if picture is not None:
            follows = picture.follows and (fresh or anew)
            picture = picture.model_copy(update={"follows": follows})
        own = {
            "rates": self._rates(snapshot, edition.state),
            "picture": picture,
            "dispute": None if self._frozen is None or made else self._frozen(wish.unit),
        }
        new = edition.state.model_copy(update=own)
        message: State | StateChange | None = new
        if told is None or self._edition is None or anew:
            written = edition.whole
        else:
            written = edition.since(self._edition)
            message = _changed(written.message, told, new)
        self._told, self._told_of, self._stood, self._edition = new, snapshot, stands, edition
        if message is None:
            return None
        self._written = written
        self._number += 1
        self._under_way.append((self._number, snapshot.arrived if fresh and snapshot.moment else None))
        return message.model_copy(update={"number": self._number})

    def _shown_anew(self, wish: Wish) -> bool:
        told = self._told
        return told is not None and (told.selection.view, told.selection.unit) != (wish.view, wish.unit)

    def _rates(self, snapshot: Snapshot, new: State) -> Rates:
        now, told = self.live.clock(), self._told
        if told is not None and now - self._rates_at < RATES_EVERY and new.source == told.source:
            return told.rates
        self._rates_at = now
        return rates_of(snapshot, self.delay)

    def text_for(self, message: State | StateChange) -> str:
        """The last news as it is sent: a head and fields of its own before what all are told alike."""
        head = message.model_dump_json(include={*HEAD, *OWN}, exclude_unset=isinstance(message, StateChange))
        return f"{head[:-1]},{self._written.text}}}" if self._written.text else head

    def picture_of(self, message: State | StateChange) -> Frame | None:
        """The frame whose picture follows the last news."""
        snapshot = self._told_of
        if snapshot is None or snapshot.moment is None or message.picture is None:
            return None
        return snapshot.moment.frame if message.picture.follows else None


def numbered(message: State | StateChange, picture: bytes) -> bytes:
    """The binary message that follows a message: its number, 4 bytes, and the JPEG."""
    return struct.pack(">I", message.number) + picture


def _changed(shared: State | StateChange | None, told: State, new: State) -> StateChange | None:
    """The change that all are told, with what is new of this viewer's own; None if nothing is."""
    names = ("rates", "dispute")
    own: dict[str, object] = {n: getattr(new, n) for n in names if getattr(new, n) != getattr(told, n)}
    if new.picture is not None and (new.picture.follows or told.picture is None):
        own["picture"] = new.picture
    if isinstance(shared, StateChange):
        return shared.model_copy(update=own)
    return (
        StateChange.model_validate({"type": "change", "number": 0, "time": new.time, **own}) if own else None
    )


def _asks(selection: Selection) -> Wish:
    return Wish(selection.view, selection.unit, tuple(selection.pieces), selection.question)


def as_json(message: State | StateChange | Refused) -> str:
    """A message as it is sent: a change holds only what has changed."""
    return message.model_dump_json(exclude_unset=isinstance(message, StateChange))


@lru_cache(maxsize=2)
def jpeg_of(frame: Frame) -> bytes:
    """A frame for a browser as JPEG: as the camera gave it, or no wider than `PICTURE_WIDTH`."""
    if isinstance(frame, JpegFrame) and frame.size[0] <= AS_IT_CAME and b"Exif" not in frame.coded[:64]:
        return with_tables(frame.coded)
    return jpeg(frame.image, PICTURE_QUALITY, PICTURE_WIDTH)
