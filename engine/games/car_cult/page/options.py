"""What may be done now, for buttons; and what can be asked of the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from shapely.geometry import Polygon
from shapely.geometry.base import BaseGeometry
from shapely.ops import unary_union

from engine.errors import TableRefError
from engine.game.contract import Option, Question, Reckoned, Seen
from engine.game.forms import Candidate, Fact, Form, Input, Number, Pick, PickPieces, SheetPlace
from engine.game.kit.shown import reached
from engine.game.kit.table import path
from engine.game.showing import Mark
from engine.games.car_cult.acts import moving, rounds
from engine.games.car_cult.acts.beginning import start_tokens
from engine.games.car_cult.acts.recognised import stirred
from engine.games.car_cult.acts.rounds import MEASURE
from engine.games.car_cult.book import data as book
from engine.games.car_cult.book.data import Card, Zones
from engine.games.car_cult.book.data import count as tracks_count
from engine.games.car_cult.book.data import most_drift as tracks_most_drift
from engine.games.car_cult.book.data import symbols as tracks_symbols
from engine.games.car_cult.page.guide import rolls
from engine.games.car_cult.page.sheets import ready_weapons, summary
from engine.games.car_cult.rules import attacks
from engine.games.car_cult.rules.moves import TERRAIN, Limits
from engine.games.car_cult.state import Attack, Car, Component, Duty, GameState, Turn
from engine.measure.seeing.visible import visible_region
from engine.ruling import Ruling, many, signed, unplaced_words
from engine.space.table import Standing, TableState, key_of
from engine.words import listed

# What can be asked of the table: range and line of sight of an attack, as one question.

SHOT = "shot"

_EYES = 8
"""Points of the attacker's outline from which the visible part of the target is drawn."""


def shot_question(car: str, target: str, weapon: str, card: Card) -> Question:
    """Is the target of an attack within range and in sight."""
    words = f"Are {car} and {target} within {card.reach:g} in and in sight of each other?"
    return Question(SHOT, words, (car, target), {"weapon": weapon}, weapon, book.card_words(card))


def questions(state: GameState | None, picked: tuple[str, ...]) -> tuple[Question, ...]:
    """The attack that was declared; without a match, or after it, every weapon with a range."""
    if state is None or state.over:
        weapons = (c for c in book.CARDS.values() if c.sort == "weapon" and not c.wish)
        return tuple(_picked(card, picked) for card in weapons)
    attack = state.attack
    if (
        attack is None
        or attack.target == TERRAIN
        or {key_of(p) for p in picked} - {key_of(attack.car), key_of(attack.target)}
    ):
        return ()
    card = state.car(attack.car).component(attack.weapon).rules
    return (shot_question(attack.car, attack.target, attack.weapon, card),)


def _picked(card: Card, picked: tuple[str, ...]) -> Question:
    """The question of a weapon with as many pieces as are picked."""
    if len(picked) > 1:
        return shot_question(picked[0], picked[1], card.name, card)
    missing = "the target" if picked else "the car that attacks, then the target"
    words = f"Whom may {picked[0]} attack?" if picked else f"Who may attack with the {card.name}?"
    return Question(
        SHOT, words, picked, {"weapon": card.name}, card.name, book.card_words(card), missing=missing
    )


def may_ask(state: GameState | None, question: Question) -> bool:
    """Whether it may be measured: the declared attack, and the length of the move that is under way."""
    if state is None or state.over:
        return True
    if question.kind == "move":
        turn = state.turn
        return turn is not None and key_of(turn.car) == key_of("".join(question.pieces[:1]))
    attack = state.attack
    if attack is None or question.kind != SHOT:
        return False
    pieces = [key_of(name) for name in question.pieces[:2]]
    right = pieces == [key_of(attack.car), key_of(attack.target)]
    return right and question.data.get("weapon") == attack.weapon


def _reach(state: GameState | None, question: Question) -> float:
    weapon = str(question.data.get("weapon"))
    if state is not None and any(key_of(c.name) == key_of(question.pieces[0]) for c in state.cars):
        components = state.car(question.pieces[0]).components
        for one in components:
            if one.name == weapon:
                return one.rules.reach
    return book.card_called(weapon).reach


