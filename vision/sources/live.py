"""Webcams and network streams as sources."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar

import av
import cv2
import numpy as np

from engine.errors import ShapeError
from vision.frame import Frame, JpegFrame, with_tables
from vision.sources.base import (
    LATE_TOLD,
    DamageWatch,
    FreezeWatch,
    SizeWatch,
    Source,
    SourceEnded,
    SourceLost,
    late_words,
    sentence,
)
from vision.sources.decoding import Decoded, VideoDecoder

Clock = Callable[[], float]

Control = Literal["auto", "lock"] | float
"""Left to the camera, held at what it found by itself, or set to a value in the camera's own units."""

# A webcam may drop a picture now and then; this many in a row mean that it is gone.
MISSES_ALLOWED = 15
STREAM_MISSES_ALLOWED = 3
STREAM_SILENT_S = 5.0

# A camera whose first pictures make no sense as JPEGs is asked for decoded ones after so many.
CODED_MISSES_ALLOWED = 3

# Of a webcam's pictures so many wait: one is being filled while one is handed over. With a single one
# most drivers drop every second picture.
WAITING = 2

_MOTION_JPEG = cv2.VideoWriter.fourcc(*"MJPG")

# Pictures that a webcam gets to find exposure and focus by itself before they are locked.
SETTLING = 45

# A driver's time stamp that lies so little before a picture's arrival is of the same clock, seconds.
STAMP_TRUSTED = 0.5

# After so many of those, older stamps are believed, too: pictures come so late at the most, seconds.
STAMPS_NEEDED, LATEST = 30, 30.0

# How long a remark on what a camera would not do stays in its notice, seconds.
REMARKED = 20.0


class Capture(Protocol):
    """What gives pictures by itself."""

    def isOpened(self) -> bool: ...  # noqa: N802, D102
    def read(self) -> tuple[bool, Any]: ...  # noqa: D102
    def release(self) -> None: ...  # noqa: D102


class DeviceCapture(Capture, Protocol):
    """What is used of OpenCV's VideoCapture."""

    def set(self, prop: int, value: float) -> bool: ...  # noqa: D102
    def get(self, prop: int) -> float: ...  # noqa: D102


def backend_for(platform: str = sys.platform) -> int:
    """OpenCV's capture backend that knows the platform's webcams best."""
    if platform.startswith("linux"):
        return cv2.CAP_V4L2
    if platform == "darwin":
        return cv2.CAP_AVFOUNDATION
    if platform == "win32":
        return cv2.CAP_DSHOW
    return cv2.CAP_ANY


def open_webcam(index: int) -> DeviceCapture:
    """The webcam through its platform's backend, or through whichever takes it."""
    capture = cv2.VideoCapture(index, backend_for())
    if not capture.isOpened():
        capture.release()
        capture = cv2.VideoCapture(index, cv2.CAP_ANY)
    return capture


def without_login(address: str) -> str:
    """An address as it may be shown and kept: without the name and password for the camera.

    >>> without_login("rtsp://anna:secret@192.168.1.9/1"), without_login("rtsp://192.168.1.9/1")
    ('rtsp://192.168.1.9/1', 'rtsp://192.168.1.9/1')
    """
    scheme, slashes, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{slashes}{host.rpartition('@')[2]}{slash}{path}"


REFUSED: dict[type[object], str] = {
    av.error.HTTPUnauthorizedError: "asks for a name and a password, or does not take those that it got. "
    "Write them into the address, as in rtsp://name:password@192.168.1.9/live",
    av.error.HTTPForbiddenError: "lets nobody in by this name and password. Look in the camera's own "
    "settings who may see its pictures",
    av.error.HTTPNotFoundError: "is no address of the camera's. The camera answers; look in its manual or "
    "app for what has to follow after its number",
}
"""What a camera says that will not show its pictures, by FFmpeg's error."""


