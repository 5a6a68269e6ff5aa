"""What a move meets: Rough terrain, Mines, Blocking terrain and other cars, braking; each in its turn."""

from __future__ import annotations

from engine.game.about import house
from engine.games.car_cult.book.data import CARDS, GUNNER, MINES, NEEDED, RAM, SPIKES, card_called, cite
from engine.games.car_cult.rules.attacks import resolve
from engine.games.car_cult.rules.damage import ROUGH as GROUND
from engine.games.car_cult.rules.damage import hurt
from engine.games.car_cult.state.fold import Play
from engine.games.car_cult.state.game_state import Duty
from engine.ruling import many

ROUGH = cite("Down Shift", "Rough terrain")
BLOCKING = cite("Down Shift", "Blocking terrain")
BRAKING = cite("Car Movement/Engines")
MINE = cite("Building a Car Cult", MINES)
RAMMING = cite("Building a Car Cult", RAM)
COMMENTS = cite("Comments")
TERRAIN = "Blocking terrain"
"""What is met that is no car: a piece of terrain, the edge of the table, a token that blocks."""

EDGE = house("The edge of the table is Blocking terrain")


def meet(play: Play, duty: Duty) -> None:
    """The first thing that is owed, where dice alone decide."""
    match duty.kind:
        case "rough":
            _checked(play, duty, f"Rough terrain, {duty.inches:g} in of {duty.other}", ROUGH)
        case "brake":
            inches = f"{duty.inches:g} in" if duty.inches else "less than an inch"
            _checked(play, duty, f"braking, {inches} not moved", BRAKING)
        case "mine":
            _mine(play, duty)
        case "touch":
            _touch(play, duty)


def _checked(play: Play, duty: Duty, why: str, citation: str) -> None:
    """A D20 less the inches: 10 or more and nothing happens."""
    owner = play.state.car(duty.car).owner
    (value,) = play.d20(f"{duty.car}: {why}", citation, duty.car, owner)
    total = value - int(duty.inches)
    safe = total >= NEEDED
    harm = "unharmed" if safe else "damaged"
    less = f"{value} − {int(duty.inches)} = " if int(duty.inches) else ""
    words = f"{duty.car} is {harm}: {less}{total}, {NEEDED} or more needed"
    play.tell(
        "checked", words.replace("= -", "= −"), citation, car=duty.car, value=value, total=total, safe=safe
    )
    play.settled(f"{why}: done")
    if safe:
        return
    # The first of one token is the owner's, but of a brake the opponent's.
    if duty.kind == "brake":
        by = play.state.opponent(owner)
        play.owe(
            [Duty("damage", duty.car, citation, by=by, cause="braking")],
            f"{by} places a Damage token on {duty.car}", first=True,
        )  # fmt: skip
    else:
        hurt(play, duty.car, 1, GROUND, citation)


def _mine(play: Play, duty: Duty) -> None:
    """A Mine attacks the car that came within its range, and is removed."""
    card = CARDS[MINES]
    laid = next(one for one in play.state.laid if one.name == duty.other)
    dice = play.d20(f"{laid.name} attacks {duty.car}", MINE, duty.car, laid.owner, card.shots)
    play.settled(f"{laid.name} has attacked")
    play.tell("removed", f"{laid.name} is removed", MINE, token=laid.name, car=duty.car)
    resolve(play, card, duty.car, laid.owner, dice, card.damage, laid.name)


def _touch(play: Play, duty: Duty) -> None:
    """The car has touched another, or Blocking terrain."""
    state = play.state
    car = state.car(duty.car)
    other = next((c for c in state.driving() if c.name == duty.other), None)
    play.settled(f"{duty.car} touches {duty.other}")
    if other is not None and car.working(SPIKES):
        hurt(
            play,
            other.name,
            card_called(SPIKES).damage,
            f"the {SPIKES} of {car.name}",
            COMMENTS,
            by=car.owner,
        )
    if other is not None and car.working(RAM):
        _ram(play, car.name, other.name)
        return
    count = int(duty.inches)
    short = f"{count} in" if count else "less than an inch"
    words = f"{car.name} touches {duty.other} {short} short of its minimum"
    tokens = car.engine.speed
    if tokens:
        leave = f"{many(tokens, 'Speed token')} {'leaves' if tokens == 1 else 'leave'} its engine"
        play.tell(
            "stopped", f"{words}: {leave}", duty.citation, car=car.name, other=duty.other, tokens=tokens
        )
    if other is not None:
        hurt(play, other.name, count, f"{car.name}, which ran into it", duty.citation)
    hurt(play, car.name, count, duty.other, duty.citation)


def _ram(play: Play, name: str, target: str) -> None:
    """The Reinforced Ram attacks whom the car touches; its damage is the Speed tokens on the engine."""
    card, car = CARDS[RAM], play.state.car(name)
    ram = car.working(RAM)[0].name
    dice = play.d20(f"{name} rams {target}", RAMMING, target, car.owner, card.shots)
    if car.ready(GUNNER):
        # "Reroll one Attack roll": of a ram as of any other attack.
        words = f"{name} rams {target} with its {ram}"
        play.tell("declared", words, RAMMING, car=name, weapon=ram, target=target)
        shown = f"{words}: the die shows {dice[0]}"
        play.tell("attacked", shown, RAMMING, car=name, target=target, dice=list(dice))
        return
    resolve(play, card, target, car.owner, dice, car.engine.speed)
