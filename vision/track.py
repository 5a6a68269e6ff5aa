"""Sightings -> tracks: smoothing, still or moving, held through a hand, lost.

Identity comes from reads alone: a track never moves to where its tag was not read. A moving car
is reported where it was read, without lag; a still one at the average of its still frames, with
the deviation that this deserves.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from calibration.surface import Surface
from engine.space.geometry import FloatArray, Pose, wrap_angle
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing, Status, with_followers
from vision.bare import Cloth, is_bare, remember_cloth
from vision.frame import Frame, Sighting
from vision.locate import tag_in_image

# A still piece whose reads stray further than this from their average has begun to move: inches
# and radians, or this many deviations of one read, whichever is more.
STRAY_IN = 0.012
STRAY_RAD = math.radians(1.2)
STRAY_SD = 4.0
# How long reads must agree before a piece counts as settled, and at least how many of them.
SETTLE_S = 0.3
SETTLE_READS = 3
# A read this far from where the piece was is believed when a second one agrees.
JUMP_IN = 3.0
AGREE_IN = 0.5
# Read only far from a place that something still covers, a piece is believed to be there after so many
# seconds, or when another one is read this near to the place, inches.
ELSEWHERE_S, TAKEN_IN = 3.0, 1.5
# What is moved about and was not seen for so long is lost, even if something still lies over its place.
PATIENCE_S = 10.0
# The part of a read's variance that stays the same from frame to frame (see vision.polish).
LASTING = 0.4
AVERAGED = 60
# Still pieces are averaged anew so often, all in the same frame: a place is no surer for trembling with every
# frame, and whatever is worked out from it (drawings, measures, what a page is told) holds until then.
ANEW_S = 0.2
# A still place that is as sure as reads make it stays while a later average agrees: to within this many
# of its own deviations, with deviations that differ by less than this share.
AGREES_SD, AGREES_SHARE = 0.25, 0.1
# So many frames in a row must show bare cloth before a piece counts as lifted.
BARE_FRAMES = 2


@dataclass(frozen=True, eq=False)
class TrackChange:
    """A track's status has changed: at `time`, from `before` to `after`.

    One that rests, or was lost and is read again, is `moved` inches from where it rested last.
    """

    time: float
    piece: Piece
    before: Status | None
    after: Status
    moved: float = 0.0


@dataclass
class Track:
    """One piece through time."""

    piece: Piece
    status: Status
    pose: Pose
    uncertainty: PoseUncertainty
    since: float
    seen_at: float
    corners: FloatArray
    reads: list[Sighting] = field(default_factory=list)
    averaged_at: float = -math.inf
    averaged: int = 0
    rested: bool = False
    settled_at: Pose | None = None
    cloth: Cloth | None = None
    bare: int = 0
    doubted: Sighting | None = None

    def standing(self) -> Standing:
        """The track as the table sees it."""
        return Standing(self.piece, self.pose, self.uncertainty, self.status, self.since, self.seen_at)


def average(reads: Sequence[Sighting]) -> tuple[Pose, PoseUncertainty]:
    """The robust mean pose of reads of a still piece, and its uncertainty.

    Reads are weighted by Huber's rule about their median; only the part of the noise that is new
    in every frame shrinks with their number.
    """
    last = reads[-1]
    values = np.array([(r.pose.x, r.pose.y, r.pose.heading) for r in reads])
    # Headings are unwound about the last one, so that their mean is one.
    turned = values[:, 2] - last.pose.heading
    values[:, 2] = last.pose.heading + np.remainder(turned + math.pi, math.tau) - math.pi
    sd = np.sqrt(np.maximum(np.diag(last.noise), 1e-10))
    distance = (np.abs(values - np.median(values, axis=0)) / sd).max(axis=1)
    weights = 1.0 / np.maximum(distance / 2.0, 1.0)
    x, y, heading = weights @ values / weights.sum()
    kept = LASTING + (1.0 - LASTING) / len(reads)
    own = last.uncertainty.own - (1.0 - kept) * last.noise
    return Pose(float(x), float(y), float(heading)), PoseUncertainty(own, last.uncertainty.shared)


def agrees(told: Pose, surely: PoseUncertainty, pose: Pose, uncertainty: PoseUncertainty) -> bool:
    """Whether a later average says the same as what is told, so that nothing has to be told anew."""
    if surely.shared.shape != uncertainty.shared.shape:
        return False
    apart = np.array([pose.x - told.x, pose.y - told.y, wrap_angle(pose.heading - told.heading)])
    before, now = np.sqrt(np.diag(surely.own)), np.sqrt(np.diag(uncertainty.own))
    in_common = np.abs(uncertainty.shared - surely.shared).max(axis=1, initial=0.0)
    return bool(
        (np.abs(apart) <= AGREES_SD * before).all()
        and (np.abs(now - before) <= AGREES_SHARE * before).all()
        and (in_common <= AGREES_SHARE * before).all()
    )


def strays(sighting: Sighting, pose: Pose) -> bool:
    """Whether a read is too far from a still piece's place to be noise."""
    dx, dy = sighting.pose.x - pose.x, sighting.pose.y - pose.y
    sd = np.sqrt(np.diag(sighting.noise))
    limit = max(STRAY_IN, STRAY_SD * float(sd[:2].max()))
    turned = abs(wrap_angle(sighting.pose.heading - pose.heading))
    return math.hypot(dx, dy) > limit or turned > max(STRAY_RAD, STRAY_SD * float(sd[2]))


