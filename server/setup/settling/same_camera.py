"""The owner says that it is the same camera: its calibration is taken up again if the corner tags agree."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from fastapi import APIRouter, Request

from calibration.bundle.doubts import judge
from calibration.bundle.solve import solve
from calibration.lens.model import Lens, LensError, guess_lens
from calibration.surface import POSE_PARAMETERS, SurfaceError
from calibration.tablefile import TableFile
from engine.errors import TableRefError
from server.formats.entries import Entry
from server.pipeline.opening import kept_lens
from server.pipeline.referee import Moment, TableEvent
from server.pipeline.runner import Runner
from server.web.authentication import may, who_asks
from server.web.messages import Model, refusals
from vision.evidence import sort_out
from vision.frame import Frame
from vision.tags.reading import TagReader

PATH = "/api/camera/same"
SAID = "camera.same"
"""The kind of entry that is kept of it."""

OWNER = "the owner"

SURE = 1.96
"""So many deviations make 95 %."""

FOCAL = POSE_PARAMETERS
"""Where the focal length stands among a surface's parameters: after rotation and translation."""

REMEDY = (
    "Calibrate this camera (page Calibrate). If it is the same one, see whether its zoom, its focus or a "
    "corner tag was moved."
)


class SameCameraError(TableRefError):
    """A calibration that cannot be taken up again, and why."""


class SameCameraView(Model):
    """Whether another camera is suspected, and whether who asks may say that it is the same."""

    asked: bool
    may_say: bool


@dataclass(frozen=True)
class Agreement:
    """How the tags in a picture bear on a kept lens, by its focal length in pixels.

    `found` is what the tags alone say of it and `sd` how surely, `stated` and `stated_sd` are the
    calibration's. `fits` says whether everything as it is stated fits what is seen.
    """

    found: float
    sd: float
    stated: float
    stated_sd: float
    fits: bool

    @property
    def agrees(self) -> bool:
        """Whether the lens may be taken up: all fits, and the focal lengths lie within their 95 %."""
        return self.fits and abs(self.found - self.stated) <= SURE * math.hypot(self.sd, self.stated_sd)

    @property
    def words(self) -> str:
        """The figure, for people."""
        return (
            f"by the tags its focal length is {self.found:.0f} pixels (±{SURE * self.sd:.0f}, 95 %), the "
            f"calibration says {self.stated:.0f}"
        )


def agreement(lens: Lens, table: TableFile, frame: Frame) -> Agreement:
    """Holds the tags in a picture against a lens. Raises `SurfaceError` where too few are seen."""
    seen = sort_out(TagReader.of(table.keys).read_all(frame, thorough=False), table)
    tags = [*seen.loose, *seen.raised]
    judged = judge(lens, seen.corners, tags, table.frame, table.common, table.corners)
    lens_in_doubt = any(d.kind == "lens" for d in judged.doubts)
    # Hardly anything is taken to be known of the lens: what is found is what the tags say.
    free = replace(lens, covariance=lens.covariance + guess_lens(lens.size).covariance)
    alone = solve(free, seen.corners, tags, table.frame, table.accuracy.common).surface
    return Agreement(
        found=float(alone.lens.K[0, 0]),
        sd=math.sqrt(float(alone.covariance[FOCAL, FOCAL])),
        stated=float(lens.K[0, 0]),
        stated_sd=math.sqrt(float(lens.covariance[0, 0])),
        fits=judged.consistent and not lens_in_doubt,
    )


def kept_calibration(table: TableFile, camera: str, size: tuple[int, int]) -> Lens:
    """The calibration that is kept for this camera. Raises `SameCameraError` if there is none."""
    try:
        lens = kept_lens(camera, size) if table.lens is None else None
        lens = lens or table.lens_for(size)
    except LensError as error:
        raise SameCameraError(f"its calibration cannot be taken up: {error}") from error
    if lens.guessed:
        wide, high = size
        raise SameCameraError(
            f"no calibration is kept for pictures of {wide} × {high} pixels: set the camera to the size "
            "that it was calibrated at, or calibrate it (page Calibrate)"
        )
    return lens


def same_camera_router(
    live: Runner, calibration: Callable[[TableFile, str, tuple[int, int]], Lens] = kept_calibration
) -> APIRouter:
    """`/api/camera/same`; `calibration` finds what is kept for a camera."""
    router = APIRouter()
    refused = refusals({409: "Is not taken up"})

    def suspected() -> Moment | None:
        moment = live.moment
        return moment if moment is not None and moment.another else None

    def view(request: Request) -> SameCameraView:
        return SameCameraView(
            asked=suspected() is not None, may_say=may(who_asks(request).role, "POST", PATH)
        )

    def take_up(moment: Moment) -> tuple[Lens, Agreement]:
        table = live.table
        if table is None:
            raise SameCameraError("no table is kept yet: there is nothing to hold the camera against")
        lens = calibration(table, live.camera, moment.frame.size)
        try:
            return lens, agreement(lens, table, moment.frame)
        except SurfaceError as error:
            raise SameCameraError(f"it cannot be told yet: {error}") from error

    def keep(moment: Moment, words: str, found: Agreement) -> None:
        """In the record first, then everybody is told."""
        data = {
            "taken_up": found.agrees,
            "focal_px": round(found.stated, 1),
            "by_tags": {"focal_px": round(found.found, 1), "sd_px": round(found.sd, 1)},
        }
        live.note(Entry(SAID, moment.time, words, data, OWNER))
        live.announce(TableEvent(moment.time, "camera", None, words))

    @router.get(PATH, response_model=SameCameraView)
    def look(request: Request) -> SameCameraView:
        """Whether another camera is suspected."""
        return view(request)

    @router.post(PATH, response_model=SameCameraView, responses=refused)
    def say() -> SameCameraView:
        """The owner says that it is the same camera."""
        moment = suspected()
        if moment is None:
            raise SameCameraError("no other camera is suspected any more: nothing was changed")
        lens, found = take_up(moment)
        if not found.agrees:
            words = f"The corner tags do not agree with the kept calibration: {found.words}."
            keep(moment, f"The owner said that it is the same camera. {words} It is not used.", found)
            raise SameCameraError(f"{words} It is not used. {REMEDY}")
        keep(
            moment,
            "The owner said that it is the same camera. The corner tags agree with its calibration: "
            f"{found.words}. It is used again.",
            found,
        )
        live.use_lens(lens, resumed=True)
        return SameCameraView(asked=False, may_say=True)

    return router
