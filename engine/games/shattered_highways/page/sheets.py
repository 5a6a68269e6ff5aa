"""The sheets: what each vehicle is and has, where the match stands, and what is asked before it begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import TableRefError
from engine.game.events import JsonObject, Reason
from engine.game.forms import Candidate, Flag, Form, Input, Number, Pick, SetUpForm
from engine.game.kit import reading
from engine.game.kit.shown import fate
from engine.game.showing import Counter, Place, Sheet, Slot, Slots, Status, Widget, Words
from engine.games.shattered_highways.acts.beginning import CONSTRUCTION, amiss, builds_of, dealt
from engine.games.shattered_highways.acts.rounds import to_deploy
from engine.games.shattered_highways.book import data as book
from engine.games.shattered_highways.book.data import Build, HouseRules, seats
from engine.games.shattered_highways.rules.owed import how_words
from engine.games.shattered_highways.state import (
    Duty,
    GameState,
    Turn,
    Vehicle,
    VehicleStatus,
    Warrior,
    due,
    wreck_words,
)
from engine.ruling import many
from engine.words import listed

# The card of each vehicle, hit points, seats, weapons, add-ons; and where the match stands.

SEATING = ("change", "sit")
"""What puts a warrior into a seat."""

_NOTES: dict[VehicleStatus, str] = {
    "waiting": "not put down",
    "hidden": "hidden",
    "driving": "",
    "behind": "against the back edge",
    "destroyed": "destroyed",
    "gone": "left behind",
}

_FATES: dict[VehicleStatus, str] = {
    "driving": "in play",
    "behind": "against the back edge",
    "destroyed": "destroyed",
    "gone": "left behind",
}


def sheets(state: GameState) -> tuple[Sheet, ...]:
    """All cards, by who controls the vehicles, the players in their order."""
    return tuple(_sheet(state, v) for p in state.players for v in state.vehicles if v.control == p)


def _sheet(state: GameState, vehicle: Vehicle) -> Sheet:
    out = vehicle.status in ("destroyed", "gone")
    more = f"{vehicle.kind}, {vehicle.cls.points} creation points"
    if vehicle.owner != vehicle.control:
        writer = vehicle.owner if vehicle.owner in state.fighting else vehicle.control
        more += f" · fielded by {vehicle.owner}; {writer} writes its play order"
    return Sheet(
        title=vehicle.name, owner=vehicle.control, widgets=tuple(_widgets(state, vehicle)),
        piece=vehicle.name, more=more, summary=summary(state, vehicle), note=_NOTES[vehicle.status], out=out,
        by_hand=tuple(_seat(state, vehicle, warrior) for warrior in state.aboard(vehicle.name)),
    )  # fmt: skip


def _seat(state: GameState, vehicle: Vehicle, warrior: Warrior) -> Words:
    """Where a warrior sits, or that they cling: to overrule. A Rig's other half is left as it is."""
    free = state.free_seats(vehicle.name, warrior.part)
    seats = [seat for seat, _ in vehicle.seats if seat == warrior.seat or seat in free]
    choices = (*(Candidate(seat, book.seat_words(seat)) for seat in seats), Candidate(None, "clinging"))
    text = "clinging" if warrior.seat is None else book.seat_words(warrior.seat)
    return Words(words=warrior.name, text=text, choices=choices, path=("warriors", warrior.name, "seat"))


def _widgets(state: GameState, vehicle: Vehicle) -> list[Widget]:
    name = vehicle.name
    found: list[Widget] = [
        Counter(
            words="Hit points" if not vehicle.is_rig else "Tractor", value=vehicle.hits,
            low=int(vehicle.in_play), high=vehicle.cls.hits, path=("vehicles", name, "hits"),
        )
    ]  # fmt: skip
    if vehicle.trailer is not None:
        found.append(
            Counter(
                words="Trailer", value=vehicle.trailer, low=0, high=vehicle.cls.trailer or 0,
                more="destroyed: decouple it" if vehicle.trailer == 0 else "",
                path=("vehicles", name, "trailer"),
            )
        )  # fmt: skip
    aboard = state.aboard(name)
    found.append(_seats(vehicle, aboard))
    hanging = tuple(Slot("", _token(w), w.owner, token=w.name, key="cling") for w in aboard if w.seat is None)
    if hanging:
        found.append(Slots(words="Clinging", slots=hanging, columns=2, moved_by=SEATING))
    for number, mount in enumerate(vehicle.mounts, start=1):
        weapon = book.weapon_called(mount.weapon)
        found.append(
            Words(
                words=f"Gunner {number}", text=f"{weapon.name} {book.ARCS[mount.arc]}",
                more="jammed" if mount.jammed else f"{weapon.reach:g} in, D6+{weapon.bonus}",
                used=mount.jammed,
                choices=(Candidate(False, "ready"), Candidate(True, "jammed")),
                path=("vehicles", name, "mounts", number - 1, "jammed"), key=gunner_key(number),
            )
        )  # fmt: skip
    found += [Words(words="Armor", text=", ".join(vehicle.armour))] if vehicle.armour else []
    found += [Words(words="Add-on", text="Drag Chains")] if vehicle.chains else []
    # Without hit points it is destroyed: they are put right first.
    fates = _FATES if vehicle.hits else {k: v for k, v in _FATES.items() if k in ("destroyed", "gone")}
    now = _FATES.get(vehicle.status, _NOTES[vehicle.status])
    return [*found, fate(now, fates, ("vehicles", name, "status"))]


