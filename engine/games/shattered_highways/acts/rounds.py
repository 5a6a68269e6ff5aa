"""Putting vehicles down, the order of play, turns one after the other, and the end of the game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.game.about import house
from engine.game.events import Action, Illegal, Reason
from engine.games.shattered_highways.book.data import DEPLOYMENTS, SECTION, cite
from engine.games.shattered_highways.rules.damage import drop, leave, reach_edge, roll_due
from engine.games.shattered_highways.state import Duty, GameState, Play, Turn, Vehicle, Warrior, due

SETUP = cite("Play Setup")
COMBAT = cite("A Combat Round")
WITHIN = cite("Within a Round")
UNMANNED = cite("Driver Actions")
EDGE = cite("Move")
VICTORY = house("Victory")
DEPLOYMENT = house("Deployment")

AGAIN = ", again after {} each"
"""Why a die of a tie is rolled again."""


# Before the first round


def do_deployment(play: Play, action: Action) -> None:
    """The players agree how the vehicles start."""
    chosen = action.data["deployment"]
    words = f"deployment {chosen}: {DEPLOYMENTS[chosen]}"
    play.tell("deployment", words, DEPLOYMENT, deployment=chosen)


def do_first(play: Play, _action: Action) -> None:
    """A D6 each; the highest puts the first vehicle down."""
    order = play.roll_off(play.state.fighting, "who goes first", SETUP, tied=AGAIN)
    play.tell("first", f"{order[0]} puts the first vehicle down", SETUP, player=order[0])


def to_deploy(state: GameState) -> str | None:
    """The player who puts the next vehicle down: in turn, from the first on."""
    waiting = [p for p in state.players if any(v.status == "waiting" for v in state.fleet(p))]
    if state.first is None or not waiting:
        return None
    seat = state.players.index(state.first)
    order = [*state.players[seat:], *state.players[:seat]]
    down = {p: sum(v.status not in ("waiting", "hidden") for v in state.fleet(p)) for p in waiting}
    return min(waiting, key=lambda p: (down[p], order.index(p)))


def chase_words(state: GameState, player: str) -> str:
    """Where a player's vehicles start in a chase, for people; empty where it is none."""
    if state.deployment != "chase" or state.first is None:
        return ""
    return "ahead of all the others'" if player == state.first else f"behind all of {state.first}'s"


def do_deploy(play: Play, action: Action) -> None:
    """A vehicle stands where its player chose."""
    vehicle = play.state.vehicle(action.data["vehicle"])
    words = f"{vehicle.owner} puts {vehicle.name} down"
    play.tell("deployed", words, SETUP, vehicle=vehicle.name)


# The order of play


def do_order(play: Play, action: Action) -> None:
    """The orders are revealed and a D6 rolled by each: number by number, the highest roll first."""
    numbers: dict[str, dict[str, int]] = {}
    for player, said in action.data["choices"].items():
        names = list(said["vehicles"])
        chosen = said.get("numbers") or range(1, len(names) + 1)
        mine = [chosen] if isinstance(chosen, int) else sorted(chosen)
        numbers[player] = dict(zip(names, mine, strict=True))
    ordering = tuple(p for p in play.state.players if p in numbers)
    order = play.roll_off(ordering, "play order", COMBAT, tied=AGAIN)
    queue = [
        name
        for slot in range(1, play.state.slots + 1)
        for player in order
        for name, number in numbers[player].items()
        if number == slot
    ]
    number = play.state.round + 1
    words = f"round {number}: {', '.join(queue)}"
    play.tell("round", words, COMBAT, number=number, queue=queue, numbers=numbers, vehicles=queue)


# Turns


def do_done(play: Play, _action: Action) -> None:
    """A player's warriors do nothing more with this vehicle in its turn."""
    _next_hands(play)


def _next_hands(play: Play) -> None:
    turn = play.turn
    if later := following(play.state, turn):
        words = f"{later[0]}'s warriors on {turn.vehicle} act"
        play.tell("hands", words, WITHIN, player=later[0], later=later[1:])
    else:
        play.tell("finished", f"the turn of {turn.vehicle} is at its end", WITHIN, vehicle=turn.vehicle)


