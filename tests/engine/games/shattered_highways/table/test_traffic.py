"""Move areas against brute force in random traffic jams; `python -m benchmarks.traffic` does 20,000."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from shapely.affinity import translate

from benchmarks.traffic import APART, compare, jam, measure
from engine.games.shattered_highways.table.moving import move_area


def test_move_areas_agree_with_brute_force_in_traffic_jams() -> None:
    found = measure(25)
    assert found["positions_tried"] > 1_000_000
    assert found["disagree"] == 0
    assert found["axes_against_shapely_wrong"] == 0
    assert found["boxed_in"] < 5
    assert found["drawn_ms_median"] < 30.0


def test_brute_force_sees_a_wall_that_is_out_by_little_more_than_it_may_be() -> None:
    seen = 0
    for seed in range(8):
        table = jam(seed)
        area = move_area(table, "V0", 0.0)
        space = area.ahead.space
        off = 2.5 * APART
        walls = tuple(replace(w, polygon=translate(w.polygon, off)) for w in space.walls)
        wrong = replace(area.ahead, space=replace(space, walls=walls))
        tampered = replace(area, ahead=wrong)
        found = compare(table, tampered, tampered.ahead, np.random.default_rng(seed))
        seen += max(found.beyond, found.short) > APART
    assert seen >= 5
