"""Every shot of the round's car: how the target stands, what the die has to show, and what it would do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engine.errors import TableRefError
from engine.game.contract import Option, Reckoned, Seen
from engine.game.events import Action
from engine.game.forms import Candidate, Fact, Flag, Form, Input, Pick, PickPieces
from engine.games.white_line_fever.acts.shooting import TO_HIT, added, modifiers, mounted, unusable
from engine.games.white_line_fever.book.data import PLASMA_SELF, RAILGUN_NEXT, Weapon, cite
from engine.games.white_line_fever.page.questions import bonus_of, cars_as_candidates, shot_question
from engine.games.white_line_fever.rules.contacts import special_words
from engine.games.white_line_fever.rules.shots import APPLY, RANGES, TARGET, Facts, facts
from engine.games.white_line_fever.state import Car, GameState, Round
from engine.ruling import signed

DAMAGE = cite("Shoot Weapon", "Damage")

EIGHT = 8
"""Sides of the die that decides whether a shot hits."""


@dataclass(frozen=True)
class Odds:
    """What a shot promises: the number that the die has to show, and the chance of that.

    >>> odds_of(speed=4, accuracy=1, damage=2)
    Odds(needed=3, chance=0.75, damage=2, expected=1.5)
    """

    needed: int
    chance: float
    damage: int
    expected: float

    @property
    def words(self) -> str:
        """What the die has to show, for people."""
        if self.needed <= 1:
            return "always hits"
        return "cannot hit" if self.needed > EIGHT else f"to hit: {self.needed}+ on a D{EIGHT}"

    @property
    def beside(self) -> float:
        """The harm to expect besides that to the target, one's own below zero."""
        beside = self.expected - self.chance * self.damage
        return beside if abs(beside) > 1e-9 else 0.0

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Chance and harm, for people."""
        counted = ", other cars included" if self.beside else ""
        if self.beside < 0.0:
            counted = ", the risk to your own cars taken off"
        return (
            Fact(f"{100 * self.chance:.0f} %", self.words),
            Fact(signed(self.expected, ".1f"), f"damage expected{counted}; {self.damage} on a hit"),
        )


def odds_of(speed: int, accuracy: int, damage: int, besides: float = 0.0, cost: float = 0.0) -> Odds:
    """The odds of a D8 with this modifier against a target's Speed.

    `besides` is harm to others on a hit, below zero to one's own cars; `cost` is harm to itself, hit or miss.

    >>> odds_of(speed=6, accuracy=-1, damage=1).needed, odds_of(speed=1, accuracy=2, damage=1).chance
    (7, 1.0)
    >>> odds_of(speed=1, accuracy=0, damage=2, besides=-4).expected
    -2.0
    """
    needed = speed - accuracy
    chance = min(max((EIGHT + 1 - needed) / EIGHT, 0.0), 1.0)
    return Odds(needed, chance, damage, chance * (damage + besides) - cost)


def shots(state: GameState, turn: Round, seen: Seen) -> list[Option]:
    """Every shot at every enemy in play: lawful ones first, then open ones, of each the best first.

    None while this manoeuvre's action has been performed.
    """
    if turn.acted or turn.car is None:
        return []
    car = state.car(turn.car)
    weapons = [mounted(car, name) for name in (car.primary, car.secondary)]
    found = [
        _shot(state, turn, seen, car, target, weapon)
        for weapon in weapons
        if weapon is not None and not weapon.droppable
        for target in state.driving()
        if target.owner != car.owner
    ]
    found.sort(key=lambda one: (bool(one[0].not_now), not _open(one[0]), -one[1]))
    none = "" if any(_open(option) for option, _ in found) else "No legal targets."
    return [replace(option, heading_more=none) for option, _ in found]


def _open(option: Option) -> bool:
    return all(reason.open for reason in option.not_now)


def _shot(
    state: GameState, turn: Round, seen: Seen, car: Car, target: Car, weapon: Weapon
) -> tuple[Option, float]:
    """A shot, and the harm to expect of it."""
    data = {"weapon": weapon.name, "target": target.name}
    try:
        known = facts(state, Action("shoot", None, data), seen.table, car, target, weapon)
    except TableRefError:
        # A piece that is no car by its file, say: the players can still say what they see.
        known = Facts(False, False)
    measured = bool(known.checks)
    against = (*unusable(turn, car, weapon), *(known.doubts if measured else ()))
    odds = {to: _odds(state, car, target, weapon, known, to) for to in APPLY}
    best = max(odds, key=lambda to: odds[to].expected)
    option = Option(
        kind="shoot",
        player=turn.driver,
        words=f"{target.name} · {weapon.name}",
        more=" · ".join(
            filter(None, (_how_it_stands(known), _reaches(state, car, known), special_words(weapon)))
        ),
        heading=f"{car.name} shoots",
        data=data,
        form=_form(state, car, target, weapon, known, odds, best),
        citation=TARGET,
        piece=target.name,
        facts=odds[best].facts,
        question=shot_question(weapon, car.name, target.name, bonus_of(car)),
        not_now=against,
        button="Shoot",
        reckoning=tuple(_reckoning(target, weapon, known, best, odds[best])),
    )
    return option, odds[best].expected


def _reckoning(target: Car, weapon: Weapon, known: Facts, apply_to: str, odds: Odds) -> Iterator[Reckoned]:
    """How the odds come about: the target's Speed, each modifier, and the harm to expect."""
    yield Reckoned(f"{target.speed}+", f"Speed of {target.name}", TO_HIT)
    for one in modifiers(weapon, known.short, known.tailgate, apply_to):
        yield Reckoned(f"{one.amount:+d}", f"{one.name}, to {one.to}", one.citation)
    faces = f"{round(EIGHT * odds.chance)} of {EIGHT} faces"
    yield Reckoned(f"{100 * odds.chance:.0f} %", f"{odds.words}: {faces}", TO_HIT)
    yield Reckoned(str(odds.damage), "damage on a hit", DAMAGE)
    times = f"{odds.chance:.2f} times {odds.damage}"
    if odds.beside:
        words = "for what else it harms, one's own against it"
        yield Reckoned(signed(odds.beside, ".1f"), words, weapon.citation)
        times += ", and that"
    yield Reckoned(signed(odds.expected, ".1f"), f"damage expected: {times}", DAMAGE)


