"""What is hidden from whom while it is played: sealed counters, and distances before a declaration."""

from __future__ import annotations

import itertools
import json
import math
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from websockets.sync.client import connect

from engine.game.registry import game_called
from engine.game.viewing import distances_in
from engine.space.table import TableState
from server.exports.tuio import TuioObjects
from server.formats.entries import MemoryLog
from server.play.messages import Act, Sit
from server.web.authentication import Identity
from tests.server.exports.test_tuio import read
from tests.server.gaming import PATIENCE, Player, Table, gaming

PIECES = [
    {"name": name, "owner": owner, "answers": {"engine": "Straight Five", "armour": 0, "rifle": 1}}
    for name, owner in (("RED1", "Anna"), ("BLUE1", "Ben"), ("BLUE2", "Ben"))
]
DRAFT: dict[str, Any] = {
    "players": [{"name": "Anna", "colour": "#c8322b"}, {"name": "Ben", "colour": "#1f6fd0"}],
    "pieces": PIECES,
    "answers": {},
}
DRAWN = (
    "time", "age", "pose", "outline", "points", "x", "y", "heading", "place_words", "shape", "table",
    "bounds", "rates", "source",
)  # fmt: skip
"""Clocks and frame rates, and where things stand: what a drawing to scale is made of (docs/car-cult.md)."""

ASKED = (
    "api/state",
    "api/questions?piece=RED1&piece=BLUE1",
    "api/ruling?piece=RED1&piece=BLUE1",
    "api/ruling?piece=BLUE1&piece=BLUE2&question=shot",
    "overlay",
)
"""Addresses that an API client may ask."""

RANGED = "between the closest visible parts"

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")

NOTHING = "measures nothing about RED1 and BLUE1 now"


@pytest.fixture
def table() -> Iterator[Table]:
    with gaming(screen=True, follows=True) as one:
        one.host.game = game_called("car_cult")
        yield one


def begun(owner: Player) -> None:
    owner.done(type="setup", draft=DRAFT)
    owner.done(type="begin")
    for name, tokens in (("RED1", 3), ("BLUE1", 2), ("BLUE2", 0)):
        owner.done(type="act", kind="deploy", data={"car": name, "tokens": tokens})


def apart(seen: TableState) -> list[float]:
    """How far all pairs of cars are apart, edge to edge and middle to middle, inches."""
    found = []
    for a, b in itertools.combinations(seen.standings, 2):
        if a.piece.driven and b.piece.driven:
            found += [a.region.polygon.distance(b.region.polygon), math.dist(a.pose.xy, b.pose.xy)]
    return found


def numbers(value: Any, name: str = "") -> Iterator[float]:
    """Every number in a JSON value with a fraction: as such, and in its texts; clocks and ids left aside."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in DRAWN:
                yield from numbers(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from numbers(inner, name)
    elif isinstance(value, str):
        yield from (float(n) for n in _NUMBER.findall(value) if "." in n)
    elif isinstance(value, float) and not value.is_integer():
        yield value


def leaks(messages: list[Any], far: list[float]) -> list[tuple[float, float]]:
    """Numbers that are a distance between two cars, in inches or centimetres, to a fiftieth of an inch."""
    said = [n for message in messages for n in numbers(message)]
    wanted = [d * unit for d in far for unit in (1.0, 2.54)]
    return [(n, d) for n in said for d in wanted if abs(n - d) < 0.006]


def heard(player: Player) -> list[dict[str, Any]]:
    """Everything that a page is told until its car may move and attack."""
    found = [player.state]
    while "attack" not in ((player.state.get("match") or {}).get("status") or {}).get("more", ""):
        found.append(player.hear())
    return found


def table_page(table: Table, *picked: str) -> list[dict[str, Any]]:
    """What the table's page is told until its pieces are picked."""
    found: list[dict[str, Any]] = []
    with connect(table.url.replace("http", "ws") + "ws") as page:
        page.send(json.dumps({"type": "select", "pieces": list(picked)}))
        while not any(picked[-1] in str(m.get("selection")) for m in found):
            found.append(json.loads(page.recv(timeout=PATIENCE)))
            page.send(json.dumps({"type": "drawn", "number": found[-1]["number"]}))
    return found


def fetched(table: Table, path: str) -> Any:
    """What an address of the API answers: its JSON, or its text."""
    try:
        with urllib.request.urlopen(table.url + path, timeout=PATIENCE) as answer:
            text = answer.read().decode("utf-8")
    except urllib.error.HTTPError as error:
        text = error.read().decode("utf-8")
    return json.loads(text) if text.startswith(("{", "[")) else text


def kept(table: Table) -> list[Any]:
    """What is kept of the game by now, from which every export, report and replay of it is made."""
    journal = table.host.keeping.journal
    assert isinstance(journal, MemoryLog)
    return [{"words": entry.words, "data": entry.data} for entry in journal.entries]


