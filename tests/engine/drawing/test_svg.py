from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from engine.drawing.svg import Drawing, table_drawing
from engine.measure import distances
from engine.space.geometry import Region
from tests.engine.tables import SURFACE, block, car

NAME = "{http://www.w3.org/2000/svg}"


def test_a_table_is_drawn_to_scale_the_right_way_up():
    red, crate = car("Red", 10, 40), block("Crate", 20, 20, 2, 4)
    drawing = table_drawing(SURFACE, [red, crate], scale=10)
    drawing.measurement(distances.edge_range(red, crate), "gap")
    root = ET.fromstring(drawing.text())
    assert root.attrib["viewBox"] == "0 0 480 480"
    names = [e.text for e in root.iter(f"{NAME}title")]
    assert names == ["Red", "Crate"]
    square = next(
        e for e in root.iter(f"{NAME}polygon") if e.find(f"{NAME}title") is not None and e[0].text == "Crate"
    )
    corners = {tuple(map(float, p.split(","))) for p in square.attrib["points"].split()}
    assert corners == {(190, 260), (210, 260), (210, 300), (190, 300)}
    assert len(list(root.iter(f"{NAME}circle"))) == 4 + 2


@pytest.mark.parametrize("name", ["<script>", "a & b", 'quote " here'])
def test_names_are_only_ever_text(name):
    root = ET.fromstring(table_drawing(SURFACE, [car(name, 10, 10)]).text())
    assert name in [e.text for e in root.iter(f"{NAME}text")]
    assert not list(root.iter(f"{NAME}script"))


def test_the_same_shapes_give_the_same_text():
    texts = {table_drawing(SURFACE, [car("Red", 10, 10, 33)]).text() for _ in range(2)}
    assert len(texts) == 1


def test_a_measurement_without_a_line_draws_nothing():
    drawing = Drawing(Region.rectangle(0, 0, 1, 1))
    drawing.measurement(distances.Measurement(distances.Belief(1.0, 0.0)), "words")
    assert drawing.shapes == []
