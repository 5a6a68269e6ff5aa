"""Foxglove's messages, filled from a table."""

from __future__ import annotations

import json
import math
from typing import Any

import jsonschema_rs
import numpy as np
import pytest
from shapely.geometry import Polygon

from engine.space.geometry import Footprint, Pose, Region
from engine.space.pieces import Body, Piece
from engine.space.table import PoseUncertainty, Standing, Status, TableState
from server.exports import foxglove, schemas
from tests.server.fakes import STANDINGS, SURFACE

AT = 1_700_000_000_123_456_789
L_SHAPE = Footprint(np.array([(0, 0), (6, 0), (6, 2), (2, 2), (2, 5), (0, 5)], dtype=float))


def whole_table(status: Status = Status.STILL) -> TableState:
    standings = [Standing(p, pose, PoseUncertainty.exact(), status) for p, pose in STANDINGS.values()]
    standings.append(
        Standing(Piece("wall", "terrain", Body("wall", L_SHAPE, 2.0)), Pose(20, 5), PoseUncertainty.exact())
    )
    return TableState.of(SURFACE, standings)


def volume(points: Any, indices: Any) -> float:
    """What a closed skin of triangles encloses; positive only if all of them face outward."""
    corners = np.array([(p.x, p.y, p.z) for p in points])[np.array(indices).reshape(-1, 3)]
    return float(np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6)


def test_every_piece_has_its_frame_where_it_stands() -> None:
    told = foxglove.transforms(whole_table(), AT)
    frames = {t.child_frame_id: t for t in told.transforms}
    assert frames.keys() == {*STANDINGS, "wall"}
    red, pose = frames["RED1"], STANDINGS["RED1"][1]
    assert red.parent_frame_id == "table"
    assert red.timestamp.ToNanoseconds() == AT
    assert (red.translation.x, red.translation.y) == pytest.approx((pose.x * 0.0254, pose.y * 0.0254))
    assert 2 * math.atan2(red.rotation.z, red.rotation.w) == pytest.approx(pose.heading, abs=1e-6)


def test_solids_are_as_large_as_the_pieces() -> None:
    told = foxglove.scene(whole_table(), AT, gone=["RED9"])
    solids = {e.id: e for e in told.entities}
    for standing in whole_table().standings:
        triangles = solids[standing.name].triangles[0]
        body = standing.piece.body
        expected = Polygon(body.footprint.outline).area * body.height * 0.0254**3
        assert volume(triangles.points, triangles.indices) == pytest.approx(expected, rel=1e-3)
        assert solids[standing.name].frame_id == standing.name
        assert [t.text for t in solids[standing.name].texts] == [standing.name]
    assert [d.id for d in told.deletions] == ["RED9"]


def test_a_covered_piece_fades() -> None:
    seen = foxglove.scene(whole_table(), AT)
    held = foxglove.scene(whole_table(Status.HELD), AT)
    assert seen.entities[1].triangles[0].color.a == 1.0
    assert held.entities[1].triangles[0].color.a < 0.5


def test_pictures_film_and_words() -> None:
    image = foxglove.picture(b"\xff\xd8jpeg", AT)
    film = foxglove.video(b"\0\0\0\1unit", AT)
    log = foxglove.told("RED1 stands still.", "camera.settled", 7, AT)
    assert (image.data, image.format) == (b"\xff\xd8jpeg", "jpeg")
    assert (film.data, film.format) == (b"\0\0\0\1unit", "h264")
    assert (log.message, log.name, log.line, log.level) == ("RED1 stands still.", "camera.settled", 7, 2)


@pytest.mark.parametrize("schema", [schemas.ENTRY, schemas.RULING])
def test_schemas_are_schemas(schema: dict[str, Any]) -> None:
    jsonschema_rs.meta.validate(json.loads(json.dumps(schema)))
    assert schema["title"].split(".")[0] == "tableref"


@pytest.mark.parametrize(
    ("text", "rgb"),
    [("#d8453e", (0xD8, 0x45, 0x3E)), ("#fa0", (255, 170, 0)), ("Gold", (255, 215, 0)), ("reddish", None)],
)
def test_colours(text: str, rgb: tuple[int, int, int] | None) -> None:
    table = TableState.of(
        Region.rectangle(0, 0, 9, 9),
        [
            Standing(
                Piece("RED1", "car", STANDINGS["RED1"][0].body, colour=text),
                Pose(1, 1),
                PoseUncertainty.exact(),
            )
        ],
    )
    told = foxglove.scene(table, AT)
    colour = told.entities[1].triangles[0].color
    expected = (0.5, 0.5, 0.5) if rgb is None else tuple(v / 255 for v in rgb)
    assert (colour.r, colour.g, colour.b) == pytest.approx(expected, abs=1e-3)
