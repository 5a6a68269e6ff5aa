"""Keeps the surface while the camera hangs still: averages tags, notices bumps, follows drift."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from calibration.bundle.common import Common
from calibration.bundle.doubts import Judged, judge
from calibration.bundle.parts import SeenTag
from calibration.fiducials import TagKey
from calibration.gains import Gain, gains
from calibration.lens.model import Lens
from calibration.surface import CornerTag, SeenCorner, Surface, SurfaceError
from calibration.watching.averages import key_of
from calibration.watching.camera_watch import CameraWatch, Compared, Read
from calibration.watching.going_on import Contradiction, contradiction, grown, loosened, times_of
from calibration.watching.motion import NEARER, NO_MOTION, Motion, in_camera, moved_surface
from calibration.watching.witnesses import Witnesses
from engine.space.geometry import FloatArray
from engine.words import listed

# Most tags elsewhere for so many frames mean that the camera or the table has moved all at once; a single one
# means a hand or a nudge.
MOVED_FRAMES = 3
# A camera that creeps is followed at once. Where it is elsewhere for so long, seconds, that is told and the
# tags are averaged anew; while it creeps on, that is told again this seldom.
ANEW_S, TOLD_AGAIN_S = 0.5, 5.0
# What contradicts is looked at again with new reads after so many seconds, then after twice as many, up to so
# many: a tag that was read wrong, or lay elsewhere, must not be believed for a whole evening.
AGAIN_S, AGAIN_AT_MOST_S = 5.0, 80.0
# So many corner tags hold a table.
HOLD = 3

# Roof tags that bear witness of sizes and heights, at so many places. More of them settle a guessed lens.
RAISED, RAISED_FOR_A_GUESS = 16, 40

# What would make the table surer is worked out this seldom, seconds: it changes little.
GAINS_EVERY_S = 10.0

GENERAL_WORDS = (
    "measure the places of the corner tags again, then the printed size of a tag, and see that the lens file "
    "is this camera's"
)
MOVING_WORDS = "The camera is moving: nothing is ruled until it hangs still again."


@dataclass(frozen=True)
class Still:
    """The camera hangs where it hung when the tags were averaged."""


@dataclass(frozen=True)
class Astray:
    """The camera hangs elsewhere, `since` seconds: all places go on by how far it has moved.

    `covered` are the tags of the table that are not read, `contradiction_words` says that people know.
    """

    since: float
    covered: tuple[int, ...] = ()
    told: bool = False


@dataclass(frozen=True)
class Startled:
    """In the last `frames` most appeared elsewhere: nothing is ruled. `before` is what it was until then."""

    frames: int
    before: Still | Astray
    covered: tuple[int, ...] = ()


class _SecondLook:
    """When what contradicts is looked at again, with new reads alone: ever more seldom."""

    def __init__(self) -> None:
        self._at, self._after = math.inf, AGAIN_S

    def due(self, time: float) -> bool:
        """Whether it is time; the next one is later then."""
        if time < self._at:
            return False
        self._after = min(2.0 * self._after, AGAIN_AT_MOST_S)
        self._at = time + self._after
        return True

    def heed(self, judged: Judged, time: float) -> None:
        """Begins to count once something is doubted, and ends when nothing is."""
        if judged.consistent and not judged.named:
            self._at, self._after = math.inf, AGAIN_S
        elif self._at == math.inf:
            self._at = time + self._after


class SurfaceKeeper:
    """The surface of one table under one camera through time.

    What the camera does is one of three states::

        Still ───── it creeps away ─────────────────────────────────▶ Astray
        Astray ──── it is back ─────────────────────────────────────▶ Still
               ├─── half a second, and the corners are read ────────▶ Still, averaged anew
        Still, Astray ──── most tags appear elsewhere ──────────────▶ Startled
        Startled ── no more ────────────────────────────────────────▶ what it was before
                 ├─ in three frames, and the corners are read ──────▶ Still, found anew (`leapt`)
                 ├─ in three frames, and one motion explains it ────▶ Astray (`leapt`)
                 └─ in three frames, too little is read for either ─▶ Startled, and says what to clear

    Beside that, what is stated of the table fits what is seen (`judged.consistent`), or nothing is ruled
    (`withheld`) until that is settled or somebody goes on (`go_on`). What is doubted is looked at again.

    `frame` names the two tags that set the table's frame where no places are stated, `common` the errors
    that all stated numbers share, `corners` all corner tags of stated place. `problem` and `notices` are
    sentences for people; `judged` says what contradicts what. `hung_at` is how high the camera hung, inches,
    when its lens was surely as stated, if that was before this keeper began. With `beside`, it is solved in a
    thread of its own (live play) or by the executor given, and what would make it surer is worked out there
    too: `gains`. Without, that is worked out at once, and only where `surer` asks for it: it takes a while.
    """

    def __init__(
        self,
        lens: Lens,
        frame: tuple[TagKey, TagKey] | None = None,
        common: Common | None = None,
        corners: Sequence[CornerTag] = (),
        *,
        beside: bool | Executor = False,
        hung_at: float | None = None,
        surer: bool = False,
    ) -> None:
        self.lens = lens
        self.problem: str | None = None
        self.judged: Judged | None = None
        self.gains: tuple[Gain, ...] = ()
        self.moved_at: float | None = None
        self.leapt = False
        self._frame = frame
        self._common = common
        self._stated = tuple(corners)
        self._watch = CameraWatch()
        self._raised = Witnesses()
        self._camera: Still | Startled | Astray = Still()
        self._solved_with = 0
        self._pool: Executor | None = ThreadPoolExecutor(1, "surface") if beside is True else beside or None
        self._solving: tuple[int, Future[Judged]] | None = None
        self._gaining: Future[list[Gain]] | None = None
        self._surer = surer
        self._gains_for: tuple[float, Judged | None] = (-math.inf, None)
        self._hung_at = hung_at
        # The camera's places are numbered: at which it is, and at which it was when all was judged.
        self._places = self._judged_at = 0
        self._carried: Surface | None = None
        self._surface: Surface | None = None
        self._shown: tuple[Surface | None, Motion, float] = None, NO_MOTION, 1.0
        self._time = 0.0
        self._contradicted_since: float | None = None
        self._gone_on = False
        self._second_look = _SecondLook()

    @property
    def surface(self) -> Surface | None:
        """The table under the camera as it hangs now, None until it is found."""
        return self._surface

    @property
    def hung_at(self) -> float | None:
        """How high the camera hung, inches, when its lens was surely as stated; None while nobody knows."""
        self._note_height()
        return self._hung_at

    @property
    def unsteady(self) -> bool:
        """Whether the last frame looked as if the camera were moving: nothing should be ruled from it."""
        return isinstance(self._camera, Startled)

    @property
    def movement(self) -> str:
        """What the camera does, in words; empty while it hangs where it was when the table was found."""
        camera = self._camera
        if isinstance(camera, Still):
            return ""
        which = covered_words(camera.covered)
        if isinstance(camera, Startled):
            if camera.frames < MOVED_FRAMES or not camera.covered:
                return MOVING_WORDS
            return (
                f"The camera may have moved while {which} covered, and too little else stands still to tell: "
                "nothing is ruled until they are clear."
            )
        if not camera.covered:
            return ""
        return (
            f"The camera has moved while {which} covered: places go by what else stands still, and are "
            "less sure. Clear them."
        )

    @property
    def withheld(self) -> bool:
        """Whether what is stated cannot all be true, no one mistake explains it, and nobody goes on so."""
        return self.judged is not None and not self.judged.consistent and not self._gone_on

    @property
    def contradiction(self) -> Contradiction | None:
        """What cannot all be true, by how much, since when; None while a camera fits what is stated."""
        if self.judged is None or self._contradicted_since is None:
            return None
        return contradiction(self.judged, self._contradicted_since, gone_on=self._gone_on)

    @property
    def times(self) -> float:
        """By how much places are less sure than stated, as somebody goes on with a contradiction; 1 else."""
        if not self._gone_on or self.judged is None or self.judged.consistent:
            return 1.0
        return times_of(self.judged)

    def go_on(self) -> None:
        """Goes on with a contradiction until it is settled, everything as unsure as it is off. Any thread."""
        self._gone_on = self.withheld or self._gone_on

    @property
    def notices(self) -> tuple[str, ...]:
        """What contradicts what is seen, in words."""
        if self.judged is None:
            return ()
        return contradiction_words(self.judged, gone_on=self._gone_on)

    def update(
        self,
        time: float,
        corners: Iterable[SeenCorner],
        loose: Iterable[SeenTag] = (),
        raised: Iterable[SeenTag] = (),
    ) -> bool:
        """Takes one frame's tags; True if the camera has been found to have moved, and that is worth telling.

        Where it has crept away all places go on; where it `leapt`, what was averaged before is worth little.
        `loose` lie flat at unknown places; `raised` are roof tags of known height, each at some different
        places: they settle a guessed lens, and bear witness of sizes and heights.
        """
        self._time = time
        flat: list[Read] = [*corners, *loose]
        roofs = list(raised)
        reads = [*flat, *roofs]
        self.leapt = False
        compared = self._watch.compare(self._base, reads)
        camera, base = self._camera, self._base
        if isinstance(camera, Startled):
            if compared.sudden or (compared.blind and camera.frames >= MOVED_FRAMES):
                return self._startle(time, flat, roofs, compared)
            self._camera = camera.before
        elif compared.sudden:
            return self._startle(time, flat, roofs, compared)
        self._watch.take(base, reads, compared)
        if base is not None:
            self._watch.follow(base, compared)
        if self._watch.away:
            return self._follow(time, flat)
        self._watch.add(reads, compared)
        if self._solving is None and self._second_look.due(time):
            self._watch.look_again(reads)
            self._raised.clear()
            self._solved_with = 0
        self._camera = Still()
        self._bear_witness(roofs)
        self._settle(time)
        return False

    def close(self) -> None:
        """Ends what runs beside. May be called twice."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    @property
    def _base(self) -> Surface | None:
        """The table under the camera where it hung when the tags were averaged."""
        if self._carried is not None or self.judged is None or self._judged_at != self._places:
            return self._carried
        return self.judged.surface

    def _startle(
        self, time: float, flat: Sequence[Read], roofs: Sequence[SeenTag], compared: Compared
    ) -> bool:
        """A frame in which most appears elsewhere: held, and after some in a row the camera has moved."""
        camera = self._camera
        before, frames = (camera.before, camera.frames) if isinstance(camera, Startled) else (camera, 0)
        self._camera = Startled(frames + 1, before)
        if frames + 1 < MOVED_FRAMES:
            return False
        if self._holds([key_of(s) for s in flat]):
            self._begin_anew(compared)
            self.leapt = True
            self._watch.take(None, [*flat, *roofs], Compared(None))
            self._bear_witness(roofs)
            self._settle(time)
            return self._told(time, at_once=True)
        covered = self._unread(flat)
        self._camera = Startled(frames + 1, before, covered)
        if self._base is None or compared.motion is None or compared.blind:
            return False
        self._note_height()
        self._watch.go_on(compared.motion)
        self._camera, self.leapt = Astray(time, covered, told=True), True
        self._show()
        return self._told(time, at_once=True)

    def _follow(self, time: float, flat: Sequence[Read]) -> bool:
        """The camera is elsewhere than when the tags were averaged; True if that is worth telling."""
        camera = self._camera if isinstance(self._camera, Astray) else Astray(time)
        holds = self._holds([key for key, mean in self._watch.flat.items() if mean.fresh])
        camera = self._camera = replace(camera, covered=() if holds else self._unread(flat))
        base, late = self._base, self._watch.late
        if time - camera.since >= ANEW_S:
            self._note_height()
            if holds and base is not None and late is not None:
                self._carried = moved_surface(base, late)
                self._watch.afresh(base, late)
                self._raised.move(partial(_displaced, base, late))
                self._places += 1
                self._solved_with, self._camera = 0, Still()
                self._settle(time)
                return self._told(time, at_once=camera.told)
        self._adopt(time)
        self._show()
        if time - camera.since < ANEW_S or camera.told or not self._told(time):
            return False
        self._camera = replace(camera, told=True)
        return True

    def _told(self, time: float, *, at_once: bool = False) -> bool:
        """Whether to say now that the camera has moved."""
        if not at_once and self.moved_at is not None and time - self.moved_at < TOLD_AGAIN_S:
            return False
        self.moved_at = time
        return True

    def _begin_anew(self, compared: Compared) -> None:
        """The camera hangs elsewhere: its place of before tells where at the most."""
        base, motion = self._base, compared.motion
        self._note_height()
        self._carried = None if base is None or motion is None else moved_surface(base, motion)
        self._watch.clear()
        self._raised.clear()
        self.gains = ()
        self._places += 1
        self._solved_with, self._camera = 0, Still()

    def _holds(self, keys: Collection[TagKey]) -> bool:
        """Whether these flat tags hold the table: three corners, or three with those that set its frame."""
        known = self._watch.flat
        if self._frame is not None and not any(isinstance(m.seen, SeenCorner) for m in known.values()):
            return len(keys) >= HOLD and all(key in keys for key in self._frame)
        corners = [key for key, mean in known.items() if isinstance(mean.seen, SeenCorner)]
        return sum(key in keys for key in corners) >= min(HOLD, max(len(corners), 1))

    def _unread(self, flat: Sequence[Read]) -> tuple[int, ...]:
        """The ids of the tags on the table that are not read, of those that are known."""
        read = {key_of(s) for s in flat}
        stated = {(c.family, c.tag) for c in self._stated} | self._watch.flat.keys()
        return tuple(sorted(tag for family, tag in stated if (family, tag) not in read))

    def _bear_witness(self, roofs: Sequence[SeenTag]) -> None:
        self._raised.add(roofs, RAISED_FOR_A_GUESS if self.lens.guessed else RAISED)

    def _settle(self, time: float) -> None:
        """Solves again where that is worth it: as long as there is much to gain, at 1, 2, 4, 8 … reads."""
        self._adopt(time)
        means = self._watch.flat.values()
        worth = sum(m.count.bit_length() for m in means) + self._raised.worth
        if worth != self._solved_with and self._solving is None:
            self._solved_with = worth
            self._solve()
            if self._pool is None and self._surer:
                # There may be no later frame with which to adopt it.
                self._look_for_gains(time)
        self._show()

    def _show(self) -> None:
        """The surface where the camera is now; the same one as long as nothing new is known."""
        base, motion, times = self._base, self._watch.motion, self.times
        if (base, motion, times) == self._shown:
            return
        self._shown = base, motion, times
        self._surface = base if base is None or not self._watch.away else moved_surface(base, motion)
        if base is not None and self._surface is not None and self.judged is not None and times > 1.0:
            self._surface = grown(self.judged, base, self._surface)

    def _note_height(self) -> None:
        """Remembers how high the camera hung when its lens was surely as stated: before it first moved."""
        if self._hung_at is None and self.judged is not None and self.judged.consistent:
            self._hung_at = float(self.judged.surface.camera_position[2])

    def _averages(self) -> tuple[list[SeenCorner], list[SeenTag]]:
        averages = [m.average for m in self._watch.flat.values()]
        loose = [a for a in averages if isinstance(a, SeenTag)]
        return [a for a in averages if isinstance(a, SeenCorner)], [*loose, *self._raised.tags]

    def _solve(self) -> None:
        corners, tags = self._averages()
        asked = (self._hung_at, self.lens, corners, tags, self._frame, self._common, self._stated)
        if self._pool is None:
            self._judge(lambda: _judge_moved(*asked), self._places)
        elif self._solving is None:
            # Refused once it is closed, or while the interpreter shuts down.
            with suppress(RuntimeError):
                self._solving = self._places, self._pool.submit(_judge_moved, *asked)

    def _adopt(self, time: float) -> None:
        if self._solving is not None and self._solving[1].done():
            (place, done), self._solving = self._solving, None
            # What was solved from tags that were seen from elsewhere is late.
            if place == self._places:
                self._judge(done.result, place)
        if self._pool is not None:
            self._look_for_gains(time)
        if self._gaining is not None and self._gaining.done():
            worked_out, self._gaining = self._gaining, None
            self.gains = tuple(worked_out.result())

    def _look_for_gains(self, time: float) -> None:
        """Has it worked out what would make the table surer, from the tags that are known by now."""
        if self._gaining is not None or self.judged is None or self.withheld:
            return
        at, judged = self._gains_for
        if judged is self.judged or time < at + GAINS_EVERY_S:
            return
        self._gains_for = time, self.judged
        asked = (self.lens, *self._averages(), self._frame, self._common or Common())
        if self._pool is None:
            self.gains = tuple(gains(*asked))
            return
        with suppress(RuntimeError):
            self._gaining = self._pool.submit(gains, *asked)

    def _judge(self, solve: Callable[[], Judged], place: int) -> None:
        try:
            self.judged = solve()
        except SurfaceError as error:
            self.problem = str(error)
            return
        self.problem, self._carried, self._judged_at = None, None, place
        self._second_look.heed(self.judged, self._time)
        if self.judged.consistent:
            self._contradicted_since, self._gone_on = None, False
        elif self._contradicted_since is None:
            self._contradicted_since = self._time


