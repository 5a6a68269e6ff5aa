"""What game it is."""

from __future__ import annotations

from engine.games.white_line_fever.book.weapons import WEAPONS
from tests.engine.games.white_line_fever.playing import GAME, begun, drive, sheet
from tests.engine.tables import car, table


def test_what_is_cited_stands_in_the_book():
    assert len(set(GAME.about.sections)) == len(GAME.about.sections)
    match = begun(sheet("Red 1", "Red", "Plinker", "Railgun"), sheet("Blue 1", "Blue"))
    drive(match, "Red 1")
    on = table(car("Red 1", 10, 10), car("Blue 1", 47, 10))
    for option in match.options(on):
        for citation in (option.citation, *(r.citation for r in option.not_now)):
            assert citation.removeprefix(f"{GAME.about.book} · ") in GAME.about.sections


def test_its_own_words():
    words = set(GAME.about.words)
    assert {"Tailgate", "Hazard Check", "Floor It", "Spin Out", "lost control"} <= words
    assert set(WEAPONS) <= words
