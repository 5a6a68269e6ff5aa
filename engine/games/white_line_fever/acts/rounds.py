"""Rounds: whose car drives, which way, Floor It, the change of Speed, who is next and who has won."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.game.about import house
from engine.game.events import Action, Illegal, Reason
from engine.game.kit import reading
from engine.game.kit.play import SETTLED, Rulings
from engine.game.kit.table import seen
from engine.games.white_line_fever.book.data import CHANGE, MOST_MANOEUVRES, PULSAR_CHANGE, cite
from engine.games.white_line_fever.rules.contacts import TRIGGER
from engine.games.white_line_fever.rules.damage import set_speed
from engine.games.white_line_fever.rules.displacing import tokens
from engine.games.white_line_fever.rules.moves import reach_of
from engine.games.white_line_fever.state import Car, GameState, Play, Round, Stage, in_play
from engine.space.table import TableState

# What every action is asked first: is it the time for it, and is it this player's.

_WORDS: dict[Stage, str] = {
    "car": "the driver chooses a car first",
    "move": "a Maneuver has to be performed first",
    "free": "the Maneuver has been performed",
    "speed": "only the Speed may still be changed",
    "done": "the round is over",
}


def in_round(
    state: GameState, action: Action, stages: Sequence[Stage], citation: str
) -> tuple[Round | None, list[Reason]]:
    """The round if an action belongs to one of these stages, else the reasons why not."""
    if state.over:
        return None, [Reason("the game is over", cite("Overview"))]
    if state.duties:
        duty = state.duties[0]
        todo = f"{duty.car} has to be {duty.done}"
        if duty.kind == "blast":
            todo = f"say which cars the explosion of {duty.car} reaches"
        return None, [Reason(f"first {todo}", duty.citation)]
    if state.round is None:
        return None, [Reason("the cars are not deployed yet", cite("Setup", "Deployment"))]
    if state.round.stage not in stages:
        return None, [Reason(_WORDS[state.round.stage], citation)]
    return state.round, whose(action, state.round.hands, citation)


def whose(action: Action, player: str | None, citation: str) -> list[Reason]:
    """No reason if the action is that player's; the referee (no player) may act for everybody."""
    if player is None or action.player is None or action.player == player:
        return []
    return [Reason(f"it is {player}'s to do, not {action.player}'s", citation)]


class ByWords(Rulings):
    """Rulings by which an open reason is let pass; what is a question of its own is answered by its rule."""

    def falls(self, action: Action, reason: Reason) -> bool:
        """Whether it is let pass; what is a question of its own by its words alone."""
        if reason.question:
            return reading.ruled(action.data, reason.words) == "yes"
        return reading.let_pass(action.data, reason.words)

    def answer(self, action: Action, reason: Reason) -> tuple[str, str, str]:  # noqa: ARG002
        """That it is accepted."""
        return reason.words, "yes", f"players' ruling: accepted, {reason.words}"


def tell_answer(play: Play, action: Action, question: str, answer: str, rule: str) -> None:
    """The players' answer to a question that the table left open, or answered otherwise."""
    play.tell(
        "ruled", f"players' ruling on {question}: {answer}", SETTLED,
        question=question, verdict=answer, rule=rule, by=reading.ruler(action),
    )  # fmt: skip


# Rounds: whose car drives, which way, Floor It, the change of Speed, who is next and who has won.

ROUNDS = cite("Rounds")
DIRECTION = cite("Rounds", "Determine Direction")

AHEAD = {"surface": "would leave the surface", "collision": "cannot avoid a Collision"}
"""What may be against going ahead, and what people read for it."""
SPEED = cite("Rounds", "Change Speed")
FLOOR_IT = cite("Floor It")
HAZARD = cite("Floor It", "Hazard Check")
LOSE_CONTROL = cite("Floor It", "Lose Control")
LAST_CAR = cite("Floor It", "Last Car Standing")
PULSAR = cite("Brands", "Pulsar")
VICTORY = cite("Overview")


