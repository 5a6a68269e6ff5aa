"""`tableref …`: the command line."""

from __future__ import annotations

import os
import sys
import webbrowser
from contextlib import nullcontext
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from calibration.tablefile import load_table
from engine.errors import TableRefError
from engine.ruling import Ruling, Verdict
from server.commands import calibrating, doctoring, exporting, games, printing
from server.commands.camera_options import ExposureOption, FocusOption, FpsOption, SizeOption
from server.commands.cameras import cameras
from server.commands.disputing import check_dispute, dispute
from server.commands.recording import (
    USUAL_VIDEO,
    LibraryOption,
    NewGameOption,
    RecordingOptions,
    RecordOption,
    VideoOption,
    recording,
)
from server.commands.simulating import simulate
from server.exports.tuio import TuioSender
from server.exports.tuio import address_of as tuio_address
from server.formats.files import write_whole
from server.pipeline.json_records import line, look_record, ruling_record, surface_record
from server.pipeline.lenses import camera_of
from server.pipeline.opening import Choice, Player
from server.pipeline.photo import PhotoReading, look_at
from server.pipeline.runner import Runner
from server.recording.errors import LibraryError
from server.recording.library.games import Library
from server.serving.assembly import assemble
from server.serving.run import EVERYWHERE, PORT, listen
from server.setup.camera_wish import wish_of
from server.setup.sourcing import Chooser
from server.table.batch import rule_clip
from server.table.gunner_view import SEAT_NAMES, SeatName, look_from, view_svg
from server.table.rulebook import WhiteLineFever
from server.web.authentication import kept_key, key_file
from server.web.certificates import HOST, Certificate, certificates_folder, kept_certificate, own_names
from server.web.joining import invite
from vision.source import ask, open_source

app = typer.Typer(
    name="tableref",
    help="A referee for tabletop car combat: measures, rules and shows why.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(printing.app, name="print")
app.add_typer(calibrating.app, name="calibrate")
app.add_typer(games.app, name="games")
app.command()(doctoring.doctor)
app.command()(dispute)
app.command("verify")(check_dispute)
app.command()(cameras)
app.command()(simulate)
app.command()(exporting.export)
app.command()(exporting.replay)
app.command()(exporting.report)
console = Console(highlight=False, soft_wrap=True)
errors = Console(stderr=True, highlight=False, soft_wrap=True)

TableOption = Annotated[Path, typer.Option("--table", help="The table file.")]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]

MARKS = {
    Verdict.YES: "[green]yes[/]",
    Verdict.NO: "[red]no[/]",
    Verdict.TOO_CLOSE: "[yellow]too close to call[/]",
}


def main() -> None:
    """Runs the command line; what a person can mend is said in a sentence, with exit code 2."""
    try:
        app()
    except TableRefError as error:
        errors.print(f"tableref: {error}", markup=False)
        sys.exit(2)


def samples() -> Path:
    """The tables and clips that come with tableref, installed or from a checkout."""
    here = Path(__file__).resolve().parents[1]
    for folder in (here / "samples", here.parent / "samples"):
        if (folder / "opening-round" / "table.toml").is_file():
            return folder
    raise TableRefError(
        f"the sample clip is missing beside {here}: expected samples/opening-round; get a full checkout"
    )


@app.command()
def locate(
    images: Annotated[list[Path], typer.Argument(help="Photographs of the table.", metavar="IMAGE...")],
    table: TableOption = Path("table.toml"),
    as_json: JsonOption = False,
) -> None:
    """Say what stands where in photographs."""
    file = load_table(table)
    failed = False
    for image in images:
        try:
            look = look_at(image, file)
        except TableRefError as error:
            # The other pictures may well be good.
            failed = True
            errors.print(f"tableref: {error}", markup=False)
            continue
        if as_json:
            print(line(look_record(look)), flush=True)
        else:
            _print_look(look)
    if failed:
        raise typer.Exit(2)


def _print_look(look: PhotoReading) -> None:
    console.print(f"[bold]{escape(str(look.image))}[/]")
    console.print(f"  {look.surface.note}.", markup=False)
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
    for warning in look.warnings:
        console.print(f"  [yellow]{escape(warning[0].upper() + warning[1:])}.[/]")
    if look.missing:
        console.print(f"  Not seen: {', '.join(look.missing)}.", markup=False)


