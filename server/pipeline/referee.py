"""The way of the data, composed: frame -> detections -> sightings -> tracks -> table.

`Referee.step` lists the steps in order. Time comes in with the frame; no step asks a clock, so a
recording plays at any speed to the same answers.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from calibration.bundle.coplanar import COPLANAR_WORDS
from calibration.bundle.doubts import Judged
from calibration.fiducials import TagKey
from calibration.gains import Gain
from calibration.heights import HeightWatch, height_words
from calibration.lens.model import Lens, guess_lens
from calibration.surface import Surface
from calibration.table_text import same_but_outlined
from calibration.tablefile import TableFile
from calibration.watching.going_on import Contradiction
from calibration.watching.keeper import SurfaceKeeper
from engine.boards.board import Board, Free
from engine.motion.moves import Move
from engine.ruling import show_words, unplaced_words
from engine.space.geometry import FloatArray, Region
from engine.space.table import (
    Hideout,
    OutlinedName,
    Standing,
    Status,
    TableState,
    Thing,
    key_of,
    never_placed,
    unread_cars,
    without_gone,
)
from server.moves.segmentation import MoveWatch, kind_of, move_words
from server.pipeline.another_view import ANOTHER_WORDS, ViewWatch
from server.pipeline.as_recorded import AsRecorded
from server.pipeline.coplanar_watch import CoplanarWatch
from vision.evidence import SurfaceEvidence, as_flat, sort_out
from vision.frame import Frame, Sighting
from vision.health import BREATHING_S, OUT_OF_FOCUS, HealthWatch, names_of
from vision.hideouts import copies_at, same_hideouts
from vision.locate import locate_all
from vision.places import PlaceWatch
from vision.sources.base import FROZEN_LOST, LATE_TOLD
from vision.tags.copies import doubled_words
from vision.tags.mirrored import MIRRORED_WORDS, MirrorWatch
from vision.tags.unnamed import UnnamedWatch, unnamed_words
from vision.tags.watch import Watch
from vision.things import ThingWatch, covered, paper
from vision.track import TrackChange, Tracker

# A distance that is noise is not told, inches.
WORTH_TELLING_IN = 0.02
# What nobody moves about must have moved further for that, inches: a damaged picture shows it a little aside.
STANDS_IN = 0.1
# Seconds between comparisons of the roof tags' apparent heights with the stated ones.
HEIGHTS_EVERY_S = 5.0
# Seconds without a single tag after which people are told.
BLANK_TOLD_S = 1.0
# A camera that repeated its picture for so long has left a gap worth telling, seconds.
GAP_TOLD_S = 1.0

OLD_WORDS = "What the camera shows is old: nothing is ruled until a new picture comes."
BLANK_WORDS = (
    "Not one tag is seen in the picture any more: is the light on, and does the camera look at the table? "
    "Nothing is ruled until tags are seen again."
)
DAMAGED_WORDS = (
    "The picture is damaged, parts of it were lost: nothing is read or ruled until a whole one comes."
)


class SurfaceView(Protocol):
    """What the page needs to know of the surface calibration."""

    @property
    def residual(self) -> float:
        """Root mean square misfit of the corner tags on the table, inches."""
        ...

    @property
    def note(self) -> str:
        """A sentence for people: where lens and surface come from, and what is only guessed."""
        ...

    def image_from_table(self, points: FloatArray, height: float = 0.0) -> FloatArray:
        """Table points (n, 2), inches, at one height above the table, in the image, (n, 2) pixels."""
        ...


@dataclass(frozen=True, eq=False)
class TableEvent:
    """Something that happened at the table, as the camera saw it.

    `kind` is one of appeared, moving, settled, held, lost, found, camera; of a piece that rests again
    pushed, spun, lifted, moved (see `server.moves.segmentation`); or, of the source, gap and source.
    Times are the source's.
    """

    time: float
    kind: str
    piece: str | None
    words: str


@dataclass(frozen=True, eq=False)
class Moment:
    """What the referee knows after one frame.

    `surface` is None until the corner tags have been found.
    `read` names the pieces whose tags were read in this very frame. `notices` are sentences for
    people about the picture or the source. `moves` are those that ended with this frame, `under_way`
    those that are still going on, by piece. `board` is the table file's. `judged` is what of the stated
    numbers contradicts what is seen, None until the corner tags have been found. `gains` are what would make
    the table surer. `another` says that another camera may answer than the one that was calibrated, `blind`
    why nothing can be told from this picture, or ruled by this table file, at all; empty where it can.
    `contradiction`: by how much what is stated cannot be true, and whether the owner goes on all the same.
    """

    index: int
    time: float
    frame: Frame
    table: TableState
    surface: SurfaceView | None
    events: tuple[TableEvent, ...] = ()
    notices: tuple[str, ...] = ()
    read: frozenset[str] = frozenset()
    moves: tuple[Move, ...] = ()
    under_way: Mapping[str, Move] = field(default_factory=dict)
    board: Board = Free()  # noqa: RUF009
    judged: Judged | None = None
    gains: tuple[Gain, ...] = ()
    another: bool = False
    blind: str = ""
    contradiction: Contradiction | None = None


class Refereeing(Protocol):
    """What turns one frame into what is known of the table: the referee, or what stands in its place.

    Those derive from it; what one does not say below it cannot do.
    """

    table: TableFile | None = None
    """The table file that it goes by; None before there is one."""

    def step(self, frame: Frame) -> Moment:
        """What is known after this frame."""
        ...

    def use_lens(self, lens: Lens, *, resumed: bool = False) -> bool:
        """Sees through this lens from now on; False if it looks through none."""
        del lens, resumed
        return False

    def name_thing(self, name: str) -> bool:
        """Takes that a thing is in nobody's way; False if it knows of no such thing."""
        del name
        return False

    def laid(self, outlines: Mapping[str, Sequence[tuple[float, float]]]) -> None:
        """Takes what a game has laid on the table, by name, corners in inches."""
        del outlines

    def plays(self, names: frozenset[str]) -> None:
        """Takes which pieces a game is played with, by `key_of` their names."""
        del names

    def adopt(self, table: TableFile, *, outlined: str = "", thing: str = "", time: float = 0.0) -> bool:
        """Goes by a table that differs in nothing but pieces without tags; False if it does, or cannot."""
        del table, outlined, thing, time
        return False

    @property
    def away(self) -> tuple[str, ...]:
        """Names of the pieces without tags that do not stand where they were outlined."""
        return ()

    def go_on(self) -> bool:
        """Rules on with a contradiction; False if it holds nothing against anything."""
        return False

    def close(self) -> None:
        """Ends what runs beside. May be called twice."""
        return


