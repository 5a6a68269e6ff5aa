"""While a game hides distances the set-up page tells nobody where a piece stands, finer than a drawing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
from websockets.sync.client import connect

from tests.server.fakes import PATIENCE
from tests.server.firsttime import BLUE_1, RED_1, asking, first_time, kept_first
from tests.server.gaming import Player

CULT: dict[str, Any] = {
    "game": "car_cult",
    "players": [{"name": "Red", "colour": "#c8322b"}, {"name": "Blue", "colour": "#1f6fd0"}],
    "pieces": [
        {"name": name, "owner": name.split()[0], "answers": {"engine": "Big Six"}}
        for name in ("Red 1", "Blue 1")
    ],
    "answers": {},
}


def shown(client: httpx.Client) -> dict[int, list[list[float]]]:
    """The corners of each tag in the picture, pixels."""
    return {tag["tag"]: tag["corners"] for tag in client.get("/api/setup").json()["tags"]}


def whole(corners: list[list[float]]) -> bool:
    return all(float(value).is_integer() for corner in corners for value in corner)


def test_the_tags_in_the_picture_are_as_a_drawing_has_them(tmp_path: Path) -> None:
    with first_time(tmp_path / "tables", "sim:first", kept=kept_first(RED_1, BLUE_1)) as first:
        where = first.server.address.replace("http", "ws") + "ws/play"
        with asking(first) as client, connect(where, open_timeout=PATIENCE) as page:
            before = shown(client)
            assert not whole(before[41])
            owner = Player(page)
            owner.done(type="setup", draft=CULT)
            owner.done(type="begin")
            hidden = shown(client)
            assert whole(hidden[41])
            assert whole(hidden[43])
            assert not whole(hidden[0]), "the table's own corners tell nothing of a piece"
            # Still round the tag, for whoever looks at the picture.
            for told, seen in zip(hidden[41], before[41], strict=True):
                assert abs(told[0] - seen[0]) < 5
                assert abs(told[1] - seen[1]) < 5
            owner.done(type="concede", player="Red")
            assert not whole(shown(client)[41])
