"""Before the first round: how the cars are deployed, and where each may stand."""

from __future__ import annotations

import math

from engine.game.about import house
from engine.game.events import Action, Reason
from engine.game.kit import reading
from engine.game.kit.table import seen
from engine.games.white_line_fever.acts import lawful
from engine.games.white_line_fever.acts.rounds import begin_round, to_deploy
from engine.games.white_line_fever.book.data import DEPLOYMENTS, cite
from engine.games.white_line_fever.state.fold import Play
from engine.games.white_line_fever.state.game_state import GameState
from engine.measure.distances import contact, surely_apart
from engine.measure.sweep import edge_margin, surely_within
from engine.ruling import Measurement, Verdict
from engine.space.geometry import Region
from engine.space.table import Standing, TableState

DEPLOYMENT = cite("Setup", "Deployment")
WHERE = house("Deployment")

EDGES = ("near", "far", "left", "right")
"""The table's edges in the order in which players get them."""

_HAIR = 1e-6


def check_deployment(state: GameState, action: Action, _table: TableState | None) -> list[Reason]:
    """The type of deployment, if it is open."""
    if state.deployment is not None:
        return [Reason(f"the deployment is decided: {state.deployment}", DEPLOYMENT)]
    reading.one_of(action.data, "deployment", ("arena", "highway", "roll"))
    return []


def do_deployment(play: Play, action: Action) -> None:
    """The players agree, or a D6 decides: 1 to 3 arena, 4 to 6 highway."""
    chosen = action.data["deployment"]
    if chosen == "roll":
        roll = play.roll(6, "deployment, 1 to 3 arena, 4 to 6 highway", DEPLOYMENT, "")
        chosen = "arena" if roll.value <= 3 else "highway"
    play.tell("deployment", f"deployment {chosen}: {DEPLOYMENTS[chosen]}", WHERE, deployment=chosen)


def check_deploy(state: GameState, action: Action, table: TableState | None) -> list[Reason]:
    """A waiting car of whose turn it is; where the table sees it, in its strip and touching nothing."""
    if state.deployment is None:
        return [Reason("the deployment has to be decided first", DEPLOYMENT)]
    car = state.car(reading.text(action.data, "car"))
    if car.status != "waiting":
        return [Reason(f"{car.name} is deployed already", DEPLOYMENT)]
    reasons = lawful.whose(action, car.owner, DEPLOYMENT)
    if car.owner not in to_deploy(state):
        reasons.append(Reason(f"{to_deploy(state)[0]} places the next car", WHERE))
    standing = seen(table, car.name)
    if table is not None and standing is not None:
        reasons += _place(state, table, standing, state.players.index(car.owner))
    return reasons


def _place(state: GameState, table: TableState, standing: Standing, seat: int) -> list[Reason]:
    """What is surely wrong with a car's place: where the table is in doubt, whoever deploys is right."""
    name, depth = standing.name, state.house.deployment_depth
    wrong = []
    if _surely_outside(standing, table.surface):
        wrong.append((f"{name} does not stand wholly on the surface", DEPLOYMENT))
    for other in table.others(name):
        if other.piece.solid and not surely_apart(standing, other) and _no(contact(standing, other)):
            wrong.append((f"{name} touches {other.name}", DEPLOYMENT))
    if state.deployment == "arena":
        edge = EDGES[seat % len(EDGES)]
        if _surely_outside(standing, _strip(table, edge, depth)):
            wrong.append((f"{name} is not within {depth:g} in of the {edge} edge", WHERE))
    return [Reason(words, rule, open=True) for words, rule in wrong]


def _surely_outside(standing: Standing, region: Region) -> bool:
    within = surely_within(standing, region)
    return _no(edge_margin(standing, region)) if within is None else not within


def _no(room: Measurement) -> bool:
    """Whether there is surely none: with a hair of it, for a car that is put exactly against something."""
    return room.at_least(-_HAIR).verdict() is Verdict.NO


def _strip(table: TableState, edge: str, depth: float) -> Region:
    left, near, right, far = map(float, table.surface.polygon.bounds)
    width, height = right - left, far - near
    depth = max(depth, _HAIR)  # a strip of no depth is one, too
    return {
        "near": Region.rectangle(left, near, width, depth),
        "far": Region.rectangle(left, far - depth, width, depth),
        "left": Region.rectangle(left, near, depth, height),
        "right": Region.rectangle(right - depth, near, depth, height),
    }[edge]


def do_deploy(play: Play, action: Action) -> None:
    """The car stands; after the last one the first round begins."""
    car = play.state.car(reading.text(action.data, "car"))
    at = reading.pose(action.data, "at")
    standing = play.standing(car.name)
    if at is None and standing is not None:
        at = (standing.pose.x, standing.pose.y, math.remainder(standing.pose.heading, math.tau))
    play.tell(
        "deployed", f"{car.owner} deploys {car.name}", DEPLOYMENT,
        car=car.name, at=None if at is None else list(at),
    )  # fmt: skip
    if not to_deploy(play.state):
        begin_round(play, play.state.first, 1)
