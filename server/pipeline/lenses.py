"""Lenses kept on this computer: one for each camera and resolution, found again without being named."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from platformdirs import user_data_path

from calibration.lens.files import lens_path, saved_lens, write_lens
from calibration.lens.model import Lens
from vision.source import SourceRequest, parse_source
from vision.sources.devices import name_webcams

LensFinder = Callable[[tuple[int, int]], Lens | None]


def lenses_folder() -> Path:
    """Where they are kept on this computer."""
    return user_data_path("tableref", appauthor=False) / "lenses"


def camera_of(asked: SourceRequest) -> str:
    """Under which name a source's lens is kept: a webcam's own, which stays when its number changes."""
    if asked.kind != "webcam":
        return asked.name
    names = {device.index: device.name for device in name_webcams() or ()}
    return names.get(int(asked.what), f"Camera {asked.what}")


def keep_lens(lens: Lens, camera: str) -> Path:
    """Keeps the lens of a camera for its resolution, in place of an older one; where it is now."""
    path = lens_path(lenses_folder(), camera, lens.size)
    write_lens(lens, path, camera=camera)
    return path


def kept_lens(camera: str, size: tuple[int, int]) -> Lens | None:
    """The lens kept for this camera at this resolution in pixels, None if there is none.

    Raises `LensError` if what is kept there belongs to another camera or resolution.
    """
    return saved_lens(lenses_folder(), camera, size)


def lens_finder(spec: str) -> LensFinder:
    """Finds the lens kept for the camera of this source, by the size of its pictures."""
    return partial(kept_lens, camera_of(parse_source(spec)))
