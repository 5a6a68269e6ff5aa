"""Every section of the book is ruled: cited by what happened in the golden games, or by the table."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import engine.games.shattered_highways.table as table
from engine.games.shattered_highways.game import GAME, RULES
from tests.conftest import SHARED
from tests.engine.games.shattered_highways.test_golden import EVENTS

BOOK = "Shattered Highways 0.3.8 · "
TEXT = SHARED / "rules" / "shattered-highways-0.3.8.txt"

SECTIONS = GAME.about.sections

NOTHING_TO_RULE = {
    "Shattered Highways": "the title",
    "Things you will need to acquire": "what has to be bought",
    "Things you will need to make or modify": "its template is cited by its name",
    "Terms used in these rules": "names of the template's parts",
    "Your vehicles": "what has to be bought",
    "Play Space": "how the table is furnished",
    "Examples": "what a class looks like",
    "Vehicle Customizing resources": "shops",
    "Disclaimer stuff": "trademarks",
    "DETAIL ADDITIONAL WEAPON TYPES": "left blank: house defaults",
}
"""Headings of the book that no event can rest on, and why."""

BY_THE_TABLE = {"Move Template"}
"""What is measured and not told as an event: cited by the rulings of the room `table`."""

CITED = Counter(
    place.removeprefix(BOOK)
    for event in EVENTS
    for place in (event.citation, str(event.data.get("rule", "")))
    if place.startswith(BOOK)
)


@pytest.mark.parametrize("section", [s for s in SECTIONS if s not in BY_THE_TABLE])
def test_every_section_is_cited_by_what_happened(section):
    known = [cited for cited in CITED if cited == section or cited.startswith(f"{section} · ")]
    assert known, f"no event of the golden games rests on {section}"


def test_the_table_cites_what_no_event_does():
    sources = "".join(p.read_text("utf-8") for p in Path(table.__path__[0]).glob("*.py"))
    for section in BY_THE_TABLE:
        assert f"· {section}" in sources


def test_nothing_is_cited_that_the_book_does_not_have():
    assert set(CITED) <= set(SECTIONS)


def test_every_event_and_action_rests_on_the_book_or_says_that_it_is_ours():
    places = [e.citation for e in EVENTS] + [rule.citation for rule in RULES.values()]
    assert all(p == GAME.about.book or p.startswith((BOOK, "house default · ")) for p in places)


def test_the_list_has_every_heading_of_the_book():
    if not TEXT.exists():
        pytest.skip(f"the book's text {TEXT} is not beside this repository")
    text = TEXT.read_text(encoding="utf-8")
    alone = [
        line.strip(" !:") for line in text.splitlines() if re.fullmatch(r"[A-Z][A-Za-z -]{2,40}[!:]?", line)
    ]
    before = re.findall(
        r"^(?:- )?([A-Z][A-Za-z -]{2,30})(?: [0-9]+CP(?: per section)?)?: ", text, re.MULTILINE
    )
    before += re.findall(r"^([A-Z][a-z]+ [A-Z][a-z]+) 15CP:", text, re.MULTILINE)
    assert len(alone) >= 20
    assert len(before) >= 8
    known = {part.strip("!").lower() for section in SECTIONS for part in section.split(" · ")}
    known |= {name.lower() for name in NOTHING_TO_RULE}
    missing = {h.lower() for h in alone + before} - known - FIELDS
    assert missing == set()


FIELDS = {
    "class", "creation points", "hit points", "seating positions", "mounted weapons", "penalty", "bonus",
    "skill", "tenacity", "attack", "default mounted weapon cost", "machine gun", "aiming at a vehicle",
    "aiming at warriors", "drag chains", "armor", "hidden buggy", "reinforcements",
}  # fmt: skip
"""Lines of the book that give one thing its number; their section is cited."""
