"""What is exactly true of a simulated picture, as one JSON object beside it.

The shape is that of photorealistic frames' truth (`"schema": "table-truth-1"`), so that one
benchmark scores both. Inches and degrees, pixels of the delivered picture.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import cv2
import numpy as np
from shapely.geometry import LineString

from engine.space.geometry import FloatArray, Pose
from engine.space.pieces import Piece
from vision.simulate.drawing.background import flat_tags
from vision.simulate.drawing.camera import Patch
from vision.simulate.drawing.render import Renderer, Rendering, tag_of
from vision.simulate.drawing.tags import PlacedTag, modules
from vision.simulate.scene import Scene, ScenePlacement, SceneSnapshot

SCHEMA = "table-truth-1"
_GRID = 9
_FINE = 8

CONVENTIONS = {
    "units": "inches and degrees; pixels in the delivered (distorted) image",
    "table_frame": "x to the right, y away from the near edge, z up; z = 0 is the cloth and the corner tags",
    "heading": "degrees counter-clockwise from +x; a car's is its nose's, a tag's that of its printed top",
    "tag_size": "black_in = side of the black square; printed_in = with its white margin of one module",
    "pixel": "OpenCV: (0, 0) is the centre of the top-left pixel",
    "corner_order": "top-left, top-right, bottom-right, bottom-left of the tag as OpenCV draws it",
    "camera": "Xc = R Xw + t; K, dist = [k1, k2, p1, p2, k3] as in OpenCV",
    "visible_fraction": "share of a 9x9 grid of points on the black square that the camera sees",
    "moment": "everything is as it was at mid-exposure",
}


def _rounded(values: Any, digits: int = 5) -> Any:
    return np.round(np.asarray(values, dtype=np.float64), digits).tolist()


def _degrees(angle: float) -> float:
    return round(math.degrees(angle), 4)


def truth_of(
    renderer: Renderer, snapshot: SceneSnapshot, *, file: str = "", moving: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """The truth of a snapshot as the renderer draws it. `moving` names the pieces under way."""
    scene = renderer.scene
    things = renderer.things(snapshot)
    w, h = scene.camera.size
    there = [(p, snapshot.placements[p.name]) for p in scene.pieces if p.name in snapshot.placements]
    return {
        "schema": SCHEMA,
        "set": scene.name,
        "seed": scene.seed,
        "renderer": "tableref simulate",
        "conventions": CONVENTIONS,
        "image": {"file": file, "width": w, "height": h},
        "camera": _camera(scene),
        "table": _table(scene),
        "hand_in_frame": snapshot.hand is not None,
        "tags": _tags(scene, there, things),
        "cars": [_car(scene, p, at, p.name in moving) for p, at in there if p.driven],
        "terrain": [_terrain(p, at) for p, at in there if p.kind == "terrain"],
        "tokens": [{"name": p.name, "center_in": _centre(at)} for p, at in there if p.kind == "token"],
        "pairs": _pairs(there),
    }


def _camera(scene: Scene) -> dict[str, Any]:
    camera = scene.camera
    return {
        "K": _rounded(camera.lens.K, 8),
        "dist_k1k2p1p2k3": _rounded(camera.lens.dist, 9),
        "R_world_to_cam": _rounded(camera.R, 12),
        "t_world_to_cam": _rounded(camera.t, 9),
        "position_in": _rounded(camera.position),
        "height_in": round(float(camera.position[2]), 5),
    }


def _table(scene: Scene) -> dict[str, Any]:
    return {
        "corner_tag_ids": [c.tag for c in scene.corners],
        "corner_tag_black_in": scene.corners[0].size if scene.corners else None,
        "corner_centers_in": {str(c.tag): list(c.at) for c in scene.corners},
        "near_left_in": list(scene.near_left),
        "size_in": list(scene.size),
    }


def _tags(
    scene: Scene, there: list[tuple[Piece, ScenePlacement]], things: list[tuple[str, Rendering]]
) -> dict[str, Any]:
    out: dict[str, Any] = {}

    def add(tag: PlacedTag, role: str, owner: str | None, above: list[Rendering]) -> None:
        key = (
            str(tag.tag)
            if tag.family == "tag36h11" and str(tag.tag) not in out
            else f"{tag.family}:{tag.tag}"
        )
        while key in out:
            key += "'"
        out[key] = _tag(scene, tag, role, owner, above)

    everything = [drawn for _, drawn in things]
    for n, tag in enumerate(flat_tags(scene)):
        add(tag, "corner" if n < len(scene.corners) else "foreign", None, everything)
    order = {name: n for n, (name, _) in enumerate(things)}
    for piece, at in there:
        tag_on = tag_of(piece, at)
        if tag_on is not None:
            add(tag_on, piece.kind, piece.name, everything[order[piece.name] + 1 :])
    return out


def _tag(
    scene: Scene, tag: PlacedTag, role: str, owner: str | None, above: list[Rendering]
) -> dict[str, Any]:
    camera = scene.camera
    corners_px = camera.project(tag.corners)
    centre = np.array([[tag.pose.x, tag.pose.y, tag.height]])
    side = float(np.linalg.norm(corners_px - np.roll(corners_px, -1, axis=0), axis=1).mean())
    w, h = camera.size
    inside = bool(((corners_px >= -0.5) & (corners_px <= (w - 0.5, h - 0.5))).all())
    return {
        "id": tag.tag,
        "family": tag.family,
        "role": role,
        "owner": owner,
        "black_in": tag.size,
        "printed_in": round(tag.printed, 5),
        "center_in": _rounded(centre[0]),
        "corners_in": _rounded(tag.corners),
        "heading_deg": _degrees(tag.pose.heading),
        "center_px": _rounded(camera.project(centre)[0], 4),
        "corners_px": _rounded(corners_px, 4),
        "side_px": round(side, 3),
        "px_per_module": round(side / (len(modules(tag.family, tag.tag)) - 2), 3),
        "in_frame": inside,
        "visible_fraction": round(visible_fraction(scene, tag, above), 4),
    }


def visible_fraction(scene: Scene, tag: PlacedTag, above: list[Rendering]) -> float:
    """The share of a grid on the black square that lies in the picture and under nothing in `above`."""
    steps = (np.arange(_GRID) + 0.5) / _GRID - 0.5
    grid = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2) * tag.size
    table = tag.pose.to_table(grid)
    pixels = scene.camera.project(np.column_stack([table, np.full(len(table), tag.height)]))
    w, h = scene.camera.size
    seen = ((pixels >= -0.5) & (pixels < (w - 0.5, h - 0.5))).all(axis=1)
    patch = Patch.around(pixels, (w, h))
    if patch.w < 1 or patch.h < 1:
        return 0.0
    hidden = np.zeros((patch.h * _FINE, patch.w * _FINE), dtype=np.uint8)
    for thing in above:
        if thing.reach.meets(patch):
            for outline in thing.outlines:
                spots = np.rint((outline - (patch.x - 0.5, patch.y - 0.5)) * _FINE - 0.5).astype(np.int32)
                cv2.fillPoly(hidden, [spots.reshape(-1, 1, 2)], 1)
            if thing.tag is not None:
                paper = scene.camera.project(thing.tag.square(thing.tag.printed))
                spots = np.rint((paper - (patch.x - 0.5, patch.y - 0.5)) * _FINE - 0.5).astype(np.int32)
                cv2.fillPoly(hidden, [spots.reshape(-1, 1, 2)], 1)
    at = np.floor((pixels[seen] - (patch.x - 0.5, patch.y - 0.5)) * _FINE).astype(int)
    return float((hidden[at[:, 1], at[:, 0]] == 0).sum()) / len(grid)


def _centre(at: ScenePlacement) -> list[float]:
    return [round(at.pose.x, 5), round(at.pose.y, 5), round(at.lift, 5)]


def _flat(points: FloatArray, z: float) -> FloatArray:
    return np.column_stack([points, np.full(len(points), z)])


def _car(scene: Scene, piece: Piece, at: ScenePlacement, moving: bool) -> dict[str, Any]:
    body, mount = piece.body, piece.mount
    wheels = np.zeros((0, 2)) if body.tyres is None else at.pose.to_table(body.tyres)
    place = Pose(0.0, 0.0) if mount is None else mount.body_from_tag
    return {
        "tag_id": None if mount is None else mount.tag,
        "name": piece.name,
        "type": body.model,
        "moving": moving,
        "lift_in": round(at.lift, 5),
        "center_in": _centre(at),
        "heading_deg": _degrees(at.pose.heading),
        "length_in": round(body.length, 5),
        "width_in": round(body.width, 5),
        "tag_plane_z_in": None if mount is None else mount.height,
        "tag_mount": {"forward_in": place.x, "left_in": place.y, "rot_deg": _degrees(place.heading)},
        "footprint_in": _rounded(at.pose.to_table(body.footprint.outline)),
        "wheel_contacts_in": _rounded(_flat(wheels, at.lift)),
        "wheel_contacts_px": _rounded(scene.camera.project(_flat(wheels, at.lift)), 3) if len(wheels) else [],
        "wheel_order": "front-left, front-right, rear-right, rear-left",
    }


def _terrain(piece: Piece, at: ScenePlacement) -> dict[str, Any]:
    return {
        "tag_id": None if piece.mount is None else piece.mount.tag,
        "name": piece.name,
        "kind": piece.body.model,
        "height_in": piece.body.height,
        "heading_deg": _degrees(at.pose.heading),
        "center_in": _centre(at),
        "footprint_in": _rounded(at.pose.to_table(piece.body.footprint.outline)),
    }


def _pairs(there: list[tuple[Piece, ScenePlacement]]) -> list[dict[str, Any]]:
    """For each pair of cars: distance, gap, and what the line of their middles crosses."""
    regions = {p.name: p.body.footprint.at(at.pose).polygon for p, at in there}
    cars = [(p, at) for p, at in there if p.driven]
    out = []
    for (p, a), (q, b) in itertools.combinations(cars, 2):
        line = LineString([a.pose.xy, b.pose.xy])
        crossed = [o for o, _ in there if o.name not in (p.name, q.name) and line.intersects(regions[o.name])]
        out.append(
            {
                "a": _id(p),
                "b": _id(q),
                "centre_in": round(float(np.hypot(*(a.pose.xy - b.pose.xy))), 4),
                "gap_in": round(float(regions[p.name].distance(regions[q.name])), 4),
                "los2d_blockers": [_id(o) for o in crossed if o.kind == "terrain"],
                "los2d_car_blockers": [_id(o) for o in crossed if o.driven],
            }
        )
    return out


def _id(piece: Piece) -> int | str:
    """A piece's tag id, or its name if it has none."""
    return piece.name if piece.mount is None else piece.mount.tag
