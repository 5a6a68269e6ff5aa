"""pixel <-> ray: intrinsics and distortion, from a file, or guessed and said so."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree

import cv2
import numpy as np
import yaml

from calibration.table_text import in_short, text_of
from engine.errors import TableRefError
from engine.space.geometry import FloatArray

Origin = Literal["file", "board", "guess"]

PARAMETERS = ("fx", "fy", "cx", "cy", "k1", "k2", "p1", "p2", "k3")
"""A lens as OpenCV counts it: focal lengths and centre in pixels, then the distortion coefficients."""

GUESSED_FOV_DEG = 65.0

KNOWN_FILES = "a lens file (of tableref, OpenCV, ROS, Kalibr or PhotonVision)"

MOST_LETTERS = 500_000
"""Letters of a lens file; one that holds every corner of a hundred pictures, as OpenCV's may, has 300,000."""

MOST_LEVELS = 20
LONGEST_VALUE = 1000
MOST_VALUES = 100_000
MOST_PIXELS = 100_000
LARGEST = 1e50
"""Lists in lists, letters of a value, values in all, pixels of a picture's side, what can be squared."""

CENTRE_ASIDE = 0.035
"""How far a lens's centre lies beside the picture's, a share of its width, standard deviation.

Calibrations of two kinds of webcam, four in all, have 0.02, but a picture that is cut out of the sensor's has
several times that, and nothing tells which one it is (`tests.simple_way`).
"""


class LensError(TableRefError):
    """A lens that cannot be read or does not belong to the picture."""


def _known() -> FloatArray:
    return np.zeros((len(PARAMETERS), len(PARAMETERS)))


