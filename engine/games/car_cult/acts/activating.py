"""An activation: shifting down, generating and allocating Speed tokens, the Fixer, a boost, its end."""

from __future__ import annotations

from collections.abc import Mapping

from engine.game.events import Action
from engine.games.car_cult.acts.moving import lay
from engine.games.car_cult.book.data import FIXER, NEEDED, RAM, SPIKES, TURBO, cite
from engine.games.car_cult.rules.damage import place
from engine.games.car_cult.state.fold import Play
from engine.games.car_cult.state.game_state import Component, GameState, Turn
from engine.ruling import many

SHIFT = cite("Down Shift")
ACTIVATION = cite("Car Activation")
ENGINES = cite("Car Movement/Engines")
FIXING = cite("Building a Car Cult", FIXER)
COMMENTS = cite("Comments")

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
            if value < NEEDED and play.state.car(car.name).engine.whole and play.state.car(car.name).driving:
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


_NO_TOKENS = (RAM, SPIKES, TURBO)
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
    names = [_place(zone)[0] for zone in ([said] if isinstance(said, str) else said)]
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
    fixer = next(c for c in car.components if c.card == FIXER and c.ready)
    places = [_place(action.data[field]) for field in ("one", "other")]
    told = " and ".join(f"{name} {k + 1}" for name, k in places)
    play.tell(
        "swapped", f"the {FIXER} of {car.name} swaps {told}", FIXING, car=car.name, component=fixer.name,
        places=[list(p) for p in places],
    )  # fmt: skip


def zone_key(component: str, place: int) -> str:
    """A zone as a form names it.

    >>> zone_key("Rifle 2", 0)
    'Rifle 2 · 1'
    """
    return f"{component} · {place + 1}"


def _place(said: str) -> tuple[str, int]:
    name, _, number = said.rpartition(" · ")
    return name, int(number) - 1


def do_boost(play: Play, action: Action) -> None:
    """A Damage token on the Turbo Booster for more inches."""
    car, name = play.turn.car, action.data["component"]
    play.tell("boosted", f"{car} uses its {TURBO}", COMMENTS, car=car, component=name)
    place(play, car, name, play.turn.player, TURBO, COMMENTS)


def do_done(play: Play, action: Action) -> None:
    """The activation is at its end; what is laid along the route only now is laid first."""
    name = play.turn.car
    lay(play, action.data)
    play.tell("ended", f"the activation of {name} is at its end", ACTIVATION, car=name)
