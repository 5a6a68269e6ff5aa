"""What a machine sees coming: its own next deed, the reply to it, and nothing when there is no time."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pytest

from engine.driver.characters import IN_THOUGHT, LEVEL, Level
from engine.driver.deciding import LOOKED, Choice, Position, decide
from engine.errors import TableRefError
from engine.game.contract import About, Game, Option, Seen, Worth
from engine.game.dice import Want
from engine.game.events import Action, Reason
from engine.game.kit.actions import Rule
from engine.game.kit.events import Events
from engine.game.kit.play import Play
from engine.game.kit.states import States
from engine.game.match import Match
from engine.game.showing import Status

Ways = Mapping[str, Sequence[str]]
"""Who may go where from a place."""


@dataclass(frozen=True)
class Here:
    """A game of places."""

    place: str = "start"


PLACES: Events[Here] = Events("Here")
PLACES.only_told("begin", "roll")
PLACES.on("went")(lambda _state, data: Here(data["to"]))


def go(play: Play[Here], action: Action) -> None:
    """To that place; where there are two, a die says to which."""
    places = action.data["to"].split(" or ")
    die = play.rolls([Want(2, "where to")], "Book")[0].value if len(places) > 1 else 1
    play.tell("went", "goes", "Book", to=places[die - 1])


def game(ways: Mapping[str, Ways], harm: Mapping[str, Mapping[str, float]]) -> Game[Here]:
    """A game of places, and what each player has lost there."""

    def offers(state: Here, _seen: Seen) -> tuple[Option, ...]:
        return tuple(
            Option("go", player, f"Go to {to}", data={"to": to}, citation="Book")
            for player, places in ways.get(state.place, {}).items()
            for to in places
        )

    def worth(state: Here, _table: Any, player: str) -> Worth:
        lost = harm.get(state.place, {})
        return Worth(-lost.get(player, 0.0), -sum(v for p, v in lost.items() if p != player))

    return Game(
        about=About("places", "Places", "Book", "1", players=(2, 3)),
        states=States(Here),
        events=PLACES,
        rules={"go": Rule(go, "go", "Book")},
        begin=lambda _said: (PLACES.told("begin", "they begin", "Book", {}),),
        offers=offers,
        status=lambda _state, _viewer: Status("", None),
        worth=worth,
    )


FOLLOWED = game(
    {"start": {"Red": ["near", "far"]}, "far": {"Red": ["prize", "nothing"]}, "near": {"Blue": ["home"]}},
    {"near": {"Blue": 0.1}, "home": {"Blue": 0.1}, "prize": {"Blue": 0.5}},
)
"""Far is worth nothing but for what Red may do from there."""

REPLIED = game(
    {
        "start": {"Red": ["open", "covered"]},
        "open": {"Green": ["scratch", "home"], "Blue": ["hit", "home"]},
        "covered": {"Blue": ["home"], "Green": ["scratch"]},
    },
    {"open": {"Blue": 0.2}, "covered": {"Blue": 0.1}, "hit": {"Red": 0.9}, "scratch": {"Red": 0.05}},
)
"""In the open two may act: the one does Red much harm, the other little."""

DICED = game(
    {"start": {"Red": ["sure", "won or lost"]}, "won": {"Red": ["prize or blank"]}},
    {"sure": {"Blue": 0.3}, "won": {"Blue": 0.2}, "lost": {"Blue": 0.2}, "prize": {"Blue": 1.0}},
)
"""A die says whether Red may throw another for a prize."""


def chosen(game: Game[Here], level: Level, **more: Any) -> Choice:
    choice = decide(Position.of(Match.begin(game, {}), Seen(), "Red"), level=level, seed="1", **more)
    assert choice is not None
    return choice


def place(choice: Choice) -> str:
    return choice.action.data["to"]


@pytest.mark.parametrize(
    ("game", "beam", "plies", "reply", "to"),
    [
        (FOLLOWED, 0, 2, True, "near"),
        (FOLLOWED, 2, 0, False, "near"),
        (FOLLOWED, 2, 1, False, "far"),
        (DICED, 2, 0, False, "sure"),
        (DICED, 2, 1, False, "won or lost"),
        (REPLIED, 0, 2, True, "open"),
        (REPLIED, 2, 2, False, "open"),
        (REPLIED, 2, 0, True, "covered"),
    ],
)
def test_what_follows_changes_what_is_chosen(
    game: Game[Here], beam: int, plies: int, reply: bool, to: str
) -> None:
    level = replace(LEVEL["hard"], beam=beam, plies=plies, reply=reply)
    choice = chosen(game, level)
    assert place(choice) == to
    assert len(choice.better_than) == 1
    assert choice == chosen(game, level)


def test_hard_looks_ahead_and_says_what_it_expects() -> None:
    """The worth that is told is that of where it leads in the end."""
    followed, diced, replied = (chosen(game, LEVEL["hard"]) for game in (FOLLOWED, DICED, REPLIED))
    assert (place(followed), followed.worth) == ("far", pytest.approx(0.5))
    assert (place(diced), diced.worth) == ("won or lost", pytest.approx(0.35))
    assert (place(replied), replied.worth) == ("covered", pytest.approx(-0.05))
    (open_,) = replied.better_than
    assert open_.worth == pytest.approx(-0.9)


@pytest.mark.parametrize(("game", "short", "far"), [(FOLLOWED, "near", "far"), (REPLIED, "open", "covered")])
def test_with_time_up_the_answer_is_what_one_deed_deep_says(game: Game[Here], short: str, far: str) -> None:
    """Whenever time runs out on the way ahead, what was found before counts."""
    found = [
        place(chosen(game, LEVEL["hard"], clock=partial(next, itertools.count(1)), until=float(until)))
        for until in range(4, 60)
    ]
    turned = found.index(far)
    assert turned > 4
    assert found == [short] * turned + [far] * (len(found) - turned)


def secretly(game: Game[Here], place: str) -> Game[Here]:
    """The same where what is done in that place is chosen in secret."""

    def offers(state: Here, seen: Seen) -> tuple[Option, ...]:
        group = "secret" if state.place == place else None
        return tuple(replace(option, sealed=group) for option in game.offers(state, seen))

    return replace(game, offers=offers)


def broken(game: Game[Here], place: str) -> Game[Here]:
    """The same with rules that are at their wits' end in that place."""

    def offers(state: Here, seen: Seen) -> tuple[Option, ...]:
        if state.place == place:
            raise TableRefError("nobody knows what follows")
        return game.offers(state, seen)

    return replace(game, offers=offers)


@pytest.mark.parametrize("without", [secretly, broken])
def test_where_nobody_knows_what_follows_what_is_known_decides(
    without: Callable[[Game[Here], str], Game[Here]],
) -> None:
    assert place(chosen(without(FOLLOWED, "far"), LEVEL["hard"])) == "near"
    assert place(chosen(without(REPLIED, "open"), LEVEL["hard"])) == "open"


def test_what_is_not_soon_found_in_thought_is_not_thought_of() -> None:
    """Of ever so many ways on of which none is lawful only some are looked at."""
    looked: list[Action] = []

    def against(state: Here, action: Action, _seen: Seen) -> tuple[Reason, ...]:
        if state.place == "far":
            looked.append(action)
        return (Reason("there is no such way", "Book"),) if state.place == "far" else ()

    ways = {"start": {"Red": ["near", "far"]}, "far": {"Red": [str(k) for k in range(200)]}}
    many = replace(game(ways, {"near": {"Blue": 0.1}}), objections=against)
    assert place(chosen(many, LEVEL["hard"])) == "near"
    assert 0 < len(looked) <= LOOKED * IN_THOUGHT.tried
