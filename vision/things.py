"""What lies on the table that nobody has named: what stays there and is neither cloth nor a known piece.

Each picture is laid flat on the table (`vision.flat`) and what nothing explains is found
(`vision.unexplained`). What stays so for three seconds is a thing, and is outlined (`vision.outlines`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

import cv2
import numpy as np
from shapely import Polygon

from calibration.surface import Surface
from engine.space.geometry import FloatArray, Pose, Region
from engine.space.pieces import Piece
from engine.space.table import UNWATCHED, Hideout, Standing, Status, Thing, ThingName
from vision.background import BackgroundMemory
from vision.flat import (
    PER_INCH,
    Flattener,
    Lab,
    Mask,
    as_mask,
    box_of,
    disk,
    labelled,
    middle_colour,
    same_places,
    spots,
)
from vision.frame import Frame, Image
from vision.hideouts import hideouts_of, same_hideouts, unwatched_in
from vision.outlines import outlined, shadow_of
from vision.places import PlaceWatch, Verdict
from vision.segments import Shade
from vision.unexplained import LEAST_STEP, LIGHT_STEP, OVER_EDGE, ROUND_PIECE_IN, SKIN, Look, look, skin_share

# A picture is looked at this often, seconds, and what stays so long is a thing; what is gone so long is none.
LOOK_EVERY_S, STAYS_S, GONE_S = 0.5, 3.0, 1.0
# A picture that has no earlier one is looked at as if it had been there for so many looks.
FIRST_LOOKS = 8
# Paper is as wide as this beside a black square.
PAPER = 1.3
# Two looks show the same thing if so much of it is the same.
SAME = 0.6
# An arm is at least so long and no wider than so much in the mean, inches; it may rest for so many seconds.
ARM_IN, ARM_STAYS_S = (5.0, 6.0), 20.0
# Parts of an arm are no farther apart, inches; where lines along a sleeve go, and how far it is seen at the
# least beyond the hand.
JOINT_IN, SLEEVE_IN, ARM_BEYOND_IN = 0.4, (-0.4, 0.0, 0.4), 1.0
# Along a sleeve it is looked so many pixels apart; no more than such a share of it may be bare cloth, and of
# one without a hand that looks like skin so much must be seen to lie over cloth.
STEP_PX, SLEEVE_BARE, SLEEVE_SEEN = 2.0, 0.03, 0.4
# What is at rest looks as it did half a second ago but for these in L, a and b, on all but such a share.
AT_REST, STIRS = (16.0, 8.0, 8.0), 0.12
# Two pictures show the same if no square of twice so many pixels changed by so many levels in the mean, as no
# camera's noise does, and nothing that is known went farther than this, inches.
SMALLER, SAME_LEVELS, SAME_IN = 8, 6, 0.04


def covered(standing: Standing, surface: Surface) -> FloatArray:
    """What a piece covers of the table for the camera, (n, 2) inches: it, and what its top hides."""
    body = standing.piece.body
    low = standing.pose.to_table(body.footprint.outline)
    top, high = body.height, []
    mount = standing.piece.mount
    if mount is not None:
        half = mount.size / 2 * PAPER
        square = np.array([(half, half), (half, -half), (-half, -half), (-half, half)])
        tag = standing.pose.compose(mount.body_from_tag).to_table(square)
        high.append(np.column_stack([tag, np.full(len(tag), mount.height)]))
        top = max(top, mount.height)
    high.append(np.column_stack([low, np.full(len(low), top)]))
    hides = surface.table_from_image(surface.project(np.concatenate(high)))
    hull = cv2.convexHull(np.concatenate([low, hides]).astype(np.float32))
    return np.asarray(hull[:, 0], dtype=np.float64)


# A blob, its outline (n, 2), inches, and how surely that is found, inches.
_Drawn = tuple[Mask, FloatArray | None, float]


@dataclass(frozen=True, eq=False)
class _Seeing:
    """A look, what of it has stayed long enough to be outlined, places, and what known pieces cover."""

    look: Look
    known: Sequence[FloatArray]
    judged: tuple[Mask, ...]
    outlines: tuple[_Drawn, ...]
    places: Mapping[str, Verdict]


@dataclass
class _Track:
    """Something that looks have shown: since when, when last, and what it is called once it is a thing."""

    blob: Mask
    since: float
    seen_at: float
    bare_since: float | None = None
    colour: FloatArray | None = None
    thing: Thing | None = None
    held: bool = False
    """Whether it has stayed for long enough, and may be a piece whose tag was not looked for yet."""
    answered: bool = False


class _Outlines:
    """The outlines of a look's blobs, and which are arms: each worked out once, however long a look holds."""

    def __init__(self, seen: Look) -> None:
        self.seen = seen
        self._arms: dict[int, bool] = {}
        self._drawn: dict[int, _Drawn] = {}
        self._shadow: Shade | None = None

    def of_ripe(self, image: Image, surface: Surface, ripe: Sequence[tuple[Mask, bool]]) -> Iterator[_Drawn]:
        """Those of what is ripe: blobs, each with whether it has rested for longer than arms do."""
        for k, blob in enumerate(self.seen.blobs):
            # Of a picture that shows the same the very blobs are asked for.
            very = [of for r, of in ripe if r is blob]
            long = very or [of for r, of in ripe if r.shape == blob.shape and _share(r, blob) >= SAME]
            if not long or (not any(long) and self._is_arm(k)):
                continue
            if k not in self._drawn:
                self._shadow = self._shadow or shadow_of(self.seen)
                self._drawn[k] = blob, *outlined(image, surface, self.seen, blob, self._shadow)
            yield self._drawn[k]

    def _is_arm(self, k: int) -> bool:
        if k not in self._arms:
            self._arms[k] = _is_arm(self.seen.blobs[k], self.seen)
        return self._arms[k]


