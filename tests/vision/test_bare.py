from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.bare import remember_cloth
from vision.frame import Frame


@pytest.mark.parametrize("far", [1e9, np.inf, np.nan])
def test_an_outline_of_a_table_with_wrong_numbers_is_not_drawn(
    far: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A polygon a thousand million pixels wide took half a minute to draw."""
    frame = Frame(np.full((60, 80, 3), 120, np.uint8), 0.0, 0)
    outline = np.array([(-far, -far), (far, -far), (far, far), (-far, far)])
    monkeypatch.setattr(cv2, "fillPoly", lambda *_: pytest.fail("it is drawn"))
    assert remember_cloth(frame, outline, 4.0) is None
