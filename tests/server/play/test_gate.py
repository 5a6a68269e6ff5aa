"""Where a book hides distances, nothing that leaves for a page or a printer tells one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from engine.game.contract import About, Game, Option, Question, Seen
from engine.game.events import Event, Illegal, Reason
from engine.game.forms import Candidate, Fact, Form, Pick
from engine.game.kit.actions import Rule
from engine.game.kit.events import Events
from engine.game.kit.states import States
from engine.game.showing import Awaited, Counter, Ghost, Guide, Mark, Place, Progress, Sheet, Status, Words
from engine.game.viewing import distances_in
from engine.ruling import Verdict
from engine.space.geometry import Pose, Region
from engine.space.table import PoseUncertainty, Standing, TableState
from server.table.gate import DRAWN, DRAWN_TURN, sheets_told, table_of
from tests.server.gaming import Player, Table, gaming
from vision.simulate.scenes import named_scene

BOOK = "Hide 1"
FAR = "8.42 in of 10 in"
SQUARE = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0))


@dataclass(frozen=True)
class Hidden:
    """Whether a target was declared."""

    declared: bool = False


class Hide:
    """Tells a distance wherever it tells anything; a move's own length may be told after declaring."""

    def begin(self, setup: Any) -> tuple[Event, ...]:
        return (Event("begin", {}, f"RED1 is {FAR} away", BOOK),)

    def offers(self, state: Hidden, seen: Seen) -> tuple[Option, ...]:
        reason = Reason(f"too far: {FAR}", BOOK)
        pick = Pick(words=f"How: {FAR}", candidates=(Candidate("a 9.5 in gun", f"at {FAR}", FAR, (reason,)),))
        return (
            Option("declare", "Anna", f"Declare, {FAR}", FAR, FAR, FAR),
            Option("shoot", "Anna", f"Shoot, {FAR}", form=Form({"how": pick}), facts=(Fact(FAR, FAR),),
                   not_now=(reason,)),
        )  # fmt: skip

    def do_declare(self, play: Any, action: Any) -> None:
        play.tell("declared", f"declared at {FAR}", BOOK)

    def do_shoot(self, play: Any, action: Any) -> None:
        raise Illegal((Reason(f"too far: {FAR}", BOOK),))

    def may_ask(self, state: Hidden | None, question: Question) -> bool:
        own = (question.kind, question.pieces) == ("move", ("RED1",))
        return state is None or (state.declared and own)

    def awaits(self, state: Hidden) -> tuple[Awaited, ...]:
        return (Awaited("RED1", "move", "Anna", "now"),)

    def guide(self, state: Hidden, awaited: Awaited, move: Any, table: Any) -> Guide:
        return Guide(
            "RED1", "ready", f"{FAR} to go", FAR, Verdict.YES, Progress(8.42, 10.0, FAR), (FAR,), (FAR,),
            marks=self.marks(state, table, None), take=FAR,
        )  # fmt: skip

    def ghosts(self, state: Hidden, seen: Seen) -> tuple[Ghost, ...]:
        return (Ghost("RED1", (9.0, 9.0, 0.0), f"{FAR} away", BOOK),)

    def status(self, state: Hidden, viewer: Any) -> Status:
        return Status(FAR, FAR, FAR, order=(Place("Anna", count=1, count_words=FAR), Place("Ben")))

    def sheets(self, state: Hidden, viewer: Any) -> tuple[Sheet, ...]:
        widgets = (
            Words(words="Gone", text=FAR, more=FAR),
            Counter(words=FAR, value=3, more=FAR, path=("declared",)),
        )
        return (Sheet("RED1", "Anna", widgets, "RED1", FAR, FAR, FAR),)

    def marks(self, state: Hidden, table: Any, viewer: Any) -> tuple[Mark, ...]:
        return (
            Mark("polygon", "reach", SQUARE), Mark("disc", "range", SQUARE[:1], radius=8.42),
            Mark("line", "sight", SQUARE[:2], FAR), Mark("polygon", "goal", SQUARE),
        )  # fmt: skip


def hide() -> Game[Hidden]:
    """Such a game."""
    game, events = Hide(), Events[Hidden]("Hide")
    events.on("begin")(lambda state, _data: state)
    events.only_told("drawn")
    events.on("declared")(lambda state, _data: replace(state, declared=True))
    kept = ("begin", "offers", "may_ask", "awaits", "guide", "ghosts", "status", "sheets", "marks")
    return Game(
        about=About("hide", "Hide", BOOK, "1", measuring="after declaring"),
        states=States(Hidden),
        events=events,
        rules={
            "declare": Rule(game.do_declare, "declare", BOOK),
            "shoot": Rule(game.do_shoot, "shoot", BOOK),
        },
        **{name: getattr(game, name) for name in kept},
    )


