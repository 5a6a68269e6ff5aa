"""What has to be done first, as options."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.game.contract import Option, Seen
from engine.game.forms import Candidate, Form, Input, Number, Pick, SheetPlace
from engine.game.kit.table import path
from engine.games.shattered_highways.book.data import HELD_ON, SECTION, seat_words
from engine.games.shattered_highways.page.driving import chance
from engine.games.shattered_highways.page.offers import edge, halves, side, vehicles
from engine.games.shattered_highways.rules.damage import FALLS_BACK, LEAP, OUT_OF_CONTROL
from engine.games.shattered_highways.state import MEETING, Duty, GameState, Roller, hit_by, wreck_words
from engine.ruling import signed


def options(state: GameState, duty: Duty, seen: Seen) -> Iterator[Option]:
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


def how_words(duty: Duty) -> str:
    """What is to be done with a vehicle, for people."""
    count = "1 section" if duty.sections == 1 else f"{duty.sections} sections"
    within = f"{duty.by} moves it within {count} of the template, facing along the road."
    return {
        "nudged": within,
        "struck": within,
        "veer": "Move it left or right just enough to clear the wreck.",
        "fall back": f"Move it {SECTION:g} in straight back.",
        "deployed": f"Put it down close behind {duty.other}.",
        "lost": f"Move it to the farthest edge of section {duty.section} of the template over it.",
        "shift": f"Move every vehicle {duty.inches:g} in back.",
        "wreck": "Say who is on the line straight behind it; then take it off the road.",
    }.get(duty.kind, "")


def ram_words(duty: Duty) -> str:
    """At what a vehicle out of control, or without a driver, is rammed where it meets another; else none.

    >>> ram_words(Duty("lost", "Red 1", ""))
    'a Ram at −1'
    """
    less = {"lost": OUT_OF_CONTROL, "fall back": FALLS_BACK}.get(duty.kind)
    return "" if less is None else f"a Ram at {signed(less.by)}"


def _shrapnel(state: GameState, duty: Duty) -> Option:
    inside = tuple(
        Candidate(w.name, w.name, seat_words(w.seat), on=SheetPlace(duty.vehicle, w.seat) if w.seat else None)
        for w in hit_by(state, duty)
    )
    return Option(
        "hurt", duty.by, "This one", f"{duty.amount} damage", heading=f"Who in {duty.vehicle} is hit?",
        form=Form({"warrior": Pick(words="Who", candidates=inside, at_once=True)}), citation=duty.citation,
        piece=duty.vehicle, main=True,
    )  # fmt: skip


def _seat(state: GameState, duty: Duty) -> Option:
    free = state.free_seats(duty.vehicle, duty.part)
    seats = [Candidate(s, seat_words(s), on=SheetPlace(duty.vehicle, s)) for s in free]
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
            citation=duty.citation, facts=(chance(roller, HELD_ON),), piece=duty.vehicle, main=True,
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
        fields["side"] = side()
    fields["edge"] = edge()
    return Option(
        "placed", duty.by, "It stands there", heading=duty.vehicle, heading_more=how_words(duty),
        data={"vehicle": duty.vehicle, "duty": duty.kind}, form=Form(fields), citation=duty.citation,
        piece=duty.vehicle, main=True,
    )  # fmt: skip
