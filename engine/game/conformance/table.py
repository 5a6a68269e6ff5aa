"""What must be true of any game on a table, and of what it brings to print."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from engine.boards.board import Board, Free
from engine.boards.hexes import Hexes
from engine.boards.points import Points
from engine.boards.road import Road
from engine.game.answering import itself
from engine.game.conformance.holding import Holding
from engine.game.conformance.playing import Push, answered, plain, pushes, tables
from engine.game.contract import Game, Option, Seen
from engine.game.dice import SeededDice
from engine.game.events import Illegal
from engine.game.match import Match
from engine.game.records import to_json
from engine.game.viewing import distances_in, permitted
from engine.ruling import Ruling
from engine.space.catalogue import car
from engine.space.geometry import Pose
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing, Status, TableState
from engine.words import listed

BOARDS: Mapping[str, Board] = {
    "free": Free(),
    "points": Points(6, 5, frame=Pose(4.0, 5.0)),
    "hexes": Hexes.field(6, 5, frame=Pose(4.0, 5.0)),
    "road": Road(20.0, 8.0, frame=Pose(4.0, 5.0)),
}
"""A board of each kind, as a table file may have it."""

SPACINGS = (0.5, 1.0, 2.0, 3.0)
"""Spacings to which counters are made, inches."""

PUSHES = 24
"""Pushes that are held of a game."""


class TableConformance(Holding):
    """Tests with a table."""

    # What is printed

    def test_counters_to_cut_out_are_named_exactly_where_they_are_made(self) -> None:
        made = getattr(_maps_of(self.game), "cutouts", None)
        assert self.game.about.cutouts == (made is not None), (
            "`about.cutouts` says whether the module `maps` has `cutouts`: no page offers what is not there"
        )
        for found in [] if made is None else [made(), *(made(apart) for apart in SPACINGS)]:
            assert found
            assert all(one.lines and one.count > 0 < min(one.across, one.deep) for one in found)

    def test_maps_of_ones_own_are_named_exactly_where_they_are_laid(self) -> None:
        laying = getattr(_maps_of(self.game), "LAYING", None)
        assert self.game.about.lays == (laying is not None), (
            "`about.lays` says whether the module `maps` has `LAYING`: no page offers what is not there"
        )
        if laying is not None:
            found = laying.look(laying.beginning, 1.0)
            assert found.name
            assert set(found.pieces) <= set(laying.pieces)

    # Boards, questions, ghosts

    def test_a_table_may_be_looked_at_anywhere(self) -> None:
        for match in self.positions():
            for table in tables(match, self.json(match)):
                seen = Seen(table)
                names = tuple(s.name for s in table.standings)
                for viewer in self.viewers(match):
                    marks = self.game.marks(match.state, table, viewer)
                    self.hold_known(marks)
                    plain([to_json(marks)])
                plain([to_json(o) for o in match.options(seen)])
                for option in match.options(seen):
                    self.hold_asked_of_a_table(match, option, table)
                for picked in ((), names[:1], names[:2]):
                    for question in self.game.questions(match.state, picked):
                        plain(to_json(question))
                        if not question.missing and permitted(self.game, match.state, question) is None:
                            ruling = self.game.rule(match.state, question, table)
                            reach = self.game.reach(match.state, question, table)
                            self.hold_known(reach)
                            self.hold_words([_told(ruling), plain(to_json(question)), plain(to_json(reach))])
                for awaited in self.game.awaits(match.state):
                    guide = self.game.guide(match.state, awaited, None, table)
                    self.hold_known(guide)
                    said = (guide.headline, guide.words, *guide.steps, *guide.facts)
                    checked = [] if guide.ruling is None else _told(guide.ruling)
                    self.hold_words([*checked, *({"words": words} for words in said)])

    def hold_asked_of_a_table(self, match: Match[Any], option: Option, table: TableState) -> None:
        """Hold that a page can ask what an option asks: by its label, about pieces that are seen."""
        question = option.question
        if question is None or any(table.called(name) is None for name in question.pieces):
            return
        found = self.game.questions(match.state, question.pieces)
        assert (question.pieces, question.label) in {(one.pieces, one.label) for one in found}, (
            f"{option.kind}: no page shows what rules on it: `questions` has no {question.label!r} for "
            f"{listed(question.pieces)}"
        )

    def test_a_piece_that_is_pushed_is_judged(self) -> None:
        """Whatever a hand does with it: the screen, the reasons and what follows hold together."""
        looked = 0
        for seed in range(1, 9):
            for match, table in self.on_tables(seed):
                for push in pushes(match, table):
                    self.hold_push(match, push)
                    looked += 1
                if looked > PUSHES:
                    return
        silent = itself(self.game).awaits is vars(Game)["awaits"]
        assert looked or silent, "moves are awaited, but of no piece on the table: nothing was tried"

    def hold_push(self, match: Match[Any], push: Push) -> None:
        """The guide says it before, on the way and at rest; refused with reasons, or done and told again."""
        going = replace(push.move, after=replace(push.move.after, status=Status.MOVING))
        after = push.seen.table or push.table
        for move, table in ((None, push.table), (going, after), (push.move, after)):
            guide = self.game.guide(match.state, push.awaited, move, table)
            self.hold_known(guide)
            assert guide.headline, f"the screen of whoever pushes {push.awaited.piece} has no headline"
            checked = [] if guide.ruling is None else _told(guide.ruling)
            checked += [{"words": said} for said in (guide.headline, *guide.steps, *guide.facts)]
            self.hold_words([*checked, plain(to_json(replace(guide, ruling=None)))])
        for reason in self.game.check(match.state, push.action(), push.seen):
            self.hold_words(to_json(reason))
            self.hold_citation(reason.citation)
        action, against = answered(match, push)
        if against:
            return
        copy = Match.replay(self.game, match.log, match.secrets)
        try:
            self.hold_events(copy.do(action, push.seen, SeededDice(1)))
        except Illegal as illegal:
            raise AssertionError(f"a push against which nothing stands is refused: {illegal}") from illegal
        plain(self.json(copy))

    @pytest.mark.parametrize("kind", BOARDS)
    def test_a_piece_put_on_a_cell_stands_on_it(self, kind: str) -> None:
        known = self.game.about.boards
        assert known, "name the kinds of board that the game is played on"
        assert set(known) <= set(BOARDS), f"expected kinds of board among {', '.join(BOARDS)} but got {known}"
        if kind not in known:
            return
        piece = Piece("Any", "car", car("sedan"))
        looked: set[Any] = set()
        for match in self.positions():
            board = self.game.board(match.state, BOARDS[kind])
            assert board.kind in known, f"the board is {board.kind}, but `about` names {known}"
            if board in looked:
                continue
            looked.add(board)
            for cell in board.cells:
                for facing in range(board.facings):
                    put = Standing(piece, board.pose_of(cell, facing), PoseUncertainty.isotropic(0.01, 0.01))
                    snap = board.snap(put)
                    assert (snap.where, snap.cell, snap.facing) == ("cell", cell, facing)

    def test_a_piece_on_its_ghost_is_accepted(self) -> None:
        if itself(self.game).ghosts is vars(Game)["ghosts"]:
            return
        looked = 0
        for seed in range(1, 9):
            for match, table in self.on_tables(seed):
                for ghost in self.game.ghosts(match.state, Seen(table)):
                    if ghost.pose is None:
                        continue
                    to = Pose(*ghost.pose)
                    put = [replace(s, pose=to) if s.name == ghost.piece else s for s in table.standings]
                    after = TableState.of(table.surface, put, table.time)
                    again = [g for g in self.game.ghosts(match.state, Seen(after)) if g.piece == ghost.piece]
                    assert all(g.right for g in again[:1]), f"{ghost.words}: it stands there"
                    looked += 1
            if looked > 5:
                return
        assert looked, "no ghost came up: nothing was tried"

    def test_no_hidden_distance_is_told(self) -> None:
        if self.game.about.measuring == "always":
            return
        for match in self.positions():
            if permitted(self.game, match.state, None) is None:
                continue
            for table in tables(match, self.json(match)):
                for viewer in self.viewers(match):
                    *screens, log = plain(self.shown(match, viewer, Seen(table)))
                    # What an event tells as measured was measured when the book allowed it.
                    found = distances_in([*screens, [e for e in log if e.get("measured") is not True]])
                    assert not found, f"a distance is told before a target is declared: {found}"


def _told(ruling: Ruling) -> list[dict[str, str]]:
    """What people read of a ruling."""
    return [{"words": words} for check in ruling.checks for words in (check.name, check.words)]


def _maps_of(game: Game[Any]) -> ModuleType | None:
    """The module `maps` in the package, or one around it, in which a game's states are written."""
    package = sys.modules[game.states.of.__module__].__package__
    while package:
        if importlib.util.find_spec(f"{package}.maps") is not None:
            return importlib.import_module(f"{package}.maps")
        package = package.rpartition(".")[0]
    return None
