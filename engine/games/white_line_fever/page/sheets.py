"""The sheets: what each vehicle is and has, where the match stands, and what is asked before it begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from engine.game.about import house
from engine.game.events import JsonObject, Reason
from engine.game.forms import Candidate, Form, Input, Number, Pick, SetUpForm
from engine.game.kit import reading
from engine.game.kit.shown import fate
from engine.game.showing import Box, Counter, Place, Sheet, Status, Track, Widget, Words
from engine.games.white_line_fever.acts.beginning import UNDECIDED, dealt, weapons_of
from engine.games.white_line_fever.acts.rounds import to_deploy
from engine.games.white_line_fever.book import data as book
from engine.games.white_line_fever.book.data import HouseRules, Weapon
from engine.games.white_line_fever.state import Car, CarStatus, DutyKind, GameState, Round
from engine.ruling import many
from engine.space.table import names_alike
from engine.words import listed

# The record sheet of each car, and where the match stands with the order of play.

_NOTES: dict[CarStatus, str] = {
    "waiting": "not deployed",
    "driving": "",
    "wreck": "destroyed",
    "removed": "out of the game",
}

SPEEDS = "speed"
"""The Speed on a sheet, where it may be tapped."""

_FATES: dict[CarStatus, str] = {
    "driving": "in play",
    "wreck": "destroyed: an obstacle",
    "removed": "out of the game",
}


def sheets(state: GameState) -> tuple[Sheet, ...]:
    """All record sheets, the players in their order."""
    return tuple(_sheet(state, car) for p in state.players for car in state.cars if car.owner == p)


def _sheet(state: GameState, car: Car) -> Sheet:
    weapons = [book.weapon_called(name) for name in (car.primary, car.secondary)]
    top, left = state.top_speed(car), state.armour(car)
    widgets: list[Widget] = [
        Words(words=w.hardpoint, text=w.name, more=weapon_words(w), used=w.name in car.spent) for w in weapons
    ]
    widgets += [
        Counter(
            words="Speed", value=car.speed, low=1, high=top, more=f"at most {top}",
            path=("cars", car.name, "speed"), key=SPEEDS,
        ),
        Track(
            words="Armour", boxes=_boxes(state, car), more=f"{left} of {state.boxes(car)} left",
            path=("cars", car.name, "marked"),
        ),
    ]  # fmt: skip
    if any(w.droppable for w in weapons):
        widgets.append(Counter(words="Tokens", value=car.tokens, path=("cars", car.name, "tokens")))
    now = _FATES.get(car.status, _NOTES[car.status])
    widgets.append(fate(now, _FATES, ("cars", car.name, "status")))
    return Sheet(
        title=car.name, owner=car.owner, widgets=tuple(widgets), piece=car.name,
        more=f"{car.brand}: {book.BRANDS[car.brand]}", summary=summary(state, car), note=_NOTES[car.status],
        out=car.status in ("wreck", "removed"), by_hand=tuple(_spent(car, w.name) for w in weapons),
    )  # fmt: skip


def _spent(car: Car, weapon: str) -> Words:
    """Whether a weapon is spent, to overrule."""
    left = tuple(name for name in car.spent if name != weapon)
    choices = (Candidate(list(left), "ready"), Candidate([*left, weapon], "spent"))
    text = "spent" if weapon in car.spent else "ready"
    return Words(words=weapon, text=text, choices=choices, path=("cars", car.name, "spent"))


def summary(state: GameState, car: Car) -> str:
    """A car in a few words."""
    return f"Speed {car.speed} · {state.armour(car)} armour"


def _boxes(state: GameState, car: Car) -> tuple[Box, ...]:
    """The armour track; a Mule's extra boxes stand before it."""
    big = set(state.big_boxes(car))
    extra = book.MULE_ARMOUR if car.brand == "Mule" else 0
    ends = {extra, *(extra + end for end in accumulate(state.house.armour_groups))}
    cost = 0 if car.brand == "Essence" else state.house.big_box_penalty
    words = f"costs {cost} maximum Speed" if cost else ""
    return tuple(
        Box(n <= car.marked, n in big, n in ends, words if n in big else "")
        for n in range(1, state.boxes(car) + 1)
    )


def weapon_words(weapon: Weapon) -> str:
    """A weapon's line in a few words.

    >>> weapon_words(book.weapon_called("Harpoon"))
    '1 damage, 6/16″, target is pulled 3 in'
    """
    if weapon.droppable:
        return f"dropped: whoever drives onto it {weapon.as_token}"
    reach = f"{weapon.short:g}/{weapon.maximum:g}″"
    return ", ".join(part for part in (f"{weapon.damage} damage", reach, weapon.special) if part)


