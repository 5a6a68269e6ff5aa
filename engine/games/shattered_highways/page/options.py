"""What may be done now, for buttons: what is owed first, then the vehicle whose turn it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from engine.game.contract import Option, Reckoned, Seen
from engine.game.forms import Candidate, Fact, Flag, Form, Input, Number, Pick, PickPieces, SheetPlace
from engine.game.kit.table import path
from engine.games.shattered_highways.acts import fighting, rounds
from engine.games.shattered_highways.acts.fighting import BOARD, may_swap
from engine.games.shattered_highways.book import data as book
from engine.games.shattered_highways.page.offers import (
    EDGE,
    SIDE,
    Dust,
    dust,
    dust_of,
    halves,
    measured,
    vehicles,
)
from engine.games.shattered_highways.page.sheets import gunner_key, summary
from engine.games.shattered_highways.rules.damage import AIMED, LEAP, drives, rolls_for
from engine.games.shattered_highways.rules.owed import how_words, ram_words
from engine.games.shattered_highways.rules.striking import NUDGE, RAM
from engine.games.shattered_highways.state import (
    MEETING,
    Duty,
    GameState,
    Modifier,
    Roller,
    Turn,
    Vehicle,
    Warrior,
    due,
    hit_by,
    wreck_words,
)
from engine.ruling import many, signed


def offers(state: GameState, seen: Seen) -> tuple[Option, ...]:
    """Everything that somebody may do now, as the table has it."""
    found, turn = measured(state, _options(state, seen), seen), state.turn
    return tuple(_ending(state, turn, o, found) if turn and o.kind == "done" else o for o in found)


def _options(state: GameState, seen: Seen) -> tuple[Option, ...]:
    if state.over:
        return ()
    duty = due(state)
    if duty is not None:
        return tuple(for_duty(state, duty, seen))
    if state.first is None:
        return tuple(_beginning(state))
    player = rounds.to_deploy(state)
    if player is not None:
        return tuple(_deploy(state, player, seen))
    if state.turn is not None:
        return tuple(_in_turn(state, state.turn, seen))
    return tuple(_orders(state)) if not state.queue else ()


def _beginning(state: GameState) -> Iterator[Option]:
    if state.deployment is not None:
        yield Option("first", None, "Roll for who goes first", "a D6 each", main=True)
        return
    heading = "How do the vehicles start?"
    for name, words in book.DEPLOYMENTS.items():
        yield Option("deployment", None, name, words, heading=heading, data={"deployment": name})


def _deploy(state: GameState, player: str, seen: Seen) -> Iterator[Option]:
    room = f"On the road, at least {state.house.front_room:g} in from the front edge"
    where = rounds.chase_words(state, player)
    for v in state.fleet(player):
        if v.status == "waiting":
            yield Option(
                "deploy", player, v.name, summary(state, v), heading=f"{player} puts a vehicle down",
                heading_more=f"{room}, {where}." if where else f"{room}.", data={"vehicle": v.name},
                form=Form({"move": path(seen, v.name)}), piece=v.name,
            )  # fmt: skip


def _orders(state: GameState) -> Iterator[Option]:
    """Every player numbers the vehicles that they fielded, in secret."""
    for player, names in state.to_number.items():
        count = len(names)
        fields: dict[str, Input] = {
            "vehicles": PickPieces(
                words="In this order", least=count, most=count, ordered=True,
                candidates=tuple(Candidate(n, n, state.vehicle(n).kind) for n in names),
            )
        }  # fmt: skip
        if count < state.slots:
            fields["numbers"] = Pick(
                words="On the numbers", more="others with a larger fleet play on those that you skip",
                candidates=tuple(Candidate(n, str(n)) for n in range(1, state.slots + 1)), least=count,
                most=count, usual=1 if count == 1 else list(range(1, count + 1)),
            )  # fmt: skip
        yield Option(
            "order", player, "Write the play order", form=Form(fields), sealed=f"round {state.round + 1}",
            main=True,
        )  # fmt: skip


def _in_turn(state: GameState, turn: Turn, seen: Seen) -> Iterator[Option]:
    vehicle = state.vehicle(turn.vehicle)
    if turn.stage == "over" or not vehicle.in_play:
        return
    known = dust_of(state, seen, vehicle.name)
    if turn.stage == "moving":
        yield from moving(state, turn, seen, known)
        return
    yield from ready(state, turn, known)
    for warrior in state.aboard(vehicle.name):
        if warrior.owner == turn.hands and not warrior.acted:
            yield from for_warrior(state, turn, warrior, known)
    yield Option("done", turn.hands, f"{vehicle.name} is done", piece=vehicle.name, ends=True)


def _ending(state: GameState, turn: Turn, done: Option, found: tuple[Option, ...]) -> Option:
    """What ends the turn says who can still do something before it: nobody whose every target is too far."""
    driver = state.driver(turn.vehicle)
    whose = (o.data.get("warrior", driver and driver.name) for o in found if o is not done and _possible(o))
    acting = len(set(whose))
    left = f"{many(acting, 'warrior')} can still act; then " if acting else "then "
    return replace(done, more=left + _what_follows(state, turn))


def _what_follows(state: GameState, turn: Turn) -> str:
    """What comes once a player's warriors on a vehicle have acted."""
    if later := rounds.following(state, turn):
        return f"{later[0]}'s warriors act"
    if rounds.left_behind(state, turn):
        return "it has dropped too far back, and is out of the fight"
    driven = state.driver(turn.vehicle) is not None
    if rounds.falls_back(state, turn):
        return f"it falls back {book.SECTION:g} in, {'as if ' * driven}unmanned"
    return "the turn ends"


