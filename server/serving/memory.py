"""Keeps what is let go of from being held: pictures come and go in many threads."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import logging
import sys
from collections.abc import Callable

log = logging.getLogger("tableref.memory")

ARENAS, BY_ITSELF, SPARE = 2, 256 << 10, 1 << 20
"""Heaps that all threads share; bytes from which a block is mapped by itself and given back at once; bytes
that may be left free at a heap's end. glibc's own: eight a core, up to 32 MB, twice that."""

TRIM_EVERY_S = 2.0

_ARENA_MAX, _MMAP_THRESHOLD, _TRIM_THRESHOLD = -8, -3, -1
"""glibc's malloc.h."""


def _glibc() -> ctypes.CDLL | None:
    if not sys.platform.startswith("linux"):
        return None
    found = ctypes.CDLL(None)
    return found if hasattr(found, "mallopt") and hasattr(found, "malloc_trim") else None


def hold_together() -> None:
    """Lets the threads of this process share few heaps; nothing where the system's library is another one.

    To be called before there are threads.
    """
    library = _glibc()
    if library is not None:
        for what, value in ((_ARENA_MAX, ARENAS), (_MMAP_THRESHOLD, BY_ITSELF), (_TRIM_THRESHOLD, SPARE)):
            if not library.mallopt(what, value):
                log.info("the C library keeps its own way with memory: %d", what)


def stays() -> None:
    """Nothing that is here now is looked through again for what is let go of.

    To be called once all is loaded: looking through it stops the interpreter for a tenth of a second, in the
    middle of whatever is going on.
    """
    gc.collect()
    gc.freeze()


async def give_back(every_s: float = TRIM_EVERY_S, trim: Callable[[int], object] | None = None) -> None:
    """Gives back to the system what lies free between what is in use, now and then, until it is cancelled."""
    library = _glibc()
    if trim is None and library is None:
        return
    trims = trim or library.malloc_trim  # type: ignore[union-attr]
    while True:
        await asyncio.sleep(every_s)
        await asyncio.to_thread(trims, 0)
