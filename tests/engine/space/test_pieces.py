"""Kinds of piece: one table that everything else derives from."""

from __future__ import annotations

from typing import get_args

import pytest

from engine.errors import ShapeError
from engine.space.catalogue import box, car
from engine.space.pieces import KINDS, Look, Piece, PieceKind


def test_every_kind_has_its_traits() -> None:
    assert set(KINDS) == set(get_args(PieceKind))
    assert {k.look for k in KINDS.values()} == set(get_args(Look))


@pytest.mark.parametrize(
    ("kind", "traits"),
    [
        ("car", {"driven", "moves", "solid", "blocks sight"}),
        ("truck", {"driven", "moves", "solid", "blocks sight"}),
        ("trailer", {"moves", "solid", "blocks sight"}),
        ("terrain", {"solid", "blocks sight"}),
        ("pedestrian", {"moves"}),
        ("token", set()),
        ("marker", set()),
    ],
)
def test_a_piece_is_as_its_kind(kind: PieceKind, traits: set[str]) -> None:
    it = Piece("It", kind, car("sedan"))
    said = {"driven": it.driven, "moves": it.moves, "solid": it.solid, "blocks sight": it.blocks_sight}
    assert {name for name, true in said.items() if true} == traits


def test_no_other_kind_is_taken() -> None:
    with pytest.raises(ShapeError, match=r"Hill: expected a car, truck, .*, but got 'hill'"):
        Piece("Hill", "hill", box(1.0, 1.0, 1.0))  # type: ignore[arg-type]
