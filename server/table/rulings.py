"""What a viewer asks and what it is answered: where a weapon reaches, and the ruling with its marks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

import numpy as np
from shapely.geometry import LineString, MultiPoint, Polygon
from shapely.geometry.base import BaseGeometry

from engine.errors import TableRefError
from engine.ruling import Check, Ruling, Verdict
from engine.space.geometry import FloatArray
from engine.space.table import Standing, Status, TableState, key_of
from server.formats import units
from server.formats.units import LengthUnit
from server.table.messages import AimView, CheckView, Outline, RulingMark, RulingView, WeaponView
from server.table.projection import Space, band, line_in, point_covariance, status_words
from server.table.rulebook import Rulebook, Weapon

HEADLINES = {Verdict.YES: "Yes", Verdict.NO: "No", Verdict.TOO_CLOSE: "Too close to call"}


def weapon_called(book: Rulebook, name: str | None) -> Weapon:
    """The weapon of that name, or the usual one; a clear error names what there is."""
    weapons = book.weapons()
    name = name or book.usual
    for weapon in weapons:
        if key_of(weapon.name) == key_of(name):
            return weapon
    known = ", ".join(w.name for w in weapons)
    raise TableRefError(f"no weapon called {name!r} is in {book.name}; there are: {known}")


@lru_cache(maxsize=256)
def weapon_view(weapon: Weapon, unit: LengthUnit) -> WeaponView:
    """A weapon to choose from."""
    said = f"Short {units.length(weapon.short, unit, 0)}, Maximum {units.length(weapon.maximum, unit, 0)}"
    special = units.retold(weapon.special, unit)
    return WeaponView(
        name=weapon.name,
        kind=weapon.kind,
        short=weapon.short,
        maximum=weapon.maximum,
        words=f"{said}; {special}" if special else said,
    )


# Where a weapon reaches


def _forward(shooter: Standing, reach: float) -> Polygon:
    """The half-plane ahead of the front axle, as far as the table could matter."""
    across = np.array([-math.sin(shooter.pose.heading), math.cos(shooter.pose.heading)])
    along = np.array([math.cos(shooter.pose.heading), math.sin(shooter.pose.heading)])
    middle = shooter.pose.to_table(shooter.piece.body.front_axle)
    a, b = middle - across * reach, middle + across * reach
    return Polygon([a, b, b + along * reach, a + along * reach])


def _reach(shooter: Standing, distance: float, table: TableState, all_round: bool) -> BaseGeometry:
    """All places on the table within `distance` of a front tyre, and ahead unless all round."""
    assert shooter.piece.body.tyres is not None
    tyres = shooter.pose.to_table(shooter.piece.body.tyres[:2])
    region = MultiPoint(tyres).buffer(distance, quad_segs=32).intersection(table.surface.polygon)
    return region if all_round else region.intersection(_forward(shooter, 4 * distance + 10))


def _outlines(geometry: BaseGeometry, space: Space) -> list[Outline]:
    parts: Iterable[BaseGeometry] = getattr(geometry, "geoms", [geometry])
    return [
        line_in(space, np.asarray(part.exterior.coords)[:-1], closed=True)
        for part in parts
        if isinstance(part, Polygon) and not part.is_empty
    ]


def aim_view(
    table: TableState, shooter: Standing, weapon: Weapon, space: Space, unit: LengthUnit
) -> AimView | None:
    """The arc and the ranges of a weapon from where its car stands; None for what has no tyres."""
    if shooter.piece.body.tyres is None:
        return None
    surface = table.surface.polygon
    arc = surface if weapon.all_round else surface.intersection(_forward(shooter, 10 * surface.length))
    return AimView(
        shooter=shooter.name,
        weapon=weapon.name,
        arc=_outlines(arc, space),
        maximum=_outlines(_reach(shooter, weapon.maximum, table, weapon.all_round), space),
        short=_outlines(_reach(shooter, weapon.short, table, weapon.all_round), space),
        words=weapon_view(weapon, unit).words,
    )


# The ruling


def ruling_view(
    table: TableState, ruling: Ruling, weapon: Weapon, space: Space | None, unit: LengthUnit
) -> RulingView:
    """A ruling with everything that shows why."""
    ends = (table.find(ruling.subject), table.find(ruling.target))
    checks = [check_view(c, unit) for c in ruling.checks]
    return RulingView(
        question=ruling.question,
        shooter=ruling.subject,
        target=ruling.target,
        weapon=weapon.name,
        time=round(ruling.time, 3),
        verdict=ruling.verdict.value,
        headline=HEADLINES[ruling.verdict],
        sentence=sentence(ruling, weapon, unit),
        checks=checks,
        blockers=list(dict.fromkeys(name for c in checks for name in c.blockers)),
        marks=[] if space is None else _marks(ruling, ends, space, unit),
        stale=_stale(ends, table.time),
    )


def sentence(ruling: Ruling, weapon: Weapon, unit: LengthUnit = "in") -> str:
    """The answer in words, with what decided it."""
    who, whom = ruling.subject, ruling.target
    if ruling.verdict is Verdict.YES:
        bonus = [c.name for c in ruling.checks if c.role == "modifier" and c.verdict is Verdict.YES]
        extra = f", with {units.listed(bonus)}" if bonus else ""
        return f"{who} may fire the {weapon.name} at {whom}{extra}."
    decided = [c for c in ruling.checks if c.role == "condition" and c.verdict is ruling.verdict]
    # The headline says already that it is too close, the reasons below what would settle it.
    short = (units.retold(c.words.partition(": too close to call")[0], unit) for c in decided)
    why = " ".join(f"{c.name}: {said}." for c, said in zip(decided, short, strict=True))
    may = "may not" if ruling.verdict is Verdict.NO else "may perhaps"
    return f"{who} {may} fire the {weapon.name} at {whom}. {why}"


def check_view(check: Check, unit: LengthUnit) -> CheckView:
    """One check in words and figures."""
    return CheckView(
        name=check.name,
        role=check.role,
        verdict=check.verdict.value,
        verdict_words=HEADLINES[check.verdict],
        unit=check.unit,
        number=_finite(check.number),
        limit=_finite(check.limit),
        margin=_finite(check.margin),
        sd=_finite(check.sd),
        p_yes=round(min(max(check.p_yes, 0.0), 1.0), 4),
        number_words=_quantity(check.number, check.unit, unit),
        limit_words=_quantity(check.limit, check.unit, unit),
        margin_words=_quantity(check.margin, check.unit, unit, signed=True),
        deviation_words=_deviation(check.sd, check.unit, unit),
        chance_words=units.chance(check.p_yes),
        words=units.retold(check.words, unit),
        citation=check.citation,
        blockers=list(check.witness.blockers),
    )


def _finite(value: float) -> float | None:
    return round(value, 4) if math.isfinite(value) else None


def _quantity(value: float, kind: Literal["in", "rad", ""], unit: LengthUnit, signed: bool = False) -> str:
    if not math.isfinite(value):
        return "–"
    said = {
        "in": lambda: units.length(value, unit),
        "rad": lambda: units.angle(value),
        "": lambda: f"{value:.2f}",
    }[kind]()
    return f"+{said}" if signed and value > 0 else said.replace("-", "−")


def _deviation(sd: float, kind: Literal["in", "rad", ""], unit: LengthUnit) -> str:
    if not math.isfinite(sd):
        return "–"
    said = {
        "in": lambda: units.deviation(sd, unit),
        "rad": lambda: units.angle(sd),
        "": lambda: f"{sd:.2f}",
    }[kind]()
    return f"± {said}"


def _stale(ends: tuple[Standing, ...], now: float) -> str | None:
    hidden = [s for s in ends if s.status in (Status.HELD, Status.LOST)]
    if not hidden:
        return None
    said = " and ".join(f"{s.name} is {status_words(s, now)}" for s in hidden)
    return f"This is about where they were last seen: {said}."


def _marks(ruling: Ruling, ends: tuple[Standing, ...], space: Space, unit: LengthUnit) -> list[RulingMark]:
    """The sight line and the range; arcs are drawn as areas."""
    marks = []
    for check in ruling.checks:
        line, kind = check.witness.line, _kind(check)
        if line is None or kind is None:
            continue
        hull = _band(line, ends)
        marks.append(
            RulingMark(
                check=check.name,
                kind=kind,
                verdict=check.verdict.value,
                line=line_in(space, np.asarray(line)),
                band=[] if hull is None else line_in(space, hull, closed=True),
                label=_quantity(check.number, check.unit, unit),
                deviation=_deviation(check.sd, check.unit, unit),
                label_at=space.outline(line.mean(axis=0)[None])[0],
            )
        )
    return marks


def _kind(check: Check) -> Literal["sight", "range"] | None:
    name = check.name.casefold()
    if check.role != "condition":
        return None
    return "sight" if "sight" in name else "range" if "range" in name else None


def _band(line: FloatArray, ends: tuple[Standing, ...]) -> FloatArray | None:
    """The line as wide as its ends are unsure; each end moves with the piece that it lies nearest to."""
    covered = []
    for point in line:
        spot = LineString([point, point])
        owner = min(ends, key=lambda s: float(s.region.polygon.distance(spot)))
        covered.append((np.asarray(point), point_covariance(owner, point)))
    return band(covered)
