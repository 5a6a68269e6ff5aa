"""A game at a host without pages: two players on their phones, an owner, and a table that a test lays out."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from engine.game.contract import NOTHING_SEEN, Seen
from engine.game.events import SAID, Event
from engine.game.match import Match
from server.play.consent import Proposal
from server.play.drafts import Draft
from server.play.host import MatchHost
from server.play.messages import Act, Agree, Answer
from server.web.authentication import Identity

OWNER = Identity("owner")
PHONES = {name: Identity("player", name[0].lower() * 16) for name in ("Red", "Blue", "Green", "Black")}
RED, BLUE = PHONES["Red"], PHONES["Blue"]

_keys = itertools.count()


class Evening:
    """A match at a host; `sight` is what the camera knows now."""

    def __init__(self, match: Match[Any], owners: Mapping[str, str], sight: Seen = NOTHING_SEEN) -> None:
        self.sight = sight
        self.host = MatchHost(None, lambda: self.sight.table, match.game.about.id)
        self.host.seeing.moves = lambda: self.sight.moves
        self.host.seeing.board = lambda: self.sight.board
        players = list(dict.fromkeys(owners.values()))
        self.host.draft = Draft.model_validate({
            "game": match.game.about.id,
            "players": [{"name": name, "colour": "#c0392b"} for name in players],
            "pieces": [{"name": n, "owner": o, "answers": {}} for n, o in owners.items()],
        })  # fmt: skip
        self.host.match = self.match = match
        for name in players:
            self.host.seats.put(name, PHONES[name].device)

    def act(self, who: Identity, kind: str, unmeasured: str | None = None, **data: Any) -> Answer:
        player = data.pop("player", None)
        key = f"key-{next(_keys):06}"
        return self.host.ask(
            who,
            Act(type="act", key=key, kind=kind, player=player, data=data, unmeasured=unmeasured),
        )

    @property
    def proposal(self) -> Proposal:
        """The one thing that is proposed."""
        (one,) = self.host.proposals.waiting.values()
        return one

    def agree(self, who: Identity, agrees: bool = True) -> Answer:
        key = f"key-{next(_keys):06}"
        return self.host.ask(who, Agree(type="agree", key=key, proposal=self.proposal.id, agrees=agrees))

    def told(self, kind: str) -> list[Event]:
        """What the log tells of a kind."""
        return [event for event in self.match.log if event.kind == kind]

    @property
    def said(self) -> Event:
        """The one event of what was said and not seen."""
        (one,) = self.told(SAID)
        return one

    def nothing_done(self, answer: Answer, count: int) -> None:
        """An answer that did nothing to a match of so many events."""
        assert not answer.accepted
        assert len(self.match.log) == count