def to_listeners(table: Table) -> list[Any]:
    """What programs that listen to TUIO are sent of every piece: its place, angle and their changes."""
    assert table.live.moment is not None
    told = [read(bundle) for bundle in TuioObjects().bundles(table.live.moment.table, 0.0)]
    places = [list(piece) for one in told for piece in one.sets.values()]
    assert len(places) == len(table.live.moment.table.standings)
    assert all(changes == [0.0] * 5 for _, _, _, _, *changes in places), "nothing moves"
    return places


def test_nothing_leaks_before_the_declaration_and_that_attack_is_told_after(table: Table) -> None:
    assert table.live.moment is not None
    far = apart(table.live.moment.table)
    with table.joined() as owner, table.joined("player") as player, table.joined("spectator") as looks:
        begun(owner)
        owner.done(type="act", kind="shift", data={"tokens": 0})
        owner.done(type="act", kind="allocate", data={"zones": ["Rifle · 1"]})
        told = [message for one in (owner, player, looks) for message in heard(one)]
        told += table_page(table, "RED1", "BLUE1")
        assert leaks(told, far) == []
        assert distances_in([m for m in told if m.get("type") == "play"]) == []
        for path in ASKED:
            assert leaks([fetched(table, path)], far) == [], path
        assert fetched(table, "api/questions?piece=RED1&piece=BLUE1") == []
        assert "measures nothing about RED1 and BLUE1 now" in str(
            fetched(table, "api/ruling?piece=RED1&piece=BLUE1")
        )
        written = kept(table)
        assert "Rifle · 1" in json.dumps(written, ensure_ascii=False), "what is kept is what the test reads"
        assert leaks(written, far) == []
        assert distances_in(written) == []
        assert leaks(to_listeners(table), far) == []
        owner.done(type="act", kind="declare", data={"weapon": "Rifle", "target": "BLUE2"})
        ruling = fetched(table, "api/ruling?piece=RED1&piece=BLUE2")
        assert [c["name"] for c in ruling["checks"]] == ["Line of Sight", "Range"]
        assert "measures nothing about RED1 and BLUE1 now" in str(
            fetched(table, "api/ruling?piece=RED1&piece=BLUE1")
        )
        owner.done(type="act", kind="fire", data={})
        state = owner.shows(lambda s: any(RANGED in e["words"] for e in s["match"]["log"]))
        (ranged,) = [e for e in state["match"]["log"] if RANGED in e["words"]]
        assert distances_in(ranged["words"]), ranged
        rest = [e["words"] for e in state["match"]["log"] if e is not ranged]
        assert distances_in(rest) == []
        assert distances_in(kept(table)), "from then on it is kept, too"


# Speed Counters of Battlecars


SALOON_AND_VAN: dict[str, Any] = {
    "players": [{"name": "Anna", "colour": "#c8322b"}, {"name": "Ben", "colour": "#1f6fd0"}],
    "pieces": [
        {"name": "RED1", "owner": "Anna", "answers": {"type": "Saloon"}},
        {"name": "BLUE1", "owner": "Ben", "answers": {"type": "Van"}},
    ],
    "answers": {},
}


def test_a_speed_counter_is_told_to_nobody_before_the_reveal():
    with gaming() as table, table.joined() as owner, table.joined("spectator") as other:
        table.host.game = game_called("battlecars")
        owner.done(type="setup", draft=SALOON_AND_VAN)
        owner.done(type="begin")
        owner.done(type="act", kind="start", data={}, dice=[8, 3])
        anna = Identity("player", "a" * 16)
        table.host.ask(anna, Sit(type="sit", key="key-to-sit", player="Anna"))
        ruling = {"speed_1": 2, "ruled": {"Speed": "yes"}, "ruled_by": "Ben"}
        refused = table.host.ask(anna, Act(type="act", key="key-to-rule", kind="speed", data=ruling))
        assert "the table answers that" in str(refused.error), (
            "a secret choice holds no ruling on what is measured"
        )
        owner.done(type="act", kind="speed", data={"speed_1": 2}, player="Anna")
        match = table.host.match
        assert match is not None
        (secret,) = match.secrets
        assert secret.data == {"speed_1": 2}
        other.shows(lambda s: "Anna has chosen" in json.dumps(s))
        for page in (owner, other):
            text = json.dumps(page.state)
            assert secret.salt not in text
            assert '"speed_1": 2' not in text
        assert match.state.vehicle("RED1").speed == 0
        owner.done(type="act", kind="speed", data={"speed_1": 1}, player="Ben")
        other.shows(lambda s: "Speed Counters: RED1: 2, BLUE1: 1" in json.dumps(s))
        match = table.host.match
        assert match is not None
        assert match.state.vehicle("RED1").speed == 2
