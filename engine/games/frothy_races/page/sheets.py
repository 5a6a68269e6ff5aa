"""The sheets: what each vehicle is and has, where the match stands, and what is asked before it begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.errors import TableRefError
from engine.game.events import JsonObject, Reason
from engine.game.forms import Candidate, Fact, Form, Input, Number, Numbers, Pick, SetUpForm, Text
from engine.game.kit import reading
from engine.game.kit.cells import place_by_hand
from engine.game.kit.shown import fate
from engine.game.showing import (
    Box,
    Cards,
    Counter,
    Edge,
    Left,
    Place,
    PlayCard,
    Row,
    Sheet,
    Status,
    Table,
    Track,
    Viewer,
    Widget,
    Words,
)
from engine.games.frothy_races.acts.beginning import SETUP, against_building, dealt, not_yet
from engine.games.frothy_races.book import building
from engine.games.frothy_races.book import data as book
from engine.games.frothy_races.book.circuits import CIRCUITS
from engine.games.frothy_races.book.data import Effect, Licence, Rules
from engine.games.frothy_races.book.data import Track as Levels
from engine.games.frothy_races.book.laying import attempt
from engine.games.frothy_races.rules.moves import LEVEL, placings
from engine.games.frothy_races.state import GameState, Vehicle, Where
from engine.ruling import many

# The driving licence as a card: the movement table on top, tracks for paper clips on its edges.

PLACES = ("Spent", "Recovery")


def cards(state: GameState) -> tuple[PlayCard, ...]:
    """Every vehicle's driving licence as it stands, the players in their order."""
    return tuple(_of(v) for p in state.players for v in state.vehicles if v.owner == p)


def previews(so_far: Mapping[str, Any]) -> tuple[PlayCard, ...]:
    """The driving licences of vehicles that are being set up; none of a build with an unknown answer."""
    given = [one for one in so_far.get("pieces") or () if isinstance(one, Mapping)]
    found = (_set_up(one, number) for number, one in enumerate(given))
    return tuple(one for one in found if one is not None)


def _set_up(said: Mapping[str, Any], number: int) -> PlayCard | None:
    type_ = str(said.get("type") or dealt(number))
    facts: tuple[Fact, ...] = ()
    wrong: tuple[str, ...] = ()
    licence = book.LICENCES.get(type_)
    if type_ == building.OWN:
        try:
            licence, wrong = building.build(said)
        except TableRefError:
            return None
        facts = _used(licence)
    if licence is None:
        return None
    name, owner = str(said.get("name") or type_), said.get("owner")
    return _card(
        licence, name, owner if owner is None else str(owner), type_, traits=_traits(licence.traits),
        facts=facts, wrong=wrong, at=(0, licence.endurance, licence.least_control),
        marker=_marker(licence, 0, 0, 0),
    )  # fmt: skip


def _used(licence: Licence) -> tuple[Fact, ...]:
    """What of the guide's limits a build uses. There are no points: the book has none."""
    held = licence.whip + licence.reins + licence.dual + len(licence.specials)
    phase = max(max(row) for row in licence.move)
    return (
        Fact(f"{held} of {building.CARDS[1]}", f"cards, {building.CARDS[0]} at least"),
        Fact(f"{len(licence.traits)} of {building.MOST_TRAITS}", "traits"),
        Fact(f"{max(licence.totals)} of {building.IN_A_ROUND}", "spaces in a round"),
        Fact(f"{phase} of {building.IN_A_PHASE}", "spaces in a phase"),
    )


def _of(v: Vehicle) -> PlayCard:
    lic = v.licence
    spent, recovery = (
        ", ".join(c.name for c in v.cards if c.where == where) or "none" for where in ("spent", "recovery")
    )
    more = (Words(words="Spent", text=spent), Words(words="Recovery", text=recovery))
    return _card(
        replace(lic, effects=v.levels), v.name, v.owner, v.type, traits=_traits(v.traits, v),
        resilience=v.resilience, more=more,
        at=(v.damage, v.stamina, v.control), marker=_marker(lic, v.speed, v.box, v.brake),
    )  # fmt: skip


def _traits(traits: Sequence[tuple[str, int]], v: Vehicle | None = None) -> str:
    """Traits in a row, with those that damage has taken."""
    lost = {name for name, _ in traits if v is not None and not v.trait(name)}
    return ", ".join(f"{name} {n}{' (lost)' * (name in lost)}" for name, n in traits) or "none"


