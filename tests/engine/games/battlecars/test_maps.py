"""What is printed: boards for the players, every counter of the book, terrain to the board's scale."""

from __future__ import annotations

import pytest

from engine.game.registry import cutouts_of, maps_of
from engine.game.showing import Words
from engine.games.battlecars.book.data import PASSIVES, WEAPONS, own_board
from engine.games.battlecars.book.vehicles import layouts
from engine.games.battlecars.maps import GROUND, WIDEST, cutouts
from engine.games.battlecars.page.sheets import sheets
from engine.games.battlecars.state import Terrain
from tests.engine.games.battlecars.playing import standing


@pytest.mark.parametrize(("name", "players"), [("one-board", 2), ("one-board", 3), ("two-boards", 4)])
def test_a_board_for_so_many_players(name, players):
    (found,) = (one for one in maps_of("battlecars") if one.id == name)
    discs = [shape for shape in found.drawn(2.5).drawing() if shape.shape == "disc"]
    assert len(discs) == len(own_board(players).cells)
    assert discs[1].points[0][0] - discs[0].points[0][0] == pytest.approx(2.5)


def test_every_weapon_every_counter_and_every_speed():
    words = {one.lines[0] for one in cutouts()}
    assert words > set(WEAPONS) | set(PASSIVES)
    for layout in layouts().values():
        assert words >= {str(n) for n in range(-layout.reverse, layout.top + 1)}
    assert {one.lines[0] for one in cutouts() if one.disc} == set(PASSIVES)


@pytest.mark.parametrize("spacing", [0.5, 1.0, 2.0, 3.0, 4.0, 6.0])
def test_terrain_is_to_scale_and_says_how_many_markers_cover_it(spacing):
    for kind in ("building", "trees"):
        parts = [one for one in cutouts(spacing) if one.lines[-1].startswith(f"{kind}, ")]
        for columns, rows in GROUND:
            here = [one for one in parts if f" {columns} by {rows} " in one.lines[1]]
            area = columns * rows * spacing**2
            assert sum(one.across * one.deep for one in here) == pytest.approx(area)
            assert all(max(one.across, one.deep) <= max(WIDEST, spacing) for one in here)
            if max(columns, rows) * spacing <= WIDEST:
                assert [(one.across, one.deep) for one in here] == [(columns * spacing, rows * spacing)]
            assert {int(one.lines[0]) for one in here} == {Terrain("T", kind, (0, 0), (columns, rows)).most}


def test_the_games_counters_are_found_and_another_game_has_none():
    assert cutouts_of("battlecars") is cutouts
    assert cutouts_of("frothy races") is None
    assert cutouts_of("white line fever") is None


def test_two_vehicles_as_they_are_dealt_find_all_their_counters():
    """ "Arm vehicles with weapons counters": a Saloon and a Van hold 14 machine-gun rounds."""
    count = {one.lines[0]: one.count for one in cutouts() if one.lines[0] in WEAPONS}
    assert count["Machine-gun"] >= 14
    assert min(count.values()) >= 8


def test_a_sheet_says_how_a_vehicle_drives():
    """ "following the acceleration/ deceleration rules"; "corners at more than the maximum safe speed"."""
    (sheet, _) = sheets(standing(("Red 1", "Saloon", (2, 5), 0, 1), ("Blue 1", "Van", (9, 9), 4, 0)))
    (line,) = (w for w in sheet.widgets if isinstance(w, Words) and w.words == "It drives")
    assert line.text == "Speed up to 8, acceleration 2, braking 3, safe at corners 5/3/2"
