"""The driving licences: Speed, Control, Damage and Stamina tracks, cards, traits; where the race stands."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.game.forms import Candidate
from engine.game.kit.cells import place_by_hand
from engine.game.kit.shown import fate
from engine.game.showing import Box, Cards, Counter, Place, Sheet, Status, Track, Viewer, Widget, Words
from engine.games.frothy_races.book.data import PHASES, many_dice
from engine.games.frothy_races.book.licences import Track as Levels
from engine.games.frothy_races.rules.order import placings
from engine.games.frothy_races.state.game_state import GameState, Vehicle, Where
from engine.ruling import many

PILES: Mapping[Where, str] = MappingProxyType(
    {"hand": "in the hand", "spent": "spent", "recovery": "in recovery"}
)
"""Where a card may be put by hand."""


def sheets(state: GameState, viewer: Viewer) -> tuple[Sheet, ...]:
    """All vehicles, the players in their order."""
    return tuple(_sheet(state, v, viewer) for p in state.players for v in state.vehicles if v.owner == p)


def _sheet(state: GameState, v: Vehicle, viewer: Viewer) -> Sheet:
    lic = v.licence
    at = ("vehicles", v.name)
    dice = v.control_dice(v.speed)
    control = "Safe" if not dice else many_dice(dice)
    spaces = ", ".join(str(lic.spaces(k, v.speed)) for k in range(1, PHASES + 1))
    blank = "blank" if v.resilience is None else str(v.resilience)
    widgets: list[Widget] = [
        Words(words="Speed", text=f"{v.speed} of {v.top}", more=_boxes(v)),
        Words(words="Spaces in the four phases", text=spaces, more=f"Control: {control}"),
        Counter(
            words="Control Loss points", value=v.control, low=lic.least_control, high=99,
            path=(*at, "control"),
        ),
        Track(
            words=f"Damage, Resilience {blank}", boxes=_levels(v.damage, lic.damage, lic.effects),
            path=(*at, "damage"),
        ),
    ]  # fmt: skip
    if state.rules.stamina:
        widgets.append(
            Counter(
                words="Stamina", value=v.stamina, low=0, high=lic.endurance, more=_effects(lic.tiring),
                path=(*at, "stamina"),
            )
        )  # fmt: skip
    widgets += _cards(v, viewer)
    traits = ", ".join(f"{name} {n}" for name, n in v.traits) or "none"
    widgets.append(Words(words="Traits", text=traits))
    if state.rules.race == "Scoring":
        widgets.append(Counter(words="Points", value=v.points, low=0, high=999, path=(*at, "points")))
    now = "taken off" if v.gone else "wiped out" if v.wreck else "racing"
    widgets.append(fate(now, {False: "racing", True: "wiped out"}, (*at, "wreck")))
    return Sheet(
        title=v.name, owner=v.owner, widgets=tuple(widgets), piece=v.name, more=v.type,
        summary=summary(v), note="" if v.races else now, out=not v.races, by_hand=_by_hand(state, v, viewer),
    )  # fmt: skip


def _by_hand(state: GameState, v: Vehicle, viewer: Viewer) -> tuple[Widget, ...]:
    """Where it stands, its Speed with the boxes used of it, and the cards that this viewer sees."""
    at, lic = ("vehicles", v.name), v.licence
    found: list[Widget] = []
    if state.track is not None:
        near = () if v.cell is None else state.board.neighbours(v.cell)
        found += place_by_hand(state.board, v.cell, v.facing, near, at)
    speeds = tuple(
        Candidate(s, str(s))
        for s in range(v.top + 1)
        if s == v.speed or (v.box < lic.acceleration[s] and v.brake < lic.deceleration[s])
    )
    found.append(Words(words="Speed", text=str(v.speed), choices=speeds, path=(*at, "speed")))
    found += [
        Counter(words=words, value=value, low=0, high=boxes[v.speed] - 1, path=(*at, name))
        for words, name, value, boxes in (
            ("Acceleration boxes used", "box", v.box, lic.acceleration),
            ("Deceleration boxes used", "brake", v.brake, lic.deceleration),
        )
        if boxes[v.speed] > 1
    ]
    piles = tuple(Candidate(where, words) for where, words in PILES.items())
    found += [
        Words(words=card.name, text=PILES[card.where], choices=piles, path=(*at, "cards", k, "where"))
        for k, card in enumerate(v.cards)
        if card.where in PILES and (card.where != "hand" or viewer.player == v.owner)
    ]
    return tuple(found)


def _boxes(v: Vehicle) -> str:
    lic = v.licence
    up = sum(lic.acceleration[v.speed + 1 :]) + lic.acceleration[v.speed] - 1 - v.box
    down = sum(lic.deceleration[: v.speed]) + v.brake
    return f"{many(up, 'box', 'boxes')} below the maximum, {down} above 0"


def _levels(damage: int, most: int, effects: Levels) -> tuple[Box, ...]:
    words = {level: e.words.replace("-", "−") for level, e in effects}
    return tuple(
        Box(k <= damage, k in words or k == most, words=words.get(k, "")) for k in range(1, most + 1)
    )


def _effects(track: Levels) -> str:
    return "; ".join(f"{level}: {e.words}" for level, e in track).replace("-", "−")


def _cards(v: Vehicle, viewer: Viewer) -> list[Widget]:
    """The hand for its player, counts for others; what is spent lies open."""
    hand = tuple(c.name for c in v.hand())
    mine = viewer.player == v.owner
    shown = Cards(words="Hand", cards=hand) if mine else Cards(words="Hand", hidden=len(hand))
    spent = tuple(c.name for c in v.cards if c.where == "spent")
    recovery = tuple(c.name for c in v.cards if c.where == "recovery")
    return [shown, Cards(words="Spent", cards=spent), Cards(words="Recovery", cards=recovery)]


def summary(v: Vehicle) -> str:
    """A vehicle in a few words."""
    left = v.licence.damage - v.damage
    return f"Speed {v.speed} · {v.control} control loss · {left} damage left · {many(len(v.hand()), 'card')}"


def status(state: GameState) -> Status:
    """Whose turn it is, what has to be done first, or who has won."""
    order = _order(state)
    what = f"Round {state.round}" + (f", phase {state.step}" if state.step else "")
    if state.over:
        return Status.at_the_end(state.winner, order, "The race is over")
    if state.phase == "setup":
        return Status("Before the race", "Draw lots for the places", state.rules.race, order=order)
    if state.agenda:
        task = state.agenda[0]
        owner = state.vehicle(task.vehicle).owner
        return Status(what, f"{owner} decides", task.words, owner, task.vehicle, order)
    if state.attack is not None:
        one = state.attack
        more = f"{one.attacker} attacks {one.target}: cards are chosen in secret"
        return Status(what, f"A {one.sort} attack", more, None, one.attacker, order)
    if state.turn is not None:
        v = state.vehicle(state.turn.vehicle)
        left = state.turn.left
        more = f"Speed {v.speed}, {many(left, 'space')} left"
        return Status(what, f"{v.owner} moves {v.name}", more, v.owner, v.name, order)
    waiting = [v.owner for v in state.racing if not v.checked]
    return Status(what, "Speed checks", f"still to make: {', '.join(waiting)}", order=order)


def _order(state: GameState) -> tuple[Place, ...]:
    """The players by their places in the race; before the start by their seats."""
    there = placings(state) if state.track is not None else state.vehicles
    rest = [v for v in state.vehicles if v not in there]
    return tuple(_place(state, v) for v in (*there, *rest))


def _place(state: GameState, v: Vehicle) -> Place:
    current = state.turn is not None and state.turn.vehicle == v.name
    lap = max(int(v.travelled // 1) + 1, 1)
    if state.rules.race == "Scoring":
        return Place(v.owner, current, not v.races, v.points, f"lap {lap}, {many(v.points, 'point')}")
    return Place(v.owner, current, not v.races, lap, f"lap {lap}, Speed {v.speed}")
