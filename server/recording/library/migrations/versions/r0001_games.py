"""The first library: games and their entries."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def _of_game() -> sa.Column[str]:
    return sa.Column("game", sa.String(40), sa.ForeignKey("game.id", ondelete="CASCADE"), primary_key=True)


def _number() -> sa.Column[int]:
    return sa.Column("number", sa.Integer, primary_key=True, autoincrement=False)


def upgrade() -> None:
    """Makes the tables."""
    op.create_table(
        "game",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("table_name", sa.Text, nullable=False),
        sa.Column("began", sa.String(32), nullable=False),
        sa.Column("ended", sa.String(32)),
        sa.Column("table_file", sa.Text, nullable=False),
        sa.Column("lens", sa.Text),
        sa.Column("about", sa.Text, nullable=False),
    )
    op.create_table(
        "entry",
        _of_game(),
        _number(),
        sa.Column("kind", sa.String(80), nullable=False),
        sa.Column("at_s", sa.Double, nullable=False),
        sa.Column("source_s", sa.Double),
        sa.Column("wall", sa.String(32), nullable=False),
        sa.Column("actor", sa.Text),
        sa.Column("words", sa.Text, nullable=False),
        sa.Column("data", sa.Text, nullable=False),
    )
    op.create_index("entry_at", "entry", ["game", "at_s"])
