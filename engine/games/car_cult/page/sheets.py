"""The sheets: what each vehicle is and has, where the match stands, and what is asked before it begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import TableRefError
from engine.game.about import house
from engine.game.events import JsonObject, Reason
from engine.game.forms import Candidate, Form, Input, Number, Pick, SetUpForm
from engine.game.kit import reading
from engine.game.kit.shown import fate
from engine.game.showing import Counter, Left, Place, Sheet, Slot, Slots, Status, Widget, Words
from engine.games.car_cult.acts import beginning
from engine.games.car_cult.acts.moving import zone_key
from engine.games.car_cult.acts.rounds import to_deploy
from engine.games.car_cult.book import data as book
from engine.games.car_cult.book.data import Build, HouseRules
from engine.games.car_cult.state import Car, CarStatus, Component, GameState, Turn
from engine.ruling import many

# The component cards of each car: their zones as boxes that hold tokens; and where the match stands.

_FATES: dict[CarStatus, str] = {
    "waiting": "not put down",
    "driving": "in play",
    "exploded": "exploded: removed",
}


def sheets(state: GameState) -> tuple[Sheet, ...]:
    """All cars with their component cards, the players in their order."""
    return tuple(_sheet(state, car) for p in state.players for car in state.cars if car.owner == p)


def _sheet(state: GameState, car: Car) -> Sheet:
    widgets: list[Widget] = [_card(car, k, one) for k, one in enumerate(car.components)]
    widgets.append(Words(words="It moves", text=_moves(state, car)))
    # One that left with whole zones did not explode: its player gave up, or the players took it off.
    now = "taken off the table" if car.status == "exploded" and car.undamaged else _FATES[car.status]
    choices = {value: words for value, words in _FATES.items() if value != "waiting"}
    widgets.append(fate(now, choices, ("cars", car.name, "status")))
    return Sheet(
        title=car.name,
        owner=car.owner,
        widgets=tuple(widgets),
        piece=car.name,
        more=", ".join(c.name for c in car.components),
        summary=summary(car),
        note="" if car.driving else now,
        out=car.status == "exploded",
        left=Left("Zones", car.undamaged),
        by_hand=tuple(
            Counter(
                words=f"{one.name} used", value=one.used, low=0, high=len(one.zones),
                path=("cars", car.name, "components", k, "used"),
            )
            for k, one in enumerate(car.components)
            if one.rules.sort not in ("engine", "armour")  # their tokens are not used up
        ),
    )  # fmt: skip


def _card(car: Car, number: int, one: Component) -> Slots:
    """A component's zones from the left, each with what is printed above it."""
    slots = tuple(
        Slot(_printed(one, k), token or "", token, key=zone_key(one.name, k))
        for k, token in enumerate(one.zones)
    )
    return Slots(
        words=one.name, slots=slots, columns=len(slots),
        more=book.card_words(one.rules) + (f"; {one.used} used" if one.used else ""),
        choices=(book.SPEED, book.DAMAGE), path=("cars", car.name, "components", number, "zones"),
    )  # fmt: skip


def _printed(one: Component, place: int) -> str:
    """The speed above an engine's zone, and the +ST symbol in it."""
    parts = [f"{one.rules.speeds[place]} in"] if one.rules.sort == "engine" else []
    return " ".join(parts + ["+ST"] * (place + 1 in one.rules.symbols))


def _moves(state: GameState, car: Car) -> str:
    if not car.engine.whole:
        return "no longer: its engine is full of damage"
    low, high = car.limits
    if state.turn is not None and state.turn.car == car.name:
        low, high = state.range_of_move()
    if not high:
        return "not at all: no Speed token on its engine"
    turns = f"{many(car.turns, 'turn')} of up to 45°"
    return f"{low} to {high} in, drift up to {book.most_drift(low)} in, {turns}"


def summary(car: Car) -> str:
    """A car in a few words."""
    low, high = car.limits
    moves = f"{low} to {high} in" if high else "no Speed"
    return f"{moves} · {many(car.undamaged, 'zone')} undamaged"


def status(state: GameState) -> Status:
    """Whose activation it is, what has to be done first, or who has won."""
    order = tuple(_place(state, player) for player in state.players)
    if state.over:
        return Status.at_the_end(state.winner, order)
    if state.duties:
        return _owed(state, order)
    player = to_deploy(state)
    if player is not None:
        return Status("Deployment", f"{player} puts a car down", player=player, order=order)
    if state.turn is None:
        return Status(f"Round {state.round}", "The order is rolled for", order=order)
    return _in_turn(state, state.turn, order)


