"""Photographs from the side of a drawn table: its printed cloth and tags laid flat, and one box on it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import cv2
import numpy as np

from calibration.lens.model import Lens
from engine.space.geometry import FloatArray
from vision.frame import Image
from vision.simulate.drawing.camera import Camera
from vision.simulate.drawing.render import Renderer
from vision.simulate.scene import Scene

PHONE = 0.8
"""Focal length of a phone's camera by its picture's longer side."""


def camera_at(at: tuple[float, float, float], towards: FloatArray, size: tuple[int, int]) -> Camera:
    """A phone's camera at a place, inches, that looks at a point of the table."""
    centre = np.array(at)
    ahead = np.append(towards, 0.5) - centre
    ahead /= np.linalg.norm(ahead)
    right = np.cross(ahead, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    R = np.array([right, np.cross(ahead, right), ahead])
    f, (width, height) = PHONE * max(size), size
    K = np.array([[f, 0.0, (width - 1) / 2], [0.0, f, (height - 1) / 2], [0.0, 0.0, 1.0]])
    return Camera(Lens(size, K, np.zeros(5)), R, -R @ centre)


def photographed(scene: Scene, camera: Camera, outline: FloatArray, height: float) -> Image:
    """The cloth with its corner tags as a camera sees it, and a box with this outline on it."""
    K = scene.camera.lens.K * np.array([[2.0] * 3, [2.0] * 3, [1.0] * 3])
    width, high = scene.camera.size
    above = replace(scene.camera, lens=Lens((2 * width, 2 * high), K, np.zeros(5)))
    bare = replace(scene, pieces=(), start={}, camera=above)
    flat = Renderer(bare).picture([bare.snapshot], 0)
    seen = cv2.warpPerspective(
        flat, _plane(camera) @ np.linalg.inv(_plane(above)), camera.size, borderValue=(90, 90, 90)
    )
    levels = [np.column_stack([outline, np.full(len(outline), z)]) for z in (0.0, height)]
    hull = cv2.convexHull(camera.project(np.vstack(levels)).astype(np.float32))
    cv2.fillPoly(seen, [np.rint(hull).astype(np.int32)], (60, 80, 110))
    return np.asarray(seen, np.uint8)


def nearest(outline: FloatArray, camera: Camera) -> FloatArray:
    """The point (2,) of an outline's edge that is nearest to a camera."""
    ring = np.vstack([outline, outline[:1]])
    edge = np.vstack([a + (b - a) * t for a, b in pairwise(ring) for t in np.linspace(0, 1, 33)[:, None]])
    return np.asarray(edge[np.argmin(np.linalg.norm(edge - camera.position[:2], axis=1))])


def _plane(camera: Camera) -> FloatArray:
    return np.asarray(camera.lens.K @ np.column_stack([camera.R[:, :2], camera.t]))
