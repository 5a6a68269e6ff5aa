"""`python -m tests.pictures.budget [FILE]`: what a sixteenth of an inch costs, and where on the table.

A table of 46 by 46 inches under a calibrated camera 57 inches up, four corner tags, everything stated with
the deviations of a table file that says nothing of them. One number at a time is a sixteenth of an inch off;
told is how far off a car (its tag 1.1 inches up) is then placed over the table. Without noise: what is left
of the errors that add up from many small ones is measured by `benchmarks.honesty`. Draws the chart of
docs/accuracy.md into FILE.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.drift import LENS, PLACES, SIDE, camera
from calibration.accuracy import CORNER_IN, Accuracy
from calibration.bundle.solve import solve
from calibration.surface import CornerTag, SeenCorner
from engine.drawing.svg import BLOCKED, NOTE, PALE, Drawing
from engine.space.geometry import FloatArray, Region

OFF_IN = 1 / 16
ROOF = 1.1
CHART = Path(__file__).resolve().parents[2] / "docs" / "figures" / "budget.svg"
READ_PX = 0.05
BIG = 100.0
"""How many times the arrows of the chart are longer than the errors."""

Errors = FloatArray
"""By how much the places of `grid` are off, (n, 2) inches."""


def grid() -> FloatArray:
    """Places of cars, (n, 2) inches."""
    steps = np.linspace(3.0, SIDE - 3.0, 7)
    return np.stack(np.meshgrid(steps, steps), -1).reshape(-1, 2)


def placed(
    stated: Mapping[int, tuple[float, float]], raised: int | None = None, height: float = 0.0
) -> Errors:
    """How far off cars are where corner tags are stated by so much beside their places.

    `raised` is the corner tag that the cloth lifts, `height` by how much too high a car's tag is stated.
    """
    truth, accuracy = camera(), Accuracy()
    corners = []
    for k, (x, y) in enumerate(PLACES):
        tag = CornerTag("tag36h11", k, 2.4, (x, y), None, CORNER_IN, paper=accuracy.laid)
        image = truth.image_from_table(tag.corners_at(), OFF_IN if k == raised else 0.0)
        dx, dy = stated.get(k, (0.0, 0.0))
        corners.append(SeenCorner(replace(tag, at=(x + dx, y + dy)), image, np.eye(8) * READ_PX**2))
    found = solve(LENS, corners, common=accuracy.common).surface
    places = grid()
    return found.table_from_image(truth.image_from_table(places, ROOF), ROOF + height) - places


SOURCES: Mapping[str, Callable[[], Errors]] = {
    "one corner tag stated beside its place": lambda: placed({2: (OFF_IN, 0.0)}),
    "the table stated too wide": lambda: placed({1: (OFF_IN, 0.0), 2: (OFF_IN, 0.0)}),
    "the cloth higher under one corner tag": lambda: placed({}, raised=2),
    "the height of a tag on a car stated too high": lambda: placed({}, height=OFF_IN),
}
"""What is a sixteenth of an inch off."""


def drawn(found: Mapping[str, Errors]) -> Drawing:
    """The chart: a table for each source, with an arrow where a car is shifted, `BIG` times as long."""
    across = SIDE + 12.0
    drawing = Drawing(Region.rectangle(-4.0, -10.0, len(found) * across, SIDE + 18.0), scale=5.0)
    drawing.title = "What a sixteenth of an inch costs, and where on the table"
    for number, (source, errors) in enumerate(found.items()):
        shift = np.array([number * across, 0.0])
        drawing.polygon(Region.rectangle(0.0, 0.0, SIDE, SIDE).outline + shift, fill="white", line=PALE)
        for k, at in enumerate(PLACES):
            drawing.label(np.array(at) + shift + np.array([0.0, 0.6 if at[1] else -2.2]), str(k), size=11.0)
        for place, error in zip(grid() + shift, errors, strict=True):
            drawing.line([place, place + BIG * error], colour=NOTE, width=1.5)
            drawing.dot(place, radius=0.35, colour=NOTE)
        sizes = np.hypot(*errors.T)
        middle = float(sizes[len(sizes) // 2])
        drawing.label(shift + np.array([SIDE / 2, SIDE + 3.5]), source, size=12.0)
        words = f"middle {middle:.3f} in, worst {sizes.max():.3f} in"
        drawing.label(shift + np.array([SIDE / 2, -5.5]), words, colour=BLOCKED, size=12.0)
    return drawing


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the errors and draws the chart."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("file", nargs="?", type=Path, default=CHART)
    asked = parser.parse_args(arguments)
    found = {source: errors() for source, errors in SOURCES.items()}
    print(f"a car is placed so far off, inches, where 1/16 in is off ({len(grid())} places over the table):")
    print(f"{'':44}{'middle':>8}{'mean':>8}{'worst':>8}")
    for source, errors in found.items():
        sizes = np.hypot(*errors.T)
        print(f"{source:44}{sizes[len(sizes) // 2]:8.3f}{sizes.mean():8.3f}{sizes.max():8.3f}")
    asked.file.write_text(drawn(found).text(), encoding="utf-8", newline="\n")
    print(f"drew {asked.file}; arrows {BIG:g} times as long as the errors")


if __name__ == "__main__":
    main()