def rule(state: GameState | None, question: Question, table: TableState) -> Ruling:
    """Range and line of sight, with the segment between the closest visible parts."""
    if question.kind != SHOT:
        raise TableRefError(f"expected a question of the kind {SHOT!r} but got {question.kind!r}")
    if len(question.pieces) < 2:
        raise TableRefError(f"expected two cars but got {', '.join(question.pieces) or 'none'}; name both")
    reach, (car, target) = _reach(state, question), question.pieces[:2]
    return attacks.rule_range(attacks.in_play(state, table), car, target, reach, question.words)


def reach(state: GameState | None, question: Question, table: TableState) -> tuple[Mark, ...]:
    """The segment between the closest visible parts, and the part of the target that is visible."""
    if question.kind != SHOT or len(question.pieces) < 2:
        return ()
    clear = attacks.in_play(state, table)
    one, other = clear.find(question.pieces[0]), clear.find(question.pieces[1])
    found = attacks.between(clear, one.name, other.name)
    measured = found.direct if found.distance is None else found.distance
    marks = list(_visible_part(clear, one, other))
    if found.distance is not None and measured.witness.line is not None:
        ends = tuple((round(float(x), 3), round(float(y), 3)) for x, y in measured.witness.line)
        marks.append(Mark("line", "sight", ends, piece=one.name))
    return tuple(marks)


def _visible_part(table: TableState, one: Standing, other: Standing) -> Iterable[Mark]:
    """What of the target is seen from points along the attacker's outline."""
    walls = [s for s in table.others(one.name, other.name) if s.piece.blocks_sight]
    ring = one.region.polygon.exterior
    inside = table.surface.polygon
    eyes = [ring.interpolate(t, normalized=True) for t in np.linspace(0.0, 1.0, _EYES, endpoint=False)]
    seen = [
        visible_region((eye.x, eye.y), table.surface, walls).polygon.buffer(0)
        for eye in eyes
        if inside.contains(eye)
    ]
    part = unary_union(seen).intersection(other.region.polygon) if seen else Polygon()
    unknown = table.hiding_between(one, other)
    words = f"visible part of {other.name}" + (f", but {unplaced_words(unknown)}" if unknown else "")
    pieces: Iterable[BaseGeometry] = getattr(part, "geoms", [part])
    for piece in pieces:
        if isinstance(piece, Polygon) and not piece.is_empty:
            points = tuple((round(x, 3), round(y, 3)) for x, y in piece.exterior.coords[:-1])
            yield Mark("polygon", "sight", points, words, piece=other.name)


# What may be done now, for buttons: what is owed first, then the activation.


def move_form(state: GameState, turn: Turn, seen: Seen) -> dict[str, Input]:
    """The move that was seen, or how far it went and what it met as typed."""
    low, high = state.range_of_move()
    way = path(seen, turn.car)
    typed = way.usual is not None
    found: dict[str, Input] = {
        "move": way,
        "inches": Number(
            words="Inches moved", more=f"{low} to {high}" + "; less takes a braking roll" * (low > 0), low=0,
            high=float(high), whole=False, unit="in", usual=None if typed else float(high), optional=True,
            folded=typed,
        ),
        "drift": Number(
            words="Inches drifted", low=0, high=float(book.most_drift(low)), whole=False, unit="in",
            optional=True, folded=True,
        ),
        "rough": Number(
            words="Inches through Rough terrain", low=0, high=float(high), whole=False, unit="in",
            optional=True, folded=typed,
        ),
        "into": Pick(
            words="It ran into", optional=True, folded=typed,
            candidates=tuple(Candidate(n, n) for n in moving.into_candidates(state, turn.car)),
        ),
    }  # fmt: skip
    mines = [one.name for one in state.laid if one.card == book.MINES]
    if mines:
        found["triggered"] = PickPieces(
            words="It triggered", candidates=tuple(Candidate(n, n) for n in mines), optional=True,
            folded=typed,
        )  # fmt: skip
    return found | laying(state, turn)


def laying(state: GameState, turn: Turn) -> dict[str, Input]:
    """How many tokens of each kind are laid along the route: as many as there are Speed tokens for it."""
    car = state.car(turn.car)
    counts = {card: sum(c.speed for c in car.components if c.card == card) for card in book.LAYERS}
    return {
        moving.FIELDS[card]: Number(
            words=f"{card} laid along the route", low=0, high=count, usual=0, optional=True
        )
        for card, count in counts.items()
        if count
    }