class Referee(Refereeing):
    """One table under one camera. `step` takes frames in order of time.

    `kept` finds the lens kept for the camera at a size in pixels, for a table file that names
    none. With `beside`, missing tags are searched for in a thread of their own (live play). `judging` makes
    what the surface is judged by in place of a thread of its own. `things`: what nobody named is looked for;
    `at_once`: the first picture is believed, as no later one may come. `surer`: without `beside` too, it is
    worked out what would make the table surer.
    """

    def __init__(
        self,
        table: TableFile,
        kept: Callable[[tuple[int, int]], Lens | None] | None = None,
        *,
        beside: bool = False,
        judging: Callable[[], Executor] | None = None,
        things: bool = False,
        at_once: bool = False,
        surer: bool = False,
    ) -> None:
        self.table: TableFile = table
        self._judging, self._surer = judging, surer
        self._kept = kept
        self._new_lens: Lens | None = None
        self._pieces = {(p.mount.family, p.mount.tag): p for p in table.pieces if p.mount is not None}
        self._watch = Watch(table.keys, beside=beside)
        self._beside = beside
        self._keeper: SurfaceKeeper | None = None
        self._tracker = Tracker()
        self._as_recorded = AsRecorded()
        self._moves = MoveWatch()
        # Those that had come to rest as the camera leapt, still to be told.
        self._ended: tuple[Move, ...] = ()
        self._heights = HeightWatch()
        self._heights_at = -math.inf
        # Since when pictures have been out of focus; infinity while they are not.
        self._unsharp_since = math.inf
        self._height_notices: tuple[str, ...] = ()
        self._health = HealthWatch(names_of(table))
        self._unnamed = UnnamedWatch(table.keys) if beside else None
        flat = set(table.keys) - set(self._pieces)
        self._view, self._another = ViewWatch(flat), False
        self._hung_at: float | None = None
        self._coplanar = CoplanarWatch(table, beside=beside)
        self._mirror = MirrorWatch(table.keys, beside=beside)
        papers = [c.corners_at() for c in table.corners]
        # What carries no tag is watched by its place, whether or not things are asked about.
        self._things = ThingWatch(
            table.surface,
            papers,
            beside=beside,
            places=PlaceWatch(table.pieces),
            quiet=not things,
            at_once=at_once,
        )
        self._seeks, self._at_once = things, at_once
        self._laid: tuple[FloatArray, ...] = ()
        self._in_play: frozenset[str] = frozenset()
        self._seen_twice: tuple[Hideout, ...] = ()
        # Where flat tags of no stated place were seen last, pixels.
        self._loose: dict[TagKey, FloatArray] = {}
        # The last new picture's, as it was seen, and whether it has been repeated since.
        self._last: Moment | None = None
        self._repeats = False
        # Since when pictures are damaged, and when the last one came.
        self._damaged: tuple[float, float] | None = None
        # When a tag was read last.
        self._read_at = -math.inf

    def step(self, frame: Frame) -> Moment:
        """One frame through the whole pipeline.

        A picture that the camera has sent before tells nothing, and one that is damaged may tell what is not.
        """
        if frame.damaged:
            return self._unread(frame)
        damaged, self._damaged = self._damaged, None
        moment = self._whole(frame)
        if damaged is None:
            return moment
        return replace(moment, events=(tell_damage(damaged[0], frame.time), *moment.events))

    def _unread(self, frame: Frame) -> Moment:
        """What was known before a damaged picture, all of it as if covered."""
        began = frame.time if self._damaged is None else self._damaged[0]
        self._damaged = began, frame.time
        if self._last is None:
            pieces = self.table.pieces
            nothing = TableState(frame.time, self.table.surface, (), never_placed(pieces, ()))
            known = Moment(frame.index, frame.time, frame, nothing, None, board=self.table.board)
        else:
            known = held(
                replace(
                    self._last, index=frame.index, time=frame.time, frame=frame,
                    events=(), read=frozenset(), moves=(),
                )
            )  # fmt: skip
        return replace(known, notices=(DAMAGED_WORDS, *known.notices), blind=DAMAGED_WORDS)

    def _whole(self, frame: Frame) -> Moment:
        """A frame of which nothing is lost."""
        last, repeats = self._last, self._repeats
        self._repeats = frame.repeated and last is not None
        if frame.repeated and last is not None:
            moment = replace(
                last, index=frame.index, time=frame.time, frame=frame,
                events=(), read=frozenset(), moves=(),
            )  # fmt: skip
        else:
            moment = self._last = self._step(frame)
            if repeats and last is not None and GAP_TOLD_S <= frame.time - last.time < FROZEN_LOST:
                words = f"No new picture came for {frame.time - last.time:.1f} s."
                gap = TableEvent(frame.time, "gap", None, words)
                moment = replace(moment, events=(gap, *moment.events))
        if frame.old < LATE_TOLD:
            return moment
        return replace(held(moment), notices=(OLD_WORDS, *moment.notices), blind=OLD_WORDS)

    def _step(self, frame: Frame) -> Moment:
        """A new picture through all steps, in order."""
        if self._view.resized(frame):
            self._suspect_another()
        keeper = self._keeper_for(frame)
        detections = self._watch.read(frame, self._side_of)
        if self._view.update(frame, detections) and not keeper.lens.guessed:
            self._suspect_another()
            keeper = self._see_through(guess_lens(frame.size))
        if detections:
            self._read_at = frame.time
        seen = sort_out(detections, self.table)
        self._loose |= {(t.family, t.tag): t.corners for t in seen.loose}
        moved = keeper.update(frame.time, seen.corners, seen.loose, seen.raised)
        coplanar = self._coplanar.update(frame.time, keeper.lens, keeper.judged, seen)
        surface = keeper.surface
        events: list[TableEvent] = []
        if keeper.leapt:
            self._forget()
        if moved:
            self._heights = HeightWatch()
            words = keeper.movement or "The camera has moved; the table was found again."
            events.append(TableEvent(frame.time, "camera", None, words))
        sightings: list[Sighting] = []
        if surface is not None and not keeper.unsteady:
            sightings = locate_all(detections, self.table.pieces, surface, frame.time, self.table.checked)
            if keeper.times > 1.0:
                sightings = [less_sure(s, keeper.times) for s in sightings]
            changes = self._tracker.update(frame, surface, sightings)
            events += [told for change in changes if (told := tell(change)) is not None]
        findings = self._health.update(frame, detections)
        unnamed = frozenset() if self._unnamed is None else self._unnamed.update(frame)
        mirrored = self._mirror.update(frame, len(detections))
        tagged = self._tracker.standings(self.table.pieces)
        things = self._unnamed_things(frame, keeper, tagged, events)
        standings = self._with_places(tagged)
        if keeper.unsteady or keeper.withheld or coplanar or surface is None:
            # Where things seem to be is where the camera has gone, or nobody knows: rulings are held.
            standings = tuple(replace(s, status=Status.HELD) for s in standings)
        standings = self._as_recorded.told(standings)
        state = self._state(frame, keeper, standings, things)
        read = frozenset(s.piece.name for s in sightings)
        moves, self._ended = (*self._ended, *self._moves.update(state, read)), ()
        events += map(tell_move, moves)
        if any(f.trouble in OUT_OF_FOCUS for f in findings):
            # How large a tag looks tells nothing then; what was read of it before it was noticed neither.
            self._heights, self._height_notices = HeightWatch(), ()
            self._unsharp_since = min(self._unsharp_since, frame.time - BREATHING_S)
        else:
            self._look_at_heights(frame.time, keeper, seen)
            # Printed lines that are blurred look like things, and not like what was bare before.
            if self._unsharp_since < frame.time:
                self._things.look_anew(self._unsharp_since)
                self._unsharp_since = math.inf
        return Moment(
            index=frame.index,
            time=frame.time,
            frame=frame,
            table=state,
            surface=surface,
            events=tuple(events),
            notices=(
                *((MIRRORED_WORDS,) if mirrored else self._notices(frame.time, keeper, surface)),
                *((unnamed_words(unnamed),) if unnamed else ()),
                *(f.words for f in findings),
            ),
            read=read,
            moves=moves,
            under_way=self._moves.under_way(),
            board=self.table.board,
            judged=keeper.judged,
            gains=keeper.gains,
            another=self._another,
            blind=MIRRORED_WORDS if mirrored else self._contradicted(keeper),
            contradiction=keeper.contradiction,
        )

    def _forget(self) -> None:
        """The camera hangs elsewhere all at once: nothing is where it was in the picture."""
        self._tracker.forget()
        self._ended += self._moves.forget()
        self._things.forget()

    def _unnamed_things(
        self, frame: Frame, keeper: SurfaceKeeper, standings: Sequence[Standing], events: list[TableEvent]
    ) -> tuple[Thing, ...]:
        """What lies on the table that nobody has named; new ones are told, and what left its place."""
        if not (self._seeks or self._at_once or self._things.places.watched):
            return ()
        before = self._things.things
        if keeper.surface is None or keeper.unsteady:
            return before
        surface = keeper.surface
        papers = (paper(surface.table_from_image(corners)) for corners in self._loose.values())
        # A piece that is read where nobody believes it yet is nothing that nobody has named.
        elsewhere = (covered(standing, surface) for standing in self._tracker.elsewhere)
        laid = itertools.chain(self._laid, papers, elsewhere)
        searched = math.inf if self._at_once else self._watch.searched
        things = self._things.update(frame, surface, standings, laid, searched)
        away = self._things.places.away
        events += [tell_place(frame.time, name, name in away) for name in self._things.changes()]
        events += [tell_thing(frame.time, t) for t in things if t not in before]
        return things

    def _state(
        self,
        frame: Frame,
        keeper: SurfaceKeeper,
        standings: tuple[Standing, ...],
        things: tuple[Thing, ...],
    ) -> TableState:
        """Where everything stands, and what of it nobody knows."""
        standings = without_gone(standings)
        twice = self._twice(standings)
        hideouts = self._hideouts(frame, keeper, standings, twice) + self._copies(frame, keeper, twice)
        unplaced = never_placed(self.table.pieces, standings, twice, hideouts)
        if self._seeks:
            hideouts += self._things.unwatched
        return TableState(frame.time, self.table.surface, standings, unplaced, things, hideouts, twice)

    def _twice(self, standings: Sequence[Standing]) -> frozenset[str]:
        """Names of the pieces whose tags are in view twice, where none of both is believed."""
        seen = {s.name for s in standings if s.status is not Status.LOST}
        return frozenset(self._pieces[key].name for key in self._watch.doubled if key in self._pieces) - seen

    def _copies(self, frame: Frame, keeper: SurfaceKeeper, twice: frozenset[str]) -> tuple[Hideout, ...]:
        """Where the pieces are seen whose tags are in view twice."""
        if keeper.surface is None or keeper.unsteady or not twice:
            self._seen_twice = ()
            return ()
        seen = [d for places in self._watch.copies.values() if len(places) > 1 for d in places]
        found = locate_all(seen, self.table.pieces, keeper.surface, frame.time, self.table.checked)
        places = tuple(copies_at(s for s in found if s.piece.name in twice))
        if not same_hideouts(self._seen_twice, places):
            self._seen_twice = places
        return self._seen_twice

    def _hideouts(
        self, frame: Frame, keeper: SurfaceKeeper, known: Sequence[Standing], twice: frozenset[str]
    ) -> tuple[Hideout, ...]:
        """Where cars that were never read may stand.

        In pictures that tell everything at once nobody knows whether they are on the table at all. Live,
        those count that a game is played with; the cars in the box are not asked about.
        """
        asked = self._at_once or (self._seeks and self._in_play)
        if not asked or keeper.surface is None or keeper.unsteady:
            return ()
        unread = unread_cars(self.table.pieces, known, twice)
        if not self._at_once:
            unread = tuple(p for p in unread if key_of(p.name) in self._in_play)
        return self._things.hideouts(frame, keeper.surface, known, unread) if unread else ()

    def _with_places(self, tagged: Sequence[Standing]) -> tuple[Standing, ...]:
        """What the camera follows by tags, and what stands where it was outlined, in the file's order."""
        placed = self._things.places.standings
        if not placed:
            return tuple(tagged)
        known = {s.name: s for s in (*tagged, *placed)}
        return tuple(known[p.name] for p in self.table.pieces if p.name in known)

    @property
    def doubled(self) -> frozenset[TagKey]:
        """Tags that are in view twice, as far as is known."""
        return self._watch.doubled

    def finish(self) -> tuple[TableEvent, ...]:
        """What is still to be told when no more frames will come."""
        damaged = () if self._damaged is None else (tell_damage(*self._damaged),)
        return (*damaged, *map(tell_move, self._moves.finish()))

    def _keeper_for(self, frame: Frame) -> SurfaceKeeper:
        keeper = self._keeper
        if keeper is None or keeper.lens.size != frame.size:
            keeper = self._see_through(self._lens_for(frame.size))
            self._watch.restart()
        new = self._new_lens
        if new is not None and new.size == frame.size and keeper.lens is not new:
            keeper = self._see_through(new)
        return keeper

    def _see_through(self, lens: Lens) -> SurfaceKeeper:
        """Starts the surface afresh with another lens; who is who is kept."""
        if self._keeper is not None:
            self._keeper.close()
        table = self.table
        self._keeper = SurfaceKeeper(
            lens,
            table.frame,
            table.common,
            table.corners,
            beside=self._beside if self._judging is None else self._judging(),
            hung_at=self._hung_at,
            surer=self._surer,
        )
        self._tracker.forget()
        self._ended += self._moves.forget()
        self._heights = HeightWatch()
        return self._keeper

    def _suspect_another(self) -> None:
        """Another camera may answer: nothing is known of its lens."""
        if self._keeper is not None and not self._keeper.lens.guessed:
            self._hung_at = self._keeper.hung_at
        self._another, self._new_lens = True, None

    def _lens_for(self, size: tuple[int, int]) -> Lens:
        if self._another:
            return guess_lens(size)
        kept = self._kept(size) if self._kept is not None and self.table.lens is None else None
        return kept or self.table.lens_for(size)

    def close(self) -> None:
        """Ends what runs beside. May be called twice; no further frame is taken."""
        self._watch.close()
        if self._unnamed is not None:
            self._unnamed.close()
        self._mirror.close()
        self._coplanar.close()
        self._things.close()
        if self._keeper is not None:
            self._keeper.close()

    def use_lens(self, lens: Lens, *, resumed: bool = False) -> bool:
        """From the next frame on, pictures of the lens's size are seen through it. From any thread.

        `resumed`: it is that of a camera that hung elsewhere before, and may have been zoomed meanwhile.
        """
        if not resumed:
            self._hung_at = None
        self._new_lens, self._another = lens, False
        return True

    def name_thing(self, name: str) -> bool:
        """Somebody says that a thing is in nobody's way; False if there is none. From any thread."""
        return self._things.answer(name)

    def adopt(self, table: TableFile, *, outlined: str = "", thing: str = "", time: float = 0.0) -> bool:
        """Goes by a table that differs in nothing but pieces without tags; False if it does. From any thread.

        `outlined` names one that was outlined just now, `thing` what it was called before.
        """
        if not same_but_outlined(self.table.text, table.text):
            return False
        self.table = table
        self._things.places.watch(table.pieces, there=outlined, time=time)
        if thing:
            self._things.settle(thing)
        return True

    @property
    def away(self) -> tuple[str, ...]:
        """Names of the pieces without tags that do not stand where they were outlined."""
        return self._things.places.away

    def laid(self, outlines: Mapping[str, Sequence[tuple[float, float]]]) -> None:
        """What a game has laid on the table, flat and without a tag, by name, inches. From any thread."""
        self._laid = tuple(np.array(points, dtype=np.float64) for points in outlines.values())

    def plays(self, names: frozenset[str]) -> None:
        """Which pieces a game is played with, by `key_of` their names. From any thread."""
        self._in_play = names

    def go_on(self) -> bool:
        """Rules on although what is stated cannot all be true, as unsurely as it is off. From any thread."""
        if self._keeper is not None:
            self._keeper.go_on()
        return True

    def _side_of(self, key: TagKey) -> float | None:
        """The side in pixels that a piece's tag has in the middle of the table."""
        mount, keeper = self._pieces[key].mount if key in self._pieces else None, self._keeper
        if mount is None or keeper is None or keeper.surface is None:
            return None
        middle = self.table.surface.outline.mean(axis=0)
        square = middle + np.array([(0.0, 0.0), (mount.size, 0.0)])
        a, b = keeper.surface.image_from_table(square, mount.height)
        return float(np.hypot(*(b - a)))

    def _look_at_heights(self, time: float, keeper: SurfaceKeeper, seen: SurfaceEvidence) -> None:
        """Compares, now and then, how large roof tags look with the heights that the file states."""
        if keeper.surface is None or keeper.unsteady or keeper.surface.lens.guessed:
            return
        for tag in (*seen.raised, *seen.low):
            self._heights.add(self._pieces[tag.key].name, tag)
        if time - self._heights_at < HEIGHTS_EVERY_S:
            return
        self._heights_at = time
        flat = [*seen.loose, *(as_flat(c) for c in seen.corners)]
        doubts = self._heights.doubts(keeper.surface, flat)
        self._height_notices = tuple(height_words(name, h) for name, h in doubts.items())

    def _contradicted(self, keeper: SurfaceKeeper) -> str:
        """Why nothing is ruled although the table is seen: what is stated cannot be; empty where it can."""
        if self._coplanar.coplanar:
            return _sentence(COPLANAR_WORDS)
        return _sentence(keeper.notices[0]) if keeper.withheld else ""

    def _notices(self, time: float, keeper: SurfaceKeeper, surface: Surface | None) -> tuple[str, ...]:
        notices = []
        if surface is not None and time - self._read_at >= BLANK_TOLD_S:
            notices.append(BLANK_WORDS)
        if keeper.problem is not None:
            notices.append(_sentence(keeper.problem))
        coplanar = self._coplanar.coplanar
        contradicted = (COPLANAR_WORDS,) if coplanar else keeper.notices
        notices += map(_sentence, contradicted)
        if self._another:
            notices.append(ANOTHER_WORDS)
        elif surface is not None and surface.lens.guessed:
            notices.append("The lens is not calibrated: distances are less sure than they could be.")
        if keeper.movement:
            notices.append(keeper.movement)
        if not (keeper.withheld or coplanar):
            # From a surface that is known to be wrong every height looks wrong.
            notices += self._height_notices
        notices += map(doubled_words, sorted(self._watch.doubled))
        pieces = self.table.pieces
        # What is in view twice has been said.
        unplaced = never_placed(pieces, without_gone(self._with_places(self._tracker.standings(pieces))))
        twice = {self._pieces[key].name for key in self._watch.doubled if key in self._pieces}
        unplaced = tuple(p for p in unplaced if p.name not in twice)
        hiding = [p.name if p.spot is None else OutlinedName(p.name) for p in unplaced]
        never = [p.name for k, p in self._pieces.items() if k in self._watch.unseen and p.name not in hiding]
        if surface is not None and hiding:
            notices.append(_sentence(f"{unplaced_words(hiding)}{show_words(hiding)}"))
        if surface is not None and never:
            notices.append(f"Not seen yet: {', '.join(never)}.")
        return tuple(notices)


