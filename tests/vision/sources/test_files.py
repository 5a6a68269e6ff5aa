"""Sources that need no camera: files, what is pushed to us, and wrappers round another one."""

from __future__ import annotations

import threading
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import pytest

from calibration.jpeg import decode_jpeg
from calibration.lens.target import read_grey
from tests.vision.sources.fakes import Hands, Listed, drain, picture, write, write_video
from vision.frame import Frame, JpegFrame
from vision.source import (
    Gap,
    Paced,
    PushedFrames,
    Retrying,
    Source,
    SourceEnded,
    SourceLost,
    SourceRefused,
    open_source,
)
from vision.sources import decoding
from vision.sources.files import Pictures, VideoFile, picture_size

SHARED = Path(__file__).resolve().parents[3].parent / "shared"
CLIP = SHARED / "renders" / "opening-round" / "opening-round.mp4"


def _write_noise(path: Path, times_ms: list[int]) -> None:
    """A video of random pictures, shown at these times, milliseconds."""
    rng = np.random.default_rng(1)
    with av.open(str(path), "w") as out:
        stream = out.add_stream("mpeg4", rate=30)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        stream.time_base = stream.codec_context.time_base = Fraction(1, 1000)
        for at in times_ms:
            noise = rng.integers(0, 256, (48, 64, 3), dtype=np.uint8)
            frame = av.VideoFrame.from_ndarray(noise, "bgr24")
            frame.pts, frame.time_base = at, Fraction(1, 1000)
            out.mux(stream.encode(frame))
        out.mux(stream.encode())


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

    def test_what_is_wrong_with_a_picture_is_told_in_our_words_and_in_no_decoders(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
    ) -> None:
        """OpenCV's library wrote *Corrupt JPEG data* past everything to the terminal."""
        whole = cv2.imencode(".jpg", np.full((48, 64, 3), 90, np.uint8))[1].tobytes()
        photo = tmp_path / "odd.jpg"
        photo.write_bytes(whole[:-2] + bytes(range(1, 40)) + whole[-2:])
        frame = open_source(str(photo)).read()
        assert frame.image.shape == (48, 64, 3)
        assert f"{photo} is damaged, and a part of what it shows may be made up" in caplog.text
        assert read_grey(photo).shape == (48, 64)
        assert decode_jpeg(photo.read_bytes(), "GRAY") is not None
        assert JpegFrame(photo.read_bytes(), 0.0, 0).image.shape == (48, 64, 3)
        assert capfd.readouterr() == ("", "")
        caplog.clear()
        # Some cameras put a few bytes too many before the end, and nothing is lost by them.
        for right in (whole, whole[:-2] + bytes(range(1, 12)) + whole[-2:]):
            photo.write_bytes(right)
            assert (open_source(str(photo)).read().image == decode_jpeg(whole, "BGR")).all()
            assert not caplog.records

    def test_closed_means_ended(self, tmp_path: Path) -> None:
        source = open_source(str(write(tmp_path / "a.png")), loop=True)
        source.close()
        source.close()
        with pytest.raises(SourceEnded):
            source.read()


