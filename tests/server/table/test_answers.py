"""What is asked of a table is worked out anew with whatever it may depend on, and not for a frame alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine.game.contract import Question
from engine.game.events import Reason
from engine.game.showing import Mark
from engine.ruling import Ruling
from engine.space.geometry import Pose, Region
from engine.space.table import PoseUncertainty, Standing, Status, TableState
from server.table.projection import TableSpace
from server.table.questions.rulings import Rulings
from server.table.state import ANSWERS_KEPT, Answers, Wish, _Asked
from tests.server.fakes import STANDINGS, SURFACE
from tests.server.table.test_questions import HIDING

SURE = PoseUncertainty.isotropic(0.012, 0.01)
SPACE = TableSpace()
ASKS = Wish(pieces=("RED1", "BLUE1"))


class Counting:
    """Counts what its game is asked."""

    def __init__(self) -> None:
        self.calls = 0
        self.game = replace(HIDING, questions=self.questions, rule=self.rule, reach=self.reach)

    def questions(self, state: str | None, picked: tuple[str, ...]) -> tuple[Question, ...]:
        self.calls += 1
        return (*HIDING.questions(state, picked), Question("size", "How large?", picked, {}, "Size"))

    def rule(self, state: str | None, question: Question, table: TableState) -> Ruling:
        self.calls += 1
        return HIDING.rule(state, question, table)

    def reach(self, state: str | None, question: Question, table: TableState) -> tuple[Mark, ...]:
        self.calls += 1
        middle = table.find(question.pieces[0]).pose
        return (Mark("disc", "reach", ((middle.x, middle.y),), radius=12.0, words=str(state)),)


class Bench:
    """A table, a game at it, and what one wish is told of it."""

    def __init__(self) -> None:
        self.game = Counting()
        self.state: str | None = "declared"
        self.withheld: Reason | None = None
        self.wish = ASKS
        self.time = 10.0
        self.surface: Region = SURFACE
        self.standings = {
            name: Standing(piece, pose, SURE, Status.STILL, 1.0, 10.0)
            for name, (piece, pose) in STANDINGS.items()
        }
        self.rulings = Rulings(lambda: (self.game.game, self.state), lambda _: self.withheld)
        self.answers = Answers(self.rulings)

    def put(self, name: str, **changed: Any) -> None:
        self.standings[name] = replace(self.standings[name], **changed)

    def frame(self) -> TableState:
        """The next frame: what is in plain view was seen in it."""
        self.time += 1 / 30
        standings = (replace(s, seen_at=self.time) if s.seen else s for s in self.standings.values())
        return TableState.of(self.surface, standings, self.time)

    def told(self) -> _Asked:
        """What is told of the next frame; it is what would be told by one who remembers nothing."""
        table = self.frame()
        space = None if self.wish.view == "picture" else SPACE
        told = self.answers.to(table, self.wish, space)
        calls = self.game.calls
        assert told == Answers(self.rulings).to(table, self.wish, space)
        self.game.calls = calls
        return told


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_frames_of_a_table_at_rest_ask_the_game_nothing(bench: Bench) -> None:
    first = bench.told()
    assert first.ruling is not None
    calls = bench.game.calls
    for _ in range(30):
        again = bench.told()
        assert again.ruling is not None
        assert again.ruling.time == round(bench.time, 3)
        assert again.ruling.checks is first.ruling.checks
    assert bench.game.calls == calls > 0


def moved(x: float = 0.0, turn: float = 0.0) -> Callable[[Bench], None]:
    def change(bench: Bench) -> None:
        pose = bench.standings["BLUE1"].pose
        bench.put("BLUE1", pose=Pose(pose.x + x, pose.y, pose.heading + turn))

    return change


def unsure(own: float, shared: float) -> Callable[[Bench], None]:
    return lambda bench: bench.put(
        "RED1", uncertainty=PoseUncertainty(SURE.own * own, np.full((3, 1), shared))
    )


def status(to: Status) -> Callable[[Bench], None]:
    return lambda bench: bench.put("RED1", status=to)


def another(**changed: Any) -> Callable[[Bench], None]:
    return lambda bench: bench.__dict__.update(changed)


CHANGES: dict[str, Callable[[Bench], None]] = {
    "a pose": moved(x=1e-9),
    "a heading": moved(turn=1e-9),
    "a far pose": moved(x=3.0),
    "a deviation": unsure(1.0001, 0.0),
    "what deviations have in common": unsure(1.0, 1e-6),
    "a piece that moves": status(Status.MOVING),
    "a hand over a piece": status(Status.HELD),
    "a piece that is gone": status(Status.LOST),
    "since when": lambda bench: bench.put("RED1", since=2.0),
    "another piece": lambda bench: bench.put("RED1", piece=replace(STANDINGS["RED1"][0], owner="Ben")),
    "a piece that was never seen": lambda bench: bench.standings.pop("BLUE1") and None,
    "one in the way": lambda bench: bench.put("mug", pose=Pose(14.0, 20.0, 0.0)),
    "the surface": another(surface=Region.rectangle(0, 0, 47, 48)),
    "the match": another(state="went on"),
    "no match": another(state=None),
    "another game": lambda bench: setattr(bench, "game", Counting()),
    "withheld": another(withheld=Reason("not now", "Hiding 1 · Aim")),
    "other pieces": another(wish=Wish(pieces=("RED2", "BLUE1"))),
    "the other way round": another(wish=Wish(pieces=("BLUE1", "RED1"))),
    "another question": another(wish=replace(ASKS, question="Size")),
    "another unit": another(wish=replace(ASKS, unit="cm")),
    "another view": another(wish=replace(ASKS, view="picture")),
}


@pytest.mark.parametrize("what", CHANGES)
def test_the_answer_follows_whatever_changes(bench: Bench, what: str) -> None:
    bench.told()
    before = bench.game.calls
    CHANGES[what](bench)
    told = bench.told()
    if what == "a piece that was never seen":
        assert told.ruling is None
        return
    assert bench.game.calls > (0 if what == "another game" else before), "it was not worked out anew"
    if what == "withheld":
        assert told.refusal is not None
        assert "not now" in told.refusal
        bench.withheld = None
        assert bench.told().ruling is not None
    if what == "a hand over a piece":
        stale = {told.ruling.stale for told in (bench.told() for _ in range(40)) if told.ruling}
        assert len(stale) > 1, "how long it has been covered is told of every frame"


def test_all_changes_in_a_row_and_back_again(bench: Bench) -> None:
    for what, change in CHANGES.items():
        kept = dict(bench.__dict__), dict(bench.standings)
        change(bench)
        bench.told()
        bench.__dict__.update({k: v for k, v in kept[0].items() if k != "time"})
        bench.standings = kept[1]
        assert bench.told().ruling is not None, what


def test_an_answer_of_a_match_that_went_on_meanwhile_is_not_kept(bench: Bench) -> None:
    class GoesOn(Counting):
        def rule(self, state: str | None, question: Question, table: TableState) -> Ruling:
            bench.state = "went on"
            return super().rule(state, question, table)

    bench.game = GoesOn()
    bench.answers.to(bench.frame(), ASKS, SPACE)
    bench.state = "declared"
    before = bench.game.calls
    bench.answers.to(bench.frame(), ASKS, SPACE)
    assert bench.game.calls > before


def test_so_many_answers_are_kept_and_no_more(bench: Bench) -> None:
    bench.wish = Wish()
    for k in range(2 * ANSWERS_KEPT):
        moved(x=0.001 * k)(bench)
        bench.answers.to(bench.frame(), bench.wish, SPACE)
    assert len(bench.answers._known) == ANSWERS_KEPT
