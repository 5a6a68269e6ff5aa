"""Is the picture good enough: too dark, smeared, out of focus, glare on a tag, tags too small.

Judged by the tags that were read, for they are what matters: each tag's known pattern is drawn
as the camera would see it and held against the pixels. What differs between them is blur (its
length and direction), light, or something shining on the tag.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.fiducials import TagKey
from calibration.tablefile import TableFile
from engine.space.geometry import FloatArray
from vision.frame import Detection, Frame, Image
from vision.tags.pattern import LINEAR, homography, pattern
from vision.tags.polish import polish

Trouble = Literal["dark", "bright", "washed", "glare", "soft", "breathing", "smeared", "small"]
OUT_OF_FOCUS: frozenset[Trouble] = frozenset({"soft", "breathing"})
"""What makes tags look larger or smaller than they are."""

# White paper in an 8-bit picture: below the first it drowns in noise, from the second on its edges
# bleed into the black.
DARK = 70
BRIGHT = 253
# How far black must lie below white, as a share of white, in linear light.
CONTRAST = 0.5
# Glare: all as bright as this, over this share of a tag that was read nevertheless. One that was not
# read shows far more.
GLARE = 225
GLARE_SHARE = 0.002
BURNT = 245
BURNT_SHARE = 0.35

# Blur (a Gaussian's deviation) from which a picture is called soft: pixels, and modules of a tag.
SOFT_PX = 1.7
SOFT_MODULES = 0.55
# A change of blur that a fixed focus does not make, pixels, and the seconds over which it is looked for.
BREATHING_PX = 0.6
BREATHING_S = 20.0
# A smear this long makes corners unsure, pixels.
SMEARED_PX = 5.0
# Modules smaller than this are read with luck only, pixels: at 1.5 all tags of drawn tables are found and
# followed (`benchmarks.reading`), at 1.2 a third is never found.
SMALL_PX = 1.5

# Samples a pixel, each way, with which tags are drawn: those of small and those of large modules, pixels.
FINE = 4
COARSE = 2
COARSE_FROM = 4.0
# Modules of white drawn round a tag, and rounds of fitting its blur.
BORDER = 2
ROUNDS = 3


@dataclass(frozen=True, slots=True)
class TagHealth:
    """How a tag that was read looks in the picture.

    `side` of its black square and `module` are pixels; `blur` is the deviation of a Gaussian in its
    sharpest direction, `smear` the length of a movement that would explain the rest, `smear_at` its
    direction in the picture (radians, y down). `white` and `black` are 8-bit levels; `glare` is the
    share of it where all is as bright as its white.
    """

    key: TagKey
    side: float
    module: float
    blur: float
    smear: float
    smear_at: float
    white: float
    black: float
    glare: float


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong with the picture, and `words` that say what to do; `tags` show it."""

    trouble: Trouble
    words: str
    tags: tuple[TagKey, ...] = ()


def inspect(grey: Image, detection: Detection) -> TagHealth | None:
    """How a tag looks in a grey picture (h, w); None if its family cannot be drawn or does not fit."""
    modules = pattern(detection.family, detection.tag)
    fit = polish(grey, detection.family, detection.tag, detection.corners)
    if modules is None or fit is None:
        return None
    try:
        patch = _Patch.round_(grey, fit.corners, modules.shape[0])
        if patch is None:
            return None
        spread, drawn = _fitted(patch, modules, fit.blur)
    except np.linalg.LinAlgError:
        return None
    values, vectors = np.linalg.eigh(spread)
    white, black, glare = patch.light(drawn)
    side = detection.side
    return TagHealth(
        key=(detection.family, detection.tag),
        side=side,
        module=side / modules.shape[0],
        blur=math.sqrt(float(values[0])),
        smear=math.sqrt(12.0 * float(values[1] - values[0])),
        smear_at=math.atan2(*vectors[::-1, 1]),
        white=white,
        black=black,
        glare=glare,
    )


def _fitted(patch: _Patch, modules: NDArray[np.float32], blur: float) -> tuple[FloatArray, FloatArray]:
    """The blur's covariance (2, 2) that fits the pixels best, square pixels, and the tag drawn with it."""
    spread = np.eye(2) * max(blur**2, 0.05)
    drawn, second = patch.draw(modules, spread)
    for _ in range(ROUNDS):
        spread = _positive(spread + patch.change_of_spread(drawn, second))
        drawn, second = patch.draw(modules, spread)
    return spread, drawn


