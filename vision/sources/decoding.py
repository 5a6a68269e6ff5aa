"""The pictures of a video file or a network stream, and which of them are damaged.

A picture of a video is told by what has changed since others. Where bytes are overwritten or missing the
decoder makes something up, and what follows is drawn on top of that: until a whole picture comes again, a key
frame, nothing says what of a picture is true. It may look whole, and show pieces where they do not stand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np
from av.container import InputContainer
from av.packet import Packet
from av.video.frame import PictureType, VideoFrame
from av.video.reformatter import VideoReformatter
from av.video.stream import VideoStream

from vision.frame import Image
from vision.sources.frame_numbers import FrameNumbers

ONE_THREAD_PX = 1920 * 1088
"""Pixels up to which one thread decodes a video faster than it was filmed, on any machine.

FFmpeg takes as many as there are cores, and each holds pictures of its own.
"""


@dataclass(frozen=True, eq=False)
class Decoded:
    """One picture, BGR (h, w, 3), 8 bits; `stamp` is when it is shown by the file's own clock, seconds.

    `damaged`: the decoder has made something up in it, or in one that it is drawn on top of.
    """

    image: Image
    stamp: float | None
    damaged: bool


# Over UDP a camera's pictures lose parts; some cameras know nothing else.
_RTSP = {"rtsp_flags": "prefer_tcp"}


class VideoDecoder:
    """The pictures of a video file, or of a stream by its address, in the order in which they are shown.

    Raises `ValueError` for what is no video, and `OSError` for what cannot be read. `fps` is the usual rate,
    `frames` how many pictures there are as far as the file says, or may be by how long it lasts. A stream
    that says nothing for `silent_s` seconds has ended.
    """

    def __init__(self, source: Path | str, *, silent_s: float | None = None) -> None:
        address = str(source)
        options = _RTSP if address.lower().startswith("rtsp") else {}
        try:
            self._container: InputContainer = av.open(
                address, metadata_errors="replace", timeout=silent_s, options=options
            )
        except av.error.FFmpegError as error:
            raise ValueError(f"{source} is no video: {error}") from error
        if not self._container.streams.video:
            self._container.close()
            raise ValueError(f"{source} holds sound, and no pictures")
        self.stream: VideoStream = self._container.streams.video[0]
        context = self.stream.codec_context
        self.threads = 1 if context.width * context.height <= ONE_THREAD_PX else 2
        # Threads that share one picture's slices make up for nothing that is missing, and tell of nothing.
        context.thread_type, context.thread_count = "FRAME", self.threads
        self.fps = float(self.stream.average_rate or self.stream.guessed_rate or 0) or 30.0
        self.frames = self.stream.frames or max(0, round(self._lasts() * self.fps))
        self.motion_jpeg = context.name == "mjpeg"
        self._to_bgr = VideoReformatter()
        numbered = context.name == "h264"
        self._numbers = FrameNumbers(context.extradata or b"") if numbered else None
        # Each frame says by which packet it came.
        context.copy_opaque = True
        self._lost: list[int] = []

    def pictures(self) -> Iterator[Decoded]:
        """Every picture. One that others were drawn after, though it is shown after them, comes with them."""
        damaged = False
        waiting: list[VideoFrame] = []
        for frame in self._frames():
            waiting.append(frame)
            if frame.pict_type == PictureType.B:
                # It is drawn on top of one that is shown later, which may be damaged.
                continue
            *between, anchor = waiting
            waiting = []
            for one in between:
                damaged = damaged or one.is_corrupt or anchor.is_corrupt or self._missing(one)
            yield from (self._picture(one, damaged) for one in between)
            whole = anchor.key_frame and not anchor.is_corrupt and not self._missing(anchor, through=True)
            damaged = not whole and (damaged or anchor.is_corrupt or self._missing(anchor))
            yield self._picture(anchor, damaged)
        yield from (self._picture(one, damaged or one.is_corrupt) for one in waiting)

    def coded(self) -> Iterator[bytes]:
        """Every picture as it was coded: of motion JPEG each is a JPEG of its own."""
        return (bytes(packet) for packet in self._packets() if packet.size)

    def close(self) -> None:
        """Lets the file go."""
        self._container.close()

    def _packets(self) -> Iterator[Packet[VideoStream]]:
        packets = self._container.demux(self.stream)
        while True:
            try:
                yield next(packets)
            except (StopIteration, av.error.FFmpegError):
                return

    def _frames(self) -> Iterator[VideoFrame]:
        """What the decoder gives; where a part gives nothing or never came, its place in the row is noted."""
        for k, packet in enumerate(self._packets()):
            packet.opaque = k
            if self._numbers and self._numbers.missed(bytes(packet)):
                self._lost.append(k)
            try:
                yield from packet.decode()
            except av.error.EOFError:
                return
            except av.error.FFmpegError:
                # It may be of one that another thread was still at. The one before that tells of it.
                self._lost.append(k - self.threads)

    def _missing(self, frame: VideoFrame, *, through: bool = False) -> bool:
        """Whether something is missing that a frame may be drawn on top of; `through`: it needs no other."""
        if through:
            self._lost = [k for k in self._lost if k >= _place_of(frame)]
        return any(k <= _place_of(frame) for k in self._lost)

    def _picture(self, frame: VideoFrame, damaged: bool) -> Decoded:
        image = self._to_bgr.reformat(frame, format="bgr24").to_ndarray()
        return Decoded(np.asarray(image, dtype=np.uint8), frame.time, damaged)

    def _lasts(self) -> float:
        """For how many seconds the file claims to last."""
        if self._container.duration is not None:
            return self._container.duration / av.time_base
        if self.stream.duration is None or self.stream.time_base is None:
            return 0.0
        return float(self.stream.duration * self.stream.time_base)


def _place_of(frame: VideoFrame) -> int:
    """The place of a frame's packet in the row in which they came."""
    place = frame.opaque
    assert isinstance(place, int)
    return place