def _displaced(base: Surface, motion: Motion, tag: SeenTag) -> FloatArray:
    """Where a tag's corners (4, 2) are seen after a motion of the camera, pixels."""
    points = in_camera(base, tag.corners, tag.height)
    return np.asarray(tag.corners + motion.displaced(base.lens, points)[0])


def _judge_moved(
    hung_at: float | None,
    lens: Lens,
    corners: Sequence[SeenCorner],
    tags: Sequence[SeenTag],
    frame: tuple[TagKey, TagKey] | None,
    common: Common | None,
    stated: Sequence[CornerTag],
) -> Judged:
    """`judge`, for a camera that hung at a height in inches before it moved: it may have been zoomed.

    Flat tags alone do not tell a camera that came nearer from a longer focal length. So the focal length is
    as unsure from then on as the height has changed, and what else is seen decides.
    """
    judged = judge(lens, corners, tags, frame, common, stated)
    if hung_at is not None and not lens.guessed:
        share = abs(math.log(max(float(judged.surface.camera_position[2]), 1.0) / hung_at))
        if share > NEARER:
            covariance = lens.covariance.copy()
            covariance[:2, :2] += np.outer(focal := np.diag(lens.K)[:2] * share, focal)
            lens = replace(lens, covariance=covariance)
            judged = judge(lens, corners, tags, frame, common, stated)
    if judged.consistent:
        return judged
    return replace(judged, loosened=loosened(lens, corners, tags, frame, common))


