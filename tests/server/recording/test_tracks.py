"""Tracks and calibrations: as they were to the quantum, in little room."""

from __future__ import annotations

import json
import math
import random
import struct
import tracemalloc
import zlib
from collections.abc import Callable, Sequence
from dataclasses import astuple, replace
from pathlib import Path
from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.night import night
from benchmarks.record import play_night
from calibration.lens.model import usual_covariance
from calibration.surface import CornerTag, Surface
from calibration.tablefile import parse_table
from calibration.watching.keeper import SurfaceKeeper
from engine.errors import TableRefError
from engine.space.catalogue import car
from engine.space.geometry import Pose, wrap_angle
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing, Status
from server.pipeline.as_recorded import PER_INCH, PER_RADIAN, AsRecorded
from server.recording.blocks import Block
from server.recording.calibrations import CalibrationWatch, pack_surface, unpack_surface
from server.recording.library.games import Library
from server.recording.tracks import (
    STATUSES,
    TrackEncoder,
    pack_uncertainty,
    quanta,
    standing_of,
    unpack,
    unpack_uncertainty,
)
from tests.calibration.test_surface import LENS, camera, seen_by, tags
from tests.crowd import crowded_scene

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


@pytest.mark.parametrize("off", [0.0, 2e-5, 6e-5, -2e-5, -6e-5])
@pytest.mark.parametrize("half", [math.pi, -math.pi])
def test_a_heading_about_half_a_turn_is_ruled_on_as_it_comes_back(half: float, off: float) -> None:
    (told,) = AsRecorded().told([stand(0, 1.0, 2.0, half + off)])
    back = Pose(1.0, 2.0, quanta(told.pose.heading, PER_RADIAN) / PER_RADIAN)
    assert back.heading == told.pose.heading
    assert abs(wrap_angle(back.heading - half - off)) < 2 / PER_RADIAN


def test_a_piece_of_which_nothing_is_known_any_more_is_not_there_until_it_is_told_again() -> None:
    """Lost is another thing: that it stood there is known."""
    seen, lost = stand(0, 1.0, 2.0), stand(1, 3.0, 4.0, status=Status.LOST)
    same_to_the_quantum([(0.0, [seen, lost]), (1.0, [lost]), (2.0, []), (3.0, [seen]), (4.0, [seen, lost])])


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
        encoder, as_recorded = TrackEncoder(PIECES), AsRecorded()

        def kept(at: float, uncertainty: PoseUncertainty, status: Status = Status.MOVING) -> int:
            seen = [stand(0, 1, 1, uncertainty=uncertainty, status=status)]
            encoder.add(at, at, as_recorded.told(seen))
            return len(encoder.close()[1])

        assert kept(0.0, SURE) == 1
        assert kept(0.1, PoseUncertainty.isotropic(0.0101, 0.005)) == 0
        assert kept(0.2, PoseUncertainty.isotropic(0.012, 0.005)) == 1
        assert kept(0.3, PoseUncertainty.isotropic(0.0121, 0.005), Status.STILL) == 1
        assert kept(0.4, PoseUncertainty.isotropic(0.0121, 0.005), Status.STILL) == 0

    def test_another_calibration_is_kept_for_every_piece_at_once(self) -> None:
        """Loadings that count their errors otherwise must not be mixed: a range would be misjudged."""
        loading = np.array([[0.01, 0.0], [0.0, 0.01], [0.0, 0.0]])
        encoder, as_recorded = TrackEncoder(PIECES), AsRecorded()
        for at, sign in ((0.0, 1), (0.1, -1)):
            shared = PoseUncertainty(np.eye(3) * 1e-4, sign * loading)
            told = as_recorded.told([stand(k, k, 0, uncertainty=shared) for k in range(3)])
            encoder.add(at, at, told)
            assert len(encoder.close()[1]) == 3


@pytest.mark.parametrize("data", [b"", b"nothing of the kind", packed(random_game(1, 30)).data[:-9]])
def test_what_is_no_block_is_refused(data: bytes) -> None:
    with pytest.raises(TableRefError, match="expected packed tracks"):
        unpack(data)


def test_blocks_of_the_first_form_are_read_and_those_of_a_later_version_ask_for_it() -> None:
    still = packed([(0.0, [stand(0, 1.0, 2.0)])]).data
    first, later = (zlib.compress(bytes([form]) + zlib.decompress(still)[1:]) for form in (1, 3))
    assert unpack(first).at(0) == unpack(still).at(0) != {}
    with pytest.raises(TableRefError, match="form 2 or before but got 3: update tableref"):
        unpack(later)


