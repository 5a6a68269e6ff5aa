"""`tableref serve` and `tableref demo`: a table refereed live, with its page."""

from __future__ import annotations

import os
import webbrowser
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from calibration.tablefile import TableFileError, load_table
from calibration.whole_files import FileError
from engine.errors import TableRefError
from server.commands.options import (
    ExposureOption,
    FocusOption,
    FpsOption,
    LibraryOption,
    NewGameOption,
    RecordOption,
    SizeOption,
    VideoOption,
    with_games,
)
from server.commands.recording import USUAL_VIDEO, RecordingOptions, recording
from server.exports.tuio import TuioSender
from server.exports.tuio import address_of as tuio_address
from server.formats.signing import SigningKey, kept_signing_key, signing_key_file
from server.formats.terminal import Terminal
from server.pipeline.opening import FILE, Choice, Opener, camera_of
from server.pipeline.referee import FirstLook, Referee
from server.pipeline.runner import Runner
from server.play.moving.seeing import in_play
from server.recording.errors import LibraryError
from server.recording.library.games import Library
from server.serving.assembly import assemble, put_as_left
from server.serving.memory import hold_together, stays
from server.serving.run import EVERYWHERE, PORT, listen
from server.setup.cameras.camera_wish import wish_of
from server.setup.cameras.sourcing import Chooser
from server.setup.kept_tables import FileWatch, KeptTables, LastUsed
from server.setup.setup_routes import setup_router
from server.setup.table_setup import TableSetup
from server.table.gate import hidden_from_pages
from server.table.tour import Stop, load_tour, tour_router
from server.web.authentication import kept_key, key_file, passes_file
from server.web.certificates import HOST, Certificate
from server.web.joining import invite
from vision.source import Source, parse_source, play_source

console = Terminal()
errors = Terminal(stderr=True)

FILM = Path("opening-round") / "opening-round.mp4"
"""The film among the samples."""


def samples() -> Path:
    """The tables and clips that come with tableref, installed or from a checkout."""
    here = Path(__file__).resolve().parents[1]
    for folder in (here / "samples", here.parent / "samples"):
        if (folder / "opening-round" / "table.toml").is_file():
            return folder
    raise TableRefError(
        f"the sample clip is missing beside {here}: expected samples/opening-round; get a full checkout"
    )