AS_BUILT = -1


def _card(
    lic: Licence, name: str, owner: str | None, type_: str, *, traits: str,
    at: tuple[int, int, int], marker: float, resilience: int | None = AS_BUILT, more: tuple[Words, ...] = (),
    facts: tuple[Fact, ...] = (), wrong: tuple[str, ...] = (),
) -> PlayCard:  # fmt: skip
    """A licence with its markers: `at` are damage, Stamina and Control Loss points."""
    damage, stamina, control = at
    resilience = lic.resilience if resilience == AS_BUILT else resilience
    held = [(lic.whip, "Whip"), (lic.reins, "Reins"), (lic.dual, "dual")]
    deck = ", ".join([f"{n} {words}" for n, words in held if n] + list(lic.specials))
    lines = (
        Words(words="Resilience", text="blank" if resilience is None else str(resilience)),
        Words(words="Cards", text=deck or "none"),
        Words(words="Traits", text=traits),
        *more,
    )
    effects = (*_notes(lic.effects, range(lic.damage)), "Wipe-Out")
    counted = f"Control Loss points; from {book.REMINDER} on a second clip on 1"
    edges = (
        Edge("Damage", "left", _steps(0, lic.damage), damage, effects),
        Edge(
            "Stamina", "right", tuple(reversed(_steps(0, lic.endurance))), lic.endurance - stamina,
            _notes(lic.tiring, range(lic.endurance, -1, -1)),
        ),
        Edge(counted, "bottom", _steps(0, book.REMINDER - 1), control % book.REMINDER),
    )  # fmt: skip
    return PlayCard(
        title=name, owner=owner, piece=name, more=type_, table=_table(lic, marker), edges=edges, lines=lines,
        facts=facts, wrong=wrong, places=PLACES,
    )  # fmt: skip


def _steps(first: int, last: int) -> tuple[str, ...]:
    return tuple(str(n) for n in range(first, last + 1))


def _notes(track: Levels, levels: Sequence[int]) -> tuple[str, ...]:
    found: dict[int, list[Effect]] = {}
    for level, effect in track:
        found.setdefault(level, []).append(effect)
    return tuple(_minus(", ".join(e.words for e in found.get(level, ()))) for level in levels)


def _table(lic: Licence, marker: float) -> Table:
    """The Speed table: two rows of boxes, and the figures of every Speed rating."""
    moves = tuple(Row(f"Move {k + 1}", _figures(lic.move[k])) for k in range(book.PHASES))
    control = tuple("Safe" if n == 0 else str(n) for n in lic.control)
    stamina = tuple(_minus(f"{n:+d}") if n else "0" for n in lic.stamina)
    rows = (
        Row("Acceleration", boxes=lic.acceleration), Row("Deceleration", boxes=lic.deceleration), *moves,
        Row("Total", _figures(lic.totals)), Row("Control dice", control), Row("Stamina", stamina),
    )  # fmt: skip
    return Table("Speed", _steps(0, book.TOP), rows, marker)


def _figures(row: Sequence[int]) -> tuple[str, ...]:
    return tuple(str(n) for n in row)


def _marker(lic: Licence, speed: int, box: int, brake: int) -> float:
    """Where one clip stands for both boxes: in the middle of what lies beside both."""
    up, down = lic.acceleration[speed], lic.deceleration[speed]
    low, high = max(box / up, brake / down), min((box + 1) / up, (brake + 1) / down)
    return round(speed + (low + high) / 2, 4)


def _minus(words: str) -> str:
    return words.replace("-", "\N{MINUS SIGN}")


# The driving licences: Speed, Control, Damage and Stamina tracks, cards, traits; where the race stands.

PILES: Mapping[Where, str] = {"hand": "in the hand", "spent": "spent", "recovery": "in recovery"}
"""Where a card may be put by hand."""


def sheets(state: GameState, viewer: Viewer) -> tuple[Sheet, ...]:
    """All vehicles, the players in their order."""
    return tuple(_sheet(state, v, viewer) for p in state.players for v in state.vehicles if v.owner == p)


