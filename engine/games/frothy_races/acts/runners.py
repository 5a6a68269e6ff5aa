"""Runners of a Scoring race: they cross the track a space a movement phase, and score who runs them over."""

from __future__ import annotations

from engine.boards.board import Cell
from engine.game.about import house
from engine.game.dice import Want
from engine.games.frothy_races.book.data import cite
from engine.games.frothy_races.rules.moves import beside
from engine.games.frothy_races.rules.order import gained
from engine.games.frothy_races.state.fold import Play
from engine.games.frothy_races.state.game_state import GameState, Task

RUNNERS = cite("Race Types", "Scoring")
WHERE = house("Where runners start")


def starts(play: Play, task: Task) -> None:
    """A D6 is the sixth of the track, a D6 its side: 1 to 3 inside (house default)."""
    state = play.state
    wants = [Want(6, why, by=play.vehicle(task.vehicle).owner) for why in ("sixth of the track", "side")]
    sixth, side = (roll.value for roll in play.rolls(wants, WHERE, ()))
    inside = side <= 3
    lane = state.board.edge(inside=inside)
    first = round((sixth - 0.5) * len(lane) / 6)
    for k in range(len(lane)):
        cell = lane[(first + k) % len(lane)]
        if _free(state, cell) and crossings(state, cell, inside=inside):
            break
    else:
        return
    name = f"Runner {state.runners + 1}"
    play.tell(
        "laid", f"{name} starts on {state.board.name_of(cell)}", RUNNERS, obstacle=name, sort="fragile",
        cell=list(cell), worth=state.rules.for_runner, vehicle="", heading=across(state, cell, inside=inside),
    )  # fmt: skip


def crossings(state: GameState, cell: Cell, *, inside: bool) -> list[int]:
    """The ways to the next lane, 0 to 10; none where a track is one hex wide."""
    board = state.board
    lane = board.lane_of(cell) + (1 if inside else -1)
    ways = [w for w in range(0, 12, 2) if board.holds(beside(cell, w))]
    return [w for w in ways if board.lane_of(beside(cell, w)) == lane]


def across(state: GameState, cell: Cell, *, inside: bool) -> int:
    """The way to the next lane that leads least along the track, 0 to 10."""
    there = crossings(state, cell, inside=inside)
    return min(there, key=lambda w: (round(abs(gained(state, cell, beside(cell, w))), 6), w))


def _free(state: GameState, cell: Cell) -> bool:
    return state.at(cell) is None and not any(o.cell == cell for o in state.obstacles)


def run_on(play: Play) -> None:
    """Each runner a space straight on; it waits for a hex that is taken, and leaves the track at its edge."""
    for one in play.state.obstacles:
        if one.heading is None:
            continue
        there = beside(one.cell, one.heading)
        if not play.state.board.holds(there):
            words = f"{one.name} has reached the other side"
            play.tell("removed", words, RUNNERS, obstacle=one.name, vehicle="")
        elif _free(play.state, there):
            words = f"{one.name} runs to {play.state.board.name_of(there)}"
            play.tell("ran", words, RUNNERS, obstacle=one.name, cell=list(there))