def contradiction_words(judged: Judged, *, gone_on: bool = False) -> tuple[str, ...]:
    """What contradicts what is seen, in words; what is likely comes first.

    `gone_on`: somebody goes on although nothing explains it.
    """
    return (*_contradicted(judged, gone_on), *(length.words_of_old for length in judged.unheld))


def _contradicted(judged: Judged, gone_on: bool) -> tuple[str, ...]:
    named = [d.words for d in judged.named]
    nearest = "no one mistake explains it; nearest comes that " if judged.unexplained else ""
    if gone_on and not judged.consistent:
        which = nearest + "; or ".join(named) if named else GENERAL_WORDS
        return (
            f"gone on although what is stated cannot all be true, everything less sure by as much: {which}",
        )
    if not judged.consistent and not named:
        return (f"what is stated of the table cannot all be true, so nothing is ruled: {GENERAL_WORDS}",)
    if not judged.consistent:
        return (f"nothing is ruled until this is settled: {nearest}{'; or '.join(named)}{_clear(judged)}",)
    if len(named) > 1:
        return (
            "one of these is wrong, the camera cannot tell which: " + "; or ".join(named) + _clear(judged),
        )
    return tuple(named)


def _clear(judged: Judged) -> str:
    """What would tell more, where a corner tag is covered."""
    if not judged.unseen or len(judged.named) < 2:
        return ""
    which = listed(map(str, judged.unseen))
    return f"; clear corner tag{'s' if len(judged.unseen) > 1 else ''} {which}, which would tell more"


def covered_words(tags: Sequence[int]) -> str:
    """Which corner tags, with the verb.

    >>> covered_words((0,)), covered_words((0, 1, 3))
    ('corner tag 0 is', 'corner tags 0, 1 and 3 are')
    """
    *others, last = map(str, tags or ("?",))
    return f"corner tags {', '.join(others)} and {last} are" if others else f"corner tag {last} is"