class ThingWatch:
    """Looks at the table now and then, and keeps what stays on it unexplained.

    With `beside` pictures are looked at in a thread of their own. Answers come from any thread. `places` are
    watched in the same looks; `quiet`: they alone are, and nobody is told of things. `at_once`: what the very
    first picture shows is taken to have lain there before it, as in a picture that has no later one.
    """

    def __init__(
        self,
        region: Region,
        flat_tags: Iterable[FloatArray] = (),
        *,
        beside: bool = False,
        places: PlaceWatch | None = None,
        quiet: bool = False,
        at_once: bool = False,
    ) -> None:
        self._region, self._at_once = region, at_once
        self.places = PlaceWatch() if places is None else places
        self._quiet = quiet
        self._changed: list[str] = []
        self._settled: set[str] = set()
        self._tags = [paper(corners) for corners in flat_tags]
        self._pool = ThreadPoolExecutor(1, "things") if beside else None
        self._looking: tuple[float, Future[_Seeing]] | None = None
        self._last: tuple[Surface, Image, Sequence[FloatArray], Look, Mapping[str, Verdict]] | None = None
        # Whoever looks beside has one, and whoever asks meanwhile another.
        self._flattener, self._reach = Flattener(), Flattener()
        self._memory = BackgroundMemory()
        self._looked_at = -math.inf
        self._tracks: list[_Track] = []
        self._lab: Lab | None = None
        self._covers: tuple[Surface | None, dict[str, tuple[tuple[Piece, Pose], FloatArray]]] = None, {}
        self._drawn: _Outlines | None = None
        self._named = 0
        self._searched = math.inf
        self._hidden: tuple[Look, tuple[str, ...], tuple[Hideout, ...]] | None = None
        # When it was looked first since the camera hangs here, and last; what may be things yet, and where.
        self._looks: tuple[float, float] | None = None
        self._unwatched: tuple[tuple[Mask, ...] | None, tuple[Hideout, ...]] = (
            None, (Hideout(UNWATCHED, region),),
        )  # fmt: skip

    @property
    def things(self) -> tuple[Thing, ...]:
        """What stays on the table unexplained, and that nobody has said to be nothing."""
        if self._quiet:
            return ()
        return tuple(t.thing for t in list(self._tracks) if t.thing is not None and not t.answered)

    def update(
        self,
        frame: Frame,
        surface: Surface,
        standings: Sequence[Standing],
        laid: Iterable[FloatArray] = (),
        searched: float = math.inf,
    ) -> tuple[Thing, ...]:
        """Takes a frame in which the camera hangs still; `laid` are outlines of what a game laid, inches.

        What came after the picture of the time `searched` may be a piece whose tag was not looked for there
        yet (`vision.tags.watch.Watch.searched`): it is no thing so far.
        """
        self._searched = searched
        if self._looking is not None and self._looking[1].done():
            (time, done), self._looking = self._looking, None
            self._take(time, done.result())
        if self._looking is None and frame.time >= self._looked_at + LOOK_EVERY_S - 1e-6:
            self._looked_at = frame.time
            moving = any(s.status is Status.MOVING for s in standings)
            known = [*self._covered(standings, surface), *self._tags, *laid]
            if self._at_once:
                self._at_once = False
                for k in range(FIRST_LOOKS, 0, -1):
                    time = frame.time - k * LOOK_EVERY_S
                    # One picture is no memory of the bare table: a shadow in it may go.
                    self._take(time, self._look(frame, surface, known, self._ripe(time), remembers=False))
            asked = frame, surface, known, self._ripe(frame.time)
            if self._pool is None:
                self._take(frame.time, self._look(*asked))
            elif not moving:
                with suppress(RuntimeError):
                    self._looking = frame.time, self._pool.submit(self._look, *asked)
        return self.things

    def _ripe(self, time: float) -> list[tuple[Mask, bool]]:
        """What has rested long enough to be a thing: blobs, and whether for longer than arms do."""
        waits = [(t, time - t.since + 1e-6) for t in self._tracks if t.thing is None]
        ripe = [(track, rests) for track, rests in waits if rests >= STAYS_S]
        for track, _ in ripe:
            track.held = track.held or track.since > self._searched
        return [(t.blob, rests >= ARM_STAYS_S) for t, rests in ripe if t.since <= self._searched]

    def hideouts(
        self, frame: Frame, surface: Surface, standings: Iterable[Standing], unread: Sequence[Piece]
    ) -> tuple[Hideout, ...]:
        """Where pieces that were not read may stand, as the last look does not show the table free there."""
        last = self._last
        if last is None:
            return ()
        seen, names = last[3], tuple(p.name for p in unread)
        before = self._hidden
        if before is not None and before[0] is seen and before[1] == names:
            return before[2]
        everywhere = np.full(frame.image.shape[:2], 255, np.uint8)
        in_picture = as_mask(self._reach.flat(everywhere, surface, self._region).picture == 255)
        bodies = [(covered(s, surface), s.region.outline) for s in standings if s.status is not Status.LOST]
        places = tuple(hideouts_of(seen, self._region, in_picture, bodies, unread))
        if before is not None and same_hideouts(before[2], places):
            # A pixel more or less is noise, and no other table.
            places = before[2]
        self._hidden = seen, names, places
        return places

    @property
    def unwatched(self) -> tuple[Hideout, ...]:
        """Where something may lie that looks have not shown for long enough to call it a thing.

        Before the first look that is anywhere, and once whatever lay there then is a thing it is nowhere.
        What came later and is held back, as it may be a piece, is no thing yet either.
        """
        looks, last, (of, places) = self._looks, self._last, self._unwatched
        if self._quiet:
            return ()
        if looks is None or last is None:
            if of is not None:
                self._unwatched = None, (Hideout(UNWATCHED, self._region),)
            return self._unwatched[1]
        seen, watched = last[3], looks[1] - looks[0] >= STAYS_S - 1e-6
        held = tuple(t.blob for t in list(self._tracks) if t.held and t.thing is None)
        blobs = held if watched else tuple(seen.blobs)
        if of is None or len(of) != len(blobs) or any(a is not b for a, b in zip(of, blobs, strict=True)):
            now = tuple(unwatched_in(seen, blobs))
            self._unwatched = blobs, places if same_hideouts(places, now) else now
        return self._unwatched[1]

    def changes(self) -> list[str]:
        """Names of the pieces without a tag that went from their places, or are there again, since last."""
        changed, self._changed = self._changed, []
        return changed

    def settle(self, name: str) -> bool:
        """A thing is a piece from now on, and watched by its place; False if there is none of that name."""
        found = self.answer(name)
        self._settled.add(name)
        return found

    def answer(self, name: str) -> bool:
        """Somebody says that a thing is in nobody's way; False if there is none of that name."""
        found = [t for t in list(self._tracks) if t.thing is not None and t.thing.name == name]
        for track in found:
            track.answered = True
        return bool(found)

    def forget(self) -> None:
        """The camera hangs elsewhere: nothing is where it was in the picture."""
        self._tracks, self._looks = [], None
        self._memory.forget()
        self.places.forget()

    def look_anew(self, since: float) -> None:
        """What came since that time was seen out of focus: it is looked for anew, and open until then."""
        self._tracks, self._looks = [t for t in self._tracks if t.since < since or t.answered], None

    def close(self) -> None:
        """Ends what runs beside. May be called twice."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def _covered(self, standings: Sequence[Standing], surface: Surface) -> list[FloatArray]:
        """What the pieces cover; of those that stand where they stood it is known."""
        if self._covers[0] is not surface:
            self._covers = surface, {}
        before, now = self._covers[1], {}
        for standing in standings:
            if standing.status is not Status.LOST:
                key, name = (standing.piece, standing.pose), standing.name
                was = before.get(name)
                same = was is not None and was[0][0] is key[0] and was[0][1] == key[1]
                now[name] = was if was is not None and same else (key, covered(standing, surface))
        self._covers = surface, now
        return [outline for _, outline in now.values()]

    def _look(
        self,
        frame: Frame,
        surface: Surface,
        known: Sequence[FloatArray],
        ripe: Sequence[tuple[Mask, bool]],
        *,
        remembers: bool = True,
    ) -> _Seeing:
        """A look, and the outlines of what is `ripe`: blobs, and whether an arm would not rest so long."""
        image = frame.image
        if image.ndim == 2:
            image = np.asarray(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR), np.uint8)
        placed = self.places.outlines(surface)
        small = _small(image, surface, self._region)
        last = self._last
        everything = [*known, *placed]
        if (
            last is not None
            and same_places(last[0], surface)
            and _alike(last[1], small)
            and _alike_known(last[2], everything)
        ):
            seen, verdicts = last[3:]
        else:
            flat = self._flattener.flat(image, surface, self._region)
            seen = look(flat, self._region, known, placed, self._memory.background)
            marked = {name: spots(flat, outline) for name, outline in self.places.spots(surface).items()}
            verdicts = self.places.look(flat.picture, marked, seen.sure, seen.view, PER_INCH)
            self._last = surface, small, everything, seen, verdicts
        if remembers:
            self._remember(frame.time, seen)
        if self._drawn is None or self._drawn.seen is not seen:
            self._drawn = _Outlines(seen)
        drawn = () if self._quiet else tuple(self._drawn.of_ripe(image, surface, ripe))
        return _Seeing(seen, known, tuple(blob for blob, _ in ripe), drawn, verdicts)

    def _remember(self, time: float, seen: Look) -> None:
        """Keeps what the look shows of the bare table."""
        cloth = as_mask(seen.bare & (seen.printed ^ 1))
        lying = as_mask(np.clip(sum(seen.blobs, np.zeros_like(cloth)), 0, 1))
        masks = cloth, as_mask(seen.printed & seen.view), lying
        self._memory.take(time, seen.smooth, seen.lab, masks, seen.likeness)

    def _take(self, time: float, seeing: _Seeing) -> None:
        seen = seeing.look
        self._looks = (time if self._looks is None else self._looks[0]), time
        self._changed += self.places.take(time, seeing.places)
        shape = seen.bare.shape
        tracks = [
            t
            for t in self._tracks
            if t.blob.shape == shape and not (t.thing is not None and t.thing.name in self._settled)
        ]
        left = list(seen.blobs)
        for track in tracks:
            best = _likest(track.blob, left)
            if best is not None and _share(track.blob, best) >= SAME:
                left = [b for b in left if b is not best]
                if track.thing is None and _has_changed(self._lab, seen.lab, as_mask(track.blob | best)):
                    # What is held, or is an arm, is not at rest.
                    track.since = time
                track.seen_at, track.bare_since = time, None
                if track.thing is None and time - track.since >= STAYS_S - 1e-6:
                    track.thing = self._named_of(best, seeing)
                if any(track.blob is blob for blob in seeing.judged):
                    track.held = False
                if track.blob is not best:
                    track.blob, track.colour = best, _colour(seen.lab, best)
            elif _bare_again(seen, track) or _is_known(track, seeing.known):
                track.bare_since = time if track.bare_since is None else track.bare_since
            else:
                track.bare_since = None
        self._tracks = [t for t in tracks if not self._is_gone(t, time)]
        self._tracks += [_Track(blob, time, time, colour=_colour(seen.lab, blob)) for blob in left]
        self._lab = seen.lab

    def _named_of(self, blob: Mask, seeing: _Seeing) -> Thing | None:
        """A thing with the outline of a blob and a name of its own; None if it has no outline yet."""
        drawn = [(o, sd) for of, o, sd in seeing.outlines if of is blob and o is not None]
        if not drawn:
            return None
        self._named += 1
        (outline, sd) = drawn[0]
        return Thing(ThingName(f"Thing {self._named}"), Region(outline), sd)

    @staticmethod
    def _is_gone(track: _Track, time: float) -> bool:
        """A thing goes when its place is seen bare, or a piece there; what is none yet when it is unseen."""
        if track.thing is None:
            return time - track.seen_at > GONE_S
        return track.bare_since is not None and time - track.bare_since >= GONE_S


def _colour(lab: Lab, blob: Mask) -> FloatArray:
    """The colour of a blob in Lab, the median of each."""
    here = box_of(blob)
    return middle_colour(lab[here], blob[here])


def _has_changed(before: Lab | None, now: Lab, blob: Mask) -> bool:
    """Whether what a blob shows is not what it showed in the look before, in another light maybe."""
    if before is None or before is now or before.shape != now.shape or not blob.any():
        return False
    inside = blob > 0
    then, here = before[inside], now[inside]
    light = float(np.median(here[:, 0] / np.maximum(then[:, 0], 1.0)))
    off = np.abs(here - then * np.array([light, 1.0, 1.0]))
    return bool((off > AT_REST).any(axis=1).mean() > STIRS)


def _bare_again(seen: Look, track: _Track) -> bool:
    """Whether the table shows where something was: the cloth, or what is printed on it, in another colour."""
    inside = track.blob > 0
    bare, printed = seen.bare[inside] > 0, (seen.printed & seen.view)[inside] > 0
    if float(bare.mean()) > SAME:
        return True
    if track.colour is None or float((bare | printed).mean()) <= SAME:
        return False
    off = np.abs(_colour(seen.lab, track.blob) - track.colour)
    return bool(np.hypot(off[1], off[2]) + off[0] * LIGHT_STEP >= 2.0 * LEAST_STEP)


def _is_known(track: _Track, known: Sequence[FloatArray]) -> bool:
    """Whether a piece that is known covers just what a thing covers: it is that piece, read at last."""
    if track.thing is None:
        return False
    thing, pieces = track.thing.region.polygon, (Polygon(outline) for outline in known)
    return any(thing.intersection(p).area >= SAME * thing.union(p).area for p in pieces)


def _is_arm(blob: Mask, seen: Look) -> bool:
    """Whether it is part of what comes over the table's edge as an arm does: long, and no wider than one."""
    touching, skin = cv2.countNonZero(as_mask(blob & seen.edge)), _is_skin(blob, seen)
    for part in (blob, _whole(blob, seen)) if touching or skin else ():
        if cv2.countNonZero(as_mask(part & seen.edge)) < OVER_EDGE * PER_INCH**2:
            continue
        (_, size, _) = cv2.minAreaRect(np.argwhere(part > 0).astype(np.float32))
        long = max(size) / PER_INCH
        if long >= ARM_IN[0] and cv2.countNonZero(part) / PER_INCH**2 <= ARM_IN[1] * long:
            return True
    if touching >= OVER_EDGE * PER_INCH**2 and seen.likeness is not None:
        # What came over the edge since the table was seen is an arm, too, however little of it is seen.
        known = as_mask(blob & seen.likeness.known)
        if cv2.countNonZero(known) > SAME * cv2.countNonZero(blob):
            return True
    return _is_reached(blob, seen, skin=skin)


