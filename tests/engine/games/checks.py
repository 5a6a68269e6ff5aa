"""What the tests of every game ask: of its golden games, its page in the documentation and its rooms."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import grimp

from engine.game.contract import Game
from engine.game.events import Event, event_from_json
from engine.game.match import Match

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class GoldenGames:
    """Whole games of a folder of `tests/golden`, kept as logs, and how each of them ended."""

    game: Game[Any]
    folder: str

    @property
    def paths(self) -> list[Path]:
        """The logs."""
        return sorted((ROOT / "tests" / "golden" / self.folder).glob("*.jsonl"))

    @cached_property
    def logs(self) -> dict[str, list[Event]]:
        """The events of each game by its name."""
        return {
            path.stem: [
                event_from_json(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()
            ]
            for path in self.paths
        }

    @property
    def events(self) -> list[Event]:
        """The events of all of them."""
        return [event for log in self.logs.values() for event in log]

    def played(self, name: str) -> Any:
        """The state at the end of a game."""
        return Match.replay(self.game, self.logs[name]).state

    def replay_to_their_end(self) -> None:
        """Every log leads to the end that was kept, and the game is over."""
        for path in self.paths:
            state = self.played(path.stem)
            end = json.loads(path.with_suffix(".end.json").read_text(encoding="utf-8"))
            assert self.game.as_json(state) == end, path.stem
            assert self.game.from_json(end) == state, path.stem
            assert state.over, path.stem

    def are_the_same_again(self) -> None:
        """The same actions with the same dice are the same events."""
        for name, log in self.logs.items():
            again = Match.again(self.game, log)
            for was, now in zip(log, again.log, strict=True):
                assert was == now, name

    def notice_what_is_lost(self, name: str, kind: str) -> None:
        """A log without its last event of a kind ends otherwise."""
        log = self.logs[name]
        place = max(k for k, e in enumerate(log) if e.kind == kind)
        assert Match.replay(self.game, log[:place] + log[place + 1 :]).state != self.played(name)


@dataclass(frozen=True)
class Page:
    """A game's page in the documentation."""

    name: str

    @property
    def path(self) -> Path:
        """Where it is."""
        return ROOT / "docs" / self.name

    @cached_property
    def text(self) -> str:
        """What it says."""
        return self.path.read_text(encoding="utf-8")

    def rows(self, heading: str) -> dict[str, str]:
        """The rows of a table under a heading, by the words in the first column's code marks."""
        section = self.text.split(f"\n## {heading}\n")[1].split("\n## ")[0]
        found = {}
        for line in (line for line in section.splitlines() if line.startswith("| `")):
            names, _, rest = line.removeprefix("| ").partition(" | ")
            for name in re.findall(r"`([^`]+)`", names):
                found[name] = rest
        return found


def upward_imports(package: str, rooms: tuple[str, ...]) -> set[tuple[str, str]]:
    """Which module of a game imports one of a room above its own; `rooms` from the ground up."""
    graph = grimp.build_graph("engine")
    mine = [m for m in graph.modules if m.startswith(f"{package}.")]
    room = {m: rooms.index(m.removeprefix(f"{package}.").split(".")[0]) for m in mine}
    assert len(mine) > 30
    return {
        (m, found)
        for m in mine
        for found in graph.find_modules_directly_imported_by(m)
        if found in room and room[found] > room[m]
    }
