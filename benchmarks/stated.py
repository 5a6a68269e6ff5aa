"""What people would state of a frame with exact truth, and the table under the camera that comes of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchmarks.truth import TrueFrame
from calibration.accuracy import (
    MOUNT_HEIGHT_IN,
    MOUNT_IN,
    MOUNT_TILT_DEG,
    MOUNT_TURN_DEG,
    Accuracy,
    place_sd,
)
from calibration.bundle.common import Common
from calibration.bundle.doubts import Judged, judge
from calibration.bundle.parts import SeenTag
from calibration.lens.model import Lens, usual_covariance
from calibration.surface import CornerTag, SeenCorner
from engine.space.geometry import Pose
from engine.space.pieces import Piece, TagMount
from vision.frame import Detection

HANDS = Accuracy()
"""What a table file means that says nothing of its accuracy."""


@dataclass(frozen=True, slots=True)
class Mounts:
    """How exactly tags sit on their pieces, and are stated to: deviations in inches and degrees."""

    at: float = MOUNT_IN
    turn_deg: float = MOUNT_TURN_DEG
    height: float = MOUNT_HEIGHT_IN
    tilt_deg: float = MOUNT_TILT_DEG


BY_HAND = Mounts()


@dataclass(frozen=True, eq=False)
class Stated:
    """What a table file would say: lens, corner tags, pieces, and the errors that tags share."""

    lens: Lens
    corners: dict[int, CornerTag]
    pieces: dict[int, Piece]
    common: Common


def as_people_state(truth: TrueFrame, mounts: Mounts = BY_HAND) -> Stated:
    """The numbers that a player would write down, with the deviations of a table file that states none.

    Where the truth has what a player measured, that; else the true numbers.
    """
    tags = truth.raw["tags"]
    corners = {}
    for c in truth.corners:
        raw = tags[str(c.tag)]
        x, y = raw.get("measured_xy_in", c.at)
        size = raw.get("nominal_black_in", c.size)
        corners[c.tag] = CornerTag(c.family, c.tag, size, (x, y), None, place_sd((x, y)), HANDS.laid)
    pieces = {}
    for piece in truth.pieces:
        assert piece.mount is not None
        raw = tags[str(piece.mount.tag)]
        made = "nominal_black_in" in raw
        mount = TagMount(
            "tag36h11",
            piece.mount.tag,
            raw.get("nominal_black_in", piece.mount.size),
            raw.get("measured_height_in", piece.mount.height),
            Pose(0.0, 0.0, 0.0) if made else piece.mount.body_from_tag,
            sd_at=mounts.at,
            sd_turn=math.radians(mounts.turn_deg),
            sd_height=math.hypot(mounts.height, HANDS.cloth_in),
            sd_tilt=math.radians(mounts.tilt_deg),
        )
        pieces[piece.mount.tag] = replace(piece, mount=mount)
    lens = replace(truth.lens, covariance=usual_covariance(truth.lens))
    return Stated(lens, corners, pieces, HANDS.common)


def judged(stated: Stated, detections: Sequence[Detection], *, ruler: bool = True) -> Judged:
    """The surface that these statements and reads make, and what is doubted of them.

    Without a `ruler` no place is known: the two first corner tags set the frame, printed sizes the scale.
    """
    seen, tags, frame = evidence(stated, detections, ruler=ruler)
    corners = tuple(stated.corners.values()) if ruler else ()
    return judge(stated.lens, seen, tags, frame, stated.common, corners)


def evidence(
    stated: Stated, detections: Sequence[Detection], *, ruler: bool = True
) -> tuple[list[SeenCorner], list[SeenTag], tuple[tuple[str, int], tuple[str, int]] | None]:
    """The reads as these statements make evidence of them: corner tags, other tags, what sets the frame."""
    seen = [
        SeenCorner(stated.corners[d.tag], d.corners, d.covariance)
        for d in detections
        if d.tag in stated.corners
    ]
    raised = [_raised(stated.pieces[d.tag], d) for d in detections if d.tag in stated.pieces]
    if ruler:
        return seen, raised, None
    flat = [
        SeenTag(c.family, c.tag, c.size, 0.0, s.corners, s.covariance, paper=c.paper)
        for s in seen
        for c in (s.corner,)
    ]
    first, second = sorted(stated.corners)[:2]
    return [], [*flat, *raised], (("tag36h11", first), ("tag36h11", second))


def _raised(piece: Piece, d: Detection) -> SeenTag:
    m = piece.mount
    assert m is not None
    glued = HANDS.glued(m.sd_tilt)
    own = HANDS.height_on_piece(m.sd_height)
    return SeenTag(d.family, d.tag, m.size, m.height, d.corners, d.covariance, own, glued)
