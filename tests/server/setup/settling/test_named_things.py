"""Several owners say at once what lies on the table: each thing is one piece, and none is lost."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from calibration.tablefile import parse_table
from engine.errors import TableRefError
from engine.space.geometry import Footprint, Pose
from engine.space.table import ThingName
from server.pipeline.referee import Moment
from server.setup.settling.named_things import Terrain
from tests.evening.table import Eyes, Hands
from vision.side import SideHeight
from vision.simulate.scenes import duel_scene
from vision.things import STAYS_S

HIGH = SideHeight(2.0)


class Live:
    """A runner that looks when it is told to."""

    def __init__(self) -> None:
        self.hands = Hands(duel_scene(), "noise")
        self.hands.found = True
        self.eyes = Eyes(self.hands, parse_table(self.hands.text, "here"))
        self.told: list[str] = []
        for k, at in enumerate(((8.0, 8.0), (16.0, 8.0))):
            outline = np.asarray(Pose(*at).to_table(Footprint.disc(1.5).outline))
            self.hands.unnamed[ThingName(f"Thing {k}")] = (outline, -STAYS_S)
        self.moment: Moment = self.look()

    def look(self) -> Moment:
        self.hands.want()
        self.moment = self.eyes.step(self.hands.read())
        return self.moment

    @property
    def table(self) -> Any:
        return self.eyes.table

    def adopt(self, table: Any, *, outlined: str = "", thing: str = "") -> bool:
        return self.eyes.adopt(table, outlined=outlined, thing=thing)

    def name_thing(self, name: str) -> bool:
        return self.eyes.name_thing(name)

    def note(self, entry: Any) -> None:
        self.told.append(entry.words)

    def announce(self, _: object) -> None:
        return


def outlined(live: Live) -> list[str]:
    return sorted(piece.name for piece in live.table.pieces if piece.spot is not None)


def test_a_thing_is_said_to_be_one_thing() -> None:
    live: Any = Live()
    terrain = Terrain(live, None)
    terrain.keep("Thing 0", "Rock", HIGH)
    with pytest.raises(TableRefError, match="somebody has just said what Thing 0 is"):
        terrain.keep("Thing 0", "Wall", HIGH)
    with pytest.raises(TableRefError, match="somebody has just said"):
        terrain.named("Thing 0", "flat")
    terrain.named("Thing 1", "nothing")
    with pytest.raises(TableRefError, match="somebody has just said"):
        terrain.keep("Thing 1", "Wall", HIGH)
    assert outlined(live) == ["Rock"]
    assert len(live.told) == 2
    live.look()
    with pytest.raises(TableRefError, match="not on the table any more"):
        terrain.keep("Thing 0", "Wall", HIGH)


def test_of_two_that_are_kept_at_once_none_is_lost() -> None:
    live: Any = Live()
    texts: list[str] = []
    reads, both = 0, threading.Barrier(2)

    def table(self: Any) -> Any:
        # Both have read the table before either has changed it, unless one waits for the other.
        nonlocal reads
        reads += 1
        if reads <= 2:
            with suppress(threading.BrokenBarrierError):
                both.wait(0.5)
        return self._live.table

    class Slow(Terrain):
        pass

    Slow.table = table  # type: ignore[method-assign]
    terrain = Slow(live, texts.append)
    calls = [threading.Thread(target=terrain.keep, args=(f"Thing {k}", f"Rock {k}", HIGH)) for k in range(2)]
    for call in calls:
        call.start()
    for call in calls:
        call.join()
    assert outlined(live) == ["Rock 0", "Rock 1"]
    assert texts[-1] == live.table.text


def test_nothing_is_called_like_a_piece_that_is_played_with() -> None:
    live: Any = Live()
    terrain = Terrain(live, None, lambda: ["The truck"])
    with pytest.raises(TableRefError, match="another piece is called the TRUCK already"):
        terrain.keep("Thing 0", "the TRUCK", HIGH)
    assert outlined(live) == []
