"""The camera's video: H.264 in MP4, in segments of a minute that a browser plays one by one.

A segment under way is written in fragments of a second (`….part.mp4`), so that a crash costs no more
and what is there can be played; a whole one has its index in front, to be sought in at once. File
names are the game's own time in milliseconds, of the first picture and, in a whole one, the last.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
from av.video.frame import PictureType
from av.video.stream import VideoStream

from engine.errors import TableRefError
from server.recording.errors import StorageTrouble
from vision.frame import Image

log = logging.getLogger("tableref.recording")

SEGMENT_S = 60.0
FRAGMENT_S = 1.0
GAP_S = 5.0
"""A longer time without a picture ends a segment."""

MILLISECOND = Fraction(1, 1000)
BITS_A_PIXEL = 3.0
"""The most bits a second for each pixel of the picture: 2.8 million at 1280x720."""

_PART = re.compile(r"^(\d{10,})\.part\.mp4$")
_WHOLE = re.compile(r"^(\d{10,})-(\d{10,})\.mp4$")
_WISH = re.compile(r"^(\d{3,4})p(?:@(\d{1,2}(?:\.\d)?))?$", re.IGNORECASE)


class VideoError(TableRefError):
    """A video that is not wished for as it can be had."""


@dataclass(frozen=True)
class VideoWish:
    """How video is kept: the height of its pictures in pixels, at most the camera's, and their rate."""

    height: int = 720
    fps: float = 12.0

    @property
    def words(self) -> str:
        """As it is written on the command line."""
        return f"{self.height}p@{self.fps:g}"


def video_wish(text: str) -> VideoWish | None:
    """What a person typed: "off", "720p", "1080p@15"; None for off.

    >>> video_wish("1080p@15"), video_wish("off")
    (VideoWish(height=1080, fps=15.0), None)
    """
    if text.strip().casefold() == "off":
        return None
    match = _WISH.match(text.strip())
    if match is None or not 144 <= int(match[1]) <= 2160 or not 1 <= float(match[2] or 12) <= 60:
        raise VideoError(
            "expected video as off, 720p or 1080p@15 (144p to 2160p, 1 to 60 pictures a second) "
            f"but got {text!r}"
        )
    return VideoWish(int(match[1]), float(match[2] or VideoWish.fps))


@dataclass(frozen=True)
class Segment:
    """A file of video. Times are the game's own, seconds; `whole` is False while it is being written."""

    path: Path
    begins_s: float
    ends_s: float
    whole: bool


class VideoWriter:
    """Writes one game's video into a folder. Not for several threads at once."""

    def __init__(self, folder: Path, wish: VideoWish) -> None:
        self.folder = folder
        self.wish = wish
        self._part: _Part | None = None
        self._last_s = float("-inf")

    def due(self, at_s: float) -> bool:
        """Whether the next picture of the wished rate may be this one."""
        return at_s - self._last_s >= 0.9 / self.wish.fps or at_s < self._last_s

    def add(self, image: Image, at_s: float) -> None:
        """One picture, BGR or grey; times grow. Raises `StorageTrouble`."""
        size = fitting(image, self.wish.height)
        if self._part is not None and self._over(self._part, size, at_s):
            self.close()
        self._last_s = at_s
        part = self._part
        try:
            if part is None:
                self.folder.mkdir(parents=True, exist_ok=True)
                part = self._part = _Part(self.folder, at_s, size, self.wish.fps)
            part.add(image, at_s)
        except (OSError, av.FFmpegError) as error:
            self._part = None
            if part is not None:
                part.drop()
            raise StorageTrouble(f"video cannot be kept in {self.folder}: {_reason(error)}") from error

    def _over(self, part: _Part, size: tuple[int, int], at_s: float) -> bool:
        """Whether a picture belongs into another segment."""
        gone = at_s - self._last_s
        return not 0 < gone <= GAP_S or at_s - part.begins_s >= SEGMENT_S or part.size != size

    def close(self) -> None:
        """Makes the segment under way a whole one."""
        part = self._part
        if part is None:
            return
        self._part = None
        try:
            part.end()
            make_whole(part.path)
        except (OSError, av.FFmpegError) as error:
            part.drop()
            raise StorageTrouble(f"video cannot be kept in {self.folder}: {_reason(error)}") from error


