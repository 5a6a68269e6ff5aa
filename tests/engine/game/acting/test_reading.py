"""Fields of actions and set-ups: the right type, or an error that names the field."""

from __future__ import annotations

import pytest

from engine.errors import TableRefError
from engine.game.acting import reading

SAID = {
    "car": " Red 1 ", "to": 3, "far": 2.5, "sure": True, "near": ["a", "b"], "at": [1, 2, 0.5],
    "steps": [{"kind": "turn"}], "none": None,
}  # fmt: skip


def test_what_is_right_is_read():
    assert reading.text(SAID, "car") == "Red 1"
    assert reading.maybe_text(SAID, "none") is None
    assert reading.one_of(SAID, "car", (" Red 1 ",)) == " Red 1 "
    assert reading.whole(SAID, "to") == 3
    assert reading.number(SAID, "far") == 2.5
    assert reading.flag(SAID, "sure")
    assert reading.names(SAID, "near") == ("a", "b")
    assert reading.pose(SAID, "at") == (1.0, 2.0, 0.5)
    assert reading.objects(SAID, "steps") == ({"kind": "turn"},)


@pytest.mark.parametrize(
    ("read", "field"),
    [
        (reading.text, "to"), (reading.text, "missing"), (reading.whole, "far"), (reading.whole, "sure"),
        (reading.number, "car"), (reading.flag, "to"), (reading.names, "at"), (reading.pose, "near"),
        (reading.objects, "near"),
    ],
)  # fmt: skip
def test_what_is_wrong_names_its_field(read, field):
    with pytest.raises(TableRefError, match=f"^{field}: expected"):
        read(SAID, field)


def test_what_is_missing_is_as_usual():
    assert reading.names(SAID, "missing") == ()
    assert reading.pose(SAID, "missing") is None
    assert reading.flag(SAID, "missing", usual=True)
    assert reading.number(SAID, "missing", 4.0) == 4.0


def test_rulings_of_the_players():
    for_all, one = {"ruled": "yes"}, {"ruled": {"Line of Sight": "no"}}
    assert reading.ruled(for_all, "anything") == "yes"
    assert reading.ruled_by_name(for_all, "anything") is None
    assert reading.ruled(one, "Line of Sight") == reading.ruled_by_name(one, "Line of Sight") == "no"
    assert reading.ruled(one, "Forward Arc") is None
    with pytest.raises(TableRefError, match="expected 'yes' or 'no'"):
        reading.ruled({"ruled": "perhaps"}, "anything")


def test_unknown_fields_and_names_are_refused_with_what_was_meant():
    reading.only({"apply": 1}, ("apply", "band"), "shoot")
    with pytest.raises(
        TableRefError, match="shoot has no field 'aply'; expected apply, band; did you mean 'apply'"
    ):
        reading.only({"aply": 1}, ("apply", "band"), "shoot")
    assert reading.known_name("red-1", ("Red 1", "Rock"), "contacts") == "Red 1"
    with pytest.raises(
        TableRefError, match="contacts: nothing is called 'Rok'; there are Red 1, Rock; did you mean 'Rock'"
    ):
        reading.known_name("Rok", ("Red 1", "Rock"), "contacts")
