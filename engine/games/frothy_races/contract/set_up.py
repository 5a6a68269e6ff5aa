"""The form of a race: its type and rules, and each player's vehicle and team."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import TableRefError
from engine.game import records
from engine.game.events import JsonObject, Reason
from engine.game.forms import Candidate, Flag, Form, Input, Number, Numbers, Pick, SetUpForm, Text
from engine.games.frothy_races.acts.beginning import RULE_FIELDS, SETUP, against_building, dealt, not_yet
from engine.games.frothy_races.book.building import OWN, build
from engine.games.frothy_races.book.circuits import CIRCUITS
from engine.games.frothy_races.book.data import (
    APART,
    LIMITS,
    RACES,
    START,
    START_SPACES,
    SWITCHES,
    TOP,
    Rules,
)
from engine.games.frothy_races.book.laying import attempt
from engine.games.frothy_races.book.licences import LICENCES, Licence
from engine.games.frothy_races.contract.guide import guide_fields

_NUMBERS: Mapping[str, tuple[str, str]] = {
    "laps": ("Laps", "of a race to the finish line"),
    "rounds": ("Rounds at most", "a Furthest race is decided then"),
    "gap": ("Spaces that are far", "for Grandstanding and the Whips of Shame"),
    "instant": ("Instant Wipe-Out from Damage icons", "0 is without it"),
    "for_obstacle": ("Points for a Fragile Obstacle", "in a Scoring race"),
    "runners": ("Runners", "in a Scoring race, one more each round"),
    "for_runner": ("Points for a runner", "in a Scoring race"),
    "for_damage": ("Points for a point of damage inflicted", "in a Scoring race"),
}

_CHOICES: Mapping[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "control_damage": (
        "Damage icons of a Control roll",
        (("roll", "a Damage roll"), ("ignored", "ignored"), ("control", "a Control Loss point each")),
    ),
    "start_by": (
        "A rolling start begins at",
        (("speed", f"Speed {START}"), ("spaces", f"the Speed of {START_SPACES} spaces a round")),
    ),
    "more_drifts": (
        "Drifts in a phase",
        (("one", "one"), ("control", "more, each with a Control roll"), ("any", "any number")),
    ),
}


def set_up(so_far: JsonObject) -> SetUpForm:
    """The forms of every vehicle and of the race."""
    players = tuple(str(name) for name in so_far.get("players") or ())
    given = tuple(piece for piece in so_far.get("pieces") or () if isinstance(piece, Mapping))
    try:
        rules = Rules.of({k: so_far[k] for k in RULE_FIELDS if so_far.get(k) is not None})
        wrong = not_yet(players, given, rules)
    except TableRefError as error:
        wrong = [str(error)]
    names = [str(p.get("name")) for p in given]
    pieces = {name: _vehicle(k, p, names) for k, (name, p) in enumerate(zip(names, given, strict=True))}
    return SetUpForm(
        pieces, _race(_laid(so_far), so_far.get("race")), tuple(Reason(words, SETUP) for words in wrong)
    )


def _vehicle(number: int, said: Mapping[str, Any], names: Sequence[str]) -> Form:
    types = tuple(Candidate(n, n, licence_words(one)) for n, one in LICENCES.items())
    own = Candidate(OWN, OWN, "by the Vehicle Creation Guide")
    fields: dict[str, Input] = {
        "type": Pick(words="Vehicle", candidates=(*types, own), usual=dealt(number)),
        "team": Text(
            words="Team", more="Tag Team: vehicles of one team win together", longest=30, optional=True,
            folded=True,
        ),
        "slower": Number(
            words="Lower Speed in a rolling start", low=0, high=TOP, optional=True, folded=True
        ),
    }  # fmt: skip
    licence = LICENCES.get(str(said.get("type")))
    if said.get("type") == OWN:
        fields |= guide_fields(said)
        licence = None if against_building(said) else build(said)[0]
    if licence is not None and dict(licence.traits).get("Rival"):
        others = tuple(Candidate(n, n) for k, n in enumerate(names) if k != number)
        fields["rival"] = Pick(words="Its Rival", candidates=others)
    return Form(fields)


def licence_words(licence: Licence) -> str:
    """A licence in a few words."""
    blank = "blank" if licence.resilience is None else str(licence.resilience)
    traits = ", ".join(name + (f" {n}" if n > 1 else "") for name, n in licence.traits)
    cards = licence.whip + licence.reins + licence.dual + len(licence.specials)
    return (
        f"Resilience {blank}, {licence.damage} damage, {licence.totals[-1]} spaces, {cards} cards; {traits}"
    )


def _laid(so_far: JsonObject) -> tuple[Candidate, ...]:
    """The circuits of one's own that are kept, and one that was chosen: also where it is kept no more."""
    texts = dict.fromkeys([*(so_far.get("laid") or ()), so_far.get("circuit")])
    found = [(text, attempt(text)) for text in texts if isinstance(text, str) and ":" in text]
    return tuple(Candidate(text, one.name, "of one's own") for text, one in found if not one.wrong)


def _race(own: tuple[Candidate, ...], race: object) -> Form:
    usual: dict[str, Any] = records.to_json(Rules.of({"race": race} if race in APART else {}))
    usual["race"] = RACES[0]
    limits = {name: (low, high) for name, low, high in LIMITS}
    circuits = tuple(Candidate(c.id, c.words) for c in CIRCUITS)
    fields: dict[str, Input] = {
        "race": Pick(words="Race", candidates=tuple(Candidate(r, r) for r in RACES), usual=usual["race"]),
        "circuit": Pick(words="Track", candidates=(*circuits, *own), usual=CIRCUITS[0].id),
    }
    for name, (words, more) in _NUMBERS.items():
        low, high = limits[name]
        fields[name] = Number(
            words=words, more=more, low=low, high=high, usual=usual[name], folded=name != "laps"
        )
    for name, (words, more) in SWITCHES.items():
        fields[name] = Flag(words=words, more=more, usual=usual[name], folded=True)
    for name, (words, known) in _CHOICES.items():
        candidates = tuple(Candidate(value, said) for value, said in known)
        fields[name] = Pick(words=words, candidates=candidates, usual=usual[name], folded=True)
    fields["worths"] = Numbers(
        words="Points of each Fragile Obstacle", more="by hand, in their order", low=0, high=9, least=1,
        most=12, optional=True, folded=True,
    )  # fmt: skip
    return Form(fields)
