"""The library of games over HTTP: a page of what there is, searched, and a game deleted."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Request

from server.recording.library.games import UnknownGame
from server.recording.library.search import AT_ONCE, Wanted
from server.replay.shelf import Shelf, ShelfView
from server.web.authentication import who_asks
from server.web.messages import Model, Name, refusals
from server.web.pages import add_pages
from server.web.workers import BUSY_ANSWER, costly

MOST_GAMES = 200
"""Games that are told at once."""

UNKNOWN = refusals({404: "No such game"})
TAKEN = refusals({409: "Being recorded"})

Searched = Annotated[str, Query(max_length=200)]


class Games(Model):
    """A part of the library, newest first."""

    games: list[ShelfView]
    total: int
    """How many there are of those that were asked for."""
    first: int
    """The number of the first of these among them, from 0 on."""
    library: str | None
    """Where it lies; for the owner alone."""
    may_change: bool
    """Whether whoever asks may export and delete."""


def library_router(shelf: Shelf) -> APIRouter:
    """The list of games."""
    router = APIRouter()
    # Each is told as who asks may know it.
    made = APIRouter(route_class=costly(own=True), responses=BUSY_ANSWER)
    library = shelf.library

    add_pages(router, "replay")

    @made.get("/api/games", response_model=Games)
    def games(
        request: Request,
        words: Searched = "",
        player: Searched = "",
        game: Searched = "",
        place: Searched = "",
        since: datetime | None = None,
        until: datetime | None = None,
        first: Annotated[int, Query(ge=0, le=10**9)] = 0,
        count: Annotated[int, Query(ge=1, le=MOST_GAMES)] = AT_ONCE,
    ) -> Games:
        """A page of the library, the newest first; of those games that are wanted (`search.Wanted`)."""
        mine = who_asks(request).role == "owner"
        found = library.search(Wanted(words, player, game, place, since, until), first, count)
        return Games(
            games=[shelf.view(g) for g in found.games],
            total=found.total,
            first=found.first,
            library=library.words if mine else None,
            may_change=mine,
        )

    @router.delete("/api/games/{id}", response_model=Games, responses=UNKNOWN | TAKEN)
    def delete(request: Request, id: Name) -> Games:
        """Deletes a game with its pictures and video, and tells what is left; the owner alone may."""
        if not library.has(id):
            raise UnknownGame(f"no game {id!r} is in the library; its whole id is wanted here")
        library.delete(id)
        shelf.forget(id)
        return games(request)

    router.include_router(made)
    return router
