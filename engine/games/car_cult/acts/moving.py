"""An activation: tokens generated and allocated, the move, what it met and what it laid."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from engine.game.events import Action, Reason
from engine.game.kit import reading
from engine.game.kit.table import standing_of
from engine.games.car_cult.book import data as book
from engine.games.car_cult.rules.attacks import explode, place
from engine.games.car_cult.rules.moves import BLOCKING, BRAKING, COMMENTS, MINE, ROUGH, TERRAIN
from engine.games.car_cult.state import Component, Duty, GameState, Play, Turn
from engine.ruling import many
from engine.words import listed

# A move: how far it went, what it met on the way, and the tokens that it laid along its route.

MOVE = book.cite("Car Movement/Engines")

FIELDS: Mapping[str, str] = {book.MINES: "mines", book.OIL: "oil", book.CALTROPS: "caltrops"}
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
    drift = book.most_drift(low)
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
    if data.get("stays"):
        words, told["stays"] = f"{turn.car} stays where it is: minimum {low} in", True
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
    """Tokens along the route: each replaces a Speed token by a Damage token, which may be the car's last."""
    for card in book.LAYERS:
        for _ in range(int(data.get(FIELDS[card]) or 0)):
            car = play.state.car(play.turn.car)
            layer = next(c for c in car.components if c.card == card and c.speed)
            number = dict(play.state.counts).get(card, 0) + 1
            name = f"{token_name(card)} {number}"
            words = f"{car.name} lays {name} along its route"
            place = _place(play, name)
            play.tell(
                "laid", words, MINE if card == book.MINES else COMMENTS, car=car.name, token=name, card=card,
                component=layer.name, at=place,
            )  # fmt: skip
            if not play.state.car(car.name).undamaged:
                explode(play, car, name)
                return


def token_name(card: str) -> str:
    """What one token of a layer is called.

    >>> token_name("Mines"), token_name("Caltrops")
    ('Mine', 'Caltrops')
    """
    return "Mine" if card == book.MINES else card


def _place(play: Play, name: str) -> list[float] | None:
    here = standing_of(play.seen.table, name)
    return None if here is None else [round(v, 3) for v in (here.pose.x, here.pose.y, here.pose.heading)]


def into_candidates(state: GameState, car: str) -> list[str]:
    """What a move may have run into: another car, or Blocking terrain."""
    return [c.name for c in state.driving() if c.name != car] + [TERRAIN]


# An activation: shifting down, generating and allocating Speed tokens, the Fixer, a boost, its end.

SHIFT = book.cite("Down Shift")
ACTIVATION = book.cite("Car Activation")
ENGINES = book.cite("Car Movement/Engines")
FIXING = book.cite("Building a Car Cult", book.FIXER)

FREE = 1
"""Speed tokens that may leave the engine without a roll."""


def do_shift(play: Play, action: Action) -> None:
    """Speed tokens leave the car, of the engine as many as it shifts down; then it generates new ones."""
    car = play.state.car(play.turn.car)
    tokens = int(action.data["tokens"])
    words = f"{car.name} shifts down by {tokens}" if tokens else f"{car.name} keeps its speed"
    play.tell("shifted", words, SHIFT if tokens else ACTIVATION, car=car.name, tokens=tokens)
    if tokens > FREE:
        dice = play.d20(f"{car.name} shifts down", SHIFT, car.name, car.owner, tokens - FREE)
        for value in dice:
            if (
                value < book.NEEDED
                and play.state.car(car.name).engine.whole
                and play.state.car(car.name).driving
            ):
                place(play, car.name, car.engine.name, car.owner, f"down shift, {value}", SHIFT)
    if not play.state.car(car.name).driving:
        return
    pool = play.state.car(car.name).symbols + play.state.house.bonus
    play.tell(
        "generated", f"{car.name} generates {many(pool, 'Speed token')}", ACTIVATION, car=car.name,
        tokens=pool,
    )  # fmt: skip
    if not pool or not free_zones(play.state, play.turn):
        allocate(play, {}, pool)


_NO_TOKENS = (book.RAM, book.SPIKES, book.TURBO)
"""Components that work without Speed tokens."""


def free_zones(state: GameState, turn: Turn) -> tuple[tuple[Component, int], ...]:
    """The zones in which Speed tokens may be put, from the left; on the engine up to its Acceleration."""
    found = []
    for c in state.car(turn.car).components:
        if c.rules.sort == "armour" or c.card in _NO_TOKENS:
            continue
        empty = [k for k, token in enumerate(c.zones) if token is None]
        most = c.rules.acceleration if c.rules.sort == "engine" else len(empty)
        found += [(c, k) for k in empty[:most]]
    return tuple(found)


def do_allocate(play: Play, action: Action) -> None:
    """Speed tokens go onto components, filling each from the left; any that are left are wasted."""
    car, pool = play.state.car(play.turn.car), play.turn.pool
    said = action.data.get("zones") or []
    names = [_said_place(zone)[0] for zone in ([said] if isinstance(said, str) else said)]
    tokens = {c.name: names.count(c.name) for c in car.components if c.name in names}
    allocate(play, tokens, pool - len(names))


def allocate(play: Play, tokens: Mapping[str, int], wasted: int) -> None:
    """So many Speed tokens on each component."""
    name = play.turn.car
    told = (
        ", ".join(f"{count} on the {part}" for part, count in tokens.items()) or "no Speed token is allocated"
    )
    words = f"{name}: {told}" + (f"; {wasted} wasted" if wasted else "")
    play.tell("allocated", words, ACTIVATION, car=name, tokens=dict(tokens), wasted=wasted)
    car = play.state.car(name)
    low, high = car.limits
    play.tell(
        "ready", f"{name}: minimum {low} in, maximum {high} in, {many(car.turns, 'turn')}", ENGINES, car=name,
        minimum=low, maximum=high, turns=car.turns, stands=high == 0,
    )  # fmt: skip


def do_swap(play: Play, action: Action) -> None:
    """Two tokens that are not on the Fixer change places."""
    car = play.state.car(play.turn.car)
    fixer = next(c for c in car.components if c.card == book.FIXER and c.ready)
    places = [_said_place(action.data[field]) for field in ("one", "other")]
    told = listed(f"{name} {k + 1}" for name, k in places)
    play.tell(
        "swapped", f"the {book.FIXER} of {car.name} swaps {told}", FIXING, car=car.name, component=fixer.name,
        places=[list(p) for p in places],
    )  # fmt: skip


def zone_key(component: str, place: int) -> str:
    """A zone as a form names it.

    >>> zone_key("Rifle 2", 0)
    'Rifle 2 · 1'
    """
    return f"{component} · {place + 1}"


def _said_place(said: str) -> tuple[str, int]:
    name, _, number = said.rpartition(" · ")
    return name, int(number) - 1


def do_boost(play: Play, action: Action) -> None:
    """A Damage token on the Turbo Booster for more inches."""
    car, name = play.turn.car, action.data["component"]
    play.tell("boosted", f"{car} uses its {book.TURBO}", COMMENTS, car=car, component=name)
    place(play, car, name, play.turn.player, book.TURBO, COMMENTS)


def do_done(play: Play, action: Action) -> None:
    """The activation is at its end; what is laid along the route only now is laid first."""
    name = play.turn.car
    lay(play, action.data)
    play.tell("ended", f"the activation of {name} is at its end", ACTIVATION, car=name)