def check_choose(state: GameState, action: Action, _table: TableState | None) -> list[Reason]:
    """One of the driver's own cars in play; another one as long as the first has not moved."""
    turn, reasons = in_round(state, action, ("car", "move"), ROUNDS)
    if turn is None:
        return reasons
    name = state.car(reading.text(action.data, "car")).name
    if turn.car is not None and not may_change_car(turn):
        reasons.append(Reason(f"{turn.car} has moved: it is the car of this round", ROUNDS))
    elif turn.car == name:
        reasons.append(Reason(f"{name} is the car of this round already", ROUNDS))
    return reasons + not_his_to_drive(state, turn, name)


def may_change_car(turn: Round) -> bool:
    """Whether the driver may still choose another car: no part of the round is driven."""
    return turn.stage == "move" and turn.manoeuvre == 1 and not turn.lost and not turn.part


def not_his_to_drive(state: GameState, turn: Round, name: str) -> list[Reason]:
    """Why a car may not be the one of this round."""
    car = state.car(name)
    if car.owner != turn.driver:
        return [Reason(f"{car.name} is {car.owner}'s car, {turn.driver} drives", ROUNDS)]
    if not car.driving:
        return [Reason(f"{car.name} is destroyed", cite("Destroying a Car"))]
    return []


def do_choose(play: Play, action: Action) -> None:
    """The driver's car of this round."""
    choose(play, play.state.car(reading.text(action.data, "car")).name)


def choose(play: Play, name: str) -> None:
    """The driver's car of this round."""
    play.tell("chosen", f"{play.round.driver} drives {name}", ROUNDS, car=name, player=play.round.driver)


def check_reverse(state: GameState, action: Action, table: TableState | None) -> list[Reason]:
    """Only where every way forward leaves the surface or ends in a Collision, before the first manoeuvre."""
    turn, reasons = in_round(state, action, ("move",), DIRECTION)
    if turn is None or turn.car is None:
        return reasons
    reading.one_of(action.data, "because", tuple(AHEAD), called="Going ahead", read=tuple(AHEAD.values()))
    if turn.manoeuvre > 1 or turn.lost or turn.part:
        reasons.append(Reason("the direction is determined before the first Maneuver", DIRECTION))
    if turn.reverse:
        reasons.append(Reason(f"{turn.car} is in reverse already", DIRECTION))
    if _way_ahead(state, table, turn.car):
        reasons.append(Reason(f"{turn.car} has a free way forward", DIRECTION, open=True))
    return reasons


def _way_ahead(state: GameState, table: TableState | None, name: str) -> bool:
    """Whether the table knows a way forward, of the full Speed, that touches nothing and stays on it.

    A Barricade is a Collision as an obstacle is.
    """
    standing = seen(table, name)
    if table is None or standing is None:
        return False
    laid = {token.name for token in state.tokens if token.weapon == "Barricade"}
    walls = [
        replace(s, piece=replace(s.piece, kind="terrain")) for s in tokens(state, table) if s.name in laid
    ]
    on = in_play(state, table)
    on = replace(on, standings=(*on.standings, *walls))
    return len(reach_of(on, standing, state.car(name).speed).ends) > 0


def do_reverse(play: Play, action: Action) -> None:
    """In reverse for this round."""
    name = str(play.round.car)
    because = "would leave the surface" if action.data["because"] == "surface" else "cannot avoid a Collision"
    words = f"{name} {because} and goes in reverse"
    if _way_ahead(play.state, play.table, name):
        words = f"{name} has a free way forward and is let go in reverse"
    play.tell("reversed", words, DIRECTION, because=action.data["because"])


def check_floor_it(state: GameState, action: Action, _table: TableState | None) -> list[Reason]:
    """After a manoeuvre without a Collision, up to the sixth, unless the car burns."""
    turn, reasons = in_round(state, action, ("free",), FLOOR_IT)
    if turn is None or turn.car is None:
        return reasons
    if turn.manoeuvre >= MOST_MANOEUVRES:
        reasons.append(Reason(f"a round has at most {MOST_MANOEUVRES} Maneuvers", FLOOR_IT))
    if turn.car in turn.burning:
        words = f"{turn.car} drove over a Firebomb: no Floor It this round"
        reasons.append(Reason(words, cite("Weapons", "Firebomb")))
    return reasons


