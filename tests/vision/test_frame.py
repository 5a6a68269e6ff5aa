from __future__ import annotations

import cv2
import numpy as np
import pytest

from engine.errors import ShapeError
from vision.frame import Detection, Frame, JpegFrame


def coded() -> bytes:
    picture = np.zeros((60, 80, 3), dtype=np.uint8)
    picture[:, :40] = (30, 200, 90)
    return cv2.imencode(".jpg", picture)[1].tobytes()


def test_a_jpeg_is_grey_at_once_and_coloured_when_asked() -> None:
    frame = JpegFrame(coded(), 1.5, 7, "webcam")
    assert (frame.size, frame.time, frame.index, frame.source) == ((80, 60), 1.5, 7, "webcam")
    assert frame.grey.shape == (60, 80)
    assert "image" not in vars(frame)
    assert frame.image.shape == (60, 80, 3)
    assert frame.image is frame.image
    # The same picture by either way.
    assert np.abs(frame.grey.astype(int) - Frame(frame.image, 0.0, 0).grey).mean() <= 1.0


@pytest.mark.parametrize("data", [b"", b"no picture", coded()[:40]])
def test_bytes_that_are_no_picture_are_refused(data: bytes) -> None:
    with pytest.raises(ShapeError, match=f"JPEG picture but got {len(data)} bytes"):
        JpegFrame(data, 0.0, 0)


def test_a_tags_centre_is_where_its_diagonals_cross_and_its_side_their_mean() -> None:
    corners = np.array([(0.0, 0.0), (12.0, 0.0), (10.0, 8.0), (2.0, 8.0)])
    detection = Detection("tag36h11", 1, corners, np.eye(8))
    assert detection.centre == pytest.approx((6.0, 4.8))
    assert detection.side == pytest.approx((12 + 8 + 2 * np.hypot(2, 8)) / 4)
