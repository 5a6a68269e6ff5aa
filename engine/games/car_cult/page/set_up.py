"""The builder: what each car is made of, with the zones that are left of the Build Limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import TableRefError
from engine.game.about import house
from engine.game.events import JsonObject, Reason
from engine.game.forms import Candidate, Form, Input, Number, Pick, SetUpForm
from engine.game.kit import reading
from engine.games.car_cult.acts.beginning import (
    BUILDING,
    PARTS,
    builds_of,
    dealt,
    most_of,
    not_yet,
)
from engine.games.car_cult.book.building import Build, spent
from engine.games.car_cult.book.data import CARDS, ENGINES, HouseRules, card_words
from engine.ruling import many


def set_up(so_far: JsonObject) -> SetUpForm:
    """The forms of every car and of the game; each answer says anew how many zones are left."""
    players, given = reading.seated(so_far)
    try:
        ours = HouseRules.said(so_far)
        builds = builds_of({"pieces": given})
        wrong = not_yet(players, builds, ours)
    except TableRefError as error:
        ours, builds, wrong = HouseRules(), (), [str(error)]
    pieces = {str(p.get("name")): _car(p, given, builds, ours) for p in given}
    return SetUpForm(pieces, Form(HouseRules.inputs()), tuple(Reason(words, BUILDING) for words in wrong))


def _car(
    piece: Mapping[str, Any], given: Sequence[Mapping[str, Any]], builds: tuple[Build, ...], ours: HouseRules
) -> Form:
    """What is asked of one car as it is built so far."""
    owner = str(piece.get("owner"))
    before = given[: next(k for k, other in enumerate(given) if other is piece)]
    usual = dealt(sum(str(p.get("owner")) == owner for p in before))
    left = ours.limit - spent(builds, owner)
    mine = next((b for b in builds if b.name == piece.get("name")), None)
    own = "" if mine is None else f"{many(mine.zones, 'zone')}; "
    engines = tuple(Candidate(n, n, card_words(CARDS[n])) for n in ENGINES)
    note = f"{own}{owner} has {left} of {ours.limit} zones left"
    fields: dict[str, Input] = {
        "engine": Pick(words="Engine", candidates=engines, usual=usual["engine"]),
        "armour": Number(words="Armour, zones", low=0, high=4, usual=usual["armour"]),
    }
    for field, name in PARTS.items():
        if CARDS[name].wish and not ours.wishes:
            continue
        times = usual["parts"].count(name)
        fields[field] = Number(
            words=name, more=card_words(CARDS[name]), low=0, high=most_of(name), usual=times
        )
    fields["damage"] = Number(
        words="Damage tokens from the game before", more=house("Campaign") if ours.wishes else "",
        low=0, high=20, usual=0, optional=True, folded=True,
    )  # fmt: skip
    if not ours.wishes:
        del fields["damage"]
    return Form(fields, note)
