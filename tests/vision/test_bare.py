from __future__ import annotations

import time

import numpy as np
import pytest

from vision.bare import remember_cloth
from vision.frame import Frame


@pytest.mark.parametrize("far", [1e9, np.inf, np.nan])
def test_an_outline_of_a_table_with_wrong_numbers_is_not_drawn(far: float) -> None:
    """A polygon a thousand million pixels wide took half a minute to draw."""
    frame = Frame(np.full((60, 80, 3), 120, np.uint8), 0.0, 0)
    outline = np.array([(-far, -far), (far, -far), (far, far), (-far, far)])
    began = time.perf_counter()
    assert remember_cloth(frame, outline, 4.0) is None
    assert time.perf_counter() - began < 1.0
