"""libapriltag's table of the codes of a family, in a quarter of the memory.

The library finds the tag of a code that it has read, also of one with bits wrong, in a table of all such
codes: six places for each, 35 MB for tag36h11. The same table with four places for three codes finds the
same tags; it is made here and put in the place of the library's.
"""

from __future__ import annotations

import ctypes
import sys
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

FLAWS = 2
"""Bits of a code that may be wrong, as both packages ask for it."""

MOST_CODES = 2_000_000
"""Codes of a table that is made here; the largest families have many more, and are left to the library."""

_EMPTY = 2**64 - 1
_ENTRY = np.dtype(
    [("code", np.uint64), ("tag", np.uint16), ("flaws", np.uint8), ("turn", np.uint8), ("pad", np.uint32)]
)


class _Family(ctypes.Structure):
    """apriltag.h: `apriltag_family_t`."""

    _fields_ = (
        ("ncodes", ctypes.c_uint32),
        ("codes", ctypes.POINTER(ctypes.c_uint64)),
        ("width_at_border", ctypes.c_int),
        ("total_width", ctypes.c_int),
        ("reversed_border", ctypes.c_bool),
        ("nbits", ctypes.c_uint32),
        ("bit_x", ctypes.c_void_p),
        ("bit_y", ctypes.c_void_p),
        ("h", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("impl", ctypes.c_void_p),
    )


class _Table(ctypes.Structure):
    """apriltag.c: `struct quick_decode`, whose entries are `_ENTRY`."""

    _fields_ = (("nentries", ctypes.c_int), ("entries", ctypes.c_void_p))


def add_family(library: Any, detector: Any, family: Any) -> None:
    """Has a detector read a family, with up to `FLAWS` bits wrong.

    `library` is libapriltag, `detector` and `family` are pointers to its objects.
    """
    add = library.apriltag_detector_add_family_bits
    known = ctypes.cast(family, ctypes.POINTER(_Family)).contents
    bits = known.nbits
    if not sys.platform.startswith("linux") or known.ncodes * (1 + bits * bits) > MOST_CODES:
        add(detector, family, FLAWS)
        return
    add(detector, family, 0)
    codes = np.ctypeslib.as_array(known.codes, (known.ncodes,)).copy()
    found = ctypes.cast(known.impl, ctypes.POINTER(_Table)).contents if known.impl else None
    if found is None or not _as_known(found, codes):
        # Another version of the library: it keeps its codes in its own way.
        library.apriltag_detector_remove_family(detector, family)
        add(detector, family, FLAWS)
        return
    _replace(found, table_of(codes, bits))


def table_of(codes: NDArray[np.uint64], bits: int) -> NDArray[Any]:
    """The entries of codes (n,) and of those with up to `FLAWS` bits wrong, as the library searches.

    A code's own place is its remainder by the table's length; it stands there or in the next free one.
    """
    wrong = [sum(1 << b for b in which) for k in range(FLAWS + 1) for which in combinations(range(bits), k)]
    flaws = [k for k in range(FLAWS + 1) for _ in combinations(range(bits), k)]
    entries = np.zeros(len(codes) * len(wrong), _ENTRY)
    entries["code"] = (codes[:, None] ^ np.array(wrong, np.uint64)).ravel()
    entries["tag"] = np.repeat(np.arange(len(codes)), len(wrong))
    entries["flaws"] = np.tile(flaws, len(codes))
    table = np.zeros(len(entries) * 4 // 3, _ENTRY)
    table["code"] = _EMPTY
    # In the order of their own places each comes to stand in it, or behind the one before.
    own = (entries["code"] % np.uint64(len(table))).astype(np.int64)
    order = np.argsort(own)
    row = np.arange(len(order))
    place = np.maximum.accumulate(own[order] - row) + row
    inside = place < len(table)
    table[place[inside]] = entries[order[inside]]
    for entry in entries[order[~inside]]:
        table[np.flatnonzero(table["code"] == _EMPTY)[0]] = entry
    return table


def _as_known(found: _Table, codes: NDArray[np.uint64]) -> bool:
    """Whether the library's own table of the codes alone is as it is thought to be."""
    if found.nentries != 3 * len(codes) or not found.entries:
        return False
    kept = _entries_at(found.entries, found.nentries)
    filled = kept[kept["code"] != _EMPTY]
    filled = filled[np.argsort(filled["tag"])]
    return (
        np.array_equal(filled["code"], codes)
        and np.array_equal(filled["tag"], np.arange(len(codes)))
        and not filled["flaws"].any()
        and kept["code"][int(codes[0]) % found.nentries] != _EMPTY
    )


def _entries_at(address: int, count: int) -> NDArray[Any]:
    return np.ctypeslib.as_array((ctypes.c_uint8 * (count * _ENTRY.itemsize)).from_address(address)).view(
        _ENTRY
    )


def _replace(found: _Table, table: NDArray[Any]) -> None:
    """Puts a table in the place of the library's, in memory that it may free."""
    system = ctypes.CDLL(None)
    system.malloc.restype, system.malloc.argtypes = ctypes.c_void_p, (ctypes.c_size_t,)
    system.free.argtypes = (ctypes.c_void_p,)
    address = system.malloc(table.nbytes)
    if not address:
        raise MemoryError
    ctypes.memmove(address, table.ctypes.data, table.nbytes)
    before, found.entries, found.nentries = found.entries, address, len(table)
    system.free(before)