class Streamed:
    """A stream through FFmpeg, given up after a few silent seconds; motion JPEGs come as they were coded.

    Raises `SourceLost` with what to do where the camera answers, and refuses.
    """

    def __init__(self, url: str) -> None:
        self._decoder: VideoDecoder | None = None
        self._pictures: Iterator[Decoded] = iter(())
        self._coded: Iterator[bytes] = iter(())
        try:
            self._decoder = VideoDecoder(url, silent_s=STREAM_SILENT_S)
        except (ValueError, OSError) as error:
            if (words := REFUSED.get(type(error.__cause__))) is not None:
                raise SourceLost(f"{without_login(url)} {words}.") from error
            return
        if self._decoder.motion_jpeg:
            self._coded = self._decoder.coded()
        else:
            self._pictures = self._decoder.pictures()

    def isOpened(self) -> bool:  # noqa: N802
        """Whether the stream answered."""
        return self._decoder is not None

    def read(self) -> tuple[bool, Any]:
        """The next picture, or the bytes of one in one row; False once none comes."""
        if (coded := next(self._coded, None)) is not None:
            return True, np.frombuffer(coded, np.uint8)[np.newaxis]
        picture = next(self._pictures, None)
        return picture is not None, picture

    def release(self) -> None:
        """Lets the stream go."""
        self._pictures, self._coded = iter(()), iter(())
        if self._decoder is not None:
            self._decoder.close()
            self._decoder = None


CaptureT = TypeVar("CaptureT", bound=Capture)


class _Running(Source, Generic[CaptureT]):
    """A capture that runs by itself: counts misses, watches size and standstill, stamps the time."""

    live = True

    def __init__(self, name: str, capture: CaptureT, clock: Clock, misses_allowed: int, lost: str) -> None:
        self.name = name
        self._capture: CaptureT | None = capture
        self._clock = clock
        self._misses_allowed = misses_allowed
        self._lost = lost
        self._index = 0
        self._misses = 0
        self._late = 0.0
        self._size = SizeWatch(name)
        self._freeze = FreezeWatch(name)
        self._damage = DamageWatch()
        if not capture.isOpened():
            self.close()
            raise SourceLost(lost)

    @property
    def notice(self) -> str | None:
        """What is odd about the picture."""
        if self._misses:
            return sentence(f"{self.name} sent {self._misses} damaged pictures; waiting for a good one.")
        late = late_words(self.name, self._late) if self._late else None
        return self._freeze.notice or late or self._size.notice

    def read(self) -> Frame:
        """The next good frame; its time is the clock's when it arrived."""
        frame = self._damage.see(self._next_picture())
        self._index += 1
        self._size.see(frame)
        frame = self._freeze.see(frame)
        if self._freeze.dead:
            self.close()
            raise SourceLost(f"The picture of {self.name} stands still: every one is the same as the last.")
        return frame

    def _next_picture(self) -> Frame:
        while True:
            capture = self._capture
            if capture is None:
                raise SourceEnded
            ok, image = capture.read()
            now = self._clock()
            taken = self._taken(capture, now)
            frame = _framed(image, taken, self._index, self.name) if ok else None
            if frame is not None:
                self._misses = 0
                self._late = now - taken if now - taken >= LATE_TOLD else 0.0
                return frame.aged(self._late) if self._late else frame
            self._misses += 1
            self._missed(capture)
            if self._misses >= self._misses_allowed:
                self.close()
                raise SourceLost(self._lost)

    def _taken(self, capture: CaptureT, now: float) -> float:  # noqa: ARG002
        """When a picture that has arrived `now` was taken, as far as anybody can tell."""
        return now

    def _missed(self, capture: CaptureT) -> None:
        """Another picture in a row was damaged, or did not come."""

    def close(self) -> None:
        """Lets the device go."""
        if self._capture is not None:
            self._capture.release()
            self._capture = None


def _framed(image: Any, time: float, index: int, name: str) -> Frame | None:
    """A capture's answer as a frame: a picture, or the bytes of one as it came; None for what is neither."""
    if isinstance(image, Decoded):
        return Frame(image.image, time, index, name, damaged=image.damaged)
    if isinstance(image, np.ndarray) and image.dtype == np.uint8 and image.ndim == 2 and image.shape[0] == 1:
        try:
            return JpegFrame(with_tables(image.tobytes()), time, index, name)
        except ShapeError:
            return None
    if not _is_picture(image):
        return None
    if image.ndim == 2:
        image = cv2.cvtColor(image, cv2.COLOR_GRAY2BGR)
    return Frame(image, time, index, name)


def _is_picture(image: Any) -> bool:
    """Whether a capture's answer is a whole 8-bit picture."""
    return (
        isinstance(image, np.ndarray)
        and image.dtype == np.uint8
        and image.size > 0
        and (image.ndim == 2 or (image.ndim == 3 and image.shape[2] == 3))
    )


