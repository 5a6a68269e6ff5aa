"""How the camera has moved since tags were averaged, from all that stands still, and how surely.

No place has to be known for that: what stands still was seen in one place of the picture and is seen in
another now, and one turn and one shift of the camera explain all of it. Tags that do not go along have been
moved themselves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.lens.model import Lens
from calibration.surface import POSE_PARAMETERS, Surface, project, rotation_vector
from engine.space.geometry import FloatArray

# A camera is not taken to have turned and shifted by more than so many times what that shows as: by large
# ones that cancel out just where tags are seen.
CONSPIRED = 3.0
# The least motion in the picture that this is held against, pixels.
LEAST_PX = 0.1
# No read is better than this, pixels.
LEAST_READ_PX = 1e-3
# A tag goes along if it appears within so many deviations of a read (and so many pixels) of where it should.
ALONG_SD, ALONG_PX = 6.0, 0.2
# The search among tags of which some were moved themselves: rounds, and where a misfit counts for little.
ROUNDS, PLAIN_SD = 12, 3.0
# A camera turns by no more than this in one step of the search, radians.
FARTHEST_RAD = 0.3
# A camera that came nearer or went off by more than this share may as well have been refocused.
NEARER = 0.002


@dataclass(frozen=True, eq=False)
class Shift:
    """One tag before and now.

    `points` (4, 3) are its corners in the camera's frame before, inches; `before` and `now` (4, 2) where
    they appeared, pixels, with the covariance (8, 8) of the difference. `flat`: it lies on the table itself.
    """

    points: FloatArray
    before: FloatArray
    now: FloatArray
    covariance: FloatArray
    flat: bool


@dataclass(frozen=True, eq=False)
class Motion:
    """What lay at X in the camera's frame lies at `turn` X + `shift` now.

    `covariance` (6, 6) is of a small turn and shift on top of that; `by_focal` (6,) the turn and shift that
    a focal length longer by one share of itself would make of the same picture. `gain` is by how much
    chi-square falls when the motion is granted, `size` how far it moves tags in the picture, pixels (median).
    """

    turn: FloatArray
    shift: FloatArray
    covariance: FloatArray
    by_focal: FloatArray
    gain: float = 0.0
    size: float = 0.0

    def displaced(self, lens: Lens, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """By how much points (n, 3) of the camera's frame appear elsewhere, (n, 2) pixels, and how unsurely.

        The second are the covariances of the points one by one, (n, 2, 2).
        """
        now, J = self.seen(lens, points)
        before = project(lens, np.eye(3), np.zeros(3), points)[0]
        return now - before, J @ self.covariance @ J.transpose(0, 2, 1)

    def seen(self, lens: Lens, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Pixels (n, 2) of points (n, 3), and their Jacobian (n, 2, 6) by a small turn and shift."""
        pixels, raw = project(lens, self.turn, self.shift, points)
        by_place = raw[:, :, 3:6]
        return pixels, np.concatenate([by_place @ -_crosses(points @ self.turn.T + self.shift), by_place], -1)

    def stepped(self, step: FloatArray) -> Motion:
        """With a small turn and shift (6,) on top."""
        turn = np.asarray(cv2.Rodrigues(step[:3])[0], np.float64)
        return replace(self, turn=turn @ self.turn, shift=turn @ self.shift + step[3:])

    def since(self, other: Motion) -> Motion:
        """What has come after another motion from the same place; as unsure as this one."""
        turn = self.turn @ other.turn.T
        return replace(self, turn=turn, shift=self.shift - turn @ other.shift)


NO_MOTION = Motion(np.eye(3), np.zeros(3), np.zeros((6, 6)), np.zeros(6))


@dataclass(frozen=True, eq=False)
class Found:
    """The motion of what goes along; `along` says of each tag whether it does.

    `sudden`: few go along with the motion that was known before.
    """

    motion: Motion
    along: tuple[bool, ...]
    sudden: bool


def find_motion(lens: Lens, tags: Sequence[Shift], last: Motion) -> Found | None:
    """How the camera has moved, searched for from `last`; None where tags agree on no motion."""
    if not tags:
        return None
    sought = _Sought(lens, tags)
    along = sought.along(last)
    if _agreed(tags, along):
        motion = sought.settled(last, along)
        now = sought.along(motion)
        return Found(motion, tuple(now if _agreed(tags, now) else along), sudden=False)
    other = sought.among_others(last) if len(tags) > 1 else None
    along = [] if other is None else sought.along(other)
    if other is None or not _agreed(tags, along):
        return None
    motion = sought.settled(other, along)
    return Found(motion, tuple(along), sudden=True)