def _owed(state: GameState, order: tuple[Place, ...]) -> Status:
    duty = state.duties[0]
    owner = state.car(duty.car).owner
    if duty.kind == "blast":
        return Status("Before play goes on", f"{duty.car} explodes", duty.citation, None, duty.car, order)
    if duty.kind == "damage":
        by = duty.by or owner
        words = f"{by} places a Damage token on {duty.car}"
        return Status("Before play goes on", words, duty.cause, by, duty.car, order)
    return Status(
        "Before play goes on", f"{duty.car}: a die has to be rolled", duty.citation, owner, duty.car, order
    )


def ready_weapons(state: GameState, car: Car) -> list[str]:
    """The weapons of a car that can still fire, where there is something to fire at."""
    if not state.house.terrain and all(c.owner == car.owner for c in state.driving()):
        return []
    return [c.name for c in car.components if c.rules.sort == "weapon" and c.ready]


_STAGES = {"shift": "shift down or not", "allocate": "allocate Speed tokens", "act": "move and attack"}


def _in_turn(state: GameState, turn: Turn, order: tuple[Place, ...]) -> Status:
    low, high = state.range_of_move()
    more = _STAGES[turn.stage]
    if state.attack is not None:
        more = f"attacks {state.attack.target} with its {state.attack.weapon}"
    elif turn.stage == "act":
        fires = bool(ready_weapons(state, state.car(turn.car)))
        if turn.moved:
            more = "attack, or end the activation" if fires else "end the activation"
        else:
            more = f"move {low} to {high} in, attack" if fires else f"move {low} to {high} in"
    elif turn.stage == "allocate":
        more = f"{many(turn.pool, 'Speed token')} to allocate"
    return Status(
        f"Round {state.round}", f"{turn.player} activates {turn.car}", more, turn.player, turn.car, order
    )


def _place(state: GameState, player: str) -> Place:
    left = sum(c.owner == player and c.status != "exploded" for c in state.cars)
    current = state.turn is not None and state.turn.player == player
    return Place.having(player, left, "car", current=current)


# The builder: what each car is made of, with the zones that are left of the Build Limit.


def set_up(so_far: JsonObject) -> SetUpForm:
    """The forms of every car and of the game; each answer says anew how many zones are left."""
    players, given = reading.seated(so_far)
    try:
        ours = HouseRules.said(so_far)
        builds = beginning.builds_of({"pieces": given})
        wrong = beginning.not_yet(players, builds, ours)
    except TableRefError as error:
        ours, builds, wrong = HouseRules(), (), [str(error)]
    pieces = {str(p.get("name")): _car(p, given, builds, ours) for p in given}
    return SetUpForm(
        pieces, Form(HouseRules.inputs()), tuple(Reason(words, beginning.BUILDING) for words in wrong)
    )


def _car(
    piece: Mapping[str, Any], given: Sequence[Mapping[str, Any]], builds: tuple[Build, ...], ours: HouseRules
) -> Form:
    """What is asked of one car as it is built so far."""
    owner = str(piece.get("owner"))
    before = given[: next(k for k, other in enumerate(given) if other is piece)]
    usual = beginning.dealt(sum(str(p.get("owner")) == owner for p in before))
    left = ours.limit - book.spent(builds, owner)
    mine = next((b for b in builds if b.name == piece.get("name")), None)
    own = "" if mine is None else f"{many(mine.zones, 'zone')}; "
    engines = tuple(Candidate(n, n, book.card_words(book.CARDS[n])) for n in book.ENGINES)
    note = f"{own}{owner} has {left} of {ours.limit} zones left"
    fields: dict[str, Input] = {
        "engine": Pick(words="Engine", candidates=engines, usual=usual["engine"]),
        "armour": Number(words="Armour, zones", low=0, high=4, usual=usual["armour"]),
    }
    for field, name in beginning.PARTS.items():
        if book.CARDS[name].wish and not ours.wishes:
            continue
        times = usual["parts"].count(name)
        fields[field] = Number(
            words=name, more=book.card_words(book.CARDS[name]), low=0, high=beginning.most_of(name),
            usual=times,
        )  # fmt: skip
    fields["damage"] = Number(
        words="Damage tokens from the game before", more=house("Campaign") if ours.wishes else "",
        low=0, high=20, usual=0, optional=True, folded=True,
    )  # fmt: skip
    if not ours.wishes:
        del fields["damage"]
    return Form(fields, note)