def _possible(option: Option) -> bool:
    """Whether there is something to pick for each of its inputs that must be answered."""
    asked = (i for i in option.form.fields.values() if isinstance(i, Pick | PickPieces) and not i.optional)
    return all(any(all(r.open for r in c.not_now) for c in one.candidates) or not one.least for one in asked)


# What has to be done first, as options


def for_duty(state: GameState, duty: Duty, seen: Seen) -> Iterator[Option]:
    """What settles a duty."""
    match duty.kind:
        case "shrapnel":
            yield _shrapnel(state, duty)
        case "seat":
            yield _seat(state, duty)
        case "leap":
            yield from _leap(state, duty)
        case "wreck":
            yield _wreck(state, duty)
        case "shift":
            yield _shift(state, duty)
        case "control" | "unmanned":
            words = f"Roll for {duty.vehicle}"
            yield Option("go on", None, words, citation=duty.citation, piece=duty.vehicle, main=True)
        case _:
            yield _placed(state, duty, seen)


def _shrapnel(state: GameState, duty: Duty) -> Option:
    inside = tuple(
        Candidate(
            w.name, w.name, book.seat_words(w.seat), on=SheetPlace(duty.vehicle, w.seat) if w.seat else None
        )
        for w in hit_by(state, duty)
    )
    return Option(
        "hurt", duty.by, "This one", f"{duty.amount} damage", heading=f"Who in {duty.vehicle} is hit?",
        form=Form({"warrior": Pick(words="Who", candidates=inside, at_once=True)}), citation=duty.citation,
        piece=duty.vehicle, main=True,
    )  # fmt: skip


def _seat(state: GameState, duty: Duty) -> Option:
    free = state.free_seats(duty.vehicle, duty.part)
    seats = [Candidate(s, book.seat_words(s), on=SheetPlace(duty.vehicle, s)) for s in free]
    seats.append(Candidate("cling", "cling to it"))
    where = Pick(words="Where", candidates=tuple(seats), at_once=True)
    return Option(
        "sit", duty.by, "Sit down", heading=f"{duty.warrior} is on {duty.vehicle}",
        data={"warrior": duty.warrior}, form=Form({"seat": where}),
        citation=duty.citation, piece=duty.vehicle, main=True,
    )  # fmt: skip


