"""How the options for a webcam are read."""

from __future__ import annotations

import pytest

from server.setup.cameras.camera_wish import WishError, control_of, size_of, wish_of
from vision.source import CameraWish


def test_the_options_together() -> None:
    assert wish_of("1280x720", 60.0, "lock", "-6") == CameraWish((1280, 720), 60.0, "lock", -6.0)
    assert wish_of("own", None, "Auto", "auto") == CameraWish(None, None)


@pytest.mark.parametrize("text", ["", "1920", "1920x", "x1080", "axb", "1920x1080x3", "-1x10"])
def test_a_size_that_is_none(text: str) -> None:
    with pytest.raises(WishError, match="expected a size such as 1920x1080"):
        size_of(text)


@pytest.mark.parametrize("text", ["", "locked", "nan", "inf", "1,5"])
def test_a_control_that_is_none(text: str) -> None:
    with pytest.raises(WishError, match="expected auto, lock or a number for focus"):
        control_of(text, "focus")
