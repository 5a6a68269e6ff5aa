"""Inputs of several actions, and options with what the table says: whom one can reach, how far away."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.boards.road import Road
from engine.errors import TableRefError
from engine.game.contract import Option, Seen
from engine.game.events import Action, Reason
from engine.game.forms import Candidate, Fact, Flag, Input, Number, Pick, PickPieces
from engine.games.shattered_highways.acts.recognised import edge_of, judged, met_by
from engine.games.shattered_highways.book.data import OPPOSITE, SIDES, Arc, Part, cite, weapon_called
from engine.games.shattered_highways.rules.contacts import Contact, sideswipes_in, stands_against, targets_in
from engine.games.shattered_highways.rules.displacing import behind_wreck
from engine.games.shattered_highways.rules.moves import bodies_of, class_rows, in_play, looked_at, move_area
from engine.games.shattered_highways.rules.owed import edge_at
from engine.games.shattered_highways.rules.striking import BOARDING, HERO_RANGE, Mount, in_chains, rule_shot
from engine.games.shattered_highways.state import GameState, Vehicle, Warrior, due
from engine.measure.distances import edge_range
from engine.ruling import Measurement, Verdict, in_words, plus_minus
from engine.space.table import Standing, TableState
from engine.words import listed

# Inputs that several actions ask for.

EDGE_WORDS: Mapping[str, str] = {"none": "neither", "front": "the front edge", "back": "the back edge"}


EDGE = Pick(
    words="It reached", usual="none", folded=True,
    candidates=tuple(Candidate(value, words) for value, words in EDGE_WORDS.items()),
)  # fmt: skip
"""Which edge of the play space a vehicle has reached."""

SIDE = Pick(
    words="With",
    usual="front",
    candidates=tuple(Candidate(s, f"my {s} against the {OPPOSITE[s]}") for s in SIDES),
)
"""With which side a vehicle strikes, and which of the other it meets."""


def vehicles(
    words: str, found: Iterable[Vehicle], *, least: int = 1, most: int = 1, usual: list[str] | None = None,
    folded: bool = False, at_once: bool = False, harms: str | None = None,
) -> PickPieces:  # fmt: skip
    """Pick vehicles by name; `harms` is the player who would harm those that they control."""
    candidates = tuple(Candidate(v.name, v.name, v.kind, own=v.control == harms) for v in found)
    return PickPieces(
        words=words, candidates=candidates, least=least, most=most, usual=usual, folded=folded,
        at_once=at_once,
    )  # fmt: skip


def halves(
    named: Iterable[Vehicle], field: str = "part", words: str = "Of a Rig", facts: tuple[Fact, ...] = ()
) -> dict[str, Input]:
    """Which half of a Rig is meant, if one of these has its trailer; `facts` are the odds of meaning one."""
    if all(v.trailer is None for v in named):
        return {}
    found = tuple(Candidate(part, f"the {part}", facts=facts) for part in ("tractor", "trailer"))
    return {field: Pick(words=words, candidates=found, optional=True, folded=True)}


@dataclass(frozen=True, slots=True)
class Dust:
    """What is known of the Drag Chains ahead of a vehicle.

    `possible`: another vehicle in play has some; `there`: the table surely sees the vehicle behind them.
    """

    possible: bool = False
    there: bool = False

    @property
    def data(self) -> Mapping[str, Any]:
        """As an action has it."""
        return {"dust": self.there}

    @property
    def otherwise(self) -> Dust:
        """What a player says who presses or releases the button."""
        return replace(self, there=not self.there)


def dust_of(state: GameState, seen: Seen, name: str) -> Dust:
    """Whether a vehicle may be, or surely is, in the section behind another one's Drag Chains."""
    chained = [v.name for v in state.in_play(name) if v.chains]
    here = looked_at(state, seen)
    if not chained or here is None:
        return Dust(bool(chained))
    table, road = here
    try:
        behind = (
            near
            for other in chained
            if bodies_of(table, other)
            for near in in_chains(table, other, road.heading)
        )
        return Dust(True, any(n.vehicle == name and n.verdict is Verdict.YES for n in behind))
    except TableRefError:
        # Something is not on the table: the players say it.
        return Dust(True)


