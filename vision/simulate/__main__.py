"""`python -m vision.simulate`: writes a simulated clip with its truth."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.errors import TableRefError
from vision.simulate.clip import acts_for, write_clip
from vision.simulate.scenes import SCENES, named_scene


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not (width.isdigit() and height.isdigit() and int(width) >= 160 and int(height) >= 120):
        raise argparse.ArgumentTypeError(f"expected a size such as 1920x1080 but got {text!r}")
    return int(width), int(height)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m vision.simulate",
        description="Draw a simulated table, with the exact truth beside it.",
    )
    parser.add_argument("--out", type=Path, required=True, help="folder to write into (made if missing)")
    parser.add_argument("--scene", default="default", help=f"which table: {', '.join(SCENES)}")
    parser.add_argument("--play", choices=("still", "round", "random"), default="round", help="what happens")
    parser.add_argument("--seconds", type=float, help="how long (default: until all is over; 10 for random)")
    parser.add_argument("--fps", type=float, default=10.0, help="frames a second")
    parser.add_argument("--size", type=_size, default=(1920, 1080), help="picture size, such as 3840x2160")
    parser.add_argument("--format", choices=("jpg", "png", "mp4"), default="jpg", help="frames, or one video")
    parser.add_argument("--seed", type=int, default=1, help="of noise, cloth and random play")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit code."""
    asked = _parser().parse_args(arguments)
    try:
        scene = named_scene(asked.scene, asked.size, asked.seed)
        acts, seconds = acts_for(scene, asked.play, asked.seconds, asked.seed)
        write_clip(asked.out, scene, acts, fps=asked.fps, seconds=seconds, kind=asked.format, tell=print)
    except TableRefError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
