"""One action of the game being carried out: its events name their pieces and have a tone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.game.contract import Seen
from engine.game.dice import Dice, Roll, Want
from engine.game.kit.events import Events
from engine.game.kit.play import Play as AnyPlay
from engine.game.kit.table import seen, standing_of
from engine.game.records import to_json
from engine.games.white_line_fever.state.fold import EVENTS
from engine.games.white_line_fever.state.game_state import Duty, GameState, Round
from engine.space.geometry import Pose
from engine.space.table import Standing, Status


class Play(AnyPlay[GameState]):
    """The events of one action so far, the state that they lead to, and what may be asked."""

    def __init__(self, kinds: Events[GameState], state: GameState, seen: Seen, dice: Dice) -> None:
        super().__init__(kinds, state, seen, dice)
        self.table = seen.table
        self.stopped: dict[str, Pose] = {}
        self.rests: dict[str, Pose] = {}
        """Where the cars rest whose seen moves this action takes: a hand may lie over them by now."""

    @property
    def round(self) -> Round:
        """The current round, where there must be one."""
        assert self.state.round is not None
        return self.state.round

    def roll(self, sides: int, why: str, citation: str, piece: str) -> Roll:
        """A die for a piece, told before anything follows from it."""
        return self.together([(Want(sides, why), piece)], citation)[0]

    def together(self, wants: Sequence[tuple[Want, str]], citation: str) -> tuple[Roll, ...]:
        """Dice for pieces by name, all of them told before anything follows from any.

        A die that was rolled here, not typed, is a barrier: whoever missed cannot take it back.
        """
        rolls = self.dice.together([want for want, _ in wants])
        for roll, (_, piece) in zip(rolls, wants, strict=True):
            data = {"sides": roll.sides, "value": roll.value, "why": roll.why, "source": roll.source}
            words = f"{roll.why}: D{roll.sides} shows {roll.value}"
            event = EVENTS.told("roll", words, citation, data | {"car": piece})
            self._told(replace(event, barrier=roll.source != "typed"))
        return rolls

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
