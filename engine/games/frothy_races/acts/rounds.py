"""Rounds: what is owed, wrecks that roll on, movement phases in order of initiative, maintenance."""

from __future__ import annotations

from engine.game.about import house
from engine.game.events import Illegal, Reason
from engine.games.frothy_races.acts.cards import swaps
from engine.games.frothy_races.acts.moving import MOVEMENT, end_turn, may_whip
from engine.games.frothy_races.acts.runners import RUNNERS, run_on, starts
from engine.games.frothy_races.acts.winning import end_by_rounds, victory
from engine.games.frothy_races.book.data import PHASES, cite
from engine.games.frothy_races.book.speeds import rated
from engine.games.frothy_races.rules.collisions import facings, traited
from engine.games.frothy_races.rules.control import basic_dice, do_pace, do_skid, landed, slide_side
from engine.games.frothy_races.rules.damage import WIPE_OUT, damage_task, do_damage, do_rate, needs_dice
from engine.games.frothy_races.rules.moves import beside, stands, step_to
from engine.games.frothy_races.rules.order import initiative
from engine.games.frothy_races.state.fold import Play
from engine.games.frothy_races.state.game_state import Task, Vehicle
from engine.ruling import many

ROUNDS = cite("Rounds and Phases")
INITIATIVE = cite("Movement", "Movement & Initiative")
MAINTENANCE = cite("Maintenance Checks")
STAMINA = cite("Maintenance Checks", "Stamina Check")
RECOVERY = cite("Maintenance Checks", "Card Recovery")
EFFECTS = cite("Permanent Damage Affects")
TRAITS = cite("Traits")
WRECK_HITS = house("A wreck that rolls into a vehicle comes to rest, and the vehicle makes a Damage roll")


def settle(play: Play, *, rolling: bool = True) -> None:
    """Everything that follows by itself, up to where somebody has to do something.

    Not `rolling`: what needs dice is left for an action.
    """
    while not play.state.over:
        state = play.state
        if state.agenda:
            if not _resolved(play, rolling=rolling):
                return
        elif state.attack is not None:
            return
        elif state.phase == "setup":
            if state.track is None:
                return
            _new_round(play)
        elif victory(play) or not _goes_on(play):
            return


def _resolved(play: Play, *, rolling: bool) -> bool:
    """Whether the first on the agenda needed no player."""
    task = play.state.agenda[0]
    v = play.vehicle(task.vehicle)
    kind = task.kind
    if not v.races:
        play.resolve()
    elif kind == "damage":
        if not rolling and needs_dice(v):
            return False
        do_damage(play, play.resolve())
    elif kind == "control":
        if basic_dice(v) or "icons" in task.data:
            return False
        landed(play, play.resolve())
    elif kind == "runner":
        if not rolling:
            return False
        starts(play, play.resolve())
    elif kind == "skid":
        do_skid(play, play.resolve())
    elif kind == "pace":
        do_pace(play, play.resolve())
    elif kind == "rate":
        do_rate(play, play.resolve())
    elif kind == "reface" and not facings(play.state, v)[0]:
        play.resolve()
    else:
        return False
    return True


def _goes_on(play: Play) -> bool:
    """One step that follows by itself; False where somebody has to do something."""
    state = play.state
    if state.phase == "check":
        if not all(v.checked for v in state.racing):
            return False
        if not state.rolled:
            # A new round has checked nobody: who has checked was wiped out in this one.
            wrecks = [v for v in state.vehicles if v.rolling and not v.checked]
            words = "wrecks roll on" if wrecks else "no wreck rolls on"
            play.tell("wrecks moved", words, WIPE_OUT)
            for wreck in wrecks:
                _rolls_on(play, wreck.name)
        else:
            _phase(play, 1)
        return True
    if state.phase == "maintenance":
        _new_round(play)
        return True
    return _in_phase(play)


def _in_phase(play: Play) -> bool:
    state = play.state
    if state.turn is not None:
        v, turn = state.vehicle(state.turn.vehicle), state.turn
        if turn.lost or (turn.left == 0 and turn.moved == 0 and not may_whip(state, v, turn)):
            end_turn(play, v.name)
            return True
        return False
    order = initiative(state)
    if not order:
        if state.step < PHASES:
            _phase(play, state.step + 1)
        else:
            _maintenance(play)
        return True
    still = [v.name for v in order if not v.licence.spaces(state.step, v.speed) and not v.whips]
    if still:
        words = f"{', '.join(still)} {'does' if len(still) == 1 else 'do'} not move in this phase"
        play.tell("waits", words, MOVEMENT, vehicles=still)
        return True
    v = order[0]
    left = v.licence.spaces(state.step, v.speed)
    words = f"{v.owner}: {v.name} has {many(left, 'space')} to move"
    play.tell("plays", words, INITIATIVE, vehicle=v.name, left=left)
    return True


def _phase(play: Play, number: int) -> None:
    play.tell("phase", f"movement phase {number}", ROUNDS, number=number)
    run_on(play)


# Wrecks


