"""Vehicles that a rule puts elsewhere, the fleet that is moved back, and drivers behind a wreck."""

from __future__ import annotations

from collections.abc import Iterable

from engine.game.events import Action
from engine.games.shattered_highways.acts.rounds import edge_reached
from engine.games.shattered_highways.book.data import MOVED, STAYS, Side, cite
from engine.games.shattered_highways.rules import striking
from engine.games.shattered_highways.rules.control import EDGE, SHIFT, left_against_edge, lose
from engine.games.shattered_highways.rules.damage import DESTROYED, harm
from engine.games.shattered_highways.rules.modifiers import (
    FALLS_BACK,
    OUT_OF_CONTROL,
    drives,
    struck_part,
)
from engine.games.shattered_highways.rules.striking import Strike
from engine.games.shattered_highways.state.fold import Modifier, Play
from engine.games.shattered_highways.state.game_state import Duty, due
from engine.ruling import many

WITHIN = cite("Within a Round")

ALONG = ("nudged", "struck", "lost")
"""What may bring a vehicle away from the back edge."""


def do_placed(play: Play, action: Action) -> None:
    """A vehicle stands where it was put; what it met on the way is rammed, or struck by the nudged one."""
    duty = due(play.state)
    assert duty is not None
    name = duty.vehicle
    # Whoever is pushed off the back edge is on the road again; a veer leads aside, and not along the road.
    behind = play.state.vehicle(name).status == "behind" and duty.kind in ALONG
    back = {"back": True} if behind and action.data.get("edge") != "back" else {}
    words = f"{name} {_how(duty)}" + (" and is back on the road" if back else "")
    play.tell(
        "placed", words, duty.citation, vehicle=name, duty=duty.kind, warrior=duty.warrior, **back
    )  # fmt: skip
    edge_reached(play, name, action)
    into = tuple(action.data.get("into") or ())
    if not into:
        return
    if duty.kind in ("nudged", "struck"):
        for other in into:
            striking.chained(play, other, name)
    elif duty.kind == "lost":
        side: Side = action.data.get("side") or "front"
        _ram(play, Strike(name, into, side), OUT_OF_CONTROL)
    elif duty.kind == "fall back":
        # Whoever is behind it drives into its rear.
        _ram(play, Strike(into[0], (name,), "front"), FALLS_BACK)


def _ram(play: Play, strike: Strike, modifier: Modifier) -> None:
    striking.ram(play, strike, drives(play.state, strike.vehicle, modifier))


def _how(duty: Duty) -> str:
    match duty.kind:
        case "nudged" | "struck":
            return f"is moved within {many(duty.sections, 'section')}"
        case "veer":
            return "veers round the wreck"
        case "fall back":
            return "falls back a section"
        case "deployed":
            return f"stands behind {duty.other}"
    return f"regains control in section {duty.section}"


def do_shifted(play: Play, action: Action) -> None:
    """All vehicles are moved back alike; those that come to the back edge are left against it."""
    duty = due(play.state)
    assert duty is not None
    said = action.data.get("inches")
    inches = duty.inches if said is None else float(said)
    names = [v.name for v in play.state.in_play()]
    play.tell(
        "shifted", f"all vehicles are moved back {inches:g} in", EDGE,
        vehicle=duty.vehicle, duty="shift", inches=inches, vehicles=names, rule=SHIFT,
    )  # fmt: skip
    for name in action.data.get("back") or ():
        left_against_edge(play, name)


def do_wreck(play: Play, action: Action) -> None:
    """The drivers on the line straight behind a wreck roll a Move each to veer round it."""
    duty = due(play.state)
    assert duty is not None
    behind = tuple(action.data.get("behind") or ())
    who = f"{' and '.join(behind)} must veer" if behind else "nobody is behind it"
    play.tell(
        "wreck", f"the wreck of {duty.vehicle}: {who}", DESTROYED,
        vehicle=duty.vehicle, duty="wreck", vehicles=list(behind),
    )  # fmt: skip
    _veer(play, duty, behind)


def _veer(play: Play, duty: Duty, behind: Iterable[str]) -> None:
    """3+ and it veers; less and it takes a D6 first; on a 1 it has Lost Control as well."""
    for name in behind:
        driver = play.state.driver(name)
        total = 0
        if driver is not None:
            total = play.uncontested(drives(play.state, name), f"Move to veer, {MOVED}+", DESTROYED).total
        if total < MOVED:
            control = play.state.vehicle(name).control
            damage = play.die(f"damage of {name} at the wreck", DESTROYED, name, control)
            part = struck_part(play.state.vehicle(name), "front")
            harm(play, name, damage, f"the wreck of {duty.vehicle}", DESTROYED, part=part)
        if not play.state.vehicle(name).in_play:
            continue
        if driver is not None and total < STAYS:
            lose(play, name)
            continue
        by = play.state.vehicle(name).control if driver is None else driver.owner
        play.owe(
            Duty("veer", name, DESTROYED, by=by, other=duty.vehicle),
            f"{name} moves left or right just enough to clear the wreck",
        )
