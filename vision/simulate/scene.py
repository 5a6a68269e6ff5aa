"""What is on a simulated table and how it is seen: every parameter of a picture in one place."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from calibration.accuracy import EXACT
from calibration.boards import BoardFields, board_on
from calibration.lens.model import Lens
from calibration.surface import CornerTag
from engine.boards.board import Board
from engine.errors import TableRefError
from engine.space.geometry import Pose, Region
from engine.space.pieces import Piece
from engine.space.table import key_of
from vision.simulate.drawing.camera import Camera
from vision.simulate.drawing.solids import Hand, Sun

Tone = Literal["linear", "srgb", "contrast"]


@dataclass(frozen=True, slots=True)
class Light:
    """How the table is lit.

    `brightness` is the exposure (1 shows white paper as bright, not burnt out); `colour` the
    light's blue, green and red; `slope` how much brighter the far side is than the near one, and
    the right one than the left; `vignette` the loss in the picture's corners; `shadow` how dark
    shadows are (0 to 1) and `softness` their blur per inch of height, inches.
    """

    brightness: float = 1.0
    colour: tuple[float, float, float] = (1.0, 1.0, 1.0)
    slope: tuple[float, float] = (0.06, 0.10)
    vignette: float = 0.16
    shadow: float = 0.42
    softness: float = 0.16
    sun: Sun = field(default_factory=Sun)


LIGHTS = {
    "ceiling": Light(),
    "warm": Light(0.9, (0.72, 0.92, 1.06), (0.16, 0.10), 0.2, 0.5, 0.12, Sun((-0.45, 0.30, 0.84), 0.45)),
    "window": Light(1.0, (1.06, 1.0, 0.94), (-0.30, 0.05), 0.15, 0.55, 0.10, Sun((-0.62, 0.22, 0.75), 0.4)),
    "dim": Light(0.28, (0.82, 0.95, 1.0), (0.1, 0.1), 0.25, 0.35, 0.25),
}


@dataclass(frozen=True, slots=True)
class Sensor:
    """What lens and chip do to the picture, in the order in which it happens.

    `blur` is the lens's Gaussian blur, sigma in pixels; `exposure` how long the shutter is open,
    seconds (moving things smear); `tone` the curve from light to grey levels (`contrast` is
    sRGB with an S-curve on top, as webcams like it); `noise` sigma in grey levels; `jpeg` the
    quality 1 to 100, None for no compression.
    """

    blur: float = 0.7
    exposure: float = 1 / 60
    tone: Tone = "srgb"
    noise: float = 2.0
    jpeg: int | None = None

    @classmethod
    def perfect(cls) -> Sensor:
        """No blur, no noise, linear light: for measuring the drawing itself."""
        return cls(blur=0.0, exposure=0.0, tone="linear", noise=0.0)


@dataclass(frozen=True, slots=True)
class SceneLooseTag:
    """A tag lying flat on the table that is not in play. `height` inches above it."""

    family: str
    tag: int
    size: float
    pose: Pose
    height: float = 0.01


@dataclass(frozen=True, slots=True)
class ScenePlacement:
    """Where a piece is: its pose on the table, and how far it is lifted off it (inches)."""

    pose: Pose
    lift: float = 0.0


@dataclass(frozen=True, eq=False)
class SceneSnapshot:
    """The table at one instant; pieces that are absent are not on it."""

    placements: Mapping[str, ScenePlacement]
    hand: Hand | None = None


@dataclass(frozen=True, eq=False)
class Scene:
    """A table, what stands on it, and the camera above.

    `near_left` and `size` are the playing surface's corner and extent in the table frame, inches;
    `start` where each piece stands at first, by name; pieces without an entry begin off the table.
    `board_fields` say which board is printed on the cloth, as the table file's `[board]`. `told` is False
    for a table that has no file yet.
    """

    name: str
    near_left: tuple[float, float]
    size: tuple[float, float]
    corners: tuple[CornerTag, ...]
    pieces: tuple[Piece, ...]
    start: Mapping[str, Pose]
    camera: Camera
    light: Light = field(default_factory=Light)
    sensor: Sensor = field(default_factory=Sensor)
    loose: tuple[SceneLooseTag, ...] = ()
    cloth: str = "#8f9d6a"
    road: bool = True
    board_fields: BoardFields | None = None
    seed: int = 1
    told: bool = True

    def __post_init__(self) -> None:
        unknown = set(self.start) - {p.name for p in self.pieces}
        if unknown:
            raise TableRefError(
                f"the scene places pieces that it does not have: {', '.join(sorted(unknown))}"
            )

    @property
    def lens(self) -> Lens:
        """The camera's lens, known exactly."""
        return self.camera.lens

    @property
    def surface(self) -> Region:
        """The playing surface."""
        return Region.rectangle(*self.near_left, *self.size)

    @property
    def board(self) -> Board:
        """The board that is printed on the cloth."""
        return board_on(self.board_fields, self.surface)

    @property
    def snapshot(self) -> SceneSnapshot:
        """The table as it stands at first."""
        return SceneSnapshot({name: ScenePlacement(pose) for name, pose in self.start.items()})

    def piece(self, name: str) -> Piece:
        """A piece by its name, as people type it."""
        for piece in self.pieces:
            if key_of(piece.name) == key_of(name):
                return piece
        known = ", ".join(p.name for p in self.pieces) or "none"
        raise TableRefError(f"the simulated table has no piece called {name!r}; it has: {known}")

    def to_toml(self) -> str:
        """The table file that belongs to this scene (format: docs/formats.md), lens inline."""
        lens = self.lens
        lines = [
            "format = 1",
            "[table]",
            f"name = {json.dumps(self.name)}",
            "[surface]",
            f"size_in = {_numbers(self.size)}",
            f"near_left_in = {_numbers(self.near_left)}",
            "[accuracy]",
            *(f"{name} = {_number(value)}" for name, value in EXACT.model_dump(exclude_none=True).items()),
            "[camera.lens]",
            f"size_px = [{lens.size[0]}, {lens.size[1]}]",
            f"k = [{', '.join(_numbers(row, 9) for row in lens.K)}]",
            f"dist = {_numbers(lens.dist, 9)}",
        ]
        if not lens.guessed:
            rows = ", ".join("[" + ", ".join(repr(float(v)) for v in row) + "]" for row in lens.covariance)
            lines.append(f"covariance = [{rows}]")
        if self.board_fields is not None:
            lines.append("[board]")
            lines += [
                f"{k} = {_value(v)}" for k, v in self.board_fields.model_dump(exclude_none=True).items()
            ]
        for corner in self.corners:
            lines += _corner_toml(corner)
        for piece in self.pieces:
            lines += _piece_toml(piece)
        return "\n".join(lines) + "\n"