def settle(play: Play, *, rolling: bool = True) -> None:
    """Everything that follows by itself, up to where somebody has to do something.

    Not `rolling`: what needs dice is left for an action.
    """
    while not play.state.over:
        if rolling:
            roll_due(play)
        if due(play.state) is not None or to_deploy(play.state) is not None or play.state.first is None:
            return
        if _victory(play):
            return
        if play.state.turn is None:
            if not play.state.queue:
                return
            _begin_turn(play, play.state.queue[0])
        elif not _go_on(play):
            return


def _begin_turn(play: Play, name: str) -> None:
    """Who has fewer warriors on it acts first; of as many, whose vehicle it is."""
    state, vehicle = play.state, play.state.vehicle(name)
    counts = {p: sum(w.owner == p for w in state.aboard(name)) for p in state.players}
    may = {w.owner for w in crew(state, name)}
    there = [p for p in state.players if p in may]
    there.sort(key=lambda p: (counts[p], p != vehicle.control))
    hands, *later = there or [vehicle.control]
    words = f"{name} is played" + (f", {hands}'s warriors first" if later else "")
    play.tell(
        "played", words, WITHIN, vehicle=name, hands=hands, later=later,
        stage="play" if there else "over", late=vehicle.status == "behind",
    )  # fmt: skip


def crew(state: GameState, name: str) -> tuple[Warrior, ...]:
    """Who may act in a vehicle's turn: all on it, and whoever may drive a Hidden Buggy out of its trailer."""
    aboard, late = state.aboard(name), state.vehicle(name).status == "behind"
    inside = [v for v in state.vehicles if v.hidden_in == name and v.status == "hidden" and not late]
    drivers = (state.driver(buggy.name) for buggy in inside)
    return (*aboard, *(w for w in drivers if w is not None and not w.acted))


def following(state: GameState, turn: Turn) -> list[str]:
    """Who acts after whoever acts now: nobody whose last warrior there has fallen in this turn."""
    there = {w.owner for w in crew(state, turn.vehicle)}
    return [player for player in turn.later if player in there]


def _go_on(play: Play) -> bool:
    """Takes the turn one step further; False when its player has something to do."""
    turn, state = play.turn, play.state
    vehicle = state.vehicle(turn.vehicle)
    if not vehicle.in_play:
        play.tell("ended", f"the turn of {vehicle.name} is over", WITHIN, vehicle=vehicle.name)
        return True
    if turn.stage == "play":
        if any(w.owner == turn.hands for w in crew(state, vehicle.name)):
            return False
        _next_hands(play)
        return True
    if turn.stage == "moving":
        return False
    _finish(play, vehicle)
    return True


def left_behind(state: GameState, turn: Turn) -> bool:
    """Whether a vehicle whose turn ends now has had its last chance to get back from the back edge."""
    return turn.late and state.vehicle(turn.vehicle).status == "behind"


def falls_back(state: GameState, turn: Turn) -> bool:
    """Whether a vehicle whose turn ends now falls back, as nobody drives it."""
    driving = state.vehicle(turn.vehicle).status == "driving"
    return driving and is_unmanned(state, turn.vehicle) and not turn.fell


def _finish(play: Play, vehicle: Vehicle) -> None:
    """The end of a vehicle's turn: whose it is now, whether it is left behind, whether anybody drives."""
    turn, state, name = play.turn, play.state, vehicle.name
    owners = [w.owner for w in state.aboard(name)]
    if owners and vehicle.control not in owners:
        taker = max(state.players, key=owners.count)
        words = f"{taker} takes {name}: nobody of {vehicle.control}'s is left on it"
        play.tell("captured", words, WITHIN, vehicle=name, player=taker, was=vehicle.control)
    elif left_behind(state, turn):
        drop(play, name, f"{name} has dropped too far back", EDGE)
    elif falls_back(state, turn):
        # A Rig that drags a destroyed trailer is "treated as Unmanned", though somebody may drive it.
        driven = state.driver(name) is not None
        words = f"{name} drags its trailer and falls back as if unmanned" if driven else ""
        play.tell("unmanned", words or f"{name} is unmanned and falls back", UNMANNED, vehicle=name)
        by = vehicle.control
        play.owe(
            Duty("fall back", name, UNMANNED, by=by), f"{name} has to be moved {SECTION:g} in straight back"
        )
        words = f"a D6 has to be rolled for {name}" + ", which nobody drives" * (not driven)
        play.owe(Duty("unmanned", name, UNMANNED, by=by), words)
    else:
        play.tell("ended", f"the turn of {name} is over", WITHIN, vehicle=name)


