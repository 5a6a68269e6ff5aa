"""frame -> detections: which tags are in the picture, small and fast.

Known tags are looked for where they are expected, first by fitting the very pattern there, then
by the general reader in one mosaic of enlarged regions; the whole picture is read now and then
for what is missing. Every read, however it came about, is confirmed against the closed codebook
of the tags in play and polished (see `vision.polish`): a tag that is not in play is never
reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np

from engine.geometry import FloatArray
from vision.frame import Detection, Frame, Image
from vision.polish import LINEAR, homography, pattern, polish
from vision.reader import STOCK_SD, Read, read_tags

Key = tuple[str, int]
How = Literal["full", "region"]

# Correlation of the pixels with the fitted pattern, and its lead over any other tag in play or
# any other way round, below which a read is not believed. A foreign tag of 15 px was once taken
# for one in play at a lead of .04; .06 cured it (measured on drawn frames).
CORRELATION = 0.80
LEAD = 0.06
# A fit started from an expectation alone, with no reader's decoding behind it, must be better.
CORRELATION_UNDECODED = 0.86
# Bits that the general reader may have had to correct.
FLAWS = 2

_TO_LINEAR_8 = np.clip(LINEAR * 255.0 + 0.5, 0, 255).astype(np.uint8)


@dataclass(frozen=True, eq=False)
class Expected:
    """A tag in play and where its corners (4, 2) ought to be in the picture, pixels."""

    family: str
    tag: int
    corners: FloatArray

    @property
    def key(self) -> Key:
        """Family and id."""
        return self.family, self.tag


@dataclass
class TagReader:
    """Reads the tags in play (`keys`: family and id of each) from frames."""

    keys: frozenset[Key]
    blur: float = 0.8

    @classmethod
    def of(cls, keys: Iterable[Key]) -> TagReader:
        """A reader for these families and ids."""
        return cls(frozenset(keys))

    @property
    def families(self) -> list[str]:
        """The families in play, AprilTag's own first."""
        return sorted({family for family, _ in self.keys}, key=lambda f: (f.startswith("DICT_"), f))

    def read_all(self, frame: Frame, *, thorough: bool = True) -> list[Detection]:
        """The whole picture, slowly.

        Read in linear light (a tone curve makes black squares small) and, if `thorough`, also as
        delivered (dark corners of a picture get crushed in linear light).
        """
        grey = frame.grey
        reads = read_tags(_TO_LINEAR_8[grey], self.families)
        if thorough:
            reads += read_tags(grey, self.families)
        return self._believe(grey, reads, "full")

    def read_near(self, frame: Frame, expected: Sequence[Expected]) -> list[Detection]:
        """The tags expected in known places, fast: by fitting, then by a mosaic of regions."""
        grey = frame.grey
        found: dict[Key, Detection] = {}
        for e in expected:
            detection = self._confirm(grey, Read(e.family, e.tag, e.corners), "region", decoded=False)
            if detection is not None:
                found[e.key] = detection
        missing = [e for e in expected if e.key not in found]
        if missing:
            for detection in self._believe(grey, _read_mosaic(grey, missing), "region"):
                found.setdefault((detection.family, detection.tag), detection)
        return list(found.values())

    def _believe(self, grey: Image, reads: Sequence[Read], how: How) -> list[Detection]:
        """Confirmed reads, the best of each tag."""
        best: dict[Key, tuple[float, Detection]] = {}
        for read in reads:
            if (read.family, read.tag) not in self.keys or read.flaws > FLAWS:
                continue
            detection = self._confirm(grey, read, how, decoded=True)
            if detection is None:
                continue
            key = (detection.family, detection.tag)
            doubt = float(np.trace(detection.covariance))
            if key not in best or doubt < best[key][0]:
                best[key] = (doubt, detection)
        return [d for _, d in best.values()]

    def _confirm(self, grey: Image, read: Read, how: How, *, decoded: bool) -> Detection | None:
        """The polished detection of a read, or None if the pixels do not bear it out."""
        if pattern(read.family, read.tag) is None:
            # Nobody here can draw this family: the reader's word and its corners are all there is.
            return (
                Detection(read.family, read.tag, read.corners, np.eye(8) * STOCK_SD**2, how)
                if decoded and read.flaws == 0
                else None
            )
        fit = polish(grey, read.family, read.tag, read.corners, self.blur)
        if fit is None or fit.correlation < (CORRELATION if decoded else CORRELATION_UNDECODED):
            return None
        drift = np.abs(fit.corners - read.corners).max()
        side = np.linalg.norm(read.corners[1] - read.corners[0])
        if drift > 0.2 * side or not self._leads(grey, read, fit.corners):
            return None
        return Detection(read.family, read.tag, fit.corners, fit.covariance, how)

    def _leads(self, grey: Image, read: Read, corners: FloatArray) -> bool:
        """Whether no other tag in play, and no other way round, fits these corners nearly as well."""
        own = pattern(read.family, read.tag)
        assert own is not None
        m = own.shape[0]
        centres = np.stack(np.meshgrid(np.arange(m) + 0.5, np.arange(m) + 0.5), axis=-1).reshape(-1, 2)
        H = homography(corners, m)
        mapped = centres @ H[:, :2].T + H[:, 2]
        at = (mapped[:, :2] / mapped[:, 2:]).astype(np.float32)
        sampled = cv2.remap(grey, at[:, 0], at[:, 1], cv2.INTER_LINEAR).ravel()
        values = LINEAR[sampled].reshape(m, m)[1:-1, 1:-1]
        rivals = _codebook(read.family, tuple(sorted(t for f, t in self.keys if f == read.family)))
        scores = rivals.bits @ _normalised(values.astype(np.float64).ravel())
        mine = rivals.index[read.tag]
        return bool(scores[mine] - np.delete(scores, mine).max(initial=-1.0) >= LEAD)


