"""A phone's browser as the camera."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from contextlib import contextmanager

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, expect
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from calibration.jpeg import decode_jpeg
from server.pipeline.runner import Runner
from server.serving.run import PageServer, listen
from server.setup.cameras.phone import HEADER, LONGEST_MESSAGE, MAX_PICTURE, PICTURES_A_SECOND, jpeg_size
from server.table.questions.rulings import Rulings
from tests.server.conftest import Served
from tests.server.fakes import HandMoved, KnowsAll, wait_until
from vision.source import PushedFrames


def jpeg(width: int = 640, height: int = 360) -> bytes:
    done, data = cv2.imencode(".jpg", np.full((height, width, 3), 120, np.uint8))
    assert done
    return bytes(data)


def claiming(width: int, height: int) -> bytes:
    """A small JPEG that claims another size."""
    data = bytearray(jpeg())
    at = data.index(b"\xff\xc0")
    data[at + 5 : at + 9] = struct.pack(">HH", height, width)
    return bytes(data)


@contextmanager
def phone_table() -> Iterator[PageServer]:
    live = Runner(PushedFrames(), KnowsAll(HandMoved()))
    with PageServer(live, Rulings.by_book(None), listen(port=0)) as server:
        yield server


@contextmanager
def phone(address: str) -> Iterator[ClientConnection]:
    with connect(address.replace("http", "ws") + "ws/camera") as connection:
        yield connection


def sent(connection: ClientConnection, picture: bytes, number: int = 1, age: int = 0) -> dict[str, object]:
    connection.send(struct.pack(">II", number, age) + picture)
    answer = json.loads(connection.recv(timeout=120))
    assert isinstance(answer, dict)
    return answer


class TestPictures:
    def test_arrive_and_are_judged(self) -> None:
        with phone_table() as server, phone(server.address) as one:
            answer = sent(one, jpeg(), number=7)
            assert (answer["type"], answer["number"], answer["good"]) == ("taken", 7, True)
            wait_until("a moment", lambda: server.live.moment is not None)
            moment = server.live.moment
            assert moment is not None
            assert moment.frame.size == (640, 360)
            assert sent(one, jpeg(), number=8)["words"] == "The table is found, with 6 cars on it."

    def test_are_as_old_as_the_phone_says(self) -> None:
        with phone_table() as server, phone(server.address) as one:
            sent(one, jpeg(), number=1)
            wait_until("the first", lambda: server.live.moment is not None)
            first = server.live.moment
            sent(one, jpeg(), number=2, age=60_000)
            wait_until("the second", lambda: server.live.moment is not first)
            second = server.live.moment
            assert first is not None
            assert second is not None
            # Time does not run backwards, whatever a phone claims.
            assert second.time >= first.time

    @pytest.mark.parametrize(
        "picture", [b"no picture", jpeg()[:-40], claiming(60_000, 60_000), claiming(0, 100), b"\xff\xd8\xff"]
    )
    def test_that_are_none_are_refused_and_the_next_is_taken(self, picture: bytes) -> None:
        with phone_table() as server, phone(server.address) as one:
            answer = sent(one, picture)
            assert answer["good"] is False
            assert "damaged or too large" in str(answer["words"])
            assert sent(one, jpeg())["good"] is True

    def test_that_are_too_long_end_the_connection(self) -> None:
        with phone_table() as server, phone(server.address) as one:
            assert closed_with(one, b"\0" * (HEADER.size + MAX_PICTURE + 1)) == 1009

    def test_that_are_far_too_long_are_cut_off_and_the_next_phone_is_served(self) -> None:
        with phone_table() as server:
            with phone(server.address) as one:
                closed_with(one, b"\0" * (LONGEST_MESSAGE + 1))

            def takes_another() -> bool:
                with phone(server.address) as another:
                    return sent(another, jpeg())["good"] is True

            wait_until("the next phone's turn", takes_another)

    def test_must_be_pictures(self) -> None:
        with phone_table() as server, phone(server.address) as one:
            assert closed_with(one, "hello") == 1003

    def test_that_flood_end_the_connection(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with phone_table() as server:
            # While the clock stands nothing more passes than is saved up: with the next the line is closed.
            # Nothing comes after that one, or the line would be cut before the code is heard.
            monkeypatch.setattr(server.live, "clock", lambda: 0.0)
            with phone(server.address) as one:
                assert closed_with(one, *[b"\0" * 9] * (2 * PICTURES_A_SECOND + 1)) == 1008


class TestTurns:
    def test_a_second_phone_waits_until_the_first_is_gone(self) -> None:
        with phone_table() as server:
            with phone(server.address) as first:
                sent(first, jpeg())
                with phone(server.address) as second:
                    assert "Another phone" in json.loads(second.recv(timeout=120))["words"]
                    assert closed_with(second) == 1013

            def free() -> bool:
                with phone(server.address) as third:
                    try:
                        return sent(third, jpeg())["good"] is True
                    except ConnectionClosed:
                        return False

            wait_until("its turn", free)

    def test_a_table_with_a_camera_of_its_own_says_so(self, served: Served) -> None:
        with phone(served.url) as one:
            assert "--source phone" in json.loads(one.recv(timeout=120))["words"]


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (jpeg(640, 360), (640, 360)),
        (claiming(9, 5), (9, 5)),
        (b"", None),
        (b"\xff\xd8", None),
        (b"GIF89a", None),
    ],
)
def test_the_size_is_read_from_the_head(data: bytes, size: tuple[int, int] | None) -> None:
    assert jpeg_size(data) == size


class TestCameraPage:
    def test_sends_what_the_camera_sees(self, browser: Browser) -> None:
        with phone_table() as server:
            context = browser.new_context(permissions=["camera"], viewport={"width": 390, "height": 844})
            page = context.new_page()
            page.goto(server.address + "camera")
            assert page.evaluate("document.documentElement.scrollWidth") <= 390
            page.click("#start")
            wait_until("pictures", lambda: server.live.snapshot.number > 5)
            moment = server.live.moment
            assert moment is not None
            assert moment.frame.image.std() > 5
            expect(page.locator("#words")).to_contain_text("The table is found, with 6 cars on it.")
            expect(page.locator("#rate")).to_contain_text("pictures a second")
            page.click("#stop")
            expect(page.locator("#words")).to_have_text("Stopped.")
            context.close()

    def test_sends_single_pictures_where_the_live_camera_is_not_given(self, browser: Browser) -> None:
        with phone_table() as server:
            context = browser.new_context()
            page = context.new_page()
            page.add_init_script("Object.defineProperty(navigator, 'mediaDevices', {value: undefined})")
            page.goto(server.address + "camera")
            expect(page.locator("#words")).to_contain_text("secure pages (https)")
            page.set_input_files(
                "#photo", {"name": "a.jpg", "mimeType": "image/jpeg", "buffer": jpeg(4000, 3000)}
            )
            wait_until("the picture", lambda: server.live.moment is not None)
            moment = server.live.moment
            assert moment is not None
            assert moment.frame.size == (1920, 1440)
            context.close()


def closed_with(connection: ClientConnection, *messages: str | bytes) -> int | None:
    """The code with which the server closes the connection."""
    try:
        for message in messages:
            connection.send(message)
        while True:
            connection.recv(timeout=120)
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else None


def test_the_size_of_a_picture_is_the_decoders_own() -> None:
    """Behind a marker without a length another reader finds a small picture."""
    _, coded = cv2.imencode(".jpg", np.zeros((48, 64, 3), np.uint8))
    whole = coded.tobytes()
    at = whole.index(b"\xff\xc0")
    small = b"\xff\x01\x00\x0d\xff\xc0\x00\x0b\x08\x00\x08\x00\x08\x01"
    tricky = whole[:2] + small + whole[2:at] + whole[at:]
    for data in (whole, tricky):
        size = jpeg_size(data)
        picture = decode_jpeg(data, "BGR")
        assert picture is None or size == (picture.shape[1], picture.shape[0])
    huge = bytearray(whole)
    huge[at + 5 : at + 9] = b"\xff\xff\xff\xff"
    assert decode_jpeg(bytes(huge), "BGR") is None
    assert decode_jpeg(b"\xff\xd8\xff\x01" + bytes(64), "BGR") is None
