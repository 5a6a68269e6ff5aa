"""A move in several goes is one, and knows where the piece rested on its way."""

from __future__ import annotations

from engine.motion.moves import Move, Read
from engine.space.geometry import Pose
from tests.engine.tables import car, table


def move(number: int, start: float, end: float) -> Move:
    """One go of Red 1 straight ahead, seen at every half inch."""
    there = [start + k * 0.5 for k in range(1, round((end - start) * 2) + 1)]
    reads = tuple(Read(10.0 * number + x, Pose(x, 20.0), 0.01, 0.01) for x in there)
    before = table(car("Red 1", start, 20))
    return Move(
        f"move-{number}", "Red 1", before, car("Red 1", end, 20), 10.0 * number, 10.0 * number + 5, reads
    )


def test_what_is_moved_on_is_one_move_from_the_first_rest_to_the_last():
    first, second = move(1, 10, 12), move(2, 12, 14)
    whole = first.and_then(second)
    assert (whole.id, whole.since, whole.until) == ("move-2", 10.0, 25.0)
    assert (whole.start.pose.x, whole.after.pose.x, whole.gone) == (10.0, 14.0, 4.0)
    assert whole.reads == (*first.reads, *second.reads)
    assert round(whole.recognised().length.value, 1) == 4.0


def test_it_knows_the_move_up_to_where_it_rested_before():
    first, second, third = move(1, 10, 12), move(2, 12, 14), move(3, 14, 15)
    whole = first.and_then(second).and_then(third)
    assert whole.earlier is not None
    assert (whole.earlier.after.pose.x, whole.earlier.earlier) == (14.0, first)
    assert first.earlier is None
