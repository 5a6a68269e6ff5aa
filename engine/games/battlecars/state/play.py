"""One action of the game being carried out: its events name their pieces and have a tone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from engine.game.acting.play import Play as AnyPlay
from engine.game.contract import Seen
from engine.game.dice import Dice, Roll, Want, roll_event
from engine.game.events import Event, JsonObject, Tone
from engine.games.battlecars.book.data import SIDES, Formula
from engine.games.battlecars.state.fold import apply
from engine.games.battlecars.state.game_state import GameState, Turn

_TONES: Mapping[str, Tone] = MappingProxyType(
    {
        "begin": "quiet",
        "round": "turn",
        "played": "turn",
        "drove": "move",
        "walked": "move",
        "turned": "move",
        "fired": "attack",
        "ruled": "ruling",
        "hit": "good",
        "missed": "plain",
        "armour": "bad",
        "inside": "bad",
        "hurt": "bad",
        "skidded": "bad",
        "crashed": "bad",
        "rammed": "bad",
        "wrecked": "bad",
        "killed": "bad",
        "marked": "bad",
        "exploded": "bad",
        "over": "end",
    }
)
"""How kinds of events are shown that are more than plain."""


def told(kind: str, words: str, citation: str, data: JsonObject) -> Event:
    """An event with the pieces that it is about, and its tone."""
    names = [data.get(name) for name in ("vehicle", "target", "other", "token", "terrain", "piece")]
    pieces = tuple(dict.fromkeys(str(name) for name in names if name))
    return Event(kind, data, words, citation, pieces, _TONES.get(kind, "plain"))


class Play(AnyPlay[GameState]):
    """The events of one action so far, the state that they lead to, and what may be asked."""

    rolled_for = "vehicle"

    def __init__(self, state: GameState, seen: Seen, dice: Dice) -> None:
        super().__init__(apply, state, dice)
        self.seen = seen

    def event(self, kind: str, words: str, citation: str, data: JsonObject) -> Event:
        """Something that happened, with the pieces that it is about, and its tone."""
        return told(kind, words, citation, data)

    @property
    def turn(self) -> Turn:
        """The turn, where there must be one."""
        assert self.state.turn is not None
        return self.state.turn

    def d8(
        self, why: str, citation: str, by: str, pieces: tuple[str, ...] = (), count: int = 1
    ) -> tuple[int, ...]:
        """So many D8 of a player, rolled together."""
        if not count:
            return ()
        wants = [Want(SIDES, why, by=by) for _ in range(count)]
        return tuple(roll.value for roll in self.rolls(wants, citation, pieces))

    def amount(self, formula: Formula, why: str, citation: str, by: str, piece: str) -> int:
        """What a formula comes to with dice of a player; never below 0."""
        return max(formula.of(self.d8(f"{why} ({formula})", citation, by, (piece,), formula.dice)), 0)

    def rolls(self, wants: Sequence[Want], citation: str, pieces: tuple[str, ...]) -> tuple[Roll, ...]:
        """Dice that count together, told in one event."""
        rolls = self.dice.together(wants)
        self._told(roll_event(rolls, citation, pieces))
        return rolls
