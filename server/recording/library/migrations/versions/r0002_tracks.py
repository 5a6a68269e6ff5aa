"""Beside the entries: where everything stood, how surely, and how the camera hung."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def _of_game() -> sa.Column[str]:
    return sa.Column("game", sa.String(40), sa.ForeignKey("game.id", ondelete="CASCADE"), primary_key=True)


def _number() -> sa.Column[int]:
    return sa.Column("number", sa.Integer, primary_key=True, autoincrement=False)


def upgrade() -> None:
    """Adds three tables; games that are there simply have nothing in them."""
    op.create_table(
        "block",
        _of_game(),
        _number(),
        sa.Column("begins_s", sa.Double, nullable=False),
        sa.Column("ends_s", sa.Double, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
    op.create_index("block_at", "block", ["game", "begins_s"])
    op.create_table("deviation", _of_game(), _number(), sa.Column("data", sa.LargeBinary, nullable=False))
    op.create_table(
        "calibration",
        _of_game(),
        _number(),
        sa.Column("at_s", sa.Double, nullable=False),
        sa.Column("data", sa.Text, nullable=False),
    )