def _leap(state: GameState, duty: Duty) -> Iterator[Option]:
    warrior = state.warrior(duty.warrior)
    others = state.in_play() if duty.part else state.in_play(duty.vehicle)
    heading = f"{warrior.name} is on the wreck of {wreck_words(duty.vehicle, duty.part)}"
    if others:
        roller = Roller(warrior.name, warrior.die, modifiers=(LEAP,))
        to = vehicles("To", others)
        # Off the trailer one leaps to its own tractor, too.
        tractor = wreck_words(duty.vehicle, "tractor")
        each = (replace(c, words=tractor) if c.value == duty.vehicle else c for c in to.candidates)
        fields: dict[str, Input] = {"to": replace(to, candidates=tuple(each))}
        yield Option(
            "leap", duty.by, "Leap", 'to a vehicle within 1 in', heading=heading,
            data={"warrior": warrior.name}, form=Form(fields | halves(others)),
            citation=duty.citation, facts=(chance(roller, book.HELD_ON),), piece=duty.vehicle, main=True,
        )  # fmt: skip
    yield Option(
        "stay", duty.by, "Stay on the wreck", "and be out of the fight", heading=heading,
        data={"warrior": warrior.name}, citation=duty.citation, piece=duty.vehicle,
    )  # fmt: skip


def _wreck(state: GameState, duty: Duty) -> Option:
    others = state.in_play(duty.vehicle)
    wreck = wreck_words(duty.vehicle, duty.part)
    picks = vehicles("Behind it", others, least=0, most=len(others), usual=[])
    words = "These have to veer, or nobody" if others else "Nobody has to veer"
    return Option(
        "wreck", None, words, heading=f"Who is straight behind the wreck of {wreck}?",
        heading_more=how_words(duty), data={}, form=Form({"behind": picks}), citation=duty.citation,
        piece=duty.vehicle, main=True,
    )  # fmt: skip


def _shift(state: GameState, duty: Duty) -> Option:
    others = [v for v in state.in_play() if v.status == "driving"]
    fields: dict[str, Input] = {
        "inches": Number(
            words="Moved back by", low=0.5, high=96.0, whole=False, unit="in", usual=duty.inches, folded=True
        ),
        "back": vehicles("Now at the back edge", others, least=0, most=len(others), usual=[], folded=True),
    }
    return Option(
        "shifted", None, "All have been moved back", heading="The front edge is reached",
        heading_more=how_words(duty), form=Form(fields), citation=duty.citation, piece=duty.vehicle,
        main=True,
    )  # fmt: skip


def _placed(state: GameState, duty: Duty, seen: Seen) -> Option:
    fields: dict[str, Input] = {"move": path(seen, duty.vehicle)}
    others = state.in_play(duty.vehicle)
    if duty.kind in MEETING and others:
        most = len(others) if duty.kind in ("nudged", "struck") else 1
        words = "It was met by" if duty.kind == "fall back" else "It met"
        met = vehicles(words, others, least=0, most=most, usual=[], folded=True)
        fields["into"] = replace(met, more=ram_words(duty))
    if duty.kind == "lost":
        fields["side"] = SIDE
    fields["edge"] = EDGE
    return Option(
        "placed", duty.by, "It stands there", heading=duty.vehicle, heading_more=how_words(duty),
        data={"vehicle": duty.vehicle, "duty": duty.kind}, form=Form(fields), citation=duty.citation,
        piece=duty.vehicle, main=True,
    )  # fmt: skip


# What a driver may do, as options: Move and what it becomes, Ram again, decouple, drive a Buggy out


def chance(roller: Roller, needed: int) -> Fact:
    """How likely a die with its modifiers shows so much, as a figure.

    >>> chance(Roller("Ann's fodder 1"), 4)
    Fact(words='50 %', more='4+ on a D6')
    """
    least = needed - sum(m.by for m in roller.modifiers)
    wins = min(roller.sides, max(0, roller.sides + 1 - least))
    more = f"{needed}+ on a D{roller.sides}"
    extra = sum(m.by for m in roller.modifiers)
    return Fact(f"{100 * wins / roller.sides:.0f} %", more + (f" {signed(extra)}" if extra else ""))


