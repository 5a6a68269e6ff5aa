"""Cameras: which there are, and frames from one while it runs."""

from __future__ import annotations

import itertools
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest

from tests.vision.sources.fakes import FakeCapture, Hands, drain, picture, write_film
from tests.vision.sources.rtsp_camera import rtsp_camera
from tests.vision.test_source import tableless
from vision.frame import JpegFrame
from vision.source import CameraWish, SourceEnded, SourceLost, open_source
from vision.sources.base import MANNER
from vision.sources.decoding import Decoded
from vision.sources.devices import Device, SameWebcam, list_webcams, offered_sizes, thumbnail
from vision.sources.files import VideoFile, decode_picture
from vision.sources.live import SETTLING, Stream, Webcam, backend_for, knobs_for
from vision.sources.pushed import PushedFrames


class TestLive:
    def camera(
        self, answers: list[Any], hands: Hands | None = None, on: str = sys.platform
    ) -> tuple[Webcam, FakeCapture]:
        capture = FakeCapture(answers)
        clock = (hands or Hands()).clock
        wish = CameraWish(size=(64, 48))
        return Webcam(0, wish=wish, clock=clock, opener=lambda index: capture, platform=on), capture

    def test_a_webcam_is_asked_for_motion_jpeg_and_stamped_by_the_clock(self) -> None:
        hands = Hands()
        camera, capture = self.camera([picture(), picture()], hands)
        first = camera.read()
        hands.now += 0.5
        second = camera.read()
        assert (first.time, second.time) == (100.0, 100.5)
        assert capture.asked[cv2.CAP_PROP_FOURCC] == cv2.VideoWriter.fourcc(*"MJPG")
        assert capture.asked[cv2.CAP_PROP_FRAME_WIDTH] == 64
        assert camera.live
        assert camera.fps == 30.0

    @pytest.mark.parametrize(
        ("stamp_ms", "time"), [(99_960.0, 99.96), (0.0, 100.0), (50_000.0, 100.0), (100_500.0, 100.0)]
    )
    def test_the_drivers_stamp_counts_where_it_is_of_the_same_clock(
        self, stamp_ms: float, time: float
    ) -> None:
        camera, capture = self.camera([picture()])
        capture.asked[cv2.CAP_PROP_POS_MSEC] = stamp_ms
        assert camera.read().time == pytest.approx(time)

    def test_stamps_never_run_backwards(self) -> None:
        camera, capture = self.camera([picture(), picture()])
        capture.asked[cv2.CAP_PROP_POS_MSEC] = 99_990.0
        first = camera.read().time
        capture.asked[cv2.CAP_PROP_POS_MSEC] = 99_800.0
        assert camera.read().time == first

    def test_stamps_that_were_right_tell_later_that_pictures_come_late(self) -> None:
        """The driver holds pictures back from the thirty-first on; then it has caught up."""
        hands, rng = Hands(), np.random.default_rng(5)
        camera, capture = self.camera(list(rng.integers(0, 255, (60, 48, 64, 3), dtype=np.uint8)), hands)
        told = []
        for n in range(60):
            hands.now += 0.1
            late = 2.5 if 30 <= n < 50 else 0.03
            capture.asked[cv2.CAP_PROP_POS_MSEC] = 1000.0 * (hands.now - late)
            if n == 30:
                # Nothing came for so long: stamps go on.
                hands.now += 2.6
                capture.asked[cv2.CAP_PROP_POS_MSEC] = 1000.0 * (hands.now - late)
            frame = camera.read()
            assert frame.time == pytest.approx(hands.now - late)
            assert not frame.repeated
            assert frame.old == pytest.approx(late if late > 1.0 else 0.0)
            told.append(camera.notice is not None and "Camera 0's pictures come 2.5 s late" in camera.notice)
        assert told == [30 <= n < 50 for n in range(60)]

    def test_a_stamp_of_another_clock_never_says_that_a_picture_is_late(self) -> None:
        hands, rng = Hands(), np.random.default_rng(6)
        camera, capture = self.camera(list(rng.integers(0, 255, (60, 48, 64, 3), dtype=np.uint8)), hands)
        for n in range(60):
            hands.now += 0.1
            # From the camera's first picture on, and then one that stands still.
            capture.asked[cv2.CAP_PROP_POS_MSEC] = min(100.0 * n, 3000.0)
            frame = camera.read()
            assert (frame.time, frame.old, camera.notice) == (hands.now, 0.0, None)

    def test_a_picture_that_comes_again_is_marked(self) -> None:
        hands, rng = Hands(), np.random.default_rng(4)
        one, other = (rng.integers(0, 255, (48, 64, 3), dtype=np.uint8) for _ in range(2))
        # Different in a single place that a glance would pass over.
        nearly = one.copy()
        nearly[3, 3] = 255 - nearly[3, 3]
        camera, _ = self.camera([one, one.copy(), one.copy(), nearly, nearly, other, one], hands)
        seen = []
        for _ in range(7):
            frame = camera.read()
            seen.append((frame.repeated, round(frame.old, 3)))
            hands.now += 0.1
        assert seen == [
            (False, 0.0), (True, 0.1), (True, 0.2), (False, 0.0), (True, 0.1), (False, 0.0), (False, 0.0),
        ]  # fmt: skip

    def test_corrupt_pictures_are_told_and_survived(self) -> None:
        camera, _ = self.camera([picture(), None, np.zeros((0, 0, 3), np.uint8), np.zeros(7), picture()])
        assert camera.read().index == 0
        assert camera.read().index == 1
        assert camera.notice is None

    def test_a_camera_that_gives_nothing_any_more_is_lost(self) -> None:
        camera, capture = self.camera([picture()])
        camera.read()
        with pytest.raises(SourceLost, match="Check its cable"):
            camera.read()
        assert capture.released == 1
        with pytest.raises(SourceEnded):
            camera.read()

    def test_a_camera_that_is_not_there_is_lost(self) -> None:
        with pytest.raises(SourceLost, match="camera 3"):
            Webcam(3, opener=lambda index: FakeCapture([], opened=False))

    def test_a_changed_resolution_is_told(self) -> None:
        camera, _ = self.camera([picture(64, 48), picture(32, 24), picture(64, 48)])
        camera.read()
        assert camera.read().size == (32, 24)
        assert camera.notice is not None
        assert "from 64x48 to 32x24" in camera.notice
        camera.read()
        assert camera.notice is None

    def test_a_frozen_picture_is_told_then_lost(self) -> None:
        hands = Hands()
        camera, capture = self.camera([picture()] * 40, hands)
        told = []
        for _ in range(20):
            camera.read()
            told.append((hands.now - 100.0, camera.notice is not None and "stood still" in camera.notice))
            hands.now += 0.5
        with pytest.raises(SourceLost, match="stands still"):
            camera.read()
        assert dict(told) == {n / 2: n >= 2 for n in range(20)}
        assert capture.released == 1

    def test_a_living_picture_is_never_called_frozen(self) -> None:
        hands = Hands()
        rng = np.random.default_rng(2)
        noisy = [
            np.clip(picture() + rng.integers(-1, 2, (48, 64, 3)), 0, 255).astype(np.uint8) for _ in range(30)
        ]
        camera, _ = self.camera(noisy, hands)
        for _ in range(30):
            camera.read()
            hands.now += 1.0
            assert camera.notice is None

    def test_a_grey_camera_gives_colour_frames(self) -> None:
        camera, _ = self.camera([np.full((48, 64), 9, np.uint8)])
        assert camera.read().image.shape == (48, 64, 3)

    def test_a_cameras_own_jpegs_come_as_they_are(self) -> None:
        rng = np.random.default_rng(3)
        seen = cv2.GaussianBlur(rng.integers(0, 256, (48, 64, 3), dtype=np.uint8), (0, 0), 2.0)
        coded = cv2.imencode(".jpg", seen)[1].reshape(1, -1)
        # A driver's buffer may be longer than the picture in it.
        camera, capture = self.camera([coded, np.hstack([coded, np.zeros((1, 400), np.uint8)])], on="linux")
        assert list(capture.asked)[-1] == cv2.CAP_PROP_CONVERT_RGB
        assert capture.asked[cv2.CAP_PROP_CONVERT_RGB] == 0.0
        for index in range(2):
            frame = camera.read()
            assert isinstance(frame, JpegFrame)
            assert (frame.index, frame.size) == (index, (64, 48))
            assert np.abs(frame.image.astype(int) - seen).mean() < 3.0
        assert frame.coded[: coded.size] == coded.tobytes()

    def test_motion_jpeg_without_its_tables_is_completed(self) -> None:
        coded = cv2.imencode(".jpg", picture())[1].tobytes()
        camera, _ = self.camera([np.frombuffer(tableless(coded), np.uint8)[None]], on="linux")
        frame = camera.read()
        assert isinstance(frame, JpegFrame)
        assert frame.coded == coded

    @pytest.mark.parametrize("platform", ["win32", "darwin"])
    def test_where_jpegs_are_not_handed_on_none_are_asked_for(self, platform: str) -> None:
        camera, capture = self.camera([picture()], on=platform)
        assert cv2.CAP_PROP_CONVERT_RGB not in capture.asked
        assert not isinstance(camera.read(), JpegFrame)

    def test_a_camera_without_motion_jpeg_keeps_its_own_format(self) -> None:
        class Yuyv(FakeCapture):
            def get(self, prop: int) -> float:
                return 1448695129.0 if prop == cv2.CAP_PROP_FOURCC else super().get(prop)

        capture = Yuyv([picture()])
        Webcam(0, clock=Hands().clock, opener=lambda index: capture, platform="linux")
        assert cv2.CAP_PROP_CONVERT_RGB not in capture.asked

    def test_a_driver_that_hands_on_rubbish_is_asked_for_pictures(self) -> None:
        class Odd(FakeCapture):
            def read(self) -> tuple[bool, Any]:
                coded = self.asked.get(cv2.CAP_PROP_CONVERT_RGB) == 0.0
                return True, np.full((1, 900), 7, np.uint8) if coded else picture()

        capture = Odd([])
        camera = Webcam(0, clock=Hands().clock, opener=lambda index: capture, platform="linux")
        assert camera.read().size == (64, 48)
        assert capture.asked[cv2.CAP_PROP_CONVERT_RGB] == 1.0

    def test_a_damaged_jpeg_later_on_changes_nothing(self) -> None:
        coded = cv2.imencode(".jpg", picture())[1].reshape(1, -1)
        rubbish = np.full((1, 900), 7, np.uint8)
        camera, capture = self.camera([coded, *[rubbish] * 5, coded], on="linux")
        camera.read()
        assert camera.read().index == 1
        assert capture.asked[cv2.CAP_PROP_CONVERT_RGB] == 0.0

    def test_a_jpeg_of_which_bytes_were_overwritten_is_damaged_and_the_next_one_whole(self) -> None:
        noisy = np.random.default_rng(0).integers(0, 256, (240, 320, 3), dtype=np.uint8)
        whole, other = (cv2.imencode(".jpg", image)[1].tobytes() for image in (noisy, noisy[::-1]))
        hit = whole[: len(whole) // 2] + bytes([0xFF, 0xD4]) * 40 + whole[len(whole) // 2 + 80 :]
        coded = [np.frombuffer(one, np.uint8)[np.newaxis] for one in (whole, hit, other)]
        camera, _ = self.camera(coded, on="linux")
        frames = [camera.read() for _ in coded]
        assert [f.damaged for f in frames] == [False, True, False]
        assert [f.index for f in frames] == [0, 1, 2]
        assert frames[1].aged(2.0).damaged
        assert frames[1].restamped(7, 1.0).damaged
        assert (cv2.absdiff(frames[0].image, frames[1].image) > 16).any()
        source = PushedFrames(clock=Hands().clock)
        seen = []
        for one in (whole, hit, other):
            source.push(one)
            seen.append(source.read().damaged)
        assert seen == [False, True, False]

    def test_what_a_camera_codes_amiss_every_time_says_of_no_picture_that_it_is_damaged(self) -> None:
        """Bytes too many at the end of each: some webcams send as many as fit their packets."""
        rng = np.random.default_rng(0)
        pictures = [rng.integers(0, 256, (48, 64, 3), dtype=np.uint8) for _ in range(3 * MANNER)]
        coded = [cv2.imencode(".jpg", one)[1].tobytes() for one in pictures]
        padded = [np.frombuffer(one[:-2] + b"\x12" * 30 + one[-2:], np.uint8)[np.newaxis] for one in coded]
        camera, _ = self.camera(padded, on="linux")
        told = [camera.read().damaged for _ in padded]
        assert all(told[: MANNER // 2])
        assert not any(told[MANNER:])
        mixed = [
            np.frombuffer(one, np.uint8)[np.newaxis] if k % 3 else padded[k] for k, one in enumerate(coded)
        ]
        camera, _ = self.camera(mixed, on="linux")
        assert [camera.read().damaged for _ in mixed] == [k % 3 == 0 for k in range(len(mixed))]

    def test_a_stream_is_damaged_after_a_loss_for_as_long_as_no_whole_picture_comes(self) -> None:
        """Cameras in the network send a whole one every ten seconds, or less often."""

        class Lossy(FakeCapture):
            def read(self) -> tuple[bool, Any]:
                _, image = super().read()
                return image is not None, None if image is None else Decoded(image, None, damaged=True)

        rng = np.random.default_rng(0)
        shown = [rng.integers(0, 256, (48, 64, 3), dtype=np.uint8) for _ in range(3 * MANNER)]
        stream = Stream("rtsp://phone/1", clock=Hands().clock, opener=lambda _: Lossy(shown))
        assert all(stream.read().damaged for _ in shown)

    def test_one_picture_is_filled_while_another_is_handed_over(self) -> None:
        _, capture = self.camera([picture()])
        assert capture.asked[cv2.CAP_PROP_BUFFERSIZE] >= 2

    def test_a_dead_stream_says_what_to_check(self) -> None:
        stream = Stream("rtsp://anna:secret@phone/1", opener=lambda url: FakeCapture([picture()]))
        assert stream.read().source == stream.name == "rtsp://phone/1"
        with pytest.raises(SourceLost, match=r"from rtsp://phone/1. Check .* same network"):
            stream.read()

    @pytest.mark.parametrize(
        ("platform", "backend"),
        [
            ("linux", cv2.CAP_V4L2),
            ("darwin", cv2.CAP_AVFOUNDATION),
            ("win32", cv2.CAP_DSHOW),
            ("haiku", cv2.CAP_ANY),
        ],
    )
    def test_each_platform_has_its_backend(self, platform: str, backend: int) -> None:
        assert backend_for(platform) == backend


class TestCameraControls:
    def webcam(
        self, wish: CameraWish, platform: str = "linux", refuses: tuple[int, ...] = ()
    ) -> tuple[Webcam, Any]:
        class Lens(FakeCapture):
            def set(self, prop: int, value: float) -> bool:
                return prop not in refuses and super().set(prop, value)

        self.hands = Hands()
        rng = np.random.default_rng(0)
        capture = Lens([rng.integers(0, 256, (48, 64, 3), dtype=np.uint8) for _ in range(200)])
        capture.asked = {cv2.CAP_PROP_EXPOSURE: 157.0, cv2.CAP_PROP_FOCUS: 30.0}
        camera = Webcam(0, wish=wish, clock=self.hands.clock, opener=lambda index: capture, platform=platform)
        return camera, capture

    def test_another_size_than_asked_is_told_for_a_while(self) -> None:
        camera, _ = self.webcam(CameraWish(size=(1920, 1080)))
        camera.read()
        assert camera.notice == "Camera 0 gives 64x48 pixels instead of 1920x1080."
        self.hands.now += 60.0
        assert camera.notice is None

    def test_the_cameras_own_mode_is_left_alone(self) -> None:
        _, capture = self.webcam(CameraWish(size=None, fps=None))
        assert cv2.CAP_PROP_FRAME_WIDTH not in capture.asked
        assert cv2.CAP_PROP_FPS not in capture.asked

    @pytest.mark.parametrize(("platform", "manual", "auto"), [("linux", 1.0, 3.0), ("win32", 0.0, 1.0)])
    def test_locks_after_the_camera_has_settled(self, platform: str, manual: float, auto: float) -> None:
        camera, capture = self.webcam(CameraWish(size=(64, 48), focus="lock", exposure="lock"), platform)
        for _ in range(SETTLING):
            camera.read()
        assert cv2.CAP_PROP_AUTO_EXPOSURE not in capture.asked
        camera.read()
        assert capture.asked[cv2.CAP_PROP_AUTO_EXPOSURE] == manual
        assert capture.asked[cv2.CAP_PROP_AUTOFOCUS] == 0.0
        assert capture.asked[cv2.CAP_PROP_EXPOSURE] == 157.0
        assert camera.notice is None
        camera.ask_for(CameraWish(size=(64, 48), focus="lock", exposure="auto"))
        assert capture.asked[cv2.CAP_PROP_AUTO_EXPOSURE] == manual
        camera.read()
        assert capture.asked[cv2.CAP_PROP_AUTO_EXPOSURE] == auto
        assert capture.asked[cv2.CAP_PROP_AUTOFOCUS] == 0.0

    def test_only_what_was_asked_last_is_done(self) -> None:
        camera, capture = self.webcam(CameraWish(size=(64, 48)))
        for value in (3.0, 4.0, 5.0):
            camera.ask_for(CameraWish(size=(64, 48), exposure=value))
        camera.read()
        assert capture.asked[cv2.CAP_PROP_EXPOSURE] == 5.0
        assert camera.wish.exposure == 5.0

    def test_another_size_needs_the_camera_opened_anew(self) -> None:
        camera, capture = self.webcam(CameraWish(size=(64, 48)))
        camera.read()
        camera.ask_for(CameraWish(size=(1280, 720), fps=60.0))
        with pytest.raises(
            SourceLost, match="Camera 0 is being set to 1280x720 pixels, 60 pictures a second"
        ):
            camera.read()
        assert camera.wish.size == (1280, 720)
        assert capture.released == 1

    def test_a_number_is_set_at_once(self) -> None:
        _, capture = self.webcam(CameraWish(focus=12.0))
        assert capture.asked[cv2.CAP_PROP_AUTOFOCUS] == 0.0
        assert capture.asked[cv2.CAP_PROP_FOCUS] == 12.0

    def test_what_a_camera_does_not_offer_is_told(self) -> None:
        refuses = (cv2.CAP_PROP_AUTOFOCUS, cv2.CAP_PROP_EXPOSURE)
        camera, _ = self.webcam(CameraWish(size=(64, 48), exposure=5.0), refuses=refuses)
        camera.ask_for(CameraWish(size=(64, 48), exposure=5.0, focus="lock"))
        camera.read()
        assert camera.notice == (
            "Camera 0 does not take 5 for its exposure; it is locked where it was. "
            "Camera 0 does not let its focus be locked."
        )

    def test_each_platform_has_its_numbers(self) -> None:
        for platform in ("linux", "win32", "darwin"):
            focus, exposure = knobs_for(platform)
            assert (focus.what, exposure.what) == ("focus", "exposure")
            assert exposure.off != exposure.on


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_film(tmp_path_factory.mktemp("film") / "film.ts")


@contextmanager
def phone(kind: str, send: Callable[[Callable[[bytes], object]], object]) -> Iterator[str]:
    """The address of a stream that is served on this machine, as phone camera apps do it."""

    class Phone(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.end_headers()
            with suppress(ConnectionError):
                send(self.wfile.write)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Phone)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/video"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(120)


class TestStream:
    """A real HTTP stream on this machine."""

    def test_plays_and_is_lost_when_the_phone_stops(self) -> None:
        rng = np.random.default_rng(0)
        sent: list[bytes] = []

        def send(write: Callable[[bytes], object]) -> None:
            for _ in range(25):
                _, data = cv2.imencode(".jpg", rng.integers(0, 256, (48, 64, 3), dtype=np.uint8))
                sent.append(data.tobytes())
                head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
                write(head.encode() + data.tobytes() + b"\r\n")

        with phone("multipart/x-mixed-replace; boundary=frame", send) as address:
            ticks = itertools.count()
            source = open_source(address, clock=lambda: next(ticks) / 10)
            frames = [source.read() for _ in range(15)]
            assert {f.size for f in frames} == {(64, 48)}
            # The phone's own pictures, bit by bit.
            assert all(isinstance(f, JpegFrame) and f.coded in sent for f in frames)
            assert (np.diff([f.time for f in frames]) > 0).all()
            assert source.notice is None
            with pytest.raises(SourceLost, match="same network"):
                drain(source)

    @pytest.mark.parametrize("lost", [(), (14,), (40, 41, 55)])
    def test_what_is_lost_on_the_way_is_told_as_damaged(self, film: Path, lost: tuple[int, ...]) -> None:
        """Of H.264 in a transport stream, whose packets of 188 bytes get lost one by one."""
        packets = [film.read_bytes()[at : at + 188] for at in range(0, film.stat().st_size, 188)]
        kept = b"".join(packet for k, packet in enumerate(packets) if k not in lost)
        with phone("video/mp2t", lambda write: write(kept)) as address:
            source = open_source(address)
            whole = drain(VideoFile(film))
            frames = [source.read() for _ in whole]
        wrong = [bool((cv2.absdiff(f.grey, w.grey) > 16).any()) for f, w in zip(frames, whole, strict=True)]
        assert any(wrong) == bool(lost)
        assert all(f.damaged for f, amiss in zip(frames, wrong, strict=True) if amiss)
        # Until a whole picture comes, and no longer.
        assert [f.damaged for f in frames].count(False) >= (30 if not lost else 10)

    @pytest.mark.parametrize("lost", [None, (), (20,), (4, 60)])
    def test_a_network_camera_is_seen_by_tcp_and_what_it_loses_by_udp_is_told(
        self, film: Path, lost: tuple[int, ...] | None
    ) -> None:
        whole = drain(VideoFile(film))
        with rtsp_camera(film, udp=lost is not None, lost=lost or ()) as address:
            source = open_source(address)
            frames = [source.read() for _ in whole[:-1]]
            source.close()
        wrong = [bool((cv2.absdiff(f.grey, w.grey) > 16).any()) for f, w in zip(frames, whole, strict=False)]
        assert any(wrong) == bool(lost)
        assert all(f.damaged for f, amiss in zip(frames, wrong, strict=True) if amiss)
        assert [f.damaged for f in frames].count(False) >= (10 if lost else len(frames))

    def test_a_network_camera_that_refuses_says_what_to_do(self, film: Path) -> None:
        with rtsp_camera(film, login="anna:secret") as address:
            for given in (address, address.replace("//", "//anna:guessed@")):
                with pytest.raises(
                    SourceLost, match=rf"^{address} asks for a name and a password, or does not take"
                ) as told:
                    open_source(given)
                assert "guessed" not in str(told.value)
            source = open_source(address.replace("//", "//anna:secret@"))
            assert source.read().size == (320, 240)
            source.close()
        with rtsp_camera(film) as address, pytest.raises(SourceLost, match="is no address of the camera's"):
            open_source(address.replace("/live", "/other"))

    def test_one_that_falls_silent_is_lost(self, film: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("vision.sources.live.STREAM_SILENT_S", 0.2)
        read = threading.Event()

        def send(write: Callable[[bytes], object]) -> None:
            write(film.read_bytes()[: 188 * 100])
            read.wait()

        with phone("video/mp2t", send) as address:
            try:
                with pytest.raises(SourceLost, match="same network"):
                    drain(open_source(address))
            finally:
                read.set()


class Camera:
    """A webcam that offers some sizes, snaps to the nearest one, and shows one grey."""

    def __init__(
        self, there: bool = True, sizes: tuple[tuple[int, int], ...] = ((640, 480), (1280, 720))
    ) -> None:
        self.there = there
        self.sizes = sizes
        self.size = sizes[0]
        self.width = sizes[0][0]
        self.released = 0

    def isOpened(self) -> bool:
        return self.there

    def read(self) -> tuple[bool, Any]:
        return True, np.full((self.size[1], self.size[0], 3), 120, np.uint8)

    def set(self, prop: int, value: float) -> bool:
        if prop == cv2.CAP_PROP_FRAME_WIDTH:
            self.size = min(self.sizes, key=lambda size: abs(size[0] - value))
        return True

    def get(self, prop: int) -> float:
        return float(self.size[0] if prop == cv2.CAP_PROP_FRAME_WIDTH else self.size[1])

    def release(self) -> None:
        self.released += 1


def node(sysfs: Path, number: int, name: str, index: str | None) -> None:
    folder = sysfs / f"video{number}"
    folder.mkdir(parents=True)
    (folder / "name").write_text(name + "\n", encoding="utf-8")
    if index is not None:
        (folder / "index").write_text(index + "\n", encoding="utf-8")


class TestList:
    def test_linux_names_cameras_and_leaves_out_metadata_nodes(self, tmp_path: Path) -> None:
        node(tmp_path, 10, "USB Microscope", "0")
        node(tmp_path, 0, "HD Pro Webcam C920", "0")
        node(tmp_path, 1, "HD Pro Webcam C920", "1")
        node(tmp_path, 2, "", None)
        (tmp_path / "v4l-subdev0").mkdir()
        assert list_webcams(platform="linux", sysfs=tmp_path) == (
            Device(0, "HD Pro Webcam C920"),
            Device(2, "Camera 2"),
            Device(10, "USB Microscope"),
        )

    def test_elsewhere_the_package_names_them(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        asked: list[int] = []

        def enumerate_cameras(backend: int) -> list[SimpleNamespace]:
            asked.append(backend)
            return [SimpleNamespace(index=0, name="FaceTime HD"), SimpleNamespace(index=1, name="iPhone")]

        package = SimpleNamespace(enumerate_cameras=enumerate_cameras)
        monkeypatch.setitem(sys.modules, "cv2_enumerate_cameras", package)
        assert list_webcams(platform="darwin") == (Device(0, "FaceTime HD"), Device(1, "iPhone"))
        assert asked == [cv2.CAP_AVFOUNDATION]

    def test_without_names_every_number_is_tried(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "cv2_enumerate_cameras", None)
        cameras = {0: Camera(), 2: Camera()}
        tried: list[int] = []

        def opener(index: int) -> Camera:
            tried.append(index)
            return cameras.get(index, Camera(there=False))

        found = list_webcams(platform="win32", opener=opener)
        assert found == (Device(0, "Camera 0"), Device(2, "Camera 2"))
        assert tried == [0, 1, 2, 3, 4]
        assert all(camera.released == 1 for camera in cameras.values())
        assert found[1].spec == "2"


class TestThumbnail:
    def test_is_a_small_picture_in_the_cameras_shape(self) -> None:
        camera = Camera(sizes=((1280, 720),))
        data = thumbnail(0, width=160, opener=lambda index: camera)
        assert data is not None
        picture = decode_picture(data)
        assert picture is not None
        assert picture.shape == (90, 160, 3)
        assert abs(int(picture[40, 80, 0]) - 120) < 4
        assert camera.released == 1

    def test_a_camera_in_use_has_none(self) -> None:
        camera = Camera(there=False)
        assert thumbnail(0, opener=lambda index: camera) is None
        assert camera.released == 1


class TestSizes:
    def test_only_what_the_camera_takes_is_offered(self) -> None:
        camera = Camera(sizes=((640, 480), (1280, 720), (1920, 1080)))
        assert offered_sizes(0, opener=lambda index: camera) == ((640, 480), (1280, 720), (1920, 1080))
        assert camera.released == 1

    def test_a_missing_camera_offers_nothing(self) -> None:
        assert offered_sizes(0, opener=lambda index: Camera(there=False)) == ()


class TestSameWebcam:
    def test_a_replugged_camera_is_found_under_its_new_number(self) -> None:
        there = [
            (Device(0, "Laptop"), Device(2, "C920")),
            (Device(0, "Laptop"),),
            (Device(0, "Laptop"), Device(3, "C920")),
            (Device(0, "Laptop"), Device(3, "C920")),
        ]
        same = SameWebcam(2, lambda: there.pop(0))
        assert [same.find() for _ in range(4)] == [2, 2, 3, 3]

    def test_another_camera_in_its_place_is_not_taken_for_it(self) -> None:
        there = [(Device(0, "C920"), Device(1, "Laptop")), (Device(0, "Laptop"), Device(1, "C920"))]
        same = SameWebcam(0, lambda: there.pop(0))
        assert [same.find(), same.find()] == [0, 1]

    def test_of_two_alike_neither_is_guessed(self) -> None:
        there = [(Device(0, "C920"),), (Device(1, "C920"), Device(2, "C920"))]
        same = SameWebcam(0, lambda: there.pop(0))
        assert [same.find(), same.find()] == [0, 0]

    def test_without_names_the_number_stays(self) -> None:
        same = SameWebcam(1, lambda: None)
        assert [same.find(), same.find()] == [1, 1]