def _sheet(state: GameState, v: Vehicle, viewer: Viewer) -> Sheet:
    lic = v.licence
    at = ("vehicles", v.name)
    dice = v.control_dice(v.speed)
    control = "Safe" if not dice else book.many_dice(dice)
    spaces = ", ".join(str(lic.spaces(k, v.speed)) for k in range(1, book.PHASES + 1))
    blank = "blank" if v.resilience is None else str(v.resilience)
    widgets: list[Widget] = [
        Words(words="Speed", text=f"{v.speed} of {v.top}", more=_boxes(v)),
        Words(words="Spaces in the four phases", text=spaces, more=f"Control: {control}"),
        Counter(
            words="Control Loss points", value=v.control, low=lic.least_control, high=99,
            path=(*at, "control"),
        ),
        Track(
            words=f"Damage, Resilience {blank}", boxes=_levels(v.damage, lic.damage, v.levels),
            path=(*at, "damage"),
        ),
    ]  # fmt: skip
    if state.rules.stamina:
        tiring = _minus("; ".join(f"{level}: {e.words}" for level, e in lic.tiring))
        high, path = lic.endurance, (*at, "stamina")
        widgets.append(Counter(words="Stamina", value=v.stamina, high=high, more=tiring, path=path))
    widgets += _cards(v, viewer)
    widgets.append(Words(words="Traits", text=_traits(v.traits, v)))
    if state.rules.race == "Scoring":
        widgets.append(Counter(words="Points", value=v.points, low=0, high=999, path=(*at, "points")))
    now = "taken off" if v.gone else "wiped out" if v.wreck else "racing"
    widgets.append(fate(now, {False: "racing", True: "wiped out"}, (*at, "wreck")))
    return Sheet(
        title=v.name, owner=v.owner, widgets=tuple(widgets), piece=v.name, more=v.type,
        summary=summary(v), note="" if v.races else now, out=not v.races, by_hand=_by_hand(state, v, viewer),
        left=Left("Damage boxes", max(0, lic.damage - v.damage)),
    )  # fmt: skip


def _by_hand(state: GameState, v: Vehicle, viewer: Viewer) -> tuple[Widget, ...]:
    """Where it stands, its Speed with the boxes used of it, and the cards that this viewer sees."""
    at, lic = ("vehicles", v.name), v.licence
    found: list[Widget] = []
    if state.track is not None:
        near = () if v.cell is None else state.board.neighbours(v.cell)
        found += place_by_hand(state.board, v.cell, v.facing, near, at)
    speeds = tuple(
        Candidate(s, str(s))
        for s in range(v.top + 1)
        if s == v.speed or (v.box < lic.acceleration[s] and v.brake < lic.deceleration[s])
    )
    found.append(Words(words="Speed", text=str(v.speed), choices=speeds, path=(*at, "speed")))
    found += [
        Counter(words=words, value=value, low=0, high=boxes[v.speed] - 1, path=(*at, name))
        for words, name, value, boxes in (
            ("Acceleration boxes used", "box", v.box, lic.acceleration),
            ("Deceleration boxes used", "brake", v.brake, lic.deceleration),
        )
        if boxes[v.speed] > 1
    ]
    piles = tuple(Candidate(where, words) for where, words in PILES.items())
    found += [
        Words(words=card.name, text=PILES[card.where], choices=piles, path=(*at, "cards", k, "where"))
        for k, card in enumerate(v.cards)
        if card.where in PILES and (card.where != "hand" or viewer.player == v.owner)
    ]
    return tuple(found)


def _boxes(v: Vehicle) -> str:
    lic = v.licence
    up = sum(lic.acceleration[v.speed + 1 : v.top + 1]) + lic.acceleration[v.speed] - 1 - v.box
    down = sum(lic.deceleration[: v.speed]) + v.brake
    return f"{many(up, 'box', 'boxes')} below the maximum, {down} above 0"


def _levels(damage: int, most: int, effects: Levels) -> tuple[Box, ...]:
    notes = _notes(effects, range(1, most + 1))
    return tuple(
        Box(k <= damage, bool(note) or k == most, words=note) for k, note in enumerate(notes, start=1)
    )


def _cards(v: Vehicle, viewer: Viewer) -> list[Widget]:
    """The hand for its player, counts for others; what is spent lies open."""
    hand = tuple(c.name for c in v.hand())
    mine = viewer.player == v.owner
    shown = Cards(words="Hand", cards=hand) if mine else Cards(words="Hand", hidden=len(hand))
    spent = tuple(c.name for c in v.cards if c.where == "spent")
    recovery = tuple(c.name for c in v.cards if c.where == "recovery")
    return [shown, Cards(words="Spent", cards=spent), Cards(words="Recovery", cards=recovery)]


