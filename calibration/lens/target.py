"""Which calibration board is that, and where are its corners in the picture.

The board's frame has its origin at a corner of the board, x along its columns and y along its
rows, inches; only the ratio of sizes matters to a lens. Pixels are OpenCV's: (0, 0) is the centre
of the top-left pixel. OpenCV 5 reports ChArUco corners without the half pixel that 4.x added
(a test holds the installed version to it).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.fiducials import dictionary_of
from calibration.jpeg import decode
from engine.errors import TableRefError
from engine.space.geometry import FloatArray

Grey = NDArray[np.uint8]

PICTURES = (".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp")

# A marker agrees with its place on the board if it lies within this share of its side of where
# the view's homography puts it: well above what a lens bends, well below a square's step.
AGREES = 0.15

# So many fours of corners are drawn: of a view of which half agrees one misses in 400,000.
DRAWS = 200

# Nobody prints a board of more squares each way.
MOST_SQUARES = 40

# The half width of the window in which a ChArUco corner is found again, pixels.
POLISH_PX = (2, 12)

# What to look for where the expected board is not seen; the small dictionaries are the first ids
# of the large ones.
OTHER_DICTIONARIES = (*(f"DICT_{n}X{n}_1000" for n in (4, 5, 6, 7)), "DICT_ARUCO_ORIGINAL", "tag36h11")

# The families of which Kalibr's AprilGrids are printed.
GRID_FAMILIES = ("tag36h11", "tag25h9", "tag16h5")


class TargetError(TableRefError):
    """Pictures that show no board, or another one than was stated."""


@dataclass(frozen=True, slots=True)
class Target:
    """What was printed.

    `squares` counts columns and rows of squares, for a chessboard too (one more each way than its
    inner corners). `square` and `marker` are sides in inches. `legacy` is the ChArUco pattern that
    OpenCV drew before 4.6, which differs where the number of rows is even.
    """

    kind: Literal["charuco", "chessboard"] = "charuco"
    squares: tuple[int, int] = (5, 7)
    square: float = 33 / 25.4
    marker: float = 24 / 25.4
    dictionary: str = "DICT_5X5_100"
    legacy: bool = False

    def __post_init__(self) -> None:
        if not 3 <= min(self.squares) <= max(self.squares) <= MOST_SQUARES or not self.square > 0:
            raise TargetError(
                f"expected a board of 3x3 to {MOST_SQUARES}x{MOST_SQUARES} squares but got {self.words}"
            )
        if self.kind == "chessboard" and min(self.squares) < 4:
            raise TargetError(
                f"a chessboard of fewer than 4x4 squares cannot be found in a picture, but got {self.words}"
            )
        if self.kind == "charuco" and not 0 < self.marker < self.square:
            raise TargetError(
                f"a ChArUco marker must be smaller than its square but got {self.marker:.3f} "
                f"and {self.square:.3f} inches"
            )
        if self.kind == "charuco" and self._markers > (
            known := len(dictionary_of(self.dictionary).bytesList)
        ):
            raise TargetError(
                f"a {self.words} has {self._markers} markers and the dictionary only {known}: choose fewer "
                "squares or a larger dictionary"
            )

    @property
    def _markers(self) -> int:
        return self.squares[0] * self.squares[1] // 2

    @property
    def words(self) -> str:
        """The board as people name it."""
        columns, rows = self.squares
        if self.kind == "chessboard":
            return f"chessboard of {columns}x{rows} squares ({columns - 1}x{rows - 1} inner corners)"
        older = ", older pattern" if self.legacy else ""
        return f"ChArUco board of {columns}x{rows} squares with {self.dictionary}{older}"

    @property
    def corners(self) -> FloatArray:
        """All inner corners in the board's frame, row by row, shape (n, 2), inches."""
        columns, rows = self.squares
        grid = np.stack(np.meshgrid(np.arange(1, columns), np.arange(1, rows)), axis=-1)
        return np.asarray(grid.reshape(-1, 2) * self.square, dtype=np.float64)

    def charuco(self) -> cv2.aruco.CharucoBoard:
        """OpenCV's object of the same board."""
        board = cv2.aruco.CharucoBoard(self.squares, self.square, self.marker, dictionary_of(self.dictionary))
        board.setLegacyPattern(self.legacy)
        return board


@dataclass(frozen=True, eq=False)
class TargetView:
    """The board's corners in one picture: `on_board` (n, 2) inches, `in_image` (n, 2) pixels.

    `size` is the picture's width and height in pixels.
    """

    name: str
    size: tuple[int, int]
    on_board: FloatArray
    in_image: FloatArray


