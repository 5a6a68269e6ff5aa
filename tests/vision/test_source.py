from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from engine.errors import TableRefError
from vision.frame import Frame
from vision.source import (
    CameraWish,
    Gap,
    Paced,
    PushedFrames,
    Retrying,
    Source,
    SourceEnded,
    SourceLost,
    SourceRefused,
    ask,
    open_source,
    play_source,
)
from vision.sources.files import Pictures, VideoFile, picture_size
from vision.sources.live import SETTLING, Stream, Webcam, backend_for, knobs_for

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
CLIP = SHARED / "renders" / "opening-round" / "opening-round.mp4"


def picture(width: int = 64, height: int = 48, value: int = 90) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.full((height, width, 3), value, dtype=np.uint8)


def write(path: Path, width: int = 64, height: int = 48, value: int = 90) -> Path:
    assert cv2.imwrite(str(path), picture(width, height, value))
    return path


def write_video(path: Path, frames: int = 12, fps: float = 10.0) -> Path:
    """A small video whose frame n has the grey value 20 n."""
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), fps, (64, 48))
    assert writer.isOpened()
    for n in range(frames):
        writer.write(picture(value=20 * n % 256))
    writer.release()
    return path


class Hands:
    """A clock that only moves when somebody sleeps or `passes` is called."""

    def __init__(self) -> None:
        self.now = 100.0
        self.naps: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.naps.append(seconds)
        self.now += seconds


class FakeCapture:
    """Answers like OpenCV's VideoCapture from a list of pictures (None is a failed read)."""

    def __init__(self, answers: list[Any], opened: bool = True) -> None:
        self.answers = list(answers)
        self.opened = opened
        self.released = 0
        self.asked: dict[int, float] = {}

    def isOpened(self) -> bool:
        return self.opened

    def read(self) -> tuple[bool, Any]:
        answer = self.answers.pop(0) if self.answers else None
        return answer is not None, answer

    def set(self, prop: int, value: float) -> bool:
        self.asked[prop] = value
        return True

    def get(self, prop: int) -> float:
        return self.asked.get(prop, 0.0)

    def release(self) -> None:
        self.released += 1


class Listed:
    """A source that plays a list: numbers are frame times, exceptions are raised."""

    notice = None

    def __init__(
        self, items: list[float | Exception], live: bool = False, cost: Callable[[], None] | None = None
    ):
        self.name = "clip"
        self.live = live
        self.items = list(items)
        self.index = 0
        self.closed = 0
        self.cost = cost

    def read(self) -> Frame:
        if not self.items:
            raise SourceEnded
        item = self.items.pop(0)
        if isinstance(item, Exception):
            raise item
        if self.cost is not None:
            self.cost()
        self.index += 1
        return Frame(picture(), item, self.index - 1, self.name)

    def close(self) -> None:
        self.closed += 1


def drain(source: Source) -> list[Frame]:
    frames = []
    while True:
        try:
            frames.append(source.read())
        except SourceEnded:
            return frames


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
        asked = ask(typed)
        assert (asked.kind, asked.what, asked.live) == (kind, what, live)

    @pytest.mark.parametrize(
        ("name", "kind"), [("a.JPG", "pictures"), ("b.png", "pictures"), ("c.mp4", "video")]
    )
    def test_tells_files_by_their_ending(self, tmp_path: Path, name: str, kind: str) -> None:
        path = tmp_path / name
        path.write_bytes(b"x")
        assert ask(str(path)).kind == kind
        assert ask(str(tmp_path)).kind == "pictures"

    @pytest.mark.parametrize(
        ("typed", "says"),
        [
            ("", "is not a source"),
            ("ftp://host/file.jpg", "is not a source"),
            ("nowhere.jpg", "there is no file"),
            ("kitchen", "neither a camera nor a file"),
            ("-1", "neither a camera nor a file"),
        ],
    )
    def test_refuses_the_rest_and_says_what_is_accepted(self, typed: str, says: str) -> None:
        with pytest.raises(SourceRefused, match=says) as caught:
            ask(typed)
        assert "Expected a camera's number" in str(caught.value)

    def test_refuses_an_unknown_kind_of_file(self, tmp_path: Path) -> None:
        (tmp_path / "rules.pdf").write_bytes(b"%PDF")
        with pytest.raises(SourceRefused, match=r"unknown kind \(\.pdf\)"):
            open_source(str(tmp_path / "rules.pdf"))


