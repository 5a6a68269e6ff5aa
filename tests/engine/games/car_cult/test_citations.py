"""Every heading of the notes is ruled: cited by what happened in the golden games, or by the table."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import engine.games.car_cult.rules as rules
from engine.games.car_cult.game import GAME, RULES
from tests.conftest import SHARED
from tests.engine.games.car_cult.test_golden import EVENTS

BOOK = "Car Cult 2016 · "
TEXT = SHARED / "rules" / "car-cult-2016.txt"

NOTHING_TO_RULE = {"Creating a Car Game"}
"""The title."""

BY_THE_TABLE = {"Core Mechanics"}
"""What is measured and not told as an event: cited by the rulings of the room `rules`."""

CITED = Counter(
    place.removeprefix(BOOK)
    for event in EVENTS
    for place in (event.citation, str(event.data.get("rule", "")))
    if place.startswith(BOOK)
)


@pytest.mark.parametrize(
    "section", [s for s in GAME.about.sections if s not in BY_THE_TABLE | NOTHING_TO_RULE]
)
def test_every_section_is_cited_by_what_happened(section):
    known = [cited for cited in CITED if cited == section or cited.startswith(f"{section} · ")]
    assert known, f"no event of the golden games rests on {section}"


def test_the_table_cites_what_no_event_does():
    sources = "".join(p.read_text("utf-8") for p in Path(rules.__path__[0]).glob("*.py"))
    for section in BY_THE_TABLE:
        assert f'cite("{section}")' in sources


def test_nothing_is_cited_that_the_notes_do_not_have():
    assert set(CITED) <= set(GAME.about.sections)


def test_every_event_and_action_rests_on_the_notes_or_says_that_it_is_ours():
    places = [e.citation for e in EVENTS] + [rule.citation for rule in RULES.values()]
    assert all(p == GAME.about.book or p.startswith((BOOK, "house default · ")) for p in places)


def test_the_list_has_every_heading_of_the_notes():
    if not TEXT.exists():
        pytest.skip(f"the notes' text {TEXT} is not beside this repository")
    text = TEXT.read_text(encoding="utf-8").split("given these a skim")[0]
    alone = [line.strip() for line in text.splitlines() if re.fullmatch(r"[A-Z][A-Za-z/ ]{2,40} *", line)]
    before = re.findall(r"^([A-Z][A-Za-z ]{2,30}?) (?:[0-9] AZ|– )", text, re.MULTILINE)
    stages = [s.strip() for s in re.findall(r"^[1-6] - (.+)$", text, re.MULTILINE)]
    assert len(alone) >= 7
    assert len(before) >= 8
    assert len(stages) == 6
    fields = {"range", "blast", "damage", "shots"}
    known = {part.lower() for section in GAME.about.sections for part in section.split(" · ")}
    known |= {section.lower() for section in GAME.about.sections} | fields
    wanted = {h.lower().replace(" sp ", " st ") for h in (*alone, *before, *stages)}
    assert wanted - known == {"all have", "stages for performing an attack action"}
