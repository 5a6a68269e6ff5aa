"""Random games to hold a game against, and what everybody is shown of them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from typing import Any

from engine.game.contract import Game, Seen
from engine.game.dice import SeededDice
from engine.game.events import Event, batches, event_to_json
from engine.game.filling import Stuck
from engine.game.match import Match
from engine.game.players import random_setup, step
from engine.game.records import to_json
from engine.game.showing import Viewer
from engine.game.text import log_text, option_text, sheet_text, status_text
from engine.game.viewing import log_for
from engine.space.catalogue import car
from engine.space.geometry import Pose, Region
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing, TableState

SEEDS = (1, 2, 3)
"""The random games that are played."""


class Playing:
    """Random games of `game`."""

    game: Game[Any]
    limit = 2000
    """Actions after which a game need not be over."""
    in_turn = False
    """Whether one player after another gives up as a random game goes on, not all at each of its moments."""

    def begun(self, seed: int) -> Match[Any]:
        """A random match that begins."""
        return Match.begin(self.game, random_setup(self.game, random.Random(seed)))

    def positions(self) -> Iterator[Match[Any]]:
        """A random game, as it stands every few actions."""
        chance, dice = random.Random(7), SeededDice(7)
        match = self.begun(7)
        for number in range(60):
            if number % 6 == 0:
                yield match
            if self.over(match):
                return
            step(match, chance, dice)

    def on_tables(self, seed: int) -> Iterator[tuple[Match[Any], TableState]]:
        """A random game that looks at tables where it can, as it stands after every action with the last."""
        chance, dice = random.Random(seed), SeededDice(seed)
        match = self.begun(seed)
        for _ in range(80):
            table = next(tables(match, self.json(match)), None)
            if self.over(match) or table is None:
                return
            try:
                step(match, chance, dice, table)
            except Stuck:
                step(match, chance, dice)
            yield match, table

    def stepped(self, match: Match[Any], chance: random.Random, dice: SeededDice) -> tuple[Event, ...]:
        """A random lawful action, done."""
        return step(match, chance, dice)

    def over(self, match: Match[Any]) -> bool:
        """Whether the game is over."""
        return self.game.status(match.state, Viewer()).over

    def viewers(self, match: Match[Any]) -> list[Viewer]:
        """Everybody who may look: no player in particular, and each that plays."""
        return [Viewer(), *(Viewer(name) for name in players_of(match))]

    def shown(self, match: Match[Any], viewer: Viewer, seen: Seen | None = None) -> Any:
        """Everything that a viewer is shown of a match."""
        mine = [o for o in match.options(seen) if o.player in (None, viewer.player)]
        return [
            to_json(self.game.status(match.state, viewer)),
            to_json(self.game.sheets(match.state, viewer)),
            to_json(self.game.cards(match.state)),
            to_json(self.game.marks(match.state, None, viewer)),
            to_json(self.game.ghosts(match.state, seen or Seen())),
            to_json(mine),
            [event_to_json(e) for e in log_for(match.log, viewer)],
        ]

    def json(self, match: Match[Any]) -> Any:
        """The state as it is kept."""
        return plain(self.game.as_json(match.state))


def playthrough(game: Game[Any], log: Iterable[Event], viewer: Viewer) -> str:
    """A game as a viewer sees it: what is told, batch by batch, the status, and the sheets that changed."""
    match: Match[Any] = Match(game)
    parts = [f"{game.about.title}, seen by {viewer.player or 'everybody'}"]
    shown: dict[str, str] = {}
    for batch in batches(log):
        match.commit(batch)
        sheets = {sheet.title: sheet_text(sheet) for sheet in game.sheets(match.state, viewer)}
        parts += ["", log_text(log_for(batch, viewer)), status_text(game.status(match.state, viewer))]
        parts += [text for title, text in sheets.items() if shown.get(title) != text]
        parts += [f"? {option_text(o)}" for o in match.options() if o.player in (None, viewer.player)]
        shown = sheets
    return "\n".join(parts) + "\n"


def playthroughs(game: Game[Any]) -> dict[str, str]:
    """The golden game as each viewer sees it, by the viewer's name."""
    match, chance, dice = (
        Match.begin(game, random_setup(game, random.Random(0))),
        random.Random(0),
        SeededDice(0),
    )
    for _ in range(60):
        if game.status(match.state, Viewer()).over:
            break
        step(match, chance, dice)
    names = players_of(match)
    viewers = {"everybody": Viewer()} | {name: Viewer(name) for name in names[:2]}
    return {name: playthrough(game, match.log, viewer) for name, viewer in viewers.items()}


def players_of(match: Match[Any]) -> list[str]:
    """The players, in the order of play."""
    return [place.player for place in match.game.status(match.state, Viewer()).order]


def tables(match: Match[Any], state: Any) -> Iterator[TableState]:
    """Some tables on which the pieces of a match stand about."""
    names = sorted({p for sheet in match.game.sheets(match.state, Viewer()) if (p := sheet.piece)})
    owners = {s.piece: s.owner for s in match.game.sheets(match.state, Viewer())}
    chance = random.Random(json.dumps(state, sort_keys=True))
    for _ in range(2 if names else 0):
        yield TableState.of(
            Region.rectangle(0.0, 0.0, 48.0, 48.0),
            [
                Standing(
                    Piece(name, "car", car("sedan"), owner=owners[name]),
                    Pose(chance.uniform(3.0, 45.0), chance.uniform(3.0, 45.0), chance.uniform(-3.0, 3.0)),
                    PoseUncertainty.isotropic(0.01),
                )
                for name in names
            ],
        )


def plain(value: Any) -> Any:
    """A value through JSON, which it must be."""
    return json.loads(json.dumps(value, allow_nan=False))
