"""What a source is and what a frame holds; what is asked for by name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.jpeg import decode_jpeg
from engine.errors import ShapeError
from tests.vision.sources.fakes import FakeCapture, Hands, drain, picture, write, write_video
from vision.bare import remember_cloth
from vision.frame import Detection, Frame, JpegFrame, with_tables
from vision.simulate.__main__ import _parser
from vision.simulate.scenes import SCENES
from vision.source import (
    CameraWish,
    PushedFrames,
    Retrying,
    SourceKind,
    SourceRefused,
    open_source,
    parse_source,
    play_source,
)
from vision.sources.live import Webcam

ROOT = Path(__file__).resolve().parents[2]


class TestAsk:
    @pytest.mark.parametrize(
        ("typed", "kind", "what", "live"),
        [
            ("0", "webcam", "0", True),
            (" 2 ", "webcam", "2", True),
            ("/dev/video1", "webcam", "1", True),
            ("rtsp://cam.local:554/1", "stream", "rtsp://cam.local:554/1", True),
            ("http://192.168.1.20:8080/video", "stream", "http://192.168.1.20:8080/video", True),
            ("Phone", "phone", "phone", True),
            ("sim", "simulated", "default", True),
            ("SIM:bare", "simulated", "bare", True),
        ],
    )
    def test_understands_what_needs_no_file(self, typed: str, kind: str, what: str, live: bool) -> None:
        asked = parse_source(typed)
        assert (asked.kind, asked.what, asked.live) == (kind, what, live)

    @pytest.mark.parametrize(
        ("name", "kind"), [("a.JPG", "pictures"), ("b.png", "pictures"), ("c.mp4", "video")]
    )
    def test_tells_files_by_their_ending(self, tmp_path: Path, name: str, kind: str) -> None:
        path = tmp_path / name
        path.write_bytes(b"x")
        assert parse_source(str(path)).kind == kind
        assert parse_source(str(tmp_path)).kind == "pictures"
        # Windows copies a path in quotes.
        assert parse_source(f'"{path}"').what == parse_source(f" '{path}' ").what == str(path)

    @pytest.mark.parametrize(
        ("typed", "says"),
        [
            ("", "is not a source"),
            ("x" * 900, "neither a camera nor a file"),
            ("~nobody-of-that-name/clip.mp4", "there is no file"),
            ("ftp://host/file.jpg", "is not a source"),
            ("nowhere.jpg", "there is no file"),
            ("kitchen", "neither a camera nor a file"),
            ("-1", "neither a camera nor a file"),
        ],
    )
    def test_refuses_the_rest_and_says_what_is_accepted(self, typed: str, says: str) -> None:
        with pytest.raises(SourceRefused, match=says) as caught:
            parse_source(typed)
        assert "Expected a camera's number" in str(caught.value)

    def test_refuses_an_unknown_kind_of_file(self, tmp_path: Path) -> None:
        (tmp_path / "rules.pdf").write_bytes(b"%PDF")
        with pytest.raises(SourceRefused, match=r"unknown kind \(\.pdf\)"):
            open_source(str(tmp_path / "rules.pdf"))


class TestPlay:
    def test_a_folder_plays_at_its_pace_and_ends(self, tmp_path: Path) -> None:
        for n in range(3):
            write(tmp_path / f"{n}.png", value=n)
        hands = Hands()
        source = play_source(str(tmp_path), fps=5.0, clock=hands.clock, sleep=hands.sleep)
        assert [f.time for f in drain(source)] == [0.0, 0.2, 0.4]
        assert hands.now == pytest.approx(100.4)

    def test_a_video_that_vanished_between_is_waited_for(self, tmp_path: Path) -> None:
        path = write_video(tmp_path / "clip.mp4", frames=2)
        hands = Hands()
        source = play_source(str(path), clock=hands.clock, sleep=hands.sleep)
        assert isinstance(source, Retrying)
        away = path.rename(tmp_path / "away.mp4")

        def sleep(seconds: float) -> None:
            hands.sleep(seconds)
            if away.exists():
                away.rename(path)

        source._sleep = sleep
        assert source.read().index == 0
        assert source.losses == 1
        source.close()

    def test_a_simulated_table_keeps_its_own_calls(self) -> None:
        assert callable(getattr(play_source("sim:bare"), "move", None))
        assert isinstance(play_source("phone"), PushedFrames)

    def test_a_webcam_is_opened_again_as_asked_last(self, monkeypatch: pytest.MonkeyPatch) -> None:
        opened: list[FakeCapture] = []

        def open_webcam(index: int) -> FakeCapture:
            opened.append(FakeCapture([picture() for _ in range(5)]))
            return opened[-1]

        monkeypatch.setattr("vision.sources.live.open_webcam", open_webcam)
        hands = Hands()
        source = play_source("0", camera=CameraWish(size=(64, 48)), clock=hands.clock, sleep=hands.sleep)
        assert isinstance(source, Retrying)
        assert source.tunable is None
        source.read()
        assert isinstance(source.tunable, Webcam)
        source.tunable.ask_for(CameraWish(size=(32, 24)))
        assert source.read().index == 1
        assert [c.asked[cv2.CAP_PROP_FRAME_WIDTH] for c in opened] == [64.0, 32.0]
        assert source.gaps[0].why.startswith("Camera 0 is being set to 32x24")

    def test_refuses_at_once_what_is_no_source(self) -> None:
        with pytest.raises(SourceRefused):
            play_source("nonsense")


class TestDocs:
    """docs/sources.md keeps up with what is accepted."""

    TEXT = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")

    def test_every_example_is_understood(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        write(tmp_path / "photo.jpg")
        (tmp_path / "frames").mkdir()
        write_video(tmp_path / "clip.mp4", frames=2)
        rows = re.findall(r"^\| `([^`]+)` \|", self.TEXT, flags=re.MULTILINE)
        kinds = {parse_source(row).kind for row in rows}
        assert len(rows) == 8
        assert kinds == set(get_args(SourceKind))

    def test_every_simulated_table_and_option_is_described(self) -> None:
        for name in SCENES:
            assert f"`{name}`" in self.TEXT
            assert parse_source(f"sim:{name}").what == name
        options = {o for action in _parser()._actions for o in action.option_strings if o.startswith("--")}
        missing = {
            o for o in options - {"--help"} if f"`{o} " not in self.TEXT and f"{o} FOLDER" not in self.TEXT
        }
        assert missing == set()


def test_the_login_of_a_stream_is_neither_shown_nor_kept() -> None:
    """Every page is told what is watched, and the record says it."""
    assert parse_source("rtsp://anna:secret@cam.local:554/1").name == "rtsp://cam.local:554/1"
    assert parse_source("http://anna@cam.local/video?to=b@c").name == "http://cam.local/video?to=b@c"


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


@pytest.mark.parametrize("far", [1e9, np.inf, np.nan])
def test_an_outline_of_a_table_with_wrong_numbers_is_not_drawn(
    far: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A polygon a thousand million pixels wide took half a minute to draw."""
    frame = Frame(np.full((60, 80, 3), 120, np.uint8), 0.0, 0)
    outline = np.array([(-far, -far), (far, -far), (far, far), (-far, far)])
    monkeypatch.setattr(cv2, "fillPoly", lambda *_: pytest.fail("it is drawn"))
    assert remember_cloth(frame, outline, 4.0) is None
