"""Who plays with which fleet; and vehicles that are put down, moved back or left behind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from engine.errors import TableRefError
from engine.game.events import Action, Event
from engine.game.kit import reading
from engine.games.shattered_highways.acts.rounds import edge_reached
from engine.games.shattered_highways.book import data as book
from engine.games.shattered_highways.book.data import Arc, Build, ClassName, HouseRules, Mount, Side
from engine.games.shattered_highways.rules import damage, striking
from engine.games.shattered_highways.rules.striking import Strike
from engine.games.shattered_highways.state import (
    EVENTS,
    STATES,
    Duty,
    GameState,
    Modifier,
    Play,
    Vehicle,
    Warrior,
    due,
    wreck_words,
)
from engine.ruling import many
from engine.space.table import names_alike
from engine.words import listed

# Vehicles that a rule puts elsewhere, the fleet that is moved back, and drivers behind a wreck.

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
    into = tuple(action.data.get("into") or ())
    words = f"{name} {_how(duty, into)}" + (" and is back on the road" if back else "")
    play.tell("placed", words, duty.citation, vehicle=name, duty=duty.kind, warrior=duty.warrior, **back)
    edge_reached(play, name, action)
    if not into:
        return
    if duty.kind in ("nudged", "struck"):
        for other in into:
            striking.chained(play, other, name)
    elif duty.kind == "lost":
        side: Side = action.data.get("side") or "front"
        _ram(play, Strike(name, into, side), damage.OUT_OF_CONTROL)
    elif duty.kind == "fall back":
        # Whoever is behind it drives into its rear.
        _ram(play, Strike(into[0], (name,), "front"), damage.FALLS_BACK)


def _ram(play: Play, strike: Strike, modifier: Modifier) -> None:
    striking.ram(play, strike, damage.drives(play.state, strike.vehicle, modifier))


def _how(duty: Duty, into: tuple[str, ...]) -> str:
    """How a vehicle came to stand where it was put; what it meets stops it, perhaps at once."""
    met = listed(into)
    match duty.kind:
        case "nudged" | "struck":
            return f"is moved within {many(duty.sections, 'section')}"
        case "veer":
            return "veers round the wreck"
        case "fall back":
            return f"falls back until {met} meets it" if into else "falls back"
        case "deployed":
            return f"stands behind {duty.other}"
    if into:
        return f"veers toward section {duty.section} and meets {met}"
    return f"has veered toward section {duty.section} and regains control"


def do_shifted(play: Play, action: Action) -> None:
    """All vehicles are moved back alike; those that come to the back edge are left against it."""
    duty = due(play.state)
    assert duty is not None
    said = action.data.get("inches")
    inches = duty.inches if said is None else float(said)
    names = [v.name for v in play.state.in_play()]
    play.tell(
        "shifted", f"all vehicles are moved back {inches:g} in", damage.EDGE,
        vehicle=duty.vehicle, duty="shift", inches=inches, vehicles=names, rule=damage.SHIFT,
    )  # fmt: skip
    for name in action.data.get("back") or ():
        damage.left_against_edge(play, name)


def do_wreck(play: Play, action: Action) -> None:
    """The drivers on the line straight behind a wreck roll a Move each to veer round it."""
    duty = due(play.state)
    assert duty is not None
    behind = tuple(action.data.get("behind") or ())
    who = f"{listed(behind)} must veer" if behind else "nobody is behind it"
    play.tell(
        "wreck", f"the wreck of {wreck_words(duty.vehicle, duty.part)}: {who}", damage.DESTROYED,
        vehicle=duty.vehicle, duty="wreck", vehicles=list(behind),
    )  # fmt: skip
    _veer(play, duty, behind)


def _veer(play: Play, duty: Duty, behind: Iterable[str]) -> None:
    """3+ and it veers; less and it takes a D6 first; on a 1 it has Lost Control as well."""
    for name in behind:
        driver = play.state.driver(name)
        total = 0
        if driver is not None:
            total = play.uncontested(
                damage.drives(play.state, name), f"Move to veer, {book.MOVED}+", damage.DESTROYED
            ).total
        if total < book.MOVED:
            control = play.state.vehicle(name).control
            points = play.die(f"damage to {name} at the wreck", damage.DESTROYED, name, control)
            part = damage.struck_part(play.state.vehicle(name), "front")
            wreck = f"the wreck of {wreck_words(duty.vehicle, duty.part)}"
            damage.harm(play, name, points, wreck, damage.DESTROYED, part=part)
        if not play.state.vehicle(name).in_play:
            continue
        if driver is not None and total < book.STAYS:
            damage.lose(play, name)
            continue
        if total >= book.MOVED:
            # "Whenever the vehicle Moves": to veer is a Move as well.
            damage.cling(play, name)
        by = play.state.vehicle(name).control if driver is None else driver.owner
        play.owe(
            Duty("veer", name, damage.DESTROYED, by=by, other=duty.vehicle),
            f"{name} has to move left or right just enough to clear the wreck",
        )


# Who plays with which fleet: the set-up of a game, read and checked.

CONSTRUCTION = book.cite("Fleet Construction")


DEALT: tuple[ClassName, ...] = ("Car", "Truck", "Buggy", "Car")
"""What a player's vehicles are unless it is said; all that come after are Buggies."""

