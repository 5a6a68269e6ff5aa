"""How soon a command answers: `python -m benchmarks.startup`, each run several times, the fastest counts."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time

RUNS = 7
ASKED = (["--help"], ["games", "list"], ["serve", "--help"])


def fastest(asked: list[str]) -> float:
    """Seconds from the start of the process to its end."""
    took = []
    for _ in range(RUNS):
        begun = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "server.commands.cli", *asked], check=True, stdout=subprocess.DEVNULL
        )
        took.append(time.perf_counter() - begun)
    return min(took)


def main() -> None:
    """Prints a line for each command."""
    with tempfile.TemporaryDirectory() as folder:
        for asked in ASKED:
            library = ["--library", folder] if asked[0] == "games" else []
            print(f"tableref {' '.join(asked):12s} {fastest(asked + library):.2f} s")


if __name__ == "__main__":
    main()
