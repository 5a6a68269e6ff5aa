"""Rams and Nudges: the contest, damage to both, who holds on, who loses control."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.games.shattered_highways.book.data import (
    CHAIN_DAMAGE,
    CRUSH,
    CRUSH_BACK,
    MOST_BACK,
    MOVED,
    NUDGE_DAMAGE,
    OPPOSITE,
    STAYS,
    Part,
    Side,
    cite,
)
from engine.games.shattered_highways.rules.control import cling, lose
from engine.games.shattered_highways.rules.damage import harm
from engine.games.shattered_highways.rules.modifiers import armour, bonus, defends, struck_part
from engine.games.shattered_highways.state.fold import Modifier, Play, Rolled, Roller
from engine.games.shattered_highways.state.game_state import Duty

NUDGE = cite("Nudge")
RAM = cite("Ram")


@dataclass(frozen=True, slots=True)
class Strike:
    """Who strikes whom: with which side, which halves of Rigs touch, and by whose action.

    `actor` is the warrior whose action it is; nobody's when a vehicle is out of control.
    """

    vehicle: str
    targets: tuple[str, ...]
    side: Side
    part: Part = ""
    own: Part = ""
    actor: str | None = None

    @property
    def theirs(self) -> Side:
        """The side of the others that is struck."""
        return OPPOSITE[self.side]

    @property
    def words(self) -> str:
        """The declaration."""
        whom = " and ".join(self.targets)
        return f"the {self.theirs} of {whom} with the {self.side} of {self.vehicle}"


def nudge(play: Play, strike: Strike, roller: Roller) -> None:
    """A Nudge of one vehicle, or with a Rig's side of several with one roll."""
    mine, *others = _contest(play, strike, roller, "Nudge", NUDGE)
    won = []
    for name, theirs in zip(strike.targets, others, strict=True):
        by = min(3, mine.total - theirs.total)
        how = f"by {by}: within {_sections(by)}" if by > 0 else "in vain"
        play.tell(
            "nudge", f"{strike.vehicle} nudges {name} {how}", NUDGE, vehicle=strike.vehicle, target=name,
            side=strike.side, theirs=strike.theirs, attacker=mine.total, defender=theirs.total, by=max(0, by),
        )  # fmt: skip
        if by > 0:
            won.append((name, by))
    _harm_attacker(play, strike, NUDGE_DAMAGE, "the Nudge", NUDGE)
    for name in strike.targets:
        _harm_target(play, strike, name, NUDGE_DAMAGE, "the Nudge", NUDGE)
    for name, by in won:
        if play.state.vehicle(name).in_play:
            cling(play, name)
            duty = Duty("nudged", name, NUDGE, by=roller.player, sections=by, other=strike.vehicle)
            play.owe(duty, f"{roller.player} puts {name} within {_sections(by)} of the template")
    _lose(play, strike, (mine, *others))


def chained(play: Play, name: str, by: str) -> None:
    """A vehicle into which another was nudged keeps control with a Move roll, or is moved a section."""
    striker, driver, lost = play.state.vehicle(by).control, play.state.driver(name), False
    if driver is not None:
        rolled = play.uncontested(defends(play.state, name), f"Move to keep control, {MOVED}+", NUDGE)
        if rolled.total >= MOVED:
            play.tell("kept", f"{name} is struck by {by} and keeps control", NUDGE, vehicle=name, other=by)
            return
        lost = rolled.total < STAYS
    harm(play, name, CHAIN_DAMAGE, f"{by}", NUDGE, part=struck_part(play.state.vehicle(name), "rear"))
    if play.state.vehicle(name).in_play:
        # It is nudged like any other: who clings to it rolls, and a 1 on the Move is Lost Control.
        cling(play, name)
        duty = Duty("struck", name, NUDGE, by=striker, sections=1, other=by)
        play.owe(duty, f"{striker} puts {name} within 1 section of the template")
    if lost:
        lose(play, name)


def ram(play: Play, strike: Strike, roller: Roller) -> None:
    """A Ram of one vehicle, or with a Rig's side of several with one roll; damage is rolled for each."""
    mine, *others = _contest(play, strike, roller, "Ram", RAM)
    for name, theirs in zip(strike.targets, others, strict=True):
        crush = mine.highest and theirs.natural == 1
        won = crush or mine.total > theirs.total
        words = f"{strike.vehicle} rams {name}" + ("" if won else " in vain")
        play.tell(
            "ram", words, RAM, vehicle=strike.vehicle, target=name, side=strike.side, theirs=strike.theirs,
            attacker=mine.total, defender=theirs.total, won=won, crush=crush, warrior=strike.actor,
        )  # fmt: skip
        if not won:
            continue
        _ram_damage(play, strike, name, crush=crush)
        if play.state.vehicle(name).in_play:
            cling(play, name)
    _lose(play, strike, (mine, *others))


def _ram_damage(play: Play, strike: Strike, name: str, *, crush: bool) -> None:
    """D6, a 6 rolled again once; half of it back, to at most 3. A crush is 25 and 3, unmodified."""
    if crush:
        _harm_target(play, strike, name, CRUSH, f"the Ram by {strike.vehicle}", RAM, modified=False)
        _harm_attacker(play, strike, CRUSH_BACK, "its own Ram", RAM, modified=False)
        return
    by = play.state.vehicle(strike.vehicle).control
    damage = play.die(f"damage of the Ram against {name}", RAM, name, by)
    if damage == 6:
        damage += play.die(f"more damage of the Ram against {name}", RAM, name, by)
    extra = bonus(play.state.vehicle(strike.vehicle), play.state.vehicle(name))
    _harm_target(play, strike, name, damage, f"the Ram by {strike.vehicle}", RAM, extra)
    _harm_attacker(play, strike, min(MOST_BACK, damage // 2), "its own Ram", RAM)


def _contest(play: Play, strike: Strike, roller: Roller, what: str, rule: str) -> tuple[Rolled, ...]:
    others = [defends(play.state, name) for name in strike.targets]
    return play.contested(roller, others, f"{what}: {strike.words}", rule)


def _lose(play: Play, strike: Strike, rolled: Sequence[Rolled]) -> None:
    """Whoever rolled a 1 has Lost Control, once all of it is resolved."""
    for name, roll in zip((strike.vehicle, *strike.targets), rolled, strict=True):
        if roll.natural == 1:
            lose(play, name)


def _harm_target(
    play: Play, strike: Strike, name: str, amount: int, cause: str, rule: str,
    extra: tuple[Modifier, ...] = (), *, modified: bool = True,
) -> None:  # fmt: skip
    target = play.state.vehicle(name)
    part = struck_part(target, strike.theirs, strike.part)
    less = (*extra, *armour(target, strike.theirs)) if modified else ()
    harm(play, name, amount, cause, rule, part=part, modifiers=less)


def _harm_attacker(
    play: Play, strike: Strike, amount: int, cause: str, rule: str, *, modified: bool = True
) -> None:
    own = play.state.vehicle(strike.vehicle)
    part = struck_part(own, strike.side, strike.own)
    harm(
        play, own.name, amount, cause, rule, part=part, modifiers=armour(own, strike.side) if modified else ()
    )


def _sections(count: int) -> str:
    return f"{count} section{'s' if count > 1 else ''}"