@dataclass(frozen=True, slots=True)
class CameraWish:
    """What a webcam is asked for. It may not be able to; then it says so and does what it can.

    `size` in pixels (width, height) and `fps` pictures a second, None for the camera's own.
    `focus` and `exposure` are left alone ("auto"), held at what the camera has found after its
    first pictures ("lock": a referee wants both, for a lens that refocuses is another lens), or
    set to a number in the camera's own units.
    """

    size: tuple[int, int] | None = (1920, 1080)
    fps: float | None = 30.0
    focus: Control = "auto"
    exposure: Control = "auto"


@dataclass(frozen=True, slots=True)
class _Knob:
    """One automatic of a camera: its switch, what turns it off, and its value's property."""

    what: str
    switch: int
    off: float
    on: float
    value: int


def knobs_for(platform: str = sys.platform) -> tuple[_Knob, _Knob]:
    """Focus and exposure as the platform's backend names them."""
    # V4L2 passes its own menu numbers through: 1 is manual, 3 lets the camera choose the time.
    linux = platform.startswith("linux")
    focus = _Knob("focus", cv2.CAP_PROP_AUTOFOCUS, 0.0, 1.0, cv2.CAP_PROP_FOCUS)
    off, on = (1.0, 3.0) if linux else (0.0, 1.0)
    return focus, _Knob("exposure", cv2.CAP_PROP_AUTO_EXPOSURE, off, on, cv2.CAP_PROP_EXPOSURE)


def _mode(wish: CameraWish) -> str:
    """A wish's size and rate in words."""
    size = "its own size" if wish.size is None else f"{wish.size[0]}x{wish.size[1]} pixels"
    return size if wish.fps is None else f"{size}, {wish.fps:g} pictures a second"