def _seats(vehicle: Vehicle, aboard: tuple[Warrior, ...]) -> Slots:
    """The seats with who sits in each; on a Rig with the half that it is on."""
    there: dict[Any, Warrior] = {w.seat: w for w in aboard}
    slots = tuple(
        Slot(
            book.seat_words(seat) + (f" ({part})" if part else ""),
            _token(there[seat]) if seat in there else "", there[seat].owner if seat in there else None,
            used=seat in there and there[seat].acted, token=there[seat].name if seat in there else "",
            key=seat,
        )
        for seat, part in vehicle.seats
    )  # fmt: skip
    return Slots(words="Seats", slots=slots, columns=2, moved_by=SEATING)


def gunner_key(number: int) -> str:
    """The place of a gunner's weapon on the card."""
    return f"gunner {number}"


def _token(warrior: Warrior) -> str:
    """A warrior's marker, with what counts for them this round."""
    notes = [
        word
        for word, true in (
            ("jammed", warrior.jammed),
            ("has acted", warrior.acted),
            ("−1", (warrior.changed or warrior.clung) and not warrior.acted),
        )
        if true
    ]
    return warrior.name + (f" ({', '.join(notes)})" if notes else "")


def summary(state: GameState, vehicle: Vehicle) -> str:
    """A vehicle in a few words."""
    hits = f"{vehicle.hits}" if vehicle.trailer is None else f"{vehicle.hits} / {vehicle.trailer}"
    count = len(state.aboard(vehicle.name))
    return f"{vehicle.kind} · {hits} hit points · {count} aboard"


_OWED = {
    "shrapnel": "{vehicle}: who is hit?",
    "seat": "{warrior} is on {vehicle}",
    "leap": "{warrior} may leap",
    "wreck": "{wreck} is destroyed",
    "deployed": "{vehicle} comes out",
    "nudged": "{vehicle} is nudged",
    "struck": "{vehicle} is struck",
    "veer": "{vehicle} veers",
    "fall back": "{vehicle} falls back",
    "lost": "{vehicle} has Lost Control",
    "shift": "The front edge is reached",
    "control": "{vehicle} has Lost Control",
    "unmanned": "{vehicle} is unmanned",
}


def status(state: GameState) -> Status:
    """Whose turn it is, what has to be done first, or who has won."""
    order = tuple(_place(state, player) for player in state.players)
    if state.over:
        return Status.at_the_end(state.winner, order)
    duty = due(state)
    if duty is not None:
        return _owed(duty, order)
    if state.first is None:
        who = "How do the vehicles start?" if state.deployment is None else "Who goes first?"
        return Status("Play Setup", who, order=order)
    player = to_deploy(state)
    if player is not None:
        return Status("Play Setup", f"{player} puts a vehicle down", player=player, order=order)
    if state.turn is not None:
        return _in_turn(state, state.turn, order)
    waiting = listed(state.to_number)
    return Status(f"Round {state.round + 1}", "Write the play order", f"in secret: {waiting}", order=order)


def _owed(duty: Duty, order: tuple[Place, ...]) -> Status:
    who = _OWED[duty.kind].format(
        vehicle=duty.vehicle, warrior=duty.warrior, wreck=wreck_words(duty.vehicle, duty.part)
    )
    who = who[:1].upper() + who[1:]
    return Status("Before play goes on", who, how_words(duty), duty.by, duty.vehicle, order)


def _in_turn(state: GameState, turn: Turn, order: tuple[Place, ...]) -> Status:
    more = {"play": "its warriors act", "moving": "a Move is under way", "over": "its turn ends"}[turn.stage]
    if turn.late:
        more = "against the back edge: one Move to get back"
    following = f" · then {', '.join(state.queue)}" if state.queue else ""
    who = f"{turn.hands} plays {turn.vehicle}"
    return Status(f"Round {state.round}", who, more + following, turn.hands, turn.vehicle, order)