class _Part:
    """A segment under way."""

    def __init__(self, folder: Path, begins_s: float, size: tuple[int, int], fps: float) -> None:
        self.begins_s = round(begins_s, 3)
        self.size = size
        self.path = folder / f"{round(begins_s * 1000):010d}.part.mp4"
        self._file = self.path.open("wb", buffering=0)
        self._container = av.open(
            _Sink(self._file), "w", format="mp4",
            options={"movflags": "frag_keyframe+empty_moov+default_base_moof"},
        )  # fmt: skip
        self._stream = _stream(self._container, size, fps)
        self._key_s = float("-inf")
        self._synced_s = begins_s
        self._last = -1

    def add(self, image: Image, at_s: float) -> None:
        """One picture; every second one that needs no other."""
        frame = av.VideoFrame.from_ndarray(yuv(image, self.size), format="yuv420p")
        frame.pts = self._last = max(self._last + 1, round((at_s - self.begins_s) * 1000))
        frame.time_base = MILLISECOND
        if at_s - self._key_s >= FRAGMENT_S:
            frame.pict_type, self._key_s = PictureType.I, at_s
        self._container.mux(self._stream.encode(frame))
        if at_s - self._synced_s >= FRAGMENT_S:
            os.fsync(self._file.fileno())
            self._synced_s = at_s

    def end(self) -> None:
        """Writes what the encoder still holds."""
        self._container.mux(self._stream.encode(None))
        self._container.close()
        os.fsync(self._file.fileno())
        self._file.close()

    def drop(self) -> None:
        """Lets it lie as far as it came: it can be repaired."""
        try:
            self._container.close()
        except (OSError, av.FFmpegError):
            log.info("%s ends where it could not be written any more", self.path)
        self._file.close()


class _Sink:
    """A file as PyAV writes it: forward only, so that nothing written is touched again."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def write(self, data: bytes) -> int:
        """All of it, or an error."""
        rest = memoryview(data)
        while rest:
            rest = rest[self._file.write(rest) :]
        return len(data)


def _stream(container: Any, size: tuple[int, int], fps: float) -> VideoStream:
    rate = int(BITS_A_PIXEL * size[0] * size[1])
    stream: VideoStream = container.add_stream("libx264", rate=Fraction(fps).limit_denominator(1000))
    stream.width, stream.height = size
    stream.pix_fmt = "yuv420p"
    stream.codec_context.time_base = MILLISECOND
    stream.codec_context.gop_size = 600
    stream.options = {
        # The quickest there is, one thread, nothing held back: play comes first.
        "preset": "ultrafast", "tune": "zerolatency", "threads": "1", "crf": "25",
        "maxrate": str(rate), "bufsize": str(rate), "forced-idr": "1",
    }  # fmt: skip
    return stream


def fitting(image: Image, height: int) -> tuple[int, int]:
    """The size of the video's pictures: not higher than wished, never enlarged, both sides even.

    >>> fitting(np.zeros((1080, 1920, 3), np.uint8), 720), fitting(np.zeros((481, 641), np.uint8), 720)
    ((1280, 720), (640, 480))
    """
    tall, wide = image.shape[:2]
    scale = min(1.0, height / tall)
    return max(2, int(wide * scale) // 2 * 2), max(2, int(tall * scale) // 2 * 2)


def yuv(image: Image, size: tuple[int, int]) -> Image:
    """A picture as the encoder takes it, I420, shape (h * 3 / 2, w)."""
    if (image.shape[1], image.shape[0]) != size:
        halved = size[0] * 2 <= image.shape[1]
        image = np.asarray(
            cv2.resize(image, size, interpolation=cv2.INTER_AREA if halved else cv2.INTER_LINEAR), np.uint8
        )
    if image.ndim == 2:
        image = np.asarray(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR), np.uint8)
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2YUV_I420), np.uint8)


def make_whole(part: Path) -> Segment | None:
    """A part with its index in front, in place of it; as far as it can be read. None if it cannot."""
    begins = int(part.name.split(".", 1)[0])
    draft = part.with_name(f"{begins:010d}.whole.part")
    last = _copied(part, draft)
    if last is None:
        draft.unlink(missing_ok=True)
        return None
    path = part.with_name(f"{begins:010d}-{begins + last:010d}.mp4")
    # The part goes only when the whole one would outlive a power cut.
    with draft.open("rb+") as written:
        os.fsync(written.fileno())
    draft.replace(path)
    _sync_folder(path.parent)
    part.unlink()
    return Segment(path, begins / 1000, (begins + last) / 1000, whole=True)


def _sync_folder(path: Path) -> None:
    """Makes a new or renamed file's name as durable as its contents, where the system can."""
    if sys.platform != "win32":
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _copied(source: Path, target: Path) -> int | None:
    """Copies packets as far as they can be read; the last one's time in milliseconds."""
    last: int | None = None
    try:
        with av.open(str(source)) as before:
            stream = before.streams.video[0]
            options = {"movflags": "faststart", "video_track_timescale": "1000"}
            with av.open(str(target), "w", format="mp4", options=options) as after:
                out = after.add_stream_from_template(stream)
                for packet in _readable(before, stream):
                    last = round(packet.pts * stream.time_base * 1000)
                    packet.stream = out
                    after.mux(packet)
    except (av.FFmpegError, IndexError) as error:
        log.info("%s cannot be read further: %s", source, error)
        if not target.exists():
            return None
    return last