def findings(tags: Sequence[TagHealth], names: Mapping[TagKey, str]) -> tuple[Finding, ...]:
    """What is wrong with a picture by the tags read in it; nothing when all is well.

    `names` says what carries each tag, for the sentences.
    """
    if not tags:
        return ()
    found = [f for f in (_light(tags), _focus(tags)) if f is not None]
    for trouble, shows, words in _OF_TAGS:
        bad = [t for t in tags if shows(t)]
        if bad:
            found.append(Finding(trouble, f"{_named(bad, names)}: {words}", tuple(t.key for t in bad)))
    return tuple(found)


def names_of(table: TableFile) -> dict[TagKey, str]:
    """What carries each tag of a table, for sentences."""
    names = {(t.family, t.tag): f"tag {t.tag}" for t in table.loose}
    names |= {(c.family, c.tag): f"corner tag {c.tag}" for c in table.corners}
    return names | {(p.mount.family, p.mount.tag): p.name for p in table.pieces if p.mount is not None}


def covered_or_shining(grey: Image, corners: FloatArray) -> str:
    """Why a tag with corners (4, 2) in the picture, pixels, may not have been read, in words."""
    mask = np.zeros(grey.shape, dtype=np.uint8)
    cv2.fillConvexPoly(mask, np.round(corners).astype(np.int32), 255)
    values = grey[mask > 0]
    if not values.size:
        return "it lies outside the picture; move or turn the camera"
    if float((values >= BURNT).mean()) > BURNT_SHARE:
        return "glare lies on it; move the lamp, or tilt or dull the paper"
    return "it is covered, or not at its stated place"


def _light(tags: Sequence[TagHealth]) -> Finding | None:
    white = float(np.median([t.white for t in tags]))
    if white < DARK:
        return Finding(
            "dark",
            f"The picture is too dark: white paper reaches only {white:.0f} of 255. Turn on more light, "
            "from more than one side.",
        )
    if white >= BRIGHT and np.median([t.black for t in tags]) > 40:
        return Finding(
            "bright",
            "The picture is too bright: white paper is burnt out. Lower the exposure or dim the light.",
        )
    return None


def _focus(tags: Sequence[TagHealth]) -> Finding | None:
    blur = float(np.median([t.blur for t in tags]))
    by_module = float(np.median([t.blur / t.module for t in tags]))
    if blur > SOFT_PX or (blur > 1.0 and by_module > SOFT_MODULES):
        return Finding(
            "soft",
            f"The picture is out of focus: edges are {2.4 * blur:.0f} pixels wide. Focus on the table, "
            "then lock the focus; wipe the lens.",
        )
    return None


def _named(tags: Sequence[TagHealth], names: Mapping[TagKey, str]) -> str:
    called = [names.get(t.key, f"tag {t.key[1]}") for t in tags]
    shown = called[:4] + ([f"{len(called) - 4} more"] if len(called) > 4 else [])
    text = ", ".join(shown)
    return text[:1].upper() + text[1:]


def _contrast(tag: TagHealth) -> float:
    """How far black lies below white, as a share of white, in linear light."""
    white, black = LINEAR[int(tag.white)], LINEAR[int(tag.black)]
    return float((white - black) / max(white, 1e-6))


_OF_TAGS: tuple[tuple[Trouble, Callable[[TagHealth], bool], str], ...] = (
    (
        "washed",
        lambda t: t.white >= DARK and _contrast(t) < CONTRAST,
        "black looks grey; light reflects off the paper or falls into the lens: move the lamp, or print on "
        "matte paper.",
    ),
    (
        "glare",
        lambda t: t.glare > GLARE_SHARE,
        "glare covers part of the tag: move the lamp, or tilt or dull the paper.",
    ),
    (
        "smeared",
        lambda t: t.smear > max(SMEARED_PX, 1.2 * t.module),
        "smeared in movement; the exposure is too long: give more light, and lock a shorter exposure if the "
        "camera allows it.",
    ),
    (
        "small",
        lambda t: t.module < SMALL_PX,
        "read with luck only at this size: print it larger, bring the camera closer, or choose a higher "
        "resolution.",
    ),
)