def _place(state: GameState, player: str) -> Place:
    mine = [v for v in state.vehicles if v.control == player and v.status in ("waiting", "driving", "behind")]
    count = len(mine)
    current = state.turn is not None and state.turn.hands == player
    return Place.having(player, count, "vehicle", current=current, out=player not in state.alive)


# The fleet builder: what each vehicle is and carries, with the creation points that are left.


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
        wrong.insert(0, reading.players_needed(len(players), 4))
    pieces = {str(p.get("name")): _vehicle(p, given, builds, house.points) for p in given}
    return SetUpForm(pieces, _game(), tuple(Reason(words, CONSTRUCTION) for words in wrong))


def _not_allowed(build: Build) -> list[str]:
    try:
        book.checked(build)
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
    kind = book.CLASSES[name] if name in book.CLASSES else book.CLASSES[usual]  # type: ignore[index]
    mine = next((b for b in builds if b.name == piece.get("name")), None)
    fields: dict[str, Input] = {
        "class": Pick(
            words="Class",
            candidates=tuple(Candidate(c.name, c.name, _class_words(c.name)) for c in book.CLASSES.values()),
            usual=usual,
        )
    }
    count = kind.weapons
    if kind.most_weapons > kind.weapons:
        fields["weapons"] = Number(
            words="Weapons", more=f"each further one {book.WEAPONS[book.STANDARD].points} points",
            low=kind.weapons, high=kind.most_weapons, usual=kind.weapons,
        )  # fmt: skip
        said = piece.get("weapons")
        right = isinstance(said, int) and kind.weapons <= said <= kind.most_weapons
        count = int(said or 0) if right else kind.weapons
    for number in range(1, count + 1):
        fields |= _weapon(number, side=kind.trailer is not None)
    fields["armor"] = Pick(
        words="Armor", more=f"{book.ARMOUR_POINTS} point each", least=0, most=4, usual=[], folded=True,
        candidates=tuple(Candidate(side, side) for side in book.SIDES),
    )  # fmt: skip
    fields["chains"] = Flag(words="Drag Chains", more=f"{book.CHAINS_POINTS} point", usual=False, folded=True)
    if kind.trailer is not None:
        more = f"{book.REINFORCEMENTS_POINTS} points, {book.REINFORCEMENTS} Cannon Fodder more"
        fields["reinforcements"] = Flag(words="Reinforcements", more=more, usual=False, folded=True)
    fields |= _hidden(kind.name, owner, builds) | _hero(mine)
    return Form(fields, _points_words(owner, builds, mine, budget))


def _points_words(owner: str, builds: tuple[Build, ...], mine: Build | None, budget: int) -> str:
    spent = book.points_of(builds, owner)
    own = "" if mine is None else f"costs {mine.points}; "
    return f"{own}{owner} has {budget - spent} of {budget} creation points left"


def _class_words(name: str) -> str:
    kind = next(c for c in book.CLASSES.values() if c.name == name)
    hits = f"{kind.hits}" if kind.trailer is None else f"{kind.hits} / {kind.trailer}"
    weapons = many(kind.weapons, "weapon")
    free = "; a point of armor or Drag Chains is free" if kind.free else ""
    return f"{kind.points} points, {hits} hit points, {kind.seats} seats, {weapons}{free}"


def _weapon(number: int, *, side: bool) -> dict[str, Input]:
    """A mounted weapon and where it points."""
    standard = book.WEAPONS[book.STANDARD].points
    weapons = tuple(
        Candidate(w.name, w.name, f"{w.reach:g} in, D6+{w.bonus}, {w.points - standard:+d} points")
        for w in book.WEAPONS.values()
    )
    arcs = tuple(Candidate(a, words) for a, words in book.ARCS.items() if side or a in ("fore", "aft"))
    return {
        f"weapon_{number}": Pick(
            words=f"Weapon {number}", candidates=weapons, usual=book.STANDARD, folded=True
        ),
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
    found = tuple(Candidate(seat, book.seat_words(seat)) for seat, _ in seats(mine.kind, mine.mounts))
    more = "one for each player; else it drives the first vehicle"
    return {"hero": Pick(words="The hero is", more=more, candidates=found, optional=True, folded=True)}


def _game() -> Form:
    deployments = [Candidate(name, name, words) for name, words in book.DEPLOYMENTS.items()]
    deployments.append(Candidate(book.UNDECIDED, book.UNDECIDED))
    found: dict[str, Input] = {
        "deployment": Pick(
            words="How the vehicles start", candidates=tuple(deployments), usual=book.UNDECIDED,
            more=book.cite("Play Setup"),
        )
    }  # fmt: skip
    return Form(found | HouseRules.inputs())
