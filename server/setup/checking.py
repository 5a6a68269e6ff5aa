"""A check in progress: the strip's placements as they come, and its page."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from fastapi import APIRouter
from pydantic import BaseModel

from calibration.proofs.proof import ENOUGH, Proof, ProofError, StripPlacement, placement
from calibration.tablefile import TableFile
from engine.space.geometry import FloatArray, Footprint, Region
from engine.space.pieces import Body, Piece, TagMount
from engine.space.table import Standing, Status
from server.pipeline.referee import Moment
from server.web.pages import add_pages

# The strip counts as laid elsewhere when its middle has moved so far, inches.
ELSEWHERE_IN = 2.0
# So many reads of the resting strip make a placement.
READS = 8


def strip(tags: str, size: float, height: float) -> tuple[Piece, Piece]:
    """The strip's two ends as pieces that lie flat; `tags` are their ids, as in "50,51"."""
    try:
        first, second = (int(part) for part in tags.split(","))
    except ValueError as error:
        raise ProofError(f"expected two ids such as 50,51 for --tags but got {tags!r}") from error
    if first == second or min(first, second) < 0:
        raise ProofError(f"expected two different ids for --tags but got {tags!r}")

    def end(name: str, tag: int) -> Piece:
        mount = TagMount("tag36h11", tag, size, height, sd_at=0.0, sd_turn=0.0, sd_height=0.0)
        return Piece(name, "token", Body("strip", Footprint.box(size, size), height), mount)

    return end("Strip, first end", first), end("Strip, second end", second)


def refuse_taken(table: TableFile, ends: Sequence[Piece]) -> None:
    """A clear error if one of the strip's tags is in play on the table."""
    keys = {(e.mount.family, e.mount.tag) for e in ends if e.mount is not None}
    taken = sorted(keys & set(table.keys))
    if taken:
        raise ProofError(f"tag {taken[0][1]} is in play on this table: choose other ids with --tags")


class Checker:
    """Watches the strip: every place at which it comes to rest becomes a placement, once."""

    def __init__(self, length: float, surface: Region, ends: tuple[str, str]) -> None:
        self.length, self.surface, self.ends = length, surface, ends
        self.doing = "Lay the strip flat on the table, both tags up, and let go of it."
        self._found: list[StripPlacement] = []
        self._reads: list[float] = []
        self._last: FloatArray | None = None
        self._lock = threading.Lock()

    @property
    def proof(self) -> Proof:
        """What is known so far."""
        with self._lock:
            return Proof(self.length, self.surface, tuple(self._found))

    def see(self, moment: Moment) -> StripPlacement | None:
        """Takes one moment; the placement that it completes, if it does."""
        if moment.frame.repeated:
            return None
        standing = {s.name: s for s in moment.table.standings}
        both = [standing[e] for e in self.ends if e in standing]
        if len(both) < 2 or any(s.status is not Status.STILL or s.name not in moment.read for s in both):
            self._reads.clear()
            if len(both) == 2:
                self.doing = "Let the strip lie still, both tags in view."
            return None
        places = np.array([(s.pose.x, s.pose.y) for s in both])
        middle = places.mean(axis=0)
        if self._last is not None and math.dist(middle, self._last) < ELSEWHERE_IN:
            self.doing = "Measured. Lay it elsewhere: near each corner, in the middle, along and across."
            return None
        self._reads.append(math.dist(*places))
        self.doing = "Measuring: leave the strip where it is."
        if len(self._reads) < READS:
            return None
        laid = placement(places, joint(both[0], both[1]), self._reads)
        self._last = middle
        self._reads.clear()
        with self._lock:
            self._found.append(laid)
        return laid


def joint(one: Standing, other: Standing) -> FloatArray:
    """The (4, 4) covariance of two places: their own errors, and those they share."""
    loading = np.vstack([one.uncertainty.shared[:2], other.uncertainty.shared[:2]])
    covariance = loading @ loading.T
    covariance[:2, :2] += one.uncertainty.own[:2, :2]
    covariance[2:, 2:] += other.uncertainty.own[:2, :2]
    return np.asarray(covariance)


def record(proof: Proof) -> dict[str, Any]:
    """The proof as one object; see docs/formats.md."""
    enough = len(proof.placements) >= ENOUGH
    return {
        "length_in": proof.length,
        "placements": [
            {
                "x_in": round(float(p.middle[0]), 3),
                "y_in": round(float(p.middle[1]), 3),
                "measured_in": round(p.measured, 4),
                "sd_in": round(p.sd, 4),
            }
            for p in proof.placements
        ],
        "scale_error": round(proof.scale, 6),
        "repeatability_in": round(proof.repeatability, 4),
        "map_in": [[None if math.isnan(c) else round(float(c), 4) for c in row] for row in proof.cells],
        "surface_sd_in": round(proof.figure, 4) if enough else None,
    }


def summary(proof: Proof) -> list[str]:
    """The proof in sentences, without its map."""
    if not proof.placements:
        return ["The strip was not seen at rest: lay it flat in the picture, both tags up, and let go of it."]
    errors = np.abs(proof.errors)
    lines = [
        f"{len(errors)} places: off by {np.sqrt(np.mean(errors**2)):.3f} in (root mean square), "
        f"{errors.max():.3f} at worst; lengths come out {abs(proof.scale):.2%} too "
        f"{'long' if proof.scale >= 0 else 'short'}; a single read repeats to {proof.repeatability:.4f} in."
    ]
    if len(errors) < ENOUGH:
        lines.append(f"Lay it at {ENOUGH - len(errors)} more places for a figure that rulings can count in.")
    else:
        lines.append(f"Rulings should count in {proof.figure:.4f} in (checked_in under [surface]).")
    return lines


def in_words(proof: Proof) -> str:
    """The proof for people, with the map of the table as seen from its near edge."""
    first, *rest = summary(proof)
    if not proof.placements:
        return first
    rows = ["   " + "  ".join("  —  " if math.isnan(c) else f"{c:.3f}" for c in row) for row in proof.cells]
    return "\n".join([first, "Error over the table, inches, the far edge on top:", *rows, *rest])


class CheckPlacement(BaseModel):
    """The strip at one place, inches; `error_in` is what it measured less its true length."""

    x_in: float
    y_in: float
    measured_in: float
    sd_in: float
    error_in: float


class ProofView(BaseModel):
    """A check as its page shows it, inches.

    `map_in` holds the root mean square error in three rows of three, the far edge first, null where
    the strip never lay.
    """

    doing: str
    length_in: float
    outline: list[tuple[float, float]]
    placements: list[CheckPlacement]
    map_in: list[list[float | None]]
    words: list[str]


def view(checker: Checker) -> ProofView:
    """What the page shows now."""
    proof = checker.proof
    figures = record(proof)
    placed = [
        CheckPlacement(**p, error_in=round(p["measured_in"] - proof.length, 4)) for p in figures["placements"]
    ]
    return ProofView(
        doing=checker.doing,
        length_in=proof.length,
        outline=[(float(x), float(y)) for x, y in proof.surface.outline],
        placements=placed,
        map_in=figures["map_in"],
        words=summary(proof) if placed else [],
    )


def check_router(checker: Checker) -> APIRouter:
    """`/check`, the page of a check, and `/api/check`, what it shows."""
    router = APIRouter()

    add_pages(router, "check")

    @router.get("/api/check")
    async def state() -> ProofView:
        return view(checker)

    return router