class TestVideo:
    def test_a_thread_that_decodes_beside_another_would_hold_pictures_of_its_own(
        self, tmp_path: Path
    ) -> None:
        path = write_video(tmp_path / "clip.mp4")
        threads = []
        for pixels in (decoding.ONE_THREAD_PX, 0):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(decoding, "ONE_THREAD_PX", pixels)
                clip = VideoFile(path)
            assert clip._decoder is not None
            threads.append(clip._decoder.threads)
            clip.close()
        assert threads == [1, 2]

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

    @pytest.mark.parametrize("begins_s", [0, 5])
    @pytest.mark.parametrize(("kept", "told"), [(1.0, False), (0.5, True)])
    def test_frames_that_are_unevenly_far_apart_are_no_damage(
        self, kept: float, told: bool, begins_s: int, tmp_path: Path
    ) -> None:
        """As a phone records them; Matroska keeps no count of frames, and FFmpeg makes one up."""
        path = tmp_path / "phone.mkv"
        times = np.cumsum([1000 * begins_s, *([33, 100, 33, 200, 67] * 12)])
        _write_noise(path, times.tolist())
        data = path.read_bytes()
        path.write_bytes(data[: round(kept * len(data))])
        source = VideoFile(path)
        source.frames = max(source.frames, len(times) + 15)
        source.fps = source.frames / (times[-1] / 1000)
        assert 0 < len(drain(source)) <= len(times)
        assert (source.notice is not None) is told

    def test_a_rate_that_is_a_clocks_counts_no_frames(self, tmp_path: Path) -> None:
        path = tmp_path / "ticks.avi"
        _write_noise(path, [round(1000 * k / 30) for k in range(40)])
        source = VideoFile(path)
        assert source.frames > 1000
        assert len(drain(source)) == 40
        assert source.notice is None

    def test_the_shared_clip_of_uneven_times_is_whole(self, shared: Path) -> None:
        source = open_source(str(shared / "cases" / "vfr-mkv" / "vfr.mkv"))
        assert len(drain(source)) == 70
        assert source.notice is None

    def test_an_h264_clip_plays(self) -> None:
        if not CLIP.exists():
            pytest.skip("shared/renders is not beside the repository")
        source = open_source(str(CLIP))
        frames = [source.read() for _ in range(3)]
        assert [f.time for f in frames] == pytest.approx([0.0, 0.1, 0.2])
        assert frames[2].size == (1920, 1080)
        source.close()


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

    def test_a_file_that_begins_anew_goes_on_in_time_and_number(self) -> None:
        source, _, _ = self.retrying(Listed([4.9, 5.0, SourceLost("gone.")]), Listed([0.0, 0.1]))
        frames = [source.read() for _ in range(4)]
        assert [f.time for f in frames] == pytest.approx([4.9, 5.0, 5.5, 5.6])
        assert [f.index for f in frames] == [0, 1, 2, 3]

    def test_dropped_frames_keep_their_numbers(self) -> None:
        hands = Hands()
        clip = Paced(Listed([n / 10 for n in range(12)]), clock=hands.clock, sleep=hands.sleep)
        source = Retrying(lambda: clip, "clip", clock=hands.clock, sleep=hands.sleep)
        indices = []
        for _ in range(3):
            indices.append(source.read().index)
            hands.now += 0.36
        assert indices == [0, 3, 7]

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
                assert let_go.wait(120)
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
        assert reading.wait(120)
        source.close()
        assert inner.closed == 0
        let_go.set()
        thread.join(120)
        assert ended == [True]
        assert inner.closed == 1


def jpeg(value: int = 90, width: int = 64, height: int = 48, ending: str = ".jpg") -> bytes:
    ok, data = cv2.imencode(ending, np.full((height, width, 3), value, np.uint8))
    assert ok
    return data.tobytes()


class Clock:
    now = 10.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def phone(clock: Clock) -> PushedFrames:
    return PushedFrames(clock=clock)


def grey(frame: Any) -> int:
    return int(frame.image[20, 20, 0])


def test_pictures_arrive_stamped_and_in_order(phone: PushedFrames, clock: Clock) -> None:
    frames = []
    for n in range(3):
        clock.now = 10.0 + n
        assert phone.push(jpeg(50 * n + 20), delay=0.25)
        frames.append(phone.read())
    assert [f.time for f in frames] == [9.75, 10.75, 11.75]
    assert [f.index for f in frames] == [0, 1, 2]
    assert [grey(f) for f in frames] == pytest.approx([20, 70, 120], abs=2)


def test_a_jpeg_is_decoded_to_colour_only_when_somebody_looks(phone: PushedFrames) -> None:
    phone.push(jpeg(120))
    frame = phone.read()
    assert "image" not in vars(frame)
    assert frame.grey[20, 20] == pytest.approx(120, abs=2)
    phone.push(jpeg(60, ending=".png"))
    assert grey(phone.read()) == 60