_FIELDS = ("players", "pieces", "deployment", "house", *HouseRules.declared())
_OTHERS = ("name", "owner", "class", "weapons", "armor", "chains", "reinforcements", "hidden_in", "hero")


def begin(setup: Mapping[str, Any]) -> tuple[Event, ...]:
    """The events that begin a game.

    `players`: names in order. `pieces`: objects with `name`, `owner`, `class`, the number of `weapons`, each
    one's `weapon_1` and `arc_1` and so on, `armor` (sides), `chains`, `reinforcements`, `hidden_in` (a Rig),
    and `hero`, the seat of the player's hero; what is left out is as it is dealt. `deployment`: "anywhere"
    or "chase", or none to decide it at the table. House rules stand in `house` or by their own names.
    """
    reading.only(setup, _FIELDS, "the setup")
    house = HouseRules.said(setup)
    players = reading.names(setup, "players")
    reading.different(players, "players")
    if not 2 <= len(players) <= 4:
        raise TableRefError(f"players: expected two to four but got {len(players)}")
    builds = tuple(book.checked(build) for build in builds_of(setup))
    if wrong := amiss(players, builds, house.points):
        raise TableRefError(wrong[0])
    deployment = reading.maybe_text(setup, "deployment")
    if deployment not in (None, book.UNDECIDED, *book.DEPLOYMENTS):
        raise TableRefError(
            f"deployment: expected one of {', '.join(book.DEPLOYMENTS)} but got {deployment!r}"
        )
    state = GameState(
        players=players, house=house, deployment=None if deployment == book.UNDECIDED else deployment,
        vehicles=tuple(map(_vehicle, builds)), warriors=tuple(w for p in players for w in _crew(p, builds)),
    )  # fmt: skip
    words = f"{listed(players)} play with {many(len(builds), 'vehicle')}"
    first = Event("begin", {"state": STATES.as_json(state)}, words, book.cite("How to Play"))
    fleets = [_fleet(state, p, book.points_of(builds, p)) for p in players]
    return (first, *fleets, *(_card(b) for b in builds), *(_hero(state, p) for p in players))


def builds_of(setup: Mapping[str, Any]) -> tuple[Build, ...]:
    """The vehicles as they were built so far; what was left as it is, is as it was dealt."""
    found: list[Build] = []
    for piece in reading.objects(setup, "pieces"):
        mine = sum(build.owner == piece.get("owner") for build in found)
        found.append(_build(piece, dealt(mine)))
    return _with_heroes(tuple(found))


def dealt(number: int) -> ClassName:
    """The class of a player's vehicle with that number, from 0.

    >>> [dealt(k) for k in range(5)]
    ['Car', 'Truck', 'Buggy', 'Car', 'Buggy']
    """
    return DEALT[number] if number < len(DEALT) else "Buggy"


def amiss(players: tuple[str, ...], builds: tuple[Build, ...], budget: int) -> list[str]:
    """Why fleets cannot play, each in a sentence."""
    found = []
    for player in players:
        mine = [b for b in builds if b.owner == player]
        if not any(b.hidden_in is None for b in mine):
            found.append(f"{player} has no vehicle on the road yet")
        spent = book.points_of(mine, player)
        if spent > budget:
            found.append(
                f"{player}'s fleet costs {spent} creation points of {budget}: {spent - budget} too many"
            )
        heroes = [b for b in mine if b.hero is not None]
        if len(heroes) > 1:
            found.append(f"{player} has one hero, not one in each of {listed(b.name for b in heroes)}")
        found += _hidden_amiss(mine)
    if alike := names_alike("vehicle", [b.name for b in builds]):
        found.append(alike)
    return found


def _hidden_amiss(mine: list[Build]) -> list[str]:
    """What is wrong with the Buggies that a player hides."""
    rigs = [b.name for b in mine if b.kind == "Rig"]
    hidden = [b.hidden_in for b in mine if b.hidden_in is not None]
    found = [f"{name} is no Rig of the same fleet to hide a Buggy in" for name in hidden if name not in rigs]
    return found + [f"one Buggy hides in {name}, not several" for name in rigs if hidden.count(name) > 1]


def _with_heroes(builds: tuple[Build, ...]) -> tuple[Build, ...]:
    """Whose hero was put nowhere drives their first vehicle on the road."""
    placed = {b.owner for b in builds if b.hero is not None}
    found = []
    for build in builds:
        if build.owner not in placed and build.hidden_in is None:
            placed.add(build.owner)
            build = replace(build, hero=book.DRIVER)  # noqa: PLW2901
        found.append(build)
    return tuple(found)


