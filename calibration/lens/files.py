"""Lenses in other people's files: OpenCV, ROS camera_info and Kalibr camchain; and where ours are kept.

All of them count pixels as OpenCV does, with (0, 0) the centre of the top-left pixel.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import cv2
import numpy as np
import yaml

from calibration.lens.model import (
    Lens,
    LensError,
    lens_from_dict,
    lens_to_dict,
    load_lens,
    parsed_lens_file,
    usual_covariance,
)
from calibration.table_text import in_short
from calibration.whole_files import FileError, write_whole
from engine.space.geometry import FloatArray

LensForm = Literal["tableref", "opencv", "ros", "kalibr"]

# A lens that Kalibr's four coefficients miss by more than this many pixels is not written so.
KALIBR_PX = 0.5

WORST_ERROR_PX, WORST_ASPECT, WORST_CENTRE = 1.0, 0.05, 0.2
"""Beyond these a lens is doubted: pixels of stated error, |fy/fx - 1|, centre off the middle, a share."""

_STATES_ERROR = re.compile(r"rms|re_?proj.*err|^((avg|average|mean)_?)?error(_px)?$", re.I)
_NO_MEAN = re.compile(r"max|worst|threshold|limit|(_mm|_in|_m)$", re.I)
"""Names of fields that hold a calibration's error in pixels, and of those that hold another one."""

MOST_SKEW_PX = 2.0
"""A skew beyond this, pixels, is worth a word: it is left out, as pixels are square."""

LEAST_BENT, MOST_BENT = 0.75, 2.5
"""How far aside the picture's edge may see, as a share of what it would without distortion."""

NARROWEST_DEG, WIDEST_DEG = 12.0, 140.0
"""Horizontal fields of view of cameras that hang over tables."""


def read_lens(path: Path, camera: str = "") -> Lens:
    """A lens from any of the files named above.

    `camera` picks one of a Kalibr file's cameras (`cam0`); without it there must be just one.
    Raises `LensError`.
    """
    data = parsed_lens_file(path)
    cameras = _kalibr_cameras(data)
    if not cameras:
        return lens_from_dict(data, str(path))
    name = camera or next(iter(cameras))
    if name not in cameras or (len(cameras) > 1 and not camera):
        raise LensError(
            f"{path} holds the cameras {', '.join(cameras)}: say which one, as in "
            f"`tableref calibrate convert {path.name} lens.json --camera {next(iter(cameras))}`"
        )
    return _from_kalibr(cameras[name], f"{path}, {name}")


def lens_doubts(path: Path, lens: Lens) -> tuple[str, ...]:
    """What makes a lens hard to believe, by itself and by the error that its file states; sentences."""
    data = parsed_lens_file(path)
    stated = {str(k): v for k, v in data.items()} if isinstance(data, dict) else {}
    fx, fy, cx, cy = lens.parameters[:4]
    width, height = lens.size
    found = []
    for name, error in stated.items():
        pixels = _STATES_ERROR.search(name) and not _NO_MEAN.search(name)
        if pixels and isinstance(error, int | float) and error > WORST_ERROR_PX:
            found.append(
                f"The file states an error of {error:.1f} px; a good calibration has less than "
                f"{WORST_ERROR_PX:g}. Calibrate it again"
            )
    if abs(fy / fx - 1.0) > WORST_ASPECT:
        found.append(f"fy/fx is {fy / fx:.2f}, where pixels are square: about 1.00 would be right")
    wide = math.degrees(2.0 * math.atan(width / 2 / fx))
    if not NARROWEST_DEG <= wide <= WIDEST_DEG:
        found.append(
            f"A focal length of {fx:,.0f} px sees {wide:.0f}° of {width} pixels; cameras over a table see "
            f"{NARROWEST_DEG:g}° to {WIDEST_DEG:g}°"
        )
    if abs(cx / width - 0.5) > WORST_CENTRE or abs(cy / height - 0.5) > WORST_CENTRE:
        found.append(f"The lens's centre ({cx:.0f}, {cy:.0f}) lies far from the middle of {width}x{height}")
    if abs(lens.K[0, 1]) > MOST_SKEW_PX:
        found.append(
            f"The camera matrix has a skew of {lens.K[0, 1]:.0f} px, which is left out: pixels are square"
        )
    if _folds(lens):
        found.append("The distortion folds inside the picture: its edge cannot be undone by any ray")
    elif not LEAST_BENT <= (bent := _bent(lens)) <= MOST_BENT:
        found.append(
            f"With the distortion the picture's edge sees {bent:.2f} times as far aside as without; "
            f"{LEAST_BENT:g} to {MOST_BENT:g} would be right"
        )
    return tuple(f"{words}." for words in found)


