"""How large pieces are seen to be before they have a name, against the truth, for `benchmarks.firsttime`."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.truth import TrueFrame
from engine.space.catalogue import CARS
from engine.space.geometry import FloatArray
from engine.space.pieces import Piece
from server.setup.fitting.fit_messages import LookAtTag
from server.setup.fitting.seen_size import FirstSights
from server.setup.printing.last_look import LastLook


def sizes_seen(truth: TrueFrame, last: LastLook, printed: dict[int, float]) -> list[dict[str, Any]]:
    """Of each tag that has a card, with the size that the card takes it to be printed in: what is offered."""
    sights, out = FirstSights(), []
    for piece in truth.pieces:
        mount = piece.mount
        if mount is None or mount.tag not in printed:
            continue
        view = sights.look(LookAtTag(tag=mount.tag, printed_in=printed[mount.tag]), last)
        car = piece.look == "car"
        seen = view.car if car else view.other
        row: dict[str, Any] = {"name": f"{truth.name} {piece.name}", "car": car, "off": None}
        if seen is None:
            row["why"] = view.no_car if car else view.no_other
        else:
            size = np.ptp(piece.body.footprint.outline, axis=0)
            row["off"] = [seen.length_in - float(size[0]), seen.width_in - float(size[1])]
            row["to"] = list(seen.to_in)
            row["nearest"] = _nearest(piece)
            row["fits"] = view.fits
        row["called_car"] = view.car is not None
        out.append(row)
    return out


def _nearest(piece: Piece) -> str:
    """The model of the catalogue that comes nearest to a car in length and width."""
    size: FloatArray = np.ptp(piece.body.footprint.outline, axis=0)
    return min(CARS, key=lambda name: float(np.hypot(*(size - (CARS[name].length, CARS[name].width)))))


def size_figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """How many sizes are offered, by how much they are off, and how often the right model is marked."""
    found: dict[str, Any] = {}
    for words, car in (("cars", True), ("others", False)):
        of = [r for r in rows if r["car"] is car]
        some = [r for r in of if r["off"] is not None]
        figures: dict[str, Any] = {"asked": len(of), "offered": len(some)}
        if some:
            off, to = np.abs([r["off"] for r in some]), np.array([r["to"] for r in some])
            figures |= {
                "median": round(float(np.median(off)), 4),
                "p95": round(float(np.percentile(off, 95)), 4),
                "max": round(float(off.max()), 4),
                "inside_95": round(float((off <= to).mean()), 4),
                "to_median": round(float(np.median(to)), 4),
            }
        if car and some:
            figures["marked"] = sum(r["nearest"] in r["fits"] for r in some)
            figures["marked_models_median"] = float(np.median([len(r["fits"]) for r in some]))
        if not car:
            figures["called_a_car"] = sum(r["called_car"] for r in of)
        found[words] = figures
    return found


def tell_sizes(found: dict[str, Any]) -> None:
    """A line each for cars and all else."""
    for words, of in found.items():
        says = f"sizes before a name, {words}: {of['offered']} of {of['asked']} offered"
        if of["offered"]:
            says += (
                f"; off median {of['median']:.3f}  p95 {of['p95']:.3f}  max {of['max']:.3f} in; inside the "
                f"stated 95 % (±{of['to_median']:.2f}): {of['inside_95']:.1%}"
            )
        if "marked" in of:
            says += f"; the nearest model marked {of['marked']} of {of['offered']} times"
        if "called_a_car" in of:
            says += f"; {of['called_a_car']} taken for a car"
        print(says)