def block_of(frames: int, keys: int, changes: int, rest: bytes) -> bytes:
    return zlib.compress(struct.pack("<BIII", 1, frames, keys, changes) + rest, 9)


def columns_of(*columns: list[int]) -> bytes:
    return b"".join(b"\3" + np.array(column, "<i8").tobytes() for column in columns)


ROOM = 64_000_000
HOSTILE = {
    "more than its head says": lambda: block_of(2, 0, 0, bytes(ROOM)),
    "as much as its head says": lambda: block_of(8_000_000, 0, 0, bytes(ROOM)),
    "changes without number": lambda: block_of(1, 0, 2**32 - 1, bytes(ROOM)),
    "no frames": lambda: block_of(0, 0, 0, columns_of([0], [])),
    "keys at frames that are not there": lambda: block_of(
        1, 1, 0, columns_of([0], [], *[[k] for k in (0, 7, *[0] * 7)], *[[]] * 9)
    ),
    "a state that is none": lambda: block_of(
        1, 1, 0, columns_of([0], [], *[[k] for k in (0, 0, 9, *[0] * 6)], *[[]] * 9)
    ),
    "farther than numbers are exact": lambda: block_of(
        1, 1, 0, columns_of([0], [], *[[k] for k in (0, 0, 0, -(2**63), *[0] * 5)], *[[]] * 9)
    ),
    "a piece twice": lambda: block_of(1, 2, 0, columns_of([0], [], *[[0, 0]] * 9, *[[]] * 9)),
    "back in time": lambda: block_of(2, 0, 0, columns_of([5], [-1], *[[]] * 18)),
}


@pytest.mark.parametrize("how", HOSTILE)
def test_a_block_from_anybody_takes_no_more_room_than_tracks(how: str) -> None:
    block = HOSTILE[how]()
    tracemalloc.start()
    try:
        with pytest.raises(TableRefError, match="expected packed tracks"):
            unpack(block)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_a_block_of_very_many_changes_is_unpacked_once_over() -> None:
    """As many numbers as a block may have, each a piece of its own."""
    many = 50_000
    key = [list(range(many)), *[[0] * many] * 8]
    began = process_time()
    tracks = unpack(block_of(1, many, many, columns_of([0], [], *key, *key)))
    assert len(tracks.frames) == many
    assert process_time() - began < 10.0


@pytest.mark.parametrize("data", [b"", bytes(23), bytes(25), b"\xff" * 24, bytes(24 + 12 * 100_000)], ids=len)
def test_what_is_no_uncertainty_is_refused(data: bytes) -> None:
    with pytest.raises(TableRefError, match="how surely"):
        unpack_uncertainty(data)


# Calibrations


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


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "[" * 50_000,
        '{"lens": null}',
        '{"lens": {"origin": 1}}',
        '{"lens": [1], "rotation": "x"}',
    ],
)
def test_what_is_no_calibration_is_refused(text: str) -> None:
    with pytest.raises(TableRefError):
        unpack_surface(text)


def test_a_calibration_of_an_older_record_comes_back_without_its_corner_tags() -> None:
    keeper = SurfaceKeeper(LENS, corners=STATED)
    keeper.update(0.0, seen_by(camera(), STATED, 0.05))
    assert keeper.surface is not None
    data = json.loads(pack_surface(keeper.surface))
    del data["corners"]
    back = unpack_surface(json.dumps(data))
    assert back.misfits == ()
    assert np.array_equal(back.rotation, keeper.surface.rotation)


# A night of play


def test_a_night_with_twenty_pieces_takes_less_than_sixty_megabytes(tmp_path: Path) -> None:
    scene = crowded_scene((1920, 1080), cars=20, printed_px=45, foreign=0, seed=3)
    table = parse_table(scene.to_toml(), "a drawn table")
    hours = 1 / 60
    with Library.open(tmp_path) as library:
        game, found = play_night(library, table, hours)
        assert found["pieces"] == 20
        assert found["tracks_mb"] < 40, "scaled to four hours"
        reader = library.reader(game)
        played = list(night(list(table.pieces), hours * 3600, 30))
        assert len(list(reader.times())) == len(played)
        for time, standings in played[::97]:
            at = reader.table_at(time)
            for seen in standings:
                back = at.find(seen.name)
                assert abs(back.pose.x - seen.pose.x) <= 0.00051
                assert abs(back.pose.y - seen.pose.y) <= 0.00051
                assert back.status is seen.status