def _whole(blob: Mask, seen: Look) -> Mask:
    """A blob, and all others to which known pieces and small gaps join it."""
    every = as_mask(np.clip(sum(seen.blobs), 0, 1))
    joined = as_mask(cv2.dilate(as_mask(every | seen.hidden), disk(JOINT_IN)))
    _, labels = labelled(joined)
    return as_mask(every & as_mask(labels == labels[blob > 0].max()))


def _is_skin(blob: Mask, seen: Look) -> bool:
    """Whether it looks like a hand's skin."""
    here = box_of(blob)
    return skin_share(seen.flat.picture[here][blob[here] > 0]) > SKIN


def _is_reached(blob: Mask, seen: Look, *, skin: bool) -> bool:
    """Whether a straight way as wide as an arm leads from the table's edge to it, and hides the table.

    A sleeve over a road may look as the road does: what looks like skin is a hand then. What does not must be
    seen to lie on the way, where the table was seen before.
    """
    shown, lying = seen.bare, seen.likeness
    if lying is None and not skin:
        return False
    over = np.zeros_like(blob)
    if lying is not None:
        over = as_mask(lying.known & seen.view & (lying.as_before ^ 1))
        shown = as_mask((seen.bare & (lying.known ^ 1)) | lying.bare)
        if not skin:
            shown |= lying.known & lying.as_before
    ys, xs = np.nonzero(blob)
    middle = np.array([xs.mean(), ys.mean()], np.float32)
    inside = as_mask(seen.view | as_mask(cv2.dilate(seen.hidden, disk(ROUND_PIECE_IN))))
    # What shows the table nearly all around is not looked at further.
    reach = round(ARM_BEYOND_IN * PER_INCH)
    near = tuple(slice(max(int(of.min()) - reach, 0), int(of.max()) + reach + 1) for of in (ys, xs))
    beside = as_mask(as_mask(cv2.dilate(blob[near], disk(ARM_BEYOND_IN))) & (blob[near] ^ 1))
    covering = as_mask(beside & (as_mask(shown[near] & inside[near]) ^ 1))
    if cv2.countNonZero(covering) < (SLEEVE_IN[-1] - SLEEVE_IN[0]) * ARM_BEYOND_IN * PER_INCH**2 / 2.0:
        return False
    steps = np.arange(0.0, float(np.hypot(*blob.shape)), STEP_PX, dtype=np.float32)
    angles = np.arange(0.0, 2.0 * math.pi, math.radians(5.0))
    along = np.column_stack([np.cos(angles), np.sin(angles)]).astype(np.float32)
    across = np.column_stack([-along[:, 1], along[:, 0]])
    lines = steps[:, None] * along[:, None] + middle
    beside_it = np.array(SLEEVE_IN, np.float32)[:, None] * PER_INCH * across[:, None, None]
    at = np.rint(lines[:, :, None] + beside_it).astype(np.int32)
    x, y = (np.ascontiguousarray(of) for of in np.moveaxis(at, -1, 0))
    ok = (x >= 0) & (x < blob.shape[1]) & (y >= 0) & (y < blob.shape[0])
    x[~ok] = y[~ok] = 0
    # Of each way what lies beyond the blob, as far as the table's edge.
    on_it = ok & (inside[y, x] > 0)
    on_table = np.logical_and.accumulate(np.logical_and.reduce(np.moveaxis(on_it, 2, 0)), axis=1)
    beyond = on_table[..., None] & (blob[y, x] == 0)
    count = beyond.sum(axis=(1, 2))
    bare, seen_over = ((beyond & (of[y, x] > 0)).sum(axis=(1, 2)) for of in (shown, over))
    far_enough = count >= len(SLEEVE_IN) * ARM_BEYOND_IN * PER_INCH / STEP_PX
    hiding = far_enough & (bare <= SLEEVE_BARE * count)
    return bool((hiding & (skin | (seen_over >= SLEEVE_SEEN * count))).any())


