"""What is expensive is made once: kept in a folder that all workers share, under the sources that made it."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

from filelock import FileLock

ROOT = Path(__file__).resolve().parents[1]
MADE = ROOT / ".gate" / "made"


@cache
def _written(package: str) -> bytes:
    """Hash every source of a folder of the repository."""
    found = hashlib.sha256()
    for path in sorted((ROOT / package).rglob("*.py")):
        found.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return found.digest()


def made(name: str, make: Callable[[Path], None], *, by: tuple[str, ...], of: object = ()) -> Path:
    """Give the folder that `make` filled, making it if no worker has yet.

    `by` names the folders of the repository whose sources decide what comes out, `of` everything else that
    does (it is written out with `repr`). Tests read what they are given and never write into it.
    """
    key = hashlib.sha256(b"".join(map(_written, by)) + repr(of).encode()).hexdigest()[:16]
    folder = MADE / f"{name}-{key}"
    MADE.mkdir(parents=True, exist_ok=True)
    with FileLock(MADE / f"{name}.lock"):
        if not folder.is_dir():
            for stale in MADE.glob(f"{name}-*"):
                shutil.rmtree(stale)
            begun = MADE / f".{name}-{key}"
            shutil.rmtree(begun, ignore_errors=True)
            begun.mkdir()
            make(begun)
            begun.rename(folder)
    return folder
