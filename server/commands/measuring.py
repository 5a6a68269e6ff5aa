"""`tableref locate`, `tableref measure` and `tableref rule`: photographs and clips, without a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, TextIO

import typer
from rich.table import Table

from calibration.tablefile import TableFile, TableFileError, load_table
from calibration.whole_files import whole_file, write_whole
from engine.errors import NotUsable, TableRefError
from engine.ruling import Ruling, Verdict
from engine.space.table import key_of
from server.commands.options import (
    JsonOption,
    in_its_folder,
    with_games,
)
from server.formats.terminal import Terminal, apart, line, styled, tell
from server.pipeline.json_records import look_record, surface_record
from server.pipeline.photo import PhotoReading, look_at, things_words
from server.recording.outlined import thing_record
from server.table.batch import rule_clip
from server.table.questions.gunner_view import SEAT_NAMES, SeatName, look_from, view_svg
from server.table.questions.rulings import Rulings, verify_whole
from server.table.records import ruling_record
from vision.source import open_source

console = Terminal()
errors = Terminal(stderr=True)

TableOption = Annotated[Path, typer.Option("--table", help="The table file.")]
QuestionOption = Annotated[
    str | None,
    typer.Option("--question", help="Which question, by its label, such as a weapon; else the usual one."),
]

ThingsOption = Annotated[
    bool,
    typer.Option("--things/--no-things", help="Look for what lies on the table that nobody named."),
]

MARKS = {
    Verdict.YES: styled("yes", "green"),
    Verdict.NO: styled("no", "red"),
    Verdict.TOO_CLOSE: styled("too close to call", "yellow"),
}


def table_at(path: Path) -> TableFile:
    """The table file at `path`; where there is none it is said where others lie."""
    if not path.exists():
        raise TableFileError(
            f"there is no table file {path}: name one with --table; `tableref tables list` says where those "
            "kept on this computer lie"
        )
    return load_table(path)


def locate(
    images: Annotated[list[Path], typer.Argument(help="Photographs of the table.", metavar="IMAGE...")],
    table: TableOption = Path("table.toml"),
    as_json: JsonOption = False,
) -> None:
    """Say what stands where in photographs."""
    file = table_at(table)
    failed = False
    for image in images:
        try:
            look = look_at(image, file)
        except TableRefError as error:
            # The other pictures may well be good.
            failed = True
            errors.print_lines(f"tableref: {error}")
            continue
        if as_json:
            tell(look_record(look))
        else:
            _print_look(look)
    if failed:
        raise typer.Exit(2)


def _print_look(look: PhotoReading) -> None:
    console.print(str(look.image), style="bold")
    console.print(f"  {look.surface.note}.")
    grid = Table("piece", "tag", "x in", "y in", "heading", "± in", "± heading", box=None, pad_edge=False)
    for record in look_record(look)["pieces"]:
        grid.add_row(
            record["piece"],
            str(record["tag"]),
            f"{record['x_in']:.2f}",
            f"{record['y_in']:.2f}",
            f"{record['heading_deg']:.1f}°",
            f"{record['sd_xy_in']:.3f}",
            f"{record['sd_heading_deg']:.1f}°",
        )
    console.print(grid)
    _print_doubts(look, "  ")


def _print_doubts(look: PhotoReading, before: str = "") -> None:
    """Everything that the picture gives to doubt, and what is not seen in it."""
    for warning in look.warnings:
        console.print(f"{before}{_sentence(warning)}", style="yellow")
    if look.missing:
        console.print(f"{before}Not seen: {', '.join(look.missing)}.")


def _sentence(warning: str) -> str:
    return f"{warning[0].upper()}{warning[1:]}."


@with_games
def measure(
    image: Annotated[Path, typer.Argument(help="A photograph of the table.", metavar="IMAGE")],
    asking: Annotated[str, typer.Option("--from", help="The piece that the question is about.")],
    others: Annotated[
        list[str] | None, typer.Option("--to", help="The other piece; several times for more.")
    ] = None,
    table: TableOption = Path("table.toml"),
    which: QuestionOption = None,
    view: Annotated[
        Path | None, typer.Option("--view", help="Draw what the gunner sees into this SVG file.")
    ] = None,
    seat: Annotated[
        SeatName | None, typer.Option("--seat", help="Look from the left or right front tyre or the turret.")
    ] = None,
    things: ThingsOption = True,
    as_json: JsonOption = False,
) -> None:
    """Answer a question of the game about pieces in a photograph, such as a shot."""
    if seat is not None and view is None:
        raise TableRefError("--seat says from where --view draws: name a file with --view FILE, too")
    file = table_at(table)
    look, rulings = look_at(image, file, things=things), Rulings.by_book(file.game)
    asked = (asking, *(others or ()))
    _verify_seen(look, asked)
    question = rulings.find([look.table.find(name).name for name in asked], which)
    verify_whole(question, asked)
    if question.missing and not others:
        raise NotUsable(f"{question.words} Still to be named with --to: {question.missing}")
    ruling = rulings.ask(question, look.table)
    if as_json:
        record = {"image": str(image), "surface": surface_record(look)} | ruling_record(ruling, question)
        record |= {"missing": list(look.missing), "warnings": list(look.warnings)}
        record |= {"things": [thing_record(t) for t in look.table.things]}
        tell(record)
    else:
        _print_ruling(ruling)
        console.print(f"{look.surface.note}.")
        _print_doubts(look)
        # Only what keeps this answer open is looked for on the table.
        said = " ".join(check.words for check in ruling.checks)
        named = [t for t in look.table.things if re.search(rf"\b{t.name}\b", said)]
        if words := things_words(named):
            console.print(words, style="yellow")
    if view is not None:
        seen = look_from(look.table, ruling, None if seat is None else SEAT_NAMES[seat])
        write_whole(in_its_folder(view), view_svg(look.table, ruling, seen).encode())
        errors.print(f"{seen.words} Drawn into {view}.")


def _verify_seen(look: PhotoReading, asked: Sequence[str]) -> None:
    """Raises a `TableRefError` for pieces of the table file that this picture does not show, and says why."""
    missing = {key_of(name): name for name in look.missing}
    lost = [missing[key_of(name)] for name in asked if key_of(name) in missing]
    if lost:
        why = "".join(f" {_sentence(warning)}" for warning in look.warnings)
        untagged = {p.name for p in look.table.unplaced if p.spot is not None}
        tags = "its tag was" if len(lost) == 1 else "their tags were"
        read = f"{tags} not read" if not untagged.issuperset(lost) else "not seen where outlined"
        raise TableRefError(f"{' and '.join(lost)} cannot be placed: {read} in {look.image}.{why}")


def _print_ruling(ruling: Ruling) -> None:
    console.print(styled(ruling.question, "bold"), MARKS[ruling.verdict])
    grid = Table(box=None, pad_edge=False, show_header=False)
    for check in ruling.checks:
        name = styled(f"  {check.name}", "" if check.role == "condition" else "dim")
        grid.add_row(name, MARKS[check.verdict], check.words)
    console.print(grid)
    for citation in dict.fromkeys(check.citation for check in ruling.checks):
        console.print(f"  by {citation}", style="dim")


@with_games
def rule(
    clip: Annotated[str, typer.Argument(help="A video file or a folder of pictures.", metavar="CLIP")],
    out: Annotated[Path, typer.Option("--out", help="Where the lines go; - prints them.")],
    table: TableOption = Path("table.toml"),
    which: QuestionOption = None,
    things: ThingsOption = True,
) -> None:
    """Referee a clip without a page: its events and rulings, one a line."""
    file, source = table_at(table), open_source(clip)
    if source.live:
        raise TableRefError(f"{clip} is a live source and never ends; use tableref serve")
    count, unruled = 0, ""
    with ExitStack() as ends:
        ends.callback(source.close)
        stream: TextIO = ends.enter_context(apart())
        if str(out) != "-":
            draft = ends.enter_context(whole_file(in_its_folder(out)))
            stream = ends.enter_context(draft.open("w", encoding="utf-8", newline="\n"))
        for record in rule_clip(source, file, Rulings.by_book(file.game), which, things=things):
            stream.write(line(record) + "\n")
            count += record["kind"] == "ruling"
            unruled = record["words"] if record["kind"] == "unruled" else ""
        stream.flush()
    if str(out) != "-":
        console.print(f"{count} rulings written to {out}.")
    if source.notice:
        errors.print(f"tableref: {source.notice}")
    if unruled:
        errors.print(f"tableref: nothing was ruled in {clip}. {unruled}")
        raise typer.Exit(1)