_OWED: dict[DutyKind, str] = {
    "spin": "spins out",
    "turn": "is turned",
    "push": "is pushed",
    "pull": "is pulled",
    "blast": "explodes",
}


def status(state: GameState) -> Status:
    """Whose round it is, what has to be done first, or who has won."""
    order = tuple(_place(state, player) for player in state.players)
    if state.over:
        return Status.at_the_end(state.winner, order)
    if state.duties:
        duty = state.duties[0]
        player = duty.by or state.car(duty.car).owner
        who = f"{duty.car} {_OWED[duty.kind]}"
        return Status("Before play goes on", who, duty.citation, player, duty.car, order)
    return _deploying(state, order) if state.round is None else _in_round(state.round, order)


def _deploying(state: GameState, order: tuple[Place, ...]) -> Status:
    if state.deployment is None:
        return Status("Deployment", "Which one?", order=order)
    left = f"{many(sum(c.status == 'waiting' for c in state.cars), 'car')} to put down"
    players = to_deploy(state)
    if len(players) != 1:
        return Status("Deployment", left, order=order)
    return Status("Deployment", f"{players[0]} puts a car down", left, players[0], order=order)


def _in_round(turn: Round, order: tuple[Place, ...]) -> Status:
    lost = turn.hands != turn.driver
    more = [
        "chooses a car" if turn.car is None else turn.car + (", in reverse" if turn.reverse else ""),
        "" if turn.car is None else f"Maneuver {turn.manoeuvre}",
        f"out of control: {turn.hands} drives" if lost else "",
    ]
    who = f"{turn.hands} drives {turn.driver}'s car" if lost else f"{turn.driver} drives"
    return Status(f"Round {turn.number}", who, " · ".join(filter(None, more)), turn.hands, turn.car, order)


def _place(state: GameState, player: str) -> Place:
    left = sum(c.owner == player and c.status in ("driving", "waiting") for c in state.cars)
    current = state.round is not None and state.round.driver == player
    return Place.having(player, left, "car", current=current)


# What is asked before a game begins: what each car carries, how it starts, the house rules.


def set_up(so_far: JsonObject) -> SetUpForm:
    """The forms of every car and of the game; a car's weapons are dealt so that no two begin alike."""
    players, given = reading.seated(so_far)
    rules = {name: so_far[name] for name in HouseRules.declared() if so_far.get(name) is not None}
    pieces = {str(p.get("name")): _car(p, k, rules) for k, p in enumerate(given)}
    return SetUpForm(pieces, _game(players), tuple(_not_yet(players, given)))


def _car(piece: Mapping[str, Any], number: int, rules: Mapping[str, Any]) -> Form:
    usual = dealt(number)
    brands = tuple(Candidate(name, name, words) for name, words in book.BRANDS.items())
    found: dict[str, Input] = {"brand": Pick(words="Brand", candidates=brands, usual=usual["brand"])}
    for slot in ("primary", "secondary"):
        weapons = tuple(Candidate(n, n, weapon_words(book.WEAPONS[n])) for n in weapons_of(slot))
        found[slot] = Pick(words=f"{slot.capitalize()} weapon", candidates=weapons, usual=usual[slot])
    speed = rules.get("starting_speed", HouseRules().starting_speed)
    found["speed"] = Number(
        words="Speed", low=1, high=book.TOP_SPEED, usual=speed, optional=True, folded=True
    )
    carried = str(piece.get("secondary") or usual["secondary"])
    if carried in book.WEAPONS and book.weapon_called(carried).droppable:
        tokens = rules.get("tokens", HouseRules().tokens)
        found["tokens"] = Number(words="Tokens", low=0, high=99, usual=tokens, optional=True, folded=True)
    return Form(found)


def _game(players: Sequence[str]) -> Form:
    deployments = [Candidate(name, name, words) for name, words in book.DEPLOYMENTS.items()]
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
        return [Reason("A game needs two players or more.", book.cite("Setup"))]
    found = []
    without = [p for p in players if not any(piece.get("owner") == p for piece in pieces)]
    if without:
        words = f"{listed(without)} {'have' if len(without) > 1 else 'has'} no car yet."
        found.append(Reason(words, book.cite("Setup")))
    for what, names in (("player", players), ("car", [str(p.get("name", "")) for p in pieces])):
        if alike := names_alike(what, names):
            found.append(Reason(f"{alike[0].upper()}{alike[1:]}.", house("Names")))
    return found
