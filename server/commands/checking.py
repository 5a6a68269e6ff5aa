"""`tableref calibrate check`: a strip of known length, laid here and there, proves the inches."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from calibration.proof import ENOUGH, Placement, Proof, ProofError, placement, write_figure
from calibration.tablefile import TableFile, load_table
from engine.geometry import Footprint
from engine.pieces import Body, Piece, TagMount
from engine.table import Standing, Status
from server.referee import Referee
from vision.source import Source, SourceEnded, ask, open_source, play_source

console = Console(highlight=False, soft_wrap=True)

# The strip counts as laid elsewhere when its middle has moved so far, inches.
ELSEWHERE_IN = 2.0
# So many reads of the resting strip make a placement.
READS = 8


def check(
    table: Annotated[Path, typer.Option("--table", help="The table file.")] = Path("table.toml"),
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
    write: Annotated[bool, typer.Option("--write", help="Write the figure into the table file.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Prove the inches with a strip of known length, laid here and there on the table.

    Fix two tags 12 inches apart on a ruler, lay it flat on the table, wait until its length is said,
    lay it elsewhere. Ctrl-C ends, and says what rulings should count in.
    """
    file = load_table(table)
    first, second = strip(tags, size_in, height_in)
    taken = {key for key in file.keys if key in {_key(first), _key(second)}}
    if taken:
        raise ProofError(f"tag {min(taken)[1]} is in play on this table: choose other ids with --tags")
    both = replace(file, pieces=(*file.pieces, first, second), checked=0.0)
    found: list[Placement] = []
    # A recording is read to its last picture; a live source is waited for.
    recorded = ask(source).kind in ("pictures", "video")
    player: Source = open_source(source) if recorded else play_source(source)
    try:
        for laid in placements(player, both, (first.name, second.name), seconds):
            found.append(laid)
            if not as_json:
                x, y = laid.middle
                off = laid.measured - length_in
                console.print(f"at {x:5.1f}, {y:5.1f}: {laid.measured:.3f} in, {off:+.3f} ±{laid.sd:.3f}")
    except KeyboardInterrupt:
        pass
    finally:
        player.close()
    proof = Proof(length_in, file.surface, tuple(found))
    console.print(json.dumps(record(proof)) if as_json else in_words(proof), markup=False)
    if write:
        table.write_text(write_figure(table.read_text(encoding="utf-8"), proof.figure), encoding="utf-8")
        if not as_json:
            console.print(f"Written to {table}: rulings count it in from now on.", markup=False)


def strip(tags: str, size: float, height: float) -> tuple[Piece, Piece]:
    """The strip's two ends as pieces that lie flat."""
    try:
        first, second = (int(part) for part in tags.split(","))
    except ValueError as error:
        raise ProofError(f"expected two ids such as 50,51 for --tags but got {tags!r}") from error
    if first == second or min(first, second) < 0:
        raise ProofError(f"expected two different ids for --tags but got {tags!r}")

    def end(name: str, tag: int) -> Piece:
        mount = TagMount("tag36h11", tag, size, height, sd_at=0.0, sd_turn=0.0, sd_height=0.0)
        return Piece(name, "token", Body("strip", Footprint.box(size, size), height), mount)

    return end("Strip, first end", first), end("Strip, second end", second)


def _key(piece: Piece) -> tuple[str, int]:
    assert piece.mount is not None
    return piece.mount.family, piece.mount.tag


def placements(
    source: Source, table: TableFile, ends: tuple[str, str], seconds: float | None
) -> Iterator[Placement]:
    """Every place at which the strip comes to rest, once each."""
    referee = Referee(table)
    reads: list[float] = []
    last: np.ndarray[tuple[int, ...], np.dtype[np.float64]] | None = None
    began: float | None = None
    while True:
        try:
            moment = referee.step(source.read())
        except SourceEnded:
            return
        began = moment.time if began is None else began
        if seconds is not None and moment.time - began > seconds:
            return
        standing = {s.name: s for s in moment.table.standings}
        both = [standing[e] for e in ends if e in standing]
        if len(both) < 2 or any(s.status is not Status.STILL or s.name not in moment.read for s in both):
            reads.clear()
            continue
        places = np.array([(s.pose.x, s.pose.y) for s in both])
        if last is not None and math.dist(places.mean(axis=0), last) < ELSEWHERE_IN:
            continue
        reads.append(math.dist(*places))
        if len(reads) >= READS:
            last = places.mean(axis=0)
            yield placement(places, joint(both[0], both[1]), reads)
            reads.clear()


def joint(one: Standing, other: Standing) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """The (4, 4) covariance of two places: their own errors, and those they share."""
    loading = np.vstack([one.uncertainty.shared[:2], other.uncertainty.shared[:2]])
    covariance = loading @ loading.T
    covariance[:2, :2] += one.uncertainty.own[:2, :2]
    covariance[2:, 2:] += other.uncertainty.own[:2, :2]
    return np.asarray(covariance)


def record(proof: Proof) -> dict[str, object]:
    """The proof as one object; see docs/formats.md."""
    enough = len(proof.placements) >= ENOUGH
    return {
        "length_in": proof.length,
        "placements": [
            {
                "x_in": round(float(p.middle[0]), 3),
                "y_in": round(float(p.middle[1]), 3),
                "measured_in": round(p.measured, 4),
                "sd_in": round(p.sd, 4),
            }
            for p in proof.placements
        ],
        "scale_error": round(proof.scale, 6),
        "repeatability_in": round(proof.repeatability, 4),
        "map_in": [[None if math.isnan(c) else round(float(c), 4) for c in row] for row in proof.cells],
        "surface_sd_in": round(proof.figure, 4) if enough else None,
    }


def in_words(proof: Proof) -> str:
    """The proof for people, with the map of the table as seen from its near edge."""
    if not proof.placements:
        return "The strip was not seen at rest: lay it flat in the picture, both tags up, and let go of it."
    errors = np.abs(proof.errors)
    lines = [
        f"{len(errors)} places: off by {np.sqrt(np.mean(errors**2)):.3f} in (root mean square), "
        f"{errors.max():.3f} at worst; lengths come out {abs(proof.scale):.2%} too "
        f"{'long' if proof.scale >= 0 else 'short'}; a single read repeats to {proof.repeatability:.4f} in.",
        "Error over the table, inches, the far edge on top:",
    ]
    lines += ["   " + "  ".join("  —  " if math.isnan(c) else f"{c:.3f}" for c in row) for row in proof.cells]
    if len(errors) < ENOUGH:
        lines.append(f"Lay it at {ENOUGH - len(errors)} more places for a figure that rulings can count in.")
    else:
        lines.append(f"Rulings should count in {proof.figure:.4f} in (checked_in under [surface]).")
    return "\n".join(lines)