def dust(known: Dust) -> dict[str, Input]:
    """Whether a vehicle is in the section behind another one's Drag Chains, if any has them."""
    if not known.possible:
        return {}
    words = "Behind Drag Chains"
    return {"dust": Flag(words=words, usual=known.there or None, optional=True, folded=not known.there)}


# Options with what the table says: whom one can reach, how far away, and what is usual as it stands.

MOUNTS: Mapping[Arc, Mount] = {"fore": "front", "aft": "rear", "left": "left", "right": "right"}
"""The side of a vehicle that a weapon of each arc is mounted on."""


def measured(state: GameState, options: tuple[Option, ...], seen: Seen) -> tuple[Option, ...]:
    """The options as the table has them; as they are without a camera."""
    here = looked_at(state, seen, *_wrecks(state))
    if here is None:
        return options
    look = _Look(state, seen, *here)
    return tuple(_seen(option, look) for option in options)


FROM_TABLE = ("edge", "into", "side", "back", "behind", "targets", "inches", "dust")
"""Fields that the table answers where nobody says otherwise."""


def with_usual(options: Iterable[Option], action: Action) -> Action:
    """The action with what is usual as the table stands, where it does not say."""
    for option in options:
        mine = option.player is None or action.player in (None, option.player)
        same = all(action.data.get(name) == value for name, value in option.data.items())
        if option.kind == action.kind and mine and same:
            usual = {
                name: one.usual
                for name, one in option.form.fields.items()
                if name in FROM_TABLE and one.usual is not None and action.data.get(name) is None
            }
            return replace(action, data={**action.data, **usual})
    return action


def _wrecks(state: GameState) -> tuple[str, ...]:
    """Vehicles that are not in play and count all the same: a wreck that is still on the road."""
    duty = due(state)
    return (duty.vehicle,) if duty is not None else ()


def _seen(option: Option, look: _Look) -> Option:
    fields = dict(option.form.fields)
    try:
        match option.kind:
            case "nudge" | "ram" if "targets" in fields:
                fields = _strike(option, fields, look)
            case "ram":
                fields["side"] = _usual(fields["side"], look.side_against(option))
            case "board" | "leap" if "to" in fields:
                fields["to"] = _judge(fields["to"], look.boarding(option))
            case "attack":
                fields["target"] = _judge(fields["target"], look.attack(option))
            case "shoot":
                name = "to" if "to" in fields else "at"
                fields[name] = _judge(fields[name], look.shots(option, warriors=name == "at"))
            case "wreck":
                option = _veering(option, fields, look)
            case "shifted" | "placed":
                fields = _owed(fields, look)
        if option.kind in ("moved", "ram") and "edge" in fields:
            fields["edge"] = _usual(fields["edge"], look.edge(str(option.data["vehicle"])))
    except TableRefError:
        # Something is not on the table: the players say it.
        return _unmeasured(option)
    option = replace(option, form=replace(option.form, fields=fields)) if option.form.fields else option
    return _at_hand(option, look) if option.kind == "ram" and "targets" in option.form.fields else option


def _unmeasured(option: Option) -> Option:
    """The offer where the table does not say how far away those are whom it picks: that is open."""
    name = {"board": "to", "leap": "to", "attack": "target", "shoot": "at"}.get(option.kind)
    name = "to" if option.kind == "shoot" and "to" in option.form.fields else name
    picks = option.form.fields.get(name or "")
    if not isinstance(picks, Pick | PickPieces):
        return option
    against = (Reason("not all of it is seen, so it is not measured", option.citation, open=True, fact=True),)
    kept = tuple(replace(c, not_now=against) for c in picks.candidates)
    fields = {**option.form.fields, str(name): replace(picks, candidates=kept)}
    return replace(option, form=replace(option.form, fields=fields))


def _at_hand(option: Option, look: _Look) -> Option:
    """A Ram of whom the vehicle stands against: what is done then more often than not, in one tap."""
    usual = getattr(option.form.fields["targets"], "usual", None)
    if not usual or not look.meets(str(option.data["vehicle"])):
        return option
    return replace(option, words=f"Ram {listed(usual)}", main=True)


