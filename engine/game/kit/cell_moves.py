"""Judges a move over cells: where the piece rests, which way fits what was seen, what of it is open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

from engine.boards.board import Board, Snap, place_words
from engine.boards.spots import Spot, places, said_of
from engine.errors import TableRefError
from engine.game.about import SEEN
from engine.game.events import Reason
from engine.game.kit.cells import HEADLINES
from engine.game.showing import Guide
from engine.motion.moves import Move
from engine.ruling import Verdict


class Way(Protocol):
    """A way over cells, by a game's own measure."""

    @property
    def key(self) -> str:
        """The way as the value of an input."""


WayT = TypeVar("WayT", bound=Way)


@dataclass(frozen=True, slots=True)
class Driven(Generic[WayT]):
    """A move as a way, None where no way by the book is meant, and what is against it.

    `unseen` says between which cells it was not seen, where that leaves any out, and `how` by what they are
    known nevertheless. `ways` are those that fit then, where several do that do not come to the same.
    """

    way: WayT | None
    reasons: tuple[Reason, ...] = ()
    unseen: str = ""
    how: str = ""
    ways: tuple[WayT, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Whether it was lawful."""
        return verdict_on(self.reasons)

    def told(self, way: str) -> str:
        """What was not seen of it, with the way in words, and how that is known nevertheless: for the log."""
        return f"not seen {self.unseen}: {way}, {self.how}"


def verdict_on(reasons: Sequence[Reason]) -> Verdict:
    """Legal with nothing against it, too close to call where only what the players may settle is."""
    if not reasons:
        return Verdict.YES
    return Verdict.TOO_CLOSE if all(reason.open for reason in reasons) else Verdict.NO


def rested(piece: str, reasons: Sequence[Reason], hidden: str = "", **more: Any) -> Guide:
    """The verdict for the screen of whoever moved a piece; `hidden` heads one whose way is open."""
    verdict, words = verdict_on(reasons), "; ".join(reason.words for reason in reasons)
    headline = hidden if hidden and verdict is Verdict.TOO_CLOSE else HEADLINES[verdict]
    take = "The move is done" if verdict is Verdict.YES else ""
    return Guide(piece, "rested", headline, words, verdict=verdict, take=take, **more)


@dataclass(frozen=True, eq=False)
class CellMoves(Generic[WayT]):
    """Judges the move of a piece.

    What only the game knows: what the move was if the piece rests on a spot (`ending`), what is told of one
    beside the board (`off`), and between which cells a way of those that fit was not seen (`unseen`).
    """

    board: Board
    name: str
    move: Move
    ending: Callable[[Spot], Driven[WayT]]
    off: Driven[WayT]
    unseen: Callable[[WayT], str]

    @cached_property
    def snap(self) -> Snap:
        """Where it rests."""
        return self.board.snap(self.move.after)

    @cached_property
    def spots(self) -> tuple[Spot, ...]:
        """The cells and facings on which it may rest, the most probable first."""
        return places(self.snap)

    @cached_property
    def ends(self) -> tuple[Driven[WayT], ...]:
        """What the move was if it rests on the first of them, the second, and so on."""
        return tuple(map(self.ending, self.spots))

    @cached_property
    def driven(self) -> Driven[WayT]:
        """What the move was; open where the place is. Something against one place does not settle it."""
        if self.snap.where == "cell":
            return self.ends[0]
        lawful = next((one for one in self.ends if one.verdict is not Verdict.NO), None)
        likely = self.off if self.snap.cell is None else self.ends[0]
        if self.snap.where == "off" or (lawful is None and likely is self.off):
            return self.off
        stands, told = f"{self.name} stands {place_words(self.board, self.snap)}", lawful or likely
        words = f"{stands}: say which, or put it right"
        between = Reason(words, SEEN, open=lawful is not None, fact=True, says=stands)
        return replace(told, reasons=(between, *told.reasons))

    @cached_property
    def ways(self) -> tuple[WayT, ...]:
        """The ways that may be said of it, to every place where it may rest; none where none is open."""
        if not any(one.ways for one in self.ends):
            return ()
        alone = [() if one.reasons or one.way is None else (one.way,) for one in self.ends]
        return tuple(way for one, only in zip(self.ends, alone, strict=True) for way in one.ways or only)

    def said(self, *, way: object = None, ends: object = None) -> Driven[WayT]:
        """What it was, by the way or else the place that somebody said; without either as `driven`.

        Raises `TableRefError` for one that does not fit what was seen.
        """
        if way is None:
            spot = None if ends is None else said_of(self.board, self.spots, ends)
            return self.driven if spot is None else self.ending(spot)
        found = next((one for one in self.ways if one.key == way), None)
        if found is None:
            keys = ", ".join(one.key for one in self.ways) or "none: it was seen, or nothing fits"
            words = f"{way!r} is no way of {self.name} that fits what was seen; expected {keys}"
            raise TableRefError(words)
        return Driven(found, unseen=self.unseen(found), how="as was said")

    def rested(self, **more: Any) -> Guide:
        """The verdict for the screen of whoever moved it, with more about it."""
        hidden = ""
        if self.driven.ways and self.snap.where == "cell":
            # Not where it is, but how it came there is open.
            hidden = "Not all of it was seen" if self.driven.unseen else f"{len(self.driven.ways)} ways fit"
        return rested(self.name, self.driven.reasons, hidden, **more)
