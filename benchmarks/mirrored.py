"""`python -m benchmarks.mirrored FOLDER [--every N] [--json]`: pictures told from their mirror images.

Every picture below the folder as it is, and mirrored: told are how many plain ones are called mirrored
(none should be), and of those in which at least two tags are read, how many mirror images are called so.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from vision.frame import Frame, Image
from vision.sources.files import decode_picture
from vision.tags.mirrored import FEW, is_mirrored
from vision.tags.reading import TagReader
from vision.tags.unnamed import reader_of_all

KINDS = {".jpg", ".jpeg", ".png"}


def run(files: list[Path]) -> dict[str, int]:
    """Counts over all files that are pictures."""
    reader = reader_of_all(())
    figures = {"pictures": 0, "called mirrored": 0, "with tags": 0, "mirror images told": 0}
    for file in files:
        image = decode_picture(file.read_bytes())
        if image is None:
            raise SystemExit(f"{file} is no picture that can be read; take it out of the folder")
        found = len(reader.read_all(Frame(image, 0.0, 0), thorough=False))
        figures["pictures"] += 1
        figures["called mirrored"] += is_mirrored(Frame(image, 0.0, 0), reader, found)
        if found >= FEW:
            figures["with tags"] += 1
            figures["mirror images told"] += told(image, reader)
    return figures


def told(image: Image, reader: TagReader) -> bool:
    """Whether a picture's mirror image is told as one."""
    frame = Frame(np.ascontiguousarray(image[:, ::-1]), 0.0, 0)
    return is_mirrored(frame, reader, len(reader.read_all(frame, thorough=False)))


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mirrored", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", type=int, default=1, help="only every so-manieth picture")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    arguments = parser.parse_args(argv)
    files = sorted(f for f in arguments.folder.rglob("*") if f.suffix.lower() in KINDS)[:: arguments.every]
    if not files:
        parser.error(f"no pictures (jpg, png) below {arguments.folder}")
    figures = run(files)
    if arguments.json:
        print(json.dumps(figures))
    else:
        for name, count in figures.items():
            print(f"{name:20} {count:5}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
