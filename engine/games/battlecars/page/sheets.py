"""The vehicle sheets: armour by block, components by section with their counters, the driver."""

from __future__ import annotations

from engine.game.forms import Candidate
from engine.game.showing import Box, Counter, Sheet, Slot, Slots, Track, Widget, Words
from engine.games.battlecars.book.data import DRIVER_HITS, SECTIONS
from engine.games.battlecars.book.vehicles import vehicle_words
from engine.games.battlecars.state.game_state import Component, GameState, Vehicle
from engine.ruling import many, signed


def sheets(state: GameState) -> tuple[Sheet, ...]:
    """All vehicles, the players in their order."""
    return tuple(_sheet(state, v) for p in state.players for v in state.vehicles if v.owner == p)


def _sheet(state: GameState, v: Vehicle) -> Sheet:
    low, high = (-v.layout.reverse, v.layout.top)
    widgets: list[Widget] = [
        Counter(words="Speed", value=v.speed, low=low, high=high, path=("vehicles", v.name, "speed")),
    ]
    words = vehicle_words(v.layout).rsplit(", armour", 1)[0]
    widgets.append(Words(words="It drives", text=words))
    for number, block in enumerate(v.armour):
        boxes = tuple(Box(k < block.hits) for k in range(block.points))
        widgets.append(
            Track(
                words=f"Armour, {block.name}",
                boxes=boxes,
                path=("vehicles", v.name, "armour", number, "hits"),
            )
        )
    for section in SECTIONS:
        for number, one in enumerate(v.components):
            if one.section == section:
                widgets.append(_component(v, number, one))
    widgets.append(_driver(state, v))
    fate = "a wreck" if v.wreck else "taken off" if v.gone else "in play"
    choices = (Candidate(False, "in play"), Candidate(True, "a wreck"))
    widgets.append(Words(words="It is", text=fate, choices=choices, path=("vehicles", v.name, "wreck")))
    return Sheet(
        title=v.name,
        owner=v.owner,
        widgets=tuple(widgets),
        piece=v.name,
        more=v.type,
        summary=summary(v),
        note="" if fate == "in play" else fate,
        out=v.wreck or v.gone,
    )


def _component(v: Vehicle, number: int, one: Component) -> Widget:
    words = f"{one.section.capitalize()}: {one.name}"
    if one.sort == "mount":
        empty = one.left - len(one.rounds)
        holds = [*one.rounds, *[""] * empty, *["hit"] * one.hits]
        slots = tuple(Slot("", token, token or None, used=token == "hit") for token in holds)
        return Slots(words=words, slots=slots, columns=len(slots))
    boxes = tuple(Box(k < one.hits) for k in range(one.spaces))
    return Track(words=words, boxes=boxes, path=("vehicles", v.name, "components", number, "hits"))


def _driver(state: GameState, v: Vehicle) -> Words:
    if v.driver is None:
        return Words(words="Driver", text="nobody")
    person = state.person(v.driver)
    stunned = ", stunned until the end of the game turn" if v.stunned else ""
    return Words(words="Driver", text=f"{person.hits} of {DRIVER_HITS} points{stunned}", more=person.name)


def summary(v: Vehicle) -> str:
    """A vehicle in a few words."""
    rounds = sum(len(m.rounds) for m in v.mounts)
    armour = sum(b.left for b in v.armour)
    return f"Speed {signed(v.speed, 'd')} · {armour} armour · {many(rounds, 'counter')}"