def odds(
    rolls: Callable[[Mapping[str, Any]], Roller], needed: int, dust: Dust,
    worst: Callable[[Roller], str] | None = None,
) -> tuple[Fact, ...]:  # fmt: skip
    """The chance as it is without another word, and where Drag Chains may change it the other one, too.

    `rolls` is who rolls, given what is said of the dust; `worst` says when it goes wrong.

    >>> one = lambda said: rolls_for(Warrior("Ann's fodder 1", "Ann", "Red 1"), data=said)
    >>> [(fact.words, fact.more) for fact in odds(one, 4, Dust(possible=True))]
    [('50 %', '4+ on a D6'), ('33 %', '4+ on a D6 −1 behind Drag Chains')]
    """
    usual, roller = chance(rolls(dust.data), needed), rolls(dust.otherwise.data)
    if not dust.possible or roller == rolls(dust.data):
        return (usual,)
    other = chance(roller, needed)
    where = "clear of Drag Chains" if dust.there else "behind Drag Chains"
    more = f"{other.more} {where}" + (f", {worst(roller)}" if worst is not None else "")
    return usual, Fact(other.words, more)


def at_the_worst(roller: Roller) -> str:
    """On which dice it goes wrong: a 1, and with what takes off as many more.

    >>> at_the_worst(Roller("Ann's fodder 1"))
    'a 1'
    """
    less = max(-sum(m.by for m in roller.modifiers), 0)
    return f"1 to {book.STAYS - 1 + less}" if less else "a 1"


def reckoned(roller: Roller, needed: int, citation: str, damage: str) -> tuple[Reckoned, ...]:
    """How the odds of a roll come about: what has to show, what modifies it, and what a success does."""
    odds = chance(roller, needed)
    return (
        Reckoned(f"{needed}+", f"on the D{roller.sides} of {roller.who}", citation),
        *(Reckoned(signed(m.by), m.words, m.citation) for m in roller.modifiers),
        Reckoned(odds.words, f"to hit: {odds.more}", citation),
        Reckoned(damage, "damage on a hit", citation),
    )


def _stays(roller: Roller) -> str:
    """On which dice a Move that fails stays where it is, and on which it is Lost Control.

    >>> _stays(Roller("Ann's fodder 1"))
    '2 stays, 1 is Lost Control'
    """
    less = -sum(m.by for m in roller.modifiers)
    return f"{book.STAYS + less} stays, {at_the_worst(roller).removeprefix('a ')} is Lost Control"


def ready(state: GameState, turn: Turn, known: Dust) -> Iterator[Option]:
    """Before the vehicle is driven."""
    vehicle = state.vehicle(turn.vehicle)
    yield from _launch(state, turn) if not turn.late else ()
    driver = state.driver(vehicle.name)
    # Who only boarded the Rig does not decouple its trailer, but where nobody else is left on it to do so.
    theirs = vehicle.control if driver is None else driver.owner
    lone = all(w.owner != theirs for w in state.aboard(vehicle.name))
    if vehicle.dragging and not turn.tried and (turn.hands == theirs or lone):
        yield _decouple(state, turn, vehicle, known)
    mine = driver is not None and driver.owner == turn.hands and not driver.acted
    if driver is None or not mine or turn.driven or vehicle.dragging:
        return
    rolls = _driving(state, vehicle.name)
    stays = "its last chance to get back" if turn.late else _stays(rolls(known.data))
    yield Option(
        "move", turn.hands, "Move" if not turn.late else "Move back onto the road", stays,
        heading=f"{driver.name} drives {vehicle.name}", data={"vehicle": vehicle.name},
        form=Form(dust(known)), piece=vehicle.name,
        facts=odds(rolls, book.MOVED, known, None if turn.late else _stays), main=True,
    )  # fmt: skip
    for other in _against(state, vehicle.name) if not turn.late else ():
        yield _ram_again(state, turn, driver.name, other, known)


def _rolls(warrior: Warrior, *more: Modifier) -> Callable[[Mapping[str, Any]], Roller]:
    """How a warrior rolls, given what is said of the dust."""
    return lambda said: rolls_for(warrior, *more, data=said)


def _driving(state: GameState, name: str) -> Callable[[Mapping[str, Any]], Roller]:
    """How whoever drives a vehicle rolls, given what is said of the dust."""
    return lambda said: drives(state, name, data=said)