@dataclass(frozen=True, eq=False)
class Lens:
    """OpenCV's pinhole model with 5 distortion coefficients [k1, k2, p1, p2, k3].

    `size` is (width, height) in pixels; `K` the (3, 3) camera matrix in pixels, pixel (0, 0)
    being the centre of the top-left pixel. `covariance` (9, 9) says how well `PARAMETERS` are
    known; zero takes the lens at its word.
    """

    size: tuple[int, int]
    K: FloatArray
    dist: FloatArray
    origin: Origin = "file"
    covariance: FloatArray = field(default_factory=_known)

    def __post_init__(self) -> None:
        K = np.array(self.K, dtype=np.float64)
        dist = np.array(self.dist, dtype=np.float64).ravel()
        if not all(0 < side <= MOST_PIXELS for side in self.size):
            raise LensError(f"expected the size of a picture in pixels but got {self.size}")
        if K.shape != (3, 3):
            raise LensError(f"expected a 3x3 camera matrix with positive focal lengths but got {K.tolist()}")
        if not 4 <= dist.size <= 5:
            raise LensError(
                f"expected OpenCV's 5 distortion coefficients [k1, k2, p1, p2, k3] but got {dist.size}"
            )
        dist = np.append(dist, np.zeros(5 - dist.size))
        covariance = np.array(self.covariance, dtype=np.float64)
        n = len(PARAMETERS)
        if covariance.shape != (n, n) or not _symmetric(covariance):
            raise LensError(f"expected a symmetric {n}x{n} covariance of {', '.join(PARAMETERS)}")
        _verify_camera(K, dist)
        if not np.isfinite(covariance).all():
            raise LensError("expected finite numbers in the covariance")
        if (np.diag(covariance) < 0).any():
            raise LensError(f"expected no negative variances but got {np.diag(covariance).tolist()}")
        object.__setattr__(self, "K", K)
        object.__setattr__(self, "dist", dist)
        object.__setattr__(self, "covariance", covariance)

    @property
    def parameters(self) -> FloatArray:
        """`PARAMETERS` as numbers, shape (9,)."""
        return np.array([self.K[0, 0], self.K[1, 1], self.K[0, 2], self.K[1, 2], *self.dist])

    @property
    def sd(self) -> FloatArray:
        """The deviations of `PARAMETERS`, shape (9,)."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @property
    def guessed(self) -> bool:
        """Whether nobody has measured this lens."""
        return self.origin == "guess"

    @property
    def note(self) -> str:
        """A sentence for people."""
        if self.guessed:
            fov = math.degrees(2 * math.atan(self.size[0] / 2 / self.K[0, 0]))
            return f"lens not calibrated: guessed from a field of view of {fov:.0f}°"
        return {"file": "lens from a file", "board": "lens calibrated from a board"}[self.origin]

    def rays(self, points_in_image: FloatArray) -> FloatArray:
        """Undistorted directions (x/z, y/z) in the camera frame of pixels (n, 2), shape (n, 2)."""
        points = np.ascontiguousarray(points_in_image, dtype=np.float64).reshape(-1, 1, 2)
        criteria = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 40, 1e-10)
        out = cv2.undistortPoints(points, self.K, self.dist, criteria=criteria)
        return np.asarray(out, dtype=np.float64).reshape(-1, 2)

    def adjusted(self, change: FloatArray) -> Lens:
        """The lens with (9,) changes of `PARAMETERS` applied."""
        changed = self.parameters + change
        fx, fy, cx, cy = changed[:4].tolist()
        K, dist = np.array([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]]), changed[4:]
        _verify_camera(K, dist)
        # A solver makes thousands of lenses: size and covariance have been looked at already.
        lens = copy(self)
        object.__setattr__(lens, "K", K)
        object.__setattr__(lens, "dist", dist)
        return lens

    def for_size(self, size: tuple[int, int]) -> Lens:
        """This lens if it was calibrated at this picture size; a clear error otherwise."""
        if size != self.size:
            turned = size == self.size[::-1]
            mend = (
                "turn the picture or the camera by a quarter"
                if turned
                else "set the camera to that resolution"
            )
            raise LensError(
                f"the lens was calibrated at {self.size[0]}x{self.size[1]} pixels but the picture has "
                f"{size[0]}x{size[1]}: {mend}, or calibrate the lens again"
            )
        return self


def _verify_camera(K: FloatArray, dist: FloatArray) -> None:
    """Refuse what is no camera. `K` (3, 3), `dist` (5,). Raises `LensError`."""
    if not (K[0, 0] > 0 and K[1, 1] > 0):
        raise LensError(f"expected a 3x3 camera matrix with positive focal lengths but got {K.tolist()}")
    if not (np.isfinite(K).all() and np.isfinite(dist).all()):
        raise LensError("expected finite numbers in the camera matrix and distortion")


def _symmetric(matrix: FloatArray) -> bool:
    return bool((matrix == matrix.T).all()) or np.allclose(matrix, matrix.T, rtol=1e-6)


def guess_lens(size: tuple[int, int], fov_deg: float | None = None) -> Lens:
    """A lens from the horizontal field of view alone, with deviations that admit it.

    Without `fov_deg` a webcam's usual 65 degrees are assumed, good to 20 % in focal length; with
    a maker's figure, to 6 %.
    """
    fov = GUESSED_FOV_DEG if fov_deg is None else fov_deg
    if not 10.0 <= fov <= 150.0:
        raise LensError(f"expected a horizontal field of view of 10 to 150 degrees but got {fov}")
    width, height = size
    focal = width / 2 / math.tan(math.radians(fov) / 2)
    K = np.array([[focal, 0.0, (width - 1) / 2], [0.0, focal, (height - 1) / 2], [0.0, 0.0, 1.0]])
    wide = (0.20 if fov_deg is None else 0.06) * focal
    # Square pixels, a centre about the middle, and what webcams' lenses bend.
    aside = CENTRE_ASIDE * width
    sd = np.array([0.0, 0.003 * focal, aside, aside, 0.12, 0.05, 0.001, 0.001, 0.01])
    covariance = np.diag(sd**2)
    covariance[:2, :2] += wide**2
    return Lens(size, K, np.zeros(5), "guess", covariance)


def usual_covariance(lens: Lens) -> FloatArray:
    """How well a calibration is known that states nothing of it, (9, 9) (house default).

    Half a percent of focal length with square pixels, a few pixels of centre, and what refocusing does.
    """
    focal, width = float(lens.K[0, 0]), lens.size[0]
    sd = np.array([0.0, 0.0005 * focal, 0.002 * width, 0.002 * width, 0.008, 0.008, 0.0003, 0.0003, 0.003])
    covariance = np.diag(sd**2)
    covariance[:2, :2] += (0.005 * focal) ** 2
    return covariance


_FISHEYE = re.compile(
    r"fish|equi|omni|\bmei\b|kannala|\bkb[48]\b|eucm|double.?sphere|scaramuzza|f.?theta", re.I
)
_SAYS_MODEL = re.compile(r"model|type|kind|method|distort|projection|flag|calibration|^lens$|^camera$", re.I)
"""Names of fields in which a fisheye lens is called one; in others the word may be a camera's name."""

