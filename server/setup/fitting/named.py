"""What lies on the table as the set-up page shows it, named and not, and the models that there are."""

from __future__ import annotations

from collections.abc import Sequence

from shapely import Point

from calibration.surface import Surface
from calibration.tablefile import TableFile
from engine.space.catalogue import CARS
from engine.space.geometry import FloatArray
from engine.space.pieces import Piece
from server.pipeline.referee import Moment
from server.setup.fitting.on_marks import stated_mount
from server.setup.setup_messages import ModelView, NamedPiece, Px, ThingCard
from vision.frame import Detection

# A tag that stands high is seen so far beside the foot of what carries it, inches.
BESIDE_IN = 0.75

MODELS = [
    ModelView(
        model=name,
        outline=[(float(x), float(y)) for x, y in body.footprint.outline],
        tyres=[] if body.tyres is None else [(float(x), float(y)) for x, y in body.tyres],
        height_in=body.height,
    )
    for name, body in CARS.items()
]


def named_pieces(
    table: TableFile | None, moment: Moment | None, detections: Sequence[Detection]
) -> list[NamedPiece]:
    """Every piece of the file, with its outline in the picture while it is seen."""
    if table is None or moment is None:
        return []
    surface = moment.surface
    standing = {s.name: s for s in moment.table.standings}
    seen = {(d.family, d.tag) for d in detections}
    views = []
    for piece in table.pieces:
        s = standing.get(piece.name)
        at = None if s is None or surface is None else s.pose.to_table(piece.body.footprint.outline)
        views.append(
            NamedPiece(
                name=piece.name, kind=piece.kind, owner=piece.owner, colour=piece.colour,
                model=piece.body.model, tag=None if piece.mount is None else piece.mount.tag,
                seen=(s is not None and s.seen)
                if piece.mount is None
                else (piece.mount.family, piece.mount.tag) in seen,
                height=_height(piece, table),
                outline=[] if at is None or surface is None else in_pixels(surface.image_from_table(at)),
            )
        )  # fmt: skip
    return views


def _height(piece: Piece, table: TableFile) -> str:
    if piece.spot is not None:
        return f"no tag, edges ±{1.96 * piece.spot.sd:.2f} in"
    if piece.mount is None:
        return ""
    stated = stated_mount(piece.mount, table)
    return f"{stated.height:.2f} ± {stated.sd_height:.2f} in high"


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


def in_pixels(points: FloatArray) -> list[Px]:
    """Points (n, 2) of the picture as they are sent."""
    return [(round(float(x), 1), round(float(y), 1)) for x, y in points]
