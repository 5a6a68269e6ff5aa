"""The driving licence as a card: the movement table on top, tracks for paper clips on its edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import TableRefError
from engine.game.forms import Fact
from engine.game.showing import Edge, PlayCard, Row, Table, Words
from engine.games.frothy_races.acts.beginning import dealt
from engine.games.frothy_races.book.building import (
    CARDS,
    IN_A_PHASE,
    IN_A_ROUND,
    MOST_TRAITS,
    OWN,
    build,
)
from engine.games.frothy_races.book.data import PHASES, REMINDER, TOP
from engine.games.frothy_races.book.licences import LICENCES, Effect, Licence
from engine.games.frothy_races.book.licences import Track as Levels
from engine.games.frothy_races.state.game_state import GameState, Vehicle

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
    licence = LICENCES.get(type_)
    if type_ == OWN:
        try:
            licence, wrong = build(said)
        except TableRefError:
            return None
        facts = _used(licence)
    if licence is None:
        return None
    name, owner = str(said.get("name") or type_), said.get("owner")
    return _card(
        licence, name, owner if owner is None else str(owner), type_, traits=licence.traits, facts=facts,
        wrong=wrong, at=(0, licence.endurance, licence.least_control), marker=_marker(licence, 0, 0, 0),
    )  # fmt: skip


def _used(licence: Licence) -> tuple[Fact, ...]:
    """What of the guide's limits a build uses. There are no points: the book has none."""
    held = licence.whip + licence.reins + licence.dual + len(licence.specials)
    phase = max(max(row) for row in licence.move)
    return (
        Fact(f"{held} of {CARDS[1]}", f"cards, {CARDS[0]} at least"),
        Fact(f"{len(licence.traits)} of {MOST_TRAITS}", "traits"),
        Fact(f"{max(licence.totals)} of {IN_A_ROUND}", "spaces in a round"),
        Fact(f"{phase} of {IN_A_PHASE}", "spaces in a phase"),
    )


def _of(v: Vehicle) -> PlayCard:
    lic = v.licence
    spent, recovery = (
        ", ".join(c.name for c in v.cards if c.where == where) or "none" for where in ("spent", "recovery")
    )
    more = (Words(words="Spent", text=spent), Words(words="Recovery", text=recovery))
    return _card(
        lic, v.name, v.owner, v.type, traits=v.traits, resilience=v.resilience, more=more,
        at=(v.damage, v.stamina, v.control), marker=_marker(lic, v.speed, v.box, v.brake),
    )  # fmt: skip


AS_BUILT = -1


def _card(
    lic: Licence,
    name: str,
    owner: str | None,
    type_: str,
    *,
    traits: Sequence[tuple[str, int]],
    at: tuple[int, int, int],
    marker: float,
    resilience: int | None = AS_BUILT,
    more: tuple[Words, ...] = (),
    facts: tuple[Fact, ...] = (),
    wrong: tuple[str, ...] = (),
) -> PlayCard:
    """A licence with its markers: `at` are damage, Stamina and Control Loss points."""
    damage, stamina, control = at
    resilience = lic.resilience if resilience == AS_BUILT else resilience
    held = [(lic.whip, "Whip"), (lic.reins, "Reins"), (lic.dual, "dual")]
    deck = ", ".join([f"{n} {words}" for n, words in held if n] + list(lic.specials))
    lines = (
        Words(words="Resilience", text="blank" if resilience is None else str(resilience)),
        Words(words="Cards", text=deck or "none"),
        Words(words="Traits", text=", ".join(f"{t} {n}" for t, n in traits) or "none"),
        *more,
    )
    effects = (*_notes(lic.effects, range(lic.damage)), "Wipe-Out")
    counted = f"Control Loss points; from {REMINDER} on a second clip on 1"
    edges = (
        Edge("Damage", "left", _steps(0, lic.damage), damage, effects),
        Edge(
            "Stamina", "right", tuple(reversed(_steps(0, lic.endurance))), lic.endurance - stamina,
            _notes(lic.tiring, range(lic.endurance, -1, -1)),
        ),
        Edge(counted, "bottom", _steps(0, REMINDER - 1), control % REMINDER),
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
    moves = tuple(Row(f"Move {k + 1}", _figures(lic.move[k])) for k in range(PHASES))
    control = tuple("Safe" if n == 0 else str(n) for n in lic.control)
    stamina = tuple(_minus(f"{n:+d}") if n else "0" for n in lic.stamina)
    rows = (
        Row("Acceleration", boxes=lic.acceleration), Row("Deceleration", boxes=lic.deceleration), *moves,
        Row("Total", _figures(lic.totals)), Row("Control dice", control), Row("Stamina", stamina),
    )  # fmt: skip
    return Table("Speed", _steps(0, TOP), rows, marker)


def _figures(row: Sequence[int]) -> tuple[str, ...]:
    return tuple(str(n) for n in row)


def _marker(lic: Licence, speed: int, box: int, brake: int) -> float:
    """Where one clip stands for both boxes: in the middle of what lies beside both."""
    up, down = lic.acceleration[speed], lic.deceleration[speed]
    low, high = max(box / up, brake / down), min((box + 1) / up, (brake + 1) / down)
    return round(speed + (low + high) / 2, 4)


def _minus(words: str) -> str:
    return words.replace("-", "\N{MINUS SIGN}")
