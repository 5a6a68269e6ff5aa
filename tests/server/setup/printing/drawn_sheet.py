"""A printed sheet on the simulated table, drawn by the camera's own lens."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np

from calibration.prints.paper import PAPERS, Sheet
from calibration.prints.sheets import tag_sheets
from calibration.prints.table_sheet import Wanted, table_prints
from calibration.surface import Surface
from engine.space.geometry import FloatArray
from tests.calibration.prints.test_sheets import DPI, pages
from vision.frame import Frame, Image
from vision.simulate.scenes import named_scene

FINE = 2
ROUND_PX = 210


@dataclass(frozen=True)
class Laid:
    """A sheet on the table: which paper, how large it was printed, where it lies, and in what light."""

    paper: str = "letter"
    scale: float = 1.0
    at: tuple[float, float] = (15.0, 16.0)
    turn_deg: float = 12.0
    ground: float = 90.0
    white: float = 225.0
    tone_curve: bool = False
    blur: float = 0.8
    seed: int = 1
    blank: bool = False
    cut_in: float = 0.0


def true_surface() -> Surface:
    """The table of the simulated scene "first" under its camera, exactly."""
    camera = named_scene("first").camera
    return Surface(camera.lens, camera.R, camera.t, np.zeros((15, 15)), 0.0)


def drawn(laid: Laid, under: Image | None = None) -> Frame:
    """The camera's picture of it, on plain cloth or on the picture `under`."""
    surface, rng = true_surface(), np.random.default_rng(laid.seed)
    width, height = surface.lens.size
    middle = surface.image_from_table(np.array([laid.at]))[0].astype(int)
    left, top = np.clip(middle - ROUND_PX, 0, [width - 2 * ROUND_PX, height - 2 * ROUND_PX])
    side = 2 * ROUND_PX
    span = (np.arange(side * FINE) + 0.5) / FINE - 0.5
    u, v = np.meshgrid(span + left, span + top)
    on_table = surface.table_from_image(np.column_stack([u.ravel(), v.ravel()])) - laid.at
    grey = _coloured(on_table, laid).reshape(u.shape).astype(np.float32)
    plain = np.full((height, width), laid.ground, np.float32)
    whole = plain if under is None else under.astype(np.float32)
    ground = cv2.resize(whole[top : top + side, left : left + side], None, fx=FINE, fy=FINE)
    ground = ground + cv2.GaussianBlur(rng.normal(0, 40, ground.shape).astype(np.float32), (0, 0), 5)
    shown = np.where(np.isnan(grey), ground, grey)
    if laid.tone_curve:
        shown = _light(shown)
    shown = cv2.resize(shown.astype(np.float32), (side, side), interpolation=cv2.INTER_AREA)
    shown = cv2.GaussianBlur(shown, (0, 0), laid.blur)
    if laid.tone_curve:
        shown = _levels(shown)
    whole[top : top + side, left : left + side] = shown
    noisy = whole + (0 if under is not None else rng.normal(0, 3, whole.shape))
    return Frame(np.clip(noisy, 0, 255).astype(np.uint8), 0.0, 0)


def _coloured(points: FloatArray, laid: Laid) -> FloatArray:
    """The sheet's grey at table points (n, 2) from its middle; NaN beside it."""
    cos, sin = math.cos(math.radians(laid.turn_deg)), math.sin(math.radians(laid.turn_deg))
    short, long = PAPERS[laid.paper]
    x = points[:, 0] * cos + points[:, 1] * sin
    y = points[:, 1] * cos - points[:, 0] * sin
    page = _page(laid.paper)
    # A printer that shrinks does so about the middle of the page.
    column = ((x / laid.scale + short / 2) * DPI - 0.5).astype(np.float32).reshape(-1, FINE * 2 * ROUND_PX)
    row = ((long / 2 - y / laid.scale) * DPI - 0.5).astype(np.float32).reshape(column.shape)
    ink = cv2.remap(page, column, row, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=(255,))
    grey = 20 + (0 * ink + 255 if laid.blank else ink).ravel() / 255 * (laid.white - 20)
    on = (np.abs(x) <= short / 2) & (y <= long / 2) & (y >= laid.cut_in - long / 2)
    return np.where(on, grey, np.nan)


@cache
def _page(paper: str) -> Image:
    """The first page of a sheet, softened so that it can be sampled coarsely."""
    page = pages(tag_sheets(table_prints(Wanted(cars=4)), "Tags", Sheet(paper)))[0]
    return np.asarray(cv2.GaussianBlur(page, (0, 0), 2.0), np.uint8)


def _light(grey: FloatArray) -> FloatArray:
    share = grey / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def _levels(light: FloatArray) -> FloatArray:
    bright = 1.055 * np.clip(light, 1e-6, None) ** (1 / 2.4) - 0.055
    return 255 * np.where(light <= 0.0031308, 12.92 * light, bright)
