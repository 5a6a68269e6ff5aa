"""What can be asked of two vehicles: who is in front, on which side one stands, what may be reached.

Answered from where the camera has them: every hex and facing that it leaves open counts with its odds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from engine.boards.board import Cell, Rival
from engine.boards.hexes import distance, front_first
from engine.boards.spots import odds_of
from engine.errors import TableRefError
from engine.game.contract import Question
from engine.game.kit.table import standing_of
from engine.game.showing import Mark
from engine.games.frothy_races.acts.attacking import ATTACKS
from engine.games.frothy_races.acts.moving import MOVEMENT
from engine.games.frothy_races.acts.rounds import INITIATIVE
from engine.games.frothy_races.book.data import PHASES
from engine.games.frothy_races.page.guide import hexagon
from engine.games.frothy_races.rules.moves import arc_of, beside, ways
from engine.games.frothy_races.state.game_state import GameState, Turn, Vehicle
from engine.ruling import Belief, Measurement, Ruling, make_check, many
from engine.space.table import TableState, key_of

LEVEL = 0.05
"""Less of a space than this is none: the inside decides."""

NO_SPACES = "it has no spaces to move"


class Answer(NamedTuple):
    """What is so where two vehicles stand for sure, None where it cannot be said, and in words why."""

    right: bool | None
    words: str


class Asked(NamedTuple):
    """A kind of question: `words` of the two, what it is called, where the book has it, and its answer."""

    words: str
    label: str
    citation: str
    answer: Callable[[GameState, Vehicle, Vehicle], Answer]


def questions(state: GameState | None, picked: tuple[str, ...]) -> tuple[Question, ...]:
    """What may be asked of the first vehicle and the second, or of one before the other is picked."""
    if state is None or state.track is None or state.over:
        return ()
    known = {key_of(v.name): v for v in state.vehicles if v.here}
    if any(key_of(name) not in known for name in picked[:2]):
        return ()
    two = [known[key_of(name)].name for name in picked[:2]]
    missing = ("", "the other vehicle", "two vehicles")[2 - len(two)]
    named = [*two, "another" if two else "one", "another"]
    return tuple(
        Question(kind, one.words.format(*named), tuple(two), {}, one.label, missing=missing)
        for kind, one in ASKED.items()
    )


def rule(state: GameState | None, question: Question, table: TableState) -> Ruling:
    """The answer with the odds of every hex and facing on which the two may stand."""
    if state is None or state.track is None or question.kind not in ASKED:
        raise TableRefError(f"expected {', '.join(ASKED)} in a race but got {question.kind!r}")
    if len(question.pieces) < 2:
        raise TableRefError(
            f"expected two vehicles but got {', '.join(question.pieces) or 'none'}; name both"
        )
    one, other = (state.vehicle(name) for name in question.pieces[:2])
    for v in (one, other):
        if not v.here:
            raise TableRefError(f"{v.name} is not on the track: ask of two that are")
    asked = ASKED[question.kind]
    ones, others = _stands(state, one, table), _stands(state, other, table)
    likely, share, yes, no = Answer(None, ""), 0.0, 0.0, 0.0
    for here in ones:
        for there in others:
            odds = here.probability * there.probability
            found = _standing(state, one, here, other, there, asked)
            yes += odds if found.right is True else 0.0
            no += odds if found.right is False else 0.0
            if odds > share:
                likely, share = found, odds
    # Where one may stand beside the track, nothing is said of that share: it can be neither a yes nor a no.
    yes = max(0.0, min(max(0.5, yes), 1.0 - no))
    number = float(yes > 0.5)
    held = Measurement(Belief(number, 0.0), "", limit=1.0, margin=number - 1.0, p_yes=yes)
    check = make_check(asked.label, held, citation=asked.citation, words=likely.words)
    return Ruling(question.words, table.time, one.name, other.name, (check,))


def _stands(state: GameState, v: Vehicle, table: TableState) -> list[Rival]:
    """Where a vehicle may stand, None beside the track: as the camera has it, else as the race has it."""
    seen = standing_of(table, v.name)
    if seen is None:
        assert v.cell is not None
        return [Rival(v.cell, v.facing, 1.0)]
    return odds_of(state.board.snap(seen))


def _standing(
    state: GameState, one: Vehicle, here: Rival, other: Vehicle, there: Rival, asked: Asked
) -> Answer:
    """The answer where the two stand so."""
    for v, where in ((one, here), (other, there)):
        if where.cell is None or where.facing is None:
            return Answer(None, f"{v.name} is seen beside the track")
    assert here.cell is not None
    if here.cell == there.cell:
        return Answer(False, f"both on {state.board.name_of(here.cell)}")
    now = state.with_vehicle(one.name, cell=here.cell, facing=here.facing)
    now = now.with_vehicle(other.name, cell=there.cell, facing=there.facing)
    return asked.answer(now, now.vehicle(one.name), now.vehicle(other.name))


def _between(one: Cell, other: Cell) -> str:
    count = distance(one, other) - 1
    return "side by side" if count == 0 else f"{count} hex{'es' * (count != 1)} between"


def _front(state: GameState, one: Vehicle, other: Vehicle) -> Answer:
    assert one.cell is not None
    assert other.cell is not None
    there = {v.name: v.cell for v in state.vehicles if v.here and v.cell is not None}
    first = next(name for name in front_first(state.board, there) if name in (one.name, other.name))
    lane = len(state.board.middle)
    gap = (state.board.progress(one.cell) - state.board.progress(other.cell) + 0.5) % 1.0 - 0.5
    spaces = abs(gap) * lane
    apart = f"{spaces:.1f} spaces of the middle lane apart along the track"
    if spaces < LEVEL:
        apart = "level along the track, on its inside"
    return Answer(first == one.name, f"{first} is in front, {apart}; {_between(one.cell, other.cell)}")


def _side(state: GameState, one: Vehicle, other: Vehicle) -> Answer:  # noqa: ARG001
    assert one.cell is not None
    assert other.cell is not None
    for way in range(0, 12, 2):
        if beside(one.cell, way) == other.cell:
            arc = arc_of(one.facing, way)
            where = {"front": "in front of", "side": "to the side of", "rear": "behind"}[arc]
            return Answer(arc == "side", f"{other.name} is {where} {one.name}")
    return Answer(False, f"not beside it: {_between(one.cell, other.cell)}")


def _reaches(state: GameState, one: Vehicle, other: Vehicle) -> Answer:
    assert one.cell is not None
    assert other.cell is not None
    turn = _turn(state, one)
    if turn is None:
        return Answer(False, NO_SPACES)
    into = next((w for w in ways(state, one, turn, turn.left) if w.into == other.name), None)
    words = f"with {many(turn.left, 'space')}; {_between(one.cell, other.cell)}"
    if into is None:
        return Answer(False, f"no way leads into {other.name} {words}")
    return Answer(True, f"space {len(into.cells) + 1} may lead into {other.name} {words}")


def _turn(state: GameState, v: Vehicle) -> Turn | None:
    """The spaces that it has left in its turn, else those of this phase, or of the next one to come."""
    turn = state.turn
    if turn is not None and turn.vehicle == v.name:
        return turn if turn.left and not turn.lost else None
    if not v.races:
        return None
    phase = state.step if state.phase == "move" else 1
    if v.moved and state.phase == "move":
        phase += 1
    spaces = v.licence.spaces(phase, v.speed) if phase <= PHASES else 0
    return Turn(v.name, spaces) if spaces else None


ASKED: Mapping[str, Asked] = MappingProxyType(
    {
        "front": Asked("Is {0} in front of {1}?", "In front", INITIATIVE, _front),
        "side": Asked("Does {1} stand to the side of {0}?", "To the side", ATTACKS, _side),
        "reach": Asked("May {0} move into {1}?", "Within reach", MOVEMENT, _reaches),
    }
)
"""Every kind of question."""


def reach(state: GameState | None, question: Question) -> tuple[Mark, ...]:
    """The hexes to which the first vehicle may go, or those to its side."""
    if state is None or state.track is None or not question.pieces or question.kind == "front":
        return ()
    v = next((o for o in state.vehicles if key_of(o.name) == key_of(question.pieces[0]) and o.here), None)
    if v is None:
        return ()
    cells = dict.fromkeys(_sides(v) if question.kind == "side" else _goes(state, v))
    return tuple(
        Mark("polygon", "reach", hexagon(state, cell), piece=v.name)
        for cell in cells
        if state.board.holds(cell)
    )


def _sides(v: Vehicle) -> Iterator[Cell]:
    assert v.cell is not None
    for way in range(0, 12, 2):
        if arc_of(v.facing, way) == "side":
            yield beside(v.cell, way)


def _goes(state: GameState, v: Vehicle) -> Iterator[Cell]:
    turn = _turn(state, v)
    for way in ways(state, v, turn, turn.left) if turn else ():
        yield from way.cells
