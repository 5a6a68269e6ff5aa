"""Control rolls: dice, discards, cancelling pairs, and what each icon does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.game.about import house
from engine.games.frothy_races.book.data import DAMAGE, HASTE, LEFT, RIGHT, SLIDE, SLOW, cite
from engine.games.frothy_races.book.speeds import accelerated, decelerated
from engine.games.frothy_races.rules.collisions import collide, traited
from engine.games.frothy_races.rules.damage import damage_task, reroll_task, wipe_out
from engine.games.frothy_races.rules.entering import enter, stepped
from engine.games.frothy_races.rules.icons import Outcome, outcomes, spin_of
from engine.games.frothy_races.rules.moves import beside, stands, step_to
from engine.games.frothy_races.state.fold import Play
from engine.games.frothy_races.state.game_state import GameState, Task, Vehicle

ROLL = cite("Control Loss", "Control Roll")
ICON = cite("Control Loss", "Control Roll Icons")
AGAIN = cite("Damage", "Damage Roll")
JUMPS = cite("Movement", "Jumps")
INSTANT = cite("Alternative Rules", "Instant Wipe-Out")
AT_A_CORNER = house("Where a slide at a corner goes")


def basic_dice(v: Vehicle) -> int:
    """The dice of a Control roll before cards: by Speed, by Control Loss points, by damage effects."""
    return v.control_dice(v.speed) + v.control + v.amount("control")


def dice_of(v: Vehicle) -> int:
    """The dice that it rolls before cards: with those that a Driver rolls and discards."""
    dice = basic_dice(v)
    return dice + v.trait("Driver") if dice else 0


def roll_control(play: Play, cards: int, bonus: int) -> None:
    """The dice are rolled; what is left to choose stays on the agenda."""
    task = play.state.agenda[0]
    v = play.vehicle(task.vehicle)
    extra = cards + bonus + v.trait("Driver")
    count = basic_dice(v) + extra
    what = f"Control roll of {v.name}: {task.data['why']}"
    icons = list(play.icons(v, count, what, ROLL))
    play.ask({"icons": _affected(v, icons), "discards": extra})
    again = reroll_task(v, icons, "Handling", "control", what)
    if again is not None:
        play.owe(again)
        return
    chosen(play)


def rolled_again(play: Play, task: Task, dice: list[str]) -> None:
    """The Control roll goes on with these icons."""
    play.ask({"icons": _affected(play.vehicle(task.vehicle), dice)})
    chosen(play)


def _affected(v: Vehicle, icons: list[str]) -> list[str]:
    """The icons as its permanent damage effects make them."""
    for effect in v.effects:
        if effect.sort in ("haste", "slow"):
            icons = swapped(icons, SLOW if effect.sort == "haste" else HASTE)
    return icons


def swapped(icons: Sequence[str], icon: str) -> list[str]:
    """The icons with every Slow as Haste, or every Haste as Slow."""
    other = {SLOW: HASTE, HASTE: SLOW}[icon]
    return [other if i == icon else i for i in icons]


def choices(state: GameState, task: Task) -> tuple[Outcome, ...]:
    """The outcomes to choose from."""
    icons = [i for i in task.data["icons"] if i != DAMAGE or state.rules.control_damage != "ignored"]
    return outcomes(icons, task.data["discards"], pairs_first=state.rules.pairs_first)


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
    less = f" (discarded: {', '.join(out.discarded)})" if out.discarded else ""
    play.add_control(name, out.spins, f"pairs of Spins{less}")
    if out.paces:
        _pay(play, name, out.paces)
    if not out.failed:
        landed(play, task)
        return
    damage = out.of(DAMAGE)
    if rules.instant and out.effects == ((DAMAGE, damage),) and damage >= rules.instant:
        wipe_out(play, name, f"{damage} Damage icons", data["heading"])
        return
    extra = damage if rules.control_damage == "control" else 0
    play.add_control(name, len(out.effects) + extra, f"{out.words}{less}")
    if data.get("initiated"):
        words = f"{name} loses the rest of its movement"
        play.tell("lost", words, cite("Attacks", "Attack Outcome"), vehicle=name)
    tasks = []
    dice = damage - play.vehicle(name).trait("Failsafes")
    if rules.control_damage == "roll" and dice > 0:
        jump = data.get("jump", 0)
        why = "Control roll and jump" if jump else "Control roll"
        tasks.append(damage_task(name, dice + jump, why, ICON, heading=data["heading"]))
    if out.of(SLIDE) or spin_of(out):
        more = {k: data[k] for k in ("heading", "side", "against")}
        tasks.append(_task("skid", name, "skids", slides=out.of(SLIDE), spin=_spin(play, name, out), **more))
    if out.of(HASTE) != out.of(SLOW):
        tasks.append(_task("pace", name, "changes its Speed", haste=out.of(HASTE), slow=out.of(SLOW)))
    play.owe(*tasks)
    if not (rules.control_damage == "roll" and dice > 0):
        landed(play, task)


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
    more = min(play.vehicle(name).trait("Spinner"), out.of(LEFT) or out.of(RIGHT))
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
    for _ in range(spaces):
        side = slide_side(play.state, play.vehicle(name), data["heading"], side)
        if not _slide(play, name, data, side):
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
    free = [s for s in "LR" if not stands(state, beside(v.cell, step_to(heading, s)), v.name)]
    return free[0] if free else "L"


def _slide(play: Play, name: str, data: Any, side: str) -> bool:
    """One space; False where it ran into something."""
    v = play.vehicle(name)
    assert v.cell is not None
    towards = step_to(data["heading"], side)
    there = beside(v.cell, towards)
    into = stands(play.state, there, name)
    if into and into == data["against"]:
        _again(play, v, into, data["slides"])
        return False
    if into:
        collide(play, name, towards, into, heading=data["heading"], side=side)
        return False
    play.tell(
        "slid", f"{name} slides to {play.state.board.name_of(there)}", ICON, vehicle=name,
        cell=list(there), travelled=stepped(play.state, v, there), heading=data["heading"],
        side=side if side in ("L", "R") else "",
    )  # fmt: skip
    enter(play, name)
    return True


def _again(play: Play, v: Vehicle, into: str, slides: int) -> None:
    """It collides with the same again: a Damage roll of each by the Slide icons, and no Control roll."""
    why = f"{v.name} slides into {into} again"
    other = next((o for o in play.state.racing if o.name == into), None)
    if other is None:
        rolls = [damage_task(v.name, traited(slides, v), why, AGAIN)]
    else:
        both = ((v, other), (other, v))
        rolls = [damage_task(a.name, traited(slides, a, b), why, AGAIN, by=b.name) for a, b in both]
    play.owe(*(roll for roll in rolls if roll.data["dice"]))


def do_pace(play: Play, task: Task) -> None:
    """Haste accelerates and Slow decelerates by a box for each icon."""
    v = play.vehicle(task.vehicle)
    boxes = task.data["haste"] - task.data["slow"]
    if boxes > 0:
        marker, _ = accelerated(v.licence, play.marker(v.name), boxes, v.top)
    else:
        marker = decelerated(v.licence, play.marker(v.name), -boxes)
    many = "1 box" if abs(boxes) == 1 else f"{abs(boxes)} boxes"
    words = f"{'accelerates' if boxes > 0 else 'decelerates'} by {many}"
    play.set_speed(v.name, marker, words, ICON)
