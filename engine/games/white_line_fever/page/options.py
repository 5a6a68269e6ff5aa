"""What may be done now, for buttons: headings, words, figures, and what each has to be told."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from shapely.geometry import MultiPoint, Polygon
from shapely.geometry.base import BaseGeometry

from engine.errors import TableRefError
from engine.game.contract import Option, Question, Reckoned, Seen
from engine.game.events import Action, Reason
from engine.game.forms import Candidate, Fact, Flag, Form, Input, Number, Pick, PickPieces, SheetPlace, Text
from engine.game.kit.shown import reached
from engine.game.kit.table import path
from engine.game.kit.table import seen as seen_on
from engine.game.showing import Mark, Role
from engine.games.white_line_fever.acts import placing, rounds
from engine.games.white_line_fever.acts.shooting import TO_HIT, added, modifiers, mounted, unusable
from engine.games.white_line_fever.book import data as book
from engine.games.white_line_fever.book.data import Weapon
from engine.games.white_line_fever.page.guide import still_to_do
from engine.games.white_line_fever.page.sheets import SPEEDS, summary
from engine.games.white_line_fever.rules.contacts import displacer, special_words
from engine.games.white_line_fever.rules.damage import blast_due
from engine.games.white_line_fever.rules.moves import LEAST_RUN, hundredths
from engine.games.white_line_fever.rules.shots import (
    APPLY,
    RANGES,
    TARGET,
    VENUS_RANGE,
    Facts,
    facts,
    rule_shot,
)
from engine.games.white_line_fever.state import Car, Duty, GameState, Round, in_play
from engine.ruling import Ruling, signed
from engine.space.table import Standing, TableState, key_of

Check = Callable[[GameState, Action, Seen], tuple[Reason, ...]]


def options(state: GameState, seen: Seen, check: Check) -> tuple[Option, ...]:
    """What may be done now; of what is measured on the table also why not."""
    if state.over:
        return ()
    if state.duties:
        found = _owed(state, seen)
    elif state.deployment is None:
        found = _deployments()
    elif state.round is None:
        found = _deploy(state, seen)
    else:
        found = _in_round(state, state.round, seen)
    return tuple(_held_against_the_table(state, seen, option, check) for option in found)


_MEASURED = ("deploy", "placed", "drop")
"""The kinds that the table may be against; shots hold theirs already."""


def _held_against_the_table(state: GameState, seen: Seen, option: Option, check: Check) -> Option:
    if option.kind not in _MEASURED or seen.table is None:
        return option
    action = Action(option.kind, option.player, option.data)
    return replace(option, not_now=check(state, action, seen))


# Before the first round


def _deployments() -> Iterator[Option]:
    for name, more in {**book.DEPLOYMENTS, "roll": "a D6 decides"}.items():
        yield Option(
            "deployment", None, "roll for it" if name == "roll" else name, more,
            heading="How do the cars start?", data={"deployment": name},
        )  # fmt: skip


def _deploy(state: GameState, seen: Seen) -> Iterator[Option]:
    waiting = [c for c in state.cars if c.status == "waiting"]
    for c in (c for player in rounds.to_deploy(state) for c in waiting if c.owner == player):
        yield Option(
            "deploy", c.owner, c.name, f"{c.owner} · {'seen' if seen_on(seen.table, c.name) else 'not seen'}",
            heading="Put the cars down", heading_more="Tap a car when it stands where it starts.",
            data={"car": c.name}, form=Form({"move": path(seen, c.name)}), piece=c.name,
        )  # fmt: skip


# What a rule demands first


def _owed(state: GameState, seen: Seen) -> Iterator[Option]:
    duty = blast_due(state)
    if duty is not None:
        yield _blast(state, duty)
    for name in dict.fromkeys(d.car for d in state.duties if d.kind != "blast"):
        first = placing.duty_of(state, name)
        assert first is not None
        foreseen = {key: value for key, value in placing.foreseen(state, first).items() if value}
        yield Option(
            "placed", first.by, "Placed", heading=name, heading_more=still_to_do(state, first, seen.table),
            data={"car": name} | foreseen, form=way_form(state, seen, name, foreseen),
            citation=first.citation, piece=name, main=True,
        )  # fmt: skip


def _blast(state: GameState, duty: Duty) -> Option:
    picks = reached(duty.sure, duty.doubtful, [c.name for c in state.driving()])
    return Option(
        "blast", None, "Roll its damage" if picks.candidates else "Nobody",
        heading=f"Who is within {book.BLAST:g} in of {duty.car}?", form=Form({"cars": picks}), piece=duty.car,
        main=True,
    )  # fmt: skip


# In a round


def _in_round(state: GameState, turn: Round, seen: Seen) -> Iterator[Option]:
    cars = [c.name for c in state.driving(turn.driver)]
    if turn.stage == "car" or turn.car is None:
        yield from (_choose(state, turn, name) for name in cars)
        # Who has moved a car has chosen it.
        moved = {key_of(move.piece) for move in seen.moves.values()}
        yield from (_move(state, turn, seen, name) for name in cars if key_of(name) in moved)
    elif turn.stage == "move":
        yield _move(state, turn, seen, turn.car)
        if turn.manoeuvre == 1 and not turn.lost and not turn.reverse and not turn.part:
            yield _reverse(turn)
        for name in cars if rounds.may_change_car(turn) else ():
            if name != turn.car:
                yield _choose(state, turn, name, "Or drive another car")
    else:
        if turn.stage == "free":
            yield from (*shots(state, turn, seen), *_drop(state, turn), *_floor_it(state, turn))
        yield from _speeds(state, turn)


def _choose(state: GameState, turn: Round, name: str, heading: str = "Which car?") -> Option:
    return Option(
        "choose", turn.driver, name, summary(state, state.car(name)), heading=heading, data={"car": name},
        piece=name,
    )  # fmt: skip


def _move(state: GameState, turn: Round, seen: Seen, name: str) -> Option:
    left = state.to_drive(name)
    # What is left of a manoeuvre that a token broke off may be less than an inch.
    least = hundredths(min(LEAST_RUN, left))
    return Option(
        "move", turn.hands, f"Maneuver {turn.manoeuvre} is done",
        heading=f"Drive {name} {hundredths(left)} in",
        heading_more="Straight: the Maneuver's turn or drift is made."
        if turn.bent
        else f"Straight runs of {least} in or more, and one turn of up to 90° or one drift of 1 in.",
        data={"car": name}, form=way_form(state, seen, name, driven=True), piece=name,
        main=turn.car is not None,
    )  # fmt: skip


def _reverse(turn: Round) -> Option:
    why = Pick(
        words="Going ahead",
        candidates=tuple(Candidate(value, words) for value, words in rounds.AHEAD.items()),
    )
    return Option(
        "reverse", turn.driver, "Go in reverse",
        "Only where forward leaves the surface or cannot avoid a Collision.", form=Form({"because": why}),
        piece=turn.car,
    )  # fmt: skip


def _drop(state: GameState, turn: Round) -> Iterator[Option]:
    car = state.car(turn.car or "")
    if not book.weapon_called(car.secondary).droppable or not car.tokens or turn.acted:
        return
    fields: dict[str, Input] = {
        "under": PickPieces(
            words="It is under", candidates=cars_as_candidates(state, car.name), optional=True, folded=True
        ),
        "token": Text(words="Name of the token", optional=True, folded=True),
    }
    yield Option(
        "drop", turn.driver, f"Drop {car.secondary} ({car.tokens} left)",
        f"Whoever drives onto it {book.weapon_called(car.secondary).as_token}.", form=Form(fields),
        piece=car.name,
    )  # fmt: skip


def _floor_it(state: GameState, turn: Round) -> Iterator[Option]:
    if turn.manoeuvre >= book.MOST_MANOEUVRES or turn.car in turn.burning:
        return
    free, needed = rounds.free_manoeuvre(state, turn), turn.manoeuvre + 1
    words = "Floor It: free" if free else f"Floor It: {needed}+ on a D6"
    chance = 100 if free else 100 * (7 - needed) / 6
    yield Option(
        "floor_it", turn.driver, words, f"Maneuver {needed}",
        citation=rounds.LAST_CAR if free else rounds.HAZARD, facts=(Fact(f"{chance:.0f} %"),),
    )  # fmt: skip


def _speeds(state: GameState, turn: Round) -> Iterator[Option]:
    """The Speeds with which the round may end, the one that it has among them."""
    car, heading = state.car(turn.car or ""), "End the round at Speed"
    for to in sorted((car.speed, *rounds.speeds(state, car))):
        on = SheetPlace(car.name, SPEEDS, to)
        if to == car.speed:
            yield Option("end", turn.driver, str(to), "stay", heading=heading, main=True, on=on)
        else:
            more = signed(to - car.speed)
            yield Option("speed", turn.driver, str(to), more, heading=heading, data={"to": to}, on=on)


# Every shot of the round's car: how the target stands, what the die has to show, and what it would do

DAMAGE = book.cite("Shoot Weapon", "Damage")

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
        kind="shoot", player=turn.driver, words=f"{target.name} · {weapon.name}", more=" · ".join(
            filter(None, (_how_it_stands(known), _reaches(state, car, known), special_words(weapon)))
        ),
        heading=f"{car.name} shoots", data=data, form=_form(state, car, target, weapon, known, odds, best),
        citation=TARGET, piece=target.name, facts=odds[best].facts,
        question=shot_question(weapon, car.name, target.name, bonus_of(car)), not_now=against, button="Shoot",
        reckoning=tuple(_reckoning(target, weapon, known, best, odds[best])),
    )  # fmt: skip
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
    harm = book.RAILGUN_NEXT if weapon.pierces else damage
    shares = dict.fromkeys(known.reached, 1.0) | dict.fromkeys(_doubtful(state, known), 0.5)
    besides = sum(
        -share * harm if state.car(name).owner == car.owner else share * harm
        for name, share in shares.items()
    )
    cost = book.PLASMA_SELF / EIGHT if weapon.name == "Plasma Gun" else 0.0
    return odds_of(target.speed, added(mods, "accuracy"), damage, besides, cost)


def _form(
    state: GameState, car: Car, target: Car, weapon: Weapon, known: Facts, odds: dict[str, Odds], best: str
) -> Form:
    """Where the modifiers go; and what the table does not say, or the players see otherwise."""
    measured = bool(known.checks)
    fields: dict[str, Input] = {
        "apply": Pick(
            words="Modifiers go to", candidates=tuple(
                Candidate(to, to, _modifiers(weapon, known, to), facts=odds[to].facts) for to in APPLY
            ),
            usual=best, folded=measured and not _any_modifiers(weapon, known),
        ),
        "band": Pick(
            words="Range", more="Entered by hand, instead of the camera's." if measured else "",
            candidates=tuple(Candidate(band, RANGES[band]) for band in ("short", "maximum")),
            optional=measured, folded=measured,
        ),
        "tailgate": Flag(words="Tailgate", optional=True, folded=measured),
    }  # fmt: skip
    if weapon.blast_radius is not None or weapon.pierces:
        fields["reached"] = PickPieces(
            words="It also reaches",
            candidates=cars_as_candidates(state, target.name, *((car.name,) if weapon.pierces else ())),
            most=1 if weapon.pierces else 99, optional=True, folded=measured,
        )  # fmt: skip
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


# What can be asked of the table: shots, reach; and inputs that several actions ask for

# Inputs that several actions ask for: the move that was seen, and what a car met on its way.


def way_form(
    state: GameState, seen: Seen, car: str, foreseen: Mapping[str, Any] | None = None, *, driven: bool = False
) -> Form:
    """How a car got where it is, where the camera knows, and what it met; `foreseen` is picked already."""
    usual = foreseen or {}
    fields: dict[str, Input] = {"move": path(seen, car), "contacts": _contacts(state, seen, car, usual)}
    fields["obstacle"] = Text(words="It touched an obstacle without a tag", optional=True, folded=True)
    if state.tokens:
        fields["triggered"] = PickPieces(
            words="It drove over",
            candidates=tuple(Candidate(t.name, t.name, t.weapon) for t in state.tokens),
            usual=list(usual.get("triggered") or ()) or None,
            optional=True,
            folded=not usual.get("triggered"),
        )
    if driven and displacer(state, [t.name for t in state.tokens]):
        fields["left"] = Number(
            words="Inches that were left at Oil or Springboard", low=0.0, high=state.to_drive(car),
            whole=False, unit="in", optional=True, folded=True,
        )  # fmt: skip
    left = bool(usual.get("left_surface"))
    fields["left_surface"] = Flag(
        words="It left the surface", usual=left or None, optional=True, folded=not left
    )
    return Form(fields)


def cars_as_candidates(state: GameState, *but: str) -> tuple[Candidate, ...]:
    """The cars in play, to pick from."""
    return tuple(Candidate(c.name, c.name, c.owner) for c in state.driving() if c.name not in but)


def _contacts(state: GameState, seen: Seen, car: str, usual: Mapping[str, Any]) -> PickPieces:
    on_table = [c.name for c in state.cars if c.status in ("driving", "wreck") and c.name != car]
    known = {key_of(c.name) for c in state.cars}
    standings = () if seen.table is None else seen.table.standings
    terrain = [s.name for s in standings if s.piece.kind == "terrain" and key_of(s.name) not in known]
    touched = list(usual.get("contacts") or ())
    names = dict.fromkeys([*on_table, *terrain, *touched])
    return PickPieces(
        words="It hit", candidates=tuple(Candidate(name, name) for name in names), usual=touched or None,
        optional=True, folded=not touched,
    )  # fmt: skip


# What can be asked of the table: shots, and how far a car's weapon reaches.

SHOT = "shot"
USUAL = "Machine Gun"
"""The weapon that is meant where no game is played and none is named."""


def shot_question(weapon: Weapon, shooter: str, target: str, bonus: float = 0.0) -> Question:
    """May that car shoot at that one with this weapon."""
    words = f"May {shooter} shoot at {target} with {weapon.the}?"
    return _about(weapon, words, (shooter, target), bonus)


def _about(weapon: Weapon, words: str, pieces: tuple[str, ...], bonus: float, missing: str = "") -> Question:
    data = {"weapon": weapon.name}
    more = ranges_words(weapon, bonus)
    return Question(SHOT, words, pieces, data, weapon.name, more, weapon.hardpoint, missing)


def _picked(weapon: Weapon, picked: tuple[str, ...], bonus: float = 0.0) -> Question:
    """The question of a weapon with as many pieces as are picked."""
    match picked:
        case ():
            words = f"Who may shoot with {weapon.the}?"
            return _about(weapon, words, (), bonus, "the car that shoots, then the one that it shoots at")
        case (shooter,):
            words = f"Whom may {shooter} shoot at with {weapon.the}?"
            return _about(weapon, words, (shooter,), bonus, f"the car that {shooter} shoots at")
        case (shooter, target, *_):
            return shot_question(weapon, shooter, target, bonus)
    raise AssertionError


def ranges_words(weapon: Weapon, bonus: float = 0.0) -> str:
    """How far a weapon reaches and what it does besides, for people.

    >>> ranges_words(book.weapon_called("Harpoon"))
    'Short 6 in, Maximum 16 in; target is pulled 3 in'
    """
    if weapon.short is None or weapon.maximum is None:
        return f"whoever drives onto it {weapon.as_token}"
    said = f"Short {weapon.short + bonus:g} in, Maximum {weapon.maximum + bonus:g} in"
    return f"{said}; {weapon.special}" if weapon.special else said


def questions(state: GameState | None, picked: tuple[str, ...]) -> tuple[Question, ...]:
    """The shots of the first piece at the second; without a game with every weapon that is aimed."""
    if state is None:
        aimed = sorted((w for w in book.WEAPONS.values() if not w.droppable), key=lambda w: w.name != USUAL)
        return tuple(_picked(weapon, picked) for weapon in aimed)
    car = _car_of(state, picked[0]) if picked else None
    target = _car_of(state, picked[1]) if len(picked) > 1 else None
    if car is None or not car.driving or (target is not None and not target.driving):
        return ()
    carried = [book.weapon_called(name) for name in (car.primary, car.secondary)]
    pieces = (car.name, *picked[1:])
    return tuple(_picked(weapon, pieces, bonus_of(car)) for weapon in carried if not weapon.droppable)


def _car_of(state: GameState | None, name: str) -> Car | None:
    cars = () if state is None else state.cars
    return next((c for c in cars if key_of(c.name) == key_of(name)), None)


def bonus_of(car: Car | None) -> float:
    """Inches by which a car's brand lengthens the ranges of its weapons."""
    return VENUS_RANGE if car is not None and car.brand == "Venus" else 0.0