def paper(corners: FloatArray) -> FloatArray:
    """The paper of a tag on the table whose black square has these corners (4, 2), inches."""
    middle = corners.mean(axis=0)
    return np.asarray((corners - middle) * PAPER + middle)


def _likest(mask: Mask, others: Sequence[Mask]) -> Mask | None:
    """Which of these is most of the same as a mask: the very one, where that is among them."""
    if any(other is mask for other in others):
        return mask
    return max(others, key=lambda other: _share(mask, other), default=None)


def _share(one: Mask, other: Mask) -> float:
    """How much of two masks is the same: intersection over union."""
    if one is other:
        return 1.0
    both = int(cv2.countNonZero(one & other))
    return both / max(int(cv2.countNonZero(one | other)), 1)


def _small(image: Image, surface: Surface, region: Region) -> Image:
    """The part of a picture that shows the table, much smaller."""
    corners = surface.image_from_table(region.outline)
    low = np.clip(np.floor(corners.min(axis=0)), 0, None).astype(int)
    part = image[slice(low[1], int(corners[:, 1].max()) + 1), slice(low[0], int(corners[:, 0].max()) + 1)]
    if part.size == 0:
        part = image
    # Every fourth row is enough: to read a picture takes the time. Whole squares are read the fastest.
    w, h = (max(n // SMALLER, 1) for n in part.shape[1::-1])
    rows = part[: h * SMALLER : SMALLER // 2, : w * SMALLER]
    return np.asarray(cv2.resize(rows, (w, h), interpolation=cv2.INTER_AREA), np.uint8)


def _alike(one: Image, other: Image) -> bool:
    """Whether two small pictures show the same: what noise there is in one pixel is not in its neighbours."""
    if one.shape != other.shape:
        return False
    off = one.astype(np.int16) - other
    rows = off[1:] + off[:-1]
    return int(np.abs(rows[:, 1:] + rows[:, :-1]).max(initial=0)) <= 4 * SAME_LEVELS


def _alike_known(before: Sequence[FloatArray], now: Sequence[FloatArray]) -> bool:
    """Whether what is known covers the same."""
    return len(before) == len(now) and all(
        a.shape == b.shape and float(np.abs(a - b).max()) <= SAME_IN for a, b in zip(before, now, strict=True)
    )
