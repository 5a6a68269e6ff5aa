"""Keeps the surface while the camera hangs still: averages tags, notices bumps, follows drift."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np

from calibration.bundle.doubts import Judged, judge
from calibration.bundle.problem import Common
from calibration.bundle.seen import SeenTag
from calibration.gains import Gain, gains
from calibration.lens.model import Lens
from calibration.surface import CornerTag, SeenCorner, Surface, SurfaceError
from engine.space.geometry import FloatArray

# Tags that appear so many deviations of a read (and so many pixels) from their average, most of them and
# for so many frames, mean that the camera or the table has moved; a single one means a hand or a nudge.
MOVED_SD, MOVED_PX, MOVED_FRAMES = 6.0, 0.2, 3
# The last reads, so many, against all before: a drift that no single frame shows. Deviations and pixels.
RECENT, DRIFTED_SD, DRIFTED_PX = 6, 4.0, 0.04
AVERAGED = 60
# A camera that seems to have come nearer or gone off by more than this share of its height, all at once with
# all that is seen, may as well have been zoomed or refocused.
NEARER = 0.002
# The part of a read's variance that stays the same from frame to frame (see vision.polish).
LASTING = 0.4

# Roof tags that bear witness of sizes and heights: so many reads, at most one a tag in each square of
# the picture of this side, pixels. More of them settle a guessed lens.
RAISED, RAISED_FOR_A_GUESS = 16, 40
CELL_PX = 80

# What would make the table surer is worked out this seldom, seconds: it changes little.
GAINS_EVERY_S = 10.0

Key = tuple[str, int]


@dataclass
class _Mean:
    """A flat tag's running mean in the image, and its latest reads."""

    seen: SeenCorner | SeenTag
    count: int = 1
    recent: deque[FloatArray] = field(default_factory=lambda: deque(maxlen=RECENT))
    missed: int = 0
    """Frames since its latest read."""

    @property
    def noise(self) -> float:
        """Deviation of a read of the tag's middle, pixels; only what is new in every frame."""
        blocks = self.seen.covariance.reshape(4, 2, 4, 2)
        return float(np.sqrt((1.0 - LASTING) * np.einsum("ijkj->", blocks) / 32))

    def offset(self, seen: SeenCorner | SeenTag, lead: FloatArray) -> float:
        """Pixels between where the tag is seen and where it was, moved on by `lead` (2,)."""
        return float(np.linalg.norm((seen.corners - self.seen.corners).mean(axis=0) - lead))

    @property
    def drift(self) -> FloatArray:
        """Pixels (2,) between the latest reads and the mean."""
        return np.asarray((np.mean(self.recent, axis=0) - self.seen.corners).mean(axis=0))

    def add(self, seen: SeenCorner | SeenTag) -> None:
        self.missed = 0
        self.recent.append(seen.corners)
        self.count = min(self.count + 1, AVERAGED)
        share = 1.0 / self.count
        self.seen = replace(
            self.seen,
            corners=self.seen.corners + (seen.corners - self.seen.corners) * share,
            covariance=self.seen.covariance + (seen.covariance - self.seen.covariance) * share,
        )

    def afresh(self) -> None:
        """Keeps the latest reads alone."""
        self.count = len(self.recent)
        self.seen = replace(self.seen, corners=np.mean(self.recent, axis=0))

    @property
    def average(self) -> SeenCorner | SeenTag:
        kept = LASTING + (1.0 - LASTING) / self.count
        return replace(self.seen, covariance=self.seen.covariance * kept)


