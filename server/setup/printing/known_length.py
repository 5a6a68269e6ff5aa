"""The print's scale by a length that somebody measured with a ruler."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.accuracy import Accuracy, ScaleBy
from calibration.gains import RULED_SHARE
from calibration.surface import Surface
from calibration.tablefile import TableFile
from server.setup.setup_messages import KnownLength
from server.setup.table_changes import RULED_IN, SetupError
from vision.frame import Detection
from vision.tags.unnamed import USUAL_FAMILY


def length_ratio(
    asked: KnownLength, table: TableFile, surface: Surface | None, detections: Sequence[Detection]
) -> tuple[float, str, float, ScaleBy]:
    """How much larger than stated everything printed is by a measured length.

    Beside it why in words, how surely, and by what it was measured. `detections` are the tags in view,
    `surface` the table under the camera. Raises `SetupError` for a length that cannot be meant.
    """
    if asked.bar_mm is not None:
        if table.accuracy.print_scale < Accuracy().print_scale:
            raise SetupError("the printed sizes are measured already: give a length between two tags instead")
        words = f"the bar of 100 mm was measured as {asked.bar_mm:g} mm"
        return asked.bar_mm / 100.0, words, RULED_SHARE, "bar"
    if asked.between is None or asked.length_in is None:
        raise SetupError("say what the printed bar measures, or how far two corner tags are apart")
    centres = {d.tag: d.corners.mean(axis=0) for d in detections if d.family == USUAL_FAMILY}
    missing = [t for t in asked.between if t not in centres]
    if missing or surface is None:
        what = f"tag {missing[0]} is not seen now" if missing else "the table is not found now"
        raise SetupError(f"{what}: clear the corner tags, and try again in a moment")
    a, b = surface.table_from_image(np.array([centres[t] for t in asked.between]))
    seen = float(np.hypot(*(a - b)))
    if seen < 1.0:
        raise SetupError("expected two different tags, some inches apart")
    ratio = asked.length_in / seen
    if not 0.8 <= ratio <= 1.25:
        raise SetupError(
            f"tags {asked.between[0]} and {asked.between[1]} look {seen:.1f} in apart, not "
            f"{asked.length_in:g}: measure from centre to centre, and see which size was printed"
        )
    words = f"tags {asked.between[0]} and {asked.between[1]} were measured {asked.length_in:g} in apart"
    return ratio, words, RULED_IN / asked.length_in, "length"
