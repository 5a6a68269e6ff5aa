"""Damage rolls: dice against Resilience, permanent effects, Control Loss points, the Wipe-Out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.game.about import house
from engine.game.records import to_json
from engine.games.frothy_races.book.data import NUMBERS, RANDOM, SPECIALS, Effect, cite, many_dice, rated
from engine.games.frothy_races.state import Play, Task, Vehicle

ROLL = cite("Damage", "Damage Roll")
EFFECTS = cite("Permanent Damage Affects")
WIPE_OUT = cite("Movement", "Wipe-out")
SCORING = cite("Race Types", "Scoring")
DRAWN = house("What a Random damage effect is")
LOST_CARD = house("Which card is lost")


def damage_task(name: str, dice: int, why: str, citation: str = ROLL, **more: Any) -> Task:
    """A Damage roll that is owed. `by` is who scores for it, `heading` the way the wreck would go."""
    words = f"{name} makes a Damage roll with {many_dice(dice)} ({why})"
    return Task("damage", name, words, citation, {"dice": dice, "why": why, **more})


def needs_dice(v: Vehicle) -> bool:
    """Whether damage is rolled for: the roll itself, or what a Random effect is."""
    return v.resilience is not None or any(e.sort == "random" for _, e in v.licence.effects)


def do_damage(play: Play, task: Task) -> None:
    """Rolls and sustains; `Survivor` may be played before it counts."""
    v = play.vehicle(task.vehicle)
    dice = task.data["dice"] + v.trait("Jerry Rigged")
    why = f"Damage roll of {v.name}: {task.data['why']}"
    if v.resilience is None:
        sustain(play, task, dice)
        return
    shown = play.counted(v, dice, why, task.citation, hurting(v.resilience))
    again = None
    if not task.data.get("again"):
        of = {"words": task.words, "citation": task.citation, "data": dict(task.data)}
        again = reroll_task(v, shown, "", "damage", why, of=of)
    if again is not None:
        play.owe(again)
        return
    _counted(play, task, shown)


def hurting(resilience: int | None) -> tuple[str, ...]:
    """What each side of a die counts as in a Damage roll: up to the Resilience or above it, all that matters.

    Nothing where every die of the roll counts as the same.

    >>> hurting(1)
    ('0 or 1', '0 or 1', '2 or 3', '2 or 3', '2 or 3', '2 or 3')
    """
    above = [resilience is None or int(face) > resilience for face in NUMBERS]
    words = {kind: _range([f for f, a in zip(NUMBERS, above, strict=True) if a is kind]) for kind in above}
    return tuple(words[kind] for kind in above) if len(words) > 1 else ()


def _range(faces: Sequence[str]) -> str:
    """Faces that follow one another, in words."""
    first, last = faces[0], faces[-1]
    return first if first == last else f"{first} {'or' if int(last) - int(first) == 1 else 'to'} {last}"


def _points(shown: Sequence[str], resilience: int) -> int:
    """How many dice of a Damage roll sustain a point: as numbers, or as what they count as.

    >>> _points(["0", "3", "2 or 3", "0 or 1"], 1)
    2
    """
    # The highest face is the last.
    above = hurting(resilience)[-1:]
    return sum(one in above or (one in NUMBERS and int(one) > resilience) for one in shown)


def counted_again(play: Play, task: Task, dice: list[str]) -> None:
    """The Damage roll goes on with these dice."""
    of = task.data["of"]
    _counted(play, Task("damage", task.vehicle, of["words"], of["citation"], of["data"]), dice)


def _counted(play: Play, task: Task, shown: Sequence[str]) -> None:
    """What the dice of a Damage roll come to."""
    v = play.vehicle(task.vehicle)
    assert v.resilience is not None
    points = _points(shown, v.resilience)
    if points and v.holds("Survivor") and not task.data.get("again"):
        words = f"{v.name} may play Survivor, or sustains {points} damage"
        play.owe(Task("survive", v.name, words, task.citation, {**task.data, "points": points}))
        return
    sustain(play, task, points)


def sustain(play: Play, task: Task, points: int) -> None:
    """So many points of damage: effects apply at each level, control is lost, at the last it wipes out."""
    v, data = play.vehicle(task.vehicle), task.data
    damage = min(v.damage + points, v.licence.damage)
    new = [k for k, _ in v.licence.effects if k <= damage and k not in v.applied and points]
    applied = [*v.applied, *dict.fromkeys(new)]
    words = f"{v.name} sustains {points} damage" if points else f"{v.name} sustains no damage"
    drawn = _drawn(play, v, new)
    effects = [drawn.get(k, e) if e.sort == "random" else e for k, e in v.licence.effects if k in new]
    if effects:
        words += f": {', '.join(e.words for e in effects)}"
    play.tell(
        "damaged", words, task.citation if not effects else EFFECTS, vehicle=v.name, points=points,
        damage=damage, applied=applied, settles=bool(data.get("settles")),
    )  # fmt: skip
    if not points:
        return
    _score(play, v, data.get("by"), damage - v.damage)
    if damage >= v.licence.damage:
        wipe_out(play, v.name, "the maximum Damage value", data.get("heading"), data.get("by"))
        return
    play.add_control(v.name, points, "damage")
    _slowed(play, v.name)
    # A wreck of what it does rolls on as one of the damage that led to it.
    on = {"heading": data["heading"]} if data.get("heading") is not None else {}
    more = [e for e in effects if e.sort == "damage" and e.amount]
    play.owe(*(damage_task(v.name, e.amount, e.words, EFFECTS, **on) for e in more))
    for effect in effects:
        if effect.sort == "lose card":
            _lose_card(play, v.name, effect.names)


def _slowed(play: Play, name: str) -> None:
    """A Speed above a maximum that has become lower is reduced to it."""
    v = play.vehicle(name)
    if v.speed > v.top:
        play.set_speed(name, rated(v.licence, play.marker(name), v.top), f"Maximum Speed {v.top}", EFFECTS)


def _drawn(play: Play, v: Vehicle, levels: Sequence[int]) -> dict[int, Effect]:
    """What each Random damage effect that comes into play is: by the icon of one die."""
    found = {}
    for level, effect in v.licence.effects:
        if level in levels and effect.sort == "random":
            (icon,) = play.icons(v, 1, f"Random damage effect of {v.name}", DRAWN)
            found[level] = RANDOM[icon]
            words = f"the Random damage effect of {v.name} is {found[level].words}"
            play.tell("drew", words, DRAWN, vehicle=v.name, level=level, effect=to_json(found[level]))
    return found


def _score(play: Play, v: Vehicle, by: str | None, points: int) -> None:
    """Points for damage that was inflicted on an opposing vehicle."""
    state, worth = play.state, play.state.rules.for_damage * points
    opposes = by is not None and not state.allied(state.vehicle(by), v)
    if opposes and worth and state.rules.race == "Scoring":
        play.tell("scored", f"{by} scores {worth} for damage", SCORING, vehicle=by, points=worth)


def _lose_card(play: Play, name: str, face: str) -> None:
    """A card is lost for good: a spent one, else one in recovery, else one in the hand (house default)."""
    v = play.vehicle(name)
    order = ("spent", "recovery", "hand")
    cards = [c for c in v.cards if c.where != "gone" and (face.casefold() in c.faces or face == "any")]
    if cards:
        card = min(cards, key=lambda c: order.index(c.where))
        play.tell(
            "cards", f"{name} loses {card.name} for good", LOST_CARD, vehicle=name, spent=[], gone=[card.name]
        )


def do_rate(play: Play, task: Task) -> None:
    """The Speed rating is halved, rounded down, or changes by so much."""
    v, by = play.vehicle(task.vehicle), task.data["by"]
    speed = v.speed // 2 if by is None else v.speed + by
    marker = rated(v.licence, play.marker(v.name), speed, v.top)
    play.set_speed(v.name, marker, "collision", task.citation)


def wipe_out(play: Play, name: str, why: str, heading: int | None = None, by: str | None = None) -> None:
    """It is out of the race, and its wreck rolls on, at the Speed that its collision leaves it.

    Of a Fox it is told `by` whom: that one has won.
    """
    v = play.vehicle(name)
    heading = v.facing if heading is None else heading
    for task in play.state.agenda:
        if task.kind == "rate" and task.vehicle == v.name:
            do_rate(play, task)
    hunted = {"by": by} if by is not None and name == play.state.fox else {}
    play.tell("wiped out", f"{name} is wiped out: {why}", WIPE_OUT, vehicle=name, heading=heading, **hunted)


# Dice again

REROLLS = cite("Dice Re-rolls")
LUCKY = "Lucky"


def by_card(v: Vehicle) -> int:
    """How many dice the card Lucky rolls again; 0 without it in the hand."""
    return SPECIALS[LUCKY].amount if v.holds(LUCKY) else 0


def reroll_task(
    v: Vehicle, dice: Sequence[str | int], trait: str, then: str, what: str, **data: Any
) -> Task | None:
    """Whether dice are rolled again before they count, `then` names what goes on; None where none may be.

    Each die only once, and all of them together.
    """
    free = v.trait(trait) if trait else 0
    if not dice or free + by_card(v) == 0:
        return None
    words = f"{v.name} may roll dice again ({what})"
    more = {"dice": [str(d) for d in dice], "free": free, "then": then, "what": what}
    return Task("reroll", v.name, words, REROLLS, {**more, **data})
