"""Which games there are: the folders of `engine.games`, one a rule book."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import engine.games
from engine.errors import TableRefError
from engine.game.contract import Game
from engine.space.table import key_of


def game_names() -> tuple[str, ...]:
    """The folders of `engine.games`, one a rule book.

    >>> "white_line_fever" in game_names()
    True
    """
    return tuple(m.name for m in pkgutil.iter_modules(engine.games.__path__) if m.ispkg)


def game_called(name: str) -> Game[Any]:
    """The game in the folder of that name; case, spaces, dashes and underscores do not matter."""
    for folder in game_names():
        if key_of(folder) == key_of(name):
            found: Game[Any] = importlib.import_module(f"engine.games.{folder}.game").GAME
            return found
    raise TableRefError(f"no game called {name!r}; expected one of {', '.join(game_names())}")


def game_of_table(name: str | None) -> Game[Any]:
    """The game that a table file names; without a name the first there is."""
    return game_called(name if name is not None else game_names()[0])