def _numbers(values: object, digits: int = 5) -> str:
    """A row of numbers as TOML, short but exact to `digits` decimals; always with a point."""
    return "[" + ", ".join(_number(float(v), digits) for v in values) + "]"  # type: ignore[attr-defined]


def _value(value: object) -> str:
    """A value of a board's field as TOML, a table on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k} = {_value(v)}" for k, v in value.items()) + "}"
    return json.dumps(value)


def _number(value: float, digits: int = 5) -> str:
    return repr(round(value, digits) + 0.0)


def _corner_toml(corner: CornerTag) -> list[str]:
    lines = [
        "[[corner]]",
        f"tag = {corner.tag}",
        f"family = {json.dumps(corner.family)}",
        f"size_in = {_number(corner.size)}",
        f"at_in = {_numbers(corner.at)}",
        f"sd_in = {_number(corner.sd)}",
    ]
    if corner.turn is not None:
        lines.append(f"turn_deg = {_number(math.degrees(corner.turn), 4)}")
    return lines


def _piece_toml(piece: Piece) -> list[str]:
    body = piece.body
    lines = ["[[piece]]", f"name = {json.dumps(piece.name)}", f"kind = {json.dumps(piece.kind)}"]
    lines += [
        f"{key} = {json.dumps(value)}"
        for key, value in (("owner", piece.owner), ("colour", piece.colour))
        if value
    ]
    lines.append(f"model = {json.dumps(body.model)}")
    lines.append(f"height_in = {_number(body.height)}")
    if piece.look == "terrain":
        lines.append('shape = "polygon"')
    lines.append(f"footprint_in = [{', '.join(_numbers(p) for p in body.footprint.outline)}]")
    if body.tyres is not None:
        lines.append(f"tyres_in = [{', '.join(_numbers(p) for p in body.tyres)}]")
    hitch = piece.hitch
    if hitch is not None:
        lines += [
            f"hitched_to = {json.dumps(hitch.to)}",
            f"hitch_at_in = {_numbers(hitch.at)}",
            f"hitch_on_in = {_numbers(hitch.on)}",
            f"hitch_sd_turn_deg = {_number(math.degrees(hitch.sd_turn), 4)}",
        ]
    mount = piece.mount
    if mount is not None:
        place = mount.body_from_tag
        lines += [
            f"tag = {mount.tag}",
            f"family = {json.dumps(mount.family)}",
            f"tag_size_in = {_number(mount.size)}",
            f"tag_height_in = {_number(mount.height)}",
            f"tag_at_in = {_numbers((place.x, place.y))}",
            f"tag_turn_deg = {_number(math.degrees(place.heading), 4)}",
            f"tag_sd_at_in = {_number(mount.sd_at)}",
            f"tag_sd_turn_deg = {_number(math.degrees(mount.sd_turn), 4)}",
            f"tag_sd_height_in = {_number(mount.sd_height)}",
            f"tag_sd_tilt_deg = {_number(math.degrees(mount.sd_tilt), 4)}",
        ]
    return lines
