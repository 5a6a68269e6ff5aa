"""The calibration of every moment is in the record, as it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import astuple, replace

import numpy as np
import pytest

from calibration.lens.model import usual_covariance
from calibration.surface import CornerTag, Surface
from calibration.watching.keeper import SurfaceKeeper
from server.recording.calibrations import CalibrationWatch, pack_surface, unpack_surface
from tests.calibration.test_surface import LENS, camera, seen_by, tags

STATED = [replace(c, sd=0.005) for c in tags()]
FRAMES = 60


def zoomed(share: float) -> Surface:
    K = LENS.K.copy()
    K[0, 0], K[1, 1] = K[0, 0] * (1 + share), K[1, 1] * (1 + share)
    return camera(replace(LENS, K=K))


MOTIONS: dict[str, Callable[[int], Surface]] = {
    "hangs still": lambda k: camera(),
    "is bumped": lambda k: camera(roll=1.0 + 0.01 * (k >= FRAMES // 2)),
    "refocuses by half a percent": lambda k: zoomed(0.005 * (k >= FRAMES // 2)),
    "drifts": lambda k: camera(roll=1.0 + 2e-4 * k),
}


def told(misfit: tuple[CornerTag, float]) -> tuple[object, ...]:
    return (*astuple(misfit[0]), misfit[1])


def same(one: Surface, other: Surface) -> bool:
    """Whether a ruling would come out the same by both, to the last digit, with the same evidence."""
    return (
        all(
            np.array_equal(getattr(one, name), getattr(other, name))
            for name in ("rotation", "translation", "covariance")
        )
        and all(
            np.array_equal(getattr(one.lens, name), getattr(other.lens, name))
            for name in ("K", "dist", "covariance")
        )
        and (one.residual, one.lift) == (other.residual, other.lift)
        and list(map(told, one.misfits)) == list(map(told, other.misfits))
    )


@pytest.mark.parametrize("motion", MOTIONS)
def test_what_is_kept_is_what_was_in_force_at_every_frame(motion: str) -> None:
    keeper = SurfaceKeeper(replace(LENS, covariance=usual_covariance(LENS)), corners=STATED)
    watch, kept, moved = CalibrationWatch(), None, 0
    for k in range(FRAMES):
        moved += keeper.update(k / 30, seen_by(MOTIONS[motion](k), STATED, 0.05, seed=k))
        surface = keeper.surface
        assert surface is not None
        found = watch.look(k / 30, surface)
        kept = kept if found is None else unpack_surface(found.data)
        assert kept is not None
        assert same(kept, surface), k
    assert (moved > 0) == (motion != "hangs still")


def test_a_calibration_of_an_older_record_comes_back_without_its_corner_tags() -> None:
    keeper = SurfaceKeeper(LENS, corners=STATED)
    keeper.update(0.0, seen_by(camera(), STATED, 0.05))
    assert keeper.surface is not None
    data = json.loads(pack_surface(keeper.surface))
    del data["corners"]
    back = unpack_surface(json.dumps(data))
    assert back.misfits == ()
    assert np.array_equal(back.rotation, keeper.surface.rotation)
