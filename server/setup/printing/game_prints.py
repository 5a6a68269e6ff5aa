"""What a game needs on paper beside tags: a board or map over several sheets, and its counters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from calibration.prints.maps import laid_out, map_part
from calibration.prints.paper import Part, PrintError, Sheet
from calibration.tablefile import TableFile
from engine.boards.board import Board, Free
from engine.boards.pictures import GameMap, Laying, Layout, Picture
from engine.game.about import About
from engine.game.registry import game_called, games, laying_of, maps_of
from engine.space.table import key_of
from engine.words import listed
from server.play.paper import counters_part
from server.setup.laying import LaidMaps

THIS_TABLE = "this table"
"""How the board of the table file is called among the maps of a game."""


@dataclass(frozen=True, slots=True)
class GameWish:
    """What of a game is printed: the id of a map, its cells so many inches apart, counters.

    Without a `spacing` cells are as far apart as on the table's board, else as the map has them.
    """

    game: str = ""
    map: str = ""
    spacing: float | None = None
    counters: bool = False


def games_to_print() -> list[About]:
    """Every game that can be played."""
    return [found.about for found in games() if found.about is not None]


def needs_board(about: About) -> bool:
    """Whether it cannot be played on a bare table.

    >>> needs_board(About("x", "X", "", "1")), needs_board(About("x", "X", "", "1", boards=("hexes",)))
    (False, True)
    """
    return Free().kind not in about.boards


def maps_to_print(game: str, laid: LaidMaps) -> tuple[GameMap, ...]:
    """The maps that a game brings, then those that were laid for it on this computer."""
    laying = laying_of(game)
    if laying is None:
        return maps_of(game)
    texts = laid.offered(game_called(game).about.id)
    own = [(text.partition(":")[0], text) for text in texts]
    mine = (
        GameMap(
            name, f"{name}, laid here", partial(_drawn, laying, text), board=partial(_board, laying, text)
        )
        for name, text in own
    )
    return (*maps_of(game), *mine)


def _drawn(laying: Laying, text: str, spacing: float) -> Picture:
    found = _whole(laying, text, spacing)
    assert found.picture is not None
    return found.picture


def _board(laying: Laying, text: str, spacing: float) -> Board:
    found = _whole(laying, text, spacing)
    if found.board is None:
        raise PrintError(f"{found.name} is no board to play on")
    return found.board


def _whole(laying: Laying, text: str, spacing: float) -> Layout:
    """A map that can be played on. Raises `PrintError`."""
    found = laying.look(text, spacing)
    if found.picture is None or found.wrong:
        raise PrintError(f"{found.name}: {'; '.join(found.wrong)}")
    return found


def map_called(game: str, name: str, laid: LaidMaps) -> GameMap:
    """The map of that name. Raises `PrintError` where the game has none of it."""
    maps = maps_to_print(game, laid)
    if not maps:
        raise PrintError(f"{game} brings no maps: name a board with --board or --table")
    for one in maps:
        if one.id == name:
            return one
    raise PrintError(f"{game} has no map {name!r}; expected one of {', '.join(one.id for one in maps)}")


def spacing_of(wish: GameWish, one: GameMap, table: TableFile | None) -> float:
    """How far apart the cells of a map are printed, inches."""
    if wish.spacing is not None:
        return wish.spacing
    own = None if table is None else getattr(table.board, "spacing", None)
    fits = table is not None and table.board.kind in game_called(wish.game).about.boards
    return float(own) if fits and own is not None else one.spacing


def board_wished(
    wish: GameWish, table: TableFile | None, laid: LaidMaps
) -> tuple[Board | Picture, str] | None:
    """The map that is wished for and its title; None without one. Raises `PrintError`."""
    if not wish.map:
        return None
    if key_of(wish.map) == key_of(THIS_TABLE):
        if table is None:
            raise PrintError(f"no table is set up, and so there is no board of {THIS_TABLE}")
        return table.board, f"{table.name} · {table.board.kind}"
    if not wish.game:
        raise PrintError(f"expected the game that brings the map {wish.map!r}, or {THIS_TABLE!r}")
    one = map_called(wish.game, wish.map, laid)
    spacing = spacing_of(wish, one, table)
    return one.drawn(spacing), f"{one.words} · {spacing:g} inch"


def counters_wished(wish: GameWish, table: TableFile | None, sheet: Sheet) -> Part | None:
    """The counters of the game, to the scale of its map; None where none are wished for."""
    if not wish.counters:
        return None
    if not wish.game:
        raise PrintError("expected the game that brings the counters")
    about = game_called(wish.game).about
    fits = table is not None and table.board.kind in about.boards
    board = table.board if table is not None and fits else None
    return counters_part(about, board, sheet, spacing=wish.spacing)[0]


def game_parts(wish: GameWish, table: TableFile | None, sheet: Sheet, laid: LaidMaps) -> list[Part]:
    """The map, then the counters, as far as they are wished for. Raises `PrintError`."""
    board, counters = board_wished(wish, table, laid), counters_wished(wish, table, sheet)
    found = (None if board is None else map_part(*board, sheet=sheet), counters)
    return [part for part in found if part is not None]


def board_words(board: Board | Picture, sheet: Sheet, table_in: tuple[float, float]) -> str:
    """How large a map is, and whether it fits on a table of so many inches, in words."""
    across, deep = laid_out(board, (), sheet).size
    says = f"The map is {across:.0f} × {deep:.0f} in."
    # Whatever way round it lies.
    small, large = sorted((across, deep)), sorted(table_in)
    if small[0] <= large[0] and small[1] <= large[1]:
        return says
    return f"{says} It does not fit on a table of {table_in[0]:.0f} × {table_in[1]:.0f} in."


def unprinted_words(about: About, has_maps: bool) -> str:
    """What is said of a game's board while none is printed.

    >>> unprinted_words(About("x", "X", "", "1"), False)
    'X needs no map: it is played on the bare table.'
    """
    if not needs_board(about):
        return f"{about.title} needs no map: it is played on the bare table."
    if has_maps:
        return f"{about.title} is played on a map: choose one, or draw it yourself."
    kinds = listed(about.boards, "or")
    return (
        f"{about.title} is played on a board of the kind {kinds} and brings none to print: draw it, and put "
        "it on the picture in the step Table; then it is offered here, too."
    )


def paper_words(tags: int, board: int, counters: int, read: int = 0) -> str:
    """How many sheets of paper all of it takes.

    >>> paper_words(2, 28, 0), paper_words(1, 0, 0)
    ('30 sheets of paper: 2 of tags, 28 of the map.', '1 sheet of paper.')
    >>> paper_words(2, 0, 0, 1)
    '3 sheets of paper: 1 to read, 2 of tags.'
    """
    every = read + tags + board + counters
    says = f"{every} sheet{'' if every == 1 else 's'} of paper"
    kinds = [
        f"{n} {what}"
        for n, what in (
            (read, "to read"),
            (tags, "of tags"),
            (board, "of the map"),
            (counters, "of counters"),
        )
        if n
    ]
    return f"{says}: {', '.join(kinds)}." if len(kinds) > 1 else f"{says}."
