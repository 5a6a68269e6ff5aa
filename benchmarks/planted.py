"""`python -m benchmarks.planted --game NAME --games N [--jobs 2]`.

Whether `tableref balance` finds an imbalance that is planted, and nothing else. The set-up asks two things
more of each vehicle: whether it is *worn*, so that about a tenth of what it can take is gone when it begins,
and whether it is *painted*, which does nothing. Sides are dealt both, else all is as usual, and machines
play. Found should be the one and not the other.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from benchmarks.command import command
from engine.driver.balance import Deal, Ended, counted, deals, what_to_vary
from engine.driver.characters import LevelName
from engine.errors import TableRefError
from engine.game.contract import Game
from engine.game.events import Event
from engine.game.forms import Flag, Form, SetUpForm
from engine.game.registry import game_called
from engine.games.car_cult.book.data import DAMAGE
from engine.games.frothy_races.book.data import licence_called
from server.commands.balancing import all_played, players_of, to_the_end

WORN, PAINTED = "worn", "painted"


def _tenth(points: int) -> int:
    return max(1, round(points / 10))


def _battlecars(vehicle: dict[str, Any]) -> None:
    blocks = vehicle["armour"]
    for k in range(_tenth(sum(b["points"] for b in blocks))):
        blocks[k % len(blocks)]["hits"] += 1


def _car_cult(vehicle: dict[str, Any]) -> None:
    armour = next(c["zones"] for c in vehicle["components"] if c["name"].startswith("Armour"))
    for k in range(_tenth(sum(len(c["zones"]) for c in vehicle["components"]))):
        armour[k] = DAMAGE


def _frothy_races(vehicle: dict[str, Any]) -> None:
    # What the marked levels do besides comes into play with the next damage.
    built = vehicle["built"]
    vehicle["damage"] = _tenth(built["damage"] if built else licence_called(vehicle["type"]).damage)


def _shattered_highways(vehicle: dict[str, Any]) -> None:
    vehicle["hits"] -= _tenth(vehicle["hits"])


def _white_line_fever(vehicle: dict[str, Any]) -> None:
    vehicle["marked"] = 2  # of 20 boxes


PLANTS: Mapping[str, Callable[[dict[str, Any]], None]] = {
    "battlecars": _battlecars,
    "car_cult": _car_cult,
    "frothy_races": _frothy_races,
    "shattered_highways": _shattered_highways,
    "white_line_fever": _white_line_fever,
}
"""By game, how a vehicle of its first state is worn."""


def planted(game: Game[Any]) -> Game[Any]:
    """The game with a worn vehicle for whoever is dealt it; `TableRefError` where none is known."""
    if game.about.id not in PLANTS:
        raise TableRefError(f"--game: expected one of {', '.join(PLANTS)} but got {game.about.id}")
    plant = PLANTS[game.about.id]

    def bare(so_far: Mapping[str, Any]) -> dict[str, Any]:
        asked = [{k: v for k, v in p.items() if k not in (WORN, PAINTED)} for p in so_far["pieces"]]
        return {**so_far, "pieces": asked}

    def setup(so_far: Mapping[str, Any]) -> SetUpForm:
        form = game.setup(bare(so_far))
        more = {WORN: Flag(words="Worn", usual=False), PAINTED: Flag(words="Painted", usual=False)}
        return replace(form, pieces={name: Form({**f.fields, **more}) for name, f in form.pieces.items()})

    def begin(answers: Mapping[str, Any]) -> tuple[Event, ...]:
        first, *rest = game.begin(bare(answers))
        state = first.data["state"]
        vehicles = state.get("vehicles") or state["cars"]
        for piece in answers["pieces"]:
            if piece.get(WORN):
                plant(vehicles[piece["name"]])
        return (first, *rest)

    return replace(game, setup=setup, begin=begin)


def _played(name: str, level: LevelName, deal: Deal, seed: str) -> Ended:
    return to_the_end(planted(game_called(name)), deal, level, seed)


def found(
    *,
    game: str,
    games: int = 400,
    cars: Annotated[int, "vehicles a side"] = 1,
    level: LevelName = "fair",
    seed: str = "1",
    jobs: Annotated[int, "games that are played at a time"] = 1,
) -> Iterator[dict[str, Any]]:
    """A row for each value of what was dealt: `wrong` where paint seems to matter, or wear does not."""
    played = planted(game_called(game))
    players, pieces = players_of(played, cars)
    varied = what_to_vary(played, players, pieces, [WORN, PAINTED])
    dealt = deals(played, players, pieces, varied, games, seed)
    ended = list(all_played(partial(_played, game, level), dealt, seed, jobs))
    yield from rows_of(varied, ended, players)


def rows_of(
    varied: Sequence[Any], ended: Sequence[Ended], players: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """The rows of the games that ended: `wrong` is 1 where too much or too little was found."""
    for row in counted(varied, ended, players):
        right = {"Worn": {"yes": "too weak", "no": "too strong"}}.get(row.field, {})
        yield {
            "varied": row.field, "value": row.value, "won": row.won, "games": row.games,
            "share": round(row.share, 3), "interval": [round(row.low, 3), round(row.high, 3)],
            "verdict": row.verdict, "needed": row.needed,
            "wrong": int(row.verdict != right.get(row.value, "nothing sure")),
        }  # fmt: skip


if __name__ == "__main__":
    sys.exit(command(found, say=lambda row: print(row, flush=True)))
