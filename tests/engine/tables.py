"""Small tables to measure on, and the opening round's true one."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.space.catalogue import CARS, box
from engine.space.geometry import Footprint, Pose, Region
from engine.space.pieces import Body, Piece
from engine.space.table import PoseUncertainty, Standing, Status, TableState

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
OPENING = SHARED / "renders" / "opening-round" / "scene.json"
SURFACE = Region.rectangle(0, 0, 48, 48)


def car(
    name: str, x: float, y: float, degrees: float = 0.0, *, model: str = "sedan",
    sd: float = 0.0, sd_degrees: float = 0.0, status: Status = Status.STILL,
) -> Standing:  # fmt: skip
    """A catalogue car."""
    return Standing(
        Piece(name, "car", CARS[model]),
        Pose(x, y, math.radians(degrees)),
        PoseUncertainty.isotropic(sd, math.radians(sd_degrees)),
        status,
    )


def block(
    name: str, x: float, y: float, length: float, width: float, degrees: float = 0.0, *,
    sd: float = 0.0, status: Status = Status.STILL,
) -> Standing:  # fmt: skip
    """A box of terrain about (x, y)."""
    return Standing(
        Piece(name, "terrain", box(length, width, 2.0)),
        Pose(x, y, math.radians(degrees)),
        PoseUncertainty.isotropic(sd),
        status,
    )


def token(name: str, x: float, y: float) -> Standing:
    """A token of three inches by three about (x, y)."""
    return Standing(
        Piece(name, "token", Body("token", Footprint.box(3, 3), 0.05)), Pose(x, y), PoseUncertainty.exact()
    )


def table(*standings: Standing) -> TableState:
    return TableState.of(SURFACE, standings)


def opening_scene() -> dict[str, Any]:
    """The opening round's truth, or a skip that says what is absent."""
    if not OPENING.exists():
        pytest.skip(f"the true table {OPENING} is not beside this repository")
    scene: dict[str, Any] = json.loads(OPENING.read_text(encoding="utf-8"))
    return scene


def true_piece(entry: dict[str, Any], kind: str) -> Standing:
    """A car or terrain piece of a truth file, known exactly, named by its tag."""
    x, y, _ = entry["center_in"]
    pose = Pose(x, y, math.radians(entry["heading_deg"]))
    outline = Footprint(pose.to_body(np.array(entry["footprint_in"])))
    wheels = pose.to_body(np.array(entry["wheel_contacts_in"])[:, :2]) if kind == "car" else None
    model = str(entry.get("type") or entry.get("kind"))
    body = Body(model, outline, float(entry.get("height_in", 1.0)), wheels)
    return Standing(
        Piece(str(entry["tag_id"]), "car" if kind == "car" else "terrain", body),
        pose,
        PoseUncertainty.exact(),
    )


def true_table(scene: dict[str, Any]) -> TableState:
    pieces = [true_piece(c, "car") for c in scene["cars"]] + [
        true_piece(t, "terrain") for t in scene["terrain"]
    ]
    return TableState.of(Region.rectangle(-2, -2, 50, 50), pieces)
