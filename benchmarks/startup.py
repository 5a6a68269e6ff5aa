"""How soon a command answers: `python -m benchmarks.startup`, each run several times, the fastest counts."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time

from benchmarks.command import command

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


def answered() -> dict[str, float]:
    """Seconds of each command."""
    with tempfile.TemporaryDirectory() as folder:
        more = {"games": ["--library", folder]}
        return {f"tableref {' '.join(a)}": round(fastest(a + more.get(a[0], [])), 2) for a in ASKED}


if __name__ == "__main__":
    sys.exit(command(answered))
