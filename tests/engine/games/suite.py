"""What `test_every_game` is told about a game; all else it asks of every game in the same words.

Each game of the house has a module `suite` in its folder of tests with its `SUITE`.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from benchmarks.games import Held, Players
from engine.game.contract import Game
from engine.game.events import Event
from engine.game.match import Match
from engine.game.registry import games
from tests.conftest import SHARED
from tests.golden import HERE, read

ROOT = Path(__file__).resolve().parents[3]

ROOMS = ("book", "about", "maps", "state", "rules", "acts", "page", "driver", "game")
"""The rooms of every game from the ground up: each may import those before it."""


def nothing(*_: Any) -> Iterator[Any]:
    """Nothing is asked."""
    return iter(())


@dataclass(frozen=True)
class Suite:
    """What only a game's own tests know."""

    players: Players
    """Its random players, with the invariants that they hold."""
    seeds: tuple[int, ...]
    """Random games that have, together, every kind of event but those that are `rare`."""
    house: type
    """Its house rules."""
    golden_games: int
    lost: tuple[str, str]
    """A golden game, and a kind of event without the last of which it ends otherwise."""
    at_tables: frozenset[str]
    """Kinds of event that are told only where a camera looks: no golden game has them."""
    of_the_match: frozenset[str]
    """Kinds of event that the match tells, not the game, in the golden games."""
    not_done: frozenset[str] = frozenset({"go on"})
    """Actions that no golden game has: "go on" is for overrulings that leave something to roll."""
    rare: frozenset[str] = frozenset()
    """Kinds of event that they do not reach: told where a camera looks, or for golden games to show."""
    often: int = 1
    """How often each of the others comes up in the first 200 random games."""
    counters: bool = True
    """Whether its sheets have counters, which random players overrule."""
    whims: tuple[int, ...] = (0,)
    """Random games from its forms alone in which, together, there are undo, redo and overruling."""
    played: Callable[[list[Match[Any]]], object] = nothing
    """Holds what only its own random games, all together, must have had."""
    wrong: Callable[[], Iterable[tuple[Held, Any, str]]] = nothing
    """States with one thing wrong: what holds that, the state, and words of what is wrong."""
    sound: Callable[[], tuple[tuple[Held, Any], ...]] = tuple
    """States with nothing wrong, and what holds that."""

    # Its page in the documentation

    words: Mapping[str, str] = field(default_factory=dict)
    """How its page says a house rule that Python writes otherwise."""
    on_its_page: Callable[[], Iterable[str]] = nothing
    """What its page says besides, word by word."""
    said_elsewhere: frozenset[str] = frozenset()
    """What actions say that the page tells outside of its table of actions."""
    not_told: frozenset[str] = frozenset({"roll", "rolls"})
    """Events whose data are told with the log of a match."""

    # Its book

    uncited: frozenset[str] = frozenset()
    """Sections on which no event rests: cited by options and rulings, or nothing to rule."""
    over_others: frozenset[str] = frozenset()
    """Sections that are a heading over those that are cited."""
    by_the_table: tuple[str, tuple[str, ...]] = ("", ())
    """A room, and what its sources cite of what is measured and not told as an event."""
    deeper: bool = False
    """Whether citations name places within a section."""
    whole_book: bool = False
    """Whether some of what happens rests on the book as a whole."""
    text: str = ""
    """The book's text."""
    unruled: Callable[[str], Iterable[str]] = nothing
    """The headings in the book's text that no section has."""

    @property
    def game(self) -> Game[Any]:
        """The game."""
        return self.players.game

    @property
    def id(self) -> str:
        """Its id."""
        return self.game.about.id

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds of event that it folds."""
        return frozenset(self.game.events.kinds)

    @cached_property
    def rules(self) -> dict[str, Any]:
        """Its actions."""
        return dict(self.game.rules)

    @cached_property
    def golden(self) -> GoldenGames:
        """Its golden games."""
        return golden(self.game)

    @property
    def page(self) -> Path:
        """Its page in the documentation, for players."""
        return ROOT / "docs" / f"{self.id.replace('_', '-')}.md"

    @property
    def programs_page(self) -> Path:
        """Its page for programs: an example, actions and events."""
        return self.page.with_name(f"{self.page.stem}-engine.md")

    @property
    def documented(self) -> str:
        """What both of its pages say."""
        return self.page.read_text("utf-8") + "\n" + self.programs_page.read_text("utf-8")

    @property
    def book_text(self) -> Path:
        """The text of its book, beside the repository."""
        return SHARED / "rules" / self.text

    def rows(self, heading: str) -> dict[str, str]:
        """The rows of a table of its pages, by the words in the first column's code marks."""
        section = self.documented.split(f"\n## {heading}\n")[1].split("\n## ")[0]
        found = {}
        for line in (line for line in section.splitlines() if line.startswith("| `")):
            names, _, rest = line.removeprefix("| ").partition(" | ")
            for name in re.findall(r"`([^`]+)`", names):
                found[name] = rest
        return found

    @property
    def silences(self) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Of each row of what is done where the book is silent: what leaves it open, as what it is cited."""
        tables = re.findall(
            r"^\| (?:where [^|]*\| what we do|what \| house default) \| left open in \| cited as \|\n"
            r"\|(?:---\|){4}\n((?:\|.*\|\n)+)",
            self.documented,
            re.MULTILINE,
        )
        rows = [row[2:-2].split(" | ") for table in tables for row in table.splitlines()]
        assert all(len(row) == 4 for row in rows)

        def named(cell: str) -> tuple[str, ...]:
            return () if cell == "–" else tuple(cell.split("; "))

        return [(named(sections), named(cited)) for _, _, sections, cited in rows]


@dataclass(frozen=True)
class GoldenGames:
    """Whole games of a folder of `tests/golden`, kept as logs, and how each of them ended."""

    game: Game[Any]

    @cached_property
    def files(self) -> dict[str, Path]:
        """Where each game is kept, by its name."""
        return {path.stem: path for path in sorted((HERE / self.game.about.id).glob("*.jsonl"))}

    @cached_property
    def logs(self) -> dict[str, list[Event]]:
        """The events of each game by its name."""
        return {name: read(path) for name, path in self.files.items()}

    @cached_property
    def matches(self) -> dict[str, Match[Any]]:
        """The games at their end, by name."""
        return {name: Match.replay(self.game, log) for name, log in self.logs.items()}

    @cached_property
    def events(self) -> list[Event]:
        """The events of all of them."""
        return [event for log in self.logs.values() for event in log]

    def of(self, *kinds: str) -> list[Event]:
        """The events of some kinds."""
        return [e for e in self.events if e.kind in kinds]

    def data(self, *kinds: str) -> list[Mapping[str, Any]]:
        """The data of the events of some kinds."""
        return [e.data for e in self.of(*kinds)]

    def end(self, name: str) -> Any:
        """The state that was kept at the end of a game, as JSON."""
        return json.loads((HERE / self.game.about.id / f"{name}.end.json").read_text("utf-8"))


@cache
def golden(game: Game[Any]) -> GoldenGames:
    """The golden games of a game, read once."""
    return GoldenGames(game)


def suites() -> tuple[Suite, ...]:
    """What is known of every game of the house; an `ImportError` says which one has nothing."""
    there = [found.id for found in games() if found.where == "tableref"]
    return tuple(importlib.import_module(f"tests.engine.games.{name}.suite").SUITE for name in there)
