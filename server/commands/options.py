"""The options that several commands share: webcams, what is kept and where, which games there are."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from pathlib import Path
from typing import Annotated, ParamSpec, TypeVar

import typer

from engine.errors import TableRefError
from engine.game.registry import games_from
from server.formats.terminal import apart

SizeOption = Annotated[str, typer.Option("--size", help="A webcam's picture size; own leaves it alone.")]
FpsOption = Annotated[
    float | None,
    typer.Option("--fps", help="Pictures a second of a webcam, folder or sim.", min=0.1, max=240.0),
]
FocusOption = Annotated[
    str, typer.Option("--focus", help="auto, lock (as found after its first pictures) or a number.")
]
ExposureOption = Annotated[str, typer.Option("--exposure", help="auto, lock or a number.")]
LibraryOption = Annotated[
    str | None,
    typer.Option("--library", help="Folder or PostgreSQL address of the games.", show_default=False),
]
RecordOption = Annotated[bool, typer.Option("--record/--no-record", help="Keep the game in the library.")]
VideoOption = Annotated[
    str, typer.Option("--video", help="Video that is kept: 720p, 1080p@15 or off.", metavar="WHAT")
]
NewGameOption = Annotated[
    bool, typer.Option("--new-game", help="Begin a new game, even if one was cut off at this table.")
]
GameArgument = Annotated[str, typer.Argument(help="The game's id, or a part of it.", metavar="GAME")]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]


def in_its_folder(file: Path) -> Path:
    """A file that is to be written, its folder made if need be."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TableRefError(f"cannot write {file}: {error.strerror or error}") from error
    return file


P = ParamSpec("P")
R = TypeVar("R")


def with_games(command: Callable[P, R], flag: str = "--games") -> Callable[P, R]:
    """A command that rules or plays, with the option `--games`: it finds the games of those folders, too.

    `flag` is what the option is called where `--games` means something else.
    """
    option = _option(flag)

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        folders = kwargs.pop(option.name, None)
        own = apart() if kwargs.get("as_json") else nullcontext()
        with own, games_from(*map(_folder, folders if isinstance(folders, list) else ())):
            try:
                return command(*args, **kwargs)
            except TableRefError as error:
                if flag == "--games":
                    raise
                # What to do about a game that is not there names the option as most commands have it.
                raise TableRefError(str(error).replace("--games", flag)) from error
            except SystemExit as left:
                if isinstance(left.__context__, BrokenPipeError):
                    # Rich's own, when whoever reads the output has had enough, as `head` has.
                    raise
                # Ours end by typer's own; this is a game's, which would end before anything is said.
                raise TableRefError(f"a game ended the command by an exit of its own: {left}") from left

    own = inspect.signature(command, eval_str=True)
    run.__dict__["__signature__"] = own.replace(parameters=[*own.parameters.values(), option])
    return run


def _option(flag: str) -> inspect.Parameter:
    option = typer.Option(
        flag, help="A folder with more games; several times for more.", metavar="DIR",
        envvar="TABLEREF_GAMES", show_default=False,
    )  # fmt: skip
    return inspect.Parameter(
        "games_folders", inspect.Parameter.KEYWORD_ONLY, default=None,
        annotation=Annotated[list[Path] | None, option],
    )  # fmt: skip


def _folder(named: Path) -> str:
    if not named.is_dir():
        raise TableRefError(f"expected a folder with games but {named} is none: name one that is there")
    return str(named)