class Tracker:
    """All tracks of one table. `update` takes one frame's sightings, in order of time."""

    def __init__(self) -> None:
        self.tracks: dict[str, Track] = {}
        self.elsewhere: tuple[Standing, ...] = ()
        """Where pieces were read in the last frame, and once before, though it is not believed yet that they
        went there. Of two tags with one id, read in turn, neither is one that went.
        """

    def update(self, frame: Frame, surface: Surface, sightings: Iterable[Sighting]) -> list[TrackChange]:
        """Advances every track to the frame's time and tells what changed."""
        changes: list[TrackChange] = []
        seen: set[str] = set()
        here, doubtful = list(sightings), []
        for sighting in here:
            track = self.tracks.get(sighting.piece.name)
            before = None if track is None else track.doubted
            if track is not None and self._doubtful(track, sighting, here):
                if track.doubted is before:
                    doubtful.append(
                        Standing(sighting.piece, sighting.pose, sighting.uncertainty, Status.HELD)
                    )
                continue
            seen.add(sighting.piece.name)
            change = self._begin(sighting) if track is None else self._see(track, sighting)
            if change is not None:
                changes.append(change)
        for name, track in self.tracks.items():
            if name in seen:
                self._remember(track, frame, surface)
                continue
            change = self._miss(track, frame, surface)
            if change is not None:
                changes.append(change)
        self.elsewhere = tuple(doubtful)
        return changes

    def standings(self, pieces: Iterable[Piece]) -> tuple[Standing, ...]:
        """Every piece seen so far, and what follows one of them on a hitch, in the order of `pieces`."""
        listed = tuple(pieces)
        seen = (self.tracks[p.name].standing() for p in listed if p.name in self.tracks)
        return with_followers(seen, listed)

    def forget(self) -> None:
        """After the camera has moved: keep who is who, start every average afresh."""
        for track in self.tracks.values():
            track.reads.clear()
            track.averaged_at, track.averaged = -math.inf, 0
            track.cloth = None

    def _begin(self, s: Sighting) -> TrackChange:
        track = Track(s.piece, Status.MOVING, s.pose, s.uncertainty, s.time, s.time, s.detection.corners, [s])
        self.tracks[s.piece.name] = track
        return TrackChange(s.time, s.piece, None, Status.MOVING)

    def _see(self, track: Track, s: Sighting) -> TrackChange | None:
        track.doubted, track.bare = None, 0
        track.seen_at = s.time
        track.corners = s.detection.corners
        before = track.status
        if before is Status.STILL and not strays(s, track.pose):
            self._rest(track, s)
            return None
        if before is Status.HELD and track.rested and not strays(s, track.pose):
            # The hand has gone and nothing has moved.
            self._rest(track, s)
            track.since = s.time
            return self._turn(track, Status.STILL, s.time)
        if before is not Status.MOVING:
            track.reads.clear()
        # Still only what agrees with the newest read counts toward settling.
        track.reads = [r for r in track.reads if not strays(r, s.pose)] + [s]
        agreed = s.time - track.reads[0].time
        if agreed >= SETTLE_S and len(track.reads) >= SETTLE_READS:
            began = track.reads[0].time
            self._rest(track, None)
            change = self._turn(track, Status.STILL, began)
            return TrackChange(s.time, s.piece, change.before, Status.STILL, change.moved) if change else None
        track.pose, track.uncertainty, track.rested = s.pose, s.uncertainty, False
        track.averaged = 0
        return self._turn(track, Status.MOVING, s.time)

    @staticmethod
    def _doubtful(track: Track, s: Sighting, others: Sequence[Sighting]) -> bool:
        """Whether a read far from the last place is not believed yet.

        It waits for a second one that agrees, and, while something still lies over the old place and
        nothing else is read there, for `ELSEWHERE_S`: the piece may lie under a hand there, and another
        tag of its id here.
        """
        if math.dist(s.pose.xy, track.pose.xy) <= JUMP_IN:
            return False
        first = track.doubted
        if first is None or math.dist(s.pose.xy, first.pose.xy) > AGREE_IN:
            track.doubted = s
            return True
        if track.status is Status.LOST or not track.rested or track.cloth is None:
            return False
        taken = any(
            o.piece is not s.piece and math.dist(o.pose.xy, track.pose.xy) <= TAKEN_IN for o in others
        )
        return not taken and s.time - first.time < ELSEWHERE_S

    @staticmethod
    def _rest(track: Track, s: Sighting | None) -> None:
        """Takes one more read of a still piece into its average, which is worked out when it is due."""
        if s is not None:
            track.reads = [*track.reads[-(AVERAGED - 1) :], s]
        newest = track.reads[-1].time
        if s is None or newest // ANEW_S != track.averaged_at // ANEW_S:
            pose, uncertainty = average(track.reads)
            track.averaged_at = newest
            if (
                s is not None
                and track.averaged == AVERAGED
                and agrees(track.pose, track.uncertainty, pose, uncertainty)
            ):
                return
            track.pose, track.uncertainty, track.averaged = pose, uncertainty, len(track.reads)

    @staticmethod
    def _turn(track: Track, status: Status, since: float) -> TrackChange | None:
        before, moved = track.status, 0.0
        if status is before:
            return None
        track.status, track.since = status, since
        if track.settled_at is not None and (status is Status.STILL or before is Status.LOST):
            moved = math.dist(track.pose.xy, track.settled_at.xy)
        if status is Status.STILL:
            track.rested, track.settled_at = True, track.pose
        return TrackChange(since, track.piece, before, status, moved)

    def _miss(self, track: Track, frame: Frame, surface: Surface) -> TrackChange | None:
        if track.status is Status.LOST:
            return None
        outline = tag_in_image(track.piece, track.pose, surface)
        shows_cloth = track.cloth is not None and is_bare(frame, outline, track.cloth)
        track.bare = track.bare + 1 if shows_cloth else 0
        # What lies about stays where it is, however long something lies on it.
        waited = frame.time - track.seen_at > PATIENCE_S and not track.piece.obstacle
        if track.bare >= BARE_FRAMES or waited:
            track.reads.clear()
            return self._turn(track, Status.LOST, frame.time)
        return self._turn(track, Status.HELD, frame.time)

    @staticmethod
    def _remember(track: Track, frame: Frame, surface: Surface) -> None:
        """Looks at the cloth round a piece once it has come to rest."""
        if track.status is Status.STILL and (track.cloth is None or len(track.reads) <= SETTLE_READS):
            outline = surface.image_from_table(
                track.pose.to_table(track.piece.body.footprint.outline), track.piece.body.height / 2
            )
            side = float(np.linalg.norm(track.corners[0] - track.corners[1]))
            track.cloth = remember_cloth(frame, outline, 0.6 * side)
