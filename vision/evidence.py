"""Which detections speak of the surface: corner tags, loose flat tags, roof tags of known height."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from calibration.bundle.parts import SeenTag
from calibration.surface import SeenCorner
from calibration.tablefile import TableFile
from vision.frame import Detection

# A piece's tag must stand this far above the table to say anything of the camera's height, inches.
RAISED_IN = 0.25


@dataclass(frozen=True, eq=False)
class SurfaceEvidence:
    """What one frame says of the table under the camera.

    `corners` lie at places that the table file states, `loose` lie flat at unknown places,
    `raised` are the pieces' tags, of known size and height; `low` those stated too low to bear witness.
    """

    corners: tuple[SeenCorner, ...]
    loose: tuple[SeenTag, ...]
    raised: tuple[SeenTag, ...]
    low: tuple[SeenTag, ...] = ()


def sort_out(detections: Iterable[Detection], table: TableFile) -> SurfaceEvidence:
    """The detections that bear on the surface, by what is known of each."""
    stated = {(c.family, c.tag): c for c in table.corners}
    loose = {(t.family, t.tag): t for t in table.loose}
    mounts = {(p.mount.family, p.mount.tag): p.mount for p in table.pieces if p.mount is not None}
    corners: list[SeenCorner] = []
    flat: list[SeenTag] = []
    raised: list[SeenTag] = []
    low: list[SeenTag] = []
    for d in detections:
        key = (d.family, d.tag)
        if key in stated:
            corners.append(SeenCorner(stated[key], d.corners, d.covariance))
        elif key in loose:
            laid = table.accuracy.laid
            flat.append(SeenTag(d.family, d.tag, loose[key].size, 0.0, d.corners, d.covariance, paper=laid))
        elif key in mounts:
            m = mounts[key]
            glued = table.accuracy.glued(m.sd_tilt)
            own = table.accuracy.height_on_piece(m.sd_height)
            tag = SeenTag(d.family, d.tag, m.size, m.height, d.corners, d.covariance, own, glued)
            (raised if m.height >= RAISED_IN else low).append(tag)
    return SurfaceEvidence(tuple(corners), tuple(flat), tuple(raised), tuple(low))


def as_flat(seen: SeenCorner) -> SeenTag:
    """A corner tag as a tag of known size alone, wherever it lies."""
    c = seen.corner
    return SeenTag(c.family, c.tag, c.size, 0.0, seen.corners, seen.covariance)
