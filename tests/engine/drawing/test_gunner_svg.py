from __future__ import annotations

import xml.etree.ElementTree as ET

from engine.drawing.gunner import gunner_view, tyres_hidden
from engine.drawing.gunner_svg import SIZE, caption_of, gunner_drawing
from engine.drawing.svg import BLOCKED, CLEAR
from tests.engine.drawing.test_gunner import low_block
from tests.engine.tables import block, car, table

NAME = "{http://www.w3.org/2000/svg}"


def scene(name: str = "Wall"):
    return table(
        car("Red", 8, 24), block(name, 20, 26, 2, 3), car("Blue", 36, 24, 90), block("Off", 8, 40, 2, 2)
    )


def drawn(state, **more):
    return ET.fromstring(gunner_drawing(state, gunner_view(state, "Red", "Blue"), **more).text())


def test_names_what_is_seen_and_nothing_else():
    words = [e.text for e in drawn(scene()).iter(f"{NAME}text")]
    assert {"Wall", "Blue"} <= set(words)
    assert "Off" not in words
    assert any(w.startswith("From Red's front left tyre, 0.20 in above the table.") for w in words)


def test_the_hidden_is_dashed_what_hides_is_red_and_what_is_seen_is_green():
    lines = [e.attrib for e in drawn(scene()).iter(f"{NAME}polygon")]
    assert any(e["stroke"] == BLOCKED and e["fill"] == "none" for e in lines)
    assert any(e["stroke"] == CLEAR for e in lines)
    assert any("stroke-dasharray" in e for e in lines)


def test_everything_stays_in_the_picture():
    root = drawn(scene())
    for node in root.iter(f"{NAME}polygon"):
        for pair in node.attrib["points"].split():
            x, y = map(float, pair.split(","))
            assert -0.01 <= x <= SIZE[0] + 0.01
            assert -0.01 <= y <= SIZE[1] + 0.01


def test_names_are_only_ever_text():
    root = drawn(scene("<script>"))
    assert "<script>" in [e.text for e in root.iter(f"{NAME}text")]
    assert not list(root.iter(f"{NAME}script"))


def test_says_where_the_book_counts_what_the_eye_overlooks():
    state = table(car("Red", 8, 24), low_block("Puddle", 20, 24, 0.05), car("Blue", 36, 24, 90))
    view = gunner_view(state, "Red", "Blue", "turret")
    assert view.hiders == ()
    assert caption_of(view, ("Puddle",))[1] == "By the book, Puddle blocks the line, however high it is."


def test_speaks_the_readers_unit():
    root = drawn(scene(), say=lambda words: words.replace("0.20 in", "0.5 cm"))
    assert any("0.5 cm above the table" in (e.text or "") for e in root.iter(f"{NAME}text"))


def test_a_narrow_picture_has_its_caption_outside():
    state = scene()
    drawing = gunner_drawing(state, gunner_view(state, "Red", "Blue"), size=(390.0, 312.0))
    root = ET.fromstring(drawing.text())
    title = root.find(f"{NAME}title")
    assert title is not None
    assert title.text == drawing.title
    assert str(title.text).startswith("From Red's front left tyre")
    assert not any("front left tyre" in (e.text or "") for e in root.iter(f"{NAME}text"))
    assert root.attrib["width"] == "390"


def test_the_targets_tyres_are_green_where_they_are_seen_and_red_where_not():
    state = scene()
    view = gunner_view(state, "Red", "Blue")
    hidden = tyres_hidden(state, view)
    assert 0 < sum(map(bool, hidden)) < 4
    dots = [e.attrib["fill"] for e in drawn(state).iter(f"{NAME}circle")]
    assert dots == [BLOCKED if h else CLEAR for h in hidden]
