"""What may be done now, for buttons: what is owed first, then the vehicle whose turn it is."""

from __future__ import annotations

from dataclasses import replace

from engine.game.contract import Option, Seen
from engine.game.forms import Candidate, Form, Input, Pick, PickPieces
from engine.game.kit.table import path
from engine.games.shattered_highways.acts import rounds
from engine.games.shattered_highways.book.data import DEPLOYMENTS
from engine.games.shattered_highways.page import driving, owed, warriors
from engine.games.shattered_highways.page.offers import dust_of, measured
from engine.games.shattered_highways.page.sheets import summary
from engine.games.shattered_highways.state import GameState, Turn, due
from engine.ruling import many


def offers(state: GameState, seen: Seen) -> tuple[Option, ...]:
    """Everything that somebody may do now, as the table has it."""
    found, turn = measured(state, _options(state, seen), seen), state.turn
    return tuple(_ending(state, turn, o, found) if turn and o.kind == "done" else o for o in found)


def _options(state: GameState, seen: Seen) -> tuple[Option, ...]:
    if state.over:
        return ()
    duty = due(state)
    if duty is not None:
        return tuple(owed.options(state, duty, seen))
    if state.first is None:
        return tuple(_beginning(state))
    player = rounds.to_deploy(state)
    if player is not None:
        return tuple(_deploy(state, player, seen))
    if state.turn is not None:
        return tuple(_in_turn(state, state.turn, seen))
    return _orders(state) if not state.queue else (_go_on(),)


def _go_on() -> Option:
    """What was overruled has left something to roll."""
    return Option("go on", None, "Go on", citation=rounds.WITHIN, main=True)


def _beginning(state: GameState) -> list[Option]:
    if state.deployment is None:
        return [
            Option(
                "deployment", None, name, words, heading="How do the vehicles start?",
                data={"deployment": name}, citation=rounds.DEPLOYMENT,
            )
            for name, words in DEPLOYMENTS.items()
        ]  # fmt: skip
    return [Option("first", None, "Roll for who goes first", "a D6 each", citation=rounds.SETUP, main=True)]


def _deploy(state: GameState, player: str, seen: Seen) -> list[Option]:
    waiting = [v for v in state.fleet(player) if v.status == "waiting"]
    room = f"On the road, at least {state.house.front_room:g} in from the front edge"
    where = rounds.chase_words(state, player)
    return [
        Option(
            "deploy",
            player,
            v.name,
            summary(state, v),
            heading=f"{player} puts a vehicle down",
            heading_more=f"{room}, {where}." if where else f"{room}.",
            data={"vehicle": v.name},
            form=Form({"move": path(seen, v.name)}),
            citation=rounds.SETUP,
            piece=v.name,
        )
        for v in waiting
    ]


def _orders(state: GameState) -> tuple[Option, ...]:
    """Every player numbers the vehicles that they fielded, in secret."""
    found = []
    for player, names in state.to_number.items():
        fields: dict[str, Input] = {
            "vehicles": PickPieces(
                words="In this order",
                candidates=tuple(Candidate(n, n, state.vehicle(n).kind) for n in names),
                least=len(names),
                most=len(names),
                ordered=True,
            )
        }
        if len(names) < state.slots:
            fields["numbers"] = Pick(
                words="On the numbers",
                more="others with a larger fleet play on those that you skip",
                candidates=tuple(Candidate(n, str(n)) for n in range(1, state.slots + 1)),
                least=len(names),
                most=len(names),
                usual=1 if len(names) == 1 else list(range(1, len(names) + 1)),
            )
        found.append(
            Option(
                "order",
                player,
                "Write the play order",
                form=Form(fields),
                citation=rounds.COMBAT,
                sealed=f"round {state.round + 1}",
                main=True,
            )
        )
    return tuple(found)


def _in_turn(state: GameState, turn: Turn, seen: Seen) -> list[Option]:
    vehicle = state.vehicle(turn.vehicle)
    if turn.stage == "over" or not vehicle.in_play:
        return [_go_on()]
    known = dust_of(state, seen, vehicle.name)
    if turn.stage == "moving":
        return driving.moving(state, turn, seen, known)
    mine = [w for w in state.aboard(vehicle.name) if w.owner == turn.hands]
    found = driving.ready(state, turn, known)
    for warrior in mine:
        found += [] if warrior.acted else warriors.options(state, turn, warrior, known)
    done = Option(
        "done", turn.hands, f"{vehicle.name} is done", citation=rounds.WITHIN, piece=vehicle.name, ends=True
    )
    return [*found, done]


def _ending(state: GameState, turn: Turn, done: Option, found: tuple[Option, ...]) -> Option:
    """What ends the turn says who can still do something before it: nobody whose every target is too far."""
    driver = state.driver(turn.vehicle)
    whose = (o.data.get("warrior", driver and driver.name) for o in found if o is not done and _possible(o))
    acting = len(set(whose))
    left = f"{many(acting, 'warrior')} can still act; then " if acting else "then "
    return replace(done, more=left + (f"{turn.later[0]}'s warriors act" if turn.later else "the turn ends"))


def _possible(option: Option) -> bool:
    """Whether there is something to pick for each of its inputs that must be answered."""
    asked = (i for i in option.form.fields.values() if isinstance(i, Pick | PickPieces) and not i.optional)
    return all(any(all(r.open for r in c.not_now) for c in one.candidates) or not one.least for one in asked)