def weapon_of(question: Question) -> Weapon:
    """The weapon that a question is about; a clear error for another question."""
    if question.kind != SHOT:
        raise TableRefError(f"expected a question of the kind {SHOT!r} but got {question.kind!r}")
    weapon = book.weapon_called(str(question.data.get("weapon") or USUAL))
    if weapon.droppable:
        raise TableRefError(
            f"{weapon.name} is dropped behind the car and cannot be aimed; choose a weapon with a range"
        )
    return weapon


def rule(state: GameState | None, question: Question, table: TableState) -> Ruling:
    """May that shot be taken."""
    weapon = weapon_of(question)
    if len(question.pieces) < 2:
        raise TableRefError(
            f"expected a shooter and a target but got {', '.join(question.pieces)}; name both"
        )
    shooter, target, *_ = question.pieces
    car = _car_of(state, shooter)
    clear = table if state is None else in_play(state, table)
    return rule_shot(clear, shooter, target, weapon.name, brand=None if car is None else car.brand)


def reach(state: GameState | None, question: Question, table: TableState) -> tuple[Mark, ...]:
    """The arc of the question's weapon and its two ranges, from where its car stands."""
    if not question.pieces:
        return ()
    weapon, shooter = weapon_of(question), table.find(question.pieces[0])
    if shooter.piece.body.tyres is None or weapon.short is None or weapon.maximum is None:
        return ()
    bonus = bonus_of(_car_of(state, shooter.name))
    surface = table.surface.polygon
    arc = surface if weapon.all_round else surface.intersection(_forward(shooter, 10 * surface.length))
    words = ranges_words(weapon, bonus)
    return (
        *_marks(arc, "arc", shooter.name),
        *_marks(_within(shooter, weapon.maximum + bonus, table, weapon), "far reach", shooter.name, words),
        *_marks(_within(shooter, weapon.short + bonus, table, weapon), "reach", shooter.name),
    )