def is_unmanned(state: GameState, name: str) -> bool:
    """Whether nobody drives it, or it drags a destroyed trailer."""
    return state.driver(name) is None or state.vehicle(name).dragging


def _victory(play: Play) -> bool:
    """One player is left, nobody is, or the agreed rounds are over."""
    state = play.state
    alive = state.alive
    last = state.house.rounds and state.round >= state.house.rounds
    if len(alive) > 1 and not (last and state.turn is None and not state.queue):
        return False
    worth = {p: strength(state, p) for p in alive}
    best = [p for p in alive if worth[p] == max(worth.values())]
    winner = best[0] if len(best) == 1 else None
    words = f"{winner} wins" if winner else "Nobody wins"
    if len(alive) > 1:
        each = ", ".join(f"{p} {', '.join(map(str, worth[p]))}" for p in alive)
        words += f" after {state.round} rounds (creation points, hit points, warriors: {each})"
    play.tell("over", words, VICTORY, winner=winner)
    return True


def strength(state: GameState, player: str) -> tuple[int, int, int]:
    """What decides after the agreed rounds (house default), the first that differs.

    The creation points of the classes of all vehicles that a player controls in play, their hit points, and
    the player's warriors on the road.
    """
    mine = [v for v in state.in_play() if v.control == player]
    hits = sum(v.hits + (v.trailer or 0) for v in mine)
    warriors = sum(w.owner == player for v in state.in_play() for w in state.aboard(v.name))
    return sum(v.cls.points for v in mine), hits, warriors


def edge_reached(play: Play, name: str, action: Action) -> None:
    """What a move says of an edge of the play space."""
    edge = action.data.get("edge")
    reach_edge(play, name, None if edge == "none" else edge)


# Giving up

GIVES_UP = house("Giving up")


def concede(play: Play, player: str) -> None:
    """Takes a player's side out of the fight; `Illegal` for one who has nobody left."""
    if player not in play.state.fighting:
        raise Illegal([Reason(f"{player} has no warrior in the fight", GIVES_UP)])
    for name in [v.name for v in play.state.vehicles]:
        _give_up(play, name, player)
    for warrior in play.state.warriors:
        if warrior.owner == player and not play.state.warrior(warrior.name).out:
            leave(play, warrior.name, f"{warrior.name} is out of the fight", GIVES_UP)
    left = play.state.fighting
    if len(left) == 1:
        play.tell("over", f"{left[0]} wins", GIVES_UP, winner=left[0])
        return
    _hand_on(play, player)
    settle(play, rolling=False)


def _give_up(play: Play, name: str, player: str) -> None:
    """A vehicle of the player leaves the road, unless others are on it: then it is theirs."""
    vehicle = play.state.vehicle(name)
    if vehicle.control != player or vehicle.status in ("destroyed", "gone"):
        return
    others = [w.owner for w in play.state.aboard(name) if w.owner != player]
    if not others:
        drop(play, name, f"{name} leaves the road", GIVES_UP)
        return
    taker = max(play.state.players, key=others.count)
    play.tell("captured", f"{taker} takes {name}", GIVES_UP, vehicle=name, player=taker, was=player)


def _hand_on(play: Play, player: str) -> None:
    """A move that is under way is brought to its end by whoever has the vehicle now."""
    turn = play.state.turn
    if turn is None or turn.hands != player or turn.stage != "moving":
        return
    vehicle = play.state.vehicle(turn.vehicle)
    if vehicle.in_play:
        first, *later = [p for p in turn.later if p != player] or [vehicle.control]
        words = f"{first} moves {vehicle.name} on"
        play.tell("hands", words, GIVES_UP, player=first, later=later)


SEVERAL = cite("Nudge")


def together(state: GameState, action: Action) -> tuple[Reason, ...]:
    """What is wrong with answers that are right one by one: only a Rig's side strikes several."""
    said: Mapping[str, Any] = action.data
    if action.kind not in ("nudge", "ram") or len(said.get("targets") or ()) < 2:
        return ()
    if state.vehicle(str(said["vehicle"])).is_rig and said.get("side", "front") in ("left", "right"):
        return ()
    return (Reason("several vehicles at once are struck with the left or right side of a Rig only", SEVERAL),)
