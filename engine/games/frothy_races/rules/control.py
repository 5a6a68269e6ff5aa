"""Icon dice, collisions, and what a loss of control comes to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, takewhile
from typing import Any, Literal, NamedTuple

from engine.game.about import house
from engine.games.frothy_races.book import data as book
from engine.games.frothy_races.rules import moves
from engine.games.frothy_races.rules.damage import damage_task, reroll_task, wipe_out
from engine.games.frothy_races.state import GameState, Play, Task, Vehicle
from engine.ruling import many, signed

# What a Control roll comes to: cards discard, pairs cancel, the most frequent icons take effect.


class Outcome(NamedTuple):
    """What is left: each icon that takes effect with how often it shows, and the pairs that cancelled."""

    discarded: tuple[str, ...]
    effects: tuple[tuple[str, int], ...]
    spins: int
    paces: int

    @property
    def failed(self) -> bool:
        """Whether control was lost."""
        return bool(self.effects)

    def of(self, icon: str) -> int:
        """How many icons of a kind take effect."""
        return dict(self.effects).get(icon, 0)

    @property
    def alone(self) -> str:
        """The icons that take effect, in words."""
        return ", ".join(f"{icon}{f' × {n}' if n > 1 else ''}" for icon, n in self.effects)

    @property
    def words(self) -> str:
        """In words: the effects, and what the pairs cost."""
        found = [self.alone or "in control"]
        if self.spins:
            found.append(f"{many(self.spins, 'pair')} of Spins")
        if self.paces:
            found.append(f"{many(self.paces, 'pair')} of Slow and Haste")
        return ", ".join(found)


def outcome(icons: Sequence[str], discarded: Sequence[str] = (), *, pairs_first: bool = False) -> Outcome:
    """What the icons come to when these are discarded; with `pairs_first` of those that did not cancel.

    >>> outcome(["Left Spin", "Left Spin", "Slow", "Slide"]).effects
    (('Left Spin', 2),)
    """
    left = Counter(icons)
    cancelled = [0, 0]
    if pairs_first:
        cancelled = _cancel(left)
    left.subtract(discarded)
    if not pairs_first:
        cancelled = _cancel(left)
    most = max((left[i] for i in book.ICONS), default=0)
    effects = tuple((i, left[i]) for i in book.ICONS if most and left[i] == most)
    return Outcome(tuple(discarded), effects, cancelled[0], cancelled[1])


def _cancel(left: Counter[str]) -> list[int]:
    found = []
    for one, other in book.PAIRS:
        pairs = max(min(left[one], left[other]), 0)
        left[one] -= pairs
        left[other] -= pairs
        found.append(pairs)
    return found


def outcomes(icons: Sequence[str], most: int, *, pairs_first: bool = False) -> tuple[Outcome, ...]:
    """Every different outcome of discarding up to `most` dice, fewest discarded first."""
    there = Counter(icons)
    if pairs_first:
        _cancel(there)
    found: dict[tuple[object, ...], Outcome] = {}
    for discarded in _discards(there, most):
        one = outcome(icons, discarded, pairs_first=pairs_first)
        found.setdefault((one.effects, one.spins, one.paces), one)
    return tuple(found.values())


def _discards(there: Counter[str], most: int) -> Iterator[tuple[str, ...]]:
    dice = sorted(there.elements(), key=book.ICONS.index)
    for count in range(min(most, len(dice)) + 1):
        yield from dict.fromkeys(combinations(dice, count))


def spin_of(effects: Outcome) -> int:
    """By how many steps of 30° it spins: left is above 0."""
    return bool(effects.of(book.LEFT)) - bool(effects.of(book.RIGHT))


# Collisions with solid obstacles and vehicles: who makes which Damage roll, and whose Speed changes.

SOLID = book.cite("Collisions", "Solid Obstacles and Vehicles")
PASSING = SOLID

Kind = Literal["Solid Obstacle", "Head-On", "T-collision", "Rear-End"]

KINDS: dict[str, Kind] = {"front": "Head-On", "side": "T-collision", "rear": "Rear-End"}


def shares(kind: Kind, speed: int, other: int) -> tuple[int, int]:
    """The Damage dice of the vehicle that collides and of the one that is hit.

    >>> shares("Rear-End", 6, 1), shares("Rear-End", 2, 4), shares("T-collision", 5, 1)
    ((5, 5), (1, 1), (5, 5))
    """
    if kind == "Head-On":
        return speed + other, speed + other
    if kind == "Rear-End":
        dice = speed - other if speed > other else 1
        return dice, dice
    return speed, 0 if kind == "Solid Obstacle" else speed


def speed_changes(kind: Kind, speed: int, other: int) -> tuple[int | None, int | None]:
    """By how much each Speed rating changes; None halves it.

    >>> speed_changes("Rear-End", 6, 1), speed_changes("Rear-End", 2, 4)
    ((-3, 3), (-1, 0))
    """
    if kind == "Head-On":
        return None, None
    if kind == "Rear-End":
        by = moves.half(speed - other)
        return (-by, by) if speed > other else (-1, 0)
    return None, 0


def met(state: GameState, towards: int, into: str) -> tuple[Vehicle | None, Kind]:
    """Whom a vehicle that moves towards something runs into, None for an obstacle, and how."""
    other = next((o for o in state.racing if o.name == into), None)
    return other, "Solid Obstacle" if other is None else KINDS[moves.arc_of(other.facing, (towards + 6) % 12)]


def collide(
    play: Play, name: str, towards: int, into: str, *, heading: int, side: str, way: int | None = None
) -> None:
    """A vehicle would move into an occupied hex: it stays, and the collision is resolved.

    `way` is where its wreck would go: None is as it faces.
    """
    v = play.vehicle(name)
    other, kind = met(play.state, towards, into)
    play.tell(
        "collided", f"{name} collides with {into}: {kind}", SOLID, vehicle=name,
        other=None if other is None else other.name, into=into, sort=kind,
    )  # fmt: skip
    speeds = (v.speed, 0 if other is None else other.speed)
    dice, changes = shares(kind, *speeds), speed_changes(kind, *speeds)
    both = [v] if other is None else [v, other]
    slide: dict[str, Any] = {"heading": heading, "side": side if side in ("L", "R") else ""}
    if other is None:
        # "In the direction the vehicle was originally moving when it hit the obstacle": towards it.
        slide = {"heading": towards, "side": ""}
    tasks: list[Task] = []
    for k, one in enumerate(both):
        count = traited(dice[k], one, both[1 - k] if len(both) > 1 else None)
        if count > 0:
            whose = both[1 - k].name if len(both) > 1 else None
            going = way if one is v else None
            tasks.append(damage_task(one.name, count, kind, SOLID, settles=True, by=whose, heading=going))
    rolls = {t.vehicle for t in tasks}
    for one in both:
        if one.name in rolls:
            against = into if one is v else name
            more = {**slide, "way": way} if one is v and way is not None else slide
            tasks.append(moves.control_task(one.name, kind, hurt=True, against=against, **more))
    for one, by in zip(both, changes, strict=False):
        if by != 0:
            tasks.append(_rate(one, by))
    words = f"{name} may be turned past {into}"
    tasks.append(Task("reface", name, words, PASSING, {"into": into}))
    play.owe(*tasks)


def traited(dice: int, one: Vehicle, other: Vehicle | None = None) -> int:
    """The dice of any collision with the traits of both; 0 where there is no roll."""
    if dice <= 0:
        return 0
    return max(dice - one.trait("B.S.H.") + (0 if other is None else other.trait("Spiked")), 0)


def _rate(v: Vehicle, by: int | None) -> Task:
    what = "halves its Speed" if by is None else f"changes its Speed by {signed(by)}"
    return Task("rate", v.name, f"{v.name} {what}", SOLID, {"by": by})


def not_turned(state: GameState, v: Vehicle) -> str:
    """Says why a vehicle is not turned after a collision."""
    return "its way is free" if moves.can_pass(state, v, v.facing) else "no way is free"


def facings(play_state: Any, v: Vehicle) -> tuple[tuple[int, ...], bool]:
    """The facings that it may take so as to pass, and whether its Speed becomes 0 for that."""
    if moves.can_pass(play_state, v, v.facing):
        return (), False
    near = tuple(
        (v.facing + turn) % 12 for turn in (1, -1) if moves.can_pass(play_state, v, (v.facing + turn) % 12)
    )
    if near:
        return near, False
    return tuple(f for f in range(12) if moves.can_pass(play_state, v, f)), True


# Control rolls: dice, discards, cancelling pairs, and what each icon does.

ROLL = book.cite("Control Loss", "Control Roll")
ICON = book.cite("Control Loss", "Control Roll Icons")
AGAIN = book.cite("Damage", "Damage Roll")
JUMPS = book.cite("Movement", "Jumps")
OVER_WHIPPING = book.cite("Speed Changes", "Over-Whipping")
AT_A_CORNER = house("Where a slide at a corner goes")


def basic_dice(v: Vehicle, speed: int | None = None) -> int:
    """The dice of a Control roll before cards: by Speed, by Control Loss points, by damage effects."""
    return v.control_dice(v.speed if speed is None else speed) + v.control + v.amount("control")


def dice_of(v: Vehicle, speed: int | None = None) -> int:
    """The dice that it rolls before cards, perhaps at a `speed`: with those that a Driver discards again."""
    dice = basic_dice(v, speed)
    return dice + v.trait("Driver") if dice else 0


def roll_control(play: Play, cards: int, bonus: int) -> None:
    """The dice are rolled; what is left to choose stays on the agenda."""
    task = play.state.agenda[0]
    v = play.vehicle(task.vehicle)
    extra = cards + bonus + v.trait("Driver")
    count = basic_dice(v) + extra
    what = f"Control roll of {v.name}: {task.data['why']}"
    icons = list(play.icons(v, count, what, ROLL))
    lie(play, _affected(v, icons), discards=extra)
    again = reroll_task(v, icons, "Handling", "control", what)
    if again is not None:
        play.owe(again)
        return
    chosen(play)


def rolled_again(play: Play, task: Task, dice: list[str]) -> None:
    """The Control roll goes on with these icons."""
    lie(play, _affected(play.vehicle(task.vehicle), dice))
    chosen(play)


def lie(play: Play, icons: list[str], **more: Any) -> None:
    """The Control roll that is owed goes on with these icons."""
    name = play.state.agenda[0].vehicle
    words = f"the dice of {name} count as {', '.join(icons)}" if icons else f"no die of {name} is left"
    play.ask(words, {"icons": icons} | more)


def _affected(v: Vehicle, icons: list[str]) -> list[str]:
    """The icons as its permanent damage effects make them."""
    for effect in v.effects:
        if effect.sort in ("haste", "slow"):
            icons = swapped(icons, book.SLOW if effect.sort == "haste" else book.HASTE)
    return icons


def swapped(icons: Sequence[str], icon: str) -> list[str]:
    """The icons with every Slow as Haste, or every Haste as Slow."""
    other = {book.SLOW: book.HASTE, book.HASTE: book.SLOW}[icon]
    return [other if i == icon else i for i in icons]


def choices(state: GameState, task: Task) -> tuple[Outcome, ...]:
    """The outcomes to choose from."""
    icons = [i for i in task.data["icons"] if i != book.DAMAGE or state.rules.control_damage != "ignored"]
    return outcomes(icons, task.data["discards"], pairs_first=state.rules.pairs_first)


TURNED = {"Yah!": book.SLOW, "Brake": book.HASTE}
"""The icon that a special card makes its counterpart of, once the dice lie."""


def after_cards(v: Vehicle) -> tuple[str, ...]:
    """The special cards that may be played once the dice lie."""
    return tuple(c.special for c in v.hand() if c.special in ("Yah!", "Brake", "Cool"))


def chosen(play: Play) -> None:
    """Where nothing is left to choose, the outcome applies at once."""
    task = play.state.agenda[0]
    found = choices(play.state, task)
    if len(found) == 1 and not after_cards(play.vehicle(task.vehicle)):
        play.resolve()
        suffer(play, task, found[0])


def suffer(play: Play, task: Task, out: Outcome) -> None:
    """What an outcome does: points for pairs and icons, damage, the skid, the change of Speed."""
    name, data, rules = task.vehicle, task.data, play.state.rules
    # "the direction it was travelling before any change of direction causing the Control roll"
    way = data.get("way", play.vehicle(name).facing)
    less = f" (discarded: {', '.join(out.discarded)})" if out.discarded else ""
    play.add_control(name, out.spins, f"pairs of Spins{less}")
    if out.paces:
        _pay(play, name, out.paces)
    if not out.failed:
        landed(play, task)
        return
    damage = out.of(book.DAMAGE)
    if rules.instant and out.effects == ((book.DAMAGE, damage),) and damage >= rules.instant:
        wipe_out(play, name, f"{damage} Damage icons", way)
        return
    extra = damage if rules.control_damage == "control" else 0
    play.add_control(name, len(out.effects) + extra, f"{out.alone}{less}")
    if data.get("initiated"):
        _halted(play, name)
    tasks = []
    dice = damage - play.vehicle(name).trait("Failsafes")
    if rules.control_damage == "roll" and dice > 0:
        jump = data.get("jump", 0)
        why = "Control roll and jump" if jump else "Control roll"
        tasks.append(damage_task(name, dice + jump, why, ICON, heading=way))
    if out.of(book.SLIDE) or spin_of(out):
        more = {k: data[k] for k in ("heading", "side", "against")} | {"way": way}
        tasks.append(
            _task("skid", name, "skids", slides=out.of(book.SLIDE), spin=_spin(play, name, out), **more)
        )
    if out.of(book.HASTE) != out.of(book.SLOW):
        tasks.append(
            _task("pace", name, "changes its Speed", haste=out.of(book.HASTE), slow=out.of(book.SLOW))
        )
    play.owe(*tasks)
    if not (rules.control_damage == "roll" and dice > 0):
        landed(play, task)


def _halted(play: Play, name: str) -> None:
    """Who loses control in an attack of its own moves no further in this phase."""
    turn = play.state.turn
    mine = turn is not None and turn.vehicle == name
    if mine or not play.vehicle(name).moved:
        words = f"{name} loses {'the rest of its' if mine else 'its'} movement"
        play.tell("lost", words, book.cite("Attacks", "Attack Outcome"), vehicle=name)


def landed(play: Play, task: Task) -> None:
    """The Damage roll of a jump, where its Control roll led to none; it comes first."""
    dice = task.data.get("jump", 0)
    if dice:
        play.owe(damage_task(task.vehicle, dice, "a jump", JUMPS, heading=task.data["heading"]))


def _task(kind: str, name: str, what: str, **data: Any) -> Task:
    return Task(kind, name, f"{name} {what}", ICON, data)


def _spin(play: Play, name: str, out: Outcome) -> int:
    """By how many steps of 30° it spins: one, and more for a Spinner."""
    way = spin_of(out)
    more = min(play.vehicle(name).trait("Spinner"), out.of(book.LEFT) or out.of(book.RIGHT))
    return way * (1 + more)


def _pay(play: Play, name: str, pairs: int) -> None:
    """Each pair of Slow and Haste costs a point of Stamina, without these rules of control."""
    v = play.vehicle(name)
    if not play.state.rules.stamina:
        play.add_control(name, pairs, "pairs of Slow and Haste")
        return
    stamina = max(v.stamina - pairs, 0)
    words = f"{name}: Stamina {v.stamina} becomes {stamina} (pairs of Slow and Haste)"
    play.tell("stamina", words, ROLL, vehicle=name, stamina=stamina)


def do_skid(play: Play, task: Task) -> None:
    """It slides the way that it went, then spins."""
    name, data = task.vehicle, task.data
    v = play.vehicle(name)
    spaces = 1 + min(v.trait("Slippery"), data["slides"]) if data["slides"] else 0
    side = data["side"]
    for left in range(spaces - 1, -1, -1):
        side = slide_side(play.state, play.vehicle(name), data["heading"], side)
        if not _slide(play, name, data, side, left):
            break
    v = play.vehicle(name)
    if data["spin"] and v.races:
        facing = (v.facing + data["spin"]) % 12
        words = f"{name} spins {30 * abs(data['spin'])}° {'left' if data['spin'] > 0 else 'right'}"
        play.tell("turned", words, ICON, vehicle=name, facing=facing, ends=False)


def slide_side(state: GameState, v: Vehicle, heading: int, side: str) -> str:
    """Which front side a slide enters: straight on; at a corner not the last one, else the free one."""
    if heading % 2 == 0:
        return "F"
    if side in ("L", "R"):
        return "R" if side == "L" else "L"
    assert v.cell is not None
    free = [
        s for s in "LR" if not moves.stands(state, moves.beside(v.cell, moves.step_to(heading, s)), v.name)
    ]
    return free[0] if free else "L"


def _slide(play: Play, name: str, data: Any, side: str, left: int) -> bool:
    """One space, of which so many more are `left`; False where it ran into something."""
    v = play.vehicle(name)
    assert v.cell is not None
    towards = moves.step_to(data["heading"], side)
    there, corner = moves.beside(v.cell, towards), side in ("L", "R")
    into = moves.stands(play.state, there, name)
    if into and into == data["against"]:
        _again(play, v, into, data)
        return False
    if into:
        collide(play, name, towards, into, heading=data["heading"], side=side, way=data.get("way"))
        return False
    play.tell(
        "slid", f"{name} slides to {play.state.board.name_of(there)}", AT_A_CORNER if corner else ICON,
        vehicle=name, cell=list(there), travelled=moves.stepped(play.state, v, there),
        heading=data["heading"], side=side if corner else "", **({"left": left} if left else {}),
    )  # fmt: skip
    moves.enter(play, name, data.get("way"))
    return True


def _again(play: Play, v: Vehicle, into: str, data: Any) -> None:
    """It collides with the same again: a Damage roll of each by the Slide icons, and no Control roll.

    "This does not affect the Control rolls … when resolving the initial collision": it comes after them.
    """
    why, slides, way = f"{v.name} slides into {into} again", data["slides"], data.get("way")
    other = next((o for o in play.state.racing if o.name == into), None)
    if other is None:
        rolls = [damage_task(v.name, traited(slides, v), why, AGAIN, heading=way)]
    else:
        both = ((v, other, way), (other, v, None))
        rolls = [
            damage_task(a.name, traited(slides, a, b), why, AGAIN, by=b.name, heading=going)
            for a, b, going in both
        ]
    play.owe(*(roll for roll in rolls if roll.data["dice"]), behind=_unresolved(play.state, {v.name, into}))


def _unresolved(state: GameState, two: set[str]) -> int:
    """How many tasks come first of the collision of two: the other's Control roll, boxes of Speed."""

    def of_it(task: Task) -> bool:
        against = task.data.get("against") if task.kind == "control" else task.vehicle
        return task.kind in ("control", "pace") and {task.vehicle, against} <= two

    return len(list(takewhile(of_it, state.agenda)))


def do_pace(play: Play, task: Task) -> None:
    """Haste accelerates and Slow decelerates by a box for each icon."""
    v = play.vehicle(task.vehicle)
    boxes, over = task.data["haste"] - task.data["slow"], 0
    if boxes > 0:
        marker, over = book.accelerated(v.licence, play.marker(v.name), boxes, v.top)
    else:
        marker = book.decelerated(v.licence, play.marker(v.name), -boxes)
    words = f"{'accelerates' if boxes > 0 else 'decelerates'} by {many(abs(boxes), 'box', 'boxes')}"
    rule = ICON
    if over and v.top < book.TOP:
        # "Any change" above a maximum that damage has lowered; else it goes "up to its maximum".
        marker, rule = book.decelerated(v.licence, marker, over), OVER_WHIPPING
        words += f" and over-whips by {over}"
    play.set_speed(v.name, marker, words, rule)
