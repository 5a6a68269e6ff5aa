"""Rounds, the order of activation, attacks in their stages, what follows by itself, and the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.game.about import house
from engine.game.dice import Want
from engine.game.events import Action, Illegal, Reason
from engine.game.kit import reading
from engine.games.car_cult.book.data import GUNNER, RAM, SIDES, cite
from engine.games.car_cult.rules.attacks import ROLL, automatic, blast, place, resolve
from engine.games.car_cult.rules.moves import meet, rammed
from engine.games.car_cult.state import Attack, Car, Duty, GameState, Play
from engine.ruling import many
from engine.words import listed

# An attack in its stages: declare, measure and roll, reroll, resolve.

DECLARE = cite("Attacking opponents", "Declare target")
APPLY_ST = cite("Attacking opponents", "Apply ST to weapon")
MEASURE = cite("Attacking opponents", "Measure range and determine LoS")
REROLL = cite("Building a Car Cult", GUNNER)


def do_declare(play: Play, action: Action) -> None:
    """A target is declared, and a Speed token on the weapon is used."""
    car, weapon, target = play.turn.car, action.data["weapon"], action.data["target"]
    words = f"{car} declares {target} as the target of its {weapon}"
    play.tell("declared", words, DECLARE, car=car, weapon=weapon, target=target)
    left = play.state.car(car).component(weapon).ready
    play.tell(
        "applied", f"a Speed token on the {weapon} is used, {left} left", APPLY_ST, car=car, weapon=weapon,
        left=left,
    )  # fmt: skip


def attacked_with(state: GameState) -> Mapping[str, Any]:
    """The target and the weapon of the attack that was declared, for words."""
    attack = state.attack
    return {} if attack is None else {"target": attack.target, "weapon": attack.weapon}


def do_fire(play: Play, action: Action) -> None:
    """Range and line of sight are told; within both the attack dice are rolled."""
    attack = _attack(play)
    car = play.state.car(attack.car)
    card = car.component(attack.weapon).rules
    reached = reading.one_of(action.data, "reach", ("yes", "no")) == "yes"
    seen = action.data.get("seen")
    told: dict[str, Any] = {"distance": None, "sd": None, "line": None} | dict(seen or {})
    said = seen is None or bool(action.data.get("said"))
    words = _ranged(told["distance"], card.reach, seen=seen is not None, said=said, reached=reached)
    play.tell(
        "ranged", f"{attack.target}: {words}", MEASURE, car=car.name, target=attack.target,
        weapon=attack.weapon, range=card.reach, reached=reached, **told,
        **({"said": True} if told["distance"] is not None and said else {}),
    )  # fmt: skip
    if not reached:
        play.tell("attack over", "the attack is over", MEASURE, car=car.name)
        return
    why = f"{car.name} attacks {attack.target} with its {attack.weapon}"
    dice = play.d20(why, ROLL, car.name, car.owner, card.shots)
    shown = f"{'dice show' if len(dice) > 1 else 'die shows'} {', '.join(map(str, dice))}"
    play.tell("attacked", f"{why}: the {shown}", ROLL, car=car.name, target=attack.target, dice=list(dice))
    if not play.state.rerolls():
        _resolve(play)


def _ranged(distance: float | None, reach: float, *, seen: bool, said: bool, reached: bool) -> str:
    """What was measured of an attack, and what counts.

    >>> _ranged(13.04, 12, seen=True, said=False, reached=False)
    '13.04 in of 12 in between the closest visible parts, too far: no attack may be made'
    >>> _ranged(None, 12, seen=True, said=True, reached=True)
    'no part of it is in sight; as the players say, within Range and in sight'
    """
    found = "no part of it is in sight"
    if distance is not None:
        found = f"{distance:.2f} in of {reach:g} in between the closest visible parts"
    counts = "within Range and in sight" if reached else "no attack may be made"
    if said:
        counts = f"as the players say, {counts}"
        return f"{found}; {counts}" if seen else counts
    return f"{found}, too far: {counts}" if distance is not None and not reached else f"{found}, {counts}"


def do_reroll(play: Play, action: Action) -> None:
    """One attack die is rolled again, for a Speed token on the Gutsy Gunner."""
    attack = _attack(play)
    car, k = play.state.car(attack.car), int(action.data["die"])
    gunner = next(c for c in car.components if c.card == GUNNER and c.ready)
    number = gunner.used + 1
    (value,) = play.d20(
        f"{car.name} rerolls a {attack.dice[k]}, reroll {number}", REROLL, car.name, car.owner
    )
    dice = [value if n == k else old for n, old in enumerate(attack.dice)]
    play.tell(
        "rerolled", f"{attack.dice[k]} becomes {value}", REROLL, car=car.name, component=gunner.name,
        dice=dice,
    )  # fmt: skip
    if not play.state.rerolls():
        _resolve(play)


def do_keep(play: Play, _action: Action) -> None:
    """The dice stay as they lie."""
    _resolve(play)


def _resolve(play: Play) -> None:
    attack = _attack(play)
    car = play.state.car(attack.car)
    card = car.component(attack.weapon).rules
    play.tell("attack over", "the dice stay", ROLL, car=car.name)
    damage = card.damage
    if card.name == RAM:
        damage = car.engine.speed
        rammed(play, car.name, attack.weapon, attack.target)
    resolve(play, card, attack.target, car.owner, attack.dice, damage)


def _attack(play: Play) -> Attack:
    attack = play.state.attack
    assert attack is not None
    return attack


# Putting cars down, rounds, the order of activation, what follows by itself, and the end.

DEPLOYMENT = house("Deployment")
START = cite("Car Movement/Engines")
ROUNDS = cite("Game rounds and turns")
ORDER = cite("Car Activation")
VICTORY = house("Victory")
COMMENTS = cite("Comments")

ROLLED = ("rough", "brake", "mine", "touch")
"""Duties that dice decide, and nobody is asked."""


def to_deploy(state: GameState) -> str | None:
    """The player who puts the next car down: in turn, who has fewest down first."""
    waiting = [p for p in state.players if any(c.owner == p and c.status == "waiting" for c in state.cars)]
    if not waiting:
        return None
    down = {p: sum(c.owner == p and c.status != "waiting" for c in state.cars) for p in waiting}
    return min(waiting, key=lambda p: (down[p], state.players.index(p)))


def do_deploy(play: Play, action: Action) -> None:
    """A car stands where its player chose, with the Speed tokens that it starts with."""
    car = play.state.car(action.data["car"])
    tokens = int(action.data.get("tokens") or 0)
    words = f"{car.owner} puts {car.name} down with {many(tokens, 'Speed token')} on its engine"
    play.tell("deployed", words, START, car=car.name, tokens=tokens)


# The order of activation


def candidates(state: GameState) -> tuple[Car, ...]:
    """The cars that may be next: of those not activated the ones with most Speed tokens, best D20s first."""
    left = [c for c in state.driving() if not c.activated]
    most = max((c.engine.speed for c in left), default=0)
    tied = [c for c in left if c.engine.speed == most]
    if _newly(tied):
        return tuple(tied)
    best = max((c.rolls for c in tied), default=())
    return tuple(c for c in tied if c.rolls == best)


def _newly(tied: Sequence[Car]) -> bool:
    """Whether some of these have a die from another tie and some have none: then each rolls."""
    return len({bool(c.rolls) for c in tied}) > 1


def _next_car(play: Play, *, rolling: bool) -> bool:
    """Activates the next car; ties are rolled for. False when dice are needed and may not be rolled."""
    while len(tied := candidates(play.state)) > 1:
        if not rolling:
            return False
        anew = _newly(tied)
        again = "" if anew or not tied[0].rolls else f", again after {tied[0].rolls[-1]} each"
        wants = [Want(SIDES, f"the place of {c.name} in the order{again}", by=c.owner) for c in tied]
        rolls = play.rolls(wants, ORDER, tuple(c.name for c in tied))
        found = {c.name: roll.value for c, roll in zip(tied, rolls, strict=True)}
        best = [name for name, value in found.items() if value == max(found.values())]
        words = f"{best[0]} is the first of them" if len(best) == 1 else f"{listed(best)} roll again"
        more = {"anew": True} if anew else {}
        play.tell("order", words, ORDER, rolls=found, **more)
    (car,) = candidates(play.state)
    play.tell("activated", f"{car.owner} activates {car.name}", ORDER, car=car.name, player=car.owner)
    return True


def settle(play: Play, *, rolling: bool = True) -> None:
    """Everything that follows by itself, up to where somebody has to do something.

    Not `rolling`: what needs dice is left for an action.
    """
    while not play.state.over:
        state = play.state
        if state.duties:
            if not _settles(play, state.duties[0], rolling=rolling):
                return
        elif to_deploy(state) is not None or _victory(play):
            return
        elif state.turn is not None:
            if state.car(state.turn.car).driving:
                return
            play.tell("ended", f"{state.turn.car} is out of the game", ROUNDS, car=state.turn.car)
        elif any(not c.activated for c in state.driving()) and state.round:
            if not _next_car(play, rolling=rolling):
                return
        else:
            _new_round(play)


def _settles(play: Play, duty: Duty, *, rolling: bool) -> bool:
    """Whether the first duty is done without anybody; what has become pointless is."""
    state = play.state
    gone = duty.kind == "mine" and all(one.name != duty.other for one in state.laid)
    if gone or (duty.kind != "blast" and not state.car(duty.car).driving):
        play.settled(f"{duty.other or duty.car} is out of the game")
        return True
    if duty.kind in ROLLED:
        if rolling:
            meet(play, duty)
        return rolling
    if duty.kind == "damage":
        only = automatic(state, duty)
        if only is not None:
            do_damage(play, only)
        return only is not None
    if not state.driving():
        blast(play, ())
        return True
    return False


def do_damage(play: Play, component: str) -> None:
    """The Damage token that is due goes there."""
    duty = play.state.duties[0]
    owner = play.state.car(duty.car).owner
    place(play, duty.car, component, duty.by or owner, duty.cause, duty.citation, due=True)


def _new_round(play: Play) -> None:
    state = play.state
    number = state.round + 1
    quiet = state.quiet + 1 if state.calm and state.round else 0
    if quiet >= state.house.quiet:
        _end(play, f"after {quiet} rounds without a Damage token")
        return
    play.tell("round", f"round {number}", ROUNDS, number=number, quiet=quiet)


def _victory(play: Play) -> bool:
    if len(play.state.alive) > 1:
        return False
    _end(play, "the last cult standing")
    return True


def _end(play: Play, why: str) -> None:
    """Who has most undamaged zones has won; of one cult left that is it."""
    state = play.state
    worth = {p: sum(c.undamaged for c in state.driving(p)) for p in state.alive}
    best = [p for p, zones in worth.items() if zones == max(worth.values())]
    winner = best[0] if len(best) == 1 else None
    words = f"{winner} wins: {why}" if winner else f"Nobody wins: {why if worth else 'no car is left'}"
    if len(worth) > 1:
        each = ", ".join(f"{p} {many(zones, 'zone')}" for p, zones in worth.items())
        words += f" ({each} undamaged)"
    keep_damage(play)
    play.tell("over", words, VICTORY, winner=winner)


def keep_damage(play: Play) -> None:
    """A campaign: of its Damage tokens a car keeps as many as its Acceleration for the game after this."""
    if not play.state.house.wishes:
        return
    kept = {c.name: min(c.damage, c.engine.rules.acceleration) for c in play.state.cars}
    told = ", ".join(f"{name}: {tokens}" for name, tokens in kept.items())
    words = f"Damage tokens that stay for the next game of a campaign: {told}"
    play.tell("kept", words, COMMENTS, tokens=kept)


# Giving up

GIVES_UP = house("Giving up")


def concede(play: Play, player: str) -> None:
    """Takes a player's cars off the table; `Illegal` for one who has none left."""
    mine = [car.name for car in play.state.cars if car.owner == player and car.status != "exploded"]
    if not mine:
        raise Illegal([Reason(f"{player} has no car in the game", GIVES_UP)])
    for name in mine:
        play.tell("exploded", f"{name} is taken off the table", GIVES_UP, car=name, inches=0.0)
    there = {car.owner for car in play.state.cars if car.status != "exploded"}
    left = [one for one in play.state.players if one in there]
    if len(left) == 1:
        keep_damage(play)
        play.tell("over", f"{left[0]} wins", GIVES_UP, winner=left[0])
        return
    settle(play, rolling=False)
