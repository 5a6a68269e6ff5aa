"""The table file that a command is given, or that lies where it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from calibration.tablefile import TableFile, TableFileError, load_table

TableOption = Annotated[Path, typer.Option("--table", help="The table file.")]


def table_at(path: Path) -> TableFile:
    """The table file at `path`; where there is none it is said where others lie."""
    if not path.exists():
        raise TableFileError(
            f"there is no table file {path}: name one with --table; `tableref tables list` says where those "
            "kept on this computer lie"
        )
    return load_table(path)
