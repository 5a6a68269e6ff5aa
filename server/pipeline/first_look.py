"""A camera over a table that nobody has set up yet: pictures, and nothing that is ruled."""

from __future__ import annotations

from engine.space.geometry import Region
from engine.space.table import TableState
from server.pipeline.referee import Moment, Refereeing
from vision.frame import Frame

NOT_SET_UP = "This table is not set up yet: open Set up."

# Nothing is known of its size.
_NOWHERE = Region.rectangle(0.0, 0.0, 48.0, 48.0)


class FirstLook(Refereeing):
    """Stands in the referee's place until there is a table file."""

    def step(self, frame: Frame) -> Moment:
        """The frame, and that nothing is known of the table under it."""
        empty = TableState(frame.time, _NOWHERE, ())
        return Moment(frame.index, frame.time, frame, empty, None, {}, notices=(NOT_SET_UP,))