_NO = ("", "0", "0.0", "false", "no", "none", "off", "[]", "{}")
_MODELS = ("plumb_bob", "radtan", "rational_polynomial", "none", "")
_WHAT_TO_DO = "calibrate the lens with `tableref calibrate lens`, or with that model where it was calibrated"


_MATRIX_NAMES = ("k", "camera_matrix", "cameramatrix", "cameraintrinsics", "mtx")
_BEND_NAMES = (
    "dist", "dist_k1k2p1p2k3", "distortion_coefficients", "dist_coeffs", "distcoeffs", "dist_coeff",
    "dist_coefs", "d",
)  # fmt: skip
"""What programs and well-read instructions call the matrix and the coefficients."""

_WITHOUT_SIZE = ": write into it how large the pictures were that it was calibrated with, as size_px"


def _matrix(value: Any, what: str) -> FloatArray:
    try:
        if isinstance(value, dict) and "data" in value:
            data = np.array(value["data"], dtype=np.float64).ravel()
            rows, cols = int(value.get("rows", 1)), int(value.get("cols", data.size))
        else:
            data = np.array(value, dtype=np.float64)
            _verify_finite(data, value, what)
            # A camera_info message holds its matrix row by row.
            return data.reshape(3, 3) if what == "k" and data.shape == (9,) else data
    except (TypeError, ValueError, OverflowError) as error:
        raise LensError(in_short(f"expected numbers for {what} but got {value!r}")) from error
    _verify_finite(data, value, what)
    if rows * cols != data.size:
        raise LensError(
            f"expected numbers for {what}, {rows} rows of {cols} as it states, but got {data.size} of them: "
            "look which of the two is right, and mend the other"
        )
    return data.reshape(rows, cols)


def _verify_finite(data: FloatArray, value: Any, what: str) -> None:
    if not (np.abs(data) < LARGEST).all():
        raise LensError(in_short(f"expected finite numbers for {what} but got {value!r}"))


def _camera_matrix(value: Any) -> FloatArray:
    """The (3, 3) matrix of a camera, pixels; refused where its last row is not 0, 0, 1."""
    K = _matrix(value, "k")
    if K.shape == (3, 3) and not np.allclose(K[2], [0.0, 0.0, 1.0], rtol=0.0, atol=1e-6):
        raise LensError(
            f"expected a 3x3 camera matrix whose last row is 0, 0, 1 but got "
            f"{', '.join(f'{v:g}' for v in K[2])}: write it as fx, 0, cx; 0, fy, cy; 0, 0, 1"
        )
    return K


def _coefficients(value: Any) -> FloatArray:
    """The distortion's numbers; those of longer models where all after the fifth are zero.

    None at all, as ROS has them of a lens whose bend nobody measured, are five zeros.
    """
    dist = _matrix(value, "dist").ravel()
    if not dist.size:
        return np.zeros(5)
    if dist.size in (8, 12, 14):
        if dist[5:].any():
            raise LensError(
                f"expected OpenCV's 5 distortion coefficients [k1, k2, p1, p2, k3] but got {dist.size}, and "
                f"those after the fifth are not zero: {_WHAT_TO_DO}"
            )
        return dist[:5]
    return dist


def _first(data: dict[str, Any], *names: str) -> Any:
    return next((data[n] for n in names if data.get(n) is not None), None)


