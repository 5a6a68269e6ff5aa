"""Rounds and phases, who is where in the race, and who has won."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile

from engine.boards.hexes import distance
from engine.game.about import house
from engine.game.events import Illegal, Reason
from engine.games.frothy_races.acts.beginning import RUNNERS, run_on, starts
from engine.games.frothy_races.acts.moving import MOVEMENT, end_turn, may_whip, swaps
from engine.games.frothy_races.book.data import FOR_PLACES, PHASES, cite, rated
from engine.games.frothy_races.rules import control
from engine.games.frothy_races.rules.damage import WIPE_OUT, damage_task, do_damage, do_rate, needs_dice
from engine.games.frothy_races.rules.moves import (
    LEVEL,
    beside,
    in_order,
    initiative,
    placings,
    stands,
    step_to,
)
from engine.games.frothy_races.state import GameState, Play, Task, Vehicle
from engine.ruling import many
from engine.words import listed

# When a race is over and who has won, by race type; places, points and teams.

LEFT_ALONE = house("Whoever is left alone has won")
NEAREST = house("Who has won where no Hound destroyed the Fox")
AT_THE_LIMIT = house("After the last round")


def race_cited(state: GameState) -> str:
    """Where the book describes the race type."""
    return cite("Race Types", state.rules.race)


def victory(play: Play) -> bool:
    """End at once a race that is won, whatever is still owed then. Says whether it is over."""
    return _home(play) or _caught(play)


def _home(play: Play) -> bool:
    """End it where somebody is across the finish line: that one has won."""
    rules, racing = play.state.rules, play.state.racing
    if rules.race not in ("Fastest", "Scoring") or all(v.travelled < rules.laps - LEVEL for v in racing):
        return False
    _finish(play, placings(play.state)[0].name, "first across the finish line")
    return True


def _caught(play: Play) -> bool:
    """End it where somebody has caught up with whom they hunt: that one has won."""
    state = play.state
    if state.rules.race not in ("Pursuit", "Fox and Hounds") or state.track is None:
        return False
    caught = next(((a, b) for a in state.racing for b in state.racing if _catches(state, a, b)), None)
    if caught is None:
        return False
    _end(play, caught[0], f"{caught[0].name} has caught up with {caught[1].name}")
    return True


def _alone(play: Play) -> bool:
    """Only one vehicle, or one team, is left; or the Fox is wiped out."""
    state, left = play.state, play.state.racing
    if not left:
        play.tell("over", "Nobody wins: every vehicle is wiped out", LEFT_ALONE, winner=None)
        return True
    if all(state.allied(left[0], v) for v in left[1:]):
        best = next(v for v in placings(state) if v.races)
        if state.rules.race == "Toughest":
            _end(play, best, "the last one in the race")
        else:
            _end(play, best, "left alone", LEFT_ALONE)
        return True
    if state.fox and not state.vehicle(state.fox).races:
        _fox_is_out(play)
        return True
    return False


def _fox_is_out(play: Play) -> None:
    """The Hound that destroyed the Fox has won; where none did that is left, the nearest."""
    state, hounds = play.state, [v for v in placings(play.state) if v.races]
    by = next((v for v in hounds if v.name == state.vehicle(state.fox).wrecker), None)
    if by is not None:
        _end(play, by, f"{by.name} has destroyed {state.fox}")
    else:
        why = f"{state.fox} is out of the race, and {hounds[0].name} was the nearest Hound"
        _end(play, hounds[0], why, NEAREST)


def _catches(state: GameState, one: Vehicle, other: Vehicle) -> bool:
    """Whether one comes level with the other or stands beside it (house default)."""
    if one.name == other.name or state.allied(one, other):
        return False
    if state.fox and other.name != state.fox:
        return False
    gap = (other.start - one.start) % 1.0
    ahead = gap - ((one.travelled - one.start) - (other.travelled - other.start))
    assert one.cell is not None
    assert other.cell is not None
    beside = distance(one.cell, other.cell) <= 1 and ahead <= 0.5
    return ahead <= LEVEL or beside


def _finish(play: Play, first: str, why: str) -> None:
    """The race is run; in a Scoring race the places bring points, and points decide."""
    state = play.state
    if state.rules.race != "Scoring":
        _end(play, state.vehicle(first), why)
        return
    for v, points in zip((v for v in placings(state) if v.races), FOR_PLACES, strict=False):
        words = f"{v.name} scores {points} for its place"
        play.tell("scored", words, race_cited(state), vehicle=v.name, points=points)
    _by_points(play, why)


def _by_points(play: Play, why: str) -> None:
    """The player or team with the most points has won; tied ones share it with nobody.

    Who has given up, and whose team is gone with them, is past winning.
    """
    state = play.state
    totals = {v.team or v.owner: 0 for v in state.vehicles if not v.gone}
    for v in state.vehicles:
        if (v.team or v.owner) in totals:
            totals[v.team or v.owner] += v.points
    best = [who for who, points in totals.items() if points == max(totals.values())]
    scores = ", ".join(f"{who} {points}" for who, points in totals.items())
    if len(best) > 1:
        play.tell("over", f"Nobody wins: the points tie ({scores})", race_cited(state), winner=None)
        return
    leader = next(v for v in placings(state) if best[0] in (v.team, v.owner))
    play.tell("over", f"{best[0]} wins: {why} ({scores})", race_cited(state), winner=leader.owner)


def _end(play: Play, best: Vehicle, why: str, citation: str = "") -> None:
    who = f"team {best.team}" if best.team else best.owner
    play.tell("over", f"{who} wins: {why}", citation or race_cited(play.state), winner=best.owner)


def end_by_rounds(play: Play) -> None:
    """The last round is over: Furthest is decided, the others by what they are about (house default)."""
    state = play.state
    race, left = state.rules.race, [v for v in placings(state) if v.races]
    after = f"after {state.rules.rounds} rounds"
    if race == "Scoring":
        _finish(play, left[0].name, after)
    elif race == "Furthest":
        _end(play, left[0], f"furthest {after}")
    elif race == "Toughest":
        _ahead(play, {v.name: v.licence.damage - v.damage for v in left}, f"it can take the most {after}")
    elif state.fox:
        _end(play, state.vehicle(state.fox), f"not caught {after}", AT_THE_LIMIT)
    elif race == "Pursuit":
        _ahead(play, {v.name: v.travelled - v.start for v in left}, f"it has gained most {after}")
    else:
        _end(play, left[0], f"in front {after}", AT_THE_LIMIT)


def _ahead(play: Play, values: Mapping[str, float], why: str) -> None:
    """Whoever has the most has won; of several that are level, none but those of one team."""
    best = [play.vehicle(name) for name, value in values.items() if value > max(values.values()) - LEVEL]
    if all(play.state.allied(best[0], v) for v in best):
        _end(play, best[0], why, AT_THE_LIMIT)
        return
    words = f"Nobody wins: {listed([v.name for v in best])} are level after {play.state.rules.rounds} rounds"
    play.tell("over", words, AT_THE_LIMIT, winner=None)


# Rounds: what is owed, wrecks that roll on, movement phases in order of initiative, maintenance.

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
    while not play.state.over and not victory(play):
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
        elif _alone(play) or not _goes_on(play):
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
        if control.basic_dice(v) or "icons" in task.data:
            return False
        words = f"{v.name} has no die to roll for control ({task.data['why']})"
        control.landed(play, play.resolve(words))
    elif kind == "runner":
        if not rolling:
            return False
        starts(play, play.resolve())
    elif kind == "skid":
        control.do_skid(play, play.resolve())
    elif kind == "pace":
        control.do_pace(play, play.resolve())
    elif kind == "rate":
        do_rate(play, play.resolve())
    elif kind == "reface" and not control.facings(play.state, v)[0]:
        play.resolve(f"{v.name} is not turned past {task.data['into']}: {control.not_turned(play.state, v)}")
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
            wrecks = in_order(state, (v for v in state.vehicles if v.rolling and not v.checked))
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
    # Who is not first may get another Speed from a collision before it is its turn.
    still = [v.name for v in takewhile(lambda v: not _may_go(state, v), order)]
    if still:
        words = f"{', '.join(still)} {'does' if len(still) == 1 else 'do'} not move in this phase"
        play.tell("waits", words, MOVEMENT, vehicles=still)
        return True
    v = order[0]
    left = v.licence.spaces(state.step, v.speed)
    words = f"{v.owner}: {v.name} has {many(left, 'space')} to move"
    play.tell("plays", words, INITIATIVE, vehicle=v.name, left=left)
    return True


def _may_go(state: GameState, v: Vehicle) -> bool:
    """Whether a vehicle has spaces to move at its Speed in this phase, or a card for one."""
    return bool(v.licence.spaces(state.step, v.speed) or v.whips)


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
    side = control.slide_side(play.state, v, v.heading, v.side)
    there = beside(v.cell, step_to(v.heading, side))
    into = stands(play.state, there, name)
    if into:
        words = f"the wreck of {name} comes to rest before {into}"
        play.tell("rests", words, WIPE_OUT, vehicle=name)
        other = next((o for o in play.state.racing if o.name == into), None)
        if other is not None and (dice := control.traited(max(speed, 1), other)):
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
        if v.holds("Determination") and any(c.where in ("spent", "recovery") for c in v.cards)
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
    state = play.state
    if state.rules.race == "Scoring" and state.runners < state.rules.runners:
        # Before any damage: what a wiped out vehicle owes falls away.
        tasks.append(Task("runner", state.racing[0].name, "a runner starts", RUNNERS))
    for v in state.racing:
        _begins(play, v)
        dice = v.amount("damage a round")
        if dice:
            tasks.append(damage_task(v.name, dice, "Damage / Round", EFFECTS))
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
    if not mine:
        raise Illegal([Reason(f"{player} has no vehicle in the race", GIVES_UP)])
    words = f"{player}'s vehicle is taken off the track"
    play.tell("withdrew", words, GIVES_UP, player=player)
    left = {v.owner for v in play.state.racing}
    if len(left) <= 1:
        winner = next(iter(left), None)
        play.tell("over", f"{winner} wins" if winner else "Nobody wins", GIVES_UP, winner=winner)
        return
    settle(play, rolling=False)
