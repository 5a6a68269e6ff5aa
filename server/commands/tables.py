"""`tableref tables`: the tables that are kept on this computer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from calibration.tablefile import TableFileError, load_table
from engine.errors import TableRefError
from server.commands.options import in_its_folder
from server.formats.terminal import Terminal, visible
from server.setup.kept_tables import KeptTable, KeptTables

console = Terminal()
app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="The tables kept on this computer: list, use, copy, export and import them.",
)

TableArgument = Annotated[str, typer.Argument(help="The table's name.", metavar="TABLE")]
NewName = Annotated[str, typer.Argument(help="The new name.", metavar="NAME")]


@app.command("list")
def list_tables() -> None:
    """The kept tables; the one used last is marked."""
    kept = KeptTables()
    last = kept.last().table
    every = kept.all()
    for table in every:
        mark = "*" if table.name == last else " "
        console.print(f"{mark} {table.name}: {_words(table)}")
    if not every:
        console.print(f"No table is kept in {kept.folder} yet: tableref sets one up.")


@app.command()
def use(table: TableArgument) -> None:
    """Choose the table that tableref begins with the next time."""
    kept = KeptTables()
    found = kept.find(table)
    kept.use(found)
    console.print(f"{found.name} is used the next time: {found.file}")


@app.command()
def copy(table: TableArgument, name: NewName) -> None:
    """Copy a table under another name."""
    kept = KeptTables()
    made = kept.copy(kept.find(table), name)
    console.print(f"Copied to {made.file}.")


@app.command()
def export(
    table: TableArgument,
    out: Annotated[
        Path | None, typer.Option("--out", help="The file; NAME.toml unless told.", show_default=False)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
) -> None:
    """Write a table as one file, its lens in it."""
    kept = KeptTables()
    found = kept.find(table)
    file = out or Path(f"{found.name}.toml")
    if file.exists() and not force:
        raise TableRefError(f"{file} is there already: give another name with --out, or --force")
    kept.hand_out(found, in_its_folder(file))
    console.print(f"Written to {file}.")


@app.command("import")
def import_table(
    file: Annotated[Path, typer.Argument(help="The table file.", metavar="FILE")],
    name: Annotated[
        str | None, typer.Option("--name", help="What to call it; as it calls itself unless told.")
    ] = None,
) -> None:
    """Keep a table file from elsewhere, its lens file in it, and use it the next time."""
    kept = KeptTables()
    made = kept.bring_in(file, name)
    kept.use(made)
    console.print(f"Kept as {made.name} in {made.file}.")


@app.command()
def delete(
    table: TableArgument,
    yes: Annotated[bool, typer.Option("--yes", "--force", help="Do not ask first.")] = False,
) -> None:
    """Take a table away for good."""
    kept = KeptTables()
    found = kept.find(table)
    if not yes:
        typer.confirm(f"Delete {visible(found.file.parent)} for good?", abort=True)
    kept.delete(found)
    console.print(f"{found.name} is deleted.")


def _words(table: KeptTable) -> str:
    if not table.written:
        return "not set up yet"
    try:
        file = load_table(table.file)
    except TableFileError as error:
        return f"its file has a mistake: {error}"
    corners, pieces = len(file.corners) + len(file.loose), len(file.pieces)
    return f"{corners} corner tags, {pieces} piece{'' if pieces == 1 else 's'}; {table.file}"
