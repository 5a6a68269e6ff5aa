"""A thing's height by a photograph from the side, tapped on the page, in a real Chromium."""

from __future__ import annotations

from pathlib import Path

import cv2
import httpx
import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from tests.server.fakes import PATIENCE
from tests.server.page.evenings import fits, photograph
from tests.server.page.test_notices import SIZES, TRAY, things_asked_about
from tests.side_photo import camera_at, nearest, photographed
from vision.frame import Image

HIGH = 1.8


def jpeg(image: Image) -> bytes:
    return cv2.imencode(".jpg", image, (cv2.IMWRITE_JPEG_QUALITY, 92))[1].tobytes()


@pytest.mark.parametrize("size", SIZES)
def test_a_things_height_is_told_by_a_tap_in_a_photograph_from_the_side(
    tmp_path: Path, browser: Browser, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    with things_asked_about(tmp_path, browser, size, monkeypatch) as (first, page, source, kept):
        box, outline = page.locator("#things"), np.array(TRAY)
        source.lay({"Box": TRAY})
        source.move("Red 1", source.poses()["Red 1"])
        expect(box).to_contain_text("Thing 1 lies there", timeout=PATIENCE * 1000)
        box.get_by_role("button", name="Thing 1: Terrain").click()
        file = box.get_by_label("Photograph of Thing 1 from the side")
        sent = {"name": "photo.jpg", "mimeType": "image/jpeg"}
        # No picture; a picture without the table; then one held upright, from low down.
        file.set_input_files({**sent, "buffer": jpeg(np.full((600, 800, 3), 90, np.uint8))})
        expect(page.get_by_text("the table is not found in the photograph")).to_be_visible()
        camera = camera_at((24.0, -22.0, 13.0), np.array([24.0, 14.0]), (1350, 1800))
        file.set_input_files({**sent, "buffer": jpeg(photographed(source.scene, camera, outline, HIGH))})
        seen = box.get_by_role("group", name="Thing 1 in the photograph")
        expect(seen).to_be_visible()
        x, y, width, high = map(float, (seen.get_attribute("viewBox") or "").split())
        top = camera.project(np.array([[*nearest(outline, camera), HIGH]]))[0]
        shown = seen.bounding_box()
        assert shown
        scale = min(shown["width"] / width, shown["height"] / high)
        at = {
            "x": shown["width"] / 2 + (top[0] - x - width / 2) * scale,
            "y": shown["height"] / 2 + (top[1] - y - high / 2) * scale,
        }
        seen.click(position=at)
        expect(box).to_contain_text("in high (±")
        field = box.get_by_label("Height of Thing 1, in")
        told = float(field.input_value())
        expect(box).to_contain_text("its height is the photograph's")
        box.scroll_into_view_if_needed()
        fits(page)
        photograph(page, f"side-look-{size[0]}")
        # What is typed is said; what is tapped anew is seen again.
        field.fill("3")
        expect(box).to_contain_text("its height is what you say")
        box.get_by_role("button", name="Top of Thing 1").press("ArrowUp")
        expect(box).to_contain_text("its height is the photograph's")
        box.get_by_role("button", name="Keep Thing 1").click()
        expect(box).to_be_hidden()
        address = f"{first.server.address}api/things/look"
        assert httpx.post(f"{address}/top", json={"name": "Box", "x": 1, "y": 1}).status_code == 409
        assert httpx.post(f"{address}?name=Box", content=bytes(5 << 20)).status_code == 413
        # Moved, it is as high as the photograph showed it: nobody has said that.
        source.lay({"Box": [(x - 7.0, y) for x, y in TRAY]})
        source.move("Red 1", source.poses()["Red 1"])
        box.get_by_role("button", name="It is Rock 1, moved").click(timeout=PATIENCE * 1000)
        expect(box).to_be_hidden()
    first_kept, moved = (entry.data for entry in kept)
    assert (first_kept["said"], moved["said"]) == (["piece"], ["piece"])
    assert "A photograph shows it" in kept[0].words
    high, sd = first_kept["height_in"], first_kept["height_sd_in"]
    assert (moved["height_in"], moved["height_sd_in"]) == (high, sd)
    assert abs(high - HIGH) < 1.96 * sd < 0.5
    assert abs(told - HIGH) < 1.96 * sd
