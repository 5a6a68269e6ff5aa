"""The one name that an installed tableref takes: it finds the rooms, and starts the command line.

In the wheel the rooms (`engine`, `calibration`, `vision`, `server`) lie in `tableref/rooms`: nothing of
another package can be written over. `tableref.pth` lets every program of the environment import them, after
all others of these names; where tableref itself runs they come first. In a checkout they lie where they are.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOMS = Path(__file__).parent / "rooms"

if (ROOMS / "engine").is_dir():
    sys.path.insert(0, str(ROOMS))


def main() -> None:
    """Runs the command line."""
    from server.commands.cli import main as run  # noqa: PLC0415 - the rooms are found by what stands above

    run()
