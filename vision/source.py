"""Where frames come from: photo, folder, video file, webcam, stream, simulated table."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from vision.sources.base import Fed, Gap, Movable, NoCamera, Source, SourceEnded, SourceLost, SourceRefused
from vision.sources.devices import Device, SameWebcam, list_webcams
from vision.sources.files import PHONES, PICTURES, VIDEOS, Pictures, VideoFile
from vision.sources.live import CameraWish, Stream, Webcam, without_login
from vision.sources.pushed import PushedFrames
from vision.sources.wrappers import Paced, Retrying

__all__ = [
    "ACCEPTED",
    "SIMULATED_WITH",
    "CameraWish",
    "Device",
    "Fed",
    "Gap",
    "Movable",
    "Paced",
    "PushedFrames",
    "Retrying",
    "Source",
    "SourceEnded",
    "SourceKind",
    "SourceLost",
    "SourceRefused",
    "SourceRequest",
    "list_webcams",
    "open_source",
    "parse_source",
    "play_source",
]

SourceKind = Literal["pictures", "video", "webcam", "stream", "phone", "simulated", "none"]

ACCEPTED = (
    "a camera's number (0), a photo (photo.jpg), a folder of pictures, a video (clip.mp4), "
    "a stream's address (rtsp://… or http://…), \"phone\" for a phone's browser, "
    'or "sim" for a simulated table'
)

SIMULATED_WITH = {"free": "sim:duel", "points": "sim:points", "hexes": "sim:hexes", "road": "sim:road"}
"""By kind of board, the simulated table that has one."""

_ADDRESS = re.compile(r"^(rtsps?|https?|rtmp|udp|tcp)://\S+$", re.IGNORECASE)
_DEVICE = re.compile(r"^(?:/dev/video)?(\d{1,2})$")
_SIMULATED = re.compile(r"^sim(?:ulated)?(?::(?P<name>.+))?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SourceRequest:
    """What a person asked for, understood: a kind of source and which one of it."""

    kind: SourceKind
    what: str

    @property
    def live(self) -> bool:
        """Whether such a source sets its own pace."""
        return self.kind in ("webcam", "stream", "phone", "simulated", "none")

    @property
    def name(self) -> str:
        """How to call it in a sentence."""
        return {
            "webcam": f"camera {self.what}",
            "simulated": "the simulated table",
            "phone": "the phone",
            "none": "no camera",
            "stream": without_login(self.what),
        }.get(self.kind, Path(self.what).name or self.what)

    def open(  # noqa: PLR0911 - one for each kind
        self,
        *,
        loop: bool = False,
        camera: CameraWish | None = None,
        fps: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> Source:
        """Opens it; `SourceLost` if it is not there (now). See `open_source` for the options."""
        match self.kind:
            case "webcam":
                return Webcam(int(self.what), wish=camera, clock=clock)
            case "stream":
                return Stream(self.what, clock=clock)
            case "phone":
                return PushedFrames(self.name, clock=clock)
            case "none":
                return NoCamera()
            case "simulated":
                # Drawing a table is a room of its own that itself gives a source.
                from vision.simulate.live import SimulatedTable  # noqa: PLC0415
                from vision.simulate.scenes import named_scene  # noqa: PLC0415

                return SimulatedTable(named_scene(self.what), fps=fps or 15.0, clock=clock, sleep=sleep)
            case "pictures":
                return Pictures(Path(self.what), fps=fps or 10.0, loop=loop)
            case "video":
                return VideoFile(Path(self.what), loop=loop)


def parse_source(spec: str) -> SourceRequest:
    """Understands what a person typed, without opening it; refuses the rest with what is accepted.

    >>> parse_source("0").kind, parse_source("rtsp://camera.local/1").kind, parse_source("sim").kind
    ('webcam', 'stream', 'simulated')
    """
    text = spec.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        # Windows copies a path in quotes.
        text = text[1:-1].strip()
    if device := _DEVICE.match(text):
        return SourceRequest("webcam", str(int(device.group(1))))
    if text.casefold() in ("phone", "none"):
        return SourceRequest("phone" if text.casefold() == "phone" else "none", text.casefold())
    if simulated := _SIMULATED.match(text):
        return SourceRequest("simulated", simulated.group("name") or "default")
    if _ADDRESS.match(text):
        return SourceRequest("stream", text)
    path, there = _looked_up(text)
    if there == "folder":
        return SourceRequest("pictures", str(path))
    suffix = path.suffix.lower()
    photo = suffix in PICTURES or suffix in PHONES
    known = photo or suffix in VIDEOS
    if there == "file" and known:
        return SourceRequest("pictures" if photo else "video", str(path))
    if not text or "://" in text:
        reason = f"{spec!r} is not a source"
    elif there == "file":
        reason = f"{text} is a file of an unknown kind ({suffix or 'no ending'})"
    elif known:
        reason = f"there is no file {text}"
    else:
        reason = f"{text!r} is neither a camera nor a file or folder that exists"
    raise SourceRefused(f"{reason}. Expected {ACCEPTED}.")


def _looked_up(text: str) -> tuple[Path, Literal["folder", "file"] | None]:
    """The path that a person may mean, and what is there; names too long to be one are nothing."""
    path = Path(text)
    try:
        path = path.expanduser()
        if text and path.is_dir():
            return path, "folder"
        return path, "file" if text and path.is_file() else None
    except (OSError, RuntimeError, ValueError):
        return path, None


def open_source(
    spec: str,
    *,
    loop: bool = False,
    camera: CameraWish | None = None,
    fps: float | None = None,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Source:
    """The source that a person typed: "0", "photo.jpg", "folder", "clip.mp4", "http://…", "sim".

    `loop` starts files again at their end; `camera` is what a webcam is asked for; `fps` the rate
    of a folder's pictures and of a simulated table; live sources stamp frames with `clock`.
    Raises `SourceRefused` for what is no source, `SourceLost` for one that is not there.
    """
    return parse_source(spec).open(loop=loop, camera=camera, fps=fps, clock=clock, sleep=sleep)


def play_source(
    spec: str,
    *,
    loop: bool = False,
    camera: CameraWish | None = None,
    fps: float | None = None,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
    tell: Callable[[str], None] | None = None,
) -> Source:
    """A source as a running referee wants it: files at their own speed, the lost tried again.

    Refuses at once what can never work; a camera that is merely not there is waited for. A
    simulated table and a phone come as they are: the one has its pieces moved by people, the
    other is handed its pictures, and neither needs opening again. "none" waits until another is chosen.
    """
    asked = parse_source(spec)
    if asked.kind in ("simulated", "phone", "none"):
        return asked.open(fps=fps, clock=clock, sleep=sleep)

    def opened() -> Source:
        source = asked.open(loop=loop, fps=fps, clock=clock, sleep=sleep)
        return source if source.live else Paced(source, clock=clock, sleep=sleep)

    film = not asked.live
    opener = _webcam_again(int(asked.what), camera, clock) if asked.kind == "webcam" else opened
    return Retrying(opener, asked.name, clock=clock, sleep=sleep, tell=tell, film=film)


def _webcam_again(index: int, camera: CameraWish | None, clock: Callable[[], float]) -> Callable[[], Source]:
    """Opens the same webcam each time, under the number that it has then and with its last wishes."""
    same = SameWebcam(index)
    last: Webcam | None = None

    def opened() -> Source:
        nonlocal last
        last = Webcam(same.find(), wish=camera if last is None else last.wish, clock=clock)
        return last

    return opened
