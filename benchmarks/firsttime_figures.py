"""What a run of `benchmarks.firsttime` adds up: errors of tags' centres and heights, and their figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.renders import CHI2_95
from calibration.bundle.doubts import Judged, judge
from calibration.lens.model import Lens
from calibration.surface import Surface
from calibration.tablefile import TableFile
from engine.space.geometry import FloatArray
from vision.evidence import sort_out
from vision.frame import Detection
from vision.locate import locate_all

Row = dict[str, Any]


def errors_of(
    places: Mapping[str, FloatArray], table: TableFile, judged: Judged, detections: Sequence[Detection]
) -> list[Row]:
    """Of each piece's tag, how far it is off, and whether the truth is within the stated 95 %.

    Also whether all that is stated is consistent, and whether a stated number of this table is accused.
    """
    out = []
    for s in locate_all(detections, table.pieces, judged.surface, 0.0):
        off = s.tag_pose.xy - places[s.piece.name]
        spread: FloatArray = s.tag_uncertainty.own[:2, :2] + (
            s.tag_uncertainty.shared[:2] @ s.tag_uncertainty.shared[:2].T
        )
        squared = float(off @ np.linalg.solve(spread, off))
        out.append(
            {
                "in": float(np.hypot(*off)), "inside": squared <= CHI2_95, "squared": squared,
                "consistent": judged.consistent, "accused": bool(judged.named),
            }
        )  # fmt: skip
    return out


def judged_by(table: TableFile, lens: Lens, detections: Sequence[Detection]) -> Judged:
    """The table under the camera, as one picture shows it."""
    seen = sort_out(detections, table)
    tags = [*seen.loose, *seen.raised]
    return judge(lens, seen.corners, tags, table.frame, table.common, table.corners)


def surface_of(table: TableFile, lens: Lens, detections: Sequence[Detection]) -> Surface:
    """The same, without what contradicts what."""
    return judged_by(table, lens, detections).surface


def height_row(found: float, sd: float, true: float) -> Row:
    """By how much a tag's height is off, and whether that is within the stated 95 %."""
    off = abs(found - true)
    return {"in": off, "inside": off <= 1.96 * sd, "sd": sd}


def height_figures(rows: Sequence[Row]) -> dict[str, Any]:
    """The errors of heights, inches; no figure but `n` where there is none."""
    if not rows:
        return dict.fromkeys(("median", "p95", "max", "within_0.06", "coverage_95", "sd_median")) | {"n": 0}
    off = np.array([r["in"] for r in rows])
    return {
        **_spread(off),
        "within_0.06": round(float((off <= 0.06).mean()), 4),
        "coverage_95": round(float(np.mean([r["inside"] for r in rows])), 4),
        "sd_median": round(float(np.median([r["sd"] for r in rows])), 4),
        "n": len(rows),
    }


def centre_figures(rows: Sequence[Row]) -> dict[str, Any]:
    """The errors of tags' centres; no figure but `n` where there is none."""
    if not rows:
        none = dict.fromkeys(("coverage_95", "error_to_stated", "consistent", "accused"))
        return {"tag_center_in": dict.fromkeys(("median", "p95", "max")), **none, "n": 0}
    return {
        "tag_center_in": _spread(np.array([r["in"] for r in rows])),
        "coverage_95": round(float(np.mean([r["inside"] for r in rows])), 4),
        # One where the stated deviations are as large as the errors.
        "error_to_stated": round(float(np.sqrt(np.mean([r["squared"] for r in rows]) / 2)), 3),
        "consistent": round(float(np.mean([r["consistent"] for r in rows])), 4),
        "accused": round(float(np.mean([r["accused"] for r in rows])), 4),
        "n": len(rows),
    }


def _spread(off: FloatArray) -> dict[str, float]:
    return {k: round(float(np.percentile(off, p)), 4) for k, p in (("median", 50), ("p95", 95), ("max", 100))}


def tell_centres(way: str, figures: dict[str, Any]) -> None:
    """One line."""
    c = figures["tag_center_in"]
    if not figures["n"]:
        print(f"{way:30} no tag was read")
        return
    print(
        f"{way:30} median {c['median']:.3f}  p95 {c['p95']:.3f}  max {c['max']:.3f} in; truth inside the "
        f"stated 95 %: {figures['coverage_95']:.1%} of {figures['n']}; "
        f"{figures['error_to_stated']:.2f} of the stated; "
        f"on tables with a stated number accused: {figures['accused']:.1%}"
    )


def tell_heights(way: str, h: dict[str, Any]) -> None:
    """One line."""
    if not h["n"]:
        print(f"heights, {way:30} none was found")
        return
    print(
        f"heights, {way:30} median {h['median']:.3f}  p95 {h['p95']:.3f}  max {h['max']:.3f} in, "
        f"{h['within_0.06']:.1%} within 0.06; inside the stated 95 %: {h['coverage_95']:.1%} of {h['n']} "
        f"(stated ±{h['sd_median']:.3f})"
    )