def _rolls_on(play: Play, name: str) -> None:
    """A wreck loses a Speed rating and rolls a space, leaving debris, up to Speed 0 or a solid obstacle."""
    v = play.vehicle(name)
    if v.speed == 0 or v.cell is None:
        play.tell("rests", f"the wreck of {name} comes to rest", WIPE_OUT, vehicle=name)
        return
    speed = v.speed - 1
    side = slide_side(play.state, v, v.heading, v.side)
    there = beside(v.cell, step_to(v.heading, side))
    into = stands(play.state, there, name)
    if into:
        words = f"the wreck of {name} comes to rest before {into}"
        play.tell("rests", words, WIPE_OUT, vehicle=name)
        other = next((o for o in play.state.racing if o.name == into), None)
        if other is not None and (dice := traited(max(speed, 1), other)):
            play.owe(damage_task(other.name, dice, f"the wreck of {name}", WRECK_HITS))
        return
    number = play.state.debris + 1
    left = list(v.cell)
    words = f"the wreck of {name} rolls to {play.state.board.name_of(there)}"
    play.tell(
        "rolled on", words, WIPE_OUT, vehicle=name, cell=list(there), speed=speed,
        side=side if side in ("L", "R") else "",
    )  # fmt: skip
    words = f"{name} leaves Debris {number} behind"
    play.tell(
        "laid", words, WIPE_OUT, obstacle=f"Debris {number}", sort="fragile", cell=left, worth=0, vehicle=name
    )
    if speed == 0:
        play.tell("rests", f"the wreck of {name} comes to rest", WIPE_OUT, vehicle=name)


# Maintenance


def _maintenance(play: Play) -> None:
    play.tell("maintenance", "maintenance checks", MAINTENANCE)
    for v in play.state.racing:
        if play.state.rules.stamina:
            _stamina(play, v.name)
        _recovers(play, v.name)
        if v.trait("Reactions"):
            play.add_control(v.name, -v.trait("Reactions"), "Reactions")
    tasks = [
        Task("recover", v.name, f"{v.name} may play Determination", RECOVERY)
        for v in play.state.racing
        if any(c.special == "Determination" for c in v.hand()) and any(c.where != "hand" for c in v.cards)
    ]
    play.owe(*tasks)


def _stamina(play: Play, name: str) -> None:
    """The Stamina row at its Speed, then the effects of all that it lost."""
    v = play.vehicle(name)
    stamina = min(max(v.stamina + v.licence.stamina[v.speed], 0), v.licence.endurance)
    if stamina != v.stamina:
        words = f"{name}: Stamina {v.stamina} becomes {stamina} at Speed {v.speed}"
        play.tell("stamina", words, STAMINA, vehicle=name, stamina=stamina)
    v = play.vehicle(name)
    slower = sum(e.amount for e in v.tired if e.sort == "speed")
    if slower and v.speed:
        marker = rated(v.licence, play.marker(name), v.speed - slower, v.top)
        play.set_speed(name, marker, f"tired, Stamina {v.stamina}", STAMINA)


def _recovers(play: Play, name: str) -> None:
    """Cards in the Recovery box return to the hand, those in the Spent box move to the Recovery box."""
    v = play.vehicle(name)
    hand = [c.name for c in v.cards if c.where == "recovery"]
    recovery = [c.name for c in v.cards if c.where == "spent"]
    if hand or recovery:
        words = f"{name} recovers {many(len(hand), 'card')}, {len(recovery)} follow next round"
        play.tell("recovered", words, RECOVERY, vehicle=name, hand=hand, recovery=recovery)


def _new_round(play: Play) -> None:
    number = play.state.round + 1
    if number > play.state.rules.rounds:
        end_by_rounds(play)
        return
    play.tell("round", f"round {number}", ROUNDS, number=number)
    tasks = [
        Task("adapt", v.name, f"{v.name} may swap cards", TRAITS)
        for v in play.state.racing
        if v.trait("Adaptive") and swaps(v)
    ]
    for v in play.state.racing:
        _begins(play, v)
        dice = v.amount("damage a round")
        if dice:
            tasks.append(damage_task(v.name, dice, "Damage / Round", EFFECTS))
    state = play.state
    if state.rules.race == "Scoring" and state.runners < state.rules.runners:
        tasks.append(Task("runner", state.racing[0].name, "a runner starts", RUNNERS))
    play.owe(*tasks)


def _begins(play: Play, v: Vehicle) -> None:
    """What a vehicle's effects and traits do at the start of a round."""
    play.add_control(v.name, v.amount("control a round"), "Control / Round")
    spent = [c.name for c in v.cards if c.where == "spent"][: v.trait("Stamina")]
    if spent:
        words = f"{v.name} recovers {', '.join(spent)}"
        play.tell("recovered", words, TRAITS, vehicle=v.name, hand=spent, recovery=[])


# Giving up

GIVES_UP = house("Giving up")


def concede(play: Play, player: str) -> None:
    """Takes a player's vehicle off the track; `Illegal` for one who is not racing."""
    mine = [v for v in play.state.racing if v.owner == player]
    if play.state.over or not mine:
        raise Illegal([Reason(f"{player} has no vehicle in the race", GIVES_UP)])
    words = f"{player}'s vehicle is taken off the track"
    play.tell("withdrew", words, GIVES_UP, player=player)
    left = {v.owner for v in play.state.racing}
    if len(left) <= 1:
        winner = next(iter(left), None)
        play.tell("over", f"{winner} wins" if winner else "Nobody wins", GIVES_UP, winner=winner)
        return
    settle(play, rolling=False)
