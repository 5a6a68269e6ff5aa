"""Where exactly are the corners: a known tag's pattern fitted to the pixels themselves.

A reader finds the outer quad; its corners are good to a third of a pixel, and a camera's tone
curve draws black squares too small. Here every edge of the known pattern speaks: the pattern,
blurred as the lens blurs it, is fitted to the patch by Gauss-Newton over the four corners (the
full homography), the blur, and a brightness curve whose bend takes up what is left of the tone
curve between the tag's own black and white. The fit's own normal equations give the covariance
of the corners. All tags of a frame are fitted in one pass over one row of pixels.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.space.geometry import FloatArray
from vision.frame import Image
from vision.tags.pattern import FINE, LINEAR, MARGIN, STEP, blurred, homographies, pattern

# Pixels up to so many modules outside the black square are compared: the printed white border is
# one module wide; what lies beyond it is not ours, and the blur carries it inwards.
REACH = (0.1, 0.65)
BLEEDS = 1.2
# Neighbouring residuals of a JPEG picture are not independent; measured on rendered frames, the
# corners scatter this much more from frame to frame than independent noise would have it.
NOISE_INFLATION = 2.6
# What stays wrong from frame to frame (print, paper, light, the model itself), in pixels: of the
# whole tag, and of each corner by itself.
FLOOR_SHIFT_PX = 0.018
FLOOR_CORNER_PX = 0.015
FLOOR = np.eye(8) * FLOOR_CORNER_PX**2 + np.tile(np.eye(2), (4, 4)) * FLOOR_SHIFT_PX**2

# A tag of a dozen blurred pixels tells where it is and how it is turned but hardly its four corners
# one by one: by how much its shape may differ from the expected one, as a share of its side. Where
# the pixels tell the shape they outweigh this a hundredfold.
SHAPE_SD = 0.04

MOST_PIXELS = 30_000
"""So many pixels of one tag are compared at most; OpenCV looks up no more than 32,767 in a row."""

LARGE_PX = 160.0
"""A tag with longer sides is fitted in a smaller picture: its drawing has twelve samples a module, and no
sharper edge than a twenty-fifth of one. Drawn at 170 px and more, corners under a sharp lens (blur .5 px) are
off by more than the fit says."""

AROUND = 0.3
"""How far round a large tag its picture is cut out, of its side: the reach of a tag of six modules."""

SOFT_PX = 0.7
"""The blur that the smaller picture is given, in its pixels."""

PARAMETERS = 15
"""Of a fit: 8 corner coordinates, the blur, 5 of the brightness curve, and what lies around the tag."""

# Width of the printed white margin in modules, and how much what lies beyond it may differ from white, as
# linear light: without it the edge of a roof pulls at the corners (settled headings of 18 px by .1 degree).
BORDER = 1.0
SURROUND_SD = 0.5

# Keeps normal equations solvable; far below anything that a pixel says. Of what lies around, where no
# pixel says anything, that it is about white (a pixel's deviation is some hundredths of linear light).
_RIDGE = np.diag([1e-9] * (PARAMETERS - 1) + [(0.02 / SURROUND_SD) ** 2])

Values = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Linearised:
    """A finished fit: what it predicts for which pixels, and how the pixels move its parameters.

    `rows` and `columns` (n,) are the pixels in the image, `predicted` (n,) their linear light,
    `jacobian` (15, n) its change by corners, blur and brightness, `weights` (n,) each pixel's
    say, `inverse` (15, 15) of the normal equations, `variance` that of the residuals.
    """

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    predicted: Values
    jacobian: Values
    weights: Values
    inverse: FloatArray
    variance: float


@dataclass(frozen=True, eq=False)
class Polished:
    """Corners (4, 2) in pixels with covariance (8, 8), blur in pixels, and how well the tag fits.

    `correlation` is between the fitted pattern and the pixels, 1 for a perfect picture. `fit` is
    what it takes to read the tag again at the same place (see `vision.tags.anchor`); None of a large tag,
    which is fitted anew.
    """

    corners: FloatArray
    covariance: FloatArray
    blur: float
    correlation: float
    fit: Linearised | None


class Pace(NamedTuple):
    """How long to fit: `least` to `most` passes.

    From pass `robust_from` (the first is 0) on, pixels that fit badly are left out; a fit ends when
    no corner moves by `converged` pixels any longer.
    """

    least: int
    most: int
    robust_from: int
    converged: float


THOROUGH = Pace(4, 8, 2, 8e-3)
QUICK = Pace(2, 5, 1, 0.03)
"""For a tag that is nearly where it is expected to be."""


class Start(NamedTuple):
    """Where to begin: a tag, its corners (4, 2) and the blur in pixels."""

    family: str
    tag: int
    corners: FloatArray
    blur: float = 0.8


def polish(grey: Image, family: str, tag: int, corners: FloatArray, blur: float = 0.8) -> Polished | None:
    """Fit tag `tag` to `grey` (8 bits) near `corners` (4, 2); None if it does not fit there.

    `blur` is a first guess of the Gaussian blur in pixels. Corners as `vision.frame.Detection`.
    """
    return polish_all(grey, [Start(family, tag, corners, blur)])[0]


def polish_all(
    grey: Image,
    starts: Sequence[Start],
    *,
    limit: int = MOST_PIXELS,
    pace: Pace = THOROUGH,
) -> list[Polished | None]:
    """Fits every start; None where it does not fit. `limit` thins out the pixels of large tags."""
    out: list[Polished | None] = [None] * len(starts)
    for k, start in enumerate(starts):
        if side_of(start.corners) > LARGE_PX:
            out[k] = _polish_large(grey, start, limit, pace)
    patches = [
        (k, p)
        for k, s in enumerate(starts)
        if side_of(s.corners) <= LARGE_PX and (p := _patch(grey, s, limit)) is not None
    ]
    if patches:
        for k, result in _Batch([k for k, _ in patches], [p for _, p in patches]).run(pace):
            out[k] = result
    return out


def _polish_large(grey: Image, start: Start, limit: int, pace: Pace) -> Polished | None:
    """A large tag, fitted in a picture whose pixels are each the mean light of `by` times `by` of its own."""
    by = math.ceil(side_of(start.corners) / LARGE_PX)
    margin = math.ceil(AROUND * side_of(start.corners))
    low = np.maximum(np.floor(start.corners.min(axis=0)) - margin, 0).astype(int)
    high = np.ceil(start.corners.max(axis=0)).astype(int) + margin
    part = grey[low[1] : high[1], low[0] : high[0]]
    height, width = part.shape[0] // by, part.shape[1] // by
    if min(height, width) < 6:
        return None
    whole = LINEAR[part[: height * by, : width * by]]
    # As soft as a lens draws: of edges that are sharper than its pixels no place is known.
    light = cv2.GaussianBlur(
        cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA), (0, 0), SOFT_PX
    )
    small = np.clip(np.rint(np.interp(light, LINEAR, np.arange(256))), 0, 255).astype(np.uint8)
    middle = low + (by - 1) / 2
    begin = start._replace(corners=(start.corners - middle) / by, blur=SOFT_PX)
    fit = polish_all(small, [begin], limit=limit, pace=pace)[0]
    if fit is None:
        return None
    return Polished(fit.corners * by + middle, fit.covariance * by**2, fit.blur * by, fit.correlation, None)


def side_of(corners: FloatArray) -> float:
    """Mean side of a quad (4, 2)."""
    a, b, c, d = corners.tolist()
    return (math.dist(a, b) + math.dist(b, c) + math.dist(c, d) + math.dist(d, a)) / 4


def correlation(a: Values, b: Values) -> float:
    """Pearson's, 0 where one of them is flat."""
    a, b = a - a.mean(), b - b.mean()
    size = float(a @ a) * float(b @ b)
    return float(a @ b) / size**0.5 if size > 1e-12 else 0.0


