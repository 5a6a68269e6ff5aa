"""Inputs that several actions ask for: the move that was seen, and what a car met on its way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.game.contract import Seen
from engine.game.forms import Candidate, Flag, Form, Input, Number, PickPieces, Text
from engine.game.kit.table import path
from engine.games.white_line_fever.rules.tokens import displacer
from engine.games.white_line_fever.state.game_state import GameState
from engine.space.table import key_of


def way_form(
    state: GameState, seen: Seen, car: str, foreseen: Mapping[str, Any] | None = None, *, driven: bool = False
) -> Form:
    """How a car got where it is, where the camera knows, and what it met; `foreseen` is picked already."""
    usual = foreseen or {}
    fields: dict[str, Input] = {"move": path(seen, car), "contacts": _contacts(state, seen, car, usual)}
    fields["obstacle"] = Text(words="It touched an obstacle without a tag", optional=True, folded=True)
    if state.tokens:
        fields["triggered"] = PickPieces(
            words="It drove over",
            candidates=tuple(Candidate(t.name, t.name, t.weapon) for t in state.tokens),
            usual=list(usual.get("triggered") or ()) or None,
            optional=True,
            folded=not usual.get("triggered"),
        )
    if driven and displacer(state, [t.name for t in state.tokens]):
        fields["left"] = Number(
            words="Inches that were left at Oil or Springboard", low=0.0, high=state.to_drive(car),
            whole=False, unit="in", optional=True, folded=True,
        )  # fmt: skip
    left = bool(usual.get("left_surface"))
    fields["left_surface"] = Flag(
        words="It left the surface", usual=left or None, optional=True, folded=not left
    )
    return Form(fields)


def cars_as_candidates(state: GameState, *but: str) -> tuple[Candidate, ...]:
    """The cars in play, to pick from."""
    return tuple(Candidate(c.name, c.name, c.owner) for c in state.driving() if c.name not in but)


def _contacts(state: GameState, seen: Seen, car: str, usual: Mapping[str, Any]) -> PickPieces:
    on_table = [c.name for c in state.cars if c.status in ("driving", "wreck") and c.name != car]
    known = {key_of(c.name) for c in state.cars}
    standings = () if seen.table is None else seen.table.standings
    terrain = [s.name for s in standings if s.piece.kind == "terrain" and key_of(s.name) not in known]
    touched = list(usual.get("contacts") or ())
    names = dict.fromkeys([*on_table, *terrain, *touched])
    return PickPieces(
        words="It hit",
        candidates=tuple(Candidate(name, name) for name in names),
        usual=touched or None,
        optional=True,
        folded=not touched,
    )
