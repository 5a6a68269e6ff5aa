"""A small table on which a dispute can be had."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import cv2
import numpy as np
import pytest

from engine.game.contract import Question
from engine.space.geometry import Pose
from engine.space.pieces import Piece, TagMount
from engine.space.table import PoseUncertainty, Standing, Status, TableState
from server.disputes.dispute import Consent
from server.disputes.evidence import Evidence, collect
from server.disputes.frame_buffer import KeptFrame
from server.disputes.settling import Party
from server.table.questions.rulings import Rulings
from server.web.authentication import Identity
from tests.server.fakes import CAMERA, SEDAN, SIZE, STANDINGS, SURFACE

RULINGS = Rulings.by_book(None)

ANNA, BEN = (Party(Identity("player", digit * 16), name) for digit, name in (("a", "Anna"), ("b", "Ben")))
OWNER, EVE = Party(Identity("owner")), Party(Identity("player", "e" * 16))


def given(*players: str) -> tuple[Consent, ...]:
    """The consents of these players, each on their own device."""
    return tuple(Consent(player, False, datetime(2026, 5, 1, 20, 15, tzinfo=UTC)) for player in players)


def about(one: str, other: str, label: str) -> Question:
    """The question of that label about two pieces."""
    return RULINGS.find((one, other), label)


MOUNT = TagMount("tag36h11", 10, 0.9, SEDAN.height)


def tagged(name: str, pose: Pose, status: Status = Status.STILL) -> Standing:
    """A car or piece of terrain as it stands, with a tag on its roof."""
    piece = STANDINGS[name][0]
    mount = TagMount("tag36h11", 10, 0.9, piece.body.height)
    mounted = Piece(piece.name, piece.kind, piece.body, mount, piece.owner)
    return Standing(mounted, pose, PoseUncertainty.isotropic(0.012, 0.01), status)


def shot_at(
    time: float, poses: dict[str, Pose] | None = None, *, blur: float = 0.0, status: Status = Status.STILL
) -> KeptFrame:
    """A frame of the small table, painted with a chequered tag on every roof, blurred so much."""
    stood = {name: pose for name, (_, pose) in STANDINGS.items()} | (poses or {})
    standings = [tagged(n, p, status if n in (poses or {}) else Status.STILL) for n, p in stood.items()]
    image = np.full((SIZE[1], SIZE[0], 3), (60, 110, 60), np.uint8)
    for s in standings:
        assert s.piece.mount is not None
        for k in range(16):
            x, y = (k % 4 - 1.5) * 0.225, (k // 4 - 1.5) * 0.225
            cell = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * 0.1125 + (x, y)
            points = CAMERA.image_from_table(s.pose.to_table(cell), s.piece.mount.height)
            shade = 235 if (k + k // 4) % 2 else 20
            cv2.fillPoly(image, [np.round(points * 16).astype(np.int32)], (shade,) * 3, cv2.LINE_AA, 4)
    if blur:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), blur), np.uint8)
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 92])
    table = TableState.of(SURFACE, standings, time)
    return KeptFrame(round(time * 10), time, bytes(data), SIZE, table, CAMERA, frozenset(stood))


@pytest.fixture(scope="session")
def shots() -> tuple[KeptFrame, ...]:
    """Six seconds; BLUE3 drives away at 4 s, and the frames differ in sharpness."""
    away = {"BLUE3": Pose(20, 31, math.radians(-70))}
    found = []
    for k in range(24):
        time = k * 0.25
        found.append(shot_at(time, away if time > 4.0 else None, blur=0.0 if k % 3 == 0 else 1.5))
    return tuple(found)


@pytest.fixture(scope="session")
def evidence(shots: tuple[KeptFrame, ...]) -> Evidence:
    """RED1 at BLUE1, past the mug, two and a half seconds in."""
    return collect(shots, 2.5, about("RED1", "BLUE1", "Plinker"), RULINGS.ask)
