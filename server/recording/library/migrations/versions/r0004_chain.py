"""The hash chain: every entry holds the link of all before it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from server.recording.chain import FIELDS, link

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Adds the column, and links the entries that are there: what was changed before cannot be found."""
    op.add_column("entry", sa.Column("before", sa.String(64), nullable=False, server_default=""))
    connection = op.get_bind()
    fields = ", ".join(FIELDS)
    asked = sa.text(
        f"SELECT {fields} FROM entry WHERE game = :game AND number > :after ORDER BY number LIMIT 1000"
    )
    put = sa.text("UPDATE entry SET before = :before WHERE game = :game AND number = :number")
    for game in connection.scalars(sa.text("SELECT id FROM game")).all():
        before, after = "", 0
        while rows := connection.execute(asked, {"game": game, "after": after}).mappings().all():
            links = []
            for row in rows:
                links.append({"game": game, "number": row["number"], "before": before})
                before, after = link(before, dict(row)), row["number"]
            connection.execute(put, links)
