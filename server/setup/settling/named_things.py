"""Somebody says what a thing on the table is that nobody had named: then it keeps no answer open any more."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import Field

from engine.errors import TableRefError
from engine.space.table import Thing
from server.formats.entries import Entry
from server.pipeline.referee import TableEvent
from server.pipeline.runner import Runner
from server.setup.settling.same_camera import OWNER
from server.web.messages import ErrorBody, Model

PATH = "/api/things"
SAID = "camera.thing"
"""The kind of entry that is kept of it."""

WORDS = {
    "flat": "{name} lies flat, and is in nobody's way",
    "nothing": "there is nothing where {name} was seen",
}
"""What is said of a thing, for people."""


class SayThing(Model):
    """What a thing is: *flat* (dice, paper), or *nothing* at all."""

    name: Annotated[str, Field(max_length=80)]
    what: Literal["flat", "nothing"]


class SaidThing(Model):
    """What was said of a thing, in words."""

    name: str
    words: str


def things_router(live: Runner) -> APIRouter:
    """`/api/things`."""
    router = APIRouter()
    refused: dict[int | str, dict[str, Any]] = {409: {"model": ErrorBody, "description": "There is none"}}

    @router.post(PATH, response_model=SaidThing, responses=refused)
    def name_it(asked: SayThing) -> SaidThing:
        """The owner says what a thing is."""
        moment = live.moment
        there: dict[str, Thing] = {t.name: t for t in (() if moment is None else moment.table.things)}
        thing = there.get(asked.name)
        if moment is None or thing is None or not live.name_thing(asked.name):
            raise TableRefError(f"{asked.name} is not on the table any more: nothing was changed")
        words = f"The owner says: {WORDS[asked.what].format(name=asked.name)}."
        outline = [[round(float(x), 3), round(float(y), 3)] for x, y in thing.region.outline]
        data = {"thing": asked.name, "what": asked.what, "outline_in": outline, "sd_in": thing.sd}
        # In the record first, then everybody is told.
        live.note(Entry(SAID, moment.time, words, data, OWNER))
        live.announce(TableEvent(moment.time, "camera", None, words))
        return SaidThing(name=asked.name, words=words)

    return router