@dataclass(frozen=True, eq=False)
class _Codebook:
    """Normalised inner modules of every tag in play four ways round, and each upright one's row."""

    bits: FloatArray
    index: dict[int, int]


_codebooks: dict[tuple[str, tuple[int, ...]], _Codebook] = {}


def _codebook(family: str, tags: tuple[int, ...]) -> _Codebook:
    book = _codebooks.get((family, tags))
    if book is None:
        rows: list[FloatArray] = []
        index: dict[int, int] = {}
        for tag in tags:
            modules = pattern(family, tag)
            if modules is None:
                continue
            index[tag] = len(rows)
            inner = modules[1:-1, 1:-1].astype(np.float64)
            rows += [_normalised(np.rot90(inner, k).ravel()) for k in range(4)]
        book = _codebooks[family, tags] = _Codebook(np.array(rows), index)
    return book


def _normalised(values: FloatArray) -> FloatArray:
    centred = values - values.mean()
    return np.asarray(centred / max(float(np.linalg.norm(centred)), 1e-9))


def _read_mosaic(grey: Image, missing: Sequence[Expected]) -> list[Read]:
    """The general reader on all regions at once, each enlarged twice and stretched by itself."""
    tiles: list[tuple[Image, FloatArray]] = []
    height, width = grey.shape
    for e in missing:
        centre = e.corners.mean(axis=0)
        side = float(np.linalg.norm(e.corners - np.roll(e.corners, -1, axis=0), axis=1).mean())
        reach = min(max(1.6 * side, 24.0), 160.0)
        low = np.maximum(np.floor(centre - reach), 0).astype(int)
        high = np.minimum(np.ceil(centre + reach) + 1, (width, height)).astype(int)
        if (high - low < 12).any():
            continue
        tiles.append((_enlarged(grey[low[1] : high[1], low[0] : high[0]]), low.astype(np.float64)))
    if not tiles:
        return []
    cell = max(max(t.shape) for t, _ in tiles) + 8
    columns = int(np.ceil(np.sqrt(len(tiles))))
    rows = -(-len(tiles) // columns)
    mosaic = np.full((rows * cell, columns * cell), 128, dtype=np.uint8)
    for k, (tile, _) in enumerate(tiles):
        y, x = (k // columns) * cell, (k % columns) * cell
        mosaic[y : y + tile.shape[0], x : x + tile.shape[1]] = tile
    reads = []
    for read in read_tags(mosaic, sorted({e.family for e in missing})):
        column, row = (read.corners.mean(axis=0) // cell).astype(int)
        k = int(row * columns + column)
        if 0 <= k < len(tiles):
            in_tile = read.corners - np.array([column * cell, row * cell])
            # cv2.resize keeps pixel areas: source centre = (enlarged centre + 0.5) / 2 - 0.5.
            corners = (in_tile + 0.5) / 2 - 0.5 + tiles[k][1]
            reads.append(Read(read.family, read.tag, corners, read.flaws))
    return reads


def _enlarged(tile: Image) -> Image:
    """Twice the size, in linear light between the region's own black and white, sharpened."""
    linear = LINEAR[tile]
    low, high = np.percentile(linear, (2, 98))
    stretched = np.clip((linear - low) / max(float(high - low), 1e-3), 0, 1).astype(np.float32)
    big = cv2.resize(stretched, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
    sharp = big + 0.8 * (big - cv2.GaussianBlur(big, (0, 0), 2.0))
    return np.asarray(np.clip(sharp * 255.0 + 0.5, 0, 255), dtype=np.uint8)