def less_sure(sighting: Sighting, times: float) -> Sighting:
    """A sighting whose own errors are so many times as large as stated; the surface's have grown before."""
    known = sighting.uncertainty
    return replace(sighting, uncertainty=replace(known, own=known.own * times**2))


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def held(moment: Moment) -> Moment:
    """What was known, now that nobody sees whether it is still so: nothing is ruled as if it were."""
    standings = moment.table.standings
    if all(s.status in (Status.HELD, Status.LOST) for s in standings):
        return moment
    unseen = tuple(s if s.status is Status.LOST else replace(s, status=Status.HELD) for s in standings)
    return replace(moment, table=replace(moment.table, time=moment.time, standings=unseen))


def unseen(moment: Moment | None) -> Moment | None:
    """The same where nothing may be known yet."""
    return None if moment is None else held(moment)


def tell_damage(since: float, until: float) -> TableEvent:
    """Pictures were damaged between two times, in words."""
    words = f"The picture was damaged for {until - since:.1f} s: nothing was read from it."
    return TableEvent(until, "gap", None, words)


def tell_move(move: Move) -> TableEvent:
    """A move that has ended, in words."""
    return TableEvent(move.until, kind_of(move), move.piece, move_words(move))


def tell_thing(time: float, thing: Thing) -> TableEvent:
    """Something has stayed on the table that nobody named, in words."""
    words = f"{thing.name} lies on the table, and nobody has said what it is."
    return TableEvent(time, "camera", None, words)


