"""Two tags with one id in view: the one that continues what was followed is believed, else neither.

A spare on the cloth, a photograph or a screen with a tag on it reads as well as the car's own. Nothing tells
them apart but the places: what was followed there goes on there.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping

from calibration.fiducials import TagKey
from vision.frame import Detection, Frame
from vision.tags.reading import Expected, TagReader, elsewhere

# A tag that was seen twice with nothing to tell which is the true one is believed in one place again after
# so many seconds without the other: a hand may lie over it.
UNSURE_S = 3.0
# A tag found elsewhere is looked for at its old place too, so often and for so long, seconds.
CHECKED_EVERY_S, LEFT_S = 0.5, 15.0


def doubled_words(key: TagKey) -> str:
    """What people are told of an id that is in view twice."""
    return (
        f"Two tags {key[1]} are in view: only one that stays where it was followed counts, else neither. "
        "Take the other one away."
    )


class Copies:
    """Which read of an id is believed, frame by frame."""

    def __init__(self, reader: TagReader) -> None:
        self._reader = reader
        self._spare: dict[TagKey, Detection] = {}
        # When and where tags were seen last of which nothing tells which is the true one.
        self._unsure: dict[TagKey, tuple[float, tuple[Detection, ...]]] = {}
        self._left: dict[TagKey, tuple[Detection, float]] = {}
        self._checked_at = -math.inf

    @property
    def doubled(self) -> frozenset[TagKey]:
        """Ids that are in view twice, as far as is known."""
        return frozenset(self._spare) | frozenset(self._unsure)

    @property
    def places(self) -> dict[TagKey, tuple[Detection, ...]]:
        """Where each tag was seen of which none is believed."""
        return {key: seen for key, (_, seen) in self._unsure.items()}

    def believed(
        self,
        time: float,
        finds: Iterable[Detection],
        found: Mapping[TagKey, Detection],
        before: Mapping[TagKey, Detection],
    ) -> list[Detection]:
        """What may be taken of a search's `finds`, which may name an id twice.

        `found` was read where it was expected in this frame, `before` are all latest reads.
        """
        places: dict[TagKey, list[Detection]] = defaultdict(list)
        for d in finds:
            places[d.family, d.tag].append(d)
        out = []
        for key, seen in places.items():
            if key in found:
                self._unsure.pop(key, None)
                self._set_apart(key, seen, found[key])
            elif (one := self._one(time, key, seen, before.get(key))) is not None:
                out.append(one)
        return out

    def _one(
        self, time: float, key: TagKey, seen: list[Detection], last: Detection | None
    ) -> Detection | None:
        spare, every = self._spare.get(key), seen
        seen = [d for d in seen if spare is None or elsewhere(d, spare)]
        here = [d for d in seen if last is not None and not elsewhere(d, last)]
        if len(here) == 1:
            self._set_apart(key, seen, here[0])
            self._unsure.pop(key, None)
            return here[0]
        if len(seen) != 1:
            if seen:
                self._unsure[key] = time, tuple(every)
            return None
        if key in self._unsure and time - self._unsure[key][0] < UNSURE_S:
            return None
        if last is not None:
            self._left[key] = (last, time)
        return seen[0]

    def _set_apart(self, key: TagKey, seen: list[Detection], true: Detection) -> None:
        others = [d for d in seen if elsewhere(d, true)]
        if others:
            self._spare[key] = others[-1]

    def check(self, frame: Frame, found: dict[TagKey, Detection]) -> list[Detection]:
        """Looks now and then at places that were left, and whether spares still lie where they lay.

        Returns the tags that are read at their old places, whatever `found` says of them.
        """
        if frame.time - self._checked_at < CHECKED_EVERY_S:
            return []
        self._checked_at = frame.time
        self._unsure = {k: u for k, u in self._unsure.items() if frame.time - u[0] < UNSURE_S}
        back = []
        for key, (old, since) in list(self._left.items()):
            here = self._read_at(frame, old)
            if here is not None:
                back.append(here)
                if key in found and elsewhere(found[key], here):
                    self._spare[key] = found[key]
            if here is not None or frame.time - since > LEFT_S:
                del self._left[key]
        for key, spare in list(self._spare.items()):
            if key in found and spare is not found[key] and self._read_at(frame, spare) is None:
                del self._spare[key]
        return back

    def _read_at(self, frame: Frame, place: Detection) -> Detection | None:
        if place.family not in self._reader.codebooks:
            return None
        expected = Expected(place.family, place.tag, place.corners, 0.5 * place.side)
        return next(
            (
                d
                for d in self._reader.read_region(frame.grey, expected)
                if (d.family, d.tag) == expected.key and not elsewhere(d, place)
            ),
            None,
        )