class HealthWatch:
    """Looks a running picture over now and then and remembers its focus.

    `every` seconds of the frames' own time lie between two looks, of at most `most` tags each: a
    few often disturb less than all at once.
    """

    def __init__(self, names: Mapping[TagKey, str], every: float = 0.25, most: int = 1) -> None:
        self._names = names
        self._every, self._most = every, most
        self._looked_at: float | None = None
        self._turn = 0
        self._seen: dict[TagKey, TagHealth] = {}
        self._blurs: dict[TagKey, list[tuple[float, float]]] = {}
        self.findings: tuple[Finding, ...] = ()

    def update(self, frame: Frame, detections: Sequence[Detection]) -> tuple[Finding, ...]:
        """What is wrong now; looks anew if it is time to."""
        if self._looked_at is not None and 0.0 <= frame.time - self._looked_at < self._every:
            return self.findings
        self._looked_at = frame.time
        chosen = self._chosen(detections)
        grey = frame.grey if chosen else None
        for detection in chosen:
            assert grey is not None
            health = inspect(grey, detection)
            if health is not None:
                self._seen[health.key] = health
                self._blurs.setdefault(health.key, []).append((frame.time, health.blur))
        read = {(d.family, d.tag) for d in detections}
        tags = [t for key, t in self._seen.items() if key in read]
        self.findings = (*findings(tags, self._names), *self._breathing(frame.time))
        return self.findings

    def _chosen(self, detections: Sequence[Detection]) -> list[Detection]:
        """A few of the tags, others every time."""
        if not detections:
            return []
        ordered = sorted(detections, key=lambda d: (d.family, d.tag))
        start = self._turn % len(ordered)
        self._turn += self._most
        return [*ordered[start:], *ordered[:start]][: self._most]

    def _breathing(self, now: float) -> tuple[Finding, ...]:
        swings = []
        for key, all_blurs in self._blurs.items():
            recent = [(time, blur) for time, blur in all_blurs if 0.0 <= now - time <= BREATHING_S]
            self._blurs[key] = recent
            values = [blur for _, blur in recent]
            if len(values) >= 3:
                swings.append(max(values) - min(values))
        if len(swings) < 3 or float(np.median(swings)) < BREATHING_PX:
            return ()
        return (
            Finding(
                "breathing",
                "The camera keeps changing its focus, which moves everything in the picture: lock the focus.",
            ),
        )


_Second = tuple[FloatArray, FloatArray, FloatArray]


