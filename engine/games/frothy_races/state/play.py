"""One action of the race being carried out: its events name their pieces and have a tone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.game.dice import Roll, icons
from engine.game.kit.play import Play as AnyPlay
from engine.game.records import to_json
from engine.games.frothy_races.book.data import ICONS, NUMBERS, cite
from engine.games.frothy_races.book.speeds import Marker
from engine.games.frothy_races.state.game_state import GameState, Task, Turn, Vehicle


class Play(AnyPlay[GameState]):
    """The events of one action so far, the state that they lead to, and what may be asked."""

    def vehicle(self, name: str) -> Vehicle:
        """A vehicle as it is now."""
        return self.state.vehicle(name)

    @property
    def turn(self) -> Turn:
        """The turn, where there must be one."""
        assert self.state.turn is not None
        return self.state.turn

    def numbers(self, v: Vehicle, count: int, why: str, citation: str) -> tuple[int, ...]:
        """What so many dice of a vehicle's player show as numbers."""
        rolls = self._dice(v, NUMBERS, count, why, citation)
        return tuple(int(roll.face) for roll in rolls)

    def icons(self, v: Vehicle, count: int, why: str, citation: str) -> tuple[str, ...]:
        """What so many dice show as icons."""
        return tuple(roll.face for roll in self._dice(v, ICONS, count, why, citation))

    def _dice(
        self, v: Vehicle, faces: Sequence[str], count: int, why: str, citation: str
    ) -> tuple[Roll, ...]:
        if count <= 0:
            return ()
        return self.rolls([icons(faces, why, v.owner)] * count, citation, (v.name,))

    # What is owed

    def owe(self, *tasks: Task) -> None:
        """These are to be resolved next, in this order."""
        if tasks:
            words = "to resolve: " + "; ".join(task.words for task in tasks)
            self.tell("owed", words, tasks[0].citation, tasks=[to_json(task) for task in tasks])

    def resolve(self) -> Task:
        """Takes the first task off the agenda."""
        task = self.state.agenda[0]
        self.tell("resolved", task.words, task.citation, vehicle=task.vehicle)
        return task

    def ask(self, more: Mapping[str, Any]) -> None:
        """The first task is told more before it goes on."""
        task = self.state.agenda[0]
        self.tell("asked", task.words, task.citation, vehicle=task.vehicle, more=dict(more))

    # Tracks of a licence

    def marker(self, name: str) -> Marker:
        """Where a vehicle's Speed marker stands."""
        v = self.vehicle(name)
        return Marker(v.speed, v.box, v.brake)

    def set_speed(self, name: str, marker: Marker, why: str, citation: str, *, always: bool = False) -> None:
        """The Speed marker is moved; at a Safe Speed all Control Loss points are removed."""
        v = self.vehicle(name)
        changed = marker.speed != v.speed
        if marker != (v.speed, v.box, v.brake):
            words = f"{name}: {why}, Speed {v.speed} to {marker.speed}" if changed else f"{name}: {why}"
            if not changed:
                words += f", still Speed {v.speed}"
            self.tell("speed", words, citation, vehicle=name, **marker._asdict())
        after = self.vehicle(name)
        if (changed or always) and after.safe and after.control > after.least_control:
            self.set_control(name, after.least_control, "a Safe Speed")

    def set_control(self, name: str, points: int, why: str) -> None:
        """The Control Loss points become so many, never fewer than the vehicle always has."""
        v = self.vehicle(name)
        points = max(points, v.least_control)
        if points != v.control:
            words = f"{name}: {v.control} Control Loss points become {points} ({why})"
            self.tell("control loss", words, cite("Control Loss Points"), vehicle=name, control=points)

    def add_control(self, name: str, points: int, why: str) -> None:
        """Control Loss points are gained, or removed where they are below 0."""
        if points:
            self.set_control(name, self.vehicle(name).control + points, why)
