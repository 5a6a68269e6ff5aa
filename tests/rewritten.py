"""`python -m tests.rewritten`: what pytest makes of the asserts of each test file, written down beforehand.

In a fresh folder every worker would do that for every file at the same time. What another version of pytest
keeps elsewhere each worker makes for itself.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from _pytest.assertion import rewrite

TESTS = Path(__file__).parent


def main() -> None:
    """Write what is not there yet, beside the bytecode of everything else."""
    said = SimpleNamespace(trace=lambda _: None)
    for path in sorted([*TESTS.rglob("test_*.py"), *TESTS.rglob("conftest.py")]):
        folder = rewrite.get_cache_dir(path)
        kept = folder / f"{path.stem}{rewrite.PYC_TAIL}"
        if rewrite._read_pyc(path, kept) is None:
            folder.mkdir(parents=True, exist_ok=True)
            source_hash, code = rewrite._rewrite_test(path, None)  # type: ignore[arg-type]
            rewrite._write_pyc(said, code, source_hash, kept)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
