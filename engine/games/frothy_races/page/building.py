"""The form of the Vehicle Creation Guide."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.game.forms import Candidate, Input, Number, Numbers, Pick
from engine.games.frothy_races.book.building import (
    DAMAGE_EFFECTS,
    MOST_TRAITS,
    NUMBERED,
    RESILIENCE,
    ROWS,
    TRAITS,
)
from engine.games.frothy_races.book.data import SPECIALS, TOP
from engine.games.frothy_races.book.licences import LICENCES


def guide_fields(said: Mapping[str, Any]) -> dict[str, Input]:
    """What the guide asks for; what is left out is as the vehicle has it that it begins from."""
    one = LICENCES.get(str(said.get("base")), LICENCES["Chariot"])
    fields: dict[str, Input] = {
        "base": Pick(
            words="It begins as a", candidates=tuple(Candidate(n, n) for n in LICENCES), usual="Chariot"
        ),
        "resilience": Pick(
            words="Resilience", candidates=tuple(Candidate(r, r) for r in RESILIENCE), usual=RESILIENCE[0]
        ),
        "damage": Number(words="Damage value", low=2, high=12, optional=True),
        "whip": Number(words="Whip cards", low=0, high=12, optional=True),
        "reins": Number(words="Reins cards", low=0, high=12, optional=True),
        "dual": Number(words="Dual cards", low=0, high=12, optional=True),
        "specials": Pick(
            words="Special cards", optional=True, least=0, most=6,
            candidates=tuple(Candidate(n, n, s.words) for n, s in SPECIALS.items()),
        ),
        "traits": Pick(
            words="Traits", more=f"{MOST_TRAITS} at most", optional=True, least=0, most=MOST_TRAITS,
            candidates=tuple(Candidate(n, f"{n} #" if n in NUMBERED else n) for n in TRAITS),
        ),
        "strength": Number(words="# of its Traits", low=1, high=3, usual=1),
        "effects": Pick(
            words="Damage effects", more="in their order", optional=True, least=0, most=6,
            candidates=tuple(Candidate(n, n.replace("-", "−")) for n in DAMAGE_EFFECTS),
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
    for name in ROWS:
        now = ", ".join(str(n) for n in rows[name]).replace("-", "−")
        words = name.replace("_", " ").capitalize()
        fields[name] = Numbers(
            words=f"{words}, Speed 0 to {TOP}", more=f"as it begins: {now}", low=-9, high=9,
            least=TOP + 1, most=TOP + 1, optional=True, folded=True,
        )  # fmt: skip
    return fields
