"""`tableref rulebooks`: which games can be played."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from engine.game.registry import INSTALL, Found, games
from server.commands.options import JsonOption, with_games
from server.formats.terminal import Terminal, tell

console = Terminal()


@with_games
def rulebooks(as_json: JsonOption = False) -> None:
    """List the games that can be played, and those that cannot with the reason."""
    found = games()
    if as_json:
        for one in found:
            tell(rulebook_record(one))
        return
    grid = Table(box=None, pad_edge=False)
    for name in ("game", "rule book", "version", "players", "from"):
        grid.add_column(name, no_wrap=name == "game")
    for one in found:
        if one.about is not None:
            fewest, most = one.about.players
            players = str(fewest) if fewest == most else f"{fewest} to {most}"
            grid.add_row(one.about.title, one.about.book, one.about.version, players, one.where)
    if grid.row_count:
        console.print(grid)
    else:
        console.print(f"No game can be played: {INSTALL}.")
    for one in found:
        if one.about is None:
            console.print(f"{one.id}, from {one.where}, cannot be played: {one.reason}")


def rulebook_record(found: Found) -> dict[str, Any]:
    """A game, or one that cannot be played, as one JSON object."""
    about = found.about
    return {
        "game": found.id,
        "title": None if about is None else about.title,
        "book": None if about is None else about.book,
        "version": None if about is None else about.version,
        "players": None if about is None else about.players,
        "from": found.where,
        "reason": found.reason,
    }