def options(state: GameState, seen: Seen) -> tuple[Option, ...]:
    """Everything that somebody may do now."""
    if state.over:
        return ()
    if state.duties:
        return _owed(state, state.duties[0])
    player = rounds.to_deploy(state)
    if player is not None:
        return tuple(_deploy(c, seen) for c in state.cars if c.owner == player and c.status == "waiting")
    if state.turn is None or not state.car(state.turn.car).driving:
        return ()
    if state.attack is not None:
        return tuple(_attack(state, state.turn, state.attack))
    return tuple(_STAGES[state.turn.stage](state, state.turn, seen))


def _deploy(car: Car, seen: Seen) -> Option:
    high = start_tokens(car)
    tokens = Number(
        words="Speed tokens on its engine", more="up to as many as it generates", low=0, high=high, usual=high
    )
    return Option(
        "deploy", car.owner, car.name, summary(car), heading=f"{car.owner} puts a car down",
        heading_more="Anywhere, unless you have agreed otherwise.", data={"car": car.name},
        form=Form({"tokens": tokens, "move": path(seen, car.name)}), piece=car.name,
    )  # fmt: skip


# What is owed


def _owed(state: GameState, duty: Duty) -> tuple[Option, ...]:
    if duty.kind == "blast":
        return (_blast(state, duty),)
    if duty.kind != "damage" or attacks.automatic(state, duty) is not None or not state.car(duty.car).driving:
        return ()
    car = state.car(duty.car)
    by = duty.by or car.owner
    return tuple(
        Option(
            "damage", by, c.name, _harmed(c), heading=f"{by} places a Damage token on {duty.car}",
            heading_more=f"from {duty.cause}", data={"component": c.name}, citation=duty.citation,
            piece=duty.car, on=_zone(car, c, book.damaged(c.zones)),
        )
        for c in car.takers()
    )  # fmt: skip


def _zone(car: Car, component: Component, place: int) -> SheetPlace:
    """Where a zone is on the car's sheet."""
    return SheetPlace(car.name, moving.zone_key(component.name, place))


def _harmed(c: Component) -> str:
    """What one more Damage token does to a component."""
    place, symbols = book.damaged(c.zones), c.rules.symbols
    zones = book.with_damage(c.zones)
    lost = "loses a Speed token" if c.zones[place] == book.SPEED else ""
    if tracks_symbols(zones, symbols) < tracks_symbols(c.zones, symbols):
        lost = "covers a +ST"
    left = zones.count(None) + zones.count(book.SPEED)
    whole = f"{many(left, 'zone')} left" if left else "its last zone"
    moves = ""
    if c.rules.sort == "engine":
        moves = _moves(zones, c.rules.speeds) if left else "the car may no longer move"
    return ", ".join(filter(None, (lost, whole, moves)))


def _blast(state: GameState, duty: Duty) -> Option:
    picks = reached(duty.sure, duty.doubtful, [c.name for c in state.driving()])
    return Option(
        "blast", None, "They suffer a Damage token each" if picks.candidates else "Nobody",
        heading=f"Who is within {duty.inches:g} in of {duty.car}?", form=Form({"cars": picks}),
        piece=duty.car, main=True,
    )  # fmt: skip


# In an activation


def _shift(state: GameState, turn: Turn, _seen: Seen) -> Iterator[Option]:
    car = state.car(turn.car)
    held = [k for k, token in enumerate(car.engine.zones) if token == book.SPEED]
    for tokens in range(len(held) + 1):
        extra = tokens - moving.FREE
        more = _moves(book.without_speed(car.engine.zones, tokens), car.engine.rules.speeds)
        more += f"; {extra} D20: 10 or more{' each' * (extra > 1)}" if extra > 0 else ""
        low_high = f"down by {tokens}" if tokens else "keep them all"
        yield Option(
            "shift", turn.player, low_high, more, heading=f"Down Shift of {car.name}",
            heading_more="One Speed token leaves the engine free, each further one takes a D20.",
            data={"tokens": tokens}, piece=car.name, main=not tokens,
            on=_zone(car, car.engine, held[-tokens]) if tokens else None,
        )  # fmt: skip


def _allocate(state: GameState, turn: Turn, _seen: Seen) -> Iterator[Option]:
    car = state.car(turn.car)
    free = moving.free_zones(state, turn)
    zones = tuple(
        Candidate(moving.zone_key(c.name, k), f"{c.name} {k + 1}", leads=_then(c, k), on=_zone(car, c, k))
        for c, k in free
    )
    most = min(turn.pool, len(zones))
    pick = Pick(
        words="Zones", more=f"up to {most}; each component fills from the left, what is left over is wasted",
        candidates=zones, least=0 if most > 1 else 1, most=most, optional=True, at_once=True,
    )  # fmt: skip
    tokens = many(turn.pool, "Speed token")
    acceleration = car.engine.rules.acceleration
    yield Option(
        "allocate", turn.player, "The tokens are allocated", heading=f"Allocate {tokens}",
        heading_more=f"At most {acceleration} on the engine (Acceleration).", form=Form({"zones": pick}),
        piece=turn.car, main=True,
    )  # fmt: skip


