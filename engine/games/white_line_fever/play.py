"""One action being carried out: what happens is told as events, and the state follows each at once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from engine.game.dice import Dice, Roll, Want
from engine.game.events import Event, JsonObject, Tone
from engine.game.records import to_json
from engine.games.white_line_fever.fold import apply
from engine.games.white_line_fever.state import Duty, GameState, Round
from engine.space.table import PoseUncertainty, Standing, Status, TableState, key_of

TURNED_OVER = (0.3, math.radians(10.0))
"""Inches and radians by which a wreck lies beside where it was last seen, one deviation (house default)."""


_TONES: Mapping[str, Tone] = MappingProxyType(
    {
        "begin": "quiet",
        "chosen": "quiet",
        "may change speed": "quiet",
        "round": "turn",
        "moved": "move",
        "shot": "attack",
        "roll": "dice",
        "ruled": "ruling",
        "hit": "good",
        "floored": "good",
        "over": "end",
        "damaged": "bad",
        "penalty": "bad",
        "collision": "bad",
        "triggered": "bad",
        "burning": "bad",
        "destroyed": "bad",
        "left": "bad",
        "lost control": "bad",
        "blast": "bad",
    }
)
"""How kinds of events are shown that are more than plain."""


def told(kind: str, words: str, citation: str, data: JsonObject) -> Event:
    """An event with the pieces that it is about, and its tone; a die that was rolled here is a barrier."""
    barrier = kind == "roll" and data["source"] != "typed"
    tone = _TONES.get(kind, "plain")
    return Event(kind, data, words, citation, tuple(_pieces(data)), tone, barrier=barrier)


def _pieces(data: JsonObject) -> dict[str, None]:
    """The names in an event's data, in the order in which it tells of them."""
    owed = data.get("duty")
    owed = owed["car"] if isinstance(owed, Mapping) else None
    one = [data.get(name) for name in ("car", "target", "token")]
    many = [name for field in ("cars", "obstacles", "reached", "triggered") for name in data.get(field) or ()]
    met = [contact["other"] for contact in data.get("contacts") or ()]
    return dict.fromkeys(name for name in (owed, *one, *many, *met) if name)


class Play:
    """The events of one action so far, the state that they lead to, and what may be asked."""

    def __init__(self, state: GameState, table: TableState | None, dice: Dice) -> None:
        self.state = state
        self.table = table
        self.dice = dice
        self.events: list[Event] = []

    @property
    def round(self) -> Round:
        """The current round, where there must be one."""
        assert self.state.round is not None
        return self.state.round

    def tell(self, kind: str, words: str, citation: str, **data: Any) -> None:
        """Something happened."""
        event = told(kind, words, citation, data)
        self.events.append(event)
        self.state = apply(self.state, event)

    def roll(self, sides: int, why: str, citation: str, car: str) -> Roll:
        """A die, told before anything follows from it."""
        return self.together([(Want(sides, why), car)], citation)[0]

    def together(self, wants: Sequence[tuple[Want, str]], citation: str) -> tuple[Roll, ...]:
        """Dice for cars by name, all of them told before anything follows from any."""
        rolls = self.dice.together([want for want, _ in wants])
        for roll, (_, car) in zip(rolls, wants, strict=True):
            self.tell(
                "roll", f"{roll.why}: D{roll.sides} shows {roll.value}", citation,
                sides=roll.sides, value=roll.value, why=roll.why, source=roll.source, car=car,
            )  # fmt: skip
        return rolls

    def owe(self, duty: Duty, words: str) -> None:
        """Something that must be done before the game goes on."""
        self.tell("owed", words, duty.citation, duty=to_json(duty))

    def standing(self, name: str) -> Standing | None:
        """Where a car stands, if the table surely knows."""
        return seen(self.table, name)


def standing_of(table: TableState | None, name: str) -> Standing | None:
    """Where a piece stands, if there is a table that knows it."""
    if table is None:
        return None
    return next((s for s in table.standings if key_of(s.name) == key_of(name)), None)


def seen(table: TableState | None, name: str) -> Standing | None:
    """The same, but only of what is neither under a hand nor out of sight."""
    standing = standing_of(table, name)
    unknown = standing is None or standing.status in (Status.HELD, Status.LOST)
    return None if unknown else standing


def in_play(state: GameState, table: TableState) -> TableState:
    """The table without cars that are out of the game, wrecks as obstacles, owners as in the game.

    A wreck that was turned over hides its tag: it lies about where it was last seen.
    """
    cars = {key_of(car.name): car for car in state.cars}
    kept = []
    for standing in table.standings:
        car = cars.get(key_of(standing.name))
        if car is None:
            kept.append(standing)
        elif car.status == "wreck":
            kept.append(_as_obstacle(standing))
        elif car.driving:
            kept.append(replace(standing, piece=replace(standing.piece, owner=car.owner)))
    return replace(table, standings=tuple(kept))


def _as_obstacle(wreck: Standing) -> Standing:
    obstacle = replace(wreck, piece=replace(wreck.piece, kind="terrain"))
    if wreck.status is not Status.LOST:
        return obstacle
    known = wreck.uncertainty
    about = PoseUncertainty(known.own + PoseUncertainty.isotropic(*TURNED_OVER).own, known.shared)
    return replace(obstacle, status=Status.STILL, uncertainty=about)
