"""`tableref simulate`: draws a clip of a table, with what is true of it beside every picture."""

from __future__ import annotations

import shlex
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from engine.errors import TableRefError
from server.formats.terminal import Terminal
from server.setup.cameras.camera_wish import WishError, size_of
from vision.simulate.clip import acts_for, write_clip
from vision.simulate.scenes import named_scene
from vision.source import parse_source

console = Terminal()

SMALLEST = (160, 120)
WRITTEN = (
    "table.toml",
    "frame_*.json",
    "frame_*.jpg",
    "frame_*.png",
    "clip.mp4",
    "scene.json",
    "truth.jsonl",
)
"""What a clip's folder holds."""


class Happens(StrEnum):
    """What happens on the simulated table."""

    ROUND = "round"
    STILL = "still"
    RANDOM = "random"


class ClipForm(StrEnum):
    """How the pictures are written."""

    JPG = "jpg"
    PNG = "png"
    MP4 = "mp4"


def simulate(
    out: Annotated[Path, typer.Option("--out", help="The folder to write into, made if missing.")],
    scene: Annotated[str, typer.Option("--scene", help="Which table: default, bare or evening.")] = "default",
    play: Annotated[Happens, typer.Option("--play", help="What happens.")] = Happens.ROUND,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", help="How long.", min=0.1, max=3600, show_default=False),
    ] = None,
    fps: Annotated[float, typer.Option("--fps", help="Pictures a second.", min=0.1, max=120)] = 10.0,
    size: Annotated[str, typer.Option("--size", help="The pictures' size.")] = "1920x1080",
    form: Annotated[ClipForm, typer.Option("--format", help="Single pictures, or one video.")] = ClipForm.JPG,
    seed: Annotated[int, typer.Option("--seed", help="Of noise, cloth and random play.", min=0)] = 1,
    force: Annotated[
        bool, typer.Option("--force", help="In place of a clip or table that is there.")
    ] = False,
) -> None:
    """Draw a clip of a simulated table, with the exact truth beside it."""
    pixels = size_of(size)
    if pixels is None or pixels[0] < SMALLEST[0] or pixels[1] < SMALLEST[1]:
        raise WishError(f"expected a size of at least {SMALLEST[0]}x{SMALLEST[1]} but got {size!r}")
    table = named_scene(scene, pixels, seed)
    acts, lasting = acts_for(table, play.value, seconds, seed)
    try:
        _clear(out, force)
        count = write_clip(out, table, acts, fps=fps, seconds=lasting, kind=form.value)
    except OSError as error:
        raise TableRefError(f"cannot write into {out}: {error.strerror or error}") from error
    console.print(f"{count} pictures of {table.name} written to {out}.")
    shown = str(out / "clip.mp4" if form is ClipForm.MP4 else out)
    # A folder called sim or 0 is asked for by more than its name.
    spec = shown if parse_source(shown).kind in ("pictures", "video") else f"./{shown}"
    console.print(f"To referee them: tableref serve --source {shlex.quote(spec)} --fps {fps:g} --loop")


def _clear(out: Path, force: bool) -> None:
    """Takes away what another clip left there; without `force` that is refused."""
    left = [p for pattern in WRITTEN for p in out.glob(pattern)]
    if left and not force:
        raise TableRefError(
            f"{out} holds {left[0].name} already: choose another folder, or say --force to put this clip in "
            "the place of what is there"
        )
    for path in left:
        path.unlink()
