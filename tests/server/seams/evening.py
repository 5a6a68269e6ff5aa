"""A game of any registered rule book, played through the host into a library that the replay reads."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from calibration.tablefile import parse_table
from engine.game.filling import Stuck
from engine.game.players import choose, random_setup
from engine.game.registry import game_called
from engine.game.showing import Viewer
from server.play.drafts import Draft
from server.play.host import MatchHost
from server.play.keeping import KINDS
from server.play.messages import Act, Answer, Begin, Modes, Redo, Request, SetModes, SetUp, Undo
from server.recording.journal import Journal
from server.recording.library.games import Library
from server.recording.library.records import GameRecord
from server.web.authentication import Identity
from tests.server.playback import BEGAN, SAMPLE

GAMES = ("battlecars", "car_cult", "frothy_races", "shattered_highways", "white_line_fever")
OWNER = Identity("owner")

_keys = itertools.count()


def key() -> str:
    return f"seam-{next(_keys):06}"


@dataclass
class Evening:
    """A host whose record lies in a library; all players act on the owner's page unless said otherwise."""

    library: Library
    game: str
    """The id of the recorded game."""
    journal: Journal
    host: MatchHost
    chance: random.Random
    seconds: float = 0.0
    """By the source's clock."""
    passed: list[tuple[float, Any]] = field(default_factory=list)
    """When the match came to stand how, in the game's own time."""

    @property
    def now(self) -> float:
        """The game's own time."""
        return self.journal.clock.now

    @property
    def state(self) -> Any:
        assert self.host.match is not None
        return self.host.match.state

    @property
    def over(self) -> bool:
        return bool(self.host.game.status(self.state, Viewer()).over)

    def ask(self, request: Request, who: Identity = OWNER) -> Answer:
        """A second goes by, and somebody asks."""
        self.seconds += 1.0
        self.journal.clock.see(self.seconds)
        answer = self.host.ask(who, request)
        if answer.accepted and self.host.match is not None:
            self.passed.append((self.now, self.state))
        return answer

    def done(self, request: Request, who: Identity = OWNER) -> None:
        answer = self.ask(request, who)
        assert answer.accepted, (answer.error, answer.reasons, answer.wanted)

    def step(self) -> None:
        """Somebody does something lawful, whatever it is; nothing where nothing can be filled."""
        assert self.host.match is not None
        with suppress(Stuck):
            action = choose(self.host.match, self.chance)
            self.done(
                Act(type="act", key=key(), kind=action.kind, player=action.player, data=dict(action.data))
            )

    def undo(self) -> None:
        self.done(Undo(type="undo", key=key()))

    def redo(self) -> None:
        self.done(Redo(type="redo", key=key()))

    def restart(self) -> None:
        """The process ends, and another one goes on where its record ends."""
        self.journal.close()
        self.journal = self.library.journal(self.game)
        self.journal.clock.see(self.seconds)
        self.host = MatchHost(self.journal)
        self.host.restore(self.library.reader(self.game).entries(KINDS))


@contextmanager
def evening(folder: Path, name: str, seed: int = 1) -> Iterator[Evening]:
    """An evening whose match has just begun, of a random set-up that the game accepts."""
    text = (SAMPLE / "table.toml").read_text(encoding="utf-8")
    cars = [piece.name for piece in parse_table(text, "the sample table").pieces if piece.driven]
    chance, game = random.Random(seed), game_called(name)
    setup = dict(random_setup(game, chance))
    while len(setup["pieces"]) > len(cars):
        setup = dict(random_setup(game, chance))
    # The pieces of the table file are played with.
    said = json.dumps(setup)
    for piece, car in zip(setup["pieces"], cars, strict=False):
        said = said.replace(json.dumps(piece["name"]), json.dumps(car))
    setup = json.loads(said)
    draft = Draft.model_validate(
        {
            "game": game.about.id,
            "players": [
                {"name": player, "colour": f"#{k * 40 + 20:02x}4060"}
                for k, player in enumerate(setup.pop("players"))
            ],
            "pieces": [
                {"name": p.pop("name"), "owner": p.pop("owner"), "answers": p} for p in setup.pop("pieces")
            ],
            "answers": setup,
        }
    )
    with Library.open(folder) as library:
        id = library.add(GameRecord.new(text, name=name, began=BEGAN)).id
        journal = library.journal(id)
        one = Evening(library, id, journal, MatchHost(journal), chance)
        one.done(SetUp(type="setup", key=key(), draft=draft))
        one.done(SetModes(type="modes", key=key(), modes=Modes(dice="roll", moves="ask", questions="ask")))
        one.done(Begin(type="begin", key=key()))
        try:
            yield one
        finally:
            one.journal.close()
