"""`tableref balance`: machines play a game against one another, to find what in it is too strong."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from html import escape
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any

import typer

from calibration.whole_files import write_whole
from engine.driver.balance import Deal, Ended, Row, counted, deals, what_to_vary
from engine.driver.characters import LevelName
from engine.driver.contest import DrawnTable, play
from engine.driver.deciding import decide
from engine.errors import TableRefError
from engine.game.contract import Game
from engine.game.dice import SeededDice
from engine.game.match import Match
from engine.game.registry import folders_named, game_called
from engine.space.table import PoseUncertainty
from server.commands.options import in_its_folder, with_games
from server.formats.terminal import Terminal
from vision.simulate.scenes import scene_of_board

console = Terminal()


@partial(with_games, flag="--folder")
def balance(
    name: Annotated[str, typer.Option("--game", help="Which game.")],
    vary: Annotated[
        list[str],
        typer.Option(
            "--vary", help="What is varied: seat, or a field of the set-up, as primary or speed=2|3."
        ),
    ],
    games: Annotated[int, typer.Option("--games", help="How many games.", min=2)] = 100,
    cars: Annotated[int, typer.Option("--cars", help="Vehicles a side.", min=1, max=4)] = 1,
    level: Annotated[
        str, typer.Option("--level", help="How well both play: learner, fair or hard.")
    ] = "fair",
    jobs: Annotated[int, typer.Option("--jobs", help="Games that are played at a time.", min=1)] = 1,
    seed: Annotated[str, typer.Option("--seed", help="Other dice and deals.")] = "1",
    table: Annotated[Path | None, typer.Option("--csv", help="Write the rows into this file.")] = None,
    chart: Annotated[Path | None, typer.Option("--chart", help="Draw them into this SVG file.")] = None,
) -> None:
    """Let machines play a game against one another, to find what in it is too strong."""
    game, how = game_called(name), _level(level)
    players, pieces = players_of(game, cars)
    varied = what_to_vary(game, players, pieces, vary)
    dealt = deals(game, players, pieces, varied, games, seed)
    ended = list(all_played(partial(_played, name, folders_named(), how), dealt, seed, jobs))
    rows = counted(varied, ended, players)
    decided = sum(e.winner is not None for e in ended)
    console.print(f"{game.about.title}: {len(ended)} games, {decided} of them won by somebody.")
    for line in lines_of(rows):
        console.print(line)
    if table is not None:
        write_whole(in_its_folder(table), csv_of(rows).encode())
    if chart is not None:
        write_whole(
            in_its_folder(chart), chart_of(f"{game.about.title}: won by whoever has it", rows).encode()
        )


def players_of(game: Game[Any], cars: int) -> tuple[list[str], list[dict[str, str]]]:
    """Who plays on the simulated table of a game, and with which vehicles, so many a side at the most."""
    scene = scene_of_board(game.about.boards)
    owners = list(dict.fromkeys(p.owner for p in scene.pieces if p.owner and p.driven))
    players = owners[: max(game.about.players[0], 2)]
    pieces = [
        {"name": p.name, "owner": owner}
        for owner in players
        for p in [p for p in scene.pieces if p.driven and p.owner == owner and not p.follows][:cars]
    ]
    return players, pieces


def _level(said: str) -> LevelName:
    if said not in ("learner", "fair", "hard"):
        raise TableRefError(f"--level: expected learner, fair or hard but got {said!r}")
    return said  # type: ignore[return-value]


def all_played(
    play: Callable[[Deal, str], Ended], dealt: Sequence[Deal], seed: str, jobs: int
) -> Iterator[Ended]:
    """What came of each deal, each played with a seed of its own, so many at a time in processes beside."""
    seeds = [f"{seed} {number}" for number in range(len(dealt))]
    if jobs == 1:
        yield from map(play, dealt, seeds)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(play, dealt, seeds)


def _played(name: str, folders: Sequence[str], level: LevelName, deal: Deal, seed: str) -> Ended:
    # A process beside knows of no folder that this one was told of.
    return to_the_end(game_called(name, folders), deal, level, seed)


def to_the_end(game: Game[Any], deal: Deal, level: LevelName, seed: str) -> Ended:
    """One game to its end, by the engine alone, on a drawn table of which everything is known."""
    scene, setup = scene_of_board(game.about.boards), dict(deal.setup)
    names = [p["name"] for p in setup["pieces"]]
    exact = PoseUncertainty.exact()
    table = DrawnTable.of(scene.surface, scene.pieces, scene.start, scene.board, names, exact)
    found = play(
        Match.begin(game, setup), table, list(setup["players"]),
        lambda position, turn: decide(position, level=level, seed=f"{seed} {turn}"),
        SeededDice(seed),
    )  # fmt: skip
    return Ended(deal, found.winner)


def lines_of(rows: Sequence[Row]) -> Iterator[str]:
    """A line a row, under a line for each thing that was varied."""
    heading = None
    for row in rows:
        if row.field != heading:
            heading = row.field
            yield f"{heading} (fair would be {row.fair:.0%})"
        sure = f"; sure after some {row.needed} games" if row.needed and row.needed > row.games else ""
        yield (
            f"  {row.value}: won {row.won} of {row.games}, {row.share:.0%} "
            f"({row.low:.0%} to {row.high:.0%}): {row.verdict}{sure}"
        )


def csv_of(rows: Sequence[Row]) -> str:
    """The rows for a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["varied", "value", "games", "won", "share", "low", "high", "fair", "verdict", "needed"])
    for r in rows:
        figures = [f"{v:.4f}" for v in (r.share, r.low, r.high, r.fair)]
        writer.writerow([r.field, r.value, r.games, r.won, *figures, r.verdict, r.needed or ""])
    return out.getvalue()


_LEFT, _WIDE, _HIGH = 220, 480, 26
"""Pixels of the chart: room for names, for the shares from 0 to 1, for a row."""


def _line(x1: float, y1: float, x2: float, y2: float, more: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1}" x2="{x2:.1f}" y2="{y2}" {more}/>'


def chart_of(title: str, rows: Sequence[Row]) -> str:
    """A picture of the rows: a dot for each share on the line of its interval, beside what would be fair."""
    tall = 60 + _HIGH * len(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDE + 90} {tall}" '
        'font-family="sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="10" y="22" font-size="16">{escape(title)}</text>',
    ]
    for k, row in enumerate(rows):
        y = 50 + _HIGH * k
        colour = {"too strong": "#b3261e", "too weak": "#1f5fa8"}.get(row.verdict, "#444")
        left, right, at, fair = (_LEFT + _WIDE * v for v in (row.low, row.high, row.share, row.fair))
        parts += [
            f'<text x="{_LEFT - 10}" y="{y + 4}" text-anchor="end">{escape(row.value)}</text>',
            _line(fair, y - 12, fair, y + 14, 'stroke="#bbb" stroke-dasharray="3"'),
            _line(left, y, right, y, f'stroke="{colour}" stroke-width="3"'),
            f'<circle cx="{at:.1f}" cy="{y}" r="5" fill="{colour}"/>',
            f'<text x="{_LEFT + _WIDE + 8}" y="{y + 4}">{row.won} of {row.games}</text>',
        ]
    return "\n".join([*parts, "</svg>\n"])
