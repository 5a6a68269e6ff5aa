"""The fleet builder: what each vehicle is and carries, with the creation points that are left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import TableRefError
from engine.game.events import JsonObject, Reason
from engine.game.forms import Candidate, Flag, Form, Input, Number, Pick, SetUpForm
from engine.game.kit import reading
from engine.games.shattered_highways.acts.beginning import (
    CONSTRUCTION,
    amiss,
    builds_of,
    dealt,
)
from engine.games.shattered_highways.book.building import Build, checked, points_of, seat_words, seats
from engine.games.shattered_highways.book.data import (
    ARCS,
    ARMOUR_POINTS,
    CHAINS_POINTS,
    CLASSES,
    DEPLOYMENTS,
    REINFORCEMENTS,
    REINFORCEMENTS_POINTS,
    SIDES,
    STANDARD,
    UNDECIDED,
    WEAPONS,
    HouseRules,
    cite,
)
from engine.ruling import many


def set_up(so_far: JsonObject) -> SetUpForm:
    """The forms of every vehicle and of the game; each answer may bring further questions."""
    players, given = reading.seated(so_far)
    try:
        house = HouseRules.said(so_far)
        builds = builds_of({"pieces": given})
        wrong = [str(reason) for reason in amiss(players, builds, house.points)]
        wrong += [reason for build in builds for reason in _not_allowed(build)]
    except TableRefError as error:
        house, builds, wrong = HouseRules(), (), [str(error)]
    if not 2 <= len(players) <= 4:
        wrong.insert(0, f"expected two to four players but got {len(players)}")
    pieces = {str(p.get("name")): _vehicle(p, given, builds, house.points) for p in given}
    return SetUpForm(pieces, _game(), tuple(Reason(words, CONSTRUCTION) for words in wrong))


def _not_allowed(build: Build) -> list[str]:
    try:
        checked(build)
    except TableRefError as error:
        return [str(error)]
    return []


def _vehicle(
    piece: Mapping[str, Any], given: Sequence[Mapping[str, Any]], builds: tuple[Build, ...], budget: int
) -> Form:
    """What is asked of one vehicle as it is built so far."""
    owner = str(piece.get("owner"))
    before = given[: next(k for k, other in enumerate(given) if other is piece)]
    usual = dealt(sum(str(p.get("owner")) == owner for p in before))
    name = str(piece.get("class") or usual)
    kind = CLASSES[name] if name in CLASSES else CLASSES[usual]  # type: ignore[index]
    mine = next((b for b in builds if b.name == piece.get("name")), None)
    fields: dict[str, Input] = {
        "class": Pick(
            words="Class",
            candidates=tuple(Candidate(c.name, c.name, _class_words(c.name)) for c in CLASSES.values()),
            usual=usual,
        )
    }
    count = kind.weapons
    if kind.most_weapons > kind.weapons:
        fields["weapons"] = Number(
            words="Weapons", more=f"each further one {WEAPONS[STANDARD].points} points",
            low=kind.weapons, high=kind.most_weapons, usual=kind.weapons,
        )  # fmt: skip
        said = piece.get("weapons")
        right = isinstance(said, int) and kind.weapons <= said <= kind.most_weapons
        count = int(said or 0) if right else kind.weapons
    for number in range(1, count + 1):
        fields |= _weapon(number, side=kind.trailer is not None)
    fields["armor"] = Pick(
        words="Armor", more=f"{ARMOUR_POINTS} point each", least=0, most=4, usual=[], folded=True,
        candidates=tuple(Candidate(side, side) for side in SIDES),
    )  # fmt: skip
    fields["chains"] = Flag(words="Drag Chains", more=f"{CHAINS_POINTS} point", usual=False, folded=True)
    if kind.trailer is not None:
        more = f"{REINFORCEMENTS_POINTS} points, {REINFORCEMENTS} Cannon Fodder more"
        fields["reinforcements"] = Flag(words="Reinforcements", more=more, usual=False, folded=True)
    fields |= _hidden(kind.name, owner, builds) | _hero(mine)
    return Form(fields, _points_words(owner, builds, mine, budget))


def _points_words(owner: str, builds: tuple[Build, ...], mine: Build | None, budget: int) -> str:
    spent = points_of(builds, owner)
    own = "" if mine is None else f"costs {mine.points}; "
    return f"{own}{owner} has {budget - spent} of {budget} creation points left"


def _class_words(name: str) -> str:
    kind = next(c for c in CLASSES.values() if c.name == name)
    hits = f"{kind.hits}" if kind.trailer is None else f"{kind.hits} / {kind.trailer}"
    weapons = many(kind.weapons, "weapon")
    return f"{kind.points} points, {hits} hit points, {kind.seats} seats, {weapons}"


def _weapon(number: int, *, side: bool) -> dict[str, Input]:
    """A mounted weapon and where it points."""
    standard = WEAPONS[STANDARD].points
    weapons = tuple(
        Candidate(w.name, w.name, f"{w.reach:g} in, D6+{w.bonus}, {w.points - standard:+d} points")
        for w in WEAPONS.values()
    )
    arcs = tuple(Candidate(a, words) for a, words in ARCS.items() if side or a in ("fore", "aft"))
    return {
        f"weapon_{number}": Pick(words=f"Weapon {number}", candidates=weapons, usual=STANDARD, folded=True),
        f"arc_{number}": Pick(words=f"Weapon {number} shoots", candidates=arcs, usual="fore"),
    }


def _hidden(kind: str, owner: str, builds: tuple[Build, ...]) -> dict[str, Input]:
    """In which of the player's Rigs a Buggy waits, if it does."""
    rigs = [b.name for b in builds if b.kind == "Rig" and b.owner == owner]
    if kind != "Buggy" or not rigs:
        return {}
    candidates = tuple(Candidate(name, name) for name in rigs)
    return {"hidden_in": Pick(words="Hidden in the trailer of", candidates=candidates, optional=True)}


def _hero(mine: Build | None) -> dict[str, Input]:
    """Where the player's hero sits, if it is in this one."""
    if mine is None or mine.hidden_in is not None:
        return {}
    found = tuple(Candidate(seat, seat_words(seat)) for seat, _ in seats(mine.kind, mine.mounts))
    more = "one for each player; else it drives the first vehicle"
    return {"hero": Pick(words="The hero is", more=more, candidates=found, optional=True, folded=True)}


def _game() -> Form:
    deployments = [Candidate(name, name, words) for name, words in DEPLOYMENTS.items()]
    deployments.append(Candidate(UNDECIDED, UNDECIDED))
    found: dict[str, Input] = {
        "deployment": Pick(
            words="How the vehicles start", candidates=tuple(deployments), usual=UNDECIDED,
            more=cite("Play Setup"),
        )
    }  # fmt: skip
    return Form(found | HouseRules.inputs())
