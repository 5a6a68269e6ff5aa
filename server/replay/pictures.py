"""Stills and video of recorded games over HTTP, for pages and programs that show them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi import Path as PathPart
from fastapi.responses import FileResponse, Response

from engine.errors import NotThere
from server.formats.jpeg import jpeg
from server.recording.library.games import Library
from server.web.messages import Model, Name, answers, refusals
from server.web.workers import BUSY_ANSWER, costly

NOTHING = refusals({404: "Nothing was kept"})
JPEG = answers("A picture", "image/jpeg")
MP4 = answers("A segment", "video/mp4")

Seconds = Annotated[float, Query(ge=0, le=1e7)]


class SegmentView(Model):
    """A file of video that a browser plays. Times are the game's own, seconds.

    `whole` is false while it is being written: then it grows, and has no index to seek by.
    """

    begins_s: float
    ends_s: float
    whole: bool
    url: str


def pictures_router(library: Library) -> APIRouter:
    """What a recorded game looked like."""
    router, made = APIRouter(), APIRouter(route_class=costly(), responses=BUSY_ANSWER)

    @made.get("/api/games/{id}/stills/{number}.jpg", response_class=Response, responses=NOTHING | JPEG)
    def still(id: Name, number: Annotated[int, PathPart(ge=1, le=2**31 - 1)]) -> Response:
        """The still of an entry, in full size."""
        picture = library.reader(id).still_at(number)
        return _jpeg(picture, f"no still was kept of entry {number}")

    @made.get("/api/games/{id}/frame.jpg", response_class=Response, responses=NOTHING | JPEG)
    def frame(id: Name, t: Seconds) -> Response:
        """The video's picture at a time of the game, or the still that shows it."""
        reader = library.reader(id)
        image = reader.frame_at(t)
        if image is None:
            return _jpeg(reader.still_near(t), f"no picture was kept of {t:g} s")
        return _jpeg(jpeg(image, 85), "")

    @made.get("/api/games/{id}/video", response_model=list[SegmentView], responses=NOTHING)
    def video(id: Name) -> list[SegmentView]:
        """The segments of a game's video, in order."""
        return [
            SegmentView(
                begins_s=s.begins_s,
                ends_s=s.ends_s,
                whole=s.whole,
                url=f"/api/games/{id}/video/{round(1000 * s.begins_s)}.mp4",
            )
            for s in library.reader(id).segments()
        ]

    @router.get("/api/games/{id}/video/{begins_ms}.mp4", response_class=FileResponse, responses=NOTHING | MP4)
    def segment(id: Name, begins_ms: Annotated[int, PathPart(ge=0, le=10**11)]) -> FileResponse:
        """A segment by when it begins, milliseconds; parts of it may be asked for."""
        found = next(
            (s for s in library.reader(id).segments() if round(1000 * s.begins_s) == begins_ms), None
        )
        if found is None:
            raise NotThere(f"no segment of video begins at {begins_ms} ms")
        return FileResponse(found.path, media_type="video/mp4")

    router.include_router(made)
    return router


def _jpeg(picture: bytes | None, otherwise: str) -> Response:
    if picture is None:
        raise NotThere(otherwise)
    return Response(picture, media_type="image/jpeg")
