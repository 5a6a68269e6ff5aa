"""Packed tracks give back every pose to the quantum, and the same on every reading."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import TableRefError
from engine.space.catalogue import car
from engine.space.geometry import Pose
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing, Status
from server.recording.blocks import Block
from server.recording.tracks import (
    PER_INCH,
    PER_RADIAN,
    STATUSES,
    TrackEncoder,
    pack_uncertainty,
    standing_of,
    unpack,
    unpack_uncertainty,
)

PIECES = [Piece(f"Car {k}", "car", car("sedan")) for k in range(4)]
SURE = PoseUncertainty.isotropic(0.01, 0.005)
Moments = Sequence[tuple[float, Sequence[Standing]]]


def stand(piece: int, x: float, y: float, heading: float = 0.0, **more: object) -> Standing:
    return Standing(PIECES[piece], Pose(x, y, heading), **({"uncertainty": SURE} | more))  # type: ignore[arg-type]


def packed(moments: Moments) -> Block:
    encoder = TrackEncoder(PIECES)
    for time, standings in moments:
        encoder.add(time, time, standings)
    block, _ = encoder.close()
    assert block is not None
    return block


def same_to_the_quantum(moments: Moments) -> None:
    tracks = unpack(packed(moments).data)
    assert len(tracks.times) == len(moments)
    for frame, (time, standings) in enumerate(moments):
        assert tracks.times[frame] == round(time * 1000)
        found = tracks.at(frame)
        assert sorted(found) == sorted(PIECES.index(s.piece) for s in standings)
        for s in standings:
            fix = found[PIECES.index(s.piece)]
            back = standing_of(fix, s.piece, SURE, int(tracks.times[frame]))
            assert abs(back.pose.x - s.pose.x) <= 0.5 / PER_INCH + 1e-9
            assert abs(back.pose.y - s.pose.y) <= 0.5 / PER_INCH + 1e-9
            turned = math.remainder(back.pose.heading - s.pose.heading, math.tau)
            assert abs(turned) <= 0.5 / PER_RADIAN + 1e-9
            assert back.status is s.status


def random_game(seed: int, frames: int) -> list[tuple[float, list[Standing]]]:
    rng = random.Random(seed)
    places = {k: [rng.uniform(0, 48), rng.uniform(0, 48), rng.uniform(-3, 3)] for k in range(4)}
    statuses = [rng.choice(STATUSES) for _ in PIECES]
    since = [0.0] * 4
    moments = []
    for frame in range(frames):
        time = frame / 30
        standings = []
        for k in range(4):
            if frame < 5 * k:
                continue
            if rng.random() < 0.1:
                statuses[k], since[k] = rng.choice(STATUSES), time
            if statuses[k] is Status.MOVING:
                places[k] = [v + rng.gauss(0, 0.3) for v in places[k]]
            standings.append(stand(k, *places[k], status=statuses[k], since=since[k], seen_at=time))
        moments.append((time, standings))
    return moments


@pytest.mark.parametrize("seed", range(5))
def test_a_game_comes_back_to_the_quantum(seed: int) -> None:
    same_to_the_quantum(random_game(seed, 90))


coordinate = st.floats(-1200, 1200, allow_nan=False)


@settings(max_examples=60)
@given(st.lists(st.tuples(coordinate, coordinate, st.floats(-math.pi, math.pi)), min_size=1, max_size=20))
def test_any_way_comes_back(way: list[tuple[float, float, float]]) -> None:
    same_to_the_quantum([(k / 30, [stand(1, *place, status=Status.MOVING)]) for k, place in enumerate(way)])


def test_blocks_need_no_other_block() -> None:
    encoder, blocks = TrackEncoder(PIECES), []
    for time, standings in random_game(9, 300):
        encoder.add(time, time, standings)
        if encoder.seconds >= 2.0:
            blocks.append(encoder.close()[0])
    last = blocks[-1]
    assert last is not None
    assert sorted(unpack(last.data).at(0)) == [0, 1, 2, 3]
    assert [b.number for b in blocks if b] == [1, 2, 3, 4]


def test_what_stands_still_costs_next_to_nothing() -> None:
    still = [stand(k, 5.0 + k, 7.0) for k in range(4)]
    assert len(packed([(k / 30, still) for k in range(60)]).data) < 120


def test_times_of_a_piece_are_the_games_own() -> None:
    encoder = TrackEncoder(PIECES)
    encoder.add(100.0, 7.0, [stand(0, 1, 1, status=Status.HELD, since=6.5, seen_at=6.25)])
    encoder.add(101.0, 8.0, [stand(0, 1, 1, status=Status.HELD, since=6.5, seen_at=6.25)])
    block, _ = encoder.close()
    assert block is not None
    tracks = unpack(block.data)
    held = standing_of(tracks.at(1)[0], PIECES[0], SURE, 101_000)
    assert (held.since, held.seen_at) == (99.5, 99.25)


class TestUncertainty:
    def test_comes_back(self) -> None:
        own = np.array([[1e-4, 2e-5, 0], [2e-5, 3e-4, -1e-6], [0, -1e-6, 2e-5]])
        known = PoseUncertainty(own, np.arange(6.0).reshape(3, 2) / 100)
        back = unpack_uncertainty(pack_uncertainty(known))
        assert back.own == pytest.approx(own, rel=1e-6)
        assert back.shared == pytest.approx(known.shared, rel=1e-6)
        assert np.array_equal(back.own, back.own.T)

    def test_is_kept_anew_when_it_changes_noticeably_or_the_piece_settles(self) -> None:
        encoder = TrackEncoder(PIECES)

        def kept(at: float, uncertainty: PoseUncertainty, status: Status = Status.MOVING) -> int:
            encoder.add(at, at, [stand(0, 1, 1, uncertainty=uncertainty, status=status)])
            return len(encoder.close()[1])

        assert kept(0.0, SURE) == 1
        assert kept(0.1, PoseUncertainty.isotropic(0.0101, 0.005)) == 0
        assert kept(0.2, PoseUncertainty.isotropic(0.012, 0.005)) == 1
        assert kept(0.3, PoseUncertainty.isotropic(0.012, 0.005), Status.STILL) == 1
        assert kept(0.4, PoseUncertainty.isotropic(0.012, 0.005), Status.STILL) == 0

    def test_another_calibration_is_kept_for_every_piece_at_once(self) -> None:
        """Loadings that count their errors otherwise must not be mixed: a range would be misjudged."""
        loading = np.array([[0.01, 0.0], [0.0, 0.01], [0.0, 0.0]])
        encoder = TrackEncoder(PIECES)
        for at, sign in ((0.0, 1), (0.1, -1)):
            shared = PoseUncertainty(np.eye(3) * 1e-4, sign * loading)
            encoder.add(at, at, [stand(k, k, 0, uncertainty=shared) for k in range(3)])
            assert len(encoder.close()[1]) == 3


@pytest.mark.parametrize("data", [b"", b"nothing of the kind", packed(random_game(1, 30)).data[:-9]])
def test_what_is_no_block_is_refused(data: bytes) -> None:
    with pytest.raises(TableRefError, match="expected packed tracks"):
        unpack(data)
