"""What a check says, in words: whether the table agrees with what was laid, where to look first if not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from calibration.kept_check import CheckVerdict, KeptCheck, KeptPlace, LaidName, Pair
from calibration.prints.paper import PAPERS
from calibration.proofs.sheet_proof import SheetProof
from calibration.tablefile import TableFile
from engine.space.geometry import FloatArray
from server.setup.proving.check_messages import SIDES, CheckedView, KeptCheckView, LengthView, Side

SURE = 1.96
"""So many deviations make 95 %."""


def verdict_of(
    proof: SheetProof,
    table: TableFile,
    wheres: Sequence[str],
    tags: Mapping[int, FloatArray],
    guessed: bool,
    notices: Sequence[str] = (),
) -> tuple[CheckVerdict, str]:
    """The verdict and its sentences.

    `wheres` are the places' names, `tags` where the flat tags lie on the table, (2,) inches, `guessed` says
    that nobody has calibrated the lens. `notices` are what the referee finds to contradict the table file.
    """
    thing = _thing(proof)
    if notices:
        here = "agrees with what the camera makes of it" if proof.agrees else "does not agree with it either"
        return "differs", (
            f"What is stated of the table contradicts what the camera sees: {'; '.join(notices)}. The "
            f"{thing} {here}. Put that right first, then check again."
        )
    if not proof.agrees:
        return "differs", " ".join(_differs(proof, table, wheres, tags, guessed))
    unsure = [where for where, blurred in zip(wheres, proof.blurred, strict=True) if blurred]
    if unsure:
        what, or_else = ("tags", "") if thing == "strip" else ("edges", ", or lay it on something darker")
        return "unsure", (
            f"Too unsure to tell: {' and '.join(unsure)} the {what} of the {thing} are seen too badly. Bring "
            f"the camera closer, give it more light{or_else}."
        )
    said = [f"All {len(wheres)} places agree with the table within its stated deviations. {_scale(proof)}"]
    outside = int((np.abs(proof.errors) > SURE * proof.sds).sum())
    if outside:
        few = "One figure lies" if outside == 1 else f"{outside} figures lie"
        said.append(f"{few} outside its own 95 %, which among {proof.errors.size} happens by chance.")
    if table.accuracy.scale_by == "sheet" and thing == "sheet":
        said.append(
            "The scale itself was taken from a sheet of paper: so this shows that inches are the same all "
            "over the table, not that they are right. A strip, or a ruler between two corner tags, proves "
            "that."
        )
    return "agrees", " ".join(said)


def _differs(
    proof: SheetProof, table: TableFile, wheres: Sequence[str], tags: Mapping[int, FloatArray], guessed: bool
) -> list[str]:
    blame, at = proof.blame
    thing = _thing(proof)
    said = [f"The table does not agree with the {thing}. Worst {wheres[at]}: {_worst(proof, at)}."]
    ratio, _ = proof.scale
    if blame == "scale":
        way = "long" if ratio > 0 else "short"
        said.append(f"All lengths come out too {way} alike. {_scale(proof)}")
        if table.corners:
            said.append("Look first at the stated places of the corner tags, then at their printed size.")
        elif table.accuracy.scale_by == "sheet":
            said.append(
                "Look first at the paper: is it the size of the one that the scale was taken from?"
                if thing == "sheet"
                else "Look first at the sheet that the scale was taken from: was it whole and flat?"
            )
        else:
            said.append(
                "Look first at the printed size of the corner tags: take a known length, or the scale of "
                f"{'this' if thing == 'sheet' else 'a'} sheet, in the step Table, then check again."
            )
        return said
    near = min(tags, key=lambda tag: math.dist(tags[tag], proof.middles[at])) if tags else None
    if blame == "stretch":
        said.append("Everywhere alike, but not in all directions.")
        if table.corners:
            said.append("Look first at the stated places of the corner tags: measure width and depth again.")
        else:
            said.append(_lens(guessed))
        return said
    if near is not None:
        stated = ", and is its stated place right" if table.corners else ""
        said.append(f"Look first at corner tag {near}, the nearest: has it moved, does it lie flat{stated}?")
    said.append(f"See that the {thing} lies flat there. {_lens(guessed, then=True)}")
    return said


def _thing(proof: SheetProof) -> str:
    """What was laid: a sheet has two sides, a strip one length."""
    return "sheet" if len(proof.true) > 1 else "strip"


def _lens(guessed: bool, then: bool = False) -> str:
    look = "Then look at the lens" if then else "Look first at the lens"
    if guessed:
        return f"{look}: nobody has calibrated it yet."
    return f"{look}: was it calibrated for this camera, at this zoom and focus?"


def _worst(proof: SheetProof, at: int) -> str:
    errors, sds = proof.errors[at], proof.sds[at]
    n = int(np.argmax(np.abs(errors / sds)))
    if n == 2:
        off, sure = math.degrees(abs(errors[2])), math.degrees(SURE * sds[2])
        return f"the sheet's right angle comes out {off:.1f}° off, stated are ±{sure:.1f}°"
    true, error, sure = float(proof.true[n]), float(errors[n]), float(SURE * sds[n])
    what = SIDES[n] if len(proof.true) > 1 else "length"
    return (
        f"its {what} of {true:.2f} in measures {true + error:.2f} ({signed(error)} in, stated are "
        f"±{sure:.2f})"
    )


def _scale(proof: SheetProof) -> str:
    ratio, sd = proof.scale
    way = "long" if ratio > 0 else "short"
    return (
        f"By the {_thing(proof)}, lengths come out {100 * abs(ratio):.1f} % too {way} "
        f"(±{100 * SURE * sd:.1f} %); the table states ±{100 * SURE * proof.stated_scale:.1f} % for that, "
        "both at 95 %."
    )


def signed(inches: float) -> str:
    """An error in inches with its sign.

    >>> signed(-0.034)
    '−0.03'
    """
    return f"{'−' if inches < 0 else '+'}{abs(inches):.2f}"


# What was measured in each place, as it is kept with the table and as the page shows it


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