def look(image: Grey, board: Target, name: str = "") -> TargetView | None:
    """The board's corners in a grey picture (h, w), or None where fewer than four are seen."""
    size = (image.shape[1], image.shape[0])
    if board.kind == "chessboard":
        inner = (board.squares[0] - 1, board.squares[1] - 1)
        flags = cv2.CALIB_CB_EXHAUSTIVE | cv2.CALIB_CB_ACCURACY
        found, corners = cv2.findChessboardCornersSB(image, inner, flags=flags)
        if not found:
            return None
        return TargetView(name, size, board.corners, np.asarray(corners, dtype=np.float64).reshape(-1, 2))
    corners, ids, _, _ = cv2.aruco.CharucoDetector(board.charuco()).detectBoard(image)
    if ids is None or len(ids) < 4:
        return None
    on_board = board.corners[np.asarray(ids).ravel()]
    in_image = np.asarray(corners, dtype=np.float64).reshape(-1, 2)
    return TargetView(name, size, on_board, _polish(image, board, on_board, in_image))


def _polish(image: Grey, board: Target, on_board: FloatArray, in_image: FloatArray) -> FloatArray:
    """ChArUco corners (n, 2) found again in windows that keep clear of the markers.

    OpenCV's own windows reach into the markers beside a corner where the white between them is
    narrow, which moves corners by up to 0.3 px.
    """
    apart = np.linalg.norm(on_board[:, None] - on_board[None], axis=2)
    pixels = np.linalg.norm(in_image[:, None] - in_image[None], axis=2)
    beside = (apart > 0) & (apart < 1.1 * board.square)
    per_inch = np.where(beside, pixels / np.where(beside, apart, 1.0), np.inf).min(axis=1)
    white = per_inch * (board.square - board.marker) / 2
    alone = ~np.isfinite(white)
    windows = np.clip(0.7 * np.where(alone, 0.0, white), *POLISH_PX).astype(int)
    polished = in_image.astype(np.float32)
    criteria = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 40, 1e-3)
    for half in np.unique(windows[~alone]).tolist():
        these = (windows == half) & ~alone
        start = polished[these].reshape(-1, 1, 2).copy()
        polished[these] = cv2.cornerSubPix(image, start, (half, half), (-1, -1), criteria).reshape(-1, 2)
    return polished.astype(np.float64)


