"""The form of a race: its type and rules, and each player's vehicle and team."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.errors import TableRefError
from engine.game.events import JsonObject, Reason
from engine.game.forms import Candidate, Form, Input, Number, Pick, SetUpForm, Text
from engine.game.kit import reading
from engine.games.frothy_races.acts.beginning import SETUP, against_building, dealt, not_yet
from engine.games.frothy_races.book.building import OWN, build
from engine.games.frothy_races.book.circuits import CIRCUITS
from engine.games.frothy_races.book.data import APART, RACES, TOP, Rules
from engine.games.frothy_races.book.laying import attempt
from engine.games.frothy_races.book.licences import LICENCES, Licence
from engine.games.frothy_races.page.building import guide_fields

_ORDER = (
    "race", "circuit", "laps", "rounds", "gap", "instant", "for_obstacle", "runners", "for_runner",
    "for_damage", "stamina", "truce", "friendly", "grandstanding", "shame", "rolling", "jumps", "adjust",
    "pairs_first", "deliberate", "corner_drift", "control_damage", "start_by", "more_drifts", "worths",
)  # fmt: skip
"""In which order the rules are asked for: first the numbers of the race, then what is on or off."""


def set_up(so_far: JsonObject) -> SetUpForm:
    """The forms of every vehicle and of the race."""
    players, given = reading.seated(so_far)
    try:
        rules = Rules.said(so_far)
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
    inputs = Rules.inputs(Rules.of({"race": race} if race in APART else {}))
    inputs["race"] = replace(inputs["race"], usual=RACES[0])
    circuits = tuple(Candidate(c.id, c.words) for c in CIRCUITS)
    inputs["circuit"] = Pick(
        words=inputs["circuit"].words, candidates=(*circuits, *own), usual=CIRCUITS[0].id
    )
    return Form({name: inputs[name] for name in _ORDER})