def _usual(one: Input, value: Any) -> Input:
    """The input with what is usual as the table stands, not folded away where that is more than nothing."""
    if value is None:
        return one
    return replace(one, usual=value, folded=one.folded and value in ([], "none"))


class _Look:
    """The table as these options are looked at; measures each pair of bodies and each shot once."""

    def __init__(self, state: GameState, seen: Seen, table: TableState, road: Road) -> None:
        self.state, self.seen, self.table, self.road = state, seen, table, road
        self._gaps: dict[tuple[str, str], Measurement] = {}
        self._shots: dict[tuple[str, str, Arc, float], tuple[str, tuple[Reason, ...]]] = {}

    def gap(self, one: Iterable[Standing], other: Iterable[Standing]) -> Measurement | None:
        """The shortest distance between two vehicles, or parts of them."""
        found = []
        others = tuple(other)
        for a in one:
            for b in others:
                key = (a.name, b.name)
                if key not in self._gaps:
                    self._gaps[key] = edge_range(a, b)
                found.append(self._gaps[key])
        return min(found, key=lambda m: m.value, default=None)

    def edge(self, name: str) -> str | None:
        """The edge that a vehicle has reached with its move."""
        move = self.seen.newest(name)
        if move is None or self.seen.table is None:
            return None
        return judged(self.state, move, self.seen.table).edge or "none"

    def meets(self, name: str) -> list[Contact]:
        """Whom a vehicle that was moved surely stands against."""
        move = self.seen.newest(name)
        if move is None or self.seen.table is None:
            return []
        touching = judged(self.state, move, self.seen.table).touching
        return [c for c in touching if c.verdict is Verdict.YES]

    def side_against(self, option: Option) -> str | None:
        """The side with which a vehicle stands against whom it rams again; None where none is sure."""
        name, (other,) = str(option.data["vehicle"]), option.data["targets"]
        rig = self.state.vehicle(name).is_rig
        found = (
            c
            for c in stands_against(self.table, name, rig=rig)
            if c.other == other and c.verdict is Verdict.YES
        )
        return next((c.side.value for c in found), None)

    def bodies(self, warrior: Warrior) -> tuple[Standing, ...]:
        """Where a warrior is: the half of a Rig that they are on, else the vehicle."""
        every = bodies_of(self.table, warrior.vehicle)
        if len(every) < 2 or not warrior.part:
            return every
        return every[:1] if warrior.part == "tractor" else every[1:]

    def boarding(self, option: Option) -> dict[str, tuple[str, tuple[Reason, ...]]]:
        """By vehicle, how far away it is and why it cannot be boarded."""
        warrior = self.state.warrior(str(option.data["warrior"]))
        return self._within(self.bodies(warrior), warrior.vehicle, BOARDING, cite("Board"))

    def _within(
        self, mine: tuple[Standing, ...], own: str, limit: float, rule: str
    ) -> dict[str, tuple[str, tuple[Reason, ...]]]:
        found = {}
        for vehicle in self.state.in_play(own):
            gap = self.gap(mine, bodies_of(self.table, vehicle.name))
            found[vehicle.name] = (
                self._unseen(own, vehicle.name, rule) if gap is None else _told(gap.at_most(limit), rule)
            )
        return found

    def _unseen(self, one: str, other: str, rule: str) -> tuple[str, tuple[Reason, ...]]:
        """What is told of two vehicles of which one is not on the table: the players say how they stand."""
        gone = [name for name in (one, other) if not bodies_of(self.table, name)] or [one]
        words = f"{listed(gone)} {'are' if gone[1:] else 'is'} not seen, so it is not measured"
        return "", (Reason(words, rule, open=True, fact=True),)

    def attack(self, option: Option) -> dict[str, tuple[str, tuple[Reason, ...]]]:
        """By warrior on another vehicle, how far away that is."""
        warrior = self.state.warrior(str(option.data["warrior"]))
        there = self._within(
            bodies_of(self.table, warrior.vehicle), warrior.vehicle, HERO_RANGE, cite("Attack")
        )
        return {w.name: there[w.vehicle] for w in self.state.warriors if not w.out and w.vehicle in there}

    def shots(self, option: Option, *, warriors: bool) -> dict[str, tuple[str, tuple[Reason, ...]]]:
        """By vehicle, or by warrior on one, what the shot is and why it cannot be taken."""
        shooter = self.state.warrior(str(option.data["warrior"])).vehicle
        mount = self.state.vehicle(shooter).mounts[int(option.data["mount"]) - 1]
        reach = weapon_called(mount.weapon).reach
        found = {}
        for vehicle in self.state.in_play(shooter):
            if not bodies_of(self.table, vehicle.name) or not bodies_of(self.table, shooter):
                found[vehicle.name] = self._unseen(shooter, vehicle.name, cite("Shoot"))
                continue
            shot = (shooter, vehicle.name, mount.arc, reach)
            if shot not in self._shots:
                self._shots[shot] = self._shot(*shot)
            found[vehicle.name] = self._shots[shot]
        if not warriors:
            return found
        return {w.name: found[w.vehicle] for w in self.state.warriors if not w.out and w.vehicle in found}

    def _shot(self, shooter: str, target: str, arc: Arc, reach: float) -> tuple[str, tuple[Reason, ...]]:
        """What a shot at a vehicle is, and why it cannot be taken."""
        ruling = rule_shot(self.table, shooter, target, MOUNTS[arc], limit=reach)
        far = ruling.check("Range")
        against = tuple(
            Reason(f"{c.name}: {c.words}", c.citation, open=c.verdict is Verdict.TOO_CLOSE, fact=True)
            for c in ruling.checks
            if c.verdict is not Verdict.YES
        )
        return f"{in_words(far.number, 'in')}{plus_minus(far.sd)}", against


