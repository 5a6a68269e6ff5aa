"""What the tests of every game are told of Car Cult, whose random players build within the Build Limit."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

from benchmarks.games import Held, Players
from engine.game.contract import Game
from engine.games.car_cult.book.data import CARDS, DAMAGE, ENGINES, HouseRules, zones_of
from engine.games.car_cult.state import Car, GameState
from tests.engine.games.car_cult.playing import GAME, begun
from tests.engine.games.suite import Suite


def cults(_game: Game[Any], _number: int, chance: random.Random) -> dict[str, Any]:
    """A set-up of two to four random cults of up to 30 zones; every fifth with what commenters wished for."""
    wishes = chance.random() < 0.2
    cards = [c.name for c in CARDS.values() if c.sort != "engine" and (wishes or not c.wish)]
    pieces = []
    players = ["Ann", "Bob", "Cleo", "Dirk"][: chance.choice((2, 2, 2, 3, 3, 4))]
    for player in players:
        left = 30
        for number in range(1, chance.randint(1, 3) + 1):
            engine = chance.choice(ENGINES)
            if zones_of([engine]) > left:
                break
            parts: list[str] = []
            left -= zones_of([engine])
            for card in chance.sample(cards, chance.randint(1, 5)):
                armoured = CARDS[card].sort == "armour" and any(CARDS[p].sort == "armour" for p in parts)
                if zones_of([card]) <= left and not armoured:
                    parts.append(card)
                    left -= zones_of([card])
            armour = sum(CARDS[p].zones for p in parts if CARDS[p].sort == "armour")
            parts = [p for p in parts if CARDS[p].sort != "armour"]
            name = f"{player} {number}"
            pieces.append({"name": name, "owner": player, "engine": engine, "parts": parts, "armour": armour})
    return {"players": players, "pieces": pieces, "wishes": wishes, "terrain": 3 * wishes}


def hold(state: GameState) -> None:
    """What is true of every state between two actions."""
    for car in state.cars:
        hold_car(state, car)
    if state.over:
        assert state.winner is None or state.winner in state.alive
        assert not state.duties
        return
    assert len(state.alive) > 1 or state.duties or any(c.status == "waiting" for c in state.cars)
    turn = state.turn
    if turn is not None:
        assert state.car(turn.car).activated
        assert turn.player == state.car(turn.car).owner
        assert 0 <= turn.pool <= sum(len(c.rules.symbols) for c in state.car(turn.car).components)
    if state.attack is not None:
        assert state.car(state.attack.car).driving
        target = state.target(state.attack.target)
        assert state.house.terrain if target is None else target.driving
    assert all(0 < tokens < state.house.terrain for _, tokens in state.struck)
    names = [one.name for one in state.laid]
    assert len(set(names)) == len(names), "two tokens have one name"


def hold_car(state: GameState, car: Car) -> None:
    """As many zones as the cards have, speeds in order, no car in play without a zone left."""
    low, high = car.limits
    assert 0 <= low <= high
    assert car.turns <= len(car.engine.zones)
    for one in car.components:
        assert len(one.zones) == one.rules.zones, f"{one.name} has {len(one.zones)} zones"
        assert one.rules.sort != "armour" or one.speed == 0 or swapped(state), f"{one.name} holds Speed"
    assert car.status != "driving" or car.undamaged > 0, f"{car.name} has damage everywhere and is in play"
    assert car.status != "exploded" or all(t == DAMAGE for c in car.components for t in c.zones), car.name


def swapped(state: GameState) -> bool:
    """Whether a Fixer may have put a Speed token where none is allocated."""
    return any(c.card == "Fanatical Fixer" for car in state.cars for c in car.components)


def wrong() -> Iterator[tuple[Held, GameState, str]]:
    """States of a game that begins with one thing wrong."""
    state = begun(tokens={"Red 1": 1}).state
    yield hold, state.with_car("Red 1", status="exploded"), "Red 1"
    yield hold, state.with_component("Red 1", state.car("Red 1").engine.name, zones=("Speed",)), "has 1 zone"


def on_its_page() -> Iterator[str]:
    """Every engine with its numbers, and what commenters wished for."""
    for card in (c for c in CARDS.values() if c.sort == "engine"):
        speeds, symbols = (", ".join(map(str, numbers)) for numbers in (card.speeds, card.symbols))
        yield f"| {card.name} | {card.zones} | {card.acceleration} | {speeds} | {symbols} |"
    yield from (f"*{card.name}*" for card in CARDS.values() if card.wish)


def unruled(text: str) -> set[str]:
    """Headings of the notes that no section has."""
    text = text.split("given these a skim", maxsplit=1)[0]
    alone = [line.strip() for line in text.splitlines() if re.fullmatch(r"[A-Z][A-Za-z/ ]{2,40} *", line)]
    before = re.findall(r"^([A-Z][A-Za-z ]{2,30}?) (?:[0-9] AZ|– )", text, re.MULTILINE)
    stages = [s.strip() for s in re.findall(r"^[1-6] - (.+)$", text, re.MULTILINE)]
    assert len(alone) >= 7
    assert len(before) >= 8
    assert len(stages) == 6
    sections = GAME.about.sections
    known = {part.lower() for section in sections for part in section.split(" · ")}
    known |= {section.lower() for section in sections} | {"range", "blast", "damage", "shots"}
    missing = {h.lower().replace(" sp ", " st ") for h in (*alone, *before, *stages)} - known
    return missing ^ {"all have", "stages for performing an attack action"}


PLAYERS = Players(GAME, cults, hold=hold, whims=False, thorough=25, limit=12000)

SUITE = Suite(
    players=PLAYERS,
    seeds=(0, 1, 2, 5, 16, 17),
    counters=False,
    whims=(2,),
    rare=frozenset({"rerolled", "ruled"}),
    house=HouseRules,
    golden_games=4,
    lost=("duel", "damaged"),
    at_tables=frozenset({"ruled", "struck"}),
    of_the_match=frozenset({"action", "undo", "redo", "overrule"}),
    sound=lambda: ((hold, begun(tokens={"Red 1": 1}).state),),
    wrong=wrong,
    words={"True": "true", "False": "false"},
    on_its_page=on_its_page,
    uncited=frozenset({"Creating a Car Game", "Core Mechanics"}),
    over_others=frozenset({"Attacking opponents"}),
    by_the_table=("rules", ('cite("Core Mechanics")',)),
    text="car-cult-2016.txt",
    unruled=unruled,
)
