"""The bare tables of the scenes that have a name are drawn once for all workers.

Each would take a third of a second of a core in every worker, and again where others came between. They are
kept under the sources that draw them; all other tables are drawn as ever.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

import numpy as np

from tests.made import made
from vision.simulate.drawing import background
from vision.simulate.drawing.background import Ground, Halved
from vision.simulate.scenes import SCENES

_draw = background._drawn.__wrapped__


@lru_cache
def _named(size: tuple[int, int]) -> frozenset[tuple[object, ...]]:
    """Give the keys of all named scenes' bare tables in pictures of a size."""
    return frozenset(background.ground_of(scene(size)).key for scene in SCENES.values())


@lru_cache(maxsize=8)
def _kept(ground: Ground) -> Halved:
    if ground.key not in _named(ground.scene.camera.size):
        return _draw(ground)
    name = hashlib.sha256(repr(ground.key).encode()).hexdigest()[:12]

    def make(folder: Path) -> None:
        np.save(folder / "drawn.npy", _draw(ground))

    folder = made(f"background-{name}", make, by=("engine", "calibration", "vision"))
    drawn: Halved = np.load(folder / "drawn.npy", mmap_mode="r")
    return drawn


vars(background)["_drawn"] = _kept
