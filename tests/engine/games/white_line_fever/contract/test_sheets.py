"""Record sheets, and how they are overruled."""

from __future__ import annotations

from engine.game.showing import Counter, Track, Viewer, Words
from tests.engine.games.white_line_fever.playing import GAME, begun, do, drive, sheet

ANYBODY = Viewer()


def test_a_record_sheet_can_be_overruled_by_every_widget():
    match = begun(sheet("Red 1", "Red", "Mark 9 Javelin", "Oil", "Mule", speed=4), sheet("Blue 1", "Blue"))
    drive(match, "Red 1")
    do(match, "shoot", (3,), weapon="Mark 9 Javelin", target="Blue 1", band="maximum")
    red, _ = GAME.sheets(match.state, ANYBODY)
    assert (red.title, red.owner, red.summary, red.note) == ("Red 1", "Red", "Speed 4 · 24 armour", "")
    assert red.more == "Mule: 4 more armour boxes at the start of its track"
    gun, oil, speed, armour, tokens, fate = red.widgets
    assert isinstance(gun, Words)
    assert (gun.text, gun.more, gun.used) == ("Mark 9 Javelin", "9 damage, 4/12″, once per game", True)
    assert isinstance(oil, Words)
    assert not oil.used
    assert isinstance(speed, Counter)
    assert (speed.value, speed.low, speed.high) == (4, 1, 6)
    assert isinstance(armour, Track)
    assert [k for k, box in enumerate(armour.boxes, 1) if box.big] == [9, 14, 19]
    assert [k for k, box in enumerate(armour.boxes, 1) if box.ends] == [4, 9, 14, 19, 24]
    assert isinstance(tokens, Counter)
    assert isinstance(fate, Words)
    assert (fate.text, [c.value for c in fate.choices]) == ("in play", ["driving", "wreck", "removed"])
    for widget, value in ((speed, 2), (armour, 9), (tokens, 1), (fate, "wreck")):
        match.overrule(widget.path, value, "marked by hand")
    red, _ = GAME.sheets(match.state, ANYBODY)
    assert (red.out, red.note) == (True, "destroyed")
    _, _, speed, armour, tokens, fate = red.widgets
    assert (speed.value, speed.high, tokens.value, fate.text) == (2, 5, 1, "destroyed: an obstacle")
    assert sum(box.marked for box in armour.boxes) == 9


def test_an_essence_reads_nothing_on_its_big_boxes():
    match = begun(sheet("Red 1", "Red", brand="Essence"), sheet("Blue 1", "Blue"))
    words = [{b.words for b in s.widgets[3].boxes if b.big} for s in GAME.sheets(match.state, ANYBODY)]
    assert words == [{""}, {"costs 1 maximum Speed"}]
