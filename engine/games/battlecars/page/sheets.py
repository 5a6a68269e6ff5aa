"""The sheets: what each vehicle is and has, where the match stands, and what is asked before it begins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.boards.board import Cell
from engine.boards.points import Points
from engine.errors import TableRefError
from engine.game.events import JsonObject, Reason
from engine.game.forms import Candidate, Form, Input, Pick, SetUpForm
from engine.game.kit import reading
from engine.game.kit.cells import place_by_hand
from engine.game.kit.shown import fate
from engine.game.showing import Box, Counter, Place, Sheet, Slot, Slots, Status, Track, Widget, Words
from engine.games.battlecars.acts import beginning
from engine.games.battlecars.acts.firing import spare
from engine.games.battlecars.book import vehicles
from engine.games.battlecars.book.data import COMPUTER, DRIVER_HITS, SECTIONS, HouseRules
from engine.games.battlecars.rules.lines import may_drop, may_fire, no_fire
from engine.games.battlecars.state import Component, GameState, Turn, Vehicle, the
from engine.ruling import many, signed
from engine.words import listed

SPEEDS = "speed"
"""The Speed on a sheet, where it may be tapped; armour is named by its block."""

# The vehicle sheets: armour, components with their counters, the driver; and where the match stands.


def sheets(state: GameState) -> tuple[Sheet, ...]:
    """All vehicles, the players in their order."""
    return tuple(_sheet(state, v) for p in state.players for v in state.vehicles if v.owner == p)


def _sheet(state: GameState, v: Vehicle) -> Sheet:
    low, high = (-v.layout.reverse, v.layout.top)
    widgets: list[Widget] = [
        Counter(
            words="Speed", value=v.speed, low=low, high=high, path=("vehicles", v.name, "speed"), key=SPEEDS
        )
    ]
    words = vehicles.vehicle_words(v.layout).rsplit(", armour", 1)[0]
    widgets.append(Words(words="It drives", text=words))
    for number, block in enumerate(v.armour):
        boxes = tuple(Box(k < block.hits) for k in range(block.points))
        widgets.append(
            Track(
                words=f"Armour, {block.name}", boxes=boxes,
                path=("vehicles", v.name, "armour", number, "hits"), key=block.name,
            )
        )  # fmt: skip
    for section in SECTIONS:
        for number, one in enumerate(v.components):
            if one.section == section:
                widgets.append(_component(v, number, one))
    widgets += _driver(state, v)
    now = "a wreck" if v.wreck else "taken off" if v.gone else "in play"
    widgets.append(fate(now, {False: "in play", True: "a wreck"}, ("vehicles", v.name, "wreck")))
    return Sheet(
        title=v.name, owner=v.owner, widgets=tuple(widgets), piece=v.name, more=v.type, summary=summary(v),
        note="" if now == "in play" else now, out=v.wreck or v.gone, by_hand=_by_hand(state, v),
    )  # fmt: skip


def _by_hand(state: GameState, v: Vehicle) -> tuple[Widget, ...]:
    """Where it stands, and the rounds in its mounts, each of which may be taken out."""
    at = ("vehicles", v.name)
    board = state.board
    near = () if v.cell is None else _around(board, v.cell)
    found: list[Widget] = list(place_by_hand(board, v.cell, v.facing, near, at))
    for k, one in enumerate(v.components):
        if one.sort == "mount" and one.rounds:
            found.append(_rounds(one, (*at, "components", k, "rounds")))
    return tuple(found)


def _around(board: Points, cell: Cell) -> tuple[Cell, ...]:
    """The points next to one, across corners too."""
    steps = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]
    there = ((cell[0] + a, cell[1] + b) for a, b in steps)
    return tuple(c for c in there if 0 <= c[0] < board.columns and 0 <= c[1] < board.rows)


def _rounds(one: Component, path: tuple[str | int, ...]) -> Words:
    """The rounds of a mount as they are, and without one of each kind."""
    choices = [Candidate(list(one.rounds), ", ".join(one.rounds))]
    for kind in dict.fromkeys(one.rounds):
        left = list(one.rounds)
        left.remove(kind)
        choices.append(Candidate(left, ", ".join(left) or "none"))
    return Words(words=f"Rounds of the {one.name}", text=choices[0].words, choices=tuple(choices), path=path)


def _component(v: Vehicle, number: int, one: Component) -> Widget:
    words = f"{one.section.capitalize()}: {one.name}"
    if one.sort == "mount":
        empty = one.left - len(one.rounds)
        holds = [*one.rounds, *[""] * empty, *["hit"] * one.hits]
        slots = tuple(Slot("", token, token or None, used=token == "hit") for token in holds)
        return Slots(words=words, slots=slots, columns=len(slots))
    boxes = tuple(Box(k < one.hits) for k in range(one.spaces))
    return Track(words=words, boxes=boxes, path=("vehicles", v.name, "components", number, "hits"))


def _driver(state: GameState, v: Vehicle) -> Iterator[Widget]:
    """Who drives, and their points as boxes."""
    if v.driver is None:
        yield Words(words="Driver", text="nobody")
        return
    number, person = next((k, p) for k, p in enumerate(state.people) if p.name == v.driver)
    stunned = "stunned until the end of the game turn" if v.stunned else ""
    yield Words(words="Driver", text=person.name, more=stunned)
    boxes = tuple(Box(k < person.hits) for k in range(DRIVER_HITS))
    yield Track(words="Driver's points", boxes=boxes, path=("people", number, "hits"))


def summary(v: Vehicle) -> str:
    """A vehicle in a few words."""
    rounds = sum(len(m.rounds) for m in v.mounts)
    armour = sum(b.left for b in v.armour)
    return f"Speed {signed(v.speed, 'd')} · {armour} armour · {many(rounds, 'counter')}"


def status(state: GameState) -> Status:
    """Whose turn it is, what has to be done first, or who has won."""
    order = tuple(_place(state, player) for player in state.players)
    what = f"Game turn {state.round}"
    if state.over:
        return Status.at_the_end(state.winner, order)
    if state.phase == "setup":
        more = "place terrain, then roll for the first move"
        return Status("Before the first game turn", "The board is laid out", more, order=order)
    if state.reply is not None:
        vehicle = state.vehicle(state.reply.vehicle)
        owner = vehicle.owner if vehicle.driver is None else state.person(vehicle.driver).owner
        who = f"{owner} may return fire"
        return Status(what, who, f"{vehicle.name} at {the(state.reply.at)}", owner, vehicle.name, order)
    if state.phase == "speed":
        return Status(what, *_counters(state), order=order)
    if state.turn is None:
        return Status(what, "The dice are rolled", order=order)
    return _in_turn(state, state.turn, order, what)


def _in_turn(state: GameState, turn: Turn, order: tuple[Place, ...], what: str) -> Status:
    person = state.person(turn.person)
    vehicle = state.driven(person)
    name = f"the {person.name}" if vehicle is None else vehicle.name
    if turn.stage == "move":
        who = f"{turn.player} moves {name}"
        more = "on foot, up to 2 points" if vehicle is None else f"Speed {signed(vehicle.speed, 'd')}"
    else:
        who, said = _firing(state, turn)
        more = f"{name[:1].upper()}{name[1:]}: {said}"
    return Status(what, who, more, turn.player, None if vehicle is None else vehicle.name, order)


def _counters(state: GameState) -> tuple[str, str]:
    """Who places a Speed Counter, and how."""
    mine = [player for player in state.order if state.choosing(player)]
    if len(mine) == 1:
        return f"{mine[0]} places a Speed Counter", "nobody else has one to place"
    who = "Everybody places" if len(mine) == len(state.alive) else f"{listed(mine)} place"
    return f"{who} a Speed Counter", "in secret; revealed together"


def _firing(state: GameState, turn: Turn) -> tuple[str, str]:
    """What is left to do once the move is made: fire, drop, take rounds, or nothing."""
    if may_fire(state):
        return f"{turn.player} fires", "at the nearest target on a line"
    nothing = no_fire(state) or f"nothing {'more ' * bool(turn.targets)}to fire at"
    if drops := may_drop(state):
        kinds = dict.fromkeys(kind for _, some, _ in drops for kind in some)
        return f"{turn.player} may drop {listed(kinds, 'or')}", nothing
    if not turn.targets and spare(state, state.person(turn.person)) is not None:
        return f"{turn.player} may take rounds", nothing
    return f"{turn.player} is done", nothing


def _place(state: GameState, player: str) -> Place:
    left = sum(p.owner == player for p in state.living)
    current = state.turn is not None and state.turn.player == player
    return Place.having(player, left, "driver", current=current)


# The arming builder: each player's vehicle, what each Pod and Turret holds, and the house rules.


def set_up(so_far: JsonObject) -> SetUpForm:
    """The forms of every vehicle and of the game."""
    players, given = reading.seated(so_far)
    try:
        wrong = beginning.not_yet(players, given)
    except TableRefError as error:
        wrong = [str(error)]
    pieces = {str(p.get("name")): _vehicle(p, k) for k, p in enumerate(given)}
    return SetUpForm(
        pieces, Form(HouseRules.inputs()), tuple(Reason(words, beginning.ARMING) for words in wrong)
    )


def _vehicle(piece: Mapping[str, Any], number: int) -> Form:
    """What is asked of one vehicle: its type, then what is in its Pods and Turret."""
    types = tuple(Candidate(n, n, vehicles.vehicle_words(layout)) for n, layout in vehicles.layouts().items())
    fields: dict[str, Input] = {
        "type": Pick(words="Vehicle", candidates=types, usual=beginning.dealt(number))
    }
    try:
        layout = beginning.layout_of(piece, number)[1]
    except TableRefError:
        layout = vehicles.layout_called(beginning.dealt(number))
    if not layout.specials:
        carried = tuple(Candidate(n, n) for n in vehicles.SPECIALS)
        fields["special"] = Pick(words="Special component", candidates=carried, usual=COMPUTER)
    for name, mount in layout.mounts.items():
        fields[beginning.field_of(name)] = Pick(
            words=name.capitalize(),
            more=f"{many(mount.spaces, 'counter')}, {'any line' if mount.barrel == 'any' else mount.barrel}",
            candidates=tuple(Candidate(load, load) for load in vehicles.loads(layout, mount)),
            usual=vehicles.usual_load(mount),
        )
    return Form(fields)
