"""Far Edge, a game of two cars and one rule, as an example of how to write your own.

Every round both drivers choose in secret how far to go, 1 to 6 inches, and reveal it together. Whoever chose
the same number stalls; else each car is pushed so far straight ahead. The first over the far edge wins.
"""

import math
from dataclasses import dataclass, replace

from engine.game.contract import About, Game, Option
from engine.game.events import Illegal, Reason
from engine.game.forms import Form, Number, SetUpForm, check_answers
from engine.game.kit.actions import Rule
from engine.game.kit.events import Events
from engine.game.kit.states import States
from engine.game.showing import Counter, Ghost, Place, Sheet, Status

BOOK = "Far Edge 1"
RACE = f"{BOOK} · The race"
CLOSE = 0.5  # inches by which a car may be pushed amiss


@dataclass(frozen=True)
class Car:
    """A car, how many inches it has gone, and where it must stand (x, y, heading) if a camera saw it go."""

    name: str
    owner: str
    gone: int = 0
    to: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class Race:
    """Where the race stands."""

    cars: tuple[Car, ...] = ()
    length: int = 24
    round: int = 1
    winner: str | None = None
    over: bool = False


EVENTS = Events("Far Edge", pieces=("car",))


@EVENTS.on("begin")
def begun(_state, data):
    """The cars stand at their start."""
    return Race(tuple(Car(**car) for car in data["cars"]), data["length"])


@EVENTS.on("stalled", tone="bad")
def stalled(state, _data):
    """Nobody has gone anywhere."""
    return replace(state, round=state.round + 1)


@EVENTS.on("gone", tone="move")
def gone(state, data):
    """One car has gone; with the last of them the round is over."""
    to = None if data["to"] is None else tuple(data["to"])
    cars = [
        replace(car, gone=car.gone + data["inches"], to=to) if car.name == data["car"] else car
        for car in state.cars
    ]
    last = data["car"] == state.cars[-1].name
    return replace(state, cars=tuple(cars), round=state.round + last)


@EVENTS.on("over", tone="good")
def over(state, data):
    """Somebody has won, or nobody."""
    return replace(state, over=True, winner=data["winner"])


def setup(so_far):
    """How far the edge is, and two cars."""
    form = Form({"length": Number(words="Inches to the far edge", low=6, high=60, usual=24)})
    owners = sorted(str(piece["owner"]) for piece in so_far.get("pieces", ()))
    two = len(owners) == 2 and owners == sorted(so_far.get("players", ()))
    return SetUpForm(game=form, not_yet=() if two else (Reason("each of two players has one car", RACE),))


def begin(said):
    """The cars stand at their start."""
    form = setup(said)
    answers = {name: said[name] for name in form.game.fields if name in said}
    if reasons := form.not_yet + check_answers(form.game, answers, RACE):
        raise Illegal(reasons)
    cars = [{"name": piece["name"], "owner": piece["owner"]} for piece in said["pieces"]]
    data = {"cars": cars, "length": answers.get("length", 24)}
    return (EVENTS.told("begin", f"{' and '.join(said['players'])} race to the far edge", RACE, data),)


def offers(state, seen):
    """Both choose, once the cars stand where they have to."""
    if state.over:
        return ()
    form = Form({"inches": Number(words="How far", low=1, high=6)})
    amiss = [Reason(g.words, g.citation) for g in ghosts(state, seen) if g.right is False]
    return tuple(
        Option("go", car.owner, "Choose how far to go", form=form, citation=RACE, piece=car.name,
               not_now=tuple(amiss), sealed=f"round {state.round}")
        for car in state.cars
    )  # fmt: skip


def do_go(play, action):
    """What is revealed happens to both."""
    chosen = {player: said["inches"] for player, said in action.data["choices"].items()}
    if len(set(chosen.values())) == 1:
        play.tell("stalled", "Both chose the same and stall", RACE)
        return
    for car in play.state.cars:
        inches = chosen[car.owner]
        to = _ahead(play.seen.table, car.name, inches)
        play.tell("gone", f"{car.name} goes {inches} in", RACE, car=car.name, inches=inches, to=to)
    first, second = sorted(play.state.cars, key=lambda car: -car.gone)
    if first.gone >= play.state.length:
        winner = None if first.gone == second.gone else first.owner
        words = f"{winner} is over the edge and wins" if winner else "Both are over the edge: a draw"
        play.tell("over", words, RACE, winner=winner)


def give_up(play, player):
    """The other one has won."""
    winner = next(car.owner for car in play.state.cars if car.owner != player)
    play.tell("over", f"{winner} wins", RACE, winner=winner)


def ghosts(state, seen):
    """Where the cars must stand before anybody chooses again."""
    return tuple(
        Ghost(car.name, car.to, f"push {car.name} to where it must stand", RACE, _stands(seen.table, car))
        for car in state.cars
        if car.to is not None and not state.over
    )


def status(state, _viewer):
    """Who is ahead."""
    order = tuple(Place(car.owner, count=car.gone, count_words=f"{car.gone} in") for car in state.cars)
    who = "Choose how far to go" if not state.over else f"{state.winner or 'Nobody'} has won"
    return Status(f"Round {state.round}", who, order=order, over=state.over, winner=state.winner)


def sheets(state, _viewer):
    """How far each car has gone, to be tapped where it is wrong."""
    return tuple(
        Sheet(car.name, car.owner, piece=car.name, summary=f"{car.gone} of {state.length} in", widgets=(
            Counter(words="Inches gone", value=car.gone, high=state.length + 6, path=("cars", k, "gone")),
        ))
        for k, car in enumerate(state.cars)
    )  # fmt: skip


def _ahead(table, name, inches):
    """Where a car stands after so many inches straight ahead; None where no camera sees it."""
    standing = None if table is None else next((s for s in table.standings if s.name == name), None)
    if standing is None:
        return None
    pose = standing.pose
    return [pose.x + inches * math.cos(pose.heading), pose.y + inches * math.sin(pose.heading), pose.heading]


def _stands(table, car):
    """Whether a car stands where it must; None where no camera sees it."""
    here = _ahead(table, car.name, 0)
    return None if here is None else math.dist(here[:2], car.to[:2]) <= CLOSE


GAME = Game(
    about=About("far_edge", "Far Edge", BOOK, "1", sections=("The race",), players=(2, 2), sealed=("go",)),
    states=States(Race),
    events=EVENTS,
    rules={"go": Rule(do_go, "go: what everybody chose is revealed", BOOK)},
    setup=setup,
    begin=begin,
    offers=offers,
    give_up=give_up,
    ghosts=ghosts,
    status=status,
    sheets=sheets,
)
