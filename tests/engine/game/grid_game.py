"""A race from point to point, the smallest game on a board with cells.

In turn each car moves to a neighbouring point: which one is said, or taken from where the camera sees it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from engine.boards.board import place_words
from engine.boards.points import Points
from engine.game.contract import About, Game, Option
from engine.game.events import Event, Reason
from engine.game.forms import Candidate, Form, PathOnTable, Pick, SetUpForm
from engine.game.kit.actions import Rule
from engine.game.kit.events import Events
from engine.game.kit.states import States
from engine.game.showing import Awaited, Ghost, Place, Sheet, Status, Words

BOOK = "Point Race 1"
RULE = f"{BOOK} · Moving"
OWN = Points(8, 5, 3.0)
TURNS = 12


@dataclass(frozen=True)
class Car:
    """A car on its point."""

    name: str
    owner: str
    cell: tuple[int, int] = (0, 0)
    facing: int = 0


@dataclass(frozen=True)
class Race:
    """Where the cars stand, and how often one has moved."""

    cars: tuple[Car, ...] = ()
    turn: int = 0

    @property
    def car(self) -> Car:
        """The one that moves now."""
        return self.cars[self.turn % len(self.cars)]


EVENTS = Events[Race]("Point Race", pieces=("car",))


@EVENTS.on("begin")
def begun(_state, data):
    """They stand side by side."""
    return Race(tuple(Car(**{**car, "cell": tuple(car["cell"])}) for car in data["cars"]))


@EVENTS.on("stepped")
def stepped(state, data):
    """One has moved, and it is the other's turn."""
    moved = replace(state.car, cell=tuple(data["cell"]), facing=data["facing"])
    return Race(tuple(moved if car == state.car else car for car in state.cars), state.turn + 1)


def board(state, table_board):
    """The table's, or the book's own where the table has no points."""
    return table_board if isinstance(table_board, Points) else OWN


def setup(so_far):
    """One car each."""
    owners = [piece["owner"] for piece in so_far.get("pieces", ())]
    two = sorted(owners) == sorted(so_far.get("players", ()))
    return SetUpForm(not_yet=() if two else (Reason("each player has one car", RULE),))


def begin(setup):
    """They stand side by side."""
    cars = [{"name": p["name"], "owner": p["owner"], "cell": [0, k]} for k, p in enumerate(setup["pieces"])]
    return (Event("begin", {"cars": cars}, "The race begins", RULE),)


def offers(state, seen):
    """To a neighbouring point that is free, or as the camera saw the car go."""
    if state.turn >= TURNS:
        return ()
    car, on = state.car, board(state, seen.board)
    ways = Pick(
        words="To",
        candidates=tuple(
            Candidate(f, on.name_of(there), not_now=refused(state, there))
            for f in range(on.facings)
            if (there := on.step(car.cell, f)) is not None
        ),
    )
    said = Option("step", car.owner, "Move", form=Form({"facing": ways}), piece=car.name, citation=RULE)
    driven = Form({"move": PathOnTable(words="As driven", piece=car.name)})
    here = [m for m in seen.moves.values() if m.piece == car.name]
    return (said, replace(said, kind="driven", form=driven)) if here else (said,)


def refused(state, cell):
    """Why a car may not move there."""
    taken = any(car.cell == cell for car in state.cars)
    return (Reason("another car stands there", RULE),) if taken else ()


def ends(state, action, seen):
    """The board, and on which of its points the move ended."""
    on = board(state, seen.board)
    return on, on.snap(seen.moves[action.data["move"]].after)


def as_seen(state, action, seen):
    """What the camera saw has to end surely on a neighbouring, free point."""
    if action.kind != "driven":
        return action, ()
    on, snap = ends(state, action, seen)
    if snap.where != "cell":
        words = f"{state.car.name} stands {place_words(on, snap)}: say which it is, or put it right"
        return action, (Reason(words, RULE, open=snap.where == "between"),)
    if snap.cell not in on.neighbours(state.car.cell):
        return action, (Reason(f"{on.name_of(snap.cell)} is more than one step away", RULE),)
    return action, refused(state, snap.cell)


def do_step(play, action):
    """The car is on its new point, where it was said or seen to go."""
    state, seen = play.state, play.seen
    on, car = board(state, seen.board), state.car
    if action.kind == "driven":
        snap = ends(state, action, seen)[1]
        cell, facing = snap.cell, snap.facing
    else:
        facing = action.data["facing"]
        cell = on.step(car.cell, facing)
    words = f"{car.name} moves to {on.name_of(cell)}"
    play.tell("stepped", words, RULE, car=car.name, cell=list(cell), facing=facing)


def awaits(state):
    """The car whose turn it is."""
    car = state.car
    return () if state.turn >= TURNS else (Awaited(car.name, "driven", car.owner, f"turn {state.turn}"),)


def ghosts(state, seen):
    """Each car on its point."""
    on = board(state, seen.board)
    standing = {} if seen.table is None else {s.name: s for s in seen.table.standings}
    found = []
    for car in state.cars:
        here, right = standing.get(car.name), None
        if here is not None:
            snap = on.snap(here)
            right = (snap.where, snap.cell, snap.facing) == ("cell", car.cell, car.facing)
        pose = on.pose_of(car.cell, car.facing)
        words = f"put {car.name} on {on.name_of(car.cell)}"
        found.append(Ghost(car.name, (pose.x, pose.y, pose.heading), words, RULE, right))
    return tuple(found)


def status(state, viewer):
    """Whose turn it is."""
    order = tuple(Place(car.owner, current=car == state.car) for car in state.cars)
    return Status(f"Turn {state.turn + 1}", f"{state.car.owner} moves", order=order, over=state.turn >= TURNS)


def sheets(state, viewer):
    """On which point each car is."""
    return tuple(
        Sheet(c.name, c.owner, (Words(words="Point", text=OWN.name_of(c.cell)),), piece=c.name)
        for c in state.cars
    )


GAME = Game(
    about=About("point_race", "Point Race", BOOK, "1", ("Moving",), players=(2, 2), boards=("points",)),
    states=States(Race),
    events=EVENTS,
    rules={"step": Rule(do_step, "step", BOOK), "driven": Rule(do_step, "driven", BOOK)},
    setup=setup,
    begin=begin,
    offers=offers,
    as_seen=as_seen,
    board=board,
    awaits=awaits,
    ghosts=ghosts,
    status=status,
    sheets=sheets,
)
SETUP: dict[str, Any] = {
    "players": ["Ann", "Bob"],
    "pieces": [{"name": "Red 1", "owner": "Ann"}, {"name": "Blue 1", "owner": "Bob"}],
}
