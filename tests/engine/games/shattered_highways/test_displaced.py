"""Where a rule puts a vehicle that stands against others, or between them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.games.shattered_highways.rules.displacing import (
    behind_wreck,
    fall_back,
    lost_control,
    shifted_fleet,
)
from engine.games.shattered_highways.rules.owed import with_places
from engine.games.shattered_highways.state import Duty
from engine.space.geometry import Pose
from tests.engine.games.shattered_highways.hands import Hands
from tests.engine.games.shattered_highways.highway import ROAD, car, highway, rig
from tests.engine.games.shattered_highways.playing import begun, piece

RED = car("Red", 20.0, 12.0)


@pytest.mark.parametrize(
    ("left_of_it", "y", "ways"),
    [
        (13.5, 12.0, [10.78]),  # a vehicle 0.3 in beside it
        (15.0, 12.0, [10.78, 13.22]),
        (None, 23.1, [21.88]),  # 0.3 in from the side of the road
    ],
)
def test_who_veers_gets_past_the_wreck_where_one_side_alone_is_free(
    left_of_it: float | None, y: float, ways: list[float]
) -> None:
    """ "veer left or right enough to not hit the wreck": where it stood was *right*, as near as it came."""
    match = begun(piece("Red 1"), piece("Blue 1"), piece("Blue 2"))
    match.overrule(("vehicles", "Red 1", "status"), "destroyed", "it is a wreck")
    beside = [] if left_of_it is None else [car("Blue 2", 20.0, left_of_it)]
    table = highway(car("Red 1", 30.0, y), car("Blue 1", 20.0, y), *beside)
    duty = with_places(match.state, Duty("veer", "Blue 1", "", by="Blue", other="Red 1"), table)
    assert sorted(place.at[1] for (place,) in duty.ways) == pytest.approx(ways)


AGAINST_IT = [(0.0, 0.1), (0.01, 0.3), (0.01, -0.3), (0.1, 1.0), (0.1, -1.0)]
"""By how much two seem to overlap that stand against one another, inches, and how askew one is, degrees."""


@pytest.mark.parametrize(("deep", "askew"), AGAINST_IT)
def test_what_it_stands_against_does_not_stop_who_slides_along_it(deep: float, askew: float) -> None:
    """As after a Ram: neither who veers from the wreck, loses control or falls back beside it is held."""
    ahead = car("Blue", 20.0 + 2.95 - deep, 12.3, askew)
    (threatened,) = behind_wreck(highway(RED, ahead), "Blue", ROAD)
    for out in threatened.veers:
        assert out.met is None
        assert out.gone == pytest.approx(out.full)
    for section, left in ((2, -2.0), (5, 2.0)):
        gone = lost_control(highway(RED, ahead), "Red", ROAD, section)
        assert (gone.met, gone.pose) == (None, Pose(20.0, 12.0 + left))
    assert lost_control(highway(RED, ahead), "Red", ROAD, 1).gone == pytest.approx(0.0, abs=0.01)
    beside = car("Blue", 18.9, 12.0 + 1.2 - deep, askew)
    assert fall_back(highway(RED, beside), "Red", ROAD).met is None
    first, second = shifted_fleet(highway(car("Red", 3.0, 12.0), car("Blue", 4.6, 13.2 - deep, askew)),
                                  ("Red", "Blue"), ROAD, 3.0)  # fmt: skip
    assert first.at_edge
    assert (second.met, second.gone) == (None, 3.0)


def test_who_is_behind_a_decoupled_trailer_veers_round_that() -> None:
    """It was the tractor that was driven round, which drives on; who was behind the trailer was not."""
    match = begun(piece("Red 1", "Rig"), piece("Blue 1"))
    match.overrule(("vehicles", "Red 1", "trailer"), 0, "shot to pieces")
    tractor, trailer = rig("Red 1", 30.0, 12.0)
    aside = replace(trailer, pose=Pose(26.2, 13.2))
    hands = Hands(match, (tractor, aside), car("Blue 1", 18.0, 14.2))
    hands.do("decouple", (4,), vehicle="Red 1")
    while match.state.duties[0].kind == "leap":
        hands.do("stay", warrior=match.state.duties[0].warrior)
    assert hands.option("wreck").form.fields["behind"].usual == ["Blue 1"]
    hands.do("wreck", (3,), behind=["Blue 1"])
    (duty,) = match.state.duties
    assert duty.kind == "veer"
    left, right = sorted((place.at[1] for (place,) in duty.ways), reverse=True)
    edges = aside.region.outline[:, 1]
    assert (left - 0.6, right + 0.6) == pytest.approx((edges.max() + 0.02, edges.min() - 0.02))