class SurfaceKeeper:
    """The surface of one table under one camera through time.

    `frame` names the two tags that set the table's frame where no places are stated, `common` the errors
    that all stated numbers share, `corners` all corner tags of stated place. `problem` and `notices` are
    sentences for people; `judged` says what contradicts what. `hung_at` is how high the camera hung, inches,
    when its lens was surely as stated, if that was before this keeper began. With `beside`, it is solved in a
    thread of its own (live play), and what would make it surer is worked out there too: `gains`.
    """

    def __init__(
        self,
        lens: Lens,
        frame: tuple[Key, Key] | None = None,
        common: Common | None = None,
        corners: Sequence[CornerTag] = (),
        *,
        beside: bool = False,
        hung_at: float | None = None,
    ) -> None:
        self.lens = lens
        self.problem: str | None = None
        self.judged: Judged | None = None
        self.gains: tuple[Gain, ...] = ()
        self.moved_at: float | None = None
        self._frame = frame
        self._common = common
        self._stated = tuple(corners)
        self._means: dict[Key, _Mean] = {}
        self._raised: dict[tuple[Key, int, int], SeenTag] = {}
        self._suspicious = 0
        self._solved_with = 0
        self._pool = ThreadPoolExecutor(1, "surface") if beside else None
        self._solving: Future[Judged] | None = None
        self._gaining: Future[list[Gain]] | None = None
        self._gains_for: tuple[float, Judged | None] = (-math.inf, None)
        self._hung_at = hung_at

    @property
    def surface(self) -> Surface | None:
        """The table under the camera, None until it is found."""
        return None if self.judged is None else self.judged.surface

    @property
    def hung_at(self) -> float | None:
        """How high the camera hung, inches, when its lens was surely as stated; None while nobody knows."""
        self._note_height()
        return self._hung_at

    @property
    def unsteady(self) -> bool:
        """Whether the last frame looked as if the camera were moving: nothing should be ruled from it."""
        return self._suspicious > 0

    @property
    def withheld(self) -> bool:
        """Whether what is stated cannot all be true and no one mistake explains it: nothing may be ruled."""
        return self.judged is not None and not self.judged.consistent

    @property
    def notices(self) -> tuple[str, ...]:
        """What contradicts what is seen, in words."""
        return () if self.judged is None else told(self.judged)

    def update(
        self,
        time: float,
        corners: Iterable[SeenCorner],
        loose: Iterable[SeenTag] = (),
        raised: Iterable[SeenTag] = (),
    ) -> bool:
        """Takes one frame's tags; True if the camera has been found to have moved.

        `loose` lie flat at unknown places; `raised` are roof tags of known height, each at some different
        places: they settle a guessed lens, and bear witness of sizes and heights.
        """
        seen: list[SeenCorner | SeenTag] = [*corners, *loose]
        known = [s for s in seen if _key(s) in self._means]
        lead = self._common_drift()
        off = [s for s in known if self._has_moved(s, lead)]
        if len(off) >= 2 and 2 * len(off) > len(known):
            self._suspicious += 1
            if self._suspicious < MOVED_FRAMES:
                return False
            self._means.clear()
            self._raised.clear()
            self.gains = ()
            self._note_height()
            self._suspicious, self._solved_with, self.moved_at = 0, 0, time
            self._take(time, seen, raised)
            return True
        self._suspicious = 0
        self._take(time, [s for s in seen if s not in off], raised)
        return self._follow(time)

    def close(self) -> None:
        """Ends what runs beside. May be called twice."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def _common_drift(self) -> FloatArray:
        """Pixels (2,) by which most tags' latest reads lie from their means: what a pan has added since.

        Without it tags that drift together are taken one by one for nudged, and those that were left out
        stay behind the others. One tag that is pushed, or two, do not change it.
        """
        drifts = [m.drift for m in self._means.values() if len(m.recent) == RECENT]
        return np.asarray(np.median(drifts, axis=0)) if len(drifts) > 2 else np.zeros(2)

    def _has_moved(self, seen: SeenCorner | SeenTag, lead: FloatArray) -> bool:
        mean = self._means[_key(seen)]
        return mean.offset(seen, lead) > max(MOVED_PX, MOVED_SD * mean.noise)

    def _follow(self, time: float) -> bool:
        """Drops old reads where most tags have drifted away from them; True if that has moved the table."""
        means = [m for m in self._means.values() if len(m.recent) == RECENT and m.count >= 2 * RECENT]
        far = [
            m
            for m in means
            if np.abs(m.drift).max() > max(DRIFTED_PX, DRIFTED_SD * m.noise / np.sqrt(RECENT))
        ]
        if len(far) < 2 or 2 * len(far) <= len(means):
            return False
        self._drop_unread()
        for mean in self._means.values():
            if mean.recent:
                mean.afresh()
        self._raised.clear()
        self._note_height()
        self._solved_with, self.moved_at = 0, time
        self._solve()
        return True

    def _drop_unread(self) -> None:
        """Drops corner tags that were not read lately: a camera that has moved since saw them elsewhere.

        Three are kept, fewer do not hold a table; and loose tags, which may set its frame.
        """
        corners = [(key, m) for key, m in self._means.items() if isinstance(m.seen, SeenCorner)]
        unread = [key for key, m in corners if m.missed >= RECENT]
        if len(corners) - len(unread) >= 3:
            for key in unread:
                del self._means[key]

    def _take(self, time: float, seen: Iterable[SeenCorner | SeenTag], raised: Iterable[SeenTag]) -> None:
        for mean in self._means.values():
            mean.missed += 1
        for s in seen:
            key = _key(s)
            if key in self._means:
                self._means[key].add(s)
            else:
                self._means[key] = _Mean(s)
        most = RAISED_FOR_A_GUESS if self.lens.guessed else RAISED
        for tag in raised:
            x, y = (tag.corners.mean(axis=0) // CELL_PX).astype(int)
            if len(self._raised) < most:
                self._raised.setdefault((tag.key, int(x), int(y)), tag)
        self._adopt(time)
        # Solving again is worth it as long as there is much to gain: at 1, 2, 4, 8 … reads.
        worth = sum(m.count.bit_length() for m in self._means.values()) + len(self._raised).bit_length()
        if worth != self._solved_with and self._solving is None:
            self._solved_with = worth
            self._solve()

    def _note_height(self) -> None:
        """Remembers how high the camera hung when its lens was surely as stated: before it first moved."""
        if self._hung_at is None and self.judged is not None and self.judged.consistent:
            self._hung_at = float(self.judged.surface.camera_position[2])

    def _averages(self) -> tuple[list[SeenCorner], list[SeenTag]]:
        averages = [m.average for m in self._means.values()]
        loose = [a for a in averages if isinstance(a, SeenTag)]
        return [a for a in averages if isinstance(a, SeenCorner)], [*loose, *self._raised.values()]

    def _solve(self) -> None:
        corners, tags = self._averages()
        asked = (self._hung_at, self.lens, corners, tags, self._frame, self._common, self._stated)
        if self._pool is None:
            self._judge(lambda: _judge_moved(*asked))
        elif self._solving is None:
            # Refused once it is closed, or while the interpreter shuts down.
            with suppress(RuntimeError):
                self._solving = self._pool.submit(_judge_moved, *asked)

    def _adopt(self, time: float) -> None:
        if self._solving is not None and self._solving.done():
            done, self._solving = self._solving, None
            self._judge(done.result)
        self._look_for_gains(time)
        if self._gaining is not None and self._gaining.done():
            worked_out, self._gaining = self._gaining, None
            self.gains = tuple(worked_out.result())

    def _look_for_gains(self, time: float) -> None:
        """Has it worked out what would make the table surer, from the tags that are known by now."""
        if self._pool is None or self._gaining is not None or self.judged is None or self.withheld:
            return
        at, judged = self._gains_for
        if judged is self.judged or time < at + GAINS_EVERY_S:
            return
        self._gains_for = time, self.judged
        corners, tags = self._averages()
        common = self._common or Common()
        with suppress(RuntimeError):
            self._gaining = self._pool.submit(gains, self.lens, corners, tags, self._frame, common)

    def _judge(self, solve: Callable[[], Judged]) -> None:
        try:
            self.judged = solve()
        except SurfaceError as error:
            self.problem = str(error)
            return
        self.problem = None


def _judge_moved(
    hung_at: float | None,
    lens: Lens,
    corners: Sequence[SeenCorner],
    tags: Sequence[SeenTag],
    frame: tuple[Key, Key] | None,
    common: Common | None,
    stated: Sequence[CornerTag],
) -> Judged:
    """`judge`, for a camera that hung at a height in inches before it moved: it may have been zoomed.

    Flat tags alone do not tell a camera that came nearer from a longer focal length. So the focal length is
    as unsure from then on as the height has changed, and what else is seen decides.
    """
    judged = judge(lens, corners, tags, frame, common, stated)
    if hung_at is None or lens.guessed:
        return judged
    share = abs(math.log(max(float(judged.surface.camera_position[2]), 1.0) / hung_at))
    if share <= NEARER:
        return judged
    covariance = lens.covariance.copy()
    covariance[:2, :2] += np.outer(focal := np.diag(lens.K)[:2] * share, focal)
    return judge(replace(lens, covariance=covariance), corners, tags, frame, common, stated)


def told(judged: Judged) -> tuple[str, ...]:
    """What contradicts what is seen, in words; what is likely comes first."""
    named = [d.words for d in judged.named]
    if not judged.consistent and not named:
        return (
            "what the table file states cannot all be true, so nothing is ruled: measure the places of the "
            "corner tags again, then the printed size of a tag, and see that the lens file is this camera's",
        )
    if not judged.consistent:
        return ("nothing is ruled until this is settled: " + "; or ".join(named) + _clear(judged),)
    if len(named) > 1:
        return (
            "one of these is wrong, the camera cannot tell which: " + "; or ".join(named) + _clear(judged),
        )
    return tuple(named)


def _clear(judged: Judged) -> str:
    """What would tell more, where a corner tag is covered."""
    if not judged.unseen or len(judged.named) < 2:
        return ""
    which = " and ".join(map(str, judged.unseen))
    return f"; clear corner tag{'s' if len(judged.unseen) > 1 else ''} {which}, which would tell more"


def _key(seen: SeenCorner | SeenTag) -> Key:
    return (seen.corner.family, seen.corner.tag) if isinstance(seen, SeenCorner) else seen.key
