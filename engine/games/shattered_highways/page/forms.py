"""Inputs that several actions ask for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from engine.game.events import Reason
from engine.game.forms import Candidate, Flag, Input, Pick, PickPieces
from engine.games.shattered_highways.book.data import OPPOSITE, SIDES
from engine.games.shattered_highways.state.game_state import GameState, Vehicle

EDGE_WORDS: Mapping[str, str] = MappingProxyType(
    {"none": "neither", "front": "the front edge", "back": "the back edge"}
)


def edge(usual: str | None = None) -> Pick:
    """Which edge of the play space a vehicle has reached."""
    found = tuple(Candidate(value, words) for value, words in EDGE_WORDS.items())
    return Pick(words="It reached", candidates=found, usual=usual or "none", folded=usual in (None, "none"))


def side(usual: str = "front") -> Pick:
    """With which side a vehicle strikes, and which of the other it meets."""
    found = tuple(Candidate(s, f"my {s} against the {OPPOSITE[s]}") for s in SIDES)
    return Pick(words="With", candidates=found, usual=usual)


def vehicles(
    words: str, found: Iterable[Vehicle], *, least: int = 1, most: int = 1, usual: list[str] | None = None,
    reasons: Mapping[str, tuple[Reason, ...]] | None = None, more: Mapping[str, str] | None = None,
    folded: bool = False, optional: bool = False, at_once: bool = False,
) -> PickPieces:  # fmt: skip
    """Pick vehicles by name."""
    against, said = reasons or {}, more or {}
    candidates = tuple(
        Candidate(v.name, v.name, said.get(v.name, v.kind), against.get(v.name, ())) for v in found
    )
    return PickPieces(
        words=words, candidates=candidates, least=least, most=most, usual=usual, folded=folded,
        optional=optional, at_once=at_once,
    )  # fmt: skip


def half(words: str = "Of a Rig") -> Pick:
    """Which half of a Rig is meant, where it is one."""
    found = (Candidate("tractor", "the tractor"), Candidate("trailer", "the trailer"))
    return Pick(words=words, candidates=found, optional=True, folded=True)


def halves(named: Iterable[Vehicle], field: str = "part", words: str = "Of a Rig") -> dict[str, Input]:
    """The input for a half of a Rig, if one of these is a Rig with its trailer."""
    return {field: half(words)} if any(v.trailer is not None for v in named) else {}


def dust(state: GameState, name: str, usual: bool | None = None) -> dict[str, Input]:
    """Whether a vehicle is in the section behind another one's Drag Chains, if any has them."""
    if not any(v.chains for v in state.in_play(name)):
        return {}
    words = "Behind Drag Chains"
    return {"dust": Flag(words=words, usual=usual or None, optional=True, folded=not usual)}
