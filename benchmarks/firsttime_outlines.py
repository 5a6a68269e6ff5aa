"""Outlines that the camera offers on the set-up page, held against the truth, for `benchmarks.firsttime`."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.truth import TrueFrame
from server.setup.fitting.outline import OutlineFits
from server.setup.printing.last_look import LastLook


def outlines_found(truth: TrueFrame, last: LastLook) -> list[dict[str, Any]]:
    """Of each piece whose tag was read, by how much its edges are off, inches; None without an offer."""
    fits, out = OutlineFits(), []
    seen = {d.tag for d in last.detections}
    for piece in truth.pieces:
        mount = piece.mount
        if mount is None or mount.tag not in seen:
            continue
        fits.begin(piece.name, last)
        found = fits.find(piece.name)
        (rear, right), (front, left) = (
            piece.body.footprint.outline.min(axis=0) - mount.body_from_tag.xy,
            piece.body.footprint.outline.max(axis=0) - mount.body_from_tag.xy,
        )
        off = np.array(
            [found.front_in - front, found.rear_in - rear, found.left_in - left, found.right_in - right]
        )
        out.append(
            {
                "name": f"{truth.name} {piece.name}",
                "off": off.tolist() if found.clear else None,
                "sd": found.sure_in,
                "why": found.words,
            }
        )
    return out


def outline_figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """By how much the edges of the offered outlines are off, and how many were offered."""
    offered = [r for r in rows if r["off"] is not None]
    counts = {"n": 4 * len(offered), "offered": len(offered), "asked": len(rows)}
    if not offered:
        return {"median": None, "p95": None, "max": None, **counts}
    off = np.abs([r["off"] for r in offered])
    sd = np.array([r["sd"] for r in offered])[:, None]
    return {
        "median": round(float(np.median(off)), 4),
        "p95": round(float(np.percentile(off, 95)), 4),
        "max": round(float(off.max()), 4),
        **counts,
        "coverage_95": round(float((off <= 1.96 * sd).mean()), 4),
        "sd_median": round(float(np.median(sd)), 4),
    }


def tell_outlines(found: dict[str, Any]) -> None:
    """One line."""
    if not found["offered"]:
        print(f"outlines: none of {found['asked']} offered")
        return
    print(
        f"outlines: {found['offered']} of {found['asked']} offered; edges median {found['median']:.3f}  "
        f"p95 {found['p95']:.3f}  max {found['max']:.3f} in; inside the stated 95 %: "
        f"{found['coverage_95']:.1%} of {found['n']}"
    )
