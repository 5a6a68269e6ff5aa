"""What `--json` prints: one object a line, lengths in inches and angles in degrees (docs/formats.md)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from calibration.bundle.doubts import Doubt, Judged
from calibration.lens.intrinsics import LensCalibration, ViewReport
from engine.space.table import Standing
from server.pipeline.photo import PhotoReading
from server.pipeline.referee import TableEvent
from vision.frame import Sighting


def inches(value: float) -> float:
    """Rounded to a ten-thousandth: finer than anything here is known."""
    return round(value, 4)


def degrees(value: float) -> float:
    """Radians in degrees, rounded to a thousandth."""
    return round(math.degrees(value), 3)


def surface_record(look: PhotoReading) -> dict[str, Any]:
    """The surface of a photograph."""
    surface = look.surface
    return {
        "residual_in": inches(surface.residual),
        "lens": surface.lens.origin,
        "camera_in": [inches(v) for v in surface.camera_position],
        "note": surface.note,
    }


def look_record(look: PhotoReading) -> dict[str, Any]:
    """What stands where in one photograph."""
    return {
        "image": str(look.image),
        "surface": surface_record(look),
        **fit_record(look.judged),
        "pieces": [_piece(s) for s in look.sightings],
        "missing": list(look.missing),
        "warnings": list(look.warnings),
    }


def fit_record(judged: Judged) -> dict[str, Any]:
    """Whether what is stated of a table fits what is seen: chi-square, and each number that is doubted."""
    return {
        "consistent": judged.consistent,
        "chi_square": round(judged.chi_square, 2),
        "freedom": judged.freedom,
        "doubts": [_doubt(d) for d in judged.doubts],
    }


def _doubt(doubt: Doubt) -> dict[str, Any]:
    """A stated number that contradicts what is seen; inches, or a share, or pixels of focal length."""
    found = None if math.isnan(doubt.value) else {"value": round(doubt.value, 4), "sd": round(doubt.sd, 4)}
    return {
        "kind": doubt.kind,
        "tags": list(doubt.tags),
        "stated": round(doubt.stated, 4),
        "found": found,
        "chance": round(doubt.chance, 3),
        "words": doubt.words,
    }


def _piece(sighting: Sighting) -> dict[str, Any]:
    covariance = sighting.uncertainty.total
    # The larger axis of the ellipse: a deviation that admits the worst direction.
    largest = float(np.linalg.eigvalsh(covariance[:2, :2])[-1])
    return {
        "piece": sighting.piece.name,
        "tag": sighting.detection.tag,
        "x_in": inches(sighting.pose.x),
        "y_in": inches(sighting.pose.y),
        "heading_deg": degrees(sighting.pose.heading),
        "tag_x_in": inches(sighting.tag_pose.x),
        "tag_y_in": inches(sighting.tag_pose.y),
        "sd_xy_in": inches(math.sqrt(largest)),
        "sd_heading_deg": degrees(math.sqrt(covariance[2, 2])),
        "status": "still",
    }


def event_record(event: TableEvent, standing: Standing | None) -> dict[str, Any]:
    """Something that happened, with where the piece stands now."""
    record: dict[str, Any] = {
        "kind": "event",
        "time_s": round(event.time, 3),
        "event": event.kind,
        "piece": event.piece,
        "words": event.words,
    }
    if standing is not None:
        record |= {
            "x_in": inches(standing.pose.x),
            "y_in": inches(standing.pose.y),
            "heading_deg": degrees(standing.pose.heading),
        }
    return record


def lens_record(found: LensCalibration) -> dict[str, Any]:
    """The calibration as one JSON object: pixels and degrees."""
    lens, sd = found.lens, found.lens.sd
    return {
        "board": found.board.words,
        "size_px": list(lens.size),
        "rms_px": round(found.rms, 4),
        "focal_px": [round(float(lens.K[i, i]), 2) for i in (0, 1)],
        "sd_focal_px": [round(float(v), 2) for v in sd[:2]],
        "centre_px": [round(float(lens.K[i, 2]), 2) for i in (0, 1)],
        "sd_centre_px": [round(float(v), 2) for v in sd[2:4]],
        "dist_k1k2p1p2k3": [round(float(v), 6) for v in lens.dist],
        "sd_dist": [round(float(v), 6) for v in sd[4:]],
        "views": [_view_record(v) for v in found.views],
        "corners_seen": found.coverage.astype(int).tolist(),
        "notes": list(found.notes),
    }


def _view_record(view: ViewReport) -> dict[str, Any]:
    return {
        "name": view.name,
        "used": view.used,
        "corners": view.corners,
        "rms_px": None if view.rms is None else round(view.rms, 3),
        "tilt_deg": None if view.tilt is None else round(math.degrees(view.tilt), 1),
        "why": view.why,
    }