def _against(state: GameState, name: str) -> list[str]:
    """Those against which a vehicle stands since a Ram."""
    there = [a if b == name else b for a, b in state.locked if name in (a, b)]
    return [other for other in there if state.vehicle(other).in_play]


def _ram_again(state: GameState, turn: Turn, driver: str, other: str, known: Dust) -> Option:
    vehicle = state.vehicle(turn.vehicle)
    fields: dict[str, Input] = {"side": SIDE, **_halves(state, vehicle, (other,))}
    return Option(
        "ram", turn.hands, f"Ram {other} again", "without a Move, as they stand",
        heading=f"{driver} drives {vehicle.name}",
        data={"vehicle": vehicle.name, "warrior": driver, "targets": [other]},
        form=Form(fields | dust(known)), piece=other,
    )  # fmt: skip


def _decouple(state: GameState, turn: Turn, vehicle: Vehicle, known: Dust) -> Option:
    facts = odds(_driving(state, vehicle.name), book.UNCOUPLED, known)
    return Option(
        "decouple", turn.hands, "Decouple the trailer",
        f"{book.UNCOUPLED}+, else {vehicle.name} counts as unmanned", data={"vehicle": vehicle.name},
        form=Form(dust(known)), piece=vehicle.name, facts=facts, main=True,
    )  # fmt: skip


def _launch(state: GameState, turn: Turn) -> Iterator[Option]:
    for buggy in state.vehicles:
        driver = state.driver(buggy.name)
        inside = buggy.status == "hidden" and buggy.hidden_in == turn.vehicle
        if inside and driver is not None and not driver.acted and driver.owner == turn.hands:
            yield Option(
                "launch", turn.hands, f"Drive {buggy.name} out", heading="Hidden Buggy",
                data={"vehicle": buggy.name, "rig": turn.vehicle}, piece=buggy.name,
                facts=(chance(rolls_for(driver), book.MOVED),),
            )  # fmt: skip


# While a Move is under way


def moving(state: GameState, turn: Turn, seen: Seen, known: Dust) -> Iterator[Option]:
    """A Move has succeeded: it is made, or becomes a Nudge or a Ram on the way."""
    vehicle = state.vehicle(turn.vehicle)
    box = "4 in × 6 in" if vehicle.is_rig else "4 in × 9 in"
    within = f"Its front bumper stays within the template ({box}), on a clear path."
    within += " Away from the back edge it can neither nudge nor ram." * turn.late
    yield Option(
        "moved", turn.hands, "The Move is made", heading=f"Move {vehicle.name}",
        heading_more=within,
        data={"vehicle": vehicle.name}, form=Form({"move": path(seen, vehicle.name), "edge": EDGE}),
        piece=vehicle.name, main=True,
    )  # fmt: skip
    # "The only action" against the back edge is a Move: no Nudge and no Ram, which are actions of their own.
    if state.in_play(vehicle.name) and not turn.late:
        for kind in ("ram",) if turn.nudged else ("nudge", "ram"):
            yield _strike(state, turn, seen, kind, known)


def _strike(state: GameState, turn: Turn, seen: Seen, kind: str, known: Dust) -> Option:
    """A Nudge or a Ram in the course of a Move."""
    vehicle = state.vehicle(turn.vehicle)
    others = state.in_play(vehicle.name)
    most = len(others) if vehicle.is_rig else 1
    fields: dict[str, Input] = {
        "targets": vehicles("Whom", others, most=most, harms=turn.hands),
        "side": SIDE,
        **_halves(state, vehicle, tuple(v.name for v in others)),
        **dust(known),
    }
    if kind == "ram":
        fields |= {"move": path(seen, vehicle.name), "edge": EDGE}
    more = "before it is moved any further" if kind == "nudge" else "up against it; the Move ends there"
    return Option(
        kind, turn.hands, kind.capitalize(), more, heading=f"In the way of {vehicle.name}",
        heading_more="A Rig's side may strike several at once." if most > 1 else "",
        data={"vehicle": vehicle.name}, form=Form(fields), citation=NUDGE if kind == "nudge" else RAM,
        piece=vehicle.name,
    )  # fmt: skip


