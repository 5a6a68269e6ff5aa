"""What was undone, disputed and settled stays so, in every game, on the real application."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from typer.testing import CliRunner

from engine.game.contract import NOTHING_SEEN
from engine.game.log.history import Batch
from engine.game.match import Match
from engine.game.registry import games
from engine.space.geometry import Pose
from engine.space.table import key_of
from server.commands.cli import app
from server.disputes.recorded.reopening import disputes_of, sealed
from server.play.moving.seeing import by_ids, ranges_in
from server.replay.rerule import rule_again
from server.table.gate import hides
from tests.evening import acts
from tests.evening.evening import Evening
from tests.evening.house import House

DRIVING = [one.about.id for one in games() if one.about is not None]

NUMBERS = {
    "battlecars": 2, "car_cult": 3, "frothy_races": 1, "shattered_highways": 2, "white_line_fever": 3,
}  # fmt: skip
"""Evenings in which a move is soon taken as measured."""

TRIES = 12
"""Deeds at the most until what a row needs has been done."""


def at_the_table(game: str, number: int, rows: Callable[[Evening, random.Random], None]) -> None:
    """Hold rows at the table of an evening that has just begun."""
    evening, held = Evening(game, number), []

    def after(one: Evening) -> None:
        rows(one, random.Random(game))
        held.append(one)

    evening.after = after
    evening.play(("0:agree",))
    assert held


def live(evening: Evening) -> Match[Any]:
    """Give the match that is played."""
    match = evening.at.served.match.match
    assert match is not None
    return match


def newest(evening: Evening) -> Batch[Any]:
    """Give what was done last."""
    return live(evening).counted[-1]


def driven(evening: Evening, chance: random.Random) -> Batch[Any]:
    """Drive until a move was taken as measured, and give it."""
    at, host = evening.at, evening.at.served.match
    for _ in range(TRIES):
        evening.open(chance, acts.PLAYED_ON, secretly=True)
        match = host.match
        assert match is not None
        cells = {key_of(g.piece): g.pose for g in match.game.on_board(match.state, NOTHING_SEEN)}
        for one in match.game.awaits(match.state):
            if one.anywhere or one.piece not in at.hands.poses:
                continue
            if (pose := cells.get(key_of(one.piece))) is not None:
                at.hands.poses[one.piece] = Pose(*pose)
                at.tick(6)
            if strays := [stray.piece for stray in host.strays()]:
                evening.send(House.owner, type="stays", pieces=strays)
            before = newest(evening).number
            if way := acts._way_of(evening, one, chance):
                acts._driven(evening, one, way, chance)
            now = newest(evening)
            if now.number > before and now.events[0].measured and ranges_in(now.events[0]):
                return now
    raise AssertionError("no move was taken as measured")


def settles(evening: Evening, pieces: Sequence[str]) -> None:
    """A question that was settled with *no* stays so until one of its pieces has moved."""
    at, host = evening.at, evening.at.served.match
    (one,) = live(evening).settled(host.seeing.now(host.owners))
    assert set(pieces) <= set(one.stood)
    here = at.hands.poses[pieces[0]]
    at.hands.poses[pieces[0]] = Pose(here.x + 2.0, here.y, here.heading)
    at.tick(6)
    assert live(evening).settled(host.seeing.now(host.owners)) == ()
    at.hands.poses[pieces[0]] = here
    at.tick(6)


def disputed(evening: Evening, about: dict[str, Any], outcome: str) -> dict[str, Any]:
    """The owner disputes what was done, or asked, and decides it; gives the dispute as it was opened."""
    at = evening.at
    opened = at.post(House.owner, "/api/disputes", about)
    assert opened.status_code == 200, opened.text
    body = {"outcome": outcome, "note": "as we saw it"}
    assert at.post(House.owner, "/api/disputes/now/propose", body).status_code == 200
    assert at.post(House.owner, "/api/disputes/now/release", {}).status_code == 200
    found: dict[str, Any] = opened.json()
    return found


@pytest.mark.parametrize("game", DRIVING)
def test_a_move_is_undone_taken_again_and_disputed(game: str) -> None:
    """It keeps its measurement, and the dispute about it shows what decided and stays in the archive."""

    def rows(evening: Evening, chance: random.Random) -> None:
        at, host = evening.at, evening.at.served.match
        was = driven(evening, chance)
        first = by_ids(was.events[0])
        assert evening.send(House.owner, type="undo")["accepted"]
        at.tick()
        named = next(iter(ranges_in(was.events[0]).values()))
        assert named["id"] in host.seeing.moves()
        message = {"type": "act", "kind": first.data["kind"], "player": first.data["player"]}
        assert evening.carry_out(House.owner, {**message, "data": first.data["data"]}, chance)["accepted"]
        now = newest(evening)
        assert [(e.kind, e.data, e.measured) for e in now.events] == [
            (e.kind, e.data, e.measured) for e in was.events
        ]
        assert now.events[0].measured is True
        offered = at.get(House.owner, "/api/disputes/offer").json()["subjects"]
        about: dict[str, Any] = {"key": f"batch:{now.number}"}
        by_batch = about["key"] in [one["key"] for one in offered]
        if not by_batch:  # on a board of cells nothing was measured of it that could be disputed
            about = {"pieces": evening.cars()[:2]}
        view = disputed(evening, about, "no")
        shown = {p["name"] for p in view["pictures"]}
        assert {"frame", "plan"} <= shown
        if by_batch:
            assert {"near", "before 1", "after 1"} <= shown
            assert now.number not in [batch.number for batch in live(evening).counted]
        else:
            settles(evening, about["pieces"])
        at.recorder.flush()
        reader = at.library.reader(at.game_id)
        (had,) = disputes_of(reader, at.library.place.pictures_of(at.game_id))
        assert had.id == view["id"]
        assert sealed(had).intact
        (listed,) = at.get(House.owner, f"/api/games/{at.game_id}/disputes").json()
        # Where the book hides distances, its file is given once the game is over.
        assert (listed["id"], listed["saved"]) == (
            view["id"],
            not hides(live(evening).game, live(evening).state),
        )
        done = CliRunner().invoke(app, ["dispute", at.game_id, "--library", str(at.library.place.folder)])
        assert view["id"] in done.output, done.output or done.exception
        assert not [one for one in rule_again(reader) if one.changes]

    at_the_table(game, NUMBERS[game], rows)
