"""One action of the game being carried out: its events name their pieces and have a tone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from engine.game.acting.play import Play as AnyPlay
from engine.game.contract import Seen
from engine.game.dice import Dice, Roll, Want, roll_event
from engine.game.events import Event, JsonObject, Tone
from engine.game.records import to_json
from engine.games.car_cult.book.data import SIDES
from engine.games.car_cult.state.fold import apply
from engine.games.car_cult.state.game_state import Duty, GameState, Turn

_TONES: Mapping[str, Tone] = MappingProxyType(
    {
        "begin": "quiet",
        "order": "quiet",
        "settled": "quiet",
        "owed": "quiet",
        "attack over": "quiet",
        "round": "turn",
        "activated": "turn",
        "moved": "move",
        "declared": "attack",
        "ruled": "ruling",
        "hit": "good",
        "swapped": "good",
        "damaged": "bad",
        "stopped": "bad",
        "exploded": "bad",
        "blast": "bad",
        "over": "end",
    }
)
"""How kinds of events are shown that are more than plain."""


def told(kind: str, words: str, citation: str, data: JsonObject) -> Event:
    """An event with the pieces that it is about, and its tone."""
    names = [data.get(name) for name in ("car", "target", "other", "token")]
    names += data.get("cars") or []
    pieces = tuple(dict.fromkeys(str(name) for name in names if name))
    # A range is measured once its target is declared: it may be read from then on.
    measured = True if kind == "ranged" and data.get("distance") is not None else None
    return Event(kind, data, words, citation, pieces, _TONES.get(kind, "plain"), measured=measured)


class Play(AnyPlay[GameState]):
    """The events of one action so far, the state that they lead to, and what may be asked."""

    rolled_for = "car"

    def __init__(self, state: GameState, seen: Seen, dice: Dice) -> None:
        super().__init__(apply, state, dice)
        self.seen = seen

    def event(self, kind: str, words: str, citation: str, data: JsonObject) -> Event:
        """Something that happened, with the pieces that it is about, and its tone."""
        return told(kind, words, citation, data)

    @property
    def turn(self) -> Turn:
        """The activation, where there must be one."""
        assert self.state.turn is not None
        return self.state.turn

    def d20(self, why: str, citation: str, car: str, by: str, count: int = 1) -> tuple[int, ...]:
        """So many D20 of a player, rolled together."""
        wants = [Want(SIDES, why, by=by) for _ in range(count)]
        return tuple(roll.value for roll in self.rolls(wants, citation, (car,)))

    def rolls(self, wants: Sequence[Want], citation: str, cars: tuple[str, ...]) -> tuple[Roll, ...]:
        """Dice that count together, told in one event."""
        rolls = self.dice.together(wants)
        self._told(roll_event(rolls, citation, cars))
        return rolls

    def owe(self, duties: Sequence[Duty], words: str, *, first: bool = False) -> None:
        """What has to be done before the game goes on; `first` of all that is owed already."""
        if duties:
            self.tell("owed", words, duties[0].citation, duties=[to_json(d) for d in duties], first=first)

    def settled(self, words: str) -> None:
        """The first thing that was owed is done."""
        duty = self.state.duties[0]
        self.tell("settled", words, duty.citation, car=duty.car, duty=duty.kind)
