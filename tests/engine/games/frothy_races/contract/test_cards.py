"""The driving licence as a card: its table, its tracks and their markers, as built and as the race stands."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.game.showing import Edge, PlayCard
from engine.games.frothy_races.book.building import OWN
from engine.games.frothy_races.book.licences import LICENCES
from engine.games.frothy_races.book.speeds import Marker, accelerated, decelerated
from engine.games.frothy_races.contract.cards import cards, previews
from tests.engine.games.frothy_races.playing import begun, vehicle


def edge(card: PlayCard, side: str) -> Edge:
    (found,) = (one for one in card.edges if one.side == side)
    return found


def card_at(name: str, **fields: int) -> PlayCard:
    state = begun(vehicle("Red 1", name), vehicle("Black 1")).state
    (found, _) = cards(state.with_vehicle("Red 1", **fields))
    return found


def test_the_table_has_every_row_of_the_licence() -> None:
    table = card_at("Steamer").table
    assert table is not None
    assert table.columns == tuple("0123456")
    rows = {row.words: row.cells or row.boxes for row in table.rows}
    lic = LICENCES["Steamer"]
    assert rows["Acceleration"] == lic.acceleration
    assert rows["Deceleration"] == lic.deceleration
    assert rows["Move 2"] == ("0", "1", "1", "2", "1", "3", "6")
    assert rows["Total"] == ("0", "2", "4", "6", "8", "10", "12")
    assert rows["Control dice"] == ("Safe", "Safe", "Safe", "1", "2", "3", "5")
    assert rows["Stamina"] == ("+3", "+2", "+1", "+1", "0", "−2", "−4")


@pytest.mark.parametrize("name", LICENCES)
def test_one_clip_marks_both_boxes_wherever_the_marker_comes_to_stand(name: str) -> None:
    lic = LICENCES[name]
    markers, new = {Marker(0, 0, 0)}, [Marker(0, 0, 0)]
    while new:
        one = new.pop()
        for boxes in range(1, 7):
            for after in (accelerated(lic, one, boxes)[0], decelerated(lic, one, boxes)):
                if after not in markers:
                    markers.add(after)
                    new.append(after)
    assert len(markers) > sum(lic.acceleration) - 1
    for speed, box, brake in markers:
        table = card_at(name, speed=speed, box=box, brake=brake).table
        assert table is not None
        assert table.at is not None
        inside = table.at - speed
        assert box / lic.acceleration[speed] < inside < (box + 1) / lic.acceleration[speed]
        assert brake / lic.deceleration[speed] < inside < (brake + 1) / lic.deceleration[speed]


def test_the_tracks_are_marked_where_the_race_stands() -> None:
    card = card_at("War Beast", damage=3, stamina=8, control=12)
    damage, stamina, control = (edge(card, side) for side in ("left", "right", "bottom"))
    assert damage.steps == tuple("012345")
    assert damage.steps[damage.at] == "3"
    assert damage.notes[2] == "+1 Control / Round"
    assert damage.notes[-1] == "Wipe-Out"
    assert stamina.steps[stamina.at] == "8"
    assert stamina.notes[stamina.at] == "+1 Reins / Speed Check"
    assert control.steps[control.at] == "2"
    assert card.lines[0].text == "2"


def test_what_lies_open_stands_on_the_card_and_no_hand() -> None:
    match = begun()
    v = match.state.vehicle("Red 1")
    spent = (replace(v.cards[0], where="spent"), *v.cards[1:])
    (card, _) = cards(match.state.with_vehicle("Red 1", cards=spent))
    lines = {line.words: line.text for line in card.lines}
    assert lines["Spent"] == "Whip 1"
    assert lines["Recovery"] == "none"
    assert not any("Whip 2" in text for text in lines.values())


def test_a_build_shows_what_it_uses_and_what_is_against_it() -> None:
    said = {"name": "Red 1", "type": OWN, "base": "Racer", "whip": 9, "move_1": [0, 1, 1, 2, 2, 2, 6]}
    (card,) = previews({"pieces": [said]})
    assert [fact.words for fact in card.facts] == ["16 of 12", "3 of 4", "15 of 12", "6 of 6"]
    assert card.wrong[0] == "16 cards: expected 4 to 12"
    assert card.table is not None
    assert {row.words: row.cells for row in card.table.rows}["Move 1"][6] == "6"
    assert edge(card, "bottom").at == 1


def test_what_is_dealt_is_shown_and_an_unknown_answer_is_not() -> None:
    pieces = [{"name": "Red 1"}, {"name": "Black 1", "type": OWN, "traits": ["Wings"]}, {"name": "Blue 1"}]
    assert [(card.piece, card.more) for card in previews({"pieces": pieces})] == [
        ("Red 1", "Chariot"),
        ("Blue 1", "Steamer"),
    ]
