"""Circuits of one's own: the written form of a circuit is that circuit; what is wrong is said in words."""

from __future__ import annotations

import pytest

from engine.boards.laying import Laid
from engine.errors import TableRefError
from engine.games.frothy_races.book.circuits import CIRCUITS, Circuit
from engine.games.frothy_races.book.laying import _touching, attempt, circuit_of
from engine.games.frothy_races.contract.set_up import set_up
from engine.games.frothy_races.maps import LAYING
from tests.engine.games.frothy_races.playing import begun, do

OVAL = "Sunday: 2 short straight, 3 left bend, 2 straight, 3 left bend, start grid"


def written(circuit: Circuit) -> str:
    board = circuit.board()
    lying = (("hazard", circuit.hazards), ("solid", circuit.solid), ("fragile", circuit.fragile))
    parts = [f"{sort} {' '.join(map(board.name_of, cells))}" for sort, cells in lying if cells]
    return "; ".join([f"Copy: {', '.join(circuit.pieces)}", *parts])


@pytest.mark.parametrize("circuit", CIRCUITS, ids=lambda c: c.id)
def test_the_written_form_of_a_circuit_is_that_circuit(circuit: Circuit) -> None:
    again = circuit_of(written(circuit))
    for field in ("pieces", "lanes", "start", "finish", "hazards", "solid", "fragile"):
        assert getattr(again, field) == getattr(circuit, field), field
    assert again.words == "Copy"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (": straight", "expected a name of 1 to 40 letters"),
        ("Sunday:", "no piece lies yet"),
        ("Sunday: short straight", "one row of hexes is no track yet"),
        ("Sunday: hairpin, start grid", "no piece 'hairpin': expected one of straight, short straight"),
        ("Sunday: 61 straight", "61 pieces: expected 60 at most"),
        ("Sunday: 6 left bend, start grid", "piece 7, start grid, runs over what lies already"),
        ("Sunday: 3 left bend, 2 straight", "expected one start grid, as the last piece"),
        ("Sunday: straight, 3 left bend, start grid", "it turns by 180° to the left in all"),
        ("Sunday: straight, right bend, start grid", "it turns by −60° to the left in all"),
        (
            "Sunday: 3 right bend, 2 straight, 2 short straight, 3 right bend, 2 straight",
            "it runs clockwise, its first lane outside",
        ),
        (
            "Sunday: straight, 3 left bend, 3 straight, 3 left bend, start grid",
            "it does not close: its end is 2 hexes from its beginning, which lies 2 to the right",
        ),
        (f"{OVAL}; swamp 1.2", "no obstacle 'swamp': expected one of hazard, fragile, solid"),
        (f"{OVAL}; hazard 9.9", "no hex '9.9' for a hazard obstacle: expected lane and place"),
        (f"{OVAL}; hazard 1.2; solid 1.2", "two obstacles lie on 1.2"),
        (f"{OVAL}; solid 1.28", "an obstacle lies on 1.28, on the start grid"),
        (f"{OVAL}; solid 1.2 2.2 3.2 4.2", "solid obstacles leave no way round"),
    ],
)
def test_what_is_wrong_is_said_in_words(text: str, words: str) -> None:
    found = attempt(text).wrong
    assert any(words in one for one in found), found
    with pytest.raises(TableRefError):
        circuit_of(text)


def test_three_of_four_lanes_may_be_closed() -> None:
    assert attempt(f"{OVAL}; solid 1.2 2.2 3.2").wrong == ()


def test_two_parts_that_lie_side_by_side_are_told() -> None:
    there = [(q, 0) for q in range(9)]
    back = [(8, 1), *((q, 2) for q in range(7, 4, -1)), *((q, 2) for q in range(4, -2, -1)), (-1, 1)]
    apart, dent = (*there, *back), (*there, *back[:4], (5, 1), *back[4:])
    for lane, touches in ((apart, False), (dent, True)):
        found = _touching(Laid((lane,), (), (), (0, 0), 0))
        assert bool(found) is touches, found
    assert "two parts of the track touch at 1." in found[0]


def test_an_unknown_circuit_names_those_there_are() -> None:
    with pytest.raises(TableRefError, match="no circuit 'moon'; expected one of oval, chicane, long, or one"):
        circuit_of("moon")


def test_it_is_offered_in_the_set_up_and_raced_on() -> None:
    people = {
        "players": ["Red", "Black"],
        "pieces": [{"name": "R", "owner": "Red"}, {"name": "B", "owner": "Black"}],
    }
    broken = "Monday: straight"
    picks = set_up({**people, "laid": [OVAL, broken]}).game.fields["circuit"].candidates  # type: ignore[union-attr]
    assert [c.words for c in picks] == ["Oval", "Chicane", "Long circuit", "Sunday"]
    chosen = set_up({**people, "circuit": OVAL})
    assert chosen.not_yet == ()
    assert chosen.game.fields["circuit"].candidates[-1].value == OVAL  # type: ignore[union-attr]
    assert "it turns by 0°" in set_up({**people, "circuit": broken}).not_yet[0].words
    match = begun(circuit=f"{OVAL}; hazard 1.5")
    do(match, "start", [5, 2])
    assert match.state.board.lanes == circuit_of(OVAL).lanes
    assert [o.name for o in match.state.obstacles] == ["Hazard 1"]
    assert "on Sunday" in match.log[0].words


def test_what_lies_is_shown_while_it_is_laid() -> None:
    found = LAYING.look("Sunday: 3 left bend, straight; solid 1.2", 1.5)
    assert found.pieces == ("left bend",) * 3 + ("straight",)
    assert [(cell.name, cell.words) for cell in found.cells if cell.words] == [("1.2", "solid")]
    assert found.picture is not None
    assert len({cell.name for cell in found.cells}) == len(found.cells) > 30
    assert found.wrong
    assert LAYING.look(LAYING.beginning, 1.0).picture is not None
    assert LAYING.look("Sunday:", 1.0).picture is None
