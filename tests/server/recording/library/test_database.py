"""The database of a library."""

from __future__ import annotations

from importlib.resources import files

from alembic.script import ScriptDirectory

from server.recording.library.database import NEWEST


def test_the_newest_version_is_that_of_the_last_migration() -> None:
    migrations = files("server") / "recording" / "library" / "migrations"
    assert ScriptDirectory(str(migrations)).get_current_head() == NEWEST
