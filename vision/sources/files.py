"""Photos, folders of pictures and video files as sources."""

from __future__ import annotations

import logging
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from calibration.jpeg import decode
from vision.frame import Frame, Image
from vision.sources.base import Source, SourceEnded, SourceLost, SourceRefused
from vision.sources.decoding import Decoded, VideoDecoder

log = logging.getLogger("tableref.source")

PICTURES = frozenset({".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})
VIDEOS = frozenset({".avi", ".m4v", ".mjpeg", ".mkv", ".mov", ".mp4", ".webm"})

PHONES = frozenset({".heic", ".heif"})
"""How phones name pictures that are not read here; some are JPEG all the same."""

UNCOUNTED = frozenset({".mkv", ".webm"})
"""Video files that do not say how many frames they hold."""

FASTEST_FPS = 480.0
"""A video with a higher rate states the ticks of its clock, and as many frames as there are ticks."""

FOLDER_FPS = 10.0

# Start-of-frame markers of JPEG; C4, C8 and CC mean something else.
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def read_picture(path: Path) -> Image:
    """A picture file as BGR, shape (h, w, 3), 8 bits, in the sensor's own orientation.

    A phone's "this side up" mark is ignored on purpose: the lens belongs to the sensor's pixels,
    whichever way the phone was held. Raises `SourceLost` for a missing file and `SourceRefused`
    for one that is no picture.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise SourceLost(f"The picture {path} is gone. Put it back or choose another one.") from None
    except OSError as error:
        raise SourceLost(f"The picture {path} cannot be read: {error.strerror}.") from error
    image = still_of(data, path)
    if image is None:
        raise SourceRefused(f"{path} {unread(data)}.")
    return image


def still_of(data: bytes, path: Path) -> Image | None:
    """The picture of a file as BGR, with a word where a part of it may be made up; None if it is none."""
    picture = decode(data, "BGR")
    if picture is not None and picture.damaged:
        log.warning("%s is damaged, and a part of what it shows may be made up: copy it again", path)
    return None if picture is None else picture.pixels


def unread(data: bytes) -> str:
    """Why these bytes are no picture, and what to do, as the end of a sentence."""
    if not data:
        return "is empty: copy it again"
    if data[4:8] == b"ftyp" and data[8:12] in _HEIC:
        return HEIC_WORDS
    if data.startswith((b"\xff\xd8", b"\x89PNG")):
        return "is damaged or was cut off: copy it again, or save it anew as JPEG or PNG"
    return "is not a picture that can be read: expected a JPEG, PNG or similar file"


HEIC_WORDS = (
    "is a HEIC picture, as iPhones take them, which is not read here: save it as JPEG, or set the phone to "
    "Most Compatible (Settings, Camera, Formats)"
)
_HEIC = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1", b"avif"})
"""Brands of the container that HEIC and its kin come in."""


def decode_picture(data: bytes | np.ndarray[tuple[int], np.dtype[np.uint8]]) -> Image | None:
    """Encoded bytes (JPEG, PNG, ...) as BGR, shape (h, w, 3), 8 bits; None if they are damaged."""
    picture = decode(data if isinstance(data, bytes) else data.tobytes(), "BGR")
    return None if picture is None else picture.pixels


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + int(struct.unpack(">H", data[at + 2 : at + 4])[0])
    return None


def picture_size(path: Path) -> tuple[int, int]:
    """Width and height in pixels, from the file's head where its format allows it."""
    try:
        data = path.read_bytes()
    except OSError:
        data = b""
    size = None
    if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 24:
        width, height = struct.unpack(">II", data[16:24])
        size = (width, height)
    elif data[:2] == b"\xff\xd8":
        size = _jpeg_size(data)
    if size is None:
        image = read_picture(path)
        size = (image.shape[1], image.shape[0])
    return size


class Pictures(Source):
    """A folder's pictures in the order of their names, or one photo; all of one size.

    A folder's frames are `1 / fps` seconds apart. With `loop` it starts again at its end, and
    time runs on.
    """

    live = False
    notice: str | None = None

    def __init__(self, path: Path, *, fps: float = FOLDER_FPS, loop: bool = False) -> None:
        self.name = path.name or str(path)
        self._fps = fps
        self._loop = loop
        self._paths = self._listed(path) if path.is_dir() else [path]
        self._index = 0
        self._closed = False

    @staticmethod
    def _listed(folder: Path) -> list[Path]:
        """The folder's pictures, sorted; refuses an empty or a mixed folder."""
        paths = sorted(p for p in folder.iterdir() if p.suffix.lower() in PICTURES)
        if not paths:
            if any(p.suffix.lower() in PHONES for p in folder.iterdir()):
                raise SourceRefused(f"What lies in {folder} {HEIC_WORDS}.")
            raise SourceRefused(
                f"There is no picture in {folder}. Expected files ending in {', '.join(sorted(PICTURES))}."
            )
        first = picture_size(paths[0])
        for path in paths[1:]:
            size = picture_size(path)
            if size != first:
                raise SourceRefused(
                    f"The pictures in {folder} differ in size: {paths[0].name} has {first[0]}x{first[1]} "
                    f"pixels but {path.name} has {size[0]}x{size[1]}. One folder holds pictures of one "
                    "camera at one resolution: move the others elsewhere."
                )
        return paths

    def __len__(self) -> int:
        return len(self._paths)

    def read(self) -> Frame:
        """The next picture."""
        if self._closed or (self._index >= len(self._paths) and not self._loop):
            raise SourceEnded
        path = self._paths[self._index % len(self._paths)]
        frame = Frame(read_picture(path), self._index / self._fps, self._index, path.name)
        self._index += 1
        return frame

    def close(self) -> None:
        """Nothing is held open."""
        self._closed = True


class VideoFile(Source):
    """A video file; frame times are its own presentation times, in seconds.

    With `loop` it starts again at its end; time and index run on.
    """

    live = False
    notice: str | None = None

    def __init__(self, path: Path, *, loop: bool = False) -> None:
        self.name = path.name
        self._path = path
        self._loop = loop
        self._decoder: VideoDecoder | None = None
        self._pictures: Iterator[Decoded] = iter(())
        self._index = 0
        self._start = 0
        self._offset = 0.0
        self._last = -1.0
        self._longest = 0.0
        self._begins = 0.0
        self._open()

    def _open(self) -> None:
        if not self._path.is_file():
            raise SourceLost(f"The video {self._path} is gone. Put it back or choose another one.")
        try:
            decoder = VideoDecoder(self._path)
        except (ValueError, OSError):
            raise SourceRefused(
                f"{self._path} cannot be played: it is damaged or of an unknown kind. Expected a video "
                "such as H.264 in an .mp4 file."
            ) from None
        # The lens belongs to the sensor's pixels, so a phone's rotation mark is not followed.
        self._decoder, self._pictures = decoder, decoder.pictures()
        self.fps, self.frames = decoder.fps, decoder.frames

    @property
    def duration(self) -> float:
        """Seconds that the file claims to last."""
        return self.frames / self.fps

    def read(self) -> Frame:
        """The next frame of the file."""
        if self._decoder is None:
            raise SourceEnded
        picture = next(self._pictures, None)
        while picture is not None and picture.damaged and self._comes_late(picture):
            picture = next(self._pictures, None)
        if picture is None:
            self._at_end()
            return self.read()
        if self._index == self._start:
            # Frame times count from the first frame; the file's own may begin later.
            self._begins = picture.stamp or 0.0
        time = self._time_of(picture.stamp)
        if self._index > self._start:
            self._longest = max(self._longest, time - self._last)
        frame = Frame(picture.image, time, self._index, self.name, damaged=picture.damaged)
        self._last = time
        self._index += 1
        return frame

    def _comes_late(self, picture: Decoded) -> bool:
        """Whether a picture should have been shown before the last one, whose place in time was lost."""
        if picture.stamp is None or self._index == self._start:
            return False
        return self._offset + picture.stamp - self._begins <= self._last

    def _time_of(self, stamp: float | None) -> float:
        """The stream's own time; index / fps where the stream gives none that runs forward."""
        if stamp is None:
            stamp = self._begins + (self._index - self._start) / self.fps
        time = self._offset + stamp - self._begins
        return time if time > self._last else self._last + 1.0 / self.fps

    def _at_end(self) -> None:
        """Rewinds a loop, or ends; says so when the file broke off early."""
        played = self._index - self._start
        if played < self.frames - 1 and not self._reached_its_end(played):
            self.notice = (
                f"{self.name} broke off after {played} of {self.frames} frames: the file is probably damaged."
            )
        self.close()
        if not self._loop or played == 0:
            raise SourceEnded
        self._start = self._index
        self._offset = self._last + 1.0 / self.fps
        self._open()

    def _reached_its_end(self, played: int) -> bool:
        """Whether fewer frames than expected are all there are.

        A container that keeps no count is credited with as many as fit into its duration at its usual rate:
        of frames that are unevenly far apart there are fewer. It lasts from 0, whenever its first frame is.
        """
        counted = self._path.suffix.lower() not in UNCOUNTED and self.fps <= FASTEST_FPS
        if counted or not played:
            return False
        reached = max(0.0, self._begins) + self._last - self._offset + max(self._longest, 1.0 / self.fps)
        return reached >= self.duration - 1.0 / self.fps

    def close(self) -> None:
        """Lets the file go."""
        if self._decoder is not None:
            self._pictures = iter(())
            self._decoder.close()
            self._decoder = None