def test_the_newest_wins_and_nothing_queues_up(phone: PushedFrames) -> None:
    for value in (20, 90, 160):
        phone.push(jpeg(value))
    assert grey(phone.read()) == pytest.approx(160, abs=2)
    assert phone.dropped == 2


def test_times_never_run_backwards(phone: PushedFrames, clock: Clock) -> None:
    phone.push(jpeg(), delay=0.0)
    first = phone.read().time
    clock.now += 0.1
    phone.push(jpeg(), delay=5.0)
    assert phone.read().time == first


@pytest.mark.parametrize("data", [b"", b"hello", jpeg()[:-40], jpeg(ending=".png")[:-12]])
def test_damaged_pictures_are_refused_and_told(phone: PushedFrames, data: bytes) -> None:
    assert not phone.push(data)
    assert phone.damaged == 1
    assert phone.notice is not None
    assert "damaged" in phone.notice
    assert phone.push(jpeg())
    phone.read()
    assert phone.notice is None


def test_png_and_padded_jpeg_are_whole(phone: PushedFrames) -> None:
    assert phone.push(jpeg(ending=".png"))
    assert phone.push(jpeg() + bytes(3))
    assert phone.read().size == (64, 48)


def test_what_only_looks_like_a_picture_is_passed_over(phone: PushedFrames) -> None:
    assert phone.push(b"\xff\xd8 nothing inside \xff\xd9")
    timer = threading.Timer(0.05, phone.push, [jpeg(77)])
    timer.start()
    assert grey(phone.read()) == pytest.approx(77, abs=2)
    assert phone.damaged == 1
    timer.join()


def test_says_what_to_do_while_nothing_comes(phone: PushedFrames, clock: Clock) -> None:
    assert phone.notice == (
        "Waiting for the first picture from the phone. Open its camera page and allow the camera."
    )
    phone.push(jpeg())
    assert phone.notice is None
    clock.now += 5.0
    assert (
        phone.notice == "The phone has sent no picture for 5 s. Keep its camera page open and its screen on."
    )


def test_a_turned_phone_is_told(phone: PushedFrames) -> None:
    phone.push(jpeg())
    phone.read()
    phone.push(jpeg(width=48, height=64))
    assert phone.read().size == (48, 64)
    assert phone.notice is not None
    assert "from 64x48 to 48x64" in phone.notice


def test_a_waiting_reader_is_let_go(phone: PushedFrames) -> None:
    ended = threading.Event()

    def reader() -> None:
        try:
            phone.read()
        except SourceEnded:
            ended.set()

    thread = threading.Thread(target=reader)
    thread.start()
    phone.close()
    phone.close()
    thread.join(120)
    assert ended.is_set()


def test_after_closing_nothing_is_read(phone: PushedFrames) -> None:
    phone.close()
    with pytest.raises(SourceEnded):
        phone.read()


def test_a_phone_that_sends_old_pictures_or_the_same_again_is_told(phone: PushedFrames, clock: Clock) -> None:

    def read(value: int, delay: float = 0.0) -> tuple[bool, float, bool]:
        clock.now += 0.5
        phone.push(jpeg(value), delay=delay)
        frame = phone.read()
        return frame.repeated, round(frame.old, 3), phone.notice is not None

    assert read(20) == (False, 0.0, False)
    assert read(60, delay=2.0) == (False, 2.0, True)
    assert phone.notice is not None
    assert "The phone's pictures come 2.0 s late" in phone.notice
    assert read(90) == (False, 0.0, False)
    assert [read(90) for _ in range(3)] == [(True, 0.5, False), (True, 1.0, True), (True, 1.5, True)]
    assert phone.notice is not None
    assert "has stood still for" in phone.notice
    assert read(20) == (False, 0.0, False)
