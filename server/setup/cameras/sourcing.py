"""The page's dialog for the source: which there are, which runs, and another in its place."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Annotated, Literal, Protocol

from fastapi import APIRouter, Request
from fastapi import Path as PathPart
from fastapi.responses import Response
from pydantic import Field

from engine.errors import NotAllowed, NotThere
from server.pipeline.opening import Choice, camera_of
from server.pipeline.referee import Refereeing
from server.pipeline.runner import Runner
from server.setup.cameras.camera_wish import wish_of
from server.table.viewer import jpeg_of
from server.web.authentication import owner_is_here
from server.web.messages import Model, answers, refusals
from server.web.middleware import origin_allowed
from vision.source import CameraWish, Device, Source, list_webcams, parse_source
from vision.sources.devices import COMMON_SIZES, thumbnail
from vision.sources.live import Control

# A camera that another program has does not answer better when asked more often.
_ASKED_AT_ONCE = 1


class Begins(Protocol):
    """What opens a source with a referee for it: `server.pipeline.opening.Opener`."""

    def begin(self, choice: Choice) -> tuple[Source, Refereeing]:
        """Source and referee, both new."""
        ...


class CameraView(Model):
    """A webcam to choose."""

    index: int
    name: str
    running: bool


class Running(Model):
    """The source that runs. `spec` is what it was chosen by, and as empty elsewhere as its options."""

    kind: Literal["pictures", "video", "webcam", "stream", "phone", "simulated", "none"]
    name: str
    words: str
    spec: str
    loop: bool
    size: str
    fps: float | None
    focus: str
    exposure: str


class Sources(Model):
    """What the dialog shows. `why` says why the source may not be chosen from here."""

    may_choose: bool
    why: str | None
    running: Running
    cameras: list[CameraView]
    sizes: list[str]
    sample: str | None
    """The film that comes with tableref, as a source is chosen; None elsewhere, or where there is none."""


class Choose(Model):
    """Another source, or the running camera set otherwise.

    `size`, `focus` and `exposure` are written as on the command line.
    """

    spec: Annotated[str, Field(min_length=1, max_length=1000)]
    loop: bool = False
    size: Annotated[str, Field(max_length=20)] = "1920x1080"
    fps: Annotated[float, Field(ge=0.1, le=240)] | None = None
    focus: Annotated[str, Field(max_length=20)] = "auto"
    exposure: Annotated[str, Field(max_length=20)] = "auto"

    def choice(self) -> Choice:
        """What is to be opened; refuses what no camera can be asked for."""
        wish = wish_of(self.size, self.fps or CameraWish().fps, self.focus, self.exposure)
        return Choice(self.spec, self.loop, wish, self.fps)


class Chooser:
    """Changes what a running referee watches; `chosen` is told of each choice that was taken."""

    def __init__(
        self,
        live: Runner,
        player: Begins,
        choice: Choice,
        *,
        webcams: Callable[[], tuple[Device, ...]] = list_webcams,
        glance: Callable[[int], bytes | None] = thumbnail,
        chosen: Callable[[Choice], None] | None = None,
        sample: str | None = None,
    ) -> None:
        self.live = live
        self.sample = sample
        self._chosen = chosen
        self.choice = choice
        self.webcams = webcams
        self._player = player
        self._glance = glance
        self._choosing = threading.Lock()
        self._glancing = threading.BoundedSemaphore(_ASKED_AT_ONCE)

    def choose(self, choice: Choice) -> None:
        """Watches something else from now on; what cannot be is refused and all stays as it was."""
        with self._choosing:
            asked = parse_source(choice.spec)
            camera = self.live.source.tunable
            # A running camera is set as it runs: opened twice, it would be in its own way.
            if asked == parse_source(self.choice.spec) and camera is not None:
                camera.ask_for(choice.wish)
            else:
                source, referee = self._player.begin(choice)
                again = partial(self._player.begin, choice) if choice.loop else None
                self.live.switch(source, referee, again=again, camera=camera_of(asked))
            self.choice = choice
            if self._chosen is not None:
                self._chosen(choice)

    def running_index(self) -> int | None:
        """The number of the webcam that runs; None if another kind of source does."""
        asked = parse_source(self.choice.spec)
        return int(asked.what) if asked.kind == "webcam" else None

    def picture(self, index: int) -> bytes | None:
        """What a webcam sees now, as JPEG; of the running one its newest frame."""
        if index == self.running_index():
            moment = self.live.moment
            return None if moment is None else jpeg_of(moment.frame)
        with self._glancing:
            return self._glance(index)

    def view(self, here: bool) -> Sources:
        """What the dialog shows, `here` on the machine itself or elsewhere."""
        choice, at_work = self.choice, self.running_index()
        return Sources(
            may_choose=here,
            why=None if here else elsewhere("choose the source"),
            running=Running(
                kind=parse_source(choice.spec).kind,
                name=self.live.source.name,
                words=self.live.snapshot.words,
                spec=choice.spec if here else "",
                loop=choice.loop,
                size=size_words(choice.wish.size),
                fps=choice.fps,
                focus=control_words(choice.wish.focus),
                exposure=control_words(choice.wish.exposure),
            ),
            cameras=[
                CameraView(index=d.index, name=d.name, running=d.index == at_work)
                for d in (self.webcams() if here else ())
            ],
            sizes=["own", *map(size_words, COMMON_SIZES)],
            sample=self.sample if here else None,
        )


def size_words(size: tuple[int, int] | None) -> str:
    """As it is written on the command line.

    >>> size_words((1280, 720)), size_words(None)
    ('1280x720', 'own')
    """
    return "own" if size is None else f"{size[0]}x{size[1]}"


def control_words(control: Control) -> str:
    """As it is written on the command line.

    >>> control_words("lock"), control_words(-6.0)
    ('lock', '-6')
    """
    return control if isinstance(control, str) else f"{control:g}"


def elsewhere(deed: str) -> str:
    """Why a deed is for the owner at the machine itself, for whoever else looks."""
    return (
        f"Only the owner of the table may {deed}, on the machine that the camera hangs on: open this page "
        "there, by the address that begins with localhost."
    )


def only_here(request: Request) -> None:
    """A page of another site must not choose either, although it is shown on this machine."""
    headers = request.headers
    if not (owner_is_here(request) and origin_allowed(headers.get("origin"), headers.get("host", ""))):
        raise NotAllowed(elsewhere("choose the source"))


def sources_router(chooser: Chooser) -> APIRouter:
    """What the dialog asks for."""
    router = APIRouter()
    elsewhere = refusals({403: "Not from here"})
    nothing = refusals({404: "No picture"})
    refused = refusals({409: "Cannot be opened"})

    @router.get("/api/sources", response_model=Sources)
    def sources(request: Request) -> Sources:
        """Which sources there are, and which runs."""
        return chooser.view(owner_is_here(request))

    @router.get(
        "/api/sources/{index}/picture.jpg",
        response_class=Response,
        responses=elsewhere | nothing | answers("A glance", "image/jpeg"),
    )
    def picture(request: Request, index: Annotated[int, PathPart(ge=0, le=99)]) -> Response:
        """What a webcam sees now; switches it on for a moment unless it runs."""
        only_here(request)
        known = index == chooser.running_index() or any(d.index == index for d in chooser.webcams())
        seen = chooser.picture(index) if known else None
        if seen is None:
            raise NotThere(f"camera {index} shows no picture; another program may have it")
        return Response(seen, media_type="image/jpeg")

    @router.post("/api/source", response_model=Sources, responses=elsewhere | refused)
    def choose(request: Request, asked: Choose) -> Sources:
        """Watches another source from now on."""
        only_here(request)
        chooser.choose(asked.choice())
        return chooser.view(True)

    return router
