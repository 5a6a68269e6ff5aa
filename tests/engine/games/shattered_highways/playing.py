"""Games to play on, with dice typed in."""

from __future__ import annotations

from typing import Any

from engine.game.dice import TypedDice
from engine.game.events import Action, Event
from engine.game.match import Match
from engine.game.registry import game_called
from engine.games.shattered_highways.state import GameState
from engine.space.table import TableState

GAME = game_called("shattered_highways")


def piece(name: str, kind: str = "Car", owner: str | None = None, **more: Any) -> dict[str, Any]:
    """A vehicle as the set-up has it; "Red 1" is Red's."""
    return {"name": name, "owner": owner or name.split(maxsplit=1)[0], "class": kind, **more}


def begun(*pieces: dict[str, Any], order: str | None = None, **setup: Any) -> Match[GameState]:
    """A match whose vehicles stand on the road, in its first round: one after the other, Red's first."""
    pieces = pieces or (piece("Red 1"), piece("Blue 1"))
    players = list(dict.fromkeys(p["owner"] for p in pieces))
    given = {"players": players, "pieces": list(pieces), "deployment": "anywhere", "points": 500} | setup
    match = Match.begin(GAME, given)
    if match.state.deployment is None:
        do(match, "deployment", deployment="chase")
    do(match, "first", tuple(range(6, 6 - len(players), -1)))
    while any(v.status == "waiting" for v in match.state.vehicles):
        option = match.options()[0]
        do(match, "deploy", **option.data)
    new_round(match)
    return match


def new_round(match: Match[GameState], first: str | None = None) -> None:
    """Everybody numbers their vehicles in the set-up's order; who is `first` rolls highest."""
    for option in match.options():
        assert option.player is not None
        names = [c.value for c in option.form.fields["vehicles"].candidates]  # type: ignore[union-attr]
        event, sealed = match.propose_seal(Action("order", option.player, {"vehicles": names}), "salt")
        match.commit((event,), [sealed])
    group = match.revealing()
    assert group is not None
    players = [
        p for p in match.state.players if any(v.owner == p and v.in_play for v in match.state.vehicles)
    ]
    if first is not None:
        players.sort(key=lambda p: p != first)
    values = {p: 6 - k for k, p in enumerate(players)}
    order = [p for p in match.state.players if p in values]
    match.reveal(group, None, TypedDice([values[p] for p in order]))


def do(
    match: Match[GameState], kind: str, dice: tuple[int, ...] = (), *, player: str | None = None,
    table: TableState | None = None, **data: Any,
) -> list[Event]:  # fmt: skip
    """An action with its dice, every one of which has to be used; the events without the action's own."""
    typed = TypedDice(dice)
    events = match.do(Action(kind, player, data), table, typed)
    assert typed.used == len(dice), f"{len(dice) - typed.used} dice were not asked for"
    return list(events[1:])


def driven(match: Match[GameState], name: str, roll: int = 3) -> list[Event]:
    """A vehicle's Move succeeds and is under way."""
    return do(match, "move", (roll,), vehicle=name)


def told(events: list[Event], kind: str) -> list[Any]:
    """The data of the events of a kind."""
    return [e.data for e in events if e.kind == kind]


def why(events: list[Event]) -> list[str]:
    """The names of all modifiers that counted."""
    return [e.data["why"] for e in events if e.kind == "modified"]


def reasons(match: Match[GameState], kind: str, **data: Any) -> str:
    """Why an action may not be done, all in one text; empty when it may."""
    player = data.pop("player", None)
    return "; ".join(r.words for r in match.check(Action(kind, player, data)))


def offered(match: Match[GameState], kind: str) -> list[Any]:
    """The options of a kind."""
    return [o for o in match.options() if o.kind == kind]


def seat(match: Match[GameState], vehicle: str, name: str) -> str:
    """Who sits in a seat of a vehicle."""
    return next(w.name for w in match.state.aboard(vehicle) if w.seat == name)


def board(match: Match[GameState], dice: tuple[int, ...] = (4,), place: str = "cling") -> str:
    """Red's gunner boards Blue 1."""
    name = seat(match, "Red 1", "W1")
    do(match, "board", dice, warrior=name, to=["Blue 1"])
    if match.state.duties:
        do(match, "sit", warrior=name, seat=place)
    return name


def nudged(match: Match[GameState], dice: tuple[int, ...], **data: Any) -> list[Event]:
    """Red 1 nudges Blue 1 in its Move."""
    driven(match, "Red 1")
    return do(match, "nudge", dice, vehicle="Red 1", **({"targets": ["Blue 1"]} | data))


def wrecked(*pieces: dict[str, Any], **more: Any) -> tuple[Match[GameState], list[Event]]:
    """Blue 1 is destroyed by a shot of Red 1 in its first turn."""
    match = begun(*(pieces or (piece("Red 1"), piece("Blue 1"), piece("Blue 2"))), **more)
    match.overrule(("vehicles", "Blue 1", "hits"), 3, "almost gone")
    gunner = seat(match, "Red 1", "W1")
    return match, do(match, "shoot", (5, 6), warrior=gunner, mount=1, aim="vehicle", to=["Blue 1"])