class TestPictures:
    def test_a_photo_is_one_frame_at_time_zero(self, tmp_path: Path) -> None:
        frames = drain(open_source(str(write(tmp_path / "photo.png", 64, 48, 77))))
        assert [(f.time, f.index, f.size, f.source) for f in frames] == [(0.0, 0, (64, 48), "photo.png")]
        assert frames[0].image.shape == (48, 64, 3)
        assert int(frames[0].image[0, 0, 0]) == 77

    def test_a_folder_is_sorted_and_timed(self, tmp_path: Path) -> None:
        for name, value in (("f02.png", 2), ("f10.png", 10), ("f01.png", 1)):
            write(tmp_path / name, value=value)
        (tmp_path / "truth.json").write_text("{}", encoding="utf-8")
        frames = drain(open_source(str(tmp_path), fps=4.0))
        assert [int(f.image[0, 0, 0]) for f in frames] == [1, 2, 10]
        assert [f.time for f in frames] == [0.0, 0.25, 0.5]

    def test_loop_runs_on_in_time(self, tmp_path: Path) -> None:
        write(tmp_path / "a.png", value=1)
        write(tmp_path / "b.png", value=2)
        source = Pictures(tmp_path, fps=10.0, loop=True)
        frames = [source.read() for _ in range(5)]
        assert [int(f.image[0, 0, 0]) for f in frames] == [1, 2, 1, 2, 1]
        assert np.diff([f.time for f in frames]) == pytest.approx([0.1] * 4)

    def test_mixed_sizes_are_refused_by_name(self, tmp_path: Path) -> None:
        write(tmp_path / "a.jpg", 64, 48)
        write(tmp_path / "b.png", 64, 50)
        with pytest.raises(SourceRefused, match=r"a\.jpg has 64x48 pixels but b\.png has 64x50"):
            open_source(str(tmp_path))

    def test_an_empty_folder_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(SourceRefused, match="no picture"):
            open_source(str(tmp_path))

    @pytest.mark.parametrize("ending", [".jpg", ".png", ".bmp", ".webp"])
    def test_size_from_the_head_agrees_with_the_picture(self, tmp_path: Path, ending: str) -> None:
        assert picture_size(write(tmp_path / f"x{ending}", 123, 45)) == (123, 45)

    def test_a_damaged_picture_is_refused_and_a_removed_one_is_lost(self, tmp_path: Path) -> None:
        bad = tmp_path / "bad.jpg"
        bad.write_bytes(b"\xff\xd8\xff\xe0 not a picture")
        with pytest.raises(SourceRefused, match="damaged"):
            open_source(str(bad)).read()
        photo = write(tmp_path / "ok.png")
        source = open_source(str(photo))
        photo.unlink()
        with pytest.raises(SourceLost, match="Put it back"):
            source.read()

    def test_closed_means_ended(self, tmp_path: Path) -> None:
        source = open_source(str(write(tmp_path / "a.png")), loop=True)
        source.close()
        source.close()
        with pytest.raises(SourceEnded):
            source.read()


