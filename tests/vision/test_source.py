from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import cv2
import pytest

from tests.vision.sources.fakes import FakeCapture, Hands, drain, picture, write, write_video
from vision.simulate.__main__ import _parser
from vision.simulate.scenes import SCENES
from vision.source import (
    CameraWish,
    Kind,
    PushedFrames,
    Retrying,
    SourceRefused,
    ask,
    open_source,
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
            ask(typed)
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
        assert source.inner is None
        source.read()
        assert isinstance(source.inner, Webcam)
        source.inner.ask_for(CameraWish(size=(32, 24)))
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
        kinds = {ask(row).kind for row in rows}
        assert len(rows) == 8
        assert kinds == set(get_args(Kind))

    def test_every_simulated_table_and_option_is_described(self) -> None:
        for name in SCENES:
            assert f"`{name}`" in self.TEXT
            assert ask(f"sim:{name}").what == name
        options = {o for action in _parser()._actions for o in action.option_strings if o.startswith("--")}
        missing = {
            o for o in options - {"--help"} if f"`{o} " not in self.TEXT and f"{o} FOLDER" not in self.TEXT
        }
        assert missing == set()


def test_the_login_of_a_stream_is_neither_shown_nor_kept() -> None:
    """Every page is told what is watched, and the record says it."""
    assert ask("rtsp://anna:secret@cam.local:554/1").name == "rtsp://cam.local:554/1"
    assert ask("http://anna@cam.local/video?to=b@c").name == "http://cam.local/video?to=b@c"
