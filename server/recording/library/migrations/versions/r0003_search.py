"""Who played what and where, so that games are found and listed in the order of their beginnings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from server.recording.library.search import index_game

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Adds a table, and fills it from the games that are there."""
    op.create_table(
        "search",
        sa.Column("game", sa.String(40), sa.ForeignKey("game.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("began", sa.String(32), nullable=False),
        sa.Column("players", sa.Text, nullable=False),
        sa.Column("played", sa.Text),
        sa.Column("words", sa.Text, nullable=False),
    )
    op.create_index("search_order", "search", ["began", "game", "words"])
    connection = op.get_bind()
    for id in connection.scalars(sa.text("SELECT id FROM game")).all():
        index_game(connection, id)
