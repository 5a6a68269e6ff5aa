from __future__ import annotations

import numpy as np
import pytest

from engine.measure import distances
from engine.measure.overview import all_sights
from engine.space.catalogue import CARS, box, cylinder, polygon
from engine.space.geometry import Pose
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing
from tests.engine.tables import block, car


def crowd(seed: int, cars: int, terrain: int):
    """A random table; pieces may overlap, which a referee has to survive."""
    rng = np.random.default_rng(seed)
    angles = np.arange(9) * 0.7
    bodies = []
    for i in range(terrain):
        kind = i % 3
        if kind == 0:
            body = box(*rng.uniform(0.5, 5, 2), 2)
        elif kind == 1:
            body = cylinder(rng.uniform(1, 4), 3)
        else:
            body = polygon(np.stack([np.cos(angles), np.sin(angles)], 1) * rng.uniform(0.6, 2, 9)[:, None], 2)
        bodies.append(Piece(f"T{i}", "terrain", body))
    models = list(CARS.values())
    bodies += [Piece(f"C{i}", "car", models[i % len(models)]) for i in range(cars)]
    stood = [
        Standing(p, Pose(*rng.uniform(2, 34, 2), rng.uniform(-3, 3)), PoseUncertainty.exact()) for p in bodies
    ]
    return stood[terrain:], stood[:terrain]


@pytest.mark.parametrize(
    ("seed", "cars", "terrain"), [(1, 9, 9), (2, 12, 0), (3, 6, 18), (4, 2, 1), (5, 10, 3)]
)
def test_all_at_once_is_what_each_pair_gets_alone(seed, cars, terrain):
    players, ground = crowd(seed, cars, terrain)
    seen = all_sights(players, ground)
    for i, a in enumerate(players):
        for j, b in enumerate(players):
            if i == j:
                assert np.isnan(seen.clearance[i, j])
                continue
            alone = distances.sight(a, distances.front_tyres(a), b, distances.tyres(b), [*players, *ground])
            assert seen.clearance[i, j] == pytest.approx(alone.value, abs=1e-9)
            assert set(seen.blockers(a.name, b.name)) == set(alone.witness.blockers)
            line = seen.lines[i, j]
            assert np.hypot(*(line[0] - a.pose.xy)) < 2.7
            assert np.hypot(*(line[1] - b.pose.xy)) < 2.7


def test_two_cars_and_a_crate():
    seen = all_sights([car("Red", 10, 10), car("Blue", 20, 10)], [block("Crate", 15, 10, 1, 4)])
    assert seen.blockers("red", "BLUE") == ("Crate",)
    assert seen.clearance[0, 1] < 0 > seen.clearance[1, 0]


def test_an_empty_table_has_nobody_to_see():
    assert all_sights([]).clearance.shape == (0, 0)
    assert all_sights([car("Red", 10, 10)]).clearance.shape == (1, 1)