def is_last_car(state: GameState, player: str) -> bool:
    """Whether a player is down to one car and outnumbered."""
    if len(state.driving(player)) != 1:
        return False
    others = [len(state.driving(p)) for p in state.alive if p != player]
    if state.house.outnumbered == "by all opponents":
        return sum(others) > 1
    return max(others, default=0) > 1


def free_manoeuvre(state: GameState, turn: Round) -> bool:
    """Whether the next manoeuvre needs no Hazard Check."""
    return turn.manoeuvre == 1 and is_last_car(state, turn.driver)


def do_floor_it(play: Play, _action: Action) -> None:
    """Another manoeuvre if the Hazard Check succeeds; else the opponent to the right drives."""
    turn = play.round
    next_one = turn.manoeuvre + 1
    if free_manoeuvre(play.state, turn):
        words = f"{turn.driver} has one car against more: the second Maneuver is free"
        play.tell("floored", words, LAST_CAR, car=turn.car, manoeuvre=next_one)
        return
    roll = play.roll(6, f"hazard check of {turn.car}, {next_one}+ needed", HAZARD, turn.car or "")
    if roll.value >= next_one:
        words = f"{turn.car} floors it: Maneuver {next_one}"
        play.tell("floored", words, HAZARD, car=turn.car, manoeuvre=next_one, rolled=roll.value)
        return
    hands = play.state.right_of(turn.driver)
    play.tell(
        "lost control", f"{turn.driver} loses control, {hands} drives {turn.car}", LOSE_CONTROL,
        car=turn.car, manoeuvre=next_one, hands=hands, rolled=roll.value,
    )  # fmt: skip


def speeds(state: GameState, car: Car) -> tuple[int, ...]:
    """The Speeds that a car may change to."""
    by = PULSAR_CHANGE if car.brand == "Pulsar" else CHANGE
    low, high = max(1, car.speed - by), min(state.top_speed(car), car.speed + by)
    return tuple(s for s in range(low, high + 1) if s != car.speed)


def check_speed(state: GameState, action: Action, _table: TableState | None) -> list[Reason]:
    """After the manoeuvres, by up to 3 (a Pulsar 5), from 1 to the car's maximum."""
    turn, reasons = in_round(state, action, ("free", "speed"), SPEED)
    if turn is None or turn.car is None:
        return reasons
    car, to = state.car(turn.car), reading.whole(action.data, "to")
    by = PULSAR_CHANGE if car.brand == "Pulsar" else CHANGE
    top = state.top_speed(car)
    if not 1 <= to <= top:
        reasons.append(Reason(f"{car.name}'s Speed is 1 to {top}", SPEED))
    if abs(to - car.speed) > by:
        words = f"{car.name} changes its Speed by up to {by}, from {car.speed}"
        reasons.append(Reason(words, PULSAR if car.brand == "Pulsar" else SPEED))
    return reasons


def do_speed(play: Play, action: Action) -> None:
    """Another Speed, and the round is over."""
    name = play.round.car or ""
    car = play.state.car(name)
    wide = abs(action.data["to"] - car.speed) > CHANGE or play.round.stage == "speed"
    set_speed(play, name, action.data["to"], PULSAR if wide else SPEED)
    end(play, ROUNDS)


def check_end(state: GameState, action: Action, _table: TableState | None) -> list[Reason]:
    """After the manoeuvre, without changing Speed."""
    _, reasons = in_round(state, action, ("free", "speed"), ROUNDS)
    return reasons


def do_end(play: Play, _action: Action) -> None:
    """The round is over, the Speed stays."""
    end(play, ROUNDS)