class Webcam(_Running[DeviceCapture]):
    """A webcam by its number, as motion JPEG where it can: raw pictures rarely reach full speed over USB.

    Where the driver hands the JPEGs on (V4L2) they come as they are: see `JpegFrame`.
    """

    def __init__(
        self,
        index: int,
        *,
        wish: CameraWish | None = None,
        clock: Clock = time.monotonic,
        opener: Callable[[int], DeviceCapture] | None = None,
        platform: str = sys.platform,
    ) -> None:
        capture = (opener or open_webcam)(index)
        lost = (
            f"No picture comes from camera {index}. Check its cable, close other programs that use it, "
            "or choose another camera."
        )
        super().__init__(f"camera {index}", capture, clock, MISSES_ALLOWED, lost)
        self.wish = wish or CameraWish()
        self.remarks: list[str] = []
        self._last_taken = self._last_stamp = float("-inf")
        self._near_stamps = 0
        self._asked: deque[CameraWish] = deque(maxlen=1)
        self._remarked_at = clock()
        self._platform = platform
        self._knobs = knobs_for(platform)
        self._set_mode(capture)
        for knob, wanted in self._wanted(self.wish):
            if isinstance(wanted, (int, float)):
                self._turn(capture, knob, float(wanted))

    def _wanted(self, wish: CameraWish) -> list[tuple[_Knob, Control]]:
        return list(zip(self._knobs, (wish.focus, wish.exposure), strict=True))

    def _set_mode(self, capture: DeviceCapture) -> None:
        # The format first: raw formats offer fewer sizes at speed.
        capture.set(cv2.CAP_PROP_FOURCC, float(_MOTION_JPEG))
        if self.wish.size is not None:
            capture.set(cv2.CAP_PROP_FRAME_WIDTH, float(self.wish.size[0]))
            capture.set(cv2.CAP_PROP_FRAME_HEIGHT, float(self.wish.size[1]))
        if self.wish.fps is not None:
            capture.set(cv2.CAP_PROP_FPS, self.wish.fps)
        capture.set(cv2.CAP_PROP_BUFFERSIZE, WAITING)
        # Last, for whatever else is set starts the driver's conversion anew.
        if self._platform.startswith("linux") and capture.get(cv2.CAP_PROP_FOURCC) == _MOTION_JPEG:
            capture.set(cv2.CAP_PROP_CONVERT_RGB, 0.0)

    def _missed(self, capture: DeviceCapture) -> None:
        if self._index == 0 and self._misses == CODED_MISSES_ALLOWED:
            capture.set(cv2.CAP_PROP_CONVERT_RGB, 1.0)

    @property
    def notice(self) -> str | None:
        """What is odd about the picture, or what the camera would not do."""
        odd = super().notice
        if odd is None and self.remarks and self._clock() - self._remarked_at < REMARKED:
            return " ".join(self.remarks)
        return odd

    @property
    def fps(self) -> float | None:
        """The rate that the camera says it runs at; None if it does not say."""
        rate = self._capture.get(cv2.CAP_PROP_FPS) if self._capture is not None else 0.0
        return rate if rate > 0.0 else None

    def read(self) -> Frame:
        """The next good frame; its time is the clock's when it arrived."""
        self._heed()
        frame = super().read()
        if frame.index == 0 and self.wish.size is not None and frame.size != self.wish.size:
            asked, got = self.wish.size, frame.size
            self._remark(f"{self.name} gives {got[0]}x{got[1]} pixels instead of {asked[0]}x{asked[1]}.")
        if frame.index == SETTLING and self._capture is not None:
            for knob, wanted in self._wanted(self.wish):
                if wanted == "lock":
                    self._turn(self._capture, knob, None)
        return frame

    @property
    def tunable(self) -> Webcam:
        """Itself."""
        return self

    def ask_for(self, wish: CameraWish) -> None:
        """Asks for something else from now on; may be called from any thread.

        Focus and exposure change before the next picture. Another size or rate needs the camera
        opened anew: the next `read` raises `SourceLost`, and `wish` says with what to open it.
        """
        self._asked.append(wish)

    def _heed(self) -> None:
        """Does what was asked for since the last picture."""
        capture = self._capture
        if not self._asked or capture is None:
            return
        before, self.wish = self.wish, self._asked.popleft()
        if (self.wish.size, self.wish.fps) != (before.size, before.fps):
            self.close()
            raise SourceLost(f"{sentence(self.name)} is being set to {_mode(self.wish)}.")
        for (knob, was), (_, wanted) in zip(self._wanted(before), self._wanted(self.wish), strict=True):
            if wanted == was:
                continue
            if wanted == "auto":
                capture.set(knob.switch, knob.on)
            else:
                self._turn(capture, knob, None if wanted == "lock" else float(wanted))

    def _taken(self, capture: DeviceCapture, now: float) -> float:
        """The driver's own stamp where it is of the same clock (Linux), else the arrival.

        Stamps that were near to the arrival of several pictures are of the same clock: those that are older
        later on tell that pictures come late.
        """
        stamp = capture.get(cv2.CAP_PROP_POS_MSEC) / 1000.0
        near = 0.0 <= now - stamp < STAMP_TRUSTED
        # One that does not go on is none.
        known = (
            stamp > self._last_stamp and self._near_stamps >= STAMPS_NEEDED and 0.0 <= now - stamp < LATEST
        )
        self._near_stamps += near
        self._last_stamp = stamp
        taken = stamp if near or known else now
        self._last_taken = max(self._last_taken, taken)
        return self._last_taken

    def _turn(self, capture: DeviceCapture, knob: _Knob, value: float | None) -> None:
        """Switches an automatic off and keeps its value, or sets another; remarks on refusals."""
        held = capture.get(knob.value) if value is None else value
        if not capture.set(knob.switch, knob.off):
            self._remark(f"{self.name} does not let its {knob.what} be locked.")
        elif not capture.set(knob.value, held) and value is not None:
            self._remark(
                f"{self.name} does not take {value:g} for its {knob.what}; it is locked where it was."
            )

    def _remark(self, text: str) -> None:
        self.remarks.append(sentence(text))
        self._remarked_at = self._clock()


class Stream(_Running[Capture]):
    """A network stream (RTSP, HTTP motion JPEG, ...), such as a phone's camera app gives."""

    def __init__(
        self,
        url: str,
        *,
        clock: Clock = time.monotonic,
        opener: Callable[[str], Capture] = Streamed,
    ) -> None:
        name = without_login(url)
        lost = (
            f"No picture comes from {name}. Check that the phone or camera is on, in the same network, "
            "and that the address opens in a browser or player."
        )
        super().__init__(name, opener(url), clock, STREAM_MISSES_ALLOWED, lost)
