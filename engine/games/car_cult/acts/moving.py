"""A move: how far it went, what it met on the way, and the tokens that it laid along its route."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from engine.game.events import Action, Reason
from engine.game.kit import reading
from engine.game.kit.table import standing_of
from engine.games.car_cult.book.data import CALTROPS, LAYERS, MINES, OIL, cite
from engine.games.car_cult.book.tracks import most_drift
from engine.games.car_cult.rules.route import BLOCKING, BRAKING, COMMENTS, MINE, ROUGH, TERRAIN
from engine.games.car_cult.state.fold import Play
from engine.games.car_cult.state.game_state import Duty, GameState, Turn

MOVE = cite("Car Movement/Engines")

FIELDS: Mapping[str, str] = {MINES: "mines", OIL: "oil", CALTROPS: "caltrops"}
"""The field of an action that says how many tokens of a layer were laid."""


def check_move(state: GameState, turn: Turn, action: Action) -> list[Reason]:
    """What is wrong with a move as it was typed; one that was seen has a ruling of its own."""
    data = action.data
    if data.get("steps") is not None:
        return []
    low, high = state.range_of_move()
    found = []
    inches = reading.number(data, "inches")
    if inches > high + state.house.length_tolerance:
        words = f"{turn.car} went {inches:.2f} in; its maximum is {high} in"
        found.append(Reason(words, MOVE, open=True))
    drift = most_drift(low)
    if reading.number(data, "drift") > drift + state.house.drift_tolerance:
        words = f"{turn.car} drifted {data['drift']:.2f} in; limit {drift} in"
        found.append(Reason(words, MOVE, open=True))
    return found


def do_move(play: Play, action: Action) -> None:
    """The car has moved; Rough terrain, Mines, contacts and braking follow in order."""
    turn, data = play.turn, action.data
    low, high = play.state.range_of_move()
    inches = round(reading.number(data, "inches"), 4)
    into = reading.maybe_text(data, "into")
    gone = f" {inches:.2f} in" if data.get("steps") is not None else ""
    words = f"{turn.car} moves{gone}: minimum {low} in, maximum {high} in"
    told = {name: data.get(name) for name in ("from", "to", "steps", "turns", "drift", "sd")}
    if data.get("passed"):
        told["passed"] = data["passed"]
    play.tell(
        "moved", words, MOVE, car=turn.car, inches=inches, minimum=low, maximum=high, into=into,
        ground=[dict(g) for g in ground(data)], triggered=list(reading.names(data, "triggered")), **told,
    )  # fmt: skip
    lay(play, data)
    short = low - inches
    whole = math.floor(max(short, 0.0) + 1e-9)
    if data.get("short") is not None:
        whole = reading.whole(data, "short")
    brakes = data.get("brakes", short > play.state.house.length_tolerance or whole > 0)
    play.owe(_duties(play, data, into, whole, brakes=bool(brakes)), f"what {turn.car} meets on its way")


def _duties(play: Play, data: Mapping[str, Any], into: str | None, short: int, *, brakes: bool) -> list[Duty]:
    """What the way has met, each in its turn: ground and Mines as they came, then what ended it.

    `short` whole inches; less than one is braked for, too.
    """
    name = play.turn.car
    found = [
        Duty("rough", name, ROUGH, other=g["terrain"], inches=float(g.get("counts", math.floor(g["inches"]))))
        for g in ground(data)
    ]
    found += [Duty("mine", name, MINE, other=t) for t in reading.names(data, "triggered")]
    order = list(reading.names(data, "met"))
    found.sort(key=lambda d: order.index(d.other) if d.other in order else len(order))
    if into is not None:
        found.append(Duty("touch", name, BLOCKING, other=into, inches=float(short)))
    elif brakes:
        found.append(Duty("brake", name, BRAKING, inches=float(short)))
    return found


def ground(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rough terrain on the way: each piece with the inches inside it; typed, one without a name."""
    seen = [dict(one) for one in reading.objects(data, "ground")]
    inches = reading.number(data, "rough")
    return seen or ([{"terrain": "Rough terrain", "inches": inches}] if inches > 0.0 else [])


def lay(play: Play, data: Mapping[str, Any]) -> None:
    """Tokens along the route: each replaces a Speed token by a Damage token."""
    for card in LAYERS:
        for _ in range(int(data.get(FIELDS[card]) or 0)):
            car = play.state.car(play.turn.car)
            layer = next(c for c in car.components if c.card == card and c.speed)
            number = dict(play.state.counts).get(card, 0) + 1
            name = f"{token_name(card)} {number}"
            words = f"{car.name} lays {name} along its route"
            place = _place(play, name)
            play.tell(
                "laid", words, MINE if card == MINES else COMMENTS, car=car.name, token=name, card=card,
                component=layer.name, at=place,
            )  # fmt: skip


def token_name(card: str) -> str:
    """What one token of a layer is called.

    >>> token_name("Mines"), token_name("Caltrops")
    ('Mine', 'Caltrops')
    """
    return "Mine" if card == MINES else card


def _place(play: Play, name: str) -> list[float] | None:
    here = standing_of(play.seen.table, name)
    return None if here is None else [round(v, 3) for v in (here.pose.x, here.pose.y, here.pose.heading)]


def into_candidates(state: GameState, car: str) -> list[str]:
    """What a move may have run into: another car, or Blocking terrain."""
    return [c.name for c in state.driving() if c.name != car] + [TERRAIN]
