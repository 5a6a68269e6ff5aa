"""What the camera saw, as the action that it stands for, and what the rules have against it."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from engine.boards.road import Road
from engine.errors import TableRefError
from engine.game.about import SEEN, house
from engine.game.contract import Seen, move_named
from engine.game.events import Action, FactField, Reason
from engine.game.kit import free_moves
from engine.game.kit.free_moves import put_right
from engine.games.shattered_highways.acts.rounds import DEPLOYMENT
from engine.games.shattered_highways.book.data import HouseRules, cite
from engine.games.shattered_highways.rules import moves, owed
from engine.games.shattered_highways.rules.contacts import Contact, sideswipes_in, stands_against, targets_in
from engine.games.shattered_highways.rules.displacing import gap_ahead, to_back_edge, to_front_edge
from engine.games.shattered_highways.rules.moves import Moved
from engine.games.shattered_highways.rules.striking import NUDGE
from engine.games.shattered_highways.state import Duty, GameState, due
from engine.measure.distances import edge_range
from engine.measure.uncertainty import gap_sd
from engine.motion.moves import Move
from engine.ruling import Belief, Check, Measurement, Verdict, in_words, make_check, plus_minus
from engine.space.table import Standing, Status, TableState, key_of
from engine.words import listed

SETUP = cite("Play Setup")
OUT = house("Where a Hidden Buggy is put down")
PLACE = house("How exactly a vehicle is placed")

TAKING = ("moved", "ram", "placed", "deploy")
"""The kinds of action that take a move."""


@dataclass(frozen=True, eq=False)
class Judged(free_moves.Judged[Moved]):
    """A move of a vehicle, ruled by the template.

    `touching` are those that it now stands against, `edge` is the edge of the play space that it has reached.
    """

    touching: tuple[Contact, ...]
    edge: str | None

    @property
    def touched(self) -> tuple[str, ...]:
        """The vehicles that it surely stands against."""
        return tuple(dict.fromkeys(c.other for c in self.touching if c.verdict is Verdict.YES))


def rows_of(state: GameState, name: str) -> int:
    """The section lengths of the template for a vehicle: as its class has, or as it was nudged."""
    rows, duty = moves.class_rows(state, name) or moves.ROWS, due(state)
    return min(rows, duty.sections) if duty is not None and duty.kind in owed.CHOSEN else rows


def judged(state: GameState, move: Move, table: TableState) -> Judged:
    """A move of a vehicle in play, by the template, with the table as it is now."""
    now = moves.in_play(state, table, move.piece)
    vehicles = tuple((v.name, v.in_play, v.trailer is None) for v in state.vehicles)
    duty, rows, road = due(state), rows_of(state, move.piece), moves.road_of(state, now)
    nudged = duty is not None and duty.kind in owed.CHOSEN
    rig = moves.class_rows(state, move.piece) == moves.RIG_ROWS
    return _judged(_Asked(move, vehicles, state.house, rows, rig, nudged, road, now.facts, state, now))


@dataclass(frozen=True)
class _Asked:
    """All that the ruling of a move is read from; state and table are compared by what is read of them.

    `vehicles` are those of the match: the name, whether it is in play, and whether it has no trailer.
    """

    move: Move
    vehicles: tuple[tuple[str, bool, bool], ...]
    house: HouseRules
    rows: int
    rig: bool
    nudged: bool
    road: Road
    facts: Hashable
    state: GameState = field(compare=False)
    now: TableState = field(compare=False)


@lru_cache(maxsize=16)
def _judged(asked: _Asked) -> Judged:
    state, move, now, road = asked.state, asked.move, asked.now, asked.road
    before = moves.in_play(state, move.before, move.piece)
    head = move.after
    after = (head, *(s for s in moves.bodies_of(now, move.piece)[1:]))
    rest = [s for s in now.standings if s.name not in {a.name for a in after}]
    there = replace(now, standings=(*after, *rest))
    rule = NUDGE if asked.nudged else moves.MOVE
    moved = moves.rule_move(before, move.piece, after, road.heading, asked.rows, citation=rule)
    inches, radians = min(asked.house.place_tolerance, 0.25), asked.house.facing_tolerance
    whole = Judged(moved, stands_against(there, move.piece, rig=asked.rig), edge_of(there, move.piece, road))
    if whole.legal:
        return whole
    right = put_right(move, whole, lambda earlier: _judged(replace(asked, move=earlier)), inches, radians)
    return replace(whole, righted=right is not None)


def edge_of(table: TableState, name: str, road: Road) -> str | None:
    """The edge of the play space that a vehicle has surely reached: front, back, or None."""
    if to_front_edge(table, name, road).verdict() is Verdict.YES:
        return "front"
    return "back" if to_back_edge(table, name, road).verdict() is Verdict.YES else None


# As an action


def as_seen(state: GameState, action: Action, seen: Seen) -> tuple[Action, list[Reason]]:
    """An action with what the table says of it, and what the rules have against that.

    What was typed goes before what was seen.
    """
    if seen.table is None or action.kind not in (*TAKING, "shifted", "nudge"):
        return action, []
    try:
        if action.kind == "nudge":
            return action, against_nudge(state, action, seen.table)
        if action.kind in ("placed", "shifted"):
            return _put(state, action, seen, seen.table)
        return _moved(state, action, seen, seen.table)
    except TableRefError as error:
        return action, [Reason(str(error), SEEN, open=True)]


_WHERE = (FactField("edge", "it reached", denies=True), FactField("dust", "behind Drag Chains", denies=True))

FACTS = {
    **dict.fromkeys(("move", "moved", "ram", "nudge", "shoot", "attack"), _WHERE),
    "placed": (*_WHERE, FactField("into", "it met", denies=True), FactField("side", "it struck with its")),
    "shifted": (FactField("inches", "moved back by"), FactField("back", "at the back edge", denies=True)),
    "wreck": (FactField("behind", "straight behind the wreck", denies=True),),
}
"""The fields of each kind of action that say how things stand or went."""


def measured(state: GameState, action: Action, seen: Seen) -> bool | None:
    """Whether where a vehicle stands is as the camera has it; None for what moves none.

    One that has not been moved stands where it stood, and that is measured, too. A move that is named was
    measured when it came to rest: a hand may lie over the vehicle by now, as over those of other games.
    """
    if action.kind not in TAKING:
        return None
    if seen.table is None:
        return False
    duty = due(state) if action.kind == "placed" else None
    if duty is not None and owed.unknown_place(duty):
        return False
    name = str(action.data.get("vehicle") or (state.turn.vehicle if state.turn is not None else ""))
    bodies = moves.bodies_of(seen.table, name)
    said = action.data.get("move")
    # How a move left the vehicle itself is the move's to say; where its trailer stands is seen now.
    looked_at = bodies if said is None else bodies[1:]
    if not bodies or any(s.status is not Status.STILL for s in looked_at):
        return False
    pending = [m.id for m in seen.moves.values() if key_of(m.piece) == key_of(name)]
    if said is not None:
        return said in pending
    # A place is held against where the piece stands now; one that is chosen in the template takes the move.
    put = duty is not None and (bool(duty.ways) or duty.kind == "deployed")
    return not pending or action.kind == "deploy" or put


def _moved(state: GameState, action: Action, seen: Seen, table: TableState) -> tuple[Action, list[Reason]]:
    """A vehicle that was moved, pushed up against another one, or put down at the beginning."""
    vehicle = str(action.data.get("vehicle"))
    move = move_named(action, seen, action.data.get("vehicle"))
    if move is None and action.kind == "deploy":
        here = moves.bodies_of(table, vehicle)
        return action, against_deploying(state, here[0], table) if here else []
    if move is None:
        if action.kind != "ram" or not moves.bodies_of(table, vehicle):
            return action, []
        rig = moves.class_rows(state, vehicle) == moves.RIG_ROWS
        return action, _against_ram(
            action, stands_against(moves.in_play(state, table, vehicle), vehicle, rig=rig)
        )
    if isinstance(move, Reason):
        return action, [move]
    if action.kind == "deploy":
        return action, against_deploying(state, move.after, table)
    ruled = judged(state, move, table)
    said: dict[str, object] = {"edge": ruled.edge or "none"}
    reasons = ruled.reasons()
    if action.kind == "ram":
        reasons += _against_ram(action, ruled.touching)
    return filled(action, said), reasons


def _against_ram(action: Action, against: Sequence[Contact]) -> list[Reason]:
    """A Ram needs the contact, and with the side that was declared."""
    found = []
    for name in action.data.get("targets") or ():
        touching = [c for c in against if key_of(c.other) == key_of(str(name))]
        if not touching:
            words, stands = f"it does not stand against {name}", f"it stands against {name}"
            found.append(Reason(words, cite("Ram"), open=True, says=stands))
            continue
        contact = touching[0]
        said = action.data.get("side") or "front"
        sure = contact.verdict is Verdict.YES and contact.sides_sure is Verdict.YES
        if sure and contact.side.value != said:
            words = f"{contact.body} meets {name} with its {contact.side.value}, not its {said}"
            found.append(Reason(words, cite("Ram"), open=True, says=f"it meets {name} with its {said}"))
        elif contact.verdict is not Verdict.YES:
            gap = in_words(max(contact.gap.value, 0.0), "in")
            words = f"{gap} between it and {name}: too close to call"
            found.append(Reason(words, cite("Ram"), open=True, fact=True))
    return found


def against_nudge(state: GameState, action: Action, table: TableState) -> list[Reason]:
    """The declared side has to be one with which the others can be met, of several all with that one."""
    name, side = str(action.data.get("vehicle")), str(action.data.get("side") or "front")
    names = [str(one) for one in action.data.get("targets") or () if moves.bodies_of(table, str(one))]
    clear = moves.in_play(state, table, name)
    if not names or not moves.bodies_of(clear, name):
        return []
    area = moves.move_area(clear, name, moves.road_of(state, clear).heading, moves.class_rows(state, name))
    meets = {t.name: {mine.value for (mine, _), _ in t.sides} for t in targets_in(clear, area)}
    found = []
    for other in names:
        sides = next((sides for known, sides in meets.items() if key_of(known) == key_of(other)), None)
        if sides is not None and side not in sides:
            words = f"{name} meets {other} with its {listed(sorted(sides), 'or')}, not its {side}"
            found.append(Reason(words, NUDGE, open=True, says=f"it meets {other} with its {side}"))
    if len(names) > 1 and not found:
        wanted = {key_of(one) for one in names}
        groups = sideswipes_in(clear, area)
        if not any(s.side.value == side and wanted <= {key_of(n) for n in s.names} for s in groups):
            both = f"touch {listed(names)} at once with its {side}"
            found.append(Reason(f"{name} cannot {both}", NUDGE, open=True, says=f"it can {both}"))
    return found


def against_deploying(state: GameState, standing: Standing, table: TableState) -> list[Reason]:
    """What is against a place at the beginning, of any body of the vehicle.

    Facing the road, on it, upon nothing else, a trailer on its hitch, and far enough from the front edge.
    """
    road, house_rules = moves.road_of(state, table), state.house
    rest = (s for s in table.standings if s.name != standing.name)
    waiting = (v.name for v in state.vehicles if v.status == "waiting")
    there = moves.in_play(state, replace(table, standings=(standing, *rest)), standing.name, *waiting)
    whole = moves.bodies_of(there, standing.name)
    unseen = [s.name for s in whole if s.status is Status.LOST]
    bodies = [s for s in whole if s.status is not Status.LOST]
    found = [Reason(f"{name} is not seen", SETUP, open=True, fact=True) for name in unseen]
    if not bodies:
        return found
    checks = [
        moves.facing(bodies, road.heading, SETUP, most=house_rules.facing_tolerance),
        _on_road(bodies, road),
        *moves.stands_free(bodies, there.others(*(s.name for s in whole)), SETUP),
        *(_hitched(body, bodies, house_rules.place_tolerance) for body in bodies if _puller(body, bodies)),
        _room_ahead(bodies[0], road, house_rules.front_room),
        *_chase(state, whole[0].name, there, road),
    ]
    return found + _against(checks)


def _against(checks: Iterable[Check]) -> list[Reason]:
    """What does not surely hold; the players may accept each of them."""
    return [
        Reason(c.words, c.citation, open=True, close=c.verdict is Verdict.TOO_CLOSE)
        for c in checks
        if c.verdict is not Verdict.YES
    ]


def _on_road(bodies: Sequence[Standing], road: Road) -> Check:
    """Whether all of a vehicle is on the road, as far as a hand can put it: not beside it, nor behind it."""
    found = []
    for body in bodies:
        corners = road.frame.to_body(body.region.outline)
        inside = [
            (float(corners[:, 0].min()), "behind"),
            (float(corners[:, 1].min()), "beside"),
            (road.width - float(corners[:, 1].max()), "beside"),
        ]
        room, where = min(inside)
        found.append((room, where, body))
    room, where, body = min(found, key=lambda one: one[0])
    measured = Measurement(Belief(room, gap_sd(body))).at_least(-moves.OUTSIDE)
    words = f"{body.name} reaches {in_words(abs(room), 'in')} {where} the road{plus_minus(measured.sd)}"
    return make_check("On the Road", measured, citation=DEPLOYMENT, words=words)


def _chase(state: GameState, name: str, table: TableState, road: Road) -> list[Check]:
    """In a chase, whether a vehicle starts wholly ahead of those behind it, and behind those ahead."""
    vehicle = next((v for v in state.vehicles if key_of(v.name) == key_of(name)), None)
    if state.deployment != "chase" or vehicle is None:
        return []
    leads, found = vehicle.owner == state.first, []
    for other in state.in_play(vehicle.name):
        if (other.owner == state.first) == leads or not moves.bodies_of(table, other.name):
            continue
        ahead, behind = (vehicle, other) if leads else (other, vehicle)
        gap = gap_ahead(table, ahead.name, behind.name, road).at_least(0.0)
        where = f"ahead of {other.name}" if leads else f"behind {other.name}"
        words = f"in this chase {vehicle.name} starts wholly {where}: "
        words += (
            f"{in_words(abs(gap.value), 'in')}{plus_minus(gap.sd)} {'short' if gap.value < 0 else 'clear'}"
        )
        found.append(make_check("Chase", gap, citation=DEPLOYMENT, words=words))
    return found


def _puller(body: Standing, bodies: Sequence[Standing]) -> Standing | None:
    """The body of the same vehicle on which a trailer hangs that is seen by itself; None for another."""
    hitch = body.piece.hitch
    if hitch is None or body.piece.follows:
        return None
    return next((s for s in bodies if key_of(s.name) == key_of(hitch.to)), None)


def _hitched(body: Standing, bodies: Sequence[Standing], most: float) -> Check:
    """Whether the pin of a trailer is within so many inches of where it hangs."""
    puller, hitch = _puller(body, bodies), body.piece.hitch
    assert puller is not None
    assert hitch is not None
    away = math.dist(body.pose.to_table(hitch.at), puller.pose.to_table(hitch.on))
    measured = Measurement(Belief(away, gap_sd(body, puller))).at_most(most)
    words = f"{body.name} is {in_words(away, 'in')} off the hitch of {puller.name}{plus_minus(measured.sd)}"
    return make_check("Hitched", measured, citation=PLACE, words=words)


def _room_ahead(body: Standing, road: Road, least: float) -> Check:
    """Whether a front bumper is so many inches from the front edge of the play space."""
    room = road.length - float(road.along(moves.bumper(body)).max())
    measured = Measurement(Belief(room, gap_sd(body))).at_least(least)
    words = f"{in_words(room, 'in')}{plus_minus(measured.sd)} from the front edge, of {least:g} in"
    return make_check("Room Ahead", measured, citation=SETUP, words=words)


def against_driving_out(state: GameState, duty: Duty, table: TableState) -> list[Reason]:
    """A Hidden Buggy leaves its trailer facing the road, upon nothing, within a section length of the Rig."""
    clear = moves.in_play(state, table, duty.vehicle, duty.other)
    # It comes out of the trailer, also of one that is decoupled as a wreck.
    bodies, rig = moves.bodies_of(clear, duty.vehicle), moves.bodies_of(table, duty.other)
    found = []
    for body in bodies[:1]:
        others = clear.others(*(s.name for s in bodies))
        askew = moves.facing(
            bodies, moves.road_of(state, table).heading, OUT, most=state.house.facing_tolerance
        )
        found += _against([askew, *moves.stands_free(bodies, others, OUT)])
        away = min((edge_range(body, other) for other in rig), key=lambda m: m.value, default=None)
        if away is not None and away.at_most(moves.SECTION).verdict() is Verdict.NO:
            words = f"it stands {in_words(away.value, 'in')} from {duty.other}, of {moves.SECTION:g} in"
            found.append(Reason(words, OUT, open=True))
    return found


def _put(state: GameState, action: Action, seen: Seen, table: TableState) -> tuple[Action, list[Reason]]:
    """A vehicle that a rule has put somewhere, or the whole fleet."""
    duty = due(state)
    if duty is None:
        return action, []
    clear = moves.in_play(state, table, duty.vehicle)
    if duty.ways:
        reasons = owed.misplaced(state, duty, clear)
        return filled(action, _foreseen(state, duty, clear, moves.road_of(state, clear))), reasons
    move = move_named(action, seen, action.data.get("vehicle"))
    if isinstance(move, Reason):
        return action, [move]
    if move is None or duty.kind not in owed.CHOSEN:
        return action, against_driving_out(state, duty, table) if duty.kind == "deployed" else []
    ruled = judged(state, move, table)
    met: dict[str, object] = {"into": met_by(state, duty, ruled)} if state.in_play(duty.vehicle) else {}
    return filled(action, {**met, "edge": ruled.edge or "none"}), ruled.reasons()


def met_by(state: GameState, duty: Duty, ruled: Judged) -> list[str]:
    """Whom a vehicle meets where a duty has put it: what nobody plays may stand there, and is not rammed."""
    playing = {key_of(v.name) for v in state.in_play(duty.other)}
    return [name for name in ruled.touched if key_of(name) in playing]


def _foreseen(state: GameState, duty: Duty, table: TableState, road: Road) -> dict[str, object]:
    """What the table foresaw of a duty when it arose."""
    if duty.kind == "shift":
        # Who has stood against the back edge since, or before, does not come to it once more.
        coming = [name for name in duty.back if state.vehicle(name).status == "driving"]
        return {"inches": duty.inches, "back": coming}
    edge = "back" if duty.back else owed.edge_at(duty, table, road)
    said: dict[str, object] = {"edge": edge or "none"}
    if not state.in_play(duty.vehicle):
        return said  # the last one on the road, with warriors of both sides: there is nobody to meet
    if duty.kind in ("lost", "fall back"):
        said["into"] = list(duty.meets)
    if duty.kind == "lost":
        said["side"] = duty.side
    return said


def filled(action: Action, said: dict[str, object]) -> Action:
    """The action with what it does not say."""
    missing = {name: value for name, value in said.items() if action.data.get(name) is None}
    return replace(action, data={**action.data, **missing})