def tell_place(time: float, name: str, away: bool) -> TableEvent:
    """A piece without a tag has left its place, or stands there again, in words."""
    if away:
        words = f"{name} does not stand where it was outlined any more."
        return TableEvent(time, "lost", name, words)
    return TableEvent(time, "found", name, f"{name} stands where it was outlined.")


def tell(change: TrackChange) -> TableEvent | None:
    """A track's change in words, None for what nobody needs to hear."""
    name = change.piece.name
    match change.before, change.after:
        case None, _:
            kind, words = "appeared", f"{name} is on the table."
        case Status.LOST, _:
            kind, words = "found", f"{name} {'is elsewhere now' if _strays(change) else 'is seen again'}."
        case _, Status.MOVING:
            kind, words = "moving", f"{name} is moving."
        case _, Status.HELD:
            kind, words = "held", f"{name} is covered."
        case _, Status.LOST:
            kind, words = "lost", f"{name} is gone from its place."
        case Status.HELD, Status.STILL:
            kind, words = "settled", f"{name} is uncovered and has not moved."
        case _ if not _strays(change):
            kind, words = "settled", f"{name} stands still."
        case _:
            kind, words = "settled", f"{name} stands still, {change.moved:.2f} in from where it stood."
    return TableEvent(change.time, kind, change.piece.name, words)


def _strays(change: TrackChange) -> bool:
    """Whether a piece is far enough from where it rested last to be worth telling."""
    return change.moved >= (WORTH_TELLING_IN if change.piece.moves else STANDS_IN)


NOT_SET_UP = "This table is not set up yet: open Set up."

# Nothing is known of its size.
_NOWHERE = Region.rectangle(0.0, 0.0, 48.0, 48.0)


class FirstLook(Refereeing):
    """Stands in the referee's place until there is a table file."""

    def step(self, frame: Frame) -> Moment:
        """The frame, and that nothing is known of the table under it."""
        empty = TableState(frame.time, _NOWHERE, ())
        return Moment(frame.index, frame.time, frame, empty, None, notices=(NOT_SET_UP,))
