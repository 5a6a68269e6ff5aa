"""What the set-up page saw last, for those that answer questions about it."""

from __future__ import annotations

from dataclasses import dataclass

from calibration.lens.model import Lens
from calibration.surface import Surface
from calibration.tablefile import TableFile
from engine.space.geometry import FloatArray
from vision.frame import Detection, Frame


@dataclass(frozen=True, eq=False)
class LastLook:
    """The newest picture that was looked at, its tags, and the table in it.

    `found` is the table under the camera with its outline (n, 2) inches, as it is kept or proposed; None
    while nobody knows. `lens` is what the picture is seen through, before the tags make it surer.
    """

    frame: Frame | None
    detections: tuple[Detection, ...]
    table: TableFile | None
    found: tuple[Surface, FloatArray] | None
    lens: Lens | None = None