def _halves(state: GameState, vehicle: Vehicle, others: tuple[str, ...]) -> dict[str, Input]:
    """Which halves of Rigs touch, where there are Rigs: of a destroyed trailer the tractor takes all."""
    whole = [v for v in map(state.vehicle, others) if v.trailer]
    own = [vehicle] if vehicle.trailer else []
    return halves(whole, "part", "Of their Rig") | halves(own, "own_part", f"Of {vehicle.name}")


# What a warrior may do, as options: Change, Board, Attack, Shoot, clear a weapon


def for_warrior(state: GameState, turn: Turn, warrior: Warrior, known: Dust) -> Iterator[Option]:
    """All that a warrior who has not acted yet may do in the turn of their vehicle."""
    vehicle = state.vehicle(warrior.vehicle)
    # Against the back edge there is nothing to be done but to get back.
    if not turn.late:
        # What a seat is for comes first, and last how to leave it.
        if _armed(turn, vehicle, warrior):
            yield from _shoot(state, turn, warrior, vehicle, known)
        yield from _unjam(turn, warrior, vehicle)
        yield from _attack(state, turn, warrior, known)
        yield from _board(state, turn, warrior, vehicle, known)
    yield from _change(state, turn, warrior, vehicle)


def _heading(warrior: Warrior) -> str:
    return f"{warrior.name} · {book.seat_words(warrior.seat)}"


def _change(state: GameState, turn: Turn, warrior: Warrior, vehicle: Vehicle) -> Iterator[Option]:
    if warrior.changed:
        return
    seats = [Candidate(s, book.seat_words(s)) for s in state.free_seats(vehicle.name, warrior.part)]
    # Against the back edge "the only action it can take" is a Move: whoever sits there has none to give up.
    for other in () if turn.late else may_swap(state, warrior):
        more = f"changes places with {other.name}, who is then at −1, too"
        seats.append(Candidate(other.seat, book.seat_words(other.seat), more))
    if seats:
        form = Form({"seat": Pick(words="To the seat of", at_once=True, candidates=tuple(seats))})
        yield Option(
            "change", turn.hands, "Change seat", "what they do then is at −1", heading=_heading(warrior),
            data={"warrior": warrior.name}, form=form, piece=vehicle.name,
        )  # fmt: skip


def _falls(roller: Roller) -> str:
    return f"on {at_the_worst(roller)} they fall"


def _board(state: GameState, turn: Turn, warrior: Warrior, vehicle: Vehicle, known: Dust) -> Iterator[Option]:
    rolls = _rolls(warrior)
    facts, falls = odds(rolls, book.HELD_ON, known, _falls), _falls(rolls(known.data))
    others = state.in_play(vehicle.name)
    if others:
        fields: dict[str, Input] = {"to": vehicles("Which one", others, at_once=True)}
        fields |= halves(others) | dust(known)
        yield Option(
            "board", turn.hands, "Board", f"within 1 in; {falls}", heading=_heading(warrior),
            data={"warrior": warrior.name}, form=Form(fields), citation=BOARD, facts=facts,
            piece=vehicle.name,
        )  # fmt: skip
    if vehicle.trailer is not None:
        part = "tractor" if warrior.part == "trailer" else "trailer"
        yield Option(
            "climb", turn.hands, f"Board the {part}", falls, heading=_heading(warrior),
            data={"warrior": warrior.name, "part": part}, form=Form(dust(known)), facts=facts,
            piece=vehicle.name,
        )  # fmt: skip


def _attack(state: GameState, turn: Turn, warrior: Warrior, known: Dust) -> Iterator[Option]:
    targets = fighting.may_attack(state, warrior)
    if not targets:
        return
    whom = Pick(words="Whom", candidates=tuple(_as_candidate(w) for w in targets), at_once=True)
    more = "on the same vehicle or within 3 in" if fighting.ranged(warrior) else "on the same vehicle"
    yield Option(
        "attack", turn.hands, "Attack", more, heading=_heading(warrior), data={"warrior": warrior.name},
        form=Form({"target": whom, **dust(known)}), citation=fighting.ATTACK, piece=warrior.vehicle,
    )  # fmt: skip


