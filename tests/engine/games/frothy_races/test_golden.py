"""The golden races cover the rules."""

from __future__ import annotations

import json
from dataclasses import fields
from itertools import combinations, combinations_with_replacement
from typing import Literal, get_args, get_origin, get_type_hints

from engine.games.frothy_races.acts.attacking import THEN
from engine.games.frothy_races.book.building import DAMAGE_EFFECTS, TRAITS
from engine.games.frothy_races.book.data import ICONS, RACES, SPECIALS, Rules
from engine.games.frothy_races.rules.control import KINDS as KINDS_OF_COLLISION
from engine.games.frothy_races.rules.control import outcome
from tests.engine.games.frothy_races.playing import GAME
from tests.engine.games.suite import golden

GOLDEN = golden(GAME)
data = GOLDEN.data


def test_every_race_type_and_every_collision():
    assert {d["state"]["rules"]["race"] for d in data("begin")} == set(RACES)
    assert {d["sort"] for d in data("collided")} == {"Solid Obstacle", *KINDS_OF_COLLISION.values()}
    assert {d["sort"] for d in data("attacked")} == {"personal", "vehicle"}


def test_every_trait_special_card_and_damage_effect():
    vehicles = [v for d in data("begin") for v in d["state"]["vehicles"].values()]
    assert {name for v in vehicles for name, _ in v["traits"]} >= set(TRAITS)
    assert {c["special"] for v in vehicles for c in v["cards"]} - {""} == set(SPECIALS)
    built = [v["built"] for v in vehicles if v["built"] is not None]
    assert {e["sort"] for b in built for _, e in b["effects"]} == {e.sort for e in DAMAGE_EFFECTS.values()}
    asked = {t["data"]["then"] for d in data("owed") for t in d["tasks"] if t["kind"] == "reroll"}
    assert asked >= set(THEN) - {"damage"}, "a Damage roll again is tried in acts/test_traits"


def test_every_special_card_is_played():
    used = set()
    for name, log in GOLDEN.logs.items():
        vehicles = GOLDEN.end(name)["vehicles"].items()
        cards = {(name, c["name"]): c["special"] for name, v in vehicles for c in v["cards"]}
        told = [e.data for e in log if e.kind == "cards"]
        used |= {cards[d["vehicle"], name] for d in told for name in (*d["spent"], *d["gone"])}
    assert used - {""} == set(SPECIALS)


def test_every_icon_with_every_other_those_that_cancel_and_each_that_takes_effect():
    rolls = [[die.get("face") for die in d["dice"]] for d in data("rolls")]
    control = [faces for faces in rolls if set(faces) <= set(ICONS)]
    pairs = {frozenset(pair) for faces in control for pair in combinations(faces, 2)}
    assert pairs == {frozenset(pair) for pair in combinations_with_replacement(ICONS, 2)}
    came = [outcome(faces) for faces in control]
    assert {icon for one in came if len(one.effects) == 1 for icon, _ in one.effects} == set(ICONS)
    assert any(one.spins for one in came)
    assert any(one.paces for one in came)


def test_every_option_is_used_and_left_out():
    rules = [d["state"]["rules"] for d in data("begin")]
    for field in fields(Rules):
        found = {json.dumps(one[field.name]) for one in rules}
        kind = get_type_hints(Rules)[field.name]
        wanted = get_args(kind) if get_origin(kind) is Literal else (True, False) if kind is bool else ()
        assert {json.dumps(value) for value in wanted} <= found, field.name
        assert len(found) > 1, field.name
