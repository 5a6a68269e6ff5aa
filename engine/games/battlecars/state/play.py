"""One action of the game being carried out: its events name their pieces and have a tone."""

from __future__ import annotations

from engine.game.dice import Want
from engine.game.kit.play import Play as AnyPlay
from engine.games.battlecars.book.data import SIDES, Formula
from engine.games.battlecars.state.game_state import GameState, Turn


class Play(AnyPlay[GameState]):
    """The events of one action so far, the state that they lead to, and what may be asked."""

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
