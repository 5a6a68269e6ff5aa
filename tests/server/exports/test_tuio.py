"""A table told as TUIO 1.1 objects, read back as another program would."""

from __future__ import annotations

import math
import socket
import struct
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

import pytest
from pythonosc.osc_bundle import OscBundle
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from engine.space.geometry import Pose, Region
from engine.space.pieces import Piece, TagMount
from engine.space.table import PoseUncertainty, Standing, Status, TableState
from server.exports.tuio import BadAddress, TuioObjects, TuioSender, address_of, tuio_router
from server.pipeline.runner import Runner
from server.serving.run import PageServer, listen
from server.table.questions.rulings import Rulings
from tests.server.fakes import PATIENCE, SEDAN, HandMoved, KnowsAll, wait_until

TABLE = Region.rectangle(0, 0, 48, 36)


@dataclass(frozen=True)
class Told:
    """What a listener knows after one frame: session id -> (symbol, x, y, angle, X, Y, A, m, r)."""

    alive: list[int]
    sets: dict[int, tuple[float, ...]]
    fseq: int


def standing(
    name: str, tag: int, x: float, y: float, turn: float = 0.0, status: Status = Status.STILL
) -> Standing:
    piece = Piece(name, "car", SEDAN, TagMount("tag36h11", tag, 0.9, 1.0))
    return Standing(piece, Pose(x, y, turn), PoseUncertainty.exact(), status)


def table(*standings: Standing, time: float = 0.0) -> TableState:
    return TableState(time, TABLE, standings)


def read(data: bytes) -> Told:
    alive: list[int] = []
    sets, fseq = {}, 0
    first = True
    for message in OscBundle(data):
        assert message.address == "/tuio/2Dobj"  # type: ignore[union-attr]
        params: list[Any] = message.params  # type: ignore[union-attr]
        match params:
            case ["source", name]:
                assert first, "the source comes first"
                assert name == "tableref"
            case ["alive", *ids]:
                alive = ids
            case ["set", session, symbol, *rest]:
                assert len(rest) == 8
                sets[session] = (symbol, *rest)
            case ["fseq", number]:
                fseq = number
            case _:
                raise AssertionError(f"no TUIO message: {params}")
        first = False
    return Told(alive, sets, fseq)


def only(bundles: Sequence[bytes]) -> Told:
    assert len(bundles) == 1
    return read(bundles[0])


class TestFrames:
    def test_places_are_shares_of_the_table_from_the_far_left(self) -> None:
        told = only(TuioObjects().bundles(table(standing("RED1", 7, 12, 27, math.pi / 2)), 0.0))
        assert told.alive == [1]
        assert told.fseq == 1
        assert told.sets[1] == pytest.approx((7, 0.25, 0.25, 1.5 * math.pi, 0, 0, 0, 0, 0))

    @pytest.mark.parametrize(
        ("x", "y", "at"), [(0, 36, (0, 0)), (48, 36, (1, 0)), (0, 0, (0, 1)), (48, 0, (1, 1))]
    )
    def test_corners(self, x: float, y: float, at: tuple[float, float]) -> None:
        told = only(TuioObjects().bundles(table(standing("RED1", 7, x, y)), 0.0))
        assert told.sets[1][1:3] == pytest.approx(at)

    def test_angles_grow_clockwise_and_stay_within_a_turn(self) -> None:
        for degrees in range(-350, 360, 10):
            told = only(TuioObjects().bundles(table(standing("RED1", 7, 1, 1, math.radians(degrees))), 0.0))
            assert 0 <= told.sets[1][3] < math.tau + 1e-6
            assert math.cos(told.sets[1][3]) == pytest.approx(math.cos(math.radians(-degrees)), abs=1e-6)
            assert math.sin(told.sets[1][3]) == pytest.approx(math.sin(math.radians(-degrees)), abs=1e-6)

    def test_speeds_are_shares_and_turns_a_second(self) -> None:
        objects = TuioObjects()
        objects.bundles(table(standing("RED1", 7, 12, 18, 0.1)), 0.0)
        told = only(objects.bundles(table(standing("RED1", 7, 16.8, 14.4, -0.1), time=0.5), 0.5))
        x, y, turn, faster, spin_up = told.sets[1][4:]
        assert (x, y) == pytest.approx((0.2, 0.2))
        assert turn == pytest.approx(0.2 / math.tau / 0.5)
        assert faster == pytest.approx(math.hypot(0.2, 0.2) / 0.5)
        assert spin_up == pytest.approx(turn / 0.5)

    def test_the_same_picture_again_changes_no_speed(self) -> None:
        objects = TuioObjects()
        objects.bundles(table(standing("RED1", 7, 12, 18)), 0.0)
        moved = table(standing("RED1", 7, 24, 18), time=0.5)
        first = only(objects.bundles(moved, 0.5))
        assert objects.bundles(moved, 0.6) == []
        assert only(objects.bundles(moved, 1.6)).sets == first.sets

    def test_a_clip_that_begins_again_gives_no_wild_speeds(self) -> None:
        objects = TuioObjects()
        objects.bundles(table(standing("RED1", 7, 12, 18), time=20.0), 0.0)
        told = only(objects.bundles(table(standing("RED1", 7, 24, 18), time=0.1), 0.1))
        assert told.sets[1][4:] == (0, 0, 0, 0, 0)