def _fields(data: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Every field that is no group, by its name, also those of groups within groups."""
    groups = [data]
    while groups:
        for name, value in groups.pop().items():
            if isinstance(value, dict):
                groups.append(value)
            else:
                yield str(name), value


def _verify_pinhole(data: dict[str, Any], where: str) -> None:
    """Raises `LensError` for a lens of another model than ours, by whatever field says so."""
    model = data.get("distortion_model", "plumb_bob")
    said = [f"the distortion model is {model!r}"] if str(model or "").lower() not in _MODELS else []
    for name, value in _fields(data):
        told = isinstance(value, str) and _SAYS_MODEL.search(name) and name != "distortion_model"
        if (told and _FISHEYE.search(value.replace("_", " "))) or (
            re.search("fish|omnidir", name, re.I) and str(value).strip().lower() not in _NO
        ):
            said.append(f"its {name} is {value!r}")
    said += ["it has xi, as an omnidirectional lens"] if data.get("xi") is not None else []
    if said:
        raise LensError(
            f"{where}: expected a pinhole lens with OpenCV's 5 coefficients (plumb_bob) but "
            f"{in_short(' and '.join(said), 200)}: {_WHAT_TO_DO}"
        )


def lens_from_dict(data: Any, where: str) -> Lens:
    """A lens from a parsed JSON, YAML, XML or TOML object.

    Understands `size_px`, `k`, `dist` (ours), `K`, `dist_k1k2p1p2k3`, OpenCV's `camera_matrix`,
    `distortion_coefficients`, `image_width`, `image_height`, and ROS's camera_info message (`width`,
    `height`, `D`, `K`), with matrices as nested lists or {rows, cols, data}; capitals do not matter.
    `covariance` may give the (9, 9) of `PARAMETERS`, or `sd` their nine deviations; without either the usual
    ones are taken.
    """
    if not isinstance(data, dict):
        came = "nothing" if data is None else "a list" if isinstance(data, list) else "text or a number alone"
        raise LensError(f"{where}: expected the fields size_px, k and dist of {KNOWN_FILES} but got {came}")
    holds = ", ".join(map(str, data)) or "nothing"
    data = {str(name).lower(): value for name, value in data.items()}
    _verify_pinhole(data, where)
    K, dist = _first(data, *_MATRIX_NAMES), _first(data, *_BEND_NAMES)
    size = _first(data, "size_px", "size", "image_size", "resolution")
    if isinstance(size, dict):
        size, data = None, data | {"image": size}
    for sides, wide, high in (
        (data.get("image", {}), "width", "height"),
        (data, "image_width", "image_height"),
        (data, "width", "height"),
    ):
        if size is None and isinstance(sides, dict) and wide in sides and high in sides:
            size = [sides[wide], sides[high]]
    missing = [n for n, v in (("k", K), ("dist", dist), ("size_px", size)) if v is None]
    if missing or size is None:
        raise LensError(
            f"{where}: a lens needs size_px (or image_width and image_height), k (camera_matrix) and dist "
            f"(distortion_coefficients); missing: {', '.join(missing)}. This file holds {holds[:200]}"
            f"{_WITHOUT_SIZE if missing == ['size_px'] else ''}"
        )
    try:
        width, height = (int(v) for v in size)
    except (TypeError, ValueError, OverflowError) as error:
        raise LensError(in_short(f"{where}: expected size_px = [width, height] but got {size!r}")) from error
    origin: Origin = "board" if data.get("origin") == "board" else "file"
    try:
        covariance = _stated_covariance(data)
        known = _known() if covariance is None else covariance
        lens = Lens((width, height), _camera_matrix(K), _coefficients(dist), origin, known)
        return lens if covariance is not None else replace(lens, covariance=usual_covariance(lens))
    except (LensError, OverflowError) as error:
        raise LensError(in_short(f"{where}: {error}")) from error


def _stated_covariance(data: dict[str, Any]) -> FloatArray | None:
    """The `covariance`, or the nine deviations `sd`, of a lens file; None where it states neither."""
    if "covariance" in data:
        return _matrix(data["covariance"], "covariance")
    if "sd" not in data:
        return None
    sd = _matrix(data["sd"], "sd").ravel()
    if sd.size != len(PARAMETERS):
        raise LensError(f"expected sd to be the deviations of {', '.join(PARAMETERS)}")
    return np.diag(sd**2)


def load_lens(path: Path) -> Lens:
    """A lens from a JSON, YAML or XML file, also as OpenCV's FileStorage writes them."""
    return lens_from_dict(parsed_lens_file(path), str(path))


