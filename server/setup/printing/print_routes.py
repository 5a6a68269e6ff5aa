"""The page's step *Print*: what will be read from here, and one PDF for exactly what a player has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated

import numpy as np
from fastapi import APIRouter, Query
from fastapi.responses import Response

from calibration.prints.how_to import how_part
from calibration.prints.maps import laid_out
from calibration.prints.paper import Part, PrintError, Sheet, document, usual_paper
from calibration.prints.sheets import tag_part
from calibration.prints.strip import StripPrint, strip_sheet
from calibration.prints.table_sheet import FAMILY, ids_for, sheet_title, table_prints
from engine.game.registry import game_called
from server.play.paper import Blank, to_fill_in, unowned
from server.setup.laying import LaidMaps
from server.setup.printing import game_prints
from server.setup.printing import print_messages as messages
from server.setup.printing.advice import (
    FOUND_PX,
    measured_view,
    offered,
    proposed,
    reckoned_view,
    size_words,
    view_words,
)
from server.setup.printing.last_look import LastLook
from server.web.messages import answers, refusals
from server.web.workers import BUSY_ANSWER, costly


def print_router(look: Callable[[], LastLook]) -> APIRouter:
    """What the step asks for; `look` is what was seen last."""
    router, laid = APIRouter(), LaidMaps()
    # Dozens of sheets take a second: few at a time, so that the referee is not kept waiting.
    made = APIRouter(route_class=costly(), responses=BUSY_ANSWER)
    refused = refusals({422: "Cannot be printed"})
    pdf = answers("A PDF", "application/pdf")

    @router.get("/api/setup/print", response_model=messages.PrintAdvice, responses=refused)
    def advice(have: Annotated[messages.Have, Query()]) -> messages.PrintAdvice:
        """Which ids will be printed, and which sizes of roof tag will be read from this camera."""
        return advised(have, look(), laid)

    @made.get("/api/setup/print.pdf", response_class=Response, responses=refused | pdf)
    def sheet(have: Annotated[messages.Have, Query()]) -> Response:
        """Tags with ids that follow those on the table, holders, and what of a game was asked for."""
        last, paper = look(), Sheet(have.paper)
        parts = [
            *_how(have, last),
            _tags(have, last),
            *game_prints.game_parts(have.wish, last.table, paper, laid),
        ]
        return _pdf(document(parts), "tableref-tags")

    @made.get("/api/setup/fill-in.pdf", response_class=Response, responses=refused | pdf)
    def fill_in(have: Annotated[messages.Have, Query()]) -> Response:
        """What the cars of a game are played from on paper: cards, or record sheets to fill in by hand."""
        blank = _blank(have)
        if blank is None:
            raise PrintError("expected a game and its cars: nothing is filled in by hand without them")
        return _pdf(blank.pdf(), "tableref-record-sheets")

    @router.get("/api/setup/strip.pdf", response_class=Response, responses=pdf)
    def strip(paper: messages.Paper | None = None) -> Response:
        """A check strip: two tags, and marks to measure between. On this system's paper if nobody says."""
        return _pdf(strip_sheet(StripPrint(), paper or usual_paper()), "tableref-strip")

    router.include_router(made)
    return router


def advised(have: messages.Have, last: LastLook, laid: LaidMaps) -> messages.PrintAdvice:
    """What the page says of a sheet before it is printed."""
    ids = ids_for(have.wanted, last.table, _seen(last)).words
    sizes, best, words = _sizes(have, last)
    return messages.PrintAdvice(
        ids=ids,
        sizes=sizes,
        proposed_in=best,
        words=words,
        paper=_paper(have, last, laid),
        on=have.paper,
        games=[
            messages.GameChoice(game=one.id, title=one.title, needs=game_prints.needs_board(one))
            for one in game_prints.games_to_print()
        ],
        game=_game(have, last, laid),
    )


def _sizes(have: messages.Have, last: LastLook) -> tuple[list[messages.SizeView], float | None, str]:
    """The sizes of roof tag, the proposed one, and where the numbers come from."""
    if last.frame is None:
        return [], None, "Once there is a picture."
    if last.found is None:
        view = reckoned_view(last.frame.size, (12 * have.width_ft, 12 * have.depth_ft))
    else:
        view = measured_view(*last.found)
    found = offered(view)
    best = proposed(found)
    sizes = [
        messages.SizeView(
            size_in=one.size,
            middle_px=round(one.middle, 2),
            corner_px=round(one.corner, 2),
            read=one.verdict,
            words=size_words(one),
        )
        for one in found
    ]
    return sizes, best.size, view_words(view, best)


def _paper(have: messages.Have, last: LastLook, laid: LaidMaps) -> str:
    sheet, board = Sheet(have.paper), game_prints.board_wished(have.wish, last.table, laid)
    counters = game_prints.counters_wished(have.wish, last.table, sheet)
    return game_prints.paper_words(
        len(_tags(have, last).pages),
        0 if board is None else len(laid_out(board[0], (), sheet).tiles),
        0 if counters is None else len(counters.pages),
        len(_how(have, last)),
    )


def _game(have: messages.Have, last: LastLook, laid: LaidMaps) -> messages.GameAdvice:
    wish, table = have.wish, last.table
    maps = []
    if table is not None and table.board.drawing():
        maps.append(
            messages.MapChoice(
                map=game_prints.THIS_TABLE, words=f"the board of {table.name}", spacing_in=None
            )
        )
    about = game_called(wish.game).about if wish.game else None
    for one in game_prints.maps_to_print(wish.game, laid) if wish.game else ():
        spacing = game_prints.spacing_of(replace(wish, spacing=None), one, table)
        maps.append(messages.MapChoice(map=one.id, words=one.words, spacing_in=spacing))
    board, blank = game_prints.board_wished(wish, table, laid), _blank(have)
    if board is not None:
        words = game_prints.board_words(board[0], Sheet(have.paper), _table_in(have, last))
    else:
        words = "" if about is None else game_prints.unprinted_words(about, bool(maps))
    return messages.GameAdvice(
        maps=maps,
        proposed=maps[0].map if maps and about is not None and game_prints.needs_board(about) else "",
        words=words,
        counters=about is not None and about.cutouts,
        fill_in="" if blank is None else blank.told,
    )


def _blank(have: messages.Have) -> Blank | None:
    """What the cars of the game are played from on paper."""
    if not have.game:
        return None
    game = game_called(have.game)
    return to_fill_in(game, unowned(game.about, have.cars), have.paper)


def _table_in(have: messages.Have, last: LastLook) -> tuple[float, float]:
    """How large the table is, inches: as it is found, else as somebody says."""
    if last.found is None:
        return 12 * have.width_ft, 12 * have.depth_ft
    across, deep = np.ptp(last.found[1], axis=0)
    return float(across), float(deep)


def _how(have: messages.Have, last: LastLook) -> list[Part]:
    """The page that says what to do, for somebody who prints their first corner tags."""
    return [how_part(Sheet(have.paper), FOUND_PX)] if have.corners and last.table is None else []


def _tags(have: messages.Have, last: LastLook) -> Part:
    prints = table_prints(have.wanted, last.table, _seen(last))
    return tag_part(prints, sheet_title(have.wanted), Sheet(have.paper))


def _pdf(made: bytes, name: str) -> Response:
    """A PDF that is shown under this name."""
    named = {"content-disposition": f'inline; filename="{name}.pdf"', "cache-control": "no-store"}
    return Response(made, media_type="application/pdf", headers=named)


def _seen(last: LastLook) -> list[int]:
    """Tags in view that nobody has named are printed already, too."""
    return [d.tag for d in last.detections if d.family == FAMILY]
