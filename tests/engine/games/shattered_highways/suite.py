"""What the tests of every game are told of Shattered Highways, and what its random players hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from benchmarks.games import Held, Players
from engine.games.shattered_highways.book.data import DEPLOYMENTS, WEAPONS, HouseRules
from engine.games.shattered_highways.state import GameState, Vehicle, due
from tests.engine.games.shattered_highways.playing import GAME, begun
from tests.engine.games.suite import Suite


def hold(state: GameState) -> None:
    """What is true of every state between two actions."""
    for vehicle in state.vehicles:
        hold_vehicle(state, vehicle)
    for warrior in state.warriors:
        assert not (warrior.hero and warrior.home), f"{warrior.name} is a hero among Reinforcements"
        status = state.vehicle(warrior.vehicle).status
        leaping = any(d.kind == "leap" and d.warrior == warrior.name for d in state.duties)
        assert warrior.out or leaping or status not in ("destroyed", "gone"), f"{warrior.name} is on a wreck"
    assert not set(state.queue) - {v.name for v in state.vehicles if v.in_play}, "a vehicle without a turn"
    for pair in state.locked:
        assert all(state.vehicle(name).in_play for name in pair), f"{pair} stand against one another"
    if state.over:
        assert not state.duties
        assert state.winner is None or state.winner in state.alive
    elif due(state) is None and state.first is not None and state.turn is not None:
        hold_turn(state)


def hold_vehicle(state: GameState, vehicle: Vehicle) -> None:
    """Hit points within bounds, one warrior in a seat, and seats where the vehicle has them."""
    name = vehicle.name
    assert 0 <= vehicle.hits <= vehicle.cls.hits, f"{name}: {vehicle.hits} hit points"
    assert vehicle.trailer is None or 0 <= vehicle.trailer <= (vehicle.cls.trailer or 0), (
        f"{name}: its trailer"
    )
    assert not vehicle.in_play or vehicle.hits > 0, f"{name} has no hit points and is in play"
    aboard = state.aboard(name)
    taken = [w.seat for w in aboard if w.seat is not None]
    assert len(set(taken)) == len(taken), f"{name}: two sit in one seat"
    parts = dict(vehicle.seats)
    for warrior in aboard:
        if warrior.seat is not None:
            assert parts.get(warrior.seat) == warrior.part, f"{warrior.name} sits in {warrior.seat}"
    assert (vehicle.hidden_in is not None) <= (vehicle.status in ("hidden", "destroyed", "gone")), name


def hold_turn(state: GameState) -> None:
    """Somebody has something to do in the turn that is on."""
    assert state.turn is not None
    vehicle = state.vehicle(state.turn.vehicle)
    assert vehicle.in_play, f"the turn of {vehicle.name}, which is no more, goes on"
    mine = [w for w in state.aboard(vehicle.name) if w.owner == state.turn.hands]
    assert mine or state.turn.stage == "moving", f"{state.turn.hands} has nobody on {vehicle.name}"
    assert len(state.alive) > 1, "one player is left and the game goes on"


def wrong() -> Iterator[tuple[Held, GameState, str]]:
    """States of a game that begins with one thing wrong."""
    state = begun().state
    yield hold, state.with_vehicle("Red 1", hits=26), "26 hit points"
    yield hold, state.with_vehicle("Red 1", hits=0), "no hit points"
    yield hold, state.with_vehicle("Red 1", status="gone"), "is on a wreck"
    yield hold, state.with_warriors(["Red's fodder 1"], seat="D"), "two sit in one seat"
    yield hold, replace(state, turn=replace(state.turn, hands="Blue")), "has nobody on"


NOTHING_TO_RULE = {
    "Shattered Highways": "the title",
    "Things you will need to acquire": "what has to be bought",
    "Things you will need to make or modify": "its template is cited by its name",
    "Terms used in these rules": "names of the template's parts",
    "Your vehicles": "what has to be bought",
    "Play Space": "how the table is furnished",
    "Examples": "what a class looks like",
    "Vehicle Customizing resources": "shops",
    "Disclaimer stuff": "trademarks",
    "DETAIL ADDITIONAL WEAPON TYPES": "left blank: house defaults",
}
"""Headings of the book that no event can rest on, and why."""

FIELDS = {
    "class", "creation points", "hit points", "seating positions", "mounted weapons", "penalty", "bonus",
    "skill", "tenacity", "attack", "default mounted weapon cost", "machine gun", "aiming at a vehicle",
    "aiming at warriors", "drag chains", "armor", "hidden buggy", "reinforcements",
}  # fmt: skip
"""Lines of the book that give one thing its number; their section is cited."""


def unruled(text: str) -> set[str]:
    """Headings of the book that no section has."""
    alone = [
        line.strip(" !:") for line in text.splitlines() if re.fullmatch(r"[A-Z][A-Za-z -]{2,40}[!:]?", line)
    ]
    before = re.findall(
        r"^(?:- )?([A-Z][A-Za-z -]{2,30})(?: [0-9]+CP(?: per section)?)?: ", text, re.MULTILINE
    )
    before += re.findall(r"^([A-Z][a-z]+ [A-Z][a-z]+) 15CP:", text, re.MULTILINE)
    assert len(alone) >= 20
    assert len(before) >= 8
    known = {part.strip("!").lower() for section in GAME.about.sections for part in section.split(" · ")}
    return {h.lower() for h in alone + before} - known - {name.lower() for name in NOTHING_TO_RULE} - FIELDS


PLAYERS = Players(GAME, hold=hold, thorough=25)

SUITE = Suite(
    players=PLAYERS,
    seeds=(0, 1, 2, 3, 4, 5, 9, 11, 15, 25, 48, 182),
    whims=(9,),
    rare=frozenset({"laid", "ruled", "uncoupled"}),
    house=HouseRules,
    golden_games=5,
    lost=("duel", "damaged"),
    at_tables=frozenset({"ruled", "laid"}),
    of_the_match=frozenset({"action", "undo", "redo", "overrule", "sealed"}),
    sound=lambda: ((hold, begun().state),),
    wrong=wrong,
    on_its_page=lambda: (*DEPLOYMENTS, *WEAPONS),
    said_elsewhere=frozenset({"side", "dust", "vehicle", "targets"}),
    uncited=frozenset({"Move Template"}),
    over_others=frozenset({"Vehicles", "Vehicle Add-ons", "Rig-only Add-ons"}),
    by_the_table=("rules", ("· Move Template",)),
    text="shattered-highways-0.3.8.txt",
    unruled=unruled,
)
