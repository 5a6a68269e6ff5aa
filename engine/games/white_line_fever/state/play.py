"""One action of the game being carried out: its events name their pieces and have a tone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from engine.game.acting.play import Play as AnyPlay
from engine.game.dice import Dice
from engine.game.events import Event, JsonObject, Tone
from engine.game.records import to_json
from engine.games.white_line_fever.state.fold import apply
from engine.games.white_line_fever.state.game_state import Duty, GameState, Round
from engine.games.white_line_fever.state.table_facts import seen, standing_of
from engine.space.geometry import Pose
from engine.space.table import Standing, Status, TableState

_TONES: Mapping[str, Tone] = MappingProxyType(
    {
        "begin": "quiet",
        "chosen": "quiet",
        "may change speed": "quiet",
        "round": "turn",
        "moved": "move",
        "shot": "attack",
        "roll": "dice",
        "ruled": "ruling",
        "hit": "good",
        "floored": "good",
        "goes on": "move",
        "over": "end",
        "damaged": "bad",
        "penalty": "bad",
        "collision": "bad",
        "triggered": "bad",
        "burning": "bad",
        "destroyed": "bad",
        "left": "bad",
        "lost control": "bad",
        "blast": "bad",
    }
)
"""How kinds of events are shown that are more than plain."""


def told(kind: str, words: str, citation: str, data: JsonObject) -> Event:
    """An event with the pieces that it is about, and its tone."""
    return Event(kind, data, words, citation, tuple(_pieces(data)), _TONES.get(kind, "plain"))


def _pieces(data: JsonObject) -> dict[str, None]:
    """The names in an event's data, in the order in which it tells of them."""
    owed = data.get("duty")
    owed = owed["car"] if isinstance(owed, Mapping) else None
    one = [data.get(name) for name in ("car", "target", "token")]
    many = [name for field in ("cars", "obstacles", "reached", "triggered") for name in data.get(field) or ()]
    met = [contact["other"] for contact in data.get("contacts") or ()]
    return dict.fromkeys(name for name in (owed, *one, *many, *met) if name)


class Play(AnyPlay[GameState]):
    """The events of one action so far, the state that they lead to, and what may be asked."""

    rolled_for = "car"

    def __init__(self, state: GameState, table: TableState | None, dice: Dice) -> None:
        super().__init__(apply, state, dice)
        self.table = table
        self.stopped: dict[str, Pose] = {}
        self.rests: dict[str, Pose] = {}
        """Where the cars rest whose seen moves this action takes: a hand may lie over them by now."""

    def event(self, kind: str, words: str, citation: str, data: JsonObject) -> Event:
        """Something that happened, with the pieces that it is about, and its tone."""
        return told(kind, words, citation, data)

    @property
    def round(self) -> Round:
        """The current round, where there must be one."""
        assert self.state.round is not None
        return self.state.round

    def owe(self, duty: Duty, words: str) -> None:
        """Something that must be done before the game goes on."""
        told = to_json(duty)
        if not duty.way:
            del told["way"]  # as older records tell it
        self.tell("owed", words, duty.citation, duty=told)

    def standing(self, name: str) -> Standing | None:
        """Where a car stands, if the table surely knows; of one that a token has stopped, where that was."""
        standing = seen(self.table, name)
        if standing is None and (rest := self.rests.get(name)) is not None:
            known = standing_of(self.table, name)
            standing = None if known is None else replace(known, pose=rest, status=Status.STILL)
        stopped = self.stopped.get(name)
        return standing if standing is None or stopped is None else replace(standing, pose=stopped)
