"""No byte tells a hidden distance: what goes over the wire of every outlet while the book hides them."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np

from engine.space.geometry import Pose
from server.table.gate import DRAWN, NAMES
from server.web.authentication import Identity
from tests.evening.house import House, Violation

LENGTH = re.compile(r"\d+[.,]\d+\s*(?:in\b|inch|cm\b|mm\b|[″\"])")
"""A measured length in a sentence: with decimals and a unit."""

FINE = 0.004
"""Inches by which a place that is told may be off a drawing's step: it is written with a few digits."""

NOT_WORDS = {*NAMES, "games", "broken", "setup"}
"""What in a message is no sentence about this table."""

DRAWN_OR_WRITTEN = ("image/svg", "text/")
"""What is read as text."""

WITH_TEXT = (str, list, dict)
"""What of JSON may hold sentences."""

NOT_TOLD = re.compile(r'[\w:-]+="[^"]*"')
"""Attributes of what is drawn or written: sizes on a page, no inches of a table."""

REPLAYED = "/api/games/{id}/match?t=1e6"
"""The replay of now."""

EXACT = 0.02
"""Inches within which a number is taken for where a piece stands."""


def no_ruler(at: House, turn: int) -> None:
    """Hold the pages, websockets and streams that players and spectators read.

    The page of who only looks each time; in their turn that of a player, a path for one of them, or a
    socket: what they tell stays until something else happens.
    """
    _held(at, at.wire(at.spectator), "/ws/play of a spectator", mine=_mover(at, at.spectator))
    kind, turn = turn % 3, turn // 3
    players = list(at.phones.values())
    player = players[turn % len(players)]
    if kind == 0:
        _held(at, at.wire(player), "/ws/play of a player", mine=_mover(at, player))
    elif kind == 1:
        paths = ("/api/state", REPLAYED, "/api/questions")
        who, path = (at.spectator, player)[turn // 3 % 2], paths[turn % 3].format(id=at.game_id)
        answer = at.get(who, path)
        if answer.status_code == 200:
            _held(at, answer.text, f"{path} for a {who.role}")
    else:
        socket = ("/ws", "/ws/replay?game={id}")[turn % 2]
        with at.socket(at.spectator, socket.format(id=at.game_id)) as page:
            told = page.recv(timeout=30)
        assert isinstance(told, str)
        _held(at, told, socket)


def no_ruler_anywhere(at: House, turn: int) -> None:
    """Hold whatever else the application says that it answers to a spectator, or in its turn to a player."""
    players = list(at.phones.values())
    people = (at.spectator, players[turn // 2 % len(players)])
    for k, path in enumerate(at.read_by_anybody, turn):
        who = people[k % 2]
        answer = at.get(who, path.format(id=at.game_id), t=1e6)
        where, kind = f"{path} for a {who.role}", answer.headers.get("content-type", "")
        if answer.status_code == 200 and "json" in kind:
            _held(at, answer.text, where)
        elif answer.status_code == 200 and kind.startswith(DRAWN_OR_WRITTEN):
            _words(NOT_TOLD.sub("", answer.text).split(">"), where)


def no_ruler_streamed(at: House) -> None:
    """Hold the stream of places to other programs, read as its bytes are."""
    low_x, low_y, high_x, high_y = at.hands.scene.surface.polygon.bounds
    wide, deep = high_x - low_x, high_y - low_y
    with at.socket(at.spectator, "/ws/tuio") as page:
        told = page.recv(timeout=30)
    assert isinstance(told, bytes)
    for x, y in _streamed(told):
        for value, whole in ((x, wide), (y, deep)):
            if abs(value * whole / DRAWN - round(value * whole / DRAWN)) > 0.05:
                raise Violation("a distance is told", f"/ws/tuio: {value * whole:.4f} in")


def _streamed(packet: bytes) -> Iterator[tuple[float, float]]:
    """Yield the places, shares of the table, of a bundle of TUIO (OSC) messages."""
    assert packet[:8] == b"#bundle\0", packet[:8]
    k = 16
    while k < len(packet):
        (size,) = struct.unpack_from(">i", packet, k)
        message, k = packet[k + 4 : k + 4 + size], k + 4 + size
        _, after = _text(message, 0)
        types, after = _text(message, after)
        command, after = _text(message, after)
        if command == "set":
            yield struct.unpack_from(">ff", message, after + 4 * types[2:].index("f"))


def _text(message: bytes, start: int) -> tuple[str, int]:
    end = message.index(b"\0", start)
    return message[start:end].decode(), (end // 4 + 1) * 4


def _held(at: House, text: str, where: str, *, mine: bool = False) -> None:
    """Hold what an outlet told; what it told before of the same table was held then."""
    now = text, mine, tuple(at.hands.poses.items())
    if at.held.get(where) == now:
        return
    told = at.read(text)
    _words(told, where, mine=mine)
    _poses(at, told, where)
    at.held[where] = now


def _mover(at: House, who: Identity) -> bool:
    guide = at.served.scene.guide()
    return guide is not None and at.served.match.may_do(who, guide.player)


def _words(told: Any, where: str, *, mine: bool = False) -> None:
    """No sentence of it holds a length, unless it tells of a taken move or of a declared attack."""
    if isinstance(told, dict) and mine:
        told = {name: value for name, value in told.items() if name != "guide"}
    for words in _texts(told):
        if found := LENGTH.findall(words):
            raise Violation("a distance is told", f"{where}: {words[:200]} ({found})")


def _texts(told: Any) -> set[str]:
    """Give every sentence of it once."""
    found: set[str] = set()
    left = [told]
    while left:
        value = left.pop()
        kind = type(value)
        if kind is str:
            found.add(value)
        elif kind is list:
            left += [v for v in value if type(v) in WITH_TEXT]
        elif kind is dict and not (
            (value.get("measured") is not None and "citation" in value) or _agreed_to(value)
        ):
            left += [v for name, v in value.items() if type(v) in WITH_TEXT and name not in NOT_WORDS]
    return found


def _agreed_to(value: dict[str, Any]) -> bool:
    """Whether it is a proposal, told to who made it or has to agree, of a deed that may be measured."""
    named = {"facts", "waits"} <= value.keys() and value.get("kind") in ("move", "fire")
    return named and bool(value.get("mine") or value.get("own"))


def _poses(at: House, told: Any, where: str) -> None:
    """No pair of numbers of it is where a piece stands, to more than a drawing shows."""
    poses = {name: at.hands.seen_at(name) for name in at.hands.poses}
    pieces = () if at.live.table is None else at.live.table.pieces
    poses |= {piece.name: piece.spot.pose for piece in pieces if piece.spot is not None}
    pairs = np.array([*_pairs(told)]).reshape(-1, 2)
    for name, pose in poses.items():
        for x, y in pairs[np.hypot(*(pairs - pose.xy).T) < EXACT]:
            if not (_drawn(x) and _drawn(y)) and not _round(pose):
                raise Violation("a place is told exactly", f"{where}: {name} at {x}, {y}")


def _drawn(value: float) -> bool:
    return abs(value / DRAWN - round(value / DRAWN)) * DRAWN < FINE


def _round(pose: Pose) -> bool:
    """Whether a piece stands by chance where a drawing would have it."""
    return (
        abs(pose.x / DRAWN - round(pose.x / DRAWN)) < 0.2
        and abs(pose.y / DRAWN - round(pose.y / DRAWN)) < 0.2
    )


def _pairs(told: Any) -> set[tuple[float, float]]:
    """Give every pair of numbers of it that may be a place, once; not the corners of what is drawn."""
    found: set[tuple[float, float]] = set()
    left = [told]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            x, y = value.get("x"), value.get("y")
            if isinstance(x, float) and isinstance(y, float):
                found.add((x, y))
            left += [v for name, v in value.items() if isinstance(v, dict | list) and name != "shape"]
        elif isinstance(value, list):
            if len(value) >= 2 and isinstance(value[0], float) and isinstance(value[1], float):
                found.add((value[0], value[1]))
            left += [inner for inner in value if isinstance(inner, dict | list)]
    return found
