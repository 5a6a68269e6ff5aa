"""Maps and counters of games beside the tags: which there are, to what scale, on how many sheets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from calibration.prints.maps import laid_out
from calibration.prints.paper import PrintError, Sheet
from calibration.tablefile import TableFile, load_table
from engine.boards.points import Points
from engine.errors import TableRefError
from engine.game.registry import games, maps_of
from server.setup.laying import LaidMaps
from server.setup.printing.game_prints import (
    THIS_TABLE,
    GameWish,
    board_wished,
    board_words,
    game_parts,
    games_to_print,
    maps_to_print,
    needs_board,
    unprinted_words,
)

GAMES = [found.id for found in games()]
POINTS = next(one.id for one in games_to_print() if one.boards == ("points",))
HEXES = next(one.id for one in games_to_print() if one.lays)


@pytest.fixture
def laid(tmp_path: Path) -> LaidMaps:
    return LaidMaps(tmp_path)


@pytest.fixture
def table(samples: Path) -> TableFile:
    return load_table(samples / "opening-round" / "table.toml")


@pytest.mark.parametrize("game", GAMES)
def test_every_game_that_needs_a_board_brings_maps_and_each_is_printed(game: str, laid: LaidMaps) -> None:
    about = next(one for one in games_to_print() if one.id == game)
    maps = maps_to_print(game, laid)
    assert bool(maps) is needs_board(about)
    for one in maps:
        for paper in ("a4", "letter"):
            (part,) = game_parts(GameWish(game, one.id), None, Sheet(paper), laid)
            layout = laid_out(one.drawn(one.spacing), (), Sheet(paper))
            assert len(part.pages) == len(layout.tiles)
            assert one.words in part.title


def test_the_board_of_the_table_sets_the_scale_where_it_is_the_games(
    table: TableFile, laid: LaidMaps
) -> None:
    (first, *_) = maps_of(POINTS)
    on_points = replace(table, board=Points(9, 7, 2.5))
    for wish, file, apart in [
        (GameWish(POINTS, first.id), None, first.spacing),
        (GameWish(POINTS, first.id), table, first.spacing),
        (GameWish(POINTS, first.id), on_points, 2.5),
        (GameWish(POINTS, first.id, 1.5), on_points, 1.5),
        (GameWish(HEXES, maps_of(HEXES)[0].id), on_points, 2.0),
    ]:
        found = board_wished(wish, file, laid)
        assert found is not None
        assert found[1].endswith(f"{apart:g} inch")
    whole = board_wished(GameWish("", THIS_TABLE), on_points, laid)
    assert whole == (on_points.board, f"{table.name} · points")


def test_maps_that_were_laid_here_are_printed_too(laid: LaidMaps) -> None:
    circuit = "Sunday: 2 short straight, 3 left bend, 2 straight, 3 left bend, start grid"
    laid.keep(HEXES, circuit)
    assert maps_to_print(HEXES, laid)[-1].words == "Sunday, laid here"
    (part,) = game_parts(GameWish(HEXES, "Sunday"), None, Sheet(), laid)
    assert len(part.pages) > 4
    laid.keep(HEXES, "Odd: 2 straight")
    with pytest.raises(PrintError, match="Odd: "):
        game_parts(GameWish(HEXES, "Odd"), None, Sheet(), laid)


def test_counters_come_behind_the_map(laid: LaidMaps) -> None:
    board, counters = game_parts(GameWish(POINTS, maps_of(POINTS)[0].id, counters=True), None, Sheet(), laid)
    assert "inch" in board.title
    assert "counters" in counters.title
    assert game_parts(GameWish(POINTS), None, Sheet(), laid) == []


@pytest.mark.parametrize(
    ("wish", "says"),
    [
        (GameWish("nowhere", "x"), "no game called 'nowhere'"),
        (GameWish(POINTS, "x"), "has no map 'x'; expected one of"),
        (GameWish("", "x"), "expected the game that brings the map 'x'"),
        (GameWish("", THIS_TABLE), "no table file"),
        (GameWish("", counters=True), "expected the game that brings the counters"),
        (GameWish(HEXES, counters=True), "brings no counters"),
    ],
)
def test_what_cannot_be_printed_is_refused_in_words(wish: GameWish, says: str, laid: LaidMaps) -> None:
    with pytest.raises(TableRefError, match=says):
        game_parts(wish, None, Sheet(), laid)


def test_a_map_that_is_larger_than_the_table_is_told() -> None:
    board = Points(13, 9, 3.0)
    assert board_words(board, Sheet(), (30.0, 48.0)) == "The map is 38 × 26 in."
    assert "does not fit on a table of 36 × 36 in" in board_words(board, Sheet(), (36.0, 36.0))


def test_a_board_that_nothing_is_printed_of_is_told_with_what_to_do() -> None:
    about = replace(games_to_print()[0], boards=("hexes",))
    assert "choose one" in unprinted_words(about, True)
    assert "put it on the picture in the step Table" in unprinted_words(about, False)


def test_a_table_with_a_board_of_its_own_prints_it(table: TableFile, laid: LaidMaps) -> None:
    file = replace(table, board=Points(3, 3, 2.0))
    (part,) = game_parts(GameWish("", THIS_TABLE), file, Sheet("letter"), laid)
    assert len(part.pages) == 1
