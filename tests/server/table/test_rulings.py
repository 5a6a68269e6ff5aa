"""Where a weapon reaches, and rulings for people."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from shapely.geometry import Point, Polygon

from engine.errors import TableRefError
from engine.space.geometry import Pose
from engine.space.table import PoseUncertainty, Standing, Status, TableState
from server.table.projection import TableSpace
from server.table.rulebook import Weapon, WhiteLineFever
from server.table.rulings import aim_view, ruling_view, sentence, weapon_called
from tests.server.fakes import STANDINGS, SURFACE

BOOK, SPACE = WhiteLineFever(), TableSpace()
SURE = PoseUncertainty.isotropic(0.01, 0.01)
MACHINE_GUN = weapon_called(BOOK, None)


def table_with(**poses: Pose) -> TableState:
    return TableState.of(SURFACE, [Standing(STANDINGS[n][0], p, SURE) for n, p in poses.items()], 3.0)


def areas(outlines: list[list[tuple[float, float]]]) -> list[Polygon]:
    return [Polygon(o) for o in outlines]


class TestWeapons:
    def test_the_usual_one_is_meant_when_none_is_named(self) -> None:
        assert MACHINE_GUN.name == "Machine Gun"

    @pytest.mark.parametrize("name", ["machine gun", "Machine-Gun", "MACHINEGUN"])
    def test_are_found_as_people_type_them(self, name: str) -> None:
        assert weapon_called(BOOK, name) is not None

    @pytest.mark.parametrize("name", ["Spoon", "Oil"])
    def test_unknown_ones_and_droppables_are_refused_by_name(self, name: str) -> None:
        with pytest.raises(TableRefError, match=f"{name}.*Machine Gun"):
            weapon_called(BOOK, name)


class TestReach:
    """A car in the middle of the table that looks up."""

    TABLE = table_with(RED1=Pose(24, 24, math.pi / 2))

    def reach(self, weapon: Weapon):  # type: ignore[no-untyped-def]
        aim = aim_view(self.TABLE, self.TABLE.standings[0], weapon, SPACE, "in")
        assert aim is not None
        return areas(aim.arc)[0], areas(aim.maximum)[0], areas(aim.short)[0]

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
        assert tuple(r.covers(spot) for r in self.reach(MACHINE_GUN)) == (in_arc, in_maximum, in_short)

    def test_all_round(self) -> None:
        arc, maximum, _ = self.reach(weapon_called(BOOK, "Creaky Turret"))
        assert arc.covers(Point(24, 1))
        assert maximum.covers(Point(24, 12))

    def test_is_measured_from_the_nearer_front_tyre(self) -> None:
        _, maximum, _ = self.reach(MACHINE_GUN)
        tyres = self.TABLE.standings[0].piece.body.tyres
        assert tyres is not None
        right = self.TABLE.standings[0].pose.to_table(tyres[1])
        # The ring is a polygon: between its corners it runs a little inside the circle.
        assert maximum.bounds[2] == pytest.approx(right[0] + 20, abs=0.02)

    def test_ends_at_the_tables_edge(self) -> None:
        for area in self.reach(weapon_called(BOOK, "Plinker")):
            assert SURFACE.polygon.buffer(0.01).covers(area)

    def test_terrain_does_not_aim(self) -> None:
        table = table_with(mug=Pose(5, 5))
        assert aim_view(table, table.standings[0], MACHINE_GUN, SPACE, "in") is None


class TestRulings:
    CLEAR = table_with(RED1=Pose(10, 10, 0), BLUE1=Pose(20, 10, 0), RED3=Pose(40, 40, 0))
    BLOCKED = table_with(RED1=Pose(10, 10, 0), BLUE1=Pose(20, 10, 0), RED3=Pose(15, 10, math.pi / 2))

    def ruled(self, table: TableState, unit="in"):  # type: ignore[no-untyped-def]
        ruling = BOOK.rule(table, "RED1", "BLUE1", "Machine Gun")
        return ruling, ruling_view(table, ruling, MACHINE_GUN, SPACE, unit)

    def test_yes_names_what_it_brings(self) -> None:
        ruling, view = self.ruled(self.CLEAR)
        assert (view.verdict, view.headline) == ("yes", "Yes")
        assert sentence(ruling, MACHINE_GUN) == (
            "RED1 may fire the Machine Gun at BLUE1, with Short Range and Tailgate."
        )

    def test_no_names_what_is_in_the_way(self) -> None:
        _, view = self.ruled(self.BLOCKED)
        assert view.verdict == "no"
        assert view.blockers == ["RED3"]
        assert "Line of Sight: blocked by RED3" in view.sentence

    def test_too_close_says_why(self) -> None:
        held = replace(
            self.CLEAR,
            standings=(self.CLEAR.standings[0], replace(self.CLEAR.standings[1], status=Status.HELD)),
        )
        _, view = self.ruled(held)
        assert view.verdict == "too close to call"
        assert view.sentence.startswith("RED1 may perhaps fire the Machine Gun at BLUE1.")
        assert (
            view.stale
            == "This is about where they were last seen: BLUE1 is covered, held in place, seen 3.0 s ago."
        )

    @pytest.mark.parametrize("unit", ["in", "cm"])
    def test_every_check_has_its_figures_in_words(self, unit) -> None:  # type: ignore[no-untyped-def]
        _, view = self.ruled(self.CLEAR, unit)
        for check in view.checks:
            assert check.citation
            figures = (check.number_words, check.limit_words, check.margin_words, check.deviation_words)
            for figure in figures:
                assert figure.endswith("″" if unit == "in" else " cm"), check.name

    def test_the_marks_run_from_the_shooter_to_the_target(self) -> None:
        _, view = self.ruled(self.CLEAR)
        assert {m.kind for m in view.marks} == {"sight", "range"}
        one, other = (s.region.polygon.buffer(0.2) for s in self.CLEAR.standings[:2])
        for mark in view.marks:
            assert one.covers(Point(mark.line[0]))
            assert other.covers(Point(mark.line[-1]))
            assert Polygon(mark.band).covers(Point(np.mean([mark.line[0], mark.line[-1]], axis=0)))