def parsed_lens_file(path: Path) -> Any:
    """What a lens file holds, of any form; of several YAML documents the first that is not empty.

    Raises `LensError` in one line. A device or a pipe, which need not end, is no lens file.
    """
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise LensError(f"cannot read the lens file {path}: it is no file")
        text = text_of(path, MOST_LETTERS)
    except (OSError, ValueError) as error:
        raise LensError(f"cannot read the lens file {path}: {error}") from error
    if len(text) > MOST_LETTERS:
        raise LensError(f"the lens file {path} has more than {MOST_LETTERS:,} letters: no lens takes so many")
    if "<!DOCTYPE" in text:
        raise LensError(f"the lens file {path} defines names of its own, which no lens needs")
    form = "xml" if text.lstrip().startswith("<") else path.suffix.lower().lstrip(".")
    try:
        if form == "json":
            return json.loads(text)
        if form == "xml":
            return _xml(ElementTree.fromstring(text))
        # OpenCV's dialect: a directive line that is none of YAML's, and tagged matrices.
        return _plain_yaml(re.sub(r"^%YAML.*$", "", text, flags=re.MULTILINE).replace("!!opencv-matrix", ""))
    except _UNREADABLE as error:
        said = " ".join(str(error).split()) if text.strip() else "it is empty"
        form = form.upper() if form in ("json", "xml") else "YAML"
        raise LensError(
            in_short(f"{path}: expected {KNOWN_FILES} but it is not valid {form}: {said}")
        ) from error


def _plain_yaml(text: str) -> Any:
    """The first document of a YAML text that is not empty, if it is no more than a lens.

    It is not deep, and not more than it looks by its aliases.
    Its events are gone through first, in a time that goes by its length; what an alias stands for counts.
    """
    counts, anchors, sizes = [0], [""], dict[str, int]()
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.CollectionStartEvent):
            counts.append(0)
            anchors.append(event.anchor or "")
        elif isinstance(event, yaml.CollectionEndEvent):
            size = counts.pop() + 1
            sizes[anchors.pop()] = size
            counts[-1] += size
        elif isinstance(event, yaml.AliasEvent):
            # What is not whole yet holds itself.
            counts[-1] += 1 if event.anchor not in anchors else MOST_VALUES + 1
            counts[-1] += sizes.get(event.anchor or "", 0)
        elif isinstance(event, yaml.ScalarEvent):
            counts[-1] += 1
            if len(event.value) > LONGEST_VALUE:
                raise ValueError(f"expected values of at most {LONGEST_VALUE:,} letters")
        if len(counts) > MOST_LEVELS:
            raise ValueError(f"expected at most {MOST_LEVELS} lists in one another")
        if counts[-1] > MOST_VALUES:
            raise ValueError(f"expected at most {MOST_VALUES:,} values, aliases written out")
    return next((one for one in yaml.load_all(text, Loader=_LOADER) if one is not None), None)


_UNREADABLE = (
    yaml.YAMLError,
    ElementTree.ParseError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    RecursionError,
)
"""What is well-formed YAML and no value (a 13th month) fails in ways of Python's own."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The same in C, where the wheel has it: a twentieth of the time."""


def _xml(node: ElementTree.Element) -> Any:
    """An element of OpenCV's XML: a matrix, a group by its names, numbers, or words."""
    if node.get("type_id") == "opencv-matrix":
        found = {part.tag: (part.text or "").split() for part in node}
        return {
            "rows": int("".join(found.get("rows", ["1"]))),
            "cols": int("".join(found.get("cols", ["1"]))),
            "data": [float(v) for v in found.get("data", [])],
        }
    if len(node):
        return {part.tag: _xml(part) for part in node}
    words = (node.text or "").split()
    try:
        numbers = [float(v) for v in words]
    except ValueError:
        return " ".join(words).strip('"')
    return numbers[0] if len(numbers) == 1 else numbers


def lens_to_dict(lens: Lens) -> dict[str, Any]:
    """The lens as our JSON form; `lens_from_dict` reads it back exactly."""
    return {
        "size_px": list(lens.size),
        "k": lens.K.tolist(),
        "dist": lens.dist.tolist(),
        "origin": lens.origin,
        "covariance": lens.covariance.tolist(),
    }
