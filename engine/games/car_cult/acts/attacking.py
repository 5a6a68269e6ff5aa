"""An attack in its stages: declare, measure and roll, reroll, resolve."""

from __future__ import annotations

from typing import Any

from engine.game.events import Action
from engine.game.kit import reading
from engine.games.car_cult.book.data import GUNNER, RAM, cite
from engine.games.car_cult.rules.attacks import ROLL, resolve
from engine.games.car_cult.state.fold import Play
from engine.games.car_cult.state.game_state import Attack

ATTACK = cite("Attacking opponents")
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


def do_fire(play: Play, action: Action) -> None:
    """Range and line of sight are told; within both the attack dice are rolled."""
    attack = _attack(play)
    car = play.state.car(attack.car)
    card = car.component(attack.weapon).rules
    reached = reading.one_of(action.data, "reach", ("yes", "no")) == "yes"
    seen = action.data.get("seen")
    told: dict[str, Any] = {"distance": None, "sd": None, "line": None} | dict(seen or {})
    if seen is None:
        away = "as the players say, "
    elif told["distance"] is None:
        away = "no part of it is in sight, "
    elif action.data.get("said"):
        away = f"{told['distance']:.2f} in between the closest visible parts, as the players say "
    else:
        away = f"{told['distance']:.2f} in between the closest visible parts, "
    within = "within Range and in sight" if reached else "no attack may be made"
    play.tell(
        "ranged", f"{attack.target}: {away}{within}", MEASURE, car=car.name, target=attack.target,
        weapon=attack.weapon, range=card.reach, reached=reached, **told,
        **({"said": True} if told["distance"] is not None and action.data.get("said") else {}),
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
    damage = car.engine.speed if card.name == RAM else card.damage
    resolve(play, card, attack.target, car.owner, attack.dice, damage)


def _attack(play: Play) -> Attack:
    attack = play.state.attack
    assert attack is not None
    return attack