class _Patch(NamedTuple):
    """One tag's pixels and their linear light; `corners` are relative to `origin`."""

    family: str
    tag: int
    modules: int
    origin: FloatArray
    corners: FloatArray
    sigma: float
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    values: Values


def _patch(grey: Image, start: Start, limit: int) -> _Patch | None:
    modules = pattern(start.family, start.tag)
    if modules is None:
        return None
    m = modules.shape[0]
    corners = np.asarray(start.corners, dtype=np.float64)
    scale = side_of(corners) / m
    if not scale > 0.8:
        return None
    reach = min(max(1.0 - BLEEDS * start.blur / scale, REACH[0]), REACH[1])
    spread = (1.0 + reach) * scale
    (x0, y0), (x1, y1) = np.floor(corners.min(axis=0) - spread), np.ceil(corners.max(axis=0) + spread)
    left, top = max(int(x0), 0), max(int(y0), 0)
    right, bottom = min(int(x1) + 1, grey.shape[1]), min(int(y1) + 1, grey.shape[0])
    if right - left < 6 or bottom - top < 6:
        return None
    origin = np.array([(left + right) // 2, (top + bottom) // 2], dtype=np.float64)
    inverse = _inverses(homographies((corners - origin)[None]))
    if inverse is None:
        return None
    i = inverse[0].astype(np.float32)
    x = np.arange(left, right, dtype=np.float32) - np.float32(origin[0])
    y = (np.arange(top, bottom, dtype=np.float32) - np.float32(origin[1]))[:, None]
    w = i[2, 0] * x + (i[2, 1] * y + i[2, 2])
    across = np.abs((i[0, 0] * x + (i[0, 1] * y + i[0, 2])) / w - 0.5)
    down = np.abs((i[1, 0] * x + (i[1, 1] * y + i[1, 2])) / w - 0.5)
    rows, columns = np.nonzero(np.maximum(across, down) < 0.5 + reach / m)
    if len(rows) < 4 * m:
        return None
    if len(rows) > limit:
        # A lattice whose rows are shifted against each other, so that no edge is missed.
        every = -(-len(rows) // limit)
        kept = (columns + rows * (2 if every % 2 else 3)) % every == 0
        rows, columns = rows[kept], columns[kept]
    rows, columns = rows + top, columns + left
    sigma = start.blur / scale
    values = LINEAR[grey[rows, columns]]
    return _Patch(start.family, start.tag, m, origin, corners - origin, sigma, rows, columns, values)


def _inverses(H: FloatArray) -> FloatArray | None:
    try:
        return np.asarray(np.linalg.inv(H), dtype=np.float64)
    except np.linalg.LinAlgError:
        return None


class _Batch:
    """Fits in progress, their pixels in one row; `names` are the caller's numbers for them.

    The Jacobian J (15, n) is by 8 corner coordinates, blur, and black level, contrast, the bend
    between them, light falling off across the tag (right and down), and what lies around it.
    """

    def __init__(self, names: list[int], patches: list[_Patch]) -> None:
        self.names, self.patches = names, patches
        self.counts = np.array([len(p.values) for p in patches])
        ends = np.cumsum(self.counts).tolist()
        self.slices = [slice(b, e) for b, e in zip([0, *ends], ends, strict=False)]
        self.x = np.concatenate([p.columns - p.origin[0] for p in patches]).astype(np.float32)
        self.y = np.concatenate([p.rows - p.origin[1] for p in patches]).astype(np.float32)
        self.values = np.concatenate([p.values for p in patches])
        self.corners = np.stack([p.corners for p in patches])
        self.sigma = np.array([p.sigma for p in patches])
        self.expected = self.corners
        self.shape = _shape_information(self.corners)
        self.curve: FloatArray | None = None
        self.weights = np.ones_like(self.values)
        self.m = self._each(np.array([p.modules for p in patches]))
        reach = self._each(np.abs(self.corners).max(axis=(1, 2)) + 1.0)
        self.shade_x, self.shade_y = self.x / reach, self.y / reach
        self.t = self.residual = self.values
        self.J = np.empty((PARAMETERS, len(self.values)), dtype=np.float32)
        self.inverse: FloatArray = np.zeros((len(patches), PARAMETERS, PARAMETERS))

    def run(self, pace: Pace) -> list[tuple[int, Polished | None]]:
        """All results, each with its caller's number."""
        done: list[tuple[int, Polished | None]] = []
        batch = self
        for iteration in range(pace.most):
            moved = batch._step(robust=iteration >= pace.robust_from)
            if moved is None:
                return done + [(n, None) for n in batch.names]
            ended = moved < (pace.converged if iteration + 1 >= pace.least else -1.0)
            if ended.all() or iteration == pace.most - 1:
                break
            # Taking the ended ones out is worth it when they are the larger part.
            if 2 * ended.sum() > len(ended):
                done += batch._results(np.flatnonzero(ended))
                batch = batch._part(np.flatnonzero(~ended))
        return done + batch._results(range(len(batch.names)))

    def _part(self, chosen: NDArray[np.intp]) -> _Batch:
        """The same fits, some of them."""
        part = _Batch([self.names[k] for k in chosen], [self.patches[k] for k in chosen])
        part.corners, part.sigma = self.corners[chosen], self.sigma[chosen]
        part.expected, part.shape = self.expected[chosen], self.shape[chosen]
        part.curve = None if self.curve is None else self.curve[chosen]
        part.weights = np.concatenate([self.weights[self.slices[k]] for k in chosen])
        return part

    def _each(self, values: FloatArray) -> Values:
        """One number a tag -> one a pixel."""
        return np.repeat(values.astype(np.float32), self.counts, axis=-1)

    def _step(self, *, robust: bool) -> FloatArray | None:
        """One Gauss-Newton step of all; how far each one's corners moved, None if all is lost."""
        if not self._model():
            return None
        slope = self._light()
        self.J[:9] *= slope
        if robust:
            self._weigh()
        step = self._solve()
        # What the step explains, it explains: no need to draw the pattern again to know it.
        for k, part in enumerate(self.slices):
            self.residual[part] -= step[k].astype(np.float32) @ self.J[:, part]
        moved = np.clip(step[:, :8], -1.0, 1.0)
        self.corners = self.corners + moved.reshape(-1, 4, 2)
        self.sigma = np.clip(self.sigma + np.clip(step[:, 8], -0.1, 0.1), 0.02, 1.5)
        assert self.curve is not None
        self.curve = _straight(self.curve + step[:, 9:])
        return np.asarray(np.abs(moved).max(axis=1))

    def _model(self) -> bool:
        """Pattern value and its Jacobian at every pixel; False if a quad has collapsed."""
        inverse = _inverses(homographies(self.corners))
        if inverse is None:
            return False
        i = self._each(inverse.reshape(-1, 9).T)
        w = 1.0 / (i[6] * self.x + i[7] * self.y + i[8])
        s = (i[0] * self.x + i[1] * self.y + i[2]) * w
        r = (i[3] * self.x + i[4] * self.y + i[5]) * w
        t, tu, tv, tl = self._drawn(s, r)
        w *= self.m
        tu, tv = tu * w, tv * w
        # At a fixed pixel a corner's move shifts the pattern backwards, by its bilinear share.
        by_x = tu * (s * i[6] - i[0]) + tv * (r * i[6] - i[3])
        by_y = tu * (s * i[7] - i[1]) + tv * (r * i[7] - i[4])
        J, sr = self.J, s * r
        for corner, share in enumerate((1 - s - r + sr, s - sr, sr, r - sr)):
            np.multiply(share, by_x, out=J[2 * corner])
            np.multiply(share, by_y, out=J[2 * corner + 1])
        np.multiply(tl, self._each(self.sigma), out=J[8])
        J[9], J[10] = 1.0, t
        np.multiply(t, 1.0 - t, out=J[11])
        np.multiply(t, self.shade_x, out=J[12])
        np.multiply(t, self.shade_y, out=J[13])
        J[14] = self._beyond(s, r)
        self.t = t
        return True

    def _drawn(self, s: Values, r: Values) -> tuple[Values, Values, Values, Values]:
        """Pattern value, its derivatives per module and Laplacian at places in the unit square."""
        fine = self.m * FINE
        # The drawing has MARGIN modules of white around it.
        x, y = s * fine + (MARGIN * FINE - 0.5), r * fine + (MARGIN * FINE - 0.5)
        drawn = np.empty((len(x), 4), dtype=np.float32)
        steps = np.clip(np.round(self.sigma / STEP), 1, 1.5 / STEP).astype(int)
        for patch, part, step in zip(self.patches, self.slices, steps, strict=True):
            image = blurred(patch.family, patch.tag, int(step))
            looked_up = cv2.remap(image, x[part], y[part], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
            drawn[part] = looked_up.reshape(-1, 4)
        t, tu, tv, tl = np.ascontiguousarray(drawn.T)
        # Drawings are kept at steps of blur; in between, a blur's change is half the Laplacian's.
        t += tl * self._each((self.sigma**2 - (steps * STEP) ** 2) / 2)
        return t, tu, tv, tl

    def _beyond(self, s: Values, r: Values) -> Values:
        """The share of light that comes from beyond the printed margin, at places in the unit square."""
        sigma = self._each(self.sigma)
        # Of the nearer edge alone, to either side: a blur hardly spans a tag.
        across = (self.m / 2 + BORDER - np.abs(s - 0.5) * self.m) / sigma
        down = (self.m / 2 + BORDER - np.abs(r - 0.5) * self.m) / sigma
        return 1.0 - _normal_cdf(across) * _normal_cdf(down)

    def _light(self) -> Values:
        """Takes the residuals from the brightness curve; returns its slope by pattern value."""
        basis = self.J[9:]
        if self.curve is None:
            curve = np.empty((len(self.patches), PARAMETERS - 9))
            for k, part in enumerate(self.slices):
                normal = (basis[:, part] @ basis[:, part].T).astype(np.float64) + _RIDGE[9:, 9:]
                curve[k] = np.linalg.solve(normal, basis[:, part] @ self.values[part])
            self.curve = _straight(curve)
        c = self._each(self.curve.T)
        self.residual = self.values - np.einsum("kn,kn->n", basis, c)
        slope: Values = c[1] + c[2] * (1.0 - 2.0 * self.t) + c[3] * self.shade_x + c[4] * self.shade_y
        return slope

    def _weigh(self) -> None:
        """Tukey's loss: a finger or a glint on the tag is left out, once the fit is near."""
        assert self.curve is not None
        size = np.abs(self.residual)
        scale = np.array([1.4826 * _median(size[part]) + 1e-6 for part in self.slices])
        limit = self._each(np.maximum(4.5 * scale, 0.12 * np.abs(self.curve[:, 1])))
        weights = np.maximum(1.0 - (self.residual / limit) ** 2, 0.0)
        self.weights = weights * weights

    def _solve(self) -> FloatArray:
        """The steps (k, 15) by the normal equations, whose inverses are kept."""
        weighted = self.J * self.weights
        normal = np.stack([weighted[:, part] @ self.J[:, part].T for part in self.slices]) + _RIDGE
        right = np.stack([weighted[:, part] @ self.residual[part] for part in self.slices])
        right = right.astype(np.float64)
        squares = self.weights * self.residual**2
        variance = np.array([float(squares[p].sum()) / float(self.weights[p].sum()) for p in self.slices])
        prior = self.shape * (variance * NOISE_INFLATION**2)[:, None, None]
        normal[:, :8, :8] += prior
        gone = (self.corners - self.expected).reshape(-1, 8)
        right[:, :8] -= np.einsum("kij,kj->ki", prior, gone)
        self.inverse = np.asarray(np.linalg.inv(normal), dtype=np.float64)
        return np.asarray(np.nan_to_num(np.einsum("kij,kj->ki", self.inverse, right)))

    def _results(self, which: Iterable[int]) -> list[tuple[int, Polished | None]]:
        return [(self.names[k], self._result(k)) for k in which]

    def _result(self, k: int) -> Polished | None:
        """A fit as it stands after a step, with its covariance."""
        patch, part = self.patches[k], self.slices[k]
        weights, residual = self.weights[part], self.residual[part]
        freedom = max(float(weights.sum()) - PARAMETERS, 1.0)
        variance = float(weights @ (residual * residual)) / freedom
        covariance = self.inverse[k, :8, :8] * (variance * NOISE_INFLATION**2) + FLOOR
        if not (np.isfinite(covariance).all() and (np.diag(covariance) > 0).all()):
            return None
        values, J = self.values[part], self.J[:, part].copy()
        fit = Linearised(patch.rows, patch.columns, values - residual, J, weights, self.inverse[k], variance)
        blur = float(self.sigma[k]) * side_of(self.corners[k]) / patch.modules
        fits = correlation(self.t[part], values)
        return Polished(self.corners[k] + patch.origin, covariance, blur, fits, fit)


def _shape_information(corners: FloatArray) -> FloatArray:
    """What is known of the shapes of quads (k, 4, 2) beforehand, (k, 8, 8).

    Nothing of place, turn and size; of what else could change, that it is small.
    """
    offsets = corners - corners.mean(axis=1, keepdims=True)
    size = np.sqrt((offsets**2).sum(axis=(1, 2)))
    grown = offsets.reshape(-1, 8) / size[:, None]
    turned = (offsets[..., ::-1] * (-1.0, 1.0)).reshape(-1, 8) / size[:, None]
    moved = np.tile(np.eye(2) / 2.0, 4)
    free = np.einsum("ki,kj->kij", grown, grown) + np.einsum("ki,kj->kij", turned, turned) + moved.T @ moved
    # A square's corners lie its side / sqrt(2) from its centre: size is sqrt(2) sides.
    sd = SHAPE_SD * size / math.sqrt(2.0)
    return np.asarray((np.eye(8) - free) / (sd**2)[:, None, None])


def _median(values: Values) -> float:
    """As `np.median`, in half the time for some hundred values."""
    half = len(values) // 2
    if len(values) % 2:
        return float(np.partition(values, half)[half])
    low, high = np.partition(values, (half - 1, half))[half - 1 : half + 1].tolist()
    return float(low + high) / 2


def _normal_cdf(x: Values) -> Values:
    """The Gaussian distribution function, good to .0002."""
    return np.asarray(0.5 + 0.5 * np.tanh(x * (0.79788 + 0.035677 * x * x)), dtype=np.float32)


def _straight(curve: FloatArray) -> FloatArray:
    """Brightness curves (k, 6) without a bend that would fold them back: that is noise, no tone curve."""
    most = 0.8 * np.abs(curve[:, 1])
    curve[:, 2] = np.clip(curve[:, 2], -most, most)
    return curve
