"""The page's lens calibration: looks at the picture, collects views of the board, keeps the lens.

One session a server: whoever has the page open sees the same views. The page asks for one look
after the other, and each look takes the newest picture, so that a slow machine looks less often
and nothing queues.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from calibration.lens.guidance import GOOD_VIEWS, BoardLook, Collector
from calibration.lens.intrinsics import calibrate
from calibration.lens.model import Lens
from calibration.lens.target import Target
from calibration.prints.paper import MM
from engine.errors import NotAllowed, NotThere
from server.formats.jpeg import jpeg
from server.pipeline.json_records import lens_record
from server.pipeline.opening import keep_lens
from server.pipeline.runner import Runner
from server.web.messages import answers, refusals
from server.web.middleware import origin_allowed
from vision.frame import Frame

SHOWN_WIDTH = 1280
"""Pixels across of the picture that is shown; corners are found in the whole one."""

Millimetres = Annotated[float, Field(gt=1.0, le=500.0)]
Count = Annotated[int, Field(ge=3, le=40)]
Pair = Annotated[list[float], Field(min_length=2, max_length=2)]


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TargetAsked(_Message):
    """The board that was printed."""

    kind: Literal["charuco", "chessboard"] = "charuco"
    columns: Count = 5
    rows: Count = 7
    square_mm: Millimetres = 33.0
    marker_mm: Millimetres = 24.0
    dictionary: Annotated[str, Field(max_length=40)] = "DICT_5X5_100"

    def board(self) -> Target:
        """Refuses what is no board."""
        squares = (self.columns, self.rows)
        return Target(self.kind, squares, self.square_mm * MM, self.marker_mm * MM, self.dictionary)


class Progress(_Message):
    """What the session has seen so far. Corners are pixels of the picture of `size`."""

    board: str
    looked: int
    size: list[int] | None
    corners: list[Pair]
    taken: bool
    words: str
    views: int
    wanted: int
    cells: list[list[int]]
    tilts: list[Pair]
    missing: list[str]
    will_do: bool
    enough: bool


class ViewRow(_Message):
    """One picture's part in the lens."""

    name: str
    used: bool
    corners: int
    rms_px: float | None
    tilt_deg: float | None
    why: str


class LensFound(_Message):
    """The calibrated lens, its report and where it is kept."""

    words: list[str]
    views: list[ViewRow]
    kept: str


class LensSession:
    """Collects views of a board from the table's source and calibrates its lens."""

    def __init__(self, live: Runner, keep: Callable[[Lens, str], Path] = keep_lens) -> None:
        self._live = live
        self._keep = keep
        self._lock = threading.Lock()
        self._collector = Collector(TargetAsked().board())
        self._camera = live.camera
        self._frame: Frame | None = None
        self._looked = 0
        self._look = BoardLook(None, False, "Hold the board into the picture.")

    def begin(self, board: Target) -> Progress:
        """Starts afresh with this board."""
        with self._lock:
            self._collector = Collector(board)
            self._look = BoardLook(None, False, "Hold the board into the picture.")
            return self._progress()

    def look(self) -> Progress:
        """Looks at the newest picture, if it is new, and says what there is so far."""
        with self._lock:
            moment = self._live.moment
            if self._camera != self._live.camera:
                # Another camera has another lens: what the last one saw says nothing of it.
                self._camera, self._frame = self._live.camera, None
                self._collector = Collector(self._collector.board)
            if moment is None:
                self._look = BoardLook(None, False, self._live.snapshot.words)
            elif self._frame is not moment.frame:
                before, self._frame = self._frame, moment.frame
                # The pictures of a folder carry each its own file's name.
                alone = before is not None and before.source != self._frame.source
                self._look = self._collector.offer(self._frame.grey, self._frame.time, alone)
                self._looked += 1
            return self._progress()

    def solve(self) -> LensFound:
        """Calibrates, keeps the lens for this camera and sees through it. Raises `LensError`."""
        with self._lock:
            views, board, camera = list(self._collector.views), self._collector.board, self._camera
        found = calibrate(views, board)
        path = self._keep(found.lens, camera)
        used = camera == self._live.camera and self._live.use_lens(found.lens)
        size = f"{found.lens.size[0]}x{found.lens.size[1]}"
        kept = (
            f"Kept for {camera} at {size} in {path}{', and in use now' if used else ''}. "
            "The next start finds it, unless the table has a lens of its own."
        )
        words = [line[:1].upper() + line[1:] + "." for line in found.words]
        return LensFound(
            words=words, views=[ViewRow(**row) for row in lens_record(found)["views"]], kept=kept
        )

    def picture(self) -> bytes | None:
        """The picture that was looked at last, JPEG, at most `SHOWN_WIDTH` across."""
        frame = self._frame
        return None if frame is None else jpeg(frame.image, 80, SHOWN_WIDTH)

    def _progress(self) -> Progress:
        collector, view = self._collector, self._look.view
        return Progress(
            board=collector.board.words,
            looked=self._looked,
            size=list(self._frame.size) if self._frame is not None else None,
            corners=np.round(view.in_image, 1).tolist() if view else [],
            taken=self._look.taken,
            words=self._look.words,
            views=len(collector.views),
            wanted=GOOD_VIEWS,
            cells=collector.cells.astype(int).tolist(),
            tilts=[[round(x, 3), round(y, 3)] for x, y in collector.tilts],
            missing=list(collector.missing),
            will_do=collector.will_do,
            enough=collector.enough,
        )


def _own_page(request: Request) -> None:
    """Refuses what another site's page asks for in this browser."""
    if not origin_allowed(request.headers.get("origin"), request.headers.get("host", "")):
        raise NotAllowed("this may only be asked for by tableref's own page")


def calibrating(session: LensSession) -> APIRouter:
    """The routes of one session."""
    router = APIRouter(
        prefix="/api/calibrate",
        dependencies=[Depends(_own_page)],
        responses=refusals({403: "Asked by another site's page"}),
    )
    refused = refusals({409: "No such board, or the views do not settle the lens"})

    @router.post("/begin", response_model=Progress, responses=refused)
    def begin(board: TargetAsked) -> Progress:
        """Start collecting views of this board afresh."""
        return session.begin(board.board())

    @router.post("/look", response_model=Progress)
    def look() -> Progress:
        """Look at the newest picture; a sharp new view of the board is taken."""
        return session.look()

    @router.post("/solve", response_model=LensFound, responses=refused)
    def solve() -> LensFound:
        """Calibrate the lens from the views so far, keep it and use it."""
        return session.solve()

    @router.get(
        "/picture.jpg",
        response_class=Response,
        responses=answers("The picture that was looked at last", "image/jpeg")
        | refusals({404: "Nothing looked at yet"}),
    )
    def picture() -> Response:
        """The picture that was looked at last."""
        data = session.picture()
        if data is None:
            raise NotThere("nothing has been looked at yet")
        return Response(data, media_type="image/jpeg")

    return router