def _as_candidate(warrior: Warrior) -> Candidate:
    return Candidate(warrior.name, warrior.name, f"{book.seat_words(warrior.seat)} on {warrior.vehicle}")


def _armed(turn: Turn, vehicle: Vehicle, warrior: Warrior) -> bool:
    """Whether they sit at a weapon that can be fired; none can on a destroyed trailer.

    One that somebody un-jams takes this round for it.
    """
    if warrior.seat is None or warrior.seat[0] != "W" or vehicle.dragging:
        return False
    number = int(warrior.seat[1:])
    return not vehicle.mounts[number - 1].jammed and number not in turn.cleared


def _jams(roller: Roller) -> str:
    return f"{at_the_worst(roller)} jams"


def _shoot(state: GameState, turn: Turn, warrior: Warrior, vehicle: Vehicle, known: Dust) -> Iterator[Option]:
    number = int((warrior.seat or "W1")[1:])
    mount = vehicle.mounts[number - 1]
    weapon = book.weapon_called(mount.weapon)
    others = state.in_play(vehicle.name)
    if not others:
        return
    rolls, aims = _rolls(warrior), _rolls(warrior, AIMED)
    roller = rolls(known.data)
    more = f"{book.ARCS[mount.arc]}, {weapon.reach:g} in, D6+{weapon.bonus}"
    at: dict[str, Input] = {"to": vehicles("Which one", others, at_once=True, harms=turn.hands)}
    # A destroyed trailer takes no damage: there is but one half to hit.
    whole = [v for v in others if v.trailer]
    at |= halves(whole, "part", "Aim at one half of a Rig, at −1", odds(aims, book.HIT, known, _jams))
    at["bonus"] = _bonus("With the highest roll also hit a warrior inside")
    data = {"warrior": warrior.name, "mount": number}
    yield Option(
        "shoot", turn.hands, f"Shoot the {weapon.name} at a vehicle", f"{more}; {_jams(roller)}",
        heading=_heading(warrior), data=data | {"aim": "vehicle"}, form=Form(at | dust(known)),
        citation=fighting.SHOOT, facts=odds(rolls, book.HIT, known, _jams), piece=vehicle.name,
        reckoning=reckoned(roller, book.HIT, fighting.SHOOT, f"D6+{weapon.bonus}"),
    )  # fmt: skip
    enemies = [w for v in others for w in state.aboard(v.name) if w.owner != warrior.owner]
    if enemies:
        whom = Pick(words="Whom", candidates=tuple(_as_candidate(w) for w in enemies), at_once=True)
        bonus = _bonus("With the highest roll also damage the vehicle")
        # In a contested roll the die itself decides, whatever is taken off.
        yield Option(
            "shoot", turn.hands, f"Shoot the {weapon.name} at a warrior", f"{more}; a 1 jams",
            heading=_heading(warrior), data=data | {"aim": "warrior"},
            form=Form({"at": whom, "bonus": bonus, **dust(known)}), citation=fighting.SHOOT,
            piece=vehicle.name,
        )  # fmt: skip


def _bonus(words: str) -> Flag:
    return Flag(words=words, usual=True, folded=True)


def _unjam(turn: Turn, warrior: Warrior, vehicle: Vehicle) -> Iterator[Option]:
    """Anybody on the vehicle clears a mounted weapon; a hero their own."""
    heading, data = _heading(warrior), {"warrior": warrior.name}
    for number, mount in enumerate(vehicle.mounts, start=1):
        if mount.jammed and not vehicle.dragging:
            yield Option(
                "unjam", turn.hands, f"Clear the {mount.weapon} of gunner {number}", heading=heading,
                data={**data, "mount": number}, piece=vehicle.name,
                on=SheetPlace(vehicle.name, gunner_key(number)),
            )  # fmt: skip
    if warrior.jammed and not warrior.changed and not warrior.clung:
        # "A turn doing nothing but unjamming it": neither a Change nor a Cling before, which are actions.
        yield Option(
            "unjam", turn.hands, "Clear their own weapon", heading=heading, data=data,
            citation=fighting.ATTACK, piece=vehicle.name,
        )  # fmt: skip
