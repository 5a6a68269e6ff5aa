"""The table that nobody has set up under a camera of 640 by 480 pixels, as old webcams are."""

from __future__ import annotations

from dataclasses import replace

from vision.simulate.scene import Scene
from vision.simulate.scenes import first_scene

SMALL = (640, 480)


def small_scene(tag_in: float) -> Scene:
    """Every car and the crate carry a tag with a black square of so many inches."""
    scene = first_scene(SMALL)
    pieces = tuple(
        p if p.mount is None else replace(p, mount=replace(p.mount, size=tag_in)) for p in scene.pieces
    )
    return replace(scene, pieces=pieces)