def _moves(zones: Zones, speeds: Sequence[int]) -> str:
    """What a car with these tokens on its engine may do."""
    low, high = book.limits(zones, speeds)
    if not high:
        return "it stands"
    turns = tracks_count(zones, None)
    drift = tracks_most_drift(low)
    return f"{low} to {high} in, {many(turns, 'turn')}, drift {drift} in"


def _then(c: Component, place: int) -> str:
    """What a token in a zone leads to: how the car moves then, or what its component does."""
    if c.rules.sort == "engine":
        zones = c.zones
        # Damage may lie between the empty zones: those up to this one are filled first.
        for _ in range(tracks_count(zones[: place + 1], None)):
            zones = book.with_speed(zones)
        return f"then {_moves(zones, c.rules.speeds)}"
    return f"Range {c.rules.reach:g} in" if c.rules.sort == "weapon" else c.rules.words


def _act(state: GameState, turn: Turn, seen: Seen) -> Iterator[Option]:
    car = state.car(turn.car)
    if not turn.moved:
        low, high = state.range_of_move()
        heading = f"Move {car.name}: {low} to {high} in" if high else f"{car.name} has no Speed"
        yield Option(
            "move", turn.player, "The move is done", heading=heading,
            heading_more=Limits.of(state, car.name).words, data={"car": car.name},
            form=Form(move_form(state, turn, seen)), piece=car.name, main=True,
        )  # fmt: skip
        yield from _stays(state, turn, seen)
        for c in state.boosts():
            yield Option(
                "boost", turn.player, f"Use the {c.name}", "6 in more for a Damage token on it",
                data={"component": c.name}, piece=car.name, on=_zone(car, c, book.damaged(c.zones)),
            )  # fmt: skip
    yield from _declare(state, turn, car, seen)
    if state.swaps():
        yield from _swap(turn, car)
    if turn.moved:
        yield Option(
            "done", turn.player, f"{car.name} is done", _left(state, car),
            piece=car.name, ends=True, form=Form(laying(state, turn) if turn.drove else {}),
        )  # fmt: skip


def _stays(state: GameState, turn: Turn, seen: Seen) -> Iterator[Option]:
    """A car that does not move at all: nothing of that is to be pushed, nor to be seen."""
    if seen.table is None or seen.newest(turn.car) is not None:
        return
    low, _ = state.range_of_move()
    yield Option(
        "move", turn.player, f"{turn.car} stays where it is", f"braking: {rolls(low)}" if low else "",
        data={"car": turn.car, "stays": True}, piece=turn.car, not_now=tuple(stirred(turn.car, seen)),
    )  # fmt: skip


def _left(state: GameState, car: Car) -> str:
    """What is still possible before the activation ends."""
    ready = ready_weapons(state, car)
    return f"{listed(ready)} can still fire" if ready else ""


def _declare(state: GameState, turn: Turn, car: Car, seen: Seen) -> Iterator[Option]:
    targets = tuple(Candidate(c.name, c.name, c.owner) for c in state.driving() if c.owner != car.owner)
    targets += _terrain(state, seen)
    for c in car.components:
        if c.rules.sort == "weapon" and c.ready and targets:
            yield Option(
                "declare", turn.player, f"{c.name} ({c.ready} left)", book.card_words(c.rules),
                heading=f"{car.name} attacks", heading_more="No measuring before the target is named.",
                data={"weapon": c.name},
                form=Form({"target": Pick(words="Target", candidates=targets, at_once=True)}), piece=car.name,
            )  # fmt: skip


def _terrain(state: GameState, seen: Seen) -> tuple[Candidate, ...]:
    """Terrain that the scenario makes a target: on the table each piece, without one what players mean."""
    most, struck = state.house.terrain, dict(state.struck)
    if not most:
        return ()
    there = () if seen.table is None else attacks.in_play(state, seen.table).standings
    names = [s.name for s in there if s.piece.kind == "terrain"]
    return tuple(
        Candidate(name, name, f"{struck.get(name, 0)} of {most} Damage tokens")
        for name in names or ([TERRAIN] if seen.table is None else [])
    )


