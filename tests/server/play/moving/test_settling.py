"""What the referee does by itself: a crash of three confirms itself as the cars turn green, in any order."""

from __future__ import annotations

import math
from typing import Any

from engine.space.table import TableState
from server.play.messages import Undo
from server.play.moving.settling import Settling
from tests.engine.tables import car, table
from tests.server.play.test_host import OWNER, act, begun, done, key

CARS = {"Red 2": (8.0, 8.0), "Blue 1": (24.0, 24.0), "Blue 2": (40.0, 40.0)}


def test_a_crash_of_three_in_any_order_and_what_was_undone_is_not_taken_again() -> None:
    turned: dict[str, float] = dict.fromkeys(CARS, 0.0)

    def seen() -> TableState:
        return table(*(car(name, *xy, turned[name]) for name, xy in CARS.items()))

    host = begun()
    done(act(host, OWNER, "choose", car="Red 2"))
    done(act(host, OWNER, "move", car="Red 2", contacts=["Blue 1", "Blue 2"]))
    host.seeing._table = seen
    settling = Settling(host)

    def owed() -> list[str]:
        assert host.match is not None
        return [duty.car for duty in host.match.state.duties]

    def look() -> None:
        assert host.match is not None
        ghosts: list[dict[str, Any]] = [
            {"piece": name, "right": math.isclose(turned[name], 180.0), "free": 0.0} for name in owed()
        ]
        settling.look(host.match.options(), ghosts)

    look()
    assert sorted(owed()) == sorted(CARS)
    for k, name in enumerate(("Blue 2", "Red 2", "Blue 1"), start=1):
        turned[name] = 180.0
        look()
        assert len(owed()) == 3 - k
        assert name not in owed()
        # Nobody did it: the log names nobody.
        assert host.match is not None
        assert host.match.counted[-1].words == f"seen: {name} has been placed"
    done(host.ask(OWNER, Undo(type="undo", key=key())))
    for _ in range(3):
        look()
    assert owed() == ["Blue 1"]