def refined(lens: Lens, tags: Sequence[Shift], near: Motion) -> Motion | None:
    """The motion of tags that all go along; None of a single piece, which may go by itself."""
    alone = len(tags) == 1 and not tags[0].flat
    return None if alone or not tags else _Sought(lens, tags).settled(near, [True] * len(tags))


def apart(lens: Lens, tags: Sequence[Shift], one: Motion, other: Motion) -> tuple[float, float]:
    """How far apart two motions put the tags: chi-square by the tags' noise, and pixels (median)."""
    sought = _Sought(lens, tags)
    off = sought.displaced(one) - sought.displaced(other)
    return float(sought.squares(off).sum()), _size(off)


def _agreed(tags: Sequence[Shift], along: Sequence[bool]) -> bool:
    """Whether so many go along that the others were moved: cars are, corner tags hardly ever."""
    flat = [a for t, a in zip(tags, along, strict=True) if t.flat]
    if len(tags) == 1:
        return flat == [True]
    if sum(flat) >= 2 and 2 * sum(flat) > len(flat):
        return True
    return sum(along) >= 2 and 2 * sum(along) > len(along) and 2 * sum(flat) >= len(flat)


class _Sought:
    """The least squares of a motion over k tags."""

    def __init__(self, lens: Lens, tags: Sequence[Shift]) -> None:
        self._lens, self._k = lens, len(tags)
        self._points = np.concatenate([t.points for t in tags])
        self._standing, self._by_lens = self._project()
        self._moved = np.stack([t.now - t.before for t in tags])
        covariances = np.stack([t.covariance for t in tags]) + LEAST_READ_PX**2 * np.eye(8)
        self._weights = np.asarray(np.linalg.inv(covariances), np.float64)
        self._noise = np.einsum("kii->ki", covariances).reshape(-1, 4, 2).mean(axis=2)
        self._distance = float(np.median(self._points[:, 2]))

    def _project(self) -> tuple[FloatArray, FloatArray]:
        pixels, raw = project(self._lens, np.eye(3), np.zeros(3), self._points)
        focal = np.diag(self._lens.K)[:2]
        return pixels, (raw[:, :, POSE_PARAMETERS : POSE_PARAMETERS + 2] @ focal).reshape(-1, 8)

    def displaced(self, motion: Motion) -> FloatArray:
        """By how much the tags' corners appear elsewhere, (k, 4, 2) pixels."""
        return (motion.seen(self._lens, self._points)[0] - self._standing).reshape(-1, 4, 2)

    def squares(self, off: FloatArray) -> FloatArray:
        """Chi-squares (k,) of pixels (k, 4, 2)."""
        flat = off.reshape(-1, 8, 1)
        return np.asarray((flat.transpose(0, 2, 1) @ self._weights @ flat)[:, 0, 0])

    def along(self, motion: Motion) -> list[bool]:
        """Which tags appear where the motion puts them."""
        off = self._moved - self.displaced(motion)
        _, J = motion.seen(self._lens, self._points)
        corners = J.reshape(self._k, 4, 2, 6)
        unsure = ((corners @ motion.covariance) * corners).sum(axis=(2, 3)) / 2
        limits = np.maximum(ALONG_PX, ALONG_SD * np.sqrt(self._noise + unsure))
        # Every corner: a tag that was turned keeps its middle.
        return [bool(a) for a in (np.hypot(off[..., 0], off[..., 1]) <= limits).all(axis=1)]

    def settled(self, start: Motion, along: Sequence[bool]) -> Motion:
        """The motion of those that go along, with its deviations and what it gains."""
        shares = np.array(along, np.float64)
        motion = start
        for _ in range(3):
            step, information, J = self._step(motion, shares)
            motion = motion.stepped(step)
            if np.abs(step[:3]).max() < 1e-7 and np.abs(step[3:]).max() < 1e-6 * self._distance:
                break
        covariance = np.asarray(np.linalg.inv(information), np.float64)
        weighted = (J * shares[:, None, None]).transpose(0, 2, 1) @ self._weights
        focal = (weighted @ self._by_lens[:, :, None]).sum(axis=0)[:, 0]
        displaced = self.displaced(motion)
        gain = shares @ (self.squares(self._moved) - self.squares(self._moved - displaced))
        return replace(
            motion,
            covariance=covariance,
            by_focal=-covariance @ focal,
            gain=float(gain),
            size=_size(displaced[shares > 0]),
        )

    def among_others(self, start: Motion) -> Motion | None:
        """The motion of most tags: those that fit badly count less and less (Geman and McClure's rule).

        None where the search leads to a camera that has turned away.
        """
        motion, wide = start, math.inf
        for _ in range(ROUNDS):
            distances = np.sqrt(self.squares(self._moved - self.displaced(motion)) / 8)
            wide = max(min(wide / 2, float(np.median(distances))), PLAIN_SD)
            shares = (wide**2 / (wide**2 + distances**2)) ** 2
            step = self._step(motion, shares)[0]
            motion = motion.stepped(step)
            if np.abs(step[:3]).max() > FARTHEST_RAD or np.abs(step[3:]).max() > self._distance / 2:
                return None
        shares = np.array(self._nearest(motion), np.float64)
        step, information, _ = self._step(motion, shares)
        return replace(motion.stepped(step), covariance=np.asarray(np.linalg.inv(information), np.float64))

    def _nearest(self, motion: Motion) -> list[bool]:
        """The better half of the tags."""
        distances = self.squares(self._moved - self.displaced(motion))
        return [bool(d) for d in distances <= np.median(distances)]

    def _step(self, motion: Motion, shares: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """One step of Gauss and Newton: the step (6,), the information (6, 6) and the Jacobian (k, 8, 6)."""
        pixels, by_motion = motion.seen(self._lens, self._points)
        J = by_motion.reshape(-1, 8, 6)
        off = (self._moved - (pixels - self._standing).reshape(-1, 4, 2)).reshape(-1, 8)
        weighted = (J * shares[:, None, None]).transpose(0, 2, 1) @ self._weights
        information = (weighted @ J).sum(axis=0)
        gradient = (weighted @ off[:, :, None]).sum(axis=0)[:, 0]
        shown = max(_size(self._moved[shares >= shares.max() / 2]), LEAST_PX)
        most = CONSPIRED * shown / float(self._lens.K[0, 0])
        kept = np.repeat([most, most * self._distance], 3) ** -2.0
        gradient -= kept * np.concatenate([rotation_vector(motion.turn), motion.shift])
        information[np.diag_indices(6)] += kept
        return np.asarray(np.linalg.solve(information, gradient), np.float64), information, J


def moved_surface(surface: Surface, motion: Motion) -> Surface:
    """The surface of a camera that has moved since, as much less sure as the motion is."""
    turn, shift = motion.turn, motion.shift
    rotation, translation = turn @ surface.rotation, turn @ surface.translation + shift
    moved = replace(surface, rotation=rotation, translation=translation)
    before, now = _by_step(surface.rotation, surface.translation), _by_step(rotation, translation)
    carried = np.zeros((6, 6))
    carried[:3, :3] = carried[3:, 3:] = turn
    carried[3:, :3] = _crosses(shift[None])[0] @ turn
    through = np.eye(len(surface.covariance))
    through[:6, :6] = now @ carried @ np.linalg.inv(before)
    covariance = through @ surface.covariance @ through.T
    covariance[:6, :6] += now @ motion.covariance @ now.T
    share = abs(math.log(max(moved.camera_position[2], 1.0) / max(surface.camera_position[2], 1.0)))
    if share > NEARER:
        zoomed = np.zeros(len(covariance))
        zoomed[:6] = now @ motion.by_focal * share
        zoomed[6:8] = np.diag(surface.lens.K)[:2] * share
        covariance += np.outer(zoomed, zoomed)
    return replace(moved, covariance=covariance)


def in_camera(surface: Surface, corners: FloatArray, height: float) -> FloatArray:
    """Pixels (n, 2) of what lies at a height above the table, in the camera's frame, (n, 3) inches."""
    places = np.column_stack([surface.table_from_image(corners, height), np.full(len(corners), height)])
    return np.asarray(places @ surface.rotation.T + surface.translation)


def _size(off: FloatArray) -> float:
    """The median length of the tags' middles, of pixels (k, 4, 2)."""
    return float(np.median(np.hypot(*off.mean(axis=1).T)))


def _by_step(rotation: FloatArray, translation: FloatArray) -> FloatArray:
    """(6, 6): rotation vector and translation by a small turn and shift of the camera's frame."""
    r = rotation_vector(rotation)
    angle = float(np.linalg.norm(r))
    K = _crosses(r[None])[0]
    # The inverse of the left Jacobian of the rotations.
    bend = 1 / 12 if angle < 1e-4 else (1.0 - angle / 2 / math.tan(angle / 2)) / angle**2
    by = np.eye(6)
    by[:3, :3] = np.eye(3) - K / 2 + bend * K @ K
    by[3:, :3] = -_crosses(translation[None])[0]
    return by


def _crosses(vectors: FloatArray) -> FloatArray:
    """(n, 3, 3): what each of (n, 3) does as the left hand side of a cross product."""
    x, y, z = vectors.T
    zero = np.zeros(len(vectors))
    return np.stack(
        [np.stack([zero, -z, y], -1), np.stack([z, zero, -x], -1), np.stack([-y, x, zero], -1)], axis=1
    )
