"""Whole games, kept as logs: they replay to the same end, and together they cover the book."""

from __future__ import annotations

from collections import Counter

from engine.games.battlecars.about import ABOUT, SECTIONS
from engine.games.battlecars.book.data import PASSIVES, WEAPONS
from engine.games.battlecars.book.vehicles import layouts
from engine.games.battlecars.game import GAME, RULES
from engine.games.battlecars.state.fold import KINDS
from tests.engine.games.checks import GoldenGames

GOLDEN = GoldenGames(GAME, "battlecars")

BOOK = "Battlecars · "

BY_OPTIONS = {"Game Turn · Nominate Target", "Game Turn · Calculate Range", "Weapons"}
"""What buttons and rulings cite, and no event does; and a heading over others."""


def data(kind: str) -> list[dict]:
    return [e.data for e in GOLDEN.events if e.kind == kind]


def test_they_replay_to_their_end():
    assert len(GOLDEN.paths) == 12
    GOLDEN.replay_to_their_end()
    GOLDEN.are_the_same_again()
    GOLDEN.notice_what_is_lost("duel", "armour")


def test_every_kind_of_event_and_action():
    happened = {e.kind for e in GOLDEN.events}
    assert set(KINDS) - happened <= {"ruled", "lies"}, "told at a table"
    done = {d["kind"] for d in data("action")} | {"speed"}
    assert set(RULES) - done == {"go on"}, "go on is for overrulings that leave something to roll"
    assert set(ABOUT.events) | {"begin", "roll", "rolls", "ruled"} == set(KINDS) | set(RULES)


def test_every_weapon_and_every_counter():
    assert {d["weapon"] for d in data("hit")} == set(WEAPONS)
    assert {d["weapon"] for d in data("missed")} == set(WEAPONS)
    assert {d["beyond"] for d in data("hit")} == {True, False}
    assert {d["sort"] for d in data("laid")} == set(PASSIVES)
    assert {d["sort"] for d in data("ran onto")} == set(PASSIVES)


def test_every_cause_of_a_skid_and_every_kind_of_ram():
    causes = {"a corner" if "corner" in d["cause"] else d["cause"] for d in data("skidded")}
    assert causes == {"a corner", "its driver is dead", "Oil", "Smoke", "Spikes"}
    assert {d["ram"] for d in data("rammed")} == {"Head-On Ram", "Side Ram", "Shunt Ram"}
    assert {d["stops"] for d in data("swung")} == {True, False}


def test_every_type_of_vehicle():
    assert {d["type"] for d in data("armed")} == set(layouts())


def test_every_section_is_cited_and_no_other():
    cited = Counter(e.citation.removeprefix(BOOK) for e in GOLDEN.events if e.citation.startswith(BOOK))
    missing = {s for s in SECTIONS if not any(c == s or c.startswith(f"{s} · ") for c in cited)}
    assert missing - BY_OPTIONS == set()
    assert set(cited) <= set(SECTIONS)