def summary(v: Vehicle) -> str:
    """A vehicle in a few words."""
    left = v.licence.damage - v.damage
    return f"Speed {v.speed} · {v.control} control loss · {left} damage left · {many(len(v.hand()), 'card')}"


def status(state: GameState) -> Status:
    """Whose turn it is, what has to be done first, or who has won."""
    order = _order(state)
    what = f"Round {state.round}" + (f", phase {state.step}" if state.step else "")
    if state.over:
        end = Status.at_the_end(state.winner, order, "The race is over")
        team = next((v.team for v in state.vehicles if v.owner == state.winner), "")
        return replace(end, who=f"Team {team} wins") if team else end
    if state.phase == "setup":
        return Status("Before the race", "Draw lots for the places", state.rules.race, order=order)
    if state.agenda:
        task = state.agenda[0]
        owner = state.vehicle(task.vehicle).owner
        return Status(what, f"{owner} decides", task.words, owner, task.vehicle, order)
    if state.attack is not None:
        one = state.attack
        more = f"{one.attacker} attacks {one.target}: cards are chosen in secret"
        return Status(what, f"A {one.sort} attack", more, None, one.attacker, order)
    if state.turn is not None:
        v = state.vehicle(state.turn.vehicle)
        left = state.turn.left
        more = f"Speed {v.speed}, {many(left, 'space')} left"
        return Status(what, f"{v.owner} moves {v.name}", more, v.owner, v.name, order)
    waiting = [v.owner for v in state.racing if not v.checked]
    return Status(what, "Speed checks", f"still to make: {', '.join(waiting)}", order=order)


def _order(state: GameState) -> tuple[Place, ...]:
    """The players by their places in the race; before the start by their seats."""
    there = placings(state) if state.track is not None else state.vehicles
    rest = [v for v in state.vehicles if v not in there]
    return tuple(_place(state, v) for v in (*there, *rest))


