from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.vision.sources.fakes import drain, write, write_video
from vision.source import SourceEnded, SourceLost, SourceRefused, open_source
from vision.sources.files import Pictures, VideoFile, picture_size

SHARED = Path(__file__).resolve().parents[3].parent / "shared"
CLIP = SHARED / "renders" / "opening-round" / "opening-round.mp4"


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
