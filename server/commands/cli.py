"""`tableref …`: the command line. A command's module is imported when the command is called."""

from __future__ import annotations

import os
import re
import sys
from functools import cached_property
from importlib import import_module
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from engine.errors import TableRefError
from server.formats.terminal import Terminal, log_to_terminal

# A frame's matrices are small: threads of OpenBLAS only wait for one another, and keep the cores busy with
# it. Read once, where NumPy is first imported, which no import above does.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# What is wrong with a picture or a video is said in a sentence of ours: the libraries' lines are left out.
os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
# A picture may claim any size, and OpenCV would take 3 GB of it (see `vision.frame.MOST_PIXELS`).
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", "100000000")

errors = Terminal(stderr=True)

COMMANDS = {
    "serve": (
        "serving:serve",
        "Referee a table live and serve the page, to this machine alone unless told otherwise.",
    ),
    "tables": ("tables:app", "The tables kept on this computer: list, use, copy, export and import them."),
    "demo": (
        "serving:demo",
        "Play the sample round through the whole referee and open the page. No camera needed.",
    ),
    "locate": ("measuring:locate", "Say what stands where in photographs."),
    "measure": (
        "measuring:measure",
        "Answer a question of the game about pieces in a photograph, such as a shot.",
    ),
    "rule": ("measuring:rule", "Referee a clip without a page: its events and rulings, one a line."),
    "doctor": ("camera.doctoring:doctor", "Look at what the camera sees and say what to fix."),
    "cameras": ("camera.cameras:cameras", "List the webcams with their numbers, names and picture sizes."),
    "calibrate": ("camera.calibrating:app", "Calibrate a lens, and prove what is measured."),
    "print": ("printing:app", "Make PDF sheets of tags, targets and boards to print."),
    "games": ("records.games:app", "The library of recorded games."),
    "rulebooks": (
        "rulebooks:rulebooks",
        "List the games that can be played, and those that cannot with the reason.",
    ),
    "export": (
        "records.exporting:export",
        "Write a recorded game to a file: all of it, for Foxglove, for spreadsheets, or its video.",
    ),
    "replay": (
        "records.exporting:replay",
        "Rule a recorded game again with today's engine: what would come out differently, and why.",
    ),
    "report": (
        "records.exporting:report",
        "Write a recorded game's battle report, turn by turn: a page and a PDF.",
    ),
    "dispute": (
        "records.disputing:dispute",
        "List the disputes of a recorded game, or write the file of one, or of any moment.",
    ),
    "verify": (
        "records.disputing:check_dispute",
        "Check that the file of a dispute is as it was sealed, and rule the question again.",
    ),
    "balance": (
        "balancing:balance",
        "Let machines play a game against one another, to find what in it is too strong.",
    ),
    "simulate": ("simulating:simulate", "Draw a clip of a simulated table, with the exact truth beside it."),
}
"""By name, where a command or a group of commands is, and its line in the help."""


PLAINER = (
    (
        r"Value error, (.*) does not match the formats '%Y-%m-%d'\.?",
        r"expected a day as 2026-05-01 but got \1",
    ),
    (r"Value error, (.*) is not one of (.*?)\.?", r"expected one of \2 but got \1"),
    (r"Input should be a valid integer.*", "expected a whole number as 10"),
    (r"Input should be a valid number.*", "expected a number as 1.5, with a point"),
    (r"Input should be (.*)", r"expected a number \1"),
)
"""What is said of a wrong value to programmers, and in plain words."""


class LateCommand(TyperCommand):
    """A command that is known by name and help, and imported when it is called."""

    def __init__(self, name: str, place: str, words: str) -> None:
        super().__init__(name, help=words, callback=None)
        self._place = place

    @cached_property
    def loaded(self) -> Any:
        """The command itself, or the group."""
        module, _, attribute = self._place.partition(":")
        found = getattr(import_module(f"server.commands.{module}"), attribute)
        if not isinstance(found, typer.Typer):
            alone = typer.Typer(add_completion=False)
            alone.command(self.name)(found)
            found = alone
        command = typer.main.get_command(found)
        command.name = self.name
        return command

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """The context of the command itself: from here on it is called."""
        return self.loaded.make_context(*args, **kwargs)


class LateGroup(TyperGroup):
    """The commands of `COMMANDS`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Options without a command are those of `serve`, which is what runs without one."""
        if args and args[0].startswith("-") and args[0] not in (*ctx.help_option_names, "--version"):
            args = ["serve", *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Runs the command; a wrong value of an option is told in plain words."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            for said, plain in PLAINER:
                if found := re.fullmatch(said, error.message):
                    error.message = found.expand(plain)
                    break
            raise

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """Their names, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> LateCommand | None:  # noqa: ARG002
        """One of them, not imported yet."""
        return LateCommand(cmd_name, *COMMANDS[cmd_name]) if cmd_name in COMMANDS else None


app = typer.Typer(
    name="tableref",
    cls=LateGroup,
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def tell_version(wanted: bool) -> None:
    """Prints which version this is, and ends there."""
    if wanted:
        Terminal().print_lines(f"tableref {version('tableref')}")
        raise typer.Exit


@app.callback()
def tableref(
    ctx: typer.Context,
    _: Annotated[
        bool,
        typer.Option("--version", callback=tell_version, is_eager=True, help="Say which version this is."),
    ] = False,
) -> None:
    """A referee for tabletop car combat: measures, rules and shows why.

    Without a command: serves the table that was used last, or a page that sets one up.
    """
    if ctx.invoked_subcommand is None:
        serve = LateCommand("serve", *COMMANDS["serve"])
        with serve.make_context("tableref serve", []) as own:
            own.command.invoke(own)


def main() -> None:
    """Runs the command line; what a person can fix is said in a sentence, with exit code 2."""
    log_to_terminal()
    try:
        app()
    except TableRefError as error:
        errors.print_lines(f"tableref: {error}")
        sys.exit(2)


if __name__ == "__main__":
    main()