def _how_it_stands(known: Facts) -> str:
    """Range and Tailgate as measured, for people."""
    by_name = {check["name"]: check for check in known.checks}
    if not by_name:
        return "enter the range by hand"
    short, far = by_name["Short Range"]["verdict"], by_name["Maximum Range"]["verdict"]
    band = "too close to call"
    if short == "yes":
        band = "Short Range"
    elif far == "no":
        band = "out of range"
    elif (short, far) == ("no", "yes"):
        band = "in range"
    number = by_name["Maximum Range"]["number"]
    away = "" if number is None else f"{number:.2f} in away, "
    return f"{away}{band}" + (" · Tailgate" if known.tailgate else "")


def _doubtful(state: GameState, known: Facts) -> list[str]:
    """The cars of which it is too close to call whether the weapon reaches them as well."""
    return [reason.question for reason in known.doubts if state.is_car(reason.question)]


def _reaches(state: GameState, car: Car, known: Facts) -> str:
    """Everybody whom the weapon reaches besides its target, for people; one's own cars are called so."""

    def named(names: Sequence[str]) -> str:
        return ", ".join(f"{n} (your own)" if state.car(n).owner == car.owner else n for n in names)

    perhaps = _doubtful(state, known)
    sure = f"also reaches {named(known.reached)}" if known.reached else ""
    return " · ".join(filter(None, (sure, f"perhaps reaches {named(perhaps)}" if perhaps else "")))


def _odds(state: GameState, car: Car, target: Car, weapon: Weapon, known: Facts, apply_to: str) -> Odds:
    """What a shot promises; own losses count against it, one that is too close to call by half."""
    mods = modifiers(weapon, known.short, known.tailgate, apply_to)
    damage = weapon.damage + added(mods, "damage")
    harm = RAILGUN_NEXT if weapon.pierces else damage
    shares = dict.fromkeys(known.reached, 1.0) | dict.fromkeys(_doubtful(state, known), 0.5)
    besides = sum(
        -share * harm if state.car(name).owner == car.owner else share * harm
        for name, share in shares.items()
    )
    cost = PLASMA_SELF / EIGHT if weapon.name == "Plasma Gun" else 0.0
    return odds_of(target.speed, added(mods, "accuracy"), damage, besides, cost)


def _form(
    state: GameState, car: Car, target: Car, weapon: Weapon, known: Facts, odds: dict[str, Odds], best: str
) -> Form:
    """Where the modifiers go; and what the table does not say, or the players see otherwise."""
    measured = bool(known.checks)
    fields: dict[str, Input] = {
        "apply": Pick(
            words="Modifiers go to",
            candidates=tuple(
                Candidate(to, to, _modifiers(weapon, known, to), facts=odds[to].facts) for to in APPLY
            ),
            usual=best,
            folded=measured and not _any_modifiers(weapon, known),
        ),
        "band": Pick(
            words="Range",
            more="Entered by hand, instead of the camera's." if measured else "",
            candidates=tuple(Candidate(band, RANGES[band]) for band in ("short", "maximum")),
            optional=measured,
            folded=measured,
        ),
        "tailgate": Flag(words="Tailgate", optional=True, folded=measured),
    }
    if weapon.blast_radius is not None or weapon.pierces:
        fields["reached"] = PickPieces(
            words="It also reaches",
            candidates=cars_as_candidates(state, target.name, *((car.name,) if weapon.pierces else ())),
            most=1 if weapon.pierces else 99,
            optional=True,
            folded=measured,
        )
    return Form(fields)


def _any_modifiers(weapon: Weapon, known: Facts) -> bool:
    """Whether there are any to put somewhere, or may be."""
    doubtful = any(
        check["name"] in ("Short Range", "Tailgate") and check["verdict"] == "too close to call"
        for check in known.checks
    )
    return doubtful or any(_modifiers(weapon, known, to) for to in APPLY)


def _modifiers(weapon: Weapon, known: Facts, to: str) -> str:
    return ", ".join(m.words for m in modifiers(weapon, known.short, known.tailgate, to))
