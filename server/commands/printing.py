"""`tableref print …`: sheets to cut out, as PDF files."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from calibration.boards import EXAMPLES, board_in_words
from calibration.prints.how_to import how_part
from calibration.prints.maps import map_sheets
from calibration.prints.paper import MM, PrintError, Sheet, document, usual_paper
from calibration.prints.sheets import (
    CornerPrint,
    RoofPrint,
    TokenPrint,
    prints_for,
    tag_part,
    tag_sheets,
    target_sheet,
)
from calibration.prints.strip import STRIP_TAGS, StripPrint, strip_sheet
from calibration.prints.table_sheet import FIRST_CAR, Wanted, sheet_title, table_prints
from calibration.surface import CornerTag
from calibration.tablefile import load_table
from calibration.whole_files import write_whole
from engine.boards.board import Board
from engine.boards.pictures import GameMap, Picture
from engine.game.registry import game_of_table
from server.commands.camera.target_options import (
    Dictionary,
    KindOption,
    MarkerOption,
    SquareOption,
    Squares,
    TargetKind,
    target_of,
)
from server.commands.options import in_its_folder, with_games
from server.formats.terminal import Terminal
from server.play.paper import counters_part, to_fill_in, unowned
from server.setup.laying import LaidMaps
from server.setup.printing.advice import FOUND_PX
from server.setup.printing.game_prints import THIS_TABLE, GameWish, game_parts, map_called, maps_to_print

app = typer.Typer(
    help="Make PDF sheets of tags, targets and boards to print.", no_args_is_help=True, add_completion=False
)

console = Terminal()

FIRST_TOKEN = 40
DISC = 30 * MM


class Paper(StrEnum):
    """The papers that people have."""

    A4 = "a4"
    LETTER = "letter"


USUAL_PAPER = Paper(usual_paper())


Out = Annotated[Path | None, typer.Option("--out", help="The PDF file.", show_default=False)]
OnPaper = Annotated[Paper, typer.Option("--paper", help="The paper in the printer.", case_sensitive=False)]
BarMm = Annotated[
    float, typer.Option("--bar-mm", help="What the bar on the last print measured, in millimetres.")
]
Force = Annotated[bool, typer.Option("--force", help="Write over a file that is there.")]
Family = Annotated[str, typer.Option("--family", help="The tags' family.")]
Ids = Annotated[str | None, typer.Option("--ids", help="Tag ids, as 10-15 or 10,11,13.", show_default=False)]
OfGame = Annotated[str | None, typer.Option("--game", help="Of which game.", show_default=False)]
CellsApart = Annotated[
    float | None,
    typer.Option(
        "--spacing",
        help="Its board's cells from middle to middle, inches.",
        min=0.5,
        max=6.0,
        show_default=False,
    ),
]
TableFilePath = Annotated[
    Path | None, typer.Option("--table", help="Print what this table file names.", show_default=False)
]


@app.command()
def tags(
    ids: Ids = None,
    names: Annotated[
        str | None, typer.Option("--names", help="Whose they are, in the same order, with commas.")
    ] = None,
    table: TableFilePath = None,
    size: Annotated[float, typer.Option("--size", help="The black square's side, inches.")] = 0.9,
    family: Family = "tag36h11",
    out: Out = None,
    paper: OnPaper = USUAL_PAPER,
    bar_mm: BarMm = 100.0,
    force: Force = False,
) -> None:
    """Roof tags with cut lines, a nose arrow and a name."""
    if table is not None:
        if ids is not None or names is not None:
            raise PrintError("expected either --table or --ids and --names: the table file knows its tags")
        prints = prints_for((), load_table(table).pieces)
    else:
        numbers = numbers_in(f"{FIRST_CAR}-{FIRST_CAR + 5}" if ids is None else ids)
        called = _names(names, numbers)
        prints = [RoofPrint(n, i, size, family) for n, i in zip(called, numbers, strict=True)]
    pdf = tag_sheets(prints, "Roof tags · top toward the nose", Sheet(paper.value, bar_mm))
    _write(pdf, out or Path("tags.pdf"), force, f"{len(prints)} roof tags")


@app.command()
def corners(
    ids: Ids = None,
    table: TableFilePath = None,
    size: Annotated[float, typer.Option("--size", help="The black square's side, inches.")] = 2.4,
    family: Family = "tag36h11",
    out: Out = None,
    paper: OnPaper = USUAL_PAPER,
    bar_mm: BarMm = 100.0,
    force: Force = False,
) -> None:
    """Tags for the corners of the table."""
    if table is not None:
        if ids is not None:
            raise PrintError("expected either --table or --ids: the table file knows its corner tags")
        file = load_table(table)
        prints = prints_for(file.corners, (), file.loose)
    else:
        numbers = numbers_in("0-3" if ids is None else ids)
        prints = [CornerPrint(i, "", size, family) for i in numbers]
    pdf = tag_sheets(prints, "Corner tags · tape them flat", Sheet(paper.value, bar_mm))
    _write(pdf, out or Path("corners.pdf"), force, f"{len(prints)} corner tags")


@app.command()
def target(
    kind: KindOption = TargetKind.CHARUCO,
    squares: Squares = "5x7",
    square_mm: SquareOption = 33.0,
    marker_mm: MarkerOption = 24.0,
    dictionary: Dictionary = "DICT_5X5_100",
    out: Out = None,
    paper: OnPaper = USUAL_PAPER,
    bar_mm: BarMm = 100.0,
    force: Force = False,
) -> None:
    """A target to calibrate a lens with."""
    asked = target_of(kind, squares, square_mm, marker_mm, dictionary)
    pdf = target_sheet(asked, Sheet(paper.value, bar_mm))
    _write(pdf, out or Path("target.pdf"), force, f"A {asked.words}")


@app.command()
def strip(
    ids: Ids = None,
    length: Annotated[float, typer.Option("--length-in", help="From mark to mark, inches.", min=3.0)] = 8.0,
    size: Annotated[float, typer.Option("--size", help="The black square's side, inches.")] = 1.4,
    family: Family = "tag36h11",
    out: Out = None,
    paper: OnPaper = USUAL_PAPER,
    bar_mm: BarMm = 100.0,
    force: Force = False,
) -> None:
    """A strip with two tags to prove the inches with, once a ruler has measured it."""
    numbers = numbers_in(ids) if ids is not None else list(STRIP_TAGS)
    if len(numbers) != len(STRIP_TAGS):
        raise PrintError(f"a strip has two tags: expected two ids but got {len(numbers)}")
    made = StripPrint((numbers[0], numbers[1]), length, size, family)
    _write(strip_sheet(made, paper.value, bar_mm), out or Path("strip.pdf"), force, "A check strip")
    if family == "tag36h11":  # no other one is read there
        told = f"--tags {numbers[0]},{numbers[1]} --size-in {size:g} --length-in INCHES"
        console.print(f"Measure it from mark to mark, and run tableref calibrate check {told}")


@app.command("map")
@with_games
def board_map(
    table: TableFilePath = None,
    board: Annotated[
        str | None, typer.Option("--board", help=f"The board, as {EXAMPLES}.", show_default=False)
    ] = None,
    game: Annotated[
        str | None, typer.Option("--game", help="A map that this game brings.", show_default=False)
    ] = None,
    name: Annotated[
        str | None, typer.Option("--map", help="Which one; left out, they are listed.", show_default=False)
    ] = None,
    spacing: CellsApart = None,
    corners: Annotated[
        bool, typer.Option("--corners", help="Print the table file's corner tags on it where they belong.")
    ] = False,
    out: Out = None,
    paper: OnPaper = USUAL_PAPER,
    bar_mm: BarMm = 100.0,
    force: Force = False,
) -> None:
    """A board to play on, to scale, over as many sheets as it needs."""
    if sum(given is not None for given in (table, board, game)) != 1:
        raise PrintError(f"expected one of --table, --board and --game: --board takes {EXAMPLES}")
    if table is None and corners:
        raise PrintError("--corners needs --table: the table file knows where its corner tags belong")
    tags: tuple[CornerTag, ...] = ()
    shown: Board | Picture
    if table is not None:
        file = load_table(table)
        shown, title, tags = file.board, f"{file.name} · {file.board.kind}", file.corners
    elif game is not None:
        one = _map_of(game, name)
        if one is None:
            return
        apart = one.spacing if spacing is None else spacing
        shown, title = one.drawn(apart), f"{one.words} · {apart:g} inch"
    else:
        shown, title = board_in_words(board or ""), f"Board · {board}"
    pdf = map_sheets(shown, title, tags if corners else (), Sheet(paper.value, bar_mm))
    _write(pdf, out or Path("map.pdf"), force, title if game else f"A board of {shown.kind}")


def _map_of(game: str, name: str | None) -> GameMap | None:
    """The map of that name; without a name None, once all are listed."""
    if name is not None:
        return map_called(game, name, LaidMaps())
    maps = maps_to_print(game, LaidMaps())
    if not maps:
        raise PrintError(f"{game} brings no maps: name a board with --board or --table")
    for one in maps:
        console.print(f"--map {one.id}: {one.words}")
    return None


@app.command()
@with_games
def sheet(
    table: TableFilePath = None,
    after: Annotated[
        Path | None,
        typer.Option("--after", help="New tags: ids follow those of this table file.", show_default=False),
    ] = None,
    cars: Annotated[int, typer.Option("--cars", help="Roof tags, from id 10 on.", min=0, max=60)] = 6,
    terrain: Annotated[
        int, typer.Option("--terrain", help="Tags of 1.6 inches for terrain, from id 30 on.", min=0, max=60)
    ] = 0,
    spares: Annotated[
        int, typer.Option("--spares", help="Roof tags more than there are cars.", min=0, max=60)
    ] = 0,
    holders: Annotated[
        int, typer.Option("--holders", help="Of the cars, so many have no flat roof.", min=0, max=60)
    ] = 0,
    size: Annotated[float, typer.Option("--size", help="A roof tag's black square, inches.")] = 0.9,
    corner_tags: Annotated[bool, typer.Option("--corners/--no-corners", help="The corner tags too.")] = True,
    tokens: Annotated[
        int, typer.Option("--tokens", help="Dropped squares of 3 inches, from id 40 on.", min=0, max=40)
    ] = 0,
    discs: Annotated[
        int, typer.Option("--discs", help="Dropped discs of 30 mm, after the squares.", min=0, max=40)
    ] = 0,
    game: OfGame = None,
    name: Annotated[
        str | None,
        typer.Option(
            "--map",
            help=f"A map too: one of the game's, or {THIS_TABLE!r}, the table file's board.",
            show_default=False,
        ),
    ] = None,
    spacing: CellsApart = None,
    counters: Annotated[bool, typer.Option("--counters", help="The game's counters too.")] = False,
    out: Out = None,
    paper: OnPaper = USUAL_PAPER,
    bar_mm: BarMm = 100.0,
    force: Force = False,
) -> None:
    """Everything that a table needs: corner tags, roof tags; tokens, a map and counters if asked for."""
    if table is not None and after is not None:
        raise PrintError("expected --table, to print what it names, or --after, for new tags; not both")
    named = table or after
    file = None if named is None else load_table(named)
    if file is not None and table is not None:
        prints, title = prints_for(file.corners, file.pieces, file.loose), f"{file.name} · tags"
    else:
        wanted = Wanted(cars, terrain, spares, holders, corner_tags, size)
        prints, title = table_prints(wanted, file), sheet_title(wanted)
    taken = {getattr(p, "tag", None) for p in prints}
    free = (i for i in range(FIRST_TOKEN, FIRST_TOKEN + 200) if i not in taken)
    prints += [TokenPrint(f"Token {n}", next(free)) for n in range(1, tokens + 1)]
    prints += [TokenPrint(f"Disc {n}", next(free), "disc", DISC) for n in range(1, discs + 1)]
    on, wish = Sheet(paper.value, bar_mm), GameWish(game or "", name or "", spacing, counters)
    parts = [tag_part(prints, title, on), *game_parts(wish, file, on, LaidMaps())]
    sheets = sum(len(part.pages) for part in parts)
    told = f"{len(prints)} tags on {sheets} sheet{'' if sheets == 1 else 's'} of paper"
    if file is None and corner_tags:
        parts.insert(0, how_part(on, FOUND_PX))
        told += ", and one that says what to do with them,"
    _write(document(parts), out or Path("sheet.pdf"), force, told)


@app.command()
@with_games
def sheets(
    table: TableFilePath = None,
    cars: Annotated[int, typer.Option("--cars", help="Empty sheets.", min=1, max=60)] = 6,
    game: OfGame = None,
    out: Out = None,
    paper: OnPaper = USUAL_PAPER,
    force: Force = False,
) -> None:
    """Record sheets of cars, to fill in by hand, or a game's cards to play from with paper clips."""
    file = None if table is None else load_table(table)
    played = game_of_table(game or (None if file is None else file.game))
    kind = played.about.vehicles
    names = unowned(played.about, cars)
    if file is not None:
        names = [p.name for p in file.pieces if p.driven]
        if not names:
            raise PrintError(f"{table} names no {kind}: add one, or leave --table out for empty sheets")
    blank = to_fill_in(played, names, paper.value)
    if blank is None:
        raise PrintError(f"{played.about.title} has no record sheets")
    _keep(blank.pdf(), out or Path("sheets.pdf"), force)
    console.print(f"{blank.count} {blank.words} written to {out or Path('sheets.pdf')}.")