def read_grey(path: Path) -> Grey:
    """A picture file in grey; paths with any letters, on any system."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise TargetError(f"cannot read the picture {path}: {error}") from error
    # A phone's "this side up" mark is ignored: the lens belongs to the sensor's pixels.
    picture = decode(data, "GRAY")
    if picture is None:
        raise TargetError(f"{path} is not a picture that can be read")
    return picture.pixels


def pictures_in(folder: Path) -> list[Path]:
    """The picture files of a folder, by name."""
    if not folder.is_dir():
        raise TargetError(f"expected a folder of pictures of the board but {folder} is none")
    paths = sorted(p for p in folder.iterdir() if p.suffix.lower() in PICTURES)
    if not paths:
        raise TargetError(f"{folder} holds no pictures ({', '.join(PICTURES)})")
    return paths


def recognise(images: Sequence[Grey], board: Target) -> Target:
    """The stated board, with `legacy` set as the pictures have it.

    Raises `TargetError` that says what the pictures show instead, if they show another board.
    """
    if board.kind == "chessboard":
        if any(look(image, board) is not None for image in images):
            return board
        raise TargetError(f"no picture shows the whole {board.words}; {_seen_instead(images)}")
    seen = [_markers(image, board.dictionary) for image in images]
    if not any(seen):
        raise TargetError(f"no picture shows a marker of the {board.words}; {_seen_instead(images)}")
    candidates = (board, replace(board, legacy=not board.legacy))
    agreement = [_agreement(seen, candidate) for candidate in candidates]
    best = int(np.argmax(agreement))
    if agreement[best] > 0.7:
        return board if agreement[0] == agreement[1] else candidates[best]
    other = _fitting_squares(seen, board)
    instead = f"they fit a {other.words}" if other else "print the board anew or state its squares"
    raise TargetError(
        f"the pictures show markers of {board.dictionary}, but not laid out as on the "
        f"{board.words}; {instead}"
    )


Markers = dict[int, FloatArray]


def _markers(image: Grey, dictionary: str, border: int = 1) -> Markers:
    """Marker corners by id, (4, 2) pixels each; `border` modules of black are round them."""
    parameters = cv2.aruco.DetectorParameters()
    parameters.markerBorderBits = border
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary_of(dictionary), parameters).detectMarkers(image)
    if not len(corners):
        return {}
    pairs = zip(np.asarray(ids).ravel(), corners, strict=True)
    return {int(i): np.asarray(c, dtype=np.float64).reshape(4, 2) for i, c in pairs}


def _is_april_grid(markers: Markers) -> bool:
    """Whether markers stand in rows, one beside the other; on a ChArUco board the nearest ones lie across."""
    if len(markers) < 6:
        return False
    corners = np.array(list(markers.values()))
    middles = corners.mean(axis=1)
    apart = np.linalg.norm(middles[:, None] - middles[None], axis=2) + np.diag(np.full(len(middles), np.inf))
    straight = 0
    for one, other in enumerate(apart.argmin(axis=1)):
        sides = np.stack([corners[one, 1] - corners[one, 0], corners[one, 3] - corners[one, 0]], axis=1)
        along = np.abs(np.linalg.solve(sides, middles[other] - middles[one]))
        straight += along.min() < 0.4 * along.max() and along.max() < 2.0
    return straight > 0.8 * len(middles)


def _agreement(seen: Sequence[Markers], board: Target) -> float:
    """The share of markers that lie where the board has them, over views with four or more."""
    opencv = board.charuco()
    ids = np.asarray(opencv.getIds()).ravel()
    places = {int(i): np.asarray(p)[:, :2] for i, p in zip(ids, opencv.getObjPoints(), strict=True)}
    views = [markers for markers in seen if len(markers) >= 4]
    total = sum(len(markers) for markers in views)
    return sum(_agreeing(markers, places) for markers in views) / total if total else 0.0


def _agreeing(markers: Markers, places: Markers) -> int:
    """How many of one view's markers lie where one homography of their places puts them."""
    known = [i for i in markers if i in places]
    if len(known) < 4:
        return 0
    image = np.array([markers[i] for i in known])
    plane = np.array([places[i] for i in known], dtype=np.float64)
    limit = AGREES * float(np.median(np.linalg.norm(image[:, 0] - image[:, 1], axis=1)))
    # Where more than half agree, so many draws find it; where nothing does, more would only take longer.
    found = cv2.findHomography(plane.reshape(-1, 2), image.reshape(-1, 2), cv2.RANSAC, limit, maxIters=DRAWS)[
        0
    ]
    homography = np.asarray(found)
    if homography.shape != (3, 3):
        return 0
    moved = cv2.perspectiveTransform(plane.reshape(1, -1, 2), homography)[0].reshape(-1, 4, 2)
    return int((np.linalg.norm(moved - image, axis=2).max(axis=1) < limit).sum())


def _fitting_squares(seen: Sequence[Markers], board: Target) -> Target | None:
    """The board of the same dictionary whose layout the pictures have, if there is one."""
    highest = max((max(m) for m in seen if m), default=0)
    fullest = sorted(seen, key=len)[-2:]
    most = len(dictionary_of(board.dictionary).bytesList)
    best: tuple[float, Target] | None = None
    for columns in range(3, 17):
        for rows in range(3, 17):
            if not highest < columns * rows // 2 <= min(highest + max(columns, rows) + 1, most):
                continue
            for legacy in (False, True):
                if legacy and rows % 2:
                    continue
                candidate = replace(board, squares=(columns, rows), legacy=legacy)
                score = _agreement(fullest, candidate)
                if score > 0.9 and (best is None or score > best[0]):
                    best = (score, candidate)
    return best[1] if best else None


def _seen_instead(images: Sequence[Grey]) -> str:
    """What a few of the pictures show in place of the stated board, in words."""
    probe = images[:: max(1, len(images) // 4)][:4]
    if any(
        _is_april_grid(_markers(image, family, border))
        for family in GRID_FAMILIES
        for image in probe
        for border in (2, 1)
    ):
        return (
            "they show an AprilGrid, which is not read here: print a board with `tableref print target`, "
            "or calibrate with Kalibr and name its camchain as the lens"
        )
    for name in OTHER_DICTIONARIES:
        ids = [i for image in probe for i in _markers(image, name)]
        if len(ids) >= 4 * len(probe):
            smallest = next((c for c in (50, 100, 250) if max(ids) < c), 1000)
            stated = name.replace("1000", str(smallest))
            return f"they show markers of {stated}: state a ChArUco board of that dictionary"
    flags = cv2.CALIB_CB_EXHAUSTIVE | cv2.CALIB_CB_LARGER
    for image in probe:
        found, _, meta = cv2.findChessboardCornersSBWithMeta(image, (3, 3), flags)
        if found:
            rows, columns = np.asarray(meta).shape[:2]
            inner = f"{columns}x{rows} inner corners"
            return f"they show a chessboard with {inner} ({columns + 1}x{rows + 1} squares)"
    return "no board is seen at all: bring it closer, light it evenly, hold it still"
