"""Every section of the book is ruled: cited by what happened in the golden games."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from engine.games.white_line_fever.game import GAME, RULES
from tests.conftest import SHARED
from tests.engine.games.white_line_fever.test_golden import EVENTS

BOOK = "White Line Fever 0.9 · "
TEXT = SHARED / "rules" / "white-line-fever-0.9.txt"

SECTIONS = GAME.about.sections

NOTHING_TO_RULE = {
    "Components": "what has to be bought and built",
    "Obstacles": "how the table is furnished",
    "Modifiers": "its two rows are cited one by one",
}
"""Headings of the book that no event can rest on, and why."""

CITED = Counter(
    place.removeprefix(BOOK)
    for event in EVENTS
    for place in (event.citation, str(event.data.get("rule", "")))
    if place.startswith(BOOK)
)


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_is_cited_by_what_happened(section):
    assert CITED[section], f"no event of the golden games rests on {section}"


def test_nothing_is_cited_that_the_book_does_not_have():
    assert set(CITED) <= set(SECTIONS)


def test_every_event_and_action_rests_on_the_book_or_says_that_it_is_ours():
    places = [e.citation for e in EVENTS] + [rule.citation for rule in RULES.values()]
    assert all(p.startswith((BOOK, "house default · ")) for p in places)


def test_the_list_has_every_heading_of_the_book():
    if not TEXT.exists():
        pytest.skip(f"the book's text {TEXT} is not beside this repository")
    text = TEXT.read_text(encoding="utf-8")
    large = re.findall(r"^(?:<.*>)?S ([A-Z ]+)(?: \(Action\))?$", text, re.MULTILINE)
    small = re.findall(r"^(?:<.*>)?([A-Z][a-zA-Z]+(?: (?:[A-Z][a-zA-Z]+|the|a|It))*): ", text, re.MULTILINE)
    assert len(large) >= 12
    assert len(small) >= 20
    known = {part.lower() for section in SECTIONS for part in section.split(" · ")}
    known |= {name.lower() for name in NOTHING_TO_RULE}
    assert {h.lower() for h in large + small} <= known