@app.command()
@with_games
def counters(
    table: TableFilePath = None,
    game: OfGame = None,
    spacing: CellsApart = None,
    out: Out = None,
    paper: OnPaper = USUAL_PAPER,
    bar_mm: BarMm = 100.0,
    force: Force = False,
) -> None:
    """Counters of a game to cut out, to the scale of its board."""
    file = None if table is None else load_table(table)
    played = game_of_table(game or (None if file is None else file.game)).about
    board = None if file is None else file.board
    part, count = counters_part(played, board, Sheet(paper.value, bar_mm), spacing=spacing)
    _write(document([part]), out or Path("counters.pdf"), force, f"{count} counters")


def numbers_in(text: str) -> list[int]:
    """Tag ids as people write them, in order; refuses twins.

    >>> numbers_in("3, 10-12")
    [3, 10, 11, 12]
    """
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = (p.strip() for p in part.partition("-"))
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise PrintError(f"expected tag ids as 10-15 or 10,11,13 but got {text!r}")
        low, high = int(first), int(last or first)
        if not low <= high < low + 1000:
            raise PrintError(f"expected tag ids from a lower to a higher one but got {part.strip()!r}")
        found += range(low, high + 1)
    twins = sorted({i for i in found if found.count(i) > 1})
    if twins:
        raise PrintError(f"each tag may be used once but --ids names {', '.join(map(str, twins))} twice")
    return found


def _names(names: str | None, numbers: Sequence[int]) -> list[str]:
    if names is None:
        return [f"Car {n}" for n in range(1, len(numbers) + 1)]
    called = [name.strip() for name in names.split(",")]
    if len(called) != len(numbers):
        raise PrintError(
            f"expected a name for each of {len(numbers)} tags but got {len(called)}: "
            "say --ids and --names in the same order, with commas"
        )
    return called


def _write(pdf: bytes, out: Path, force: bool, what: str) -> None:
    """The file, and a sentence on how to print what must come out to scale."""
    _keep(pdf, out, force)
    console.print(f"{what} written to {out}. Print at 100 %, then measure the bar at the foot of the page.")


def _keep(pdf: bytes, out: Path, force: bool) -> None:
    """The file; one that is there stays unless `force` is given."""
    if out.is_file() and not force:
        raise PrintError(f"{out} is there already: say --out for another name, or --force")
    write_whole(in_its_folder(out), pdf)