def _told(distance: Measurement, rule: str) -> tuple[str, tuple[Reason, ...]]:
    """A distance held against its limit, in words, and as a reason where it is not surely kept."""
    words = f"{in_words(distance.value, 'in')}{plus_minus(distance.sd)}"
    verdict = distance.verdict()
    if verdict is Verdict.YES:
        return words, ()
    close = verdict is Verdict.TOO_CLOSE
    said = f"{words} away, of {distance.limit:g} in{': too close to call' * close}"
    return words, (Reason(said, rule, open=close, fact=True),)


def _judge(one: Input, told: Mapping[str, tuple[str, tuple[Reason, ...]]]) -> Input:
    """The candidates with their distances and the reasons against them; the nearest ones first."""
    assert isinstance(one, Pick | PickPieces)
    found = []
    for c in one.candidates:
        words, against = told.get(c.value, ("", ()))
        found.append(replace(c, more=" · ".join(w for w in (c.more, words) if w), not_now=against))
    found.sort(key=lambda c: bool(c.not_now))
    return replace(one, candidates=tuple(found))


def surely_behind(state: GameState, seen: Seen) -> bool:
    """Whether it is clear of every vehicle if it is on the line straight behind the wreck that is due."""
    here, duty = looked_at(state, seen, *_wrecks(state)), due(state)
    if here is None or duty is None or not bodies_of(here[0], duty.vehicle):
        return False
    table, road = here
    found = behind_wreck(table, duty.vehicle, road, duty.part)
    return all(one.overlap.verdict() is not Verdict.TOO_CLOSE for one in found)


# Nudge and Ram


