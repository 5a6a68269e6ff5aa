"""Tables drawn by their stated deviations, with a sheet of paper laid on them; without pictures."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from calibration.accuracy import Accuracy
from calibration.bundle.doubts import judge
from calibration.bundle.parts import SeenTag
from calibration.bundle.solve import solve
from calibration.lens.model import Lens, usual_covariance
from calibration.proofs.sheet_proof import (
    CUT_IN,
    CUT_RAD,
    LAID_IN,
    LAID_RAD,
    TILTED,
    SeenSheet,
    SheetProof,
    proof_of,
)
from calibration.surface import CornerTag, SeenCorner, Surface
from engine.space.geometry import FloatArray
from vision.simulate.scenes import named_scene

LETTER = np.array([8.5, 11.0])
PLACES = ((8.0, 8.5), (21.0, 20.0), (34.0, 31.0))
TAGS = ((0.0, 0.0), (43.6, 0.0), (42.1, 41.3), (-1.2, 39.4))
SIZE = 2.4
READ_PX, EDGE_IN, CURVE_IN = 0.05, 0.0015, 0.005


@dataclass(frozen=True, eq=False)
class Drawn:
    """A table: what its file states (`accuracy`, `lens`, `stated`), and what is true of it."""

    accuracy: Accuracy
    lens: Lens
    true: Surface
    surface: Surface

    def check(self, rng: np.random.Generator, true: FloatArray = LETTER) -> SheetProof:
        """One sheet of paper, laid in three places."""
        cut = rng.normal(0.0, [CUT_IN, CUT_IN, CUT_RAD])
        curve = rng.normal()
        sheets = [self._laid(rng, true, np.array(at), cut, curve) for at in PLACES]
        return proof_of(self.surface, sheets, true, self.accuracy.cloth_in)

    def _laid(
        self, rng: np.random.Generator, true: FloatArray, at: FloatArray, cut: FloatArray, curve: float
    ) -> SeenSheet:
        own = np.full(2, EDGE_IN * math.sqrt(2.0))
        bend = np.full(2, 2 * CURVE_IN)
        # Each direction is the mean of two edges; what an edge is turned by is independent of where it lies.
        tilt = TILTED / 2 * math.hypot(own[1] / true[0], own[0] / true[1])
        sides = true + cut[:2] + rng.normal(0.0, np.hypot(own, LAID_IN)) + curve * bend
        lean = cut[2] + rng.normal(0.0, math.hypot(tilt, LAID_RAD))
        half = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * sides / 2
        half[:, 0] -= half[:, 1] * math.tan(lean)
        turn = rng.uniform(0.0, math.tau)
        cos, sin = math.cos(turn), math.sin(turn)
        on_table = half @ np.array([[cos, sin], [-sin, cos]]) + at
        heights = rng.normal(0.0, self.accuracy.cloth_in, 4) if self.accuracy.cloth_in else np.zeros(4)
        pixels = self.true.project(np.column_stack([on_table, heights]))
        return SeenSheet(pixels, own, bend, tilt)


def drawn_table(
    seed: int,
    accuracy: Accuracy = Accuracy(),  # noqa: B008
    *,
    stated: bool = False,
    scale: float = 0.0,
    stretch_x: float = 0.0,
    moved: tuple[int, float] | None = None,
    trusting: bool = False,
) -> tuple[Drawn, np.random.Generator]:
    """A table by its stated deviations, and beside them what is wrong with it.

    `stated` says that its file has the places of the corner tags, else only their printed size. `scale` is by
    which share the prints are larger than stated besides, `stretch_x` by which the stated places are too
    wide, `moved` which corner tag lies by how many inches beside its stated place. `trusting` takes all that
    is stated at its word, as if no mistake were ever looked for.
    """
    rng = np.random.default_rng(seed)
    camera = named_scene("first").camera
    known = replace(camera.lens, covariance=usual_covariance(camera.lens), origin="file")
    spread = np.linalg.cholesky(known.covariance + 1e-18 * np.eye(9))
    real = known.parameters + spread @ rng.normal(size=9)
    K = np.array([[real[0], 0, real[2]], [0, real[1], real[3]], [0, 0, 1]])
    true = Surface(Lens(known.size, K, real[4:]), camera.R, camera.t, np.zeros((15, 15)), 0.0)
    printed = 1 + scale + rng.normal(0.0, accuracy.print_scale)
    ink = np.random.default_rng([seed, 1]).normal(0.0, accuracy.common.ink)
    corners: list[SeenCorner] = []
    loose: list[SeenTag] = []
    for n, at in enumerate(TAGS):
        size = SIZE * printed * (1 + rng.normal(0.0, accuracy.print_size)) + ink
        here = CornerTag("tag36h11", n, size, at, rng.uniform(0, math.tau))
        height = rng.normal(0.0, accuracy.cloth_in)
        square = here.corners_at()
        pixels = true.project(np.column_stack([square, np.full(4, height)]))
        pixels = pixels + rng.normal(0.0, READ_PX, (4, 2))
        covariance = READ_PX**2 * np.eye(8)
        if not stated:
            paper = accuracy.laid
            loose.append(SeenTag("tag36h11", n, SIZE, 0.0, pixels, covariance, paper=paper))
            continue
        written: Any = np.array(at) + rng.normal(0.0, 0.0625, 2)
        if moved is not None and moved[0] == n:
            written[0] += moved[1]
        written[0] *= 1 + stretch_x
        said = CornerTag("tag36h11", n, SIZE, tuple(written), None, 0.0625, accuracy.laid)
        corners.append(SeenCorner(said, pixels, covariance))
    frame = None if stated else (("tag36h11", 0), ("tag36h11", 1))
    told = tuple(c.corner for c in corners)
    if trusting:
        return Drawn(accuracy, known, true, solve(known, corners, loose, frame, accuracy.common).surface), rng
    judged = judge(known, corners, loose, frame, accuracy.common, told)
    return Drawn(accuracy, known, true, judged.surface), rng
