"""The gate that everything leaves by: what a viewer may read of the log, and what may be measured now."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from engine.game.contract import Game, Question, State, hidden
from engine.game.events import Event, Reason
from engine.game.showing import Viewer

_DISTANCE = re.compile(r"\d+[.,]\d+\s*(?:in\b|inch|cm\b|mm\b|[″\"])")
"""A distance as it is measured, with its unit; what a book states is in whole inches."""

_AWAY = re.compile(r"stands …(?: and \d+°)? from (?P<where>its place|where the rules put it)")
"""How far a piece stands off, once the distance is out of it."""


def told_to(event: Event, viewer: Viewer) -> Event | None:
    """An event as a viewer may read it: whole, only its public words, or not at all.

    Kind and citation are never secret; of an event for others neither data nor pieces are told.
    """
    if event.audience is None or viewer.player in event.audience:
        return event
    if not event.public:
        return None
    return replace(event, words=event.public, public="", data={}, pieces=(), audience=None)


def log_for(log: Iterable[Event], viewer: Viewer) -> tuple[Event, ...]:
    """A log as a viewer may read it."""
    return tuple(told for event in log if (told := told_to(event, viewer)) is not None)


def permitted(game: Game[State], state: State | None, question: Question | None) -> Reason | None:
    """Why this may not be measured or told now; None when it may.

    Without a `question` it is about distances that nobody asked for, such as those between neighbours: where
    the book hides distances, none is told while a match is on and not over.
    """
    if question is None:
        reason = hidden(game.about)
        on = reason is not None and state is not None and not game.status(state, Viewer()).over
        return reason if on else None
    return game.forbidden(state, question)


EVERYTHING = "every distance, with the game over"
"""What may be measured once a game is over whose book hides distances."""


def bares(game: Game[State], before: State, after: State) -> str | None:
    """What may be measured after something was done and not before, where the book hides distances, in words.

    Whoever has read that distance knows it, whatever is taken back.
    """
    if permitted(game, before, None) is None:
        return None
    if permitted(game, after, None) is None:
        return EVERYTHING
    return next(
        (
            question.words
            for question in game.questions(after, ())
            if not question.missing
            and game.forbidden(after, question) is None
            and game.forbidden(before, question) is not None
        ),
        None,
    )


def distances_in(value: Any) -> list[str]:
    """Every measured distance in the texts of a JSON value.

    >>> distances_in({"words": "8.42 in of 10 in", "more": ["1.5 cm"]})
    ['8.42 in', '1.5 cm']
    """
    if isinstance(value, str):
        return _DISTANCE.findall(value)
    if isinstance(value, dict):
        value = list(value.values())
    return (
        [found for item in value for found in distances_in(item)] if isinstance(value, list | tuple) else []
    )


def without_distances(words: str) -> str:
    """A sentence without the distances that were measured, for a page that may not tell them.

    >>> without_distances("out of reach: 8.42 in, ±0.02")
    'out of reach: …, ±0.02'
    >>> without_distances("Blue 1 stands 3.9 in from its place")
    'Blue 1 does not stand in its place'
    """
    return _AWAY.sub(_not_there, _DISTANCE.sub("…", words))


def _not_there(away: re.Match[str]) -> str:
    where = away["where"]
    return f"does not stand {'in ' * (where == 'its place')}{where}"