def _folds(lens: Lens) -> bool:
    """Whether pixels at the picture's edge lie where no ray is bent to."""
    width, height = lens.size
    xs, ys = np.linspace(0, width - 1, 9), np.linspace(0, height - 1, 9)
    places = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    world = np.column_stack([lens.rays(places), np.ones(len(places))])
    back, _ = cv2.projectPoints(world, np.zeros(3), np.zeros(3), lens.K, lens.dist)
    return not bool(np.abs(back.reshape(-1, 2) - places).max() < 1.0)


def _bent(lens: Lens) -> float:
    """How far aside the picture's edge sees as a share of what it would without distortion, where most."""
    width, height = lens.size
    xs, ys = np.linspace(0, width - 1, 9), np.linspace(0, height - 1, 9)
    along = [(x, y) for x in xs for y in (ys[0], ys[-1])] + [(x, y) for x in (xs[0], xs[-1]) for y in ys]
    places = np.array(along)
    straight = np.linalg.norm((places - lens.parameters[2:4]) / lens.parameters[:2], axis=1)
    beside = straight > 0.01
    shares = np.linalg.norm(lens.rays(places[beside]), axis=1) / straight[beside]
    return float(shares[np.abs(np.log(shares)).argmax()])


def write_lens(lens: Lens, path: Path, form: LensForm = "tableref", camera: str = "") -> None:
    """The lens as a file of that form, all of it or nothing; its folder is made if need be.

    `camera` names it inside.
    """
    texts = {"tableref": _tableref, "opencv": _opencv, "ros": _ros, "kalibr": _kalibr}
    if form not in texts:
        raise LensError(f"expected one of {', '.join(texts)} but got {form!r}")
    text = texts[form](lens, camera)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text.encode())
    except FileError as error:
        raise LensError(str(error)) from error
    except OSError as error:
        raise LensError(f"cannot write the lens file {path}: {error}") from error


def lens_path(folder: Path, camera: str, size: tuple[int, int]) -> Path:
    """Where the lens of a camera at one resolution is kept: a camera's lens changes with both.

    >>> lens_path(Path("lenses"), "HD Webcam C920", (1920, 1080)).name
    'hd-webcam-c920-1920x1080.json'
    """
    slug = re.sub(r"[^a-z0-9]+", "-", camera.lower()).strip("-") or "camera"
    return folder / f"{slug}-{size[0]}x{size[1]}.json"


def saved_lens(folder: Path, camera: str, size: tuple[int, int]) -> Lens | None:
    """The lens kept for this camera at this resolution, None if there is none.

    Raises `LensError` if a file of that name was made for another camera or resolution.
    """
    path = lens_path(folder, camera, size)
    if not path.is_file():
        return None
    lens = load_lens(path)
    owner = json.loads(path.read_text(encoding="utf-8")).get("camera", camera)
    if owner != camera:
        raise LensError(
            f"{path} was calibrated for the camera {owner!r}, not for {camera!r}: calibrate this one's lens"
        )
    return lens.for_size(size)


def _tableref(lens: Lens, camera: str) -> str:
    named = {"camera": camera} if camera else {}
    return json.dumps(named | lens_to_dict(lens), indent=1) + "\n"


def _numbers(values: FloatArray) -> list[float]:
    return [float(v) for v in np.ravel(values)]


def _matrix(values: FloatArray) -> dict[str, Any]:
    rows, columns = np.atleast_2d(values).shape
    return {"rows": rows, "cols": columns, "data": _numbers(values)}


def _opencv(lens: Lens, camera: str) -> str:
    lines = ["%YAML:1.0", "---", f"image_width: {lens.size[0]}", f"image_height: {lens.size[1]}"]
    if camera:
        lines.append(f"camera_name: {json.dumps(camera)}")
    for name, values in (("camera_matrix", lens.K), ("distortion_coefficients", lens.dist[None])):
        matrix = _matrix(values)
        lines += [
            f"{name}: !!opencv-matrix",
            f"   rows: {matrix['rows']}",
            f"   cols: {matrix['cols']}",
            "   dt: d",
            f"   data: [ {', '.join(repr(v) for v in matrix['data'])} ]",
        ]
    return "\n".join(lines) + "\n"


