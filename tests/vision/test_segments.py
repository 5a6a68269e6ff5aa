"""A thing is cut out of its picture by the mean colours of its parts."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.segments import cut, parts

CLOTH, TOP, SHADE = (110.0, 150.0, 185.0), (60.0, 70.0, 190.0), 0.45


@pytest.mark.parametrize("side", [True, False], ids=["its-dark-side", "its-shadow"])
def test_a_dark_side_belongs_to_a_thing_and_a_shadow_as_grainy_as_that_does_not(side: bool) -> None:
    rng = np.random.default_rng(3)
    picture = np.tile(np.array(CLOTH), (120, 120, 1))
    picture[30:70, 30:80] = TOP
    # Below it lies what is as dark as a shadow: of the thing's colour, a little, or of the cloth's.
    picture[70:90, 30:80] = np.array(CLOTH) * SHADE + (np.array([-7.0, -5.0, 9.0]) if side else 0.0)
    grainy = picture + rng.normal(0, 4, picture.shape)
    crop = np.asarray(cv2.GaussianBlur(np.clip(grainy, 0, 255).astype(np.uint8), (0, 0), 0.8), np.uint8)
    one = np.array([[CLOTH, np.array(CLOTH) * SHADE]], np.uint8)
    (lit, dim), *_ = cv2.cvtColor(one, cv2.COLOR_BGR2LAB).astype(np.float64)
    cloth = np.full((120, 120, 3), lit, np.float32)
    dimmed = (dim[0] + 41.0) / (lit[0] + 41.0)
    a, b = (dim - 128.0 - (lit - 128.0) * dimmed)[1:]
    bare, core, never = (np.zeros((120, 120), np.uint8) for _ in range(3))
    bare[:20], core[35:65, 35:75], never[:10] = 1, 1, 1
    never[-10:] = 1
    found = cut(
        *parts(crop, cloth, np.empty((0, 3)), bare, (dim[0] / lit[0], a, b), core, never), core, never
    )
    assert found[33:67, 33:77].mean() > 0.95
    below = found[75:86, 35:75].mean()
    assert below > 0.9 if side else below < 0.1
    found[26:94, 26:84] = 0
    assert not found.any()
