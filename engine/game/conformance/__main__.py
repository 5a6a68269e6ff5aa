"""Writes the golden playthroughs of a game."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.errors import TableRefError
from engine.game.conformance.playing import playthroughs
from engine.game.registry import game_called


def main() -> None:
    """Writes each as a text."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--games", action="append", default=[], help="a folder with more games")
    said = parser.parse_args()
    try:
        game = game_called(said.game, said.games)
    except TableRefError as error:
        parser.error(str(error))
    said.folder.mkdir(parents=True, exist_ok=True)
    for name, text in playthroughs(game).items():
        (said.folder / f"{name}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
