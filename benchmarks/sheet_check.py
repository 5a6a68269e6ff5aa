"""`python -m benchmarks.sheet_check [--tables N] [--json]`: how often the step *Check* calls a table wrong.

Tables drawn by their stated deviations, lens calibrated, without pictures, each with one sheet of US Letter
in three places: good ones, of which at most 5 % are to be called wrong, and ones with one mistake. The last
two cases take all that the table file states at its word; `python -m benchmarks.honesty` tells how often the
referee finds these mistakes without a sheet.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable

from calibration.accuracy import Accuracy
from tests.calibration.proofs.laid_sheets import drawn_table

MEASURED = Accuracy(print_scale=0.0015)


def wrong(seed: int, accuracy: Accuracy = Accuracy(), **what: object) -> bool:  # noqa: B008
    """Whether the check of one drawn table does not agree with it."""
    table, rng = drawn_table(seed, accuracy, **what)  # type: ignore[arg-type]
    return not table.check(rng).agrees


CASES: dict[str, Callable[[int], bool]] = {
    "good, nothing measured": wrong,
    "good, a known length": lambda seed: wrong(seed, MEASURED),
    "good, stated places": lambda seed: wrong(seed, stated=True),
    "prints 2 % too large, stated to 0.15 %": lambda seed: wrong(seed, MEASURED, scale=0.02),
    "prints 4 % too large, stated to 1 %": lambda seed: wrong(seed, scale=0.04),
    "stated places 2 % too wide": lambda seed: wrong(seed, stated=True, trusting=True, stretch_x=0.02),
    "a corner tag 1 inch aside": lambda seed: wrong(seed, stated=True, trusting=True, moved=(seed % 4, 1.0)),
}


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sheet_check", description=__doc__)
    parser.add_argument("--tables", type=int, default=300, help="tables of each case (300)")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    arguments = parser.parse_args(argv)
    figures = {
        name: {"tables": arguments.tables, "wrong": sum(map(case, range(arguments.tables)))}
        for name, case in CASES.items()
    }
    if arguments.json:
        print(json.dumps(figures))
    else:
        print(f"{'of so many tables, the check calls wrong:':42} {arguments.tables:6}")
        for name, told in figures.items():
            print(f"{name:42} {told['wrong']:6}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
