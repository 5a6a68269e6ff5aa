"""A game on a drawn table, from its first deed to its last, by whoever chooses in each seat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.boards.board import Board
from engine.driver.deciding import Choice, Position
from engine.driver.pushing import laid
from engine.game.contract import Seen
from engine.game.dice import Dice
from engine.game.kit.table import standing_of
from engine.game.match import Match
from engine.game.pushing import THOUGHT, pushed, put
from engine.game.showing import Viewer
from engine.space.geometry import Pose, Region
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing, TableState

MOST = 3000
"""Actions after which a game is broken off and won by nobody."""


@dataclass
class DrawnTable:
    """A drawn table: where everything stands, and what a camera would know of it."""

    seen: Seen

    @classmethod
    def of(
        cls,
        surface: Region,
        pieces: Iterable[Piece],
        start: Mapping[str, Pose],
        board: Board,
        vehicles: Iterable[str],
        sure: PoseUncertainty,
    ) -> DrawnTable:
        """A table with these vehicles and what hangs on them; of what does not move, everything."""
        names = list(vehicles)
        standings = [
            Standing(piece, start[piece.name], sure)
            for piece in pieces
            if piece.name in start
            and (not piece.moves or piece.name in names or any(piece.hangs_on(name) for name in names))
        ]
        return cls(Seen(TableState.of(surface, standings), board=board))

    @property
    def table(self) -> TableState:
        """What stands where."""
        assert self.seen.table is not None
        return self.seen.table

    def put(self, piece: str, pose: Pose) -> None:
        """A hand puts a piece somewhere."""
        if standing_of(self.table, piece) is not None:
            self.seen = replace(self.seen, table=put(self.table, piece, pose))

    def after(self, match: Match[Any]) -> None:
        """Hands put pieces where the game has them, and take off what it has taken off."""
        self.seen = laid(match.game, match.state, self.seen)


@dataclass(frozen=True)
class Played:
    """A game that was played: `stuck` says why it did not come to an end, `illegal` that a choice was not."""

    winner: str | None
    actions: int
    stuck: str = ""
    illegal: bool = False


def play(
    match: Match[Any],
    table: DrawnTable,
    players: list[str],
    choose: Callable[[Position[Any], int], Choice | None],
    dice: Dice,
    watch: Callable[[Any], object] = id,
) -> Played:
    """Play a game to its end: `choose` says for a position, and the number of the deed, what is done.

    `watch` is shown each state.
    """
    for turn in range(MOST):
        watch(match.state)
        status = match.game.status(match.state, Viewer())
        if status.over:
            return Played(status.winner, turn)
        if (group := match.revealing(table.seen)) is not None and not match.options(table.seen):
            match.reveal(group, table.seen, dice)
            table.after(match)
            continue
        options = match.options(table.seen)
        owed = [o.player for o in options if o.player is not None]
        player = owed[0] if owed else players[turn % len(players)]
        choice = choose(Position.of(match, table.seen, player), turn)
        if choice is None:
            return Played(None, turn, f"{player}: nothing of {[o.words for o in options][:6]}")
        action, seen = choice.action, table.seen
        if choice.piece and choice.way:
            name = f"move {turn}"
            seen = pushed(seen, choice.piece, choice.way, name)
            data = {k: name if isinstance(v, str) and v == THOUGHT else v for k, v in action.data.items()}
            action = replace(action, data=data)
        if reasons := match.check(action, seen):
            return Played(None, turn, f"{player}: {action} {reasons}", illegal=True)
        if choice.piece and choice.way:
            table.put(choice.piece, choice.way[-1])
        if action.kind in match.game.about.sealed:
            match.seal(action, f"salt of {match.game.about.id} {turn}", seen, dice)
        else:
            match.do(action, seen, dice)
        table.after(match)
    return Played(None, MOST, f"not over after {MOST} deeds")
