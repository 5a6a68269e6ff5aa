"""What is asked before a game begins: what each car carries, how it starts, the house rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.game.about import house
from engine.game.events import JsonObject, Reason
from engine.game.forms import Candidate, Form, Input, Number, Pick, SetUpForm
from engine.game.kit import reading
from engine.games.white_line_fever.acts.beginning import UNDECIDED, dealt, weapons_of
from engine.games.white_line_fever.book.data import BRANDS, DEPLOYMENTS, TOP_SPEED, HouseRules, cite
from engine.games.white_line_fever.book.weapons import WEAPONS, weapon_called
from engine.games.white_line_fever.page.sheets import weapon_words
from engine.space.table import key_of


def set_up(so_far: JsonObject) -> SetUpForm:
    """The forms of every car and of the game; a car's weapons are dealt so that no two begin alike."""
    players, given = reading.seated(so_far)
    rules = {name: so_far[name] for name in HouseRules.declared() if so_far.get(name) is not None}
    pieces = {str(p.get("name")): _car(p, k, rules) for k, p in enumerate(given)}
    return SetUpForm(pieces, _game(players), tuple(_not_yet(players, given)))


def _car(piece: Mapping[str, Any], number: int, rules: Mapping[str, Any]) -> Form:
    usual = dealt(number)
    brands = tuple(Candidate(name, name, words) for name, words in BRANDS.items())
    found: dict[str, Input] = {"brand": Pick(words="Brand", candidates=brands, usual=usual["brand"])}
    for slot in ("primary", "secondary"):
        weapons = tuple(Candidate(n, n, weapon_words(WEAPONS[n])) for n in weapons_of(slot))
        found[slot] = Pick(words=f"{slot.capitalize()} weapon", candidates=weapons, usual=usual[slot])
    speed = rules.get("starting_speed", HouseRules().starting_speed)
    found["speed"] = Number(words="Speed", low=1, high=TOP_SPEED, usual=speed, optional=True, folded=True)
    carried = str(piece.get("secondary") or usual["secondary"])
    if carried in WEAPONS and weapon_called(carried).droppable:
        tokens = rules.get("tokens", HouseRules().tokens)
        found["tokens"] = Number(words="Tokens", low=0, high=99, usual=tokens, optional=True, folded=True)
    return Form(found)


def _game(players: Sequence[str]) -> Form:
    deployments = [Candidate(name, name, words) for name, words in DEPLOYMENTS.items()]
    deployments.append(Candidate(UNDECIDED, UNDECIDED, "or roll for it"))
    found: dict[str, Input] = {
        "deployment": Pick(words="How the cars start", candidates=tuple(deployments), usual=UNDECIDED)
    }
    if players:
        first = tuple(Candidate(name, name) for name in players)
        found["first"] = Pick(words="Drives first", candidates=first, usual=players[0])
    return Form(found | HouseRules.inputs())


def _not_yet(players: Sequence[str], pieces: Sequence[Mapping[str, Any]]) -> list[Reason]:
    """Why it cannot begin."""
    if len(players) < 2:
        return [Reason("A game needs two players or more.", cite("Setup"))]
    found = []
    without = [p for p in players if not any(piece.get("owner") == p for piece in pieces)]
    if without:
        words = f"{' and '.join(without)} {'have' if len(without) > 1 else 'has'} no car yet."
        found.append(Reason(words, cite("Setup")))
    for what, names in (("player", players), ("car", [str(p.get("name", "")) for p in pieces])):
        keys = [key_of(name) for name in names]
        twin = next((n for n, k in zip(names, keys, strict=True) if not k or keys.count(k) > 1), None)
        if twin is not None:
            words = f"Every {what} needs a name of its own, but {twin!r} is there twice or empty."
            found.append(Reason(words, house("Names")))
    return found
