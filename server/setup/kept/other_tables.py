"""What a tag that this table does not name carries on another table that is kept on this computer."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from calibration.fiducials import TagKey
from calibration.tablefile import load_table
from engine.errors import TableRefError
from server.setup.kept.tables import KeptTables
from vision.tags.unnamed import USUAL_FAMILY


class OtherTables:
    """The pieces of the kept tables by their tags; a file is read again when it has changed."""

    def __init__(self, tables: KeptTables) -> None:
        self._tables = tables
        self._read: dict[Path, tuple[float, dict[TagKey, str]]] = {}

    def words(self, tags: Iterable[TagKey], own: Path | None) -> list[str]:
        """A sentence for each table but the `own` one on which some of these tags carry pieces."""
        wanted = sorted(tags)
        told = []
        for kept in self._tables.all():
            if own is not None and kept.file.resolve() == own.resolve():
                continue
            named = self._pieces(kept.file)
            there = [(key, named[key]) for key in wanted if key in named]
            if there:
                told.append(_sentence(there, kept.name))
        return told

    def _pieces(self, file: Path) -> dict[TagKey, str]:
        """What its tags carry; nothing where there is no file yet, or one with a mistake."""
        try:
            changed = file.stat().st_mtime
            if file not in self._read or self._read[file][0] != changed:
                pieces = load_table(file).pieces
                carried = {(p.mount.family, p.mount.tag): p.name for p in pieces if p.mount is not None}
                self._read[file] = changed, carried
        except (OSError, TableRefError):
            return {}
        return self._read[file][1]


def _sentence(there: list[tuple[TagKey, str]], table: str) -> str:
    """What those tags are on that table.

    >>> _sentence([(("tag36h11", 41), "Red 1")], "Garage")
    'On the table Garage, kept on this computer, tag 41 is Red 1: name it so here, or put it away.'
    """
    names = ", ".join(
        f"tag {tag if family == USUAL_FAMILY else f'{family} {tag}'} is {name}"
        for (family, tag), name in there
    )
    them = "it" if len(there) == 1 else "them"
    return f"On the table {table}, kept on this computer, {names}: name {them} so here, or put {them} away."