def _readable(container: Any, stream: VideoStream) -> Iterator[Any]:
    try:
        for packet in container.demux(stream):
            if packet.pts is None or packet.is_corrupt:
                continue
            yield packet
    except av.FFmpegError as error:
        log.info("%s ends in the middle: %s", container.name, error)


def repair(folder: Path) -> int:
    """Makes whole what a crash has left in a game's folder; how many segments."""
    if not folder.is_dir():
        return 0
    return sum(make_whole(p) is not None for p in sorted(folder.iterdir()) if _PART.match(p.name))


def segments(folder: Path) -> tuple[Segment, ...]:
    """The video in a folder, in order; of a segment under way as much as can be read now."""
    found = []
    for path in folder.iterdir() if folder.is_dir() else ():
        if match := _WHOLE.match(path.name):
            found.append(Segment(path, int(match[1]) / 1000, int(match[2]) / 1000, whole=True))
        elif match := _PART.match(path.name):
            last = _last_of(path)
            if last is not None:
                begins = int(match[1])
                found.append(Segment(path, begins / 1000, (begins + last) / 1000, whole=False))
    return tuple(sorted(found, key=lambda s: s.begins_s))


def _last_of(part: Path) -> int | None:
    last = None
    try:
        with av.open(str(part)) as container:
            stream = container.streams.video[0]
            assert stream.time_base is not None
            for packet in _readable(container, stream):
                last = round(packet.pts * stream.time_base * 1000)
    except (av.FFmpegError, IndexError, OSError):
        return None
    return last


def picture_at(segment: Segment, at_s: float) -> Image | None:
    """The last picture of a segment that is not later, BGR, shape (h, w, 3)."""
    wanted = round((at_s - segment.begins_s) * 1000)
    found = None
    try:
        with av.open(str(segment.path)) as container:
            stream = container.streams.video[0]
            stream.thread_type = "NONE"
            base = stream.time_base
            assert base is not None
            container.seek(int(max(wanted, 0) / 1000 / base), stream=stream, backward=True)
            for frame in container.decode(stream):
                if frame.pts is not None and round(frame.pts * base * 1000) > wanted and found is not None:
                    break
                found = frame
    except (av.FFmpegError, IndexError, OSError) as error:
        log.info("%s cannot be read: %s", segment.path, error)
    return None if found is None else np.asarray(found.to_ndarray(format="bgr24"), np.uint8)


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
