"""Questions, reach and rulings for people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from shapely.geometry import Point, Polygon

from calibration.gains import Gain
from engine.game.showing import Mark
from engine.space.geometry import Pose
from engine.space.table import PoseUncertainty, Standing, Status, TableState
from server.formats.units import LengthUnit
from server.table.projection import TableSpace
from server.table.questions.ruling_messages import RulingView
from server.table.questions.ruling_view import mark_view, question_view, ruling_view, surer_words
from server.table.questions.rulings import Rulings
from tests.calibration.test_surface import camera
from tests.server.fakes import STANDINGS, SURFACE

BOOK = Rulings.by_book(None)
SPACE = TableSpace()
SURE = PoseUncertainty.isotropic(0.01, 0.01)


def table_with(**poses: Pose) -> TableState:
    return TableState.of(SURFACE, [Standing(STANDINGS[n][0], p, SURE) for n, p in poses.items()], 3.0)


def test_a_question_is_told_in_the_viewers_unit() -> None:
    view = question_view(BOOK.find(("RED1", "BLUE1"), "Harpoon"), "cm")
    assert view.label == "Harpoon"
    assert view.more.startswith("Short 15.2 cm, Maximum 40.6 cm; ")
    assert BOOK.find(("RED1", "BLUE1"), view.key).label == "Harpoon"


class TestReach:
    """A car in the middle of the table that looks up."""

    TABLE = table_with(RED1=Pose(24, 24, math.pi / 2))

    def reach(self, label: str) -> tuple[Polygon, ...]:
        marks = BOOK.reach(BOOK.find(("RED1",), label), self.TABLE)
        shown = {m.role: Polygon(mark_view(m, SPACE, "in").points) for m in marks}
        return shown["arc"], shown["far reach"], shown["reach"]

    @pytest.mark.parametrize(
        ("x", "y", "in_arc", "in_maximum", "in_short"),
        [
            (24, 30, True, True, True),
            (24, 40, True, True, False),
            (24, 46, True, False, False),
            (24, 20, False, False, False),
            (4.2, 25.5, True, True, False),
            (4.2, 24.5, False, False, False),
        ],
    )
    def test_forward(self, x: float, y: float, in_arc: bool, in_maximum: bool, in_short: bool) -> None:
        spot = Point(x, y)
        assert tuple(r.covers(spot) for r in self.reach("Machine Gun")) == (in_arc, in_maximum, in_short)

    def test_all_round(self) -> None:
        arc, maximum, _ = self.reach("Creaky Turret")
        assert arc.covers(Point(24, 1))
        assert maximum.covers(Point(24, 12))

    def test_is_measured_from_the_nearer_front_tyre(self) -> None:
        _, maximum, _ = self.reach("Machine Gun")
        tyres = self.TABLE.standings[0].piece.body.tyres
        assert tyres is not None
        right = self.TABLE.standings[0].pose.to_table(tyres[1])
        # The ring is a polygon: between its corners it runs a little inside the circle.
        assert maximum.bounds[2] == pytest.approx(right[0] + 20, abs=0.02)

    def test_ends_at_the_tables_edge(self) -> None:
        for area in self.reach("Plinker"):
            assert SURFACE.polygon.buffer(0.01).covers(area)

    def test_terrain_does_not_aim(self) -> None:
        table = table_with(mug=Pose(5, 5))
        assert BOOK.reach(BOOK.find(("mug",)), table) == ()

    def test_a_disc_is_drawn_as_its_outline(self) -> None:
        disc = Mark("disc", "template", ((10.0, 10.0),), "blast of 3 in", radius=3.0)
        view = mark_view(disc, SPACE, "in")
        assert (view.shape, view.role, view.words) == ("polygon", "template", "blast of 3″")
        assert Polygon(view.points).area == pytest.approx(math.pi * 9, rel=0.01)


class TestRulings:
    CLEAR = table_with(RED1=Pose(10, 10, 0), BLUE1=Pose(20, 10, 0), RED3=Pose(40, 40, 0))
    BLOCKED = table_with(RED1=Pose(10, 10, 0), BLUE1=Pose(20, 10, 0), RED3=Pose(15, 10, math.pi / 2))

    def ruled(self, table: TableState, unit: LengthUnit = "in") -> RulingView:
        question, ruling = BOOK.answer(table, ("RED1", "BLUE1"))
        return ruling_view(table, ruling, question, SPACE, unit)

    def test_yes_names_what_it_brings(self) -> None:
        view = self.ruled(self.CLEAR)
        assert (view.verdict, view.headline) == ("yes", "Yes")
        assert view.sentence == ("RED1 may fire the Machine Gun at BLUE1, with Short Range and Tailgate.")

    def test_no_names_what_is_in_the_way(self) -> None:
        view = self.ruled(self.BLOCKED)
        assert view.verdict == "no"
        assert view.blockers == ["RED3"]
        assert "Line of Sight: blocked by RED3" in view.sentence

    def test_too_close_says_why(self) -> None:
        held = replace(
            self.CLEAR,
            standings=(self.CLEAR.standings[0], replace(self.CLEAR.standings[1], status=Status.HELD)),
        )
        view = self.ruled(held)
        assert view.verdict == "too close to call"
        assert view.sentence.startswith("RED1 may perhaps fire the Machine Gun at BLUE1.")
        assert (
            view.stale
            == "This is about where they were last seen: BLUE1 is covered, held in place, seen 3.0 s ago."
        )

    @pytest.mark.parametrize("unit", ["in", "cm"])
    def test_every_check_has_its_figures_in_words(self, unit: LengthUnit) -> None:
        view = self.ruled(self.CLEAR, unit)
        for check in view.checks:
            assert check.citation
            figures = (check.number_words, check.limit_words, check.margin_words, check.deviation_words)
            for figure in figures:
                assert figure.endswith("″" if unit == "in" else " cm"), check.name

    def test_the_lines_run_from_one_to_the_other(self) -> None:
        view = self.ruled(self.CLEAR)
        assert {m.role for m in view.lines} == {"sight", "range"}
        one, other = (s.region.polygon.buffer(0.2) for s in self.CLEAR.standings[:2])
        for mark in view.lines:
            assert one.covers(Point(mark.line[0]))
            assert other.covers(Point(mark.line[-1]))
            assert Polygon(mark.band).covers(Point(np.mean([mark.line[0], mark.line[-1]], axis=0)))


@dataclass(frozen=True, eq=False)
class Leaving(Gain):
    """A gain that leaves a share of the errors that all places have in common."""

    share: float = 1.0

    def applied(self, table: TableState) -> TableState:
        left = [
            replace(s, uncertainty=replace(s.uncertainty, shared=self.share * s.uncertainty.shared))
            for s in table.standings
        ]
        return replace(table, standings=tuple(left))


LENGTH = Leaving("with a known length", camera(), 0.8)
LENS = Leaving("with the lens calibrated", camera(), 0.1)


class TestSurer:
    """A shot at the very end of its range, on a table whose size nobody knows well."""

    def told(self, ahead: float, gains: Sequence[Gain], unit: LengthUnit = "in", own: float = 0.01) -> str:
        def standing(name: str, pose: Pose) -> Standing:
            scale = np.array([[0.02 * pose.x], [0.02 * pose.y], [0.0]])
            return Standing(STANDINGS[name][0], pose, PoseUncertainty(np.eye(3) * own**2, scale))

        cars = [standing("RED1", Pose(10, 10, 0)), standing("BLUE1", Pose(10 + ahead, 10, 0))]
        table = TableState.of(SURFACE, cars, 3.0)
        question, ruling = BOOK.answer(table, ("RED1", "BLUE1"), "Machine Gun")
        return surer_words(BOOK, question, ruling, table, gains, unit)

    def test_the_least_that_would_settle_it_is_told(self) -> None:
        words = self.told(22.0, (LENGTH, LENS))
        assert words.startswith("Probably clear with the lens calibrated: ")
        assert words.endswith(" The set-up page leads there.")
        assert "Maximum Range to ±0.0" in words
        assert "instead of ±0.4" in words
        assert self.told(22.0, (LENS, LENGTH)) == words

    def test_in_the_viewers_unit(self) -> None:
        assert " cm instead of ±1." in self.told(22.0, (LENS,), "cm")

    def test_what_would_not_settle_it_is_not_told(self) -> None:
        assert self.told(22.0, (LENGTH,)) == ""
        assert self.told(22.0, ()) == ""
        assert self.told(22.0, (LENS,), own=0.5) == "", "the places of the cars themselves are too unsure"

    def test_a_clear_ruling_wants_nothing(self) -> None:
        assert self.told(12.0, (LENGTH, LENS)) == ""
