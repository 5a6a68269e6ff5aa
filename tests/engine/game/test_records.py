from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from engine.errors import TableRefError
from engine.game.records import from_json, to_json, with_defaults, within

Colour = Literal["red", "blue"]


@dataclass(frozen=True, slots=True)
class Wheel:
    at: tuple[float, float]
    flat: bool = False


@dataclass(frozen=True)
class Truck:
    name: str
    colour: Colour
    gear: int
    wheels: tuple[Wheel, ...] = ()
    spare: Wheel | None = None
    load: Mapping[str, Wheel] = field(default_factory=dict)
    step: str | int = 0
    more: Any = None


TRUCK = Truck(
    "Mack",
    "red",
    3,
    (Wheel((0.0, 1.5)), Wheel((2.0, 1.5), flat=True)),
    load={"roof": Wheel((1.0, 1.0))},
    step="high",
    more={"notes": [1, "two"]},
)


def test_what_is_written_as_text_reads_back_the_same():
    assert from_json(Truck, json.loads(json.dumps(to_json(TRUCK)))) == TRUCK
    bare = Truck("Mack", "blue", 1, spare=Wheel((1.0, 2.0)))
    assert from_json(Truck, to_json(bare)) == bare


def test_json_holds_nothing_that_is_shared_with_a_mapping_of_the_record():
    written = to_json(TRUCK)
    written["load"].clear()
    written["more"]["notes"].append(3)
    assert (len(TRUCK.load), TRUCK.more["notes"]) == (1, [1, "two"])


def test_a_field_with_a_default_may_be_missing_and_whole_numbers_are_numbers():
    truck = from_json(Truck, {"name": "Mack", "colour": "red", "gear": 1, "wheels": [{"at": [1, 2]}]})
    assert truck == Truck("Mack", "red", 1, (Wheel((1.0, 2.0)),))
    assert all(type(v) is float for v in truck.wheels[0].at)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": 5}, "truck · name: expected a text but got 5"),
        ({"colour": "green"}, "truck · colour: expected one of red, blue but got 'green'"),
        ({"colour": ["red"]}, "truck · colour: expected one of red, blue but got ['red']"),
        ({"gear": "3"}, "truck · gear: expected a whole number but got '3'"),
        ({"gear": True}, "truck · gear: expected a whole number but got True"),
        ({"gear": 1.0}, "truck · gear: expected a whole number but got 1.0"),
        ({"wheels": "abc"}, "truck · wheels: expected a list but got 'abc'"),
        ({"wheels": [{"at": [1.0]}]}, "truck · wheels · 0 · at: expected a list of 2 but got [1.0]"),
        ({"wheels": [{"at": [1, math.nan]}]}, "truck · wheels · 0 · at · 1: expected a number but got nan"),
        ({"wheels": [{"at": [1, True]}]}, "truck · wheels · 0 · at · 1: expected a number but got True"),
        ({"wheels": [{}]}, "truck · wheels · 0: expected a wheel with at, flat but got {}"),
        ({"spare": 7}, "truck · spare: expected a wheel with at, flat but got 7"),
        (
            {"spare": {"at": [0, 0], "flat": 1}},
            "truck · spare · flat: expected true or false but got 1",
        ),
        ({"load": []}, "truck · load: expected an object but got []"),
        ({"load": {"roof": 1}}, "truck · load · roof: expected a wheel with at, flat but got 1"),
        (
            {"step": None},
            "truck · step: expected a text but got None; "
            "or truck · step: expected a whole number but got None",
        ),
    ],
)
def test_an_error_names_the_path_what_was_expected_and_what_came(changes, message):
    with pytest.raises(TableRefError) as refused:
        from_json(Truck, to_json(TRUCK) | changes, "truck")
    assert str(refused.value) == message


def test_a_field_that_nobody_knows_or_that_is_missing_is_refused():
    for data in (to_json(TRUCK) | {"horn": 1}, {"name": "Mack", "colour": "red"}, "Mack", None):
        with pytest.raises(TableRefError, match=r"^expected a truck with name, colour, gear, wheels, spare"):
            from_json(Truck, data)


def test_what_is_no_record_is_not_written():
    with pytest.raises(TableRefError, match="expected a dataclass or a plain value but got object"):
        to_json({"at": object()})


def test_defaults_with_what_is_given():
    @dataclass(frozen=True)
    class Rules:
        rounds: int = 8
        reach: float = 0.5

        def __post_init__(self):
            within(self, (("rounds", 1, 30), ("reach", 0.0, 1.0)))

    assert with_defaults(Rules, {"reach": 1}) == Rules(8, 1.0)
    with pytest.raises(TableRefError, match="house · rounds: expected a whole number but got 'many'"):
        with_defaults(Rules, {"rounds": "many"}, "house")
    with pytest.raises(TableRefError, match=r"reach: expected 0 to 1 but got 1\.5"):
        with_defaults(Rules, {"reach": 1.5}, "house")
