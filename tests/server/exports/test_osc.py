"""Open Sound Control, read back by another's library."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pythonosc.osc_bundle import OscBundle
from pythonosc.osc_message import OscMessage
from pythonosc.osc_message_builder import OscMessageBuilder

from server.exports import osc

ARGUMENTS = st.lists(
    st.integers(-(2**31), 2**31 - 1)
    | st.floats(width=32, allow_nan=False)
    | st.text(st.characters(min_codepoint=32, max_codepoint=126)),
    max_size=8,
)


@given(arguments=ARGUMENTS)
def test_messages_are_what_the_library_writes_and_reads(arguments: list[str | int | float]) -> None:
    data = osc.message("/tuio/2Dobj", *arguments)
    builder = OscMessageBuilder("/tuio/2Dobj")
    for argument in arguments:
        builder.add_arg(argument, {str: "s", int: "i", float: "f"}[type(argument)])
    assert data == builder.build().dgram
    assert OscMessage(data).params == arguments


def test_a_bundle_holds_its_messages_in_order_to_be_acted_on_at_once() -> None:
    bundle = OscBundle(osc.bundle([osc.message("/a", 1), osc.message("/b", "two"), osc.message("/c")]))
    assert [(m.address, m.params) for m in bundle] == [("/a", [1]), ("/b", ["two"]), ("/c", [])]  # type: ignore[union-attr]
    assert bundle.timestamp == 0


def test_letters_that_osc_has_not_are_replaced() -> None:
    assert OscMessage(osc.message("/name", "Käfer")).params == ["K?fer"]


@pytest.mark.parametrize("length", range(6))
def test_texts_end_with_a_zero_and_fill_up_to_four(length: int) -> None:
    data = osc.message("/a", "x" * length)
    assert len(data) % 4 == 0
    assert data.endswith(b"\0")
