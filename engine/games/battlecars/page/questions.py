"""What can be asked of the board: whether a vehicle is on a line of fire of another, and the range."""

from __future__ import annotations

from engine.errors import TableRefError
from engine.game.contract import Question
from engine.game.showing import Mark
from engine.games.battlecars.book.data import cite
from engine.games.battlecars.rules.aims import Aim, aims
from engine.games.battlecars.rules.lines import along
from engine.games.battlecars.rules.shots import FIRING
from engine.games.battlecars.state.game_state import GameState, Vehicle
from engine.ruling import Belief, Measurement, Ruling, make_check
from engine.space.table import TableState, key_of

SHOT = "shot"
RANGE = cite("Game Turn", "Calculate Range")


def questions(state: GameState | None, picked: tuple[str, ...]) -> tuple[Question, ...]:
    """The line of fire from the first vehicle to the second."""
    if state is None or state.kept is None:
        return ()
    if len(picked) > 1:
        words = f"Is {picked[1]} the nearest on a line of fire from {picked[0]}?"
        return (Question(SHOT, words, picked[:2], {}, "Line of fire"),)
    missing = "the target" if picked else "the vehicle that fires, then the target"
    words = f"What may {picked[0]} fire at?" if picked else "What may be fired at?"
    return (Question(SHOT, words, picked, {}, "Line of fire", missing=missing),)


def rule(state: GameState | None, question: Question, table: TableState) -> Ruling:
    """Whether a Pod or Turret has the target as the nearest on one of its lines, and the range in points."""
    if question.kind != SHOT or state is None:
        raise TableRefError(f"expected a question of the kind {SHOT!r} in a match but got {question.kind!r}")
    if len(question.pieces) < 2:
        raise TableRefError(
            f"expected two vehicles but got {', '.join(question.pieces) or 'none'}; name both"
        )
    one, other = state.vehicle(question.pieces[0]), state.vehicle(question.pieces[1])
    found = [aim for aim in aims(state, one) if key_of(aim.target.name) == key_of(other.name)]
    sure = Measurement(Belief(float(len(found)), 0.0), "").at_least(1.0)
    words = _words(state, one, other, found)
    check = make_check("Nearest Target on a Line", sure, citation=FIRING if found else RANGE, words=words)
    return Ruling(question.words, table.time, one.name, other.name, (check,), "fire")


def _words(state: GameState, one: Vehicle, other: Vehicle, found: list[Aim]) -> str:
    if found:
        return "; ".join(f"{aim.mount}, {aim.weapon.name}, range {aim.target.range}" for aim in found)
    if one.cell is None or other.cell is None:
        return "one of them is not on the board"
    facing = state.board.facing_to(one.cell, other.cell)
    if facing is None:
        return "no line joins them"
    line = along(state, one.cell, facing, bike=one.bike)
    if line.nearest is not None and key_of(line.nearest.name) == key_of(other.name):
        return "no loaded Pod or Turret fires along that line"
    return f"on that line stands first: {line.nearest.name if line.nearest else line.ends}"


def reach(state: GameState | None, question: Question) -> tuple[Mark, ...]:
    """The lines of fire of the first vehicle."""
    if state is None or question.kind != SHOT or not question.pieces:
        return ()
    if not any(key_of(v.name) == key_of(question.pieces[0]) for v in state.vehicles):
        return ()
    vehicle = state.vehicle(question.pieces[0])
    if vehicle.cell is None:
        return ()
    start = state.board.pose_of(vehicle.cell)
    found = []
    for aim in aims(state, vehicle):
        end = state.board.pose_of(aim.target.cell)
        ends = ((round(start.x, 3), round(start.y, 3)), (round(end.x, 3), round(end.y, 3)))
        found.append(Mark("line", "sight", ends, aim.target.name, piece=vehicle.name))
    return tuple(found)
