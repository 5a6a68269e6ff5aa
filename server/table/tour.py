"""What a film shows whoever only looks: moments of it, each with a question and a sentence."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path

from fastapi import APIRouter
from pydantic import Field, TypeAdapter, ValidationError

from engine.errors import TableRefError
from server.table.questions.ruling_messages import VerdictWord
from server.web.messages import Model, Name


class Stop(Model):
    """A moment of a film from `at_s` on, seconds after its beginning: what is asked, and what it shows.

    `pieces` are asked about, the asking one first; none where something is told without a question. `words`
    are said only while the answer is `verdict`, where one is named, and `by` is in the way, where that is.
    """

    at_s: float = Field(ge=0.0)
    pieces: list[Name] = Field(default_factory=list, max_length=2)
    verdict: VerdictWord | None = None
    by: Name | None = None
    words: str = Field(min_length=1, max_length=200)


TOUR = "/api/tour"

_stops: TypeAdapter[list[Stop]] = TypeAdapter(list[Stop])


def load_tour(file: Path) -> list[Stop]:
    """The stops of a film, in the order of its time; a clear error names what is wrong with the file."""
    try:
        read = tomllib.loads(file.read_text(encoding="utf-8"))
        return sorted(_stops.validate_python(read.get("stop", [])), key=lambda stop: stop.at_s)
    except (OSError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise TableRefError(f"the tour {file} cannot be read: {error}") from error


def tour_router(shown: Callable[[], Sequence[Stop]] = tuple) -> APIRouter:
    """Tells a page what to show by itself while nobody touches it: the stops of what is watched."""
    router = APIRouter()

    @router.get(TOUR, response_model=list[Stop])
    def tour() -> Sequence[Stop]:
        """The moments of the film that is watched, in order; none where it is shown without a guide."""
        return shown()

    return router
