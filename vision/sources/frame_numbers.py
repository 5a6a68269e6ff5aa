"""Which pictures of an H.264 stream never came: each that others are drawn after carries a number.

A decoder that misses such a picture draws what follows on top of an older one, and says nothing: a car that
was moving is shown beside where it stands. Over UDP it is the usual loss, as a small picture is one packet.
Of H.265 the decoder leaves out what it cannot draw, until a whole picture comes.

Clauses are those of ITU-T H.264 (08/2021).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

_SLICE, _WHOLE_SLICE, _SEQUENCE = 1, 5, 7
_WITH_CHROMA = frozenset({44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244})
_HEAD = 64
"""Bytes of a slice in which its number stands."""

MOST_BITS = 16
"""Bits that a number has at the most (log2_max_frame_num_minus4 is 12 at the most, clause 7.4.2.1.1)."""


@dataclass(frozen=True, slots=True)
class _Numbering:
    """How a sequence numbers its pictures: from 0 to one below `most`, then from 0 again."""

    most: int
    bits: int
    with_plane: bool
    may_leave_out: bool


class FrameNumbers:
    """The numbers of an H.264 stream's pictures, in the order of decoding.

    `head` is what stands before all pictures (the container's extradata): parameter sets after start codes,
    or a configuration record of MP4 (ISO/IEC 14496-15, 5.3.3), whose units come after their lengths.
    """

    def __init__(self, head: bytes) -> None:
        self._numbering: _Numbering | None = None
        self._last: int | None = None
        self._length = 0
        if head[:1] == b"\x01" and len(head) > 6:
            self._length = (head[4] & 3) + 1
            at = 6
            for _ in range(head[5] & 31):
                size = int.from_bytes(head[at : at + 2], "big")
                self._learn(head[at + 2 : at + 2 + size])
                at += 2 + size
        else:
            for unit in _after_start_codes(head):
                self._learn(unit)

    def missed(self, picture: bytes) -> bool:
        """Whether a picture that later ones are drawn after is missing before this one (clause 7.4.3).

        What cannot be read tells nothing.
        """
        units = _after_lengths(picture, self._length) if self._length else _after_start_codes(picture)
        try:
            for unit in units:
                if unit and unit[0] & 31 in (_SLICE, _WHOLE_SLICE):
                    return self._missed_before(unit)
                self._learn(unit)
        except IndexError:
            pass
        return False

    def _missed_before(self, unit: bytes) -> bool:
        rule, last = self._numbering, self._last
        if rule is None:
            return False
        if unit[0] & 31 == _WHOLE_SLICE:
            self._last = 0
            return False
        bits = _Bits(unit[1 : _HEAD + 1])
        for _ in range(3):  # the first block, the kind of slice, its parameters
            bits.counted()
        bits.skip(2 * rule.with_plane)
        number = bits.number(rule.bits)
        if unit[0] >> 5 & 3:  # others are drawn after it
            self._last = number
        return last is not None and not rule.may_leave_out and number not in (last, (last + 1) % rule.most)

    def _learn(self, unit: bytes) -> None:
        if unit and unit[0] & 31 == _SEQUENCE:
            self._numbering = _numbering_of(unit[1:])


def _numbering_of(sequence: bytes) -> _Numbering | None:
    """What a sequence's parameters (clause 7.3.2.1.1) say of numbers; None for what is none."""
    bits = _Bits(sequence)
    try:
        profile = bits.number(8)
        bits.skip(16)  # constraints, level
        bits.counted()
        with_plane = profile in _WITH_CHROMA and _chroma(bits)
        if (most := bits.counted() + 4) > MOST_BITS:
            return None
        if (order := bits.counted()) == 0:
            bits.counted()
        elif order == 1:
            bits.skip(1)
            bits.counted()
            bits.counted()
            for _ in range(bits.counted()):
                bits.counted()
        bits.counted()  # how many pictures are kept
        return _Numbering(1 << most, most, with_plane, bool(bits.number(1)))
    except IndexError:
        return None


def _chroma(bits: _Bits) -> bool:
    """Reads over colours, depths and scaling, and tells whether each colour is a plane of its own."""
    colours = bits.counted()
    with_plane = colours == 3 and bool(bits.number(1))
    bits.counted()
    bits.counted()
    bits.skip(1)
    if bits.number(1):
        for k in range(12 if colours == 3 else 8):
            if bits.number(1):
                _scaling(bits, 16 if k < 6 else 64)
    return with_plane


def _scaling(bits: _Bits, size: int) -> None:
    """Reads over a scaling list (clause 7.3.2.1.1.1)."""
    last = following = 8
    for _ in range(size):
        if following:
            coded = bits.counted()
            following = (last + (coded + 1 >> 1) * (1 if coded & 1 else -1)) % 256
        last = following or last


class _Bits:
    """The bits of a unit, highest first, without the bytes that only keep start codes apart (clause 7.4.1).

    Raises `IndexError` where there are no more.
    """

    def __init__(self, unit: bytes) -> None:
        plain = unit.replace(b"\0\0\3", b"\0\0")
        self._bits = f"{int.from_bytes(plain, 'big'):0{8 * len(plain)}b}" if plain else ""
        self._at = 0

    def number(self, size: int) -> int:
        """A number of so many bits."""
        self.skip(size)
        return int(self._bits[self._at - size : self._at] or "0", 2)

    def counted(self) -> int:
        """An Exp-Golomb number (clause 9.1)."""
        zeros = self._bits.find("1", self._at) - self._at
        if zeros < 0:
            raise IndexError
        self.skip(zeros)
        return self.number(zeros + 1) - 1

    def skip(self, size: int) -> None:
        """Leaves out so many bits."""
        self._at += size
        if self._at > len(self._bits):
            raise IndexError


def _after_start_codes(data: bytes) -> Iterator[bytes]:
    """The units of a byte stream (annex B), as they are asked for."""
    at = data.find(b"\0\0\1")
    while at >= 0:
        end = data.find(b"\0\0\1", at + 3)
        yield data[at + 3 : end if end >= 0 else None]
        at = end


def _after_lengths(data: bytes, length: int) -> Iterator[bytes]:
    """The units of MP4, each after its size of `length` bytes."""
    at = 0
    while at + length < len(data):
        size = int.from_bytes(data[at : at + length], "big")
        yield data[at + length : at + length + size]
        at += length + size
