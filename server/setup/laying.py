"""Maps of one's own: laid on a page from a game's pieces, kept on this computer, printed."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import Field

from calibration.prints.maps import map_sheets
from calibration.prints.paper import Sheet, usual_paper
from calibration.whole_files import write_whole
from engine.boards.board import Shape
from engine.boards.pictures import LaidCell, Laying, Layout, Tap
from engine.errors import NotThere, NotUsable, TableRefError
from engine.game.about import About
from engine.game.registry import laying_of
from engine.space.table import key_of
from server.setup.kept_tables import TablesError, tables_folder
from server.web.messages import Model, answers, refusals
from server.web.pages import add_pages
from server.web.workers import BUSY_ANSWER, costly

FILE = "maps.json"
MOST, LONGEST = 100, 8000
"""Maps of a game that are kept, and letters of one."""

Text = Annotated[str, Query(max_length=LONGEST)]
Put = Annotated[str, Query(max_length=40, description="what is put on the cells, or the deed to be done")]
Cells = Annotated[str, Query(max_length=4000, description="the ids of cells, with spaces between them")]
Point = tuple[float, float]


class LaidMaps:
    """The maps that were laid on this computer: for each game their texts, in the file `maps.json`."""

    def __init__(self, folder: Path | None = None) -> None:
        self._file = (folder or tables_folder()) / FILE
        self._lock = threading.Lock()

    def texts(self, game: str) -> tuple[str, ...]:
        """Those of a game, in the order in which they were first kept. Raises `TablesError`."""
        return tuple(self._read().get(game, ()))

    def offered(self, game: str) -> tuple[str, ...]:
        """The same where games are set up; none of a file that cannot be read: the page of maps says why."""
        try:
            return self.texts(game)
        except TablesError:
            return ()

    def keep(self, game: str, text: str) -> None:
        """Keeps one, in the place of one of the same name."""
        with self._lock:
            every = self._read()
            others = [one for one in every.get(game, []) if _name(one) != _name(text)]
            if len(others) >= MOST:
                raise TablesError(f"{MOST} maps are kept already: remove one first")
            self._write({**every, game: [*others, text]})

    def remove(self, game: str, name: str) -> None:
        """Keeps it no more."""
        with self._lock:
            every = self._read()
            self._write({**every, game: [one for one in every.get(game, []) if _name(one) != key_of(name)]})

    def _read(self) -> dict[str, list[str]]:
        if not self._file.is_file():
            return {}
        try:
            found = json.loads(self._file.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise TablesError(f"{self._file} cannot be read: {error}; mend it or take it away") from error
        lists = list(found.values()) if isinstance(found, dict) else [None]
        right = all(isinstance(one, list) and all(isinstance(text, str) for text in one) for one in lists)
        if not right:
            raise TablesError(f"{self._file}: expected lists of maps by game; mend it or take it away")
        return dict(found)

    def _write(self, every: dict[str, list[str]]) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self._file, json.dumps(every, ensure_ascii=False, indent=1).encode())


def _name(text: str) -> str:
    return key_of(text.partition(":")[0])


class LaidMap(Model):
    """A map that is kept: its name, and its text."""

    name: str
    text: str


class LayingTapView(Model):
    """What a tap on a cell may do, or a deed that needs none; `free`: also where no cell lies yet."""

    id: str
    words: str
    free: bool


class LayingView(Model):
    """What the page that lays maps begins with: what the game offers, and the maps that are kept."""

    game: str
    title: str
    pieces: list[str]
    taps: list[LayingTapView]
    deeds: list[LayingTapView]
    beginning: str
    empty: str
    kept: list[LaidMap]


class CellView(Model):
    """A cell of a map: its id, its name, what lies on it, and its outline in inches."""

    id: str
    name: str
    words: str
    outline: list[Point]


class LayoutView(Model):
    """A map as far as it is laid, in inches: lines thin and bold, names with their height; what is wrong.

    `text` is the map as it is written now; `free` are the cells about it that may be laid.
    """

    name: str
    text: str
    pieces: list[str]
    lines: list[list[Point]]
    bold: list[list[Point]]
    names: list[tuple[Point, str, float]]
    cells: list[CellView]
    free: list[CellView]
    wrong: list[str]
    notes: list[str]


class Keep(Model):
    """A map to be kept."""

    text: Annotated[str, Field(min_length=1, max_length=LONGEST)]


def laying_router(maps: LaidMaps, about: Callable[[], About], changed: Callable[[], None]) -> APIRouter:
    """`/lay`, the page that lays maps of the game that is played, and what it asks; `changed` is told."""
    router = APIRouter()
    made = APIRouter(route_class=costly(), responses=BUSY_ANSWER)
    refused = refusals({422: "Cannot be kept"})
    nothing = refusals({404: "Lays no maps"})

    def laying() -> Laying:
        found = laying_of(about().id) if about().lays else None
        if found is None:
            raise NotThere(f"{about().title} has no maps that are laid from pieces")
        return found

    def begin() -> LayingView:
        how, game = laying(), about()
        kept = [LaidMap(name=text.partition(":")[0], text=text) for text in maps.texts(game.id)]
        return LayingView(
            game=game.id, title=game.title, pieces=list(how.pieces), taps=_taps(how.taps),
            deeds=_taps(how.deeds), beginning=how.beginning, empty=how.empty, kept=kept,
        )  # fmt: skip

    add_pages(router, "lay")

    @router.get("/api/lay", response_model=LayingView, responses=nothing)
    def first() -> LayingView:
        """The pieces and marks of the game, and the maps that are kept."""
        return begin()

    @made.get("/api/lay/look", response_model=LayoutView, responses=nothing | refused)
    def look(text: Text, put: Put | None = None, cells: Cells = "") -> Response:
        """A map as far as it is laid, with all that is against it; `put` changes it first."""
        how = laying()
        try:
            after = text if put is None else how.changed(text, put, cells.split())
        except TableRefError as error:
            raise NotUsable(str(error)) from error
        if len(after) > LONGEST:
            raise NotUsable(f"the map takes {len(after)} letters: {LONGEST} can be kept")
        view = layout_view(how.look(after, 1.0))
        return Response(view.model_dump_json(), media_type="application/json")

    @made.get(
        "/api/lay/map.pdf",
        response_class=Response,
        responses=nothing | refused | answers("The map", "application/pdf"),
    )
    def printed(text: Text, spacing: Annotated[float, Query(ge=0.5, le=6.0)] = 2.0) -> Response:
        """A map to scale."""
        found = laying().look(text, spacing)
        if found.picture is None:
            raise NotUsable("; ".join(found.wrong))
        pdf = map_sheets(found.picture, f"{found.name} · {spacing:g} inch", (), Sheet(usual_paper()))
        return Response(pdf, media_type="application/pdf")

    @router.post("/api/lay", response_model=LayingView, responses=nothing | refused)
    def keep(asked: Keep) -> LayingView:
        """Keeps a map that nothing is against, in the place of one of the same name."""
        found = laying().look(asked.text, 1.0)
        if found.wrong:
            raise NotUsable("; ".join(found.wrong))
        maps.keep(about().id, found.text)
        changed()
        return begin()

    @router.delete("/api/lay/{name}", response_model=LayingView, responses=nothing)
    def remove(name: str) -> LayingView:
        """Keeps a map no more; games on it go on."""
        maps.remove(about().id, name)
        changed()
        return begin()

    router.include_router(made)
    return router


def layout_view(found: Layout) -> LayoutView:
    """A layout as the page draws it."""
    shapes = () if found.picture is None else found.picture.drawing()
    return LayoutView(
        name=found.name, text=found.text, pieces=list(found.pieces),
        lines=list(_lines(shapes, bold=False)), bold=list(_lines(shapes, bold=True)),
        names=[
            (_points(s)[0], s.words, s.radius) for s in shapes if s.shape == "label" and s.words
        ],
        cells=_cells(found.cells), free=_cells(found.free),
        wrong=list(found.wrong), notes=list(found.notes),
    )  # fmt: skip


def _cells(cells: Iterable[LaidCell]) -> list[CellView]:
    return [CellView(id=c.id, name=c.name, words=c.words, outline=list(c.outline)) for c in cells]


def _taps(taps: Iterable[Tap]) -> list[LayingTapView]:
    return [LayingTapView(id=one.id, words=one.words, free=one.free) for one in taps]


def _lines(shapes: Iterable[Shape], *, bold: bool) -> Iterable[list[Point]]:
    for shape in shapes:
        if shape.shape in ("polygon", "line") and shape.bold is bold:
            points = _points(shape)
            yield [*points, points[0]] if shape.shape == "polygon" else points


def _points(shape: Shape) -> list[Point]:
    return [(round(float(x), 3), round(float(y), 3)) for x, y in shape.points]
