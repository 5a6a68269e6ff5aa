"""Speed Counters of Battlecars: until all are placed, no message tells anybody else what was chosen."""

from __future__ import annotations

import json
from typing import Any

from engine.game.registry import game_called
from server.play.messages import Act, Sit
from server.web.authentication import Identity
from tests.server.gaming import gaming

DRAFT: dict[str, Any] = {
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
        owner.done(type="setup", draft=DRAFT)
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
        other.shows(lambda s: "Speed Counters: RED1 2, BLUE1 1" in json.dumps(s))
        assert match.state.vehicle("RED1").speed == 2