@with_games
def serve(
    source: Annotated[
        str | None,
        typer.Option(
            "--source",
            help="Webcam number, address, video, photo, folder, phone, sim or none.",
            show_default="the last one",
        ),
    ] = None,
    table: Annotated[
        Path | None, typer.Option("--table", help="The table file.", show_default="the table used last")
    ] = None,
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
    things: Annotated[
        bool,
        typer.Option("--things/--no-things", help="Ask about what lies on the table that nobody named."),
    ] = True,
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
        secured = _own_certificate(at)
    kept = KeptTables()
    choice = Choice(source or "", loop, wish_of(size, fps or 30.0, focus, exposure), fps)
    if source is None:
        choice = _going_on(kept.last(), choice, table is not None)
    player = Opener(
        load_table(table) if table else None,
        drawn=parse_source(choice.spec).kind == "simulated",
        file=table,
        kept=kept.current().file,
        things=things,
    )
    _run(
        choice, player, tables=kept, port=port, browser=browser, seconds=None, host=at, certificate=secured,
        tuio=None if tuio is None else tuio_address(tuio),
        links=kept_key(key_file(), anew=new_links),
        new_links=new_links,
        wanted=RecordingOptions.typed(library, record, video, new_game),
    )  # fmt: skip


def _own_certificate(host: str) -> Certificate:
    from server.web.own_certificate import certificates_folder, kept_certificate, own_names  # noqa: PLC0415

    return kept_certificate(certificates_folder(), own_names(host), datetime.now(UTC))


def _going_on(last: LastUsed, asked: Choice, named: bool) -> Choice:
    """The source where none was named: the last one; else the first webcam for a table file that is there."""
    if last.spec is not None and not named:
        try:
            parse_source(last.spec)
            plain = asked.wish == wish_of("1920x1080", 30.0, "auto", "auto") and asked.fps is None
            return last.choice if plain and last.choice is not None else replace(asked, spec=last.spec)
        except TableRefError as error:
            errors.print(f"tableref: the source used last cannot be had now: {error}")
    return replace(asked, spec="0" if named or Path(FILE).is_file() else "none")


@with_games
def demo(
    seconds: Annotated[
        float | None, typer.Option("--seconds", help="Stop so many seconds after the first picture.", min=0)
    ] = None,
    port: Annotated[int, typer.Option("--port", help="Port of the page.", min=0, max=65535)] = PORT,
    library: LibraryOption = None,
    record: RecordOption = True,
    video: VideoOption = USUAL_VIDEO,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True,
) -> None:
    """Play the sample round through the whole referee and open the page. No camera needed."""
    folder = samples() / FILM.parent
    clip = Choice(str(samples() / FILM), loop=True)
    _run(
        clip, Opener(load_table(folder / "table.toml")), port=port, browser=browser, seconds=seconds,
        wanted=RecordingOptions.typed(library, record, video),
    )  # fmt: skip


def _run(
    choice: Choice,
    player: Opener,
    *,
    tables: KeptTables | None = None,
    port: int,
    browser: bool,
    seconds: float | None,
    host: str = HOST,
    certificate: Certificate | None = None,
    tuio: tuple[str, int] | None = None,
    links: bytes | None = None,
    new_links: bool = False,
    wanted: RecordingOptions,
) -> None:
    hold_together()
    opened = listen(host, port)
    asked = parse_source(choice.spec)
    # A clip that goes round begins afresh each time: nothing has jumped, a new round has begun.
    begin = partial(player.begin, choice)
    source, referee, mistake = _begun(player, choice)
    table = referee.table
    with recording(wanted, table, asked.name) as recorder:
        again = begin if choice.loop else None
        live = Runner(source, referee, again=again, camera=camera_of(asked), keeper=recorder)
        live.remark = mistake
        if table is not None:
            console.print(f"tableref referees {table.name} from {source.name}.")
        else:
            console.print("No table is set up yet: the page leads through it.")
        kept = tables or KeptTables()
        film, stops = _sample()
        chooser = Chooser(live, player, choice, chosen=partial(_remember, kept, player), sample=film)
        file_watch = FileWatch(live, player, lambda: chooser.choice)

        def ready(address: str) -> None:
            if host == EVERYWHERE:
                # On this machine itself, by its own name: no link is needed there.
                parts = urlsplit(address)
                address = f"{parts.scheme}://localhost:{parts.port}/"
            address += "" if table is not None else "setup"
            console.print(f"The page: {address}   (Ctrl-C stops)")
            if links is not None:
                server.authenticator.passes.keep_in(passes_file())
            invite(console, server.authenticator, asked.kind == "phone", certificate)
            if browser and not os.environ.get("CI"):
                webbrowser.open(address)

        _remember(kept, player, choice)
        setup = TableSetup(
            chooser, player, file_watch, kept, lambda: hidden_from_pages(served.match.match),
            lambda: in_play(served.match.match, served.match.owners),
        )  # fmt: skip
        served = assemble(
            chooser,
            opened,
            table,
            recorder,
            _library(wanted),
            certificate,
            links,
            _signing(),
            (setup_router(setup), tour_router(lambda: stops if chooser.choice.spec == film else ())),
            file_watch.write,
        )
        put_as_left(live, served.match)
        server = served.server
        if new_links:
            served.match.vacate_all()
        stays()
        with file_watch, nullcontext() if tuio is None else TuioSender(live, *tuio, served.told):
            server.run(seconds, ready)


def _sample() -> tuple[str | None, Sequence[Stop]]:
    """The film that comes with tableref and what it shows by itself; nothing where it is missing."""
    try:
        film = samples() / FILM
    except TableRefError:
        return None, ()
    return str(film), load_tour(film.parent / "tour.toml")


def _begun(player: Opener, choice: Choice) -> tuple[Source, Referee | FirstLook, str]:
    """Source and referee; where the kept table's file has a mistake, the page tells it instead."""
    try:
        return *player.begin(choice), ""
    except TableFileError as error:
        if player.file_for(parse_source(choice.spec)) != player.kept:
            raise
        errors.print_lines(f"tableref: {error}")
        source = play_source(choice.spec, camera=choice.wish, fps=choice.fps)
        return source, FirstLook(), f"The set-up of this table has a mistake: {error}"


def _remember(tables: KeptTables, player: Opener, choice: Choice) -> None:
    """Keeps in mind what a kept table is watched with, to go on with it the next time."""
    asked = parse_source(choice.spec)
    if asked.kind != "none" and player.kept is not None and player.file_for(asked) == player.kept:
        tables.watched(choice)


def _signing() -> SigningKey | None:
    """What signs the seals of disputes; without it a table can be refereed as well."""
    try:
        return kept_signing_key(signing_key_file())
    except FileError as error:
        errors.print(f"tableref: {error}. Disputes are sealed without a signature.")
        return None


def _library(wanted: RecordingOptions) -> Library | None:
    """The games that are kept; a table can be refereed without them."""
    try:
        return Library.open(wanted.where)
    except LibraryError as error:
        errors.print(f"tableref: {error}. Recorded games cannot be replayed now.")
        return None
