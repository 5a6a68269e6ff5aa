"""Things on the table that nobody has named: seen by the camera, and not known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from shapely import MultiPoint
from shapely.geometry.base import BaseGeometry

from engine.space.geometry import Region

# A thing counts as touched within so many of its outline's deviations.
NEAR_SDS = 2.0


class ThingName(str):
    """What a thing is called that nobody has named: it is seen, and no piece that hides.

    >>> ThingName("Thing 1"), isinstance(ThingName("Thing 1"), str)
    ('Thing 1', True)
    """

    __slots__ = ()


@dataclass(frozen=True, eq=False)
class Thing:
    """Something that stands or lies on the table and that nobody has named.

    `region` is what it covers of the table for the camera, inches: at least what it stands on, and, of
    something high, what lies behind it. `sd` is how surely its edge is known, inches.
    """

    name: ThingName
    region: Region
    sd: float

    def touches(self, place: BaseGeometry) -> bool:
        """Whether it may reach into a part of the table."""
        return bool(self.region.polygon.distance(place) <= NEAR_SDS * self.sd)


def hull_of(regions: Iterable[Region]) -> BaseGeometry:
    """The part of the table that lies between all these, them included."""
    return MultiPoint([tuple(p) for r in regions for p in r.outline]).convex_hull
