"""The arming builder: each player's vehicle, what each Pod and Turret holds, and the house rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.errors import TableRefError
from engine.game.events import JsonObject, Reason
from engine.game.forms import Candidate, Form, Input, Pick, SetUpForm
from engine.game.kit import reading
from engine.games.battlecars.acts.beginning import (
    ARMING,
    dealt,
    field_of,
    layout_of,
    not_yet,
)
from engine.games.battlecars.book.data import COMPUTER, HouseRules
from engine.games.battlecars.book.vehicles import (
    SPECIALS,
    layout_called,
    layouts,
    loads,
    usual_load,
    vehicle_words,
)
from engine.ruling import many


def set_up(so_far: JsonObject) -> SetUpForm:
    """The forms of every vehicle and of the game."""
    players, given = reading.seated(so_far)
    try:
        wrong = not_yet(players, given)
    except TableRefError as error:
        wrong = [str(error)]
    pieces = {str(p.get("name")): _vehicle(p, k) for k, p in enumerate(given)}
    return SetUpForm(pieces, Form(HouseRules.inputs()), tuple(Reason(words, ARMING) for words in wrong))


def _vehicle(piece: Mapping[str, Any], number: int) -> Form:
    """What is asked of one vehicle: its type, then what is in its Pods and Turret."""
    types = tuple(Candidate(n, n, vehicle_words(layout)) for n, layout in layouts().items())
    fields: dict[str, Input] = {"type": Pick(words="Vehicle", candidates=types, usual=dealt(number))}
    try:
        layout = layout_of(piece, number)[1]
    except TableRefError:
        layout = layout_called(dealt(number))
    if not layout.specials:
        carried = tuple(Candidate(n, n) for n in SPECIALS)
        fields["special"] = Pick(words="Special component", candidates=carried, usual=COMPUTER)
    for name, mount in layout.mounts.items():
        fields[field_of(name)] = Pick(
            words=name.capitalize(),
            more=f"{many(mount.spaces, 'counter')}, {'any line' if mount.barrel == 'any' else mount.barrel}",
            candidates=tuple(Candidate(load, load) for load in loads(layout, mount)),
            usual=usual_load(mount),
        )
    return Form(fields)