def _ros(lens: Lens, camera: str) -> str:
    data = {
        "image_width": lens.size[0],
        "image_height": lens.size[1],
        "camera_name": camera or "camera",
        "camera_matrix": _matrix(lens.K),
        "distortion_model": "plumb_bob",
        "distortion_coefficients": _matrix(lens.dist),
        "rectification_matrix": _matrix(np.eye(3)),
        "projection_matrix": _matrix(np.column_stack([lens.K, np.zeros(3)])),
    }
    return yaml.safe_dump(data, sort_keys=False, default_flow_style=None)


def _kalibr(lens: Lens, camera: str) -> str:
    coefficients, off = _without_k3(lens)
    if off > KALIBR_PX:
        raise LensError(
            f"Kalibr's radtan model has no k3, and without it this lens is {off:.1f} px out at the "
            "picture's edge: write it as opencv or ros"
        )
    K = lens.K
    data = {
        "cam0": {
            "camera_model": "pinhole",
            "distortion_coeffs": _numbers(coefficients),
            "distortion_model": "radtan",
            "intrinsics": _numbers(np.array([K[0, 0], K[1, 1], K[0, 2], K[1, 2]])),
            "resolution": list(lens.size),
            "rostopic": f"/{camera or 'camera'}/image_raw",
        }
    }
    return yaml.safe_dump(data, sort_keys=False, default_flow_style=None)


def _without_k3(lens: Lens) -> tuple[FloatArray, float]:
    """The (4,) coefficients nearest to the lens over its picture, and the largest miss in pixels."""
    if lens.dist[4] == 0.0:
        return lens.dist[:4], 0.0
    places = np.stack(
        np.meshgrid(np.linspace(0, lens.size[0] - 1, 33), np.linspace(0, lens.size[1] - 1, 25)), axis=-1
    )
    x, y = lens.rays(places.reshape(-1, 2)).T
    r2 = x * x + y * y
    focal = np.repeat([lens.K[0, 0], lens.K[1, 1]], len(x))
    # Distortion is linear in its coefficients: k1, k2, p1, p2, k3.
    columns = [
        np.concatenate([x * r2, y * r2]),
        np.concatenate([x * r2**2, y * r2**2]),
        np.concatenate([2 * x * y, r2 + 2 * y * y]),
        np.concatenate([r2 + 2 * x * x, 2 * x * y]),
        np.concatenate([x * r2**3, y * r2**3]),
    ]
    model = np.stack(columns, axis=1) * focal[:, None]
    bent = model @ lens.dist
    coefficients = np.linalg.lstsq(model[:, :4], bent, rcond=None)[0]
    miss = (model[:, :4] @ coefficients - bent).reshape(2, -1)
    return coefficients, float(np.hypot(*miss).max())


def _kalibr_cameras(data: Any) -> dict[str, Any]:
    """The cameras of a Kalibr camchain by name; empty if the file is none."""
    if not isinstance(data, dict):
        return {}
    return {str(k): v for k, v in data.items() if re.fullmatch(r"cam\d+", str(k)) and isinstance(v, dict)}


def _from_kalibr(data: dict[str, Any], where: str) -> Lens:
    camera, bend = data.get("camera_model"), data.get("distortion_model")
    if camera != "pinhole" or str(bend).lower() not in ("radtan", "none") or bend is None:
        came = f"{camera or 'no camera_model'} with {bend or 'no distortion_model'}"
        same = camera == "pinhole" and (not bend or str(bend).lower() in ("plumb_bob", "plumb bob"))
        what_to_do = (
            "write `distortion_model: radtan` there if its numbers are k1, k2, p1, p2"
            if same
            else "calibrate it again with `tableref calibrate lens`"
        )
        raise LensError(
            f"{where}: expected a pinhole camera with radtan distortion (camera_model: pinhole, "
            f"distortion_model: radtan) but got {in_short(came)}: {what_to_do}"
        )
    try:
        fx, fy, cx, cy = (float(v) for v in data["intrinsics"])
        width, height = (int(v) for v in data["resolution"])
        coefficients = [float(v) for v in data.get("distortion_coeffs") or [0.0] * 4]
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise LensError(
            f"{where}: expected intrinsics [fx, fy, cx, cy], distortion_coeffs [k1, k2, p1, p2] and "
            "resolution [width, height]"
        ) from error
    K = np.array([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]])
    try:
        lens = Lens((width, height), K, np.array(coefficients))
    except LensError as error:
        raise LensError(in_short(f"{where}: {error}")) from error
    # A camchain says nothing of how well it is known.
    return replace(lens, covariance=usual_covariance(lens))