def _swap(turn: Turn, car: Car) -> Iterator[Option]:
    there = [(c, k) for c in car.components if c.card != book.FIXER for k in range(len(c.zones))]
    damage, speed = (
        tuple(
            Candidate(
                moving.zone_key(c.name, k), f"{c.name} {k + 1}", leads=_swapped(c, k), on=_zone(car, c, k)
            )
            for c, k in there
            if c.zones[k] == token
        )
        for token in (book.DAMAGE, book.SPEED)
    )
    if not speed or not damage:
        return
    form = Form({
        "one": Pick(words="This Damage token", more="each as if it alone changed", candidates=damage),
        "other": Pick(words="with this Speed token", candidates=speed, at_once=True),
    })  # fmt: skip
    yield Option("exchange", turn.player, "Swap two tokens", heading=book.FIXER, form=form, piece=car.name)


def _swapped(c: Component, place: int) -> str:
    """What the other token in a zone leads to, where the rest of its component stays as it is."""
    comes = book.DAMAGE if c.zones[place] == book.SPEED else book.SPEED
    zones = (*c.zones[:place], comes, *c.zones[place + 1 :])
    if c.rules.sort == "engine":
        return f"then {_moves(zones, c.rules.speeds)}"
    speed, damage = zones.count(book.SPEED), zones.count(book.DAMAGE)
    return f"{c.name}: {many(speed, 'Speed token')}, {many(damage, 'Damage token')}"


_STAGES = {"shift": _shift, "allocate": _allocate, "act": _act}


# An attack that was declared


def _shot_declared(car: str, target: str, weapon: str, reach: float) -> Question:
    """Is the target of an attack within range and in sight."""
    words = f"Are {car} and {target} within {reach:g} in and in sight of each other?"
    return Question(SHOT, words, (car, target), {"weapon": weapon}, weapon, f"Range {reach:g} in")


def _attack(state: GameState, turn: Turn, attack: Attack) -> Iterator[Option]:
    car, target = state.car(attack.car), state.target(attack.target)
    unnamed = target is None and attack.target == TERRAIN
    card = car.component(attack.weapon).rules
    least = attacks.needed(card, target, car.owner)
    dice = "1 die" if card.shots == 1 else f"{card.shots} dice"
    odds = Fact(
        f"{100 * (book.SIDES + 1 - least) / book.SIDES:.0f} %", f"{least}+ on a D{book.SIDES}, {dice}"
    )
    harm = Fact(str(card.damage), f"damage on {'a hit' if card.shots == 1 else 'each hit'}")
    mods = attacks.modifiers(card, target, car.owner)
    why = ", ".join(f"{signed(m.by)} {m.words}" for m in mods)
    share = (book.SIDES + 1 - least) / book.SIDES
    mean = card.shots * share * card.damage
    expected = f"damage expected: {dice} times {share:.2f} times {card.damage}"
    reckoning = (
        Reckoned(f"{book.NEEDED}+", f"on a D{book.SIDES}", attacks.ROLL),
        *(Reckoned(signed(m.by), m.words, m.citation) for m in mods),
        Reckoned(f"{100 * share:.0f} %", f"each die hits at {least}+, a {book.CRACK} always", attacks.ROLL),
        Reckoned(f"{mean:.1f}", expected, MEASURE),
    )
    if not attack.dice:
        reach = Pick(
            words=f"Within {card.reach:g} in and in sight", optional=True,
            candidates=(Candidate("yes", "yes", leads="roll"), Candidate("no", "no", leads="no attack")),
        )  # fmt: skip
        yield Option(
            "fire", turn.player, f"Measure and roll: {attack.target} · {attack.weapon}", why,
            heading=f"{car.name} attacks {attack.target}", data={}, form=Form({"reach": reach}),
            piece=car.name if unnamed else attack.target, facts=(odds, harm),
            question=None if unnamed else _shot_declared(car.name, attack.target, attack.weapon, card.reach),
            main=True, reckoning=reckoning,
        )  # fmt: skip
        return
    for k, value in enumerate(attack.dice):
        how = "hits" if attacks.hits(value, card, target, car.owner) else "misses"
        yield Option(
            "reroll", turn.player, f"Reroll the {value}", f"it {how}",
            heading=f"{book.GUNNER}: {state.rerolls()} left", data={"die": k}, piece=car.name,
        )  # fmt: skip
    yield Option("keep", turn.player, "The dice stay", why, piece=car.name, main=True)
