"""What lies on the table without a tag and without a name, on the set-up page."""

from __future__ import annotations

from collections.abc import Sequence

from shapely import Point

from calibration.surface import Surface
from calibration.tablefile import TableFile
from server.pipeline.referee import Moment
from server.setup.fitting.named import in_pixels
from server.setup.setup_messages import ThingCard
from vision.frame import Detection

# A tag that stands high is seen so far beside the foot of what carries it, inches.
BESIDE_IN = 0.75


def untagged(
    table: TableFile | None, moment: Moment | None, detections: Sequence[Detection]
) -> list[ThingCard]:
    """What nobody named and what carries no tag: a car with one has a card of its own."""
    surface = None if moment is None else moment.surface
    if table is None or moment is None or not isinstance(surface, Surface):
        return []
    known = set(table.keys)
    tags = [d.corners.mean(axis=0) for d in detections if (d.family, d.tag) not in known]
    places = [Point(surface.table_from_image(at[None])[0]) for at in tags]
    return [
        ThingCard(
            name=t.name,
            words=f"{t.name} has no tag. The camera has outlined it, ±{1.96 * t.sd:.2f} in.",
            outline=in_pixels(surface.image_from_table(t.region.outline)),
        )
        for t in moment.table.things
        if not any(t.region.polygon.distance(p) <= BESIDE_IN for p in places)
    ]
