"""`tableref calibrate check`: a strip of known length, laid here and there, proves the inches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from calibration.proofs.proof import StripPlacement, write_figure
from calibration.tablefile import TableFile
from calibration.whole_files import write_whole
from server.commands.measuring import TableOption, table_at
from server.commands.options import with_games
from server.formats.terminal import Terminal
from server.formats.terminal import tell as tell_record
from server.pipeline.opening import LensFinder, lens_finder
from server.pipeline.referee import Moment, Referee
from server.pipeline.runner import Runner
from server.serving.run import PORT, PageServer, listen
from server.setup.checking import Checker, check_router, in_words, record, refuse_taken, strip
from server.table.questions.rulings import Rulings
from vision.source import Source, SourceEnded, open_source, parse_source, play_source

console = Terminal()

Tell = Callable[[StripPlacement], None]


@with_games
def check(
    table: TableOption = Path("table.toml"),
    source: Annotated[str, typer.Option("--source", help="Webcam number, address, video or folder.")] = "0",
    tags: Annotated[str, typer.Option("--tags", help="The ids of the strip's two tags.")] = "50,51",
    size_in: Annotated[
        float, typer.Option("--size-in", help="The side of their black squares.", min=0.1)
    ] = 1.0,
    length_in: Annotated[
        float, typer.Option("--length-in", help="From the centre of one to that of the other.", min=1.0)
    ] = 12.0,
    height_in: Annotated[float, typer.Option("--height-in", help="The strip's thickness.", min=0.0)] = 0.0,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", help="Stop after so many seconds.", min=0.0, show_default=False),
    ] = None,
    page: Annotated[bool, typer.Option("--page", help="Show it on a page, too.")] = False,
    port: Annotated[int, typer.Option("--port", help="Port of the page.", min=0, max=65535)] = PORT,
    write: Annotated[bool, typer.Option("--write", help="Write the figure into the table file.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Prove the inches with a strip of known length, laid here and there on the table.

    Fix two tags 12 inches apart on a ruler, lay it flat on the table, wait until its length is said,
    lay it elsewhere. Ctrl-C ends, and says what rulings should count in.
    """
    file = table_at(table)
    ends = strip(tags, size_in, height_in)
    refuse_taken(file, ends)
    both = replace(file, pieces=(*file.pieces, *ends), checked=0.0)
    checker = Checker(length_in, file.surface, (ends[0].name, ends[1].name))

    def tell(laid: StripPlacement) -> None:
        if not as_json:
            x, y = laid.middle
            off = laid.measured - length_in
            console.print(f"at {x:5.1f}, {y:5.1f}: {laid.measured:.3f} in, {off:+.3f} ±{laid.sd:.3f}")

    if page:
        _on_a_page(source, both, checker, tell, port, seconds)
    else:
        _in_the_terminal(source, both, checker, tell, seconds)
    proof = checker.proof
    if as_json:
        tell_record(record(proof))
    else:
        for words in in_words(proof).split("\n"):
            console.print(words)
    if write:
        write_whole(table, write_figure(table_at(table).text, proof.figure).encode())
        if not as_json:
            console.print(f"Written to {table}: rulings count it in from now on.")


def _in_the_terminal(
    source: str, table: TableFile, checker: Checker, tell: Tell, seconds: float | None
) -> None:
    # A recording is read to its last picture; a live source is waited for.
    recorded = parse_source(source).kind in ("pictures", "video")
    player: Source = open_source(source) if recorded else play_source(source)
    try:
        for laid in placements(player, table, checker, seconds, lens_finder(source)):
            tell(laid)
    except KeyboardInterrupt:
        # The usual way to end it: what was measured is told.
        pass
    finally:
        player.close()


def placements(
    source: Source,
    table: TableFile,
    checker: Checker,
    seconds: float | None = None,
    kept: LensFinder | None = None,
) -> Iterator[StripPlacement]:
    """Every place at which the strip comes to rest, once each, until the source ends.

    `kept` finds the camera's lens for a table file that names none, as when the table is served.
    """
    referee = Referee(table, kept=kept)
    began: float | None = None
    while True:
        try:
            moment = referee.step(source.read())
        except SourceEnded:
            return
        began = moment.time if began is None else began
        if seconds is not None and moment.time - began > seconds:
            return
        laid = checker.see(moment)
        if laid is not None:
            yield laid


def _on_a_page(
    source: str, table: TableFile, checker: Checker, tell: Tell, port: int, seconds: float | None
) -> None:
    opened = listen(port=port)
    live = Runner(play_source(source), Referee(table, kept=lens_finder(source), beside=True))
    seen: list[Moment | None] = [None]

    def look() -> None:
        moment = live.moment
        if moment is not None and moment is not seen[0]:
            seen[0] = moment
            laid = checker.see(moment)
            if laid is not None:
                tell(laid)

    live.watch(look)
    server = PageServer(live, Rulings.by_book(table.game), opened, routers=[check_router(checker)])
    server.run(seconds, lambda address: console.print(f"The check: {address}check"))
