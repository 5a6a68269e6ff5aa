"""Pictures packed as JPEG."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from server.formats.jpeg import jpeg, whole_jpeg
from vision.frame import Frame, JpegFrame

NOISE = np.repeat(np.random.default_rng(1).integers(0, 255, (90, 160, 1), dtype=np.uint8), 3, axis=2)


def opened(data: bytes) -> np.ndarray:
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    return image


@pytest.mark.parametrize(("width", "shape"), [(None, (90, 160)), (80, (45, 80)), (1000, (90, 160))])
def test_made_smaller_but_never_larger(width: int | None, shape: tuple[int, int]) -> None:
    assert opened(jpeg(NOISE, 80, width)).shape[:2] == shape


@pytest.mark.parametrize("width", [150, 110, 70, 31])
def test_smaller_ones_show_the_same_in_the_same_places(width: int) -> None:
    # A slope: its brightness tells the place.
    row = np.round(np.linspace(20, 230, 160)).astype(np.uint8)
    slope = np.ascontiguousarray(np.broadcast_to(row[None, :, None], (90, 160, 3)))
    small = opened(jpeg(slope, 98, width))
    middles = (np.arange(width) + 0.5) * 160 / width - 0.5
    # One pixel to the side would be 1.3 brighter or darker.
    off = (small[:, :, 1] - (20 + 210 * middles / 159)).mean()
    assert abs(off) < 0.65


def test_a_better_one_is_nearer_to_the_picture() -> None:
    off = [np.abs(opened(jpeg(NOISE, q)).astype(int) - NOISE).mean() for q in (40, 80, 98)]
    assert off == sorted(off, reverse=True)
    assert off[0] > 1.5 * off[2]


def test_what_came_as_jpeg_is_kept_as_it_came() -> None:
    data = jpeg(NOISE, 60)
    assert whole_jpeg(JpegFrame(data, 0.0, 0), 98) == data
    assert whole_jpeg(Frame(NOISE, 0.0, 0, "drawn"), 60) == data
