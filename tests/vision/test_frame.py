from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ShapeError
from vision.frame import Detection, Frame, JpegFrame, decode_jpeg, with_tables


def coded() -> bytes:
    picture = np.zeros((60, 80, 3), dtype=np.uint8)
    picture[:, :40] = (30, 200, 90)
    return cv2.imencode(".jpg", picture)[1].tobytes()


def tableless(jpeg: bytes) -> bytes:
    """The same picture as webcams send it: without its Huffman tables."""
    short, at = jpeg[:2], 2
    while jpeg[at + 1] != 0xDA:
        end = at + 2 + int.from_bytes(jpeg[at + 2 : at + 4], "big")
        short += b"" if jpeg[at + 1] == 0xC4 else jpeg[at:end]
        at = end
    assert len(short) < len(jpeg) - 100
    return short + jpeg[at:]


def test_huffman_tables_that_a_webcam_left_out_are_put_in() -> None:
    whole = coded()
    assert with_tables(tableless(whole)) == whole
    assert with_tables(whole) is whole


def test_tables_of_its_own_are_kept() -> None:
    own = cv2.imencode(".jpg", np.zeros((60, 80, 3), np.uint8), [cv2.IMWRITE_JPEG_OPTIMIZE, 1])[1].tobytes()
    assert with_tables(own) is own


@given(st.binary(max_size=200))
def test_what_is_no_jpeg_is_given_back_as_it_is(rubbish: bytes) -> None:
    assert with_tables(b"\xff\xd9" + rubbish)[2:] == rubbish


@given(st.integers(0, 150))
def test_a_jpeg_that_breaks_off_before_its_picture_is_given_back_as_it_is(length: int) -> None:
    broken = tableless(coded())[:length]
    assert with_tables(broken) == broken


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
