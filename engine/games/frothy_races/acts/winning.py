"""When a race is over and who has won, by race type; places, points and teams."""

from __future__ import annotations

from engine.boards.hexes import distance
from engine.game.about import house
from engine.games.frothy_races.book.data import FOR_PLACES, cite
from engine.games.frothy_races.rules.order import placings
from engine.games.frothy_races.state.fold import Play
from engine.games.frothy_races.state.game_state import GameState, Vehicle

LEFT_ALONE = house("Whoever is left alone has won")
AT_THE_LIMIT = house("After the last round")


def race_cited(state: GameState) -> str:
    """Where the book describes the race type."""
    return cite("Race Types", state.rules.race)


def victory(play: Play) -> bool:
    """Whether the race is over, and if so tells who has won."""
    state = play.state
    if _alone(play):
        return True
    race = state.rules.race
    if race in ("Fastest", "Scoring"):
        home = [v for v in placings(state) if v.races and v.travelled >= state.rules.laps]
        if home:
            _finish(play, home[0].name, "first across the finish line")
            return True
    if race in ("Pursuit", "Fox and Hounds"):
        caught = next(((a, b) for a in state.racing for b in state.racing if _catches(state, a, b)), None)
        if caught is not None:
            _end(play, caught[0], f"{caught[0].name} has caught up with {caught[1].name}")
            return True
    return False


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
            play.tell("over", f"{best.owner} wins: left alone", LEFT_ALONE, winner=best.owner)
        return True
    if state.fox and not state.vehicle(state.fox).races:
        best = next(v for v in placings(state) if v.races)
        _end(play, best, f"{state.fox} is out of the race, and {best.name} was the nearest Hound")
        return True
    return False


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
    return ahead <= 0.0 or beside


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
    """The player or team with the most points has won; tied ones share it with nobody."""
    state = play.state
    totals: dict[str, int] = {}
    for v in state.vehicles:
        totals[v.team or v.owner] = totals.get(v.team or v.owner, 0) + v.points
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
        best = min(left, key=lambda v: v.damage - v.licence.damage)
        _end(play, best, f"it can take the most {after}", AT_THE_LIMIT)
    elif state.fox:
        _end(play, state.vehicle(state.fox), f"not caught {after}", AT_THE_LIMIT)
    elif race == "Pursuit":
        best = max(left, key=lambda v: v.travelled - v.start)
        _end(play, best, f"it has gained most {after}", AT_THE_LIMIT)
    else:
        _end(play, left[0], f"in front {after}", AT_THE_LIMIT)