@pytest.fixture
def table() -> Iterator[Table]:
    with gaming(screen=True) as one:
        one.host.game = hide()
        yield one


def begun(owner: Player) -> None:
    pieces = [{"name": "RED1", "owner": "Anna"}, {"name": "BLUE1", "owner": "Ben"}]
    players = [{"name": "Anna", "colour": "#c8322b"}, {"name": "Ben", "colour": "#1f6fd0"}]
    owner.done(type="setup", draft={"players": players, "pieces": pieces, "answers": {}})
    owner.done(type="begin")


def guided(player: Player, *, progress: bool) -> dict[str, Any]:
    """The next message whose guide has a bar, or none, as said."""
    return player.hear_until(lambda m: m.get("guide") and (m["guide"]["progress"] is not None) == progress)


def measured(message: dict[str, Any]) -> list[str]:
    """Distances that people could read in a message, the value that a page sends back left aside."""
    return distances_in(json.loads(json.dumps(message).replace("a 9.5 in gun", "")))


@pytest.mark.parametrize("role", ["owner", "player", "spectator"])
def test_no_way_out_tells_a_distance(table: Table, role: Any) -> None:
    with table.joined() as owner, table.joined(role) as looks:
        begun(owner)
        # The guide may come after the match, by itself.
        seen = looks.shows(lambda m: m.get("match") is not None and m["guide"] is not None)
        assert measured(seen) == []
        # The rest is told: words, whole inches of the book, where the piece must stand.
        assert "… of 10″" in seen["guide"]["headline"]
        assert seen["guide"]["progress"] is None
        for marks in (seen["guide"]["marks"], seen["match"]["marks"]):
            assert [mark["role"] for mark in marks] == ["sight", "goal"]
        assert "of 10" in seen["match"]["sheets"][0]["widgets"][0]["text"]
        assert seen["match"]["ghosts"][0]["pose"] == [9.0, 9.0, 0.0]
        assert "…" in seen["match"]["log"][-1]["words"]


def test_what_a_page_sends_back_stays_as_it_was(table: Table) -> None:
    with table.joined() as owner:
        begun(owner)
        seen = owner.hear_until(lambda m: m.get("match") is not None)
        shoot = next(o for o in seen["match"]["options"] if o["kind"] == "shoot")
        assert shoot["form"]["fields"]["how"]["candidates"][0]["value"] == "a 9.5 in gun"


def test_a_refusal_tells_no_distance(table: Table) -> None:
    with table.joined() as owner:
        begun(owner)
        answer = owner.act("shoot")
        assert not answer["accepted"]
        assert answer["reasons"][0]["words"].startswith("too far: …")
        assert measured(answer) == []


def test_the_length_of_a_move_is_told_once_the_game_allows_it_and_nothing_else(table: Table) -> None:
    with table.joined() as owner:
        begun(owner)
        guided(owner, progress=False)
        owner.done(type="act", kind="declare", data={})
        seen = guided(owner, progress=True)
        assert seen["guide"]["headline"] == "8.42″ of 10″ to go"
        assert seen["guide"]["marks"][0]["role"] == "reach"
        if "match" in seen:
            assert measured(seen["match"]) == []


def test_printed_sheets_tell_none(table: Table) -> None:
    with table.joined() as owner:
        begun(owner)
        match = table.host.match
        assert match is not None
        (sheet,) = sheets_told(match, match.game.sheets(match.state, None))  # type: ignore[arg-type]
        assert sheet.summary == "… of 10 in"
        assert sheet.widgets[1].path == ("declared",)


@pytest.mark.parametrize("share", [0.49, -0.49, 0.2])
def test_a_table_as_it_is_drawn_is_known_no_better_than_by_the_steps_of_the_drawing(share: float) -> None:
    at = Pose(*(4 * step + share * step for step in (DRAWN, DRAWN, DRAWN_TURN)))
    car = Standing(named_scene("default").pieces[0], at, PoseUncertainty.exact())
    (drawn,) = table_of(TableState(0.0, Region.rectangle(0, 0, 9, 9), (car,))).standings
    off = [drawn.pose.x - at.x, drawn.pose.y - at.y, drawn.pose.heading - at.heading]
    assert (np.abs(off) <= np.sqrt(np.diag(drawn.uncertainty.total))).all()
    assert off == pytest.approx([-share * DRAWN, -share * DRAWN, -share * DRAWN_TURN], abs=1e-4)
