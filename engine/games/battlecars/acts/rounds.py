"""Game turns: speeds revealed together, turns one after the other, smoke, what follows by itself, the end."""

from __future__ import annotations

from engine.game.about import house
from engine.game.events import Action, Illegal, Reason
from engine.games.battlecars.acts.beginning import driver_of
from engine.games.battlecars.book.data import CLEARS, SMOKE, cite
from engine.games.battlecars.rules.moves import runs_on
from engine.games.battlecars.state import GameState, Person, Play, Vehicle
from engine.ruling import signed

GAME_TURN = cite("Game Turn")
SPEEDS = cite("Game Turn")
SMOKING = cite("Game Turn", "Roll for Smoke Markers")
VICTORY = house("Victory")
STUN = cite("Crashing and Ramming", "Damage from Rams and Crashes")


def do_speed(play: Play, action: Action) -> None:
    """The Speed Counters are revealed; the turns follow from the first player on."""
    speeds: dict[str, int] = {}
    for player, said in action.data["choices"].items():
        for number, vehicle in enumerate(play.state.choosing(player), start=1):
            speeds[vehicle.name] = int(said.get(speed_field(number), usual_speed(vehicle)))
    _reveal(play, speeds)


def speed_field(number: int) -> str:
    """The field for the Speed Counter of a player's vehicle, counted from 1."""
    return f"speed_{number}"


def usual_speed(vehicle: Vehicle) -> int:
    """The Speed that is meant where none is given: as it is, within what may be chosen."""
    low, high = vehicle.speeds
    return min(max(vehicle.speed, low), high)


def _reveal(play: Play, speeds: dict[str, int]) -> None:
    state = play.state
    queue = [p.name for player in state.order for p in state.people if p.owner == player and plays(state, p)]
    words = ", ".join(f"{name}: {signed(speed, 'd')}" for name, speed in speeds.items())
    play.tell(
        "revealed", f"Speed Counters: {words}" if speeds else "nobody has a Speed Counter to place", SPEEDS,
        speeds=speeds, queue=queue,
    )  # fmt: skip


def plays(state: GameState, person: Person) -> bool:
    """Whether a driver has a turn to come: alive, or dead with a vehicle that still runs on."""
    return not person.dead or _runaway(state, person) is not None


def _runaway(state: GameState, person: Person) -> str | None:
    """The vehicle of a dead driver that is in motion with nobody in it."""
    for v in state.vehicles:
        if v.here and v.speed and v.driver is None and _drove_last(state, v) == person.name:
            return v.name
    return None


def _drove_last(state: GameState, vehicle: Vehicle) -> str:
    """Who drove a vehicle in which nobody is left: whoever lies dead in it, else its own driver."""
    return next((p.name for p in state.people if p.lies_in == vehicle.name), driver_of(vehicle.name))


def settle(play: Play, *, rolling: bool = True) -> None:
    """Everything that follows by itself, up to where somebody has to do something.

    Not `rolling`: what needs dice is left for an action.
    """
    while not play.state.over:
        state = play.state
        if state.reply is not None:
            return
        if state.phase == "setup":
            if state.first is None:
                return
            _new_round(play)
        elif _victory(play) or not _goes_on(play, rolling=rolling):
            return


def _goes_on(play: Play, *, rolling: bool) -> bool:
    """One step that follows by itself; False where somebody has to do something."""
    state = play.state
    if state.phase == "speed":
        if not state.choosing():
            _reveal(play, {})
        return not state.choosing()
    if state.turn is not None:
        return _over(play)
    following = next((name for name in state.queue if plays(state, state.person(name))), None)
    if following is not None:
        return _begin_turn(play, following, rolling=rolling)
    return _end_round(play, rolling=rolling)


def _over(play: Play) -> bool:
    """Whether a turn ends by itself: of a dead or stunned driver."""
    state, turn = play.state, play.turn
    person = state.person(turn.person)
    vehicle = state.driven(person)
    if person.dead:
        play.tell("ended", f"the turn of the {person.name} is over", GAME_TURN, person=person.name)
        return True
    if vehicle is not None and vehicle.stunned:
        words = f"the {person.name} is stunned"
        play.tell("ended", words, STUN, person=person.name, vehicle=vehicle.name)
        return True
    return False


def _begin_turn(play: Play, name: str, *, rolling: bool) -> bool:
    state = play.state
    person = state.person(name)
    away = _runaway(state, person)
    if away is not None and not rolling:
        return False
    words = f"{person.owner}: the turn of the {person.name}"
    play.tell("played", words, GAME_TURN, person=name, player=person.owner)
    if away is not None:
        runs_on(play, away)
    return True


def _end_round(play: Play, *, rolling: bool) -> bool:
    """Smoke is rolled for, the next game turn begins."""
    smoke = [t for t in play.state.tokens if t.kind == SMOKE]
    if smoke:
        if not rolling:
            return False
        by = next(p for p in play.state.order if p in play.state.alive)
        faces = play.d8(f"Smoke Markers, removed on {CLEARS}+", SMOKING, by, (), len(smoke))
        for face, token in zip(faces, smoke, strict=True):
            if face >= CLEARS:
                play.tell("removed", f"{token.name} is removed", SMOKING, token=token.name)
    _new_round(play)
    return True


def _new_round(play: Play) -> None:
    state = play.state
    number = state.round + 1
    quiet = state.quiet + 1 if state.calm and state.round else 0
    if state.round and quiet >= state.house.quiet:
        _end(play, f"after {quiet} game turns without damage")
    elif number > state.house.rounds:
        _end(play, f"after {state.round} game turns")
    else:
        play.tell("round", f"game turn {number}", GAME_TURN, number=number, quiet=quiet)


def _victory(play: Play) -> bool:
    if len(play.state.alive) > 1:
        return False
    _end(play, "the last with a living driver")
    return True


def _end(play: Play, why: str) -> None:
    """Who has most armour and components left in vehicles that they drive has won; of one left that is it."""
    state = play.state
    worth = {
        p: sum(v.intact for v in state.vehicles if v.driver and state.person(v.driver).owner == p)
        for p in state.alive
    }
    best = [p for p in worth if worth[p] == max(worth.values())]
    winner = best[0] if len(best) == 1 else None
    words = f"{winner} wins: {why}" if winner else f"Nobody wins: {why if worth else 'no driver is alive'}"
    if len(worth) > 1:
        words += f" ({', '.join(f'{p} {points}' for p, points in worth.items())} points undamaged)"
    play.tell("over", words, VICTORY, winner=winner)


def do_done(play: Play, _action: Action) -> None:
    """A driver does nothing more this turn."""
    name = play.turn.person
    play.tell("ended", f"the turn of the {name} is over", GAME_TURN, person=name)


# Giving up

GIVES_UP = house("Giving up")


def concede(play: Play, player: str) -> None:
    """Takes a player's vehicles off the board; `Illegal` for one who has no living driver."""
    if player not in play.state.alive:
        raise Illegal([Reason(f"{player} has no driver in the game", GIVES_UP)])
    play.tell("withdrew", f"{player}'s vehicles are taken off the board", GIVES_UP, player=player)
    left = play.state.alive
    if len(left) == 1:
        play.tell("over", f"{left[0]} wins", GIVES_UP, winner=left[0])
        return
    settle(play, rolling=False)