def _forward(shooter: Standing, far: float) -> Polygon:
    """The half-plane ahead of the front axle, as far as the table could matter."""
    across = np.array([-math.sin(shooter.pose.heading), math.cos(shooter.pose.heading)])
    along = np.array([math.cos(shooter.pose.heading), math.sin(shooter.pose.heading)])
    middle = shooter.pose.to_table(shooter.piece.body.front_axle)
    a, b = middle - across * far, middle + across * far
    return Polygon([a, b, b + along * far, a + along * far])


def _within(shooter: Standing, inches: float, table: TableState, weapon: Weapon) -> BaseGeometry:
    """All places on the table within so many inches of a front tyre, and ahead unless all round."""
    assert shooter.piece.body.tyres is not None
    tyres = shooter.pose.to_table(shooter.piece.body.tyres[:2])
    region = MultiPoint(tyres).buffer(inches, quad_segs=32).intersection(table.surface.polygon)
    return region if weapon.all_round else region.intersection(_forward(shooter, 4 * inches + 10))


def _marks(geometry: BaseGeometry, role: Role, piece: str, words: str = "") -> list[Mark]:
    parts: Iterable[BaseGeometry] = getattr(geometry, "geoms", [geometry])
    return [
        Mark(
            "polygon", role, tuple((float(x), float(y)) for x, y in part.exterior.coords[:-1]), words,
            piece=piece,
        )
        for part in parts
        if isinstance(part, Polygon) and not part.is_empty
    ]  # fmt: skip
