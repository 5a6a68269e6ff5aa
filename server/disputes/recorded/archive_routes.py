"""The disputes of recorded games over HTTP: which were had, and the sealed file of each."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter
from fastapi.responses import Response

from engine.errors import NotThere
from server.disputes.documents import html, pdf
from server.disputes.recorded.reopening import Had, disputes_of, sealed
from server.disputes.routes import FileKind, file_answer
from server.recording.library.games import Library
from server.table import gate
from server.web.messages import Model, Name, answers, refusals
from server.web.workers import BUSY_ANSWER, costly

UNKNOWN = refusals({404: "Not there"})
FILE = UNKNOWN | answers("The file", "text/html", "application/pdf") | refusals({409: "Not as it was sealed"})


class HadView(Model):
    """A dispute that was had in a game.

    `entries` are the numbers of what the record says of it, `saved` whether its sealed file is there, and
    given: where the book hides distances, once the game is over.
    """

    id: str
    at_s: float
    words: str
    entries: list[int]
    saved: bool


def kept_router(library: Library, hides: Callable[[str], bool] = lambda _: False) -> APIRouter:
    """For everybody who may see the game; `hides`: whether one goes on by a book that hides distances."""
    router = APIRouter(route_class=costly(), responses=BUSY_ANSWER)

    def had_in(id: str) -> tuple[Had, ...]:
        reader = library.reader(id)
        return disputes_of(reader, library.place.pictures_of(reader.game.id))

    @router.get("/api/games/{id}/disputes", response_model=list[HadView], responses=UNKNOWN)
    def disputes(id: Name) -> list[HadView]:
        """The disputes of a game, in order, each as it was left."""
        hidden = hides(id)
        return [
            HadView(
                id=had.id,
                at_s=round(had.at_s, 3),
                words=gate.scrubbed(had.words, hidden),
                entries=list(had.entries),
                saved=had.file is not None and not hidden,
            )
            for had in had_in(id)
        ]

    @router.get("/api/games/{id}/disputes/{dispute}/dispute.{kind}", response_class=Response, responses=FILE)
    def file(id: Name, dispute: Name, kind: FileKind) -> Response:
        """A decided dispute as one self-contained, sealed file."""
        one = next((had for had in had_in(id) if had.id == dispute), None)
        if one is None:
            raise NotThere(f"game {id} has no dispute {dispute!r}")
        gate.refuse_running(hides(id), "the file of a dispute")
        kept = sealed(one)
        # Written anew from what was sealed: whatever else stands in the kept file goes to nobody.
        render = (html if kind == "html" else pdf).render
        return file_answer(one.id, kind, render(kept.contents, kept.pictures, kept.signature))

    return router
