"""What was measured in each place, as it is kept with the table and as the page shows it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from calibration.kept_check import KeptCheck, KeptPlace, LaidName, Pair
from calibration.prints.paper import PAPERS
from calibration.proofs.sheet_proof import SheetProof
from server.setup.proving.check_messages import SIDES, CheckedView, KeptCheckView, LengthView, Side
from server.setup.proving.check_words import SURE


def kept_places(proof: SheetProof, wheres: Sequence[str]) -> list[KeptPlace]:
    """The places as they are kept, `wheres` their names."""

    def pair(value: float, sd: float) -> tuple[float, float]:
        return round(float(value), 4), round(float(sd), 4)

    places = []
    for where, middle, error, sd in zip(wheres, proof.middles, proof.errors, proof.sds, strict=True):
        at = (round(float(middle[0]), 2), round(float(middle[1]), 2))
        lengths = [pair(true + error[k], sd[k]) for k, true in enumerate(proof.true)]
        if len(lengths) < 2:
            places.append(KeptPlace(where=where, at_in=at, length_in=lengths[0]))
            continue
        square = pair(math.degrees(error[2]), math.degrees(sd[2]))
        places.append(
            KeptPlace(where=where, at_in=at, short_in=lengths[0], long_in=lengths[1], square_deg=square)
        )
    return places


def place_told(place: KeptPlace, kind: LaidName, strip_in: float) -> CheckedView:
    """A place as the page shows it; `strip_in` is the strip's length where one was laid."""
    if place.length_in is not None:
        return CheckedView(where=place.where, lengths=[_told("length", strip_in, place.length_in)])
    assert kind != "strip"
    measured = (place.short_in, place.long_in)
    off, sd = place.square_deg or (0.0, 0.0)
    return CheckedView(
        where=place.where,
        lengths=[
            _told(side, true, m) for side, true, m in zip(SIDES, PAPERS[kind], measured, strict=True) if m
        ],
        square_deg=off,
        square_sure_deg=round(SURE * sd, 4),
        square_inside=abs(off) <= SURE * sd,
    )


def check_told(kept: KeptCheck, out_of_date: str) -> KeptCheckView:
    """A kept check as the page shows it."""
    return KeptCheckView(
        made=kept.made,
        paper=kept.paper,
        strip_in=None if kept.strip_in is None else kept.strip_in[0],
        verdict=kept.verdict,
        words=kept.words,
        out_of_date=out_of_date,
    )


def _told(what: Side, true: float, measured: Pair) -> LengthView:
    value, sd = measured
    return LengthView(
        what=what,
        true_in=round(true, 3),
        measured_in=value,
        error_in=round(value - true, 4),
        sure_in=round(SURE * sd, 4),
        inside=abs(value - true) <= SURE * sd,
    )
