"""One action of the game being carried out: its events name their pieces and have a tone."""

from __future__ import annotations

from collections.abc import Sequence

from engine.game.dice import Want
from engine.game.kit.play import Play as AnyPlay
from engine.game.records import to_json
from engine.games.car_cult.book.data import SIDES
from engine.games.car_cult.state.game_state import Duty, GameState, Turn


class Play(AnyPlay[GameState]):
    """The events of one action so far, the state that they lead to, and what may be asked."""

    @property
    def turn(self) -> Turn:
        """The activation, where there must be one."""
        assert self.state.turn is not None
        return self.state.turn

    def d20(self, why: str, citation: str, car: str, by: str, count: int = 1) -> tuple[int, ...]:
        """So many D20 of a player, rolled together."""
        wants = [Want(SIDES, why, by=by) for _ in range(count)]
        return tuple(roll.value for roll in self.rolls(wants, citation, (car,)))

    def owe(self, duties: Sequence[Duty], words: str, *, first: bool = False) -> None:
        """What has to be done before the game goes on; `first` of all that is owed already."""
        if duties:
            self.tell("owed", words, duties[0].citation, duties=[to_json(d) for d in duties], first=first)

    def settled(self, words: str) -> None:
        """The first thing that was owed is done."""
        duty = self.state.duties[0]
        self.tell("settled", words, duty.citation, car=duty.car, duty=duty.kind)