def _strike(option: Option, fields: dict[str, Input], look: _Look) -> dict[str, Input]:
    """Whom the vehicle can be moved against from where it stood, and whom it stands against now."""
    name = str(option.data["vehicle"])
    move = look.seen.newest(name)
    before = look.table if move is None else in_play(look.state, move.before, name)
    area = move_area(before, name, look.road.heading, class_rows(look.state, name))
    reached = {t.name: t for t in targets_in(before, area)}
    # Who stands back a little from the others is met together with them.
    rig = look.state.vehicle(name).is_rig
    beside = {n for swipe in (sideswipes_in(before, area) if rig else ()) for n in swipe.names}
    rule = cite(option.kind.capitalize())
    picks = fields["targets"]
    assert isinstance(picks, PickPieces)
    candidates = []
    for candidate in picks.candidates:
        target = reached.get(str(candidate.value))
        if str(candidate.value) in beside:
            candidates.append(candidate)
        elif target is None and bodies_of(look.table, str(candidate.value)):
            words = "it cannot be reached in the template on a clear path"
            candidates.append(replace(candidate, not_now=(Reason(words, rule),)))
        elif target is not None and target.verdict is not Verdict.YES:
            words = "whether it can be reached is too close to call"
            candidates.append(replace(candidate, not_now=(Reason(words, rule, open=True, fact=True),)))
        else:
            candidates.append(candidate)
    candidates.sort(key=lambda c: bool(c.not_now))
    sure = look.meets(name)
    usual: list[str] | None = picks.usual
    sides = [c.side.value for c in sure]
    if sure:
        usual = list(dict.fromkeys(c.other for c in sure if c.side is sure[0].side))[: picks.most]
    elif len(reached) == 1:
        (only,) = reached.values()
        # The sides that meet on the shortest way: whoever drives up behind means its front.
        (mine, _), _ = min(only.sides, key=lambda way: math.hypot(*way[1]))
        usual, sides = [only.name], [mine.value]
    own = {c.value for c in candidates if c.own}
    # Nobody means to strike their own: that is picked.
    usual = None if own & set(usual or ()) else usual
    new = {"targets": replace(picks, candidates=tuple(candidates), usual=usual)}
    if sides and "side" in fields:
        new |= {"side": _usual(fields["side"], sides[0])}  # type: ignore[dict-item]
    return {**fields, **new}


# What is owed


def _behind(one: Input, option: Option, look: _Look) -> Input:
    assert isinstance(one, PickPieces)
    if option.piece is None or not bodies_of(look.table, option.piece):
        return one
    duty = due(look.state)
    part: Part = "" if duty is None else duty.part
    found = {t.name: t for t in behind_wreck(look.table, option.piece, look.road, part)}
    told = {
        name: (f"on the line by {in_words(t.overlap.value, 'in')}{plus_minus(t.overlap.sd)}", ())
        for name, t in found.items()
    }
    sure = [n for n, t in found.items() if t.overlap.verdict() is Verdict.YES]
    picks = _judge(one, told)
    assert isinstance(picks, PickPieces)
    names = {c.value for c in picks.candidates}
    return replace(picks, usual=[n for n in sure if n in names])


def _veering(option: Option, fields: dict[str, Input], look: _Look) -> Option:
    """The button says whether anybody has to veer, where the table surely does."""
    fields["behind"] = _behind(fields["behind"], option, look)
    if not surely_behind(look.state, look.seen):
        return option
    if fields["behind"].usual:
        return replace(option, words="These have to veer")
    fields["behind"] = replace(fields["behind"], folded=True)
    return replace(option, words="Nobody has to veer")


def _owed(fields: dict[str, Input], look: _Look) -> dict[str, Input]:
    """What the table foresaw of a duty, or sees of a vehicle that was put where a player chose."""
    duty = due(look.state)
    assert duty is not None
    new = dict(fields)
    if duty.kind == "shift":
        inches = fields["inches"]
        assert isinstance(inches, Number)
        known = {c.value for c in getattr(fields["back"], "candidates", ())}
        new["inches"] = replace(inches, usual=duty.inches)
        new["back"] = _usual(fields["back"], [n for n in duty.back if n in known])
        return new
    move = look.seen.newest(duty.vehicle)
    if duty.ways:
        if "into" in fields:
            new["into"] = _usual(fields["into"], list(duty.meets))
        if "side" in fields:
            new["side"] = replace(_usual(fields["side"], duty.side), folded=not duty.meets)
        edge = "back" if duty.back else edge_at(duty, look.table, look.road)
        new["edge"] = _usual(fields["edge"], edge or "none")
    elif move is not None and look.seen.table is not None and "into" in fields:
        ruled = judged(look.state, move, look.seen.table)
        new["into"] = _usual(fields["into"], met_by(look.state, duty, ruled))
        new["edge"] = _usual(fields["edge"], ruled.edge or "none")
    elif duty.kind == "deployed" and bodies_of(look.table, duty.vehicle):
        new["edge"] = _usual(fields["edge"], edge_of(look.table, duty.vehicle, look.road) or "none")
    return new