class TestVideo:
    def test_frames_carry_the_streams_times(self, tmp_path: Path) -> None:
        source = open_source(str(write_video(tmp_path / "clip.mp4", frames=6, fps=8.0)))
        frames = drain(source)
        assert [f.time for f in frames] == pytest.approx([n / 8 for n in range(6)], abs=1e-3)
        assert [float(f.image.mean()) for f in frames] == pytest.approx([20 * n for n in range(6)], abs=4)
        assert source.notice is None

    def test_loop_restarts_and_time_runs_on(self, tmp_path: Path) -> None:
        source = VideoFile(write_video(tmp_path / "clip.mp4", frames=4, fps=10.0), loop=True)
        frames = [source.read() for _ in range(10)]
        assert [round(float(f.image.mean()) / 20) for f in frames] == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]
        assert np.diff([f.time for f in frames]) == pytest.approx([0.1] * 9, abs=1e-3)
        assert [f.index for f in frames] == list(range(10))
        source.close()

    def test_what_is_no_video_is_refused_and_a_missing_one_lost(self, tmp_path: Path) -> None:
        bad = tmp_path / "bad.mp4"
        bad.write_bytes(b"no video at all")
        with pytest.raises(SourceRefused, match="cannot be played"):
            open_source(str(bad))
        with pytest.raises(SourceLost, match="gone"):
            VideoFile(tmp_path / "missing.mp4")

    def test_a_file_that_breaks_off_says_so(self, tmp_path: Path) -> None:
        whole = tmp_path / "clip.avi"
        writer = cv2.VideoWriter(str(whole), cv2.VideoWriter.fourcc(*"MJPG"), 10.0, (64, 48))
        rng = np.random.default_rng(1)
        for _ in range(20):
            writer.write(rng.integers(0, 256, (48, 64, 3), dtype=np.uint8))
        writer.release()
        data = whole.read_bytes()
        cut = tmp_path / "cut.avi"
        cut.write_bytes(data[: len(data) // 2])
        source = VideoFile(cut)
        source.frames = 20
        assert 0 < len(drain(source)) < 19
        assert source.notice is not None
        assert "broke off" in source.notice

    def test_an_h264_clip_plays(self) -> None:
        if not CLIP.exists():
            pytest.skip("shared/renders is not beside the repository")
        source = open_source(str(CLIP))
        frames = [source.read() for _ in range(3)]
        assert [f.time for f in frames] == pytest.approx([0.0, 0.1, 0.2])
        assert frames[2].size == (1920, 1080)
        source.close()


class TestLive:
    def camera(self, answers: list[Any], hands: Hands | None = None) -> tuple[Webcam, FakeCapture]:
        capture = FakeCapture(answers)
        clock = (hands or Hands()).clock
        wish = CameraWish(size=(64, 48))
        return Webcam(0, wish=wish, clock=clock, opener=lambda index: capture), capture

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
        assert dict(told) == {n / 2: n >= 4 for n in range(20)}
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

    def test_a_dead_stream_says_what_to_check(self) -> None:
        stream = Stream("rtsp://phone/1", opener=lambda url: FakeCapture([picture()]))
        stream.read()
        with pytest.raises(SourceLost, match="same network"):
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
        assert camera.release("exposure")
        assert capture.asked[cv2.CAP_PROP_AUTO_EXPOSURE] == auto

    def test_a_number_is_set_at_once(self) -> None:
        _, capture = self.webcam(CameraWish(focus=12.0))
        assert capture.asked[cv2.CAP_PROP_AUTOFOCUS] == 0.0
        assert capture.asked[cv2.CAP_PROP_FOCUS] == 12.0

    def test_what_a_camera_does_not_offer_is_told(self) -> None:
        refuses = (cv2.CAP_PROP_AUTOFOCUS, cv2.CAP_PROP_EXPOSURE)
        camera, _ = self.webcam(CameraWish(size=(64, 48), exposure=5.0), refuses=refuses)
        assert not camera.lock("focus")
        assert camera.notice == (
            "Camera 0 does not take 5 for its exposure; it is locked where it was. "
            "Camera 0 does not let its focus be locked."
        )
        with pytest.raises(TableRefError, match="focus and exposure"):
            camera.lock("zoom")

    def test_each_platform_has_its_numbers(self) -> None:
        for platform in ("linux", "win32", "darwin"):
            focus, exposure = knobs_for(platform)
            assert (focus.what, exposure.what) == ("focus", "exposure")
            assert exposure.off != exposure.on


class TestStream:
    """A real HTTP motion JPEG stream, as phone camera apps serve it, on this machine."""

    def test_plays_and_is_lost_when_the_phone_stops(self) -> None:
        rng = np.random.default_rng(0)
        stop = threading.Event()

        class Phone(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
                self.end_headers()
                for _ in range(25):
                    _, data = cv2.imencode(".jpg", rng.integers(0, 256, (48, 64, 3), dtype=np.uint8))
                    head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
                    self.wfile.write(head.encode() + data.tobytes() + b"\r\n")

            def log_message(self, *_: object) -> None:
                stop.is_set()

        server = ThreadingHTTPServer(("127.0.0.1", 0), Phone)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            ticks = itertools.count()
            source = open_source(
                f"http://127.0.0.1:{server.server_port}/video", clock=lambda: next(ticks) / 10
            )
            frames = [source.read() for _ in range(15)]
            assert {f.size for f in frames} == {(64, 48)}
            assert (np.diff([f.time for f in frames]) > 0).all()
            assert source.notice is None
            with pytest.raises(SourceLost, match="same network"):
                drain(source)
        finally:
            server.shutdown()
            server.server_close()
            thread.join(5.0)


class TestPaced:
    def test_plays_at_the_clips_own_speed(self) -> None:
        hands = Hands()
        source = Paced(Listed([5.0, 5.1, 5.3]), clock=hands.clock, sleep=hands.sleep)
        shown = []
        for _ in range(3):
            frame = source.read()
            shown.append((frame.time, round(hands.now, 6)))
        assert shown == [(5.0, 100.0), (5.1, 100.1), (5.3, 100.3)]

    def test_a_slow_reader_gets_the_newest_frame_that_is_due(self) -> None:
        hands = Hands()
        source = Paced(Listed([n / 10 for n in range(12)]), clock=hands.clock, sleep=hands.sleep)
        times = []
        for _ in range(4):
            times.append(source.read().time)
            hands.now += 0.36
        assert times == [0.0, 0.3, 0.7, 1.0]
        assert source.dropped == 7

    def test_the_last_frame_is_never_lost(self) -> None:
        hands = Hands()
        source = Paced(Listed([0.0, 0.1, 0.2]), clock=hands.clock, sleep=hands.sleep)
        source.read()
        hands.now += 60.0
        assert source.read().time == 0.2
        with pytest.raises(SourceEnded):
            source.read()

    def test_half_speed_takes_twice_as_long(self) -> None:
        hands = Hands()
        source = Paced(Listed([0.0, 1.0]), speed=0.5, clock=hands.clock, sleep=hands.sleep)
        source.read()
        source.read()
        assert hands.now == pytest.approx(102.0)

    def test_a_machine_that_cannot_keep_up_is_slowed_down_and_told(self) -> None:
        hands = Hands()

        def slow() -> None:
            hands.now += 0.4

        source = Paced(Listed([n / 10 for n in range(100)], cost=slow), clock=hands.clock, sleep=hands.sleep)
        times = [source.read().time for _ in range(5)]
        assert times == sorted(times)
        assert source.notice is not None
        assert "slowed down" in source.notice


class TestRetrying:
    def retrying(
        self, *lives: Listed | Exception, hands: Hands | None = None
    ) -> tuple[Retrying, list[str], Hands]:
        """A source whose n-th opening gives the n-th of `lives`."""
        hands = hands or Hands()
        queue = list(lives)
        told: list[str] = []

        def opener() -> Source:
            life = queue.pop(0)
            if isinstance(life, Exception):
                raise life
            return life

        source = Retrying(opener, "camera 0", clock=hands.clock, sleep=hands.sleep, tell=told.append)
        return source, told, hands

    def test_a_lost_camera_is_opened_again_and_every_step_is_told(self) -> None:
        gone = SourceLost("No picture comes from camera 0.")
        first = Listed([1.0, gone], live=True)
        source, told, hands = self.retrying(first, gone, gone, Listed([9.0, 9.1], live=True))
        frames = [source.read() for _ in range(3)]
        assert [(f.index, f.time) for f in frames] == [(0, 1.0), (1, 9.0), (2, 9.1)]
        assert told == [
            "No picture comes from camera 0. Trying again in 0.5 s (attempt 1).",
            "No picture comes from camera 0. Trying again in 1 s (attempt 2).",
            "No picture comes from camera 0. Trying again in 2 s (attempt 3).",
            "Camera 0 is back after 4 s.",
        ]
        assert first.closed == 1
        assert source.losses == 1
        assert source.notice is None
        assert max(hands.naps) <= 0.25

    def test_the_pause_stops_growing(self) -> None:
        gone = SourceLost("gone.")
        source, told, hands = self.retrying(*[gone] * 9, Listed([0.0]))
        source.read()
        assert hands.now - 100.0 == pytest.approx(0.5 + 1 + 2 + 4 + 8 * 5)
        assert told[-2].endswith("Trying again in 8 s (attempt 9).")

    def test_time_never_runs_backwards_over_a_loss(self) -> None:
        source, _, _ = self.retrying(Listed([5.0, SourceLost("gone.")]), Listed([0.0, 6.0]))
        assert [source.read().time for _ in range(3)] == [5.0, 5.0, 6.0]

    def test_the_gap_is_remembered(self) -> None:
        source, _, _ = self.retrying(Listed([5.0, SourceLost("cable out.")]), Listed([8.0, 8.1]))
        for _ in range(3):
            source.read()
        assert source.gaps == (Gap(5.0, 8.0, "cable out."),)

    def test_a_camera_that_was_not_there_at_first_leaves_no_gap(self) -> None:
        source, told, _ = self.retrying(SourceLost("gone."), Listed([8.0]))
        source.read()
        assert source.gaps == ()
        assert told[-1] == "Camera 0 is back after 0 s."

    def test_what_can_never_work_is_not_tried_again(self) -> None:
        source, told, _ = self.retrying(SourceRefused("no"))
        with pytest.raises(SourceRefused):
            source.read()
        assert told == []

    def test_a_size_that_changed_over_the_loss_is_told(self) -> None:
        class Small(Listed):
            def read(self) -> Frame:
                frame = super().read()
                return Frame(picture(32, 24), frame.time, frame.index)

        source, _, _ = self.retrying(Listed([0.0, SourceLost("gone.")]), Small([1.0]))
        source.read()
        source.read()
        assert source.notice is not None
        assert "32x24" in source.notice

    def test_closing_ends_the_waiting(self) -> None:
        hands = Hands()
        source, _, _ = self.retrying(*[SourceLost("gone.")] * 5, hands=hands)
        naps = 0

        def sleep(seconds: float) -> None:
            nonlocal naps
            naps += 1
            hands.now += seconds
            if naps == 3:
                source.close()

        source._sleep = sleep
        with pytest.raises(SourceEnded):
            source.read()
        assert naps == 3

    def test_closing_from_another_thread_waits_for_nobody(self) -> None:
        reading, let_go = threading.Event(), threading.Event()

        class Slow(Listed):
            def read(self) -> Frame:
                reading.set()
                assert let_go.wait(5.0)
                return super().read()

        inner = Slow([0.0], live=True)
        source, _, _ = self.retrying(inner)
        ended: list[bool] = []

        def reader() -> None:
            try:
                source.read()
            except SourceEnded:
                ended.append(True)

        thread = threading.Thread(target=reader)
        thread.start()
        assert reading.wait(5.0)
        source.close()
        assert inner.closed == 0
        let_go.set()
        thread.join(5.0)
        assert ended == [True]
        assert inner.closed == 1


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

    def test_refuses_at_once_what_is_no_source(self) -> None:
        with pytest.raises(SourceRefused):
            play_source("nonsense")