def end(play: Play, citation: str) -> None:
    """The round is over; the next driver sits to the right."""
    turn = play.round
    play.tell("ended", f"{turn.driver}'s round {turn.number} is over", citation, driver=turn.driver)
    if len(play.state.alive) > 1:
        begin_round(play, play.state.right_of(turn.driver), turn.number + 1)


def begin(play: Play) -> None:
    """The first round: of the first driver, or of the next to the right who has a car."""
    first = play.state.first
    begin_round(play, first if first in play.state.alive else play.state.right_of(first), 1)


def begin_round(play: Play, driver: str, number: int) -> None:
    """Somebody becomes the driver."""
    play.tell("round", f"round {number}: {driver} drives", ROUNDS, number=number, driver=driver)


def settle(play: Play) -> None:
    """After every action: victory, and rounds that end by themselves."""
    if play.state.over or any(d.kind == "blast" for d in play.state.duties):
        return
    waiting = any(c.status == "waiting" for c in play.state.cars)
    if play.state.deployment is not None and not waiting and len(play.state.alive) <= 1:
        winner = next(iter(play.state.alive), None)
        words = f"{winner} wins" if winner else "nobody is left: nobody wins"
        play.tell("over", words, VICTORY, winner=winner)
        return
    turn = play.state.round
    if turn is None or play.state.duties:
        return
    if turn.car is None:
        if not play.state.driving(turn.driver):
            end(play, cite("Destroying a Car"))
        return
    car = play.state.car(turn.car)
    if not car.driving:
        end(play, cite("Destroying a Car"))
    elif (turn.collided and turn.stage != "speed") or (turn.lost and turn.stage in ("free", "done")):
        if car.brand == "Pulsar" and speeds(play.state, car):
            words = f"{car.name} is a Pulsar and may still change its Speed"
            play.tell("may change speed", words, PULSAR, car=car.name, player=turn.driver)
        else:
            end(play, cite("Collisions") if turn.collided else LOSE_CONTROL)
    elif turn.stage == "move" and turn.part and _nothing_left(play.state, car):
        play.tell(
            "goes on", f"nothing of Maneuver {turn.manoeuvre} of {car.name} is left", TRIGGER,
            car=car.name, driven=turn.driven, bent=turn.bent, over=True,
        )  # fmt: skip
        settle(play)


def _nothing_left(state: GameState, car: Car) -> bool:
    """Whether a car has lost so much Speed where a token has put it that its manoeuvre is at its end."""
    return state.to_drive(car.name) <= state.house.length_tolerance


def to_deploy(state: GameState) -> tuple[str, ...]:
    """The players who may place a car now.

    In the arena all may at once, each at an edge of their own; on the highway one car after the other,
    from the first driver on to the right.
    """
    waiting = [p for p in state.players if any(c.owner == p and c.status == "waiting" for c in state.cars)]
    if state.deployment != "highway" or not waiting:
        return tuple(waiting)
    placed = {p: sum(1 for c in state.cars if c.owner == p and c.status != "waiting") for p in waiting}
    seat = state.players.index(state.first)
    order = [*state.players[seat:], *state.players[:seat]]
    return (min(waiting, key=lambda p: (placed[p], order.index(p))),)


# Giving up

GIVES_UP = house("Giving up")


def concede(play: Play, player: str) -> None:
    """Takes a player's cars off the table; `Illegal` for one who has none left."""
    mine = [car.name for car in play.state.cars if car.owner == player and car.still_in]
    if not mine:
        raise Illegal([Reason(f"{player} has no car in the game", GIVES_UP)])
    for name in mine:
        play.tell("left", f"{name} is taken off the table", GIVES_UP, car=name, status="removed")
    left = _left(play.state)
    if len(left) == 1:
        play.tell("over", f"{left[0]} wins", GIVES_UP, winner=left[0])
        return
    if play.state.deployment is not None and play.state.round is None and not to_deploy(play.state):
        begin(play)
    settle(play)


def _left(state: GameState) -> list[str]:
    """The players who have a car in the game."""
    owners = {car.owner for car in state.cars if car.still_in}
    return [player for player in state.players if player in owners]