@dataclass(frozen=True, eq=False)
class _Patch:
    """The picture round a tag: `low` (2,) its first pixel, `values` (h, w) 8 bits, `corners` (4, 2)."""

    low: FloatArray
    values: Image
    corners: FloatArray
    modules: int
    inside: NDArray[np.bool_]

    @classmethod
    def round_(cls, grey: Image, corners: FloatArray, modules: int) -> _Patch | None:
        """With half a module of its white border; None where the picture ends before."""
        reach = 0.5
        H = homography(corners, modules)
        far = np.array([(-1, -1), (modules + 1, -1), (modules + 1, modules + 1), (-1, modules + 1)])
        outer = cv2.perspectiveTransform(far[None].astype(np.float64), H)[0]
        low = np.floor(outer.min(axis=0)).astype(int)
        high = np.ceil(outer.max(axis=0)).astype(int) + 1
        height, width = grey.shape
        if (low < 0).any() or high[0] > width or high[1] > height or (high - low).max() > 600:
            return None
        ys, xs = np.mgrid[low[1] : high[1], low[0] : high[0]]
        pixels = np.stack([xs.ravel(), ys.ravel()], axis=1).astype(np.float64)
        uv = cv2.perspectiveTransform(pixels[None], np.linalg.inv(H))[0]
        inside = ((uv > -reach) & (uv < modules + reach)).all(axis=1).reshape(xs.shape)
        return cls(low.astype(np.float64), grey[low[1] : high[1], low[0] : high[0]], corners, modules, inside)

    def draw(self, modules: NDArray[np.float32], spread: FloatArray) -> tuple[FloatArray, _Second]:
        """The pattern blurred by a Gaussian of covariance `spread` (2, 2), square pixels, and how it bends.

        Both (h, w): 0 black to 1 white, and the second derivatives by xx, xy and yy.
        """
        fine = FINE if self.module < COARSE_FROM else COARSE
        padded = np.pad(modules, BORDER, constant_values=1.0)
        big = padded.repeat(8, axis=0).repeat(8, axis=1)
        # Cells of 8 x 8 samples: sample k has its centre at (k + 0.5) / 8 modules.
        module_from_sample = np.array([[1 / 8, 0, 0.5 / 8 - BORDER], [0, 1 / 8, 0.5 / 8 - BORDER], [0, 0, 1]])
        fine_from_image = np.array(
            [
                [fine, 0, (0.5 - self.low[0]) * fine - 0.5],
                [0, fine, (0.5 - self.low[1]) * fine - 0.5],
                [0, 0, 1],
            ]
        )
        H = fine_from_image @ homography(self.corners, self.modules) @ module_from_sample
        h, w = self.values.shape
        sharp = cv2.warpPerspective(big, H, (w * fine, h * fine), flags=cv2.INTER_LINEAR, borderValue=1.0)
        soft = cv2.filter2D(sharp, cv2.CV_32F, _kernel(spread * fine**2), borderType=cv2.BORDER_REPLICATE)
        dy, dx = np.gradient(soft, 1 / fine)
        dxy, dxx = np.gradient(dx, 1 / fine)
        dyy = np.gradient(dy, 1 / fine, axis=0)

        def shrunk(a: NDArray[Any]) -> FloatArray:
            return np.asarray(cv2.resize(a, (w, h), interpolation=cv2.INTER_AREA), dtype=np.float64)

        return shrunk(soft), (shrunk(dxx), shrunk(dxy), shrunk(dyy))

    def change_of_spread(self, drawn: FloatArray, second: _Second) -> FloatArray:
        """By how much the blur's covariance (2, 2) ought to change to fit the pixels better."""
        t = drawn[self.inside]
        observed = LINEAR[self.values][self.inside].astype(np.float64)
        # Blurring more by C changes the pattern by C_xx/2 d_xx + C_xy d_xy + C_yy/2 d_yy.
        by_spread = [second[0][self.inside] / 2, second[1][self.inside], second[2][self.inside] / 2]
        basis = np.column_stack([np.ones_like(t), t, t * (1 - t), *by_spread])
        weights = np.ones_like(t)
        for _ in range(3):
            weighted = basis * weights[:, None]
            fitted = np.linalg.solve(weighted.T @ basis + 1e-9 * np.eye(6), weighted.T @ observed)
            off = np.abs(observed - basis @ fitted)
            limit = 4.0 * 1.4826 * float(np.median(off)) + 1e-4
            weights = np.clip(1.0 - (off / limit) ** 2, 0.0, None) ** 2
        contrast = float(fitted[1])
        if contrast < 1e-3:
            return np.zeros((2, 2))
        xx, xy, yy = np.clip(fitted[3:] / contrast, -3.0, 3.0)
        return np.array([[xx, xy], [xy, yy]])

    def light(self, drawn: FloatArray) -> tuple[float, float, float]:
        """White and black, 8-bit levels, and the share of the tag that shines."""
        values, t = self.values[self.inside].astype(np.float64), drawn[self.inside]
        dark, pale = t <= np.quantile(t, 0.25), t >= np.quantile(t, 0.85)
        white, black = float(np.median(values[pale])), float(np.median(values[dark]))
        # Round a glint all is as bright as paper, where the tag ought to be black and white.
        shining = (self.values > max(GLARE, 0.9 * white)).astype(np.float64)
        width = 2 * round(0.75 * self.module) + 1
        round_about = cv2.blur(shining, (width, width)), cv2.blur(drawn, (width, width))
        glare = (round_about[0] > 0.9) & (round_about[1] < 0.6) & self.inside
        return white, black, float(glare.sum() / self.inside.sum())

    @property
    def module(self) -> float:
        """The mean side of a module in pixels."""
        sides = np.linalg.norm(self.corners - np.roll(self.corners, -1, axis=0), axis=1)
        return float(sides.mean()) / self.modules


def _kernel(spread: FloatArray) -> FloatArray:
    """A Gaussian of covariance (2, 2), square samples."""
    reach = math.ceil(3.0 * math.sqrt(float(np.linalg.eigvalsh(spread)[1]))) + 1
    ys, xs = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    inverse = np.linalg.inv(spread)
    exponent = inverse[0, 0] * xs**2 + 2 * inverse[0, 1] * xs * ys + inverse[1, 1] * ys**2
    weights = np.exp(-exponent / 2)
    return np.asarray(weights / weights.sum())


def _positive(spread: FloatArray) -> FloatArray:
    """The nearest covariance that a picture can have: none sharper than a fifth of a pixel."""
    values, vectors = np.linalg.eigh(spread)
    return np.asarray((vectors * np.clip(values, 0.04, 60.0)) @ vectors.T)
