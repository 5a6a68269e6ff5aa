"""A race from point to point, the smallest game on a board with cells.

In turn each car moves to a neighbouring point: which one is said, or taken from where the camera sees it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from engine.boards.board import place_words
from engine.boards.points import Points
from engine.game.contract import About, Option, RuleBook
from engine.game.events import Event, Reason
from engine.game.forms import Candidate, Form, PathOnTable, Pick, SetUpForm
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


class PointRace(RuleBook[Race]):
    """The rules."""

    about = About("point_race", "Point Race", BOOK, "1", ("Moving",), players=(2, 2), boards=("points",))
    states = Race

    def board(self, state, table_board):
        """The table's, or the book's own where the table has no points."""
        return table_board if isinstance(table_board, Points) else OWN

    def setup(self, so_far):
        """One car each."""
        owners = [piece["owner"] for piece in so_far.get("pieces", ())]
        two = sorted(owners) == sorted(so_far.get("players", ()))
        return SetUpForm(not_yet=() if two else (Reason("each player has one car", RULE),))

    def begin(self, setup):
        """They stand side by side."""
        cars = [
            {"name": p["name"], "owner": p["owner"], "cell": [0, k]} for k, p in enumerate(setup["pieces"])
        ]
        return (Event("begin", {"cars": cars}, "The race begins", RULE),)

    def options(self, state, seen):
        """To a neighbouring point that is free, or as the camera saw the car go."""
        if state.turn >= TURNS:
            return ()
        car, board = state.car, self.board(state, seen.board)
        ways = Pick(
            words="To",
            candidates=tuple(
                Candidate(f, board.name_of(there), not_now=self.refused(state, there))
                for f in range(board.facings)
                if (there := board.step(car.cell, f)) is not None
            ),
        )
        said = Option("step", car.owner, "Move", form=Form({"facing": ways}), piece=car.name, citation=RULE)
        driven = Form({"move": PathOnTable(words="As driven", piece=car.name)})
        here = [m for m in seen.moves.values() if m.piece == car.name]
        return (said, replace(said, kind="driven", form=driven)) if here else (said,)

    def refused(self, state, cell):
        """Why a car may not move there."""
        taken = any(car.cell == cell for car in state.cars)
        return (Reason("another car stands there", RULE),) if taken else ()

    def check(self, state, action, seen):
        """What the camera saw has to end surely on a neighbouring, free point."""
        reasons = super().check(state, action, seen)
        if reasons or action.kind != "driven":
            return reasons
        board, snap = self.ends(state, action, seen)
        if snap.where != "cell":
            words = f"{state.car.name} stands {place_words(board, snap)}: say which it is, or put it right"
            return (Reason(words, RULE, open=snap.where == "between"),)
        if snap.cell not in board.neighbours(state.car.cell):
            return (Reason(f"{board.name_of(snap.cell)} is more than one step away", RULE),)
        return self.refused(state, snap.cell)

    def ends(self, state, action, seen):
        """The board, and on which of its points the move ended."""
        board = self.board(state, seen.board)
        return board, board.snap(seen.moves[action.data["move"]].after)

    def done(self, state, action, seen, dice):
        """The car is on its new point."""
        board, car = self.board(state, seen.board), state.car
        if action.kind == "driven":
            snap = self.ends(state, action, seen)[1]
            cell, facing = snap.cell, snap.facing
        else:
            facing = action.data["facing"]
            cell = board.step(car.cell, facing)
        data = {"cell": list(cell), "facing": facing}
        return (Event("stepped", data, f"{car.name} moves to {board.name_of(cell)}", RULE, (car.name,)),)

    def apply(self, state, event):
        """The state after an event."""
        if event.kind == "begin":
            return Race(tuple(Car(**{**car, "cell": tuple(car["cell"])}) for car in event.data["cars"]))
        moved = replace(state.car, cell=tuple(event.data["cell"]), facing=event.data["facing"])
        return Race(tuple(moved if car == state.car else car for car in state.cars), state.turn + 1)

    def awaits(self, state):
        """The car whose turn it is."""
        car = state.car
        return () if state.turn >= TURNS else (Awaited(car.name, "driven", car.owner, f"turn {state.turn}"),)

    def ghosts(self, state, seen):
        """Each car on its point."""
        board = self.board(state, seen.board)
        standing = {} if seen.table is None else {s.name: s for s in seen.table.standings}
        found = []
        for car in state.cars:
            here, right = standing.get(car.name), None
            if here is not None:
                snap = board.snap(here)
                right = (snap.where, snap.cell, snap.facing) == ("cell", car.cell, car.facing)
            pose = board.pose_of(car.cell, car.facing)
            words = f"put {car.name} on {board.name_of(car.cell)}"
            found.append(Ghost(car.name, (pose.x, pose.y, pose.heading), words, RULE, right))
        return tuple(found)

    def status(self, state, viewer):
        """Whose turn it is."""
        order = tuple(Place(car.owner, current=car == state.car) for car in state.cars)
        return Status(
            f"Turn {state.turn + 1}", f"{state.car.owner} moves", order=order, over=state.turn >= TURNS
        )

    def sheets(self, state, viewer):
        """On which point each car is."""
        return tuple(
            Sheet(c.name, c.owner, (Words(words="Point", text=OWN.name_of(c.cell)),), piece=c.name)
            for c in state.cars
        )


GAME: PointRace = PointRace()
SETUP: dict[str, Any] = {
    "players": ["Ann", "Bob"],
    "pieces": [{"name": "Red 1", "owner": "Ann"}, {"name": "Blue 1", "owner": "Bob"}],
}