def _build(piece: Mapping[str, Any], usual: ClassName) -> Build:
    name = reading.text(piece, "name")
    kind = book.class_called(reading.maybe_text(piece, "class") or usual)
    count = kind.weapons if piece.get("weapons") is None else reading.whole(piece, "weapons")
    slots = [f"{what}_{k + 1}" for k in range(max(0, count)) for what in ("weapon", "arc")]
    reading.only(piece, (*_OTHERS, *slots), name)
    mounts = tuple(_mount(piece, k + 1) for k in range(max(0, count)))
    sides = reading.names(piece, "armor")
    if unknown := [side for side in sides if side not in book.SIDES]:
        raise TableRefError(f"{name} · armor: expected {', '.join(book.SIDES)} but got {unknown[0]!r}")
    return Build(
        name=name, owner=reading.text(piece, "owner"), kind=kind.name, mounts=mounts,
        armour=tuple(side for side in book.SIDES if side in sides),
        chains=reading.flag(piece, "chains") if piece.get("chains") is not None else False,
        reinforcements=reading.flag(piece, "reinforcements")
        if piece.get("reinforcements") is not None
        else False,
        hidden_in=reading.maybe_text(piece, "hidden_in"), hero=reading.maybe_text(piece, "hero"),
    )  # fmt: skip


def _mount(piece: Mapping[str, Any], number: int) -> Mount:
    weapon = book.weapon_called(reading.maybe_text(piece, f"weapon_{number}") or book.STANDARD)
    known: dict[str, Arc] = {arc: arc for arc in book.ARCS}
    arc = reading.maybe_text(piece, f"arc_{number}") or "fore"
    if arc not in known:
        raise TableRefError(f"arc_{number}: expected one of {', '.join(book.ARCS)} but got {arc!r}")
    return Mount(weapon.name, known[arc])


def _vehicle(build: Build) -> Vehicle:
    kind = book.CLASSES[build.kind]
    return Vehicle(
        name=build.name, owner=build.owner, control=build.owner, kind=build.kind, hits=kind.hits,
        trailer=kind.trailer, mounts=build.mounts, armour=build.armour, chains=build.chains,
        hidden_in=build.hidden_in, status="waiting" if build.hidden_in is None else "hidden",
    )  # fmt: skip


def _crew(player: str, builds: tuple[Build, ...]) -> list[Warrior]:
    """A warrior in every seat of a player's vehicles, the hero where the player wants; and Reinforcements."""
    found: list[Warrior] = []
    for build in (b for b in builds if b.owner == player):
        for seat, part in book.seats(build.kind, build.mounts):
            hero = build.hero == seat
            number = sum(not w.hero for w in found) + 1
            name = f"{player}'s hero" if hero else f"{player}'s fodder {number}"
            found.append(Warrior(name, player, build.name, seat, part, hero))
        for _ in range(book.REINFORCEMENTS if build.reinforcements else 0):
            number = sum(not w.hero for w in found) + 1
            found.append(
                Warrior(f"{player}'s fodder {number}", player, build.name, None, "trailer", home=build.name)
            )
    return found


def _fleet(state: GameState, player: str, spent: int) -> Event:
    budget = state.house.points
    words = f"{player}'s fleet costs {spent} of {budget} creation points"
    names = [v.name for v in state.fleet(player)]
    return EVENTS.told("fleet", words, CONSTRUCTION, {"player": player, "points": spent, "vehicles": names})


def _card(build: Build) -> Event:
    """A vehicle's card as it begins."""
    kind = book.CLASSES[build.kind]
    parts = [
        f"{kind.hits} hit points" if kind.trailer is None else f"{kind.hits} / {kind.trailer} hit points"
    ]
    parts += [f"{m.weapon} {book.ARCS[m.arc]}" for m in build.mounts]
    parts += [f"armor {side}" for side in build.armour]
    parts += ["Drag Chains"] if build.chains else []
    parts += ["Reinforcements"] if build.reinforcements else []
    parts += [f"hidden in {build.hidden_in}"] if build.hidden_in else []
    words = f"{build.name} is a {build.kind}: {', '.join(parts)}"
    data = {"vehicle": build.name, "points": build.points}
    return EVENTS.told("card", words, kind.citation, data)


def _hero(state: GameState, player: str) -> Event:
    mine = [w for w in state.warriors if w.owner == player]
    heroes = [w for w in mine if w.hero]
    where = f", the hero in {heroes[0].vehicle}" if heroes else ""
    words = f"{player} has {many(len(mine), 'warrior')}{where}"
    data = {"player": player, "warriors": len(mine), "vehicle": heroes[0].vehicle if heroes else None}
    return EVENTS.told("crew", words, book.cite("Warriors"), data)
