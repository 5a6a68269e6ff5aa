"""What the pages of a game are told: once for all who may know the same, and never another's."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from engine.space.geometry import Pose
from server.pipeline.runner import Runner
from server.pipeline.snapshot import Snapshot
from server.play.messages import PlayState
from server.play.view import Scene
from server.web.authentication import Identity
from tests.server.fakes import HandMoved, KnowsAll
from tests.server.play.test_host import ANNA, BEN, GUEST, OWNER, act, begun, done


class Bench:
    """A match at a table that is stepped by hand, and the viewers for whom something was worked out."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.source = HandMoved(fps=1000)
        self.referee = KnowsAll(self.source)
        self.live = Runner(self.source, self.referee)
        self.step()
        self.host = begun(None, lambda: self.live.moment and self.live.moment.table)
        self.scene = Scene(self.host, self.live)
        self.made: Counter[str | None] = Counter()
        worked_out = Scene._state

        def counted(scene: Scene, who: Identity) -> PlayState:
            if scene is self.scene:
                self.made[self.host.player_of(who)] += 1
            return worked_out(scene, who)

        monkeypatch.setattr(Scene, "_state", counted)

    def step(self) -> None:
        moment = self.referee.step(self.source.read())
        self.live._snapshot = Snapshot(number=self.live.snapshot.number + 1, moment=moment, state="running")


def test_thirty_who_look_are_told_what_was_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(monkeypatch)
    guests = [replace(GUEST, device=f"{k:016}") for k in range(30)]
    for _ in range(3):
        for who in (*guests, ANNA, BEN, OWNER):
            state = bench.scene.state(who)
            assert (state.me.role, state.me.player) == (who.role, bench.host.player_of(who))
        bench.step()
    assert bench.made == {None: 2, "Anna": 1, "Ben": 1}  # those who look, and the owner


def test_each_is_told_what_is_theirs_and_whatever_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    # However soon after the last look the table changes: on a fast machine that is within half a second.
    monkeypatch.setattr("server.play.view.LOOK_EVERY", -1.0)
    bench = Bench(monkeypatch)

    def options(who: Identity) -> list[bool]:
        match = bench.scene.state(who).match
        assert match is not None
        return [bool(option["mine"]) for option in match.options]

    def fresh_is_told() -> None:
        for who in (GUEST, ANNA, BEN, OWNER):
            told, fresh = bench.scene.state(who), Scene(bench.host, bench.live).state(who)
            assert told == fresh

    assert (any(options(ANNA)), any(options(GUEST))) == (True, False)
    for change in (
        lambda: done(act(bench.host, ANNA, "choose", car="Red 1")),
        lambda: done(act(bench.host, ANNA, "move", car="Red 1")),
        lambda: bench.source.move("RED1", Pose(10, 10, 0)),
        lambda: bench.host.vacate(ANNA.device),
    ):
        fresh_is_told()
        before = sum(bench.made.values())
        change()
        bench.step()
        bench.scene.state(BEN)
        assert sum(bench.made.values()) > before, "it was not worked out anew"
        fresh_is_told()
    assert bench.scene.state(ANNA).me.player is None
    assert not any(options(ANNA))


def test_a_game_that_went_on_asks_anew_for_the_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two pictures, too: else what may be moved now is told with what was known before."""
    bench = Bench(monkeypatch)
    looks: list[int] = []

    class Counting:
        def view(self, snapshot: Snapshot) -> None:
            looks.append(snapshot.number)

    scene = Scene(bench.host, bench.live, Counting())
    scene.guide()
    scene.guide()
    assert len(looks) == 1
    done(act(bench.host, ANNA, "choose", car="Red 1"))
    scene.guide()
    assert looks == [bench.live.snapshot.number] * 2
    bench.step()
    scene.guide()
    assert looks[-1] == bench.live.snapshot.number
    assert len(looks) == 3
