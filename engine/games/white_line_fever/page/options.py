"""What may be done now, for buttons: headings, words, figures, and what each has to be told."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from engine.game.contract import Option, Seen
from engine.game.events import Action, Reason
from engine.game.forms import Candidate, Fact, Form, Input, Pick, PickPieces, SheetPlace, Text
from engine.game.kit.shown import reached
from engine.game.kit.table import path
from engine.game.kit.table import seen as seen_on
from engine.games.white_line_fever.acts import placing, rounds
from engine.games.white_line_fever.acts.beginning import DEPLOYMENT
from engine.games.white_line_fever.acts.moving import PERFORM
from engine.games.white_line_fever.acts.placing import DROP
from engine.games.white_line_fever.book.data import BLAST, DEPLOYMENTS, MOST_MANOEUVRES, weapon_called
from engine.games.white_line_fever.page.guide import still_to_do
from engine.games.white_line_fever.page.questions import cars_as_candidates, way_form
from engine.games.white_line_fever.page.sheets import SPEEDS, summary
from engine.games.white_line_fever.page.targets import shots
from engine.games.white_line_fever.rules.damage import EXPLODING, blast_due
from engine.games.white_line_fever.rules.moves import LEAST_RUN, hundredths
from engine.games.white_line_fever.state import Car, Duty, GameState, Round
from engine.ruling import signed
from engine.space.table import key_of

Check = Callable[[GameState, Action, Seen], tuple[Reason, ...]]


def options(state: GameState, seen: Seen, check: Check) -> tuple[Option, ...]:
    """What may be done now; of what is measured on the table also why not."""
    if state.over:
        return ()
    if state.duties:
        found = list(_owed(state, seen))
    elif state.deployment is None:
        found = _deployments()
    elif state.round is None:
        found = [_deploy(seen, c.name, c.owner) for c in _to_deploy(state)]
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


def _deployments() -> list[Option]:
    words = {**DEPLOYMENTS, "roll": "a D6 decides"}
    return [
        Option(
            "deployment",
            None,
            "roll for it" if name == "roll" else name,
            more,
            heading="How do the cars start?",
            data={"deployment": name},
            citation=DEPLOYMENT,
        )
        for name, more in words.items()
    ]


def _to_deploy(state: GameState) -> Iterable[Car]:
    players = rounds.to_deploy(state)
    return (c for p in players for c in state.cars if c.owner == p and c.status == "waiting")


def _deploy(seen: Seen, name: str, owner: str) -> Option:
    return Option(
        "deploy",
        owner,
        name,
        f"{owner} · {'seen' if seen_on(seen.table, name) else 'not seen'}",
        heading="Put the cars down",
        heading_more="Tap a car when it stands where it starts.",
        data={"car": name},
        form=Form({"move": path(seen, name)}),
        citation=DEPLOYMENT,
        piece=name,
    )


# What a rule demands first


def _owed(state: GameState, seen: Seen) -> Iterable[Option]:
    duty = blast_due(state)
    if duty is not None:
        yield _blast(state, duty)
    for name in dict.fromkeys(d.car for d in state.duties if d.kind != "blast"):
        first = placing.duty_of(state, name)
        assert first is not None
        foreseen = {key: value for key, value in placing.foreseen(state, first).items() if value}
        yield Option(
            "placed",
            first.by,
            "Placed",
            heading=name,
            heading_more=still_to_do(state, first, seen.table),
            data={"car": name} | foreseen,
            form=way_form(state, seen, name, foreseen),
            citation=first.citation,
            piece=name,
            main=True,
        )


def _blast(state: GameState, duty: Duty) -> Option:
    picks = reached(duty.sure, duty.doubtful, [c.name for c in state.driving()])
    return Option(
        "blast",
        None,
        "Roll its damage" if picks.candidates else "Nobody",
        heading=f"Who is within {BLAST:g} in of {duty.car}?",
        form=Form({"cars": picks}),
        citation=EXPLODING,
        piece=duty.car,
        main=True,
    )


# In a round


def _in_round(state: GameState, turn: Round, seen: Seen) -> list[Option]:
    if turn.stage == "car" or turn.car is None:
        cars = [c.name for c in state.driving(turn.driver)]
        moved = {key_of(move.piece) for move in seen.moves.values()}
        # Who has moved a car has chosen it.
        driven = [_move(state, turn, seen, name) for name in cars if key_of(name) in moved]
        return [*(_choose(state, turn, name) for name in cars), *driven]
    if turn.stage == "move":
        found = [_move(state, turn, seen, turn.car)]
        if turn.manoeuvre == 1 and not turn.lost and not turn.reverse and not turn.part:
            found.append(_reverse(turn))
        if rounds.may_change_car(turn):
            others = (c.name for c in state.driving(turn.driver) if c.name != turn.car)
            found += [_choose(state, turn, name, "Or drive another car") for name in others]
        return found
    found = []
    if turn.stage == "free":
        found = [*shots(state, turn, seen), *_drop(state, turn), *_floor_it(state, turn)]
    return found + _speeds(state, turn)


def _choose(state: GameState, turn: Round, name: str, heading: str = "Which car?") -> Option:
    return Option(
        "choose",
        turn.driver,
        name,
        summary(state, state.car(name)),
        heading=heading,
        data={"car": name},
        citation=rounds.ROUNDS,
        piece=name,
    )


def _move(state: GameState, turn: Round, seen: Seen, name: str) -> Option:
    left = state.to_drive(name)
    # What is left of a manoeuvre that a token broke off may be less than an inch.
    least = hundredths(min(LEAST_RUN, left))
    return Option(
        "move",
        turn.hands,
        f"Maneuver {turn.manoeuvre} is done",
        heading=f"Drive {name} {hundredths(left)} in",
        heading_more="Straight: the Maneuver's turn or drift is made."
        if turn.bent
        else f"Straight runs of {least} in or more, and one turn of up to 90° or one drift of 1 in.",
        data={"car": name},
        form=way_form(state, seen, name, driven=True),
        citation=PERFORM,
        piece=name,
        main=turn.car is not None,
    )


def _reverse(turn: Round) -> Option:
    why = Pick(
        words="Going ahead",
        candidates=tuple(Candidate(value, words) for value, words in rounds.AHEAD.items()),
    )
    return Option(
        "reverse",
        turn.driver,
        "Go in reverse",
        "Only where forward leaves the surface or cannot avoid a Collision.",
        form=Form({"because": why}),
        citation=rounds.DIRECTION,
        piece=turn.car,
    )


def _drop(state: GameState, turn: Round) -> list[Option]:
    car = state.car(turn.car or "")
    if not weapon_called(car.secondary).droppable or not car.tokens or turn.acted:
        return []
    fields: dict[str, Input] = {
        "under": PickPieces(
            words="It is under", candidates=cars_as_candidates(state, car.name), optional=True, folded=True
        ),
        "token": Text(words="Name of the token", optional=True, folded=True),
    }
    return [
        Option(
            "drop",
            turn.driver,
            f"Drop {car.secondary} ({car.tokens} left)",
            f"Whoever drives onto it {weapon_called(car.secondary).as_token}.",
            form=Form(fields),
            citation=DROP,
            piece=car.name,
        )
    ]


def _floor_it(state: GameState, turn: Round) -> list[Option]:
    if turn.manoeuvre >= MOST_MANOEUVRES or turn.car in turn.burning:
        return []
    free, needed = rounds.free_manoeuvre(state, turn), turn.manoeuvre + 1
    words = "Floor It: free" if free else f"Floor It: {needed}+ on a D6"
    chance = 100 if free else 100 * (7 - needed) / 6
    return [
        Option(
            "floor_it",
            turn.driver,
            words,
            f"Maneuver {needed}",
            citation=rounds.LAST_CAR if free else rounds.HAZARD,
            facts=(Fact(f"{chance:.0f} %"),),
        )
    ]


def _speeds(state: GameState, turn: Round) -> list[Option]:
    """The Speeds with which the round may end, the one that it has among them."""
    car = state.car(turn.car or "")
    return [
        Option(
            "end" if to == car.speed else "speed",
            turn.driver,
            str(to),
            "stay" if to == car.speed else signed(to - car.speed),
            heading="End the round at Speed",
            data={} if to == car.speed else {"to": to},
            citation=rounds.ROUNDS if to == car.speed else rounds.SPEED,
            main=to == car.speed,
            on=SheetPlace(car.name, SPEEDS, to),
        )
        for to in sorted((car.speed, *rounds.speeds(state, car)))
    ]
