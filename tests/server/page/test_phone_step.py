"""A phone as the camera, chosen on the set-up page in a real Chromium."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from tests.server.firsttime import first_time
from tests.server.page.evenings import WIDTHS


def test_alone_it_says_how_phones_may_join(tmp_path: Path, browser: Browser) -> None:
    with first_time(tmp_path / "tables") as first:
        page = browser.new_context().new_page()
        page.goto(f"{first.server.address}setup")
        page.get_by_role("button", name="A phone's browser").click()
        expect(page.locator("#phone")).to_contain_text("Start tableref with --lan")


@pytest.mark.parametrize("width", WIDTHS)
def test_in_a_network_its_link_is_a_square_to_scan(tmp_path: Path, browser: Browser, width: int) -> None:
    with first_time(tmp_path / "tables", host="0.0.0.0") as first:
        page = browser.new_context(viewport={"width": width, "height": 800}).new_page()
        page.goto(f"http://127.0.0.1:{urlsplit(first.server.address).port}/setup")
        page.get_by_role("button", name="A phone's browser").click()
        square = page.get_by_role("img", name="Square to scan")
        expect(square).to_be_visible()
        expect(page.locator("#phone")).to_contain_text("--lan --tls")
        expect(square).to_have_js_property("complete", True)
        # What a phone would see: the link by which a device becomes the camera.
        shot = cv2.imdecode(np.frombuffer(square.screenshot(scale="css"), np.uint8), cv2.IMREAD_COLOR)
        # OpenCV's other reader misses two in a hundred squares, and every link is another one.
        read, _, _ = cv2.QRCodeDetectorAruco().detectAndDecode(cv2.resize(shot, None, fx=3, fy=3))
        links = page.request.get(page.url.replace("/setup", "/api/links")).json()["links"]
        assert read == next(one["link"] for one in links if one["role"] == "camera")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
