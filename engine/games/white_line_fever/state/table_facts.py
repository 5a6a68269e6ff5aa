"""What the table surely knows of the cars in play: where they stand, what counts, who is near."""

from __future__ import annotations

import math
from dataclasses import replace

from engine.game.kit.table import seen, sorted_out
from engine.games.white_line_fever.state.game_state import GameState
from engine.measure.nearby import within
from engine.ruling import Verdict
from engine.space.table import PoseUncertainty, Standing, Status, TableState, key_of

TURNED_OVER = (0.3, math.radians(10.0))
"""Inches and radians by which a wreck lies beside where it was last seen, one deviation (house default)."""


def in_play(state: GameState, table: TableState) -> TableState:
    """The table without cars that are out of the game, wrecks as obstacles, owners as in the game.

    A wreck that was turned over hides its tag: it lies about where it was last seen.
    """
    cars = {key_of(car.name): car for car in state.cars}
    kept = []
    for standing in table.standings:
        car = cars.get(key_of(standing.name))
        if car is None:
            kept.append(standing)
        elif car.status == "wreck":
            kept.append(_as_obstacle(standing))
        elif car.driving:
            kept.append(replace(standing, piece=replace(standing.piece, owner=car.owner)))
    return replace(table, standings=tuple(kept))


def _as_obstacle(wreck: Standing) -> Standing:
    obstacle = replace(wreck, piece=replace(wreck.piece, kind="terrain"))
    if wreck.status is not Status.LOST:
        return obstacle
    known = wreck.uncertainty
    about = PoseUncertainty(known.own + PoseUncertainty.isotropic(*TURNED_OVER).own, known.shared)
    return replace(obstacle, status=Status.STILL, uncertainty=about)


def near(
    state: GameState, table: TableState | None, name: str, inches: float, centre: Standing | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The cars in play within so many inches of a car, edge to edge: surely, and perhaps.

    `centre` is where the car is, which a token may have stopped before the hand did. Perhaps too: all of
    them without it, and those that the table does not surely know.
    """
    others = [c.name for c in state.driving() if c.name != name]
    stands = {other: seen(table, other) for other in others}
    if centre is None:
        return (), tuple(others)
    found = {n.name: n.distance.verdict() for n in within(centre, inches, [s for s in stands.values() if s])}
    return sorted_out(
        {o: Verdict.TOO_CLOSE if s is None else found.get(s.name, Verdict.NO) for o, s in stands.items()}
    )