class TestSessions:
    def test_an_id_stays_from_appeared_to_lost_and_never_comes_again(self) -> None:
        objects = TuioObjects()
        car = standing("RED1", 7, 12, 18)
        seen = []
        for status in (Status.STILL, Status.MOVING, Status.HELD, Status.STILL, Status.LOST, Status.STILL):
            told = objects.bundles(table(replace(car, status=status), time=float(len(seen))), 2.0 * len(seen))
            seen.append(only(told).alive)
        assert seen == [[1], [1], [1], [1], [], [2]]

    def test_who_is_gone_is_told_although_nothing_else_has_changed(self) -> None:
        objects = TuioObjects()
        objects.bundles(table(standing("RED1", 7, 12, 18), standing("RED2", 8, 2, 2)), 0.0)
        told = only(objects.bundles(table(standing("RED1", 7, 12, 18)), 0.1))
        assert (told.alive, told.sets) == ([1], {})

    def test_only_news_is_told_and_everything_every_second(self) -> None:
        objects = TuioObjects()
        red, blue = standing("RED1", 7, 12, 18), standing("BLUE1", 9, 30, 18)
        assert set(only(objects.bundles(table(red, blue), 0.0)).sets) == {1, 2}
        assert objects.bundles(table(red, blue), 0.5) == []
        moved = replace(blue, pose=Pose(31, 18))
        assert set(only(objects.bundles(table(red, moved, time=0.6), 0.6)).sets) == {2}
        assert set(only(objects.bundles(table(red, moved, time=0.6), 1.0)).sets) == {1, 2}

    def test_a_full_table_goes_in_several_datagrams_of_one_frame(self) -> None:
        many = [standing(f"CAR{i}", i, i + 1, 5) for i in range(30)]
        bundles = TuioObjects().bundles(table(*many), 0.0)
        told = [read(b) for b in bundles]
        assert all(len(b) <= 1472 for b in bundles)
        assert {t.fseq for t in told} == {1}
        assert all(t.alive == list(range(1, 31)) for t in told)
        assert {s for t in told for s in t.sets} == set(range(1, 31))


@pytest.mark.parametrize("text", ["", ":", "table.local:", "a b:3333", "127.0.0.1:0", "table:70000", "::1"])
def test_addresses_that_are_none(text: str) -> None:
    with pytest.raises(BadAddress, match="expected"):
        address_of(text)


def test_a_host_that_nobody_knows() -> None:
    with pytest.raises(BadAddress, match=r"nowhere\.invalid"):
        TuioSender(Runner(HandMoved(), KnowsAll(HandMoved())), "nowhere.invalid")


class TestLive:
    def test_by_udp_and_by_websocket_a_moved_car_moves(self) -> None:
        source = HandMoved()
        live = Runner(source, KnowsAll(source))
        with ExitStack() as stack:
            ear = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            ear.bind(("127.0.0.1", 0))
            ear.settimeout(PATIENCE)
            stack.enter_context(TuioSender(live, *ear.getsockname()))
            server = stack.enter_context(
                PageServer(live, Rulings.by_book(None), listen(port=0), routers=[tuio_router(live)])
            )
            web = stack.enter_context(connect(server.address.replace("http", "ws") + "ws/tuio"))
            heard: dict[str, list[tuple[float, ...]]] = {"udp": [], "web": []}

            def arrived() -> bool:
                for name, data in (("udp", ear.recv(4096)), ("web", web.recv(timeout=120))):
                    assert isinstance(data, bytes)
                    heard[name] += [
                        s for s in read(data).sets.values() if s[1:3] == pytest.approx((0.5, 0.75))
                    ]
                return all(heard.values())

            wait_until("the first moment", lambda: live.moment is not None)
            source.move("RED1", Pose(24, 12, 0.0))
            wait_until("the move in both", arrived)

    def test_no_other_sites_page_may_listen(self) -> None:
        live = Runner(HandMoved(), KnowsAll(HandMoved()))
        with PageServer(live, Rulings.by_book(None), listen(port=0), routers=[tuio_router(live)]) as server:
            address = server.address.replace("http", "ws") + "ws/tuio"
            with pytest.raises(InvalidStatus), connect(address, origin="http://evil.example"):  # type: ignore[arg-type]
                pass


def test_the_time_tag_says_at_once() -> None:
    data = TuioObjects().bundles(table(), 0.0)[0]
    assert struct.unpack(">8sQ", data[:16]) == (b"#bundle\0", 1)
