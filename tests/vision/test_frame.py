from __future__ import annotations

import cv2
import numpy as np
import pytest

from engine.errors import ShapeError
from vision.frame import Detection, Frame, JpegFrame, decode_jpeg


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


def test_a_jpeg_is_decoded_bit_for_bit_as_opencv_does_it() -> None:
    rng = np.random.default_rng(2)
    picture = cv2.GaussianBlur(rng.integers(0, 256, (48, 66, 3), dtype=np.uint8), (0, 0), 2.0)
    data = cv2.imencode(".jpg", picture)[1]
    for colours, kind in (("GRAY", cv2.IMREAD_GRAYSCALE), ("BGR", cv2.IMREAD_COLOR)):
        decoded = decode_jpeg(data.tobytes(), colours)  # type: ignore[arg-type]
        assert decoded is not None
        assert np.array_equal(decoded, cv2.imdecode(data, kind))


def test_another_number_and_time_cost_no_second_decoding() -> None:
    frame = JpegFrame(coded(), 1.5, 7, "webcam")
    later = frame.restamped(9, 2.5)
    assert (later.index, later.time, later.source) == (9, 2.5, "webcam")
    assert later.grey is frame.grey
    assert later.image.shape == (60, 80, 3)
    plain = Frame(frame.grey, 1.5, 7).restamped(9, 2.5)
    assert (plain.index, plain.time, plain.size) == (9, 2.5, (80, 60))


@pytest.mark.parametrize("data", [b"", b"no picture", coded()[:40]])
def test_bytes_that_are_no_picture_are_refused(data: bytes) -> None:
    with pytest.raises(ShapeError, match=f"JPEG picture but got {len(data)} bytes"):
        JpegFrame(data, 0.0, 0)


def test_a_tags_centre_is_where_its_diagonals_cross_and_its_side_their_mean() -> None:
    corners = np.array([(0.0, 0.0), (12.0, 0.0), (10.0, 8.0), (2.0, 8.0)])
    detection = Detection("tag36h11", 1, corners, np.eye(8))
    assert detection.centre == pytest.approx((6.0, 4.8))
    assert detection.side == pytest.approx((12 + 8 + 2 * np.hypot(2, 8)) / 4)