def _place(state: GameState, v: Vehicle) -> Place:
    current = state.turn is not None and state.turn.vehicle == v.name
    lap = max(int((v.travelled + LEVEL) // 1) + 1, 1)
    if state.rules.race == "Scoring":
        return Place(v.owner, current, not v.races, v.points, f"lap {lap}, {many(v.points, 'point')}")
    return Place(v.owner, current, not v.races, lap, f"lap {lap}, Speed {v.speed}")


# The form of the Vehicle Creation Guide.


def guide_fields(said: Mapping[str, Any]) -> dict[str, Input]:
    """What the guide asks for; what is left out is as the vehicle has it that it begins from."""
    one = book.LICENCES.get(str(said.get("base")), book.LICENCES["Chariot"])
    fields: dict[str, Input] = {
        "base": Pick(
            words="It begins as a", candidates=tuple(Candidate(n, n) for n in book.LICENCES), usual="Chariot"
        ),
        "resilience": Pick(
            words="Resilience", usual=building.RESILIENCE[0],
            candidates=tuple(Candidate(r, r) for r in building.RESILIENCE),
        ),
        "damage": Number(words="Damage value", low=2, high=12, optional=True),
        "whip": Number(words="Whip cards", low=0, high=12, optional=True),
        "reins": Number(words="Reins cards", low=0, high=12, optional=True),
        "dual": Number(words="Dual cards", low=0, high=12, optional=True),
        "specials": Pick(
            words="Special cards", optional=True, least=0, most=6,
            candidates=tuple(Candidate(n, n, s.words) for n, s in book.SPECIALS.items()),
        ),
        "traits": Pick(
            words="Traits", more=f"{building.MOST_TRAITS} at most",
            optional=True, least=0, most=building.MOST_TRAITS,
            candidates=tuple(
                Candidate(n, f"{n} #" if n in building.NUMBERED else n) for n in building.TRAITS
            ),
        ),
        "strength": Number(words="# of its Traits", low=1, high=3, usual=1),
        "effects": Pick(
            words="Damage effects", more="in their order", optional=True, least=0, most=6,
            candidates=tuple(Candidate(n, n.replace("-", "−")) for n in building.DAMAGE_EFFECTS),
        ),
        "levels": Numbers(
            words="Their levels", more="spread evenly without", low=1, high=11, least=1, most=6,
            optional=True, folded=True,
        ),
        "least_control": Number(
            words="Control Loss points that it always has", low=0, high=3, optional=True, folded=True
        ),
    }  # fmt: skip
    rows = {
        "acceleration": one.acceleration, "deceleration": one.deceleration, "control": one.control,
        "stamina": one.stamina, **{f"move_{k + 1}": row for k, row in enumerate(one.move)},
    }  # fmt: skip
    for name in building.ROWS:
        now = ", ".join(str(n) for n in rows[name]).replace("-", "−")
        words = name.replace("_", " ").capitalize()
        fields[name] = Numbers(
            words=f"{words}, Speed 0 to {book.TOP}", more=f"as it begins: {now}", low=-9, high=9,
            least=book.TOP + 1, most=book.TOP + 1, optional=True, folded=True,
        )  # fmt: skip
    return fields


# The form of a race: its type and rules, and each player's vehicle and team.

_ORDER = (
    "race", "circuit", "laps", "rounds", "gap", "instant", "for_obstacle", "runners", "for_runner",
    "for_damage", "stamina", "truce", "friendly", "grandstanding", "shame", "rolling", "jumps", "adjust",
    "pairs_first", "deliberate", "corner_drift", "control_damage", "start_by", "more_drifts", "worths",
)  # fmt: skip
"""In which order the rules are asked for: first the numbers of the race, then what is on or off."""


def set_up(so_far: JsonObject) -> SetUpForm:
    """The forms of every vehicle and of the race."""
    players, given = reading.seated(so_far)
    try:
        rules = Rules.said(so_far)
        wrong = not_yet(players, given, rules)
    except TableRefError as error:
        wrong = [str(error)]
    names = [str(p.get("name")) for p in given]
    pieces = {name: _vehicle(k, p, names) for k, (name, p) in enumerate(zip(names, given, strict=True))}
    return SetUpForm(
        pieces, _race(_laid(so_far), so_far.get("race")), tuple(Reason(words, SETUP) for words in wrong)
    )


def _vehicle(number: int, said: Mapping[str, Any], names: Sequence[str]) -> Form:
    types = tuple(Candidate(n, n, licence_words(one)) for n, one in book.LICENCES.items())
    own = Candidate(building.OWN, building.OWN, "by the Vehicle Creation Guide")
    fields: dict[str, Input] = {
        "type": Pick(words="Vehicle", candidates=(*types, own), usual=dealt(number)),
        "team": Text(
            words="Team", more="Tag Team: vehicles of one team win together", longest=30, optional=True,
            folded=True,
        ),
        "slower": Number(
            words="Lower Speed in a rolling start", low=0, high=book.TOP, optional=True, folded=True
        ),
    }  # fmt: skip
    licence = book.LICENCES.get(str(said.get("type")))
    if said.get("type") == building.OWN:
        fields |= guide_fields(said)
        licence = None if against_building(said) else building.build(said)[0]
    if licence is not None and dict(licence.traits).get("Rival"):
        others = tuple(Candidate(n, n) for k, n in enumerate(names) if k != number)
        fields["rival"] = Pick(words="Its Rival", candidates=others)
    return Form(fields)


def licence_words(licence: Licence) -> str:
    """A licence in a few words."""
    blank = "blank" if licence.resilience is None else str(licence.resilience)
    traits = ", ".join(name + (f" {n}" if n > 1 else "") for name, n in licence.traits)
    cards = licence.whip + licence.reins + licence.dual + len(licence.specials)
    return (
        f"Resilience {blank}, {licence.damage} damage, {licence.totals[-1]} spaces, {cards} cards; {traits}"
    )


def _laid(so_far: JsonObject) -> tuple[Candidate, ...]:
    """The circuits of one's own that are kept, and one that was chosen: also where it is kept no more."""
    texts = dict.fromkeys([*(so_far.get("laid") or ()), so_far.get("circuit")])
    found = [(text, attempt(text)) for text in texts if isinstance(text, str) and ":" in text]
    return tuple(Candidate(text, one.name, "of one's own") for text, one in found if not one.wrong)


def _race(own: tuple[Candidate, ...], race: object) -> Form:
    inputs = Rules.inputs(Rules.of({"race": race} if race in book.APART else {}))
    inputs["race"] = replace(inputs["race"], usual=book.RACES[0])
    circuits = tuple(Candidate(c.id, c.words) for c in CIRCUITS)
    inputs["circuit"] = Pick(
        words=inputs["circuit"].words, candidates=(*circuits, *own), usual=CIRCUITS[0].id
    )
    return Form({name: inputs[name] for name in _ORDER})