@app.command()
def measure(
    image: Annotated[Path, typer.Argument(help="A photograph of the table.", metavar="IMAGE")],
    shooter: Annotated[str, typer.Option("--from", help="The car that shoots.")],
    target: Annotated[str, typer.Option("--to", help="The car that is shot at.")],
    table: TableOption = Path("table.toml"),
    weapon: Annotated[str, typer.Option("--weapon", help="With which weapon.")] = WhiteLineFever.usual,
    view: Annotated[
        Path | None, typer.Option("--view", help="Draw what the gunner sees into this SVG file.")
    ] = None,
    seat: Annotated[
        SeatName | None, typer.Option("--seat", help="Look from the left or right front tyre or the turret.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Answer White Line Fever's shooting question between two cars in a photograph."""
    look = look_at(image, load_table(table))
    ruling = WhiteLineFever().rule(look.table, shooter, target, weapon)
    if as_json:
        record = {"image": str(image), "surface": surface_record(look)} | ruling_record(ruling, weapon)
        print(line(record), flush=True)
    else:
        _print_ruling(ruling)
        console.print(f"{look.surface.note}.", markup=False)
    if view is not None:
        seen = look_from(look.table, ruling, None if seat is None else SEAT_NAMES[seat])
        write_whole(view, view_svg(look.table, ruling, seen).encode())
        errors.print(f"{seen.words} Drawn into {view}.", markup=False)


def _print_ruling(ruling: Ruling) -> None:
    console.print(f"[bold]{escape(ruling.question)}[/] {MARKS[ruling.verdict]}")
    grid = Table(box=None, pad_edge=False, show_header=False)
    for check in ruling.checks:
        name = check.name if check.role == "condition" else f"[dim]{check.name}[/]"
        grid.add_row(f"  {name}", MARKS[check.verdict], escape(check.words))
    console.print(grid)
    for citation in dict.fromkeys(check.citation for check in ruling.checks):
        console.print(f"  [dim]by {escape(citation)}[/]")


@app.command()
def rule(
    clip: Annotated[str, typer.Argument(help="A video file or a folder of pictures.", metavar="CLIP")],
    out: Annotated[Path, typer.Option("--out", help="Where the lines go; - prints them.")],
    table: TableOption = Path("table.toml"),
    weapon: Annotated[str, typer.Option("--weapon", help="With which weapon.")] = WhiteLineFever.usual,
) -> None:
    """Referee a clip without a page: its events and rulings, one a line."""
    file, source = load_table(table), open_source(clip)
    if source.live:
        raise TableRefError(f"{clip} is a live source and never ends; use tableref serve")
    # Written beside and moved into place: an interrupted run leaves no half file.
    draft = None if str(out) == "-" else out.with_name(out.name + ".part")
    count = 0
    try:
        stream = sys.stdout if draft is None else draft.open("w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise TableRefError(f"cannot write {out}: {error.strerror or error}") from error
    try:
        for record in rule_clip(source, file, WhiteLineFever(), weapon):
            stream.write(line(record) + "\n")
            count += record["kind"] == "ruling"
        stream.flush()
    finally:
        source.close()
        if draft is not None:
            stream.close()
    if draft is not None:
        draft.replace(out)
        console.print(f"{count} rulings written to {out}.", markup=False)


@app.command()
def serve(
    source: Annotated[
        str, typer.Option("--source", help="Webcam number, address, video, photo, folder, phone or sim.")
    ] = "0",
    table: Annotated[Path | None, typer.Option("--table", help="The table file.")] = None,
    port: Annotated[int, typer.Option("--port", help="Port of the page.", min=0, max=65535)] = PORT,
    lan: Annotated[
        bool, typer.Option("--lan", help="Let phones in the network join by a link with a secret.")
    ] = False,
    host: Annotated[
        str | None,
        typer.Option("--host", help="As --lan, on one address of this machine.", show_default=False),
    ] = None,
    new_links: Annotated[
        bool, typer.Option("--new-links", help="Make new links: the old ones are no longer good.")
    ] = False,
    certificate: Annotated[
        Path | None, typer.Option("--certificate", help="A certificate for https, PEM.")
    ] = None,
    key: Annotated[Path | None, typer.Option("--key", help="The certificate's private key, PEM.")] = None,
    tls: Annotated[
        bool, typer.Option("--tls", help="Serve over https with a certificate of this machine's own.")
    ] = False,
    size: SizeOption = "1920x1080",
    fps: FpsOption = None,
    focus: FocusOption = "auto",
    exposure: ExposureOption = "auto",
    loop: Annotated[bool, typer.Option("--loop", help="Start a file again at its end.")] = False,
    tuio: Annotated[
        str | None, typer.Option("--tuio", help="Send TUIO objects there by UDP, HOST:PORT.")
    ] = None,
    library: LibraryOption = None,
    record: RecordOption = True,
    video: VideoOption = USUAL_VIDEO,
    new_game: NewGameOption = False,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True,
) -> None:
    """Referee a table live and serve the page, to this machine alone unless told otherwise."""
    if (certificate is None) != (key is None):
        raise TableRefError("--certificate and --key belong together: give both or neither")
    if tls and certificate is not None:
        raise TableRefError("--tls makes a certificate: give either it or --certificate and --key")
    at = host or (EVERYWHERE if lan else HOST)
    secured = Certificate(certificate, key) if certificate and key else None
    if tls:
        secured = kept_certificate(certificates_folder(), own_names(at), datetime.now(UTC))
    choice = Choice(source, loop, wish_of(size, fps or 30.0, focus, exposure), fps)
    player = Player(load_table(table) if table else None, drawn=ask(source).kind == "simulated")
    _run(
        choice, player, port=port, browser=browser, seconds=None, host=at, certificate=secured,
        tuio=None if tuio is None else tuio_address(tuio),
        links=kept_key(key_file(), anew=new_links),
        wanted=RecordingOptions.typed(library, record, video, new_game),
    )  # fmt: skip


@app.command()
def demo(
    seconds: Annotated[
        float | None, typer.Option("--seconds", help="Stop after so many seconds.", min=0)
    ] = None,
    port: Annotated[int, typer.Option("--port", help="Port of the page.", min=0, max=65535)] = PORT,
    library: LibraryOption = None,
    record: RecordOption = True,
    video: VideoOption = USUAL_VIDEO,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True,
) -> None:
    """Play the sample round through the whole referee and open the page. No camera needed."""
    folder = samples() / "opening-round"
    clip = Choice(str(folder / "opening-round.mp4"), loop=True)
    _run(
        clip, Player(load_table(folder / "table.toml")), port=port, browser=browser, seconds=seconds,
        wanted=RecordingOptions.typed(library, record, video),
    )  # fmt: skip


def _run(
    choice: Choice,
    player: Player,
    *,
    port: int,
    browser: bool,
    seconds: float | None,
    host: str = HOST,
    certificate: Certificate | None = None,
    tuio: tuple[str, int] | None = None,
    links: bytes | None = None,
    wanted: RecordingOptions,
) -> None:
    opened = listen(host, port)
    asked = ask(choice.spec)
    # A clip that goes round begins afresh each time: nothing has jumped, a new round has begun.
    begin = partial(player.begin, choice)
    table = player.table_for(asked)
    with recording(wanted, table, asked.name) as recorder:
        source, referee = begin()
        again = begin if choice.loop else None
        live = Runner(source, referee, again=again, camera=camera_of(asked), keeper=recorder)
        console.print(f"tableref referees {table.name} from {source.name}.", markup=False)

        def ready(address: str) -> None:
            if host == EVERYWHERE:
                # On this machine itself, by its own name: no link is needed there.
                parts = urlsplit(address)
                address = f"{parts.scheme}://localhost:{parts.port}/"
            console.print(f"The page: {address}   (Ctrl-C stops)", markup=False)
            invite(console, server.authenticator, asked.kind == "phone", certificate)
            if browser and not os.environ.get("CI"):
                webbrowser.open(address)

        chooser = Chooser(live, player, choice)
        server = assemble(chooser, opened, table.name, recorder, _library(wanted), certificate, links).server
        with nullcontext() if tuio is None else TuioSender(live, *tuio):
            server.run(seconds, ready)


def _library(wanted: RecordingOptions) -> Library | None:
    """The games that are kept; a table can be refereed without them."""
    try:
        return Library.open(wanted.where)
    except LibraryError as error:
        errors.print(f"tableref: {error}. Recorded games cannot be replayed now.", markup=False)
        return None


if __name__ == "__main__":
    main()
