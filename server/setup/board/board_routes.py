"""`/api/setup/board`: a board is chosen, put on the table in the picture, and kept with the table."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter, Request

from calibration.tablefile import TableFile
from server.setup.board.board_messages import BoardSetupView, ChooseBoard, MoveBoard
from server.setup.board.board_place import BoardPlace, without_board
from server.setup.cameras.sourcing import only_here
from server.setup.laying import LaidMaps
from server.setup.printing.last_look import LastLook
from server.web.messages import refusals


def board_router(
    look: Callable[[], LastLook], change: Callable[[Callable[[TableFile], str]], None]
) -> APIRouter:
    """Putting a board on the table. `look` is what was seen last, `change` writes the file's new text."""
    router, place = APIRouter(), BoardPlace(LaidMaps())
    refused = refusals({403: "Not from here", 409: "Cannot lie there"})

    def answered(request: Request, do: Callable[[], BoardSetupView]) -> BoardSetupView:
        only_here(request)
        return do()

    def written(make: Callable[[TableFile], str]) -> BoardSetupView:
        change(make)
        place.forget()
        return place.view(look())

    @router.get("/api/setup/board", response_model=BoardSetupView)
    def boards() -> BoardSetupView:
        """The boards that there are, and how one would lie that is being put on the table."""
        return place.view(look())

    @router.post("/api/setup/board/choose", response_model=BoardSetupView, responses=refused)
    def choose(request: Request, asked: ChooseBoard) -> BoardSetupView:
        """Begins with a board in the middle of the table; nothing is written."""
        return answered(request, lambda: place.choose(asked, look()))

    @router.post("/api/setup/board/move", response_model=BoardSetupView, responses=refused)
    def move(request: Request, asked: MoveBoard) -> BoardSetupView:
        """Moves or turns it; nothing is written."""
        return answered(request, lambda: place.move(asked, look()))

    @router.post("/api/setup/board/keep", response_model=BoardSetupView, responses=refused)
    def keep(request: Request) -> BoardSetupView:
        """Writes where it lies."""
        return answered(request, lambda: written(place.text))

    @router.post("/api/setup/board/drop", response_model=BoardSetupView, responses=refused)
    def drop(request: Request) -> BoardSetupView:
        """Takes the board out of the table file."""
        return answered(request, lambda: written(lambda table: without_board(table.text)))

    return router
